/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * savedkernel.c - fuzzes gi_kernel_load: edits of a sound file, with the
 * checksum made right again by knowing where it is. Every 4 bytes of the input
 * are an offset (3) and a byte.
 */
#include "unit/gi_fakemod.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void *good;
	static size_t len;
	struct gi_kernel *k;
	struct dv_err err;
	uint8_t *copy;
	uint64_t sum;
	size_t i;

	if (good == NULL) {
		struct fake f;

		fake_make_with(&f, 1, 4, 0xffffffff81000000ull, fake_mod_types);
		fm_one(&f, 0, "one");
		if (gi_kernel_open(&f.mem, &f.cpu, 1, &err, &k) != 0 ||
		    gi_kernel_save(k, true, &err, &good, &len) != 0)
			abort();
		gi_kernel_close(k);
		fake_free(&f);
	}
	if ((copy = malloc(len)) == NULL)
		return 0;
	memcpy(copy, good, len);
	for (i = 0; i + 4 <= size; i += 4)
		copy[(data[i] | data[i + 1] << 8 | data[i + 2] << 16) % len] = data[i + 3];
	sum = gi_save_checksum(copy + 24, len - 24);
	memcpy(copy + 16, &sum, 8);
	if (gi_kernel_load(NULL, NULL, 0, copy, len, &err, &k) == 0) {
		struct gi_probe p;
		struct gi_sym s;

		for (i = 0; i < gi_nprobes(k) && i < 100000; i++)
			gi_probe(k, i, &p);
		for (i = 0; i < gi_nsyms(k); i++)
			gi_sym(k, i, &s);
		gi_kernel_close(k);
	}
	free(copy);
	return 0;
}
