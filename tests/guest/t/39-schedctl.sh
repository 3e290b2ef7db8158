# SPDX-License-Identifier: GPL-2.0-or-later
# Threads that ask for more of their time slice.
. "$DVISOR_SRC/tests/guest/t/lib.sh.inc"

# Does this guest give it? images/build-kernel slice makes one that does.
has_slices()
{
	guest_run g 'grep -q " rseq_syscall_enter_work$" /proc/kallsyms' >/dev/null
}

# A probe that a guest cannot have says so, unless asked not to.
test_schedctl_is_not_there()
{
	! has_slices || { skip "this guest's kernel extends time slices"; return; }
	for p in nopreempt preempt yield; do
		dv -qn "sched:::schedctl-$p { trace(1); }" >"$tmp/out" 2>&1
		same status $? 1 && grep -q CONFIG_RSEQ_SLICE_EXTENSION "$tmp/out" ||
		    { cat "$tmp/out"; return 1; }
		dv -qZn "sched:::schedctl-$p { trace(1); } BEGIN { exit(0); }" || return 1
	done
}

# A grant lasts 50 us at most, tracing included: so no more is done than to tell.
slice_events='BEGIN { printf("ready\n"); }
    sched:::schedctl-nopreempt { printf("%d grant %d %d %d\n", timestamp, tid, args[0]->pr_lwpid,
	args[1]->pr_pid == pid); }
    sched:::schedctl-yield { printf("%d yield %d %d %d\n", timestamp, tid, args[0]->pr_lwpid,
	args[1]->pr_pid == pid); }
    sched:::schedctl-preempt { printf("%d taken %d %d %d\n", timestamp, tid, args[0]->pr_lwpid,
	args[1]->pr_pid == pid); }
    sched:::preempt /execname == "dvslice"/ { printf("%d preempt %d\n", timestamp, tid); }
    sched:::remain-cpu /execname == "dvslice"/ { printf("%d remain %d\n", timestamp, tid); }
    sched:::off-cpu /execname == "dvslice"/ { printf("%d off %d\n", timestamp, tid); }'

# What a thread that was granted an extension does with it: it gives the rest back
# (yield), or is preempted nonetheless (schedctl-preempt, taken); and before that the
# scheduler has said that it remains, or at once takes it off its CPU. A yield is no
# preemption. The thread itself is the argument.
slices_pair()
{
	grep -E '^[0-9]+ (grant|yield|taken|preempt|remain|off) ' "$1" | sort -s -n -k1,1 | awk '
	    function bad(what) { print what ": " $0; nbad++ }
	    NF == 5 && ($3 != $4 || $5 != 1) { bad("argument") }
	    $2 == "grant" { if ($3 in open) bad("granted again"); open[$3]; told[$3]; n["grant"]++ }
	    $2 == "yield" { if (!($3 in open)) bad("yield of none"); delete open[$3]
		gives[$3]; n["yield"]++ }
	    $2 == "preempt" { if ($3 in gives) bad("preempted as it yields"); pre[$3] }
	    $2 == "taken" { if (!($3 in open)) bad("taken without a grant"); delete open[$3]
		if (!($3 in pre)) bad("taken without preempt"); n["taken"]++ }
	    ($2 == "off" || $2 == "remain") && $3 in told { then++; delete told[$3] }
	    $2 == "off" { if ($3 in open) bad("leaves with a grant") }
	    $2 == "off" || ($2 == "remain" && !($3 in open)) { delete gives[$3]; delete pre[$3] }
	    END { print "grants", n["grant"] + 0, "yields", n["yield"] + 0, "taken", n["taken"] + 0
		exit nbad > 0 || then != n["grant"] }'
}

# The kernel counts yields, and grants, also those that never reach user mode; the
# program counts what it has seen of both.
test_slices_equal_the_guests()
{
	has_slices || { skip "the guest's kernel does not extend time slices"; return; }
	guest_run g 'mount -t debugfs debugfs /sys/kernel/debug && [ -f /sys/kernel/debug/rseq/stats ] &&
	    echo 50000 >/sys/kernel/debug/rseq/slice_ext_nsec' ||
	    { fail "the guest does not count slices (CONFIG_RSEQ_STATS)"; return; }
	trace_start -qn "$slice_events" || return 1
	guest_run g 'cat /sys/kernel/debug/rseq/stats; dvwork slice 10; cat /sys/kernel/debug/rseq/stats
	    umount /sys/kernel/debug' 120 >"$tmp/own" || { cat "$tmp/own"; return 1; }
	trace_stop || return 1
	no_drops || return 1
	slices_pair "$tmp/trace.out" >"$tmp/pairs" || { cat "$tmp/pairs"; fail "grants: see above"; return; }
	# Each count of the guest is there twice, before and after.
	tr -d '\r' <"$tmp/own" | awk '
	    FNR == NR { if ($1 == "slice:") for (i = 2; i <= NF; i++) {
			split($i, f, "="); own[f[1]] = f[2] }
		else own[$1] = $2 - own[$1]
		next }
	    { seen = own["yielded"] + own["late"] + own["overrun"] + own["called"]
		print; print "the guest: grants", own["sgrant:"], "yields", own["syield:"], "expired",
		own["sexpir:"], "calls", own["sabort:"]
		print "the program: grants", seen, "yields", own["yielded"], "lost", own["lost"]
		exit !($2 >= seen && $2 <= own["sgrant:"] && own["sgrant:"] <= seen + own["lost"] &&
		    $4 == own["syield:"] && $4 == own["yielded"] && $6 == $2 - $4 &&
		    $4 > 0 && own["overrun"] > 0 && own["called"] > 0) }' \
	    - "$tmp/pairs" ||
	    fail "events, and what the guest counts of them: see above"
}
