/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prog.c - the compiler from outside: opened, fed with libraries and programs.
 *
 * All that a compiler knows lives in one arena until dc_close(). A text is
 * parsed as a whole, then its clauses are compiled in order, so a syntax error
 * anywhere is told before any other.
 *
 * A library is parsed declaration by declaration. One that fails is left out,
 * and its name is entered as "broken" with the reason, which whoever uses it
 * is told.
 */
#include "impl.h"

static const struct { const char *name; uint32_t val; enum idkind kind; } names[] = {
#define DIF_VAR(name, value, text) { text, value, ID_BUILTIN },
#define DIF_SUBR(name, value, text, nargs) { text, value, ID_SUBR },
#include "abi/dif.def"
#define DV_ACT(name, value, text, flags) { text, value, ID_ACT },
#define DV_AGG(name, value, text, nwords) { text, value, ID_AGGFUNC },
#include "abi/act.def"
	{ "jstack", DV_ACT_USTACK, ID_ACT },
	{ "func", DV_ACT_SYM, ID_ACT },
	{ "ufunc", DV_ACT_USYM, ID_ACT },
};

int
dc_open(const struct dc_config *cfg, struct dv_err *err, struct dc **ret)
{
	struct dc *c = calloc(1, sizeof(*c));
	unsigned i;

	if (c == NULL)
		return dv_err_nomem(err);
	c->cfg = *cfg;
	c->err = err;
	dv_str_init(&c->d.strs);
	c->arena = dv_arena_create();
	c->tmap = dv_map_create();
	c->globals = dv_smap_create();
	c->selfs = dv_smap_create();
	c->thises = dv_smap_create();
	c->aggs = dv_smap_create();
	for (i = 0; i < 3; i++) {
		c->tags[i] = dv_smap_create();
		c->next_id[i] = DIF_VAR_USER;
		c->bad |= c->tags[i] == NULL;
	}
	if (c->arena == NULL || c->tmap == NULL || c->globals == NULL || c->selfs == NULL ||
	    c->thises == NULL || c->aggs == NULL || c->bad) {
		dc_close(c);
		return dv_err_nomem(err);
	}
	dv_arena_limit(c->arena, MAX_MEMORY);
	c->macro_used = dc_alloc(c, (size_t)cfg->macros.argc + 1);
	for (i = 0; i < DV_NOPT; i++)
		c->opt[i] = dv_opt_default(i);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct ident *id;

		if (names[i].kind == ID_ACT &&
		    (names[i].val == DV_ACT_EXPR || names[i].val == DV_ACT_AGG))
			continue;
		id = id_add(c, SC_GLOBAL, names[i].name, names[i].kind, (struct loc){ 0, 0 });
		id->val = names[i].val;
	}
	if (!ty_init(c) || c->bad) {
		dc_close(c);
		return dv_err_nomem(err);
	}
	c->err = NULL;
	*ret = c;
	return 0;
}

void
dc_close(struct dc *c)
{
	unsigned i;

	if (c == NULL)
		return;
	dv_map_destroy(c->tmap);
	for (i = 0; i < 3; i++)
		dv_smap_destroy(c->tags[i]);
	dv_smap_destroy(c->globals);
	dv_smap_destroy(c->selfs);
	dv_smap_destroy(c->thises);
	dv_smap_destroy(c->aggs);
	dv_vec_fini(&c->d.text);
	dv_vec_fini(&c->d.ints);
	dv_vec_fini(&c->d.labels);
	dv_vec_fini(&c->d.fixups);
	dv_str_fini(&c->d.strs);
	dv_arena_destroy(c->arena);
	free(c);
}

int
dc_option(struct dc *c, const char *name, const char *value, struct dv_err *err)
{
	return op_set(c, name, value, false, err);
}

bool
dc_option_get(struct dc *c, enum dv_opt o, uint64_t *ret)
{
	if (o >= DV_NOPT)
		return false;
	*ret = c->opt[o];
	return c->opt_set[o];
}

static void
begin(struct dc *c, const char *text, size_t len, uint32_t flags, struct dv_err *err)
{
	memset(err, 0, sizeof(*err));
	c->err = err;
	c->bad = false;
	c->src = text;
	c->srclen = len;
	c->srcflags = flags;
	c->clauses = c->last_clause = NULL;
	c->items = c->last_item = NULL;
	c->ndecls = 0;
	c->expr = NULL;
	c->frame = NULL;
	c->inline_depth = 0;
	c->at = false;
	c->have_info = false;
	c->clflags = 0;
	c->missed = c->missed_word = false;
}

static int
finish(struct dc *c, struct dv_err *err)
{
	int rc = 0;

	if (c->bad)
		rc = err->code != 0 ? err->code : dv_err_nomem(err);
	c->bad = false;
	c->err = NULL;
	c->src = NULL;
	return rc;
}

/* ---- libraries --------------------------------------------------------- */

static bool
is_word(char ch)
{
	return ch == '_' || (ch >= '0' && ch <= '9') || ((ch | 32) >= 'a' && (ch | 32) <= 'z');
}

/*
 * The end of the declaration at s: behind the ; outside of brackets, or the end
 * of a # line. *begin: where it begins, after blanks and comments.
 */
static size_t
next_decl(const char *s, size_t n, size_t i, size_t *start)
{
	unsigned depth = 0;
	bool begun = false;

	*start = n;
	while (i < n) {
		if (s[i] == '/' && i + 1 < n && s[i + 1] == '*') {
			for (i += 2; i + 1 < n && !(s[i] == '*' && s[i + 1] == '/'); i++)
				;
			i = i + 2 > n ? n : i + 2;
			continue;
		}
		if (s[i] == '/' && i + 1 < n && s[i + 1] == '/') {
			while (i < n && s[i] != '\n')
				i++;
			continue;
		}
		if (strchr(" \t\r\n\f\v", s[i]) != NULL && s[i] != '\0') {
			i++;
			continue;
		}
		if (!begun) {
			begun = true;
			*start = i;
			if (s[i] == '#') {
				while (i < n && s[i] != '\n')
					i++;
				return i;
			}
		}
		if (s[i] == '"' || s[i] == '\'') {
			char q = s[i++];

			while (i < n && s[i] != q && s[i] != '\n')
				i += s[i] == '\\' && i + 1 < n ? 2 : 1;
		} else if (s[i] == '{' || s[i] == '(' || s[i] == '[')
			depth++;
		else if ((s[i] == '}' || s[i] == ')' || s[i] == ']') && depth > 0)
			depth--;
		else if (s[i] == ';' && depth == 0)
			return i + 1;
		i++;
	}
	return n;
}

/* Enters what the declaration would have declared as broken; false: it has no name. */
static bool
mark_broken(struct dc *c, struct broken *b, const struct dv_err *err)
{
	const char *why = dc_fmt(c, "%.400s", err->text), *s = b->text, *end, *p, *name;
	enum dc_tag tag = D_UNKNOWN;
	size_t n = b->len;
	unsigned i, depth = 0;

	for (i = 0; i < D_NTAGS; i++)
		if (strcmp(err->tag, dc_tag_name(i)) == 0 && err->tag[0] != '\0')
			tag = i;
	if (b->id != NULL) {
		b->id->why = why;
		b->id->why_tag = tag;
		return true;
	}
	if (n > 11 && memcmp(s, "translator", 10) == 0) {
		const char *lt = memchr(s, '<', n);
		const char *gt = lt != NULL ? memchr(lt, '>', n - (size_t)(lt - s)) : NULL;
		struct type *dst, *src;

		if (gt == NULL)
			return false;
		if (b->x != NULL)
			return true;
		for (p = gt; p > lt + 1 && !is_word(p[-1]); p--)
			;
		while (p > lt + 1 && is_word(p[-1]))
			p--;
		dst = ty_text(c, dc_strdup(c, s + 10, (size_t)(lt - s) - 10));
		src = ty_text(c, dc_strdup(c, lt + 1, (size_t)(p - lt) - 1));
		if (dst == NULL || src == NULL)
			return true;
		b->x = dc_alloc(c, sizeof(*b->x));
		b->x->dst = ty_base(dst);
		b->x->src = src;
		b->x->why = why;
		b->x->next = c->xlators;
		c->xlators = b->x;
		return true;
	}
	/* The last name outside of brackets before = or the end. */
	name = NULL;
	for (p = s; p < s + n && *p != '='; p++) {
		if (*p == '{' || *p == '[' || *p == '(')
			depth++;
		else if (*p == '}' || *p == ']' || *p == ')')
			depth -= depth > 0;
		else if (depth == 0 && is_word(*p) && (p == s || !is_word(p[-1])))
			name = p;
	}
	if (name == NULL)
		return false;
	for (end = name; end < s + n && is_word(*end); end++)
		;
	name = dc_strdup(c, name, (size_t)(end - name));
	if (id_find(c, SC_GLOBAL, name) != NULL)
		return true;
	b->id = id_add(c, SC_GLOBAL, name, ID_BROKEN, (struct loc){ 0, 0 });
	b->id->why = why;
	b->id->why_tag = tag;
	return true;
}

/* One declaration of a library: false if it fails; *err tells. */
static bool
lib_decl(struct dc *c, const char *text, size_t len, struct loc l, struct dv_err *err)
{
	bool ok;

	begin(c, text, len, 0, err);
	dc_parse(c, false, l);
	if (!c->bad && c->clauses != NULL)
		dc_error(c, l, D_SYNTAX, "clauses are not allowed in a library");
	ok = !c->bad;
	c->bad = false;
	return ok;
}

/* Does it declare what is declared already? No guest puts that right. */
static bool
collides(const struct dv_err *err)
{
	return strcmp(err->tag, dc_tag_name(D_DECL_IDRED)) == 0 ||
	    strcmp(err->tag, dc_tag_name(D_DECL_TYPERED)) == 0 ||
	    strcmp(err->tag, dc_tag_name(D_XLATE_REDECL)) == 0;
}

/* A later library may hold what earlier declarations lacked. */
static int
lib_retry(struct dc *c, struct dv_err *err)
{
	struct broken *b;
	struct dv_err mine;
	bool again;

	do {
		again = false;
		for (b = c->broken; b != NULL; b = b->next) {
			if (b->done)
				continue;
			if (lib_decl(c, b->text, b->len, b->loc, &mine))
				b->done = again = true;
			/* a struct may be what its own first try has left behind */
			else if (collides(&mine) &&
			    strcmp(mine.tag, dc_tag_name(D_DECL_TYPERED)) != 0) {
				*err = mine;
				return err->code;
			} else
				(void)mark_broken(c, b, &mine);
		}
	} while (again);
	return 0;
}

/* Its pragmas take effect, and others may depend on it. */
static int
lib_end(struct dc *c, const char *name, struct dv_err *err)
{
	const char *base = strrchr(name, '/');
	struct libname *n = dc_alloc(c, sizeof(*n));

	n->name = dc_strdup(c, base != NULL ? base + 1 : name,
	    strlen(base != NULL ? base + 1 : name));
	n->next = c->libs;
	c->libs = n;
	memset(err, 0, sizeof(*err));
	c->err = err;
	pr_end(c);
	return c->bad ? err->code : 0;
}

int
dc_library(struct dc *c, const char *name, const char *text, struct dv_err *err)
{
	struct loc l = { 1, 1 };
	size_t n = strlen(text), at = 0, start, end, i, seen = 0;
	struct broken **tail = &c->broken;
	struct dv_err mine;
	int rc = 0;

	c->lib = true;
	c->lib_missing = NULL;
	c->text_no++;
	c->libname = dc_strdup(c, name, strlen(name));
	text = dc_strdup(c, text, n);
	while (*tail != NULL)
		tail = &(*tail)->next;
	while (at < n && rc == 0 && !c->bad) {
		end = next_decl(text, n, at, &start);
		for (i = seen; i < start; i++)
			if (text[i] == '\n') {
				l.line++;
				l.col = 1;
			} else
				l.col++;
		seen = start;
		at = end;
		if (start >= n)
			break;
		if (c->lib_missing != NULL)
			dv_err_set(&mine, DV_E_COMPILE, "%s", c->lib_missing);
		else if (lib_decl(c, text + start, end - start, l, &mine))
			continue;
		/* no type that the guest lacks is the reason where the ; is missing */
		if (c->lib_missing == NULL && (text[start] == '#' || text[end - 1] != ';' ||
		    collides(&mine))) {
			*err = mine;
			rc = mine.code;
		} else if (mine.code == DV_E_NOMEM) {
			*err = mine;
			rc = DV_E_NOMEM;
		} else if (c->clauses != NULL) {
			dv_err_set(err, DV_E_COMPILE, "%s", mine.text);
			snprintf(err->tag, sizeof(err->tag), "%s", mine.tag);
			err->line = l.line;
			err->col = l.col;
			rc = DV_E_COMPILE;
		} else {
			*tail = dc_alloc(c, sizeof(**tail));
			(*tail)->text = text + start;
			(*tail)->len = end - start;
			(*tail)->loc = l;
			(*tail)->done = c->lib_missing != NULL;
			if (!mark_broken(c, *tail, &mine) && c->lib_missing == NULL) {
				*err = mine;
				rc = mine.code;
			}
			tail = &(*tail)->next;
		}
	}
	if (rc == 0 && !c->bad)
		rc = lib_retry(c, err);
	if (rc == 0 && !c->bad && c->lib_missing == NULL)
		rc = lib_end(c, name, err);
	c->bad = false;
	c->pragmas = NULL;
	c->err = NULL;
	c->src = NULL;
	c->lib = false;
	return rc;
}

/* ---- programs ---------------------------------------------------------- */

int
dc_compile(struct dc *c, const struct dc_source *src, struct dv_progb *out, struct dv_err *err)
{
	struct clause *cl;

	begin(c, src->text, src->len, src->flags, err);
	c->out = out;
	c->compiled = true;
	c->text_no++;
	c->arg0 = src->arg0;
	if (dc_parse(c, false, (struct loc){ 1, 1 }) == 0) {
		pr_end(c);
		if (c->ndecls == 0 && !c->opt[DV_OPT_EMPTY])
			dc_error(c, (struct loc){ 1, 1 }, D_EMPTY, "the program is empty");
	}
	if (src->dump != NULL && !c->bad)
		dump_program(c, src);
	for (cl = c->clauses; cl != NULL && !c->bad; cl = cl->next)
		act_clause(c, cl, src);
	if (out->failed && !c->bad)
		dc_nomem(c);
	c->out = NULL;
	return finish(c, err);
}

bool
dc_guest_missed(const struct dc *c)
{
	return c->missed;
}

int
dc_finish(struct dc *c, struct dv_progb *out, struct dv_err *err)
{
	unsigned o;
	int i;

	memset(err, 0, sizeof(*err));
	for (i = 1; i < c->cfg.macros.argc; i++)
		if (!c->macro_used[i] && !c->opt[DV_OPT_ARGREF]) {
			dv_err_set(err, DV_E_COMPILE,
			    "extraneous argument '%s' ($%d is not referenced)",
			    c->cfg.macros.argv[i], i);
			snprintf(err->tag, sizeof(err->tag), "%s", dc_tag_name(D_MACRO_UNUSED));
			return DV_E_COMPILE;
		}
	for (o = 0; o < DV_NOPT; o++)
		if (c->opt_set[o] || o == DV_OPT_STRSIZE)
			out->opts[o] = c->opt[o];
	if (c->cfg.macros.have_target)
		out->target = (uint64_t)c->cfg.macros.target;
	return 0;
}

const char *
dc_arg_type(struct dc *c, const struct dc_arg *a)
{
	struct dv_err err = { 0 };
	const char *text;

	c->err = &err;
	text = a->xlate != NULL ? a->xlate : a->ntype == 0 && a->native != NULL ? a->native :
	    ty_name(c, ty_import(c, a->ntype));
	if (c->bad)
		text = err.code == DV_E_NOMEM ? NULL : "?";
	c->bad = false;
	c->err = NULL;
	return text;
}

int
dc_expr(struct dc *c, const char *what, const char *text, struct dv_progb *out,
	uint32_t *difo, struct dv_err *err)
{
	struct node *n;
	uint32_t d = DV_NONE;
	int rc;

	begin(c, text, strlen(text), 0, err);
	c->out = out;
	c->expr_mode = true;
	if (dc_parse(c, true, (struct loc){ 1, 1 }) == 0 && c->expr != NULL) {
		n = ck(c, c->expr);
		if (!c->bad && n->kind == N_XLATE)
			dc_error(c, n->loc, D_CG_DYN, "a translated object has no value");
		d = cg_difo(c, n, NULL);
	}
	c->expr_mode = false;
	c->out = NULL;
	rc = finish(c, err);
	if (rc != 0)
		dv_err_prefix(err, "%s", what);
	else
		*difo = d;
	return rc;
}
