/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gi_fake.h - a guest made of bytes, for the tests of guest-introspect.
 *
 * Physical memory of 8 MB: page tables from 0x1000, the kernel image of 4 MB at
 * 2 MB, mapped by two large pages at `base`. Offsets in the image:
 *
 *	0x000000	text: functions as fake_text() makes them
 *	0x100000	kallsyms tables, in one of the four layouts of ksyms.c
 *	0x200000	BTF	0x280000 banner		0x281000 .notes
 *	0x282000	sys_call_table	0x283000 __per_cpu_offset
 *	0x284000	init_task, page_offset_base	0x285000 init_top_pgt
 *	0x286000	modules, btf_modules
 *
 * 2 MB of modules are at 6 MB, mapped at FAKE_MODS; fake_mod_add() puts one there.
 */
#ifndef GI_FAKE_H
#define GI_FAKE_H

#include "guest-introspect/func.h"

#include <stdio.h>

#define FAKE_RAM	0x800000u
#define FAKE_IMG	0x200000u	/* physical */
#define FAKE_LEN	0x400000u
#define FAKE_KSYMS	0x100000u
#define FAKE_BTF	0x200000u
#define FAKE_MODS	0xffffffffc0000000ull
#define FAKE_MODS_PA	0x600000u

/* Offsets in struct task_struct; its stack is at 8, its pid at 32. */
#define FAKE_TASKS	72
#define FAKE_NODE	88
#define FAKE_SIGNAL	104
#define FAKE_ONCPU	112
#define FAKE_NVCSW	120
#define FAKE_BORN	136
#define FAKE_SP		144

struct fake_btf {
	uint8_t types[8192];
	size_t tlen;
	char strs[4096];
	size_t slen;
	uint32_t n;
	uint32_t stroff;	/* of a module: where the kernel's strings end */
};

struct fake {
	uint8_t *ram;
	uint64_t base;
	uint64_t nreads, nbytes;
	size_t ksyms_end;	/* offset in the image after the tables */
	struct fake_btf btf;	/* the kernel's */
	struct gi_mem mem;
	struct gi_cpu cpu;
};

struct fake_sym {
	const char *name;
	uint32_t off;
	char type;
	bool percpu;
};

static const struct fake_sym fake_syms[] = {
	{ "current_task", 0x40, 'D', true },
	{ "__preempt_count", 0x48, 'D', true },
	{ "runqueues", 0x100, 'D', true },
	{ "_text", 0, 'T', false },
	{ "_stext", 0, 'T', false },
	{ "x64_sys_call", 0x1000, 'T', false },
	{ "do_syscall_64", 0x1100, 'T', false },
	{ "ret_from_fork", 0x1200, 'T', false },
	{ "schedule_tail", 0x1300, 'T', false },
	{ "__x64_sys_read", 0x1400, 'T', false },
	{ "__x64_sys_newstat", 0x1500, 'T', false },
	{ "__x64_sys_ni_syscall", 0x1600, 'T', false },
	{ "__x64_sys_getpid", 0x1700, 'T', false },
	{ "__switch_to_asm", 0x1800, 'T', false },
	{ "try_to_wake_up", 0x1900, 'T', false },
	{ "plain", 0x2000, 'T', false },		/* ret */
	{ "alias_of_plain", 0x2000, 't', false },
	{ "tailer", 0x2100, 'T', false },		/* jmp plain; je plain */
	{ "indirect", 0x2200, 'T', false },		/* jmp *rax */
	{ "endless", 0x2300, 'T', false },		/* jmp . */
	{ "split", 0x2400, 'T', false },		/* je split.cold */
	{ "split.cold", 0x2500, 't', false },
	{ "garbage", 0x2600, 'T', false },
	{ "thunked", 0x2700, 'T', false },		/* jmp __x86_return_thunk */
	{ "__x86_return_thunk", 0x2800, 'T', false },
	{ "__pi___x86_indirect_thunk_rax", 0x2900, 'T', false },	/* as 7.x has it */
	{ "__x86_indirect_thunk_rax", 0x2900, 'T', false },
	{ "by_thunk", 0x2a00, 'T', false },		/* jmp __x86_indirect_thunk_rax */
	{ "chain", 0x2b00, 'T', false },		/* jmp tailer */
	{ "loopy", 0x2c00, 'T', false },		/* loops to right after its nop */
	{ "aux", 0x2d00, 'T', false },			/* by .altinstr_aux and back */
	{ "free_module", 0x2e00, 't', false },
	{ "taskstats_exit", 0x2e80, 'T', false },
	{ "__mutex_lock", 0x3400, 'T', false },
	{ "futex_do_wait", 0x3500, 'T', false },
	{ "autoremove_wake_function", 0x3600, 'T', false },
	{ "finish_task_switch.isra.0", 0x2f00, 't', false },
	{ "finish_task_switch.constprop.0", 0x3000, 't', false },
	{ "_etext", 0x10000, 'T', false },
	{ "__start_BTF", FAKE_BTF, 'D', false },
	{ "__stop_BTF", 0, 'D', false },		/* set by fake_make */
	{ "linux_banner", 0x280000, 'D', false },
	{ "__start_notes", 0x281000, 'D', false },
	{ "sys_call_table", 0x282000, 'D', false },
	{ "after_table", 0x282040, 'D', false },
	{ "__per_cpu_offset", 0x283000, 'D', false },
	{ "init_task", 0x284000, 'D', false },
	{ "page_offset_base", 0x284800, 'D', false },
	{ "init_top_pgt", 0x285000, 'D', false },
	{ "modules", 0x286000, 'D', false },
	{ "btf_modules", 0x286010, 'd', false },
	{ "__start_orc_unwind_ip", 0x287000, 'D', false },
	{ "__stop_orc_unwind_ip", 0x287014, 'D', false },
	{ "__start_orc_unwind", 0x287100, 'D', false },
	{ "__stop_orc_unwind", 0x28711e, 'D', false },
	{ "orc_lookup", 0x287200, 'd', false },
	{ "orc_lookup_end", 0x287604, 'D', false },
	{ "_end", 0x290000, 'D', false },
};
#define FAKE_NSYMS	(sizeof(fake_syms) / sizeof(fake_syms[0]))
#define FAKE_NFILL	300u		/* more symbols: the markers want some */

static inline int
fake_read(void *arg, dv_gpa_t at, void *buf, size_t len)
{
	struct fake *f = arg;

	if (at.v > FAKE_RAM || len > FAKE_RAM - at.v)
		return DV_E_GUEST;
	memcpy(buf, f->ram + at.v, len);
	f->nreads++;
	f->nbytes += len;
	return 0;
}

static inline void
fake_put(struct fake *f, uint64_t pa, uint64_t v)
{
	memcpy(f->ram + pa, &v, 8);
}

static inline uint8_t *
fake_img(struct fake *f, size_t off)
{
	return f->ram + FAKE_IMG + off;
}

/* ---- kallsyms ---- */

struct fake_out {
	uint8_t *p;
	size_t at;
};

static inline void
fake_bytes(struct fake_out *o, const void *p, size_t n)
{
	memcpy(o->p + o->at, p, n);
	o->at += n;
}

static inline void
fake_align(struct fake_out *o, size_t n)
{
	while (o->at % n != 0)
		o->p[o->at++] = 0;
}

struct fake_ent {
	char name[64];
	uint64_t addr;		/* or per-CPU offset */
	char type;
	bool percpu;
};

static inline unsigned
fake_list(struct fake *f, size_t btf_len, struct fake_ent *e)
{
	unsigned n = 0, i;

	for (i = 0; i < FAKE_NSYMS; i++, n++) {
		const struct fake_sym *s = &fake_syms[i];
		uint32_t off = strcmp(s->name, "__stop_BTF") == 0 ?
		    FAKE_BTF + (uint32_t)btf_len : s->off;

		snprintf(e[n].name, sizeof(e[n].name), "%s", s->name);
		e[n].addr = s->percpu ? off : f->base + off;
		e[n].type = s->type;
		e[n].percpu = s->percpu;
	}
	for (i = 0; i < FAKE_NFILL; i++, n++) {
		snprintf(e[n].name, sizeof(e[n].name), "task_filler_%u", i);
		e[n].addr = f->base + 0x290000 + 8 * i;
		e[n].type = 'd';
		e[n].percpu = false;
	}
	return n;
}

/* Token 1 is "task_", the others one character or a dummy. */
static inline void
fake_tokens(char tok[256][8])
{
	unsigned i;

	for (i = 0; i < 256; i++) {
		if (i > ' ' && i < 127)
			snprintf(tok[i], 8, "%c", (char)i);
		else
			snprintf(tok[i], 8, "~%c", 'A' + i % 26);
	}
	strcpy(tok[1], "task_");
}

static inline void
fake_offsets(struct fake *f, struct fake_out *o, const struct fake_ent *e, unsigned n,
    unsigned layout)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		int32_t v;

		if (layout == 4)
			v = (int32_t)(e[i].addr - (f->base + FAKE_KSYMS + o->at));
		else
			v = e[i].percpu ? (int32_t)e[i].addr : -1 - (int32_t)(e[i].addr - f->base);
		fake_bytes(o, &v, 4);
	}
}

static inline void
fake_ksyms(struct fake *f, size_t btf_len, unsigned layout)
{
	static struct fake_ent e[FAKE_NSYMS + FAKE_NFILL];
	struct fake_out o = { .p = fake_img(f, FAKE_KSYMS) };
	unsigned n = fake_list(f, btf_len, e), i, j;
	uint32_t mark[16];
	uint16_t index[256], at = 0;
	size_t names;
	char tok[256][8];

	fake_tokens(tok);
	if (layout == 4)	/* such kernels have per-CPU symbols in the image */
		for (i = 0; i < n; i++)
			if (e[i].percpu)
				e[i].addr += f->base + 0x300000;
	if (layout <= 2) {
		fake_offsets(f, &o, e, n, layout);
		fake_align(&o, 8);
		fake_bytes(&o, &f->base, 8);
	}
	fake_bytes(&o, &n, 4);
	fake_align(&o, 8);
	names = o.at;
	for (i = 0; i < n; i++) {
		const char *s = e[i].name;
		uint8_t buf[80], len = 0;

		if (i % 256 == 0)
			mark[i / 256] = (uint32_t)(o.at - names);
		buf[len++] = (uint8_t)e[i].type;
		for (j = 0; s[j] != 0; j++) {
			if (strncmp(s + j, "task_", 5) == 0) {
				buf[len++] = 1;
				j += 4;
			} else {
				buf[len++] = (uint8_t)s[j];
			}
		}
		fake_bytes(&o, &len, 1);
		fake_bytes(&o, buf, len);
	}
	fake_align(&o, 8);
	fake_bytes(&o, mark, 4 * ((n + 255) / 256));
	fake_align(&o, 8);
	if (layout == 2) {		/* seqs_of_names */
		for (i = 0; i < 3 * n; i++)
			o.p[o.at++] = (uint8_t)(i * 7 + 1);
		fake_align(&o, 8);
	}
	for (i = 0; i < 256; i++) {
		index[i] = at;
		at = (uint16_t)(at + strlen(tok[i]) + 1);
		fake_bytes(&o, tok[i], strlen(tok[i]) + 1);
	}
	fake_align(&o, 8);
	fake_bytes(&o, index, sizeof(index));
	if (layout >= 3) {
		fake_offsets(f, &o, e, n, layout);
		if (layout == 3) {
			fake_align(&o, 8);
			fake_bytes(&o, &f->base, 8);
		}
	}
	f->ksyms_end = FAKE_KSYMS + o.at;
}

/* ---- BTF ---- */

static inline uint32_t
fake_str(struct fake_btf *b, const char *s)
{
	uint32_t at;

	if (b->slen == 0)
		b->slen = 1;
	if (*s == 0)
		return 0;
	at = (uint32_t)b->slen;
	strcpy(b->strs + at, s);
	b->slen += strlen(s) + 1;
	return at + b->stroff;
}

static inline void
fake_word(struct fake_btf *b, uint32_t v)
{
	memcpy(b->types + b->tlen, &v, 4);
	b->tlen += 4;
}

/* Starts a record; the caller adds what the kind asks for. */
static inline uint32_t
fake_type(struct fake_btf *b, unsigned kind, const char *name, unsigned vlen, bool kflag,
    uint32_t size)
{
	fake_word(b, fake_str(b, name));
	fake_word(b, kind << 24 | vlen | (uint32_t)kflag << 31);
	fake_word(b, size);
	return ++b->n;
}

static inline uint32_t
fake_int(struct fake_btf *b, const char *name, uint32_t size, uint32_t enc)
{
	uint32_t id = fake_type(b, 1, name, 0, false, size);

	fake_word(b, enc << 24 | size * 8);
	return id;
}

static inline void
fake_member(struct fake_btf *b, const char *name, uint32_t type, uint32_t bits)
{
	fake_word(b, fake_str(b, name));
	fake_word(b, type);
	fake_word(b, bits);
}

static inline size_t
fake_btf_out(const struct fake_btf *b, uint8_t *out)
{
	uint32_t h[6] = { 0xeb9f | 1 << 16, 24, 0, (uint32_t)b->tlen, (uint32_t)b->tlen,
	    (uint32_t)b->slen };

	memcpy(out, h, 24);
	memcpy(out + 24, b->types, b->tlen);
	memcpy(out + 24 + b->tlen, b->strs, b->slen);
	return 24 + b->tlen + b->slen;
}

/* The types that layout and the providers look for. */
static inline void
fake_types(struct fake_btf *b)
{
	static const char *const regs[] = { "r15", "r14", "r13", "r12", "bp", "bx", "r11", "r10",
	    "r9", "r8", "ax", "cx", "dx", "si", "di", "orig_ax", "ip", "cs", "flags", "sp", "ss" };
	uint32_t i, u64, s32, chr, arr, task, ptask, inner, proto, cptr, cchr, vproto, list, thread;

	memset(b, 0, sizeof(*b));
	u64 = fake_int(b, "long unsigned int", 8, 0);
	s32 = fake_int(b, "int", 4, 1);
	chr = fake_int(b, "char", 1, 1);
	arr = fake_type(b, 3, "", 0, false, 0);
	fake_word(b, chr);
	fake_word(b, u64);
	fake_word(b, 16);
	inner = fake_type(b, 4, "", 2, false, 16);		/* anonymous */
	fake_member(b, "stack", u64, 0);
	fake_member(b, "flags", s32, 64);
	list = fake_type(b, 4, "list_head", 2, false, 16);
	fake_member(b, "next", u64, 0);
	fake_member(b, "prev", u64, 64);
	thread = fake_type(b, 4, "thread_struct", 1, false, 8);
	fake_member(b, "sp", u64, 0);
	task = fake_type(b, 4, "task_struct", 15, false, 256);
	fake_member(b, "__state", s32, 0);
	fake_member(b, "", inner, 64);
	fake_member(b, "pid", s32, 256);
	fake_member(b, "tgid", s32, 288);
	fake_member(b, "on_rq", s32, 320);
	fake_member(b, "comm", arr, 384);
	fake_member(b, "mm", u64, 512);
	fake_member(b, "tasks", list, 8 * FAKE_TASKS);
	fake_member(b, "thread_node", list, 8 * FAKE_NODE);
	fake_member(b, "signal", u64, 8 * FAKE_SIGNAL);
	fake_member(b, "on_cpu", s32, 8 * FAKE_ONCPU);
	fake_member(b, "nvcsw", u64, 8 * FAKE_NVCSW);
	fake_member(b, "nivcsw", u64, 8 * FAKE_NVCSW + 64);
	fake_member(b, "start_boottime", u64, 8 * FAKE_BORN);
	fake_member(b, "thread", thread, 8 * FAKE_SP);
	fake_type(b, 4, "signal_struct", 1, false, 32);
	fake_member(b, "thread_head", list, 128);
	ptask = fake_type(b, 2, "", 0, false, task);
	fake_type(b, 4, "pt_regs", 21, false, 168);
	for (i = 0; i < 21; i++)
		fake_member(b, regs[i], u64, i * 64);
	cchr = fake_type(b, 10, "", 0, false, chr);		/* const */
	cptr = fake_type(b, 2, "", 0, false, cchr);
	proto = fake_type(b, 13, "", 2, false, s32);
	fake_word(b, fake_str(b, "p"));
	fake_word(b, ptask);
	fake_word(b, fake_str(b, "name"));
	fake_word(b, cptr);
	fake_type(b, 12, "plain", 0, false, proto);
	vproto = fake_type(b, 13, "", 0, false, 0);
	fake_type(b, 12, "tailer", 0, false, vproto);
	fake_type(b, 6, "colour", 2, true, 4);
	fake_word(b, fake_str(b, "RED"));
	fake_word(b, 7);
	fake_word(b, fake_str(b, "BLUE"));
	fake_word(b, (uint32_t)-3);
	fake_type(b, 19, "wide", 1, false, 8);
	fake_word(b, fake_str(b, "HUGE_ONE"));
	fake_word(b, 5);
	fake_word(b, 1);
}

/* ---- text and data ---- */

static inline void
fake_code(struct fake *f, size_t off, const char *hex)
{
	unsigned v;
	int n;

	for (; sscanf(hex, " %2x%n", &v, &n) == 1; hex += n)
		fake_img(f, off++)[0] = (uint8_t)v;
}

/* e8, e9 or 0f 8x to a symbol's offset. */
static inline void
fake_branch(struct fake *f, size_t off, const char *op, size_t to)
{
	size_t n = strlen(op) / 3 + 1;
	int32_t rel = (int32_t)(to - (off + n + 4));

	fake_code(f, off, op);
	memcpy(fake_img(f, off + n), &rel, 4);
}

static inline void
fake_text(struct fake *f)
{
	memset(fake_img(f, 0), 0xcc, 0x10000);
	fake_code(f, 0x1000, "f3 0f 1e fa 0f 1f 44 00 00 c3");	/* x64_sys_call */
	fake_code(f, 0x1100, "55 48 89 fd");			/* do_syscall_64 */
	fake_branch(f, 0x1104, "e8", 0x1000);
	fake_code(f, 0x1109, "48 89 45 50 5d c3");
	fake_code(f, 0x1200, "48 89 c7");			/* ret_from_fork */
	fake_branch(f, 0x1203, "e8", 0x1300);
	fake_code(f, 0x1208, "48 85 db c3");
	fake_code(f, 0x1300, "c3");
	fake_code(f, 0x1400, "0f 1f 44 00 00 31 c0 c3");	/* read */
	fake_code(f, 0x1500, "31 c0 c3");
	fake_code(f, 0x1600, "c3");
	fake_code(f, 0x1700, "c3");
	fake_code(f, 0x1800, "55 53 c3");			/* __switch_to_asm */
	fake_code(f, 0x1900, "0f 1f 44 00 00 c3");
	fake_code(f, 0x2000, "f3 0f 1e fa 0f 1f 44 00 00 31 c0 c3");
	fake_branch(f, 0x2100, "0f 84", 0x2000);		/* tailer */
	fake_branch(f, 0x2106, "e9", 0x2000);
	fake_code(f, 0x2200, "ff e0");
	fake_code(f, 0x2300, "eb fe");
	fake_branch(f, 0x2400, "0f 84", 0x2500);		/* split */
	fake_code(f, 0x2406, "c3");
	fake_code(f, 0x2500, "90");
	fake_branch(f, 0x2501, "e9", 0x2406);
	fake_code(f, 0x2600, "31 c0 06 c3");
	fake_branch(f, 0x2700, "e9", 0x2800);
	fake_code(f, 0x2800, "c3");
	fake_code(f, 0x2900, "ff e0");
	fake_branch(f, 0x2a00, "e9", 0x2900);
	fake_branch(f, 0x2b00, "e9", 0x2100);
	fake_code(f, 0x2c00, "0f 1f 44 00 00 ff c8 75 fc c3");
	fake_branch(f, 0x2d00, "e9", 0x2a0000);
	fake_code(f, 0x2d05, "c3");
	fake_code(f, 0x2e00, "0f 1f 44 00 00 c3");
	fake_code(f, 0x3400, "0f 1f 44 00 00 e8 00 00 00 00 c3");	/* __mutex_lock */
	fake_code(f, 0x3500, "0f 1f 44 00 00 e8 00 00 00 00 c3");	/* futex_do_wait */
	fake_code(f, 0x3600, "c3");
}

static inline void
fake_data(struct fake *f)
{
	static const uint8_t note[36] = { 4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0,
	    0xde, 0xad, 0xbe, 0xef, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
	static const uint32_t table[8] = { 0x1400, 0x1500, 0x1600, 0x1700, 0x1400, 0x1600,
	    0x1600, 0x1600 };
	unsigned i;

	strcpy((char *)fake_img(f, 0x280000), "Linux version 9.9.9-fake (who@where) #1\n");
	memcpy(fake_img(f, 0x281000), note, sizeof(note));
	/* a vDSO before it must not be taken */
	memcpy(fake_img(f, 0x27f000), "\177ELF\2", 5);
	fake_img(f, 0x27f000)[0x29] = 8;	/* section headers at 0x800 */
	memcpy(fake_img(f, 0x27f400), note, 16);
	for (i = 0; i < 8; i++)
		fake_put(f, FAKE_IMG + 0x282000 + 8 * i, f->base + table[i]);
	fake_put(f, FAKE_IMG + 0x283000, 0xffff888000100000ull);
	fake_put(f, FAKE_IMG + 0x283008, 0xffff888000200000ull);
	fake_put(f, FAKE_IMG + 0x283010, 0xffff888000200000ull);
	fake_put(f, FAKE_IMG + 0x284800, 0xffff888000000000ull);
}

/* Two large pages at base, by 4 or 5 levels; root is init_top_pgt in the image. */
static inline void
fake_tables(struct fake *f, unsigned levels)
{
	uint64_t root = FAKE_IMG + 0x285000, next = 0x1000;

	if (levels == 5) {
		fake_put(f, root + 8 * 511, 0x3003);
		root = 0x3000;
	}
	fake_put(f, root + 8 * (f->base >> 39 & 511), next | 3);
	fake_put(f, next + 8 * (f->base >> 30 & 511), 0x2003);
	fake_put(f, 0x2000 + 8 * (f->base >> 21 & 511), FAKE_IMG | 0x83);
	fake_put(f, 0x2000 + 8 * ((f->base >> 21 & 511) + 1), (FAKE_IMG + 0x200000) | 0x83);
	fake_put(f, next + 8 * (FAKE_MODS >> 30 & 511), 0x4003);
	fake_put(f, 0x4000 + 8 * (FAKE_MODS >> 21 & 511), FAKE_MODS_PA | 0x83);
	fake_put(f, FAKE_IMG + 0x286000, f->base + 0x286000);
	fake_put(f, FAKE_IMG + 0x286010, f->base + 0x286010);
}

/* `more` adds types to the kernel's, or is NULL. */
static inline void
fake_make_with(struct fake *f, unsigned layout, unsigned levels, uint64_t base,
    void (*more)(struct fake_btf *b))
{
	static struct fake_btf b;
	size_t len;

	memset(f, 0, sizeof(*f));
	f->ram = calloc(1, FAKE_RAM);
	f->base = base;
	f->mem = (struct gi_mem){ fake_read, f };
	fake_types(&b);
	if (more != NULL)
		more(&b);
	f->btf = b;
	len = fake_btf_out(&b, fake_img(f, FAKE_BTF));
	fake_text(f);
	fake_data(f);
	fake_ksyms(f, len, layout);
	fake_tables(f, levels);
	f->cpu = (struct gi_cpu){ .lstar = base + 0x1100, .cr3 = FAKE_IMG + 0x285000,
	    .cr4 = levels == 5 ? 0x1000 : 0, .gs_base = 0xffff888000100000ull };
}

static inline void
fake_make(struct fake *f, unsigned layout, unsigned levels, uint64_t base)
{
	fake_make_with(f, layout, levels, base, NULL);
}

static inline void
fake_free(struct fake *f)
{
	free(f->ram);
}

#endif
