/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prog.h - bytes of a blob into a checked view; used by the consumer, too. */
#ifndef DV_CORE_PROG_H
#define DV_CORE_PROG_H
#include "dv_prog.h"
#include "dv_layout.h"
#include "dv_unwind.h"

struct dv_reason;			/* state.h */

/*
 * Checks everything about a blob but the instructions of its DIFOs: header,
 * sections, indices, order, strings, record layouts, rules, options. On
 * success `ret` points into the blob. 0, or -1 with the reason.
 */
int dv_prog_view(const void *blob, size_t len, struct dv_prog *ret,
		 struct dv_reason *why);

/* An option's value, or its default where it is unset. */
uint64_t dv_prog_opt(const struct dv_prog *p, enum dv_opt opt);

/* Bytes in a principal buffer of the record of a clause. */
static inline uint64_t
dv_prog_recsize(const struct dv_clause *c)
{
	return 16 + (((uint64_t)c->record_size + 7) & ~(uint64_t)7);
}

/* Fills in one line; always -1. %s %u %x %llu %llx %%. */
__attribute__((format(printf, 2, 3)))
int dv_refuse(struct dv_reason *why, const char *fmt, ...);

#endif
