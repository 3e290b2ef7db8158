/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prog.c - the bytes of a blob become a checked view; nothing is trusted.
 *
 * A blob comes from the command, but a carrier cannot know that: it may be in
 * the kernel, and the command is not. So each index, offset, size and order
 * that the machine relies on is checked here, once, and the rest of the core
 * uses them without a thought. Instructions are dif_check.c's.
 *
 * The checks go section by section in the order of dv_prog.h, so that one may
 * rely on those before. Every loop is over elements that the blob really has,
 * so work is linear in its length: actions belong to one clause, rules to one
 * site, in order, and no range may be named twice.
 */
#include "prog.h"

#include "agg.h"
#include "dv_avail.h"
#include "dv_plat.h"
#include "stack.h"
#include "state.h"

#define MAXKEYSIZE	(1u << 20)	/* keys of one aggregation entry, bytes */
#define MAXRECORD	(1u << 26)

struct text {
	char *p;
	size_t len, max;
};

static void
put(struct text *t, char c)
{
	if (t->len < t->max)
		t->p[t->len++] = c;
}

static void
put_num(struct text *t, uint64_t v, unsigned base)
{
	char tmp[20];
	unsigned n = 0;

	do {
		tmp[n++] = "0123456789abcdef"[v % base];
		v /= base;
	} while (v != 0);
	while (n > 0)
		put(t, tmp[--n]);
}

int
dv_refuse(struct dv_reason *why, const char *fmt, ...)
{
	struct text t = { why->text, 0, sizeof(why->text) - 1 };
	const char *s;
	va_list ap;

	va_start(ap, fmt);
	for (; *fmt != '\0'; fmt++) {
		if (*fmt != '%') {
			put(&t, *fmt);
			continue;
		}
		switch (*++fmt) {
		case 's':
			for (s = va_arg(ap, const char *); *s != '\0'; s++)
				put(&t, *s >= ' ' && *s <= '~' ? *s : '?');
			break;
		case 'u':
			put_num(&t, va_arg(ap, unsigned), 10);
			break;
		case 'x':
			put_num(&t, va_arg(ap, unsigned), 16);
			break;
		case 'l':			/* %llu %llx */
			fmt += 2;
			put_num(&t, va_arg(ap, unsigned long long),
			    *fmt == 'x' ? 16 : 10);
			break;
		default:
			put(&t, *fmt);
		}
	}
	va_end(ap);
	t.p[t.len] = '\0';
	return -1;
}

uint64_t
dv_prog_opt(const struct dv_prog *p, enum dv_opt opt)
{
	return p->opts == NULL || p->opts[opt] == DV_OPT_UNSET ?
	    dv_opt_default(opt) : p->opts[opt];
}

static const struct {
	const char *name;
	uint32_t size;
} sections[DV_NSEC] = {
	[DV_SEC_STRS] = { "strings", 1 },
	[DV_SEC_TEXT] = { "text", 4 },
	[DV_SEC_INTS] = { "integers", 8 },
	[DV_SEC_DIFSTRS] = { "DIF strings", 1 },
	[DV_SEC_VARS] = { "variables", sizeof(struct dv_var) },
	[DV_SEC_DIFOS] = { "DIFOs", sizeof(struct dv_difo) },
	[DV_SEC_AGGS] = { "aggregations", sizeof(struct dv_aggdesc) },
	[DV_SEC_ACTS] = { "actions", sizeof(struct dv_act) },
	[DV_SEC_CLAUSES] = { "clauses", sizeof(struct dv_clause) },
	[DV_SEC_PROBES] = { "probes", sizeof(struct dv_probe) },
	[DV_SEC_ECBS] = { "ECBs", sizeof(struct dv_ecbdesc) },
	[DV_SEC_ARGSETS] = { "argument sets", sizeof(struct dv_argset) },
	[DV_SEC_RULES] = { "rules", sizeof(struct dv_rule) },
	[DV_SEC_SELECT] = { "selections", 4 },
	[DV_SEC_SITES] = { "sites", sizeof(struct dv_site) },
	[DV_SEC_TIMERS] = { "timers", sizeof(struct dv_timer) },
	[DV_SEC_LAYOUT] = { "layout", sizeof(struct dv_layout) },
	[DV_SEC_OPTS] = { "options", 8 },
	[DV_SEC_UNWIND] = { "unwinding", sizeof(struct dv_unwind) },
	[DV_SEC_STARTS] = { "starts", sizeof(struct dv_start) },
};

static bool
range_fits(uint64_t first, uint64_t n, uint64_t max)
{
	return first <= max && n <= max - first;
}

static bool
difo_ok(const struct dv_prog *p, uint32_t difo)
{
	return difo == DV_NONE || difo < p->ndifos;
}

static int
check_strings(const struct dv_prog *p, struct dv_reason *why)
{
	const struct dv_prog_hdr *h = p->hdr;

	if (p->nstrs == 0 || p->strs[p->nstrs - 1] != '\0')
		return dv_refuse(why, "strings do not end with a NUL");
	if (p->ndifstrs > 0 && p->difstrs[p->ndifstrs - 1] != '\0')
		return dv_refuse(why, "DIF strings do not end with a NUL");
	if (h->vmname >= p->nstrs || h->host_execname >= p->nstrs)
		return dv_refuse(why, "a name in the header is outside the strings");
	return 0;
}

static int
check_vars(const struct dv_prog *p, struct dv_reason *why)
{
	uint64_t strsize = dv_prog_opt(p, DV_OPT_STRSIZE);
	const struct dv_var *v;
	uint32_t i;

	if (p->nvars > DIF_VAR_MAX - DIF_VAR_USER + 1)
		return dv_refuse(why, "%u variables are too many", p->nvars);
	for (i = 0; i < p->nvars; i++) {
		v = &p->vars[i];
		if (v->name >= p->nstrs)
			return dv_refuse(why, "variable %u: name is outside the strings", i);
		if (v->id < DIF_VAR_USER || v->scope > DV_VS_LOCAL || v->array > 1)
			return dv_refuse(why, "variable %u: bad id or scope", i);
		if (v->array && v->scope == DV_VS_LOCAL)
			return dv_refuse(why, "variable %u: a clause-local array", i);
		if (!(v->type.flags & DV_TF_BYREF))
			continue;
		if (v->type.size == 0 || v->type.size > DIF_VAR_SIZEMAX ||
		    (v->type.kind == DV_T_STRING && v->type.size > strsize))
			return dv_refuse(why, "variable %u: size %u is out of range",
			    i, v->type.size);
	}
	return 0;
}

static int
check_difos(const struct dv_prog *p, struct dv_reason *why)
{
	const struct dv_difo *d;
	uint32_t i;

	for (i = 0; i < p->ndifos; i++) {
		d = &p->difos[i];
		if (d->ntext == 0 || d->ntext > DIF_MAXTEXT ||
		    !range_fits(d->text, d->ntext, p->ntext))
			return dv_refuse(why, "DIFO %u: bad text", i);
		if (d->nints > 0x10000 || !range_fits(d->ints, d->nints, p->nints))
			return dv_refuse(why, "DIFO %u: bad integer table", i);
		if (d->nstrs > 0x10000 || !range_fits(d->strs, d->nstrs, p->ndifstrs) ||
		    (d->nstrs > 0 && p->difstrs[d->strs + d->nstrs - 1] != '\0'))
			return dv_refuse(why, "DIFO %u: bad string table", i);
		if ((d->flags & ~DV_DIFO_DESTRUCTIVE) != 0)
			return dv_refuse(why, "DIFO %u: unknown flags", i);
		if (d->flags != 0 && !dv_prog_opt(p, DV_OPT_DESTRUCTIVE))
			return dv_refuse(why, "Destructive actions not allowed");
	}
	return 0;
}

static int
check_aggs(const struct dv_prog *p, struct dv_reason *why)
{
	const struct dv_aggdesc *a;
	uint32_t i, nwords;

	for (i = 0; i < p->naggs; i++) {
		a = &p->aggs[i];
		nwords = dv_agg_nwords(a->func, a->param);
		if (a->name >= p->nstrs)
			return dv_refuse(why, "aggregation %u: name is outside the strings", i);
		if (nwords == 0 || nwords != a->nwords)
			return dv_refuse(why, "aggregation %u: bad function or parameters", i);
		if (a->nkeys > 255 || a->keysize > MAXKEYSIZE)
			return dv_refuse(why, "aggregation %u: bad keys", i);
		if (a->nkeys > 0 && !range_fits(a->keyact, a->nkeys, p->nacts))
			return dv_refuse(why, "aggregation %u: keys are no actions", i);
	}
	return 0;
}

/* Why an action is refused, or NULL. */
static const char *
act_refused(uint32_t kind)
{
	return dv_avail_act(kind) ? NULL : "is not available in this version";
}

static const char *
act_name(uint32_t kind)
{
	switch (kind) {
#define DV_ACT(name, value, text, flags) case value: return text;
#include "act.def"
	default:
		return NULL;
	}
}

/* The field of an action in its record (or key in its entry). */
static int
check_field(const struct dv_act *a, uint64_t size, uint64_t *end,
	    const char *where, uint32_t i, struct dv_reason *why)
{
	uint32_t align = 8;
	bool stack;

	if (a->rec.kind == DV_T_NONE)
		return a->kind == DV_ACT_STACK || a->kind == DV_ACT_USTACK ?
		    dv_refuse(why, "%s %u: a stack is recorded by its action alone", where, i) : 0;
	if (a->rec.kind > DV_T_UADDR || a->rec.size == 0 || a->rec.size > MAXRECORD)
		return dv_refuse(why, "%s %u: bad record field", where, i);
	switch (a->rec.kind) {
	case DV_T_INT:
		align = a->rec.size;
		if (align > 8 || (align & (align - 1)) != 0)
			return dv_refuse(why, "%s %u: an integer of %u bytes",
			    where, i, a->rec.size);
		break;
	case DV_T_STRING:
	case DV_T_BYTES:
		align = 1;
		break;
	case DV_T_SYM:
	case DV_T_MOD:
		if (a->rec.size != 8)
			return dv_refuse(why, "%s %u: bad record field", where, i);
		break;
	case DV_T_USYM:
	case DV_T_UMOD:
	case DV_T_UADDR:
		if (a->rec.size != 16)
			return dv_refuse(why, "%s %u: bad record field", where, i);
		break;
	default:			/* STACK, USTACK: frames, and the process id */
		if (a->rec.size % 8 != 0 || (a->rec.kind == DV_T_USTACK && a->rec.size < 16))
			return dv_refuse(why, "%s %u: bad record field", where, i);
	}
	stack = a->rec.kind == DV_T_STACK || a->rec.kind == DV_T_USTACK;
	if (stack != (a->kind == DV_ACT_STACK || a->kind == DV_ACT_USTACK) ||
	    (stack && (a->kind == DV_ACT_STACK) != (a->rec.kind == DV_T_STACK)))
		return dv_refuse(why, "%s %u: a stack is recorded by its action alone", where, i);
	if (stack && a->difo != DV_NONE)
		return dv_refuse(why, "%s %u: a stack with a value", where, i);
	if (!stack && a->difo == DV_NONE)
		return dv_refuse(why, "%s %u: a record field without a value", where, i);
	if (a->rec_off % align != 0)
		return dv_refuse(why, "%s %u: record field is not aligned", where, i);
	if (a->rec_off < *end)
		return dv_refuse(why, "%s %u: record fields overlap", where, i);
	if (!range_fits(a->rec_off, a->rec.size, size))
		return dv_refuse(why, "%s %u: record field is outside the record",
		    where, i);
	*end = (uint64_t)a->rec_off + a->rec.size;
	return 0;
}

static int
check_agg_act(const struct dv_prog *p, const struct dv_act *a, uint32_t i,
	      struct dv_reason *why)
{
	const struct dv_aggdesc *d;
	const struct dv_act *first;
	uint64_t end = 0;
	uint32_t k;

	if (a->arg >= p->naggs)
		return dv_refuse(why, "action %u: no such aggregation", i);
	d = &p->aggs[a->arg];
	if (a->nargs != d->nkeys)
		return dv_refuse(why, "action %u: %u keys, its aggregation has %u",
		    i, a->nargs, d->nkeys);
	if (a->param != 0 && a->param - 1 >= p->ndifos)
		return dv_refuse(why, "action %u: no such increment", i);
	if (a->rec.kind != DV_T_NONE)
		return dv_refuse(why, "action %u: an aggregation in the record", i);
	if (d->func != DV_AGG_COUNT && a->difo == DV_NONE)
		return dv_refuse(why, "action %u: nothing to aggregate", i);
	for (k = 0; k < a->nargs; k++) {
		first = &p->acts[d->keyact + k];
		if (a[k + 1].nargs != 0 || !difo_ok(p, a[k + 1].difo))
			return dv_refuse(why, "action %u: key %u is no value", i, k);
		if (a[k + 1].rec_off != first->rec_off ||
		    a[k + 1].rec.kind != first->rec.kind ||
		    a[k + 1].rec.kind == DV_T_NONE ||
		    a[k + 1].rec.size != first->rec.size)
			return dv_refuse(why, "action %u: key %u is unlike that of the aggregation",
			    i, k);
		if (check_field(&a[k + 1], d->keysize, &end, "action", i + k + 1, why))
			return -1;
	}
	return 0;
}

static int
check_act(const struct dv_prog *p, uint32_t i, uint64_t last, struct dv_reason *why)
{
	const struct dv_act *a = &p->acts[i];
	const char *name = act_name(a->kind);
	uint32_t k;

	if (name == NULL)
		return dv_refuse(why, "action %u: unknown kind %u", i, a->kind);
	if (act_refused(a->kind) != NULL)
		return dv_refuse(why, "%s() %s", name, act_refused(a->kind));
	if ((dv_act_flags(a->kind) & DV_AF_DESTRUCTIVE) && !dv_prog_opt(p, DV_OPT_DESTRUCTIVE))
		return dv_refuse(why, "Destructive actions not allowed");
	if (!difo_ok(p, a->difo))
		return dv_refuse(why, "action %u: no such DIFO", i);
	if (a->nargs > 0 && !(dv_act_flags(a->kind) & DV_AF_ARGS))
		return dv_refuse(why, "action %u: %s() heads no arguments", i, name);
	if (!range_fits((uint64_t)i + 1, a->nargs, last))
		return dv_refuse(why, "action %u: arguments are outside its clause", i);
	for (k = 1; k <= a->nargs && a->kind != DV_ACT_PRINTA; k++)
		if (!(dv_act_flags(a[k].kind) & DV_AF_VALUE) || act_refused(a[k].kind) != NULL) {
			name = act_name(a[k].kind);
			return name != NULL && act_refused(a[k].kind) != NULL ?
			    dv_refuse(why, "%s() %s", name, act_refused(a[k].kind)) :
			    dv_refuse(why, "action %u: argument %u is no value", i, k);
		}
	switch (a->kind) {
	case DV_ACT_AGG:
		return check_agg_act(p, a, i, why);
	case DV_ACT_PRINTF:
	case DV_ACT_FREOPEN:
	case DV_ACT_SYSTEM:
	case DV_ACT_PRINT:
		if (a->arg >= p->nstrs)
			return dv_refuse(why, "action %u: format is outside the strings", i);
		break;
	case DV_ACT_PRINTA:
		if (a->arg != DV_NONE && a->arg >= p->nstrs)
			return dv_refuse(why, "action %u: format is outside the strings", i);
		for (k = 1; k <= a->nargs; k++)
			if (a[k].arg >= p->naggs || a[k].difo != DV_NONE)
				return dv_refuse(why, "action %u: argument %u is no aggregation",
				    i, k);
		break;
	case DV_ACT_NORMALIZE:
	case DV_ACT_DENORMALIZE:
	case DV_ACT_CLEAR:
	case DV_ACT_TRUNC:
		if ((uint32_t)a->arg >= p->naggs)
			return dv_refuse(why, "action %u: no such aggregation", i);
		break;
	case DV_ACT_SPECULATE:
	case DV_ACT_COMMIT:
	case DV_ACT_DISCARD:
	case DV_ACT_EXPR:
		if (a->difo == DV_NONE)
			return dv_refuse(why, "action %u: %s() without a value", i, name);
		if (a->rec.kind != DV_T_NONE)
			return dv_refuse(why, "action %u: %s() has no record", i, name);
		break;
	case DV_ACT_PANIC:
	case DV_ACT_BREAKPOINT:
	case DV_ACT_CHILL:
		if ((a->difo != DV_NONE) != (a->kind == DV_ACT_CHILL))
			return dv_refuse(why, "action %u: %s() %s a value", i, name,
			    a->difo == DV_NONE ? "without" : "with");
		if (a->rec.kind != DV_T_NONE)
			return dv_refuse(why, "action %u: %s() has no record", i, name);
		break;
	case DV_ACT_EXIT:
		if (a->difo == DV_NONE || a->rec.kind != DV_T_INT)
			return dv_refuse(why, "action %u: exit() without a status", i);
		break;
	}
	return 0;
}

static bool
difo_destroys(const struct dv_prog *p, uint32_t difo)
{
	return difo != DV_NONE && (p->difos[difo].flags & DV_DIFO_DESTRUCTIVE) != 0;
}

/* Order of actions and flags of a clause; the actions themselves are good. */
static int
check_clause_flags(const struct dv_prog *p, uint32_t ci, struct dv_reason *why)
{
	const struct dv_clause *c = &p->clauses[ci];
	bool speculates = false, commits = false, fields = false;
	bool destructive = difo_destroys(p, c->pred);
	const struct dv_act *a;
	uint32_t i, k, kind, is;

	for (i = 0; i < c->nact; i++) {
		a = &p->acts[c->act + i];
		kind = a->kind;
		is = dv_act_flags(kind);
		if (kind == DV_ACT_SPECULATE) {
			if (speculates || fields)
				return dv_refuse(why,
				    "clause %u: speculate() after another or after data", ci);
			speculates = true;
		}
		for (k = 0; k <= a->nargs; k++) {
			if (!dv_act_destroys(&a[k], p->difos))
				continue;
			destructive = true;
			is |= DV_AF_NOSPEC;
		}
		if (speculates && (is & DV_AF_NOSPEC))
			return dv_refuse(why, "clause %u: %s() may not follow speculate()",
			    ci, act_name(kind));
		if (kind == DV_ACT_COMMIT)
			commits = true;
		if (kind == DV_ACT_AGG || kind == DV_ACT_PRINTA)
			i += a->nargs;
		if (is & DV_AF_DATA)
			fields = true;
	}
	if (speculates != !!(c->flags & DV_CL_SPECULATES) ||
	    commits != !!(c->flags & DV_CL_COMMITS) ||
	    destructive != !!(c->flags & DV_CL_DESTRUCTIVE))
		return dv_refuse(why, "clause %u: flags do not fit the actions", ci);
	if (commits && fields)
		return dv_refuse(why, "clause %u: commit() beside data-recording actions", ci);
	/* its own record would be under way while others are copied behind it */
	if (commits && !(c->flags & DV_CL_NOREC))
		return dv_refuse(why, "clause %u: commit() in a clause with a record", ci);
	if ((c->flags & DV_CL_NOREC) && (fields || speculates || c->record_size != 0))
		return dv_refuse(why, "clause %u: flagged as without record, but has one", ci);
	return 0;
}

static int
check_clauses(const struct dv_prog *p, struct dv_reason *why)
{
	const struct dv_clause *c;
	const struct dv_act *a;
	uint64_t end, next = 0;
	uint32_t i, k, last;

	for (i = 0; i < p->nclauses; i++) {
		c = &p->clauses[i];
		if (!difo_ok(p, c->pred))
			return dv_refuse(why, "clause %u: no such predicate", i);
		if (c->nact > 0 && (c->act < next || !range_fits(c->act, c->nact, p->nacts)))
			return dv_refuse(why, "clause %u: bad actions", i);
		if (c->record_size > MAXRECORD)
			return dv_refuse(why, "clause %u: record too large", i);
		if (c->flags > 31)
			return dv_refuse(why, "clause %u: unknown flags", i);
		last = c->act + c->nact;
		if (c->nact > 0)
			next = last;
		end = 0;
		for (k = c->act; k < last; k++) {
			a = &p->acts[k];
			if (check_act(p, k, last, why) != 0)
				return -1;
			if (a->kind == DV_ACT_AGG) {	/* its keys are no fields */
				k += a->nargs;
				continue;
			}
			if (a->kind == DV_ACT_PRINTA) {	/* nor its aggregations */
				if (check_field(a, c->record_size, &end, "action", k, why) != 0)
					return -1;
				k += a->nargs;
				continue;
			}
			if (check_field(a, c->record_size, &end, "action", k, why) != 0)
				return -1;
		}
		if (check_clause_flags(p, i, why) != 0)
			return -1;
	}
	return 0;
}

static int
check_probes(const struct dv_prog *p, struct dv_reason *why)
{
	uint64_t bufsize = dv_prog_opt(p, DV_OPT_BUFSIZE) & ~(uint64_t)7, end = 0, need;
	const struct dv_probe *pr;
	const struct dv_ecbdesc *e;
	uint32_t i, special = 0;

	for (i = 0; i < p->nprobes; i++) {
		pr = &p->probes[i];
		if (pr->prov >= p->nstrs || pr->mod >= p->nstrs ||
		    pr->func >= p->nstrs || pr->name >= p->nstrs)
			return dv_refuse(why, "probe %u: name is outside the strings", i);
		if (pr->flags & special & (DV_PF_BEGIN | DV_PF_END | DV_PF_ERROR))
			return dv_refuse(why, "probe %u: a second BEGIN, END or ERROR", i);
		special |= pr->flags;
	}
	for (i = 0; i < p->necbs; i++) {
		e = &p->ecbs[i];
		if (e->probe >= p->nprobes || e->clause >= p->nclauses)
			return dv_refuse(why, "ECB %u: no such probe or clause", i);
		if (i > 0 && e->probe < e[-1].probe)
			return dv_refuse(why, "ECB %u: not sorted by probe", i);
		if (p->clauses[e->clause].flags & DV_CL_NOREC)
			continue;
		need = dv_prog_recsize(&p->clauses[e->clause]);
		if (need > bufsize)
			return dv_refuse(why, "Enabling exceeds size of buffer");
		if (p->probes[e->probe].flags & DV_PF_END)
			end += need;
	}
	if (end > bufsize && dv_prog_opt(p, DV_OPT_BUFPOLICY) == DV_BUFPOLICY_FILL)
		return dv_refuse(why, "END enablings exceed size of principal buffer");
	if (p->necbs >= DV_EPID_FAULT)
		return dv_refuse(why, "too many ECBs");
	return 0;
}

static int
check_loc(const struct dv_prog *p, const struct dv_loc *l, bool published)
{
	if (l->size > 8 || (l->size & (l->size - 1)) != 0 || l->sign > 1)
		return -1;
	switch (l->kind) {
	case DV_LOC_ZERO:
	case DV_LOC_CONST:
	case DV_LOC_CURTHREAD:
	case DV_LOC_FAULT:
		return 0;
	case DV_LOC_REG:
	case DV_LOC_MEM:
		return l->reg < DV_NREG ? 0 : -1;
	case DV_LOC_RAW:
		return published && l->reg < 10 ? 0 : -1;
	case DV_LOC_DIFO:
		return published && l->value < p->ndifos &&
		    !difo_destroys(p, (uint32_t)l->value) ? 0 : -1;
	default:
		return -1;
	}
}

static int
check_rule(const struct dv_prog *p, uint32_t i, struct dv_reason *why)
{
	const struct dv_rule *r = &p->rules[i];
	uint32_t k;

	if (r->kind < DV_RULE_FIRE || r->kind > DV_RULE_SWITCH)
		return dv_refuse(why, "rule %u: unknown kind", i);
	if (!difo_ok(p, r->guard) || (r->kind == DV_RULE_STMT && r->guard == DV_NONE))
		return dv_refuse(why, "rule %u: no such guard", i);
	if (difo_destroys(p, r->guard))		/* who traces did not ask for it */
		return dv_refuse(why, "rule %u: a destructive guard", i);
	if ((r->raw != DV_NONE && r->raw >= p->nargsets) ||
	    (r->args != DV_NONE && r->args >= p->nargsets))
		return dv_refuse(why, "rule %u: no such argument set", i);
	if (r->raw != DV_NONE)
		for (k = 0; k < 10; k++)
			if (check_loc(p, &p->argsets[r->raw].arg[k], false) != 0)
				return dv_refuse(why, "rule %u: raw argument %u is not raw", i, k);
	if (r->kind == DV_RULE_GONE) {
		if (r->nselect != 0 || r->guard == DV_NONE || r->probe == 0 ||
		    r->probe >= DV_MAXGROUP)
			return dv_refuse(why, "rule %u: bad group", i);
		if (r->sel.kind != DV_LOC_DIFO || check_loc(p, &r->sel, true) != 0)
			return dv_refuse(why, "rule %u: bad check", i);
		return 0;
	}
	if (r->nselect == 0) {
		if (r->probe != DV_NONE && r->probe >= p->nprobes)
			return dv_refuse(why, "rule %u: no such probe", i);
		return 0;
	}
	if (!range_fits(r->probe, r->nselect, p->nselect))
		return dv_refuse(why, "rule %u: bad selection", i);
	/* Its value is wanted before the arguments are: a DIFO or a raw value. */
	if (check_loc(p, &r->sel, true) != 0)
		return dv_refuse(why, "rule %u: bad selector", i);
	return 0;
}

static int
check_sites(const struct dv_prog *p, struct dv_reason *why)
{
	const struct dv_site *s;
	uint64_t next = 0;
	uint32_t i, k;

	for (i = 0; i < p->nargsets; i++)
		for (k = 0; k < 10; k++)
			if (check_loc(p, &p->argsets[i].arg[k], true) != 0)
				return dv_refuse(why, "argument set %u: argument %u is bad", i, k);
	for (i = 0; i < p->nselect; i++)
		if (p->select[i] != DV_NONE && p->select[i] >= p->nprobes)
			return dv_refuse(why, "selection %u: no such probe", i);
	for (i = 0; i < p->nrules; i++)
		if (check_rule(p, i, why) != 0)
			return -1;
	if (p->nsites > 0 && p->layout == NULL)
		return dv_refuse(why, "sites without a guest's layout");
	for (i = 0; i < p->nsites; i++) {
		s = &p->sites[i];
		if (i > 0 && s->addr <= s[-1].addr)
			return dv_refuse(why, "site %u: not sorted by address", i);
		if (s->nrule > 0 && (s->rule < next || !range_fits(s->rule, s->nrule, p->nrules)))
			return dv_refuse(why, "site %u: bad rules", i);
		if (s->nbytes > sizeof(s->bytes))
			return dv_refuse(why, "site %u: bad bytes", i);
		if (s->group >= DV_MAXGROUP)
			return dv_refuse(why, "site %u: bad group", i);
		if (s->nrule > 0)
			next = (uint64_t)s->rule + s->nrule;
	}
	for (i = 0; i < p->ntimers; i++)
		if (p->timers[i].probe >= p->nprobes || p->timers[i].period < 200000)
			return dv_refuse(why, "timer %u: no such probe, or too fast", i);
	return 0;
}

static int
check_starts(const struct dv_prog *p, struct dv_reason *why)
{
	const struct dv_start *st;
	uint32_t i, k;

	for (i = 0; i < p->nstarts; i++) {
		st = &p->starts[i];
		if (st->difo >= p->ndifos || difo_destroys(p, st->difo))
			return dv_refuse(why, "start %u: no such statement, or a destructive one",
			    i);
		if (st->raw >= p->nargsets)
			return dv_refuse(why, "start %u: no such argument set", i);
		for (k = 0; k < 10; k++)
			if (p->argsets[st->raw].arg[k].kind > DV_LOC_CONST)
				return dv_refuse(why, "start %u: argument %u is no constant", i, k);
	}
	if (p->nstarts > 0 && p->layout == NULL)
		return dv_refuse(why, "starts without a guest's layout");
	return 0;
}

static int
check_layout(const struct dv_prog *p, struct dv_reason *why)
{
	const struct dv_layout *l = p->layout;

	if (l == NULL)
		return 0;
	if (l->present > 1 || (l->present && l->pt_levels != 4 && l->pt_levels != 5))
		return dv_refuse(why, "layout: %u levels of page tables", l->pt_levels);
	if (l->ncpu > DV_MAXCPU)
		return dv_refuse(why, "layout: %u CPUs are too many", l->ncpu);
	return 0;
}

static int
check_opts(const struct dv_prog *p, struct dv_reason *why)
{
	static const struct { enum dv_opt opt; const char *name; uint64_t min, max; } range[] = {
		{ DV_OPT_BUFSIZE, "bufsize", 8, 1ull << 36 },
		{ DV_OPT_AGGSIZE, "aggsize", 8, 1ull << 34 },
		{ DV_OPT_SPECSIZE, "specsize", 8, 1ull << 30 },
		{ DV_OPT_DYNVARSIZE, "dynvarsize", 8, 1ull << 31 },
		{ DV_OPT_STRSIZE, "strsize", 8, 65536 },
		{ DV_OPT_SCRATCHSIZE, "scratchsize", 0, 1ull << 24 },
		{ DV_OPT_NSPEC, "nspec", 0, 4096 },
		{ DV_OPT_BUFPOLICY, "bufpolicy", 0, 2 },
		{ DV_OPT_CLEANRATE, "cleanrate (ns)", 200000, 86400000000000 },
	};
	uint64_t v;
	size_t i;

	for (i = 0; i < sizeof(range) / sizeof(range[0]); i++) {
		v = dv_prog_opt(p, range[i].opt);
		if (v < range[i].min || v > range[i].max)
			return dv_refuse(why, "option %s: %llu is out of range (%llu to %llu)",
			    range[i].name, (unsigned long long)v,
			    (unsigned long long)range[i].min,
			    (unsigned long long)range[i].max);
	}
	return 0;
}

#define SECTION(field, id)						\
	do {								\
		ret->field = (const void *)((const uint8_t *)blob +	\
		    h->sec[id].off);					\
		ret->n##field = (uint32_t)h->sec[id].n;			\
	} while (0)

static int
view_sections(const void *blob, size_t len, struct dv_prog *ret, struct dv_reason *why)
{
	const struct dv_prog_hdr *h = blob;
	uint64_t n, off;
	unsigned i;

	if (((uintptr_t)blob & 7) != 0 || len < sizeof(*h))
		return dv_refuse(why, "program is too short or not aligned");
	if (h->magic != DV_PROG_MAGIC)
		return dv_refuse(why, "not a program");
	if (h->version != DV_PROG_VERSION)
		return dv_refuse(why, "program has version %u, this machine runs %u",
		    h->version, DV_PROG_VERSION);
	if (h->len != len || h->flags != 0)
		return dv_refuse(why, "program has a bad length or flags");
	for (i = 0; i < DV_NSEC; i++) {
		off = h->sec[i].off;
		n = h->sec[i].n;
		if (n >= DV_NONE || off % 8 != 0 || off > len ||
		    n > (len - off) / sections[i].size)
			return dv_refuse(why, "section %s is outside the program",
			    sections[i].name);
	}
	memset(ret, 0, sizeof(*ret));
	ret->hdr = h;
	SECTION(strs, DV_SEC_STRS);
	SECTION(text, DV_SEC_TEXT);
	SECTION(ints, DV_SEC_INTS);
	SECTION(difstrs, DV_SEC_DIFSTRS);
	SECTION(vars, DV_SEC_VARS);
	SECTION(difos, DV_SEC_DIFOS);
	SECTION(aggs, DV_SEC_AGGS);
	SECTION(acts, DV_SEC_ACTS);
	SECTION(clauses, DV_SEC_CLAUSES);
	SECTION(probes, DV_SEC_PROBES);
	SECTION(ecbs, DV_SEC_ECBS);
	SECTION(argsets, DV_SEC_ARGSETS);
	SECTION(rules, DV_SEC_RULES);
	SECTION(select, DV_SEC_SELECT);
	SECTION(sites, DV_SEC_SITES);
	SECTION(timers, DV_SEC_TIMERS);
	SECTION(starts, DV_SEC_STARTS);
	if (h->sec[DV_SEC_LAYOUT].n > 1)
		return dv_refuse(why, "more than one layout");
	if (h->sec[DV_SEC_LAYOUT].n == 1)
		ret->layout = (const uint8_t *)blob + h->sec[DV_SEC_LAYOUT].off;
	if (h->sec[DV_SEC_UNWIND].n > 1)
		return dv_refuse(why, "more than one way of unwinding");
	if (h->sec[DV_SEC_UNWIND].n == 1)
		ret->unwind = (const uint8_t *)blob + h->sec[DV_SEC_UNWIND].off;
	if (h->sec[DV_SEC_OPTS].n != DV_NOPT)
		return dv_refuse(why, "%llu options, this machine knows %u",
		    (unsigned long long)h->sec[DV_SEC_OPTS].n, DV_NOPT);
	ret->opts = (const uint64_t *)((const uint8_t *)blob + h->sec[DV_SEC_OPTS].off);
	return 0;
}

int
dv_prog_view(const void *blob, size_t len, struct dv_prog *ret, struct dv_reason *why)
{
	if (view_sections(blob, len, ret, why) != 0 ||
	    check_opts(ret, why) != 0 ||
	    check_strings(ret, why) != 0 ||
	    check_vars(ret, why) != 0 ||
	    check_difos(ret, why) != 0 ||
	    check_aggs(ret, why) != 0 ||
	    check_clauses(ret, why) != 0 ||
	    check_probes(ret, why) != 0 ||
	    check_layout(ret, why) != 0 ||
	    dv_unwind_check(ret, why) != 0 ||
	    check_sites(ret, why) != 0 ||
	    check_starts(ret, why) != 0)
		return -1;
	return 0;
}
