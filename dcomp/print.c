/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print.c - printf() and its kin (freopen, system), and printa().
 *
 * The head is an action with the format, the arguments are actions that
 * follow it: values of the record, or for printa the aggregations.
 */
#include "act_impl.h"

/* What can be told from the name alone. */
static bool
names_directory(const char *s)
{
	size_t n = strlen(s);

	return strcmp(s, ".") == 0 || strcmp(s, "..") == 0 || (n > 0 && s[n - 1] == '/') ||
	    (n > 1 && strcmp(s + n - 2, "/.") == 0) || (n > 2 && strcmp(s + n - 3, "/..") == 0);
}

/* printf() and its kin: format, then arguments. */
void
act_printf(struct seg *s, struct node *n)
{
	struct dc *c = s->c;
	struct node *f = n->list, *k, **args;
	struct conv *cv;
	struct dv_act *a;
	uint32_t head, i = 0;
	bool ok;

	if (!act_nargs(s, n, 1, UINT16_MAX, D_PROTO_LEN))
		return;
	if (f->kind != N_STR) {
		dc_error(c, f->loc, D_PRINTF_ARG_FMT,
		    "%s( ) argument #1 must be a string constant: "
		    "the format", n->id->name);
		return;
	}
	if (n->id->val == DV_ACT_FREOPEN && names_directory(f->str)) {
		dc_error(c, f->loc, D_FREOPEN_INVALID, "freopen( ) to \"%s\" is not possible: "
		    "it is a directory", f->str);
		return;
	}
	if (n->id->val == DV_ACT_FREOPEN && f->len == 0) {
		cv = NULL;
		ok = true;
	} else
		cv = fmt_parse(c, f->loc, f->str, f->len, &ok);
	if (!ok)
		return;
	args = dc_alloc(c, n->len * sizeof(*args));
	for (k = f->next; k != NULL && !c->bad; k = k->next) {
		args[i] = act_arg(s, k);
		if (k->kind == N_AGG || k->kind == N_INDEX) {
			if (args[i]->kind == N_AGG || (k->kind == N_INDEX &&
			    !(args[i]->flags & NF_CHECKED)))
				dc_error(c, k->loc, D_PRINTF_ARG_TYPE,
				    "%s( ) argument #%u cannot be an "
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
	if (act_add(s, n->id->val) == NULL)
		return;
	for (i = 0; i + 1 < n->len && !c->bad; i++)
		act_value(s, args[i], fmt_as(c, cv, args, i), &s->off);
	a = &c->out->acts.v[head];
	a->nargs = (uint16_t)(n->len - 1);
	a->arg = dv_progb_str(c->out, f->str);
}

void
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
		act_nargs(s, n, 1, 1, D_PRINTA_PROTO);
		return;
	}
	k = f;
	if (f->kind == N_STR) {
		cv = fmt_parse(c, f->loc, f->str, f->len, &ok);
		if (!ok)
			return;
		fmt = dv_progb_str(c->out, f->str);
		k = f->next;
		if (k == NULL) {
			dc_error(c, n->loc, D_PRINTA_PROTO,
			    "printa( ) needs an aggregation after the format");
			return;
		}
	}
	head = (uint32_t)c->out->acts.n;
	if (act_add(s, DV_ACT_PRINTA) == NULL)
		return;
	for (; k != NULL && !c->bad; k = k->next, count++) {
		if ((ag = agg_arg(s, n, k, D_PRINTA_AGGARG, D_PRINTA_AGGBAD)) == NULL)
			return;
		if (first == NULL)
			first = ag;
		if (ag->nkeys != first->nkeys) {
			dc_error(c, k->loc, D_PRINTA_AGGKEY,
			    "printa( ): @%s has %u keys, but @%s has %u",
			    ag->name, ag->nkeys, first->name, first->nkeys);
			return;
		}
		for (i = 0; i < ag->nkeys; i++) {
			struct dv_dtype x = act_dtype(c, ag->keys[i]), y = act_dtype(c,
			    first->keys[i]);

			if (x.kind != y.kind || x.size != y.size) {
				dc_error(c, k->loc, D_PRINTA_AGGPROTO,
				    "printa( ): key #%u of @%s has type %s, "
				    "but that of @%s has %s", i + 1, ag->name, ty_name(c,
				    ag->keys[i]),
				    first->name, ty_name(c, first->keys[i]));
				return;
			}
		}
		if ((a = act_add(s, DV_ACT_TRACE)) == NULL)
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
