/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dif_subr.c - the subroutines of D.
 *
 * One function each, over the arguments on the tuple stack. Strings come in
 * through dv_str_view(): at most strsize - 1 bytes, with their length, from
 * tracer memory or copied out of the guest. What they return lies in this
 * CPU's scratch until the clause ends, cut to strsize like every string. So
 * the work of each is bounded by strsize, or by a size argument that scratch
 * had room for; the two searches are bounded by strsize squared at worst, as
 * in D, and strings are 256 bytes unless the user asks for more.
 *
 * A subroutine that this version lacks is refused when a program is loaded.
 */
#include "dif.h"

#include "load.h"
#include "state_impl.h"
#include "var.h"
#include "dv_avail.h"

#define ARG(n)	(ms->tup[n].val)

struct str { const char *p; size_t n; };

static bool
get(struct dv_mstate *ms, unsigned arg, unsigned slot, struct str *ret)
{
	ret->p = dv_str_view(ms, ARG(arg), slot, &ret->n);
	return ret->p != NULL;
}

/* Room in scratch for a string of n bytes; at most strsize - 1 are kept. */
static char *
new_str(struct dv_mstate *ms, size_t n, uint64_t *addr)
{
	char *p = (char *)dv_scratch(ms, n + 1, addr);

	if (p != NULL)
		p[n] = '\0';
	return p;
}

static uint64_t
ret_str(struct dv_mstate *ms, const char *s, size_t n)
{
	uint64_t addr = 0;
	char *p;

	if (n > ms->s->strsize - 1)
		n = ms->s->strsize - 1;
	p = new_str(ms, n, &addr);
	if (p == NULL)
		return 0;
	memcpy(p, s, n);
	return addr;
}

static uint64_t
illop(struct dv_mstate *ms)
{
	dv_fault(ms, DV_FAULT_ILLOP, 0);
	return 0;
}

static uint64_t
sub_rand(struct dv_mstate *ms)
{
	uint64_t x = ms->cpu->rng;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	ms->cpu->rng = x;
	return (x * 0x2545f4914f6cdd1dull) >> 32;
}

static uint64_t
sub_copyin(struct dv_mstate *ms)
{
	uint64_t addr = 0, len = ARG(1);
	uint8_t *p = dv_scratch(ms, len, &addr);

	if (p == NULL || dv_load(ms, ARG(0), p, len, DV_USER) != 0)
		return 0;
	return addr;
}

static uint64_t
sub_copyinstr(struct dv_mstate *ms)
{
	struct dv_region *r = &ms->region[DV_RG_SCRATCH];
	uint64_t max = ms->s->strsize, addr = 0, left;
	size_t len;
	char *p;

	if (ms->ntup > 1 && ARG(1) < max)
		max = ARG(1) + 1;	/* that many bytes, and the NUL */
	left = ms->cpu->scratch_size - r->len;
	if (left < max) {
		dv_fault(ms, DV_FAULT_NOSCRATCH, 0);
		return 0;
	}
	p = (char *)dv_scratch(ms, max, &addr);
	if (p == NULL || dv_load_str(ms, ARG(0), p, max, DV_USER, &len) != 0)
		return 0;
	/* give back what the string does not need */
	r->len = (((uint64_t)((uint8_t *)p - r->mem)) + len + 1 + 7) & ~(uint64_t)7;
	return addr;
}

static uint64_t
sub_copyinto(struct dv_mstate *ms)
{
	uint8_t *p = dv_tmem(ms, ARG(2), ARG(1), true);

	if (p == NULL) {
		dv_fault(ms, DV_FAULT_BADADDR, ARG(2));
		return 0;
	}
	(void)dv_load(ms, ARG(0), p, ARG(1), DV_USER);
	return 0;
}

static uint64_t
sub_alloca(struct dv_mstate *ms)
{
	uint64_t addr = 0;
	uint8_t *p = dv_scratch(ms, ARG(0), &addr);

	if (p != NULL)
		memset(p, 0, ARG(0));
	return addr;
}

static uint64_t
sub_bcopy(struct dv_mstate *ms)
{
	uint8_t *dst = dv_tmem(ms, ARG(1), ARG(2), true);
	const uint8_t *src = dv_tmem(ms, ARG(0), ARG(2), false);

	if (dst == NULL)
		dv_fault(ms, DV_FAULT_BADADDR, ARG(1));
	else if (src != NULL)
		memmove(dst, src, ARG(2));
	else
		(void)dv_load(ms, ARG(0), dst, ARG(2), DV_KERNEL);
	return 0;
}

static uint64_t
sub_strlen(struct dv_mstate *ms)
{
	struct str s;

	return get(ms, 0, 0, &s) ? s.n : 0;
}

static uint64_t
sub_strjoin(struct dv_mstate *ms)
{
	size_t max = ms->s->strsize - 1, n, nb;
	uint64_t addr = 0;
	struct str a, b;
	char *p;

	if (!get(ms, 0, 0, &a) || !get(ms, 1, 1, &b))
		return 0;
	nb = b.n < max - a.n ? b.n : max - a.n;
	n = a.n + nb;
	p = new_str(ms, n, &addr);
	if (p == NULL)
		return 0;
	memcpy(p, a.p, a.n);
	memcpy(p + a.n, b.p, nb);
	return addr;
}

static uint64_t
sub_lltostr(struct dv_mstate *ms)
{
	uint64_t v = ARG(0), base = ms->ntup > 1 ? ARG(1) : 10;
	bool minus = base == 10 && (int64_t)v < 0;
	char buf[72], *p = buf + sizeof(buf);

	if (base < 2 || base > 36)
		return illop(ms);
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
	return ret_str(ms, p, (size_t)(buf + sizeof(buf) - p));
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

static uint64_t
sub_strtoll(struct dv_mstate *ms)
{
	uint64_t base = ms->ntup > 1 ? ARG(1) : 10, v = 0;
	bool minus = false;
	struct str s;
	size_t i = 0;

	if (base < 2 || base > 36)
		return illop(ms);
	if (!get(ms, 0, 0, &s))
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

static size_t
trim_slashes(const char *p, size_t n)
{
	while (n > 0 && p[n - 1] == '/')
		n--;
	return n;
}

static uint64_t
sub_basename(struct dv_mstate *ms)
{
	size_t end, at;
	struct str s;

	if (!get(ms, 0, 0, &s))
		return 0;
	if (s.n == 0)
		return ret_str(ms, ".", 1);
	end = trim_slashes(s.p, s.n);
	if (end == 0)
		return ret_str(ms, "/", 1);
	for (at = end; at > 0 && s.p[at - 1] != '/'; at--)
		;
	return ret_str(ms, s.p + at, end - at);
}

static uint64_t
sub_dirname(struct dv_mstate *ms)
{
	struct str s;
	size_t end;

	if (!get(ms, 0, 0, &s))
		return 0;
	if (s.n == 0)
		return ret_str(ms, ".", 1);
	end = trim_slashes(s.p, s.n);
	if (end == 0)
		return ret_str(ms, "/", 1);
	while (end > 0 && s.p[end - 1] != '/')
		end--;
	if (end == 0)
		return ret_str(ms, ".", 1);
	end = trim_slashes(s.p, end);
	return end == 0 ? ret_str(ms, "/", 1) : ret_str(ms, s.p, end);
}

/*
 * Removes empty and "." components, and ".." with the one before it. A path
 * that begins with a slash keeps it; leading ".." of a relative one stay.
 */
static uint64_t
sub_cleanpath(struct dv_mstate *ms)
{
	size_t i = 0, out = 0, start, len, floor = 0;
	uint64_t addr = 0;
	struct str s;
	bool root, slash, up;
	char *p;

	if (!get(ms, 0, 0, &s))
		return 0;
	p = new_str(ms, s.n, &addr);
	if (p == NULL)
		return 0;
	/* the argument may change meanwhile: cleaned where it was copied to */
	memcpy(p, s.p, s.n);
	root = s.n > 0 && p[0] == '/';
	if (root)
		out = 1;
	while (i < s.n) {
		while (i < s.n && p[i] == '/')
			i++;
		for (start = i; i < s.n && p[i] != '/'; i++)
			;
		len = i - start;
		slash = i < s.n;
		if (len == 0 || (len == 1 && p[start] == '.'))
			continue;
		up = len == 2 && p[start] == '.' && p[start + 1] == '.';
		if (up && (root || out > floor)) {
			if (out > floor && out > (root ? 1u : 0u)) {
				out--;			/* its slash, or a letter */
				while (out > floor && p[out - 1] != '/')
					out--;
			}
			continue;
		}
		memmove(p + out, p + start, len);	/* out <= start */
		out += len;
		if (slash)
			p[out++] = '/';
		if (up)
			floor = out;
	}
	p[out] = '\0';
	return addr;
}

static uint64_t
sub_strchr(struct dv_mstate *ms, bool last)
{
	char c = (char)ARG(1);
	struct str s;
	size_t i, at;

	if (!get(ms, 0, 0, &s))
		return 0;
	for (i = 0, at = s.n + 1; i < s.n; i++)
		if (s.p[i] == c) {
			at = i;
			if (!last)
				break;
		}
	if (c == '\0')
		at = s.n;
	return at > s.n ? 0 : ret_str(ms, s.p + at, s.n - at);
}

/* The place of b in a at or after `from`; a.n + 1: none. */
static size_t
find(const struct str *a, const struct str *b, size_t from)
{
	size_t i;

	for (i = from; b->n <= a->n && i <= a->n - b->n; i++)
		if (memcmp(a->p + i, b->p, b->n) == 0)
			return i;
	return a->n + 1;
}

static uint64_t
sub_strstr(struct dv_mstate *ms)
{
	struct str a, b;
	size_t at;

	if (!get(ms, 0, 0, &a) || !get(ms, 1, 1, &b))
		return 0;
	at = find(&a, &b, 0);
	return at > a.n ? 0 : ret_str(ms, a.p + at, a.n - at);
}

static uint64_t
sub_index(struct dv_mstate *ms)
{
	int64_t from = ms->ntup > 2 ? (int64_t)ARG(2) : 0;
	struct str a, b;
	size_t at;

	if (!get(ms, 0, 0, &a) || !get(ms, 1, 1, &b))
		return 0;
	if (from < 0)
		from = 0;
	if (from > (int64_t)a.n)
		return b.n == 0 ? a.n : ~(uint64_t)0;
	at = find(&a, &b, (size_t)from);
	return at > a.n ? ~(uint64_t)0 : at;
}

static uint64_t
sub_rindex(struct dv_mstate *ms)
{
	struct str a, b;
	int64_t from;

	if (!get(ms, 0, 0, &a) || !get(ms, 1, 1, &b))
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

static uint64_t
sub_substr(struct dv_mstate *ms)
{
	int64_t at = (int64_t)ARG(1), len, n;
	struct str s;

	if (!get(ms, 0, 0, &s))
		return 0;
	n = (int64_t)s.n;
	len = ms->ntup > 2 ? (int64_t)ARG(2) : n;
	if (len > n)
		len = n;		/* no string is longer: no overflow below */
	if (len < -n)
		len = -n;
	if (at < 0) {			/* from the end; what is before 0 is cut off */
		at = at < -2 * n - 1 ? -2 * n - 1 + n : at + n;
		if (at < 0 && len >= 0 && at + len > 0) {
			len += at;
			at = 0;
		}
	}
	if (at < 0 || at >= n)
		return ret_str(ms, "", 0);
	if (len < 0)			/* leaves off that many at the end */
		len += n - at;
	if (len > n - at)
		len = n - at;
	return ret_str(ms, s.p + at, len > 0 ? (size_t)len : 0);
}

static bool
is_delim(const uint8_t *set, char c)
{
	return set[(uint8_t)c >> 3] >> ((uint8_t)c & 7) & 1;
}

/* The string is copied once, at the first call; the rest is handed out. */
static uint64_t
sub_strtok(struct dv_mstate *ms)
{
	uint8_t set[32] = { 0 };
	uint64_t rest;
	struct str d, s;
	size_t i, from, to;

	if (!get(ms, 1, 1, &d))
		return 0;
	for (i = 0; i < d.n; i++)
		set[(uint8_t)d.p[i] >> 3] |= (uint8_t)(1 << ((uint8_t)d.p[i] & 7));
	if (ARG(0) != 0) {
		if (!get(ms, 0, 0, &s))
			return 0;
		rest = ret_str(ms, s.p, s.n);
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
	return ret_str(ms, s.p + from, to - from);
}

static uint64_t
sub_case(struct dv_mstate *ms, char from, char to)
{
	uint64_t addr = 0;
	struct str s;
	size_t i;
	char *p;

	if (!get(ms, 0, 0, &s))
		return 0;
	p = new_str(ms, s.n, &addr);
	if (p == NULL)
		return 0;
	memcpy(p, s.p, s.n);
	for (i = 0; i < s.n; i++)
		if (p[i] >= from && p[i] <= from + 25)
			p[i] = (char)(p[i] - from + to);
	return addr;
}

static uint64_t
sub_memstr(struct dv_mstate *ms)
{
	uint64_t len = ARG(2), addr = 0, i;
	char *p;

	if (len > ms->s->strsize - 1)
		len = ms->s->strsize - 1;
	p = new_str(ms, len, &addr);
	if (p == NULL || (len > 0 && dv_load(ms, ARG(0), p, len, DV_KERNEL) != 0))
		return 0;
	for (i = 0; i < len; i++)
		if (p[i] == '\0')
			p[i] = (char)ARG(1);
	return addr;
}

static size_t
put_u8(char *p, unsigned v)
{
	size_t n = 0;

	if (v >= 100)
		p[n++] = (char)('0' + v / 100);
	if (v >= 10)
		p[n++] = (char)('0' + v / 10 % 10);
	p[n++] = (char)('0' + v % 10);
	return n;
}

static size_t
put_inet4(char *p, const uint8_t *a)
{
	size_t n = 0, i;

	for (i = 0; i < 4; i++) {
		if (i > 0)
			p[n++] = '.';
		n += put_u8(p + n, a[i]);
	}
	return n;
}

/* The longest run of two or more zero groups becomes "::", the first of equals. */
static size_t
put_inet6(char *p, const uint8_t *a)
{
	unsigned g[8], i, k, best = 8, run = 1;
	size_t n = 0;
	int shift;

	for (i = 0; i < 8; i++)
		g[i] = (unsigned)a[2 * i] << 8 | a[2 * i + 1];
	for (i = 0; i < 8; i++) {
		for (k = i; k < 8 && g[k] == 0; k++)
			;
		if (k - i > run) {
			run = k - i;
			best = i;
		}
	}
	if (best == 0 && (run == 6 || (run == 5 && g[5] == 0xffff))) {
		p[n++] = ':';		/* compatible and mapped addresses */
		p[n++] = ':';
		if (run == 5) {
			memcpy(p + n, "ffff:", 5);
			n += 5;
		}
		return n + put_inet4(p + n, a + 12);
	}
	for (i = 0; i < 8; i++) {
		if (i == best) {
			p[n++] = ':';
			if (i + run == 8)
				p[n++] = ':';
			i += run - 1;
			continue;
		}
		if (i > 0)
			p[n++] = ':';
		for (shift = 12; shift > 0 && g[i] >> shift == 0; shift -= 4)
			;
		for (; shift >= 0; shift -= 4)
			p[n++] = "0123456789abcdef"[g[i] >> shift & 15];
	}
	return n;
}

static uint64_t
inet(struct dv_mstate *ms, uint64_t at, bool six)
{
	uint8_t a[16];
	char buf[48];

	if (dv_load(ms, at, a, six ? 16 : 4, DV_KERNEL) != 0)
		return 0;
	return ret_str(ms, buf, six ? put_inet6(buf, a) : put_inet4(buf, a));
}

static uint64_t
sub_inet_ntop(struct dv_mstate *ms)
{
	if (ARG(0) == 2)		/* AF_INET, AF_INET6 of a Linux guest */
		return inet(ms, ARG(1), false);
	if (ARG(0) == 10)
		return inet(ms, ARG(1), true);
	return illop(ms);
}

#define MAXDEPTH	1024		/* of a process tree */

static uint64_t
sub_progenyof(struct dv_mstate *ms)
{
	const struct dv_layout *l = ms->s->lay;
	uint64_t task, pid, next;
	unsigned depth;

	if (dv_curthread(ms, &task) != 0)
		return 0;
	if (task == 0)
		return ARG(0) == ms->s->prog.hdr->host_pid ||
		    ARG(0) == ms->s->prog.hdr->host_ppid;
	for (depth = 0; depth < MAXDEPTH && task != 0; depth++) {
		if (dv_task_u32(ms, task, l->task_tgid, &pid) != 0)
			return 0;
		if (pid == ARG(0))
			return 1;
		if (l->task_real_parent == DV_NO_OFF || pid == 0 ||
		    dv_field(ms, task, l->task_real_parent, &next, sizeof(next)) != 0 ||
		    next == task)
			return 0;
		task = next;
	}
	return 0;
}

uint64_t
dv_subr(struct dv_mstate *ms, uint32_t subr)
{
	unsigned min = 0, max = 0;
	const char *text;

	/* where the depth was not the same on all paths */
	if (dv_subr_args(subr, &min, &max, &text) != 0 || ms->ntup < min || ms->ntup > max)
		return illop(ms);
	switch (subr) {
	case DIF_SUBR_RAND:
		return sub_rand(ms);
	case DIF_SUBR_COPYIN:
		return sub_copyin(ms);
	case DIF_SUBR_COPYINSTR:
		return sub_copyinstr(ms);
	case DIF_SUBR_COPYINTO:
		return sub_copyinto(ms);
	case DIF_SUBR_SPECULATION:
		return dv_spec_alloc(ms);
	case DIF_SUBR_PROGENYOF:
		return sub_progenyof(ms);
	case DIF_SUBR_STRLEN:
		return sub_strlen(ms);
	case DIF_SUBR_ALLOCA:
		return sub_alloca(ms);
	case DIF_SUBR_BCOPY:
		return sub_bcopy(ms);
	case DIF_SUBR_GETMAJOR:
		return ARG(0) >> 20;
	case DIF_SUBR_GETMINOR:
		return ARG(0) & 0xfffff;
	case DIF_SUBR_STRJOIN:
		return sub_strjoin(ms);
	case DIF_SUBR_LLTOSTR:
		return sub_lltostr(ms);
	case DIF_SUBR_STRTOLL:
		return sub_strtoll(ms);
	case DIF_SUBR_BASENAME:
		return sub_basename(ms);
	case DIF_SUBR_DIRNAME:
		return sub_dirname(ms);
	case DIF_SUBR_CLEANPATH:
		return sub_cleanpath(ms);
	case DIF_SUBR_STRCHR:
		return sub_strchr(ms, false);
	case DIF_SUBR_STRRCHR:
		return sub_strchr(ms, true);
	case DIF_SUBR_STRSTR:
		return sub_strstr(ms);
	case DIF_SUBR_STRTOK:
		return sub_strtok(ms);
	case DIF_SUBR_SUBSTR:
		return sub_substr(ms);
	case DIF_SUBR_INDEX:
		return sub_index(ms);
	case DIF_SUBR_RINDEX:
		return sub_rindex(ms);
	case DIF_SUBR_HTONS:
	case DIF_SUBR_NTOHS:
		return __builtin_bswap16((uint16_t)ARG(0));
	case DIF_SUBR_HTONL:
	case DIF_SUBR_NTOHL:
		return __builtin_bswap32((uint32_t)ARG(0));
	case DIF_SUBR_HTONLL:
	case DIF_SUBR_NTOHLL:
		return __builtin_bswap64(ARG(0));
	case DIF_SUBR_INET_NTOA:
		return inet(ms, ARG(0), false);
	case DIF_SUBR_INET_NTOA6:
		return inet(ms, ARG(0), true);
	case DIF_SUBR_INET_NTOP:
		return sub_inet_ntop(ms);
	case DIF_SUBR_TOUPPER:
		return sub_case(ms, 'a', 'A');
	case DIF_SUBR_TOLOWER:
		return sub_case(ms, 'A', 'a');
	case DIF_SUBR_MEMSTR:
		return sub_memstr(ms);
	default:
		DV_ASSERT(!"a subroutine that the verifier let pass");
		return 0;
	}
}

int
dv_subr_args(uint32_t subr, unsigned *min, unsigned *max, const char **ret)
{
	switch (subr) {
#define DIF_SUBR(name, value, text, nargs) \
	case value:			   \
		*ret = text;		   \
		*max = nargs;		   \
		break;
#include "dif.def"
	default:
		return -1;
	}
	switch (subr) {
	case DIF_SUBR_COPYINSTR:
	case DIF_SUBR_LLTOSTR:
	case DIF_SUBR_STRTOLL:
	case DIF_SUBR_SUBSTR:
	case DIF_SUBR_INDEX:
	case DIF_SUBR_RINDEX:
		*min = *max - 1;
		break;
	default:
		*min = *max;
	}
	return 0;
}

const char *
dv_subr_refused(uint32_t subr)
{
	return dv_avail_subr(subr) ? NULL : "is not available in this version";
}
