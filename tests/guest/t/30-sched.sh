# SPDX-License-Identifier: GPL-2.0-or-later
# 30-sched.sh - who runs where, seen from outside.

sched_work='dvwork pingpong 300; dvwork mutex 300 4; dvwork forkexec 20
    dvwork prio 40; dvwork sleep 5 5; dvwork threads 10; dvwork die 6; dvwork hog 1 4'

# All that the scheduler's probes say while threads of all kinds work, one line
# each in $kept/sched, in order of time: TIMESTAMP EVENT CPU TID FIELD...
sched_events()
{
	[ ! -f "$kept/sched" ] || return 0
	trace_start -x bufsize=64m -x switchrate=10hz -qn 'BEGIN { printf("ready\n"); }
	    sched:::off-cpu { printf("%d off %d %d %d %d\n", timestamp, cpu, tid,
		args[0]->pr_lwpid, curlwpsinfo->pr_state); }
	    sched:::on-cpu { printf("%d on %d %d\n", timestamp, cpu, tid); }
	    sched:::enqueue { printf("%d enq %d %d\n", timestamp, args[2]->cpu_id, args[0]->pr_lwpid); }
	    sched:::dequeue { printf("%d deq %d %d\n", timestamp, args[2]->cpu_id, args[0]->pr_lwpid); }
	    sched:::wakeup { printf("%d wake %d %d %d\n", timestamp, cpu, args[0]->pr_lwpid,
		args[0]->pr_state); }' || return 1
	guest_run g "$sched_work" >/dev/null || return 1
	trace_stop || return 1
	no_drops || return 1
	grep -E '^[0-9]+ (off|on|enq|deq|wake) ' "$tmp/trace.out" | sort -s -n -k1,1 >"$kept/sched"
}

# On every vCPU on-cpu and off-cpu take turns, and each on-cpu has the thread
# that the off-cpu before it named.
test_on_and_off_cpu_alternate()
{
	sched_events || return 1
	awk '$2 == "off" { if (state[$3] == "off" || (state[$3] == "on" && now[$3] != $4)) bad++
		state[$3] = "off"; then[$3] = $5; n++ }
	    $2 == "on" { if (state[$3] == "on") bad++
		if (state[$3] == "off" && then[$3] != $4) wrong++
		state[$3] = "on"; now[$3] = $4 }
	    END { print n + 0, bad + 0, wrong + 0; exit !(n > 1000 && bad == 0 && wrong == 0) }' \
	    "$kept/sched" || fail "switches, gaps, wrong successors: see above"
}

# A thread is never queued twice nor taken off twice, runs only when it has
# been taken off, and is on the queue that it is taken from.
test_enqueue_and_dequeue_pair()
{
	sched_events || return 1
	awk '$2 == "enq" { if (q[$4] == "on") { bad++; print }
		q[$4] = "on"; cpu[$4] = $3; n++ }
	    $2 == "deq" { if (q[$4] == "off" || (q[$4] == "on" && cpu[$4] != $3)) { bad++; print }
		q[$4] = "off" }
	    $2 == "on" && $4 != 0 { if (q[$4] == "on") { bad++; print }
		q[$4] = "off" }
	    END { print n + 0, bad + 0; exit !(n > 500 && bad == 0) }' \
	    "$kept/sched" >"$tmp/pairs" || { tail -n 10 "$tmp/pairs"; fail "enqueues, unpaired: see above"; }
}

# Between two turns of a thread on a CPU: one wakeup if it slept, none if it
# only waited. It goes to one that is asleep.
test_a_sleep_has_one_wakeup()
{
	sched_events || return 1
	awk '$2 == "wake" { if ($5 != 1) { asleep++; print } w[$4]++ }
	    $2 == "off" && $4 != 0 { slept[$4] = $6 == 1; left[$4] = 1 }
	    $2 == "on" && $4 != 0 {
		if (left[$4] && w[$4] != slept[$4]) { bad++; print "slept", slept[$4], "wakeups", w[$4] + 0, $0 }
		left[$4] = 0; w[$4] = 0; n += slept[$4] }
	    END { print n + 0, bad + 0, asleep + 0; exit !(n > 250 && bad == 0 && asleep == 0) }' \
	    "$kept/sched" >"$tmp/wakes" || { tail -n 10 "$tmp/wakes"; fail "sleeps, without one wakeup, of the waking: see above"; }
}

# A wakeup fires where the waker has decided that the thread sleeps, not as
# try_to_wake_up is entered: there it may not sleep yet, or another may be faster.
test_wakeup_is_decided()
{
	dv -qn 'sched:::wakeup { @[stack(1)] = count(); } tick-1s { exit(0); }' >"$tmp/out" || return 1
	grep -q '`[a-z]' "$tmp/out" || fail "no wakeups" || return 1
	! grep -E 'try_to_wake_up(\+0x.)?$' "$tmp/out" || fail "wakeups at the entry"
}

# The guest's own sched_switch has the same switches to and from the workloads:
# on each CPU in the same order, and why the thread left. It says R or R+ for
# one that can go on, X or Z for a dead one. The event of 5.10 reads the state
# late: R there may be a sleeper that another CPU is about to wake.
test_switches_equal_tracefs()
{
	own_start sched/sched_switch 'prev_comm == "dvwork" || next_comm == "dvwork"' || return 1
	trace_start -x bufsize=32m -qn 'BEGIN { printf("ready\n"); }
	    sched:::off-cpu /execname == "dvwork" || stringof(args[1]->pr_fname) == "dvwork"/ {
		printf("%d %d %d %d %d\n", cpu, timestamp, tid, args[0]->pr_lwpid,
		    curlwpsinfo->pr_state); }' || return 1
	guest_run g "$sched_work" || return 1
	trace_stop || return 1
	own_stop || return 1
	no_drops || return 1
	sed -n 's/^\([0-9]*\) .*prev_pid=\([0-9]*\) .*prev_state=\([^ ]*\) ==>.* next_pid=\([0-9]*\) .*/\1 \2 \4 \3/p' \
	    "$tmp/own" | awk '$2 == 0 { $4 = "idle" } { print }' |
	    sed 's/ R+*$/ 2/; s/ [XZ]$/ 3/; s/ [A-Z]$/ 1/' | sort -s -n -k1,1 >"$tmp/theirs"
	grep -v -e ready -e '^$' "$tmp/trace.out" | sort -n -k1,1 -k2,2 | cut -d' ' -f1,3- |
	    awk '$2 == 0 { $4 = "idle" } { print }' >"$tmp/ours"
	if [ "$series" = 5.10 ]; then
		paste -d' ' "$tmp/theirs" "$tmp/ours" |
		    awk '$4 == 2 && $8 == 1 { $4 = 1; n++ } { print $1, $2, $3, $4 }
			END { exit n * 5 > NR }' >"$tmp/early" ||
		    fail "R for more than a fifth of the leavers" || return 1
		mv "$tmp/early" "$tmp/theirs"
	fi
	agree "$tmp/theirs" "$tmp/ours" 1000
}

# Each wakeup here is one that the guest reports, too (it also reports those of
# threads that had not gone to sleep yet), in the waker's context.
test_wakeups_are_in_tracefs()
{
	own_start sched/sched_waking 'comm == "dvwork"' || return 1
	trace_start -x bufsize=32m -qn 'BEGIN { printf("ready\n"); }
	    sched:::wakeup /stringof(args[1]->pr_fname) == "dvwork"/ {
		printf("%d %d %d %d\n", cpu, timestamp, tid, args[0]->pr_lwpid); }' || return 1
	guest_run g 'dvwork pingpong 300; dvwork mutex 200 3; dvwork sleep 5 5' || return 1
	trace_stop || return 1
	own_stop || return 1
	no_drops || return 1
	sed -n 's/^\([0-9]* [0-9]*\) sched_waking: .* pid=\([0-9]*\) .*/\1 \2/p' "$tmp/own" >"$tmp/theirs"
	grep -v -e ready -e '^$' "$tmp/trace.out" | sort -n -k1,1 -k2,2 | cut -d' ' -f1,3- >"$tmp/ours"
	[ "$(wc -l <"$tmp/ours")" -gt 250 ] || fail "only $(wc -l <"$tmp/ours") wakeups" || return 1
	sort -s -n -k1,1 "$tmp/theirs" | diff - "$tmp/ours" | grep '^>' | head -n 5 >"$tmp/more"
	[ ! -s "$tmp/more" ] || { cat "$tmp/more"; fail "wakeups that the guest does not know"; }
}

# 250 Hz on these kernels, on CPUs that compute all the time. The guest's own
# jiffies say how many ticks were due. The host may be busy: a slow guest's ticks
# come late or together, never more often for long.
test_tick_is_near_config_hz()
{
	guest_send g "dvwork hog 4 $(ncpus)"
	sleep 0.5
	dv -qn 'uint64_t last[int], began[int];
	    sched:::tick /!began[cpu]/ { began[cpu] = `jiffies; }
	    sched:::tick /last[cpu]/ { @d[cpu] = avg(timestamp - last[cpu]); @n[cpu] = count();
		@j[cpu] = max(`jiffies - began[cpu]); @w[stringof(args[1]->pr_fname)] = count(); }
	    sched:::tick { last[cpu] = timestamp; }
	    tick-2s { exit(0); }
	    END { printa("cpu %d %@d %@d %@d\n", @n, @d, @j); printa("who %s %@d\n", @w); }' \
	    >"$tmp/out" || return 1
	sleep 3
	awk -v cpus="$(ncpus)" '$1 == "cpu" { n++; if ($3 < 20 || $3 > $5 + 3 || $4 < 3500000) bad++ }
	    $1 == "who" && $2 == "dvwork" { hog = $3 }
	    $1 == "who" { all += $3 }
	    END { exit !(n == cpus && !bad && hog > all / 2) }' "$tmp/out" ||
	    { cat "$tmp/out"; fail "not every CPU ticked as its jiffies say"; }
}
