# SPDX-License-Identifier: GPL-2.0-or-later
#
# module.sh - takes kernel modules from a series' folder; read with `.`.

# module_file DIR NAME: a module's file below DIR; - and _ are the same.
module_file()
{
	find "$1" -type f -name "$(echo "$2" | sed 's/[-_]/[-_]/g').ko*" | head -n 1
}

# put_module FROM TO NAME: unpacked, after what it depends on; prints names.
put_module()
{
	[ -f "$2/$3.ko" ] && return 0
	file=$(module_file "$1" "$3")
	[ -n "$file" ] || return 0		# built in
	case $file in
	*.xz) xz -dc "$file" >"$2/$3.ko" ;;
	*.zst) zstd -qdc "$file" >"$2/$3.ko" ;;
	*) cp "$file" "$2/$3.ko" ;;
	esac || return 1
	for dep in $(tr '\0' '\n' <"$2/$3.ko" | sed -n 's/^depends=//p' | tr , ' '); do
		(put_module "$1" "$2" "$dep") || return 1
	done
	echo "$3.ko"
}
