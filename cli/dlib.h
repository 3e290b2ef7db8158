/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dlib.h - the D library: files of declarations that every program has. */
#ifndef DV_DLIB_H
#define DV_DLIB_H
#include "opts.h"
#include "dcomp/dcomp.h"

/* Reads the system's library folder, or -x syslibdir, and those of -L. */
int  dv_dlib_load(struct dc *dc, const struct dv_opts *o, struct dv_err *err);

#endif
