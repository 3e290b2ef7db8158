/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * destr.c - what changes the guest.
 *
 * copyout() stores where the process itself could have stored at this moment
 * without the kernel's noticing, and nowhere else: to pages that its tables
 * map present, for user mode and writable at every level, and that were
 * written to before (dirty). A page that is read-only, copied on write, not
 * there yet, shared with a shadow stack or under a protection key would need
 * the kernel's page fault, so it is a fault here: `invalid address`. All
 * pages are looked at before the first byte is written.
 *
 * Why a page cannot go away between the look and the store: a kernel that takes
 * a mapping away waits until all CPUs that may use it have flushed it, and this
 * CPU, which runs the process, answers when the hit is over. A guest that does
 * not do so harms itself alone: what is written to is the guest's RAM.
 *
 * The other three take effect when the hit is over (fire.c), as they take time:
 * delay for chill(), halt for panic() and breakpoint(). chill() is limited as
 * D says, to half of each second and CPU. Limits are kept by this machine's
 * clock: an interval begins with the first chill() after the last one's end.
 */
#include "destr.h"

#include "ecb.h"
#include "load.h"
#include "state_impl.h"

#define CHILL_INTERVAL	1000000000ull
#define CHILL_MAX	500000000ull

#define PAGE		4096u
#define PTE_PRESENT	1ull
#define PTE_WRITE	2ull
#define PTE_USER	4ull
#define PTE_DIRTY	0x40ull
#define PTE_LARGE	0x80ull
#define PTE_KEY		(15ull << 59)
#define PTE_ADDR	0x000ffffffffff000ull
#define PTE_ALL		(PTE_PRESENT | PTE_WRITE | PTE_USER)

/* Physical address of a user page that may be written to. */
static int
writable_page(struct dv_mstate *ms, uint64_t page, uint64_t *ret)
{
	const struct dv_state *s = ms->s;
	unsigned shift = 12 + 9 * (s->lay->pt_levels - 1);
	uint64_t table, pte, mask;

	if (dv_user_root(ms, &table) != 0)
		return -1;
	for (;; shift -= 9) {			/* 4 or 5 times */
		if (s->c.read_phys(ms->ctx,
		    DV_GPA((table & PTE_ADDR) + ((page >> shift) & 511) * 8),
		    &pte, sizeof(pte)) != 0 || (pte & PTE_ALL) != PTE_ALL)
			return -1;
		if (shift == 12 || (shift <= 30 && (pte & PTE_LARGE) != 0))
			break;
		table = pte;
	}
	if ((pte & PTE_DIRTY) == 0 || (pte & PTE_KEY) != 0)
		return -1;
	mask = ((uint64_t)1 << shift) - 1;
	*ret = (pte & PTE_ADDR & ~mask) | (page & mask);
	return 0;
}

/* `from` is tracer memory. */
static int
store_user(struct dv_mstate *ms, uint64_t to, const uint8_t *from, uint64_t len)
{
	uint64_t at, n, pa;
	unsigned pass;

	if (ms->s->lay == NULL || to >= ms->s->user_end || len > ms->s->user_end - to)
		goto bad;
	for (pass = 0; pass < 2; pass++) {
		for (at = 0; at < len; at += n) {	/* once per page */
			n = PAGE - ((to + at) & (PAGE - 1));
			if (n > len - at)
				n = len - at;
			if (writable_page(ms, (to + at) & ~(uint64_t)(PAGE - 1), &pa) != 0)
				goto bad;
			pa += (to + at) & (PAGE - 1);
			if (pass == 1 &&
			    ms->s->c.write_phys(ms->ctx, DV_GPA(pa), from + at, n) != 0)
				goto bad;
		}
	}
	return 0;
bad:
	ms->fault = 0;			/* of a look-up on the way */
	dv_fault(ms, DV_FAULT_BADADDR, to);
	return -1;
}

void
dv_destr_copyout(struct dv_mstate *ms, uint64_t src, uint64_t to, uint64_t len)
{
	struct dv_region *scratch = &ms->region[DV_RG_SCRATCH];
	uint64_t kept = scratch->len, addr;
	const uint8_t *from = dv_tmem(ms, src, len, false);
	uint8_t *copy;

	if (from == NULL) {			/* the guest's: copied once, then written */
		copy = dv_scratch(ms, len, &addr);
		if (copy == NULL || dv_load(ms, src, copy, len, DV_KERNEL) != 0)
			return;
		from = copy;
	}
	(void)store_user(ms, to, from, len);
	scratch->len = kept;
}

void
dv_destr_copyoutstr(struct dv_mstate *ms, uint64_t src, uint64_t to, uint64_t max)
{
	const char *from;
	uint8_t *copy = ms->cpu->tmp[1];
	size_t len;

	from = dv_str_view(ms, src, 0, &len);
	if (from == NULL)
		return;
	/* it may lie where another CPU changes it, and lose its NUL */
	memcpy(copy, from, len);
	copy[len++] = '\0';
	(void)store_user(ms, to, copy, len < max ? len : max);
}

int
dv_destr_chill(struct dv_mstate *ms, uint64_t ns)
{
	struct dv_cpu *cpu = ms->cpu;
	uint64_t now = dv_now(ms);

	if (now - cpu->chill_since >= CHILL_INTERVAL) {
		cpu->chill_since = now;
		cpu->chilled = 0;
	}
	if (ns > CHILL_MAX - cpu->chilled) {
		dv_fault(ms, DV_FAULT_ILLOP, 0);
		return -1;
	}
	cpu->chilled += ns;
	ms->delay += ns;
	return 0;
}

void
dv_destr_halt(struct dv_mstate *ms, uint32_t action)
{
	struct dv_state *s = ms->s;

	dv_store_rel64(&s->last_halt, (uint64_t)action << 32 | ms->epid);
	dv_add32(&s->halts, 1);
	ms->halt = 1;
	if (action == DV_ACT_PANIC)
		dv_ecb_exit(s, 1);
}
