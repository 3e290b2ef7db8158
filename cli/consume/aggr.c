/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggr.c - the merged aggregations: what all CPUs and all snapshots add up to.
 *
 * A snapshot holds what a CPU aggregated since the one before; entries of one
 * key are added up here, each function in its way. Nothing is printed from
 * snapshots directly, so their order does not matter.
 *
 * Keys are kept in canonical form: fields where the key actions say, strings
 * filled with zeros after their NUL, stacks after their end, gaps zero, addresses
 * that stand for a symbol or module the same for all that it holds. Then
 * equal keys are equal bytes, and a key lies like a record: the same fields
 * and formats print it. Each aggregation has a table of its own, open
 * addressed, of indices into its entries; the hash has a random key, as the
 * guest chooses what is hashed.
 *
 * With aggpercpu the CPU is one more key, behind the others: nothing of several
 * CPUs is added up.
 *
 * clear() keeps the entries. A minimum or maximum of nothing is no number, so
 * a cleared entry is marked and the next value replaces it, but shows as 0
 * until then.
 *
 * Order of printing: by value, then by key, ascending; the options
 * aggsortkey, aggsortpos, aggsortkeypos and aggsortrev change that. The value
 * of a distribution is the sum of its labels, each times its count, and after
 * that its count of zeros. Keys compare as numbers by their sign, strings and
 * all else as bytes.
 */
#include "cn_impl.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define ALIGN8(n)	(((n) + 7u) & ~7u)

int
cn_agg_init(struct cn *c, uint32_t id, struct dv_err *err)
{
	const struct dv_prog *p = c->p;
	const struct dv_aggdesc *d = &p->aggs[id];
	struct cn_agg *a = &c->aggs[id];
	uint32_t i;

	a->desc = d;
	a->id = id;
	a->normal = 1;
	a->voff = ALIGN8(d->keysize);
	a->percpu = c->opts[DV_OPT_AGGPERCPU] != 0;
	a->keylen = a->voff + (a->percpu ? 8 : 0);
	if (d->nwords == 0 || d->nwords != dv_agg_nwords(d->func, d->param) || d->keysize > 1u << 24)
		return dv_err_set(err, DV_E_FORMAT,
		    "aggregation %u has an impossible value", id);
	if (d->nkeys > p->nacts || (d->nkeys > 0 && d->keyact > p->nacts - d->nkeys))
		return dv_err_set(err, DV_E_FORMAT,
		    "aggregation %u has impossible keys", id);
	a->keys = calloc((size_t)d->nkeys + 1, sizeof(*a->keys));
	a->zero = calloc(d->nwords, sizeof(*a->zero));
	if (a->keys == NULL || a->zero == NULL)
		return dv_err_nomem(err);
	for (i = 0; i < d->nkeys; i++)
		if (!cn_field_init(p, &p->acts[d->keyact + i], d->keysize, &a->keys[i]))
			return dv_err_set(err, DV_E_FORMAT,
			    "key %u of aggregation %u does not lie in its keys", i, id);
	return 0;
}

static void
drop_entries(struct cn_agg *a)
{
	size_t i;

	for (i = 0; i < a->ents.n; i++)
		free(a->ents.v[i].key);
	a->ents.n = 0;
}

void
cn_agg_fini(struct cn_agg *a)
{
	drop_entries(a);
	dv_vec_fini(&a->ents);
	free(a->slots);
	free(a->keys);
	free(a->zero);
}

bool
cn_agg_is_dist(const struct cn_agg *a)
{
	return a->desc->func == DV_AGG_QUANTIZE || a->desc->func == DV_AGG_LQUANTIZE ||
	    a->desc->func == DV_AGG_LLQUANTIZE;
}

/* ---- merging -------------------------------------------------------------- */

/*
 * sym() and its kin aggregate by what they show: the address becomes that of
 * the symbol, or the first one that was seen of the module.
 */
static void
canonical_addr(struct cn *c, const struct cn_field *f, uint8_t *to)
{
	bool user = f->kind == DV_T_USYM || f->kind == DV_T_UMOD;
	uint8_t *at = to + (user && f->size >= 16 ? 8 : 0);
	const char *name;
	struct cn_name n;
	char text[1024];
	uint64_t addr;

	if (f->size < 8 || !cn_field_name(c, f, to - f->off, &n))
		return;
	name = f->kind == DV_T_MOD || f->kind == DV_T_UMOD ? n.mod : n.sym;
	if (name == NULL || *name == '\0')
		return;			/* shown as the address that it is */
	addr = cn_load64(at) - n.off;
	if (f->kind == DV_T_MOD || f->kind == DV_T_UMOD) {
		snprintf(text, sizeof(text), "%" PRIu64 " %s", user ? cn_load64(to) : 0, n.mod);
		if (!dv_smap_get(c->mods, text, &addr))
			(void)dv_smap_set(c->mods, text, addr);	/* no memory: seen as another */
	}
	memcpy(at, &addr, sizeof(addr));
}

static void
canonical_key(struct cn *c, const struct cn_agg *a, const uint8_t *from, uint8_t *to)
{
	uint32_t i, k;

	memset(to, 0, a->keylen);
	for (i = 0; i < a->desc->nkeys; i++) {
		const struct cn_field *f = &a->keys[i];

		if (f->kind == DV_T_STRING) {
			memcpy(to + f->off, from + f->off,
			    strnlen((const char *)from + f->off, f->size));
			to[f->off + f->size - 1] = 0;
			continue;
		}
		if (f->kind != DV_T_STACK && f->kind != DV_T_USTACK) {
			memcpy(to + f->off, from + f->off, f->size);
			if (f->kind >= DV_T_SYM && f->kind <= DV_T_UMOD)
				canonical_addr(c, f, to + f->off);
			continue;
		}
		for (k = 0; k + 8 <= f->size; k += 8) {
			if (cn_load64(from + f->off + k) == 0 &&
			    (k > 0 || f->kind == DV_T_STACK))
				break;
			memcpy(to + f->off + k, from + f->off + k, 8);
		}
	}
}

static bool
grow_slots(struct cn_agg *a)
{
	uint32_t n = a->nslots != 0 ? a->nslots * 2 : 64, at, *slots;
	size_t i;

	if (n > 1u << 30 || (slots = calloc(n, sizeof(*slots))) == NULL)
		return false;
	for (i = 0; i < a->ents.n; i++) {
		at = (uint32_t)a->ents.v[i].hash & (n - 1);
		while (slots[at] != 0)
			at = (at + 1) & (n - 1);
		slots[at] = (uint32_t)i + 1;
	}
	free(a->slots);
	a->slots = slots;
	a->nslots = n;
	return true;
}

/* The entry of a canonical key, made if there is none; NULL: no memory. */
static struct cn_ent *
find_entry(struct cn_agg *a, const uint8_t *key)
{
	uint64_t hash = a->keylen > 0 ? dv_hash_bytes(key, a->keylen) : 0;
	size_t size = a->keylen + (size_t)a->desc->nwords * 8;
	struct cn_ent e = { 0 };
	uint32_t at;

	if (a->ents.n + 1 > a->nslots / 4 * 3 && !grow_slots(a))
		return NULL;
	at = (uint32_t)hash & (a->nslots - 1);
	while (a->slots[at] != 0) {
		struct cn_ent *old = &a->ents.v[a->slots[at] - 1];

		if (old->hash == hash && memcmp(old->key, key, a->keylen) == 0)
			return old;
		at = (at + 1) & (a->nslots - 1);
	}
	if ((e.key = calloc(1, size)) == NULL)
		return NULL;
	memcpy(e.key, key, a->keylen);
	e.words = (uint64_t *)(void *)(e.key + a->keylen);
	e.hash = hash;
	e.cleared = true;
	if (dv_vec_push(&a->ents, e) != 0) {
		free(e.key);
		return NULL;
	}
	a->slots[at] = (uint32_t)a->ents.n;
	return &a->ents.v[a->ents.n - 1];
}

/* key: a->keylen bytes, canonical. */
int
cn_agg_merge(struct cn_agg *a, const uint8_t *key, const uint64_t *words)
{
	struct cn_ent *e = find_entry(a, key);
	unsigned __int128 sum;
	uint32_t i;

	if (e == NULL)
		return DV_E_NOMEM;
	switch (a->desc->func) {
	case DV_AGG_MIN:
		if (e->cleared || (int64_t)words[0] < (int64_t)e->words[0])
			e->words[0] = words[0];
		break;
	case DV_AGG_MAX:
		if (e->cleared || (int64_t)words[0] > (int64_t)e->words[0])
			e->words[0] = words[0];
		break;
	case DV_AGG_STDDEV:
		e->words[0] += words[0];
		e->words[1] += words[1];
		sum = ((unsigned __int128)e->words[3] << 64 | e->words[2]) +
		    ((unsigned __int128)words[3] << 64 | words[2]);
		e->words[2] = (uint64_t)sum;
		e->words[3] = (uint64_t)(sum >> 64);
		break;
	default:
		for (i = 0; i < a->desc->nwords; i++)
			e->words[i] += words[i];
	}
	e->cleared = false;
	return 0;
}

int
cn_take_aggs(struct cn *c, unsigned cpu, const void *data, const struct dv_snap *s,
	struct dv_err *err)
{
	const uint8_t *p = data;
	uint64_t at = 0, len = s->len, index = cpu;
	struct dv_agg_entry e;
	struct cn_agg *a;

	if (cpu >= c->cfg.ncpu)
		return dv_err_set(err, DV_E_FORMAT, "there is no CPU %u", cpu);
	if (s->drops > c->cpus[cpu].agg_drops) {
		uint64_t n = s->drops - c->cpus[cpu].agg_drops;

		c->cpus[cpu].agg_drops = s->drops;
		cn_drop(c, "AGGREGATION", "%" PRIu64 " aggregation drop%s on CPU %u",
		    n, n == 1 ? "" : "s", cn_cpu_id(c, cpu));
	}
	while (at < len) {
		if (len - at < sizeof(e))
			goto bad;
		memcpy(&e, p + at, sizeof(e));
		if (e.aggid >= c->p->naggs)
			goto bad;
		a = &c->aggs[e.aggid];
		if (e.size > len - at ||
		    e.size != sizeof(e) + a->voff + (uint64_t)a->desc->nwords * 8)
			goto bad;
		canonical_key(c, a, p + at + sizeof(e), c->keys);
		if (a->percpu)
			memcpy(c->keys + a->voff, &index, sizeof(index));
		memcpy(c->words, p + at + sizeof(e) + a->voff,
		    (size_t)a->desc->nwords * 8);
		if (cn_agg_merge(a, c->keys, c->words) != 0)
			return dv_err_nomem(err);
		at += e.size;
	}
	return 0;
bad:
	return dv_err_set(err, DV_E_FORMAT,
	    "aggregation buffer of CPU %u makes no sense at byte %" PRIu64
	    " of %" PRIu64, cn_cpu_id(c, cpu), at, len);
}

void
cn_agg_clear(struct cn_agg *a)
{
	size_t i;

	for (i = 0; i < a->ents.n; i++) {
		memset(a->ents.v[i].words, 0, (size_t)a->desc->nwords * 8);
		a->ents.v[i].cleared = true;
	}
}

/* ---- values --------------------------------------------------------------- */

static uint64_t
isqrt(unsigned __int128 v)
{
	unsigned __int128 bit = (unsigned __int128)1 << 126, r = 0;

	while (bit > v)
		bit >>= 2;
	for (; bit != 0; bit >>= 2) {
		if (v >= r + bit) {
			v -= r + bit;
			r = (r >> 1) + bit;
		} else {
			r >>= 1;
		}
	}
	return (uint64_t)r;
}

static int64_t
divide(int64_t v, int64_t by)
{
	return by == 0 ? 0 : by == -1 ? (int64_t)-(uint64_t)v : v / by;
}

/* Square root of the mean of squares less the square of the mean. */
static int64_t
stddev(const uint64_t *w, int64_t normal)
{
	unsigned __int128 squares = (unsigned __int128)w[3] << 64 | w[2], square;
	int64_t mean = divide(divide((int64_t)w[1], normal), (int64_t)w[0]);
	uint64_t m = mean < 0 ? -(uint64_t)mean : (uint64_t)mean;

	if (w[0] == 0)
		return 0;
	squares /= (uint64_t)normal;
	squares /= (uint64_t)normal;
	squares /= w[0];
	square = (unsigned __int128)m * m;
	return squares <= square ? 0 : (int64_t)isqrt(squares - square);
}

int64_t
cn_agg_value(const struct cn_agg *a, const uint64_t *w)
{
	switch (a->desc->func) {
	case DV_AGG_AVG:
		return divide(divide((int64_t)w[1], a->normal), (int64_t)w[0]);
	case DV_AGG_STDDEV:
		return stddev(w, a->normal);
	default:
		return divide((int64_t)w[0], a->normal);
	}
}

/* ---- order ---------------------------------------------------------------- */

static long double
score(const struct cn_agg *a, const uint64_t *w)
{
	long double sum = 0;
	uint32_t i;

	switch (a->desc->func) {
	case DV_AGG_AVG:
		return w[0] != 0 ? divide((int64_t)w[1], (int64_t)w[0]) : 0;
	case DV_AGG_STDDEV:
		return stddev(w, 1);
	case DV_AGG_QUANTIZE:
	case DV_AGG_LQUANTIZE:
	case DV_AGG_LLQUANTIZE:
		for (i = 0; i < a->desc->nwords; i++)
			if (w[i] != 0)
				sum += (long double)cn_quant_label(a, i) *
				    (long double)(int64_t)w[i];
		return sum;
	default:
		return (int64_t)w[0];
	}
}

/* How often the value 0 was seen: the second order of distributions. */
static int64_t
zeros(const struct cn_agg *a, const uint64_t *w)
{
	return a->desc->func == DV_AGG_QUANTIZE ? (int64_t)w[DV_QUANT_ZERO] : 0;
}

int
cn_agg_cmp_words(const struct cn_agg *a, const uint64_t *x, const uint64_t *y)
{
	long double sx = score(a, x), sy = score(a, y);
	int64_t zx, zy;

	if (sx != sy)
		return sx < sy ? -1 : 1;
	zx = zeros(a, x);
	zy = zeros(a, y);
	return (zx > zy) - (zx < zy);
}

static int
cmp_field(const struct cn_field *f, const uint8_t *x, const uint8_t *y)
{
	uint64_t vx, vy;

	if (f->kind != DV_T_INT || f->size > 8)
		return memcmp(x + f->off, y + f->off, f->size);
	vx = cn_field_int(f, x);
	vy = cn_field_int(f, y);
	if (cn_field_signed(f))
		return ((int64_t)vx > (int64_t)vy) - ((int64_t)vx < (int64_t)vy);
	return (vx > vy) - (vx < vy);
}

/* By key number `first`, then by those after it, then by those before it. */
int
cn_agg_cmp_keys(const struct cn_agg *a, const uint8_t *x, const uint8_t *y,
	uint32_t first)
{
	uint32_t n = a->desc->nkeys, i;
	uint64_t cx, cy;
	int rc;

	for (i = 0; i < n; i++)
		if ((rc = cmp_field(&a->keys[(first + i) % n], x, y)) != 0)
			return rc;
	if (!a->percpu)
		return 0;
	cx = cn_load64(x + a->voff);
	cy = cn_load64(y + a->voff);
	return (cx > cy) - (cx < cy);
}

/* ---- rows ----------------------------------------------------------------- */

struct item {
	struct cn_row row;
	long double score;		/* of the aggregation sorted by */
};

struct order {
	struct cn_agg *const *aggs;
	uint32_t naggs, pos, keypos;
	bool bykey, rev;
};

static int
cmp_values(const struct order *o, const struct item *x, const struct item *y)
{
	uint32_t i;
	int rc;

	if (x->score != y->score)
		return x->score < y->score ? -1 : 1;
	for (i = 0; i < o->naggs; i++) {
		uint32_t k = (o->pos + i) % o->naggs;
		const struct cn_agg *a = o->aggs[k];

		if (o->naggs == 1 && !cn_agg_is_dist(a))
			break;
		rc = cn_agg_cmp_words(a, cn_row_words(a, x->row.ent[k]),
		    cn_row_words(a, y->row.ent[k]));
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int
cmp_items(const void *px, const void *py, void *arg)
{
	const struct item *x = px, *y = py;
	const struct order *o = arg;
	int rc;

	rc = o->bykey ? cn_agg_cmp_keys(o->aggs[0], x->row.key, y->row.key, o->keypos) :
	    cmp_values(o, x, y);
	if (rc == 0)
		rc = o->bykey ? cmp_values(o, x, y) :
		    cn_agg_cmp_keys(o->aggs[0], x->row.key, y->row.key, o->keypos);
	return o->rev ? -rc : rc;
}

/* Rows of one aggregation: its entries. */
static size_t
plain_items(struct cn_agg *a, struct item *items, struct cn_ent **ents)
{
	size_t i;

	for (i = 0; i < a->ents.n; i++) {
		ents[i] = &a->ents.v[i];
		items[i].row.key = a->ents.v[i].key;
		items[i].row.ent = &ents[i];
	}
	return i;
}

/* Rows of several: entries with equal keys side by side. */
static size_t
joined_items(struct cn_agg *const *aggs, uint32_t naggs, struct item *items,
	struct cn_ent **ents, uint32_t *slots, uint64_t nslots)
{
	size_t n = 0, i;
	uint32_t k;

	for (k = 0; k < naggs; k++) {
		for (i = 0; i < aggs[k]->ents.n; i++) {
			struct cn_ent *e = &aggs[k]->ents.v[i];
			uint64_t at = e->hash & (nslots - 1);

			while (slots[at] != 0 && memcmp(items[slots[at] - 1].row.key,
			    e->key, aggs[0]->keylen) != 0)
				at = (at + 1) & (nslots - 1);
			if (slots[at] == 0) {
				items[n].row.key = e->key;
				items[n].row.ent = &ents[n * naggs];
				slots[at] = (uint32_t)++n;
			}
			items[slots[at] - 1].row.ent[k] = e;
		}
	}
	return n;
}

/* One block: rows, then their pointers to entries. */
static int
make_rows(const struct order *o, struct cn_row **ret, size_t *retn)
{
	size_t most = 0, n, i;
	uint64_t nslots = 64;
	struct item *items = NULL;
	struct cn_row *rows;
	struct cn_ent **ents;
	uint32_t *slots = NULL, k;
	int rc = DV_E_NOMEM;

	for (k = 0; k < o->naggs; k++)
		most += o->aggs[k]->ents.n;
	while (nslots < 2 * most)
		nslots *= 2;
	rows = calloc(1, most * sizeof(*rows) + most * o->naggs * sizeof(*ents) + 1);
	items = calloc(most + 1, sizeof(*items));
	if (rows == NULL || items == NULL)
		goto out;
	ents = (struct cn_ent **)(void *)(rows + most);
	if (o->naggs == 1) {
		n = plain_items(o->aggs[0], items, ents);
	} else {
		if ((slots = calloc(nslots, sizeof(*slots))) == NULL)
			goto out;
		n = joined_items(o->aggs, o->naggs, items, ents, slots, nslots);
	}
	for (i = 0; i < n; i++)
		items[i].score = score(o->aggs[o->pos],
		    cn_row_words(o->aggs[o->pos], items[i].row.ent[o->pos]));
	qsort_r(items, n, sizeof(*items), cmp_items, (void *)(uintptr_t)o);
	for (i = 0; i < n; i++)
		rows[i] = items[i].row;
	*ret = rows;
	*retn = n;
	rows = NULL;
	rc = 0;
out:
	free(rows);
	free(items);
	free(slots);
	return rc;
}

int
cn_rows(struct cn *c, struct cn_agg *const *aggs, uint32_t naggs,
	struct cn_row **ret, size_t *n)
{
	struct order o = {
		.aggs = aggs, .naggs = naggs,
		.bykey = c->opts[DV_OPT_AGGSORTKEY] != 0,
		.rev = c->opts[DV_OPT_AGGSORTREV] != 0,
	};

	if (c->opts[DV_OPT_AGGSORTPOS] < naggs)
		o.pos = (uint32_t)c->opts[DV_OPT_AGGSORTPOS];
	if (c->opts[DV_OPT_AGGSORTKEYPOS] < aggs[0]->desc->nkeys)
		o.keypos = (uint32_t)c->opts[DV_OPT_AGGSORTKEYPOS];
	return make_rows(&o, ret, n);
}

/* Keeps the n largest (n > 0) or the -n smallest values. */
void
cn_agg_trunc(struct cn *c, struct cn_agg *a, int64_t n, bool all)
{
	struct cn_agg *aggs[1] = { a };
	struct order o = { .aggs = aggs, .naggs = 1 };
	uint64_t keep = n < 0 ? -(uint64_t)n : (uint64_t)n;
	struct cn_row *rows;
	size_t nrows, i, k;

	if (all || n == 0) {
		drop_entries(a);
	} else {
		if (keep >= a->ents.n)
			return;
		if (make_rows(&o, &rows, &nrows) != 0) {
			cn_msg(c, "could not truncate @%s: out of memory",
			    cn_str(c->p, a->desc->name));
			return;
		}
		for (i = 0; i < nrows; i++) {
			if (n < 0 ? i < keep : i >= nrows - keep)
				continue;
			free(rows[i].ent[0]->key);
			rows[i].ent[0]->key = NULL;
		}
		free(rows);
		for (i = k = 0; i < a->ents.n; i++)
			if (a->ents.v[i].key != NULL)
				a->ents.v[k++] = a->ents.v[i];
		a->ents.n = k;
	}
	if (a->slots == NULL)
		return;
	memset(a->slots, 0, (size_t)a->nslots * sizeof(*a->slots));
	for (i = 0; i < a->ents.n; i++) {
		uint32_t at = (uint32_t)a->ents.v[i].hash & (a->nslots - 1);

		while (a->slots[at] != 0)
			at = (at + 1) & (a->nslots - 1);
		a->slots[at] = (uint32_t)i + 1;
	}
}
