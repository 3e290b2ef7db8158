/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All ten raw arguments; a probe with fewer has 0 in the rest. */
#pragma D option quiet
t:m:hit:entry
{
	printf("%d %d %d %d %d %d %d %d\n", arg1, arg2, arg4, arg5, arg6, arg7, arg8, arg9);
	printf("%d %s\n", arg3, vmname);
}
