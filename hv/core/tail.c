/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tail.c - returns that wait for the function that was jumped to.
 *
 * When A jumps to B at its end, A's return value is not there yet; it is when
 * B returns to A's caller, through the same return slot: the stack word that
 * %rsp points at, at the jump as at the return. So the jump saves A's probe
 * under the address of that word, and B's return takes what is saved there,
 * newest first. B may have jumped on in between; then both are saved. A jump
 * with a condition saves as if it were taken, and the instruction after it,
 * which runs if it was not, forgets: no carrier needs to know the flags.
 *
 * A stack word belongs to one thread, and a thread is on one vCPU at a time,
 * but which one may change in between: hence one table for all, without locks.
 * An address has DV_TAIL_WAYS places where it may lie. Who writes or takes an
 * entry claims it first, by a CAS of its key; a writer then publishes it with a
 * release. No return comes where a thread dies or a stack is abandoned: such an
 * entry is found out when the word is used again, since it then holds another
 * address, or it gives way as the oldest where all places are taken.
 */
#include "tail.h"

static uint32_t
first_way(uint64_t slot)
{
	uint64_t h = (slot >> 3) * 0x9e3779b97f4a7c15ull;

	return (uint32_t)(h >> 40) % (DV_TAIL_N / DV_TAIL_WAYS) * DV_TAIL_WAYS;
}

/* Claims a free place of a slot's, or else that of the oldest entry. */
static struct dv_tail_entry *
claim(struct dv_tail_entry *first, uint64_t slot, bool *evicted)
{
	struct dv_tail_entry *e, *oldest = NULL;
	uint64_t key, old = 0;
	unsigned i;

	*evicted = false;
	for (i = 0; i < DV_TAIL_WAYS; i++) {
		e = &first[i];
		key = dv_load_acq64(&e->key);
		if (key == 0 && dv_cas64(&e->key, &key, slot | 1))
			return e;
		if (key == 0 || (key & 1) != 0 ||
		    (oldest != NULL && dv_load64(&e->order) >= dv_load64(&oldest->order)))
			continue;
		oldest = e;
		old = key;
	}
	*evicted = true;
	return oldest != NULL && dv_cas64(&oldest->key, &old, slot | 1) ? oldest : NULL;
}

bool
dv_tail_save(struct dv_tail *t, uint64_t slot, uint64_t ret, uint32_t rule, uint32_t probe)
{
	struct dv_tail_entry *e;
	bool evicted;

	if (slot == 0 || (slot & 7) != 0)	/* a stack that is none */
		return false;
	e = claim(t->e + first_way(slot), slot, &evicted);
	if (e == NULL)
		return false;
	e->ret = ret;
	dv_store64(&e->order, dv_add64(&t->order, 1));
	e->rule = rule;
	e->probe = probe;
	dv_store_rel64(&e->key, slot);
	return !evicted;
}

bool
dv_tail_any(const struct dv_tail *t, uint64_t slot)
{
	const struct dv_tail_entry *e = t->e + first_way(slot);
	unsigned i;

	for (i = 0; i < DV_TAIL_WAYS; i++)
		if (dv_load_acq64(&e[i].key) == slot)
			return true;
	return false;
}

static struct dv_tail_entry *
find_newest(struct dv_tail *t, uint64_t slot)
{
	struct dv_tail_entry *e = t->e + first_way(slot), *newest = NULL;
	unsigned i;

	for (i = 0; i < DV_TAIL_WAYS; i++)
		if (dv_load_acq64(&e[i].key) == slot &&
		    (newest == NULL || dv_load64(&e[i].order) > dv_load64(&newest->order)))
			newest = &e[i];
	return newest;
}

void
dv_tail_forget(struct dv_tail *t, uint64_t slot, uint32_t probe)
{
	struct dv_tail_entry *e = find_newest(t, slot);
	uint64_t key = slot;

	if (e == NULL || !dv_cas64(&e->key, &key, slot | 1))
		return;
	dv_store_rel64(&e->key, e->probe == probe ? 0 : slot);
}

int
dv_tail_take(struct dv_tail *t, uint64_t slot, uint64_t ret, uint32_t *rule,
	     uint32_t *probe)
{
	struct dv_tail_entry *newest = find_newest(t, slot);
	uint64_t key = slot;
	int rc;

	if (newest == NULL || !dv_cas64(&newest->key, &key, slot | 1))
		return 0;		/* or it gave way just now, and was counted */
	*rule = newest->rule;
	*probe = newest->probe;
	rc = newest->ret == ret ? 1 : -1;
	dv_store_rel64(&newest->key, 0);
	return rc;
}
