/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * buf.c - text on its way out, and what is done to the guest's strings.
 *
 * The consumer prints into one buffer that is handed to the writer when it is
 * full and at the end of each call of cn.h; texts that are asked for (a file's
 * name, a command) collect in a buffer that grows.
 *
 * A guest chooses what its strings say, and a terminal obeys some of it. So
 * the consumer escapes control characters: newline as \n, others as \xNN. It
 * lets UTF-8 pass, but for the C1 controls that UTF-8 can spell and for bytes
 * that are no UTF-8 (0x9b alone begins a control sequence on some terminals).
 * A backslash stays what it is: the output is for people, not for parsing.
 */
#include "cn_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define OUT_SIZE	65536

void
cn_buf_init(struct cn_buf *b, struct cn *owner)
{
	memset(b, 0, sizeof(*b));
	b->owner = owner;
}

void
cn_buf_fini(struct cn_buf *b)
{
	free(b->s);
	memset(b, 0, sizeof(*b));
}

bool
cn_buf_grow(struct cn_buf *b, size_t n)
{
	size_t cap = b->cap != 0 ? b->cap : 256;
	char *s;

	if (b->owner != NULL) {
		cn_buf_flush(b);
		if (n <= b->cap)
			return true;
		cap = OUT_SIZE;
	}
	if (n > SIZE_MAX / 4 - b->len) {
		b->failed = true;
		return false;
	}
	while (cap < b->len + n)
		cap *= 2;
	if ((s = realloc(b->s, cap)) == NULL) {
		b->failed = true;
		return false;
	}
	b->s = s;
	b->cap = cap;
	return true;
}

void
cn_buf_flush(struct cn_buf *b)
{
	struct cn *c = b->owner;

	if (c != NULL && b->len > 0 && !c->failed && c->cfg.out != NULL)
		c->cfg.out(c->cfg.arg, b->s, b->len);
	b->len = 0;
}

void
cn_puts(struct cn_buf *b, const char *s)
{
	cn_put(b, s, strlen(s));
}

void
cn_fill(struct cn_buf *b, char ch, size_t n)
{
	while (n > 0) {
		size_t k = n < 4096 ? n : 4096;

		if (!cn_room(b, k))
			return;
		memset(b->s + b->len, ch, k);
		b->len += k;
		n -= k;
	}
}

void
cn_printf(struct cn_buf *b, const char *fmt, ...)
{
	char small[256], *s = small;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n >= sizeof(small)) {
		if ((s = malloc((size_t)n + 1)) == NULL) {
			b->failed = true;
			return;
		}
		va_start(ap, fmt);
		vsnprintf(s, (size_t)n + 1, fmt, ap);
		va_end(ap);
	}
	cn_put(b, s, (size_t)n);
	if (s != small)
		free(s);
}

/* Length of the well-formed UTF-8 sequence at s that is no control; or 0. */
static size_t
utf8_len(const unsigned char *s, size_t n)
{
	size_t len, i;
	uint32_t v;

	if (s[0] >= 0xc2 && s[0] <= 0xdf) {
		len = 2;
		v = s[0] & 0x1f;
	} else if (s[0] >= 0xe0 && s[0] <= 0xef) {
		len = 3;
		v = s[0] & 0x0f;
	} else if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		len = 4;
		v = s[0] & 0x07;
	} else {
		return 0;
	}
	if (len > n)
		return 0;
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (s[i] & 0x3f);
	}
	if (v < 0xa0 || (len == 3 && v < 0x800) || (len == 4 && v < 0x10000) ||
	    (v >= 0xd800 && v <= 0xdfff) || v > 0x10ffff)
		return 0;
	/* marks that turn the direction of what follows, line separators */
	if ((v >= 0x202a && v <= 0x202e) || (v >= 0x2066 && v <= 0x2069) ||
	    v == 0x2028 || v == 0x2029)
		return 0;
	return len;
}

static size_t
plain_prefix(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && (unsigned char)(s[i] - 0x20) < 0x7f - 0x20)
		i++;
	return i;
}

/* What the byte that is not plain becomes; eats *used bytes of s. */
static size_t
escape_one(const char *s, size_t n, enum cn_esc esc, char out[8], size_t *used)
{
	static const char hex[] = "0123456789abcdef";
	unsigned char ch = (unsigned char)s[0];
	size_t len;

	*used = 1;
	if (esc == CN_ESC_CONTROL && (len = utf8_len((const unsigned char *)s, n)) > 0) {
		memcpy(out, s, len);
		*used = len;
		return len;
	}
	out[0] = '\\';
	if (ch == '\n') {
		out[1] = 'n';
		return 2;
	}
	if (esc == CN_ESC_ALL && ch >= '\a' && ch <= '\r') {
		out[1] = "abtnvfr"[ch - '\a'];
		return 2;
	}
	out[1] = 'x';
	out[2] = hex[ch >> 4];
	out[3] = hex[ch & 15];
	return 4;
}

size_t
cn_esc_len(const char *s, size_t n, enum cn_esc esc)
{
	size_t i = 0, len = 0, k, used;
	char one[8];

	if (esc == CN_ESC_RAW)
		return n;
	while (i < n) {
		k = plain_prefix(s + i, n - i);
		i += k;
		len += k;
		if (i < n) {
			len += escape_one(s + i, n - i, esc, one, &used);
			i += used;
		}
	}
	return len;
}

void
cn_put_esc(struct cn_buf *b, const char *s, size_t n, enum cn_esc esc)
{
	size_t i = 0, k, used;
	char one[8];

	if (esc == CN_ESC_RAW) {
		cn_put(b, s, n);
		return;
	}
	while (i < n) {
		k = plain_prefix(s + i, n - i);
		cn_put(b, s + i, k);
		i += k;
		if (i < n) {
			k = escape_one(s + i, n - i, esc, one, &used);
			cn_put(b, one, k);
			i += used;
		}
	}
}

void
cn_put_padded(struct cn_buf *b, const char *s, size_t n, enum cn_esc esc,
	size_t width, bool left)
{
	size_t len = cn_esc_len(s, n, esc);
	size_t pad = width > len ? width - len : 0;

	if (!left)
		cn_fill(b, ' ', pad);
	cn_put_esc(b, s, n, esc);
	if (left)
		cn_fill(b, ' ', pad);
}
