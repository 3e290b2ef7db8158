/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order.c - what an entry is worth, and the order of rows.
 *
 * By value, then by key, ascending; the options aggsortkey, aggsortpos,
 * aggsortkeypos and aggsortrev change that. The value of a distribution is the
 * sum of its labels, each times its count, and after that its count of zeros.
 * Keys compare as numbers by their sign, strings and all else as bytes, and
 * with aggpercpu by CPU last.
 */
#include "cn_impl.h"

#include <stdlib.h>

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

/* Of one aggregation, whatever the options say. */
int
cn_rows_by_value(struct cn_agg *a, struct cn_row **ret, size_t *n)
{
	struct cn_agg *aggs[1] = { a };
	struct order o = { .aggs = aggs, .naggs = 1 };

	return make_rows(&o, ret, n);
}
