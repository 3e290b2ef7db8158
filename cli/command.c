/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.c - the host command of -c.
 *
 * It exists before the program is compiled, because $target is its number,
 * and waits on a pipe until tracing has begun. If the pipe closes first,
 * because something failed, it ends without having run.
 */
#include "command.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Only a plain word can be looked up; the shell judges the rest. */
static bool
found(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "0123456789_./+-";
	size_t n = strspn(text, plain);
	char *line;
	int rc;

	if (n == 0 || text[0] == '-' || (text[n] != '\0' && text[n] != ' '))
		return true;
	if (asprintf(&line, "command -v %.*s >/dev/null 2>&1", (int)n, text) < 0)
		return true;
	rc = system(line);
	free(line);
	return rc == 0 || rc == -1;
}

int
dv_command_start(const char *text, struct dv_err *err, struct dv_command *ret)
{
	int fd[2];
	char c;

	ret->pid = 0;
	if (text[strspn(text, " \t")] == '\0')
		return dv_err_set(err, DV_E_USAGE, "-c needs a command");
	if (!found(text))
		return dv_err_set(err, DV_E_NOENT,
		    "cannot run \"%s\": there is no such command", text);
	if (pipe(fd) != 0)
		return dv_err_set(err, DV_E_IO, "cannot run \"%s\": %s", text, strerror(errno));
	if ((ret->pid = fork()) < 0) {
		ret->pid = 0;
		close(fd[0]);
		close(fd[1]);
		return dv_err_set(err, DV_E_IO, "cannot run \"%s\": %s", text, strerror(errno));
	}
	if (ret->pid == 0) {
		close(fd[1]);
		if (read(fd[0], &c, 1) != 1)
			_exit(127);
		close(fd[0]);
		execl("/bin/sh", "sh", "-c", text, (char *)NULL);
		_exit(127);
	}
	close(fd[0]);
	ret->gate = fd[1];
	return 0;
}

int
dv_command_go(struct dv_command *c)
{
	int rc = write(c->gate, "g", 1) == 1 ? 0 : -1;

	close(c->gate);
	c->gate = -1;
	return rc;
}

bool
dv_command_ended(struct dv_command *c)
{
	int status;

	if (c->pid <= 0 || waitpid(c->pid, &status, WNOHANG) != c->pid)
		return false;
	c->pid = 0;
	return true;
}

void
dv_command_stop(struct dv_command *c)
{
	const struct timespec pause = { 0, 10000000 };
	int i;

	if (c->gate >= 0)
		close(c->gate);
	c->gate = -1;
	if (c->pid <= 0)
		return;
	kill(c->pid, SIGTERM);
	for (i = 0; i < 100 && !dv_command_ended(c); i++)
		nanosleep(&pause, NULL);
	if (c->pid > 0) {
		kill(c->pid, SIGKILL);
		waitpid(c->pid, NULL, 0);
		c->pid = 0;
	}
}
