/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.c - one consumer's enabling: its memory, its life, its totals.
 *
 * The carrier gives two pieces of memory and this file divides them. carve()
 * is the one place that knows how: it runs once with no memory, to learn the
 * sizes, and once with, so the two cannot disagree.
 *
 *	priv:	state | linked program | variables, pool | CPUs: each its
 *		scratch, strings, keys, accounts, speculation parts, agg slots
 *	shared:	per CPU: principal half 0, half 1, aggregation half 0, half 1;
 *		each 4096-aligned
 *
 * The consumer sees only `shared`, and the machine reads nothing from it that
 * it would trust: entries are found by offsets kept in priv.
 *
 * Life is a small state machine, see state_impl.h. stop() first closes the
 * state, then passes every gate: then no firing is in progress, and END is
 * alone.
 */
#include "state_impl.h"

#include "dif.h"
#include "fire.h"

struct carver {
	uint8_t *mem;			/* NULL: only count */
	uint64_t at;
};

static void *
carve(struct carver *c, uint64_t size, uint64_t align)
{
	void *p;

	c->at = (c->at + align - 1) & ~(align - 1);
	p = c->mem != NULL ? c->mem + c->at : NULL;
	c->at += size;
	return p;
}

static uint64_t
round_page(uint64_t v)
{
	return (v + 4095) & ~(uint64_t)4095;
}

/* What the sizes follow from. */
struct plan {
	uint64_t strsize, scratch, specsize, bufsize, aggsize;
	uint32_t nspec, ncpu, nids, nslots, nglobals, nlocals;
	uint64_t global_bytes, local_bytes, aggkey;
	bool tails, vtime;
	struct dv_dynplan dyn;
};

static uint64_t
var_bytes(const struct dv_var *v)
{
	return v->type.flags & DV_TF_BYREF ? ((uint64_t)v->type.size + 7) & ~(uint64_t)7 : 0;
}

static void
make_plan(const struct dv_prog *p, unsigned nvcpu, struct plan *ret)
{
	uint64_t valroom = 8;
	const struct dv_var *v;
	uint32_t i;

	memset(ret, 0, sizeof(*ret));
	ret->ncpu = nvcpu + 1;
	ret->strsize = dv_prog_opt(p, DV_OPT_STRSIZE);
	ret->scratch = (dv_prog_opt(p, DV_OPT_SCRATCHSIZE) + 7) & ~(uint64_t)7;
	ret->specsize = dv_prog_opt(p, DV_OPT_SPECSIZE) & ~(uint64_t)7;
	ret->nspec = (uint32_t)dv_prog_opt(p, DV_OPT_NSPEC);
	ret->bufsize = dv_prog_opt(p, DV_OPT_BUFSIZE) & ~(uint64_t)7;
	ret->aggsize = p->naggs > 0 ? dv_prog_opt(p, DV_OPT_AGGSIZE) & ~(uint64_t)7 : 8;
	ret->nslots = dv_agg_nslots(ret->aggsize);
	for (i = 0; i < p->nvars; i++) {
		v = &p->vars[i];
		if (v->id - DIF_VAR_USER + 1u > ret->nids)
			ret->nids = v->id - DIF_VAR_USER + 1u;
		if (v->scope == DV_VS_TLS || v->array) {
			if (var_bytes(v) > valroom)
				valroom = var_bytes(v);
		} else if (v->scope == DV_VS_GLOBAL) {
			ret->nglobals++;
			ret->global_bytes += var_bytes(v);
		} else {
			ret->nlocals++;
			ret->local_bytes += var_bytes(v);
		}
	}
	for (i = 0; i < p->naggs; i++)
		if (DV_AGG_KEYLEN(&p->aggs[i]) > ret->aggkey)
			ret->aggkey = DV_AGG_KEYLEN(&p->aggs[i]);
	for (i = 0; i < p->nrules; i++)
		if (p->rules[i].kind == DV_RULE_TAIL)
			ret->tails = true;
	ret->vtime = dv_text_loads(p->text, p->ntext, DIF_VAR_VTIMESTAMP);
	dv_dyn_plan(dv_prog_opt(p, DV_OPT_DYNVARSIZE),
	    48 + dv_dif_keyroom(p, ret->strsize), valroom, p->nstarts, &ret->dyn);
}

/* Linked program, writable while it is being made. */
struct making {
	struct dv_varmap map;
	uint32_t *text;
	int8_t *work;
	struct dv_dynhdr *hdr;
	struct dv_dynfree *free;
	uint32_t *bucket;
	uint8_t *data, *globals;
};

static void
carve_cpu(struct carver *c, struct dv_state *s, const struct plan *pl, uint32_t i,
	  uint32_t necbs)
{
	struct dv_cpu *cpu = c->mem != NULL ? &s->cpus[i] : NULL;
	struct dv_region local = { NULL, pl->local_bytes, 1, 0 };
	struct dv_region scratch = { NULL, 0, 1, 0 };
	uint8_t *tmp[3], *aggkey, *dynkey, *locals, *specmem = NULL;
	struct dv_account *acct;
	struct dv_sbuf *sbuf;
	uint64_t *slots, *lvals, *lvals_error;
	uint32_t k;

	for (k = 0; k < 3; k++)
		tmp[k] = carve(c, pl->strsize, 64);
	aggkey = carve(c, pl->aggkey, 64);
	dynkey = carve(c, pl->dyn.keyroom, 64);
	lvals = carve(c, pl->nlocals * sizeof(*lvals), 8);
	lvals_error = carve(c, pl->nlocals * sizeof(*lvals), 8);
	local.mem = carve(c, pl->local_bytes, 64);
	locals = carve(c, pl->local_bytes, 64);
	scratch.mem = carve(c, pl->scratch, 64);
	sbuf = carve(c, pl->nspec * sizeof(*sbuf), 8);
	acct = carve(c, (uint64_t)necbs * sizeof(*acct), 64);
	slots = carve(c, (uint64_t)pl->nslots * sizeof(*slots), 64);
	specmem = carve(c, pl->nspec * pl->specsize, 64);
	if (cpu == NULL)
		return;
	memcpy(cpu->tmp, tmp, sizeof(tmp));
	cpu->aggkey = aggkey;
	cpu->dynkey = dynkey;
	cpu->lvals = lvals;
	cpu->lvals_error = lvals_error;
	cpu->locals_error = locals;
	cpu->ms.region[DV_RG_LOCALS] = local;
	cpu->ms.region[DV_RG_SCRATCH] = scratch;
	cpu->scratch_size = pl->scratch;
	cpu->acct = acct;
	cpu->agg.slot = slots;
	cpu->sbuf = sbuf;
	for (k = 0; k < pl->nspec; k++)
		sbuf[k].mem = specmem + k * pl->specsize;
}

/* Divides priv; with c->mem == NULL `s` is not touched. Ends at the total. */
static struct dv_state *
carve_state(struct carver *c, const struct dv_prog *p, const struct plan *pl,
	    struct making *m)
{
	struct dv_state *s = carve(c, sizeof(*s), 64), dummy, *t;
	uint32_t i;

	t = s != NULL ? s : &dummy;
	t->cpus = carve(c, pl->ncpu * sizeof(*t->cpus), 64);
	t->difos = carve(c, (uint64_t)p->ndifos * sizeof(*t->difos), 8);
	t->lvars = carve(c, (uint64_t)p->nvars * sizeof(*t->lvars), 8);
	t->ecbs = carve(c, (uint64_t)p->necbs * sizeof(*t->ecbs), 64);
	t->first = carve(c, ((uint64_t)p->nprobes + 1) * sizeof(*t->first), 8);
	t->difo_args = carve(c, (uint64_t)p->nargsets * sizeof(*t->difo_args), 8);
	t->gvals = carve(c, pl->nglobals * sizeof(*t->gvals), 64);
	t->specs = carve(c, pl->nspec * sizeof(*t->specs), 64);
	t->tail.e = carve(c, pl->tails ? DV_TAIL_N * sizeof(*t->tail.e) : 0, 64);
	t->gone = carve(c, DV_MAXGROUP * sizeof(*t->gone), 8);
	t->vslots = carve(c, pl->vtime ? DV_VTIME_N * sizeof(*t->vslots) : 0, 64);
	for (i = 0; i < 3; i++)
		m->map.index[i] = carve(c, pl->nids * sizeof(uint16_t), 8);
	m->map.nids = pl->nids;
	m->text = carve(c, (uint64_t)p->ntext * sizeof(uint32_t), 8);
	m->work = carve(c, DIF_MAXTEXT, 8);
	m->globals = carve(c, pl->global_bytes, 64);
	m->hdr = carve(c, (uint64_t)pl->dyn.nchunks * sizeof(*m->hdr), 64);
	m->free = carve(c, (uint64_t)pl->ncpu * sizeof(*m->free), 64);
	m->bucket = carve(c, (uint64_t)pl->dyn.nbuckets * sizeof(*m->bucket), 64);
	m->data = carve(c, (uint64_t)pl->dyn.nchunks * pl->dyn.stride, 64);
	for (i = 0; i < pl->ncpu; i++)
		carve_cpu(c, s, pl, i, p->necbs);
	return s;
}

/* Too many DIFOs with the same text would cost more to check than to send. */
static int
check_totals(const struct dv_prog *p, unsigned nvcpu, struct dv_reason *why)
{
	uint64_t total = 0;
	uint32_t i;

	if (nvcpu > 4096)
		return dv_refuse(why, "%u vCPUs are too many", nvcpu);
	for (i = 0; i < p->ndifos; i++)
		total += p->difos[i].ntext;
	if (total > p->ntext)
		return dv_refuse(why, "DIFOs share instructions");
	return 0;
}

static int
sizes(const struct dv_prog *p, unsigned nvcpu, struct plan *pl, uint64_t *priv,
      uint64_t *shared, struct dv_reason *why)
{
	struct carver c = { NULL, 0 };
	struct making m;

	if (check_totals(p, nvcpu, why) != 0)
		return -1;
	make_plan(p, nvcpu, pl);
	(void)carve_state(&c, p, pl, &m);
	*priv = round_page(c.at);
	*shared = 2 * (round_page(pl->bufsize) + round_page(pl->aggsize)) * pl->ncpu;
	if (*priv <= (uint64_t)1 << 40 && *shared <= (uint64_t)1 << 40)
		return 0;
	(void)dv_refuse(why, "buffers need %llu bytes", (unsigned long long)(*priv + *shared));
	return DV_STATE_TOOBIG;
}

int
dv_state_sizes(const void *blob, size_t len, unsigned nvcpu,
	       size_t *priv, size_t *shared, struct dv_reason *why)
{
	uint64_t np, ns;
	struct dv_prog p;
	struct plan pl;
	int rc = -1;

	if (dv_prog_view(blob, len, &p, why) != 0 ||
	    (rc = sizes(&p, nvcpu, &pl, &np, &ns, why)) != 0)
		return rc;
	*priv = (size_t)np;
	*shared = (size_t)ns;
	return 0;
}

static int
link_vars(struct dv_state *s, struct making *m, struct dv_reason *why)
{
	uint64_t goff = 0, loff = 0;
	uint32_t i, gslot = 0, lslot = 0;
	const struct dv_var *v;
	struct dv_lvar *lv;
	uint16_t *at;

	for (i = 0; i < s->prog.nvars; i++) {
		v = &s->prog.vars[i];
		lv = &s->lvars[i];
		at = &m->map.index[v->scope][v->id - DIF_VAR_USER];
		if (*at != 0)
			return dv_refuse(why, "variable %u: its id is taken by variable %u",
			    i, *at - 1u);
		*at = (uint16_t)(i + 1);
		lv->size = v->type.size;
		lv->byref = !!(v->type.flags & DV_TF_BYREF);
		lv->string = v->type.kind == DV_T_STRING;
		lv->array = v->array;
		lv->scope = v->scope;
		if (v->scope == DV_VS_LOCAL) {
			lv->slot = lslot++;
			lv->off = loff;
			loff += var_bytes(v);
		} else if (v->scope == DV_VS_GLOBAL && !v->array) {
			lv->slot = gslot++;
			lv->off = goff;
			goff += var_bytes(v);
		}
	}
	s->nlocals = lslot;
	return 0;
}

/* Nothing but arithmetic on constants and arg0? */
static bool
is_of_arg0(const struct dv_ldifo *d, uint32_t ntext)
{
	uint32_t i, op;

	for (i = 0; i < ntext; i++) {
		op = DIF_INSTR_OP(d->text[i]);
		switch (op) {
		case DIF_OP_SDIV:		/* they may fault */
		case DIF_OP_UDIV:
		case DIF_OP_SREM:
		case DIF_OP_UREM:
		case DIF_OP_SCMP:
			return false;
		case DIF_OP_RET:
		case DIF_OP_NOP:
		case DIF_OP_SETX:
			continue;
		case DV_OP_LDB:
			if (DIF_INSTR_INDEX(d->text[i]) != DIF_VAR_ARG0)
				return false;
			continue;
		}
		if (op > DIF_OP_BLEU)
			return false;
	}
	return true;
}

static int
link_difos(struct dv_state *s, struct making *m, struct dv_reason *why)
{
	const struct dv_difo *d;
	uint32_t i, at = 0;

	for (i = 0; i < s->prog.ndifos; i++) {
		d = &s->prog.difos[i];
		if (dv_dif_check(s, &m->map, i, m->text + at, m->work, why) != 0)
			return -1;
		s->difos[i].text = m->text + at;
		s->difos[i].ints = s->prog.ints + d->ints;
		s->difos[i].strs = dv_win(s, DV_RG_DIFSTRS, d->strs);
		s->difos[i].of_arg0 = is_of_arg0(&s->difos[i], d->ntext);
		at += d->ntext;
	}
	return 0;
}

/* Do the fields of a clause leave bytes of its record unwritten? */
static bool
has_gaps(const struct dv_state *s, const struct dv_clause *c)
{
	const struct dv_act *a;
	uint64_t covered = 0;
	uint32_t i;

	for (i = 0; i < c->nact; i++) {
		a = &s->prog.acts[c->act + i];
		if (a->kind == DV_ACT_AGG)
			i += a->nargs;
		else if (a->rec.kind != DV_T_NONE)
			covered += a->rec.size;
	}
	return sizeof(struct dv_rec) + covered != dv_prog_recsize(c);
}

static void
link_ecbs(struct dv_state *s)
{
	const struct dv_prog *p = &s->prog;
	const struct dv_clause *c;
	struct dv_ecb *e;
	uint32_t i, k, probe = 0;

	for (i = 0; i < p->necbs; i++) {
		e = &s->ecbs[i];
		c = &p->clauses[p->ecbs[i].clause];
		e->probe = p->ecbs[i].probe;
		e->pred = c->pred;
		e->acts = p->acts + c->act;
		e->nact = c->nact;
		e->flags = c->flags;
		e->need = (uint32_t)dv_prog_recsize(c);
		e->gaps = has_gaps(s, c);
		while (probe <= e->probe)
			s->first[probe++] = i;
	}
	while (probe <= p->nprobes)
		s->first[probe++] = p->necbs;
	s->begin = s->end = s->error = DV_NONE;
	for (i = 0; i < p->nprobes; i++) {
		if (p->probes[i].flags & DV_PF_BEGIN)
			s->begin = i;
		if (p->probes[i].flags & DV_PF_END)
			s->end = i;
		if (p->probes[i].flags & DV_PF_ERROR)
			s->error = i;
	}
	for (i = 0; i < p->nargsets; i++)
		for (k = 0; k < 10; k++)
			if (p->argsets[i].arg[k].kind == DV_LOC_DIFO)
				s->difo_args[i] |= (uint16_t)(1u << k);
}

static uint64_t
mix(uint64_t v)
{
	v = (v ^ (v >> 33)) * 0xff51afd7ed558ccdull;
	v = (v ^ (v >> 33)) * 0xc4ceb9fe1a85ec53ull;
	return v ^ (v >> 33);
}

/*
 * A ring's oldest record goes: whose it was, and its size. 0: no record of
 * ours; the region is shared, and what was written there need not be there.
 */
static uint64_t
evict_record(void *arg, const uint8_t *rec)
{
	struct dv_cpu *cpu = arg;
	const struct dv_state *s = cpu->ms.s;
	uint32_t epid = dv_load32(&((const struct dv_rec *)rec)->epid);
	struct dv_account *a;

	if (epid == DV_EPID_FAULT)
		return sizeof(struct dv_fault_rec);
	if (epid - 1 >= s->prog.necbs)
		return 0;
	a = &cpu->acct[epid - 1];
	if (a->recorded == 0)
		return 0;
	DV_COUNT(a->overwritten);
	dv_store_rel64(&a->recorded, a->recorded - 1);
	return s->ecbs[epid - 1].need;
}

/* Of the host context's fill buffer, which only END may use. */
static uint64_t
end_room(const struct dv_state *s)
{
	uint64_t room = 0;
	uint32_t e;

	if (s->end == DV_NONE)
		return 0;
	for (e = s->first[s->end]; e < s->first[s->end + 1]; e++)
		if (!(s->ecbs[e].flags & DV_CL_NOREC))
			room += s->ecbs[e].need;
	return room;
}

static void
init_cpu(struct dv_state *s, struct making *m, const struct plan *pl, uint32_t i,
	 uint64_t seed)
{
	struct dv_cpu *cpu = &s->cpus[i];
	struct dv_mstate *ms = &cpu->ms;
	uint8_t *base = s->shared + i * s->cpu_shared;

	cpu->index = i;
	cpu->rng = mix(seed + i) | 1;
	dv_buf_init(&cpu->buf, base, base + s->half_buf, pl->bufsize);
	cpu->buf.policy = s->policy;
	cpu->buf.evict = evict_record;
	cpu->buf.evict_arg = cpu;
	if (s->policy == DV_BUFPOLICY_FILL && i == s->nvcpu)
		cpu->buf.limit -= end_room(s);
	base += 2 * s->half_buf;
	dv_agg_init(&cpu->agg, base, base + s->half_agg, pl->aggsize, cpu->agg.slot,
	    pl->nslots);
	ms->s = s;
	ms->cpu = cpu;
	ms->region[DV_RG_DIFSTRS] = (struct dv_region){
	    (uint8_t *)(uintptr_t)s->prog.difstrs, s->prog.ndifstrs, 0, 0 };
	ms->region[DV_RG_STRS] = (struct dv_region){
	    (uint8_t *)(uintptr_t)s->prog.strs, s->prog.nstrs, 0, 0 };
	ms->region[DV_RG_GLOBALS] = (struct dv_region){ m->globals, pl->global_bytes, 1, 0 };
	ms->region[DV_RG_DYN] = (struct dv_region){
	    m->data, (uint64_t)pl->dyn.nchunks * pl->dyn.stride, 1, 0 };
}

static void
init_guest(struct dv_state *s, uint64_t seed)
{
	const struct dv_layout *l = s->prog.layout;
	unsigned bits = l != NULL && l->present && l->pt_levels == 5 ? 56 : 47;

	s->lay = l != NULL && l->present ? l : NULL;
	s->unwind = s->lay != NULL ? s->prog.unwind : NULL;
	s->user_end = (uint64_t)1 << bits;
	s->kernel_half = 0 - s->user_end;
	if (s->lay != NULL)
		s->page_offset = s->lay->early ? ~(uint64_t)0 : s->lay->page_offset;
	/*
	 * Top byte 0x40..0x7f: not canonical with four or five levels; the
	 * regions need 36 bits.
	 */
	s->window = ((uint64_t)1 << 62) | (mix(seed) & 0x3ffffff000000000ull);
}

/* What the carrier lacks is said now, not when a probe fires. */
static int
check_abilities(const struct dv_state *s, struct dv_reason *why)
{
	uint32_t i, kind;

	for (i = 0; i < s->prog.nacts; i++) {
		kind = s->prog.acts[i].kind;
		if (s->c.halt == NULL && (kind == DV_ACT_PANIC || kind == DV_ACT_BREAKPOINT))
			return dv_refuse(why, "%s() is not possible: %s",
			    kind == DV_ACT_PANIC ? "panic" : "breakpoint", s->c.no_halt);
	}
	return 0;
}

int
dv_state_create(const void *blob, size_t len, unsigned nvcpu,
		void *priv, size_t priv_len, void *shared, size_t shared_len,
		const struct dv_carrier *c, uint64_t seed,
		struct dv_reason *why, struct dv_state **ret)
{
	struct carver cv = { priv, 0 };
	uint64_t np, ns;
	struct dv_state *s;
	struct making m;
	struct dv_prog p;
	struct plan pl;
	uint32_t i;

	if (dv_prog_view(blob, len, &p, why) != 0 ||
	    sizes(&p, nvcpu, &pl, &np, &ns, why) != 0)
		return -1;
	if (priv_len < np || shared_len < ns)
		return dv_refuse(why, "memory for the state is too small");
	s = carve_state(&cv, &p, &pl, &m);
	s->prog = p;
	s->c = *c;
	s->nvcpu = nvcpu;
	s->ncpu = nvcpu + 1;
	s->strsize = (uint32_t)pl.strsize;
	s->nspec = pl.nspec;
	s->specsize = pl.specsize;
	s->vm = p.hdr->vm;
	s->policy = (uint32_t)dv_prog_opt(&p, DV_OPT_BUFPOLICY);
	s->only = dv_prog_opt(&p, DV_OPT_CPU);
	s->shared = shared;
	s->half_buf = round_page(pl.bufsize);
	s->half_agg = round_page(pl.aggsize);
	s->bufsize = pl.bufsize;
	s->aggsize = pl.aggsize;
	s->cpu_shared = 2 * (s->half_buf + s->half_agg);
	if (!pl.tails)
		s->tail.e = NULL;
	if (!pl.vtime)
		s->vslots = NULL;
	init_guest(s, seed);
	if (check_abilities(s, why) != 0 || link_vars(s, &m, why) != 0 ||
	    link_difos(s, &m, why) != 0)
		return -1;
	link_ecbs(s);
	dv_dyn_init(&s->dyn, &pl.dyn, m.hdr, m.bucket, m.data, m.free, s->ncpu);
	for (i = 0; i < s->ncpu; i++)
		init_cpu(s, &m, &pl, i, seed);
	*ret = s;
	return 0;
}

void
dv_state_destroy(struct dv_state *s)
{
	if (s != NULL)
		dv_store32(&s->life, DV_LIFE_STOPPED);
}

const struct dv_prog *
dv_state_prog(const struct dv_state *s)
{
	return &s->prog;
}

void
dv_state_go(struct dv_state *s, struct dv_ctx *ctx)
{
	uint32_t life = DV_LIFE_LOADED;

	if (!dv_cas32(&s->life, &life, DV_LIFE_BEGIN))
		return;
	dv_fire_check(s, ctx);
	dv_fire_starts(s, ctx);
	dv_fire_host(s, ctx, s->begin);
	life = DV_LIFE_BEGIN;
	(void)dv_cas32(&s->life, &life, DV_LIFE_ACTIVE);	/* or exit() came */
}

void
dv_state_stop(struct dv_state *s, struct dv_ctx *ctx)
{
	uint32_t life = DV_LIFE_ACTIVE, i;

	if (dv_load32(&s->life) == DV_LIFE_LOADED || dv_load32(&s->life) == DV_LIFE_STOPPED)
		return;
	/* after exit() it stays EXITING: firings in progress must see that */
	(void)dv_cas32(&s->life, &life, DV_LIFE_STOPPED);
	for (i = 0; i < s->ncpu; i++) {
		dv_gate_claim(&s->cpus[i].gate);
		dv_gate_leave(&s->cpus[i].gate);
	}
	dv_clean(s);		/* commits that wait come before END */
	s->cpus[s->nvcpu].buf.limit = s->bufsize;
	dv_store32(&s->life, DV_LIFE_END);
	dv_fire_host(s, ctx, s->end);
	dv_clean(s);
	dv_store32(&s->life, DV_LIFE_STOPPED);
}

int
dv_snap(struct dv_state *s, unsigned cpu, enum dv_which which, struct dv_snap *ret)
{
	struct dv_ctx ctx = { .vcpu = -1 };
	struct dv_half half;
	struct dv_cpu *c;

	if (cpu >= s->ncpu || (which != DV_BUF_PRINCIPAL && which != DV_BUF_AGG))
		return -1;
	c = &s->cpus[cpu];
	memset(ret, 0, sizeof(*ret));
	dv_gate_claim(&c->gate);
	if (which == DV_BUF_PRINCIPAL) {
		/* fill and ring are read once, when all is over */
		if (s->policy == DV_BUFPOLICY_SWITCH ||
		    dv_load32(&s->life) == DV_LIFE_STOPPED)
			dv_buf_switch(&c->buf, &half);
		else
			half = (struct dv_half){ s->shared, 0, 0 };
		ret->drops = c->buf.drops;
	} else {
		dv_agg_switch(&c->agg, &half);
		ret->drops = c->agg.drops;
	}
	ret->errors = c->n.errors;
	ret->now = s->c.clock(&ctx);
	ret->pending = dv_spec_pending(s);
	dv_gate_leave(&c->gate);
	ret->off = (uint64_t)(half.data - s->shared);
	ret->len = half.len;
	ret->wrapped = half.wrapped;
	return 0;
}

void
dv_clean(struct dv_state *s)
{
	bool work;
	uint32_t i;

	dv_deadman_look(s);
	work = dv_spec_clean_begin(s);
	work |= dv_dyn_unlink(&s->dyn);
	if (!work)
		return;			/* and no gate is touched */
	for (i = 0; i < s->ncpu; i++) {
		dv_gate_claim(&s->cpus[i].gate);
		dv_spec_clean_cpu(s, &s->cpus[i]);
		dv_gate_leave(&s->cpus[i].gate);
	}
	dv_dyn_release(&s->dyn);
	dv_spec_clean_end(s);
}

void
dv_status(struct dv_state *s, struct dv_status *ret)
{
	const struct dv_cpu *c;
	uint64_t halt;
	uint32_t i;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < s->ncpu; i++) {
		c = &s->cpus[i];
		ret->dyn_drops += dv_load_acq64(&c->n.dyn_drops);
		ret->dyn_rinsing_drops += dv_load_acq64(&c->n.dyn_rinsing_drops);
		ret->dyn_dirty_drops += dv_load_acq64(&c->n.dyn_dirty_drops);
		ret->spec_drops += dv_load_acq64(&c->n.spec_drops);
		ret->spec_busy += dv_load_acq64(&c->n.spec_busy);
		ret->spec_unavail += dv_load_acq64(&c->n.spec_unavail);
		ret->agg_drops += dv_load_acq64(&c->agg.drops);
		ret->principal_drops += dv_load_acq64(&c->buf.drops);
		ret->errors += dv_load_acq64(&c->n.errors);
		ret->dblerrors += dv_load_acq64(&c->n.dblerrors);
		ret->rule_drops += dv_load_acq64(&c->n.rule_drops);
		ret->rule_faults += dv_load_acq64(&c->n.rule_faults);
		ret->fired += dv_load_acq64(&c->n.fired);
		ret->filled |= dv_load_acq32(&c->buf.full);
	}
	halt = dv_load_acq64(&s->last_halt);
	ret->halts = dv_load_acq32(&s->halts);
	ret->halt_epid = (uint32_t)halt;
	ret->halt_action = (uint32_t)(halt >> 32);
	ret->exiting = dv_load32(&s->exited);
	ret->killed = dv_load32(&s->deadman.killed);
	ret->exit_status = (int64_t)dv_load_acq64((const uint64_t *)&s->exit_status);
}

#define NCOUNTERS	(sizeof(struct dv_account) / sizeof(uint64_t))
int
dv_account(struct dv_state *s, uint32_t ecb, struct dv_account *ret)
{
	const uint64_t *from;
	uint64_t *to = (uint64_t *)ret;
	uint32_t i, k;

	if (ecb >= s->prog.necbs)
		return -1;
	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < s->ncpu; i++) {
		from = (const uint64_t *)&s->cpus[i].acct[ecb];
		for (k = 0; k < NCOUNTERS; k++)
			to[k] += dv_load_acq64(&from[k]);
	}
	return 0;
}
