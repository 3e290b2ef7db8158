/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gi_ksyms_test.c - symbols are decoded in all layouts, or refused. */
#include "test.h"
#include "unit/gi_fake.h"

#define BASE	0xffffffff81000000ull

static struct gi_ksyms *
decode(struct fake *f, struct dv_err *err)
{
	struct gi_ksyms *s = NULL;

	return gi_ksyms_decode(fake_img(f, 0), FAKE_LEN, f->base, err, &s) == 0 ? s : NULL;
}

TEST(all_layouts_give_the_same_symbols)
{
	unsigned layout;

	for (layout = 1; layout <= 4; layout++) {
		const struct gi_ksym *y;
		struct gi_ksyms *s;
		struct dv_err err;
		struct fake f;

		fake_make(&f, layout, 4, BASE);
		s = decode(&f, &err);
		EXPECT(s != NULL);
		EXPECT_EQ(s->layout, layout);
		EXPECT_EQ(s->n, FAKE_NSYMS + FAKE_NFILL);
		y = gi_ksyms_find(s, "plain");
		EXPECT(y != NULL);
		EXPECT_EQ(y->addr, BASE + 0x2000);
		EXPECT_EQ(y->type, 'T');
		EXPECT_EQ(y->percpu, 0);
		y = gi_ksyms_find(s, "task_filler_299");	/* a token of several characters */
		EXPECT(y != NULL);
		EXPECT_EQ(y->addr, BASE + 0x290000 + 8 * 299);
		y = gi_ksyms_find(s, "current_task");
		EXPECT(y != NULL);
		EXPECT_EQ(y->addr, layout == 4 ? BASE + 0x300040 : 0x40);
		EXPECT_EQ(y->percpu, layout != 4);
		EXPECT(gi_ksyms_find(s, "no_such") == NULL);
		gi_ksyms_free(s);
		fake_free(&f);
	}
}

TEST(order_is_the_tables)
{
	struct gi_ksyms *s;
	struct dv_err err;
	struct fake f;
	unsigned i;

	fake_make(&f, 1, 4, BASE);
	s = decode(&f, &err);
	EXPECT(s != NULL);
	for (i = 0; i < FAKE_NSYMS; i++)
		EXPECT_STREQ(s->names + s->v[i].name, fake_syms[i].name);
	for (i = 1; i < s->n; i++)
		EXPECT(s->v[s->byaddr[i - 1]].addr <= s->v[s->byaddr[i]].addr);
	gi_ksyms_free(s);
	fake_free(&f);
}

TEST(an_image_without_tables_is_refused)
{
	struct gi_ksyms *s;
	struct dv_err err;
	uint8_t *img = calloc(1, 1 << 20);

	EXPECT_EQ(gi_ksyms_decode(img, 1 << 20, BASE, &err, &s), DV_E_NOENT);
	EXPECT(strstr(err.text, "no symbol token table") != NULL);
	EXPECT_EQ(gi_ksyms_decode(img, 0, BASE, &err, &s), DV_E_NOENT);
	free(img);
}

TEST(a_cut_image_is_refused)
{
	struct gi_ksyms *s;
	struct dv_err err;
	struct fake f;
	size_t len;

	fake_make(&f, 3, 4, BASE);
	for (len = FAKE_KSYMS; len < f.ksyms_end; len += 37)
		EXPECT(gi_ksyms_decode(fake_img(&f, 0), len, BASE, &err, &s) != 0);
	fake_free(&f);
}

/* Whatever is there, it must neither crash nor hang; sanitizers watch. */
TEST(mutated_tables_are_harmless)
{
	unsigned layout, i, seed = 1;

	for (layout = 1; layout <= 4; layout++) {
		struct fake f;
		uint8_t *copy;
		size_t n;

		fake_make(&f, layout, 4, BASE);
		n = f.ksyms_end - FAKE_KSYMS;
		copy = malloc(n);
		memcpy(copy, fake_img(&f, FAKE_KSYMS), n);
		for (i = 0; i < 200; i++) {
			struct gi_ksyms *s;
			struct dv_err err;
			unsigned j;

			memcpy(fake_img(&f, FAKE_KSYMS), copy, n);
			for (j = 0; j < 1 + i % 8; j++) {
				seed = seed * 1103515245 + 12345;
				fake_img(&f, FAKE_KSYMS)[(seed >> 8) % n] = (uint8_t)(seed >> 3);
			}
			if (gi_ksyms_decode(fake_img(&f, FAKE_KSYMS), n, BASE + FAKE_KSYMS, &err,
			    &s) == 0)
				gi_ksyms_free(s);
		}
		free(copy);
		fake_free(&f);
	}
}

TEST_MAIN()
