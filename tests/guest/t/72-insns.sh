# SPDX-License-Identifier: GPL-2.0-or-later
# 72-insns.sh - instructions that traps of the kvm carrier would displace here.

test_nearly_all_displaced_instructions_are_our_own()
{
	insn_bin=$DVISOR_BUILD/obj/tests/guest/insn_count
	mkdir -p "${insn_bin%/*}" && (
		cd "$DVISOR_BUILD" &&
		# shellcheck disable=SC2046
		${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -iquote "$DVISOR_SRC" \
		    -iquote "$DVISOR_SRC/cli" -iquote "$DVISOR_SRC/hv" \
		    -iquote "$DVISOR_SRC/hv/base" -iquote "$DVISOR_SRC/hv/abi" \
		    -iquote "$DVISOR_SRC/hv/core" -iquote "$DVISOR_SRC/hv/plat" \
		    -iquote "$DVISOR_SRC/hv/plat/user" \
		    -o "$insn_bin" "$DVISOR_SRC/tests/guest/insn_count.c" \
		    "$DVISOR_SRC/hv/kvm/insn.c" obj/cli/chan_ctl.o obj/cli/chan_tcg.o libgi.a libdvbase.a \
		    $(sed -n 's/^ELF_LIBS = //p; s/^CAPSTONE_LIBS = //p' config.mk)
	) || return 1
	if [ "$(id -u)" = 0 ]; then insn_run=/run; else insn_run=$XDG_RUNTIME_DIR; fi
	timeout -k 1 120 "$insn_bin" "$insn_run/dvisor/$vm.sock" fbt syscall sched proc \
	    >"$tmp/insns" || return 1
	cat "$tmp/insns"
	awk '
	$1 == "sites" { sites = $2 }
	$1 == "own" { own = $2 }
	$1 == "kvm" { rest += $2 }
	$1 == "none" { rest += $2 + 0 }
	END { exit !(sites > 10000 && own + rest == sites && own > 0.99 * sites) }' \
	    "$tmp/insns" || fail "fewer than 99 % are our own: $(tr '\n' ';' <"$tmp/insns")"
}
