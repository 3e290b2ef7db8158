/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * var.c - globals, clause-locals and the variables that D has built in.
 *
 * A by-value variable is a 64-bit word. A by-reference one (string, struct) is
 * storage in a region of the window, and loads as its address; beside it a
 * word says whether it is NULL. Globals are shared by all CPUs without any
 * lock, as in D: `x++` may lose counts, and a string may be read while it is
 * written, torn but inside its bounds. Clause-locals belong to the CPU and are
 * unset when a probe fires; an unset by-reference one is cleared at its first
 * load, not at each hit.
 *
 * Built-ins are computed when they are loaded, from the probe context and the
 * guest's layout. What costs guest reads is kept for the hit where it is
 * likely to be wanted again: curthread in the context, the CPU and the
 * thread's key in the mstate. In the host context without a guest, pid and kin
 * are dvisor's own.
 */
#include "var.h"

#include "dif.h"
#include "load.h"
#include "stack.h"
#include "state_impl.h"

enum { LOCAL_UNSET, LOCAL_SET, LOCAL_NULL };	/* by-reference locals */

int
dv_ref_copy(struct dv_mstate *ms, const struct dv_lvar *v, uint8_t *dst, uint64_t from)
{
	const uint8_t *src;
	size_t len;

	if (v->string) {		/* source and variable may be the same */
		if (dv_load_str(ms, from, (char *)ms->cpu->tmp[2], v->size,
		    DV_KERNEL, &len) != 0)
			return -1;
		memcpy(dst, ms->cpu->tmp[2], len + 1);
		return 0;
	}
	src = dv_tmem(ms, from, v->size, false);
	if (src == NULL)
		return dv_load(ms, from, dst, v->size, DV_KERNEL);
	memmove(dst, src, v->size);
	return 0;
}

uint64_t
dv_global_load(struct dv_mstate *ms, uint32_t v)
{
	const struct dv_lvar *lv = &ms->s->lvars[v];
	uint64_t word = dv_load_acq64(&ms->s->gvals[lv->slot]);

	if (!lv->byref)
		return word;
	return word != 0 ? 0 : dv_win(ms->s, DV_RG_GLOBALS, lv->off);
}

void
dv_global_store(struct dv_mstate *ms, uint32_t v, uint64_t val)
{
	const struct dv_lvar *lv = &ms->s->lvars[v];
	uint64_t *word = &ms->s->gvals[lv->slot];

	if (!lv->byref) {
		dv_store_rel64(word, val);
	} else if (val == 0) {
		dv_store_rel64(word, 1);
	} else if (dv_ref_copy(ms, lv, ms->region[DV_RG_GLOBALS].mem + lv->off, val) == 0) {
		dv_store_rel64(word, 0);
	}
}

uint64_t
dv_local_load(struct dv_mstate *ms, uint32_t v)
{
	const struct dv_lvar *lv = &ms->s->lvars[v];
	uint64_t *word = &ms->cpu->lvals[lv->slot];

	if (!lv->byref)
		return *word;
	if (*word == LOCAL_NULL)
		return 0;
	if (*word == LOCAL_UNSET) {
		memset(ms->region[DV_RG_LOCALS].mem + lv->off, 0, lv->size);
		*word = LOCAL_SET;
	}
	return dv_win(ms->s, DV_RG_LOCALS, lv->off);
}

void
dv_local_store(struct dv_mstate *ms, uint32_t v, uint64_t val)
{
	const struct dv_lvar *lv = &ms->s->lvars[v];
	uint64_t *word = &ms->cpu->lvals[lv->slot];

	if (!lv->byref)
		*word = val;
	else if (val == 0)
		*word = LOCAL_NULL;
	else if (dv_ref_copy(ms, lv, ms->region[DV_RG_LOCALS].mem + lv->off, val) == 0)
		*word = LOCAL_SET;
}

int
dv_task_u32(struct dv_mstate *ms, uint64_t task, uint32_t off, uint64_t *ret)
{
	uint32_t v = 0;

	if (off == DV_NO_OFF) {
		*ret = 0;
		return 0;
	}
	if (dv_field(ms, task, off, &v, sizeof(v)) != 0)
		return -1;
	*ret = v;
	return 0;
}

enum task_value { T_PID, T_TID, T_PPID, T_UID, T_GID };

static uint64_t
task_value(struct dv_mstate *ms, enum task_value what)
{
	const struct dv_prog_hdr *h = ms->s->prog.hdr;
	const struct dv_layout *l = ms->s->lay;
	uint64_t task, via = 0, ret = 0;

	if (dv_curthread(ms, &task) != 0)
		return 0;
	if (task == 0) {		/* no guest: dvisor itself */
		switch (what) {
		case T_PPID:
			return h->host_ppid;
		case T_UID:
			return h->host_uid;
		case T_GID:
			return h->host_gid;
		default:
			return h->host_pid;
		}
	}
	switch (what) {
	case T_PID:
		(void)dv_task_u32(ms, task, l->task_tgid, &ret);
		break;
	case T_TID:
		(void)dv_task_u32(ms, task, l->task_pid, &ret);
		break;
	case T_PPID:
		if (l->task_real_parent != DV_NO_OFF &&
		    dv_field(ms, task, l->task_real_parent, &via, sizeof(via)) == 0)
			(void)dv_task_u32(ms, via, l->task_tgid, &ret);
		break;
	default:
		if (l->task_cred != DV_NO_OFF &&
		    dv_field(ms, task, l->task_cred, &via, sizeof(via)) == 0)
			(void)dv_task_u32(ms, via, what == T_UID ? l->cred_uid : l->cred_gid, &ret);
	}
	return ret;
}

/* A Linux guest has no zones: all of it is what D calls the global one. */
static uint64_t
zonename(struct dv_mstate *ms)
{
	uint64_t addr = 0;
	uint8_t *p = dv_scratch(ms, sizeof("global"), &addr);

	if (p == NULL)
		return 0;
	memcpy(p, "global", sizeof("global"));
	return addr;
}

#define COMM_LEN	16

static uint64_t
execname(struct dv_mstate *ms)
{
	uint64_t task, addr = 0;
	char *p;

	if (dv_curthread(ms, &task) != 0)
		return 0;
	if (task == 0)
		return dv_win(ms->s, DV_RG_STRS, ms->s->prog.hdr->host_execname);
	p = (char *)dv_scratch(ms, COMM_LEN, &addr);
	if (p == NULL || dv_field(ms, task, ms->s->lay->task_comm, p, COMM_LEN) != 0)
		return 0;
	p[COMM_LEN - 1] = '\0';
	return addr;
}

static uint64_t
sys_errno(struct dv_mstate *ms)
{
	const uint32_t want = DV_PF_SYSCALL | DV_PF_RETURN;
	uint64_t v;

	if (ms->probe == NULL || (ms->probe->flags & want) != want ||
	    dv_arg(ms, 1, &v) != 0)
		return 0;
	return (int64_t)v < 0 && (int64_t)v >= -4095 ? -v : 0;
}

/* Where the innermost frame was called from; 0: nowhere. */
static uint64_t
caller(struct dv_mstate *ms, bool user)
{
	uint64_t pc[2] = { 0, 0 };
	uint32_t n;

	if (!user)
		(void)dv_kstack(ms, (uint8_t *)pc, 2);
	else if (dv_ustack(ms, (uint8_t *)pc, 2, &n) != 0)
		return 0;
	return pc[1];
}

static uint64_t
name(struct dv_mstate *ms, uint32_t str)
{
	return dv_win(ms->s, DV_RG_STRS, str);
}

uint64_t
dv_builtin(struct dv_mstate *ms, uint32_t id)
{
	static const struct dv_probe none;	/* strs begin with an empty one or not */
	const struct dv_probe *pr = ms->probe != NULL ? ms->probe : &none;
	uint64_t ret = 0;
	uint32_t level, n;

	switch (id) {
	case DIF_VAR_CURTHREAD:
		(void)dv_curthread(ms, &ret);
		return ret;
	case DIF_VAR_TIMESTAMP:
		return dv_now(ms);
	case DIF_VAR_VTIMESTAMP:
		return dv_vtime(ms);
	case DIF_VAR_ZONENAME:
		return zonename(ms);
	case DIF_VAR_WALLTIMESTAMP:
		if (ms->wall == 0)
			ms->wall = ms->s->c.wallclock(ms->ctx);
		return ms->wall;
	case DIF_VAR_IPL:
		return dv_level(ms, &level) == 0 ? level : 0;
	case DIF_VAR_CALLER:
	case DIF_VAR_UCALLER:
		return caller(ms, id == DIF_VAR_UCALLER);
	case DIF_VAR_STACKDEPTH:
		return dv_kstack(ms, NULL, DV_MAXFRAMES);
	case DIF_VAR_USTACKDEPTH:
		return dv_ustack(ms, NULL, DV_MAXUFRAMES, &n) == 0 ? n : 0;
	case DIF_VAR_EPID:
		return ms->epid;
	case DIF_VAR_ID:
		return pr->id;
	case DIF_VAR_ARG0:
	case DIF_VAR_ARG1:
	case DIF_VAR_ARG2:
	case DIF_VAR_ARG3:
	case DIF_VAR_ARG4:
	case DIF_VAR_ARG5:
	case DIF_VAR_ARG6:
	case DIF_VAR_ARG7:
	case DIF_VAR_ARG8:
	case DIF_VAR_ARG9:
		(void)dv_arg(ms, id - DIF_VAR_ARG0, &ret);
		return ret;
	case DIF_VAR_PROBEPROV:
		return name(ms, pr->prov);
	case DIF_VAR_PROBEMOD:
		return name(ms, pr->mod);
	case DIF_VAR_PROBEFUNC:
		return name(ms, pr->func);
	case DIF_VAR_PROBENAME:
		return name(ms, pr->name);
	case DIF_VAR_VMNAME:
		return name(ms, ms->s->prog.hdr->vmname);
	case DIF_VAR_PID:
		return task_value(ms, T_PID);
	case DIF_VAR_TID:
		return task_value(ms, T_TID);
	case DIF_VAR_PPID:
		return task_value(ms, T_PPID);
	case DIF_VAR_UID:
		return task_value(ms, T_UID);
	case DIF_VAR_GID:
		return task_value(ms, T_GID);
	case DIF_VAR_EXECNAME:
		return execname(ms);
	case DIF_VAR_ERRNO:
		return sys_errno(ms);
	case DIF_VAR_CPU:
		if (ms->ctx->vcpu < 0)
			return 0;
		if (dv_cpu_find(ms) != 0) {
			dv_fault(ms, DV_FAULT_BADADDR, 0);
			return 0;
		}
		return ms->cpuno;
	default:
		DV_ASSERT(!"a built-in that the verifier let pass");
		return 0;
	}
}

const char *
dv_builtin_refused(uint32_t id, const char **ret)
{
	*ret = "variable";
	switch (id) {
#define DIF_VAR(name, value, text) case value: *ret = text; break;
#include "dif.def"
	default:
		return "does not exist";
	}
	switch (id) {
	case DIF_VAR_ARGS:
	case DIF_VAR_REGS:
	case DIF_VAR_UREGS:
		return "is an array";
	default:
		return NULL;
	}
}
