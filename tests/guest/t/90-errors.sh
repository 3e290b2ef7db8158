# SPDX-License-Identifier: GPL-2.0-or-later
# 90-errors.sh - bad input: one clear line, status 1 or 2, nothing left behind.

# refused STATUS PATTERN ARGS...: one line on stderr that matches.
refused()
{
	want=$1 pattern=$2
	shift 2
	timeout $((60 * patience)) "$dvisor" "$@" >"$tmp/out" 2>"$tmp/err"
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

test_bad_values()
{
	echo 'no kernel' >"$tmp/nokernel" && printf '#include "none.h"\n' >"$tmp/cpp.d" &&
	refused 2 'bufsize.*Invalid value' -b 1 -n BEGIN &&
	refused 2 'nspec.*Invalid value' -x nspec=99999 -n BEGIN &&
	refused 2 'libdir' -x libdir -n BEGIN &&
	refused 2 'there is no jstack' -x jstackframes=5 -n BEGIN &&
	refused 1 'could not enable tracing: cannot make .* bytes of buffers' -x bufresize=manual -b 64g \
	    -n BEGIN &&
	refused 2 "'cpu' to '99'.*no such CPU" -x cpu=99 -n BEGIN &&
	refused 2 'process id, not "4x"' -p 4x -n BEGIN &&
	refused 2 'give one of them' -p 4 -c true -n BEGIN &&
	refused 2 '-D is cpp' -DX -n BEGIN &&
	refused 2 'unknown option --nosuch' --nosuch -n BEGIN &&
	refused 1 'there is no such command' -c "$tmp/none" -n BEGIN &&
	refused 1 'it is a directory' -s "$tmp" &&
	refused 1 'cpp.d: cpp: line 1.*none.h' -C -s "$tmp/cpp.d" &&
	refused 1 'no probes matched' -n ';' &&
	refused 1 'D_AGG_REDEF' -n 'BEGIN { @ = count(); @ = sum(1); }' &&
	refused 1 'could not enable tracing: Destructive actions not allowed' -n 'BEGIN { system("x"); }' &&
	refused 1 'could not enable tracing: Enabling exceeds size of buffer' -b 16 -n 'BEGIN { trace("x"); }' &&
	refused 1 'No space left' -qo /dev/full -n 'BEGIN { printf("x"); exit(0); }' &&
	refused 1 'is no snapshot' --profile "$tmp/nokernel" -e -n BEGIN &&
	refused 1 'is no Linux kernel image' --boot --kernel "$tmp/nokernel" -n BEGIN &&
	refused 1 'is no Linux kernel image' guest --name "${vm}e" --kernel "$tmp/nokernel" &&
	refused 1 'QEMU ended at its start.*bogus' guest --name "${vm}e" -- -bogus &&
	refused 1 'no guest named' guest --stop "${vm}e" || return 1
	if ls "/run/dvisor/${vm}e."* >/dev/null 2>&1; then
		fail "left behind: $(ls "/run/dvisor/${vm}e."*)"
	fi
}

test_snapshot_to_a_device()
{
	# A device is written to, never replaced by a file.
	mkfifo "$tmp/pipe" || return 1
	timeout 60 cat "$tmp/pipe" >"$tmp/snap" &
	reader=$!
	timeout $((60 * patience)) "$dvisor" snapshot --vm "$vm" -o "$tmp/pipe" 2>"$tmp/err"
	wait $reader
	[ -p "$tmp/pipe" ] || fail "the pipe was replaced" || return 1
	timeout $((60 * patience)) "$dvisor" --profile "$tmp/snap" -l -n 'syscall::read:entry' >"$tmp/out" 2>>"$tmp/err"
	grep -q 'read entry' "$tmp/out" || fail "$(cat "$tmp/err")"
}

test_hostile_names()
{
	# A program's name and a path with escapes and line ends.
	timeout $((60 * patience)) "$dvisor" --vm "$vm" -qn 'BEGIN { printf("ready\n"); }
	    syscall::openat:entry /strstr(execname, "vil") != NULL/ {
		printf("<%s> <%s>\n", execname, copyinstr(arg1)); @[execname] = count(); n++; }
	    tick-100ms /n > 0/ { exit(0); } tick-30s { exit(1); }' >"$tmp/out" 2>&1 &
	left=100
	until grep -q ready "$tmp/out" || [ $left = 0 ]; do sleep 0.1; left=$((left - 1)); done
	guest_run g 'sh -c '\''printf "e\033[31mvil\n" >/proc/self/comm; : </no"$(printf "\033]0;x\007\r")"'\'' 2>/dev/null' >/dev/null
	wait $! || fail "not seen: $(cat -v "$tmp/out")" || return 1
	if tr -d '\n' <"$tmp/out" | LC_ALL=C grep -q '[[:cntrl:]]'; then
		fail "control characters: $(cat -v "$tmp/out")" || return 1
	fi
	grep -q 'x1b\[31mvil' "$tmp/out" || fail "$(cat -v "$tmp/out")"
}

test_cache_that_is_damaged()
{
	XDG_CACHE_HOME=$tmp/cache
	export XDG_CACHE_HOME
	rc=0
	for damage in none empty cut flipped folder; do
		file=$(ls "$tmp"/cache/dvisor/kernels/* 2>/dev/null)
		case $damage in
		empty) : >"$file" ;;
		cut) head -c 100000 "$file" >"$file.x" && mv "$file.x" "$file" ;;
		flipped) printf '\377\377\377\377' | dd of="$file" bs=1 seek=5000 conv=notrunc 2>/dev/null ;;
		folder) rm -f "$file" && mkdir "$file" ;;
		esac
		dv -qn 'BEGIN { exit(curthread->pid == 0 ? 7 : 8); } syscall::read:entry { n++; }' \
		    >/dev/null 2>"$tmp/err"
		if [ $? != 7 ] || [ -s "$tmp/err" ]; then
			fail "cache $damage: $(cat "$tmp/err")"
			rc=1
		fi
	done
	unset XDG_CACHE_HOME
	return $rc
}

test_socket_gets_garbage()
{
	sock=/run/dvisor/$vm.sock
	command -v perl >/dev/null || { skip "no perl"; return; }
	perl -MSocket -e 'for $m ("\xff" x 64, "\0" x 64, "x" x 100000, "") {
		socket($s, AF_UNIX, SOCK_STREAM, 0); connect($s, sockaddr_un($ARGV[0])) or die "connect";
		$SIG{PIPE} = "IGNORE"; syswrite($s, $m); push @open, $s; undef $s; }
		sleep 1;' "$sock" || return 1
	dv -qn 'syscall:::entry { @ = count(); } tick-100ms { exit(5); }' >/dev/null
	same status $? 5
}

test_buffers_that_the_host_has_no_memory_for()
{
	dv -b 64g -qn 'syscall:::entry { @ = count(); } tick-100ms { exit(5); }' >/dev/null 2>"$tmp/err"
	same lowered $? 5 && grep -q '^dvisor: buffer size lowered to [0-9]*[gm]$' "$tmp/err" ||
	    fail "$(cat "$tmp/err")" || return 1
	refused 1 'could not enable tracing: cannot make [0-9]+ bytes of buffers' --vm "$vm" -b 64g \
	    -x bufresize=manual -n 'syscall:::entry'
}

test_one_cpu_is_traced()
{
	for n in 0 1; do
		dv -x cpu=$n -qn 'BEGIN { printf("ready\n"); } profile-97 { @[cpu] = count(); }
		    tick-500ms { exit(0); }' >"$tmp/out"
		same "CPUs traced with cpu=$n" "$(awk 'NF == 2 { print $1 }' "$tmp/out")" $n || return 1
	done
	refused 2 "'cpu' to '9': there is no such CPU" --vm "$vm" -x cpu=9 -n 'profile-97'
}

test_probes_are_listed_with_their_arguments()
{
	dv -lvn 'sched:::off-cpu' >"$tmp/out" || return 1
	grep -q '^		args\[0\]: lwpsinfo_t \*$' "$tmp/out" &&
	grep -q '^		args\[1\]: psinfo_t \*$' "$tmp/out" || fail "$(cat "$tmp/out")" || return 1
	dv -lvn 'fbt::vfs_read:entry' >"$tmp/out" || return 1
	grep -q '^		args\[0\]: struct file \*$' "$tmp/out" &&
	grep -q '^		Identifier Names: Private$' "$tmp/out" || fail "$(cat "$tmp/out")"
}

test_stability_of_what_is_the_guests()
{
	dv -evqn 'sched:::off-cpu { trace(curpsinfo->pr_pid); }' >"$tmp/out" &&
	same evolving "$(grep -c 'Names: Evolving$' "$tmp/out")" 1 &&
	same stable "$(grep -c 'Names: Stable$' "$tmp/out")" 1 &&
	refused 1 'D_ATTR_MIN.*Private' --vm "$vm" -x amin=Unstable/Unstable/Unknown -en \
	    'BEGIN { trace(`jiffies); }'
}

test_closed_output()
{
	timeout $((20 * patience)) "$dvisor" -qn 'BEGIN { printf("x"); exit(0); }' >&- 2>"$tmp/err"
	same status $? 1 && grep -q 'cannot write output' "$tmp/err"
}

test_host_command()
{
	# The command ends the trace; the trace ends the command.
	timeout $((20 * patience)) "$dvisor" -qc 'sleep 0.2' -n 'BEGIN { printf("%d\n", $target > 0); }' >"$tmp/out" &&
	same target "$(last "$tmp/out")" 1 &&
	timeout $((20 * patience)) "$dvisor" -qc "sleep 77; : $$" -n 'tick-1s { exit(3); }' >/dev/null
	same status $? 3 || return 1
	if pgrep -f "sleep 77; : $$" >/dev/null; then fail "the command outlived the trace"; fi
}

test_options_work()
{
	timeout $((20 * patience)) "$dvisor" -x accounting -qn 'BEGIN { x = 0; @ = count(); } BEGIN { trace(1 / x); }
	    BEGIN { trace(1); exit(0); }' >"$tmp/out" 2>"$tmp/err" &&
	grep -q 'ID 1 (dtrace:::BEGIN): 1 fired = 1 without a record' "$tmp/err" &&
	grep -q 'ID 2 (dtrace:::BEGIN): 1 fired = 1 faulted' "$tmp/err" &&
	grep -q 'ID 3 (dtrace:::BEGIN): 1 fired = 1 recorded' "$tmp/err" ||
	fail "accounting: $(cat "$tmp/err")" || return 1
	# A full buffer ends the trace, long before tick-1m.
	timeout $((20 * patience)) "$dvisor" -b 256 -x bufpolicy=fill -qn 'tick-1ms { trace(1); } tick-1m { exit(9); }' >/dev/null
	same fill $? 0 || return 1
	printf 'BEGIN\nEND\n' >"$tmp/p.d" &&
	timeout $((20 * patience)) "$dvisor" -x pspec -s "$tmp/p.d" -n 'tick-1 { exit(0); }' >"$tmp/out" 2>&1 &&
	grep -q ':END' "$tmp/out" || fail "pspec: $(cat "$tmp/out")" || return 1
	printf '#define N 5\nBEGIN { exit(N); }\n' >"$tmp/c.d"
	timeout $((20 * patience)) "$dvisor" -x cpp -qs "$tmp/c.d" >/dev/null
	same cpp $? 5
}

test_two_guests_and_none_named()
{
	"$dvisor" guest --name "${vm}b" --append 'console=ttyS0 quiet no_timer_check' >/dev/null || return 1
	refused 2 'name one with --vm' -n 'syscall:::entry' &&
	    refused 2 'name one with --vm.*profile-97 fires on the vCPUs of a guest' \
	    -n 'profile-97 { @ = count(); }' -n 'tick-1s { exit(0); }' &&
	    refused 2 "name one with --vm.*syscall:::entry would be a guest's probes" \
	    -Zn 'syscall:::entry { @ = count(); }' -n 'tick-1s { exit(0); }' &&
	    refused 2 'name one with --vm.*failed to resolve x' -n 'BEGIN { trace(x); }' &&
	    refused 1 '^dvisor: invalid probe specifier.*D_OP_INCOMPAT' -n 'BEGIN { trace(1 + ""); }'
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
	timeout $((60 * patience)) "$dvisor" --vm "${vm}d" -qn 'BEGIN { printf("ready\n"); } sched:::on-cpu { @ = count(); }' \
	    >"$tmp/out" 2>"$tmp/err" &
	trace=$!
	left=100
	until grep -q ready "$tmp/out" || [ $left = 0 ]; do sleep 0.1; left=$((left - 1)); done
	"$dvisor" guest --stop "${vm}d"
	wait $trace
	status=$?
	same status $status 1 && grep -q 'guest.*ended' "$tmp/err" || fail "$(cat "$tmp/err")"
}
