/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core.c - the probe machine under load: eight vCPUs do anything, at random.
 *
 * Each vCPU, a thread, opens, speculates, commits and discards; records,
 * aggregates, faults; sets and clears thread-local and shared variables. A
 * control thread meanwhile switches buffers, cleans, asks for totals, and fires a
 * timer on vCPUs as for a halted one. Nothing but the machine's own gates and
 * atomics keeps them apart, so this is run under ThreadSanitizer and under
 * AddressSanitizer (make check-stress), where any finding ends it.
 *
 * At the end the books must be right: for each clause the hits that were made,
 * its account (state.h), and what the consumer read. STRESS is the number of
 * hits of a test (100000).
 */
#include "../unit/core_help.h"

#include <pthread.h>
#include <sched.h>

#define NVCPU	8
#define NSPEC	4

/* Sites, in this order; a clause each, and ERROR's two come after the timer's. */
enum {
	OPEN, SAY, COMMIT, DISCARD, RECORD, COUNT, SET, ELEMENT, STRING, BADADDR, DIVIDE,
	PREDICATE, EXIT, NSITE, TIMER = NSITE, ERROR, ERROR_FAULTS, NECB
};
static const unsigned record_size[NECB] = {
	[OPEN] = 8, [SAY] = 16, [RECORD] = 16, [BADADDR] = 8, [DIVIDE] = 8, [PREDICATE] = 8,
	[EXIT] = 8, [TIMER] = 8, [ERROR] = 8, [ERROR_FAULTS] = 8,
};

struct vcpu {
	_Alignas(64) uint64_t rng;
	uint64_t hits[NSITE], untrue;
	uint64_t task[2];
};

struct stress {
	struct tb t;
	struct vcpu v[NVCPU];
	uint64_t rng;			/* of the control thread */
	uint64_t read[NECB], faults, counted, timers;
	uint32_t exit_at, done, turns;	/* turns: of the control thread */
	uint32_t timer;
	bool torn;
};

static unsigned
hits_per_vcpu(void)
{
	const char *n = getenv("STRESS");

	return (unsigned)((n != NULL ? strtoul(n, NULL, 10) : 100000) / NVCPU);
}

static uint64_t
next(uint64_t *rng)
{
	*rng ^= *rng << 13;
	*rng ^= *rng >> 7;
	*rng ^= *rng << 17;
	return *rng;
}

static uint32_t
difo_store(struct tb *t, unsigned op, uint16_t var)
{
	difo_begin(t);
	in(t, IW(LDGS, DIF_VAR_ARG0, 1));
	in(t, DIF_INSTR_WIDE(op, var, 1));
	in(t, IRET(1));
	return difo_end(t);
}

/* arr[arg0] = arg1 */
static uint32_t
difo_element(struct tb *t)
{
	uint16_t arr = var_add(t, DV_VS_GLOBAL, 1, DV_T_INT, 8, 0);

	difo_begin(t);
	in(t, IW(LDGS, DIF_VAR_ARG0, 1));
	in(t, IW(LDGS, DIF_VAR_ARG1, 2));
	in(t, I3(PUSHTV, DV_T_INT, 0, 1));
	in(t, IW(STGAA, arr, 2));
	in(t, IRET(2));
	return difo_end(t);
}

/* self->s = arg0 ? "..." : NULL */
static uint32_t
difo_string(struct tb *t)
{
	uint16_t v = var_add(t, DV_VS_TLS, 0, DV_T_STRING, 64, DV_TF_BYREF);

	difo_begin(t);
	in(t, IW(LDGS, DIF_VAR_ARG0, 1));
	in(t, I3(TST, 1, 0, 0));
	in(t, IB(BE, 4));
	in_str(t, "a string that is neither short nor long", 1);
	in(t, IW(STTS, v, 1));
	in(t, IRET(1));
	return difo_end(t);
}

/* *arg0 */
static uint32_t
difo_deref(struct tb *t)
{
	difo_begin(t);
	in(t, IW(LDGS, DIF_VAR_ARG0, 1));
	in(t, I3(LDX, 1, 0, 2));
	in(t, IRET(2));
	return difo_end(t);
}

/* arg0 / arg1; with `zero`, by the constant 0 */
static uint32_t
difo_divide(struct tb *t, bool zero)
{
	difo_begin(t);
	in(t, IW(LDGS, DIF_VAR_ARG0, 1));
	if (zero)
		in_int(t, 0, 2);
	else
		in(t, IW(LDGS, DIF_VAR_ARG1, 2));
	in(t, I3(UDIV, 1, 2, 1));
	in(t, IRET(1));
	return difo_end(t);
}

static uint32_t
difo_open(struct tb *t)
{
	uint16_t g = var_add(t, DV_VS_GLOBAL, 0, DV_T_INT, 8, 0);

	difo_begin(t);
	in(t, IW(CALL, DIF_SUBR_SPECULATION, 1));
	in(t, IW(STGS, g, 1));
	in(t, IRET(1));
	return difo_end(t);
}

static void
count_clause(struct tb *t, uint32_t key)
{
	struct dv_act *a;
	uint32_t agg;

	clause_begin(t, DV_NONE);
	agg = agg_desc(t, DV_AGG_COUNT, 0, 1, 8, 1);
	a = act_add(t, DV_ACT_AGG, DV_NONE);
	a->arg = agg;
	a->nargs = 1;
	act_trace(t, key);
	t->rec = 0;
	clause_end(t, DV_CL_NOREC);
}

static void
one_action(struct tb *t, unsigned kind, uint32_t pred, uint32_t difo)
{
	clause_begin(t, pred);
	if (kind == DV_ACT_TRACE) {
		act_trace(t, difo);
		clause_end(t, 0);
	} else {
		act_add(t, kind, difo);
		clause_end(t, DV_CL_NOREC | (kind == DV_ACT_COMMIT ? DV_CL_COMMITS : 0));
	}
}

/* The clauses, in the order of the enum. */
static void
make_clauses(struct tb *t)
{
	uint32_t arg0 = difo_var(t, DIF_VAR_ARG0), arg1 = difo_var(t, DIF_VAR_ARG1);

	one_action(t, DV_ACT_TRACE, DV_NONE, difo_open(t));
	clause_begin(t, DV_NONE);
	act_add(t, DV_ACT_SPECULATE, arg1);
	act_trace(t, arg0);
	act_trace(t, arg0);
	clause_end(t, DV_CL_SPECULATES);
	one_action(t, DV_ACT_COMMIT, DV_NONE, arg1);
	one_action(t, DV_ACT_DISCARD, DV_NONE, arg1);
	clause_begin(t, DV_NONE);
	act_trace(t, arg0);
	act_trace(t, arg0);
	clause_end(t, 0);
	count_clause(t, arg0);
	one_action(t, DV_ACT_EXPR, DV_NONE,
	    difo_store(t, DIF_OP_STTS, var_add(t, DV_VS_TLS, 0, DV_T_INT, 8, 0)));
	one_action(t, DV_ACT_EXPR, DV_NONE, difo_element(t));
	one_action(t, DV_ACT_EXPR, DV_NONE, difo_string(t));
	one_action(t, DV_ACT_TRACE, DV_NONE, difo_deref(t));
	one_action(t, DV_ACT_TRACE, DV_NONE, difo_divide(t, false));
	one_action(t, DV_ACT_TRACE, arg1, arg0);
	clause_begin(t, DV_NONE);
	act_rec(t, DV_ACT_EXIT, difo_const(t, 3), DV_T_INT, 4);
	clause_end(t, 0);
	one_action(t, DV_ACT_TRACE, DV_NONE, difo_const(t, 12345));
	one_action(t, DV_ACT_TRACE, DV_NONE, arg0);
	one_action(t, DV_ACT_TRACE, DV_NONE, difo_divide(t, true));
}

static void
stress_init(struct stress *x, uint64_t bufsize, unsigned policy)
{
	struct tb *t = &x->t;
	uint32_t p, i, args;

	memset(x, 0, sizeof(*x));
	x->rng = 88172645463325252ull;
	x->exit_at = DV_NONE;
	tb_init(t, NVCPU);
	t->b.opts[DV_OPT_BUFSIZE] = bufsize;
	t->b.opts[DV_OPT_BUFPOLICY] = policy;
	t->b.opts[DV_OPT_NSPEC] = NSPEC;
	t->b.opts[DV_OPT_SPECSIZE] = 256;
	t->b.opts[DV_OPT_STRSIZE] = 64;
	t->b.opts[DV_OPT_DYNVARSIZE] = 8192;		/* some 30 chunks */
	make_clauses(t);
	args = argset_add(t);
	for (i = 0; i < NSITE; i++) {
		p = probe_add(t, "p", 0);
		ecb_add(t, p, i);
		(void)rule_add(t, DV_RULE_FIRE, p, args);
		site_add(t, 1);
	}
	p = probe_add(t, "profile", 0);
	ecb_add(t, p, TIMER);
	EXPECT_EQ(dv_vec_push(&t->b.timers, (struct dv_timer){ .probe = p,
	    .flags = DV_TIMER_ALLVCPU, .period = 1000000 }), 0);
	p = probe_add(t, "ERROR", DV_PF_ERROR);
	ecb_add(t, p, ERROR);
	ecb_add(t, p, ERROR_FAULTS);
	for (i = 0; i < NVCPU; i++) {
		x->v[i].rng = 0x9e3779b97f4a7c15ull * (i + 1);
		for (p = 0; p < 2; p++)
			x->v[i].task[p] = dv_sim_task(t->sim, 100 + 2 * i + p, 100 + i, "t", 0);
		dv_sim_current(t->sim, i, x->v[i].task[0]);
	}
	tb_go(t);
}

/* One hit. What comes often is what the machine has to keep apart. */
static void
anything(struct dv_sim *sim, unsigned vcpu, unsigned i, void *arg)
{
	static const uint8_t what[] = {
		OPEN, SAY, SAY, SAY, SAY, SAY, COMMIT, DISCARD, RECORD, RECORD, COUNT, COUNT,
		SET, SET, ELEMENT, ELEMENT, STRING, BADADDR, DIVIDE, PREDICATE
	};
	struct stress *x = arg;
	uint32_t turns = __atomic_load_n(&x->turns, __ATOMIC_RELAXED);
	struct vcpu *v = &x->v[vcpu];
	uint64_t r = next(&v->rng), *reg = dv_sim_reg(sim, vcpu);
	unsigned site = what[(r >> 8) % sizeof(what)];

	/* however the host schedules threads, they do meet now and then */
	while (i % 1000 == 0 && __atomic_load_n(&x->turns, __ATOMIC_RELAXED) - turns < 16)
		sched_yield();
	if (r % 64 == 0)
		dv_sim_current(sim, vcpu, v->task[r >> 6 & 1]);
	if (vcpu == 1 && i == x->exit_at)
		site = EXIT;
	reg[DV_REG_RDI] = site == COUNT || site == ELEMENT ? (r >> 20) % 61 :
	    site == SET || site == STRING ? (r >> 20) % 2 :
	    site == BADADDR ? 8 : r >> 20;
	reg[DV_REG_RSI] = site <= DISCARD ? 1 + (r >> 40) % NSPEC :
	    site == PREDICATE || site == ELEMENT || site == DIVIDE ? (r >> 40) % 3 : 0;
	v->hits[site]++;
	if (site == PREDICATE && reg[DV_REG_RSI] == 0)
		v->untrue++;
	dv_sim_hit(sim, vcpu, site);
}

static void
read_records(struct stress *x, const uint8_t *p, const struct dv_snap *snap)
{
	uint64_t off;

	for (off = 0; off < snap->len; ) {
		const struct dv_rec *r = (const void *)(p + off);
		const uint64_t *d = (const uint64_t *)(r + 1);

		if (r->epid == 0) {		/* a ring's gap or end */
			off += 8;
			continue;
		}
		if (r->epid == DV_EPID_FAULT) {
			x->faults++;
			off += sizeof(struct dv_fault_rec);
			continue;
		}
		if (r->epid > NECB || record_size[r->epid - 1] == 0) {
			x->torn = true;
			return;
		}
		if ((r->epid == SAY + 1 || r->epid == RECORD + 1) && d[0] != d[1])
			x->torn = true;
		if (r->epid == TIMER + 1 && d[0] != 12345)
			x->torn = true;
		x->read[r->epid - 1]++;
		off += sizeof(*r) + record_size[r->epid - 1];
	}
	if (off != snap->len)
		x->torn = true;
}

static void
drain_cpu(struct stress *x, unsigned cpu)
{
	struct dv_snap snap;
	const uint8_t *p;
	uint64_t off;

	p = dv_sim_snap(x->t.sim, cpu, DV_BUF_PRINCIPAL, &snap);
	read_records(x, p, &snap);
	p = dv_sim_snap(x->t.sim, cpu, DV_BUF_AGG, &snap);
	for (off = 0; off < snap.len; ) {
		const struct dv_agg_entry *e = (const void *)(p + off);

		x->counted += *(const uint64_t *)(p + off + e->size - 8);
		off += e->size;
	}
}

static void *
control(void *arg)
{
	struct stress *x = arg;
	struct dv_account a;
	struct dv_status st;
	uint64_t r;

	while (!__atomic_load_n(&x->done, __ATOMIC_ACQUIRE)) {
		r = next(&x->rng);
		__atomic_fetch_add(&x->turns, 1, __ATOMIC_RELAXED);
		switch (r % 8) {
		case 0:
		case 1:
			drain_cpu(x, (unsigned)(r >> 8) % (NVCPU + 1));
			break;
		case 2:
			dv_status(dv_sim_state(x->t.sim), &st);
			break;
		case 3:
			(void)dv_account(dv_sim_state(x->t.sim), (uint32_t)(r >> 8) % NECB, &a);
			break;
		case 4:
			x->timers++;
			dv_sim_timer(x->t.sim, (int)((r >> 8) % NVCPU), 0);
			break;
		default:
			dv_sim_clean(x->t.sim);
		}
	}
	return NULL;
}

/* What each clause's account, the hits made and the records read say. */
static void
check_books(struct stress *x, struct dv_account *a, bool exited)
{
	struct dv_status st;
	uint64_t hits, untrue = 0, faulted = 0;
	unsigned i, v;

	for (i = 0; i < NECB; i++) {
		expect_account(&x->t, i, &a[i]);
		EXPECT_EQ(a[i].recorded, x->read[i]);
		if (i < ERROR)
			faulted += a[i].faulted;
		if (i >= NSITE || exited)
			continue;
		for (hits = 0, v = 0; v < NVCPU; v++)
			hits += x->v[v].hits[i];
		EXPECT_EQ(a[i].fired + a[i].untrue, hits);
	}
	for (v = 0; v < NVCPU; v++)
		untrue += x->v[v].untrue;
	EXPECT(!x->torn);
	EXPECT_EQ(x->counted, a[COUNT].norecord);
	dv_status(dv_sim_state(x->t.sim), &st);
	EXPECT_EQ(st.errors, faulted);
	EXPECT_EQ(st.dblerrors, a[ERROR_FAULTS].faulted);
	EXPECT_EQ(a[ERROR].faulted, 0);
	EXPECT_EQ(st.exiting, exited);
	if (exited)
		return;
	EXPECT_EQ(a[PREDICATE].untrue, untrue);
	EXPECT_EQ(a[TIMER].fired, x->timers);
	EXPECT_EQ(a[ERROR].fired, faulted);
	EXPECT_EQ(a[BADADDR].faulted + a[BADADDR].dropped, a[BADADDR].fired);
	EXPECT_EQ(st.spec_drops, a[SAY].spec_dropped);
}

static void
stress(uint64_t bufsize, unsigned policy, bool exits)
{
	static struct stress x;
	struct dv_account a[NECB];
	unsigned n = hits_per_vcpu(), i;
	struct dv_status st;
	uint64_t dropped = 0;
	pthread_t th;

	stress_init(&x, bufsize, policy);
	if (exits)
		x.exit_at = n / 2;
	EXPECT_EQ(pthread_create(&th, NULL, control, &x), 0);
	dv_sim_threads(x.t.sim, n, anything, &x);
	__atomic_store_n(&x.done, 1, __ATOMIC_RELEASE);
	pthread_join(th, NULL);
	dv_sim_stop(x.t.sim);
	for (i = 0; i < 2 * (NVCPU + 1); i++)
		drain_cpu(&x, i / 2);
	check_books(&x, a, exits);
	dv_status(dv_sim_state(x.t.sim), &st);
	for (i = 0; i < NECB; i++)
		dropped += a[i].dropped;
	/* a fault has a record of its own; fill and ring lose without a drop */
	EXPECT_EQ(st.principal_drops,
	    policy == DV_BUFPOLICY_SWITCH ? dropped + st.errors - x.faults : 0);
	/* where a buffer is full for good, OPEN does not run either */
	if (!exits && policy != DV_BUFPOLICY_FILL) {
		EXPECT(a[SAY].recorded + a[SAY].dropped + a[SAY].overwritten > 0);
		EXPECT(a[SAY].spec_discarded > 0);
		EXPECT(a[SAY].spec_refused > 0);
	}
	if (policy == DV_BUFPOLICY_RING)
		EXPECT(a[RECORD].overwritten > 0);
	if (policy == DV_BUFPOLICY_FILL)
		EXPECT(st.filled && a[RECORD].dropped > 0);
	tb_fini(&x.t);
}

TEST(books_with_switched_buffers)
{
	stress(1 << 20, DV_BUFPOLICY_SWITCH, false);
}

TEST(books_with_buffers_that_overflow)
{
	stress(600, DV_BUFPOLICY_SWITCH, false);
}

TEST(books_with_fill_buffers)
{
	stress(5000, DV_BUFPOLICY_FILL, false);
}

TEST(books_with_rings)
{
	stress(2000, DV_BUFPOLICY_RING, false);
}

TEST(books_with_exit_in_the_middle)
{
	stress(1 << 20, DV_BUFPOLICY_SWITCH, true);
}

static uint64_t
chunks_free(struct stress *x)
{
	struct dv_status before, after;
	uint64_t i, *reg = dv_sim_reg(x->t.sim, 0);

	dv_status(dv_sim_state(x->t.sim), &before);
	for (i = 0; i < 1000; i++) {
		reg[DV_REG_RDI] = 1000000 + i;
		reg[DV_REG_RSI] = 1;
		dv_sim_hit(x->t.sim, 0, ELEMENT);
	}
	dv_status(dv_sim_state(x->t.sim), &after);
	return 1000 - (after.dyn_drops - before.dyn_drops);
}

/* Nothing leaks: after the storm all speculations and all chunks are there. */
TEST(nothing_is_lost_in_a_storm)
{
	static struct stress x, fresh;
	struct dv_status before, after;
	unsigned i, n = hits_per_vcpu();
	uint64_t *reg;
	pthread_t th;

	stress_init(&x, 1 << 20, DV_BUFPOLICY_SWITCH);
	EXPECT_EQ(pthread_create(&th, NULL, control, &x), 0);
	dv_sim_threads(x.t.sim, n, anything, &x);
	__atomic_store_n(&x.done, 1, __ATOMIC_RELEASE);
	pthread_join(th, NULL);
	reg = dv_sim_reg(x.t.sim, 0);
	for (i = 1; i <= NSPEC; i++) {
		reg[DV_REG_RSI] = i;
		dv_sim_hit(x.t.sim, 0, DISCARD);
	}
	dv_sim_clean(x.t.sim);
	dv_status(dv_sim_state(x.t.sim), &before);
	for (i = 0; i < NSPEC; i++)
		dv_sim_hit(x.t.sim, 0, OPEN);
	dv_status(dv_sim_state(x.t.sim), &after);
	EXPECT_EQ(after.spec_busy + after.spec_unavail, before.spec_busy + before.spec_unavail);
	dv_sim_hit(x.t.sim, 0, OPEN);
	dv_status(dv_sim_state(x.t.sim), &after);
	EXPECT_EQ(after.spec_unavail, before.spec_unavail + 1);
	for (i = 0; i < 61; i++) {
		reg[DV_REG_RDI] = i;
		reg[DV_REG_RSI] = 0;
		dv_sim_hit(x.t.sim, 0, ELEMENT);
	}
	reg[DV_REG_RDI] = 0;
	for (i = 0; i < 2 * NVCPU; i++) {
		dv_sim_current(x.t.sim, 0, x.v[i / 2].task[i % 2]);
		dv_sim_hit(x.t.sim, 0, SET);
		dv_sim_hit(x.t.sim, 0, STRING);
	}
	dv_sim_clean(x.t.sim);
	dv_sim_clean(x.t.sim);
	stress_init(&fresh, 1 << 20, DV_BUFPOLICY_SWITCH);
	EXPECT_EQ(chunks_free(&x), chunks_free(&fresh));
	tb_fini(&fresh.t);
	tb_fini(&x.t);
}

/* A variable of the thread and an element that nobody else has come and go. */
static void
pair(struct dv_sim *sim, unsigned vcpu, unsigned i, void *arg)
{
	uint64_t *reg = dv_sim_reg(sim, vcpu);
	unsigned set = (unsigned)(uintptr_t)arg;

	reg[DV_REG_RDI] = set == SET ? 1 : 1000 * vcpu + i % 1000;
	reg[DV_REG_RSI] = 1;
	dv_sim_hit(sim, vcpu, set);
	if (set == SET)
		reg[DV_REG_RDI] = 0;
	reg[DV_REG_RSI] = 0;
	dv_sim_hit(sim, vcpu, set);
}

/* PAIRS (100000) of them on one vCPU, and as many on all of them together. */
TEST(store_and_clear_leak_nothing)
{
	static struct stress x, fresh;
	const char *env = getenv("PAIRS");
	unsigned n = env != NULL ? (unsigned)strtoul(env, NULL, 10) : 100000, i;
	struct dv_status st;
	pthread_t th;

	stress_init(&x, 1 << 20, DV_BUFPOLICY_SWITCH);
	for (i = 0; i < n; i++)
		pair(x.t.sim, 0, i, (void *)(uintptr_t)SET);
	dv_status(dv_sim_state(x.t.sim), &st);	/* without cleaning, too */
	EXPECT_EQ(st.dyn_drops + st.dyn_dirty_drops + st.dyn_rinsing_drops, 0);
	for (i = 0; i < n / 10; i++) {
		pair(x.t.sim, 0, i, (void *)(uintptr_t)ELEMENT);
		if (i % 8 == 0)
			dv_sim_clean(x.t.sim);
	}
	dv_status(dv_sim_state(x.t.sim), &st);
	EXPECT_EQ(st.dyn_drops + st.dyn_dirty_drops + st.dyn_rinsing_drops, 0);
	EXPECT_EQ(pthread_create(&th, NULL, control, &x), 0);
	dv_sim_threads(x.t.sim, n / NVCPU, pair, (void *)(uintptr_t)SET);
	dv_sim_threads(x.t.sim, n / NVCPU / 10, pair, (void *)(uintptr_t)ELEMENT);
	__atomic_store_n(&x.done, 1, __ATOMIC_RELEASE);
	pthread_join(th, NULL);
	dv_sim_clean(x.t.sim);
	dv_sim_clean(x.t.sim);
	stress_init(&fresh, 1 << 20, DV_BUFPOLICY_SWITCH);
	EXPECT_EQ(chunks_free(&x), chunks_free(&fresh));
	tb_fini(&fresh.t);
	tb_fini(&x.t);
}

TEST_MAIN()
