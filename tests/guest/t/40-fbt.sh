# SPDX-License-Identifier: GPL-2.0-or-later
# 40-fbt.sh - kernel functions, entry and return.

test_entry_and_return_values()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    fbt::vfs_write:entry /execname == "dvwork"/ { @e = count(); self->n = arg2; }
	    fbt::vfs_write:return /execname == "dvwork" && self->n/ { @r[arg1 == self->n] = count(); self->n = 0; }
	    END { printa("%@d ", @e); printa("%d %@d\n", @r); }' || return 1
	line=$(guest_run g 'dvwork syscalls 200') || return 1
	trace_stop
	no_drops || return 1
	n=$(guest_count "$line" write)
	same vfs_write "$(last "$tmp/trace.out")" "$n 1 $n"
}

# What a system call's handler returns is what the call returns. Many handlers
# end in a jump to the function that does the work (read, write, lseek, wait4,
# brk on each of these kernels), so the value is another function's.
test_values_through_tail_jumps()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    fbt::__x64_sys_*:entry /execname == "dvwork"/ { @e[probefunc] = count(); }
	    fbt::__x64_sys_*:return /execname == "dvwork"/ {
		@r[probefunc] = count(); self->v = arg1; self->f = 1; }
	    syscall:::return /self->f/ { @same[self->v == arg1] = count(); self->f = 0; }
	    END { printa("e %s %@d\n", @e); printa("r %s %@d\n", @r); printa("same %d %@d\n", @same); }' || return 1
	guest_run g 'dvwork syscalls 40; dvwork pingpong 40; dvwork forkexec 5
	    dvwork signals 5; dvwork threads 5; dvwork sleep 2 2' >/dev/null || return 1
	trace_stop
	no_drops || return 1
	awk '$1 == "e" { e[$2] = $3 }
	    $1 == "r" { r[$2] = $3; all += $3 }
	    $1 == "same" && $2 == 1 { good = $3 }
	    $1 == "same" && $2 != 1 { bad = $3 }
	    END {
		e["__x64_sys_execve"] += 6	# entered as the shell
		for (f in e) if (f !~ /sys_exit/ && e[f] != r[f]) { print f, e[f], r[f]; bad++ }
		for (i = split("read write lseek wait4 brk", w, " "); i > 0; i--)
			if (!r["__x64_sys_" w[i]]) { print "no", w[i]; bad++ }
		print good, all
		exit !(good == all && good > 500 && !bad) }' "$tmp/trace.out" ||
	    fail "values, returns: see above"
}

# Conditional tail jumps, and functions of assembler that end in them.
test_returns_of_assembler()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    fbt::__get_user_[1-8]:entry, fbt::__put_user_[1-8]:entry
	    /execname == "dvwork"/ { @e[probefunc] = count(); }
	    fbt::__get_user_[1-8]:return, fbt::__put_user_[1-8]:return
	    /execname == "dvwork"/ { @r[probefunc] = count(); }
	    END { printa("e %s %@d\n", @e); printa("r %s %@d\n", @r); }' || return 1
	guest_run g 'dvwork syscalls 40; dvwork pingpong 40; dvwork forkexec 5; dvwork threads 5' >/dev/null || return 1
	trace_stop
	no_drops || return 1
	awk '$1 == "e" { e[$2] = $3; n += $3 }
	    $1 == "r" { r[$2] = $3 }
	    END { for (f in e) if (e[f] != r[f]) { print f, e[f], r[f] + 0; bad++ }
		print n + 0; exit !(n > 10 && !bad) }' "$tmp/trace.out" || fail "returns are not as many as entries"
}

# Calls nest: what is entered returns, in each thread, the last one first. The
# offset of a return lies in the function.
test_calls_nest()
{
	trace_start -x bufsize=32m -qn 'BEGIN { printf("ready\n"); }
	    fbt::vfs_*:entry, fbt::ksys_*:entry, fbt::do_sys_open*:entry, fbt::pipe_*:entry,
	    fbt::fd_install:entry, fbt::kernel_clone:entry
	    /execname == "dvwork"/ { printf("%d %d > %s\n", tid, timestamp, probefunc); }
	    fbt::vfs_*:return, fbt::ksys_*:return, fbt::do_sys_open*:return, fbt::pipe_*:return,
	    fbt::fd_install:return, fbt::kernel_clone:return
	    /execname == "dvwork"/ { printf("%d %d < %s %d\n", tid, timestamp, probefunc,
		arg0 > 0 && arg0 < 16384); }' || return 1
	guest_run g 'dvwork syscalls 30; dvwork pingpong 30; dvwork forkexec 3' >/dev/null || return 1
	trace_stop
	no_drops || return 1
	# A tail jump leaves both functions at once, in either order.
	grep -E ' [<>] ' "$tmp/trace.out" | sort -s -n -k1,1 -k2,2 | awk '
	    $3 == ">" { s[$1, ++d[$1]] = $4; n++ }
	    $3 == "<" { top = d[$1]
		if (s[$1, top] != $4 && s[$1, top - 1] == $4) { s[$1, top - 1] = s[$1, top]; s[$1, top] = $4 }
		if (top < 1 || s[$1, top] != $4 || $5 != 1) { bad++; print "top", s[$1, top], $0 }
		d[$1]-- }
	    END { for (t in d) if (d[t] != 0) { bad++; print t, d[t], s[t, 1] }
		print n, bad + 0; exit !(n > 500 && !bad) }' >"$tmp/nest" ||
	    { tail -n 8 "$tmp/nest"; fail "calls do not nest: see above"; }
}

# A void function has a return, and no value.
test_void_function()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    fbt::fd_install:entry /execname == "dvwork"/ { @[probename] = count(); }
	    fbt::fd_install:return /execname == "dvwork"/ { @[probename] = count(); }
	    END { printa("%s %@d\n", @); }' || return 1
	line=$(guest_run g 'dvwork syscalls 100') || return 1
	trace_stop
	no_drops || return 1
	# two more for its own use; of each kind of open, half fail
	same fd_install "$(grep -v ready "$tmp/trace.out" | sort | xargs)" "entry 202 return 202" || return 1
	! dv -qn 'fbt::fd_install:return { trace(args[1]); }' >"$tmp/out" 2>&1 || fail "it has args[1]"
	grep -q 'D_ARGS_IDX' "$tmp/out" || fail "it said: $(cat "$tmp/out")"
}

test_typed_arguments()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    fbt::vfs_write:entry /execname == "dvwork"/ { @[args[2], args[0]->f_path.dentry->d_name.len] = count(); }
	    END { printa("%d %d %@d\n", @); }' || return 1
	guest_run g 'dvwork syscalls 100' || return 1
	trace_stop
	no_drops || return 1
	grep -q '^64 4 100$' "$tmp/trace.out" || { cat "$tmp/trace.out"; fail "no 100 writes of 64 bytes to \"null\""; }
}

test_all_entries_at_once()
{
	trace_start -qn 'BEGIN { printf("ready\n"); } fbt:::entry { @ = count(); } END { printa("%@d\n", @); }' || return 1
	guest_run g 'dvwork syscalls 20' || return 1
	trace_stop
	n=$(last "$tmp/trace.out")
	[ "$n" -gt 1000 ] || fail "only $n calls"
}

# Entry code jumps about and leaves by iret and sysret: nothing waits for its
# returns. What is given up are the returns of threads that end, a few for each.
test_few_returns_are_given_up()
{
	trace_start -qn 'BEGIN { printf("ready\n"); } fbt:::return { @ = count(); } END { printa("%@d\n", @); }' || return 1
	guest_run g 'dvwork syscalls 50; dvwork forkexec 5' >/dev/null || return 1
	trace_stop
	n=$(last "$tmp/trace.out")
	[ "$n" -gt 10000 ] || fail "only $n returns" || return 1
	lost=$(sed -n 's/^dvisor: \([0-9]*\) pending returns* given up.*/\1/p' "$tmp/trace.err" |
	    awk '{ n += $1 } END { print n + 0 }')
	[ "$lost" -lt 150 ] || fail "$lost of $n returns were given up"
}
