/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * act.c - clauses: predicate and statements become actions and one record.
 *
 * An action has a DIFO, a field of the record, both or neither (act.def).
 * Fields lie in the order of the actions, each at its natural alignment. What
 * may stand beside what (speculate, commit, data recording) is checked here.
 *
 * DIF has no jumps between actions, so a clause with `if` becomes several,
 * with the same probes, run one after the other:
 *
 *	P { a; if (x) b; else c; d; }
 *
 *	0:           fault = 0, run = 0, each condition = 0
 *	1: P         run = 1
 *	2: run       fault = 1; a; condition = x ? 1 : 2; fault = 0
 *	3: cond == 1 fault = 1; b; fault = 0
 *	4: cond == 2 fault = 1; c; fault = 0
 *	5: run       fault = 1; d; fault = 0
 *
 * where 2 to 5 also ask for fault == 0, so that a fault ends them all. The
 * hidden variables are this-> variables with names that D cannot spell.
 */
#include "impl.h"
#include "abi/dv_avail.h"

/* One clause of the program that comes out. */
struct seg {
	struct dc *c;
	const struct dc_source *src;
	struct clause *cl;
	struct node *pred;		/* checked, or NULL */
	uint32_t act;			/* its first action */
	uint32_t off;			/* bytes of the record so far */
	bool records, speculates, commits, destructive, any;
	bool only_spec;			/* nothing but speculate(): the default action */
	uint32_t before;		/* c->clflags when it began */
	/* if */
	bool split;
	struct ident *run, *fault;
};

static void act_stmt(struct seg *s, struct node *n);

/* After all other checks, so that what is wrong anyway is said first. */
static bool
available(struct dc *c, struct node *n)
{
	if (!c->bad && !dv_avail_act(n->id->val))
		dc_error(c, n->loc, D_VAR_UNSUP, "%s( ) is not available in this version",
		    n->id->name);
	return !c->bad;
}

/* ---- actions and fields ------------------------------------------------ */

static struct dv_act *
add(struct seg *s, uint32_t kind)
{
	struct dc *c = s->c;
	struct dv_act a = { .kind = (uint16_t)kind, .difo = DV_NONE };

	s->any = true;
	if (dv_vec_push(&c->out->acts, a) != 0) {
		dc_nomem(c);
		return NULL;
	}
	return &c->out->acts.v[c->out->acts.n - 1];
}

/* How a value lies in a record or key. */
static struct dv_dtype
rec_dtype(struct dc *c, struct type *t)
{
	struct dv_dtype d = ty_dtype(c, t);
	struct type *b = ty_base(t);

	if (b->kind == T_ARRAY && ty_is_chars(t)) {
		d.kind = DV_T_STRING;
		d.size = b->size != 0 && b->size < c->opt[DV_OPT_STRSIZE] ?
		    (uint32_t)b->size : (uint32_t)c->opt[DV_OPT_STRSIZE];
	} else if (b->kind == T_ARRAY && b->size == 0) {
		d.kind = DV_T_INT;
		d.flags = 0;
		d.size = 8;
	} else if (b->kind == T_RECORD)
		d.size = b->rkind <= DV_T_MOD ? 8 : 16;
	return d;
}

static uint32_t
rec_align(struct dv_dtype d)
{
	return d.kind == DV_T_INT ? d.size : d.kind == DV_T_STRING || d.kind == DV_T_BYTES ? 1 : 8;
}

static void
place(struct dv_act *a, uint32_t *off)
{
	uint32_t align = rec_align(a->rec);

	*off = (*off + align - 1) / align * align;
	a->rec_off = *off;
	*off += a->rec.size;
}

/* The node of an action call as a value: stack(), sym() ...: its kind. */
static uint32_t
frames_of(struct seg *s, struct node *n, uint32_t dflt, enum dc_tag tag)
{
	struct node *k = n->list;

	if (k == NULL)
		return dflt;
	k = ck(s->c, k);
	if (s->c->bad)
		return 1;
	if (k->kind != N_INT || !ty_is_int(k->type) || (int64_t)k->val <= 0 || k->val > 65535) {
		dc_error(s->c, k->loc, tag, "%s( ) size must be a positive integer constant",
		    n->id->name);
		return 1;
	}
	return (uint32_t)k->val;
}

/*
 * Appends the action that records checked node n; `as`: the type it is
 * recorded as, or NULL. *off: bytes used so far.
 */
static void
add_value(struct seg *s, struct node *n, struct type *as, uint32_t *off)
{
	struct dc *c = s->c;
	struct dv_act *a;
	struct node *k;
	uint32_t difo = DV_NONE, kind = DV_ACT_TRACE, frames;
	struct dv_dtype d;

	if (c->bad)
		return;
	if (n->flags & NF_ACTION) {
		kind = n->id->val;
		d = ty_dtype(c, n->type);
		if (kind == DV_ACT_STACK) {
			if (n->len > 1)
				dc_error(c, n->loc, D_STACK_PROTO, "%s( ) takes at most one argument",
				    n->id->name);
			frames = frames_of(s, n, (uint32_t)c->opt[DV_OPT_STACKFRAMES], D_STACK_SIZE);
			d.size = frames * 8;
		} else if (kind == DV_ACT_USTACK) {
			bool j = strcmp(n->id->name, "jstack") == 0;

			if (n->len > 2)
				dc_error(c, n->loc, D_USTACK_PROTO, "%s( ) takes at most two arguments",
				    n->id->name);
			frames = frames_of(s, n, (uint32_t)c->opt[j ? DV_OPT_JSTACKFRAMES :
			    DV_OPT_USTACKFRAMES], D_USTACK_FRAMES);
			if (n->list != NULL && n->list->next != NULL) {
				k = ck(c, n->list->next);
				if (!c->bad && (k->kind != N_INT || (int64_t)k->val < 0))
					dc_error(c, k->loc, D_USTACK_STRSIZE, "%s( ) string size must be "
					    "a positive integer constant", n->id->name);
			}
			d.size = 8 + frames * 8;
		} else {
			if (n->len != 1) {
				dc_error(c, n->loc, D_PROTO_LEN, "%s( ) prototype mismatch: %u arguments "
				    "passed, 1 expected", n->id->name, n->len);
				return;
			}
			frames = 0;
			k = ck(c, n->list);
			if (!c->bad && (k->kind == N_XLATE || !ty_is_scalar(ty_decay(c, k->type))))
				dc_error(c, k->loc, D_PROTO_ARG, "%s( ) argument #1 must be an address, "
				    "not %s", n->id->name, ty_name(c, k->type));
			difo = cg_difo(c, k, c->t_uintptr);
			d.size = kind == DV_ACT_SYM || kind == DV_ACT_MOD ? 8 : 16;
		}
		d.flags = 0;
		if (!available(c, n) || (a = add(s, kind)) == NULL)
			return;
		a->arg = frames;
	} else {
		d = rec_dtype(c, as != NULL ? as : n->type);
		difo = cg_difo(c, n, as);
		if ((a = add(s, kind)) == NULL)
			return;
	}
	a->difo = difo;
	a->rec = d;
	if (d.kind == DV_T_NONE || d.size == 0) {
		dc_error(c, n->loc, D_TRACE_VOID, "a value of type \"%s\" cannot be recorded",
		    ty_name(c, n->type));
		return;
	}
	place(a, off);
}

/* Data goes into the record: is that allowed here? */
static void
records(struct seg *s, struct node *n, const char *name)
{
	struct dc *c = s->c;

	if (c->clflags & CF_COMMIT)
		dc_error(c, n->loc, D_DREC_COMM,
		    "data-recording actions may not follow commit( ): %s( )", name);
	if ((c->clflags & CF_SPEC) && !s->speculates)
		dc_error(c, n->loc, D_UNKNOWN, "%s( ) after an if statement cannot be traced "
		    "speculatively: put speculate( ) into the same block", name);
	c->clflags |= CF_DREC;
	s->records = true;
}

static bool
nargs(struct seg *s, struct node *n, uint32_t min, uint32_t max, enum dc_tag tag)
{
	if (n->len >= min && n->len <= max)
		return true;
	return dc_error(s->c, n->loc, tag, "%s( ) prototype mismatch: %u argument%s passed, %s%u "
	    "expected", n->id->name, n->len, n->len == 1 ? "" : "s",
	    min == max ? "" : n->len < min ? "at least " : "at most ", n->len < min ? min : max);
}

/* Checks argument k in place and gives it back. */
static struct node *
arg(struct seg *s, struct node *k)
{
	struct node *n;

	if (k->kind == N_AGG || (k->kind == N_INDEX && k->a->kind == N_AGG))
		return k;
	n = ck(s->c, k);
	if (n->flags & NF_DESTR)
		s->destructive = true;
	if ((n->flags & NF_DESTR) && (s->c->clflags & CF_SPEC))
		dc_error(s->c, k->loc, D_ACT_SPEC,
		    "destructive actions may not follow speculate( )");
	return n;
}

static struct node *
int_arg(struct seg *s, struct node *n, struct node *k, unsigned i, enum dc_tag tag)
{
	struct node *r = arg(s, k);

	if (!s->c->bad && (k->kind == N_AGG || r->kind == N_XLATE || !ty_is_int(r->type)))
		dc_error(s->c, k->loc, tag, "%s( ) argument #%u must be an integer, not %s",
		    n->id->name, i, k->kind == N_AGG ? "an aggregation" : ty_name(s->c, r->type));
	return r;
}

/* ---- aggregations ------------------------------------------------------ */

static struct agg *
agg_find(struct dc *c, const char *name)
{
	return dv_smap_get_ptr(c->aggs, name);
}

/* Argument k as an aggregation that exists. */
static struct agg *
agg_arg(struct seg *s, struct node *n, struct node *k, enum dc_tag notagg, enum dc_tag none)
{
	struct agg *a;

	if (k->kind != N_AGG) {
		dc_error(s->c, k->loc, notagg, "%s( ) argument must be an aggregation%s",
		    n->id->name, k->kind == N_INDEX ? ": @name without keys" : "");
		return NULL;
	}
	if ((a = agg_find(s->c, k->str)) == NULL)
		dc_error(s->c, k->loc, none, "undefined aggregation: @%s",
		    strcmp(k->str, "_") == 0 ? "" : k->str);
	return a;
}

static bool
int_const(struct seg *s, struct node *k, enum dc_tag tag, const char *what, int64_t *ret)
{
	struct node *n = ck(s->c, k);

	if (s->c->bad)
		return false;
	if (n->kind != N_INT || !ty_is_int(n->type))
		return dc_error(s->c, k->loc, tag, "%s must be an integer constant", what);
	*ret = (int64_t)n->val;
	return true;
}

static uint64_t
lquantize(struct seg *s, struct node *n, struct agg *ag)
{
	struct dc *c = s->c;
	struct node *k = n->list->next;
	int64_t base, limit, step = 1, levels;

	if (!int_const(s, k, D_LQUANT_BASETYPE, "lquantize( ) base", &base))
		return 0;
	if (base < INT32_MIN || base > INT32_MAX)
		return dc_error(c, k->loc, D_LQUANT_BASEVAL, "lquantize( ) base is out of range"), 0;
	k = k->next;
	if (!int_const(s, k, D_LQUANT_LIMTYPE, "lquantize( ) limit", &limit))
		return 0;
	if (limit < INT32_MIN || limit > INT32_MAX)
		return dc_error(c, k->loc, D_LQUANT_LIMVAL, "lquantize( ) limit is out of range"), 0;
	if (base >= limit)
		return dc_error(c, k->loc, D_LQUANT_MISMATCH,
		    "lquantize( ) base must be less than the limit"), 0;
	if ((k = k->next) != NULL) {
		struct node *v = ck(c, k);

		if (c->bad)
			return 0;
		if (v->kind != N_INT || !ty_is_int(v->type) || (int64_t)v->val <= 0)
			return dc_error(c, k->loc, D_LQUANT_STEPTYPE,
			    "lquantize( ) step must be a positive integer constant"), 0;
		step = (int64_t)v->val;
	} else
		k = n;
	levels = (limit - base) / step;
	if (levels == 0)
		return dc_error(c, k->loc, D_LQUANT_STEPLARGE,
		    "lquantize( ) step is larger than the range"), 0;
	if (levels > UINT16_MAX)
		return dc_error(c, k->loc, D_LQUANT_STEPSMALL,
		    "lquantize( ) step is too small: more than %u levels", UINT16_MAX), 0;
	if (step > UINT16_MAX)
		return dc_error(c, k->loc, D_LQUANT_STEPVAL,
		    "lquantize( ) step is out of range: at most %u", UINT16_MAX), 0;
	if (ag->index != DV_NONE) {
		if (ag->lq[0] != base)
			dc_error(c, n->loc, D_LQUANT_MATCHBASE, "lquantize( ) base (%" PRId64
			    ") does not match that of an earlier use (%" PRId64 ")", base, ag->lq[0]);
		else if (ag->lq[1] != limit)
			dc_error(c, n->loc, D_LQUANT_MATCHLIM, "lquantize( ) limit (%" PRId64
			    ") does not match that of an earlier use (%" PRId64 ")", limit, ag->lq[1]);
		else if (ag->lq[2] != step)
			dc_error(c, n->loc, D_LQUANT_MATCHSTEP, "lquantize( ) step (%" PRId64
			    ") does not match that of an earlier use (%" PRId64 ")", step, ag->lq[2]);
	}
	ag->lq[0] = base;
	ag->lq[1] = limit;
	ag->lq[2] = step;
	return DV_LQUANT_PARAM(base, step, levels);
}

static uint64_t
llquantize(struct seg *s, struct node *n, struct agg *ag)
{
	static const struct { enum dc_tag type, val, match; const char *what; } parm[4] = {
		{ D_LLQUANT_FACTORTYPE, D_LLQUANT_FACTORVAL, D_LLQUANT_MATCHFACTOR, "factor" },
		{ D_LLQUANT_LMAGTYPE, D_LLQUANT_LMAGVAL, D_LLQUANT_MATCHLMAG, "low magnitude" },
		{ D_LLQUANT_HMAGTYPE, D_LLQUANT_HMAGVAL, D_LLQUANT_MATCHHMAG, "high magnitude" },
		{ D_LLQUANT_STEPTYPE, D_LLQUANT_STEPVAL, D_LLQUANT_MATCHSTEPS, "steps" },
	};
	struct dc *c = s->c;
	struct node *k = n->list->next, *v;
	int64_t p[4], i, m;
	uint64_t pow = 1;

	for (i = 0; i < 4; i++, k = k->next) {
		v = ck(c, k);
		if (c->bad)
			return 0;
		if (v->kind != N_INT || !ty_is_int(v->type) || (i == 3 && (int64_t)v->val <= 0))
			return dc_error(c, k->loc, parm[i].type, "llquantize( ) %s must be %s constant",
			    parm[i].what, i == 3 ? "a positive integer" : "an integer"), 0;
		p[i] = (int64_t)v->val;
		if (p[i] < (i == 0 ? 2 : 0) || p[i] > UINT16_MAX)
			return dc_error(c, k->loc, parm[i].val,
			    "llquantize( ) %s is out of range", parm[i].what), 0;
		if (i == 2) {
			if (p[2] < p[1])
				return dc_error(c, k->loc, D_LLQUANT_HMAGVAL, "llquantize( ) high "
				    "magnitude must not be below the low one"), 0;
			for (m = 0; m <= p[2]; m++) {
				if (pow > (uint64_t)INT64_MAX / (uint64_t)p[0])
					return dc_error(c, k->loc, D_LLQUANT_HMAGVAL, "llquantize( ) high "
					    "magnitude is too large: it overflows 64 bits"), 0;
				pow *= (uint64_t)p[0];
			}
		}
		if (i == 3 && p[3] % p[0] != 0 && p[0] % p[3] != 0)
			return dc_error(c, k->loc, D_LLQUANT_STEPVAL, "llquantize( ) steps must be a "
			    "multiple or a divisor of the factor"), 0;
	}
	for (i = 0; i < 4; i++) {
		if (ag->index != DV_NONE && ag->lq[i] != p[i])
			dc_error(c, n->loc, parm[i].match, "llquantize( ) %s (%" PRId64 ") does not "
			    "match that of an earlier use (%" PRId64 ")", parm[i].what, p[i], ag->lq[i]);
		ag->lq[i] = p[i];
	}
	return DV_LLQUANT_PARAM(p[0], p[1], p[2], p[3]);
}

/* @name[keys] = func(args) */
static void
act_agg(struct seg *s, struct node *n)
{
	static const struct { uint8_t min, max, incr; } proto[] = {
		[DV_AGG_COUNT] = { 0, 0, 9 }, [DV_AGG_SUM] = { 1, 1, 9 }, [DV_AGG_MIN] = { 1, 1, 9 },
		[DV_AGG_MAX] = { 1, 1, 9 }, [DV_AGG_AVG] = { 1, 1, 9 }, [DV_AGG_STDDEV] = { 1, 1, 9 },
		[DV_AGG_QUANTIZE] = { 1, 2, 1 }, [DV_AGG_LQUANTIZE] = { 3, 5, 4 },
		[DV_AGG_LLQUANTIZE] = { 5, 6, 5 },
	};
	struct dc *c = s->c;
	struct node *l = n->a, *f = n->b, *k, *v, *keys[256];
	const char *name = l->kind == N_INDEX ? l->a->str : l->str;
	struct ident *id;
	struct agg *ag;
	struct dv_act *a;
	uint64_t param = 0;
	uint32_t i, head, off = 0, difo = DV_NONE, incr = 0;
	bool fresh;

	if (n->op != OP_ASGN) {
		dc_error(c, n->loc, D_OP_LVAL, "an aggregation can only be set with =");
		return;
	}
	if (f->kind != N_CALL || f->a->kind != N_IDENT || f->a->scope != SC_GLOBAL) {
		dc_error(c, f->loc, D_AGG_FUNC, "an aggregation must be given an aggregating function");
		return;
	}
	id = id_find(c, SC_GLOBAL, f->a->str);
	if (id == NULL) {
		dc_error(c, f->loc, D_FUNC_UNDEF, "undefined function name: %s", f->a->str);
		return;
	}
	if (id->kind != ID_AGGFUNC) {
		dc_error(c, f->loc, D_AGG_FUNC, "%s( ) is no aggregating function", id->name);
		return;
	}
	if (c->clflags & CF_COMMIT) {
		dc_error(c, n->loc, D_AGG_COMM, "aggregating actions may not follow commit( )");
		return;
	}
	if (c->clflags & CF_SPEC) {
		dc_error(c, n->loc, D_AGG_SPEC, "aggregating actions may not follow speculate( )");
		return;
	}
	f->id = id;
	if (!nargs(s, f, proto[id->val].min, proto[id->val].max, D_PROTO_LEN))
		return;
	fresh = (ag = agg_find(c, name)) == NULL;
	if (fresh) {
		ag = dc_alloc(c, sizeof(*ag));
		ag->name = name;
		ag->index = DV_NONE;
		ag->func = id->val;
	} else if (ag->func != id->val) {
		dc_error(c, n->loc, D_AGG_REDEF, "aggregation @%s redefined: it is %s( ) elsewhere",
		    strcmp(name, "_") == 0 ? "" : name, ag->fname);
		return;
	}
	/* the head, then its keys */
	head = (uint32_t)c->out->acts.n;
	if (add(s, DV_ACT_AGG) == NULL)
		return;
	if (l->kind == N_INDEX) {
		if (l->len > 255 || (!fresh && l->len != ag->nkeys)) {
			dc_error(c, l->loc, D_PROTO_LEN, "aggregation @%s has %u keys here, but %u "
			    "elsewhere", name, l->len, ag->nkeys);
			return;
		}
	} else if (!fresh && ag->nkeys != 0) {
		dc_error(c, l->loc, D_PROTO_LEN, "aggregation @%s has no keys here, but %u elsewhere",
		    name, ag->nkeys);
		return;
	}
	i = 0;
	if (l->kind == N_INDEX)
		for (k = l->list; k != NULL; k = k->next, i++) {
			if (k->kind == N_AGG) {
				dc_error(c, k->loc, D_KEY_TYPE, "an aggregation cannot be a key");
				return;
			}
			v = keys[i] = arg(s, k);
			if (c->bad)
				return;
			if (v->kind == N_XLATE || ty_is_void(v->type) || ty_base(v->type)->kind == T_AGG) {
				dc_error(c, k->loc, D_KEY_TYPE, "key #%u of an aggregation has an invalid "
				    "type: %s", i + 1, ty_name(c, v->type));
				return;
			}
			if (!fresh && !ck_argcompat(c, ag->keys[i], v) &&
			    !ty_same(ag->keys[i], v->type)) {
				dc_error(c, k->loc, D_PROTO_ARG, "key #%u of aggregation @%s has type %s, "
				    "which does not fit %s", i + 1, name, ty_name(c, v->type),
				    ty_name(c, ag->keys[i]));
				return;
			}
			if (!fresh && ty_is_int(v->type) && ty_is_int(ag->keys[i]) &&
			    !ck_fits(v, ag->keys[i])) {
				dc_error(c, k->loc, D_PROTO_ARG, "key #%u of aggregation @%s has type %s "
				    "here and would be cut to the %s of its first use: cast that one "
				    "to a wider type", i + 1, strcmp(name, "_") == 0 ? "" : name,
				    ty_name(c, v->type), ty_name(c, ag->keys[i]));
				return;
			}
		}
	if (fresh) {
		ag->nkeys = i;
		ag->keys = dc_alloc(c, i * sizeof(*ag->keys));
		if (c->bad)
			return;
		while (i-- > 0)
			ag->keys[i] = keys[i]->type;
	}
	for (i = 0; i < ag->nkeys && !c->bad; i++)
		add_value(s, ck_convert(c, keys[i], ag->keys[i]), ag->keys[i], &off);
	/* the value and the increment */
	if (!c->bad && f->list != NULL) {
		v = arg(s, f->list);
		if (c->bad)
			return;
		if (f->list->kind == N_AGG || v->kind == N_XLATE || (v->flags & NF_ACTION) ||
		    !ty_is_scalar(v->type)) {
			dc_error(c, f->list->loc, D_AGG_SCALAR,
			    "%s( ) argument #1 must be of scalar type, not %s", id->name,
			    ty_name(c, v->type));
			return;
		}
		if (id->val == DV_AGG_LQUANTIZE)
			param = lquantize(s, f, ag);
		else if (id->val == DV_AGG_LLQUANTIZE)
			param = llquantize(s, f, ag);
		difo = cg_difo(c, v, NULL);
		for (i = 0, k = f->list; k != NULL && i < proto[id->val].incr; k = k->next)
			i++;
		if (k != NULL && !c->bad) {
			v = int_arg(s, f, k, i + 1, D_PROTO_ARG);
			incr = c->bad ? 0 : cg_difo(c, v, NULL) + 1;
		}
	}
	if (c->bad)
		return;
	if (fresh) {
		struct dv_aggdesc d = { .func = id->val, .param = param, .nkeys = ag->nkeys,
		    .keyact = head + 1, .keysize = (off + 7) & ~7u };

		d.name = dv_progb_str(c->out, name);
		d.nwords = dv_agg_nwords(id->val, param);
		ag->index = (uint32_t)c->out->aggs.n;
		ag->fname = id->name;
		if (dv_vec_push(&c->out->aggs, d) != 0 || dv_smap_set_ptr(c->aggs, name, ag) != 0)
			dc_nomem(c);
	}
	a = &c->out->acts.v[head];
	a->nargs = (uint16_t)ag->nkeys;
	a->difo = difo;
	a->arg = ag->index;
	a->param = incr;
}

/* ---- actions ----------------------------------------------------------- */

/* printf() and its kin: format, then arguments. */
static void
act_printf(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	struct node *f = n->list, *k, **args;
	struct conv *cv;
	struct dv_act *a;
	uint32_t head, i = 0;
	bool ok;

	if (n->len == 0) {
		nargs(s, n, 1, 1, D_PROTO_LEN);
		return;
	}
	if (f->kind != N_STR) {
		dc_error(c, f->loc, D_PRINTF_ARG_FMT, "%s( ) argument #1 must be a string constant: "
		    "the format", n->id->name);
		return;
	}
	if (n->id->val == DV_ACT_FREOPEN && strcmp(f->str, ".") == 0) {
		dc_error(c, f->loc, D_FREOPEN_INVALID, "%s( ) to \"%s\" is not possible", n->id->name,
		    f->str);
		return;
	}
	if (n->id->val == DV_ACT_FREOPEN && f->len == 0) {
		cv = NULL;
		ok = true;
	} else
		cv = fmt_parse(c, f->loc, f->str, f->len, &ok);
	if (!ok)
		return;
	records(s, n, n->id->name);
	args = dc_alloc(c, n->len * sizeof(*args));
	for (k = f->next; k != NULL && !c->bad; k = k->next) {
		args[i] = arg(s, k);
		if (k->kind == N_AGG || k->kind == N_INDEX) {
			if (args[i]->kind == N_AGG || (k->kind == N_INDEX && !(args[i]->flags & NF_CHECKED)))
				dc_error(c, k->loc, D_PRINTF_ARG_TYPE, "%s( ) argument #%u cannot be an "
				    "aggregation: use printa( )", n->id->name, i + 2);
		}
		i++;
	}
	if (c->bad)
		return;
	fmt_check(c, n->loc, n->id->name, cv, args, i, false);
	if (c->bad)
		return;
	head = (uint32_t)c->out->acts.n;
	if (add(s, n->id->val) == NULL)
		return;
	for (i = 0; i + 1 < n->len && !c->bad; i++)
		add_value(s, args[i], NULL, &s->off);
	a = &c->out->acts.v[head];
	a->nargs = (uint16_t)(n->len - 1);
	a->arg = dv_progb_str(c->out, f->str);
}

static void
act_printa(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	struct node *f = n->list, *k, **keys;
	struct agg *first = NULL, *ag;
	struct conv *cv = NULL;
	struct dv_act *a;
	uint32_t head, i, count = 0;
	uint64_t fmt = DV_NONE;
	bool ok;

	if (n->len == 0) {
		nargs(s, n, 1, 1, D_PRINTA_PROTO);
		return;
	}
	records(s, n, n->id->name);
	k = f;
	if (f->kind == N_STR) {
		cv = fmt_parse(c, f->loc, f->str, f->len, &ok);
		if (!ok)
			return;
		fmt = dv_progb_str(c->out, f->str);
		k = f->next;
		if (k == NULL) {
			dc_error(c, n->loc, D_PRINTA_PROTO, "printa( ) needs an aggregation after the format");
			return;
		}
	}
	head = (uint32_t)c->out->acts.n;
	if (add(s, DV_ACT_PRINTA) == NULL)
		return;
	for (; k != NULL && !c->bad; k = k->next, count++) {
		if ((ag = agg_arg(s, n, k, D_PRINTA_AGGARG, D_PRINTA_AGGBAD)) == NULL)
			return;
		if (first == NULL)
			first = ag;
		if (ag->nkeys != first->nkeys) {
			dc_error(c, k->loc, D_PRINTA_AGGKEY, "printa( ): @%s has %u keys, but @%s has %u",
			    ag->name, ag->nkeys, first->name, first->nkeys);
			return;
		}
		for (i = 0; i < ag->nkeys; i++) {
			struct dv_dtype x = rec_dtype(c, ag->keys[i]), y = rec_dtype(c, first->keys[i]);

			if (x.kind != y.kind || x.size != y.size) {
				dc_error(c, k->loc, D_PRINTA_AGGPROTO, "printa( ): key #%u of @%s has type %s, "
				    "but that of @%s has %s", i + 1, ag->name, ty_name(c, ag->keys[i]),
				    first->name, ty_name(c, first->keys[i]));
				return;
			}
		}
		if ((a = add(s, DV_ACT_TRACE)) == NULL)
			return;
		a->arg = ag->index;
	}
	if (c->bad || first == NULL)
		return;
	keys = dc_alloc(c, first->nkeys * sizeof(*keys));
	if (c->bad)
		return;
	for (i = 0; i < first->nkeys; i++) {
		keys[i] = nd_int(c, n->loc, 0, first->keys[i]);
		keys[i]->flags |= NF_CHECKED;
	}
	fmt_check(c, n->loc, "printa", cv, keys, first->nkeys, true);
	a = &c->out->acts.v[head];
	a->nargs = (uint16_t)count;
	a->arg = fmt;
}

static void
act_trace(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	struct node *k = n->list, *v;

	if (!nargs(s, n, 1, 1, D_PROTO_LEN))
		return;
	records(s, n, "trace");
	if (k->kind == N_AGG || k->kind == N_INDEX) {
		if (k->kind == N_AGG || k->a->kind == N_AGG) {
			dc_error(c, k->loc, D_TRACE_DYN, "trace( ) of an aggregation is not possible");
			return;
		}
	}
	v = arg(s, k);
	if (c->bad)
		return;
	if (v->kind == N_XLATE)
		dc_error(c, k->loc, D_TRACE_DYN, "trace( ) of a translated object is not possible: "
		    "trace its members");
	else if (ty_is_void(v->type))
		dc_error(c, k->loc, D_TRACE_VOID, "trace( ) of a void expression");
	else if (ty_is_sou(v->type) && ty_size(c, v->type) == 0)
		dc_error(c, k->loc, D_TRACE_VOID, "trace( ) of a type without size");
	add_value(s, v, NULL, &s->off);
}

static void
act_tracemem(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	struct node *v, *z;
	struct dv_act *a;
	uint32_t difo;

	if (!nargs(s, n, 2, 3, D_TRACEMEM_ARGS))
		return;
	records(s, n, "tracemem");
	v = arg(s, n->list);
	z = ck(c, n->list->next);
	if (c->bad)
		return;
	if (v->kind == N_XLATE || v->kind == N_AGG || (v->flags & NF_ACTION) ||
	    !(ty_is_scalar(ty_decay(c, v->type)) || ty_is_string(v->type))) {
		dc_error(c, v->loc, D_TRACEMEM_ADDR, "tracemem( ) argument #1 must be an address, not %s",
		    ty_name(c, v->type));
		return;
	}
	if (z->kind != N_INT || (int64_t)z->val <= 0 || z->val > (1u << 20)) {
		dc_error(c, z->loc, D_TRACEMEM_SIZE,
		    "tracemem( ) argument #2 must be a positive integer constant");
		return;
	}
	if (n->len == 3) {
		dc_error(c, n->loc, D_TRACEMEM_DYNSIZE,
		    "tracemem( ) with a third argument is not supported in this version");
		return;
	}
	difo = cg_difo(c, v, NULL);
	if ((a = add(s, DV_ACT_TRACEMEM)) == NULL)
		return;
	a->difo = difo;
	a->rec = (struct dv_dtype){ .kind = DV_T_BYTES, .flags = DV_TF_BYREF, .size = (uint32_t)z->val };
	place(a, &s->off);
}

static void
act_exit(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	struct node *v;
	struct dv_act *a;
	uint32_t difo;

	if (!nargs(s, n, 1, 1, D_PROTO_LEN))
		return;
	if (c->clflags & CF_SPEC) {
		dc_error(c, n->loc, D_EXIT_SPEC, "exit( ) may not follow speculate( )");
		return;
	}
	records(s, n, "exit");
	v = int_arg(s, n, n->list, 1, D_PROTO_ARG);
	if (c->bad)
		return;
	difo = cg_difo(c, v, c->t_int);
	if ((a = add(s, DV_ACT_EXIT)) == NULL)
		return;
	a->difo = difo;
	a->rec = (struct dv_dtype){ .kind = DV_T_INT, .flags = DV_TF_SIGNED, .size = 4 };
	place(a, &s->off);
}

/* speculate(), commit(), discard() */
static void
act_spec(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	uint32_t kind = n->id->val, difo;
	struct node *v;
	struct dv_act *a;

	if (!nargs(s, n, 1, 1, D_PROTO_LEN))
		return;
	v = int_arg(s, n, n->list, 1, D_PROTO_ARG);
	if (c->bad)
		return;
	switch (kind) {
	case DV_ACT_SPECULATE:
		if (c->clflags & CF_COMMIT)
			dc_error(c, n->loc, D_SPEC_COMM, "speculate( ) may not follow commit( )");
		else if (c->clflags & CF_SPEC)
			dc_error(c, n->loc, D_SPEC_SPEC, "speculate( ) may not follow speculate( )");
		else if (c->clflags & CF_DREC)
			dc_error(c, n->loc, D_SPEC_DREC,
			    "speculate( ) may not follow data-recording actions");
		c->clflags |= CF_SPEC;
		s->speculates = true;
		break;
	case DV_ACT_COMMIT:
		if (c->clflags & CF_DREC)
			dc_error(c, n->loc, D_COMM_DREC, "commit( ) may not follow data-recording actions");
		else if (c->clflags & CF_SPEC)
			dc_error(c, n->loc, D_ACT_SPEC, "commit( ) may not follow speculate( )");
		c->clflags |= CF_COMMIT;
		s->commits = true;
		break;
	default:
		if (c->clflags & CF_SPEC)
			dc_error(c, n->loc, D_ACT_SPEC, "discard( ) may not follow speculate( )");
		break;
	}
	difo = cg_difo(c, v, NULL);
	if ((a = add(s, kind)) != NULL)
		a->difo = difo;
}

/* normalize(), denormalize(), clear(), trunc() */
static void
act_onagg(struct seg *s, struct node *n)
{
	static const struct { uint8_t kind, min, max; enum dc_tag proto, notagg, none, scalar; } t[] = {
		{ DV_ACT_NORMALIZE, 2, 2, D_NORMALIZE_PROTO, D_NORMALIZE_AGGARG, D_NORMALIZE_AGGBAD,
		  D_NORMALIZE_SCALAR },
		{ DV_ACT_DENORMALIZE, 1, 1, D_NORMALIZE_PROTO, D_NORMALIZE_AGGARG, D_NORMALIZE_AGGBAD,
		  D_NORMALIZE_SCALAR },
		{ DV_ACT_CLEAR, 1, 1, D_CLEAR_PROTO, D_CLEAR_AGGARG, D_CLEAR_AGGBAD, D_CLEAR_PROTO },
		{ DV_ACT_TRUNC, 1, 2, D_TRUNC_PROTO, D_TRUNC_AGGARG, D_TRUNC_AGGBAD, D_TRUNC_SCALAR },
	};
	struct dc *c = s->c;
	uint32_t kind = n->id->val, difo = DV_NONE;
	struct node *v;
	struct agg *ag;
	struct dv_act *a;
	unsigned i;

	for (i = 0; t[i].kind != kind; i++)
		;
	if (!nargs(s, n, t[i].min, t[i].max, t[i].proto))
		return;
	records(s, n, n->id->name);
	if (c->bad || (ag = agg_arg(s, n, n->list, t[i].notagg, t[i].none)) == NULL)
		return;
	if (n->len == 2) {
		v = arg(s, n->list->next);
		if (!c->bad && (v->kind == N_AGG || v->kind == N_XLATE || !ty_is_scalar(v->type)))
			dc_error(c, v->loc, t[i].scalar, "%s( ) argument #2 must be of scalar type",
			    n->id->name);
		if (!c->bad && v->kind == N_INT && v->val == 0 && kind == DV_ACT_NORMALIZE)
			dc_error(c, v->loc, t[i].scalar, "normalize( ) by zero");
		difo = cg_difo(c, v, NULL);
	}
	if ((a = add(s, kind)) == NULL)
		return;
	a->arg = ag->index;
	a->difo = difo;
	if (n->len == 2) {
		a->rec = (struct dv_dtype){ .kind = DV_T_INT, .size = 8,
		    .flags = kind == DV_ACT_TRUNC ? DV_TF_SIGNED : 0 };
		place(a, &s->off);
	}
}

static void
act_setopt(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	struct node *k, *v;
	uint32_t head, i = 1;

	if (!nargs(s, n, 1, 2, D_PROTO_LEN))
		return;
	records(s, n, "setopt");
	head = (uint32_t)c->out->acts.n;
	if (add(s, DV_ACT_SETOPT) == NULL)
		return;
	for (k = n->list; k != NULL && !c->bad; k = k->next, i++) {
		v = arg(s, k);
		if (!c->bad && (v->kind == N_AGG || v->kind == N_XLATE || !ty_is_strlike(v->type)))
			dc_error(c, k->loc, D_PROTO_ARG, "setopt( ) argument #%u must be a string", i);
		add_value(s, v, NULL, &s->off);
	}
	if (!c->bad)
		c->out->acts.v[head].nargs = (uint16_t)n->len;
}

/* Actions that act at once: a value or none, no record. */
static void
act_plain(struct seg *s, struct node *n, uint32_t len)
{
	uint32_t difo = DV_NONE;
	struct dv_act *a;
	struct node *v;

	if (!nargs(s, n, len, len, D_PROTO_LEN))
		return;
	if (len == 1) {
		v = int_arg(s, n, n->list, 1, D_PROTO_ARG);
		difo = cg_difo(s->c, v, NULL);
	}
	if (available(s->c, n) && (a = add(s, n->id->val)) != NULL)
		a->difo = difo;
}

static bool
is_destructive(uint32_t kind)
{
	return kind == DV_ACT_FREOPEN || kind == DV_ACT_SYSTEM ||
	    (kind >= DV_ACT_STOP && kind <= DV_ACT_CHILL);
}

static void
act_call(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	uint32_t kind = n->id->val;

	if (is_destructive(kind)) {
		if (c->clflags & CF_SPEC) {
			dc_error(c, n->loc, D_ACT_SPEC, "%s( ) may not follow speculate( )", n->id->name);
			return;
		}
		s->destructive = true;
	}
	switch (kind) {
	case DV_ACT_TRACE:
		act_trace(s, n);
		break;
	case DV_ACT_PRINTF: case DV_ACT_FREOPEN: case DV_ACT_SYSTEM:
		act_printf(s, n);
		break;
	case DV_ACT_PRINTA:
		act_printa(s, n);
		break;
	case DV_ACT_EXIT:
		act_exit(s, n);
		break;
	case DV_ACT_SPECULATE: case DV_ACT_COMMIT: case DV_ACT_DISCARD:
		act_spec(s, n);
		break;
	case DV_ACT_NORMALIZE: case DV_ACT_DENORMALIZE: case DV_ACT_CLEAR: case DV_ACT_TRUNC:
		act_onagg(s, n);
		break;
	case DV_ACT_TRACEMEM:
		act_tracemem(s, n);
		break;
	case DV_ACT_SETOPT:
		act_setopt(s, n);
		break;
	case DV_ACT_FTRUNCATE:
		records(s, n, "ftruncate");
		act_plain(s, n, 0);
		break;
	case DV_ACT_STOP: case DV_ACT_PANIC: case DV_ACT_BREAKPOINT:
		act_plain(s, n, 0);
		break;
	case DV_ACT_RAISE: case DV_ACT_CHILL:
		act_plain(s, n, 1);
		break;
	case DV_ACT_PRINT:
		dc_error(c, n->loc, D_VAR_UNSUP, "print( ) is not available in this version");
		break;
	default:			/* stack(), sym() ... */
		records(s, n, n->id->name);
		add_value(s, ck(c, n), NULL, &s->off);
		break;
	}
}

/* ---- statements -------------------------------------------------------- */

static bool
is_agg(const struct node *n)
{
	return n->kind == N_AGG || (n->kind == N_INDEX && is_agg(n->a));
}

static void
act_expr(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	struct dv_act *a;
	uint32_t difo = cg_difo(c, n, NULL);

	if (!c->bad && (a = add(s, DV_ACT_EXPR)) != NULL)
		a->difo = difo;
}

static void
act_stmt(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	struct ident *id;

	if (c->bad)
		return;
	c->ncopied = 0;
	if (n->kind == N_BLOCK) {
		for (n = n->list; n != NULL && !c->bad; n = n->next)
			act_stmt(s, n);
		return;
	}
	if (n->kind == N_OP2 && n->op == OP_COMMA) {
		act_stmt(s, n->a);
		act_stmt(s, n->b);
		return;
	}
	if (n->kind == N_OP2 && n->op >= OP_ASGN && n->op <= OP_OR_EQ && is_agg(n->a)) {
		if (n->a->kind == N_INDEX && n->a->a->kind == N_INDEX)
			dc_error(c, n->a->loc, D_AGG_MDIM, "an aggregation is indexed by one list of "
			    "keys: @[a, b]");
		else
			act_agg(s, n);
		return;
	}
	if (is_agg(n)) {
		dc_error(c, n->loc, n->kind == N_INDEX && n->a->kind == N_INDEX ? D_AGG_MDIM :
		    D_AGG_NULL, "an aggregation must be given an aggregating function");
		return;
	}
	if (n->kind == N_CALL && n->a->kind == N_IDENT && n->a->scope == SC_GLOBAL &&
	    (id = id_find(c, SC_GLOBAL, n->a->str)) != NULL && id->kind == ID_ACT) {
		n->id = id;
		act_call(s, n);
		return;
	}
	n = arg(s, n);
	if (c->bad)
		return;
	if (n->kind == N_XLATE) {
		dc_error(c, n->loc, D_CG_DYN, "a statement's result is a translated object");
		return;
	}
	act_expr(s, n);
}

/* ---- clauses ----------------------------------------------------------- */

static void
seg_begin(struct seg *s, struct node *pred)
{
	s->pred = pred;
	s->act = (uint32_t)s->c->out->acts.n;
	s->off = 0;
	s->records = s->speculates = s->commits = s->destructive = s->any = false;
}

static void
seg_end(struct seg *s, bool empty)
{
	struct dc *c = s->c;
	struct dv_clause k = { .pred = DV_NONE };
	struct pdesc *d;
	uint32_t index, i;
	bool others = false;

	if (c->bad)
		return;
	if (s->pred != NULL) {
		k.pred = cg_difo(c, s->pred, ty_is_int(s->pred->type) ? NULL : c->t_long);
		if (s->pred->flags & NF_DESTR)
			s->destructive = true;
	}
	k.act = s->act;
	k.nact = (uint32_t)c->out->acts.n - s->act;
	k.record_size = s->off;
	for (i = 0; i < k.nact; i++)
		others |= c->out->acts.v[s->act + i].kind != DV_ACT_SPECULATE &&
		    c->out->acts.v[s->act + i].kind != DV_ACT_EXPR;
	if (empty || (s->speculates && !s->records && !others))
		k.flags |= DV_CL_DEFAULT;
	else if (!s->records && !s->speculates)
		k.flags |= DV_CL_NOREC;
	if (s->speculates)
		k.flags |= DV_CL_SPECULATES;
	if (s->commits)
		k.flags |= DV_CL_COMMITS;
	if (s->destructive)
		k.flags |= DV_CL_DESTRUCTIVE;
	if (c->bad)
		return;
	index = (uint32_t)c->out->clauses.n;
	if (dv_vec_push(&c->out->clauses, k) != 0) {
		dc_nomem(c);
		return;
	}
	if (s->src->clause != NULL)
		for (d = s->cl->descs; d != NULL; d = d->next)
			s->src->clause(s->src->arg, index, &d->d);
}

/* ---- if ---------------------------------------------------------------- */

static struct ident *
hidden(struct seg *s, const char *what)
{
	struct ident *id = id_add(s->c, SC_THIS, dc_fmt(s->c, "?%s%u", what, s->c->ncond++),
	    ID_VAR, s->cl->loc);

	id->type = s->c->t_int;
	return id;
}

static struct node *
hvar(struct seg *s, struct ident *id)
{
	struct node *n = nd(s->c, N_VAR, s->cl->loc);

	n->id = id;
	n->scope = SC_THIS;
	n->type = id->type;
	n->flags = NF_CHECKED | NF_LVAL;
	n->regs = 1;
	return n;
}

static void
hset(struct seg *s, struct ident *id, struct node *v)
{
	act_expr(s, ck(s->c, nd_op2(s->c, OP_ASGN, s->cl->loc, hvar(s, id), v)));
}

static struct node *
hint(struct seg *s, uint64_t v)
{
	return nd_int(s->c, s->cl->loc, v, s->c->t_int);
}

/* fault == 0 && id == v */
static struct node *
hpred(struct seg *s, struct ident *id, uint64_t v)
{
	struct dc *c = s->c;
	struct loc l = s->cl->loc;

	return ck(c, nd_op2(c, OP_LAND, l,
	    nd_op2(c, OP_EQ, l, hvar(s, s->fault), hint(s, 0)),
	    nd_op2(c, OP_EQ, l, hvar(s, id), hint(s, v))));
}

/* `conds` gets the hidden variable of each if, in order. */
struct conds {
	DV_VEC(struct ident *) v;
	size_t next;
};

static void
count_ifs(struct seg *s, struct node *n, struct conds *cs)
{
	for (; n != NULL && !s->c->bad; n = n->next) {
		if (n->kind == N_IF) {
			if (dv_vec_push(&cs->v, hidden(s, "if")) != 0)
				dc_nomem(s->c);
			if (n->b != NULL)
				count_ifs(s, n->b->kind == N_BLOCK ? n->b->list : n->b, cs);
			if (n->c != NULL)
				count_ifs(s, n->c->kind == N_BLOCK ? n->c->list : n->c, cs);
		} else if (n->kind == N_BLOCK)
			count_ifs(s, n->list, cs);
	}
}

static bool
has_if(const struct node *n)
{
	for (; n != NULL; n = n->next)
		if (n->kind == N_IF || (n->kind == N_BLOCK && has_if(n->list)))
			return true;
	return false;
}

static void
part_begin(struct seg *s, struct ident *id, uint64_t v)
{
	seg_begin(s, hpred(s, id, v));
	hset(s, s->fault, hint(s, 1));
}

static void
part_end(struct seg *s)
{
	hset(s, s->fault, hint(s, 0));
	seg_end(s, false);
}

/* Statements that run while id == v; *open: a part has begun. */
static void
split(struct seg *s, struct node *n, struct ident *id, uint64_t v, struct conds *cs, bool *open)
{
	struct dc *c = s->c;
	struct ident *cond;
	struct node *e;
	uint32_t before, after;
	bool inner;

	for (; n != NULL && !c->bad; n = n->next) {
		if (n->kind == N_BLOCK && has_if(n->list)) {
			split(s, n->list, id, v, cs, open);
			continue;
		}
		if (!*open) {
			part_begin(s, id, v);
			*open = true;
		}
		if (n->kind != N_IF) {
			act_stmt(s, n);
			continue;
		}
		cond = cs->v.v[cs->next++];
		e = arg(s, n->a);
		if (c->bad)
			return;
		if (e->kind == N_XLATE || !ty_is_scalar(e->type)) {
			dc_error(c, n->a->loc, D_PRED_SCALAR, "condition of if must be of scalar type, not %s",
			    ty_name(c, e->type));
			return;
		}
		hset(s, cond, nd_op3(c, n->loc, e, hint(s, 1), hint(s, 2)));
		part_end(s);
		*open = false;
		before = c->clflags;
		inner = false;
		split(s, n->b, cond, 1, cs, &inner);
		if (inner)
			part_end(s);
		after = c->clflags;
		if (n->c != NULL) {
			c->clflags = before;
			inner = false;
			split(s, n->c, cond, 2, cs, &inner);
			if (inner)
				part_end(s);
			c->clflags |= after;
		}
	}
}

static void
act_ifs(struct seg *s, struct node *pred, struct node *list)
{
	struct dc *c = s->c;
	struct conds cs = { .next = 0 };
	bool open = false;
	size_t i;

	s->run = hidden(s, "run");
	s->fault = hidden(s, "fault");
	count_ifs(s, list, &cs);
	seg_begin(s, NULL);
	hset(s, s->fault, hint(s, 0));
	hset(s, s->run, hint(s, 0));
	for (i = 0; i < cs.v.n; i++)
		hset(s, cs.v.v[i], hint(s, 0));
	seg_end(s, false);
	seg_begin(s, pred);
	hset(s, s->run, hint(s, 1));
	seg_end(s, false);
	split(s, list, s->run, 1, &cs, &open);
	if (open)
		part_end(s);
	dv_vec_fini(&cs.v);
	(void)c;
}

/* ---- probe descriptions ------------------------------------------------ */

/* Fields of "prov:mod:func:name", of which leading ones may be left out. */
static bool
parse_desc(struct dc *c, struct pdesc *d)
{
	const char *f[4] = { "", "", "", "" }, *s = d->text, *e;
	unsigned n = 1, i;

	for (e = s; *e != '\0'; e++)
		if (*e == ':')
			n++;
	if (n > 4)
		return dc_error(c, d->loc, D_PDESC_INVAL,
		    "probe description %s has more than four fields", d->text);
	for (i = 4 - n; i < 4; i++) {
		e = strchr(s, ':');
		if (e == NULL)
			e = s + strlen(s);
		f[i] = dc_strdup(c, s, (size_t)(e - s));
		s = *e == ':' ? e + 1 : e;
	}
	d->d.prov = f[0];
	d->d.mod = f[1];
	d->d.func = f[2];
	d->d.name = f[3];
	return true;
}

static bool
same_arg(const struct dc_arg *a, const struct dc_arg *b)
{
	const char *an = a->native != NULL ? a->native : "", *bn = b->native != NULL ? b->native : "";
	const char *ax = a->xlate != NULL ? a->xlate : "", *bx = b->xlate != NULL ? b->xlate : "";

	return a->map == b->map && a->ntype == b->ntype && strcmp(an, bn) == 0 && strcmp(ax, bx) == 0;
}

static void
match(struct dc *c, struct clause *cl, const struct dc_source *src)
{
	const struct dc_probes *ps = c->cfg.probes;
	struct dc_probeinfo in;
	struct dv_err err;
	struct pdesc *d;
	uint32_t i;
	bool first = true;

	memset(&c->info, 0, sizeof(c->info));
	c->have_info = true;
	for (d = cl->descs; d != NULL && !c->bad; d = d->next) {
		if (d->d.id != 0)
			d->d.prov = d->d.mod = d->d.func = d->d.name = "";
		else if (!parse_desc(c, d))
			return;
		if (ps == NULL)
			continue;
		memset(&in, 0, sizeof(in));
		memset(&err, 0, sizeof(err));
		if (ps->match(ps->arg, &d->d, &in, &err) != 0) {
			dc_error(c, d->loc, D_PDESC_ZERO, "%s", err.text[0] != '\0' ? err.text :
			    "probe description is not valid");
			return;
		}
		if (in.nmatched == 0) {
			if ((src->flags & DC_F_ZDEFS) || c->opt[DV_OPT_ZDEFS])
				continue;
			dc_error(c, d->loc, D_PDESC_ZERO,
			    "probe description %s does not match any probes", d->text);
			return;
		}
		if (in.nargs > DC_MAXARGS)
			in.nargs = DC_MAXARGS;
		if (first)
			c->info = in;
		else {
			c->info.nmatched += in.nmatched;
			c->info.flags &= in.flags;
			c->info.args_differ |= in.args_differ || in.nargs != c->info.nargs;
			for (i = 0; i < in.nargs && i < c->info.nargs; i++)
				if (!same_arg(&in.args[i], &c->info.args[i]))
					c->info.args_differ = true;
		}
		first = false;
	}
}

void
act_clause(struct dc *c, struct clause *cl, const struct dc_source *src)
{
	struct seg s = { .c = c, .src = src, .cl = cl };
	struct node *p = NULL, *list = cl->body != NULL ? cl->body->list : NULL;

	match(c, cl, src);
	if (c->bad)
		return;
	c->clflags = 0;
	c->ncopied = 0;
	if (cl->pred != NULL) {
		p = ck(c, cl->pred);
		if (!c->bad && (p->kind == N_XLATE || !ty_is_scalar(p->type) || (p->flags & NF_ACTION)))
			dc_error(c, cl->pred->loc, D_PRED_SCALAR,
			    "predicate must be of scalar type, not %s", ty_name(c, p->type));
	}
	if (!c->bad && has_if(list))
		act_ifs(&s, p, list);
	else if (!c->bad) {
		seg_begin(&s, p);
		if (cl->body != NULL)
			act_stmt(&s, cl->body);
		seg_end(&s, list == NULL);
	}
	c->have_info = false;
}
