/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prog.c - fuzzes the check of a blob, and what runs after it. The input is a
 * list of changes to a sound program, 8 bytes each: which 32-bit word, and its
 * new value. What is still accepted is run on a sim guest, with hits, timers,
 * switches and cleaning; the accounts must add up whatever it does.
 */
#include "base/progb.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct dv_progb b;

static void
push(uint32_t instr)
{
	if (dv_vec_push(&b.text, instr) != 0)
		abort();
}

static uint32_t
difo(const uint32_t *text, size_t n)
{
	struct dv_difo d = { .text = (uint32_t)b.text.n, .ntext = (uint32_t)n,
	    .nints = (uint32_t)b.ints.n, .nstrs = (uint32_t)b.difstrs.len };
	size_t i;

	for (i = 0; i < n; i++)
		push(text[i]);
	if (dv_vec_push(&b.difos, d) != 0)
		abort();
	return (uint32_t)b.difos.n - 1;
}
#define I3(op, r1, r2, rd)	DIF_INSTR_FMT(DIF_OP_##op, r1, r2, rd)
#define IW(op, index, rd)	DIF_INSTR_WIDE(DIF_OP_##op, index, rd)
#define DIFO(...)							\
	difo((const uint32_t[]){ __VA_ARGS__ },				\
	    sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))
#define RET1	I3(RET, 0, 0, 1)
#define PUSH(vec, ...)							\
	do {								\
		if (dv_vec_push(vec, __VA_ARGS__) != 0)			\
			abort();					\
	} while (0)

static void
make_difos(void)
{
	static const uint64_t ints[] = { 0, 1, 2, 8, 64, ~0ull, DV_SIM_TEXT + 4090, 0x10 };
	static const char strs[] = "a/b\0//c/../d\0 x,y";
	size_t i;

	for (i = 0; i < sizeof(ints) / sizeof(ints[0]); i++)
		PUSH(&b.ints, ints[i]);
	dv_str_addn(&b.difstrs, strs, sizeof(strs));
	for (i = 0; i < 8; i++)
		PUSH(&b.vars, (struct dv_var){ 0, (uint16_t)(DIF_VAR_USER + i),
		    (uint8_t)(i % 4 == 3 ? DV_VS_GLOBAL : i % 4), i == 3 || i == 5 || i == 7,
		    { i < 4 ? DV_T_INT : DV_T_STRING, i < 4 ? 0 : DV_TF_BYREF, 0,
		    i < 4 ? 8 : 32 } });
	DIFO(IW(LDGS, DIF_VAR_ARG0, 1), RET1);
	DIFO(IW(LDGS, DIF_VAR_EXECNAME, 1), RET1);
	DIFO(IW(SETX, 6, 1), I3(LDX, 1, 0, 1), RET1);
	DIFO(IW(SETS, 0, 1), I3(PUSHTR, DV_T_STRING, 0, 1), IW(LDGS, DIF_VAR_ARG0, 2),
	    I3(PUSHTV, DV_T_INT, 0, 2), IW(STGAA, 0x503, 2), RET1);
	DIFO(IW(SETS, 4, 1), I3(PUSHTR, DV_T_STRING, 0, 1), IW(CALL, DIF_SUBR_CLEANPATH, 1),
	    IW(STGS, 0x504, 1), IW(LDGS, 0x504, 1), RET1);
	DIFO(IW(LDGS, DIF_VAR_PID, 1), I3(PUSHTV, DV_T_INT, 0, 1), IW(SETS, 0, 2),
	    IW(STTAA, 0x505, 2), IW(LDTS, 0x501, 3), I3(ADD, 3, 1, 3), IW(STTS, 0x501, 3), RET1);
	DIFO(IW(SETX, 4, 1), I3(ALLOCS, 1, 0, 2), IW(SETX, 3, 3), IW(SETS, 0, 4),
	    I3(COPYS, 4, 3, 2), I3(STX, 3, 0, 2), I3(LDUW, 2, 0, 1), IW(STLS, 0x502, 1), RET1);
	DIFO(IW(CALL, DIF_SUBR_SPECULATION, 1), IW(STGS, 0x500, 1), RET1);
	DIFO(IW(LDGS, 0x500, 1), RET1);
	DIFO(IW(SETX, 1, 1), RET1);
	DIFO(I3(LDUB, 0, 0, 1), RET1);
	DIFO(IW(SETS, 13, 1), IW(SETS, 0, 2), I3(SCMP, 1, 2, 0), IW(BG, 0, 5), I3(RET, 0, 0, 0),
	    RET1);
}

static void
act(unsigned kind, unsigned nargs, uint32_t d, unsigned tkind, uint32_t size, uint32_t off)
{
	PUSH(&b.acts, (struct dv_act){ .kind = (uint16_t)kind, .nargs = (uint16_t)nargs,
	    .difo = d, .rec = { (uint8_t)tkind, 0, 0, size }, .rec_off = off });
}

static void
clause(uint32_t pred, uint32_t nact, uint32_t size, uint32_t flags)
{
	PUSH(&b.clauses, (struct dv_clause){ pred, (uint32_t)b.acts.n - nact, nact, size,
	    flags, 0 });
}

static void
make_clauses(void)
{
	static const struct { uint32_t func, nwords; uint64_t param; } f[] = {
		{ DV_AGG_COUNT, 1, 0 }, { DV_AGG_STDDEV, 4, 0 },
		{ DV_AGG_QUANTIZE, DV_QUANT_NBUCKETS, 0 },
		{ DV_AGG_LQUANTIZE, 12, DV_LQUANT_PARAM(0, 5, 10) },
		{ DV_AGG_LLQUANTIZE, 29, DV_LLQUANT_PARAM(10, 0, 2, 10) },
	};
	uint32_t i;

	act(DV_ACT_TRACE, 0, 0, DV_T_INT, 8, 0);
	act(DV_ACT_TRACE, 0, 1, DV_T_STRING, 32, 8);
	act(DV_ACT_PRINTF, 2, DV_NONE, 0, 0, 0);
	act(DV_ACT_TRACE, 0, 4, DV_T_STRING, 24, 40);
	act(DV_ACT_TRACE, 0, 2, DV_T_INT, 4, 64);
	clause(DV_NONE, 5, 72, 0);
	act(DV_ACT_EXPR, 0, 3, 0, 0, 0);
	act(DV_ACT_EXPR, 0, 5, 0, 0, 0);
	act(DV_ACT_EXPR, 0, 6, 0, 0, 0);
	act(DV_ACT_EXPR, 0, 7, 0, 0, 0);
	clause(11, 4, 0, DV_CL_NOREC);
	act(DV_ACT_SPECULATE, 0, 8, 0, 0, 0);
	act(DV_ACT_UADDR, 0, 0, DV_T_UADDR, 16, 0);
	clause(0, 2, 16, DV_CL_SPECULATES);
	act(DV_ACT_COMMIT, 0, 8, 0, 0, 0);
	clause(DV_NONE, 1, 0, DV_CL_NOREC | DV_CL_COMMITS);
	act(DV_ACT_DISCARD, 0, 8, 0, 0, 0);
	clause(DV_NONE, 1, 0, DV_CL_NOREC);
	act(DV_ACT_TRACE, 0, 10, DV_T_INT, 1, 0);
	clause(DV_NONE, 1, 1, 0);
	for (i = 0; i < 5; i++) {
		act(DV_ACT_AGG, 2, 0, 0, 0, 0);
		b.acts.v[b.acts.n - 1].arg = i;
		act(DV_ACT_TRACE, 0, 1, DV_T_STRING, 16, 0);
		act(DV_ACT_TRACE, 0, 0, DV_T_INT, 8, 16);
		PUSH(&b.aggs, (struct dv_aggdesc){ 0, f[i].func, f[i].param, 2,
		    (uint32_t)b.acts.n - 2, 24, f[i].nwords, 0, 0 });
	}
	clause(DV_NONE, 15, 0, DV_CL_NOREC);
	act(DV_ACT_EXIT, 0, 9, DV_T_INT, 4, 0);
	clause(2, 1, 4, 0);
}

static void
make_probes(void)
{
	struct dv_argset a;
	uint32_t i, k;

	memset(&a, 0, sizeof(a));
	for (i = 0; i < 10; i++)
		a.arg[i] = (struct dv_loc){ .kind = DV_LOC_REG, .reg = (uint8_t)i };
	a.arg[7] = (struct dv_loc){ .kind = DV_LOC_MEM, .reg = DV_REG_RSI, .size = 4 };
	a.arg[8].kind = DV_LOC_CURTHREAD;
	a.arg[9].kind = DV_LOC_FAULT;
	PUSH(&b.argsets, a);
	a.arg[0] = (struct dv_loc){ .kind = DV_LOC_RAW, .reg = 7 };
	a.arg[1] = (struct dv_loc){ .kind = DV_LOC_DIFO, .value = 4 };
	PUSH(&b.argsets, a);
	for (i = 0; i < 12; i++) {
		PUSH(&b.probes, (struct dv_probe){ 0, 0, 0, 0, i + 1, i == 0 ? DV_PF_BEGIN :
		    i == 1 ? DV_PF_END : i == 2 ? DV_PF_ERROR : i == 3 ? DV_PF_SYSCALL : 0 });
		for (k = 0; k < (i == 3 ? 8u : 1u); k++)
			PUSH(&b.ecbs, (struct dv_ecbdesc){ i, i < 3 ? 0 : (i + k) % 8 });
		PUSH(&b.select, i);
	}
	for (i = 3; i < 12; i++) {
		PUSH(&b.rules, (struct dv_rule){ .kind = i % 3 == 0 ? DV_RULE_RET :
		    i % 3 == 1 ? DV_RULE_TAIL : DV_RULE_FIRE, .guard = i == 5 ? 9 : DV_NONE,
		    .raw = 0, .args = 1, .probe = i == 6 ? 0 : i, .nselect = i == 6 ? 12 : 0,
		    .retval = i & 1, .sel = { .kind = DV_LOC_REG, .reg = 3 } });
		PUSH(&b.sites, (struct dv_site){ .addr = DV_SIM_TEXT + i, .rule = i - 3,
		    .nrule = 1, .group = i % 3 });
	}
	PUSH(&b.rules, (struct dv_rule){ .kind = DV_RULE_GONE, .guard = 9, .raw = 0,
	    .args = DV_NONE, .probe = 1, .sel = { .kind = DV_LOC_DIFO, .value = 4 } });
	PUSH(&b.sites, (struct dv_site){ .addr = DV_SIM_TEXT + i, .rule = i - 3, .nrule = 1 });
	PUSH(&b.timers, (struct dv_timer){ 4, DV_TIMER_ALLVCPU, 1000000 });
	PUSH(&b.timers, (struct dv_timer){ 3, 0, 1000000 });
}

static uint8_t *base;
static size_t base_len;

static struct dv_sim *
new_guest(void)
{
	struct dv_sim *sim = dv_sim_create(2, 1 << 20);
	uint64_t sh;

	dv_sim_task(sim, 0, 0, "swapper", 0);
	sh = dv_sim_task(sim, 7, 7, "sh", 0);
	dv_sim_map(sim, dv_sim_mm(sim, sh), 0x400000, dv_sim_page(sim));
	dv_sim_current(sim, 0, sh);
	dv_sim_current(sim, 1, sh);
	dv_sim_reg(sim, 0)[DV_REG_RSP] = DV_SIM_TEXT + 8;
	dv_sim_reg(sim, 1)[DV_REG_RSP] = DV_SIM_TEXT + 8;
	dv_sim_reg(sim, 0)[DV_REG_RSI] = DV_SIM_TEXT;
	return sim;
}

static void
make_base(const struct dv_sim *sim)
{
	struct dv_err err;
	void *p;

	if (dv_progb_init(&b) != 0)
		abort();
	b.opts[DV_OPT_BUFSIZE] = b.opts[DV_OPT_AGGSIZE] = 8192;
	b.opts[DV_OPT_DYNVARSIZE] = 4096;
	b.opts[DV_OPT_SPECSIZE] = 512;
	b.opts[DV_OPT_STRSIZE] = 64;
	b.opts[DV_OPT_SCRATCHSIZE] = 4096;
	b.opts[DV_OPT_NSPEC] = 2;
	b.layout = *dv_sim_layout(sim);
	make_difos();
	make_clauses();
	make_probes();
	if (dv_progb_finish(&b, &err, &p, &base_len) != 0)
		abort();
	base = p;
}

static void
check_accounts(struct dv_sim *sim)
{
	uint32_t i, n = dv_state_prog(dv_sim_state(sim))->necbs;
	struct dv_account a;

	for (i = 0; i < n; i++) {
		if (dv_account(dv_sim_state(sim), i, &a) != 0 ||
		    a.fired != a.recorded + a.norecord + a.dropped + a.faulted + a.speculated +
		    a.spec_dropped + a.spec_refused + a.spec_discarded + a.agg_dropped +
		    a.overwritten + a.after_exit)
			abort();
	}
}

static void
run(struct dv_sim *sim)
{
	const struct dv_prog *p = dv_state_prog(dv_sim_state(sim));
	struct dv_snap snap;
	uint32_t round, i;

	dv_sim_go(sim);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < p->nsites && i < 16; i++) {
			dv_sim_reg(sim, i & 1)[DV_REG_RDX] = i;
			dv_sim_reg(sim, i & 1)[DV_REG_RAX] = round * 3 + i;
			dv_sim_hit(sim, i & 1, i);
			dv_sim_hit(sim, ~i & 1, i);
		}
		for (i = 0; i < p->ntimers && i < 4; i++)
			dv_sim_timer(sim, (int)i - 1, i);
		dv_sim_clean(sim);
		for (i = 0; i < 3; i++) {
			dv_sim_snap(sim, i, DV_BUF_PRINCIPAL, &snap);
			dv_sim_snap(sim, i, DV_BUF_AGG, &snap);
		}
	}
	dv_sim_stop(sim);
	check_accounts(sim);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dv_sim *sim = new_guest();
	struct dv_reason why;
	size_t i, priv, shared;
	uint32_t at, v;
	uint8_t *blob;

	if (base == NULL)
		make_base(sim);
	blob = malloc(base_len);
	if (blob == NULL)
		abort();
	memcpy(blob, base, base_len);
	for (i = 0; i + 8 <= size && i < 8 * 16; i += 8) {
		memcpy(&at, data + i, 4);
		memcpy(&v, data + i + 4, 4);
		memcpy(blob + at % (base_len / 4) * 4, &v, 4);
	}
	why.text[0] = '\0';
	if (dv_state_sizes(blob, base_len, 2, &priv, &shared, &why) != 0) {
		if (why.text[0] == '\0')
			abort();
	} else if (priv + shared < (64u << 20)) {
		if (dv_sim_load(sim, blob, base_len, &why) == 0)
			run(sim);
		else if (size < 8)
			abort();		/* the unchanged program is sound */
	}
	free(blob);
	dv_sim_destroy(sim);
	return 0;
}
