# SPDX-License-Identifier: GPL-2.0-or-later
#
# lib.sh - makes, boots and drives the host of the nested bed; read with `.`.
#
# Of the shell that reads it, DVISOR_SRC, DVISOR_BUILD and $tmp are used. No time
# limit but one: a host that says nothing for KVM_SILENCE (7200) seconds is given
# up.
. "$DVISOR_SRC/tests/guest/lib.sh"

dvisor=$DVISOR_BUILD/cli/dvisor
obj=$DVISOR_BUILD/obj/kvm
root=$guest_cache/host-root/root.img

# host_needs: true if all is there; says what is not.
host_needs()
{
	PATH=$PATH:/sbin:/usr/sbin command -v mke2fs >/dev/null ||
	    { echo "no mke2fs: apt-get install e2fsprogs"; return 1; }
	[ -x "$DVISOR_SRC/hv/kvm/build" ] || { echo "hv/kvm has no module yet"; return 1; }
	[ -x "$dvisor" ] || { echo "the command is not built"; return 1; }
	[ -f "$root" ] || { echo "no image of a host: run make images SERIES=host-6.1"; return 1; }
}

# host_start SERIES [QEMU ARGUMENT...]: h is up, with $tmp/payload at /dv.
host_start()
{
	hs_series=host-$1
	shift
	GUEST_MEM=2048 GUEST_SECONDS=${KVM_SILENCE:-7200}
	guest_start h "$hs_series" -drive "file=$root,if=virtio,format=raw,snapshot=on" \
	    -drive "file=$tmp/payload,if=virtio,format=raw" "$@"
}

# module HOST: $obj/HOST/dvisor.ko, without a warning.
module()
{
	if MAKE=${MAKE:-make} "$DVISOR_SRC/hv/kvm/build" "$guest_cache/host-$1/build" \
	    "$obj/$1" >"$tmp/build" 2>&1; then
		echo "PASS kvm/$1/builds"
	else
		tail -n 20 "$tmp/build"
		echo "FAIL kvm/$1/builds"
		[ -f "$obj/$1/dvisor.ko" ]
	fi
}

# tools: the programs that run in the host, below $DVISOR_BUILD/obj/tests.
tools()
{
	mkdir -p "$DVISOR_BUILD/obj/tests/kvm" && guest_tool qmp >/dev/null || return 1
	to_src=$DVISOR_SRC/tests/kvm to_bin=$DVISOR_BUILD/obj/tests/kvm
	set -- "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -iquote "$DVISOR_SRC/hv/abi"
	"$@" -pthread -o "$to_bin/hostile" "$to_src/hostile.c" &&
	"$@" -o "$to_bin/rsp" "$DVISOR_SRC/tests/bench/rsp.c" &&
	"$@" -pthread -iquote "$DVISOR_SRC/hv" -iquote "$DVISOR_SRC/hv/plat" \
	    -iquote "$DVISOR_SRC/hv/plat/user" -o "$to_bin/tiny" "$to_src/tiny.c" \
	    "$DVISOR_BUILD/libdvbase.a" &&
	"$@" -shared -fPIC -o "$to_bin/capture.so" "$to_src/capture.c" -ldl
}

# payload HOST GUEST...: a disk with what the host needs, $tmp/payload.
payload()
{
	p=$tmp/dv pl_host=$1
	shift
	rm -rf "$p"
	mkdir -p "$p/src/tests" "$p/src/dcomp" "$p/src/guest-introspect/linux" \
	    "$p/build/cli" "$p/build/obj/tests" "$p/cache/dvisor/images" || return 1
	cp -r "$DVISOR_SRC/tests/guest" "$DVISOR_SRC/tests/kvm" "$DVISOR_SRC/tests/vmx" "$p/src/tests/" &&
	cp -r "$DVISOR_SRC/dcomp/lib" "$p/src/dcomp/" &&
	cp -r "$DVISOR_SRC/examples" "$p/src/" &&
	cp "$DVISOR_SRC/guest-introspect/linux/vars.c" "$p/src/guest-introspect/linux/" &&
	cp "$DVISOR_BUILD/config.mk" "$p/build/" &&
	cp "$dvisor" "$p/build/cli/" &&
	{ [ ! -f "$DVISOR_BUILD/dvisor-tcg.so" ] || cp "$DVISOR_BUILD/dvisor-tcg.so" "$p/build/"; } &&
	cp "$obj/$pl_host/dvisor.ko" "$p/" || return 1
	mkdir -p "$p/build/obj/tests/guest" &&
	cp "$DVISOR_BUILD/obj/tests/guest/qmp" "$p/build/obj/tests/guest/" &&
	cp -r "$DVISOR_BUILD/obj/tests/kvm" "$p/build/obj/tests/" || return 1
	# what else the command is linked with
	mkdir "$p/lib"
	ldd "$dvisor" | sed -n 's/^.* => \(\/[^ ]*\) (0x.*/\1/p' | while read -r lib; do
		cp -L "$lib" "$p/lib/"
	done
	for s; do
		mkdir -p "$p/cache/dvisor/images/$s" &&
		cp -L "$guest_cache/$s/vmlinuz" "$guest_cache/$s/initrd.img" \
		    "$guest_cache/$s/version" "$p/cache/dvisor/images/$s/" || return 1
	done
	pl_size=$(($(du -sm "$p" | cut -f 1) * 5 / 4 + 200))
	rm -f "$tmp/payload"
	PATH=$PATH:/sbin:/usr/sbin mke2fs -q -t ext4 -O ^has_journal -d "$p" "$tmp/payload" "${pl_size}M" >/dev/null &&
	rm -rf "$p"
}

# on_host COMMAND: runs it in L1, and prints what it prints as it comes.
on_host()
{
	oh_log=$(guest_dir h)/shell.log
	oh_at=$(wc -c <"$oh_log") oh_still=0
	guest_send h "$1"
	while :; do
		oh_size=$(wc -c <"$oh_log")
		if [ "$oh_size" -gt "$oh_at" ]; then
			oh_still=0
			# whole lines only
			oh_text=$(tail -c "+$((oh_at + 1))" "$oh_log" | head -c $((oh_size - oh_at)); echo .)
			oh_text=${oh_text%.}
			case $oh_text in
			*"
"*)
				oh_text=${oh_text%"
"*}
				oh_at=$((oh_at + $(printf '%s\n' "$oh_text" | wc -c)))
				printf '%s\n' "$oh_text" | grep -v '^dvisor-guest: done'
				case "
$oh_text" in
				*"
dvisor-guest: done "*) return 0 ;;
				esac ;;
			esac
		fi
		guest_alive h || { echo "the host has ended"; return 1; }
		oh_still=$((oh_still + 1))
		[ $oh_still -lt $((${KVM_SILENCE:-7200} * 5)) ] ||
		    { echo "the host said nothing for ${KVM_SILENCE:-7200} s"; return 1; }
		sleep 0.2
	done
}

# The host's kernel has nothing to complain of.
host_log()			# HOST
{
	guest_run h 'dmesg' >"$tmp/dmesg" 2>&1
	if grep -E 'BUG:|WARNING:|Oops|general protection|INFO: task|soft lockup|rcu_.*stall|Call Trace|KASAN|lockdep' \
	    "$tmp/dmesg" "$(guest_dir h)/console" >"$tmp/bad"; then
		head -n 5 "$tmp/bad" | cut -c1-300
		grep -h -A 30 -E 'BUG:|WARNING:|Oops|general protection' "$tmp/dmesg" | head -n 60
		echo "FAIL kvm/$1/the_hosts_log_is_clean"
	else
		echo "PASS kvm/$1/the_hosts_log_is_clean"
	fi
}
