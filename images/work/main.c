/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - dvwork, the programs that guests run to be traced.
 *
 *	dvwork [-p CPU] NAME [ARGUMENT...]
 *
 * Each workload does a stated number of things and then prints how often it
 * did what, in one line, `NAME: KEY=COUNT ...`. That line is the truth which a
 * trace from outside must agree with, so nothing else may happen: system calls
 * of the kinds that are counted are made raw, every one of them is counted
 * where it is made, and the line itself leaves in a single write(2), which is
 * part of the count where writes are counted. The start-up code of a static C
 * program makes no calls of these kinds.
 *
 * -p binds the program to one CPU before it starts to work.
 */
#define _GNU_SOURCE
#include "work.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int
work_true(const struct work *w, long *arg, char **argv)
{
	(void)w, (void)arg, (void)argv;
	return 0;
}

static const struct work works[] = {
	{ "syscalls", "[N]", work_syscalls, { 100 } },
	{ "pingpong", "[N]", work_pingpong, { 100 } },
	{ "hog", "[SECONDS [NTHREADS]]", work_hog, { 1, 1 } },
	{ "mutex", "[N [NTHREADS]]", work_mutex, { 1000, 2 } },
	{ "prio", "[N]", work_prio, { 100 } },
	{ "sleep", "[N [MS]]", work_sleep, { 10, 10 } },
	{ "locks", "[N]", work_locks, { 10 } },
	{ "asleep", "", work_asleep, { 0 } },
	{ "console", "[N]", work_console, { 100 } },
	{ "migrate", "[N]", work_migrate, { 20 } },
	{ "steal", "[N]", work_steal, { 20 } },
	{ "preempt", "[N]", work_preempt, { 50 } },
	{ "serve", "[N]", work_serve, { 50 } },
	{ "deadline", "[N]", work_deadline, { 20 } },
	{ "forkexec", "[N]", work_forkexec, { 10 } },
	{ "die", "[N]", work_die, { 10 } },
	{ "threads", "[N]", work_threads, { 10 } },
	{ "signals", "[N]", work_signals, { 10 } },
	{ "badexec", "[N]", work_badexec, { 10 } },
	{ "sigwait", "[N]", work_sigwait, { 10 } },
	{ "groups", "[N]", work_groups, { 4 } },
	{ "who", "[N]", work_who, { 10 } },
	{ "faults", "[N]", work_faults, { 10 } },
	{ "stack", "[N]", work_stack, { 10 } },
	{ "slice", "[N]", work_slice, { 10 } },
	{ "ext", "", work_ext, { 0 } },
	{ "bench", "getppid|write|read|open|switch|none [N]", work_bench, { 0, 100000 } },
	{ "true", "", work_true, { 0 } },
};

char self_path[4096];

static char line[1024];
static size_t line_len;

static void
line_add(const char *s)
{
	size_t n = strlen(s);

	if (n > sizeof(line) - 1 - line_len)
		n = sizeof(line) - 1 - line_len;
	memcpy(line + line_len, s, n);
	line_len += n;
}

void
report_start(const char *name)
{
	line_len = 0;
	line_add(name);
	line_add(":");
}

void
report_text(const char *key, const char *text)
{
	line_add(" ");
	line_add(key);
	line_add("=");
	line_add(text);
}

void
report(const char *key, uint64_t count)
{
	char digits[24];
	size_t i = sizeof(digits) - 1;

	digits[i] = '\0';
	do
		digits[--i] = (char)('0' + count % 10);
	while ((count /= 10) != 0);
	report_text(key, digits + i);
}

void
report_end(void)
{
	line[line_len++] = '\n';
	if (syscall(SYS_write, 1, line, line_len) != (long)line_len)
		_exit(1);
}

void
report_switches(void)
{
	struct rusage ru;

	if (getrusage(RUSAGE_SELF, &ru) != 0)
		die("getrusage");
	report("nvcsw", (uint64_t)ru.ru_nvcsw);
	report("nivcsw", (uint64_t)ru.ru_nivcsw);
}

uint64_t
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

void
die(const char *what)
{
	fprintf(stderr, "dvwork: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static void
usage(void)
{
	size_t i;

	fprintf(stderr, "usage: dvwork [-p CPU] NAME [ARGUMENT...]\n");
	for (i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		fprintf(stderr, "  %s %s\n", works[i].name, works[i].args);
	_exit(2);
}

static long
number(const char *s)
{
	char *end;
	long n = strtol(s, &end, 0);

	if (*s == '\0' || *end != '\0' || n < 0)
		usage();
	return n;
}

static void
bind_to(long cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		die("sched_setaffinity");
}

int
main(int argc, char **argv)
{
	const struct work *w = NULL;
	long arg[3];
	ssize_t n;
	size_t i;

	argv++, argc--;
	if (argc >= 2 && strcmp(argv[0], "-p") == 0) {
		bind_to(number(argv[1]));
		argv += 2, argc -= 2;
	}
	if (argc < 1 || argc > 4)
		usage();
	for (i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		if (strcmp(argv[0], works[i].name) == 0)
			w = &works[i];
	if (w == NULL)
		usage();
	for (i = 0; i < 3; i++) {
		arg[i] = w->arg[i];
		/* bench's first argument is a word */
		if (i + 1 < (size_t)argc && !(w->run == work_bench && i == 0))
			arg[i] = number(argv[i + 1]);
	}
	n = readlink("/proc/self/exe", self_path, sizeof(self_path) - 1);
	if (n < 0)
		die("readlink /proc/self/exe");
	return w->run(w, arg, argv + 1);
}
