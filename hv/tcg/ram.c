/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ram.c - which guest-physical addresses are RAM, and where they lie in QEMU.
 *
 * Probe context may follow any address that a guest made up, so it must never
 * reach a device: QEMU's own debug reads would. Only this table yields host
 * pointers. It is made from QEMU's flat view of memory and takes
 *
 *   (1) ranges whose memory belongs to a memory backend: no ROM, no PCI
 *	 memory, no graphics RAM, no passed-through device;
 *   (2) of those the machine's base memory only: what can be unplugged may
 *	 go away under a reader, and reads as a fault instead;
 *   (3) ranges that QEMU's DMA mapping, asked independently about the first
 *	 and the last page, places at the same pointers.
 *
 * The BIOS moves the borders of RAM below 1 MiB, so the table is built again
 * whenever a client comes or asks. Readers take no lock: a table never changes
 * and is never freed once published. There is a new one only when the map
 * differs from all tables so far, which ends soon after the BIOS; a guest that
 * plays with its chipset for ever is cut off at RAM_MAXTABLES.
 *
 * A QEMU that does not tell its map (it exports nothing) still tells where the
 * bytes of an instruction lie. Code that runs without paging gives the host
 * address of physical 0; the end of the mapping there, in our own process, is
 * that of RAM. PCs place at least their first 2 GiB in one piece, with a hole
 * for ROM at 0xa0000: that is the table then, if it lays the first block of the
 * kernel where the block really is. RAM beyond that reads as a fault.
 *
 * A guest's store may be under way while we copy: a read is as torn as one by
 * another vCPU of the guest would be.
 */
#include "tcg/ram.h"
#include "tcg/qemu_api.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RAM_MAXTABLES 64
#define RAM_PAGE 4096ull
#define LOW_HIGH 0x100000ull		/* RAM again, above the ROMs */
#define LOW_SURE 0x80000000ull		/* in one piece up to here, at least */
#define CR4_LA57	(1ull << 12)
#define PTE_PRESENT	1ull
#define PTE_HUGE	0x80ull
#define PTE_ADDR	0xffffffffff000ull

static struct dv_ram ram_empty;
static const struct dv_ram *ram_now = &ram_empty;	/* atomic */
/* RAM_MAXTABLES at most. With a map the service thread's, else under guess_lock. */
static struct dv_ram *ram_all;
static unsigned ram_ntables;
static pthread_mutex_t guess_lock = PTHREAD_MUTEX_INITIALIZER;

struct build {
	const struct qemu_int *q;
	struct dv_ram *t;
	const void *mr[DV_RAM_MAXRANGE];
	unsigned nmr;
	uint64_t base, taken;		/* bytes of base memory; of mr[] */
	bool overflow;
};

static bool
region_is_base(struct build *b, const void *mr)
{
	const struct qemu_int *q = b->q;
	void *owner = q->mr_owner(mr);
	uint64_t size;
	unsigned i;

	for (i = 0; i < b->nmr; i++)
		if (b->mr[i] == mr)
			return true;
	if (owner == NULL || q->mr_ram_addr(mr) == ~0ull ||
	    q->mr_is_device(mr) ||
	    q->dynamic_cast(owner, "memory-backend") == NULL)
		return false;
	size = q->mr_size(mr);
	if (size > b->base - b->taken || b->nmr == DV_RAM_MAXRANGE)
		return false;
	b->taken += size;
	b->mr[b->nmr++] = mr;
	return true;
}

static bool
take_range(__int128 start, __int128 len, const void *mr, uint64_t offset,
	   void *opaque)
{
	struct build *b = opaque;
	struct dv_ram *t = b->t;
	struct dv_ram_range *last = t->n != 0 ? &t->range[t->n - 1] : NULL;
	uint64_t gpa = (uint64_t)start, n = (uint64_t)len;
	uint8_t *host;

	if ((start >> 64) != 0 || (len >> 64) != 0 || n == 0 ||
	    gpa + n - 1 < gpa || !region_is_base(b, mr))
		return false;
	if (offset > b->q->mr_size(mr) || n > b->q->mr_size(mr) - offset)
		return false;
	host = b->q->mr_ptr(mr);
	if (host == NULL)
		return false;
	host += offset;
	if (last != NULL && last->gpa + last->len == gpa &&
	    last->host + last->len == host) {
		last->len += n;		/* as RAM and its write-protected shadow */
	} else if (t->n == DV_RAM_MAXRANGE) {
		b->overflow = true;
		return true;
	} else {
		t->range[t->n++] = (struct dv_ram_range){ gpa, n, host };
	}
	t->bytes += n;
	return false;
}

/* Does QEMU's own DMA mapping agree about one page? */
static bool
page_agrees(const struct qemu_int *q, uint64_t gpa, const uint8_t *host)
{
	uint64_t len = 1;
	void *p;
	bool same;

	if (q->is_io(gpa))
		return false;
	p = q->map(gpa, &len, false);
	same = p == host && len == 1;
	if (p != NULL)
		q->unmap(p, len, false, 0);
	return same;
}

/* A table is complete: others may read it from now on. */
static void
publish(struct dv_ram *t)
{
	unsigned i;

	for (i = 0; i < t->n; i++)
		if (t->range[i].len > t->main.len)
			t->main = (struct dv_ramwin){ t->range[i].gpa, t->range[i].len,
						      t->range[i].host };
	t->next = ram_all;
	ram_all = t;
	__atomic_store_n(&ram_now, t, __ATOMIC_RELEASE);
}

static bool
tables_equal(const struct dv_ram *a, const struct dv_ram *b)
{
	return a->n == b->n && memcmp(a->range, b->range,
				      a->n * sizeof(a->range[0])) == 0;
}

int
dv_ram_build(const struct qemu_int *q, char *why, size_t len)
{
	struct build b = { .q = q };
	struct qemu_memory *m;
	struct dv_ram *t;
	void *fv;
	unsigned i;

	if (!qemu_int_has_map(q)) {	/* dv_ram_guess then */
		if (dv_ram_get()->n != 0)
			return 0;
		snprintf(why, len, "the guest's RAM is not known yet");
		return -1;
	}
	if (qemu_plugin_num_vcpus() <= 0) {	/* there may be no machine */
		snprintf(why, len, "the guest has no vCPU yet");
		return -1;
	}
	m = q->memory_size(NULL);
	if (m == NULL) {
		snprintf(why, len, "QEMU does not tell the size of the guest's memory");
		return -1;
	}
	b.base = m->base_memory;
	q->free_memory(m);
	t = b.t = calloc(1, sizeof(*t));
	if (t == NULL) {
		snprintf(why, len, "out of memory");
		return -1;
	}
	fv = q->get_flatview(q->memory);
	q->each_range(fv, take_range, &b);
	q->unref_flatview(fv);
	for (i = 0; i < t->n; i++) {
		const struct dv_ram_range *r = &t->range[i];
		uint64_t last = (r->len - 1) & ~(RAM_PAGE - 1);

		if (page_agrees(q, r->gpa, r->host) &&
		    page_agrees(q, r->gpa + last, r->host + last))
			continue;
		t->bytes -= r->len;
		memmove(&t->range[i], &t->range[i + 1],
			(t->n - i - 1) * sizeof(t->range[0]));
		t->n--;
		i--;
	}
	if (b.overflow || t->n == 0) {
		snprintf(why, len, b.overflow ?
			 "the guest's RAM is in more than %u pieces" :
			 "the guest has no RAM yet", DV_RAM_MAXRANGE);
		free(t);
		return -1;
	}
	for (struct dv_ram *o = ram_all; o != NULL; o = o->next) {
		if (tables_equal(o, t)) {
			free(t);
			__atomic_store_n(&ram_now, o, __ATOMIC_RELEASE);
			return 0;
		}
	}
	if (ram_ntables == RAM_MAXTABLES) {
		free(t);
		snprintf(why, len, "the guest's memory map changes too often");
		return -1;
	}
	ram_ntables++;
	publish(t);
	return 0;
}

const struct dv_ram *
dv_ram_get(void)
{
	return __atomic_load_n(&ram_now, __ATOMIC_ACQUIRE);
}

/* Bytes at hand from gpa on, at most len, and where; 0 if it is not RAM. */
static size_t
ram_find(const struct dv_ram *t, uint64_t gpa, size_t len, uint8_t **ret)
{
	unsigned lo = 0, hi = t->n;

	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;
		const struct dv_ram_range *r = &t->range[mid];

		if (gpa < r->gpa) {
			hi = mid;
		} else if (gpa - r->gpa >= r->len) {
			lo = mid + 1;
		} else {
			uint64_t left = r->len - (gpa - r->gpa);

			*ret = r->host + (gpa - r->gpa);
			return left < len ? left : len;
		}
	}
	return 0;
}

int
dv_ram_walk(const struct dv_ram *t, uint64_t cr3, uint64_t cr4, uint64_t va,
	    uint64_t *gpa)
{
	uint64_t e = cr3;
	uint8_t *p;

	for (int level = cr4 & CR4_LA57 ? 4 : 3; level >= 0; level--) {
		unsigned shift = 12 + 9 * (unsigned)level;
		uint64_t index = (va >> shift) & 511, mask = (1ull << shift) - 1;

		if (ram_find(t, (e & PTE_ADDR) + 8 * index, sizeof(e), &p) != sizeof(e))
			return -1;
		memcpy(&e, p, sizeof(e));
		if ((e & PTE_PRESENT) == 0)
			return -1;
		if (level == 0 || (level < 3 && (e & PTE_HUGE) != 0)) {
			*gpa = (e & PTE_ADDR & ~mask) | (va & mask);
			return 0;
		}
	}
	return -1;
}

/* Length of this process' writable mapping that begins at base, or 0. */
static uint64_t
mapping_length(const uint8_t *base)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long start, end;
	uint64_t len = 0;
	char line[512], mode[5];

	if (f == NULL)
		return 0;
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "%lx-%lx %4s", &start, &end, mode) == 3 &&
		    start == (unsigned long)(uintptr_t)base && mode[1] == 'w')
			len = end - start;
	fclose(f);
	return len;
}

void
dv_ram_guess(uint8_t *base, uint64_t cr3, uint64_t cr4, uint64_t va,
	     const uint8_t *host)
{
	struct dv_ram *t = calloc(1, sizeof(*t));
	uint64_t len = mapping_length(base), gpa;
	uint8_t *p;

	if (t == NULL)
		return;
	if (len > LOW_SURE)
		len = LOW_SURE;
	if (len > LOW_HIGH) {
		t->n = 2;
		t->range[0] = (struct dv_ram_range){ 0, DV_RAM_LOWEND, base };
		t->range[1] = (struct dv_ram_range){ LOW_HIGH, len - LOW_HIGH,
						     base + LOW_HIGH };
		t->bytes = DV_RAM_LOWEND + len - LOW_HIGH;
	}
	pthread_mutex_lock(&guess_lock);
	if (t->n == 0 || dv_ram_walk(t, cr3, cr4, va, &gpa) != 0 ||
	    ram_find(t, gpa, 1, &p) != 1 || p != host || ram_ntables == RAM_MAXTABLES ||
	    (ram_all != NULL && tables_equal(ram_all, t))) {
		free(t);
	} else {
		publish(t);
		ram_ntables++;
	}
	pthread_mutex_unlock(&guess_lock);
}

int
dv_ram_read(uint64_t gpa, void *buf, size_t len)
{
	const struct dv_ram *t = dv_ram_get();
	uint8_t *p;

	while (len != 0) {
		size_t n = ram_find(t, gpa, len, &p);

		if (n == 0)
			return -1;
		memcpy(buf, p, n);
		buf = (uint8_t *)buf + n;
		gpa += n;
		len -= n;
	}
	return 0;
}

int
dv_ram_write(const struct qemu_int *q, uint64_t gpa, const void *buf, size_t len)
{
	const struct dv_ram *t = dv_ram_get();
	uint8_t *p;

	/* our table decides: QEMU would write to a device, too */
	if (ram_find(t, gpa, len, &p) != len)
		return -1;
	q->rw(gpa, (void *)(uintptr_t)buf, len, true);
	return 0;
}
