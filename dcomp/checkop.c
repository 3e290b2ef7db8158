/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * checkop.c - operators: which operands they take, what their result is.
 *
 * C's rules, and D's: strings compare by content, ^^ is the logical exclusive
 * or, the first assignment to a name declares it. The machine computes in 64
 * bits, whatever the type; cgen.c cuts a result where that can be told. So an
 * operand is converted only where its value would differ. Constants are folded
 * here.
 */
#include "check.h"

static struct node *ck_assign(struct dc *c, struct node *n);
static struct node *ck_lhs(struct dc *c, struct node *n, struct type *first);

static uint64_t
cut(uint64_t v, struct type *t)
{
	t = ty_base(t);
	if (t->kind == T_INT && t->is_bool)
		return v != 0;
	if ((t->kind != T_INT && t->kind != T_ENUM) || t->size >= 8 || t->size == 0)
		return v;
	v <<= 64 - t->size * 8;
	return t->is_signed ? (uint64_t)((int64_t)v >> (64 - t->size * 8)) :
	    v >> (64 - t->size * 8);
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
		return ck_done(c, r, t);
	}
	if (f == b || !ty_is_scalar(f) || !ty_is_scalar(b) ||
	    (!b->is_bool && f->size < b->size &&
	    (!ty_is_signed(f) || ty_is_signed(b) || b->size == 8)) ||
	    (b->size == 8) ||
	    (!b->is_bool && f->size == b->size && ty_is_signed(f) == ty_is_signed(b)))
		return n;
	r = nd(c, N_CAST, n->loc);
	r->a = n;
	return ck_done(c, r, t);
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
			return ck_fail(c, n);
		if (!ty_is_scalar(k[i]->type))
			BAD(c, n, D_OP_SCALAR,
			    "operator %s needs operands of scalar type, not \"%s\"",
			    op_text(n->op), ty_name(c, k[i]->type));
	}
	if (n->a->kind == N_INT && n->b->kind == N_INT) {
		v = n->op == OP_LAND ? n->a->val && n->b->val :
		    n->op == OP_LOR ? n->a->val || n->b->val : !n->a->val != !n->b->val;
		return ck_const(c, n, v, c->t_int);
	}
	return ck_done(c, n, c->t_int);
}

static struct node *
ck_compare(struct dc *c, struct node *n)
{
	struct type *a = ty_decay(c, n->a->type), *b = ty_decay(c, n->b->type), *t;
	bool r, sg;

	if (is_dyn(c, n->a) || is_dyn(c, n->b))
		return ck_fail(c, n);
	if (ty_is_string(a) || ty_is_string(b)) {
		if (!(ty_is_strlike(n->a->type) || (n->a->kind == N_INT && n->a->val == 0)) ||
		    !(ty_is_strlike(n->b->type) || (n->b->kind == N_INT && n->b->val == 0)))
			return incompat(c, n);
		return ck_done(c, n, c->t_int);
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
			return ck_const(c, n, r, c->t_int);
		}
		n->bit_size = sg;
		return ck_done(c, n, c->t_int);
	}
	if (ty_is_ptr(a) && ty_is_ptr(b)) {
		struct type *x = ty_base(a)->ref, *y = ty_base(b)->ref;

		if (!ty_is_void(x) && !ty_is_void(y) && !ty_same(x, y) &&
		    !(ty_is_int(x) && ty_is_int(y) && ty_size(c, x) == ty_size(c, y)) &&
		    !(ty_is_sou(x) && ty_is_sou(y) &&
		    (ty_base(x)->incomplete || ty_base(y)->incomplete)))
			return incompat(c, n);
	} else if (!(ty_is_ptr(a) && ty_is_int(b)) && !(ty_is_int(a) && ty_is_ptr(b)))
		return incompat(c, n);
	n->bit_size = 0;
	return ck_done(c, n, c->t_int);
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
			return ck_done(c, n, t);
		v = x << y;
		break;
	default:
		if (y > 63)
			return ck_done(c, n, t);
		v = sg ? (uint64_t)((int64_t)x >> y) : x >> y;
		break;
	}
	return ck_const(c, n, cut(v, t), t);
}

/* A binary arithmetic operator; `eq`: it is part of an assignment. */
static struct node *
ck_arith(struct dc *c, struct node *n, enum op op, bool eq)
{
	struct type *a = ty_decay(c, n->a->type), *b = ty_decay(c, n->b->type), *t, *r;

	if (is_dyn(c, n->a) || is_dyn(c, n->b))
		return ck_fail(c, n);
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
		return ck_done(c, n, t);
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
			return ck_done(c, n, c->t_long);
		}
		n->flags |= n->a->flags & NF_ALLOCA;
		return ck_done(c, n, a);
	}
	return incompat(c, n);
}

struct node *
ck_op2(struct dc *c, struct node *n)
{
	if (n->op >= OP_ASGN && n->op <= OP_OR_EQ)
		return ck_assign(c, n);
	n->a = ck(c, n->a);
	n->b = ck(c, n->b);
	if (c->bad)
		return ck_fail(c, n);
	switch (n->op) {
	case OP_COMMA:
		if (is_dyn(c, n->a))
			return ck_fail(c, n);
		return n->b->kind == N_XLATE ? n->b : ck_done(c, n, n->b->type);
	case OP_LAND: case OP_LOR: case OP_LXOR:
		return ck_logical(c, n);
	case OP_EQ: case OP_NE: case OP_LT: case OP_LE: case OP_GT: case OP_GE:
		return ck_compare(c, n);
	default:
		return ck_arith(c, n, n->op, false);
	}
}

/* ++ and -- */
static struct node *
ck_step(struct dc *c, struct node *n)
{
	struct type *t;

	n->a = ck_lhs(c, n->a, c->t_int64);
	if (c->bad)
		return ck_fail(c, n);
	t = n->a->type;
	if (!ty_is_scalar(t))
		BAD(c, n, D_OP_SCALAR, "operator %s needs an operand of scalar type, not \"%s\"",
		    op_text(n->op), ty_name(c, t));
	if (ty_is_ptr(t) && ty_size(c, ty_base(t)->ref) == 0)
		BAD(c, n, D_OP_VFPTR, "operand of %s has an unknown size: \"%s\"",
		    op_text(n->op), ty_name(c, t));
	n->flags |= NF_SIDE;
	return ck_done(c, n, t);
}

static struct node *
ck_addrof(struct dc *c, struct node *n)
{
	struct node *p, *r;
	struct ident *id;
	struct type *t;

	if (n->a->kind == N_IDENT && !(n->a->flags & NF_CHECKED) && n->a->scope == SC_GLOBAL) {
		id = id_find(c, SC_GLOBAL, n->a->str);
		if (id != NULL && (id->kind == ID_VAR || id->kind == ID_BUILTIN))
			BAD(c, n, D_ADDROF_VAR, "the address of variable %s cannot be taken",
			    n->a->str);
	}
	n->a = n->a->kind == N_SYM ? ck_sym(c, n->a, true) : ck(c, n->a);
	if (c->bad)
		return ck_fail(c, n);
	t = n->a->type;
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
	if (n->a->kind != N_OP1 || n->a->op != OP_DEREF)
		return ck_done(c, n, ty_ptr(c, t));
	p = n->a->a;
	if (ty_same(p->type, ty_ptr(c, t)))
		return p;
	r = nd(c, N_CAST, n->loc);
	r->a = p;
	return ck_done(c, r, ty_ptr(c, t));
}

static struct node *
ck_deref(struct dc *c, struct node *n)
{
	struct type *t = n->a->type;

	if (is_dyn(c, n->a) && ty_is_ptr(t))
		return ck_fail(c, n);
	t = ty_decay(c, t);
	if (!ty_is_ptr(t))
		BAD(c, n, D_DEREF_NONPTR, "operand of * is no pointer: \"%s\"", ty_name(c, t));
	t = ty_base(t)->ref;
	if (ty_is_void(t))
		BAD(c, n, D_DEREF_VOID, "a pointer to void cannot be dereferenced");
	if (ty_base(t)->kind == T_FUNC)
		BAD(c, n, D_DEREF_FUNC, "a pointer to a function cannot be dereferenced");
	n->flags |= NF_LVAL;
	return ck_done(c, n, t);
}

/* Unary + and - */
static struct node *
ck_sign(struct dc *c, struct node *n)
{
	struct type *t = n->a->type;

	if (!ty_is_int(t))
		BAD(c, n, D_OP_ARITH, "unary %s needs an operand of arithmetic type, not \"%s\"",
		    op_text(n->op), ty_name(c, t));
	t = ty_promote(c, t);
	if (n->a->kind != N_INT)
		return ck_done(c, n, t);
	/* -2147483648 is an int */
	if (n->op == OP_NEG && ty_base(t) == c->t_long && n->a->val == (uint64_t)INT32_MAX + 1)
		t = c->t_int;
	return ck_const(c, n, n->op == OP_NEG ? cut(-n->a->val, t) : n->a->val, t);
}

struct node *
ck_op1(struct dc *c, struct node *n)
{
	struct type *t;

	switch (n->op) {
	case OP_PREINC: case OP_PREDEC: case OP_POSTINC: case OP_POSTDEC:
		return ck_step(c, n);
	case OP_ADDR:
		return ck_addrof(c, n);
	default:
		break;
	}
	n->a = ck(c, n->a);
	if (c->bad)
		return ck_fail(c, n);
	t = n->a->type;
	switch (n->op) {
	case OP_DEREF:
		return ck_deref(c, n);
	case OP_NOT:
		if (is_dyn(c, n->a))
			return ck_fail(c, n);
		if (!ty_is_scalar(t))
			BAD(c, n, D_OP_SCALAR,
			    "operator ! needs an operand of scalar type, not \"%s\"",
			    ty_name(c, t));
		if (n->a->kind == N_INT)
			return ck_const(c, n, !n->a->val, c->t_int);
		return ck_done(c, n, c->t_int);
	case OP_BNEG:
		if (!ty_is_int(t))
			BAD(c, n, D_OP_INT,
			    "operator ~ needs an operand of integral type, not \"%s\"",
			    ty_name(c, t));
		t = ty_promote(c, t);
		if (n->a->kind == N_INT)
			return ck_const(c, n, cut(~n->a->val, t), t);
		return ck_done(c, n, t);
	default:
		return ck_sign(c, n);
	}
}

struct node *
ck_cond(struct dc *c, struct node *n)
{
	struct type *x, *y, *t;

	n->a = ck(c, n->a);
	n->b = ck(c, n->b);
	n->c = ck(c, n->c);
	if (c->bad)
		return ck_fail(c, n);
	if ((n->b->flags | n->c->flags) & NF_ACTION)
		BAD(c, n, D_OP_ACT, "an action cannot be used inside of ?:");
	if (is_dyn(c, n->a) || is_dyn(c, n->b) || is_dyn(c, n->c))
		return ck_fail(c, n);
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
		return ck_const(c, n, n->a->val ? n->b->val : n->c->val, t);
	return ck_done(c, n, t);
bad:
	BAD(c, n, D_OP_INCOMPAT, "operands have incompatible types: \"%s\" : \"%s\"",
	    ty_name(c, x), ty_name(c, y));
}

struct node *
ck_cast(struct dc *c, struct node *n)
{
	struct type *t = n->type, *f;

	n->a = ck(c, n->a);
	if (c->bad)
		return ck_fail(c, n);
	f = ty_decay(c, n->a->type);
	if (n->a->kind == N_XLATE) {
		if (ty_same(t, n->a->type))
			return n->a;
		is_dyn(c, n->a);
		return ck_fail(c, n);
	}
	if (ty_is_void(t))
		return ck_done(c, n, t);
	if (ty_is_string(t)) {
		if (!ty_is_strlike(f) && !ty_is_scalar(f))
			goto bad;
		n->kind = N_STRINGOF;
		return ck_done(c, n, t);
	}
	if (ty_is_scalar(t)) {
		if (ty_is_string(f) && ty_is_ptr(t))
			return ck_done(c, n, t);
		if (!ty_is_scalar(f))
			goto bad;
		if (n->a->kind == N_INT)
			return ck_const(c, n, cut(n->a->val, t), t);
		n->flags |= n->a->flags & NF_ALLOCA;
		return ck_done(c, n, t);
	}
	if (ty_same(t, n->a->type))
		return ck_done(c, n, t);
bad:
	BAD(c, n, D_CAST_INVAL, "invalid cast from \"%s\" to \"%s\"",
	    ty_name(c, n->a->type), ty_name(c, t));
}

/* ---- assignment -------------------------------------------------------- */

/* What n is a part of: an array of a struct's, say, or the variable. */
static struct node *
whole_of(struct node *n)
{
	if (n->kind == N_OP1 && n->op == OP_DEREF)
		n = n->a->kind == N_OP2 && n->a->op == OP_ADD ? n->a->a : n->a;
	else if (n->kind == N_MEMBER)
		n = n->a;
	else
		return NULL;
	return ty_is_byref(n->type) && !ty_is_string(n->type) ? n : NULL;
}

/* The symbol of the guest that n is, or is a part of; NULL: none. */
static const struct node *
symbol_of(struct node *n)
{
	for (; n != NULL; n = whole_of(n))
		if (n->kind == N_OP1 && n->op == OP_DEREF && n->a->kind == N_ADDR)
			return n->a;
	return NULL;
}

/*
 * The variable that n is a part of will be written through its address. A
 * self-> one, or an element of an associative array, has none before it is set.
 */
static void
make_storage(struct node *n)
{
	struct node *w = whole_of(n);

	for (; w != NULL; n = w, w = whole_of(w))
		;
	if (n->kind == N_VAR)
		n->flags |= NF_MAKE;
}

/*
 * The left side: resolved, created if it is new and `first` tells its type.
 */
static struct node *
ck_lhs(struct dc *c, struct node *n, struct type *first)
{
	const struct node *sym;
	struct ident *id;

	if (n->flags & NF_CHECKED)
		goto checked;
	if (n->kind == N_IDENT) {
		if (ck_bound(c, n) != NULL)
			BAD(c, n, D_OP_LVAL, "%s cannot be changed", n->str);
		id = id_find(c, n->scope, n->str);
		if (id == NULL && first != NULL) {
			/* An enumerator of the guest does not keep a name from a program. */
			id = id_add(c, n->scope, n->str, ID_VAR, n->loc);
			id->type = first;
			return ck_var(c, n, id);
		}
		if (id->kind == ID_BUILTIN)
			BAD(c, n, D_OP_WRITE, "built-in variable %s is read-only", n->str);
		if (id->kind == ID_INLINE || id->kind == ID_CONST)
			BAD(c, n, D_OP_LVAL, "%s cannot be changed", n->str);
		n = ck_ident(c, n);
	} else if (n->kind == N_INDEX) {
		if (n->a->kind == N_AGG)
			BAD(c, n, D_OP_LVAL, "an aggregation cannot be changed here");
		if (n->a->kind == N_IDENT && (id = id_find(c, n->a->scope, n->a->str)) != NULL &&
		    id->kind == ID_BUILTIN && id->val <= DIF_VAR_UREGS)
			BAD(c, n, D_OP_WRITE, "built-in array %s is read-only", n->a->str);
		n = ck_index(c, n, first);
	} else
		n = ck(c, n);
	if (c->bad)
		return ck_fail(c, n);
checked:
	if (ty_base(n->type)->kind == T_AGG)
		BAD(c, n, D_OP_LVAL, "an aggregation cannot be changed here");
	if (!(n->flags & NF_LVAL))
		BAD(c, n, D_OP_LVAL, "operand cannot be changed: it is no variable");
	if (ty_base(n->type)->kind != T_ARRAY && (sym = symbol_of(n)) != NULL)
		BAD(c, n, D_OP_WRITE, "the guest's variable %s is read-only", sym->str);
	make_storage(n);
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
	if (n->kind == N_INDEX)
		n = n->a;
	if (n->kind != N_IDENT || (n->flags & NF_CHECKED) || ck_bound(c, n) != NULL)
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
		BAD(c, n, D_VAR_UNDEF, "%s has not yet been declared or assigned", ck_name(c, k));
	was = n->b->kind;
	n->b = ck(c, n->b);
	if (c->bad)
		return ck_fail(c, n);
	if (n->b->flags & NF_ACTION)
		BAD(c, n, D_OP_INCOMPAT, "an action has no value to assign");
	if (n->op == OP_ASGN) {
		t = first_type(c, n->b, was);
		if (t == NULL && is_new(c, n->a))
			BAD(c, n, n->b->kind == N_XLATE ? D_OP_DYN : D_OP_INCOMPAT,
			    "a value of type \"%s\" cannot be assigned", ty_name(c, n->b->type));
		n->a = ck_lhs(c, n->a, t);
		if (c->bad)
			return ck_fail(c, n);
		t = n->a->type;
		if (n->b->kind == N_XLATE)
			BAD(c, n, D_OP_DYN, "a translated object cannot be assigned");
		if (n->a->kind != N_VAR &&
		    (ty_base(t)->kind == T_ARRAY || ty_base(t)->kind == T_FUNC))
			BAD(c, n, D_OP_ARRFUN,
			    "an array or function cannot be assigned as a whole");
		if (!assignable(c, t, n->b))
			return incompat(c, n);
		if (n->a->kind == N_VAR && ty_is_ptr(t) && n->b->kind != N_INT) {
			struct ident *id = n->a->id;
			bool al = n->b->flags & NF_ALLOCA;

			if (al ? id->other_set : id->alloca_set)
				BAD(c, n, D_ALLOCA_INCOMPAT,
				    "%s holds both alloca()ed and other pointers",
				    id->name);
			id->alloca_set |= al;
			id->other_set |= !al;
		}
		n->b = ty_is_int(t) && ty_is_int(n->b->type) ? ck_convert(c, n->b, t) : n->b;
	} else {
		n->a = ck_lhs(c, n->a, NULL);
		if (c->bad)
			return ck_fail(c, n);
		t = n->a->type;
		tmp = nd_op2(c, n->op, n->loc, n->a, n->b);
		tmp = ck_arith(c, tmp, plain[n->op], true);
		if (c->bad)
			return ck_fail(c, n);
		n->b = tmp->b;
		n->bit_size = tmp->bit_size;
	}
	n->flags |= NF_SIDE;
	return ck_done(c, n, t);
}
