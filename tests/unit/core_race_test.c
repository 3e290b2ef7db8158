/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core_race_test.c - several vCPUs fire while a consumer switches and cleans:
 * every firing is accounted for, and every record is whole.
 */
#include "core_help.h"

#include <pthread.h>

enum { NVCPU = 3, HITS = 20000 };

struct consumer {
	struct tb *t;
	uint64_t records, faults, counted;
	uint32_t done;
	bool torn;
};

/* Each record holds arg0 three times; each entry a count. */
static void
drain(struct consumer *c)
{
	struct dv_snap snap;
	const uint8_t *p;
	uint64_t off;
	unsigned cpu;

	for (cpu = 0; cpu <= NVCPU; cpu++) {
		p = dv_sim_snap(c->t->sim, cpu, DV_BUF_PRINCIPAL, &snap);
		for (off = 0; off < snap.len; ) {
			const struct dv_rec *r = (const void *)(p + off);
			const uint64_t *d = (const uint64_t *)(r + 1);

			if (r->epid == 0) {	/* a ring's gap or end */
				off += 8;
				continue;
			}
			if (r->epid == DV_EPID_FAULT) {
				c->faults++;
				off += sizeof(struct dv_fault_rec);
				continue;
			}
			if (r->epid == 1) {
				if (d[0] != d[1] || d[1] != d[2])
					c->torn = true;
				c->records++;
			}
			off += r->epid == 1 ? 40 : 24;
		}
		p = dv_sim_snap(c->t->sim, cpu, DV_BUF_AGG, &snap);
		for (off = 0; off < snap.len; ) {
			const struct dv_agg_entry *e = (const void *)(p + off);

			c->counted += *(const uint64_t *)(p + off + e->size - 8);
			off += e->size;
		}
	}
}

static void *
consume(void *p)
{
	struct consumer *c = p;

	while (!__atomic_load_n(&c->done, __ATOMIC_ACQUIRE)) {
		drain(c);
		dv_sim_clean(c->t->sim);
	}
	return NULL;
}

static void
hit(struct dv_sim *sim, unsigned vcpu, unsigned i, void *arg)
{
	uint32_t *exit_at = arg;

	dv_sim_reg(sim, vcpu)[DV_REG_RDI] = exit_at != NULL && i == *exit_at && vcpu == 1 ?
	    ~0ull : i;
	dv_sim_hit(sim, vcpu, 0);
}

/*
 * p { trace(arg0) x 3 }; p / arg0 % 3 == 0 / { trace(*(arg0 / 2)) };
 * p { @[arg0 % 16] = count() }; p / arg0 == -1 / { exit(0) }
 */
static void
race(uint32_t *exit_at, uint64_t bufsize, unsigned policy)
{
	struct consumer c = { 0 };
	struct dv_account a[4];
	struct dv_status st;
	uint32_t arg0, p, i, agg;
	struct dv_act *act;
	pthread_t th;
	struct tb t;

	tb_init(&t, NVCPU);
	t.b.opts[DV_OPT_BUFSIZE] = bufsize;
	t.b.opts[DV_OPT_BUFPOLICY] = policy;
	arg0 = difo_var(&t, DIF_VAR_ARG0);
	p = probe_add(&t, "p", 0);
	clause_begin(&t, DV_NONE);
	for (i = 0; i < 3; i++)
		act_trace(&t, arg0);
	ecb_add(&t, p, clause_end(&t, 0));
	difo_begin(&t);
	in(&t, IW(LDGS, DIF_VAR_ARG0, 1));
	in_int(&t, 3, 2);
	in_int(&t, 1, 3);
	in(&t, I3(UREM, 1, 2, 1));
	in(&t, I3(TST, 1, 0, 0));
	in(&t, IB(BE, 7));
	in(&t, IRET(0));
	in(&t, IRET(3));
	clause_begin(&t, difo_end(&t));
	difo_begin(&t);
	in(&t, IW(LDGS, DIF_VAR_ARG0, 1));
	in(&t, I3(LDX, 1, 0, 2));
	in(&t, IRET(2));
	act_trace(&t, difo_end(&t));
	ecb_add(&t, p, clause_end(&t, 0));
	difo_begin(&t);
	in(&t, IW(LDGS, DIF_VAR_ARG0, 1));
	in_int(&t, 15, 2);
	in(&t, I3(AND, 1, 2, 1));
	in(&t, IRET(1));
	i = difo_end(&t);
	clause_begin(&t, DV_NONE);
	agg = agg_desc(&t, DV_AGG_COUNT, 0, 1, 8, 1);
	act = act_add(&t, DV_ACT_AGG, DV_NONE);
	act->arg = agg;
	act->nargs = 1;
	act_trace(&t, i);
	t.rec = 0;
	ecb_add(&t, p, clause_end(&t, DV_CL_NOREC));
	difo_begin(&t);
	in(&t, IW(LDGS, DIF_VAR_ARG0, 1));
	in(&t, I3(NOT, 1, 0, 1));
	in_int(&t, 1, 2);
	in(&t, I3(TST, 1, 0, 0));
	in(&t, IB(BE, 6));
	in(&t, IRET(0));
	in(&t, IRET(2));
	clause_begin(&t, difo_end(&t));
	act_rec(&t, DV_ACT_EXIT, difo_const(&t, 0), DV_T_INT, 4);
	ecb_add(&t, p, clause_end(&t, 0));
	(void)rule_add(&t, DV_RULE_FIRE, p, argset_add(&t));
	site_add(&t, 1);
	tb_go(&t);
	c.t = &t;
	EXPECT_EQ(pthread_create(&th, NULL, consume, &c), 0);
	dv_sim_threads(t.sim, HITS, hit, exit_at);
	__atomic_store_n(&c.done, 1, __ATOMIC_RELEASE);
	pthread_join(th, NULL);
	dv_sim_stop(t.sim);
	drain(&c);
	drain(&c);
	for (i = 0; i < 4; i++)
		expect_account(&t, i, &a[i]);
	dv_status(dv_sim_state(t.sim), &st);
	EXPECT(!c.torn);
	EXPECT_EQ(c.records, a[0].recorded);
	EXPECT_EQ(c.counted, a[2].norecord);
	EXPECT_EQ(st.errors, a[1].faulted);
	EXPECT_EQ(st.fired, a[0].fired + a[1].fired + a[2].fired + a[3].fired);
	if (exit_at == NULL) {
		EXPECT_EQ(a[0].fired, NVCPU * HITS);
		EXPECT_EQ(a[1].fired, NVCPU * ((HITS + 2) / 3));
		EXPECT_EQ(a[2].fired, NVCPU * HITS);
		EXPECT_EQ(st.exiting, 0);
		if (policy == DV_BUFPOLICY_SWITCH)
			EXPECT_EQ(st.principal_drops,
			    a[0].dropped + a[1].dropped + a[1].faulted - c.faults);
		if (policy == DV_BUFPOLICY_RING)
			EXPECT(a[0].overwritten > 0);
	} else {
		EXPECT_EQ(st.exiting, 1);
		EXPECT(a[0].fired < NVCPU * HITS);
	}
	tb_fini(&t);
}

TEST(every_firing_is_accounted_for)
{
	race(NULL, 1 << 20, DV_BUFPOLICY_SWITCH);
}

TEST(and_with_buffers_that_overflow)
{
	race(NULL, 400, DV_BUFPOLICY_SWITCH);
}

TEST(and_after_exit)
{
	uint32_t at = HITS / 2;

	race(&at, 1 << 20, DV_BUFPOLICY_SWITCH);
}

TEST(and_in_rings)
{
	race(NULL, 1000, DV_BUFPOLICY_RING);
}

TEST(and_in_fill_buffers)
{
	race(NULL, 5000, DV_BUFPOLICY_FILL);
}

static uint32_t tail_jump, tail_ret;

static void
jump_and_return(struct dv_sim *sim, unsigned vcpu, unsigned i, void *arg)
{
	(void)arg;
	dv_sim_hit(sim, vcpu, tail_jump);
	if (i % 20 > 16)			/* so that places run out now and then */
		dv_sim_hit(sim, vcpu, tail_ret);
}

/* Every pending return fires once, or is counted as given up. */
TEST(pending_returns_are_accounted_for)
{
	uint32_t f, g, c, v;
	struct dv_account a;
	struct dv_status st;
	uint64_t stack;
	struct tb t;

	tb_init(&t, 4);
	f = probe_add(&t, "f", 0);
	g = probe_add(&t, "g", 0);
	clause_begin(&t, DV_NONE);
	act_add(&t, DV_ACT_EXPR, difo_const(&t, 0));
	c = clause_end(&t, DV_CL_NOREC);
	ecb_add(&t, f, c);
	ecb_add(&t, g, c);
	(void)rule_add(&t, DV_RULE_TAIL, f, DV_NONE);
	tail_jump = site_add(&t, 1);
	(void)rule_add(&t, DV_RULE_RET, g, DV_NONE);
	tail_ret = site_add(&t, 1);
	tb_go(&t);
	stack = dv_sim_alloc(t.sim, 64);
	dv_sim_write64(t.sim, stack, 0xffffffff81000123ull);
	for (v = 0; v < 4; v++)
		dv_sim_reg(t.sim, v)[DV_REG_RSP] = stack;
	dv_sim_threads(t.sim, 2000, jump_and_return, NULL);
	dv_sim_hit(t.sim, 0, tail_ret);		/* what is left */
	dv_status(dv_sim_state(t.sim), &st);
	expect_account(&t, 0, &a);
	EXPECT(st.rule_drops > 0);
	EXPECT(a.fired > 0);
	EXPECT_EQ(a.fired + st.rule_drops, 4 * 2000);
	tb_fini(&t);
}

TEST_MAIN()
