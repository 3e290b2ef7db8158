# SPDX-License-Identifier: GPL-2.0-or-later
# 46-variables.sh - built-in variables against what the guest says itself.
. "$DVISOR_SRC/tests/guest/t/lib.sh.inc"

# A process that waits in read(2): /proc/PID/syscall has its registers.
test_uregs_equal_proc()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::read:entry /execname == "head"/ {
		printf("%d %d 0x%x 0x%x 0x%x 0x%x 0x%x 0x%x 0x%x 0x%x\n", pid,
		    uregs[R_ORIG_RAX], uregs[R_RDI], uregs[R_RSI], uregs[R_RDX],
		    uregs[R_R10], uregs[R_R8], uregs[R_R9], uregs[R_RSP], uregs[R_RIP]); }
	    syscall::read:entry /execname == "head" && (uregs[R_SP] != uregs[R_RSP] ||
		uregs[R_PC] != uregs[R_RIP] || (uregs[R_CS] & 3) != 3 ||
		uregs[R_R11] != uregs[R_RFLAGS] || uregs[R_RCX] != uregs[R_RIP])/ {
		printf("not so\n"); }' || return 1
	guest_run g 'mkfifo /tmp/f; head -c 1 </tmp/f >/dev/null & h=$!
	    (sleep 3; echo x) >/tmp/f & sleep 1; cat /proc/$h/syscall; wait; rm /tmp/f' |
	    tr -d '\r' >"$tmp/proc" || return 1
	trace_stop || return 1
	no_drops && ! grep -q 'not so' "$tmp/trace.out" || fail "$(cat "$tmp/trace.out")" || return 1
	same registers "$(last "$tmp/trace.out" | cut -d' ' -f2-)" "$(cat "$tmp/proc")"
}

test_uregs_of_a_kernel_thread_are_a_fault()
{
	dv -qn 'sched:::on-cpu /curthread->flags & 0x200000/ { trace(uregs[R_RIP]); }
	    ERROR { printf("fault %d\n", arg4); exit(0); }' >"$tmp/out" 2>"$tmp/err"
	same output "$(cat "$tmp/out" | grep . | head -n 1)" "fault 1"
}

# One process that works and one that sleeps. What each says of its own time on
# a CPU is a tick old at most; only the order of magnitude is compared.
test_vtimestamp_is_time_on_the_cpu()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::openat:entry /execname == "sh"/ { self->path = arg1; }
	    syscall::openat:return /self->path && copyinstr(self->path) == "/proc/self/schedstat"/ {
		printf("%d %d %d\n", pid, vtimestamp, timestamp); }' || return 1
	guest_run g 'w() { read -r a b c </proc/self/schedstat; echo "$1 $a" >>/tmp/$1; }
	    (w work; i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; w work) &
	    (w sleep; sleep 2; w sleep) & wait
	    cat /tmp/work /tmp/sleep; rm /tmp/work /tmp/sleep' | tr -d '\r' >"$tmp/own" || return 1
	trace_stop || return 1
	no_drops || return 1
	awk 'FNR == NR { if ($1 in own) did[$1] = $2 - own[$1]; own[$1] = $2; next }
	    NF == 3 { if ($1 in v) { n++; on = $2 - v[$1]; all = $3 - t[$1]
		what = on > all / 2 ? "work" : "sleep"; seen[what]++
		if (on > all || on < did[what] * 0.5 - 20000000 || on > did[what] * 2 + 20000000)
			bad = bad " " what ": " on " of " all ", by itself " did[what] }
		v[$1] = $2; t[$1] = $3 }
	    END { if (n != 2 || seen["work"] != 1 || bad != "") { print n " processes" bad; exit 1 } }' \
	    "$tmp/own" "$tmp/trace.out" || fail "$(cat "$tmp/own" "$tmp/trace.out")"
}

# What a probe takes is no time of the thread.
test_vtimestamp_leaves_out_probes()
{
	trace_start -wqn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork"/ {
		self->v = vtimestamp; self->t = timestamp; chill(300000000); }
	    syscall::getppid:return /self->t/ {
		printf("%d %d\n", vtimestamp - self->v, timestamp - self->t); }' || return 1
	guest_run g 'dvwork -p 0 stack 1' || return 1
	trace_stop || return 1
	awk 'NF == 2 { n++; if ($2 < 300000000 || $1 > $2 - 300000000) exit 1 } END { exit n != 1 }' \
	    "$tmp/trace.out" || fail "$(cat "$tmp/trace.out")"
}
