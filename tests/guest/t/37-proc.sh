# SPDX-License-Identifier: GPL-2.0-or-later
# 37-proc.sh - processes, threads and signals: how many, who, and in which order.
. "$DVISOR_SRC/tests/guest/t/lib.sh.inc"

# counts WANT...: the lines of the trace, in any order, are these and no others.
counts()
{
	printf '%s\n' "$@" | sort >"$tmp/want"
	grep . "$tmp/trace.out" | grep -v '^ready' | sort >"$tmp/got"
	diff "$tmp/want" "$tmp/got" || fail "expected <, got >"
}

# The shell is process 0 of these: it starts dvwork, which is then counted.
test_processes_and_threads_are_counted()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    proc:::create, proc:::lwp-create, proc:::start, proc:::lwp-start, proc:::exec,
	    proc:::exec-success, proc:::exec-failure, proc:::exit, proc:::lwp-exit
	    /execname == "dvwork"/ { @[probename] = count(); }
	    proc:::exit /execname == "dvwork"/ { @why[args[0] == CLD_EXITED ? "exited" :
		args[0] == CLD_KILLED ? "killed" : "other"] = count(); }
	    END { printa("%s %@d\n", @); printa("%s %@d\n", @why); }' || return 1
	guest_run g 'dvwork forkexec 10; dvwork threads 10; dvwork die 9' >/dev/null || return 1
	trace_stop && no_drops || return 1
	counts 'create 19' 'lwp-create 10' 'start 19' 'lwp-start 29' 'exec 10' 'exec-success 13' \
	    'exit 22' 'lwp-exit 32' 'exited 16' 'killed 6'
}

# create, start and lwp-start, exec and its success, lwp-exit, exit: each process
# has them in this order. The child is known to the parent's create and lwp-create.
test_events_are_in_order()
{
	trace_start -x bufsize=16m -x temporal -qn 'BEGIN { printf("ready\n"); }
	    proc:::create { printf("%d create 0\n", args[0]->pr_pid); born[args[0]->pr_pid] = pid; }
	    proc:::lwp-create { printf("%d lwp-create %d\n", args[0]->pr_lwpid, args[1]->pr_pid); }
	    proc:::start { printf("%d start %d\n", tid, ppid != born[pid]); }
	    proc:::lwp-start { printf("%d lwp-start %d\n", tid, pid); }
	    proc:::exec-success { printf("%d exec-success 0\n", tid); }
	    proc:::exec { printf("%d exec 0\n", tid); }
	    proc:::lwp-exit { printf("%d lwp-exit 0\n", tid); }
	    proc:::exit { printf("%d exit %d\n", pid, tid != pid); }' || return 1
	guest_run g 'dvwork forkexec 10; dvwork threads 10; dvwork die 9' >/dev/null || return 1
	trace_stop && no_drops || return 1
	awk '/^[0-9]/ { seen[$1] = seen[$1] " " $2; if ($2 ~ /^(start|exit)$/) bad += $3
		if ($2 == "lwp-create" || ($2 == "lwp-start" && of[$1])) {
			if (of[$1] && of[$1] != $3) bad++; of[$1] = $3 } }
	    END { for (t in seen) kinds[seen[t]]++
		print bad + 0, "bad"
		for (k in kinds) print kinds[k] k
		exit !(bad == 0 && kinds[" create start lwp-start exec exec-success lwp-exit exit"] >= 10 &&
		    kinds[" create start lwp-start lwp-exit exit"] >= 9 &&
		    kinds[" lwp-create lwp-start lwp-exit"] == 10) }' "$tmp/trace.out" ||
	    fail "lives of threads, how many of each: see above"
}

# Four threads in each process: it ends once, with the last of them, also where the first
# has ended before, and where one of the others starts a program.
test_a_process_ends_once()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    proc:::create, proc:::lwp-create, proc:::start, proc:::lwp-start, proc:::exec,
	    proc:::exec-success, proc:::exec-failure, proc:::exit, proc:::lwp-exit
	    /execname == "dvwork"/ { @[probename] = count(); }
	    proc:::exit /execname == "dvwork"/ { @why[args[0] == CLD_EXITED ? "exited" :
		args[0] == CLD_KILLED ? "killed" : "other"] = count(); }
	    proc:::exec /execname == "dvwork"/ { @exec["exec", pid == tid] = count(); }
	    proc:::exec-success /execname == "dvwork" && curpsinfo->pr_argc == 2/ {
		@exec["success", pid == tid] = count(); }
	    END { printa("%s %@d\n", @); printa("%s %@d\n", @why); printa("%s %d %@d\n", @exec); }' || return 1
	guest_run g 'dvwork groups 4' >"$tmp/work" || return 1
	trace_stop && no_drops || return 1
	grep -q 'exited=4 sigkill=4 apart=4 exec=4' "$tmp/work" || { cat "$tmp/work"; return 1; }
	counts 'create 16' 'lwp-create 48' 'start 16' 'lwp-start 64' 'exec 4' 'exec-success 5' \
	    'exit 17' 'lwp-exit 65' 'exited 13' 'killed 4' 'exec 0 4' 'success 1 4'
}

# A core dump is a reason of its own.
test_a_core_dump_is_told()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    proc:::exit /args[0] == CLD_DUMPED/ { @[execname] = count(); }
	    END { printa("%s %@d\n", @); }' || return 1
	guest_run g 'cd /tmp; ulimit -c unlimited; old=$(cat /proc/sys/kernel/core_pattern)
	    echo core >/proc/sys/kernel/core_pattern; sh -c "kill -SEGV \$\$" 2>/dev/null
	    echo "$old" >/proc/sys/kernel/core_pattern; ls core* && rm -f core*' >"$tmp/core" ||
	    { trace_stop; skip "the guest dumps no cores"; return; }
	trace_stop && no_drops && counts 'sh 1'
}

# What an exec fails with, and on what; a path that cannot be read has no exec.
test_exec_failures()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    proc:::exec /execname == "dvwork"/ { @exec[args[0]] = count(); }
	    proc:::exec-failure /execname == "dvwork"/ { @[args[0] == ENOENT ? "ENOENT" :
		args[0] == EACCES ? "EACCES" : args[0] == EFAULT ? "EFAULT" : "other"] = count(); }
	    syscall::execve:return /execname == "dvwork" && errno/ { @sys = count(); }
	    END { printa("exec %s %@d\n", @exec); printa("%s %@d\n", @); printa("sys %@d\n", @sys); }' ||
	    return 1
	guest_run g 'dvwork badexec 10' >/dev/null || return 1
	trace_stop && no_drops || return 1
	counts 'exec /no/such/program 10' 'exec /tmp 10' 'ENOENT 10' 'EACCES 10' 'EFAULT 10' 'sys 30'
}

# To itself: 10 of each, one handled and one ignored. Waited for: cleared.
test_signals_are_counted()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    proc:::signal-send /execname == "dvwork" && args[2] != SIGCHLD/ {
		@["send", args[2] == SIGUSR1 ? "USR1" : args[2] == SIGUSR2 ? "USR2" : "other",
		    args[1]->pr_pid == pid && args[0]->pr_lwpid == tid] = count(); }
	    proc:::signal-discard /execname == "dvwork" && args[2] != SIGCHLD/ {
		@["discard", args[2] == SIGUSR2 ? "USR2" : "other",
		    args[1]->pr_pid == pid && args[0]->pr_lwpid == tid] = count(); }
	    syscall::rt_sigaction:entry /execname == "dvwork" && arg0 == SIGUSR1/ {
		h = *(uintptr_t *)copyin(arg1, 8); }
	    proc:::signal-handle /execname == "dvwork"/ {
		@["handle", args[0] == SIGUSR1 ? "USR1" : "other", args[1]->si_signo == args[0] &&
		    args[1]->si_pid == pid && args[1]->si_uid == uid &&
		    args[2] == h] = count(); }
	    proc:::signal-clear /execname == "dvwork"/ {
		@["clear", args[0] == SIGUSR1 ? "USR1" : "other", 1] = count(); }
	    END { printa("%s %s %d %@d\n", @); }' || return 1
	guest_run g 'dvwork signals 10; dvwork sigwait 20' >/dev/null || return 1
	trace_stop && no_drops || return 1
	counts 'send USR1 1 30' 'send USR2 1 10' 'discard USR2 1 10' 'handle USR1 1 10' 'clear USR1 1 20'
}

# All signals that the guest's own trace has, with sender and target; those that
# are handled, with the handler. SIGCHLD is left out: the tracing's own shell has it.
test_signals_equal_tracefs()
{
	trace_start -x bufsize=16m -qn 'BEGIN { printf("ready\n"); }
	    proc:::signal-send /args[2] != SIGCHLD/ {
		printf("send %d %d %d\n", tid, args[2], args[0]->pr_lwpid); }
	    proc:::signal-discard /args[2] != SIGCHLD/ {
		printf("discard %d %d %d\n", tid, args[2], args[0]->pr_lwpid); }
	    proc:::signal-handle /args[0] != SIGCHLD/ { printf("handle %d %d %x\n", tid, args[0], args[2]); }' ||
	    return 1
	own_start signal/signal_generate 'sig != 17' signal/signal_deliver 'sa_handler > 1 && sig != 17' ||
	    return 1
	guest_run g 'dvwork signals 20; dvwork die 9; dvwork faults 5; dvwork sigwait 5
	    (sleep 100 & kill $!; sleep 100 & kill -9 $!; wait); echo 1 | head -c 0
	    sh -c "trap : ALRM; kill -ALRM \$\$; kill -WINCH \$\$"' >/dev/null 2>&1
	own_stop || return 1
	trace_stop && no_drops || return 1
	sed -n 's/^[0-9]* \([0-9]*\) signal_generate: sig=\([0-9]*\) .* pid=\([0-9]*\) grp=[01] res=\([0-9]\).*/\1 \2 \3 \4/p' \
	    "$tmp/own" | awk '{ print "send", $1, $2, $3 } $4 == 1 { print "discard", $1, $2, $3 }' >"$tmp/want"
	sed -n 's/^[0-9]* \([0-9]*\) signal_deliver: sig=\([0-9]*\) .* sa_handler=\([0-9a-f]*\) .*/handle \1 \2 \3/p' \
	    "$tmp/own" >>"$tmp/want"
	sort -o "$tmp/want" "$tmp/want"
	grep -E '^(send|discard|handle) ' "$tmp/trace.out" | sort >"$tmp/got"
	agree "$tmp/want" "$tmp/got" 100
}

# Faults of each kind; and two that are none: a signal of the same number, and one for
# a handler that cannot be called.
test_faults_are_told_apart()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    proc:::fault /execname == "dvwork"/ { @[args[0], args[1]->si_signo, args[1]->si_code,
		args[1]->si_addr == 16, args[1]->si_pid] = count(); }
	    END { printa("%d %d %d %d %d %@d\n", @); }' || return 1
	guest_run g 'dvwork faults 10' >"$tmp/work" || return 1
	trace_stop && no_drops || return 1
	same "signals sent" "$(guest_count "$(cat "$tmp/work")" sent)" 10 &&
	same "died without a stack" "$(guest_count "$(cat "$tmp/work")" nostack)" 10 &&
	counts '6 11 1 1 0 10' '5 11 2 0 0 10' '5 7 2 0 0 10' '1 4 2 0 0 10' '6 11 128 0 0 10' \
	    '3 5 128 0 0 20' '8 8 1 0 0 10'
}

# What a process says of itself, and what curpsinfo says of it.
test_psinfo_of_the_caller()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork" && curpsinfo->pr_nlwp == 2/ { n++; }
	    syscall::getppid:entry /n == 1/ {
		printf("pid=%d ppid=%d pgid=%d sid=%d uid=%d euid=%d gid=%d egid=%d tty=%d envp=%d\n",
		    curpsinfo->pr_pid, curpsinfo->pr_ppid, curpsinfo->pr_pgid, curpsinfo->pr_sid,
		    curpsinfo->pr_uid, curpsinfo->pr_euid, curpsinfo->pr_gid, curpsinfo->pr_egid,
		    getmajor(curpsinfo->pr_ttydev) * 1000 + getminor(curpsinfo->pr_ttydev),
		    curpsinfo->pr_envp);
		printf("[%s] %d %d %s %d %d %d %d %d %d\n", curpsinfo->pr_psargs, curpsinfo->pr_argc,
		    curpsinfo->pr_envp - curpsinfo->pr_argv, curpsinfo->pr_fname, curpsinfo->pr_dmodel,
		    curpsinfo->pr_zoneid, curpsinfo->pr_taskid + curpsinfo->pr_projid +
		    curpsinfo->pr_poolid, curlwpsinfo->pr_syscall, curlwpsinfo->pr_bindpset,
		    *(uintptr_t *)copyin(curpsinfo->pr_argv + 24, 8) == 0); n++; }' || return 1
	guest_run g 'dvwork who 3' >"$tmp/work" || return 1
	trace_stop && no_drops || return 1
	same "a process of itself" "$(sed -n 's/^pid=/pid=/p' "$tmp/trace.out")" \
	    "$(sed -n 's/^who: getppid=3 //p' "$tmp/work" | tr -d '\r')" &&
	same "arguments, size of argv, name, model, zone, none, getppid, none, end of argv" \
	    "$(grep '^\[' "$tmp/trace.out")" "[dvwork who 3] 3 32 dvwork 2 0 0 110 -1 1"
}

# Every thread that the scheduler names is one of /proc, with the same numbers;
# those of the CPUs' idle threads are 0, and no process says so.
test_psinfo_equals_proc()
{
	trace_start -x aggsize=8m -qn 'BEGIN { printf("ready\n"); }
	    sched:::off-cpu { @[args[1]->pr_pid, args[1]->pr_fname, args[1]->pr_ppid,
		args[1]->pr_pgid, args[1]->pr_sid, args[1]->pr_uid, args[1]->pr_nlwp,
		args[1]->pr_ttydev == PRNODEV, args[1]->pr_start.tv_sec, args[0]->pr_nice] = count(); }
	    END { printa("%d %s %d %d %d %d %d %d %d %d %@d\n", @); }' || return 1
	guest_run g 'dvwork sleep 300 5 & dvwork pingpong 300; dvwork forkexec 5
	    btime=$(sed -n "s/^btime //p" /proc/stat)
	    for p in /proc/[0-9]*; do uid=$(sed -n "s/^Uid:.\([0-9]*\).*/\1/p" $p/status) &&
		echo "stat $btime $uid $(sed "s/(.*)/x/" $p/stat) $(cat $p/comm)"; done 2>/dev/null
	    kill $!; wait' >"$tmp/proc" || return 1
	trace_stop && no_drops || return 1
	tr -d '\r' <"$tmp/proc" | awk 'NR == FNR { if ($1 == "stat" && NF > 20) {
		name = $56			# may have spaces; and says what a kworker works on
		for (i = 57; i <= NF; i++) name = name " " $i
		if (name ~ /^kworker/) sub(/[-+].*/, "", name)
		p[$4] = name; who[$4] = $7 " " $8 " " $9 " " $3 " " $23 " " ($10 == 0); nice[$4] = $22
		start[$4] = $2 + int($25 / 100) }; next }
	    /^0 swapper\/[0-9]+ 0 0 0 0 / && $6 == 0 && $8 == 1 { idle++; next }
	    $1 ~ /^[0-9]+$/ { line = $0; sub(/^[0-9]+ /, "", line)
		if (!match(line, / [-0-9]+ [-0-9]+ [0-9]+$/)) { bad++; next }
		rest = substr(line, RSTART + 1); line = substr(line, 1, RSTART - 1); split(rest, r, " ")
		if (!($1 in p)) { gone++; next }
		seen++
		# the name is that before an exec, too
		name = line; for (i = 0; i < 6; i++) sub(/ [-0-9]+$/, "", name); named[$1] += name == p[$1]
		line = substr(line, length(name) + 2)
		if (who[$1] != line || nice[$1] != r[2] || r[1] - start[$1] > 1 || start[$1] - r[1] > 1)
			{ print $1 ": /proc: " who[$1] " " start[$1] " " nice[$1]; print $1 ": ours: " line " " rest; bad++ } }
	    END { for (i in named) if (named[i] == 0) { print i " is not called " p[i]; bad++ }
		print seen + 0, idle + 0, bad + 0; exit !(seen >= 8 && idle >= 1 && bad == 0) }' - \
	    "$tmp/trace.out" || fail "processes of /proc seen, idle threads, wrong: see above"
}

# A zone is a pid namespace: 0 is the first one, others have their own numbers. What
# is said of the CPU is in /proc/cpuinfo, too.
test_zone_and_processor()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork"/ { printf("zone %d\n", curpsinfo->pr_zoneid);
		printf("cpu %d %d\n", curcpu->cpu_info.pi_state == P_ONLINE, curcpu->cpu_info.pi_clock); }' ||
	    return 1
	guest_run g 'dvwork stack 1; sed -n "s/^cpu MHz.*: \([0-9]*\).*/mhz \1/p" /proc/cpuinfo
	    unshare -p -f sh -c "readlink /proc/self/ns/pid; dvwork stack 1"' >"$tmp/work"
	trace_stop && no_drops || return 1
	tr -d '\r' <"$tmp/work" >"$tmp/said"
	mhz=$(sed -n 's/^mhz //p' "$tmp/said" | head -n 1)
	counts 'zone 0' "zone $(sed -n 's/^pid:\[\([0-9]*\)\]/\1/p' "$tmp/said")" "cpu 1 $mhz" "cpu 1 $mhz" ||
	    { cat "$tmp/said"; return 1; }
}

# A program of 32 bits, the smallest: an ELF header, a segment, exit(0).
test_program_of_32_bits()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    proc:::exit /execname == "dv32"/ { printf("exit %d model %d argc %d\n", args[0],
		curpsinfo->pr_dmodel == PR_MODEL_ILP32, curpsinfo->pr_argc);
		printf("argv0 %s\n", copyinstr(*(uint32_t *)copyin(curpsinfo->pr_argv, 4)));
		printf("end %d\n", *(uint32_t *)copyin(curpsinfo->pr_envp - 4, 4)); }' || return 1
	guest_run g '(echo f0VMRgEBAQAAAAAAAAAAAAIAAwABAAAAVIAECDQAAAAAAAAAAAAAADQAIAABAAAAAAAAAAEAAAAA
	    echo AAAAAIAECACABAhbAAAAWwAAAAUAAAAAEAAAMcBAMdvNgA==) |
	    base64 -d >/tmp/dv32; chmod +x /tmp/dv32; /tmp/dv32 one two' >"$tmp/work" ||
	    { trace_stop; skip "the guest runs no programs of 32 bits"; return; }
	trace_stop && no_drops && counts 'exit 1 model 1 argc 3' 'argv0 /tmp/dv32' 'end 0'
}

# A wild pointer in a program is a fault, in each clause that follows it.
test_wild_psinfo_is_a_fault()
{
	dv -qn 'BEGIN { trace(xlate<psinfo_t *>((struct task_struct *)0x4141)->pr_pgid); }
	    BEGIN { trace(xlate<psinfo_t *>((struct task_struct *)&`linux_banner)->pr_start.tv_sec);
		trace(xlate<psinfo_t *>((struct task_struct *)&`linux_banner)->pr_pgid); }
	    ERROR { n++; } tick-100ms /n == 2/ { printf("faults %d", n); exit(0); }
	    tick-5s { exit(1); }' >"$tmp/out" 2>&1 || { cat "$tmp/out"; return 1; }
	grep -q 'faults 2' "$tmp/out" || { cat "$tmp/out"; fail "no faults"; }
}
