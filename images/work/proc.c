/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc.c - work for process management: processes and threads that come and
 * go, signals, and one known chain of calls for user stacks.
 */
#define _GNU_SOURCE
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
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

static void *
wait_for_end(void *arg)
{
	for (;;)
		pause();
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
 * badexec: N times each a program that is not there, a folder, and a path that
 * cannot be read.
 */
int
work_badexec(const struct work *w, long *arg, char **argv)
{
	static const char *const path[] = { "/no/such/program", "/tmp", (const char *)8 };
	static const int err[] = { ENOENT, EACCES, EFAULT };
	char *no_argv[] = { NULL };
	uint64_t failed[3] = { 0 };
	long i;
	int j;

	(void)argv;
	for (i = 0; i < arg[0]; i++)
		for (j = 0; j < 3; j++)
			failed[j] += syscall(SYS_execve, path[j], no_argv, no_argv) < 0 &&
			    errno == err[j];
	report_start(w->name);
	report("enoent", failed[0]);
	report("eacces", failed[1]);
	report("efault", failed[2]);
	report_end();
	return 0;
}

/* sigwait: N times SIGUSR1 to itself, blocked and then waited for. */
int
work_sigwait(const struct work *w, long *arg, char **argv)
{
	uint64_t waited = 0;
	sigset_t set;
	long i;
	int sig;

	(void)argv;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (i = 0; i < arg[0]; i++) {
		syscall(SYS_kill, getpid(), SIGUSR1);
		waited += sigwait(&set, &sig) == 0 && sig == SIGUSR1;
	}
	report_start(w->name);
	report("kill", (uint64_t)i);
	report("waited", waited);
	report_end();
	return 0;
}

static int began[2];		/* a pipe: a byte for each thread that runs */

static void
began_one(void)
{
	if (write(began[1], "x", 1) != 1)
		_exit(3);
}

static void *
begin_and_wait(void *arg)
{
	began_one();
	return wait_for_end(arg);
}

/* Ends when the first thread has: nothing else tells, so it looks. */
static void *
end_last(void *arg)
{
	char path[64] = "/proc/self/stat", stat[256] = "";
	int fd;

	began_one();
	do {				/* of the leader: Z once it has ended */
		if ((fd = open(path, O_RDONLY)) < 0 || read(fd, stat, sizeof(stat) - 1) <= 0)
			_exit(4);
		close(fd);
		sched_yield();
	} while (strstr(stat, ") Z ") == NULL);
	syscall(SYS_exit, 0);
	return arg;
}

static void *
exec_true(void *arg)
{
	char *child_argv[] = { (char *)"dvwork", (char *)"true", NULL };

	began_one();
	execv(self_path, child_argv);
	_exit(127);
	return arg;
}

/*
 * groups: N children, each with three more threads, end in turn by exit(1), by
 * SIGKILL, by the end of one thread after the other, the first one before the
 * last, and by exit(0) of a program that the last thread starts.
 */
static void
group(long kind)
{
	void *(*fn)(void *) = kind == 2 ? end_last : kind == 3 ? exec_true : begin_and_wait;
	pthread_t t;
	char c;
	int i;

	if (pipe(began) != 0)
		_exit(3);
	for (i = 0; i < 3; i++) {
		/* the one that matters comes last */
		if (pthread_create(&t, NULL, i < 2 && kind == 3 ? begin_and_wait : fn, NULL) != 0 ||
		    read(began[0], &c, 1) != 1)
			_exit(3);
	}
	if (kind == 0)
		_exit(1);
	if (kind == 1)
		syscall(SYS_kill, getpid(), SIGKILL);
	if (kind == 2)
		syscall(SYS_exit, 0);
	for (;;)
		pause();
}

int
work_groups(const struct work *w, long *arg, char **argv)
{
	uint64_t ended[4] = { 0 };
	int status;
	pid_t pid;
	long i;

	(void)argv;
	for (i = 0; i < arg[0] * 4; i++) {
		if ((pid = fork()) < 0)
			die("fork");
		if (pid == 0)
			group(i % 4);
		if (waitpid(pid, &status, 0) != pid)
			die("waitpid");
		ended[i % 4] += i % 4 == 0 ? WIFEXITED(status) && WEXITSTATUS(status) == 1 :
		    i % 4 == 1 ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL : status == 0;
	}
	report_start(w->name);
	report("exited", ended[0]);
	report("sigkill", ended[1]);
	report("apart", ended[2]);
	report("exec", ended[3]);
	report_end();
	return 0;
}

/*
 * who: a child in a session of its own, with a controlling terminal, a second
 * thread and ids that all differ, calls getppid N times and says what it knows
 * of itself.
 */
static void
who_am_i(long n, const char *name)
{
	struct stat st;
	uid_t uid[3];
	gid_t gid[3];
	pthread_t t;
	int pt, tty;
	long i;

	if (setsid() < 0 || (pt = posix_openpt(O_RDWR | O_NOCTTY)) < 0 || grantpt(pt) != 0 ||
	    unlockpt(pt) != 0 || (tty = open(ptsname(pt), O_RDWR)) < 0 || fstat(tty, &st) != 0)
		die("terminal");
	if (setresgid(21, 22, 23) != 0 || setresuid(11, 12, 13) != 0 ||
	    getresgid(&gid[0], &gid[1], &gid[2]) != 0 || getresuid(&uid[0], &uid[1], &uid[2]) != 0)
		die("ids");
	if ((errno = pthread_create(&t, NULL, wait_for_end, NULL)) != 0)
		die("pthread_create");
	for (i = 0; i < n; i++)
		syscall(SYS_getppid);
	report_start(name);
	report("getppid", (uint64_t)i);
	report("pid", (uint64_t)getpid());
	report("ppid", (uint64_t)getppid());
	report("pgid", (uint64_t)getpgid(0));
	report("sid", (uint64_t)getsid(0));
	report("uid", uid[0]);
	report("euid", uid[1]);
	report("gid", gid[0]);
	report("egid", gid[1]);
	report("tty", major(st.st_rdev) * 1000 + minor(st.st_rdev));
	report("envp", (uintptr_t)environ);
	report_end();
	_exit(0);
}

int
work_who(const struct work *w, long *arg, char **argv)
{
	pid_t pid = fork();
	int status;

	(void)argv;
	if (pid < 0)
		die("fork");
	if (pid == 0)
		who_am_i(arg[0], w->name);
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	return status != 0;
}

static sigjmp_buf after_fault;

static void
escape(int sig)
{
	siglongjmp(after_fault, sig);
}

/* A child that dies as its handler cannot be called: 1 if it did so. */
static unsigned
no_stack(void)
{
	struct rlimit none = { 0, 0 };
	pid_t pid = fork();
	int status;

	if (pid < 0)
		die("fork");
	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &none);
		__asm__ volatile("xorl %%esp, %%esp; int3; ud2" ::: "memory");
	}
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

/*
 * faults: N times each an unmapped address, a protected one, one past the end
 * of a file, an illegal and a privileged instruction, a breakpoint, a division
 * by zero, and a SIGSEGV that is only sent. Then N children meet a breakpoint
 * without a stack for its handler, and die of that.
 */
int
work_faults(const struct work *w, long *arg, char **argv)
{
	static const int sigs[] = { SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE };
	static const char *const names[] = { "maperr", "accerr", "bus", "ill", "priv", "bpt",
	    "div", "sent" };
	volatile uint64_t took[8] = { 0 };
	volatile int *none = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile int *volatile low = (volatile int *)16, *past;
	volatile long i;
	int fd = open("/tmp/dvwork.empty", O_CREAT | O_RDWR, 0600), j;
	uint64_t died = 0;

	(void)argv;
	past = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	if (none == MAP_FAILED || past == MAP_FAILED)
		die("mmap");
	for (j = 0; j < 5; j++)
		signal(sigs[j], escape);
	for (i = 0; i < arg[0] * 8; i++) {
		if (sigsetjmp(after_fault, 1) != 0) {
			took[i % 8]++;
			continue;
		}
		switch (i % 8) {
		case 0: *low = 1; break;
		case 1: *none = 1; break;
		case 2: (void)*past; break;
		case 3: __asm__ volatile("ud2"); break;
		case 4: __asm__ volatile("hlt"); break;
		case 5: __asm__ volatile("int3"); break;
		case 6: __asm__ volatile("xorl %%eax, %%eax; xorl %%edx, %%edx; divl %%eax" :::
			    "eax", "edx"); break;
		case 7: syscall(SYS_kill, getpid(), SIGSEGV); break;
		}
	}
	unlink("/tmp/dvwork.empty");
	signal(SIGSEGV, SIG_DFL);
	for (i = 0; i < arg[0]; i++)
		died += no_stack();
	report_start(w->name);
	for (j = 0; j < 8; j++)
		report(names[j], took[j]);
	report("nostack", died);
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
