/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate.h - who works on the buffers of a CPU.
 *
 * One word per CPU. The vCPU's own thread takes it for one firing; the control
 * side takes it for one switch, clean or drain of that CPU, all bounded copies.
 * So it is contended only when those meet. It does not nest, and no fault,
 * sleep or wait for another gate happens while it is held.
 */
#ifndef DV_GATE_H
#define DV_GATE_H
#include "dv_plat.h"

static inline void
dv_gate_enter(uint32_t *gate)
{
	uint32_t open = 0, tries = 0;

	dv_plat_pin();
	while (!dv_cas32(gate, &open, 1)) {
		open = 0;
		dv_plat_wait(++tries);
	}
}

static inline void
dv_gate_leave(uint32_t *gate)
{
	dv_store_rel32(gate, 0);
	dv_plat_unpin();
}

/*
 * Counters of a CPU have one writer, who holds the gate, and readers that
 * hold nothing: whole-word stores, no locked instruction.
 */
#define DV_COUNT(c)	dv_store_rel64(&(c), (c) + 1)
#define DV_COUNT_N(c, n) dv_store_rel64(&(c), (c) + (n))

#endif
