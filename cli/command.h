/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.h - the host command of -c: waits for the trace, ends it. */
#ifndef DV_COMMAND_H
#define DV_COMMAND_H
#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct dv_command {
	pid_t pid;			/* 0: none, or it has ended */
	int gate;			/* it starts when a byte comes */
};

/* Starts a shell that waits. DV_E_NOENT: there is no such command. */
int  dv_command_start(const char *text, struct dv_err *err, struct dv_command *ret);
int  dv_command_go(struct dv_command *c);
bool dv_command_ended(struct dv_command *c);
/* Ends it if it still runs. */
void dv_command_stop(struct dv_command *c);

#endif
