/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subr_impl.h - what the files of subroutines share (dif_subr.c has the theory).
 *
 * Each subroutine returns its value; with a fault in ms, which ends the clause,
 * the value means nothing. A string it returns lies in scratch.
 */
#ifndef DV_SUBR_IMPL_H
#define DV_SUBR_IMPL_H
#include "load.h"
#include "state_impl.h"

#define ARG(n)	(ms->tup[n].val)

/* A string argument, valid during the call; it may lack its NUL. */
struct dv_substr { const char *p; size_t n; };

/* Argument `arg`, held in tmp[slot] if it is the guest's. false: fault. */
bool dv_subr_str(struct dv_mstate *ms, unsigned arg, unsigned slot, struct dv_substr *ret);
/* Room in scratch for a string of n bytes, terminated. NULL: fault. */
char *dv_subr_new(struct dv_mstate *ms, size_t n, uint64_t *addr);
/* A copy of s, cut to strsize - 1 bytes. 0: fault. */
uint64_t dv_subr_ret(struct dv_mstate *ms, const char *s, size_t n);
uint64_t dv_subr_illop(struct dv_mstate *ms);

/* subr_str.c */
uint64_t dv_sub_strlen(struct dv_mstate *ms);
uint64_t dv_sub_strjoin(struct dv_mstate *ms);
uint64_t dv_sub_lltostr(struct dv_mstate *ms);
uint64_t dv_sub_strtoll(struct dv_mstate *ms);
uint64_t dv_sub_strchr(struct dv_mstate *ms, bool last);
uint64_t dv_sub_strstr(struct dv_mstate *ms);
uint64_t dv_sub_index(struct dv_mstate *ms);
uint64_t dv_sub_rindex(struct dv_mstate *ms);
uint64_t dv_sub_substr(struct dv_mstate *ms);
uint64_t dv_sub_strtok(struct dv_mstate *ms);
uint64_t dv_sub_case(struct dv_mstate *ms, char from, char to);
uint64_t dv_sub_memstr(struct dv_mstate *ms);

/* subr_path.c */
uint64_t dv_sub_basename(struct dv_mstate *ms);
uint64_t dv_sub_dirname(struct dv_mstate *ms);
uint64_t dv_sub_cleanpath(struct dv_mstate *ms);

/* subr_dpath.c */
uint64_t dv_sub_d_path(struct dv_mstate *ms);

/* subr_net.c */
uint64_t dv_sub_inet(struct dv_mstate *ms, uint64_t at, bool six);
uint64_t dv_sub_inet_ntop(struct dv_mstate *ms);
uint64_t dv_sub_link_ntop(struct dv_mstate *ms);

/* subr_json.c */
uint64_t dv_sub_json(struct dv_mstate *ms);

#endif
