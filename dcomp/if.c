/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * if.c - a clause with `if` becomes several clauses.
 *
 * DIF has no jumps between actions, so a clause with `if` becomes several,
 * with the same probes, run one after the other:
 *
 *	P { a; if (x) b; else c; d; }
 *
 *	0:           fault = 0, run = 0, each condition = 0
 *	1: P         run = 1
 *	2: run       fault = 1; a; condition = x ? 1 : 2; fault = 0
 *	3: cond == 1 fault = 1; b; fault = 0
 *	4: cond == 2 fault = 1; c; fault = 0
 *	5: run       fault = 1; d; fault = 0
 *
 * where 2 to 5 also ask for fault == 0, so that a fault ends them all. The
 * hidden variables are this-> variables with names that D cannot spell.
 */
#include "act_impl.h"

static struct ident *
hidden(struct seg *s, const char *what)
{
	struct ident *id = id_add(s->c, SC_THIS, dc_fmt(s->c, "?%s%u", what, s->c->ncond++),
	    ID_VAR, s->cl->loc);

	id->type = s->c->t_int;
	return id;
}

static struct node *
hvar(struct seg *s, struct ident *id)
{
	struct node *n = nd(s->c, N_VAR, s->cl->loc);

	n->id = id;
	n->scope = SC_THIS;
	n->type = id->type;
	n->flags = NF_CHECKED | NF_LVAL;
	n->regs = 1;
	return n;
}

static void
hset(struct seg *s, struct ident *id, struct node *v)
{
	act_expr(s, ck(s->c, nd_op2(s->c, OP_ASGN, s->cl->loc, hvar(s, id), v)));
}

static struct node *
hint(struct seg *s, uint64_t v)
{
	return nd_int(s->c, s->cl->loc, v, s->c->t_int);
}

/* fault == 0 && id == v */
static struct node *
hpred(struct seg *s, struct ident *id, uint64_t v)
{
	struct dc *c = s->c;
	struct loc l = s->cl->loc;

	return ck(c, nd_op2(c, OP_LAND, l,
	    nd_op2(c, OP_EQ, l, hvar(s, s->fault), hint(s, 0)),
	    nd_op2(c, OP_EQ, l, hvar(s, id), hint(s, v))));
}

/* `conds` gets the hidden variable of each if, in order. */
struct conds {
	DV_VEC(struct ident *) v;
	size_t next;
};

static void
count_ifs(struct seg *s, struct node *n, struct conds *cs)
{
	for (; n != NULL && !s->c->bad; n = n->next) {
		if (n->kind == N_IF) {
			if (dv_vec_push(&cs->v, hidden(s, "if")) != 0)
				dc_nomem(s->c);
			if (n->b != NULL)
				count_ifs(s, n->b->kind == N_BLOCK ? n->b->list : n->b, cs);
			if (n->c != NULL)
				count_ifs(s, n->c->kind == N_BLOCK ? n->c->list : n->c, cs);
		} else if (n->kind == N_BLOCK)
			count_ifs(s, n->list, cs);
	}
}

bool
has_if(const struct node *n)
{
	for (; n != NULL; n = n->next)
		if (n->kind == N_IF || (n->kind == N_BLOCK && has_if(n->list)))
			return true;
	return false;
}

static void
part_begin(struct seg *s, struct ident *id, uint64_t v)
{
	seg_begin(s, hpred(s, id, v));
	hset(s, s->fault, hint(s, 1));
}

static void
part_end(struct seg *s)
{
	hset(s, s->fault, hint(s, 0));
	seg_end(s, false);
}

/* Statements that run while id == v; *open: a part has begun. */
static void
split(struct seg *s, struct node *n, struct ident *id, uint64_t v, struct conds *cs, bool *open)
{
	struct dc *c = s->c;
	struct ident *cond;
	struct node *e;
	uint32_t before, after;
	bool inner;

	for (; n != NULL && !c->bad; n = n->next) {
		if (n->kind == N_BLOCK && has_if(n->list)) {
			split(s, n->list, id, v, cs, open);
			continue;
		}
		if (!*open) {
			part_begin(s, id, v);
			*open = true;
		}
		if (n->kind != N_IF) {
			act_stmt(s, n);
			continue;
		}
		cond = cs->v.v[cs->next++];
		e = act_arg(s, n->a);
		if (c->bad)
			return;
		if (e->kind == N_XLATE || !ty_is_scalar(e->type)) {
			dc_error(c, n->a->loc, D_PRED_SCALAR,
			    "condition of if must be of scalar type, not %s",
			    ty_name(c, e->type));
			return;
		}
		hset(s, cond, nd_op3(c, n->loc, e, hint(s, 1), hint(s, 2)));
		part_end(s);
		*open = false;
		before = c->clflags;
		inner = false;
		split(s, n->b, cond, 1, cs, &inner);
		if (inner)
			part_end(s);
		after = c->clflags;
		if (n->c != NULL) {
			c->clflags = before;
			inner = false;
			split(s, n->c, cond, 2, cs, &inner);
			if (inner)
				part_end(s);
			c->clflags |= after;
		}
	}
}

void
act_ifs(struct seg *s, struct node *pred, struct node *list)
{
	struct conds cs = { .next = 0 };
	bool open = false;
	size_t i;

	s->run = hidden(s, "run");
	s->fault = hidden(s, "fault");
	count_ifs(s, list, &cs);
	seg_begin(s, NULL);
	hset(s, s->fault, hint(s, 0));
	hset(s, s->run, hint(s, 0));
	for (i = 0; i < cs.v.n; i++)
		hset(s, cs.v.v[i], hint(s, 0));
	seg_end(s, false);
	seg_begin(s, pred);
	hset(s, s->run, hint(s, 1));
	seg_end(s, false);
	split(s, list, s->run, 1, &cs, &open);
	if (open)
		part_end(s);
	dv_vec_fini(&cs.v);
}

