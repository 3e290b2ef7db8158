/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vec.h - a growable array of any type.
 *
 *	DV_VEC(struct sym) syms = {0};
 *
 *	if (dv_vec_push(&syms, sym) != 0)
 *		return dv_err_nomem(err);
 *	for (i = 0; i < syms.n; i++)
 *		use(&syms.v[i]);
 *	dv_vec_fini(&syms);
 *
 * All zero is a valid empty one. A push may move the elements.
 */
#ifndef DV_VEC_H
#define DV_VEC_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"

/* The type may hold commas, as that of a struct defined in place. */
#define DV_VEC(...)	struct { __VA_ARGS__ *v; size_t n, cap; }

/* Adds a copy of ITEM. Evaluates VEC more than once. 0 or DV_E_NOMEM. */
#define dv_vec_push(vec, ...)						\
	(dv_vec_reserve((vec), 1) != 0 ? DV_E_NOMEM :			\
	    ((void)((vec)->v[(vec)->n++] = (__VA_ARGS__)), 0))

/* Makes room for MORE further elements. 0 or DV_E_NOMEM. */
#define dv_vec_reserve(vec, more)					\
	dv_vec_grow(&(vec)->v, &(vec)->cap, (vec)->n, (more),		\
	    sizeof(*(vec)->v))

/* Frees the array, not what its elements point to. */
#define dv_vec_fini(vec)						\
	(free((vec)->v), (void)((vec)->v = NULL),			\
	    (void)((vec)->n = (vec)->cap = 0))

/* PV is the address of a pointer to elements of SIZE bytes. */
static inline int
dv_vec_grow(void *pv, size_t *cap, size_t n, size_t more, size_t size)
{
	size_t want = *cap != 0 ? *cap : 8;
	void *v;

	if (more <= *cap - n)
		return 0;
	if (more > SIZE_MAX / 4 / size - n)
		return DV_E_NOMEM;
	while (want < n + more)
		want *= 2;
	memcpy(&v, pv, sizeof(v));
	if ((v = realloc(v, want * size)) == NULL)
		return DV_E_NOMEM;
	memcpy(pv, &v, sizeof(v));
	*cap = want;
	return 0;
}

#endif
