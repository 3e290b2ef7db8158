/* SPDX-License-Identifier: GPL-2.0-or-later */
/* act_impl.h - what the files that make clauses and actions share. */
#ifndef DCOMP_ACT_IMPL_H
#define DCOMP_ACT_IMPL_H
#include "impl.h"

/* One clause of the program that comes out. */
struct seg {
	struct dc *c;
	const struct dc_source *src;
	struct clause *cl;
	struct node *pred;		/* checked, or NULL */
	uint32_t act;			/* its first action */
	uint32_t off;			/* bytes of the record so far */
	bool records, speculates, commits;
	/* if */
	struct ident *run, *fault;
};

/* field.c */
struct dv_act *act_add(struct seg *s, uint32_t kind);
struct dv_dtype act_dtype(struct dc *c, struct type *t);
void act_place(struct dv_act *a, uint32_t *off);
void act_value(struct seg *s, struct node *n, struct type *as, uint32_t *off);

/* act.c */
void act_stmt(struct seg *s, struct node *n);
void act_expr(struct seg *s, struct node *n);
bool act_available(struct dc *c, struct node *n);
bool act_nargs(struct seg *s, struct node *n, uint32_t min, uint32_t max, enum dc_tag tag);
struct node *act_arg(struct seg *s, struct node *k);
struct node *act_int(struct seg *s, struct node *n, struct node *k, unsigned i, enum dc_tag tag);

/* print.c */
void act_printf(struct seg *s, struct node *n);
void act_printa(struct seg *s, struct node *n);

/* typetext.c */
void act_print(struct seg *s, struct node *n);

/* agg.c */
struct agg *agg_arg(struct seg *s, struct node *n, struct node *k, enum dc_tag notagg,
    enum dc_tag none);
void act_agg(struct seg *s, struct node *n);
void act_onagg(struct seg *s, struct node *n);

/* clause.c */
void seg_begin(struct seg *s, struct node *pred);
void seg_end(struct seg *s, bool empty);

/* if.c */
void act_ifs(struct seg *s, struct node *pred, struct node *list);
#endif
