# SPDX-License-Identifier: GPL-2.0-or-later
# 20-options.sh - options: each does what it says, or is refused with its reason.

test_options_without_a_meaning_are_refused()
{
	for o in -h -G -a -A -32 -64 -Xa; do
		refused 2 "option ${o%a} is not supported: |option $o is not supported: " $o -n BEGIN || return 1
	done
	for o in core ctfpath=x ctypes=x debug disasm=1 dtypes=x evaltime=main grabanon iregs=4 \
	    knodefs ldpath=x linkmode=static linktype=elf lockmem=1m modpath=x pcapsize=64 pgmax=8 \
	    preallocate=1m procfspath=/proc stdc=a strip tree=1 tregs=16 udefs unodefs useruid=5; do
		refused 2 "failed to set option '${o%%=*}' to '.*': [-a-z]" -x $o -n BEGIN || return 1
		! grep -q 'Invalid' "$tmp/err" || fail "$o: no reason: $(cat "$tmp/err")" || return 1
	done
	refused 2 "failed to set option 'nosuch' to '': Invalid option name" -x nosuch -n BEGIN
}

test_values_are_checked()
{
	for o in aggrate=0 aggrate=x aggsize=1 bufpolicy=no bufresize=no bufsize=many cleanrate=5x cleanrate=1ns cpu=x \
	    dynvarsize=3 flowindent=maybe nspec=-1 quiet=2 specsize=1 stackframes=0 strsize=1 \
	    switchrate=0hz amin=Stable maxframes=0 version=one temporal=x nolibs=x cpppath libdir; do
		case $o in *=*) v=${o#*=} ;; *) v= ;; esac
		refused 2 "failed to set option '${o%%=*}' to '$v': Invalid value for specified option" \
		    -x $o -n BEGIN || return 1
	done
}

test_buffers_are_made_smaller()
{
	dv -b 64g -qn 'BEGIN { exit(3); }'
	same status $status 3 && err_has '^dvisor: buffer size lowered to [0-9]+[gm]$' || return 1
	dv -b 64g -x quietresize -qn 'BEGIN { exit(3); }'
	same status $status 3 && err '' || return 1
	dv -x aggsize=16g -qn 'BEGIN { @ = count(); exit(3); }'
	same status $status 3 && { err '' 2>/dev/null || err_has '^dvisor: aggregation size lowered'; } || return 1
	refused 1 'could not enable tracing: cannot make [0-9]+ bytes of buffers' \
	    -b 64g -x bufresize=manual -n 'BEGIN { exit(3); }'
}

test_one_cpu()
{
	dv -x cpu=0 -qn 'BEGIN { exit(3); }'
	same status $status 3 &&
	refused 2 "failed to set option 'cpu' to '5': there is no such CPU" -x cpu=5 -n 'BEGIN { exit(3); }'
}

test_preprocessor()
{
	mkdir inc && echo '#define FOUND 7' >inc/found.h
	printf '#include "found.h"\nBEGIN { exit(FOUND + GIVEN); }\n' >p.d
	dv -qCs p.d -I inc -D GIVEN=2
	same '-D -I' $status 9 || return 1
	dv -q -x cpp -x incdir=inc -x define=GIVEN=3 -s p.d
	same '-x define incdir' $status 10 || return 1
	dv -qC -H -I inc -D GIVEN=2 -s p.d
	same -H $status 9 && err_has '^\. inc/found.h$' || return 1
	dv -qC -x cpphdrs -I inc -D GIVEN=2 -s p.d
	err_has '^\. inc/found.h$' || return 1
	dv -qC -U __unix__ -n '
#ifdef __unix__
BEGIN { exit(1); }
#else
BEGIN { exit(2); }
#endif'
	same -U $status 2 || return 1
	dv -qC -x undef=__unix__ -n '
#ifdef __unix__
BEGIN { exit(1); }
#else
BEGIN { exit(__SUNW_D_VERSION == 0x0100d000 ? 2 : 3); }
#endif'
	same '-x undef' $status 2 || return 1
	printf '#!/bin/sh\nexec cpp -DMINE=11 "$@"\n' >mycpp && chmod +x mycpp &&
	dv -qC -x cpppath=./mycpp -n 'BEGIN { exit(MINE); }'
	same cpppath $status 11 || return 1
	refused 1 'cannot run ./none for -C' -C -x cpppath=./none -n 'BEGIN { exit(MINE); }' &&
	refused 2 '-D is cpp.s: it needs -C' -D X -n BEGIN &&
	refused 1 'line 3, column 14: macro variable' -C -n '
#define X
BEGIN { exit($nosuch); }'
}

test_libraries()
{
	mkdir lib sys
	printf '#pragma D depends_on library z.d\ninline int A = Z + 1;\n' >lib/a.d
	printf 'inline int Z = 4;\n' >lib/z.d
	printf 'inline int S = 30;\n' >sys/s.d
	dv -qL lib -n 'BEGIN { exit(A + SIGHUP); }'
	same -L $status 6 || return 1
	dv -q -x libdir=lib -x syslibdir=sys -n 'BEGIN { exit(A + S); }'
	same syslibdir $status 35 || return 1
	dv -q -x nolibs -n 'inline int SIGHUP = 9; BEGIN { exit(SIGHUP); }'
	same nolibs $status 9 || return 1
	refused 1 'cannot open library folder ./none' -L ./none -n BEGIN &&
	printf '#pragma D depends_on library a.d\ninline int Z = 4;\n' >lib/z.d &&
	refused 1 'circular dependency: z.d => a.d' -L lib -n BEGIN &&
	printf '#pragma D attributes x y\n' >lib/z.d &&
	refused 1 'failed to compile library lib/z.d: \[D_PRAGMA_INVAL\] line 1, column 1: invalid' -L lib -n BEGIN
}

test_library_without_what_it_needs()
{
	mkdir lib
	printf '#pragma D depends_on provider nosuch\ninline int N = 1;\n' >lib/n.d
	printf '#pragma D depends_on library n.d\ninline int M = 1;\n' >lib/a.d
	printf 'inline struct nosuch *P = (struct nosuch *)0;\ninline int Q = 5;\n' >lib/p.d
	dv -qL lib -n 'BEGIN { exit(Q); }'
	same status $status 5
}

test_library_that_declares_again()
{
	mkdir lib
	printf 'inline int A = 1;\ntypedef int t_t;\nstruct s { int i; };\nstruct o { int i; };
translator struct o < struct s *p > { i = p->i; };\nint v;\nenum e { E };\n' >lib/a.d
	for text in 'inline int A = 1;' 'inline long A = 2;' 'typedef long t_t;' 'struct s { long l; };' \
	    'translator struct o < struct s *p > { i = 0; };' 'long v;' 'enum e { F };' \
	    'enum { E = 7 };' 'inline int pid = 1;' 'int execname;' 'inline int strlen = 1;'; do
		printf '%s\n' "$text" >lib/b.d
		refused 1 'failed to compile library lib/b.d: \[D_[A-Z_]*RED[A-Z]*\] line 1, column' \
		    -L lib -n BEGIN || return 1
	done
	printf 'typedef int t_t;\nint v;\n' >lib/b.d
	dv -qL lib -n 'BEGIN { exit((t_t)A + 1); }'
	same 'declared again alike' $status 2
}

test_libraries_that_are_none()
{
	mkdir lib
	for text in 'inline int Q = 1' '\200\201;' '}};' 'garbage !!' 'inline int P = 1;\n"'; do
		printf "$text" >lib/a.d
		refused 1 'failed to compile library lib/a.d: \[D_S[TRYNAX_L]*\] line [12], column' \
		    -L lib -n BEGIN || return 1
	done
	printf 'inline int P = 1;\0inline int Q = 2;\n' >lib/a.d
	refused 1 'lib/a.d has a NUL byte' -L lib -n BEGIN
}

test_macros()
{
	dv -qn 'BEGIN { printf("%d %d\n", $uid == $euid, $gid == $egid); exit($pid > 1 && $ppid > 0 && $sid >= 0 ?
	    0 : 1); }' && out '1 1
' &&
	refused 1 'D_MACRO_UNDEF.*\$target is not defined: give -p or -c' -n 'BEGIN { exit($target); }' &&
	refused 1 'D_MACRO_UNUSED.*extraneous argument .b. \(\$2' -n 'BEGIN { exit($1); }' 5 b &&
	refused 1 'D_MACRO_UNDEF.*macro argument \$2' -n 'BEGIN { exit($1 + $2); }' 5 &&
	refused 1 'D_MACRO_UNUSED.*extraneous argument .300. \(\$300' -n 'BEGIN { trace($1); }' 1 \
	    -x defaultargs -n "BEGIN { $(seq -s ' ' -f 'x = $%g;' 2 299) }" $(seq 2 300) &&
	dv -qp 77 -n 'BEGIN { exit($target); }'
	same -p $status 77 || return 1
	dv -qn 'BEGIN { printf("%s\n", $$0); exit(0); }' && out 'dvisor
' &&
	dv -q -x defaultargs -n 'BEGIN { exit($1 + 3); }'
	same defaultargs $status 3
}

test_output_is_appended()
{
	echo first >f && dv -q -o f -n 'BEGIN { printf("second\n"); exit(0); }' && out '' &&
	same file "$(cat f)" 'first
second' &&
	dv -do g -n 'BEGIN { exit(0); }' && out '' && same -d "$(sed 2q g)" 'BEGIN
{' &&
	dv -o l -ln BEGIN && out '' && grep -q 'BEGIN$' l &&
	refused 1 'cannot open output file ./no/file' -o ./no/file -ln BEGIN &&
	dv -v -o f -n 'BEGIN { exit(0); }' && out '' && grep -q '^Stability attributes' f
}

test_exit_statuses()
{
	dv -qn 'BEGIN { exit(0); }' || fail 'exit(0)' || return 1
	for n in 1 2 77; do
		dv -qn "BEGIN { exit($n); }"
		same exit $status $n || return 1
	done
	dv -qn 'BEGIN { exit(1); } END { exit(4); }'
	same 'exit in END' $status 4 || return 1
	dv -n 'BEGIN { exit($nosuch); }'
	same 'a program that is wrong' $status 1 || return 1
	dv -n
	same 'a command line that is wrong' $status 2 && err_has 'option -n needs an argument' || return 1
	dv
	same 'no arguments' $status 2 && err_has '^usage: dvisor' 2>/dev/null || out_has '^usage: dvisor'
}

test_reader_that_goes_away()
{
	timeout 20 "$dvisor" -qn 'tick-1ms { printf("%060d\n", ++n); }' 2>"$tmp/err" | head -n 1 >"$tmp/out"
	out 000000000000000000000000000000000000000000000000000000000001 &&
	err 'dvisor: cannot write output: Broken pipe'
}

test_version()
{
	dv -V && out_has '^dvisor: dvisor [0-9.]+, D [0-9]+\.[0-9]+$' && cp "$tmp/out" "$tmp/v" &&
	dv --version && cmp "$tmp/v" "$tmp/out"
}

# What no guest puts right is told at once, whether guests run or not.
test_errors_that_are_no_guests_matter()
{
	for program in 'BEGIN { trace(1 + "a"); }' 'BEGIN { x = 1; x = "a"; }' 'BEGIN { 1 = 2; }' \
	    'BEGIN { trace(&1); }' 'BEGIN { trace(*1); }' 'BEGIN { trace(args[0]); }' \
	    'BEGIN { trace(nosuch()); }' 'BEGIN { trace(sizeof(void)); }' \
	    'BEGIN { @a[1] = count(); @a[""] = count(); }' 'BEGIN { trace(1.5); }' \
	    'struct s { int a; }; BEGIN { trace(((struct s *)0)->b); }' 'nosuch:::probe' \
	    'dtrace:::NOSUCH' 'tick-x' 'BEGIN, END { trace(args[1]); }'; do
		refused 1 '^dvisor: invalid probe specifier' -n "$program" || return 1
	done
	refused 1 'tick-9000hz does not match any probes: the fastest rate is 5000hz$' \
	    -n tick-9000hz &&
	refused 1 'profile-9001 does not match any probes: the fastest rate is 5000hz$' \
	    -n profile:::profile-9001 &&
	refused 1 'a rate is a number and one of hz, ns, us, ms, s, m, h and d$' -n tick-10q
}

test_unmatched_descriptions()
{
	dv -qZn 'nosuch:::probe { exit(1); }' -n 'BEGIN { exit(5); }'
	same -Z $status 5 || return 1
	dv -x zdefs -qn 'nosuch:::probe { exit(1); }' -n 'BEGIN { exit(5); }'
	same zdefs $status 5
}
