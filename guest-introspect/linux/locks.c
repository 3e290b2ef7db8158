/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locks.c - D's questions about locks, answered from this very kernel's.
 *
 * mutex_owned() and its kin are inlines over the guest's types; the compiler
 * takes the one for the type that it is given (dcomp/subr.c). Each reads its
 * lock once, so that it speaks of one moment, and uses its parameter once.
 *
 * Which members there are says how a lock works:
 *
 *	struct mutex		owner: the task, with flags in the low 3 bits
 *	  PREEMPT_RT		rtmutex.owner, before it was merged lock.owner: the
 *				task, bit 0 a flag
 *	spinlock_t		an owner with CONFIG_DEBUG_SPINLOCK only, in its
 *				raw_spinlock; with PREEMPT_RT it sleeps: lock.owner
 *	struct rw_semaphore	count: bit 0 a writer has it, 1 somebody waits
 *				(the first one is a writer if readers have it),
 *				2 and 63 other flags, readers from bit 8 on
 *	  PREEMPT_RT		rwbase.readers, before it was merged readers: bit 31
 *				goes while a writer wants it, bit 30 alone: a writer
 *				has it; the rest counts readers
 *	rwlock_t		raw_lock.cnts: low byte a writer has it, bit 8 one
 *				waits, readers from bit 9 on
 *
 * "Held by a reader" must not count a reader that has announced itself while a
 * writer is inside. Bit 0 is the writer in both words; in w = (readers | bit 0)
 * ^ 1 it is set if there is none; times (2^63 + 1) moves a copy of it to the
 * top, which nothing else reaches. So w * T > T says: no writer, and readers.
 */
#include "guest-introspect/gi_impl.h"

#include "base/str.h"

#include <stdio.h>

#define TOP	"0x8000000000000001UL"

static bool
has(const struct gi_kernel *k, const char *strct, const char *path)
{
	return gi_offsetof(k, strct, path) >= 0;
}

static void
owned(struct dv_str *s, const char *kind, const char *type, const char *owner, bool spins)
{
	dv_str_printf(s, "inline int __mutex_owned%s[%s *L] = "
	    "(struct task_struct *)%s == curthread;\n", kind, type, owner);
	dv_str_printf(s, "inline struct task_struct *__mutex_owner%s[%s *L] = "
	    "(struct task_struct *)%s;\n", kind, type, spins ? "0" : owner);
	dv_str_printf(s, "inline int __mutex_type_adaptive%s[%s *L] = %d;\n"
	    "inline int __mutex_type_spin%s[%s *L] = %d;\n", kind, type, !spins, kind, type, spins);
}

static void
mutexes(const struct gi_kernel *k, struct dv_str *s)
{
	bool rt = has(k, "spinlock", "lock.owner");

	owned(s, "", "struct mutex", has(k, "mutex", "rtmutex.owner") ?
	    "((unsigned long)L->rtmutex.owner & ~1UL)" : has(k, "mutex", "lock.owner") ?
	    "((unsigned long)L->lock.owner & ~1UL)" : "(L->owner.counter & ~7UL)", false);
	owned(s, "_spin", "struct spinlock", rt ? "((unsigned long)L->lock.owner & ~1UL)" :
	    "L->rlock.owner", !rt);
	owned(s, "_raw", "struct raw_spinlock", "L->owner", true);
}

static void
held(struct dv_str *s, const char *what, const char *kind, const char *type, const char *expr)
{
	dv_str_printf(s, "inline int __rw_%s%s[%s *L] = %s;\n", what, kind, type, expr);
}

/* PREEMPT_RT's: `word` is readers. */
static void
rt_held(struct dv_str *s, const char *kind, const char *type, const char *word)
{
	char expr[80];

	snprintf(expr, sizeof(expr), "(%s & 0x3fffffff) != 0", word);
	held(s, "read_held", kind, type, expr);
	snprintf(expr, sizeof(expr), "%s == 0x40000000", word);
	held(s, "write_held", kind, type, expr);
	snprintf(expr, sizeof(expr), "(%s & 0x80000000) == 0", word);
	held(s, "iswriter", kind, type, expr);
}

static void
rwlocks(const struct gi_kernel *k, struct dv_str *s)
{
	static const char sem[] = "struct rw_semaphore", lock[] = "rwlock_t";

	if (has(k, "rw_semaphore", "rwbase.readers"))
		rt_held(s, "", sem, "L->rwbase.readers.counter");
	else if (has(k, "rw_semaphore", "readers"))
		rt_held(s, "", sem, "L->readers.counter");
	else {
		held(s, "read_held", "", sem,
		    "((L->count.counter & 0x7fffffffffffff01UL) ^ 1) * " TOP " > " TOP);
		held(s, "write_held", "", sem, "(L->count.counter & 1) != 0");
		held(s, "iswriter", "", sem, "(L->count.counter & 3) != 0");
	}
	if (has(k, lock, "rwbase.readers"))
		rt_held(s, "_rwlock", lock, "L->rwbase.readers.counter");
	else if (has(k, lock, "readers"))
		rt_held(s, "_rwlock", lock, "L->readers.counter");
	else {
		held(s, "read_held", "_rwlock", lock,
		    "((L->raw_lock.cnts.counter & 0xfffffe01UL) ^ 1) * " TOP " > " TOP);
		held(s, "write_held", "_rwlock", lock, "(L->raw_lock.cnts.counter & 0xff) != 0");
		held(s, "iswriter", "_rwlock", lock, "(L->raw_lock.cnts.counter & 0x1ff) != 0");
	}
}

void
gi_prelude_locks(const struct gi_kernel *k, struct dv_str *s)
{
	mutexes(k, s);
	rwlocks(k, s);
}
