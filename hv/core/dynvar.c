/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dynvar.c - thread-local variables and associative arrays.
 *
 * All CPUs share one pool of chunks of equal size and one hash table of chains,
 * without locks. Each CPU has a share of the chunks, whose free ones it takes
 * first, and then those of others; a chunk goes back where it came from. So what
 * CPUs write at the same time lies apart as long as their variables do. A key is
 * bytes: the variable, for a thread-local the thread (task_struct,
 * start_boottime, interrupt level), and the tuple, strings with their length. A
 * chunk goes round:
 *
 *	 free --insert--> LIVE <--revive-- DEAD --clean--> GONE --release--> free
 *	                       ---free--->
 *
 * Assigning zero makes a chunk DEAD, but leaves it in its chain; assigning to
 * the same key again revives it, so a variable that comes and goes needs no
 * cleaning. dv_clean() (control side, one at a time) takes DEAD chunks out
 * ("dirty" until then), and gives them back once every CPU has passed its gate
 * ("rinsing" until then), so that nobody can still be looking at one.
 *
 *   (1) only the cleaner unlinks; others only push at a chain's head. So a
 *       chunk that a CPU has seen stays readable until that firing ends.
 *   (2) a key has at most one chunk that is not GONE: an insert holds the head
 *       it searched from, and searches the newcomers when the CAS fails.
 *   (3) key, hash and klen do not change between insert and release.
 *   (4) both lists carry a count beside the head, so a CAS cannot mistake a
 *       list that went away and came back.
 *
 * A thread's own variables are touched by one CPU at a time; two CPUs that
 * write one array element race as D says they may. A chain walk is bounded by
 * the pool's size, and typically one step: there are as many buckets as chunks.
 */
#include "dynvar.h"

#include "hash.h"
#include "load.h"
#include "state_impl.h"
#include "var.h"

enum dv_dynstate { FREE, LIVE, DEAD, GONE };

struct key {
	const uint8_t *bytes;
	uint32_t len;
	uint32_t hash;
};

void
dv_dyn_plan(uint64_t dynvarsize, uint64_t keyroom, uint64_t valroom,
	    uint64_t more, struct dv_dynplan *ret)
{
	uint64_t stride = ((keyroom + 7) & ~(uint64_t)7) + ((valroom + 7) & ~(uint64_t)7);
	uint64_t n = dynvarsize / (stride + sizeof(struct dv_dynhdr)) + more;

	ret->keyroom = (uint32_t)((keyroom + 7) & ~(uint64_t)7);
	ret->stride = (uint32_t)stride;
	ret->nchunks = n == 0 ? 1 : n > (1u << 26) ? 1u << 26 : (uint32_t)n;
	for (ret->nbuckets = 16; ret->nbuckets < ret->nchunks; )
		ret->nbuckets <<= 1;
}

void
dv_dyn_init(struct dv_dynpool *p, const struct dv_dynplan *plan,
	    struct dv_dynhdr *hdr, uint32_t *bucket, uint8_t *data,
	    struct dv_dynfree *free, uint32_t ncpu)
{
	uint32_t i, last;

	memset(p, 0, sizeof(*p));
	p->hdr = hdr;
	p->bucket = bucket;
	p->data = data;
	p->nchunks = plan->nchunks;
	p->mask = plan->nbuckets - 1;
	p->keyroom = plan->keyroom;
	p->stride = plan->stride;
	p->free = free;
	p->ncpu = ncpu;
	p->share = (p->nchunks + ncpu - 1) / ncpu;
	for (i = 0; i < ncpu; i++)
		free[i].head = 0;
	for (i = 0; i < p->nchunks; i++) {
		last = (i / p->share + 1) * p->share;
		hdr[i].free = i + 1 < last && i + 1 < p->nchunks ? i + 2 : 0;
		if (i % p->share == 0)
			free[i / p->share].head = i + 1;
	}
}

static uint32_t
pop_share(struct dv_dynpool *p, uint32_t cpu)
{
	uint64_t *list = &p->free[cpu].head, head = dv_load64(list), next;

	do {
		if ((uint32_t)head == 0)
			return 0;
		next = (head & ~(uint64_t)0xffffffffu) + ((uint64_t)1 << 32);
		next |= dv_load_acq32(&p->hdr[(uint32_t)head - 1].free);
	} while (!dv_cas64(list, &head, next));
	return (uint32_t)head;
}

static uint32_t
pop_free(struct dv_dynpool *p, uint32_t cpu)
{
	uint32_t i, chunk = pop_share(p, cpu);

	for (i = 1; chunk == 0 && i < p->ncpu; i++)
		chunk = pop_share(p, cpu + i < p->ncpu ? cpu + i : cpu + i - p->ncpu);
	return chunk;
}

static void
push_free(struct dv_dynpool *p, uint32_t chunk)
{
	uint64_t *list = &p->free[(chunk - 1) / p->share].head, head = dv_load64(list), next;

	do {
		dv_store_rel32(&p->hdr[chunk - 1].free, (uint32_t)head);
		next = (head & ~(uint64_t)0xffffffffu) + ((uint64_t)1 << 32);
		next |= chunk;
	} while (!dv_cas64(list, &head, next));
}

static void
push_dirty(struct dv_dynpool *p, uint32_t chunk)
{
	uint64_t head;
	uint32_t no = 0;

	if (!dv_cas32(&p->hdr[chunk - 1].listed, &no, 1))
		return;			/* revived and freed again, still listed */
	head = dv_load64(&p->dirty);
	do
		dv_store_rel32(&p->hdr[chunk - 1].dirty, (uint32_t)head);
	while (!dv_cas64(&p->dirty, &head,
	    ((head & ~(uint64_t)0xffffffffu) + ((uint64_t)1 << 32)) | chunk));
}

static uint32_t
hash_bytes(const uint8_t *key, uint32_t len)
{
	uint64_t h = dv_hash_begin(0), w;
	uint32_t i;

	for (i = 0; i < len; i += 8) {
		memcpy(&w, key + i, 8);
		h = dv_hash_word(h, w);
	}
	return dv_hash_end(h);
}

static int
thread_key(struct dv_mstate *ms)
{
	const struct dv_layout *lay = ms->s->lay;
	uint32_t level = 0;

	if (ms->have & DV_HAVE_TLS)
		return 0;
	ms->tls[1] = 0;
	if (ms->ctx->vcpu < 0) {
		ms->tls[0] = ~(uint64_t)0;
	} else {
		if (dv_curthread(ms, &ms->tls[0]) != 0 || dv_level(ms, &level) != 0)
			return -1;
		if (lay->task_start_boottime != DV_NO_OFF &&
		    dv_field(ms, ms->tls[0], lay->task_start_boottime, &ms->tls[1], 8) != 0)
			return -1;
	}
	ms->tls[2] = level;
	ms->have |= DV_HAVE_TLS;
	return 0;
}

/*
 * The key of variable v with the tuple stack, in this CPU's dynkey. 0, -1 with
 * a fault, or 1 if it is larger than any chunk.
 */
static int
make_key(struct dv_mstate *ms, uint32_t v, struct key *ret)
{
	const struct dv_dynpool *p = &ms->s->dyn;
	uint8_t *buf = ms->cpu->dynkey;
	const struct dv_tupkey *k;
	uint64_t word = v, room;
	uint32_t len = 8, i;
	size_t n;

	memcpy(buf, &word, 8);
	if (ms->s->lvars[v].scope == DV_VS_TLS) {
		if (thread_key(ms) != 0)
			return -1;
		memcpy(buf + 8, ms->tls, 24);
		len = 32;
	}
	if (ms->s->lvars[v].array) {
		for (i = 0; i < ms->ntup; i++) {
			k = &ms->tup[i];
			if (len + (k->byref ? 16 : 8) > p->keyroom)
				return 1;
			if (!k->byref) {
				memcpy(buf + len, &k->val, 8);
				len += 8;
				continue;
			}
			room = p->keyroom - len - 8;
			n = (size_t)k->size;
			if (k->string) {
				if (n > room)
					n = (size_t)room;
				if (n == 0)
					return 1;
				if (dv_load_str(ms, k->val, (char *)buf + len + 8, n,
				    DV_KERNEL, &n) != 0)
					return -1;
			} else {
				if (k->size > room)
					return 1;
				if (dv_load(ms, k->val, buf + len + 8, n, DV_KERNEL) != 0)
					return -1;
			}
			word = n;
			memcpy(buf + len, &word, 8);
			len += 8;
			while (n % 8 != 0)
				buf[len + n++] = 0;
			len += (uint32_t)n;
		}
	}
	ret->bytes = buf;
	ret->len = len;
	ret->hash = hash_bytes(buf, len);
	return 0;
}

/* The chunk of a key in a chain, LIVE or DEAD, from `at` to before `end`. */
static uint32_t
search(const struct dv_dynpool *p, const struct key *k, uint32_t at, uint32_t end)
{
	const struct dv_dynhdr *h;
	uint32_t steps, state;

	for (steps = 0; at != end && at != 0 && steps < p->nchunks; steps++) {
		h = &p->hdr[at - 1];
		if (h->hash == k->hash && h->klen == k->len &&
		    ((state = dv_load_acq32(&h->state)) == LIVE || state == DEAD) &&
		    memcmp(p->data + (uint64_t)(at - 1) * p->stride, k->bytes, k->len) == 0)
			return at;
		at = dv_load_acq32(&h->next);
	}
	return 0;
}

static uint8_t *
value_of(const struct dv_dynpool *p, uint32_t chunk)
{
	return p->data + (uint64_t)(chunk - 1) * p->stride + p->keyroom;
}

uint64_t
dv_dyn_load(struct dv_mstate *ms, uint32_t v)
{
	const struct dv_dynpool *p = &ms->s->dyn;
	const struct dv_lvar *lv = &ms->s->lvars[v];
	struct key k;
	uint32_t at;
	int rc;

	rc = make_key(ms, v, &k);
	if (lv->array)		/* a self-> scalar may be one of several keys or arguments */
		ms->ntup = 0;
	if (rc != 0)
		return 0;
	at = search(p, &k, dv_load_acq32(&p->bucket[k.hash & p->mask]), 0);
	if (at == 0 || dv_load_acq32(&p->hdr[at - 1].state) != LIVE)
		return 0;
	if (lv->byref)
		return dv_win(ms->s, DV_RG_DYN,
		    (uint64_t)(value_of(p, at) - p->data));
	return dv_load_acq64(&p->hdr[at - 1].val);
}

/* Is there a chunk to be cleaned? Most that are listed are; the rest was revived. */
static bool
any_dirty(const struct dv_dynpool *p)
{
	uint32_t at = (uint32_t)dv_load64(&p->dirty), steps;

	for (steps = 0; at != 0 && steps < 64; steps++) {
		if (dv_load_acq32(&p->hdr[at - 1].state) == DEAD)
			return true;
		at = dv_load_acq32(&p->hdr[at - 1].dirty);
	}
	return at != 0;
}

static void
drop(struct dv_mstate *ms)
{
	struct dv_dynpool *p = &ms->s->dyn;

	if (any_dirty(p))
		DV_COUNT(ms->cpu->n.dyn_dirty_drops);
	else if (dv_load32(&p->nrinsing) != 0)
		DV_COUNT(ms->cpu->n.dyn_rinsing_drops);
	else
		DV_COUNT(ms->cpu->n.dyn_drops);
}

/* 0, or -1: fault in the value's address. */
static int
set_value(struct dv_mstate *ms, const struct dv_lvar *lv, uint32_t chunk, uint64_t val)
{
	struct dv_dynpool *p = &ms->s->dyn;

	if (lv->byref)
		return dv_ref_copy(ms, lv, value_of(p, chunk), val);
	dv_store_rel64(&p->hdr[chunk - 1].val, val);
	return 0;
}

static void
unset(struct dv_mstate *ms, uint32_t chunk)
{
	struct dv_dynpool *p = &ms->s->dyn;
	uint32_t live = LIVE;

	if (!dv_cas32(&p->hdr[chunk - 1].state, &live, DEAD))
		return;
	push_dirty(p, chunk);
}

/* Sets a key that was not found from `head` on. */
static void
insert(struct dv_mstate *ms, const struct dv_lvar *lv, const struct key *k,
       uint32_t head, uint64_t val)
{
	struct dv_dynpool *p = &ms->s->dyn;
	uint32_t chunk = pop_free(p, ms->cpu->index), tries, at;
	uint32_t *bucket = &p->bucket[k->hash & p->mask];
	struct dv_dynhdr *h;

	if (chunk == 0) {
		drop(ms);
		return;
	}
	h = &p->hdr[chunk - 1];
	memcpy(p->data + (uint64_t)(chunk - 1) * p->stride, k->bytes, k->len);
	h->hash = k->hash;
	h->klen = k->len;
	if (set_value(ms, lv, chunk, val) != 0) {
		push_free(p, chunk);
		return;
	}
	dv_store_rel32(&h->state, LIVE);
	for (tries = 0; tries < p->nchunks; tries++) {
		dv_store_rel32(&h->next, head);
		if (dv_cas32(bucket, &head, chunk))
			return;
		/* newcomers, or the cleaner took the old head: search them all */
		at = search(p, k, head, 0);
		if (at != 0) {
			dv_store_rel32(&h->state, FREE);
			push_free(p, chunk);
			(void)set_value(ms, lv, at, val);
			return;
		}
	}
	dv_store_rel32(&h->state, FREE);
	push_free(p, chunk);
	drop(ms);
}

void
dv_dyn_store(struct dv_mstate *ms, uint32_t v, uint64_t val)
{
	struct dv_dynpool *p = &ms->s->dyn;
	const struct dv_lvar *lv = &ms->s->lvars[v];
	uint32_t at, head, dead = DEAD;
	struct key k;
	int rc;

	rc = make_key(ms, v, &k);
	if (lv->array)
		ms->ntup = 0;
	if (rc != 0) {
		if (rc > 0 && val != 0)
			DV_COUNT(ms->cpu->n.dyn_drops);
		return;
	}
	head = dv_load_acq32(&p->bucket[k.hash & p->mask]);
	at = search(p, &k, head, 0);
	if (val == 0) {
		if (at != 0)
			unset(ms, at);
		return;
	}
	if (at != 0) {
		if (set_value(ms, lv, at, val) != 0)
			return;
		if (dv_load_acq32(&p->hdr[at - 1].state) == LIVE)
			return;
		if (dv_cas32(&p->hdr[at - 1].state, &dead, LIVE) || dead == LIVE)
			return;		/* or another CPU revived it */
		/* the cleaner has it: as if it had not been found */
		head = dv_load_acq32(&p->bucket[k.hash & p->mask]);
		at = search(p, &k, head, 0);
		if (at != 0) {
			(void)set_value(ms, lv, at, val);
			return;
		}
	}
	insert(ms, lv, &k, head, val);
}

/* Takes a GONE chunk out of its chain. */
static void
unlink_chunk(struct dv_dynpool *p, uint32_t chunk)
{
	struct dv_dynhdr *h = &p->hdr[chunk - 1];
	uint32_t *bucket = &p->bucket[h->hash & p->mask];
	uint32_t next = dv_load_acq32(&h->next), at = chunk, steps;

	if (dv_cas32(bucket, &at, next))
		return;
	/* not the head, and never the head again */
	for (steps = 0; at != 0 && steps < p->nchunks; steps++) {
		h = &p->hdr[at - 1];
		at = dv_load_acq32(&h->next);
		if (at == chunk) {
			dv_store_rel32(&h->next, next);
			return;
		}
	}
	DV_ASSERT(!"a dead chunk was in no chain");
}

bool
dv_dyn_unlink(struct dv_dynpool *p)
{
	uint64_t head = dv_load64(&p->dirty);
	uint32_t at, next, dead, steps;

	if ((uint32_t)head == 0)
		return false;
	while (!dv_cas64(&p->dirty, &head,
	    (head & ~(uint64_t)0xffffffffu) + ((uint64_t)1 << 32)))
		;
	at = (uint32_t)head;
	for (steps = 0; at != 0 && steps < p->nchunks; steps++, at = next) {
		next = dv_load_acq32(&p->hdr[at - 1].dirty);
		dv_store32(&p->hdr[at - 1].listed, 0);
		dead = DEAD;
		if (!dv_cas32(&p->hdr[at - 1].state, &dead, GONE))
			continue;		/* revived, or unlinked before */
		(void)dv_add32(&p->nrinsing, 1);
		unlink_chunk(p, at);
		/* who lost the race for it on the free list may still look */
		dv_store_rel32(&p->hdr[at - 1].free, p->rinsing);
		p->rinsing = at;
	}
	return p->rinsing != 0;
}

void
dv_dyn_release(struct dv_dynpool *p)
{
	uint32_t at, next, steps;

	for (at = p->rinsing, steps = 0; at != 0 && steps < p->nchunks; at = next, steps++) {
		next = dv_load_acq32(&p->hdr[at - 1].free);
		dv_store_rel32(&p->hdr[at - 1].state, FREE);
		push_free(p, at);
		(void)dv_add32(&p->nrinsing, (uint32_t)-1);
	}
	p->rinsing = 0;
}
