# SPDX-License-Identifier: GPL-2.0-or-later
# 08-device.sh - /dev/dvisor: who may open it, and what those may try who mean no good.

. "$DVISOR_SRC/tests/kvm/t/lib.sh.inc"

test_only_root_and_its_group_may_trace()
{
	su user -c "$dvisor --vm $vm -n 'BEGIN { exit(0); }'" >"$tmp/out" 2>&1
	same status $? 1 && same lines "$(wc -l <"$tmp/out")" 1 || { cat "$tmp/out"; return 1; }
	su user -c 'exec 3<>/dev/dvisor' 2>"$tmp/out" && fail "anybody may open the device" || return 0
}

# says FILE TEXT: a command that failed has said it in its only line.
says()
{
	same lines "$(grep -c . "$1")" 1 && grep -q "$2" "$1" || fail "it said: $(cat "$1")"
}

# Without the module the command says so, and what to do.
test_a_missing_module_is_explained()
{
	installed=/lib/modules/$(uname -r)
	unload || return 1
	dv -n 'BEGIN { exit(0); }' >"$tmp/none" 2>&1
	none=$?
	# as depmod leaves it
	mkdir -p "$installed/updates" && touch "$installed/modules.dep" &&
	cp "$module" "$installed/updates/dvisor.ko" && cp "$installed/modules.dep" "$tmp/dep" &&
	echo updates/dvisor.ko: >>"$installed/modules.dep"
	dv -n 'BEGIN { exit(0); }' >"$tmp/idle" 2>&1
	idle=$?
	cp "$tmp/dep" "$installed/modules.dep"
	rm "$installed/updates/dvisor.ko"
	load || return 1
	same statuses "$none $idle" "1 1" && says "$tmp/none" 'not installed for kernel' &&
	says "$tmp/idle" 'modprobe dvisor'
}

# While four threads send it anything, somebody else's trace is exact; the host's log
# is looked at when all tests are done.
test_a_hostile_user_of_the_device()
{
	text_save "$tmp/text" || return 1
	DV_CAPTURE=$tmp/blob LD_PRELOAD=$DVISOR_BUILD/obj/tests/kvm/capture.so dv -qn 'BEGIN { exit(0); }
	    syscall::read:entry { @[execname, arg0] = quantize(arg2); self->t = timestamp; }
	    syscall::read:return /self->t/ { printf("%d %s", arg0, probefunc); self->t = 0; }
	    tick-1s { n++; }' >/dev/null || return 1
	[ -s "$tmp/blob" ] || fail "no program was captured" || return 1
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork"/ { n++; } END { printf("n %d\n", n); }' || return 1
	"$DVISOR_BUILD/obj/tests/kvm/hostile" "$(guest_pid g)" "${HOSTILE_ROUNDS:-20000}" \
	    "${HOSTILE_SEED:-1}" "$tmp/blob" >"$tmp/hostile" 2>&1 &
	hostile=$!
	want=0
	while kill -0 $hostile 2>/dev/null; do
		line=$(guest_run g 'dvwork syscalls 20') || { wait $hostile; return 1; }
		want=$((want + $(guest_count "$line" getppid)))
	done
	wait $hostile || fail "$(cat "$tmp/hostile")" || return 1
	trace_stop || return 1
	cat "$tmp/hostile"
	[ "$(guest_count "$(cat "$tmp/hostile")" loads)" -gt 0 ] || fail "no changed program was loaded" || return 1
	no_drops && same getppid "$(sed -n 's/^n //p' "$tmp/trace.out")" $want || return 1
	wait_until 20 text_same "$tmp/text" >/dev/null 2>&1
	text_same "$tmp/text" && unload && load
}
