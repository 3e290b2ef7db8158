#!/usr/bin/env -S dvisor --boot -s
/*
 * boot-check.d - does this image boot? A check for continuous integration.
 *
 *	dvisor --boot --kernel K --initrd I -s boot-check.d
 *
 * Exit status: 0 when the first process makes its first system call, 3 when
 * the kernel panics, 4 when neither happens within a minute.
 */
#pragma D option quiet

BEGIN
{
	began = timestamp;
}

fbt::start_kernel:entry
{
	printf("%6d ms  the kernel starts\n", (timestamp - began) / 1000000);
}

fbt::panic:entry
{
	printf("%6d ms  the kernel panics\n", (timestamp - began) / 1000000);
	exit(3);
}

syscall:::entry
/pid == 1/
{
	printf("%6d ms  process 1 (%s) calls %s\n",
	    (timestamp - began) / 1000000, execname, probefunc);
	exit(0);
}

tick-60s
{
	printf("        no first process after a minute\n");
	exit(4);
}
