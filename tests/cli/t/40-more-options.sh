# SPDX-License-Identifier: GPL-2.0-or-later
# 40-more-options.sh - what options change in the messages and in the output.

drops='a[1] = 1; a[2] = 1; a[3] = 1; a[4] = 1; a[5] = 1; a[6] = 1; a[7] = 1; a[8] = 1;
    a[9] = 1; a[10] = 1; a[11] = 1; a[12] = 1; a[13] = 1; a[14] = 1; a[15] = 1; a[16] = 1;'

test_drops_say_their_tag()
{
	dv -x dynvarsize=1k -qn "BEGIN { $drops exit(0); }" || return 1
	err_has '^dvisor: [0-9]* dynamic variable drops$' || return 1
	dv -x dynvarsize=1k -x droptags -x statusrate=10hz -qn "BEGIN { $drops exit(0); }" || return 1
	err_has '^dvisor: \[DTRACEDROP_DYNAMIC\] [0-9]* dynamic variable drops$'
}

test_errors_say_their_tag()
{
	dv -n 'BEGIN { trace(1 +); }'
	err_has ': \[D_SYNTAX\] line 1, column ' || return 1
	dv -x errtags -n 'BEGIN { trace(1 +); }'
	err_has ': \[D_SYNTAX\] line 1, column ' || return 1
	dv -x errtags=0 -n 'BEGIN { trace(1 +); }'
	err_has ': line 1, column ' && ! grep -q D_SYNTAX "$tmp/err"
}

test_a_program_may_be_empty()
{
	: >empty.d
	refused 1 '\[D_EMPTY\] .*the program is empty' -s empty.d || return 1
	dv -x empty -s empty.d -qn 'BEGIN { exit(7); }'
	same status $status 7
}

test_what_is_always_so()
{
	dv -x late=dynamic -qn 'BEGIN { exit(3); }'
	same late $status 3 || return 1
	refused 2 "'late' to 'static': translators are looked for when they are used" \
	    -x late=static -n BEGIN || return 1
	refused 2 "'lazyload' to '': there are no object files" -x lazyload -n BEGIN || return 1
	refused 2 "'nojtanalysis' to '': functions are read" -x nojtanalysis -n BEGIN || return 1
	refused 2 "'printsize' to '8': print\\(\\) shows" -x printsize=8 -n BEGIN || return 1
	refused 2 "'rawquantize' to '': distributions are always drawn" -x rawquantize -n BEGIN || return 1
	refused 2 "'jstackstrsize' to '100': there is no jstack\\(\\)" -x jstackstrsize=100 -n BEGIN || return 1
	refused 2 "'ustackframes' to '0': Invalid value" -x ustackframes=0 -n BEGIN
}

test_help_is_output()
{
	dv --help || return 1
	out_has '^usage: dvisor ' && same messages "$(cat "$tmp/err")" ''
}

test_help_has_what_the_manual_has()
{
	dv --help || return 1
	flags=$(sed -n '/^\.Op Fl C/{s/^\.Op Fl //;p;q;}' "$DVISOR_SRC/docs/dvisor.1")
	[ -n "$flags" ] || fail "no flags in the manual" || return 1
	out_has "\\[-$flags\\]" || return 1
	for w in --boot --kernel --initrd --append --hold --stop --resume --symbols --profile; do
		out_has "[^a-z]$w" || return 1
	done
}
