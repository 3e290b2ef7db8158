/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sobj.c - what a thread sleeps on: the kind of object, and its address.
 *
 * A sleeping thread does not say what it waits for. So the functions in which
 * threads wait for each kind of object are watched: at their entry the kind and
 * the object (their first argument, or what it leads to) are noted for the
 * current thread, at their returns the note is taken back. The notes are
 * variables of the prelude, by task_struct: __dv_stype (SOBJ_*) and __dv_wchan.
 * lwpsinfo_t's translator reads them; a sleeper without a note sleeps on
 * something else, a condition variable in D's terms.
 *
 * These functions are slow paths: who gets a lock at once passes none of them.
 * prepare_to_wait() and its kin only note the wait queue; finish_wait() forgets.
 *
 * Names are those of the kernel's sources (kernel/locking, kernel/futex,
 * kernel/sched/wait.c). What a kernel lacks or has inlined is passed over: its
 * callers are in the list as well.
 */
#include "guest-introspect/sites.h"

#include <stdio.h>

enum obj { O_CV, O_MUTEX, O_RWLOCK, O_SEMA, O_USER, O_USER_PI };
static const char *const sobj[] = {
	[O_CV] = "SOBJ_CV", [O_MUTEX] = "SOBJ_MUTEX", [O_RWLOCK] = "SOBJ_RWLOCK",
	[O_SEMA] = "SOBJ_SEMA", [O_USER] = "SOBJ_USER", [O_USER_PI] = "SOBJ_USER_PI",
};

/* A futex: private ones by their address, shared ones by page and offset. */
#define KEY(q)	"((struct futex_q *)" q ")->key.both.word + " \
		"((struct futex_q *)" q ")->key.both.offset"

static const struct place {
	const char *func;
	enum obj obj;
	const char *wchan;	/* expression; arg0, arg1 are the function's arguments */
	bool enters;		/* its returns do not matter: finish_wait() forgets */
} places[] = {
	{ "__mutex_lock", O_MUTEX, "arg0", false },
	{ "__mutex_lock_slowpath", O_MUTEX, "arg0", false },
	{ "__mutex_lock_interruptible_slowpath", O_MUTEX, "arg0", false },
	{ "__mutex_lock_killable_slowpath", O_MUTEX, "arg0", false },
	{ "__ww_mutex_lock", O_MUTEX, "arg0", false },
	{ "rwsem_down_read_slowpath", O_RWLOCK, "arg0", false },
	{ "rwsem_down_write_slowpath", O_RWLOCK, "arg0", false },
	{ "__down", O_SEMA, "arg0", false },
	{ "__down_interruptible", O_SEMA, "arg0", false },
	{ "__down_killable", O_SEMA, "arg0", false },
	{ "__down_timeout", O_SEMA, "arg0", false },
	{ "futex_wait_queue_me", O_USER, KEY("arg1"), false },
	{ "futex_wait_queue", O_USER, KEY("arg1"), false },
	{ "futex_do_wait", O_USER, KEY("arg0"), false },
	{ "futex_wait_multiple", O_USER, "arg0", false },
	{ "futex_lock_pi", O_USER_PI, "arg0", false },
	{ "__wait_for_common", O_CV, "arg0", false },
	{ "do_nanosleep", O_CV, "arg0", false },
	{ "poll_schedule_timeout", O_CV, "arg0", false },
	{ "prepare_to_wait", O_CV, "arg0", true },
	{ "prepare_to_wait_exclusive", O_CV, "arg0", true },
	{ "prepare_to_wait_event", O_CV, "arg0", true },
};

#define ME	"(uintptr_t)curthread"

static void
note(struct gi_build *b, uint64_t at, const struct place *p)
{
	const struct dv_argset raw = { .arg = { gi_loc_reg(DV_REG_RDI), gi_loc_reg(DV_REG_RSI) } };
	char text[256];

	snprintf(text, sizeof(text), "__dv_stype[" ME "] = %s", sobj[p->obj]);
	gi_build_stmt(b, at, GI_PRIO_FIRST, &raw, text);
	snprintf(text, sizeof(text), "__dv_wchan[" ME "] = (uint64_t)(%s)", p->wchan);
	gi_build_stmt(b, at, GI_PRIO_FIRST, &raw, text);
}

static void
forget(struct gi_build *b, uint64_t at)
{
	gi_build_stmt(b, at, GI_PRIO_LAST, NULL, "__dv_stype[" ME "] = 0");
	gi_build_stmt(b, at, GI_PRIO_LAST, NULL, "__dv_wchan[" ME "] = 0");
}

static void
watch(struct gi_build *b, uint64_t func, const struct place *p, bool finish)
{
	const struct gi_fn *f = gi_fn_at(b->k, func);
	uint64_t at = gi_fn_entry(b->k, func);
	struct gi_exits x = { 0 };
	size_t i;

	if (f == NULL || at == 0)
		return;
	if (p->enters && finish)
		note(b, at, p);
	if (!p->enters && gi_fn_exits(b->k, f, &x) == 0 && x.x.n > 0) {
		note(b, at, p);
		/* A tail jump into another of the list: that one notes anew. */
		for (i = 0; i < x.x.n; i++)
			forget(b, x.x.v[i].at);
	}
	dv_vec_fini(&x.x);
}

int
gi_sobj_sites(struct gi_build *b, struct dv_err *err)
{
	struct gi_kernel *k = b->k;
	uint64_t finish = gi_fn_entry(k, gi_addr(k, "finish_wait"));
	size_t i;

	(void)err;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct gi_sym s[GI_FN_COPIES];
		unsigned j, n = gi_fn_copies(k, places[i].func, false, s);

		for (j = 0; j < n; j++)
			watch(b, s[j].addr, &places[i], finish != 0);
	}
	if (finish != 0)
		forget(b, finish);
	return 0;
}
