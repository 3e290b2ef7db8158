/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progb.c - sections in memory, then one flat blob.
 *
 * The blob is the header, then each section at the next multiple of 8, in the
 * order of enum dv_sec. Gaps are zero, so equal programs are equal bytes.
 */
#include "progb.h"

#include <stdlib.h>
#include <string.h>

int
dv_progb_init(struct dv_progb *b)
{
	unsigned i;

	memset(b, 0, sizeof(*b));
	dv_str_init(&b->strs);
	dv_str_init(&b->difstrs);
	for (i = 0; i < DV_NOPT; i++)
		b->opts[i] = dv_opt_default(i);
	if ((b->strmap = dv_smap_create()) == NULL)
		return DV_E_NOMEM;
	dv_progb_str(b, "");
	return b->failed ? DV_E_NOMEM : 0;
}

void
dv_progb_fini(struct dv_progb *b)
{
	dv_str_fini(&b->strs);
	dv_str_fini(&b->difstrs);
	dv_smap_destroy(b->strmap);
	dv_vec_fini(&b->text);
	dv_vec_fini(&b->ints);
	dv_vec_fini(&b->vars);
	dv_vec_fini(&b->difos);
	dv_vec_fini(&b->aggs);
	dv_vec_fini(&b->acts);
	dv_vec_fini(&b->clauses);
	dv_vec_fini(&b->probes);
	dv_vec_fini(&b->ecbs);
	dv_vec_fini(&b->argsets);
	dv_vec_fini(&b->rules);
	dv_vec_fini(&b->select);
	dv_vec_fini(&b->sites);
	dv_vec_fini(&b->timers);
	dv_vec_fini(&b->starts);
	memset(b, 0, sizeof(*b));
}

uint32_t
dv_progb_str(struct dv_progb *b, const char *s)
{
	uint64_t off;

	if (dv_smap_get(b->strmap, s, &off))
		return (uint32_t)off;
	off = b->strs.len;
	dv_str_addn(&b->strs, s, strlen(s) + 1);
	if (b->strs.failed || off > UINT32_MAX ||
	    dv_smap_set(b->strmap, s, off) != 0) {
		b->failed = true;
		return 0;
	}
	return (uint32_t)off;
}

const char *
dv_progb_strat(const struct dv_progb *b, uint32_t off)
{
	return off < b->strs.len ? b->strs.s + off : "";
}

int
dv_progb_finish(struct dv_progb *b, struct dv_err *err, void **blob, size_t *len)
{
	const struct { const void *p; size_t n, size; } sec[DV_NSEC] = {
		[DV_SEC_STRS] = { b->strs.s, b->strs.len, 1 },
		[DV_SEC_TEXT] = { b->text.v, b->text.n, sizeof(*b->text.v) },
		[DV_SEC_INTS] = { b->ints.v, b->ints.n, sizeof(*b->ints.v) },
		[DV_SEC_DIFSTRS] = { b->difstrs.s, b->difstrs.len, 1 },
		[DV_SEC_VARS] = { b->vars.v, b->vars.n, sizeof(*b->vars.v) },
		[DV_SEC_DIFOS] = { b->difos.v, b->difos.n, sizeof(*b->difos.v) },
		[DV_SEC_AGGS] = { b->aggs.v, b->aggs.n, sizeof(*b->aggs.v) },
		[DV_SEC_ACTS] = { b->acts.v, b->acts.n, sizeof(*b->acts.v) },
		[DV_SEC_CLAUSES] = { b->clauses.v, b->clauses.n, sizeof(*b->clauses.v) },
		[DV_SEC_PROBES] = { b->probes.v, b->probes.n, sizeof(*b->probes.v) },
		[DV_SEC_ECBS] = { b->ecbs.v, b->ecbs.n, sizeof(*b->ecbs.v) },
		[DV_SEC_ARGSETS] = { b->argsets.v, b->argsets.n, sizeof(*b->argsets.v) },
		[DV_SEC_RULES] = { b->rules.v, b->rules.n, sizeof(*b->rules.v) },
		[DV_SEC_SELECT] = { b->select.v, b->select.n, sizeof(*b->select.v) },
		[DV_SEC_SITES] = { b->sites.v, b->sites.n, sizeof(*b->sites.v) },
		[DV_SEC_TIMERS] = { b->timers.v, b->timers.n, sizeof(*b->timers.v) },
		[DV_SEC_STARTS] = { b->starts.v, b->starts.n, sizeof(*b->starts.v) },
		[DV_SEC_LAYOUT] = { &b->layout, b->layout.present ? 1 : 0, sizeof(b->layout) },
		[DV_SEC_OPTS] = { b->opts, DV_NOPT, sizeof(b->opts[0]) },
		[DV_SEC_UNWIND] = { &b->unwind, b->unwind.kind != DV_UNWIND_NONE ? 1 : 0,
		    sizeof(b->unwind) },
	};
	struct dv_prog_hdr *h;
	size_t total = (sizeof(*h) + 7) & ~(size_t)7;
	char *p;
	int i;

	if (b->failed || b->strs.failed || b->difstrs.failed)
		return dv_err_nomem(err);
	for (i = 0; i < DV_NSEC; i++)
		total += (sec[i].n * sec[i].size + 7) & ~(size_t)7;
	if ((p = calloc(1, total)) == NULL)
		return dv_err_nomem(err);
	h = (struct dv_prog_hdr *)p;
	h->magic = DV_PROG_MAGIC;
	h->version = DV_PROG_VERSION;
	h->len = total;
	h->vm = b->vm;
	h->vmname = b->vmname;
	h->target = b->target;
	h->host_pid = b->host_pid;
	h->host_ppid = b->host_ppid;
	h->host_uid = b->host_uid;
	h->host_gid = b->host_gid;
	h->host_execname = b->host_execname;
	total = (sizeof(*h) + 7) & ~(size_t)7;
	for (i = 0; i < DV_NSEC; i++) {
		h->sec[i].off = total;
		h->sec[i].n = sec[i].n;
		if (sec[i].n != 0)
			memcpy(p + total, sec[i].p, sec[i].n * sec[i].size);
		total += (sec[i].n * sec[i].size + 7) & ~(size_t)7;
	}
	*blob = p;
	*len = total;
	return 0;
}
