/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * str.c - growable strings, globs, and numbers that people type.
 *
 * A fresh string points at a static empty one and owns nothing (cap 0), so
 * init cannot fail and s is always a valid C string. The buffer doubles.
 *
 * Matching a glob keeps one place to go back to: the last `*` seen, and how
 * much of the subject it has swallowed so far. When a later part fails, the
 * star takes one character more. An earlier star need never be revisited,
 * because the later star could swallow whatever it would give up; so the cost
 * is a product, not exponential.
 */
#include "str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"

static char empty[1];			/* never written: cap is 0 */

void
dv_str_init(struct dv_str *str)
{
	str->s = empty;
	str->len = str->cap = 0;
	str->failed = false;
}

void
dv_str_fini(struct dv_str *str)
{
	if (str->cap != 0)
		free(str->s);
	dv_str_init(str);
}

void
dv_str_reset(struct dv_str *str)
{
	str->len = 0;
	str->failed = false;
	if (str->cap != 0)
		str->s[0] = '\0';
}

/* Makes room for N more bytes and the NUL. */
static bool
reserve(struct dv_str *str, size_t n)
{
	size_t cap = str->cap != 0 ? str->cap : 64;
	char *s;

	if (str->failed)
		return false;
	if (n >= SIZE_MAX / 2 - str->len)
		goto fail;
	if (str->len + n < str->cap)
		return true;
	while (cap <= str->len + n)
		cap *= 2;
	s = realloc(str->cap != 0 ? str->s : NULL, cap);
	if (s == NULL)
		goto fail;
	s[str->len] = '\0';
	str->s = s;
	str->cap = cap;
	return true;
fail:
	str->failed = true;
	return false;
}

void
dv_str_add(struct dv_str *str, const char *s)
{
	dv_str_addn(str, s, strlen(s));
}

void
dv_str_addn(struct dv_str *str, const char *s, size_t n)
{
	if (!reserve(str, n))
		return;
	memcpy(str->s + str->len, s, n);
	str->len += n;
	str->s[str->len] = '\0';
}

void
dv_str_addc(struct dv_str *str, char c)
{
	dv_str_addn(str, &c, 1);
}

void
dv_str_printf(struct dv_str *str, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0) {
		str->failed = true;
		return;
	}
	if (!reserve(str, (size_t)len))
		return;
	va_start(ap, fmt);
	vsnprintf(str->s + str->len, (size_t)len + 1, fmt, ap);
	va_end(ap);
	str->len += (size_t)len;
}

void
dv_str_escape(struct dv_str *out, const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '\n')
			dv_str_addn(out, "\\n", 2);
		else if (c < 0x20 || c >= 0x7f)
			dv_str_printf(out, "\\x%02x", c);
		else
			dv_str_addc(out, (char)c);
	}
}

/* The ] that ends the set at P (just after its [), or NULL. */
static const char *
set_end(const char *p)
{
	if (*p == '!')
		p++;
	if (*p == ']')				/* a ] that comes first is a */
		p++;				/* member */
	while (*p != '\0' && *p != ']')
		p += p[0] == '\\' && p[1] != '\0' ? 2 : 1;
	return *p == ']' ? p : NULL;
}

static bool
set_has(const char *p, const char *end, unsigned char c)
{
	bool negate = *p == '!', found = false;
	unsigned char lo, hi;

	if (negate)
		p++;
	while (p < end) {
		if (*p == '\\')
			p++;
		lo = hi = (unsigned char)*p++;
		if (*p == '-' && p + 1 < end) {
			p++;
			if (*p == '\\')
				p++;
			hi = (unsigned char)*p++;
		}
		if (c >= lo && c <= hi)
			found = true;
	}
	return found != negate;
}

/* Matches one character of the pattern; *P moves behind it. */
static bool
match_one(const char **p, unsigned char c)
{
	const char *end;
	bool ret;

	switch (**p) {
	case '?':
		++*p;
		return true;
	case '[':
		if ((end = set_end(*p + 1)) == NULL)
			break;
		ret = set_has(*p + 1, end, c);
		*p = end + 1;
		return ret;
	case '\\':
		if ((*p)[1] != '\0')
			++*p;
		break;
	}
	return (unsigned char)*(*p)++ == c;
}

bool
dv_glob_match(const char *pattern, const char *s)
{
	const char *p = pattern;
	const char *star = NULL, *taken = NULL;	/* where to go back to */

	if (*pattern == '\0')
		return true;
	while (*s != '\0') {
		if (*p == '*') {
			star = ++p;
			taken = s;
			continue;
		}
		if (*p != '\0' && match_one(&p, (unsigned char)*s)) {
			s++;
			continue;
		}
		if (star == NULL)
			return false;
		p = star;
		s = ++taken;
	}
	while (*p == '*')
		p++;
	return *p == '\0';
}

bool
dv_glob_is_pattern(const char *s)
{
	return *s == '\0' || strpbrk(s, "*?[\\") != NULL;
}

/* Parses digits at S; *END is what follows them. */
static int
parse_digits(const char *s, uint64_t *ret, const char **end)
{
	unsigned base = 10;
	uint64_t v = 0;
	const char *start;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	} else if (s[0] == '0') {
		base = 8;
	}
	for (start = s;; s++) {
		unsigned d;

		if (*s >= '0' && *s <= '9')
			d = (unsigned)(*s - '0');
		else if (*s >= 'a' && *s <= 'f')
			d = (unsigned)(*s - 'a') + 10;
		else if (*s >= 'A' && *s <= 'F')
			d = (unsigned)(*s - 'A') + 10;
		else
			break;
		if (d >= base)
			break;
		if (v > (UINT64_MAX - d) / base)
			return DV_E_INVAL;
		v = v * base + d;
	}
	if (s == start)
		return DV_E_INVAL;
	*ret = v;
	*end = s;
	return 0;
}

int
dv_parse_u64(const char *s, uint64_t *ret)
{
	const char *end;
	uint64_t v;

	if (parse_digits(s, &v, &end) != 0 || *end != '\0')
		return DV_E_INVAL;
	*ret = v;
	return 0;
}

int
dv_parse_size(const char *s, uint64_t *ret)
{
	const char *end;
	unsigned shift = 0;
	uint64_t v;

	if (parse_digits(s, &v, &end) != 0)
		return DV_E_INVAL;
	switch (*end) {
	case 't': case 'T':
		shift += 10;
		/* fall through */
	case 'g': case 'G':
		shift += 10;
		/* fall through */
	case 'm': case 'M':
		shift += 10;
		/* fall through */
	case 'k': case 'K':
		shift += 10;
		end++;
		break;
	}
	if (*end != '\0' || v > UINT64_MAX >> shift)
		return DV_E_INVAL;
	*ret = v << shift;
	return 0;
}

int
dv_parse_rate(const char *s, uint64_t *ret)
{
	static const struct { const char *name; uint64_t ns; } units[] = {
		{ "ns", 1 }, { "nsec", 1 }, { "us", 1000 }, { "usec", 1000 },
		{ "ms", 1000000 }, { "msec", 1000000 }, { "s", 1000000000 },
		{ "sec", 1000000000 }, { "m", 60000000000 }, { "min", 60000000000 },
		{ "h", 3600000000000 }, { "hour", 3600000000000 },
		{ "d", 86400000000000 }, { "day", 86400000000000 },
	};
	uint64_t v = 0;
	size_t i, n = strspn(s, "0123456789");

	if (n == 0 || n > 18)
		return DV_E_INVAL;
	for (i = 0; i < n; i++)
		v = v * 10 + (uint64_t)(s[i] - '0');
	s += n;
	if (v == 0)
		return DV_E_INVAL;
	if (*s == '\0' || strcmp(s, "hz") == 0) {
		if (v > 1000000000)
			return DV_E_INVAL;
		*ret = 1000000000 / v;
		return 0;
	}
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(s, units[i].name) == 0) {
			if (v > INT64_MAX / units[i].ns)
				return DV_E_INVAL;
			*ret = v * units[i].ns;
			return 0;
		}
	return DV_E_INVAL;
}

int
dv_parse_bool(const char *s, uint64_t *ret)
{
	static const char *const words[] = { "0", "1", "no", "yes", "false", "true", "off", "on" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(s, words[i]) == 0) {
			*ret = i & 1;
			return 0;
		}
	return DV_E_INVAL;
}

bool
dv_guest_name_ok(const char *s)
{
	size_t n = strlen(s);

	return n != 0 && n <= DV_GUEST_NAME_MAX && s[0] != '.' &&
	    strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == n;
}
