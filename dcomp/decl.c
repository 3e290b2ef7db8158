/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decl.c - declarations: type words and declarators become types, and names.
 *
 * A declarator is kept as a list of modifiers from its name outwards, so
 * `*a[3]` is "array of 3, pointer"; dr_type() wraps the base type from the
 * list's end. An associative array's key list must be the modifier next to
 * the name. All takes effect while parsing.
 *
 * Names live in four tables: global names, self->, this-> and aggregations.
 * dc_expr() works on tables of the same kind with another spelling of each
 * variable, see id_key().
 */
#include "impl.h"

/* ---- names ------------------------------------------------------------- */

/*
 * Introspection's variables are spelled as no D program can. Those that a library
 * declares it shares with programs and translators.
 */
const char *
id_key(struct dc *c, const char *name)
{
	return c->expr_mode ? dc_fmt(c, ".%s", name) : name;
}

static struct dv_smap *
scope_map(struct dc *c, enum scope sc)
{
	return sc == SC_SELF ? c->selfs : sc == SC_THIS ? c->thises : c->globals;
}

struct ident *
id_find(struct dc *c, enum scope sc, const char *name)
{
	struct ident *id;

	if (c->expr_mode &&
	    (id = dv_smap_get_ptr(scope_map(c, sc), id_key(c, name))) != NULL)
		return id;
	id = dv_smap_get_ptr(scope_map(c, sc), name);
	if (c->expr_mode && id != NULL && id->kind == ID_VAR && !id->lib)
		return NULL;
	return id;
}

/* Whoever has a name that is about to be declared; a broken one gives way. */
struct ident *
id_taken(struct dc *c, enum scope sc, const char *name)
{
	struct ident *id = dv_smap_get_ptr(scope_map(c, sc), name);

	return id != NULL && id->kind != ID_BROKEN ? id : NULL;
}

struct ident *
id_add(struct dc *c, enum scope sc, const char *name, enum idkind k, struct loc l)
{
	struct ident *id = dc_alloc(c, sizeof(*id));

	id->kind = k;
	id->lib = c->lib;
	id->scope = sc;
	id->name = k == ID_VAR ? id_key(c, name) : dc_strdup(c, name, strlen(name));
	id->var = DV_NONE;
	id->text_no = c->text_no;
	if (k == ID_VAR) {
		if (c->next_id[sc] >= DIF_VAR_MAX)
			dc_error(c, l, D_ID_OFLOW, "too many variables");
		id->val = c->next_id[sc]++;
	}
	if (dv_smap_set_ptr(scope_map(c, sc), id->name, id) != 0)
		dc_nomem(c);
	return id;
}

bool
id_is_type(struct dc *c, const char *name, struct type **ret)
{
	struct ident *id = dv_smap_get_ptr(c->globals, name);
	const char *q = strchr(name, '`');
	bool missed = c->missed;
	struct type *t;

	if (q != NULL) {
		if ((t = ty_find(c, q != name ? dc_strdup(c, name, (size_t)(q - name)) : NULL,
		    T_TYPEDEF, q + 1)) == NULL)
			return false;
	} else if (id != NULL) {
		if (id->kind != ID_TYPE)
			return false;
		t = id->type;
	} else if ((t = ty_find(c, NULL, T_TYPEDEF, name)) == NULL) {
		/* any name is looked up so: it matters only where a type is needed */
		c->missed_word |= c->missed;
		c->missed = missed;
		return false;
	}
	if (ret != NULL)
		*ret = t;
	return true;
}

/* ---- specifiers -------------------------------------------------------- */

#define DW_BASES (DW_VOID | DW_CHAR | DW_INT | DW_FLOAT | DW_DOUBLE | DW_STRING | DW_BOOL | DW_TYPE)

void
ds_word(struct dc *c, struct dspec *s, uint32_t w, struct loc l)
{
	if (w == DW_LONG && (s->words & DW_LONG)) {
		if (s->words & DW_LONGLONG)
			dc_error(c, l, D_DECL_COMBO, "too many longs in declaration");
		s->words |= DW_LONGLONG;
		return;
	}
	if (s->words & w)
		dc_error(c, l, D_DECL_COMBO, "a type word is given twice");
	if ((w & DW_BASES) && (s->words & DW_BASES))
		dc_error(c, l, D_DECL_COMBO, "two types in one declaration");
	if ((w & (DW_SIGNED | DW_UNSIGNED)) && (s->words & (DW_SIGNED | DW_UNSIGNED)))
		dc_error(c, l, D_DECL_COMBO, "signed and unsigned in one declaration");
	if ((w & (DW_SHORT | DW_LONG)) && (s->words & (DW_SHORT | DW_LONG)))
		dc_error(c, l, D_DECL_COMBO, "short and long in one declaration");
	s->words |= w;
}

void
ds_type(struct dc *c, struct dspec *s, struct type *t, struct loc l, bool defines)
{
	if (s->words & DW_BASES)
		dc_error(c, l, D_DECL_COMBO, "two types in one declaration");
	s->words |= DW_TYPE;
	s->type = t != NULL ? t : c->t_int;
	s->defines |= defines;
}

void
ds_class(struct dc *c, struct dspec *s, enum dclass class, struct loc l)
{
	if (class == DCL_BAD)
		dc_error(c, l, D_DECL_BADCLASS, "storage class is not allowed in D");
	else if (s->class != DCL_NONE)
		dc_error(c, l, D_DECL_CLASS, "two storage classes in one declaration");
	s->class = (uint8_t)class;
}

struct type *
ds_resolve(struct dc *c, struct dspec *s)
{
	uint32_t w = s->words;
	bool uns = w & DW_UNSIGNED;

	if ((w & DW_VOID) && (w & (DW_SIGNED | DW_UNSIGNED | DW_SHORT | DW_LONG)))
		dc_error(c, s->loc, D_DECL_VOIDATTR, "void with signed, unsigned, short or long");
	if ((w & DW_CHAR) && (w & (DW_SHORT | DW_LONG)))
		dc_error(c, s->loc, D_DECL_CHARATTR, "char with short or long");
	if ((w & (DW_SIGNED | DW_UNSIGNED)) &&
	    (w & (DW_FLOAT | DW_DOUBLE | DW_STRING | DW_BOOL | DW_TYPE)))
		dc_error(c, s->loc, D_DECL_SIGNINT,
		    "signed and unsigned may be used with integer types only");
	if ((w & (DW_SHORT | DW_LONG)) && (w & (DW_FLOAT | DW_STRING | DW_BOOL | DW_TYPE)))
		dc_error(c, s->loc, D_DECL_LONGINT,
		    "short and long may be used with integer types or double only");
	if ((w & DW_DOUBLE) && (w & (DW_SHORT | DW_LONGLONG)))
		dc_error(c, s->loc, D_DECL_LONGINT, "short or long long with double");
	if (w & DW_TYPE)
		return s->type;
	if (w & DW_STRING)
		return c->t_string;
	if (w & DW_VOID)
		return c->t_void;
	if (w & DW_BOOL)
		return c->t_bool;
	if (w & DW_FLOAT)
		return c->t_float;
	if (w & DW_DOUBLE)
		return w & DW_LONG ? c->t_ldouble : c->t_double;
	if (w & DW_CHAR)
		return uns ? c->t_uchar : w & DW_SIGNED ? c->t_schar : c->t_char;
	if (w & DW_SHORT)
		return uns ? c->t_ushort : c->t_short;
	if (w & DW_LONGLONG)
		return uns ? c->t_ullong : c->t_llong;
	if (w & DW_LONG)
		return uns ? c->t_ulong : c->t_long;
	return uns ? c->t_uint : c->t_int;
}

/* ---- declarators ------------------------------------------------------- */

struct declr *
dr_new(struct dc *c, struct loc l, const char *name)
{
	struct declr *d = dc_alloc(c, sizeof(*d));

	d->loc = l;
	d->name = name;
	d->tail = d;
	return d;
}

void
dr_mod(struct dc *c, struct declr *d, enum dmkind k, struct loc l, struct node *size,
    struct dparm *parms, bool varargs)
{
	struct dmod *m = dc_alloc(c, sizeof(*m));

	m->kind = (uint8_t)k;
	m->loc = l;
	m->size = size;
	m->parms = parms;
	m->varargs = varargs;
	if (d->last != NULL)
		d->last->next = m;
	else
		d->mods = m;
	d->last = m;
	if (++d->nmods > MAX_DEPTH)
		dc_error(c, l, D_SYNTAX, "declarator is nested too deeply");
}

static bool
is_void_list(struct dparm *p)
{
	return p != NULL && p->next == NULL && ty_is_void(p->type) && p->name == NULL;
}

static void
check_parms(struct dc *c, struct dparm *p)
{
	struct dparm *q;
	unsigned n = 0;

	for (q = p; q != NULL; q = q->next, n++) {
		if (ty_is_void(q->type)) {
			if (q->name != NULL)
				dc_error(c, q->loc, D_DECL_PROTO_NAME,
				    "a void parameter cannot have a name");
			else if (p->next != NULL)
				dc_error(c, q->loc, D_DECL_PROTO_VOID,
				    "void must be the only parameter");
		}
		if (q->tuple || ty_base(q->type)->kind == T_AGG)
			dc_error(c, q->loc, D_DECL_PROTO_TYPE,
			    "parameter or key of an invalid type");
	}
}

static struct type *
dr_apply(struct dc *c, struct type *t, struct dmod *m, struct declr *d, struct dmod **tuple)
{
	struct type *f;
	int64_t v;

	if (m == NULL)
		return t;
	t = dr_apply(c, t, m->next, d, tuple);
	switch (m->kind) {
	case DM_PTR:
		return ty_ptr(c, t);
	case DM_ARRAYNULL:
		dc_error(c, m->loc, D_DECL_ARRNULL, "array without a size");
		return t;
	case DM_ARRAY:
		if (!decl_const(c, m->size, &v) || v <= 0) {
			dc_error(c, m->loc, D_DECL_ARRSUB,
			    "array size must be a positive integer constant");
			return t;
		}
		if (v > UINT32_MAX || (uint64_t)v > INT32_MAX / (ty_size(c, t) + 1)) {
			dc_error(c, m->loc, D_DECL_ARRBIG, "array is too large");
			return t;
		}
		if (ty_is_void(t))
			dc_error(c, m->loc, D_DECL_VOIDOBJ, "array of void");
		return ty_array(c, t, (uint32_t)v);
	case DM_TUPLE:
		if (m->varargs)
			dc_error(c, m->loc, D_DECL_PROTO_VARARGS,
			    "\"...\" is not allowed in the keys of an associative array");
		check_parms(c, m->parms);
		if (m->parms != NULL && is_void_list(m->parms))
			dc_error(c, m->loc, D_DECL_PROTO_TYPE, "key of type void");
		if (m != d->mods || tuple == NULL)
			dc_error(c, m->loc, D_DECL_PROTO_FORM,
			    "an associative array cannot be part of another type");
		else
			*tuple = m;
		return t;
	case DM_FUNC:
		check_parms(c, m->parms);
		f = ty_new(c, T_FUNC, "", 0);
		f->ref = t;
		return f;
	}
	return t;
}

/* *tuple: the key list, if d is an associative array; NULL: not allowed. */
struct type *
dr_type(struct dc *c, struct type *base, struct declr *d, struct dmod **tuple)
{
	if (tuple != NULL)
		*tuple = NULL;
	return d != NULL ? dr_apply(c, base, d->mods, d, tuple) : base;
}

struct type *
decl_typename(struct dc *c, struct dspec *s, struct declr *d)
{
	if (s->class != DCL_NONE)
		dc_error(c, s->loc, D_DECL_PARMCLASS, "storage class in a type name");
	return dr_type(c, ds_resolve(c, s), d, NULL);
}

struct dparm *
decl_parm(struct dc *c, struct dspec *s, struct declr *d)
{
	struct dparm *p = dc_alloc(c, sizeof(*p));
	struct dmod *tuple;

	if (s->class != DCL_NONE)
		dc_error(c, s->loc, D_DECL_PARMCLASS,
		    "a parameter or key cannot have a storage class");
	p->loc = s->loc;
	p->name = d != NULL ? d->name : NULL;
	/* An array parameter is a pointer, its size may be left out. */
	if (d != NULL && d->mods != NULL && d->mods->kind == DM_ARRAYNULL)
		d->mods->kind = DM_PTR;
	p->type = dr_type(c, ds_resolve(c, s), d, &tuple);
	p->tuple = tuple != NULL;
	return p;
}

struct type **
id_keys(struct dc *c, struct dparm *p, uint32_t *n)
{
	struct type **v;
	struct dparm *q;
	uint32_t i = 0;

	*n = 0;
	for (q = p; q != NULL; q = q->next)
		(*n)++;
	v = dc_alloc(c, *n * sizeof(*v));
	if (!c->bad)
		for (q = p; q != NULL; q = q->next)
			v[i++] = q->type;
	return v;
}

/* ---- struct, union, enum ----------------------------------------------- */

struct type *
decl_tag(struct dc *c, enum tkind k, const char *name, struct loc l, bool body)
{
	static const char *const words[] = { "struct", "union", "enum" };
	unsigned w = k == T_STRUCT ? 0 : k == T_UNION ? 1 : 2;
	struct type *t = NULL;

	if (name != NULL)
		t = dv_smap_get_ptr(c->tags[w], name);
	if (t == NULL && name != NULL && !body && (t = ty_find(c, NULL, k, name)) != NULL)
		return t;
	if (t != NULL && (!body || t->incomplete)) {
		if (body)
			t->incomplete = t->open = true;
		return t;
	}
	if (t != NULL) {
		dc_error(c, l, D_DECL_TYPERED, "%s %s is defined twice", words[w], name);
		return t;
	}
	t = ty_new(c, k, name, k == T_ENUM ? 4 : 0);
	t->incomplete = true;
	t->open = body;
	if (k == T_ENUM) {
		t->is_signed = true;
		t->incomplete = !body;
	}
	if (name != NULL && dv_smap_set_ptr(c->tags[w], t->name, t) != 0)
		dc_nomem(c);
	return t;
}

/* struct MOD`NAME: the guest's, whatever D declares. */
struct type *
decl_scoped(struct dc *c, enum tkind k, const char *name, struct loc l)
{
	const char *q = strchr(name, '`');
	const char *mod = q != name ? dc_strdup(c, name, (size_t)(q - name)) : NULL;
	struct type *t = ty_find(c, mod, k, q + 1);

	if (t == NULL)
		dc_error(c, l, D_UNKNOWN, "unknown type name: %s", name);
	return t != NULL ? t : c->t_int;
}

static void
add_member(struct dc *c, struct type *t, const char *name, struct type *mt, struct loc l,
    uint64_t bit_off, uint32_t bit_size)
{
	uint64_t off;
	uint32_t cap = t->nmem == 0 ? 0 : t->memcap;
	struct member *v;

	if (name[0] != '\0') {
		bool was = t->incomplete;

		t->incomplete = false;
		if (t->kind != T_ENUM && ty_member(c, t, name, &off) != NULL)
			dc_error(c, l, D_UNKNOWN, "duplicate member: %s", name);
		t->incomplete = was;
	}
	if (t->nmem >= MAX_MEMBERS) {
		dc_error_limit(c, l, "too many members", MAX_MEMBERS, "");
		return;
	}
	if (t->nmem == cap) {
		cap = cap == 0 ? 8 : cap * 2;
		v = dc_alloc(c, cap * sizeof(*v));
		if (c->bad)
			return;
		if (t->nmem != 0)
			memcpy(v, t->mem, t->nmem * sizeof(*v));
		t->mem = v;
		t->memcap = cap;
	}
	t->mem[t->nmem++] = (struct member){ .name = name, .type = mt, .bit_off = bit_off,
	    .bit_size = bit_size };
}

static uint64_t
round_up(uint64_t v, uint64_t to)
{
	return to != 0 ? (v + to - 1) / to * to : v;
}

/* Members of one declaration; while t is open, its size counts bits. */
void
decl_members(struct dc *c, struct type *t, struct dspec *s, struct declr *list)
{
	struct type *base, *mt;
	struct declr *d;
	uint64_t off;

	if (s->class != DCL_NONE)
		dc_error(c, s->loc, D_DECL_CLASS, "a member cannot have a storage class");
	base = ds_resolve(c, s);
	if (list == NULL) {
		if (!ty_is_sou(base) || ty_base(base)->name[0] != '\0') {
			if (!s->defines)
				dc_error(c, s->loc, D_DECL_USELESS,
				    "declaration without a member name");
			return;
		}
		off = t->kind == T_UNION ? 0 : round_up(t->size, ty_align(base) * 8u);
		add_member(c, t, "", base, s->loc, off, 0);
		off += ty_size(c, base) * 8;
		t->size = off > t->size ? off : t->size;
		if (ty_align(base) > t->align)
			t->align = ty_align(base);
		return;
	}
	for (d = list; d != NULL; d = d->next) {
		uint64_t size;
		int64_t bits = 0;

		mt = dr_type(c, base, d, NULL);
		if (c->bad)
			return;
		if (d->bitfield) {
			if (!ty_is_int(mt)) {
				dc_error(c, d->loc, D_DECL_BFTYPE,
				    "a bit-field must have an integer type");
				return;
			}
			if (!decl_const(c, d->bits, &bits) || bits < 0 ||
			    (bits == 0 && d->name != NULL)) {
				dc_error(c, d->loc, D_DECL_BFCONST,
				    "bit-field width must be a positive integer constant");
				return;
			}
			if ((uint64_t)bits > ty_size(c, mt) * 8) {
				dc_error(c, d->loc, D_DECL_BFSIZE,
				    "bit-field is wider than its type");
				return;
			}
		} else if (ty_is_void(mt)) {
			dc_error(c, d->loc, D_DECL_VOIDOBJ, "member of type void: %s",
			    d->name != NULL ? d->name : "");
			return;
		} else if (ty_is_sou(mt) && ty_base(mt)->incomplete) {
			dc_error(c, d->loc, D_DECL_INCOMPLETE,
			    "member of an incomplete type: %s", d->name != NULL ? d->name : "");
			return;
		} else if (ty_base(mt)->kind == T_FUNC) {
			dc_error(c, d->loc, D_DECL_DYNOBJ, "a function cannot be a member");
			return;
		}
		size = ty_size(c, mt) * 8;
		if (d->bitfield && bits == 0) {
			t->size = round_up(t->size, size);
			continue;
		}
		if (t->kind == T_UNION)
			off = 0;
		else if (d->bitfield)
			off = t->size / size != (t->size + (uint64_t)bits - 1) / size ?
			    round_up(t->size, size) : t->size;
		else
			off = round_up(t->size, ty_align(mt) * 8u);
		if (d->name != NULL)
			add_member(c, t, d->name, mt, d->loc, off, (uint32_t)bits);
		off += d->bitfield ? (uint64_t)bits : size;
		t->size = off > t->size ? off : t->size;
		if (d->name != NULL && ty_align(mt) > t->align)
			t->align = ty_align(mt);	/* padding alone aligns nothing */
		if (t->size / 8 > INT32_MAX)
			dc_error(c, d->loc, D_DECL_ARRBIG, "type is too large");
	}
}

void
decl_sou_end(struct dc *c, struct type *t)
{
	(void)c;
	t->size = round_up((t->size + 7) / 8, t->align);
	t->incomplete = t->open = false;
}

void
decl_enumerator(struct dc *c, struct type *t, const char *name, struct node *v, struct loc l)
{
	struct ident *id;
	int64_t val = t->next_val;

	if (v != NULL && !decl_const(c, v, &val)) {
		dc_error(c, l, D_DECL_ENCONST,
		    "enumerator %s must be an integer constant", name);
		return;
	}
	if (val < INT32_MIN || val > INT32_MAX)
		dc_error(c, l, D_DECL_ENOFLOW, "enumerator %s is outside the range of int", name);
	if ((id = id_taken(c, SC_GLOBAL, name)) != NULL) {
		dc_error(c, l, id->kind == ID_CONST && id->type == t ? D_UNKNOWN : D_DECL_IDRED,
		    "identifier %s is declared again", name);
		return;
	}
	id = id_add(c, SC_GLOBAL, name, ID_CONST, l);
	id->type = t;
	id->cval = val;
	t->next_val = val + 1;
	add_member(c, t, id->name, t, l, 0, 0);
	if (t->nmem > 0)
		t->mem[t->nmem - 1].value = val;
	t->incomplete = false;
}

/* ---- objects ----------------------------------------------------------- */

static bool
same_keys(struct ident *id, struct type **keys, uint32_t n)
{
	uint32_t i;

	if (id->nkeys != n)
		return false;
	for (i = 0; i < n; i++)
		if (!ty_same(id->keys[i], keys[i]))
			return false;
	return true;
}

static void
declare_var(struct dc *c, struct dspec *s, struct declr *d, struct type *t, struct dmod *tuple)
{
	enum scope sc = s->class == DCL_SELF ? SC_SELF : s->class == DCL_THIS ? SC_THIS : SC_GLOBAL;
	struct type **keys = NULL;
	uint32_t nkeys = 0;
	struct ident *id;

	if (tuple != NULL) {
		if (sc == SC_THIS) {
			dc_error(c, d->loc, D_DECL_LOCASSC,
			    "an associative array cannot be a this-> variable: %s", d->name);
			return;
		}
		keys = id_keys(c, tuple->parms, &nkeys);
	}
	if (ty_is_void(t)) {
		dc_error(c, d->loc, D_DECL_VOIDOBJ, "object of type void: %s", d->name);
		return;
	}
	if ((ty_is_sou(t) && !ty_complete(c, ty_base(t))) ||
	    (ty_base(t)->kind == T_ENUM && ty_base(t)->incomplete)) {
		dc_error(c, d->loc, D_DECL_INCOMPLETE, "object of an incomplete type: %s", d->name);
		return;
	}
	if ((id = id_taken(c, sc, d->name)) != NULL) {
		if (id->kind != ID_VAR || !ty_same(id->type, t) || id->assoc != (tuple != NULL) ||
		    (tuple != NULL && !same_keys(id, keys, nkeys)))
			dc_error(c, d->loc, D_DECL_IDRED, "identifier %s is declared again%s",
			    d->name, id->kind == ID_VAR ? " with another type" : "");
		return;
	}
	id = id_add(c, sc, d->name, ID_VAR, d->loc);
	id->type = t;
	id->assoc = tuple != NULL;
	id->keys = keys;
	id->nkeys = nkeys;
}

void
decl_declare(struct dc *c, struct dspec *s, struct declr *list)
{
	struct type *base = ds_resolve(c, s), *t;
	struct dmod *tuple;
	struct declr *d;
	struct ident *id;

	if (list == NULL) {
		if (!s->defines || s->class != DCL_NONE)
			dc_error(c, s->loc, D_DECL_USELESS, "declaration declares nothing");
		return;
	}
	for (d = list; d != NULL && !c->bad; d = d->next) {
		t = dr_type(c, base, d, &tuple);
		if (c->bad)
			return;
		if (s->class == DCL_TYPEDEF) {
			if (tuple != NULL) {
				dc_error(c, d->loc, D_DECL_PROTO_FORM,
				    "a type cannot be an associative array");
				return;
			}
			if ((id = id_taken(c, SC_GLOBAL, d->name)) != NULL) {
				if (id->kind != ID_TYPE || !ty_same(id->type, t))
					dc_error(c, d->loc, D_DECL_IDRED,
					    "identifier %s is declared again", d->name);
				continue;
			}
			id = id_add(c, SC_GLOBAL, d->name, ID_TYPE, d->loc);
			id->type = ty_typedef(c, id->name, t);
			if (t->name[0] == '\0' && t->tid == 0)
				t->alias = id->name;
			continue;
		}
		if (ty_base(t)->kind == T_FUNC || s->class == DCL_EXTERN) {
			/* A prototype, or an object elsewhere: nothing to make. */
			if ((id = id_taken(c, SC_GLOBAL, d->name)) != NULL &&
			    ty_base(t)->kind == T_FUNC && id->kind != ID_SUBR)
				dc_error(c, d->loc, D_DECL_IDRED,
				    "identifier %s is declared again", d->name);
			continue;
		}
		declare_var(c, s, d, t, tuple);
	}
}

/* ---- inlines and translators ------------------------------------------- */

void
decl_inline(struct dc *c, struct dspec *s, struct declr *d, struct node *expr)
{
	struct type *t = ds_resolve(c, s);
	struct dmod *tuple = NULL;
	struct ident *id;
	struct node *use;

	c->ncopied = 0;
	if (s->class != DCL_NONE)
		dc_error(c, s->loc, D_DECL_CLASS, "two storage classes in one declaration");
	t = dr_type(c, t, d, &tuple);
	if (c->bad)
		return;
	if (ty_is_void(t)) {
		dc_error(c, d->loc, D_DECL_VOIDOBJ, "object of type void: %s", d->name);
		return;
	}
	if (id_taken(c, SC_GLOBAL, d->name) != NULL) {
		dc_error(c, d->loc, D_DECL_IDRED, "identifier %s is declared again", d->name);
		return;
	}
	if (!c->lib && tuple == NULL) {
		/* Before the name is known, so that it cannot refer to itself. */
		use = ck(c, nd_copy(c, expr));
		ck_assignable(c, t, use, expr->loc);
		if (c->bad)
			return;
	}
	id = id_add(c, SC_GLOBAL, d->name, ID_INLINE, d->loc);
	id->type = t;
	id->expr = expr;
	id->lib = c->lib;
	id->assoc = tuple != NULL;
	if (tuple != NULL) {
		struct dparm *p;

		id->parms = tuple->parms;
		id->keys = id_keys(c, tuple->parms, &id->nkeys);
		for (p = id->parms; p != NULL; p = p->next)
			if (p->name == NULL)
				dc_error(c, p->loc, D_DECL_PROTO_FORM,
				    "a parameter of an inline needs a name");
	}
}

void
decl_xlator(struct dc *c, struct type *dst, struct type *src, const char *input,
    struct xmember *list, struct loc l)
{
	struct xlator *x;
	struct xmember *m;
	struct member *dm;
	uint64_t off;

	if (c->bad)
		return;
	dst = ty_base(dst);
	if (!ty_is_sou(dst) || !ty_complete(c, dst)) {
		dc_error(c, l, D_XLATE_SOU, "output type of a translator must be a known struct "
		    "or union: %s", ty_name(c, dst));
		return;
	}
	for (x = c->xlators; x != NULL; x = x->next)
		if (x->why == NULL && ty_same(x->dst, dst) && ty_same(x->src, src)) {
			dc_error(c, l, D_XLATE_REDECL, "a translator from %s to %s exists already",
			    ty_name(c, src), ty_name(c, dst));
			return;
		}
	x = dc_alloc(c, sizeof(*x));
	x->dst = dst;
	x->src = src;
	x->input = input;
	x->members = list;
	x->lib = c->lib;
	for (m = list; m != NULL && !c->bad; m = m->next) {
		struct node *in, *e;
		struct xmember *p;
		struct frame f;

		for (p = list; p != m && strcmp(p->name, m->name) != 0; p = p->next)
			;
		if (p != m) {
			dc_error(c, m->loc, D_UNKNOWN, "member %s is translated twice", m->name);
			return;
		}

		if ((dm = ty_member(c, dst, m->name, &off)) == NULL) {
			dc_error(c, m->loc, D_XLATE_MEMB, "%s has no member %s",
			    ty_name(c, dst), m->name);
			return;
		}
		if (c->lib)
			continue;
		in = nd_int(c, m->loc, 0, src);
		in->flags |= NF_CHECKED;
		in->regs = 1;
		if (ty_is_sou(src)) {
			in->kind = N_OP1;
			in->op = OP_DEREF;
			in->a = nd_int(c, m->loc, 0, ty_ptr(c, src));
			in->a->flags |= NF_CHECKED;
			in->flags |= NF_LVAL;
		}
		c->ncopied = 0;
		f = (struct frame){ .name = input, .value = in, .next = NULL };
		c->frame = &f;
		e = ck(c, nd_copy(c, m->expr));
		c->frame = NULL;
		if (!c->bad && !xl_compat(c, dm->type, e->type))
			dc_error(c, m->expr->loc, D_XLATE_INCOMPAT,
			    "the expression for member %s has type %s, which does not fit %s",
			    m->name, ty_name(c, e->type), ty_name(c, dm->type));
	}
	x->next = c->xlators;
	c->xlators = x;
}

bool
decl_const(struct dc *c, struct node *n, int64_t *ret)
{
	c->ncopied = 0;
	n = ck(c, nd_copy(c, n));
	if (c->bad || n->kind != N_INT)
		return false;
	*ret = (int64_t)n->val;
	return true;
}
