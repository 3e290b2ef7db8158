# SPDX-License-Identifier: GPL-2.0-or-later
# 07-guest.sh - the guest's own tools on a function that is traced, the hypervisor's
# own means, and debuggers: all go on working.

. "$DVISOR_SRC/tests/kvm/t/lib.sh.inc"

# The guest logs nothing but what it has logged before.
guest_log_start() { guest_run g 'dmesg -c' >/dev/null; }
guest_log_clean()
{
	! guest_run g 'dmesg -r' | grep '^<[0-4]>' >&2 || fail "the guest logged that"
}

# The guest traces the same function with ftrace and with a kprobe, before,
# while and after we do; each counts right.
test_the_guests_own_ftrace_and_kprobe()
{
	guest_log_start
	text_save "$tmp/text" || return 1
	guest_run g 'cd /sys/kernel/tracing; echo 4096 >buffer_size_kb; echo >trace
	    echo "p:dvk vfs_write" >kprobe_events &&
	    echo "comm == \"dvwork\"" >events/kprobes/dvk/filter && echo 1 >events/kprobes/dvk/enable' ||
	    fail "no kprobe in the guest" || return 1
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    fbt::vfs_write:entry /execname == "dvwork"/ { e++; }
	    fbt::vfs_write:return /execname == "dvwork"/ { r++; }
	    END { printf("n %d %d\n", e, r); }' || return 1
	line=$(guest_run g 'dvwork syscalls 200') || return 1
	# function tracing, which empties the buffer, and a second kprobe begin on
	# what is trapped
	before=$(guest_run g 'grep -c "dvwork.*: dvk:" /sys/kernel/tracing/trace' | tr -d '\r')
	guest_run g 'cd /sys/kernel/tracing; echo vfs_write >set_ftrace_filter &&
	    echo function >current_tracer && echo "r:dvr vfs_write" >>kprobe_events &&
	    echo "comm == \"dvwork\"" >events/kprobes/dvr/filter && echo 1 >events/kprobes/dvr/enable' ||
	    fail "no function tracing in the guest" || return 1
	line2=$(guest_run g 'dvwork syscalls 300') || return 1
	guest_run g 'cd /sys/kernel/tracing; grep -c "dvwork.*: dvk:" trace; grep -c "dvwork.*: dvr:" trace
	    grep -c "dvwork.*: vfs_write <-" trace; echo nop >current_tracer; echo >set_ftrace_filter
	    echo 0 >events/kprobes/enable; echo >kprobe_events; echo 1 >buffer_size_kb' | tr -d '\r' | tr '\n' ' ' >"$tmp/own"
	trace_stop || return 1
	no_drops || return 1
	a=$(guest_count "$line" write) b=$(guest_count "$line2" write)
	same "the guest's kprobe, before" "$before" "$a" &&
	same "the guest's kprobe, kretprobe, function tracer" "$(cat "$tmp/own")" "$b $b $b " &&
	same "ours" "$(sed -n 's/^n //p' "$tmp/trace.out")" "$((a + b)) $((a + b))" &&
	guest_log_clean && text_same "$tmp/text"
}

# debug KIND: 20 stops of a debugger at the first byte of a function of which we hold
# a later one, while another CPU runs through our trap, too.
debug()
{
	text_save "$tmp/text" || return 1
	debug_at=$(guest_run g "grep ' __x64_sys_getppid\$' /proc/kallsyms" | cut -c 1-16)
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork"/ { n++; }
	    syscall::getppid:return /execname == "dvwork"/ { r++; }
	    END { printf("n %d %d\n", n, r); }' || return 1
	[ -S "$kept/gdb" ] || qmp "$(guest_dir g)/qmp" human-monitor-command \
	    "{\"command-line\":\"gdbserver unix:$kept/gdb,server=on,wait=off\"}" >/dev/null || return 1
	guest_begin 'dvwork -p 1 bench getppid 100 & dvwork -p 0 bench getppid 100; wait'
	"$DVISOR_BUILD/obj/tests/kvm/rsp" "$kept/gdb" "$debug_at" 20 $1 || return 1
	wait_until 120 guest_ended || fail "the guest did not go on" || return 1
	line=$(guest_run g 'dvwork syscalls 30') || return 1
	trace_stop || return 1
	no_drops && same getppid "$(sed -n 's/^n //p' "$tmp/trace.out")" "230 230" && text_same "$tmp/text"
}

test_a_debugger_has_its_breakpoints()
{
	debug soft
}

test_a_debugger_has_its_hardware_breakpoints()
{
	debug ''
}

# A guest's own breakpoints in user programs reach it.
test_the_guests_own_int3()
{
	trace_start -qn 'BEGIN { printf("ready\n"); } syscall:::entry { @ = count(); }
	    proc:::signal-send /args[2] == 5/ { n++; } END { printf("n %d\n", n); }' || return 1
	line=$(guest_run g 'dvwork faults 4') || return 1
	trace_stop || return 1
	same "SIGTRAPs, in two ways each" \
	    "$(guest_count "$line" bpt) $(guest_count "$line" nostack) $(sed -n 's/^n //p' "$tmp/trace.out")" "4 4 8"
}

# Paused and let go while it is traced: nothing is lost, nothing is left.
test_pause_and_resume()
{
	text_save "$tmp/text" || return 1
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork"/ { n++; } END { printf("n %d\n", n); }' || return 1
	guest_run g 'dvwork syscalls 50' >/dev/null || return 1
	for i in 1 2 3; do
		qmp "$(guest_dir g)/qmp" stop >/dev/null && sleep 0.3 &&
		qmp "$(guest_dir g)/qmp" cont >/dev/null || return 1
	done
	guest_run g 'dvwork syscalls 60' >/dev/null || return 1
	# the trace of a paused guest ends, and its traps are gone at once
	qmp "$(guest_dir g)/qmp" stop >/dev/null || return 1
	trace_stop
	pause_status=$?
	qmp "$(guest_dir g)/qmp" cont >/dev/null || return 1
	same status $pause_status 0 && no_drops &&
	same getppid "$(sed -n 's/^n //p' "$tmp/trace.out")" 110 && text_same "$tmp/text"
}

# has_ended QMP-SOCKET: its migration, well or not.
has_ended()
{
	qmp "$1" query-migrate | grep -Eq '"status": "(completed|failed)"'
}

runs()
{
	qmp "$1" query-status 2>/dev/null | grep -q '"running": true'
}

# When memory is copied there is no trap in it any more, not in the copy either: it
# runs in a VM that is not traced. The user of the trace is told, and the guest
# here goes on.
test_migration_copies_no_trap()
{
	text_save "$tmp/text" || return 1
	trace_start -qn 'BEGIN { printf("ready\n"); } syscall:::entry, syscall:::return { n++; }' || return 1
	guest_run g 'dvwork syscalls 50' >/dev/null || return 1
	mig_qmp=$(guest_dir g)/qmp
	qmp "$mig_qmp" migrate "{\"uri\":\"exec:cat >$tmp/moved\"}" >/dev/null || return 1
	wait_until 60 has_ended "$mig_qmp" || fail "the migration did not end" || return 1
	qmp "$mig_qmp" query-migrate | grep -q '"status": "completed"' ||
	    fail "$(qmp "$mig_qmp" query-migrate)" || return 1
	# it stands still, and tells no addresses: they are text_save's
	qmp "$mig_qmp" pmemsave \
	    "{\"val\":$ts_from,\"size\":$((ts_to + 1 - ts_from)),\"filename\":\"$tmp/here\"}" >/dev/null &&
	guest_launch g2 "$series" -name "two-$vm" -incoming "exec:cat $tmp/moved" &&
	wait_until 60 runs "$(guest_dir g2)/qmp" &&
	qmp "$(guest_dir g2)/qmp" pmemsave \
	    "{\"val\":$ts_from,\"size\":$((ts_to + 1 - ts_from)),\"filename\":\"$tmp/there\"}" >/dev/null
	mig_status=$?
	guest_stop g2
	qmp "$mig_qmp" cont >/dev/null || return 1
	trace_stop
	[ $mig_status = 0 ] || fail "the copy does not run" || return 1
	cmp "$tmp/text" "$tmp/here" && cmp "$tmp/text" "$tmp/there" || return 1
	grep -qi migrat "$tmp/trace.err" || fail "the user was told: $(cat "$tmp/trace.err")" || return 1
	guest_run g 'dvwork syscalls 5' >/dev/null && text_same "$tmp/text"
}

# came_up N: the guest has said so more than N times.
came_up()
{
	[ "$(grep -c '^dvisor-guest: ready' "$(guest_dir g)/shell.log")" -gt "$1" ]
}

# A guest that is reset takes nothing of the trace along: its user is told, and the
# next kernel has its own bytes, and can be traced.
test_a_reset_ends_the_trace()
{
	trace_start -qn 'BEGIN { printf("ready\n"); } syscall:::entry, syscall:::return { n++; }' || return 1
	guest_run g 'dvwork syscalls 50' >/dev/null || return 1
	ups=$(grep -c '^dvisor-guest: ready' "$(guest_dir g)/shell.log")
	qmp "$(guest_dir g)/qmp" set-action '{"reboot":"reset"}' >/dev/null &&
	qmp "$(guest_dir g)/qmp" system_reset >/dev/null || return 1
	wait $trace_pid
	same "the trace's end" $? 1 &&
	grep -q 'was reset or started another kernel' "$tmp/trace.err" || { cat "$tmp/trace.err"; return 1; }
	wait_until 120 came_up "$ups" || fail "the guest did not come up again" || return 1
	text_save "$tmp/text" || return 1
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork"/ { n++; } END { printf("n %d\n", n); }' || return 1
	guest_run g 'dvwork syscalls 60' >/dev/null || return 1
	trace_stop || return 1
	no_drops && same getppid "$(sed -n 's/^n //p' "$tmp/trace.out")" 60 && text_same "$tmp/text"
}
