/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fbt.c - the fbt provider on Linux: entry and return of every kernel function.
 *
 * Which functions: one name for every address of kernel text that has a symbol
 * (func.c); not thunks, padding symbols, static-call trampolines or the .cold
 * parts that belong to another function. Init text too, as tracing may begin
 * at the first instruction; once it is freed, such probes have no sites.
 *
 * Entry: the first instruction after endbr64 and ftrace's nop; at that nop if
 * the function jumps back to where its prologue ends. Arguments are in
 * rdi rsi rdx rcx r8 r9, further ones on the stack above the return address.
 *
 * Return: arg0 is the offset of the place where the function returns (of a
 * place in a .cold part too: address minus the function's start), arg1 the
 * value, none for void functions. At a ret the value is in rax. A direct tail
 * jump to g saves "f returns" for this return slot (DV_RULE_TAIL), and what
 * returns from g fires it: so all of g's returns are hidden sites, and those of
 * functions that g tail-jumps to, and so on. Where that chain leaves what we
 * can follow, at an indirect jump, the pending return fires there and its arg1
 * is a fault: the DV_RULE_RET there has an argument set whose arg1 is
 * DV_LOC_FAULT, which tells the machine so. The same if g cannot be decoded, or the chain is over
 * MAX_CHAIN functions, or f or g is entry text: then f fires at its own jump. A conditional direct
 * jump saves as if it were taken, and the next instruction, where it was not,
 * takes that back (DV_RULE_UNTAIL). Other conditional ways out, which compilers
 * do not make, carry a guard that evaluates the condition from the flags.
 *
 * Modules: two numbers of probes are kept for every symbol of a module, so that
 * numbering needs no look into it; those that turn out to be no function, or to
 * have no return, are holes (why_not). Whether a function returns is found out when
 * its return is asked for.
 */
#include "guest-introspect/sites.h"

#include <stdio.h>

#define MAX_CHAIN	4096u

static bool
listed(const struct gi_fn *f)
{
	return (f->flags & (GI_FN_COLD | GI_FN_HIDE)) == 0 && f->size > 0;
}

/* Listing: has it a return? */
int
gi_fbt_open(struct gi_kernel *k, struct gi_probes *p, struct dv_err *err)
{
	struct gi_exits x = { 0 };
	uint32_t i;

	if ((p->fbt = malloc(2 * sizeof(*p->fbt) * ((size_t)p->nfns + 1))) == NULL)
		return dv_err_nomem(err);
	for (i = 0; i < p->nfns; i++) {
		struct gi_fn *f = &p->fns[i];
		int rc;

		if (!listed(f))
			continue;
		p->fbt[p->nfbt++] = 2 * i;
		if ((f->flags & GI_FN_INIT) != 0) {	/* the same early and late */
			f->flags |= GI_FN_RET;
			p->fbt[p->nfbt++] = 2 * i + 1;
			continue;
		}
		rc = gi_fn_exits(k, f, &x);
		if (rc == DV_E_NOMEM) {
			dv_vec_fini(&x.x);
			return dv_err_nomem(err);
		}
		if (x.loops)
			f->flags |= GI_FN_LOOPS;
		if (rc != 0) {
			f->flags |= GI_FN_BAD;
			p->nbad++;
		} else if (x.x.n != 0) {
			f->flags |= GI_FN_RET;
			p->fbt[p->nfbt++] = 2 * i + 1;
		}
	}
	dv_vec_fini(&x.x);
	return 0;
}

uint32_t
gi_fbt_mod_probes(const struct gi_kernel *k)
{
	const struct gi_mod *last = gi_nmods(k) == 0 ? NULL : &k->mods->v[k->mods->n - 1];

	return last == NULL ? 0 : last->probe_first + 2 * last->nsyms;
}

/* The module whose run has the i-th of the probes of modules, or NULL. */
static struct gi_mod *
mod_of_probe(const struct gi_kernel *k, uint32_t i)
{
	uint32_t lo = 0, hi = (uint32_t)gi_nmods(k);
	struct gi_mod *m;

	while (lo < hi) {		/* the last that does not begin behind i */
		uint32_t mid = lo + (hi - lo) / 2;

		if (k->mods->v[mid].probe_first <= i)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return NULL;
	m = &k->mods->v[lo - 1];
	return i - m->probe_first < 2 * m->nsyms ? m : NULL;
}

bool
gi_fbt_run(const struct gi_kernel *k, uint32_t i, const char **mod, uint32_t *end)
{
	const struct gi_mod *m;

	if (i < k->probes->nfbt) {
		*mod = "vmlinux";
		*end = k->probes->nfbt;
		return true;
	}
	if ((m = mod_of_probe(k, i - k->probes->nfbt)) == NULL)
		return false;
	*mod = m->name;
	*end = k->probes->nfbt + m->probe_first + 2 * m->nsyms;
	return true;
}

/* Is the i-th probe a return? Its function, or NULL: a hole. */
static struct gi_fn *
fn_of_probe(const struct gi_kernel *k, uint32_t i, bool *is_return)
{
	const struct gi_probes *p = k->probes;
	struct gi_mod *m;

	if (i < p->nfbt) {
		*is_return = p->fbt[i] % 2 != 0;
		return &p->fns[p->fbt[i] / 2];
	}
	i -= p->nfbt;
	*is_return = i % 2 != 0;
	if ((m = mod_of_probe(k, i)) == NULL || m->nprobes == 0 ||
	    !gi_mod_fns(k->mods->k, m))
		return NULL;
	i = (i - m->probe_first) / 2;
	return i < m->nfns && listed(&m->fns[i]) ? &m->fns[i] : NULL;
}

/* Of a module's function: does it return? */
static bool
has_return(const struct gi_kernel *k, struct gi_fn *f)
{
	struct gi_exits x = { 0 };

	if (f->mod == 0)
		return true;		/* listed only then */
	if ((f->flags & GI_FN_SEEN) == 0 && k->live) {
		f->flags |= GI_FN_SEEN;
		if (gi_fn_exits(k->mods->k, f, &x) != 0)
			f->flags |= GI_FN_BAD;
		else if (x.x.n != 0)
			f->flags |= GI_FN_RET;
		dv_vec_fini(&x.x);
	}
	return (f->flags & GI_FN_RET) != 0;
}

const char *
gi_fbt_why_not(const struct gi_kernel *k, uint32_t i)
{
	bool is_return;
	struct gi_fn *f = fn_of_probe(k, i, &is_return);

	if (f == NULL)
		return "there is no such function";
	if (is_return && !has_return(k, f))
		return f->flags & GI_FN_BAD ? "its text cannot be decoded whole" :
		    "it never returns";
	if (f->mod != 0 && gi_addr(k, "free_module") == 0)
		return "this kernel has no free_module, whose calls tell that a module goes";
	return NULL;
}

bool
gi_fbt_name(const struct gi_kernel *k, uint32_t i, struct gi_probe *ret)
{
	bool is_return;
	const struct gi_fn *f = fn_of_probe(k, i, &is_return);

	ret->prov = "fbt";
	if (f == NULL) {
		ret->func = ret->name = "";
		ret->why_not = gi_fbt_why_not(k, i);
		return false;
	}
	ret->func = gi_fn_name(k, f);
	if (f->mod != 0)
		ret->mod = k->mods->v[f->mod - 1].name;
	ret->name = is_return ? "return" : "entry";
	ret->flags = is_return ? DV_PF_RETURN : DV_PF_ENTRY;
	return true;
}

void
gi_fbt_probe(const struct gi_kernel *k, uint32_t i, struct gi_probe *ret)
{
	bool is_return;
	struct gi_fn *f = fn_of_probe(k, i, &is_return);
	const struct gi_btf *b;
	struct gi_type fn, proto;
	uint32_t proto_id = 0, a;

	if (!gi_fbt_name(k, i, ret) || (ret->why_not = gi_fbt_why_not(k, i)) != NULL)
		return;
	b = gi_fn_types(k, f);
	ret->traits = (f->flags & GI_FN_NOTRACE ? GI_PT_NOTRACE : 0) |
	    (f->flags & GI_FN_INIT ? GI_PT_INIT : 0);
	if ((f->flags & GI_FN_PROTO) != 0 && gi_btf_type(b, f->btf, &fn) == 0 &&
	    gi_btf_type(b, fn.ref, &proto) == 0)
		proto_id = fn.ref;
	if (!is_return) {
		if (proto_id == 0)
			return;
		for (a = 0; a < proto.n && a < GI_MAXARGS; a++) {
			struct gi_member m;

			if (gi_btf_member(b, proto_id, a, &m) != 0 || m.type == 0)
				break;		/* ... */
			ret->args[a].ntype = m.type;
			ret->args[a].native = gi_type_text(k, m.type);
			ret->args[a].map = (uint8_t)a;
		}
		ret->nargs = a;
		return;
	}
	ret->args[0] = (struct gi_arg){ .native = "uint64_t", .map = 0 };
	ret->nargs = 1;
	if (proto_id != 0 && (f->flags & GI_FN_VOID) == 0) {
		ret->args[1] = (struct gi_arg){ .native = gi_type_text(k, proto.ref),
		    .ntype = proto.ref, .map = 1 };
		ret->nargs = 2;
	}
}

/* ---- sites ---- */

/* What a run knows of a function, by its number. */
struct state {
	uint32_t want;		/* index in b->want of its return, or DV_NONE */
	uint8_t hidden;		/* its returns must be watched for others */
	uint8_t done;		/* its exits have been looked at */
	uint8_t bad;
};

struct run {
	struct gi_build *b;
	struct state *st;
	struct gi_exits x;
	uint32_t *queue;	/* functions to look at */
	size_t nqueue, qcap;
	uint32_t flags_raw;	/* raw argset: arg0 = rflags */
};

static uint32_t
condition(struct gi_build *b, unsigned cc)
{
	/* Intel SDM volume 1, appendix B: by cc / 2; odd ones are the opposite */
	static const char *const c[8] = {
		"(arg0 & 0x800) != 0",				/* o */
		"(arg0 & 0x1) != 0",				/* b */
		"(arg0 & 0x40) != 0",				/* e */
		"(arg0 & 0x41) != 0",				/* be */
		"(arg0 & 0x80) != 0",				/* s */
		"(arg0 & 0x4) != 0",				/* p */
		"((arg0 >> 7 ^ arg0 >> 11) & 1) != 0",		/* l */
		"((arg0 >> 7 ^ arg0 >> 11) & 1) != 0 || (arg0 & 0x40) != 0",	/* le */
	};

	if ((cc & 1) == 0)
		return gi_build_expr(b, "%s", c[cc / 2]);
	return gi_build_expr(b, "!(%s)", c[cc / 2]);
}

static void
rule_at(struct run *r, const struct gi_exit *x, struct gi_rule *rule)
{
	rule->guard = GI_NOEXPR;
	rule->raw = DV_NONE;
	if (x->cc != GI_CC_ALWAYS && rule->kind == DV_RULE_TAIL) {
		struct gi_rule undo = { .kind = DV_RULE_UNTAIL, .guard = GI_NOEXPR,
		    .raw = DV_NONE, .args = DV_NONE, .probe = rule->probe };

		gi_build_rule(r->b, x->at + x->len, GI_PRIO_FIRST, &undo);
	} else if (x->cc != GI_CC_ALWAYS) {
		struct dv_argset raw = { 0 };

		raw.arg[0] = gi_loc_reg(DV_REG_RFLAGS);
		rule->raw = gi_build_args(r->b, &raw);
		rule->guard = condition(r->b, x->cc);
	}
	gi_build_rule(r->b, x->at, GI_PRIO_RET, rule);
}

static void
enqueue(struct run *r, uint32_t fn)
{
	if (r->st[fn].done != 0)
		return;
	r->st[fn].done = 1;
	if (dv_vec_grow(&r->queue, &r->qcap, r->nqueue, 1, sizeof(*r->queue)) != 0) {
		r->b->failed = true;
		return;
	}
	r->queue[r->nqueue++] = fn;
}

/*
 * Entry text is entered by system calls, exceptions and interrupts, and left by
 * iret and sysret: its pieces jump to each other, and nothing returns for them.
 */
static bool
in_entry_text(struct gi_kernel *k, uint64_t va)
{
	return va >= gi_addr(k, "__entry_text_start") && va < gi_addr(k, "__entry_text_end");
}

/*
 * Why no trap may be at one of these places where a function is left, or NULL.
 * At ftrace's nop, where a function that loops is entered, neither.
 */
static const char *
patched_exit(struct gi_kernel *k, const struct gi_exits *x)
{
	const char *why = NULL;
	size_t i;

	for (i = 0; k->traps && i < x->x.n && why == NULL; i++) {
		const struct gi_exit *e = &x->x.v[i];

		why = gi_patched(k, e->at);
		if (why == NULL && e->cc != GI_CC_ALWAYS && e->kind == GI_X_TAIL)
			why = gi_patched(k, e->at + e->len);
	}
	return why;
}

/*
 * Marks target's returns, and what it tail-jumps to in turn, as watched. False:
 * it cannot be followed.
 */
static bool
follow(struct run *r, uint64_t target)
{
	struct gi_kernel *k = r->b->k;
	const struct gi_fn *g = gi_fn_at(k, target);
	struct gi_exits x = { 0 };
	DV_VEC(uint32_t) todo = {0};
	uint32_t fn;
	size_t i, at;
	bool ok = true;

	if (g == NULL)
		return false;
	fn = gi_fn_num(k, g);
	if (r->st[fn].hidden)
		return r->st[fn].bad == 0;
	if (dv_vec_push(&todo, fn) != 0)
		r->b->failed = true;
	r->st[fn].hidden = 1;
	for (at = 0; at < todo.n && ok; at++) {
		int rc = gi_fn_exits(k, gi_fn_of(k, todo.v[at]), &x);

		if (rc != 0 || at > MAX_CHAIN || patched_exit(k, &x) != NULL ||
		    gi_untraceable(k, gi_fn_of(k, todo.v[at])) != NULL) {
			r->st[todo.v[at]].bad = 1;
			if (at == 0)
				ok = false;
			continue;
		}
		for (i = 0; i < x.x.n; i++) {
			const struct gi_fn *t;

			if (x.x.v[i].kind != GI_X_TAIL ||
			    (t = gi_fn_at(k, x.x.v[i].target)) == NULL)
				continue;
			fn = gi_fn_num(k, t);
			if (r->st[fn].hidden)
				continue;
			r->st[fn].hidden = 1;
			if (dv_vec_push(&todo, fn) != 0)
				r->b->failed = true;
		}
	}
	for (at = 0; at < todo.n; at++)
		enqueue(r, todo.v[at]);
	dv_vec_fini(&todo);
	dv_vec_fini(&x.x);
	return ok;
}

/* All rules for the returns of one function. */
static void
function_returns(struct run *r, uint32_t fn)
{
	struct gi_kernel *k = r->b->k;
	struct gi_fn *f = gi_fn_of(k, fn);
	const struct state *st = &r->st[fn];
	uint64_t start = gi_fn_addr(k, f);
	bool isvoid;
	size_t i;
	int rc = gi_fn_exits(k, f, &r->x);

	gi_fn_types(k, f);
	isvoid = (f->flags & GI_FN_VOID) != 0;
	if (rc != 0) {
		if (st->want != DV_NONE)
			gi_build_leave(r->b, st->want, rc == DV_E_GUEST ?
			    (f->flags & GI_FN_INIT ? "its text is init text, and freed" :
			    "its text cannot be read") : "its text cannot be decoded whole");
		return;
	}
	for (i = 0; i < r->x.x.n; i++) {
		const struct gi_exit *x = &r->x.x.v[i];
		struct gi_rule own = { .kind = DV_RULE_RET, .probe = st->want };
		struct dv_argset a = { 0 };
		unsigned kind = x->kind;
		uint64_t target = x->target;

		/* a jump that cannot be followed is as an indirect one */
		if (kind == GI_X_TAIL && st->want != DV_NONE && (in_entry_text(k, start) ||
		    in_entry_text(k, target) || !follow(r, target)))
			kind = GI_X_IND;
		if (x->cc == GI_CC_ELSE)	/* the exit before has saved it */
			continue;
		if (st->want != DV_NONE) {
			a.arg[0] = (struct dv_loc){ .kind = DV_LOC_CONST, .value = x->at - start };
			if (isvoid) {
				a.arg[1].kind = DV_LOC_ZERO;
			} else if (kind == GI_X_IND) {
				a.arg[1].kind = DV_LOC_FAULT;
			} else {
				a.arg[1] = gi_loc_reg(DV_REG_RAX);
				own.retval = 1;
			}
			own.args = gi_build_args(r->b, &a);
			own.kind = kind == GI_X_RET ? DV_RULE_RET : kind == GI_X_TAIL ?
			    DV_RULE_TAIL : DV_RULE_FIRE;
			rule_at(r, x, &own);
		}
		if (!st->hidden || st->bad)
			continue;
		/* what is pending for this return slot: unless RET above does it */
		if (kind == GI_X_RET && st->want != DV_NONE)
			continue;
		if (kind == GI_X_TAIL) {
			const struct gi_fn *t = gi_fn_at(k, target);

			if (t != NULL && r->st[gi_fn_num(k, t)].hidden &&
			    !r->st[gi_fn_num(k, t)].bad)
				continue;	/* that one returns for it */
		}
		own = (struct gi_rule){ .kind = DV_RULE_RET, .probe = DV_NONE, .args = DV_NONE,
		    .retval = kind == GI_X_RET };
		if (kind != GI_X_RET) {		/* here rax is no value yet */
			struct dv_argset none = { 0 };

			none.arg[1].kind = DV_LOC_FAULT;
			own.args = gi_build_args(r->b, &none);
		}
		rule_at(r, x, &own);
	}
}

static uint32_t
entry_args(struct gi_build *b)
{
	static const uint8_t regs[6] = { DV_REG_RDI, DV_REG_RSI, DV_REG_RDX, DV_REG_RCX,
	    DV_REG_R8, DV_REG_R9 };
	struct dv_argset a = { 0 };
	int i;

	for (i = 0; i < 6; i++)
		a.arg[i] = gi_loc_reg(regs[i]);
	for (; i < 10; i++)
		a.arg[i] = gi_loc_mem(DV_REG_RSP, 8 * (i - 5));
	return gi_build_args(b, &a);
}

/* Why f's entry at `at`, or its returns, get no trap; or NULL. */
static const char *
why_no_trap(struct gi_kernel *k, const struct gi_fn *f, bool is_return, uint64_t at)
{
	struct gi_exits x = { 0 };
	const char *why;

	if (!k->traps || (why = gi_untraceable(k, f)) != NULL)
		return k->traps ? why : NULL;
	if (is_return) {
		if (gi_fn_exits(k, f, &x) == 0)
			why = patched_exit(k, &x);
		dv_vec_fini(&x.x);
	} else if ((why = gi_patched(k, at)) == NULL && gi_fn_loops(k, f)) {
		why = "it loops to its very begin, where the guest's ftrace patches";
	}
	return why;
}

int
gi_fbt_sites(struct gi_build *b, struct dv_err *err)
{
	struct gi_kernel *k = b->k;
	const struct gi_probes *p = k->probes;
	struct run r = { .b = b };
	uint32_t args = DV_NONE;
	size_t i;

	for (i = 0; i < b->nwant; i++) {
		struct gi_rule rule = { .kind = DV_RULE_FIRE, .guard = GI_NOEXPR,
		    .raw = DV_NONE, .probe = (uint32_t)i };
		const struct gi_fn *f;
		const char *why;
		bool is_return;
		uint32_t fn;
		uint64_t at;

		if (b->want[i] < p->fbt_first)
			continue;
		if ((f = fn_of_probe(k, b->want[i] - p->fbt_first, &is_return)) == NULL) {
			gi_build_leave(b, (uint32_t)i, "there is no such function");
			continue;
		}
		if (!is_return) {
			if (args == DV_NONE)
				args = entry_args(b);
			rule.args = args;
			if ((at = gi_fn_entry(k, gi_fn_addr(k, f))) == 0)
				gi_build_leave(b, (uint32_t)i, f->flags & GI_FN_INIT ?
				    "its text is init text, and freed" : "its text cannot be read");
			else if ((why = why_no_trap(k, f, false, at)) != NULL)
				gi_build_leave(b, (uint32_t)i, "%s", why);
			else
				gi_build_rule(b, at, GI_PRIO_ENTRY, &rule);
			continue;
		}
		if ((why = why_no_trap(k, f, true, 0)) != NULL) {
			gi_build_leave(b, (uint32_t)i, "%s", why);
			continue;
		}
		if (r.st == NULL) {
			uint32_t j, n = gi_fn_count(k);

			if ((r.st = calloc((size_t)n + 1, sizeof(*r.st))) == NULL)
				return dv_err_nomem(err);
			for (j = 0; j < n; j++)
				r.st[j].want = DV_NONE;
		}
		fn = gi_fn_num(k, f);
		r.st[fn].want = (uint32_t)i;
		enqueue(&r, fn);
	}
	/* Chains first, so that whoever is looked at knows whom it returns for. */
	for (i = 0; i < r.nqueue && !b->failed; i++) {
		struct gi_exits x = { 0 };
		size_t j;

		if (r.st[r.queue[i]].want != DV_NONE &&
		    gi_fn_exits(k, gi_fn_of(k, r.queue[i]), &x) == 0)
			for (j = 0; j < x.x.n; j++)
				if (x.x.v[j].kind == GI_X_TAIL)
					follow(&r, x.x.v[j].target);
		dv_vec_fini(&x.x);
	}
	for (i = 0; i < r.nqueue && !b->failed; i++)
		function_returns(&r, r.queue[i]);
	free(r.queue);
	free(r.st);
	dv_vec_fini(&r.x.x);
	return 0;
}
