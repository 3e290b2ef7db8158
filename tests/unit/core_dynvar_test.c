/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_dynvar_test.c - thread-locals and arrays: keys, reuse, drops, races. */
#include "core_help.h"
#include "core/state_impl.h"

/*
 * Sites: SET { self->v = arg0 }, GET { trace(self->v) },
 * ASET { arr[arg0] = arg1 }, AGET { trace(arr[arg0]) }.
 */
enum { SET, GET, ASET, AGET };

static void
dyn_init(struct tb *t, unsigned nvcpu, uint64_t dynvarsize)
{
	static const uint32_t flags[] = { DV_CL_NOREC, 0, DV_CL_NOREC, 0 };
	uint32_t p, i, args;
	uint16_t v, arr;

	tb_init(t, nvcpu);
	t->b.opts[DV_OPT_DYNVARSIZE] = dynvarsize;
	t->b.opts[DV_OPT_STRSIZE] = 64;
	v = var_add(t, DV_VS_TLS, 0, DV_T_INT, 8, 0);
	arr = var_add(t, DV_VS_GLOBAL, 1, DV_T_INT, 8, 0);
	difo_begin(t);
	in(t, IW(LDGS, DIF_VAR_ARG0, 1));
	in(t, IW(STTS, v, 1));
	in(t, IRET(1));
	difo_end(t);
	difo_begin(t);
	in(t, IW(LDTS, v, 1));
	in(t, IRET(1));
	difo_end(t);
	difo_begin(t);
	in(t, IW(LDGS, DIF_VAR_ARG0, 1));
	in(t, IW(LDGS, DIF_VAR_ARG1, 2));
	in(t, I3(PUSHTV, DV_T_INT, 0, 1));
	in(t, IW(STGAA, arr, 2));
	in(t, IRET(2));
	difo_end(t);
	difo_begin(t);
	in(t, IW(LDGS, DIF_VAR_ARG0, 1));
	in(t, I3(PUSHTV, DV_T_INT, 0, 1));
	in(t, IW(LDGAA, arr, 2));
	in(t, IRET(2));
	difo_end(t);
	args = argset_add(t);
	for (i = 0; i < 4; i++) {
		clause_begin(t, DV_NONE);
		if (flags[i] == 0)
			act_trace(t, i);
		else
			act_add(t, DV_ACT_EXPR, i);
		p = probe_add(t, "p", 0);
		ecb_add(t, p, clause_end(t, flags[i]));
		(void)rule_add(t, DV_RULE_FIRE, p, args);
		site_add(t, 1);
	}
	tb_go(t);
}

static uint64_t
get(struct tb *t, unsigned vcpu, uint32_t site, uint64_t arg)
{
	struct dv_snap snap;
	const uint64_t *r;

	dv_sim_reg(t->sim, vcpu)[DV_REG_RDI] = arg;
	dv_sim_hit(t->sim, vcpu, site);
	r = (const void *)dv_sim_snap(t->sim, vcpu, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(snap.len, 24);
	return r[2];
}

static void
set(struct tb *t, unsigned vcpu, uint32_t site, uint64_t a, uint64_t b)
{
	dv_sim_reg(t->sim, vcpu)[DV_REG_RDI] = a;
	dv_sim_reg(t->sim, vcpu)[DV_REG_RSI] = b;
	dv_sim_hit(t->sim, vcpu, site);
}

static struct dv_status
status(struct tb *t)
{
	struct dv_status st;

	dv_status(dv_sim_state(t->sim), &st);
	return st;
}

TEST(a_thread_local_belongs_to_thread_and_level)
{
	uint64_t a, b;
	struct tb t;

	dyn_init(&t, 2, 1 << 20);
	a = dv_sim_task(t.sim, 1, 1, "a", 0);
	b = dv_sim_task(t.sim, 2, 2, "b", 0);
	dv_sim_current(t.sim, 0, a);
	set(&t, 0, SET, 5, 0);
	EXPECT_EQ(get(&t, 0, GET, 0), 5);
	dv_sim_preempt_count(t.sim, 0, 0x10000);	/* hardirq: another key */
	EXPECT_EQ(get(&t, 0, GET, 0), 0);
	set(&t, 0, SET, 6, 0);
	dv_sim_preempt_count(t.sim, 0, 0x201);		/* softirqs disabled: none */
	EXPECT_EQ(get(&t, 0, GET, 0), 5);
	dv_sim_current(t.sim, 0, b);
	EXPECT_EQ(get(&t, 0, GET, 0), 0);
	dv_sim_current(t.sim, 1, a);			/* it moved */
	EXPECT_EQ(get(&t, 1, GET, 0), 5);
	tb_fini(&t);
}

/* Set and clear on and on: no cleaning is needed, and nothing is dropped. */
TEST(a_freed_variable_is_revived)
{
	struct tb t;
	int i;

	dyn_init(&t, 1, 8);			/* one chunk */
	dv_sim_current(t.sim, 0, dv_sim_task(t.sim, 1, 1, "a", 0));
	for (i = 1; i < 1000; i++) {
		set(&t, 0, SET, (uint64_t)i, 0);
		EXPECT_EQ(get(&t, 0, GET, 0), i);
		set(&t, 0, SET, 0, 0);
		EXPECT_EQ(get(&t, 0, GET, 0), 0);
	}
	EXPECT_EQ(status(&t).dyn_drops + status(&t).dyn_dirty_drops, 0);
	tb_fini(&t);
}

TEST(drops_by_kind_and_cleaning)
{
	struct tb t;

	dyn_init(&t, 1, 8);
	set(&t, 0, ASET, 1, 10);
	set(&t, 0, ASET, 2, 20);			/* full, nothing dirty */
	EXPECT_EQ(status(&t).dyn_drops, 1);
	EXPECT_EQ(get(&t, 0, AGET, 2), 0);
	set(&t, 0, ASET, 1, 0);
	set(&t, 0, ASET, 2, 20);			/* full, one to be cleaned */
	EXPECT_EQ(status(&t).dyn_dirty_drops, 1);
	dv_sim_clean(t.sim);
	set(&t, 0, ASET, 2, 20);
	EXPECT_EQ(get(&t, 0, AGET, 2), 20);
	EXPECT_EQ(get(&t, 0, AGET, 1), 0);
	EXPECT_EQ(status(&t).dyn_drops, 1);
	EXPECT_EQ(status(&t).dyn_dirty_drops, 1);
	tb_fini(&t);
}

TEST(many_elements)
{
	struct tb t;
	uint64_t i;

	dyn_init(&t, 1, 64 << 20);
	for (i = 0; i < 5000; i++)
		set(&t, 0, ASET, i, i * 3 + 1);
	for (i = 0; i < 5000; i += 7)
		EXPECT_EQ(get(&t, 0, AGET, i), i * 3 + 1);
	for (i = 0; i < 5000; i += 2)
		set(&t, 0, ASET, i, 0);
	dv_sim_clean(t.sim);
	for (i = 0; i < 5000; i++)
		EXPECT_EQ(get(&t, 0, AGET, i), i % 2 ? i * 3 + 1 : 0);
	EXPECT_EQ(status(&t).dyn_drops, 0);
	tb_fini(&t);
}

/* Two vCPUs churn few keys while a third party cleans. */
static void
churn(struct dv_sim *sim, unsigned vcpu, unsigned i, void *arg)
{
	uint64_t *reg = dv_sim_reg(sim, vcpu);
	uint32_t x = i * 2654435761u ^ vcpu;

	(void)arg;
	if (vcpu == 2) {
		if (i % 20 == 0)
			dv_sim_clean(sim);
		return;
	}
	reg[DV_REG_RDI] = (x >> 8) % 61 + 1;
	reg[DV_REG_RSI] = (x >> 20) % 3 == 0 ? 0 : reg[DV_REG_RDI] * 1000 + 1;
	dv_sim_hit(sim, vcpu, ASET);
}

TEST(churn_keeps_keys_apart_and_loses_no_chunk)
{
	uint64_t i, v, n = 0;
	struct dv_account a;
	struct tb t;

	dyn_init(&t, 3, 4096);		/* some 30 chunks for 61 keys */
	dv_sim_threads(t.sim, 60000, churn, NULL);
	for (i = 1; i <= 61; i++) {
		v = get(&t, 0, AGET, i);
		EXPECT(v == 0 || v == i * 1000 + 1);
	}
	expect_account(&t, ASET, &a);
	EXPECT_EQ(a.fired, 120000);
	/* all freed and cleaned, the whole pool can be used again */
	for (i = 1; i <= 61; i++)
		set(&t, 0, ASET, i, 0);
	dv_sim_clean(t.sim);
	dv_sim_clean(t.sim);
	for (i = 1000; i < 2000; i++)
		set(&t, 0, ASET, i, 1);
	for (i = 1000; i < 2000; i++)
		n += get(&t, 0, AGET, i);
	{
		struct tb u;
		uint64_t m = 0;

		dyn_init(&u, 3, 4096);
		for (i = 1000; i < 2000; i++)
			set(&u, 0, ASET, i, 1);
		for (i = 1000; i < 2000; i++)
			m += get(&u, 0, AGET, i);
		EXPECT_EQ(n, m);
		tb_fini(&u);
	}
	tb_fini(&t);
}

/* Unlinked, but a CPU may still be looking at it: "rinsing", a kind of its own. */
TEST(drops_while_rinsing)
{
	struct dv_dynpool *p;
	struct tb t;

	dyn_init(&t, 1, 8);			/* one chunk */
	p = &dv_sim_state(t.sim)->dyn;
	set(&t, 0, ASET, 1, 10);
	set(&t, 0, ASET, 1, 0);
	EXPECT(dv_dyn_unlink(p));
	set(&t, 0, ASET, 2, 20);
	EXPECT_EQ(status(&t).dyn_rinsing_drops, 1);
	EXPECT_EQ(status(&t).dyn_dirty_drops + status(&t).dyn_drops, 0);
	dv_dyn_release(p);
	set(&t, 0, ASET, 2, 20);
	EXPECT_EQ(get(&t, 0, AGET, 2), 20);
	EXPECT_EQ(status(&t).dyn_rinsing_drops, 1);
	tb_fini(&t);
}

/* Each CPU takes from its own share first, and then all that others have. */
TEST(shares_are_one_pool)
{
	struct dv_dynpool *p;
	uint64_t i, v;
	struct tb t;

	dyn_init(&t, 3, 8192);
	p = &dv_sim_state(t.sim)->dyn;
	EXPECT(p->nchunks > 8);
	for (v = 0; v < 3; v++) {
		for (i = 0; i < p->nchunks; i++)
			set(&t, (unsigned)v, ASET, 100 * v + i, v + 1);
		EXPECT_EQ(status(&t).dyn_drops, 0);
		set(&t, (unsigned)v, ASET, 999, 1);
		EXPECT_EQ(status(&t).dyn_drops, 1);
		for (i = 0; i < p->nchunks; i++) {
			EXPECT_EQ(get(&t, (unsigned)v, AGET, 100 * v + i), v + 1);
			set(&t, (unsigned)v, ASET, 100 * v + i, 0);
		}
		dv_sim_clean(t.sim);
		if (v < 2) {			/* counters begin anew */
			tb_fini(&t);
			dyn_init(&t, 3, 8192);
			p = &dv_sim_state(t.sim)->dyn;
		}
	}
	tb_fini(&t);
}

TEST_MAIN()
