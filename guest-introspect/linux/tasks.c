/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks.c - the threads of a guest that runs.
 *
 * All processes are in a ring through task_struct.tasks, of which init_task is a
 * part; the threads of each in a ring through thread_node, which is closed by
 * signal_struct.thread_head. The guest goes on while they are followed: a process
 * that ends keeps its links for a while, and then its memory may be another's. So
 * a link that leads to nowhere ends that ring, no thread is told twice, and a ring
 * that was not followed to its end is walked again, WALKS times in all. What is
 * made up by a hostile guest is bounded: GI_MAX_TASKS are told, and as many structs
 * are looked at as all walks of so many take.
 */
#include "tasks.h"

#define WALKS		3u
#define MAX_STRUCT	65536u		/* of a task_struct */

struct walk {
	struct gi_kernel *k;
	uint32_t size;			/* of struct task_struct */
	uint64_t init;
	int64_t tasks, node, signal, head, pid, on_cpu, nvcsw, nivcsw, born, sp, stack;
	size_t on_cpu_size;
	struct dv_map *seen;		/* task_struct -> the walk that met it last: */
	char *walk, walks[WALKS];	/* one of these, which say nothing else */
	bool again;			/* this walk was here before */
	uint8_t *copy;			/* of the one at hand */
	unsigned n;			/* that were told */
	unsigned looks;			/* at structs, so far */
	int (*fn)(void *arg, const struct gi_task *t);
	void *arg;
};

/* on_cpu has become one byte. */
static int64_t
find_on_cpu(const struct gi_kernel *k, size_t *size)
{
	struct gi_member m;
	struct gi_type t;
	int64_t off = gi_btf_offsetof(k->btf, gi_type_find(k, GI_T_STRUCT, "task_struct"),
	    "on_cpu", &m);

	if (off < 0 || gi_type(k, gi_btf_resolve(k->btf, m.type), &t) != 0 || t.size == 0 ||
	    t.size > 8)
		return -1;
	*size = (size_t)t.size;
	return off;
}

static bool
find_offsets(struct gi_kernel *k, struct walk *w)
{
	struct gi_type t;

	w->k = k;
	w->init = gi_addr(k, "init_task");
	w->tasks = gi_offsetof(k, "task_struct", "tasks");
	w->node = gi_offsetof(k, "task_struct", "thread_node");
	w->signal = gi_offsetof(k, "task_struct", "signal");
	w->head = gi_offsetof(k, "signal_struct", "thread_head");
	w->pid = gi_offsetof(k, "task_struct", "pid");
	w->on_cpu = find_on_cpu(k, &w->on_cpu_size);
	w->nvcsw = gi_offsetof(k, "task_struct", "nvcsw");
	w->nivcsw = gi_offsetof(k, "task_struct", "nivcsw");
	w->born = gi_offsetof(k, "task_struct", "start_boottime");
	w->sp = gi_offsetof(k, "task_struct", "thread.sp");
	w->stack = gi_offsetof(k, "task_struct", "stack");
	if (gi_type(k, gi_type_find(k, GI_T_STRUCT, "task_struct"), &t) != 0 ||
	    t.size > MAX_STRUCT)
		return false;
	w->size = (uint32_t)t.size;
	return w->init != 0 && w->tasks >= 0 && w->node >= 0 && w->signal >= 0 && w->head >= 0 &&
	    w->pid >= 0 && w->on_cpu >= 0 && w->nvcsw >= 0 && w->nivcsw >= 0 && w->born >= 0 &&
	    w->sp >= 0 && w->stack >= 0;
}

/* A member of the copy; 0: not inside it. */
static uint64_t
member(const struct walk *w, int64_t off, size_t size)
{
	uint64_t v = 0;

	if (off >= 0 && (uint64_t)off + size <= w->size)
		memcpy(&v, w->copy + off, size);
	return v;
}

/* Copies the task_struct at addr; false: there can be none. */
static bool
look(struct walk *w, uint64_t addr)
{
	return w->looks++ < WALKS * GI_MAX_TASKS && gi_in_kernel_half(w->k, addr) &&
	    (addr & 7) == 0 &&
	    gi_read(w->k, DV_GVA(addr), w->copy, w->size, NULL) == 0;
}

static int
tell(struct walk *w, uint64_t addr)
{
	struct gi_task t = { .addr = addr, .pid = (uint32_t)member(w, w->pid, 4),
	    .runs = member(w, w->on_cpu, w->on_cpu_size) != 0,
	    .switches = member(w, w->nvcsw, 8) + member(w, w->nivcsw, 8),
	    .born = member(w, w->born, 8), .sp = member(w, w->sp, 8),
	    .stack = member(w, w->stack, 8) };
	const char *met = dv_map_get(w->seen, addr);

	w->again = met == w->walk;
	if (dv_map_set(w->seen, addr, w->walk) != 0)
		return DV_E_NOMEM;
	if (met != NULL || t.pid == 0)
		return 0;
	w->n++;
	return w->fn(w->arg, &t);
}

/* The other threads of the process whose task_struct is at hand. */
static int
walk_threads(struct walk *w, uint64_t leader, bool *whole)
{
	uint64_t head = member(w, w->signal, 8) + (uint64_t)w->head;
	uint64_t at = member(w, w->node, 8), task;
	int rc;

	/* one that ends is in no ring any more, or in one that it does not close */
	while (at != head) {
		task = at - (uint64_t)w->node;
		if (task == leader)
			return 0;
		if (w->n >= GI_MAX_TASKS || !look(w, task)) {
			*whole = false;
			return 0;
		}
		if ((rc = tell(w, task)) != 0)
			return rc;
		if (w->again) {
			*whole = false;
			return 0;
		}
		at = member(w, w->node, 8);
	}
	return 0;
}

static int
walk_all(struct walk *w, bool *whole)
{
	uint64_t at = w->init, next;
	int rc;

	*whole = true;
	while (w->n < GI_MAX_TASKS && look(w, at)) {
		next = member(w, w->tasks, 8) - (uint64_t)w->tasks;
		if ((rc = tell(w, at)) != 0)
			return rc;
		if (w->again)
			break;
		if (at != w->init && (rc = walk_threads(w, at, whole)) != 0)
			return rc;
		if (next == w->init)
			return 0;
		at = next;
	}
	*whole = false;
	return 0;
}

int
gi_tasks_each(struct gi_kernel *k, int (*fn)(void *arg, const struct gi_task *t), void *arg,
    bool *whole, struct dv_err *err)
{
	struct walk w = { .fn = fn, .arg = arg };
	unsigned i;
	int rc = 0;

	*whole = false;
	if (!find_offsets(k, &w))
		return dv_err_set(err, DV_E_UNSUP,
		    "the guest's kernel does not say where it keeps its threads");
	w.seen = dv_map_create();
	w.copy = malloc(w.size);
	if (w.seen == NULL || w.copy == NULL)
		rc = DV_E_NOMEM;
	for (i = 0; i < WALKS && rc == 0 && !*whole && w.n < GI_MAX_TASKS; i++) {
		w.walk = &w.walks[i];
		rc = walk_all(&w, whole);
	}
	dv_map_destroy(w.seen);
	free(w.copy);
	return rc == DV_E_NOMEM ? dv_err_nomem(err) : rc;
}

bool
gi_task_same(struct gi_kernel *k, const struct gi_task *t)
{
	uint64_t vol, invol, born, runs = 0;
	size_t size = 0;
	int64_t at[] = { find_on_cpu(k, &size),
	    gi_offsetof(k, "task_struct", "nvcsw"), gi_offsetof(k, "task_struct", "nivcsw"),
	    gi_offsetof(k, "task_struct", "start_boottime") };

	/* in this order: who has run and left again meanwhile has counted that */
	return gi_read(k, DV_GVA(t->addr + (uint64_t)at[0]), &runs, size, NULL) == 0 && runs == 0 &&
	    gi_read(k, DV_GVA(t->addr + (uint64_t)at[1]), &vol, 8, NULL) == 0 &&
	    gi_read(k, DV_GVA(t->addr + (uint64_t)at[2]), &invol, 8, NULL) == 0 &&
	    gi_read(k, DV_GVA(t->addr + (uint64_t)at[3]), &born, 8, NULL) == 0 &&
	    vol + invol == t->switches && born == t->born;
}
