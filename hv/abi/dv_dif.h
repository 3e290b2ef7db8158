/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dv_dif.h - the D Intermediate Format: instructions, registers, addresses.
 *
 * One instruction is 32 bits, the opcode in the top byte:
 *
 *	31    24 23    16 15     8 7      0
 *	+--------+--------+--------+--------+
 *	|   op   |   r1   |   r2   |   rd   |	RRR, RR, CMP, TST, LD, ST
 *	+--------+--------+--------+--------+
 *	|   op   |  label (24 bits)         |	BR: index of an instruction in
 *	+--------+--------+--------+--------+	this DIFO, always a later one
 *	|   op   |   index (16)    |   rd   |	INT, STR, VLD, VST, CALL, XLT
 *	+--------+--------+--------+--------+
 *	|   op   |  var   |   r2   |   rd   |	ALD: array variable, index r2
 *	+--------+--------+--------+--------+
 *	|   op   |  type  |   r2   |   rd   |	PUSH: enum dv_tkind; r2 holds
 *	+--------+--------+--------+--------+	the size (0: a string); rd the value
 *
 * Unused fields are zero. %r0 reads as zero and is never written. Every path
 * of a DIFO ends with RET. Conditions are those of CMP/SCMP/TST on signed
 * (BG BGE BL BLE) or unsigned (BGU BGEU BLU BLEU) 64-bit values.
 *
 * Semantics that the names do not tell:
 *	SETX	rd = ints[index]: index into this DIFO's integer table (units:
 *		64-bit words)
 *	SETS	rd = address of the string at byte `index` of this DIFO's table
 *	SCMP	strings at r1 and r2 compared, up to strsize bytes
 *	LDGA	rd = args[r2] (native argument), regs[r2], uregs[r2]; an index of
 *		regs[] is an enum dv_reg (dv_prog.h), one of uregs[] a place in
 *		Linux' struct pt_regs, from 0; out of range: ILLOP
 *	LDGS/STGS LDTS/STTS LDLS/STLS: global, thread-local, clause-local
 *		scalars; a by-reference one (struct dv_var) loads as the address
 *		of the variable's storage, stores by copying from address rd
 *		(address 0: the variable becomes NULL/zero)
 *	LDGAA/STGAA LDTAA/STTAA: associative arrays, key = the tuple stack,
 *		which they flush
 *	ALLOCS	rd = address of r1 bytes of scratch, zero-filled
 *	COPYS	copy r2 bytes from r1 to rd (rd: tracer memory); r2 is %r0: a
 *		string, as many bytes as it has, at most strsize
 *	CKIDX	faults (BADINDEX) unless r1 is below r2, both unsigned
 *	ST*	[rd] = r1: tracer memory only
 *	ULD*	loads from the user half through curthread's mm
 *	RLD*	loads from tracer memory only
 *	CALL	arguments are on the tuple stack, first pushed first; flushed
 *		by the call
 */
#ifndef DV_DIF_H
#define DV_DIF_H
#include "dv_types.h"

enum dv_dif_format {
	DV_DIF_RRR, DV_DIF_RR, DV_DIF_CMP, DV_DIF_TST, DV_DIF_LD, DV_DIF_ST,
	DV_DIF_BR, DV_DIF_RET, DV_DIF_INT, DV_DIF_STR, DV_DIF_VLD, DV_DIF_VST,
	DV_DIF_ALD, DV_DIF_CALL, DV_DIF_PUSH, DV_DIF_NONE, DV_DIF_XLT
};

enum dv_dif_op {
#define DIF_OP(name, value, text, format) DIF_OP_##name = value,
#include "dif.def"
	DIF_OP_END
};

enum dv_dif_var {
#define DIF_VAR(name, value, text) DIF_VAR_##name = value,
#include "dif.def"
	DIF_VAR_USER = 0x0500,		/* first id of a D program's own variables */
	DIF_VAR_MAX = 0xffff,
	DIF_VAR_SIZEMAX = 1 << 20	/* bytes of a struct or an array */
};

enum dv_dif_subr {
#define DIF_SUBR(name, value, text, nargs) DIF_SUBR_##name = value,
#include "dif.def"
	DIF_SUBR_END
};

enum dv_dif_fault {
#define DIF_FAULT(name, value, text) DV_FAULT_##name = value,
#include "dif.def"
	DV_FAULT_END
};

enum dv_dpath {			/* what the first argument of d_path() is */
	DV_DPATH_PATH,		/* a struct path, to be named as the process sees it */
	DV_DPATH_MOUNT,		/* a struct vfsmount: where it is mounted */
	DV_DPATH_WHOLE		/* a struct path, named from the first mount on */
};

#define DIF_NUREGS	21		/* uregs[0..20] */
#define DIF_NREGS	8		/* %r0..%r7 */
#define DIF_MAXTUPLE	8		/* keys in one tuple / args of one call */
#define DIF_MAXTEXT	4096		/* instructions in one DIFO */

#define DIF_INSTR_OP(i)		(((i) >> 24) & 0xff)
#define DIF_INSTR_R1(i)		(((i) >> 16) & 0xff)
#define DIF_INSTR_R2(i)		(((i) >> 8) & 0xff)
#define DIF_INSTR_RD(i)		((i) & 0xff)
#define DIF_INSTR_LABEL(i)	((i) & 0xffffff)
#define DIF_INSTR_INDEX(i)	(((i) >> 8) & 0xffff)
#define DIF_INSTR_FMT(op, r1, r2, rd) \
	(((uint32_t)(op) << 24) | ((uint32_t)(r1) << 16) | \
	 ((uint32_t)(r2) << 8) | (uint32_t)(rd))
#define DIF_INSTR_WIDE(op, index, rd) \
	(((uint32_t)(op) << 24) | ((uint32_t)(index) << 8) | (uint32_t)(rd))
#define DIF_INSTR_BRANCH(op, label) \
	(((uint32_t)(op) << 24) | ((uint32_t)(label) & 0xffffff))

#endif
