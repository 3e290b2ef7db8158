/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * insn.c - the instruction that a trap displaces: classified once, run at hits.
 *
 * A trap overwrites the first byte of an instruction, so somebody must do its work
 * when the trap is hit. The byte is not put back for a single step: other vCPUs
 * would miss the probe meanwhile. It is done in software, from the bytes that
 * were saved. Nearly all sites hold one of a few dozen instructions (push, mov,
 * sub, cmp, lea, ret, jmp, call ...), which are done here: much faster than KVM's
 * emulator, and without its gaps. What is rare goes to KVM's emulator, if that
 * does it right in every version: it ignores F2 and F3 where they choose another
 * instruction, returns to the guest in the middle of long REP loops, and lacks
 * some. What is left has no trap.
 *
 * Decoding is strict: a combination of prefixes that is not known to be harmless
 * makes an instruction unknown, never something else.
 *
 * An operand is a number: 0..15 a register, 16..19 ah ch dh bh, or R_*. Nothing
 * of the vCPU is changed until all that may fail has been done: memory is stored
 * to once, and before registers.
 *
 * Source: Intel SDM volume 2 (formats, opcode maps, flags), AMD APM volume 3.
 */
#include "kvm/insn.h"

#include "dv_plat.h"

enum {
	R_RAX = 0, R_RCX = 1, R_RDX = 2, R_RSP = 4, R_RBP = 5,
	R_HIGH = 16,			/* ah; then ch, dh, bh */
	R_RIP = 32,			/* base only: the next instruction */
	R_MEM, R_IMM, R_NO
};

enum op {
	OP_NOP, OP_MOV, OP_MOVSX, OP_LEA, OP_ALU, OP_TEST, OP_NOT, OP_NEG, OP_INC, OP_DEC,
	OP_SHIFT, OP_XCHG, OP_BSWAP, OP_CONVERT, OP_EXTEND, OP_SETCC, OP_CMOV, OP_BT,
	OP_PUSH, OP_POP, OP_LEAVE, OP_PUSHF, OP_CALL, OP_JMP, OP_JCC, OP_RET, OP_FLAG
};
/* OP_ALU's sub, as encoded */
enum { ALU_ADD, ALU_OR, ALU_ADC, ALU_SBB, ALU_AND, ALU_SUB, ALU_XOR, ALU_CMP };
/* OP_SHIFT's */
enum { SH_ROL, SH_ROR, SH_RCL, SH_RCR, SH_SHL, SH_SHR, SH_SAL, SH_SAR };
/* OP_FLAG's: what happens to the bits of imm */
enum { FLAG_CLEAR, FLAG_SET, FLAG_FLIP };

#define CF	0x1u
#define PF	0x4u
#define AF	0x10u
#define ZF	0x40u
#define SF	0x80u
#define IF	0x200u
#define DF	0x400u
#define OF	0x800u
#define RF	0x10000u
#define VM	0x20000u
#define AC	0x40000u
#define ARITH	(CF | PF | AF | ZF | SF | OF)

/* ---- decoding ------------------------------------------------------------ */

struct dec {
	const uint8_t *p;
	size_t n, at;
	bool cut;			/* read past the end */
	bool p66, lock;
	uint8_t rep;			/* 0xf2, 0xf3 or 0 */
	uint8_t rex;			/* 0x40..0x4f or 0 */
	/* of the modrm byte */
	bool mem;
	uint8_t reg, rm;		/* with REX.R, REX.B */
	struct dv_insn *i;
};

static uint8_t
next_byte(struct dec *d)
{
	if (d->at >= d->n) {
		d->cut = true;
		return 0;
	}
	return d->p[d->at++];
}

static uint64_t
next_signed(struct dec *d, unsigned n)
{
	uint64_t v = 0;
	unsigned k;

	for (k = 0; k < n; k++)
		v |= (uint64_t)next_byte(d) << (8 * k);
	if (n < 8 && (v >> (8 * n - 1) & 1) != 0)
		v |= ~0ull << (8 * n);
	return v;
}

static bool
is_prefix(uint8_t b)
{
	switch (b) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65:
	case 0x66: case 0x67: case 0xf0: case 0xf2: case 0xf3:
		return true;
	}
	return (b & 0xf0) == 0x40;
}

/* The prefixes and the opcode's first byte. False: prefixes in disorder. */
static bool
prefixes(struct dec *d, uint8_t *op)
{
	bool null_seg = false;
	uint8_t b;

	for (;;) {
		b = next_byte(d);
		if (d->cut)
			return true;
		switch (b) {
		case 0x26: case 0x2e: case 0x36: case 0x3e:
			null_seg = true;	/* mean nothing, pad jumps */
			continue;
		case 0x64: case 0x65:
			if (d->i->seg != 0 && d->i->seg != b)
				return false;
			d->i->seg = b;
			continue;
		case 0x66:
			d->p66 = true;
			continue;
		case 0x67:
			d->i->addr32 = 1;
			continue;
		case 0xf0:
			d->lock = true;
			continue;
		case 0xf2: case 0xf3:
			if (d->rep != 0 && d->rep != b)
				return false;
			d->rep = b;
			continue;
		}
		break;
	}
	if ((b & 0xf0) == 0x40) {
		d->rex = b;
		b = next_byte(d);
		if (!d->cut && is_prefix(b))
			return false;		/* voids REX */
	}
	*op = b;
	return !(null_seg && d->i->seg != 0);
}

/* The modrm byte, and SIB and displacement if it wants them. */
static void
modrm(struct dec *d)
{
	struct dv_insn *i = d->i;
	uint8_t m = next_byte(d), mod = m >> 6, sib;
	uint8_t rex_b = (uint8_t)((d->rex & 1) << 3);

	d->reg = (uint8_t)((m >> 3 & 7) | (d->rex & 4) << 1);
	d->rm = (uint8_t)((m & 7) | rex_b);
	d->mem = mod != 3;
	if (!d->mem)
		return;
	i->base = d->rm;
	i->index = R_NO;
	if ((m & 7) == 4) {
		sib = next_byte(d);
		i->base = (uint8_t)((sib & 7) | rex_b);
		i->index = (uint8_t)((sib >> 3 & 7) | (d->rex & 2) << 2);
		i->scale = sib >> 6;
		if (i->index == R_RSP)
			i->index = R_NO;
		if (mod == 0 && (sib & 7) == 5) {
			i->base = R_NO;
			i->disp = next_signed(d, 4);
		}
	} else if (mod == 0 && (m & 7) == 5) {
		i->base = R_RIP;
		i->disp = next_signed(d, 4);
	}
	if (mod == 1)
		i->disp = next_signed(d, 1);
	else if (mod == 2)
		i->disp = next_signed(d, 4);
}

static unsigned
osize(const struct dec *d)
{
	return d->rex & 8 ? 8 : d->p66 ? 2 : 4;
}

/* A register field as operand of that size. */
static uint8_t
reg_op(const struct dec *d, uint8_t r, unsigned size)
{
	return size == 1 && d->rex == 0 && r >= 4 && r < 8 ? (uint8_t)(R_HIGH + r - 4) : r;
}

static uint8_t
rm_op(const struct dec *d, unsigned size)
{
	return d->mem ? R_MEM : reg_op(d, d->rm, size);
}

/* ---- verdicts ------------------------------------------------------------ */

static void
none(struct dec *d, enum dv_insn_why why)
{
	d->i->kind = DV_INSN_NONE;
	d->i->why = (uint8_t)why;
}

static void
other(struct dec *d)
{
	none(d, DV_INSN_WHY_OTHER);
}

/* One without F2, F3 and LOCK. */
static bool
bare(struct dec *d)
{
	if (d->rep == 0 && !d->lock)
		return true;
	none(d, DV_INSN_WHY_PREFIX);
	return false;
}

static void
kvm(struct dec *d)
{
	if (bare(d))
		d->i->kind = DV_INSN_KVM;
}

/* One that may be locked if it works on memory. */
static void
kvm_lockable(struct dec *d)
{
	if (d->rep != 0 || (d->lock && !d->mem))
		none(d, DV_INSN_WHY_PREFIX);
	else
		d->i->kind = DV_INSN_KVM;
}

/* F2 and F3 have been looked at. */
static void
own_any_rep(struct dec *d, enum op op, unsigned size, uint8_t dst, uint8_t src)
{
	struct dv_insn *i = d->i;

	if (d->lock) {
		none(d, DV_INSN_WHY_PREFIX);
		return;
	}
	i->kind = DV_INSN_OWN;
	i->op = (uint8_t)op;
	i->size = i->ssize = (uint8_t)size;
	i->dst = dst;
	i->src = src;
}

static void
own(struct dec *d, enum op op, unsigned size, uint8_t dst, uint8_t src)
{
	if (bare(d))
		own_any_rep(d, op, size, dst, src);
}

/* The same, of an instruction that KVM's emulator can do locked. */
static void
own_lockable(struct dec *d, enum op op, unsigned size, uint8_t dst, uint8_t src)
{
	if (d->lock)
		kvm_lockable(d);
	else
		own(d, op, size, dst, src);
}

/* Branches and returns: F2 meant "bound" and pads; 66 means different things. */
static void
own_branch(struct dec *d, enum op op, uint8_t src)
{
	if (d->p66 || d->rep == 0xf3)
		none(d, DV_INSN_WHY_PREFIX);
	else
		own_any_rep(d, op, 8, R_NO, src);
}

/* Pushes and pops of 8 bytes. */
static void
own_stack(struct dec *d, enum op op, uint8_t dst, uint8_t src)
{
	if (d->p66)
		none(d, DV_INSN_WHY_PREFIX);
	else
		own(d, op, 8, dst, src);
}

static void
own_flag(struct dec *d, unsigned what, uint64_t bits)
{
	own(d, OP_FLAG, 8, R_NO, R_NO);
	d->i->sub = (uint8_t)what;
	d->i->imm = bits;
}

/* ---- the opcode maps ----------------------------------------------------- */

static void
group_shift(struct dec *d, uint8_t op)
{
	unsigned size = op & 1 ? osize(d) : 1;
	uint8_t count = op < 0xd0 || op < 0xd2 ? R_IMM : R_RCX;

	modrm(d);
	d->i->imm = op < 0xd0 ? next_signed(d, 1) : 1;
	if ((d->reg & 7) == SH_RCL || (d->reg & 7) == SH_RCR) {
		kvm(d);
		return;
	}
	own(d, OP_SHIFT, size, rm_op(d, size), count);
	d->i->sub = d->reg & 7;
}

static void
group_f6(struct dec *d, uint8_t op)
{
	unsigned size = op & 1 ? osize(d) : 1;

	modrm(d);
	switch (d->reg & 7) {
	case 0:
	case 1:				/* an alias; disassemblers do not know it */
		d->i->imm = next_signed(d, size > 4 ? 4 : size);
		own(d, OP_TEST, size, rm_op(d, size), R_IMM);
		break;
	case 2:
		own_lockable(d, OP_NOT, size, rm_op(d, size), R_NO);
		break;
	case 3:
		own_lockable(d, OP_NEG, size, rm_op(d, size), R_NO);
		break;
	default:			/* mul imul div idiv */
		kvm(d);
	}
}

static void
group_fe(struct dec *d, uint8_t op)
{
	unsigned size = op & 1 ? osize(d) : 1;

	modrm(d);
	switch (d->reg & 7) {
	case 0:
		own_lockable(d, OP_INC, size, rm_op(d, size), R_NO);
		return;
	case 1:
		own_lockable(d, OP_DEC, size, rm_op(d, size), R_NO);
		return;
	}
	if (op == 0xfe) {
		none(d, DV_INSN_WHY_INVALID);
		return;
	}
	switch (d->reg & 7) {
	case 2:
		own_branch(d, OP_CALL, rm_op(d, 8));
		break;
	case 4:
		own_branch(d, OP_JMP, rm_op(d, 8));
		break;
	case 6:
		own_stack(d, OP_PUSH, R_NO, rm_op(d, 8));
		break;
	case 7:
		none(d, DV_INSN_WHY_INVALID);
		break;
	default:
		none(d, DV_INSN_WHY_FAR);
	}
}

static void
alu(struct dec *d, uint8_t op)
{
	unsigned size = op & 1 ? osize(d) : 1;
	uint8_t sub = op >> 3, dst, src;

	switch (op & 7) {
	case 0: case 1:
		modrm(d);
		dst = rm_op(d, size);
		src = reg_op(d, d->reg, size);
		break;
	case 2: case 3:
		modrm(d);
		dst = reg_op(d, d->reg, size);
		src = rm_op(d, size);
		break;
	case 4: case 5:
		d->i->imm = next_signed(d, size > 4 ? 4 : size);
		dst = R_RAX;
		src = R_IMM;
		break;
	default:
		none(d, DV_INSN_WHY_INVALID);
		return;
	}
	if (sub != ALU_CMP && dst == R_MEM)
		own_lockable(d, OP_ALU, size, dst, src);
	else
		own(d, OP_ALU, size, dst, src);
	d->i->sub = sub;
}

static void
branch(struct dec *d, enum op op, unsigned bytes)
{
	d->i->imm = next_signed(d, bytes);	/* made the target at the end */
	own_branch(d, op, R_IMM);
}

/* Opcodes 0x80 to 0xbf. */
static void
map0_middle(struct dec *d, uint8_t op)
{
	unsigned size = op & 1 ? osize(d) : 1, wide = osize(d);
	struct dv_insn *i = d->i;

	switch (op) {
	case 0x80: case 0x81: case 0x83:
		modrm(d);
		i->imm = next_signed(d, op == 0x81 ? (size > 4 ? 4 : size) : 1);
		if ((d->reg & 7) != ALU_CMP && d->mem)
			own_lockable(d, OP_ALU, size, R_MEM, R_IMM);
		else
			own(d, OP_ALU, size, rm_op(d, size), R_IMM);
		i->sub = d->reg & 7;
		break;
	case 0x84: case 0x85:
		modrm(d);
		own(d, OP_TEST, size, rm_op(d, size), reg_op(d, d->reg, size));
		break;
	case 0x86: case 0x87:
		modrm(d);
		if (d->mem)		/* always locked */
			kvm_lockable(d);
		else
			own(d, OP_XCHG, size, rm_op(d, size), reg_op(d, d->reg, size));
		break;
	case 0x88: case 0x89:
		modrm(d);
		own(d, OP_MOV, size, rm_op(d, size), reg_op(d, d->reg, size));
		break;
	case 0x8a: case 0x8b:
		modrm(d);
		own(d, OP_MOV, size, reg_op(d, d->reg, size), rm_op(d, size));
		break;
	case 0x8c:			/* segment registers */
		modrm(d);
		if (d->reg > 5)
			none(d, DV_INSN_WHY_INVALID);
		else
			kvm(d);
		break;
	case 0x8e:
		modrm(d);
		if (d->reg > 5 || d->reg == 1)
			none(d, DV_INSN_WHY_INVALID);
		else
			kvm(d);
		break;
	case 0x8d:
		modrm(d);
		if (!d->mem)
			none(d, DV_INSN_WHY_INVALID);
		else
			own(d, OP_LEA, wide, d->reg, R_NO);
		break;
	case 0x8f:
		modrm(d);
		if ((d->reg & 7) != 0)
			none(d, DV_INSN_WHY_VECTOR);	/* XOP */
		else if (d->mem)
			kvm(d);
		else
			own_stack(d, OP_POP, d->rm, R_NO);
		break;
	case 0x90:
		if (d->rex & 1)
			own(d, OP_XCHG, wide, R_RAX, 8);
		else if (d->rep == 0xf2)
			none(d, DV_INSN_WHY_PREFIX);
		else			/* F3: pause */
			own_any_rep(d, OP_NOP, 8, R_NO, R_NO);
		break;
	case 0x91: case 0x92: case 0x93: case 0x94: case 0x95: case 0x96: case 0x97:
		own(d, OP_XCHG, wide, R_RAX, (uint8_t)((op & 7) | (d->rex & 1) << 3));
		break;
	case 0x98:
		own(d, OP_CONVERT, wide, R_RAX, R_RAX);
		break;
	case 0x99:
		own(d, OP_EXTEND, wide, R_RDX, R_RAX);
		break;
	case 0x9b:
		none(d, DV_INSN_WHY_VECTOR);
		break;
	case 0x9c:
		own_stack(d, OP_PUSHF, R_NO, R_NO);
		break;
	case 0x9d: case 0x9e: case 0x9f:
		kvm(d);
		break;
	case 0xa0: case 0xa1: case 0xa2: case 0xa3:
		i->disp = next_signed(d, i->addr32 ? 4 : 8);
		i->base = i->index = R_NO;
		if (op < 0xa2)
			own(d, OP_MOV, size, R_RAX, R_MEM);
		else
			own(d, OP_MOV, size, R_MEM, R_RAX);
		break;
	case 0xa8: case 0xa9:
		i->imm = next_signed(d, size > 4 ? 4 : size);
		own(d, OP_TEST, size, R_RAX, R_IMM);
		break;
	case 0xa4: case 0xa5: case 0xa6: case 0xa7:
	case 0xaa: case 0xab: case 0xac: case 0xad: case 0xae: case 0xaf:
		if (d->rep != 0)
			none(d, DV_INSN_WHY_REPEATS);
		else
			kvm(d);
		break;
	case 0xb0: case 0xb1: case 0xb2: case 0xb3: case 0xb4: case 0xb5: case 0xb6: case 0xb7:
		i->imm = next_signed(d, 1);
		own(d, OP_MOV, 1, reg_op(d, (uint8_t)((op & 7) | (d->rex & 1) << 3), 1), R_IMM);
		break;
	case 0xb8: case 0xb9: case 0xba: case 0xbb: case 0xbc: case 0xbd: case 0xbe: case 0xbf:
		i->imm = next_signed(d, wide);
		own(d, OP_MOV, wide, (uint8_t)((op & 7) | (d->rex & 1) << 3), R_IMM);
		break;
	default:
		none(d, DV_INSN_WHY_INVALID);
	}
}

/* Opcodes from 0xc0. */
static void
map0_high(struct dec *d, uint8_t op)
{
	unsigned size = op & 1 ? osize(d) : 1;
	struct dv_insn *i = d->i;

	switch (op) {
	case 0xc0: case 0xc1: case 0xd0: case 0xd1: case 0xd2: case 0xd3:
		group_shift(d, op);
		break;
	case 0xc2:
		i->disp = next_signed(d, 2) & 0xffff;
		own_branch(d, OP_RET, R_NO);
		break;
	case 0xc3:
		if (d->rep == 0xf3)	/* AMD's two-byte return */
			d->rep = 0;
		own_branch(d, OP_RET, R_NO);
		break;
	case 0xc4: case 0xc5:
	case 0xd8: case 0xd9: case 0xda: case 0xdb: case 0xdc: case 0xdd: case 0xde: case 0xdf:
		none(d, DV_INSN_WHY_VECTOR);
		break;
	case 0xc6: case 0xc7:
		modrm(d);
		i->imm = next_signed(d, size > 4 ? 4 : size);
		if ((d->reg & 7) == 0)
			own(d, OP_MOV, size, rm_op(d, size), R_IMM);
		else
			other(d);	/* transactions */
		break;
	case 0xc8:
		other(d);		/* enter */
		break;
	case 0xc9:
		own_stack(d, OP_LEAVE, R_NO, R_NO);
		break;
	case 0xca: case 0xcb: case 0xcf:
		none(d, DV_INSN_WHY_FAR);
		break;
	case 0xcc: case 0xcd: case 0xf1:
		none(d, DV_INSN_WHY_TRAP);
		break;
	case 0xd7: case 0xfb:		/* xlat, sti */
		kvm(d);
		break;
	case 0xe0: case 0xe1: case 0xe2: case 0xe3:
		next_signed(d, 1);
		if (d->p66)
			none(d, DV_INSN_WHY_PREFIX);
		else
			kvm(d);
		break;
	case 0xe4: case 0xe5: case 0xe6: case 0xe7: case 0xec: case 0xed: case 0xee: case 0xef:
		none(d, DV_INSN_WHY_IO);
		break;
	case 0xe8:
		branch(d, OP_CALL, 4);
		break;
	case 0xe9:
		branch(d, OP_JMP, 4);
		break;
	case 0xeb:
		branch(d, OP_JMP, 1);
		break;
	case 0xf4:
		none(d, DV_INSN_WHY_HALT);
		break;
	case 0xf5:
		own_flag(d, FLAG_FLIP, CF);
		break;
	case 0xf6: case 0xf7:
		group_f6(d, op);
		break;
	case 0xf8:
		own_flag(d, FLAG_CLEAR, CF);
		break;
	case 0xf9:
		own_flag(d, FLAG_SET, CF);
		break;
	case 0xfa:
		own_flag(d, FLAG_CLEAR, IF);
		break;
	case 0xfc:
		own_flag(d, FLAG_CLEAR, DF);
		break;
	case 0xfd:
		own_flag(d, FLAG_SET, DF);
		break;
	case 0xfe: case 0xff:
		group_fe(d, op);
		break;
	default:
		none(d, DV_INSN_WHY_INVALID);
	}
}

static void
map0(struct dec *d, uint8_t op)
{
	struct dv_insn *i = d->i;

	if (op < 0x40) {
		alu(d, op);
	} else if (op >= 0xc0) {
		map0_high(d, op);
	} else if (op >= 0x80) {
		map0_middle(d, op);
	} else if (op >= 0x70) {
		branch(d, OP_JCC, 1);
		i->sub = op & 15;
	} else if (op >= 0x50 && op < 0x58) {
		own_stack(d, OP_PUSH, R_NO, (uint8_t)((op & 7) | (d->rex & 1) << 3));
	} else if (op >= 0x58 && op < 0x60) {
		own_stack(d, OP_POP, (uint8_t)((op & 7) | (d->rex & 1) << 3), R_NO);
	} else if (op == 0x62) {
		none(d, DV_INSN_WHY_VECTOR);
	} else if (op == 0x63) {
		modrm(d);
		if (osize(d) == 2) {
			other(d);	/* processors differ */
			return;
		}
		own(d, OP_MOVSX, osize(d), d->reg, rm_op(d, 4));
		i->ssize = 4;
	} else if (op == 0x68 || op == 0x6a) {
		i->imm = next_signed(d, op == 0x68 ? 4 : 1);
		own_stack(d, OP_PUSH, R_NO, R_IMM);
	} else if (op == 0x69 || op == 0x6b) {
		modrm(d);
		next_signed(d, op == 0x6b ? 1 : d->p66 && !(d->rex & 8) ? 2 : 4);
		kvm(d);
	} else if (op >= 0x6c && op <= 0x6f) {
		none(d, DV_INSN_WHY_IO);
	} else {
		none(d, DV_INSN_WHY_INVALID);
	}
}

/* 0f 01, with its many meanings of register forms. */
static void
group_0f01(struct dec *d)
{
	modrm(d);
	if (d->mem) {
		if ((d->reg & 7) == 5 || d->p66)
			other(d);
		else			/* sgdt sidt lgdt lidt smsw lmsw invlpg */
			kvm(d);
		return;
	}
	switch (d->p[d->at - 1]) {
	case 0xca: case 0xcb:		/* clac, stac */
		if (d->p66)
			none(d, DV_INSN_WHY_PREFIX);
		else
			own_flag(d, d->p[d->at - 1] == 0xca ? FLAG_CLEAR : FLAG_SET, AC);
		d->i->uses = DV_INSN_ALONE;
		break;
	default:
		if (((d->reg & 7) == 4 || (d->reg & 7) == 6) && !d->p66)
			kvm(d);		/* smsw, lmsw */
		else
			other(d);
	}
}

static void
group_0fba(struct dec *d)
{
	modrm(d);
	d->i->imm = next_signed(d, 1);
	if ((d->reg & 7) < 4)
		none(d, DV_INSN_WHY_INVALID);
	else if ((d->reg & 7) == 4)
		own(d, OP_BT, osize(d), rm_op(d, osize(d)), R_IMM);
	else
		own_lockable(d, OP_BT, osize(d), rm_op(d, osize(d)), R_IMM);
	d->i->sub = d->reg & 3;
}

/* 0f ae: fences are done by the exit that has brought us here. */
static void
group_0fae(struct dec *d)
{
	modrm(d);
	if (!d->mem && (d->reg & 7) >= 5 && !d->p66) {
		own(d, OP_NOP, 8, R_NO, R_NO);
		d->i->uses = DV_INSN_ALONE;
	} else if (d->mem && (d->reg & 7) == 7 && !d->p66) {
		kvm(d);			/* clflush */
	} else {
		none(d, DV_INSN_WHY_VECTOR);
	}
}

static void
hint_nop(struct dec *d, uint8_t op)
{
	uint8_t m;

	modrm(d);
	m = d->p[d->at - 1];
	if (op == 0x1e && d->rep == 0xf3 && !d->mem && (m == 0xfa || m == 0xfb))
		own_any_rep(d, OP_NOP, 8, R_NO, R_NO);	/* endbr64, endbr32 */
	else if (op == 0x1a || op == 0x1b)
		other(d);		/* bounds registers */
	else
		own(d, OP_NOP, 8, R_NO, R_NO);
}

static void
move_extended(struct dec *d, uint8_t op)
{
	unsigned ssize = op & 1 ? 2 : 1;

	modrm(d);
	own(d, op >= 0xbe ? OP_MOVSX : OP_MOV, osize(d), d->reg, rm_op(d, ssize));
	d->i->ssize = (uint8_t)ssize;
}

static void
map1(struct dec *d)
{
	uint8_t op = next_byte(d);
	unsigned size = op & 1 ? osize(d) : 1, wide = osize(d);
	struct dv_insn *i = d->i;

	if (op >= 0x40 && op < 0x50) {
		modrm(d);
		own(d, OP_CMOV, wide, d->reg, rm_op(d, wide));
		i->sub = op & 15;
		return;
	}
	if (op >= 0x80 && op < 0x90) {
		branch(d, OP_JCC, 4);
		i->sub = op & 15;
		return;
	}
	if (op >= 0x90 && op < 0xa0) {
		modrm(d);
		own(d, OP_SETCC, 1, rm_op(d, 1), R_NO);
		i->sub = op & 15;
		return;
	}
	if (op >= 0xc8 && op < 0xd0) {
		if (wide == 2)
			other(d);	/* undefined */
		else
			own(d, OP_BSWAP, wide, (uint8_t)((op & 7) | (d->rex & 1) << 3), R_NO);
		return;
	}
	switch (op) {
	case 0x00:
		modrm(d);
		if ((d->reg & 7) <= 3)	/* sldt str lldt ltr */
			kvm(d);
		else
			other(d);
		break;
	case 0x01:
		group_0f01(d);
		break;
	case 0x05: case 0x07: case 0x34: case 0x35:
		none(d, DV_INSN_WHY_FAR);
		break;
	case 0x06: case 0x09: case 0x31: case 0xa0: case 0xa1: case 0xa2: case 0xa8: case 0xa9:
		if (d->p66)
			none(d, DV_INSN_WHY_PREFIX);
		else			/* clts wbinvd rdtsc cpuid, push and pop of fs, gs */
			kvm(d);
		break;
	case 0x0b: case 0xb9: case 0xff:
		none(d, DV_INSN_WHY_TRAP);
		break;
	case 0x0d:
		modrm(d);
		if (d->mem)
			own(d, OP_NOP, 8, R_NO, R_NO);	/* prefetchw */
		else
			other(d);
		break;
	case 0x18: case 0x19: case 0x1a: case 0x1b: case 0x1c: case 0x1d: case 0x1e: case 0x1f:
		hint_nop(d, op);
		break;
	case 0x20: case 0x21: case 0x22: case 0x23:
		next_byte(d);		/* control and debug registers: never memory */
		kvm(d);
		break;
	case 0x30: case 0x32: case 0x33:
		none(d, DV_INSN_WHY_MSR);
		break;
	case 0xa3: case 0xab: case 0xb3: case 0xbb:
		modrm(d);
		if (!d->mem) {
			own(d, OP_BT, wide, d->rm, d->reg);
			i->sub = op >> 3 & 3;
		} else if (op == 0xa3) {
			kvm(d);
		} else {
			kvm_lockable(d);
		}
		break;
	case 0xa4: case 0xac:		/* shld, shrd */
		modrm(d);
		next_signed(d, 1);
		kvm(d);
		break;
	case 0xa5: case 0xad: case 0xaf:
		modrm(d);
		kvm(d);
		break;
	case 0xbc: case 0xbd:		/* bsf, bsr; not tzcnt, lzcnt */
		modrm(d);
		kvm(d);
		break;
	case 0xae:
		group_0fae(d);
		break;
	case 0xb0: case 0xb1: case 0xc0: case 0xc1:
		modrm(d);		/* cmpxchg, xadd */
		kvm_lockable(d);
		break;
	case 0xb6: case 0xb7: case 0xbe: case 0xbf:
		move_extended(d, op);
		break;
	case 0xba:
		group_0fba(d);
		break;
	case 0xc3:			/* movnti: stores of ours are not delayed */
		modrm(d);
		if (!d->mem || d->p66)
			other(d);
		else
			own(d, OP_MOV, size, R_MEM, d->reg);
		break;
	case 0xc7:
		modrm(d);
		if (d->mem && (d->reg & 7) == 1 && !(d->rex & 8) && !d->p66)
			kvm_lockable(d);	/* cmpxchg8b */
		else
			other(d);
		break;
	default:
		none(d, op == 0x38 || op == 0x3a || op >= 0x10 ? DV_INSN_WHY_VECTOR :
		    DV_INSN_WHY_OTHER);
	}
}

/* What dv_insn_run() will use. */
static uint8_t
uses_of(const struct dv_insn *i)
{
	static const uint8_t flags[] = {
		[OP_NEG] = DV_INSN_WFLAGS, [OP_INC] = DV_INSN_RFLAGS | DV_INSN_WFLAGS,
		[OP_DEC] = DV_INSN_RFLAGS | DV_INSN_WFLAGS, [OP_TEST] = DV_INSN_WFLAGS,
		[OP_ALU] = DV_INSN_WFLAGS, [OP_SHIFT] = DV_INSN_WFLAGS,
		[OP_BT] = DV_INSN_WFLAGS, [OP_SETCC] = DV_INSN_RFLAGS,
		[OP_CMOV] = DV_INSN_RFLAGS, [OP_JCC] = DV_INSN_RFLAGS,
		[OP_PUSHF] = DV_INSN_RFLAGS, [OP_FLAG] = DV_INSN_WFLAGS
	};
	bool stack = i->op == OP_PUSH || i->op == OP_POP || i->op == OP_LEAVE ||
	    i->op == OP_PUSHF || i->op == OP_CALL || i->op == OP_RET;
	bool mem = i->dst == R_MEM || i->src == R_MEM;
	uint8_t uses = i->uses | (i->op < sizeof(flags) ? flags[i->op] : 0);

	/* flags are changed, so they are written back whole */
	if (uses & DV_INSN_WFLAGS)
		uses |= DV_INSN_RFLAGS;
	if (mem || i->op == OP_LEA) {
		if (i->base == R_RSP)
			uses |= DV_INSN_RSP;
		if (mem && i->seg == 0x64)
			uses |= DV_INSN_FS;
		if (mem && i->seg == 0x65)
			uses |= DV_INSN_GS;
	}
	if (stack || i->dst == R_RSP || i->src == R_RSP)
		uses |= DV_INSN_RSP;
	if (stack || mem)
		uses |= DV_INSN_MEM;
	return uses;
}

void
dv_insn_plan(const uint8_t *bytes, size_t n, uint64_t rip, struct dv_insn *ret)
{
	struct dec d = { .p = bytes, .n = n < DV_INSN_MAX ? n : DV_INSN_MAX, .i = ret };
	uint8_t op = 0;

	memset(ret, 0, sizeof(*ret));
	ret->dst = ret->src = ret->base = ret->index = R_NO;
	if (!prefixes(&d, &op))
		none(&d, DV_INSN_WHY_PREFIX);
	else if (op == 0x0f)
		map1(&d);
	else
		map0(&d, op);
	if (d.cut) {
		none(&d, DV_INSN_WHY_CUT);
		return;
	}
	if (ret->kind == DV_INSN_NONE)
		return;
	ret->why = DV_INSN_WHY_OK;
	ret->len = (uint8_t)d.at;
	ret->next = rip + d.at;
	if (ret->kind != DV_INSN_OWN)
		return;
	if (ret->src == R_IMM &&
	    (ret->op == OP_CALL || ret->op == OP_JMP || ret->op == OP_JCC))
		ret->imm += ret->next;
	ret->uses = uses_of(ret);
}

const char *
dv_insn_why_text(unsigned why)
{
	static const char *const text[] = {
#define DV_INSN_WHY_TEXT(name, text) text,
		DV_INSN_WHYS(DV_INSN_WHY_TEXT)
#undef DV_INSN_WHY_TEXT
	};

	return why < DV_INSN_NWHY ? text[why] : "";
}

/* ---- running ------------------------------------------------------------- */

static uint64_t
mask(unsigned size)
{
	return size == 8 ? ~0ull : (1ull << (8 * size)) - 1;
}

static uint64_t
sign_bit(unsigned size)
{
	return 1ull << (8 * size - 1);
}

static uint64_t
extend(uint64_t v, unsigned size)
{
	v &= mask(size);
	return v & sign_bit(size) ? v | ~mask(size) : v;
}

static uint64_t
reg_get(const struct dv_insn_cpu *c, uint8_t r, unsigned size)
{
	if (r >= R_HIGH)
		return c->gpr[r - R_HIGH] >> 8 & 0xff;
	return c->gpr[r] & mask(size);
}

static void
reg_set(struct dv_insn_cpu *c, uint8_t r, unsigned size, uint64_t v)
{
	v &= mask(size);
	if (r >= R_HIGH)
		c->gpr[r - R_HIGH] = (c->gpr[r - R_HIGH] & ~0xff00ull) | v << 8;
	else if (size >= 4)
		c->gpr[r] = v;
	else
		c->gpr[r] = (c->gpr[r] & ~mask(size)) | v;
}

static uint64_t
offset_of(const struct dv_insn *i, const struct dv_insn_cpu *c)
{
	uint64_t at = i->disp;

	if (i->base == R_RIP)
		at += i->next;
	else if (i->base != R_NO)
		at += c->gpr[i->base];
	if (i->index != R_NO)
		at += c->gpr[i->index] << i->scale;
	return i->addr32 ? at & 0xffffffff : at;
}

static uint64_t
address_of(const struct dv_insn *i, const struct dv_insn_cpu *c)
{
	uint64_t at = offset_of(i, c);

	return i->seg == 0x64 ? at + c->fs_base : i->seg == 0x65 ? at + c->gs_base : at;
}

/* An operand's value, cut to size. */
static int
get(const struct dv_insn *i, struct dv_insn_cpu *c, uint8_t opnd, unsigned size, uint64_t *v)
{
	if (opnd == R_IMM)
		*v = i->imm & mask(size);
	else if (opnd != R_MEM)
		*v = reg_get(c, opnd, size);
	else if (c->load(c->arg, address_of(i, c), size, v) != 0)
		return -1;
	else
		*v &= mask(size);
	return 0;
}

static int
put(const struct dv_insn *i, struct dv_insn_cpu *c, uint8_t opnd, unsigned size, uint64_t v)
{
	if (opnd != R_MEM) {
		reg_set(c, opnd, size, v);
		return 0;
	}
	return c->store(c->arg, address_of(i, c), size, v & mask(size)) != 0 ? -1 : 0;
}

/* An address where a 4-level guest may jump to; let KVM judge the rest. */
static bool
canonical(uint64_t at)
{
	return at + (1ull << 47) < 1ull << 48;
}

static bool
holds(unsigned cc, uint64_t f)
{
	bool less = !(f & SF) != !(f & OF), r;

	switch (cc >> 1) {
	case 0: r = f & OF; break;
	case 1: r = f & CF; break;
	case 2: r = f & ZF; break;
	case 3: r = f & (CF | ZF); break;
	case 4: r = f & SF; break;
	case 5: r = f & PF; break;
	case 6: r = less; break;
	default: r = less || (f & ZF); break;
	}
	return r != (cc & 1);
}

/* SF, ZF and PF of a result. */
static uint64_t
szp(uint64_t r, unsigned size)
{
	unsigned low = (unsigned)(r ^ r >> 4) & 15;

	r &= mask(size);
	return (r & sign_bit(size) ? SF : 0) | (r == 0 ? ZF : 0) |
	    (0x9669u >> low & 1 ? PF : 0);
}

static void
set_flags(struct dv_insn_cpu *c, uint64_t which, uint64_t v)
{
	c->rflags = (c->rflags & ~which) | (v & which);
}

/* r = a + b + carry or a - b - carry, all cut to size. */
static uint64_t
sum_flags(uint64_t a, uint64_t b, uint64_t r, unsigned size, bool minus)
{
	uint64_t carries = minus ? (~a & b) | ((~a | b) & r) : (a & b) | ((a | b) & ~r);
	uint64_t over = minus ? (a ^ b) & (a ^ r) : (a ^ r) & (b ^ r);

	return szp(r, size) | (carries & sign_bit(size) ? CF : 0) |
	    ((a ^ b ^ r) & 0x10 ? AF : 0) | (over & sign_bit(size) ? OF : 0);
}

static int
run_alu(const struct dv_insn *i, struct dv_insn_cpu *c)
{
	uint64_t a, b, r, f, carry = c->rflags & CF;
	unsigned size = i->size;
	bool minus = false;

	if (get(i, c, i->dst, size, &a) != 0 || get(i, c, i->src, size, &b) != 0)
		return -1;
	switch (i->sub) {
	case ALU_OR: r = a | b; break;
	case ALU_AND: r = a & b; break;
	case ALU_XOR: r = a ^ b; break;
	case ALU_ADD: r = a + b; break;
	case ALU_ADC: r = a + b + carry; break;
	case ALU_SBB: r = a - b - carry; minus = true; break;
	default: r = a - b; minus = true; break;
	}
	r &= mask(size);
	if (i->sub == ALU_OR || i->sub == ALU_AND || i->sub == ALU_XOR)
		f = szp(r, size);
	else
		f = sum_flags(a, b, r, size, minus);
	if (i->sub != ALU_CMP && put(i, c, i->dst, size, r) != 0)
		return -1;
	set_flags(c, ARITH, f);
	return 0;
}

static int
run_unary(const struct dv_insn *i, struct dv_insn_cpu *c)
{
	uint64_t a, r, f;
	unsigned size = i->size;

	if (get(i, c, i->dst, size, &a) != 0)
		return -1;
	switch (i->op) {
	case OP_NOT:
		return put(i, c, i->dst, size, ~a);
	case OP_NEG:
		r = -a & mask(size);
		f = sum_flags(0, a, r, size, true);
		break;
	case OP_INC:
		r = (a + 1) & mask(size);
		f = sum_flags(a, 1, r, size, false);
		break;
	default:
		r = (a - 1) & mask(size);
		f = sum_flags(a, 1, r, size, true);
		break;
	}
	if (put(i, c, i->dst, size, r) != 0)
		return -1;
	set_flags(c, i->op == OP_NEG ? ARITH : ARITH & ~CF, f);
	return 0;
}

/* OF is defined for a count of 1; we set it as for the last of the single steps. */
static int
run_shift(const struct dv_insn *i, struct dv_insn_cpu *c)
{
	unsigned size = i->size, bits = 8 * size, n, k;
	uint64_t a, r, cf = 0, top = sign_bit(size), which = ARITH, f;

	if (get(i, c, i->dst, size, &a) != 0)
		return -1;
	n = (unsigned)(i->src == R_IMM ? i->imm : c->gpr[R_RCX]) & (size == 8 ? 63 : 31);
	if (n == 0)			/* still a write, which clears an upper half */
		return i->dst == R_MEM ? 0 : put(i, c, i->dst, size, a);
	r = a;
	switch (i->sub) {
	case SH_ROL:
	case SH_ROR:
		k = i->sub == SH_ROL ? n % bits : (bits - n % bits) % bits;
		if (k != 0)
			r = (a << k | a >> (bits - k)) & mask(size);
		cf = i->sub == SH_ROL ? r & 1 : r & top;
		f = i->sub == SH_ROL ? (!(r & top) != !cf ? OF : 0) :
		    (!(r & top) != !(r & top >> 1) ? OF : 0);
		which = CF | OF;
		break;
	case SH_SHR:
		r = n < bits ? a >> n : 0;
		cf = n <= bits ? a >> (n - 1) & 1 : 0;
		f = szp(r, size) | (a & top ? OF : 0);
		break;
	case SH_SAR:
		r = extend(a, size);
		cf = (uint64_t)((int64_t)r >> (n - 1)) & 1;
		r = (uint64_t)((int64_t)r >> n) & mask(size);
		f = szp(r, size);
		break;
	default:
		cf = n <= bits ? a << (n - 1) & top : 0;
		r = n < bits ? a << n & mask(size) : 0;
		f = szp(r, size) | (!(r & top) != !cf ? OF : 0);
		break;
	}
	if (put(i, c, i->dst, size, r) != 0)
		return -1;
	set_flags(c, which, f | (cf != 0 ? CF : 0));
	return 0;
}

static int
run_bt(const struct dv_insn *i, struct dv_insn_cpu *c)
{
	uint64_t a, n, bit;

	if (get(i, c, i->dst, i->size, &a) != 0 || get(i, c, i->src, i->size, &n) != 0)
		return -1;
	bit = 1ull << (n & (8 * i->size - 1));
	if (i->sub != 0 && put(i, c, i->dst, i->size,
	    i->sub == 1 ? a | bit : i->sub == 2 ? a & ~bit : a ^ bit) != 0)
		return -1;
	set_flags(c, CF, a & bit ? CF : 0);
	return 0;
}

static int
push(struct dv_insn_cpu *c, uint64_t v)
{
	if (c->store(c->arg, c->gpr[R_RSP] - 8, 8, v) != 0)
		return -1;
	c->gpr[R_RSP] -= 8;
	return 0;
}

static uint64_t
bswap(uint64_t v, unsigned size)
{
	uint64_t r = 0;
	unsigned k;

	for (k = 0; k < size; k++)
		r = r << 8 | (v >> (8 * k) & 0xff);
	return r;
}

static int
run_data(const struct dv_insn *i, struct dv_insn_cpu *c)
{
	uint64_t a, b;

	switch (i->op) {
	case OP_MOV:
		if (get(i, c, i->src, i->ssize, &a) != 0)
			return -1;
		return put(i, c, i->dst, i->size, a);
	case OP_MOVSX:
		if (get(i, c, i->src, i->ssize, &a) != 0)
			return -1;
		return put(i, c, i->dst, i->size, extend(a, i->ssize));
	case OP_LEA:
		return put(i, c, i->dst, i->size, offset_of(i, c));
	case OP_XCHG:
		a = reg_get(c, i->dst, i->size);
		b = reg_get(c, i->src, i->size);
		reg_set(c, i->dst, i->size, b);
		reg_set(c, i->src, i->size, a);
		return 0;
	case OP_BSWAP:
		reg_set(c, i->dst, i->size, bswap(c->gpr[i->dst], i->size));
		return 0;
	case OP_CONVERT:
		reg_set(c, R_RAX, i->size, extend(c->gpr[R_RAX], i->size / 2));
		return 0;
	case OP_EXTEND:
		reg_set(c, R_RDX, i->size,
		    c->gpr[R_RAX] & sign_bit(i->size) ? mask(i->size) : 0);
		return 0;
	case OP_SETCC:
		return put(i, c, i->dst, 1, holds(i->sub, c->rflags));
	default:			/* OP_CMOV: reads and writes in any case */
		if (get(i, c, i->src, i->size, &a) != 0)
			return -1;
		if (!holds(i->sub, c->rflags))
			a = reg_get(c, i->dst, i->size);
		reg_set(c, i->dst, i->size, a);
		return 0;
	}
}

/* Those that work on the stack or go elsewhere; *rip: where to. */
static int
run_flow(const struct dv_insn *i, struct dv_insn_cpu *c, uint64_t *rip)
{
	uint64_t v;

	switch (i->op) {
	case OP_PUSH:
		return get(i, c, i->src, 8, &v) != 0 ? -1 : push(c, v);
	case OP_PUSHF:
		return push(c, c->rflags & ~(uint64_t)(RF | VM));
	case OP_POP:
		if (c->load(c->arg, c->gpr[R_RSP], 8, &v) != 0)
			return -1;
		c->gpr[R_RSP] += 8;
		c->gpr[i->dst] = v;
		return 0;
	case OP_LEAVE:
		if (c->load(c->arg, c->gpr[R_RBP], 8, &v) != 0)
			return -1;
		c->gpr[R_RSP] = c->gpr[R_RBP] + 8;
		c->gpr[R_RBP] = v;
		return 0;
	case OP_CALL:
		if (get(i, c, i->src, 8, &v) != 0 || !canonical(v) || push(c, i->next) != 0)
			return -1;
		*rip = v;
		return 0;
	case OP_JMP:
		if (get(i, c, i->src, 8, &v) != 0 || !canonical(v))
			return -1;
		*rip = v;
		return 0;
	case OP_JCC:
		if (!holds(i->sub, c->rflags))
			return 0;
		if (!canonical(i->imm))
			return -1;
		*rip = i->imm;
		return 0;
	default:			/* OP_RET */
		if (c->load(c->arg, c->gpr[R_RSP], 8, &v) != 0 || !canonical(v))
			return -1;
		c->gpr[R_RSP] += 8 + i->disp;
		*rip = v;
		return 0;
	}
}

int
dv_insn_run(const struct dv_insn *i, struct dv_insn_cpu *c)
{
	uint64_t rip = i->next, a, b;
	int rc = 0;

	switch (i->op) {
	case OP_NOP:
		break;
	case OP_ALU:
		rc = run_alu(i, c);
		break;
	case OP_TEST:
		if ((rc = get(i, c, i->dst, i->size, &a)) == 0 &&
		    (rc = get(i, c, i->src, i->size, &b)) == 0)
			set_flags(c, ARITH, szp(a & b, i->size));
		break;
	case OP_NOT: case OP_NEG: case OP_INC: case OP_DEC:
		rc = run_unary(i, c);
		break;
	case OP_SHIFT:
		rc = run_shift(i, c);
		break;
	case OP_BT:
		rc = run_bt(i, c);
		break;
	case OP_FLAG:
		if (i->sub == FLAG_FLIP)
			c->rflags ^= i->imm;
		else
			set_flags(c, i->imm, i->sub == FLAG_SET ? i->imm : 0);
		break;
	case OP_PUSH: case OP_POP: case OP_LEAVE: case OP_PUSHF:
	case OP_CALL: case OP_JMP: case OP_JCC: case OP_RET:
		rc = run_flow(i, c, &rip);
		break;
	default:
		rc = run_data(i, c);
		break;
	}
	if (rc != 0)
		return -1;
	c->rip = rip;
	c->rflags &= ~(uint64_t)RF;
	return 0;
}
