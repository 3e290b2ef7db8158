/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tail.h - returns that wait for the function that was jumped to. */
#ifndef DV_TAIL_H
#define DV_TAIL_H
#include "dv_plat.h"

struct dv_tail_entry {
	uint64_t key;			/* address of the return slot | 1 while in work; 0: free */
	uint64_t ret;			/* what the slot held */
	uint64_t order;			/* grows with each entry saved; atomic */
	uint32_t rule;
	uint32_t probe;
};

struct dv_tail {
	struct dv_tail_entry *e;	/* DV_TAIL_N, or NULL: no tail jumps */
	uint64_t order;			/* atomic */
};

#define DV_TAIL_N	32768u
#define DV_TAIL_WAYS	16u		/* entries searched for one slot */

/* false: an entry is lost: the oldest there gave way, or this one found no room. */
bool dv_tail_save(struct dv_tail *t, uint64_t slot, uint64_t ret, uint32_t rule,
		  uint32_t probe);
/*
 * Takes the newest entry of a slot; 0: none. Otherwise 1, or -1 if the slot
 * holds another address than when it was saved: the entry is stale.
 */
int dv_tail_take(struct dv_tail *t, uint64_t slot, uint64_t ret, uint32_t *rule,
		 uint32_t *probe);
/* Drops the newest entry of a slot if it is the probe's. */
void dv_tail_forget(struct dv_tail *t, uint64_t slot, uint32_t probe);
/* Is there any entry for a slot? */
bool dv_tail_any(const struct dv_tail *t, uint64_t slot);

#endif
