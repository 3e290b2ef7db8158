# SPDX-License-Identifier: GPL-2.0-or-later
# 45-speculation.sh - speculative tracing: what is committed, and what is not.

# spec_failed: how many calls of speculation() failed, by the trace's messages.
spec_failed()
{
	sed -n 's/^dvisor: \([0-9]*\) failed speculations* (.*/\1/p' "$tmp/trace.err" |
	    awk '{ n += $1 } END { print n + 0 }'
}

# Opens that fail, and the way of each through the kernel; those that succeed are
# discarded. A thread may change its CPU on the way: its parts are still one path.
test_failing_opens_leave_their_paths()
{
	trace_start -x nspec=200 -x specsize=64k -qn 'int seq;
	    BEGIN { printf("ready\n"); }
	    syscall::open:entry, syscall::openat:entry /execname == "dvwork"/ {
		self->n = ++seq; self->s = speculation(); speculate(self->s);
		printf("%d enter\n", self->n); }
	    fbt::do_sys_openat2:entry, fbt::do_fil?_open:entry
	    /self->s/ { speculate(self->s); printf("%d > %s\n", self->n, probefunc); }
	    fbt::do_sys_openat2:return, fbt::do_fil?_open:return
	    /self->s/ { speculate(self->s); printf("%d < %s\n", self->n, probefunc); }
	    syscall::open:return, syscall::openat:return /self->s/ {
		speculate(self->s); printf("%d errno %d\n", self->n, errno); }
	    syscall::open:return, syscall::openat:return /self->s && errno != 0/ {
		commit(self->s); self->s = 0; }
	    syscall::open:return, syscall::openat:return /self->s && errno == 0/ {
		discard(self->s); self->s = 0; }' || return 1
	line=$(guest_run g 'dvwork syscalls 100') || return 1
	trace_stop
	no_drops || return 1
	same "failed speculations" "$(spec_failed)" 0 || return 1
	k=$(($(guest_count "$line" open_enoent) + $(guest_count "$line" openat_enoent)))
	n=$(($(guest_count "$line" open) + $(guest_count "$line" openat)))
	[ "$k" -ge 200 ] && [ "$n" -gt "$k" ] || fail "the guest did: $line" || return 1
	# what the path of one looks like, all have once
	awk '$1 ~ /^[0-9]+$/ { path[$1] = path[$1] " " $2 " " $3; step[$2 " " $3]++; seen[$1 " " $2 " " $3]++ }
	    END {
		for (p in path) n++
		for (s in step) { kinds++; if (step[s] != n) { print s, step[s], "of", n; bad++ } }
		for (s in seen) if (seen[s] != 1) { print s, seen[s]; bad++ }
		for (s in step) if (s ~ /^errno/ && s != "errno 2") { print s; bad++ }
		print n + 0, kinds + 0
		exit bad > 0 || kinds < 6 }' "$tmp/trace.out" >"$tmp/paths" ||
	    { tail -n 8 "$tmp/paths"; fail "paths are not whole"; } || return 1
	same "paths of failing opens" "$(last "$tmp/paths" | cut -d' ' -f1)" "$k"
}

# One speculation for all, held over several opens: each open has it, or failed.
test_failed_speculations_are_counted()
{
	trace_start -x nspec=1 -qn 'self int s, odd;
	    BEGIN { printf("ready\n"); }
	    syscall::open:entry, syscall::openat:entry /execname == "dvwork"/ {
		this->s = speculation(); self->s = this->s ? this->s : self->s;
		@opens = count(); }
	    syscall::read:entry /self->s/ { speculate(self->s); printf("committed\n"); }
	    syscall::lseek:entry /self->s/ { self->odd = !self->odd; @ended = count(); }
	    syscall::lseek:entry /self->s && self->odd/ { commit(self->s); self->s = 0; }
	    syscall::lseek:entry /self->s && !self->odd/ { discard(self->s); self->s = 0; }
	    syscall::exit_group:entry /self->s/ { discard(self->s); self->s = 0; @left = count(); }
	    END { printa("opens %@d\n", @opens); printa("ended %@d\n", @ended);
		printa("left %@d\n", @left); }' || return 1
	line=$(guest_run g 'dvwork syscalls 150 >/tmp/1 & dvwork syscalls 150 >/tmp/2; wait; cat /tmp/1 /tmp/2') || return 1
	trace_stop
	failed=$(spec_failed)
	opens=$(sed -n 's/^opens //p' "$tmp/trace.out")
	ended=$(sed -n 's/^ended //p' "$tmp/trace.out")
	left=$(sed -n 's/^left //p' "$tmp/trace.out")
	same "opens" "$opens" 1204 || return 1
	[ "$failed" -gt 100 ] && [ "$ended" -gt 100 ] ||
	    fail "only $failed failed, $ended ended" || return 1
	same "failed + committed + discarded" $((failed + ended + ${left:-0})) "$opens"
}

# spec_parked HOW: what CPU 1 speculated is committed from CPU 0 while CPU 1 does
# nothing at all, and the speculation can be had again.
spec_parked()
{
	trace_start -x switchrate=20hz -qn 'int held, asked;
	    BEGIN { held = speculation(); printf("ready\n"); }
	    syscall::lseek:entry /execname == "dvwork" && cpu == 1/ {
		speculate(held); printf("spoke\n"); }
	    syscall::lseek:entry /execname == "dvwork" && cpu == 0/ { commit(held); asked = 1; }
	    tick-20hz /asked/ { asked++; this->again = speculation();
		printf("again %d\n", this->again); discard(this->again); }' || return 1
	guest_run g 'dvwork -p 1 syscalls 3' >/dev/null || return 1
	[ "$1" != offline ] || guest_run g 'echo 0 >/sys/devices/system/cpu/cpu1/online' || return 1
	guest_run g 'dvwork -p 0 syscalls 1' >/dev/null || return 1
	left=200
	until grep -q '^again 1' "$tmp/trace.out"; do
		left=$((left - 1))
		[ $left -gt 0 ] || break
		sleep 0.05
	done
	trace_stop
	[ "$1" != offline ] || guest_run g 'echo 1 >/sys/devices/system/cpu/cpu1/online' || return 1
	grep -q '^again 1' "$tmp/trace.out" || fail "the speculation stayed busy" || return 1
	same "records committed" "$(grep -c '^spoke' "$tmp/trace.out")" 3
}

test_a_halted_vcpu_delays_no_commit()
{
	[ "$(ncpus)" -gt 1 ] || { skip "the guest has one CPU"; return; }
	spec_parked halted
}

test_a_departed_vcpu_delays_no_commit()
{
	[ "$(ncpus)" -gt 1 ] || { skip "the guest has one CPU"; return; }
	guest_run g 'test -w /sys/devices/system/cpu/cpu1/online' ||
	    { skip "the guest cannot take CPU 1 offline"; return; }
	spec_parked offline
}
