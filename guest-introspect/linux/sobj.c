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
 * kernel/sched/wait.c); compilers put suffixes to some. What a kernel lacks or
 * has inlined is passed over: its callers are in the list as well.
 *
 * Threads that are in such a function already when tracing starts have passed its
 * entry unseen. Their stacks are looked at (tasks.h): the innermost frame that is
 * of such a function tells the kind, and the object is found by what a waiter
 * leaves in memory, which is surer than where a compiler keeps an argument:
 *
 *	a lock, a completion	the thread's waiter is on its stack, in the ring of
 *			the lock's waiters. The lock is the word on the stack
 *			(the function still has it) that this ring belongs to;
 *			with one waiter alone, the ring says it by itself.
 *	a futex		its futex_q is on the stack, with its key
 *	a timer, poll()	the struct that names the thread, and that the function
 *			has a pointer to
 *	a wait queue	(prepare_to_wait() is no frame any more) the entry on the
 *			stack and its ring, as with locks
 *
 * What is found is a start (dv_prog.h): __dv_stype0 and __dv_wchan0, which hold
 * until the function returns, as a note does. A thread that has run since it was
 * looked at may be elsewhere; its count of switches tells. So a value is stored
 * if the thread has not run, and taken back if it has run then: by that time the
 * sites see what it does. No object found: the kind alone, and 0.
 */
#include "tasks.h"
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

/* How the object is found of a thread that is there already. */
enum how { H_MUTEX, H_RWSEM, H_SEMA, H_COMPLETION, H_FUTEX, H_FUTEX_PI,
	H_FUTEXES, H_SLEEPER, H_POLL, H_QUEUE };

static const struct place {
	const char *func;
	enum obj obj;
	const char *wchan;	/* expression; arg0, arg1 are the function's arguments */
	bool enters;		/* its returns do not matter: finish_wait() forgets */
	enum how how;
} places[] = {
	{ "__mutex_lock", O_MUTEX, "arg0", false, H_MUTEX },
	{ "__mutex_lock_slowpath", O_MUTEX, "arg0", false, H_MUTEX },
	{ "__mutex_lock_interruptible_slowpath", O_MUTEX, "arg0", false, H_MUTEX },
	{ "__mutex_lock_killable_slowpath", O_MUTEX, "arg0", false, H_MUTEX },
	{ "__ww_mutex_lock", O_MUTEX, "arg0", false, H_MUTEX },
	{ "rwsem_down_read_slowpath", O_RWLOCK, "arg0", false, H_RWSEM },
	{ "rwsem_down_write_slowpath", O_RWLOCK, "arg0", false, H_RWSEM },
	{ "__down", O_SEMA, "arg0", false, H_SEMA },
	{ "__down_interruptible", O_SEMA, "arg0", false, H_SEMA },
	{ "__down_killable", O_SEMA, "arg0", false, H_SEMA },
	{ "__down_timeout", O_SEMA, "arg0", false, H_SEMA },
	{ "__down_common", O_SEMA, "arg0", false, H_SEMA },	/* the four jump there */
	{ "___down_common", O_SEMA, "arg0", false, H_SEMA },
	{ "futex_wait_queue_me", O_USER, KEY("arg1"), false, H_FUTEX },
	{ "futex_wait_queue", O_USER, KEY("arg1"), false, H_FUTEX },
	{ "futex_do_wait", O_USER, KEY("arg0"), false, H_FUTEX },
	{ "futex_wait_multiple", O_USER, "arg0", false, H_FUTEXES },
	{ "futex_lock_pi", O_USER_PI, "arg0", false, H_FUTEX_PI },
	{ "__wait_for_common", O_CV, "arg0", false, H_COMPLETION },
	{ "do_nanosleep", O_CV, "arg0", false, H_SLEEPER },
	{ "poll_schedule_timeout", O_CV, "arg0", false, H_POLL },
	{ "prepare_to_wait", O_CV, "arg0", true, H_QUEUE },
	{ "prepare_to_wait_exclusive", O_CV, "arg0", true, H_QUEUE },
	{ "prepare_to_wait_event", O_CV, "arg0", true, H_QUEUE },
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
	gi_build_stmt(b, at, GI_PRIO_LAST, NULL, "__dv_stype0[" ME "] = 0");
	gi_build_stmt(b, at, GI_PRIO_LAST, NULL, "__dv_wchan0[" ME "] = 0");
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

/* ---- threads that are there already ------------------------------------------ */

#define MAXRING		1024u		/* waiters of one lock */
#define MAXWORDS	4096u		/* read for one thread, beside its stack */
#define MAXALLWORDS	(1u << 18)	/* read for all */

/* A waiter and what it waits at; offsets, -1: this kernel has no such. */
struct waiter {
	int64_t link, task;		/* in the waiter: list_head, task_struct * */
	int64_t head;			/* in the object: list_head, */
	int64_t first;			/* or struct WAITER *, the ring having no head */
};

/* A struct on a stack that names its thread, and a function; offsets, -1: no such. */
struct naming {
	int64_t task, func;
	uint64_t is;			/* that function */
};

struct look {
	struct gi_build *b;
	struct gi_unwinder *u;
	struct waiter waiter[H_QUEUE + 1];
	int64_t q_task, q_key, q_list, futexes_q, entry_func;
	struct naming sleeper, poll;
	uint64_t autoremove;
	DV_VEC(uint64_t) funcs;		/* start of each function of places, and */
	DV_VEC(uint32_t) which;		/* its index there */
	struct gi_kstack stack;
	struct gi_frame frame[GI_MAX_FRAMES];
	uint64_t ring[MAXRING];
	uint32_t words, all_words;	/* that may still be read */
	bool failed;
};

static void
waiter_of(const struct gi_kernel *k, const char *object, const char *head, const char *first,
    const char *waiter, const char *link, const char *task, struct waiter *ret)
{
	ret->link = gi_offsetof(k, waiter, link);
	ret->task = gi_offsetof(k, waiter, task);
	ret->head = gi_offsetof(k, object, head);
	ret->first = first != NULL ? gi_offsetof(k, object, first) : -1;
}

static int64_t
sum(int64_t a, int64_t b)
{
	return a < 0 || b < 0 ? -1 : a + b;
}

static void
find_offsets(const struct gi_kernel *k, struct look *l)
{
	waiter_of(k, "mutex", "wait_list", "first_waiter", "mutex_waiter", "list", "task",
	    &l->waiter[H_MUTEX]);
	waiter_of(k, "rw_semaphore", "wait_list", "first_waiter", "rwsem_waiter", "list", "task",
	    &l->waiter[H_RWSEM]);
	waiter_of(k, "semaphore", "wait_list", "first_waiter", "semaphore_waiter", "list", "task",
	    &l->waiter[H_SEMA]);
	waiter_of(k, "completion", "wait.task_list", NULL, "swait_queue", "task_list", "task",
	    &l->waiter[H_COMPLETION]);
	waiter_of(k, "wait_queue_head", "head", NULL, "wait_queue_entry", "entry", "private",
	    &l->waiter[H_QUEUE]);
	l->q_task = gi_offsetof(k, "futex_q", "task");
	l->q_key = gi_offsetof(k, "futex_q", "key.both.word");
	l->q_list = gi_offsetof(k, "futex_q", "list.node_list");
	l->futexes_q = gi_offsetof(k, "futex_vector", "q");
	l->sleeper = (struct naming){ gi_offsetof(k, "hrtimer_sleeper", "task"),
	    gi_offsetof(k, "hrtimer_sleeper", "timer.function"), gi_addr(k, "hrtimer_wakeup") };
	l->poll = (struct naming){ gi_offsetof(k, "poll_wqueues", "polling_task"),
	    sum(gi_offsetof(k, "poll_wqueues", "inline_entries"),
	    gi_offsetof(k, "poll_table_entry", "wait.func")), gi_addr(k, "pollwake") };
	l->entry_func = gi_offsetof(k, "wait_queue_entry", "func");
	l->autoremove = gi_addr(k, "autoremove_wake_function");
}

static void
find_funcs(struct look *l)
{
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct gi_sym s[GI_FN_COPIES];
		unsigned j, n = places[i].enters ? 0 :
		    gi_fn_copies(l->b->k, places[i].func, false, s);

		for (j = 0; j < n; j++)
			if (dv_vec_push(&l->funcs, s[j].addr) != 0 ||
			    dv_vec_push(&l->which, (uint32_t)i) != 0)
				l->failed = true;
	}
}

/* A word of the guest's kernel, on this stack or elsewhere. */
static bool
word(struct look *l, uint64_t at, uint64_t *ret)
{
	if (gi_kstack_word(&l->stack, at, ret))
		return true;
	if (!gi_in_kernel_half(l->b->k, at) || l->words == 0 || l->all_words == 0)
		return false;
	l->words--;
	l->all_words--;
	return gi_read(l->b->k, DV_GVA(at), ret, 8, NULL) == 0;
}

/*
 * The ring of list_heads that the one at `link` is in, itself first: how many, or 0
 * if it is not sound, or too large.
 */
static unsigned
ring_of(struct look *l, uint64_t link)
{
	uint64_t at = link, next, back;
	unsigned n = 0;

	do {
		if (n == MAXRING || (at & 7) != 0 || !word(l, at, &next) ||
		    !word(l, next + 8, &back) || back != at)
			return 0;
		l->ring[n++] = at;
		at = next;
	} while (at != link);
	return n;
}

static bool
in_ring(const struct look *l, unsigned n, uint64_t at)
{
	unsigned i;

	for (i = 0; i < n && l->ring[i] != at; i++)
		;
	return i < n;
}

/* The object of this kind that a thread's waiter, on its stack, waits at; 0: none. */
static uint64_t
by_waiter(struct look *l, const struct waiter *w, uint64_t waiter, uint64_t end)
{
	unsigned n = ring_of(l, waiter + (uint64_t)w->link);
	uint64_t at, c, first;

	if (n == 2 && w->head >= 0)
		return l->ring[1] - (uint64_t)w->head;
	for (at = l->stack.low; n > 0 && at < end; at += 8) {
		if (!gi_kstack_word(&l->stack, at, &c) || (c & 7) != 0 ||
		    !gi_in_kernel_half(l->b->k, c))
			continue;
		if (w->head >= 0 && in_ring(l, n, c + (uint64_t)w->head))
			return c;
		if (w->first >= 0 && c - l->stack.low >= l->stack.len &&
		    word(l, c + (uint64_t)w->first, &first) &&
		    in_ring(l, n, first + (uint64_t)w->link))
			return c;
	}
	return 0;
}

static uint64_t
find_waiting(struct look *l, const struct gi_task *t, const struct waiter *w, uint64_t end)
{
	uint64_t at, c, func, found;

	if (w->link < 0 || w->task < 0 || (w->head < 0 && w->first < 0))
		return 0;
	for (at = l->stack.low; at < end; at += 8) {
		if (!gi_kstack_word(&l->stack, at, &c) || c != t->addr)
			continue;
		/* others than these are not forgotten by finish_wait() */
		if (w == &l->waiter[H_QUEUE] && (l->entry_func < 0 || !gi_kstack_word(&l->stack,
		    at - (uint64_t)w->task + (uint64_t)l->entry_func, &func) ||
		    func != l->autoremove))
			continue;
		if ((found = by_waiter(l, w, at - (uint64_t)w->task, end)) != 0)
			return found;
	}
	return 0;
}

/* A pointer below `end` to a struct on this stack that names the thread. */
static uint64_t
find_naming(const struct look *l, const struct gi_task *t, const struct naming *n, uint64_t end)
{
	uint64_t at, c, task, func;

	if (n->task < 0 || n->func < 0 || n->is == 0)
		return 0;
	for (at = l->stack.low; at < end; at += 8)
		if (gi_kstack_word(&l->stack, at, &c) && (c & 7) == 0 &&
		    gi_kstack_word(&l->stack, c + (uint64_t)n->task, &task) && task == t->addr &&
		    gi_kstack_word(&l->stack, c + (uint64_t)n->func, &func) && func == n->is)
			return c;
	return 0;
}

/* A pointer to several futexes, which name the thread. */
static uint64_t
find_futexes(struct look *l, const struct gi_task *t, uint64_t end)
{
	uint64_t at, c, q, task;

	if (l->futexes_q < 0 || l->q_task < 0 || l->q_list < 0)
		return 0;
	for (at = l->stack.low; at < end; at += 8) {
		if (!gi_kstack_word(&l->stack, at, &c) || (c & 7) != 0 ||
		    c - l->stack.low < l->stack.len)
			continue;
		q = c + (uint64_t)l->futexes_q;
		if (word(l, q + (uint64_t)l->q_task, &task) && task == t->addr &&
		    ring_of(l, q + (uint64_t)l->q_list) > 1)
			return c;
	}
	return 0;
}

/* The key of the futex_q on the stack, as KEY(). `pi`: its address, if there is one. */
static uint64_t
find_futex(struct look *l, const struct gi_task *t, bool pi)
{
	uint64_t at, c, q, key, off;

	if (l->q_task < 0 || l->q_key < 0 || l->q_list < 0)
		return 0;
	for (at = l->stack.low; at - l->stack.low < l->stack.len; at += 8) {
		q = at - (uint64_t)l->q_task;
		/* union futex_key: pointer, word, offset */
		if (gi_kstack_word(&l->stack, at, &c) && c == t->addr &&
		    ring_of(l, q + (uint64_t)l->q_list) > 1 &&
		    gi_kstack_word(&l->stack, q + (uint64_t)l->q_key, &key) &&
		    gi_kstack_word(&l->stack, q + (uint64_t)l->q_key + 8, &off))
			/* FUT_OFF_INODE: it is a file's, the key no address */
			return !pi ? key + (uint32_t)off : (off & 1) != 0 ? 0 :
			    key + ((uint32_t)off & ~3u);
	}
	return 0;
}

static uint64_t
find_object(struct look *l, const struct gi_task *t, enum how how, uint64_t end)
{
	switch (how) {
	case H_MUTEX:
	case H_RWSEM:
	case H_SEMA:
	case H_COMPLETION:
	case H_QUEUE:
		return find_waiting(l, t, &l->waiter[how], end);
	case H_FUTEX:
	case H_FUTEX_PI:
		return find_futex(l, t, how == H_FUTEX_PI);
	case H_FUTEXES:
		return find_futexes(l, t, end);
	case H_SLEEPER:
		return find_naming(l, t, &l->sleeper, end);
	case H_POLL:
		return find_naming(l, t, &l->poll, end);
	}
	return 0;
}

/* Has the thread of the raw arguments not run since? In the order of gi_task_same(). */
#define T	"((struct task_struct *)arg0)"
#define HELD	T "->on_cpu == 0 && " T "->nvcsw + " T "->nivcsw == arg1 && " \
		T "->start_boottime == arg2"

static void
start(struct look *l, const struct gi_task *t, enum obj obj, uint64_t object)
{
	const struct dv_argset raw = { .arg = {
	    { .kind = DV_LOC_CONST, .value = t->addr },
	    { .kind = DV_LOC_CONST, .value = t->switches },
	    { .kind = DV_LOC_CONST, .value = t->born },
	    { .kind = DV_LOC_CONST, .value = object } } };
	char text[512];

	if (obj != O_CV) {
		snprintf(text, sizeof(text),
		    HELD " ? (__dv_stype0[(uintptr_t)arg0] = %s) : 0", sobj[obj]);
		gi_build_start(l->b, &raw, text);
	}
	if (object != 0)
		gi_build_start(l->b, &raw,
		    HELD " ? (__dv_wchan0[(uintptr_t)arg0] = arg3) : 0");
	if (obj != O_CV)
		gi_build_start(l->b, &raw,
		    HELD " ? 0 : (__dv_stype0[(uintptr_t)arg0] = 0)");
	if (object != 0)
		gi_build_start(l->b, &raw,
		    HELD " ? 0 : (__dv_wchan0[(uintptr_t)arg0] = 0)");
}

static int
look_at(void *arg, const struct gi_task *t)
{
	uint64_t end, object;
	const struct place *p = NULL;
	struct look *l = arg;
	const struct gi_fn *f;
	unsigned i, n;
	size_t j;

	if (t->runs || !gi_kstack_read(l->u, t, &l->stack))
		return 0;
	l->words = MAXWORDS;
	end = l->stack.low + l->stack.len;
	n = gi_kstack_frames(l->u, &l->stack, l->frame);
	for (i = 0; i < n && p == NULL; i++) {
		if ((f = gi_fn_at(l->b->k, l->frame[i].ip)) == NULL)
			continue;
		for (j = 0; j < l->funcs.n; j++)
			if (l->funcs.v[j] == gi_fn_addr(l->b->k, f)) {
				p = &places[l->which.v[j]];
				end = l->frame[i].end;
			}
	}
	object = find_object(l, t, p != NULL ? p->how : H_QUEUE, end);
	if (gi_task_same(l->b->k, t) && (p != NULL || object != 0))
		start(l, t, p != NULL ? p->obj : O_CV, object);
	return 0;
}

/* A guest that does not say enough: its sleepers are as those that are not noted. */
static int
look_at_all(struct gi_build *b, struct dv_err *err)
{
	struct look *l = calloc(1, sizeof(*l));
	bool whole = false;
	int rc = 0;

	if (l == NULL)
		return dv_err_nomem(err);
	l->b = b;
	l->all_words = MAXALLWORDS;
	find_offsets(b->k, l);
	find_funcs(l);
	if (l->failed)
		rc = dv_err_nomem(err);
	else if ((l->u = gi_unwinder_create(b->k, err)) == NULL)
		rc = err->code;
	else
		rc = gi_tasks_each(b->k, look_at, l, &whole, err);
	gi_unwinder_destroy(l->u);
	dv_vec_fini(&l->funcs);
	dv_vec_fini(&l->which);
	b->starts_cut = !whole || l->all_words == 0;
	free(l);
	return rc == DV_E_NOMEM ? rc : 0;
}

int
gi_sobj_sites(struct gi_build *b, struct dv_err *err)
{
	struct gi_kernel *k = b->k;
	uint64_t finish = gi_fn_entry(k, gi_addr(k, "finish_wait"));
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct gi_sym s[GI_FN_COPIES];
		unsigned j, n = gi_fn_copies(k, places[i].func, false, s);

		for (j = 0; j < n; j++)
			watch(b, s[j].addr, &places[i], finish != 0);
	}
	if (finish != 0)
		forget(b, finish);
	return look_at_all(b, err);
}
