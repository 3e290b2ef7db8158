/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dynvar.h - the pool of thread-local variables and associative arrays. */
#ifndef DV_DYNVAR_H
#define DV_DYNVAR_H
#include "dv_plat.h"

/*
 * A chunk's header; chunks are named by index + 1, 0 is none. A line of its own:
 * the thread that it belongs to writes it at each assignment.
 */
struct dv_dynhdr {
	_Alignas(64) uint32_t next;	/* in its bucket's chain; atomic */
	uint32_t state;			/* enum dv_dynstate; atomic */
	uint32_t hash;
	uint32_t klen;			/* bytes of key */
	uint64_t val;			/* by-value; atomic */
	uint32_t dirty;			/* next in the dirty list */
	uint32_t listed;		/* 1: in the dirty list; atomic */
	uint32_t free;			/* next in the free list, or in the cleaner's */
	uint32_t pad;
};

/* The free chunks of one CPU's share: count << 32 | chunk, a stack; atomic. */
struct dv_dynfree {
	_Alignas(64) uint64_t head;
};

struct dv_dynpool {
	struct dv_dynhdr *hdr;
	uint32_t *bucket;		/* heads of chains; atomic */
	uint8_t *data;			/* per chunk: key, then by-reference value */
	uint32_t nchunks, mask;		/* mask: buckets - 1 */
	uint32_t keyroom, stride;	/* bytes */
	struct dv_dynfree *free;	/* per CPU */
	uint32_t ncpu, share;		/* chunks of each CPU, the last may have fewer */
	_Alignas(64) uint64_t dirty;	/* count << 32 | chunk: freed, not yet cleaned; atomic */
	uint32_t nrinsing;		/* atomic */
	/* control side alone */
	uint32_t rinsing;		/* unlinked, waiting for every CPU to pass its gate */
};

struct dv_dynplan { uint32_t nchunks, nbuckets, keyroom, stride; };
/* `more`: chunks beside those that dynvarsize is for. */
void dv_dyn_plan(uint64_t dynvarsize, uint64_t keyroom, uint64_t valroom,
		 uint64_t more, struct dv_dynplan *ret);
void dv_dyn_init(struct dv_dynpool *p, const struct dv_dynplan *plan,
		 struct dv_dynhdr *hdr, uint32_t *bucket, uint8_t *data,
		 struct dv_dynfree *free, uint32_t ncpu);

/* Cleaning in two steps; between them every CPU must pass its gate. CONTROL. */
bool dv_dyn_unlink(struct dv_dynpool *p);	/* is there something to release? */
void dv_dyn_release(struct dv_dynpool *p);

#endif
