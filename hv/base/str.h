/* SPDX-License-Identifier: GPL-2.0-or-later */
/* str.h - growable strings, globs, and numbers that people type. */
#ifndef DV_STR_H
#define DV_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A string that grows. S is never NULL between init and fini, and always
 * NUL-terminated at LEN (it may hold other NULs if they were added). When
 * memory runs out, FAILED stays true and what was added since is lost: add
 * freely, look once.
 */
struct dv_str {
	char		*s;
	size_t		len, cap;	/* cap 0: s is not on the heap */
	bool		failed;
};

void dv_str_init(struct dv_str *str);
void dv_str_fini(struct dv_str *str);	/* leaves it as after init */
void dv_str_reset(struct dv_str *str);	/* empty, not failed; keeps memory */

void dv_str_add(struct dv_str *str, const char *s);
void dv_str_addn(struct dv_str *str, const char *s, size_t n);
void dv_str_addc(struct dv_str *str, char c);
void dv_str_printf(struct dv_str *str, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Adds N bytes of S so that they can be shown on a terminal, wherever they
 * came from: newline as \n, all else that is not printable ASCII as \xNN.
 */
void dv_str_escape(struct dv_str *out, const char *s, size_t n);

/*
 * DTrace's globs: * ? [set] [!set] with ranges, \ before a character to take
 * it as it is. The empty pattern matches everything. A [ without its ] stands
 * for itself. Takes at most |pattern| * |s| steps.
 */
bool dv_glob_match(const char *pattern, const char *s);
bool dv_glob_is_pattern(const char *s);	/* true if "" or it has * ? [ or \ */

/*
 * A whole string as a number: decimal, 0x hexadecimal or 0 octal, no sign, no
 * blanks. A size may end in k, m, g or t, in either case. Return 0, or
 * DV_E_INVAL and leave *ret alone.
 */
int dv_parse_u64(const char *s, uint64_t *ret);
int dv_parse_size(const char *s, uint64_t *ret);

/*
 * A rate as the nanoseconds of its period: a number and a unit (ns nsec us usec
 * ms msec s sec m min h hour d day), or a number of times a second, bare or
 * with hz, at most 10^9. Not 0. Return as above.
 */
int dv_parse_rate(const char *s, uint64_t *ret);
/* 1 yes true on, 0 no false off, in lower case. Return as above. */
int dv_parse_bool(const char *s, uint64_t *ret);

/*
 * Can this be a guest's name? It is part of a socket's path, and is printed:
 * letters, digits, - _ and . (not first), at most DV_GUEST_NAME_MAX.
 */
#define DV_GUEST_NAME_MAX	47
bool dv_guest_name_ok(const char *s);

#endif
