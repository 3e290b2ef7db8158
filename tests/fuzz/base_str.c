/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base_str.c - fuzzes what takes text from people and guests: globs, numbers,
 * escaping. The input is two strings, separated by a NUL.
 */
#include "err.h"
#include "str.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct dv_str out;
	struct dv_err err;
	const char *second;
	uint64_t v;
	size_t i;

	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	second = strlen(text) < size ? text + strlen(text) + 1 : text;
	dv_glob_match(text, second);
	/* without a special character, a pattern matches itself alone */
	if (!dv_glob_is_pattern(text) &&
	    dv_glob_match(text, second) != (strcmp(text, second) == 0))
		abort();
	if (dv_parse_u64(text, &v) == 0 &&
	    (dv_parse_size(text, &v) != 0 || *text == '\0'))
		abort();
	dv_str_init(&out);
	dv_str_escape(&out, (const char *)data, size);
	for (i = 0; i < out.len; i++)
		if (out.s[i] < 0x20 || out.s[i] > 0x7e)
			abort();
	dv_str_fini(&out);
	dv_err_set(&err, DV_E_INVAL, "%s", text);
	dv_err_prefix(&err, "%s", second);
	free(text);
	return 0;
}
