# SPDX-License-Identifier: GPL-2.0-or-later
#
# apt.sh - sources for suites which this machine's own apt does not list.
#
# Read with `.`. The mirror and the keyring are those which the machine's apt
# is configured with: a mirror that serves this Debian release serves the
# others beside it, so only the suite's name is ours.

# apt_mirror main|security: the URI of the machine's own Debian archive. Asked of
# apt, which knows all forms of source files, and needs no lists or root for it.
apt_mirror()
{
	apt-get update --print-uris 2>/dev/null |
	awk -v kind="$1" -F "'" '
	$2 ~ /\/InRelease$/ {
		n = split($2, part, "/")
		suite = part[n - 1]
		if (part[n - 2] != "dists" || suite !~ \
		    /^(stable|oldstable|testing|bullseye|bookworm|trixie|forky)(-security)?$/)
			next
		if ((suite ~ /-security$/) != (kind == "security"))
			next
		sub(/\/dists\/[^\/]*\/InRelease$/, "", $2)
		print $2
		exit
	}'
}

# apt_keyrings URI: what signs that archive: the keyring named in the source
# file that has it, and the one with the keys of all releases; or nothing.
apt_keyrings()
{
	all=/usr/share/keyrings/debian-archive-keyring.gpg
	dir=/etc/apt
	named=$(grep -lsF -- "$1" "$dir/sources.list" "$dir"/sources.list.d/*.list \
	    "$dir"/sources.list.d/*.sources | while read -r file; do
		sed -n 's/^Signed-By:[[:space:]]*\(\/[^[:space:]]*\).*/\1/p
		    s/^deb .*signed-by=\([^] ,]*\).*/\1/p' "$file"
	done | head -n 1)
	[ "$named" = "$all" ] && named=
	[ -r "$all" ] || all=
	echo "$named $all" | sed 's/^ *//; s/ *$//'
}

# apt_source SUITE: a deb822 stanza for it, or status 1 if there is no mirror.
apt_source()
{
	case $1 in
	*-security) kind=security ;;
	*) kind=main ;;
	esac
	uri=$(apt_mirror $kind)
	[ -n "$uri" ] || return 1
	echo "Types: deb"
	echo "URIs: $uri"
	echo "Suites: $1"
	echo "Components: main"
	keys=$(apt_keyrings "$uri")
	[ -z "$keys" ] || echo "Signed-By: $keys"
	echo
}
