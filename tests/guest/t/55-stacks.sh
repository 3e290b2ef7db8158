# SPDX-License-Identifier: GPL-2.0-or-later
# 55-stacks.sh - stacks are the guest's own.

stack_functions="try_to_wake_up vfs_write vfs_read do_filp_open handle_mm_fault do_exit
    kmem_cache_free kmem_cache_alloc __alloc_pages __alloc_pages_noprof unmap_vmas pipe_read
    pipe_write do_send_sig_info update_process_times rcu_sched_clock_irq raise_softirq
    enqueue_task_fair hrtimer_try_to_cancel security_file_open dput fget
    vfs_fsync blk_mq_freeze_queue"

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
# calls, faults, interrupts and softirqs, and in a module.
test_stacks_equal_tracefs()
{
	mods_load loop || return 1
	before=$(guest_run g 'sh -c "echo \$\$"' | tr -d '\r')
	probes=$(printf ',fbt:vmlinux:%s:entry' $stack_functions)
	trace_start -Z -x bufsize=32m -qn 'BEGIN { printf("ready\n"); }
	    '"${probes#,}"' /tid > $1/ { printf("# %d %s", tid, execname); stack(100); }' "$before" || return 1
	own_stacks_start || return 1
	guest_run g "dvwork syscalls 4; dvwork pingpong 10; dvwork forkexec 2; dvwork threads 2
	    dvwork signals 2; dvwork sleep 2 2; losetup /dev/loop0 /bin/busybox; losetup -d /dev/loop0
	    i=0; while [ \$i -lt ${DVISOR_ALL:+8}0 ]; do dvwork forkexec 1; i=\$((i + 10)); done" 200 \
	    >"$tmp/work" || return 1
	own_stacks_stop || return 1
	sleep 1.2
	trace_stop
	no_drops || return 1
	awk '$1 == "#" && ($3 == "dvwork" || $3 == "losetup") { print $2 }' "$tmp/trace.out" | sort -u >"$tmp/tids"
	our_stacks "$tmp/trace.out" | of_tids >"$tmp/our"
	own_stacks "$tmp/own.raw" | of_tids >"$tmp/own"
	# two names of one function
	for f in "$tmp/our" "$tmp/own"; do
		sed -i 's/__do_sys_/__x64_sys_/g; s/__pi___x86_/__x86_/g' "$f"
		sort -o "$f" "$f"
	done
	echo "$(wc -l <"$tmp/own") stacks, $(cut -d' ' -f2- "$tmp/own" | sort -u | wc -l) kinds"
	agree "$tmp/own" "$tmp/our" "${DVISOR_ALL:+1}500" || return 1
	for f in asm_sysvec_apic_timer_interrupt asm_exc_page_fault entry_SYSCALL_64_after_hwframe \
	    lo_ioctl; do
		grep -q "$f" "$tmp/own" || { fail "no stack has $f"; return 1; }
	done
}

# Where the guest has replaced return addresses on the stack, by its function
# graph tracer or a kretprobe, the stack is the same as before.
test_stacks_under_the_guests_own_tracers()
{
	for own in none graph kretprobe; do
		guest_run g "cd /sys/kernel/tracing; echo vfs_write >set_ftrace_filter
		    case $own in
		    graph) echo function_graph >current_tracer ;;
		    kretprobe) echo 'r:dvret vfs_write' >kprobe_events && echo 1 >events/kprobes/enable ;;
		    esac" || { fail "the guest's $own did not start"; return 1; }
		trace_start -Z -x bufsize=32m -qn 'BEGIN { printf("ready\n"); }
		    fbt::pipe_write:entry, fbt::anon_pipe_write:entry /execname == "dvwork"/ { @[stack()] = count(); }' || return 1
		guest_run g 'dvwork pingpong 800' >/dev/null || return 1
		trace_stop
		guest_run g 'cd /sys/kernel/tracing; echo nop >current_tracer; echo >set_ftrace_filter
		    echo 0 >events/enable; echo >kprobe_events; echo >trace'
		no_drops || return 1
		# how many there are is another test's claim
		grep '`' "$tmp/trace.out" >"$tmp/stacks.$own"
	done
	grep -q 'vmlinux`ksys_write' "$tmp/stacks.none" || { fail "$(cat "$tmp/stacks.none")"; return 1; }
	agree "$tmp/stacks.none" "$tmp/stacks.graph" 4 || return 1
	# before 6.0 what a kretprobe replaced is kept where it is not looked for
	if guest_run g 'grep -q " arch_rethook_trampoline$" /proc/kallsyms'; then
		agree "$tmp/stacks.none" "$tmp/stacks.kretprobe" 4
	else
		grep -q 'kretprobe_trampoline' "$tmp/stacks.kretprobe" &&
		    ! grep -q ksys_write "$tmp/stacks.kretprobe" ||
		    { fail "$(cat "$tmp/stacks.kretprobe")"; return 1; }
	fi
}

# caller, stackdepth and stack() agree; keys, %k and actions show the same.
test_caller_and_depth()
{
	trace_start -x bufsize=32m -x stackindent=2 -qn 'BEGIN { printf("ready\n"); }
	    fbt::vfs_write:entry /execname == "dvwork"/ {
		printf("> %d %a|%k|", stackdepth, caller, stack(100));
		printf("<\n"); @d[stackdepth == 0 || caller == 0] = count(); }
	    fbt::vfs_write:entry /execname == "dvwork"/ { @k[stack(2)] = count(); }' || return 1
	line=$(guest_run g 'dvwork syscalls 50') || return 1
	trace_stop
	no_drops || return 1
	awk '/^> / { split($0, w, /[ |]/); depth = w[2]; caller = w[3]; n = 0; all++; next }
	    /^  vmlinux`/ { f[++n] = $1 }
	    /^\|</ { if (n != depth || f[2] != caller || f[1] !~ /vfs_write/) { print n, depth, caller, f[1]; bad++ } }
	    END { print all + 0; exit !(all > 0 && !bad) }' "$tmp/trace.out" >"$tmp/awk.out" ||
	    { cat "$tmp/awk.out"; fail "caller or stackdepth differ from stack()"; return 1; }
	same vfs_write "$(cat "$tmp/awk.out")" "$(guest_count "$line" write)"
}

# The frames of a program that keeps frame pointers (its innermost function has
# none of its own), with their names while it runs.
test_user_stacks()
{
	trace_start -x bufsize=32m -x switchrate=20hz -qn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork" && n++ % 2000 == 0/ {
		printf("# %d", ustackdepth); ustack();
		printf("u "); usym(ucaller); printf(" "); umod(ucaller); printf(" "); uaddr(ucaller); printf("\n"); }' || return 1
	# it runs until some of its stacks are printed
	guest_run g 'dvwork stack 2000000000 >/dev/null & echo $! >/tmp/stack.pid' || return 1
	left=300
	until grep -q '^u  *dvwork`' "$tmp/trace.out" || [ $left = 0 ]; do
		left=$((left - 1))
		sleep 0.1
	done
	guest_run g 'kill "$(cat /tmp/stack.pid)"'
	trace_stop
	no_drops || return 1
	awk '/^#/ { s = ""; d = $2 }
	    /^ / { f = $1; sub(/\+.*/, "", f); s = s f ";"; n++ }
	    /^u / { all++; if (s ~ /^dvwork`stack_c;dvwork`stack_a;dvwork`work_stack;dvwork`main;/ &&
		$2 == "dvwork`stack_a" && $3 == "dvwork" && $4 ~ /^dvwork`stack_a\+0x/) good++
		else if (s !~ /^(0x[0-9a-f]*;)*$/ || $2 !~ /^0x/ || $3 !~ /^0x/ || $4 !~ /^0x/) bad++
		if (d < 5) bad++ }
	    END { print all + 0, good + 0, bad + 0; exit !(good > 0 && !bad) }' \
	    "$tmp/trace.out" || { head -n 30 "$tmp/trace.out"; fail "stacks, named, too short: see above"; }
}

# What a process is not there for, or never had, is shown as an address or not at all.
test_user_stacks_of_the_dead_and_of_the_kernel()
{
	trace_start -x bufsize=32m -qn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork"/ { @dead[ustack(3)] = count(); }
	    fbt::kthread_should_stop:entry /curthread->mm == NULL/ { @k[ustackdepth, ucaller] = count(); }' || return 1
	guest_run g 'dvwork stack 20' >/dev/null || return 1
	sleep 1
	trace_stop
	no_drops || return 1
	[ "$(grep -c '^ *0x[0-9a-f]*$' "$tmp/trace.out")" = 3 ] &&
	    ! awk 'NF == 3 && ($1 != 0 || $2 != 0)' "$tmp/trace.out" | grep . ||
	    { cat "$tmp/trace.out"; fail "see above"; }
}
