/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.c - expressions get their meaning: names are resolved, types found,
 * constants folded.
 *
 * ck() turns a raw node into a checked one (often in place) of which holds:
 *
 *   (1) type is set; flags tell effects and use of the tuple stack below;
 *   (2) a value of string, struct or array type is an address at run time,
 *       every other one a 64-bit number, extended as its type says when it
 *       was loaded or cast;
 *   (3) what remains to generate is INT, STR, OP1, OP2, COND, CALL, MEMBER,
 *       CAST, STRINGOF, VAR, BUILTIN, ARG, ADDR - and XLATE, which only
 *       member access may consume (xlate.c).
 *
 * Arithmetic is done in 64 bits, whatever the type; casts, stores and loads
 * cut. Checked nodes are never changed again and may be shared.
 */
#include "impl.h"

static struct node *ck_assign(struct dc *c, struct node *n);
static struct node *ck_lhs(struct dc *c, struct node *n, struct type *first, bool rmw);
static struct node *ck_call(struct dc *c, struct node *n);

static struct node *
fail(struct dc *c, struct node *n)
{
	(void)c;
	n->type = c->t_int;
	n->kind = N_INT;
	n->val = 0;
	n->regs = 1;
	n->flags |= NF_CHECKED;
	return n;
}

#define BAD(c, n, tag, ...) \
	do { dc_error(c, (n)->loc, tag, __VA_ARGS__); return fail(c, n); } while (0)

/* Marks n as checked; flags and registers come from its operands. */
static struct node *
done(struct dc *c, struct node *n, struct type *t)
{
	struct node *const kids[] = { n->a, n->b, n->c };
	struct node *k;
	unsigned i, r = 0;

	(void)c;
	n->type = t;
	n->flags |= NF_CHECKED;
	for (i = 0; i < 3; i++) {
		if (kids[i] == NULL)
			continue;
		n->flags |= kids[i]->flags & NF_PROP;
		if (kids[i]->regs == r)
			r++;
		else if (kids[i]->regs > r)
			r = kids[i]->regs;
	}
	for (k = n->list; k != NULL; k = k->next) {
		n->flags |= k->flags & NF_PROP;
		if (k->regs > r)
			r = k->regs;
	}
	n->regs = r == 0 ? 1 : r > 255 ? 255 : (uint8_t)r;
	return n;
}

bool
ck_is_const(const struct node *n)
{
	return n->kind == N_INT;
}

static uint64_t
cut(uint64_t v, struct type *t)
{
	t = ty_base(t);
	if (t->kind == T_INT && t->is_bool)
		return v != 0;
	if ((t->kind != T_INT && t->kind != T_ENUM) || t->size >= 8 || t->size == 0)
		return v;
	v <<= 64 - t->size * 8;
	return t->is_signed ? (uint64_t)((int64_t)v >> (64 - t->size * 8)) : v >> (64 - t->size * 8);
}

static struct node *
constant(struct dc *c, struct node *n, uint64_t v, struct type *t)
{
	n->kind = N_INT;
	n->a = n->b = n->c = n->list = NULL;
	n->val = v;
	return done(c, n, t);
}

/* Does integer type t hold every value of n? Signs apart. */
bool
ck_fits(struct node *n, struct type *t)
{
	if (n->kind == N_INT)
		return cut(n->val, t) == n->val || ty_base(n->type)->size <= ty_base(t)->size;
	return ty_base(n->type)->size <= ty_base(t)->size;
}

/* n as a value of integer type t. */
struct node *
ck_convert(struct dc *c, struct node *n, struct type *t)
{
	struct type *f = ty_base(n->type), *b = ty_base(t);
	struct node *r;

	if (n->kind == N_INT) {
		r = nd_int(c, n->loc, cut(n->val, t), t);
		return done(c, r, t);
	}
	if (f == b || !ty_is_scalar(f) || !ty_is_scalar(b) ||
	    (!b->is_bool && f->size < b->size && (!ty_is_signed(f) || ty_is_signed(b) || b->size == 8)) ||
	    (b->size == 8) || (!b->is_bool && f->size == b->size && ty_is_signed(f) == ty_is_signed(b)))
		return n;
	r = nd(c, N_CAST, n->loc);
	r->a = n;
	return done(c, r, t);
}

/* May from be assigned to an object of type `to`? */
static bool
assignable(struct dc *c, struct type *to, struct node *from)
{
	struct type *f = from->type, *t = to, *tb, *fb;

	if (from->kind == N_XLATE)
		return xl_compat(c, to, f);
	if (ty_is_string(t))
		return ty_is_strlike(f) || (from->kind == N_INT && from->val == 0);
	if (ty_is_sou(t) || ty_base(t)->kind == T_ARRAY) {
		return ty_same(t, f);
	}
	if (ty_is_ptr(t)) {
		if (ty_is_int(f))
			return true;
		f = ty_decay(c, f);
		if (ty_is_string(f))
			return ty_is_chars(t) || ty_is_void(ty_base(t)->ref);
		if (!ty_is_ptr(f))
			return false;
		tb = ty_base(ty_base(t)->ref);
		fb = ty_base(ty_base(f)->ref);
		return ty_is_void(tb) || ty_is_void(fb) || ty_same(tb, fb) ||
		    (ty_is_int(tb) && ty_is_int(fb) && tb->size == fb->size) ||
		    (ty_is_sou(tb) && ty_is_sou(fb) && (tb->incomplete || fb->incomplete));
	}
	if (ty_is_int(t))
		return ty_is_int(f) || ty_is_ptr(f);
	return ty_same(t, f) && !ty_is_void(t);
}

void
ck_assignable(struct dc *c, struct type *to, struct node *from, struct loc l)
{
	if (!c->bad && !assignable(c, to, from))
		dc_error(c, l, D_OP_INCOMPAT, "operands have incompatible types: \"%s\" = \"%s\"",
		    ty_name(c, to), ty_name(c, from->type));
}

/* An argument or key of a given type: as assignment, but a number is no pointer. */
bool
ck_argcompat(struct dc *c, struct type *formal, struct node *n)
{
	if (n->kind == N_XLATE)
		return false;
	if (ty_is_ptr(formal) && ty_is_int(n->type))
		return n->kind == N_INT && n->val == 0;
	if (ty_is_int(formal) && ty_is_ptr(n->type))
		return false;
	return assignable(c, formal, n);
}

/* ---- names ------------------------------------------------------------- */

static struct node *
builtin(struct dc *c, struct node *n, uint32_t var)
{
	struct type *t;

	n->kind = N_BUILTIN;
	n->val = var;
	switch (var) {
	case DIF_VAR_CURTHREAD:
		t = dv_smap_get_ptr(c->tags[0], "task_struct");
		if (t == NULL)
			t = ty_find(c, NULL, T_STRUCT, "task_struct");
		return done(c, n, t != NULL ? ty_ptr(c, t) : c->t_voidp);
	case DIF_VAR_TIMESTAMP: case DIF_VAR_VTIMESTAMP: case DIF_VAR_UCALLER:
		return done(c, n, c->t_uint64);
	case DIF_VAR_WALLTIMESTAMP:
		return done(c, n, c->t_int64);
	case DIF_VAR_CALLER:
		return done(c, n, c->t_uintptr);
	case DIF_VAR_EPID: case DIF_VAR_ID: case DIF_VAR_IPL:
	case DIF_VAR_STACKDEPTH: case DIF_VAR_USTACKDEPTH:
		return done(c, n, c->t_uint);
	case DIF_VAR_PROBEPROV: case DIF_VAR_PROBEMOD: case DIF_VAR_PROBEFUNC:
	case DIF_VAR_PROBENAME: case DIF_VAR_EXECNAME: case DIF_VAR_ZONENAME:
	case DIF_VAR_VMNAME:
		return done(c, n, c->t_string);
	case DIF_VAR_PID: case DIF_VAR_PPID:
		return done(c, n, c->t_pid);
	case DIF_VAR_TID:
		return done(c, n, c->t_pid);
	case DIF_VAR_UID:
		return done(c, n, c->t_uid);
	case DIF_VAR_GID:
		return done(c, n, c->t_gid);
	case DIF_VAR_ERRNO: case DIF_VAR_CPU:
		return done(c, n, c->t_int);
	default:			/* arg0.. */
		return done(c, n, c->expr_mode ? c->t_uint64 : c->t_int64);
	}
}

static const char *
full_name(struct dc *c, const struct node *n)
{
	return n->scope == SC_SELF ? dc_fmt(c, "self->%.100s", n->str) :
	    n->scope == SC_THIS ? dc_fmt(c, "this->%.100s", n->str) : n->str;
}

static struct node *
var_node(struct dc *c, struct node *n, struct ident *id)
{
	n->kind = N_VAR;
	n->id = id;
	n->flags |= NF_LVAL;
	if (id->alloca_set)
		n->flags |= NF_ALLOCA;
	if (id->assoc)
		n->flags |= NF_TUPLE;
	return done(c, n, id->type);
}

static struct node *
ck_ident(struct dc *c, struct node *n)
{
	struct ident *id;
	struct frame *f;
	dc_tid_t tid = 0;
	int64_t v;

	if (n->scope == SC_GLOBAL)
		for (f = c->frame; f != NULL; f = f->next)
			if (strcmp(f->name, n->str) == 0)
				return f->value;
	if ((id = id_find(c, n->scope, n->str)) == NULL) {
		if (n->scope == SC_GLOBAL && c->cfg.types != NULL && c->cfg.types->enumerator != NULL &&
		    c->cfg.types->enumerator(c->cfg.types->arg, n->str, &v, &tid))
			return constant(c, n, (uint64_t)v,
			    tid != 0 ? ty_import(c, tid) : v >= INT32_MIN && v <= INT32_MAX ?
			    c->t_int : c->t_long);
		if (n->scope == SC_GLOBAL && id_is_type(c, n->str, NULL))
			BAD(c, n, D_IDENT_BADREF, "a type is used as a value: %s", n->str);
		BAD(c, n, D_IDENT_UNDEF, "failed to resolve %s: unknown variable name",
		    full_name(c, n));
	}
	switch (id->kind) {
	case ID_VAR:
		if (id->assoc)
			BAD(c, n, D_IDENT_BADREF, "associative array %s is used without an index",
			    full_name(c, n));
		return var_node(c, n, id);
	case ID_BUILTIN:
		if (id->val <= DIF_VAR_UREGS)
			BAD(c, n, D_IDENT_BADREF, "array %s is used without an index", n->str);
		return builtin(c, n, id->val);
	case ID_CONST:
		return constant(c, n, (uint64_t)id->cval, id->type);
	case ID_INLINE:
		if (id->assoc)
			BAD(c, n, D_IDENT_BADREF, "inline %s is used without its parameters", n->str);
		return xl_inline(c, id, n);
	case ID_BROKEN:
		BAD(c, n, id->why_tag, "%s is not available: %s", n->str, id->why);
	case ID_TYPE:
		BAD(c, n, D_IDENT_BADREF, "a type is used as a value: %s", n->str);
	default:
		BAD(c, n, D_IDENT_BADREF, "function %s is used without arguments", n->str);
	}
}

static struct node *
ck_sym(struct dc *c, struct node *n)
{
	const struct dc_types *ts = c->cfg.types;
	const char *q = strchr(n->str, '`'), *mod = NULL;
	uint64_t addr = 0;
	dc_tid_t tid = 0;
	struct type *t;

	if (q != n->str)
		mod = dc_strdup(c, n->str, (size_t)(q - n->str));
	if (ts == NULL || ts->symbol == NULL ||
	    ts->symbol(ts->arg, mod, q + 1, &addr, &tid) != 0)
		BAD(c, n, D_IDENT_UNDEF, "failed to resolve %s: no such symbol", n->str);
	n->kind = N_ADDR;
	n->val = addr;
	if (tid == 0) {
		/* Its address is all there is. */
		return done(c, n, c->t_uintptr);
	}
	t = ty_import(c, tid);
	if (ty_base(t)->kind == T_FUNC || ty_base(t)->kind == T_VOID)
		return done(c, n, c->t_uintptr);
	n = done(c, n, ty_ptr(c, t));
	n = nd_op1(c, OP_DEREF, n->loc, n);
	n->flags |= NF_LVAL;
	return done(c, n, t);
}

/* ---- indexing ---------------------------------------------------------- */

static void
ck_list(struct dc *c, struct node *n)
{
	struct node **p;

	for (p = &n->list; *p != NULL && !c->bad; p = &(*p)->next) {
		struct node *next = (*p)->next, *r = ck(c, *p);

		if (r != *p || r->next != next) {
			/* r may be shared: give the list a node of its own. */
			struct node *own = dc_alloc(c, sizeof(*own));

			*own = *r;
			own->next = next;
			*p = own;
		}
	}
}

static struct node *
ck_key(struct dc *c, struct node *k)
{
	if (ty_is_void(k->type) || k->kind == N_XLATE || ty_base(k->type)->kind == T_AGG ||
	    ty_base(k->type)->kind == T_RECORD)
		BAD(c, k, D_KEY_TYPE, "key of an array has an invalid type: %s",
		    ty_name(c, k->type));
	return k;
}

/* An element of associative array id; first: its type if it is new. */
static struct node *
ck_assoc(struct dc *c, struct node *n, struct ident *id, struct type *first)
{
	struct node *base = n->a, *k, **p;
	uint32_t i;

	ck_list(c, n);
	for (k = n->list; k != NULL && !c->bad; k = k->next)
		ck_key(c, k);
	if (c->bad)
		return fail(c, n);
	if (n->len > DIF_MAXTUPLE)
		BAD(c, n, D_PROTO_LEN, "%s has too many keys (at most %d)",
		    full_name(c, base), DIF_MAXTUPLE);
	if (id == NULL) {
		if (base->scope == SC_THIS)
			BAD(c, n, D_ARR_LOCAL, "a this-> variable cannot be an associative array: %s",
			    full_name(c, base));
		id = id_add(c, base->scope, base->str, ID_VAR, base->loc);
		id->assoc = true;
		id->type = first;
		id->nkeys = n->len;
		id->keys = dc_alloc(c, n->len * sizeof(*id->keys));
		if (c->bad)
			return fail(c, n);
		for (i = 0, k = n->list; k != NULL; k = k->next, i++)
			id->keys[i] = ty_is_strlike(k->type) && !ty_is_ptr(k->type) ?
			    c->t_string : ty_decay(c, k->type);
	}
	if (id->nkeys != n->len)
		BAD(c, n, D_PROTO_LEN, "%s: key list has %u keys, but %u are declared",
		    full_name(c, base), n->len, id->nkeys);
	for (i = 0, p = &n->list; (k = *p) != NULL; p = &(*p)->next, i++) {
		struct node *next = k->next, *r;

		if (!ck_argcompat(c, id->keys[i], k))
			BAD(c, k, D_PROTO_ARG,
			    "%s: key #%u has type %s, which does not fit %s", full_name(c, base),
			    i + 1, ty_name(c, k->type), ty_name(c, id->keys[i]));
		if ((r = ck_convert(c, k, id->keys[i])) != k) {
			r->next = next;
			*p = r;
		}
	}
	n->a = NULL;
	return var_node(c, n, id);
}

/* base[index] of C. */
static struct node *
ck_subscript(struct dc *c, struct node *n)
{
	struct type *t, *b;
	struct node *i, *sum, *r;

	n->a = ck(c, n->a);
	if (c->bad)
		return fail(c, n);
	if (ty_base(n->a->type)->kind == T_AGG)
		BAD(c, n, D_AGG_MDIM, "an aggregation is indexed by a tuple: @[a, b]");
	if (n->a->kind == N_XLATE)
		BAD(c, n, D_OP_DYN, "a translated object cannot be indexed");
	ck_list(c, n);
	if (c->bad)
		return fail(c, n);
	t = ty_decay(c, n->a->type);
	if (ty_is_string(t))
		t = ty_ptr(c, c->t_char);
	if (!ty_is_ptr(t))
		BAD(c, n, n->a->kind == N_VAR ? D_IDENT_BADREF : D_OP_INCOMPAT,
		    "\"%s\" is no array and no pointer: it cannot be indexed", ty_name(c, n->a->type));
	if (n->len != 1)
		BAD(c, n, D_ARR_BADREF, "an array of C takes one index");
	i = n->list;
	if (!ty_is_int(i->type))
		BAD(c, i, D_PROTO_ARG, "index of an array must be an integer, not %s",
		    ty_name(c, i->type));
	b = ty_base(n->a->type);
	if (b->kind == T_ARRAY && i->kind == N_INT && b->n != 0 &&
	    ((int64_t)i->val < 0 || i->val >= b->n))
		BAD(c, i, D_ARR_BOUNDS, "index %" PRId64 " is outside of an array of %u elements",
		    (int64_t)i->val, b->n);
	b = ty_base(t)->ref;
	if (ty_is_void(b))
		BAD(c, n, D_DEREF_VOID, "a pointer to void cannot be indexed");
	if (ty_size(c, b) == 0 && ty_is_sou(b) && !ty_complete(c, ty_base(b)))
		BAD(c, n, D_OP_INCOMPLETE, "%s is an incomplete type", ty_name(c, b));
	sum = nd_op2(c, OP_ADD, n->loc, n->a, i);
	sum = done(c, sum, t);
	r = nd_op1(c, OP_DEREF, n->loc, sum);
	r->flags |= NF_LVAL;
	return done(c, r, b);
}

static struct node *
ck_index(struct dc *c, struct node *n, struct type *first)
{
	struct node *base = n->a, *i;
	struct ident *id = NULL;
	struct frame *f;

	if (base->kind == N_IDENT && !(base->flags & NF_CHECKED)) {
		if (base->scope == SC_GLOBAL)
			for (f = c->frame; f != NULL; f = f->next)
				if (strcmp(f->name, base->str) == 0)
					return ck_subscript(c, n);
		id = id_find(c, base->scope, base->str);
		if (id == NULL && first != NULL)
			return ck_assoc(c, n, NULL, first);
		if (id != NULL && id->kind == ID_VAR && id->assoc)
			return ck_assoc(c, n, id, first);
		if (id != NULL && id->kind == ID_INLINE && id->assoc) {
			ck_list(c, n);
			return c->bad ? fail(c, n) : xl_inline(c, id, n);
		}
		if (id != NULL && id->kind == ID_VAR && base->scope == SC_THIS && n->len > 1)
			BAD(c, n, D_ARR_LOCAL, "a this-> variable cannot be an associative array: %s",
			    full_name(c, base));
		if (id != NULL && id->kind == ID_BUILTIN && id->val <= DIF_VAR_UREGS) {
			uint32_t which = id->val;

			ck_list(c, n);
			if (c->bad)
				return fail(c, n);
			if (n->len != 1)
				BAD(c, n, D_PROTO_LEN, "%s takes one index", base->str);
			i = n->list;
			if (!ty_is_int(i->type))
				BAD(c, i, which == DIF_VAR_ARGS ? D_ARGS_TYPE : D_PROTO_ARG,
				    "index of %s must be an integer", base->str);
			if (which == DIF_VAR_ARGS) {
				if (i->kind != N_INT)
					BAD(c, i, D_ARGS_TYPE,
					    "index of args[] must be an integer constant");
				return xl_args(c, n, (int64_t)i->val);
			}
			if (i->kind == N_INT && i->val > 255)
				BAD(c, i, which == DIF_VAR_REGS ? D_REGS_IDX : D_UNKNOWN,
				    "index of %s is out of range", base->str);
			n->kind = N_ARG;
			n->a = i;
			n->list = NULL;
			n->val = which;
			return done(c, n, c->t_uint64);
		}
	}
	return ck_subscript(c, n);
}

/* ---- members ----------------------------------------------------------- */

static struct node *
ck_member(struct dc *c, struct node *n)
{
	struct type *t;
	struct member *m;
	uint64_t off = 0;

	n->a = ck(c, n->a);
	if (c->bad)
		return fail(c, n);
	t = n->a->type;
	if (n->op == OP_ARROW) {
		if (ty_base(t)->kind == T_ARRAY)
			t = ty_decay(c, t);
		if (!ty_is_ptr(t))
			BAD(c, n, D_OP_PTR, "operator -> needs a pointer, not \"%s\"", ty_name(c, t));
		t = ty_base(t)->ref;
	} else if (ty_is_ptr(t) && ty_is_sou(ty_base(t)->ref))
		BAD(c, n, D_OP_SOU, "operator . cannot be used on a pointer: use ->");
	t = ty_base(t);
	if (!ty_is_sou(t))
		BAD(c, n, D_OP_SOU, "operator %s needs a struct or union, not \"%s\"",
		    op_text(n->op), ty_name(c, n->a->type));
	if (n->a->kind == N_XLATE)
		return xl_member(c, n->a, n, n->str);
	if (!ty_complete(c, t))
		BAD(c, n, D_OP_INCOMPLETE, "%s is an incomplete type", ty_name(c, t));
	if ((m = ty_member(c, t, n->str, &off)) == NULL)
		BAD(c, n, D_TYPE_MEMBER, "%s has no member %s", ty_name(c, t), n->str);
	n->mem = m;
	n->bit_off = off;
	n->bit_size = m->bit_size;
	n->flags |= NF_LVAL;
	if (m->bit_size != 0)
		n->flags |= NF_BITFIELD;
	return done(c, n, m->type);
}

/* ---- operators --------------------------------------------------------- */

static bool
is_dyn(struct dc *c, struct node *n)
{
	if (n->kind != N_XLATE)
		return false;
	dc_error(c, n->loc, D_OP_DYN, "a translated object can only be used with its members");
	return true;
}

static struct node *
incompat(struct dc *c, struct node *n)
{
	BAD(c, n, D_OP_INCOMPAT, "operands have incompatible types: \"%s\" %s \"%s\"",
	    ty_name(c, n->a->type), op_text(n->op), ty_name(c, n->b->type));
}

static struct node *
ck_logical(struct dc *c, struct node *n)
{
	struct node *k[2] = { n->a, n->b };
	bool v;
	int i;

	for (i = 0; i < 2; i++) {
		if (is_dyn(c, k[i]))
			return fail(c, n);
		if (!ty_is_scalar(k[i]->type))
			BAD(c, n, D_OP_SCALAR, "operator %s needs operands of scalar type, not \"%s\"",
			    op_text(n->op), ty_name(c, k[i]->type));
	}
	if (n->a->kind == N_INT && n->b->kind == N_INT) {
		v = n->op == OP_LAND ? n->a->val && n->b->val :
		    n->op == OP_LOR ? n->a->val || n->b->val : !n->a->val != !n->b->val;
		return constant(c, n, v, c->t_int);
	}
	return done(c, n, c->t_int);
}

static struct node *
ck_compare(struct dc *c, struct node *n)
{
	struct type *a = ty_decay(c, n->a->type), *b = ty_decay(c, n->b->type), *t;
	bool r, sg;

	if (is_dyn(c, n->a) || is_dyn(c, n->b))
		return fail(c, n);
	if (ty_is_string(a) || ty_is_string(b)) {
		if (!(ty_is_strlike(n->a->type) || (n->a->kind == N_INT && n->a->val == 0)) ||
		    !(ty_is_strlike(n->b->type) || (n->b->kind == N_INT && n->b->val == 0)))
			return incompat(c, n);
		return done(c, n, c->t_int);
	}
	if (ty_is_int(a) && ty_is_int(b)) {
		t = ty_usual(c, a, b);
		n->a = ck_convert(c, n->a, t);
		n->b = ck_convert(c, n->b, t);
		sg = ty_is_signed(t);
		if (n->a->kind == N_INT && n->b->kind == N_INT) {
			uint64_t x = n->a->val, y = n->b->val;
			int64_t sx = (int64_t)x, sy = (int64_t)y;

			switch (n->op) {
			case OP_EQ: r = x == y; break;
			case OP_NE: r = x != y; break;
			case OP_LT: r = sg ? sx < sy : x < y; break;
			case OP_LE: r = sg ? sx <= sy : x <= y; break;
			case OP_GT: r = sg ? sx > sy : x > y; break;
			default: r = sg ? sx >= sy : x >= y; break;
			}
			return constant(c, n, r, c->t_int);
		}
		n->bit_size = sg;
		return done(c, n, c->t_int);
	}
	if (ty_is_ptr(a) && ty_is_ptr(b)) {
		struct type *x = ty_base(a)->ref, *y = ty_base(b)->ref;

		if (!ty_is_void(x) && !ty_is_void(y) && !ty_same(x, y) &&
		    !(ty_is_int(x) && ty_is_int(y) && ty_size(c, x) == ty_size(c, y)) &&
		    !(ty_is_sou(x) && ty_is_sou(y) && (ty_base(x)->incomplete || ty_base(y)->incomplete)))
			return incompat(c, n);
	} else if (!(ty_is_ptr(a) && ty_is_int(b)) && !(ty_is_int(a) && ty_is_ptr(b)))
		return incompat(c, n);
	n->bit_size = 0;
	return done(c, n, c->t_int);
}

static struct node *
fold(struct dc *c, struct node *n, struct type *t)
{
	uint64_t x = n->a->val, y = n->b->val, v;
	bool sg = ty_is_signed(t);

	switch (n->op) {
	case OP_ADD: v = x + y; break;
	case OP_SUB: v = x - y; break;
	case OP_MUL: v = x * y; break;
	case OP_DIV:
		v = sg ? ((int64_t)y == -1 ? -x : (uint64_t)((int64_t)x / (int64_t)y)) : x / y;
		break;
	case OP_MOD:
		v = sg ? ((int64_t)y == -1 ? 0 : (uint64_t)((int64_t)x % (int64_t)y)) : x % y;
		break;
	case OP_BAND: v = x & y; break;
	case OP_BOR: v = x | y; break;
	case OP_XOR: v = x ^ y; break;
	case OP_LSH:
		if (y > 63)
			return done(c, n, t);
		v = x << y;
		break;
	default:
		if (y > 63)
			return done(c, n, t);
		v = sg ? (uint64_t)((int64_t)x >> y) : x >> y;
		break;
	}
	return constant(c, n, v, t);
}

/* A binary arithmetic operator; `eq`: it is part of an assignment. */
static struct node *
ck_arith(struct dc *c, struct node *n, enum op op, bool eq)
{
	struct type *a = ty_decay(c, n->a->type), *b = ty_decay(c, n->b->type), *t, *r;

	if (is_dyn(c, n->a) || is_dyn(c, n->b))
		return fail(c, n);
	if ((op == OP_DIV || op == OP_MOD) && n->b->kind == N_INT && n->b->val == 0 &&
	    ty_is_int(a))
		BAD(c, n, D_DIV_ZERO, "expression contains division by zero");
	if (op == OP_BAND || op == OP_BOR || op == OP_XOR || op == OP_LSH || op == OP_RSH) {
		if (!ty_is_int(a) || !ty_is_int(b))
			BAD(c, n, D_OP_INT, "operator %s needs operands of integral type, not "
			    "\"%s\" and \"%s\"", op_text(n->op), ty_name(c, a), ty_name(c, b));
	}
	if (ty_is_int(a) && ty_is_int(b)) {
		if (op == OP_LSH || op == OP_RSH)
			t = ty_promote(c, a);
		else {
			t = ty_usual(c, a, b);
			if (!eq)
				n->a = ck_convert(c, n->a, t);
			n->b = ck_convert(c, n->b, t);
		}
		n->bit_size = ty_is_signed(t);
		if (!eq && n->a->kind == N_INT && n->b->kind == N_INT)
			return fold(c, n, t);
		return done(c, n, t);
	}
	if (op == OP_ADD && !eq && ty_is_int(a) && ty_is_ptr(b)) {
		struct node *x = n->a;

		n->a = n->b;
		n->b = x;
		t = a;
		a = b;
		b = t;
	}
	if ((op == OP_ADD || op == OP_SUB) && ty_is_ptr(a) && (ty_is_int(b) ||
	    (op == OP_SUB && ty_is_ptr(b) && !eq))) {
		r = ty_base(a)->ref;
		if (ty_is_void(r) || ty_base(r)->kind == T_FUNC)
			BAD(c, n, D_OP_VFPTR, "operand of %s has an unknown size: \"%s\"",
			    op_text(n->op), ty_name(c, a));
		if (ty_is_sou(r) && !ty_complete(c, ty_base(r)))
			BAD(c, n, D_DECL_INCOMPLETE, "%s is an incomplete type", ty_name(c, r));
		if (ty_size(c, r) == 0)
			BAD(c, n, D_OP_VFPTR, "operand of %s has an unknown size: \"%s\"",
			    op_text(n->op), ty_name(c, a));
		if (ty_is_ptr(b)) {
			if (!ty_same(r, ty_base(b)->ref))
				return incompat(c, n);
			return done(c, n, c->t_long);
		}
		n->flags |= n->a->flags & NF_ALLOCA;
		return done(c, n, a);
	}
	return incompat(c, n);
}

static struct node *
ck_op2(struct dc *c, struct node *n)
{
	if (n->op >= OP_ASGN && n->op <= OP_OR_EQ)
		return ck_assign(c, n);
	n->a = ck(c, n->a);
	n->b = ck(c, n->b);
	if (c->bad)
		return fail(c, n);
	switch (n->op) {
	case OP_COMMA:
		if (is_dyn(c, n->a))
			return fail(c, n);
		return n->b->kind == N_XLATE ? n->b : done(c, n, n->b->type);
	case OP_LAND: case OP_LOR: case OP_LXOR:
		return ck_logical(c, n);
	case OP_EQ: case OP_NE: case OP_LT: case OP_LE: case OP_GT: case OP_GE:
		return ck_compare(c, n);
	default:
		return ck_arith(c, n, n->op, false);
	}
}

static struct node *
ck_op1(struct dc *c, struct node *n)
{
	struct type *t;

	switch (n->op) {
	case OP_PREINC: case OP_PREDEC: case OP_POSTINC: case OP_POSTDEC:
		n->a = ck_lhs(c, n->a, c->t_int64, true);
		if (c->bad)
			return fail(c, n);
		t = n->a->type;
		if (!ty_is_scalar(t))
			BAD(c, n, D_OP_SCALAR, "operator %s needs an operand of scalar type, not \"%s\"",
			    op_text(n->op), ty_name(c, t));
		if (ty_is_ptr(t) && ty_size(c, ty_base(t)->ref) == 0)
			BAD(c, n, D_OP_VFPTR, "operand of %s has an unknown size: \"%s\"",
			    op_text(n->op), ty_name(c, t));
		n->flags |= NF_SIDE;
		return done(c, n, t);
	case OP_ADDR:
		if (n->a->kind == N_IDENT && !(n->a->flags & NF_CHECKED) && n->a->scope == SC_GLOBAL) {
			struct ident *id = id_find(c, SC_GLOBAL, n->a->str);

			if (id != NULL && (id->kind == ID_VAR || id->kind == ID_BUILTIN))
				BAD(c, n, D_ADDROF_VAR, "the address of variable %s cannot be taken",
				    n->a->str);
		}
		break;
	default:
		break;
	}
	n->a = ck(c, n->a);
	if (c->bad)
		return fail(c, n);
	t = n->a->type;
	switch (n->op) {
	case OP_ADDR:
		if (n->a->kind == N_VAR || n->a->kind == N_BUILTIN || ty_base(t)->kind == T_AGG)
			BAD(c, n, D_ADDROF_VAR, "the address of a variable or aggregation cannot be taken");
		if (n->a->flags & NF_BITFIELD)
			BAD(c, n, D_ADDROF_BITFIELD, "the address of a bit-field cannot be taken");
		if (n->a->kind == N_XLATE)
			BAD(c, n, D_ADDROF_LVAL, "a translated object has no address");
		if (n->a->kind == N_ADDR)	/* a function, or a symbol of unknown type */
			return n->a;
		if (!(n->a->flags & NF_LVAL))
			BAD(c, n, D_ADDROF_LVAL, "operand of & has no address");
		if (n->a->kind == N_OP1 && n->a->op == OP_DEREF) {
			struct node *p = n->a->a;
			struct node *r;

			if (ty_same(p->type, ty_ptr(c, t)))
				return p;
			r = nd(c, N_CAST, n->loc);
			r->a = p;
			return done(c, r, ty_ptr(c, t));
		}
		return done(c, n, ty_ptr(c, t));
	case OP_DEREF:
		if (is_dyn(c, n->a) && ty_is_ptr(t))
			return fail(c, n);
		t = ty_decay(c, t);
		if (!ty_is_ptr(t))
			BAD(c, n, D_DEREF_NONPTR, "operand of * is no pointer: \"%s\"", ty_name(c, t));
		t = ty_base(t)->ref;
		if (ty_is_void(t))
			BAD(c, n, D_DEREF_VOID, "a pointer to void cannot be dereferenced");
		if (ty_base(t)->kind == T_FUNC)
			BAD(c, n, D_DEREF_FUNC, "a pointer to a function cannot be dereferenced");
		n->flags |= NF_LVAL;
		return done(c, n, t);
	case OP_NOT:
		if (is_dyn(c, n->a))
			return fail(c, n);
		if (!ty_is_scalar(t))
			BAD(c, n, D_OP_SCALAR, "operator ! needs an operand of scalar type, not \"%s\"",
			    ty_name(c, t));
		if (n->a->kind == N_INT)
			return constant(c, n, !n->a->val, c->t_int);
		return done(c, n, c->t_int);
	case OP_BNEG:
		if (!ty_is_int(t))
			BAD(c, n, D_OP_INT, "operator ~ needs an operand of integral type, not \"%s\"",
			    ty_name(c, t));
		t = ty_promote(c, t);
		if (n->a->kind == N_INT)
			return constant(c, n, cut(~n->a->val, t), t);
		return done(c, n, t);
	default:			/* OP_NEG, OP_POS */
		if (!ty_is_int(t))
			BAD(c, n, D_OP_ARITH, "unary %s needs an operand of arithmetic type, not \"%s\"",
			    op_text(n->op), ty_name(c, t));
		t = ty_promote(c, t);
		if (n->a->kind == N_INT) {
			/* -2147483648 is an int */
			if (n->op == OP_NEG && ty_base(t) == c->t_long && n->a->val == (uint64_t)INT32_MAX + 1)
				t = c->t_int;
			return constant(c, n, n->op == OP_NEG ? cut(-n->a->val, t) : n->a->val, t);
		}
		return done(c, n, t);
	}
}

static struct node *
ck_cond(struct dc *c, struct node *n)
{
	struct type *x, *y, *t;

	n->a = ck(c, n->a);
	n->b = ck(c, n->b);
	n->c = ck(c, n->c);
	if (c->bad)
		return fail(c, n);
	if ((n->b->flags | n->c->flags) & NF_ACTION)
		BAD(c, n, D_OP_ACT, "an action cannot be used inside of ?:");
	if (is_dyn(c, n->a) || is_dyn(c, n->b) || is_dyn(c, n->c))
		return fail(c, n);
	if (!ty_is_scalar(n->a->type))
		BAD(c, n, D_OP_SCALAR, "the condition of ?: must be of scalar type, not \"%s\"",
		    ty_name(c, n->a->type));
	x = n->b->type;
	y = n->c->type;
	if (ty_is_int(x) && ty_is_int(y)) {
		t = ty_usual(c, x, y);
		n->b = ck_convert(c, n->b, t);
		n->c = ck_convert(c, n->c, t);
	} else if (ty_is_string(x) || ty_is_string(y)) {
		if (!(ty_is_strlike(x) || (n->b->kind == N_INT && n->b->val == 0)) ||
		    !(ty_is_strlike(y) || (n->c->kind == N_INT && n->c->val == 0)))
			goto bad;
		t = c->t_string;
	} else if (ty_is_sou(x) || ty_is_sou(y)) {
		if (!ty_same(x, y))
			goto bad;
		t = x;
	} else if (ty_is_void(x) && ty_is_void(y))
		t = c->t_void;
	else {
		x = ty_decay(c, x);
		y = ty_decay(c, y);
		if (ty_is_ptr(x) && ty_is_int(y))
			t = x;
		else if (ty_is_int(x) && ty_is_ptr(y))
			t = y;
		else if (ty_is_ptr(x) && ty_is_ptr(y) && (ty_same(x, y) ||
		    ty_is_void(ty_base(x)->ref) || ty_is_void(ty_base(y)->ref)))
			t = ty_is_void(ty_base(x)->ref) ? y : x;
		else
			goto bad;
	}
	if (n->a->kind == N_INT && n->b->kind == N_INT && n->c->kind == N_INT)
		return constant(c, n, n->a->val ? n->b->val : n->c->val, t);
	return done(c, n, t);
bad:
	BAD(c, n, D_OP_INCOMPAT, "operands have incompatible types: \"%s\" : \"%s\"",
	    ty_name(c, x), ty_name(c, y));
}

static struct node *
ck_cast(struct dc *c, struct node *n)
{
	struct type *t = n->type, *f;

	n->a = ck(c, n->a);
	if (c->bad)
		return fail(c, n);
	f = ty_decay(c, n->a->type);
	if (n->a->kind == N_XLATE) {
		if (ty_same(t, n->a->type))
			return n->a;
		is_dyn(c, n->a);
		return fail(c, n);
	}
	if (ty_is_void(t))
		return done(c, n, t);
	if (ty_is_string(t)) {
		if (!ty_is_strlike(f) && !ty_is_scalar(f))
			goto bad;
		n->kind = N_STRINGOF;
		return done(c, n, t);
	}
	if (ty_is_scalar(t)) {
		if (ty_is_string(f) && ty_is_ptr(t))
			return done(c, n, t);
		if (!ty_is_scalar(f))
			goto bad;
		if (n->a->kind == N_INT)
			return constant(c, n, cut(n->a->val, t), t);
		n->flags |= n->a->flags & NF_ALLOCA;
		return done(c, n, t);
	}
	if (ty_same(t, n->a->type))
		return done(c, n, t);
bad:
	BAD(c, n, D_CAST_INVAL, "invalid cast from \"%s\" to \"%s\"",
	    ty_name(c, n->a->type), ty_name(c, t));
}

/* ---- assignment -------------------------------------------------------- */

/*
 * The left side: resolved, created if it is new and `first` tells its type.
 * rmw: it is read, too.
 */
static struct node *
ck_lhs(struct dc *c, struct node *n, struct type *first, bool rmw)
{
	struct ident *id;
	struct frame *f;

	if (n->flags & NF_CHECKED)
		goto checked;
	if (n->kind == N_IDENT) {
		if (n->scope == SC_GLOBAL)
			for (f = c->frame; f != NULL; f = f->next)
				if (strcmp(f->name, n->str) == 0)
					BAD(c, n, D_OP_LVAL, "%s cannot be changed", n->str);
		id = id_find(c, n->scope, n->str);
		if (id == NULL && first != NULL) {
			/* An enumerator of the guest does not keep a name from a program. */
			id = id_add(c, n->scope, n->str, ID_VAR, n->loc);
			id->type = first;
			return var_node(c, n, id);
		}
		if (id->kind == ID_BUILTIN)
			BAD(c, n, D_OP_WRITE, "built-in variable %s is read-only", n->str);
		if (id->kind == ID_INLINE || id->kind == ID_CONST)
			BAD(c, n, D_OP_LVAL, "%s cannot be changed", n->str);
		n = ck_ident(c, n);
	} else if (n->kind == N_INDEX) {
		if (n->a->kind == N_IDENT && (id = id_find(c, n->a->scope, n->a->str)) != NULL &&
		    id->kind == ID_BUILTIN && id->val <= DIF_VAR_UREGS)
			BAD(c, n, D_OP_WRITE, "built-in array %s is read-only", n->a->str);
		n = ck_index(c, n, first);
	} else
		n = ck(c, n);
	if (c->bad)
		return fail(c, n);
checked:
	(void)rmw;
	if (ty_base(n->type)->kind == T_AGG)
		BAD(c, n, D_OP_LVAL, "an aggregation cannot be changed here");
	if (!(n->flags & NF_LVAL))
		BAD(c, n, D_OP_LVAL, "operand cannot be changed: it is no variable");
	return n;
}

/*
 * Type of a new variable that is given n, which was of kind `was` in the text.
 * An integer constant tells nothing about what will be assigned later (`x = 0;
 * ... x = timestamp`), so it makes a variable of 64 bits, unless it is cast.
 */
static struct type *
first_type(struct dc *c, struct node *n, unsigned was)
{
	struct type *t = n->type, *b = ty_base(t);

	if (n->kind == N_INT && was != N_CAST && b->kind == T_INT && b->size < 8)
		return b->is_signed ? c->t_int64 : c->t_uint64;

	if (b->kind == T_FUNC)
		return ty_decay(c, t);
	if (b->kind == T_VOID || b->kind == T_AGG || b->kind == T_RECORD || n->kind == N_XLATE)
		return NULL;
	if (b->kind == T_ARRAY && b->size == 0)
		return ty_decay(c, t);
	return t;
}

static bool
is_new(struct dc *c, struct node *n)
{
	struct frame *f;

	if (n->kind == N_INDEX)
		n = n->a;
	if (n->kind != N_IDENT || (n->flags & NF_CHECKED))
		return false;
	for (f = c->frame; f != NULL && n->scope == SC_GLOBAL; f = f->next)
		if (strcmp(f->name, n->str) == 0)
			return false;
	return id_find(c, n->scope, n->str) == NULL;
}

static struct node *
ck_assign(struct dc *c, struct node *n)
{
	static const enum op plain[] = {
		[OP_MUL_EQ] = OP_MUL, [OP_DIV_EQ] = OP_DIV, [OP_MOD_EQ] = OP_MOD,
		[OP_ADD_EQ] = OP_ADD, [OP_SUB_EQ] = OP_SUB, [OP_LSH_EQ] = OP_LSH,
		[OP_RSH_EQ] = OP_RSH, [OP_AND_EQ] = OP_BAND, [OP_XOR_EQ] = OP_XOR,
		[OP_OR_EQ] = OP_BOR,
	};
	struct type *t;
	struct node *k, *tmp;
	unsigned was;

	k = n->a->kind == N_INDEX ? n->a->a : n->a;
	if (k->kind == N_AGG)
		BAD(c, n, D_AGG_NULL, "an aggregation can be changed by a statement "
		    "\"@%s = function(...)\" only", k->str);
	if (n->op != OP_ASGN && is_new(c, n->a))
		BAD(c, n, D_VAR_UNDEF, "%s has not yet been declared or assigned", full_name(c, k));
	was = n->b->kind;
	n->b = ck(c, n->b);
	if (c->bad)
		return fail(c, n);
	if (n->b->flags & NF_ACTION)
		BAD(c, n, D_OP_INCOMPAT, "an action has no value to assign");
	if (n->op == OP_ASGN) {
		t = first_type(c, n->b, was);
		if (t == NULL && is_new(c, n->a))
			BAD(c, n, n->b->kind == N_XLATE ? D_OP_DYN : D_OP_INCOMPAT,
			    "a value of type \"%s\" cannot be assigned", ty_name(c, n->b->type));
		n->a = ck_lhs(c, n->a, t, false);
		if (c->bad)
			return fail(c, n);
		t = n->a->type;
		if (n->b->kind == N_XLATE)
			BAD(c, n, D_OP_DYN, "a translated object cannot be assigned");
		if (n->a->kind != N_VAR && (ty_base(t)->kind == T_ARRAY || ty_base(t)->kind == T_FUNC))
			BAD(c, n, D_OP_ARRFUN, "an array or function cannot be assigned as a whole");
		if (!assignable(c, t, n->b))
			return incompat(c, n);
		if (n->a->kind == N_VAR && ty_is_ptr(t) && n->b->kind != N_INT) {
			struct ident *id = n->a->id;
			bool al = n->b->flags & NF_ALLOCA;

			if (al ? id->other_set : id->alloca_set)
				BAD(c, n, D_ALLOCA_INCOMPAT, "%s holds both alloca()ed and other pointers",
				    id->name);
			id->alloca_set |= al;
			id->other_set |= !al;
		}
		n->b = ty_is_int(t) && ty_is_int(n->b->type) ? ck_convert(c, n->b, t) : n->b;
	} else {
		n->a = ck_lhs(c, n->a, NULL, true);
		if (c->bad)
			return fail(c, n);
		t = n->a->type;
		tmp = nd_op2(c, n->op, n->loc, n->a, n->b);
		tmp = ck_arith(c, tmp, plain[n->op], true);
		if (c->bad)
			return fail(c, n);
		n->b = tmp->b;
		n->bit_size = tmp->bit_size;
	}
	n->flags |= NF_SIDE;
	return done(c, n, t);
}

/* ---- calls ------------------------------------------------------------- */

/*
 * Prototypes: result, then arguments; those after | may be left out.
 *	i integer  s string  S string or NULL  p pointer (or string or array)  u address: integer or pointer
 *	v void  a scratch memory  l int64_t  z uint64_t  h uint16_t  w uint32_t
 */
static const struct { uint8_t subr; const char *proto; } protos[] = {
	{ DIF_SUBR_RAND, "i" }, { DIF_SUBR_MUTEX_OWNED, "ip" },
	{ DIF_SUBR_MUTEX_OWNER, "up" }, { DIF_SUBR_MUTEX_TYPE_ADAPTIVE, "ip" },
	{ DIF_SUBR_MUTEX_TYPE_SPIN, "ip" }, { DIF_SUBR_RW_READ_HELD, "ip" },
	{ DIF_SUBR_RW_WRITE_HELD, "ip" }, { DIF_SUBR_RW_ISWRITER, "ip" },
	{ DIF_SUBR_COPYIN, "aui" }, { DIF_SUBR_COPYINSTR, "su|i" },
	{ DIF_SUBR_SPECULATION, "i" }, { DIF_SUBR_PROGENYOF, "ii" },
	{ DIF_SUBR_STRLEN, "zs" }, { DIF_SUBR_COPYOUT, "vpui" },
	{ DIF_SUBR_COPYOUTSTR, "vsui" }, { DIF_SUBR_ALLOCA, "ai" },
	{ DIF_SUBR_BCOPY, "vppi" }, { DIF_SUBR_COPYINTO, "vuip" },
	{ DIF_SUBR_GETMAJOR, "wi" }, { DIF_SUBR_GETMINOR, "wi" },
	{ DIF_SUBR_STRJOIN, "sss" }, { DIF_SUBR_LLTOSTR, "si|i" },
	{ DIF_SUBR_BASENAME, "ss" }, { DIF_SUBR_DIRNAME, "ss" },
	{ DIF_SUBR_CLEANPATH, "ss" }, { DIF_SUBR_STRCHR, "ssi" },
	{ DIF_SUBR_STRRCHR, "ssi" }, { DIF_SUBR_STRSTR, "sss" },
	{ DIF_SUBR_STRTOK, "sSs" }, { DIF_SUBR_SUBSTR, "ssi|i" },
	{ DIF_SUBR_INDEX, "iss|i" }, { DIF_SUBR_RINDEX, "iss|i" },
	{ DIF_SUBR_HTONS, "hi" }, { DIF_SUBR_HTONL, "wi" }, { DIF_SUBR_HTONLL, "zi" },
	{ DIF_SUBR_NTOHS, "hi" }, { DIF_SUBR_NTOHL, "wi" }, { DIF_SUBR_NTOHLL, "zi" },
	{ DIF_SUBR_INET_NTOP, "sip" }, { DIF_SUBR_INET_NTOA, "sp" },
	{ DIF_SUBR_INET_NTOA6, "sp" }, { DIF_SUBR_TOUPPER, "ss" },
	{ DIF_SUBR_TOLOWER, "ss" }, { DIF_SUBR_MEMSTR, "spii" },
	{ DIF_SUBR_JSON, "sss" }, { DIF_SUBR_STRTOLL, "ls|i" },
	{ DIF_SUBR_D_PATH, "sp" }, { DIF_SUBR_LINK_NTOP, "sip" },
};

static struct type *
proto_type(struct dc *c, char ch)
{
	switch (ch) {
	case 's': return c->t_string;
	case 'v': return c->t_void;
	case 'a': return c->t_voidp;
	case 'l': return c->t_int64;
	case 'z': return c->t_uint64;
	case 'u': return c->t_uintptr;
	case 'h': return c->t_ushort;
	case 'w': return c->t_uint;
	default: return c->t_int;
	}
}

static bool
proto_fits(struct dc *c, char ch, struct node *n)
{
	struct type *t = ty_decay(c, n->type);

	if (n->kind == N_XLATE || (n->flags & NF_ACTION))
		return false;
	switch (ch) {
	case 'i': return ty_is_int(t);
	case 's': return ty_is_strlike(n->type);
	case 'S': return ty_is_strlike(n->type) || (n->kind == N_INT && n->val == 0);
	case 'u': return ty_is_scalar(t);
	case 'p': return ty_is_ptr(t) || ty_is_string(t) || (n->kind == N_INT && n->val == 0) ||
	    (n->kind == N_ADDR);
	default: return false;
	}
}

static struct node *
ck_subr(struct dc *c, struct node *n, struct ident *id)
{
	const char *p = NULL, *q;
	struct node *k;
	unsigned i, min = 0, max = 0;
	bool opt = false;

	for (i = 0; i < sizeof(protos) / sizeof(protos[0]); i++)
		if (protos[i].subr == id->val)
			p = protos[i].proto;
	if (p == NULL)
		BAD(c, n, D_FUNC_UNDEF, "function %s() is not supported", id->name);
	ck_list(c, n);
	if (c->bad)
		return fail(c, n);
	for (q = p + 1; *q != '\0'; q++) {
		if (*q == '|')
			opt = true;
		else {
			max++;
			min += !opt;
		}
	}
	if (n->len < min || n->len > max)
		BAD(c, n, D_PROTO_LEN, "%s( ) prototype mismatch: %u argument%s passed, %s%u expected",
		    id->name, n->len, n->len == 1 ? "" : "s", min != max ? "at least " : "", min);
	for (q = p + 1, k = n->list, i = 1; k != NULL; q++, i++, k = k->next) {
		if (*q == '|')
			q++;
		if (!proto_fits(c, *q, k))
			BAD(c, k, D_PROTO_ARG, "%s( ) argument #%u is incompatible with prototype: "
			    "argument: %s%s", id->name, i, ty_name(c, k->type),
			    *q == 's' && ty_is_scalar(k->type) ?
			    " (a string is wanted: stringof() or copyinstr() makes one)" : "");
	}
	k = NULL;
	if (id->val == DIF_SUBR_ALLOCA)
		k = n->list;
	else if (id->val == DIF_SUBR_COPYIN)
		k = n->list->next;
	if (k != NULL && k->kind == N_INT && k->val > c->opt[DV_OPT_SCRATCHSIZE])
		BAD(c, k, D_ALLOCA_SIZE, "%s( ) size %" PRIu64 " exceeds the scratch size of %" PRIu64,
		    id->name, k->val, c->opt[DV_OPT_SCRATCHSIZE]);
	n->flags |= NF_TUPLE;
	if (p[0] == 'a')
		n->flags |= NF_ALLOCA;
	switch (id->val) {
	case DIF_SUBR_COPYOUT: case DIF_SUBR_COPYOUTSTR:
		n->flags |= NF_DESTR | NF_SIDE;
		break;
	case DIF_SUBR_SPECULATION: case DIF_SUBR_RAND: case DIF_SUBR_BCOPY:
	case DIF_SUBR_COPYINTO: case DIF_SUBR_STRTOK: case DIF_SUBR_ALLOCA:
		n->flags |= NF_SIDE;
		break;
	default:
		break;
	}
	n->a = NULL;
	n->id = id;
	return done(c, n, proto_type(c, p[0]));
}

static struct node *
ck_call(struct dc *c, struct node *n)
{
	struct ident *id;

	if (n->a->kind != N_IDENT || n->a->scope != SC_GLOBAL)
		BAD(c, n, D_FUNC_IDENT, "what is called must be the name of a function");
	id = id_find(c, SC_GLOBAL, n->a->str);
	if (id == NULL)
		BAD(c, n, D_FUNC_UNDEF, "undefined function name: %s", n->a->str);
	switch (id->kind) {
	case ID_SUBR:
		return ck_subr(c, n, id);
	case ID_ACT:
		/* Its arguments are act.c's business. */
		n->id = id;
		n->flags |= NF_ACTION | NF_CHECKED;
		n->regs = 1;
		n->type = c->t_void;
		switch (id->val) {
		case DV_ACT_STACK: n->type = c->t_record[DV_T_STACK]; break;
		case DV_ACT_USTACK: n->type = c->t_record[DV_T_USTACK]; break;
		case DV_ACT_SYM: n->type = c->t_record[DV_T_SYM]; break;
		case DV_ACT_MOD: n->type = c->t_record[DV_T_MOD]; break;
		case DV_ACT_USYM: n->type = c->t_record[DV_T_USYM]; break;
		case DV_ACT_UMOD: n->type = c->t_record[DV_T_UMOD]; break;
		case DV_ACT_UADDR: n->type = c->t_record[DV_T_UADDR]; break;
		default: break;
		}
		return n;
	case ID_AGGFUNC:
		BAD(c, n, D_CG_EXPR, "aggregating function %s() can only be assigned to an "
		    "aggregation", id->name);
	case ID_BROKEN:
		BAD(c, n, id->why_tag, "%s is not available: %s", n->a->str, id->why);
	default:
		BAD(c, n, D_FUNC_IDKIND, "%s is no function", n->a->str);
	}
}

/* ---- the rest ---------------------------------------------------------- */

static struct node *
ck_sizeof(struct dc *c, struct node *n)
{
	struct type *t = n->type;
	uint64_t size;

	if (n->kind == N_SIZEOF) {
		n->a = ck(c, n->a);
		if (c->bad)
			return fail(c, n);
		if (n->a->flags & NF_BITFIELD)
			BAD(c, n, D_SIZEOF_BITFIELD, "sizeof cannot be applied to a bit-field");
		t = n->a->type;
		if (n->a->kind == N_XLATE && !ty_is_ptr(t))
			BAD(c, n, D_SIZEOF_TYPE, "sizeof cannot be applied to a translated object");
	}
	if (ty_is_sou(t))
		ty_complete(c, ty_base(t));
	size = ty_size(c, t);
	if (size == 0 || ty_base(t)->kind == T_FUNC || ty_is_void(t) ||
	    (ty_base(t)->incomplete && ty_is_sou(t)))
		BAD(c, n, D_SIZEOF_TYPE, "sizeof cannot be applied to type \"%s\"", ty_name(c, t));
	return constant(c, n, size, c->t_size);
}

static struct node *
ck_offsetof(struct dc *c, struct node *n)
{
	struct type *t = ty_base(n->type);
	struct member *m;
	uint64_t off = 0;

	if (!ty_is_sou(t))
		BAD(c, n, D_OFFSETOF_TYPE, "offsetof needs a struct or union, not \"%s\"",
		    ty_name(c, t));
	if (!ty_complete(c, t))
		BAD(c, n, D_OFFSETOF_TYPE, "%s is an incomplete type", ty_name(c, t));
	if ((m = ty_member(c, t, n->str, &off)) == NULL)
		BAD(c, n, D_UNKNOWN, "%s has no member %s", ty_name(c, t), n->str);
	if (m->bit_size != 0)
		BAD(c, n, D_OFFSETOF_BITFIELD, "offsetof cannot be applied to a bit-field");
	return constant(c, n, off / 8, c->t_size);
}

static struct node *
ck_stringof(struct dc *c, struct node *n)
{
	n->a = ck(c, n->a);
	if (c->bad)
		return fail(c, n);
	if (n->a->kind == N_XLATE || (n->a->flags & NF_ACTION) ||
	    !(ty_is_strlike(n->a->type) || ty_is_scalar(ty_decay(c, n->a->type))))
		BAD(c, n, D_STRINGOF_TYPE, "cannot convert type \"%s\" to a string",
		    ty_name(c, n->a->type));
	if (ty_is_string(n->a->type))
		return n->a;
	return done(c, n, c->t_string);
}

static struct node *
ck_xlate(struct dc *c, struct node *n)
{
	struct type *t = n->type, *s;

	n->a = ck(c, n->a);
	if (c->bad)
		return fail(c, n);
	if (n->a->kind == N_XLATE)
		BAD(c, n, D_OP_DYN, "a translated object cannot be translated again");
	s = ty_base(ty_is_ptr(t) ? ty_base(t)->ref : t);
	if (!ty_is_sou(s))
		BAD(c, n, D_XLATE_SOU, "output type of a translator must be a struct or union: %s",
		    ty_name(c, t));
	n->x = xl_find(c, s, n->a->type, n->loc);
	if (c->bad)
		return fail(c, n);
	if (n->x == NULL)
		BAD(c, n, D_XLATE_NONE, "no translator from \"%s\" to \"%s\" exists",
		    ty_name(c, n->a->type), ty_name(c, s));
	return done(c, n, t);
}

struct node *
ck(struct dc *c, struct node *n)
{
	if (n->flags & NF_CHECKED)
		return n;
	if (c->bad)
		return fail(c, n);
	switch (n->kind) {
	case N_INT:
		return done(c, n, n->type);
	case N_STR:
		return done(c, n, c->t_string);
	case N_IDENT:
		return ck_ident(c, n);
	case N_SYM:
		return ck_sym(c, n);
	case N_AGG:
		return done(c, n, c->t_agg);
	case N_OP1:
		return ck_op1(c, n);
	case N_OP2:
		return ck_op2(c, n);
	case N_COND:
		return ck_cond(c, n);
	case N_CALL:
		return ck_call(c, n);
	case N_INDEX:
		if (n->a->kind == N_AGG) {
			ck_list(c, n);
			n->str = n->a->str;
			return c->bad ? fail(c, n) : done(c, n, c->t_agg);
		}
		return ck_index(c, n, NULL);
	case N_MEMBER:
		return ck_member(c, n);
	case N_CAST:
		return ck_cast(c, n);
	case N_SIZEOF: case N_SIZEOFT:
		return ck_sizeof(c, n);
	case N_OFFSETOF:
		return ck_offsetof(c, n);
	case N_STRINGOF:
		return ck_stringof(c, n);
	case N_XLATE:
		return ck_xlate(c, n);
	default:
		BAD(c, n, D_SYNTAX, "statement is used as an expression");
	}
}
