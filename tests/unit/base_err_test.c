/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base_err_test.c - an error is one line, and gathers context on its way up. */
#include "test.h"
#include "err.h"

TEST(set_fills_and_returns_the_code)
{
	struct dv_err e = { .line = 3, .col = 4, .tag = "D_SYNTAX" };

	EXPECT_EQ(dv_err_set(&e, DV_E_NOENT, "no probe \"%s\"", "x"), DV_E_NOENT);
	EXPECT_EQ(e.code, DV_E_NOENT);
	EXPECT_STREQ(e.text, "no probe \"x\"");
	EXPECT_EQ(e.line, 0);
	EXPECT_STREQ(e.tag, "");
}

TEST(null_is_accepted)
{
	EXPECT_EQ(dv_err_set(NULL, DV_E_IO, "x"), DV_E_IO);
	EXPECT_EQ(dv_err_nomem(NULL), DV_E_NOMEM);
	dv_err_prefix(NULL, "x");
}

TEST(prefixes_pile_up)
{
	struct dv_err e;

	dv_err_nomem(&e);
	dv_err_prefix(&e, "kernel at 0x%x", 0x1000);
	dv_err_prefix(&e, "cannot attach");
	EXPECT_STREQ(e.text, "cannot attach: kernel at 0x1000: out of memory");
	EXPECT_EQ(e.code, DV_E_NOMEM);
}

TEST(text_may_be_made_from_itself)
{
	struct dv_err e;

	dv_err_set(&e, DV_E_IO, "inner");
	dv_err_set(&e, e.code, "outer: %s", e.text);
	EXPECT_STREQ(e.text, "outer: inner");
}

TEST(control_characters_are_escaped)
{
	struct dv_err e;

	dv_err_set(&e, DV_E_GUEST, "name \"%s\"", "a\033[2J\nb\177");
	EXPECT_STREQ(e.text, "name \"a\\x1b[2J\\x0ab\\x7f\"");
}

TEST(long_text_is_cut)
{
	char big[5000];
	struct dv_err e;

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	dv_err_set(&e, DV_E_IO, "%s", big);
	EXPECT_EQ(strlen(e.text), sizeof(e.text) - 1);
	dv_err_prefix(&e, "p");
	EXPECT_EQ(strlen(e.text), sizeof(e.text) - 1);
	EXPECT(strncmp(e.text, "p: xxx", 6) == 0);
	memset(big, 1, sizeof(big) - 1);	/* four bytes each, once escaped */
	dv_err_set(&e, DV_E_IO, "%s", big);
	EXPECT(strlen(e.text) < sizeof(e.text));
	EXPECT_EQ(strlen(e.text) % 4, 0);
}

TEST_MAIN()
