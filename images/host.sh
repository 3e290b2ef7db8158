# SPDX-License-Identifier: GPL-2.0-or-later
#
# host.sh - what makes a stock kernel of a series a host of KVM guests.
#
# Read by build, whose names it uses. Such a host is itself a guest of QEMU TCG,
# which emulates AMD's SVM, so no machine needs virtualisation of its own. Two
# parts:
#
#	$top/host-root/root.img	its root, the same for each kernel: this
#		machine's own QEMU, with its libraries and firmware, and the
#		programs that tests are written in; an ext4 image that is only
#		ever read (start QEMU with snapshot=on)
#	$top/host-SERIES/	vmlinuz and version, the series' own
#		initrd.img	modules for disks, ports and KVM; host-init
#		build		where Kbuild finds the headers of this kernel:
#				make -C build M=DIR builds a module for it
#
# The headers' tools may need a newer libc than this machine has, and the compiler
# that the kernel was made with may not be here: then the tools are given the libc
# of their own suite, and the compiler is this machine's, without those flags that
# it lacks.

# What tests are written in; busybox stands in for what this machine lacks.
host_programs="sh awk sed grep egrep find xargs diff cmp gzip xz pgrep pkill ps \
    setsid flock taskset strace gdb \
    [ base64 basename cat chmod chown cp cut date dd df dirname du echo env expr false head id \
    kill ln ls mkdir mkfifo mktemp mv nice nproc od paste printf pwd readlink \
    realpath rm rmdir seq sha256sum sleep sort split stat stdbuf stty sync tac tail tee test \
    timeout touch tr true truncate tty uname uniq wc yes"
host_modules="virtio_pci virtio_blk virtio_console kvm kvm-amd"

host_qemu()
{
	command -v "${QEMU:-qemu-system-x86_64}"
}

# put_file FILE ROOT: a file and, of a program, the libraries it needs.
put_file()
{
	mkdir -p "$2${1%/*}" && cp -L "$1" "$2$1" || return 1
	# shellcheck disable=SC2046
	for lib in $(ldd "$1" 2>/dev/null | sed -n 's/^.*[[:space:]]\(\/[^ ]*\) (0x.*/\1/p'); do
		[ -e "$2$lib" ] && continue
		mkdir -p "$2${lib%/*}" && cp -L "$lib" "$2$lib" || return 1
	done
}

# host_root DIR: DIR/root.img.
host_root()
{
	qemu=$(host_qemu) || { fail "no qemu-system-x86_64: apt-get install qemu-system-x86"; return; }
	busybox=$(command -v busybox) ||
	    { fail "no busybox: apt-get install busybox-static"; return; }
	mke2fs=$(PATH=$PATH:/sbin:/usr/sbin command -v mke2fs) ||
	    { fail "no mke2fs: apt-get install e2fsprogs"; return; }
	r=$1/root
	rm -rf "$r"
	mkdir -p "$r/usr/bin" "$r/usr/lib" "$r/usr/lib64" "$r/etc" "$r/proc" \
	    "$r/sys" "$r/dev" "$r/run" "$r/tmp" "$r/root" "$r/modules" "$r/dv" "$r/var" || return 1
	ln -s bin "$r/usr/sbin"
	for d in bin sbin lib lib64; do
		ln -s "usr/$d" "$r/$d" || return 1
	done
	ln -s ../run "$r/var/run"
	for applet in $("$busybox" --list); do
		ln -s busybox "$r/usr/bin/$applet"
	done
	rm "$r/usr/bin/busybox" 2>/dev/null
	put_file "$busybox" "$r" || return 1
	for p in $host_programs; do
		file=$(command -v "/usr/bin/$p" || command -v "/bin/$p") || continue
		rm -f "$r/usr/bin/$p"
		put_file "$file" "$r" || return 1
	done
	rm -f "$r/usr/bin/qemu-system-x86_64"
	put_file "$qemu" "$r" || return 1
	[ "$qemu" = /usr/bin/qemu-system-x86_64 ] ||
	    ln -s "$qemu" "$r/usr/bin/qemu-system-x86_64" || return 1
	"$qemu" -L help | grep '^/' | while read -r d; do
		[ -d "$d" ] || continue
		mkdir -p "$r$d"
		for f in bios-256k.bin bios-microvm.bin linuxboot_dma.bin pvh.bin \
		    kvmvapic.bin qboot.rom vgabios-stdvga.bin; do
			[ ! -f "$d/$f" ] || cp -L "$d/$f" "$r$d/$f"
		done
	done
	cp "$here/init" "$r/sbin/guest-init"
	cp "$here/host-init" "$r/sbin/init.new" && mv -f "$r/sbin/init.new" "$r/sbin/init"
	printf 'root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/:/bin/sh\n' >"$r/etc/passwd"
	printf 'root:x:0:\nuser:x:1000:\n' >"$r/etc/group"
	size=$(($(du -sm "$r" | cut -f 1) * 5 / 4 + 200))
	"$mke2fs" -q -t ext4 -O ^has_journal -d "$r" "$1/root.new" "${size}M" >/dev/null ||
	    { fail "could not make the hosts' root"; return; }
	mv "$1/root.new" "$1/root.img"
	rm -rf "$r"
}

# host_initrd SERIES DIR: the modules that come before the root, and KVM's.
host_initrd()
{
	busybox=$(command -v busybox) && command -v cpio >/dev/null ||
	    { fail "no busybox or cpio: apt-get install busybox-static cpio"; return; }
	r=$2/root
	rm -rf "$r"
	mkdir -p "$r/bin" "$r/modules" "$r/proc" "$r/sys" "$r/dev" "$r/root" || return 1
	cp "$busybox" "$r/bin/busybox" && cp "$here/host-init" "$r/init" || return 1
	ln -s busybox "$r/bin/sh"
	chmod 755 "$r/init" "$r/bin/busybox"
	for m in $host_modules; do
		put_module "$top/$1/modules" "$r/modules" "$m"
	done >"$r/modules/order" || return 1
	[ -f "$r/modules/kvm-amd.ko" ] ||
	    { fail "host-$1: the kernel has no module kvm-amd"; return; }
	(cd "$r" && find . | LC_ALL=C sort |
	    cpio -o -H newc -R 0:0 --quiet --reproducible | gzip -1 -n) >"$2/initrd.img" ||
	    { fail "could not write the initramfs"; return; }
	rm -rf "$r"
}

# deb_get DIR PACKAGE...: downloaded and unpacked into DIR.
deb_get()
{
	into=$1
	shift
	rm -rf "$into.debs"
	mkdir -p "$into" "$into.debs" || return 1
	(cd "$into.debs" && private_apt apt-get download "$@") >"$into.log" 2>&1 ||
	    { cat "$into.log" >&2; fail "could not download $*"; return; }
	for deb in "$into.debs"/*.deb; do
		dpkg-deb -x "$deb" "$into" || return 1
	done
	rm -rf "$into.debs" "$into.log"
}

# host_headers SERIES DIR END: DIR/headers, used as END/headers; DIR/build.
host_headers()
{
	if own_kernel "$1"; then	# where it was built serves as well
		[ -f "$top/kernel/$1/Module.symvers" ] ||
		    { fail "host-$1: $top/kernel/$1, where it was built, is gone"; return; }
		ln -s "../kernel/$1" "$2/build"
		return
	fi
	fetch_lists || return 1
	release=$(cat "$top/$1/version")
	h=$2/headers
	names=$(private_apt apt-cache depends "linux-headers-$release" 2>/dev/null |
	    sed -n 's/^ *|*Depends: \(linux-headers-.*\|linux-kbuild-.*\)/\1/p')
	[ -n "$names" ] || { fail "host-$1: no headers of $release on the mirror"; return; }
	say "host-$1: fetching linux-headers-$release"
	# shellcheck disable=SC2086
	deb_get "$h" "linux-headers-$release" $names || return 1
	k=$h/usr/src/linux-headers-$release
	[ -f "$k/Makefile" ] || { fail "host-$1: linux-headers-$release has no Makefile"; return; }
	sed -i "s,/usr/src/,$3/headers/usr/src/,g" "$k/Makefile"
	rm -rf "$2/build"
	ln -s "headers/usr/src/linux-headers-$release" "$2/build"

	# Types for BTF of our module would need this very kernel's pahole.
	rm -f "$k/vmlinux"
	conf=$k/include/config/auto.conf
	pahole=$(sh "$k/scripts/pahole-version.sh" pahole)
	sed -i "/^CONFIG_DEBUG_INFO_BTF/d; s/^CONFIG_PAHOLE_VERSION=.*/CONFIG_PAHOLE_VERSION=$pahole/" "$conf"

	# The compiler.
	cc=$(sed -n 's/.*)\(gcc-[0-9]*\)$/\1/p' "$k/.kernelvariables")
	if ! command -v "${cc:-gcc}" >/dev/null; then
		sed -i 's/^CC = .*/CC = gcc/; /CROSS_COMPILE/d; /^ifneq/d; /^endif/d' \
		    "$k/.kernelvariables"
		cc=gcc
	fi
	echo 'int x;' | "${cc:-gcc}" -fmin-function-alignment=16 -x c -c -o /dev/null - 2>/dev/null ||
	    sed -i '/^CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT=/d' "$conf"

	# The tools.
	find "$h/usr/lib" -type f -perm -u+x -print | while read -r p; do
		[ "$(head -c 4 "$p" | tail -c 3)" = ELF ] && echo "$p"
	done >"$2/elf"
	xargs ldd <"$2/elf" 2>&1 | grep -q 'GLIBC_.* not found' || { rm "$2/elf"; return 0; }
	deb_get "$h/libc" libc6/"$(host_suite "$1")" || return 1
	so=$(find "$h/libc" -name 'ld-linux-x86-64.so.2' ! -type l | head -n 1)
	[ -n "$so" ] || { fail "host-$1: libc6 has no ld-linux-x86-64.so.2"; return; }
	lib=$3/headers${so#"$h"}
	while read -r p; do
		mv "$p" "$p.bin" &&
		printf '#!/bin/sh\nexec %s --argv0 "$0" --library-path %s:/lib/x86_64-linux-gnu "$0.bin" "$@"\n' \
		    "$lib" "${lib%/*}" >"$p" && chmod 755 "$p" || return 1
	done <"$2/elf"
	rm "$2/elf"
}

# host_suite SERIES: a suite whose libc its headers' tools were made with.
host_suite()
{
	for s in $(suites_of "$1"); do
		echo "${s%%-*}"
	done | tail -n 1
}

# host_recipe COMMAND...: a hash of what a part is made from, as the command says.
host_recipe()
{
	{
		cat "$here/host.sh" "$here/host-init"
		"$@" 2>&1
	} | sha256sum | cut -d ' ' -f 1
}

root_made_from()
{
	cat "$here/init"
	"$(host_qemu)" --version
}

host_made_from()		# SERIES
{
	cat "$top/$1/version"
	"${CC:-gcc}" --version
}

# build_host SERIES: as much of it as is needed, the series itself included.
build_host()
{
	build_one "$1" || return 1
	host_qemu >/dev/null ||
	    { fail "no qemu-system-x86_64: apt-get install qemu-system-x86"; return; }
	need=$(host_recipe root_made_from)
	if [ "$(cat "$top/host-root/recipe" 2>/dev/null)" != "$need" ]; then
		mkdir -p "$work/host-root"
		host_root "$work/host-root" || return 1
		echo "$need" >"$work/host-root/recipe"
		rm -rf "$top/host-root"
		mv "$work/host-root" "$top/host-root" || return 1
		say "host-root: built"
	fi
	need=$(host_recipe host_made_from "$1")
	new=$work/host-$1 end=$top/host-$1
	if [ "$(cat "$end/recipe" 2>/dev/null)" = "$need" ]; then
		say "host-$1: $(cat "$top/$1/version"), up to date"
		return 0
	fi
	mkdir -p "$new" || return 1
	host_headers "$1" "$new" "$end" && host_initrd "$1" "$new" || return 1
	ln -s "../$1/vmlinuz" "$new/vmlinuz"
	ln -s "../$1/version" "$new/version"
	echo "$need" >"$new/recipe"
	rm -rf "$end"
	mv "$new" "$end" || return 1
	say "host-$1: $(cat "$top/$1/version"), built"
}
