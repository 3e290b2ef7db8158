#!/usr/bin/env -S dvisor -s
/*
 * deaths.d - processes that do not end of their own will, and why.
 *
 * One line for each process that a signal has ended: which signal, and the
 * program that sent the last one, which is the process' own if it was a fault. At
 * the end: how many programs there were of each name, and how they ended.
 */
#pragma D option quiet

dtrace:::BEGIN
{
	printf("%-16s %7s %7s %-16s %s\n", "PROGRAM", "PID", "SIGNAL", "FROM", "CORE");
}

proc:::signal-send
{
	sig[args[1]->pr_pid] = args[2];
	from[args[1]->pr_pid] = execname;
}

proc:::exit
/args[0] == CLD_KILLED || args[0] == CLD_DUMPED/
{
	printf("%-16s %7d %7d %-16s %s\n", execname, pid, sig[pid], from[pid],
	    args[0] == CLD_DUMPED ? "yes" : "no");
}

proc:::exit
{
	@[execname, args[0] == CLD_EXITED ? "exited" : "killed"] = count();
	sig[pid] = 0;
	from[pid] = 0;
}

dtrace:::END
{
	printf("\n%-16s %-8s %8s\n", "PROGRAM", "END", "TIMES");
	printa("%-16s %-8s %@8d\n", @);
}
