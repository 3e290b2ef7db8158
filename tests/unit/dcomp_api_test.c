/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dcomp_api_test.c - the compiler from outside: texts in, programs out. */
#include "test.h"

#include "dcomp/dcomp.h"

#include <stdlib.h>

struct fix {
	struct dc *dc;
	struct dv_progb b;
	struct dv_err err;
	uint32_t clauses[32];
	char descs[32][64];
	unsigned n;
};

static void
on_clause(void *arg, uint32_t clause, const struct dc_pdesc *d)
{
	struct fix *f = arg;

	EXPECT(f->n < 32);
	f->clauses[f->n] = clause;
	snprintf(f->descs[f->n], sizeof(f->descs[0]), "%u %s:%s:%s:%s", d->id, d->prov, d->mod,
	    d->func, d->name);
	f->n++;
}

static void
fix_init(struct fix *f, int argc, const char *const *argv)
{
	struct dc_config cfg = { .program = "t", .macros = { .argc = argc, .argv = argv, .pid = 9 } };

	memset(f, 0, sizeof(*f));
	EXPECT_EQ(dc_open(&cfg, &f->err, &f->dc), 0);
	EXPECT_EQ(dv_progb_init(&f->b), 0);
}

static void
fix_fini(struct fix *f)
{
	dc_close(f->dc);
	dv_progb_fini(&f->b);
}

static int
compile(struct fix *f, const char *text)
{
	struct dc_source src = { .name = "x", .text = text, .len = strlen(text),
	    .clause = on_clause, .arg = f };

	return dc_compile(f->dc, &src, &f->b, &f->err);
}

TEST(clauses_and_their_descriptions_are_told_in_order)
{
	struct fix f;

	fix_init(&f, 0, NULL);
	EXPECT_EQ(compile(&f, "BEGIN, a:b:c:d { } fbt::x*:entry /1/ { trace(1); } 12 { }"), 0);
	EXPECT_EQ(f.b.clauses.n, 3);
	EXPECT_EQ(f.n, 4);
	EXPECT_EQ(f.clauses[1], 0);
	EXPECT_EQ(f.clauses[2], 1);
	EXPECT_STREQ(f.descs[0], "0 :::BEGIN");
	EXPECT_STREQ(f.descs[1], "0 a:b:c:d");
	EXPECT_STREQ(f.descs[2], "0 fbt::x*:entry");
	EXPECT_STREQ(f.descs[3], "12 :::");
	fix_fini(&f);
}

TEST(fields_lie_at_their_alignment)
{
	struct fix f;
	const struct dv_act *a;

	fix_init(&f, 0, NULL);
	EXPECT_EQ(compile(&f, "BEGIN { trace((char)1); trace(2); trace((short)3); trace(4LL); "
	    "printf(\"%s %d\", \"x\", 5); }"), 0);
	a = f.b.acts.v;
	EXPECT_EQ(a[0].rec_off, 0);
	EXPECT_EQ(a[1].rec_off, 4);
	EXPECT_EQ(a[2].rec_off, 8);
	EXPECT_EQ(a[3].rec_off, 16);
	EXPECT_EQ(a[4].kind, DV_ACT_PRINTF);
	EXPECT_EQ(a[4].nargs, 2);
	EXPECT_EQ(a[5].rec_off, 24);
	EXPECT_EQ(a[5].rec.size, 256);
	EXPECT_EQ(a[6].rec_off, 280);
	EXPECT_EQ(f.b.clauses.v[0].record_size, 284);
	fix_fini(&f);
}

TEST(flags_tell_what_a_clause_records)
{
	struct fix f;

	fix_init(&f, 0, NULL);
	EXPECT_EQ(compile(&f, "a { } b { x = 1; } c { @ = count(); } d { speculate(1); } "
	    "e { commit(1); } f { printf(\"x\"); } g { clear(@); }"), 0);
	EXPECT_EQ(f.b.clauses.v[0].flags, DV_CL_DEFAULT);
	EXPECT_EQ(f.b.clauses.v[1].flags, DV_CL_NOREC);
	EXPECT_EQ(f.b.clauses.v[2].flags, DV_CL_NOREC);
	EXPECT_EQ(f.b.clauses.v[3].flags, DV_CL_DEFAULT | DV_CL_SPECULATES);
	EXPECT_EQ(f.b.clauses.v[4].flags, DV_CL_NOREC | DV_CL_COMMITS);
	EXPECT_EQ(f.b.clauses.v[5].flags, 0);
	EXPECT_EQ(f.b.clauses.v[6].flags, 0);
	fix_fini(&f);
}

TEST(several_texts_share_variables_and_aggregations)
{
	struct fix f;

	fix_init(&f, 0, NULL);
	EXPECT_EQ(compile(&f, "BEGIN { x = 1; @a[1] = count(); }"), 0);
	EXPECT_EQ(compile(&f, "END { trace(x); printa(@a); }"), 0);
	EXPECT_EQ(f.b.vars.n, 1);
	EXPECT_EQ(f.b.aggs.n, 1);
	EXPECT_EQ(f.n, 2);
	EXPECT_EQ(f.clauses[1], 1);
	fix_fini(&f);
}

TEST(a_failure_names_tag_and_place)
{
	struct fix f;

	fix_init(&f, 0, NULL);
	EXPECT_EQ(compile(&f, "BEGIN\n{\n\ttrace(1);\n\ttrace(nosuch);\n}"), DV_E_COMPILE);
	EXPECT_STREQ(f.err.tag, "D_IDENT_UNDEF");
	EXPECT_EQ(f.err.line, 4);
	EXPECT_EQ(f.err.col, 8);
	fix_fini(&f);
}

TEST(expressions_have_variables_of_their_own)
{
	struct fix f;
	uint32_t d1, d2;

	fix_init(&f, 0, NULL);
	EXPECT_EQ(compile(&f, "BEGIN { self->on = \"text\"; }"), 0);
	EXPECT_EQ(dc_expr(f.dc, "rule", "self->on = arg0, arg1 > 3", &f.b, &d1, &f.err), 0);
	EXPECT_EQ(dc_expr(f.dc, "rule", "self->on == 7 && pid != 0", &f.b, &d2, &f.err), 0);
	EXPECT_EQ(d2, d1 + 1);
	EXPECT_EQ(f.b.vars.n, 2);
	EXPECT_STREQ(dv_progb_strat(&f.b, f.b.vars.v[0].name), "on");
	EXPECT_STREQ(dv_progb_strat(&f.b, f.b.vars.v[1].name), ".on");
	EXPECT(f.b.vars.v[0].id != f.b.vars.v[1].id);
	EXPECT_EQ(f.b.vars.v[1].type.kind, DV_T_INT);
	EXPECT_EQ(f.b.vars.v[1].type.flags & DV_TF_SIGNED, 0);
	EXPECT(dc_expr(f.dc, "rule", "nosuch + 1", &f.b, &d1, &f.err) != 0);
	EXPECT_STREQ(f.err.text, "rule: failed to resolve nosuch: unknown variable name");
	fix_fini(&f);
}

TEST(a_failing_library_declaration_is_told_when_it_is_used)
{
	struct fix f;

	fix_init(&f, 0, NULL);
	EXPECT_EQ(dc_library(f.dc, "one", "inline int A = 1; inline nosuch_t B = 2;\n"
	    "inline int C = A + 1;\n", &f.err), 0);
	EXPECT_EQ(compile(&f, "BEGIN { trace(A + C); }"), 0);
	EXPECT_EQ(compile(&f, "BEGIN { trace(B); }"), DV_E_COMPILE);
	EXPECT_STREQ(f.err.text, "B is not available: unknown type name: nosuch_t");
	EXPECT_EQ(f.err.col, 15);
	/* and works once a later library has what it lacked */
	EXPECT_EQ(dc_library(f.dc, "two", "typedef int nosuch_t;", &f.err), 0);
	EXPECT_EQ(compile(&f, "BEGIN { trace(B); }"), 0);
	EXPECT_EQ(dc_library(f.dc, "bad", "BEGIN { }", &f.err), DV_E_COMPILE);
	fix_fini(&f);
}

TEST(options_have_types)
{
	static const struct { const char *name, *value; enum dv_opt opt; uint64_t want; } good[] = {
		{ "bufsize", "4m", DV_OPT_BUFSIZE, 4 << 20 }, { "bufsize", "512", DV_OPT_BUFSIZE, 512 },
		{ "quiet", NULL, DV_OPT_QUIET, 1 }, { "quiet", "0", DV_OPT_QUIET, 0 },
		{ "cleanrate", "101hz", DV_OPT_CLEANRATE, 9900990 },
		{ "switchrate", "10ms", DV_OPT_SWITCHRATE, 10000000 },
		{ "switchrate", "5", DV_OPT_SWITCHRATE, 200000000 },
		{ "switchrate", "2sec", DV_OPT_SWITCHRATE, 2000000000 },
		{ "bufpolicy", "ring", DV_OPT_BUFPOLICY, DV_BUFPOLICY_RING },
		{ "bufresize", "manual", DV_OPT_BUFRESIZE, DV_BUFRESIZE_MANUAL },
		{ "nspec", "4", DV_OPT_NSPEC, 4 }, { "strsize", "64", DV_OPT_STRSIZE, 64 },
	};
	static const struct { const char *name, *value; } bad[] = {
		{ "nosuch", "1" }, { "bufsize", NULL }, { "bufsize", "x" }, { "bufsize", "-1" },
		{ "cleanrate", "0hz" }, { "cleanrate", "5furlong" }, { "bufpolicy", "fast" },
		{ "quiet", "maybe" }, { "strsize", "0" }, { "nspec", "" },
	};
	struct fix f;
	uint64_t v;
	size_t i;

	fix_init(&f, 0, NULL);
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		EXPECT_EQ(dc_option(f.dc, good[i].name, good[i].value, &f.err), 0);
		EXPECT(dc_option_get(f.dc, good[i].opt, &v));
		EXPECT_EQ(v, good[i].want);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ(dc_option(f.dc, bad[i].name, bad[i].value, &f.err), DV_E_INVAL);
	EXPECT_EQ(dc_option(f.dc, "bufsize", "x", &f.err), DV_E_INVAL);
	EXPECT_STREQ(f.err.text,
	    "failed to set option 'bufsize' to 'x': Invalid value for specified option");
	/* what the command line says holds against a program */
	EXPECT_EQ(compile(&f, "#pragma D option nspec=7\n#pragma D option aggsize=1k\nBEGIN { }"), 0);
	EXPECT_EQ(dc_finish(f.dc, &f.b, &f.err), 0);
	EXPECT_EQ(f.b.opts[DV_OPT_NSPEC], 4);
	EXPECT_EQ(f.b.opts[DV_OPT_AGGSIZE], 1024);
	EXPECT_EQ(f.b.opts[DV_OPT_STRSIZE], 64);
	EXPECT_EQ(f.b.opts[DV_OPT_SPECSIZE], 32768);
	fix_fini(&f);
}

TEST(unused_arguments_are_told_at_the_end)
{
	static const char *const argv[] = { "script", "1", "b" };
	struct fix f;

	fix_init(&f, 3, argv);
	EXPECT_EQ(compile(&f, "BEGIN { trace($1); }"), 0);
	EXPECT(dc_finish(f.dc, &f.b, &f.err) != 0);
	EXPECT_STREQ(f.err.tag, "D_MACRO_UNUSED");
	EXPECT_EQ(compile(&f, "END { trace($$2); }"), 0);
	EXPECT_EQ(dc_finish(f.dc, &f.b, &f.err), 0);
	fix_fini(&f);
}

TEST(an_empty_program_is_refused_unless_wanted)
{
	struct fix f;

	fix_init(&f, 0, NULL);
	EXPECT(compile(&f, "/* nothing */") != 0);
	EXPECT_STREQ(f.err.tag, "D_EMPTY");
	EXPECT_EQ(dc_option(f.dc, "empty", NULL, &f.err), 0);
	EXPECT_EQ(compile(&f, "/* nothing */"), 0);
	fix_fini(&f);
}

TEST(deep_and_long_texts_end_with_an_error)
{
	static const char *const unit[] = { "(", "-", "!", "a=", "1+", "1?1:", "{", "if(1)",
	    "struct{", "(int)", "x[", "f(", "\"s\"", "*", "sizeof " };
	struct fix f;
	size_t i, k, n;
	char *text;

	for (i = 0; i < sizeof(unit) / sizeof(unit[0]); i++) {
		fix_init(&f, 0, NULL);
		n = strlen(unit[i]);
		text = malloc(n * 200000 + 64);
		strcpy(text, "BEGIN { trace(");
		for (k = 0; k < 200000; k++)
			memcpy(text + 14 + k * n, unit[i], n);
		strcpy(text + 14 + k * n, "1); }");
		EXPECT(compile(&f, text) != 0);
		EXPECT(f.err.tag[0] != '\0');
		free(text);
		fix_fini(&f);
	}
}

struct lines { char text[4096]; };

static void
put(void *arg, const char *line)
{
	struct lines *l = arg;

	strncat(l->text, line, sizeof(l->text) - strlen(l->text) - 2);
	strcat(l->text, "\n");
}

/* Types of a hostile guest: "rec" holds itself twice, "odd" has odd names. */
static dc_tid_t
hostile_find(void *arg, const char *mod, enum dc_tkind kind, const char *name)
{
	(void)arg;
	(void)mod;
	return kind != DC_T_STRUCT ? 0 : strcmp(name, "rec") == 0 ? 1 :
	    strcmp(name, "odd") == 0 ? 2 : 0;
}

static int
hostile_info(void *arg, dc_tid_t id, struct dc_tinfo *ret)
{
	static const struct dc_tinfo t[] = {
		{ .kind = DC_T_STRUCT, .name = "rec", .size = 64, .n = 2 },
		{ .kind = DC_T_STRUCT, .name = "odd", .size = 4, .n = 1 },
		{ .kind = DC_T_INT, .name = "in;t\n}", .size = 4, .is_signed = true },
	};

	(void)arg;
	if (id == 0 || id > 3)
		return DV_E_NOENT;
	*ret = t[id - 1];
	return 0;
}

static int
hostile_member(void *arg, dc_tid_t id, uint32_t i, struct dc_minfo *ret)
{
	(void)arg;
	if (id == 1)
		*ret = (struct dc_minfo){ .name = i == 0 ? "a" : "b", .type = 1,
		    .bit_off = i * 256 };
	else
		*ret = (struct dc_minfo){ .name = "x;0 0 y", .type = 3 };
	return 0;
}

static bool
hostile_enumerator(void *arg, const char *name, int64_t *value, dc_tid_t *type)
{
	(void)arg;
	(void)name;
	(void)value;
	(void)type;
	return false;
}

TEST(types_without_end_and_odd_names_are_no_danger_to_print)
{
	static const struct dc_types types = { .find = hostile_find, .info = hostile_info,
	    .member = hostile_member, .enumerator = hostile_enumerator };
	struct dc_config cfg = { .program = "t", .types = &types };
	struct fix f;

	memset(&f, 0, sizeof(f));
	EXPECT_EQ(dc_open(&cfg, &f.err, &f.dc), 0);
	EXPECT_EQ(dv_progb_init(&f.b), 0);
	EXPECT_EQ(compile(&f, "BEGIN { print(*(struct odd *)0); }"), 0);
	EXPECT_STREQ(dv_progb_strat(&f.b, (uint32_t)f.b.acts.v[0].arg),
	    "{4 struct odd;0 0 x?0 0 y;i4 in?t??;}");
	EXPECT_EQ(compile(&f, "BEGIN { print(*(struct rec *)0); }"), DV_E_COMPILE);
	EXPECT_STREQ(f.err.tag, "D_PRINT_SIZE");
	fix_fini(&f);
}

TEST(a_listing_has_the_documented_layout)
{
	struct lines l = { "" };
	struct fix f;

	fix_init(&f, 0, NULL);
	EXPECT_EQ(compile(&f, "BEGIN { self->x = strlen(execname); }"), 0);
	dc_disasm(&f.b, put, &l);
	EXPECT_STREQ(l.text,
	    "\n"
	    "DIFO 0x1 returns D type (integer) (size 8)\n"
	    "OFF OPCODE      INSTRUCTION\n"
	    "00: 29011801    ldgs DT_VAR(280), %r1           ! DT_VAR(280) = \"execname\"\n"
	    "01: 30020001    pushtr DT_TYPE(2), %r0, %r1     ! DT_TYPE(2) = string\n"
	    "02: 2f000c01    call DIF_SUBR(12), %r1          ! strlen\n"
	    "03: 2d050001    stts %r1, DT_VAR(1280)          ! DT_VAR(1280) = \"x\"\n"
	    "04: 23000001    ret  %r1\n"
	    "\n"
	    "NAME             ID   KND SCP FLAG TYPE\n"
	    "execname         118  scl glb r    string (unknown) by ref (size 256)\n"
	    "x                500  scl tls w    D type (integer) (size 8)\n");
	fix_fini(&f);
}
/* What was not found may be a guest's; what is wrong in itself stays wrong. */
TEST(what_a_guest_could_have_is_known_to_be_missed)
{
	static const struct { const char *text; bool missed; } t[] = {
		{ "BEGIN { trace(x); }", true }, { "BEGIN { trace(`x); }", true },
		{ "BEGIN { trace(&`x); }", true }, { "BEGIN { trace(curthread->pid); }", true },
		{ "BEGIN { trace((x_t)1); }", true }, { "BEGIN { trace(sizeof(x_t)); }", true },
		{ "BEGIN { trace(((struct x *)0)->y); }", true },
		{ "BEGIN { trace(sizeof(struct vmlinux`x)); }", true },
		{ "this x_t *y; BEGIN { }", true }, { "BEGIN { trace(xlate<x_t>(1)); }", true },
		{ "BEGIN { x = 1; x = \"\"; }", false }, { "BEGIN { 1 = 2; }", false },
		{ "BEGIN { y(1); }", false }, { "BEGIN { trace(1.5); }", false },
		{ "BEGIN { trace(*1); }", false },
		{ "struct s { int a; }; BEGIN { trace(((struct s *)0)->b); }", false },
		{ "BEGIN { printf(\"%d\", \"\"); }", false }, { "BEGIN { $x; }", false },
	};
	struct fix f;
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		fix_init(&f, 0, NULL);
		EXPECT_EQ(compile(&f, t[i].text), DV_E_COMPILE);
		if (dc_guest_missed(f.dc) != t[i].missed)
			FAIL("%s: %s", t[i].text, f.err.text);
		/* of this text, not of the one before */
		EXPECT_EQ(compile(&f, "BEGIN { trace(*1); }"), DV_E_COMPILE);
		EXPECT(!dc_guest_missed(f.dc));
		fix_fini(&f);
	}
}

TEST_MAIN()
