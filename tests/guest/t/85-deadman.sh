# SPDX-License-Identifier: GPL-2.0-or-later
# 85-deadman.sh - a trace under which the guest does nothing else.
. "$DVISOR_SRC/tests/guest/t/lib.sh.inc"

# Each function of the kernel costs some ten milliseconds, so that one tick of a
# guest's clock takes seconds. The trace is ended, what it recorded is printed,
# and the guest goes on as if nothing had been.
test_trace_that_starves_its_guest_is_ended()
{
	clause='this->n = 0;' clauses=
	for i in 1 2 3 4 5 6 7 8 9 10; do
		clause="$clause this->n += index(text, word);"
	done
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		clauses="$clauses fbt:::entry { $clause }"
	done
	guest_run g 'dvwork hog 600 >/dev/null 2>&1 & echo $! >/hog' || return 1
	DV_SECONDS=300 dv -qx strsize=8k -n 'BEGIN {
		word = "aaaaaaaaaaaaaaaa";
		word = strjoin(word, word); word = strjoin(word, word);
		word = strjoin(word, word); word = strjoin(word, word);
		word = strjoin(word, word); word = strjoin(word, word);
		text = strjoin(word, word); text = strjoin(text, text);
		text = strjoin(text, strjoin(word, strjoin(word, word)));
		word = strjoin(word, "b"); }
	    '"$clauses"' fbt:::entry { @ = count(); }
	    END { printa("hits %@d\n", @); }' >"$tmp/out" 2>"$tmp/err"
	status=$?
	guest_run g 'kill $(cat /hog); rm /hog' || return 1
	same status $status 1 &&
	grep -q '^dvisor: processing aborted: Abort due to systemic unresponsiveness$' "$tmp/err" ||
	    { fail "$(cat "$tmp/err")"; return 1; }
	grep -q '^hits [1-9]' "$tmp/out" || fail "END: $(cat "$tmp/out")" || return 1
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork"/ { @ = count(); }
	    END { printa("hits %@d\n", @); }' || return 1
	guest_run g 'dvwork syscalls 100' >"$tmp/did" || return 1
	trace_stop || return 1
	grep -q 'getppid=100 ' "$tmp/did" && same hits "$(last "$tmp/trace.out")" 'hits 100'
}
