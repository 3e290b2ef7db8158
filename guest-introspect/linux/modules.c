/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modules.c - the kernel modules of a Linux guest: where, which symbols and types.
 *
 * `modules` is a list of struct module, each in the module's own memory. Where
 * the members are, BTF says; two ways to keep the memory's parts exist, and what
 * BTF has decides:
 *
 *	core_layout, init_layout	base, size, text_size	5.10, 6.1
 *	mem[], by enum mod_mem_type	base, size		6.12, 7.3
 *
 * Symbols: struct mod_kallsyms has an ELF symbol table, its strings, and a
 * letter for each symbol; upper case, as in /proc/kallsyms, if the symbol is in
 * the module's array `syms` of exports (not, as there, if it is in `gpl_syms`).
 * Types: the loader throws the ELF section .BTF away; the BPF subsystem's copy is
 * in the list `btf_modules`, and is what the kernel itself uses (made to fit the
 * kernel's BTF where it had to be). Kernels without that list (5.10) have no
 * types of modules.
 *
 * Opening walks the list, no more: a kilobyte for each module. Symbols, types
 * and functions are read when they are first asked for, and kept.
 *
 * Of a hostile guest: a node that was seen before ends the list; the number of
 * modules, symbols and bytes is capped; parts of a module are dropped that lie in
 * the kernel's image, in an earlier module's part, or wrap; a table that cannot
 * be read, or BTF that is not sound, is as if it were not there.
 *
 * The guest runs on. A module that goes meanwhile may leave half-read tables,
 * which are as hostile ones. What happens with its probes: sites.c, watch_modules.
 */
#include "guest-introspect/func.h"

#include <stdio.h>
#include <string.h>

#define MAX_MODULE	65536u		/* bytes of struct module that we look at */
#define SYM_BYTES	24u		/* Elf64_Sym */
#define MAX_EXPORTS	65536u

struct offs {				/* in struct module */
	uint32_t state, list, name, kallsyms, size;
	uint32_t base, bytes, text_bytes;	/* core_layout, init_layout */
	uint32_t ibase, ibytes;
	uint32_t mem, mem_each, mem_n, mem_base, mem_size, mem_text;
	uint32_t sysfs;				/* its directory's node in sysfs */
	uint32_t exports, nexports;
	uint32_t notrace[2], nnotrace[2];
	uint32_t symtab, num_symtab, strtab, typetab;	/* in struct mod_kallsyms */
	int64_t state_live, state_unformed;
	bool by_mem;
};

static uint32_t
off(const struct gi_kernel *k, const char *strct, const char *path)
{
	uint32_t o = gi_off32(k, strct, path);

	return o >= MAX_MODULE - 8 ? DV_NO_OFF : o;
}

/* mem[]: how many, how large, and which is text. */
static bool
mem_offs(const struct gi_kernel *k, struct offs *o)
{
	uint32_t id = gi_btf_find(k->btf, GI_T_STRUCT, "module");
	struct gi_member m;
	struct gi_type arr, each;
	int64_t text;

	if (gi_btf_offsetof(k->btf, id, "mem", &m) < 0 ||
	    gi_btf_type(k->btf, m.type, &arr) != 0 || arr.kind != GI_T_ARRAY ||
	    gi_btf_type(k->btf, gi_btf_resolve(k->btf, arr.ref), &each) != 0 ||
	    !gi_enum_find(k, "MOD_TEXT", &text, NULL))
		return false;
	o->mem = off(k, "module", "mem");
	o->mem_base = off(k, "module_memory", "base");
	o->mem_size = off(k, "module_memory", "size");
	o->mem_n = arr.n < 16 ? arr.n : 16;
	o->mem_each = (uint32_t)each.size;
	o->mem_text = (uint32_t)text;
	return o->mem != DV_NO_OFF && o->mem_base != DV_NO_OFF && o->mem_size != DV_NO_OFF &&
	    each.size >= 16 && each.size < 1024 && o->mem_base + 8 <= each.size &&
	    o->mem_size + 4 <= each.size && text >= 0 && text < o->mem_n;
}

static bool
find_offs(const struct gi_kernel *k, struct offs *o)
{
	static const char *const notrace[2][2] = {
		{ "kprobes_text_start", "kprobes_text_size" },
		{ "noinstr_text_start", "noinstr_text_size" } };
	struct gi_type t;
	unsigned i;

	memset(o, 0, sizeof(*o));
	if (gi_btf_type(k->btf, gi_btf_find(k->btf, GI_T_STRUCT, "module"), &t) != 0 ||
	    t.kind != GI_T_STRUCT || t.size > MAX_MODULE)
		return false;
	o->size = (uint32_t)t.size;
	o->state = off(k, "module", "state");
	o->list = off(k, "module", "list");
	o->name = off(k, "module", "name");
	o->kallsyms = off(k, "module", "kallsyms");
	o->sysfs = off(k, "module", "mkobj.kobj.sd");
	o->symtab = off(k, "mod_kallsyms", "symtab");
	o->num_symtab = off(k, "mod_kallsyms", "num_symtab");
	o->strtab = off(k, "mod_kallsyms", "strtab");
	o->typetab = off(k, "mod_kallsyms", "typetab");
	o->state_unformed = 3;
	gi_enum_find(k, "MODULE_STATE_LIVE", &o->state_live, NULL);
	gi_enum_find(k, "MODULE_STATE_UNFORMED", &o->state_unformed, NULL);
	o->by_mem = mem_offs(k, o);
	o->base = off(k, "module", "core_layout.base");
	o->bytes = off(k, "module", "core_layout.size");
	o->text_bytes = off(k, "module", "core_layout.text_size");
	o->ibase = off(k, "module", "init_layout.base");
	o->ibytes = off(k, "module", "init_layout.size");
	o->exports = off(k, "module", "syms");
	o->nexports = off(k, "module", "num_syms");
	for (i = 0; i < 2; i++) {
		o->notrace[i] = off(k, "module", notrace[i][0]);
		o->nnotrace[i] = off(k, "module", notrace[i][1]);
	}
	return o->list != DV_NO_OFF && o->name != DV_NO_OFF && o->state != DV_NO_OFF &&
	    (o->by_mem || (o->base != DV_NO_OFF && o->bytes != DV_NO_OFF &&
	    o->text_bytes != DV_NO_OFF && o->ibase != DV_NO_OFF && o->ibytes != DV_NO_OFF));
}

static uint64_t
field(const uint8_t *s, const struct offs *o, uint32_t at, unsigned bytes)
{
	if (at == DV_NO_OFF || at + bytes > o->size)
		return 0;
	return bytes == 4 ? gi_u32(s + at) : gi_u64(s + at);
}

static bool
kernel_half(uint64_t a)
{
	return (int64_t)a < 0 && a < 0xfffffffffffff000ull;
}

/* ---- the list ---- */

static void
add_range(struct gi_mod *m, uint64_t start, uint64_t size)
{
	if (size != 0 && m->nranges < sizeof(m->range) / sizeof(m->range[0]))
		m->range[m->nranges++] = (struct gi_modrange){ start, size };
}

static void
read_ranges(struct gi_mod *m, const uint8_t *s, const struct offs *o)
{
	uint32_t i;

	if (!o->by_mem) {
		uint64_t base = field(s, o, o->base, 8);

		add_range(m, base, field(s, o, o->bytes, 4));
		add_range(m, field(s, o, o->ibase, 8), field(s, o, o->ibytes, 4));
		m->text = (struct gi_modrange){ base, field(s, o, o->text_bytes, 4) };
		return;
	}
	for (i = 0; i < o->mem_n; i++) {
		uint32_t at = o->mem + i * o->mem_each;
		struct gi_modrange r = { field(s, o, at + o->mem_base, 8),
		    field(s, o, at + o->mem_size, 4) };

		add_range(m, r.start, r.size);
		if (i == o->mem_text)
			m->text = r;
	}
}

static bool
overlap(const struct gi_modrange *a, uint64_t start, uint64_t size)
{
	return a->start < start + size && start < a->start + a->size;
}

static bool
range_ok(const struct gi_mods *ms, uint32_t upto, const struct gi_modrange *r)
{
	uint32_t i, j;

	if (!kernel_half(r->start) || r->size > GI_MAX_MODRANGE ||
	    !kernel_half(r->start + r->size) || overlap(r, ms->k->base, ms->k->end - ms->k->base))
		return false;
	for (i = 0; i < upto; i++)
		for (j = 0; j < ms->v[i].nranges; j++)
			if (overlap(&ms->v[i].range[j], r->start, r->size))
				return false;
	return true;
}

void
gi_mod_settle(struct gi_mods *ms, uint32_t n)
{
	struct gi_mod *m = &ms->v[n];
	unsigned i, to = 0;
	bool text = false;

	for (i = 0; i < m->nranges; i++) {
		if (!range_ok(ms, n, &m->range[i]))
			continue;
		m->range[to] = m->range[i];
		if (m->text.size != 0 && m->text.start >= m->range[to].start &&
		    m->text.size <= m->range[to].size &&
		    m->text.start - m->range[to].start <= m->range[to].size - m->text.size)
			text = true;
		to++;
	}
	m->nranges = to;
	if (!text)
		m->text.size = 0;
}

static void
add_mark(struct gi_mod *m, const uint8_t *s, const struct offs *o, uint32_t at, uint8_t size)
{
	if (at == DV_NO_OFF || at + size > o->size ||
	    m->nmarks == sizeof(m->mark) / sizeof(m->mark[0]))
		return;
	m->mark[m->nmarks].at = m->addr + at;
	m->mark[m->nmarks].size = size;
	m->mark[m->nmarks++].value = field(s, o, at, size);
}

/*
 * Is it this very module still? Its state, its name, its text and symbols are where
 * they were, and it has the same directory in sysfs, which is made at each load.
 */
static void
add_marks(struct gi_mod *m, const uint8_t *s, const struct offs *o)
{
	add_mark(m, s, o, o->state, 4);
	add_mark(m, s, o, o->name, 8);
	add_mark(m, s, o, o->name + 8, 8);
	add_mark(m, s, o,
	    o->by_mem ? o->mem + o->mem_text * o->mem_each + o->mem_base : o->base, 8);
	add_mark(m, s, o, o->kallsyms, 8);
	add_mark(m, s, o, o->sysfs, 8);
}

/* Fills m from the bytes s of the struct module at addr. */
static void
read_module(struct gi_kernel *k, struct gi_mod *m, uint64_t addr, const uint8_t *s,
    const struct offs *o)
{
	char name[57] = "";
	uint8_t ks[64];
	uint64_t at;
	size_t i;

	memset(m, 0, sizeof(*m));
	m->addr = addr;
	memcpy(name, s + o->name, o->size - o->name < 56 ? o->size - o->name : 56);
	if ((m->name = dv_arena_strdup(k->arena, name)) == NULL)
		m->name = "";
	m->live = (int64_t)field(s, o, o->state, 4) == o->state_live;
	read_ranges(m, s, o);
	add_marks(m, s, o);
	m->exports = (struct gi_modrange){ field(s, o, o->exports, 8),
	    field(s, o, o->nexports, 4) };
	for (i = 0; i < 2; i++) {
		m->notrace[i].start = field(s, o, o->notrace[i], 8);
		m->notrace[i].size = field(s, o, o->nnotrace[i], 4);
	}
	at = field(s, o, o->kallsyms, 8);
	if (!kernel_half(at) || o->symtab > 56 || o->num_symtab > 60 || o->strtab > 56 ||
	    o->typetab > 56 || gi_read(k, DV_GVA(at), ks, sizeof(ks), NULL) != 0)
		return;
	m->symtab = gi_u64(ks + o->symtab);
	m->strtab = gi_u64(ks + o->strtab);
	m->typetab = gi_u64(ks + o->typetab);
	m->nsyms = gi_u32(ks + o->num_symtab);
	if (!kernel_half(m->symtab) || !kernel_half(m->strtab) || !kernel_half(m->typetab))
		m->nsyms = 0;
}

/* Two probes for each symbol, so that nothing but the list must be known. */
void
gi_mods_number(struct gi_mods *ms)
{
	uint32_t i, total = 0;
	uint64_t text = 0;

	for (i = 0; i < ms->n; i++) {
		struct gi_mod *m = &ms->v[i];

		if (m->nsyms > GI_MAX_SYMS - total)
			m->nsyms = 0;
		if ((text += m->text.size) > GI_MAX_IMAGE)
			m->text.size = 0;
		m->fn_first = total;
		m->probe_first = 2 * total;
		m->nprobes = m->live && m->text.size != 0 ? 2 * m->nsyms : 0;
		total += m->nsyms;
	}
}

static bool
seen(const struct gi_mods *ms, uint64_t addr)
{
	uint32_t i;

	for (i = 0; i < ms->n; i++)
		if (ms->v[i].addr == addr)
			return true;
	return false;
}

static int
walk(struct gi_kernel *k, struct gi_mods *ms, uint64_t head, const struct offs *o,
    uint8_t *s, struct dv_err *err)
{
	uint64_t at;
	size_t cap = 0;
	bool ok;

	at = gi_read_u64(k, head, &ok);
	while (ok && at != head && kernel_half(at) && ms->n < GI_MAX_MODS) {
		uint64_t addr = at - o->list;
		struct gi_mod m;

		if (seen(ms, addr) || gi_read(k, DV_GVA(addr), s, o->size, NULL) != 0)
			break;
		at = gi_u64(s + o->list);
		read_module(k, &m, addr, s, o);
		/* not sorted out yet; the kernel itself does not list it either. And
		 * nobody may stand for the kernel */
		if (m.name[0] == 0 || strcmp(m.name, "vmlinux") == 0 ||
		    (int64_t)field(s, o, o->state, 4) == o->state_unformed)
			continue;
		if (dv_vec_grow(&ms->v, &cap, ms->n, 1, sizeof(*ms->v)) != 0)
			return dv_err_nomem(err);
		ms->v[ms->n] = m;
		gi_mod_settle(ms, ms->n);
		ms->n++;
	}
	return 0;
}

int
gi_mods_open(struct gi_kernel *k, struct dv_err *err)
{
	uint64_t head = gi_addr(k, "modules");
	struct gi_mods *ms;
	struct offs o;
	uint8_t *s;
	int rc = 0;

	if ((ms = calloc(1, sizeof(*ms))) == NULL)
		return dv_err_nomem(err);
	ms->k = k;
	ms->idoff = k->btf->n;
	k->mods = ms;
	if (head == 0 || !k->live || !find_offs(k, &o))
		return 0;
	if ((s = malloc(o.size)) == NULL)
		return dv_err_nomem(err);
	rc = walk(k, ms, head, &o, s, err);
	free(s);
	gi_mods_number(ms);
	return rc;
}

void
gi_mods_close(struct gi_mods *ms)
{
	uint32_t i;

	if (ms == NULL)
		return;
	for (i = 0; i < ms->n; i++) {
		gi_ksyms_free(ms->v[i].syms);
		free(ms->v[i].symsize);
		gi_btf_close(ms->v[i].types);
		free(ms->v[i].fns);
	}
	free(ms->v);
	free(ms);
}

/* ---- the list, later ---- */

static bool
same_module(const struct gi_mod *a, const struct gi_mod *b)
{
	unsigned i;

	if (a->addr != b->addr || a->nmarks != b->nmarks)
		return false;
	for (i = 0; i < a->nmarks; i++)
		if (a->mark[i].value != b->mark[i].value)
			return false;
	return true;
}

/* Is no longer where it was: what is there now is m's. */
static void
give_way(struct gi_mod *old, const struct gi_mod *m)
{
	unsigned i, j;

	for (i = 0; i < old->nranges; i++)
		for (j = 0; j < m->nranges; j++)
			if (overlap(&old->range[i], m->range[j].start, m->range[j].size)) {
				old->nranges = 0;
				return;
			}
}

/* Adds what is new in `now`; it has names, and no probes. */
static void
merge(struct gi_mods *ms, struct gi_mods *now)
{
	uint32_t i, j;
	void *v;

	for (i = 0; i < now->n; i++) {
		struct gi_mod *m = &now->v[i];

		for (j = 0; j < ms->n && !same_module(&ms->v[j], m); j++)
			;
		if (j < ms->n || ms->n >= GI_MAX_MODS ||
		    (v = realloc(ms->v, (ms->n + 1) * sizeof(*ms->v))) == NULL)
			continue;
		ms->v = v;
		for (j = 0; j < ms->n; j++)
			give_way(&ms->v[j], m);
		m->live = false;
		ms->v[ms->n++] = *m;
	}
}

bool
gi_mods_again(struct gi_kernel *k, uint64_t addr)
{
	uint64_t head = gi_addr(k, "modules"), page = addr >> 12;
	struct gi_mods *ms = k->mods, now = { .k = k };
	struct offs o;
	uint8_t *s;
	unsigned i;

	if (ms == NULL || !k->live || head == 0 || !kernel_half(addr) ||
	    (addr >= k->base && addr < k->end) || ms->again == GI_MAX_AGAIN)
		return false;
	for (i = 0; i < sizeof(ms->missed) / sizeof(ms->missed[0]); i++)
		if (ms->missed[i] == page)
			return false;
	ms->missed[ms->again++ % (sizeof(ms->missed) / sizeof(ms->missed[0]))] = page;
	if (!find_offs(k, &o) || (s = malloc(o.size)) == NULL)
		return false;
	if (walk(k, &now, head, &o, s, NULL) == 0) {
		merge(ms, &now);
		gi_mods_number(ms);
		ms->btf_listed = false;
	}
	free(s);
	free(now.v);
	return gi_mod_at(k, addr) != NULL;
}

struct gi_mod *
gi_mod_at(const struct gi_kernel *k, uint64_t addr)
{
	uint32_t i;
	unsigned j;

	for (i = 0; k->mods != NULL && i < k->mods->n; i++)
		for (j = 0; j < k->mods->v[i].nranges; j++) {
			const struct gi_modrange *r = &k->mods->v[i].range[j];

			if (addr >= r->start && addr - r->start < r->size)
				return &k->mods->v[i];
		}
	return NULL;
}

struct gi_mod *
gi_mod_find(const struct gi_kernel *k, const char *name)
{
	uint32_t i;

	for (i = 0; k->mods != NULL && i < k->mods->n; i++)
		if (strcmp(k->mods->v[i].name, name) == 0)
			return &k->mods->v[i];
	return NULL;
}

bool
gi_is_vmlinux(const char *mod)
{
	return *mod == 0 || strcmp(mod, "vmlinux") == 0 || strcmp(mod, "kernel") == 0 ||
	    strcmp(mod, "genunix") == 0 || strcmp(mod, "unix") == 0;
}

size_t
gi_nmods(const struct gi_kernel *k)
{
	return k->mods == NULL ? 0 : k->mods->n;
}

/* ---- symbols ---- */

struct export {
	uint64_t addr, name;
};
struct exports {
	DV_VEC(struct export) x;
	char *names;			/* all of them lie together, from `first` on */
	uint64_t first;
	size_t len;
};

/* struct kernel_symbol: places relative to themselves, of the value and the name. */
static void
read_exports(struct gi_kernel *k, const struct gi_mod *m, struct exports *out)
{
	const struct gi_modrange *e = &m->exports;
	uint64_t low = ~0ull, high = 0;
	struct gi_type t;
	size_t len, at;
	uint8_t *p;

	if (gi_btf_type(k->btf, gi_btf_find(k->btf, GI_T_STRUCT, "kernel_symbol"), &t) != 0 ||
	    t.size < 8 || t.size > 64 || off(k, "kernel_symbol", "value_offset") != 0 ||
	    off(k, "kernel_symbol", "name_offset") != 4 || e->size == 0 ||
	    e->size > MAX_EXPORTS || !kernel_half(e->start) ||
	    (p = malloc(e->size * t.size)) == NULL)
		return;
	len = gi_read_much(k, e->start, p, e->size * t.size);
	for (at = 0; at + t.size <= len; at += t.size) {
		struct export x;

		x.addr = e->start + at + (uint64_t)(int64_t)(int32_t)gi_u32(p + at);
		x.name = e->start + at + 4 + (uint64_t)(int64_t)(int32_t)gi_u32(p + at + 4);
		if (dv_vec_push(&out->x, x) != 0)
			break;
		low = x.name < low ? x.name : low;
		high = x.name > high ? x.name : high;
	}
	free(p);
	if (out->x.n == 0 || high - low > GI_MAX_MODSTRS || !kernel_half(low) ||
	    (out->names = malloc(high - low + GI_MAX_NAME)) == NULL)
		return;
	out->first = low;
	out->len = gi_read_much(k, low, out->names, high - low + GI_MAX_NAME);
}

static void
exports_fini(struct exports *ex)
{
	dv_vec_fini(&ex->x);
	free(ex->names);
}

static int
by_addr(const void *a, const void *b)
{
	uint64_t x = ((const struct export *)a)->addr, y = ((const struct export *)b)->addr;

	return x < y ? -1 : x > y;
}

/* Two names of one address may differ in this: so the name counts, too. */
static bool
exported(const struct exports *ex, uint64_t addr, const char *name)
{
	size_t n = strlen(name) + 1, lo = 0, hi = ex->x.n, off;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ex->x.v[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < ex->x.n && ex->x.v[lo].addr == addr; lo++) {
		off = ex->x.v[lo].name - ex->first;
		if (off < ex->len && n <= ex->len - off && memcmp(ex->names + off, name, n) == 0)
			return true;
	}
	return false;
}

static uint8_t
letter(uint8_t c, bool upper)
{
	if (c >= 'A' && c <= 'Z')
		c |= 32;
	if (c < 'a' || c > 'z')
		return '?';
	return upper ? c & ~32 : c;
}

/* From the three tables as read; names get room for a NUL each. */
static int
fill_syms(struct gi_kernel *k, struct gi_mod *m, const uint8_t *tab, const uint8_t *types,
    const char *strs, size_t nstrs, struct gi_ksyms *s)
{
	struct exports ex = { 0 };
	uint32_t i;

	read_exports(k, m, &ex);
	if (ex.x.n > 1)
		qsort(ex.x.v, ex.x.n, sizeof(*ex.x.v), by_addr);
	s->names = malloc(nstrs + 1);
	s->v = calloc((size_t)m->nsyms + 1, sizeof(*s->v));
	m->symsize = calloc((size_t)m->nsyms + 1, sizeof(*m->symsize));
	if (s->names == NULL || s->v == NULL || m->symsize == NULL) {
		exports_fini(&ex);
		return DV_E_NOMEM;
	}
	memcpy(s->names, strs, nstrs);
	s->names[nstrs] = 0;
	s->nameslen = nstrs + 1;
	for (i = 0; i < m->nsyms; i++) {
		uint32_t name = gi_u32(tab + (size_t)SYM_BYTES * i);
		struct gi_ksym *y = &s->v[s->n];

		if (name >= nstrs || s->names[name] == 0 ||
		    memchr(s->names + name, 0, GI_MAX_NAME) == NULL)
			continue;
		y->addr = gi_u64(tab + (size_t)SYM_BYTES * i + 8);
		y->name = name;
		m->symsize[s->n] = gi_u32(tab + (size_t)SYM_BYTES * i + 16);
		y->type = letter(types[i], exported(&ex, y->addr, s->names + name));
		s->n++;
	}
	exports_fini(&ex);
	return 0;
}

/* May n more bytes of modules' tables be kept? */
static bool
afford(struct gi_mods *ms, size_t n)
{
	if (n > GI_MAX_MODMEM - ms->held)
		return false;
	ms->held += n;
	return true;
}

static int
load_syms(struct gi_kernel *k, struct gi_mod *m, struct gi_ksyms **ret)
{
	size_t n = m->nsyms, nstrs = 0;
	uint8_t *tab = malloc(n * SYM_BYTES + 1), *types = malloc(n + 1);
	struct gi_ksyms *s = calloc(1, sizeof(*s));
	char *strs = NULL;
	int rc = DV_E_NOMEM;
	uint32_t i, max = 0;

	if (tab == NULL || types == NULL || s == NULL)
		goto out;
	rc = DV_E_GUEST;
	if (gi_read_much(k, m->symtab, tab, n * SYM_BYTES) != n * SYM_BYTES ||
	    gi_read_much(k, m->typetab, types, n) != n)
		goto out;
	for (i = 0; i < n; i++) {
		uint32_t name = gi_u32(tab + (size_t)SYM_BYTES * i);

		if (name > max && name < GI_MAX_MODSTRS)
			max = name;
	}
	nstrs = (size_t)max + GI_MAX_NAME;
	if (!afford(k->mods, nstrs))
		goto out;
	if ((strs = malloc(nstrs)) == NULL) {
		rc = DV_E_NOMEM;
		goto out;
	}
	nstrs = gi_read_much(k, m->strtab, strs, nstrs);
	if ((rc = fill_syms(k, m, tab, types, strs, nstrs, s)) == 0 &&
	    (rc = gi_ksyms_index(s, NULL)) == 0) {
		*ret = s;
		s = NULL;
	}
out:
	gi_ksyms_free(s);
	free(tab);
	free(types);
	free(strs);
	return rc;
}

/*
 * The tables lie in the module's memory. The kernel object is logically const for
 * who asks: what is read here is a cache.
 */
struct gi_ksyms *
gi_mod_syms(const struct gi_kernel *k, struct gi_mod *m)
{
	if ((m->tried & GI_MT_SYMS) == 0 && k->live) {
		m->tried |= GI_MT_SYMS;
		if (m->nsyms != 0 && load_syms(k->mods->k, m, &m->syms) != 0)
			m->syms = NULL;
	}
	return m->syms;
}

/* ---- types ---- */

/* Where the BTF of each module is: the list `btf_modules`. */
static void
list_btf(struct gi_kernel *k, struct gi_mods *ms)
{
	uint64_t head = gi_addr(k, "btf_modules"), at, steps;
	uint32_t list = off(k, "btf_module", "list"), module = off(k, "btf_module", "module");
	uint32_t btf = off(k, "btf_module", "btf"), data = off(k, "btf", "data");
	uint32_t size = off(k, "btf", "data_size"), i;
	uint32_t btflen = 8 + (data > size ? data : size), nodelen = 8 + list;
	uint8_t node[256] = { 0 }, b[256];
	bool ok;

	ms->btf_listed = true;
	if (head == 0 || list > 240 || module > 240 || btf > 240 || data > 240 || size > 240)
		return;
	nodelen = nodelen < module + 8 ? module + 8 : nodelen;
	nodelen = nodelen < btf + 8 ? btf + 8 : nodelen;
	at = gi_read_u64(k, head, &ok);
	for (steps = 0; ok && at != head && kernel_half(at) && steps < GI_MAX_MODS; steps++) {
		ok = gi_read(k, DV_GVA(at - list), node, nodelen, NULL) == 0;
		at = gi_u64(node + list);
		if (!ok || !kernel_half(gi_u64(node + btf)) ||
		    gi_read(k, DV_GVA(gi_u64(node + btf)), b, btflen, NULL) != 0 ||
		    !kernel_half(gi_u64(b + data)) || gi_u32(b + size) > GI_MAX_BTF)
			continue;
		for (i = 0; i < ms->n; i++)
			if (ms->v[i].addr == gi_u64(node + module) && ms->v[i].btf == 0) {
				ms->v[i].btf = gi_u64(b + data);
				ms->v[i].btf_len = gi_u32(b + size);
			}
	}
}

struct gi_btf *
gi_mod_types(const struct gi_kernel *k, struct gi_mod *m)
{
	struct gi_mods *ms = k->mods;
	uint8_t *p;

	if ((m->tried & GI_MT_TYPES) != 0 || !k->live)
		return m->types;
	m->tried |= GI_MT_TYPES;
	if (!ms->btf_listed)
		list_btf(ms->k, ms);
	if (m->btf == 0 || m->btf_len == 0 || !afford(ms, m->btf_len) ||
	    (p = malloc(m->btf_len)) == NULL)
		return NULL;
	if (gi_read_much(ms->k, m->btf, p, m->btf_len) == m->btf_len &&
	    gi_btf_open_split(k->btf, ms->idoff, p, m->btf_len, NULL, &m->types) == 0) {
		if (m->types->n > 0x7fffffffu - ms->idoff) {
			gi_btf_close(m->types);
			m->types = NULL;
		} else {
			ms->idoff += m->types->n;
		}
	}
	free(p);
	return m->types;
}
