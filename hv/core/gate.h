/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate.h - who works on the buffers of a CPU.
 *
 * One per CPU. The vCPU's own thread takes it for one firing; the control
 * side takes it for one switch, clean or drain of that CPU, all bounded copies.
 * So it is contended only when those meet. It does not nest, and no fault,
 * sleep or wait for another gate happens while it is held.
 *
 * A vCPU that does nothing but fire leaves it open for moments only, which others
 * would never hit upon: so the control side says that it wants it, and firings
 * let it go first. That word keeps nobody out; `taken` does.
 */
#ifndef DV_GATE_H
#define DV_GATE_H
#include "dv_plat.h"

struct dv_gate {
	uint32_t taken;			/* somebody is in */
	uint32_t wanted;		/* how many of the control side wait for it */
	uint32_t held_up;		/* how many firings do; deadman.c */
};

/* For a firing. */
static inline void
dv_gate_enter(struct dv_gate *gate)
{
	uint32_t open = 0, tries = 0;

	dv_plat_pin();
	while (dv_load32(&gate->wanted) != 0 || !dv_cas32(&gate->taken, &open, 1)) {
		if (tries == 0)
			(void)dv_add32(&gate->held_up, 1);
		open = 0;
		dv_plat_wait(++tries);
	}
	if (tries != 0)
		(void)dv_add32(&gate->held_up, (uint32_t)-1);
}

/* For the control side. CONTROL. */
static inline void
dv_gate_claim(struct dv_gate *gate)
{
	uint32_t open = 0, tries = 0;

	dv_plat_pin();
	(void)dv_add32(&gate->wanted, 1);
	while (!dv_cas32(&gate->taken, &open, 1)) {
		open = 0;
		dv_plat_wait(++tries);
	}
	(void)dv_add32(&gate->wanted, (uint32_t)-1);
}

static inline void
dv_gate_leave(struct dv_gate *gate)
{
	dv_store_rel32(&gate->taken, 0);
	dv_plat_unpin();
}

/*
 * Counters of a CPU have one writer, who holds the gate, and readers that
 * hold nothing: whole-word stores, no locked instruction.
 */
#define DV_COUNT(c)	dv_store_rel64(&(c), (c) + 1)
#define DV_COUNT_N(c, n) dv_store_rel64(&(c), (c) + (n))

#endif
