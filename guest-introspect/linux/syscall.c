/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscall.c - the syscall provider on Linux.
 *
 * Probes: an entry and a return for every handler in sys_call_table, the
 * guest's 64-bit table; one handler at several numbers is one pair of probes.
 * Names are the kernel's own, as its tracefs shows them: __x64_sys_newstat is
 * newstat. Not implemented ones (sys_ni_syscall, weak stubs) are left out.
 * Argument types are the kernel's own text where it has syscall metadata
 * (CONFIG_FTRACE_SYSCALLS: symbols __syscall_meta__NAME, include/linux/
 * syscalls.h), else the prototype of __do_sys_NAME in BTF, else int64_t.
 *
 * Sites. All 64-bit system calls, and no others, go through
 *
 *	do_syscall_64	... call x64_sys_call(regs, nr)		6.1 and later
 *			... call *sys_call_table(,nr,8)		before
 *			mov %rax, 0x50(REG)			regs->ax = value
 *
 * (arch/x86/entry/common.c, later syscall_64.c). Entry is at x64_sys_call
 * (regs in rdi, nr in esi) or at that indirect call (regs in rdi), return at
 * the instruction after the call (value in rax, regs in REG, which the store
 * names). The number picks the probe through a table. At return the number is
 * regs->orig_ax, which rt_sigreturn has set to -1 (restore_sigcontext).
 *
 * When few are wanted, the entry is where x64_sys_call jumps to their handlers,
 * so that other calls do not trap; each jump is one number's alone. (It calls
 * those that do not return, like exit_group.) Without such jumps it is at the
 * handler itself. Handlers also serve 32-bit callers, and other callers inside
 * the kernel are conceivable; the return address tells: it is the one after
 * the call above (x64_sys_call jumps to handlers, it does not call them). So
 * both ways give the same events.
 *
 * A forked child never comes back through do_syscall_64: its first return is
 * in ret_from_fork, after schedule_tail. It is a system call's return if the
 * thread is a user's (not PF_KTHREAD, and with a user ip: io workers have
 * none) and its registers, copied from the parent's, say clone, fork, vfork or
 * clone3. pt_regs are at the top of the stack; the value is 0.
 */
#include "guest-introspect/sites.h"

#include <inttypes.h>
#include <stdio.h>

#define MAX_NR		1024u
#define FEW		8u
#define MAX_CALLS	4u
#define NR_RT_SIGRETURN	15u
#define PF_KTHREAD	0x200000u

static const uint32_t fork_nrs[] = { 56, 57, 58, 435 };	/* clone fork vfork clone3 */

/* ---- the table ---- */

/* "__x64_sys_newstat" -> "newstat"; NULL: no handler's name. */
static const char *
handler_name(const char *sym)
{
	static const char *const prefixes[] = { "__x64_sys_", "__x64_", "sys_" };
	unsigned i;

	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t n = strlen(prefixes[i]);

		if (strncmp(sym, prefixes[i], n) == 0)
			return sym + n;
	}
	return NULL;
}

static const struct gi_ksym *
handler_at(const struct gi_kernel *k, uint64_t at)
{
	const struct gi_ksyms *s = k->syms;
	uint32_t i = gi_ksyms_above(s, at);
	const struct gi_ksym *best = NULL;

	for (; i > 0 && s->v[s->byaddr[i - 1]].addr == at; i--) {
		const struct gi_ksym *y = &s->v[s->byaddr[i - 1]];
		const char *name = s->names + y->name;

		if ((y->type | 32) != 't' && (y->type | 32) != 'w')
			continue;
		if (handler_name(name) == NULL && best != NULL)
			continue;
		best = y;
		if (handler_name(name) != NULL && strstr(name, "ni_syscall") != NULL)
			return best;
	}
	return best;
}

/* Is the text a type that the guest's BTF knows? */
static bool
type_known(const struct gi_kernel *k, const char *text)
{
	static const char *const basic[] = { "void", "char", "short", "int", "long", "unsigned",
	    "unsigned int", "unsigned long", "unsigned char", "unsigned short", "long long",
	    "unsigned long long", "long int", "signed char", "long unsigned int" };
	char buf[64];
	size_t n, i;
	const char *p;

	if (strlen(text) >= sizeof(buf))
		return false;
	strcpy(buf, text);
	for (n = strlen(buf); n > 0 && (buf[n - 1] == '*' || buf[n - 1] == ' '); n--)
		buf[n - 1] = 0;
	for (p = buf; strncmp(p, "const ", 6) == 0; p += 6)
		;
	if (n >= 6 && strcmp(buf + n - 6, " const") == 0)
		buf[n - 6] = 0;
	for (i = 0; p[i] != 0; i++)
		if (!((p[i] | 32) >= 'a' && (p[i] | 32) <= 'z') && !(p[i] >= '0' && p[i] <= '9') &&
		    p[i] != '_' && p[i] != ' ')
			return false;
	for (i = 0; i < sizeof(basic) / sizeof(basic[0]); i++)
		if (strcmp(p, basic[i]) == 0)
			return true;
	if (strncmp(p, "struct ", 7) == 0)
		return gi_btf_find(k->btf, GI_T_STRUCT, p + 7) != 0;
	if (strncmp(p, "union ", 6) == 0)
		return gi_btf_find(k->btf, GI_T_UNION, p + 6) != 0;
	if (strncmp(p, "enum ", 5) == 0)
		return gi_btf_find(k->btf, GI_T_ENUM, p + 5) != 0;
	return gi_btf_find(k->btf, GI_T_TYPEDEF, p) != 0;
}

/* "const char *const *" -> "const char * *": D needs no more. */
static void
drop_inner_const(char *text)
{
	char *star = strchr(text, '*'), *c;

	while (star != NULL && (c = strstr(star, "const")) != NULL)
		memmove(c, c + 5, strlen(c + 5) + 1);
}

static bool
types_from_metadata(struct gi_kernel *k, struct gi_scall *c)
{
	uint32_t id = gi_btf_find(k->btf, GI_T_STRUCT, "syscall_metadata");
	struct gi_member mnb = { 0 };
	int64_t onb = id == 0 ? -1 : gi_btf_offsetof(k->btf, id, "nb_args", &mnb);
	int64_t oty = gi_offsetof(k, "syscall_metadata", "types");
	char sym[128];
	uint64_t meta, types;
	uint32_t nb = 0, i;
	bool ok;

	snprintf(sym, sizeof(sym), "__syscall_meta__%s", c->name);
	meta = gi_addr(k, sym);
	if (meta == 0 || onb < 0 || oty < 0 ||
	    gi_read(k, DV_GVA(meta + (uint64_t)onb), &nb, sizeof(nb), NULL) != 0)
		return false;
	nb >>= mnb.bit_off % 8;
	if (mnb.bit_size != 0)		/* a bit-field in 7.x */
		nb &= (1u << (mnb.bit_size & 31)) - 1;
	if (nb > 6)
		return false;
	types = gi_read_u64(k, meta + (uint64_t)oty, &ok);
	for (i = 0; ok && i < nb; i++) {
		uint64_t at = gi_read_u64(k, types + 8 * (uint64_t)i, &ok);
		char text[64] = "";

		if (!ok || gi_read(k, DV_GVA(at), text, sizeof(text) - 1, NULL) != 0)
			return false;
		text[sizeof(text) - 1] = 0;
		drop_inner_const(text);
		if (type_known(k, text))
			c->types[i] = dv_arena_strdup(k->arena, text);
		else
			c->types[i] = strchr(text, '*') != NULL ? "void *" : "int64_t";
	}
	if (!ok)
		return false;
	c->nargs = nb;
	return true;
}

static bool
types_from_btf(struct gi_kernel *k, struct gi_scall *c)
{
	char sym[128];
	uint32_t id, i;
	struct gi_type t, proto;
	struct gi_member m;

	snprintf(sym, sizeof(sym), "__do_sys_%s", c->name);
	id = gi_btf_find(k->btf, GI_T_FUNC, sym);
	if (id == 0 || gi_btf_type(k->btf, id, &t) != 0 ||
	    gi_btf_type(k->btf, t.ref, &proto) != 0 || proto.kind != GI_T_PROTO || proto.n > 6)
		return false;
	for (i = 0; i < proto.n; i++) {
		const char *text = NULL;

		if (gi_btf_member(k->btf, t.ref, i, &m) == 0)
			text = gi_type_text(k, m.type);
		c->types[i] = text != NULL ? text : "int64_t";
	}
	c->nargs = proto.n;
	return true;
}

int
gi_syscall_open(struct gi_kernel *k, struct gi_probes *p, struct dv_err *err)
{
	DV_VEC(struct gi_scall) v = {0};
	struct gi_sym table;
	struct dv_map *seen;
	uint64_t h;
	uint32_t nr, n;
	bool ok;

	if (!gi_sym_find(k, "vmlinux", "sys_call_table", &table))
		return 0;
	n = (uint32_t)(table.size / 8 < MAX_NR ? table.size / 8 : MAX_NR);
	seen = dv_map_create();
	p->nrmap = calloc(n + 1, sizeof(*p->nrmap));
	if (seen == NULL || p->nrmap == NULL) {
		dv_map_destroy(seen);
		return dv_err_nomem(err);
	}
	for (nr = 0; nr < n; nr++) {
		struct gi_scall c = { .nr = nr };
		const struct gi_ksym *y;
		const char *name;
		uintptr_t at;
		uint32_t i;

		h = gi_read_u64(k, table.addr + 8 * (uint64_t)nr, &ok);
		if (!ok || (y = handler_at(k, h)) == NULL)
			break;			/* what follows is another object */
		name = k->syms->names + y->name;
		if ((y->type | 32) == 'w' || (name = handler_name(name)) == NULL ||
		    strstr(name, "ni_syscall") != NULL)
			continue;
		if ((at = (uintptr_t)dv_map_get(seen, h)) != 0) {
			p->nrmap[nr] = (uint16_t)at;
			continue;
		}
		c.sym = (uint32_t)(y - k->syms->v);
		c.name = name;
		c.nargs = 6;
		for (i = 0; i < 6; i++)
			c.types[i] = "int64_t";
		if (!types_from_metadata(k, &c))
			types_from_btf(k, &c);
		if (dv_vec_push(&v, c) != 0 ||
		    dv_map_set(seen, h, (void *)(uintptr_t)v.n) != 0) {
			dv_map_destroy(seen);
			dv_vec_fini(&v);
			return dv_err_nomem(err);
		}
		p->nrmap[nr] = (uint16_t)v.n;
	}
	p->nnr = nr;
	p->scalls = v.v;
	p->nscalls = (uint32_t)v.n;
	dv_map_destroy(seen);
	return 0;
}

uint32_t
gi_syscall_count(const struct gi_probes *p)
{
	return 2 * p->nscalls;
}

void
gi_syscall_probe(const struct gi_kernel *k, uint32_t i, struct gi_probe *ret)
{
	const struct gi_scall *c = &k->probes->scalls[i / 2];
	uint32_t a;

	ret->prov = "syscall";
	ret->func = c->name;
	if (i % 2 == 0) {
		ret->name = "entry";
		ret->flags = DV_PF_SYSCALL | DV_PF_ENTRY;
		ret->nargs = c->nargs;
		for (a = 0; a < c->nargs; a++)
			ret->args[a] = (struct gi_arg){ .native = c->types[a], .map = (uint8_t)a };
	} else {
		ret->name = "return";
		ret->flags = DV_PF_SYSCALL | DV_PF_RETURN;
		ret->nargs = 2;
		for (a = 0; a < 2; a++)
			ret->args[a] = (struct gi_arg){ .native = "int64_t", .map = (uint8_t)a };
	}
}

/* ---- sites ---- */

struct dispatch {
	uint64_t entry;			/* site of all entries */
	bool nr_in_reg;			/* in esi; else regs->orig_ax */
	struct { uint64_t at; uint8_t reg; } ret[MAX_CALLS];	/* after the calls */
	unsigned nret;
	int32_t orig_ax, ax, arg[6];	/* offsets in pt_regs */
	const char *why;		/* why there is none */
};

/* mov %rax, disp(REG): REG, or -1. */
static int
store_reg(const struct gi_insn *i, int32_t disp)
{
	if (i->map != 0 || i->op != 0x89 || (i->rex & 0x0c) != 8 ||
	    (i->modrm >> 3 & 7) != 0 || i->disp != disp)
		return -1;
	return gi_insn_base(i);
}

static void
add_call(struct dispatch *d, const uint8_t *p, size_t len, uint64_t start, size_t after)
{
	struct gi_insn i;
	size_t at = after;
	unsigned n;
	int reg;

	for (n = 0; n < 3 && gi_insn(p + at, len - at, start + at, &i); n++) {
		if ((reg = store_reg(&i, d->ax)) >= 0) {
			if (d->nret < MAX_CALLS) {
				d->ret[d->nret].at = start + after;
				d->ret[d->nret++].reg = gi_reg_of[reg];
			}
			return;
		}
		/* 3-byte jumps of lanes, nops: fine; control flow: not */
		if (i.kind != GI_I_OTHER)
			return;
		at += i.len;
	}
}

static bool
is_indirect_call(struct gi_kernel *k, const struct gi_insn *i)
{
	const struct gi_fn *f;

	if (i->kind == GI_I_CALL_IND)
		return true;
	return i->kind == GI_I_CALL &&
	    ((f = gi_fn_at(k, i->target)) == NULL || (f->flags & GI_FN_INDTHUNK) != 0);
}

static void
find_dispatch(struct gi_kernel *k, struct dispatch *d)
{
	static const char *const names[6] = { "di", "si", "dx", "r10", "r8", "r9" };
	uint64_t call = gi_addr(k, "x64_sys_call"), table = gi_addr(k, "sys_call_table");
	struct gi_sym s;
	const uint8_t *p;
	struct gi_insn i;
	bool armed = false;
	size_t at;
	unsigned a;

	memset(d, 0, sizeof(*d));
	d->orig_ax = (int32_t)gi_offsetof(k, "pt_regs", "orig_ax");
	d->ax = (int32_t)gi_offsetof(k, "pt_regs", "ax");
	for (a = 0; a < 6; a++)
		if ((d->arg[a] = (int32_t)gi_offsetof(k, "pt_regs", names[a])) < 0)
			d->ax = -1;
	if (d->ax < 0 || d->orig_ax < 0) {
		d->why = "struct pt_regs is not in the guest's BTF";
		return;
	}
	if (!gi_sym_find(k, "vmlinux", "do_syscall_64", &s) ||
	    (p = gi_text(k, s.addr, s.size)) == NULL) {
		d->why = "do_syscall_64 is not in the guest";
		return;
	}
	for (at = 0; at < s.size && gi_insn(p + at, s.size - at, s.addr + at, &i); at += i.len) {
		if (call != 0) {
			if (i.kind == GI_I_CALL && i.target == call)
				add_call(d, p, s.size, s.addr, at + i.len);
			continue;
		}
		if (i.ndisp == 4 && (uint64_t)i.disp == table)
			armed = true;
		if (!armed || !is_indirect_call(k, &i))
			continue;
		armed = false;
		add_call(d, p, s.size, s.addr, at + i.len);
		if (d->nret == 1)
			d->entry = s.addr + at;
	}
	if (call != 0) {
		d->entry = gi_fn_entry(k, call);
		d->nr_in_reg = true;
	}
	if (d->nret == 0 || d->entry == 0 || (call == 0 && d->nret != 1))
		d->why = "the dispatch in do_syscall_64 has an unknown form";
}

static uint32_t
entry_args(struct gi_build *b, const struct dispatch *d)
{
	struct dv_argset a = { 0 };
	unsigned i;

	for (i = 0; i < 6; i++)
		a.arg[i] = gi_loc_mem(DV_REG_RDI, d->arg[i]);
	return gi_build_args(b, &a);
}

static uint32_t
return_args(struct gi_build *b, struct dv_loc value)
{
	struct dv_argset a = { 0 };

	a.arg[0] = a.arg[1] = value;
	return gi_build_args(b, &a);
}

/* want[]: probe index / 2 -> index in b->want, by entry and return. */
static void
fill_select(struct gi_build *b, const uint32_t *want, uint32_t sel, const uint32_t *only,
    size_t nonly)
{
	const struct gi_probes *p = b->k->probes;
	uint32_t nr;
	size_t i;

	if (sel == DV_NONE)
		return;
	for (nr = 0; nr < p->nnr; nr++) {
		if (p->nrmap[nr] == 0)
			continue;
		for (i = 0; i < nonly && only[i] != nr; i++)
			;
		if (only != NULL && i == nonly)
			continue;
		b->select.v[sel + nr] = want[p->nrmap[nr] - 1];
	}
}

/*
 * Where x64_sys_call jumps to a handler, or calls it: only 64-bit calls of that number pass
 * there, regs in rdi. Number of places, or 0 if it may be left in another way.
 */
static unsigned
handler_jumps(struct gi_kernel *k, uint64_t handler, uint64_t *at, unsigned max)
{
	struct gi_sym s;
	struct gi_insn i;
	const uint8_t *p;
	unsigned n = 0;
	size_t o;

	if (!gi_sym_find(k, "vmlinux", "x64_sys_call", &s) ||
	    (p = gi_text(k, s.addr, s.size)) == NULL)
		return 0;
	for (o = 0; o < s.size; o += i.len) {
		if (!gi_insn(p + o, s.size - o, s.addr + o, &i))
			return 0;
		if (i.target != handler || (i.kind != GI_I_JMP && i.kind != GI_I_JCC &&
		    i.kind != GI_I_CALL))
			continue;
		if (i.kind == GI_I_JCC || n == max)
			return 0;
		at[n++] = s.addr + o;
	}
	return n;
}

static void
handler_entry(struct gi_build *b, const struct dispatch *d, uint32_t scall, uint32_t want)
{
	struct gi_kernel *k = b->k;
	struct gi_rule r = { .kind = DV_RULE_FIRE, .guard = GI_NOEXPR, .probe = want };
	uint64_t handler = k->syms->v[k->probes->scalls[scall].sym].addr;
	uint64_t at = gi_fn_entry(k, handler), jump[MAX_CALLS];
	struct dv_argset raw = { 0 };
	char guard[256] = "";
	unsigned i, njump;
	size_t n;

	if ((njump = handler_jumps(k, handler, jump, MAX_CALLS)) != 0) {
		r.raw = DV_NONE;
		r.args = entry_args(b, d);
		for (i = 0; i < njump; i++)
			gi_build_rule(b, jump[i], GI_PRIO_ENTRY, &r);
		return;
	}
	if (at == 0) {
		gi_build_leave(b, want, "the handler's text cannot be read");
		return;
	}
	raw.arg[0] = gi_loc_mem(DV_REG_RSP, 0);
	for (i = 0, n = 0; i < d->nret; i++)
		n += (size_t)snprintf(guard + n, sizeof(guard) - n, "%sarg0 == 0x%" PRIx64 "ull",
		    i == 0 ? "" : " || ", d->ret[i].at);
	r.raw = gi_build_args(b, &raw);
	r.guard = gi_build_expr(b, "%s", guard);
	r.args = entry_args(b, d);
	gi_build_rule(b, at, GI_PRIO_ENTRY, &r);
}

static void
entries(struct gi_build *b, const struct dispatch *d, const uint32_t *want)
{
	const struct gi_probes *p = b->k->probes;
	struct gi_rule r = { .kind = DV_RULE_FIRE, .guard = GI_NOEXPR, .raw = DV_NONE };
	uint32_t i, n = 0;

	for (i = 0; i < p->nscalls; i++)
		n += want[i] != DV_NONE;
	if (n == 0)
		return;
	if (n <= FEW) {
		for (i = 0; i < p->nscalls; i++)
			if (want[i] != DV_NONE)
				handler_entry(b, d, i, want[i]);
		return;
	}
	r.probe = gi_build_select(b, p->nnr);
	r.nselect = p->nnr;
	r.sel = d->nr_in_reg ? gi_loc_reg(DV_REG_RSI) : gi_loc_mem(DV_REG_RDI, d->orig_ax);
	if (d->nr_in_reg)
		r.sel.size = 4;
	r.args = entry_args(b, d);
	fill_select(b, want, r.probe, NULL, 0);
	gi_build_rule(b, d->entry, GI_PRIO_ENTRY, &r);
}

/* The site of a child's first return, or 0. */
static uint64_t
fork_site(struct gi_kernel *k)
{
	static const char *const where[] = { "ret_from_fork", "ret_from_fork_asm" };
	uint64_t tail = gi_addr(k, "schedule_tail");
	struct gi_insn i;
	unsigned f;

	for (f = 0; f < 2; f++) {
		struct gi_sym s;
		const uint8_t *p;
		size_t at;

		if (!gi_sym_find(k, "vmlinux", where[f], &s) ||
		    (p = gi_text(k, s.addr, s.size)) == NULL)
			continue;
		for (at = 0; at < s.size && gi_insn(p + at, s.size - at, s.addr + at, &i);
		    at += i.len)
			if (i.kind == GI_I_CALL && i.target == tail && tail != 0 &&
			    at + i.len < s.size)
				return s.addr + at + i.len;
	}
	return 0;
}

static void
fork_return(struct gi_build *b, const uint32_t *want)
{
	struct gi_kernel *k = b->k;
	const struct gi_probes *p = k->probes;
	struct gi_rule r = { .kind = DV_RULE_FIRE };
	struct dv_argset raw = { 0 };
	uint64_t at;
	int64_t up;
	uint32_t nr = DV_NONE;
	unsigned i;

	for (i = 0; i < sizeof(fork_nrs) / sizeof(fork_nrs[0]); i++)
		if (fork_nrs[i] < p->nnr && p->nrmap[fork_nrs[i]] != 0 &&
		    want[p->nrmap[fork_nrs[i]] - 1] != DV_NONE)
			nr = fork_nrs[i];
	if (nr == DV_NONE)
		return;
	if ((at = fork_site(k)) == 0 || (up = gi_uregs_off(k, NULL)) < 0) {
		gi_build_leave(b, want[p->nrmap[nr] - 1],
		    "the child's first return: ret_from_fork has an unknown form");
		return;
	}
	raw.arg[0] = (struct dv_loc){ .kind = DV_LOC_CURTHREAD };
	r.raw = gi_build_args(b, &raw);
	r.guard = gi_build_expr(b, "(((struct task_struct *)arg0)->flags & %u) == 0 && "
	    "((struct pt_regs *)((uint64_t)((struct task_struct *)arg0)->stack + %" PRId64
	    "))->ip != 0", PF_KTHREAD, up);
	r.sel = (struct dv_loc){ .kind = DV_LOC_DIFO };
	r.sel.value = gi_build_expr(b, "((struct pt_regs *)((uint64_t)((struct task_struct *)arg0)"
	    "->stack + %" PRId64 "))->orig_ax", up);
	r.probe = gi_build_select(b, p->nnr);
	r.nselect = p->nnr;
	r.args = return_args(b, (struct dv_loc){ .kind = DV_LOC_CONST });
	fill_select(b, want, r.probe, fork_nrs, sizeof(fork_nrs) / sizeof(fork_nrs[0]));
	gi_build_rule(b, at, GI_PRIO_RET, &r);
}

static void
returns(struct gi_build *b, const struct dispatch *d, const uint32_t *want)
{
	const struct gi_probes *p = b->k->probes;
	uint32_t i, n = 0, sel;
	unsigned c;

	for (i = 0; i < p->nscalls; i++)
		n += want[i] != DV_NONE;
	if (n == 0)
		return;
	sel = gi_build_select(b, p->nnr);
	fill_select(b, want, sel, NULL, 0);
	for (c = 0; c < d->nret; c++) {
		struct gi_rule r = { .kind = DV_RULE_FIRE, .guard = GI_NOEXPR, .raw = DV_NONE };

		r.probe = sel;
		r.nselect = p->nnr;
		r.sel = gi_loc_mem(d->ret[c].reg, d->orig_ax);
		r.args = return_args(b, gi_loc_reg(DV_REG_RAX));
		gi_build_rule(b, d->ret[c].at, GI_PRIO_RET, &r);
		if (NR_RT_SIGRETURN < p->nnr && p->nrmap[NR_RT_SIGRETURN] != 0 &&
		    want[p->nrmap[NR_RT_SIGRETURN] - 1] != DV_NONE) {
			struct dv_argset raw = { 0 };

			raw.arg[0] = gi_loc_mem(d->ret[c].reg, d->orig_ax);
			r.raw = gi_build_args(b, &raw);
			r.guard = gi_build_expr(b, "(int64_t)arg0 == -1");
			r.probe = want[p->nrmap[NR_RT_SIGRETURN] - 1];
			r.nselect = 0;
			memset(&r.sel, 0, sizeof(r.sel));
			gi_build_rule(b, d->ret[c].at, GI_PRIO_RET, &r);
		}
	}
	fork_return(b, want);
}

int
gi_syscall_sites(struct gi_build *b, struct dv_err *err)
{
	const struct gi_probes *p = b->k->probes;
	struct dispatch d;
	uint32_t *want;
	size_t i;
	bool any = false;

	if (p->nscalls == 0)
		return 0;
	if ((want = malloc(2 * sizeof(*want) * p->nscalls)) == NULL)
		return dv_err_nomem(err);
	memset(want, 0xff, 2 * sizeof(*want) * p->nscalls);
	for (i = 0; i < b->nwant; i++) {
		uint32_t w = b->want[i];

		if (w >= p->sched_first)
			continue;
		want[w / 2 + (w % 2) * p->nscalls] = (uint32_t)i;
		any = true;
	}
	if (any) {
		find_dispatch(b->k, &d);
		if (d.why == NULL) {
			entries(b, &d, want);
			returns(b, &d, want + p->nscalls);
		} else {
			for (i = 0; i < 2 * (size_t)p->nscalls; i++)
				if (want[i] != DV_NONE)
					gi_build_leave(b, want[i], "%s", d.why);
		}
	}
	free(want);
	return 0;
}
