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

# Where a program is interrupted, not where it last entered the kernel.
test_uregs_in_user_mode()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    profile-499 /execname == "dvwork" && arg1 != 0/ {
		@[uregs[R_PC] == arg1, uregs[R_CS] & 3, uregs[R_SP] != 0] = count(); }
	    END { printa("%d %d %d %@d\n", @); }' || return 1
	guest_run g 'dvwork hog 1 1' >/dev/null || return 1
	trace_stop || return 1
	no_drops || return 1
	same "agree, ring, has a stack" "$(sed -n 's/^\(. . .\) .*/\1/p' "$tmp/trace.out")" "1 3 1"
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

# One process says what it has open, and then becomes the one that is traced.
test_fds_equal_proc()
{
	trace_start -x strsize=512 -qn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork"/ {
		printf("fd 0 %s\n", fds[0].fi_pathname);
		printf("fd 4 %s\npos %d flags %o\n", fds[4].fi_pathname, fds[4].fi_offset, fds[4].fi_oflags);
		printf("fd 5 %s\npos %d flags %o\n", fds[5].fi_pathname, fds[5].fi_offset, fds[5].fi_oflags);
		printf("fd 6 %s\n", fds[6].fi_pathname);
		printf("cwd %s\n", cwd);
		printf("args %s\n", execargs);
		printf("psargs %s\n", curpsinfo->pr_psargs);
		printf("= %s %s %s %s\n", fds[5].fi_name, fds[5].fi_dirname, fds[5].fi_fs, fds[5].fi_mount);
		printf("= %s %s %s %s\n", fds[4].fi_name, fds[4].fi_dirname, fds[4].fi_fs, fds[4].fi_mount);
		printf("= %s %s %d %d\n", fds[6].fi_fs, fds[7].fi_name, fds[-1].fi_offset, fds[100000].fi_oflags);
		printf("= %d\n", (fds[5].fi_oflags & (O_ACCMODE | O_APPEND)) == (O_WRONLY | O_APPEND));
		printf("root %s\n", root); }
	    syscall::exit_group:entry /root != "/"/ {
		printf("jail %s %s\n", root, cwd); }' || return 1
	cat >"$tmp/cmd" <<'END'
mkdir -p /tmp/d/e /tmp/jail/bin; cp /bin/busybox /tmp/jail/bin; cd /tmp/d/e
echo 0123456789 >/tmp/d/in
cat >/tmp/d/sh <<'X'
read -r line <&4
fd() { echo "fd $1 $(readlink /proc/$$/fd/$1)"; }
pos() { sed -n 's/^pos:[^0-9]*//p;s/^flags:[^0-9]*0*//p' /proc/$$/fdinfo/$1 | tr '\n' ' ' | sed 's/^\([0-9]*\) \([0-9]*\).*/pos \1 flags \2/'; echo; }
fd 0; fd 4; pos 4; fd 5; pos 5; fd 6
echo "cwd $(readlink /proc/$$/cwd)"
echo "args dvwork stack 1"; echo "psargs dvwork stack 1"
exec dvwork stack 1 7>&-
X
echo two | sh /tmp/d/sh 4</tmp/d/in 5>>/tmp/d/out 6</proc/self/ns/net
chroot /tmp/jail /bin/busybox true
cd /; rm -rf /tmp/d /tmp/jail
END
	guest_run g "$(cat "$tmp/cmd")" | tr -d '\r' >"$tmp/guest.out" || return 1
	trace_stop || return 1
	no_drops || return 1
	grep -E '^(fd|pos|cwd|args|psargs) ' "$tmp/guest.out" >"$tmp/own"
	grep -E '^(fd|pos|cwd|args|psargs) ' "$tmp/trace.out" >"$tmp/ours"
	agree "$tmp/own" "$tmp/ours" 9 || return 1
	same rest "$(sed -n 's/^= //p' "$tmp/trace.out" | tr '\n' ';')" \
	    'out /tmp/d tmpfs /tmp;in /tmp/d tmpfs /tmp;nsfs <none> 0 0;1;' &&
	same roots "$(grep -E '^(root|jail)' "$tmp/trace.out" | sort | tr '\n' ';')" \
	    'jail /tmp/jail /;root /;'
}

# The rest of D's table, where other tests do not have it.
test_built_in_variables()
{
	t0=$(date +%s)
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork"/ {
		printf("%s %s %s %s %s\n", probeprov, probemod, probefunc, probename, zonename);
		printf("epid %d id %d ipl %d cpu %d %d\n", epid, id, ipl, cpu == curcpu->cpu_id, cpu);
		printf("chip %d pset %d lgrp %d uid %d gid %d wall %d\n", chip, pset, lgrp, uid, gid,
		    walltimestamp / 1000000000); }
	    sched:::tick { @["tick", ipl] = count(); }
	    fbt::run_timer_softirq:entry { @["softirq", ipl] = count(); }
	    END { printa("%s %d\n", @); }' || return 1
	guest_run g 'dvwork -p 0 stack 1; cd /sys/devices/system/cpu/cpu0
	    echo "chip $(cat topology/physical_package_id) lgrp $(ls -d node* | tr -dc 0-9)"' |
	    tr -d '\r' >"$tmp/guest.out" || return 1
	trace_stop || return 1
	no_drops || return 1
	pid=$(dv -ln syscall::getppid:entry | awk 'NR == 2 { print $1 }')
	set -- $(sed -n 's/.*wall \([0-9]*\)$/\1/p' "$tmp/trace.out") 0
	[ "$1" -ge "$t0" ] && [ "$1" -le "$(date +%s)" ] || fail "walltimestamp $1" || return 1
	sed 's/ wall .*//' "$tmp/trace.out" | grep . | tail -n +2 >"$tmp/ours"
	{ echo "syscall vmlinux getppid entry global"
	  echo "epid 3 id $pid ipl 0 cpu 1 0"
	  sed -n 's/^chip \(.*\) lgrp \(.*\)$/chip \1 pset 0 lgrp \2 uid 0 gid 0/p' "$tmp/guest.out"
	  echo 'softirq 1'; echo 'tick 2'; } >"$tmp/want"
	agree "$tmp/want" "$tmp/ours" 5
}
