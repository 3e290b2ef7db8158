# SPDX-License-Identifier: GPL-2.0-or-later
# 06-many.sh - several consumers of one VM, several VMs, at once.

. "$DVISOR_SRC/tests/kvm/t/lib.sh.inc"

# count_start NAME VM: counts getppid by dvwork in the background; count_end NAME
# has the number in $counted. Both in this very shell, which can wait for the trace.
count_start()
{
	"$dvisor" --vm "$2" -qn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork"/ { n++; }
	    END { printf("n %d\n", n); }' >"$tmp/$1.out" 2>"$tmp/$1.err" &
	echo $! >"$tmp/$1.pid"
	wait_until 30 grep -q '^ready' "$tmp/$1.out" || fail "no trace: $(cat "$tmp/$1.err")"
}

count_end()
{
	kill -TERM "$(cat "$tmp/$1.pid")"
	wait "$(cat "$tmp/$1.pid")" || fail "its status is $?: $(cat "$tmp/$1.err")" || return 1
	[ ! -s "$tmp/$1.err" ] || fail "$(cat "$tmp/$1.err")" || return 1
	counted=$(sed -n 's/^n //p' "$tmp/$1.out")
}

# Each sees what happens while it is there, at the same bytes of the guest.
test_several_consumers_of_one_guest()
{
	text_save "$tmp/text" || return 1
	count_start a "$vm" && guest_run g 'dvwork syscalls 30' >/dev/null &&
	count_start b "$vm" && guest_run g 'dvwork syscalls 40' >/dev/null &&
	count_start c "$vm" && guest_run g 'dvwork syscalls 50' >/dev/null || return 1
	count_end a && a=$counted && guest_run g 'dvwork syscalls 60' >/dev/null &&
	count_end b && b=$counted && count_end c || return 1
	same "a, b, c" "$a $b $counted" "120 150 110" && text_same "$tmp/text"
}

# Each sees its own guest, and one that dies ends its own trace alone.
test_several_guests()
{
	guest_start g2 "$series" -name "two-$vm" || return 1
	"$dvisor" vms >"$tmp/vms"
	! "$dvisor" -n 'syscall:::entry' >"$tmp/out" 2>&1 && grep -q 'name one with --vm' "$tmp/out" &&
	grep -q "^two-$vm .* kvm " "$tmp/vms" && grep -q "^$vm .* kvm " "$tmp/vms" ||
	    { cat "$tmp/vms" "$tmp/out"; guest_stop g2; return 1; }
	text_save "$tmp/text" &&
	count_start a "$vm" && count_start b "two-$vm" &&
	guest_run g 'dvwork syscalls 30' >/dev/null && guest_run g2 'dvwork syscalls 70' >/dev/null
	two=$?
	kill -9 "$(guest_pid g2)"
	wait "$(cat "$tmp/b.pid")"
	two_end=$?
	guest_stop g2
	[ $two = 0 ] || fail "no traces" || return 1
	grep -q . "$tmp/b.err" || fail "the end of a guest was not told" || return 1
	guest_run g 'dvwork syscalls 20' >/dev/null || return 1
	count_end a && same "the other's" "$counted" 50 && text_same "$tmp/text" || return 1
	[ $two_end -lt 128 ] || fail "status $two_end"
}
