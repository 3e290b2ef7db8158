/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What changes the guest: refused chill() and copyout() are faults, and
 * panic() ends the trace.
 */
// opts: destructive=1
#pragma D option quiet
BEGIN { chill(300000000); printf("chilled\n"); }
BEGIN { chill(200000001); printf("too long\n"); }
BEGIN { copyout(probename, 0, 5); printf("to address 0\n"); }
BEGIN { copyoutstr(probename, (uintptr_t)curthread, 5); printf("to the kernel\n"); }
BEGIN { breakpoint(); printf("breakpoint\n"); }
t:m:hit:entry { printf("hit %d\n", arg1); panic(); printf("panic\n"); }
ERROR { printf("fault %d in %d\n", arg4, arg1); }
END { printf("end\n"); }
