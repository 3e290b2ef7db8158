/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * msg.c - lines for the user on stderr.
 *
 * A message is written with one call, so that lines of several processes do
 * not mix. Texts may hold what came from a guest, names for instance: control
 * characters are not passed on.
 */
#include "msg.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
dv_msg(const char *fmt, ...)
{
	char text[2048], *p;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (p = text; *p != '\0'; p++)
		if (((unsigned char)*p < ' ' && *p != '\n' && *p != '\t') || *p == 127)
			*p = '?';
	fflush(stdout);
	fprintf(stderr, "dvisor: %s\n", text);
}

int
dv_msg_err(const struct dv_err *err)
{
	const char *s, *end;
	char hint[2 * sizeof(err->hint)];
	size_t n = 0;

	/* the lines of a hint are indented, as DTrace's are */
	for (s = err->hint; (end = strchr(s, '\n')) != NULL && n < sizeof(hint); s = end + 1)
		n += (size_t)snprintf(hint + n, sizeof(hint) - n, "\n\t%.*s", (int)(end - s), s);
	hint[n < sizeof(hint) ? n : sizeof(hint) - 1] = '\0';
	dv_msg("%s%s", err->text, hint);
	return err->code == DV_E_USAGE ? 2 : 1;
}
