# SPDX-License-Identifier: GPL-2.0-or-later
# 75-destructive.sh - what changes the guest: it notices that, and nothing else.
. "$DVISOR_SRC/tests/guest/t/lib.sh.inc"

# A process prints what was put into its buffer in its place.
test_copyout_changes_what_a_process_prints()
{
	trace_start -wqn 'BEGIN { printf("ready\n"); }
	    syscall::write:entry /execname == "dvwork" && arg0 == 1/ { copyoutstr("SIGN", arg1, 4); }
	    syscall::write:entry /execname == "dvwork" && arg0 == 1/ {
		this->p = (char *)alloca(2); this->p[0] = 65; this->p[1] = 76;
		copyout(this->p, arg1 + 4, 2); }' || return 1
	line=$(guest_run g 'dvwork signals 3') || return 1
	trace_stop || return 1
	no_drops || return 1
	same "the line" "$(printf '%s' "$line" | tr -d '\r')" 'SIGNALs: kill=6 handled=3' &&
	same "the next line" "$(guest_run g 'dvwork signals 3' | tr -d '\r')" \
	    'signals: kill=6 handled=3'
}

# Neither program text nor the kernel nor nothing: each is a fault, and intact.
test_copyout_writes_only_where_the_process_may()
{
	trace_start -wqn 'BEGIN { printf("ready\n"); }
	    syscall::write:entry /execname == "dvwork"/ { copyoutstr("X", curthread->mm->start_code, 1); }
	    syscall::write:entry /execname == "dvwork"/ { copyoutstr("X", (uintptr_t)curthread->comm, 1); }
	    syscall::write:entry /execname == "dvwork"/ { copyoutstr("X", 8, 1); }
	    syscall::write:entry /execname == "dvwork"/ {
		printf("comm %s text %x %x\n", execname, curthread->mm->start_code,
		    *(uint32_t *)copyin(curthread->mm->start_code, 4));
		printf("task %x\n", (uintptr_t)curthread->comm); }
	    ERROR { printf("fault %d %x\n", arg4, arg5); }' || return 1
	guest_run g 'dvwork signals 1' || return 1
	trace_stop || return 1
	text=$(sed -n 's/^comm dvwork text \([0-9a-f]*\) .*/\1/p' "$tmp/trace.out")
	task=$(sed -n 's/^task //p' "$tmp/trace.out")
	same faults "$(sed -n 's/^fault //p' "$tmp/trace.out" | tr '\n' ' ')" "1 $text 1 $task 1 8 " &&
	grep -q 'invalid address (0x8) in action #1' "$tmp/trace.err" ||
	    fail "no message: $(cat "$tmp/trace.err")"
}

test_destructive_needs_w()
{
	for act in 'copyout(probename, 0, 1)' 'copyoutstr("", 0, 1)' 'chill(1)' 'panic()' 'breakpoint()'; do
		! dv -qn "BEGIN { $act; }" >"$tmp/out" 2>&1 || fail "$act: done without -w" || return 1
		grep -q 'Destructive actions not allowed' "$tmp/out" ||
		    fail "$act: $(cat "$tmp/out")" || return 1
	done
}

# One CPU waits at each of its probes, the other one runs on meanwhile.
test_chill_delays_one_cpu()
{
	[ "$(ncpus)" -ge 2 ] || { skip "one CPU"; return; }
	trace_start -wqn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork" && cpu == 1/ { others++; }
	    syscall::getppid:entry /execname == "dvwork" && cpu == 0/ {
		printf("%d %d\n", timestamp, others); chill(100000000); }' || return 1
	guest_run g 'dvwork -p 1 bench getppid 100000000 >/dev/null & b=$!
	    sleep 1; dvwork -p 0 stack 4; kill $b; wait $b 2>/dev/null; true' || return 1
	trace_stop || return 1
	no_drops || return 1
	awk 'NF == 2 { if (n++ > 0 && ($1 - t < 100000000 || $2 - o < 50)) bad = bad " " $1 - t ":" $2 - o
	    t = $1; o = $2 } END { if (n != 4 || bad != "") { print n " hits, bad:" bad; exit 1 } }' \
	    "$tmp/trace.out" || fail "the delays are not seen"
}

test_chill_is_limited()
{
	trace_start -wqn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork"/ { chill(400000000); printf("chilled\n"); }
	    ERROR { printf("fault %d\n", arg4); }' || return 1
	guest_run g 'dvwork -p 0 stack 2' || return 1
	trace_stop || return 1
	same output "$(tail -n +2 "$tmp/trace.out" | grep . | tr '\n' ' ')" "chilled fault 3 " &&
	grep -q 'illegal operation in action #1' "$tmp/trace.err" ||
	    fail "no message: $(cat "$tmp/trace.err")"
}

# In work that QEMU does for us, with its lock held, and in the host context.
test_chill_in_timers_lets_the_guest_work()
{
	trace_start -wqn 'BEGIN { printf("ready\n"); chill(50000000); }
	    profile-50 { chill(3000000); @ = count(); } tick-10 { chill(5000000); }
	    END { chill(1000); printa("profile %@d\n", @); }' || return 1
	guest_run g 'dvwork -p 0 signals 500 && dvwork pingpong 300' || return 1
	qmp "$(guest_dir g)/qmp" stop && qmp "$(guest_dir g)/qmp" cont &&
	guest_run g true && trace_stop || return 1
	no_drops && grep -q '^profile [1-9]' "$tmp/trace.out" || fail "$(cat "$tmp/trace.out")"
}

# wait_stopped N: until the trace said so N times; then QMP says so, too.
wait_stopped()
{
	ws_left=400
	until [ "$(grep -c "was stopped by" "$tmp/trace.err")" -ge "$1" ]; do
		ws_left=$((ws_left - 1))
		[ $ws_left -gt 0 ] || { fail "it was not stopped: $(cat "$tmp/trace.err")"; return 1; }
		sleep 0.05
	done
	qmp "$(guest_dir g)/qmp" query-status >"$tmp/status" || return 1
	grep -q '"status": "paused"' "$tmp/status" || fail "QMP says: $(cat "$tmp/status")"
}

# The record is there when the guest has stopped; resumed, it goes on to the next.
test_breakpoint_stops_the_guest()
{
	trace_start -wqn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork"/ { printf("hit %d\n", ++n); breakpoint(); }
	    syscall::getppid:return /execname == "dvwork"/ { printf("back %d\n", n); }' || return 1
	guest_send g 'dvwork stack 2'
	wait_stopped 1 || return 1
	same "before the first" "$(tail -n +2 "$tmp/trace.out" | tr '\n' ' ')" "hit 1 " || return 1
	"$dvisor" guest --resume "$vm" || return 1
	wait_stopped 2 || return 1
	same "before the second" "$(tail -n +2 "$tmp/trace.out" | grep . | tr '\n' ' ')" \
	    "hit 1 back 1 hit 2 " || return 1
	grep -q "^dvisor: guest \"$vm\" was stopped by breakpoint() in enabled probe ID 2 (syscall:.*:getppid:entry). Resume it with: dvisor guest --resume $vm\$" \
	    "$tmp/trace.err" || fail "$(cat "$tmp/trace.err")" || return 1
	"$dvisor" guest --resume "$vm" || return 1
	guest_wait_for g 30 shell.log 'getppid=2' || return 1
	guest_run g true && trace_stop &&
	! "$dvisor" guest --resume "$vm" 2>"$tmp/again" || fail "a running guest was resumed" || return 1
	grep -q 'is not paused' "$tmp/again" || fail "$(cat "$tmp/again")"
}

test_panic_stops_the_guest_and_ends_the_trace()
{
	trace_start -wqn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork"/ { printf("hit %d\n", ++n); panic(); }
	    END { printf("end %d\n", n); }' || return 1
	guest_send g 'dvwork stack 3'
	wait "$trace_pid"
	same status $? 1 || return 1
	wait_stopped 1 || return 1
	same output "$(tail -n +2 "$tmp/trace.out" | grep . | tr '\n' ' ')" "hit 1 end 1 " &&
	"$dvisor" guest --resume "$vm" &&
	guest_wait_for g 30 shell.log 'getppid=3' && guest_run g true
}

# Halted or in the host context, nothing is waited for.
test_breakpoint_in_begin()
{
	dv -wqn 'BEGIN { breakpoint(); exit(0); }' 2>"$tmp/trace.err" || return 1
	wait_stopped 1 && "$dvisor" guest --resume "$vm" && guest_run g true
}

# A guest of `dvisor guest` has what is needed to see and end a pause.
test_dvisor_guest_can_be_resumed()
{
	dg_name=res-$$
	"$dvisor" guest --name $dg_name >"$tmp/name" || return 1
	if [ "$(id -u)" = 0 ]; then dg_dir=/run/dvisor; else dg_dir=$XDG_RUNTIME_DIR/dvisor; fi
	qmp "$dg_dir/$dg_name.qmp" stop && "$dvisor" guest --resume $dg_name &&
	qmp "$dg_dir/$dg_name.qmp" query-status >"$tmp/status"
	grep -q '"running": true' "$tmp/status" || fail "QMP says: $(cat "$tmp/status")"
	dg_status=$?
	"$dvisor" guest --stop $dg_name
	[ ! -e "$dg_dir/$dg_name.qmp" ] || fail "the QMP socket stays behind" || return 1
	! "$dvisor" guest --resume $dg_name 2>"$tmp/gone" || return 1
	grep -q 'no guest named' "$tmp/gone" && return $dg_status
}

# A guest that dvisor boots itself: breakpoint() waits for its user, who finds in
# the message what to type; after panic() it is gone.
test_boot_guest_stops_and_goes_on()
{
	timeout -k 5 90 "$dvisor" --boot -wqn 'syscall::execve:entry /!n++/ { printf("exec\n"); breakpoint(); }
	    syscall::brk:entry /n/ { printf("brk\n"); exit(7); }' \
	    >"$tmp/trace.out" 2>"$tmp/trace.err" &
	boot_job=$!
	boot_left=900
	until grep -q 'was stopped by breakpoint()' "$tmp/trace.err"; do
		boot_left=$((boot_left - 1))
		[ $boot_left -gt 0 ] || { fail "it was not stopped: $(cat "$tmp/trace.err")"; return 1; }
		sleep 0.1
	done
	same "before" "$(grep . "$tmp/trace.out" | tr '\n' ' ')" "exec " &&
	$(sed -n 's/.*Resume it with: dvisor //p' "$tmp/trace.err" | sed "s|^|$dvisor |") || return 1
	wait $boot_job
	same status $? 7 && same output "$(grep . "$tmp/trace.out" | tr '\n' ' ')" "exec brk " || return 1
	timeout -k 5 90 "$dvisor" --boot -wqn 'syscall::execve:entry { printf("exec\n"); panic(); }
	    END { printf("end\n"); }' >"$tmp/trace.out" 2>"$tmp/trace.err"
	same status $? 1 && same output "$(grep . "$tmp/trace.out" | tr '\n' ' ')" "exec end " &&
	! grep -q -e --resume "$tmp/trace.err" || fail "$(cat "$tmp/trace.err")"
}
