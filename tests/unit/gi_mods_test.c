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
		EXPECT_STREQ(k->mods->v[0].name, "one");
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

TEST(names_that_stand_for_the_kernel)
{
	struct gi_kernel *k;
	struct gi_sym y;
	struct fake f;

	make(&f, true);
	fm_one(&f, 1, "unix");
	fm_one(&f, 0, "vmlinux");
	k = open_with(&f);
	EXPECT_EQ(gi_nmods(k), 1);
	EXPECT(gi_sym_find(k, "vmlinux", "plain", &y));
	EXPECT(gi_sym_find(k, "genunix", "plain", &y));
	EXPECT(!gi_sym_find(k, "vmlinux", "leaf", &y));
	EXPECT(gi_sym_find(k, "unix", "leaf", &y));	/* a module may have that name */
	EXPECT(!gi_sym_find(k, "unix", "plain", &y));
	EXPECT(gi_type_find_in(k, "unix", GI_T_STRUCT, "own") != 0);
	EXPECT_EQ(gi_type_find_in(k, "kernel", GI_T_STRUCT, "own"), 0);
	gi_kernel_close(k);
	fake_free(&f);
}

TEST(a_module_loaded_later_has_names)
{
	struct gi_kernel *k;
	struct gi_sym y;
	struct fake f;
	uint64_t n;
	unsigned i;

	make(&f, true);
	fm_one(&f, 0, "one");
	k = open_with(&f);
	EXPECT(!gi_sym_at(k, FM_VA(1, 0) + 0x205, &y));
	EXPECT(!gi_mods_again(k, FM_VA(1, 0) + 0x205));
	fm_one(&f, 1, "late");
	EXPECT(!gi_mods_again(k, FM_VA(1, 0) + 0x206));	/* that page was looked for */
	EXPECT(gi_mods_again(k, FM_VA(1, 1)));
	EXPECT(gi_sym_at(k, FM_VA(1, 0) + 0x205, &y));
	EXPECT_STREQ(y.mod, "late");
	EXPECT_STREQ(y.name, "leaf");
	EXPECT(gi_sym_find(k, "one", "leaf", &y));
	EXPECT_EQ(k->mods->v[1].nprobes, 0);
	EXPECT_EQ(gi_nmods(k), 2);
	/* another at the place of one, and one elsewhere */
	fm_put(&f, 0, 0x1018, 'x', 1);
	EXPECT(!gi_mods_again(k, FM_VA(2, 0)));
	EXPECT(gi_sym_at(k, FM_VA(0, 0) + 0x205, &y));
	EXPECT_STREQ(y.mod, "xne");
	EXPECT_EQ(gi_nmods(k), 3);
	for (i = 0; i < 1000; i++) {			/* it has an end */
		n = f.nreads;
		gi_mods_again(k, FAKE_MODS + 0x10000000 + i * 4096ull);
	}
	EXPECT_EQ(f.nreads, n);
	gi_kernel_close(k);
	fake_free(&f);
}

/* ---- probes ---- */

static uint32_t
probe_no(const struct gi_kernel *k, const char *mod, const char *func, const char *name)
{
	struct gi_probe p;
	size_t i;

	for (i = 0; i < gi_nprobes(k); i++)
		if (gi_probe_name(k, i, &p) && strcmp(p.mod, mod) == 0 &&
		    strcmp(p.func, func) == 0 && strcmp(p.name, name) == 0 &&
		    gi_probe_exists(k, i))
			return (uint32_t)i;
	return DV_NONE;
}

static const struct dv_site *
site_at(const struct gi_sites *s, uint64_t addr)
{
	size_t i;

	for (i = 0; i < s->nsites; i++)
		if (s->sites[i].addr == addr)
			return &s->sites[i];
	return NULL;
}

TEST(functions_of_modules_are_probes_with_types)
{
	struct gi_kernel *k;
	struct gi_probe p;
	struct dv_err err;
	struct fake f;
	const char *mod;
	size_t end;
	uint32_t w;

	make(&f, true);
	fm_one(&f, 1, "two");
	fm_one(&f, 0, "one");
	k = open_with(&f);
	EXPECT_EQ(gi_probes_open(k, &err), 0);
	w = probe_no(k, "two", "work", "entry");
	EXPECT(w != DV_NONE);
	gi_probe(k, w, &p);
	EXPECT_STREQ(p.prov, "fbt");
	EXPECT_EQ(p.nargs, 2);
	EXPECT_STREQ(p.args[0].native, "struct own *");
	w = probe_no(k, "two", "work", "return");
	gi_probe(k, w, &p);
	EXPECT_EQ(p.nargs, 2);
	EXPECT_STREQ(p.args[1].native, "int");
	EXPECT(probe_no(k, "one", "init_module", "entry") != DV_NONE);
	EXPECT(probe_no(k, "one", "init_module", "return") == DV_NONE);	/* never */
	EXPECT(probe_no(k, "one", "state", "entry") == DV_NONE);		/* data */
	EXPECT(gi_probe_run(k, 0, &mod, &end));
	EXPECT_STREQ(mod, "vmlinux");
	EXPECT(gi_probe_run(k, end, &mod, &end));
	EXPECT_STREQ(mod, "one");
	EXPECT(gi_probe_run(k, end, &mod, &end));
	EXPECT_STREQ(mod, "two");
	EXPECT_EQ(end, gi_nprobes(k));
	EXPECT(!gi_probe_run(k, end, &mod, &end));
	gi_kernel_close(k);
	fake_free(&f);
}

TEST(sites_in_a_module_go_with_it)
{
	const struct gi_rule *gone;
	const struct dv_site *s1;
	struct gi_kernel *k;
	struct gi_sites *s;
	struct dv_err err;
	struct fake f;
	uint32_t w[2];
	char want[64];

	make(&f, true);
	fm_one(&f, 1, "two");
	fm_one(&f, 0, "one");
	k = open_with(&f);
	EXPECT_EQ(gi_probes_open(k, &err), 0);
	w[0] = probe_no(k, "vmlinux", "plain", "entry");
	w[1] = probe_no(k, "two", "work", "return");
	if (gi_sites_make(k, w, 2, &err, &s) != 0)
		FAIL("%s", err.text);
	s1 = site_at(s, FM_VA(1, 0) + 0x107);		/* the tail jump */
	EXPECT(s1 != NULL);
	EXPECT_EQ(s->rules[s1->rule].kind, DV_RULE_TAIL);
	EXPECT_EQ(s1->group, 2);
	s1 = site_at(s, BASE + 0x200b);			/* plain returns for it */
	EXPECT(s1 != NULL);
	EXPECT_EQ(s1->group, 0);
	s1 = site_at(s, BASE + 0x2e05);			/* free_module */
	EXPECT(s1 != NULL);
	EXPECT_EQ(s1->nrule, 1);			/* module one has no site */
	gone = &s->rules[s1->rule];
	EXPECT_EQ(gone->kind, DV_RULE_GONE);
	EXPECT_EQ(gone->probe, 2);
	snprintf(want, sizeof(want), "arg0 == 0x%llxull", (unsigned long long)FM_MODULE(1));
	EXPECT_STREQ(s->exprs[gone->guard], want);
	EXPECT(strstr(s->exprs[gone->sel.value], "== 0x0ull && *(uint64_t *)0x") != NULL);
	gi_sites_free(s);
	gi_kernel_close(k);
	fake_free(&f);
}

/* ---- saved ---- */

TEST(a_snapshot_has_modules_and_the_cache_has_not)
{
	struct gi_kernel *k, *l;
	struct gi_probe p;
	struct dv_err err;
	struct gi_sym y;
	struct fake f;
	void *data;
	uint32_t w;
	size_t len;
	int all;

	make(&f, true);
	fm_one(&f, 1, "two");
	fm_one(&f, 0, "one");
	k = open_with(&f);
	EXPECT_EQ(gi_probes_open(k, &err), 0);
	EXPECT(gi_type_find_in(k, "two", GI_T_STRUCT, "own") != 0);	/* before one's */
	w = probe_no(k, "one", "work", "return");
	for (all = 0; all < 2; all++) {
		EXPECT_EQ(gi_kernel_save(k, all, &err, &data, &len), 0);
		if (gi_kernel_load(NULL, NULL, 0, data, len, &err, &l) != 0)
			FAIL("%s", err.text);
		EXPECT_EQ(gi_nmods(l), all ? 2 : 0);
		EXPECT_EQ(gi_sym_find(l, "two", "leaf", &y), all);
		if (all) {
			EXPECT_EQ(y.addr, FM_VA(1, 0) + 0x200);
			EXPECT_EQ(gi_nprobes(l), gi_nprobes(k));
			EXPECT_EQ(gi_nsyms(l), gi_nsyms(k));
			EXPECT_EQ(probe_no(l, "one", "work", "return"), w);
			EXPECT(probe_no(l, "one", "init_module", "return") == DV_NONE);
			gi_probe(l, w - 1, &p);
			EXPECT_STREQ(p.args[0].native, "struct own *");
			EXPECT_EQ(gi_offsetof(l, "own", "left"), -1);	/* not the kernel's */
			EXPECT(gi_type_find_in(l, NULL, GI_T_STRUCT, "own") != 0);
		}
		gi_kernel_close(l);
		/* a guest has its own, wherever they are now */
		EXPECT_EQ(gi_kernel_load(&f.mem, &f.cpu, 1, data, len, &err, &l), 0);
		EXPECT_EQ(gi_nmods(l), 2);
		EXPECT(gi_sym_find(l, "one", "leaf", &y));
		EXPECT_EQ(probe_no(l, "one", "work", "return"), w);
		gi_kernel_close(l);
		free(data);
	}
	gi_kernel_close(k);
	fake_free(&f);
}

TEST_MAIN()
