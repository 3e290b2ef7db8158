# SPDX-License-Identifier: GPL-2.0-or-later
# 50-profile.sh - timers.

test_profile_fires_on_every_vcpu()
{
	guest_send g 'dvwork hog 4 2'
	sleep 0.5
	dv -qn 'profile-97 { @[cpu] = count(); } profile-97 /execname == "dvwork"/ { @h = count(); }
	    tick-2s { exit(0); } END { printa("%d %@d\n", @); printa("hog %@d\n", @h); }' >"$tmp/out" || return 1
	sleep 3
	awk 'NF == 2 && $1 != "hog" && $2 > 40 { n++ } $1 == "hog" && $2 > 50 { h = 1 }
	    END { exit !(n == 2 && h) }' "$tmp/out" || { cat "$tmp/out"; fail "not every vCPU was sampled"; }
}

test_tick_needs_no_guest()
{
	timeout 20 "$dvisor" -qn 'tick-50ms /++n == 3/ { printf("%d\n", n); exit(7); }' >"$tmp/out"
	same status $? 7 && same output "$(last "$tmp/out")" 3
}
