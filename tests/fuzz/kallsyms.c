/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms.c - fuzzes the search for symbol tables in an image.
 *
 * An arbitrary image hardly ever holds tables, so the input is edits of one
 * that does (gi_fake.h): the first byte picks the layout, then every 4 bytes
 * are an offset (3) and a byte to put there; what is left over is cut off the
 * image's end.
 */
#include "unit/gi_fake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fake made[4];
	static uint8_t img[FAKE_LEN];
	struct gi_ksyms *s;
	struct dv_err err;
	struct fake *f;
	size_t n, i;

	if (size < 1)
		return 0;
	f = &made[data[0] & 3];
	if (f->ram == NULL)
		fake_make(f, (data[0] & 3) + 1, 4, 0xffffffff81000000ull);
	n = f->ksyms_end - FAKE_KSYMS;
	memcpy(img, fake_img(f, FAKE_KSYMS), n);
	for (i = 1; i + 4 <= size; i += 4)
		img[(data[i] | data[i + 1] << 8 | data[i + 2] << 16) % n] = data[i + 3];
	for (; i < size; i++)
		n -= n > data[i] ? data[i] : 0;
	if (gi_ksyms_decode(img, n, f->base + FAKE_KSYMS, &err, &s) == 0) {
		gi_ksyms_find(s, "plain");
		gi_ksyms_above(s, f->base);
		gi_ksyms_free(s);
	}
	/* and the bytes as they are */
	if (gi_ksyms_decode(data, size, f->base, &err, &s) == 0)
		gi_ksyms_free(s);
	return 0;
}
