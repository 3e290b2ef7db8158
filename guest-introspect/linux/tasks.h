/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tasks.h - the threads of a guest that runs, and the stacks of those that do not. */
#ifndef GI_TASKS_H
#define GI_TASKS_H
#include "../gi_impl.h"

/*
 * A thread, as one copy of its task_struct has it. That copy was not made at one
 * moment: who depends on two things of it asks gi_task_same() when done.
 */
struct gi_task {
	uint64_t addr;			/* of its task_struct */
	uint32_t pid;
	bool runs;			/* on a CPU: its stack is not to be looked at */
	uint64_t switches;		/* how often it has left a CPU */
	uint64_t born;			/* start_boottime */
	uint64_t sp;			/* where it left the CPU */
	uint64_t stack;			/* its stack's lowest address */
};

/*
 * Calls fn for all threads but the idle ones; a nonzero result ends it and is
 * returned. *whole: the guest's lists were walked to their ends. At most
 * GI_MAX_TASKS; each once, whatever the lists look like. DV_E_UNSUP: not known
 * where this guest keeps them. DV_E_NOMEM.
 */
#define GI_MAX_TASKS	8192u
int gi_tasks_each(struct gi_kernel *k, int (*fn)(void *arg, const struct gi_task *t), void *arg,
		  bool *whole, struct dv_err *err);

/* Has it not run since t was read? */
bool gi_task_same(struct gi_kernel *k, const struct gi_task *t);

/* ---- stacks: kstack.c ---- */

#define GI_MAX_STACK	65536u
#define GI_MAX_FRAMES	128u

/* What is on a stack, from where the thread left its CPU, at `low`, to its end. */
struct gi_kstack {
	uint64_t low;
	uint32_t len;			/* bytes; a multiple of 8 */
	uint8_t bytes[GI_MAX_STACK];
};

struct gi_frame {
	uint64_t ip;			/* an address in the function; a call's, not the return's */
	uint64_t end;			/* the caller's frame begins here */
};

struct gi_unwinder;
/* Tables are read when they are needed, and kept. */
struct gi_unwinder *gi_unwinder_create(struct gi_kernel *k, struct dv_err *err);
void gi_unwinder_destroy(struct gi_unwinder *u);

/* false: it cannot be read, or does not look like the stack of a thread that is off. */
bool gi_kstack_read(struct gi_unwinder *u, const struct gi_task *t, struct gi_kstack *ret);
/*
 * Its frames, from the innermost function outward; how many. A stack that cannot be
 * followed ends there.
 */
unsigned gi_kstack_frames(struct gi_unwinder *u, const struct gi_kstack *s,
			  struct gi_frame ret[GI_MAX_FRAMES]);
/* The word at an address of a stack; false: not on it. */
bool gi_kstack_word(const struct gi_kstack *s, uint64_t at, uint64_t *ret);

#endif
