# SPDX-License-Identifier: GPL-2.0-or-later
# 48-actions.sh - actions and aggregations with what only a guest has.

# A whole task_struct, of this very kernel, against values read one by one.
test_print_of_a_struct_of_the_guest()
{
	dv -qn 'BEGIN { printf("%d %s %p\n", curthread->pid, curthread->comm, curthread->tasks.next);
	    print(*curthread); print(curthread); exit(0); }' >"$tmp/out" || return 1
	[ "$(wc -l <"$tmp/out")" -gt 150 ] || fail "only $(wc -l <"$tmp/out") lines" || return 1
	read -r pid comm next <"$tmp/out"
	sed -n 2p "$tmp/out" | grep -q '^struct task_struct {$' || fail "$(sed -n 2p "$tmp/out")" || return 1
	grep -q "^    \.pid = (pid_t)$pid,\$" "$tmp/out" || fail "no pid $pid" || return 1
	grep -q "^    \.comm = (char\[16\])\"$comm\",\$" "$tmp/out" || fail "no comm $comm" || return 1
	grep -A1 '^    \.tasks = (struct list_head){$' "$tmp/out" |
	    grep -q "\.next = (struct list_head \*)0x$next,\$" || fail "no list $next" || return 1
	grep -q '^}$' "$tmp/out" || fail "it does not end" || return 1
	last "$tmp/out" | grep -q '^struct task_struct \* 0xffff[0-9a-f]*$' || fail "$(last "$tmp/out")"
}

# Addresses within one symbol, or one module, are one key.
test_symbols_as_keys()
{
	dv -qn 'BEGIN {
		@s[sym((uintptr_t)&`init_task)] = count(); @s[sym((uintptr_t)&`init_task + 64)] = count();
		@m[mod((uintptr_t)&`init_task)] = count(); @m[mod((uintptr_t)&`jiffies)] = count();
		printf("%a %a\n", &`init_task, (uintptr_t)&`init_task + 8);
		exit(0); }' >"$tmp/out" || return 1
	same "output" "$(grep . "$tmp/out" | tr -s ' ' | tr '\n' '|')" \
	    'vmlinux`init_task vmlinux`init_task+0x8| vmlinux`init_task 2| vmlinux 2|'
}

# What vCPUs speculated is printed at the time of the commit, however late it is
# copied: just before the record that the committing firing made itself.
test_temporal_order_of_commits()
{
	guest_run g 'for i in 1 2 3 4 5 6; do dvwork bench getppid 300; sleep 0.1; done' >/dev/null &
	run=$!
	dv -q -x temporal -x nspec=8 -x specsize=1m -x switchrate=50hz -x cleanrate=7hz -n 'int sp;
	sched:::on-cpu { speculate(sp); printf("S %d\n", timestamp); }
	profile-499 { printf("P %d\n", timestamp); }
	tick-100ms { commit(sp); }
	tick-100ms { printf("C %d\n", timestamp); sp = speculation(); n++; }
	tick-100ms /n == 25/ { exit(0); }' >"$tmp/out" 2>"$tmp/err" || { wait $run; return 1; }
	wait $run
	[ "$(grep -c '^S' "$tmp/out")" -gt 20 ] || fail "only $(grep -c '^S' "$tmp/out") were speculated" ||
	    return 1
	awk '/^[PC]/ { if ($2 + 0 < at) bad("is before " at); at = $2 + 0 }
	    /^C/ { if (most > at) bad("is before what it committed"); most = 0 }
	    /^S/ { if ($2 + 0 > most) most = $2 + 0 }
	    was == "S" && /^P/ { bad("stands between a speculation and its commit") }
	    { was = $1 }
	    function bad(why) { print NR ": " $0 " " why; n++ }
	    END { exit n > 0 }' "$tmp/out" >"$tmp/why" || fail "$(head -n 3 "$tmp/why")"
}
