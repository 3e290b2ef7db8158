/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spec.c - speculations.
 *
 * A speculation is one word that all CPUs move by compare-and-swap, and a
 * buffer on each CPU, touched under that CPU's gate only.
 *
 *	            speculation()         speculate() on X      on another
 *	INACTIVE -----------------> ACTIVE ----------> ONE(X) ----------> MANY
 *	   ^                          |                   |                 |
 *	   |     discard/commit:      |    X itself:      |    otherwise:   |
 *	   +--------------------------+                   |                 |
 *	   +---- COMMITTING, copied at once <-------------+                 |
 *	   +---- cleaned <-- COMMITTINGMANY (own part copied at once) <-----+
 *	   +---- cleaned <-- DISCARDING <-----------------------------------+
 *
 * commit() goes through COMMITTING always: while its word says so, nobody else
 * moves it, and the commit's time is written. ONE(X) committed by another CPU
 * becomes COMMITTINGMANY, discarded by another DISCARDING.
 *
 * A clause that speculates may be half way when another CPU commits. Its
 * record still goes to its own CPU's part; the cleaner waits for its gate and
 * finds it whole. That is why the word becomes INACTIVE only after a pass that
 * began with the state already COMMITTINGMANY or DISCARDING has held each
 * CPU's gate, and a new generation never meets old records:
 *
 *   (1) INACTIVE and ACTIVE: all parts are empty;
 *   (2) ONE(X): only X's part is not empty.
 *
 * Records that are committed get the commit's time. What does not fit the
 * principal buffer of its CPU is dropped there as a whole, record by record in
 * the accounting.
 */
#include "spec.h"

#include "load.h"
#include "state_impl.h"

enum spec_state {
	INACTIVE, ACTIVE, ONE, MANY, COMMITTING, COMMITTINGMANY, DISCARDING
};

#define WORD(state, cpu)	((uint64_t)(state) | ((uint64_t)(cpu) << 8))
#define STATE(word)		((enum spec_state)((word) & 0xff))
#define CPU(word)		((uint32_t)((word) >> 8))

uint32_t
dv_spec_alloc(struct dv_mstate *ms)
{
	struct dv_state *s = ms->s;
	uint32_t i, busy = 0;
	uint64_t word;

	for (i = 0; i < s->nspec; i++) {
		word = dv_load64(&s->specs[i].word);
		if (STATE(word) == INACTIVE) {
			if (dv_cas64(&s->specs[i].word, &word, WORD(ACTIVE, 0)))
				return i + 1;
		}
		if (STATE(word) >= COMMITTING)
			busy++;
	}
	/* busy: all would be free but for cleaning that is still to come */
	if (busy > 0 && busy == s->nspec)
		DV_COUNT(ms->cpu->n.spec_busy);
	else
		DV_COUNT(ms->cpu->n.spec_unavail);
	return 0;
}

enum dv_spec_result
dv_spec_reserve(struct dv_mstate *ms, uint64_t id, uint64_t need, struct dv_sbuf **ret)
{
	struct dv_state *s = ms->s;
	uint32_t me = ms->cpu->index, tries;
	struct dv_sbuf *b;
	uint64_t word, next;

	if (id == 0)
		return DV_SPEC_REFUSED;
	word = dv_load64(&s->specs[id - 1].word);
	for (tries = 0; tries < 8; tries++) {	/* ACTIVE, ONE, MANY: 2 moves */
		switch (STATE(word)) {
		case ACTIVE:
			next = WORD(ONE, me);
			break;
		case ONE:
			next = CPU(word) == me ? word : WORD(MANY, 0);
			break;
		case MANY:
			next = word;
			break;
		default:
			return DV_SPEC_REFUSED;
		}
		if (next == word || dv_cas64(&s->specs[id - 1].word, &word, next))
			break;
	}
	if (tries == 8)
		return DV_SPEC_REFUSED;
	b = &ms->cpu->sbuf[id - 1];
	if (need > s->specsize - b->used) {
		DV_COUNT(ms->cpu->n.spec_drops);
		return DV_SPEC_FULL;
	}
	*ret = b;
	return DV_SPEC_OK;
}

/* Each record of a part, in the accounts of the ECB that wrote it; how many. */
static uint64_t
settle(struct dv_state *s, struct dv_cpu *cpu, uint8_t *p, uint64_t len,
       uint64_t time, size_t counter)
{
	struct dv_account *a;
	struct dv_rec *r;
	uint64_t off, *n, count = 0;

	for (off = 0; off < len; off += s->ecbs[r->epid - 1].need) {
		count++;
		r = (struct dv_rec *)(p + off);
		DV_ASSERT(r->epid - 1 < s->prog.necbs);
		if (time != 0)
			r->timestamp = time;
		a = &cpu->acct[r->epid - 1];
		n = (uint64_t *)((uint8_t *)a + counter);
		dv_store_rel64(n, *n + 1);
		dv_store_rel64(&a->speculated, a->speculated - 1);
	}
	return count;
}

static void
drop_part(struct dv_state *s, struct dv_cpu *cpu, struct dv_sbuf *b)
{
	(void)settle(s, cpu, b->mem, b->used, 0,
	    offsetof(struct dv_account, spec_discarded));
	b->used = 0;
}

static void
copy_part(struct dv_state *s, struct dv_cpu *cpu, struct dv_sbuf *b, uint64_t time)
{
	uint64_t n, drops = cpu->buf.drops;
	uint8_t *to;

	if (b->used == 0)
		return;
	to = dv_buf_reserve(&cpu->buf, b->used);
	if (to != NULL) {
		(void)settle(s, cpu, b->mem, b->used, time,
		    offsetof(struct dv_account, recorded));
		memcpy(to, b->mem, b->used);	/* others map it: not read back */
		dv_buf_commit(&cpu->buf, b->used);
	} else {			/* if one drop is counted, the others are, too */
		n = settle(s, cpu, b->mem, b->used, 0,
		    offsetof(struct dv_account, dropped));
		if (cpu->buf.drops != drops)
			DV_COUNT_N(cpu->buf.drops, n - 1);
	}
	b->used = 0;
}

void
dv_spec_commit(struct dv_mstate *ms, uint64_t id)
{
	struct dv_state *s = ms->s;
	uint32_t me = ms->cpu->index, tries;
	struct dv_spec *sp;
	bool many;
	uint64_t word, time;

	if (id == 0)
		return;
	sp = &s->specs[id - 1];
	word = dv_load64(&sp->word);
	for (tries = 0;; tries++) {
		if (STATE(word) != ACTIVE && STATE(word) != ONE && STATE(word) != MANY)
			return;
		many = STATE(word) == MANY || (STATE(word) == ONE && CPU(word) != me);
		if (dv_cas64(&sp->word, &word, WORD(COMMITTING, me)))
			break;
		if (tries == 8)		/* states only go forward: not reached */
			return;
	}
	time = dv_now(ms);
	dv_store64(&sp->time, time);
	copy_part(s, ms->cpu, &ms->cpu->sbuf[id - 1], time);
	dv_store_rel64(&sp->word, WORD(many ? COMMITTINGMANY : INACTIVE, 0));
}

void
dv_spec_discard(struct dv_mstate *ms, uint64_t id)
{
	struct dv_state *s = ms->s;
	uint32_t me = ms->cpu->index, tries;
	struct dv_spec *sp;
	bool mine;
	uint64_t word;

	if (id == 0)
		return;
	sp = &s->specs[id - 1];
	word = dv_load64(&sp->word);
	for (tries = 0; tries < 8; tries++) {
		if (STATE(word) != ACTIVE && STATE(word) != ONE && STATE(word) != MANY)
			return;
		mine = STATE(word) == ACTIVE || (STATE(word) == ONE && CPU(word) == me);
		if (!dv_cas64(&sp->word, &word, WORD(DISCARDING, mine ? me + 1 : 0)))
			continue;
		drop_part(s, ms->cpu, &ms->cpu->sbuf[id - 1]);
		if (mine)
			dv_store64(&sp->word, WORD(INACTIVE, 0));
		return;
	}
}

uint64_t
dv_spec_pending(const struct dv_state *s)
{
	uint64_t oldest = ~(uint64_t)0, time;
	uint32_t i;

	for (i = 0; i < s->nspec; i++) {
		if (STATE(dv_load_acq64(&s->specs[i].word)) != COMMITTINGMANY)
			continue;
		time = dv_load64(&s->specs[i].time);
		if (time < oldest)
			oldest = time;
	}
	return oldest;
}

bool
dv_spec_clean_begin(struct dv_state *s)
{
	bool any = false;
	uint64_t word;
	uint32_t i;

	for (i = 0; i < s->nspec; i++) {
		word = dv_load64(&s->specs[i].word);
		/* a CPU in DISCARDING will finish it itself, at once */
		s->specs[i].cleaning = STATE(word) == COMMITTINGMANY ||
		    (STATE(word) == DISCARDING && CPU(word) == 0);
		any |= s->specs[i].cleaning != 0;
	}
	return any;
}

void
dv_spec_clean_cpu(struct dv_state *s, struct dv_cpu *cpu)
{
	uint32_t i;

	for (i = 0; i < s->nspec; i++) {
		if (!s->specs[i].cleaning)
			continue;
		if (STATE(dv_load64(&s->specs[i].word)) == COMMITTINGMANY)
			copy_part(s, cpu, &cpu->sbuf[i], s->specs[i].time);
		else
			drop_part(s, cpu, &cpu->sbuf[i]);
	}
}

void
dv_spec_clean_end(struct dv_state *s)
{
	uint32_t i;

	for (i = 0; i < s->nspec; i++) {
		if (s->specs[i].cleaning)
			dv_store64(&s->specs[i].word, WORD(INACTIVE, 0));
		s->specs[i].cleaning = 0;
	}
}
