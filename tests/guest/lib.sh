# SPDX-License-Identifier: GPL-2.0-or-later
#
# lib.sh - starts, drives and stops test guests, for shell tests.
#
#	. "$DVISOR_SRC/tests/guest/lib.sh"
#	guest_start g 6.1 -plugin "$DVISOR_BUILD/dvisor-tcg.so,name=$name" || exit
#	guest_run g 'dvwork syscalls 100'	# its output; its status
#	guest_stop g
#
# The first argument is the test's own name for a guest; several may run. Each
# has a private folder, $guest_dir_NAME, with:
#
#	console		all that the guest's ttyS0 printed
#	shell.in/.out	FIFOs that are its ttyS1, where commands are run
#	shell.log	all that came out there
#	qmp		QMP socket
#	pid, log	QEMU's process, and what QEMU itself said
#
# GUEST_APPEND, GUEST_MEM (512), GUEST_SMP (2), GUEST_ACCEL (tcg,thread=multi),
# GUEST_CPU (max), GUEST_MACHINE (QEMU's default), GUEST_SECONDS (120, to come up)
# change a guest at its start. On a microvm, which has but one serial port, the
# shell is a virtio port. GUEST_PATIENCE (1) multiplies all limits of time.
# All guests are stopped when the shell exits; only processes started here are
# ever signalled, by their numbers. A test that sets an EXIT trap of its own
# calls guest_stop_all in it.

guest_names=
guest_cache=${XDG_CACHE_HOME:-$HOME/.cache}/dvisor/images

guest_dir()			# NAME: its folder
{
	eval "echo \"\${guest_dir_$1}\""
}

# guest_series SERIES: true if its image is there; says why if not.
guest_series()
{
	[ -f "$guest_cache/$1/vmlinuz" ] && [ -f "$guest_cache/$1/initrd.img" ] && return 0
	if [ -f "${DVISOR_SRC:-.}/images/kconfig/$1.config" ]; then
		echo "no guest image of series $1: images/build-kernel $1 builds its kernel"
	else
		echo "no guest image of series $1: run make images"
	fi
	return 1
}

# guest_start NAME SERIES [QEMU ARGUMENT...]: returns when the guest is ready.
guest_start()
{
	guest_launch "$@" && guest_wait_ready "$1"
}

# guest_launch: the same, but returns as soon as QEMU runs.
guest_launch()
{
	gl_name=$1 gl_series=$2
	shift 2
	guest_series "$gl_series" >&2 || return 1
	gl_dir=$(mktemp -d "${TMPDIR:-/tmp}/dvguest.XXXXXX") || return 1
	eval "guest_dir_$gl_name=\$gl_dir"
	guest_names="$guest_names $gl_name"
	mkfifo "$gl_dir/shell.in" "$gl_dir/shell.out" || return 1
	: >"$gl_dir/shell.log"
	# The reader starts first and ends when QEMU closes the FIFO.
	cat "$gl_dir/shell.out" >"$gl_dir/shell.log" 2>/dev/null &
	echo $! >"$gl_dir/reader"
	case ${GUEST_MACHINE:-} in
	microvm*)
		set -- -device virtio-serial-device -chardev "pipe,id=shell,path=$gl_dir/shell" \
		    -device virtserialport,chardev=shell,name=shell "$@" ;;
	*) set -- -serial "pipe:$gl_dir/shell" "$@" ;;
	esac
	"${QEMU:-qemu-system-x86_64}" \
	    ${GUEST_MACHINE:+-M "$GUEST_MACHINE"} \
	    -accel "${GUEST_ACCEL:-tcg,thread=multi}" -cpu "${GUEST_CPU:-max}" \
	    -m "${GUEST_MEM:-512}" -smp "${GUEST_SMP:-2}" \
	    -kernel "$guest_cache/$gl_series/vmlinuz" \
	    -initrd "$guest_cache/$gl_series/initrd.img" \
	    -append "console=ttyS0 quiet panic=-1 no_timer_check ${GUEST_APPEND:-}" \
	    -display none -no-reboot -nodefaults -monitor none \
	    -serial "file:$gl_dir/console" \
	    -qmp "unix:$gl_dir/qmp,server=on,wait=off" \
	    "$@" >"$gl_dir/log" 2>&1 </dev/null &
	echo $! >"$gl_dir/pid"
}

guest_pid()			# NAME
{
	cat "$(guest_dir "$1")/pid" 2>/dev/null
}

guest_alive()			# NAME
{
	gp_pid=$(guest_pid "$1")
	[ -n "$gp_pid" ] && kill -0 "$gp_pid" 2>/dev/null
}

# guest_wait_for NAME SECONDS FILE PATTERN: a line in one of its files.
guest_wait_for()
{
	gw_file=$(guest_dir "$1")/$3
	gw_left=$(($2 * 10 * ${GUEST_PATIENCE:-1}))
	until grep -Eq -- "$4" "$gw_file" 2>/dev/null; do
		guest_alive "$1" || {
			grep -Eq -- "$4" "$gw_file" 2>/dev/null && return 0
			echo "guest $1: QEMU has ended: $(tail -n 3 "$(guest_dir "$1")/log")" >&2
			return 1
		}
		gw_left=$((gw_left - 1))
		[ $gw_left -gt 0 ] || {
			echo "guest $1: no \"$4\" in its $3 after $2 s" >&2
			return 1
		}
		sleep 0.1
	done
}

guest_wait_ready()		# NAME
{
	guest_wait_for "$1" "${GUEST_SECONDS:-120}" shell.log '^dvisor-guest: ready' ||
	    { tail -n 20 "$(guest_dir "$1")/console" >&2; return 1; }
}

# guest_send NAME COMMAND: starts a command and does not wait for its end;
# guest_run may not be used until guest_wait_for saw its "done" line.
guest_send()
{
	case $2 in
	*"
"*)	# The guest reads lines, so several travel as one.
		printf 'eval "$(echo %s | base64 -d)"\n' \
		    "$(printf '%s' "$2" | base64 | tr -d '\n')" ;;
	*)	printf '%s\n' "$2" ;;
	esac >"$(guest_dir "$1")/shell.in"
}

# guest_run NAME COMMAND [SECONDS]: prints what the command prints in the
# guest, and returns its status; 124 if it takes longer than SECONDS (60), and
# the guest can only be stopped then; 125 if the guest is gone.
guest_run()
{
	gr_dir=$(guest_dir "$1")
	gr_skip=$(wc -c <"$gr_dir/shell.log")
	gr_left=$((${3:-60} * 20 * ${GUEST_PATIENCE:-1}))
	guest_alive "$1" || { echo "guest $1: not running" >&2; return 125; }
	guest_send "$1" "$2"
	while :; do
		gr_status=$(tail -c "+$((gr_skip + 1))" "$gr_dir/shell.log" |
		    sed -n 's/.*dvisor-guest: done \([0-9][0-9]*\)$/\1/p' | tail -n 1)
		[ -n "$gr_status" ] && break
		guest_alive "$1" || { gr_status=125; break; }
		gr_left=$((gr_left - 1))
		[ $gr_left -gt 0 ] || { gr_status=124; break; }
		sleep 0.05
	done
	tail -c "+$((gr_skip + 1))" "$gr_dir/shell.log" |
	    sed 's/dvisor-guest: done [0-9][0-9]*$//' | sed '${/^$/d}'
	return "$gr_status"
}

# guest_count LINE KEY: the number after KEY= in a workload's result line.
guest_count()
{
	printf '%s\n' "$1" | sed -n "s/.*[: ]$2=\([0-9][0-9]*\).*/\1/p" | tail -n 1
}

# guest_tool NAME [COMPILER ARGUMENT...]: the program of tests/guest/NAME.c, made
# if need be.
guest_tool()
{
	gt_src=$DVISOR_SRC/tests/guest/$1.c gt_bin=$DVISOR_BUILD/obj/tests/guest/$1
	shift
	if [ ! -x "$gt_bin" ] || [ "$gt_src" -nt "$gt_bin" ]; then
		mkdir -p "${gt_bin%/*}" &&
		${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -pthread -o "$gt_bin" "$gt_src" "$@" || return 1
	fi
	echo "$gt_bin"
}

# qmp SOCKET COMMAND [ARGUMENTS]: one command to a QEMU; prints the answer.
qmp()
{
	qmp_bin=$(guest_tool qmp) && "$qmp_bin" "$@"
}

# guest_stop NAME: ends its QEMU and removes its folder.
guest_stop()
{
	gs_dir=$(guest_dir "$1")
	[ -n "$gs_dir" ] && [ -d "$gs_dir" ] || return 0
	gs_pid=$(guest_pid "$1")
	if [ -n "$gs_pid" ]; then
		kill "$gs_pid" 2>/dev/null
		gs_left=50
		while kill -0 "$gs_pid" 2>/dev/null; do
			gs_left=$((gs_left - 1))
			[ $gs_left -gt 0 ] || { kill -9 "$gs_pid" 2>/dev/null; break; }
			sleep 0.1
		done
		wait "$gs_pid" 2>/dev/null
	fi
	kill "$(cat "$gs_dir/reader")" 2>/dev/null
	wait "$(cat "$gs_dir/reader")" 2>/dev/null
	rm -rf "$gs_dir"
	eval "guest_dir_$1="
}

guest_stop_all()
{
	for gsa_name in $guest_names; do
		guest_stop "$gsa_name"
	done
	guest_names=
}

trap guest_stop_all EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
