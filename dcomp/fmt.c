/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fmt.c - formats of printf() and printa(), checked against their arguments.
 *
 *	% [flags - + # 0 ' space @] [width or *] [. precision or *] [size] letter
 *
 * A size prefix is taken but says little: a conversion has the size of what it
 * shows (h and hh cut it). wc and ws are letters of their own. The flag @, also
 * behind the width or precision, shows an aggregation's value (printa). What
 * conversions look like is the consumer's business; which types they take is
 * said here, in one table.
 */
#include "impl.h"

enum takes { INTS, CHARS, WCHARS, STRINGS, WSTRINGS, ADDRS, SYMS, STACKS, FLOATS, TIMES };

static const struct {
	const char *letters;
	enum takes takes;
	const char *proto;		/* as messages say it */
} convs[] = {
	{ "di", INTS, "char, short, int, long, or long long" },
	{ "ouxX", INTS, "char, short, int, long, or long long, or their unsigned kinds" },
	{ "cC", CHARS, "char, or an integer" },
	{ "w", WCHARS, "wchar_t, or an integer" },
	{ "sS", STRINGS, "char [] or string (or use stringof)" },
	{ "W", WSTRINGS, "wchar_t []" },
	{ "p", ADDRS, "pointer or integer" },
	{ "aA", SYMS, "pointer or integer, or sym( ), mod( ), usym( ), umod( ), uaddr( )" },
	{ "k", STACKS, "stack( ), ustack( ), or jstack( )" },
	{ "eEfFgG", FLOATS, "float, double, or long double, or an integer" },
	{ "TYy", TIMES, "an integer: nanoseconds since 1970" },
};

static int
conv_of(char letter)
{
	unsigned i;

	for (i = 0; i < sizeof(convs) / sizeof(convs[0]); i++)
		if (letter != '\0' && strchr(convs[i].letters, letter) != NULL)
			return (int)i;
	return -1;
}

/* "%d", "%wc": as it is written. */
static const char *
conv_text(struct dc *c, const struct conv *v)
{
	return v->c == 'w' ? "%wc" : v->c == 'W' ? "%ws" : dc_fmt(c, "%%%c", v->c);
}

/* ---- taking apart ------------------------------------------------------- */

struct scan {
	struct dc *c;
	struct loc l;
	const char *f;
	size_t n, i;
};

static char
peek(const struct scan *s)
{
	return s->i < s->n ? s->f[s->i] : '\0';
}

static bool
malformed(struct scan *s, const char *what)
{
	return dc_error(s->c, s->l, D_SYNTAX, "format string is malformed: %s", what);
}

static bool
is_digit(char ch)
{
	return ch >= '0' && ch <= '9';
}

static bool
number(struct scan *s)
{
	uint64_t v = 0;

	for (; is_digit(peek(s)); s->i++)
		if (v < 100000)
			v = v * 10 + (uint64_t)(s->f[s->i] - '0');
	return v <= 65535;
}

static void
flag_at(struct scan *s, struct conv *v)
{
	if (peek(s) == '@') {
		v->agg = true;
		s->i++;
	}
}

static bool
width(struct scan *s, struct conv *v)
{
	if (peek(s) == '*') {
		v->dynwidth = true;
		s->i++;
		if (peek(s) == '*' || is_digit(peek(s)))
			return malformed(s, "more than one width");
	} else if (is_digit(peek(s))) {
		if (!number(s))
			return malformed(s, "width is too large");
		if (peek(s) == '$')
			return malformed(s, "positions (%n$) are not supported");
		if (peek(s) == '*')
			return malformed(s, "more than one width");
	}
	flag_at(s, v);
	return true;
}

static bool
precision(struct scan *s, struct conv *v)
{
	if (peek(s) != '.')
		return true;
	s->i++;
	if (peek(s) == '*') {
		v->dynprec = true;
		s->i++;
	} else if (!number(s))
		return malformed(s, "precision is too large");
	flag_at(s, v);
	return true;
}

static bool
letter(struct scan *s, struct conv *v)
{
	size_t start = s->i;
	bool wide = false;

	for (; peek(s) != '\0' && strchr("hlLqjztw", peek(s)) != NULL; s->i++)
		wide |= peek(s) == 'w';
	if (s->i - start > 2)
		return malformed(s, "more than one size prefix");
	if (s->i >= s->n)
		return malformed(s, "a conversion is not finished");
	v->c = peek(s);
	if (wide)
		v->c = v->c == 'c' ? 'w' : v->c == 's' ? 'W' : '\0';
	if (v->c == '\0' || conv_of(v->c) < 0 || (v->c == 'W' && !wide))
		return malformed(s, dc_fmt(s->c, "there is no conversion %%%.*s",
		    (int)(s->i - start + 1), s->f + start));
	s->i++;
	return true;
}

/* The conversions in order; %% is left out. */
struct conv *
fmt_parse(struct dc *c, struct loc l, const char *f, size_t n, bool *ok)
{
	struct scan s = { c, l, f, n, 0 };
	struct conv *list = NULL, **tail = &list, *v;

	*ok = false;
	if (n == 0) {
		dc_error(c, l, D_PRINTF_FMT_EMPTY, "format string is empty");
		return NULL;
	}
	while (s.i < n && !c->bad) {
		if (f[s.i++] != '%')
			continue;
		if (peek(&s) == '%') {
			s.i++;
			continue;
		}
		v = dc_alloc(c, sizeof(*v));
		for (; peek(&s) != '\0' && strchr("-+ #0'@", peek(&s)) != NULL; s.i++)
			v->agg |= peek(&s) == '@';
		if (!width(&s, v) || !precision(&s, v) || !letter(&s, v))
			return NULL;
		*tail = v;
		tail = &v->next;
	}
	*ok = !c->bad;
	return list;
}

/* ---- against the arguments ---------------------------------------------- */

static bool
is_sym(struct type *b)
{
	return b->kind == T_RECORD && b->rkind >= DV_T_SYM;
}

static bool
fits(struct dc *c, char conv, struct node *n)
{
	struct type *t = n->type, *b = ty_base(t), *elem;

	if (n->kind == N_XLATE || b->kind == T_AGG || b->kind == T_VOID)
		return false;
	switch (convs[conv_of(conv)].takes) {
	case INTS: case CHARS: case WCHARS: case TIMES:
		return ty_is_int(t);
	case STRINGS:
		return ty_is_string(t) || (b->kind == T_ARRAY && ty_is_chars(t)) || is_sym(b);
	case WSTRINGS:
		elem = b->kind == T_ARRAY ? ty_base(b->ref) : NULL;
		return elem != NULL && ty_is_int(elem) && ty_size(c, elem) == 4;
	case ADDRS:
		return ty_is_scalar(ty_decay(c, t));
	case SYMS:
		return ty_is_scalar(ty_decay(c, t)) || is_sym(b);
	case STACKS:
		return b->kind == T_RECORD && (b->rkind == DV_T_STACK || b->rkind == DV_T_USTACK);
	default:			/* FLOATS */
		return b->kind == T_FLOAT || ty_is_int(t);
	}
}

struct check {
	struct dc *c;
	struct loc l;
	const char *what;		/* the action */
	struct node **args;
	uint32_t nargs, next;
	bool printa;
};

/* The arguments of * before conversion k. */
static bool
dynamic(struct check *f, const struct conv *v, uint32_t k)
{
	uint32_t more = (uint32_t)v->dynwidth + v->dynprec;

	for (; more > 0; more--, f->next++) {
		if (f->printa || f->next >= f->nargs)
			return dc_error(f->c, f->l, D_PRINTF_DYN_PROTO, "%s( ) prototype mismatch: "
			    "conversion #%u (%s) is missing a corresponding \"*\" argument",
			    f->what, k,
			    conv_text(f->c, v));
		if (!ty_is_int(f->args[f->next]->type))
			return dc_error_proto(f->c, f->args[f->next]->loc, D_PRINTF_DYN_TYPE,
			    conv_text(f->c, v), "int", ty_name(f->c, f->args[f->next]->type),
			    "%s( ) argument #%u is incompatible with conversion #%u \"*\":",
			    f->what,
			    f->next + 2, k);
	}
	return true;
}

static bool
conversion(struct check *f, const struct conv *v, uint32_t k)
{
	struct node *n;
	struct type *b;

	if (!dynamic(f, v, k))
		return false;
	if (v->agg) {
		if (!f->printa)
			return dc_error(f->c, f->l, D_PRINTF_AGG_CONV,
			    "%s( ) conversion #%u: %%@ is for printa( ) only", f->what, k);
		return true;
	}
	if (f->next >= f->nargs)
		return dc_error(f->c, f->l, D_PRINTF_ARG_PROTO,
		    "%s( ) prototype mismatch: conversion "
		    "#%u (%s) is missing a corresponding %s", f->what, k, conv_text(f->c, v),
		    f->printa ? "key" : "value argument");
	n = f->args[f->next];
	b = ty_base(n->type);
	/* A key lies in its aggregation as it is: an array has no address there. */
	if (!fits(f->c, v->c, n) || (f->printa && b->kind == T_ARRAY &&
	    convs[conv_of(v->c)].takes >= ADDRS))
		return dc_error_proto(f->c, f->printa ? f->l : n->loc, D_PRINTF_ARG_TYPE,
		    conv_text(f->c, v), convs[conv_of(v->c)].proto, ty_name(f->c, n->type),
		    "%s( ) %s #%u is incompatible with conversion #%u prototype:", f->what,
		    f->printa ? "key" : "argument", f->printa ? f->next + 1 : f->next + 2, k);
	f->next++;
	return true;
}

/*
 * printf: args are the values. printa: they stand for the keys, of which a
 * format may leave some out.
 */
void
fmt_check(struct dc *c, struct loc l, const char *what, struct conv *cv, struct node **args,
    uint32_t nargs, bool printa)
{
	struct check f = { c, l, what, args, nargs, 0, printa };
	uint32_t k;

	for (k = 1; cv != NULL && !c->bad; cv = cv->next, k++)
		if (!conversion(&f, cv, k))
			return;
	if (!printa && f.next < nargs)
		dc_error(c, args[f.next]->loc, D_PRINTF_ARG_EXTRA,
		    "%s( ) prototype mismatch: only %u "
		    "argument%s required by this format string", what, f.next,
		    f.next == 1 ? "" : "s");
}

/* The type that argument i of printf() is recorded as, or NULL: its own. */
struct type *
fmt_as(struct dc *c, struct conv *cv, struct node **args, uint32_t i)
{
	uint32_t at = 0;

	for (; cv != NULL; cv = cv->next, at++) {
		at += (uint32_t)cv->dynwidth + cv->dynprec;
		if (at >= i)
			break;
	}
	if (cv == NULL || at != i || ty_base(args[i]->type)->kind != T_ARRAY)
		return NULL;
	/* %p and %a show where an array is, not what it holds */
	return convs[conv_of(cv->c)].takes == ADDRS || convs[conv_of(cv->c)].takes == SYMS ?
	    ty_decay(c, args[i]->type) : NULL;
}
