# SPDX-License-Identifier: GPL-2.0-or-later
# 05-module.sh - the module comes and goes beside a running guest, which never
# notices, and its text is as it was.

. "$DVISOR_SRC/tests/kvm/t/lib.sh.inc"

# Loaded and unused, it hooks nothing; it can be unloaded and loaded again.
test_a_module_that_is_idle()
{
	same "hooks" "$(hooks)" 0 &&
	unload && ! is_loaded && load && is_loaded &&
	same "hooks" "$(hooks)" 0 &&
	guest_run g 'dvwork syscalls 10' >/dev/null &&
	ls -l /dev/dvisor | grep -q '^crw-rw----' || fail "$(ls -l /dev/dvisor)"
}

# many_probes: a trace that plants thousands of bytes.
many_probes()
{
	trace_start -qn 'BEGIN { printf("ready\n"); } fbt:vmlinux:*read*:entry { n++; }
	    syscall:::entry, syscall:::return { @ = count(); } END { printf("n %d\n", n); }'
}

# It differs while it is traced, or the comparison proves nothing.
test_text_is_as_it_was()
{
	text_save "$tmp/text" || return 1
	many_probes || return 1
	guest_run g 'dvwork syscalls 20' >/dev/null || return 1
	text_save "$tmp/traced" || return 1
	n=$(cmp -l "$tmp/text" "$tmp/traced" | awk '$3 == 314' | wc -l)
	[ "$n" -gt 100 ] && [ "$n" = "$(cmp -l "$tmp/text" "$tmp/traced" | wc -l)" ] ||
	    fail "$n bytes are traps, $(cmp -l "$tmp/text" "$tmp/traced" | wc -l) differ" || return 1
	trace_stop || return 1
	text_same "$tmp/text" && same "hooks" "$(hooks)" 0
}

# SIGKILL gives the command no time to tidy up.
test_a_killed_command_leaves_the_text_as_it_was()
{
	text_save "$tmp/text" || return 1
	many_probes || return 1
	guest_run g 'dvwork syscalls 20' >/dev/null || return 1
	dv_kill
	wait_until 10 text_same "$tmp/text" >/dev/null 2>&1
	text_same "$tmp/text" && guest_run g 'dvwork forkexec 3' >/dev/null &&
	wait_until 10 rmmod dvisor 2>/dev/null
	! is_loaded || fail "it cannot be unloaded: $(grep dvisor /proc/modules)" || return 1
	text_same "$tmp/text" && load
}

# Loaded, traced, unloaded, as an operator does; in use it cannot be unloaded.
test_unload_while_tracing()
{
	text_save "$tmp/text" || return 1
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork"/ { n++; } END { printf("n %d\n", n); }' || return 1
	line=$(guest_run g 'dvwork syscalls 50') || return 1
	! rmmod dvisor 2>/dev/null || fail "it was unloaded while tracing" || return 1
	line2=$(guest_run g 'dvwork syscalls 70') || return 1
	trace_stop || return 1
	no_drops || return 1
	same getppid "$(sed -n 's/^n //p' "$tmp/trace.out")" \
	    $(($(guest_count "$line" getppid) + $(guest_count "$line2" getppid))) || return 1
	unload && text_same "$tmp/text" && guest_run g 'dvwork syscalls 5' >/dev/null && load
}
