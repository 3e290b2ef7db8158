/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pragma.c - lines that begin with #, and macros.
 *
 *	#pragma D option NAME[=VALUE] ...
 *	#pragma D attributes NAME/DATA/CLASS IDENTIFIER | provider P PART
 *	#pragma D binding "VERSION" IDENTIFIER
 *	#pragma D depends_on module | provider | library NAME
 *	#pragma D error TEXT
 *	# N "FILE" ...			where a line came from (cpp)
 *
 * Other people's pragmas are passed over. Stability attributes are checked for
 * form, and that their identifier exists at the end; nothing else comes of them.
 */
#include "impl.h"

struct pragma {
	const char *name;		/* the identifier it is for */
	struct loc loc;
	struct pragma *next;
};

struct words {
	const char *v[64];
	unsigned n;
};

static void
split(struct dc *c, const char *s, size_t n, struct words *w)
{
	size_t i = 0, start;

	w->n = 0;
	while (i < n && w->n < 64) {
		while (i < n && (s[i] == ' ' || s[i] == '\t' || s[i] == '\r'))
			i++;
		start = i;
		if (i < n && s[i] == '"') {
			for (i++; i < n && s[i] != '"'; i++)
				;
			i += i < n;
		} else
			while (i < n && s[i] != ' ' && s[i] != '\t' && s[i] != '\r')
				i++;
		if (i > start)
			w->v[w->n++] = dc_strdup(c, s + start, i - start);
	}
}

static void
later(struct dc *c, struct loc l, const char *name)
{
	struct pragma *p = dc_alloc(c, sizeof(*p));

	p->name = name;
	p->loc = l;
	p->next = c->pragmas;
	c->pragmas = p;
}

static bool
one_of(const char *s, size_t n, const char *const *set)
{
	for (; *set != NULL; set++)
		if (strlen(*set) == n && memcmp(*set, s, n) == 0)
			return true;
	return false;
}

static bool
attributes_ok(const char *s)
{
	static const char *const stab[] = { "Internal", "Private", "Obsolete", "External",
	    "Unstable", "Evolving", "Stable", "Standard", NULL };
	static const char *const class[] = { "Unknown", "CPU", "Platform", "Group", "ISA",
	    "Common", NULL };
	size_t n = strcspn(s, "/"), m;

	if (s[n] != '/' || !one_of(s, n, stab))
		return false;
	s += n + 1;
	m = strcspn(s, "/");
	if (s[m] != '/' || !one_of(s, m, stab))
		return false;
	s += m + 1;
	return one_of(s, strlen(s), class);
}

static void
option(struct dc *c, struct loc l, const struct words *w)
{
	struct dv_err err;
	unsigned i;

	if (w->n == 0) {
		dc_error(c, l, D_PRAGMA_MALFORM, "malformed #pragma D option: name=value is missing");
		return;
	}
	for (i = 0; i < w->n && !c->bad; i++) {
		const char *eq = strchr(w->v[i], '=');
		const char *name = eq != NULL ? dc_strdup(c, w->v[i], (size_t)(eq - w->v[i])) : w->v[i];

		memset(&err, 0, sizeof(err));
		if (op_set(c, name, eq != NULL ? eq + 1 : NULL, true, &err) != 0)
			dc_error(c, l, D_PRAGMA_OPTSET, "%s", err.text);
	}
}

static void
attributes(struct dc *c, struct loc l, const struct words *w)
{
	static const char *const parts[] = { "provider", "module", "function", "name", "args", NULL };

	if (w->n < 2) {
		dc_error(c, l, D_PRAGMA_MALFORM,
		    "malformed #pragma D attributes: attributes and an identifier are needed");
		return;
	}
	if (!attributes_ok(w->v[0])) {
		dc_error(c, l, D_PRAGMA_INVAL, "invalid attributes: %s", w->v[0]);
		return;
	}
	if (strcmp(w->v[1], "provider") == 0) {
		if (w->n != 4 || !one_of(w->v[3], strlen(w->v[3]), parts))
			dc_error(c, l, D_PRAGMA_MALFORM, "malformed #pragma D attributes: "
			    "provider NAME and provider, module, function, name or args are needed");
		return;
	}
	if (w->n != 2) {
		dc_error(c, l, D_PRAGMA_MALFORM, "malformed #pragma D attributes: extra words");
		return;
	}
	later(c, l, w->v[1]);
}

static void
binding(struct dc *c, struct loc l, const struct words *w)
{
	size_t i, n, dots = 0;

	if (w->n != 2) {
		dc_error(c, l, D_PRAGMA_MALFORM,
		    "malformed #pragma D binding: \"version\" and an identifier are needed");
		return;
	}
	n = strlen(w->v[0]);
	for (i = 1; i + 1 < n; i++)
		if (w->v[0][i] == '.')
			dots++;
		else if (w->v[0][i] < '0' || w->v[0][i] > '9')
			dots = 9;
	if (n < 3 || w->v[0][0] != '"' || w->v[0][n - 1] != '"' || dots == 0 || dots > 2) {
		dc_error(c, l, D_PRAGMA_INVAL, "invalid version: %s", w->v[0]);
		return;
	}
	later(c, l, w->v[1]);
}

static void
depends_on(struct dc *c, struct loc l, const struct words *w)
{
	static const char *const kinds[] = { "module", "provider", "library", NULL };

	if (w->n != 2) {
		dc_error(c, l, D_PRAGMA_MALFORM,
		    "malformed #pragma D depends_on: a kind and a name are needed");
		return;
	}
	if (!one_of(w->v[0], strlen(w->v[0]), kinds))
		dc_error(c, l, D_PRAGMA_INVAL, "invalid class of dependency: %s", w->v[0]);
	else if (!c->lib && strcmp(w->v[0], "library") == 0)
		dc_error(c, l, D_PRAGMA_DEPEND, "only libraries may depend on a library");
}

static void
error(struct dc *c, struct loc l, const char *s, size_t n)
{
	while (n > 0 && (s[n - 1] == '\r' || s[n - 1] == ' '))
		n--;
	dc_error(c, l, D_PRAGERR, "#error: %.*s", n > 500 ? 500 : (int)n, s);
}

/* Where word number k (from 0) of a line begins. */
static size_t
word_at(const char *s, size_t n, unsigned k)
{
	size_t i = 0;

	for (;;) {
		while (i < n && (s[i] == ' ' || s[i] == '\t'))
			i++;
		if (k-- == 0)
			return i;
		while (i < n && s[i] != ' ' && s[i] != '\t')
			i++;
	}
}

/* The line that begins with #, newline excluded. *newline: the next line's number, or 0. */
void
pr_line(struct dc *c, struct loc l, const char *s, size_t n, uint32_t *newline)
{
	struct words w, rest;
	const char *kind;
	uint64_t line;
	size_t off;

	off = 1 + (size_t)((const char *)memchr(s, '#', n) - s);
	s += off;
	n -= off;
	split(c, s, n, &w);
	if (w.n == 0 || c->bad)
		return;
	off = strcmp(w.v[0], "line") == 0;
	if (w.n > off && dv_parse_u64(w.v[off], &line) == 0) {
		if (line > 0 && line < INT32_MAX)
			*newline = (uint32_t)line;
		return;
	}
	if (strcmp(w.v[0], "error") == 0) {
		off = word_at(s, n, 1);
		error(c, l, s + off, n - off);
		return;
	}
	if (strcmp(w.v[0], "ident") == 0)
		return;
	if (strcmp(w.v[0], "pragma") != 0) {
		dc_error(c, l, D_PRAGCTL_INVAL,
		    "invalid control directive: #%s (is the C preprocessor, -C, wanted?)", w.v[0]);
		return;
	}
	if (w.n < 2 || strcmp(w.v[1], "D") != 0) {
		if (w.n >= 2 && strcmp(w.v[1], "error") == 0) {
			off = word_at(s, n, 2);
			error(c, l, s + off, n - off);
		}
		return;			/* somebody else's */
	}
	if (w.n < 3) {
		dc_error(c, l, D_PRAGMA_MALFORM, "malformed #pragma D: what it is for is missing");
		return;
	}
	kind = w.v[2];
	off = word_at(s, n, 3);
	split(c, s + off, n - off, &rest);
	if (strcmp(kind, "option") == 0)
		option(c, l, &rest);
	else if (strcmp(kind, "attributes") == 0)
		attributes(c, l, &rest);
	else if (strcmp(kind, "binding") == 0)
		binding(c, l, &rest);
	else if (strcmp(kind, "depends_on") == 0)
		depends_on(c, l, &rest);
	else if (strcmp(kind, "error") == 0)
		error(c, l, s + off, n - off);
	else
		dc_error(c, l, D_PRAGMA_INVAL, "invalid #pragma D: %s", kind);
}

/* At the end of a text: what pragmas were for must exist. */
void
pr_end(struct dc *c)
{
	struct pragma *p;

	for (p = c->pragmas; p != NULL && !c->bad; p = p->next)
		if (id_find(c, SC_GLOBAL, p->name) == NULL)
			dc_error(c, p->loc, D_PRAGMA_UNUSED, "unused #pragma: %s is not declared", p->name);
	c->pragmas = NULL;
}

bool
pr_macro(struct dc *c, struct loc l, const char *s, size_t n, struct dv_str *out)
{
	const struct dc_macros *m = &c->cfg.macros;
	const struct { const char *name; int64_t v; bool have; } names[] = {
		{ "pid", m->pid, true }, { "ppid", m->ppid, true }, { "uid", m->uid, true },
		{ "gid", m->gid, true }, { "euid", m->euid, true }, { "egid", m->egid, true },
		{ "pgid", m->pgid, true }, { "sid", m->sid, true }, { "projid", m->projid, true },
		{ "taskid", 0, true }, { "target", m->target, m->have_target },
	};
	const char *name = s;
	size_t len = n, i;
	uint64_t k = 0;
	bool quoted = n > 1 && s[1] == '$';

	while (len > 0 && *name == '$') {
		name++;
		len--;
	}
	if (len == 0 || n - len > 2)
		return dc_error(c, l, D_SYNTAX, "$ without the name of a macro");
	if (*name >= '0' && *name <= '9') {
		for (i = 0; i < len; i++) {
			if (name[i] < '0' || name[i] > '9')
				return dc_error(c, l, D_SYNTAX, "invalid macro argument: %.*s",
				    n > 40 ? 40 : (int)n, s);
			if (k < 1000000)
				k = k * 10 + (uint64_t)(name[i] - '0');
		}
		if (m->argc > 0 && k < (uint64_t)m->argc) {
			if (k < DC_NMACRO)
				c->macro_used[k] = true;
			dv_str_add(out, m->argv[k]);
			return true;
		}
		if (!c->opt[DV_OPT_DEFAULTARGS])
			return dc_error(c, l, D_MACRO_UNDEF, "macro argument %.*s is not defined",
			    n > 40 ? 40 : (int)n, s);
		if (!quoted)
			dv_str_add(out, "0");
		return true;
	}
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].have && strlen(names[i].name) == len &&
		    memcmp(names[i].name, name, len) == 0) {
			dv_str_printf(out, "%" PRId64, names[i].v);
			return true;
		}
	return dc_error(c, l, D_MACRO_UNDEF, "macro variable %.*s is not defined",
	    n > 40 ? 40 : (int)n, s);
}
