/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btf.c - the kernel's own type information.
 *
 * BTF is a header, a run of type records and a string section:
 *
 *	header	u16 magic 0xeb9f, u8 version 1, u8 flags, u32 hdr_len,
 *		u32 type_off, type_len, str_off, str_len (after the header)
 *	type	u32 name (in strings), u32 info, u32 size_or_type, then what the
 *		kind asks for. info: bits 0-15 vlen, 24-28 kind, 31 kind_flag
 *
 * Ids count from 1 in order; 0 is void. All records are measured once at open:
 * each lies whole in the section, each name in the strings, which end in a NUL.
 * References are checked when followed, chains are cut at DEPTH. TYPE_TAG is
 * skipped wherever a reference is handed out, so that nobody meets it.
 *
 * A module's BTF is split: its ids and its names go on where the kernel's end, and
 * it refers to both. Here such an id is turned into one that is unique among all
 * modules where it leaves a record (public_id), and back where it comes in.
 *
 * Format: Linux include/uapi/linux/btf.h, Documentation/bpf/btf.rst.
 */
#include "gi_impl.h"

#define BTF_MAGIC	0xeb9fu
#define DEPTH		32u
#define MAX_TYPES	4000000u

enum {				/* include/uapi/linux/btf.h */
	K_UNKN, K_INT, K_PTR, K_ARRAY, K_STRUCT, K_UNION, K_ENUM, K_FWD, K_TYPEDEF,
	K_VOLATILE, K_CONST, K_RESTRICT, K_FUNC, K_FUNC_PROTO, K_VAR, K_DATASEC,
	K_FLOAT, K_DECL_TAG, K_TYPE_TAG, K_ENUM64, K_MAX
};

static const uint8_t kinds[K_MAX] = {
	[K_UNKN] = GI_T_OTHER, [K_INT] = GI_T_INT, [K_PTR] = GI_T_PTR,
	[K_ARRAY] = GI_T_ARRAY, [K_STRUCT] = GI_T_STRUCT, [K_UNION] = GI_T_UNION,
	[K_ENUM] = GI_T_ENUM, [K_FWD] = GI_T_FWD, [K_TYPEDEF] = GI_T_TYPEDEF,
	[K_VOLATILE] = GI_T_VOLATILE, [K_CONST] = GI_T_CONST,
	[K_RESTRICT] = GI_T_RESTRICT, [K_FUNC] = GI_T_FUNC, [K_FUNC_PROTO] = GI_T_PROTO,
	[K_VAR] = GI_T_VAR, [K_DATASEC] = GI_T_OTHER, [K_FLOAT] = GI_T_FLOAT,
	[K_DECL_TAG] = GI_T_OTHER, [K_TYPE_TAG] = GI_T_OTHER, [K_ENUM64] = GI_T_ENUM,
};

struct raw {			/* one record, unpacked */
	const struct gi_btf *b;	/* whose it is */
	uint32_t name, info, size;
	const uint8_t *more;	/* what follows the 12 bytes */
	unsigned kind, vlen;
	bool kflag;
};

static size_t
more_len(unsigned kind, unsigned vlen)
{
	switch (kind) {
	case K_INT:
	case K_VAR:
	case K_DECL_TAG:
		return 4;
	case K_ARRAY:
		return 12;
	case K_STRUCT:
	case K_UNION:
	case K_DATASEC:
	case K_ENUM64:
		return 12 * (size_t)vlen;
	case K_ENUM:
	case K_FUNC_PROTO:
		return 8 * (size_t)vlen;
	}
	return 0;
}

static void
unpack(const struct gi_btf *b, const uint8_t *p, struct raw *r)
{
	r->b = b;
	r->name = gi_u32(p);
	r->info = gi_u32(p + 4);
	r->size = gi_u32(p + 8);
	r->more = p + 12;
	r->kind = (r->info >> 24) & 31;
	r->vlen = r->info & 0xffff;
	r->kflag = r->info >> 31;
}

static bool
raw_type(const struct gi_btf *b, uint32_t id, struct raw *r)
{
	if (b->base != NULL && id <= b->base->n)
		b = b->base;
	if (id <= b->idoff || id - b->idoff > b->n) {
		memset(r, 0, sizeof(*r));
		r->b = b;
		return false;
	}
	unpack(b, b->types + b->off[id - b->idoff], r);
	return true;
}

/* From an id in a record of b. */
static uint32_t
public_id(const struct gi_btf *b, uint32_t id)
{
	if (b->base == NULL || id <= b->base->n)
		return id;
	id -= b->base->n;
	return id > b->n ? 0 : id + b->idoff;
}

static const char *
str(const struct gi_btf *b, uint32_t off)
{
	if (b->base != NULL) {
		if (off < b->base->strs_len)
			return b->base->strs + off;
		off -= b->base->strs_len;
	}
	return off < b->strs_len ? b->strs + off : "";
}

/* Where a reference leads once TYPE_TAGs are skipped. */
static uint32_t
skip_tags(const struct gi_btf *b, uint32_t id)
{
	struct raw r;
	unsigned i;

	for (i = 0; i < DEPTH && raw_type(b, id, &r) && r.kind == K_TYPE_TAG; i++)
		id = public_id(r.b, r.size);
	return i == DEPTH || (id != 0 && !raw_type(b, id, &r)) ? 0 : id;
}

/* What an id in a record refers to. */
static uint32_t
refers(const struct raw *r, uint32_t id)
{
	return skip_tags(r->b, public_id(r->b, id));
}

static uint32_t
hash_name(unsigned kind, const char *name)
{
	return (uint32_t)dv_hash_bytes(name, strlen(name)) * 31 + kind * 0x9e3779b1u;
}

static bool
hashed_kind(enum gi_tkind kind)
{
	switch (kind) {
	case GI_T_INT:
	case GI_T_FLOAT:
	case GI_T_STRUCT:
	case GI_T_UNION:
	case GI_T_ENUM:
	case GI_T_FWD:
	case GI_T_TYPEDEF:
	case GI_T_FUNC:
	case GI_T_VAR:
		return true;
	default:
		return false;
	}
}

static int
measure(struct gi_btf *b, struct dv_err *err)
{
	size_t at = 0, cap = 1024;
	struct raw r;

	if ((b->off = calloc(cap, sizeof(*b->off))) == NULL)
		return dv_err_nomem(err);
	while (at < b->types_len) {
		if (b->types_len - at < 12)
			goto cut;
		unpack(b, b->types + at, &r);
		if (r.kind == K_UNKN || r.kind >= K_MAX)
			return dv_err_set(err, DV_E_FORMAT, "BTF type %u has unknown kind %u",
			    b->n + 1, r.kind);
		if (more_len(r.kind, r.vlen) > b->types_len - at - 12)
			goto cut;
		if (r.name >= b->strs_len + (b->base != NULL ? b->base->strs_len : 0))
			return dv_err_set(err, DV_E_FORMAT,
			    "BTF type %u has a name outside of the strings", b->n + 1);
		if (b->n + 2 > MAX_TYPES)
			return dv_err_set(err, DV_E_FORMAT, "BTF has over %u types", MAX_TYPES);
		if (dv_vec_grow(&b->off, &cap, (size_t)b->n + 1, 1, sizeof(*b->off)) != 0)
			return dv_err_nomem(err);
		b->off[++b->n] = (uint32_t)at;
		at += 12 + more_len(r.kind, r.vlen);
	}
	return 0;
cut:
	return dv_err_set(err, DV_E_FORMAT, "BTF type %u is cut short", b->n + 1);
}

static int
index_types(struct gi_btf *b, struct dv_err *err)
{
	uint32_t id, first = b->idoff + 1, last = b->idoff + b->n, size = 64, nenum = 0, i, h;
	struct raw r;

	while (size < b->n * 2)
		size *= 2;
	if ((b->hash = calloc(size, sizeof(*b->hash))) == NULL)
		return dv_err_nomem(err);
	b->hashmask = size - 1;
	for (id = first; id <= last; id++) {
		const char *name;

		raw_type(b, id, &r);
		if (r.kind == K_ENUM || r.kind == K_ENUM64)
			nenum += r.vlen;
		if (!hashed_kind(kinds[r.kind]) || *(name = str(b, r.name)) == 0)
			continue;
		h = hash_name(kinds[r.kind], name) & b->hashmask;
		while (b->hash[h] != 0) {
			struct raw o;

			raw_type(b, b->hash[h], &o);
			if (kinds[o.kind] == kinds[r.kind] && strcmp(str(b, o.name), name) == 0)
				break;		/* the first one stays */
			h = (h + 1) & b->hashmask;
		}
		if (b->hash[h] == 0)
			b->hash[h] = id;
	}
	for (size = 64; size < nenum * 2; size *= 2)
		;
	if ((b->enums = calloc(size, sizeof(*b->enums))) == NULL)
		return dv_err_nomem(err);
	b->enummask = size - 1;
	for (id = first; id <= last; id++) {
		raw_type(b, id, &r);
		if (r.kind != K_ENUM && r.kind != K_ENUM64)
			continue;
		for (i = 0; i < r.vlen; i++) {
			struct gi_member m, o;

			if (gi_btf_member(b, id, i, &m) != 0 || *m.name == 0)
				continue;
			h = hash_name(0, m.name) & b->enummask;
			while (b->enums[h].id != 0) {
				if (gi_btf_member(b, b->enums[h].id, b->enums[h].i, &o) == 0 &&
				    strcmp(o.name, m.name) == 0)
					break;
				h = (h + 1) & b->enummask;
			}
			if (b->enums[h].id == 0)
				b->enums[h] = (struct gi_btf_enumr){ id, i };
		}
	}
	return 0;
}

int
gi_btf_open_split(const struct gi_btf *base, uint32_t idoff, const void *data, size_t len,
    struct dv_err *err, struct gi_btf **ret)
{
	struct gi_btf *b;
	const uint8_t *p = data;
	uint32_t hdr, toff, tlen, soff, slen;
	int rc;

	if (len < 24)
		return dv_err_set(err, DV_E_FORMAT, "BTF of %zu bytes is too short", len);
	if (gi_u16(p) != BTF_MAGIC)
		return dv_err_set(err, DV_E_FORMAT, "BTF magic is 0x%x, not 0x%x",
		    gi_u16(p), BTF_MAGIC);
	if (p[2] != 1)
		return dv_err_set(err, DV_E_FORMAT, "BTF version %u is not supported", p[2]);
	hdr = gi_u32(p + 4);
	toff = gi_u32(p + 8);
	tlen = gi_u32(p + 12);
	soff = gi_u32(p + 16);
	slen = gi_u32(p + 20);
	if (hdr < 24 || hdr > len || toff > len - hdr || tlen > len - hdr - toff ||
	    soff > len - hdr || slen > len - hdr - soff || len > GI_MAX_BTF)
		return dv_err_set(err, DV_E_FORMAT, "BTF sections do not fit in its %zu bytes",
		    len);
	/* a module may have no names of its own */
	if ((slen == 0 && base == NULL) || (slen != 0 && p[hdr + soff + slen - 1] != 0) ||
	    (base == NULL && p[hdr + soff] != 0))
		return dv_err_set(err, DV_E_FORMAT, "BTF strings do not start and end with a NUL");
	if ((b = calloc(1, sizeof(*b))) == NULL || (b->data = malloc(len)) == NULL) {
		free(b);
		return dv_err_nomem(err);
	}
	memcpy(b->data, data, len);
	b->base = base;
	b->idoff = idoff;
	b->len = len;
	b->types = b->data + hdr + toff;
	b->types_len = tlen;
	b->strs = (const char *)b->data + hdr + soff;
	b->strs_len = slen;
	if ((rc = measure(b, err)) != 0 || (rc = index_types(b, err)) != 0) {
		gi_btf_close(b);
		return rc;
	}
	*ret = b;
	return 0;
}

int
gi_btf_open(const void *data, size_t len, struct dv_err *err, struct gi_btf **ret)
{
	return gi_btf_open_split(NULL, 0, data, len, err, ret);
}

void
gi_btf_close(struct gi_btf *b)
{
	if (b == NULL)
		return;
	free(b->data);
	free(b->off);
	free(b->hash);
	free(b->enums);
	free(b);
}

int
gi_btf_type(const struct gi_btf *b, uint32_t id, struct gi_type *ret)
{
	struct raw r;
	uint32_t enc;

	memset(ret, 0, sizeof(*ret));
	ret->name = "";
	if (id == 0)
		return 0;
	if (!raw_type(b, id, &r))
		return DV_E_NOENT;
	ret->kind = kinds[r.kind];
	ret->name = str(r.b, r.name);
	switch (r.kind) {
	case K_INT:
		enc = gi_u32(r.more) >> 24 & 15;
		ret->size = r.size;
		ret->is_signed = enc & 1;
		ret->is_char = enc & 2;
		ret->is_bool = enc & 4;
		if (r.size == 1 && !ret->is_bool && strstr(ret->name, "char") != NULL)
			ret->is_char = true;
		break;
	case K_ENUM:
	case K_ENUM64:
		ret->is_signed = r.kflag;
		/* fallthrough */
	case K_STRUCT:
	case K_UNION:
		ret->n = r.vlen;
		/* fallthrough */
	case K_FLOAT:
		ret->size = r.size;
		break;
	case K_ARRAY:
		ret->ref = refers(&r, gi_u32(r.more));
		ret->index = refers(&r, gi_u32(r.more + 4));
		ret->n = gi_u32(r.more + 8);
		break;
	case K_FWD:
		ret->fwd_union = r.kflag;
		break;
	case K_FUNC_PROTO:
		ret->n = r.vlen;
		/* fallthrough */
	case K_PTR:
	case K_TYPEDEF:
	case K_VOLATILE:
	case K_CONST:
	case K_RESTRICT:
	case K_FUNC:
	case K_VAR:
	case K_TYPE_TAG:
	case K_DECL_TAG:
		ret->ref = refers(&r, r.size);
		break;
	}
	if (r.kind == K_PTR)
		ret->size = 8;
	return 0;
}

int
gi_btf_member(const struct gi_btf *b, uint32_t id, uint32_t i, struct gi_member *ret)
{
	struct raw r;
	const uint8_t *p;

	memset(ret, 0, sizeof(*ret));
	ret->name = "";
	if (!raw_type(b, id, &r) || i >= r.vlen)
		return DV_E_NOENT;
	switch (r.kind) {
	case K_STRUCT:
	case K_UNION:
		p = r.more + 12 * (size_t)i;
		ret->name = str(r.b, gi_u32(p));
		ret->type = refers(&r, gi_u32(p + 4));
		ret->bit_off = gi_u32(p + 8);
		if (r.kflag) {
			ret->bit_size = ret->bit_off >> 24;
			ret->bit_off &= 0xffffff;
		}
		return 0;
	case K_ENUM:
		p = r.more + 8 * (size_t)i;
		ret->name = str(r.b, gi_u32(p));
		ret->value = r.kflag ? (int64_t)(int32_t)gi_u32(p + 4) : (int64_t)gi_u32(p + 4);
		ret->type = id;
		return 0;
	case K_ENUM64:
		p = r.more + 12 * (size_t)i;
		ret->name = str(r.b, gi_u32(p));
		ret->value = (int64_t)((uint64_t)gi_u32(p + 4) | (uint64_t)gi_u32(p + 8) << 32);
		ret->type = id;
		return 0;
	case K_FUNC_PROTO:
		p = r.more + 8 * (size_t)i;
		ret->name = str(r.b, gi_u32(p));
		ret->type = refers(&r, gi_u32(p + 4));
		return 0;
	}
	return DV_E_NOENT;
}

uint32_t
gi_btf_find(const struct gi_btf *b, enum gi_tkind kind, const char *name)
{
	uint32_t h, i;
	struct raw r;

	h = hash_name(kind, name) & b->hashmask;
	for (i = 0; i <= b->hashmask && b->hash[h] != 0; i++, h = (h + 1) & b->hashmask) {
		raw_type(b, b->hash[h], &r);
		if (kinds[r.kind] == kind && strcmp(str(b, r.name), name) == 0)
			return b->hash[h];
	}
	return 0;
}

uint32_t
gi_btf_resolve(const struct gi_btf *b, uint32_t id)
{
	struct raw r;
	unsigned i;

	for (i = 0; i < DEPTH && raw_type(b, id, &r); i++) {
		switch (r.kind) {
		case K_TYPEDEF:
		case K_VOLATILE:
		case K_CONST:
		case K_RESTRICT:
		case K_TYPE_TAG:
			id = public_id(r.b, r.size);
			continue;
		}
		return id;
	}
	return 0;
}

/* One component of a path, looked for through anonymous members. budget bounds
 * the work on types that contain themselves. */
static bool
find_member(const struct gi_btf *b, uint32_t id, const char *name, size_t len,
    unsigned depth, unsigned *budget, struct gi_member *ret)
{
	struct gi_type t;
	uint32_t i;

	id = gi_btf_resolve(b, id);
	if (depth == 0 || id == 0 || gi_btf_type(b, id, &t) != 0 ||
	    (t.kind != GI_T_STRUCT && t.kind != GI_T_UNION))
		return false;
	for (i = 0; i < t.n; i++) {
		struct gi_member m, in;

		if (*budget == 0)
			return false;
		--*budget;
		if (gi_btf_member(b, id, i, &m) != 0)
			continue;
		if (*m.name == 0) {
			if (!find_member(b, m.type, name, len, depth - 1, budget, &in))
				continue;
			in.bit_off += m.bit_off;
			*ret = in;
			return true;
		}
		if (strncmp(m.name, name, len) == 0 && m.name[len] == 0) {
			*ret = m;
			return true;
		}
	}
	return false;
}

int64_t
gi_btf_offsetof(const struct gi_btf *b, uint32_t id, const char *path,
    struct gi_member *ret)
{
	unsigned budget = 200000;
	struct gi_member m;
	uint64_t bits = 0;

	for (;;) {
		size_t len = strcspn(path, ".");

		if (len == 0 || !find_member(b, id, path, len, 12, &budget, &m))
			return -1;
		bits += m.bit_off;
		if (path[len] == 0)
			break;
		path += len + 1;
		id = m.type;
	}
	if (ret != NULL)
		*ret = m;
	return (int64_t)(bits / 8);
}

/* ---- the public face ---- */

uint32_t
gi_ntypes(const struct gi_kernel *k)
{
	return (k->mods != NULL ? k->mods->idoff : k->btf->n) + 1;
}

const struct gi_btf *
gi_btf_of(const struct gi_kernel *k, uint32_t id)
{
	uint32_t i;

	if (id > k->btf->n && k->mods != NULL)
		for (i = 0; i < k->mods->n; i++) {
			const struct gi_btf *b = k->mods->v[i].types;

			if (b != NULL && id > b->idoff && id - b->idoff <= b->n)
				return b;
		}
	return k->btf;
}

int
gi_type(const struct gi_kernel *k, uint32_t id, struct gi_type *ret)
{
	return gi_btf_type(gi_btf_of(k, id), id, ret);
}

int
gi_member(const struct gi_kernel *k, uint32_t id, uint32_t i, struct gi_member *ret)
{
	return gi_btf_member(gi_btf_of(k, id), id, i, ret);
}

uint32_t
gi_type_find(const struct gi_kernel *k, enum gi_tkind kind, const char *name)
{
	return gi_btf_find(k->btf, kind, name);
}

uint32_t
gi_type_find_in(const struct gi_kernel *k, const char *mod, enum gi_tkind kind, const char *name)
{
	struct gi_mod *m = mod == NULL ? NULL : gi_mod_find(k, mod);
	uint32_t id, i;

	if (m == NULL && (mod == NULL || gi_is_vmlinux(mod))) {
		id = gi_btf_find(k->btf, kind, name);
		for (i = 0; id == 0 && mod == NULL && k->mods != NULL && i < k->mods->n; i++) {
			const struct gi_btf *b = gi_mod_types(k, &k->mods->v[i]);

			if (b != NULL)
				id = gi_btf_find(b, kind, name);
		}
		return id;
	}
	if (m == NULL)
		return 0;
	if (gi_mod_types(k, m) != NULL && (id = gi_btf_find(m->types, kind, name)) != 0)
		return id;
	/* types that it shares with the kernel; things of one name are others there */
	return kind == GI_T_VAR || kind == GI_T_FUNC ? 0 : gi_btf_find(k->btf, kind, name);
}

static bool
find_enumerator(const struct gi_btf *b, const char *name, int64_t *value, uint32_t *type)
{
	uint32_t h = hash_name(0, name) & b->enummask, i;
	struct gi_member m;

	for (i = 0; i <= b->enummask && b->enums[h].id != 0; i++, h = (h + 1) & b->enummask) {
		if (gi_btf_member(b, b->enums[h].id, b->enums[h].i, &m) != 0 ||
		    strcmp(m.name, name) != 0)
			continue;
		if (value != NULL)
			*value = m.value;
		if (type != NULL)
			*type = b->enums[h].id;
		return true;
	}
	return false;
}

bool
gi_enum_find(const struct gi_kernel *k, const char *name, int64_t *value, uint32_t *type)
{
	uint32_t i;

	if (find_enumerator(k->btf, name, value, type))
		return true;
	for (i = 0; k->mods != NULL && i < k->mods->n; i++) {
		const struct gi_btf *b = gi_mod_types(k, &k->mods->v[i]);

		if (b != NULL && find_enumerator(b, name, value, type))
			return true;
	}
	return false;
}

int64_t
gi_offsetof(const struct gi_kernel *k, const char *strct, const char *path)
{
	uint32_t id = gi_btf_find(k->btf, GI_T_STRUCT, strct);

	if (id == 0)
		id = gi_btf_find(k->btf, GI_T_UNION, strct);
	if (id == 0)
		id = gi_btf_find(k->btf, GI_T_TYPEDEF, strct);
	return id == 0 ? -1 : gi_btf_offsetof(k->btf, id, path, NULL);
}

uint32_t
gi_off32(const struct gi_kernel *k, const char *strct, const char *path)
{
	int64_t o = gi_offsetof(k, strct, path);

	return o < 0 || o >= DV_NO_OFF ? DV_NO_OFF : (uint32_t)o;
}
