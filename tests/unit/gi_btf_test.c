/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gi_btf_test.c - types are found by name and path; bad BTF is refused. */
#include "test.h"
#include "unit/gi_fake.h"

static struct fake_btf raw;
static uint8_t blob[16384];

static struct gi_btf *
open_fake(void)
{
	struct gi_btf *b = NULL;
	struct dv_err err;

	return gi_btf_open(blob, fake_btf_out(&raw, blob), &err, &b) == 0 ? b : NULL;
}

TEST(types_are_found_by_kind_and_name)
{
	struct gi_btf *b;
	struct gi_type t;
	struct gi_member m;
	uint32_t id;

	fake_types(&raw);
	b = open_fake();
	EXPECT(b != NULL);
	id = gi_btf_find(b, GI_T_STRUCT, "task_struct");
	EXPECT(id != 0);
	EXPECT_EQ(gi_btf_type(b, id, &t), 0);
	EXPECT_EQ(t.size, 256);
	EXPECT_EQ(t.n, 15);
	EXPECT_EQ(gi_btf_find(b, GI_T_UNION, "task_struct"), 0);
	EXPECT_EQ(gi_btf_find(b, GI_T_STRUCT, "int"), 0);
	id = gi_btf_find(b, GI_T_INT, "int");
	EXPECT_EQ(gi_btf_type(b, id, &t), 0);
	EXPECT(t.is_signed);
	EXPECT_EQ(t.size, 4);
	id = gi_btf_find(b, GI_T_FUNC, "plain");
	EXPECT_EQ(gi_btf_type(b, id, &t), 0);
	EXPECT_EQ(gi_btf_type(b, t.ref, &t), 0);
	EXPECT_EQ(t.kind, GI_T_PROTO);
	EXPECT_EQ(t.n, 2);
	EXPECT_EQ(gi_btf_type(b, 0, &t), 0);
	EXPECT_EQ(t.kind, GI_T_VOID);
	EXPECT(gi_btf_type(b, b->n + 1, &t) != 0);
	EXPECT(gi_btf_member(b, 1, 0, &m) != 0);
	gi_btf_close(b);
}

TEST(paths_go_through_anonymous_members)
{
	struct gi_btf *b;
	uint32_t id;

	fake_types(&raw);
	b = open_fake();
	EXPECT(b != NULL);
	id = gi_btf_find(b, GI_T_STRUCT, "task_struct");
	EXPECT_EQ(gi_btf_offsetof(b, id, "pid", NULL), 32);
	EXPECT_EQ(gi_btf_offsetof(b, id, "flags", NULL), 16);
	EXPECT_EQ(gi_btf_offsetof(b, id, "nope", NULL), -1);
	EXPECT_EQ(gi_btf_offsetof(b, id, "pid.x", NULL), -1);
	EXPECT_EQ(gi_btf_offsetof(b, id, "", NULL), -1);
	EXPECT_EQ(gi_btf_offsetof(b, id, "pi", NULL), -1);
	gi_btf_close(b);
}

TEST(enumerators_are_found_signed_and_wide)
{
	struct gi_kernel k = { 0 };
	int64_t v;

	fake_types(&raw);
	k.btf = open_fake();
	EXPECT(k.btf != NULL);
	EXPECT(gi_enum_find(&k, "RED", &v, NULL));
	EXPECT_EQ(v, 7);
	EXPECT(gi_enum_find(&k, "BLUE", &v, NULL));
	EXPECT_EQ(v, -3);
	EXPECT(gi_enum_find(&k, "HUGE_ONE", &v, NULL));
	EXPECT_EQ(v, 0x100000005ll);
	EXPECT(!gi_enum_find(&k, "GREEN", &v, NULL));
	gi_btf_close(k.btf);
}

TEST(type_tags_are_skipped)
{
	struct gi_btf *b;
	struct gi_type t;
	uint32_t i32, tag, ptr;

	memset(&raw, 0, sizeof(raw));
	i32 = fake_int(&raw, "int", 4, 1);
	tag = fake_type(&raw, 18, "user", 0, false, i32);
	ptr = fake_type(&raw, 2, "", 0, false, tag);
	fake_type(&raw, 17, "note", 0, false, i32);	/* decl tag */
	fake_word(&raw, 0xffffffff);
	b = open_fake();
	EXPECT(b != NULL);
	EXPECT_EQ(gi_btf_type(b, ptr, &t), 0);
	EXPECT_EQ(t.ref, i32);
	gi_btf_close(b);
}

TEST(cycles_end)
{
	struct gi_btf *b;
	uint32_t td, st;

	memset(&raw, 0, sizeof(raw));
	fake_str(&raw, "x");
	td = fake_type(&raw, 8, "loop", 0, false, 1);		/* typedef of itself */
	st = fake_type(&raw, 4, "own", 1, false, 8);		/* contains itself, unnamed */
	fake_member(&raw, "", 2, 0);
	fake_type(&raw, 18, "tag", 0, false, 3);		/* a tag of itself */
	b = open_fake();
	EXPECT(b != NULL);
	EXPECT_EQ(gi_btf_resolve(b, td), 0);
	EXPECT_EQ(gi_btf_offsetof(b, st, "a", NULL), -1);
	gi_btf_close(b);
}

TEST(bad_headers_are_refused)
{
	static const struct { size_t at; uint32_t v; } bad[] = {
		{ 0, 0x1eb9e }, { 0, 0x2eb9f }, { 4, 0 }, { 4, 0x7fffffff }, { 8, 0x7fffffff },
		{ 12, 0xfffffff0 }, { 16, 0x7fffffff }, { 20, 0 }, { 20, 0xffffffff } };
	struct gi_btf *b;
	struct dv_err err;
	size_t i, len;

	fake_types(&raw);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		len = fake_btf_out(&raw, blob);
		memcpy(blob + bad[i].at, &bad[i].v, 4);
		EXPECT_EQ(gi_btf_open(blob, len, &err, &b), DV_E_FORMAT);
		EXPECT(err.text[0] != 0);
	}
	len = fake_btf_out(&raw, blob);
	for (i = 0; i < len; i++) {		/* cut anywhere */
		uint8_t *copy = malloc(i + 1);

		memcpy(copy, blob, i);
		EXPECT(gi_btf_open(copy, i, &err, &b) != 0);
		free(copy);
	}
}

TEST(mutated_btf_is_harmless)
{
	unsigned seed = 7, i, j;
	size_t len;

	fake_types(&raw);
	for (i = 0; i < 3000; i++) {
		struct gi_kernel k = { 0 };
		struct dv_err err;
		uint32_t id;

		len = fake_btf_out(&raw, blob);
		for (j = 0; j < 1 + i % 4; j++) {
			seed = seed * 1103515245 + 12345;
			blob[24 + (seed >> 8) % (len - 24)] = (uint8_t)(seed >> 3);
		}
		if (gi_btf_open(blob, len, &err, &k.btf) != 0)
			continue;
		k.arena = dv_arena_create();
		k.tytext = dv_map_create();
		for (id = 0; id < gi_ntypes(&k); id++)
			gi_type_text(&k, id);
		gi_offsetof(&k, "task_struct", "flags.pid");
		dv_arena_destroy(k.arena);
		dv_map_destroy(k.tytext);
		gi_btf_close(k.btf);
	}
}

TEST(types_have_text)
{
	struct gi_kernel k = { 0 };
	struct gi_type t;
	struct gi_member m;
	uint32_t proto, fn, pfn;

	fake_types(&raw);
	proto = fake_type(&raw, 13, "", 1, false, 2);
	fake_word(&raw, 0);
	fake_word(&raw, 2);
	pfn = fake_type(&raw, 2, "", 0, false, proto);
	k.btf = open_fake();
	k.arena = dv_arena_create();
	k.tytext = dv_map_create();
	EXPECT(k.btf != NULL);
	fn = gi_btf_find(k.btf, GI_T_FUNC, "plain");
	gi_btf_type(k.btf, fn, &t);
	gi_btf_member(k.btf, t.ref, 0, &m);
	EXPECT_STREQ(gi_type_text(&k, m.type), "struct task_struct *");
	gi_btf_member(k.btf, t.ref, 1, &m);
	EXPECT_STREQ(gi_type_text(&k, m.type), "const char *");
	EXPECT_STREQ(gi_type_text(&k, pfn), "int (*)(int)");
	EXPECT_STREQ(gi_type_text(&k, 0), "void");
	EXPECT(gi_type_text(&k, 100000) == NULL);
	gi_btf_close(k.btf);
	dv_arena_destroy(k.arena);
	dv_map_destroy(k.tytext);
}

TEST_MAIN()
