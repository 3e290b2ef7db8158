/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clause.c - a clause of the text: its probes, its predicate, its statements.
 *
 * The descriptions are matched first, as args[] gets its types from what they
 * match. One clause of the text becomes one of the program, or, if it holds an
 * `if`, several (if.c): each is begun, filled with actions, and ended.
 */
#include "act_impl.h"

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
same_text(const char *a, const char *b)
{
	return a == b || strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

static bool
same_arg(const struct dc_arg *a, const struct dc_arg *b)
{
	return a->map == b->map && a->ntype == b->ntype && same_text(a->native, b->native) &&
	    same_text(a->xlate, b->xlate);
}

bool
dc_probeinfo_args(struct dc_probeinfo *to, const struct dc_arg *args, uint32_t nargs)
{
	uint32_t n = nargs < DC_MAXARGS ? nargs : DC_MAXARGS, most = n, i;

	if (most < to->nargs)
		most = to->nargs;
	for (i = 0; i < most; i++) {
		if (i >= n || i >= to->nargs ? to->nmatched > 0 :
		    !same_arg(&to->args[i], &args[i]))
			to->differ |= 1u << i;
		if (i >= to->nargs)
			to->args[i] = args[i];
	}
	to->nargs = most;
	return most == 0 || to->differ != (1u << most) - 1;
}

static void
match(struct dc *c, struct clause *cl, const struct dc_source *src)
{
	const struct dc_probes *ps = c->cfg.probes;
	struct dc_probeinfo in;
	struct dv_err err;
	struct pdesc *d;

	memset(&c->info, 0, sizeof(c->info));
	c->have_info = true;
	for (d = cl->descs; d != NULL && !c->bad; d = d->next) {
		if (d->d.id != 0)
			d->d.prov = d->d.mod = d->d.func = d->d.name = "";
		else if (!parse_desc(c, d))
			return;
		memset(&in, 0, sizeof(in));
		if (ps == NULL) {
			at_clause(c, cl, d, &in, src);
			continue;
		}
		memset(&err, 0, sizeof(err));
		if (ps->match(ps->arg, &d->d, &in, &err) != 0) {
			dc_error(c, d->loc, D_PDESC_ZERO, "%s", err.text[0] != '\0' ? err.text :
			    "probe description is not valid");
			return;
		}
		c->missed |= in.partial;
		if (in.nmatched == 0) {
			if ((src->flags & DC_F_ZDEFS) || c->opt[DV_OPT_ZDEFS]) {
				at_clause(c, cl, d, &in, src);
				continue;
			}
			dc_error(c, d->loc, D_PDESC_ZERO,
			    "probe description %s does not match any probes%s%s", d->text,
			    in.why_not != NULL ? ": " : "", in.why_not != NULL ? in.why_not : "");
			return;
		}
		at_clause(c, cl, d, &in, src);
		if (c->info.nmatched == 0) {
			c->info = in;
			continue;
		}
		dc_probeinfo_args(&c->info, in.args, in.nargs);
		c->info.differ |= in.differ;
		c->info.nmatched += in.nmatched;
		c->info.flags &= in.flags;
	}
}

/* ---- clauses ----------------------------------------------------------- */

void
seg_begin(struct seg *s, struct node *pred)
{
	s->pred = pred;
	s->act = (uint32_t)s->c->out->acts.n;
	s->off = 0;
	s->records = s->speculates = s->commits = false;
}

static bool
destroys(const struct dv_progb *p, const struct dv_clause *k)
{
	bool is = k->pred != DV_NONE && (p->difos.v[k->pred].flags & DV_DIFO_DESTRUCTIVE) != 0;
	uint32_t i;

	for (i = 0; i < k->nact; i++)
		is |= dv_act_destroys(&p->acts.v[k->act + i], p->difos.v);
	return is;
}

void
seg_end(struct seg *s, bool empty)
{
	struct dc *c = s->c;
	struct dv_clause k = { .pred = DV_NONE };
	struct pdesc *d;
	uint32_t index, i;
	bool others = false;

	if (c->bad)
		return;
	if (s->pred != NULL)
		k.pred = cg_difo(c, s->pred, ty_is_int(s->pred->type) ? NULL : c->t_long);
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
	if (c->bad)
		return;
	if (destroys(c->out, &k))
		k.flags |= DV_CL_DESTRUCTIVE;
	index = (uint32_t)c->out->clauses.n;
	if (dv_vec_push(&c->out->clauses, k) != 0) {
		dc_nomem(c);
		return;
	}
	if (s->src->clause != NULL)
		for (d = s->cl->descs; d != NULL; d = d->next)
			s->src->clause(s->src->arg, index, &d->d);
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
		if (!c->bad && (p->kind == N_XLATE || !ty_is_scalar(p->type) ||
		    (p->flags & NF_ACTION)))
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
