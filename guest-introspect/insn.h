/* SPDX-License-Identifier: GPL-2.0-or-later */
/* insn.h - lengths and control flow of x86-64 instructions. */
#ifndef GI_INSN_H
#define GI_INSN_H
#include "abi/dv_types.h"

enum gi_ikind {
	GI_I_OTHER,		/* goes on to the next instruction */
	GI_I_RET,		/* near return */
	GI_I_JMP,		/* direct, target is known */
	GI_I_JCC,		/* direct and conditional (also loop, jrcxz) */
	GI_I_CALL,
	GI_I_JMP_IND,		/* through a register or memory */
	GI_I_CALL_IND,
	GI_I_INT3,
	GI_I_UD			/* ud0, ud1, ud2: traps */
};

struct gi_insn {
	uint8_t len;
	uint8_t kind;		/* enum gi_ikind */
	uint8_t cc;		/* JCC: condition 0..15; 16: counts rcx */
	uint8_t map;		/* 0: one byte, 1: 0f, 2: 0f 38, 3: 0f 3a, 9: VEX and kin */
	uint8_t op;		/* opcode byte */
	uint8_t rex;		/* 0 or 0x40..0x4f */
	uint8_t prefix;		/* last of 66 f2 f3, or 0 */
	uint8_t seg;		/* segment override byte, or 0 */
	bool has_modrm;
	uint8_t modrm, sib;
	uint8_t ndisp;		/* bytes of displacement, 0 1 4 8 */
	int64_t disp;
	int64_t imm;		/* sign-extended, if any */
	uint64_t target;	/* JMP, JCC, CALL */
};

/*
 * Decodes one instruction of at most len bytes that lies at `at`. False: no
 * instruction in 64-bit mode, or cut off.
 */
bool gi_insn(const uint8_t *p, size_t len, uint64_t at, struct gi_insn *ret);

/* The register (0 rax, 1 rcx, ... 15 r15) whose [register + disp] is the memory
 * operand; -1: there is none, or it is of another form. */
int gi_insn_base(const struct gi_insn *i);

/* The kernel enters functions by endbr64 and a 5-byte nop (or a call where
 * ftrace is at work); how many of the len bytes to skip. is_tracer tells
 * whether a call's target is ftrace's. */
size_t gi_insn_prologue(const uint8_t *p, size_t len, uint64_t at,
			bool (*is_tracer)(void *arg, uint64_t target), void *arg);
#endif
