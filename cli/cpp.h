/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpp.h - programs go through the C preprocessor first (-C). */
#ifndef DV_CPP_H
#define DV_CPP_H
#include "opts.h"

#include <stddef.h>

/* The text of a program, preprocessed: *ret is malloc'd. */
int  dv_cpp_run(const struct dv_opts *o, const struct dv_program_opt *po, const char *text,
		size_t len, struct dv_err *err, char **ret, size_t *retlen);

#endif
