/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dv_avail.h - what D has and this version's machine does not run.
 *
 * stop() and raise() are not to come: a process is stopped and a signal queued
 * under the guest's siglock, which only code of the guest can take.
 *
 * One list for both sides: the compiler refuses these with a place in the
 * program, the verifier refuses them again, as it trusts no compiler.
 */
#ifndef DV_AVAIL_H
#define DV_AVAIL_H
#include "dv_dif.h"
#include "dv_prog.h"

static inline bool
dv_avail_subr(uint32_t subr)
{
	switch (subr) {
	/* loads of the guest's lock, made by the compiler: no machine runs a call */
	case DIF_SUBR_MUTEX_OWNED:
	case DIF_SUBR_MUTEX_OWNER:
	case DIF_SUBR_MUTEX_TYPE_ADAPTIVE:
	case DIF_SUBR_MUTEX_TYPE_SPIN:
	case DIF_SUBR_RW_READ_HELD:
	case DIF_SUBR_RW_WRITE_HELD:
	case DIF_SUBR_RW_ISWRITER:
		return false;
	default:
		return true;
	}
}

static inline bool
dv_avail_act(uint32_t kind)
{
	switch (kind) {
	case DV_ACT_STOP:
	case DV_ACT_RAISE:
		return false;
	default:
		return true;
	}
}

#endif
