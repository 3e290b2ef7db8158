/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chan_probe.c - asks a guest's carrier by hand: chan_probe SOCKET REQUEST...
 *
 *	info			what INFO tells, one fact a line
 *	read GPA LEN		bytes, in hexadecimal
 *	wait BITS MS		waits for state bits
 *	resume			lets a held guest go
 *	load			loads a program without probes
 *	go GENERATION		starts it
 *	times N			N connections, one INFO each
 *	hold N			N clients that go on talking, until it is killed
 *	silent N		N that never say anything, and N that only say HELLO
 *	junk			malformed messages; each must end its connection
 */
#include "chan.h"

#include "base/progb.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void
check(int rc, const struct dv_err *err)
{
	if (rc != 0) {
		fprintf(stderr, "chan_probe: %s\n", err->text);
		exit(1);
	}
}

static void
info_show(struct dv_chan *c)
{
	struct dv_ctl_info i;
	struct dv_err err = { 0 };
	unsigned n;

	check(dv_chan_info(c, &i, &err), &err);
	printf("name %s\nversion %s\npid %u\nvcpus %u of %u\nstate%s%s%s%s%s\n",
	       i.name, i.version_text, i.qemu_pid, i.nvcpu, i.max_vcpu,
	       i.state & DV_GUEST_HELD ? " held" : "",
	       i.state & DV_GUEST_PAUSED ? " paused" : "",
	       i.state & DV_GUEST_IDLE ? " idle" : "",
	       i.state & DV_GUEST_KERNEL ? " kernel" : "",
	       i.state & DV_GUEST_ENDING ? " ending" : "");
	printf("generation %" PRIu64 "\nram %" PRIu64 "\n", i.generation, i.ram_bytes);
	printf("kernel rip %" PRIx64 " cr3 %" PRIx64 " cr4 %" PRIx64 " gs %" PRIx64 "\n",
	       i.kernel_rip, i.kernel_cr3, i.kernel_cr4, i.kernel_gs);
	for (n = 0; n < i.nvcpu && n < 8; n++)
		printf("cpu %u rip %" PRIx64 " cr3 %" PRIx64 " gs %" PRIx64 " kgs %"
		       PRIx64 "%s\n", n, i.cpu[n].rip, i.cpu[n].cr3, i.cpu[n].gs_base,
		       i.cpu[n].kernel_gs_base, i.cpu[n].idle ? " idle" : "");
}

static void
read_show(struct dv_chan *c, uint64_t gpa, size_t len)
{
	struct dv_err err = { 0 };
	uint8_t *p = malloc(len + 1);

	if (p == NULL)
		exit(1);
	check(dv_chan_read(c, gpa, p, len, &err), &err);
	for (size_t i = 0; i < len; i++)
		printf("%02x%s", p[i], i % 16 == 15 || i + 1 == len ? "\n" : " ");
	free(p);
}

static void
load_empty(struct dv_chan *c)
{
	struct dv_err err = { 0 };
	struct dv_progb b;
	unsigned nvcpu;
	void *blob;
	size_t len;

	if (dv_progb_init(&b) != 0)
		exit(1);
	b.vmname = b.host_execname = dv_progb_str(&b, "probe");
	check(dv_progb_finish(&b, &err, &blob, &len), &err);
	check(dv_chan_load(c, blob, len, &nvcpu, &err), &err);
	free(blob);
	dv_progb_fini(&b);
}

static int
unix_connect(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct timeval limit = { 5, 0 };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0) {
		perror(path);
		exit(1);
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return fd;
}

/* Sends bytes; the other side must hang up, whatever it says before. */
static void
must_hang_up(const char *sock, const char *what, const void *buf, size_t len)
{
	int fd = unix_connect(sock);
	char in[4096];
	ssize_t n = send(fd, buf, len, MSG_NOSIGNAL);

	while (n > 0)
		n = recv(fd, in, sizeof(in), 0);
	if (n < 0 && errno != ECONNRESET) {
		fprintf(stderr, "chan_probe: %s: the connection stays open\n", what);
		exit(1);
	}
	close(fd);
}

static void
junk(const char *sock)
{
	struct dv_ctl_hdr h = { DV_CTL_MAGIC, DV_CTL_HELLO, 0, 1, 8 };
	struct {
		struct dv_ctl_hdr h;
		struct dv_ctl_hello hello;
		struct dv_ctl_hdr h2;
		struct dv_ctl_read read;
	} m = { h, { DV_CTL_VERSION, 1 },
		{ DV_CTL_MAGIC, DV_CTL_READ, 0, 2, sizeof(struct dv_ctl_read) },
		{ 0, DV_CTL_MAXREAD + 1 } };
	char noise[64];

	memset(noise, 0x5a, sizeof(noise));
	must_hang_up(sock, "noise", noise, sizeof(noise));
	h.len = 1u << 21;
	must_hang_up(sock, "an oversized HELLO", &h, sizeof(h));
	h.type = DV_CTL_INFO;
	h.len = 0;
	must_hang_up(sock, "INFO before HELLO", &h, sizeof(h));
	must_hang_up(sock, "a READ that is too long", &m, sizeof(m));
	m.h2.type = 99;
	m.h2.len = 0;
	must_hang_up(sock, "an unknown request", &m, sizeof(m) - sizeof(m.read));
	m.h2.type = DV_CTL_LOAD;
	m.h2.len = DV_CTL_MAXLEN + 1;
	must_hang_up(sock, "an oversized LOAD", &m, sizeof(m) - sizeof(m.read));
}

static void
hold(const char *sock, long n)
{
	struct dv_chan *c[64];
	struct dv_err err = { 0 };
	long i;

	for (i = 0; i < n && i < 64; i++)
		check(chan_tcg_open(sock, &err, &c[i]), &err);
	puts("held");
	fflush(stdout);
	for (;; usleep(100000))
		for (i = 0; i < n && i < 64; i++)
			check(dv_chan_ping(c[i], &err), &err);
}

static void
keep_silent(const char *sock, long n)
{
	struct dv_chan *c;
	struct dv_err err = { 0 };

	for (; n > 0; n--) {
		(void)chan_tcg_open(sock, &err, &c);
		(void)unix_connect(sock);
	}
	puts("held");
	fflush(stdout);
	for (;;)
		pause();
}

int
main(int argc, char **argv)
{
	struct dv_chan *c = NULL;
	struct dv_err err = { 0 };
	int i = 2;

	if (argc < 3) {
		fputs("usage: chan_probe SOCKET REQUEST...\n", stderr);
		return 2;
	}
	check(chan_tcg_open(argv[1], &err, &c), &err);
	while (i < argc) {
		if (strcmp(argv[i], "info") == 0) {
			info_show(c);
			i++;
		} else if (strcmp(argv[i], "resume") == 0) {
			check(dv_chan_resume(c, &err), &err);
			i++;
		} else if (strcmp(argv[i], "load") == 0) {
			load_empty(c);
			i++;
		} else if (strcmp(argv[i], "go") == 0 && i + 1 < argc) {
			check(dv_chan_go(c, strtoull(argv[i + 1], NULL, 0), &err), &err);
			i += 2;
		} else if (strcmp(argv[i], "read") == 0 && i + 2 < argc) {
			read_show(c, strtoull(argv[i + 1], NULL, 0),
				  strtoul(argv[i + 2], NULL, 0));
			i += 3;
		} else if (strcmp(argv[i], "wait") == 0 && i + 2 < argc) {
			check(dv_chan_wait(c, (uint32_t)strtoul(argv[i + 1], NULL, 0),
					   strtoull(argv[i + 2], NULL, 0) * 1000000ull,
					   &err), &err);
			i += 3;
		} else if (strcmp(argv[i], "junk") == 0) {
			junk(argv[1]);
			i++;
		} else if (strcmp(argv[i], "hold") == 0 && i + 1 < argc) {
			dv_chan_close(c);
			hold(argv[1], atol(argv[i + 1]));
		} else if (strcmp(argv[i], "silent") == 0 && i + 1 < argc) {
			dv_chan_close(c);
			keep_silent(argv[1], atol(argv[i + 1]));
		} else if (strcmp(argv[i], "times") == 0 && i + 1 < argc) {
			for (long n = atol(argv[i + 1]); n > 0; n--) {
				struct dv_ctl_info info;

				dv_chan_close(c);
				check(chan_tcg_open(argv[1], &err, &c), &err);
				check(dv_chan_info(c, &info, &err), &err);
			}
			i += 2;
		} else {
			fprintf(stderr, "chan_probe: no such request: %s\n", argv[i]);
			return 2;
		}
	}
	dv_chan_close(c);
	return 0;
}
