#!/usr/bin/env -S dvisor -s
/*
 * runq-length.d - how many threads wait for each CPU.
 *
 * Runs until ^C. Whenever a thread is queued, the number of those that were in
 * the queue before it; threads that were queued before tracing began are not
 * counted. And which programs the clock ticks found running on each CPU.
 */
#pragma D option quiet

int waiting[int];			/* by CPU */
int queued[uintptr_t];			/* by thread: do we know it is waiting? */

sched:::enqueue
{
	@length[args[2]->cpu_id] = lquantize(waiting[args[2]->cpu_id], 0, 16, 1);
	waiting[args[2]->cpu_id]++;
	queued[args[0]->pr_addr] = 1;
}

sched:::dequeue
/queued[args[0]->pr_addr]/
{
	waiting[args[2]->cpu_id]--;
	queued[args[0]->pr_addr] = 0;
}

sched:::tick
{
	@ticks[cpu, stringof(args[1]->pr_fname)] = count();
}

END
{
	printa("CPU %d, threads already waiting:\n%@d\n", @length);
	printf("%3s %-16s %10s\n", "CPU", "PROGRAM", "TICKS");
	printa("%3d %-16s %@10d\n", @ticks);
}
