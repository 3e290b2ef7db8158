/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ast.c - nodes of the tree.
 *
 * Lists hang on `next`; while a list grows, its first node's `last` is its
 * end. Every node knows the height of what is below it, and the parser
 * refuses a node above MAX_DEPTH, so all passes may recurse.
 */
#include "impl.h"

struct node *
nd(struct dc *c, enum nkind k, struct loc l)
{
	struct node *n = dc_alloc(c, sizeof(*n));

	n->kind = k;
	n->loc = l;
	n->depth = 1;
	return n;
}

void
nd_depth(struct dc *c, struct node *n)
{
	struct node *const kids[] = { n->a, n->b, n->c, n->list };
	uint32_t d = 0;
	unsigned i;

	for (i = 0; i < 4; i++)
		if (kids[i] != NULL && kids[i]->depth > d)
			d = kids[i]->depth;
	n->depth = d + 1;
	if (n->depth > MAX_DEPTH) {
		dc_error(c, n->loc, D_SYNTAX,
		    "expressions or blocks are nested too deeply (more than %d levels)",
		    MAX_DEPTH);
		n->a = n->b = n->c = n->list = NULL;
		n->depth = 1;
	}
}

struct node *
nd_int(struct dc *c, struct loc l, uint64_t v, struct type *t)
{
	struct node *n = nd(c, N_INT, l);

	n->val = v;
	n->type = t;
	return n;
}

struct node *
nd_str(struct dc *c, struct loc l, const char *s, size_t len)
{
	struct node *n = nd(c, N_STR, l);

	n->str = s;
	n->len = (uint32_t)len;
	return n;
}

struct node *
nd_name(struct dc *c, enum nkind k, struct loc l, const char *s)
{
	struct node *n = nd(c, k, l);

	n->str = s;
	return n;
}

struct node *
nd_op1(struct dc *c, enum op op, struct loc l, struct node *a)
{
	struct node *n = nd(c, N_OP1, l);

	n->op = op;
	n->a = a;
	nd_depth(c, n);
	return n;
}

struct node *
nd_op2(struct dc *c, enum op op, struct loc l, struct node *a, struct node *b)
{
	struct node *n = nd(c, N_OP2, l);

	n->op = op;
	n->a = a;
	n->b = b;
	nd_depth(c, n);
	return n;
}

struct node *
nd_op3(struct dc *c, struct loc l, struct node *a, struct node *b, struct node *e)
{
	struct node *n = nd(c, N_COND, l);

	n->a = a;
	n->b = b;
	n->c = e;
	nd_depth(c, n);
	return n;
}

/* Items keep their own `val` alive only until they are in a list: an item's
 * `last` shares its storage, so the list's end is kept in a head of its own. */
struct node *
nd_list(struct dc *c, struct node *list, struct node *n)
{
	if (list == NULL) {
		list = nd(c, N_BLOCK, n->loc);
		list->list = n;
	} else
		list->last->next = n;
	list->last = n;
	list->len++;
	if (n->depth > list->depth)
		list->depth = n->depth;
	return list;
}

struct node *
nd_with_list(struct dc *c, enum nkind k, struct loc l, struct node *a, struct node *list)
{
	struct node *n = nd(c, k, l);

	n->a = a;
	if (list != NULL) {
		n->list = list->list;
		n->len = list->len;
	}
	nd_depth(c, n);
	if (list != NULL && list->depth + 1 > n->depth) {
		n->depth = list->depth + 1;
		if (n->depth > MAX_DEPTH)
			dc_error(c, l, D_SYNTAX, "expressions or blocks are nested too "
			    "deeply (more than %d levels)", MAX_DEPTH);
	}
	return n;
}

struct node *
nd_member(struct dc *c, enum op op, struct loc l, struct node *a, const char *name)
{
	struct node *n = nd(c, N_MEMBER, l);

	n->op = op;
	n->a = a;
	n->str = name;
	nd_depth(c, n);
	return n;
}

/* A raw copy, to be checked anew; checked nodes in it are shared. */
struct node *
nd_copy(struct dc *c, const struct node *n)
{
	struct node *r, **tail;
	const struct node *k;

	if (n == NULL)
		return NULL;
	if (n->flags & NF_CHECKED)
		return (struct node *)(uintptr_t)n;
	r = dc_alloc(c, sizeof(*r));
	*r = *n;
	r->next = NULL;
	if (c->copy_lib)		/* errors are told at the use */
		r->loc = c->copy_loc;
	if (++c->ncopied > MAX_COPIES)
		dc_error(c, n->loc, D_UNKNOWN, "inlines and translators make the expression "
		    "too large");
	if (c->bad)
		return r;
	r->a = nd_copy(c, n->a);
	r->b = nd_copy(c, n->b);
	r->c = nd_copy(c, n->c);
	tail = &r->list;
	for (k = n->list; k != NULL; k = k->next) {
		*tail = nd_copy(c, k);
		tail = &(*tail)->next;
	}
	*tail = NULL;
	return r;
}

const char *
op_text(enum op op)
{
	static const char *const text[] = {
		[OP_COMMA] = ",", [OP_ASGN] = "=", [OP_MUL_EQ] = "*=", [OP_DIV_EQ] = "/=",
		[OP_MOD_EQ] = "%=", [OP_ADD_EQ] = "+=", [OP_SUB_EQ] = "-=", [OP_LSH_EQ] = "<<=",
		[OP_RSH_EQ] = ">>=", [OP_AND_EQ] = "&=", [OP_XOR_EQ] = "^=", [OP_OR_EQ] = "|=",
		[OP_LOR] = "||", [OP_LXOR] = "^^", [OP_LAND] = "&&", [OP_BOR] = "|",
		[OP_XOR] = "^", [OP_BAND] = "&", [OP_EQ] = "==", [OP_NE] = "!=", [OP_LT] = "<",
		[OP_LE] = "<=", [OP_GT] = ">", [OP_GE] = ">=", [OP_LSH] = "<<", [OP_RSH] = ">>",
		[OP_ADD] = "+", [OP_SUB] = "-", [OP_MUL] = "*", [OP_DIV] = "/", [OP_MOD] = "%",
		[OP_NOT] = "!", [OP_BNEG] = "~", [OP_NEG] = "-", [OP_POS] = "+",
		[OP_DEREF] = "*", [OP_ADDR] = "&", [OP_PREINC] = "++", [OP_PREDEC] = "--",
		[OP_POSTINC] = "++", [OP_POSTDEC] = "--", [OP_DOT] = ".", [OP_ARROW] = "->",
	};

	return op < sizeof(text) / sizeof(text[0]) && text[op] != NULL ? text[op] : "?";
}
