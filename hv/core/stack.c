/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack.c - the kernel stack of the trapped vCPU.
 *
 * Kernels of today have no frame pointers. Instead, the kernel carries a table
 * (ORC) that says for each of its instructions where the caller's frame is. It
 * is a sorted array of instruction addresses and an array of entries beside it:
 *
 *	sp_reg, sp_offset	the frame's end ("previous sp"): a register plus
 *				an offset, or the word that it points at
 *	bp_reg, bp_offset	where the caller's %rbp was saved, if it was
 *	type	CALL: the return address is the word below the frame's end
 *		REGS: a whole struct pt_regs is there, of an interrupt or a fault
 *		PARTIAL: only what the processor pushes (ip cs flags sp ss)
 *	signal	the next address is one to go on at, not one to return to
 *
 * A return address belongs to the call before it, so it is looked up at one
 * byte less; the trapped address, and one out of pt_regs, as it is.
 *
 * The tables are read where they are, in the guest's memory, at each walk: they
 * take megabytes, modules bring their own, and the few words that a step needs
 * cost as much from a copy. What was found is kept per CPU by address. Nothing
 * read is trusted: a search halves at most 24 times, a list of modules is
 * followed for MAXMODULES, a walk takes at most DV_MAXFRAMES steps, between
 * changes of stacks (MAXJUMPS) it only goes up, and all walks of one hit read
 * the guest's memory DV_WALK_READS times: a stack ends where that is used up. A
 * table that lies gives wrong program counters, and these are only shown.
 *
 * A kernel without ORC has frame pointers: there each frame begins with the
 * caller's %rbp, and the return address is above. At a function's first
 * instructions and at its last one it is not so; the instruction tells.
 */
#include "stack.h"

#include "load.h"
#include "state_impl.h"

#define MAXMODULES	1024u
#define MAXOPS		256u		/* users of ftrace */
#define MAXJUMPS	16u
#define MAXSTRIDE	65536u		/* no frame is that large */

/* struct pt_regs of x86-64: part of the ABI */
enum {
	REGS_R13 = 16, REGS_BP = 32, REGS_R10 = 56, REGS_DX = 96, REGS_DI = 112,
	REGS_IP = 128
};

enum { T_UNDEFINED, T_END, T_CALL, T_REGS, T_PARTIAL };

struct entry {
	int64_t sp_offset, bp_offset;
	uint32_t sp_reg, bp_reg, type, signal;
};

#define LIVE	1u			/* registers are the vCPU's own */
struct walk {
	const struct dv_unwind *u;
	uint64_t ip, sp, bp;
	uint64_t regs, prev;		/* address of a pt_regs, LIVE, or 0: none */
	bool full;			/* regs has all of them */
	bool signal;			/* ip is no return address */
	uint32_t jumps;
	/* the module found last */
	uint64_t mod_base, mod_size;	/* size 0: none */
	struct dv_orctab mod;
};

static int
peek(struct dv_mstate *ms, uint64_t at, void *buf, size_t len)
{
	if (ms->walk_reads >= DV_WALK_READS)
		return -1;
	ms->walk_reads++;
	return dv_peek(ms, at, buf, len);
}

static bool
peek64(struct dv_mstate *ms, uint64_t at, uint64_t *ret)
{
	return peek(ms, at, ret, sizeof(*ret)) == 0;
}

static bool
peek32(struct dv_mstate *ms, uint64_t at, uint32_t *ret)
{
	return peek(ms, at, ret, sizeof(*ret)) == 0;
}

/* ---- the tables ---------------------------------------------------------- */

/* Address that element i stands for. */
static bool
orc_ip(struct dv_mstate *ms, const struct dv_orctab *t, uint32_t i, uint64_t *ret)
{
	uint64_t at = t->ip + 4 * (uint64_t)i;
	uint32_t rel;

	if (!peek32(ms, at, &rel))
		return false;
	*ret = at + (uint64_t)(int64_t)(int32_t)rel;
	return true;
}

/* The last element of [lo, hi) that is not above ip. */
static bool
search(struct dv_mstate *ms, const struct dv_orctab *t, uint32_t lo, uint32_t hi,
       uint64_t ip, uint32_t *ret)
{
	bool found = false;
	uint64_t at;
	uint32_t mid;

	while (lo < hi) {			/* at most 24 times: n <= DV_MAXORC */
		mid = lo + (hi - lo) / 2;
		if (!orc_ip(ms, t, mid, &at))
			return false;
		if (at <= ip) {
			*ret = mid;
			found = true;
			lo = mid + 1;
		} else {
			hi = mid;
		}
	}
	return found;
}

/*
 * By the table of blocks. It is empty until the kernel has set it up, while it
 * boots: then what it leads to does not fit.
 */
static bool
search_block(struct dv_mstate *ms, const struct dv_unwind *u, uint64_t ip, uint32_t *ret)
{
	uint64_t block = (ip - ms->s->lay->text_start) >> u->block_shift, next;
	const struct dv_orctab *t = &u->orc;
	uint32_t range[2];

	if (u->nlookup < 2 || block > u->nlookup - 2 ||
	    peek(ms, u->lookup + 4 * block, range, sizeof(range)) != 0 ||
	    range[0] > range[1] || range[1] >= t->n ||
	    !search(ms, t, range[0], range[1] + 1, ip, ret))
		return false;
	if (*ret < range[1] || *ret + 1 >= t->n)
		return true;
	return orc_ip(ms, t, *ret + 1, &next) && next > ip;
}

/* The module that holds ip, if its text is where modules are. */
static bool
find_module(struct dv_mstate *ms, struct walk *w, uint64_t ip)
{
	const struct dv_unwind *u = w->u;
	uint64_t at = u->modules, mod, base;
	uint32_t i, size;

	if (w->mod_size != 0 && ip - w->mod_base < w->mod_size)
		return true;
	if (u->modules == 0 || ip < u->mod_low)
		return false;
	for (i = 0; i < MAXMODULES; i++) {
		if (!peek64(ms, at, &at) || at == u->modules || at < ms->s->kernel_half)
			return false;
		mod = at - u->mod_list;
		if (!peek64(ms, mod + u->mod_text, &base) ||
		    !peek32(ms, mod + u->mod_text_size, &size))
			return false;
		if (ip - base >= size)
			continue;
		w->mod_base = base;
		w->mod_size = size;
		w->mod.n = 0;
		if (u->mod_orcs != DV_NO_OFF && (
		    !peek32(ms, mod + u->mod_orcs, &w->mod.n) ||
		    !peek64(ms, mod + u->mod_orc_ip, &w->mod.ip) ||
		    !peek64(ms, mod + u->mod_orc_entry, &w->mod.entry) ||
		    w->mod.n > DV_MAXORC))
			w->mod.n = 0;
		return true;
	}
	return false;
}

/* From a copy of ftrace's entry code to what it was copied from. */
static bool
find_trampoline(struct dv_mstate *ms, const struct dv_unwind *u, uint64_t *ip)
{
	uint64_t ops, flags, tramp, size, from;
	uint32_t i;

	if (u->ftrace_ops == 0 || !peek64(ms, u->ftrace_ops, &ops))
		return false;
	for (i = 0; i < MAXOPS; i++) {
		if (!peek64(ms, ops + u->ops_tramp, &tramp) ||
		    !peek64(ms, ops + u->ops_tramp_size, &size) ||
		    !peek64(ms, ops + u->ops_flags, &flags))
			return false;
		if (tramp != 0 && *ip - tramp < size && size < 4096) {
			from = flags & u->ftrace_save_regs ? u->ftrace_regs_caller :
			    u->ftrace_caller;
			*ip = from + (*ip - tramp);
			return from != 0;
		}
		if (!peek64(ms, ops + u->ops_next, &ops))
			return false;
	}
	return false;
}

static bool
in_text(const struct dv_mstate *ms, uint64_t ip)
{
	return ip >= ms->s->lay->text_start && ip < ms->s->lay->text_end;
}

static bool
in_init(const struct dv_unwind *u, uint64_t ip)
{
	return ip >= u->init_start && ip < u->init_end;
}

/* Could the kernel run there? Text of its own, a module's, or made at run time. */
static bool
is_code(const struct dv_mstate *ms, const struct walk *w, uint64_t ip)
{
	return in_text(ms, ip) || in_init(w->u, ip) ||
	    (w->u->mod_low != 0 && ip >= w->u->mod_low && ip < 0 - (uint64_t)(16 << 20));
}

/* The bytes of the entry for ip. */
static bool
find_raw(struct dv_mstate *ms, struct walk *w, uint64_t ip, uint64_t *ret)
{
	const struct dv_orctab *t = &w->u->orc;
	struct dv_orcmemo *m;
	bool kernel, module;
	uint32_t i;

	module = !in_text(ms, ip) && !in_init(w->u, ip) && find_module(ms, w, ip);
	if (!module && !in_text(ms, ip) && !in_init(w->u, ip) &&
	    !find_trampoline(ms, w->u, &ip))
		return false;
	kernel = in_text(ms, ip);
	m = &ms->cpu->orc[(ip * 0x9e3779b97f4a7c15ull) >> (64 - DV_ORCMEMO)];
	if (kernel && m->ip == ip) {
		*ret = m->raw;
		return true;
	}
	if (module)
		t = &w->mod;
	if (!(kernel && search_block(ms, w->u, ip, &i)) && !search(ms, t, 0, t->n, ip, &i))
		return false;
	*ret = 0;
	if (peek(ms, t->entry + (uint64_t)i * w->u->entry_size, ret, w->u->entry_size) != 0)
		return false;
	if (kernel) {			/* constant, as long as this kernel runs */
		m->ip = ip;
		m->raw = *ret;
	}
	return true;
}

static uint32_t
bits(uint64_t raw, struct dv_bits b)
{
	return b.bits == 0 ? 0 : (uint32_t)(raw >> b.at) & ((1u << b.bits) - 1);
}

static struct entry
find_entry(struct dv_mstate *ms, struct walk *w)
{
	const struct dv_unwind *u = w->u;
	struct entry e = { 16, -16, DV_UWR_BP, DV_UWR_PREV_SP, T_CALL, 0 };
	uint64_t raw;

	/* code without entries, such as BPF programs': frame pointers, perhaps */
	if (!find_raw(ms, w, w->signal ? w->ip : w->ip - 1, &raw))
		return e;
	e.sp_offset = (int16_t)bits(raw, u->sp_offset);
	e.bp_offset = (int16_t)bits(raw, u->bp_offset);
	e.sp_reg = u->reg[bits(raw, u->sp_reg)];
	e.bp_reg = u->reg[bits(raw, u->bp_reg)];
	e.type = bits(raw, u->type);
	if (!(u->flags & DV_UW_TYPES_FROM_2))
		e.type = bits(raw, u->end) != 0 ? T_END : e.type + T_CALL;
	e.signal = u->signal.bits != 0 ? bits(raw, u->signal) : e.type != T_CALL;
	return e;
}

/* ---- return addresses that the guest's tracing has replaced --------------- */

static bool
find_graph(struct dv_mstate *ms, const struct dv_unwind *u, uint64_t task, uint64_t slot,
	   uint64_t *ret)
{
	uint64_t stack, at, word[32];
	uint32_t cur, used, i, n, back = u->graph_retp - u->graph_ret_off;

	if (u->task_graph == DV_NO_OFF || !peek64(ms, task + u->task_graph, &stack) ||
	    !peek32(ms, task + u->task_graph_cur, &cur) || cur >= 4096)
		return false;
	used = (cur + 1) * u->graph_size;
	if (used > 4096)
		used = 4096;
	while (used > 0) {			/* at most 16 times; the newest first */
		n = used < sizeof(word) ? used : (uint32_t)sizeof(word);
		at = stack + used - n;
		if (peek(ms, at, word, n) != 0)
			return false;
		for (i = n / 8; i-- > 0;)
			if (word[i] == slot)
				return peek64(ms, at + 8 * (uint64_t)i - back, ret);
		used -= n;
	}
	return false;
}

static bool
find_rethook(struct dv_mstate *ms, const struct dv_unwind *u, uint64_t task, uint64_t slot,
	     uint64_t *ret)
{
	uint64_t node, frame;
	uint32_t i;

	if (u->task_rethooks == DV_NO_OFF || !peek64(ms, task + u->task_rethooks, &node))
		return false;
	for (i = 0; i < 64 && node != 0; i++) {
		node -= u->rethook_llist;
		if (!peek64(ms, node + u->rethook_frame, &frame))
			return false;
		if (frame == slot && peek64(ms, node + u->rethook_ret, ret) &&
		    *ret != u->kretprobe_ret)
			return true;
		if (!peek64(ms, node + u->rethook_llist, &node))
			return false;
	}
	return false;
}

/* The address that is returned to in the end. */
static uint64_t
real_return(struct dv_mstate *ms, const struct walk *w, uint64_t ip, uint64_t slot)
{
	const struct dv_unwind *u = w->u;
	uint32_t fault = ms->fault, i;
	uint64_t task, found;

	for (i = 0; i < 2; i++) {		/* one may have replaced the other's */
		if (ip == 0 || (ip != u->graph_ret && ip != u->kretprobe_ret))
			break;
		if (dv_curthread(ms, &task) != 0) {
			ms->fault = fault;
			break;
		}
		if (!(ip == u->graph_ret ? find_graph(ms, u, task, slot, &found) :
		    find_rethook(ms, u, task, slot, &found)))
			break;
		ip = found;
	}
	return ip;
}

/* ---- one step ------------------------------------------------------------- */

static bool
get_reg(struct dv_mstate *ms, const struct walk *w, unsigned reg, unsigned off, uint64_t *ret)
{
	uint64_t from = w->full ? w->regs : w->prev;

	if (w->regs == 0 || from == 0)
		return false;
	if (from != LIVE)
		return peek64(ms, from + off, ret);
	*ret = dv_reg(ms, reg);
	return true;
}

/* The end of the frame. */
static bool
frame_end(struct dv_mstate *ms, const struct walk *w, const struct entry *e, uint64_t *ret)
{
	uint64_t sp, off = (uint64_t)e->sp_offset;
	bool first = (w->u->flags & DV_UW_ADD_FIRST) != 0;

	switch (e->sp_reg) {
	case DV_UWR_SP:
		*ret = w->sp + off;
		return true;
	case DV_UWR_BP:
		*ret = w->bp + off;
		return true;
	case DV_UWR_BP_INDIRECT:
		return peek64(ms, w->bp + off, ret);
	case DV_UWR_SP_INDIRECT:
		if (!peek64(ms, first ? w->sp + off : w->sp, &sp))
			return false;
		*ret = first ? sp : sp + off;
		return true;
	case DV_UWR_R10:
		return get_reg(ms, w, DV_REG_R10, REGS_R10, ret);
	case DV_UWR_R13:
		return get_reg(ms, w, DV_REG_R13, REGS_R13, ret);
	case DV_UWR_DI:
		return get_reg(ms, w, DV_REG_RDI, REGS_DI, ret);
	case DV_UWR_DX:
		return get_reg(ms, w, DV_REG_RDX, REGS_DX, ret);
	default:
		return false;
	}
}

/* Upwards, or to another stack, which happens few times. */
static bool
may_move(struct walk *w, uint64_t sp, bool jump)
{
	if (sp > w->sp && sp - w->sp <= MAXSTRIDE)
		return true;
	return jump && ++w->jumps <= MAXJUMPS;
}

/* What the processor pushed at `at`; false: it was in user mode. */
static bool
step_regs(struct dv_mstate *ms, struct walk *w, uint64_t at, uint64_t *sp)
{
	uint64_t frame[4];		/* ip cs flags sp */

	if (peek(ms, at, frame, sizeof(frame)) != 0 || (frame[1] & 3) == 3)
		return false;
	w->ip = frame[0];
	*sp = frame[3];
	return true;
}

static bool
step_orc(struct dv_mstate *ms, struct walk *w)
{
	struct entry e = find_entry(ms, w);
	uint64_t end, sp, bp = w->bp;

	if (e.type < T_CALL || !frame_end(ms, w, &e, &end))
		return false;
	switch (e.type) {
	case T_CALL:
		sp = end;
		if (!may_move(w, sp, e.sp_reg != DV_UWR_SP) || !peek64(ms, end - 8, &w->ip))
			return false;
		w->ip = real_return(ms, w, w->ip, end - 8);
		w->regs = w->prev = 0;
		w->full = false;
		break;
	case T_REGS:
		if (!step_regs(ms, w, end + REGS_IP, &sp) || !may_move(w, sp, true))
			return false;
		w->regs = end;
		w->prev = 0;
		w->full = true;
		break;
	case T_PARTIAL:
		if (!step_regs(ms, w, end, &sp) || !may_move(w, sp, true))
			return false;
		if (w->full)
			w->prev = w->regs;
		w->regs = end - REGS_IP;
		w->full = false;
		break;
	default:
		return false;
	}
	switch (e.bp_reg) {
	case DV_UWR_UNDEFINED:
		if (get_reg(ms, w, DV_REG_RBP, REGS_BP, &bp))
			w->bp = bp;
		break;
	case DV_UWR_PREV_SP:
		if (!peek64(ms, end + (uint64_t)e.bp_offset, &w->bp))
			return false;
		break;
	case DV_UWR_BP:
		if (!peek64(ms, bp + (uint64_t)e.bp_offset, &w->bp))
			return false;
		break;
	default:
		return false;
	}
	w->sp = sp;
	w->signal = e.signal != 0;
	return true;
}

/* The first bytes at ip, as they are without a trap of ours. */
static bool
code_at(struct dv_mstate *ms, uint64_t ip, uint8_t *buf, size_t len)
{
	const struct dv_prog *p = &ms->s->prog;
	uint32_t lo = 0, hi = p->nsites, mid;

	while (lo < hi) {			/* at most 32 times */
		mid = lo + (hi - lo) / 2;
		if (p->sites[mid].addr < ip)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < p->nsites && p->sites[lo].addr == ip && p->sites[lo].nbytes >= len) {
		memcpy(buf, p->sites[lo].bytes, len);
		return true;
	}
	return peek(ms, ip, buf, len) == 0;
}

/* Is the frame not there (yet, any more)? 1: the return address is at %rsp, 2: above it. */
static unsigned
frameless(struct dv_mstate *ms, uint64_t ip)
{
	uint8_t c[4];

	if (!code_at(ms, ip, c, sizeof(c)))
		return 0;
	if (c[0] == 0x48 && c[1] == 0x89 && c[2] == 0xe5)	/* mov %rsp,%rbp */
		return 2;
	switch (c[0]) {
	case 0x55:			/* push %rbp */
	case 0xc2: case 0xc3:		/* ret */
	case 0xe9: case 0xeb:		/* a jump out, most likely to a thunk of ret */
		return 1;
	case 0xf3:			/* endbr64 */
		return c[1] == 0x0f && c[2] == 0x1e && c[3] == 0xfa;
	case 0x0f:			/* the nop of ftrace */
		return c[1] == 0x1f && c[2] == 0x44;
	default:
		return 0;
	}
}

static bool
step_fp(struct dv_mstate *ms, struct walk *w)
{
	unsigned off = w->signal ? frameless(ms, w->ip) : 0;
	uint64_t word[2], at = w->bp, sp;

	w->signal = false;
	if (off != 0) {			/* %rbp is the caller's already, or saved at %rsp */
		at = w->sp + 8 * (off - 1);
		if (!peek64(ms, at, &w->ip))
			return false;
		w->ip = real_return(ms, w, w->ip, at);
		w->sp = at + 8;
		return true;
	}
	if (at & 1) {			/* so does the kernel mark its pt_regs */
		at--;
		if (!step_regs(ms, w, at + REGS_IP, &sp) || !may_move(w, sp, true) ||
		    !peek64(ms, at + REGS_BP, &w->bp))
			return false;
		w->sp = sp;
		w->signal = true;
		return true;
	}
	if (!may_move(w, at + 16, true) || peek(ms, at, word, sizeof(word)) != 0)
		return false;
	w->bp = word[0];
	w->ip = real_return(ms, w, word[1], at + 8);
	w->sp = at + 16;
	return true;
}

uint32_t
dv_kstack(struct dv_mstate *ms, uint8_t *to, uint32_t n)
{
	const struct dv_state *s = ms->s;
	struct walk w;
	uint32_t i;

	if (s->unwind == NULL || s->lay == NULL || ms->ctx->vcpu < 0 ||
	    ms->ctx->rip < s->kernel_half || (dv_reg(ms, DV_REG_CS) & 3) == 3)
		return 0;
	memset(&w, 0, sizeof(w));
	w.u = s->unwind;
	w.ip = ms->ctx->rip;
	w.sp = dv_reg(ms, DV_REG_RSP);
	w.bp = dv_reg(ms, DV_REG_RBP);
	w.regs = LIVE;
	w.full = w.signal = true;
	if (n > DV_MAXFRAMES)
		n = DV_MAXFRAMES;
	for (i = 0; i < n; i++) {
		if (i > 0 && (!(w.u->kind == DV_UNWIND_ORC ? step_orc(ms, &w) : step_fp(ms, &w)) ||
		    !is_code(ms, &w, w.ip)))
			break;
		if (to != NULL)
			memcpy(to + 8 * (size_t)i, &w.ip, 8);
	}
	return i;
}

/* ---- at load time ---------------------------------------------------------- */

static bool
bits_ok(const struct dv_unwind *u, struct dv_bits b, unsigned min, unsigned max)
{
	return b.bits >= min && b.bits <= max && (uint32_t)b.at + b.bits <= u->entry_size * 8;
}

int
dv_unwind_check(const struct dv_prog *p, struct dv_reason *why)
{
	const struct dv_unwind *u = p->unwind;

	if (u == NULL)
		return 0;
	if (p->layout == NULL)
		return dv_refuse(why, "unwinding without a guest's layout");
	if (u->kind != DV_UNWIND_ORC && u->kind != DV_UNWIND_FP)
		return dv_refuse(why, "unwinding: unknown kind %u", u->kind);
	if (u->graph_size > 4096 || u->graph_retp < u->graph_ret_off)
		return dv_refuse(why, "unwinding: saved return addresses are nowhere");
	if (u->kind != DV_UNWIND_ORC)
		return 0;
	if (u->orc.n > DV_MAXORC)
		return dv_refuse(why, "unwinding: %u entries are too many", u->orc.n);
	if (u->entry_size == 0 || u->entry_size > 8 || u->block_shift > 31)
		return dv_refuse(why, "unwinding: entries of %u bytes", u->entry_size);
	if (!bits_ok(u, u->sp_offset, 16, 16) || !bits_ok(u, u->bp_offset, 16, 16) ||
	    !bits_ok(u, u->sp_reg, 1, 4) || !bits_ok(u, u->bp_reg, 1, 4) ||
	    !bits_ok(u, u->type, 1, 8) || !bits_ok(u, u->signal, 0, 8) ||
	    !bits_ok(u, u->end, 0, 8))
		return dv_refuse(why, "unwinding: the fields of an entry are not inside it");
	return 0;
}
