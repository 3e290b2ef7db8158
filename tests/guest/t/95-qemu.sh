# SPDX-License-Identifier: GPL-2.0-or-later
# 95-qemu.sh - what QEMU must be like, and what is said when it is not.

# qemu_says VERSION-LINE HELP: a stand-in for QEMU in $tmp/bin.
qemu_says()
{
	mkdir -p "$tmp/bin"
	cat >"$tmp/bin/qemu-system-x86_64" <<-END
	#!/bin/sh
	case \$1 in
	--version|-version) echo "$1" ;;
	--help|-help) echo "$2" ;;
	esac
	END
	chmod +x "$tmp/bin/qemu-system-x86_64"
}

# boot_refused PATTERN: --boot with that QEMU ends with one line, status 1.
boot_refused()
{
	PATH=$tmp/bin:$PATH timeout 20 "$dvisor" --boot -n BEGIN >"$tmp/out" 2>"$tmp/err"
	same status $? 1 && same lines "$(wc -l <"$tmp/err")" 1 || return 1
	grep -q "$1" "$tmp/err" || fail "$(cat "$tmp/err")"
}

test_old_qemu_is_refused()
{
	qemu_says 'QEMU emulator version 7.2.0' '-plugin [file=]<file>'
	boot_refused 'is 7.2, too old'
}

test_qemu_without_plugins_is_refused()
{
	qemu_says 'QEMU emulator version 10.0.2' '-accel tcg'
	boot_refused 'without plugins'
}

test_no_qemu_is_refused()
{
	mkdir -p "$tmp/bin"
	PATH=$tmp/bin "$dvisor" --boot -n BEGIN >"$tmp/out" 2>"$tmp/err"
	same status $? 1 && grep -q 'Install package qemu-system-x86' "$tmp/err"
}
