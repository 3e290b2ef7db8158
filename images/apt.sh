# SPDX-License-Identifier: GPL-2.0-or-later
#
# apt.sh - sources for suites which this machine's own apt does not list.
#
# Read with `.`. The mirror and the keyring are those which the machine's apt
# is configured with: a mirror that serves this Debian release serves the
# others beside it, so only the suite's name is ours.

# apt_mirror main|security: "URI FILE" of the machine's own Debian archive.
apt_mirror()
{
	apt-get indextargets \
	    --format '$(RELEASE) $(REPO_URI) $(COMPONENT) $(SOURCESENTRY)' \
	    'Created-By: Packages' 2>/dev/null |
	awk -v kind="$1" '
	$3 != "main" { next }
	{ sub(/\/updates$/, "", $1) }
	$1 ~ /^(stable|oldstable|testing|bullseye|bookworm|trixie|forky)(-security)?$/ {
		if (($1 ~ /-security$/) == (kind == "security")) {
			sub(/\/$/, "", $2); sub(/:[0-9]+$/, "", $4)
			print $2, $4
			exit
		}
	}'
}

# apt_keyrings FILE: what signs the archive that FILE lists, or nothing.
apt_keyrings()
{
	all=/usr/share/keyrings/debian-archive-keyring.gpg
	named=$(sed -n 's/^Signed-By:[[:space:]]*\(\/[^[:space:]]*\).*/\1/p
	    s/^deb .*signed-by=\([^] ,]*\).*/\1/p' "$1" 2>/dev/null | head -n 1)
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
	found=$(apt_mirror $kind)
	[ -n "$found" ] || return 1
	echo "Types: deb"
	echo "URIs: ${found%% *}"
	echo "Suites: $1"
	echo "Components: main"
	keys=$(apt_keyrings "${found#* }")
	[ -z "$keys" ] || echo "Signed-By: $keys"
	echo
}
