/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma D option quiet
char *restrict p;
const volatile int i;
BEGIN { p = (char *)alloca(1); i = 3; printf("[%s] %d\n", stringof(p), i); exit(0); }
