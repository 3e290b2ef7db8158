/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.h - what check.c, checkop.c and subr.c share.
 */
#ifndef DCOMP_CHECK_H
#define DCOMP_CHECK_H
#include "impl.h"

#define BAD(c, n, tag, ...) \
	do { dc_error(c, (n)->loc, tag, __VA_ARGS__); return ck_fail(c, n); } while (0)

/* check.c */
struct node *ck_fail(struct dc *c, struct node *n);
struct node *ck_done(struct dc *c, struct node *n, struct type *t);
struct node *ck_const(struct dc *c, struct node *n, uint64_t v, struct type *t);
const char *ck_name(struct dc *c, const struct node *n);	/* as written: self->x */
struct node *ck_bound(struct dc *c, const struct node *n);	/* by an inline or translator */
void ck_list(struct dc *c, struct node *n);	/* its arguments or keys */
struct node *ck_var(struct dc *c, struct node *n, struct ident *id);
struct node *ck_ident(struct dc *c, struct node *n);
struct node *ck_sym(struct dc *c, struct node *n, bool addr_only);
struct node *ck_index(struct dc *c, struct node *n, struct type *first);

/* subr.c */
struct node *ck_subr(struct dc *c, struct node *n, struct ident *id);

/* checkop.c */
struct node *ck_op1(struct dc *c, struct node *n);
struct node *ck_op2(struct dc *c, struct node *n);
struct node *ck_cond(struct dc *c, struct node *n);
struct node *ck_cast(struct dc *c, struct node *n);
#endif
