# SPDX-License-Identifier: GPL-2.0-or-later
# What whole scripts say of work whose answer is known.
. "$DVISOR_SRC/tests/guest/t/lib.sh.inc"

# Each kind of lock has put its waiter to sleep a known number of times; the
# type of a thread at off-cpu and the one that its waker sees are the same.
test_what_threads_sleep_for()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    sched:::off-cpu /execname == "dvwork" && curlwpsinfo->pr_state == SSLEEP/ {
		self->type = curlwpsinfo->pr_stype; self->bed = timestamp; }
	    sched:::wakeup /stringof(args[1]->pr_fname) == "dvwork"/ {
		type[args[0]->pr_addr] = args[0]->pr_stype; }
	    sched:::on-cpu /self->bed/ {
		@[(int)self->type] = count(); @slept[(int)self->type] = quantize(timestamp - self->bed);
		@woken[self->type == type[curlwpsinfo->pr_addr]] = count();
		self->type = 0; self->bed = 0; }
	    END { printa("type %d %@d\n", @); printa("same %d %@d\n", @woken);
		printa("slept %d %@d\n", @slept); }' || return 1
	guest_run g 'dvwork locks 20' || return 1
	trace_stop || return 1
	no_drops || return 1
	grep -q '^slept 1' "$tmp/trace.out" || { cat "$tmp/trace.out"; fail "no distribution"; return; }
	awk '$1 == "type" { n[$2] = $3 }
	    $1 == "same" && $2 == 0 { bad += $3 }
	    END { exit !(n[1] >= 20 && n[1] <= 22 && n[2] >= 20 && n[2] <= 22 && n[5] >= 20 &&
		n[6] == 20 && n[0] == 0 && !bad) }' "$tmp/trace.out" ||
	    { grep -E '^(type|same)' "$tmp/trace.out"; fail "type, sleeps; wakers that agree: see above"; }
}

# A thread of a real-time class takes the CPU from one that computes: as often as
# the guest says, and each time that thread, with the higher priority.
test_who_preempts_whom()
{
	own_start sched/sched_switch 'prev_comm == "dvhog" && next_comm == "dvfifo"' || return 1
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    sched:::preempt { self->told = 1; }
	    sched:::remain-cpu /self->told/ { self->told = 0; }
	    sched:::off-cpu /self->told && execname == "dvhog" &&
		stringof(args[1]->pr_fname) == "dvfifo"/ {
		@[args[0]->pr_pri, curlwpsinfo->pr_pri] = count(); }
	    sched:::off-cpu { self->told = 0; }
	    END { printa("preempt %d %d %@d\n", @); }' || return 1
	guest_run g 'dvwork preempt 60' || return 1
	trace_stop || return 1
	own_stop || return 1
	no_drops || return 1
	pre_own=$(grep -cE 'prev_state=R\+? ' "$tmp/own")
	[ "$pre_own" -ge 30 ] || fail "the guest knows only $pre_own preemptions" || return 1
	same preemptions "$(grep '^preempt' "$tmp/trace.out")" "preempt 50 19 $pre_own"
}

# For whom a server works: its CPU time goes to the client that it wakes next.
# One has eight times the work of the other done.
test_whom_a_server_works_for()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    self int since;
	    sched:::wakeup /self->since && args[0]->pr_stype == SOBJ_CV &&
		execname == "dvserver"/ {
		@t[stringof(args[1]->pr_fname)] = sum(vtimestamp - self->since); self->since = 0; }
	    sched:::wakeup /execname == "dvserver" && self->since == 0/ { self->since = vtimestamp; }
	    sched:::wakeup /execname == "dvserver"/ { @n[stringof(args[1]->pr_fname)] = count(); }
	    END { printa("time %s %@d\n", @t); printa("wakes %s %@d\n", @n); }' || return 1
	guest_run g 'dvwork serve 100' || return 1
	trace_stop || return 1
	awk '$1 == "time" { t[$2] = $3 } $1 == "wakes" { n[$2] = $3 }
	    END { exit !(t["dvheavy"] > 0 && t["dvlight"] > 0 &&
		n["dvheavy"] > 50 && n["dvheavy"] <= 100) }' \
	    "$tmp/trace.out" || { cat "$tmp/trace.out"; fail "time of the server, by client: see above"; }
}

# Who slept until whom: the clients until the server, and it until one of them. It
# need not sleep again while they keep it busy.
test_who_sleeps_on_whom()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    sched:::sleep /curlwpsinfo->pr_stype == SOBJ_CV && !(curlwpsinfo->pr_flag & PR_ISSYS)/ {
		bed[curlwpsinfo->pr_addr] = timestamp; }
	    sched:::wakeup /bed[args[0]->pr_addr]/ {
		@[stringof(args[1]->pr_fname), execname] = count();
		bed[args[0]->pr_addr] = 0; }
	    END { printa("%s on %s %@d\n", @); }' || return 1
	guest_run g 'dvwork serve 100' || return 1
	trace_stop || return 1
	awk '/^dv(light|heavy) on dvserver / { c += $4; next }
	    /^dvserver on dv(light|heavy) / { s += $4; next }
	    /^dv(light|heavy) on dv(light|heavy) / { bad += $4 }
	    END { exit !(c > 100 && c <= 200 && s > 0 && s <= 200 && !bad) }' \
	    "$tmp/trace.out" || { cat "$tmp/trace.out"; fail "sleepers and wakers: see above"; }
}

# A thread that is told to go to another CPU: its queues are those that the
# guest's own sched_migrate_task has, in that order; nobody is taken off a queue
# by another CPU but to go to one.
test_moves_between_queues()
{
	[ "$(ncpus)" -gt 1 ] || { skip "one CPU"; return; }
	own_start sched/sched_migrate_task 'comm == "dvmoved"' || return 1
	trace_start -x bufsize=16m -qn 'BEGIN { printf("ready\n"); }
	    sched:::enqueue /stringof(args[1]->pr_fname) == "dvmoved"/ {
		printf("%d to %d\n", timestamp, args[2]->cpu_id); }
	    sched:::dequeue /stringof(args[1]->pr_fname) == "dvmoved"/ {
		printf("%d from %d\n", timestamp, args[2]->cpu_id); }' || return 1
	guest_run g 'dvwork migrate 40' || return 1
	trace_stop || return 1
	own_stop || return 1
	no_drops || return 1
	sed -n 's/.*orig_cpu=\([0-9]*\) dest_cpu=\([0-9]*\).*/\1 \2/p' "$tmp/own" |
	    tail -n 40 >"$tmp/theirs"
	grep ' to ' "$tmp/trace.out" | sort -n | awk 'NR > 1 && $3 != last { print last, $3 }
	    { last = $3 }' | tail -n 40 >"$tmp/ours"
	agree "$tmp/theirs" "$tmp/ours" 40
}

# A CPU without work takes a thread that waits for another: it is idle, or its
# thread has just gone to sleep. The thread comes to the thief's queue next (with
# more CPUs also to that of another idle one, for which the thief looks). One that
# is bound to a CPU by another thread's call is not stolen.
test_who_steals()
{
	[ "$(ncpus)" -gt 1 ] || { skip "one CPU"; return; }
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    sched:::dequeue /stringof(args[1]->pr_fname) == "dvhog" && cpu != args[2]->cpu_id/ {
		@[curlwpsinfo->pr_flag & PR_IDLE ? "stolen" : execname] = count(); }
	    sched:::dequeue /stringof(args[1]->pr_fname) == "dvhog" && cpu != args[2]->cpu_id &&
		(curlwpsinfo->pr_flag & PR_IDLE)/ { by[args[0]->pr_addr] = cpu + 1; }
	    sched:::enqueue /by[args[0]->pr_addr]/ {
		@to[args[2]->cpu_id == by[args[0]->pr_addr] - 1] = count(); by[args[0]->pr_addr] = 0; }
	    END { printa("%s %@d\n", @); printa("own %d %@d\n", @to); }' || return 1
	guest_run g 'dvwork steal 30' >/dev/null || return 1
	trace_stop || return 1
	awk -v cpus="$(ncpus)" '$1 == "stolen" { stolen = $2 } $1 == "dvwork" { bound = $2 }
	    $1 == "own" && $2 == 1 { own = $3 }
	    $1 == "own" && $2 == 0 { other = $3 }
	    END { exit !(stolen >= 5 && own + other == stolen && own > 0 &&
		(cpus > 2 || other == 0) && bound > 0) }' "$tmp/trace.out" ||
	    { cat "$tmp/trace.out"; fail "taken by whom; to its own queue: see above"; }
}

# A script that keeps the length of each queue, and who waits in it.
keep_lengths='BEGIN { printf("ready\n"); }
	    int len[int]; char in[uintptr_t];
	    sched:::enqueue { this->q = args[2]->cpu_id; this->t = args[0]->pr_addr; }
	    sched:::enqueue /in[this->t]/ { @twice = count(); printf("twice: enqueue of %d %s, by %s\n",
		args[0]->pr_lwpid, stringof(args[1]->pr_fname), probefunc); }
	    sched:::enqueue /!in[this->t]/ { in[this->t] = this->q + 1; len[this->q]++; @n = count(); }
	    sched:::dequeue { this->q = args[2]->cpu_id; this->t = args[0]->pr_addr; }
	    sched:::dequeue /in[this->t]/ { @own[in[this->t] == this->q + 1] = count();
		len[this->q]--; in[this->t] = 0; }
	    sched:::off-cpu /args[0]->pr_lwpid == 0/ { @idle[len[cpu]] = count(); }
	    END { printa("idle %d %@d\n", @idle); printa("own %d %@d\n", @own);
		printa("enqueues %@d\n", @n); printa("twice %@d\n", @twice); }'

# lengths_are_true IDLE ENQUEUES: what it said; so often idle, enqueued, at least.
lengths_are_true()
{
	awk -v idle="$1" -v enq="$2" '$1 == "idle" { n += $3; if ($2 != 0) bad += $3 }
	    $1 == "own" && $2 == 0 { bad += $3 }
	    $1 ~ /^twice/ { bad++ } $1 == "enqueues" { e = $2 }
	    END { exit !(n > idle && e > enq && !bad) }' "$tmp/trace.out" ||
	    { tail -n 20 "$tmp/trace.out"; fail "idle at length, number; own queue: see above"; }
}

# The length that a script keeps of each queue is zero whenever the CPU goes over to
# its idle thread: the queue's lock is held from that choice to the switch. So it is
# when all sleep, of all classes, throttled ones too; and each thread leaves the
# queue that it was put on.
test_queue_lengths_reach_zero()
{
	trace_start -x dynvarsize=16m -qn "$keep_lengths" || return 1
	rounds=1${DVISOR_ALL:+ 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20}
	guest_run g "for i in $rounds; do
	    dvwork pingpong 500; dvwork mutex 300 4; dvwork hog 1 5 & dvwork prio 40; dvwork locks 5
	    dvwork preempt 50; dvwork deadline 24; dvwork forkexec 10; dvwork sleep 50 2
	    [ $(ncpus) = 1 ] || dvwork migrate 20; wait; done" 300 >/dev/null || return 1
	trace_stop || return 1
	no_drops || return 1
	lengths_are_true 50 1500
}

# The same for as long as SOAK says, in seconds: `make soak`.
test_queue_lengths_soak()
{
	[ -n "${SOAK:-}" ] || { skip "make soak runs it"; return; }
	DV_SECONDS=$((SOAK + 900))
	trace_start -x dynvarsize=16m -qn "$keep_lengths" || return 1
	guest_run g "now() { cut -d. -f1 /proc/uptime; }; end=\$((\$(now) + $SOAK))
	    while [ \$(now) -lt \$end ]; do
	    dvwork pingpong 500; dvwork mutex 300 4; dvwork hog 1 5 & dvwork prio 40; dvwork locks 5
	    dvwork preempt 50; dvwork deadline 24; dvwork forkexec 10; dvwork sleep 50 2
	    [ $(ncpus) = 1 ] || dvwork migrate 20; wait; done" $((SOAK + 600)) >/dev/null || return 1
	trace_stop || return 1
	unset DV_SECONDS
	no_drops || return 1
	lengths_are_true $((SOAK * 5)) $((SOAK * 50)) && tail -n 4 "$tmp/trace.out"
}

# Threads of a group that has used up its quota wait for time: they are on no queue,
# or stay on theirs, as the kernel does it; but on one, once. They do not sleep.
test_throttled_groups()
{
	guest_run g 'mkdir -p /tmp/cg; mount -t cgroup2 none /tmp/cg &&
	    echo +cpu >/tmp/cg/cgroup.subtree_control && mkdir /tmp/cg/g &&
	    echo "4000 20000" >/tmp/cg/g/cpu.max' >/dev/null ||
	    { skip "no quota of CPU time in this guest"; return; }
	trace_start -x dynvarsize=16m -qn "$keep_lengths"' sched:::sleep /execname == "dvwork"/ {
	    @s[curthread->tgid == curthread->pid] = count(); } END { printa("sleep %d %@d\n", @s); }' ||
	    return 1
	guest_run g '(sh -c "echo \$\$ >/tmp/cg/g/cgroup.procs
	    exec dvwork hog 2 3"); cat /tmp/cg/g/cpu.stat; rmdir /tmp/cg/g; umount /tmp/cg' >"$tmp/stat"
	trace_stop || return 1
	no_drops || return 1
	[ "$(sed -n 's/^nr_throttled //p' "$tmp/stat" | tr -d '\r')" -gt 10 ] ||
	    { cat "$tmp/stat"; fail "the group was not throttled"; return; }
	awk '$1 == "sleep" && $2 == 0 { n += $3 } END { exit n > 30 }' "$tmp/trace.out" ||
	    { cat "$tmp/trace.out"; fail "threads that compute have slept"; return; }
	# Older kernels take the group's queue away, and leave the threads on it.
	guest_run g 'grep -q " throttle_cfs_rq_work$" /proc/kallsyms' >/dev/null ||
	    sed -i 's/^idle [0-9]*/idle 0/' "$tmp/trace.out"
	lengths_are_true 20 50
}

# Threads of each class come to the queue of their class.
test_all_classes_are_enqueued()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    sched:::enqueue { @e[probefunc, args[0]->pr_clname, stringof(args[1]->pr_fname)] = count(); }
	    sched:::on-cpu /curlwpsinfo->pr_flag & PR_IDLE/ { @i = count(); }
	    END { printa("%s %s %s %@d\n", @e); printa("idle - - %@d\n", @i); }' || return 1
	guest_run g "dvwork preempt 30; dvwork deadline 20; dvwork prio 40; dvwork sleep 5 2
	    [ $(ncpus) = 1 ] || dvwork migrate 20" >/dev/null || return 1
	trace_stop || return 1
	awk -v cpus="$(ncpus)" '{ n[$1, $2] += $NF; if ($3 ~ /^dv/) k[$1, $3] += $NF
		if ($1 == "enqueue_task_stop" && $3 ~ /^migration/) stop += $NF }
	    END { exit !(n["enqueue_task_fair", "TS"] > 10 && k["enqueue_task_rt", "dvfifo"] >= 29 &&
		k["enqueue_task_dl", "dvdeadline"] >= 10 && n["enqueue_task_dl", "TS"] == 0 &&
		n["enqueue_task_dl", "DLN"] >= k["enqueue_task_dl", "dvdeadline"] &&
		n["enqueue_task_fair", "DLN"] == 0 && n["idle", "-"] > 10 &&
		(cpus == 1 || stop > 0)) }' \
	    "$tmp/trace.out" || { cat "$tmp/trace.out"; fail "functions, classes, threads: see above"; }
}

# The longest queue of a CPU, with those that wait in it: a speculation that is
# begun at each new length is committed when the last of them has left. The
# threads are known: they compute on one CPU, and all but one wait.
test_who_is_queued()
{
	who_is_queued
}

who_is_queued()
{
	trace_start -x nspec=4 -x specsize=100k -qn 'BEGIN { printf("ready\n"); }
	    int most, spec[int], len[int]; uint64_t since[int], in[uintptr_t];
	    sched:::enqueue { this->n = ++len[this->c = args[2]->cpu_id];
		in[args[0]->pr_addr] = timestamp; }
	    sched:::enqueue /this->n > most && spec[this->c]/ {
		discard(spec[this->c]); spec[this->c] = 0; }
	    sched:::enqueue /this->n > most/ { most = this->n; since[this->c] = timestamp;
		this->s = spec[this->c] = speculation(); speculate(this->s);
		printf("longest %d\n", this->n); }
	    sched:::dequeue /spec[args[2]->cpu_id] && in[args[0]->pr_addr] &&
		in[args[0]->pr_addr] <= since[args[2]->cpu_id]/ {
		speculate(spec[args[2]->cpu_id]);
		printf("waits %d %s\n", args[0]->pr_lwpid, stringof(args[1]->pr_fname)); }
	    sched:::dequeue { in[args[0]->pr_addr] = 0; }
	    sched:::dequeue /len[args[2]->cpu_id]/ { this->n = --len[this->c = args[2]->cpu_id];
		this->last = 1; }
	    sched:::dequeue /this->last && this->n == 0 && spec[this->c]/ {
		commit(spec[this->c]); spec[this->c] = 0; }' || return 1
	guest_run g 'dvwork -p 0 hog 2 6' >/dev/null || return 1
	sleep 1
	trace_stop || return 1
	awk '$1 == "longest" { n = $2; delete seen; k = hogs = twice = 0 }
	    $1 == "waits" && n > k { k++; if ($2 in seen) twice++; seen[$2] = 1; hogs += $3 == "dvwork" }
	    END { exit !(n >= 5 && k == n && hogs >= 5 && !twice) }' "$tmp/trace.out" ||
	    { cat "$tmp/trace.out"; fail "the longest queue and who waits in it: see above"; }
}
