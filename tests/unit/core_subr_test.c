/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_subr_test.c - each subroutine returns what D says. */
#include "core_help.h"

#define NOARG	(-987654321ll)

struct arg { const char *s; int64_t v; };	/* s NULL: the number */
#define S(x)	{ x, 0 }
#define N(x)	{ NULL, x }

struct call {
	uint32_t subr;
	struct arg arg[3];
	unsigned nargs;
	const char *str;		/* wanted, or NULL: */
	int64_t val;
};

static const struct call calls[] = {
	{ DIF_SUBR_STRLEN, { S("hello") }, 1, NULL, 5 },
	{ DIF_SUBR_STRLEN, { S("") }, 1, NULL, 0 },
	{ DIF_SUBR_STRJOIN, { S("foo"), S("bar") }, 2, "foobar", 0 },
	{ DIF_SUBR_STRJOIN, { S(""), S("") }, 2, "", 0 },
	{ DIF_SUBR_LLTOSTR, { N(-42) }, 1, "-42", 0 },
	{ DIF_SUBR_LLTOSTR, { N(INT64_MIN) }, 1, "-9223372036854775808", 0 },
	{ DIF_SUBR_LLTOSTR, { N(0) }, 1, "0", 0 },
	{ DIF_SUBR_LLTOSTR, { N(255), N(16) }, 2, "0xff", 0 },
	{ DIF_SUBR_LLTOSTR, { N(-1), N(16) }, 2, "0xffffffffffffffff", 0 },
	{ DIF_SUBR_LLTOSTR, { N(8), N(8) }, 2, "010", 0 },
	{ DIF_SUBR_LLTOSTR, { N(5), N(2) }, 2, "101", 0 },
	{ DIF_SUBR_STRTOLL, { S("  -123abc") }, 1, NULL, -123 },
	{ DIF_SUBR_STRTOLL, { S("0x1F"), N(16) }, 2, NULL, 31 },
	{ DIF_SUBR_STRTOLL, { S("zz"), N(36) }, 2, NULL, 1295 },
	{ DIF_SUBR_STRTOLL, { S("") }, 1, NULL, 0 },
	{ DIF_SUBR_BASENAME, { S("/foo/bar/baz") }, 1, "baz", 0 },
	{ DIF_SUBR_BASENAME, { S("/foo/bar///") }, 1, "bar", 0 },
	{ DIF_SUBR_BASENAME, { S("/") }, 1, "/", 0 },
	{ DIF_SUBR_BASENAME, { S("foo") }, 1, "foo", 0 },
	{ DIF_SUBR_BASENAME, { S("") }, 1, ".", 0 },
	{ DIF_SUBR_DIRNAME, { S("/foo/bar/baz") }, 1, "/foo/bar", 0 },
	{ DIF_SUBR_DIRNAME, { S("/foo///bar/") }, 1, "/foo", 0 },
	{ DIF_SUBR_DIRNAME, { S("/foo") }, 1, "/", 0 },
	{ DIF_SUBR_DIRNAME, { S("foo") }, 1, ".", 0 },
	{ DIF_SUBR_DIRNAME, { S("//") }, 1, "/", 0 },
	{ DIF_SUBR_CLEANPATH, { S("/foo/./bar//baz") }, 1, "/foo/bar/baz", 0 },
	{ DIF_SUBR_CLEANPATH, { S("/foo/bar/../baz") }, 1, "/foo/baz", 0 },
	{ DIF_SUBR_CLEANPATH, { S("/../../foo") }, 1, "/foo", 0 },
	{ DIF_SUBR_CLEANPATH, { S("a/../b") }, 1, "b", 0 },
	{ DIF_SUBR_CLEANPATH, { S("../../b") }, 1, "../../b", 0 },
	{ DIF_SUBR_CLEANPATH, { S("../a/../../b") }, 1, "../../b", 0 },
	{ DIF_SUBR_CLEANPATH, { S("/a/b/../../../c") }, 1, "/c", 0 },
	{ DIF_SUBR_CLEANPATH, { S("") }, 1, "", 0 },
	{ DIF_SUBR_STRCHR, { S("abcabc"), N('b') }, 2, "bcabc", 0 },
	{ DIF_SUBR_STRCHR, { S("abc"), N('x') }, 2, NULL, 0 },
	{ DIF_SUBR_STRRCHR, { S("abcabc"), N('b') }, 2, "bc", 0 },
	{ DIF_SUBR_STRSTR, { S("hello world"), S("o w") }, 2, "o world", 0 },
	{ DIF_SUBR_STRSTR, { S("hello"), S("") }, 2, "hello", 0 },
	{ DIF_SUBR_STRSTR, { S("hello"), S("hellooo") }, 2, NULL, 0 },
	{ DIF_SUBR_SUBSTR, { S("abcdef"), N(2) }, 2, "cdef", 0 },
	{ DIF_SUBR_SUBSTR, { S("abcdef"), N(2), N(3) }, 3, "cde", 0 },
	{ DIF_SUBR_SUBSTR, { S("abcdef"), N(-2) }, 2, "ef", 0 },
	{ DIF_SUBR_SUBSTR, { S("abcdef"), N(1), N(-2) }, 3, "bcd", 0 },
	{ DIF_SUBR_SUBSTR, { S("abcdef"), N(-8), N(4) }, 3, "ab", 0 },
	{ DIF_SUBR_SUBSTR, { S("abcdef"), N(6) }, 2, "", 0 },
	{ DIF_SUBR_SUBSTR, { S("abcdef"), N(2), N(0) }, 3, "", 0 },
	{ DIF_SUBR_SUBSTR, { S("abcdef"), N(INT64_MIN), N(INT64_MIN) }, 3, "", 0 },
	{ DIF_SUBR_SUBSTR, { S("abcdef"), N(INT64_MAX), N(INT64_MAX) }, 3, "", 0 },
	{ DIF_SUBR_SUBSTR, { S("abcdef"), N(0), N(INT64_MAX) }, 3, "abcdef", 0 },
	{ DIF_SUBR_INDEX, { S("abcabc"), S("c") }, 2, NULL, 2 },
	{ DIF_SUBR_INDEX, { S("abcabc"), S("c"), N(3) }, 3, NULL, 5 },
	{ DIF_SUBR_INDEX, { S("abc"), S("x") }, 2, NULL, -1 },
	{ DIF_SUBR_INDEX, { S("abc"), S("a"), N(-5) }, 3, NULL, 0 },
	{ DIF_SUBR_INDEX, { S("abc"), S("a"), N(9) }, 3, NULL, -1 },
	{ DIF_SUBR_RINDEX, { S("abcabc"), S("ab") }, 2, NULL, 3 },
	{ DIF_SUBR_RINDEX, { S("abcabc"), S("ab"), N(2) }, 3, NULL, 0 },
	{ DIF_SUBR_RINDEX, { S("abc"), S("abcd") }, 2, NULL, -1 },
	{ DIF_SUBR_HTONS, { N(0x1234) }, 1, NULL, 0x3412 },
	{ DIF_SUBR_NTOHL, { N(0x12345678) }, 1, NULL, 0x78563412 },
	{ DIF_SUBR_HTONLL, { N(1) }, 1, NULL, 1ll << 56 },
	{ DIF_SUBR_TOUPPER, { S("aBz09~") }, 1, "ABZ09~", 0 },
	{ DIF_SUBR_TOLOWER, { S("AbZ[") }, 1, "abz[", 0 },
	{ DIF_SUBR_GETMAJOR, { N((8 << 20) | 17) }, 1, NULL, 8 },
	{ DIF_SUBR_GETMINOR, { N((8 << 20) | 17) }, 1, NULL, 17 },
	{ DIF_SUBR_MEMSTR, { S("ab\0cd"), N('.'), N(2) }, 3, "ab", 0 },
	{ DIF_SUBR_STRTOK, { S("/a//b"), S("/") }, 2, "a", 0 },
	{ DIF_SUBR_STRTOK, { S("///"), S("/") }, 2, NULL, 0 },
	{ DIF_SUBR_PROGENYOF, { N(0) }, 1, NULL, 1 },
	{ DIF_SUBR_PROGENYOF, { N(77) }, 1, NULL, 0 },
};
#define NCALLS	(sizeof(calls) / sizeof(calls[0]))

static void
make_call(struct tb *t, const struct call *c)
{
	unsigned i;

	difo_begin(t);
	for (i = 0; i < c->nargs; i++) {
		if (c->arg[i].s != NULL) {
			in_str(t, c->arg[i].s, 1);
			in(t, I3(PUSHTR, DV_T_STRING, 0, 1));
		} else {
			in_int(t, (uint64_t)c->arg[i].v, 1);
			in(t, I3(PUSHTV, DV_T_INT, 0, 1));
		}
	}
	in(t, IW(CALL, c->subr, 2));
	in(t, IRET(2));
}

TEST(subroutines)
{
	struct dv_snap snap;
	const uint8_t *p;
	uint32_t begin;
	struct tb t;
	size_t i;

	tb_init(&t, 1);
	dv_sim_task(t.sim, 0, 0, "swapper/0", 0);
	begin = probe_add(&t, "BEGIN", DV_PF_BEGIN);
	for (i = 0; i < NCALLS; i++) {
		make_call(&t, &calls[i]);
		clause_begin(&t, DV_NONE);
		if (calls[i].str != NULL)
			act_rec(&t, DV_ACT_TRACE, difo_end(&t), DV_T_STRING, 64);
		else
			act_rec(&t, DV_ACT_TRACE, difo_end(&t), DV_T_INT, 8);
		ecb_add(&t, begin, clause_end(&t, 0));
	}
	tb_go(&t);
	p = dv_sim_snap(t.sim, 1, DV_BUF_PRINCIPAL, &snap);
	for (i = 0; i < NCALLS; i++) {
		if (((const struct dv_rec *)p)->epid != i + 1)
			FAIL("call %u: faulted", (unsigned)i);
		p += sizeof(struct dv_rec);
		if (calls[i].str != NULL) {
			if (strcmp((const char *)p, calls[i].str) != 0)
				print_error("call %u\n", (unsigned)i);
			EXPECT_STREQ((const char *)p, calls[i].str);
			p += 64;
		} else {
			if (*(const int64_t *)p != calls[i].val)
				print_error("call %u\n", (unsigned)i);
			EXPECT_EQ(*(const int64_t *)p, calls[i].val);
			p += 8;
		}
	}
	tb_fini(&t);
}

/* copyin and kin read the user half through curthread's mm, whatever CR3 is. */
TEST(copyin_and_kin)
{
	uint64_t task, root, at = 0x7ffff0000000ull + 4096 - 5;
	const struct dv_fault_rec *f;
	struct dv_snap snap;
	const uint8_t *p;
	uint32_t site, i;
	struct tb t;

	tb_init(&t, 1);
	dv_sim_task(t.sim, 0, 0, "swapper/0", 0);
	task = dv_sim_task(t.sim, 9, 9, "sh", 0);
	root = dv_sim_mm(t.sim, task);
	dv_sim_map(t.sim, root, at & ~4095ull, dv_sim_page(t.sim));
	dv_sim_map(t.sim, root, (at & ~4095ull) + 4096, dv_sim_page(t.sim));
	dv_sim_write(t.sim, root, at, "user string", 12);
	dv_sim_current(t.sim, 0, task);
	clause_begin(&t, DV_NONE);
	for (i = 0; i < 4; i++) {
		difo_begin(&t);
		in_int(&t, at, 1);
		in_int(&t, i == 1 ? 4 : 12, 2);
		in(&t, I3(PUSHTV, DV_T_INT, 0, 1));
		if (i != 0)
			in(&t, I3(PUSHTV, DV_T_INT, 0, 2));
		if (i == 3) {
			in(&t, I3(ALLOCS, 2, 0, 3));
			in(&t, I3(PUSHTV, DV_T_INT, 0, 3));
			in(&t, IW(CALL, DIF_SUBR_COPYINTO, 4));
			in(&t, IRET(3));
		} else {
			in(&t, IW(CALL, i == 2 ? DIF_SUBR_COPYIN : DIF_SUBR_COPYINSTR, 4));
			in(&t, IRET(4));
		}
		act_rec(&t, DV_ACT_TRACE, difo_end(&t), DV_T_STRING, 16);
	}
	difo_begin(&t);
	in_int(&t, at, 1);
	in(&t, I3(ULDUH, 1, 0, 2));
	in(&t, IRET(2));
	act_trace(&t, difo_end(&t));
	act_rec(&t, DV_ACT_TRACE, difo_const(&t, at), DV_T_STRING, 16)->rec.flags =
	    DV_TF_BYREF | DV_TF_USER;
	act_rec(&t, DV_ACT_UADDR, difo_const(&t, at), DV_T_UADDR, 16);
	site = simple_site(&t, clause_end(&t, 0));
	clause_begin(&t, DV_NONE);		/* a plain string of a user address */
	act_rec(&t, DV_ACT_TRACE, difo_const(&t, at), DV_T_STRING, 16);
	ecb_add(&t, 0, clause_end(&t, 0));
	tb_go(&t);
	dv_sim_hit(t.sim, 0, site);
	p = dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(((const struct dv_rec *)p)->epid, 1);
	EXPECT_STREQ((const char *)p + 16, "user string");
	EXPECT_STREQ((const char *)p + 32, "user");
	EXPECT_STREQ((const char *)p + 48, "user string");
	EXPECT_STREQ((const char *)p + 64, "user string");
	EXPECT_EQ(*(const uint64_t *)(p + 80), 's' << 8 | 'u');
	EXPECT_STREQ((const char *)p + 88, "user string");
	EXPECT_EQ(*(const uint64_t *)(p + 104), 9);
	EXPECT_EQ(*(const uint64_t *)(p + 112), at);
	f = (const void *)(p + 120);
	EXPECT_EQ(f->epid, DV_EPID_FAULT);
	EXPECT_EQ(f->addr, at);
	tb_fini(&t);
}

/* strtok keeps its place for the clause, not longer. */
TEST(strtok_goes_on)
{
	static const char *const want[] = { "a", "bc", "d", "" };
	struct dv_snap snap;
	const uint8_t *p;
	uint32_t i, d;
	struct tb t;

	tb_init(&t, 1);
	clause_begin(&t, DV_NONE);
	for (i = 0; i < 3; i++) {
		difo_begin(&t);
		in_str(&t, " a bc,d", 1);
		in_str(&t, " ,", 2);
		in(&t, I3(PUSHTR, DV_T_STRING, 0, i == 0 ? 1 : 0));
		in(&t, I3(PUSHTR, DV_T_STRING, 0, 2));
		in(&t, IW(CALL, DIF_SUBR_STRTOK, 3));
		in(&t, IRET(3));
		act_rec(&t, DV_ACT_TRACE, d = difo_end(&t), DV_T_STRING, 16);
	}
	act_trace(&t, d);			/* the end: NULL */
	ecb_add(&t, probe_add(&t, "BEGIN", DV_PF_BEGIN), clause_end(&t, 0));
	tb_go(&t);
	p = dv_sim_snap(t.sim, 1, DV_BUF_PRINCIPAL, &snap);
	for (i = 0; i < 3; i++)
		EXPECT_STREQ((const char *)p + 16 + i * 16, want[i]);
	EXPECT_EQ(*(const uint64_t *)(p + 64), 0);
	tb_fini(&t);
}

TEST(inet_addresses)
{
	static const struct { uint8_t a[16]; const char *text; } c[] = {
		{ { 192, 168, 0, 1 }, "192.168.0.1" },
		{ { 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 }, "2001:db8::1" },
		{ { 0 }, "::" },
		{ { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0 }, "fe80::1:0:0:0" },
		{ { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 2 }, "::ffff:10.0.0.2" },
		{ { 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8 }, "1:2:3:4:5:6:7:8" },
	};
	struct dv_snap snap;
	const uint8_t *p;
	uint64_t at;
	struct tb t;
	size_t i;

	tb_init(&t, 1);
	clause_begin(&t, DV_NONE);
	for (i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		at = dv_sim_alloc(t.sim, 16);
		dv_sim_write(t.sim, 0, at, c[i].a, 16);
		difo_begin(&t);
		in_int(&t, i == 0 ? 2 : 10, 1);
		in_int(&t, at, 2);
		in(&t, I3(PUSHTV, DV_T_INT, 0, 1));
		in(&t, I3(PUSHTV, DV_T_INT, 0, 2));
		in(&t, IW(CALL, DIF_SUBR_INET_NTOP, 3));
		in(&t, IRET(3));
		act_rec(&t, DV_ACT_TRACE, difo_end(&t), DV_T_STRING, 48);
	}
	ecb_add(&t, probe_add(&t, "BEGIN", DV_PF_BEGIN), clause_end(&t, 0));
	tb_go(&t);
	p = dv_sim_snap(t.sim, 1, DV_BUF_PRINCIPAL, &snap);
	for (i = 0; i < sizeof(c) / sizeof(c[0]); i++)
		EXPECT_STREQ((const char *)p + 16 + i * 48, c[i].text);
	tb_fini(&t);
}

TEST_MAIN()
