/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pgwalk.c - fuzzes page tables: the input is 8 bytes of address, one of
 * choice, then physical memory.
 */
#include "guest-introspect/gi_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct ram {
	const uint8_t *p;
	size_t len;
};

static int
ram_read(void *arg, dv_gpa_t at, void *buf, size_t len)
{
	struct ram *r = arg;

	/* memory repeats within 1 MB, so that few bytes make many tables */
	if (r->len == 0 || at.v >= 1 << 20 || len > (1 << 20) - at.v)
		return DV_E_GUEST;
	for (size_t i = 0; i < len; i++)
		((uint8_t *)buf)[i] = r->p[(at.v + i) % r->len];
	return 0;
}

static int
take(void *arg, const struct gi_run *run)
{
	uint64_t *last = arg;

	if (run->len == 0 || run->va < *last)
		abort();		/* in order, never empty */
	*last = run->va;
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ram r = { data + 9, size - 9 };
	struct gi_mem mem = { ram_read, &r };
	uint64_t at, left, last = 0;
	unsigned levels;
	dv_gpa_t pa;

	if (size < 10)
		return 0;
	at = gi_u64(data);
	levels = data[8] & 1 ? 5 : 4;
	if (gi_pgwalk(&mem, DV_GPA((uint64_t)(data[8] & 0xf0) << 8), levels, DV_GVA(at), &pa,
	    &left) == 0 && (left == 0 || left > 1ull << 30))
		abort();
	at &= ~0xfffull;
	if (at < ~0ull - (64u << 20))
		gi_pgruns(&mem, DV_GPA(0), levels, at, at + (64u << 20), take, &last);
	return 0;
}
