/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subr_path.c - subroutines that take path names apart, as text.
 *
 * They never look at the guest's file systems: symbolic links are names like
 * others. d_path() is in subr_dpath.c.
 */
#include "subr_impl.h"

static size_t
trim_slashes(const char *p, size_t n)
{
	while (n > 0 && p[n - 1] == '/')
		n--;
	return n;
}

uint64_t
dv_sub_basename(struct dv_mstate *ms)
{
	size_t end, at;
	struct dv_substr s;

	if (!dv_subr_str(ms, 0, 0, &s))
		return 0;
	if (s.n == 0)
		return dv_subr_ret(ms, ".", 1);
	end = trim_slashes(s.p, s.n);
	if (end == 0)
		return dv_subr_ret(ms, "/", 1);
	for (at = end; at > 0 && s.p[at - 1] != '/'; at--)
		;
	return dv_subr_ret(ms, s.p + at, end - at);
}

uint64_t
dv_sub_dirname(struct dv_mstate *ms)
{
	struct dv_substr s;
	size_t end;

	if (!dv_subr_str(ms, 0, 0, &s))
		return 0;
	if (s.n == 0)
		return dv_subr_ret(ms, ".", 1);
	end = trim_slashes(s.p, s.n);
	if (end == 0)
		return dv_subr_ret(ms, "/", 1);
	while (end > 0 && s.p[end - 1] != '/')
		end--;
	if (end == 0)
		return dv_subr_ret(ms, ".", 1);
	end = trim_slashes(s.p, end);
	return end == 0 ? dv_subr_ret(ms, "/", 1) : dv_subr_ret(ms, s.p, end);
}

/*
 * Removes empty and "." components, and ".." with the one before it. A path
 * that begins with a slash keeps it, and one that ends in a slash that one;
 * leading ".." of a relative one stay.
 */
uint64_t
dv_sub_cleanpath(struct dv_mstate *ms)
{
	size_t i = 0, out = 0, start, len, floor = 0;
	uint64_t addr = 0;
	struct dv_substr s;
	bool root, slash = false, up, ends = false;
	char *p;

	if (!dv_subr_str(ms, 0, 0, &s))
		return 0;
	p = dv_subr_new(ms, s.n, &addr);
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
		if (len == 0 || (len == 1 && p[start] == '.')) {
			ends = len == 1;	/* 0: it ends in a slash */
			continue;
		}
		ends = up = len == 2 && p[start] == '.' && p[start + 1] == '.';
		if (up && (root || out > floor)) {
			if (out > floor && out > (root ? 1u : 0u)) {
				out--;			/* its slash, or a letter */
				while (out > floor && p[out - 1] != '/')
					out--;
			}
			continue;
		}
		ends = false;
		memmove(p + out, p + start, len);	/* out <= start */
		out += len;
		if (slash)
			p[out++] = '/';
		if (up)
			floor = out;
	}
	/* the slash before a last "." or ".." goes with it, but not the root */
	if (ends && !slash && out > (root ? 1u : 0u) && p[out - 1] == '/')
		out--;
	p[out] = '\0';
	return addr;
}
