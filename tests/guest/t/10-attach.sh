# SPDX-License-Identifier: GPL-2.0-or-later
# 10-attach.sh - a running guest is found, understood and left alone again.

. "$DVISOR_SRC/tests/guest/t/lib.sh.inc"

# The symbols that introspection reads from memory are the guest's own.
test_symbols_equal_kallsyms()
{
	guest_run g 'echo 0 >/proc/sys/kernel/kptr_restrict; grep -v "\[" /proc/kallsyms | gzip -c | base64' 300 |
	    tr -d '\r' | base64 -d | gzip -dc | sort >"$tmp/own" || return 1
	"$DVISOR_BUILD/cli/dvisor" snapshot --vm "$vm" -o "$tmp/snap" || return 1
	"$DVISOR_BUILD/cli/dvisor" snapshot --symbols "$tmp/snap" | grep -v '\[' |
	    sort >"$tmp/ours" || return 1
	[ "$(wc -l <"$tmp/own")" -gt 50000 ] || fail "the guest listed too few symbols" || return 1
	cmp "$tmp/own" "$tmp/ours" || { diff "$tmp/own" "$tmp/ours" | head -5; return 1; }
}

test_attach_and_detach_many_times()
{
	i=0
	while [ $i -lt 10 ]; do
		[ "$(dv -qn 'BEGIN { printf("%s\n", execname); exit(0); }
		    syscall:::entry { @ = count(); }' | head -n 1)" = swapper/0 ] || return 1
		i=$((i + 1))
	done
}

test_vms_lists_the_guest()
{
	"$dvisor" vms | grep "^$vm " | grep -q " $carrier " || fail "vms does not list $vm"
}

test_killed_command_leaves_no_probe()
{
	trace_start -qn 'BEGIN { printf("ready\n"); } syscall:::entry { @ = count(); }' || return 1
	dv_pid=$(pgrep -P $trace_pid) || dv_pid=$trace_pid
	kill -9 $dv_pid
	wait $trace_pid 2>/dev/null
	sleep 1.2
	guest_run g 'dvwork true' >/dev/null || return 1
	dv -qn 'BEGIN { exit(0); } syscall:::entry { @ = count(); }' || fail "the next attach failed"
}

test_idle_guest_can_be_attached()
{
	sleep 1
	n=$(dv -qn 'BEGIN { printf("%d\n", ((struct task_struct *)&`init_task)->pid); exit(0); } sched:::on-cpu { @ = count(); }' | head -n 1)
	same "pid of init_task" "$n" 0
}

test_snapshot_compiles_without_guest()
{
	"$dvisor" snapshot --vm "$vm" -o "$tmp/snap" &&
	"$dvisor" --profile "$tmp/snap" -en 'sched:::off-cpu { trace(curthread->pid); trace(args[0]->pr_lwpid); }' &&
	[ "$("$dvisor" --profile "$tmp/snap" -ln 'syscall::getppid:entry' | wc -l)" = 2 ]
}

# The table of types of variables fits this kernel, and the values are right.
test_variables_of_the_kernel()
{
	sed -n 's/^	{ "\([^"]*\)", ".*" },$/\1/p' "$DVISOR_SRC/guest-introspect/linux/vars.c" >"$tmp/names"
	guest_run g 'grep -v "\[" /proc/kallsyms | gzip -c | base64' 300 |
	    tr -d '\r' | base64 -d | gzip -dc | awk 'NR == FNR { want[$1]; next }
	    $3 in want && !($3 in seen) && $4 == "" { seen[$3]; printf "BEGIN { x = sizeof (`%s); }\n", $3 }' \
	    "$tmp/names" - >"$tmp/all.d"
	[ "$(wc -l <"$tmp/all.d")" -ge 40 ] || fail "only $(wc -l <"$tmp/all.d") are there" || return 1
	dv -es "$tmp/all.d" 2>"$tmp/err" || fail "$(cat "$tmp/err")" || return 1
	dv -qn 'BEGIN { j = `jiffies; } profile-97 /`jiffies - j > 10/ {
	    printf("%s %d %d %d\n", `init_task.comm, `init_task.pid, `jiffies - j < 5000, `nr_cpu_ids); exit(0); }
	    tick-10s { exit(1); }' >"$tmp/out" || return 1
	same "the variables" "$(last "$tmp/out")" "swapper/0 0 1 $(ncpus)" || return 1
	dv -en 'BEGIN { trace(`vm_node_stat_not_there); }' 2>"$tmp/err"
	same status $? 1
}
