/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.c - the host's monotonic clock, user side. */
#include "clock.h"

#include <time.h>

uint64_t
dv_clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void
dv_clock_nap(uint64_t ns)
{
	const struct timespec ts = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	nanosleep(&ts, NULL);
}
