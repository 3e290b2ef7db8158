/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hostile.c - what a user of /dev/dvisor may try who means no good.
 *
 *	hostile PID ROUNDS SEED [BLOB]
 *
 * PID is a QEMU with a VM of KVM; BLOB a file with a program as the command sends
 * it with LOAD, to be sent with some of its bits changed. Four threads do ROUNDS of
 * anything: open, attach, call, map, unmap, close, share descriptors; with wrong
 * addresses, lengths, types and descriptors, and with right ones. The host must
 * live, and no answer may be one that dv_kvm.h does not promise: status 1 and a
 * line of text if one is. Whoever runs this looks at the host's log afterwards.
 */
#include "dv_kvm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NTHREAD	4
#define NFILE	8
#define ROOM	(1u << 16)

static int vm_fd, pid_fd, vcpu_fd = -1;
static unsigned char *blob;
static size_t blob_len;
static int files[NFILE];		/* shared by all threads, without a lock */
static size_t shared_len;		/* of the last program that was loaded */
static unsigned long done[6];		/* opens, attaches, answers, loads, maps, refusals */

static void
broken(const char *what)
{
	fprintf(stderr, "hostile: %s (errno %d)\n", what, errno);
	_exit(1);
}

/* xorshift64*: the same rounds for the same seed, as far as threads allow. */
static uint64_t
rnd(uint64_t *s)
{
	*s ^= *s >> 12;
	*s ^= *s << 25;
	*s ^= *s >> 27;
	return *s * 0x2545f4914f6cdd1dull;
}

static uint64_t
upto(uint64_t *s, uint64_t n)
{
	return rnd(s) % n;
}

/* A descriptor of another process's, by what it is a descriptor of; or -1. */
static int
steal(int pid, const char *what)
{
	char path[64], to[128];
	struct dirent *e;
	ssize_t n;
	DIR *d;
	int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	if ((d = opendir(path)) == NULL)
		return -1;
	while (fd < 0 && (e = readdir(d)) != NULL) {
		if ((n = readlinkat(dirfd(d), e->d_name, to, sizeof(to) - 1)) <= 0)
			continue;
		to[n] = '\0';
		if (strncmp(to, what, strlen(what)) == 0)
			fd = (int)syscall(SYS_pidfd_getfd, pid_fd, atoi(e->d_name), 0);
	}
	closedir(d);
	return fd;
}

static void
attach(uint64_t *s, int fd)
{
	struct dv_kvm_attach a = { .version = DV_CTL_VERSION, .vm_fd = vm_fd };
	const int wrong[] = { -1, 0, pid_fd, vcpu_fd, fd, 1 << 30 };

	if (upto(s, 4) == 0)
		a.vm_fd = wrong[upto(s, sizeof(wrong) / sizeof(wrong[0]))];
	if (upto(s, 8) == 0)
		a.version = (uint32_t)rnd(s);
	if (upto(s, 8) == 0)
		a.flags = rnd(s);
	memset(a.why, 'x', sizeof(a.why));
	if (ioctl(fd, DV_KVM_ATTACH, &a) == 0) {
		done[1]++;
		return;
	}
	if (errno != EPROTO && errno != EINVAL && errno != EBADF && errno != EBUSY &&
	    errno != EOPNOTSUPP && errno != ESRCH && errno != ENOMEM)
		broken("an error of ATTACH that is not promised");
	if (errno != EBADF && memchr(a.why, '\0', sizeof(a.why)) == NULL)
		broken("ATTACH does not end its text");
	done[5]++;
}

/* Ours, whole or at the edge of what is mapped; or anything else. */
static uint64_t
address(uint64_t *s, unsigned char *room)
{
	switch (upto(s, 12)) {
	case 0: return 0;
	case 1: return rnd(s);
	case 2: return 0xffffffff81000000ull + upto(s, 1 << 20);
	case 3: return 0xffff888000000000ull + upto(s, 1 << 20);
	case 4: return (uint64_t)room + ROOM - upto(s, 64);	/* a hole follows */
	default: return (uint64_t)room;
	}
}

static void
call(uint64_t *s, int fd, unsigned char *in, unsigned char *out)
{
	static const uint32_t lens[] = {
		[DV_CTL_HELLO] = 8, [DV_CTL_READ] = 16, [DV_CTL_GO] = 8,
		[DV_CTL_SNAP] = 8, [DV_CTL_ACCOUNT] = 8, [DV_CTL_WAIT] = 16, [DV_CTL_CONT] = 0
	};
	uint32_t type = 1 + (uint32_t)upto(s, DV_CTL_CONT + 1);
	struct dv_kvm_call c = {
		.hdr = { DV_CTL_MAGIC, (uint16_t)type, 0, (uint32_t)rnd(s), 0 },
		.body = (uint64_t)in, .answer = (uint64_t)out, .answer_room = ROOM
	};
	struct dv_kvm_call was;

	for (size_t i = 0; i < 32; i += 8) {
		uint64_t w = upto(s, 3) == 0 ? rnd(s) : upto(s, 4096);

		memcpy(in + i, &w, 8);
	}
	c.hdr.len = type <= DV_CTL_CONT ? lens[type] : 0;
	if (type == DV_CTL_WAIT) {		/* 20 ms at most */
		uint64_t w = upto(s, 20000000);

		memcpy(in + 8, &w, 8);
	}
	if (type == DV_CTL_LOAD && blob_len > 0) {
		memcpy(in, blob, blob_len);
		for (uint64_t n = upto(s, 6); n > 0; n--) {
			size_t at = upto(s, blob_len);

			if (upto(s, 2) == 0)
				at = upto(s, blob_len < 512 ? blob_len : 512);
			in[at] = (unsigned char)rnd(s);
		}
		c.hdr.len = (uint32_t)blob_len;
	}
	if (upto(s, 6) == 0)
		c.hdr.len = (uint32_t)(upto(s, 2) == 0 ? upto(s, 64) : rnd(s));
	if (upto(s, 4) == 0)
		c.body = address(s, in);
	if (upto(s, 4) == 0)
		c.answer = address(s, out);
	if (upto(s, 6) == 0)
		c.answer_room = (uint32_t)(upto(s, 2) == 0 ? upto(s, 64) : rnd(s));
	if (upto(s, 16) == 0)
		c.hdr.magic = (uint32_t)rnd(s);
	if (upto(s, 16) == 0)
		c.pad = (uint32_t)rnd(s);
	if (upto(s, 16) == 0)
		c.hdr.type = (uint16_t)rnd(s);
	was = c;
	if (ioctl(fd, DV_KVM_CALL, &c) == 0) {
		if (c.hdr.magic != was.hdr.magic || c.hdr.type != was.hdr.type ||
		    c.hdr.seq != was.hdr.seq)
			broken("an answer to something else");
		if (c.hdr.len > was.answer_room)
			broken("an answer longer than its room");
		if (was.hdr.type == DV_CTL_LOAD && c.hdr.status == DV_CTL_OK) {
			if (c.hdr.len != sizeof(struct dv_ctl_loaded))
				broken("an answer to LOAD of another length");
			if (was.answer == (uint64_t)out)
				shared_len = ((const struct dv_ctl_loaded *)out)->shared_len;
			done[3]++;
		}
		done[2]++;
		return;
	}
	if (errno != EINVAL && errno != EFAULT && errno != EINTR && errno != ENOTTY &&
	    errno != EBADF && errno != ENOMEM)
		broken("an error of CALL that is not promised");
	done[5]++;
}

static void
map(uint64_t *s, int fd)
{
	size_t len = upto(s, 3) == 0 || shared_len == 0 ? 4096ul << upto(s, 14) : shared_len;
	off_t at = upto(s, 3) == 0 ? (off_t)(upto(s, 1 << 20) * 4096) : 0;
	int prot = upto(s, 3) == 0 ? PROT_READ | PROT_WRITE : PROT_READ;
	int flags = upto(s, 3) == 0 ? MAP_PRIVATE : MAP_SHARED;
	volatile unsigned char *p = mmap(NULL, len, prot, flags, fd, at);

	if (p == MAP_FAILED)
		return;
	if (prot & PROT_WRITE)
		broken("a writable mapping");
	if (mprotect((void *)p, len, PROT_READ | PROT_WRITE) == 0)
		broken("a mapping made writable");
	for (size_t i = 0; i < len; i += 4096)
		(void)p[i];
	done[4]++;
	munmap((void *)p, len);
}

static void *
rounds(void *arg)
{
	uint64_t s = ((uint64_t *)arg)[0];
	unsigned char *in, *out;

	/* two rooms, each followed by a hole */
	in = mmap(NULL, 2 * (ROOM + 4096), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (in == MAP_FAILED)
		broken("no memory");
	out = in + ROOM + 4096;
	munmap(in + ROOM, 4096);
	munmap(out + ROOM, 4096);
	for (uint64_t n = ((uint64_t *)arg)[1]; n > 0; n--) {
		int *slot = &files[upto(&s, NFILE)], fd = *slot;

		switch (upto(&s, 16)) {
		case 0:
			*slot = -1;
			close(fd);
			break;
		case 1:
			fd = open(DV_KVM_DEVICE, O_RDWR | O_CLOEXEC);
			if (fd < 0)
				break;
			done[0]++;
			attach(&s, fd);
			if (*slot >= 0)
				close(fd);	/* another time */
			else
				*slot = fd;
			break;
		case 2:
			attach(&s, fd);
			break;
		case 3:
			map(&s, fd);
			break;
		case 4:
			if (ioctl(fd, (unsigned long)(uint32_t)rnd(&s), in) == 0)
				broken("an unknown request was served");
			ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, DV_KVM_IOC, upto(&s, 4),
				       upto(&s, 300)), address(&s, in));
			break;
		case 5:
			if (write(fd, in, 8) > 0)
				broken("a write was served");
			break;
		default:
			call(&s, fd, in, out);
		}
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	uint64_t arg[NTHREAD][2];
	pthread_t t[NTHREAD];
	FILE *f;
	int i, pid;

	if (argc < 4) {
		fputs("usage: hostile PID ROUNDS SEED [BLOB]\n", stderr);
		return 2;
	}
	pid = atoi(argv[1]);
	pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pid_fd < 0 || (vm_fd = steal(pid, "anon_inode:kvm-vm")) < 0) {
		fprintf(stderr, "hostile: process %d has no VM\n", pid);
		return 2;
	}
	vcpu_fd = steal(pid, "anon_inode:kvm-vcpu");
	if (argc > 4) {
		blob = malloc(ROOM);
		if (blob == NULL || (f = fopen(argv[4], "r")) == NULL) {
			perror(argv[4]);
			return 2;
		}
		blob_len = fread(blob, 1, ROOM, f);
		fclose(f);
	}
	for (i = 0; i < NFILE; i++)
		files[i] = -1;
	for (i = 0; i < NTHREAD; i++) {
		arg[i][0] = strtoull(argv[3], NULL, 0) * 0x9e3779b97f4a7c15ull + (uint64_t)i + 1;
		arg[i][1] = strtoull(argv[2], NULL, 0);
		if (pthread_create(&t[i], NULL, rounds, arg[i]) != 0)
			return 2;
	}
	for (i = 0; i < NTHREAD; i++)
		pthread_join(t[i], NULL);
	printf("hostile: opens=%lu attaches=%lu answers=%lu loads=%lu maps=%lu refusals=%lu\n",
	       done[0], done[1], done[2], done[3], done[4], done[5]);
	return 0;
}
