/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rsp.c - a breakpoint in QEMU's gdbstub that continues by itself.
 *
 *	rsp SOCKET ADDRESS HITS [soft]
 *
 * Sets a hardware or software breakpoint at the address (hexadecimal), continues at each
 * stop, and prints how long a hit took in nanoseconds: the shortest time from
 * one stop to the next. The first HITS stops are looked at. This is what a
 * debugger's `commands; continue; end` costs without the debugger's own work.
 * To pass the breakpoint the vCPU makes one step, which QEMU does not stop
 * there again, and then goes on; a software breakpoint is taken away meanwhile.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int fd;

static int
byte(void)
{
	unsigned char c;

	if (read(fd, &c, 1) == 1)
		return c;
	fputs("rsp: the gdbstub has closed the connection\n", stderr);
	exit(1);
}

static void
put(const char *text)
{
	char buf[128];
	unsigned sum = 0;
	const char *p;
	int n;

	for (p = text; *p != '\0'; p++)
		sum += (unsigned char)*p;
	n = snprintf(buf, sizeof(buf), "$%s#%02x", text, sum & 0xff);
	if (write(fd, buf, (size_t)n) != n)
		exit(1);
}

/* The next packet, acknowledged. */
static const char *
get(void)
{
	static char buf[4096];
	size_t n = 0;
	int c;

	while ((c = byte()) != '$')
		;
	while ((c = byte()) != '#')
		if (n < sizeof(buf) - 1)
			buf[n++] = (char)c;
	buf[n] = '\0';
	(void)byte();
	(void)byte();
	if (write(fd, "+", 1) != 1)
		exit(1);
	return buf;
}

static long long
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void
ask(const char *text)
{
	put(text);
	if (strcmp(get(), "OK") != 0) {
		fprintf(stderr, "rsp: the gdbstub refuses %s\n", text);
		exit(1);
	}
}

int
main(int argc, char **argv)
{
	const bool soft = argc == 5 && strcmp(argv[4], "soft") == 0;
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	long long now, last = 0, best = 0;
	char on[64], off[64];
	int i;

	if ((argc != 4 && !soft) || strlen(argv[1]) >= sizeof(to.sun_path)) {
		fputs("usage: rsp SOCKET ADDRESS HITS [soft]\n", stderr);
		return 2;
	}
	strcpy(to.sun_path, argv[1]);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0) {
		perror("rsp: cannot connect");
		return 1;
	}
	snprintf(on, sizeof(on), "Z%d,%.40s,1", !soft, argv[2]);
	snprintf(off, sizeof(off), "z%d,%.40s,1", !soft, argv[2]);
	ask(on);
	put("c");
	for (i = 0; i < atoi(argv[3]); i++) {
		(void)get();
		now = now_ns();
		if (i > 0 && (best == 0 || now - last < best))
			best = now - last;
		last = now;
		if (soft)
			ask(off);
		put("s");
		(void)get();
		if (soft)
			ask(on);
		put("c");
	}
	(void)get();			/* a stop, where the breakpoint can go */
	ask(off);
	put("D");
	printf("%lld\n", best);
	return 0;
}
