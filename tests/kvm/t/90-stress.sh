# SPDX-License-Identifier: GPL-2.0-or-later
# 90-stress.sh - anything at any moment, while both CPUs are busy: host and guest live,
# counts are exact, and the guest's text is as it was.

. "$DVISOR_SRC/tests/kvm/t/lib.sh.inc"

# A million hits of one probe on two CPUs while other programs come and go on
# the same byte.
test_a_million_hits()
{
	hits=${STRESS_HITS:-500000}
	text_save "$tmp/text" || return 1
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork"/ { @ = count(); }
	    END { printa("n %@d\n", @); }' || return 1
	guest_begin "dvwork -p 0 bench getppid $hits & dvwork -p 1 bench getppid $hits; wait"
	n=0
	until guest_ended; do
		dv -qn 'BEGIN { exit(0); } syscall::getppid:entry, syscall::getppid:return { @ = count(); }' \
		    >/dev/null || { fail "a program that comes and goes"; return 1; }
		n=$((n + 1))
		guest_alive g || return 1
	done
	trace_stop || return 1
	no_drops || return 1
	same "hits (while others came and went $n times)" "$(sed -n 's/^n //p' "$tmp/trace.out")" $((2 * hits)) &&
	[ $n -gt 0 ] && text_same "$tmp/text"
}

# come_and_go N NAME: short traces, one after the other.
come_and_go()
{
	cg=0
	while [ $cg -lt "$1" ]; do
		dv -qn 'BEGIN { exit(0); } syscall::getppid:entry, syscall::read:entry { @ = count(); }' \
		    >"$tmp/$2" 2>&1 || return 1
		cg=$((cg + 1))
	done
}

# Nobody traces all the time, so hooks and intercepts come and go, too, in the midst
# of the other one's start.
test_two_who_come_and_go()
{
	text_save "$tmp/text" || return 1
	guest_run g '(while [ ! -e /tmp/stop ]; do dvwork syscalls 50; done) >/dev/null 2>&1 &
	    (while [ ! -e /tmp/stop ]; do dvwork -p 1 syscalls 50; done) >/dev/null 2>&1 &' || return 1
	come_and_go "${STRESS_ROUNDS:-16}" one &
	one=$!
	come_and_go "${STRESS_ROUNDS:-16}" two
	two_status=$?
	wait $one || fail "$(cat "$tmp/one")" || two_status=1
	[ $two_status = 0 ] || cat "$tmp/two"
	guest_run g 'touch /tmp/stop; sleep 1; rm /tmp/stop; dmesg | tail -n 3' || return 1
	[ $two_status = 0 ] && text_same "$tmp/text" && wait_until 20 no_hooks || fail "$(hooks) hooks"
}

no_hooks()
{
	[ "$(hooks)" = 0 ]
}

# One round of what can go wrong, at a random moment of a trace.
stress_round()			# KIND
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork"/ { n++; }
	    syscall:::entry, syscall:::return, fbt::vfs_read:entry, fbt::vfs_read:return { @ = count(); }
	    END { printf("n %d\n", n); }' || return 1
	line=$(guest_run g 'dvwork syscalls 20') || return 1
	case $1 in
	kill)
		sleep "0.$(($(od -An -N1 -tu1 /dev/urandom) % 100 + 100))"
		dv_kill
		return ;;
	unload)
		dv_kill
		wait_until 20 rmmod dvisor 2>/dev/null || return 1
		load || return 1
		return ;;
	pause)
		qmp "$(guest_dir g)/qmp" stop >/dev/null || return 1
		trace_stop
		pause_status=$?
		qmp "$(guest_dir g)/qmp" cont >/dev/null || return 1
		[ $pause_status = 0 ] || return 1 ;;
	pausekill)
		qmp "$(guest_dir g)/qmp" stop >/dev/null || return 1
		dv_kill
		qmp "$(guest_dir g)/qmp" cont >/dev/null || return 1
		return ;;
	offline)	# a CPU leaves the guest and comes back, while it is traced
		guest_run g 'echo 0 >/sys/devices/system/cpu/cpu1/online' >/dev/null || return 1
		trace_stop || return 1
		guest_run g 'echo 1 >/sys/devices/system/cpu/cpu1/online' >/dev/null || return 1 ;;
	online)
		guest_run g 'echo 0 >/sys/devices/system/cpu/cpu1/online
		    echo 1 >/sys/devices/system/cpu/cpu1/online' >/dev/null || return 1
		trace_stop || return 1 ;;
	*) trace_stop || return 1 ;;
	esac
	no_drops && same getppid "$(sed -n 's/^n //p' "$tmp/trace.out")" "$(guest_count "$line" getppid)"
}

test_anything_at_any_moment()
{
	rounds=${STRESS_ROUNDS:-16}
	text_save "$tmp/text" || return 1
	guest_run g 'cp /bin/dvwork /tmp/load; (while [ ! -e /tmp/stop ]; do /tmp/load syscalls 50
	    /tmp/load pingpong 20; done) >/dev/null 2>&1 &' || return 1
	i=0 bad=0
	while [ $i -lt "$rounds" ] && [ $bad = 0 ]; do
		for kind in stop kill pause unload offline kill online pausekill; do
			[ $i -lt "$rounds" ] || break
			stress_round $kind || { bad=1; fail "round $i: $kind"; break; }
			i=$((i + 1))
		done
	done
	guest_run g 'touch /tmp/stop; sleep 1; rm -f /tmp/stop /tmp/load' >/dev/null || return 1
	wait_until 20 text_same "$tmp/text" >/dev/null 2>&1
	text_same "$tmp/text" && [ $bad = 0 ]
}

# QEMU dies while its guest is traced, and both CPUs are busy; the next VM is as good.
test_killed_qemu()
{
	n=0
	while [ $n -lt "${STRESS_KILLS:-1}" ]; do
		guest_start g2 "$series" -name "two-$vm" || return 1
		guest_send g2 'dvwork bench getppid 1000000 & dvwork bench getppid 1000000'
		"$dvisor" --vm "two-$vm" -qn 'BEGIN { printf("ready\n"); }
		    syscall:::entry, syscall:::return, fbt::vfs_read:entry { @ = count(); }' \
		    >"$tmp/two.out" 2>"$tmp/two.err" &
		two=$!
		wait_until 60 grep -q '^ready' "$tmp/two.out" || fail "$(cat "$tmp/two.err")" || return 1
		sleep "0.$(($(od -An -N1 -tu1 /dev/urandom) % 100 + 100))"
		kill -9 "$(guest_pid g2)"
		wait $two
		same "the trace's end" $? 1 || { guest_stop g2; return 1; }
		guest_stop g2
		n=$((n + 1))
	done
	wait_until 20 rmmod dvisor 2>/dev/null || fail "it cannot be unloaded" || return 1
	load
}
