/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack.h - stacks of the trapped vCPU: of its kernel, and of its thread's program. */
#ifndef DV_STACK_H
#define DV_STACK_H
#include "mstate.h"

/* No walk goes on for longer, whatever the guest's memory says. */
#define DV_MAXFRAMES	1024u
/*
 * Reads of guest memory for all kernel stacks of one hit. A frame takes some 30, one
 * in a module or in code of no table three for each module before it.
 */
#define DV_WALK_READS	32768u

/*
 * Writes up to n program counters, 8 bytes each, from the trapped one outward,
 * and returns how many. `to` may be NULL: only count. A stack that cannot be
 * followed ends there; no fault. None in the host context and in user mode.
 */
uint32_t dv_kstack(struct dv_mstate *ms, uint8_t *to, uint32_t n);

/*
 * The same of the current thread's user stack. 0, or -1 with the fault (bad
 * stack) in ms. None for a thread that has no user mode. `to` NULL counts, and
 * then DV_MAXUFRAMES are too many.
 */
int dv_ustack(struct dv_mstate *ms, uint8_t *to, uint32_t n, uint32_t *ret);
#define DV_MAXUFRAMES	2048u

/*
 * uregs[n]: a register of user mode, by its place in struct pt_regs. -1 with the
 * fault in ms: the current thread has no user mode, or there is no such place.
 */
int dv_ureg(struct dv_mstate *ms, uint64_t n, uint64_t *ret);

/* What dv_kstack() needs of a blob; 0, or -1 with the reason. */
struct dv_prog;
struct dv_reason;
int dv_unwind_check(const struct dv_prog *p, struct dv_reason *why);

#endif
