#!/usr/bin/env -S dvisor -s
/*
 * errors.d - which system calls fail, with which errno, in which programs.
 *
 * Runs until ^C. Errors are the kernel's numbers (2 is ENOENT); 512 and above
 * are restarts that the program itself does not see.
 */
#pragma D option quiet

syscall:::return
/errno != 0/
{
	@failed[execname, probefunc, errno] = count();
}

END
{
	printf("%-16s %-24s %5s %10s\n", "PROGRAM", "SYSTEM CALL", "ERRNO", "TIMES");
	printa("%-16s %-24s %5d %@10d\n", @failed);
}
