#!/usr/bin/env -S dvisor -s
/*
 * runq-wait.d - how long runnable threads wait for a CPU.
 *
 * The wait begins when a thread is put on a run queue and ends when it runs. A
 * thread that migrates while it waits is queued a second time; its wait goes
 * on from the first. Every five seconds: the programs with the longest waits.
 */
#pragma D option quiet

uint64_t queued[uintptr_t];		/* since when, by thread */

sched:::enqueue
/queued[args[0]->pr_addr] == 0/
{
	queued[args[0]->pr_addr] = timestamp;
}

sched:::on-cpu
/queued[(uintptr_t)curthread] != 0/
{
	this->wait = timestamp - queued[(uintptr_t)curthread];
	queued[(uintptr_t)curthread] = 0;
	@n[execname] = count();
	@mean[execname] = avg(this->wait / 1000);
	@worst[execname] = max(this->wait / 1000);
}

tick-5s
{
	printf("%Y\n%-16s %10s %12s %12s\n", walltimestamp, "PROGRAM",
	    "WAITS", "MEAN (US)", "WORST (US)");
	printa("%-16s %@10d %@12d %@12d\n", @n, @mean, @worst);
	trunc(@n);
	trunc(@mean);
	trunc(@worst);
}
