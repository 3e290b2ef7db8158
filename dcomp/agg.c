/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agg.c - aggregations: @name[keys] = func(value), and what is done to them.
 *
 * The first use of a name in the text makes the aggregation: its function, the
 * types of its keys, the parameters of its distribution. Later ones must agree;
 * their keys are converted to the types of the first.
 */
#include "act_impl.h"

/* ---- aggregations ------------------------------------------------------ */

static struct agg *
agg_find(struct dc *c, const char *name)
{
	return dv_smap_get_ptr(c->aggs, name);
}

/* Argument k as an aggregation that exists. */
struct agg *
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
		return dc_error(c, k->loc, D_LQUANT_BASEVAL,
		    "lquantize( ) base is out of range"), 0;
	k = k->next;
	if (!int_const(s, k, D_LQUANT_LIMTYPE, "lquantize( ) limit", &limit))
		return 0;
	if (limit < INT32_MIN || limit > INT32_MAX)
		return dc_error(c, k->loc, D_LQUANT_LIMVAL,
		    "lquantize( ) limit is out of range"), 0;
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
			    ") does not match that of an earlier use (%" PRId64 ")", base,
			    ag->lq[0]);
		else if (ag->lq[1] != limit)
			dc_error(c, n->loc, D_LQUANT_MATCHLIM, "lquantize( ) limit (%" PRId64
			    ") does not match that of an earlier use (%" PRId64 ")", limit,
			    ag->lq[1]);
		else if (ag->lq[2] != step)
			dc_error(c, n->loc, D_LQUANT_MATCHSTEP, "lquantize( ) step (%" PRId64
			    ") does not match that of an earlier use (%" PRId64 ")", step,
			    ag->lq[2]);
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
	int64_t p[4], i;

	for (i = 0; i < 4; i++, k = k->next) {
		v = ck(c, k);
		if (c->bad)
			return 0;
		if (v->kind != N_INT || !ty_is_int(v->type) || (i == 3 && (int64_t)v->val <= 0))
			return dc_error(c, k->loc, parm[i].type,
			    "llquantize( ) %s must be %s constant",
			    parm[i].what, i == 3 ? "a positive integer" : "an integer"), 0;
		p[i] = (int64_t)v->val;
		if (p[i] < (i == 0 ? 2 : 0) || p[i] > UINT16_MAX)
			return dc_error(c, k->loc, parm[i].val,
			    "llquantize( ) %s is out of range", parm[i].what), 0;
		if (i == 2) {
			if (p[2] < p[1])
				return dc_error(c, k->loc, D_LLQUANT_HMAGVAL, "llquantize( ) high "
				    "magnitude must not be below the low one"), 0;
			if (p[2] > 63 || dv_llquant_power((uint64_t)p[0], (unsigned)p[2]) == 0)
				return dc_error(c, k->loc, D_LLQUANT_HMAGVAL, "llquantize( ) high "
				    "magnitude is too large: it overflows 64 bits"), 0;
		}
		if (i == 3 && p[3] % p[0] != 0 && p[0] % p[3] != 0)
			return dc_error(c, k->loc, D_LLQUANT_STEPVAL,
			    "llquantize( ) steps must be a "
			    "multiple or a divisor of the factor"), 0;
	}
	for (i = 0; i < 4; i++) {
		if (ag->index != DV_NONE && ag->lq[i] != p[i])
			dc_error(c, n->loc, parm[i].match,
			    "llquantize( ) %s (%" PRId64 ") does not "
			    "match that of an earlier use (%" PRId64 ")", parm[i].what, p[i],
			    ag->lq[i]);
		ag->lq[i] = p[i];
	}
	return DV_LLQUANT_PARAM(p[0], p[1], p[2], p[3]);
}

/* How many arguments a function takes, and which one is the increment. */
static const struct { uint8_t min, max, incr; } proto[DV_AGGFUNC_END] = {
	[DV_AGG_COUNT] = { 0, 0, 0 }, [DV_AGG_SUM] = { 1, 1, 0 }, [DV_AGG_MIN] = { 1, 1, 0 },
	[DV_AGG_MAX] = { 1, 1, 0 }, [DV_AGG_AVG] = { 1, 1, 0 }, [DV_AGG_STDDEV] = { 1, 1, 0 },
	[DV_AGG_QUANTIZE] = { 1, 2, 2 }, [DV_AGG_LQUANTIZE] = { 3, 5, 5 },
	[DV_AGG_LLQUANTIZE] = { 5, 6, 6 },
};

#define MAX_KEYS	255

/* One use of an aggregation: @name[keys] = func(args). */
struct use {
	struct node *left, *func;
	struct agg *ag;
	bool fresh;			/* the first one */
	uint32_t head;			/* its action */
	struct node *keys[MAX_KEYS];
	uint64_t param;			/* of the distribution */
	uint32_t difo, incr;		/* of the value; of the increment, + 1 */
};

/* What "@" is called in messages. */
static const char *
shown(const char *name)
{
	return strcmp(name, "_") == 0 ? "" : name;
}

/* The function on the right side. */
static struct ident *
agg_func(struct seg *s, struct node *n, struct node *f)
{
	struct dc *c = s->c;
	struct ident *id;

	if (n->op != OP_ASGN) {
		dc_error(c, n->loc, D_OP_LVAL, "an aggregation can only be set with =");
		return NULL;
	}
	if (f->kind != N_CALL || f->a->kind != N_IDENT || f->a->scope != SC_GLOBAL) {
		dc_error(c, f->loc, D_AGG_FUNC,
		    "an aggregation must be given an aggregating function");
		return NULL;
	}
	id = id_find(c, SC_GLOBAL, f->a->str);
	if (id == NULL)
		dc_error(c, f->loc, D_FUNC_UNDEF, "undefined function name: %s", f->a->str);
	else if (id->kind != ID_AGGFUNC)
		dc_error(c, f->loc, D_AGG_FUNC, "%s( ) is no aggregating function", id->name);
	else if (c->clflags & CF_COMMIT)
		dc_error(c, n->loc, D_AGG_COMM, "aggregating actions may not follow commit( )");
	else if (c->clflags & CF_SPEC)
		dc_error(c, n->loc, D_AGG_SPEC, "aggregating actions may not follow speculate( )");
	if (c->bad)
		return NULL;
	f->id = id;
	return act_nargs(s, f, proto[id->val].min, proto[id->val].max, D_PROTO_LEN) ? id : NULL;
}

/* The aggregation of this name, made if there is none. */
static bool
agg_name(struct seg *s, struct node *n, struct use *u, struct ident *func)
{
	struct dc *c = s->c;
	const char *name = u->left->kind == N_INDEX ? u->left->a->str : u->left->str;

	u->ag = agg_find(c, name);
	u->fresh = u->ag == NULL;
	if (u->fresh) {
		u->ag = dc_alloc(c, sizeof(*u->ag));
		u->ag->name = name;
		u->ag->index = DV_NONE;
		u->ag->func = func->val;
		u->ag->fname = func->name;
	} else if (u->ag->func != func->val)
		return dc_error(c, n->loc, D_AGG_REDEF,
		    "aggregation @%s redefined: it is %s( ) elsewhere", shown(name), u->ag->fname);
	return !c->bad;
}

/* One key, checked; it must fit that of the first use. */
static bool
agg_key(struct seg *s, struct use *u, struct node *k, uint32_t i)
{
	struct dc *c = s->c;
	struct agg *ag = u->ag;
	struct node *v;

	if (k->kind == N_AGG)
		return dc_error(c, k->loc, D_KEY_TYPE, "an aggregation cannot be a key");
	v = u->keys[i] = act_arg(s, k);
	if (c->bad)
		return false;
	if (v->kind == N_XLATE || ty_is_void(v->type) || ty_base(v->type)->kind == T_AGG)
		return dc_error(c, k->loc, D_KEY_TYPE, "key #%u of an aggregation has an invalid "
		    "type: %s", i + 1, ty_name(c, v->type));
	if (u->fresh)
		return true;
	if (!ck_argcompat(c, ag->keys[i], v) && !ty_same(ag->keys[i], v->type))
		return dc_error(c, k->loc, D_PROTO_ARG, "key #%u of aggregation @%s has type %s, "
		    "which does not fit %s", i + 1, shown(ag->name), ty_name(c, v->type),
		    ty_name(c, ag->keys[i]));
	if (ty_is_int(v->type) && ty_is_int(ag->keys[i]) && !ck_fits(v, ag->keys[i]))
		return dc_error(c, k->loc, D_PROTO_ARG, "key #%u of aggregation @%s has type %s "
		    "here and would be cut to the %s of its first use: cast that one "
		    "to a wider type", i + 1, shown(ag->name), ty_name(c, v->type),
		    ty_name(c, ag->keys[i]));
	return true;
}

/* The keys become actions behind the head; returns their bytes. */
static uint32_t
agg_keys(struct seg *s, struct use *u)
{
	struct dc *c = s->c;
	struct node *l = u->left, *k;
	struct agg *ag = u->ag;
	uint32_t i, n = l->kind == N_INDEX ? l->len : 0, off = 0;

	if (n > MAX_KEYS) {
		dc_error(c, l->loc, D_PROTO_LEN,
		    "aggregation @%s has %u keys: at most %u are possible",
		    shown(ag->name), n, MAX_KEYS);
		return 0;
	}
	if (!u->fresh && n != ag->nkeys) {
		dc_error(c, l->loc, D_PROTO_LEN,
		    "aggregation @%s has %u keys here, but %u elsewhere",
		    shown(ag->name), n, ag->nkeys);
		return 0;
	}
	for (i = 0, k = n > 0 ? l->list : NULL; k != NULL; k = k->next, i++)
		if (!agg_key(s, u, k, i))
			return 0;
	if (u->fresh) {
		ag->nkeys = n;
		ag->keys = dc_alloc(c, n * sizeof(*ag->keys));
		if (c->bad)
			return 0;
		for (i = 0; i < n; i++)
			ag->keys[i] = u->keys[i]->type;
	}
	for (i = 0; i < n && !c->bad; i++)
		act_value(s, ck_convert(c, u->keys[i], ag->keys[i]), ag->keys[i], &off);
	return off;
}

/* The arguments of the function: value, parameters, increment. */
static void
agg_args(struct seg *s, struct use *u)
{
	struct dc *c = s->c;
	struct node *f = u->func, *k, *v;
	uint32_t i, incr = proto[u->ag->func].incr;

	if (c->bad || f->list == NULL)
		return;
	v = act_arg(s, f->list);
	if (c->bad)
		return;
	if (f->list->kind == N_AGG || v->kind == N_XLATE || (v->flags & NF_ACTION) ||
	    !ty_is_scalar(v->type)) {
		dc_error(c, f->list->loc, D_AGG_SCALAR,
		    "%s( ) argument #1 must be of scalar type, not %s", f->id->name,
		    ty_name(c, v->type));
		return;
	}
	if (u->ag->func == DV_AGG_LQUANTIZE)
		u->param = lquantize(s, f, u->ag);
	else if (u->ag->func == DV_AGG_LLQUANTIZE)
		u->param = llquantize(s, f, u->ag);
	u->difo = cg_difo(c, v, NULL);
	for (i = 1, k = f->list; k != NULL && i != incr; k = k->next)
		i++;
	if (k != NULL && !c->bad) {
		v = act_int(s, f, k, i, D_PROTO_ARG);
		u->incr = c->bad ? 0 : cg_difo(c, v, NULL) + 1;
	}
}

static void
agg_define(struct seg *s, struct use *u, uint32_t keysize)
{
	struct dc *c = s->c;
	struct agg *ag = u->ag;
	struct dv_aggdesc d = { .func = ag->func, .param = u->param, .nkeys = ag->nkeys,
	    .keyact = u->head + 1, .keysize = (keysize + 7) & ~7u };

	d.name = dv_progb_str(c->out, ag->name);
	d.nwords = dv_agg_nwords(d.func, d.param);
	ag->index = (uint32_t)c->out->aggs.n;
	if (dv_vec_push(&c->out->aggs, d) != 0 || dv_smap_set_ptr(c->aggs, ag->name, ag) != 0)
		dc_nomem(c);
}

/* @name[keys] = func(args) */
void
act_agg(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	struct use u = { .left = n->a, .func = n->b, .difo = DV_NONE };
	struct ident *func;
	struct dv_act *a;
	uint32_t keysize;

	if ((func = agg_func(s, n, n->b)) == NULL || !agg_name(s, n, &u, func))
		return;
	u.head = (uint32_t)c->out->acts.n;
	if (act_add(s, DV_ACT_AGG) == NULL)
		return;
	keysize = agg_keys(s, &u);
	agg_args(s, &u);
	if (!c->bad && u.fresh)
		agg_define(s, &u, keysize);
	if (c->bad)
		return;
	a = &c->out->acts.v[u.head];
	a->nargs = (uint16_t)u.ag->nkeys;
	a->difo = u.difo;
	a->arg = u.ag->index;
	a->param = u.incr;
}

/* ---- what is done to them ------------------------------------------------ */

/* normalize(), denormalize(), clear(), trunc() */
void
act_onagg(struct seg *s, struct node *n)
{
	static const struct {
		uint8_t kind, min, max;
		enum dc_tag proto, notagg, none, scalar;
	} t[] = {
		{ DV_ACT_NORMALIZE, 2, 2, D_NORMALIZE_PROTO, D_NORMALIZE_AGGARG, D_NORMALIZE_AGGBAD,
		  D_NORMALIZE_SCALAR },
		{ DV_ACT_DENORMALIZE, 1, 1, D_NORMALIZE_PROTO, D_NORMALIZE_AGGARG,
		    D_NORMALIZE_AGGBAD,
		  D_NORMALIZE_SCALAR },
		{ DV_ACT_CLEAR, 1, 1, D_CLEAR_PROTO, D_CLEAR_AGGARG, D_CLEAR_AGGBAD,
		    D_CLEAR_PROTO },
		{ DV_ACT_TRUNC, 1, 2, D_TRUNC_PROTO, D_TRUNC_AGGARG, D_TRUNC_AGGBAD,
		    D_TRUNC_SCALAR },
	};
	struct dc *c = s->c;
	uint32_t kind = n->id->val, difo = DV_NONE;
	struct node *v;
	struct agg *ag;
	struct dv_act *a;
	unsigned i;

	for (i = 0; t[i].kind != kind; i++)
		;
	if (!act_nargs(s, n, t[i].min, t[i].max, t[i].proto))
		return;
	if (c->bad || (ag = agg_arg(s, n, n->list, t[i].notagg, t[i].none)) == NULL)
		return;
	if (n->len == 2) {
		v = act_arg(s, n->list->next);
		if (!c->bad && (v->kind == N_AGG || v->kind == N_XLATE || !ty_is_scalar(v->type)))
			dc_error(c, v->loc, t[i].scalar, "%s( ) argument #2 must be of scalar type",
			    n->id->name);
		if (!c->bad && v->kind == N_INT && v->val == 0 && kind == DV_ACT_NORMALIZE)
			dc_error(c, v->loc, t[i].scalar, "normalize( ) by zero");
		difo = cg_difo(c, v, NULL);
	}
	if ((a = act_add(s, kind)) == NULL)
		return;
	a->arg = ag->index;
	a->difo = difo;
	if (n->len == 2) {
		a->rec = (struct dv_dtype){ .kind = DV_T_INT, .size = 8,
		    .flags = kind == DV_ACT_TRUNC ? DV_TF_SIGNED : 0 };
		act_place(a, &s->off);
	}
}
