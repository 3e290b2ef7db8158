/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench.c - what one call costs here, by CLOCK_MONOTONIC.
 *
 * The calls are made in ten equal batches. `ns` is the time of all, and
 * `best_ps` the picoseconds per call of the fastest batch, which a noisy
 * machine spoils least. A call of `switch` is a byte to another thread and back:
 * two switches, if both are bound to one CPU (-p). `cpuid` is an instruction that
 * leaves any guest for its hypervisor.
 *
 * A batch begins and ends with mark(), an instruction that does nothing and is
 * nowhere else: an emulator can tell how many instructions it took meanwhile.
 */
#define _GNU_SOURCE
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BATCHES		10

static int null, zero;
static char buf[64];

static void op_getppid(void) { syscall(SYS_getppid); }
static void op_write(void) { syscall(SYS_write, null, buf, sizeof(buf)); }
static void op_read(void) { syscall(SYS_read, zero, buf, sizeof(buf)); }
static void op_none(void) { __asm__ volatile(""); }

static void
op_cpuid(void)
{
	unsigned a = 0, c = 0;

	__asm__ volatile("cpuid" : "+a"(a), "+c"(c) : : "ebx", "edx", "memory");
}

/* nopl 0x64766d6b(%rax,%rax,1): see tests/bench/insns.c */
static void
mark(void)
{
	__asm__ volatile(".byte 0x0f, 0x1f, 0x84, 0x00, 0x6b, 0x6d, 0x76, 0x64" : : : "memory");
}

static void
op_open(void)
{
	syscall(SYS_close, (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY));
}

static int ping[2], pong[2];

static void
hand(int from, int to)
{
	char c = 'x';

	if ((from >= 0 && syscall(SYS_read, from, &c, 1) != 1) || syscall(SYS_write, to, &c, 1) != 1)
		die("a pipe");
}

static void *
partner(void *arg)
{
	for (;;)
		hand(ping[0], pong[1]);
	return arg;
}

static void
op_switch(void)
{
	char c;

	hand(-1, ping[1]);
	if (syscall(SYS_read, pong[0], &c, 1) != 1)
		die("a pipe");
}

static void
start_partner(void)
{
	pthread_t t;

	if (pipe(ping) != 0 || pipe(pong) != 0)
		die("pipe");
	if ((errno = pthread_create(&t, NULL, partner, NULL)) != 0)
		die("pthread_create");
}

static const struct {
	const char *name;
	void (*run)(void);
} ops[] = {
	{ "getppid", op_getppid }, { "write", op_write }, { "read", op_read },
	{ "open", op_open }, { "switch", op_switch }, { "none", op_none },
	{ "cpuid", op_cpuid },
};

int
work_bench(const struct work *w, long *arg, char **argv)
{
	uint64_t best = UINT64_MAX, total = 0, start, took;
	long i, b, n = arg[1] / BATCHES;
	void (*op)(void) = NULL;
	size_t k;

	for (k = 0; k < sizeof(ops) / sizeof(ops[0]); k++)
		if (argv[0] != NULL && strcmp(argv[0], ops[k].name) == 0)
			op = ops[k].run;
	errno = EINVAL;
	if (op == NULL || n == 0)
		die("bench");
	null = open("/dev/null", O_WRONLY);
	zero = open("/dev/zero", O_RDONLY);
	if (null < 0 || zero < 0)
		die("open");
	if (op == op_switch)
		start_partner();
	for (b = 0; b < BATCHES; b++) {
		start = now_ns();
		mark();
		for (i = 0; i < n; i++)
			op();
		mark();
		took = now_ns() - start;
		total += took;
		if (took < best)
			best = took;
	}
	report_start(w->name);
	report_text("op", argv[0]);
	report("calls", (uint64_t)n * BATCHES);
	report("ns", total);
	report("ns_per_call", total / ((uint64_t)n * BATCHES));
	report("best_ps", best * 1000 / (uint64_t)n);
	report_end();
	return 0;
}
