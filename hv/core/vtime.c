/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vtime.c - vtimestamp: how long a thread has been on a CPU.
 *
 * A site that no user sees fires where the kernel switches threads, while a
 * program uses vtimestamp. There the time since the last switch is added to
 * the thread that leaves, and the clock of the one that comes is started. It
 * is the host's clock, as for timestamp. What a hit takes, from the machine's
 * entry to its end, chill() included, moves the start on (fire.c): so that time
 * is no thread's, as D has it.
 *
 * A thread that is met for the first time begins with what the guest's own
 * scheduler has counted for it, so that values are comparable with the
 * guest's: se.sum_exec_runtime, which is exact for one that comes to a CPU, and
 * up to a tick old for one that was there already when tracing began.
 *
 * Sums are kept in a table by address of the task. A thread is on one CPU at a
 * time, so a slot has one user; between two CPUs the guest's own switch orders
 * them. Where all places that an address can have are taken, one of a thread
 * that is no more gives way: its task has another start_boottime now, or none.
 * If there is no such, the thread is not remembered, and begins anew from the
 * guest's sum each time that it comes: then only the time of probes is wrong.
 */
#include "vtime.h"

#include "load.h"
#include "state_impl.h"

#define WAYS	16u
#define BUSY	1u

static uint64_t
field64(struct dv_mstate *ms, uint64_t task, uint32_t off)
{
	uint64_t v = 0;

	if (off == DV_NO_OFF || dv_field(ms, task, off, &v, sizeof(v)) != 0) {
		ms->fault = 0;
		return 0;
	}
	return v;
}

static struct dv_vslot *
place(const struct dv_state *s, uint64_t task, uint32_t i)
{
	uint64_t h = (task >> 6) * 0x9e3779b97f4a7c15ull;

	return &s->vslots[((h >> 40) + i) % DV_VTIME_N];
}

static struct dv_vslot *
find(const struct dv_state *s, uint64_t task)
{
	struct dv_vslot *v;
	uint32_t i;

	for (i = 0; i < WAYS; i++) {
		v = place(s, task, i);
		if (dv_load_acq64(&v->task) == task)
			return v;
	}
	return NULL;
}

/* A free place, or one of a thread that has ended; it is BUSY then. */
static struct dv_vslot *
take(struct dv_mstate *ms, uint64_t task)
{
	const struct dv_state *s = ms->s;
	struct dv_vslot *v;
	uint64_t was;
	uint32_t i;

	for (i = 0; i < WAYS; i++) {
		v = place(s, task, i);
		was = 0;
		if (dv_cas64(&v->task, &was, BUSY))
			return v;
	}
	for (i = 0; i < WAYS; i++) {
		v = place(s, task, i);
		was = dv_load_acq64(&v->task);
		if (was > BUSY && field64(ms, was, s->lay->task_start_boottime) !=
		    dv_load_acq64(&v->born) && dv_cas64(&v->task, &was, BUSY))
			return v;
	}
	return NULL;
}

/* Starts the clock of a thread that is on this CPU now. */
static void
begin(struct dv_mstate *ms, uint64_t task)
{
	struct dv_vcur *c = &ms->cpu->vcur;
	const struct dv_layout *l = ms->s->lay;
	struct dv_vslot *v = find(ms->s, task);

	c->task = task;
	c->start = dv_now(ms);
	if (v != NULL && dv_load_acq64(&v->born) == field64(ms, task, l->task_start_boottime))
		c->base = dv_load_acq64(&v->vtime);
	else
		c->base = field64(ms, task, l->task_runtime);
}

static void
end(struct dv_mstate *ms)
{
	const struct dv_vcur *c = &ms->cpu->vcur;
	struct dv_vslot *v = find(ms->s, c->task);
	uint64_t born = field64(ms, c->task, ms->s->lay->task_start_boottime);

	if (v == NULL && (v = take(ms, c->task)) == NULL)
		return;
	dv_store_rel64(&v->born, born);
	dv_store_rel64(&v->vtime, c->base + (dv_now(ms) - c->start));
	dv_store_rel64(&v->task, c->task);
}

void
dv_vtime_switch(struct dv_mstate *ms)
{
	uint64_t prev, next;

	ms->fault = 0;
	if (ms->s->lay == NULL || ms->ctx->vcpu < 0 || dv_raw_arg(ms, 0, &prev) != 0 ||
	    dv_raw_arg(ms, 1, &next) != 0 || prev < ms->s->kernel_half ||
	    next < ms->s->kernel_half)
		return;			/* no thread, whatever the guest says */
	if (ms->cpu->vcur.task != prev)		/* the first one here */
		begin(ms, prev);
	end(ms);
	begin(ms, next);
}

uint64_t
dv_vtime(struct dv_mstate *ms)
{
	struct dv_vcur *c = &ms->cpu->vcur;
	uint64_t task;

	if (ms->ctx->vcpu < 0)
		return 0;
	if (dv_curthread(ms, &task) != 0)
		return 0;
	if (c->task != task)
		begin(ms, task);
	return c->base + (dv_now(ms) - c->start);
}
