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
	if (d->nwords == 0 || d->nwords != dv_agg_nwords(d->func, d->param) ||
	    d->keysize > 1u << 24)
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

/* Keeps the n largest (n > 0) or the -n smallest values. */
void
cn_agg_trunc(struct cn *c, struct cn_agg *a, int64_t n, bool all)
{
	uint64_t keep = n < 0 ? -(uint64_t)n : (uint64_t)n;
	struct cn_row *rows;
	size_t nrows, i, k;

	if (all || n == 0) {
		drop_entries(a);
	} else {
		if (keep >= a->ents.n)
			return;
		if (cn_rows_by_value(a, &rows, &nrows) != 0) {
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
