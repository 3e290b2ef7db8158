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

# private_apt PROGRAM ARGUMENT...: apt-get or apt-cache over the sources, lists
# and downloads below $top/apt.
private_apt()
{
	prog=$1
	shift
	"$prog" -o Dir::Etc::SourceList=/dev/null \
	    -o Dir::Etc::SourceParts="$top/apt/sources" \
	    -o Dir::State::Lists="$top/apt/lists" \
	    -o Dir::Cache="$top/apt/cache" \
	    -o Dir::State::status="$top/apt/status" \
	    -o APT::Sandbox::User="$(id -un)" \
	    -o Acquire::Languages=none -qq "$@"
}

# apt_lists SUITE...: reads their lists of packages. A suite that the mirror lacks
# is an error to apt; the others still come. Status 1: nothing can be read here.
apt_lists()
{
	command -v apt-get >/dev/null || return 1
	mkdir -p "$top/apt/sources" "$top/apt/lists/partial" \
	    "$top/apt/cache/archives/partial" || return 1
	: >"$top/apt/status"
	rm -f "$top/apt/sources"/*
	for suite; do
		apt_source "$suite" >"$top/apt/sources/$suite.sources" ||
		    rm -f "$top/apt/sources/$suite.sources"
	done
	private_apt apt-get update >"$top/apt/log" 2>&1 || true
}
