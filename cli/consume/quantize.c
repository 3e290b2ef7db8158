/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quantize.c - distributions: what their words mean, and how they are drawn.
 *
 * A distribution is a row of counts, each of values from its word's label up
 * to the next one's. The drawing shows the words from one before the first
 * that is not zero to one after the last, so that the reader sees both ends;
 * of an empty one, the words around the beginning.
 *
 *	           value  ------------- Distribution ------------- count
 *	               1 |                                         0
 *	               2 |@@@@@@@@@@@@@@@@@@@@                     3
 *	               4 |@@@@@@@@@@@@@@@@@@@@                     3
 *	               8 |                                         0
 *
 * A bar's 40 columns stand for the sum of all counts (with aggzoom: for the
 * largest of them). Counts can be negative, when an increment was: all
 * negative, the bars grow from the right; mixed, from the middle.
 *
 * Word layouts (dv_rec.h): quantize: powers of two, 63 is zero. lquantize:
 * below base, levels, at or above the limit. llquantize: below factor^low,
 * then DV_LLQUANT_PER words per magnitude, at or above factor^(high+1); where
 * a magnitude has fewer values than words, the words left over are no bucket
 * and are not drawn.
 */
#include "cn_impl.h"

#include <inttypes.h>
#include <stdio.h>

#define COLUMNS	40

/* Value of the low end of word `word`; false: the word is no bucket. */
static bool
llquant_label(uint64_t p, uint32_t word, int64_t *ret)
{
	int64_t factor = DV_LLQUANT_FACTOR(p), steps = DV_LLQUANT_STEPS(p);
	uint32_t per = DV_LLQUANT_PER(p), m, k;
	int64_t lo, next;
	uint64_t width, at;

	m = DV_LLQUANT_LOW(p) + (word - 1) / per;
	k = (word - 1) % per;
	lo = (int64_t)dv_llquant_power((uint64_t)factor, m);
	width = dv_llquant_width(p, (uint64_t)lo);
	if (width == 0) {
		next = lo * factor;		/* less than steps */
		*ret = lo + k;
		return *ret < next;
	}
	if (__builtin_mul_overflow(k + (uint64_t)(steps / factor), width, &at) || at > INT64_MAX)
		return false;
	*ret = (int64_t)at;
	if (k == 0 && *ret < lo)
		*ret = lo;
	return true;
}

int64_t
cn_quant_label(const struct cn_agg *a, uint32_t word)
{
	const struct dv_aggdesc *d = a->desc;
	uint64_t p = d->param;
	int64_t v = 0;

	switch (d->func) {
	case DV_AGG_QUANTIZE:
		if (word < DV_QUANT_ZERO)
			return -((int64_t)1 << (DV_QUANT_ZERO - 1 - word));
		return word == DV_QUANT_ZERO ? 0 :
		    (int64_t)1 << (word - DV_QUANT_ZERO - 1);
	case DV_AGG_LQUANTIZE:
		v = DV_LQUANT_BASE(p);
		return word == 0 ? v : v + (int64_t)(word - 1) * DV_LQUANT_STEP(p);
	case DV_AGG_LLQUANTIZE:
		if (word == 0)
			return (int64_t)dv_llquant_power(DV_LLQUANT_FACTOR(p), DV_LLQUANT_LOW(p));
		if (word == d->nwords - 1)
			return (int64_t)dv_llquant_power(DV_LLQUANT_FACTOR(p),
			    DV_LLQUANT_HIGH(p) + 1u);
		llquant_label(p, word, &v);
		return v;
	default:
		return 0;
	}
}

static bool
is_bucket(const struct cn_agg *a, uint32_t word)
{
	int64_t v;

	if (a->desc->func != DV_AGG_LLQUANTIZE || word == 0)
		return true;
	if (word == a->desc->nwords - 1)
		return cn_quant_label(a, word) != 0;
	return llquant_label(a->desc->param, word, &v);
}

/* The next bucket in a direction, or `word` itself at the end. */
static uint32_t
neighbour(const struct cn_agg *a, uint32_t word, int step)
{
	uint32_t w = word;

	for (;;) {
		if (step < 0 ? w == 0 : w == a->desc->nwords - 1)
			return word;
		w = step < 0 ? w - 1 : w + 1;
		if (is_bucket(a, w))
			return w;
	}
}

void
cn_quant_bar(struct cn *c, struct cn_buf *b, int64_t val, int64_t normal,
	long double total, bool positives, bool negatives)
{
	int width = positives && negatives ? COLUMNS / 2 : COLUMNS, depth = 0;
	long double part = val < 0 ? -(long double)val : (long double)val;

	(void)c;
	if (total > 0)
		depth = (int)(part * width / total + 0.5L);
	if (depth > width)
		depth = width;
	if (negatives) {
		cn_fill(b, ' ', (size_t)(val < 0 ? width - depth : width));
		cn_fill(b, '@', val < 0 ? (size_t)depth : 0);
	}
	cn_putc(b, '|');
	if (positives || !negatives) {
		cn_fill(b, '@', val > 0 ? (size_t)depth : 0);
		cn_fill(b, ' ', (size_t)(val > 0 ? width - depth : width));
	}
	cn_printf(b, " %-9" PRId64 "\n", val / (normal != 0 ? normal : 1));
}

void
cn_quant_put(struct cn *c, struct cn_buf *b, const struct cn_agg *a,
	const uint64_t *words)
{
	uint32_t n = a->desc->nwords, first = 0, last = n - 1, i;
	bool positives = false, negatives = false;
	long double total = 0, most = 0;
	char label[32];

	while (first < n && words[first] == 0)
		first++;
	if (first == n) {
		first = a->desc->func == DV_AGG_QUANTIZE ? DV_QUANT_ZERO - 1 : 0;
		last = first + 2 < n ? first + 2 : n - 1;
	} else {
		while (words[last] == 0)
			last--;
		first = neighbour(a, first, -1);
		last = neighbour(a, last, 1);
	}
	for (i = first; i <= last; i++) {
		int64_t v = (int64_t)words[i];
		long double part = v < 0 ? -(long double)v : (long double)v;

		positives |= v > 0;
		negatives |= v < 0;
		total += part;
		if (part > most)
			most = part;
	}
	cn_printf(b, "\n%16s %41s %-9s\n", "value",
	    "------------- Distribution -------------", "count");
	for (i = first; i <= last; i++) {
		int64_t at = cn_quant_label(a, i);

		if (!is_bucket(a, i))
			continue;
		if (a->desc->func == DV_AGG_QUANTIZE || (i > 0 && i < n - 1))
			snprintf(label, sizeof(label), "%" PRId64, at);
		else
			snprintf(label, sizeof(label), "%s %" PRId64,
			    i == 0 ? "<" : ">=", at);
		cn_printf(b, "%16s ", label);
		cn_quant_bar(c, b, (int64_t)words[i], a->normal, c->zoom ? most : total,
		    positives, negatives);
	}
}
