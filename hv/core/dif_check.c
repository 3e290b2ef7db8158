/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dif_check.c - the verifier: what the interpreter may assume.
 *
 * A DIFO is checked in one pass, because branches only go forward: when an
 * instruction is reached every branch to it has been seen. The pass also
 * links: it copies the text into the state's own memory with variables
 * replaced by their place in lvars and built-ins told apart by opcode, so that
 * the interpreter looks nothing up, and what was checked cannot change.
 *
 * After it the interpreter may assume:
 *
 *   (1) opcodes are known, registers are below 8, %r0 is never a destination;
 *   (2) a branch goes forward to an instruction of the same DIFO, and the last
 *       instruction is RET: a run ends within ntext steps;
 *   (3) integer and string indices are inside their tables;
 *   (4) a variable exists and is of the scope and kind its opcode wants;
 *   (5) a subroutine is one that this machine has.
 *
 * The depth of the tuple stack is followed as far as it is the same on all
 * paths; where it is not the interpreter's own check decides.
 */
#include "dif.h"

#include "state_impl.h"

#define UNKNOWN		(-1)		/* depth: paths differ */
#define UNREACHED	(-2)

static const struct {
	const char *name;
	uint8_t format;
} ops[256] = {
#define DIF_OP(name, value, text, format) [value] = { text, DV_DIF_##format },
#include "dif.def"
};

struct check {
	const struct dv_state *s;
	const struct dv_varmap *map;
	const struct dv_difo *d;
	uint32_t difo, pc;
	int8_t *depth;			/* of the tuple stack, per instruction */
	struct dv_reason *why;
};

static int
bad(const struct check *c, const char *what)
{
	return dv_refuse(c->why, "DIFO %u: instruction %u: %s", c->difo, c->pc, what);
}

static int
bad_name(const struct check *c, const char *name, const char *what)
{
	return dv_refuse(c->why, "DIFO %u: instruction %u: %s %s", c->difo, c->pc,
	    name, what);
}

static void
flow(struct check *c, uint32_t to, int depth)
{
	if (c->depth[to] == UNREACHED)
		c->depth[to] = (int8_t)depth;
	else if (c->depth[to] != depth)
		c->depth[to] = UNKNOWN;
}

/* Registers and fields that must be zero, by format. */
static int
check_fields(const struct check *c, uint32_t i, unsigned format)
{
	uint32_t r1 = DIF_INSTR_R1(i), r2 = DIF_INSTR_R2(i), rd = DIF_INSTR_RD(i);
	bool writes = false;

	switch (format) {
	case DV_DIF_RRR:
		if (r1 >= DIF_NREGS || r2 >= DIF_NREGS || rd >= DIF_NREGS)
			return bad(c, "register out of range");
		writes = DIF_INSTR_OP(i) != DIF_OP_COPYS;
		break;
	case DV_DIF_RR:
	case DV_DIF_LD:
		if (r1 >= DIF_NREGS || rd >= DIF_NREGS)
			return bad(c, "register out of range");
		if (r2 != 0)
			return bad(c, "unused field is not zero");
		writes = true;
		break;
	case DV_DIF_ST:
		if (r1 >= DIF_NREGS || rd >= DIF_NREGS)
			return bad(c, "register out of range");
		if (r2 != 0)
			return bad(c, "unused field is not zero");
		break;
	case DV_DIF_CMP:
		if (r1 >= DIF_NREGS || r2 >= DIF_NREGS)
			return bad(c, "register out of range");
		if (rd != 0)
			return bad(c, "unused field is not zero");
		break;
	case DV_DIF_TST:
		if (r1 >= DIF_NREGS)
			return bad(c, "register out of range");
		if (r2 != 0 || rd != 0)
			return bad(c, "unused field is not zero");
		break;
	case DV_DIF_RET:
		if (rd >= DIF_NREGS)
			return bad(c, "register out of range");
		if (r1 != 0 || r2 != 0)
			return bad(c, "unused field is not zero");
		break;
	case DV_DIF_INT:
	case DV_DIF_STR:
	case DV_DIF_VLD:
	case DV_DIF_CALL:
		if (rd >= DIF_NREGS)
			return bad(c, "register out of range");
		writes = true;
		break;
	case DV_DIF_VST:
		if (rd >= DIF_NREGS)
			return bad(c, "register out of range");
		break;
	case DV_DIF_ALD:
		if (r2 >= DIF_NREGS || rd >= DIF_NREGS)
			return bad(c, "register out of range");
		writes = true;
		break;
	case DV_DIF_PUSH:
		if (r2 >= DIF_NREGS || rd >= DIF_NREGS)
			return bad(c, "register out of range");
		break;
	case DV_DIF_NONE:
		if (r1 != 0 || r2 != 0 || rd != 0)
			return bad(c, "unused field is not zero");
		break;
	}
	if (writes && rd == 0)
		return bad(c, "%r0 is written");
	return 0;
}

/* A variable of the program: its index in lvars, or -1 (reason given). */
static int64_t
find_var(const struct check *c, uint32_t id, unsigned scope, unsigned array)
{
	uint32_t at = id - DIF_VAR_USER;
	uint16_t found = 0;

	if (id >= DIF_VAR_USER && at < c->map->nids)
		found = c->map->index[scope][at];
	if (found == 0)
		return bad(c, "no such variable");
	if (c->s->lvars[found - 1].array != array)
		return bad(c, array ? "variable is no array" : "variable is an array");
	return found - 1;
}

static int
check_var(const struct check *c, uint32_t *instr)
{
	uint32_t i = *instr, op = DIF_INSTR_OP(i), id = DIF_INSTR_INDEX(i);
	const char *name = NULL, *refused;
	unsigned scope, array;
	int64_t at;

	if (op == DIF_OP_LDGS && id < DIF_VAR_USER) {
		refused = dv_builtin_refused(id, &name);
		if (refused != NULL)
			return bad_name(c, name, refused);
		*instr = DIF_INSTR_WIDE(DV_OP_LDB, id, DIF_INSTR_RD(i));
		return 0;
	}
	scope = op == DIF_OP_LDTS || op == DIF_OP_STTS || op == DIF_OP_LDTAA ||
	    op == DIF_OP_STTAA ? DV_VS_TLS :
	    op == DIF_OP_LDLS || op == DIF_OP_STLS ? DV_VS_LOCAL : DV_VS_GLOBAL;
	array = op == DIF_OP_LDGAA || op == DIF_OP_STGAA || op == DIF_OP_LDTAA ||
	    op == DIF_OP_STTAA;
	at = find_var(c, id, scope, array);
	if (at < 0)
		return -1;
	*instr = DIF_INSTR_WIDE(op, (uint32_t)at, DIF_INSTR_RD(i));
	return 0;
}

static int
check_array(const struct check *c, uint32_t *instr)
{
	uint32_t i = *instr, op;

	if (DIF_INSTR_OP(i) == DIF_OP_LDGA && DIF_INSTR_R1(i) == DIF_VAR_ARGS)
		op = DV_OP_LDARG;
	else if (DIF_INSTR_OP(i) == DIF_OP_LDGA && DIF_INSTR_R1(i) == DIF_VAR_REGS)
		op = DV_OP_LDREG;
	else if (DIF_INSTR_OP(i) == DIF_OP_LDGA && DIF_INSTR_R1(i) == DIF_VAR_UREGS)
		op = DV_OP_LDUREG;
	else
		return bad(c, "no such array");
	*instr = DIF_INSTR_FMT(op, 0, DIF_INSTR_R2(i), DIF_INSTR_RD(i));
	return 0;
}

static int
check_call(const struct check *c, uint32_t i, int depth)
{
	const char *name = NULL, *refused;
	unsigned min = 0, max = 0;

	if (dv_subr_args(DIF_INSTR_INDEX(i), &min, &max, &name) != 0)
		return bad(c, "no such subroutine");
	refused = dv_subr_refused(DIF_INSTR_INDEX(i));
	if (refused != NULL)
		return bad_name(c, name, refused);
	if (DIF_INSTR_INDEX(i) == DIF_SUBR_COPYOUT || DIF_INSTR_INDEX(i) == DIF_SUBR_COPYOUTSTR) {
		if (c->s->lay != NULL && c->s->c.write_phys == NULL)
			return dv_refuse(c->why, "%s() is not possible: %s", name,
			    c->s->c.no_write);
		if ((c->d->flags & DV_DIFO_DESTRUCTIVE) == 0)
			return bad_name(c, name, "in a DIFO that is not flagged as destructive");
	}
	if (depth != UNKNOWN && ((unsigned)depth < min || (unsigned)depth > max))
		return bad_name(c, name, "has a wrong number of arguments");
	return 0;
}

/* One instruction; *depth becomes that of the tuple stack after it. */
static int
check_instr(const struct check *c, uint32_t *instr, int *depth)
{
	uint32_t i = *instr, op = DIF_INSTR_OP(i);

	if (ops[op].name == NULL)
		return bad(c, "unknown opcode");
	if (check_fields(c, i, ops[op].format) != 0)
		return -1;
	switch (ops[op].format) {
	case DV_DIF_XLT:
		return bad_name(c, ops[op].name, "is not linked");
	case DV_DIF_INT:
		if (DIF_INSTR_INDEX(i) >= c->d->nints)
			return bad(c, "integer index out of range");
		break;
	case DV_DIF_STR:
		if (DIF_INSTR_INDEX(i) >= c->d->nstrs)
			return bad(c, "string index out of range");
		break;
	case DV_DIF_VLD:
	case DV_DIF_VST:
		if (check_var(c, instr) != 0)
			return -1;
		if (op == DIF_OP_LDGAA || op == DIF_OP_STGAA ||
		    op == DIF_OP_LDTAA || op == DIF_OP_STTAA) {
			if (*depth == 0)
				return bad(c, "array without a key");
			*depth = 0;
		}
		break;
	case DV_DIF_ALD:
		return check_array(c, instr);
	case DV_DIF_CALL:
		if (check_call(c, i, *depth) != 0)
			return -1;
		*depth = 0;
		break;
	case DV_DIF_PUSH:
		if (DIF_INSTR_R1(i) > DV_T_UADDR)
			return bad(c, "unknown kind of key");
		if (*depth == DIF_MAXTUPLE)
			return bad(c, "tuple stack overflow");
		if (*depth != UNKNOWN)
			++*depth;
		break;
	case DV_DIF_NONE:
		if (op == DIF_OP_POPTS) {
			if (*depth == 0)
				return bad(c, "tuple stack underflow");
			if (*depth != UNKNOWN)
				--*depth;
		} else if (op == DIF_OP_FLUSHTS) {
			*depth = 0;
		}
		break;
	}
	return 0;
}

int
dv_dif_check(const struct dv_state *s, const struct dv_varmap *map, uint32_t difo,
	     uint32_t *text, int8_t *work, struct dv_reason *why)
{
	const struct dv_difo *d = &s->prog.difos[difo];
	struct check c = { s, map, d, difo, 0, work, why };
	uint32_t i, to;
	int depth;

	memset(work, UNREACHED, d->ntext);
	work[0] = 0;
	for (c.pc = 0; c.pc < d->ntext; c.pc++) {
		i = s->prog.text[d->text + c.pc];
		depth = work[c.pc] == UNREACHED ? UNKNOWN : work[c.pc];
		if (ops[DIF_INSTR_OP(i)].name != NULL &&
		    ops[DIF_INSTR_OP(i)].format == DV_DIF_BR) {
			to = DIF_INSTR_LABEL(i);
			if (to <= c.pc || to >= d->ntext)
				return bad(&c, "branch does not go forward inside");
			flow(&c, to, depth);
		} else if (check_instr(&c, &i, &depth) != 0) {
			return -1;
		}
		text[c.pc] = i;
		if (c.pc + 1 < d->ntext && DIF_INSTR_OP(i) != DIF_OP_BA &&
		    DIF_INSTR_OP(i) != DIF_OP_RET)
			flow(&c, c.pc + 1, depth);
	}
	c.pc = d->ntext - 1;
	if (DIF_INSTR_OP(text[c.pc]) != DIF_OP_RET)
		return bad(&c, "does not end with ret");
	return 0;
}

/*
 * An upper bound for sane programs, not a promise: sizes of by-reference keys
 * are taken from the last SETX into their register. What turns out larger at
 * run time is a dynamic variable drop.
 */
static uint64_t
difo_keyroom(const struct dv_prog *p, const struct dv_difo *d, uint64_t strsize)
{
	uint64_t reg[DIF_NREGS] = { 0 }, room = 0, max = 0, size;
	uint32_t pc, i, op;

	for (pc = 0; pc < d->ntext; pc++) {
		i = p->text[d->text + pc];
		op = DIF_INSTR_OP(i);
		if (op == DIF_OP_SETX && DIF_INSTR_INDEX(i) < d->nints &&
		    DIF_INSTR_RD(i) < DIF_NREGS) {
			reg[DIF_INSTR_RD(i)] = p->ints[d->ints + DIF_INSTR_INDEX(i)];
		} else if (op == DIF_OP_PUSHTV) {
			room += 8;
		} else if (op == DIF_OP_PUSHTR) {
			size = DIF_INSTR_R2(i) < DIF_NREGS ? reg[DIF_INSTR_R2(i)] : 0;
			if (size == 0 || size > strsize)
				size = DIF_INSTR_R1(i) == DV_T_STRING || size == 0 ?
				    strsize : size < 4096 ? size : 4096;
			room += 8 + ((size + 7) & ~(uint64_t)7);
		} else if (op == DIF_OP_CALL || op == DIF_OP_FLUSHTS) {
			room = 0;
		} else if (op == DIF_OP_LDGAA || op == DIF_OP_STGAA ||
		    op == DIF_OP_LDTAA || op == DIF_OP_STTAA) {
			if (room > max)
				max = room;
			room = 0;
		}
	}
	return max;
}

uint64_t
dv_dif_keyroom(const struct dv_prog *p, uint64_t strsize)
{
	uint64_t max = 0, n;
	uint32_t i;

	for (i = 0; i < p->ndifos; i++) {
		n = difo_keyroom(p, &p->difos[i], strsize);
		if (n > max)
			max = n;
	}
	/* the tuple stack holds eight, however long a DIFO's straight pushes are */
	n = DIF_MAXTUPLE * (8 + ((strsize + 7) & ~(uint64_t)7));
	if (n < DIF_MAXTUPLE * 4104)
		n = DIF_MAXTUPLE * 4104;
	return max < n ? max : n;
}
