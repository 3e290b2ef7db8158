/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump.c - a program as it was understood, as D text again (-d).
 *
 * Declarations and pragmas are shown as they were written; clauses from the
 * raw tree, so macro arguments are values in them, and a clause with `if` is
 * shown as the clauses that it becomes (if.c), with variables that D can
 * spell. What comes out compiles, and does the same.
 *
 * Brackets are those of the source: a node knows that it stood in some.
 */
#include "impl.h"

struct dump {
	struct dc *c;
	struct dv_str out;
	struct clause *cl;
	unsigned first_if;		/* number of the first `if` of the clause, for names */
	unsigned next_if;
	bool open;			/* a part has begun */
};

static void expr(struct dump *u, const struct node *n);

static void
list(struct dump *u, const struct node *n)
{
	for (; n != NULL; n = n->next) {
		expr(u, n);
		if (n->next != NULL)
			dv_str_add(&u->out, ", ");
	}
}

static void
integer(struct dump *u, const struct node *n)
{
	const struct type *t = n->type != NULL ? ty_base(n->type) : u->c->t_int;
	bool wide = t->size == 8;

	if (!t->is_signed)
		dv_str_printf(&u->out, "%" PRIu64 "U%s", n->val, wide ? "LL" : "");
	else if ((int64_t)n->val >= 0)
		dv_str_printf(&u->out, "%" PRId64 "%s", (int64_t)n->val, wide ? "LL" : "");
	else		/* of a macro argument; the least one has no positive */
		dv_str_printf(&u->out, "(-%" PRIu64 "%s - 1)", ~n->val, wide ? "LL" : "");
}

static void
string(struct dump *u, const char *s, size_t n)
{
	size_t i;

	dv_str_add(&u->out, "\"");
	for (i = 0; i < n; i++) {
		unsigned char ch = (unsigned char)s[i];

		if (ch == '"' || ch == '\\')
			dv_str_printf(&u->out, "\\%c", ch);
		else if (ch == '\n')
			dv_str_add(&u->out, "\\n");
		else if (ch == '\t')
			dv_str_add(&u->out, "\\t");
		else if (ch < 0x20 || ch > 0x7e)
			dv_str_printf(&u->out, "\\%03o", ch);
		else
			dv_str_printf(&u->out, "%c", ch);
	}
	dv_str_add(&u->out, "\"");
}

static void
unary(struct dump *u, const struct node *n)
{
	if (n->op == OP_POSTINC || n->op == OP_POSTDEC) {
		expr(u, n->a);
		dv_str_add(&u->out, op_text(n->op));
		return;
	}
	dv_str_add(&u->out, op_text(n->op));
	if (n->a->kind == N_OP1)	/* - -x is not --x */
		dv_str_add(&u->out, " ");
	expr(u, n->a);
}

static void
bare(struct dump *u, const struct node *n)
{
	struct dv_str *o = &u->out;

	switch (n->kind) {
	case N_INT:
		integer(u, n);
		break;
	case N_STR:
		string(u, n->str, n->len);
		break;
	case N_IDENT:
		dv_str_printf(o, "%s%s", n->scope == SC_SELF ? "self->" :
		    n->scope == SC_THIS ? "this->" : "", n->str);
		break;
	case N_SYM:
		dv_str_add(o, n->str);
		break;
	case N_AGG:
		dv_str_printf(o, "@%s", strcmp(n->str, "_") == 0 ? "" : n->str);
		break;
	case N_OP1:
		unary(u, n);
		break;
	case N_OP2:
		expr(u, n->a);
		dv_str_printf(o, n->op == OP_COMMA ? "%s " : " %s ", op_text(n->op));
		expr(u, n->b);
		break;
	case N_COND:
		expr(u, n->a);
		dv_str_add(o, " ? ");
		expr(u, n->b);
		dv_str_add(o, " : ");
		expr(u, n->c);
		break;
	case N_CALL:
	case N_INDEX:
		expr(u, n->a);
		dv_str_add(o, n->kind == N_CALL ? "(" : "[");
		list(u, n->list);
		dv_str_add(o, n->kind == N_CALL ? ")" : "]");
		break;
	case N_MEMBER:
		expr(u, n->a);
		dv_str_printf(o, "%s%s", op_text(n->op), n->str);
		break;
	case N_CAST:
		dv_str_printf(o, "(%s)", n->tname);
		expr(u, n->a);
		break;
	case N_SIZEOFT:
		dv_str_printf(o, "sizeof (%s)", n->tname);
		break;
	case N_OFFSETOF:
		dv_str_printf(o, "offsetof(%s, %s)", n->tname, n->str);
		break;
	case N_XLATE:
		dv_str_printf(o, "xlate <%s> (", n->tname);
		expr(u, n->a);
		dv_str_add(o, ")");
		break;
	case N_SIZEOF:
	case N_STRINGOF:
		dv_str_add(o, n->kind == N_SIZEOF ? "sizeof " : "stringof ");
		expr(u, n->a);
		break;
	default:
		break;
	}
}

static void
expr(struct dump *u, const struct node *n)
{
	if (n->flags & NF_PAREN)
		dv_str_add(&u->out, "(");
	bare(u, n);
	if (n->flags & NF_PAREN)
		dv_str_add(&u->out, ")");
}

/* ---- clauses ----------------------------------------------------------- */

static void
line(struct dump *u, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void
line(struct dump *u, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	dv_str_printf(&u->out, "\t%s\n", text);
}

static void
descriptions(struct dump *u)
{
	const struct pdesc *d;

	for (d = u->cl->descs; d != NULL; d = d->next)
		dv_str_printf(&u->out, "%s%s\n", d->text, d->next != NULL ? "," : "");
}

/* Statements without `if`. Blocks in each other mean nothing by themselves. */
static void
statements(struct dump *u, const struct node *n)
{
	for (; n != NULL; n = n->next) {
		if (n->kind == N_BLOCK) {
			statements(u, n->list);
			continue;
		}
		dv_str_add(&u->out, "\t");
		expr(u, n);
		dv_str_add(&u->out, ";\n");
	}
}

static void
plain_clause(struct dump *u, const struct node *pred, const struct node *body)
{
	descriptions(u);
	if (pred != NULL) {
		dv_str_add(&u->out, "/");
		expr(u, pred);
		dv_str_add(&u->out, "/\n");
	}
	dv_str_add(&u->out, "{\n");
	statements(u, body);
	dv_str_add(&u->out, "}\n\n");
}

/* A part of a clause with `if`, that runs while `var` is `val`. */
static void
part_begin(struct dump *u, const char *var, int val)
{
	u->open = true;
	descriptions(u);
	dv_str_printf(&u->out, "/this->__fault%u == 0 && this->__%s == %d/\n{\n", u->first_if,
	    var, val);
	line(u, "this->__fault%u = 1;", u->first_if);
}

static void
part_end(struct dump *u)
{
	if (u->open) {
		line(u, "this->__fault%u = 0;", u->first_if);
		dv_str_add(&u->out, "}\n\n");
	}
	u->open = false;
}

static void
split(struct dump *u, const struct node *n, const char *var, int val)
{
	char cond[32];

	for (; n != NULL; n = n->next) {
		if (n->kind == N_BLOCK && has_if(n->list)) {
			split(u, n->list, var, val);
			continue;
		}
		if (!u->open)
			part_begin(u, var, val);
		if (n->kind == N_BLOCK) {
			statements(u, n->list);
			continue;
		}
		if (n->kind != N_IF) {
			dv_str_add(&u->out, "\t");
			expr(u, n);
			dv_str_add(&u->out, ";\n");
			continue;
		}
		snprintf(cond, sizeof(cond), "if%u", u->next_if++);
		dv_str_printf(&u->out, "\tthis->__%s = (", cond);
		expr(u, n->a);
		dv_str_add(&u->out, ") ? 1 : 2;\n");
		part_end(u);
		split(u, n->b, cond, 1);
		part_end(u);
		split(u, n->c, cond, 2);
		part_end(u);
	}
}

static unsigned
count_ifs(const struct node *n)
{
	unsigned k = 0;

	for (; n != NULL; n = n->next)
		if (n->kind == N_IF)
			k += 1 + count_ifs(n->b) + count_ifs(n->c);
		else if (n->kind == N_BLOCK)
			k += count_ifs(n->list);
	return k;
}

static void
if_clause(struct dump *u, const struct node *body)
{
	char run[32];
	unsigned i, n = count_ifs(body);

	u->first_if = u->next_if;
	snprintf(run, sizeof(run), "run%u", u->first_if);
	descriptions(u);
	dv_str_add(&u->out, "{\n");
	line(u, "this->__fault%u = 0;", u->first_if);
	line(u, "this->__%s = 0;", run);
	for (i = 0; i < n; i++)
		line(u, "this->__if%u = 0;", u->first_if + i);
	dv_str_add(&u->out, "}\n\n");
	descriptions(u);
	if (u->cl->pred != NULL) {
		dv_str_add(&u->out, "/");
		expr(u, u->cl->pred);
		dv_str_add(&u->out, "/\n");
	}
	dv_str_add(&u->out, "{\n");
	line(u, "this->__%s = 1;", run);
	dv_str_add(&u->out, "}\n\n");
	split(u, body, run, 1);
	part_end(u);
}

/* All of a program that was parsed and not yet checked. */
void
dump_program(struct dc *c, const struct dc_source *src)
{
	struct dump u = { .c = c, .first_if = c->ndumped, .next_if = c->ndumped };
	const struct item *it;
	const struct node *body;

	dv_str_init(&u.out);
	for (it = c->items; it != NULL; it = it->next) {
		if (it->cl == NULL) {
			dv_str_addn(&u.out, it->text, it->len);
			dv_str_add(&u.out, "\n\n");
			continue;
		}
		u.cl = it->cl;
		body = u.cl->body != NULL ? u.cl->body->list : NULL;
		if (has_if(body))
			if_clause(&u, body);
		else
			plain_clause(&u, u.cl->pred, body);
	}
	c->ndumped = u.next_if;
	if (u.out.failed)
		dc_nomem(c);
	else if (u.out.s != NULL)
		src->dump(src->arg, u.out.s);
	dv_str_fini(&u.out);
}

/* A piece of the program, in its order: a clause, or text as it was written. */
void
dump_item(struct dc *c, struct clause *cl, const char *text, size_t len)
{
	struct item *it;

	if (c->lib || c->expr_mode)
		return;
	it = dc_alloc(c, sizeof(*it));
	it->cl = cl;
	it->text = text;
	it->len = len;
	if (c->last_item != NULL)
		c->last_item->next = it;
	else
		c->items = it;
	c->last_item = it;
}
