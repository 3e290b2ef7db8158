# SPDX-License-Identifier: GPL-2.0-or-later
# The scheduler's events, by the tens of thousands, against the guest's own count.
. "$DVISOR_SRC/tests/guest/t/lib.sh.inc"

hists='sched_switch:prev_pid,prev_state sched_switch:next_pid sched_wakeup:pid
    sched_wakeup_new:pid sched_migrate_task:pid'

# hists_start, hists_stop: the guest counts in histograms of its own (hist triggers);
# $tmp/hist then has lines `EVENT KEY NUMBER [KEY NUMBER] hitcount NUMBER`.
hists_start()
{
	guest_run g '[ -e /sys/kernel/tracing/events/sched/sched_switch/hist ]' ||
	    { hists_by_hand=1; own_start sched/sched_switch 0 sched/sched_wakeup 0 \
		sched/sched_wakeup_new 0 sched/sched_migrate_task 0 &&
	    guest_run g 'echo 49152 >/sys/kernel/tracing/buffer_size_kb'; return; }
	hists_by_hand=
	hs_cmd='cd /sys/kernel/tracing/events/sched'
	for h in $hists; do
		hs_cmd="$hs_cmd; echo 'hist:keys=${h#*:}:size=8192' >>${h%%:*}/trigger || exit 1"
	done
	guest_run g "$hs_cmd" || fail "the guest has no histograms"
}

hists_stop()
{
	if [ -n "$hists_by_hand" ]; then
		hists_of_events
		return
	fi
	hs_cmd='cd /sys/kernel/tracing/events/sched' hs_seen=
	for h in $hists; do
		case " $hs_seen " in
		*" ${h%%:*} "*) ;;
		*) hs_cmd="$hs_cmd; sed -n 's/^ *Dropped: //p' ${h%%:*}/hist | sed 's/^/dropped /'
		    tr -d '{}:,' <${h%%:*}/hist | sed -n 's/^ *\\([np].*hitcount.*\\)/${h%%:*} \\1/p'" ;;
		esac
		hs_seen="$hs_seen ${h%%:*}"
	done
	for h in $hists; do
		hs_cmd="$hs_cmd; echo '!hist:keys=${h#*:}:size=8192' >>${h%%:*}/trigger"
	done
	guest_run g "$hs_cmd" 120 | tr -d '\r' >"$tmp/hist"
	! grep -v '^dropped 0' "$tmp/hist" | grep '^dropped' >&2 ||
	    fail "the guest's histograms overflowed"
}

# A kernel without histograms tells of each event; these are counted in the guest,
# from which so many would take long to come.
hists_of_events()
{
	cat >"$tmp/count.awk" <<'END'
function after(key) { return match($0, key) ? substr($0, RSTART + RLENGTH) + 0 : -1 }
/^# entries-in-buffer/ { split($3, kept, "/"); if (kept[1] != kept[2]) lost = 1; next }
/: sched_switch: / { match($0, / prev_state=./); s = substr($0, RSTART + 12, 1)
	n["sched_switch prev_pid " after(" prev_pid=") " prev_state " \
	    (s == "R" ? 0 : s == "X" || s == "Z" ? 16 : 1)]++
	n["sched_switch next_pid " after(" next_pid=")]++; next }
/: sched_wakeup: / { n["sched_wakeup pid " after(" pid=")]++; next }
/: sched_wakeup_new: / { n["sched_wakeup_new pid " after(" pid=")]++; next }
/: sched_migrate_task: / { n["sched_migrate_task pid " after(" pid=")]++ }
END { for (i in n) print i, "hitcount", n[i]; print lost ? "lost" : "whole" }
END
	guest_run g "cd /sys/kernel/tracing; echo 0 >events/enable
	    for e in $own_events; do echo 0 >events/\$e/filter; done
	    awk '$(cat "$tmp/count.awk")' trace; echo local >trace_clock; echo 1 >buffer_size_kb" \
	    1800 | tr -d '\r' >"$tmp/hist" || return 1
	grep -q '^whole' "$tmp/hist" || fail "the guest's own trace is not whole"
}

count_events='BEGIN { printf("ready\n"); }
    self int p; int on[int], next[int], q[uintptr_t], last[uintptr_t]; char woken[uintptr_t];
    sched:::off-cpu { @n["off"] = count();
	@off[tid, (int)curlwpsinfo->pr_state, (int)self->p] = count(); self->p = 0;
	@next[args[0]->pr_lwpid] = count(); }
    sched:::off-cpu /on[cpu] && on[cpu] != tid + 1/ {
	@bad["off-cpu of another than on-cpu"] = count(); }
    sched:::off-cpu { on[cpu] = 0; next[cpu] = args[0]->pr_lwpid + 1; }
    sched:::on-cpu { @n["on"] = count(); @on[tid] = count(); this->t = curlwpsinfo->pr_addr; }
    sched:::on-cpu /on[cpu]/ { @bad["on-cpu twice"] = count(); }
    sched:::on-cpu /next[cpu] && next[cpu] != tid + 1/ {
	@bad["another than the named"] = count(); }
    sched:::on-cpu /woken[this->t]/ { @bad["woken, not enqueued"] = count(); }
    sched:::on-cpu /q[this->t]/ { @bad["on CPU and on a queue"] = count(); }
    sched:::on-cpu { on[cpu] = tid + 1; next[cpu] = 0; }
    sched:::enqueue { @n["enq"] = count(); @enq[args[0]->pr_lwpid] = count();
	this->t = args[0]->pr_addr; this->c = args[2]->cpu_id + 1; woken[this->t] = 0; }
    sched:::enqueue /q[this->t]/ { @bad["enqueue twice"] = count(); }
    sched:::enqueue /last[this->t] && last[this->t] != this->c/ {
	@moved[args[0]->pr_lwpid] = count(); }
    sched:::enqueue { q[this->t] = last[this->t] = this->c; }
    sched:::dequeue { @n["deq"] = count(); @deq[args[0]->pr_lwpid] = count();
	this->t = args[0]->pr_addr; }
    sched:::dequeue /q[this->t] && q[this->t] != args[2]->cpu_id + 1/ {
	@bad["another queue"] = count(); }
    sched:::dequeue /!q[this->t] && last[this->t]/ { @bad["dequeue twice"] = count(); }
    sched:::dequeue { q[this->t] = 0; }
    sched:::wakeup { @n["wake"] = count(); @wake[args[0]->pr_lwpid] = count();
	woken[args[0]->pr_addr] = 1; }
    sched:::wakeup /q[args[0]->pr_addr]/ { @bad["wakeup of a queued one"] = count(); }
    sched:::preempt { self->p = 1; @preempt[tid] = count(); }
    sched:::remain-cpu { @remain[tid, (int)self->p] = count(); self->p = 0; }
    syscall::sched_yield:entry { @yield[tid] = count(); }
    sched:::off-cpu /curlwpsinfo->pr_state == SZOMB/ { last[curlwpsinfo->pr_addr] = 0; }
    END { printa("n %s %@d\n", @n); printa("bad %s %@d\n", @bad);
	printa("off %d %d %d %@d\n", @off);
	printa("next %d %@d\n", @next); printa("on %d %@d\n", @on); printa("enq %d %@d\n", @enq);
	printa("deq %d %@d\n", @deq); printa("wake %d %@d\n", @wake);
	printa("moved %d %@d\n", @moved); printa("preempt %d %@d\n", @preempt);
	printa("remain %d %d %@d\n", @remain); printa("yield %d %@d\n", @yield); }'

# Of each thread that was born and has died while both looked: as many turns on a
# CPU, departures of each kind, moves to another CPU as the guest has counted (on
# 5.10, whose event reads the state late, departures of any kind); a wakeup for each
# sleep, which the guest knows; an enqueue for each reason, a dequeue for each; a
# preemption for each departure that was no sleep, less those that yielded or stayed.
# (One that is killed as it goes to sleep stays runnable, without a preemption: of
# `dvwork die` at most.)
test_counts_equal_the_guests()
{
	counts_are_equal
}

counts_are_equal()
{
	hists_start || return 1
	counts_rounds=2000
	[ -z "${DVISOR_ALL:-}" ] || counts_rounds=120000
	DV_SECONDS=900
	trace_start -x dynvarsize=64m -x aggsize=16m -qn "$count_events" || return 1
	guest_run g "dvwork pingpong $counts_rounds; dvwork mutex 500 4; dvwork hog 1 5
	    dvwork locks 10; dvwork serve 200; dvwork preempt 50; dvwork forkexec 30; dvwork die 6
	    dvwork threads 30; dvwork prio 40; dvwork deadline 24; dvwork sleep 50 2
	    [ $(ncpus) = 1 ] || { dvwork migrate 20; dvwork steal 10; }" 600 >/dev/null || return 1
	trace_stop || return 1
	unset DV_SECONDS
	hists_stop || return 1
	no_drops || return 1
	awk -v late="$([ "$series" = 5.10 ] && echo 1)" '
	    FNR == NR { if ($2 == "prev_pid") {
			s = $5 == 0 || $5 == 256 ? 2 : $5 == 16 || $5 == 32 ? 3 : 1
			t[$3, s] += $7; t[$3] += $7
		} else if ($2 == "next_pid") tnext[$3] = $5
		else t[$3, $1] = $5
		next }
	    $1 == "n" { all += $3 }
	    $1 == "bad" { print; bad++ }
	    $1 == "off" { o[$2, $3] += $5; o[$2] += $5; if ($3 == 2 && $4) p[$2] += $5
		if ($3 == 3) dead[$2] = 1; if ($3 != 2 && $4) { print; bad++ } }
	    $1 == "remain" { if ($3) stay[$2] = $4; next }
	    $1 ~ /^(next|on|enq|deq|wake|moved|preempt|yield)$/ { o[$2, $1] = $3 }
	    function differ(tid, what, x, y) { if (x + 0 != y + 0) {
		print tid, what, "ours", x + 0, "theirs", y + 0; bad++ } }
	    END { for (i in dead) { if (!((i, "sched_wakeup_new") in t)) continue
		n++
		differ(i, "off", o[i], t[i])
		differ(i, "on", o[i, "on"], tnext[i])
		differ(i, "next", o[i, "next"], tnext[i])
		differ(i, "dead", o[i, 3], 1)
		if (!late) { differ(i, "runnable", o[i, 2], t[i, 2])
			differ(i, "asleep", o[i, 1], t[i, 1]) }
		differ(i, "moved", o[i, "moved"], t[i, "sched_migrate_task"])
		differ(i, "wakeups of sleeps", o[i, "wake"], o[i, 1])
		if (o[i, "wake"] > t[i, "sched_wakeup"])
			differ(i, "wakeups", o[i, "wake"], t[i, "sched_wakeup"])
		differ(i, "dequeues of enqueues", o[i, "deq"], o[i, "enq"])
		differ(i, "preemptions that left", o[i, "preempt"] - stay[i], p[i])
		if (o[i, 2] - p[i] > o[i, "yield"])
			stopped += o[i, 2] - p[i] - o[i, "yield"] }
		if (stopped > 6) { print stopped, "left runnable for no reason"; bad++ }
		print all, "events", n, "threads"
		exit !(n > 100 && all > 20000 && !bad) }' "$tmp/hist" "$tmp/trace.out" >"$tmp/said" ||
	    { head -n 15 "$tmp/said"; tail -n 1 "$tmp/said"
		fail "of threads, by their numbers: see above"; }
	tail -n 1 "$tmp/said"
	counts_least=$([ "$(ncpus)" = 1 ] && echo 500000 || echo 1000000)
	[ $counts_rounds = 2000 ] || [ "$(tail -n 1 "$tmp/said" | cut -d' ' -f1)" -gt "$counts_least" ] ||
	    fail "fewer than a million, or half of it on one CPU"
}
