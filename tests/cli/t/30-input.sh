# SPDX-License-Identifier: GPL-2.0-or-later
# 30-input.sh - programs that are huge, deep or no text at all: one clear line,
# in bounded memory.

# input_refused RE ARGS...: one line that matches, status 1, within 1.5 GB of memory.
# Status 2 if a guest might help and several run here.
input_refused()
{
	want=$1
	shift
	(ulimit -v 1500000; timeout -k 5 60 "$dvisor" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null)
	status=$?
	[ $status = 2 ] || same status $status 1 || { head -c 300 "$tmp/err" >&2; return 1; }
	same lines "$(wc -l <"$tmp/err")" 1 && err_has "$want"
}

# rep N TEXT: the text, N times.
rep()
{
	awk -v n="$1" -v text="$2" 'BEGIN {
		while (length(text) * 2 <= 65536 && n % 2 == 0) { text = text text; n /= 2 }
		for (i = 0; i < n; i++) printf "%s", text }'
}

# deep BEFORE OPEN INNER CLOSE AFTER: 100000 levels of it are refused.
deep()
{
	{ printf '%s' "$1"; rep 100000 "$2"; printf '%s' "$3"; rep 100000 "$4"; printf '%s\n' "$5"; } \
	    >"$tmp/deep.d"
	input_refused 'nested too deeply' -e -s "$tmp/deep.d" || fail "$1 $2 $3 $4 $5"
}

test_deep_programs()
{
	deep 'BEGIN { x = ' '(' 1 ')' '; }' &&
	deep 'BEGIN ' '{' 'x = 1;' '}' '' &&
	deep 'BEGIN { x = ' '-' 1 '' '; }' &&
	deep 'BEGIN { x = ' '!' 1 '' '; }' &&
	deep 'BEGIN { x = ' '~' 1 '' '; }' &&
	deep 'BEGIN { x = ' '*' curthread '' '; }' &&
	deep 'BEGIN { x = ' '(int)' 1 '' '; }' &&
	deep 'BEGIN { x = ' 'sizeof ' 1 '' '; }' &&
	deep 'BEGIN { x = ' '1 ? 2 : ' 3 '' '; }' &&
	deep 'BEGIN { x = ' '1 ? ' 3 ': 4' '; }' &&
	deep 'BEGIN { ' 'if (1) ' 'x = 1;' '' ' }' &&
	deep 'BEGIN { ' 'if (1) {' 'x = 1;' '}' ' }' &&
	deep 'BEGIN { ' 'if (1) x = 1; else ' 'x = 1;' '' ' }' &&
	deep 'BEGIN { x = ' 'strlen(' '"a"' ')' '; }' &&
	deep 'BEGIN { x = ' 'x[' 1 ']' '; }' &&
	deep 'BEGIN { x = 1' ' && y' '' '' '; }' &&
	deep 'BEGIN { x = curthread' '->p' '' '' '; }' &&
	deep 'BEGIN { ' 'x = ' 1 '' '; }' &&
	deep 'int ' '*' p '' ';' &&
	deep 'int ' '(' p ')' ';' &&
	deep 'int p' '[1]' '' '' ';' &&
	deep 'int f' '(int' '' ')' ';' &&
	deep '' 'struct { ' 'int x; ' '} y; ' ''
}

# Comments do not nest, however many begin.
test_comments_do_not_nest()
{
	{ rep 100000 '/* '; echo ' */ BEGIN { exit(0); }'; } >"$tmp/c.d"
	dv -e -s "$tmp/c.d" || return 1
	rep 100000 '/* ' >"$tmp/c.d"
	input_refused 'D_SYNTAX. line 1, column 1: comment is not ended' -e -s "$tmp/c.d"
}

test_huge_programs()
{
	rep 616809 'BEGIN { x = 1; }
' >"$tmp/h.d" && input_refused 'the program is too large' -e -s "$tmp/h.d" &&
	{ printf 'BEGIN { x = 1'; rep 2621440 ' + 1'; echo '; }'; } >"$tmp/h.d" &&
	input_refused 'nested too deeply' -e -s "$tmp/h.d" &&
	{ printf 'BEGIN { x = "'; rep 10485760 a; echo '"; }'; } >"$tmp/h.d" &&
	input_refused 'string constant is too long' -e -s "$tmp/h.d" &&
	{ printf 'BEGIN { x = '; rep 10485760 1; echo '; }'; } >"$tmp/h.d" &&
	input_refused 'D_INT_OFLOW' -e -s "$tmp/h.d" &&
	{ rep 10485760 a; echo '{ }'; } >"$tmp/h.d" &&
	input_refused 'D_PDESC_ZERO' -e -s "$tmp/h.d" &&
	{ printf 'enum s { '; awk 'BEGIN { for (i = 0; i < 900000; i++) printf "x%d,", i }'; echo ' };'; } \
	    >"$tmp/h.d" && input_refused 'too many members' -e -s "$tmp/h.d" &&
	awk 'BEGIN { for (i = 0; i < 700000; i++) printf "int v%d;\n", i }' >"$tmp/h.d" &&
	input_refused 'D_ID_OFLOW. line [0-9]*, column 5: too many variables' -e -s "$tmp/h.d" &&
	{ printf 'BEGIN /'; rep 2500000 '1 / '; echo '1/ { }'; } >"$tmp/h.d" &&
	input_refused 'nested too deeply' -e -s "$tmp/h.d" &&
	{ printf '/*'; rep 10485760 x; echo '*/ BEGIN { exit(0); }'; } >"$tmp/h.d" &&
	dv -e -s "$tmp/h.d"
}

test_endless_programs()
{
	input_refused 'larger than 67108864 bytes' -e -s /dev/zero &&
	mkfifo "$tmp/pipe" || return 1
	yes 'int x;' >"$tmp/pipe" 2>/dev/null &
	input_refused 'larger than 67108864 bytes' -e -s "$tmp/pipe" || return 1
	wait $!
	printf '#include "%s"\n' "$tmp/inc.d" >"$tmp/inc.d"
	input_refused 'cpp: .*inc.d:1.*#include nested depth|inc.d:1.*#include nested depth' -e -C -s "$tmp/inc.d" ||
	    return 1
	awk 'BEGIN { print "#define A0 int xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx;"
	    for (i = 1; i < 7; i++) { printf "#define A%d", i
		for (j = 0; j < 12; j++) printf " A%d", i - 1; print "" }
	    print "A6" }' >"$tmp/big.d"
	input_refused 'cpp made more than 64 MB|cpp needed more than' -e -C -s "$tmp/big.d"
}

# No text: the first byte that cannot be is told with its place.
test_binary_programs()
{
	printf 'BEGIN\n{ x = "a\000b"; }' >"$tmp/b.d" &&
	input_refused 'D_SYNTAX. line 2, column 9: the text has a NUL byte here' -e -s "$tmp/b.d" &&
	printf '/* \000 */ BEGIN { }' >"$tmp/b.d" &&
	input_refused 'D_SYNTAX. line 1, column 4: the text has a NUL byte here' -e -s "$tmp/b.d" &&
	printf 'BEGIN { x\303\251 = 1; }' >"$tmp/b.d" &&
	input_refused 'D_SYNTAX. line 1, column 10: character .xc3 is not part of D' -e -s "$tmp/b.d" &&
	printf '\377\376\375' >"$tmp/b.d" &&
	input_refused 'D_SYNTAX. line 1, column 1: character .xff is not part of D' -e -s "$tmp/b.d" &&
	input_refused 'D_SYNTAX. line 1, column' -e -s "$dvisor" &&
	printf '/* \377 */ BEGIN { x = "\377\376\303\251"; y = '"'\\\\377'"'; exit(0); }' >"$tmp/b.d" &&
	dv -e -s "$tmp/b.d"
}

# Each tag has a line in docs/errors.md, and a program in tests/d unless it says
# why it is never raised.
test_error_tags_are_documented()
{
	sed -n 's/^DC_TAG(\(.*\))/D_\1/p' "$DVISOR_SRC/dcomp/errtags.def" >"$tmp/tags" &&
	sed -n 's/^| `\(D_[A-Z_]*\)` .*/\1/p' "$DVISOR_SRC/docs/errors.md" >"$tmp/lines" &&
	diff "$tmp/tags" "$tmp/lines" >&2 || fail "docs/errors.md has other tags than errtags.def" || return 1
	while read -r tag; do
		grep -q "^| \`$tag\` | never raised: " "$DVISOR_SRC/docs/errors.md" &&
		    ! grep -qw "$tag" "$DVISOR_SRC"/dcomp/*.[cly] && continue
		ls "$DVISOR_SRC"/tests/d/*/err."$tag".*.d >/dev/null 2>&1 ||
		    fail "$tag: no program in tests/d raises it" || return 1
	done <"$tmp/tags"
}
