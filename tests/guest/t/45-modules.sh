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

# Every line of /proc/kallsyms that is a module's, as the guest has it, in order.
test_symbols_of_modules_equal_kallsyms()
{
	mods_load dummy loop tun || return 1
	guest_run g 'echo 0 >/proc/sys/kernel/kptr_restrict
	    grep "\[" /proc/kallsyms | grep -vE "\[(bpf|__builtin__.*)\]" | gzip -c | base64' |
	    tr -d '\r' | base64 -d | gzip -dc >"$tmp/own" || return 1
	"$dvisor" snapshot --vm "$vm" -o "$tmp/snap" || return 1
	"$dvisor" snapshot --symbols "$tmp/snap" | grep '\[' >"$tmp/ours"
	agree "$tmp/own" "$tmp/ours" 300 || return 1
	# and the snapshot lists what the guest does
	for d in fbt:dummy:: fbt:loop::return fbt:tun::entry; do
		dv -ln "$d" >"$tmp/live" && "$dvisor" --profile "$tmp/snap" -ln "$d" >"$tmp/saved" ||
		    return 1
		[ "$(wc -l <"$tmp/live")" -gt 10 ] && cmp "$tmp/live" "$tmp/saved" ||
		    fail "$d differs" || return 1
	done
}

# A module's functions, typed where the kernel has types of modules (from 5.11 on),
# against what its device counts.
test_functions_of_a_module()
{
	mods_load dummy || return 1
	guest_run g '[ -e /sys/kernel/btf/dummy ]' && len='args[0]->len' || len=
	if [ -z "$len" ]; then
		! dv -qn 'fbt:dummy:dummy_xmit:entry { trace(args[0]); }' >"$tmp/out" 2>&1 ||
		    fail "types came from nowhere" || return 1
		grep -q D_ARGS_IDX "$tmp/out" || fail "it said: $(cat "$tmp/out")" || return 1
	fi
	guest_run g 'echo 1 >/proc/sys/net/ipv6/conf/dummy0/disable_ipv6
	    ifconfig dummy0 10.9.8.1 up' || return 1
	trace_start -qn "BEGIN { printf(\"ready\n\"); }
	    fbt:dummy:dummy_xmit:entry { @n = count(); @len = sum(${len:-0}); }
	    fbt:dummy:dummy_xmit:return { @r[arg1] = count(); }
	    END { printa(\"n %@d\n\", @n); printa(\"len %@d\n\", @len); printa(\"r %d %@d\n\", @r); }" || return 1
	guest_run g 'cd /sys/class/net/dummy0/statistics; a=$(cat tx_packets) b=$(cat tx_bytes)
	    for s in 10 100 1000; do ping -c 2 -W 1 -s $s 10.9.8.7; done >/dev/null
	    echo "n=$(($(cat tx_packets) - a)) len=$(($(cat tx_bytes) - b))"
	    ifconfig dummy0 down' >"$tmp/truth"
	trace_stop
	no_drops || return 1
	n=$(sed -n 's/^n=\([0-9]*\) .*/\1/p' "$tmp/truth")
	bytes=$(sed -n 's/.*len=\([0-9]*\).*/\1/p' "$tmp/truth")
	[ "$n" -ge 6 ] || fail "the guest sent $(cat "$tmp/truth")" || return 1
	[ -n "$len" ] || bytes=0
	same dummy_xmit "$(grep -v ready "$tmp/trace.out" | xargs)" "n $n len $bytes r 0 $n"
}

# Types that only a module has, by their scope and without.
test_types_of_a_module()
{
	mods_load loop || return 1
	guest_run g '[ -e /sys/kernel/btf/loop ]' ||
	    { skip "this kernel has no types of modules"; return; }
	trace_start -qn 'BEGIN { printf("ready %d\n", sizeof (struct loop`loop_device) == sizeof (struct loop_device)); }
	    fbt:loop:lo_ioctl:entry { @[((struct loop`loop_device *)args[0]->bd_disk->private_data)->lo_number] = count(); }
	    END { printa("%d %@d\n", @); }' || return 1
	guest_run g 'dd if=/dev/zero of=/tmp/l bs=64k count=1 2>/dev/null
	    losetup /dev/loop3 /tmp/l && losetup -d /dev/loop3; rm /tmp/l' || return 1
	trace_stop
	no_drops || return 1
	grep -q '^ready 1$' "$tmp/trace.out" && grep -q '^3 [1-9]' "$tmp/trace.out" &&
	[ "$(grep -c . "$tmp/trace.out")" = 2 ] || fail "it was: $(cat "$tmp/trace.out")"
}

# What is loaded can be traced from the next attach on.
test_module_loaded_later()
{
	guest_run g 'rmmod tun 2>/dev/null; [ ! -d /sys/module/tun ]' || return 1
	! dv -ln fbt:tun:: >"$tmp/out" 2>&1 || fail "an absent module has probes" || return 1
	mods_load tun || return 1
	dv -ln fbt:tun::entry >"$tmp/out" 2>&1 && grep -q tun_chr_open "$tmp/out" ||
	    fail "$(head -3 "$tmp/out")"
}

# A module that was traced goes, and others, itself too, come to where it was: its
# sites are dead. Its own exit was still seen.
test_sites_go_with_their_module()
{
	guest_run g 'rmmod loop 2>/dev/null; rmmod tun 2>/dev/null; rmmod dummy 2>/dev/null; true'
	mods_load dummy || return 1
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    fbt:dummy::entry, fbt:dummy::return { @[probefunc, probename] = count(); }
	    END { printa("%s %s %@d\n", @); }' || return 1
	guest_run g 'a=$(sed -n "s/^dummy .* 0x/0x/p" /proc/modules); same=0; i=0
	    while [ $i -lt 20 ]; do
		rmmod dummy && insmod /lib/modules/loop.ko && rmmod loop &&
		insmod /lib/modules/dummy.ko || exit 1
		grep -q "^dummy .* $a" /proc/modules && same=$((same + 1))
		i=$((i + 1))
	    done; echo "same=$same"' 120 >"$tmp/truth" || fail "the guest said $(cat "$tmp/truth")"
	trace_stop
	no_drops || return 1
	# it did come to the same place; else nothing is proved
	[ "$(guest_count "x: $(cat "$tmp/truth")" same)" -gt 0 ] ||
	    { skip "the guest never used the address again"; return; }
	grep -qE '^(dummy_)?cleanup_module entry 1$' "$tmp/trace.out" ||
	    fail "its exit: $(cat "$tmp/trace.out")" || return 1
	! grep -E 'dummy_setup|set_multicast' "$tmp/trace.out" >&2 || fail "sites outlived it"
}

# Modules come and go while every function of the guest is traced.
test_load_storm_under_all_probes()
{
	mods_load dummy loop tun || return 1
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    fbt:::entry { @ = count(); } fbt:dummy::return, fbt:loop::return, fbt:tun::return { @r = count(); }
	    END { printa("r %@d\n", @r); printa("%@d\n", @); }' || return 1
	guest_run g 'i=0; while [ $i -lt 5 ]; do
		rmmod dummy && rmmod loop && rmmod tun && insmod /lib/modules/tun.ko &&
		insmod /lib/modules/loop.ko && insmod /lib/modules/dummy.ko || exit 1
		i=$((i + 1))
	    done; dmesg | grep -E "Oops|BUG:|general protection|stack segment|WARNING:"; true' 300 >"$tmp/said" ||
	    fail "the guest said $(cat "$tmp/said")" || return 1
	trace_stop
	! grep . "$tmp/said" >&2 || fail "the guest complained" || return 1
	[ "$(sed -n 's/^r //p' "$tmp/trace.out")" -gt 10 ] && [ "$(last "$tmp/trace.out")" -gt 10000 ] || fail "only $(last "$tmp/trace.out") calls"
}

# A module that was loaded when the trace ran already has names, too. (Its init text
# has not: it is freed by the time.)
test_stack_names_modules()
{
	guest_run g 'rmmod dummy 2>/dev/null; true'
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    fbt::ether_setup:entry /execname == "insmod"/ { stack(6); @[caller] = count(); }
	    END { printa("caller %a %@d\n", @); }' || return 1
	mods_load dummy || return 1
	trace_stop
	no_drops || return 1
	grep -q 'vmlinux`ether_setup' "$tmp/trace.out" &&
	grep -qE '^ *dummy`dummy_setup\+0x' "$tmp/trace.out" &&
	grep -qE '^caller dummy`dummy_setup\+0x[0-9a-f]+ 1$' "$tmp/trace.out" || fail "it was: $(cat "$tmp/trace.out")"
}

# Attaching while the list changes under our eyes.
test_attach_while_modules_come_and_go()
{
	mods_load dummy loop tun || return 1
	guest_run g 'touch /tmp/storm; (while [ -e /tmp/storm ]; do
	    for m in dummy loop tun; do rmmod $m; done
	    for m in tun dummy loop; do insmod /lib/modules/$m.ko; done; done >/dev/null 2>&1; touch /tmp/calm) &' || return 1
	bad= i=0
	while [ $i -lt 12 ]; do
		dv -Zqn 'BEGIN { i = 0; } fbt:dummy::, fbt:loop::, fbt:tun::entry { @[probemod] = count(); }
		    tick-200ms { exit(0); }' >"$tmp/out" 2>&1 || bad="$bad $(head -2 "$tmp/out")"
		"$dvisor" snapshot --vm "$vm" -o "$tmp/snap" || bad="$bad snapshot"
		i=$((i + 1))
	done
	guest_run g 'rm /tmp/storm; while [ ! -e /tmp/calm ]; do usleep 100000; done; rm /tmp/calm
	    dmesg | grep -E "Oops|BUG:|general protection|stack segment|WARNING:"; true' >"$tmp/said"
	[ -z "$bad" ] && ! grep . "$tmp/said" >&2 || fail "$bad"
}
