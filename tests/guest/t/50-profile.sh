# SPDX-License-Identifier: GPL-2.0-or-later
# 50-profile.sh - timers.

# Each vCPU is sampled at the rate, in user code (arg1) where the hog is.
test_profile_fires_on_every_vcpu()
{
	guest_send g "dvwork hog 4 $(ncpus)"
	sleep 0.5
	dv -qn 'profile-97 { @[cpu] = count(); }
	    profile-97 /execname == "dvwork"/ { @h = count(); }
	    profile-97 /execname == "dvwork" && arg1 != 0 && arg0 == 0 && (int64_t)arg1 > 0/ { @u = count(); }
	    profile-97 /arg0 != 0 && ((int64_t)arg0 > 0 || arg1 != 0)/ { @wrong = count(); }
	    tick-2s { exit(0); } END { printa("cpu %d %@d\n", @); printa("hog %@d\n", @h);
		printa("user %@d\n", @u); printa("wrong %@d\n", @wrong); }' >"$tmp/out" || return 1
	sleep 3
	awk -v cpus="$(ncpus)" '$1 == "cpu" && $3 > 20 && $3 < 250 { n++; all += $3 }
	    $1 == "hog" { h = $2 }
	    $1 == "user" { u = $2 }
	    $1 == "wrong" { w = $2 }
	    END { exit !(n == cpus && h > all / 2 && u > h / 2 && !w) }' "$tmp/out" ||
	    { cat "$tmp/out"; fail "not every vCPU was sampled at the rate, or not where it ran"; }
}

# An idle vCPU is sampled, too.
test_profile_of_an_idle_guest()
{
	sleep 0.5
	dv -qn 'profile-47 { @[cpu] = count(); } profile-47 /pid == 0/ { @idle = count(); }
	    tick-2s { exit(0); } END { printa("cpu %d %@d\n", @); printa("idle %@d\n", @idle); }' >"$tmp/out" || return 1
	awk -v cpus="$(ncpus)" '$1 == "cpu" && $3 > 10 && $3 < 130 { n++; all += $3 }
	    $1 == "idle" { i = $2 }
	    END { exit !(n == cpus && i > all / 2) }' "$tmp/out" ||
	    { cat "$tmp/out"; fail "the idle guest was not sampled"; }
}

test_tick_needs_no_guest()
{
	timeout $((20 * patience)) "$dvisor" -qn 'tick-50ms /++n == 3/ { printf("%d\n", n); exit(7); }' >"$tmp/out"
	same status $? 7 && same output "$(last "$tmp/out")" 3
}

test_tick_keeps_its_rate()
{
	dv -qn 'BEGIN { began = timestamp; } tick-20ms { n++; } tick-2s {
	    printf("%d\n", n); exit(0); } syscall:::entry { @ = count(); }' >"$tmp/out" || return 1
	n=$(head -n 1 "$tmp/out")
	[ "$n" -ge 20 ] && [ "$n" -le 101 ] || fail "tick-20ms fired $n times in 2 s"
}
