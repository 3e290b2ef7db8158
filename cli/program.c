/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.c - what was asked for with -n, -s and the like, compiled.
 *
 * Order matters: options of the command line, then introspection's prelude for
 * this kernel, then the D library, then the programs in the order given; they
 * share variables and aggregations, as in dtrace(1).
 */
#include "program.h"

#include "msg.h"
#include "paths.h"
#include "typesrc.h"
#include "base/arena.h"

#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_SOURCE	(64u << 20)

extern char **environ;

static void
fill_macros(struct dc_macros *m, const struct dv_opts *o, const char **argv)
{
	size_t i;

	m->pid = getpid();
	m->ppid = getppid();
	m->uid = getuid();
	m->euid = geteuid();
	m->gid = getgid();
	m->egid = getegid();
	m->pgid = getpgrp();
	m->sid = getsid(0);
	m->projid = 0;
	m->target = (int64_t)o->target;
	m->have_target = o->target != 0;
	argv[0] = "dvisor";
	for (i = 0; i < o->programs.n; i++)
		if (o->programs.v[i].kind == DV_PROG_FILE)
			argv[0] = o->programs.v[i].text;
	for (i = 0; i < o->args.n; i++)
		argv[i + 1] = o->args.v[i];
	m->argc = (int)o->args.n + 1;
	m->argv = argv;
}

/* Bytes of an anonymous file, malloc'd and NUL-terminated. */
static int
memfd_contents(int fd, struct dv_err *err, char **ret, size_t *len)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return dv_file_read(path, MAX_SOURCE, err, ret, len);
}

/*
 * Starts `cpp ... -` from fd `in` to fd `out`, messages to fd `msgs`, and
 * waits. Returns its status, or -errno.
 */
static int
run_cpp(const struct dv_opts *o, int in, int out, int msgs)
{
	DV_VEC(char *) argv = { 0 };
	posix_spawn_file_actions_t fa;
	int status, rc;
	pid_t pid;
	size_t i;

	rc = dv_vec_push(&argv, (char *)"cpp");
	rc |= dv_vec_push(&argv, (char *)"-nostdinc");
	rc |= dv_vec_push(&argv, (char *)"-D__SUNW_D=1");
	rc |= dv_vec_push(&argv, (char *)"-D__SUNW_D_VERSION=0x01000000");
	for (i = 0; i < o->cppargs.n; i++)
		rc |= dv_vec_push(&argv, o->cppargs.v[i]);
	rc |= dv_vec_push(&argv, (char *)"-");
	rc |= dv_vec_push(&argv, NULL);
	if (rc != 0) {
		dv_vec_fini(&argv);
		return -ENOMEM;
	}
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, in, 0);
	posix_spawn_file_actions_adddup2(&fa, out, 1);
	posix_spawn_file_actions_adddup2(&fa, msgs, 2);
	rc = posix_spawnp(&pid, "cpp", &fa, NULL, argv.v, environ);
	posix_spawn_file_actions_destroy(&fa);
	dv_vec_fini(&argv);
	if (rc != 0)
		return -rc;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return status;
}

/* The line of cpp's messages that tells what is wrong, without its "<stdin>:". */
static void
cpp_reason(int fd, char *buf, size_t n)
{
	char text[4096], *line, *save = NULL;
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);

	snprintf(buf, n, "cpp failed");
	text[len > 0 ? len : 0] = '\0';
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

/* Runs cpp over a program; "#!" would not survive it and becomes a blank line. */
static int
preprocess(const struct dv_opts *o, const struct dv_program_opt *po, const char *text, size_t len,
	   struct dv_err *err, char **ret, size_t *retlen)
{
	int in = memfd_create("dvisor-cpp-in", MFD_CLOEXEC);
	int out = memfd_create("dvisor-cpp-out", MFD_CLOEXEC);
	int msgs = memfd_create("dvisor-cpp-msgs", MFD_CLOEXEC);
	char why[512];
	int status, rc = 0;
	FILE *f;

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
	else if ((status = run_cpp(o, in, out, msgs)) < 0)
		rc = dv_err_set(err, DV_E_NOENT, "cannot run cpp for -C: %s. Install package cpp",
		    strerror(-status));
	else if (status != 0) {
		cpp_reason(msgs, why, sizeof(why));
		if (po->kind == DV_PROG_FILE)
			rc = dv_err_set(err, DV_E_INVAL, "failed to compile script %s: %s", po->text, why);
		else
			rc = dv_err_set(err, DV_E_INVAL, "invalid probe specifier %.256s: %s", po->text, why);
	} else {
		cpp_messages(msgs);
		rc = memfd_contents(out, err, ret, retlen);
	}
done:
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	if (msgs >= 0)
		close(msgs);
	return rc;
}

struct clause_arg { struct dv_program *p; uint32_t program; bool nomem; };

static void
clause_told(void *arg, uint32_t clause, const struct dc_pdesc *d)
{
	struct clause_arg *a = arg;
	struct dv_wanted w = { .clause = clause, .program = a->program };

	w.desc.id = d->id;
	w.desc.prov = dv_arena_strdup(a->p->arena, d->prov);
	w.desc.mod = dv_arena_strdup(a->p->arena, d->mod);
	w.desc.func = dv_arena_strdup(a->p->arena, d->func);
	w.desc.name = dv_arena_strdup(a->p->arena, d->name);
	if (dv_arena_failed(a->p->arena) || dv_vec_push(&a->p->wanted, w) != 0)
		a->nomem = true;
}

static bool
option_on(const struct dv_program *p, enum dv_opt opt)
{
	uint64_t v = 0;

	dc_option_get(p->dc, opt, &v);		/* of the default, too */
	return v != 0;
}

/* DTrace's form: what failed, [tag], place, text. */
static void
compile_error(const struct dv_program *p, const struct dv_program_opt *po, struct dv_err *err)
{
	char where[64] = "", tag[40] = "", text[sizeof(err->text)];
	struct dv_err e = *err;

	if (e.code == DV_E_NOMEM)
		return;
	if (e.line != 0)
		snprintf(where, sizeof(where), "line %u, column %u: ", e.line, e.col);
	if (e.tag[0] != '\0' && option_on(p, DV_OPT_ERRTAGS))
		snprintf(tag, sizeof(tag), "[%s] ", e.tag);
	snprintf(text, sizeof(text), "%s", e.text);
	if (po->kind == DV_PROG_FILE)
		dv_err_set(err, e.code, "failed to compile script %s: %s%s%s", po->text, tag, where, text);
	else
		dv_err_set(err, e.code, "invalid probe specifier %.256s: %s%s%s", po->text, tag, where, text);
	memcpy(err->tag, e.tag, sizeof(err->tag));
	memcpy(err->hint, e.hint, sizeof(err->hint));
	err->line = e.line;
	err->col = e.col;
}

static int
compile_one(struct dv_program *p, const struct dv_opts *o, uint32_t i, struct dv_err *err)
{
	const struct dv_program_opt *po = &o->programs.v[i];
	struct clause_arg a = { p, i, false };
	struct dc_source src = { .name = po->text, .clause = clause_told, .arg = &a };
	char *text = NULL, *cpp = NULL;
	size_t len;
	int rc;

	if (o->zdefs)
		src.flags |= DC_F_ZDEFS;
	if (option_on(p, DV_OPT_PSPEC))
		src.flags |= DC_F_PSPEC;
	if (po->kind == DV_PROG_TEXT) {
		src.text = po->text;
		src.len = strlen(po->text);
		src.flags |= DC_F_PSPEC;
	} else {
		if ((rc = dv_file_read(po->text, MAX_SOURCE, err, &text, &len)) != 0) {
			if (rc == DV_E_NOENT)
				dv_err_set(err, rc, "failed to open script %s: No such file or directory",
				    po->text);
			else
				dv_err_prefix(err, "failed to open script");
			return rc;
		}
		src.text = text;
		src.len = len;
	}
	if (o->command != NULL && p->kernel != NULL && strstr(src.text, "$target") != NULL)
		dv_msg("$target is a process of this host here: no guest's pid has to do with it");
	if (o->cpp || option_on(p, DV_OPT_CPP)) {
		if ((rc = preprocess(o, po, src.text, src.len, err, &cpp, &src.len)) != 0) {
			free(text);
			return rc;
		}
		src.text = cpp;
		src.flags |= DC_F_CPP;
	}
	if ((rc = dc_compile(p->dc, &src, &p->b, err)) != 0)
		compile_error(p, po, err);
	else if (a.nomem)
		rc = dv_err_nomem(err);
	free(text);
	free(cpp);
	return rc;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All .d files of a folder, in the order of their names. */
static int
load_libdir(struct dv_program *p, const char *dir, bool must, struct dv_err *err)
{
	DV_VEC(char *) names = { 0 };
	struct dirent *e;
	DIR *d;
	size_t i, n, len;
	int rc = 0;

	if ((d = opendir(dir)) == NULL) {
		if (!must)
			return 0;
		return dv_err_set(err, DV_E_IO, "cannot open library folder %s: %s", dir, strerror(errno));
	}
	while ((e = readdir(d)) != NULL) {
		n = strlen(e->d_name);
		if (n > 2 && strcmp(e->d_name + n - 2, ".d") == 0)
			dv_vec_push(&names, strdup(e->d_name));
	}
	closedir(d);
	if (names.n > 0)
		qsort(names.v, names.n, sizeof(*names.v), by_name);
	for (i = 0; i < names.n; i++) {
		char path[4096], *text;

		if (rc == 0 && names.v[i] != NULL) {
			snprintf(path, sizeof(path), "%s/%s", dir, names.v[i]);
			if ((rc = dv_file_read(path, MAX_SOURCE, err, &text, &len)) == 0) {
				if ((rc = dc_library(p->dc, path, text, err)) != 0)
					dv_err_prefix(err, "failed to compile library %s", path);
				free(text);
			}
		}
		free(names.v[i]);
	}
	dv_vec_fini(&names);
	return rc;
}

static int
load_libraries(struct dv_program *p, const struct dv_opts *o, struct dv_err *err)
{
	char dir[4096], *prelude;
	size_t i;
	int rc;

	if (p->kernel != NULL) {
		if ((prelude = gi_prelude(p->kernel, err)) == NULL)
			return err->code;
		rc = dc_library(p->dc, "the guest's prelude", prelude, err);
		free(prelude);
		if (rc != 0) {
			dv_err_prefix(err, "failed to compile this kernel's translators");
			return rc;
		}
	}
	if (dv_path_lib(dir, sizeof(dir)) && (rc = load_libdir(p, dir, false, err)) != 0)
		return rc;
	for (i = 0; i < o->xopts.n; i++)
		if (strcmp(o->xopts.v[i].name, "libdir") == 0 && o->xopts.v[i].value != NULL &&
		    (rc = load_libdir(p, o->xopts.v[i].value, true, err)) != 0)
			return rc;
	return 0;
}

int
dv_program_open(struct dv_program *p, const struct dv_opts *o, struct gi_kernel *k,
		struct dv_err *err)
{
	struct dc_config cfg = { .program = "dvisor" };
	const char **argv;
	size_t i;
	int rc;

	memset(p, 0, sizeof(*p));
	p->kernel = k;
	if (dv_progb_init(&p->b) != 0 || (p->arena = dv_arena_create()) == NULL ||
	    (argv = dv_arena_alloc(p->arena, (o->args.n + 2) * sizeof(*argv))) == NULL ||
	    (p->matched = calloc(o->programs.n + 1, sizeof(*p->matched))) == NULL)
		return dv_err_nomem(err);
	if ((rc = dv_probesrc_create(k, err, &p->ps)) != 0)
		return rc;
	dv_probesrc_init(&p->probes, p->ps);
	cfg.probes = &p->probes;
	if (k != NULL) {
		dv_typesrc_init(&p->types, k);
		cfg.types = &p->types;
	}
	fill_macros(&cfg.macros, o, argv);
	if ((rc = dc_open(&cfg, err, &p->dc)) != 0)
		return rc;
	for (i = 0; i < o->xopts.n; i++) {
		if (strcmp(o->xopts.v[i].name, "libdir") == 0)
			continue;
		if ((rc = dc_option(p->dc, o->xopts.v[i].name, o->xopts.v[i].value, err)) != 0) {
			err->code = DV_E_USAGE;
			return DV_E_USAGE;
		}
	}
	if ((rc = load_libraries(p, o, err)) != 0)
		return rc;
	for (i = 0; i < o->programs.n; i++)
		if ((rc = compile_one(p, o, (uint32_t)i, err)) != 0)
			return rc;
	if ((rc = dc_finish(p->dc, &p->b, err)) != 0 && o->programs.n > 0)
		compile_error(p, &o->programs.v[o->programs.n - 1], err);
	return rc;
}

int
dv_program_enable(struct dv_program *p, const struct dv_opts *o, struct dv_err *err)
{
	int rc = dv_enable(&p->b, &p->wanted, p->ps, p->kernel, p->dc, o->programs.n,
	    p->matched, o->verbose || option_on(p, DV_OPT_VERBOSE), err);

	if (rc == 0 && p->b.ecbs.n == 0 && !o->zdefs && !option_on(p, DV_OPT_ZDEFS))
		rc = dv_err_set(err, DV_E_INVAL, "no probes matched: the program has no clause");
	return rc;
}

void
dv_program_report(const struct dv_program *p, const struct dv_opts *o)
{
	size_t i;

	if (p->b.opts[DV_OPT_QUIET] != 0)
		return;
	for (i = 0; i < o->programs.n; i++)
		dv_msg("%s '%.256s' matched %llu probe%s",
		    o->programs.v[i].kind == DV_PROG_FILE ? "script" : "description",
		    o->programs.v[i].text, (unsigned long long)p->matched[i],
		    p->matched[i] == 1 ? "" : "s");
}

void
dv_program_close(struct dv_program *p)
{
	dc_close(p->dc);
	dv_probesrc_destroy(p->ps);
	dv_progb_fini(&p->b);
	dv_vec_fini(&p->wanted);
	dv_arena_destroy(p->arena);
	free(p->matched);
	memset(p, 0, sizeof(*p));
}
