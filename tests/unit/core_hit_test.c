/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_hit_test.c - what is kept from hit to hit never goes stale. */
#include "core_help.h"

/* A site whose guard is: the word that %rsp points at is `want`. */
static void
guarded(struct tb *t, uint64_t want)
{
	struct dv_argset raw;
	uint32_t guard;

	memset(&raw, 0, sizeof(raw));
	raw.arg[0] = (struct dv_loc){ .kind = DV_LOC_MEM, .reg = DV_REG_RSP };
	tb_init(t, 2);
	difo_begin(t);
	in(t, IW(LDGS, DIF_VAR_ARG0, 1));
	in_int(t, want, 2);
	in(t, I3(CMP, 1, 2, 0));
	in(t, IB(BE, 6));
	in(t, I3(MOV, 0, 0, 1));
	in(t, IRET(1));
	in_int(t, 1, 1);
	in(t, IRET(1));
	guard = difo_end(t);
	clause_begin(t, DV_NONE);
	(void)simple_site(t, clause_end(t, DV_CL_DEFAULT));
	EXPECT_EQ(dv_vec_push(&t->b.argsets, raw), 0);
	t->b.rules.v[0].guard = guard;
	t->b.rules.v[0].raw = (uint32_t)t->b.argsets.n - 1;
	tb_go(t);
}

static uint64_t
fired(struct tb *t)
{
	struct dv_account a;

	expect_account(t, 0, &a);
	return a.fired;
}

/* vCPU 0 reads through the carrier, 1 through its window. */
static void
follows(unsigned vcpu)
{
	uint64_t va = DV_SIM_TEXT + (1 << 20), one, two;
	struct tb t;

	guarded(&t, 7);
	one = dv_sim_page(t.sim);
	two = dv_sim_page(t.sim);
	dv_sim_map(t.sim, 0, va, one);
	dv_sim_write64(t.sim, va, 7);
	dv_sim_write64(t.sim, DV_SIM_PAGE_OFFSET + two, 8);
	dv_sim_reg(t.sim, vcpu)[DV_REG_RSP] = va;
	dv_sim_hit(t.sim, vcpu, 0);
	dv_sim_hit(t.sim, vcpu, 0);
	EXPECT_EQ(fired(&t), 2);
	dv_sim_write64(t.sim, va, 9);		/* another value, the same page */
	dv_sim_hit(t.sim, vcpu, 0);
	EXPECT_EQ(fired(&t), 2);
	dv_sim_write64(t.sim, va, 7);
	dv_sim_hit(t.sim, vcpu, 0);
	EXPECT_EQ(fired(&t), 3);
	dv_sim_unmap(t.sim, 0, va);
	dv_sim_map(t.sim, 0, va, two);		/* another page */
	dv_sim_hit(t.sim, vcpu, 0);
	EXPECT_EQ(fired(&t), 3);
	dv_sim_unmap(t.sim, 0, va);		/* none: the guard faults */
	dv_sim_hit(t.sim, vcpu, 0);
	EXPECT_EQ(fired(&t), 3);
	dv_sim_map(t.sim, 0, va, one);
	dv_sim_hit(t.sim, vcpu, 0);
	EXPECT_EQ(fired(&t), 4);
	tb_fini(&t);
}

TEST(guard_follows_memory_and_page_tables)
{
	follows(0);
}

TEST(guard_follows_them_through_the_window)
{
	follows(1);
}

/* @[execname], with names that are alike up to their end. */
TEST(string_keys_are_told_apart)
{
	static const char *const names[] = { "a", "ab", "abcdefg", "abcdefgh", "abcdefghi", "" };
	uint32_t name, total = 0;
	const struct dv_agg_entry *e;
	const uint8_t *data;
	struct dv_snap snap;
	struct dv_act *a;
	struct tb t;
	size_t i, at;

	tb_init(&t, 1);
	name = difo_var(&t, DIF_VAR_EXECNAME);
	agg_desc(&t, DV_AGG_COUNT, 0, 1, 256, 1);
	clause_begin(&t, DV_NONE);
	act_add(&t, DV_ACT_AGG, DV_NONE)->nargs = 1;
	a = act_add(&t, DV_ACT_TRACE, name);
	a->rec = (struct dv_dtype){ .kind = DV_T_STRING, .flags = DV_TF_BYREF, .size = 256 };
	(void)simple_site(&t, clause_end(&t, DV_CL_NOREC));
	tb_go(&t);
	for (i = 0; i < 24; i++) {
		dv_sim_current(t.sim, 0, dv_sim_task(t.sim, (uint32_t)i + 1,
		    (uint32_t)i + 1, names[i % 6], 0));
		dv_sim_hit(t.sim, 0, 0);
	}
	data = dv_sim_snap(t.sim, 0, DV_BUF_AGG, &snap);
	for (at = 0; at < snap.len; at += e->size, total++) {
		e = (const struct dv_agg_entry *)(data + at);
		EXPECT_STREQ((const char *)(e + 1), names[total]);
		for (i = strlen(names[total]); i < 256; i++)
			EXPECT_EQ(((const char *)(e + 1))[i], 0);
		EXPECT_EQ(*(const uint64_t *)((const uint8_t *)(e + 1) + 256), 4);
	}
	EXPECT_EQ(total, 6);
	tb_fini(&t);
}

TEST_MAIN()
