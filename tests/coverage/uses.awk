# SPDX-License-Identifier: GPL-2.0-or-later
#
# uses.awk - which features does a test use? A line "KIND NAME TEST" for each.
#
# Reads D programs of tests/d, named by their file, and shell tests, named by
# file and function. A D program is taken apart into tokens, without comments
# and strings; whether - + * & are unary, and ++ -- come before or after, is told
# by the token before them. Of the shell only what is quoted for D matters: its
# single quotes go, the rest is read in the same way, and words that begin with
# a dash are flags.
#
#	-v FEATURES=FILE	the list that `features` makes
BEGIN {
	while ((getline line < FEATURES) > 0) {
		split(line, f, " ")
		is[f[1], f[2]] = 1
	}
	n = split("function action aggregation variable operator conversion", w, " ")
	for (i = 1; i <= n; i++)
		runs[w[i]] = 1
	n = split("<<= >>= ... == != <= >= && || ^^ << >> ++ -- -> += -= *= /= %= &= ^= |=", w, " ")
	for (i = 1; i <= n; i++)
		punct[w[i]] = 1
	split("OP_ASGN = OP_MUL_EQ *= OP_DIV_EQ /= OP_MOD_EQ %= OP_ADD_EQ += OP_SUB_EQ -= " \
	    "OP_LSH_EQ <<= OP_RSH_EQ >>= OP_AND_EQ &= OP_XOR_EQ ^= OP_OR_EQ |= OP_LOR || " \
	    "OP_LXOR ^^ OP_LAND && OP_BOR | OP_XOR ^ OP_EQ == OP_NE != OP_LT < OP_LE <= " \
	    "OP_GT > OP_GE >= OP_LSH << OP_RSH >> OP_DIV / OP_MOD % OP_NOT ! OP_BNEG ~ " \
	    "OP_DOT . OP_ARROW ->", w, " ")
	for (i = 1; i in w; i += 2)
		op[w[i + 1]] = w[i]
	split("+ OP_ADD OP_POS - OP_SUB OP_NEG * OP_MUL OP_DEREF & OP_BAND OP_ADDR " \
	    "++ OP_POSTINC OP_PREINC -- OP_POSTDEC OP_PREDEC", w, " ")
	for (i = 1; i in w; i += 3) {
		after[w[i]] = w[i + 1]		# an operand
		alone[w[i]] = w[i + 2]
	}
}

# A program that is refused shows nothing of what runs, unless for being refused.
function use(kind, name)
{
	if (test ~ /\/err\./ && test !~ /err\.D_VAR_UNSUP/ && (kind in runs))
		return
	if (((kind, name) in is) && !seen[kind, name, test]++)
		print kind, name, test
}

# Conversions of a string constant.
function conversions(s,    m, i, c)
{
	while (match(s, /%[-+ #0'@]*(\*|[0-9]+)?(\.(\*|[0-9]+)?)?@?(hh|h|ll|l|L|q|j|z|t)?(wc|ws|[A-Za-z%])/)) {
		m = substr(s, RSTART + 1, RLENGTH - 1)
		s = substr(s, RSTART + RLENGTH)
		c = m ~ /w[cs]$/ ? substr(m, length(m) - 1) : substr(m, length(m))
		use("conversion", c)
		if (m ~ /^[-+ #'@]*0/)
			use("conversion", "0")
		if (m ~ /@/)
			use("conversion", "@")
		if (m ~ /\*/)
			use("conversion", "*")
		if (m ~ /\.[0-9*]/)
			use("conversion", ".N")
		for (i = 1; i <= length(m) && index("-+ #0'@", substr(m, i, 1)); i++) {
			c = substr(m, i, 1)
			use("conversion", c == " " ? "space" : c)
		}
	}
}

function word(t, next_is_call)
{
	use("keyword", t)
	use("variable", t)
	if (next_is_call) {
		use("function", t)
		use("action", t)
		use("aggregation", t)
	}
	if (t == "args")
		use("variable", "args")
}

# The text of a program, comments still in it.
function program(s,    t, prev, operand, depth, rest, m)
{
	prev = ""
	operand = 0
	depth = 0
	while (s != "") {
		if (match(s, /^[ \t\n\r\\]+/)) {
			s = substr(s, RLENGTH + 1)
			continue
		}
		if (substr(s, 1, 2) == "/*") {
			m = index(substr(s, 3), "*/")
			s = m ? substr(s, m + 4) : ""
			continue
		}
		if (match(s, /^"([^"\\]|\\.)*"/)) {
			t = substr(s, 1, RLENGTH)
			s = substr(s, RLENGTH + 1)
			conversions(t)
			if (prev == "(" && called == "setopt")
				use("option", substr(t, 2, length(t) - 2))
			operand = 1
			prev = "s"
			continue
		}
		if (match(s, /^'([^'\\]|\\.)*'/)) {
			s = substr(s, RLENGTH + 1)
			operand = 1
			prev = "c"
			continue
		}
		if (match(s, /^\$\$?[A-Za-z0-9_]+/)) {
			t = substr(s, 2, RLENGTH - 1)
			s = substr(s, RLENGTH + 1)
			if (t ~ /^\$/)
				use("macro", "$N")
			sub(/^\$/, "", t)
			use("macro", t ~ /^[0-9]+$/ ? "N" : t)
			operand = 1
			prev = "m"
			continue
		}
		if (match(s, /^[A-Za-z_][A-Za-z0-9_]*/)) {
			t = substr(s, 1, RLENGTH)
			s = substr(s, RLENGTH + 1)
			rest = s
			sub(/^[ \t\n]+/, "", rest)
			if (prev != "." && prev != "->") {
				word(t, substr(rest, 1, 1) == "(")
				called = t
			}
			operand = !(("keyword", t) in is) || t == "self" || t == "this"
			prev = "w"
			continue
		}
		if (match(s, /^(0[xX][0-9A-Fa-f]+|[0-9]+)[uUlL]*/)) {
			s = substr(s, RLENGTH + 1)
			operand = 1
			prev = "n"
			continue
		}
		t = substr(s, 1, 3)
		if (!(t in punct)) {
			t = substr(s, 1, 2)
			if (!(t in punct))
				t = substr(s, 1, 1)
		}
		s = substr(s, length(t) + 1)
		if (t in after)
			use("operator", operand ? after[t] : alone[t])
		else if (t in op)
			use("operator", op[t])
		else if (t == "?")
			use("operator", "OP_COND")
		else if (t == "(" || t == "[")
			grouping[++depth] = t == "(" && prev != "w"
		else if ((t == ")" || t == "]") && depth > 0)
			depth--
		else if (t == "," && depth > 0 && grouping[depth])
			use("operator", "OP_COMMA")
		operand = t == ")" || t == "]" || ((t == "++" || t == "--") && operand)
		prev = t
	}
}

# Options and pragmas, line by line.
function lines_of(s,    l, n, i, w, k, m)
{
	n = split(s, l, "\n")
	for (i = 1; i <= n; i++) {
		if (match(l[i], /^[ \t]*#[ \t]*(pragma[ \t]+D[ \t]+)?[a-z_]+/)) {
			m = substr(l[i], RSTART, RLENGTH)
			sub(/^.*[ \t#]/, "", m)
			use("pragma", m)
			if (m == "option") {
				m = l[i]
				sub(/^.*option[ \t]+/, "", m)
				sub(/[=\r].*/, "", m)
				use("option", m)
			}
		}
		if (match(l[i], /\/\/ opts:/)) {
			k = split(substr(l[i], RSTART + 8), w, /[ \t]+/)
			for (; k > 0; k--) {
				sub(/=.*/, "", w[k])
				use("option", w[k])
			}
		}
		if (match(l[i], /\/\/ flags:.*Z/))
			use("flag", "Z")
	}
}

# Words of the shell: flags, alone or together (-qn), and options.
function shell(s,    w, n, i, j, t)
{
	gsub(/\\\n/, " ", s)
	n = split(s, w, /[ \t\n;()"']+/)
	for (i = 1; i <= n; i++) {
		t = w[i]
		if (t ~ /^--[a-z]/)
			use("flag", t)
		else if (t ~ /^-[A-Za-z36]/) {
			for (j = 2; j <= length(t); j++) {
				use("flag", substr(t, j, 1))
				if (index("nsPmfixDUILcpb", substr(t, j, 1)))
					break
			}
			if (substr(t, j, 1) == "x") {
				t = j < length(t) ? substr(t, j + 1) : w[i + 1]
				sub(/=.*/, "", t)
				use("option", t)
			}
		} else if (t ~ /^[a-z]+(=.*)?$/) {	# a list that a loop goes through
			sub(/=.*/, "", t)
			if (s ~ /-x \$o/)
				use("option", t)
		}
	}
	gsub(/'/, " ", s)
	program(s)
	lines_of(s)
	while (match(s, /D_[A-Z_0-9]+/)) {
		use("tag", substr(s, RSTART, RLENGTH))
		s = substr(s, RSTART + RLENGTH)
	}
}

function flush(    m)
{
	if (text == "")
		return
	if (is_shell)
		shell(text)
	else {
		m = test
		if (match(m, /err\.D_[A-Z_0-9]+/))
			use("tag", substr(m, RSTART + 4, RLENGTH - 4))
		program(text)
		lines_of(text)
	}
	text = ""
}

FNR == 1 {
	flush()
	file = FILENAME
	sub(/^.*tests\//, "", file)
	is_shell = file !~ /\.d$/
	sub(/\.(d|sh)$/, "", file)
	test = file
}
is_shell && /^[a-z_0-9]+\(\)/ {
	flush()
	test = file "/" substr($0, 1, index($0, "(") - 1)
	sub(/\/test_/, "/", test)
}
is_shell && /^[ \t]*#( |$)/ { next }
{ text = text $0 "\n" }
END { flush() }
