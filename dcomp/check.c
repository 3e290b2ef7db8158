/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.c - expressions get their meaning: names are resolved, types found.
 *
 * ck() turns a raw node into a checked one (often in place) of which holds:
 *
 *   (1) type is set; flags tell effects and use of the tuple stack below;
 *   (2) a value of string, struct or array type is an address at run time,
 *       every other one a 64-bit number, extended as its type says;
 *   (3) what remains to generate is INT, STR, OP1, OP2, COND, CALL, MEMBER,
 *       CAST, STRINGOF, VAR, BUILTIN, ARG, ADDR - and XLATE, which only
 *       member access may consume (xlate.c).
 *
 * Checked nodes are never changed again and may be shared. Operators and
 * assignment, with their conversions, are checkop.c's.
 */
#include "check.h"

struct node *
ck_fail(struct dc *c, struct node *n)
{
	(void)c;
	n->type = c->t_int;
	n->kind = N_INT;
	n->val = 0;
	n->regs = 1;
	n->flags |= NF_CHECKED;
	return n;
}

/* Marks n as checked; flags and registers come from its operands. */
struct node *
ck_done(struct dc *c, struct node *n, struct type *t)
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

struct node *
ck_const(struct dc *c, struct node *n, uint64_t v, struct type *t)
{
	n->kind = N_INT;
	n->a = n->b = n->c = n->list = NULL;
	n->val = v;
	return ck_done(c, n, t);
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
		return ck_done(c, n, t != NULL ? ty_ptr(c, t) : c->t_voidp);
	case DIF_VAR_TIMESTAMP: case DIF_VAR_VTIMESTAMP: case DIF_VAR_UCALLER:
		return ck_done(c, n, c->t_uint64);
	case DIF_VAR_WALLTIMESTAMP:
		return ck_done(c, n, c->t_int64);
	case DIF_VAR_CALLER:
		return ck_done(c, n, c->t_uintptr);
	case DIF_VAR_EPID: case DIF_VAR_ID: case DIF_VAR_IPL:
	case DIF_VAR_STACKDEPTH: case DIF_VAR_USTACKDEPTH:
		return ck_done(c, n, c->t_uint);
	case DIF_VAR_PROBEPROV: case DIF_VAR_PROBEMOD: case DIF_VAR_PROBEFUNC:
	case DIF_VAR_PROBENAME: case DIF_VAR_EXECNAME: case DIF_VAR_ZONENAME:
	case DIF_VAR_VMNAME:
		return ck_done(c, n, c->t_string);
	case DIF_VAR_PID: case DIF_VAR_PPID:
		return ck_done(c, n, c->t_pid);
	case DIF_VAR_TID:
		return ck_done(c, n, c->t_pid);
	case DIF_VAR_UID:
		return ck_done(c, n, c->t_uid);
	case DIF_VAR_GID:
		return ck_done(c, n, c->t_gid);
	case DIF_VAR_ERRNO: case DIF_VAR_CPU:
		return ck_done(c, n, c->t_int);
	default:			/* arg0.. */
		return ck_done(c, n, c->expr_mode ? c->t_uint64 : c->t_int64);
	}
}

const char *
ck_name(struct dc *c, const struct node *n)
{
	return n->scope == SC_SELF ? dc_fmt(c, "self->%.100s", n->str) :
	    n->scope == SC_THIS ? dc_fmt(c, "this->%.100s", n->str) : n->str;
}

struct node *
ck_var(struct dc *c, struct node *n, struct ident *id)
{
	n->kind = N_VAR;
	n->id = id;
	n->flags |= NF_LVAL;
	if (id->alloca_set)
		n->flags |= NF_ALLOCA;
	if (id->assoc)
		n->flags |= NF_TUPLE;
	return ck_done(c, n, id->type);
}

struct node *
ck_bound(struct dc *c, const struct node *n)
{
	struct frame *f;

	if (n->scope == SC_GLOBAL)
		for (f = c->frame; f != NULL; f = f->next)
			if (strcmp(f->name, n->str) == 0)
				return f->value;
	return NULL;
}

struct node *
ck_ident(struct dc *c, struct node *n)
{
	struct node *bound = ck_bound(c, n);
	struct ident *id;
	dc_tid_t tid = 0;
	int64_t v;

	if (bound != NULL)
		return bound;
	if ((id = id_find(c, n->scope, n->str)) == NULL) {
		if (n->scope == SC_GLOBAL && c->cfg.types != NULL &&
		    c->cfg.types->enumerator != NULL &&
		    c->cfg.types->enumerator(c->cfg.types->arg, n->str, &v, &tid))
			return ck_const(c, n, (uint64_t)v,
			    tid != 0 ? ty_import(c, tid) : v >= INT32_MIN && v <= INT32_MAX ?
			    c->t_int : c->t_long);
		if (n->scope == SC_GLOBAL && id_is_type(c, n->str, NULL))
			BAD(c, n, D_IDENT_BADREF, "a type is used as a value: %s", n->str);
		dc_miss(c);
		BAD(c, n, D_IDENT_UNDEF, "failed to resolve %s: unknown variable name",
		    ck_name(c, n));
	}
	switch (id->kind) {
	case ID_VAR:
		if (id->assoc)
			BAD(c, n, D_IDENT_BADREF, "associative array %s is used without an index",
			    ck_name(c, n));
		return ck_var(c, n, id);
	case ID_BUILTIN:
		if (id->val <= DIF_VAR_UREGS)
			BAD(c, n, D_IDENT_BADREF, "array %s is used without an index", n->str);
		return builtin(c, n, id->val);
	case ID_CONST:
		return ck_const(c, n, (uint64_t)id->cval, id->type);
	case ID_INLINE:
		if (id->assoc)
			BAD(c, n, D_IDENT_BADREF, "inline %s is used without its parameters",
			    n->str);
		return xl_inline(c, id, n);
	case ID_BROKEN:
		dc_miss(c);
		BAD(c, n, id->why_tag, "%s is not available: %s", n->str, id->why);
	case ID_TYPE:
		BAD(c, n, D_IDENT_BADREF, "a type is used as a value: %s", n->str);
	default:
		BAD(c, n, D_IDENT_BADREF, "function %s is used without arguments", n->str);
	}
}

/*
 * A symbol of the guest. addr_only: under &, where no type is needed. Without,
 * an address must not pass for a value.
 */
struct node *
ck_sym(struct dc *c, struct node *n, bool addr_only)
{
	const struct dc_types *ts = c->cfg.types;
	const char *q = strchr(n->str, '`'), *mod = NULL;
	struct dc_sinfo sym = { 0 };
	struct type *t;

	if (q != n->str)
		mod = dc_strdup(c, n->str, (size_t)(q - n->str));
	dc_miss(c);
	if (ts == NULL || ts->symbol == NULL ||
	    ts->symbol(ts->arg, mod, q + 1, &sym) != 0)
		BAD(c, n, D_IDENT_UNDEF, "failed to resolve %s: no such symbol", n->str);
	n->kind = N_ADDR;
	n->val = sym.addr;
	if (sym.is_code)
		return ck_done(c, n, c->t_uintptr);
	t = sym.type != 0 ? ty_import(c, sym.type) :
	    sym.text != NULL ? ty_text(c, sym.text) : NULL;
	if (t != NULL && ty_base(t)->kind == T_FUNC)
		return ck_done(c, n, c->t_uintptr);
	if (t == NULL || !ty_complete(c, ty_base(t)) || ty_base(t)->kind == T_VOID) {
		if (addr_only)
			return ck_done(c, n, ty_ptr(c, c->t_void));
		BAD(c, n, D_SYM_NOTYPES, "the guest does not say the type of %s: "
		    "use *(type *)&%s", n->str, n->str);
	}
	n = ck_done(c, n, ty_ptr(c, t));
	n = nd_op1(c, OP_DEREF, n->loc, n);
	n->flags |= NF_LVAL;
	return ck_done(c, n, t);
}

/* ---- indexing ---------------------------------------------------------- */

void
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
		return ck_fail(c, n);
	if (n->len > DIF_MAXTUPLE)
		BAD(c, n, D_PROTO_LEN, "%s has too many keys (at most %d)",
		    ck_name(c, base), DIF_MAXTUPLE);
	if (id == NULL) {
		if (base->scope == SC_THIS)
			BAD(c, n, D_ARR_LOCAL,
			    "a this-> variable cannot be an associative array: %s",
			    ck_name(c, base));
		id = id_add(c, base->scope, base->str, ID_VAR, base->loc);
		id->assoc = true;
		id->type = first;
		id->nkeys = n->len;
		id->keys = dc_alloc(c, n->len * sizeof(*id->keys));
		if (c->bad)
			return ck_fail(c, n);
		for (i = 0, k = n->list; k != NULL; k = k->next, i++)
			id->keys[i] = ty_is_strlike(k->type) && !ty_is_ptr(k->type) ?
			    c->t_string : ty_decay(c, k->type);
	}
	if (id->nkeys != n->len)
		BAD(c, n, D_PROTO_LEN, "%s: key list has %u keys, but %u are declared",
		    ck_name(c, base), n->len, id->nkeys);
	for (i = 0, p = &n->list; (k = *p) != NULL; p = &(*p)->next, i++) {
		struct node *next = k->next, *r;

		if (!ck_argcompat(c, id->keys[i], k))
			BAD(c, k, D_PROTO_ARG,
			    "%s: key #%u has type %s, which does not fit %s", ck_name(c, base),
			    i + 1, ty_name(c, k->type), ty_name(c, id->keys[i]));
		if ((r = ck_convert(c, k, id->keys[i])) != k) {
			r->next = next;
			*p = r;
		}
	}
	n->a = NULL;
	return ck_var(c, n, id);
}

/* base[index] of C. */
static struct node *
ck_subscript(struct dc *c, struct node *n)
{
	struct type *t, *b;
	struct node *i, *sum, *r;

	n->a = ck(c, n->a);
	if (c->bad)
		return ck_fail(c, n);
	if (ty_base(n->a->type)->kind == T_AGG)
		BAD(c, n, D_AGG_MDIM, "an aggregation is indexed by a tuple: @[a, b]");
	if (n->a->kind == N_XLATE)
		BAD(c, n, D_OP_DYN, "a translated object cannot be indexed");
	ck_list(c, n);
	if (c->bad)
		return ck_fail(c, n);
	t = ty_decay(c, n->a->type);
	if (ty_is_string(t))
		t = ty_ptr(c, c->t_char);
	if (!ty_is_ptr(t))
		BAD(c, n, n->a->kind == N_VAR ? D_IDENT_BADREF : D_OP_INCOMPAT,
		    "\"%s\" is no array and no pointer: it cannot be indexed",
		    ty_name(c, n->a->type));
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
	if (ty_base(n->a->type)->kind == T_ARRAY && i->kind != N_INT)
		sum->len = ty_base(n->a->type)->n;
	sum = ck_done(c, sum, t);
	r = nd_op1(c, OP_DEREF, n->loc, sum);
	r->flags |= NF_LVAL;
	return ck_done(c, r, b);
}

/* args[], regs[], uregs[]. */
static struct node *
ck_builtin_array(struct dc *c, struct node *n, uint32_t which)
{
	const char *name = n->a->str;
	struct node *i;

	ck_list(c, n);
	if (c->bad)
		return ck_fail(c, n);
	if (n->len != 1)
		BAD(c, n, D_PROTO_LEN, "%s takes one index", name);
	i = n->list;
	if (!ty_is_int(i->type))
		BAD(c, i, which == DIF_VAR_ARGS ? D_ARGS_TYPE : D_PROTO_ARG,
		    "index of %s must be an integer", name);
	if (which == DIF_VAR_ARGS) {
		if (i->kind != N_INT)
			BAD(c, i, D_ARGS_TYPE, "index of args[] must be an integer constant");
		return xl_args(c, n, (int64_t)i->val);
	}
	if (i->kind == N_INT && i->val >= (which == DIF_VAR_REGS ? DV_NREG : DIF_NUREGS))
		BAD(c, i, which == DIF_VAR_REGS ? D_REGS_IDX : D_UNKNOWN,
		    "index of %s is out of range", name);
	n->kind = N_ARG;
	n->a = i;
	n->list = NULL;
	n->val = which;
	return ck_done(c, n, c->t_uint64);
}

struct node *
ck_index(struct dc *c, struct node *n, struct type *first)
{
	struct node *base = n->a;
	struct ident *id = NULL;

	if (base->kind == N_IDENT && !(base->flags & NF_CHECKED) && ck_bound(c, base) == NULL) {
		id = id_find(c, base->scope, base->str);
		if (id == NULL && first != NULL)
			return ck_assoc(c, n, NULL, first);
		if (id != NULL && id->kind == ID_VAR && id->assoc)
			return ck_assoc(c, n, id, first);
		if (id != NULL && id->kind == ID_INLINE && id->assoc) {
			ck_list(c, n);
			return c->bad ? ck_fail(c, n) : xl_inline(c, id, n);
		}
		if (id != NULL && id->kind == ID_VAR && base->scope == SC_THIS && n->len > 1)
			BAD(c, n, D_ARR_LOCAL,
			    "a this-> variable cannot be an associative array: %s",
			    ck_name(c, base));
		if (id != NULL && id->kind == ID_BUILTIN && id->val <= DIF_VAR_UREGS)
			return ck_builtin_array(c, n, id->val);
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
		return ck_fail(c, n);
	t = n->a->type;
	if (n->op == OP_ARROW) {
		if (ty_base(t)->kind == T_ARRAY)
			t = ty_decay(c, t);
		if (!ty_is_ptr(t))
			BAD(c, n, D_OP_PTR, "operator -> needs a pointer, not \"%s\"",
			    ty_name(c, t));
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
	return ck_done(c, n, m->type);
}

/* ---- calls ------------------------------------------------------------- */

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
		dc_miss(c);
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
			return ck_fail(c, n);
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
	return ck_const(c, n, size, c->t_size);
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
	return ck_const(c, n, off / 8, c->t_size);
}

static struct node *
ck_stringof(struct dc *c, struct node *n)
{
	n->a = ck(c, n->a);
	if (c->bad)
		return ck_fail(c, n);
	if (n->a->kind == N_XLATE || (n->a->flags & NF_ACTION) ||
	    !(ty_is_strlike(n->a->type) || ty_is_scalar(ty_decay(c, n->a->type))))
		BAD(c, n, D_STRINGOF_TYPE, "cannot convert type \"%s\" to a string",
		    ty_name(c, n->a->type));
	if (ty_is_string(n->a->type))
		return n->a;
	return ck_done(c, n, c->t_string);
}

static struct node *
ck_xlate(struct dc *c, struct node *n)
{
	struct type *t = n->type, *s;

	n->a = ck(c, n->a);
	if (c->bad)
		return ck_fail(c, n);
	if (n->a->kind == N_XLATE)
		BAD(c, n, D_OP_DYN, "a translated object cannot be translated again");
	s = ty_base(ty_is_ptr(t) ? ty_base(t)->ref : t);
	if (!ty_is_sou(s))
		BAD(c, n, D_XLATE_SOU, "output type of a translator must be a struct or union: %s",
		    ty_name(c, t));
	n->x = xl_find(c, s, n->a->type, n->loc);
	if (c->bad)
		return ck_fail(c, n);
	if (n->x == NULL)
		BAD(c, n, D_XLATE_NONE, "no translator from \"%s\" to \"%s\" exists",
		    ty_name(c, n->a->type), ty_name(c, s));
	return ck_done(c, n, t);
}

struct node *
ck(struct dc *c, struct node *n)
{
	if (n->flags & NF_CHECKED)
		return n;
	if (c->bad)
		return ck_fail(c, n);
	switch (n->kind) {
	case N_INT:
		return ck_done(c, n, n->type);
	case N_STR:
		return ck_done(c, n, c->t_string);
	case N_IDENT:
		return ck_ident(c, n);
	case N_SYM:
		return ck_sym(c, n, false);
	case N_AGG:
		return ck_done(c, n, c->t_agg);
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
			return c->bad ? ck_fail(c, n) : ck_done(c, n, c->t_agg);
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
