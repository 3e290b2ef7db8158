/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btf.c - fuzzes the BTF decoder and all that follows references. The input is
 * BTF, or, if it does not begin like it, what comes after a sound header.
 */
#include "guest-introspect/gi_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
use(struct gi_btf *b)
{
	struct gi_kernel k = { .btf = b, .arena = dv_arena_create(), .tytext = dv_map_create() };
	uint32_t id, i;

	if (k.arena == NULL || k.tytext == NULL)
		return;
	for (id = 0; id < gi_ntypes(&k) && id < 2000; id++) {
		struct gi_type t;
		struct gi_member m;
		int64_t v;

		if (gi_type(&k, id, &t) != 0)
			abort();
		gi_type_text(&k, id);
		gi_btf_resolve(b, id);
		for (i = 0; i < t.n && i < 50 && gi_member(&k, id, i, &m) == 0; i++) {
			gi_enum_find(&k, m.name, &v, NULL);
			gi_btf_offsetof(b, id, m.name, NULL);
		}
		gi_type_find(&k, t.kind, t.name);
	}
	gi_offsetof(&k, "a", "b.c");
	dv_arena_destroy(k.arena);
	dv_map_destroy(k.tytext);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gi_btf *b;
	struct dv_err err;
	uint8_t *buf;
	uint32_t h[6];

	if (gi_btf_open(data, size, &err, &b) == 0) {
		use(b);
		gi_btf_close(b);
	}
	if (size < 2 || size > 1 << 20 || (buf = malloc(size + 64)) == NULL)
		return 0;
	/* types as given, a few strings after them */
	h[0] = 0xeb9f | 1 << 16;
	h[1] = 24;
	h[2] = 0;
	h[3] = h[4] = (uint32_t)size;
	h[5] = 9;
	memcpy(buf, h, 24);
	memcpy(buf + 24, data, size);
	memcpy(buf + 24 + size, "\0a\0b\0cc\0", 9);
	if (gi_btf_open(buf, 24 + size + 9, &err, &b) == 0) {
		use(b);
		gi_btf_close(b);
	}
	free(buf);
	return 0;
}
