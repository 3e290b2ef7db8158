/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hash.h - maps from numbers and from strings. */
#ifndef DV_HASH_H
#define DV_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * dv_map: uint64_t -> pointer. dv_smap: string -> uint64_t or pointer (one
 * map should keep to one of the two). String keys are copied.
 *
 * _create returns NULL, and _set returns DV_E_NOMEM, when memory is out; else
 * _set returns 0, and replaces the value if the key is there. NULL may be
 * destroyed. Not thread-safe.
 */
struct dv_map;				/* private to hash.c */
struct dv_smap;				/* private to hash.c */

struct dv_map *dv_map_create(void);
void   dv_map_destroy(struct dv_map *m);
int    dv_map_set(struct dv_map *m, uint64_t key, void *value);
void  *dv_map_get(const struct dv_map *m, uint64_t key);	/* NULL: none */

struct dv_smap *dv_smap_create(void);
void   dv_smap_destroy(struct dv_smap *m);
int    dv_smap_set(struct dv_smap *m, const char *key, uint64_t value);
bool   dv_smap_get(const struct dv_smap *m, const char *key, uint64_t *ret);
int    dv_smap_set_ptr(struct dv_smap *m, const char *key, void *value);
void  *dv_smap_get_ptr(const struct dv_smap *m, const char *key);

/* The hash that the maps use: SipHash-1-3 with a key of this process. */
uint64_t dv_hash_bytes(const void *p, size_t n);

#endif
