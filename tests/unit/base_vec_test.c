/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base_vec_test.c - a vector keeps what is pushed, in order. */
#include "test.h"
#include "vec.h"

struct pair { int a; const char *b; };

TEST(pushes_keep_order)
{
	DV_VEC(struct pair) v = {0};
	int i;

	for (i = 0; i < 1000; i++)
		EXPECT_EQ(dv_vec_push(&v, ((struct pair){ i, "x" })), 0);
	EXPECT_EQ(v.n, 1000);
	for (i = 0; i < 1000; i++)
		EXPECT_EQ(v.v[i].a, i);
	dv_vec_fini(&v);
	EXPECT_EQ(v.n, 0);
	EXPECT_EQ(v.v, NULL);
}

TEST(absurd_reserve_fails_and_leaves_all_as_it_was)
{
	DV_VEC(uint64_t) v = {0};

	EXPECT_EQ(dv_vec_push(&v, 5), 0);
	EXPECT_EQ(dv_vec_reserve(&v, SIZE_MAX / 2), DV_E_NOMEM);
	EXPECT_EQ(dv_vec_reserve(&v, SIZE_MAX), DV_E_NOMEM);
	EXPECT_EQ(v.v[0], 5);
	EXPECT_EQ(v.n, 1);
	dv_vec_fini(&v);
}

TEST_MAIN()
