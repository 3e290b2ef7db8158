/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sites.c - the table of probes, and from wanted probes to sites.
 *
 * Probes are numbered through: first all of syscall, then sched, proc and
 * fbt; each provider (linux/NAME.c) answers for its run. Sites: every provider adds rules
 * at addresses for what is wanted of it; then rules are sorted by address (at
 * one address by priority, then in the order they came), and each run of one
 * address becomes a site. Argument sets and expressions that are equal are
 * shared, so that 60,000 fbt probes have a handful.
 *
 * Modules come and go. All sites in one module are a group, and go with it, before
 * other code can be at their addresses: free_module() is what the kernel calls when
 * nothing runs in a module any more and its memory is about to be freed; a rule
 * there (DV_RULE_GONE) ends the group whose struct module it is called with. What
 * went between our look at the list and the arming of that rule is found by the
 * rule's check, which the machine runs when all is armed.
 */
#include "sites.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

_Static_assert(GI_MAX_MODS < DV_MAXGROUP, "each module can be a group");

/* ---- the table ---- */

void
gi_probes_free(struct gi_probes *p)
{
	if (p == NULL)
		return;
	free(p->scalls);
	free(p->nrmap);
	free(p->fns);
	free(p->fbt);
	free(p);
}

int
gi_probes_open(struct gi_kernel *k, struct dv_err *err)
{
	struct gi_probes *p;
	int rc;

	if (k->probes != NULL)
		return 0;
	if (!k->live)
		return dv_err_set(err, DV_E_GUEST, "the snapshot has no table of probes");
	if ((p = calloc(1, sizeof(*p))) == NULL)
		return dv_err_nomem(err);
	k->probes = p;
	gi_text_reset(k);
	if ((rc = gi_fns_make(k, p, err)) != 0 || (rc = gi_syscall_open(k, p, err)) != 0 ||
	    (rc = gi_sched_open(k, p, err)) != 0 || (rc = gi_proc_open(k, p, err)) != 0 ||
	    (rc = gi_fbt_open(k, p, err)) != 0) {
		gi_probes_free(p);
		k->probes = NULL;
		return rc;
	}
	gi_text_reset(k);
	gi_probes_number(p);
	return 0;
}

void
gi_probes_number(struct gi_probes *p)
{
	p->syscall_first = 0;
	p->sched_first = gi_syscall_count(p);
	p->proc_first = p->sched_first + p->nsched;
	p->fbt_first = p->proc_first + p->nproc;
	p->n = p->fbt_first + p->nfbt;
}

size_t
gi_nprobes(const struct gi_kernel *k)
{
	return k->probes == NULL ? 0 : k->probes->n + gi_fbt_mod_probes(k);
}

bool
gi_probe_name(const struct gi_kernel *k, size_t i, struct gi_probe *ret)
{
	const struct gi_probes *p = k->probes;

	if (p == NULL || i < p->fbt_first || i >= gi_nprobes(k)) {
		gi_probe(k, i, ret);
		return ret->why_not == NULL;
	}
	memset(ret, 0, sizeof(*ret));
	ret->index = (uint32_t)i;
	ret->mod = "vmlinux";
	return gi_fbt_name(k, (uint32_t)i - p->fbt_first, ret);
}

bool
gi_probe_exists(const struct gi_kernel *k, size_t i)
{
	const struct gi_probes *p = k->probes;
	struct gi_probe probe;

	if (p != NULL && i >= p->fbt_first && i < gi_nprobes(k))
		return gi_fbt_why_not(k, (uint32_t)i - p->fbt_first) == NULL;
	gi_probe(k, i, &probe);
	return p != NULL && i < p->n && probe.why_not == NULL;
}

bool
gi_probe_run(const struct gi_kernel *k, size_t i, const char **mod, size_t *end)
{
	const struct gi_probes *p = k->probes;
	uint32_t e;

	if (p == NULL || i >= gi_nprobes(k))
		return false;
	if (i < p->n) {
		*mod = "vmlinux";
		*end = p->n;
		return true;
	}
	if (!gi_fbt_run(k, (uint32_t)i - p->fbt_first, mod, &e))
		return false;
	*end = p->fbt_first + e;
	return true;
}

void
gi_probe(const struct gi_kernel *k, size_t i, struct gi_probe *ret)
{
	const struct gi_probes *p = k->probes;

	memset(ret, 0, sizeof(*ret));
	ret->index = (uint32_t)i;
	ret->mod = "vmlinux";
	if (p == NULL || i >= gi_nprobes(k))
		ret->prov = ret->func = ret->name = "";
	else if (i < p->sched_first)
		gi_syscall_probe(k, (uint32_t)i, ret);
	else if (i < p->proc_first)
		gi_sched_probe(k, (uint32_t)i - p->sched_first, ret);
	else if (i < p->fbt_first)
		gi_proc_probe(k, (uint32_t)i - p->proc_first, ret);
	else
		gi_fbt_probe(k, (uint32_t)i - p->fbt_first, ret);
}

const char *const gi_providers[GI_NPROV] = { "syscall", "sched", "proc", "fbt" };

bool
gi_probe_range(const struct gi_kernel *k, const char *prov, size_t *first, size_t *n)
{
	const struct gi_probes *p = k->probes;
	size_t at[GI_NPROV + 1], i;

	if (p == NULL)
		return false;
	at[0] = p->syscall_first;
	at[1] = p->sched_first;
	at[2] = p->proc_first;
	at[3] = p->fbt_first;
	at[4] = gi_nprobes(k);
	for (i = 0; i < GI_NPROV; i++)
		if (strcmp(prov, gi_providers[i]) == 0) {
			*first = at[i];
			*n = at[i + 1] - at[i];
			return *n != 0;
		}
	return false;
}

/* ---- building ---- */

uint32_t
gi_build_args(struct gi_build *b, const struct dv_argset *a)
{
	uint64_t h = dv_hash_bytes(a, sizeof(*a));
	uintptr_t at = (uintptr_t)dv_map_get(b->argmap, h);

	if (at != 0 && memcmp(&b->argsets.v[at - 1], a, sizeof(*a)) == 0)
		return (uint32_t)(at - 1);
	if (dv_vec_push(&b->argsets, *a) != 0 ||
	    dv_map_set(b->argmap, h, (void *)(uintptr_t)b->argsets.n) != 0) {
		b->failed = true;
		return DV_NONE;
	}
	return (uint32_t)(b->argsets.n - 1);
}

uint32_t
gi_build_expr(struct gi_build *b, const char *fmt, ...)
{
	uint64_t at = 0;
	va_list ap;
	char buf[1024];
	char *copy;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(buf)) {
		b->failed = true;
		return GI_NOEXPR;
	}
	if (dv_smap_get(b->exprmap, buf, &at))
		return (uint32_t)at;
	if ((copy = strdup(buf)) == NULL || dv_vec_push(&b->exprs, copy) != 0) {
		free(copy);
		b->failed = true;
		return GI_NOEXPR;
	}
	if (dv_smap_set(b->exprmap, buf, b->exprs.n - 1) != 0)
		b->failed = true;
	return (uint32_t)(b->exprs.n - 1);
}

uint32_t
gi_build_select(struct gi_build *b, uint32_t n)
{
	uint32_t at = (uint32_t)b->select.n, i;

	if (dv_vec_reserve(&b->select, n) != 0) {
		b->failed = true;
		return DV_NONE;
	}
	for (i = 0; i < n; i++)
		b->select.v[b->select.n++] = DV_NONE;
	return at;
}

void
gi_build_rule(struct gi_build *b, uint64_t at, uint32_t prio, const struct gi_rule *r)
{
	struct gi_brule br = { .at = at, .prio = prio, .seq = (uint32_t)b->rules.n, .r = *r };

	if (dv_vec_push(&b->rules, br) != 0)
		b->failed = true;
}

void
gi_build_stmt(struct gi_build *b, uint64_t at, uint32_t prio, const struct dv_argset *raw,
    const char *text)
{
	struct gi_rule r = { .kind = DV_RULE_STMT, .probe = DV_NONE, .args = DV_NONE };

	r.raw = raw != NULL ? gi_build_args(b, raw) : DV_NONE;
	r.guard = gi_build_expr(b, "%s", text);
	gi_build_rule(b, at, prio, &r);
}

void
gi_build_start(struct gi_build *b, const struct dv_argset *raw, const char *text)
{
	struct gi_start st;

	st.raw = gi_build_args(b, raw);
	st.expr = gi_build_expr(b, "%s", text);
	if (dv_vec_push(&b->starts, st) != 0)
		b->failed = true;
}

void
gi_build_leave(struct gi_build *b, uint32_t want, const char *fmt, ...)
{
	struct gi_left l = { .want = want };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(l.reason, sizeof(l.reason), fmt, ap);
	va_end(ap);
	if (dv_vec_push(&b->left, l) != 0)
		b->failed = true;
}

static int
cmp_rule(const void *x, const void *y)
{
	const struct gi_brule *a = x, *b = y;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	if (a->prio != b->prio)
		return a->prio < b->prio ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/* The group of a site: its module's place in the list + 1. */
static uint32_t
group_of(const struct gi_kernel *k, uint64_t at)
{
	const struct gi_mod *m = at >= k->base && at < k->end ? NULL : gi_mod_at(k, at);

	return m == NULL ? 0 : (uint32_t)(m - k->mods->v) + 1;
}

/* "Still the same module", as an expression. */
static uint32_t
marks_expr(struct gi_build *b, const struct gi_mod *m)
{
	char text[900];
	size_t n = 0;
	unsigned i;

	for (i = 0; i < m->nmarks; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s*(uint%u_t *)0x%" PRIx64
		    "ull == 0x%" PRIx64 "ull", i == 0 ? "" : " && ", 8u * m->mark[i].size,
		    m->mark[i].at, m->mark[i].value);
	return gi_build_expr(b, "%s", text);
}

static int
watch_modules(struct gi_build *b, struct dv_err *err)
{
	struct gi_kernel *k = b->k;
	struct dv_argset raw = { 0 };
	uint64_t at = 0;
	bool used[DV_MAXGROUP] = { false };
	size_t i, n = b->rules.n;

	raw.arg[0] = gi_loc_reg(DV_REG_RDI);
	for (i = 0; i < n; i++) {
		uint32_t g = group_of(k, b->rules.v[i].at);
		struct gi_rule r = { .kind = DV_RULE_GONE, .args = DV_NONE, .probe = g };

		if (g == 0 || used[g])
			continue;
		used[g] = true;
		if (at == 0 && (at = gi_fn_entry(k, gi_addr(k, "free_module"))) == 0)
			return dv_err_set(err, DV_E_GUEST, "cannot read free_module of the guest's "
			    "kernel, whose calls tell that a module goes");
		r.raw = gi_build_args(b, &raw);
		r.guard = gi_build_expr(b, "arg0 == 0x%" PRIx64 "ull", k->mods->v[g - 1].addr);
		r.sel = (struct dv_loc){ .kind = DV_LOC_DIFO,
		    .value = marks_expr(b, &k->mods->v[g - 1]) };
		gi_build_rule(b, at, GI_PRIO_LAST, &r);
	}
	return 0;
}

/* The bytes at a site; fewer at the end of readable text. */
static void
site_bytes(struct gi_kernel *k, struct dv_site *s)
{
	const uint8_t *p;
	uint32_t n;

	for (n = 16; n > 0; n--) {
		if ((p = gi_text(k, s->addr, n)) != NULL) {
			memcpy(s->bytes, p, n);
			s->nbytes = n;
			return;
		}
		if (n == 16 && gi_text(k, s->addr, 1) == NULL)
			return;
	}
}

void
gi_sites_as_traps(struct gi_kernel *k)
{
	k->traps = true;
}

/*
 * Takes out the rules of sites that get no trap. Their probes are left out, but what
 * nobody asked for by itself, others need.
 */
static int
drop_patched(struct gi_build *b, struct dv_err *err)
{
	size_t i, n = 0;

	for (i = 0; b->k->traps && i < b->rules.n; i++) {
		const struct gi_brule *r = &b->rules.v[i];
		const char *why = gi_patched(b->k, r->at);
		struct gi_sym y = { 0 };

		if (why == NULL) {
			b->rules.v[n++] = *r;
			continue;
		}
		if (r->r.probe == DV_NONE || r->r.nselect != 0 || r->r.kind == DV_RULE_GONE) {
			gi_sym_at(b->k, r->at, &y);
			return dv_err_set(err, DV_E_UNSUP, "cannot place what these probes need at "
			    "%s+0x%" PRIx64 ": %s", y.name != NULL ? y.name : "0",
			    r->at - y.addr, why);
		}
		gi_build_leave(b, r->r.probe, "%s", why);
	}
	if (b->k->traps)
		b->rules.n = n;
	return b->failed ? dv_err_nomem(err) : 0;
}

static int
finish(struct gi_build *b, struct gi_sites *s, struct dv_err *err)
{
	size_t i, nsites = 0;

	if (b->failed)
		return dv_err_nomem(err);
	if (b->rules.n > 1)
		qsort(b->rules.v, b->rules.n, sizeof(*b->rules.v), cmp_rule);
	for (i = 0; i < b->rules.n; i++)
		nsites += i == 0 || b->rules.v[i].at != b->rules.v[i - 1].at;
	s->rules = calloc(b->rules.n + 1, sizeof(*s->rules));
	s->sites = calloc(nsites + 1, sizeof(*s->sites));
	s->left_out = calloc(b->left.n + 1, sizeof(*s->left_out));
	if (s->rules == NULL || s->sites == NULL || s->left_out == NULL)
		return dv_err_nomem(err);
	for (i = 0; i < b->rules.n; i++) {
		const struct gi_brule *r = &b->rules.v[i];
		struct dv_site *site;

		s->rules[s->nrules++] = r->r;
		if (i == 0 || r->at != b->rules.v[i - 1].at) {
			site = &s->sites[s->nsites++];
			site->addr = r->at;
			site->rule = (uint32_t)i;
			site->group = group_of(b->k, r->at);
			site_bytes(b->k, site);
		}
		s->sites[s->nsites - 1].nrule++;
	}
	for (i = 0; i < b->left.n; i++) {
		s->left_out[i].want = b->left.v[i].want;
		memcpy(s->left_out[i].reason, b->left.v[i].reason, sizeof(b->left.v[i].reason));
	}
	s->nleft_out = b->left.n;
	s->argsets = b->argsets.v;
	s->nargsets = b->argsets.n;
	s->select = b->select.v;
	s->nselect = b->select.n;
	s->starts = b->starts.v;
	s->nstarts = b->starts.n;
	s->starts_cut = b->starts_cut;
	s->exprs = (const char **)b->exprs.v;
	s->nexprs = b->exprs.n;
	memset(&b->argsets, 0, sizeof(b->argsets));
	memset(&b->select, 0, sizeof(b->select));
	memset(&b->exprs, 0, sizeof(b->exprs));
	memset(&b->starts, 0, sizeof(b->starts));
	return 0;
}

int
gi_sites_make(struct gi_kernel *k, const uint32_t *want, size_t nwant, struct dv_err *err,
    struct gi_sites **ret)
{
	struct gi_build b = { .k = k, .want = want, .nwant = nwant };
	bool switches = false, sobj = false;
	struct gi_sites *s = NULL;
	size_t i;
	int rc;

	if ((rc = gi_probes_open(k, err)) != 0)
		return rc;
	if (!k->live)
		return dv_err_set(err, DV_E_GUEST, "no live guest to place probes in");
	for (; nwant > 0 && want[nwant - 1] >= GI_WANT_SOBJ; nwant--) {
		switches |= want[nwant - 1] == GI_WANT_SWITCH;
		sobj |= want[nwant - 1] == GI_WANT_SOBJ;
	}
	b.nwant = nwant;
	for (i = 0; i < nwant; i++)
		if (want[i] >= gi_nprobes(k))
			return dv_err_set(err, DV_E_INVAL, "there is no probe %u", want[i]);
	b.argmap = dv_map_create();
	b.exprmap = dv_smap_create();
	s = calloc(1, sizeof(*s));
	if (b.argmap == NULL || b.exprmap == NULL || s == NULL) {
		rc = dv_err_nomem(err);
		goto out;
	}
	gi_text_reset(k);
	if ((rc = gi_syscall_sites(&b, err)) == 0 && (rc = gi_sched_sites(&b, err)) == 0 &&
	    (rc = gi_proc_sites(&b, err)) == 0 &&
	    (rc = gi_fbt_sites(&b, err)) == 0 && (rc = watch_modules(&b, err)) == 0 &&
	    (!switches || (rc = gi_switch_site(&b, err)) == 0) &&
	    (!sobj || (rc = gi_sobj_sites(&b, err)) == 0) &&
	    (rc = drop_patched(&b, err)) == 0)
		rc = finish(&b, s, err);
	gi_text_reset(k);
out:
	dv_map_destroy(b.argmap);
	dv_smap_destroy(b.exprmap);
	dv_vec_fini(&b.rules);
	dv_vec_fini(&b.left);
	dv_vec_fini(&b.starts);
	dv_vec_fini(&b.argsets);
	dv_vec_fini(&b.select);
	for (i = 0; i < b.exprs.n; i++)
		free(b.exprs.v[i]);
	dv_vec_fini(&b.exprs);
	if (rc != 0) {
		gi_sites_free(s);
		return rc;
	}
	*ret = s;
	return 0;
}

void
gi_sites_free(struct gi_sites *s)
{
	size_t i;

	if (s == NULL)
		return;
	for (i = 0; i < s->nexprs; i++)
		free((char *)s->exprs[i]);
	free(s->exprs);
	free(s->sites);
	free(s->rules);
	free(s->argsets);
	free(s->select);
	free(s->left_out);
	free(s->starts);
	free(s);
}
