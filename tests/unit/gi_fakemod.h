/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gi_fakemod.h - modules in the guest of gi_fake.h.
 *
 * struct module (256 bytes): state 0, list 8, name 24 (56), syms 80, num_syms 88,
 * kallsyms 96, then, as the kernel is of the one kind or the other,
 *
 *	core_layout 104 (base, size, text_size), init_layout 128
 *	mem[4] 104, of 16 bytes (base, size); the first is text
 *
 * Module i has 64 KB of memory, its page n being
 *
 *	0 text	1 struct module, mod_kallsyms, exports	2 symtab
 *	3 strtab  4 typetab  5 struct btf_module, struct btf  6 BTF
 */
#ifndef GI_FAKEMOD_H
#define GI_FAKEMOD_H
#include "unit/gi_fake.h"

#define FM_SIZE		0x10000u
#define FM_PAGE(i, n)	((i) * FM_SIZE + (n) * 0x1000u)
#define FM_VA(i, n)	(FAKE_MODS + FM_PAGE(i, n))
#define FM_MODULE(i)	FM_VA(i, 1)
#define FM_KALLSYMS(i)	(FM_VA(i, 1) + 0x400)
#define FM_EXPORTS(i)	(FM_VA(i, 1) + 0x800)

static bool fake_mod_mem;	/* types of a kernel with mem[] */

static inline void
fake_mod_types(struct fake_btf *b)
{
	uint32_t u64 = 1, s32 = 2, chr = 3, list, name, part, arr;

	list = fake_type(b, 4, "list_head", 2, false, 16);
	fake_member(b, "next", u64, 0);
	fake_member(b, "prev", u64, 64);
	name = fake_type(b, 3, "", 0, false, 0);
	fake_word(b, chr);
	fake_word(b, u64);
	fake_word(b, 56);
	if (fake_mod_mem) {
		fake_type(b, 6, "mod_mem_type", 2, false, 4);
		fake_word(b, fake_str(b, "MOD_TEXT"));
		fake_word(b, 0);
		fake_word(b, fake_str(b, "MOD_DATA"));
		fake_word(b, 1);
		part = fake_type(b, 4, "module_memory", 2, false, 16);
		fake_member(b, "base", u64, 0);
		fake_member(b, "size", s32, 64);
		arr = fake_type(b, 3, "", 0, false, 0);
		fake_word(b, part);
		fake_word(b, u64);
		fake_word(b, 4);
	} else {
		part = fake_type(b, 4, "module_layout", 3, false, 24);
		fake_member(b, "base", u64, 0);
		fake_member(b, "size", s32, 64);
		fake_member(b, "text_size", s32, 96);
		arr = 0;
	}
	fake_type(b, 4, "module", fake_mod_mem ? 7 : 8, false, 256);
	fake_member(b, "state", s32, 0);
	fake_member(b, "list", list, 64);
	fake_member(b, "name", name, 24 * 8);
	fake_member(b, "syms", u64, 80 * 8);
	fake_member(b, "num_syms", s32, 88 * 8);
	fake_member(b, "kallsyms", u64, 96 * 8);
	if (fake_mod_mem) {
		fake_member(b, "mem", arr, 104 * 8);
	} else {
		fake_member(b, "core_layout", part, 104 * 8);
		fake_member(b, "init_layout", part, 128 * 8);
	}
	fake_type(b, 4, "mod_kallsyms", 4, false, 32);
	fake_member(b, "symtab", u64, 0);
	fake_member(b, "num_symtab", s32, 64);
	fake_member(b, "strtab", u64, 128);
	fake_member(b, "typetab", u64, 192);
	fake_type(b, 4, "kernel_symbol", 2, false, 8);
	fake_member(b, "value_offset", s32, 0);
	fake_member(b, "name_offset", s32, 32);
	fake_type(b, 4, "btf_module", 3, false, 32);
	fake_member(b, "list", list, 0);
	fake_member(b, "module", u64, 128);
	fake_member(b, "btf", u64, 192);
	fake_type(b, 4, "btf", 2, false, 16);
	fake_member(b, "data", u64, 0);
	fake_member(b, "data_size", s32, 64);
	fake_type(b, 6, "module_state", 2, false, 4);
	fake_word(b, fake_str(b, "MODULE_STATE_LIVE"));
	fake_word(b, 0);
	fake_word(b, fake_str(b, "MODULE_STATE_UNFORMED"));
	fake_word(b, 3);
}

static inline uint8_t *
fm_bytes(struct fake *f, unsigned i, unsigned page)
{
	return f->ram + FAKE_MODS_PA + FM_PAGE(i, page);
}

static inline void
fm_put(struct fake *f, unsigned i, unsigned at, uint64_t v, unsigned n)
{
	memcpy(fm_bytes(f, i, 0) + at, &v, n);
}

struct fm_sym {
	const char *name;
	uint32_t off;		/* from the module's start */
	char letter;
};

static inline void
fm_syms(struct fake *f, unsigned i, const struct fm_sym *s, unsigned n)
{
	uint8_t *tab = fm_bytes(f, i, 2), *strs = fm_bytes(f, i, 3), *types = fm_bytes(f, i, 4);
	uint32_t at = 1, j;

	for (j = 1; j <= n; j++, s++) {
		uint64_t v = FM_VA(i, 0) + s->off;

		memcpy(tab + 24 * j, &at, 4);
		memcpy(tab + 24 * j + 8, &v, 8);
		types[j] = (uint8_t)s->letter;
		strcpy((char *)strs + at, s->name);
		at += (uint32_t)strlen(s->name) + 1;
	}
	fm_put(f, i, 0x1400, FM_VA(i, 2), 8);
	fm_put(f, i, 0x1408, n + 1, 4);
	fm_put(f, i, 0x1410, FM_VA(i, 3), 8);
	fm_put(f, i, 0x1418, FM_VA(i, 4), 8);
}

/* Types of a module, whose ids and strings follow the kernel's. */
static inline void
fm_btf_begin(const struct fake *f, struct fake_btf *b)
{
	memset(b, 0, sizeof(*b));
	b->slen = 1;
	b->n = f->btf.n;
	b->stroff = (uint32_t)f->btf.slen;
}

static inline void
fm_btf_end(struct fake *f, unsigned i, const struct fake_btf *b)
{
	size_t len = fake_btf_out(b, fm_bytes(f, i, 6));
	uint64_t next;

	fm_put(f, i, 0x5010, FM_MODULE(i), 8);
	fm_put(f, i, 0x5018, FM_VA(i, 5) + 0x100, 8);
	fm_put(f, i, 0x5100, FM_VA(i, 6), 8);
	fm_put(f, i, 0x5108, len, 4);
	memcpy(&next, f->ram + FAKE_IMG + 0x286010, 8);
	fm_put(f, i, 0x5000, next, 8);
	fake_put(f, FAKE_IMG + 0x286010, FM_VA(i, 5));
}

/* Module i, live, first in the list. */
static inline void
fm_add(struct fake *f, unsigned i, const char *name)
{
	uint64_t next;

	memset(fm_bytes(f, i, 0), 0xcc, 0x1000);
	memcpy(&next, f->ram + FAKE_IMG + 0x286000, 8);
	fm_put(f, i, 0x1008, next, 8);
	fake_put(f, FAKE_IMG + 0x286000, FM_MODULE(i) + 8);
	strcpy((char *)fm_bytes(f, i, 1) + 24, name);
	fm_put(f, i, 0x1060, FM_KALLSYMS(i), 8);
	fm_put(f, i, 0x1068, FM_VA(i, 0), 8);
	if (fake_mod_mem) {
		fm_put(f, i, 0x1070, 0x1000, 4);
		fm_put(f, i, 0x1078, FM_VA(i, 1), 8);
		fm_put(f, i, 0x1080, FM_SIZE - 0x1000, 4);
	} else {
		fm_put(f, i, 0x1070, FM_SIZE, 4);
		fm_put(f, i, 0x1074, 0x1000, 4);
	}
}

/*
 * Module "one": work() (exported; tail-jumps to the kernel's plain), its data,
 * struct own of its own, and a prototype that uses a type of the kernel's.
 */
static inline void
fm_one(struct fake *f, unsigned i, const char *name)
{
	static const struct fm_sym syms[] = {
		{ "work", 0x100, 't' }, { "leaf", 0x200, 't' }, { "state", 0x1900, 'd' },
		{ "init_module", 0x300, 't' } };
	static struct fake_btf b;
	uint32_t own, ptr, proto, task;
	int32_t rel;
	unsigned char *text;

	fm_add(f, i, name);
	fm_syms(f, i, syms, 4);
	text = fm_bytes(f, i, 0);
	memcpy(text + 0x100, "\x0f\x1f\x44\0\0\x31\xc0\xe9", 8);
	rel = (int32_t)(f->base + 0x2000 - (FM_VA(i, 0) + 0x10c));
	memcpy(text + 0x108, &rel, 4);
	memcpy(text + 0x200, "\x0f\x1f\x44\0\0\xb8\x01\0\0\0\xc3", 11);
	memcpy(text + 0x300, "\xeb\xfe", 2);		/* never returns */
	/* exports: work */
	fm_put(f, i, 0x1050, FM_EXPORTS(i), 8);
	fm_put(f, i, 0x1058, 1, 4);
	fm_put(f, i, 0x1800, FM_VA(i, 0) + 0x100 - FM_EXPORTS(i), 4);
	fm_put(f, i, 0x1804, FM_VA(i, 3) + 1 - (FM_EXPORTS(i) + 4), 4);
	fm_btf_begin(f, &b);
	task = 5;					/* of fake_types */
	own = fake_type(&b, 4, "own", 2, false, 16);
	fake_member(&b, "count", 2, 0);
	fake_member(&b, "left", 2, 32);
	ptr = fake_type(&b, 2, "", 0, false, own);
	proto = fake_type(&b, 13, "", 2, false, 2);
	fake_word(&b, fake_str(&b, "o"));
	fake_word(&b, ptr);
	fake_word(&b, fake_str(&b, "t"));
	fake_word(&b, task);
	fake_type(&b, 12, "work", 0, false, proto);
	fake_type(&b, 8, "own_t", 0, false, own);
	fake_type(&b, 6, "own_kind", 1, false, 4);
	fake_word(&b, fake_str(&b, "OWN_KIND"));
	fake_word(&b, 42);
	fm_btf_end(f, i, &b);
}

#endif
