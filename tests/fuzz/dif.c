/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dif.c - fuzzes the verifier and the interpreter. The input is the text of
 * one DIFO, 32 bits an instruction, with registers, indices and variables
 * brought near what the verifier accepts, so that much of it runs. It is the
 * predicate, the value and the string of a clause.
 */
#include "base/progb.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PUSH(vec, ...)							\
	do {								\
		if (dv_vec_push(vec, __VA_ARGS__) != 0)			\
			abort();					\
	} while (0)

static const uint8_t format[256] = {
#define DIF_OP(name, value, text, fmt) [value] = DV_DIF_##fmt + 1,
#include "abi/dif.def"
};

/* Odd instructions are kept as they are one time in eight. */
static uint32_t
tame(uint32_t i, uint32_t pc, uint32_t n)
{
	static const uint16_t vars[] = { 0x500, 0x501, 0x502, 0x503, 0x504, 0x505,
	    DIF_VAR_CURTHREAD, DIF_VAR_EXECNAME, DIF_VAR_ARG0, DIF_VAR_PID, DIF_VAR_CPU,
	    DIF_VAR_PROBENAME, DIF_VAR_ERRNO, DIF_VAR_IPL, DIF_VAR_UID, DIF_VAR_PPID,
	    DIF_VAR_CALLER, DIF_VAR_STACKDEPTH, DIF_VAR_UCALLER, DIF_VAR_USTACKDEPTH };
	uint32_t op = DIF_INSTR_OP(i) % 81, x = DIF_INSTR_INDEX(i);
	uint32_t r1 = DIF_INSTR_R1(i) & 7, r2 = DIF_INSTR_R2(i) & 7, rd = DIF_INSTR_RD(i) & 7;

	if ((i & 0xf8) == 0xf8)
		return i;
	if (op == 0)
		op = DIF_OP_CALL;
	switch (format[op] - 1) {
	case DV_DIF_RRR:
		return DIF_INSTR_FMT(op, r1, r2, rd | 1);
	case DV_DIF_RR:
	case DV_DIF_LD:
		return DIF_INSTR_FMT(op, r1, 0, rd | 1);
	case DV_DIF_ST:
		return DIF_INSTR_FMT(op, r1, 0, rd);
	case DV_DIF_CMP:
		return DIF_INSTR_FMT(op, r1, r2, 0);
	case DV_DIF_TST:
		return DIF_INSTR_FMT(op, r1, 0, 0);
	case DV_DIF_BR:
		return DIF_INSTR_BRANCH(op, pc + 1 + (x % (n - pc)));
	case DV_DIF_INT:
		return DIF_INSTR_WIDE(op, x % 10, rd | 1);
	case DV_DIF_STR:
		return DIF_INSTR_WIDE(op, x % 20, rd | 1);
	case DV_DIF_VLD:
	case DV_DIF_VST:
		return DIF_INSTR_WIDE(op, vars[x % (op == DIF_OP_LDGS ? 20 : 6)], rd | 1);
	case DV_DIF_ALD:
		return DIF_INSTR_FMT(DIF_OP_LDGA, x & 1, r2, rd | 1);
	case DV_DIF_CALL:
		return DIF_INSTR_WIDE(op, x % 53, rd | 1);
	case DV_DIF_PUSH:
		return DIF_INSTR_FMT(op, x % 4, r2, rd);
	case DV_DIF_RET:
		return DIF_INSTR_FMT(op, 0, 0, rd);
	default:
		return DIF_INSTR_FMT(op, 0, 0, 0);
	}
}

static void
make_prog(struct dv_progb *b, const uint8_t *data, size_t size)
{
	static const uint64_t ints[] = { 0, 1, 8, 16, 300, ~0ull, DV_SIM_TEXT + 4090, 0x400000,
	    DV_SIM_PAGE_OFFSET + 64, 0x4000000100000000ull };
	static const char strs[] = "/a/../b\0c,d\0longer string";
	static const uint8_t scope[] = { DV_VS_GLOBAL, DV_VS_TLS, DV_VS_LOCAL };
	uint32_t i, n = (uint32_t)(size / 4), v;
	struct dv_argset a;

	for (i = 0; i < 10; i++)
		PUSH(&b->ints, ints[i]);
	dv_str_addn(&b->difstrs, strs, sizeof(strs));
	for (i = 0; i < n; i++) {
		memcpy(&v, data + i * 4, 4);
		PUSH(&b->text, tame(v, i, n));
	}
	PUSH(&b->text, DIF_INSTR_FMT(DIF_OP_RET, 0, 0, 1));
	PUSH(&b->difos, (struct dv_difo){ .ntext = n + 1, .nints = 10, .nstrs = sizeof(strs) });
	/* each id in each scope, by value and by reference; arrays are 503..505 */
	for (i = 0; i < 18; i++)
		if (i % 6 < 3 || scope[i / 6] != DV_VS_LOCAL)
			PUSH(&b->vars, (struct dv_var){ 0, (uint16_t)(DIF_VAR_USER + i % 6),
			    scope[i / 6], i % 6 >= 3, { i % 3 == 0 ? DV_T_INT : i % 3 == 1 ?
			    DV_T_STRING : DV_T_BYTES, i % 3 == 0 ? 0 : DV_TF_BYREF, 0,
			    i % 3 == 0 ? 8 : 24 } });
	PUSH(&b->acts, (struct dv_act){ .kind = DV_ACT_TRACE, .rec = { DV_T_INT, 0, 0, 8 } });
	PUSH(&b->acts, (struct dv_act){ .kind = DV_ACT_TRACE, .rec_off = 8,
	    .rec = { DV_T_STRING, DV_TF_BYREF, 0, 32 } });
	PUSH(&b->clauses, (struct dv_clause){ 0, 0, 2, 40, 0, 0 });
	PUSH(&b->clauses, (struct dv_clause){ DV_NONE, 0, 1, 8, 0, 0 });
	PUSH(&b->probes, (struct dv_probe){ .flags = DV_PF_SYSCALL });
	PUSH(&b->ecbs, (struct dv_ecbdesc){ 0, 0 });
	PUSH(&b->ecbs, (struct dv_ecbdesc){ 0, 1 });
	memset(&a, 0, sizeof(a));
	for (i = 0; i < 10; i++)
		a.arg[i] = (struct dv_loc){ .kind = DV_LOC_REG, .reg = (uint8_t)i };
	PUSH(&b->argsets, a);
	PUSH(&b->rules, (struct dv_rule){ .kind = DV_RULE_FIRE, .guard = DV_NONE,
	    .raw = DV_NONE });
	PUSH(&b->sites, (struct dv_site){ .addr = DV_SIM_TEXT, .nrule = 1 });
	b->opts[DV_OPT_BUFSIZE] = b->opts[DV_OPT_AGGSIZE] = 4096;
	b->opts[DV_OPT_DYNVARSIZE] = 4096;
	b->opts[DV_OPT_STRSIZE] = 64;
	b->opts[DV_OPT_SCRATCHSIZE] = 1024;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dv_reason why;
	struct dv_account acct;
	struct dv_progb b;
	struct dv_sim *sim;
	struct dv_err err;
	uint64_t sh, root;
	void *blob;
	size_t len;
	int i;

	if (size > 4 * 200)
		return 0;
	sim = dv_sim_create(2, 512 << 10);
	dv_sim_task(sim, 0, 0, "swapper", 0);
	sh = dv_sim_task(sim, 7, 7, "sh", 0);
	root = dv_sim_mm(sim, sh);
	dv_sim_map(sim, root, 0x400000, dv_sim_page(sim));
	dv_sim_write(sim, root, 0x400000, "user", 5);
	dv_sim_current(sim, 0, sh);
	if (dv_progb_init(&b) != 0)
		abort();
	make_prog(&b, data, size);
	b.layout = *dv_sim_layout(sim);
	if (dv_progb_finish(&b, &err, &blob, &len) != 0)
		abort();
	if (dv_sim_load(sim, blob, len, &why) == 0) {
		dv_sim_go(sim);
		for (i = 0; i < 4; i++) {
			dv_sim_hit(sim, i & 1, 0);
			dv_sim_clean(sim);
		}
		dv_sim_stop(sim);
		for (i = 0; i < 2; i++)
			if (dv_account(dv_sim_state(sim), (uint32_t)i, &acct) != 0 ||
			    acct.fired != acct.recorded + acct.norecord + acct.dropped +
			    acct.faulted)
				abort();
	}
	free(blob);
	dv_progb_fini(&b);
	dv_sim_destroy(sim);
	return 0;
}
