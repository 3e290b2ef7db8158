/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.h - an enabling runs: load, go, drain, print, stop. */
#ifndef DV_RUN_H
#define DV_RUN_H
#include "program.h"
#include "vm.h"

/*
 * Runs a compiled and enabled program on a channel until exit(), a signal, the
 * end of the guest or of -c's command. *status: the command's exit status.
 * guest_end_ok: the guest's end is a normal end (--boot).
 */
int  dv_run(struct dv_program *p, struct dv_vm *vm, const struct dv_opts *o,
	    bool guest_end_ok, int *status, struct dv_err *err);

/* SIGINT, SIGTERM, SIGHUP ask for an orderly end. Call once, early. */
void dv_run_catch_signals(void);
bool dv_run_interrupted(void);

#endif
