/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dlib.c - the D library: files of declarations that every program has.
 *
 * All *.d of the folders are found first, folder by folder and by name, and
 * then compiled in that order, except that one comes after those which it
 * depends on (#pragma D depends_on library NAME). Dependencies in a circle are
 * an error. One that is not there is the compiler's to judge: it leaves out
 * what depends on it, and tells whoever uses that.
 */
#include "dlib.h"

#include "paths.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LIBS	1000u		/* also the depth of dependencies */

struct lib {
	char *path, *text;
	const char *base;		/* in path */
	enum { WAITING, AT_WORK, DONE } state;
};

struct libs {
	DV_VEC(struct lib) v;
	struct dc *dc;
};

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int
add_lib(struct libs *l, const char *dir, const char *name, struct dv_err *err)
{
	struct lib lib = { .state = WAITING };
	size_t len;
	int rc;

	if (l->v.n >= MAX_LIBS)
		return dv_err_set(err, DV_E_INVAL, "there are more than %u library files",
		    MAX_LIBS);
	if (asprintf(&lib.path, "%s/%s", dir, name) < 0)
		return dv_err_nomem(err);
	lib.base = strrchr(lib.path, '/') + 1;
	if ((rc = dv_file_read(lib.path, DV_MAX_SOURCE, err, &lib.text, &len)) == 0) {
		if (strlen(lib.text) != len)
			rc = dv_err_set(err, DV_E_INVAL,
			    "%s has a NUL byte: it is no D library", lib.path);
		else if (dv_vec_push(&l->v, lib) != 0)
			rc = dv_err_nomem(err);
		if (rc != 0)
			free(lib.text);
	}
	if (rc != 0)
		free(lib.path);
	return rc;
}

/* All .d files of a folder, in the order of their names. */
static int
find_libs(struct libs *l, const char *dir, bool must, struct dv_err *err)
{
	DV_VEC(char *) names = { 0 };
	struct dirent *e;
	char *name;
	DIR *d;
	size_t i, n;
	int rc = 0;

	if ((d = opendir(dir)) == NULL) {
		if (!must)
			return 0;
		return dv_err_set(err, DV_E_IO, "cannot open library folder %s: %s", dir,
		    strerror(errno));
	}
	while (rc == 0 && (e = readdir(d)) != NULL) {
		n = strlen(e->d_name);
		if (n <= 2 || strcmp(e->d_name + n - 2, ".d") != 0)
			continue;
		if ((name = strdup(e->d_name)) == NULL || dv_vec_push(&names, name) != 0) {
			free(name);
			rc = dv_err_nomem(err);
		}
	}
	closedir(d);
	if (names.n > 0)
		qsort(names.v, names.n, sizeof(*names.v), by_name);
	for (i = 0; i < names.n; i++) {
		if (rc == 0)
			rc = add_lib(l, dir, names.v[i], err);
		free(names.v[i]);
	}
	dv_vec_fini(&names);
	return rc;
}

/* The next word of a line: its length; *s moves to it. */
static size_t
next_word(const char **s)
{
	*s += strspn(*s, " \t");
	return strcspn(*s, " \t\r\n");
}

/* Is this line `#pragma D depends_on library NAME`? Its NAME, or NULL. */
static const char *
dependency(const char *line, size_t *len)
{
	static const char *const words[] = { "pragma", "D", "depends_on", "library" };
	size_t i, n;

	line += strspn(line, " \t");
	if (*line++ != '#')
		return NULL;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		n = next_word(&line);
		if (n != strlen(words[i]) || memcmp(line, words[i], n) != 0)
			return NULL;
		line += n;
	}
	*len = next_word(&line);
	return *len > 0 ? line : NULL;
}

static struct lib *
find(struct libs *l, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < l->v.n; i++)
		if (strlen(l->v.v[i].base) == len && memcmp(l->v.v[i].base, name, len) == 0)
			return &l->v.v[i];
	return NULL;
}

static int
compile(struct libs *l, struct lib *lib, struct dv_err *err)
{
	char where[96] = "";
	int rc;

	if ((rc = dc_library(l->dc, lib->path, lib->text, err)) == 0 || rc == DV_E_NOMEM)
		return rc;
	/* No program is wrong, and no guest can put it right. */
	err->code = DV_E_INVAL;
	if (err->line != 0)
		snprintf(where, sizeof(where), ": [%s] line %u, column %u", err->tag, err->line,
		    err->col);
	dv_err_prefix(err, "failed to compile library %s%s", lib->path, where);
	return err->code;
}

/* A library, after those that it depends on. */
static int
load(struct libs *l, struct lib *lib, struct dv_err *err)
{
	const char *line, *name;
	struct lib *other;
	size_t len;
	int rc;

	lib->state = AT_WORK;
	for (line = lib->text; line != NULL; line = strchr(line, '\n')) {
		line += *line == '\n';
		if ((name = dependency(line, &len)) == NULL ||
		    (other = find(l, name, len)) == NULL ||
		    other->state == DONE)
			continue;
		if (other->state == AT_WORK)
			return dv_err_set(err, DV_E_INVAL, "failed to compile library %s: "
			    "[D_PRAGMA_DEPEND] circular dependency: %s => %s", lib->path, lib->base,
			    other->base);
		if ((rc = load(l, other, err)) != 0)
			return rc;
	}
	lib->state = DONE;
	return compile(l, lib, err);
}

int
dv_dlib_load(struct dc *dc, const struct dv_opts *o, struct dv_err *err)
{
	struct libs l = { .dc = dc };
	const char *system = NULL;
	char dir[4096];
	size_t i;
	int rc = 0;

	for (i = 0; i < o->xopts.n; i++)
		if (strcmp(o->xopts.v[i].name, "syslibdir") == 0)
			system = o->xopts.v[i].value;
	if (system != NULL)
		rc = find_libs(&l, system, true, err);
	else if (dv_path_lib(dir, sizeof(dir)))
		rc = find_libs(&l, dir, false, err);
	for (i = 0; rc == 0 && i < o->xopts.n; i++)
		if (strcmp(o->xopts.v[i].name, "libdir") == 0)
			rc = find_libs(&l, o->xopts.v[i].value, true, err);
	for (i = 0; rc == 0 && i < l.v.n; i++)
		if (l.v.v[i].state == WAITING)
			rc = load(&l, &l.v.v[i], err);
	for (i = 0; i < l.v.n; i++) {
		free(l.v.v[i].path);
		free(l.v.v[i].text);
	}
	dv_vec_fini(&l.v);
	return rc;
}
