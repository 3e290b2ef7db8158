/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plat.c - the functions of the user-space platform that are not inline.
 */
#include "dv_plat.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Reached only when the machine breaks a promise of its own, never by what a
 * guest, a D program or a socket sends.
 */
void
dv_plat_panic(const char *text)
{
	fprintf(stderr, "dvisor: assertion failed in the probe machine: %s\n", text);
	abort();
}

/* Who holds the gate may have lost its processor, perhaps to us. */
void
dv_plat_wait(uint32_t tries)
{
	if (tries % 64 == 0)
		sched_yield();
#if defined(__x86_64__)
	else
		__builtin_ia32_pause();
#endif
}
