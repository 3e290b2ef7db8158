/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elfsyms.c - function symbols of an ELF file of which parts may be missing.
 *
 * The file is a guest's, read out of its page cache: any page may read as zeros,
 * and all of it may be forged. So nothing is followed that does not fit, tables
 * are capped, and a symbol holds an address only if its own size says so: where
 * pages of the table are missing, the symbol before the gap must not answer for
 * those in it.
 *
 * The table is .symtab if its bytes are there, else .dynsym, both by section
 * headers. These are at the end of a file and may be missing when the rest is
 * not: then the dynamic section tells where .dynsym is, as it tells the loader.
 */
#include "user.h"

#include <elf.h>

#define MAXPHDR		64u
#define MAXSHDR		4096u
#define MAXTABLE	(8u << 20)	/* bytes */
#define MAXSTRS		(16u << 20)

struct func { uint64_t addr, size; uint32_t name; };

struct gi_elfsyms {
	struct { uint64_t off, addr, size; } seg[MAXPHDR];
	uint32_t nseg;
	struct func *v;			/* by address */
	size_t n;
	char *strs;
	size_t strs_len;
};

typedef bool read_fn(void *arg, uint64_t off, void *buf, size_t len);

static int
func_cmp(const void *a, const void *b)
{
	const struct func *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->size < y->size ? -1 : x->size > y->size;
}

/* Functions of a table of `len` bytes; false: there are none. */
static bool
take_table(struct gi_elfsyms *s, read_fn *read, void *arg, uint64_t tab, uint64_t len,
    uint64_t strs, uint64_t strs_len)
{
	Elf64_Sym *sym;
	size_t i, n, k = 0;

	n = len > MAXTABLE ? MAXTABLE / sizeof(*sym) : len / sizeof(*sym);
	if (strs_len > MAXSTRS)
		strs_len = MAXSTRS;
	if (n == 0 || strs_len == 0 || (sym = malloc(n * sizeof(*sym))) == NULL)
		return false;
	s->v = calloc(n, sizeof(*s->v));
	s->strs = calloc(1, strs_len + 1);
	if (s->v != NULL && s->strs != NULL && read(arg, tab, sym, n * sizeof(*sym)) &&
	    read(arg, strs, s->strs, strs_len)) {
		s->strs_len = strs_len;
		for (i = 0; i < n; i++) {
			unsigned type = ELF64_ST_TYPE(sym[i].st_info);

			if ((type == STT_FUNC || type == STT_GNU_IFUNC) && sym[i].st_value != 0 &&
			    sym[i].st_shndx != SHN_UNDEF && sym[i].st_size != 0 &&
			    sym[i].st_name < strs_len && s->strs[sym[i].st_name] != 0)
				s->v[k++] = (struct func){ sym[i].st_value, sym[i].st_size,
				    sym[i].st_name };
		}
	}
	free(sym);
	s->n = k;
	if (k != 0) {
		qsort(s->v, k, sizeof(*s->v), func_cmp);
		return true;
	}
	free(s->v);
	free(s->strs);
	s->v = NULL;
	s->strs = NULL;
	return false;
}

/* By section headers; `type`: which table. A file has one of each: others are not looked at. */
static bool
by_sections(struct gi_elfsyms *s, read_fn *read, void *arg, const Elf64_Ehdr *h, uint32_t type)
{
	uint32_t n = h->e_shnum < MAXSHDR ? h->e_shnum : MAXSHDR, i;
	Elf64_Shdr *sh;
	bool ok = false;

	if (n == 0 || h->e_shentsize != sizeof(*sh) || (sh = calloc(n, sizeof(*sh))) == NULL)
		return false;
	if (read(arg, h->e_shoff, sh, n * sizeof(*sh)))
		for (i = 0; i < n; i++)
			if (sh[i].sh_type == type && sh[i].sh_link < n) {
				ok = take_table(s, read, arg, sh[i].sh_offset, sh[i].sh_size,
				    sh[sh[i].sh_link].sh_offset, sh[sh[i].sh_link].sh_size);
				break;
			}
	free(sh);
	return ok;
}

/* Offset in the file of an address; ~0: none. */
static uint64_t
file_off(const struct gi_elfsyms *s, uint64_t addr)
{
	uint32_t i;

	for (i = 0; i < s->nseg; i++)
		if (addr - s->seg[i].addr < s->seg[i].size)
			return addr - s->seg[i].addr + s->seg[i].off;
	return ~(uint64_t)0;
}

static bool
by_dynamic(struct gi_elfsyms *s, read_fn *read, void *arg, const Elf64_Phdr *ph, uint32_t n)
{
	uint64_t tab = 0, strs = 0, len = 0, toff, soff;
	Elf64_Dyn dyn[128];
	uint32_t i, j;

	for (i = 0; i < n && ph[i].p_type != PT_DYNAMIC; i++)
		;
	if (i == n || !read(arg, ph[i].p_offset, dyn, sizeof(dyn)))
		return false;
	for (j = 0; j < 128 && j < ph[i].p_filesz / sizeof(*dyn) && dyn[j].d_tag != DT_NULL; j++) {
		if (dyn[j].d_tag == DT_SYMTAB)
			tab = dyn[j].d_un.d_ptr;
		else if (dyn[j].d_tag == DT_STRTAB)
			strs = dyn[j].d_un.d_ptr;
		else if (dyn[j].d_tag == DT_STRSZ)
			len = dyn[j].d_un.d_val;
	}
	/* its size is in no tag; linkers put the names right after it */
	toff = file_off(s, tab);
	soff = file_off(s, strs);
	return tab != 0 && toff != ~(uint64_t)0 && soff != ~(uint64_t)0 && soff > toff &&
	    take_table(s, read, arg, toff, soff - toff, soff, len);
}

struct gi_elfsyms *
gi_elfsyms_read(read_fn *read, void *arg)
{
	struct gi_elfsyms *s;
	Elf64_Phdr ph[MAXPHDR];
	Elf64_Ehdr h;
	uint32_t i, n;

	if (!read(arg, 0, &h, sizeof(h)) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
	    h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB ||
	    h.e_phentsize != sizeof(*ph) || (s = calloc(1, sizeof(*s))) == NULL)
		return NULL;
	n = h.e_phnum < MAXPHDR ? h.e_phnum : MAXPHDR;
	if (n == 0 || !read(arg, h.e_phoff, ph, n * sizeof(*ph)))
		n = 0;
	for (i = 0; i < n; i++)
		if (ph[i].p_type == PT_LOAD) {
			s->seg[s->nseg].off = ph[i].p_offset;
			s->seg[s->nseg].addr = ph[i].p_vaddr;
			s->seg[s->nseg++].size = ph[i].p_filesz;
		}
	if (by_sections(s, read, arg, &h, SHT_SYMTAB) ||
	    by_sections(s, read, arg, &h, SHT_DYNSYM) || by_dynamic(s, read, arg, ph, n))
		return s;
	gi_elfsyms_free(s);
	return NULL;
}

void
gi_elfsyms_free(struct gi_elfsyms *s)
{
	if (s == NULL)
		return;
	free(s->v);
	free(s->strs);
	free(s);
}

const char *
gi_elfsyms_find(const struct gi_elfsyms *s, uint64_t at, uint64_t *off)
{
	uint64_t addr = 0;
	size_t lo = 0, hi = s->n, mid, back;
	uint32_t i;

	for (i = 0; i < s->nseg; i++)
		if (at - s->seg[i].off < s->seg[i].size)
			break;
	if (i == s->nseg)
		return NULL;
	addr = at - s->seg[i].off + s->seg[i].addr;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (s->v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* one inside another may end before it; few are nested */
	for (back = 0; back < 16 && lo > 0; back++, lo--)
		if (addr - s->v[lo - 1].addr < s->v[lo - 1].size) {
			*off = addr - s->v[lo - 1].addr;
			return s->strs + s->v[lo - 1].name;
		}
	return NULL;
}
