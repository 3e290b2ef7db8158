/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cn_take.c - fuzzes the consumer: buffers of a carrier, and formats.
 *
 * The first byte says what the rest is: records, records to be merged, entries
 * of aggregations, or for one record a format, or the text of a type. The
 * program has an action of each kind that shows something.
 */
#include "cli/consume/cn.h"
#include "base/progb.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct dv_act *
add_act(struct dv_progb *b, uint16_t kind, uint8_t type, uint32_t size)
{
	struct dv_clause *c = &b->clauses.v[b->clauses.n - 1];
	struct dv_act a = { .kind = kind, .difo = DV_NONE };

	if (type != DV_T_NONE) {
		a.rec.kind = type;
		a.rec.flags = DV_TF_SIGNED;
		a.rec.size = size;
		a.rec_off = c->record_size;
		c->record_size += (size + 7) & ~7u;
	}
	if (dv_vec_push(&b->acts, a) != 0)
		abort();
	c->nact++;
	return &b->acts.v[b->acts.n - 1];
}

static void
add_clause(struct dv_progb *b, uint32_t probe)
{
	struct dv_clause c = { .pred = DV_NONE, .act = (uint32_t)b->acts.n };
	struct dv_ecbdesc e = { probe, (uint32_t)b->clauses.n };

	if (dv_vec_push(&b->clauses, c) != 0 || dv_vec_push(&b->ecbs, e) != 0)
		abort();
}

static void
add_probe(struct dv_progb *b, const char *name, uint32_t flags)
{
	struct dv_probe p = { .id = 7, .flags = flags };

	p.func = dv_progb_str(b, "vfs_read");
	p.name = dv_progb_str(b, name);
	if (dv_vec_push(&b->probes, p) != 0)
		abort();
}

static void
add_agg(struct dv_progb *b, uint32_t func, uint64_t param, uint32_t nwords, uint32_t keyact)
{
	struct dv_aggdesc d = { .func = func, .param = param, .nwords = nwords,
	    .nkeys = 2, .keyact = keyact, .keysize = 24 };

	if (dv_vec_push(&b->aggs, d) != 0)
		abort();
}

static void
add_aggs(struct dv_progb *b)
{
	struct dv_clause c = { .pred = DV_NONE, .act = (uint32_t)b->acts.n };
	uint32_t at = c.act;

	if (dv_vec_push(&b->clauses, c) != 0)
		abort();
	add_act(b, DV_ACT_TRACE, DV_T_INT, 4);
	add_act(b, DV_ACT_TRACE, DV_T_STRING, 16);
	add_agg(b, DV_AGG_COUNT, 0, 1, at);
	add_agg(b, DV_AGG_MIN, 0, 1, at);
	add_agg(b, DV_AGG_AVG, 0, 2, at);
	add_agg(b, DV_AGG_STDDEV, 0, 4, at);
	add_agg(b, DV_AGG_LQUANTIZE, DV_LQUANT_PARAM(-5, 3, 7), 9, at);
	add_agg(b, DV_AGG_LLQUANTIZE, DV_LLQUANT_PARAM(10, 0, 1, 20), 38, at);
}

#define PRINT_EPID	10
#define FORMAT_EPID	12

static void
build(struct dv_progb *b, const char *fmt, const char *type)
{
	static const char *const formats[] = { "%*.*d %s %c\n", "%Y %a %k|%f" };
	static const char shape[] = "{32 struct s;0 3 bits;u4 u32;3 40 more;i8 long;64 0 name;t8 c[8];"
	    "128 0 v;a8 short[4];4 i2 short;192 0 ;{8 union;0 0 p;p8 void *;0 0 e;e4 enum e;A;1 B;-2 ."
	    "0 0 f;f8 double;0 0 b;b1 bool;}}";
	struct dv_act *a;
	uint32_t i;

	add_probe(b, "entry", DV_PF_ENTRY);
	add_probe(b, "return", DV_PF_RETURN);
	add_aggs(b);
	for (i = 1; i <= 10; i++) {
		add_clause(b, i & 1);
		add_act(b, i == 9 ? DV_ACT_TRACEMEM : i == 10 ? DV_ACT_PRINT :
		    DV_ACT_TRACE, (uint8_t)i, i == 1 ? 2 : 32);
		if (i == 9) {
			b->acts.v[b->acts.n - 1].nargs = 1;
			add_act(b, DV_ACT_TRACE, DV_T_INT, 8);
		}
	}
	b->acts.v[b->acts.n - 1].arg = dv_progb_str(b, type != NULL ? type : shape);
	b->clauses.v[b->clauses.n - 1].flags = DV_CL_COMMITS;
	add_clause(b, 0);
	add_act(b, DV_ACT_PRINTF, 0, 0)->nargs = 5;
	b->acts.v[b->acts.n - 1].arg = dv_progb_str(b, formats[0]);
	for (i = 0; i < 3; i++)
		add_act(b, DV_ACT_TRACE, DV_T_INT, 4);
	add_act(b, DV_ACT_TRACE, DV_T_STRING, 16);
	add_act(b, DV_ACT_TRACE, DV_T_INT, 1);
	add_clause(b, 1);
	add_act(b, DV_ACT_PRINTF, 0, 0)->nargs = 4;
	b->acts.v[b->acts.n - 1].arg = dv_progb_str(b, fmt != NULL ? fmt : formats[1]);
	add_act(b, DV_ACT_TRACE, DV_T_INT, 8);
	add_act(b, DV_ACT_SYM, DV_T_SYM, 8);
	add_act(b, DV_ACT_STACK, DV_T_STACK, 24);
	add_act(b, DV_ACT_TRACE, DV_T_BYTES, 8);
	add_clause(b, 0);
	for (i = 0; i < b->aggs.n; i++) {
		add_act(b, DV_ACT_NORMALIZE, DV_T_INT, 2)->arg = i;
		a = add_act(b, DV_ACT_PRINTA, 0, 0);
		a->arg = i & 1 ? dv_progb_str(b, "%d %s %@d\n") : DV_NONE;
		a->nargs = 1;
		add_act(b, DV_ACT_EXPR, 0, 0)->arg = i;
		add_act(b, DV_ACT_TRUNC, DV_T_INT, 1)->arg = i;
	}
	add_act(b, DV_ACT_SETOPT, 0, 0)->nargs = 2;
	add_act(b, DV_ACT_TRACE, DV_T_STRING, 16);
	add_act(b, DV_ACT_TRACE, DV_T_STRING, 8);
}

static void
view(const struct dv_progb *b, struct dv_prog *p)
{
	memset(p, 0, sizeof(*p));
	p->strs = b->strs.s;
	p->nstrs = (uint32_t)b->strs.len;
	p->aggs = b->aggs.v;
	p->naggs = (uint32_t)b->aggs.n;
	p->acts = b->acts.v;
	p->nacts = (uint32_t)b->acts.n;
	p->clauses = b->clauses.v;
	p->nclauses = (uint32_t)b->clauses.n;
	p->probes = b->probes.v;
	p->nprobes = (uint32_t)b->probes.n;
	p->ecbs = b->ecbs.v;
	p->necbs = (uint32_t)b->ecbs.n;
	p->opts = b->opts;
}

/* Whatever comes out is safe to show: no control characters but our own. */
static void
look(void *arg, const char *s, size_t n)
{
	size_t i;

	(void)arg;
	for (i = 0; i < n; i++)
		if ((unsigned char)s[i] < 0x20 && s[i] != '\n')
			abort();
}

static void
line(void *arg, const char *s)
{
	look(arg, s, strlen(s));
}

static void
ignore(void *arg, const char *s, size_t n)
{
	(void)arg;
	(void)s;
	(void)n;
}

static void
feed(struct cn *c, unsigned mode, const uint8_t *data, size_t size)
{
	struct dv_snap s = { .len = size };
	struct dv_err err;
	unsigned cpu = mode >> 4 & 1;
	uint64_t *copy = malloc(size + 1);	/* 8-aligned, and its end is watched */

	if (copy == NULL)
		return;
	memcpy(copy, data, size);
	s.wrapped = mode & 0x20 ? size / 2 & ~(size_t)7 : 0;
	if ((mode & 3) == 2)
		cn_take_aggs(c, cpu, copy, &s, &err);
	else
		cn_take_records(c, cpu, copy, &s, &err);
	free(copy);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cn_config cfg = { .out = look, .msg = line, .ncpu = 2 };
	unsigned mode = size > 0 ? data[0] : 0;
	struct dv_progb b;
	struct dv_prog p;
	char *text = NULL;
	bool type = (mode & 0x10) != 0;
	struct dv_err err;
	struct cn *c;

	if (size == 0 || dv_progb_init(&b) != 0)
		return 0;
	data++;
	size--;
	if ((mode & 3) == 3 && (text = strndup((const char *)data, size)) == NULL)
		abort();
	build(&b, type ? NULL : text, type ? text : NULL);
	b.opts[DV_OPT_TEMPORAL] = (mode & 3) == 1;
	b.opts[DV_OPT_FLOWINDENT] = mode >> 2 & 1;
	b.opts[DV_OPT_QUIET] = mode >> 3 & 1;
	b.opts[DV_OPT_AGGHIST] = b.opts[DV_OPT_AGGPACK] = mode >> 6 & 1;
	b.opts[DV_OPT_AGGSORTKEY] = mode >> 7;
	view(&b, &p);
	cfg.prog = &p;
	if (text != NULL)
		cfg.out = ignore;	/* the program may say what it likes */
	if (cn_open(&cfg, &err, &c) == 0) {
		if (text != NULL) {
			uint8_t rec[16 + 48] = { type ? PRINT_EPID : FORMAT_EPID };
			size_t len = type ? 16 + 32 : sizeof(rec);

			memcpy(rec + 16, data, size < 48 ? size : 48);
			feed(c, 0, rec, len);
		} else {
			feed(c, mode, data, size);
			cn_flush(c, 1000);
		}
		cn_finish(c);
		cn_close(c);
	} else if (text == NULL || type) {
		abort();
	}
	dv_progb_fini(&b);
	free(text);
	return 0;
}
