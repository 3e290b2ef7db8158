/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscalls.c - system calls of several kinds, each counted as it is made.
 *
 * Legacy open(2) and openat(2) are both used, successfully and in vain, so
 * that a trace must know the difference; a failing read tests errno.
 */
#define _GNU_SOURCE
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
	uint64_t getppid, write, read, open, openat, lseek, close;
	uint64_t open_enoent, openat_enoent, read_ebadf;
	uint64_t written, got;		/* bytes */
} did;

static int
do_open(const char *path, int flags)
{
	long fd = syscall(SYS_open, path, flags);

	did.open++;
	did.open_enoent += fd < 0 && errno == ENOENT;
	return (int)fd;
}

static int
do_openat(const char *path, int flags)
{
	long fd = syscall(SYS_openat, AT_FDCWD, path, flags);

	did.openat++;
	did.openat_enoent += fd < 0 && errno == ENOENT;
	return (int)fd;
}

static void
do_close(int fd)
{
	if (fd < 0)
		die("open");
	syscall(SYS_close, fd);
	did.close++;
}

int
work_syscalls(const struct work *w, long *arg, char **argv)
{
	int null = do_openat("/dev/null", O_RDWR);
	int zero = do_openat("/dev/zero", O_RDONLY);
	static char buf[64];
	long i, n;

	(void)argv;
	if (null < 0 || zero < 0)
		die("open");
	for (i = 0; i < arg[0]; i++) {
		syscall(SYS_getppid);
		did.getppid++;

		if ((n = syscall(SYS_write, null, buf, sizeof(buf))) > 0)
			did.written += (uint64_t)n;
		did.write++;

		if ((n = syscall(SYS_read, zero, buf, sizeof(buf))) > 0)
			did.got += (uint64_t)n;
		did.read++;

		n = syscall(SYS_read, -1, buf, sizeof(buf));
		did.read++;
		did.read_ebadf += n < 0 && errno == EBADF;

		syscall(SYS_lseek, null, 0, SEEK_SET);
		did.lseek++;

		do_open("/dvwork/no-such-file", O_RDONLY);
		do_openat("/dvwork/no-such-file", O_RDONLY);
		do_close(do_open("/dev/null", O_RDONLY));
		do_close(do_openat("/dev/null", O_RDONLY));
	}
	report_start(w->name);
	report("getppid", did.getppid);
	report("write", did.write + 1);		/* this line is one */
	report("read", did.read);
	report("open", did.open);
	report("openat", did.openat);
	report("lseek", did.lseek);
	report("close", did.close);
	report("open_enoent", did.open_enoent);
	report("openat_enoent", did.openat_enoent);
	report("read_ebadf", did.read_ebadf);
	report("null_bytes", did.written);
	report("zero_bytes", did.got);
	report_end();
	return 0;
}
