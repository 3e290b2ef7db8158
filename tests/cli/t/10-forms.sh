# SPDX-License-Identifier: GPL-2.0-or-later
# 10-forms.sh - ways to say what to trace, and what comes of it.

test_description_and_clause_in_arguments_of_their_own()
{
	dv -qn BEGIN '/1 > 0/ { exit(3); }'
	same 'predicate and action' $status 3 || return 1
	dv -qn BEGIN '/1 > 0/' '{ exit(4); }'
	same 'two arguments' $status 4 || return 1
	dv -qn BEGIN '{ exit(5); }'
	same action $status 5 || return 1
	dv -qP dtrace '/probename == "BEGIN"/ { exit(6); }'
	same -P $status 6 || return 1
	dv -qi 1 '{ exit(7); }'
	same -i $status 7 || return 1
	dv -qm dtrace: '/probename == "BEGIN"/ { exit(8); }'
	same -m $status 8 || return 1
	dv -qf dtrace:: '/probename == "BEGIN"/ { exit(9); }'
	same -f $status 9
}

test_a_path_is_an_argument_of_the_program()
{
	dv -qn 'BEGIN { printf("%s\n", $$1); exit(0); }' /etc/passwd && out /etc/passwd
}

test_a_clause_in_the_same_argument()
{
	dv -qP 'dtrace/probename == "END"/{ exit(2); }' -n 'BEGIN { exit(1); }'
	same status $status 2
}

test_several_programs_share_their_variables()
{
	printf 'BEGIN { x = 5; }\n' >a.d
	printf 'BEGIN { printf("%%s %%d\\n", $$0, x); }\n' >b.d
	dv -q -s a.d -s b.d -n 'BEGIN { x++; }' -n 'BEGIN { exit(x); }'
	same status $status 6 && out 'b.d 5
'
}

# As in DTrace: a probe that two descriptions match is enabled twice.
test_each_description_enables()
{
	dv -n 'BEGIN, BEGIN, dtrace:::BEG* { x++; }' -n 'BEGIN { exit(x); }'
	same status $status 3 && err "dvisor: description 'BEGIN, BEGIN, dtrace:::BEG* { x++; }' matched 3 probes
dvisor: description 'BEGIN { exit(x); }' matched 1 probe"
}

test_matched_probes_are_counted_as_written()
{
	printf 'BEGIN,END { x++; }\nERROR { if (x) y = 1; else y = 2; }\n' >a.d
	dv -s a.d -n 'BEGIN { exit(0); }' && err "dvisor: script 'a.d' matched 3 probes
dvisor: description 'BEGIN { exit(0); }' matched 1 probe"
}

test_compile_only()
{
	dv -en 'BEGIN { printf("x"); }' && out '' &&
	err "dvisor: description 'BEGIN { printf(\"x\"); }' matched 1 probe" &&
	dv -qen 'BEGIN { printf("x"); }' && out '' && err '' &&
	refused 1 'D_IDENT_UNDEF|D_FUNC_UNDEF' -en 'BEGIN { nosuch(); }'
}

test_list()
{
	dv -l -n BEGIN -n END && out '   ID   PROVIDER            MODULE                          FUNCTION NAME
    1     dtrace                                                     BEGIN
    2     dtrace                                                     END' &&
	dv -l -i 2 && out_has '^    2     dtrace .* END$' &&
	dv -lP dtrace && same lines "$(wc -l <"$tmp/out")" 4 &&
	dv -ln 'profile:::tick-17hz' && out_has 'tick-17hz$'
}

test_list_verbose()
{
	dv -lvn BEGIN && out "   ID   PROVIDER            MODULE                          FUNCTION NAME
    1     dtrace                                                     BEGIN

	Probe Description Attributes
		Identifier Names: Stable
		Data Semantics:   Stable
		Dependency Class: Common

	Argument Attributes
		Identifier Names: Stable
		Data Semantics:   Stable
		Dependency Class: Common

	Argument Types
		None
"
}

test_verbose_tells_stability()
{
	dv -vn 'tick-1ms { exit(0); }' && sed 13q "$tmp/out" >head && same report "$(cat head)" "
Stability attributes for description tick-1ms:

	Minimum Probe Description Attributes
		Identifier Names: Evolving
		Data Semantics:   Evolving
		Dependency Class: Common

	Minimum Statement Attributes
		Identifier Names: Stable
		Data Semantics:   Stable
		Dependency Class: Common"
}

test_listing_of_code()
{
	dv -Sqen 'int x; BEGIN /x == 3/ { trace(x); }' && out '' && sed 3q "$tmp/err" >head &&
	same head "$(sed 's/DIFO 0x[0-9a-f]*/DIFO 0x1/' head)" '
DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION' &&
	err_has '^00: [0-9a-f]{8}    ldgs DT_VAR\(1280\), %r1 +! DT_VAR\(1280\) = "x"$' &&
	err_has '^[0-9]+: [0-9a-f]{8}    ret  %r[1-7]$' &&
	err_has '^NAME             ID   KND SCP FLAG TYPE$' &&
	err_has '^x                500  scl glb r    D type \(integer\) \(size 4\)$' || return 1
	cp "$tmp/err" want
	dv -x verbose -qen 'int x; BEGIN /x == 3/ { trace(x); }' && cmp want "$tmp/err"
}

test_program_as_it_was_understood()
{
	cat >p.d <<'D'
#pragma D option quiet
inline int k = $1;
struct s { int a; char b[4]; };
int seen[int, string];
BEGIN, END
/k > -5 || $$2 == "a\tb\""/
{
	x = 'a' + k * (3 - -2) + sizeof (struct s);
	self->t = (char)x; this->u = (struct s *)0;
	if (x > 5) {
		printf("%d %s\n", x, probename);
		if (k) trace(1 / (x - 85)); else { trace(3); @a[x, "b"] = quantize(x, 2); }
		trace(7);
	} else if (x == 3)
		exit(1);
	seen[1, "x"]++;
	@ = count();
	{ z = offsetof(struct s, b); }
}
BEGIN { trace(stringof ("x")); trace(-(-x)); trace(- -x); trace(!x ? 5 : z); exit(seen[1, "x"]); }
D
	for arg in -4 0 7 100; do
		dv -s p.d -- $arg 'a	b"'
		one=$status
		cp "$tmp/out" one && dv -des p.d -- $arg 'a	b"' && cp "$tmp/out" dumped.d || return 1
		# $1 is left in a declaration alone, $2 is a value now.
		dv -s dumped.d -- $arg
		same status $status $one && cmp one "$tmp/out" || return 1
	done
	! grep -qw if dumped.d || fail "an if is left"
}

test_text_that_is_dumped()
{
	dv -dqen 'int x; BEGIN /x/ { if (x = $1) trace("\001\""); }' 5 && out 'int x;

BEGIN
{
	this->__fault0 = 0;
	this->__run0 = 0;
	this->__if0 = 0;
}

BEGIN
/x/
{
	this->__run0 = 1;
}

BEGIN
/this->__fault0 == 0 && this->__run0 == 1/
{
	this->__fault0 = 1;
	this->__if0 = (x = 5) ? 1 : 2;
	this->__fault0 = 0;
}

BEGIN
/this->__fault0 == 0 && this->__if0 == 1/
{
	this->__fault0 = 1;
	trace("\001\"");
	this->__fault0 = 0;
}'
}

test_scripts_are_commands()
{
	printf '#!%s -qs\nBEGIN { printf("%%s %%s %%d\\n", $$0, $$1, $2); exit(0); }\n' "$dvisor" >a.d
	printf '#!%s -Cqs\n#define N 12\nBEGIN { exit(N + $1); }\n' "$dvisor" >c.d
	printf '#!%s -s\n#pragma D option quiet\nBEGIN { exit($1); }\n' "$dvisor" >s.d
	chmod +x a.d c.d s.d
	timeout 20 ./a.d word 5 >"$tmp/out" 2>"$tmp/err"
	same status $? 0 && out './a.d word 5' || return 1
	timeout 20 ./c.d 3 >"$tmp/out" 2>"$tmp/err"
	same status $? 15 || return 1
	timeout 20 ./s.d 8 >"$tmp/out" 2>"$tmp/err"
	same status $? 8
}

test_looking_for_an_image_leaves_nothing_behind()
{
	XDG_CACHE_HOME=$tmp/cache dv doctor
	out_has '^default guest image +missing: make it with `make images`$' || return 1
	XDG_CACHE_HOME=$tmp/cache dv guest --name nobody
	[ $status = 1 ] && [ ! -e "$tmp/cache" ] || fail "$status: $(cat "$tmp/err"; find "$tmp/cache")"
}
