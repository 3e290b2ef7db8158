/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base_hash_test.c - maps return what was put in, however many entries. */
#include "test.h"
#include "hash.h"

TEST(numbers)
{
	struct dv_map *m = dv_map_create();
	uint64_t key;
	uintptr_t i;

	EXPECT(m != NULL);
	EXPECT(dv_map_get(m, 0) == NULL);
	for (i = 0; i < 20000; i++)
		EXPECT_EQ(dv_map_set(m, i << 32, (void *)(i + 1)), 0);
	for (i = 0; i < 20000; i++)
		EXPECT_EQ(dv_map_get(m, i << 32), i + 1);
	EXPECT(dv_map_get(m, 1) == NULL);
	EXPECT_EQ(dv_map_set(m, 0, &key), 0);
	EXPECT_EQ(dv_map_get(m, 0), &key);
	dv_map_destroy(m);
	dv_map_destroy(NULL);
}

TEST(strings)
{
	struct dv_smap *m = dv_smap_create();
	size_t i;
	char name[32];
	uint64_t v;

	EXPECT(!dv_smap_get(m, "none", &v));
	for (i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "symbol_%zu", i);
		EXPECT_EQ(dv_smap_set(m, name, i), 0);
	}
	EXPECT_EQ(dv_smap_set(m, "symbol_3", 77), 0);
	for (i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "symbol_%zu", i);
		EXPECT(dv_smap_get(m, name, &v));
		EXPECT_EQ(v, i == 3 ? 77 : i);
	}
	EXPECT(!dv_smap_get(m, "", NULL));
	EXPECT_EQ(dv_smap_set(m, "", 1), 0);
	EXPECT(dv_smap_get(m, "", NULL));
	dv_smap_destroy(m);
	dv_smap_destroy(NULL);
}

TEST(string_to_pointer)
{
	struct dv_smap *m = dv_smap_create();
	int x;

	EXPECT(dv_smap_get_ptr(m, "x") == NULL);
	EXPECT_EQ(dv_smap_set_ptr(m, "x", &x), 0);
	EXPECT_EQ(dv_smap_get_ptr(m, "x"), &x);
	dv_smap_destroy(m);
}

TEST_MAIN()
