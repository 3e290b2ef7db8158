# SPDX-License-Identifier: GPL-2.0-or-later
# What threads sleep on that went to sleep before anybody looked.
. "$DVISOR_SRC/tests/guest/t/lib.sh.inc"

# asleep_start, asleep_end: a thread sleeps on an object of each kind, until the end;
# $tmp/asleep has the addresses of the futexes.
asleep_start()
{
	guest_run g 'rm -f /tmp/asleep; dvwork asleep >/tmp/asleep & i=0
	    until grep -q ^asleep /tmp/asleep || [ $i -gt 300 ]; do i=$((i+1)); usleep 100000; done
	    cat /tmp/asleep' >"$tmp/asleep" || return 1
	grep -q '^asleep: ' "$tmp/asleep" || fail "they do not sleep"
}

asleep_end()
{
	guest_run g 'touch /tmp/dvwork.go; i=0
	    until grep -q ^woken /tmp/asleep || [ $i -gt 300 ]; do i=$((i+1)); usleep 100000; done
	    grep ^woken /tmp/asleep' >"$tmp/woken" || fail "they do not wake"
}

# They are woken after tracing has begun: on what they have slept is told of each,
# with its address (poll() has none in most kernels). Two wait for one lock, and have
# the same. Then they sleep on a
# timer, and that is no lock.
test_sleepers_from_before()
{
	asleep_start || return 1
	trace_start -x switchrate=10hz -qn 'BEGIN { printf("ready\n"); } char seen[int];
	    sched:::wakeup /strstr(stringof(args[1]->pr_fname), "dv-") != NULL && !seen[args[0]->pr_lwpid]/ {
		printf("woken %s %d 0x%x\n", stringof(args[1]->pr_fname), args[0]->pr_stype,
		    args[0]->pr_wchan); }
	    sched:::wakeup { seen[args[0]->pr_lwpid] = 1; }
	    syscall::nanosleep:entry, syscall::clock_nanosleep:entry
	    /strstr(execname, "dv-") != NULL/ { self->timer = 1; }
	    sched:::off-cpu /self->timer && curlwpsinfo->pr_state == SSLEEP/ {
		printf("timer %s %d\n", execname, curlwpsinfo->pr_stype); self->timer = 0; }' || {
		asleep_end; return 1; }
	asleep_end || return 1
	trace_stop || return 1
	no_drops || return 1
	user=$(sed -n 's/.* user=\(0x[0-9a-f]*\).*/\1/p' "$tmp/asleep")
	pi=$(sed -n 's/.* pi=\(0x[0-9a-f]*\).*/\1/p' "$tmp/asleep")
	awk -v user="$user" -v pi="$pi" '
	    BEGIN { split("dv-mutex 1 dv-write 2 dv-dirw 2 dv-dirr 2 dv-user 5 dv-pi 6 dv-pipe 3 dv-poll 3", w)
		for (i = 1; i in w; i += 2) want[w[i]] = w[i + 1] }
	    $1 == "woken" { if (!($2 in want) || $3 != want[$2]) { bad++; print "type of", $0 }
		if ($4 == "0x0" && $2 != "dv-poll") { bad++; print "no object of", $2 }
		at[$2] = "at " $4; n++ }	# text: as numbers, near ones are equal
	    $1 == "timer" { t++; if ($3 != 3) { bad++; print "then", $0 } }
	    END { if (at["dv-user"] != "at " user || at["dv-pi"] != "at " pi || at["dv-dirw"] != at["dv-dirr"] ||
		at["dv-mutex"] == at["dv-write"] || at["dv-write"] == at["dv-dirw"]) {
		    bad++; print "objects" }
		print n, t; exit !(n == 8 && t > 0 && !bad) }' "$tmp/trace.out" >"$tmp/said" || {
		cat "$tmp/said" "$tmp/asleep" "$tmp/trace.out"; fail "sleepers from before: see above"; }
}

# The same threads, seen as they go to sleep: a lock to read and one to write, among
# others; off their CPU and as they are woken it is the same.
test_sleepers_of_each_kind()
{
	trace_start -x switchrate=10hz -qn 'BEGIN { printf("ready\n"); } char type[int]; uint64_t at[int];
	    syscall::write:entry, syscall::pwrite64:entry, syscall::mkdir:entry,
	    syscall::getdents64:entry, syscall::futex:entry, syscall::read:entry, syscall::poll:entry
	    /strstr(execname, "dv-") != NULL/ { self->in = 1; }
	    syscall:::return { self->in = 0; }
	    sched:::off-cpu /self->in && curlwpsinfo->pr_state == SSLEEP/ {
		type[tid] = curlwpsinfo->pr_stype; at[tid] = curlwpsinfo->pr_wchan; self->in = 0; }
	    sched:::wakeup /type[args[0]->pr_lwpid] != 0/ {
		printf("%s %d %d %d\n", stringof(args[1]->pr_fname), type[args[0]->pr_lwpid],
		    type[args[0]->pr_lwpid] == args[0]->pr_stype,
		    at[args[0]->pr_lwpid] == args[0]->pr_wchan); type[args[0]->pr_lwpid] = 0; }' || return 1
	asleep_start || return 1
	asleep_end || return 1
	trace_stop || return 1
	no_drops || return 1
	grep '^dv-' "$tmp/trace.out" | sort >"$tmp/got"
	printf '%s 1 1\n' 'dv-dirr 2' 'dv-dirw 2' 'dv-mutex 1' 'dv-pi 6' 'dv-pipe 3' 'dv-poll 3' \
	    'dv-user 5' 'dv-write 2' >"$tmp/want"
	diff "$tmp/want" "$tmp/got" || fail "thread, type, same type and object for the waker: see above"
}

# Two traces that begin one after the other while nobody wakes: both know.
test_sleepers_from_before_again()
{
	asleep_start || return 1
	for i in 1 2 3; do
		dv -qn 'BEGIN { this->n = 0; printf("begun\n"); exit(0); }
		    sched:::off-cpu { @[curlwpsinfo->pr_stype] = count(); }' >"$tmp/out" || {
			asleep_end; return 1; }
	done
	trace_start -qn 'BEGIN { printf("ready\n"); } char seen[int];
	    sched:::wakeup /strstr(stringof(args[1]->pr_fname), "dv-") != NULL && !seen[args[0]->pr_lwpid]/ {
		@[args[0]->pr_stype] = count(); }
	    sched:::wakeup { seen[args[0]->pr_lwpid] = 1; }
	    END { printa("%d %@d\n", @); }' || { asleep_end; return 1; }
	asleep_end || return 1
	trace_stop || return 1
	grep -E '^[0-9]' "$tmp/trace.out" | sort -n | tr '\n' ' ' >"$tmp/got"
	same "types and how many" "$(cat "$tmp/got")" "1 1 2 3 3 2 5 1 6 1 "
}

# Threads that sleep, wake and sleep on other things while traces begin: what a
# sleeper is in says what it can sleep on. A thread in nanosleep() never sleeps on a
# lock. One in futex() does, unless it has gone to sleep between the look at all
# threads and the start; then it is not known, for once.
test_no_stale_sleepers()
{
	guest_run g 'rm -f /tmp/enough; (until [ -e /tmp/enough ]; do
	    dvwork mutex 300 4; dvwork locks 3; dvwork sleep 20 2; done) >/dev/null 2>&1 &' || return 1
	: >"$tmp/all"
	for i in 1 2 3 4 5 6 7 8 9 10; do
		dv -qn 'int n; sched:::wakeup /stringof(args[1]->pr_fname) == "dvwork"/ {
			@[args[0]->pr_syscall, args[0]->pr_stype] = count(); n++; }
		    sched:::wakeup /n > 300/ { exit(0); } tick-3s { exit(0); }
		    END { printa("%d %d %@d\n", @); }' >>"$tmp/all" || {
			guest_run g 'touch /tmp/enough; wait'; return 1; }
	done
	guest_run g 'touch /tmp/enough; wait' || return 1
	awk '$1 == 202 { if ($2 == 5 || $2 == 6) f += $3; else if ($2 == 3) late += $3
		else if ($2 != 1 && $2 != 2) { bad++; print } }
	    ($1 == 35 || $1 == 230) && $2 != 3 { bad++; print }
	    END { print f + 0, late + 0; exit !(f > 0 && !bad) }' "$tmp/all" >"$tmp/said" || {
		cat "$tmp/said" "$tmp/all"; fail "call, type, number: see above"; }
}
