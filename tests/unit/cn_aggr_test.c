/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cn_aggr_test.c - aggregations are merged, ordered and printed as documented. */
#include "cn_test.h"

#include <time.h>

#define STR	16

static struct dv_dtype
str_key(void)
{
	return ct_type(DV_T_STRING, STR);
}

static void
str_entry(struct ct *t, uint32_t agg, const char *key, uint64_t v)
{
	char k[STR] = "";

	snprintf(k, sizeof(k), "%s", key);
	ct_entry(t, agg, k, &v);
}

/* A program that counts by a string, and a probe END with one clause. */
static void
by_name(struct ct *t, enum dv_aggfunc func)
{
	struct dv_dtype key = str_key();

	ct_init(t);
	ct_agg(t, "a", func, 0, 1, 1, &key);
	ct_probe(t, "dtrace", "", "", "END", 2, 0);
	ct_clause(t, 0);
}

static void
fire(struct ct *t, uint32_t epid, const void *data, size_t n)
{
	ct_rec(t, epid, 1, data, n);
	ct_take(t, 2);
}

TEST(rows_at_the_end)
{
	struct ct t;

	by_name(&t, DV_AGG_COUNT);
	ct_open(&t);
	str_entry(&t, 0, "dtrace", 11);
	str_entry(&t, 0, "acroread", 1);
	ct_aggs(&t, 0);
	cn_finish(t.cn);
	EXPECT_STREQ(ct_out(&t), "\n"
	    "  acroread                                                          1\n"
	    "  dtrace                                                           11\n");
	ct_fini(&t);
}

TEST(integer_keys_have_columns_of_their_size)
{
	struct dv_dtype keys[4] = { ct_int(4, true), ct_int(8, true), ct_int(2, false),
	    ct_int(1, true) };
	struct { int32_t a, pad; int64_t b; uint16_t c, pad2[3]; int8_t d, pad3[7]; } k = {
	    .b = 77, .c = 5, .d = -1 };
	uint64_t v = 12;
	struct ct t;

	ct_init(&t);
	ct_agg(&t, "a", DV_AGG_SUM, 0, 1, 1, keys);
	ct_agg(&t, "b", DV_AGG_SUM, 0, 1, 4, keys);
	ct_open(&t);
	ct_entry(&t, 0, &k, &v);
	ct_entry(&t, 1, &k, &v);
	ct_aggs(&t, 0);
	cn_finish(t.cn);
	EXPECT_STREQ(ct_out(&t), "\n"
	    "        0               12\n"
	    "        0               77     5  -1               12\n");
	ct_fini(&t);
}

TEST(cpus_and_snapshots_add_up)
{
	static const struct { enum dv_aggfunc func; int64_t want; } cases[] = {
		{ DV_AGG_COUNT, 12 }, { DV_AGG_SUM, 12 }, { DV_AGG_MIN, -3 },
		{ DV_AGG_MAX, 10 },
	};
	struct ct t;
	char want[100];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		by_name(&t, cases[i].func);
		ct_open(&t);
		str_entry(&t, 0, "x", 5);
		ct_aggs(&t, 0);
		str_entry(&t, 0, "x", 10);
		ct_aggs(&t, 1);
		str_entry(&t, 0, "x", (uint64_t)-3);
		ct_aggs(&t, 1);
		cn_finish(t.cn);
		snprintf(want, sizeof(want), "\n  %-50s %16lld\n", "x",
		    (long long)cases[i].want);
		EXPECT_STREQ(ct_out(&t), want);
		ct_fini(&t);
	}
}

TEST(what_follows_the_nul_of_a_string_key_does_not_matter)
{
	char k[STR] = "x\0garbage";
	uint64_t v = 1;
	struct ct t;

	by_name(&t, DV_AGG_COUNT);
	ct_open(&t);
	ct_entry(&t, 0, k, &v);
	str_entry(&t, 0, "x", 1);
	ct_aggs(&t, 0);
	cn_finish(t.cn);
	EXPECT_STREQ(ct_out(&t), "\n"
	    "  x                                                                 2\n");
	ct_fini(&t);
}

TEST(averages_and_deviations)
{
	uint64_t avg[2] = { 3, 31 }, more[2] = { 1, (uint64_t)-131 };
	/* 2^40 and 3 * 2^40: mean 2^41, deviation 2^40 */
	uint64_t dev[4] = { 1, 1ull << 40, 0, 1u << 16 };
	uint64_t dev2[4] = { 1, 3ull << 40, 0, 9u << 16 };
	struct ct t;

	ct_init(&t);
	ct_agg(&t, "a", DV_AGG_AVG, 0, 2, 0, NULL);
	ct_agg(&t, "d", DV_AGG_STDDEV, 0, 4, 0, NULL);
	ct_probe(&t, "dtrace", "", "", "END", 2, 0);
	ct_clause(&t, 0);
	ct_arg(&t, DV_ACT_NORMALIZE, ct_int(8, false), 1);
	ct_open(&t);
	ct_entry(&t, 0, NULL, avg);
	ct_entry(&t, 1, NULL, dev);
	ct_aggs(&t, 0);
	ct_entry(&t, 0, NULL, more);
	ct_entry(&t, 1, NULL, dev2);
	ct_aggs(&t, 1);
	cn_finish(t.cn);
	EXPECT_STREQ(ct_out(&t), "\n"
	    "              -25\n"
	    "    1099511627776\n");
	fire(&t, 1, &(uint64_t){ 1024 }, 8);
	ct_out(&t);
	cn_finish(t.cn);
	EXPECT_STREQ(ct_out(&t), "\n"
	    "              -25\n"
	    "       1073741824\n");
	ct_fini(&t);
}

TEST(order_is_by_value_then_key)
{
	struct ct t;

	by_name(&t, DV_AGG_SUM);
	t.b.opts[DV_OPT_QUIET] = 1;
	ct_head(&t, DV_ACT_PRINTA, dv_progb_str(&t.b, "%s=%@d "), 1);
	ct_act(&t, DV_ACT_EXPR, CT_NOREC);
	ct_open(&t);
	str_entry(&t, 0, "b", 2);
	str_entry(&t, 0, "d", 2);
	str_entry(&t, 0, "c", (uint64_t)-1);
	str_entry(&t, 0, "a", 2);
	str_entry(&t, 0, "e", 1);
	ct_aggs(&t, 0);
	fire(&t, 1, NULL, 0);
	EXPECT_STREQ(ct_out(&t), "c=-1 e=1 a=2 b=2 d=2 ");
	ct_fini(&t);
}

static const char *
sorted(const char *opt1, uint64_t v1, const char *opt2, uint64_t v2)
{
	static const struct { const char *k; int32_t n; uint64_t v, w; } data[] = {
		{ "x", 3, 1, 30 }, { "y", 2, 2, 20 }, { "x", 1, 3, 10 }, { "y", -1, 4, 20 },
	};
	struct dv_dtype keys[2] = { str_key(), ct_int(4, true) };
	struct { char s[STR]; int32_t n, pad; } k;
	static char text[200];
	struct ct t;
	unsigned i, o;

	ct_init(&t);
	for (o = 0; o < DV_NOPT; o++) {
		static const char *const names[] = {
#define DV_OPT(name, str, type, dflt, flags) str,
#include "abi/opts.def"
		};

		if (opt1 != NULL && strcmp(opt1, names[o]) == 0)
			t.b.opts[o] = v1;
		if (opt2 != NULL && strcmp(opt2, names[o]) == 0)
			t.b.opts[o] = v2;
	}
	t.b.opts[DV_OPT_QUIET] = 1;
	ct_agg(&t, "a", DV_AGG_SUM, 0, 1, 2, keys);
	ct_agg(&t, "b", DV_AGG_MAX, 0, 1, 2, keys);
	ct_probe(&t, "dtrace", "", "", "END", 2, 0);
	ct_clause(&t, 0);
	ct_head(&t, DV_ACT_PRINTA, dv_progb_str(&t.b, "%s%d:%@d/%@d "), 2);
	ct_act(&t, DV_ACT_EXPR, CT_NOREC);
	ct_arg(&t, DV_ACT_EXPR, CT_NOREC, 1);
	ct_open(&t);
	for (i = 0; i < 4; i++) {
		memset(&k, 0, sizeof(k));
		snprintf(k.s, sizeof(k.s), "%s", data[i].k);
		k.n = data[i].n;
		ct_entry(&t, 0, &k, &data[i].v);
		ct_entry(&t, 1, &k, &data[i].w);
	}
	ct_aggs(&t, 1);
	fire(&t, 1, NULL, 0);
	snprintf(text, sizeof(text), "%s", ct_out(&t));
	ct_fini(&t);
	return text;
}

TEST(sorting_options)
{
	EXPECT_STREQ(sorted(NULL, 0, NULL, 0), "x3:1/30 y2:2/20 x1:3/10 y-1:4/20 ");
	EXPECT_STREQ(sorted("aggsortrev", 1, NULL, 0), "y-1:4/20 x1:3/10 y2:2/20 x3:1/30 ");
	EXPECT_STREQ(sorted("aggsortpos", 1, NULL, 0), "x1:3/10 y2:2/20 y-1:4/20 x3:1/30 ");
	EXPECT_STREQ(sorted("aggsortkey", 1, NULL, 0), "x1:3/10 x3:1/30 y-1:4/20 y2:2/20 ");
	EXPECT_STREQ(sorted("aggsortkey", 1, "aggsortkeypos", 1),
	    "y-1:4/20 x1:3/10 y2:2/20 x3:1/30 ");
	EXPECT_STREQ(sorted("aggsortkey", 1, "aggsortrev", 1),
	    "y2:2/20 y-1:4/20 x3:1/30 x1:3/10 ");
}

TEST(printa_without_format)
{
	struct ct t;

	by_name(&t, DV_AGG_COUNT);
	ct_head(&t, DV_ACT_PRINTA, DV_NONE, 1);
	ct_act(&t, DV_ACT_EXPR, CT_NOREC);
	ct_open(&t);
	str_entry(&t, 0, "init", 1);
	ct_aggs(&t, 0);
	fire(&t, 1, NULL, 0);
	EXPECT_STREQ(ct_out(&t),
	    "  0      2                             :END \n"
	    "  init                                                              1\n"
	    "\n");
	cn_finish(t.cn);			/* was printed: not again */
	EXPECT_STREQ(ct_out(&t), "\n");
	ct_fini(&t);
}

TEST(printa_of_several_shows_missing_values_as_0)
{
	struct dv_dtype key = str_key();
	struct ct t;

	by_name(&t, DV_AGG_COUNT);
	t.b.opts[DV_OPT_QUIET] = 1;
	ct_head(&t, DV_ACT_PRINTA, DV_NONE, 2);
	ct_act(&t, DV_ACT_EXPR, CT_NOREC);
	ct_arg(&t, DV_ACT_EXPR, CT_NOREC, 1);
	ct_agg(&t, "b", DV_AGG_SUM, 0, 1, 1, &key);
	ct_open(&t);
	str_entry(&t, 0, "both", 1);
	str_entry(&t, 0, "left", 2);
	str_entry(&t, 1, "both", 30);
	str_entry(&t, 1, "right", 40);
	ct_aggs(&t, 0);
	fire(&t, 1, NULL, 0);
	EXPECT_STREQ(ct_out(&t), "\n"
	    "  right                                                             0               40\n"
	    "  both                                                              1               30\n"
	    "  left                                                              2                0\n");
	ct_fini(&t);
}

TEST(printa_formats)
{
	struct ct t;

	by_name(&t, DV_AGG_SUM);
	t.b.opts[DV_OPT_QUIET] = 1;
	ct_head(&t, DV_ACT_PRINTA,
	    dv_progb_str(&t.b, "%-8s|%8@d|%@-5u|%@x|%@'d\n"), 1);
	ct_act(&t, DV_ACT_EXPR, CT_NOREC);
	ct_open(&t);
	str_entry(&t, 0, "imapd\033", 12345);
	ct_aggs(&t, 0);
	fire(&t, 1, NULL, 0);
	EXPECT_STREQ(ct_out(&t), "imapd\\x1b|   12345|12345|3039|12,345\n");
	ct_fini(&t);
}

TEST(printa_needs_as_many_keys_as_its_format)
{
	struct ct t;

	by_name(&t, DV_AGG_SUM);
	ct_head(&t, DV_ACT_PRINTA, dv_progb_str(&t.b, "%s %s %@d\n"), 1);
	ct_act(&t, DV_ACT_EXPR, CT_NOREC);
	EXPECT_EQ(ct_try_open(&t), DV_E_FORMAT);
	ct_fini(&t);
}

TEST(normalize_and_denormalize_act_at_printing)
{
	struct ct t;

	by_name(&t, DV_AGG_SUM);
	ct_arg(&t, DV_ACT_NORMALIZE, ct_int(8, false), 0);
	ct_clause(&t, 0);
	ct_head(&t, DV_ACT_DENORMALIZE, 0, 0);
	t.b.opts[DV_OPT_QUIET] = 1;
	ct_open(&t);
	str_entry(&t, 0, "x", 2999);
	ct_aggs(&t, 0);
	fire(&t, 1, &(uint64_t){ 1000 }, 8);
	str_entry(&t, 0, "x", 1);
	ct_aggs(&t, 0);
	cn_finish(t.cn);
	EXPECT_STREQ(ct_out(&t), "\n"
	    "  x                                                                 3\n");
	fire(&t, 1, &(uint64_t){ 0 }, 8);
	EXPECT_STREQ(ct_msg(&t), "cannot normalize @a by 0\n");
	fire(&t, 2, NULL, 0);
	cn_finish(t.cn);
	EXPECT_STREQ(ct_out(&t), "\n"
	    "  x                                                              3000\n");
	ct_fini(&t);
}

TEST(clear_keeps_keys)
{
	struct ct t;

	by_name(&t, DV_AGG_MIN);
	ct_head(&t, DV_ACT_CLEAR, 0, 0);
	t.b.opts[DV_OPT_QUIET] = 1;
	ct_open(&t);
	str_entry(&t, 0, "x", 5);
	str_entry(&t, 0, "y", 6);
	ct_aggs(&t, 0);
	fire(&t, 1, NULL, 0);
	str_entry(&t, 0, "y", 9);		/* 0 was no value: 9 is the least */
	ct_aggs(&t, 0);
	cn_finish(t.cn);
	EXPECT_STREQ(ct_out(&t), "\n"
	    "  x                                                                 0\n"
	    "  y                                                                 9\n");
	ct_fini(&t);
}

static const char *
truncated(bool all, int64_t n)
{
	static char text[200];
	struct ct t;
	char key[4];
	int i;

	by_name(&t, DV_AGG_SUM);
	ct_act(&t, DV_ACT_TRUNC, all ? CT_NOREC : ct_int(8, true));
	ct_head(&t, DV_ACT_PRINTA, dv_progb_str(&t.b, "%s%@d "), 1);
	ct_act(&t, DV_ACT_EXPR, CT_NOREC);
	t.b.opts[DV_OPT_QUIET] = 1;
	ct_open(&t);
	for (i = 0; i < 5; i++) {
		snprintf(key, sizeof(key), "%c", "dbeac"[i]);
		str_entry(&t, 0, key, (uint64_t)(key[0] - 'a') * 10);
	}
	ct_aggs(&t, 0);
	fire(&t, 1, &n, all ? 0 : 8);
	str_entry(&t, 0, "e", 1);		/* the table is still whole */
	str_entry(&t, 0, "a", 5);
	ct_aggs(&t, 0);
	n = 99;
	fire(&t, 1, &n, all ? 0 : 8);
	snprintf(text, sizeof(text), "%s", ct_out(&t));
	ct_fini(&t);
	return text;
}

TEST(trunc_keeps_the_largest_or_smallest)
{
	EXPECT_STREQ(truncated(false, 2), "d30 e40 a5 d30 e41 ");
	EXPECT_STREQ(truncated(false, -2), "a0 b10 e1 a5 b10 ");
	EXPECT_STREQ(truncated(false, 7), "a0 b10 c20 d30 e40 a5 b10 c20 d30 e41 ");
	EXPECT_STREQ(truncated(true, 0), "");
	EXPECT_STREQ(truncated(false, 0), "e1 a5 ");
}

TEST(impossible_entries_are_errors)
{
	struct dv_agg_entry e = { .aggid = 0, .size = 16 };
	struct ct t;

	by_name(&t, DV_AGG_COUNT);
	ct_open(&t);
	dv_str_addn(&t.buf, (const char *)&e, sizeof(e));
	EXPECT_EQ(ct_try_take(&t, 0, true), DV_E_FORMAT);
	e.size = 0;
	dv_str_addn(&t.buf, (const char *)&e, sizeof(e));
	EXPECT_EQ(ct_try_take(&t, 0, true), DV_E_FORMAT);
	e.size = 0xfffffff8;
	dv_str_addn(&t.buf, (const char *)&e, sizeof(e));
	EXPECT_EQ(ct_try_take(&t, 0, true), DV_E_FORMAT);
	e.aggid = 1;
	dv_str_addn(&t.buf, (const char *)&e, sizeof(e));
	EXPECT_EQ(ct_try_take(&t, 0, true), DV_E_FORMAT);
	dv_str_addn(&t.buf, (const char *)&e, 8);
	EXPECT_EQ(ct_try_take(&t, 0, true), DV_E_FORMAT);
	str_entry(&t, 0, "x", 1);
	EXPECT_EQ(ct_try_take(&t, 3, true), DV_E_FORMAT);
	ct_fini(&t);
}

TEST(impossible_descriptions_are_refused)
{
	struct ct t;

	by_name(&t, DV_AGG_COUNT);
	t.b.aggs.v[0].nwords = 2;
	EXPECT_EQ(ct_try_open(&t), DV_E_FORMAT);
	ct_fini(&t);
	by_name(&t, DV_AGG_COUNT);
	t.b.aggs.v[0].keysize = 8;		/* the key is 16 */
	EXPECT_EQ(ct_try_open(&t), DV_E_FORMAT);
	ct_fini(&t);
	by_name(&t, DV_AGG_COUNT);
	t.b.aggs.v[0].keyact = 1000;
	EXPECT_EQ(ct_try_open(&t), DV_E_FORMAT);
	ct_fini(&t);
}

TEST(agghist_draws_a_scalar_over_its_keys)
{
	struct ct t;

	by_name(&t, DV_AGG_COUNT);
	t.b.opts[DV_OPT_AGGHIST] = 1;
	ct_open(&t);
	str_entry(&t, 0, "bash", 1);
	str_entry(&t, 0, "sshd", 3);
	ct_aggs(&t, 0);
	cn_finish(t.cn);
	EXPECT_STREQ(ct_out(&t), "\n\n"
	    "             key  ------------- Distribution ------------- count    \n"
	    "            bash |@@@@@@@@@@                               1        \n"
	    "            sshd |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           3        \n");
	ct_fini(&t);
}

TEST(aggpercpu_adds_nothing_up)
{
	static const uint32_t ids[3] = { 5, 4, 0 };
	struct ct t;

	by_name(&t, DV_AGG_COUNT);
	t.b.opts[DV_OPT_AGGPERCPU] = 1;
	t.cfg.cpu_ids = ids;
	ct_open(&t);
	str_entry(&t, 0, "a", 2);
	str_entry(&t, 0, "b", 1);
	ct_aggs(&t, 0);
	str_entry(&t, 0, "a", 2);
	ct_aggs(&t, 1);
	str_entry(&t, 0, "a", 7);
	ct_aggs(&t, 0);
	cn_finish(t.cn);
	EXPECT_STREQ(ct_out(&t), "\n"
	    "  5  b                                                                 1\n"
	    "  4  a                                                                 2\n"
	    "  5  a                                                                 9\n");
	ct_fini(&t);
}

TEST(a_hundred_thousand_keys_are_quick)
{
	clock_t start = clock();
	struct ct t;
	char key[STR];
	int i, k;

	by_name(&t, DV_AGG_COUNT);
	ct_open(&t);
	for (k = 0; k < 2; k++) {
		for (i = 0; i < 100000; i++) {
			snprintf(key, sizeof(key), "k%d", i);
			str_entry(&t, 0, key, (uint64_t)(i * 7919 % 100003));
		}
		ct_aggs(&t, (unsigned)k);
	}
	cn_finish(t.cn);
	EXPECT_EQ(t.out.len, 1 + 100000 * 70);
	EXPECT((clock() - start) / (double)CLOCKS_PER_SEC < 10);
	ct_fini(&t);
}

TEST_MAIN()
