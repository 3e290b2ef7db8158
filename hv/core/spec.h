/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spec.h - speculations: states shared by all CPUs, buffers of each. */
#ifndef DV_SPEC_H
#define DV_SPEC_H
#include "dv_plat.h"

struct dv_state;
struct dv_cpu;
struct dv_mstate;

struct dv_spec {
	_Alignas(64) uint64_t word;	/* state | CPU << 8 (spec.c); atomic */
	uint64_t time;			/* of the commit; set before COMMITTINGMANY */
	uint32_t cleaning;		/* control side: this pass will finish it */
	uint32_t pad;
};

/* One CPU's part of a speculation; under that CPU's gate. */
struct dv_sbuf {
	uint8_t *mem;
	uint64_t used;
};

/* speculation(): an id, or 0, counted. */
uint32_t dv_spec_alloc(struct dv_mstate *ms);

enum dv_spec_result { DV_SPEC_OK, DV_SPEC_REFUSED, DV_SPEC_FULL };
/*
 * speculate(): room for a record in this CPU's part of `id`, to be committed
 * by adding `need` to (*ret)->used. REFUSED: inactive or busy, silently. FULL
 * is counted. The id is at most nspec (checked by ecb.c).
 */
enum dv_spec_result dv_spec_reserve(struct dv_mstate *ms, uint64_t id, uint64_t need,
				    struct dv_sbuf **ret);
void dv_spec_commit(struct dv_mstate *ms, uint64_t id);
void dv_spec_discard(struct dv_mstate *ms, uint64_t id);

/* Time of the oldest commit whose parts are not all copied yet, or ~0. */
uint64_t dv_spec_pending(const struct dv_state *s);

/* Cleaning: begin, then every CPU under its gate, then end. CONTROL. */
bool dv_spec_clean_begin(struct dv_state *s);	/* is there work? */
void dv_spec_clean_cpu(struct dv_state *s, struct dv_cpu *cpu);
void dv_spec_clean_end(struct dv_state *s);

#endif
