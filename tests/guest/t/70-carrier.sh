# SPDX-License-Identifier: GPL-2.0-or-later
# 70-carrier.sh - what the plugin in QEMU promises, asked at its socket.

# probe REQUEST...: chan_probe on the guest's socket.
probe()
{
	probe_bin=$(guest_tool chan_probe -iquote "$DVISOR_SRC" -iquote "$DVISOR_SRC/cli" \
	    -iquote "$DVISOR_SRC/hv" -iquote "$DVISOR_SRC/hv/abi" -iquote "$DVISOR_SRC/hv/core" \
	    "$DVISOR_BUILD/obj/cli/chan_ctl.o" "$DVISOR_BUILD/obj/cli/chan_tcg.o" "$DVISOR_BUILD/libdvbase.a") || return 1
	if [ "$(id -u)" = 0 ]; then probe_run=/run; else probe_run=$XDG_RUNTIME_DIR; fi
	timeout -k 1 60 "$probe_bin" "$probe_run/dvisor/${probe_vm:-$vm}.sock" "$@"
}

test_malformed_messages_end_their_connection()
{
	probe junk && probe info >/dev/null
}

test_hundred_clients()
{
	probe times 100
}

# holding REQUEST N: keeps connections open, until let_go.
holding()
{
	: >"$tmp/held"		# not the last one's word
	probe "$@" >"$tmp/held" 2>/dev/null &
	holder=$!
	left=$((200 * patience))
	until grep -q held "$tmp/held" || [ $left = 0 ]; do sleep 0.1; left=$((left - 1)); done
	[ $left != 0 ] || fail "chan_probe $* does not come so far"
}

let_go()
{
	kill $(pgrep -P $holder) $holder 2>/dev/null
	wait $holder 2>/dev/null
}

test_too_many_tracers_are_no_dead_guest()
{
	holding hold 16 || return 1
	timeout $((20 * patience)) "$dvisor" vms >"$tmp/vms"
	dv -n 'syscall:::entry' >/dev/null 2>"$tmp/err"
	rc=$?
	let_go
	same status $rc 1 && grep -q 'busy: .*too many tracers' "$tmp/err" &&
	    grep -q "^$vm .*busy: .*too many tracers" "$tmp/vms" ||
	    fail "$(cat "$tmp/err" "$tmp/vms")" || return 1
	dv -qn 'BEGIN { exit(5); } syscall:::entry { @ = count(); }' >/dev/null
	same afterwards $? 5
}

# They keep nobody out, or not for long: no place is for who does nothing.
test_silent_clients_give_way()
{
	holding silent 20 || return 1
	left=$((40 * patience))
	until dv -qn 'BEGIN { exit(5); } syscall:::entry { @ = count(); }' >/dev/null 2>"$tmp/err" ||
	    [ $? = 5 ] || [ $left = 0 ]; do sleep 0.5; left=$((left - 1)); done
	kill -0 $holder 2>/dev/null || fail "they were not there to the end"
	rc=$?
	let_go
	[ $rc = 0 ] && [ $left != 0 ] || fail "$(cat "$tmp/err")"
}

# An unused machine is enough: the map is there before the first instruction.
ram_of()			# MACHINE MEMORY
{
	"${QEMU:-qemu-system-x86_64}" -M "$1" -m "$2" -accel tcg -S -display none \
	    -nodefaults -monitor none -plugin "$plugin,name=$probe_vm" >"$tmp/qemu.log" 2>&1 &
	ram_pid=$!
	ram_left=50
	until probe info 2>/dev/null | grep -q '^ram [1-9]'; do
		ram_left=$((ram_left - 1))
		[ $ram_left -gt 0 ] || { cat "$tmp/qemu.log" >&2; break; }
		sleep 0.1
	done
	ram_map=
	# inside and outside of: low RAM, below and above 4G
	for ram_at in 0 0x9f000 0xfee00000 0x7ffff000 0x80000000 0xbffff000 0xc0000000 \
	    0x100000000 0x1bffff000 0x1c0000000 0x1fffff000 0x200000000; do
		if probe read $ram_at 8 >/dev/null 2>&1; then ram_map="$ram_map +"
		else ram_map="$ram_map -"; fi
	done
	kill $ram_pid
	wait $ram_pid 2>/dev/null
	echo "$ram_map" | tr -d ' '
}

test_ram_table_has_the_holes_of_the_machine()
{
	probe_vm=ram-$$
	same "pc 512M" "$(ram_of pc 512)" '++----------' &&
	same "pc 6G" "$(ram_of pc 6G)" '++-+++-++---' &&
	same "q35 512M" "$(ram_of q35 512)" '++----------' &&
	same "q35 6G" "$(ram_of q35 6G)" '++-+---++++-' &&
	same "microvm 512M" "$(ram_of microvm 512)" '++----------' &&
	same "microvm 6G" "$(ram_of microvm 6G)" '++-+++-++---'
	ram_status=$?
	unset probe_vm
	return $ram_status
}

test_paused_guest_can_be_attached()
{
	qmp "$(guest_dir g)/qmp" stop || return 1
	n=$(dv -qn 'BEGIN { printf("%s\n", execname); exit(0); } syscall:::entry { @ = count(); }' | head -n 1)
	probe info | grep -q '^state.* paused' || fail "the guest is not paused"
	"$dvisor" vms >"$tmp/vms"
	qmp "$(guest_dir g)/qmp" cont || return 1
	grep -q "^$vm .* tcg  *paused " "$tmp/vms" || fail "$(cat "$tmp/vms")" || return 1
	"$dvisor" vms | grep -q "^$vm .* tcg  *running " || fail "vms: it runs again" || return 1
	same "execname in BEGIN" "$n" swapper/0 &&
	guest_run g true
}

# A program is armed on the kernel that it was made for, or not at all.
test_go_is_for_one_generation()
{
	go_now=$(probe info | sed -n 's/^generation //p')
	probe load go "$go_now" || return 1
	probe load go 0 || return 1
	! probe load go $((go_now + 1)) 2>"$tmp/go" || fail "GO was not refused" || return 1
	grep -q 'reset or started another kernel' "$tmp/go" || fail "it said: $(cat "$tmp/go")"
}

# A held guest goes when the command that loaded a program dies before GO; not
# when one dies that only looked.
test_a_held_guest_is_not_forgotten()
{
	held=$vm vm=held-$$
	guest_launch h default -plugin "$plugin,name=$vm,hold=on" || return 1
	held_left=300
	until probe wait 1 1000 2>/dev/null; do
		held_left=$((held_left - 1))
		[ $held_left -gt 0 ] && guest_alive h || break
		sleep 0.1
	done
	held_status=0
	probe times 3
	probe info | grep -q '^state.* held' || held_status=1
	probe load
	probe info | grep -q '^state.* held' && held_status=2
	guest_stop h
	vm=$held
	same "held and let go" $held_status 0
}

test_a_name_is_used_once()
{
	! "${QEMU:-qemu-system-x86_64}" -M pc -m 64 -accel tcg -S -display none -nodefaults \
	    -monitor none -plugin "$plugin,name=$vm" >"$tmp/second" 2>&1 || return 1
	grep -q "^dvisor-tcg: another guest uses the name: .*$vm.sock is in use" "$tmp/second" ||
	    fail "it said: $(cat "$tmp/second")"
}

# Without what QEMU exports beside its plugin interface.
test_plugin_interface_alone_is_enough()
{
	guest_start p "$series" -plugin "$plugin,name=plain-$$,internals=off" || return 1
	plain=$vm vm=plain-$$
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork"/ { n++; } END { printf("n=%d\n", n); }'
	plain_status=$?
	if [ $plain_status = 0 ]; then
		want=$(guest_run p 'dvwork syscalls 100')
		trace_stop
		cat "$tmp/trace.out" "$tmp/trace.err" >&2
		same getppid "$(sed -n 's/^n=//p' "$tmp/trace.out")" \
		    "$(guest_count "$want" getppid)"
		plain_status=$?
	fi
	# what is not possible there is refused, by name
	for act in 'copyout(probename, 0, 1)' 'breakpoint()'; do
		! dv -wqn "BEGIN { $act; exit(0); }" 2>"$tmp/act" &&
		grep -q "${act%%(*}() is not possible: it needs a QEMU that exports" "$tmp/act" ||
		    { cat "$tmp/act" >&2; plain_status=1; }
	done
	vm=$plain
	guest_stop p
	return $plain_status
}
