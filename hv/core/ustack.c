/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ustack.c - the user stack of the current thread.
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
enum { REGS_BP = 4, REGS_IP = 16, REGS_CS = 17, REGS_SP = 19, REGS_WORDS = 21 };

struct user {
	uint64_t ip, sp, bp;
	uint32_t word;			/* bytes of an address: 8, or 4 for old programs */
};

/* false: no user mode to come back to. */
static bool
user_regs(struct dv_mstate *ms, struct user *u)
{
	const struct dv_layout *l = ms->s->lay;
	uint64_t task, mm, stack, regs[REGS_WORDS], cs = dv_reg(ms, DV_REG_CS);
	uint32_t flags;

	if ((cs & 3) == 3) {
		u->ip = ms->ctx->rip;
		u->sp = dv_reg(ms, DV_REG_RSP);
		u->bp = dv_reg(ms, DV_REG_RBP);
	} else {
		if (l->ptregs_size != sizeof(regs) || dv_curthread(ms, &task) != 0 ||
		    dv_field(ms, task, l->task_flags, &flags, sizeof(flags)) != 0 ||
		    (flags & PF_KTHREAD) != 0 ||
		    dv_field(ms, task, l->task_mm, &mm, sizeof(mm)) != 0 || mm == 0 ||
		    dv_field(ms, task, l->task_stack, &stack, sizeof(stack)) != 0 ||
		    dv_peek(ms, stack + l->stack_size - l->stack_pad - sizeof(regs), regs,
		    sizeof(regs)) != 0)
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
