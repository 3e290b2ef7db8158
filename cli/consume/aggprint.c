/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggprint.c - rows of aggregations.
 *
 * A row without a format is its keys, each in the column of its type
 * (value.c), then its values, 16 wide; a distribution is drawn below its keys
 * and followed by a blank line. Rows of several aggregations are those of all
 * keys that any of them has; a value that is missing counts as 0.
 *
 * With aggpercpu a row begins with the CPU that it is of.
 *
 * With agghist, a single scalar aggregation is drawn as if it were a
 * distribution over its keys. With aggpack, a single aggregation that is a
 * distribution takes one line per key: a character per word, the denser the
 * more, over a range that all rows share.
 */
#include "cn_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* aggpercpu: which CPU's a row is. */
static unsigned
key_cpu(const struct cn *c, const struct cn_agg *a, const uint8_t *key)
{
	return cn_cpu_id(c, (unsigned)cn_load64(key + a->voff));
}

/* The keys of a row in a few words, for agghist. */
static void
key_label(struct cn *c, struct cn_buf *b, const struct cn_agg *a, const uint8_t *key)
{
	uint32_t i;

	if (a->percpu)
		cn_printf(b, "CPU %u%s", key_cpu(c, a, key), a->desc->nkeys > 0 ? " " : "");
	for (i = 0; i < a->desc->nkeys; i++) {
		const struct cn_field *f = &a->keys[i];

		if (i > 0)
			cn_putc(b, ' ');
		if (f->kind == DV_T_STRING)
			cn_put_esc(b, (const char *)key + f->off,
			    strnlen((const char *)key + f->off, f->size),
			    cn_field_esc(f));
		else if (f->kind == DV_T_INT && cn_field_signed(f))
			cn_printf(b, "%" PRId64, (int64_t)cn_field_int(f, key));
		else if (f->kind == DV_T_INT)
			cn_printf(b, "%" PRIu64, cn_field_int(f, key));
		else if (f->kind == DV_T_BYTES || f->kind == DV_T_STACK ||
		    f->kind == DV_T_USTACK)
			cn_putc(b, '?');
		else
			cn_addr_text(c, b, f, key);
	}
}

static void
print_histogram(struct cn *c, struct cn_buf *b, struct cn_agg *a,
	const struct cn_row *rows, size_t n)
{
	bool positives = false, negatives = false;
	long double total = 0, most = 0;
	size_t width = 16, i;
	struct cn_buf t;

	cn_buf_init(&t, NULL);
	for (i = 0; i < n; i++) {
		int64_t v = cn_agg_value(a, rows[i].ent[0]->words);
		long double part = v < 0 ? -(long double)v : (long double)v;

		positives |= v > 0;
		negatives |= v < 0;
		total += part;
		if (part > most)
			most = part;
		t.len = 0;
		key_label(c, &t, a, rows[i].key);
		if (t.len > width)
			width = t.len;
	}
	cn_printf(b, "\n%*s %41s %-9s\n", (int)width, "key",
	    "------------- Distribution -------------", "count");
	for (i = 0; i < n; i++) {
		t.len = 0;
		key_label(c, &t, a, rows[i].key);
		cn_put_padded(b, t.len > 0 ? t.s : "", t.len, CN_ESC_RAW, width, false);
		cn_putc(b, ' ');
		cn_quant_bar(c, b, cn_agg_value(a, rows[i].ent[0]->words), 1,
		    c->zoom ? most : total, positives, negatives);
	}
	cn_buf_fini(&t);
}

static const char ramp[] = " .:-=+*#@";		/* none at all .. everything */
#define PACK_COLUMNS	64

static void
pack_row(struct cn_buf *b, const struct cn_agg *a, const uint64_t *w, uint32_t first,
	uint32_t per, uint32_t cells)
{
	long double total = 0, part;
	uint32_t i, k, n = a->desc->nwords, level;
	int64_t count = 0;

	for (i = 0; i < n; i++) {
		part = (long double)(int64_t)w[i];
		total += part < 0 ? -part : part;
		count = (int64_t)((uint64_t)count + w[i]);
	}
	for (i = 0; i < cells; i++) {
		for (part = 0, k = 0; k < per && first + i * per + k < n; k++) {
			int64_t v = (int64_t)w[first + i * per + k];

			part += v < 0 ? -(long double)v : (long double)v;
		}
		level = part > 0 ? 1 + (uint32_t)(part / total * 7.99L) : 0;
		cn_putc(b, ramp[level]);
	}
	cn_printf(b, "| %" PRId64 "\n", count / a->normal);
}

static void
print_packed(struct cn *c, struct cn_buf *b, struct cn_agg *a, const struct cn_row *rows,
	size_t n)
{
	uint32_t words = a->desc->nwords, first = words, last = 0, w, per, cells;
	size_t width = 16, i;
	struct cn_buf t;

	cn_buf_init(&t, NULL);
	for (i = 0; i < n; i++) {
		for (w = 0; w < words; w++) {
			if (rows[i].ent[0]->words[w] == 0)
				continue;
			if (w < first)
				first = w;
			if (w > last)
				last = w;
		}
		t.len = 0;
		key_label(c, &t, a, rows[i].key);
		if (t.len > width)
			width = t.len;
	}
	if (first > last)
		first = last = 0;
	per = (last - first) / PACK_COLUMNS + 1;
	cells = (last - first) / per + 1;
	cn_printf(b, "\n%*s  %" PRId64 " .. %" PRId64 "\n", (int)width, "key",
	    cn_quant_label(a, first), cn_quant_label(a, last));
	for (i = 0; i < n; i++) {
		t.len = 0;
		key_label(c, &t, a, rows[i].key);
		cn_put_padded(b, t.len > 0 ? t.s : "", t.len, CN_ESC_RAW, width, false);
		cn_puts(b, " |");
		pack_row(b, a, rows[i].ent[0]->words, first, per, cells);
	}
	cn_buf_fini(&t);
}

void
cn_agg_print(struct cn *c, struct cn_buf *b, struct cn_agg *const *aggs,
	uint32_t naggs, const struct cn_fmt *fmt)
{
	const struct cn_agg *first = aggs[0];
	struct cn_row *rows;
	uint32_t k;
	size_t n, i;

	if (cn_rows(c, aggs, naggs, &rows, &n) != 0) {
		cn_msg(c, "could not print @%s: out of memory",
		    cn_str(c->p, first->desc->name));
		return;
	}
	if (fmt == NULL && naggs == 1 && n > 0 && c->opts[DV_OPT_AGGHIST] &&
	    first->keylen > 0 && !cn_agg_is_dist(first)) {
		print_histogram(c, b, aggs[0], rows, n);
		n = 0;
	}
	if (fmt == NULL && naggs == 1 && n > 0 && c->opts[DV_OPT_AGGPACK] &&
	    cn_agg_is_dist(first)) {
		print_packed(c, b, aggs[0], rows, n);
		n = 0;
	}
	for (i = 0; i < n && !c->failed; i++) {
		if (fmt != NULL) {
			cn_fmt_put(c, b, fmt, rows[i].key, aggs, naggs, &rows[i]);
			continue;
		}
		if (first->percpu)
			cn_printf(b, "%3u", key_cpu(c, first, rows[i].key));
		for (k = 0; k < first->desc->nkeys; k++)
			cn_put_key(c, b, &first->keys[k], rows[i].key);
		for (k = 0; k < naggs; k++) {
			const uint64_t *w = cn_row_words(aggs[k], rows[i].ent[k]);

			if (cn_agg_is_dist(aggs[k]))
				cn_quant_put(c, b, aggs[k], w);
			else
				cn_printf(b, " %16" PRId64, cn_agg_value(aggs[k], w));
		}
		cn_putc(b, '\n');
	}
	free(rows);
}
