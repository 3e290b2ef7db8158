/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * insn.h - the instruction that a trap displaces: classified once, run at hits.
 *
 * dv_insn_plan() looks at the bytes that were at a site before the trap and says
 * who can do their work:
 *
 *	DV_INSN_OWN	dv_insn_run(): bit for bit what a processor does
 *	DV_INSN_KVM	KVM's emulator, from the saved bytes. It gives up a locked
 *			instruction when another CPU changes the word meanwhile, and
 *			leaves rip where it was: call it again then, do not go back
 *			to the guest, which would hit the trap once more
 *	DV_INSN_NONE	nobody: no trap is placed. `why` says the reason
 *
 * All of it is for code of a 64-bit kernel: long mode, CPL 0, flat segments.
 * Nothing here may be used for another mode; that the guest is in it when a trap
 * is hit is the caller's to check. Supervisor shadow stacks and the tracking of
 * indirect branches are not followed: a `ret` is checked against no shadow stack,
 * and a `jmp *` need not find an endbr64.
 *
 * Freestanding: compiled into the kernel module, and into tests in user space.
 */
#ifndef DV_INSN_H
#define DV_INSN_H
#include "dv_types.h"

#define DV_INSN_MAX	15u		/* bytes of the longest instruction */

enum dv_insn_kind { DV_INSN_NONE, DV_INSN_KVM, DV_INSN_OWN };

/* Why DV_INSN_NONE: name and text. */
#define DV_INSN_WHYS(x)							\
	x(OK,		"")						\
	x(CUT,		"not all of its bytes are known")		\
	x(INVALID,	"it is no instruction of 64-bit mode")		\
	x(PREFIX,	"it has a prefix that is not emulated")		\
	x(REPEATS,	"it repeats")					\
	x(IO,		"it is input or output")			\
	x(MSR,		"it works on model-specific registers")		\
	x(HALT,		"it halts the processor")			\
	x(TRAP,		"it raises an exception")			\
	x(FAR,		"it changes the privilege level or a segment of code") \
	x(VECTOR,	"it works on vector or floating-point registers") \
	x(OTHER,	"it is not emulated")

enum dv_insn_why {
#define DV_INSN_WHY_ENUM(name, text) DV_INSN_WHY_##name,
	DV_INSN_WHYS(DV_INSN_WHY_ENUM)
#undef DV_INSN_WHY_ENUM
	DV_INSN_NWHY
};

/* What dv_insn_run() uses of struct dv_insn_cpu, besides gpr and rip. */
#define DV_INSN_RFLAGS	1u		/* reads them */
#define DV_INSN_WFLAGS	2u		/* changes them */
#define DV_INSN_RSP	4u		/* gpr[4] */
#define DV_INSN_MEM	8u		/* load and store */
#define DV_INSN_FS	16u		/* fs_base */
#define DV_INSN_GS	32u		/* gs_base */
#define DV_INSN_ALONE	64u		/* and KVM's emulator lacks it: never ask that to do it */

/* A classified instruction. The first four are for everybody, the rest is private. */
struct dv_insn {
	uint8_t kind;			/* enum dv_insn_kind */
	uint8_t why;			/* enum dv_insn_why, of DV_INSN_NONE */
	uint8_t len;			/* bytes; 0 if not known (DV_INSN_NONE) */
	uint8_t uses;			/* DV_INSN_OWN: DV_INSN_RFLAGS and so on */

	uint8_t op;			/* enum op of insn.c */
	uint8_t sub;			/* by op: which of its group, or condition */
	uint8_t size, ssize;		/* bytes of the operands: 1, 2, 4, 8 */
	uint8_t dst, src;		/* registers, or R_* of insn.c */
	uint8_t base, index, scale;	/* of a memory operand; scale: a shift */
	uint8_t seg;			/* 0x64, 0x65 or 0 */
	uint8_t addr32;			/* addresses are cut to 32 bits */
	uint8_t pad;
	uint64_t disp;			/* sign-extended */
	uint64_t imm;			/* sign-extended; of direct branches: the target */
	uint64_t next;			/* address of the next instruction */
};

/*
 * The vCPU. Registers that `uses` does not name need not be valid.
 *
 * load and store access guest virtual memory as the guest's kernel would, with its
 * page tables and protections: `size` is 1, 2, 4 or 8, `at` may be anything. An
 * access that is aligned should be one access, which no other vCPU sees in parts.
 * They return 0, or anything else if it cannot be done: then nothing has happened.
 */
struct dv_insn_cpu {
	uint64_t *gpr;			/* 16, as instructions number them: rax rcx rdx rbx
					   rsp rbp rsi rdi r8..r15 */
	uint64_t rip;			/* set to where the guest goes on */
	uint64_t rflags;
	uint64_t fs_base, gs_base;
	int (*load)(void *arg, uint64_t at, unsigned size, uint64_t *val);
	int (*store)(void *arg, uint64_t at, unsigned size, uint64_t val);
	void *arg;
};

/*
 * Classifies the instruction that begins with bytes[0, n), at guest address rip;
 * more than DV_INSN_MAX bytes are not looked at. Fills *ret whatever the bytes are.
 */
void dv_insn_plan(const uint8_t *bytes, size_t n, uint64_t rip, struct dv_insn *ret);

/*
 * Runs an instruction of kind DV_INSN_OWN. 0; or -1 if a processor would raise an
 * exception or memory could not be accessed: then no register and no memory has
 * changed, and KVM's emulator can be asked to do it, which raises what is due. One with
 * DV_INSN_ALONE never fails.
 * RF in rflags is cleared, as by any instruction that completes; TF, the shadow of
 * sti and mov ss, and breakpoints on data are the caller's. Context: any.
 */
int  dv_insn_run(const struct dv_insn *i, struct dv_insn_cpu *cpu);

/* One of DV_INSN_WHYS' texts; never NULL. */
const char *dv_insn_why_text(unsigned why);

#endif
