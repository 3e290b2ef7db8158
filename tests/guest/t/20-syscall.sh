# SPDX-License-Identifier: GPL-2.0-or-later
# 20-syscall.sh - every system call, exactly once, with its values.

# Entries and returns of the workload, seen from outside and by the guest's own
# raw_syscalls events of the same run, name by name.
test_counts_equal_tracefs_and_workload()
{
	guest_run g 'cd /sys/kernel/tracing; for e in sys_enter sys_exit; do
	    echo '\''hist:keys=id.syscall if comm == "dvwork"'\'' >events/raw_syscalls/$e/trigger; done' || return 1
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall:::entry /execname == "dvwork"/ { @e[probefunc] = count(); }
	    syscall:::return /execname == "dvwork"/ { @r[probefunc] = count(); }
	    END { printa("sys_enter %s %@d\n", @e); printa("sys_exit %s %@d\n", @r); }' || return 1
	line=$(guest_run g 'dvwork syscalls 300; dvwork pingpong 200; dvwork forkexec 20; dvwork threads 10') || return 1
	trace_stop || return 1
	guest_run g 'cd /sys/kernel/tracing; for e in sys_enter sys_exit; do
	    sed -n "s/.*id: sys_\([a-z0-9_]*\) .*hitcount: *\([0-9]*\).*/$e \1 \2/p" events/raw_syscalls/$e/hist
	    echo '\''!hist:keys=id.syscall if comm == "dvwork"'\'' >events/raw_syscalls/$e/trigger; done' |
	    tr -d '\r' | grep '^sys_' | sort >"$tmp/own" || return 1
	grep '^sys_' "$tmp/trace.out" | sort >"$tmp/ours"
	no_drops || return 1
	[ "$(wc -l <"$tmp/own")" -gt 20 ] || fail "the guest counted nothing: $(head -3 "$tmp/own")" || return 1
	cmp "$tmp/own" "$tmp/ours" || { diff "$tmp/own" "$tmp/ours"; return 1; }
	for call in getppid open openat lseek; do
		line1=$(printf '%s\n' "$line" | grep '^syscalls:')
		same "$call by the workload" "$(guest_count "$line1" $call)" \
		    "$(grep "^sys_enter $call " "$tmp/ours" | cut -d' ' -f3)" || return 1
	done
}

test_name_and_wildcard_agree()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork"/ { @n = count(); }
	    syscall:::entry /execname == "dvwork" && probefunc == "getppid"/ { @w = count(); }
	    syscall::getppid:return /execname == "dvwork" && arg1 > 0 && errno == 0/ { @r = count(); }
	    END { printa("%@d ", @n); printa("%@d ", @w); printa("%@d\n", @r); }' || return 1
	guest_run g 'dvwork syscalls 123' || return 1
	trace_stop
	no_drops || return 1
	same counts "$(last "$tmp/trace.out")" "123 123 123"
}

test_values_and_errno()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::read:return /execname == "dvwork" && errno == EBADF/ { @["ebadf", (int)arg0] = count(); }
	    syscall::openat:entry /execname == "dvwork"/ { self->path = copyinstr(arg1); }
	    syscall::openat:return /self->path != NULL && errno == 2/ { @[self->path, errno] = count(); }
	    syscall::open:return /execname == "dvwork" && errno == ENOENT/ { @["open", errno] = count(); }
	    syscall::openat:return { self->path = 0; }
	    END { printa("%s %d %@d\n", @); }' || return 1
	line=$(guest_run g 'dvwork syscalls 50') || return 1
	trace_stop
	no_drops || return 1
	sort "$tmp/trace.out" | grep -v -e ready -e '^$' >"$tmp/got"
	printf '/dvwork/no-such-file 2 50\nebadf -9 50\nopen 2 50\n' >"$tmp/want"
	cmp "$tmp/got" "$tmp/want" || { diff "$tmp/got" "$tmp/want"; return 1; }
}
