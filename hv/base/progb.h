/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progb.h - puts an enabling together: the sections of dv_prog.h as growable
 * arrays, made flat at the end.
 *
 * The compiler appends clauses, actions, DIFOs, variables, aggregations; the
 * command appends probes, ECBs, sites, rules, timers. Whoever appends uses the
 * vectors directly; strings go through dv_progb_str(), which keeps one copy of
 * each.
 */
#ifndef DV_PROGB_H
#define DV_PROGB_H
#include "abi/dv_prog.h"
#include "abi/dv_layout.h"
#include "abi/dv_unwind.h"
#include "err.h"
#include "hash.h"
#include "str.h"
#include "vec.h"

struct dv_progb {
	struct dv_str strs;
	struct dv_smap *strmap;
	DV_VEC(uint32_t) text;
	DV_VEC(uint64_t) ints;
	struct dv_str difstrs;
	DV_VEC(struct dv_var) vars;
	DV_VEC(struct dv_difo) difos;
	DV_VEC(struct dv_aggdesc) aggs;
	DV_VEC(struct dv_act) acts;
	DV_VEC(struct dv_clause) clauses;
	DV_VEC(struct dv_probe) probes;
	DV_VEC(struct dv_ecbdesc) ecbs;
	DV_VEC(struct dv_argset) argsets;
	DV_VEC(struct dv_rule) rules;
	DV_VEC(uint32_t) select;
	DV_VEC(struct dv_site) sites;
	DV_VEC(struct dv_timer) timers;
	DV_VEC(struct dv_start) starts;
	struct dv_layout layout;	/* left out unless .present */
	struct dv_unwind unwind;	/* left out if its kind is NONE */
	uint64_t opts[DV_NOPT];
	uint32_t vm;
	uint32_t vmname;
	uint64_t target;
	uint32_t host_pid, host_ppid, host_uid, host_gid;	/* dvisor's own */
	uint32_t host_execname;		/* string */
	bool failed;			/* out of memory somewhere; finish() tells */
};

/* All empty; options at their defaults (opts.def). 0 or DV_E_NOMEM. */
int  dv_progb_init(struct dv_progb *b);
void dv_progb_fini(struct dv_progb *b);

/* Offset of a string in DV_SEC_STRS (0 is always ""). Sets failed when out of memory. */
uint32_t dv_progb_str(struct dv_progb *b, const char *s);
const char *dv_progb_strat(const struct dv_progb *b, uint32_t off);

/* The flat blob, malloc'd (the caller frees); 8-aligned. */
int  dv_progb_finish(struct dv_progb *b, struct dv_err *err, void **blob, size_t *len);

#endif
