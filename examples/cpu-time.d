#!/usr/bin/env -S dvisor -s
/*
 * cpu-time.d - which CPUs run threads, and for how long at a stretch.
 *
 * Runs for ten seconds. Prints for each CPU how long threads ran there before
 * they left it, and the programs that used the most time. The idle threads
 * have process id 0 and are left out: swapper/0 in the list is process 1, which
 * has that name until it runs init.
 */
#pragma D option quiet

sched:::on-cpu
/pid != 0/
{
	self->since = timestamp;
}

sched:::off-cpu
/self->since/
{
	this->ran = timestamp - self->since;
	self->since = 0;
	@stretch[cpu] = quantize(this->ran);
	@total[execname] = sum(this->ran);
}

tick-10s
{
	exit(0);
}

END
{
	printa("CPU %d, nanoseconds at a stretch:\n%@d\n", @stretch);
	normalize(@total, 1000000);
	trunc(@total, 10);
	printf("%-16s %12s\n", "PROGRAM", "MS ON CPU");
	printa("%-16s %@12d\n", @total);
}
