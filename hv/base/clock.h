/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.h - the host's monotonic clock, user side. */
#ifndef DV_CLOCK_H
#define DV_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds: the clock of `timestamp` and of all records. */
uint64_t dv_clock_ns(void);
/* Sleeps so long, or less if a signal comes. */
void dv_clock_nap(uint64_t ns);

/* When a timer that was due is due again: after now and in step. What was missed is missed. */
static inline uint64_t
dv_clock_next(uint64_t due, uint64_t period, uint64_t now)
{
	due += period;
	if (due <= now)
		due += (now - due) / period * period + period;
	return due;
}

#endif
