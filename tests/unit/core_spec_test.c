/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_spec_test.c - speculations: states, cleaning, drops, accounts. */
#include "core_help.h"

#include <sched.h>

/*
 * Probes, a site each: open { global = speculation() }, say { speculate(ID);
 * trace(arg0) }, commit, discard { ...(ID) }, and forge { commit(99) }. ID is
 * arg1, or where that is 0 the global.
 */
enum { OPEN, SAY, COMMIT, DISCARD, FORGE };

static void
spec_init(struct tb *t, unsigned nvcpu, unsigned nspec, unsigned specsize)
{
	static const char *const name[] = { "open", "say", "commit", "discard", "forge" };
	uint32_t get, p, i, args;
	uint16_t g;

	tb_init(t, nvcpu);
	t->b.opts[DV_OPT_NSPEC] = nspec;
	t->b.opts[DV_OPT_SPECSIZE] = specsize;
	g = var_add(t, DV_VS_GLOBAL, 0, DV_T_INT, 8, 0);
	difo_begin(t);
	in(t, IW(CALL, DIF_SUBR_SPECULATION, 1));
	in(t, IW(STGS, g, 1));
	in(t, IRET(1));
	difo_end(t);				/* 0 */
	difo_begin(t);
	in(t, IW(LDGS, DIF_VAR_ARG1, 1));
	in(t, I3(TST, 1, 0, 0));
	in(t, IB(BNE, 4));
	in(t, IW(LDGS, g, 1));
	in(t, IRET(1));
	get = difo_end(t);			/* 1 */
	difo_var(t, DIF_VAR_ARG0);		/* 2 */
	difo_const(t, 99);			/* 3 */
	clause_begin(t, DV_NONE);
	act_trace(t, 0);
	clause_end(t, 0);
	clause_begin(t, DV_NONE);
	act_add(t, DV_ACT_SPECULATE, get);
	act_trace(t, 2);
	clause_end(t, DV_CL_SPECULATES);
	clause_begin(t, DV_NONE);
	act_add(t, DV_ACT_COMMIT, get);
	clause_end(t, DV_CL_NOREC | DV_CL_COMMITS);
	clause_begin(t, DV_NONE);
	act_add(t, DV_ACT_DISCARD, get);
	clause_end(t, DV_CL_NOREC);
	clause_begin(t, DV_NONE);
	act_add(t, DV_ACT_COMMIT, 3);
	clause_end(t, DV_CL_NOREC | DV_CL_COMMITS);
	args = argset_add(t);
	for (i = 0; i < 5; i++) {
		p = probe_add(t, name[i], 0);
		ecb_add(t, p, i);
		(void)rule_add(t, DV_RULE_FIRE, p, args);
		site_add(t, 1);
	}
	tb_go(t);
}

static void
say(struct tb *t, unsigned vcpu, uint64_t v)
{
	dv_sim_reg(t->sim, vcpu)[DV_REG_RDI] = v;
	dv_sim_hit(t->sim, vcpu, SAY);
}

/* speculation()'s value, from its record on vCPU 0. */
static uint64_t
open_spec(struct tb *t)
{
	struct dv_snap snap;
	const uint8_t *p;

	dv_sim_snap(t->sim, 0, DV_BUF_PRINCIPAL, &snap);
	dv_sim_hit(t->sim, 0, OPEN);
	p = dv_sim_snap(t->sim, 0, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(snap.len, 24);
	return ((const uint64_t *)p)[2];
}

static size_t
records(struct tb *t, unsigned cpu)
{
	struct dv_snap snap;

	dv_sim_snap(t->sim, cpu, DV_BUF_PRINCIPAL, &snap);
	return snap.len / 24;
}

static struct dv_account
account(struct tb *t)
{
	struct dv_account a;

	expect_account(t, SAY, &a);
	return a;
}

TEST(commit_on_the_only_cpu_is_at_once)
{
	struct dv_snap snap;
	const uint64_t *r;
	struct tb t;

	spec_init(&t, 2, 1, 1024);
	EXPECT_EQ(open_spec(&t), 1);
	dv_sim_clock(t.sim, 100);
	say(&t, 0, 7);
	say(&t, 0, 8);
	EXPECT_EQ(account(&t).speculated, 2);
	EXPECT_EQ(records(&t, 0), 0);
	dv_sim_clock(t.sim, 200);
	dv_sim_hit(t.sim, 0, COMMIT);
	r = (const void *)dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(snap.len, 48);
	EXPECT_EQ(r[1], 200);			/* the commit's time */
	EXPECT_EQ(r[2], 7);
	EXPECT_EQ(r[4], 200);
	EXPECT_EQ(r[5], 8);
	EXPECT_EQ(account(&t).recorded, 2);
	EXPECT_EQ(account(&t).speculated, 0);
	EXPECT_EQ(open_spec(&t), 1);		/* free again */
	tb_fini(&t);
}

TEST(commit_of_many_leaves_the_rest_to_cleaning)
{
	struct dv_status st;
	struct dv_snap snap;
	const uint64_t *r;
	struct tb t;

	spec_init(&t, 2, 1, 1024);
	EXPECT_EQ(open_spec(&t), 1);
	say(&t, 0, 1);
	say(&t, 1, 2);
	dv_sim_clock(t.sim, 300);
	dv_sim_hit(t.sim, 0, COMMIT);
	EXPECT_EQ(records(&t, 0), 1);
	EXPECT_EQ(records(&t, 1), 0);
	dv_sim_snap(t.sim, 1, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(snap.pending, 300);		/* its part is still to come */
	say(&t, 1, 3);				/* committing: silently refused */
	EXPECT_EQ(account(&t).spec_refused, 1);
	EXPECT_EQ(open_spec(&t), 0);
	dv_status(dv_sim_state(t.sim), &st);
	EXPECT_EQ(st.spec_busy, 1);
	EXPECT_EQ(st.spec_unavail, 0);
	dv_sim_clock(t.sim, 400);
	dv_sim_clean(t.sim);
	r = (const void *)dv_sim_snap(t.sim, 1, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(snap.len, 24);
	EXPECT_EQ(snap.pending, ~(uint64_t)0);
	EXPECT_EQ(r[1], 300);
	EXPECT_EQ(r[2], 2);
	EXPECT_EQ(open_spec(&t), 1);
	EXPECT_EQ(account(&t).recorded, 2);
	tb_fini(&t);
}

TEST(commit_from_another_cpu)
{
	struct tb t;

	spec_init(&t, 2, 1, 1024);
	EXPECT_EQ(open_spec(&t), 1);
	say(&t, 1, 2);
	dv_sim_hit(t.sim, 0, COMMIT);
	EXPECT_EQ(records(&t, 0) + records(&t, 1), 0);
	dv_sim_hit(t.sim, 0, COMMIT);		/* once more: silent */
	dv_sim_hit(t.sim, 0, DISCARD);
	dv_sim_clean(t.sim);
	EXPECT_EQ(records(&t, 1), 1);
	tb_fini(&t);
}

TEST(discard)
{
	struct dv_account a;
	struct tb t;

	spec_init(&t, 2, 1, 1024);
	EXPECT_EQ(open_spec(&t), 1);		/* active on its CPU only: at once */
	say(&t, 0, 1);
	dv_sim_hit(t.sim, 0, DISCARD);
	EXPECT_EQ(account(&t).spec_discarded, 1);
	EXPECT_EQ(open_spec(&t), 1);		/* on two: by cleaning */
	say(&t, 0, 1);
	say(&t, 1, 2);
	dv_sim_hit(t.sim, 0, DISCARD);
	EXPECT_EQ(account(&t).spec_discarded, 2);
	EXPECT_EQ(open_spec(&t), 0);
	dv_sim_clean(t.sim);
	EXPECT_EQ(open_spec(&t), 1);		/* on another */
	say(&t, 1, 2);
	dv_sim_hit(t.sim, 0, DISCARD);
	dv_sim_clean(t.sim);
	EXPECT_EQ(open_spec(&t), 1);		/* never used: at once, either way */
	dv_sim_hit(t.sim, 1, DISCARD);
	EXPECT_EQ(open_spec(&t), 1);
	dv_sim_hit(t.sim, 1, COMMIT);
	EXPECT_EQ(open_spec(&t), 1);
	a = account(&t);
	EXPECT_EQ(a.fired, 4);
	EXPECT_EQ(a.spec_discarded, 4);
	EXPECT_EQ(records(&t, 1), 0);
	tb_fini(&t);
}

TEST(none_free_is_not_busy)
{
	struct dv_status st;
	struct tb t;

	spec_init(&t, 1, 2, 1024);
	EXPECT_EQ(open_spec(&t), 1);
	EXPECT_EQ(open_spec(&t), 2);
	EXPECT_EQ(open_spec(&t), 0);
	dv_status(dv_sim_state(t.sim), &st);
	EXPECT_EQ(st.spec_busy, 0);
	EXPECT_EQ(st.spec_unavail, 1);
	say(&t, 0, 1);				/* id 0: silent */
	EXPECT_EQ(account(&t).spec_refused, 1);
	dv_sim_hit(t.sim, 0, COMMIT);
	dv_sim_hit(t.sim, 0, DISCARD);
	dv_status(dv_sim_state(t.sim), &st);
	EXPECT_EQ(st.errors, 0);
	tb_fini(&t);
}

TEST(an_id_that_cannot_be_is_illegal)
{
	const struct dv_fault_rec *f;
	struct dv_snap snap;
	struct tb t;

	spec_init(&t, 1, 1, 1024);
	dv_sim_hit(t.sim, 0, FORGE);
	f = (const void *)dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(f->epid, DV_EPID_FAULT);
	EXPECT_EQ(f->fault, DV_FAULT_ILLOP);
	tb_fini(&t);
}

TEST(full_is_a_speculative_drop_and_does_not_prevent_the_commit)
{
	struct dv_status st;
	struct tb t;
	int i;

	spec_init(&t, 1, 1, 50);
	EXPECT_EQ(open_spec(&t), 1);
	for (i = 0; i < 5; i++)
		say(&t, 0, 1);
	dv_status(dv_sim_state(t.sim), &st);
	EXPECT_EQ(st.spec_drops, 3);
	dv_sim_hit(t.sim, 0, COMMIT);
	EXPECT_EQ(records(&t, 0), 2);
	EXPECT_EQ(account(&t).spec_dropped, 3);
	tb_fini(&t);
}

TEST(a_commit_that_does_not_fit_is_dropped_whole)
{
	struct dv_account a;
	struct dv_status st;
	struct tb t;
	int i;

	spec_init(&t, 1, 1, 90000);
	EXPECT_EQ(open_spec(&t), 1);
	for (i = 0; i < 3000; i++)		/* 72000 bytes into 65536 */
		say(&t, 0, 1);
	dv_sim_hit(t.sim, 0, COMMIT);
	EXPECT_EQ(records(&t, 0), 0);
	a = account(&t);
	EXPECT_EQ(a.dropped, 3000);
	dv_status(dv_sim_state(t.sim), &st);
	EXPECT_EQ(st.principal_drops, 3000);
	EXPECT_EQ(open_spec(&t), 1);
	tb_fini(&t);
}

TEST(stop_finishes_commits)
{
	struct tb t;

	spec_init(&t, 2, 1, 1024);
	EXPECT_EQ(open_spec(&t), 1);
	say(&t, 1, 2);
	dv_sim_hit(t.sim, 0, COMMIT);
	dv_sim_stop(t.sim);
	EXPECT_EQ(records(&t, 1), 1);
	EXPECT_EQ(account(&t).recorded, 1);
	tb_fini(&t);
}

/* Two vCPUs open, speculate, commit and discard at random; a third party cleans. */
static void
anything(struct dv_sim *sim, unsigned vcpu, unsigned i, void *arg)
{
	static const uint32_t what[] = { OPEN, SAY, SAY, SAY, COMMIT, SAY, DISCARD, SAY };
	uint32_t x = (i * 2654435761u) ^ (vcpu * 40503u);

	(void)arg;
	if (vcpu == 2) {
		/* every time, so that it lasts as long as the vCPUs do */
		dv_sim_clean(sim);
		if (i % 100 == 0) {
			struct dv_snap snap;

			dv_sim_snap(sim, i / 100 % 2, DV_BUF_PRINCIPAL, &snap);
			sched_yield();
		}
		return;
	}
	dv_sim_reg(sim, vcpu)[DV_REG_RSI] = 1 + (x >> 20) % 2;
	dv_sim_hit(sim, vcpu, what[(x >> 13) % 8]);
}

TEST(accounts_hold_under_a_storm)
{
	struct dv_account a, before;
	uint64_t id;
	struct tb t;
	unsigned i;

	spec_init(&t, 3, 2, 512);
	dv_sim_threads(t.sim, 30000, anything, NULL);
	before = account(&t);
	EXPECT(before.fired > 10000);
	/* what the threads met is chance; nothing is stuck afterwards */
	for (i = 1; i <= 2; i++) {
		dv_sim_reg(t.sim, 0)[DV_REG_RSI] = i;
		dv_sim_hit(t.sim, 0, DISCARD);
	}
	dv_sim_clean(t.sim);
	dv_sim_clean(t.sim);
	before = account(&t);
	id = open_spec(&t);
	EXPECT(id == 1 || id == 2);
	dv_sim_reg(t.sim, 0)[DV_REG_RSI] = id;
	say(&t, 0, id);
	dv_sim_hit(t.sim, 0, COMMIT);
	a = account(&t);
	EXPECT_EQ(a.recorded, before.recorded + 1);
	dv_sim_stop(t.sim);
	expect_account(&t, OPEN, NULL);
	expect_account(&t, COMMIT, NULL);
	tb_fini(&t);
}

TEST_MAIN()
