/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subr_json.c - json(text, path): one value out of a JSON text.
 *
 * A path is keys and indices: "a.b[2].c", "[0]". For each part of it the text
 * is read on to the member or element meant, past the values before it, which
 * must be well formed; what follows the value is not looked at. A string comes
 * back without its quotes and with its escapes replaced, a number, true, false
 * or null as it is written, an object or array as its text. Where there is no
 * such value, or the text or the path is not well formed, the result is NULL.
 *
 * There is one place in the text, which only goes forward, so the work is
 * bounded by the text's length. How values nest is kept as a bit for each
 * level, of which there may be MAXDEPTH. The text is copied first: where it
 * lies, another CPU might change it between two looks.
 *
 * An escape \uXXXX becomes UTF-8, a pair of surrogates one character. One that
 * no string can hold (NUL, half of a pair) stays as it is written.
 */
#include "subr_impl.h"

#define MAXDEPTH	512u

struct text { const char *p; size_t n, i; };

static void
skip_space(struct text *t)
{
	while (t->i < t->n && (t->p[t->i] == ' ' || t->p[t->i] == '\t' ||
	    t->p[t->i] == '\n' || t->p[t->i] == '\r'))
		t->i++;
}

/* The next character that is not space, or 0. */
static char
peek(struct text *t)
{
	skip_space(t);
	return t->i < t->n ? t->p[t->i] : '\0';
}

static bool
take(struct text *t, char c)
{
	if (c == '\0' || peek(t) != c)
		return false;
	t->i++;
	return true;
}

static int
hex4(const struct text *t, size_t at)
{
	int v = 0;
	size_t i;
	char c;

	if (at + 4 > t->n)
		return -1;
	for (i = at; i < at + 4; i++) {
		c = t->p[i];
		if (c >= '0' && c <= '9')
			v = v * 16 + c - '0';
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			v = v * 16 + (c | 32) - 'a' + 10;
		else
			return -1;
	}
	return v;
}

static int
put_utf8(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 63));
		out[2] = (char)(0x80 | (c & 63));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 63));
	out[2] = (char)(0x80 | (c >> 6 & 63));
	out[3] = (char)(0x80 | (c & 63));
	return 4;
}

/* \uXXXX; t->i is at the u. */
static int
unicode(struct text *t, char out[8])
{
	int hi = hex4(t, t->i + 1), lo;

	if (hi < 0)
		return -1;
	if (hi >= 0xd800 && hi < 0xdc00 && t->i + 10 < t->n &&
	    t->p[t->i + 5] == '\\' && t->p[t->i + 6] == 'u') {
		lo = hex4(t, t->i + 7);
		if (lo >= 0xdc00 && lo < 0xe000) {
			t->i += 11;
			return put_utf8(out, 0x10000 + ((uint32_t)(hi - 0xd800) << 10) +
			    (uint32_t)(lo - 0xdc00));
		}
	}
	if (hi == 0 || (hi >= 0xd800 && hi < 0xe000)) {
		out[0] = '\\';
		memcpy(out + 1, t->p + t->i, 5);
		t->i += 5;
		return 6;
	}
	t->i += 5;
	return put_utf8(out, (uint32_t)hi);
}

/* The next character of a string: its bytes, 0 at its end, -1 if malformed. */
static int
next_char(struct text *t, char out[8])
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	unsigned i;
	char c;

	if (t->i >= t->n || (unsigned char)t->p[t->i] < 0x20)
		return -1;
	c = t->p[t->i++];
	if (c == '"')
		return 0;
	out[0] = c;
	if (c != '\\')
		return 1;
	if (t->i >= t->n)
		return -1;
	c = t->p[t->i];
	if (c == 'u')
		return unicode(t, out);
	for (i = 0; from[i] != '\0'; i++)
		if (from[i] == c) {
			t->i++;
			out[0] = to[i];
			return 1;
		}
	return -1;
}

/* Reads a string; is it key[0..n)? -1: it is none. */
static int
string_is(struct text *t, const char *key, size_t n)
{
	char c[8];
	size_t at = 0;
	bool same = true;
	int len, i;

	if (!take(t, '"'))
		return -1;
	while ((len = next_char(t, c)) > 0)
		for (i = 0; i < len; i++, at++)
			same = same && at < n && key[at] == c[i];
	return len < 0 ? -1 : same && at == n;
}

static size_t
digits(struct text *t)
{
	size_t from = t->i;

	while (t->i < t->n && t->p[t->i] >= '0' && t->p[t->i] <= '9')
		t->i++;
	return t->i - from;
}

static bool
skip_number(struct text *t)
{
	size_t from;

	if (t->p[t->i] == '-')
		t->i++;
	from = t->i;
	if (digits(t) == 0 || (t->p[from] == '0' && t->i > from + 1))
		return false;
	if (t->i < t->n && t->p[t->i] == '.') {
		t->i++;
		if (digits(t) == 0)
			return false;
	}
	if (t->i < t->n && (t->p[t->i] | 32) == 'e') {
		t->i++;
		if (t->i < t->n && (t->p[t->i] == '+' || t->p[t->i] == '-'))
			t->i++;
		if (digits(t) == 0)
			return false;
	}
	return true;
}

/* true, false, null or a number. */
static bool
skip_word(struct text *t)
{
	static const char *const words[] = { "true", "false", "null" };
	unsigned i;
	size_t n;

	for (i = 0; i < 3; i++) {
		for (n = 0; words[i][n] != '\0'; n++)
			;
		if (t->n - t->i >= n && memcmp(t->p + t->i, words[i], n) == 0) {
			t->i += n;
			return true;
		}
	}
	return skip_number(t);
}

/* Past the key of a member, and its colon. */
static bool
skip_key(struct text *t)
{
	return string_is(t, "", 0) >= 0 && take(t, ':');
}

/*
 * Past a whole value. Bit d of `object` tells if level d is one. Each turn of
 * the outer loop reads one value or opens a level; the inner one closes levels.
 */
static bool
skip_value(struct text *t)
{
	uint8_t object[MAXDEPTH / 8];
	unsigned depth = 0;
	bool obj;
	char c;

	for (;;) {
		c = peek(t);
		if (c == '\0')
			return false;
		if (c == '{' || c == '[') {
			if (depth == MAXDEPTH)
				return false;
			object[depth / 8] &= (uint8_t)~(1u << depth % 8);
			object[depth / 8] |= (uint8_t)((c == '{') << depth % 8);
			depth++;
			t->i++;
			if (peek(t) != (c == '{' ? '}' : ']')) {
				if (c == '{' && !skip_key(t))
					return false;
				continue;
			}
		} else if (c == '"' ? string_is(t, "", 0) < 0 : !skip_word(t)) {
			return false;
		}
		for (;;) {
			if (depth == 0)
				return true;
			obj = object[(depth - 1) / 8] >> (depth - 1) % 8 & 1;
			if (take(t, obj ? '}' : ']')) {
				depth--;
				continue;
			}
			if (!take(t, ',') || (obj && !skip_key(t)))
				return false;
			break;
		}
	}
}

/* To the value of the member `key`. */
static bool
find_member(struct text *t, const char *key, size_t n)
{
	int same;

	if (!take(t, '{') || peek(t) == '}')
		return false;
	for (;;) {
		same = string_is(t, key, n);
		if (same < 0 || !take(t, ':'))
			return false;
		if (same)
			return true;
		if (!skip_value(t) || !take(t, ','))
			return false;
	}
}

/* To element `i`. */
static bool
find_element(struct text *t, uint64_t i)
{
	if (!take(t, '[') || peek(t) == ']')
		return false;
	for (; i > 0; i--)			/* each reads a byte at least, or ends it */
		if (!skip_value(t) || !take(t, ','))
			return false;
	return true;
}

/* The part of the path at its place; the place goes behind it. */
static bool
follow(struct text *t, struct text *path)
{
	size_t from;
	uint64_t v = 0;

	if (path->p[path->i] == '[') {
		from = ++path->i;
		while (path->i < path->n && path->p[path->i] >= '0' && path->p[path->i] <= '9' &&
		    v < 1u << 30)
			v = v * 10 + (uint64_t)(path->p[path->i++] - '0');
		if (path->i == from || path->i >= path->n || path->p[path->i++] != ']')
			return false;
		return find_element(t, v);
	}
	if (path->i > 0 && path->p[path->i++] != '.')
		return false;
	from = path->i;
	while (path->i < path->n && path->p[path->i] != '.' && path->p[path->i] != '[')
		path->i++;
	return path->i > from && find_member(t, path->p + from, path->i - from);
}

static uint64_t
ret_value(struct dv_mstate *ms, struct text *t)
{
	bool string = peek(t) == '"';
	size_t from = t->i;
	uint64_t addr = 0;
	struct text s;
	char c[8], *p;
	int len, i;

	if (!skip_value(t))
		return 0;
	if (!string)
		return dv_subr_ret(ms, t->p + from, t->i - from);
	s = *t;
	s.i = from + 1;
	p = dv_subr_new(ms, t->i - from, &addr);	/* escapes only shrink */
	if (p == NULL)
		return 0;
	while ((len = next_char(&s, c)) > 0)
		for (i = 0; i < len; i++)
			*p++ = c[i];
	*p = '\0';
	return addr;
}

uint64_t
dv_sub_json(struct dv_mstate *ms)
{
	char *copy = (char *)ms->cpu->tmp[0];
	struct dv_substr s, e;
	struct text t, path;

	if (!dv_subr_str(ms, 0, 0, &s) || !dv_subr_str(ms, 1, 1, &e))
		return 0;
	if (s.p != copy)
		memcpy(copy, s.p, s.n);
	t = (struct text){ copy, s.n, 0 };
	path = (struct text){ e.p, e.n, 0 };
	if (path.n == 0)
		return 0;
	while (path.i < path.n)
		if (!follow(&t, &path))
			return 0;
	return ret_value(ms, &t);
}
