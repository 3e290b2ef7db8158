/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * err.c - what went wrong, for the person who reads it.
 *
 * An error is made where it is noticed, and each caller on the way up may say
 * in a prefix what it was doing: `cannot attach to web01: kernel at 0x...:
 * ...`. The text is built in a buffer of our own first, so that an error can
 * be made from the text of another or of itself. It is one line whatever a
 * guest or a file put into it: control characters are escaped.
 */
#include "err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Copies SRC to DST with control characters as \xNN; cuts it at SIZE. */
static void
copy_line(char *dst, size_t size, const char *src)
{
	size_t used = 0;

	for (; *src != '\0'; src++) {
		unsigned char c = (unsigned char)*src;
		size_t need = c < 0x20 || c == 0x7f ? 4 : 1;

		if (used + need >= size)
			break;
		if (need == 4)
			snprintf(dst + used, 5, "\\x%02x", c);
		else
			dst[used] = (char)c;
		used += need;
	}
	dst[used] = '\0';
}

int
dv_err_set(struct dv_err *e, int code, const char *fmt, ...)
{
	char buf[sizeof(e->text)];
	va_list ap;

	if (e == NULL)
		return code;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	copy_line(e->text, sizeof(e->text), buf);
	e->code = code;
	e->line = e->col = 0;
	e->tag[0] = '\0';
	e->hint[0] = '\0';
	return code;
}

void
dv_err_hint(struct dv_err *e, const char *fmt, ...)
{
	char buf[sizeof(e->hint)], line[sizeof(e->hint)];
	size_t used;
	va_list ap;

	if (e == NULL)
		return;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	copy_line(line, sizeof(line), buf);
	used = strlen(e->hint);
	if (strlen(line) + 2 <= sizeof(e->hint) - used)
		snprintf(e->hint + used, sizeof(e->hint) - used, "%s\n", line);
}

int
dv_err_nomem(struct dv_err *e)
{
	return dv_err_set(e, DV_E_NOMEM, "out of memory");
}

void
dv_err_prefix(struct dv_err *e, const char *fmt, ...)
{
	char buf[sizeof(e->text)];
	char all[2 * sizeof(e->text) + 2];
	va_list ap;

	if (e == NULL)
		return;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	snprintf(all, sizeof(all), "%s: %s", buf, e->text);
	copy_line(e->text, sizeof(e->text), all);
}
