/* SPDX-License-Identifier: GPL-2.0-or-later */
/* deadman.h - a trace that starves its guest is ended. */
#ifndef DV_DEADMAN_H
#define DV_DEADMAN_H
#include "dv_plat.h"

struct dv_state;

#define DV_DEADMAN_NS	30000000000ull
#define DV_DEADMAN_LOOKS 100u

/* Of the control side alone, but for `killed`. */
struct dv_deadman {
	uint64_t since;			/* the first look of this period, ns; 0: none */
	uint32_t looks;
	uint32_t killed;		/* tracing was aborted; atomic */
};

/* At each pass of the cleaner. Context: CONTROL. */
void dv_deadman_look(struct dv_state *s);

#endif
