# SPDX-License-Identifier: GPL-2.0-or-later
# 45-modules.sh - kernel modules: their symbols, types and functions.

# mods_load NAME...: those that are not there yet.
mods_load()
{
	guest_run g "for m in $*; do
	    [ -d /sys/module/\$m ] || insmod /lib/modules/\$m.ko || exit 1
	done" || fail "cannot load $*"
}

# Names in output, and addresses in D, are those of the guest's own list.
test_module_symbols_have_names()
{
	mods_load dummy loop || return 1
	guest_run g 'sed -n "s/^\([0-9a-f]*\) [tT] \(dummy_xmit\|lo_ioctl\)	\[\(.*\)\]/\1 \3\`\2/p" /proc/kallsyms' |
	    tr -d '\r' | sort -k2 >"$tmp/own"
	[ "$(wc -l <"$tmp/own")" = 2 ] || fail "the guest lists $(cat "$tmp/own")" || return 1
	dv -qn 'BEGIN { p = (uint64_t)&dummy`dummy_xmit; q = (uint64_t)&`lo_ioctl;
	    printf("%016x %a\n%016x %a\n", p, p, q, q);
	    sym(p + 3); printf(" "); mod(p + 3); printf(" "); func(p + 3); printf(" %a\n", p + 3);
	    exit(0); }' >"$tmp/out" 2>&1
	{ cat "$tmp/own"; echo 'dummy`dummy_xmit dummy dummy`dummy_xmit dummy`dummy_xmit+0x3'; } >"$tmp/want"
	grep . "$tmp/out" | tr -s ' ' | sed 's/^ //' | diff "$tmp/want" - || fail "names differ: see above"
}
