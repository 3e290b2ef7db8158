/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vtime.h - vtimestamp: how long a thread has been on a CPU. */
#ifndef DV_VTIME_H
#define DV_VTIME_H
#include "mstate.h"

#define DV_VTIME_N	32768u		/* threads that are remembered */

/* One thread, while it is off all CPUs. */
struct dv_vslot {
	uint64_t task;			/* 0: free, 1: being made; atomic */
	uint64_t born;			/* its start_boottime */
	uint64_t vtime;			/* ns */
};

/* The thread on a CPU: vtimestamp is base + (now - start). Under the gate. */
struct dv_vcur {
	uint64_t task;			/* 0: not known yet */
	uint64_t base;			/* ns */
	uint64_t start;			/* host time, moved on by what probes took */
};

/* vtimestamp of curthread; 0 in the host context. */
uint64_t dv_vtime(struct dv_mstate *ms);

/* This CPU switches from the task in raw argument 0 to that in 1. */
void dv_vtime_switch(struct dv_mstate *ms);

#endif
