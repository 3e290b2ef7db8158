/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ecb.c - one clause of one probe: predicate, actions, one record.
 *
 * Room for the record is taken before the first action; its size is known
 * since loading. The fields are written in place, and only the end of the
 * clause makes it part of the buffer: a fault leaves no trace of the record,
 * though effects on variables and aggregations before it stay. No room: the
 * clause does not run at all.
 *
 * A clause that speculates takes its room at speculate() instead, in the
 * speculation's part on this CPU; where that is refused or full the rest of
 * the clause is given up.
 *
 * Every way out of dv_ecb_run() adds one to exactly one counter of the ECB's
 * account besides `fired` (state.h has the equation), or to `untrue`.
 */
#include "ecb.h"

#include "destr.h"
#include "dif.h"
#include "load.h"
#include "stack.h"
#include "state_impl.h"

static bool
is_stack(const struct dv_act *a)
{
	return a->kind == DV_ACT_STACK || a->kind == DV_ACT_USTACK;
}

/* stack() and ustack(): frames, and zeros after the last. */
static int
store_stack(struct dv_mstate *ms, const struct dv_act *a, uint8_t *to)
{
	uint32_t size = a->rec.size, n;
	uint64_t pid;

	ms->fault = 0;
	if (a->rec.kind == DV_T_USTACK) {
		pid = dv_builtin(ms, DIF_VAR_PID);
		if (ms->fault != 0)
			return -1;
		memcpy(to, &pid, 8);
		to += 8;
		size -= 8;
		if (dv_ustack(ms, to, size / 8, &n) != 0)
			return -1;
	} else {
		n = dv_kstack(ms, to, size / 8);
	}
	memset(to + 8 * (size_t)n, 0, size - 8 * (size_t)n);
	return 0;
}

/* A field of a record, or a key: `val` as the action's type says. */
static int
store_field(struct dv_mstate *ms, const struct dv_act *a, uint8_t *to, uint64_t val)
{
	uint32_t size = a->rec.size;
	enum dv_how how = a->rec.flags & DV_TF_USER ? DV_USER : DV_KERNEL;
	uint64_t pid;
	size_t len;

	switch (a->rec.kind) {
	case DV_T_INT:
		memcpy(to, &val, size);	/* little-endian: the low bytes */
		return 0;
	case DV_T_STRING:
		if (dv_load_str(ms, val, (char *)to, size, how, &len) != 0)
			return -1;
		memset(to + len, 0, size - len);
		return 0;
	case DV_T_BYTES:
		return dv_load(ms, val, to, size, how);
	case DV_T_USYM:
	case DV_T_UMOD:
	case DV_T_UADDR:
		pid = dv_builtin(ms, DIF_VAR_PID);
		if (ms->fault != 0)
			return -1;
		memcpy(to, &pid, 8);
		memcpy(to + 8, &val, 8);
		return 0;
	default:			/* SYM, MOD */
		memcpy(to, &val, 8);
		return 0;
	}
}

/*
 * A string key, padded to a multiple of 8 bytes; the rest of it is a hole. Its
 * last word is written as one, since it is read as one.
 */
static int
store_string_key(struct dv_mstate *ms, const struct dv_act *a, struct dv_aggkeys *k,
		 uint64_t val)
{
	enum dv_how how = a->rec.flags & DV_TF_USER ? DV_USER : DV_KERNEL;
	uint8_t *to = k->bytes + a->rec_off;
	uint32_t size = a->rec.size, at;
	uint64_t w;
	size_t len;

	if (dv_load_str(ms, val, (char *)to, size, how, &len) != 0)
		return -1;
	at = (uint32_t)len & ~7u;
	memcpy(&w, to + at, 8);
	w &= ((uint64_t)1 << 8 * (len % 8)) - 1;
	memcpy(to + at, &w, 8);
	at += 8;
	if (at < size) {
		k->hole[k->nhole].off = a->rec_off + at;
		k->hole[k->nhole++].len = size - at;
	}
	return 0;
}

/* Evaluates the keys; they ascend and do not overlap. */
static int
run_keys(struct dv_mstate *ms, const struct dv_act *a, uint32_t klen,
	 struct dv_aggkeys *k)
{
	const struct dv_act *end = a + 1 + a->nargs;
	uint32_t at = 0;
	uint64_t val;

	k->bytes = ms->cpu->aggkey;
	k->nhole = 0;
	for (a++; a < end; at = a->rec_off + a->rec.size, a++) {
		if (at < a->rec_off)
			memset(k->bytes + at, 0, a->rec_off - at);
		if (is_stack(a)) {
			if (store_stack(ms, a, k->bytes + a->rec_off) != 0)
				return -1;
			continue;
		}
		val = dv_dif_run(ms, a->difo);
		if (ms->fault != 0)
			return -1;
		if (a->rec.kind == DV_T_STRING && k->nhole < DV_AGG_NHOLE &&
		    a->rec_off % 8 == 0 && a->rec.size % 8 == 0) {
			if (store_string_key(ms, a, k, val) != 0)
				return -1;
		} else if (store_field(ms, a, k->bytes + a->rec_off, val) != 0) {
			return -1;
		}
	}
	if (at < klen)
		memset(k->bytes + at, 0, klen - at);
	return 0;
}

static int
run_agg(struct dv_mstate *ms, const struct dv_act *a, bool *dropped)
{
	const struct dv_state *s = ms->s;
	const struct dv_aggdesc *d = &s->prog.aggs[a->arg];
	uint64_t val = 0, incr = 1;
	struct dv_aggkeys keys;

	if (run_keys(ms, a, DV_AGG_KEYLEN(d), &keys) != 0)
		return -1;
	if (a->difo != DV_NONE) {
		val = dv_dif_run(ms, a->difo);
		if (ms->fault != 0)
			return -1;
	}
	if (a->param != 0) {
		incr = dv_dif_run(ms, (uint32_t)a->param - 1);
		if (ms->fault != 0)
			return -1;
	}
	if (!dv_agg_add(&ms->cpu->agg, d, (uint32_t)a->arg, s->vm, &keys,
	    (int64_t)val, (int64_t)incr))
		*dropped = true;
	return 0;
}

void
dv_ecb_exit(struct dv_state *s, int32_t status)
{
	uint32_t life = dv_load32(&s->life), no = 0;

	if (life == DV_LIFE_BEGIN || life == DV_LIFE_ACTIVE)
		(void)dv_cas32(&s->life, &life, DV_LIFE_EXITING);
	/* the first one counts, and then that of END, which is alone */
	if (life == DV_LIFE_END || dv_cas32(&s->exit_claim, &no, 1)) {
		dv_store_rel64((uint64_t *)&s->exit_status, (uint64_t)(int64_t)status);
		dv_store32(&s->exited, 1);	/* whoever sees it sees the status */
	}
}

/*
 * Numbers of actions are D's: a formatted action counts through its
 * arguments, and the keys of an aggregation come before it.
 */
static uint32_t
action_number(const struct dv_ecb *e, uint32_t at)
{
	const struct dv_act *a;
	uint32_t i, no = 0;

	for (i = 0; i < e->nact; i++) {
		a = &e->acts[i];
		if (a->kind == DV_ACT_AGG) {
			if (at >= i && at <= i + a->nargs)
				return at == i ? no + a->nargs + 1 : no + (at - i);
			no += a->nargs + 1;
			i += a->nargs;
			continue;
		}
		if (a->nargs == 0 || a->rec.kind != DV_T_NONE || i == at)
			no++;
		if (i == at)
			break;
	}
	return no;
}

/* Where a fault in an aggregation happened is told by the DIFO that ran. */
static int
failed(struct dv_mstate *ms, const struct dv_ecb *e, uint32_t action,
       struct dv_account *acct, struct dv_fail *ret)
{
	ret->epid = ms->epid;
	ret->action = action == DV_NONE ? 0 : action_number(e, action);
	ret->offset = ms->fault_off;
	ret->fault = ms->fault;
	ret->addr = ms->fault == DV_FAULT_BADADDR ? ms->fault_addr : 0;
	DV_COUNT(acct->faulted);
	return -1;
}

static void
put_header(struct dv_mstate *ms, uint8_t *rec, const struct dv_ecb *e)
{
	struct dv_rec *r = (struct dv_rec *)rec;

	r->epid = ms->epid;
	r->vm = ms->s->vm;
	r->timestamp = dv_now(ms);
	if (e->gaps)
		memset(r + 1, 0, e->need - sizeof(*r));
}

/* What an action does beside its record. -1: a fault. */
static int
run_effect(struct dv_mstate *ms, uint32_t kind, uint64_t val)
{
	switch (kind) {
	case DV_ACT_EXIT:
		dv_ecb_exit(ms->s, (int32_t)val);
		return 0;
	case DV_ACT_CHILL:
		return dv_destr_chill(ms, val);
	case DV_ACT_SPECULATE:
	case DV_ACT_COMMIT:
	case DV_ACT_DISCARD:
		if (val > ms->s->nspec) {
			dv_fault(ms, DV_FAULT_ILLOP, 0);
			return -1;
		}
		if (kind == DV_ACT_COMMIT)
			dv_spec_commit(ms, val);
		else if (kind == DV_ACT_DISCARD)
			dv_spec_discard(ms, val);
		return 0;
	default:
		return 0;
	}
}

int
dv_ecb_run(struct dv_mstate *ms, uint32_t ei, struct dv_fail *ret)
{
	struct dv_state *s = ms->s;
	struct dv_cpu *cpu = ms->cpu;
	const struct dv_ecb *e = &s->ecbs[ei];
	struct dv_account *acct = &cpu->acct[ei];
	const struct dv_act *a;
	struct dv_sbuf *sbuf = NULL;
	uint8_t *rec = NULL;
	bool agg_dropped = false;
	uint64_t val;
	uint32_t i;

	ms->epid = ei + 1;
	ms->region[DV_RG_SCRATCH].len = ms->scratch_floor;
	ms->strtok = 0;
	if (dv_load_acq32(&s->life) == DV_LIFE_EXITING) {
		DV_COUNT(acct->fired);
		DV_COUNT(cpu->n.fired);
		DV_COUNT(acct->after_exit);
		return 0;
	}
	if (e->pred != DV_NONE) {
		val = dv_dif_run(ms, e->pred);
		if (ms->fault == 0 && val == 0) {
			DV_COUNT(acct->untrue);
			return 0;
		}
		if (ms->fault != 0) {
			DV_COUNT(acct->fired);
			DV_COUNT(cpu->n.fired);
			return failed(ms, e, DV_NONE, acct, ret);
		}
	}
	DV_COUNT(acct->fired);
	DV_COUNT(cpu->n.fired);
	if (!(e->flags & (DV_CL_NOREC | DV_CL_SPECULATES))) {
		rec = dv_buf_reserve(&cpu->buf, e->need);
		if (rec == NULL) {
			DV_COUNT(acct->dropped);
			return 0;
		}
		put_header(ms, rec, e);
	}
	for (i = 0; i < e->nact; i++) {
		a = &e->acts[i];
		ms->fault_off = 0;
		if (a->kind == DV_ACT_AGG) {
			if (run_agg(ms, a, &agg_dropped) != 0)
				return failed(ms, e, i, acct, ret);
			i += a->nargs;
			continue;
		}
		if (is_stack(a)) {
			if (rec != NULL && store_stack(ms, a,
			    rec + sizeof(struct dv_rec) + a->rec_off) != 0)
				return failed(ms, e, i, acct, ret);
			continue;
		}
		if (a->kind == DV_ACT_PANIC || a->kind == DV_ACT_BREAKPOINT)
			dv_destr_halt(ms, a->kind);
		if (a->difo == DV_NONE)
			continue;
		val = dv_dif_run(ms, a->difo);
		if (ms->fault != 0 || run_effect(ms, a->kind, val) != 0)
			return failed(ms, e, i, acct, ret);
		if (a->kind == DV_ACT_SPECULATE) {
			switch (dv_spec_reserve(ms, val, e->need, &sbuf)) {
			case DV_SPEC_REFUSED:
				DV_COUNT(acct->spec_refused);
				return 0;
			case DV_SPEC_FULL:
				DV_COUNT(acct->spec_dropped);
				return 0;
			default:
				rec = sbuf->mem + sbuf->used;
				put_header(ms, rec, e);
				continue;
			}
		}
		if (a->rec.kind != DV_T_NONE && rec != NULL &&
		    store_field(ms, a, rec + sizeof(struct dv_rec) + a->rec_off, val) != 0)
			return failed(ms, e, i, acct, ret);
	}
	if (sbuf != NULL) {
		sbuf->used += e->need;
		DV_COUNT(acct->speculated);
	} else if (rec != NULL) {
		dv_buf_commit(&cpu->buf, e->need);
		DV_COUNT(acct->recorded);
	} else if (agg_dropped) {
		DV_COUNT(acct->agg_dropped);
	} else {
		DV_COUNT(acct->norecord);
	}
	return 0;
}
