/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gi_insn_test.c - instructions have the length and kind they should. */
#include "test.h"
#include "guest-introspect/insn.h"

struct vector {
	const char *hex;
	unsigned len, kind;
};

static const struct vector vectors[] = {
	{ "90", 1, GI_I_OTHER }, { "c3", 1, GI_I_RET }, { "f3 c3", 2, GI_I_RET },
	{ "c2 08 00", 3, GI_I_RET }, { "cc", 1, GI_I_INT3 }, { "eb fe", 2, GI_I_JMP },
	{ "e9 00 01 00 00", 5, GI_I_JMP }, { "2e e9 00 00 00 00", 6, GI_I_JMP },
	{ "e8 00 00 00 00", 5, GI_I_CALL }, { "74 10", 2, GI_I_JCC },
	{ "0f 85 00 00 00 00", 6, GI_I_JCC }, { "e3 05", 2, GI_I_JCC },
	{ "ff e0", 2, GI_I_JMP_IND }, { "41 ff e3", 3, GI_I_JMP_IND },
	{ "ff 24 c5 00 00 00 80", 7, GI_I_JMP_IND }, { "ff d0", 2, GI_I_CALL_IND },
	{ "ff 15 00 00 00 00", 6, GI_I_CALL_IND }, { "0f 0b", 2, GI_I_UD },
	{ "0f b9 cc", 3, GI_I_UD }, { "67 48 0f b9 3a", 5, GI_I_UD }, { "d6", 1, GI_I_UD },
	{ "f3 0f 1e fa", 4, GI_I_OTHER }, { "0f 1f 44 00 00", 5, GI_I_OTHER },
	{ "66 0f 1f 84 00 00 00 00 00", 9, GI_I_OTHER },
	{ "48 b8 01 02 03 04 05 06 07 08", 10, GI_I_OTHER },
	{ "b8 01 02 03 04", 5, GI_I_OTHER }, { "66 b8 01 02", 4, GI_I_OTHER },
	{ "48 c7 45 50 00 00 00 00", 8, GI_I_OTHER }, { "66 c7 00 01 02", 5, GI_I_OTHER },
	{ "f6 c3 01", 3, GI_I_OTHER }, { "f6 d3", 2, GI_I_OTHER },
	{ "48 f7 c3 01 00 00 00", 7, GI_I_OTHER }, { "48 f7 e3", 3, GI_I_OTHER },
	{ "65 48 8b 04 25 c0 fb 01 00", 9, GI_I_OTHER },
	{ "a1 01 02 03 04 05 06 07 08", 9, GI_I_OTHER }, { "c8 10 00 00", 4, GI_I_OTHER },
	{ "0f 20 d8", 3, GI_I_OTHER }, { "0f 22 00", 3, GI_I_OTHER },	/* mov cr: no memory */
	{ "0f 01 ee", 3, GI_I_OTHER }, { "0f 01 e8", 3, GI_I_OTHER },	/* rdpkru serialize */
	{ "f3 0f c7 f8", 4, GI_I_OTHER }, { "66 0f ae f1", 4, GI_I_OTHER },	/* rdpid tpause */
	{ "f2 0f 00 f0", 4, GI_I_OTHER }, { "0f 01 c6", 3, GI_I_OTHER },	/* lkgs wrmsrns */
	{ "66 0f 38 f5 07", 5, GI_I_OTHER },				/* wruss */
	{ "66 0f 3a 0f c1 08", 6, GI_I_OTHER }, { "0f 38 00 c1", 4, GI_I_OTHER },
	{ "c5 f8 77", 3, GI_I_OTHER }, { "c5 f9 70 c0 93", 5, GI_I_OTHER },
	{ "c4 e2 78 49 c0", 5, GI_I_OTHER }, { "c4 43 7d 39 c9 01", 6, GI_I_OTHER },
	{ "62 72 4d 28 76 c7", 6, GI_I_OTHER }, { "62 f1 65 08 72 c3 10", 7, GI_I_OTHER },
	{ "8f c0", 2, GI_I_OTHER }, { "f0 48 0f b1 0a", 5, GI_I_OTHER },
	{ "06", 0, 0 }, { "9a", 0, 0 }, { "e9 00", 0, 0 }, { "48", 0, 0 }, { "0f", 0, 0 },
	{ "66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90", 0, 0 },	/* over 15 bytes */
};

static size_t
bytes(const char *hex, uint8_t *p)
{
	size_t n = 0;
	unsigned v;
	int k;

	for (; sscanf(hex, " %2x%n", &v, &k) == 1; hex += k)
		p[n++] = (uint8_t)v;
	return n;
}

TEST(lengths_and_kinds)
{
	size_t i;

	for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		uint8_t p[32];
		size_t n = bytes(vectors[i].hex, p);
		struct gi_insn in;
		bool ok = gi_insn(p, n, 0x1000, &in);

		if (ok != (vectors[i].len != 0) ||
		    (ok && (in.len != vectors[i].len || in.kind != vectors[i].kind)))
			FAIL("%s: %s, length %u, kind %u", vectors[i].hex, ok ? "ok" : "refused",
			    in.len, in.kind);
	}
}

TEST(targets)
{
	struct gi_insn in;
	uint8_t p[16];

	EXPECT(gi_insn(p, bytes("eb fe", p), 0x1000, &in));
	EXPECT_EQ(in.target, 0x1000);
	EXPECT(gi_insn(p, bytes("e8 fb ff ff ff", p), 0x1000, &in));
	EXPECT_EQ(in.target, 0x1000);
	EXPECT(gi_insn(p, bytes("0f 84 10 00 00 00", p), 0x1000, &in));
	EXPECT_EQ(in.target, 0x1016);
	EXPECT_EQ(in.cc, 4);
}

static int
base(const char *hex)
{
	struct gi_insn in;
	uint8_t p[16];
	size_t n = bytes(hex, p);

	return gi_insn(p, n, 0x1000, &in) ? gi_insn_base(&in) : -2;
}

TEST(base_register)
{
	EXPECT_EQ(base("48 89 43 50"), 3);			/* mov %rax, 0x50(%rbx) */
	EXPECT_EQ(base("49 89 44 24 50"), 12);			/* ... 0x50(%r12) */
	EXPECT_EQ(base("48 89 44 24 50"), 4);			/* ... 0x50(%rsp) */
	EXPECT_EQ(base("c7 43 18 00 02 00 00"), 3);		/* movl $0x200, 0x18(%rbx) */
	EXPECT_EQ(base("41 c7 85 00 10 00 00 00 02 00 00"), 13);
	EXPECT_EQ(base("48 89 c3"), -1);			/* a register */
	EXPECT_EQ(base("48 89 05 00 00 00 00"), -1);		/* from rip */
	EXPECT_EQ(base("48 89 44 93 50"), -1);			/* with an index */
	EXPECT_EQ(base("4a 89 44 24 50"), -1);			/* index r12 */
	EXPECT_EQ(base("90"), -1);
}

static bool
tracer(void *arg, uint64_t target)
{
	return target == *(uint64_t *)arg;
}

TEST(prologue_is_skipped)
{
	uint64_t fentry = 0x2000;
	uint8_t p[16];
	size_t n;

	n = bytes("f3 0f 1e fa 0f 1f 44 00 00 55", p);
	EXPECT_EQ(gi_insn_prologue(p, n, 0x1000, tracer, &fentry), 9);
	n = bytes("0f 1f 44 00 00 55", p);
	EXPECT_EQ(gi_insn_prologue(p, n, 0x1000, tracer, &fentry), 5);
	n = bytes("e8 fb 0f 00 00 55", p);		/* call 0x2000 */
	EXPECT_EQ(gi_insn_prologue(p, n, 0x1000, tracer, &fentry), 5);
	n = bytes("e8 00 0f 00 00 55", p);		/* a call of its own */
	EXPECT_EQ(gi_insn_prologue(p, n, 0x1000, tracer, &fentry), 0);
	n = bytes("55 c3", p);
	EXPECT_EQ(gi_insn_prologue(p, n, 0x1000, tracer, &fentry), 0);
}

TEST_MAIN()
