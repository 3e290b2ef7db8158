# SPDX-License-Identifier: GPL-2.0-or-later
# 30-actions.sh - actions that the command carries out, and what it prints itself.

test_freopen_and_back()
{
	dv -w -q -n 'BEGIN { printf("one\n"); freopen("%s.%d", "f", 1); printf("two\n");
	    freopen(""); printf("three\n"); freopen("f.1"); printf("four\n"); exit(0); }'
	same status $status 0 && out "$(printf 'one\nthree')" && err '' || return 1
	same f.1 "$(cat f.1)" "$(printf 'two\nfour')"
}

test_freopen_goes_back_to_the_output_file()
{
	dv -w -q -o o -n 'BEGIN { printf("one\n"); freopen("f"); printf("two\n"); freopen("");
	    printf("three\n"); exit(0); }'
	same status $status 0 && out '' && same o "$(cat o)" "$(printf 'one\nthree')" &&
	same f "$(cat f)" two
}

test_freopen_that_fails_keeps_the_output()
{
	dv -w -q -n 'BEGIN { freopen("/nonexistent/%d", 1); printf("still here\n"); exit(0); }'
	out 'still here' && err_has '^dvisor: cannot freopen "/nonexistent/1": No such file'
}

test_ftruncate_empties_the_output_file()
{
	dv -q -o o -n 'BEGIN { printf("gone\n"); ftruncate(); printf("kept\n"); exit(0); }'
	same status $status 0 && same o "$(cat o)" kept
}

test_system_runs_in_order()
{
	dv -w -q -n 'BEGIN { printf("a\n"); system("echo %s-%d", "b", 2); printf("c\n"); exit(0); }'
	same status $status 0 && out "$(printf 'a\nb-2\nc')"
}

test_destructive_actions_need_w()
{
	for a in 'system("true")' 'freopen("f")'; do
		dv -q -n "BEGIN { $a; exit(0); }"
		same "$a: status" $status 1 && err_has 'Destructive actions not allowed' || return 1
	done
	[ ! -e f ] || fail 'a file was made'
}

test_setopt_while_tracing()
{
	dv -n 'BEGIN { trace("loud"); } BEGIN { setopt("quiet"); } BEGIN { trace("silent");
	    setopt("quiet", "no"); } BEGIN { trace("loud again"); exit(0); }'
	same status $status 0 && out_has ':BEGIN   loud  ' && out_has 'silent' &&
	out_has ':BEGIN   loud again  ' && ! grep -q 'BEGIN .*silent' out || return 1
	dv -q -n 'BEGIN { setopt("nosuch"); setopt("bufsize", "1m"); setopt("stackindent", "x");
	    exit(0); }'
	err_has "^dvisor: couldn't set option \"nosuch\" to \"\": invalid option name" &&
	err_has "couldn't set option \"bufsize\" to \"1m\": operation illegal when tracing is active" &&
	err_has "couldn't set option \"stackindent\" to \"x\": invalid value for specified option"
}

test_header_and_what_was_matched()
{
	dv -n 'BEGIN { exit(0); } END' -n BEGIN
	err "$(printf "dvisor: description 'BEGIN { exit(0); } END' matched 2 probes
dvisor: description 'BEGIN' matched 1 probe")" || return 1
	sed -n 1p out | grep -q '^CPU     ID                    FUNCTION:NAME$' ||
	fail "header: $(cat out)" || return 1
	printf 'BEGIN { exit(7); }' >s.d
	dv -F -s s.d
	same status $status 7 && err "dvisor: script 's.d' matched 1 probe" &&
	out_has '^CPU FUNCTION                                 $' && out_has '^  0 \| :BEGIN  *$'
}

test_a_hint_stands_below_its_error()
{
	dv -n 'BEGIN { printf("%d", execname); }'
	same status $status 1 && err "$(printf '%s\n\t%s\n\t %s\n\t  %s' \
	    "dvisor: invalid probe specifier BEGIN { printf(\"%d\", execname); }: [D_PRINTF_ARG_TYPE] line 1, column 22: printf( ) argument #2 is incompatible with conversion #1 prototype:" \
	    'conversion: %d' 'prototype: char, short, int, long, or long long' 'argument: string')"
}

test_aggregations_at_the_end()
{
	dv -q -n 'BEGIN { @a["x"] = count(); @b = sum(3); } tick-20ms { printa("%s %@d\n", @a); exit(0); }'
	same status $status 0 && out "$(printf 'x 1\n\n                3')"
}
