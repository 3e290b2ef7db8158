/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regs.c - a vCPU's registers, read where QEMU keeps them.
 *
 * The plugin interface takes 25 ns for a register: a table look-up, a dispatch
 * through the gdbstub, a copy into a GByteArray. All of that ends in a load
 * from the vCPU's object, whose layout no header of ours knows. So the layout
 * is learnt from the interface itself: at the first hits of a site, what it
 * tells is looked for in the object, which gives the places where it may lie;
 * a place stays a candidate while it agrees at every hit. One that is alone
 * after LEARN hits that all differed is believed; from then on sites read the
 * register there.
 *
 * Looked for are two shapes that QEMU has had for as long as x86-64:
 *
 *	16 words	rax rcx rdx rbx rsp rbp rsi rdi r8 ... r15
 *	6 x 24 bytes	es cs ss ds fs gs: u32 selector, u64 base, 8 bytes more
 *
 * QEMU brings them up to date before it calls a site, as the interface reads
 * the same memory. If there is no such shape, or two, the interface it is.
 */
#include "tcg/tcg.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define OBJECT	65536u			/* looked through; less if it is smaller */
#define LEARN	32u
#define GIVE_UP	4096u
#define MAXPLACE 8u
#define SEGS	24u

enum { GENERAL, SEGMENT, NSHAPE };

struct sample {
	uint64_t general[16], cs, fs, gs;
};

static const uint8_t order[16] = {
	DV_REG_RAX, DV_REG_RCX, DV_REG_RDX, DV_REG_RBX,
	DV_REG_RSP, DV_REG_RBP, DV_REG_RSI, DV_REG_RDI,
	DV_REG_R8, DV_REG_R9, DV_REG_R10, DV_REG_R11,
	DV_REG_R12, DV_REG_R13, DV_REG_R14, DV_REG_R15
};

int32_t dv_reg_place[DV_TCG_NREG];
uint32_t dv_regs_learnt;

static pthread_mutex_t learning = PTHREAD_MUTEX_INITIALIZER;
static struct {				/* under it */
	struct sample last;
	uint32_t at[NSHAPE][MAXPLACE], n[NSHAPE];
	uint32_t good, tries;
	_Alignas(8) uint8_t mem[OBJECT];
} learn;

static bool
agrees(const uint8_t *at, const struct sample *s, int shape)
{
	uint64_t fs, gs;
	uint32_t cs;

	if (shape == GENERAL)
		return memcmp(at, s->general, sizeof(s->general)) == 0;
	memcpy(&cs, at + SEGS, sizeof(cs));
	memcpy(&fs, at + 4 * SEGS + 8, sizeof(fs));
	memcpy(&gs, at + 5 * SEGS + 8, sizeof(gs));
	return cs == s->cs && fs == s->fs && gs == s->gs;
}

static void
find_places(const struct sample *s, size_t len, int shape)
{
	size_t at;

	for (at = 0; at + 6 * SEGS <= len; at += 8)
		if (agrees(learn.mem + at, s, shape) && learn.n[shape] < MAXPLACE)
			learn.at[shape][learn.n[shape]++] = (uint32_t)at;
}

static void
keep_places(const struct sample *s, size_t len, int shape)
{
	uint32_t i, n = 0;

	for (i = 0; i < learn.n[shape]; i++)
		if (learn.at[shape][i] + 6 * SEGS <= len &&
		    agrees(learn.mem + learn.at[shape][i], s, shape))
			learn.at[shape][n++] = learn.at[shape][i];
	learn.n[shape] = n;
}

static void
believe(void)
{
	uint32_t i;

	for (i = 0; i < 16; i++)
		dv_reg_place[order[i]] = (int32_t)(learn.at[GENERAL][0] + 8 * i);
	if (learn.n[SEGMENT] == 1) {
		dv_reg_place[DV_REG_FS_BASE] = (int32_t)(learn.at[SEGMENT][0] + 4 * SEGS + 8);
		dv_reg_place[DV_REG_GS_BASE] = (int32_t)(learn.at[SEGMENT][0] + 5 * SEGS + 8);
	}
	__atomic_store_n(&dv_regs_learnt, DV_REGS_LEARNT, __ATOMIC_RELEASE);
}

static void
take_sample(struct dv_tcg_vcpu *v, struct sample *s)
{
	unsigned i;

	for (i = 0; i < 16; i++)
		s->general[i] = dv_vcpu_reg(v, order[i]);
	s->cs = dv_vcpu_reg(v, DV_REG_CS);
	s->fs = dv_vcpu_reg(v, DV_REG_FS_BASE);
	s->gs = dv_vcpu_reg(v, DV_REG_GS_BASE);
}

void
dv_regs_learn(struct dv_tcg_vcpu *v)
{
	void *cpu = __atomic_load_n(&v->cpu, __ATOMIC_ACQUIRE);
	struct iovec to = { learn.mem, OBJECT }, from = { cpu, OBJECT };
	struct sample s;
	ssize_t len;

	if (cpu == NULL || pthread_mutex_trylock(&learning) != 0)
		return;
	if (__atomic_load_n(&dv_regs_learnt, __ATOMIC_RELAXED) != DV_REGS_LEARNING)
		goto out;
	take_sample(v, &s);
	if (memcmp(&s, &learn.last, sizeof(s)) == 0 || s.gs >> 63 == 0)
		goto count;
	/* the object's size is not known: what is not mapped ends it */
	len = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
	if (len <= 0) {
		learn.tries = GIVE_UP;
		goto count;
	}
	if (learn.good++ == 0) {
		find_places(&s, (size_t)len, GENERAL);
		find_places(&s, (size_t)len, SEGMENT);
	} else {
		keep_places(&s, (size_t)len, GENERAL);
		keep_places(&s, (size_t)len, SEGMENT);
	}
	learn.last = s;
	if (learn.n[GENERAL] == 0)
		learn.tries = GIVE_UP;
	else if (learn.good >= LEARN && learn.n[GENERAL] == 1)
		believe();
count:
	if (++learn.tries > GIVE_UP)
		__atomic_store_n(&dv_regs_learnt, DV_REGS_NOT, __ATOMIC_RELEASE);
out:
	pthread_mutex_unlock(&learning);
}
