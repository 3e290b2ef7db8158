/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * places.c - threads that take CPUs from each other, move between them, and
 * work for each other. They have names of their own, so that a trace can tell.
 */
#define _GNU_SOURCE
#include "work.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int over, victim;

static void
named(const char *name)
{
	if (prctl(PR_SET_NAME, name) != 0)
		die("prctl");
}

static void
bind(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(tid, sizeof(set), &set) != 0)
		die("sched_setaffinity");
}

static void
compute(long n)
{
	volatile long spin;

	for (spin = 0; spin < n; spin++)
		;
}

static void
nap(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	syscall(SYS_nanosleep, &ts, NULL);
}

static void *
computes(void *name)
{
	named(name);
	victim = (int)syscall(SYS_gettid);
	while (!over)
		compute(1000);
	return name;
}

static pthread_t
start(void *(*fn)(void *), const char *name)
{
	pthread_t t;

	victim = 0;
	if ((errno = pthread_create(&t, NULL, fn, (void *)name)) != 0)
		die("pthread_create");
	return t;
}

static pid_t
victim_is(void)
{
	while (victim == 0)
		sched_yield();
	return victim;
}

/*
 * migrate: a thread that computes is told, N times, to go to the other CPU; on
 * every second one a thread runs that it has to wait for.
 */
int
work_migrate(const struct work *w, long *arg, char **argv)
{
	pthread_t hog, t;
	pid_t tid;
	long i;

	(void)argv;
	hog = start(computes, "dvhog");
	bind(victim_is(), 0);
	t = start(computes, "dvmoved");
	tid = victim_is();
	bind(tid, 0);
	for (i = 0; i < arg[0]; i++) {
		nap(1 + i % 3);
		bind(tid, (int)(1 - i % 2));
	}
	over = 1;
	pthread_join(t, NULL);
	pthread_join(hog, NULL);
	report_start(w->name);
	report("moves", (uint64_t)arg[0]);
	report_end();
	return 0;
}

/*
 * steal: three threads that compute are bound to CPU 0, then let go; the CPU that
 * let them go has nothing to do. N times.
 */
int
work_steal(const struct work *w, long *arg, char **argv)
{
	pthread_t hog[3];
	cpu_set_t any;
	pid_t tid[3];
	long i;
	int j;

	(void)argv;
	if (sched_getaffinity(0, sizeof(any), &any) != 0)
		die("sched_getaffinity");
	for (j = 0; j < 3; j++) {
		hog[j] = start(computes, "dvhog");
		tid[j] = victim_is();
	}
	bind(0, 1);
	for (i = 0; i < arg[0]; i++) {
		for (j = 0; j < 3; j++)
			bind(tid[j], 0);
		nap(5);
		for (j = 0; j < 3; j++)
			if (sched_setaffinity(tid[j], sizeof(any), &any) != 0)
				die("sched_setaffinity");
		nap(20);
	}
	over = 1;
	for (j = 0; j < 3; j++)
		pthread_join(hog[j], NULL);
	report_start(w->name);
	report("times", (uint64_t)arg[0]);
	report_end();
	return 0;
}

/* preempt: a thread of class FIFO wakes N times on the CPU of one that computes. */
int
work_preempt(const struct work *w, long *arg, char **argv)
{
	struct sched_param param = { .sched_priority = 10 };
	pthread_t hog;
	long i;

	(void)argv;
	bind(0, 0);
	hog = start(computes, "dvhog");
	victim_is();
	named("dvfifo");
	if (sched_setscheduler(0, SCHED_FIFO, &param) != 0)
		die("sched_setscheduler");
	for (i = 0; i < arg[0]; i++)
		nap(2);
	over = 1;
	pthread_join(hog, NULL);
	report_start(w->name);
	report("wakes", (uint64_t)arg[0]);
	report_end();
	return 0;
}

/*
 * serve: two clients ask N times each, and sleep until the server has answered.
 * It works eight times as long for one of them. They begin late, so that it
 * sleeps until one asks.
 */

static void
pass(int fd, long nr, char *c)
{
	if (syscall(nr, fd, c, 1) != 1)
		die(nr == SYS_read ? "read" : "write");
}

static void
client(const char *name, int ask, int answer, char what, long n)
{
	long i;

	named("dvearly");
	nap(20);
	named(name);
	for (i = 0; i < n; i++) {
		pass(ask, SYS_write, &what);
		pass(answer, SYS_read, &what);
	}
	_exit(0);
}

int
work_serve(const struct work *w, long *arg, char **argv)
{
	static const char *const name[] = { "dvlight", "dvheavy" };
	int ask[2], answer[2][2], status;
	long i;
	char c;

	(void)argv;
	if (pipe(ask) != 0 || pipe(answer[0]) != 0 || pipe(answer[1]) != 0)
		die("pipe");
	named("dvserver");
	for (i = 0; i < 2; i++)
		switch (fork()) {
		case -1:
			die("fork");
		case 0:
			client(name[i], ask[1], answer[i][0], (char)i, arg[0]);
		}
	for (i = 0; i < 2 * arg[0]; i++) {
		pass(ask[0], SYS_read, &c);
		compute(c == 1 ? 80000 : 10000);
		pass(answer[(int)c][1], SYS_write, &c);
	}
	while (wait(&status) > 0)
		if (status != 0)
			die("a client");
	report_start(w->name);
	report("answers", (uint64_t)arg[0] * 2);
	report_end();
	return 0;
}

/* deadline: N periods, each given back early; sched_setattr(2) has no wrapper. */

struct attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

int
work_deadline(const struct work *w, long *arg, char **argv)
{
	struct attr a = { .size = sizeof(a), .policy = 6, .runtime = 2000000,
	    .deadline = 8000000, .period = 8000000 };
	long i;

	(void)argv;
	named("dvdeadline");
	if (syscall(SYS_sched_setattr, 0, &a, 0) != 0)
		die("sched_setattr");
	for (i = 0; i < arg[0]; i++) {
		/* every fourth overruns, and is held back */
		compute(i % 4 == 3 ? 3000000 : 1000);
		if (i % 4 == 1)
			nap(1);
		else
			syscall(SYS_sched_yield);
	}
	report_start(w->name);
	report("periods", (uint64_t)arg[0]);
	report_end();
	return 0;
}
