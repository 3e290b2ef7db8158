/* SPDX-License-Identifier: GPL-2.0-or-later */
/* buf.h - the principal buffer of one CPU. */
#ifndef DV_BUF_H
#define DV_BUF_H
#include "dv_plat.h"

struct dv_buf {
	uint8_t *half[2];
	uint64_t size;			/* bytes of a half, a multiple of 8 */
	uint64_t used;			/* of the active half */
	uint32_t active;		/* 0 or 1 */
	uint32_t pad;
	uint64_t drops;			/* records that did not fit, since creation */
};

void dv_buf_init(struct dv_buf *b, uint8_t *half0, uint8_t *half1, uint64_t size);

/* What a switch found: the half that is now still. */
struct dv_half { const uint8_t *data; uint64_t len; };
void dv_buf_switch(struct dv_buf *b, struct dv_half *ret);

/*
 * Room for `len` bytes (a multiple of 8), or NULL and one more drop. Nothing
 * is part of the buffer before dv_buf_commit() of the same length.
 */
static inline uint8_t *
dv_buf_reserve(struct dv_buf *b, uint64_t len)
{
	if (len > b->size - b->used) {
		dv_store_rel64(&b->drops, b->drops + 1);
		return NULL;
	}
	return b->half[b->active] + b->used;
}

static inline void
dv_buf_commit(struct dv_buf *b, uint64_t len)
{
	b->used += len;
}

#endif
