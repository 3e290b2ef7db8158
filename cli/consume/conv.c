/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conv.c - one value as one conversion of a format shows it.
 *
 * Flags, width and precision are those of C. Integers are made here, digit by
 * digit, since their size and sign are the record's and most of what is printed
 * is integers; floating-point digits are those of C's own printf.
 */
#include "cn_impl.h"

#include <ctype.h>
#include <math.h>
#include <time.h>

/* ---- integers ------------------------------------------------------------- */

/* Digits of v in base, written to end at `end`; returns the first. */
static char *
digits(char *end, uint64_t v, unsigned base, bool upper, bool group)
{
	static const char pairs[] =
	    "00010203040506070809101112131415161718192021222324"
	    "25262728293031323334353637383940414243444546474849"
	    "50515253545556575859606162636465666768697071727374"
	    "75767778798081828384858687888990919293949596979899";
	const char *set = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	unsigned shift, n = 0;

	if (base == 10 && !group) {
		while (v >= 100) {
			unsigned k = (unsigned)(v % 100) * 2;

			v /= 100;
			*--end = pairs[k + 1];
			*--end = pairs[k];
		}
		if (v >= 10) {
			*--end = pairs[v * 2 + 1];
			*--end = pairs[v * 2];
		} else {
			*--end = (char)('0' + v);
		}
		return end;
	}
	if (base == 10) {
		do {
			if (n > 0 && n % 3 == 0)
				*--end = ',';
			*--end = (char)('0' + v % 10);
			v /= 10;
			n++;
		} while (v > 0);
		return end;
	}
	shift = base == 16 ? 4 : 3;
	do {
		*--end = set[v & (base - 1)];
		v >>= shift;
	} while (v > 0);
	return end;
}

void
cn_conv_decimal(struct cn_buf *b, uint64_t v, bool sgn)
{
	char text[24], *end = text + sizeof(text), *s;
	bool neg = sgn && (int64_t)v < 0;

	s = digits(end, neg ? -v : v, 10, false, false);
	if (neg)
		*--s = '-';
	cn_put(b, s, (size_t)(end - s));
}

static void
put_number(struct cn_buf *b, const struct cn_spec *sp, const char *prefix, size_t nprefix,
	const char *s, size_t n)
{
	size_t zeros = 0, pad = 0;

	if (sp->prec >= 0 && (size_t)sp->prec > n)
		zeros = (size_t)sp->prec - n;
	if (sp->width >= 0 && (size_t)sp->width > nprefix + zeros + n)
		pad = (size_t)sp->width - nprefix - zeros - n;
	if (pad > 0 && !(sp->flags & CN_F_MINUS)) {
		if ((sp->flags & CN_F_ZERO) && sp->prec < 0)
			zeros += pad;
		else
			cn_fill(b, ' ', pad);
		pad = 0;
	}
	cn_put(b, prefix, nprefix);
	cn_fill(b, '0', zeros);
	cn_put(b, s, n);
	cn_fill(b, ' ', pad);
}

void
cn_conv_integer(struct cn_buf *b, const struct cn_spec *sp, char conv, uint64_t v, bool sgn)
{
	char text[48], prefix[3], *end = text + sizeof(text), *s;
	size_t np = 0;
	unsigned base = 10;

	switch (conv) {
	case 'x': case 'X': case 'p':
		base = 16;
		break;
	case 'o':
		base = 8;
		break;
	default:
		if (sgn && (int64_t)v < 0) {
			prefix[np++] = '-';
			v = -v;
		} else if (sgn && (sp->flags & CN_F_PLUS)) {
			prefix[np++] = '+';
		} else if (sgn && (sp->flags & CN_F_SPACE)) {
			prefix[np++] = ' ';
		}
	}
	if (base == 16 && (sp->flags & CN_F_ALT) && v != 0) {
		prefix[np++] = '0';
		prefix[np++] = conv == 'X' ? 'X' : 'x';
	}
	s = digits(end, v, base, conv == 'X', (sp->flags & CN_F_GROUP) != 0);
	if (v == 0 && sp->prec == 0)
		s = end;
	if (base == 8 && (sp->flags & CN_F_ALT) && (s == end || *s != '0'))
		*--s = '0';
	put_number(b, sp, prefix, np, s, (size_t)(end - s));
}

/* ---- everything else ------------------------------------------------------ */

void
cn_conv_text(struct cn_buf *b, const struct cn_spec *sp, const char *s, size_t n, enum cn_esc esc)
{
	if (sp->prec >= 0 && (size_t)sp->prec < n)
		n = (size_t)sp->prec;
	cn_put_padded(b, s, n, esc, sp->width > 0 ? (size_t)sp->width : 0,
	    (sp->flags & CN_F_MINUS) != 0);
}

/* One character as UTF-8; what is no character as its low byte. */
static size_t
put_utf8(char text[4], uint64_t val)
{
	size_t n = 0;

	if (val < 0x80 || val > 0x10ffff || (val >= 0xd800 && val <= 0xdfff)) {
		text[n++] = (char)val;
		return n;
	}
	if (val >= 0x10000) {
		text[n++] = (char)(0xf0 | val >> 18);
		text[n++] = (char)(0x80 | (val >> 12 & 0x3f));
	} else if (val >= 0x800) {
		text[n++] = (char)(0xe0 | val >> 12);
	}
	if (val >= 0x800)
		text[n++] = (char)(0x80 | (val >> 6 & 0x3f));
	else
		text[n++] = (char)(0xc0 | val >> 6);
	text[n++] = (char)(0x80 | (val & 0x3f));
	return n;
}

void
cn_conv_char(struct cn_buf *b, const struct cn_spec *sp, char conv, uint64_t val,
	enum cn_esc esc)
{
	struct cn_spec all = *sp;
	char text[4];
	size_t n = 1;

	all.prec = -1;
	if (conv == 'w')
		n = put_utf8(text, val);
	else
		text[0] = (char)val;
	cn_conv_text(b, &all, text, n, conv == 'C' ? CN_ESC_ALL : esc);
}

/* %ws: an array of 4-byte characters up to its 0. The precision counts them. */
void
cn_conv_wide(struct cn_buf *b, const struct cn_spec *sp, const struct cn_field *f,
	const uint8_t *base)
{
	struct cn_spec all = *sp;
	uint32_t ch, i, n = f->size / 4;
	struct cn_buf t;
	char text[4];

	if (sp->prec >= 0 && (uint32_t)sp->prec < n)
		n = (uint32_t)sp->prec;
	all.prec = -1;
	cn_buf_init(&t, NULL);
	for (i = 0; i < n; i++) {
		memcpy(&ch, base + f->off + 4 * (size_t)i, sizeof(ch));
		if (ch == 0)
			break;
		cn_put(&t, text, put_utf8(text, ch));
	}
	cn_conv_text(b, &all, t.s != NULL ? t.s : "", t.len, cn_field_esc(f));
	cn_buf_fini(&t);
}

static long double
float_value(const struct cn_field *f, const uint8_t *base)
{
	long double x = 0;
	double d;
	float s;

	if (f->kind == DV_T_INT && cn_field_signed(f))
		return (int64_t)cn_field_int(f, base);
	if (f->size == sizeof(s)) {
		memcpy(&s, base + f->off, sizeof(s));
		return s;
	}
	if (f->size == sizeof(d)) {
		memcpy(&d, base + f->off, sizeof(d));
		return d;
	}
	if (f->size == sizeof(x))
		memcpy(&x, base + f->off, sizeof(x));
	return x;
}

/* C's own printf makes the digits; sign, groups and padding are as for integers. */
void
cn_conv_float(struct cn_buf *b, const struct cn_spec *sp, char conv, const struct cn_field *f,
	const uint8_t *base)
{
	struct cn_spec pad = { .flags = sp->flags, .width = sp->width, .prec = -1 };
	char fmt[] = { '%', '#', '.', '*', 'L', conv, '\0' }, prefix[1];
	long double x = float_value(f, base);
	struct cn_buf t, u;
	size_t np = 0, i, whole;

	if (signbit(x)) {
		prefix[np++] = '-';
		x = -x;
	} else if (sp->flags & (CN_F_PLUS | CN_F_SPACE)) {
		prefix[np++] = sp->flags & CN_F_PLUS ? '+' : ' ';
	}
	if (!(sp->flags & CN_F_ALT))
		memmove(fmt + 1, fmt + 2, sizeof(fmt) - 2);
	cn_buf_init(&t, NULL);
	cn_buf_init(&u, NULL);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	cn_printf(&t, fmt, sp->prec, x);
#pragma GCC diagnostic pop
	for (whole = 0; whole < t.len && isdigit((unsigned char)t.s[whole]); whole++)
		;
	for (i = 0; i < t.len; i++) {
		if ((sp->flags & CN_F_GROUP) && i > 0 && i < whole && (whole - i) % 3 == 0)
			cn_putc(&u, ',');
		cn_putc(&u, t.s[i]);
	}
	if (!isfinite(x))
		pad.flags &= ~CN_F_ZERO;
	put_number(b, &pad, prefix, np, u.s != NULL ? u.s : "", u.len);
	cn_buf_fini(&t);
	cn_buf_fini(&u);
}

void
cn_conv_time(struct cn_buf *b, const struct cn_spec *sp, char conv, uint64_t ns)
{
	time_t t = (time_t)(ns / 1000000000u);
	char text[80];
	struct tm tm;
	size_t n = 0;

	if (localtime_r(&t, &tm) != NULL)
		n = strftime(text, sizeof(text), conv == 'T' ?
		    "%a, %d %b %Y %T %Z" : "%Y %b %e %T", &tm);
	cn_conv_text(b, sp, text, n, CN_ESC_RAW);
}
