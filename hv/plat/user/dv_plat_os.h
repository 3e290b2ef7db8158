/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dv_plat_os.h - dv_plat.h's names for user space: libc and compiler atomics. */
#ifndef DV_PLAT_OS_H
#define DV_PLAT_OS_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

__attribute__((noreturn)) void dv_plat_panic(const char *text);

#define DV_PLAT_ATOMICS(bits)						\
static inline uint##bits##_t						\
dv_load##bits(const uint##bits##_t *p)					\
{									\
	return __atomic_load_n(p, __ATOMIC_SEQ_CST);			\
}									\
static inline uint##bits##_t						\
dv_load_acq##bits(const uint##bits##_t *p)				\
{									\
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);			\
}									\
static inline void							\
dv_store##bits(uint##bits##_t *p, uint##bits##_t v)			\
{									\
	__atomic_store_n(p, v, __ATOMIC_SEQ_CST);			\
}									\
static inline void							\
dv_store_rel##bits(uint##bits##_t *p, uint##bits##_t v)			\
{									\
	__atomic_store_n(p, v, __ATOMIC_RELEASE);			\
}									\
static inline bool							\
dv_cas##bits(uint##bits##_t *p, uint##bits##_t *expected,		\
	     uint##bits##_t desired)					\
{									\
	return __atomic_compare_exchange_n(p, expected, desired, false,	\
	    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);			\
}									\
static inline uint##bits##_t						\
dv_add##bits(uint##bits##_t *p, uint##bits##_t n)			\
{									\
	return __atomic_fetch_add(p, n, __ATOMIC_SEQ_CST);		\
}

DV_PLAT_ATOMICS(32)
DV_PLAT_ATOMICS(64)
#undef DV_PLAT_ATOMICS

static inline uint64_t
dv_xchg64(uint64_t *p, uint64_t v)
{
	return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);
}

void dv_plat_wait(uint32_t tries);

/* A thread of user space cannot keep the scheduler away. */
static inline void dv_plat_pin(void) { }
static inline void dv_plat_unpin(void) { }

#endif
