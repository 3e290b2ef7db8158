#!/usr/bin/env -S dvisor -s
/*
 * syscall-latency.d - how long each system call takes, in nanoseconds.
 *
 *	dvisor -s syscall-latency.d		all processes, until ^C
 *	dvisor -s syscall-latency.d PID		only this process of the guest
 *
 * A call that was under way when tracing began has no start and is not counted.
 */
#pragma D option quiet
#pragma D option defaultargs

syscall:::entry
/$1 == 0 || pid == $1/
{
	self->start = timestamp;
}

syscall:::return
/self->start/
{
	@lat[probefunc] = quantize(timestamp - self->start);
	@calls[probefunc] = count();
	@longest[probefunc] = max(timestamp - self->start);
	self->start = 0;
}

END
{
	printa("%s:\n%@d\n", @lat);
	printf("%-24s %10s %16s\n", "SYSTEM CALL", "CALLS", "LONGEST (NS)");
	printa("%-24s %@10d %@16d\n", @calls, @longest);
}
