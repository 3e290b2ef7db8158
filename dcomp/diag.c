/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diag.c - errors, and memory that is always there.
 *
 * The first error of a compilation is the one that is told. dc_error() fills
 * the caller's struct dv_err and sets c->bad; later calls change nothing, so
 * a pass may go on after an error without spoiling it. An error inside the
 * text of a library's inline or translator is told at the place in the
 * program that uses it.
 *
 * dc_alloc() never returns NULL. At the cap it notes the failure, lifts the
 * cap and goes on: as c->bad stops every pass soon, little more is asked for.
 * Should even that fail, one spare block is handed out again and again; what
 * is built in it is nonsense that nobody reads, as c->bad is set.
 */
#include "impl.h"

static const char *const tag_names[D_NTAGS] = {
	[D_NONE] = "",
#define DC_TAG(name) [D_##name] = "D_" #name,
#include "errtags.def"
};

const char *
dc_tag_name(enum dc_tag tag)
{
	return tag < D_NTAGS ? tag_names[tag] : "";
}

bool
dc_error(struct dc *c, struct loc l, enum dc_tag tag, const char *fmt, ...)
{
	char text[900];
	va_list ap;

	if (c->bad)
		return false;
	c->bad = true;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (c->err == NULL)
		return false;
	if (c->at) {
		l = c->at_loc;
		dv_err_set(c->err, DV_E_COMPILE, "%s: %s", c->at_what, text);
	} else
		dv_err_set(c->err, DV_E_COMPILE, "%s", text);
	c->err->line = l.line;
	c->err->col = l.col;
	snprintf(c->err->tag, sizeof(c->err->tag), "%s", dc_tag_name(tag));
	return false;
}

/* Beyond a limit of ours: no other types or probes put that right. */
bool
dc_error_limit(struct dc *c, struct loc l, const char *what, uint32_t limit, const char *unit)
{
	bool first = !c->bad;

	dc_error(c, l, D_UNKNOWN, "%s (limit %u%s)", what, limit, unit);
	if (first && c->err != NULL)
		c->err->code = DV_E_LIMIT;
	return false;
}

/*
 * An argument of the wrong type: what is wanted and what was given follow in
 * lines of their own. conv: of a format, or NULL.
 */
bool
dc_error_proto(struct dc *c, struct loc l, enum dc_tag tag, const char *conv, const char *proto,
    const char *given, const char *fmt, ...)
{
	char text[600];
	va_list ap;

	if (c->bad)
		return false;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	dc_error(c, l, tag, "%s", text);
	if (conv != NULL)
		dv_err_hint(c->err, "conversion: %s", conv);
	dv_err_hint(c->err, "%sprototype: %s", conv != NULL ? " " : "", proto);
	dv_err_hint(c->err, "%sargument: %s", conv != NULL ? "  " : " ", given);
	return false;
}

bool
dc_nomem(struct dc *c)
{
	if (!c->bad)
		dv_err_set(c->err, DV_E_NOMEM,
		    "out of memory: the program is too large (limit %u MB)", MAX_MEMORY >> 20);
	c->bad = true;
	return false;
}

void *
dc_alloc(struct dc *c, size_t n)
{
	void *p = dv_arena_alloc(c->arena, n);

	if (p != NULL)
		return p;
	dc_nomem(c);
	dv_arena_limit(c->arena, 0);
	if ((p = dv_arena_alloc(c->arena, n)) != NULL)
		return p;
	return memset(c->spare, 0, sizeof(c->spare));
}

const char *
dc_strdup(struct dc *c, const char *s, size_t n)
{
	char *p;

	if ((p = dv_arena_alloc(c->arena, n + 1)) == NULL) {
		dc_nomem(c);
		return "";
	}
	memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

const char *
dc_fmt(struct dc *c, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return dc_strdup(c, text, strlen(text));
}
