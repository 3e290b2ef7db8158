# SPDX-License-Identifier: GPL-2.0-or-later
# 80-examples.sh - each of examples/*.d, and what it shows of known work.

# example NAME WORK [ARGUMENT...]: runs it until the work is done, or to its own
# end if the work is "-". What it prints is in $tmp/trace.out.
example()
{
	ex_script=$DVISOR_SRC/examples/$1.d ex_work=$2
	shift 2
	if [ "$ex_work" = - ]; then
		dv -s "$ex_script" "$@" >"$tmp/trace.out" 2>"$tmp/trace.err" || return 1
	else
		trace_start -n 'BEGIN { printf("ready\n"); }' -s "$ex_script" "$@" || return 1
		guest_run g "$ex_work" >/dev/null || return 1
		trace_stop || return 1
	fi
	no_drops
}

# shows REGEX [COUNT]: so many lines of the output match; at least one.
shows()
{
	sh_n=$(grep -cE -- "$1" "$tmp/trace.out")
	if [ $# = 1 ]; then [ "$sh_n" -gt 0 ]; else [ "$sh_n" = "$2" ]; fi || {
		head -n 20 "$tmp/trace.out"
		fail "$sh_n lines like: $1"
	}
}

test_example_errors()
{
	example errors 'dvwork syscalls 50' &&
	shows '^PROGRAM  *SYSTEM CALL  *ERRNO  *TIMES$' 1 &&
	shows '^dvwork  *openat  *2  *50$' 1 &&
	shows '^dvwork  *open  *2  *50$' 1 &&
	shows '^dvwork  *read  *9  *50$' 1
}

test_example_opens()
{
	example opens 'dvwork syscalls 50' &&
	shows '^PROGRAM  *PID  *RESULT  PATH$' 1 &&
	shows '^dvwork  *[0-9]+  *-2  /dvwork/no-such-file$' 100 &&
	shows '^dvwork  *[0-9]+  *[0-9]+  /dev/null$' 101 &&
	shows '^dvwork  *[0-9]+  *[0-9]+  /dev/zero$' 1
}

test_example_failed_opens()
{
	example failed-opens 'dvwork syscalls 20' &&
	shows '^dvwork\[[0-9]+\] openat\(/dvwork/no-such-file\): error 2$' 20 &&
	shows '^	.*lookup' &&
	shows '/dev/null|error 0' 0
}

test_example_syscall_latency()
{
	example syscall-latency 'dvwork syscalls 50' &&
	shows '^getppid:$' 1 &&
	shows '^ *value  *-* Distribution -* count' &&
	shows '^SYSTEM CALL  *CALLS  *LONGEST \(NS\)$' 1 &&
	shows '^getppid  *5[0-4]  *[0-9]+$' 1 &&	# the shell makes some
	shows '^lseek  *5[0-4]  *[0-9]+$' 1 || return 1
	# of one process only
	example syscall-latency 'dvwork syscalls 5' 1 &&
	shows '^getppid' 0
}

# All the time of all CPUs is the hog's.
test_example_cpu_time()
{
	guest_send g "dvwork hog 12 $(ncpus)"
	sleep 0.5
	example cpu-time - || return 1
	sleep 2
	for ex_cpu in 0 1; do
		shows "^CPU $ex_cpu, nanoseconds at a stretch:\$" 1 || return 1
	done
	shows '^PROGRAM  *MS ON CPU$' 1 &&
	awk -v all=$((10000 * $(ncpus))) '$1 == "dvwork" { ms = $2 }
	    END { print ms + 0; exit !(ms > all / 4 && ms <= all * 102 / 100) }' "$tmp/trace.out" ||
	    fail "milliseconds of the hog: see above"
}

test_example_runq_wait()
{
	example runq-wait "dvwork hog 6 $(($(ncpus) * 2))" &&
	shows '^[0-9]{4} [A-Z][a-z]{2} [0-9 ]?[0-9] [0-9:]{8}$' 1 &&
	shows '^PROGRAM  *WAITS  *MEAN \(US\)  *WORST \(US\)$' 1 &&
	awk '$1 == "dvwork" && $2 > 50 && $3 > 500 && $3 <= $4 && $4 < 5000000 { ok = 1 }
	    END { exit !ok }' "$tmp/trace.out" || { cat "$tmp/trace.out"; fail "waits of the hogs"; }
}

# Three threads for each CPU: one runs and two wait, or nearly so.
test_example_runq_length()
{
	example runq-length "dvwork hog 2 $(($(ncpus) * 3))" &&
	shows '^CPU 0, threads already waiting:$' 1 &&
	shows '^CPU  *PROGRAM  *TICKS$' 1 &&
	awk '$2 == "dvwork" { hog += $3 } $2 != "PROGRAM" && NF == 3 && $3 ~ /^[0-9]+$/ && $2 !~ /[|]/ { all += $3 }
	    $2 ~ /[|]/ { n[$1] += $3 }
	    END { m = n[1] + n[2] + n[3]; print hog, all, n[0], m; exit !(hog > 200 && hog > all / 2 && m > 20) }' \
	    "$tmp/trace.out" || { cat "$tmp/trace.out"; fail "ticks of the hogs, of all; queue lengths"; }
}

test_example_deaths()
{
	example deaths 'dvwork die 9; sleep 100 & kill $!; wait' &&
	shows '^PROGRAM  *PID  *SIGNAL  *FROM  *CORE$' 1 &&
	shows '^dvwork  *[0-9]+  *9  *dvwork  *no$' 3 &&
	shows '^dvwork  *[0-9]+  *11  *dvwork  *no$' 3 &&
	shows '^[a-z]+  *[0-9]+  *15  *sh  *no$' 1 &&
	shows '^dvwork  *killed  *6$' 1 &&
	shows '^dvwork  *exited  *4$' 1
}

test_example_boot_check()
{
	timeout -k 5 120 "$dvisor" --boot --kernel "$guest_cache/$series/vmlinuz" \
	    --initrd "$guest_cache/$series/initrd.img" -s "$DVISOR_SRC/examples/boot-check.d" \
	    >"$tmp/trace.out" 2>"$tmp/trace.err"
	same status $? 0 &&
	shows '^ *[0-9]+ ms  the kernel starts$' 1 &&
	shows '^ *[0-9]+ ms  process 1 \([a-z]+\) calls [a-z0-9_]+$' 1
}

test_every_example_has_a_test()
{
	for ex_file in "$DVISOR_SRC"/examples/*.d; do
		ex_name=$(basename "$ex_file" .d | tr - _)
		grep -q "^test_example_$ex_name()" "$DVISOR_SRC/tests/guest/t/80-examples.sh" ||
		    fail "no test of $ex_file" || return 1
	done
}
