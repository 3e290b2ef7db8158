/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plat.c - the one function of the user-space platform that is not inline.
 *
 * It is reached only when the machine breaks a promise of its own, never by
 * what a guest, a D program or a socket sends.
 */
#include "dv_plat.h"

#include <stdio.h>
#include <stdlib.h>

void
dv_plat_panic(const char *text)
{
	fprintf(stderr, "dvisor: assertion failed in the probe machine: %s\n", text);
	abort();
}
