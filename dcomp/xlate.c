/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlate.c - inlines, translators and args[].
 *
 * An inline is a text with a name: each use checks a copy of its raw tree.
 * A translator has such a text per member of its output type. `xlate<T>(e)`
 * is a node of type T with no value of its own; asking it for a member gives
 * a copy of that member's text in which the input's name stands for e. So only
 * what a program asks for is computed.
 *
 * args[i] is raw argument `map`, typed as the probe source says, or a
 * translation of it. Nothing here knows any provider.
 *
 * A library's texts are checked only when they are used, since a guest may
 * lack what some of them name; the error is then told at the use.
 */
#include "impl.h"

/* Checks a copy of a text whose names are bound by f. */
static struct node *
instantiate(struct dc *c, const struct node *text, struct frame *f, struct node *at,
    bool lib, const char *what)
{
	struct frame *old = c->frame;
	bool old_at = c->at;
	struct node *n, *copy;

	if (c->inline_depth >= MAX_INLINE) {
		dc_error(c, at->loc, D_UNKNOWN, "inlines and translators are nested too deeply");
		return at;
	}
	if (lib && !c->at) {
		c->at = true;
		c->at_loc = at->loc;
		c->at_what = what;
	}
	c->copy_lib = lib;
	c->copy_loc = at->loc;
	copy = nd_copy(c, text);
	c->copy_lib = false;
	c->inline_depth++;
	c->frame = f;
	n = ck(c, copy);
	c->frame = old;
	c->inline_depth--;
	c->at = old_at;
	return n;
}

static struct node *
cast_to(struct dc *c, struct node *n, struct type *t)
{
	struct node *r;

	if (c->bad || n->kind == N_XLATE || ty_same(n->type, t) ||
	    ty_base(t)->kind == T_ARRAY || ty_is_sou(t))
		return n;
	r = nd(c, ty_is_string(t) ? N_STRINGOF : N_CAST, n->loc);
	r->type = t;
	r->a = n;
	if (r->kind == N_STRINGOF && (n->kind == N_INT || ty_is_string(n->type)))
		return n;
	return ck(c, r);
}

/* A use of inline id at node `at`, whose list are its parameters, if any. */
struct node *
xl_inline(struct dc *c, struct ident *id, struct node *at)
{
	struct frame *f = NULL, *g;
	struct node *k, *n;
	struct dparm *p;
	uint32_t i = 1;

	if (id->assoc) {
		if (at->len != id->nkeys) {
			dc_error(c, at->loc, D_PROTO_LEN, "%s takes %u parameters, not %u",
			    id->name, id->nkeys, at->len);
			return at;
		}
		for (p = id->parms, k = at->list; p != NULL; p = p->next, k = k->next, i++) {
			if (!ck_argcompat(c, p->type, k)) {
				dc_error(c, k->loc, D_PROTO_ARG, "%s: parameter #%u has type %s, "
				    "which does not fit %s", id->name, i, ty_name(c, k->type),
				    ty_name(c, p->type));
				return at;
			}
			g = dc_alloc(c, sizeof(*g));
			g->name = p->name;
			g->value = ck_convert(c, k, p->type);
			g->next = f;
			f = g;
		}
	}
	if (id->at_work) {
		dc_error(c, at->loc, D_IDENT_UNDEF, "failed to resolve %s: an inline cannot refer "
		    "to itself", id->name);
		return at;
	}
	id->at_work = true;
	n = instantiate(c, id->expr, f, at, id->lib, id->name);
	id->at_work = false;
	if (c->bad)
		return n;
	if (id->lib && n->kind != N_XLATE)
		ck_assignable(c, id->type, n, at->loc);
	if (n->kind == N_XLATE && !ty_same(n->type, id->type))
		dc_error(c, at->loc, D_OP_INCOMPAT, "inline %s has type %s, not %s", id->name,
		    ty_name(c, id->type), ty_name(c, n->type));
	return c->bad ? n : cast_to(c, n, id->type);
}

/* Does a member's expression of type `from` fit a member of type `to`? */
bool
xl_compat(struct dc *c, struct type *to, struct type *from)
{
	(void)c;
	if (ty_is_strlike(to) && ty_is_strlike(from))
		return true;
	if (ty_is_scalar(to) && ty_is_scalar(from))
		return true;
	return ty_same(to, from);
}

/* The translator to struct dst from a value of type src; NULL: there is none. */
struct xlator *
xl_find(struct dc *c, struct type *dst, struct type *src, struct loc l)
{
	struct type *s = ty_decay(c, src), *x;
	struct xlator *xl, *near = NULL, *broken = NULL;

	for (xl = c->xlators; xl != NULL; xl = xl->next) {
		if (!ty_same(xl->dst, dst))
			continue;
		x = ty_decay(c, xl->src);
		if (ty_same(x, s) && xl->why == NULL)
			return xl;
		if (ty_same(x, s))
			broken = xl;
		if (xl->why != NULL)
			continue;
		/* Next best: integers for integers, and void * for any pointer. */
		if ((ty_is_int(x) && ty_is_int(s)) || (ty_is_ptr(x) && ty_is_ptr(s) &&
		    (ty_is_void(ty_base(x)->ref) || ty_is_void(ty_base(s)->ref))))
			near = xl;
	}
	if (near == NULL && broken != NULL)
		dc_error(c, l, D_XLATE_NONE,
		    "translator from \"%s\" to \"%s\" is not available: %s",
		    ty_name(c, src), ty_name(c, dst), broken->why);
	return near;
}

/* Member `name` of translated object x, at node `at`. */
struct node *
xl_member(struct dc *c, struct node *x, struct node *at, const char *name)
{
	struct xlator *xl = x->x;
	struct member *dm;
	struct xmember *m;
	struct frame f;
	struct node *n, *in = x->a;
	uint64_t off;

	if ((dm = ty_member(c, xl->dst, name, &off)) == NULL) {
		dc_error(c, at->loc, D_TYPE_MEMBER, "%s has no member %s",
		    ty_name(c, xl->dst), name);
		return at;
	}
	for (m = xl->members; m != NULL; m = m->next)
		if (strcmp(m->name, name) == 0)
			break;
	if (m == NULL) {
		dc_error(c, at->loc, D_XLATE_NOCONV,
		    "translator from \"%s\" to \"%s\" has no conversion for member %s",
		    ty_name(c, xl->src), ty_name(c, xl->dst), name);
		return at;
	}
	/* The input is what the translator calls it, e.g. int for pid_t. */
	if (ty_is_scalar(xl->src) && ty_is_scalar(ty_decay(c, in->type)) &&
	    !ty_same(xl->src, in->type)) {
		n = nd(c, N_CAST, in->loc);
		n->type = xl->src;
		n->a = in;
		in = ck(c, n);
	}
	f = (struct frame){ .name = xl->input, .value = in, .next = NULL };
	n = instantiate(c, m->expr, &f, at, xl->lib,
	    dc_fmt(c, "translation of member %.64s", name));
	if (c->bad)
		return n;
	if (n->kind != N_XLATE && !xl_compat(c, dm->type, n->type)) {
		dc_error(c, at->loc, D_XLATE_INCOMPAT, "the expression for member %s has type %s, "
		    "which does not fit %s", name, ty_name(c, n->type), ty_name(c, dm->type));
		return at;
	}
	return cast_to(c, n, dm->type);
}

struct node *
xl_args(struct dc *c, struct node *n, int64_t idx)
{
	const struct dc_arg *a;
	struct type *t, *x;
	struct node *raw, *r, *i;

	if (c->have_info && c->info.differ != 0 && (idx < 0 || idx >= c->info.nargs ||
	    (c->info.differ >> idx & 1) != 0)) {
		dc_error(c, n->loc, D_ARGS_MULTI, "args[%" PRId64 "] may not be referenced: the "
		    "probes of this clause have arguments of different types", idx);
		goto bad;
	}
	if (!c->have_info) {
		dc_error(c, n->loc, D_ARGS_NONE, "args[ ] may not be referenced here");
		goto bad;
	}
	if (idx < 0 || idx >= c->info.nargs || idx >= DC_MAXARGS) {
		dc_error(c, n->loc, D_ARGS_IDX,
		    "index %" PRId64 " is out of range for this probe's "
		    "args[ ]: it has %u", idx, c->info.nargs);
		goto bad;
	}
	a = &c->info.args[idx];
	t = a->ntype != 0 ? ty_import(c, a->ntype) : ty_text(c, a->native != NULL ? a->native : "");
	if (t == NULL) {
		dc_error(c, n->loc, D_ARGS_TYPE,
		    "args[%" PRId64 "] has a type that this guest does "
		    "not know: %s", idx, a->native != NULL ? a->native : "?");
		goto bad;
	}
	i = nd_int(c, n->loc, a->map, c->t_int);
	raw = nd(c, N_ARG, n->loc);
	raw->a = ck(c, i);
	raw->val = DIF_VAR_ARGS;
	raw->type = ty_is_byref(t) ? ty_decay(c, ty_is_sou(t) ? ty_ptr(c, t) : t) : c->t_uint64;
	raw->flags |= NF_CHECKED;
	raw->regs = 1;
	if (ty_is_sou(t)) {		/* passed in memory: its address */
		r = nd_op1(c, OP_DEREF, n->loc, raw);
		raw = ck(c, r);
	} else if (!ty_is_byref(t)) {
		r = nd(c, N_CAST, n->loc);
		r->type = t;
		r->a = raw;
		raw = ck(c, r);
	}
	if (c->bad || a->xlate == NULL || a->xlate[0] == '\0')
		return raw;
	if ((x = ty_text(c, a->xlate)) == NULL) {
		dc_error(c, n->loc, D_ARGS_XLATOR, "args[%" PRId64 "] has a type that is not "
		    "declared: %s", idx, a->xlate);
		goto bad;
	}
	if (ty_same(x, t))
		return raw;
	if (ty_is_sou(ty_is_ptr(x) ? ty_base(x)->ref : x)) {
		r = nd(c, N_XLATE, n->loc);
		r->type = x;
		r->a = raw;
		r->x = xl_find(c, ty_base(ty_is_ptr(x) ? ty_base(x)->ref : x), t, n->loc);
		if (c->bad)
			return raw;
		if (r->x == NULL) {
			dc_error(c, n->loc, D_ARGS_XLATOR, "no translator from \"%s\" to \"%s\" "
			    "exists for args[%" PRId64 "]", ty_name(c, t), ty_name(c, x), idx);
			goto bad;
		}
		r->flags |= NF_CHECKED | (raw->flags & NF_PROP);
		r->regs = raw->regs;
		return r;
	}
	return cast_to(c, raw, x);
bad:
	n->kind = N_INT;
	n->type = c->t_int;
	n->flags |= NF_CHECKED;
	return n;
}
