# SPDX-License-Identifier: GPL-2.0-or-later
# Threads that a guest has made to mislead who looks at them.
. "$DVISOR_SRC/tests/guest/t/lib.sh.inc"

# A name of control characters and arguments without end: what is printed has no
# control characters, and is short.
test_names_and_arguments_are_escaped()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    sched:::off-cpu /execname != "sh" && strstr(execname, "31m") != NULL/ {
		printf("name %s|%s|\n", execname, curpsinfo->pr_psargs); @[execname] = count(); }
	    sched:::wakeup /strstr(stringof(args[1]->pr_fname), "31m") != NULL/ {
		printf("woken %s|\n", stringof(args[1]->pr_fname)); }' || return 1
	guest_run g 'cd /tmp; n=$(printf "\033[31mX\007\nY\rabcdefghi")
	    cp /bin/dvwork "./$n" && "./$n" sleep 5 2 && (exec -a "$(head -c 100000 /dev/zero |
	    tr "\0" "\033")" "./$n" sleep 5 2); "./$n" sleep 5 \
	    0000000000000000000000000000000000000000000000000000000000000000000000000000000000002
	    rm -f "./$n"' >/dev/null
	trace_stop || return 1
	grep -q '^name .*31mX' "$tmp/trace.out" && grep -q '^woken .*31mX' "$tmp/trace.out" ||
	    { head "$tmp/trace.out"; fail "the thread was not seen"; return; }
	! LC_ALL=C grep -q '[[:cntrl:]]' "$tmp/trace.out" || fail "control characters came out" || return 1
	awk 'length($0) > 600 { exit 1 }' "$tmp/trace.out" || fail "a line without end"
}

# What is no task_struct, looked at as one: each such clause fails alone, with an
# error, or says something; tracing goes on, and so does the guest.
test_wild_pointers_are_errors()
{
	DV_SECONDS=60 dv -qn 'int n; sched:::on-cpu /n < 40/ {
		this->t = n % 5 == 0 ? 0xdead000000000100 : n % 5 == 1 ? 0x1000 :
		    n % 5 == 2 ? 0xffffffffffffffc0 : n % 5 == 3 ? 0xffff800000000000 :
		    (uint64_t)curthread + 0x7; n++;
		printf("%d %d %d\n", xlate <lwpsinfo_t *> ((struct task_struct *)this->t)->pr_state,
		    xlate <psinfo_t *> ((struct task_struct *)this->t)->pr_ppid,
		    xlate <lwpsinfo_t *> ((struct task_struct *)this->t)->pr_onpro); }
	    ERROR { @e[arg4] = count(); @all = count(); }
	    sched:::on-cpu /n >= 40/ { exit(0); }
	    END { printa("errors %@d\n", @all); }' >"$tmp/out" 2>"$tmp/err" ||
	    { tail -c 250 "$tmp/err"; fail "the trace ended"; return; }
	err=$(sed -n 's/^errors //p' "$tmp/out")
	[ "${err:-0}" -ge 32 ] || { cat "$tmp/out"; fail "${err:-no} errors of 32"; } || return 1
	guest_run g true
}
