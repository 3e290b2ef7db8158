/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * enable.c - compiled clauses meet probes: the enabling.
 *
 * Each (probe, clause) pair becomes an ECB; those of one probe keep the order
 * of the clauses in the program, and EPIDs follow probe by probe. Probes of
 * the guest get their sites and rules from introspection, which names probes
 * by position in our list and leaves what needs computing as expression text:
 * the compiler turns that into DIFOs here, each text once.
 */
#include "enable.h"

#include "msg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair { uint32_t num, clause; };

static int
pair_cmp(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->num != y->num)
		return x->num < y->num ? -1 : 1;
	return x->clause < y->clause ? -1 : x->clause > y->clause;
}

static int
add_probe(struct dv_progb *b, const struct dv_probe_view *v)
{
	struct dv_probe p = {
		.prov = dv_progb_str(b, v->prov), .mod = dv_progb_str(b, v->mod),
		.func = dv_progb_str(b, v->func), .name = dv_progb_str(b, v->name),
		.id = v->num + 1, .flags = v->flags
	};
	struct dv_timer t = {
		.probe = (uint32_t)b->probes.n, .period = v->period,
		.flags = v->allvcpu ? DV_TIMER_ALLVCPU : 0
	};

	if (v->timer && dv_vec_push(&b->timers, t) != 0)
		return DV_E_NOMEM;
	return dv_vec_push(&b->probes, p);
}

/* Expression indices of introspection -> DIFO indices. */
static int
compile_exprs(const struct gi_sites *s, struct dc *dc, struct dv_progb *b,
	      uint32_t *difos, struct dv_err *err)
{
	size_t i;
	int rc;

	for (i = 0; i < s->nexprs; i++)
		if ((rc = dc_expr(dc, "probe rule", s->exprs[i], b, &difos[i], err)) != 0) {
			dv_err_prefix(err, "cannot compile rule `%s`", s->exprs[i]);
			return rc;
		}
	return 0;
}

static int
map_loc(struct dv_loc *l, const uint32_t *difos, size_t n, struct dv_err *err)
{
	if (l->kind != DV_LOC_DIFO)
		return 0;
	if (l->value >= n)
		return dv_err_set(err, DV_E_FORMAT,
		    "introspection names an expression that it did not give");
	l->value = difos[l->value];
	return 0;
}

static int
add_sites(struct dv_progb *b, const struct gi_sites *s, const uint32_t *probe_of_want,
	  const uint32_t *difos, struct dv_err *err)
{
	uint32_t rule0 = (uint32_t)b->rules.n, set0 = (uint32_t)b->argsets.n;
	uint32_t sel0 = (uint32_t)b->select.n;
	size_t i;
	int j, rc;

	if (dv_vec_reserve(&b->sites, s->nsites) != 0 ||
	    dv_vec_reserve(&b->rules, s->nrules) != 0 ||
	    dv_vec_reserve(&b->argsets, s->nargsets) != 0 ||
	    dv_vec_reserve(&b->select, s->nselect) != 0)
		return dv_err_nomem(err);
	for (i = 0; i < s->nargsets; i++) {
		struct dv_argset set = s->argsets[i];

		for (j = 0; j < 10; j++)
			if ((rc = map_loc(&set.arg[j], difos, s->nexprs, err)) != 0)
				return rc;
		dv_vec_push(&b->argsets, set);
	}
	for (i = 0; i < s->nselect; i++)
		dv_vec_push(&b->select, s->select[i] == DV_NONE ? DV_NONE :
		    probe_of_want[s->select[i]]);
	for (i = 0; i < s->nrules; i++) {
		const struct gi_rule *g = &s->rules[i];
		struct dv_rule r = {
			.kind = g->kind,
			.guard = g->guard == GI_NOEXPR ? DV_NONE : difos[g->guard],
			.raw = g->raw == DV_NONE ? DV_NONE : g->raw + set0,
			.args = g->args == DV_NONE ? DV_NONE : g->args + set0,
			.probe = g->probe == DV_NONE || g->kind == DV_RULE_GONE ? g->probe :
			    g->nselect != 0 ? g->probe + sel0 : probe_of_want[g->probe],
			.nselect = g->nselect, .retval = g->retval, .sel = g->sel
		};

		if ((rc = map_loc(&r.sel, difos, s->nexprs, err)) != 0)
			return rc;
		dv_vec_push(&b->rules, r);
	}
	for (i = 0; i < s->nsites; i++) {
		struct dv_site site = s->sites[i];

		site.rule += rule0;
		dv_vec_push(&b->sites, site);
	}
	for (i = 0; i < s->nstarts; i++) {
		struct dv_start st = { difos[s->starts[i].expr], s->starts[i].raw + set0 };

		if (dv_vec_push(&b->starts, st) != 0)
			return dv_err_nomem(err);
	}
	return 0;
}

/*
 * Probes without a site never fire: said once per reason, with their number,
 * and one by one if asked for.
 */
static void
tell_left_out(const struct dv_progb *b, const struct gi_sites *s, const uint32_t *probe_of_want,
	      bool verbose)
{
	size_t i, j, n;

	for (i = 0; i < s->nleft_out; i++) {
		const struct dv_probe *p = &b->probes.v[probe_of_want[s->left_out[i].want]];

		if (verbose) {
			dv_msg("probe %s:%s:%s:%s left out: %s", dv_progb_strat(b, p->prov),
			    dv_progb_strat(b, p->mod), dv_progb_strat(b, p->func),
			    dv_progb_strat(b, p->name), s->left_out[i].reason);
			continue;
		}
		for (j = 0; j < i && strcmp(s->left_out[j].reason, s->left_out[i].reason) != 0; j++)
			;
		if (j < i)
			continue;
		for (n = 0; j < s->nleft_out; j++)
			n += strcmp(s->left_out[j].reason, s->left_out[i].reason) == 0;
		dv_msg("%zu probe%s left out: %s", n, n == 1 ? "" : "s", s->left_out[i].reason);
	}
}

static int
make_guest_sites(struct dv_progb *b, struct gi_kernel *k, struct dc *dc, const uint32_t *want,
		 const uint32_t *probe_of_want, size_t n, bool verbose, struct dv_err *err)
{
	struct gi_sites *s;
	uint32_t *difos = NULL;
	int rc;

	if ((rc = gi_sites_make(k, want, n, err, &s)) != 0)
		return rc;
	if ((difos = calloc(s->nexprs + 1, sizeof(*difos))) == NULL)
		rc = dv_err_nomem(err);
	if (rc == 0 && (rc = compile_exprs(s, dc, b, difos, err)) == 0)
		rc = add_sites(b, s, probe_of_want, difos, err);
	if (rc == 0)
		tell_left_out(b, s, probe_of_want, verbose);
	if (rc == 0 && verbose && s->starts_cut)
		dv_msg("what threads sleep on now is not known of all of them: the guest's list "
		    "of threads could not be followed");
	free(difos);
	gi_sites_free(s);
	return rc;
}

/* Does the program ask what a thread sleeps on? */
static bool
reads_sobj(const struct dv_progb *b)
{
	size_t i;

	for (i = 0; i < b->vars.n; i++) {
		const char *name = dv_progb_strat(b, b->vars.v[i].name);

		if (strcmp(name, "__dv_stype") == 0 || strcmp(name, "__dv_wchan") == 0)
			return true;
	}
	return false;
}

int
dv_enable(struct dv_progb *b, const dv_wanted_t *wanted, struct dv_probesrc *ps,
	  struct gi_kernel *k, struct dc *dc, bool verbose, struct dv_err *err)
{
	DV_VEC(struct pair) pairs = { 0 };
	DV_VEC(uint32_t) want = { 0 }, probe_of_want = { 0 };
	dv_probenums_t nums = { 0 };
	struct dv_probe_view v;
	size_t i, j;
	int rc = 0;

	for (i = 0; i < wanted->n; i++) {
		nums.n = 0;
		if ((rc = dv_probesrc_match(ps, &wanted->v[i].desc, &nums, err)) != 0)
			goto out;
		if (dv_vec_reserve(&pairs, nums.n) != 0)
			goto nomem;
		for (j = 0; j < nums.n; j++)
			dv_vec_push(&pairs, ((struct pair){ nums.v[j], wanted->v[i].clause }));
	}
	if (pairs.n > 0)
		qsort(pairs.v, pairs.n, sizeof(*pairs.v), pair_cmp);
	for (i = 0; i < pairs.n; i++) {
		struct dv_ecbdesc e;

		if (i == 0 || pairs.v[i].num != pairs.v[i - 1].num) {
			dv_probesrc_get(ps, pairs.v[i].num, &v);
			if (v.guest && (dv_vec_push(&want, v.index) != 0 ||
			    dv_vec_push(&probe_of_want, (uint32_t)b->probes.n) != 0))
				goto nomem;
			if (add_probe(b, &v) != 0)
				goto nomem;
		}
		e.probe = (uint32_t)b->probes.n - 1;
		e.clause = pairs.v[i].clause;
		if (dv_vec_push(&b->ecbs, e) != 0)
			goto nomem;
	}
	if (k != NULL && b->ecbs.n > 0 &&
	    ((dv_text_loads(b->text.v, b->text.n, DIF_VAR_VTIMESTAMP) &&
	    (dv_vec_push(&want, GI_WANT_SWITCH) != 0 ||
	    dv_vec_push(&probe_of_want, DV_NONE) != 0)) ||
	    (reads_sobj(b) &&
	    (dv_vec_push(&want, GI_WANT_SOBJ) != 0 || dv_vec_push(&probe_of_want, DV_NONE) != 0))))
		goto nomem;
	if (want.n > 0)
		rc = make_guest_sites(b, k, dc, want.v, probe_of_want.v, want.n, verbose, err);
	goto out;
nomem:
	rc = dv_err_nomem(err);
out:
	dv_vec_fini(&pairs);
	dv_vec_fini(&want);
	dv_vec_fini(&probe_of_want);
	dv_vec_fini(&nums);
	return rc;
}
