/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probesrc.c - all probes that a program can name.
 *
 * A description is matched field by field; an empty field and a glob match as
 * in dtrace(1), and a lone number is a probe id. The guest's table is long
 * (more than 100,000 fbt probes), so a description that names its provider
 * only walks that provider's run of it, and the matches of a description are
 * kept: the compiler asks first, the enabling asks again.
 *
 * Profile probes of rates that are not in the usual list exist from the moment
 * a description names them, as in dtrace(1).
 */
#include "probesrc.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

struct own {				/* a probe that is not the guest's */
	const char *prov, *name;
	uint32_t flags;
	bool timer, allvcpu;
	uint64_t period;
};

struct matches {
	dv_probenums_t nums;
	struct dc_probeinfo info;
	bool have_info;
	const char *why_not;		/* none: why the guest lacks one, or NULL */
};

struct dv_probesrc {
	struct gi_kernel *k;		/* borrowed */
	size_t nguest;
	DV_VEC(struct own) own;		/* first `nfixed` come before the guest's */
	size_t nfixed;
	const char *why_not;		/* of the last match_guest: why the guest lacks one */
	struct dv_arena *arena;
	struct dv_smap *cache;		/* "id:p:m:f:n" -> struct matches */
	DV_VEC(struct matches *) all;
};

#define MIN_PERIOD	200000u		/* 5000 Hz, as dtrace(1)'s limit */

static const char *const usual[] = {
	"profile-97", "profile-199", "profile-499", "profile-997", "profile-1999",
	"profile-4001", "profile-4999", "tick-1", "tick-10", "tick-100", "tick-500",
	"tick-1000", "tick-5000"
};

/* "profile-N[unit]", "tick-N[unit]": false if the name is not of this form. */
static bool
rate_parse(const char *name, bool *allvcpu, uint64_t *period)
{
	const char *p;

	if (strncmp(name, "profile-", 8) == 0)
		p = name + 8;
	else if (strncmp(name, "tick-", 5) == 0)
		p = name + 5;
	else
		return false;
	*allvcpu = name[0] == 'p';
	return dv_parse_rate(p, period) == 0 && *period >= MIN_PERIOD;
}

static int
own_add(struct dv_probesrc *ps, const char *prov, const char *name, uint32_t flags,
	bool allvcpu, uint64_t period)
{
	struct own o = { .prov = prov, .flags = flags, .timer = period != 0,
	    .allvcpu = allvcpu, .period = period };

	if ((o.name = dv_arena_strdup(ps->arena, name)) == NULL)
		return DV_E_NOMEM;
	return dv_vec_push(&ps->own, o);
}

int
dv_probesrc_create(struct gi_kernel *k, struct dv_err *err, struct dv_probesrc **ret)
{
	struct dv_probesrc *ps = calloc(1, sizeof(*ps));
	uint64_t period;
	bool allvcpu;
	size_t i;
	int rc;

	if (ps == NULL)
		return dv_err_nomem(err);
	ps->k = k;
	if ((ps->arena = dv_arena_create()) == NULL || (ps->cache = dv_smap_create()) == NULL)
		goto nomem;
	if (own_add(ps, "dtrace", "BEGIN", DV_PF_BEGIN | DV_PF_HOST, false, 0) != 0 ||
	    own_add(ps, "dtrace", "END", DV_PF_END | DV_PF_HOST, false, 0) != 0 ||
	    own_add(ps, "dtrace", "ERROR", DV_PF_ERROR, false, 0) != 0)
		goto nomem;
	for (i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
		rate_parse(usual[i], &allvcpu, &period);
		if (own_add(ps, "profile", usual[i], allvcpu ? 0 : DV_PF_HOST, allvcpu,
		    period) != 0)
			goto nomem;
	}
	ps->nfixed = ps->own.n;
	if (k != NULL) {
		if ((rc = gi_probes_open(k, err)) != 0) {
			dv_probesrc_destroy(ps);
			return rc;
		}
		ps->nguest = gi_nprobes(k);
	}
	*ret = ps;
	return 0;
nomem:
	dv_probesrc_destroy(ps);
	return dv_err_nomem(err);
}

void
dv_probesrc_destroy(struct dv_probesrc *ps)
{
	size_t i;

	if (ps == NULL)
		return;
	for (i = 0; i < ps->all.n; i++) {
		dv_vec_fini(&ps->all.v[i]->nums);
		free(ps->all.v[i]);
	}
	dv_vec_fini(&ps->all);
	dv_vec_fini(&ps->own);
	dv_smap_destroy(ps->cache);
	dv_arena_destroy(ps->arena);
	free(ps);
}

size_t
dv_probesrc_count(const struct dv_probesrc *ps)
{
	return ps->own.n + ps->nguest;
}

void
dv_probesrc_get(const struct dv_probesrc *ps, uint32_t num, struct dv_probe_view *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->num = num;
	if (num >= ps->nfixed && num - ps->nfixed < ps->nguest) {
		struct gi_probe p;

		ret->guest = true;
		ret->index = num - (uint32_t)ps->nfixed;
		gi_probe(ps->k, ret->index, &p);
		ret->prov = p.prov;
		ret->mod = p.mod;
		ret->func = p.func;
		ret->name = p.name;
		ret->flags = p.flags;
		ret->why_not = p.why_not;
	} else {
		const struct own *o = &ps->own.v[num < ps->nfixed ? num : num - ps->nguest];

		ret->prov = o->prov;
		ret->mod = ret->func = "";
		ret->name = o->name;
		ret->flags = o->flags;
		ret->timer = o->timer;
		ret->allvcpu = o->allvcpu;
		ret->period = o->period;
	}
}

static bool
field_matches(const char *pattern, bool glob, const char *s)
{
	return *pattern == '\0' || (glob ? dv_glob_match(pattern, s) : strcmp(pattern, s) == 0);
}

/* Linux calls it vmlinux; scripts from elsewhere have other names for it. */
static bool
mod_matches(const char *pattern, bool glob, const char *s)
{
	if (field_matches(pattern, glob, s))
		return true;
	return strcmp(s, "vmlinux") == 0 && (strcmp(pattern, "kernel") == 0 ||
	    strcmp(pattern, "genunix") == 0 || strcmp(pattern, "unix") == 0);
}

static int
match_own(struct dv_probesrc *ps, const struct dc_pdesc *d, dv_probenums_t *nums,
	  uint32_t first, uint32_t n)
{
	bool gp = dv_glob_is_pattern(d->prov), gm = dv_glob_is_pattern(d->mod);
	bool gf = dv_glob_is_pattern(d->func), gn = dv_glob_is_pattern(d->name);
	struct dv_probe_view v;
	uint32_t i;

	for (i = first; i < first + n; i++) {
		dv_probesrc_get(ps, i, &v);
		if (field_matches(d->name, gn, v.name) && field_matches(d->prov, gp, v.prov) &&
		    field_matches(d->func, gf, v.func) && field_matches(d->mod, gm, v.mod) &&
		    dv_vec_push(nums, i) != 0)
			return DV_E_NOMEM;
	}
	return 0;
}

/* The guest's probes [i, end), by its own index. */
static int
match_guest(struct dv_probesrc *ps, const struct dc_pdesc *d, dv_probenums_t *nums,
	    size_t i, size_t end)
{
	bool gp = dv_glob_is_pattern(d->prov), gm = dv_glob_is_pattern(d->mod);
	bool gf = dv_glob_is_pattern(d->func), gn = dv_glob_is_pattern(d->name);
	size_t run = i, fbt, nfbt;
	const char *mod;
	struct gi_probe p;

	/* Most descriptions say by their name alone that they want none of the many. */
	if (gi_probe_range(ps->k, "fbt", &fbt, &nfbt) && fbt + nfbt >= end && fbt < end &&
	    (!field_matches(d->prov, gp, "fbt") || (!field_matches(d->name, gn, "entry") &&
	    !field_matches(d->name, gn, "return"))))
		end = fbt;
	for (; i < end; i++) {
		if (i == run) {		/* another module */
			if (!gi_probe_run(ps->k, i, &mod, &run))
				break;
			if (!mod_matches(d->mod, gm, mod)) {
				i = run - 1;
				continue;
			}
		}
		/* What the guest cannot have has a name all the same. */
		if ((!gi_probe_name(ps->k, i, &p) && p.why_not == NULL) ||
		    !field_matches(d->name, gn, p.name) ||
		    !field_matches(d->func, gf, p.func) || !field_matches(d->prov, gp, p.prov))
			continue;
		if (gi_probe_exists(ps->k, i)) {
			if (dv_vec_push(nums, (uint32_t)(ps->nfixed + i)) != 0)
				return DV_E_NOMEM;
		} else if (ps->why_not == NULL) {
			gi_probe(ps->k, i, &p);
			ps->why_not = p.why_not;
		}
	}
	return 0;
}

/* A rate that is not there yet, named exactly, comes into being. */
static int
make_rate(struct dv_probesrc *ps, const struct dc_pdesc *d)
{
	uint64_t period;
	bool allvcpu;
	size_t i;

	if (!field_matches(d->prov, dv_glob_is_pattern(d->prov), "profile") ||
	    *d->mod != '\0' || *d->func != '\0' || !rate_parse(d->name, &allvcpu, &period))
		return 0;
	for (i = 0; i < ps->own.n; i++)
		if (strcmp(ps->own.v[i].name, d->name) == 0)
			return 0;
	return own_add(ps, "profile", d->name, allvcpu ? 0 : DV_PF_HOST, allvcpu, period);
}

static int
match_all(struct dv_probesrc *ps, const struct dc_pdesc *d, dv_probenums_t *nums)
{
	uint32_t total, nfixed = (uint32_t)ps->nfixed;
	size_t first, n;
	int rc;

	if (d->id != 0) {
		struct dv_probe_view v;

		if (d->id > dv_probesrc_count(ps))
			return 0;
		dv_probesrc_get(ps, d->id - 1, &v);
		return v.why_not != NULL ? 0 : dv_vec_push(nums, d->id - 1);
	}
	if ((rc = make_rate(ps, d)) != 0)
		return rc;
	total = (uint32_t)dv_probesrc_count(ps);
	if ((rc = match_own(ps, d, nums, 0, nfixed)) != 0)
		return rc;
	if (ps->k != NULL && *d->prov != '\0' && !dv_glob_is_pattern(d->prov)) {
		if (gi_probe_range(ps->k, d->prov, &first, &n) &&
		    (rc = match_guest(ps, d, nums, first, first + n)) != 0)
			return rc;
	} else if (ps->k != NULL && (rc = match_guest(ps, d, nums, 0, ps->nguest)) != 0) {
		return rc;
	}
	return match_own(ps, d, nums, nfixed + (uint32_t)ps->nguest,
	    total - nfixed - (uint32_t)ps->nguest);
}

bool
dv_probesrc_guests(const struct dv_probesrc *ps, const struct dc_pdesc *d)
{
	bool prov = dv_glob_is_pattern(d->prov);
	size_t i;

	if (d->id != 0)
		return true;
	if (strncmp(d->name, "tick-", 5) == 0 || strncmp(d->name, "profile-", 8) == 0)
		return false;
	for (i = 0; i < ps->nfixed; i++)
		if (strcmp(d->name, ps->own.v[i].name) == 0)
			return false;
	for (i = 0; i < GI_NPROV; i++)
		if (field_matches(d->prov, prov, gi_providers[i]))
			return true;
	return false;
}

static int
lookup(struct dv_probesrc *ps, const struct dc_pdesc *d, struct matches **ret, struct dv_err *err)
{
	char *key = dv_arena_printf(ps->arena, "%u:%s:%s:%s:%s", d->id, d->prov, d->mod,
	    d->func, d->name);
	struct matches *m;

	if (key == NULL)
		return dv_err_nomem(err);
	if ((m = dv_smap_get_ptr(ps->cache, key)) == NULL) {
		if ((m = calloc(1, sizeof(*m))) == NULL)
			return dv_err_nomem(err);
		if (dv_vec_push(&ps->all, m) != 0) {
			free(m);
			return dv_err_nomem(err);
		}
		ps->why_not = NULL;
		if (match_all(ps, d, &m->nums) != 0 || dv_smap_set_ptr(ps->cache, key, m) != 0)
			return dv_err_nomem(err);
		m->why_not = ps->why_not;
	}
	*ret = m;
	return 0;
}

int
dv_probesrc_match(struct dv_probesrc *ps, const struct dc_pdesc *d,
		  dv_probenums_t *ret, struct dv_err *err)
{
	struct matches *m;
	size_t i;
	int rc;

	if ((rc = lookup(ps, d, &m, err)) != 0)
		return rc;
	for (i = 0; i < m->nums.n; i++)
		if (dv_vec_push(ret, m->nums.v[i]) != 0)
			return dv_err_nomem(err);
	return 0;
}

/* ---- the compiler's view ------------------------------------------------ */

/* False: no argument is alike in all so far. */
static bool
add_args(struct dc_probeinfo *info, const struct gi_probe *p)
{
	struct dc_arg args[DC_MAXARGS];
	uint32_t i, n = p->nargs < DC_MAXARGS ? p->nargs : DC_MAXARGS;

	for (i = 0; i < n; i++)
		args[i] = (struct dc_arg){ p->args[i].native, p->args[i].ntype, p->args[i].xlate,
		    p->args[i].map };
	return dc_probeinfo_args(info, args, n);
}

/* Why a name that looks like a rate is none. */
static const char *
no_rate(const struct dc_pdesc *d)
{
	uint64_t period;
	bool allvcpu;
	const char *p;

	if (strncmp(d->name, "tick-", 5) != 0 && strncmp(d->name, "profile-", 8) != 0)
		return NULL;
	p = strchr(d->name, '-') + 1;
	if (*p < '0' || *p > '9' || dv_glob_is_pattern(p) || rate_parse(d->name, &allvcpu, &period))
		return NULL;
	return dv_parse_rate(p, &period) == 0 ? "the fastest rate is 5000hz" :
	    "a rate is a number and one of hz, ns, us, ms, s, m, h and d";
}

static void
add_provider(struct dc_probeinfo *info, const char *prov)
{
	uint32_t i, n = info->nprov < DC_MAXPROV ? info->nprov : DC_MAXPROV;

	for (i = n; i-- > 0;)		/* most often the last one */
		if (info->prov[i] == prov || strcmp(info->prov[i], prov) == 0)
			return;
	if (n < DC_MAXPROV)
		info->prov[n] = prov;
	info->nprov = n + 1;
}

static int
compiler_match(void *arg, const struct dc_pdesc *d, struct dc_probeinfo *ret, struct dv_err *err)
{
	struct dv_probesrc *ps = arg;
	struct dv_probe_view v;
	struct matches *m;
	size_t i;
	int rc;

	if ((rc = lookup(ps, d, &m, err)) != 0)
		return rc;
	if (!m->have_info) {
		bool alike = true;

		m->info.flags = ~0u;
		for (i = 0; i < m->nums.n; i++) {
			struct gi_probe p = { 0 };

			dv_probesrc_get(ps, m->nums.v[i], &v);
			m->info.flags &= v.flags;
			add_provider(&m->info, v.prov);
			if (alike && v.guest)
				gi_probe(ps->k, v.index, &p);
			alike = alike && add_args(&m->info, &p);
			m->info.nmatched++;
		}
		if (m->nums.n == 0) {
			m->info.flags = 0;
			m->info.why_not = m->why_not != NULL ? m->why_not : no_rate(d);
		}
		m->info.partial = ps->k == NULL && dv_probesrc_guests(ps, d);
		m->have_info = true;
	}
	*ret = m->info;
	return 0;
}

void
dv_probesrc_init(struct dc_probes *ret, struct dv_probesrc *ps)
{
	*ret = (struct dc_probes){ .arg = ps, .match = compiler_match };
}
