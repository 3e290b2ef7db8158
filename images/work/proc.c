/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc.c - work for process management: processes and threads that come and
 * go, signals, and one known chain of calls for user stacks.
 */
#define _GNU_SOURCE
#include "work.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* forkexec: N children, each of which executes this program as `true`. */
int
work_forkexec(const struct work *w, long *arg, char **argv)
{
	char *child_argv[] = { (char *)"dvwork", (char *)"true", NULL };
	uint64_t forked = 0, good = 0;
	int status;
	pid_t pid;
	long i;

	(void)argv;
	for (i = 0; i < arg[0]; i++) {
		if ((pid = fork()) < 0)
			die("fork");
		if (pid == 0) {
			execv(self_path, child_argv);
			_exit(127);
		}
		forked++;
		if (waitpid(pid, &status, 0) != pid)
			die("waitpid");
		good += status == 0;
	}
	report_start(w->name);
	report("fork", forked);
	report("exec", good);
	report("wait", forked);
	report_end();
	return 0;
}

/* die: children end in turn by exit(1), SIGKILL and a segmentation fault. */
int
work_die(const struct work *w, long *arg, char **argv)
{
	struct rlimit none = { 0, 0 };
	uint64_t exited = 0, killed = 0, faulted = 0;
	volatile int *volatile nowhere = NULL;
	int status;
	pid_t pid;
	long i;

	(void)argv;
	setrlimit(RLIMIT_CORE, &none);
	for (i = 0; i < arg[0]; i++) {
		if ((pid = fork()) < 0)
			die("fork");
		if (pid == 0) {
			if (i % 3 == 1)
				syscall(SYS_kill, getpid(), SIGKILL);
			if (i % 3 == 2)
				*nowhere = 1;
			_exit(1);
		}
		if (waitpid(pid, &status, 0) != pid)
			die("waitpid");
		exited += WIFEXITED(status);
		killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
		faulted += WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
	}
	report_start(w->name);
	report("exited", exited);
	report("sigkill", killed);
	report("sigsegv", faulted);
	report_end();
	return 0;
}

static void *
thread(void *arg)
{
	return arg;
}

/* threads: N threads, one after the other. */
int
work_threads(const struct work *w, long *arg, char **argv)
{
	pthread_t t;
	long i;

	(void)argv;
	for (i = 0; i < arg[0]; i++) {
		if ((errno = pthread_create(&t, NULL, thread, NULL)) != 0)
			die("pthread_create");
		pthread_join(t, NULL);
	}
	report_start(w->name);
	report("threads", (uint64_t)i);
	report_end();
	return 0;
}

static volatile sig_atomic_t handled;

static void
handler(int sig)
{
	(void)sig;
	handled++;
}

/* signals: N times SIGUSR1 to itself, handled; N times SIGUSR2, ignored. */
int
work_signals(const struct work *w, long *arg, char **argv)
{
	long i;

	(void)argv;
	signal(SIGUSR1, handler);
	signal(SIGUSR2, SIG_IGN);
	for (i = 0; i < arg[0]; i++) {
		syscall(SYS_kill, getpid(), SIGUSR1);
		syscall(SYS_kill, getpid(), SIGUSR2);
	}
	report_start(w->name);
	report("kill", (uint64_t)i * 2);
	report("handled", (uint64_t)handled);
	report_end();
	return 0;
}

/*
 * stack: getppid from stack_c from stack_b from stack_a. Built with frame
 * pointers; the empty asm after each call keeps it from becoming a jump.
 */
__attribute__((noinline)) void stack_a(void);
__attribute__((noinline)) void stack_b(void);
__attribute__((noinline)) void stack_c(void);

void
stack_c(void)
{
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "0"((long)SYS_getppid) :
	    "rcx", "r11", "memory");
}

void
stack_b(void)
{
	stack_c();
	__asm__ volatile("");
}

void
stack_a(void)
{
	stack_b();
	__asm__ volatile("");
}

int
work_stack(const struct work *w, long *arg, char **argv)
{
	long i;

	(void)argv;
	for (i = 0; i < arg[0]; i++)
		stack_a();
	report_start(w->name);
	report("getppid", (uint64_t)i);
	report_end();
	return 0;
}
