/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash.c - maps from numbers and from strings.
 *
 * Open addressing with linear probing in a table whose size is a power of two
 * and which is at most three quarters full; entries are never removed singly,
 * so there are no tombstones. A slot is empty when `used` is false (number
 * map) or its key is NULL (string map).
 *
 * Keys may come from a guest, which would like all of them to collide. So the
 * hash is keyed with bytes that a guest cannot know: those which the kernel
 * gives each process at exec (AT_RANDOM).
 */
#include "hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "err.h"

struct slot {
	uint64_t	key;
	void		*value;
	bool		used;
};

struct dv_map {
	struct slot	*slots;
	size_t		n, size;	/* size: 0 or a power of two */
};

struct sslot {
	char		*key;
	uint64_t	hash;
	uint64_t	value;
};

struct dv_smap {
	struct sslot	*slots;
	size_t		n, size;
};

static inline uint64_t
rotl(uint64_t x, int b)
{
	return x << b | x >> (64 - b);
}

static void
sip_round(uint64_t v[4])
{
	v[0] += v[1]; v[1] = rotl(v[1], 13); v[1] ^= v[0]; v[0] = rotl(v[0], 32);
	v[2] += v[3]; v[3] = rotl(v[3], 16); v[3] ^= v[2];
	v[0] += v[3]; v[3] = rotl(v[3], 21); v[3] ^= v[0];
	v[2] += v[1]; v[1] = rotl(v[1], 17); v[1] ^= v[2]; v[2] = rotl(v[2], 32);
}

uint64_t
dv_hash_bytes(const void *p, size_t n)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	const unsigned char *s = p;
	uint64_t k[2] = { 0, 0 }, v[4], word;
	size_t left;

	if (random != NULL)
		memcpy(k, random, sizeof(k));
	v[0] = k[0] ^ 0x736f6d6570736575;
	v[1] = k[1] ^ 0x646f72616e646f6d;
	v[2] = k[0] ^ 0x6c7967656e657261;
	v[3] = k[1] ^ 0x7465646279746573;
	for (left = n; left >= 8; left -= 8, s += 8) {
		memcpy(&word, s, 8);
		v[3] ^= word;
		sip_round(v);
		v[0] ^= word;
	}
	word = 0;
	memcpy(&word, s, left);
	word |= (uint64_t)n << 56;
	v[3] ^= word;
	sip_round(v);
	v[0] ^= word;
	v[2] ^= 0xff;
	sip_round(v);
	sip_round(v);
	sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* The size a table of SIZE slots needs before its N+1st entry; 0: no way. */
static size_t
size_for(size_t n, size_t size)
{
	if (size == 0)
		return 16;
	if (n + 1 <= size / 4 * 3)
		return size;
	return size > SIZE_MAX / 2 / sizeof(struct sslot) ? 0 : size * 2;
}

struct dv_map *
dv_map_create(void)
{
	return calloc(1, sizeof(struct dv_map));
}

void
dv_map_destroy(struct dv_map *m)
{
	if (m == NULL)
		return;
	free(m->slots);
	free(m);
}

/* The slot that has KEY, or the empty one where it belongs. */
static struct slot *
map_slot(struct slot *slots, size_t size, uint64_t key)
{
	size_t i = dv_hash_bytes(&key, sizeof(key)) & (size - 1);

	while (slots[i].used && slots[i].key != key)
		i = (i + 1) & (size - 1);
	return &slots[i];
}

int
dv_map_set(struct dv_map *m, uint64_t key, void *value)
{
	size_t i, size = size_for(m->n, m->size);
	struct slot *slots, *at;

	if (size != m->size) {
		if (size == 0 || (slots = calloc(size, sizeof(*slots))) == NULL)
			return DV_E_NOMEM;
		for (i = 0; i < m->size; i++)
			if (m->slots[i].used)
				*map_slot(slots, size, m->slots[i].key) =
				    m->slots[i];
		free(m->slots);
		m->slots = slots;
		m->size = size;
	}
	at = map_slot(m->slots, m->size, key);
	m->n += !at->used;
	at->used = true;
	at->key = key;
	at->value = value;
	return 0;
}

void *
dv_map_get(const struct dv_map *m, uint64_t key)
{
	return m->n == 0 ? NULL : map_slot(m->slots, m->size, key)->value;
}

struct dv_smap *
dv_smap_create(void)
{
	return calloc(1, sizeof(struct dv_smap));
}

void
dv_smap_destroy(struct dv_smap *m)
{
	size_t i;

	if (m == NULL)
		return;
	for (i = 0; i < m->size; i++)
		free(m->slots[i].key);
	free(m->slots);
	free(m);
}

static struct sslot *
smap_slot(struct sslot *slots, size_t size, const char *key, uint64_t hash)
{
	size_t i = hash & (size - 1);

	while (slots[i].key != NULL &&
	    (slots[i].hash != hash || strcmp(slots[i].key, key) != 0))
		i = (i + 1) & (size - 1);
	return &slots[i];
}

int
dv_smap_set(struct dv_smap *m, const char *key, uint64_t value)
{
	size_t i, size = size_for(m->n, m->size);
	uint64_t hash = dv_hash_bytes(key, strlen(key));
	struct sslot *slots, *at;

	if (size != m->size) {
		if (size == 0 || (slots = calloc(size, sizeof(*slots))) == NULL)
			return DV_E_NOMEM;
		for (i = 0; i < m->size; i++)
			if (m->slots[i].key != NULL)
				*smap_slot(slots, size, m->slots[i].key,
				    m->slots[i].hash) = m->slots[i];
		free(m->slots);
		m->slots = slots;
		m->size = size;
	}
	at = smap_slot(m->slots, m->size, key, hash);
	if (at->key == NULL) {
		if ((at->key = strdup(key)) == NULL)
			return DV_E_NOMEM;
		at->hash = hash;
		m->n++;
	}
	at->value = value;
	return 0;
}

bool
dv_smap_get(const struct dv_smap *m, const char *key, uint64_t *ret)
{
	const struct sslot *at;

	if (m->n == 0)
		return false;
	at = smap_slot(m->slots, m->size, key, dv_hash_bytes(key, strlen(key)));
	if (at->key == NULL)
		return false;
	if (ret != NULL)
		*ret = at->value;
	return true;
}

int
dv_smap_set_ptr(struct dv_smap *m, const char *key, void *value)
{
	return dv_smap_set(m, key, (uintptr_t)value);
}

void *
dv_smap_get_ptr(const struct dv_smap *m, const char *key)
{
	uint64_t value;

	return dv_smap_get(m, key, &value) ? (void *)(uintptr_t)value : NULL;
}
