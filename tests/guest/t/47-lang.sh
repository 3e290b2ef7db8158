# SPDX-License-Identifier: GPL-2.0-or-later
# 47-lang.sh - types and symbols of the guest in D.

# Symbols that the kernel's BTF has no types for, against what the guest says.
test_symbols_have_types()
{
	guest_run g 'cat /proc/cmdline; nproc --all; sed -n "s/^processes //p" /proc/stat' \
	    >"$tmp/guest" || return 1
	dv -qn 'BEGIN {
		printf("%s\n", `saved_command_line == 0 ? "none" : stringof(`saved_command_line));
		printf("%d\n", `nr_cpu_ids);
		printf("%d\n", `total_forks);
		printf("%s %d %d\n", `init_task.comm, `init_task.pid, sizeof (`init_task) == sizeof (struct task_struct));
		printf("%d\n", `jiffies == `jiffies_64 && vmlinux`jiffies == *&`jiffies);
		printf("%s\n", stringof(`init_uts_ns.name.sysname));
		printf("%d\n", &`init_task == curthread && sizeof (`avenrun) == 24 && `avenrun[0] < 1000000);
		printf("%d\n", (enum system_states)`system_state == SYSTEM_RUNNING);
		exit(0); }' >"$tmp/out" || return 1
	same "the command line" "$(sed -n 1p "$tmp/out")" "$(sed -n 1p "$tmp/guest")" || return 1
	same "the number of CPUs" "$(sed -n 2p "$tmp/out")" "$(sed -n 2p "$tmp/guest")" || return 1
	[ "$(sed -n 3p "$tmp/out")" -ge "$(sed -n 3p "$tmp/guest")" ] ||
	    fail "forks: $(sed -n 3p "$tmp/out"), the guest says $(sed -n 3p "$tmp/guest")" || return 1
	same "the rest" "$(sed -n '4,$p' "$tmp/out" | grep . | tr '\n' '|')" \
	    'swapper/0 0 1|1|Linux|1|1|'
}

# Structs of the guest: pointers, arrays, anonymous members, bit-fields, parts of them.
test_structs_of_the_guest()
{
	guest_run g 'for i in 1 2 3 4 5; do dvwork -p 1 bench getppid 100; sleep 0.2; done' >/dev/null &
	run=$!
	dv -qn 'struct task_struct *leader[int];
	syscall::getppid:entry /execname == "dvwork"/ {
		leader[tid] = curthread->group_leader;
		this->t = *curthread->group_leader->signal;
		printf("%d %d %d %d %d %d\n", curthread->pid == tid, leader[tid]->pid == pid,
		    curthread->comm[0] == execname[0] && curthread->comm[2] == (int)(char)0x77,
		    (struct task_struct *)((char *)&curthread->pid - offsetof(struct task_struct, pid)) == curthread,
		    this->t.nr_threads == curthread->signal->nr_threads && this->t.nr_threads == 1,
		    (*leader[tid]).mm->pgd == curthread->mm->pgd && curthread->sched_reset_on_fork == 0);
		exit(0); }' >"$tmp/out" || { wait $run; return 1; }
	wait $run
	same "the task" "$(grep . "$tmp/out")" "1 1 1 1 1 1"
}

# An index outside of an array of the guest is a fault of its own.
test_index_out_of_bounds()
{
	dv -qn 'BEGIN { i = 15; c = curthread->comm[i]; printf("in\n"); }
	    BEGIN { c = curthread->comm[i + 1]; printf("out\n"); exit(0); }
	    ERROR { printf("fault %d\n", arg4); exit(0); }' >"$tmp/out" 2>"$tmp/err" || return 1
	same "the program" "$(grep . "$tmp/out" | tr '\n' ' ')" "in fault 10 " || return 1
	grep -q 'index out of bounds' "$tmp/err" || fail "no message: $(cat "$tmp/err")"
}
