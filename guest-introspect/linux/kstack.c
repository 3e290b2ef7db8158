/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kstack.c - the kernel stacks of threads that are on no CPU.
 *
 * A thread leaves its CPU in __switch_to_asm, which pushes the registers that a
 * function must keep (struct inactive_task_frame) and saves %rsp in thread.sp. The
 * stack is copied from there to its end, once, and walked in the copy: by the
 * kernel's ORC tables (orc.c says how they are laid out), or by frame pointers where
 * a kernel has none. hv/core/stack.c walks the stacks of threads that run, from
 * inside probes, where nothing may be kept; here whole tables are read at once,
 * since many stacks are walked, and only what a stack of its own thread has is
 * followed: each frame must end above the one before, and inside the copy.
 *
 * Not followed: return addresses that the guest's own tracing has replaced, and code
 * without entries (made at run time). The stack ends there.
 */
#include "tasks.h"
#include "../func.h"

#define MAX_ORCS	(4u << 20)	/* entries of one table */

/* struct pt_regs of x86-64: part of the ABI */
enum { REGS_BP = 32, REGS_IP = 128, REGS_CS = 136, REGS_SP = 152 };
enum { T_UNDEFINED, T_END, T_CALL, T_REGS, T_PARTIAL };

struct table {
	const struct gi_mod *mod;	/* NULL: the kernel's own */
	uint64_t ip;			/* the guest's address of rel */
	int32_t *rel;
	uint8_t *entry;
	uint32_t n;			/* 0: cannot be read */
};

struct gi_unwinder {
	struct gi_kernel *k;
	struct dv_unwind u;
	DV_VEC(struct table) tables;
	uint32_t stack_size;
	uint32_t frame_size;		/* struct inactive_task_frame */
	int64_t frame_bp, frame_ret;
};

struct gi_unwinder *
gi_unwinder_create(struct gi_kernel *k, struct dv_err *err)
{
	struct gi_unwinder *u = calloc(1, sizeof(*u));
	struct dv_layout l;
	struct gi_type t;

	if (u == NULL) {
		dv_err_nomem(err);
		return NULL;
	}
	u->k = k;
	gi_kernel_unwind(k, &u->u);
	u->frame_bp = gi_offsetof(k, "inactive_task_frame", "bp");
	u->frame_ret = gi_offsetof(k, "inactive_task_frame", "ret_addr");
	if (gi_kernel_layout(k, err, &l) != 0) {
		free(u);
		return NULL;
	}
	if (u->frame_bp < 0 || u->frame_ret < 0 || l.stack_size == 0 ||
	    l.stack_size > GI_MAX_STACK || gi_type(k, gi_type_find(k, GI_T_STRUCT,
	    "inactive_task_frame"), &t) != 0 || t.size > 4096) {
		dv_err_set(err, DV_E_UNSUP,
		    "the guest's kernel does not say how it leaves the stacks of its threads");
		free(u);
		return NULL;
	}
	u->stack_size = l.stack_size;
	u->frame_size = (uint32_t)t.size;
	return u;
}

void
gi_unwinder_destroy(struct gi_unwinder *u)
{
	size_t i;

	if (u == NULL)
		return;
	for (i = 0; i < u->tables.n; i++) {
		free(u->tables.v[i].rel);
		free(u->tables.v[i].entry);
	}
	dv_vec_fini(&u->tables);
	free(u);
}

bool
gi_kstack_read(struct gi_unwinder *u, const struct gi_task *t, struct gi_kstack *ret)
{
	uint64_t end = t->stack + u->stack_size;

	if ((t->sp & 7) != 0 || (t->stack & 7) != 0 || !gi_in_kernel_half(u->k, t->stack) ||
	    end < t->stack || t->sp < t->stack || t->sp >= end)
		return false;
	ret->low = t->sp;
	ret->len = (uint32_t)(end - t->sp);
	return gi_read(u->k, DV_GVA(t->sp), ret->bytes, ret->len, NULL) == 0;
}

bool
gi_kstack_word(const struct gi_kstack *s, uint64_t at, uint64_t *ret)
{
	if (at < s->low || at - s->low > s->len || s->len - (at - s->low) < 8)
		return false;
	*ret = gi_u64(s->bytes + (at - s->low));
	return true;
}

/* ---- tables ---------------------------------------------------------------- */

static void
read_table(struct gi_unwinder *u, const struct dv_orctab *o, struct table *t)
{
	size_t ips = (size_t)o->n * 4, entries = (size_t)o->n * u->u.entry_size;

	t->ip = o->ip;
	if (o->n == 0 || o->n > MAX_ORCS)
		return;
	t->rel = malloc(ips);
	t->entry = malloc(entries);
	if (t->rel != NULL && t->entry != NULL &&
	    gi_read_much(u->k, o->ip, t->rel, ips) == ips &&
	    gi_read_much(u->k, o->entry, t->entry, entries) == entries)
		t->n = o->n;
}

static void
find_orcs(struct gi_unwinder *u, const struct gi_mod *m, struct dv_orctab *o)
{
	const struct dv_unwind *w = &u->u;

	memset(o, 0, sizeof(*o));
	if (m == NULL)
		*o = w->orc;
	else if (w->mod_orcs == DV_NO_OFF ||
	    gi_read(u->k, DV_GVA(m->addr + w->mod_orcs), &o->n, 4, NULL) != 0 ||
	    gi_read(u->k, DV_GVA(m->addr + w->mod_orc_ip), &o->ip, 8, NULL) != 0 ||
	    gi_read(u->k, DV_GVA(m->addr + w->mod_orc_entry), &o->entry, 8, NULL) != 0)
		o->n = 0;
}

/* The table for an address, or NULL. */
static const struct table *
table_of(struct gi_unwinder *u, uint64_t ip)
{
	const struct gi_mod *m = gi_mod_at(u->k, ip);
	struct dv_orctab o;
	struct table t = { .mod = m };
	size_t i;

	if (m == NULL && (ip < u->k->base || ip >= u->k->end))
		return NULL;
	for (i = 0; i < u->tables.n; i++)
		if (u->tables.v[i].mod == m)
			return &u->tables.v[i];
	find_orcs(u, m, &o);
	read_table(u, &o, &t);
	if (dv_vec_push(&u->tables, t) != 0) {
		free(t.rel);
		free(t.entry);
		return NULL;
	}
	return &u->tables.v[u->tables.n - 1];
}

static uint32_t
bits(uint64_t raw, struct dv_bits b)
{
	return b.bits == 0 ? 0 : (uint32_t)(raw >> b.at) & ((1u << b.bits) - 1);
}

struct entry {
	int64_t sp_offset, bp_offset;
	uint32_t sp_reg, bp_reg, type;
	bool signal;
};

static bool
find_entry(struct gi_unwinder *u, uint64_t ip, struct entry *e)
{
	const struct table *t = table_of(u, ip);
	const struct dv_unwind *w = &u->u;
	uint32_t lo = 0, hi, mid;
	uint64_t raw = 0;

	if (t == NULL)
		return false;
	for (hi = t->n; lo < hi;) {	/* the last one that is not above */
		mid = lo + (hi - lo) / 2;
		if (t->ip + 4 * (uint64_t)mid + (uint64_t)(int64_t)t->rel[mid] <= ip)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return false;
	memcpy(&raw, t->entry + (size_t)(lo - 1) * w->entry_size, w->entry_size);
	e->sp_offset = (int16_t)bits(raw, w->sp_offset);
	e->bp_offset = (int16_t)bits(raw, w->bp_offset);
	e->sp_reg = w->reg[bits(raw, w->sp_reg)];
	e->bp_reg = w->reg[bits(raw, w->bp_reg)];
	e->type = bits(raw, w->type);
	if (!(w->flags & DV_UW_TYPES_FROM_2))
		e->type = bits(raw, w->end) != 0 ? T_END : e->type + T_CALL;
	e->signal = w->signal.bits != 0 ? bits(raw, w->signal) != 0 : e->type != T_CALL;
	return e->type >= T_CALL;
}

/* ---- steps ------------------------------------------------------------------ */

struct step {
	uint64_t ip, sp, bp;
	bool signal;			/* ip is no return address */
};

static bool
frame_end(const struct gi_unwinder *u, const struct gi_kstack *s, const struct step *w,
    const struct entry *e, uint64_t *ret)
{
	uint64_t off = (uint64_t)e->sp_offset;
	bool first = (u->u.flags & DV_UW_ADD_FIRST) != 0;

	switch (e->sp_reg) {
	case DV_UWR_SP:
		*ret = w->sp + off;
		return true;
	case DV_UWR_BP:
		*ret = w->bp + off;
		return true;
	case DV_UWR_BP_INDIRECT:
		return gi_kstack_word(s, w->bp + off, ret);
	case DV_UWR_SP_INDIRECT:
		if (!gi_kstack_word(s, first ? w->sp + off : w->sp, ret))
			return false;
		if (!first)
			*ret += off;
		return true;
	default:
		return false;
	}
}

static bool
step_orc(struct gi_unwinder *u, const struct gi_kstack *s, struct step *w)
{
	uint64_t end, regs = 0, cs = 0, sp;
	struct entry e;

	if (!find_entry(u, w->signal ? w->ip : w->ip - 1, &e) || !frame_end(u, s, w, &e, &end))
		return false;
	if (e.type == T_CALL) {
		sp = end;
		if (!gi_kstack_word(s, end - 8, &w->ip))
			return false;
	} else {			/* what an interrupt has found */
		regs = e.type == T_REGS ? end : end - REGS_IP;
		if (!gi_kstack_word(s, regs + REGS_IP, &w->ip) ||
		    !gi_kstack_word(s, regs + REGS_CS, &cs) || (cs & 3) == 3 ||
		    !gi_kstack_word(s, regs + REGS_SP, &sp))
			return false;
	}
	if (e.bp_reg == DV_UWR_PREV_SP || e.bp_reg == DV_UWR_BP) {
		if (!gi_kstack_word(s, (e.bp_reg == DV_UWR_BP ? w->bp : end) +
		    (uint64_t)e.bp_offset, &w->bp))
			return false;
	} else if (e.bp_reg != DV_UWR_UNDEFINED ||
	    (e.type == T_REGS && !gi_kstack_word(s, regs + REGS_BP, &w->bp))) {
		return false;
	}
	if (sp <= w->sp)
		return false;
	w->sp = sp;
	w->signal = e.signal;
	return true;
}

static bool
step_fp(const struct gi_kstack *s, struct step *w)
{
	uint64_t at = w->bp;

	if (at < w->sp || !gi_kstack_word(s, at, &w->bp) || !gi_kstack_word(s, at + 8, &w->ip))
		return false;
	w->sp = at + 16;
	return true;
}

unsigned
gi_kstack_frames(struct gi_unwinder *u, const struct gi_kstack *s,
    struct gi_frame ret[GI_MAX_FRAMES])
{
	struct step w = { .sp = s->low + u->frame_size };
	unsigned n = 0;
	uint64_t ip;

	if (!gi_kstack_word(s, s->low + (uint64_t)u->frame_bp, &w.bp) ||
	    !gi_kstack_word(s, s->low + (uint64_t)u->frame_ret, &w.ip))
		return 0;
	while (n < GI_MAX_FRAMES) {
		ip = w.signal ? w.ip : w.ip - 1;
		if (!(u->u.kind == DV_UNWIND_ORC ? step_orc(u, s, &w) : step_fp(s, &w)))
			break;
		ret[n++] = (struct gi_frame){ .ip = ip, .end = w.sp };
	}
	return n;
}
