/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core.c - what the probe machine costs per hit, on the scripted guest.
 *
 *	core [CASE [HITS]]
 *
 * Prints nanoseconds per hit, the best of ROUNDS rounds: of the whole hit, and
 * over a site without a rule; beside it the same work in plain C (plain.c) and in
 * eBPF (bpf.c), which take turns with it. Then how fast the consumer prints, what
 * a vCPU takes of memory, and how hits of several vCPUs add up. With CASE only
 * that one runs, HITS times, without a clock: for callgrind, which counts
 * instructions exactly. Machines are noisy, so compare lines of one run.
 */
#include "../unit/core_help.h"
#include "beside.h"
#include "cli/consume/cn.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS	60
#define HITS	20000
#define VCPU	1		/* an odd one: has a RAM window, as under QEMU */

struct bench {
	struct tb t;
	uint32_t site[3];
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

/* speculate(1); trace(arg0), and discard(1); the speculation is taken before each. */
static void
speculate_discard(struct bench *x)
{
	struct tb *t = &x->t;
	uint32_t one = difo_const(t, 1), arg = difo_var(t, DIF_VAR_ARG0), open;

	difo_begin(t);
	in(t, IW(CALL, DIF_SUBR_SPECULATION, 1));
	in(t, IRET(1));
	open = difo_end(t);
	clause_begin(t, DV_NONE);
	act_add(t, DV_ACT_EXPR, open);
	x->site[0] = simple_site(t, clause_end(t, DV_CL_NOREC));
	clause_begin(t, DV_NONE);
	act_add(t, DV_ACT_SPECULATE, one);
	act_trace(t, arg);
	x->site[1] = simple_site(t, clause_end(t, DV_CL_SPECULATES));
	clause_begin(t, DV_NONE);
	act_add(t, DV_ACT_DISCARD, one);
	x->site[2] = simple_site(t, clause_end(t, DV_CL_NOREC));
	x->nsite = 3;
}

static const struct {
	const char *name, *text;
	void (*make)(struct bench *);
	enum beside beside;
} cases[] = {
	{ "none", "a site without a rule", no_rule, BESIDE_NONE },
	{ "empty", "empty clause", empty, BESIDE_EMPTY },
	{ "caller", "empty clause, guard on the caller", empty_by_caller, BESIDE_NONE },
	{ "false", "predicate that is false", predicate_false, BESIDE_FALSE },
	{ "pid", "predicate on pid, false", predicate_pid, BESIDE_NONE },
	{ "count", "@[execname] = count()", count_by_execname, BESIDE_COUNT },
	{ "quantize", "quantize() of a delta, 2 hits", quantize_pair, BESIDE_QUANTIZE },
	{ "printf", "printf() of pid, execname, arg0", printf_three, BESIDE_PRINTF },
	{ "spec", "speculation, speculate, discard, 3 hits", speculate_discard, BESIDE_SPECULATE },
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

	for (i = 0; i < n; i++) {
		for (k = 0; k < x->nsite; k++)
			dv_sim_hit(sim, VCPU, x->site[k]);
		beside_fence();
	}
	(void)dv_sim_snap(sim, VCPU, DV_BUF_PRINCIPAL, &snap);
}

/* The best of ROUNDS rounds of hits, and of the same in plain C, in turns. */
static void
measure(struct bench *x, enum beside beside, double *hit, double *plain)
{
	uint64_t best[2] = { UINT64_MAX, UINT64_MAX }, took;
	unsigned r;

	for (r = 0; r < ROUNDS; r++) {
		took = now_ns();
		hits(x, HITS / 4);
		took = now_ns() - took;
		if (took < best[0])
			best[0] = took;
		took = now_ns();
		plain_run(beside, HITS / 4);
		took = now_ns() - took;
		if (took < best[1])
			best[1] = took;
	}
	*hit = (double)best[0] / (HITS / 4);
	*plain = (double)best[1] / (HITS / 4);
}

/* What the loop itself costs: a fence. */
static double
loop_cost(void)
{
	static double cost;
	uint64_t best = UINT64_MAX, took;
	unsigned r, i;

	for (r = 0; cost == 0 && r < ROUNDS; r++) {
		took = now_ns();
		for (i = 0; i < HITS; i++)
			beside_fence();
		took = now_ns() - took;
		if (took < best)
			best = took;
	}
	if (cost == 0)
		cost = (double)best / HITS;
	return cost;
}

static void
row(unsigned i, double *base)
{
	char why[512];
	double hit, plain, bpf;
	struct bench x;

	start(&x, cases[i].make);
	measure(&x, cases[i].beside, &hit, &plain);
	hit -= loop_cost();
	plain -= loop_cost();
	if (cases[i].beside == BESIDE_NONE && *base == 0)
		*base = hit;
	printf("%-40s %7.1f %8.1f", cases[i].text, hit, hit - *base * x.nsite);
	tb_fini(&x.t);
	if (cases[i].beside == BESIDE_NONE) {
		printf("\n");
		return;
	}
	printf(" %8.1f %5.1fx", plain, hit / plain);
	bpf = bpf_run(cases[i].beside, why, sizeof(why));
	if (bpf > 0)
		printf(" %8.1f %5.1fx\n", bpf, hit / bpf);
	else
		printf("        -\n");
	if (bpf == 0 && strncmp(why, "there is no", 11) != 0)
		printf("SKIP bench-core/%s in eBPF: %s\n", cases[i].name, why);
}

/* --- the consumer: records of 64 bytes to /dev/null */

static int null_fd;
static char outbuf[65536];
static size_t outlen;

static void
put(void *arg, const char *s, size_t n)
{
	(void)arg;
	if (outlen + n > sizeof(outbuf)) {
		(void)!write(null_fd, outbuf, outlen);
		outlen = 0;
	}
	if (n <= sizeof(outbuf)) {
		memcpy(outbuf + outlen, s, n);
		outlen += n;
	}
}

static void
line(void *arg, const char *s)
{
	(void)arg;
	(void)s;
}

/* printf("%d %s %d\n", pid, execname, arg0): 16 + 8 + 32 + 8 bytes. */
static void
drain(void)
{
	struct cn_config cfg = { .out = put, .msg = line, .ncpu = 3 };
	uint64_t best = UINT64_MAX, took, records = 0;
	uint32_t name, pid, arg, first;
	struct dv_snap snap;
	struct dv_err err;
	struct bench x;
	struct tb *t = &x.t;
	const uint8_t *p;
	struct dv_act *a;
	struct cn *cn;
	unsigned r, i;

	memset(&x, 0, sizeof(x));
	tb_init(t, 2);
	t->b.opts[DV_OPT_BUFSIZE] = 4 << 20;
	t->b.opts[DV_OPT_STRSIZE] = 32;
	t->b.opts[DV_OPT_QUIET] = 1;
	dv_sim_current(t->sim, VCPU, dv_sim_task(t->sim, 42, 42, "dvwork", 0));
	name = difo_var(t, DIF_VAR_EXECNAME);
	pid = difo_var(t, DIF_VAR_PID);
	arg = difo_var(t, DIF_VAR_ARG0);
	clause_begin(t, DV_NONE);
	first = dv_progb_str(&t->b, "%d %s %d\n");
	a = act_add(t, DV_ACT_PRINTF, DV_NONE);
	a->arg = first;
	a->nargs = 3;
	act_rec(t, DV_ACT_TRACE, pid, DV_T_INT, 4);
	act_rec(t, DV_ACT_TRACE, name, DV_T_STRING, 32)->rec.flags = DV_TF_BYREF;
	act_rec(t, DV_ACT_TRACE, arg, DV_T_INT, 8);
	one_site(&x, clause_end(t, 0));
	tb_go(t);
	cfg.prog = dv_state_prog(dv_sim_state(t->sim));
	EXPECT_EQ(cn_open(&cfg, &err, &cn), 0);
	null_fd = open("/dev/null", O_WRONLY);
	for (r = 0; r < 20; r++) {
		for (i = 0; i < 50000; i++) {
			dv_sim_reg(t->sim, VCPU)[DV_REG_RDI] = i;
			dv_sim_hit(t->sim, VCPU, x.site[0]);
		}
		p = dv_sim_snap(t->sim, VCPU, DV_BUF_PRINCIPAL, &snap);
		records = snap.len / 64;
		took = now_ns();
		EXPECT_EQ(cn_take_records(cn, VCPU, p, &snap, &err), 0);
		took = now_ns() - took;
		if (took < best)
			best = took;
	}
	printf("\nrecords of 64 bytes, printed to /dev/null   %8.2f million/s (%.0f ns each)\n",
	    (double)records * 1e3 / (double)best, (double)best / (double)records);
	cn_close(cn);
	close(null_fd);
	tb_fini(t);
}

/* --- memory and scaling */

static void
memory(void)
{
	size_t priv[2], shared[2], len;
	struct dv_err err;
	struct bench x;
	void *blob;
	unsigned i;

	start(&x, count_by_execname);
	for (i = 0; i < DV_NOPT; i++)
		x.t.b.opts[i] = 0;
#define DV_OPT(name, text, type, dflt, flags) x.t.b.opts[DV_OPT_##name] = (dflt);
#include "abi/opts.def"
	EXPECT_EQ(dv_progb_finish(&x.t.b, &err, &blob, &len), 0);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(dv_state_sizes(blob, len, i + 2, &priv[i], &shared[i], &x.t.why), 0);
	printf("memory of a vCPU, default options           %8.2f MB shared, %.2f MB private\n",
	    (double)(shared[1] - shared[0]) / 1e6, (double)(priv[1] - priv[0]) / 1e6);
	free(blob);
	tb_fini(&x.t);
}

static void
one_hit(struct dv_sim *sim, unsigned vcpu, unsigned i, void *arg)
{
	(void)i;
	dv_sim_hit(sim, vcpu, *(uint32_t *)arg);
}

/*
 * Wall time shows how hits add up if the host has CPUs for them; CPU time of a hit
 * shows what vCPUs cost each other, on any host.
 */
static void
scaling(const char *text, void (*make)(struct bench *))
{
	double wall, cpu, one = 0, best[2];
	unsigned n, r, v;
	clock_t used;
	struct bench x;

	printf("%s on several vCPUs (%ld host CPUs):\n", text, sysconf(_SC_NPROCESSORS_ONLN));
	for (n = 1; n <= 8; n *= 2) {
		memset(&x, 0, sizeof(x));
		tb_init(&x.t, n);
		x.t.b.opts[DV_OPT_BUFSIZE] = 4 << 20;
		for (v = 0; v < n; v++)
			dv_sim_current(x.t.sim, v, dv_sim_task(x.t.sim, 42, 42, "dvwork", 0));
		make(&x);
		tb_go(&x.t);
		for (best[0] = best[1] = 1e30, r = 0; r < 5; r++) {
			wall = (double)now_ns();
			used = clock();
			dv_sim_threads(x.t.sim, 200000, one_hit, &x.site[0]);
			cpu = (double)(clock() - used) * 1e9 / CLOCKS_PER_SEC;
			wall = (double)now_ns() - wall;
			best[0] = wall < best[0] ? wall : best[0];
			best[1] = cpu < best[1] ? cpu : best[1];
		}
		one = n == 1 ? best[0] : one;
		printf("    %u: %6.1f million hits/s (%.2fx), %.1f ns of CPU each\n", n,
		    n * 200000 * 1e3 / best[0], n * one / best[0], best[1] / (n * 200000));
		tb_fini(&x.t);
	}
}

int
main(int argc, char **argv)
{
	double base = 0;
	struct bench x;
	unsigned i;

	if (argc <= 1)
		printf("%-40s %7s %8s %8s %6s %8s\n", "ns", "a hit", "its own", "plain C", "",
		    "eBPF");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc > 1 && strcmp(argv[1], cases[i].name) != 0)
			continue;
		if (argc > 1) {
			start(&x, cases[i].make);
			hits(&x, argc > 2 ? (unsigned)atoi(argv[2]) : HITS);
			tb_fini(&x.t);
		} else {
			row(i, &base);
		}
	}
	if (argc > 1)
		return 0;
	drain();
	memory();
	scaling("@[execname] = count()", count_by_execname);
	return 0;
}
