/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arena.c - memory that is freed all at once.
 *
 * A compilation makes thousands of small objects that all die together. They
 * are cut from chunks; chunks form a list, and destroying the arena frees the
 * list. Nothing is freed singly.
 *
 *   chunk: | header | object | object | ... free |
 *                                       ^ used   ^ size
 *
 * The head of the list is the chunk that is cut from; a large object gets a
 * chunk of its own, behind the head. Chunks come from calloc(), and a byte is
 * handed out once, so objects are zero without our clearing them. What counts
 * against the cap is the objects' sizes rounded up to 16.
 */
#include "arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN		16
#define CHUNK_SIZE	(32 * 1024 - 64)	/* of data; header and malloc's
						 * own make it 32k */

struct chunk {
	struct chunk	*next;
	size_t		used, size;		/* bytes of data */
	_Alignas(ALIGN) unsigned char data[];
};

struct dv_arena {
	struct chunk	*head;
	size_t		total, max;		/* max 0: no cap */
	bool		failed;
};

struct dv_arena *
dv_arena_create(void)
{
	return calloc(1, sizeof(struct dv_arena));
}

void
dv_arena_destroy(struct dv_arena *a)
{
	struct chunk *c, *next;

	if (a == NULL)
		return;
	for (c = a->head; c != NULL; c = next) {
		next = c->next;
		free(c);
	}
	free(a);
}

void
dv_arena_limit(struct dv_arena *a, size_t max)
{
	a->max = max;
}

bool
dv_arena_failed(const struct dv_arena *a)
{
	return a->failed;
}

static struct chunk *
chunk_create(size_t size)
{
	struct chunk *c = calloc(1, sizeof(*c) + size);

	if (c != NULL)
		c->size = size;
	return c;
}

void *
dv_arena_alloc(struct dv_arena *a, size_t size)
{
	struct chunk *c = a->head;
	void *ret;

	if (size > SIZE_MAX / 2)
		goto fail;
	size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (a->max != 0 && (a->total > a->max || size > a->max - a->total))
		goto fail;
	if (c == NULL || size > c->size - c->used) {
		bool large = size > CHUNK_SIZE / 4;

		if ((c = chunk_create(large ? size : CHUNK_SIZE)) == NULL)
			goto fail;
		if (large && a->head != NULL) {
			c->next = a->head->next;
			a->head->next = c;
		} else {
			c->next = a->head;
			a->head = c;
		}
	}
	ret = c->data + c->used;
	c->used += size;
	a->total += size;
	return ret;
fail:
	a->failed = true;
	return NULL;
}

char *
dv_arena_strdup(struct dv_arena *a, const char *s)
{
	return dv_arena_strndup(a, s, strlen(s));
}

char *
dv_arena_strndup(struct dv_arena *a, const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *ret = dv_arena_alloc(a, len + 1);

	if (ret != NULL)
		memcpy(ret, s, len);
	return ret;
}

char *
dv_arena_printf(struct dv_arena *a, const char *fmt, ...)
{
	va_list ap;
	char *ret;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0) {
		a->failed = true;
		return NULL;
	}
	if ((ret = dv_arena_alloc(a, (size_t)len + 1)) == NULL)
		return NULL;
	va_start(ap, fmt);
	vsnprintf(ret, (size_t)len + 1, fmt, ap);
	va_end(ap);
	return ret;
}
