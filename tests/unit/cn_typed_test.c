/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cn_typed_test.c - print() shows values by their types, and survives any text. */
#include "cn_test.h"

static const char *
print_as(const char *type, const void *value, uint32_t size)
{
	static char text[4096];
	struct ct t;

	ct_init(&t);
	t.b.opts[DV_OPT_QUIET] = 1;
	ct_probe(&t, "dtrace", "", "", "BEGIN", 1, 0);
	ct_clause(&t, 0);
	ct_arg(&t, DV_ACT_PRINT, ct_type(DV_T_BYTES, size), dv_progb_str(&t.b, type));
	ct_open(&t);
	ct_rec(&t, 1, 1, value, size);
	ct_take(&t, 0);
	snprintf(text, sizeof(text), "%s", ct_out(&t));
	ct_fini(&t);
	return text;
}

TEST(values_have_their_type)
{
	int32_t i = -5;
	double d = 0.5;
	uint8_t one = 1;

	EXPECT_STREQ(print_as("i4 int;", &i, 4), "int -5\n");
	EXPECT_STREQ(print_as("u4 u32;", &i, 4), "u32 4294967291\n");
	EXPECT_STREQ(print_as("f8 double;", &d, 8), "double 0.5\n");
	EXPECT_STREQ(print_as("b1 _Bool;", &one, 1), "_Bool true\n");
	EXPECT_STREQ(print_as("p8 void *;", &d, 8), "void * 0x3fe0000000000000\n");
	EXPECT_STREQ(print_as("e4 enum x;A;1 B;-5 .", &i, 4), "enum x B\n");
	EXPECT_STREQ(print_as("e4 enum x;A;1 B;5 .", &i, 4), "enum x -5\n");
	EXPECT_STREQ(print_as("c1 char;", "\n", 1), "char 10\n");
	EXPECT_STREQ(print_as("t4 char[4];", "a\tbc", 4), "char[4] \"a\\tbc\"\n");
	EXPECT_STREQ(print_as("x3 function;", "\1\2\3", 3), "function 01 02 03\n");
}

TEST(structs_arrays_and_bit_fields)
{
	const uint8_t v[8] = { 0xa5, 0xff, 1, 2, 3, 4, 'o', 'k' };

	EXPECT_STREQ(print_as("{8 struct s;0 4 lo;u4 unsigned int;4 4 hi;i4 int;8 0 b;i1 s8;"
	    "16 0 in;{4 struct in;0 0 v;a4 u8[4];4 u1 u8;}48 0 t;t2 char[2];}", v, 8),
	    "struct s {\n"
	    "    .lo = (unsigned int)5,\n"
	    "    .hi = (int)-6,\n"
	    "    .b = (s8)-1,\n"
	    "    .in = (struct in){\n"
	    "        .v = (u8[4])[1, 2, 3, 4],\n"
	    "    },\n"
	    "    .t = (char[2])\"ok\",\n"
	    "}\n");
}

TEST(what_lies_outside_the_value_is_not_read)
{
	const uint8_t v[2] = { 7, 8 };

	EXPECT_STREQ(print_as("{2 struct s;0 0 a;u1 u8;64 0 b;u8 u64;999999 3 c;u4 u32;"
	    "8 0 d;t99 char[99];}", v, 2),
	    "struct s {\n    .a = (u8)7,\n    .b = (u64)0,\n    .c = (u32)0,\n"
	    "    .d = (char[99])\"\",\n}\n");
}

TEST(nonsense_ends_the_value)
{
	static const char *const bad[] = {
		"", "q4 int;", "i int;", "i4 int", "i4", "{4 s;", "{4 s;0 0 a", "{4 s;0 0 a;",
		"{4 s;0 0 a;{4 s;0 0 a;{4 s;", "a4 x;", "a4 x;4 ", "a4 x;0 i4 int;", "a4 x;9 i4 int;",
		"a4 x;4 i0 int;", "e4 e;A", "e4 e;A;1", "e4 e;A;1 ", "i99999999999999999999 x;"
	};
	uint32_t v = 0;
	char deep[1024] = "";
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		EXPECT(strchr(print_as(bad[i], &v, 4), '\n') != NULL);
	for (i = 0; i < 60; i++)
		strcat(deep, "{4 s;0 0 a;");
	EXPECT(strstr(print_as(deep, &v, 4), "...") != NULL);
}

TEST(output_of_one_value_is_bounded)
{
	static char type[64 * 256];
	static uint8_t v[65536];
	struct ct t;
	size_t i;

	strcpy(type, "{65536 union u;");
	for (i = 0; i < 200; i++)
		strcat(type, "0 0 a;a65536 u8[65536];65536 u1 u8;");
	strcat(type, "}");
	ct_init(&t);
	t.b.opts[DV_OPT_QUIET] = 1;
	ct_probe(&t, "dtrace", "", "", "BEGIN", 1, 0);
	ct_clause(&t, 0);
	ct_arg(&t, DV_ACT_PRINT, ct_type(DV_T_BYTES, sizeof(v)), dv_progb_str(&t.b, type));
	ct_open(&t);
	ct_rec(&t, 1, 1, v, sizeof(v));
	ct_take(&t, 0);
	EXPECT(strlen(ct_out(&t)) < 2u << 20);
	ct_fini(&t);
}
TEST_MAIN()
