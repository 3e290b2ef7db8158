/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program.h - what was asked for with -n, -s and the like, compiled. */
#ifndef DV_PROGRAM_H
#define DV_PROGRAM_H
#include "enable.h"
#include "opts.h"
#include "base/str.h"

#include <stdio.h>

struct dv_arena;

/* How firm is what a clause depends on: for each of its descriptions. */
struct dv_stability {
	uint32_t program;		/* which -n or -s */
	const char *desc;		/* the arena's */
	struct dc_attr probe, stmt;
};

struct dv_program {
	struct dc *dc;
	struct dc_types types;
	struct dc_probes probes;
	struct dv_probesrc *ps;
	struct gi_kernel *kernel;	/* borrowed; NULL: no guest */
	struct dv_progb b;
	dv_wanted_t wanted;
	struct dv_str dump;		/* -d: the programs as they were understood */
	DV_VEC(struct dv_stability) stability;
	struct dv_arena *arena;
	uint64_t *matched;		/* per program of the options */
};

/* Are the options of -x as they should be? Asked before a guest is started or opened. */
int  dv_program_check_options(const struct dv_opts *o, struct dv_err *err);

/*
 * Reads and compiles all programs of the options against a guest's kernel
 * (NULL: none). On failure the program must still be closed.
 */
int  dv_program_open(struct dv_program *p, const struct dv_opts *o, struct gi_kernel *k,
		     struct dv_err *err);
/* Compiled without a guest: does it name probes that fire only on one's vCPUs? err says so. */
int  dv_program_needs_guest(struct dv_program *p, bool *ret, struct dv_err *err);
/* Probes and sites: makes the enabling. */
int  dv_program_enable(struct dv_program *p, const struct dv_opts *o, struct dv_err *err);
/* -S, -x verbose */
bool dv_program_wants_listing(const struct dv_program *p, const struct dv_opts *o);
void dv_program_close(struct dv_program *p);

/*
 * "script 'x' matched N probes" lines, as dtrace(1) prints them unless quiet;
 * with -v the stability of each clause and with -d the programs, into `out`.
 */
void dv_program_report(const struct dv_program *p, const struct dv_opts *o, FILE *out);
/* "Identifier Names: Stable" and its kin, three lines. */
void dv_attr_print(FILE *out, const char *title, struct dc_attr a);

#endif
