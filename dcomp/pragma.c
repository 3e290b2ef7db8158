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
 * Other people's pragmas are passed over. Attributes and bindings may come
 * before the declaration that they are for, so they take effect at the end of
 * the text (pr_end); attr.c makes use of them.
 *
 * A library that depends on something that is not there is left out: all its
 * names are entered as "broken" with that reason (prog.c).
 */
#include "impl.h"

struct pragma {
	const char *name;		/* the identifier it is for */
	struct loc loc;
	uint64_t version;		/* binding; 0: attributes */
	struct dc_attr attr;
	struct pragma *next;
};

#define MAX_WORDS	64

struct words {
	const char *v[MAX_WORDS];
	unsigned n;
	bool more;			/* there were too many */
};

static void
split(struct dc *c, const char *s, size_t n, struct words *w)
{
	size_t i = 0, start;

	w->n = 0;
	w->more = false;
	while (i < n) {
		while (i < n && (s[i] == ' ' || s[i] == '\t' || s[i] == '\r'))
			i++;
		start = i;
		if (i < n && w->n == MAX_WORDS) {
			w->more = true;
			return;
		}
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

static struct pragma *
later(struct dc *c, struct loc l, const char *name)
{
	struct pragma *p = dc_alloc(c, sizeof(*p));

	p->name = name;
	p->loc = l;
	p->next = c->pragmas;
	c->pragmas = p;
	return p;
}

static void
option(struct dc *c, struct loc l, const struct words *w)
{
	struct dv_err err;
	unsigned i;

	if (w->n == 0) {
		dc_error(c, l, D_PRAGMA_MALFORM,
		    "malformed #pragma D option: name=value is missing");
		return;
	}
	for (i = 0; i < w->n && !c->bad; i++) {
		const char *eq = strchr(w->v[i], '=');
		const char *name = eq == NULL ? w->v[i] :
		    dc_strdup(c, w->v[i], (size_t)(eq - w->v[i]));

		memset(&err, 0, sizeof(err));
		if (op_set(c, name, eq != NULL ? eq + 1 : NULL, true, &err) != 0)
			dc_error(c, l, D_PRAGMA_OPTSET, "%s", err.text);
	}
}

static void
attributes(struct dc *c, struct loc l, const struct words *w)
{
	static const char *const parts[] = {
		"provider", "module", "function", "name", "args", NULL
	};
	uint64_t v;
	unsigned i;

	if (w->n < 2) {
		dc_error(c, l, D_PRAGMA_MALFORM,
		    "malformed #pragma D attributes: attributes and an identifier are needed");
		return;
	}
	if (!at_parse(w->v[0], &v)) {
		dc_error(c, l, D_PRAGMA_INVAL, "invalid attributes: %s", w->v[0]);
		return;
	}
	if (strcmp(w->v[1], "provider") == 0) {
		for (i = 0; w->n == 4 && parts[i] != NULL && strcmp(parts[i], w->v[3]) != 0; i++)
			;
		if (w->n != 4 || parts[i] == NULL)
			dc_error(c, l, D_PRAGMA_MALFORM, "malformed #pragma D attributes: "
			    "provider NAME and provider, module, function, name or args "
			    "are needed");
		else
			at_provider(c, w->v[2], (enum dc_apart)i, at_attr(v));
		return;
	}
	if (w->n != 2) {
		dc_error(c, l, D_PRAGMA_MALFORM, "malformed #pragma D attributes: extra words");
		return;
	}
	later(c, l, w->v[1])->attr = at_attr(v);
}

static void
binding(struct dc *c, struct loc l, const struct words *w)
{
	const char *text;
	uint64_t version;
	size_t n;

	if (w->n != 2) {
		dc_error(c, l, D_PRAGMA_MALFORM,
		    "malformed #pragma D binding: \"version\" and an identifier are needed");
		return;
	}
	n = strlen(w->v[0]);
	text = n >= 2 ? dc_strdup(c, w->v[0] + 1, n - 2) : "";
	if (n < 3 || w->v[0][0] != '"' || w->v[0][n - 1] != '"' || !op_version(text, &version)) {
		dc_error(c, l, D_PRAGMA_INVAL, "invalid version: %s", w->v[0]);
		return;
	}
	later(c, l, w->v[1])->version = version;
}

/* Does the guest have such a provider or module? */
static bool
have_probes(struct dc *c, const char *kind, const char *name)
{
	const struct dc_probes *ps = c->cfg.probes;
	struct dc_pdesc d = { "", "", "", "", 0 };
	struct dc_probeinfo in = { 0 };
	struct dv_err err;

	if (*kind == 'p')
		d.prov = name;
	else
		d.mod = name;
	if (ps == NULL)
		return true;
	if (ps->match(ps->arg, &d, &in, &err) != 0)
		return false;
	c->missed |= in.partial;
	return in.nmatched > 0;
}

static bool
have_library(const struct dc *c, const char *name)
{
	const struct libname *n;

	for (n = c->libs; n != NULL; n = n->next)
		if (strcmp(n->name, name) == 0)
			return true;
	return false;
}

static void
depends_on(struct dc *c, struct loc l, const struct words *w)
{
	static const char *const kinds[] = { "module", "provider", "library", NULL };
	unsigned k;
	bool have;

	if (w->n != 2) {
		dc_error(c, l, D_PRAGMA_MALFORM,
		    "malformed #pragma D depends_on: a kind and a name are needed");
		return;
	}
	for (k = 0; kinds[k] != NULL && strcmp(kinds[k], w->v[0]) != 0; k++)
		;
	if (kinds[k] == NULL)
		dc_error(c, l, D_PRAGMA_INVAL, "invalid class of dependency: %s", w->v[0]);
	else if (!c->lib && k == 2)
		dc_error(c, l, D_PRAGMA_DEPEND, "only libraries may depend on a library");
	if (c->bad)
		return;
	have = k == 2 ? have_library(c, w->v[1]) : have_probes(c, w->v[0], w->v[1]);
	if (have)
		return;
	if (!c->lib)
		dc_error(c, l, D_PRAGMA_DEPEND, "the program requires %s %s, which is not there",
		    w->v[0], w->v[1]);
	else if (c->lib_missing == NULL)
		c->lib_missing = dc_fmt(c, "it is of the library %s, which requires %s %s",
		    c->libname, w->v[0], w->v[1]);
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

/* Is it a #pragma D? */
bool
pr_is_ours(const char *s, size_t n)
{
	static const char *const words[] = { "pragma", "D" };
	size_t i = 0, k, len;

	while (i < n && s[i] != '#')
		i++;
	i++;
	for (k = 0; k < 2; k++) {
		while (i < n && (s[i] == ' ' || s[i] == '\t'))
			i++;
		len = strlen(words[k]);
		if (i + len >= n || memcmp(s + i, words[k], len) != 0)
			return false;
		i += len;
		if (s[i] != ' ' && s[i] != '\t')
			return false;
	}
	return true;
}

/*
 * #line NUMBER ["FILE"], or as cpp writes it: # NUMBER "FILE" FLAGS, where the number
 * of what is in no file is 0. False: it is another directive.
 */
static bool
line_control(struct dc *c, struct loc l, const struct words *w, uint32_t *newline)
{
	unsigned off = strcmp(w->v[0], "line") == 0;
	uint64_t line;

	if (!off && strspn(w->v[0], "0123456789") != strlen(w->v[0]))
		return false;
	if (w->n <= off || dv_parse_u64(w->v[off], &line) != 0 || line >= INT32_MAX ||
	    line < off)
		dc_error(c, l, D_PRAGCTL_INVAL, "invalid control directive: #line needs a number "
		    "from 1 to %d", INT32_MAX - 1);
	else if (off && w->n > 2 && (w->n > 3 || w->v[2][0] != '"'))
		dc_error(c, l, D_PRAGCTL_INVAL, "invalid control directive: what follows #line %s "
		    "is not the name of a file", w->v[1]);
	else if (line > 0)
		*newline = (uint32_t)line;
	return true;
}

/* The line that begins with #, newline excluded. *newline: the next line's number, or 0. */
void
pr_line(struct dc *c, struct loc l, const char *s, size_t n, uint32_t *newline)
{
	struct words w, rest;
	const char *kind;
	size_t off;

	off = 1 + (size_t)((const char *)memchr(s, '#', n) - s);
	s += off;
	n -= off;
	split(c, s, n, &w);
	if (w.n == 0 || c->bad)
		return;
	if (line_control(c, l, &w, newline))
		return;
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
	if (rest.more && strcmp(kind, "error") != 0)
		dc_error(c, l, D_PRAGMA_MALFORM, "malformed #pragma D %s: more than %d words", kind,
		    MAX_WORDS);
	if (c->bad)
		return;
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

/*
 * At the end of a text: what pragmas were for must have come to be in it.
 * Attributes that a name was given say all; else they are worked out.
 */
void
pr_end(struct dc *c)
{
	struct pragma *p;
	struct ident *id;

	for (p = c->pragmas; p != NULL && !c->bad; p = p->next) {
		id = id_find(c, SC_GLOBAL, p->name);
		if (id == NULL) {
			dc_error(c, p->loc, D_PRAGMA_UNUSED, "unused #pragma: %s is not declared",
			    p->name);
		} else if (id->text_no != c->text_no) {
			dc_error(c, p->loc, D_PRAGMA_SCOPE, "#pragma %s cannot change %s, which is "
			    "declared elsewhere", p->version != 0 ? "binding" : "attributes",
			    p->name);
		} else if (p->version != 0) {
			id->version = p->version;
		} else {
			id->attr = p->attr;
			id->have_attr = true;
		}
	}
	c->pragmas = NULL;
}

bool
pr_macro(struct dc *c, struct loc l, const char *s, size_t n, struct dv_str *out)
{
	const struct dc_macros *m = &c->cfg.macros;
	const struct { const char *name; int64_t v; bool have; } names[] = {
		{ "pid", m->pid, true }, { "ppid", m->ppid, true }, { "uid", m->uid, true },
		{ "gid", m->gid, true }, { "euid", m->euid, true }, { "egid", m->egid, true },
		{ "pgid", m->pgid, true }, { "sid", m->sid, true },
		{ "target", m->target, m->have_target },
	};
	/* What there is on Solaris, or only sometimes. */
	static const struct { const char *name, *why; } none[] = {
		{ "projid", ": Linux has no projects" },
		{ "taskid", ": Linux has no tasks of projects" },
		{ "target", ": give -p or -c" },
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
			c->macro_used[k] = true;
			dv_str_add(out, k == 0 && c->arg0 != NULL ? c->arg0 : m->argv[k]);
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
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (strlen(none[i].name) == len && memcmp(none[i].name, name, len) == 0)
			break;
	return dc_error(c, l, D_MACRO_UNDEF, "macro variable %.*s is not defined%s",
	    n > 40 ? 40 : (int)n, s, i < sizeof(none) / sizeof(none[0]) ? none[i].why : "");
}
