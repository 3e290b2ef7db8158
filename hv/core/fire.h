/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fire.h - firings that the control side starts itself. */
#ifndef DV_FIRE_H
#define DV_FIRE_H
#include "mstate.h"

/* Fires a probe (or DV_NONE: nothing) in the host context, whatever `life` is. */
void dv_fire_host(struct dv_state *s, struct dv_ctx *ctx, uint32_t probe);
/* Runs all starts (dv_prog.h), in the host context. */
void dv_fire_starts(struct dv_state *s, struct dv_ctx *ctx);
/* Runs the checks of all DV_RULE_GONE, in the host context. */
void dv_fire_check(struct dv_state *s, struct dv_ctx *ctx);

#endif
