/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * asleep.c - threads that sleep, each on another kind of object, until they are told.
 *
 *	dv-mutex	the file position's lock: write(2) beside another one
 *	dv-write	an inode's lock, to write: pwrite(2) beside another one
 *	dv-dirw		the same of a directory that is being read: mkdir(2)
 *	dv-dirr		the same lock, to read: getdents(2) behind that writer
 *	dv-user		a futex
 *	dv-pi		a futex with priority inheritance
 *	dv-pipe		the wait queue of a pipe
 *	dv-poll		poll(2)
 *
 * Who holds the locks waits, with them, for pages that are not there yet (locks.c).
 * When all have been seen asleep the program says so, in a line with the addresses
 * of the two futexes, and then waits for the file /tmp/dvwork.go. After that each
 * is woken, once, and sleeps for a moment on a timer before it ends.
 */
#define _GNU_SOURCE
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE	4096
#define GO	"/tmp/dvwork.go"
#define DIR	"/tmp/dvwork.dir"

static struct {
	int pos[2];			/* one open file, two numbers */
	int file[2], dir[2];		/* two open files of the same */
	int pipe[2], polled[2];
	int user, pi;			/* futexes */
	char *page;			/* three that are missing */
	volatile int waking;
} as;

static void
write_at(int fd, const char *from, int at_start)
{
	if ((at_start ? pwrite(fd, from, 1, 0) : write(fd, from, 1)) != 1)
		die("write");
}

static void
read_dir(int fd, char *to)
{
	if (syscall(SYS_getdents64, fd, to, PAGE) < 0)
		die("getdents64");
}

/* Who holds a lock. */

static void *
hold_pos(void *arg)
{
	write_at(as.pos[0], as.page, 0);
	return arg;
}

static void *
hold_file(void *arg)
{
	write_at(as.file[0], as.page + PAGE, 1);
	return arg;
}

static void *
hold_dir(void *arg)
{
	read_dir(as.dir[0], as.page + 2 * PAGE);
	return arg;
}

/* Who waits for it. */

static void on_pos(void) { write_at(as.pos[1], "w", 0); }
static void on_file(void) { write_at(as.file[1], "w", 1); }

static void
on_dir_to_write(void)
{
	if (mkdir(DIR "/new", 0700) != 0)
		die("mkdir");
}

/* Some kernels let a reader by although a writer waits, now and then. */
static void
on_dir_to_read(void)
{
	static char buf[PAGE];

	do
		read_dir(as.dir[1], buf);
	while (!as.waking);
}

static void
on_user(void)
{
	syscall(SYS_futex, &as.user, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
}

static void
on_pi(void)
{
	if (syscall(SYS_futex, &as.pi, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) != 0 ||
	    syscall(SYS_futex, &as.pi, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0) != 0)
		die("FUTEX_LOCK_PI");
}

static void
on_pipe(void)
{
	char c;

	if (read(as.pipe[0], &c, 1) != 1)
		die("read");
}

static void
on_poll(void)
{
	struct pollfd p = { .fd = as.polled[0], .events = POLLIN };

	if (poll(&p, 1, -1) != 1)
		die("poll");
}

static struct sleeper {
	const char *name;
	void (*fn)(void);
	char state;
	volatile int tid, go;
	pthread_t thread;
} sleepers[] = {
	{ .name = "dv-mutex", .fn = on_pos, .state = 'D' },
	{ .name = "dv-write", .fn = on_file, .state = 'D' },
	{ .name = "dv-dirw", .fn = on_dir_to_write, .state = 'D' },
	{ .name = "dv-dirr", .fn = on_dir_to_read, .state = 'D' },
	{ .name = "dv-user", .fn = on_user, .state = 'S' },
	{ .name = "dv-pi", .fn = on_pi, .state = 'S' },
	{ .name = "dv-pipe", .fn = on_pipe, .state = 'S' },
	{ .name = "dv-poll", .fn = on_poll, .state = 'S' },
};
#define NSLEEPERS (sizeof(sleepers) / sizeof(sleepers[0]))

static void *
sleeper(void *arg)
{
	struct sleeper *s = arg;

	prctl(PR_SET_NAME, s->name);
	s->tid = (int)syscall(SYS_gettid);
	while (!s->go)
		sched_yield();
	s->fn();
	usleep(20000);
	return NULL;
}

static void
put_to_sleep(struct sleeper *s)
{
	long before, now;

	if ((errno = pthread_create(&s->thread, NULL, sleeper, s)) != 0)
		die("pthread_create");
	while (s->tid == 0)
		sched_yield();
	thread_state(s->tid, &before);
	s->go = 1;
	do
		usleep(500);
	while (thread_state(s->tid, &now) != s->state || now == before);
}

static void
open_all(void)
{
	int i;

	mkdir(DIR, 0700);
	for (i = 0; i < 2; i++) {
		as.file[i] = open("/tmp/dvwork.file", O_RDWR | O_CREAT, 0600);
		as.dir[i] = open(DIR, O_RDONLY | O_DIRECTORY);
		if (as.file[i] < 0 || as.dir[i] < 0)
			die("open");
	}
	as.pos[0] = open("/tmp/dvwork.pos", O_RDWR | O_CREAT, 0600);
	if (as.pos[0] < 0 || (as.pos[1] = dup(as.pos[0])) < 0 || pipe(as.pipe) != 0 ||
	    pipe(as.polled) != 0)
		die("open");
	as.user = 1;
	as.pi = (int)syscall(SYS_gettid);
}

static void
say_addresses(const char *name)
{
	char text[2][24];

	snprintf(text[0], sizeof(text[0]), "0x%lx", (unsigned long)&as.user);
	snprintf(text[1], sizeof(text[1]), "0x%lx", (unsigned long)&as.pi);
	report_start(name);
	report_text("user", text[0]);
	report_text("pi", text[1]);
	report_end();
}

static void
wake_all(int uffd)
{
	int i;

	as.waking = 1;
	for (i = 0; i < 3; i++)
		supply_page(uffd, as.page + i * PAGE);
	as.user = 0;
	syscall(SYS_futex, &as.user, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	if (syscall(SYS_futex, &as.pi, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0) != 0)
		die("FUTEX_UNLOCK_PI");
	write_at(as.pipe[1], "p", 0);
	write_at(as.polled[1], "p", 0);
}

int
work_asleep(const struct work *w, long *arg, char **argv)
{
	void *(*const hold[])(void *) = { hold_pos, hold_file, hold_dir };
	pthread_t holder[3];
	int uffd;
	size_t i;

	(void)arg, (void)argv;
	unlink(GO);
	open_all();
	uffd = missing_pages(&as.page, 3);
	for (i = 0; i < 3; i++)
		if ((errno = pthread_create(&holder[i], NULL, hold[i], NULL)) != 0)
			die("pthread_create");
	await_faults(uffd, 3);
	for (i = 0; i < NSLEEPERS; i++)
		put_to_sleep(&sleepers[i]);
	say_addresses(w->name);
	while (access(GO, F_OK) != 0)
		usleep(10000);
	wake_all(uffd);
	for (i = 0; i < 3; i++)
		pthread_join(holder[i], NULL);
	for (i = 0; i < NSLEEPERS; i++)
		pthread_join(sleepers[i].thread, NULL);
	unlink(GO);
	unlink("/tmp/dvwork.pos");
	unlink("/tmp/dvwork.file");
	rmdir(DIR "/new");
	rmdir(DIR);
	report_start("woken");
	report("threads", NSLEEPERS);
	report_end();
	return 0;
}
