/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gi_mods_test.c - modules: their symbols and types; a hostile list is cut. */
#include "test.h"
#include "unit/gi_fakemod.h"

#define BASE	0xffffffff81000000ull

static struct gi_kernel *
open_with(struct fake *f)
{
	struct gi_kernel *k = NULL;
	struct dv_err err;

	return gi_kernel_open(&f->mem, &f->cpu, 1, &err, &k) == 0 ? k : NULL;
}

static void
make(struct fake *f, bool mem)
{
	fake_mod_mem = mem;
	fake_make_with(f, 2, 4, BASE, fake_mod_types);
}

TEST(symbols_of_both_kinds_of_kernels)
{
	struct gi_kernel *k;
	struct gi_sym y;
	struct fake f;
	size_t n;
	int mem;

	for (mem = 0; mem < 2; mem++) {
		make(&f, mem);
		fm_one(&f, 0, "one");
		k = open_with(&f);
		EXPECT(k != NULL);
		EXPECT_EQ(gi_nmods(k), 1);
		EXPECT_STREQ(gi_mod_name(k, 0), "one");
		EXPECT(gi_sym_find(k, "one", "work", &y));
		EXPECT_EQ(y.addr, FM_VA(0, 0) + 0x100);
		EXPECT_EQ(y.type, 'T');			/* exported */
		EXPECT_EQ(y.size, 0x100);
		EXPECT_STREQ(y.mod, "one");
		EXPECT(gi_sym_find(k, NULL, "leaf", &y));
		EXPECT_EQ(y.type, 't');
		EXPECT(!gi_sym_find(k, "vmlinux", "leaf", &y));
		EXPECT(!gi_sym_find(k, "one", "plain", &y));
		EXPECT(gi_sym_at(k, FM_VA(0, 0) + 0x203, &y));
		EXPECT_STREQ(y.name, "leaf");
		EXPECT(gi_sym_at(k, FM_VA(0, 0) + 0x10, &y));	/* before the first */
		EXPECT_STREQ(y.mod, "one");
		EXPECT_STREQ(y.name, "");
		EXPECT(!gi_sym_at(k, FM_VA(1, 0), &y));
		EXPECT(gi_sym_at(k, BASE + 0x2001, &y));
		EXPECT_STREQ(y.mod, "vmlinux");
		n = gi_nsyms(k);
		EXPECT_EQ(n, FAKE_NSYMS + FAKE_NFILL + 4);
		gi_sym(k, n - 4, &y);
		EXPECT_STREQ(y.name, "work");
		gi_sym(k, n, &y);
		EXPECT_STREQ(y.name, "");
		gi_kernel_close(k);
		fake_free(&f);
	}
}

TEST(types_of_modules_go_on_where_the_kernels_end)
{
	struct gi_kernel *k;
	struct gi_member m;
	struct gi_type t;
	struct fake f;
	uint32_t a, b, fn;
	int64_t v;

	make(&f, true);
	fm_one(&f, 1, "two");
	fm_one(&f, 0, "one");
	k = open_with(&f);
	EXPECT(k != NULL);
	EXPECT_EQ(gi_type_find(k, GI_T_STRUCT, "own"), 0);	/* not the kernel's */
	b = gi_type_find_in(k, "two", GI_T_STRUCT, "own");
	a = gi_type_find_in(k, "one", GI_T_STRUCT, "own");
	EXPECT(a != 0 && b != 0 && a != b);
	EXPECT_EQ(gi_type_find_in(k, NULL, GI_T_STRUCT, "own"), a);
	EXPECT_EQ(gi_type_find_in(k, "three", GI_T_STRUCT, "own"), 0);
	EXPECT_EQ(gi_type_find_in(k, "one", GI_T_STRUCT, "task_struct"),
	    gi_type_find(k, GI_T_STRUCT, "task_struct"));
	EXPECT_EQ(gi_type_find_in(k, "vmlinux", GI_T_STRUCT, "own"), 0);
	EXPECT_EQ(gi_type(k, b, &t), 0);
	EXPECT_STREQ(t.name, "own");
	EXPECT_EQ(t.size, 16);
	EXPECT_EQ(gi_member(k, b, 1, &m), 0);
	EXPECT_STREQ(m.name, "left");
	EXPECT_EQ(m.bit_off, 32);
	EXPECT_EQ(m.type, 2);					/* the kernel's int */
	EXPECT_STREQ(gi_type_text(k, m.type), "int");
	fn = gi_type_find_in(k, "two", GI_T_FUNC, "work");
	EXPECT_EQ(gi_type(k, fn, &t), 0);
	EXPECT_EQ(gi_type(k, t.ref, &t), 0);
	EXPECT_EQ(t.kind, GI_T_PROTO);
	EXPECT_EQ(gi_type(k, fn, &t), 0);
	EXPECT_EQ(gi_member(k, t.ref, 0, &m), 0);
	EXPECT_STREQ(m.name, "o");
	EXPECT_STREQ(gi_type_text(k, m.type), "struct own *");
	EXPECT_EQ(gi_type(k, m.type, &t), 0);
	EXPECT_EQ(t.ref, b);
	EXPECT(gi_enum_find(k, "OWN_KIND", &v, NULL));
	EXPECT_EQ(v, 42);
	gi_kernel_close(k);
	fake_free(&f);
}

TEST(a_cyclic_list_is_cut)
{
	struct gi_kernel *k;
	struct fake f;

	make(&f, true);
	fm_one(&f, 1, "two");
	fm_one(&f, 0, "one");
	fm_put(&f, 1, 0x1008, FM_MODULE(0) + 8, 8);	/* two's next is one again */
	fm_put(&f, 1, 0x5000, FM_VA(0, 5), 8);
	k = open_with(&f);
	EXPECT(k != NULL);
	EXPECT_EQ(gi_nmods(k), 2);
	EXPECT(gi_type_find_in(k, "two", GI_T_STRUCT, "own") != 0);
	gi_kernel_close(k);
	fm_put(&f, 0, 0x1008, FM_MODULE(0) + 8, 8);	/* one's is itself */
	k = open_with(&f);
	EXPECT_EQ(gi_nmods(k), 1);
	gi_kernel_close(k);
	fm_put(&f, 0, 0x1008, 0xffffc90000000000ull, 8);	/* is nowhere */
	k = open_with(&f);
	EXPECT_EQ(gi_nmods(k), 1);
	gi_kernel_close(k);
	fm_put(&f, 0, 0x1008, 8, 8);
	k = open_with(&f);
	EXPECT_EQ(gi_nmods(k), 1);
	gi_kernel_close(k);
	fake_free(&f);
}

TEST(parts_that_are_not_its_own_are_dropped)
{
	static const uint64_t bad[][2] = {
		{ BASE + 0x1000, 0x1000 },			/* the kernel's */
		{ BASE - 0x1000, 0x80000000 },
		{ 0x400000, 0x1000 }, { 0, 0xffffffff },
		{ 0xffffffffffffe000ull, 0x4000 },
		{ FM_VA(0, 0) + 0x800, 0x1000 } };		/* module one's */
	struct gi_kernel *k;
	struct gi_sym y;
	struct fake f;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		make(&f, true);
		fm_one(&f, 1, "two");
		fm_one(&f, 0, "one");
		fm_put(&f, 1, 0x1068, bad[i][0], 8);
		fm_put(&f, 1, 0x1070, bad[i][1], 4);
		k = open_with(&f);
		EXPECT(k != NULL);
		EXPECT_EQ(gi_nmods(k), 2);
		EXPECT_EQ(k->mods->v[1].nranges, 1);		/* its data remains */
		EXPECT_EQ(k->mods->v[1].text.size, 0);
		EXPECT_EQ(k->mods->v[1].nprobes, 0);
		EXPECT(gi_sym_at(k, FM_VA(0, 0) + 0x801, &y));
		EXPECT_STREQ(y.mod, "one");
		EXPECT(gi_sym_at(k, BASE + 0x2000, &y));
		EXPECT_STREQ(y.mod, "vmlinux");
		gi_kernel_close(k);
		fake_free(&f);
	}
}

TEST(absurd_tables_are_as_if_they_were_not_there)
{
	struct gi_kernel *k;
	struct gi_sym y;
	struct fake f;

	make(&f, false);
	fm_one(&f, 0, "one");
	fm_put(&f, 0, 0x1408, 0xffffffff, 4);		/* symbols */
	fm_put(&f, 0, 0x5108, 0xffffffff, 4);		/* BTF */
	fm_put(&f, 0, 0x1058, 0xffffffff, 4);		/* exports */
	k = open_with(&f);
	EXPECT(k != NULL);
	EXPECT_EQ(gi_nmods(k), 1);
	EXPECT(!gi_sym_find(k, "one", "work", &y));
	EXPECT_EQ(gi_type_find_in(k, "one", GI_T_STRUCT, "own"), 0);
	gi_kernel_close(k);
	fm_put(&f, 0, 0x1408, 5, 4);
	fm_put(&f, 0, 0x1058, 1, 4);
	memset(fm_bytes(&f, 0, 3), 'x', 0x1000);	/* names without an end */
	memset(fm_bytes(&f, 0, 4), 0, 0x1000);
	memset(f.ram + FAKE_MODS_PA + 0x10000, 'x', 0x1f0000 - 0x10000);
	k = open_with(&f);
	EXPECT(k != NULL);
	EXPECT(!gi_sym_find(k, "one", "work", &y));
	gi_kernel_close(k);
	fm_put(&f, 0, 0x1400, FAKE_MODS + 0x1ffff0, 8);	/* the table leaves RAM */
	k = open_with(&f);
	EXPECT(k != NULL);
	EXPECT(!gi_sym_find(k, "one", "work", &y));
	gi_kernel_close(k);
	fake_free(&f);
}

TEST(a_module_that_comes_or_goes_has_symbols_but_no_probes)
{
	struct gi_kernel *k;
	struct gi_sym y;
	struct fake f;

	make(&f, true);
	fm_one(&f, 0, "one");
	fm_put(&f, 0, 0x1000, 1, 4);
	k = open_with(&f);
	EXPECT(k != NULL);
	EXPECT(gi_sym_find(k, "one", "work", &y));
	EXPECT_EQ(k->mods->v[0].nprobes, 0);
	gi_kernel_close(k);
	fm_put(&f, 0, 0x1000, 3, 4);			/* not sorted out yet */
	k = open_with(&f);
	EXPECT_EQ(gi_nmods(k), 0);
	gi_kernel_close(k);
	fake_free(&f);
}

TEST_MAIN()
