/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agg.c - the aggregation buffer of one CPU.
 *
 * Entries lie one after the other in the active half of the shared buffer, in
 * the format of dv_rec.h, so that a switched half is ready to read. They are
 * found through a private open-addressed table of offsets. After a switch the
 * new half begins empty and the consumer merges; the table is not cleared for
 * that (it may be a megabyte, and the gate is held): each slot carries the
 * generation of the half that it was made for, and others count as free.
 *
 * Equal keys are equal bytes: strings are padded with zeros. A value is
 * changed in place under the CPU's gate, so a switch sees whole ones.
 *
 *   (1) every entry in [0, used) has exactly one slot of this generation;
 *   (2) at most 7/8 of the slots are taken, so a search ends: at MAXPROBE at
 *       the latest, where a new key is counted as a drop.
 */
#include "agg.h"
#include "buf.h"
#include "gate.h"
#include "hash.h"

#define MAXPROBE	256

uint32_t
dv_agg_nslots(uint64_t size)
{
	uint32_t n = 16;

	while (n < size / 32 && n < (1u << 26))
		n <<= 1;
	return n;
}

void
dv_agg_init(struct dv_aggbuf *b, uint8_t *half0, uint8_t *half1,
	    uint64_t size, uint64_t *slot, uint32_t nslots)
{
	memset(b, 0, sizeof(*b));
	b->half[0] = half0;
	b->half[1] = half1;
	b->size = size & ~(uint64_t)7;
	b->slot = slot;
	b->mask = nslots - 1;
	b->generation = 1;
}

static unsigned
highest_bit(uint64_t v)
{
	return 63u - (unsigned)__builtin_clzll(v);
}

static uint32_t
quantize_bucket(int64_t val)
{
	unsigned bit;

	if (val == 0)
		return DV_QUANT_ZERO;
	if (val > 0)
		return DV_QUANT_ZERO + 1 + highest_bit((uint64_t)val);
	bit = highest_bit(-(uint64_t)val);
	return bit > 62 ? 0 : DV_QUANT_ZERO - 1 - bit;
}

static uint32_t
lquantize_bucket(uint64_t param, int64_t val)
{
	int64_t base = DV_LQUANT_BASE(param);
	uint32_t levels = DV_LQUANT_LEVELS(param);
	uint64_t n;

	if (val < base)
		return 0;
	n = ((uint64_t)val - (uint64_t)base) / DV_LQUANT_STEP(param);
	return n < levels ? (uint32_t)n + 1 : levels + 1;
}

static uint32_t
llquantize_bucket(uint64_t param, int64_t val)
{
	uint64_t factor = DV_LLQUANT_FACTOR(param), steps = DV_LLQUANT_STEPS(param);
	uint32_t low = DV_LLQUANT_LOW(param), high = DV_LLQUANT_HIGH(param);
	uint32_t per = DV_LLQUANT_PER(param), m;
	uint64_t v = (uint64_t)val, lo, next, width, k;

	lo = dv_llquant_power(factor, low);
	if (val < 0 || v < lo)
		return 0;
	for (m = low; m <= high; m++, lo = next) {	/* at most 63 */
		next = lo > UINT64_MAX / factor ? UINT64_MAX : lo * factor;
		if (v >= next)
			continue;
		width = dv_llquant_width(param, lo);
		k = width == 0 ? v - lo : v / width - steps / factor;
		if (k >= per)
			k = per - 1;
		return 1 + (m - low) * per + (uint32_t)k;
	}
	return (high - low + 1) * per + 1;
}

static void
start(const struct dv_aggdesc *desc, uint64_t *word)
{
	memset(word, 0, desc->nwords * sizeof(*word));
	if (desc->func == DV_AGG_MIN)
		word[0] = INT64_MAX;
	else if (desc->func == DV_AGG_MAX)
		word[0] = (uint64_t)INT64_MIN;
}

static void
add(const struct dv_aggdesc *desc, uint64_t *word, int64_t val, int64_t incr)
{
	uint64_t mag, v = (uint64_t)val;
	unsigned __int128 sq;

	switch (desc->func) {
	case DV_AGG_COUNT:
		word[0]++;
		break;
	case DV_AGG_SUM:
		word[0] += v;
		break;
	case DV_AGG_MIN:
		if (val < (int64_t)word[0])
			word[0] = v;
		break;
	case DV_AGG_MAX:
		if (val > (int64_t)word[0])
			word[0] = v;
		break;
	case DV_AGG_AVG:
		word[0]++;
		word[1] += v;
		break;
	case DV_AGG_STDDEV:
		word[0]++;
		word[1] += v;
		mag = val < 0 ? -v : v;
		sq = (unsigned __int128)mag * mag;
		sq += ((unsigned __int128)word[3] << 64) | word[2];
		word[2] = (uint64_t)sq;
		word[3] = (uint64_t)(sq >> 64);
		break;
	case DV_AGG_QUANTIZE:
		word[quantize_bucket(val)] += (uint64_t)incr;
		break;
	case DV_AGG_LQUANTIZE:
		word[lquantize_bucket(desc->param, val)] += (uint64_t)incr;
		break;
	case DV_AGG_LLQUANTIZE:
		word[llquantize_bucket(desc->param, val)] += (uint64_t)incr;
		break;
	}
}

/* The bytes before hole i, or after the last one: [*from, *to). */
static bool
between_holes(const struct dv_aggkeys *k, uint32_t klen, uint32_t i,
	      uint32_t *from, uint32_t *to)
{
	if (i > k->nhole)
		return false;
	*from = i == 0 ? 0 : k->hole[i - 1].off + k->hole[i - 1].len;
	*to = i == k->nhole ? klen : k->hole[i].off;
	return true;
}

/*
 * Eight bytes at a time. Zeros are passed over, so that the hash does not
 * depend on where the holes are; the comparison tells keys apart.
 */
static uint32_t
hash_keys(uint32_t aggid, const struct dv_aggkeys *k, uint32_t klen)
{
	uint64_t h = dv_hash_begin(aggid), w;
	uint32_t i, at, to;

	for (i = 0; between_holes(k, klen, i, &at, &to); i++) {
		for (; at < to; at += 8) {
			memcpy(&w, k->bytes + at, 8);
			if (w != 0)
				h = dv_hash_word(h, w);
		}
	}
	return dv_hash_end(h);
}

static bool
same_keys(const struct dv_aggkeys *k, uint32_t klen, const uint8_t *entry)
{
	uint32_t i, at, to;
	uint64_t a, b;

	for (i = 0; between_holes(k, klen, i, &at, &to); i++) {
		for (; at < to; at += 8) {
			memcpy(&a, entry + at, 8);
			memcpy(&b, k->bytes + at, 8);
			if (a != b)
				return false;
		}
	}
	return true;
}

bool
dv_agg_add(struct dv_aggbuf *b, const struct dv_aggdesc *desc, uint32_t aggid,
	   uint32_t vm, const struct dv_aggkeys *keys, int64_t val, int64_t incr)
{
	uint32_t klen = DV_AGG_KEYLEN(desc), hash, at, probe, size, i;
	struct dv_agg_entry *e;
	uint8_t *half = b->half[b->active];

	hash = hash_keys(aggid, keys, klen);
	for (probe = 0; probe < MAXPROBE; probe++) {
		at = (hash + probe) & b->mask;
		if ((uint32_t)(b->slot[at] >> 32) != b->generation)
			break;
		e = (struct dv_agg_entry *)(half + (b->slot[at] & 0xffffffffu) * 8);
		if (e->hash == hash && e->aggid == aggid &&
		    same_keys(keys, klen, (const uint8_t *)(e + 1))) {
			add(desc, (uint64_t *)((uint8_t *)(e + 1) + klen), val, incr);
			return true;
		}
	}
	size = (uint32_t)sizeof(*e) + klen + desc->nwords * 8;
	if (probe == MAXPROBE || size > b->size - b->used ||
	    b->count >= b->mask - b->mask / 8) {
		DV_COUNT(b->drops);
		return false;
	}
	e = (struct dv_agg_entry *)(half + b->used);
	e->aggid = aggid;
	e->size = size;
	e->hash = hash;
	e->vm = vm;
	for (i = 0; i < keys->nhole; i++)
		memset(keys->bytes + keys->hole[i].off, 0, keys->hole[i].len);
	if (klen > 0)
		memcpy(e + 1, keys->bytes, klen);
	start(desc, (uint64_t *)((uint8_t *)(e + 1) + klen));
	add(desc, (uint64_t *)((uint8_t *)(e + 1) + klen), val, incr);
	b->slot[at] = ((uint64_t)b->generation << 32) | (b->used / 8);
	b->used += size;
	b->count++;
	return true;
}

void
dv_agg_switch(struct dv_aggbuf *b, struct dv_half *ret)
{
	ret->data = b->half[b->active];
	ret->len = b->used;
	ret->wrapped = 0;
	b->active ^= 1;
	b->used = 0;
	b->count = 0;
	if (++b->generation == 0) {		/* after 2^32 switches */
		memset(b->slot, 0, ((uint64_t)b->mask + 1) * sizeof(*b->slot));
		b->generation = 1;
	}
}
