/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * type.c - types: D's own, declared ones, and the guest's.
 *
 * A guest type is imported when it is first named: a struct type for its id,
 * entered in c->tmap before anything it refers to is looked at, so cycles end.
 * Members of structs and enums come later, when one is first asked for
 * (ty_complete). The type source is not trusted: chains of typedefs and
 * anonymous members are cut at a depth, member counts are capped.
 *
 * const, volatile and restrict are dropped: D has no use for them.
 */
#include "impl.h"

#define MAX_CHAIN 64

struct type *
ty_new(struct dc *c, enum tkind k, const char *name, uint64_t size)
{
	struct type *t = dc_alloc(c, sizeof(*t));

	t->kind = k;
	t->name = name != NULL ? name : "";
	t->size = size;
	t->align = size > 8 ? 8 : size > 0 ? (uint32_t)size : 1;
	return t;
}

static struct type *
new_int(struct dc *c, const char *name, uint64_t size, bool is_signed)
{
	struct type *t = ty_new(c, T_INT, name, size);

	t->is_signed = is_signed;
	t->is_char = size == 1;
	return t;
}

struct type *
ty_typedef(struct dc *c, const char *name, struct type *ref)
{
	struct type *t = ty_new(c, T_TYPEDEF, name, ref->size);

	t->ref = ref;
	return t;
}

static struct type *
intrinsic(struct dc *c, const char *name, struct type *ref)
{
	struct type *t = ty_typedef(c, name, ref);
	struct ident *id = id_add(c, SC_GLOBAL, name, ID_TYPE, (struct loc){ 0, 0 });

	id->type = t;
	return t;
}

bool
ty_init(struct dc *c)
{
	static const char *const records[] = {
		[DV_T_STACK] = "stack", [DV_T_USTACK] = "ustack", [DV_T_SYM] = "sym",
		[DV_T_MOD] = "mod", [DV_T_USYM] = "usym", [DV_T_UMOD] = "umod",
		[DV_T_UADDR] = "uaddr",
	};
	unsigned i;

	c->t_void = ty_new(c, T_VOID, "void", 0);
	c->t_char = new_int(c, "char", 1, true);
	c->t_schar = new_int(c, "signed char", 1, true);
	c->t_uchar = new_int(c, "unsigned char", 1, false);
	c->t_short = new_int(c, "short", 2, true);
	c->t_ushort = new_int(c, "unsigned short", 2, false);
	c->t_int = new_int(c, "int", 4, true);
	c->t_uint = new_int(c, "unsigned int", 4, false);
	c->t_long = new_int(c, "long", 8, true);
	c->t_ulong = new_int(c, "unsigned long", 8, false);
	c->t_llong = new_int(c, "long long", 8, true);
	c->t_ullong = new_int(c, "unsigned long long", 8, false);
	c->t_float = ty_new(c, T_FLOAT, "float", 4);
	c->t_double = ty_new(c, T_FLOAT, "double", 8);
	c->t_ldouble = ty_new(c, T_FLOAT, "long double", 16);
	c->t_bool = new_int(c, "_Bool", 1, false);
	c->t_bool->is_char = false;
	c->t_bool->is_bool = true;
	c->t_string = ty_new(c, T_STRING, "string", 0);
	c->t_string->align = 1;
	c->t_agg = ty_new(c, T_AGG, "aggregation", 0);
	c->t_voidp = ty_ptr(c, c->t_void);
	for (i = DV_T_STACK; i <= DV_T_UADDR; i++) {
		c->t_record[i] = ty_new(c, T_RECORD, records[i], 0);
		c->t_record[i]->rkind = (uint8_t)i;
	}
	intrinsic(c, "int8_t", c->t_schar);
	intrinsic(c, "int16_t", c->t_short);
	intrinsic(c, "int32_t", c->t_int);
	c->t_int64 = intrinsic(c, "int64_t", c->t_long);
	intrinsic(c, "uint8_t", c->t_uchar);
	intrinsic(c, "uint16_t", c->t_ushort);
	intrinsic(c, "uint32_t", c->t_uint);
	c->t_uint64 = intrinsic(c, "uint64_t", c->t_ulong);
	intrinsic(c, "uchar_t", c->t_uchar);
	intrinsic(c, "ushort_t", c->t_ushort);
	intrinsic(c, "uint_t", c->t_uint);
	intrinsic(c, "ulong_t", c->t_ulong);
	intrinsic(c, "longlong_t", c->t_llong);
	intrinsic(c, "u_longlong_t", c->t_ullong);
	intrinsic(c, "intptr_t", c->t_long);
	c->t_uintptr = intrinsic(c, "uintptr_t", c->t_ulong);
	c->t_size = intrinsic(c, "size_t", c->t_ulong);
	intrinsic(c, "ssize_t", c->t_long);
	c->t_pid = intrinsic(c, "pid_t", c->t_int);
	c->t_uid = intrinsic(c, "uid_t", c->t_uint);
	c->t_gid = intrinsic(c, "gid_t", c->t_uint);
	return !c->bad;
}

struct type *
ty_base(struct type *t)
{
	int i;

	for (i = 0; i < MAX_CHAIN && t->kind == T_TYPEDEF; i++)
		t = t->ref;
	return t;
}

struct type *
ty_ptr(struct dc *c, struct type *t)
{
	struct type *p;

	if (t->ptr != NULL)
		return t->ptr;
	p = ty_new(c, T_PTR, "", 8);
	p->ref = t;
	t->ptr = p;
	return p;
}

struct type *
ty_array(struct dc *c, struct type *t, uint32_t n)
{
	struct type *a = ty_new(c, T_ARRAY, "", 0);
	uint64_t size = ty_size(c, t);

	a->ref = t;
	a->n = n;
	a->size = size != 0 && n > UINT64_MAX / size ? UINT64_MAX : size * n;
	a->align = ty_align(t);
	return a;
}

/* ---- the guest's ------------------------------------------------------- */

static struct type *import(struct dc *c, dc_tid_t id, unsigned depth);

static void
import_int(struct type *t, const struct dc_tinfo *in)
{
	t->kind = T_INT;
	if (in->size != 1 && in->size != 2 && in->size != 4 && in->size != 8) {
		t->kind = T_STRUCT;	/* __int128: bytes without members */
		t->align = 8;
		return;
	}
	t->is_signed = in->is_signed || strcmp(in->name, "char") == 0;
	t->is_bool = in->is_bool;
	t->is_char = in->is_char || (in->size == 1 && !in->is_bool);
}

/* For a forward declaration, the body that another unit of the guest may have. */
static struct type *
import_body(struct dc *c, struct type *t, const struct dc_tinfo *in, unsigned depth)
{
	const struct dc_types *ts = c->cfg.types;
	dc_tid_t id = ts->find(ts->arg, NULL, in->fwd_union ? DC_T_UNION : DC_T_STRUCT, in->name);
	struct type *r;

	if (id == 0 || id == t->tid || (r = import(c, id, depth + 1))->kind != t->kind ||
	    r->incomplete)
		return t;
	if (dv_map_set(c->tmap, t->tid, r) != 0)
		dc_nomem(c);
	return r;
}

static struct type *
import(struct dc *c, dc_tid_t id, unsigned depth)
{
	const struct dc_types *ts = c->cfg.types;
	struct dc_tinfo in;
	struct type *t, *r;

	if (id == 0 || ts == NULL)
		return c->t_void;
	if ((t = dv_map_get(c->tmap, id)) != NULL)
		return t;
	memset(&in, 0, sizeof(in));
	if (depth > MAX_CHAIN || c->bad || ts->info(ts->arg, id, &in) != 0)
		return c->t_void;
	if (in.name == NULL)
		in.name = "";
	switch (in.kind) {
	case DC_T_CONST: case DC_T_VOLATILE: case DC_T_RESTRICT:
		t = import(c, in.ref, depth + 1);
		if (dv_map_set(c->tmap, id, t) != 0)
			dc_nomem(c);
		return t;
	case DC_T_VOID: case DC_T_OTHER:
		return c->t_void;
	default:
		break;
	}
	t = ty_new(c, T_VOID, dc_strdup(c, in.name, strlen(in.name)), in.size);
	t->tid = id;
	t->n = in.n;
	if (dv_map_set(c->tmap, id, t) != 0)
		dc_nomem(c);
	switch (in.kind) {
	case DC_T_INT:
		import_int(t, &in);
		break;
	case DC_T_FLOAT:
		t->kind = T_FLOAT;
		break;
	case DC_T_PTR:
		t->kind = T_PTR;
		t->size = t->align = 8;
		t->name = "";
		r = import(c, in.ref, depth + 1);
		t->ref = r;
		if (r->ptr == NULL)
			r->ptr = t;
		break;
	case DC_T_ARRAY:
		t->kind = T_ARRAY;
		t->ref = c->t_void;
		r = import(c, in.ref, depth + 1);
		t->ref = r;
		t->align = ty_align(r);
		t->size = ty_size(c, r);
		t->size = t->size != 0 && t->n > UINT64_MAX / t->size ? 0 : t->size * t->n;
		break;
	case DC_T_STRUCT: case DC_T_UNION:
		t->kind = in.kind == DC_T_STRUCT ? T_STRUCT : T_UNION;
		t->lazy = true;
		t->align = 8;
		break;
	case DC_T_ENUM:
		t->kind = T_ENUM;
		t->lazy = true;
		t->is_signed = true;
		if (t->size != 1 && t->size != 2 && t->size != 8)
			t->size = 4;
		t->align = (uint32_t)t->size;
		break;
	case DC_T_FWD:
		t->kind = in.fwd_union ? T_UNION : T_STRUCT;
		t->incomplete = true;
		return import_body(c, t, &in, depth);
	case DC_T_TYPEDEF:
		t->kind = T_TYPEDEF;
		t->ref = c->t_void;	/* should the chain come back here */
		t->ref = import(c, in.ref, depth + 1);
		if (t->ref == t)
			t->ref = c->t_void;
		t->size = ty_size(c, t->ref);
		t->align = ty_align(t->ref);
		break;
	case DC_T_FUNC:
		t->kind = T_FUNC;
		t->size = 0;
		t->ref = c->t_void;
		t->ref = import(c, in.ref, depth + 1);
		break;
	default:
		break;
	}
	return t;
}

struct type *
ty_import(struct dc *c, dc_tid_t id)
{
	return import(c, id, 0);
}

bool
ty_complete(struct dc *c, struct type *t)
{
	const struct dc_types *ts = c->cfg.types;
	struct dc_minfo mi;
	uint32_t i, n;

	if (!t->lazy)
		return !t->incomplete;
	t->lazy = false;
	n = t->n > MAX_MEMBERS ? MAX_MEMBERS : t->n;
	t->mem = dc_alloc(c, n * sizeof(*t->mem));
	if (c->bad)
		return false;
	for (i = 0; i < n; i++) {
		struct member *m = &t->mem[t->nmem];

		memset(&mi, 0, sizeof(mi));
		if (ts->member(ts->arg, t->tid, i, &mi) != 0)
			continue;
		m->name = mi.name != NULL ? dc_strdup(c, mi.name, strlen(mi.name)) : "";
		m->type = t->kind == T_ENUM ? t : import(c, mi.type, 0);
		m->bit_off = mi.bit_off;
		m->bit_size = mi.bit_size > 64 ? 64 : mi.bit_size;
		m->value = mi.value;
		t->nmem++;
	}
	return true;
}

/* A guest type by name: STRUCT UNION ENUM INT TYPEDEF. NULL: none. */
struct type *
ty_find(struct dc *c, const char *mod, enum tkind k, const char *name)
{
	static const enum dc_tkind kinds[] = {
		[T_INT] = DC_T_INT, [T_STRUCT] = DC_T_STRUCT, [T_UNION] = DC_T_UNION,
		[T_ENUM] = DC_T_ENUM, [T_TYPEDEF] = DC_T_TYPEDEF,
	};
	dc_tid_t id;

	dc_miss(c);
	if (c->cfg.types == NULL)
		return NULL;
	id = c->cfg.types->find(c->cfg.types->arg, mod, kinds[k], name);
	return id != 0 ? ty_import(c, id) : NULL;
}

/*
 * A type given as text: words of C's types or struct NAME, then stars or [N]. For
 * types that a probe source or another part of the compiler names.
 */
struct type *
ty_text(struct dc *c, const char *text)
{
	static const struct { const char *word; uint32_t w; } words[] = {
		{ "void", DW_VOID }, { "char", DW_CHAR }, { "short", DW_SHORT }, { "int", DW_INT },
		{ "long", DW_LONG }, { "signed", DW_SIGNED }, { "unsigned", DW_UNSIGNED },
		{ "string", DW_STRING }, { "_Bool", DW_BOOL }, { "float", DW_FLOAT },
		{ "double", DW_DOUBLE }, { "const", 0 }, { "volatile", 0 },
	};
	struct dspec s = { .words = 0 };
	struct type *t = NULL;
	const char *name;
	char *end;
	enum tkind tag = T_VOID;
	size_t n, i, nptr = 0;

	for (;;) {
		text += strspn(text, " \t");
		if (*text == '\0' || *text == '*' || *text == '[')
			break;
		n = strcspn(text, " \t*[");
		if (n == 0)
			return NULL;
		name = dc_strdup(c, text, n);
		text += n;
		if (strcmp(name, "struct") == 0)
			tag = T_STRUCT;
		else if (strcmp(name, "union") == 0)
			tag = T_UNION;
		else if (strcmp(name, "enum") == 0)
			tag = T_ENUM;
		else if (tag != T_VOID) {
			t = dv_smap_get_ptr(c->tags[tag == T_STRUCT ? 0 :
			    tag == T_UNION ? 1 : 2], name);
			if (t == NULL && (t = ty_find(c, NULL, tag, name)) == NULL) {
				t = ty_new(c, tag, name, 0);
				t->incomplete = true;
			}
			tag = T_VOID;
		} else {
			for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
				if (strcmp(name, words[i].word) == 0)
					break;
			if (i < sizeof(words) / sizeof(words[0])) {
				if (words[i].w == DW_LONG && (s.words & DW_LONG))
					s.words |= DW_LONGLONG;
				s.words |= words[i].w;
			} else if (!id_is_type(c, name, &t))
				return NULL;
		}
	}
	if (t == NULL && s.words == 0)
		return NULL;
	if (t == NULL)
		t = ds_resolve(c, &s);
	for (; *text != '\0'; text++)
		if (*text == '*') {
			if (++nptr > 16)
				return NULL;
			t = ty_ptr(c, t);
		} else if (*text == '[') {
			n = strtoul(text + 1, &end, 10);
			return n > 0 && n <= 1u << 20 && strcmp(end, "]") == 0 ?
			    ty_array(c, t, (uint32_t)n) : NULL;
		} else if (*text != ' ' && strncmp(text, "const", 5) == 0)
			text += 4;
		else if (*text != ' ')
			return NULL;
	return t;
}

static struct member *
find_member(struct dc *c, struct type *t, const char *name, uint64_t *bit_off, unsigned depth)
{
	struct member *m;
	uint64_t off;
	uint32_t i;

	t = ty_base(t);
	if (depth > 16 || !ty_is_sou(t) || !ty_complete(c, t))
		return NULL;
	for (i = 0; i < t->nmem; i++)
		if (strcmp(t->mem[i].name, name) == 0) {
			*bit_off = t->mem[i].bit_off;
			return &t->mem[i];
		}
	for (i = 0; i < t->nmem; i++) {
		if (t->mem[i].name[0] != '\0')
			continue;
		if ((m = find_member(c, t->mem[i].type, name, &off, depth + 1)) != NULL) {
			*bit_off = t->mem[i].bit_off + off;
			return m;
		}
	}
	return NULL;
}

/* Also in anonymous members; *bit_off is from the start of t. */
struct member *
ty_member(struct dc *c, struct type *t, const char *name, uint64_t *bit_off)
{
	return find_member(c, t, name, bit_off, 0);
}

/* ---- questions --------------------------------------------------------- */

bool
ty_is_int(struct type *t)
{
	t = ty_base(t);
	return t->kind == T_INT || t->kind == T_ENUM;
}

bool
ty_is_ptr(struct type *t)
{
	return ty_base(t)->kind == T_PTR;
}

bool
ty_is_scalar(struct type *t)
{
	return ty_is_int(t) || ty_is_ptr(t);
}

bool
ty_is_string(struct type *t)
{
	return ty_base(t)->kind == T_STRING;
}

bool
ty_is_chars(struct type *t)
{
	t = ty_base(t);
	if (t->kind != T_ARRAY && t->kind != T_PTR)
		return false;
	t = ty_base(t->ref);
	return t->kind == T_INT && t->is_char;
}

bool
ty_is_strlike(struct type *t)
{
	return ty_is_string(t) || ty_is_chars(t);
}

bool
ty_is_sou(struct type *t)
{
	t = ty_base(t);
	return t->kind == T_STRUCT || t->kind == T_UNION;
}

/* A value of it is an address in a register. */
bool
ty_is_byref(struct type *t)
{
	t = ty_base(t);
	return t->kind == T_STRING || t->kind == T_STRUCT || t->kind == T_UNION ||
	    t->kind == T_ARRAY;
}

bool
ty_is_void(struct type *t)
{
	return ty_base(t)->kind == T_VOID;
}

bool
ty_is_signed(struct type *t)
{
	t = ty_base(t);
	return (t->kind == T_INT || t->kind == T_ENUM) && t->is_signed;
}

bool
ty_same(struct type *a, struct type *b)
{
	int i;

	for (i = 0; i < MAX_CHAIN; i++) {
		a = ty_base(a);
		b = ty_base(b);
		if (a == b)
			return true;
		if (a->kind != b->kind)
			return false;
		switch (a->kind) {
		case T_INT:
			return a->size == b->size && a->is_signed == b->is_signed &&
			    a->is_bool == b->is_bool;
		case T_STRUCT: case T_UNION: case T_ENUM:
			return a->name[0] != '\0' && strcmp(a->name, b->name) == 0 &&
			    (a->size == b->size || a->incomplete || b->incomplete);
		case T_ARRAY:
			if (a->n != b->n)
				return false;
			break;
		case T_PTR:
			break;
		case T_FUNC:
			return true;
		default:
			return a->kind == T_VOID || a->kind == T_STRING ||
			    (a->kind == T_FLOAT && a->size == b->size);
		}
		a = a->ref;
		b = b->ref;
	}
	return false;
}

uint64_t
ty_size(struct dc *c, struct type *t)
{
	t = ty_base(t);
	if (t->kind == T_STRING)
		return c->opt[DV_OPT_STRSIZE];
	return t->size;
}

uint32_t
ty_align(struct type *t)
{
	t = ty_base(t);
	return t->align != 0 ? t->align : 1;
}

struct type *
ty_decay(struct dc *c, struct type *t)
{
	struct type *b = ty_base(t);

	if (b->kind == T_ARRAY)
		return ty_ptr(c, b->ref);
	if (b->kind == T_FUNC)
		return ty_ptr(c, b);
	return t;
}

struct type *
ty_promote(struct dc *c, struct type *t)
{
	struct type *b = ty_base(t);

	if (b->kind == T_ENUM)
		return b->size == 8 ? c->t_long : c->t_int;
	if (b->kind == T_INT && b->size < 4)
		return c->t_int;
	return t;
}

/* C's usual arithmetic conversions, for integers. */
struct type *
ty_usual(struct dc *c, struct type *a, struct type *b)
{
	struct type *x, *y;

	a = ty_promote(c, a);
	b = ty_promote(c, b);
	x = ty_base(a);
	y = ty_base(b);
	if (x->size != y->size)
		return x->size > y->size ? a : b;
	if (x->is_signed == y->is_signed)
		return a;
	return x->is_signed ? b : a;
}

/* ---- for people -------------------------------------------------------- */

const char *
ty_name(struct dc *c, struct type *t)
{
	static const char *const words[] = {
		[T_STRUCT] = "struct", [T_UNION] = "union", [T_ENUM] = "enum",
	};
	char stars[16] = "", dims[64] = "";
	size_t ns = 0, nd = 0;
	int i;

	for (i = 0; i < 12; i++) {
		if (t->kind == T_PTR) {
			stars[ns++] = '*';
			stars[ns] = '\0';
		} else if (t->kind == T_ARRAY && ns == 0 && nd < 40) {
			nd += (size_t)snprintf(dims + nd, sizeof(dims) - nd, "[%u]", t->n);
		} else
			break;
		t = t->ref;
	}
	if (t->alias != NULL)
		return dc_fmt(c, "%.200s%s%s%s", t->alias, ns ? " " : "", stars, dims);
	switch (t->kind) {
	case T_STRUCT: case T_UNION: case T_ENUM:
		return dc_fmt(c, "%s %.200s%s%s%s", words[t->kind],
		    t->name[0] != '\0' ? t->name : "(anon)", ns ? " " : "", stars, dims);
	case T_FUNC:
		return dc_fmt(c, "function%s%s", ns ? " " : "", stars);
	case T_ARRAY:
		return dc_fmt(c, "array%s%s", ns ? " " : "", stars);
	default:
		return dc_fmt(c, "%.200s%s%s%s", t->name, ns ? " " : "", stars, dims);
	}
}

struct dv_dtype
ty_dtype(struct dc *c, struct type *t)
{
	struct dv_dtype d = { .kind = DV_T_NONE };
	struct type *b = ty_base(t);

	switch (b->kind) {
	case T_INT: case T_ENUM: case T_PTR: case T_FLOAT:
		d.kind = DV_T_INT;
		d.size = b->size > 8 ? 8 : (uint32_t)b->size;
		d.flags = b->is_signed ? DV_TF_SIGNED : 0;
		break;
	case T_FUNC:
		d.kind = DV_T_INT;
		d.size = 8;
		break;
	case T_STRING:
		d.kind = DV_T_STRING;
		d.flags = DV_TF_BYREF;
		d.size = (uint32_t)c->opt[DV_OPT_STRSIZE];
		break;
	case T_ARRAY: case T_STRUCT: case T_UNION:
		d.kind = DV_T_BYTES;
		d.flags = DV_TF_BYREF;
		d.size = b->size > UINT32_MAX ? UINT32_MAX : (uint32_t)b->size;
		break;
	case T_RECORD:
		d.kind = b->rkind;
		break;
	default:
		break;
	}
	return d;
}
