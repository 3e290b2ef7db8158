/* SPDX-License-Identifier: GPL-2.0-or-later */
/* enable.h - compiled clauses meet probes: the enabling. */
#ifndef DV_ENABLE_H
#define DV_ENABLE_H
#include "probesrc.h"
#include "dcomp/dcomp.h"
#include "base/progb.h"

/* One description of one clause, as the compiler told it. */
struct dv_wanted {
	uint32_t clause;
	struct dc_pdesc desc;		/* strings owned by the arena */
};
typedef DV_VEC(struct dv_wanted) dv_wanted_t;

/*
 * Adds probes, ECBs, sites, rules and timers for the wanted clauses to `b`.
 * Probes that matched but have no site are told to the user: by reason, or all
 * (verbose).
 */
int  dv_enable(struct dv_progb *b, const dv_wanted_t *wanted, struct dv_probesrc *ps,
	       struct gi_kernel *k, struct dc *dc, bool verbose, struct dv_err *err);

#endif
