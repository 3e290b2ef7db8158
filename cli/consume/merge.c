/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge.c - the option temporal: records of all CPUs in order of time.
 *
 * Records are kept as they come and printed by cn_flush(), oldest first; equal
 * times keep the order of CPUs, then that in which a CPU wrote them. A record
 * may be printed when nothing older can still come. What can come late:
 *
 *   - A CPU's records of firings that began before its buffer was switched: a
 *     switch waits for firings in progress, so after a round of snapshots that
 *     began at time N, all records of firings before N are here.
 *   - Parts of a committed speculation on CPUs other than the one that
 *     committed: they carry the time T of the commit and are copied up to one
 *     cleaning later. A commit with T < N was made when round N ended. In the
 *     round after it, each CPU's snapshot either says that this commit is still
 *     pending, or has, or had before, the CPU's part.
 *
 * So a program that commits prints, after each round, what is older than the
 * round before and older than any commit that this round's snapshots say is
 * pending; one that does not, what is older than this round. Parts that came
 * late stand behind younger records of their CPU: that is why each flush sorts.
 */
#include "cn_impl.h"

#include <stdlib.h>

int
cn_keep(struct cn *c, unsigned cpu, const uint8_t *rec, uint32_t epid, uint32_t size)
{
	struct cn_kept k = { .off = c->klen, .cpu = cpu, .epid = epid };

	if (c->kcap - c->klen < size) {
		size_t cap = c->kcap != 0 ? c->kcap * 2 : 65536;
		uint8_t *bytes;

		while (cap < c->klen + size)
			cap *= 2;
		if ((bytes = realloc(c->kbytes, cap)) == NULL)
			return DV_E_NOMEM;
		c->kbytes = bytes;
		c->kcap = cap;
	}
	memcpy(c->kbytes + c->klen, rec, size);
	memcpy(c->kbytes + c->klen, &epid, sizeof(epid));
	k.time = cn_load64(c->kbytes + c->klen + offsetof(struct dv_rec, timestamp));
	if (dv_vec_push(&c->kept, k) != 0)
		return DV_E_NOMEM;
	c->klen += size;
	return 0;
}

void
cn_merge_fini(struct cn *c)
{
	dv_vec_fini(&c->kept);
	free(c->kbytes);
}

static int
compare(const void *px, const void *py)
{
	const struct cn_kept *x = px, *y = py;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return (x->off > y->off) - (x->off < y->off);	/* as they came */
}

/* Sorts, and tells each record the next one of its CPU. */
static bool
sort(struct cn *c)
{
	uint32_t *next;
	size_t i;

	if ((next = calloc(c->cfg.ncpu, sizeof(*next))) == NULL)
		return false;
	qsort(c->kept.v, c->kept.n, sizeof(*c->kept.v), compare);
	for (i = c->kept.n; i-- > 0; ) {
		struct cn_kept *k = &c->kept.v[i];

		k->next = next[k->cpu];
		next[k->cpu] = k->epid;
	}
	free(next);
	return true;
}

/*
 * The first n are printed; the others keep the order in which they came, which
 * their offsets stand for.
 */
static void
forget(struct cn *c, size_t n)
{
	size_t i, len = 0;

	c->kept.n -= n;
	if (n > 0)			/* of none there is no address */
		memmove(c->kept.v, c->kept.v + n, c->kept.n * sizeof(*c->kept.v));
	if (c->kept.n == 0) {
		c->klen = 0;
		return;
	}
	/* bytes are given back when at least half of them are old */
	for (i = 0; i < c->kept.n; i++)
		len += cn_rec_size(c, c->kept.v[i].epid);
	if (len <= c->klen / 2) {
		uint8_t *bytes = malloc(c->kcap);

		if (bytes == NULL)
			return;		/* another time */
		for (i = len = 0; i < c->kept.n; i++) {
			uint32_t size = cn_rec_size(c, c->kept.v[i].epid);

			memcpy(bytes + len, c->kbytes + c->kept.v[i].off, size);
			c->kept.v[i].off = len;
			len += size;
		}
		free(c->kbytes);
		c->kbytes = bytes;
		c->klen = len;
	}
}

void
cn_flush(struct cn *c, uint64_t before)
{
	uint64_t limit = before;
	size_t i;

	if (before != ~(uint64_t)0 && c->commits) {
		limit = c->before < c->pending ? c->before : c->pending;
		c->before = before;
	}
	c->pending = ~(uint64_t)0;
	if (c->kept.n > 0 && !sort(c)) {
		cn_msg(c, "could not print records: out of memory");
		return;
	}
	for (i = 0; i < c->kept.n; i++) {
		const struct cn_kept *k = &c->kept.v[i];

		if (before != ~(uint64_t)0 && k->time >= limit)
			break;
		memcpy(c->rec, c->kbytes + k->off, cn_rec_size(c, k->epid));
		cn_show(c, k->cpu, c->rec, k->next);
	}
	forget(c, i);
	cn_buf_flush(&c->out);
}
