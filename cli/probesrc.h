/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probesrc.h - all probes that a program can name, whoever provides them. */
#ifndef DV_PROBESRC_H
#define DV_PROBESRC_H
#include "dcomp/dcomp.h"
#include "guest-introspect/gi.h"
#include "base/vec.h"

/*
 * Probes have a number, dense from 0; id = number + 1. First dtrace's own
 * (BEGIN END ERROR), then the profile provider's usual rates, then the guest's
 * (introspection's index + DV_PROBE_GUEST), then rates made on demand.
 */
struct dv_probesrc;			/* private to probesrc.c */

struct dv_probe_view {
	const char *prov, *mod, *func, *name;	/* borrowed */
	uint32_t num, flags;
	bool guest;			/* introspection's `index` */
	uint32_t index;
	bool timer;			/* profile's */
	bool allvcpu;			/* profile-n, not tick-n */
	uint64_t period;		/* ns */
	const char *why_not;
};

/* k may be NULL: dtrace and profile probes only. */
int  dv_probesrc_create(struct gi_kernel *k, struct dv_err *err, struct dv_probesrc **ret);
void dv_probesrc_destroy(struct dv_probesrc *ps);

size_t dv_probesrc_count(const struct dv_probesrc *ps);
void dv_probesrc_get(const struct dv_probesrc *ps, uint32_t num, struct dv_probe_view *ret);

/* Numbers of the probes that match, ascending; appended to ret. */
typedef DV_VEC(uint32_t) dv_probenums_t;
int  dv_probesrc_match(struct dv_probesrc *ps, const struct dc_pdesc *d,
		       dv_probenums_t *ret, struct dv_err *err);

/* Might a guest have probes that match? It has none with names of ours. */
bool dv_probesrc_guests(const struct dv_probesrc *ps, const struct dc_pdesc *d);

/* The compiler's view of it. */
void dv_probesrc_init(struct dc_probes *ret, struct dv_probesrc *ps);

#endif
