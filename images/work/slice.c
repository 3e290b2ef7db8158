/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slice.c - a thread that asks for more of its time slice in critical sections,
 * by Linux's rseq(2), and ends them in all ways that there are.
 *
 * A real-time thread on the same CPU sleeps for a millisecond at a time, so each
 * of its wake-ups should preempt. The first thread asks for an extension (request)
 * and computes until the kernel has granted it (granted). Then, in turn, it
 *
 *	yields		by rseq_slice_yield(2), which returns 1 if that was in time
 *	overruns	computes until the kernel has taken the grant back
 *	calls		another system call, which ends the grant
 *
 * A grant lasts microseconds, and a slow machine may take it back before the
 * thread has seen it: such a round is counted as lost, and tried again. The
 * kernel's own counts (rseq/stats in debugfs, if it keeps them) have all grants.
 *
 * The C library has registered the thread with the old layout, without extensions;
 * the program runs itself again without that (glibc.pthread.rseq).
 */
#define _GNU_SOURCE
#include "work.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* linux/rseq.h, linux/prctl.h and asm/unistd_64.h of kernels that have it */
struct rseq_area {
	uint32_t cpu_id_start, cpu_id;
	uint64_t rseq_cs;
	uint32_t flags, node_id, mm_cid;
	union {
		uint32_t all;
		struct {
			uint8_t request, granted;
		};
	} slice;
	uint8_t room[256 - 32];
};
#define RSEQ_SIG		0x53053053
#define SLICE_PRCTL		79	/* PR_RSEQ_SLICE_EXTENSION */
#define SLICE_SET		2	/* PR_RSEQ_SLICE_EXTENSION_SET */
#define SLICE_ENABLE		1	/* PR_RSEQ_SLICE_EXT_ENABLE */
#define SYS_SLICE_YIELD		471	/* rseq_slice_yield */
#define ROUNDS_PER_END		2000	/* before it gives up */

static _Alignas(256) volatile struct rseq_area area;
static volatile int slice_done;

static void *
disturb(void *arg)
{
	const struct sched_param param = { .sched_priority = 10 };
	const struct timespec ms = { 0, 1000000 };

	if ((errno = pthread_setschedparam(pthread_self(), SCHED_FIFO, &param)) != 0)
		die("pthread_setschedparam");
	pthread_setname_np(pthread_self(), "dvdisturb");
	while (!slice_done)
		nanosleep(&ms, NULL);
	return arg;
}

/* Computes until it has a grant; false: that has come and gone, or was refused. */
static int
ask(void)
{
	area.slice.request = 1;
	while (area.slice.request)
		;
	return area.slice.granted;
}

int
work_slice(const struct work *w, long *arg, char **argv)
{
	uint64_t yielded = 0, late = 0, overrun = 0, called = 0, lost = 0;
	uint64_t most = ROUNDS_PER_END * (uint64_t)arg[0];
	cpu_set_t set;
	char n[24];
	pthread_t t;
	long round;

	(void)argv;
	if (getenv("GLIBC_TUNABLES") == NULL) {
		setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
		snprintf(n, sizeof(n), "%ld", arg[0]);
		execl(self_path, self_path, w->name, n, (char *)NULL);
		die("execl");
	}
	if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
		die("mlockall");
	CPU_ZERO(&set);
	CPU_SET((size_t)sched_getcpu(), &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		die("sched_setaffinity");
	if ((errno = pthread_create(&t, NULL, disturb, NULL)) != 0)
		die("pthread_create");
	if (syscall(SYS_rseq, &area, sizeof(area), 0, RSEQ_SIG) != 0)
		die("rseq");
	if (prctl(SLICE_PRCTL, SLICE_SET, SLICE_ENABLE, 0, 0) != 0)
		die("prctl: the extension of time slices");
	prctl(PR_SET_NAME, "dvslice");
	for (round = 0; yielded < (uint64_t)arg[0] || overrun < (uint64_t)arg[0] ||
	    called < (uint64_t)arg[0]; round++) {
		if (yielded + late + overrun + called + lost > most)
			break;
		if (!ask())
			lost++;
		else if (round % 3 == 0) {
			if (syscall(SYS_SLICE_YIELD) == 1)
				yielded++;
			else
				late++;
		} else if (round % 3 == 1) {
			while (area.slice.granted)
				;
			overrun++;
		} else {
			syscall(SYS_getppid);
			called++;
		}
	}
	prctl(SLICE_PRCTL, SLICE_SET, 0, 0, 0);
	slice_done = 1;
	pthread_join(t, NULL);
	report_start(w->name);
	report("yielded", yielded);
	report("late", late);
	report("overrun", overrun);
	report("called", called);
	report("lost", lost);
	report_end();
	return 0;
}
