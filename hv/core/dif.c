/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dif.c - the interpreter: one case per opcode.
 *
 * It relies on dif_check.c for everything that is known before a program runs,
 * and checks what is not: addresses (load.c), divisors, sizes, the depth of the
 * tuple stack. Branches go forward only, so a run takes at most ntext steps;
 * each step's work is bounded by strsize, scratchsize or a page walk.
 *
 * Conditions are not kept as flags: a comparison leaves its two operands, and
 * the branch compares them its own way. TST r and SCMP leave (r, 0).
 *
 * A fault ends the run: ms->fault is checked after the instructions that can
 * set it, and the offset of the instruction is noted there.
 */
#include "dif.h"

#include "load.h"
#include "state_impl.h"
#include "stack.h"
#include "var.h"

static int
compare_strings(struct dv_mstate *ms, uint64_t a, uint64_t b)
{
	size_t na = 0, nb = 0;
	const char *pa = "", *pb = "";
	int diff;

	/* NULL, an unset string, compares as an empty one */
	if (a != 0 && (pa = dv_str_view(ms, a, 0, &na)) == NULL)
		return 0;
	if (b != 0 && (pb = dv_str_view(ms, b, 1, &nb)) == NULL)
		return 0;
	diff = memcmp(pa, pb, na < nb ? na : nb);
	if (diff != 0)
		return diff;
	return na < nb ? -1 : na > nb;
}

static void
push(struct dv_mstate *ms, uint32_t i, uint64_t size, uint64_t val)
{
	struct dv_tupkey *k;

	if (ms->ntup == DIF_MAXTUPLE) {
		dv_fault(ms, DV_FAULT_TUPOFLOW, 0);
		return;
	}
	k = &ms->tup[ms->ntup++];
	k->val = val;
	k->byref = DIF_INSTR_OP(i) == DIF_OP_PUSHTR;
	k->string = k->byref && (size == 0 || DIF_INSTR_R1(i) == DV_T_STRING);
	k->size = k->string && (size == 0 || size > ms->s->strsize) ?
	    ms->s->strsize : size;
}

static void
copys(struct dv_mstate *ms, uint64_t from, uint64_t len, uint64_t to)
{
	uint8_t *dst = dv_tmem(ms, to, len, true);
	const uint8_t *src;

	if (dst == NULL) {
		dv_fault(ms, DV_FAULT_BADADDR, to);
		return;
	}
	src = dv_tmem(ms, from, len, false);
	if (src != NULL)
		memmove(dst, src, len);
	else
		(void)dv_load(ms, from, dst, len, DV_KERNEL);
}

static void
copy_string(struct dv_mstate *ms, uint64_t from, uint64_t to)
{
	size_t n = 0;
	const char *src = "";
	uint8_t *dst;

	if (from != 0 && (src = dv_str_view(ms, from, 0, &n)) == NULL)
		return;
	dst = dv_tmem(ms, to, n + 1, true);
	if (dst == NULL) {
		dv_fault(ms, DV_FAULT_BADADDR, to);
		return;
	}
	memmove(dst, src, n);
	dst[n] = '\0';
}

static uint64_t
allocs(struct dv_mstate *ms, uint64_t len)
{
	uint64_t addr = 0;
	uint8_t *p = dv_scratch(ms, len, &addr);

	if (p != NULL)
		memset(p, 0, len);
	return addr;
}

static void
store(struct dv_mstate *ms, uint64_t addr, const void *val, size_t len)
{
	uint8_t *p = dv_tmem(ms, addr, len, true);

	if (p == NULL)
		dv_fault(ms, DV_FAULT_BADADDR, addr);
	else
		memcpy(p, val, len);
}

static uint64_t
divide(struct dv_mstate *ms, unsigned op, uint64_t a, uint64_t b)
{
	if (b == 0) {
		dv_fault(ms, DV_FAULT_DIVZERO, 0);
		return 0;
	}
	switch (op) {
	case DIF_OP_UDIV:
		return a / b;
	case DIF_OP_UREM:
		return a % b;
	case DIF_OP_SDIV:		/* INT64_MIN / -1 traps on x86 */
		return b == ~(uint64_t)0 ? -a : (uint64_t)((int64_t)a / (int64_t)b);
	default:
		return b == ~(uint64_t)0 ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
	}
}

#define R1	reg[DIF_INSTR_R1(i)]
#define R2	reg[DIF_INSTR_R2(i)]
#define RD	reg[DIF_INSTR_RD(i)]
#define LOAD(type, how)							\
	do {								\
		type v_;						\
									\
		if (dv_load(ms, R1, &v_, sizeof(v_), how) != 0)		\
			goto fault;					\
		RD = (uint64_t)(int64_t)v_;				\
	} while (0)
#define STORE(type)							\
	do {								\
		type v_ = (type)R1;					\
									\
		store(ms, RD, &v_, sizeof(v_));				\
		if (ms->fault != 0)					\
			goto fault;					\
	} while (0)
#define BRANCH(cond)							\
	do {								\
		if (cond)						\
			pc = text + DIF_INSTR_LABEL(i);			\
	} while (0)

uint64_t
dv_dif_run(struct dv_mstate *ms, uint32_t difo)
{
	const struct dv_state *s = ms->s;
	const struct dv_ldifo *d = &s->difos[difo];
	const uint32_t *text = d->text, *pc = text;
	uint64_t reg[DIF_NREGS] = { 0 }, lhs = 0, rhs = 0;
	uint32_t i, n;

	ms->fault = 0;
	ms->ntup = 0;
	for (;;) {
		i = *pc++;
		switch (DIF_INSTR_OP(i)) {
		case DIF_OP_OR:
			RD = R1 | R2;
			break;
		case DIF_OP_XOR:
			RD = R1 ^ R2;
			break;
		case DIF_OP_AND:
			RD = R1 & R2;
			break;
		case DIF_OP_SLL:
			RD = R1 << (R2 & 63);
			break;
		case DIF_OP_SRL:
			RD = R1 >> (R2 & 63);
			break;
		case DIF_OP_SRA:
			RD = (uint64_t)((int64_t)R1 >> (R2 & 63));
			break;
		case DIF_OP_SUB:
			RD = R1 - R2;
			break;
		case DIF_OP_ADD:
			RD = R1 + R2;
			break;
		case DIF_OP_MUL:
			RD = R1 * R2;
			break;
		case DIF_OP_SDIV:
		case DIF_OP_UDIV:
		case DIF_OP_SREM:
		case DIF_OP_UREM:
			RD = divide(ms, DIF_INSTR_OP(i), R1, R2);
			if (ms->fault != 0)
				goto fault;
			break;
		case DIF_OP_NOT:
			RD = ~R1;
			break;
		case DIF_OP_MOV:
			RD = R1;
			break;
		case DIF_OP_CMP:
			lhs = R1;
			rhs = R2;
			break;
		case DIF_OP_TST:
			lhs = R1;
			rhs = 0;
			break;
		case DIF_OP_SCMP:
			lhs = (uint64_t)(int64_t)compare_strings(ms, R1, R2);
			rhs = 0;
			if (ms->fault != 0)
				goto fault;
			break;
		case DIF_OP_BA:
			BRANCH(true);
			break;
		case DIF_OP_BE:
			BRANCH(lhs == rhs);
			break;
		case DIF_OP_BNE:
			BRANCH(lhs != rhs);
			break;
		case DIF_OP_BG:
			BRANCH((int64_t)lhs > (int64_t)rhs);
			break;
		case DIF_OP_BGU:
			BRANCH(lhs > rhs);
			break;
		case DIF_OP_BGE:
			BRANCH((int64_t)lhs >= (int64_t)rhs);
			break;
		case DIF_OP_BGEU:
			BRANCH(lhs >= rhs);
			break;
		case DIF_OP_BL:
			BRANCH((int64_t)lhs < (int64_t)rhs);
			break;
		case DIF_OP_BLU:
			BRANCH(lhs < rhs);
			break;
		case DIF_OP_BLE:
			BRANCH((int64_t)lhs <= (int64_t)rhs);
			break;
		case DIF_OP_BLEU:
			BRANCH(lhs <= rhs);
			break;
		case DIF_OP_LDSB:
			LOAD(int8_t, DV_KERNEL);
			break;
		case DIF_OP_LDSH:
			LOAD(int16_t, DV_KERNEL);
			break;
		case DIF_OP_LDSW:
			LOAD(int32_t, DV_KERNEL);
			break;
		case DIF_OP_LDUB:
			LOAD(uint8_t, DV_KERNEL);
			break;
		case DIF_OP_LDUH:
			LOAD(uint16_t, DV_KERNEL);
			break;
		case DIF_OP_LDUW:
			LOAD(uint32_t, DV_KERNEL);
			break;
		case DIF_OP_LDX:
			LOAD(uint64_t, DV_KERNEL);
			break;
		case DIF_OP_ULDSB:
			LOAD(int8_t, DV_USER);
			break;
		case DIF_OP_ULDSH:
			LOAD(int16_t, DV_USER);
			break;
		case DIF_OP_ULDSW:
			LOAD(int32_t, DV_USER);
			break;
		case DIF_OP_ULDUB:
			LOAD(uint8_t, DV_USER);
			break;
		case DIF_OP_ULDUH:
			LOAD(uint16_t, DV_USER);
			break;
		case DIF_OP_ULDUW:
			LOAD(uint32_t, DV_USER);
			break;
		case DIF_OP_ULDX:
			LOAD(uint64_t, DV_USER);
			break;
		case DIF_OP_RLDSB:
			LOAD(int8_t, DV_TRACER);
			break;
		case DIF_OP_RLDSH:
			LOAD(int16_t, DV_TRACER);
			break;
		case DIF_OP_RLDSW:
			LOAD(int32_t, DV_TRACER);
			break;
		case DIF_OP_RLDUB:
			LOAD(uint8_t, DV_TRACER);
			break;
		case DIF_OP_RLDUH:
			LOAD(uint16_t, DV_TRACER);
			break;
		case DIF_OP_RLDUW:
			LOAD(uint32_t, DV_TRACER);
			break;
		case DIF_OP_RLDX:
			LOAD(uint64_t, DV_TRACER);
			break;
		case DIF_OP_STB:
			STORE(uint8_t);
			break;
		case DIF_OP_STH:
			STORE(uint16_t);
			break;
		case DIF_OP_STW:
			STORE(uint32_t);
			break;
		case DIF_OP_STX:
			STORE(uint64_t);
			break;
		case DIF_OP_RET:
			return RD;
		case DIF_OP_NOP:
			break;
		case DIF_OP_SETX:
			RD = d->ints[DIF_INSTR_INDEX(i)];
			break;
		case DIF_OP_SETS:
			RD = d->strs + DIF_INSTR_INDEX(i);
			break;
		case DV_OP_LDB:
			n = DIF_INSTR_INDEX(i) - DIF_VAR_ARG0;
			if (n <= 9) {		/* the most frequent ones */
				if (dv_arg(ms, n, &RD) != 0)
					goto fault;
				break;
			}
			RD = dv_builtin(ms, DIF_INSTR_INDEX(i));
			if (ms->fault != 0)
				goto fault;
			break;
		case DV_OP_LDARG:
			if (R2 > 9)
				RD = 0;
			else if (dv_arg(ms, (unsigned)R2, &RD) != 0)
				goto fault;
			break;
		case DV_OP_LDREG:
			if (R2 >= DV_NREG) {
				dv_fault(ms, DV_FAULT_ILLOP, 0);
				goto fault;
			}
			RD = dv_reg(ms, (unsigned)R2);
			break;
		case DV_OP_LDUREG:
			if (dv_ureg(ms, R2, &RD) != 0)
				goto fault;
			break;
		case DIF_OP_LDGS:
			RD = dv_global_load(ms, DIF_INSTR_INDEX(i));
			break;
		case DIF_OP_STGS:
			dv_global_store(ms, DIF_INSTR_INDEX(i), RD);
			if (ms->fault != 0)
				goto fault;
			break;
		case DIF_OP_LDLS:
			RD = dv_local_load(ms, DIF_INSTR_INDEX(i));
			break;
		case DIF_OP_STLS:
			dv_local_store(ms, DIF_INSTR_INDEX(i), RD);
			if (ms->fault != 0)
				goto fault;
			break;
		case DIF_OP_LDTS:
		case DIF_OP_LDTAA:
		case DIF_OP_LDGAA:
			RD = dv_dyn_load(ms, DIF_INSTR_INDEX(i));
			if (ms->fault != 0)
				goto fault;
			break;
		case DIF_OP_STTS:
		case DIF_OP_STTAA:
		case DIF_OP_STGAA:
			dv_dyn_store(ms, DIF_INSTR_INDEX(i), RD);
			if (ms->fault != 0)
				goto fault;
			break;
		case DIF_OP_CALL:
			RD = dv_subr(ms, DIF_INSTR_INDEX(i));
			ms->ntup = 0;
			if (ms->fault != 0)
				goto fault;
			break;
		case DIF_OP_PUSHTR:
		case DIF_OP_PUSHTV:
			push(ms, i, R2, RD);
			if (ms->fault != 0)
				goto fault;
			break;
		case DIF_OP_POPTS:
			if (ms->ntup > 0)
				ms->ntup--;
			break;
		case DIF_OP_FLUSHTS:
			ms->ntup = 0;
			break;
		case DIF_OP_ALLOCS:
			RD = allocs(ms, R1);
			if (ms->fault != 0)
				goto fault;
			break;
		case DIF_OP_COPYS:
			if (DIF_INSTR_R2(i) == 0)
				copy_string(ms, R1, RD);
			else
				copys(ms, R1, R2, RD);
			if (ms->fault != 0)
				goto fault;
			break;
		case DIF_OP_CKIDX:
			if (R1 >= R2) {
				dv_fault(ms, DV_FAULT_BADINDEX, R1);
				goto fault;
			}
			break;
		default:
			DV_ASSERT(!"an opcode that the verifier let pass");
		}
	}
fault:
	ms->fault_off = (uint32_t)(pc - 1 - text) * 4;
	return 0;
}
