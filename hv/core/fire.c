/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fire.c - probe context: a site was hit, its rules run, probes fire.
 *
 * This is where the machine is entered. What holds from here on, down to the
 * last load:
 *
 *   (1) Nothing allocates, sleeps or locks; the gate of the CPU (gate.h) is
 *       taken once, here, and everything that is written belongs to that CPU,
 *       or is atomic (speculations, dynamic variables, pending returns), or is
 *       a global variable, which D does not protect either.
 *   (2) Nothing returns an error: a fault is noted in the mstate, ends the
 *       clause (or makes a rule's guard "no"), is counted, and raises ERROR.
 *   (3) All loops have bounds known when the program was loaded.
 *   (4) No function calls itself on any way. ERROR's clauses run in a loop of
 *       raise_error(), and a fault in one of them is only counted.
 *
 *	dv_fire -> site -> rule: guard, selection, arguments -> probe
 *	        -> fire_probe -> its ECBs -> ecb.c -> dif.c, buf.c, agg.c, spec.c
 *	                     \-> on a fault: fault record, ERROR's ECBs
 */
#include "fire.h"

#include "dif.h"
#include "ecb.h"
#include "load.h"
#include "state_impl.h"

static inline void
begin_hit(struct dv_mstate *ms, struct dv_ctx *ctx)
{
	ctx->reg_have = 0;
	ctx->cur_state = 0;
	ctx->user_root = 0;
	ctx->now = 0;
	ms->ctx = ctx;
	ms->tlb_have = 0;
	ms->wall = 0;
	ms->have = 0;
	ms->scratch_floor = 0;
	ms->delay = 0;
	ms->halt = 0;
	ms->walk_reads = 0;
	if (ms->s->vslots != NULL)
		ms->cpu->entered = dv_now(ms);
}

/* What the hit took so far is not the thread's time. */
static void
take_off(struct dv_state *s, struct dv_cpu *cpu, struct dv_ctx *ctx)
{
	uint64_t now = s->c.clock(ctx);

	cpu->vcur.start += now - cpu->entered;
	cpu->entered = now;
}

/*
 * The hit is over. What its clauses asked for that takes time happens now: the
 * gate must not be held meanwhile, or the consumer would wait, too. Their
 * records are in the buffer by then.
 */
static inline void
end_hit(struct dv_state *s, struct dv_cpu *cpu, struct dv_ctx *ctx)
{
	uint64_t delay = cpu->ms.delay;
	uint32_t halt = cpu->ms.halt;

	if (s->vslots != NULL)
		take_off(s, cpu, ctx);
	dv_gate_leave(&cpu->gate);
	if (halt != 0)
		s->c.halt(ctx);
	if (delay != 0)
		s->c.delay(ctx, delay);
	if (s->vslots != NULL && (halt != 0 || delay != 0)) {
		dv_gate_enter(&cpu->gate);
		take_off(s, cpu, ctx);
		dv_gate_leave(&cpu->gate);
	}
}

static void
put_fault(struct dv_mstate *ms, const struct dv_fail *f)
{
	struct dv_fault_rec *r;

	r = (struct dv_fault_rec *)dv_buf_reserve(&ms->cpu->buf, sizeof(*r));
	if (r == NULL)
		return;			/* counted as a principal drop */
	r->epid = DV_EPID_FAULT;
	r->vm = ms->s->vm;
	r->timestamp = dv_now(ms);
	r->failed = f->epid;
	r->action = f->action;
	r->offset = f->offset;
	r->fault = f->fault;
	r->addr = f->addr;
	dv_buf_commit(&ms->cpu->buf, sizeof(*r));
}

/* ERROR is a probe of its own, with its own clause-locals. Again: back. */
static void
swap_locals(struct dv_cpu *cpu)
{
	struct dv_region *r = &cpu->ms.region[DV_RG_LOCALS];
	uint64_t *lvals = cpu->lvals;
	uint8_t *mem = r->mem;

	cpu->lvals = cpu->lvals_error;
	cpu->lvals_error = lvals;
	r->mem = cpu->locals_error;
	cpu->locals_error = mem;
}

static void
raise_error(struct dv_mstate *ms, const struct dv_fail *f)
{
	struct dv_state *s = ms->s;
	const struct dv_probe *probe = ms->probe;
	const struct dv_argset *args = ms->args;
	uint32_t have = ms->arg_have, bad = ms->arg_bad, e;
	uint64_t val[10];
	struct dv_fail again;

	if (probe->flags & DV_PF_ERROR) {
		DV_COUNT(ms->cpu->n.dblerrors);
		return;
	}
	DV_COUNT(ms->cpu->n.errors);
	put_fault(ms, f);
	if (s->error == DV_NONE)
		return;
	memcpy(val, ms->argval, sizeof(val));
	ms->probe = &s->prog.probes[s->error];
	ms->args = NULL;
	ms->arg_have = 0x3ff;
	ms->arg_bad = 0;
	memset(ms->argval, 0, sizeof(ms->argval));
	ms->argval[1] = f->epid;
	ms->argval[2] = f->action;
	ms->argval[3] = f->offset;
	ms->argval[4] = f->fault;
	ms->argval[5] = f->addr;
	swap_locals(ms->cpu);
	if (s->nlocals > 0)
		memset(ms->cpu->lvals, 0, s->nlocals * sizeof(*ms->cpu->lvals));
	for (e = s->first[s->error]; e < s->first[s->error + 1]; e++)
		if (dv_ecb_run(ms, e, &again) != 0)
			DV_COUNT(ms->cpu->n.dblerrors);
	swap_locals(ms->cpu);
	ms->probe = probe;
	ms->args = args;
	ms->arg_have = have;
	ms->arg_bad = bad;
	memcpy(ms->argval, val, sizeof(val));
}

/* The ECBs of a probe; its arguments are ready. */
static inline void
fire_probe(struct dv_mstate *ms, uint32_t probe)
{
	struct dv_state *s = ms->s;
	uint32_t e = s->first[probe], end = s->first[probe + 1];
	struct dv_fail f;

	/* Rules ran all the same: what they keep is the guest's, not a CPU's. */
	if (s->only != DV_OPT_UNSET && ms->cpu->index != s->only && ms->cpu->index != s->nvcpu)
		return;
	ms->probe = &s->prog.probes[probe];
	if (s->nlocals > 0)
		memset(ms->cpu->lvals, 0, s->nlocals * sizeof(*ms->cpu->lvals));
	for (; e < end; e++)
		if (dv_ecb_run(ms, e, &f) != 0)
			raise_error(ms, &f);
}

/* A DIFO of a rule, which sees the raw arguments. false: it faulted. */
static bool
run_rule_difo(struct dv_mstate *ms, uint32_t difo, uint64_t *ret)
{
	ms->probe = NULL;
	ms->epid = 0;
	ms->in_rule = 1;
	*ret = dv_dif_run(ms, difo);
	ms->in_rule = 0;
	return ms->fault == 0;
}

static void
begin_args(struct dv_mstate *ms, const struct dv_argset *args)
{
	ms->args = args;
	ms->arg_have = 0;
	ms->arg_bad = 0;
}

/*
 * The probe's arguments: those that a DIFO computes now, before any clause,
 * the others when they are read. What the DIFOs keep in scratch stays there.
 */
static inline void
eager_args(struct dv_mstate *ms, uint32_t argset)
{
	const struct dv_state *s = ms->s;
	unsigned i, bits;

	if (argset == DV_NONE) {
		begin_args(ms, NULL);
		return;
	}
	begin_args(ms, &s->prog.argsets[argset]);
	bits = s->difo_args[argset];
	for (i = 0; bits >> i != 0; i++) {
		if (!(bits >> i & 1))
			continue;
		if (run_rule_difo(ms, (uint32_t)ms->args->arg[i].value, &ms->argval[i]))
			ms->arg_have |= 1u << i;
		else
			ms->arg_bad |= 1u << i;
		ms->scratch_floor = ms->region[DV_RG_SCRATCH].len;
	}
}

/*
 * What a rule's guard says. Many only compare arg0, a return address, with
 * constants: for the same one the answer is the same. false: it faulted.
 */
static bool
run_guard(struct dv_mstate *ms, uint32_t difo, uint64_t *ret)
{
	struct dv_memo *m = &ms->cpu->memo[difo % DV_NMEMO];
	uint64_t arg0;

	if (!ms->s->difos[difo].of_arg0)
		return run_rule_difo(ms, difo, ret);
	ms->fault = 0;
	if (dv_raw_arg(ms, 0, &arg0) != 0)
		return false;
	if (m->difo != difo + 1 || m->arg0 != arg0) {
		if (!run_rule_difo(ms, difo, ret))
			return false;
		m->difo = difo + 1;
		m->arg0 = arg0;
		m->yes = *ret != 0;
	}
	*ret = m->yes;
	return true;
}

/*
 * Guard and selection. false: the guard says no. The probe may be DV_NONE:
 * nothing of its own fires.
 */
static bool
select_probe(struct dv_mstate *ms, const struct dv_rule *r, uint32_t *ret)
{
	const struct dv_prog *p = &ms->s->prog;
	uint64_t val;
	bool ok;

	ms->raw = r->raw == DV_NONE ? NULL : &p->argsets[r->raw];
	ms->raw_have = 0;
	ms->scratch_floor = 0;
	ms->region[DV_RG_SCRATCH].len = 0;
	if (r->guard != DV_NONE) {
		if (!run_guard(ms, r->guard, &val)) {
			DV_COUNT(ms->cpu->n.rule_faults);
			return false;
		}
		if (val == 0)
			return false;
	}
	*ret = r->probe;
	if (r->nselect == 0)
		return true;
	*ret = DV_NONE;
	if (r->sel.kind == DV_LOC_DIFO) {
		ok = run_rule_difo(ms, (uint32_t)r->sel.value, &val);
	} else {
		ms->fault = 0;
		ok = dv_loc(ms, &r->sel, true, &val) == 0;
	}
	if (!ok)
		DV_COUNT(ms->cpu->n.rule_faults);
	else if (val < r->nselect)
		*ret = p->select[r->probe + val];
	return true;
}

/* `novalue`: %rax is no function's value here, so args[1] is a fault. */
static inline void
fire_rule(struct dv_mstate *ms, const struct dv_rule *r, uint32_t probe, bool novalue)
{
	if (ms->s->first[probe] == ms->s->first[probe + 1])
		return;
	eager_args(ms, r->args);
	if (r->retval && novalue) {
		ms->arg_have &= ~2u;
		ms->arg_bad |= 2;
	} else if (r->retval) {
		ms->argval[1] = dv_reg(ms, DV_REG_RAX);
		ms->arg_have |= 2;
		ms->arg_bad &= ~2u;
	}
	fire_probe(ms, probe);
}

/* What the return slot holds; false: it cannot be read. */
static bool
return_slot(struct dv_mstate *ms, uint64_t *slot, uint64_t *ret)
{
	*slot = dv_reg(ms, DV_REG_RSP);
	ms->fault = 0;
	return dv_load(ms, *slot, ret, sizeof(*ret), DV_KERNEL) == 0;
}

static void
save_pending(struct dv_mstate *ms, const struct dv_rule *r, uint32_t probe)
{
	struct dv_state *s = ms->s;
	uint64_t slot, ret;

	if (!return_slot(ms, &slot, &ret))
		DV_COUNT(ms->cpu->n.rule_faults);
	else if (!dv_tail_save(&s->tail, slot, ret, (uint32_t)(r - s->prog.rules), probe))
		DV_COUNT(ms->cpu->n.rule_drops);
}

/*
 * Pending returns of functions that jumped to the one that returns here. Where
 * it leaves by an indirect jump (its own value is marked as a fault) theirs is
 * not known either.
 */
static void
fire_pending(struct dv_mstate *ms, const struct dv_rule *here)
{
	struct dv_state *s = ms->s;
	const struct dv_rule *r;
	uint32_t rule, probe, i;
	uint64_t slot, ret;
	bool novalue = here->args != DV_NONE &&
	    s->prog.argsets[here->args].arg[1].kind == DV_LOC_FAULT;
	int rc;

	if (s->tail.e == NULL || !dv_tail_any(&s->tail, dv_reg(ms, DV_REG_RSP)) ||
	    !return_slot(ms, &slot, &ret))
		return;
	for (i = 0; i < DV_TAIL_WAYS; i++) {
		rc = dv_tail_take(&s->tail, slot, ret, &rule, &probe);
		if (rc == 0)
			return;
		if (rc < 0) {
			DV_COUNT(ms->cpu->n.rule_drops);
			continue;
		}
		r = &s->prog.rules[rule];
		ms->raw = r->raw == DV_NONE ? NULL : &s->prog.argsets[r->raw];
		ms->raw_have = 0;
		ms->scratch_floor = 0;
		fire_rule(ms, r, probe, novalue);
	}
}

static void
run_rule(struct dv_mstate *ms, const struct dv_rule *r)
{
	uint32_t probe = DV_NONE;

	if (!select_probe(ms, r, &probe))
		return;			/* the jump is not taken: no return either */
	switch (r->kind) {
	case DV_RULE_GONE:
		dv_store_rel32(&ms->s->gone[probe], 1);
		break;
	case DV_RULE_FIRE:
		if (probe != DV_NONE)
			fire_rule(ms, r, probe, false);
		break;
	case DV_RULE_RET:
		if (probe != DV_NONE)
			fire_rule(ms, r, probe, false);
		fire_pending(ms, r);
		break;
	case DV_RULE_TAIL:
		if (probe != DV_NONE)
			save_pending(ms, r, probe);
		break;
	case DV_RULE_UNTAIL:
		if (probe != DV_NONE && ms->s->tail.e != NULL)
			dv_tail_forget(&ms->s->tail, dv_reg(ms, DV_REG_RSP), probe);
		break;
	case DV_RULE_SWITCH:
		if (ms->s->vslots != NULL)
			dv_vtime_switch(ms);
		break;
	default:			/* STMT: the guard was all */
		break;
	}
}

static struct dv_cpu *
cpu_of(struct dv_state *s, const struct dv_ctx *ctx)
{
	if (ctx->vcpu < 0)
		return &s->cpus[s->nvcpu];
	return (uint32_t)ctx->vcpu < s->nvcpu ? &s->cpus[ctx->vcpu] : NULL;
}

void
dv_fire(struct dv_state *s, struct dv_ctx *ctx, uint32_t site)
{
	struct dv_cpu *cpu = cpu_of(s, ctx);
	const struct dv_site *st;
	uint32_t life, i;

	if (cpu == NULL || site >= s->prog.nsites)
		return;
	st = &s->prog.sites[site];
	dv_gate_enter(&cpu->gate);
	life = dv_load32(&s->life);
	if (dv_load_acq32(&s->gone[st->group]) == 0 && life <= DV_LIFE_ACTIVE) {
		begin_hit(&cpu->ms, ctx);
		/* what goes, or is remembered, before tracing begins must be known then */
		for (i = 0; i < st->nrule; i++)
			if (life == DV_LIFE_ACTIVE ||
			    s->prog.rules[st->rule + i].kind == DV_RULE_GONE ||
			    s->prog.rules[st->rule + i].kind == DV_RULE_STMT)
				run_rule(&cpu->ms, &s->prog.rules[st->rule + i]);
		end_hit(s, cpu, ctx);
		return;
	}
	dv_gate_leave(&cpu->gate);
}

bool
dv_site_gone(const struct dv_state *s, uint32_t site)
{
	return site < s->prog.nsites && dv_load_acq32(&s->gone[s->prog.sites[site].group]) != 0;
}

void
dv_fire_check(struct dv_state *s, struct dv_ctx *ctx)
{
	struct dv_cpu *cpu = &s->cpus[s->nvcpu];
	const struct dv_rule *r;
	uint64_t here;
	uint32_t i;

	for (i = 0; i < s->prog.nrules; i++) {
		r = &s->prog.rules[i];
		if (r->kind != DV_RULE_GONE)
			continue;
		dv_gate_enter(&cpu->gate);
		begin_hit(&cpu->ms, ctx);
		cpu->ms.raw = NULL;
		cpu->ms.raw_have = 0;
		cpu->ms.region[DV_RG_SCRATCH].len = 0;
		if (!run_rule_difo(&cpu->ms, (uint32_t)r->sel.value, &here) || here == 0)
			dv_store_rel32(&s->gone[r->probe], 1);
		dv_gate_leave(&cpu->gate);
	}
}

void
dv_fire_starts(struct dv_state *s, struct dv_ctx *ctx)
{
	struct dv_cpu *cpu = &s->cpus[s->nvcpu];
	uint64_t val;
	uint32_t i;

	for (i = 0; i < s->prog.nstarts; i++) {
		dv_gate_enter(&cpu->gate);
		begin_hit(&cpu->ms, ctx);
		cpu->ms.raw = &s->prog.argsets[s->prog.starts[i].raw];
		cpu->ms.raw_have = 0;
		cpu->ms.region[DV_RG_SCRATCH].len = 0;
		if (!run_rule_difo(&cpu->ms, s->prog.starts[i].difo, &val))
			DV_COUNT(cpu->n.rule_faults);
		dv_gate_leave(&cpu->gate);
	}
}

/* A probe with ready-made arguments; the hit has begun. */
static void
fire_plain(struct dv_cpu *cpu, uint32_t probe, uint64_t arg0, uint64_t arg1)
{
	struct dv_mstate *ms = &cpu->ms;

	ms->raw = NULL;
	begin_args(ms, NULL);
	ms->argval[0] = arg0;
	ms->argval[1] = arg1;
	ms->arg_have = 3;
	fire_probe(ms, probe);
}

void
dv_fire_timer(struct dv_state *s, struct dv_ctx *ctx, uint32_t timer)
{
	struct dv_cpu *cpu = cpu_of(s, ctx);
	uint64_t kpc = 0, upc = 0;

	if (cpu == NULL || timer >= s->prog.ntimers)
		return;
	dv_gate_enter(&cpu->gate);
	if (dv_load32(&s->life) == DV_LIFE_ACTIVE) {
		begin_hit(&cpu->ms, ctx);
		if (ctx->vcpu >= 0) {
			if ((dv_reg(&cpu->ms, DV_REG_CS) & 3) == 3)
				upc = ctx->rip;
			else
				kpc = ctx->rip;
		}
		fire_plain(cpu, s->prog.timers[timer].probe, kpc, upc);
		end_hit(s, cpu, ctx);
		return;
	}
	dv_gate_leave(&cpu->gate);
}

void
dv_fire_host(struct dv_state *s, struct dv_ctx *ctx, uint32_t probe)
{
	struct dv_cpu *cpu = &s->cpus[s->nvcpu];

	if (probe == DV_NONE)
		return;
	dv_gate_enter(&cpu->gate);
	begin_hit(&cpu->ms, ctx);
	fire_plain(cpu, probe, 0, 0);
	end_hit(s, cpu, ctx);
}
