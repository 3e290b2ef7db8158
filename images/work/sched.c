/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched.c - work for the scheduler: threads that wait for each other, compete
 * for CPUs or a lock, sleep, and change their priorities.
 *
 * nvcsw and nivcsw in the result lines are the kernel's own count of this
 * process's voluntary and involuntary switches off a CPU.
 */
#define _GNU_SOURCE
#include "work.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS	256

/* Runs FN in N threads and waits for them. */
static void
run_threads(long n, void *(*fn)(void *), void *arg)
{
	pthread_t t[MAX_THREADS];
	long i;

	if (n > MAX_THREADS)
		n = MAX_THREADS;
	for (i = 0; i < n; i++)
		if ((errno = pthread_create(&t[i], NULL, fn, arg)) != 0)
			die("pthread_create");
	for (i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

/* pingpong: a byte goes to the other thread and back, N times. */

static struct {
	int there[2], back[2];
	long n;
} pp;

static void
pass(int fd, long nr)
{
	char c = 'x';

	if (syscall(nr, fd, &c, 1) != 1)
		die(nr == SYS_read ? "read" : "write");
}

static void *
pong(void *arg)
{
	long i;

	for (i = 0; i < pp.n; i++) {
		pass(pp.there[0], SYS_read);
		pass(pp.back[1], SYS_write);
	}
	return arg;
}

int
work_pingpong(const struct work *w, long *arg, char **argv)
{
	pthread_t t;
	long i;

	(void)argv;
	pp.n = arg[0];
	if (pipe(pp.there) != 0 || pipe(pp.back) != 0)
		die("pipe");
	if ((errno = pthread_create(&t, NULL, pong, NULL)) != 0)
		die("pthread_create");
	for (i = 0; i < pp.n; i++) {
		pass(pp.there[1], SYS_write);
		pass(pp.back[0], SYS_read);
	}
	pthread_join(t, NULL);
	report_start(w->name);
	report("trips", (uint64_t)pp.n);
	report("write", (uint64_t)pp.n * 2 + 1);	/* this line is one */
	report("read", (uint64_t)pp.n * 2);
	report_switches();
	report_end();
	return 0;
}

/* hog: threads that only compute, until the time is over. */

static uint64_t hog_end;

static void *
hog(void *arg)
{
	volatile unsigned spin;

	do
		for (spin = 0; spin < 10000; spin++)
			;
	while (now_ns() < hog_end);
	return arg;
}

int
work_hog(const struct work *w, long *arg, char **argv)
{
	uint64_t start = now_ns();
	struct timespec cpu;

	(void)argv;
	hog_end = start + (uint64_t)arg[0] * 1000000000;
	run_threads(arg[1], hog, NULL);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	report_start(w->name);
	report("threads", (uint64_t)arg[1]);
	report("ms", (now_ns() - start) / 1000000);
	report("cpu_ms", (uint64_t)cpu.tv_sec * 1000 + (uint64_t)cpu.tv_nsec / 1000000);
	report_switches();
	report_end();
	return 0;
}

/*
 * mutex: a futex lock (0 free, 1 held, 2 held and waited for) fought over. All
 * threads begin at once, and each holder gives its CPU away now and then, so
 * that the others do find the lock taken, on one CPU or many.
 */

static struct {
	int lock;
	long n;
	long missing;				/* threads not begun; atomic */
	uint64_t locked, yields;		/* by the lock */
	uint64_t wait, wake, slept;		/* atomic */
} mx;

static void
mx_lock(void)
{
	int c = 0;

	if (__atomic_compare_exchange_n(&mx.lock, &c, 1, 0, __ATOMIC_ACQUIRE,
	    __ATOMIC_RELAXED))
		return;
	if (c != 2)
		c = __atomic_exchange_n(&mx.lock, 2, __ATOMIC_ACQUIRE);
	while (c != 0) {
		__atomic_add_fetch(&mx.wait, 1, __ATOMIC_RELAXED);
		if (syscall(SYS_futex, &mx.lock, FUTEX_WAIT_PRIVATE, 2, NULL,
		    NULL, 0) == 0)
			__atomic_add_fetch(&mx.slept, 1, __ATOMIC_RELAXED);
		c = __atomic_exchange_n(&mx.lock, 2, __ATOMIC_ACQUIRE);
	}
}

static void
mx_unlock(void)
{
	if (__atomic_exchange_n(&mx.lock, 0, __ATOMIC_RELEASE) == 2) {
		__atomic_add_fetch(&mx.wake, 1, __ATOMIC_RELAXED);
		syscall(SYS_futex, &mx.lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
}

static void *
fight(void *arg)
{
	volatile unsigned spin;
	long i;

	__atomic_sub_fetch(&mx.missing, 1, __ATOMIC_RELAXED);
	while (__atomic_load_n(&mx.missing, __ATOMIC_RELAXED) > 0)
		usleep(100);
	for (i = 0; i < mx.n; i++) {
		mx_lock();
		mx.locked++;
		for (spin = 0; spin < 2000; spin++)
			;
		if (i % 4 == 0) {
			syscall(SYS_sched_yield);
			mx.yields++;
		}
		mx_unlock();
	}
	return arg;
}

int
work_mutex(const struct work *w, long *arg, char **argv)
{
	(void)argv;
	if (arg[1] > MAX_THREADS)
		arg[1] = MAX_THREADS;
	mx.n = arg[0];
	mx.missing = arg[1];
	run_threads(arg[1], fight, NULL);
	report_start(w->name);
	report("lock", mx.locked);
	report("futex_wait", mx.wait);
	report("slept", mx.slept);
	report("futex_wake", mx.wake);
	report("yield", mx.yields);
	report_switches();
	report_end();
	return 0;
}

/* prio: nice values go down the scale and wrap; classes take turns. */
int
work_prio(const struct work *w, long *arg, char **argv)
{
	static const int policy[] = { SCHED_FIFO, SCHED_RR, SCHED_BATCH, SCHED_OTHER };
	uint64_t prio = 0, sched = 0, failed = 0;
	struct sched_param param;
	long i;

	(void)argv;
	for (i = 0; i < arg[0]; i++) {
		failed += syscall(SYS_setpriority, PRIO_PROCESS, 0, 1 + i % 19) != 0;
		prio++;
		param.sched_priority = i % 4 < 2 ? 10 + (int)(i % 4) : 0;
		failed += syscall(SYS_sched_setscheduler, 0, policy[i % 4],
		    &param) != 0;
		sched++;
	}
	report_start(w->name);
	report("setpriority", prio);
	report("sched_setscheduler", sched);
	report("failed", failed);
	report_end();
	return 0;
}

int
work_sleep(const struct work *w, long *arg, char **argv)
{
	struct timespec ts = { arg[1] / 1000, arg[1] % 1000 * 1000000 };
	uint64_t start = now_ns();
	long i;

	(void)argv;
	for (i = 0; i < arg[0]; i++)
		syscall(SYS_nanosleep, &ts, NULL);
	report_start(w->name);
	report("nanosleep", (uint64_t)i);
	report("ms", (now_ns() - start) / 1000000);
	report_switches();
	report_end();
	return 0;
}
