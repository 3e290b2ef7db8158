/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ecb.h - one clause of one probe, run. */
#ifndef DV_ECB_H
#define DV_ECB_H
#include "mstate.h"

/* Where a clause failed, for ERROR and the fault record. */
struct dv_fail {
	uint32_t epid, action, offset, fault;
	uint64_t addr;
};

/* Runs ECB `e` (an index). 0, or -1: it faulted, nothing was recorded. */
int dv_ecb_run(struct dv_mstate *ms, uint32_t e, struct dv_fail *ret);

/* exit(): nothing more fires, but for END. */
void dv_ecb_exit(struct dv_state *s, int32_t status);

#endif
