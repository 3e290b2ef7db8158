/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gi_locks_test.c - which members a lock has decides how its state is read. */
#include "test.h"

#include "gi_fake.h"

#include <stdlib.h>

#define BASE	0xffffffff9d000000ull

/* struct NAME with one member that is a struct, with one of its own, of 8 bytes. */
static void
nested(struct fake_btf *b, const char *name, const char *outer, const char *inner)
{
	uint32_t u64 = fake_int(b, "u64", 8, 0), in;

	in = fake_type(b, 4, "", 1, false, 8);
	fake_member(b, inner, u64, 0);
	fake_type(b, 4, name, 1, false, 8);
	fake_member(b, outer, in, 0);
}

/* rwlock_t is a name of a struct without one. */
static void
rwlock(struct fake_btf *b, const char *outer, const char *inner)
{
	uint32_t u64 = fake_int(b, "u64", 8, 0), in, out;

	in = fake_type(b, 4, "", 1, false, 8);
	fake_member(b, inner, u64, 0);
	out = fake_type(b, 4, "", 1, false, 8);
	fake_member(b, outer, in, 0);
	fake_type(b, 8, "rwlock_t", 0, false, out);
}

static void
plain(struct fake_btf *b)
{
	nested(b, "mutex", "owner", "counter");
	nested(b, "spinlock", "rlock", "raw_lock");
	nested(b, "rw_semaphore", "count", "counter");
	rwlock(b, "raw_lock", "cnts");
}

static void
realtime(struct fake_btf *b)
{
	nested(b, "mutex", "rtmutex", "owner");
	nested(b, "spinlock", "lock", "owner");
	nested(b, "rw_semaphore", "rwbase", "readers");
	rwlock(b, "rwbase", "readers");
}

/* As PREEMPT_RT was before it was merged. */
static void
old_realtime(struct fake_btf *b)
{
	nested(b, "mutex", "lock", "owner");
	nested(b, "spinlock", "lock", "owner");
	nested(b, "rw_semaphore", "readers", "counter");
	rwlock(b, "readers", "counter");
}

static void
expect_lines(void (*types)(struct fake_btf *b), const char *const *want)
{
	struct gi_kernel *k;
	struct dv_err err;
	struct fake f;
	char *text;

	fake_make_with(&f, 1, 4, BASE, types);
	EXPECT_EQ(gi_kernel_open(&f.mem, &f.cpu, 1, &err, &k), 0);
	text = gi_prelude(k, &err);
	EXPECT(text != NULL);
	for (; *want != NULL; want++)
		if (strstr(text, *want) == NULL)
			FAIL("no line: %s", *want);
	free(text);
	gi_kernel_close(k);
	fake_free(&f);
}

TEST(plain_locks)
{
	expect_lines(plain, (const char *const[]){
	    "__mutex_owner[struct mutex *L] = (struct task_struct *)(L->owner.counter & ~7UL);",
	    "__mutex_owner_spin[struct spinlock *L] = (struct task_struct *)0;",
	    "__mutex_type_spin_spin[struct spinlock *L] = 1;",
	    "__rw_write_held[struct rw_semaphore *L] = (L->count.counter & 1) != 0;",
	    "__rw_write_held_rwlock[rwlock_t *L] = (L->raw_lock.cnts.counter & 0xff) != 0;",
	    NULL });
}

TEST(realtime_locks)
{
	expect_lines(realtime, (const char *const[]){
	    "__mutex_owner[struct mutex *L] = (struct task_struct *)"
	    "((unsigned long)L->rtmutex.owner & ~1UL);",
	    "__mutex_owner_spin[struct spinlock *L] = (struct task_struct *)"
	    "((unsigned long)L->lock.owner & ~1UL);",
	    "__mutex_type_spin_spin[struct spinlock *L] = 0;",
	    "__rw_read_held[struct rw_semaphore *L] = (L->rwbase.readers.counter & 0x3fffffff) != 0;",
	    "__rw_write_held[struct rw_semaphore *L] = L->rwbase.readers.counter == 0x40000000;",
	    "__rw_iswriter_rwlock[rwlock_t *L] = (L->rwbase.readers.counter & 0x80000000) == 0;",
	    NULL });
	expect_lines(old_realtime, (const char *const[]){
	    "((unsigned long)L->lock.owner & ~1UL) == curthread;",
	    "__rw_read_held[struct rw_semaphore *L] = (L->readers.counter & 0x3fffffff) != 0;",
	    "__rw_iswriter_rwlock[rwlock_t *L] = (L->readers.counter & 0x80000000) == 0;",
	    NULL });
}

TEST_MAIN()
