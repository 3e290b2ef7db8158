/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opts.h - what was typed. */
#ifndef DV_OPTS_H
#define DV_OPTS_H
#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>

/* One program: -n TEXT, -s FILE, or -P -m -f -i, in the order given. */
struct dv_program_opt {
	enum dv_program_kind {
		DV_PROG_TEXT,		/* -n, -P, -m, -f, -i: text is a specifier */
		DV_PROG_FILE		/* -s: text is a path */
	} kind;
	char *text;			/* owned */
};

struct dv_xopt { char *name, *value; };	/* value NULL: present */

enum dv_mode { DV_MODE_TRACE, DV_MODE_COMPILE, DV_MODE_LIST };

struct dv_opts {
	enum dv_mode mode;
	DV_VEC(struct dv_program_opt) programs;
	DV_VEC(struct dv_xopt) xopts;
	DV_VEC(char *) vms;		/* --vm SPEC */
	DV_VEC(char *) cppargs;		/* -D -U -I -H, as cpp takes them */
	DV_VEC(char *) qemu_args;	/* after -- */
	DV_VEC(char *) args;		/* $1.. */
	char *output;			/* -o */
	char *profile;			/* --profile */
	char *kernel, *initrd, *append;	/* --boot's */
	char *command;			/* -c */
	char *pid;			/* -p, text */
	struct dv_command *child;	/* of -c, borrowed */
	uint64_t target;		/* $target: of -p or -c; 0: none */
	bool sugar;			/* -d: show programs as they were understood */
	bool boot, quiet, flowindent, listing, verbose, destructive, zdefs, cpp;
	bool version;
};

/*
 * Parses the command line of a trace. 0, or DV_E_USAGE with err filled; help
 * was asked for: 1. All strings are copies; dv_opts_fini frees them.
 */
int  dv_opts_parse(struct dv_opts *o, int argc, char **argv, struct dv_err *err);
void dv_opts_fini(struct dv_opts *o);
void dv_opts_usage(void);

#endif
