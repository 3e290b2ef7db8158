/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base_arena_test.c - an arena hands out zeroed memory, up to its cap. */
#include "test.h"
#include "arena.h"

TEST(memory_is_zero_and_aligned)
{
	struct dv_arena *a = dv_arena_create();
	size_t i, j;

	EXPECT(a != NULL);
	for (i = 0; i < 3000; i++) {
		unsigned char *p = dv_arena_alloc(a, i % 97);

		EXPECT(p != NULL);
		EXPECT_EQ((uintptr_t)p % 16, 0);
		for (j = 0; j < i % 97; j++)
			EXPECT_EQ(p[j], 0);
		memset(p, 0xff, i % 97);
	}
	dv_arena_destroy(a);
}

TEST(large_objects_do_not_waste_the_current_chunk)
{
	struct dv_arena *a = dv_arena_create();
	char *p = dv_arena_alloc(a, 16);
	char *big = dv_arena_alloc(a, 1 << 20);
	char *q = dv_arena_alloc(a, 16);

	EXPECT(big != NULL);
	memset(big, 1, 1 << 20);
	EXPECT_EQ(q, p + 16);
	dv_arena_destroy(a);
}

TEST(cap_is_kept)
{
	struct dv_arena *a = dv_arena_create();

	dv_arena_limit(a, 64);
	EXPECT(dv_arena_alloc(a, 48) != NULL);
	EXPECT(!dv_arena_failed(a));
	EXPECT(dv_arena_alloc(a, 17) == NULL);
	EXPECT(dv_arena_failed(a));
	EXPECT(dv_arena_alloc(a, 16) != NULL);
	EXPECT(dv_arena_alloc(a, 1) == NULL);
	dv_arena_destroy(a);
}

TEST(absurd_sizes_fail)
{
	struct dv_arena *a = dv_arena_create();

	EXPECT(dv_arena_alloc(a, SIZE_MAX) == NULL);
	EXPECT(dv_arena_alloc(a, SIZE_MAX - 8) == NULL);
	EXPECT(dv_arena_alloc(a, 8) != NULL);
	dv_arena_destroy(a);
	dv_arena_destroy(NULL);
}

TEST(strings)
{
	struct dv_arena *a = dv_arena_create();
	const char raw[3] = { 'a', 'b', 'c' };

	EXPECT_STREQ(dv_arena_strdup(a, "hello"), "hello");
	EXPECT_STREQ(dv_arena_strdup(a, ""), "");
	EXPECT_STREQ(dv_arena_strndup(a, raw, 3), "abc");
	EXPECT_STREQ(dv_arena_strndup(a, "hello", 99), "hello");
	EXPECT_STREQ(dv_arena_printf(a, "%s-%d", "x", 42), "x-42");
	dv_arena_destroy(a);
}

TEST_MAIN()
