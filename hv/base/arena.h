/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena.h - memory that is freed all at once. */
#ifndef DV_ARENA_H
#define DV_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct dv_arena;			/* private to arena.c */

/*
 * Not thread-safe. All allocators return NULL when memory is out or the cap
 * is reached; dv_arena_failed() then stays true, so that a pass may make many
 * allocations and look once. NULL may be destroyed.
 */
struct dv_arena *dv_arena_create(void);
void dv_arena_destroy(struct dv_arena *a);

/* At most MAX bytes may be handed out in all; 0: no cap (the default). */
void dv_arena_limit(struct dv_arena *a, size_t max);
bool dv_arena_failed(const struct dv_arena *a);

/* Zeroed, aligned to 16. A size of 0 yields a pointer that may not be read. */
void *dv_arena_alloc(struct dv_arena *a, size_t size);
char *dv_arena_strdup(struct dv_arena *a, const char *s);
/* At most N bytes of S, which needs no NUL then; always NUL-terminated. */
char *dv_arena_strndup(struct dv_arena *a, const char *s, size_t n);
char *dv_arena_printf(struct dv_arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
