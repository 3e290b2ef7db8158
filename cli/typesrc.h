/* SPDX-License-Identifier: GPL-2.0-or-later */
/* typesrc.h - a guest's BTF and symbols as the compiler's type source. */
#ifndef DV_TYPESRC_H
#define DV_TYPESRC_H
#include "dcomp/dcomp.h"
#include "guest-introspect/gi.h"

/* Fills `ret` with functions over k, which must outlive it. */
void dv_typesrc_init(struct dc_types *ret, struct gi_kernel *k);

#endif
