/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cn_format_test.c - printf() prints what D's documentation promises. */
#include "cn_test.h"

#include <math.h>

/* One printf of one value, quiet. */
static const char *
print_one(struct ct *t, const char *fmt, struct dv_dtype type, const void *value)
{
	static char text[4096];

	ct_init(t);
	t->b.opts[DV_OPT_QUIET] = 1;
	ct_probe(t, "dtrace", "", "", "BEGIN", 1, 0);
	ct_clause(t, 0);
	ct_printf(t, fmt, 1);
	ct_act(t, DV_ACT_TRACE, type);
	ct_open(t);
	ct_rec(t, 1, 1, value, type.size);
	ct_take(t, 0);
	snprintf(text, sizeof(text), "%s", ct_out(t));
	ct_fini(t);
	return text;
}

static const char *
print_s64(const char *fmt, int64_t v)
{
	struct ct t;

	return print_one(&t, fmt, ct_int(8, true), &v);
}

static const char *
print_u32(const char *fmt, uint32_t v)
{
	struct ct t;

	return print_one(&t, fmt, ct_int(4, false), &v);
}

static const char *
print_s8(const char *fmt, int8_t v)
{
	struct ct t;

	return print_one(&t, fmt, ct_int(1, true), &v);
}

static const char *
print_str(const char *fmt, const char *s)
{
	char field[32] = "";
	struct ct t;

	memcpy(field, s, strnlen(s, sizeof(field)));
	return print_one(&t, fmt, ct_type(DV_T_STRING, sizeof(field)), field);
}

TEST(integers_follow_size_and_sign_of_the_record)
{
	EXPECT_STREQ(print_s64("%d\n", -5), "-5\n");
	EXPECT_STREQ(print_s64("%d", INT64_MIN), "-9223372036854775808");
	EXPECT_STREQ(print_s64("%lld", INT64_MAX), "9223372036854775807");
	EXPECT_STREQ(print_s64("%u", -1), "18446744073709551615");
	EXPECT_STREQ(print_s64("%x", -1), "ffffffffffffffff");
	EXPECT_STREQ(print_u32("%d", 0xffffffff), "4294967295");
	EXPECT_STREQ(print_s8("%d", -1), "-1");
	EXPECT_STREQ(print_s8("%i", 100), "100");
	EXPECT_STREQ(print_s8("%x", -1), "ff");
	EXPECT_STREQ(print_s8("%u", -1), "255");
	EXPECT_STREQ(print_s8("%o", -1), "377");
	EXPECT_STREQ(print_u32("%hx", 0x12345678), "5678");
	EXPECT_STREQ(print_u32("%hhx", 0x12345678), "78");
	EXPECT_STREQ(print_s64("%p", 0xabc), "abc");
	EXPECT_STREQ(print_s64("%d", 0), "0");
	EXPECT_STREQ(print_s64("%jd %%", -7), "-7 %");
	EXPECT_STREQ(print_s64("%zu", 7), "7");
}

TEST(flags_width_and_precision_are_those_of_c)
{
	EXPECT_STREQ(print_s64("[%5d]", 42), "[   42]");
	EXPECT_STREQ(print_s64("[%-5d]", 42), "[42   ]");
	EXPECT_STREQ(print_s64("[%05d]", -42), "[-0042]");
	EXPECT_STREQ(print_s64("[%+d]", 42), "[+42]");
	EXPECT_STREQ(print_s64("[% d]", 42), "[ 42]");
	EXPECT_STREQ(print_s64("[%.5d]", -42), "[-00042]");
	EXPECT_STREQ(print_s64("[%8.5d]", 42), "[   00042]");
	EXPECT_STREQ(print_s64("[%08.5d]", 42), "[   00042]");
	EXPECT_STREQ(print_s64("[%.0d]", 0), "[]");
	EXPECT_STREQ(print_s64("[%#x]", 255), "[0xff]");
	EXPECT_STREQ(print_s64("[%#X]", 255), "[0XFF]");
	EXPECT_STREQ(print_s64("[%#010x]", 255), "[0x000000ff]");
	EXPECT_STREQ(print_s64("[%#x]", 0), "[0]");
	EXPECT_STREQ(print_s64("[%#o]", 8), "[010]");
	EXPECT_STREQ(print_s64("[%#o]", 0), "[0]");
	EXPECT_STREQ(print_s64("[%'d]", 1234567), "[1,234,567]");
	EXPECT_STREQ(print_s64("[%'d]", -123), "[-123]");
	EXPECT_STREQ(print_s64("100%% of %d%%", 7), "100% of 7%");
}

TEST(strings_are_cut_padded_and_escaped)
{
	EXPECT_STREQ(print_str("%s", "hello"), "hello");
	EXPECT_STREQ(print_str("[%8s]", "hello"), "[   hello]");
	EXPECT_STREQ(print_str("[%-8s]", "hello"), "[hello   ]");
	EXPECT_STREQ(print_str("[%.3s]", "hello"), "[hel]");
	EXPECT_STREQ(print_str("%s", "a\033[31mb\nc\td"), "a\\x1b[31mb\\nc\\x09d");
	EXPECT_STREQ(print_str("%s", "na\xc3\xafve \xe2\x82\xac"), "na\xc3\xafve \xe2\x82\xac");
	EXPECT_STREQ(print_str("%s", "\x9b" "31m \xc2\x9b \xff"),
	    "\\x9b31m \\xc2\\x9b \\xff");
	EXPECT_STREQ(print_str("%S", "a\tb\n\"\xc3\xaf"), "a\\tb\\n\"\\xc3\\xaf");
	EXPECT_STREQ(print_str("%s", "01234567890123456789012345678901"),
	    "01234567890123456789012345678901");
}

TEST(text_of_the_format_and_constants_are_the_programs_own)
{
	char field[8] = "a\tb\n";
	struct dv_difo d = { .ntext = 2 };
	struct ct t;
	uint32_t i;

	EXPECT_STREQ(print_s64("\ta\n%d\n", 1), "\ta\n1\n");
	ct_init(&t);
	t.b.opts[DV_OPT_QUIET] = 1;
	EXPECT_EQ(dv_vec_push(&t.b.text, DIF_INSTR_WIDE(DIF_OP_SETS, 0, 1)), 0);
	EXPECT_EQ(dv_vec_push(&t.b.text, DIF_INSTR_FMT(DIF_OP_RET, 0, 0, 1)), 0);
	EXPECT_EQ(dv_vec_push(&t.b.difos, d), 0);
	ct_probe(&t, "dtrace", "", "", "BEGIN", 1, 0);
	ct_clause(&t, 0);
	i = ct_act(&t, DV_ACT_TRACE, ct_type(DV_T_STRING, 8));
	t.b.acts.v[i].difo = 0;
	ct_open(&t);
	ct_rec(&t, 1, 1, field, sizeof(field));
	ct_take(&t, 0);
	EXPECT_STREQ(ct_out(&t), "a\tb\n");
	ct_fini(&t);
}

TEST(characters)
{
	EXPECT_STREQ(print_s8("%c", 'x'), "x");
	EXPECT_STREQ(print_s8("[%3c]", 'x'), "[  x]");
	EXPECT_STREQ(print_s8("%c", '\033'), "\\x1b");
	EXPECT_STREQ(print_s8("%C", '\t'), "\\t");
	EXPECT_STREQ(print_u32("%wc", 0x20ac), "\xe2\x82\xac");
	EXPECT_STREQ(print_u32("%c", 'A'), "A");
}

TEST(wide_strings_are_arrays_of_4_byte_characters)
{
	const uint32_t s[6] = { 'a', 0xe9, 0x20ac, 0x1b, 0, 'x' };
	struct ct t;

	EXPECT_STREQ(print_one(&t, "%ws|", ct_type(DV_T_BYTES, 24), s),
	    "a\xc3\xa9\xe2\x82\xac\\x1b|");
	EXPECT_STREQ(print_one(&t, "%.2ws|", ct_type(DV_T_BYTES, 24), s), "a\xc3\xa9|");
	EXPECT_STREQ(print_one(&t, "%4.1ws|", ct_type(DV_T_BYTES, 24), s), "   a|");
}

TEST(floating_point)
{
	double d = 2.5;
	float f = -1.25f;
	struct ct t;

	EXPECT_STREQ(print_one(&t, "%f", ct_type(DV_T_BYTES, 8), &d), "2.500000");
	EXPECT_STREQ(print_one(&t, "%8.2f|", ct_type(DV_T_BYTES, 8), &d), "    2.50|");
	EXPECT_STREQ(print_one(&t, "%g", ct_type(DV_T_BYTES, 4), &f), "-1.25");
	EXPECT_STREQ(print_s64("%.1f", -3), "-3.0");
	EXPECT_STREQ(print_one(&t, "%.1e", ct_type(DV_T_BYTES, 8), &d), "2.5e+00");
	d = -1234567.5;
	EXPECT_STREQ(print_one(&t, "%'.1f", ct_type(DV_T_BYTES, 8), &d), "-1,234,567.5");
	EXPECT_STREQ(print_one(&t, "%012.1f", ct_type(DV_T_BYTES, 8), &d), "-001234567.5");
	EXPECT_STREQ(print_one(&t, "%.70f", ct_type(DV_T_BYTES, 4), &f) + 61, "000000000000");
	d = INFINITY;
	EXPECT_STREQ(print_one(&t, "%06f", ct_type(DV_T_BYTES, 8), &d), "   inf");
}

TEST(times)
{
	setenv("TZ", "UTC", 1);
	EXPECT_STREQ(print_s64("%Y", 1796077071000000000), "2026 Nov 30 22:17:51");
	EXPECT_STREQ(print_s64("%Y", 0), "1970 Jan  1 00:00:00");
	EXPECT_STREQ(print_s64("%T", 1796077071000000000),
	    "Mon, 30 Nov 2026 22:17:51 UTC");
	EXPECT_STREQ(print_s64("[%24Y]", 0), "[    1970 Jan  1 00:00:00]");
}

TEST(dynamic_width_and_precision)
{
	struct { int32_t w, p; char s[8]; } r = { 8, 3, "hello" };
	struct ct t;

	ct_init(&t);
	t.b.opts[DV_OPT_QUIET] = 1;
	ct_probe(&t, "dtrace", "", "", "BEGIN", 1, 0);
	ct_clause(&t, 0);
	ct_printf(&t, "[%*.*s]", 3);
	ct_act(&t, DV_ACT_TRACE, ct_int(4, true));
	ct_act(&t, DV_ACT_TRACE, ct_int(4, true));
	ct_act(&t, DV_ACT_TRACE, ct_type(DV_T_STRING, 8));
	ct_open(&t);
	ct_rec(&t, 1, 1, &r, sizeof(r));
	r.w = -8;
	r.p = -1;
	ct_rec(&t, 1, 1, &r, sizeof(r));
	ct_take(&t, 0);
	EXPECT_STREQ(ct_out(&t), "[     hel][hello   ]");
	ct_fini(&t);
}

static bool
kernel_name(void *arg, uint64_t addr, const char **mod, const char **sym, uint64_t *off)
{
	(void)arg;
	if (addr < 0x1000 || addr >= 0x1100)
		return false;
	*mod = "vmlinux";
	*sym = "vfs_write";
	*off = addr - 0x1000;
	return true;
}

static bool
user_name(void *arg, uint64_t pid, uint64_t addr, const char **obj, const char **sym,
	uint64_t *off)
{
	(void)arg;
	*obj = pid == 42 ? "libc.so.6" : "a.out";
	*sym = addr >= 0x2000 ? "write" : NULL;
	*off = addr - 0x2000;
	return true;
}

static const struct cn_symbols symbols = { .kernel = kernel_name, .user = user_name };

TEST(addresses_become_symbols)
{
	struct { uint64_t k, k0, none, upid, uaddr, pid, mod, sym; } r = {
	    0x1010, 0x1000, 0x500, 42, 0x2004, 42, 0x1010, 0x1010 };
	struct ct t;

	ct_init(&t);
	t.cfg.symbols = &symbols;
	t.b.opts[DV_OPT_QUIET] = 1;
	ct_probe(&t, "dtrace", "", "", "BEGIN", 1, 0);
	ct_clause(&t, 0);
	ct_printf(&t, "%a %a %a %A %d %s %22a|", 7);
	ct_act(&t, DV_ACT_TRACE, ct_int(8, false));
	ct_act(&t, DV_ACT_TRACE, ct_int(8, false));
	ct_act(&t, DV_ACT_TRACE, ct_int(8, false));
	ct_act(&t, DV_ACT_UADDR, ct_type(DV_T_UADDR, 16));
	ct_act(&t, DV_ACT_TRACE, ct_int(8, false));
	ct_act(&t, DV_ACT_MOD, ct_type(DV_T_MOD, 8));
	ct_act(&t, DV_ACT_SYM, ct_type(DV_T_SYM, 8));
	ct_open(&t);
	ct_rec(&t, 1, 1, &r, sizeof(r));
	ct_take(&t, 0);
	EXPECT_STREQ(ct_out(&t), "vmlinux`vfs_write+0x10 vmlinux`vfs_write 0x500 "
	    "libc.so.6`write+0x4 42 vmlinux      vmlinux`vfs_write|");
	ct_fini(&t);
}

TEST(noresolve_leaves_user_addresses_alone)
{
	struct { uint64_t k, upid, uaddr; } r = { 0x1010, 42, 0x2004 };
	struct ct t;

	ct_init(&t);
	t.cfg.symbols = &symbols;
	t.b.opts[DV_OPT_QUIET] = 1;
	t.b.opts[DV_OPT_NORESOLVE] = 1;
	ct_probe(&t, "dtrace", "", "", "BEGIN", 1, 0);
	ct_clause(&t, 0);
	ct_printf(&t, "%a %A|", 2);
	ct_act(&t, DV_ACT_TRACE, ct_int(8, false));
	ct_act(&t, DV_ACT_UADDR, ct_type(DV_T_UADDR, 16));
	ct_open(&t);
	ct_rec(&t, 1, 1, &r, sizeof(r));
	ct_take(&t, 0);
	EXPECT_STREQ(ct_out(&t), "vmlinux`vfs_write+0x10 0x2004|");
	ct_fini(&t);
}

TEST(stacks_begin_on_a_line_of_their_own)
{
	struct { uint64_t k[4], pid, u[3]; } r = {
	    { 0x1010, 0x1000, 0, 0x1020 }, 42, { 0x2004, 0x1999, 0 } };
	struct ct t;

	ct_init(&t);
	t.cfg.symbols = &symbols;
	ct_probe(&t, "fbt", "vmlinux", "f", "entry", 12, 0);
	ct_clause(&t, 0);
	ct_act(&t, DV_ACT_STACK, ct_type(DV_T_STACK, 32));
	ct_act(&t, DV_ACT_USTACK, ct_type(DV_T_USTACK, 32));
	ct_open(&t);
	ct_rec(&t, 1, 1, &r, sizeof(r));
	ct_take(&t, 0);
	EXPECT_STREQ(ct_out(&t),
	    "  0     12                          f:entry \n"
	    "              vmlinux`vfs_write+0x10\n"
	    "              vmlinux`vfs_write\n"
	    "\n"
	    "              libc.so.6`write+0x4\n"
	    "              libc.so.6`0x1999\n"
	    "\n");
	ct_fini(&t);
}

TEST(bad_formats_are_refused)
{
	static const char *const bad[] = { "%q", "%", "%5", "%@d", "%d %d", "%*d" };
	struct ct t;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		ct_init(&t);
		ct_probe(&t, "dtrace", "", "", "BEGIN", 1, 0);
		ct_clause(&t, 0);
		ct_printf(&t, bad[i], 1);
		ct_act(&t, DV_ACT_TRACE, ct_int(4, true));
		EXPECT_EQ(ct_try_open(&t), DV_E_FORMAT);
		ct_fini(&t);
	}
}

TEST_MAIN()
