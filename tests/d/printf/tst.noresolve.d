/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of programs stay numbers, those of the kernel get names. */
#pragma D option quiet
#pragma D option noresolve
t:m:hit:entry
/arg1 == 0/
{
	printf("%A %A\n", usym(0x400010), umod(0x7f0000000808));
	printf("%a\n", sym(0xffffffff81000104));
}
