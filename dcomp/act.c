/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * act.c - statements become actions.
 *
 * An action has a DIFO, a field of the record, both or neither (act.def, whose
 * flags say what may stand beside what). Which of speculate, commit and data
 * recording may follow which is checked here, in the order of the text.
 */
#include "act_impl.h"
#include "abi/dv_avail.h"

/* After all other checks, so that what is wrong anyway is said first. */
bool
act_available(struct dc *c, struct node *n)
{
	if (!c->bad && (n->id->val == DV_ACT_STOP || n->id->val == DV_ACT_RAISE))
		dc_error(c, n->loc, D_VAR_UNSUP,
		    "%s( ) is not possible: a process is stopped and a "
		    "signal is queued under a lock of the guest, which only code that runs in the "
		    "guest can take", n->id->name);
	else if (!c->bad && !dv_avail_act(n->id->val))
		dc_error(c, n->loc, D_VAR_UNSUP, "%s( ) is not available in this version",
		    n->id->name);
	return !c->bad;
}

/* Data goes into the record: is that allowed here? */
static void
records(struct seg *s, struct node *n)
{
	struct dc *c = s->c;

	if (c->clflags & CF_COMMIT)
		dc_error(c, n->loc, D_DREC_COMM,
		    "data-recording actions may not follow commit( ): %s( )", n->id->name);
	if ((c->clflags & CF_SPEC) && !s->speculates)
		dc_error(c, n->loc, D_UNKNOWN, "%s( ) after an if statement cannot be traced "
		    "speculatively: put speculate( ) into the same block", n->id->name);
	c->clflags |= CF_DREC;
	s->records = true;
}

bool
act_nargs(struct seg *s, struct node *n, uint32_t min, uint32_t max, enum dc_tag tag)
{
	if (n->len >= min && n->len <= max)
		return true;
	return dc_error(s->c, n->loc, tag, "%s( ) prototype mismatch: %u argument%s passed, %s%u "
	    "expected", n->id->name, n->len, n->len == 1 ? "" : "s",
	    min == max ? "" : n->len < min ? "at least " : "at most ", n->len < min ? min : max);
}

/* Checks argument k in place and gives it back. */
struct node *
act_arg(struct seg *s, struct node *k)
{
	struct node *n;

	if (k->kind == N_AGG || (k->kind == N_INDEX && k->a->kind == N_AGG)) {
		k->type = s->c->t_agg;
		return k;
	}
	n = ck(s->c, k);
	if ((n->flags & NF_DESTR) && (s->c->clflags & CF_SPEC))
		dc_error(s->c, k->loc, D_ACT_SPEC,
		    "destructive actions may not follow speculate( )");
	return n;
}

struct node *
act_int(struct seg *s, struct node *n, struct node *k, unsigned i, enum dc_tag tag)
{
	struct node *r = act_arg(s, k);

	if (!s->c->bad && (k->kind == N_AGG || r->kind == N_XLATE || !ty_is_int(r->type)))
		dc_error_proto(s->c, k->loc, tag, NULL, "int",
		    k->kind == N_AGG ? "an aggregation" : ty_name(s->c, r->type),
		    "%s( ) argument #%u is incompatible with prototype:", n->id->name, i);
	return r;
}

static void
act_trace(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	struct node *k = n->list, *v;

	if (!act_nargs(s, n, 1, 1, D_PROTO_LEN))
		return;
	if (k->kind == N_AGG || k->kind == N_INDEX) {
		if (k->kind == N_AGG || k->a->kind == N_AGG) {
			dc_error(c, k->loc, D_TRACE_DYN,
			    "trace( ) of an aggregation is not possible");
			return;
		}
	}
	v = act_arg(s, k);
	if (c->bad)
		return;
	if (v->kind == N_XLATE)
		dc_error(c, k->loc, D_TRACE_DYN, "trace( ) of a translated object is not possible: "
		    "trace its members");
	else if (ty_is_void(v->type))
		dc_error(c, k->loc, D_TRACE_VOID, "trace( ) of a void expression");
	else if (ty_is_sou(v->type) && ty_size(c, v->type) == 0)
		dc_error(c, k->loc, D_TRACE_VOID, "trace( ) of a type without size");
	act_value(s, v, NULL, &s->off);
}

static void
act_tracemem(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	struct node *v, *z;
	struct dv_act *a;
	uint32_t difo;

	if (!act_nargs(s, n, 2, 3, D_TRACEMEM_ARGS))
		return;
	v = act_arg(s, n->list);
	z = ck(c, n->list->next);
	if (c->bad)
		return;
	if (v->kind == N_XLATE || v->kind == N_AGG || (v->flags & NF_ACTION) ||
	    !(ty_is_scalar(ty_decay(c, v->type)) || ty_is_string(v->type))) {
		dc_error_proto(c, v->loc, D_TRACEMEM_ADDR, NULL, "pointer or integer",
		    v->kind == N_AGG ? "an aggregation" : ty_name(c, v->type),
		    "tracemem( ) argument #1 is incompatible with prototype:");
		return;
	}
	if (z->kind != N_INT || (int64_t)z->val <= 0 || z->val > (1u << 20)) {
		dc_error(c, z->loc, D_TRACEMEM_SIZE,
		    "tracemem( ) argument #2 must be a positive integer constant"
		    " of at most %u", 1u << 20);
		return;
	}
	difo = cg_difo(c, v, NULL);
	if ((a = act_add(s, DV_ACT_TRACEMEM)) == NULL)
		return;
	a->difo = difo;
	a->rec = (struct dv_dtype){ .kind = DV_T_BYTES, .flags = DV_TF_BYREF,
	    .size = (uint32_t)z->val };
	act_place(a, &s->off);
	if (n->len == 3) {
		/* how many of these bytes are shown: known when it runs */
		a->nargs = 1;
		v = act_int(s, n, n->list->next->next, 3, D_TRACEMEM_DYNSIZE);
		act_value(s, v, c->t_uint64, &s->off);
	}
}

static void
act_exit(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	struct node *v;
	struct dv_act *a;
	uint32_t difo;

	if (!act_nargs(s, n, 1, 1, D_PROTO_LEN))
		return;
	v = act_int(s, n, n->list, 1, D_PROTO_ARG);
	if (c->bad)
		return;
	difo = cg_difo(c, v, c->t_int);
	if ((a = act_add(s, DV_ACT_EXIT)) == NULL)
		return;
	a->difo = difo;
	a->rec = (struct dv_dtype){ .kind = DV_T_INT, .flags = DV_TF_SIGNED, .size = 4 };
	act_place(a, &s->off);
}

/* speculate(), commit(), discard() */
static void
act_spec(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	uint32_t kind = n->id->val, difo;
	struct node *v;
	struct dv_act *a;

	if (!act_nargs(s, n, 1, 1, D_PROTO_LEN))
		return;
	v = act_int(s, n, n->list, 1, D_PROTO_ARG);
	if (c->bad)
		return;
	switch (kind) {
	case DV_ACT_SPECULATE:
		if (c->clflags & CF_COMMIT)
			dc_error(c, n->loc, D_SPEC_COMM, "speculate( ) may not follow commit( )");
		else if (c->clflags & CF_SPEC)
			dc_error(c, n->loc, D_SPEC_SPEC,
			    "speculate( ) may not follow speculate( )");
		else if (c->clflags & CF_DREC)
			dc_error(c, n->loc, D_SPEC_DREC,
			    "speculate( ) may not follow data-recording actions");
		c->clflags |= CF_SPEC;
		s->speculates = true;
		break;
	case DV_ACT_COMMIT:
		if (c->clflags & CF_DREC)
			dc_error(c, n->loc, D_COMM_DREC,
			    "commit( ) may not follow data-recording actions");
		c->clflags |= CF_COMMIT;
		s->commits = true;
		break;
	default:
		break;
	}
	difo = cg_difo(c, v, NULL);
	if ((a = act_add(s, kind)) != NULL)
		a->difo = difo;
}

static void
act_setopt(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	struct node *k, *v;
	uint32_t head, i = 1;

	if (!act_nargs(s, n, 1, 2, D_PROTO_LEN))
		return;
	head = (uint32_t)c->out->acts.n;
	if (act_add(s, DV_ACT_SETOPT) == NULL)
		return;
	for (k = n->list; k != NULL && !c->bad; k = k->next, i++) {
		v = act_arg(s, k);
		if (!c->bad && (v->kind == N_AGG || v->kind == N_XLATE || !ty_is_strlike(v->type)))
			dc_error_proto(c, k->loc, D_PROTO_ARG, NULL, "string", k->kind == N_AGG ?
			    "an aggregation" : ty_name(c, v->type),
			    "setopt( ) argument #%u is incompatible with prototype:", i);
		act_value(s, v, NULL, &s->off);
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

	if (!act_nargs(s, n, len, len, D_PROTO_LEN))
		return;
	if (len == 1) {
		v = act_int(s, n, n->list, 1, D_PROTO_ARG);
		difo = cg_difo(s->c, v, NULL);
	}
	if (act_available(s->c, n) && (a = act_add(s, n->id->val)) != NULL)
		a->difo = difo;
}

static void
act_call(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	uint32_t kind = n->id->val, is = dv_act_flags(kind);

	if ((is & DV_AF_NOSPEC) && (c->clflags & CF_SPEC)) {
		dc_error(c, n->loc, kind == DV_ACT_EXIT ? D_EXIT_SPEC : D_ACT_SPEC,
		    "%s( ) may not follow speculate( )", n->id->name);
		return;
	}
	if (is & DV_AF_DATA)
		records(s, n);
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
	case DV_ACT_STOP: case DV_ACT_PANIC: case DV_ACT_BREAKPOINT:
		act_plain(s, n, 0);
		break;
	case DV_ACT_RAISE: case DV_ACT_CHILL:
		act_plain(s, n, 1);
		break;
	case DV_ACT_PRINT:
		act_print(s, n);
		break;
	default:			/* stack(), sym() ... */
		act_value(s, ck(c, n), NULL, &s->off);
		break;
	}
}

/* ---- statements -------------------------------------------------------- */

static bool
is_agg(const struct node *n)
{
	return n->kind == N_AGG || (n->kind == N_INDEX && is_agg(n->a));
}

void
act_expr(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	struct dv_act *a;
	uint32_t difo = cg_difo(c, n, NULL);

	if (!c->bad && (a = act_add(s, DV_ACT_EXPR)) != NULL)
		a->difo = difo;
}

void
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
			dc_error(c, n->a->loc, D_AGG_MDIM,
			    "an aggregation is indexed by one list of "
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
	n = act_arg(s, n);
	if (c->bad)
		return;
	if (n->kind == N_XLATE) {
		dc_error(c, n->loc, D_CG_DYN, "a statement's result is a translated object");
		return;
	}
	act_expr(s, n);
}

