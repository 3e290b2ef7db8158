/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base_str_test.c - strings grow, globs match as DTrace's, numbers parse. */
#include "test.h"
#include "err.h"
#include "str.h"

TEST(fresh_string_is_empty)
{
	struct dv_str s;

	dv_str_init(&s);
	EXPECT_STREQ(s.s, "");
	dv_str_reset(&s);
	dv_str_fini(&s);
	EXPECT_STREQ(s.s, "");
}

TEST(adding)
{
	struct dv_str s;
	int i;

	dv_str_init(&s);
	dv_str_add(&s, "ab");
	dv_str_addc(&s, 'c');
	dv_str_addn(&s, "defg", 2);
	dv_str_printf(&s, "%d", 12345);
	EXPECT_STREQ(s.s, "abcde12345");
	EXPECT_EQ(s.len, 10);
	dv_str_reset(&s);
	EXPECT_STREQ(s.s, "");
	for (i = 0; i < 10000; i++)
		dv_str_printf(&s, "%c", 'a' + i % 26);
	EXPECT_EQ(s.len, 10000);
	EXPECT_EQ(strlen(s.s), 10000);
	EXPECT(!s.failed);
	dv_str_fini(&s);
}

TEST(impossible_growth_fails_once_and_for_all)
{
	struct dv_str s;

	dv_str_init(&s);
	dv_str_add(&s, "x");
	dv_str_addn(&s, "y", SIZE_MAX - 1);
	EXPECT(s.failed);
	dv_str_add(&s, "z");
	EXPECT_STREQ(s.s, "x");
	dv_str_fini(&s);
}

TEST(escape)
{
	struct dv_str s;

	dv_str_init(&s);
	dv_str_escape(&s, "a\nb\033[m\0\xff~", 9);
	EXPECT_STREQ(s.s, "a\\nb\\x1b[m\\x00\\xff~");
	dv_str_fini(&s);
}

TEST(globs)
{
	static const struct { const char *p, *s; bool ret; } t[] = {
		{ "", "", true }, { "", "anything", true },
		{ "abc", "abc", true }, { "abc", "abcd", false },
		{ "abc", "ab", false }, { "*", "", true }, { "*", "abc", true },
		{ "?", "", false }, { "?", "a", true }, { "a?c", "abc", true },
		{ "a*", "a", true }, { "a*c", "abbbc", true },
		{ "a*c", "abbb", false }, { "*sys*read", "__x64_sys_pread", true },
		{ "**a", "bba", true }, { "*a*b*c*", "xxaxxbxxc", true },
		{ "[abc]x", "bx", true }, { "[abc]x", "dx", false },
		{ "[a-c]x", "bx", true }, { "[!a-c]x", "bx", false },
		{ "[!a-c]x", "zx", true }, { "[]]", "]", true },
		{ "[!]]", "]", false }, { "[!]]", "a", true },
		{ "[a-]", "-", true }, { "[", "[", true }, { "[a", "[a", true },
		{ "[\\]]", "]", true }, { "\\*", "*", true }, { "\\*", "a", false },
		{ "\\", "\\", true }, { "[\\", "[\\", true },
		{ "*[0-9]", "abc7", true }, { "*[0-9]", "abc", false },
		{ "a*b?d", "aXbYbZd", true },
	};
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		if (dv_glob_match(t[i].p, t[i].s) != t[i].ret)
			FAIL("glob \"%s\" on \"%s\"", t[i].p, t[i].s);
}

TEST(glob_time_is_not_exponential)
{
	char p[401], s[2001];
	size_t i;

	for (i = 0; i < 400; i += 2)
		memcpy(p + i, "*a", 2);
	p[399] = 'b';
	p[400] = '\0';
	memset(s, 'a', 2000);
	s[2000] = '\0';
	EXPECT(!dv_glob_match(p, s));
}

TEST(what_is_a_pattern)
{
	EXPECT(dv_glob_is_pattern(""));
	EXPECT(dv_glob_is_pattern("a*"));
	EXPECT(dv_glob_is_pattern("[ab]"));
	EXPECT(!dv_glob_is_pattern("vfs_read"));
}

TEST(numbers)
{
	uint64_t v = 7;

	EXPECT_EQ(dv_parse_u64("0", &v), 0);
	EXPECT_EQ(v, 0);
	EXPECT_EQ(dv_parse_u64("18446744073709551615", &v), 0);
	EXPECT_EQ(v, UINT64_MAX);
	EXPECT_EQ(dv_parse_u64("0xFFff", &v), 0);
	EXPECT_EQ(v, 0xffff);
	EXPECT_EQ(dv_parse_u64("017", &v), 0);
	EXPECT_EQ(v, 15);
	v = 7;
	EXPECT_EQ(dv_parse_u64("18446744073709551616", &v), DV_E_INVAL);
	EXPECT_EQ(dv_parse_u64("", &v), DV_E_INVAL);
	EXPECT_EQ(dv_parse_u64("-1", &v), DV_E_INVAL);
	EXPECT_EQ(dv_parse_u64(" 1", &v), DV_E_INVAL);
	EXPECT_EQ(dv_parse_u64("1k", &v), DV_E_INVAL);
	EXPECT_EQ(dv_parse_u64("08", &v), DV_E_INVAL);
	EXPECT_EQ(dv_parse_u64("0x", &v), DV_E_INVAL);
	EXPECT_EQ(v, 7);
}

TEST(sizes)
{
	uint64_t v = 7;

	EXPECT_EQ(dv_parse_size("4m", &v), 0);
	EXPECT_EQ(v, 4 << 20);
	EXPECT_EQ(dv_parse_size("512K", &v), 0);
	EXPECT_EQ(v, 512 << 10);
	EXPECT_EQ(dv_parse_size("1g", &v), 0);
	EXPECT_EQ(v, 1 << 30);
	EXPECT_EQ(dv_parse_size("2t", &v), 0);
	EXPECT_EQ(v, (uint64_t)2 << 40);
	EXPECT_EQ(dv_parse_size("100", &v), 0);
	EXPECT_EQ(v, 100);
	EXPECT_EQ(dv_parse_size("16777215t", &v), 0);
	v = 7;
	EXPECT_EQ(dv_parse_size("16777216t", &v), DV_E_INVAL);
	EXPECT_EQ(dv_parse_size("4mb", &v), DV_E_INVAL);
	EXPECT_EQ(dv_parse_size("k", &v), DV_E_INVAL);
	EXPECT_EQ(v, 7);
}

TEST(rates_are_periods)
{
	static const struct { const char *s; uint64_t ns; } good[] = {
		{ "1", 1000000000 }, { "97", 10309278 }, { "101hz", 9900990 }, { "5ms", 5000000 },
		{ "1sec", 1000000000 }, { "2m", 120000000000 }, { "1day", 86400000000000 },
	};
	static const char *const bad[] = { "", "0", "x", "-1", "1parsec", "1 s", "2000000000hz",
	    "999999999999999999d", "99999999999999999999" };
	uint64_t v;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		EXPECT_EQ(dv_parse_rate(good[i].s, &v), 0);
		EXPECT_EQ(v, good[i].ns);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ(dv_parse_rate(bad[i], &v), DV_E_INVAL);
}

TEST(booleans_are_words)
{
	uint64_t v = 7;

	EXPECT_EQ(dv_parse_bool("on", &v), 0);
	EXPECT_EQ(v, 1);
	EXPECT_EQ(dv_parse_bool("no", &v), 0);
	EXPECT_EQ(v, 0);
	EXPECT_EQ(dv_parse_bool("maybe", &v), DV_E_INVAL);
}

TEST(names_of_guests)
{
	static const char longest[] = "a23456789012345678901234567890123456789012345_7";

	EXPECT(dv_guest_name_ok("guest"));
	EXPECT(dv_guest_name_ok("web-01.example_x"));
	EXPECT(dv_guest_name_ok(longest));
	EXPECT_EQ(strlen(longest), DV_GUEST_NAME_MAX);
	EXPECT(!dv_guest_name_ok("a234567890123456789012345678901234567890123456_8"));
	EXPECT(!dv_guest_name_ok(""));
	EXPECT(!dv_guest_name_ok(".."));
	EXPECT(!dv_guest_name_ok("a/b"));
	EXPECT(!dv_guest_name_ok("a b"));
	EXPECT(!dv_guest_name_ok("a\n"));
}

TEST_MAIN()
