/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drops.c - what was lost, and faults: lines for stderr.
 *
 * Counters are totals; what is new since the last look is reported. Drops of
 * buffers are told per CPU, from the snapshots that carry them, so the totals
 * of the status are not told again.
 *
 * A fault names the enabled probe, what was wrong, and where in the clause.
 */
#include "cn_impl.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define LINE	1024

void
cn_msg(struct cn *c, const char *fmt, ...)
{
	char line[LINE];
	va_list ap;

	cn_buf_flush(&c->out);
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (c->cfg.msg == NULL)
		return;
	c->tmp.len = 0;
	cn_put_esc(&c->tmp, line, strlen(line), CN_ESC_CONTROL);
	cn_putc(&c->tmp, '\0');
	if (!c->tmp.failed)
		c->cfg.msg(c->cfg.arg, c->tmp.s);
}

void
cn_drop(struct cn *c, const char *tag, const char *fmt, ...)
{
	char line[LINE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (c->opts[DV_OPT_DROPTAGS])
		cn_msg(c, "[DTRACEDROP_%s] %s", tag, line);
	else
		cn_msg(c, "%s", line);
}

/* What was added to a total; keeps the new one. Totals do not shrink. */
static uint64_t
news(uint64_t *last, uint64_t now)
{
	uint64_t n = now > *last ? now - *last : 0;

	if (now > *last)
		*last = now;
	return n;
}

#define S(n)	((n) == 1 ? "" : "s")

void
cn_report_drops(struct cn *c, const struct dv_status *st)
{
	struct dv_status *l = &c->last;
	uint64_t n;

	if ((n = news(&l->dyn_drops, st->dyn_drops)) != 0)
		cn_drop(c, "DYNAMIC", "%" PRIu64 " dynamic variable drop%s", n, S(n));
	if ((n = news(&l->dyn_rinsing_drops, st->dyn_rinsing_drops)) != 0)
		cn_drop(c, "DYNRINSE", "%" PRIu64 " dynamic variable drop%s with "
		    "non-empty rinsing list", n, S(n));
	if ((n = news(&l->dyn_dirty_drops, st->dyn_dirty_drops)) != 0)
		cn_drop(c, "DYNDIRTY", "%" PRIu64 " dynamic variable drop%s with "
		    "non-empty dirty list", n, S(n));
	if ((n = news(&l->spec_drops, st->spec_drops)) != 0)
		cn_drop(c, "SPEC", "%" PRIu64 " speculative drop%s", n, S(n));
	if ((n = news(&l->spec_busy, st->spec_busy)) != 0)
		cn_drop(c, "SPECBUSY", "%" PRIu64 " failed speculation%s "
		    "(available buffer(s) still busy)", n, S(n));
	if ((n = news(&l->spec_unavail, st->spec_unavail)) != 0)
		cn_drop(c, "SPECUNAVAIL", "%" PRIu64 " failed speculation%s "
		    "(no speculative buffer%s available)", n, S(n),
		    n == 1 ? "" : " space");
	if ((n = news(&l->dblerrors, st->dblerrors)) != 0)
		cn_drop(c, "DBLERROR", "%" PRIu64 " error%s in ERROR probe", n, S(n));
	if ((n = news(&l->rule_drops, st->rule_drops)) != 0)
		cn_msg(c, "%" PRIu64 " pending return%s given up (no room, or the thread "
		    "has ended)", n, S(n));
	if ((n = news(&l->rule_faults, st->rule_faults)) != 0)
		cn_msg(c, "%" PRIu64 " hit%s of a site without effect (guest memory "
		    "could not be read)", n, S(n));
	if (st->stale_sites > l->stale_sites) {
		n = st->stale_sites - l->stale_sites;
		l->stale_sites = st->stale_sites;
		cn_msg(c, "%" PRIu64 " return site%s not traced: the guest's kernel has "
		    "changed its text there", n, S(n));
	}
}

void
cn_report_cpu_drops(struct cn *c, unsigned cpu, const struct dv_snap *s)
{
	uint64_t n;

	if (cpu < c->cfg.ncpu && (n = news(&c->cpus[cpu].drops, s->drops)) != 0)
		cn_drop(c, "PRINCIPAL", "%" PRIu64 " drop%s on CPU %u", n, S(n),
		    cn_cpu_id(c, cpu));
}

static const char *
fault_text(uint32_t fault)
{
	switch (fault) {
#define DIF_FAULT(name, value, text) case value: return text;
#include "abi/dif.def"
	default:
		return "unknown fault";
	}
}

void
cn_fault(struct cn *c, const struct dv_fault_rec *r)
{
	char where[32] = "predicate", addr[32] = "";
	const struct dv_probe *p;

	if (r->action != 0)
		snprintf(where, sizeof(where), "action #%u", r->action);
	if (r->fault == DV_FAULT_BADADDR || r->fault == DV_FAULT_BADALIGN)
		snprintf(addr, sizeof(addr), " (0x%" PRIx64 ")", r->addr);
	if (r->failed == 0 || r->failed > c->p->necbs) {
		cn_msg(c, "error on enabled probe ID %u: %s%s in %s at DIF offset %u",
		    r->failed, fault_text(r->fault), addr, where, r->offset);
		return;
	}
	p = c->ecbs[r->failed - 1].probe;
	cn_msg(c, "error on enabled probe ID %u (ID %u: %s:%s:%s:%s): %s%s in %s at "
	    "DIF offset %u", r->failed, p->id, cn_str(c->p, p->prov),
	    cn_str(c->p, p->mod), cn_str(c->p, p->func), cn_str(c->p, p->name),
	    fault_text(r->fault), addr, where, r->offset);
}
