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
 */
#include "buf.h"

void
dv_buf_init(struct dv_buf *b, uint8_t *half0, uint8_t *half1, uint64_t size)
{
	memset(b, 0, sizeof(*b));
	b->half[0] = half0;
	b->half[1] = half1;
	b->size = size & ~(uint64_t)7;
}

void
dv_buf_switch(struct dv_buf *b, struct dv_half *ret)
{
	ret->data = b->half[b->active];
	ret->len = b->used;
	b->active ^= 1;
	b->used = 0;
}
