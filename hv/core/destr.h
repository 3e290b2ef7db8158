/* SPDX-License-Identifier: GPL-2.0-or-later */
/* destr.h - what changes the guest: copyout(), chill(), panic(), breakpoint(). */
#ifndef DV_DESTR_H
#define DV_DESTR_H
#include "mstate.h"

/*
 * Copies to the user half of curthread's process: `len` bytes from `src`, or a
 * string of at most `max` bytes, its NUL included if there is room. All bytes
 * are written, or none and the fault is in ms.
 */
void dv_destr_copyout(struct dv_mstate *ms, uint64_t src, uint64_t to, uint64_t len);
void dv_destr_copyoutstr(struct dv_mstate *ms, uint64_t src, uint64_t to, uint64_t max);

/* chill(): 0, or -1 with the fault in ms: too much of this interval. */
int dv_destr_chill(struct dv_mstate *ms, uint64_t ns);

/* panic() or breakpoint() (enum dv_action). */
void dv_destr_halt(struct dv_mstate *ms, uint32_t action);

#endif
