/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locks.c - threads that sleep on a lock of each kind, a known number of times.
 *
 * A lock's waiter sleeps only if its holder does: the kernel's locks spin while
 * the holder runs. So the holder of a kernel lock is made to sleep with it. It
 * writes from a page that is not there yet; the fault goes to a userfaultfd
 * (userfaultfd(2)), and the page arrives when the waiter has been seen asleep.
 *
 *	mutex	the file position's lock, of two write(2) on one open file
 *	rwsem	the inode's lock, of two pwrite(2)
 *	user	a futex
 *	pi	a futex with priority inheritance, held by a thread that sleeps
 *
 * console: the kernel has few semaphores that programs come to. One is the console's
 * (console_sem): threads that ask which consoles there are (dv-console) wait while
 * another one's messages are being printed, and for each other.
 *
 * The waiter only yields until it is told to go; so it sleeps for the lock when
 * its state and its count of sleeps (proc(5)) say that it has gone to sleep since.
 */
#define _GNU_SOURCE
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE	4096

enum kind { MUTEX, RWSEM, USER, PI };

static struct {
	int fd[2];		/* one open file, two numbers */
	char *page;		/* that userfaultfd supplies */
	int uffd, word;
	volatile int kind, go, tid;
} lk;

static void
put(int fd, const char *from)
{
	if ((lk.kind == MUTEX ? write(fd, from, 1) : pwrite(fd, from, 1, 0)) != 1)
		die("write");
}

static void *
hold(void *arg)
{
	put(lk.fd[0], lk.page);
	return arg;
}

static void
pi_lock(void)
{
	int none = 0;

	if (!__atomic_compare_exchange_n(&lk.word, &none, lk.tid, 0, __ATOMIC_ACQUIRE,
	    __ATOMIC_RELAXED) && syscall(SYS_futex, &lk.word, FUTEX_LOCK_PI_PRIVATE, 0,
	    NULL, NULL, 0) != 0)
		die("FUTEX_LOCK_PI");
	if (syscall(SYS_futex, &lk.word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0) != 0)
		die("FUTEX_UNLOCK_PI");
}

static void *
wait_for_lock(void *arg)
{
	lk.tid = (int)syscall(SYS_gettid);
	while (!lk.go)
		sched_yield();
	if (lk.kind == USER)
		syscall(SYS_futex, &lk.word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
	else if (lk.kind == PI)
		pi_lock();
	else
		put(lk.fd[1], "w");
	return arg;
}

char
thread_state(int tid, long *slept)
{
	char path[64], text[2048], *at, *state;
	int fd;
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	if ((fd = open(path, O_RDONLY)) < 0 || (len = read(fd, text, sizeof(text) - 1)) <= 0)
		die(path);
	close(fd);
	text[len] = '\0';
	state = strstr(text, "State:\t");
	at = strstr(text, "\nvoluntary_ctxt_switches:");
	if (state == NULL || at == NULL)
		die(path);
	*slept = atol(at + sizeof("\nvoluntary_ctxt_switches:"));
	return state[7];
}

/* Lets the waiter go, and returns when it has gone to sleep in this state. */
static void
go_until(char want)
{
	long before, now;

	while (lk.tid == 0)
		sched_yield();
	thread_state(lk.tid, &before);
	lk.go = 1;
	do
		usleep(500);		/* who waits for a thread that runs, spins */
	while (thread_state(lk.tid, &now) != want || now == before);
}

/* A holder waits for its page with the lock; the waiter comes; the page arrives. */
static void
kernel_lock(void)
{
	pthread_t h;

	if (madvise(lk.page, PAGE, MADV_DONTNEED) != 0)
		die("madvise");
	if ((errno = pthread_create(&h, NULL, hold, NULL)) != 0)
		die("pthread_create");
	await_faults(lk.uffd, 1);
	go_until('D');
	supply_page(lk.uffd, lk.page);
	pthread_join(h, NULL);
}

static void
futex_lock(void)
{
	lk.word = lk.kind == PI ? (int)syscall(SYS_gettid) : 1;
	go_until('S');
	if (lk.kind == USER) {
		lk.word = 0;
		syscall(SYS_futex, &lk.word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	} else if (syscall(SYS_futex, &lk.word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0) != 0)
		die("FUTEX_UNLOCK_PI");
}

int
missing_pages(char **pages, long n)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	size_t len = (size_t)n * PAGE;

	*pages = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.range.start = (uint64_t)(uintptr_t)*pages;
	reg.range.len = len;
	if (uffd < 0 || *pages == MAP_FAILED || ioctl(uffd, UFFDIO_API, &api) != 0 ||
	    ioctl(uffd, UFFDIO_REGISTER, &reg) != 0)
		die("userfaultfd");
	return uffd;
}

void
await_faults(int uffd, long n)
{
	struct uffd_msg msg;

	for (; n > 0; n--)
		if (read(uffd, &msg, sizeof(msg)) != sizeof(msg) ||
		    msg.event != UFFD_EVENT_PAGEFAULT)
			die("read userfaultfd");
}

void
supply_page(int uffd, char *page)
{
	static char zero[PAGE];
	struct uffdio_copy copy = { .len = PAGE };

	copy.dst = (uint64_t)(uintptr_t)page;
	copy.src = (uint64_t)(uintptr_t)zero;
	if (ioctl(uffd, UFFDIO_COPY, &copy) != 0)
		die("UFFDIO_COPY");
}

static void
open_all(void)
{
	lk.fd[0] = open("/tmp/dvwork.locks", O_RDWR | O_CREAT, 0600);
	if (lk.fd[0] < 0 || (lk.fd[1] = dup(lk.fd[0])) < 0)
		die("/tmp/dvwork.locks");
	lk.uffd = missing_pages(&lk.page, 1);
}

int
work_locks(const struct work *w, long *arg, char **argv)
{
	pthread_t t;
	long i;
	int kind;

	(void)argv;
	open_all();
	for (i = 0; i < arg[0]; i++)
		for (kind = MUTEX; kind <= PI; kind++) {
			lk.kind = kind;
			lk.go = lk.tid = 0;
			if ((errno = pthread_create(&t, NULL, wait_for_lock, NULL)) != 0)
				die("pthread_create");
			if (kind <= RWSEM)
				kernel_lock();
			else
				futex_lock();
			pthread_join(t, NULL);
		}
	unlink("/tmp/dvwork.locks");
	report_start(w->name);
	report("mutex", (uint64_t)arg[0]);
	report("rwsem", (uint64_t)arg[0]);
	report("user", (uint64_t)arg[0]);
	report("pi", (uint64_t)arg[0]);
	report_end();
	return 0;
}

/* ---- console ---- */

static volatile int con_done;
static uint64_t con_asked;		/* atomic */

static void *
ask(void *arg)
{
	char text[256];
	int fd;

	prctl(PR_SET_NAME, "dv-console");
	while (!con_done) {
		if ((fd = open("/sys/class/tty/console/active", O_RDONLY)) < 0 ||
		    read(fd, text, sizeof(text)) <= 0)
			die("/sys/class/tty/console/active");
		close(fd);
		__atomic_add_fetch(&con_asked, 1, __ATOMIC_RELAXED);
	}
	return arg;
}

int
work_console(const struct work *w, long *arg, char **argv)
{
	static const char text[] = "<0>dvwork: a line for the console, of some length, to print\n";
	int all = open("/proc/sys/kernel/printk_devkmsg", O_WRONLY);
	int fd = open("/dev/kmsg", O_WRONLY);
	pthread_t t[3];
	uint64_t asked;
	long i;

	(void)argv;
	if (all < 0 || fd < 0 || write(all, "on\n", 3) != 3)
		die("/dev/kmsg");
	for (i = 0; i < 3; i++)
		if ((errno = pthread_create(&t[i], NULL, ask, NULL)) != 0)
			die("pthread_create");
	for (i = 0; i < arg[0]; i++) {
		asked = con_asked;
		if (write(fd, text, sizeof(text) - 1) < 0)
			die("write /dev/kmsg");
		while (__atomic_load_n(&con_asked, __ATOMIC_RELAXED) < asked + 3)
			sched_yield();
	}
	con_done = 1;
	for (i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	report_start(w->name);
	report("lines", (uint64_t)arg[0]);
	report("asked", con_asked);
	report_end();
	return 0;
}
