/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cn.c - a consumer: opened for one program, fed, finished, closed.
 *
 * Everything that depends on the program alone is worked out in cn_open(), so
 * that what a buffer holds needs only to be looked up:
 *
 *	buf.c       text on its way out; escaping
 *	value.c     fields as trace() shows them       stack.c   addresses
 *	format.c conv.c  printf(), printa()            rec.c     records
 *	aggr.c order.c   merging, order   aggprint.c quantize.c  their rows
 *	drops.c     what was lost, and faults          option.c  options
 *	merge.c     records in order of time           typed.c   print()
 *
 * The program was checked by whoever gave us its view; what the consumer
 * relies on for its own memory it checks again, as that is cheap.
 */
#include "cn_impl.h"
#include "base/hash.h"

#include <stdlib.h>

const char *
cn_str(const struct dv_prog *p, uint32_t off)
{
	if (off >= p->nstrs ||
	    memchr(p->strs + off, '\0', p->nstrs - off) == NULL)
		return "";
	return p->strs + off;
}

unsigned
cn_cpu_id(const struct cn *c, unsigned cpu)
{
	if (cpu + 1 >= c->cfg.ncpu)
		return 0;		/* the host context */
	return c->cfg.cpu_ids != NULL ? c->cfg.cpu_ids[cpu] : cpu;
}

static int
init_aggs(struct cn *c, struct dv_err *err)
{
	uint32_t i, keys = 8, words = 1;
	int rc;

	if ((c->aggs = calloc((size_t)c->p->naggs + 1, sizeof(*c->aggs))) == NULL)
		return dv_err_nomem(err);
	for (i = 0; i < c->p->naggs; i++) {
		if ((rc = cn_agg_init(c, i, err)) != 0)
			return rc;
		if (c->aggs[i].keylen > keys)
			keys = c->aggs[i].keylen;
		if (c->aggs[i].desc->nwords > words)
			words = c->aggs[i].desc->nwords;
	}
	if ((c->mods = dv_smap_create()) == NULL)
		return dv_err_nomem(err);
	c->keys = calloc(1, keys);
	c->words = calloc(words, sizeof(*c->words));
	return c->keys == NULL || c->words == NULL ? dv_err_nomem(err) : 0;
}

static void
init_options(struct cn *c)
{
	unsigned i;

	for (i = 0; i < DV_NOPT; i++)
		c->opts[i] = c->p->opts != NULL && c->p->opts[i] != DV_OPT_UNSET ?
		    c->p->opts[i] : dv_opt_default(i);
	cn_options_changed(c);
}

int
cn_open(const struct cn_config *cfg, struct dv_err *err, struct cn **ret)
{
	struct cn *c = calloc(1, sizeof(*c));
	int rc;

	if (c == NULL)
		return dv_err_nomem(err);
	c->cfg = *cfg;
	c->p = cfg->prog;
	cn_buf_init(&c->out, c);
	cn_buf_init(&c->tmp, NULL);
	if (cfg->ncpu == 0) {
		rc = dv_err_set(err, DV_E_INVAL, "a consumer without CPUs");
		goto fail;
	}
	c->pending = ~(uint64_t)0;
	if ((c->cpus = calloc(cfg->ncpu, sizeof(*c->cpus))) == NULL) {
		rc = dv_err_nomem(err);
		goto fail;
	}
	init_options(c);
	if ((rc = init_aggs(c, err)) != 0 || (rc = cn_rec_init(c, err)) != 0)
		goto fail;
	*ret = c;
	return 0;
fail:
	cn_close(c);
	return rc;
}

void
cn_close(struct cn *c)
{
	uint32_t i;

	if (c == NULL)
		return;
	cn_rec_fini(c);
	for (i = 0; c->aggs != NULL && i < c->p->naggs; i++)
		cn_agg_fini(&c->aggs[i]);
	cn_merge_fini(c);
	dv_smap_destroy(c->mods);
	free(c->aggs);
	free(c->cpus);
	free(c->keys);
	free(c->words);
	cn_buf_fini(&c->out);
	cn_buf_fini(&c->tmp);
	free(c);
}

void
cn_header(struct cn *c)
{
	if (c->quiet)
		return;
	if (c->flow)
		cn_printf(&c->out, "%3s %-41s\n", "CPU", "FUNCTION");
	else
		cn_printf(&c->out, "%3s %6s %32s\n", "CPU", "ID", "FUNCTION:NAME");
	cn_buf_flush(&c->out);
}

void
cn_finish(struct cn *c)
{
	uint32_t i;

	cn_flush(c, ~(uint64_t)0);
	cn_putc(&c->out, '\n');
	for (i = 0; i < c->p->naggs; i++) {
		struct cn_agg *agg = &c->aggs[i];

		if (!agg->printed)
			cn_agg_print(c, &c->out, &agg, 1, NULL);
	}
	cn_buf_flush(&c->out);
}

bool
cn_exiting(const struct cn *c, int *status)
{
	if (c->exiting && status != NULL)
		*status = c->status;
	return c->exiting;
}

void
cn_set_failed(struct cn *c)
{
	c->failed = true;
}
