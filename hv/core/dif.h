/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dif.h - checks a DIFO, then runs it as often as its probe fires. */
#ifndef DV_CORE_DIF_H
#define DV_CORE_DIF_H
#include "mstate.h"

struct dv_state;
struct dv_reason;

/* Opcodes that only linking makes (dif_check.c): LDGS and LDGA of built-ins. */
enum { DV_OP_LDB = 128, DV_OP_LDARG, DV_OP_LDREG, DV_OP_LDUREG };

/*
 * Checks DIFO `i` and writes its linked text to `text`. `work` has at least
 * DIF_MAXTEXT bytes. s->prog, s->lvars are ready; varmap finds variables.
 */
struct dv_varmap;
int dv_dif_check(const struct dv_state *s, const struct dv_varmap *map, uint32_t i,
		 uint32_t *text, int8_t *work, struct dv_reason *why);

/* Where variables are found while linking: [scope][id - DIF_VAR_USER], + 1. */
struct dv_varmap {
	uint16_t *index[3];
	uint32_t nids;
};

/* Bytes that a key of any of the program's dynamic variables can have. */
uint64_t dv_dif_keyroom(const struct dv_prog *p, uint64_t strsize);

/* Runs a DIFO. On a fault ms->fault is set and the value means nothing. */
uint64_t dv_dif_run(struct dv_mstate *ms, uint32_t difo);

/* A subroutine; its arguments are ms->tup[0..ntup). (dif_subr.c) */
uint64_t dv_subr(struct dv_mstate *ms, uint32_t subr);
/* Why a subroutine is refused, or NULL; least number of its arguments. */
const char *dv_subr_refused(uint32_t subr);
int dv_subr_args(uint32_t subr, unsigned *min, unsigned *max, const char **name);

/* A built-in variable. (var.c) */
uint64_t dv_builtin(struct dv_mstate *ms, uint32_t id);
const char *dv_builtin_refused(uint32_t id, const char **name);

#endif
