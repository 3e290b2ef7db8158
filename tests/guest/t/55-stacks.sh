# SPDX-License-Identifier: GPL-2.0-or-later
# 55-stacks.sh - stacks are the guest's own.

stack_functions="try_to_wake_up vfs_write vfs_read do_filp_open handle_mm_fault do_exit
    kmem_cache_free kmem_cache_alloc __alloc_pages __alloc_pages_noprof unmap_vmas pipe_read
    pipe_write do_send_sig_info update_process_times rcu_sched_clock_irq raise_softirq
    enqueue_task_fair hrtimer_try_to_cancel security_file_open dput"

# A line of $tmp/trace.out or of the guest's stack -> "frame;frame;...", without
# modules, sizes and offsets of 0; code that the kernel made has no name in ours.
# our_stacks FILE: lines "TID STACK"; records begin with "# TID EXECNAME".
our_stacks()
{
	awk '$1 == "#" { if (n) print tid, s; tid = $2; n = 1; s = ""; next }
	    NF == 1 && n { f = $1; sub(/^[^`]*`/, "", f); sub(/^0x.*/, "made", f); s = s f ";" }
	    END { if (n) print tid, s }' "$1"
}

# own_stacks FILE: the same of tracefs, from the traced function on.
own_stacks()
{
	awk -v list="$stack_functions" 'BEGIN { for (i = split(list, w, " "); i > 0; i--) want[w[i]] = 1 }
	    function out() { if (n && on) print tid, s; n = 0 }
	    /^ => / { f = $2; sub(/\/0x.*/, "", f); sub(/\+0x0$/, "", f)
		sub(/^0x.*|^\[FTRACE.*/, "made", f)
		g = f; sub(/\+.*/, "", g)
		if (!on && (g in want)) on = 1
		if (on) s = s f ";"
		next }
	    { out() }
	    /<stack trace>/ { n = 1; on = 0; s = ""; tid = $0; sub(/ *\[[0-9]*\].*/, "", tid)
		sub(/.*-/, "", tid) }
	    END { out() }' "$1"
}

own_stacks_start()
{
	guest_run g "cd /sys/kernel/tracing; echo 0 >tracing_on; echo nop >current_tracer
	    echo 16384 >buffer_size_kb; echo counter >trace_clock; echo >set_ftrace_filter
	    for f in $(echo $stack_functions); do echo \$f >>set_ftrace_filter; done 2>/dev/null
	    echo 1 >options/sym-offset; echo 0 >options/sym-addr
	    echo function >current_tracer && echo 1 >options/func_stack_trace &&
	    echo >trace && echo 1 >tracing_on" >"$tmp/start.log" 2>&1 ||
	    fail "the guest's tracefs refused: $(cat "$tmp/start.log")"
}

own_stacks_stop()
{
	guest_run g 'cd /sys/kernel/tracing; echo 0 >tracing_on; gzip -c <trace | base64
	    echo 0 >options/func_stack_trace; echo nop >current_tracer; echo >set_ftrace_filter
	    echo local >trace_clock; echo 1 >buffer_size_kb; echo 1 >tracing_on' 300 |
	    tr -d '\r' | base64 -d | gzip -dc >"$tmp/own.raw" || return 1
	sed -n 's,^# entries-in-buffer/entries-written: \([0-9]*\)/\([0-9]*\).*,\1 \2,p' \
	    "$tmp/own.raw" >"$tmp/own.count"
	read -r own_kept own_written <"$tmp/own.count" && [ "$own_kept" = "$own_written" ] ||
	    fail "the guest's own trace is not whole: $(cat "$tmp/own.count")"
}

# of_tids: the lines of threads in $tmp/tids, sorted.
of_tids()
{
	awk 'NR == FNR { t[$1] = 1; next } $1 in t' "$tmp/tids" - | LC_ALL=C sort
}

# Every stack of processes that begin and end while both record, in system
# calls, faults, interrupts and softirqs.
test_stacks_equal_tracefs()
{
	before=$(guest_run g 'sh -c "echo \$\$"' | tr -d '\r')
	probes=$(printf ',fbt:vmlinux:%s:entry' $stack_functions)
	trace_start -Z -x bufsize=32m -qn 'BEGIN { printf("ready\n"); }
	    '"${probes#,}"' /tid > $1/ { printf("# %d %s", tid, execname); stack(100); }' "$before" || return 1
	own_stacks_start || return 1
	guest_run g "dvwork syscalls 4; dvwork pingpong 10; dvwork forkexec 2; dvwork threads 2
	    dvwork signals 2; dvwork sleep 2 2
	    i=0; while [ \$i -lt ${DVISOR_ALL:+8}0 ]; do dvwork forkexec 1; i=\$((i + 10)); done" 200 \
	    >"$tmp/work" || return 1
	own_stacks_stop || return 1
	sleep 1.2
	trace_stop
	no_drops || return 1
	awk '$1 == "#" && $3 == "dvwork" { print $2 }' "$tmp/trace.out" | sort -u >"$tmp/tids"
	our_stacks "$tmp/trace.out" | of_tids >"$tmp/our"
	own_stacks "$tmp/own.raw" | of_tids >"$tmp/own"
	echo "$(wc -l <"$tmp/own") stacks, $(cut -d' ' -f2- "$tmp/own" | sort -u | wc -l) kinds"
	agree "$tmp/own" "$tmp/our" "${DVISOR_ALL:+10}00" || return 1
	for f in asm_sysvec_apic_timer_interrupt asm_exc_page_fault entry_SYSCALL_64_after_hwframe; do
		grep -q "$f" "$tmp/own" || { fail "no stack has $f"; return 1; }
	done
}
