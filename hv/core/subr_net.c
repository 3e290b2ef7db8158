/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subr_net.c - subroutines that print network addresses.
 *
 * The address is in kernel or tracer memory and is copied before it is looked
 * at. What is printed has a bound known here; numbers of address families are
 * those of a Linux guest.
 */
#include "subr_impl.h"

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

uint64_t
dv_sub_inet(struct dv_mstate *ms, uint64_t at, bool six)
{
	uint8_t a[16];
	char buf[48];

	if (dv_load(ms, at, a, six ? 16 : 4, DV_KERNEL) != 0)
		return 0;
	return dv_subr_ret(ms, buf, six ? put_inet6(buf, a) : put_inet4(buf, a));
}

uint64_t
dv_sub_inet_ntop(struct dv_mstate *ms)
{
	if (ARG(0) == 2)		/* AF_INET, AF_INET6 of a Linux guest */
		return dv_sub_inet(ms, ARG(1), false);
	if (ARG(0) == 10)
		return dv_sub_inet(ms, ARG(1), true);
	return dv_subr_illop(ms);
}

#define ARPHRD_ETHER		1
#define ARPHRD_INFINIBAND	32
#define ETHER_LEN		6
#define INFINIBAND_LEN		20

/* "00:16:3e:00:00:01": two digits for each byte, as Linux prints them. */
uint64_t
dv_sub_link_ntop(struct dv_mstate *ms)
{
	size_t len = ARG(0) == ARPHRD_INFINIBAND ? INFINIBAND_LEN : ETHER_LEN, i, n = 0;
	uint8_t a[INFINIBAND_LEN];
	char buf[3 * INFINIBAND_LEN];

	if (ARG(0) != ARPHRD_ETHER && ARG(0) != ARPHRD_INFINIBAND)
		return dv_subr_illop(ms);
	if (dv_load(ms, ARG(1), a, len, DV_KERNEL) != 0)
		return 0;
	for (i = 0; i < len; i++) {
		if (i > 0)
			buf[n++] = ':';
		buf[n++] = "0123456789abcdef"[a[i] >> 4];
		buf[n++] = "0123456789abcdef"[a[i] & 15];
	}
	return dv_subr_ret(ms, buf, n);
}
