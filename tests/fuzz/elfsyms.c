/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elfsyms.c - fuzzes the reader of symbols of a guest's files. The input is the
 * file, each page of which may be missing, as bits of its first bytes say.
 */
#include "guest-introspect/linux/user.h"

#include <elf.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input { const uint8_t *p; size_t n; uint32_t missing; };

static bool
read_input(void *arg, uint64_t off, void *buf, size_t len)
{
	struct input *in = arg;
	uint8_t *p = buf;
	bool any = false;

	memset(buf, 0, len);
	for (; len > 0 && off < in->n; len--, off++, p++)
		if (!(in->missing >> (off >> 8 & 31) & 1)) {
			*p = in->p[off];
			any = true;
		}
	return any;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t file[8192];
	struct input in = { file, 0, 0 };
	struct gi_elfsyms *s;
	uint64_t off, at;

	if (size < 4 || size - 4 > sizeof(file))
		return 0;
	memcpy(&in.missing, data, 4);
	in.missing &= ~1u;
	in.n = size - 4;
	memset(file, 0, sizeof(file));
	memcpy(file, data + 4, in.n);
	memcpy(file, ELFMAG "\2\1\1", 7);
	s = gi_elfsyms_read(read_input, &in);
	for (at = 0; s != NULL && at < 0x10000; at += 0x33) {
		const char *name = gi_elfsyms_find(s, at, &off);

		if (name != NULL && strlen(name) > sizeof(file))
			__builtin_trap();
	}
	gi_elfsyms_free(s);
	return 0;
}
