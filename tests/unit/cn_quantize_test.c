/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cn_quantize_test.c - distributions are drawn as dtrace(1) draws them. */
#include "cn_test.h"

#define HEAD	"           value  ------------- Distribution ------------- count    \n"

static void
one(struct ct *t, enum dv_aggfunc func, uint64_t param, uint32_t nwords)
{
	ct_init(t);
	ct_agg(t, "a", func, param, nwords, 0, NULL);
}

static const char *
drawn(struct ct *t, const uint64_t *words)
{
	static char text[16384];

	ct_open(t);
	ct_entry(t, 0, NULL, words);
	ct_aggs(t, 0);
	cn_finish(t->cn);
	snprintf(text, sizeof(text), "%s", ct_out(t));
	ct_fini(t);
	return text;
}

TEST(quantize)
{
	uint64_t w[DV_QUANT_NBUCKETS] = { 0 };
	struct ct t;

	w[DV_QUANT_ZERO + 1 + 15] = 3;
	w[DV_QUANT_ZERO + 1 + 16] = 11;
	w[DV_QUANT_ZERO + 1 + 17] = 1;
	one(&t, DV_AGG_QUANTIZE, 0, DV_QUANT_NBUCKETS);
	EXPECT_STREQ(drawn(&t, w), "\n\n" HEAD
	    "           16384 |                                         0        \n"
	    "           32768 |@@@@@@@@                                 3        \n"
	    "           65536 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@            11       \n"
	    "          131072 |@@@                                      1        \n"
	    "          262144 |                                         0        \n"
	    "\n");
}

TEST(quantize_of_negative_values)
{
	uint64_t w[DV_QUANT_NBUCKETS] = { 0 };
	struct ct t;

	w[DV_QUANT_ZERO] = 1;
	w[DV_QUANT_ZERO - 1] = 1;
	w[DV_QUANT_ZERO - 3] = 2;
	one(&t, DV_AGG_QUANTIZE, 0, DV_QUANT_NBUCKETS);
	EXPECT_STREQ(drawn(&t, w), "\n\n" HEAD
	    "              -8 |                                         0        \n"
	    "              -4 |@@@@@@@@@@@@@@@@@@@@                     2        \n"
	    "              -2 |                                         0        \n"
	    "              -1 |@@@@@@@@@@                               1        \n"
	    "               0 |@@@@@@@@@@                               1        \n"
	    "               1 |                                         0        \n"
	    "\n");
}

TEST(quantize_of_negative_increments)
{
	uint64_t w[DV_QUANT_NBUCKETS] = { 0 };
	struct ct t;

	w[DV_QUANT_ZERO + 1] = (uint64_t)-3;
	w[DV_QUANT_ZERO + 2] = (uint64_t)-1;
	one(&t, DV_AGG_QUANTIZE, 0, DV_QUANT_NBUCKETS);
	EXPECT_STREQ(drawn(&t, w), "\n\n" HEAD
	    "               0                                         | 0        \n"
	    "               1           @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@| -3       \n"
	    "               2                               @@@@@@@@@@| -1       \n"
	    "               4                                         | 0        \n"
	    "\n");
	w[DV_QUANT_ZERO + 2] = 1;
	one(&t, DV_AGG_QUANTIZE, 0, DV_QUANT_NBUCKETS);
	EXPECT_STREQ(drawn(&t, w), "\n\n" HEAD
	    "               0                     |                     0        \n"
	    "               1      @@@@@@@@@@@@@@@|                     -3       \n"
	    "               2                     |@@@@@                1        \n"
	    "               4                     |                     0        \n"
	    "\n");
}

TEST(ends_of_the_range)
{
	uint64_t w[DV_QUANT_NBUCKETS] = { 0 };
	struct ct t;
	const char *s;

	w[0] = w[DV_QUANT_NBUCKETS - 1] = 1;
	one(&t, DV_AGG_QUANTIZE, 0, DV_QUANT_NBUCKETS);
	s = drawn(&t, w);
	EXPECT(strstr(s, "\n-4611686018427387904 |@@@@@@@@@@@@@@@@@@@@ ") != NULL);
	EXPECT(strstr(s, "\n4611686018427387904 |@@@@@@@@@@@@@@@@@@@@ ") != NULL);
	EXPECT(strstr(s, "\n-2305843009213693952 | ") != NULL);
}

TEST(an_empty_distribution_shows_the_middle)
{
	uint64_t w[DV_QUANT_NBUCKETS] = { 0 };
	struct ct t;

	one(&t, DV_AGG_QUANTIZE, 0, DV_QUANT_NBUCKETS);
	EXPECT_STREQ(drawn(&t, w), "\n\n" HEAD
	    "              -1 |                                         0        \n"
	    "               0 |                                         0        \n"
	    "               1 |                                         0        \n"
	    "\n");
}

TEST(lquantize)
{
	uint64_t w[22] = { 0 };
	struct ct t;

	w[1] = 1;
	w[2] = 2;
	w[21] = 1;
	one(&t, DV_AGG_LQUANTIZE, DV_LQUANT_PARAM(0, 25, 20), 22);
	EXPECT_STREQ(drawn(&t, w), "\n\n" HEAD
	    "             < 0 |                                         0        \n"
	    "               0 |@@@@@@@@@@                               1        \n"
	    "              25 |@@@@@@@@@@@@@@@@@@@@                     2        \n"
	    "              50 |                                         0        \n"
	    "              75 |                                         0        \n"
	    "             100 |                                         0        \n"
	    "             125 |                                         0        \n"
	    "             150 |                                         0        \n"
	    "             175 |                                         0        \n"
	    "             200 |                                         0        \n"
	    "             225 |                                         0        \n"
	    "             250 |                                         0        \n"
	    "             275 |                                         0        \n"
	    "             300 |                                         0        \n"
	    "             325 |                                         0        \n"
	    "             350 |                                         0        \n"
	    "             375 |                                         0        \n"
	    "             400 |                                         0        \n"
	    "             425 |                                         0        \n"
	    "             450 |                                         0        \n"
	    "             475 |                                         0        \n"
	    "          >= 500 |@@@@@@@@@@                               1        \n"
	    "\n");
	memset(w, 0, sizeof(w));
	w[0] = 4;
	one(&t, DV_AGG_LQUANTIZE, DV_LQUANT_PARAM(-10, 5, 4), 6);
	EXPECT_STREQ(drawn(&t, w), "\n\n" HEAD
	    "           < -10 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 4        \n"
	    "             -10 |                                         0        \n"
	    "\n");
}

TEST(llquantize)
{
	/* factor 10, magnitudes 0..1, 10 steps: 1..9, 10..90, two ends */
	uint64_t p = DV_LLQUANT_PARAM(10, 0, 1, 10), w[20] = { 0 };
	struct ct t;

	EXPECT_EQ(DV_LLQUANT_NWORDS(p), 20);
	w[8] = 1;
	w[9] = 1;
	w[10] = 1;
	w[11] = 1;
	one(&t, DV_AGG_LLQUANTIZE, p, 20);
	EXPECT_STREQ(drawn(&t, w), "\n\n" HEAD
	    "               7 |                                         0        \n"
	    "               8 |@@@@@@@@@@                               1        \n"
	    "               9 |@@@@@@@@@@                               1        \n"
	    "              10 |@@@@@@@@@@                               1        \n"
	    "              20 |@@@@@@@@@@                               1        \n"
	    "              30 |                                         0        \n"
	    "\n");
	memset(w, 0, sizeof(w));
	w[0] = w[1] = 1;
	one(&t, DV_AGG_LLQUANTIZE, p, 20);
	EXPECT_STREQ(drawn(&t, w), "\n\n" HEAD
	    "             < 1 |@@@@@@@@@@@@@@@@@@@@                     1        \n"
	    "               1 |@@@@@@@@@@@@@@@@@@@@                     1        \n"
	    "               2 |                                         0        \n"
	    "\n");
	memset(w, 0, sizeof(w));
	w[19] = 1;
	one(&t, DV_AGG_LLQUANTIZE, p, 20);
	EXPECT_STREQ(drawn(&t, w), "\n\n" HEAD
	    "              90 |                                         0        \n"
	    "          >= 100 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n"
	    "\n");
}

TEST(llquantize_as_far_as_64_bits_go)
{
	/* 10^19 is no int64: the last magnitude ends early, and nothing is above it */
	uint64_t p = DV_LLQUANT_PARAM(10, 18, 18, 10), q = DV_LLQUANT_PARAM(10, 18, 18, 20);
	uint64_t w[20] = { 0 };
	struct ct t;

	EXPECT_EQ(DV_LLQUANT_NWORDS(p), 11);
	EXPECT_EQ(DV_LLQUANT_NWORDS(q), 20);
	w[9] = 1;
	one(&t, DV_AGG_LLQUANTIZE, p, 11);
	EXPECT_STREQ(drawn(&t, w), "\n\n" HEAD
	    "8000000000000000000 |                                         0        \n"
	    "9000000000000000000 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n"
	    "\n");
	w[9] = 0;
	w[17] = 1;
	one(&t, DV_AGG_LLQUANTIZE, q, 20);
	EXPECT_STREQ(drawn(&t, w), "\n\n" HEAD
	    "8500000000000000000 |                                         0        \n"
	    "9000000000000000000 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n"
	    "\n");
}

TEST(llquantize_with_more_steps_than_values)
{
	/* factor 10, magnitudes 0..1, 20 steps: magnitude 0 has 9 values, 18 words */
	uint64_t p = DV_LLQUANT_PARAM(10, 0, 1, 20), w[38] = { 0 };
	struct ct t;

	EXPECT_EQ(DV_LLQUANT_NWORDS(p), 38);
	w[9] = 1;				/* 9 */
	w[19] = 3;				/* 10..14 */
	one(&t, DV_AGG_LLQUANTIZE, p, 38);
	EXPECT_STREQ(drawn(&t, w), "\n\n" HEAD
	    "               8 |                                         0        \n"
	    "               9 |@@@@@@@@@@                               1        \n"
	    "              10 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           3        \n"
	    "              15 |                                         0        \n"
	    "\n");
}

TEST(normalize_and_zoom)
{
	uint64_t w[DV_QUANT_NBUCKETS] = { 0 };
	struct ct t;

	w[DV_QUANT_ZERO] = 1000;
	w[DV_QUANT_ZERO + 1] = 3000;
	one(&t, DV_AGG_QUANTIZE, 0, DV_QUANT_NBUCKETS);
	t.b.opts[DV_OPT_AGGZOOM] = 1;
	t.b.opts[DV_OPT_QUIET] = 1;
	ct_probe(&t, "dtrace", "", "", "END", 2, 0);
	ct_clause(&t, 0);
	ct_act(&t, DV_ACT_NORMALIZE, ct_int(8, false));
	ct_open(&t);
	ct_rec(&t, 1, 1, &(uint64_t){ 1000 }, 8);
	ct_take(&t, 2);
	ct_entry(&t, 0, NULL, w);
	ct_aggs(&t, 0);
	cn_finish(t.cn);
	EXPECT_STREQ(ct_out(&t), "\n\n" HEAD
	    "              -1 |                                         0        \n"
	    "               0 |@@@@@@@@@@@@@                            1        \n"
	    "               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 3        \n"
	    "               2 |                                         0        \n"
	    "\n");
	ct_fini(&t);
}

TEST(distributions_stand_below_their_keys_by_weight)
{
	uint64_t w[DV_QUANT_NBUCKETS] = { 0 }, light[DV_QUANT_NBUCKETS] = { 0 };
	struct dv_dtype key = ct_int(4, true);
	struct ct t;

	ct_init(&t);
	ct_agg(&t, "a", DV_AGG_QUANTIZE, 0, DV_QUANT_NBUCKETS, 1, &key);
	ct_open(&t);
	w[DV_QUANT_ZERO + 5] = 1;
	light[DV_QUANT_ZERO] = 9;
	ct_entry(&t, 0, &(uint64_t){ 0 }, w);
	ct_entry(&t, 0, &(uint64_t){ 1 }, light);
	ct_aggs(&t, 0);
	cn_finish(t.cn);
	EXPECT_STREQ(ct_out(&t), "\n"
	    "        1\n" HEAD
	    "              -1 |                                         0        \n"
	    "               0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 9        \n"
	    "               1 |                                         0        \n"
	    "\n"
	    "        0\n" HEAD
	    "               8 |                                         0        \n"
	    "              16 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n"
	    "              32 |                                         0        \n"
	    "\n");
	ct_fini(&t);
}

TEST(aggpack_takes_a_line_per_key)
{
	uint64_t w[DV_QUANT_NBUCKETS] = { 0 }, v[DV_QUANT_NBUCKETS] = { 0 };
	struct dv_dtype key = ct_int(4, true);
	struct ct t;

	ct_init(&t);
	t.b.opts[DV_OPT_AGGPACK] = 1;
	ct_agg(&t, "a", DV_AGG_QUANTIZE, 0, DV_QUANT_NBUCKETS, 1, &key);
	ct_open(&t);
	w[DV_QUANT_ZERO + 1] = 1;
	w[DV_QUANT_ZERO + 2] = 99;
	v[DV_QUANT_ZERO + 4] = 2;
	v[DV_QUANT_ZERO + 5] = 2;
	ct_entry(&t, 0, &(uint64_t){ 7 }, w);
	ct_entry(&t, 0, &(uint64_t){ 8 }, v);
	ct_aggs(&t, 0);
	cn_finish(t.cn);
	EXPECT_STREQ(ct_out(&t), "\n\n"
	    "             key  1 .. 16\n"
	    "               8 |   ==| 4\n"
	    "               7 |.@   | 100\n");
	ct_fini(&t);
}

TEST(printa_draws_where_the_format_says)
{
	uint64_t w[DV_QUANT_NBUCKETS] = { 0 };
	struct ct t;

	one(&t, DV_AGG_QUANTIZE, 0, DV_QUANT_NBUCKETS);
	t.b.opts[DV_OPT_QUIET] = 1;
	ct_probe(&t, "dtrace", "", "", "END", 2, 0);
	ct_clause(&t, 0);
	ct_head(&t, DV_ACT_PRINTA, dv_progb_str(&t.b, "stolen by:\n%@d\n"), 1);
	ct_act(&t, DV_ACT_EXPR, CT_NOREC);
	ct_open(&t);
	w[DV_QUANT_ZERO] = 9;
	ct_entry(&t, 0, NULL, w);
	ct_aggs(&t, 0);
	ct_rec(&t, 1, 1, NULL, 0);
	ct_take(&t, 2);
	EXPECT_STREQ(ct_out(&t), "stolen by:\n\n" HEAD
	    "              -1 |                                         0        \n"
	    "               0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 9        \n"
	    "               1 |                                         0        \n"
	    "\n");
	ct_fini(&t);
}

TEST_MAIN()
