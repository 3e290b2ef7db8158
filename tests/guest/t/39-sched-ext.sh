# SPDX-License-Identifier: GPL-2.0-or-later
# The scheduler's events while a scheduler of sched_ext has all threads: it has one
# queue for all CPUs, and threads move to the CPU that takes them.
. "$DVISOR_SRC/tests/guest/t/lib.sh.inc"

# ext_start, ext_stop: it comes and goes; it is thrown out before for what it does
# wrong, such as a thread that never runs.
ext_start()
{
	guest_run g 'dvwork ext >/tmp/ext 2>&1 & echo $! >/tmp/ext.pid
	    until grep -q enabled /sys/kernel/sched_ext/state; do
		kill -0 $! || exit 1; sleep 0.1; done' || fail "the guest refused the scheduler"
}

ext_stop()
{
	guest_run g 'kill "$(cat /tmp/ext.pid)"; until [ -s /tmp/ext ]; do sleep 0.1; done
	    cat /tmp/ext; [ "$(cat /sys/kernel/sched_ext/nr_rejected)" = 0 ]' >"$tmp/ext" &&
	grep -q 'loaded=1' "$tmp/ext" || { cat "$tmp/ext"; fail "the scheduler did not last"; }
}

# under_ext FUNCTION: runs it meanwhile; skips where the guest has no such thing.
under_ext()
{
	guest_run g '[ -d /sys/kernel/sched_ext ]' ||
	    { skip "the guest's kernel has no sched_ext (CONFIG_SCHED_CLASS_EXT)"; return; }
	ext_start || return 1
	ue_status=0
	"$1" || ue_status=1
	ext_stop && return $ue_status
}

test_ext_counts_equal_the_guests()
{
	under_ext counts_are_equal
}

test_ext_who_is_queued()
{
	under_ext who_is_queued
}

# When a CPU goes over to its idle thread, as many wait for it as the kernel counts
# in its own run queue; also while the scheduler comes, takes all threads, and goes.
test_ext_queue_lengths()
{
	guest_run g '[ -d /sys/kernel/sched_ext ]' ||
	    { skip "the guest's kernel has no sched_ext (CONFIG_SCHED_CLASS_EXT)"; return; }
	trace_start -x dynvarsize=16m -qn 'BEGIN { printf("ready\n"); }
	    int len[int]; char in[uintptr_t];
	    sched:::enqueue { this->t = args[0]->pr_addr; len[args[2]->cpu_id] += 1; @f[probefunc] = count(); }
	    sched:::enqueue /in[this->t]/ { @bad["enqueue twice"] = count(); }
	    sched:::enqueue { in[this->t] = 1; }
	    sched:::dequeue { this->t = args[0]->pr_addr; }
	    sched:::dequeue /in[this->t]/ { len[args[2]->cpu_id] -= 1; in[this->t] = 0; }
	    sched:::off-cpu /args[0]->pr_lwpid == 0/ {
		this->n = ((struct rq *)((uintptr_t)&`runqueues + `__per_cpu_offset[cpu]))->nr_running;
		@idle[len[cpu] == (int)this->n, this->n != 0] = count(); }
	    END { printa("%s %@d\n", @f); printa("bad %s %@d\n", @bad); printa("idle %d %d %@d\n", @idle); }' ||
	    return 1
	lengths_work="dvwork pingpong 300; dvwork mutex 300 4; dvwork hog 1 5 & dvwork prio 40
	    dvwork locks 5; dvwork preempt 50; dvwork deadline 24; dvwork forkexec 10
	    dvwork sleep 50 2; [ $(ncpus) = 1 ] || dvwork migrate 20; wait"
	guest_run g 'dvwork hog 2 3 >/dev/null &' && ext_start && guest_run g "$lengths_work" 300 >/dev/null &&
	    ext_stop && guest_run g "$lengths_work" 300 >/dev/null || return 1
	trace_stop || return 1
	no_drops || return 1
	awk '$1 == "enqueue_task_scx" { n = $2 } $1 == "bad" { bad++ }
	    $1 == "idle" && $2 { idle += $4 } $1 == "idle" && !$2 { bad++ }
	    END { exit !(n > 1000 && idle > 50 && !bad) }' "$tmp/trace.out" ||
	    { cat "$tmp/trace.out"; fail "idle: with as many queued as the kernel counts; see above"; }
}
