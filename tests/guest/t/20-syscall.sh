# SPDX-License-Identifier: GPL-2.0-or-later
# 20-syscall.sh - every system call, exactly once, with its values.

calls_work='dvwork syscalls 40; dvwork pingpong 40; dvwork forkexec 8
    dvwork threads 8; dvwork signals 10; dvwork die 6; dvwork mutex 40 3
    dvwork prio 8; dvwork sleep 3 3; echo 9 | xargs dvwork signals'

# Every call of the workloads, and its return, in each thread's own order, with
# all six arguments and with the value: what the guest's own trace of the same
# run has, neither more nor less. Forked children have a first return without
# an entry; xargs uses vfork(2). The guest's syscall events have the names, its
# raw_syscalls events the values; rt_sigreturn has lost its number (-1), and
# its name, when it returns.
test_events_equal_tracefs()
{
	own_start raw_syscalls 'comm == "dvwork" || comm == "xargs"' \
	    syscalls 'comm == "dvwork" || comm == "xargs"' || return 1
	trace_start -x bufsize=32m -qn 'BEGIN { printf("ready\n"); }
	    syscall:::entry /execname == "dvwork" || execname == "xargs"/ {
		printf("%d %d enter %s %x %x %x %x %x %x\n", tid, timestamp, probefunc,
		    arg0, arg1, arg2, arg3, arg4, arg5); }
	    syscall:::return /execname == "dvwork" || execname == "xargs"/ {
		printf("%d %d exit %s %d\n", tid, timestamp, probefunc, arg1); }' || return 1
	guest_run g "$calls_work" || return 1
	trace_stop || return 1
	own_stop || return 1
	no_drops || return 1
	tr '(),' '   ' <"$tmp/own" | awk '
	    $3 == "sys_enter:" { raw[$2, ++n[$2]] = "enter %s " $6 " " $7 " " $8 " " $9 " " $10 " " $11 }
	    $3 == "sys_exit:" { raw[$2, ++n[$2]] = "exit %s " $7
		if ($5 == -1) name[$2, ++m[$2]] = "rt_sigreturn" }
	    $3 != "sys_enter:" && $3 != "sys_exit:" {
		name[$2, ++m[$2]] = substr($3, 5) }
	    END { for (t in n) for (i = 1; i <= n[t]; i++) {
		printf "%d ", t; printf raw[t, i], name[t, i]; printf "\n" } }' |
	    sort -n -s -k1,1 >"$tmp/theirs"
	grep -E ' (enter|exit) ' "$tmp/trace.out" | sort -n -k1,1 -k2,2 | cut -d' ' -f1,3- >"$tmp/ours"
	agree "$tmp/theirs" "$tmp/ours" 1500 || return 1
	for call in fork vfork clone clone3 execve rt_sigreturn exit_group openat; do
		grep -q " enter $call " "$tmp/ours" || case $call in
		fork|clone|clone3) ;;	# as the C library likes
		*) fail "no $call in the workload" || return 1 ;;
		esac
	done
}

# A handler that does not return is left in another way than by a jump to it.
test_exit_group_alone_has_an_entry()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::exit_group:entry /execname == "dvwork"/ { printf("exit %d\n", arg0); }' || return 1
	guest_run g 'dvwork forkexec 5' || return 1
	trace_stop || return 1
	no_drops && same exits "$(grep -c '^exit 0$' "$tmp/trace.out")" 6
}

# The same where the guest traces nothing itself and so takes its short way:
# what the workload says it did; returns are entries, but for the children's.
test_counts_equal_the_workload()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall:::entry /execname == "dvwork"/ { @e[probefunc] = count(); }
	    syscall:::return /execname == "dvwork"/ { @r[probefunc] = count(); }
	    END { printa("enter %s %@d\n", @e); printa("exit %s %@d\n", @r); }' || return 1
	line=$(guest_run g 'dvwork syscalls 300; dvwork forkexec 20; dvwork threads 10; dvwork signals 25') || return 1
	trace_stop || return 1
	no_drops || return 1
	for call in getppid open openat lseek; do
		same "$call by the workload" \
		    "$(sed -n "s/^enter $call //p" "$tmp/trace.out")" \
		    "$(guest_count "$(printf '%s\n' "$line" | grep '^syscalls:')" $call)" || return 1
	done
	same rt_sigreturn "$(sed -n 's/^enter rt_sigreturn //p' "$tmp/trace.out")" 25 &&
	awk '$1 == "enter" { e[$2] = $3 }
	    $1 == "exit" { r[$2] = $3 }
	    END {
		for (c in e) if (c ~ /^(clone|clone3|fork|vfork)$/) { born += r[c] - e[c]; delete e[c] }
		# the shell entered four execves, which returned as dvwork
		e["execve"] += 4
		for (c in e) if (c !~ /^exit/ && e[c] != r[c]) { print c, e[c], r[c]; bad++ }
		print "born", born
		exit !(born == 30 && !bad) }' "$tmp/trace.out" || fail "entries and returns differ, see above"
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

# By name only: few sites, at the handlers.
test_by_name_alone()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::lseek:entry, syscall::rt_sigreturn:entry
	    /execname == "dvwork"/ { @e[probefunc] = count(); }
	    syscall::lseek:return, syscall::rt_sigreturn:return
	    /execname == "dvwork"/ { @r[probefunc] = count(); }
	    END { printa("%s %@d\n", @e); printa("%s %@d\n", @r); }' || return 1
	guest_run g 'dvwork syscalls 70; dvwork signals 30' || return 1
	trace_stop
	no_drops || return 1
	same counts "$(grep -v ready "$tmp/trace.out" | sort | xargs)" \
	    "lseek 70 lseek 70 rt_sigreturn 30 rt_sigreturn 30"
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

# Who calls: the same by built-in variables and by the kernel's own structures.
test_identity_of_the_caller()
{
	[ "$shape" != pti/ ] ||
	    guest_run g 'cat /sys/devices/system/cpu/vulnerabilities/meltdown' | grep -q 'Mitigation: PTI' ||
	    fail "the guest has no page-table isolation" || return 1
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:return /execname == "dvwork"/ {
		@[pid == curthread->tgid, tid == curthread->pid, ppid == arg1,
		    curpsinfo->pr_pid == pid, curlwpsinfo->pr_lwpid == tid,
		    curthread->mm != NULL, execname == stringof(curthread->comm)] = count(); }
	    END { printa("%d%d%d%d%d%d%d %@d\n", @); }' || return 1
	guest_run g 'dvwork syscalls 60' || return 1
	trace_stop
	no_drops || return 1
	same "who called" "$(last "$tmp/trace.out")" "1111111 60"
}
