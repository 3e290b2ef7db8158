/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core_state_test.c - the life of an enabling: BEGIN, firings, exit(), END;
 * buffers, faults, rules and accounts.
 */
#include <pthread.h>
#include <sched.h>

#include "core_help.h"
#include "core/state_impl.h"

/* The EPIDs of a CPU's records, as far as they go; 0 ends. */
static void
epids(struct tb *t, unsigned cpu, uint32_t *ret, size_t max)
{
	struct dv_snap snap;
	const uint8_t *p = dv_sim_snap(t->sim, cpu, DV_BUF_PRINCIPAL, &snap);
	uint64_t off = 0;
	size_t n = 0;

	while (off < snap.len && n < max - 1) {
		const struct dv_rec *r = (const void *)(p + off);

		ret[n++] = r->epid;
		off += r->epid == DV_EPID_FAULT ? sizeof(struct dv_fault_rec) :
		    16 + ((t->b.clauses.v[t->b.ecbs.v[r->epid - 1].clause].record_size +
		    7u) & ~7u);
	}
	EXPECT_EQ(off, snap.len);
	ret[n] = 0;
}

/* Is any clause still able to fire? */
static bool
active(struct tb *t)
{
	return dv_load32(&dv_sim_state(t->sim)->life) == DV_LIFE_ACTIVE;
}

static uint32_t
empty_clause(struct tb *t)
{
	clause_begin(t, DV_NONE);
	return clause_end(t, DV_CL_DEFAULT);
}

static uint32_t
exit_clause(struct tb *t, int32_t status)
{
	uint32_t d = difo_const(t, (uint64_t)(int64_t)status);

	clause_begin(t, DV_NONE);
	act_rec(t, DV_ACT_EXIT, d, DV_T_INT, 4);
	return clause_end(t, 0);
}

static struct dv_status
status(struct tb *t)
{
	struct dv_status st;

	dv_status(dv_sim_state(t->sim), &st);
	return st;
}

TEST(begin_then_probes_then_end)
{
	uint32_t e[8], site;
	struct tb t;

	tb_init(&t, 2);
	ecb_add(&t, probe_add(&t, "BEGIN", DV_PF_BEGIN), empty_clause(&t));
	ecb_add(&t, probe_add(&t, "END", DV_PF_END), empty_clause(&t));
	site = simple_site(&t, empty_clause(&t));
	EXPECT_EQ(tb_load(&t), 0);
	dv_sim_hit(t.sim, 0, site);		/* before go: nothing */
	EXPECT(!active(&t));
	dv_sim_go(t.sim);
	EXPECT(active(&t));
	dv_sim_hit(t.sim, 0, site);
	dv_sim_hit(t.sim, 1, site);
	dv_sim_hit(t.sim, 7, site);		/* no such vCPU */
	dv_sim_hit(t.sim, 0, 9);		/* no such site */
	dv_sim_stop(t.sim);
	EXPECT(!active(&t));
	dv_sim_hit(t.sim, 0, site);
	epids(&t, 2, e, 8);
	EXPECT_EQ(e[0], 1);
	EXPECT_EQ(e[1], 2);
	EXPECT_EQ(e[2], 0);
	epids(&t, 0, e, 8);
	EXPECT_EQ(e[0], 3);
	EXPECT_EQ(e[1], 0);
	epids(&t, 1, e, 8);
	EXPECT_EQ(e[0], 3);
	EXPECT_EQ(e[1], 0);
	EXPECT_EQ(status(&t).fired, 4);
	tb_fini(&t);
}

TEST(exit_ends_all_but_its_clause_and_end)
{
	struct dv_account a;
	uint32_t e[8], site, p, d;
	struct tb t;

	tb_init(&t, 1);
	ecb_add(&t, probe_add(&t, "END", DV_PF_END), empty_clause(&t));
	p = probe_add(&t, "p", 0);
	d = difo_const(&t, 3);
	clause_begin(&t, DV_NONE);		/* exit(3); trace(3) */
	act_rec(&t, DV_ACT_EXIT, d, DV_T_INT, 4);
	act_trace(&t, d);
	ecb_add(&t, p, clause_end(&t, 0));
	ecb_add(&t, p, empty_clause(&t));
	(void)rule_add(&t, DV_RULE_FIRE, p, DV_NONE);
	site = site_add(&t, 1);
	tb_go(&t);
	dv_sim_hit(t.sim, 0, site);
	EXPECT(!active(&t));
	dv_sim_hit(t.sim, 0, site);
	dv_sim_stop(t.sim);
	epids(&t, 0, e, 8);
	EXPECT_EQ(e[0], 2);
	EXPECT_EQ(e[1], 0);
	epids(&t, 1, e, 8);
	EXPECT_EQ(e[0], 1);
	EXPECT_EQ(status(&t).exiting, 1);
	EXPECT_EQ(status(&t).exit_status, 3);
	expect_account(&t, 2, &a);
	EXPECT_EQ(a.fired, 1);
	EXPECT_EQ(a.after_exit, 1);
	tb_fini(&t);
}

TEST(exit_in_begin_suppresses_all_but_end)
{
	uint32_t e[8], site, b;
	struct tb t;

	tb_init(&t, 1);
	b = probe_add(&t, "BEGIN", DV_PF_BEGIN);
	ecb_add(&t, b, exit_clause(&t, 1));
	ecb_add(&t, b, empty_clause(&t));
	ecb_add(&t, probe_add(&t, "END", DV_PF_END), empty_clause(&t));
	site = simple_site(&t, empty_clause(&t));
	tb_go(&t);
	EXPECT(!active(&t));
	dv_sim_hit(t.sim, 0, site);
	dv_sim_stop(t.sim);
	epids(&t, 1, e, 8);
	EXPECT_EQ(e[0], 1);
	EXPECT_EQ(e[1], 3);
	EXPECT_EQ(e[2], 0);
	epids(&t, 0, e, 8);
	EXPECT_EQ(e[0], 0);
	tb_fini(&t);
}

TEST(exit_in_end_replaces_the_status)
{
	uint32_t e[8], end;
	struct tb t;

	tb_init(&t, 1);
	ecb_add(&t, probe_add(&t, "BEGIN", DV_PF_BEGIN), exit_clause(&t, 1));
	end = probe_add(&t, "END", DV_PF_END);
	ecb_add(&t, end, exit_clause(&t, -5));
	ecb_add(&t, end, empty_clause(&t));
	tb_go(&t);
	EXPECT_EQ(status(&t).exit_status, 1);
	dv_sim_stop(t.sim);
	EXPECT_EQ(status(&t).exit_status, -5);
	epids(&t, 1, e, 8);
	EXPECT_EQ(e[2], 3);
	tb_fini(&t);
}

TEST(a_record_that_does_not_fit_is_a_drop)
{
	struct dv_account a;
	struct dv_snap snap;
	uint32_t site, i;
	struct tb t;

	tb_init(&t, 1);
	t.b.opts[DV_OPT_BUFSIZE] = 100;		/* 96: four records of 24 */
	clause_begin(&t, DV_NONE);
	act_trace(&t, difo_var(&t, DIF_VAR_ARG0));
	site = simple_site(&t, clause_end(&t, 0));
	tb_go(&t);
	for (i = 0; i < 6; i++) {
		dv_sim_reg(t.sim, 0)[DV_REG_RDI] = i;
		dv_sim_hit(t.sim, 0, site);
	}
	EXPECT(dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap) != NULL);
	EXPECT_EQ(snap.len, 96);
	EXPECT_EQ(snap.drops, 2);
	dv_sim_hit(t.sim, 0, site);		/* the other half has room */
	EXPECT(dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap) != NULL);
	EXPECT_EQ(snap.len, 24);
	EXPECT_EQ(snap.drops, 2);
	expect_account(&t, 0, &a);
	EXPECT_EQ(a.fired, 7);
	EXPECT_EQ(a.recorded, 5);
	EXPECT_EQ(a.dropped, 2);
	tb_fini(&t);
}

TEST(a_record_larger_than_the_buffer_is_refused)
{
	struct tb t;

	tb_init(&t, 1);
	t.b.opts[DV_OPT_BUFSIZE] = 16;
	clause_begin(&t, DV_NONE);
	act_trace(&t, difo_var(&t, DIF_VAR_ARG0));
	simple_site(&t, clause_end(&t, 0));
	EXPECT_REFUSED(&t, "Enabling exceeds size of buffer");
	tb_fini(&t);
}

TEST(a_false_predicate_is_no_firing)
{
	struct dv_account a;
	uint32_t site, pred;
	struct tb t;

	tb_init(&t, 1);
	pred = difo_var(&t, DIF_VAR_ARG0);
	clause_begin(&t, pred);
	site = simple_site(&t, clause_end(&t, DV_CL_DEFAULT));
	tb_go(&t);
	dv_sim_hit(t.sim, 0, site);
	dv_sim_reg(t.sim, 0)[DV_REG_RDI] = 1;
	dv_sim_hit(t.sim, 0, site);
	expect_account(&t, 0, &a);
	EXPECT_EQ(a.fired, 1);
	EXPECT_EQ(a.untrue, 1);
	tb_fini(&t);
}

/* trace(0); trace(*NULL), and ERROR { trace(arg0..arg5) } */
TEST(a_fault_drops_the_record_and_fires_error)
{
	static const uint64_t want[] = { 0, 1, 2, 0, DV_FAULT_BADADDR, 0 };
	const struct dv_fault_rec *f;
	const uint64_t *r;
	struct dv_account a;
	struct dv_snap snap;
	uint32_t site, zero, bad, i, err;
	struct tb t;

	tb_init(&t, 1);
	zero = difo_const(&t, 0);
	difo_begin(&t);
	in(&t, I3(LDX, 0, 0, 1));
	in(&t, IRET(1));
	bad = difo_end(&t);
	clause_begin(&t, DV_NONE);
	act_trace(&t, zero);
	act_trace(&t, bad);
	site = simple_site(&t, clause_end(&t, 0));
	clause_begin(&t, DV_NONE);
	for (i = 0; i < 6; i++)
		act_trace(&t, difo_var(&t, DIF_VAR_ARG0 + i));
	err = probe_add(&t, "ERROR", DV_PF_ERROR);
	ecb_add(&t, err, clause_end(&t, 0));
	clause_begin(&t, bad);			/* faults in ERROR's predicate */
	ecb_add(&t, err, clause_end(&t, DV_CL_DEFAULT));
	tb_go(&t);
	dv_sim_hit(t.sim, 0, site);
	f = (const void *)dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(snap.len, sizeof(*f) + 16 + 48);
	EXPECT_EQ(snap.errors, 1);
	EXPECT_EQ(f->epid, DV_EPID_FAULT);
	EXPECT_EQ(f->failed, 1);
	EXPECT_EQ(f->action, 2);
	EXPECT_EQ(((const struct dv_rec *)(f + 1))->epid, 2);
	r = (const uint64_t *)((const uint8_t *)(f + 1) + 16);
	for (i = 0; i < 6; i++)
		EXPECT_EQ(r[i], want[i]);
	EXPECT_EQ(status(&t).errors, 1);
	EXPECT_EQ(status(&t).dblerrors, 1);
	expect_account(&t, 0, &a);
	EXPECT_EQ(a.faulted, 1);
	EXPECT_EQ(a.recorded, 0);
	expect_account(&t, 1, NULL);
	expect_account(&t, 2, &a);
	EXPECT_EQ(a.faulted, 1);
	tb_fini(&t);
}

/* printf's arguments count as actions, its head does not; keys come first. */
TEST(actions_are_numbered_as_in_d)
{
	const struct dv_fault_rec *f;
	uint32_t site, zero, bad, agg;
	struct dv_snap snap;
	struct dv_act *a;
	struct tb t;

	tb_init(&t, 1);
	zero = difo_const(&t, 0);
	difo_begin(&t);
	in(&t, I3(LDX, 0, 0, 1));
	in(&t, IRET(1));
	bad = difo_end(&t);
	clause_begin(&t, DV_NONE);
	a = act_add(&t, DV_ACT_PRINTF, DV_NONE);
	a->arg = dv_progb_str(&t.b, "%d %d");
	a->nargs = 2;
	act_trace(&t, zero);
	act_trace(&t, bad);
	site = simple_site(&t, clause_end(&t, 0));
	clause_begin(&t, DV_NONE);
	agg = agg_desc(&t, DV_AGG_SUM, 0, 2, 16, 1);
	a = act_add(&t, DV_ACT_AGG, bad);
	a->arg = agg;
	a->nargs = 2;
	act_trace(&t, zero);
	act_trace(&t, zero);
	t.rec = 0;
	ecb_add(&t, t.b.ecbs.v[0].probe, clause_end(&t, DV_CL_NOREC));
	tb_go(&t);
	dv_sim_hit(t.sim, 0, site);
	f = (const void *)dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(snap.len, 2 * sizeof(*f));
	EXPECT_EQ(f[0].action, 2);
	EXPECT_EQ(f[1].failed, 2);
	EXPECT_EQ(f[1].action, 3);
	tb_fini(&t);
}

TEST(a_predicate_fault_is_action_0)
{
	const struct dv_fault_rec *f;
	struct dv_snap snap;
	uint32_t site;
	struct tb t;

	tb_init(&t, 1);
	difo_begin(&t);
	in_int(&t, 0x10, 1);
	in(&t, I3(LDX, 1, 0, 1));
	in(&t, IRET(1));
	clause_begin(&t, difo_end(&t));
	site = simple_site(&t, clause_end(&t, DV_CL_DEFAULT));
	tb_go(&t);
	dv_sim_hit(t.sim, 0, site);
	f = (const void *)dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(f->action, 0);
	EXPECT_EQ(f->offset, 4);
	EXPECT_EQ(f->addr, 0x10);
	expect_account(&t, 0, NULL);
	tb_fini(&t);
}

/* A guard on raw arguments, a selector, arguments by DIFO, by RAW, by FAULT. */
TEST(rules_guard_select_and_compute)
{
	struct dv_argset raw, pub;
	const uint8_t *p;
	struct dv_snap snap;
	struct dv_rule *r;
	struct dv_status st;
	uint32_t a, b, site, guard, twice;
	struct tb t;

	tb_init(&t, 1);
	guard = difo_var(&t, DIF_VAR_ARG0);	/* of the raw set: %rdi */
	difo_begin(&t);
	in(&t, IW(LDGS, DIF_VAR_ARG1, 1));
	in(&t, I3(ADD, 1, 1, 1));
	in(&t, IRET(1));
	twice = difo_end(&t);
	a = probe_add(&t, "a", 0);
	b = probe_add(&t, "b", 0);
	clause_begin(&t, DV_NONE);
	act_trace(&t, difo_var(&t, DIF_VAR_ARG0));
	act_trace(&t, difo_var(&t, DIF_VAR_ARG1));
	ecb_add(&t, a, clause_end(&t, 0));
	ecb_add(&t, b, 0);
	clause_begin(&t, DV_NONE);
	act_trace(&t, difo_var(&t, DIF_VAR_ARG2));
	ecb_add(&t, b, clause_end(&t, 0));
	memset(&raw, 0, sizeof(raw));
	memset(&pub, 0, sizeof(pub));
	raw.arg[0] = (struct dv_loc){ .kind = DV_LOC_REG, .reg = DV_REG_RDI };
	raw.arg[1] = (struct dv_loc){ .kind = DV_LOC_MEM, .reg = DV_REG_RSI, .disp = 8,
	    .size = 4, .sign = 1 };
	pub.arg[0] = (struct dv_loc){ .kind = DV_LOC_RAW, .reg = 1 };
	pub.arg[1] = (struct dv_loc){ .kind = DV_LOC_DIFO, .value = twice };
	pub.arg[2] = (struct dv_loc){ .kind = DV_LOC_FAULT };
	EXPECT_EQ(dv_vec_push(&t.b.argsets, raw), 0);
	EXPECT_EQ(dv_vec_push(&t.b.argsets, pub), 0);
	EXPECT_EQ(dv_vec_push(&t.b.select, a), 0);
	EXPECT_EQ(dv_vec_push(&t.b.select, DV_NONE), 0);
	EXPECT_EQ(dv_vec_push(&t.b.select, b), 0);
	r = rule_add(&t, DV_RULE_FIRE, 0, 1);
	r->nselect = 3;
	r->guard = guard;
	r->raw = 0;
	r->sel = (struct dv_loc){ .kind = DV_LOC_REG, .reg = DV_REG_RDX };
	site = site_add(&t, 1);
	tb_go(&t);
	dv_sim_write64(t.sim, DV_SIM_TEXT + 8, (uint32_t)-7);
	dv_sim_reg(t.sim, 0)[DV_REG_RSI] = DV_SIM_TEXT;
	dv_sim_hit(t.sim, 0, site);		/* guard: no */
	EXPECT(dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap) != NULL);
	EXPECT_EQ(snap.len, 0);
	dv_sim_reg(t.sim, 0)[DV_REG_RDI] = 1;
	dv_sim_hit(t.sim, 0, site);		/* a */
	p = dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(snap.len, 32);
	EXPECT_EQ(((const uint64_t *)p)[2], -7ull);
	EXPECT_EQ(((const uint64_t *)p)[3], -14ull);
	dv_sim_reg(t.sim, 0)[DV_REG_RDX] = 1;
	dv_sim_hit(t.sim, 0, site);		/* none */
	dv_sim_reg(t.sim, 0)[DV_REG_RDX] = 3;
	dv_sim_hit(t.sim, 0, site);		/* out of the selection */
	EXPECT(dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap) != NULL);
	EXPECT_EQ(snap.len, 0);
	dv_sim_reg(t.sim, 0)[DV_REG_RDX] = 2;
	dv_sim_hit(t.sim, 0, site);		/* b, whose arg2 faults */
	p = dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(snap.len, 32 + sizeof(struct dv_fault_rec));
	EXPECT_EQ(((const struct dv_fault_rec *)(p + 32))->fault, DV_FAULT_BADADDR);
	dv_status(dv_sim_state(t.sim), &st);
	EXPECT_EQ(st.rule_drops, 0);
	dv_sim_reg(t.sim, 0)[DV_REG_RSI] = 0;	/* raw arg1 cannot be read */
	dv_sim_reg(t.sim, 0)[DV_REG_RDX] = 0;
	dv_sim_hit(t.sim, 0, site);
	p = dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(((const struct dv_fault_rec *)p)->epid, DV_EPID_FAULT);
	tb_fini(&t);
}

/* f tail-jumps to g: f's return fires when g returns to the same slot. */
TEST(pending_returns_fire_newest_first)
{
	uint32_t e[8], f, g, h, jump, jump2, ret;
	struct dv_status st;
	struct dv_rule *r;
	uint64_t stack;
	struct tb t;

	tb_init(&t, 2);
	f = probe_add(&t, "f", 0);
	g = probe_add(&t, "g", 0);
	h = probe_add(&t, "h", 0);
	clause_begin(&t, DV_NONE);
	act_trace(&t, difo_var(&t, DIF_VAR_ARG1));
	ecb_add(&t, f, clause_end(&t, 0));
	ecb_add(&t, g, 0);
	ecb_add(&t, h, 0);
	r = rule_add(&t, DV_RULE_TAIL, f, DV_NONE);
	r->retval = 1;
	jump = site_add(&t, 1);
	r = rule_add(&t, DV_RULE_TAIL, g, DV_NONE);
	r->retval = 1;
	jump2 = site_add(&t, 1);
	r = rule_add(&t, DV_RULE_RET, h, DV_NONE);
	r->retval = 1;
	ret = site_add(&t, 1);
	tb_go(&t);
	stack = dv_sim_alloc(t.sim, 64);
	dv_sim_write64(t.sim, stack, 0xffffffff81000123ull);
	dv_sim_reg(t.sim, 0)[DV_REG_RSP] = stack;
	dv_sim_hit(t.sim, 0, jump);
	dv_sim_hit(t.sim, 0, jump2);
	dv_sim_reg(t.sim, 1)[DV_REG_RSP] = stack;	/* the thread moved */
	dv_sim_reg(t.sim, 1)[DV_REG_RAX] = 99;
	dv_sim_hit(t.sim, 1, ret);
	epids(&t, 1, e, 8);
	EXPECT_EQ(e[0], 3);
	EXPECT_EQ(e[1], 2);
	EXPECT_EQ(e[2], 1);
	EXPECT_EQ(e[3], 0);
	dv_sim_hit(t.sim, 1, ret);			/* nothing is left */
	epids(&t, 1, e, 8);
	EXPECT_EQ(e[0], 3);
	EXPECT_EQ(e[1], 0);
	dv_sim_hit(t.sim, 0, jump);			/* the stack is abandoned */
	dv_sim_write64(t.sim, stack, 0xffffffff81000456ull);
	dv_sim_hit(t.sim, 1, ret);
	epids(&t, 1, e, 8);
	EXPECT_EQ(e[1], 0);
	dv_status(dv_sim_state(t.sim), &st);
	EXPECT_EQ(st.rule_drops, 1);
	tb_fini(&t);
}

/* A conditional tail jump that is not taken leaves nothing behind. */
TEST(untaken_tail_jump_is_forgotten)
{
	uint32_t e[8], f, g, jump, after, after_g, ret;
	struct dv_status st;
	uint64_t stack;
	struct tb t;

	tb_init(&t, 1);
	f = probe_add(&t, "f", 0);
	g = probe_add(&t, "g", 0);
	clause_begin(&t, DV_NONE);
	ecb_add(&t, f, clause_end(&t, DV_CL_DEFAULT));
	ecb_add(&t, g, 0);
	(void)rule_add(&t, DV_RULE_TAIL, f, DV_NONE);
	jump = site_add(&t, 1);
	(void)rule_add(&t, DV_RULE_UNTAIL, f, DV_NONE);
	after = site_add(&t, 1);
	(void)rule_add(&t, DV_RULE_UNTAIL, g, DV_NONE);
	after_g = site_add(&t, 1);
	(void)rule_add(&t, DV_RULE_RET, g, DV_NONE);
	ret = site_add(&t, 1);
	tb_go(&t);
	stack = dv_sim_alloc(t.sim, 64);
	dv_sim_write64(t.sim, stack, 0xffffffff81000123ull);
	dv_sim_reg(t.sim, 0)[DV_REG_RSP] = stack;
	dv_sim_hit(t.sim, 0, after);			/* nothing to forget */
	dv_sim_hit(t.sim, 0, jump);
	dv_sim_hit(t.sim, 0, after);
	dv_sim_hit(t.sim, 0, ret);
	epids(&t, 0, e, 8);
	EXPECT_EQ(e[0], 2);
	EXPECT_EQ(e[1], 0);
	dv_sim_hit(t.sim, 0, jump);			/* taken */
	dv_sim_hit(t.sim, 0, after_g);			/* another function's jump */
	dv_sim_hit(t.sim, 0, ret);
	epids(&t, 0, e, 8);
	EXPECT_EQ(e[0], 2);
	EXPECT_EQ(e[1], 1);
	EXPECT_EQ(e[2], 0);
	dv_status(dv_sim_state(t.sim), &st);
	EXPECT_EQ(st.rule_drops, 0);
	tb_fini(&t);
}

/*
 * Two sites of group 1, one of none, and one where the group may go: if rdi is not
 * 0. `check`: a DIFO, is the group still there at go?
 */
static void
group_sites(struct tb *t, uint32_t *in_group, uint32_t *other, uint32_t *gone, uint64_t check)
{
	uint32_t f, raw;
	struct dv_rule *r;

	tb_init(t, 1);
	f = probe_add(t, "f", 0);
	clause_begin(t, DV_NONE);
	ecb_add(t, f, clause_end(t, DV_CL_DEFAULT));
	(void)difo_var(t, DIF_VAR_ARG0);
	(void)difo_const(t, check);
	raw = argset_add(t);
	(void)rule_add(t, DV_RULE_FIRE, f, DV_NONE);
	*in_group = site_add(t, 1);
	t->b.sites.v[*in_group].group = 1;
	(void)rule_add(t, DV_RULE_FIRE, f, DV_NONE);
	*other = site_add(t, 1);
	r = rule_add(t, DV_RULE_GONE, 1, DV_NONE);
	r->guard = 0;
	r->raw = raw;
	r->sel = (struct dv_loc){ .kind = DV_LOC_DIFO, .value = 1 };
	*gone = site_add(t, 1);
}

/* Code that was freed: what is at its addresses later is none of our business. */
TEST(sites_go_with_their_group)
{
	uint32_t e[8], in_group, other, gone;
	struct tb t;

	group_sites(&t, &in_group, &other, &gone, 1);
	tb_go(&t);
	dv_sim_reg(t.sim, 0)[DV_REG_RDI] = 0;
	dv_sim_hit(t.sim, 0, in_group);
	dv_sim_hit(t.sim, 0, gone);			/* another one's end */
	dv_sim_hit(t.sim, 0, in_group);
	EXPECT(!dv_site_gone(dv_sim_state(t.sim), in_group));
	dv_sim_reg(t.sim, 0)[DV_REG_RDI] = 5;
	dv_sim_hit(t.sim, 0, gone);
	EXPECT(dv_site_gone(dv_sim_state(t.sim), in_group));
	EXPECT(!dv_site_gone(dv_sim_state(t.sim), other));
	dv_sim_hit(t.sim, 0, in_group);
	dv_sim_hit(t.sim, 0, other);
	epids(&t, 0, e, 8);
	EXPECT_EQ(e[0], 1);
	EXPECT_EQ(e[1], 1);
	EXPECT_EQ(e[2], 1);				/* of `other` */
	EXPECT_EQ(e[3], 0);
	tb_fini(&t);
}

/* var[arg0] = arg1 */
static uint32_t
difo_assign(struct tb *t, uint16_t var)
{
	difo_begin(t);
	in(t, IW(LDGS, DIF_VAR_ARG0, 1));
	in(t, I3(PUSHTV, DV_T_INT, 0, 1));
	in(t, IW(LDGS, DIF_VAR_ARG1, 2));
	in(t, IW(STGAA, var, 2));
	in(t, IRET(2));
	return difo_end(t);
}

/* What is known as tracing starts: there in BEGIN already, whatever dynvarsize is. */
TEST(starts_are_run_before_begin)
{
	struct dv_argset *a;
	uint32_t e[4], begin, set, i;
	uint16_t var;
	struct tb t;

	tb_init(&t, 1);
	t.b.opts[DV_OPT_DYNVARSIZE] = 256;
	var = var_add(&t, DV_VS_GLOBAL, 1, DV_T_INT, 8, 0);
	begin = probe_add(&t, "BEGIN", DV_PF_BEGIN | DV_PF_HOST);
	difo_begin(&t);
	in_int(&t, 99, 1);
	in(&t, I3(PUSHTV, DV_T_INT, 0, 1));
	in(&t, IW(LDGAA, var, 2));
	in(&t, IRET(2));
	clause_begin(&t, difo_end(&t));
	ecb_add(&t, begin, clause_end(&t, DV_CL_DEFAULT));
	set = difo_assign(&t, var);
	for (i = 0; i < 100; i++) {
		struct dv_start st = { set, argset_add(&t) };

		a = &t.b.argsets.v[st.raw];
		a->arg[0] = (struct dv_loc){ .kind = DV_LOC_CONST, .value = i };
		a->arg[1] = (struct dv_loc){ .kind = DV_LOC_CONST, .value = 1000 + i };
		a->arg[2] = (struct dv_loc){ .kind = DV_LOC_ZERO };
		EXPECT_EQ(dv_vec_push(&t.b.starts, st), 0);
	}
	tb_go(&t);
	epids(&t, 1, e, 4);
	EXPECT_EQ(e[0], 1);
	tb_fini(&t);
}

/* A rule's statement is run as soon as its site is armed; nothing fires then. */
TEST(statements_are_run_before_go)
{
	uint32_t e[4], f, raw, site;
	struct dv_rule *r;
	uint16_t var;
	struct tb t;

	tb_init(&t, 1);
	var = var_add(&t, DV_VS_GLOBAL, 1, DV_T_INT, 8, 0);
	f = probe_add(&t, "f", 0);
	difo_begin(&t);
	in_int(&t, 5, 1);
	in(&t, I3(PUSHTV, DV_T_INT, 0, 1));
	in(&t, IW(LDGAA, var, 2));
	in(&t, IRET(2));
	clause_begin(&t, difo_end(&t));		/* only if var[5] is set */
	ecb_add(&t, f, clause_end(&t, DV_CL_DEFAULT));
	raw = argset_add(&t);
	t.b.argsets.v[raw].arg[0] = (struct dv_loc){ .kind = DV_LOC_REG, .reg = DV_REG_RDI };
	t.b.argsets.v[raw].arg[1] = (struct dv_loc){ .kind = DV_LOC_CONST, .value = 1 };
	r = rule_add(&t, DV_RULE_STMT, DV_NONE, DV_NONE);
	r->guard = difo_assign(&t, var);
	r->raw = raw;
	(void)rule_add(&t, DV_RULE_FIRE, f, DV_NONE);
	site = site_add(&t, 2);
	EXPECT_EQ(tb_load(&t), 0);
	dv_sim_reg(t.sim, 0)[DV_REG_RDI] = 5;
	dv_sim_hit(t.sim, 0, site);
	dv_sim_go(t.sim);
	dv_sim_reg(t.sim, 0)[DV_REG_RDI] = 6;
	dv_sim_hit(t.sim, 0, site);
	epids(&t, 0, e, 4);
	EXPECT_EQ(e[0], 1);
	EXPECT_EQ(e[1], 0);
	tb_fini(&t);
}

TEST(what_has_gone_before_go_is_found_then)
{
	uint32_t e[8], in_group, other, gone;
	struct tb t;

	group_sites(&t, &in_group, &other, &gone, 0);
	tb_go(&t);
	EXPECT(dv_site_gone(dv_sim_state(t.sim), in_group));
	dv_sim_hit(t.sim, 0, in_group);
	dv_sim_hit(t.sim, 0, other);
	epids(&t, 0, e, 8);
	EXPECT_EQ(e[0], 1);
	EXPECT_EQ(e[1], 0);
	tb_fini(&t);
}

/* A function's return site, and one that jumps to it; rsp is at a slot. */
static void
tail_sites(struct tb *t, uint32_t *jump, uint32_t *ret, uint32_t guard)
{
	uint32_t f, g;
	uint64_t stack;

	tb_init(t, 1);
	f = probe_add(t, "f", 0);
	g = probe_add(t, "g", 0);
	clause_begin(t, DV_NONE);
	ecb_add(t, f, clause_end(t, DV_CL_DEFAULT));
	ecb_add(t, g, 0);
	if (guard != DV_NONE)
		(void)difo_var(t, guard);
	(void)rule_add(t, DV_RULE_TAIL, f, DV_NONE);
	*jump = site_add(t, 1);
	rule_add(t, DV_RULE_RET, g, DV_NONE)->guard = guard != DV_NONE ? 0 : DV_NONE;
	t->b.rules.v[1].raw = argset_add(t);
	*ret = site_add(t, 1);
	tb_go(t);
	stack = dv_sim_alloc(t->sim, 64);
	dv_sim_write64(t->sim, stack, 0xffffffff81000123ull);
	dv_sim_reg(t->sim, 0)[DV_REG_RSP] = stack;
}

/* A conditional jump that is not taken is no return, for nobody. */
TEST(a_false_guard_leaves_pending_returns)
{
	uint32_t jump, ret, e[4];
	struct tb t;

	tail_sites(&t, &jump, &ret, DIF_VAR_ARG0);
	dv_sim_hit(t.sim, 0, jump);
	dv_sim_hit(t.sim, 0, ret);
	epids(&t, 0, e, 4);
	EXPECT_EQ(e[0], 0);
	dv_sim_reg(t.sim, 0)[DV_REG_RDI] = 1;
	dv_sim_hit(t.sim, 0, ret);
	epids(&t, 0, e, 4);
	EXPECT_EQ(e[0], 2);
	EXPECT_EQ(e[1], 1);
	EXPECT_EQ(e[2], 0);
	tb_fini(&t);
}

/* Entries of stacks that were left for good give way, the oldest first. */
TEST(the_oldest_pending_return_gives_way)
{
	uint32_t jump, ret, e[40], i, n;
	struct tb t;

	tail_sites(&t, &jump, &ret, DV_NONE);
	for (i = 0; i < 20; i++) {
		if (i == 19)			/* the slot is used anew */
			dv_sim_write64(t.sim, dv_sim_reg(t.sim, 0)[DV_REG_RSP],
			    0xffffffff81000456ull);
		dv_sim_hit(t.sim, 0, jump);
	}
	EXPECT(status(&t).rule_drops > 0);
	n = (uint32_t)status(&t).rule_drops;
	dv_sim_hit(t.sim, 0, ret);
	epids(&t, 0, e, 40);
	EXPECT_EQ(e[0], 2);
	EXPECT_EQ(e[1], 1);			/* the newest: of this call */
	EXPECT_EQ(e[2], 0);
	EXPECT_EQ(status(&t).rule_drops, 19);
	EXPECT(n < 19);
	tb_fini(&t);
}

/* Where g leaves by an indirect jump %rax is no value, for f neither. */
TEST(pending_return_at_an_indirect_jump_has_no_value)
{
	uint32_t f, g, jump, out, args;
	const struct dv_fault_rec *p;
	struct dv_snap snap;
	struct dv_rule *r;
	uint64_t stack;
	struct tb t;

	tb_init(&t, 1);
	f = probe_add(&t, "f", 0);
	g = probe_add(&t, "g", 0);
	clause_begin(&t, DV_NONE);
	act_trace(&t, difo_var(&t, DIF_VAR_ARG1));
	ecb_add(&t, f, clause_end(&t, 0));
	ecb_add(&t, g, 0);
	args = argset_add(&t);
	t.b.argsets.v[args].arg[1] = (struct dv_loc){ .kind = DV_LOC_FAULT };
	r = rule_add(&t, DV_RULE_TAIL, f, DV_NONE);
	r->retval = 1;
	jump = site_add(&t, 1);
	rule_add(&t, DV_RULE_RET, g, args);
	out = site_add(&t, 1);
	tb_go(&t);
	stack = dv_sim_alloc(t.sim, 64);
	dv_sim_write64(t.sim, stack, 0xffffffff81000123ull);
	dv_sim_reg(t.sim, 0)[DV_REG_RSP] = stack;
	dv_sim_reg(t.sim, 0)[DV_REG_RAX] = 99;
	dv_sim_hit(t.sim, 0, jump);
	dv_sim_hit(t.sim, 0, out);
	p = (const void *)dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(snap.len, 2 * sizeof(*p));
	EXPECT_EQ(p[0].epid, DV_EPID_FAULT);
	EXPECT_EQ(p[0].failed, 2);
	EXPECT_EQ(p[1].epid, DV_EPID_FAULT);
	EXPECT_EQ(p[1].failed, 1);
	tb_fini(&t);
}

TEST(timers)
{
	uint32_t p, q, e[4];
	struct dv_snap snap;
	const uint8_t *d;
	struct tb t;

	tb_init(&t, 1);
	p = probe_add(&t, "profile-97", 0);
	q = probe_add(&t, "tick-1s", DV_PF_HOST);
	clause_begin(&t, DV_NONE);
	act_trace(&t, difo_var(&t, DIF_VAR_ARG0));
	act_trace(&t, difo_var(&t, DIF_VAR_ARG1));
	ecb_add(&t, p, clause_end(&t, 0));
	ecb_add(&t, q, 0);
	EXPECT_EQ(dv_vec_push(&t.b.timers, (struct dv_timer){ p, DV_TIMER_ALLVCPU,
	    10309278 }), 0);
	EXPECT_EQ(dv_vec_push(&t.b.timers, (struct dv_timer){ q, 0, 1000000000 }), 0);
	tb_go(&t);
	dv_sim_reg(t.sim, 0)[DV_REG_RIP] = DV_SIM_TEXT + 5;
	dv_sim_timer(t.sim, 0, 0);
	d = dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(snap.len, 32);
	EXPECT_EQ(((const uint64_t *)d)[2], DV_SIM_TEXT + 5);
	EXPECT_EQ(((const uint64_t *)d)[3], 0);
	dv_sim_reg(t.sim, 0)[DV_REG_RIP] = 0x400005;
	dv_sim_reg(t.sim, 0)[DV_REG_CS] = 0x33;
	dv_sim_timer(t.sim, 0, 0);
	d = dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(((const uint64_t *)d)[2], 0);
	EXPECT_EQ(((const uint64_t *)d)[3], 0x400005);
	dv_sim_timer(t.sim, -1, 1);
	epids(&t, 1, e, 4);
	EXPECT_EQ(e[0], 2);
	tb_fini(&t);
}

/* Clause-locals are unset at each firing, and shared by its clauses. */
TEST(one_cpu_alone_has_clauses)
{
	struct dv_account a;
	uint32_t site, begin, tick;
	struct tb t;

	tb_init(&t, 3);
	t.b.opts[DV_OPT_CPU] = 1;
	site = simple_site(&t, empty_clause(&t));
	begin = probe_add(&t, "BEGIN", DV_PF_BEGIN);
	ecb_add(&t, begin, empty_clause(&t));
	tick = probe_add(&t, "tick-1s", DV_PF_HOST);
	ecb_add(&t, tick, empty_clause(&t));
	EXPECT_EQ(dv_vec_push(&t.b.timers, (struct dv_timer){ tick, 0, 1000000000 }), 0);
	tb_go(&t);
	dv_sim_hit(t.sim, 0, site);
	dv_sim_hit(t.sim, 1, site);
	dv_sim_hit(t.sim, 1, site);
	dv_sim_hit(t.sim, 2, site);
	dv_sim_timer(t.sim, -1, 0);
	expect_account(&t, 0, &a);
	EXPECT_EQ(a.fired, 2);
	expect_account(&t, 1, &a);		/* the host context is no CPU of the guest */
	EXPECT_EQ(a.fired, 1);
	expect_account(&t, 2, &a);
	EXPECT_EQ(a.fired, 1);
	tb_fini(&t);
}

TEST(clause_locals)
{
	uint32_t site, p, d, load;
	struct dv_snap snap;
	const uint64_t *r;
	uint16_t v;
	struct tb t;

	tb_init(&t, 1);
	v = var_add(&t, DV_VS_LOCAL, 0, DV_T_INT, 8, 0);
	difo_begin(&t);				/* this->v += 5 */
	in_int(&t, 5, 1);
	in(&t, IW(LDLS, v, 2));
	in(&t, I3(ADD, 1, 2, 1));
	in(&t, IW(STLS, v, 1));
	in(&t, IRET(1));
	d = difo_end(&t);
	difo_begin(&t);
	in(&t, IW(LDLS, v, 1));
	in(&t, IRET(1));
	load = difo_end(&t);
	p = probe_add(&t, "p", 0);
	clause_begin(&t, DV_NONE);
	act_add(&t, DV_ACT_EXPR, d);
	ecb_add(&t, p, clause_end(&t, DV_CL_NOREC));
	clause_begin(&t, DV_NONE);
	act_trace(&t, load);
	ecb_add(&t, p, clause_end(&t, 0));
	(void)rule_add(&t, DV_RULE_FIRE, p, DV_NONE);
	site = site_add(&t, 1);
	tb_go(&t);
	dv_sim_hit(t.sim, 0, site);
	dv_sim_hit(t.sim, 0, site);
	r = (const void *)dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(snap.len, 48);
	EXPECT_EQ(r[2], 5);
	EXPECT_EQ(r[5], 5);
	tb_fini(&t);
}

/* ERROR's clauses share clause-locals with each other, with no other probe. */
TEST(error_has_its_own_clause_locals)
{
	uint32_t site, set, load, bad, err;
	struct dv_snap snap;
	const uint64_t *r;
	uint16_t v;
	struct tb t;

	tb_init(&t, 1);
	v = var_add(&t, DV_VS_LOCAL, 0, DV_T_INT, 8, 0);
	difo_begin(&t);				/* this->v += 5 */
	in_int(&t, 5, 1);
	in(&t, IW(LDLS, v, 2));
	in(&t, I3(ADD, 1, 2, 1));
	in(&t, IW(STLS, v, 1));
	in(&t, IRET(1));
	set = difo_end(&t);
	difo_begin(&t);
	in(&t, IW(LDLS, v, 1));
	in(&t, IRET(1));
	load = difo_end(&t);
	difo_begin(&t);
	in(&t, I3(LDX, 0, 0, 1));
	in(&t, IRET(1));
	bad = difo_end(&t);
	clause_begin(&t, DV_NONE);
	act_add(&t, DV_ACT_EXPR, set);
	act_add(&t, DV_ACT_EXPR, bad);
	site = simple_site(&t, clause_end(&t, DV_CL_NOREC));
	clause_begin(&t, DV_NONE);
	act_trace(&t, load);
	ecb_add(&t, 0, clause_end(&t, 0));
	err = probe_add(&t, "ERROR", DV_PF_ERROR);
	clause_begin(&t, DV_NONE);
	act_add(&t, DV_ACT_EXPR, set);
	act_trace(&t, load);
	ecb_add(&t, err, clause_end(&t, 0));
	tb_go(&t);
	dv_sim_hit(t.sim, 0, site);
	r = (const void *)dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(snap.len, sizeof(struct dv_fault_rec) + 48);
	r += sizeof(struct dv_fault_rec) / 8;
	EXPECT_EQ(r[2], 5);			/* not 10 */
	EXPECT_EQ(r[5], 5);
	tb_fini(&t);
}

static uint32_t
policy_site(struct tb *t, unsigned policy, uint64_t bufsize)
{
	tb_init(t, 1);
	t->b.opts[DV_OPT_BUFPOLICY] = policy;
	t->b.opts[DV_OPT_BUFSIZE] = bufsize;
	clause_begin(t, DV_NONE);
	act_trace(t, difo_var(t, DIF_VAR_ARG0));
	return simple_site(t, clause_end(t, 0));
}

TEST(fill_keeps_the_first_records_and_ends)
{
	struct dv_account a;
	struct dv_snap snap;
	const uint64_t *r;
	uint32_t site, i, end, e[4];
	struct tb t;

	site = policy_site(&t, DV_BUFPOLICY_FILL, 50);
	clause_begin(&t, DV_NONE);
	end = clause_end(&t, DV_CL_DEFAULT);
	ecb_add(&t, probe_add(&t, "END", DV_PF_END), end);
	tb_go(&t);
	for (i = 0; i < 5; i++) {
		dv_sim_reg(t.sim, 0)[DV_REG_RDI] = i;
		dv_sim_hit(t.sim, 0, site);
		EXPECT_EQ(status(&t).filled, i >= 2);
		dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap);
		EXPECT_EQ(snap.len, 0);
	}
	dv_sim_stop(t.sim);
	r = (const void *)dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(snap.len, 48);
	EXPECT_EQ(r[2], 0);
	EXPECT_EQ(r[5], 1);
	expect_account(&t, 0, &a);
	EXPECT_EQ(a.recorded, 2);
	EXPECT_EQ(a.dropped, 3);
	epids(&t, 1, e, 4);
	EXPECT_EQ(e[0], 2);
	tb_fini(&t);
}

TEST(fill_keeps_room_for_end)
{
	uint32_t e[8], end, tick, i;
	struct tb t;

	policy_site(&t, DV_BUFPOLICY_FILL, 64);
	end = empty_clause(&t);
	tick = probe_add(&t, "tick", DV_PF_HOST);
	ecb_add(&t, tick, end);
	i = probe_add(&t, "END", DV_PF_END);
	ecb_add(&t, i, end);
	ecb_add(&t, i, end);
	EXPECT_EQ(dv_vec_push(&t.b.timers, (struct dv_timer){ tick, 0, 1000000 }), 0);
	tb_go(&t);
	for (i = 0; i < 5; i++)
		dv_sim_timer(t.sim, -1, 0);
	dv_sim_stop(t.sim);
	epids(&t, 1, e, 8);
	EXPECT_EQ(e[0], 2);
	EXPECT_EQ(e[1], 2);
	EXPECT_EQ(e[2], 3);
	EXPECT_EQ(e[3], 4);
	EXPECT_EQ(e[4], 0);
	t.b.opts[DV_OPT_BUFSIZE] = 24;
	EXPECT_REFUSED(&t, "END enablings exceed size of principal buffer");
	tb_fini(&t);
}

/* Records of 24 and of 32 bytes; the last ones are there, in order. */
TEST(ring_keeps_the_last_records)
{
	uint64_t off, size, first, want, bufsize;
	struct dv_account a, b;
	struct dv_snap snap;
	const uint8_t *p;
	uint32_t site, i, n, part;
	struct tb t;

	for (bufsize = 64; bufsize < 400; bufsize += 8)
		for (n = 1; n < 60; n += 7) {
			site = policy_site(&t, DV_BUFPOLICY_RING, bufsize);
			difo_begin(&t);			/* arg0 & 1 */
			in(&t, IW(LDGS, DIF_VAR_ARG0, 1));
			in_int(&t, 1, 2);
			in(&t, I3(AND, 1, 2, 1));
			in(&t, IRET(1));
			clause_begin(&t, difo_end(&t));
			act_trace(&t, 0);
			act_trace(&t, 0);
			ecb_add(&t, 0, clause_end(&t, 0));
			tb_go(&t);
			for (i = 0; i < n; i++) {
				dv_sim_reg(t.sim, 0)[DV_REG_RDI] = i;
				dv_sim_hit(t.sim, 0, site);
			}
			dv_sim_stop(t.sim);
			p = dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap);
			expect_account(&t, 0, &a);
			expect_account(&t, 1, &b);
			first = ~0ull;
			want = 0;
			for (part = 0; part < 2; part++) {
				off = part == 0 ? snap.wrapped : 0;
				while (off < (part == 0 ? snap.len : snap.wrapped)) {
					const struct dv_rec *r = (const void *)(p + off);
					uint64_t v = ((const uint64_t *)r)[2];

					if (r->epid == 0) {
						off += 8;
						continue;
					}
					size = r->epid == 1 ? 24 : 32;
					if (first == ~0ull)
						first = v;
					else
						EXPECT(v == want || v == want + 1);
					want = v;
					if (r->epid == 1)
						a.recorded--;
					else
						b.recorded--;
					off += size;
				}
			}
			EXPECT_EQ(want, n - 1);
			EXPECT_EQ(a.recorded, 0);
			EXPECT_EQ(b.recorded, 0);
			EXPECT(first == 0 || a.overwritten > 0);
			tb_fini(&t);
		}
}

/* What others wrote into the shared region is no reason to trust it. */
TEST(a_ring_that_was_written_to_is_emptied)
{
	struct dv_rec *oldest;
	struct dv_snap snap;
	const uint8_t *p;
	uint32_t site, i;
	size_t len;
	struct tb t;

	site = policy_site(&t, DV_BUFPOLICY_RING, 96);
	tb_go(&t);
	for (i = 0; i < 5; i++)			/* the first went, the second is oldest */
		dv_sim_hit(t.sim, 0, site);
	p = dv_sim_shared(t.sim, &len);
	oldest = (struct dv_rec *)(uintptr_t)(p + 24);
	EXPECT_EQ(oldest->epid, 1);
	oldest->epid = 77;
	dv_sim_hit(t.sim, 0, site);
	dv_sim_stop(t.sim);
	EXPECT(dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap) != NULL);
	EXPECT_EQ(snap.len, 48);
	EXPECT_EQ(snap.wrapped, 0);
	EXPECT_EQ(snap.drops, 1);
	tb_fini(&t);
}

/* Looks of the cleaner, half a second apart; vCPU 1 is found busy but `free` times of 100. */
static void
deadman_looks(struct tb *t, unsigned n, unsigned free)
{
	static uint64_t now = 1000000000;
	struct dv_gate *gate = &dv_sim_state(t->sim)->cpus[1].gate;
	unsigned i;

	for (i = 0; i < n; i++) {
		now += 500000000;
		dv_sim_clock(t->sim, now);
		if (i % 100 >= free)
			dv_gate_enter(gate);
		dv_sim_clean(t->sim);
		if (i % 100 >= free)
			dv_gate_leave(gate);
	}
}

static void
deadman_init(struct tb *t, uint32_t *site, bool destructive)
{
	tb_init(t, 2);
	t->b.opts[DV_OPT_DESTRUCTIVE] = destructive;
	clause_begin(t, DV_NONE);
	*site = simple_site(t, clause_end(t, DV_CL_DEFAULT));
	tb_go(t);
}

TEST(a_vcpu_that_does_nothing_but_fire_ends_the_trace)
{
	struct dv_account a;
	uint32_t site;
	struct tb t;

	deadman_init(&t, &site, false);
	deadman_looks(&t, 300, 3);
	EXPECT_EQ(status(&t).killed, 0);
	EXPECT(active(&t));
	deadman_looks(&t, 200, 0);
	EXPECT_EQ(status(&t).killed, 1);
	EXPECT(!active(&t));
	dv_sim_hit(t.sim, 0, site);
	expect_account(&t, 0, &a);
	EXPECT_EQ(a.fired, 0);
	dv_sim_stop(t.sim);
	EXPECT_EQ(status(&t).exiting, 0);
	tb_fini(&t);
}

TEST(a_destructive_trace_may_starve)
{
	uint32_t site;
	struct tb t;

	deadman_init(&t, &site, true);
	deadman_looks(&t, 500, 0);
	EXPECT_EQ(status(&t).killed, 0);
	tb_fini(&t);
}

struct one_hit {
	struct tb *t;
	uint32_t site, done;
};

static void *
one_hit_thread(void *arg)
{
	struct one_hit *h = arg;

	dv_sim_hit(h->t->sim, 0, h->site);
	dv_store_rel32(&h->done, 1);
	return NULL;
}

/* Who finds the gate open lets it be, if it is wanted. */
TEST(a_firing_lets_the_control_side_go_first)
{
	struct dv_gate *gate;
	struct one_hit h = { 0 };
	struct tb t;
	pthread_t thread;

	deadman_init(&t, &h.site, false);
	h.t = &t;
	gate = &dv_sim_state(t.sim)->cpus[0].gate;
	(void)dv_add32(&gate->wanted, 1);
	EXPECT_EQ(pthread_create(&thread, NULL, one_hit_thread, &h), 0);
	while (dv_load32(&gate->held_up) == 0)
		sched_yield();
	EXPECT_EQ(dv_load32(&gate->taken), 0);
	EXPECT_EQ(dv_load_acq32(&h.done), 0);
	dv_gate_claim(gate);
	EXPECT_EQ(dv_load32(&gate->wanted), 1);
	(void)dv_add32(&gate->wanted, (uint32_t)-1);
	EXPECT_EQ(dv_load_acq32(&h.done), 0);
	dv_gate_leave(gate);
	EXPECT_EQ(pthread_join(thread, NULL), 0);
	EXPECT_EQ(h.done, 1);
	EXPECT_EQ(dv_load32(&gate->held_up), 0);
	tb_fini(&t);
}

/*
 * A hit of vCPU 1 writes no cache line of what belongs to no vCPU or to another.
 * What belongs to vCPU 1 is its struct, its piece of memory, and what it took of
 * the variables' chunks.
 */
TEST(a_hit_writes_lines_of_its_own_vcpu_only)
{
	const uint8_t *priv, *own[3], *end[3], *p;
	uint32_t site[4], arg, agg, i, k;
	size_t priv_len, shared_len, len;
	uint8_t *before;
	struct dv_state *s;
	struct dv_act *a;
	struct dv_err err;
	void *blob;
	struct tb t;

	tb_init(&t, 3);
	arg = difo_var(&t, DIF_VAR_ARG0);
	clause_begin(&t, DV_NONE);
	agg = agg_desc(&t, DV_AGG_COUNT, 0, 1, 8, 1);
	a = act_add(&t, DV_ACT_AGG, DV_NONE);
	a->arg = agg;
	a->nargs = 1;
	act_trace(&t, arg);
	t.rec = 0;
	site[0] = simple_site(&t, clause_end(&t, DV_CL_NOREC));
	clause_begin(&t, DV_NONE);
	act_trace(&t, arg);
	site[1] = simple_site(&t, clause_end(&t, 0));
	clause_begin(&t, difo_const(&t, 0));
	site[2] = simple_site(&t, clause_end(&t, DV_CL_DEFAULT));
	difo_begin(&t);
	in(&t, IW(LDGS, DIF_VAR_ARG0, 1));
	in(&t, IW(STTS, var_add(&t, DV_VS_TLS, 0, DV_T_INT, 8, 0), 1));
	in(&t, IRET(1));
	clause_begin(&t, DV_NONE);
	act_add(&t, DV_ACT_EXPR, difo_end(&t));
	site[3] = simple_site(&t, clause_end(&t, DV_CL_NOREC));
	dv_sim_current(t.sim, 1, dv_sim_task(t.sim, 1, 1, "a", 0));
	t.b.layout = *dv_sim_layout(t.sim);
	EXPECT_EQ(dv_progb_finish(&t.b, &err, &blob, &len), 0);
	EXPECT_EQ(dv_state_sizes(blob, len, 3, &priv_len, &shared_len, &t.why), 0);
	free(blob);
	tb_go(&t);
	s = dv_sim_state(t.sim);
	priv = (const uint8_t *)s;		/* the first thing in it */
	own[0] = (const uint8_t *)&s->cpus[1];
	end[0] = (const uint8_t *)&s->cpus[2];
	own[1] = s->cpus[1].tmp[0];
	end[1] = s->cpus[2].tmp[0];
	/* the variable comes from vCPU 1's share, and has been listed as freed once */
	dv_sim_reg(t.sim, 1)[DV_REG_RDI] = 1;
	dv_sim_hit(t.sim, 1, site[3]);
	dv_sim_reg(t.sim, 1)[DV_REG_RDI] = 0;
	dv_sim_hit(t.sim, 1, site[3]);
	own[2] = (const uint8_t *)&s->dyn.hdr[s->dyn.share];
	end[2] = (const uint8_t *)&s->dyn.hdr[s->dyn.share + 1];
	for (k = 0; k < 3; k++) {
		EXPECT_EQ((uintptr_t)own[k] % 64, 0);
		EXPECT_EQ((uintptr_t)end[k] % 64, 0);
	}
	before = malloc(priv_len);
	EXPECT(before != NULL);
	for (i = 0; i < 4; i++) {
		memcpy(before, priv, priv_len);
		for (k = 0; k < 100; k++) {
			dv_sim_reg(t.sim, 1)[DV_REG_RDI] = k % 3;	/* 0, too */
			dv_sim_hit(t.sim, 1, site[i]);
		}
		EXPECT(memcmp(before, priv, priv_len) != 0);
		for (p = priv; p < priv + priv_len; p++)
			if (*p != before[p - priv])
				EXPECT((p >= own[0] && p < end[0]) || (p >= own[1] && p < end[1]) ||
				    (p >= own[2] && p < end[2]));
	}
	free(before);
	tb_fini(&t);
}

TEST_MAIN()
