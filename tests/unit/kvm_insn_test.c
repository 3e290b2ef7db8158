/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kvm_insn_test.c - displaced instructions do what this very processor does.
 *
 * Each form is encoded with random operands and run twice from the same random
 * registers, flags and memory: natively, in a trampoline made of machine code, and
 * by dv_insn_run(). All registers, defined flags, memory and where it goes on must
 * agree. DVISOR_INSN_ROUNDS (default 400) rounds for each form; DVISOR_INSN_SEED.
 */
#include "kvm/insn.h"

#include "guest-introspect/insn.h"
#include "test.h"

#include <asm/prctl.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CF	0x1u
#define PF	0x4u
#define AF	0x10u
#define ZF	0x40u
#define SF	0x80u
#define DF	0x400u
#define OF	0x800u
#define ARITH	(CF | PF | AF | ZF | SF | OF)

/* ---- the place where instructions run ----------------------------------- */

#define CODE_LEN	4096u
#define DATA_LEN	4096u
#define SLACK		256u		/* at both ends of data: displacements */

struct state {
	uint64_t gpr[16];		/* as instructions number them */
	uint64_t flags;
	uint64_t path;			/* which way out */
};
enum { PATH_NEXT = 1, PATH_TAKEN = 2 };

static struct place {
	uint8_t code[CODE_LEN];
	struct state in, out;
	uint64_t host_rsp;
	_Alignas(64) uint8_t data[DATA_LEN];
} *place;
static uint8_t *insn_at, *next_at, *taken_at;	/* in place->code */
static void (*trampoline)(void);
static uint64_t native_gs, native_fs;

/* Where the instruction goes; what is behind it. */
#define INSN_OFF	512u
#define NEXT_OFF	1024u
#define TAKEN_OFF	(INSN_OFF + 100u)	/* within reach of a short jump */

static uint8_t *
emit(uint8_t *p, const char *hex)
{
	unsigned v;

	for (; *hex != '\0'; hex += 2) {
		while (*hex == ' ')
			hex++;
		sscanf(hex, "%2x", &v);
		*p++ = (uint8_t)v;
	}
	return p;
}

/* An instruction whose last four bytes are the distance to `to`. */
static uint8_t *
emit_to(uint8_t *p, const char *hex, const void *to, unsigned after)
{
	int32_t dist;

	p = emit(p, hex);
	dist = (int32_t)((const uint8_t *)to - (p + 4 + after));
	memcpy(p, &dist, 4);
	return p + 4;
}

static uint8_t *
emit_out(uint8_t *p, unsigned path)
{
	static const char *const save[16] = {
		"48 89 05", "48 89 0d", "48 89 15", "48 89 1d", "48 89 25", "48 89 2d",
		"48 89 35", "48 89 3d", "4c 89 05", "4c 89 0d", "4c 89 15", "4c 89 1d",
		"4c 89 25", "4c 89 2d", "4c 89 35", "4c 89 3d" };
	unsigned i;

	for (i = 0; i < 16; i++)
		p = emit_to(p, save[i], &place->out.gpr[i], 0);
	p = emit_to(p, "48 8b 25", &place->host_rsp, 0);
	p = emit(p, "9c fc");				/* pushfq; cld */
	p = emit_to(p, "8f 05", &place->out.flags, 0);
	p = emit_to(p, "c7 05", &place->out.path, 4);
	memcpy(p, &path, 4);
	p += 4;
	return emit(p, "41 5f 41 5e 41 5d 41 5c 5b 5d c3");
}

/* Where the test's instruction can be run, or false. */
static bool
place_make(void)
{
	static const char *const load[16] = {
		"48 8b 05", "48 8b 0d", "48 8b 15", "48 8b 1d", "48 8b 25", "48 8b 2d",
		"48 8b 35", "48 8b 3d", "4c 8b 05", "4c 8b 0d", "4c 8b 15", "4c 8b 1d",
		"4c 8b 25", "4c 8b 2d", "4c 8b 35", "4c 8b 3d" };
	static const unsigned order[16] = { 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 4 };
	uint8_t *p;
	unsigned i;

	if (place != NULL)
		return true;
	p = mmap(NULL, sizeof(*place), PROT_READ | PROT_WRITE | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (p == MAP_FAILED)
		return false;
	place = (struct place *)p;
	insn_at = place->code + INSN_OFF;
	taken_at = place->code + TAKEN_OFF;
	p = emit(place->code, "55 53 41 54 41 55 41 56 41 57");
	p = emit_to(p, "48 89 25", &place->host_rsp, 0);
	p = emit_to(p, "ff 35", &place->in.flags, 0);
	p = emit(p, "9d");				/* popfq */
	for (i = 0; i < 16; i++)
		p = emit_to(p, load[order[i]], &place->in.gpr[order[i]], 0);
	p = emit_to(p, "e9", insn_at, 0);
	p = emit_out(place->code + NEXT_OFF, PATH_NEXT);
	emit_out(p, PATH_TAKEN);
	emit_to(taken_at, "e9", p, 0);
	*(void **)&trampoline = place->code;
	native_gs = (uint64_t)(uintptr_t)place->data + 1024;
	if (syscall(SYS_arch_prctl, ARCH_SET_GS, native_gs) != 0 ||
	    syscall(SYS_arch_prctl, ARCH_GET_FS, &native_fs) != 0)
		return false;
	return true;
}

/* The instruction, then on to where PATH_NEXT is noted. */
static void
insn_put(const uint8_t *bytes, size_t len)
{
	memset(insn_at, 0xcc, 64);
	memcpy(insn_at, bytes, len);
	next_at = insn_at + len;
	emit_to(next_at, "e9", place->code + NEXT_OFF, 0);
}

static sigjmp_buf trapped;

static void
on_trap(int sig)
{
	siglongjmp(trapped, sig);
}

/* 0, or the signal that the instruction raised. */
static int
native_run(void)
{
	static const int sigs[] = { SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP };
	struct sigaction act = { .sa_handler = on_trap, .sa_flags = SA_ONSTACK | SA_NODEFER };
	static uint8_t altstack[65536];
	stack_t ss = { .ss_sp = altstack, .ss_size = sizeof(altstack) };
	struct sigaction old[5];
	int sig;
	unsigned i;

	sigaltstack(&ss, NULL);
	for (i = 0; i < 5; i++)
		sigaction(sigs[i], &act, &old[i]);
	place->out.path = 0;
	if ((sig = sigsetjmp(trapped, 1)) == 0)
		trampoline();
	for (i = 0; i < 5; i++)
		sigaction(sigs[i], &old[i], NULL);
	return sig;
}

/* ---- random numbers ------------------------------------------------------ */

static uint64_t rng = 88172645463325252ull;

static uint64_t
rnd(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng * 0x2545f4914f6cdd1dull;
}

/* Values at the edges are more likely than chance has it. */
static uint64_t
rnd_value(void)
{
	static const uint64_t edge[] = { 0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff,
	    0x7fffffff, 0x80000000, 0xffffffff, ~0ull >> 1, 1ull << 63, ~0ull, 0xf, 0x10 };

	switch (rnd() % 4) {
	case 0:
		return edge[rnd() % (sizeof(edge) / sizeof(edge[0]))];
	case 1:
		return rnd() >> rnd() % 64;
	default:
		return rnd();
	}
}

static unsigned
number(const char *env, unsigned dflt)
{
	const char *v = getenv(env);

	return v != NULL && atoi(v) > 0 ? (unsigned)atoi(v) : dflt;
}

/* ---- memory as dv_insn_run() sees it ------------------------------------- */

struct mem {
	int fail_at;			/* the n-th access fails; 0: none */
	int n;
	unsigned stores;
};

static bool
reachable(uint64_t at, unsigned size)
{
	uint64_t d = at - (uint64_t)(uintptr_t)place->data;

	return (d < DATA_LEN && size <= DATA_LEN - d) ||
	    (at >= native_fs && at < native_fs + 64);
}

static int
mem_load(void *arg, uint64_t at, unsigned size, uint64_t *val)
{
	struct mem *m = arg;

	if (++m->n == m->fail_at || !reachable(at, size))
		return -1;
	*val = rnd();			/* what is not asked for is anything */
	memcpy(val, (void *)(uintptr_t)at, size);
	return 0;
}

static int
mem_store(void *arg, uint64_t at, unsigned size, uint64_t val)
{
	struct mem *m = arg;

	if (++m->n == m->fail_at || !reachable(at, size))
		return -1;
	memcpy((void *)(uintptr_t)at, &val, size);
	m->stores++;
	return 0;
}

/* ---- forms --------------------------------------------------------------- */

enum mode {
	M_NONE,				/* no modrm byte */
	M_BOTH,				/* any reg, register or memory */
	M_REG, M_MEM			/* any reg, one of them only */
};
#define DIGIT(n) ((n) + 1)		/* that digit in reg */

struct form {
	const char *name;
	uint16_t op;			/* 0x0fxx: the second map */
	uint8_t span;			/* so many opcodes from there on */
	uint8_t mode;
	uint8_t digit;			/* DIGIT(n), or 0: any */
	uint8_t imm;			/* bytes; 'z': 2 or 4; 'v': 2, 4 or 8 */
	const char *sizes;		/* of operands: "1", "248", ... */
	uint32_t undef;			/* flags that the manual leaves undefined */
};

static const struct form forms[] = {
	{ "add 8 r/m,r", 0x00, 1, M_BOTH, 0, 0, "1", 0 },
	{ "add r/m,r", 0x01, 1, M_BOTH, 0, 0, "248", 0 },
	{ "add 8 r,r/m", 0x02, 1, M_BOTH, 0, 0, "1", 0 },
	{ "add r,r/m", 0x03, 1, M_BOTH, 0, 0, "248", 0 },
	{ "add al,i", 0x04, 1, M_NONE, 0, 1, "1", 0 },
	{ "add ax,i", 0x05, 1, M_NONE, 0, 'z', "248", 0 },
	{ "or 8 r/m,r", 0x08, 1, M_BOTH, 0, 0, "1", AF },
	{ "or r/m,r", 0x09, 1, M_BOTH, 0, 0, "248", AF },
	{ "or 8 r,r/m", 0x0a, 1, M_BOTH, 0, 0, "1", AF },
	{ "or r,r/m", 0x0b, 1, M_BOTH, 0, 0, "248", AF },
	{ "or al,i", 0x0c, 1, M_NONE, 0, 1, "1", AF },
	{ "or ax,i", 0x0d, 1, M_NONE, 0, 'z', "248", AF },
	{ "adc 8 r/m,r", 0x10, 1, M_BOTH, 0, 0, "1", 0 },
	{ "adc r/m,r", 0x11, 1, M_BOTH, 0, 0, "248", 0 },
	{ "adc 8 r,r/m", 0x12, 1, M_BOTH, 0, 0, "1", 0 },
	{ "adc r,r/m", 0x13, 1, M_BOTH, 0, 0, "248", 0 },
	{ "adc al,i", 0x14, 1, M_NONE, 0, 1, "1", 0 },
	{ "adc ax,i", 0x15, 1, M_NONE, 0, 'z', "248", 0 },
	{ "sbb 8 r/m,r", 0x18, 1, M_BOTH, 0, 0, "1", 0 },
	{ "sbb r/m,r", 0x19, 1, M_BOTH, 0, 0, "248", 0 },
	{ "sbb 8 r,r/m", 0x1a, 1, M_BOTH, 0, 0, "1", 0 },
	{ "sbb r,r/m", 0x1b, 1, M_BOTH, 0, 0, "248", 0 },
	{ "sbb al,i", 0x1c, 1, M_NONE, 0, 1, "1", 0 },
	{ "sbb ax,i", 0x1d, 1, M_NONE, 0, 'z', "248", 0 },
	{ "and 8 r/m,r", 0x20, 1, M_BOTH, 0, 0, "1", AF },
	{ "and r/m,r", 0x21, 1, M_BOTH, 0, 0, "248", AF },
	{ "and 8 r,r/m", 0x22, 1, M_BOTH, 0, 0, "1", AF },
	{ "and r,r/m", 0x23, 1, M_BOTH, 0, 0, "248", AF },
	{ "and al,i", 0x24, 1, M_NONE, 0, 1, "1", AF },
	{ "and ax,i", 0x25, 1, M_NONE, 0, 'z', "248", AF },
	{ "sub 8 r/m,r", 0x28, 1, M_BOTH, 0, 0, "1", 0 },
	{ "sub r/m,r", 0x29, 1, M_BOTH, 0, 0, "248", 0 },
	{ "sub 8 r,r/m", 0x2a, 1, M_BOTH, 0, 0, "1", 0 },
	{ "sub r,r/m", 0x2b, 1, M_BOTH, 0, 0, "248", 0 },
	{ "sub al,i", 0x2c, 1, M_NONE, 0, 1, "1", 0 },
	{ "sub ax,i", 0x2d, 1, M_NONE, 0, 'z', "248", 0 },
	{ "xor 8 r/m,r", 0x30, 1, M_BOTH, 0, 0, "1", AF },
	{ "xor r/m,r", 0x31, 1, M_BOTH, 0, 0, "248", AF },
	{ "xor 8 r,r/m", 0x32, 1, M_BOTH, 0, 0, "1", AF },
	{ "xor r,r/m", 0x33, 1, M_BOTH, 0, 0, "248", AF },
	{ "xor al,i", 0x34, 1, M_NONE, 0, 1, "1", AF },
	{ "xor ax,i", 0x35, 1, M_NONE, 0, 'z', "248", AF },
	{ "cmp 8 r/m,r", 0x38, 1, M_BOTH, 0, 0, "1", 0 },
	{ "cmp r/m,r", 0x39, 1, M_BOTH, 0, 0, "248", 0 },
	{ "cmp 8 r,r/m", 0x3a, 1, M_BOTH, 0, 0, "1", 0 },
	{ "cmp r,r/m", 0x3b, 1, M_BOTH, 0, 0, "248", 0 },
	{ "cmp al,i", 0x3c, 1, M_NONE, 0, 1, "1", 0 },
	{ "cmp ax,i", 0x3d, 1, M_NONE, 0, 'z', "248", 0 },
	{ "push r", 0x50, 8, M_NONE, 0, 0, "4", 0 },
	{ "pop r", 0x58, 8, M_NONE, 0, 0, "4", 0 },
	{ "movsxd", 0x63, 1, M_BOTH, 0, 0, "48", 0 },
	{ "push i32", 0x68, 1, M_NONE, 0, 4, "4", 0 },
	{ "push i8", 0x6a, 1, M_NONE, 0, 1, "4", 0 },
	{ "add 8 r/m,i", 0x80, 1, M_BOTH, DIGIT(0), 1, "1", 0 },
	{ "or 8 r/m,i", 0x80, 1, M_BOTH, DIGIT(1), 1, "1", AF },
	{ "adc 8 r/m,i", 0x80, 1, M_BOTH, DIGIT(2), 1, "1", 0 },
	{ "sbb 8 r/m,i", 0x80, 1, M_BOTH, DIGIT(3), 1, "1", 0 },
	{ "and 8 r/m,i", 0x80, 1, M_BOTH, DIGIT(4), 1, "1", AF },
	{ "sub 8 r/m,i", 0x80, 1, M_BOTH, DIGIT(5), 1, "1", 0 },
	{ "xor 8 r/m,i", 0x80, 1, M_BOTH, DIGIT(6), 1, "1", AF },
	{ "cmp 8 r/m,i", 0x80, 1, M_BOTH, DIGIT(7), 1, "1", 0 },
	{ "add r/m,i", 0x81, 1, M_BOTH, DIGIT(0), 'z', "248", 0 },
	{ "or r/m,i", 0x81, 1, M_BOTH, DIGIT(1), 'z', "248", AF },
	{ "adc r/m,i", 0x81, 1, M_BOTH, DIGIT(2), 'z', "248", 0 },
	{ "sbb r/m,i", 0x81, 1, M_BOTH, DIGIT(3), 'z', "248", 0 },
	{ "and r/m,i", 0x81, 1, M_BOTH, DIGIT(4), 'z', "248", AF },
	{ "sub r/m,i", 0x81, 1, M_BOTH, DIGIT(5), 'z', "248", 0 },
	{ "xor r/m,i", 0x81, 1, M_BOTH, DIGIT(6), 'z', "248", AF },
	{ "cmp r/m,i", 0x81, 1, M_BOTH, DIGIT(7), 'z', "248", 0 },
	{ "add r/m,i8", 0x83, 1, M_BOTH, DIGIT(0), 1, "248", 0 },
	{ "or r/m,i8", 0x83, 1, M_BOTH, DIGIT(1), 1, "248", AF },
	{ "adc r/m,i8", 0x83, 1, M_BOTH, DIGIT(2), 1, "248", 0 },
	{ "sbb r/m,i8", 0x83, 1, M_BOTH, DIGIT(3), 1, "248", 0 },
	{ "and r/m,i8", 0x83, 1, M_BOTH, DIGIT(4), 1, "248", AF },
	{ "sub r/m,i8", 0x83, 1, M_BOTH, DIGIT(5), 1, "248", 0 },
	{ "xor r/m,i8", 0x83, 1, M_BOTH, DIGIT(6), 1, "248", AF },
	{ "cmp r/m,i8", 0x83, 1, M_BOTH, DIGIT(7), 1, "248", 0 },
	{ "test 8", 0x84, 1, M_BOTH, 0, 0, "1", AF },
	{ "test", 0x85, 1, M_BOTH, 0, 0, "248", AF },
	{ "xchg 8", 0x86, 1, M_REG, 0, 0, "1", 0 },
	{ "xchg", 0x87, 1, M_REG, 0, 0, "248", 0 },
	{ "mov 8 r/m,r", 0x88, 1, M_BOTH, 0, 0, "1", 0 },
	{ "mov r/m,r", 0x89, 1, M_BOTH, 0, 0, "248", 0 },
	{ "mov 8 r,r/m", 0x8a, 1, M_BOTH, 0, 0, "1", 0 },
	{ "mov r,r/m", 0x8b, 1, M_BOTH, 0, 0, "248", 0 },
	{ "lea", 0x8d, 1, M_MEM, 0, 0, "248", 0 },
	{ "pop r (8f)", 0x8f, 1, M_REG, DIGIT(0), 0, "4", 0 },
	{ "nop, xchg ax", 0x90, 8, M_NONE, 0, 0, "248", 0 },
	{ "cbw cwde cdqe", 0x98, 1, M_NONE, 0, 0, "248", 0 },
	{ "cwd cdq cqo", 0x99, 1, M_NONE, 0, 0, "248", 0 },
	{ "pushf", 0x9c, 1, M_NONE, 0, 0, "4", 0 },
	{ "test al,i", 0xa8, 1, M_NONE, 0, 1, "1", AF },
	{ "test ax,i", 0xa9, 1, M_NONE, 0, 'z', "248", AF },
	{ "mov r8,i", 0xb0, 8, M_NONE, 0, 1, "1", 0 },
	{ "mov r,i", 0xb8, 8, M_NONE, 0, 'v', "248", 0 },
	{ "mov 8 r/m,i", 0xc6, 1, M_BOTH, DIGIT(0), 1, "1", 0 },
	{ "mov r/m,i", 0xc7, 1, M_BOTH, DIGIT(0), 'z', "248", 0 },
	{ "leave", 0xc9, 1, M_NONE, 0, 0, "4", 0 },
	{ "test 8 r/m,i", 0xf6, 1, M_BOTH, DIGIT(0), 1, "1", AF },
	{ "test r/m,i", 0xf7, 1, M_BOTH, DIGIT(0), 'z', "248", AF },
	{ "not 8", 0xf6, 1, M_BOTH, DIGIT(2), 0, "1", 0 },
	{ "not", 0xf7, 1, M_BOTH, DIGIT(2), 0, "248", 0 },
	{ "neg 8", 0xf6, 1, M_BOTH, DIGIT(3), 0, "1", 0 },
	{ "neg", 0xf7, 1, M_BOTH, DIGIT(3), 0, "248", 0 },
	{ "inc 8", 0xfe, 1, M_BOTH, DIGIT(0), 0, "1", 0 },
	{ "inc", 0xff, 1, M_BOTH, DIGIT(0), 0, "248", 0 },
	{ "dec 8", 0xfe, 1, M_BOTH, DIGIT(1), 0, "1", 0 },
	{ "dec", 0xff, 1, M_BOTH, DIGIT(1), 0, "248", 0 },
	{ "push r/m", 0xff, 1, M_BOTH, DIGIT(6), 0, "4", 0 },
	{ "cmc", 0xf5, 1, M_NONE, 0, 0, "4", 0 },
	{ "clc stc", 0xf8, 2, M_NONE, 0, 0, "4", 0 },
	{ "cld std", 0xfc, 2, M_NONE, 0, 0, "4", 0 },
	{ "prefetchw", 0x0f0d, 1, M_MEM, 0, 0, "48", 0 },
	{ "prefetch", 0x0f18, 1, M_MEM, 0, 0, "48", 0 },
	{ "nop r/m", 0x0f1f, 1, M_BOTH, 0, 0, "248", 0 },
	{ "cmov", 0x0f40, 16, M_BOTH, 0, 0, "248", 0 },
	{ "set", 0x0f90, 16, M_BOTH, 0, 0, "1", 0 },
	{ "bt r,r", 0x0fa3, 1, M_REG, 0, 0, "248", OF | SF | AF | PF },
	{ "bts r,r", 0x0fab, 1, M_REG, 0, 0, "248", OF | SF | AF | PF },
	{ "btr r,r", 0x0fb3, 1, M_REG, 0, 0, "248", OF | SF | AF | PF },
	{ "btc r,r", 0x0fbb, 1, M_REG, 0, 0, "248", OF | SF | AF | PF },
	{ "bt r/m,i", 0x0fba, 1, M_BOTH, DIGIT(4), 1, "248", OF | SF | AF | PF },
	{ "bts r/m,i", 0x0fba, 1, M_BOTH, DIGIT(5), 1, "248", OF | SF | AF | PF },
	{ "btr r/m,i", 0x0fba, 1, M_BOTH, DIGIT(6), 1, "248", OF | SF | AF | PF },
	{ "btc r/m,i", 0x0fba, 1, M_BOTH, DIGIT(7), 1, "248", OF | SF | AF | PF },
	{ "movzx 8", 0x0fb6, 1, M_BOTH, 0, 0, "248", 0 },
	{ "movzx 16", 0x0fb7, 1, M_BOTH, 0, 0, "248", 0 },
	{ "movsx 8", 0x0fbe, 1, M_BOTH, 0, 0, "248", 0 },
	{ "movsx 16", 0x0fbf, 1, M_BOTH, 0, 0, "248", 0 },
	{ "movnti", 0x0fc3, 1, M_MEM, 0, 0, "48", 0 },
	{ "bswap", 0x0fc8, 8, M_NONE, 0, 0, "48", 0 },
	{ "fences", 0x0fae, 1, M_REG, DIGIT(5), 0, "4", 0 },
	{ "fences", 0x0fae, 1, M_REG, DIGIT(6), 0, "4", 0 },
	{ "fences", 0x0fae, 1, M_REG, DIGIT(7), 0, "4", 0 },
	/* shifts: what is undefined depends on the count, see shift_undef() */
	{ "rol 8 i", 0xc0, 1, M_BOTH, DIGIT(0), 1, "1", 0 },
	{ "rol i", 0xc1, 1, M_BOTH, DIGIT(0), 1, "248", 0 },
	{ "rol 8 1", 0xd0, 1, M_BOTH, DIGIT(0), 0, "1", 0 },
	{ "rol 1", 0xd1, 1, M_BOTH, DIGIT(0), 0, "248", 0 },
	{ "rol 8 cl", 0xd2, 1, M_BOTH, DIGIT(0), 0, "1", 0 },
	{ "rol cl", 0xd3, 1, M_BOTH, DIGIT(0), 0, "248", 0 },
	{ "ror 8 i", 0xc0, 1, M_BOTH, DIGIT(1), 1, "1", 0 },
	{ "ror i", 0xc1, 1, M_BOTH, DIGIT(1), 1, "248", 0 },
	{ "ror 1", 0xd1, 1, M_BOTH, DIGIT(1), 0, "248", 0 },
	{ "ror 8 cl", 0xd2, 1, M_BOTH, DIGIT(1), 0, "1", 0 },
	{ "ror cl", 0xd3, 1, M_BOTH, DIGIT(1), 0, "248", 0 },
	{ "shl 8 i", 0xc0, 1, M_BOTH, DIGIT(4), 1, "1", 0 },
	{ "shl i", 0xc1, 1, M_BOTH, DIGIT(4), 1, "248", 0 },
	{ "shl 1", 0xd1, 1, M_BOTH, DIGIT(4), 0, "248", 0 },
	{ "shl 8 cl", 0xd2, 1, M_BOTH, DIGIT(4), 0, "1", 0 },
	{ "shl cl", 0xd3, 1, M_BOTH, DIGIT(4), 0, "248", 0 },
	{ "sal i", 0xc1, 1, M_BOTH, DIGIT(6), 1, "248", 0 },
	{ "sal cl", 0xd3, 1, M_BOTH, DIGIT(6), 0, "248", 0 },
	{ "shr 8 i", 0xc0, 1, M_BOTH, DIGIT(5), 1, "1", 0 },
	{ "shr i", 0xc1, 1, M_BOTH, DIGIT(5), 1, "248", 0 },
	{ "shr 1", 0xd1, 1, M_BOTH, DIGIT(5), 0, "248", 0 },
	{ "shr 8 cl", 0xd2, 1, M_BOTH, DIGIT(5), 0, "1", 0 },
	{ "shr cl", 0xd3, 1, M_BOTH, DIGIT(5), 0, "248", 0 },
	{ "sar 8 i", 0xc0, 1, M_BOTH, DIGIT(7), 1, "1", 0 },
	{ "sar i", 0xc1, 1, M_BOTH, DIGIT(7), 1, "248", 0 },
	{ "sar 1", 0xd1, 1, M_BOTH, DIGIT(7), 0, "248", 0 },
	{ "sar 8 cl", 0xd2, 1, M_BOTH, DIGIT(7), 0, "1", 0 },
	{ "sar cl", 0xd3, 1, M_BOTH, DIGIT(7), 0, "248", 0 },
};

/* An instruction as encoded, with what the encoder knows of it. */
struct enc {
	uint8_t b[32];
	size_t len;
	bool mem;
	int base, index;		/* registers of the address, or -1 */
	unsigned scale;
	int64_t disp;
	bool addr32, gs, fs;
	size_t rel_at;			/* of a displacement from rip, or 0 */
};

static void
put_le(struct enc *e, uint64_t v, unsigned n)
{
	memcpy(e->b + e->len, &v, n);
	e->len += n;
}

/* modrm, SIB and displacement; which REX bits they want. */
static void
put_modrm(struct enc *e, unsigned reg, bool mem, uint8_t *rex)
{
	unsigned rm = rnd() % 16, mod, sib;

	*rex |= reg & 8 ? 4 : 0;
	e->base = e->index = -1;
	e->mem = mem;
	if (!mem) {
		*rex |= rm & 8 ? 1 : 0;
		e->b[e->len++] = (uint8_t)(0xc0 | (reg & 7) << 3 | (rm & 7));
		return;
	}
	mod = rnd() % 3;
	if (!e->fs && mod == 0 && rnd() % 4 == 0) {	/* from rip */
		e->b[e->len++] = (uint8_t)((reg & 7) << 3 | 5);
		e->rel_at = e->len;
		e->len += 4;
		return;
	}
	*rex |= rm & 8 ? 1 : 0;
	if (e->fs || (rm & 7) == 4 || (mod == 0 && (rm & 7) == 5) || rnd() % 3 == 0) {
		unsigned index = rnd() % 16;

		e->scale = rnd() % 4;
		e->b[e->len++] = (uint8_t)(mod << 6 | (reg & 7) << 3 | 4);
		*rex &= (uint8_t)~1u;
		*rex |= rm & 8 ? 1 : 0;
		if (e->fs)
			index = 4;
		*rex |= index & 8 ? 2 : 0;
		sib = e->scale << 6 | (index & 7) << 3 | (rm & 7);
		e->b[e->len++] = (uint8_t)sib;
		e->index = index == 4 ? -1 : (int)index;
		if (mod == 0 && (rm & 7) == 5) {
			e->disp = (int32_t)(rnd() % 128) - 64;
			put_le(e, (uint64_t)e->disp, 4);
			return;
		}
	} else {
		e->b[e->len++] = (uint8_t)(mod << 6 | (reg & 7) << 3 | (rm & 7));
	}
	e->base = (int)rm;
	if (mod == 1) {
		e->disp = (int8_t)rnd();
		put_le(e, (uint64_t)e->disp, 1);
	} else if (mod == 2) {
		e->disp = (int32_t)(rnd() % 20000) - 10000;
		put_le(e, (uint64_t)e->disp, 4);
	}
}

static void
encode(struct enc *e, const struct form *f, unsigned size, bool mem)
{
	static const uint8_t null_segs[] = { 0x2e, 0x36, 0x3e, 0x26 };
	uint8_t rex = size == 8 ? 8 : 0, tail[24];
	unsigned reg = f->digit != 0 ? f->digit - 1u : rnd() % 16, n;
	struct enc body = { .base = -1, .index = -1 };
	uint64_t imm;

	memset(e, 0, sizeof(*e));
	if (mem && rnd() % 4 == 0)
		e->gs = true;
	else if (rnd() % 8 == 0)
		e->b[e->len++] = null_segs[rnd() % 4];
	if (e->gs)
		e->b[e->len++] = 0x65;
	if (mem && !e->gs && rnd() % 6 == 0)
		e->addr32 = true;
	if (e->addr32)
		e->b[e->len++] = 0x67;
	if (size == 2)
		e->b[e->len++] = 0x66;
	if (f->op > 0xff)
		body.b[body.len++] = 0x0f;
	n = f->span > 1 ? rnd() % f->span : 0;
	body.b[body.len++] = (uint8_t)(f->op + n);
	if (f->mode != M_NONE)
		put_modrm(&body, reg, mem, &rex);
	else if (f->span == 8 && rnd() % 2 == 0)
		rex |= 1;
	if (rnd() % 2 == 0)
		rex |= 0x40;
	imm = rnd_value();
	put_le(&body, imm, f->imm == 'z' ? (size == 2 ? 2 : 4) : f->imm == 'v' ? size : f->imm);
	if (rex != 0)
		e->b[e->len++] = rex | 0x40;
	memcpy(tail, body.b, body.len);
	memcpy(e->b + e->len, tail, body.len);
	e->rel_at = body.rel_at != 0 ? e->len + body.rel_at : 0;
	e->len += body.len;
	e->mem = body.mem;
	e->base = body.base;
	e->index = body.index;
	e->scale = body.scale;
	e->disp = body.disp;
}

/* Registers so that the memory operand, if any, lies in place->data. */
static bool
aim(struct enc *e, struct state *s)
{
	uint64_t data = (uint64_t)(uintptr_t)place->data;
	uint64_t want = data + SLACK + rnd() % (DATA_LEN - 2 * SLACK);
	uint64_t seg = e->gs ? native_gs : 0;
	int i;

	s->gpr[4] = data + DATA_LEN / 2 + rnd() % 512;
	if (!e->mem)
		return true;
	want -= seg;
	if (e->rel_at != 0) {
		int32_t d = (int32_t)(want - (uint64_t)(uintptr_t)(insn_at + e->len));

		memcpy(e->b + e->rel_at, &d, 4);
		/* no reach to a segment's place from there, cut to 32 bits */
		return !e->addr32 && (uint64_t)(uintptr_t)(insn_at + e->len) +
		    (uint64_t)(int64_t)d == want;
	}
	want -= (uint64_t)e->disp;
	if (e->base >= 0 && e->base == e->index) {
		s->gpr[e->base] = want / (1u + (1u << e->scale));
		if (e->base == 4)
			return false;
	} else if (e->base == 4) {
		if (e->index >= 0) {	/* rsp stays; the index makes up for it */
			if ((want - s->gpr[4]) % (1u << e->scale) != 0)
				want -= (want - s->gpr[4]) % (1u << e->scale);
			s->gpr[e->index] = (uint64_t)((int64_t)(want - s->gpr[4]) >> e->scale);
		} else {
			s->gpr[4] = want;
		}
	} else if (e->base >= 0) {
		if (e->index >= 0) {
			s->gpr[e->index] = rnd_value();
			want -= s->gpr[e->index] << e->scale;
		}
		s->gpr[e->base] = want;
	} else if (e->index >= 0) {
		s->gpr[e->index] = want >> e->scale;
	} else {
		return false;		/* an absolute address of 32 bits */
	}
	if (e->addr32)			/* upper halves do not matter then */
		for (i = 0; i < 16; i++)
			if (i != 4 && (i == e->base || i == e->index))
				s->gpr[i] ^= rnd() << 32;
	return true;
}

/* A push or an access by rsp must stay in the data, too. */
static bool
rsp_is_safe(const struct state *s)
{
	uint64_t d = s->gpr[4] - (uint64_t)(uintptr_t)place->data;

	return d >= SLACK && d < DATA_LEN - SLACK;
}

static uint32_t
shift_undef(const struct form *f, const struct enc *e, const struct state *in, unsigned size)
{
	unsigned count, bits = 8 * size;
	uint32_t undef = 0;

	if (f->op < 0xc0 || f->op > 0xd3 || (f->op > 0xc1 && f->op < 0xd0))
		return 0;
	count = f->op < 0xd0 ? e->b[e->len - 1] : f->op < 0xd2 ? 1 : (unsigned)in->gpr[1] & 0xff;
	count &= size == 8 ? 63 : 31;
	if (count == 0)
		return 0;
	if (count != 1)
		undef |= OF;
	if (f->digit >= DIGIT(4))
		undef |= AF;
	if (f->digit != DIGIT(7) && f->digit >= DIGIT(4) && count >= bits)
		undef |= CF;
	return undef;
}

static void
show(const char *name, const uint8_t *b, size_t len)
{
	size_t i;

	print_error("%s:", name);
	for (i = 0; i < len; i++)
		print_error(" %02x", b[i]);
	print_error("\n");
}

static void
random_state(struct state *s)
{
	int i;

	for (i = 0; i < 16; i++)
		s->gpr[i] = rnd_value();
	s->flags = 0x202 | (rnd() & (ARITH | DF));
	for (i = 0; i < (int)DATA_LEN; i += 8) {
		uint64_t v = rnd_value();

		memcpy(place->data + i, &v, 8);
	}
}

/*
 * Runs the planned bytes at insn_at both ways from place->in and what is in
 * place->data, and compares. `undef`: flags not to look at.
 */
static void
compare(const char *name, const uint8_t *b, size_t len, const struct dv_insn *plan,
    uint32_t undef)
{
	static uint8_t before[DATA_LEN], native[DATA_LEN];
	struct mem m = { 0 };
	struct state s = place->in;
	struct dv_insn_cpu c = { .gpr = s.gpr, .rip = plan->next - plan->len,
	    .rflags = s.flags | 0x10000, .fs_base = native_fs, .gs_base = native_gs,
	    .load = mem_load, .store = mem_store, .arg = &m };
	uint64_t want_rip;
	int i, sig;

	memcpy(before, place->data, DATA_LEN);
	insn_put(b, len);
	sig = native_run();
	memcpy(native, place->data, DATA_LEN);
	memcpy(place->data, before, DATA_LEN);
	if (sig != 0) {
		show(name, b, len);
		FAIL("the processor raises signal %d", sig);
	}
	if (dv_insn_run(plan, &c) != 0) {
		show(name, b, len);
		FAIL("dv_insn_run() fails");
	}
	want_rip = (uint64_t)(uintptr_t)(place->out.path == PATH_NEXT ? next_at : taken_at);
	if (c.rip != want_rip || place->out.path == 0) {
		show(name, b, len);
		FAIL("goes on at %lx, not at %lx", c.rip, want_rip);
	}
	for (i = 0; i < 16; i++)
		if (s.gpr[i] != place->out.gpr[i]) {
			show(name, b, len);
			FAIL("register %d was %lx: is %lx, not %lx", i, place->in.gpr[i],
			    s.gpr[i], place->out.gpr[i]);
		}
	if (((c.rflags ^ place->out.flags) & ~(uint64_t)undef) != 0) {
		show(name, b, len);
		FAIL("flags were %lx: are %lx, not %lx", place->in.flags, c.rflags,
		    place->out.flags);
	}
	if (memcmp(native, place->data, DATA_LEN) != 0) {
		for (i = 0; native[i] == place->data[i]; i++)
			;
		show(name, b, len);
		FAIL("memory differs at %d: %02x, not %02x", i, place->data[i], native[i]);
	}
	/* what it uses is what it said */
	if ((plan->uses & DV_INSN_MEM) == 0 && m.n != 0)
		FAIL("%s: accesses memory, which it did not announce", name);
	if ((plan->uses & DV_INSN_WFLAGS) == 0 && (c.rflags ^ place->in.flags) != 0)
		FAIL("%s: changes flags, which it did not announce", name);
	if ((plan->uses & DV_INSN_RSP) == 0 && s.gpr[4] != place->in.gpr[4])
		FAIL("%s: changes rsp, which it did not announce", name);
}

/*
 * Again with registers and flags that `uses` does not name made up: the outcome
 * is the same. And with each access failing: nothing changes.
 */
static void
check_promises(const char *name, const struct dv_insn *plan)
{
	struct state good = place->in, odd = place->in;
	static uint8_t before[DATA_LEN], after[DATA_LEN];
	struct mem m = { 0 };
	struct dv_insn_cpu c = { .gpr = good.gpr, .rflags = good.flags, .fs_base = native_fs,
	    .gs_base = native_gs, .load = mem_load, .store = mem_store, .arg = &m }, c2 = c;
	int i, n;

	memcpy(before, place->data, DATA_LEN);
	if (dv_insn_run(plan, &c) != 0)
		FAIL("%s: fails the second time", name);
	n = m.n;
	memcpy(after, place->data, DATA_LEN);

	memcpy(place->data, before, DATA_LEN);
	m.n = 0;
	c2.gpr = odd.gpr;
	if ((plan->uses & DV_INSN_RFLAGS) == 0)
		c2.rflags = ~c2.rflags;
	if ((plan->uses & DV_INSN_FS) == 0)
		c2.fs_base = rnd();
	if ((plan->uses & DV_INSN_GS) == 0)
		c2.gs_base = rnd();
	if ((plan->uses & DV_INSN_RSP) == 0)
		odd.gpr[4] = good.gpr[4] = rnd();
	if (dv_insn_run(plan, &c2) != 0 || c.rip != c2.rip ||
	    memcmp(good.gpr, odd.gpr, sizeof(good.gpr)) != 0 ||
	    memcmp(after, place->data, DATA_LEN) != 0 ||
	    ((plan->uses & DV_INSN_WFLAGS) != 0 && c.rflags != c2.rflags))
		FAIL("%s: depends on what it did not announce", name);

	for (i = 1; i <= n; i++) {
		struct state s = place->in;
		struct dv_insn_cpu f = { .gpr = s.gpr, .rip = 77, .rflags = s.flags,
		    .fs_base = native_fs, .gs_base = native_gs, .load = mem_load,
		    .store = mem_store, .arg = &m };

		memcpy(place->data, before, DATA_LEN);
		m = (struct mem){ .fail_at = i };
		if (dv_insn_run(plan, &f) != -1)
			FAIL("%s: access %d fails, and nobody says so", name, i);
		if (memcmp(&s, &place->in, sizeof(s)) != 0 || f.rip != 77 ||
		    f.rflags != s.flags || memcmp(before, place->data, DATA_LEN) != 0)
			FAIL("%s: access %d fails, and it has changed something", name, i);
	}
	memcpy(place->data, before, DATA_LEN);
}

static void
plan_own(const char *name, const uint8_t *b, size_t len, struct dv_insn *plan)
{
	struct gi_insn gi;
	uint64_t at = (uint64_t)(uintptr_t)insn_at;
	size_t n;

	dv_insn_plan(b, 15, at, plan);
	if (plan->kind != DV_INSN_OWN || plan->len != len || plan->next != at + len) {
		show(name, b, len);
		FAIL("kind %u, length %u, why %u", plan->kind, plan->len, plan->why);
	}
	/* another decoder agrees */
	if (!gi_insn(b, 15, at, &gi) || gi.len != len) {
		show(name, b, len);
		FAIL("introspection takes it for %u bytes", gi.len);
	}
	/* what is cut off is not guessed */
	for (n = 0; n < len; n++) {
		struct dv_insn cut;

		dv_insn_plan(b, n, at, &cut);
		if (cut.kind != DV_INSN_NONE || cut.why != DV_INSN_WHY_CUT)
			FAIL("%s: %zu of %zu bytes are enough", name, n, len);
	}
}

static void
form_check(const struct form *f)
{
	unsigned rounds = number("DVISOR_INSN_ROUNDS", 400), r, done = 0;
	const char *size;

	for (size = f->sizes; *size != '\0'; size++) {
		for (r = 0; r < rounds * (f->span > 8 ? 4u : 1u); r++) {
			bool mem = f->mode == M_MEM || (f->mode == M_BOTH && rnd() % 2 == 0);
			struct dv_insn plan;
			struct enc e;

			encode(&e, f, (unsigned)(*size - '0'), mem);
			random_state(&place->in);
			if (f->op == 0xc9)	/* leave */
				place->in.gpr[5] = (uint64_t)(uintptr_t)place->data +
				    SLACK + rnd() % (DATA_LEN - 2 * SLACK);
			if (e.len > 15 || !aim(&e, &place->in) || !rsp_is_safe(&place->in))
				continue;
			plan_own(f->name, e.b, e.len, &plan);
			compare(f->name, e.b, e.len, &plan, f->undef |
			    shift_undef(f, &e, &place->in, (unsigned)(*size - '0')));
			check_promises(f->name, &plan);
			done++;
		}
	}
	if (done < rounds / 4)
		FAIL("%s: only %u of %u rounds could be run", f->name, done, rounds);
}

TEST(forms_do_what_the_processor_does)
{
	size_t i;

	if (!place_make())
		SKIP("this system gives no executable memory below 2 GB");
	rng += number("DVISOR_INSN_SEED", 0);
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		form_check(&forms[i]);
}

/* ---- one by one ---------------------------------------------------------- */

/* Bytes run both ways, many times; hexadecimal. `mem`: rsp, rbp, rax, rbx point to data. */
static void
check_bytes(const char *hex, unsigned rounds)
{
	uint8_t b[32] = { 0 };
	size_t len = (size_t)(emit(b, hex) - b);
	struct dv_insn plan;
	unsigned r;

	for (r = 0; r < rounds; r++) {
		static const int ptr[] = { 0, 3, 4, 5 };
		unsigned i;

		random_state(&place->in);
		for (i = 0; i < 4; i++)
			place->in.gpr[ptr[i]] = (uint64_t)(uintptr_t)place->data + SLACK +
			    rnd() % (DATA_LEN - 2 * SLACK);
		plan_own(hex, b, len, &plan);
		compare(hex, b, len, &plan, 0);
		check_promises(hex, &plan);
	}
}

TEST(odd_forms_do_what_the_processor_does)
{
	uint8_t b[16];
	struct dv_insn plan;
	uint64_t at;
	char hex[64];
	unsigned op, r;

	if (!place_make())
		SKIP("this system gives no executable memory below 2 GB");
	check_bytes("f3 90", 50);			/* pause */
	check_bytes("66 90", 50);
	check_bytes("66 66 66 66 90", 50);
	check_bytes("f3 0f 1e fa", 50);			/* endbr64 */
	check_bytes("66 66 2e 0f 1f 84 00 00 00 00 00", 50);
	check_bytes("0f 1f 44 00 00", 50);
	check_bytes("ff 74 24 08", 200);		/* push 8(%rsp) */
	check_bytes("54", 200);				/* push %rsp */
	check_bytes("5c", 200);				/* pop %rsp */
	check_bytes("48 8b 24 24", 200);		/* mov (%rsp),%rsp */
	check_bytes("48 83 ec 08", 200);
	check_bytes("88 23", 200);			/* mov %ah,(%rbx) */
	check_bytes("64 48 8b 04 25 10 00 00 00", 50);	/* mov %fs:0x10,%rax */
	/* moffs: absolute addresses */
	at = (uint64_t)(uintptr_t)place->data + 333;
	for (op = 0xa0; op <= 0xa3; op++)
		for (r = 0; r < 4; r++) {
			sprintf(hex, "%s%02x", (const char *[]){ "", "48", "66", "40" }[r], op);
			memset(b, 0, sizeof(b));
			memcpy(emit(b, hex), &at, 8);
			random_state(&place->in);
			place->in.gpr[4] = at;
			plan_own(hex, b, strlen(hex) / 2 + 8, &plan);
			compare(hex, b, strlen(hex) / 2 + 8, &plan, 0);
			check_promises(hex, &plan);
		}
	sprintf(hex, "67a1");
	memset(b, 0, sizeof(b));
	memcpy(emit(b, hex), &at, 4);
	plan_own(hex, b, 6, &plan);
	compare(hex, b, 6, &plan, 0);
}

/* A branch whose target is taken_at. */
static void
check_branch(const char *name, const uint8_t *b, size_t len)
{
	struct dv_insn plan;

	plan_own(name, b, len, &plan);
	compare(name, b, len, &plan, 0);
	check_promises(name, &plan);
}

static void
branch_state(void)
{
	random_state(&place->in);
	place->in.gpr[4] = (uint64_t)(uintptr_t)place->data + SLACK + 8 * (rnd() % 64);
}

TEST(branches_go_where_the_processor_goes)
{
	uint64_t taken;
	unsigned cc, r, reg;
	uint8_t b[16];
	int32_t rel;

	if (!place_make())
		SKIP("this system gives no executable memory below 2 GB");
	taken = (uint64_t)(uintptr_t)taken_at;
	for (r = 0; r < 200; r++) {
		for (cc = 0; cc < 16; cc++) {
			branch_state();
			memset(b, 0xcc, sizeof(b));
			b[0] = (uint8_t)(0x70 | cc);
			b[1] = (uint8_t)(taken_at - (insn_at + 2));
			check_branch("jcc short", b, 2);
			branch_state();
			b[0] = 0x0f;
			b[1] = (uint8_t)(0x80 | cc);
			rel = (int32_t)(taken_at - (insn_at + 6));
			memcpy(b + 2, &rel, 4);
			check_branch("jcc near", b, 6);
		}
		branch_state();
		b[0] = 0xeb;
		b[1] = (uint8_t)(taken_at - (insn_at + 2));
		check_branch("jmp short", b, 2);
		branch_state();
		b[0] = 0xe9;
		rel = (int32_t)(taken_at - (insn_at + 5));
		memcpy(b + 1, &rel, 4);
		check_branch("jmp near", b, 5);
		branch_state();
		b[0] = 0xe8;
		check_branch("call", b, 5);
		branch_state();
		b[0] = 0x2e;
		b[1] = 0xe9;
		rel = (int32_t)(taken_at - (insn_at + 6));
		memcpy(b + 2, &rel, 4);
		check_branch("cs jmp", b, 6);
		/* through registers: call, jmp, also rsp's own */
		for (reg = 0; reg < 16; reg++) {
			unsigned k;

			for (k = 0; k < 2; k++) {
				branch_state();
				if (reg == 4)
					continue;
				place->in.gpr[reg] = taken;
				b[0] = (uint8_t)(0x40 | reg >> 3);
				b[1] = 0xff;
				b[2] = (uint8_t)(0xc0 | (k == 0 ? 2 : 4) << 3 | (reg & 7));
				check_branch(k == 0 ? "call reg" : "jmp reg", b, 3);
			}
		}
		/* through memory: (%rsp), 16(%rsp) */
		branch_state();
		memcpy((void *)(uintptr_t)place->in.gpr[4], &taken, 8);
		memcpy(b, "\xff\x14\x24", 3);
		check_branch("call (%rsp)", b, 3);
		branch_state();
		memcpy((void *)(uintptr_t)(place->in.gpr[4] + 16), &taken, 8);
		memcpy(b, "\xff\x64\x24\x10", 4);
		check_branch("jmp 16(%rsp)", b, 4);
		/* returns */
		branch_state();
		memcpy((void *)(uintptr_t)place->in.gpr[4], &taken, 8);
		memcpy(b, "\xc3", 1);
		check_branch("ret", b, 1);
		branch_state();
		memcpy((void *)(uintptr_t)place->in.gpr[4], &taken, 8);
		memcpy(b, "\xf3\xc3", 2);
		check_branch("rep ret", b, 2);
		branch_state();
		memcpy((void *)(uintptr_t)place->in.gpr[4], &taken, 8);
		memcpy(b, "\xc2\x28\x00", 3);
		check_branch("ret 40", b, 3);
	}
}

/*
 * Whatever the bytes are: what is taken for our own and touches neither memory nor
 * the flow is run natively, and agrees. And lengths agree with introspection's.
 */
TEST(nothing_else_is_taken_for_ours)
{
	unsigned rounds = number("DVISOR_INSN_ROUNDS", 400) * 1000, r, own = 0, kvm = 0;
	uint32_t undef = ARITH;

	if (!place_make())
		SKIP("this system gives no executable memory below 2 GB");
	for (r = 0; r < rounds; r++) {
		static const uint8_t pre[] = { 0x66, 0x67, 0xf2, 0xf3, 0xf0, 0x2e, 0x3e, 0x64,
		    0x65, 0x40, 0x41, 0x44, 0x48, 0x49, 0x4f, 0x0f };
		uint8_t b[16];
		struct dv_insn plan;
		struct gi_insn gi;
		unsigned i, n = rnd() % 4;

		for (i = 0; i < 16; i++)
			b[i] = (uint8_t)rnd();
		for (i = 0; i < n; i++)
			b[i] = pre[rnd() % sizeof(pre)];
		dv_insn_plan(b, 1 + rnd() % 16, (uint64_t)(uintptr_t)insn_at, &plan);
		EXPECT(plan.kind <= DV_INSN_OWN && plan.why < DV_INSN_NWHY && plan.len <= 15);
		EXPECT((plan.kind == DV_INSN_NONE) == (plan.why != DV_INSN_WHY_OK));
		if (plan.kind == DV_INSN_NONE)
			continue;
		if (!gi_insn(b, 15, (uint64_t)(uintptr_t)insn_at, &gi) || gi.len != plan.len) {
			show("length", b, 15);
			FAIL("%u bytes, or %u?", plan.len, gi.len);
		}
		kvm += plan.kind == DV_INSN_KVM;
		if (plan.kind != DV_INSN_OWN || (plan.uses & DV_INSN_MEM) != 0 ||
		    gi.kind != GI_I_OTHER)
			continue;
		if (gi.map == 0 && gi.op == 0xfa)	/* cli, clac, stac: CPL 0 only */
			continue;
		if (gi.map == 1 && gi.op == 0x01)
			continue;
		random_state(&place->in);
		place->in.gpr[4] = (uint64_t)(uintptr_t)place->data + 512;
		compare("random", b, plan.len, &plan, undef);
		own++;
	}
	EXPECT(own > rounds / 100);
	EXPECT(kvm > rounds / 1000);
}

/* ---- what cannot be compared here ---------------------------------------- */

static struct dv_insn
plan_of(const char *hex)
{
	uint8_t b[32] = { 0 };
	struct dv_insn plan;

	dv_insn_plan(b, (size_t)(emit(b, hex) - b), 0xffffffff81000000, &plan);
	return plan;
}

static uint64_t
flags_after(const char *hex, uint64_t flags)
{
	struct dv_insn plan = plan_of(hex);
	uint64_t gpr[16] = { 0 };
	struct dv_insn_cpu c = { .gpr = gpr, .rflags = flags };

	EXPECT_EQ(plan.kind, DV_INSN_OWN);
	EXPECT_EQ(plan.uses & ~DV_INSN_ALONE, DV_INSN_RFLAGS | DV_INSN_WFLAGS);
	EXPECT_EQ(dv_insn_run(&plan, &c), 0);
	EXPECT_EQ(c.rip, 0xffffffff81000000 + plan.len);
	return c.rflags;
}

TEST(privileged_flags)
{
	EXPECT_EQ(flags_after("fa", 0x246), 0x46);
	EXPECT_EQ(flags_after("fa", 0x46), 0x46);
	EXPECT_EQ(flags_after("0f 01 cb", 0x246), 0x40246);
	EXPECT_EQ(flags_after("0f 01 ca", 0x40246), 0x246);
	EXPECT_EQ(flags_after("f8", 0x10247), 0x246);	/* RF goes, too */
}

TEST(what_kvms_emulator_lacks)
{
	static const char *const lacks[] = { "0f 01 ca", "0f 01 cb", "0f ae e8", "0f ae f0",
	    "0f ae f8" };
	size_t i;

	for (i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++) {
		struct dv_insn plan = plan_of(lacks[i]);

		EXPECT_EQ(plan.kind, DV_INSN_OWN);
		EXPECT_EQ(plan.uses & (DV_INSN_ALONE | DV_INSN_MEM), DV_INSN_ALONE);
	}
	EXPECT_EQ(plan_of("fa").uses & DV_INSN_ALONE, 0);
	EXPECT_EQ(plan_of("0f 1f 00").uses & DV_INSN_ALONE, 0);
}

/* Kernel addresses: what user space cannot have natively. */
TEST(kernel_addresses)
{
	struct dv_insn plan = plan_of("e9 00 00 00 80");
	uint64_t gpr[16] = { 0 };
	struct dv_insn_cpu c = { .gpr = gpr, .rip = 5 };

	EXPECT_EQ(dv_insn_run(&plan, &c), 0);
	EXPECT_EQ(c.rip, 0xffffffff01000005);
	/* not canonical with four levels of page tables: somebody else decides */
	plan = plan_of("ff e0");
	gpr[0] = 0x0000800000000000;
	EXPECT_EQ(dv_insn_run(&plan, &c), -1);
	gpr[0] = 0xff7fffffffffffff;
	EXPECT_EQ(dv_insn_run(&plan, &c), -1);
	EXPECT_EQ(c.rip, 0xffffffff01000005);
	gpr[0] = 0xffff800000000000;
	EXPECT_EQ(dv_insn_run(&plan, &c), 0);
	EXPECT_EQ(c.rip, 0xffff800000000000);
}

TEST(the_rest_is_kvms_or_nobodys)
{
	static const struct { const char *hex; uint8_t kind, why; } t[] = {
		{ "f0 ff 07", DV_INSN_KVM, 0 },			/* lock incl (%rdi) */
		{ "f0 48 0f b1 17", DV_INSN_KVM, 0 },		/* lock cmpxchg */
		{ "87 07", DV_INSN_KVM, 0 },			/* xchg with memory */
		{ "48 0f af c6", DV_INSN_KVM, 0 },		/* imul */
		{ "48 f7 f6", DV_INSN_KVM, 0 },			/* div */
		{ "9d", DV_INSN_KVM, 0 },			/* popf */
		{ "fb", DV_INSN_KVM, 0 },			/* sti */
		{ "0f 20 d8", DV_INSN_KVM, 0 },			/* mov %cr3,%rax */
		{ "0f bc c7", DV_INSN_KVM, 0 },			/* bsf */
		{ "0f 31", DV_INSN_KVM, 0 },			/* rdtsc */
		{ "a5", DV_INSN_KVM, 0 },			/* movsl */
		{ "f3 0f bc c7", DV_INSN_NONE, DV_INSN_WHY_PREFIX },	/* tzcnt */
		{ "f3 0f b8 c7", DV_INSN_NONE, DV_INSN_WHY_VECTOR },	/* popcnt */
		{ "f3 48 a5", DV_INSN_NONE, DV_INSN_WHY_REPEATS },
		{ "f0 01 c0", DV_INSN_NONE, DV_INSN_WHY_PREFIX },	/* lock, no memory */
		{ "f0 39 07", DV_INSN_NONE, DV_INSN_WHY_PREFIX },	/* lock cmp */
		{ "66 e9 00 00 00 00", DV_INSN_NONE, DV_INSN_WHY_PREFIX },
		{ "48 66 01 c0", DV_INSN_NONE, DV_INSN_WHY_PREFIX },	/* a void REX */
		{ "64 65 8b 07", DV_INSN_NONE, DV_INSN_WHY_PREFIX },
		{ "cc", DV_INSN_NONE, DV_INSN_WHY_TRAP },
		{ "0f 0b", DV_INSN_NONE, DV_INSN_WHY_TRAP },
		{ "ec", DV_INSN_NONE, DV_INSN_WHY_IO },
		{ "f4", DV_INSN_NONE, DV_INSN_WHY_HALT },
		{ "0f 30", DV_INSN_NONE, DV_INSN_WHY_MSR },
		{ "48 cf", DV_INSN_NONE, DV_INSN_WHY_FAR },		/* iretq */
		{ "0f 05", DV_INSN_NONE, DV_INSN_WHY_FAR },
		{ "0f 01 f8", DV_INSN_NONE, DV_INSN_WHY_OTHER },	/* swapgs */
		{ "f3 0f 01 ca", DV_INSN_NONE, DV_INSN_WHY_PREFIX },	/* eretu */
		{ "c5 f8 77", DV_INSN_NONE, DV_INSN_WHY_VECTOR },
		{ "66 0f 6f 07", DV_INSN_NONE, DV_INSN_WHY_VECTOR },
		{ "06", DV_INSN_NONE, DV_INSN_WHY_INVALID },
		{ "48 8b", DV_INSN_NONE, DV_INSN_WHY_CUT },
		{ "", DV_INSN_NONE, DV_INSN_WHY_CUT },
		{ "66666666666666666666666666 89 c0", DV_INSN_OWN, 0 },
		{ "6666666666666666666666666666 89 c0", DV_INSN_NONE, DV_INSN_WHY_CUT },
	};
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct dv_insn plan = plan_of(t[i].hex);

		if (plan.kind != t[i].kind || plan.why != t[i].why)
			FAIL("%s: kind %u, why %u (%s)", t[i].hex, plan.kind, plan.why,
			    dv_insn_why_text(plan.why));
	}
	EXPECT_STREQ(dv_insn_why_text(DV_INSN_WHY_REPEATS), "it repeats");
	EXPECT_STREQ(dv_insn_why_text(DV_INSN_NWHY), "");
}

TEST_MAIN()
