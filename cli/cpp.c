/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpp.c - programs go through the C preprocessor first (-C).
 *
 * It reads and writes anonymous files, so neither a pipe that is full nor a
 * file that is left behind can trouble us. Its line markers tell the compiler
 * where a line came from. What it says while it succeeds (warnings, -H) is
 * passed on; when it fails, the line that says why becomes our message.
 */
#include "cpp.h"

#include "paths.h"
#include "abi/dv_prog.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CPP_SECONDS	10		/* of CPU time */
#define CPP_MEMORY	(1 << 30)
#define CPP_OUTPUT	(64 << 20)	/* as much as a program may have */

#define DV_STRING_(x)	#x
#define DV_STRING(x)	DV_STRING_(x)

/* Bytes of an anonymous file, malloc'd and NUL-terminated. */
static int
memfd_contents(int fd, struct dv_err *err, char **ret, size_t *len)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return dv_file_read(path, DV_MAX_SOURCE, err, ret, len);
}

/* The words of a command line; borrowed, but for what `made` holds. */
struct words {
	DV_VEC(char *) v;
	DV_VEC(char *) made;
	bool failed;
};

static void
add(struct words *w, const char *word)
{
	if (dv_vec_push(&w->v, (char *)(uintptr_t)word) != 0)
		w->failed = true;
}

static void
add_option(struct words *w, const char *option, const char *value)
{
	char *text = NULL;

	if (asprintf(&text, "%s%s", option, value) < 0 || dv_vec_push(&w->made, text) != 0) {
		free(text);
		w->failed = true;
	} else
		add(w, text);
}

static void
words_fini(struct words *w)
{
	size_t i;

	for (i = 0; i < w->made.n; i++)
		free(w->made.v[i]);
	dv_vec_fini(&w->made);
	dv_vec_fini(&w->v);
}

/* -D -U -I -H, and what -x says of the same. */
static void
command_line(struct words *w, const struct dv_opts *o)
{
	static const struct { const char *name, *option; } by_x[] = {
		{ "define", "-D" }, { "undef", "-U" }, { "incdir", "-I" }
	};
	const char *program = "cpp";
	size_t i, j;
	bool hdrs = false;
	uint64_t v;

	for (i = 0; i < o->xopts.n; i++)
		if (strcmp(o->xopts.v[i].name, "cpppath") == 0)
			program = o->xopts.v[i].value;
	add(w, program);
	add(w, "-nostdinc");
	add(w, "-D__SUNW_D=1");
	add(w, "-D__SUNW_D_VERSION=" DV_STRING(DV_D_VERSION_HEX));
	for (i = 0; i < o->cppargs.n; i++)
		add(w, o->cppargs.v[i]);
	for (i = 0; i < o->xopts.n; i++) {
		for (j = 0; j < sizeof(by_x) / sizeof(by_x[0]); j++)
			if (strcmp(o->xopts.v[i].name, by_x[j].name) == 0)
				add_option(w, by_x[j].option, o->xopts.v[i].value);
		if (strcmp(o->xopts.v[i].name, "cpphdrs") == 0)
			hdrs = o->xopts.v[i].value == NULL ||
			    (dv_parse_bool(o->xopts.v[i].value, &v) == 0 && v != 0);
	}
	if (hdrs)
		add(w, "-H");
	add(w, "-");
	if (dv_vec_push(&w->v, (char *)NULL) != 0)
		w->failed = true;
}

/*
 * An #include of itself, or macros that double, would keep cpp busy for ever. It
 * runs cc1 for the work, at once, so the limits must be there before it starts.
 */
static void
set_limits(void)
{
	const struct rlimit cpu = { CPP_SECONDS, CPP_SECONDS };
	const struct rlimit mem = { CPP_MEMORY, CPP_MEMORY };
	const struct rlimit size = { CPP_OUTPUT, CPP_OUTPUT };

	(void)setrlimit(RLIMIT_CPU, &cpu);
	(void)setrlimit(RLIMIT_AS, &mem);
	(void)setrlimit(RLIMIT_FSIZE, &size);
}

/*
 * Starts cpp from fd `in` to fd `out`, messages to fd `msgs`, and waits. Returns
 * its status, or -errno.
 */
static int
run_cpp(const struct words *w, int in, int out, int msgs)
{
	int status, failed = 0, tell[2];
	ssize_t n;
	pid_t pid;

	if (w->failed)
		return -ENOMEM;
	if (pipe2(tell, O_CLOEXEC) != 0)
		return -errno;
	pid = fork();
	if (pid == 0) {
		set_limits();
		if (dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(msgs, 2) == 2)
			execvp(w->v.v[0], w->v.v);
		failed = errno;
		n = write(tell[1], &failed, sizeof(failed));
		_exit(n == sizeof(failed) ? 126 : 127);
	}
	status = -errno;
	close(tell[1]);
	if (pid < 0) {
		close(tell[0]);
		return status;
	}
	while ((n = read(tell[0], &failed, sizeof(failed))) < 0 && errno == EINTR)
		;
	close(tell[0]);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return n == sizeof(failed) ? -failed : status;
}

/* The line of cpp's messages that tells what is wrong, without its "<stdin>:". */
static void
cpp_reason(int fd, int out, char *buf, size_t n)
{
	char text[65536], *line, *save = NULL;
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);
	struct stat st;

	text[len > 0 ? len : 0] = '\0';
	if ((fstat(out, &st) == 0 && st.st_size >= CPP_OUTPUT) ||
	    (fstat(fd, &st) == 0 && st.st_size >= CPP_OUTPUT)) {
		snprintf(buf, n, "cpp made more than %d MB of it", CPP_OUTPUT >> 20);
		return;
	}
	snprintf(buf, n, "cpp failed");
	if (strstr(text, "terminated") != NULL || strstr(text, "out of memory") != NULL)
		snprintf(buf, n, "cpp needed more than %d s or %d MB", CPP_SECONDS,
		    CPP_MEMORY >> 20);
	for (line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save))
		if (strstr(line, "error:") != NULL) {
			if (strncmp(line, "<stdin>:", 8) == 0)
				snprintf(buf, n, "cpp: line %s", line + 8);
			else
				snprintf(buf, n, "%s", line);
			return;
		}
}

/* What cpp had to say though it went on, and what -H lists. */
static void
cpp_messages(int fd)
{
	char text[4096];
	off_t at = 0;
	ssize_t n;

	for (; (n = pread(fd, text, sizeof(text), at)) > 0; at += n)
		fwrite(text, 1, (size_t)n, stderr);
}

/* "#!" would not survive cpp and becomes a blank line. */
int
dv_cpp_run(const struct dv_opts *o, const struct dv_program_opt *po, const char *text, size_t len,
	   struct dv_err *err, char **ret, size_t *retlen)
{
	int in = memfd_create("dvisor-cpp-in", MFD_CLOEXEC);
	int out = memfd_create("dvisor-cpp-out", MFD_CLOEXEC);
	int msgs = memfd_create("dvisor-cpp-msgs", MFD_CLOEXEC);
	struct words words = { .failed = false };
	char why[512];
	int status, rc = 0;
	FILE *f;

	command_line(&words, o);
	if (len > 1 && text[0] == '#' && text[1] == '!')
		for (; len > 0 && *text != '\n'; text++)
			len--;
	if (in < 0 || out < 0 || msgs < 0 || (f = fdopen(dup(in), "w")) == NULL) {
		rc = dv_err_set(err, DV_E_IO, "cannot make a file for cpp: %s", strerror(errno));
		goto done;
	}
	fwrite(text, 1, len, f);
	if (fclose(f) != 0 || lseek(in, 0, SEEK_SET) != 0)
		rc = dv_err_set(err, DV_E_IO, "cannot write a file for cpp: %s", strerror(errno));
	else if ((status = run_cpp(&words, in, out, msgs)) < 0)
		rc = dv_err_set(err, DV_E_NOENT, "cannot run %s for -C: %s. Install package cpp",
		    words.failed ? "cpp" : words.v.v[0], strerror(-status));
	else if (status != 0) {
		cpp_reason(msgs, out, why, sizeof(why));
		if (po->kind == DV_PROG_FILE)
			rc = dv_err_set(err, DV_E_INVAL, "failed to compile script %s: %s",
			    po->text, why);
		else
			rc = dv_err_set(err, DV_E_INVAL, "invalid probe specifier %.256s: %s",
			    po->text, why);
	} else {
		cpp_messages(msgs);
		rc = memfd_contents(out, err, ret, retlen);
	}
done:
	words_fini(&words);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	if (msgs >= 0)
		close(msgs);
	return rc;
}
