/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.c - finds the running kernel in a guest, and reads its memory.
 *
 * Start: an address in the kernel's text (one that was executed, the syscall
 * entry in LSTAR, or the page-fault handler in the IDT) and a page-table root.
 * The image is mapped from `_text` (2 MB aligned) up; below it nothing is, so
 * stepping down 2 MB while mapped ends at `_text`, wherever KASLR put it. This
 * holds from the first instruction at a high address on (arch/x86/kernel/
 * head64.c, __startup_64, clears what does not belong to the image). Inside
 * the image there may be holes: freed parts of init and rodata.
 *
 * The root: with page-table isolation the CR3 at hand may be the user's, which
 * maps little; the kernel's is the page before it (cr3 & ~0x1000). Both are
 * tried. Once symbols are known all reads go through init_mm's root, which
 * maps all kernel memory and no user memory; in early boot it is not filled
 * yet, then the root that worked is used until it is.
 *
 * What identifies a build: the GNU build id in .notes. The image holds other
 * notes of that kind, in the vDSO images; those lie within an ELF file that
 * starts on a page boundary not far before.
 */
#include "func.h"

#include <inttypes.h>
#include <stdio.h>

#define STEP		0x200000ull
#define MAX_HOLE	(32u << 20)	/* unmapped bytes inside an image */
#define MAX_RUNS	65536u

/* ---- the image ---- */

struct collect {
	struct gi_kernel *k;
	DV_VEC(struct gi_run) runs;
};

static int
collect_run(void *arg, const struct gi_run *run)
{
	struct collect *c = arg;
	uint64_t end = c->runs.n == 0 ? c->k->base :
	    c->runs.v[c->runs.n - 1].va + c->runs.v[c->runs.n - 1].len;

	if (run->va - end > MAX_HOLE)
		return 1;
	if (c->runs.n == MAX_RUNS)
		return 1;
	return dv_vec_push(&c->runs, *run) != 0 ? DV_E_NOMEM : 0;
}

/* Sets base, end, runs for a code address and the root in k. */
static int
measure_image(struct gi_kernel *k, uint64_t code, struct dv_err *err)
{
	struct collect c = { .k = k };
	uint64_t base = code & ~(STEP - 1), limit;
	dv_gpa_t pa;
	int rc;

	while (base > GI_KERNEL_LOW &&
	    gi_pgwalk(&k->mem, k->root, k->levels, DV_GVA(base - STEP), &pa, NULL) == 0)
		base -= STEP;
	k->base = base;
	limit = base + GI_MAX_IMAGE;
	if (limit > GI_KERNEL_HIGH)
		limit = GI_KERNEL_HIGH;
	rc = gi_pgruns(&k->mem, k->root, k->levels, base, limit, collect_run, &c);
	if (rc < 0 || c.runs.n == 0) {
		dv_vec_fini(&c.runs);
		return rc == DV_E_NOMEM ? dv_err_nomem(err) :
		    dv_err_set(err, DV_E_GUEST, "cannot read the page tables of the kernel image");
	}
	free(k->runs);
	k->runs = c.runs.v;
	k->nruns = c.runs.n;
	k->end = k->runs[k->nruns - 1].va + k->runs[k->nruns - 1].len;
	return 0;
}

/* Reads what of [va, va + len) is mapped; the rest stays as it is in buf. */
static void
read_image(const struct gi_kernel *k, uint64_t va, uint8_t *buf, size_t len)
{
	size_t i;

	for (i = 0; i < k->nruns; i++) {
		const struct gi_run *r = &k->runs[i];
		uint64_t a = r->va > va ? r->va : va;
		uint64_t b = r->va + r->len < va + len ? r->va + r->len : va + len, n;

		for (; a < b; a += n) {		/* pieces, so that one bad page costs little */
			n = b - a < (1u << 20) ? b - a : 1u << 20;
			if (k->mem.read(k->mem.arg, DV_GPA(r->pa + (a - r->va)),
			    buf + (a - va), n) != 0)
				memset(buf + (a - va), 0, n);
		}
	}
}

static unsigned
code_addresses(struct gi_kernel *k, const struct gi_cpu *c, uint64_t *at)
{
	unsigned n = 0;
	uint8_t gate[16];
	dv_gpa_t pa;

	if (c->kernel_rip >= GI_KERNEL_LOW && c->kernel_rip < GI_KERNEL_HIGH)
		at[n++] = c->kernel_rip;
	if (c->lstar >= GI_KERNEL_LOW && c->lstar < GI_KERNEL_HIGH)
		at[n++] = c->lstar;
	if (c->idt_base != 0 && gi_pgwalk(&k->mem, k->root, k->levels,
	    DV_GVA(c->idt_base + 16 * 14), &pa, NULL) == 0 &&
	    k->mem.read(k->mem.arg, pa, gate, sizeof(gate)) == 0) {
		uint64_t a = gi_u16(gate) | (uint64_t)gi_u16(gate + 6) << 16 |
		    (uint64_t)gi_u32(gate + 8) << 32;

		if (a >= GI_KERNEL_LOW && a < GI_KERNEL_HIGH)
			at[n++] = a;
	}
	return n;
}

int
gi_findimage(struct gi_kernel *k, const struct gi_cpu *cpus, unsigned ncpu,
    int (*fn)(struct gi_kernel *k, struct dv_err *err), struct dv_err *err)
{
	unsigned i, j, c, naddr = 0, nmapped = 0;
	uint64_t seen[8];
	unsigned nseen = 0, s;
	struct dv_err last = { 0 };

	for (i = 0; i < ncpu; i++) {
		for (j = 0; j < 2; j++) {
			uint64_t at[3];
			unsigned n;

			/* the kernel's half of a pair first; then as it is */
			if (j == 1 && (cpus[i].cr3 & 0x1000) == 0)
				break;
			k->root = DV_GPA(cpus[i].cr3 & (j == 0 ? 0x000fffffffffe000ull :
			    0x000ffffffffff000ull));
			k->levels = (cpus[i].cr4 & 0x1000) != 0 ? 5 : 4;
			n = code_addresses(k, &cpus[i], at);
			naddr += n;
			for (c = 0; c < n; c++) {
				dv_gpa_t pa;

				if (gi_pgwalk(&k->mem, k->root, k->levels, DV_GVA(at[c]),
				    &pa, NULL) != 0)
					continue;
				nmapped++;
				if (measure_image(k, at[c], &last) != 0)
					continue;
				/* one image is looked at once; a hostile guest
				 * may offer few others */
				for (s = 0; s < nseen && seen[s] != k->runs[0].pa; s++)
					;
				if (s < nseen)
					continue;
				if (nseen == 8)
					goto none;
				seen[nseen++] = k->runs[0].pa;
				k->cpu0 = cpus[i];
				if (fn(k, &last) == 0)
					return 0;
				if (last.code == DV_E_NOMEM)
					return dv_err_nomem(err);
			}
		}
	}
none:
	if (naddr == 0)
		return dv_err_set(err, DV_E_NOENT, "no Linux kernel found: "
		    "no vCPU has a kernel address in rip, LSTAR or its IDT yet");
	if (nmapped == 0)
		return dv_err_set(err, DV_E_NOENT, "no Linux kernel found: "
		    "no kernel address of %u is mapped by the page tables at hand", naddr);
	return dv_err_set(err, DV_E_NOENT, "no Linux kernel found: at 0x%" PRIx64 ": %s",
	    k->base, last.text);
}

/* ---- build id ---- */

/* Bytes of the ELF64 file that starts at p, by its section headers. */
static size_t
elf_len(const uint8_t *p)
{
	uint64_t shoff = gi_u64(p + 0x28);

	if (memcmp(p, "\177ELF", 4) != 0)
		return 0;
	if (p[4] == 1)			/* ELF32: the vDSO of 32-bit programs */
		return gi_u32(p + 0x20) + (size_t)gi_u16(p + 0x2e) * gi_u16(p + 0x30);
	return shoff > 0x100000 ? 0 :
	    shoff + (size_t)gi_u16(p + 0x3a) * gi_u16(p + 0x3c);
}

static bool
note_in_elf(const uint8_t *img, size_t at)
{
	size_t page = at & ~(size_t)4095;
	unsigned i;

	for (i = 0; i < 16; i++, page -= 4096) {
		if (elf_len(img + page) > at - page)
			return true;
		if (page == 0)
			break;
	}
	return false;
}

/* Looks at [from, to) of an image that is filled up to `to`. */
static bool
find_note(const uint8_t *img, size_t from, size_t to, char *id, uint64_t *where)
{
	size_t at, i;

	for (at = from & ~(size_t)3; at + 16 + 32 <= to; at += 4) {
		uint32_t n;

		if (gi_u32(img + at) != 4 || gi_u32(img + at + 8) != 3 ||
		    memcmp(img + at + 12, "GNU", 4) != 0)
			continue;
		n = gi_u32(img + at + 4);
		if (n < 8 || n > 32 || note_in_elf(img, at))
			continue;
		for (i = 0; i < n; i++)
			snprintf(id + 2 * i, 3, "%02x", img[at + 16 + i]);
		*where = at;
		return true;
	}
	return false;
}

static void
id_of_banner(const uint8_t *img, size_t len, char *id)
{
	static const char what[] = "Linux version ";
	const uint8_t *p = memmem(img, len, what, sizeof(what) - 1);
	uint64_t h = 0xcbf29ce484222325ull;
	size_t i;

	for (i = 0; p != NULL && p + i < img + len && p[i] != 0 && i < 512; i++)
		h = (h ^ p[i]) * 0x100000001b3ull;
	snprintf(id, 65, "banner%016" PRIx64 "%08zx", h, len >> 12);
}

/* Is the note where this build of the kernel has it? That costs one small read. */
static bool
note_again(struct gi_kernel *k)
{
	uint64_t at = k->note & ~(uint64_t)3, where;
	uint8_t buf[48] = { 0 };

	if (k->note == 0 || k->note > k->end - k->base - sizeof(buf))
		return false;
	read_image(k, k->base + at, buf, sizeof(buf));
	return find_note(buf, 0, sizeof(buf), k->id, &where) && where == 0;
}

int
gi_image_id(struct gi_kernel *k, struct dv_err *err)
{
	size_t len = k->end - k->base, at, n;
	uint8_t *img;

	if (note_again(k))
		return 0;
	if ((img = calloc(1, len)) == NULL)
		return dv_err_nomem(err);
	k->id[0] = 0;
	for (at = 0; at < len && k->id[0] == 0; at += n) {
		n = len - at < STEP ? len - at : STEP;
		read_image(k, k->base + at, img + at, n);
		if (!find_note(img, at < 64 ? 0 : at - 64, at + n, k->id, &k->note))
			k->id[0] = 0;
	}
	if (k->id[0] == 0)
		id_of_banner(img, len, k->id);
	free(img);
	return 0;
}

int
gi_kernel_probe_id(const struct gi_mem *mem, const struct gi_cpu *cpus, unsigned ncpu,
    struct dv_err *err, char *ret, uint64_t *base)
{
	struct gi_kernel k = { .mem = *mem, .live = true };
	int rc;

	rc = gi_findimage(&k, cpus, ncpu, gi_image_id, err);
	free(k.runs);
	if (rc != 0)
		return rc;
	memcpy(ret, k.id, sizeof(k.id));
	if (base != NULL)
		*base = k.base;
	return 0;
}

/* ---- open ---- */

static const uint8_t empty_btf[25] = { 0x9f, 0xeb, 1, 0, 24, [20] = 1 };

static int
open_btf(struct gi_kernel *k, const uint8_t *img, size_t len, struct dv_err *err)
{
	uint64_t a = gi_addr(k, "__start_BTF"), b = gi_addr(k, "__stop_BTF");

	if (a == 0 || b <= a)		/* a kernel without: untyped, no layout */
		return gi_btf_open(empty_btf, sizeof(empty_btf), err, &k->btf);
	if (a < k->base || b - k->base > len)
		return dv_err_set(err, DV_E_FORMAT, "BTF is outside of the kernel image");
	return gi_btf_open(img + (a - k->base), b - a, err, &k->btf);
}

static void
find_release(struct gi_kernel *k, const uint8_t *img, size_t len)
{
	static const char what[] = "Linux version ";
	uint64_t a = gi_addr(k, "linux_banner");
	size_t i, at;

	k->release[0] = 0;
	if (a < k->base || a - k->base >= len)
		return;
	at = a - k->base;
	if (len - at < 128 || memcmp(img + at, what, sizeof(what) - 1) != 0)
		return;
	at += sizeof(what) - 1;
	for (i = 0; i < 64 && img[at + i] > ' ' && img[at + i] < 127; i++)
		k->release[i] = (char)img[at + i];
	k->release[i] = 0;
}

/* From the root that worked to init_mm's, if that maps the image already. */
void
gi_prefer_init_root(struct gi_kernel *k)
{
	uint64_t pgd = gi_addr(k, "init_top_pgt"), saved = k->root.v;
	dv_gpa_t root, at;

	if (pgd == 0)
		pgd = gi_addr(k, "swapper_pg_dir");
	if (pgd == 0 || gi_pgwalk(&k->mem, k->root, k->levels, DV_GVA(pgd), &root, NULL) != 0)
		return;
	if (gi_pgwalk(&k->mem, root, k->levels, DV_GVA(k->base), &at, NULL) == 0 &&
	    at.v == k->runs[0].pa)
		k->root = root;
	else
		k->root = DV_GPA(saved);
}

static int
open_image(struct gi_kernel *k, struct dv_err *err)
{
	size_t len = k->end - k->base;
	uint8_t *img = calloc(1, len);
	int rc;

	if (img == NULL)
		return dv_err_nomem(err);
	read_image(k, k->base, img, len);
	if ((rc = gi_ksyms_decode(img, len, k->base, err, &k->syms)) != 0)
		goto out;
	if ((rc = open_btf(k, img, len, err)) != 0) {
		gi_ksyms_free(k->syms);
		k->syms = NULL;
		goto out;
	}
	find_release(k, img, len);
	if (!find_note(img, 0, len, k->id, &k->note))
		id_of_banner(img, len, k->id);
	gi_prefer_init_root(k);
out:
	free(img);
	return rc;
}

int
gi_kernel_open(const struct gi_mem *mem, const struct gi_cpu *cpus, unsigned ncpu,
    struct dv_err *err, struct gi_kernel **ret)
{
	struct gi_kernel *k = calloc(1, sizeof(*k));
	int rc;

	if (k == NULL)
		return dv_err_nomem(err);
	k->mem = *mem;
	k->live = true;
	if ((k->arena = dv_arena_create()) == NULL || (k->tytext = dv_map_create()) == NULL) {
		gi_kernel_close(k);
		return dv_err_nomem(err);
	}
	if ((rc = gi_findimage(k, cpus, ncpu, open_image, err)) != 0 ||
	    (rc = gi_mods_open(k, err)) != 0) {
		gi_kernel_close(k);
		return rc;
	}
	*ret = k;
	return 0;
}

void
gi_kernel_close(struct gi_kernel *k)
{
	if (k == NULL)
		return;
	gi_probes_free(k->probes);
	gi_text_reset(k);
	gi_users_free(k->users);
	gi_mods_close(k->mods);
	gi_ksyms_free(k->syms);
	gi_btf_close(k->btf);
	dv_map_destroy(k->tytext);
	dv_arena_destroy(k->arena);
	free(k->runs);
	free(k);
}

const char *
gi_kernel_release(const struct gi_kernel *k)
{
	return k->release;
}

/* ---- memory ---- */

static bool
in_image(const struct gi_kernel *k, uint64_t at, dv_gpa_t *pa, uint64_t *left)
{
	size_t i;

	if (at < k->base || at >= k->end)
		return false;
	for (i = 0; i < k->nruns; i++) {
		const struct gi_run *r = &k->runs[i];

		if (at < r->va || at - r->va >= r->len)
			continue;
		*pa = DV_GPA(r->pa + (at - r->va));
		*left = r->len - (at - r->va);
		return true;
	}
	return false;
}

int
gi_read(struct gi_kernel *k, dv_gva_t at, void *buf, size_t len, struct dv_err *err)
{
	uint64_t stop = gi_addr(k, "__init_begin");	/* after it pages come and go */
	uint8_t *p = buf;

	if (!k->live)
		return dv_err_set(err, DV_E_GUEST, "no live guest to read from");
	while (len > 0) {
		uint64_t left, n;
		dv_gpa_t pa;

		if (stop != 0 && at.v < stop && in_image(k, at.v, &pa, &left)) {
			if (left > stop - at.v)
				left = stop - at.v;
		} else if (gi_pgwalk(&k->mem, k->root, k->levels, at, &pa, &left) != 0) {
			return dv_err_set(err, DV_E_GUEST,
			    "guest address 0x%" PRIx64 " is not mapped", at.v);
		}
		n = len < left ? len : left;
		if (k->mem.read(k->mem.arg, pa, p, n) != 0)
			return dv_err_set(err, DV_E_GUEST,
			    "guest address 0x%" PRIx64 " is not RAM", at.v);
		p += n;
		at.v += n;
		len -= n;
	}
	return 0;
}

uint64_t
gi_read_u64(struct gi_kernel *k, uint64_t at, bool *ok)
{
	uint64_t v = 0;

	*ok = gi_read(k, DV_GVA(at), &v, sizeof(v), NULL) == 0;
	return *ok ? v : 0;
}

struct much {
	struct gi_kernel *k;
	uint8_t *buf;
	uint64_t at, end, done;		/* read up to `done` without a gap */
};

static int
much_run(void *arg, const struct gi_run *run)
{
	struct much *m = arg;
	uint64_t a = run->va > m->at ? run->va : m->at;
	uint64_t b = run->va + run->len < m->end ? run->va + run->len : m->end;

	if (a >= b)
		return 0;
	if (a != m->done)
		return 1;			/* unmapped before it */
	if (m->k->mem.read(m->k->mem.arg, DV_GPA(run->pa + (a - run->va)),
	    m->buf + (a - m->at), b - a) != 0)
		return 1;
	m->done = b;
	return 0;
}

size_t
gi_read_much(struct gi_kernel *k, uint64_t at, void *buf, size_t len)
{
	struct much m = { k, buf, at, at + len, at };

	if (!k->live || len == 0 || at + len < at || at + len > 0xfffffffffffff000ull)
		return 0;
	gi_pgruns(&k->mem, k->root, k->levels, at & ~4095ull, (at + len + 4095) & ~4095ull,
	    much_run, &m);
	return m.done - at;
}

/* ---- symbols ---- */

size_t
gi_nsyms(const struct gi_kernel *k)
{
	size_t n = k->syms->n, i;

	for (i = 0; i < gi_nmods(k); i++) {
		const struct gi_ksyms *s = gi_mod_syms(k, &k->mods->v[i]);

		n += s != NULL ? s->n : 0;
	}
	return n;
}

/* A module's symbol ends where the next begins, or the part of memory it is in. */
static void
fill_mod_sym(const struct gi_mod *m, const struct gi_ksym *s, struct gi_sym *ret)
{
	const struct gi_ksyms *t = m->syms;
	uint32_t next = gi_ksyms_above(t, s->addr);
	unsigned i;

	ret->addr = s->addr;
	ret->type = (char)s->type;
	ret->name = t->names + s->name;
	ret->mod = m->name;
	ret->size = 0;
	for (i = 0; i < m->nranges; i++)
		if (s->addr >= m->range[i].start && s->addr - m->range[i].start < m->range[i].size)
			ret->size = m->range[i].start + m->range[i].size - s->addr;
	if (next < t->n && t->v[t->byaddr[next]].addr - s->addr < ret->size)
		ret->size = t->v[t->byaddr[next]].addr - s->addr;
}

static void
fill_sym(const struct gi_kernel *k, const struct gi_ksym *s, struct gi_sym *ret)
{
	const struct gi_ksyms *t = k->syms;
	uint32_t next = gi_ksyms_above(t, s->addr);

	ret->addr = s->addr;
	ret->type = (char)s->type;
	ret->name = t->names + s->name;
	ret->mod = "vmlinux";
	if (next < t->n)
		ret->size = t->v[t->byaddr[next]].addr - s->addr;
	else
		ret->size = s->addr < k->end ? k->end - s->addr : 0;
}

void
gi_sym(const struct gi_kernel *k, size_t i, struct gi_sym *ret)
{
	size_t m;

	if (i < k->syms->n) {
		fill_sym(k, &k->syms->v[i], ret);
		return;
	}
	i -= k->syms->n;
	for (m = 0; m < gi_nmods(k); m++) {
		const struct gi_ksyms *s = gi_mod_syms(k, &k->mods->v[m]);

		if (s != NULL && i < s->n) {
			fill_mod_sym(&k->mods->v[m], &s->v[i], ret);
			return;
		}
		i -= s != NULL ? s->n : 0;
	}
	*ret = (struct gi_sym){ .name = "", .mod = "" };
}

static bool
find_in_mod(const struct gi_kernel *k, struct gi_mod *m, const char *name, struct gi_sym *ret)
{
	const struct gi_ksyms *t = gi_mod_syms(k, m);
	const struct gi_ksym *s = t != NULL ? gi_ksyms_find(t, name) : NULL;

	if (s != NULL)
		fill_mod_sym(m, s, ret);
	return s != NULL;
}

bool
gi_sym_find(const struct gi_kernel *k, const char *mod, const char *name,
    struct gi_sym *ret)
{
	const struct gi_ksym *s;
	struct gi_mod *m;
	size_t i;

	if (mod != NULL && (m = gi_mod_find(k, mod)) != NULL)	/* "unix" may be one */
		return find_in_mod(k, m, name, ret);
	if (mod != NULL && !gi_is_vmlinux(mod))
		return false;
	if ((s = gi_ksyms_find(k->syms, name)) != NULL) {
		fill_sym(k, s, ret);
		return true;
	}
	for (i = 0; mod == NULL && i < gi_nmods(k); i++)
		if (find_in_mod(k, &k->mods->v[i], name, ret))
			return true;
	return false;
}

/* The one to show among those at the highest address that is not above addr. */
static const struct gi_ksym *
best_at(const struct gi_ksyms *t, uint64_t addr)
{
	uint32_t i = gi_ksyms_above(t, addr), best;
	uint64_t at;
	int br;

	if (i == 0)
		return NULL;
	best = t->byaddr[i - 1];
	at = t->v[best].addr;
	br = gi_ksym_rank(t, &t->v[best]);
	for (i--; i > 0 && t->v[t->byaddr[i - 1]].addr == at; i--) {
		uint32_t s = t->byaddr[i - 1];
		int r = gi_ksym_rank(t, &t->v[s]);

		if (r >= br) {		/* ties: the first in table order */
			best = s;
			br = r;
		}
	}
	return &t->v[best];
}

bool
gi_sym_at(const struct gi_kernel *k, uint64_t addr, struct gi_sym *ret)
{
	const struct gi_ksym *s;
	const struct gi_ksyms *t;
	struct gi_mod *m;

	if (addr >= k->base && addr < k->end) {
		if ((s = best_at(k->syms, addr)) == NULL)
			return false;
		fill_sym(k, s, ret);
		return true;
	}
	if ((m = gi_mod_at(k, addr)) == NULL)
		return false;
	if ((t = gi_mod_syms(k, m)) != NULL && (s = best_at(t, addr)) != NULL) {
		fill_mod_sym(m, s, ret);
		if (addr - ret->addr < ret->size)
			return true;
	}
	/* before the first symbol of that part: the module is known */
	*ret = (struct gi_sym){ .addr = addr, .type = 't', .name = "", .mod = m->name };
	return true;
}

uint64_t
gi_addr(const struct gi_kernel *k, const char *name)
{
	const struct gi_ksym *s = gi_ksyms_find(k->syms, name);

	return s == NULL ? 0 : s->addr;
}
