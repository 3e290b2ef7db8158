/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fmt.c - formats of printf() and printa(), checked against their arguments.
 *
 *	% [flags - + # 0 ' space @] [width or *] [. precision or *] [size] letter
 *
 * A size prefix (h l L ...) is taken but says nothing: a conversion has the
 * size of what it shows. The flag @ shows an aggregation's value (printa).
 * What conversions mean is the consumer's business.
 */
#include "impl.h"

#define LETTERS "diouxXcCsSpaAfFeEgGkYTyZ%"

static bool
malformed(struct dc *c, struct loc l, const char *what)
{
	return dc_error(c, l, D_SYNTAX, "format string is malformed: %s", what);
}

static bool
number(const char *f, size_t n, size_t *i)
{
	size_t start = *i;
	uint64_t v = 0;

	for (; *i < n && f[*i] >= '0' && f[*i] <= '9'; (*i)++)
		if (v < 100000)
			v = v * 10 + (uint64_t)(f[*i] - '0');
	return *i > start && v <= 65535;
}

/* The conversions in order; %% is left out. */
struct conv *
fmt_parse(struct dc *c, struct loc l, const char *f, size_t n, bool *ok)
{
	struct conv *list = NULL, **tail = &list, *v;
	size_t i = 0, start;
	bool wide;

	*ok = false;
	if (n == 0) {
		dc_error(c, l, D_PRINTF_FMT_EMPTY, "format string is empty");
		return NULL;
	}
	while (i < n && !c->bad) {
		if (f[i++] != '%')
			continue;
		if (i < n && f[i] == '%') {
			i++;
			continue;
		}
		v = dc_alloc(c, sizeof(*v));
		for (; i < n && f[i] != '\0' && strchr("-+ #0'@", f[i]) != NULL; i++)
			v->agg |= f[i] == '@';
		if (i < n && f[i] == '*') {
			v->dynwidth = true;
			i++;
			if (i < n && (f[i] == '*' || (f[i] >= '0' && f[i] <= '9'))) {
				malformed(c, l, "more than one width");
				return NULL;
			}
		} else if (i < n && f[i] >= '0' && f[i] <= '9') {
			if (!number(f, n, &i)) {
				malformed(c, l, "width is too large");
				return NULL;
			}
			if (i < n && f[i] == '$') {
				malformed(c, l, "positions (%n$) are not supported");
				return NULL;
			}
			if (i < n && f[i] == '*') {
				malformed(c, l, "more than one width");
				return NULL;
			}
		}
		/* The flag @ may also stand after the width: %5@d */
		if (i < n && f[i] == '@') {
			v->agg = true;
			i++;
		}
		if (i < n && f[i] == '.') {
			i++;
			if (i < n && f[i] == '*') {
				v->dynprec = true;
				i++;
			} else if (i < n && f[i] >= '0' && f[i] <= '9' && !number(f, n, &i)) {
				malformed(c, l, "precision is too large");
				return NULL;
			}
			if (i < n && f[i] == '@') {
				v->agg = true;
				i++;
			}
		}
		start = i;
		while (i < n && f[i] != '\0' && strchr("hlLjztw", f[i]) != NULL)
			i++;
		if (i - start > 2) {
			malformed(c, l, "more than one size prefix");
			return NULL;
		}
		wide = i > start && f[i - 1] == 'w';
		if (i >= n) {
			malformed(c, l, "a conversion is not finished");
			return NULL;
		}
		if (f[i] == '\0' || strchr(LETTERS, f[i]) == NULL || f[i] == '%' ||
		    (wide && strchr("cdiouxX", f[i]) == NULL && f[i] != 's')) {
			malformed(c, l, dc_fmt(c, "there is no conversion %%%c", f[i]));
			return NULL;
		}
		v->c = f[i++];
		v->string_mod = wide;
		*tail = v;
		tail = &v->next;
	}
	*ok = !c->bad;
	return list;
}

static bool
fits(struct dc *c, char conv, struct node *n)
{
	struct type *t = n->type, *b = ty_base(t);

	if (n->kind == N_XLATE || b->kind == T_AGG || b->kind == T_VOID)
		return false;
	switch (conv) {
	case 'd': case 'i': case 'o': case 'u': case 'x': case 'X': case 'c': case 'C':
	case 'Y': case 'T': case 'y':
		return ty_is_int(t);
	case 's': case 'S': case 'Z':
		return ty_is_string(t) || (b->kind == T_ARRAY && ty_is_chars(t)) ||
		    (b->kind == T_RECORD && b->rkind >= DV_T_SYM);
	case 'p':
		return ty_is_scalar(ty_decay(c, t));
	case 'a': case 'A':
		return ty_is_scalar(ty_decay(c, t)) ||
		    (b->kind == T_RECORD && b->rkind >= DV_T_SYM);
	case 'k':
		return b->kind == T_RECORD &&
		    (b->rkind == DV_T_STACK || b->rkind == DV_T_USTACK);
	default:			/* f e g */
		return b->kind == T_FLOAT || ty_is_int(t);
	}
}

/*
 * printf: args are the values. printa: they stand for the keys, of which a
 * format may leave some out.
 */
void
fmt_check(struct dc *c, struct loc l, const char *what, struct conv *cv, struct node **args,
    uint32_t nargs, bool printa)
{
	uint32_t i = 0, k;

	for (k = 1; cv != NULL && !c->bad; cv = cv->next, k++) {
		if (cv->dynwidth || cv->dynprec) {
			uint32_t m, more = (uint32_t)cv->dynwidth + cv->dynprec;

			for (m = 0; m < more; m++, i++) {
				if (printa || i >= nargs) {
					dc_error(c, l, D_PRINTF_DYN_PROTO, "%s( ) prototype mismatch: "
					    "conversion #%u (%%%c) needs an argument for *", what, k, cv->c);
					return;
				}
				if (!ty_is_int(args[i]->type)) {
					dc_error(c, args[i]->loc, D_PRINTF_DYN_TYPE,
					    "%s( ) argument #%u for * must be an integer, not %s",
					    what, i + 2, ty_name(c, args[i]->type));
					return;
				}
			}
		}
		if (cv->agg) {
			if (!printa)
				dc_error(c, l, D_PRINTF_AGG_CONV,
				    "%s( ) conversion #%u: %%@ is for printa( ) only", what, k);
			continue;
		}
		if (i >= nargs) {
			dc_error(c, l, D_PRINTF_ARG_PROTO, "%s( ) prototype mismatch: conversion #%u "
			    "(%%%c) is missing a corresponding value argument", what, k, cv->c);
			return;
		}
		if (!fits(c, cv->c, args[i])) {
			dc_error(c, args[i]->loc, D_PRINTF_ARG_TYPE, "%s( ) %s #%u is incompatible "
			    "with conversion #%u prototype: %%%c cannot show %s", what,
			    printa ? "key" : "argument", printa ? i + 1 : i + 2, k, cv->c,
			    ty_name(c, args[i]->type));
			return;
		}
		i++;
	}
	if (!printa && i < nargs)
		dc_error(c, args[i]->loc, D_PRINTF_ARG_EXTRA, "%s( ) prototype mismatch: only %u "
		    "argument%s required by this format string", what, i, i == 1 ? "" : "s");
}
