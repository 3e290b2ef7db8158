/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_destr_test.c - what changes the guest does that and no more. */
#include "core_help.h"

#define UVA	0x400000ull		/* two pages of the process */

/* subr(str, addr from %rdi, len from %rsi); the source may be a guest address in %rdx. */
static uint32_t
difo_copyout(struct tb *t, uint32_t subr, const char *str)
{
	difo_begin(t);
	if (str != NULL) {
		in_str(t, str, 1);
		in(t, I3(PUSHTR, DV_T_STRING, 0, 1));
	} else {
		in(t, IW(LDGS, DIF_VAR_ARG2, 1));
		in(t, I3(PUSHTV, DV_T_INT, 0, 1));
	}
	in(t, IW(LDGS, DIF_VAR_ARG0, 1));
	in(t, I3(PUSHTV, DV_T_INT, 0, 1));
	in(t, IW(LDGS, DIF_VAR_ARG1, 1));
	in(t, I3(PUSHTV, DV_T_INT, 0, 1));
	in(t, IW(CALL, subr, 2));
	in(t, IRET(0));
	t->cur.flags = DV_DIFO_DESTRUCTIVE;
	return difo_end(t);
}

struct process {
	uint64_t task, root, pa[2];
};

static void
process_make(struct tb *t, struct process *p)
{
	static const char dots[] = "................";

	p->task = dv_sim_task(t->sim, 42, 42, "sh", 0);
	p->root = dv_sim_mm(t->sim, p->task);
	for (unsigned i = 0; i < 2; i++) {
		p->pa[i] = dv_sim_page(t->sim);
		dv_sim_map(t->sim, p->root, UVA + i * 4096, p->pa[i]);
	}
	dv_sim_write(t->sim, p->root, UVA + 4096 - 8, dots, 16);
	dv_sim_current(t->sim, 0, p->task);
	dv_sim_current(t->sim, 1, p->task);
	t->b.opts[DV_OPT_DESTRUCTIVE] = 1;
}

static void
hit(struct tb *t, uint64_t to, uint64_t len, uint64_t src)
{
	uint64_t *r = dv_sim_reg(t->sim, 0);

	r[DV_REG_RDI] = to;
	r[DV_REG_RSI] = len;
	r[DV_REG_RDX] = src;
	dv_sim_hit(t->sim, 0, 0);
}

/* The 16 bytes around the border of the two pages. */
#define EXPECT_BYTES(t, p, want)						\
	do {									\
		char got_[17] = "";						\
										\
		dv_sim_read((t)->sim, (p)->root, UVA + 4096 - 8, got_, 16);	\
		EXPECT_STREQ(got_, want);					\
	} while (0)

static uint64_t
faults(struct tb *t)
{
	struct dv_account a;

	expect_account(t, 0, &a);
	return a.faulted;
}

TEST(copyout_writes_across_pages)
{
	struct process p;
	struct tb t;

	tb_init(&t, 2);
	process_make(&t, &p);
	clause_begin(&t, DV_NONE);
	act_add(&t, DV_ACT_EXPR, difo_copyout(&t, DIF_SUBR_COPYOUT, "abcdefgh"));
	simple_site(&t, clause_end(&t, DV_CL_NOREC | DV_CL_DESTRUCTIVE));
	tb_go(&t);
	hit(&t, UVA + 4096 - 3, 6, 0);
	EXPECT_BYTES(&t, &p, ".....abcdef.....");
	hit(&t, UVA + 4096 - 8, 0, 0);
	EXPECT_BYTES(&t, &p, ".....abcdef.....");
	EXPECT_EQ(faults(&t), 0);
	tb_fini(&t);
}

TEST(copyout_of_kernel_memory)
{
	struct process p;
	struct tb t;
	uint64_t k;

	tb_init(&t, 2);
	process_make(&t, &p);
	k = dv_sim_alloc(t.sim, 16);
	dv_sim_write(t.sim, 0, k, "KERNEL", 6);
	clause_begin(&t, DV_NONE);
	act_add(&t, DV_ACT_EXPR, difo_copyout(&t, DIF_SUBR_COPYOUT, NULL));
	simple_site(&t, clause_end(&t, DV_CL_NOREC | DV_CL_DESTRUCTIVE));
	tb_go(&t);
	hit(&t, UVA + 4096 - 4, 6, k);
	EXPECT_BYTES(&t, &p, "....KERNEL......");
	hit(&t, UVA + 4096 - 4, 6, 16);			/* no source */
	hit(&t, UVA + 4096 - 4, 1ull << 40, k);		/* more than scratch */
	EXPECT_EQ(faults(&t), 2);
	EXPECT_BYTES(&t, &p, "....KERNEL......");
	tb_fini(&t);
}

TEST(copyoutstr_cuts_and_terminates)
{
	struct process p;
	struct tb t;

	tb_init(&t, 2);
	process_make(&t, &p);
	clause_begin(&t, DV_NONE);
	act_add(&t, DV_ACT_EXPR, difo_copyout(&t, DIF_SUBR_COPYOUTSTR, "abc"));
	simple_site(&t, clause_end(&t, DV_CL_NOREC | DV_CL_DESTRUCTIVE));
	tb_go(&t);
	hit(&t, UVA + 4096 + 4, 2, 0);
	EXPECT_BYTES(&t, &p, "............ab..");
	hit(&t, UVA + 4096 - 8, 1000, 0);
	EXPECT_BYTES(&t, &p, "abc");			/* NUL included */
	EXPECT_EQ(faults(&t), 0);
	tb_fini(&t);
}

TEST(only_what_the_process_may_write)
{
	static const struct { uint64_t clear, set; } bits[] = {
		{ 1, 0 }, { 2, 0 }, { 4, 0 }, { 0x40, 0 }, { 0, 1ull << 59 }
	};
	struct process p;
	struct tb t;
	uint64_t n = 0;

	tb_init(&t, 2);
	process_make(&t, &p);
	clause_begin(&t, DV_NONE);
	act_add(&t, DV_ACT_EXPR, difo_copyout(&t, DIF_SUBR_COPYOUT, "abcdefgh"));
	simple_site(&t, clause_end(&t, DV_CL_NOREC | DV_CL_DESTRUCTIVE));
	tb_go(&t);
	for (unsigned i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		/* of the second page: the first must stay as it is, too */
		dv_sim_protect(t.sim, p.root, UVA + 4096, bits[i].clear, bits[i].set);
		hit(&t, UVA + 4096 - 4, 8, 0);
		EXPECT_EQ(faults(&t), ++n);
		dv_sim_protect(t.sim, p.root, UVA + 4096, bits[i].set, bits[i].clear);
		EXPECT_BYTES(&t, &p, "................");
	}
	hit(&t, p.task, 8, 0);				/* the kernel's */
	hit(&t, UVA + 8192 - 4, 8, 0);			/* beyond the mapping */
	hit(&t, 0, 8, 0);
	hit(&t, (1ull << 47) - 4, 8, 0);		/* into the hole */
	EXPECT_EQ(faults(&t), n + 4);
	dv_sim_current(t.sim, 0, dv_sim_task(t.sim, 2, 2, "kthreadd", 0));
	hit(&t, UVA, 8, 0);				/* no process */
	EXPECT_EQ(faults(&t), n + 5);
	EXPECT_BYTES(&t, &p, "................");
	tb_fini(&t);
}

TEST(chill_is_half_a_second_of_each)
{
	struct dv_account a;
	struct tb t;

	tb_init(&t, 2);
	t.b.opts[DV_OPT_DESTRUCTIVE] = 1;
	difo_begin(&t);
	in(&t, IW(LDGS, DIF_VAR_ARG0, 1));
	in(&t, IRET(1));
	clause_begin(&t, DV_NONE);
	act_add(&t, DV_ACT_CHILL, difo_end(&t));
	simple_site(&t, clause_end(&t, DV_CL_NOREC | DV_CL_DESTRUCTIVE));
	tb_go(&t);
	dv_sim_clock(t.sim, 5000000000ull);
	hit(&t, 300000000, 0, 0);
	hit(&t, 200000000, 0, 0);
	EXPECT_EQ(dv_sim_delayed(t.sim), 500000000);
	hit(&t, 1, 0, 0);
	EXPECT_EQ(faults(&t), 1);
	dv_sim_reg(t.sim, 1)[DV_REG_RDI] = 1000;	/* another CPU has its own */
	dv_sim_hit(t.sim, 1, 0);
	EXPECT_EQ(dv_sim_delayed(t.sim), 500001000);
	dv_sim_clock(t.sim, 6000000000ull);
	hit(&t, 500000001, 0, 0);
	hit(&t, ~0ull, 0, 0);
	EXPECT_EQ(faults(&t), 3);
	hit(&t, 500000000, 0, 0);
	EXPECT_EQ(dv_sim_delayed(t.sim), 1000001000);
	expect_account(&t, 0, &a);
	EXPECT_EQ(a.norecord, 4);
	tb_fini(&t);
}

TEST(breakpoint_stops_the_guest_after_its_record)
{
	struct dv_status st;
	struct dv_snap snap;
	struct tb t;

	tb_init(&t, 1);
	t.b.opts[DV_OPT_DESTRUCTIVE] = 1;
	clause_begin(&t, DV_NONE);
	act_add(&t, DV_ACT_BREAKPOINT, DV_NONE);
	act_trace(&t, difo_const(&t, 7));
	simple_site(&t, clause_end(&t, DV_CL_DESTRUCTIVE));
	tb_go(&t);
	dv_sim_hit(t.sim, 0, 0);
	EXPECT_EQ(dv_sim_halts(t.sim), 1);
	EXPECT(dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap) != NULL);
	EXPECT_EQ(snap.len, 24);
	dv_sim_hit(t.sim, 0, 0);			/* it was resumed */
	dv_status(dv_sim_state(t.sim), &st);
	EXPECT_EQ(st.halts, 2);
	EXPECT_EQ(st.halt_epid, 1);
	EXPECT_EQ(st.halt_action, DV_ACT_BREAKPOINT);
	EXPECT_EQ(st.exiting, 0);
	tb_fini(&t);
}

TEST(panic_ends_the_trace)
{
	struct dv_status st;
	struct tb t;

	tb_init(&t, 1);
	t.b.opts[DV_OPT_DESTRUCTIVE] = 1;
	clause_begin(&t, DV_NONE);
	act_add(&t, DV_ACT_PANIC, DV_NONE);
	simple_site(&t, clause_end(&t, DV_CL_NOREC | DV_CL_DESTRUCTIVE));
	tb_go(&t);
	dv_sim_hit(t.sim, 0, 0);
	dv_sim_hit(t.sim, 0, 0);
	EXPECT_EQ(dv_sim_halts(t.sim), 1);
	dv_status(dv_sim_state(t.sim), &st);
	EXPECT_EQ(st.halts, 1);
	EXPECT_EQ(st.halt_action, DV_ACT_PANIC);
	EXPECT_EQ(st.exiting, 1);
	EXPECT_EQ(st.exit_status, 1);
	tb_fini(&t);
}

TEST(what_a_carrier_lacks_is_refused)
{
	struct process p;
	struct tb t;

	tb_init(&t, 2);
	process_make(&t, &p);
	dv_sim_bare(t.sim);
	clause_begin(&t, DV_NONE);
	act_add(&t, DV_ACT_EXPR, difo_copyout(&t, DIF_SUBR_COPYOUT, "x"));
	simple_site(&t, clause_end(&t, DV_CL_NOREC | DV_CL_DESTRUCTIVE));
	EXPECT_REFUSED(&t, "copyout() is not possible: this guest is read-only");
	tb_fini(&t);
	tb_init(&t, 1);
	t.b.opts[DV_OPT_DESTRUCTIVE] = 1;
	dv_sim_bare(t.sim);
	clause_begin(&t, DV_NONE);
	act_add(&t, DV_ACT_PANIC, DV_NONE);
	simple_site(&t, clause_end(&t, DV_CL_NOREC | DV_CL_DESTRUCTIVE));
	EXPECT_REFUSED(&t, "panic() is not possible: this guest runs for ever");
	tb_fini(&t);
}

/* The verifier believes no compiler. */
TEST(destructive_needs_its_flags)
{
	static const uint16_t kinds[] = { DV_ACT_PANIC, DV_ACT_BREAKPOINT, DV_ACT_CHILL };
	struct process p;
	struct tb t;

	for (unsigned i = 0; i < 3; i++) {
		tb_init(&t, 1);
		clause_begin(&t, DV_NONE);
		act_add(&t, kinds[i], kinds[i] == DV_ACT_CHILL ? difo_const(&t, 1) : DV_NONE);
		simple_site(&t, clause_end(&t, DV_CL_NOREC | DV_CL_DESTRUCTIVE));
		EXPECT_REFUSED(&t, "Destructive actions not allowed");
		tb_fini(&t);
	}
	tb_init(&t, 2);
	process_make(&t, &p);
	clause_begin(&t, DV_NONE);
	act_add(&t, DV_ACT_EXPR, difo_copyout(&t, DIF_SUBR_COPYOUT, "x"));
	t.b.difos.v[0].flags = 0;
	simple_site(&t, clause_end(&t, DV_CL_NOREC));
	EXPECT_REFUSED(&t, "DIFO 0: instruction 6: copyout in a DIFO that is not flagged as "
	    "destructive");
	tb_fini(&t);
	tb_init(&t, 2);
	process_make(&t, &p);
	clause_begin(&t, DV_NONE);
	act_add(&t, DV_ACT_SPECULATE, difo_const(&t, 1));
	act_add(&t, DV_ACT_EXPR, difo_copyout(&t, DIF_SUBR_COPYOUT, "x"));
	simple_site(&t, clause_end(&t, DV_CL_SPECULATES | DV_CL_DESTRUCTIVE));
	EXPECT_REFUSED(&t, "clause 0: expression() may not follow speculate()");
	tb_fini(&t);
}

/* Wherever a clause computes something, and however it is flagged. */
TEST(a_clause_is_flagged_by_all_of_its_values)
{
	enum { PREDICATE, VALUE, KEY, AGGREGATED, INCREMENT, NOTHING, NWHERE };
	struct process p;
	uint32_t d, plain, agg;
	struct dv_act *a;
	struct tb t;

	for (unsigned where = 0; where < NWHERE; where++)
		for (unsigned flagged = 0; flagged < 2; flagged++) {
			tb_init(&t, 2);
			process_make(&t, &p);
			d = difo_copyout(&t, DIF_SUBR_COPYOUT, "x");
			plain = difo_const(&t, 1);
			clause_begin(&t, where == PREDICATE ? d : DV_NONE);
			act_trace(&t, where == VALUE ? d : plain);
			agg = agg_desc(&t, DV_AGG_QUANTIZE, 0, 1, 8, 127);
			a = act_add(&t, DV_ACT_AGG, where == AGGREGATED ? d : plain);
			a->arg = agg;
			a->nargs = 1;
			a->param = where == INCREMENT ? d + 1 : 0;
			a = act_add(&t, DV_ACT_TRACE, where == KEY ? d : plain);
			a->rec = (struct dv_dtype){ .kind = DV_T_INT, .size = 8 };
			simple_site(&t, clause_end(&t, flagged ? DV_CL_DESTRUCTIVE : 0));
			if (flagged == (where != NOTHING))
				tb_go(&t);
			else
				EXPECT_REFUSED(&t, "clause 0: flags do not fit the actions");
			tb_fini(&t);
		}
}

/* What a probe's site needs is not for changing the guest. */
TEST(rules_and_arguments_destroy_nothing)
{
	struct process p;
	struct tb t;

	tb_init(&t, 2);
	process_make(&t, &p);
	clause_begin(&t, DV_NONE);
	act_trace(&t, difo_const(&t, 1));
	simple_site(&t, clause_end(&t, 0));
	t.b.rules.v[0].guard = difo_copyout(&t, DIF_SUBR_COPYOUT, "x");
	EXPECT_REFUSED(&t, "rule 0: a destructive guard");
	t.b.rules.v[0].guard = DV_NONE;
	t.b.argsets.v[0].arg[3] = (struct dv_loc){ .kind = DV_LOC_DIFO, .value = 1 };
	EXPECT_REFUSED(&t, "argument set 0: argument 3 is bad");
	tb_fini(&t);
}

TEST_MAIN()
