/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gi_orc_test.c - how a kernel's stacks are walked is told by its symbols, types and tables. */
#include "test.h"

#include "gi_fake.h"

#define BASE	0xffffffff81000000ull

/* struct orc_entry with `end` (older), or with a wider type and `signal`. */
static void
entry_type(struct fake_btf *b, bool older)
{
	uint32_t s16 = fake_int(b, "short int", 2, 1), u32 = fake_int(b, "unsigned int", 4, 0);

	(void)fake_type(b, 4, "orc_entry", 6, true, 6);
	fake_member(b, "sp_offset", s16, 0);
	fake_member(b, "bp_offset", s16, 16);
	fake_member(b, "sp_reg", u32, 4u << 24 | 32);
	fake_member(b, "bp_reg", u32, 4u << 24 | 36);
	fake_member(b, "type", u32, (older ? 2u : 3u) << 24 | 40);
	fake_member(b, older ? "end" : "signal", u32, 1u << 24 | (older ? 42 : 43));
}

static void
older(struct fake_btf *b)
{
	entry_type(b, true);
}

static void
newer(struct fake_btf *b)
{
	entry_type(b, false);
}

/* Five entries; that of a function's first instruction has number `sp`. */
static void
put_table(struct fake *f, unsigned sp)
{
	static const uint32_t at[5] = { 0x1000, 0x1300, 0x1900, 0x1901, 0x2000 };
	unsigned i;

	for (i = 0; i < 5; i++) {
		int32_t rel = (int32_t)(at[i] - (0x287000 + 4 * i));
		uint16_t e[3] = { i == 2 ? 8 : 40, 0, (uint16_t)(i == 2 ? sp : 4) };

		memcpy(fake_img(f, 0x287000 + 4 * i), &rel, 4);
		memcpy(fake_img(f, 0x287100 + 6 * i), e, 6);
	}
}

static void
unwind_of(void (*more)(struct fake_btf *b), unsigned sp, struct dv_unwind *ret)
{
	struct gi_kernel *k;
	struct dv_err err;
	struct fake f;

	fake_make_with(&f, 1, 4, BASE, more);
	put_table(&f, sp);
	EXPECT_EQ(gi_kernel_open(&f.mem, &f.cpu, 1, &err, &k), 0);
	gi_kernel_unwind(k, ret);
	gi_kernel_close(k);
	fake_free(&f);
}

TEST(entries_are_laid_out_as_their_type_says)
{
	struct dv_unwind u;

	unwind_of(older, 5, &u);
	EXPECT_EQ(u.kind, DV_UNWIND_ORC);
	EXPECT_EQ(u.flags & DV_UW_TYPES_FROM_2, 0);
	EXPECT_EQ(u.orc.ip, BASE + 0x287000);
	EXPECT_EQ(u.orc.entry, BASE + 0x287100);
	EXPECT_EQ(u.orc.n, 5);
	EXPECT_EQ(u.entry_size, 6);
	EXPECT_EQ(u.bp_offset.at, 16);
	EXPECT_EQ(u.bp_offset.bits, 16);
	EXPECT_EQ(u.type.at, 40);
	EXPECT_EQ(u.type.bits, 2);
	EXPECT_EQ(u.end.at, 42);
	EXPECT_EQ(u.signal.bits, 0);
	EXPECT_EQ(u.reg[5], DV_UWR_SP);
	EXPECT_EQ(u.reg[1], DV_UWR_PREV_SP);
	/* 64 KiB of text, 257 elements: blocks of 256 bytes */
	EXPECT_EQ(u.block_shift, 8);
	EXPECT_EQ(u.nlookup, 257);
	unwind_of(newer, 3, &u);
	EXPECT_EQ(u.kind, DV_UNWIND_ORC);
	EXPECT_EQ(u.flags & DV_UW_TYPES_FROM_2, DV_UW_TYPES_FROM_2);
	EXPECT_EQ(u.signal.at, 43);
	EXPECT_EQ(u.end.bits, 0);
	EXPECT_EQ(u.reg[3], DV_UWR_SP);
	EXPECT_EQ(u.reg[8], DV_UWR_PREV_SP);
	EXPECT_EQ(u.reg[10], DV_UWR_BP_INDIRECT);
}

TEST(tables_that_cannot_be_read_are_not_used)
{
	struct dv_unwind u;

	unwind_of(NULL, 5, &u);			/* nothing says how an entry looks */
	EXPECT_EQ(u.kind, DV_UNWIND_FP);
	unwind_of(older, 11, &u);		/* a numbering that is not known */
	EXPECT_EQ(u.kind, DV_UNWIND_FP);
}

TEST_MAIN()
