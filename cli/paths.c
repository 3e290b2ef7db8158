/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.c - where dvisor keeps and finds its files.
 *
 * A command that runs from its build folder (./cli/dvisor, beside a
 * dvisor-tcg.so) uses that folder's plugin and the source folder's library;
 * an installed one uses what configure was told. No switch selects between
 * the two: the command looks at where it lies.
 */
#include "paths.h"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
mkdirs(char *path, mode_t mode)
{
	char *p;

	for (p = path + 1; *p != '\0'; p++)
		if (*p == '/') {
			*p = '\0';
			if (mkdir(path, mode) != 0 && errno != EEXIST) {
				*p = '/';
				return false;
			}
			*p = '/';
		}
	return true;
}

bool
dv_path_cache(char *buf, size_t n, const char *sub)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int len;

	if (xdg != NULL && *xdg == '/')
		len = snprintf(buf, n, "%s/dvisor/%s", xdg, sub);
	else if (home != NULL && *home == '/')
		len = snprintf(buf, n, "%s/.cache/dvisor/%s", home, sub);
	else
		return false;
	return len > 0 && (size_t)len < n;
}

bool
dv_path_cache_make(char *buf, size_t n, const char *sub)
{
	return dv_path_cache(buf, n, sub) && mkdirs(buf, 0700);
}

bool
dv_path_run(char *buf, size_t n, const char *file)
{
	const char *xdg = getenv("XDG_RUNTIME_DIR");
	int len;

	if (geteuid() == 0)
		len = snprintf(buf, n, "/run/dvisor/%s", file);
	else if (xdg != NULL && *xdg == '/')
		len = snprintf(buf, n, "%s/dvisor/%s", xdg, file);
	else
		return false;
	return len > 0 && (size_t)len < n && mkdirs(buf, geteuid() == 0 ? 0755 : 0700);
}

/* The build folder that this command runs from, or false: installed. */
static bool
build_folder(char *buf, size_t n)
{
	char exe[4096];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;
	int i;

	if (len <= 0)
		return false;
	exe[len] = '\0';
	for (i = 0; i < 2; i++) {		/* .../cli/dvisor -> ... */
		if ((slash = strrchr(exe, '/')) == NULL)
			return false;
		if (i == 0 && strcmp(slash, "/dvisor") != 0)
			return false;
		if (i == 1 && strcmp(slash, "/cli") != 0)
			return false;
		*slash = '\0';
	}
	if ((size_t)snprintf(buf, n, "%s/config.mk", exe) >= n || access(buf, R_OK) != 0)
		return false;
	return (size_t)snprintf(buf, n, "%s", exe) < n;
}

bool
dv_path_lib(char *buf, size_t n)
{
	char folder[4096];

	if (build_folder(folder, sizeof(folder)))
		return (size_t)snprintf(buf, n, "%s/dcomp/lib", DV_SRCDIR) < n;
	return (size_t)snprintf(buf, n, "%s", DV_LIBDIR) < n;
}

bool
dv_path_plugin(char *buf, size_t n)
{
	char folder[4096];

	if (build_folder(folder, sizeof(folder)))
		return (size_t)snprintf(buf, n, "%s/dvisor-tcg.so", folder) < n;
	return (size_t)snprintf(buf, n, "%s/dvisor-tcg.so", DV_PLUGINDIR) < n;
}

bool
dv_path_module(char *buf, size_t n)
{
	char folder[4096];

	return build_folder(folder, sizeof(folder)) &&
	    (size_t)snprintf(buf, n, "%s/dvisor.ko", folder) < n;
}

int
dv_file_read(const char *path, size_t max, struct dv_err *err, char **ret, size_t *len)
{
	FILE *f = fopen(path, "re");
	size_t cap = 65536, n = 0, got;
	char *buf, *more;
	struct stat st;

	if (f == NULL)
		return dv_err_set(err, errno == ENOENT ? DV_E_NOENT : DV_E_IO,
		    "cannot open %s: %s", path, strerror(errno));
	if (fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode)) {
		fclose(f);
		return dv_err_set(err, DV_E_IO, "cannot read %s: it is a directory", path);
	}
	if ((buf = malloc(cap + 1)) == NULL) {
		fclose(f);
		return dv_err_nomem(err);
	}
	while ((got = fread(buf + n, 1, cap - n, f)) > 0) {
		n += got;
		if (n > max) {
			fclose(f);
			free(buf);
			return dv_err_set(err, DV_E_INVAL, "%s is larger than %zu bytes", path,
			    max);
		}
		if (n < cap)
			continue;
		cap *= 2;
		if ((more = realloc(buf, cap + 1)) == NULL) {
			fclose(f);
			free(buf);
			return dv_err_nomem(err);
		}
		buf = more;
	}
	if (ferror(f)) {
		dv_err_set(err, DV_E_IO, "cannot read %s: %s", path, strerror(errno));
		fclose(f);
		free(buf);
		return DV_E_IO;
	}
	fclose(f);
	buf[n] = '\0';
	*ret = buf;
	*len = n;
	return 0;
}

int
dv_file_write(const char *path, const void *data, size_t len, struct dv_err *err)
{
	char tmp[4096] = "";
	const char *p = data;
	struct stat st;
	ssize_t put;
	int fd, saved;

	/* A device or pipe is written to; only a file may be replaced. */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		if ((fd = open(path, O_WRONLY | O_CLOEXEC)) < 0)
			return dv_err_set(err, DV_E_IO, "cannot write %s: %s", path,
			    strerror(errno));
		goto put;
	}
	if ((size_t)snprintf(tmp, sizeof(tmp), "%s.XXXXXX", path) >= sizeof(tmp))
		return dv_err_set(err, DV_E_INVAL, "path is too long: %s", path);
	if ((fd = mkostemp(tmp, O_CLOEXEC)) < 0)
		return dv_err_set(err, DV_E_IO, "cannot write %s: %s", path, strerror(errno));
put:
	while (len > 0) {
		if ((put = write(fd, p, len)) < 0) {
			if (errno == EINTR)
				continue;
			goto fail;
		}
		p += put;
		len -= (size_t)put;
	}
	if (close(fd) != 0 || (tmp[0] != '\0' && rename(tmp, path) != 0)) {
		fd = -1;
		goto fail;
	}
	return 0;
fail:
	saved = errno;
	if (fd >= 0)
		close(fd);
	if (tmp[0] != '\0')
		unlink(tmp);
	return dv_err_set(err, DV_E_IO, "cannot write %s: %s", path, strerror(saved));
}
