/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rec.c - records of principal buffers, one after the other, into text.
 *
 * A record says its EPID; all else about it was worked out when the program
 * was opened: its size, the text of its row's first columns, and for each
 * action the field, the format or the aggregations. A record is copied before
 * it is looked at, since the bytes are in memory that another process may
 * still write.
 *
 *	take -> one at a time -> show: row, then each action in turn
 *	     -> temporal: kept (merge.c) -> flush: the oldest first -> show
 *
 * With flowindent a row is indented by the depth of entries on its CPU. What
 * is an entry for one clause is only a line for the next clause of the same
 * firing, and of several clauses at a return the last one closes: that is why
 * showing a record needs the EPIDs before and after it.
 *
 * Requests (printa, exit, freopen, ...) are records too and are carried out
 * where they stand in the order.
 */
#include "cn_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define INDENT_STEP	2
#define INDENT_MAX	200

/* ---- what a program's records look like ---------------------------------- */

static void
free_act(struct cn_act *a)
{
	cn_fmt_destroy(a->fmt);
	free(a->aggs);
}

static int
init_aggs(struct cn *c, const struct dv_act *a, struct cn_act *ret, struct dv_err *err)
{
	uint32_t i, k;

	if (a->nargs == 0)
		return dv_err_set(err, DV_E_FORMAT, "printa() without an aggregation");
	if ((ret->aggs = calloc(a->nargs, sizeof(*ret->aggs))) == NULL)
		return dv_err_nomem(err);
	ret->naggs = a->nargs;
	for (i = 0; i < a->nargs; i++) {
		if (a[i + 1].arg >= c->p->naggs)
			return dv_err_set(err, DV_E_FORMAT,
			    "printa() of an aggregation that does not exist");
		ret->aggs[i] = &c->aggs[a[i + 1].arg];
		if (ret->aggs[i]->desc->nkeys != ret->aggs[0]->desc->nkeys ||
		    ret->aggs[i]->voff != ret->aggs[0]->voff)
			goto unlike;
		for (k = 0; k < ret->aggs[0]->desc->nkeys; k++) {
			const struct cn_field *x = &ret->aggs[0]->keys[k];
			const struct cn_field *y = &ret->aggs[i]->keys[k];

			if (x->off != y->off || x->size != y->size ||
			    x->kind != y->kind)
				goto unlike;
		}
	}
	return 0;
unlike:
	return dv_err_set(err, DV_E_FORMAT,
	    "printa() of aggregations whose keys are unlike");
}

static int
init_fmt(struct cn *c, const struct dv_act *a, uint32_t limit, struct cn_act *ret,
	struct dv_err *err)
{
	struct cn_field *fields = calloc((size_t)a->nargs + 1, sizeof(*fields));
	int rc = 0;
	uint32_t i;

	if (fields == NULL)
		return dv_err_nomem(err);
	for (i = 0; i < a->nargs && rc == 0; i++)
		if (!cn_field_init(c->p, &a[i + 1], limit, &fields[i]))
			rc = dv_err_set(err, DV_E_FORMAT,
			    "an argument does not lie in its record");
	if (rc == 0 && a->kind != DV_ACT_SETOPT) {
		rc = cn_fmt_create(cn_str(c->p, (uint32_t)a->arg), fields, a->nargs,
		    a->kind == DV_ACT_SYSTEM ? CN_FMT_COMMAND :
		    a->kind == DV_ACT_FREOPEN ? CN_FMT_FILE : CN_FMT_PRINT, err, &ret->fmt);
	}
	free(fields);
	return rc;
}

static int
init_act(struct cn *c, uint32_t at, uint32_t limit, struct dv_err *err)
{
	const struct dv_act *a = &c->p->acts[at];
	struct cn_act *ret = &c->acts[at];
	const struct cn_agg *agg;
	int rc;

	ret->has_field = cn_field_init(c->p, a, limit, &ret->field);
	if (!ret->has_field && a->rec.kind != DV_T_NONE)
		return dv_err_set(err, DV_E_FORMAT,
		    "action %u: its field does not lie in its record", at);
	switch (a->kind) {
	case DV_ACT_PRINTF:
	case DV_ACT_FREOPEN:
	case DV_ACT_SYSTEM:
	case DV_ACT_SETOPT:
		return init_fmt(c, a, limit, ret, err);
	case DV_ACT_TRACEMEM:
		ret->has_limit = a->nargs == 1;
		if (a->nargs > 1 || (ret->has_limit &&
		    !cn_field_init(c->p, a + 1, limit, &ret->limit)))
			return dv_err_set(err, DV_E_FORMAT,
			    "an argument does not lie in its record");
		return 0;
	case DV_ACT_PRINTA:
		if ((rc = init_aggs(c, a, ret, err)) != 0)
			return rc;
		agg = ret->aggs[0];
		return a->arg == DV_NONE ? 0 : cn_fmt_create(
		    cn_str(c->p, (uint32_t)a->arg), agg->keys, agg->desc->nkeys,
		    CN_FMT_PRINTA, err, &ret->fmt);
	case DV_ACT_NORMALIZE:
	case DV_ACT_DENORMALIZE:
	case DV_ACT_CLEAR:
	case DV_ACT_TRUNC:
		if ((uint32_t)a->arg >= c->p->naggs)
			return dv_err_set(err, DV_E_FORMAT,
			    "action %u: there is no such aggregation", at);
		return 0;
	default:
		return 0;
	}
}

static int
init_clause(struct cn *c, const struct dv_clause *cl, struct dv_err *err)
{
	const struct dv_prog *p = c->p;
	uint32_t i, end;
	int rc;

	if (cl->nact > p->nacts || cl->act > p->nacts - cl->nact)
		return dv_err_set(err, DV_E_FORMAT, "a clause has impossible actions");
	end = cl->act + cl->nact;
	c->commits |= (cl->flags & DV_CL_COMMITS) != 0;
	for (i = cl->act; i < end; i++) {
		const struct dv_act *a = &p->acts[i];

		if (a->nargs > end - i - 1)
			return dv_err_set(err, DV_E_FORMAT,
			    "action %u has impossible arguments", i);
		if (a->kind != DV_ACT_AGG && (rc = init_act(c, i, cl->record_size, err)) != 0)
			return rc;
		i += a->nargs;
	}
	return 0;
}

static int
init_ecb(struct cn *c, uint32_t i, struct dv_err *err)
{
	const struct dv_ecbdesc *d = &c->p->ecbs[i];
	struct cn_ecb *e = &c->ecbs[i];
	const char *func, *name, *prov;
	struct cn_buf b, full;

	if (d->probe >= c->p->nprobes || d->clause >= c->p->nclauses)
		return dv_err_set(err, DV_E_FORMAT, "EPID %u has no probe or clause", i + 1);
	e->probe = &c->p->probes[d->probe];
	e->clause = &c->p->clauses[d->clause];
	if (e->clause->record_size > 1u << 24)
		return dv_err_set(err, DV_E_FORMAT, "EPID %u has an impossible record", i + 1);
	e->size = (uint32_t)sizeof(struct dv_rec) + ((e->clause->record_size + 7) & ~7u);
	prov = cn_str(c->p, e->probe->prov);
	func = cn_str(c->p, e->probe->func);
	name = cn_str(c->p, e->probe->name);
	if ((e->probe->flags & DV_PF_ENTRY) || strcmp(name, "entry") == 0)
		e->flow = CN_FLOW_ENTRY;
	else if ((e->probe->flags & DV_PF_RETURN) || strcmp(name, "return") == 0)
		e->flow = CN_FLOW_RETURN;
	e->syscall = (e->probe->flags & DV_PF_SYSCALL) || strcmp(prov, "syscall") == 0;
	cn_buf_init(&b, NULL);
	cn_buf_init(&full, NULL);
	cn_printf(&full, "%s:%s", func, name);
	cn_printf(&b, " %6u ", e->probe->id);
	cn_put_padded(&b, full.s, full.len, CN_ESC_CONTROL, 32, false);
	cn_putc(&b, ' ');
	cn_buf_fini(&full);
	e->row = b.s;
	e->rowlen = (uint32_t)b.len;
	return b.failed ? dv_err_nomem(err) : 0;
}

int
cn_rec_init(struct cn *c, struct dv_err *err)
{
	uint32_t i, most = sizeof(struct dv_fault_rec);
	int rc;

	c->ecbs = calloc((size_t)c->p->necbs + 1, sizeof(*c->ecbs));
	c->acts = calloc((size_t)c->p->nacts + 1, sizeof(*c->acts));
	if (c->ecbs == NULL || c->acts == NULL)
		return dv_err_nomem(err);
	for (i = 0; i < c->p->nclauses; i++)
		if ((rc = init_clause(c, &c->p->clauses[i], err)) != 0)
			return rc;
	for (i = 0; i < c->p->necbs; i++) {
		if ((rc = init_ecb(c, i, err)) != 0)
			return rc;
		if (c->ecbs[i].size > most)
			most = c->ecbs[i].size;
	}
	if ((c->rec = calloc(1, most + 8)) == NULL)
		return dv_err_nomem(err);
	return 0;
}

void
cn_rec_fini(struct cn *c)
{
	uint32_t i;

	for (i = 0; c->ecbs != NULL && i < c->p->necbs; i++)
		free(c->ecbs[i].row);
	for (i = 0; c->acts != NULL && i < c->p->nacts; i++)
		free_act(&c->acts[i]);
	free(c->ecbs);
	free(c->acts);
	free(c->rec);
}

/* ---- requests ------------------------------------------------------------- */

static void
do_printa(struct cn *c, const struct cn_act *a)
{
	uint32_t i;

	if (a->fmt == NULL)
		cn_putc(&c->out, '\n');
	cn_agg_print(c, &c->out, a->aggs, a->naggs, a->fmt);
	for (i = 0; i < a->naggs; i++)
		a->aggs[i]->printed = true;
}

/* freopen() and system(): the text that their format makes. */
static void
do_command(struct cn *c, uint16_t kind, const struct cn_act *a, const uint8_t *base)
{
	const struct cn_requests *r = c->cfg.requests;
	struct cn_buf t;

	cn_buf_init(&t, NULL);
	cn_fmt_put(c, &t, a->fmt, base, NULL, 0, NULL);
	cn_putc(&t, '\0');
	cn_buf_flush(&c->out);
	if (t.failed)
		cn_msg(c, "%s() failed: out of memory",
		    kind == DV_ACT_SYSTEM ? "system" : "freopen");
	else if (r == NULL || (kind == DV_ACT_SYSTEM ? r->system : r->freopen) == NULL)
		cn_msg(c, "%s() is not possible here",
		    kind == DV_ACT_SYSTEM ? "system" : "freopen");
	else if (kind == DV_ACT_SYSTEM)
		r->system(r->arg, t.s);
	else
		r->freopen(r->arg, t.s);
	cn_buf_fini(&t);
}

/* A NUL-terminated copy of a string field; NULL: no memory. */
static char *
field_text(const struct dv_act *a, const uint8_t *base)
{
	return strndup((const char *)base + a->rec_off, a->rec.size);
}

static void
do_setopt(struct cn *c, const struct dv_act *a, const uint8_t *base)
{
	char *name, *value = NULL;
	struct dv_err err = { 0 };
	int rc = DV_E_NOMEM;

	if (a->nargs == 0)
		return;
	name = field_text(&a[1], base);
	if (a->nargs > 1)
		value = field_text(&a[2], base);
	if (name != NULL && (value != NULL || a->nargs == 1)) {
		rc = cn_setopt(c, name, value, &err);
	} else {
		dv_err_nomem(&err);
	}
	if (rc != 0)
		cn_msg(c, "couldn't set option \"%s\" to \"%s\": %s",
		    name != NULL ? name : "", value != NULL ? value : "", err.text);
	free(name);
	free(value);
}

static void
do_normalize(struct cn *c, struct cn_agg *agg, uint64_t factor)
{
	if ((int64_t)factor <= 0)
		cn_msg(c, "cannot normalize @%s by %" PRId64,
		    cn_str(c->p, agg->desc->name), (int64_t)factor);
	else
		agg->normal = (int64_t)factor;
}

static void
do_exit(struct cn *c, int status)
{
	c->exiting = true;
	c->status = status;
}

/* tracemem()'s third argument: 0, and what is more than there is, say all. */
static uint32_t
shown_bytes(const struct cn_act *a, const uint8_t *base)
{
	uint64_t n = a->has_limit ? cn_field_int(&a->limit, base) : 0;

	return n != 0 && n < a->field.size ? (uint32_t)n : a->field.size;
}

/* ---- showing -------------------------------------------------------------- */

static void
show_act(struct cn *c, uint32_t at, const uint8_t *base)
{
	const struct dv_act *a = &c->p->acts[at];
	const struct cn_requests *r = c->cfg.requests;
	const struct cn_act *act = &c->acts[at];
	const struct cn_field *f = &act->field;

	switch (a->kind) {
	case DV_ACT_PRINTF:
		cn_fmt_put(c, &c->out, act->fmt, base, NULL, 0, NULL);
		break;
	case DV_ACT_TRACE:
	case DV_ACT_STACK: case DV_ACT_USTACK:
	case DV_ACT_SYM: case DV_ACT_MOD:
	case DV_ACT_USYM: case DV_ACT_UMOD: case DV_ACT_UADDR:
		if (act->has_field)
			cn_trace(c, &c->out, f, base);
		break;
	case DV_ACT_TRACEMEM:
		if (act->has_field)
			cn_hexdump(&c->out, base + f->off, shown_bytes(act, base));
		break;
	case DV_ACT_PRINT:
		if (act->has_field)
			cn_print(&c->out, cn_str(c->p, (uint32_t)a->arg), f, base);
		break;
	case DV_ACT_PRINTA:
		do_printa(c, act);
		break;
	case DV_ACT_EXIT:
		do_exit(c, act->has_field ? (int)cn_field_int(f, base) : 0);
		break;
	case DV_ACT_NORMALIZE:
		do_normalize(c, &c->aggs[(uint32_t)a->arg],
		    act->has_field ? cn_field_int(f, base) : 0);
		break;
	case DV_ACT_DENORMALIZE:
		c->aggs[(uint32_t)a->arg].normal = 1;
		break;
	case DV_ACT_CLEAR:
		cn_agg_clear(&c->aggs[(uint32_t)a->arg]);
		break;
	case DV_ACT_TRUNC:
		cn_agg_trunc(c, &c->aggs[(uint32_t)a->arg],
		    act->has_field ? (int64_t)cn_field_int(f, base) : 0,
		    !act->has_field || a->arg >> 32 != 0);
		break;
	case DV_ACT_SETOPT:
		do_setopt(c, a, base);
		break;
	case DV_ACT_FREOPEN:
	case DV_ACT_SYSTEM:
		do_command(c, a->kind, act, base);
		break;
	case DV_ACT_FTRUNCATE:
		cn_buf_flush(&c->out);
		if (r != NULL && r->ftruncate != NULL)
			r->ftruncate(r->arg);
		break;
	default:
		break;			/* nothing to show */
	}
}

static bool
same_firing(const struct cn *c, uint32_t epid, uint32_t other)
{
	return other != 0 && other <= c->p->necbs && other != epid &&
	    c->ecbs[other - 1].probe == c->ecbs[epid - 1].probe;
}

static void
put_cpu(struct cn *c, unsigned cpu)
{
	unsigned id = cn_cpu_id(c, cpu);

	if (id < 10) {
		cn_put(&c->out, "  ", 2);
		cn_putc(&c->out, (char)('0' + id));
	} else {
		cn_printf(&c->out, "%3u", id);
	}
}

static void
put_flow_row(struct cn *c, unsigned cpu, uint32_t epid, uint32_t next)
{
	const struct cn_ecb *e = &c->ecbs[epid - 1];
	struct cn_cpu *p = &c->cpus[cpu];
	enum cn_flow flow = e->flow;
	const char *arrow = "| ", *name = cn_str(c->p, e->probe->name);
	const char *func = cn_str(c->p, e->probe->func);
	struct cn_buf t;

	if ((flow == CN_FLOW_ENTRY && same_firing(c, epid, p->last)) ||
	    (flow == CN_FLOW_RETURN && same_firing(c, epid, next)))
		flow = CN_FLOW_NONE;
	if (flow == CN_FLOW_ENTRY)
		arrow = e->syscall ? " => " : " -> ";
	else if (flow == CN_FLOW_RETURN)
		arrow = e->syscall ? " <= " : " <- ";
	if (flow == CN_FLOW_RETURN && p->indent >= INDENT_STEP)
		p->indent -= INDENT_STEP;
	cn_buf_init(&t, NULL);
	cn_fill(&t, ' ', p->indent);
	cn_puts(&t, arrow);
	cn_put_esc(&t, func, strlen(func), CN_ESC_CONTROL);
	if (flow == CN_FLOW_NONE) {
		cn_putc(&t, ':');
		cn_put_esc(&t, name, strlen(name), CN_ESC_CONTROL);
	}
	put_cpu(c, cpu);
	cn_putc(&c->out, ' ');
	if (!t.failed)
		cn_put_padded(&c->out, t.s, t.len, CN_ESC_RAW, 41, true);
	cn_putc(&c->out, ' ');
	cn_buf_fini(&t);
	if (flow == CN_FLOW_ENTRY && p->indent < INDENT_MAX)
		p->indent += INDENT_STEP;
}

/* A record, checked and copied; `next`: EPID of the next one of its CPU, or 0. */
void
cn_show(struct cn *c, unsigned cpu, const void *rec, uint32_t next)
{
	const struct dv_rec *r = rec;
	const uint8_t *base = (const uint8_t *)rec + sizeof(*r);
	const struct cn_ecb *e;
	bool quiet = c->quiet;
	uint32_t i, end;

	if (c->failed)
		return;
	if (r->epid == DV_EPID_FAULT) {
		cn_fault(c, rec);
		return;
	}
	e = &c->ecbs[r->epid - 1];
	if (!quiet && c->flow) {
		put_flow_row(c, cpu, r->epid, next);
	} else if (!quiet) {
		put_cpu(c, cpu);
		cn_put(&c->out, e->row, e->rowlen);
	}
	c->cpus[cpu].last = r->epid;
	end = e->clause->act + e->clause->nact;
	for (i = e->clause->act; i < end; i += 1u + c->p->acts[i].nargs)
		show_act(c, i, base);
	if (!quiet)
		cn_putc(&c->out, '\n');
}

/* ---- taking --------------------------------------------------------------- */

static uint32_t
epid_at(const uint8_t *p, uint64_t at, uint64_t end)
{
	uint32_t epid = 0;

	if (end - at >= sizeof(epid))
		memcpy(&epid, p + at, sizeof(epid));
	return epid;
}

/* Size of the record of an EPID, 0 if there is none such. */
uint32_t
cn_rec_size(const struct cn *c, uint32_t epid)
{
	if (epid == DV_EPID_FAULT)
		return sizeof(struct dv_fault_rec);
	return epid == 0 || epid > c->p->necbs ? 0 : c->ecbs[epid - 1].size;
}

static int
take(struct cn *c, unsigned cpu, const uint8_t *p, uint64_t at, uint64_t end,
	struct dv_err *err)
{
	uint32_t epid, size;

	while (at < end) {
		epid = epid_at(p, at, end);
		if (epid == 0 && end - at >= sizeof(epid)) {
			at += end - at < 8 ? end - at : 8;
			continue;
		}
		size = cn_rec_size(c, epid);
		if (size == 0 || size > end - at)
			return dv_err_set(err, DV_E_FORMAT, "buffer of CPU %u makes "
			    "no sense at byte %" PRIu64 " of %" PRIu64 ": EPID %u",
			    cn_cpu_id(c, cpu), at, end, epid);
		if (c->temporal) {
			if (cn_keep(c, cpu, p + at, epid, size) != 0)
				return dv_err_nomem(err);
		} else {
			memcpy(c->rec, p + at, size);
			memcpy(c->rec, &epid, sizeof(epid));
			cn_show(c, cpu, c->rec, epid_at(p, at + size, end));
		}
		at += size;
	}
	return 0;
}

int
cn_take_records(struct cn *c, unsigned cpu, const void *data, const struct dv_snap *s,
	struct dv_err *err)
{
	uint64_t len = s->len, wrapped = s->wrapped;
	int rc;

	if (cpu >= c->cfg.ncpu)
		return dv_err_set(err, DV_E_FORMAT, "there is no CPU %u", cpu);
	if (wrapped > len)
		return dv_err_set(err, DV_E_FORMAT,
		    "buffer of CPU %u makes no sense: it wraps beyond its end",
		    cn_cpu_id(c, cpu));
	if (s->pending < c->pending)
		c->pending = s->pending;
	rc = take(c, cpu, data, wrapped, len, err);
	if (rc == 0 && wrapped > 0)
		rc = take(c, cpu, data, 0, wrapped, err);
	cn_buf_flush(&c->out);
	return rc;
}
