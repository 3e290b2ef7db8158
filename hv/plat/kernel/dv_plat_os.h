/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dv_plat_os.h - dv_plat.h's names inside a Linux kernel module. */
#ifndef DV_PLAT_OS_H
#define DV_PLAT_OS_H
#include <linux/types.h>
#include <linux/stdarg.h>
#include <linux/string.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/bug.h>
#include <linux/atomic.h>
#include <linux/preempt.h>
#include <asm/processor.h>
#include <asm/barrier.h>

/* the rest of stdint.h's names that the core uses */
#ifndef INT64_MAX
#define INT64_MAX	S64_MAX
#define INT64_MIN	S64_MIN
#endif

/*
 * The machine cannot go on, the host must: the carrier's module provides this,
 * says it once in the log and closes the state.
 */
void dv_plat_panic(const char *text);

#define DV_PLAT_ATOMICS(bits)						\
static inline uint##bits##_t						\
dv_load##bits(const uint##bits##_t *p)					\
{									\
	uint##bits##_t v = READ_ONCE(*p);				\
									\
	smp_mb();							\
	return v;							\
}									\
static inline uint##bits##_t						\
dv_load_acq##bits(const uint##bits##_t *p)				\
{									\
	return smp_load_acquire(p);					\
}									\
static inline void							\
dv_store##bits(uint##bits##_t *p, uint##bits##_t v)			\
{									\
	smp_store_mb(*p, v);						\
}									\
static inline void							\
dv_store_rel##bits(uint##bits##_t *p, uint##bits##_t v)			\
{									\
	smp_store_release(p, v);					\
}									\
static inline bool							\
dv_cas##bits(uint##bits##_t *p, uint##bits##_t *expected,		\
	     uint##bits##_t desired)					\
{									\
	return try_cmpxchg(p, expected, desired);			\
}									\
static inline uint##bits##_t						\
dv_add##bits(uint##bits##_t *p, uint##bits##_t n)			\
{									\
	return xadd(p, n);						\
}

DV_PLAT_ATOMICS(32)
DV_PLAT_ATOMICS(64)
#undef DV_PLAT_ATOMICS

static inline uint64_t
dv_xchg64(uint64_t *p, uint64_t v)
{
	return xchg(p, v);
}

static inline void
dv_plat_wait(uint32_t tries)
{
	(void)tries;			/* whom we wait for is pinned */
	cpu_relax();
}

static inline void
dv_plat_pin(void)
{
	preempt_disable();
}

static inline void
dv_plat_unpin(void)
{
	preempt_enable();
}

#endif
