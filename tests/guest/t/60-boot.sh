# SPDX-License-Identifier: GPL-2.0-or-later
# 60-boot.sh - a guest that dvisor boots is traced from the start.

boot()
{
	timeout -k 5 120 "$dvisor" --boot --kernel "$guest_cache/$series/vmlinuz" \
	    --initrd "$guest_cache/$series/initrd.img" "$@"
}

# The shell of init opens and runs programs: strings of user memory are read, too.
test_boot_traces_start_kernel_and_exits()
{
	boot -qn 'fbt::start_kernel:entry { printf("start %s\n", execname); }
	    syscall::mount:return /!n++/ { printf("mount %d %d\n", pid, (int)arg0); }
	    syscall::execve:entry /copyinstr(arg0) == "/bin/mount"/ { exit(9); }
	    ERROR { }' >"$tmp/out" 2>"$tmp/err"
	same status $? 9 || return 1
	same output "$(grep . "$tmp/out" | head -n 1)" "start swapper"
}

test_boot_ends_with_the_guest()
{
	boot --append 'console=ttyS0 quiet panic=-1 no_timer_check dvwork=syscalls:77 dvend=off' \
	    -qn 'syscall::getppid:entry /execname == "dvwork"/ { @ = count(); } END { printa("%@d\n", @); }' >"$tmp/out"
	same status $? 0 || return 1
	same getppid "$(last "$tmp/out")" 77
}

test_boot_goes_on_when_more_cpus_come()
{
	boot -qn 'syscall:::entry /cpu == 1/ { exit(6); }' >"$tmp/out" 2>"$tmp/err"
	same status $? 6 || fail "$(cat "$tmp/err")"
}
