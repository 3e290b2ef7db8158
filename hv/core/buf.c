/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * buf.c - the principal buffer of one CPU.
 *
 * A CPU writes whole records into the active half; the consumer reads the
 * other. The CPU is the only writer, so a store takes no lock, and the halves
 * trade places only in dv_buf_switch(), under that CPU's gate (gate.h).
 * Between any two firings:
 *
 *   (1) used <= size, and [0, used) is a sequence of whole records;
 *   (2) a record was kept in full or counted in drops, never cut short;
 *   (3) the inactive half does not change until the next switch.
 *
 * (2) can be promised because an ECB fixes its record size when it is made
 * (state.c). A clause that faults leaves its reservation uncommitted, and the
 * next record takes the same bytes. Record format: dv_rec.h.
 *
 * Two policies never switch while tracing; their first half is read once, at
 * the end. `fill` keeps the first records: the rest is lost, silently as in D,
 * but accounted. `ring` keeps the last:
 *
 *	not wrapped:	| oldest ............... newest |  (free)          |
 *			0                               used            size
 *	wrapped:	| ...... newest | (gap) | oldest ........ | zeros |
 *			0            used     oldest                    size
 *
 * A record that does not fit before the end goes to the start; whole records
 * are evicted ahead of it. The gap is cleared before anybody reads.
 */
#include "buf.h"

#include "dv_prog.h"

void
dv_buf_init(struct dv_buf *b, uint8_t *half0, uint8_t *half1, uint64_t size)
{
	memset(b, 0, sizeof(*b));
	b->half[0] = half0;
	b->half[1] = half1;
	b->size = b->limit = size & ~(uint64_t)7;
}

/* Nothing but zeros at `at`, or the end: no record begins there. */
static bool
ends(const struct dv_buf *b, uint64_t at)
{
	uint32_t epid;

	if (at >= b->size)
		return true;
	memcpy(&epid, b->half[b->active] + at, sizeof(epid));
	return epid == 0;
}

/*
 * Evicts what begins before `until`, oldest first: at most all records. Where
 * the memory, which others map, holds no record, the rest is given up.
 */
static void
evict(struct dv_buf *b, uint64_t until)
{
	uint64_t len;

	while (b->wrapped && b->oldest < until) {
		if (ends(b, b->oldest)) {
			b->wrapped = 0;
			break;
		}
		len = b->evict(b->evict_arg, b->half[b->active] + b->oldest);
		if (len == 0 || len > b->size - b->oldest) {
			dv_store_rel64(&b->drops, b->drops + 1);
			b->wrapped = 0;
			break;
		}
		b->oldest += len;
	}
}

uint8_t *
dv_buf_reserve_slow(struct dv_buf *b, uint64_t len)
{
	uint8_t *half = b->half[b->active];

	if (b->policy == DV_BUFPOLICY_FILL) {
		dv_store_rel32(&b->full, 1);
		return NULL;
	}
	if (b->policy == DV_BUFPOLICY_SWITCH || len > b->size) {
		dv_store_rel64(&b->drops, b->drops + 1);
		return NULL;
	}
	if (len > b->size - b->used) {
		evict(b, b->size);
		memset(half + b->used, 0, b->size - b->used);
		b->wrapped = b->used > 0;
		b->oldest = 0;
		b->used = 0;
	}
	evict(b, b->used + len);
	return half + b->used;
}

void
dv_buf_switch(struct dv_buf *b, struct dv_half *ret)
{
	ret->data = b->half[b->active];
	ret->len = b->used;
	ret->wrapped = 0;
	if (b->wrapped) {
		memset(b->half[b->active] + b->used, 0, b->oldest - b->used);
		ret->len = b->size;
		ret->wrapped = b->oldest;
		b->wrapped = 0;
	}
	b->active ^= 1;
	b->used = 0;
}
