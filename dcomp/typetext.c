/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * typetext.c - print(): a type as text, for the consumer that shows its values.
 *
 * The consumer knows records, not types, so the action carries its type:
 *
 *	i SIZE NAME ;		signed integer		u ...	unsigned
 *	c SIZE NAME ;		char			b ...	bool
 *	p SIZE NAME ;		pointer			f ...	floating point
 *	s SIZE NAME ;		string			t ...	array of char
 *	x SIZE NAME ;		bytes of no known shape
 *	e SIZE NAME ; { NAME ; VALUE } .
 *	a SIZE NAME ; COUNT VALUE		array: what an element is
 *	{ SIZE NAME ; { BITOFF BITS NAME ; VALUE } }	struct, union
 *
 * without the blanks, but numbers are separated from what follows by one.
 * BITS is 0 for a member that is no bit-field, NAME is empty for one that is
 * anonymous. Names come from the guest: bytes that are no part of a C type's
 * name become '?', so that the text can be taken apart. Types inside each other
 * end at MAX_NEST, the text at MAX_TEXT: a guest may describe types without end.
 */
#include "act_impl.h"

#define MAX_NEST	24
#define MAX_TEXT	(1u << 18)
#define MAX_PRINT	(1u << 20)	/* bytes of one value */

static void
put_name(struct dv_str *s, const char *name)
{
	for (; *name != '\0'; name++) {
		bool word = (*name >= '0' && *name <= '9') || *name == '_' ||
		    ((*name | 32) >= 'a' && (*name | 32) <= 'z');

		dv_str_addc(s, word || strchr(" *[]()$", *name) != NULL ? *name : '?');
	}
	dv_str_addc(s, ';');
}

static void
put_head(struct dc *c, struct dv_str *s, char code, struct type *t, uint64_t size)
{
	struct type *b = ty_base(t);
	bool anon = (b->kind == T_STRUCT || b->kind == T_UNION) && b->name[0] == '\0' &&
	    t->alias == NULL && t->kind != T_TYPEDEF;

	dv_str_printf(s, "%c%" PRIu64 " ", code, size);
	put_name(s, anon ? b->kind == T_UNION ? "union" : "struct" : ty_name(c, t));
}

static void
put_enum(struct dc *c, struct dv_str *s, struct type *t)
{
	struct type *b = ty_base(t);
	uint32_t i;

	(void)ty_complete(c, b);
	put_head(c, s, 'e', t, b->size);
	for (i = 0; i < b->nmem; i++) {
		put_name(s, b->mem[i].name);
		dv_str_printf(s, "%" PRId64 " ", b->mem[i].value);
	}
	dv_str_addc(s, '.');
}

static void put_type(struct dc *c, struct dv_str *s, struct type *t, unsigned nest);

static void
put_sou(struct dc *c, struct dv_str *s, struct type *t, unsigned nest)
{
	struct type *b = ty_base(t);
	uint32_t i;

	(void)ty_complete(c, b);
	put_head(c, s, '{', t, b->size);
	for (i = 0; i < b->nmem && s->len < MAX_TEXT; i++) {
		struct member *m = &b->mem[i];

		if (ty_size(c, m->type) == 0)	/* a flexible array: nothing of it is here */
			continue;
		dv_str_printf(s, "%" PRIu64 " %u ", m->bit_off, m->bit_size);
		put_name(s, m->name);
		put_type(c, s, m->type, nest + 1);
	}
	dv_str_addc(s, '}');
}

static void
put_array(struct dc *c, struct dv_str *s, struct type *t, unsigned nest)
{
	struct type *b = ty_base(t), *elem = ty_base(b->ref);

	if (elem->kind == T_INT && elem->is_char) {
		put_head(c, s, 't', t, b->size);
		return;
	}
	put_head(c, s, 'a', t, b->size);
	dv_str_printf(s, "%u ", b->n);
	put_type(c, s, b->ref, nest + 1);
}

static void
put_type(struct dc *c, struct dv_str *s, struct type *t, unsigned nest)
{
	struct type *b = ty_base(t);

	if (nest >= MAX_NEST) {
		put_head(c, s, 'x', t, ty_size(c, t));
		return;
	}
	switch (b->kind) {
	case T_INT:
		put_head(c, s, b->is_bool ? 'b' : b->is_char && b->is_signed ? 'c' :
		    b->is_signed ? 'i' : 'u', t, b->size);
		break;
	case T_ENUM:
		put_enum(c, s, t);
		break;
	case T_PTR:
		put_head(c, s, 'p', t, b->size);
		break;
	case T_FLOAT:
		put_head(c, s, 'f', t, b->size);
		break;
	case T_STRING:
		put_head(c, s, 's', t, c->opt[DV_OPT_STRSIZE]);
		break;
	case T_ARRAY:
		put_array(c, s, t, nest);
		break;
	case T_STRUCT: case T_UNION:
		put_sou(c, s, t, nest);
		break;
	default:
		put_head(c, s, 'x', t, ty_size(c, t));
	}
}

/* May this be printed? Tells why not. */
static bool
printable(struct seg *s, struct node *n, struct node *k)
{
	struct dc *c = s->c;
	uint64_t size;

	if (k->kind == N_AGG || (k->kind == N_INDEX && k->a->kind == N_AGG &&
	    !(k->flags & NF_CHECKED)))
		return dc_error(c, n->list->loc, D_PRINT_AGG,
		    "print( ) may not be applied to an aggregation");
	if (c->bad)
		return false;
	if (k->kind == N_XLATE || (k->flags & NF_ACTION) || ty_base(k->type)->kind == T_RECORD)
		return dc_error(c, k->loc, D_PRINT_DYN, "print( ) may not be applied to %s: print "
		    "what it is made of", k->kind == N_XLATE ? "a translated object" : "an action");
	if (ty_is_void(k->type))
		return dc_error(c, k->loc, D_PRINT_VOID,
		    "print( ) may not be applied to a void expression");
	size = ty_size(c, k->type);
	if (size == 0)
		return dc_error(c, k->loc, D_PRINT_SIZE,
		    "print( ) argument #1 has type \"%s\" with "
		    "size 0: it cannot be printed by reference", ty_name(c, k->type));
	if (size > MAX_PRINT)
		return dc_error(c, k->loc, D_PRINT_SIZE,
		    "print( ) argument #1 has type \"%s\" with "
		    "size %" PRIu64 ": at most %u bytes can be printed", ty_name(c, k->type), size,
		    MAX_PRINT);
	return true;
}

void
act_print(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	struct dv_dtype rec;
	struct dv_act *a;
	struct dv_str text;
	struct node *k;
	uint32_t difo;

	if (!act_nargs(s, n, 1, 1, D_PROTO_LEN))
		return;
	k = act_arg(s, n->list);
	if (!printable(s, n, k))
		return;
	rec = ty_dtype(c, k->type);
	difo = cg_difo(c, k, NULL);
	if (c->bad || (a = act_add(s, DV_ACT_PRINT)) == NULL)
		return;
	a->difo = difo;
	a->rec = rec;
	act_place(a, &s->off);
	dv_str_init(&text);
	put_type(c, &text, k->type, 0);
	if (text.failed)
		dc_nomem(c);
	else if (text.len >= MAX_TEXT)
		dc_error(c, k->loc, D_PRINT_SIZE, "print( ) argument #1 has a type with too many "
		    "members: print a part of it");
	else
		a->arg = dv_progb_str(c->out, text.s);
	dv_str_fini(&text);
}
