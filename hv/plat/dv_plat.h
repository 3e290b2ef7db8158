/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dv_plat.h - all that the probe machine may use of where it runs.
 *
 * hv/core includes this header and hv/abi only. plat/kernel and plat/user
 * define what is declared here in `dv_plat_os.h`, chosen by include path.
 *
 *   memcpy memset memmove memcmp	as in C
 *   dv_plat_panic(text)	assertion of ours failed: log and stop (user: abort)
 *
 * Atomics (C11 meaning, sequentially consistent unless named otherwise):
 *   dv_load32/64 dv_store32/64 dv_load_acq32/64 dv_store_rel32/64
 *   dv_cas32/64(p, &expected, desired) -> bool
 *   dv_add32/64(p, n) -> old value	dv_xchg64(p, v)
 *   dv_plat_wait(n)		between the n-th try and the next, n = 1, 2...: where
 *				the other side may be preempted, long waits
 *				give the processor up (user)
 *
 *   dv_plat_pin() dv_plat_unpin()	around a held gate: the thread is not
 *				preempted where that can be had (kernel)
 *   va_list and its macros
 *
 * Memory for a state is handed in by the carrier (state.h): the core allocates
 * nothing, anywhere.
 */
#ifndef DV_PLAT_H
#define DV_PLAT_H
#include "dv_plat_os.h"

#define DV_ASSERT(c) \
	do { if (!(c)) dv_plat_panic(#c); } while (0)

#endif
