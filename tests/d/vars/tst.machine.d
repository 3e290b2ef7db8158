/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables of the machine where there is no user mode, and no CPU. */
#pragma D option quiet
BEGIN { printf("%s %d\n", zonename, vtimestamp); }
BEGIN { trace(uregs[R_RIP]); }
BEGIN { i = 21; trace(uregs[i]); }
t:m:hit:entry { self->v = vtimestamp; }
t:m:hit:return { printf("%d\n", vtimestamp >= self->v); exit(0); }
ERROR { printf("fault %d\n", arg4); }
