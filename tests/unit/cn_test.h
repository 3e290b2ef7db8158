/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cn_test.h - a small program and hand-made buffers for tests of the consumer.
 *
 *	struct ct t;
 *
 *	ct_init(&t);
 *	ct_probe(&t, "fbt", "vmlinux", "vfs_read", "entry", 7, 0);
 *	ct_clause(&t, 0);		one ECB for it, EPID 1
 *	ct_act(&t, DV_ACT_TRACE, ct_int(4, true));
 *	ct_open(&t);
 *	ct_rec(&t, 1, 100, &value, sizeof(value));
 *	ct_take(&t, 0);
 *	EXPECT_STREQ(ct_out(&t), "...");
 *	ct_fini(&t);
 *
 * Output and messages collect in t; ct_out() and ct_msg() yield and forget.
 */
#ifndef CN_TEST_H
#define CN_TEST_H
#include "test.h"
#include "cli/consume/cn.h"
#include "base/progb.h"

#include <stdlib.h>

struct ct {
	struct dv_progb b;
	struct dv_prog p;
	struct dv_prog_hdr hdr;
	struct cn_config cfg;
	struct cn *cn;
	struct dv_str out, msg, buf, last;
	struct dv_err err;
	uint32_t nclause;		/* offset of the next field of the clause */
	uint32_t pending;		/* arguments that the next actions are */
};

static void
ct_put(void *arg, const char *s, size_t n)
{
	struct ct *t = arg;

	dv_str_addn(&t->out, s, n);
}

static void
ct_line(void *arg, const char *line)
{
	struct ct *t = arg;

	dv_str_add(&t->msg, line);
	dv_str_addc(&t->msg, '\n');
}

__attribute__((unused)) static void
ct_init(struct ct *t)
{
	memset(t, 0, sizeof(*t));
	EXPECT_EQ(dv_progb_init(&t->b), 0);
	dv_str_init(&t->out);
	dv_str_init(&t->msg);
	dv_str_init(&t->buf);
	dv_str_init(&t->last);
	t->cfg.prog = &t->p;
	t->cfg.out = ct_put;
	t->cfg.msg = ct_line;
	t->cfg.arg = t;
	t->cfg.ncpu = 3;		/* two vCPUs and the host */
}

__attribute__((unused)) static void
ct_fini(struct ct *t)
{
	cn_close(t->cn);
	dv_progb_fini(&t->b);
	dv_str_fini(&t->out);
	dv_str_fini(&t->msg);
	dv_str_fini(&t->buf);
	dv_str_fini(&t->last);
}

__attribute__((unused)) static uint32_t
ct_probe(struct ct *t, const char *prov, const char *mod, const char *func,
	const char *name, uint32_t id, uint32_t flags)
{
	struct dv_probe p = { .id = id, .flags = flags };

	p.prov = dv_progb_str(&t->b, prov);
	p.mod = dv_progb_str(&t->b, mod);
	p.func = dv_progb_str(&t->b, func);
	p.name = dv_progb_str(&t->b, name);
	EXPECT_EQ(dv_vec_push(&t->b.probes, p), 0);
	return (uint32_t)t->b.probes.n - 1;
}

/* A clause and its ECB; later actions are its. Returns the EPID. */
__attribute__((unused)) static uint32_t
ct_clause(struct ct *t, uint32_t probe)
{
	struct dv_clause c = { .pred = DV_NONE, .act = (uint32_t)t->b.acts.n };
	struct dv_ecbdesc e = { probe, (uint32_t)t->b.clauses.n };

	EXPECT_EQ(dv_vec_push(&t->b.clauses, c), 0);
	EXPECT_EQ(dv_vec_push(&t->b.ecbs, e), 0);
	t->nclause = 0;
	return (uint32_t)t->b.ecbs.n;
}

__attribute__((unused)) static struct dv_dtype
ct_type(enum dv_tkind kind, uint32_t size)
{
	return (struct dv_dtype){ .kind = (uint8_t)kind, .size = size };
}

__attribute__((unused)) static struct dv_dtype
ct_int(uint32_t size, bool sgn)
{
	struct dv_dtype t = ct_type(DV_T_INT, size);

	t.flags = sgn ? DV_TF_SIGNED : 0;
	return t;
}

#define CT_NOREC	ct_type(DV_T_NONE, 0)

/* Fields lie one after the other, aligned to their size. Returns the index. */
__attribute__((unused)) static uint32_t
ct_act(struct ct *t, enum dv_action kind, struct dv_dtype rec)
{
	struct dv_act a = { .kind = (uint16_t)kind, .difo = DV_NONE, .rec = rec };
	struct dv_clause *c = &t->b.clauses.v[t->b.clauses.n - 1];
	uint32_t align = rec.kind == DV_T_STRING || rec.kind == DV_T_BYTES ? 1 :
	    rec.kind == DV_T_INT && rec.size < 8 ? rec.size : 8;

	if (rec.kind != DV_T_NONE) {
		a.rec_off = (t->nclause + align - 1) / align * align;
		t->nclause = a.rec_off + rec.size;
		c->record_size = t->nclause;
	}
	EXPECT_EQ(dv_vec_push(&t->b.acts, a), 0);
	c->nact++;
	return (uint32_t)t->b.acts.n - 1;
}

/* A head with nargs arguments, which are the next ct_act()s. */
__attribute__((unused)) static uint32_t
ct_head(struct ct *t, enum dv_action kind, uint64_t arg, uint16_t nargs)
{
	uint32_t i = ct_act(t, kind, CT_NOREC);

	t->b.acts.v[i].arg = arg;
	t->b.acts.v[i].nargs = nargs;
	return i;
}

/* An action with an argument: normalize() and its like, an aggregation of printa(). */
__attribute__((unused)) static void
ct_arg(struct ct *t, enum dv_action kind, struct dv_dtype rec, uint64_t arg)
{
	uint32_t i = ct_act(t, kind, rec);

	t->b.acts.v[i].arg = arg;
}

__attribute__((unused)) static void
ct_printf(struct ct *t, const char *fmt, uint16_t nargs)
{
	ct_head(t, DV_ACT_PRINTF, dv_progb_str(&t->b, fmt), nargs);
}

/*
 * An aggregation, used by a clause of its own that has no ECB; its keys are
 * `nkeys` types, each at a multiple of 8.
 */
__attribute__((unused)) static uint32_t
ct_agg(struct ct *t, const char *name, enum dv_aggfunc func, uint64_t param,
	uint32_t nwords, uint32_t nkeys, const struct dv_dtype *keys)
{
	struct dv_aggdesc d = { .func = func, .param = param, .nwords = nwords,
	    .nkeys = nkeys, .keyact = (uint32_t)t->b.acts.n + 1 };
	struct dv_clause c = { .pred = DV_NONE, .act = (uint32_t)t->b.acts.n,
	    .nact = nkeys + 1, .flags = DV_CL_NOREC };
	struct dv_act head = { .kind = DV_ACT_AGG, .nargs = (uint16_t)nkeys,
	    .difo = DV_NONE, .arg = t->b.aggs.n };
	uint32_t i;

	EXPECT_EQ(dv_vec_push(&t->b.acts, head), 0);
	for (i = 0; i < nkeys; i++) {
		struct dv_act a = { .kind = DV_ACT_TRACE, .difo = DV_NONE,
		    .rec = keys[i], .rec_off = d.keysize };

		EXPECT_EQ(dv_vec_push(&t->b.acts, a), 0);
		d.keysize += (keys[i].size + 7) & ~7u;
	}
	d.name = dv_progb_str(&t->b, name);
	EXPECT_EQ(dv_vec_push(&t->b.clauses, c), 0);
	EXPECT_EQ(dv_vec_push(&t->b.aggs, d), 0);
	return (uint32_t)t->b.aggs.n - 1;
}

/* DV_E_* as cn_open() says. */
__attribute__((unused)) static int
ct_try_open(struct ct *t)
{
	struct dv_prog *p = &t->p;

	p->hdr = &t->hdr;
	t->hdr.vmname = t->b.vmname;
	p->strs = t->b.strs.s;
	p->nstrs = (uint32_t)t->b.strs.len;
	p->text = t->b.text.v;
	p->ntext = (uint32_t)t->b.text.n;
	p->difos = t->b.difos.v;
	p->ndifos = (uint32_t)t->b.difos.n;
	p->aggs = t->b.aggs.v;
	p->naggs = (uint32_t)t->b.aggs.n;
	p->acts = t->b.acts.v;
	p->nacts = (uint32_t)t->b.acts.n;
	p->clauses = t->b.clauses.v;
	p->nclauses = (uint32_t)t->b.clauses.n;
	p->probes = t->b.probes.v;
	p->nprobes = (uint32_t)t->b.probes.n;
	p->ecbs = t->b.ecbs.v;
	p->necbs = (uint32_t)t->b.ecbs.n;
	p->opts = t->b.opts;
	return cn_open(&t->cfg, &t->err, &t->cn);
}

__attribute__((unused)) static void
ct_open(struct ct *t)
{
	int rc = ct_try_open(t);

	if (rc != 0)
		FAIL("cn_open: %s", t->err.text);
}

/* Appends a record (of the clause's size) to the buffer at hand. */
__attribute__((unused)) static void
ct_rec(struct ct *t, uint32_t epid, uint64_t ts, const void *data, size_t n)
{
	struct dv_rec r = { .epid = epid, .timestamp = ts };
	uint32_t size = (t->b.clauses.v[t->b.ecbs.v[epid - 1].clause].record_size + 7) & ~7u;

	dv_str_addn(&t->buf, (const char *)&r, sizeof(r));
	if (n > 0)
		dv_str_addn(&t->buf, data, n);
	for (; n < size; n++)
		dv_str_addc(&t->buf, '\0');
}

/* An entry: keys (keysize bytes) and words of an aggregation. */
__attribute__((unused)) static void
ct_entry(struct ct *t, uint32_t agg, const void *keys, const uint64_t *words)
{
	const struct dv_aggdesc *d = &t->b.aggs.v[agg];
	struct dv_agg_entry e = { .aggid = agg };

	e.size = (uint32_t)sizeof(e) + d->keysize + d->nwords * 8;
	dv_str_addn(&t->buf, (const char *)&e, sizeof(e));
	if (d->keysize > 0)
		dv_str_addn(&t->buf, keys, d->keysize);
	dv_str_addn(&t->buf, (const char *)words, d->nwords * 8);
}

__attribute__((unused)) static int
ct_try_take(struct ct *t, unsigned cpu, bool aggs)
{
	struct dv_snap s = { .len = t->buf.len };
	int rc;

	rc = aggs ? cn_take_aggs(t->cn, cpu, t->buf.s, &s, &t->err) :
	    cn_take_records(t->cn, cpu, t->buf.s, &s, &t->err);
	dv_str_reset(&t->buf);
	return rc;
}

__attribute__((unused)) static void
ct_take(struct ct *t, unsigned cpu)
{
	EXPECT_EQ(ct_try_take(t, cpu, false), 0);
}

__attribute__((unused)) static void
ct_aggs(struct ct *t, unsigned cpu)
{
	EXPECT_EQ(ct_try_take(t, cpu, true), 0);
}

static const char *
ct_yield(struct ct *t, struct dv_str *from)
{
	dv_str_reset(&t->last);
	dv_str_add(&t->last, from->s);
	dv_str_reset(from);
	return t->last.s;
}

__attribute__((unused)) static const char *
ct_out(struct ct *t)
{
	return ct_yield(t, &t->out);
}

__attribute__((unused)) static const char *
ct_msg(struct ct *t)
{
	return ct_yield(t, &t->msg);
}

#endif
