# SPDX-License-Identifier: GPL-2.0-or-later
# Why a thread leaves its CPU, what it sleeps on, and changes of priority.
. "$DVISOR_SRC/tests/guest/t/lib.sh.inc"

# Who leaves asleep has slept, who leaves runnable has been preempted or yields, who
# ends has done neither; what was about to leave and did not, stayed. A thread that
# is woken between its wish to sleep and its sleep may leave runnable, too.
test_leavers_sleep_or_are_preempted()
{
	wish=$([ "$series" = 5.10 ] && echo state || echo __state)
	trace_start -x bufsize=32m -qn 'BEGIN { printf("ready\n"); }
	    sched:::sleep /execname == "dvwork"/ { self->s = 1;
		@bad[curlwpsinfo->pr_state == SSLEEP] = count(); }
	    sched:::preempt /execname == "dvwork"/ { self->p = 1; @p = count(); }
	    syscall::sched_yield:entry { self->y = 1; }
	    syscall::sched_yield:return { self->y = 0; }
	    fbt::__schedule:entry /execname == "dvwork"/ { self->w = curthread->'$wish' != 0; }
	    sched:::off-cpu /execname == "dvwork" && !self->y/ {
		@off[(int)curlwpsinfo->pr_state, (int)self->s, (int)self->p, self->w] = count();
		self->s = 0; self->p = 0; }
	    sched:::remain-cpu /execname == "dvwork" && (self->s || self->p)/ {
		@r = count(); self->s = 0; self->p = 0; }
	    END { printa("off %d %d %d %d %@d\n", @off); printa("sleep %d %@d\n", @bad);
		printa("preempt %@d\n", @p); printa("remain %@d\n", @r); }' || return 1
	guest_run g 'dvwork hog 1 4; dvwork pingpong 200; dvwork mutex 200 3; dvwork sleep 20 2;
	    dvwork forkexec 10' >/dev/null || return 1
	trace_stop || return 1
	awk '$1 == "off" && $2 == 1 { slept += $6; if (!$3) bad += $6 }
	    $1 == "off" && $2 == 2 { ran += $6; if (!$3 && !$4 && !$5) bad += $6 }
	    $1 == "off" && $2 == 3 && ($3 || $4) { bad += $6 }
	    $1 == "sleep" && $2 == 0 { bad += $3 }
	    END { exit !(slept > 200 && ran > 20 && !bad) }' "$tmp/trace.out" ||
	    { cat "$tmp/trace.out"; fail "leavers: state, slept, preempted, wished to sleep, number: see above"; }
}

# Who reads /proc/consoles takes console_sem, who writes to a virtual terminal waits for
# it when the CPU is delayed that holds it. From the moment that a thread is in down()'s slow way until it
# leaves it, each of its sleeps is on that semaphore, and no other sleep is.
test_sleepers_in_down()
{
	[ "$(ncpus)" -ge 2 ] || { skip "one CPU"; return; }
	trace_start -wqn 'BEGIN { printf("ready\n"); }
	    fbt::console_unlock:entry /execname == "cat" && n++ < 20/ { chill(20000000); }
	    fbt::__down:entry { self->sem = arg0; }
	    fbt::__down:return { self->sem = 0; }
	    sched:::sleep /self->sem != 0/ { @down[(int)curlwpsinfo->pr_stype,
		(uintptr_t)curlwpsinfo->pr_wchan == self->sem,
		self->sem == (uintptr_t)&`console_sem] = count(); }
	    sched:::sleep /self->sem == 0 && curlwpsinfo->pr_stype == SOBJ_SEMA/ { @other = count(); }
	    END { printa("down %d %d %d %@d\n", @down); printa("other %@d\n", @other); }' || return 1
	guest_run g '(while [ ! -e /read ]; do echo x; done) >/dev/tty1 & i=0
	    while [ $i -lt 50 ]; do cat /proc/consoles >/dev/null; i=$((i + 1)); done
	    : >/read; wait; rm /read' 120 >/dev/null || return 1
	trace_stop || return 1
	no_drops || return 1
	awk '$1 == "down" && $2 == 4 && $3 == 1 && $4 == 1 { n += $5; next }
	    NF > 1 { bad = 1 } END { exit !(n > 0 && !bad) }' "$tmp/trace.out" ||
	    { cat "$tmp/trace.out"; fail "type, its address, console_sem, number: see above"; }
}

# In futex() a thread sleeps on a user-level lock, in nanosleep() on its timer, in
# read() of a pipe on its wait queue; each has an address.
test_sleepers_say_on_what()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::futex:entry, syscall::nanosleep:entry, syscall::read:entry
	    /execname == "dvwork"/ { self->in = probefunc; }
	    syscall::futex:return, syscall::nanosleep:return, syscall::read:return { self->in = 0; }
	    sched:::sleep /self->in != 0/ {
		@[self->in, (int)curlwpsinfo->pr_stype, curlwpsinfo->pr_wchan != 0] = count();
		on[curlwpsinfo->pr_addr] = curlwpsinfo->pr_wchan; }
	    sched:::wakeup /on[args[0]->pr_addr]/ {
		@w[on[args[0]->pr_addr] == args[0]->pr_wchan] = count(); on[args[0]->pr_addr] = 0; }
	    END { printa("%s %d %d %@d\n", @); printa("same %d %@d\n", @w); }' || return 1
	guest_run g 'dvwork pingpong 100; dvwork mutex 300 3; dvwork sleep 20 2' >/dev/null || return 1
	trace_stop || return 1
	awk '$1 == "futex" && $2 == 5 && $3 == 1 { futex += $4; next }
	    $1 == "nanosleep" && $2 == 3 && $3 == 1 { nano += $4; next }
	    $1 == "read" && $2 == 3 && $3 == 1 { read += $4; next }
	    $1 == "same" && $2 == 1 { same += $3; next }
	    $1 == "futex" || $1 == "nanosleep" || $1 == "read" { other += $4 }
	    $1 == "same" { bad += $3 }
	    END { exit !(futex > 0 && nano > 0 && nano <= 20 && read > 50 && same > 50 && bad == 0 &&
		other <= (futex + nano + read) / 50) }' \
	    "$tmp/trace.out" || { cat "$tmp/trace.out"; fail "call, type, has an address, number: see above"; }
}

# The workload changes its nice value and class in turns: each change of its
# priority, before it is made, with the new value.
test_changes_of_priority()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    sched:::change-pri /stringof(args[1]->pr_fname) == "dvwork"/ {
		printf("%d %d\n", args[0]->pr_pri, args[2]); }' || return 1
	guest_run g 'dvwork prio 40' >/dev/null || return 1
	trace_stop || return 1
	awk 'BEGIN { split("FF RR B TS", cls); now = 19; c = "TS"
	    for (i = 0; i < 40; i++) {
		nice = 19 - (1 + i % 19)
		if (c == "TS" || c == "B") { if (nice != now) print now, nice; now = nice }
		new = i % 4 == 0 ? 50 : i % 4 == 1 ? 51 : nice
		if (new != now) print now, new
		now = new; c = cls[i % 4 + 1] } }' >"$tmp/want"
	grep '^[0-9]' "$tmp/trace.out" >"$tmp/got"
	agree "$tmp/want" "$tmp/got" 40
}

# Another CPU is told to reschedule: its thread is not of this CPU.
test_surrender_is_of_another_cpu()
{
	[ "$(ncpus)" -gt 1 ] || { skip "one CPU"; return; }
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    sched:::surrender { @[args[0]->pr_onpro != cpu] = count(); }
	    END { printa("%d %@d\n", @); }' || return 1
	guest_run g 'dvwork hog 1 4 & dvwork pingpong 300; dvwork mutex 300 3; wait' >/dev/null || return 1
	trace_stop || return 1
	same "surrenders of this CPU, or none at all" "$(grep -c '^[01] ' "$tmp/trace.out") $(grep -c '^1 ' "$tmp/trace.out")" "1 1"
}
