/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qmp.c - one command to a QEMU: qmp SOCKET COMMAND [ARGUMENTS]
 *
 * ARGUMENTS is a JSON object, as in {"val": 0}. Prints the answer; status 1 and
 * the answer on stderr if it is an error.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Reads up to an answer; events pass by. */
static void
answer(FILE *f, bool show)
{
	char line[65536];

	while (fgets(line, sizeof(line), f) != NULL) {
		if (strncmp(line, "{\"error\"", 8) == 0) {
			fputs(line, stderr);
			exit(1);
		}
		if (strncmp(line, "{\"return\"", 9) == 0 ||
		    strncmp(line, "{\"QMP\"", 6) == 0) {
			if (show)
				fputs(line, stdout);
			return;
		}
	}
	fputs("qmp: no answer\n", stderr);
	exit(1);
}

int
main(int argc, char **argv)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct timeval limit = { 120, 0 };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	FILE *f;

	if (argc < 3) {
		fputs("usage: qmp SOCKET COMMAND [ARGUMENTS]\n", stderr);
		return 2;
	}
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", argv[1]);
	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0) {
		perror(argv[1]);
		return 1;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if ((f = fdopen(fd, "r+")) == NULL)
		return 1;
	answer(f, false);
	fputs("{\"execute\":\"qmp_capabilities\"}\n", f);
	fflush(f);
	answer(f, false);
	fprintf(f, "{\"execute\":\"%s\"%s%s}\n", argv[2], argc > 3 ? ",\"arguments\":" : "",
		argc > 3 ? argv[3] : "");
	fflush(f);
	answer(f, true);
	fclose(f);
	return 0;
}
