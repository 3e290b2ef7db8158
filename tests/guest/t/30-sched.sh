# SPDX-License-Identifier: GPL-2.0-or-later
# 30-sched.sh - who runs where, seen from outside.

# On every vCPU on-cpu and off-cpu take turns, and each on-cpu has the thread
# that the off-cpu before it named.
test_on_and_off_cpu_alternate()
{
	trace_start -x bufsize=32m -qn 'BEGIN { printf("ready\n"); }
	    sched:::off-cpu { printf("off %d %d %d\n", cpu, tid, args[0]->pr_lwpid); }
	    sched:::on-cpu { printf("on %d %d\n", cpu, tid); }' || return 1
	guest_run g 'dvwork pingpong 300; dvwork forkexec 30; dvwork mutex 500 4' || return 1
	trace_stop
	no_drops || return 1
	awk '$1 == "off" { if (state[$2] == "off") bad++; state[$2] = "off"; next_[$2] = $4; n++ }
	    $1 == "on" { if (state[$2] == "on") bad++;
		if (state[$2] == "off" && next_[$2] != $3) wrong++; state[$2] = "on" }
	    END { print n + 0, bad + 0, wrong + 0; exit !(n > 1000 && bad == 0 && wrong == 0) }' \
	    "$tmp/trace.out" || fail "switches, gaps, wrong successors: see above"
}

# The guest's own sched_switch counts the same number of switches.
test_switches_equal_tracefs()
{
	guest_run g 'cd /sys/kernel/tracing; echo "hist:keys=prev_comm if prev_comm == \"dvwork\"" >events/sched/sched_switch/trigger' || return 1
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    sched:::off-cpu /execname == "dvwork"/ { @ = count(); }
	    END { printa("%@d\n", @); }' || return 1
	guest_run g 'dvwork pingpong 500' || return 1
	trace_stop
	own=$(guest_run g 'cd /sys/kernel/tracing; sed -n "s/.*hitcount: *\([0-9]*\).*/\1/p" events/sched/sched_switch/hist
	    echo "!hist:keys=prev_comm if prev_comm == \"dvwork\"" >events/sched/sched_switch/trigger' | tr -d '\r' | grep -o '[0-9][0-9]*')
	no_drops || return 1
	same switches "$(last "$tmp/trace.out")" "$own"
}

test_tick_is_near_config_hz()
{
	guest_send g 'dvwork hog 3 2'
	dv -qn 'uint64_t last[int]; sched:::tick /last[cpu]/ { @[cpu] = quantize(timestamp - last[cpu]); }
	    sched:::tick { last[cpu] = timestamp; @n[cpu] = count(); } tick-2s { exit(0); }
	    END { printa("%d %@d\n", @n); }' >"$tmp/out" || return 1
	sleep 3
	# 250 Hz on these kernels; a busy CPU of a slow guest ticks less, never more.
	awk 'NF == 2 { if ($2 < 50 || $2 > 700) bad++; n++ } END { exit !(n >= 1 && !bad) }' "$tmp/out" ||
	    { cat "$tmp/out"; fail "ticks per CPU in 2 s are not near 500"; }
}

# What is enqueued is dequeued before it runs; a wakeup names a sleeper.
test_enqueue_and_dequeue_pair()
{
	trace_start -x bufsize=32m -qn 'BEGIN { printf("ready\n"); }
	    sched:::enqueue { printf("%d enq %d %d\n", timestamp, args[0]->pr_lwpid, args[2]->cpu_id); }
	    sched:::dequeue { printf("%d deq %d %d\n", timestamp, args[0]->pr_lwpid, args[2]->cpu_id); }' || return 1
	guest_run g 'dvwork pingpong 300; dvwork mutex 300 3' || return 1
	trace_stop
	no_drops || return 1
	grep -E ' (enq|deq) ' "$tmp/trace.out" | sort -n | awk '
	    $2 == "enq" { if (q[$3]) bad++; q[$3] = 1; seen[$3] = 1; n++ }
	    $2 == "deq" { if (!q[$3] && seen[$3]) bad++; q[$3] = 0; seen[$3] = 1 }
	    END { print n + 0, bad + 0; exit !(n > 500 && bad <= n / 100) }' || fail "enqueues, unpaired: see above"
}

test_wakeup_names_the_sleeper()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    sched:::wakeup /execname == "dvwork" && stringof(args[1]->pr_fname) == "dvwork"/ { @ = count(); }
	    END { printa("%@d\n", @); }' || return 1
	guest_run g 'dvwork pingpong 400' || return 1
	trace_stop
	n=$(last "$tmp/trace.out")
	[ "$n" -ge 400 ] || fail "only $n wakeups for 400 round trips"
}
