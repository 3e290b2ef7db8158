# SPDX-License-Identifier: GPL-2.0-or-later
# 90-errors.sh - bad input: one clear line, status 1 or 2, nothing left behind.

# refused STATUS PATTERN ARGS...: one line on stderr that matches.
refused()
{
	want=$1 pattern=$2
	shift 2
	timeout 60 "$dvisor" "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ $status = "$want" ] || fail "dvisor $*: status $status, not $want: $(cat "$tmp/err")" || return 1
	[ "$(wc -l <"$tmp/err")" = 1 ] || fail "dvisor $*: not one line: $(cat "$tmp/err")" || return 1
	grep -qE -- "$pattern" "$tmp/err" || fail "dvisor $*: $(cat "$tmp/err")"
}

test_bad_command_lines()
{
	refused 1 'no such VM: "nobody"' --vm nobody -n 'syscall:::entry' &&
	refused 1 'probe .*does not match any probes|failed to compile|invalid probe specifier' --vm "$vm" -n 'syscall::nosuchcall:entry' &&
	refused 1 'invalid probe specifier .*\[D_SYNTAX\] line 1, column' --vm "$vm" -n 'syscall:::entry { trace( }' &&
	refused 1 '\[D_SYNTAX\] line 1, column' -n 'BEGIN { trace( }' &&
	refused 2 'nosuchoption' -x nosuchoption -n BEGIN &&
	refused 2 'bufsize' -x bufsize=many -n BEGIN &&
	refused 1 'no-such-script.d' -s "$tmp/no-such-script.d" &&
	refused 1 'cannot open output file' -o "$tmp/no/such/dir" -n 'BEGIN { exit(0); }' &&
	refused 1 'kernel image' --boot --kernel "$tmp/no-such-kernel" -n BEGIN &&
	refused 2 'option -G is not supported' -G -n BEGIN &&
	refused 2 'option -X is not supported' -Xa -n BEGIN &&
	refused 2 'no program' -q
}

test_two_guests_and_none_named()
{
	"$dvisor" guest --name "${vm}b" --append 'console=ttyS0 quiet' >/dev/null || return 1
	refused 2 'name one with --vm' -n 'syscall:::entry'
	rc=$?
	"$dvisor" guest --stop "${vm}b" || return 1
	return $rc
}

test_guest_without_a_kernel()
{
	# SeaBIOS only: no kernel will ever run.
	timeout -k 2 60 qemu-system-x86_64 -accel tcg -m 64 -display none -serial none -monitor none -net none \
	    -plugin "$plugin,name=${vm}c" >/dev/null 2>&1 &
	qemu=$!
	sleep 2
	refused 1 'cannot find a Linux kernel' --vm "${vm}c" -n 'syscall:::entry'
	rc=$?
	kill $(pgrep -P $qemu) $qemu 2>/dev/null
	wait $qemu 2>/dev/null
	return $rc
}

test_guest_dies_in_mid_trace()
{
	"$dvisor" guest --name "${vm}d" >/dev/null || return 1
	sleep 6
	timeout 60 "$dvisor" --vm "${vm}d" -qn 'BEGIN { printf("ready\n"); } sched:::on-cpu { @ = count(); }' \
	    >"$tmp/out" 2>"$tmp/err" &
	trace=$!
	left=100
	until grep -q ready "$tmp/out" || [ $left = 0 ]; do sleep 0.1; left=$((left - 1)); done
	"$dvisor" guest --stop "${vm}d"
	wait $trace
	status=$?
	same status $status 1 && grep -q 'guest.*ended' "$tmp/err" || fail "$(cat "$tmp/err")"
}
