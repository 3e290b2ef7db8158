/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_spec_test.c - speculations: states, cleaning, drops, accounts. */
#include "core_help.h"

#include <pthread.h>
#include <sched.h>

/*
 * Probes, a site each: open { global = speculation() }, say { speculate(ID);
 * trace(arg0) }, commit, discard { ...(ID) }, forge { commit(99) }, and both {
 * commit(1); commit(2) }. ID is arg1, or where that is 0 the global.
 */
enum { OPEN, SAY, COMMIT, DISCARD, FORGE, BOTH };

static void
spec_init_buf(struct tb *t, unsigned nvcpu, unsigned nspec, unsigned specsize, unsigned bufsize)
{
	static const char *const name[] = { "open", "say", "commit", "discard", "forge",
	    "both" };
	uint32_t get, p, i, args;
	uint16_t g;

	tb_init(t, nvcpu);
	t->b.opts[DV_OPT_NSPEC] = nspec;
	t->b.opts[DV_OPT_SPECSIZE] = specsize;
	t->b.opts[DV_OPT_BUFSIZE] = bufsize;
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
	clause_begin(t, DV_NONE);
	act_add(t, DV_ACT_COMMIT, difo_const(t, 1));
	act_add(t, DV_ACT_COMMIT, difo_const(t, 2));
	clause_end(t, DV_CL_NOREC | DV_CL_COMMITS);
	args = argset_add(t);
	for (i = 0; i < 6; i++) {
		p = probe_add(t, name[i], 0);
		ecb_add(t, p, i);
		(void)rule_add(t, DV_RULE_FIRE, p, args);
		site_add(t, 1);
	}
	tb_go(t);
}

static void
spec_init(struct tb *t, unsigned nvcpu, unsigned nspec, unsigned specsize)
{
	spec_init_buf(t, nvcpu, nspec, specsize, 65536);
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

/*
 * The reference, in words of what a user is promised, against the machine: a
 * random script of hits, each in the thread of its vCPU. For each speculation:
 * is it free, open or busy; who touched it; how many records lie where.
 */
enum { MAXCPU = 8, STEPS = 3000, WALK_NSPEC = 2, PART = 2, CLEAN = 4, NOP = 5 };
enum { FREE, OPENED, MINE, OTHERS, SHARED, COMMITTING, DISCARDING, NKIND };

struct step {
	uint8_t vcpu, op, id;
};

struct seen {
	struct dv_account say;
	uint64_t busy, unavail, delivered[MAXCPU];
	uint32_t got;			/* by speculation(); ~0: not asked */
};

struct walk {
	struct tb t;
	unsigned nvcpu;
	struct step step[STEPS];
	struct seen saw[STEPS], want;
	struct { unsigned state, touched, n[MAXCPU]; } spec[WALK_NSPEC + 1];
	unsigned met[NKIND][NOP];
	pthread_mutex_t lock;
	pthread_cond_t turned;
	unsigned turn;
};

static void
walk_see(struct walk *w, struct seen *s)
{
	struct dv_status st;
	struct dv_snap snap;
	const uint64_t *p;
	unsigned cpu;
	uint64_t i;

	s->got = ~0u;
	for (cpu = 0; cpu < w->nvcpu; cpu++) {
		p = (const void *)dv_sim_snap(w->t.sim, cpu, DV_BUF_PRINCIPAL, &snap);
		for (i = 0; i < snap.len / 8; i += 3)	/* all records have one field */
			if ((uint32_t)p[i] == SAY + 1)
				s->delivered[cpu]++;
			else
				s->got = (uint32_t)p[i + 2];
	}
	(void)dv_account(dv_sim_state(w->t.sim), SAY, &s->say);
	dv_status(dv_sim_state(w->t.sim), &st);
	s->busy = st.spec_busy;
	s->unavail = st.spec_unavail;
}

static void
walk_thread(struct dv_sim *sim, unsigned vcpu, unsigned i, void *arg)
{
	struct walk *w = arg;
	const struct step *s;
	unsigned k;

	(void)i;
	for (k = 0; k < STEPS; k++) {
		s = &w->step[k];
		pthread_mutex_lock(&w->lock);
		while (w->turn < k)
			pthread_cond_wait(&w->turned, &w->lock);
		if (s->vcpu == vcpu) {
			dv_sim_reg(sim, vcpu)[DV_REG_RDI] = k;
			dv_sim_reg(sim, vcpu)[DV_REG_RSI] = s->id;
			if (s->op == CLEAN)
				dv_sim_clean(sim);
			else
				dv_sim_hit(sim, vcpu, s->op);
			walk_see(w, &w->saw[k]);
			w->turn = k + 1;
			pthread_cond_broadcast(&w->turned);
		}
		pthread_mutex_unlock(&w->lock);
	}
}

static unsigned
kind_of(const struct walk *w, unsigned id, unsigned vcpu)
{
	unsigned touched = w->spec[id].touched;

	if (w->spec[id].state != OPENED)
		return w->spec[id].state;
	return touched == 0 ? OPENED : touched == 1u << vcpu ? MINE :
	    (touched & (touched - 1)) == 0 ? OTHERS : SHARED;
}

/* n records of a CPU leave its part. */
static void
walk_settle(struct walk *w, unsigned id, unsigned cpu, bool commit)
{
	unsigned n = w->spec[id].n[cpu];

	w->want.say.speculated -= n;
	if (commit) {
		w->want.say.recorded += n;
		w->want.delivered[cpu] += n;
	} else {
		w->want.say.spec_discarded += n;
	}
	w->spec[id].n[cpu] = 0;
}

static void
walk_open(struct walk *w)
{
	unsigned id, busy = 0;

	for (id = 1; id <= WALK_NSPEC; id++) {
		if (w->spec[id].state == FREE) {
			w->spec[id].state = OPENED;
			w->spec[id].touched = 0;
			w->want.got = id;
			return;
		}
		busy += w->spec[id].state != OPENED;
	}
	w->want.got = 0;
	if (busy == WALK_NSPEC)
		w->want.busy++;
	else
		w->want.unavail++;
}

static void
walk_expect(struct walk *w, const struct step *s)
{
	unsigned id = s->id, cpu, c;
	bool end = s->op == COMMIT || s->op == DISCARD;

	w->want.got = ~0u;
	if (s->op == CLEAN) {
		for (id = 1; id <= WALK_NSPEC; id++) {
			if (w->spec[id].state == FREE || w->spec[id].state == OPENED)
				continue;
			for (c = 0; c < w->nvcpu; c++)
				walk_settle(w, id, c, w->spec[id].state == COMMITTING);
			w->spec[id].state = FREE;
		}
		return;
	}
	if (s->op == OPEN) {
		walk_open(w);
		return;
	}
	cpu = s->vcpu;
	w->met[kind_of(w, id, cpu)][s->op]++;
	if (s->op == SAY) {
		w->want.say.fired++;
		if (w->spec[id].state != OPENED) {
			w->want.say.spec_refused++;
			return;
		}
		w->spec[id].touched |= 1u << cpu;
		if (w->spec[id].n[cpu] == PART) {
			w->want.say.spec_dropped++;
			return;
		}
		w->spec[id].n[cpu]++;
		w->want.say.speculated++;
	}
	if (end && w->spec[id].state == OPENED) {
		walk_settle(w, id, cpu, s->op == COMMIT);
		w->spec[id].state = (w->spec[id].touched & ~(1u << cpu)) == 0 ? FREE :
		    s->op == COMMIT ? COMMITTING : DISCARDING;
	}
}

static void
walk(unsigned nvcpu)
{
	static const uint8_t ops[] = { OPEN, OPEN, SAY, SAY, SAY, SAY, COMMIT, DISCARD, CLEAN };
	static struct walk w;
	uint64_t x = 88172645463325252ull + nvcpu;
	unsigned k, c;

	memset(&w, 0, sizeof(w));
	w.nvcpu = nvcpu;
	pthread_mutex_init(&w.lock, NULL);
	pthread_cond_init(&w.turned, NULL);
	for (k = 0; k < STEPS; k++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		w.step[k] = (struct step){ (uint8_t)((x >> 8) % nvcpu),
		    ops[(x >> 16) % sizeof(ops)], (uint8_t)(1 + (x >> 24) % WALK_NSPEC) };
	}
	spec_init(&w.t, nvcpu, WALK_NSPEC, PART * 24);
	dv_sim_threads(w.t.sim, 1, walk_thread, &w);
	for (k = 0; k < STEPS; k++) {
		walk_expect(&w, &w.step[k]);
		EXPECT_EQ(w.saw[k].got, w.want.got);
		EXPECT_EQ(w.saw[k].busy, w.want.busy);
		EXPECT_EQ(w.saw[k].unavail, w.want.unavail);
		EXPECT_MEMEQ(&w.saw[k].say, &w.want.say, sizeof(w.want.say));
		for (c = 0; c < nvcpu; c++)
			EXPECT_EQ(w.saw[k].delivered[c], w.want.delivered[c]);
		memset(w.want.delivered, 0, sizeof(w.want.delivered));
	}
	for (k = 0; k < NKIND; k++)
		for (c = SAY; c <= DISCARD; c++)
			EXPECT(w.met[k][c] > 0 || (nvcpu == 1 && k >= OTHERS));
	tb_fini(&w.t);
}

TEST(every_transition_on_1_vcpu)
{
	walk(1);
}

TEST(every_transition_on_2_vcpus)
{
	walk(2);
}

TEST(every_transition_on_8_vcpus)
{
	walk(8);
}

/* Two vCPUs open, speculate, commit and discard at random; a third party cleans. */
struct storm {
	uint64_t hits[2][5];		/* by vCPU and site */
	uint64_t delivered;		/* records of SAY */
	unsigned done, passes;		/* vCPUs; of the cleaner; atomic */
};
enum { STORM_HITS = 30000 };

static void
storm_drain(struct dv_sim *sim, struct storm *st, unsigned cpu)
{
	struct dv_snap snap;
	const uint64_t *p = (const void *)dv_sim_snap(sim, cpu, DV_BUF_PRINCIPAL, &snap);
	uint64_t i;

	for (i = 0; i < snap.len / 8; i += 3)
		st->delivered += (uint32_t)p[i] == SAY + 1;
}

static void
anything(struct dv_sim *sim, unsigned vcpu, unsigned i, void *arg)
{
	static const uint32_t what[] = { OPEN, SAY, SAY, SAY, COMMIT, SAY, DISCARD, SAY };
	uint64_t x = ((uint64_t)vcpu << 32 | i) * 0x9e3779b97f4a7c15ull;
	struct storm *st = arg;
	uint32_t site;
	unsigned passes;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	site = what[(x >> 13) % 8];

	/* however the host schedules threads, they do meet now and then */
	passes = __atomic_load_n(&st->passes, __ATOMIC_ACQUIRE);
	while (vcpu != 2 && i % 500 == 0 &&
	    __atomic_load_n(&st->passes, __ATOMIC_ACQUIRE) < passes + 2)
		sched_yield();
	if (vcpu == 2) {		/* until both have made all their hits */
		while (__atomic_load_n(&st->done, __ATOMIC_ACQUIRE) < 2) {
			dv_sim_clean(sim);
			storm_drain(sim, st, site % 2);
			site = __atomic_add_fetch(&st->passes, 1, __ATOMIC_RELEASE);
			sched_yield();
		}
		return;
	}
	dv_sim_reg(sim, vcpu)[DV_REG_RSI] = 1 + (x >> 20) % 2;
	st->hits[vcpu][site]++;
	dv_sim_hit(sim, vcpu, site);
	if (i == STORM_HITS - 1)
		__atomic_fetch_add(&st->done, 1, __ATOMIC_RELEASE);
}

TEST(accounts_hold_under_a_storm)
{
	struct storm storm = { 0 };
	struct dv_account a[3];
	struct dv_status st;
	struct tb t;
	unsigned i;

	/* room for all: where OPEN's own record is dropped, nothing is opened */
	spec_init_buf(&t, 3, 2, 512, 1 << 20);
	dv_sim_threads(t.sim, STORM_HITS, anything, &storm);
	/* nothing is stuck: both can be had after what is open was discarded */
	for (i = 1; i <= 2; i++) {
		dv_sim_reg(t.sim, 0)[DV_REG_RSI] = i;
		dv_sim_hit(t.sim, 0, DISCARD);
	}
	dv_sim_clean(t.sim);
	for (i = 0; i < 4; i++)
		storm_drain(t.sim, &storm, i / 2);
	dv_status(dv_sim_state(t.sim), &st);
	EXPECT_EQ(open_spec(&t), 1);
	EXPECT_EQ(open_spec(&t), 2);
	for (i = OPEN; i <= COMMIT; i++)
		expect_account(&t, i, &a[i]);
	/* of each clause, as many as were hit; and each record was delivered, or not */
	EXPECT_EQ(a[OPEN].fired, storm.hits[0][OPEN] + storm.hits[1][OPEN] + 2);
	EXPECT_EQ(a[SAY].fired, storm.hits[0][SAY] + storm.hits[1][SAY]);
	EXPECT_EQ(a[COMMIT].norecord, storm.hits[0][COMMIT] + storm.hits[1][COMMIT]);
	EXPECT_EQ(a[SAY].recorded, storm.delivered);
	EXPECT_EQ(a[SAY].speculated, 0);
	EXPECT_EQ(a[SAY].spec_dropped, st.spec_drops);
	EXPECT_EQ(a[SAY].dropped + a[OPEN].dropped + st.principal_drops, 0);
	EXPECT(a[SAY].recorded > 0);
	EXPECT(a[SAY].spec_discarded > 0);
	EXPECT(a[SAY].spec_refused > 0);
	tb_fini(&t);
}

/* A vCPU that is halted, or gone, runs nothing more: nobody waits for it. */
TEST(a_vcpu_that_stopped_delays_no_commit)
{
	struct tb t;
	unsigned i;

	spec_init(&t, 8, 1, 1024);
	for (i = 0; i < 100; i++) {
		EXPECT_EQ(open_spec(&t), 1);
		say(&t, 0, i);
		say(&t, 1 + i % 7, i);		/* and never again in this turn */
		dv_sim_hit(t.sim, 0, i % 2 == 0 ? COMMIT : DISCARD);
		EXPECT_EQ(open_spec(&t), 0);
		dv_sim_clean(t.sim);
		EXPECT_EQ(records(&t, 1 + i % 7), i % 2 == 0);
	}
	tb_fini(&t);
}

/* commit() of several in one clause: each its own part, at once. */
TEST(several_commits_in_one_hit)
{
	struct tb t;

	spec_init(&t, 1, 2, 1024);
	EXPECT_EQ(open_spec(&t), 1);
	EXPECT_EQ(open_spec(&t), 2);
	dv_sim_reg(t.sim, 0)[DV_REG_RSI] = 1;
	say(&t, 0, 10);
	dv_sim_reg(t.sim, 0)[DV_REG_RSI] = 2;
	say(&t, 0, 20);
	say(&t, 0, 21);
	EXPECT_EQ(records(&t, 0), 0);
	dv_sim_hit(t.sim, 0, BOTH);
	EXPECT_EQ(records(&t, 0), 3);
	EXPECT_EQ(account(&t).recorded, 3);
	dv_sim_reg(t.sim, 0)[DV_REG_RSI] = 0;
	EXPECT_EQ(open_spec(&t), 1);
	EXPECT_EQ(open_spec(&t), 2);
	tb_fini(&t);
}

TEST_MAIN()
