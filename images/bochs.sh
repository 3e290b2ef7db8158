# SPDX-License-Identifier: GPL-2.0-or-later
#
# bochs.sh - Bochs, which emulates Intel's VMX, and what makes a CD for it to boot.
#
# Read by build, whose names it uses. Debian's packages, with all that they depend on,
# are unpacked and not installed: whatever release this machine has, it is the
# Bochs of the one below, which is twice as fast as the one before it.
#
#	$top/bochs/tree		the packages
#	$top/bochs/bin		bochs, xorriso: run them from there
bochs_suite=trixie
bochs_packages="bochs bochs-term bochsbios vgabios isolinux syslinux-common xorriso"

# wrapper NAME PROGRAM [VARIABLE=VALUE...]: $new/bin/NAME, which runs it in $end.
wrapper()
{
	name=$1 program=$2
	shift 2
	{
		echo '#!/bin/sh'
		for v; do
			echo "export $v"
		done
		echo "exec $end/tree$so --library-path $end/tree$libs $end/tree$program \"\$@\""
	} >"$new/bin/$name" && chmod 755 "$new/bin/$name"
}

build_bochs()
{
	need=$(sha256sum <"$here/bochs.sh" | cut -d ' ' -f 1)
	new=$work/bochs end=$top/bochs
	if [ "$(cat "$end/recipe" 2>/dev/null)" = "$need" ]; then
		say "bochs: up to date"
		return 0
	fi
	fetch_lists || return 1
	# apt knows what a machine without anything would need
	# shellcheck disable=SC2086
	names=$(private_apt apt-get --print-uris install --no-install-recommends $bochs_packages \
	    2>/dev/null | sed -n "s/^'[^']*' \([^_]*\)_.*/\1/p")
	[ -n "$names" ] || { fail "bochs: not on the mirror ($bochs_suite)"; return; }
	say "bochs: fetching it, and what it needs"
	mkdir -p "$new/bin" || return 1
	# shellcheck disable=SC2086
	deb_get "$new/tree" $names || return 1
	libs=/usr/lib/x86_64-linux-gnu so=$libs/ld-linux-x86-64.so.2
	for f in $so /usr/bin/bochs-bin /usr/bin/xorriso; do
		[ -f "$new/tree$f" ] || { fail "bochs: its packages have no $f"; return; }
	done
	# shadow of what is not run
	rm -rf "$new/tree/usr/share/doc" "$new/tree/usr/share/man" "$new/tree/usr/share/locale" \
	    "$new/tree/usr/share/icons" "$new/tree/var"
	wrapper bochs /usr/bin/bochs-bin "BXSHARE=$end/tree/usr/share/bochs" \
	    "LTDL_LIBRARY_PATH=$end/tree$libs/bochs/plugins" &&
	wrapper xorriso /usr/bin/xorriso || return 1
	echo "$need" >"$new/recipe"
	rm -rf "$end"
	mv "$new" "$end" || return 1
	say "bochs: built"
}
