/* SPDX-License-Identifier: GPL-2.0-or-later */
/* msg.h - lines for the user on stderr, all with the prefix "dvisor: ". */
#ifndef DV_MSG_H
#define DV_MSG_H
#include "base/err.h"

void dv_msg(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Prints err's text; returns the exit status it means: 2 for usage, else 1. */
int  dv_msg_err(const struct dv_err *err);

#endif
