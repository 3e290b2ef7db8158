/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subr_str.c - subroutines that look at strings and make new ones.
 *
 * The rules of subr_impl.h hold. The two searches are bounded by strsize
 * squared at worst, as in D, and strings are 256 bytes unless the user asks
 * for more.
 */
#include "subr_impl.h"

uint64_t
dv_sub_strlen(struct dv_mstate *ms)
{
	struct dv_substr s;

	return dv_subr_str(ms, 0, 0, &s) ? s.n : 0;
}

uint64_t
dv_sub_strjoin(struct dv_mstate *ms)
{
	size_t max = ms->s->strsize - 1, n, nb;
	uint64_t addr = 0;
	struct dv_substr a, b;
	char *p;

	if (!dv_subr_str(ms, 0, 0, &a) || !dv_subr_str(ms, 1, 1, &b))
		return 0;
	nb = b.n < max - a.n ? b.n : max - a.n;
	n = a.n + nb;
	p = dv_subr_new(ms, n, &addr);
	if (p == NULL)
		return 0;
	memcpy(p, a.p, a.n);
	memcpy(p + a.n, b.p, nb);
	return addr;
}

uint64_t
dv_sub_lltostr(struct dv_mstate *ms)
{
	uint64_t v = ARG(0), base = ms->ntup > 1 ? ARG(1) : 10;
	bool minus = base == 10 && (int64_t)v < 0;
	char buf[72], *p = buf + sizeof(buf);

	if (base < 2 || base > 36)
		return dv_subr_illop(ms);
	if (minus)
		v = -v;
	do {
		*--p = "0123456789abcdefghijklmnopqrstuvwxyz"[v % base];
		v /= base;
	} while (v != 0);
	if (base == 16) {
		*--p = 'x';
		*--p = '0';
	} else if (base == 8 && *p != '0') {
		*--p = '0';
	}
	if (minus)
		*--p = '-';
	return dv_subr_ret(ms, p, (size_t)(buf + sizeof(buf) - p));
}

static int
digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'Z')
		return c - 'A' + 10;
	return 99;
}

uint64_t
dv_sub_strtoll(struct dv_mstate *ms)
{
	uint64_t base = ms->ntup > 1 ? ARG(1) : 10, v = 0;
	bool minus = false;
	struct dv_substr s;
	size_t i = 0;

	if (base < 2 || base > 36)
		return dv_subr_illop(ms);
	if (!dv_subr_str(ms, 0, 0, &s))
		return 0;
	while (i < s.n && (s.p[i] == ' ' || (s.p[i] >= '\t' && s.p[i] <= '\r')))
		i++;
	if (i < s.n && (s.p[i] == '-' || s.p[i] == '+'))
		minus = s.p[i++] == '-';
	if (base == 16 && i + 1 < s.n && s.p[i] == '0' &&
	    (s.p[i + 1] == 'x' || s.p[i + 1] == 'X'))
		i += 2;
	for (; i < s.n && (uint64_t)digit(s.p[i]) < base; i++)
		v = v * base + (uint64_t)digit(s.p[i]);
	return minus ? -v : v;
}

uint64_t
dv_sub_strchr(struct dv_mstate *ms, bool last)
{
	char c = (char)ARG(1);
	struct dv_substr s;
	size_t i, at;

	if (!dv_subr_str(ms, 0, 0, &s))
		return 0;
	for (i = 0, at = s.n + 1; i < s.n; i++)
		if (s.p[i] == c) {
			at = i;
			if (!last)
				break;
		}
	if (c == '\0')
		at = s.n;
	return at > s.n ? 0 : dv_subr_ret(ms, s.p + at, s.n - at);
}

/* The place of b in a at or after `from`; a.n + 1: none. */
static size_t
find(const struct dv_substr *a, const struct dv_substr *b, size_t from)
{
	size_t i;

	for (i = from; b->n <= a->n && i <= a->n - b->n; i++)
		if (memcmp(a->p + i, b->p, b->n) == 0)
			return i;
	return a->n + 1;
}

uint64_t
dv_sub_strstr(struct dv_mstate *ms)
{
	struct dv_substr a, b;
	size_t at;

	if (!dv_subr_str(ms, 0, 0, &a) || !dv_subr_str(ms, 1, 1, &b))
		return 0;
	at = find(&a, &b, 0);
	return at > a.n ? 0 : dv_subr_ret(ms, a.p + at, a.n - at);
}

uint64_t
dv_sub_index(struct dv_mstate *ms)
{
	int64_t from = ms->ntup > 2 ? (int64_t)ARG(2) : 0;
	struct dv_substr a, b;
	size_t at;

	if (!dv_subr_str(ms, 0, 0, &a) || !dv_subr_str(ms, 1, 1, &b))
		return 0;
	if (from < 0)
		from = 0;
	if (from > (int64_t)a.n)
		return b.n == 0 ? a.n : ~(uint64_t)0;
	at = find(&a, &b, (size_t)from);
	return at > a.n ? ~(uint64_t)0 : at;
}

uint64_t
dv_sub_rindex(struct dv_mstate *ms)
{
	struct dv_substr a, b;
	int64_t from;

	if (!dv_subr_str(ms, 0, 0, &a) || !dv_subr_str(ms, 1, 1, &b))
		return 0;
	from = ms->ntup > 2 ? (int64_t)ARG(2) : (int64_t)a.n;
	if (from < 0)
		return b.n == 0 ? 0 : ~(uint64_t)0;
	if (b.n > a.n)
		return ~(uint64_t)0;
	if (from > (int64_t)(a.n - b.n))
		from = (int64_t)(a.n - b.n);
	for (; from >= 0; from--)
		if (memcmp(a.p + from, b.p, b.n) == 0)
			return (uint64_t)from;
	return ~(uint64_t)0;
}

/* More than any string has, and sums of these do not overflow. */
static int64_t
into_range(uint64_t v)
{
	const int64_t far = (int64_t)1 << 40;

	return (int64_t)v > far ? far : (int64_t)v < -far ? -far : (int64_t)v;
}

/*
 * From place `at`, a negative one from the end, to `at` + len, a negative len
 * from the end, or to the end. What lies outside of the string is left out.
 */
uint64_t
dv_sub_substr(struct dv_mstate *ms)
{
	int64_t at = into_range(ARG(1)), len = ms->ntup > 2 ? into_range(ARG(2)) : 0, n, end;
	struct dv_substr s;

	if (!dv_subr_str(ms, 0, 0, &s))
		return 0;
	n = (int64_t)s.n;
	if (at < 0)
		at += n;
	end = ms->ntup <= 2 ? n : len < 0 ? n + len : at + len;
	if (end > n)
		end = n;
	if (at < 0)
		at = 0;
	return at < end ? dv_subr_ret(ms, s.p + at, (size_t)(end - at)) : dv_subr_ret(ms, "", 0);
}

static bool
is_delim(const uint8_t *set, char c)
{
	return set[(uint8_t)c >> 3] >> ((uint8_t)c & 7) & 1;
}

/* The string is copied once, at the first call; the rest is handed out. */
uint64_t
dv_sub_strtok(struct dv_mstate *ms)
{
	uint8_t set[32] = { 0 };
	uint64_t rest;
	struct dv_substr d, s;
	size_t i, from, to;

	if (!dv_subr_str(ms, 1, 1, &d))
		return 0;
	for (i = 0; i < d.n; i++)
		set[(uint8_t)d.p[i] >> 3] |= (uint8_t)(1 << ((uint8_t)d.p[i] & 7));
	if (ARG(0) != 0) {
		if (!dv_subr_str(ms, 0, 0, &s))
			return 0;
		rest = dv_subr_ret(ms, s.p, s.n);
		if (rest == 0)
			return 0;
		ms->strtok = rest;
	} else if (ms->strtok == 0) {
		return 0;
	}
	s.p = dv_str_view(ms, ms->strtok, 0, &s.n);
	if (s.p == NULL)
		return 0;
	for (from = 0; from < s.n && is_delim(set, s.p[from]); from++)
		;
	if (from == s.n) {
		ms->strtok = 0;
		return 0;
	}
	for (to = from; to < s.n && !is_delim(set, s.p[to]); to++)
		;
	ms->strtok = to < s.n ? ms->strtok + to + 1 : 0;
	return dv_subr_ret(ms, s.p + from, to - from);
}

uint64_t
dv_sub_case(struct dv_mstate *ms, char from, char to)
{
	uint64_t addr = 0;
	struct dv_substr s;
	size_t i;
	char *p;

	if (!dv_subr_str(ms, 0, 0, &s))
		return 0;
	p = dv_subr_new(ms, s.n, &addr);
	if (p == NULL)
		return 0;
	memcpy(p, s.p, s.n);
	for (i = 0; i < s.n; i++)
		if (p[i] >= from && p[i] <= from + 25)
			p[i] = (char)(p[i] - from + to);
	return addr;
}

uint64_t
dv_sub_memstr(struct dv_mstate *ms)
{
	uint64_t len = ARG(2), addr = 0, i;
	char *p;

	if (len > ms->s->strsize - 1)
		len = ms->s->strsize - 1;
	p = dv_subr_new(ms, len, &addr);
	if (p == NULL || (len > 0 && dv_load(ms, ARG(0), p, len, DV_KERNEL) != 0))
		return 0;
	for (i = 0; i < len; i++)
		if (p[i] == '\0')
			p[i] = (char)ARG(1);
	return addr;
}
