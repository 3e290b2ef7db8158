/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ustack.c - the user stack of the current thread, and its registers.
 *
 * Where the thread left user mode is in the pt_regs at the top of its kernel
 * stack, whatever the kernel has done since: they are the first things that an
 * entry from user mode puts there. A vCPU that was trapped in user mode has
 * them in its registers. Threads of the kernel have none.
 *
 * From there the chain of %rbp is followed, as DTrace does: programs built
 * without frame pointers give their first frame, and then what %rbp happens to
 * lead to. What it leads to must lie above the frame before and have an
 * address of the user half beside it, or the stack ends. A frame that names
 * itself, or a stack deeper than DV_MAXUFRAMES when it is counted, is a
 * `bad stack`. Memory that is not there ends a stack; tracing does not make the
 * guest load it.
 */
#include "stack.h"

#include "load.h"
#include "state_impl.h"

#define PF_KTHREAD	0x00200000u
#define CS_USER32	0x23u

/* struct pt_regs of x86-64, by words */
enum { REGS_BP = 4, REGS_IP = 16, REGS_CS = 17, REGS_SP = 19 };

/* Where the processor has them; DV_NREG: only the stack has what was there last. */
static const uint8_t reg_of[DIF_NUREGS] = {
	DV_REG_R15, DV_REG_R14, DV_REG_R13, DV_REG_R12, DV_REG_RBP, DV_REG_RBX, DV_REG_R11,
	DV_REG_R10, DV_REG_R9, DV_REG_R8, DV_REG_RAX, DV_REG_RCX, DV_REG_RDX, DV_REG_RSI,
	DV_REG_RDI, DV_NREG, DV_REG_RIP, DV_REG_CS, DV_REG_RFLAGS, DV_REG_RSP, DV_NREG
};

struct user {
	uint64_t ip, sp, bp;
	uint32_t word;			/* bytes of an address: 8, or 4 for old programs */
};

static bool
in_user_mode(struct dv_mstate *ms)
{
	return ms->ctx->vcpu >= 0 && (dv_reg(ms, DV_REG_CS) & 3) == 3;
}

/* Address of the pt_regs of user mode. -1: a fault, the thread has none. */
static int
saved_regs(struct dv_mstate *ms, uint64_t *ret)
{
	const struct dv_layout *l = ms->s->lay;
	uint64_t task, mm, stack;
	uint32_t flags;

	if (dv_curthread(ms, &task) != 0)
		return -1;
	if (task == 0 || l->ptregs_size < DIF_NUREGS * 8 ||
	    dv_field(ms, task, l->task_flags, &flags, sizeof(flags)) != 0 ||
	    dv_field(ms, task, l->task_mm, &mm, sizeof(mm)) != 0 ||
	    dv_field(ms, task, l->task_stack, &stack, sizeof(stack)) != 0 ||
	    (flags & PF_KTHREAD) != 0 || mm == 0) {
		dv_fault(ms, DV_FAULT_BADADDR, task);
		return -1;
	}
	*ret = stack + l->stack_size - l->stack_pad - l->ptregs_size;
	return 0;
}

int
dv_ureg(struct dv_mstate *ms, uint64_t n, uint64_t *ret)
{
	uint64_t at;

	if (n >= DIF_NUREGS) {
		dv_fault(ms, DV_FAULT_ILLOP, 0);
		return -1;
	}
	if (in_user_mode(ms) && reg_of[n] != DV_NREG) {
		*ret = n == REGS_IP ? ms->ctx->rip : dv_reg(ms, reg_of[n]);
		return 0;
	}
	return saved_regs(ms, &at) != 0 ? -1 : dv_field(ms, at, (uint32_t)n * 8, ret, sizeof(*ret));
}

/* false: no user mode to come back to. */
static bool
user_regs(struct dv_mstate *ms, struct user *u)
{
	uint64_t at, regs[DIF_NUREGS], cs;

	if (in_user_mode(ms)) {
		cs = dv_reg(ms, DV_REG_CS);
		u->ip = ms->ctx->rip;
		u->sp = dv_reg(ms, DV_REG_RSP);
		u->bp = dv_reg(ms, DV_REG_RBP);
	} else {
		if (saved_regs(ms, &at) != 0 || dv_peek(ms, at, regs, sizeof(regs)) != 0)
			return false;
		cs = regs[REGS_CS];
		if ((cs & 3) != 3)
			return false;
		u->ip = regs[REGS_IP];
		u->sp = regs[REGS_SP];
		u->bp = regs[REGS_BP];
	}
	u->word = (cs & 0xffff) == CS_USER32 ? 4 : 8;
	if (u->word == 4) {
		u->ip = (uint32_t)u->ip;
		u->sp = (uint32_t)u->sp;
		u->bp = (uint32_t)u->bp;
	}
	return true;
}

/* 1: u is the caller's frame now. 0: there is none. -1: a fault. */
static int
step_user(struct dv_mstate *ms, struct user *u)
{
	uint64_t bp = 0, ip = 0;
	uint8_t frame[16];

	if (u->bp < u->sp || dv_peek_user(ms, u->bp, frame, 2 * (size_t)u->word) != 0)
		return 0;
	memcpy(&bp, frame, u->word);
	memcpy(&ip, frame + u->word, u->word);
	if (ip == 0 || ip >= ms->s->user_end)
		return 0;
	if (bp == u->bp) {
		dv_fault(ms, DV_FAULT_BADSTACK, bp);
		return -1;
	}
	u->sp = u->bp + 2 * (uint64_t)u->word;
	u->ip = ip;
	u->bp = bp;
	return 1;
}

int
dv_ustack(struct dv_mstate *ms, uint8_t *to, uint32_t n, uint32_t *ret)
{
	uint32_t i, fault = ms->fault;
	struct user u;
	int rc = 1;

	*ret = 0;
	if (ms->s->lay == NULL || ms->ctx->vcpu < 0)
		return 0;
	if (!user_regs(ms, &u)) {
		ms->fault = fault;	/* of looking for the thread */
		return 0;
	}
	if (n > DV_MAXUFRAMES)
		n = DV_MAXUFRAMES;
	for (i = 0; i < n && rc > 0; i++) {
		if (to != NULL)
			memcpy(to + 8 * (size_t)i, &u.ip, 8);
		*ret = i + 1;
		if (i + 1 < n)
			rc = step_user(ms, &u);
	}
	if (to == NULL && *ret == DV_MAXUFRAMES) {
		dv_fault(ms, DV_FAULT_BADSTACK, u.bp);
		return -1;
	}
	return rc < 0 ? -1 : 0;
}
