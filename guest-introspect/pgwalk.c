/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pgwalk.c - x86-64 page tables, read out of the guest.
 *
 * A table is a page of 512 entries. Level 1 is the last (4 KB pages); an entry
 * of level 2 or 3 with bit 7 maps 2 MB or 1 GB itself. The walk trusts
 * nothing: a table that is not RAM, or an address that is not canonical, is
 * "unmapped". Depth is bounded by the number of levels, so cyclic tables are
 * harmless for one address; for ranges the work is bounded by the range and a
 * budget of tables.
 *
 * Format: Intel SDM volume 3, "Linear-address translation with 4-level paging
 * and 5-level paging"; Linux arch/x86/include/asm/pgtable_types.h.
 */
#include "gi_impl.h"

#define PTE_PRESENT	1ull
#define PTE_LARGE	0x80ull
#define PTE_ADDR	0x000ffffffffff000ull
#define RANGE_TABLES	200000u		/* tables one range may read */

static bool
canonical(uint64_t at, unsigned levels)
{
	unsigned shift = levels == 5 ? 7 : 16;

	return (uint64_t)((int64_t)(at << shift) >> shift) == at;
}

int
gi_pgwalk(const struct gi_mem *mem, dv_gpa_t root, unsigned levels, dv_gva_t at,
    dv_gpa_t *ret, uint64_t *page_left)
{
	uint64_t table = root.v & PTE_ADDR, e, mask;
	unsigned l;

	if ((levels != 4 && levels != 5) || !canonical(at.v, levels))
		return DV_E_GUEST;
	for (l = levels; l >= 1; l--) {
		unsigned shift = 12 + 9 * (l - 1);

		if (mem->read(mem->arg, DV_GPA(table + 8 * ((at.v >> shift) & 511)),
		    &e, sizeof(e)) != 0)
			return DV_E_GUEST;
		if ((e & PTE_PRESENT) == 0)
			return DV_E_GUEST;
		mask = (1ull << shift) - 1;
		if (l == 1 || (l <= 3 && (e & PTE_LARGE) != 0)) {
			*ret = DV_GPA(((e & PTE_ADDR) & ~mask) | (at.v & mask));
			if (page_left != NULL)
				*page_left = mask + 1 - (at.v & mask);
			return 0;
		}
		table = e & PTE_ADDR;
	}
	return DV_E_GUEST;
}

struct range {
	const struct gi_mem *mem;
	uint64_t start, end;
	int (*fn)(void *arg, const struct gi_run *run);
	void *arg;
	struct gi_run run;	/* not yet given to fn */
	unsigned levels, tables;	/* tables: budget left */
};

static int
range_add(struct range *r, uint64_t va, uint64_t pa, uint64_t len)
{
	int rc;

	if (va < r->start) {
		if (r->start - va >= len)
			return 0;
		pa += r->start - va;
		len -= r->start - va;
		va = r->start;
	}
	if (va >= r->end)
		return 0;
	if (len > r->end - va)
		len = r->end - va;
	if (r->run.len != 0 && r->run.va + r->run.len == va &&
	    r->run.pa + r->run.len == pa) {
		r->run.len += len;
		return 0;
	}
	if (r->run.len != 0 && (rc = r->fn(r->arg, &r->run)) != 0)
		return rc;
	r->run = (struct gi_run){ va, pa, len };
	return 0;
}

/* base: the first address that the table maps. Recursion is at most 5 deep. */
static int
range_table(struct range *r, uint64_t table, unsigned l, uint64_t base)
{
	uint64_t e[512], shift = 12 + 9 * (l - 1), size = 1ull << shift, va;
	unsigned i;
	int rc;

	if (r->tables-- == 0)
		return DV_E_GUEST;
	if (r->mem->read(r->mem->arg, DV_GPA(table), e, sizeof(e)) != 0)
		return 0;
	for (i = 0; i < 512; i++) {
		va = base + i * size;
		if (l == r->levels) {	/* the root: sign-extend */
			unsigned up = l == 5 ? 7 : 16;

			va = (uint64_t)((int64_t)(va << up) >> up);
		}
		if (va + (size - 1) < r->start)
			continue;
		if (va >= r->end)
			continue;
		if ((e[i] & PTE_PRESENT) == 0)
			continue;
		if (l == 1 || (l <= 3 && (e[i] & PTE_LARGE) != 0))
			rc = range_add(r, va, (e[i] & PTE_ADDR) & ~(size - 1), size);
		else
			rc = range_table(r, e[i] & PTE_ADDR, l - 1, va);
		if (rc != 0)
			return rc;
	}
	return 0;
}

int
gi_pgruns(const struct gi_mem *mem, dv_gpa_t root, unsigned levels, uint64_t start,
    uint64_t end, int (*fn)(void *arg, const struct gi_run *run), void *arg)
{
	struct range r = { .mem = mem, .start = start, .end = end, .fn = fn, .arg = arg,
	    .levels = levels, .tables = RANGE_TABLES };
	int rc;

	if (levels != 4 && levels != 5)
		return DV_E_GUEST;
	rc = range_table(&r, root.v & PTE_ADDR, levels, 0);
	if (rc == 0 && r.run.len != 0)
		rc = fn(arg, &r.run);
	return rc;
}
