/* SPDX-License-Identifier: GPL-2.0-or-later */
/* agg.h - the aggregation buffer of one CPU. */
#ifndef DV_AGG_H
#define DV_AGG_H
#include "dv_plat.h"
#include "dv_prog.h"
#include "dv_rec.h"

struct dv_aggbuf {
	uint8_t *half[2];
	uint64_t size;			/* bytes of a half */
	uint64_t used;
	uint32_t active;
	uint32_t generation;		/* of the active half; slots of others are free */
	uint64_t *slot;			/* generation << 32 | entry offset / 8 */
	uint32_t mask;			/* slots - 1 */
	uint32_t count;			/* slots taken */
	uint64_t drops;
};

/* Slots for a half of `size` bytes: a power of two. */
uint32_t dv_agg_nslots(uint64_t size);

void dv_agg_init(struct dv_aggbuf *b, uint8_t *half0, uint8_t *half1,
		 uint64_t size, uint64_t *slot, uint32_t nslots);
/* Bytes of keys in an entry: up to the value, which is 8-aligned. */
#define DV_AGG_KEYLEN(desc)	(((desc)->keysize + 7) & ~(uint32_t)7)

/*
 * The keys at work: DV_AGG_KEYLEN bytes, 8-aligned. Most of a string key is
 * padding; a hole says where zeros are meant but not written, so that they
 * need not be cleared, hashed and compared at each hit. Holes ascend, are
 * 8-aligned and a multiple of 8 long; before each there is a string's NUL, so
 * that keys which are equal outside of holes have the same holes.
 */
#define DV_AGG_NHOLE	4
struct dv_aggkeys {
	uint8_t *bytes;
	uint32_t nhole;
	struct { uint32_t off, len; } hole[DV_AGG_NHOLE];
};

/* Adds one value; false: no room, counted. */
bool dv_agg_add(struct dv_aggbuf *b, const struct dv_aggdesc *desc, uint32_t aggid,
		uint32_t vm, const struct dv_aggkeys *keys, int64_t val, int64_t incr);
struct dv_half;
void dv_agg_switch(struct dv_aggbuf *b, struct dv_half *ret);

#endif
