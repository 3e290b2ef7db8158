/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gi_kernel_test.c - a kernel is found, saved, loaded; its probes get sites. */
#include "test.h"
#include "unit/gi_fake.h"

#define BASE	0xffffffff81000000ull
#define BASE2	0xffffffffa4200000ull

static struct gi_kernel *
open_fake(struct fake *f, unsigned layout, unsigned levels, uint64_t base)
{
	struct gi_kernel *k = NULL;
	struct dv_err err;

	fake_make(f, layout, levels, base);
	if (gi_kernel_open(&f->mem, &f->cpu, 1, &err, &k) != 0)
		FAIL("%s", err.text);
	return k;
}

TEST(found_in_all_layouts_and_levels)
{
	unsigned layout, levels;

	for (layout = 1; layout <= 4; layout++) {
		for (levels = 4; levels <= 5; levels++) {
			struct gi_kernel *k;
			struct gi_sym y;
			struct fake f;

			k = open_fake(&f, layout, levels, BASE2);
			EXPECT_EQ(k->base, BASE2);
			EXPECT_STREQ(gi_kernel_release(k), "9.9.9-fake");
			EXPECT_STREQ(k->id, "deadbeef0102030405060708090a0b0c0d0e0f10");
			EXPECT(gi_sym_find(k, NULL, "plain", &y));
			EXPECT_EQ(y.addr, BASE2 + 0x2000);
			EXPECT_EQ(y.size, 0x100);
			EXPECT(gi_sym_find(k, "genunix", "plain", &y));
			EXPECT(!gi_sym_find(k, "ext4", "plain", &y));
			EXPECT(gi_sym_at(k, BASE2 + 0x2001, &y));
			EXPECT_STREQ(y.name, "plain");		/* the global one of two */
			EXPECT(!gi_sym_at(k, 0x1000, &y));
			gi_kernel_close(k);
			fake_free(&f);
		}
	}
}

TEST(with_page_table_isolation_the_user_root_will_do)
{
	struct gi_kernel *k = NULL;
	struct dv_err err;
	struct fake f;

	fake_make(&f, 1, 4, BASE);
	/* the kernel's root on an even page, the user's, empty, on the next */
	memcpy(f.ram + 0x6000, fake_img(&f, 0x285000), 4096);
	f.cpu.cr3 = 0x7000 | 0x5;			/* PCID bits, too */
	EXPECT_EQ(gi_kernel_open(&f.mem, &f.cpu, 1, &err, &k), 0);
	EXPECT_EQ(k->root.v, FAKE_IMG + 0x285000);	/* init_mm's from now on */
	gi_kernel_close(k);
	fake_free(&f);
}

TEST(an_empty_init_root_is_not_used_yet)
{
	struct gi_kernel *k = NULL;
	struct dv_err err;
	struct fake f;
	uint64_t v;

	fake_make(&f, 1, 4, BASE);
	memcpy(f.ram + 0x6000, fake_img(&f, 0x285000), 4096);
	memset(fake_img(&f, 0x285000), 0, 4096);
	f.cpu.cr3 = 0x6000;
	EXPECT_EQ(gi_kernel_open(&f.mem, &f.cpu, 1, &err, &k), 0);
	EXPECT_EQ(k->root.v, 0x6000);
	EXPECT_EQ(gi_read(k, DV_GVA(BASE + 0x283000), &v, 8, &err), 0);
	EXPECT_EQ(v, 0xffff888000100000ull);
	gi_kernel_close(k);
	fake_free(&f);
}

TEST(no_kernel_is_said_so)
{
	struct gi_kernel *k;
	struct dv_err err;
	struct fake f;

	fake_make(&f, 1, 4, BASE);
	f.cpu.lstar = 0;
	EXPECT_EQ(gi_kernel_open(&f.mem, &f.cpu, 1, &err, &k), DV_E_NOENT);
	EXPECT(strstr(err.text, "no vCPU has a kernel address") != NULL);
	f.cpu.lstar = BASE + 0x40000000;
	EXPECT_EQ(gi_kernel_open(&f.mem, &f.cpu, 1, &err, &k), DV_E_NOENT);
	f.cpu.lstar = BASE + 0x1100;
	memset(fake_img(&f, FAKE_KSYMS), 0, 0x80000);
	EXPECT_EQ(gi_kernel_open(&f.mem, &f.cpu, 1, &err, &k), DV_E_NOENT);
	EXPECT(strstr(err.text, "token table") != NULL);
	fake_free(&f);
}

TEST(layout_has_the_offsets)
{
	struct gi_kernel *k;
	struct dv_layout l;
	struct dv_err err;
	struct fake f;

	k = open_fake(&f, 1, 4, BASE);
	EXPECT_EQ(gi_kernel_layout(k, &err, &l), 0);
	EXPECT_EQ(l.present, 1);
	EXPECT_EQ(l.task_pid, 32);
	EXPECT_EQ(l.task_stack, 8);
	EXPECT_EQ(l.task_cred, DV_NO_OFF);
	EXPECT_EQ(l.pcpu_current, 0x40);
	EXPECT_EQ(l.ptregs_size, 168);
	EXPECT_EQ(l.ncpu, 2);			/* the third entry repeats the second */
	EXPECT_EQ(l.pcpu_base[1], 0xffff888000200000ull);
	EXPECT_EQ(l.page_offset, 0xffff888000000000ull);
	EXPECT_EQ(l.text_end - l.text_start, 0x10000);
	gi_kernel_close(k);
	fake_free(&f);
}

/* ---- probes ---- */

static uint32_t
probe_no(struct gi_kernel *k, const char *prov, const char *func, const char *name)
{
	size_t i;

	for (i = 0; i < gi_nprobes(k); i++) {
		struct gi_probe p;

		gi_probe(k, i, &p);
		if (strcmp(p.prov, prov) == 0 && strcmp(p.func, func) == 0 &&
		    strcmp(p.name, name) == 0)
			return p.index;
	}
	return DV_NONE;
}

static struct gi_sites *
sites(struct gi_kernel *k, const uint32_t *want, size_t n)
{
	struct gi_sites *s = NULL;
	struct dv_err err;

	if (gi_sites_make(k, want, n, &err, &s) != 0)
		FAIL("%s", err.text);
	return s;
}

TEST(fbt_lists_functions_and_not_parts)
{
	struct gi_kernel *k;
	struct dv_err err;
	struct gi_probe p;
	struct fake f;

	k = open_fake(&f, 3, 4, BASE);
	EXPECT_EQ(gi_probes_open(k, &err), 0);
	EXPECT(probe_no(k, "fbt", "plain", "entry") != DV_NONE);
	EXPECT(probe_no(k, "fbt", "plain", "return") != DV_NONE);
	EXPECT(probe_no(k, "fbt", "alias_of_plain", "entry") == DV_NONE);
	EXPECT(probe_no(k, "fbt", "split.cold", "entry") == DV_NONE);
	EXPECT(probe_no(k, "fbt", "__x86_return_thunk", "entry") == DV_NONE);
	EXPECT(probe_no(k, "fbt", "endless", "entry") != DV_NONE);
	EXPECT(probe_no(k, "fbt", "endless", "return") == DV_NONE);
	EXPECT(probe_no(k, "fbt", "garbage", "entry") != DV_NONE);
	EXPECT(probe_no(k, "fbt", "garbage", "return") == DV_NONE);
	EXPECT_EQ(k->probes->nbad, 1);
	gi_probe(k, probe_no(k, "fbt", "plain", "entry"), &p);
	EXPECT_EQ(p.nargs, 2);
	EXPECT_STREQ(p.args[0].native, "struct task_struct *");
	EXPECT_EQ(p.flags, DV_PF_ENTRY);
	gi_probe(k, probe_no(k, "fbt", "plain", "return"), &p);
	EXPECT_EQ(p.nargs, 2);
	EXPECT_STREQ(p.args[1].native, "int");
	gi_probe(k, probe_no(k, "fbt", "tailer", "return"), &p);
	EXPECT_EQ(p.nargs, 1);				/* void */
	gi_kernel_close(k);
	fake_free(&f);
}

TEST(fbt_entry_is_after_the_prologue)
{
	struct gi_kernel *k;
	struct dv_err err;
	struct gi_sites *s;
	struct fake f;
	uint32_t w;

	k = open_fake(&f, 3, 4, BASE);
	EXPECT_EQ(gi_probes_open(k, &err), 0);
	w = probe_no(k, "fbt", "plain", "entry");
	s = sites(k, &w, 1);
	EXPECT_EQ(s->nsites, 1);
	EXPECT_EQ(s->sites[0].addr, BASE + 0x2009);
	EXPECT_EQ(s->sites[0].nbytes, 16);
	EXPECT_EQ(s->sites[0].bytes[0], 0x31);
	EXPECT_EQ(s->rules[0].kind, DV_RULE_FIRE);
	EXPECT_EQ(s->rules[0].probe, 0);
	EXPECT_EQ(s->argsets[s->rules[0].args].arg[0].reg, DV_REG_RDI);
	EXPECT_EQ(s->argsets[s->rules[0].args].arg[6].disp, 8);
	gi_sites_free(s);
	gi_kernel_close(k);
	fake_free(&f);
}

static const struct gi_rule *
rule_at(const struct gi_sites *s, uint64_t addr, unsigned i)
{
	size_t j;

	for (j = 0; j < s->nsites; j++)
		if (s->sites[j].addr == addr && i < s->sites[j].nrule)
			return &s->rules[s->sites[j].rule + i];
	return NULL;
}

TEST(fbt_return_follows_tail_jumps)
{
	const struct gi_rule *r;
	struct gi_kernel *k;
	struct dv_err err;
	struct gi_sites *s;
	struct fake f;
	uint32_t w;

	k = open_fake(&f, 3, 4, BASE);
	EXPECT_EQ(gi_probes_open(k, &err), 0);
	w = probe_no(k, "fbt", "chain", "return");
	s = sites(k, &w, 1);
	/* chain -> tailer (by je and jmp) -> plain, which returns for both */
	EXPECT_EQ(s->nsites, 2);
	r = rule_at(s, BASE + 0x2b00, 0);
	EXPECT(r != NULL);
	EXPECT_EQ(r->kind, DV_RULE_TAIL);
	EXPECT_EQ(r->probe, 0);
	EXPECT_EQ(r->retval, 1);
	r = rule_at(s, BASE + 0x200b, 0);
	EXPECT(r != NULL);
	EXPECT_EQ(r->kind, DV_RULE_RET);
	EXPECT_EQ(r->probe, DV_NONE);
	EXPECT_EQ(r->retval, 1);
	gi_sites_free(s);

	w = probe_no(k, "fbt", "tailer", "return");
	s = sites(k, &w, 1);
	r = rule_at(s, BASE + 0x2100, 0);		/* the conditional jump */
	EXPECT(r != NULL);
	EXPECT_EQ(r->kind, DV_RULE_TAIL);
	EXPECT_EQ(r->guard, GI_NOEXPR);
	{						/* and where it is not taken */
		const struct gi_rule *undo = rule_at(s, BASE + 0x2106, 0);

		EXPECT(undo != NULL);
		EXPECT_EQ(undo->kind, DV_RULE_UNTAIL);
		EXPECT_EQ(undo->probe, r->probe);
	}
	EXPECT_EQ(s->argsets[r->args].arg[1].kind, DV_LOC_ZERO);	/* void */
	r = rule_at(s, BASE + 0x2106, 1);
	EXPECT(r != NULL);
	EXPECT_EQ(r->kind, DV_RULE_TAIL);
	EXPECT_EQ(r->guard, GI_NOEXPR);
	gi_sites_free(s);
	gi_kernel_close(k);
	fake_free(&f);
}

TEST(one_site_returns_for_itself_and_for_others)
{
	const struct gi_rule *r;
	struct gi_kernel *k;
	struct dv_err err;
	struct gi_sites *s;
	struct fake f;
	uint32_t w[2];

	k = open_fake(&f, 3, 4, BASE);
	EXPECT_EQ(gi_probes_open(k, &err), 0);
	w[0] = probe_no(k, "fbt", "chain", "return");
	w[1] = probe_no(k, "fbt", "plain", "return");
	s = sites(k, w, 2);
	r = rule_at(s, BASE + 0x200b, 0);
	EXPECT(r != NULL);
	EXPECT_EQ(r->kind, DV_RULE_RET);
	EXPECT_EQ(r->probe, 1);
	EXPECT(rule_at(s, BASE + 0x200b, 1) == NULL);	/* RET serves the pending, too */
	gi_sites_free(s);
	gi_kernel_close(k);
	fake_free(&f);
}

TEST(fbt_return_of_odd_functions)
{
	const struct gi_rule *r;
	struct gi_kernel *k;
	struct dv_err err;
	struct gi_sites *s;
	struct fake f;
	uint32_t w;

	k = open_fake(&f, 3, 4, BASE);
	EXPECT_EQ(gi_probes_open(k, &err), 0);
	w = probe_no(k, "fbt", "indirect", "return");
	s = sites(k, &w, 1);
	r = rule_at(s, BASE + 0x2200, 0);
	EXPECT(r != NULL);
	EXPECT_EQ(r->kind, DV_RULE_FIRE);
	EXPECT_EQ(s->argsets[r->args].arg[1].kind, DV_LOC_FAULT);
	gi_sites_free(s);
	w = probe_no(k, "fbt", "by_thunk", "return");
	s = sites(k, &w, 1);
	r = rule_at(s, BASE + 0x2a00, 0);
	EXPECT(r != NULL);
	EXPECT_EQ(r->kind, DV_RULE_FIRE);
	gi_sites_free(s);
	w = probe_no(k, "fbt", "thunked", "return");
	s = sites(k, &w, 1);
	r = rule_at(s, BASE + 0x2700, 0);
	EXPECT(r != NULL);
	EXPECT_EQ(r->kind, DV_RULE_RET);
	EXPECT_EQ(s->argsets[r->args].arg[0].value, 0);
	gi_sites_free(s);
	w = probe_no(k, "fbt", "split", "return");	/* to .cold and back: one return */
	s = sites(k, &w, 1);
	EXPECT_EQ(s->nsites, 1);
	EXPECT_EQ(s->sites[0].addr, BASE + 0x2406);
	gi_sites_free(s);
	gi_kernel_close(k);
	fake_free(&f);
}

TEST(entry_is_seen_once_where_a_loop_begins)
{
	struct gi_kernel *k;
	struct dv_err err;
	struct gi_sites *s;
	struct fake f;
	uint32_t w;

	k = open_fake(&f, 3, 4, BASE);
	EXPECT_EQ(gi_probes_open(k, &err), 0);
	w = probe_no(k, "fbt", "loopy", "entry");
	s = sites(k, &w, 1);
	EXPECT_EQ(s->sites[0].addr, BASE + 0x2c00);	/* the nop, not the loop's head */
	gi_sites_free(s);
	gi_kernel_close(k);
	fake_free(&f);
}

TEST(jumps_to_altinstr_aux_are_no_returns)
{
	struct gi_kernel *k;
	struct dv_err err;
	struct gi_sites *s;
	struct fake f;
	uint32_t w;

	k = open_fake(&f, 3, 4, BASE);
	EXPECT_EQ(gi_probes_open(k, &err), 0);
	w = probe_no(k, "fbt", "aux", "return");
	s = sites(k, &w, 1);
	EXPECT_EQ(s->nsites, 1);
	EXPECT_EQ(s->sites[0].addr, BASE + 0x2d05);
	gi_sites_free(s);
	gi_kernel_close(k);
	fake_free(&f);
}

TEST(syscalls_come_from_the_table)
{
	const struct gi_rule *r;
	struct gi_kernel *k;
	struct dv_err err;
	struct gi_sites *s;
	size_t first, n;
	struct fake f;
	uint32_t w[2];

	k = open_fake(&f, 3, 4, BASE);
	EXPECT_EQ(gi_probes_open(k, &err), 0);
	EXPECT(gi_probe_range(k, "syscall", &first, &n));
	EXPECT_EQ(n, 6);				/* read newstat getpid */
	w[0] = probe_no(k, "syscall", "read", "entry");
	w[1] = probe_no(k, "syscall", "read", "return");
	EXPECT(w[0] != DV_NONE);
	EXPECT(probe_no(k, "syscall", "ni_syscall", "entry") == DV_NONE);
	s = sites(k, w, 2);
	r = rule_at(s, BASE + 0x1405, 0);		/* few: at the handler, by its caller */
	EXPECT(r != NULL);
	EXPECT_STREQ(s->exprs[r->guard], "arg0 == 0xffffffff81001109ull");
	EXPECT_EQ(s->argsets[r->args].arg[0].reg, DV_REG_RDI);
	EXPECT_EQ(s->argsets[r->args].arg[0].disp, 14 * 8);
	r = rule_at(s, BASE + 0x1109, 0);
	EXPECT(r != NULL);
	EXPECT_EQ(r->sel.kind, DV_LOC_MEM);
	EXPECT_EQ(r->sel.reg, DV_REG_RBP);
	EXPECT_EQ(r->sel.disp, 15 * 8);
	EXPECT_EQ(r->nselect, 8);
	EXPECT_EQ(s->select[r->probe + 0], 1);		/* two numbers, one handler */
	EXPECT_EQ(s->select[r->probe + 4], 1);
	EXPECT_EQ(s->select[r->probe + 1], DV_NONE);
	gi_sites_free(s);
	gi_kernel_close(k);
	fake_free(&f);
}

TEST(sched_probes_share_the_switch)
{
	struct gi_kernel *k;
	struct dv_err err;
	struct gi_sites *s;
	struct gi_probe p;
	struct fake f;
	uint32_t w[3];

	k = open_fake(&f, 3, 4, BASE);
	EXPECT_EQ(gi_probes_open(k, &err), 0);
	w[0] = probe_no(k, "sched", "__switch_to_asm", "off-cpu");
	w[1] = probe_no(k, "sched", "__switch_to_asm", "dequeue");
	w[2] = probe_no(k, "sched", "__switch_to_asm", "enqueue");
	s = sites(k, w, 3);
	EXPECT_EQ(s->nsites, 1);
	EXPECT_EQ(s->rules[0].probe, 2);		/* enqueue, dequeue, off-cpu */
	EXPECT_EQ(s->rules[1].probe, 1);
	EXPECT_EQ(s->rules[2].probe, 0);
	gi_sites_free(s);
	gi_probe(k, w[2], &p);
	EXPECT_EQ(p.nargs, 4);
	EXPECT_STREQ(p.args[2].xlate, "cpuinfo_t *");
	EXPECT_STREQ(p.args[3].native, "int");
	gi_kernel_close(k);
	fake_free(&f);
}

TEST(copies_of_a_function_are_one_probe)
{
	struct gi_kernel *k;
	struct dv_err err;
	struct gi_sites *s;
	struct fake f;
	uint32_t w;

	k = open_fake(&f, 3, 4, BASE);
	EXPECT_EQ(gi_probes_open(k, &err), 0);
	w = probe_no(k, "sched", "finish_task_switch.isra.0", "on-cpu");
	s = sites(k, &w, 1);
	EXPECT_EQ(s->nsites, 2);
	EXPECT_EQ(s->sites[0].addr, f.base + 0x2f00);
	EXPECT_EQ(s->sites[1].addr, f.base + 0x3000);
	EXPECT_EQ(s->rules[0].probe, 0);
	EXPECT_EQ(s->rules[1].probe, 0);
	gi_sites_free(s);
	gi_kernel_close(k);
	fake_free(&f);
}

/* This kernel has one of the functions only: each of the other names says so. */
TEST(proc_probes_without_functions_say_why)
{
	static const char *const names[] = { "create", "exec", "exec-failure", "exec-success", "exit",
	    "fault", "lwp-create", "lwp-exit", "lwp-start", "signal-clear", "signal-discard",
	    "signal-handle", "signal-send", "start" };
	struct gi_kernel *k;
	struct dv_err err;
	struct gi_probe p;
	struct fake f;
	size_t first, n, i;

	k = open_fake(&f, 3, 4, BASE);
	EXPECT_EQ(gi_probes_open(k, &err), 0);
	EXPECT(gi_probe_range(k, "proc", &first, &n));
	EXPECT_EQ(n, sizeof(names) / sizeof(names[0]));
	for (i = 0; i < n && i < sizeof(names) / sizeof(names[0]); i++) {
		gi_probe(k, first + i, &p);
		EXPECT_STREQ(p.prov, "proc");
		EXPECT_STREQ(p.name, names[i]);
		if (strcmp(p.name, "exit") == 0 || strcmp(p.name, "lwp-exit") == 0) {
			EXPECT_STREQ(p.func, "taskstats_exit");	/* there is no acct_collect */
			EXPECT(gi_probe_exists(k, first + i));
			continue;
		}
		EXPECT(p.why_not != NULL);
		EXPECT(!gi_probe_exists(k, first + i));
	}
	gi_kernel_close(k);
	fake_free(&f);
}

/* ---- saved kernels ---- */

TEST(a_saved_kernel_comes_back_at_another_base)
{
	struct gi_kernel *k, *l = NULL;
	struct dv_err err;
	struct gi_sym y;
	struct fake f, g;
	void *data;
	size_t len, n;

	k = open_fake(&f, 1, 4, BASE);
	EXPECT_EQ(gi_kernel_save(k, false, &err, &data, &len), 0);
	n = gi_nprobes(k);
	fake_make(&g, 1, 5, BASE2);
	if (gi_kernel_load(&g.mem, &g.cpu, 1, data, len, &err, &l) != 0)
		FAIL("%s", err.text);
	EXPECT(g.nbytes < FAKE_LEN / 16);		/* it knows where to look */
	EXPECT_EQ(l->base, BASE2);
	EXPECT_EQ(gi_nprobes(l), n);
	EXPECT(gi_sym_find(l, NULL, "plain", &y));
	EXPECT_EQ(y.addr, BASE2 + 0x2000);
	EXPECT(gi_sym_find(l, NULL, "current_task", &y));
	EXPECT_EQ(y.addr, 0x40);			/* per-CPU: does not move */
	EXPECT(gi_offsetof(l, "task_struct", "pid") == 32);
	gi_kernel_close(l);
	/* without a guest */
	EXPECT_EQ(gi_kernel_load(NULL, NULL, 0, data, len, &err, &l), 0);
	EXPECT_EQ(gi_nprobes(l), n);
	EXPECT_EQ(gi_read(l, DV_GVA(BASE), &n, 8, &err), DV_E_GUEST);
	gi_kernel_close(l);
	/* another build */
	fake_img(&g, 0x281000)[20] ^= 1;
	EXPECT_EQ(gi_kernel_load(&g.mem, &g.cpu, 1, data, len, &err, &l), DV_E_NOENT);
	EXPECT(strstr(err.text, "is another") != NULL);
	free(data);
	gi_kernel_close(k);
	fake_free(&f);
	fake_free(&g);
}

TEST(damaged_files_are_refused)
{
	struct gi_kernel *k, *l;
	struct dv_err err;
	struct fake f;
	uint8_t *data;
	void *p;
	size_t len, i;

	k = open_fake(&f, 1, 4, BASE);
	EXPECT_EQ(gi_kernel_save(k, false, &err, &p, &len), 0);
	data = p;
	for (i = 0; i < len; i += 1 + len / 997)
		EXPECT_EQ(gi_kernel_load(NULL, NULL, 0, data, i, &err, &l), DV_E_FORMAT);
	for (i = 0; i < len; i += 1 + len / 997) {
		data[i] ^= 0x40;
		EXPECT_EQ(gi_kernel_load(NULL, NULL, 0, data, len, &err, &l), DV_E_FORMAT);
		EXPECT(err.text[0] != 0);
		data[i] ^= 0x40;
	}
	free(data);
	gi_kernel_close(k);
	fake_free(&f);
}

TEST(prelude_names_this_kernels_members)
{
	struct gi_kernel *k;
	struct dv_err err;
	struct fake f;
	char *text;

	k = open_fake(&f, 1, 4, BASE);
	text = gi_prelude(k, &err);
	EXPECT(text != NULL);
	EXPECT(strstr(text, "T->__state") != NULL);
	EXPECT(strstr(text, "translator psinfo_t") != NULL);
	free(text);
	gi_kernel_close(k);
	fake_free(&f);
}

TEST_MAIN()
