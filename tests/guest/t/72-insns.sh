# SPDX-License-Identifier: GPL-2.0-or-later
# 72-insns.sh - what traps of the kvm carrier would displace in these kernels, and
# what they must leave alone.

# insns ARGUMENT...: insn_count on the guest's socket.
insns()
{
	insn_bin=$DVISOR_BUILD/obj/tests/guest/insn_count
	mkdir -p "${insn_bin%/*}" && (
		cd "$DVISOR_BUILD" &&
		# shellcheck disable=SC2046
		${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -pthread -iquote "$DVISOR_SRC" \
		    -iquote "$DVISOR_SRC/cli" -iquote "$DVISOR_SRC/hv" \
		    -iquote "$DVISOR_SRC/hv/base" -iquote "$DVISOR_SRC/hv/abi" \
		    -iquote "$DVISOR_SRC/hv/core" -iquote "$DVISOR_SRC/hv/plat" \
		    -iquote "$DVISOR_SRC/hv/plat/user" \
		    -o "$insn_bin" "$DVISOR_SRC/tests/guest/insn_count.c" \
		    "$DVISOR_SRC/hv/kvm/insn.c" obj/cli/chan_ctl.o obj/cli/chan_tcg.o libgi.a libdvbase.a \
		    $(sed -n 's/^ELF_LIBS = //p; s/^CAPSTONE_LIBS = //p' config.mk)
	) || return 1
	if [ "$(id -u)" = 0 ]; then insn_run=/run; else insn_run=$XDG_RUNTIME_DIR; fi
	timeout -k 1 120 "$insn_bin" "$insn_run/dvisor/$vm.sock" "$@"
}

# The kernels are the same under KVM; only the tcg carrier has a socket to ask.
under_kvm()
{
	[ "$carrier" = kvm ] || return 1
	skip "told by the tcg carrier"
}

test_nearly_all_displaced_instructions_are_our_own()
{
	under_kvm && return
	insns fbt syscall sched proc >"$tmp/insns" || return 1
	cat "$tmp/insns"
	awk '
	$1 == "sites" { sites = $2 }
	$1 == "own" { own = $2 }
	$1 == "kvm" { rest += $2 }
	$1 == "none" { rest += $2 + 0 }
	END { exit !(sites > 10000 && own + rest == sites && own > 0.99 * sites) }' \
	    "$tmp/insns" || fail "fewer than 99 % are our own: $(tr '\n' ';' <"$tmp/insns")"
}

# All that the guest can be made to change in its text is nobody's trap.
test_what_the_guest_patches_gets_no_trap()
{
	under_kvm && return
	insns -save "$tmp/text" fbt syscall sched proc || return 1
	guest_run g 'echo 1 >/proc/sys/kernel/sched_schedstats; echo 1 >/proc/sys/kernel/task_delayacct
	    cd /sys/kernel/tracing && echo 0 >tracing_on && echo 1 >events/enable &&
	    echo "vfs_*" >set_ftrace_filter && echo function >current_tracer' \
	    >/dev/null 2>&1
	insns -check "$tmp/text" >"$tmp/then"
	insns_rc=$?
	guest_run g 'cd /sys/kernel/tracing && echo nop >current_tracer; echo >set_ftrace_filter
	    echo 0 >events/enable; echo 1 >tracing_on; echo >trace; echo 0 >/proc/sys/kernel/sched_schedstats
	    echo 0 >/proc/sys/kernel/task_delayacct' >/dev/null 2>&1
	[ $insns_rc = 0 ] || return 1
	cat "$tmp/then"
	awk '$1 == "changed" { changed = $2 } $1 == "traps" { traps = $2 } $1 == "sites" { sites = $2 }
	END { exit !(changed > 1000 && sites > 0 && traps == 0) }' "$tmp/then" ||
	    fail "$(tr '\n' ' ' <"$tmp/then")"
}
