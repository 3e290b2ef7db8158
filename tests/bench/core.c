/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core.c - what the probe machine costs per hit, on the scripted guest.
 *
 *	core [CASE [HITS]]
 *
 * Prints nanoseconds per hit: the best of ROUNDS rounds, less what the same
 * call costs for a site without a rule. With CASE only that one runs, HITS
 * times, without a clock: for callgrind, which counts instructions exactly.
 * Machines are noisy, so compare lines of one run.
 */
#include "../unit/core_help.h"

#include <stdio.h>
#include <time.h>

#define ROUNDS	60
#define HITS	20000
#define VCPU	1		/* an odd one: has a RAM window, as under QEMU */

struct bench {
	struct tb t;
	uint32_t site[2];
	unsigned nsite;
};

static void
one_site(struct bench *x, uint32_t clause)
{
	x->site[0] = simple_site(&x->t, clause);
	x->nsite = 1;
}

static void
no_rule(struct bench *x)
{
	clause_begin(&x->t, DV_NONE);
	one_site(x, clause_end(&x->t, DV_CL_DEFAULT));
	x->t.b.sites.v[0].nrule = 0;
}

static void
empty(struct bench *x)
{
	clause_begin(&x->t, DV_NONE);
	one_site(x, clause_end(&x->t, DV_CL_DEFAULT));
}

/* As at a system call handler that serves 32-bit callers, too. */
static void
empty_by_caller(struct bench *x)
{
	struct dv_argset raw;

	empty(x);
	memset(&raw, 0, sizeof(raw));
	raw.arg[0] = (struct dv_loc){ .kind = DV_LOC_MEM, .reg = DV_REG_RSP };
	EXPECT_EQ(dv_vec_push(&x->t.b.argsets, raw), 0);
	difo_begin(&x->t);
	in(&x->t, IW(LDGS, DIF_VAR_ARG0, 1));
	in_int(&x->t, 0, 2);
	in(&x->t, I3(CMP, 1, 2, 0));
	in(&x->t, IB(BE, 6));
	in(&x->t, I3(MOV, 0, 0, 1));
	in(&x->t, IRET(1));
	in_int(&x->t, 1, 1);
	in(&x->t, IRET(1));
	x->t.b.rules.v[0].guard = difo_end(&x->t);
	x->t.b.rules.v[0].raw = (uint32_t)x->t.b.argsets.n - 1;
}

static void
predicate_false(struct bench *x)
{
	uint32_t pred = difo_const(&x->t, 0);

	clause_begin(&x->t, pred);
	one_site(x, clause_end(&x->t, DV_CL_DEFAULT));
}

static void
predicate_pid(struct bench *x)
{
	uint32_t pred;

	difo_begin(&x->t);
	in(&x->t, IW(LDGS, DIF_VAR_PID, 1));
	in_int(&x->t, 1, 2);
	in(&x->t, I3(CMP, 1, 2, 0));
	in(&x->t, IB(BE, 6));
	in(&x->t, I3(MOV, 0, 0, 1));
	in(&x->t, IRET(1));
	in_int(&x->t, 1, 1);
	in(&x->t, IRET(1));
	pred = difo_end(&x->t);
	clause_begin(&x->t, pred);
	one_site(x, clause_end(&x->t, DV_CL_DEFAULT));
}

static void
count_by_execname(struct bench *x)
{
	struct tb *t = &x->t;
	uint32_t name = difo_var(t, DIF_VAR_EXECNAME);
	struct dv_act *a;

	agg_desc(t, DV_AGG_COUNT, 0, 1, 256, 1);
	clause_begin(t, DV_NONE);
	act_add(t, DV_ACT_AGG, DV_NONE)->nargs = 1;
	a = act_add(t, DV_ACT_TRACE, name);
	a->rec = (struct dv_dtype){ .kind = DV_T_STRING, .flags = DV_TF_BYREF, .size = 256 };
	one_site(x, clause_end(t, DV_CL_NOREC));
}

/* self->t = timestamp; and /self->t/ { quantize(timestamp - self->t); self->t = 0; } */
static void
quantize_pair(struct bench *x)
{
	struct tb *t = &x->t;
	uint16_t v = var_add(t, DV_VS_TLS, 0, DV_T_INT, 8, 0);
	uint32_t set, get, delta, clear;

	difo_begin(t);
	in(t, IW(LDGS, DIF_VAR_TIMESTAMP, 1));
	in(t, IW(STTS, v, 1));
	in(t, IRET(1));
	set = difo_end(t);
	difo_begin(t);
	in(t, IW(LDTS, v, 1));
	in(t, IRET(1));
	get = difo_end(t);
	difo_begin(t);
	in(t, IW(LDGS, DIF_VAR_TIMESTAMP, 1));
	in(t, IW(LDTS, v, 2));
	in(t, I3(SUB, 1, 2, 1));
	in(t, IRET(1));
	delta = difo_end(t);
	difo_begin(t);
	in(t, I3(MOV, 0, 0, 1));
	in(t, IW(STTS, v, 1));
	in(t, IRET(1));
	clear = difo_end(t);
	agg_desc(t, DV_AGG_QUANTIZE, 0, 0, 0, DV_QUANT_NBUCKETS);
	clause_begin(t, DV_NONE);
	act_add(t, DV_ACT_EXPR, set);
	x->site[0] = simple_site(t, clause_end(t, DV_CL_NOREC));
	clause_begin(t, get);
	act_add(t, DV_ACT_AGG, delta);
	act_add(t, DV_ACT_EXPR, clear);
	x->site[1] = simple_site(t, clause_end(t, DV_CL_NOREC));
	x->nsite = 2;
}

static void
printf_three(struct bench *x)
{
	struct tb *t = &x->t;
	uint32_t name = difo_var(t, DIF_VAR_EXECNAME), pid = difo_var(t, DIF_VAR_PID);
	uint32_t arg = difo_var(t, DIF_VAR_ARG0);

	clause_begin(t, DV_NONE);
	act_rec(t, DV_ACT_TRACE, pid, DV_T_INT, 4);
	act_rec(t, DV_ACT_TRACE, name, DV_T_STRING, 256)->rec.flags = DV_TF_BYREF;
	act_rec(t, DV_ACT_TRACE, arg, DV_T_INT, 8);
	one_site(x, clause_end(t, 0));
}

static const struct {
	const char *name, *text;
	void (*make)(struct bench *);
} cases[] = {
	{ "none", "a site without a rule (taken off below)", no_rule },
	{ "empty", "empty clause", empty },
	{ "caller", "empty clause, guard on the caller", empty_by_caller },
	{ "false", "predicate that is false", predicate_false },
	{ "pid", "predicate on pid, false", predicate_pid },
	{ "count", "@[execname] = count()", count_by_execname },
	{ "quantize", "quantize() of a thread-local delta, both", quantize_pair },
	{ "printf", "printf() of pid, execname, arg0", printf_three },
};

static uint64_t
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void
start(struct bench *x, void (*make)(struct bench *))
{
	struct tb *t = &x->t;
	uint64_t task, sp;

	tb_init(t, 2);
	t->b.opts[DV_OPT_BUFSIZE] = 4 << 20;
	t->b.opts[DV_OPT_AGGSIZE] = 4 << 20;
	task = dv_sim_task(t->sim, 0, 0, "swapper/0", 0);
	task = dv_sim_task(t->sim, 42, 42, "dvwork", task);
	dv_sim_current(t->sim, VCPU, task);
	/* a stack is mapped memory, off the direct map */
	sp = DV_SIM_TEXT + 4096;
	make(x);
	tb_go(t);
	dv_sim_reg(t->sim, VCPU)[DV_REG_RSP] = sp;
}

static void
hits(struct bench *x, unsigned n)
{
	struct dv_sim *sim = x->t.sim;
	struct dv_snap snap;
	unsigned i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < x->nsite; k++)
			dv_sim_hit(sim, VCPU, x->site[k]);
	(void)dv_sim_snap(sim, VCPU, DV_BUF_PRINCIPAL, &snap);
}

int
main(int argc, char **argv)
{
	uint64_t base = 0, best, took;
	struct bench x;
	unsigned i, r;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc > 1 && strcmp(argv[1], cases[i].name) != 0)
			continue;
		start(&x, cases[i].make);
		if (argc > 1) {
			hits(&x, argc > 2 ? (unsigned)atoi(argv[2]) : HITS);
			tb_fini(&x.t);
			continue;
		}
		best = UINT64_MAX;
		for (r = 0; r < ROUNDS; r++) {
			took = now_ns();
			hits(&x, HITS / 4);
			took = now_ns() - took;
			if (took < best)
				best = took;
		}
		tb_fini(&x.t);
		took = best * 10 / (HITS / 4);
		if (i == 0)
			base = took;
		else
			took = took > base * x.nsite ? took - base * x.nsite : 0;
		printf("%-44s %6llu.%llu ns\n", cases[i].text, (unsigned long long)took / 10,
		    (unsigned long long)took % 10);
	}
	return 0;
}
