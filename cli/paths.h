/* SPDX-License-Identifier: GPL-2.0-or-later */
/* paths.h - where dvisor keeps and finds its files. */
#ifndef DV_PATHS_H
#define DV_PATHS_H
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * All write a path of at most `n` bytes into `buf`; false: it does not fit, or
 * there is no such place (no HOME).
 *
 *	cache	${XDG_CACHE_HOME:-~/.cache}/dvisor/SUB
 *	cache_make	the same; directories are made
 *	run	/run/dvisor (root) or $XDG_RUNTIME_DIR/dvisor
 *	lib	the D library: beside the sources when not installed
 *	plugin	dvisor-tcg.so, likewise
 *	module	dvisor.ko in the build folder; false when installed
 */
bool dv_path_cache(char *buf, size_t n, const char *sub);
bool dv_path_cache_make(char *buf, size_t n, const char *sub);
bool dv_path_run(char *buf, size_t n, const char *file);
bool dv_path_lib(char *buf, size_t n);
bool dv_path_plugin(char *buf, size_t n);
bool dv_path_module(char *buf, size_t n);

#define DV_MAX_SOURCE	(64u << 20)	/* of a program or library */

/* A whole file, malloc'd and NUL-terminated; at most `max` bytes. */
int  dv_file_read(const char *path, size_t max, struct dv_err *err, char **ret, size_t *len);
/* Written beside and renamed, so that readers never see a part. Mode 0600. */
int  dv_file_write(const char *path, const void *data, size_t len, struct dv_err *err);

#endif
