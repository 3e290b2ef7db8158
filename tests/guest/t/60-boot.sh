# SPDX-License-Identifier: GPL-2.0-or-later
# 60-boot.sh - a guest that dvisor boots is traced from the start.

boot()
{
	timeout -k 5 120 "$dvisor" --boot --kernel "$guest_cache/$series/vmlinuz" \
	    --initrd "$guest_cache/$series/initrd.img" "$@"
}

test_boot_traces_start_kernel_and_exits()
{
	boot -qn 'fbt::start_kernel:entry { printf("start %s\n", execname); }
	    syscall::execve:entry /copyinstr(arg0) == "/init"/ { printf("init %d\n", pid); exit(9); }' >"$tmp/out"
	same status $? 9 || return 1
	same output "$(grep . "$tmp/out")" "start swapper
init 1" || { cat "$tmp/out"; return 1; }
}

test_boot_ends_with_the_guest()
{
	boot --append 'console=ttyS0 quiet panic=-1 dvwork=syscalls:77 dvend=off' \
	    -qn 'syscall::getppid:entry /execname == "dvwork"/ { @ = count(); } END { printa("%@d\n", @); }' >"$tmp/out"
	same status $? 0 || return 1
	same getppid "$(last "$tmp/out")" 77
}
