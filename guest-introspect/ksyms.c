/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ksyms.c - finds and decodes the symbol table inside a kernel image.
 *
 * The kernel carries its symbols compressed (scripts/kallsyms.c writes them,
 * kernel/kallsyms.c reads them). Nothing points at the tables from outside,
 * so they are found by their shape, each check binding more than the last:
 *
 *	token_index	256 x u16, the first 0, each at least 2 more than the one
 *			before; a[i] is the start of token i in
 *	token_table	256 NUL-terminated strings, shortly before token_index:
 *			the byte before every start must be a NUL
 *	num_syms	u32 N (4 bytes of padding may follow), then
 *	names		N x { ULEB128 length, that many token numbers }, then
 *	markers		u32: the offset in names of every 256th name. A chain of
 *			N lengths that ends exactly where the table of its own
 *			every 256th offset starts is no accident.
 *	offsets		N x s32, and relative_base, u64. Where they are and what
 *			they mean is what differs:
 *
 *	layout	order						address
 *	1	offsets relative_base num_syms names markers	absolute-percpu
 *		token_table token_index				(5.10)
 *	2	the same with N x 3 bytes (seqs_of_names)	absolute-percpu
 *		between markers and token_table			(6.1)
 *	3	num_syms names markers token_table token_index	absolute-percpu
 *		offsets relative_base				(6.12)
 *	4	as 3 without relative_base			&offsets[i] +
 *								offsets[i] (7.x)
 *
 * absolute-percpu: an offset o < 0 stands for relative_base - 1 - o; o >= 0 is
 * the value itself, a per-CPU offset. A kernel built without it has
 * relative_base + (u32)o. The decoded table must place `_text` in the image,
 * or the layout was guessed wrong.
 *
 * A decoded name is the type letter, then the symbol. All loops are bounded by
 * the image's length or by a budget.
 */
#include "gi_impl.h"

#include <inttypes.h>

#define MIN_SYMS	256u
#define NAMES_BACK	(48u << 20)	/* names start at most this far before the tokens */
#define CHAIN_BUDGET	400000000ull	/* names looked at while searching */

struct tables {
	const uint8_t *img;
	size_t len;
	uint64_t base;
	size_t token_index, token_table;
	size_t num_syms, names, markers, markers_end;
	size_t offsets;
	uint64_t relbase;
	uint32_t n;
	bool selfrel;		/* layout 4 */
	unsigned layout;
};

/* Is there a token table whose index is at o? */
static bool
token_table_of(struct tables *t, size_t o)
{
	const uint8_t *img = t->img;
	size_t last = gi_u16(img + o + 2 * 255), pad, st;
	unsigned i;

	for (pad = 2; pad < 600 && last + pad <= o; pad++) {
		st = o - last - pad;
		if ((st & 3) != 0)
			continue;
		for (i = 1; i < 256; i++) {
			size_t a = gi_u16(img + o + 2 * (i - 1));
			size_t b = gi_u16(img + o + 2 * i);

			if (img[st + b - 1] != 0 ||
			    memchr(img + st + a, 0, b - a) != img + st + b - 1)
				break;
		}
		if (i < 256)
			continue;
		/* the last token must end before the index, padding is zero */
		const uint8_t *nul = memchr(img + st + last, 0, pad);

		if (nul == NULL || nul == img + st + last ||
		    (size_t)(img + o - nul) > 8)
			continue;
		t->token_index = o;
		t->token_table = st;
		return true;
	}
	return false;
}

/* Continues at *from, so that a false match is not the end. */
static bool
find_tokens(struct tables *t, size_t *from)
{
	size_t o;

	for (o = *from; o + 512 <= t->len; o += 4) {
		uint32_t v = gi_u32(t->img + o);
		unsigned p, i;

		if ((v & 0xffff) != 0 || v >> 16 < 2 || v >> 16 > 512)
			continue;
		p = v >> 16;
		for (i = 2; i < 256; i++) {
			unsigned x = gi_u16(t->img + o + 2 * i);

			if (x < p + 2 || x - p > 512)
				break;
			p = x;
		}
		if (i == 256 && token_table_of(t, o)) {
			*from = o + 4;
			return true;
		}
	}
	return false;
}

static bool
names_at(struct tables *t, size_t o, uint32_t n, size_t names, uint32_t *mark,
    uint64_t *budget)
{
	size_t q = names, end = t->token_table, m, lo, hi;
	uint32_t i, nm = (n + 255) / 256;
	const uint8_t *img = t->img;

	for (i = 0; i < n; i++) {
		size_t l;

		if ((i & 255) == 0)
			mark[i >> 8] = (uint32_t)(q - names);
		if (q + 2 > end || (l = img[q]) == 0)
			break;
		if ((l & 0x80) != 0) {
			l = (l & 0x7f) | (size_t)img[q + 1] << 7;
			q++;
		}
		q += 1 + l;
	}
	*budget -= i < *budget ? i : *budget;
	if (i < n || q > end)
		return false;
	lo = (q + 3) & ~(size_t)3;
	hi = (q + 7) & ~(size_t)7;
	for (m = lo; m <= hi; m += 4) {
		if (m + 4 * (size_t)nm > end)
			return false;
		if (memcmp(img + m, mark, 4 * (size_t)nm) != 0)
			continue;
		t->num_syms = o;
		t->names = names;
		t->markers = m;
		t->markers_end = m + 4 * (size_t)nm;
		t->n = n;
		return true;
	}
	return false;
}

/*
 * Where the markers end at the token table they can be read backwards, down to
 * their 0; then names start at most 256 long names before the last marker's.
 */
static bool
names_by_markers(struct tables *t, uint32_t *mark, uint64_t *budget)
{
	size_t pad, q, nm, o, last, low, high;

	for (pad = 0; pad <= 4; pad += 4) {
		q = t->token_table - pad - 4;
		last = gi_u32(t->img + q);
		for (nm = 1; q >= 4 && nm < GI_MAX_SYMS / 256 && gi_u32(t->img + q - 4) <
		    gi_u32(t->img + q); nm++)
			q -= 4;
		if (gi_u32(t->img + q) != 0 || last >= q)
			continue;
		high = (q - last) & ~(size_t)3;
		low = high > 256 * (GI_MAX_NAME + 2) ? high - 256 * (GI_MAX_NAME + 2) : 0;
		for (o = high; o >= low + 4; ) {
			uint32_t n;

			o -= 4;
			n = gi_u32(t->img + o);
			if ((n + 255ull) / 256 != nm)
				continue;
			if (names_at(t, o, n, o + 4, mark, budget) ||
			    (gi_u32(t->img + o + 4) == 0 &&
			    names_at(t, o, n, o + 8, mark, budget)))
				return true;
		}
	}
	return false;
}

static int
find_names(struct tables *t, struct dv_err *err)
{
	size_t tt = t->token_table, low = tt > NAMES_BACK ? tt - NAMES_BACK : 0, o;
	uint64_t budget = CHAIN_BUDGET;
	uint32_t *mark;

	if (tt < 64)
		return dv_err_set(err, DV_E_NOENT, "token table but no symbol names in the image");
	if ((mark = malloc(4 * (GI_MAX_SYMS / 256 + 2))) == NULL)
		return dv_err_nomem(err);
	if (names_by_markers(t, mark, &budget)) {
		free(mark);
		return 0;
	}
	for (o = tt & ~(size_t)3; o >= low + 4; ) {
		uint32_t n;

		o -= 4;
		if (o + 16 > tt)
			continue;
		n = gi_u32(t->img + o);
		/* a name takes 2 bytes at least, and some 10 on average */
		if (n < MIN_SYMS || n > GI_MAX_SYMS || (tt - o) / 2 < n || (tt - o) / 64 > n)
			continue;
		if (names_at(t, o, n, o + 4, mark, &budget) ||
		    (gi_u32(t->img + o + 4) == 0 &&
		    names_at(t, o, n, o + 8, mark, &budget))) {
			free(mark);
			return 0;
		}
		if (budget == 0)
			break;
	}
	free(mark);
	return dv_err_set(err, DV_E_NOENT, "token table but no symbol names in the image");
}

static bool
in_image(const struct tables *t, uint64_t a)
{
	return a >= t->base && a - t->base < t->len;
}

/* Fills offsets, relbase, selfrel for a layout; false if it cannot be. */
static bool
place_offsets(struct tables *t, unsigned layout)
{
	size_t bytes = 4 * (size_t)t->n, al = (bytes + 7) & ~(size_t)7, at;

	t->layout = layout;
	t->selfrel = false;
	switch (layout) {
	case 1:
	case 2:
		if (t->num_syms < al + 8 || (t->num_syms & 7) != 0)
			return false;
		t->relbase = gi_u64(t->img + t->num_syms - 8);
		t->offsets = t->num_syms - 8 - al;
		return in_image(t, t->relbase) &&
		    (layout == 2) == (t->token_table - t->markers_end >= 3 * (size_t)t->n);
	case 3:
		t->offsets = t->token_index + 512;
		at = t->offsets + bytes;
		if (t->len < al + 24 || t->offsets > t->len - al - 24)
			return false;
		/* relative_base is 8-aligned, offsets 4-aligned */
		at = (at + 7) & ~(size_t)7;
		t->relbase = gi_u64(t->img + at);
		return in_image(t, t->relbase);
	case 4:
		t->offsets = t->token_index + 512;
		t->selfrel = true;
		return t->len >= bytes && t->offsets <= t->len - bytes;
	}
	return false;
}

static bool
expand(const struct tables *t, size_t at, size_t l, char *buf, size_t *len)
{
	size_t i, n = 0;

	for (i = 0; i < l; i++) {
		const char *tok = (const char *)t->img + t->token_table +
		    gi_u16(t->img + t->token_index + 2 * t->img[at + i]);

		for (; *tok != 0; tok++) {	/* ends: checked by token_table_of */
			if (n == GI_MAX_NAME)
				return false;
			buf[n++] = *tok;
		}
	}
	*len = n;
	return n >= 2;
}

static int
decode_names(const struct tables *t, struct gi_ksyms *s, struct dv_err *err)
{
	DV_VEC(char) names = {0};
	size_t q = t->names;
	uint32_t i;

	for (i = 0; i < t->n; i++) {
		char buf[GI_MAX_NAME + 1];
		size_t l = t->img[q++], n;

		if ((l & 0x80) != 0)
			l = (l & 0x7f) | (size_t)t->img[q++] << 7;
		if (!expand(t, q, l, buf, &n)) {
			dv_vec_fini(&names);
			return dv_err_set(err, DV_E_FORMAT, "symbol %u has no sane name", i);
		}
		q += l;
		if (names.n + n > UINT32_MAX || dv_vec_reserve(&names, n) != 0) {
			dv_vec_fini(&names);
			return dv_err_nomem(err);
		}
		s->v[i].type = (uint8_t)buf[0];
		s->v[i].name = (uint32_t)names.n;
		memcpy(names.v + names.n, buf + 1, n - 1);
		names.v[names.n + n - 1] = 0;
		names.n += n;
	}
	s->names = names.v;
	s->nameslen = names.n;
	return 0;
}

/* Decodes addresses; true if they make sense. */
static bool
decode_addrs(const struct tables *t, struct gi_ksyms *s)
{
	uint32_t i, neg = 0, in = 0, code = 0;
	bool abspercpu;
	const struct gi_ksym *text;

	for (i = 0; i < t->n; i++)
		if ((gi_u32(t->img + t->offsets + 4 * (size_t)i) >> 31) != 0)
			neg++;
	abspercpu = neg > t->n / 2;
	for (i = 0; i < t->n; i++) {
		struct gi_ksym *k = &s->v[i];
		size_t at = t->offsets + 4 * (size_t)i;
		int32_t o = (int32_t)gi_u32(t->img + at);

		k->percpu = 0;
		if (t->selfrel) {
			k->addr = t->base + at + (uint64_t)(int64_t)o;
		} else if (!abspercpu) {
			k->addr = t->relbase + (uint32_t)o;
		} else if (o < 0) {
			k->addr = t->relbase - 1 - (uint64_t)(int64_t)o;
		} else {
			k->addr = (uint32_t)o;
			k->percpu = 1;
		}
		if ((k->type | 32) == 't') {
			code++;
			in += k->addr >= t->base && k->addr - t->base <= t->len;
		}
	}
	text = gi_ksyms_find(s, "_text");
	if (text != NULL && (text->addr & 4095) != 0)
		return false;		/* offsets of another meaning */
	if (text == NULL)
		text = gi_ksyms_find(s, "_stext");
	return text != NULL && in_image(t, text->addr) && code > 0 && in > code / 2;
}

static int
cmp_addr(const void *a, const void *b, void *arg)
{
	const struct gi_ksym *v = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (v[x].addr != v[y].addr)
		return v[x].addr < v[y].addr ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int
index_names(struct gi_ksyms *s, struct dv_err *err)
{
	uint32_t i, size = 1024;

	while (size < s->n * 2)
		size *= 2;
	free(s->hash);
	if ((s->hash = calloc(size, sizeof(*s->hash))) == NULL)
		return dv_err_nomem(err);
	s->hashmask = size - 1;
	for (i = 0; i < s->n; i++) {
		const char *name = s->names + s->v[i].name;
		uint32_t h = (uint32_t)dv_hash_bytes(name, strlen(name)) & s->hashmask;
		unsigned probes = 0;

		/* duplicates: the first one stays findable; equal names are
		 * many ("__key.0"), so do not crawl through their chain */
		while (s->hash[h] != 0 &&
		    strcmp(s->names + s->v[s->hash[h] - 1].name, name) != 0) {
			h = (h + 1) & s->hashmask;
			if (++probes > s->hashmask)
				return dv_err_nomem(err);
		}
		if (s->hash[h] == 0)
			s->hash[h] = i + 1;
	}
	return 0;
}

static int
index_addrs(struct gi_ksyms *s, struct dv_err *err)
{
	uint32_t i;
	bool sorted = true;

	free(s->byaddr);
	if ((s->byaddr = malloc(s->n * sizeof(*s->byaddr) + 1)) == NULL)
		return dv_err_nomem(err);
	for (i = 0; i < s->n; i++) {
		s->byaddr[i] = i;
		if (i > 0 && s->v[i].addr < s->v[i - 1].addr)
			sorted = false;
	}
	if (!sorted)
		qsort_r(s->byaddr, s->n, sizeof(*s->byaddr), cmp_addr, s->v);
	return 0;
}

int
gi_ksyms_index(struct gi_ksyms *s, struct dv_err *err)
{
	int rc;

	if ((rc = index_names(s, err)) != 0)
		return rc;
	return index_addrs(s, err);
}

int
gi_ksyms_decode(const uint8_t *image, size_t len, uint64_t base, struct dv_err *err,
    struct gi_ksyms **ret)
{
	struct tables t = { .img = image, .len = len, .base = base };
	struct gi_ksyms *s = NULL;
	size_t from = 0;
	unsigned layout;
	int rc;

	rc = dv_err_set(err, DV_E_NOENT, "no symbol token table in the image");
	for (;;) {
		if (!find_tokens(&t, &from))
			return rc;
		if ((rc = find_names(&t, err)) == 0)
			break;
		if (rc == DV_E_NOMEM)
			return rc;
	}
	if ((s = calloc(1, sizeof(*s))) == NULL ||
	    (s->v = calloc(t.n, sizeof(*s->v))) == NULL) {
		rc = dv_err_nomem(err);
		goto fail;
	}
	s->n = t.n;
	if ((rc = decode_names(&t, s, err)) != 0 || (rc = index_names(s, err)) != 0)
		goto fail;
	for (layout = 1; layout <= 4; layout++)
		if (place_offsets(&t, layout) && decode_addrs(&t, s))
			break;
	if (layout > 4) {
		rc = dv_err_set(err, DV_E_FORMAT,
		    "%u symbol names, but no table of their addresses", t.n);
		goto fail;
	}
	s->layout = layout;
	if ((rc = index_addrs(s, err)) != 0)
		goto fail;
	*ret = s;
	return 0;
fail:
	gi_ksyms_free(s);
	return rc;
}

void
gi_ksyms_free(struct gi_ksyms *s)
{
	if (s == NULL)
		return;
	free(s->v);
	free(s->names);
	free(s->byaddr);
	free(s->hash);
	free(s);
}

const struct gi_ksym *
gi_ksyms_find(const struct gi_ksyms *s, const char *name)
{
	uint32_t h, i;

	if (s->hash == NULL)
		return NULL;
	h = (uint32_t)dv_hash_bytes(name, strlen(name)) & s->hashmask;
	for (i = 0; i <= s->hashmask && s->hash[h] != 0; i++, h = (h + 1) & s->hashmask)
		if (strcmp(s->names + s->v[s->hash[h] - 1].name, name) == 0)
			return &s->v[s->hash[h] - 1];
	return NULL;
}

uint32_t
gi_ksyms_above(const struct gi_ksyms *s, uint64_t addr)
{
	uint32_t lo = 0, hi = s->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (s->v[s->byaddr[mid]].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Code, then what compilers make least of, then global, then no bare label. */
int
gi_ksym_rank(const struct gi_ksyms *s, const struct gi_ksym *y)
{
	const char *name = s->names + y->name;
	int r = 0;

	if ((y->type | 32) == 't')
		r += 8;
	if (y->type >= 'A' && y->type <= 'Z')
		r += 4;
	if (name[0] != '_')
		r += 2;
	if (strchr(name, '.') == NULL)
		r += 1;
	if (strncmp(name, "__ia32_", 7) == 0)
		r -= 1;		/* shares its code with __x64_ */
	if (strncmp(name, "__pi_", 5) == 0)
		r -= 4;		/* an alias for position-independent code */
	if (strncmp(name, "__pfx_", 6) == 0 || strncmp(name, "__cfi_", 6) == 0)
		r -= 16;
	return r;
}
