/* SPDX-License-Identifier: GPL-2.0-or-later */
/* var.h - variables of a D program; `v` is an index into lvars. */
#ifndef DV_VAR_H
#define DV_VAR_H
#include "mstate.h"

uint64_t dv_global_load(struct dv_mstate *ms, uint32_t v);
void dv_global_store(struct dv_mstate *ms, uint32_t v, uint64_t val);
uint64_t dv_local_load(struct dv_mstate *ms, uint32_t v);
void dv_local_store(struct dv_mstate *ms, uint32_t v, uint64_t val);

/* Thread-locals and associative arrays; the key is the tuple stack, flushed. */
uint64_t dv_dyn_load(struct dv_mstate *ms, uint32_t v);
void dv_dyn_store(struct dv_mstate *ms, uint32_t v, uint64_t val);

/* Copies a by-reference value of a variable of `size` bytes to dst. */
struct dv_lvar;
int dv_ref_copy(struct dv_mstate *ms, const struct dv_lvar *v, uint8_t *dst,
		uint64_t from);

/* pid and such of a task; 0 if this guest has no such field. */
int dv_task_u32(struct dv_mstate *ms, uint64_t task, uint32_t off, uint64_t *ret);

#endif
