/* SPDX-License-Identifier: GPL-2.0-or-later */
/* buf.h - the principal buffer of one CPU. */
#ifndef DV_BUF_H
#define DV_BUF_H
#include "dv_plat.h"

struct dv_buf {
	uint8_t *half[2];
	uint64_t size;			/* bytes of a half, a multiple of 8 */
	uint64_t limit;			/* of what may be used: less than size in a fill
					   buffer that keeps room for END */
	uint64_t used;			/* of the active half; ring: where to write next */
	uint32_t active;		/* 0 or 1 */
	uint32_t policy;		/* DV_BUFPOLICY_* */
	uint64_t drops;			/* records that did not fit, since creation */
	uint32_t full;			/* fill: a record did not fit */
	uint32_t wrapped;		/* ring: there are records from `oldest` on */
	uint64_t oldest;
	/* ring: a record is about to be overwritten; returns its size, 0: it is none */
	uint64_t (*evict)(void *arg, const uint8_t *rec);
	void *evict_arg;
};

void dv_buf_init(struct dv_buf *b, uint8_t *half0, uint8_t *half1, uint64_t size);

/* What a switch found: the half that is now still. */
struct dv_half { const uint8_t *data; uint64_t len, wrapped; };
void dv_buf_switch(struct dv_buf *b, struct dv_half *ret);

uint8_t *dv_buf_reserve_slow(struct dv_buf *b, uint64_t len);

/*
 * Room for `len` bytes (a multiple of 8), or NULL and one more drop. Nothing
 * is part of the buffer before dv_buf_commit() of the same length.
 */
static inline uint8_t *
dv_buf_reserve(struct dv_buf *b, uint64_t len)
{
	if (len > b->limit - b->used || b->wrapped)
		return dv_buf_reserve_slow(b, len);
	return b->half[b->active] + b->used;
}

/* What was not reserved last is no part of the buffer: a drop. */
static inline void
dv_buf_commit(struct dv_buf *b, uint64_t len)
{
	if (len <= b->limit - b->used)
		b->used += len;
	else
		dv_store_rel64(&b->drops, b->drops + 1);
}

#endif
