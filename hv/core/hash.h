/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash.h - the hash of a key, eight bytes at a time.
 *
 *	h = dv_hash_begin(salt); h = dv_hash_word(h, w) ...; dv_hash_end(h)
 */
#ifndef DV_HASH_H
#define DV_HASH_H
#include "dv_plat.h"

static inline uint64_t
dv_hash_begin(uint32_t salt)
{
	return 0x9e3779b97f4a7c15ull ^ salt;
}

static inline uint64_t
dv_hash_word(uint64_t h, uint64_t w)
{
	h = (h ^ w) * 0xff51afd7ed558ccdull;
	return h ^ (h >> 32);
}

static inline uint32_t
dv_hash_end(uint64_t h)
{
	return (uint32_t)((h * 0xc4ceb9fe1a85ec53ull) >> 32);
}

#endif
