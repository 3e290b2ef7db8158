/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * field.c - values become fields of a record, or keys of an aggregation.
 *
 * Fields lie in the order of their actions, each at its natural alignment.
 * How a value lies there follows from its type: integers by their size,
 * strings in strsize bytes or in those of their array, anything else as its
 * bytes. stack(), sym() and their kin are values that only a record can hold:
 * each is an action of its own kind, also as an argument or a key.
 */
#include "act_impl.h"

struct dv_act *
act_add(struct seg *s, uint32_t kind)
{
	struct dc *c = s->c;
	struct dv_act a = { .kind = (uint16_t)kind, .difo = DV_NONE };

	if (dv_vec_push(&c->out->acts, a) != 0) {
		dc_nomem(c);
		return NULL;
	}
	return &c->out->acts.v[c->out->acts.n - 1];
}

/* How a value lies in a record or key. */
struct dv_dtype
act_dtype(struct dc *c, struct type *t)
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

void
act_place(struct dv_act *a, uint32_t *off)
{
	uint32_t align = rec_align(a->rec);

	*off = (*off + align - 1) / align * align;
	a->rec_off = *off;
	*off += a->rec.size;
}

/* The first argument of stack() and its kin: a number of frames. */
static uint32_t
frames_of(struct seg *s, struct node *n, uint32_t dflt, enum dc_tag tag)
{
	uint64_t max = s->c->opt[DV_OPT_MAXFRAMES];
	struct node *k = n->list;

	if (k == NULL)
		return dflt < max ? dflt : (uint32_t)max;
	k = ck(s->c, k);
	if (s->c->bad)
		return 1;
	if (k->kind != N_INT || !ty_is_int(k->type) || (int64_t)k->val <= 0 || k->val > 65535) {
		dc_error(s->c, k->loc, tag,
		    "%s( ) size must be a positive integer constant of at most 65535",
		    n->id->name);
		return 1;
	}
	if (k->val > max) {
		dc_error(s->c, k->loc, tag,
		    "%s( ) size is above the maxframes option (%" PRIu64 ")",
		    n->id->name, max);
		return 1;
	}
	return (uint32_t)k->val;
}

static uint32_t
stack_frames(struct seg *s, struct node *n)
{
	if (n->len > 1)
		dc_error(s->c, n->loc, D_STACK_PROTO, "%s( ) takes at most one argument",
		    n->id->name);
	return frames_of(s, n, (uint32_t)s->c->opt[DV_OPT_STACKFRAMES], D_STACK_SIZE);
}

static uint32_t
ustack_frames(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	bool j = strcmp(n->id->name, "jstack") == 0;
	uint32_t frames;
	struct node *k;

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
	if (j && !c->bad)
		dc_error(c, n->loc, D_VAR_UNSUP, "%s( ) is not available: no process of "
		    "a Linux guest tells how its Java frames lie; use ustack( )", n->id->name);
	return frames;
}

/* The DIFO of the address that sym() and its kin are given. */
static uint32_t
address_of(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	struct node *k;

	if (!act_nargs(s, n, 1, 1, D_PROTO_LEN))
		return DV_NONE;
	k = ck(c, n->list);
	if (!c->bad && (k->kind == N_XLATE || !ty_is_scalar(ty_decay(c, k->type))))
		dc_error_proto(c, k->loc, D_PROTO_ARG, NULL, "uintptr_t", ty_name(c, k->type),
		    "%s( ) argument #1 is incompatible with prototype:", n->id->name);
	return cg_difo(c, k, c->t_uintptr);
}

/* stack(), sym() and their kin: an action of their own kind. */
static struct dv_act *
record_value(struct seg *s, struct node *n, struct dv_dtype *d)
{
	uint32_t kind = n->id->val, difo = DV_NONE, frames = 0;
	struct dv_act *a;

	*d = ty_dtype(s->c, n->type);
	if (kind == DV_ACT_STACK) {
		frames = stack_frames(s, n);
		d->size = frames * 8;
	} else if (kind == DV_ACT_USTACK) {
		frames = ustack_frames(s, n);
		d->size = 8 + frames * 8;
	} else {
		difo = address_of(s, n);
		d->size = kind == DV_ACT_SYM || kind == DV_ACT_MOD ? 8 : 16;
	}
	d->flags = 0;
	if (!act_available(s->c, n) || (a = act_add(s, kind)) == NULL)
		return NULL;
	a->arg = frames;
	a->difo = difo;
	return a;
}

/*
 * Appends the action that records checked node n; `as`: the type it is
 * recorded as, or NULL. *off: bytes used so far.
 */
void
act_value(struct seg *s, struct node *n, struct type *as, uint32_t *off)
{
	struct dc *c = s->c;
	struct dv_act *a;
	struct dv_dtype d;

	if (c->bad)
		return;
	if (n->flags & NF_ACTION) {
		a = record_value(s, n, &d);
	} else {
		uint32_t difo = cg_difo(c, n, as);

		d = act_dtype(c, as != NULL ? as : n->type);
		if ((a = act_add(s, DV_ACT_TRACE)) != NULL)
			a->difo = difo;
	}
	if (a == NULL)
		return;
	a->rec = d;
	if (d.kind == DV_T_NONE || d.size == 0) {
		dc_error(c, n->loc, D_TRACE_VOID, "a value of type \"%s\" cannot be recorded",
		    ty_name(c, n->type));
		return;
	}
	act_place(a, off);
}
