/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gi_pgwalk_test.c - addresses translate as the processor does it. */
#include "test.h"
#include "unit/gi_fake.h"

struct pm {
	uint64_t t[64][512];	/* page i is at i * 4096 */
};

static int
pm_read(void *arg, dv_gpa_t at, void *buf, size_t len)
{
	struct pm *p = arg;

	if (at.v > sizeof(p->t) || len > sizeof(p->t) - at.v)
		return DV_E_GUEST;
	memcpy(buf, (uint8_t *)p->t + at.v, len);
	return 0;
}

static struct pm pm;
static const struct gi_mem mem = { pm_read, &pm };

static void
four_levels(void)
{
	memset(&pm, 0, sizeof(pm));
	pm.t[1][0] = 0x2003;			/* root at 0x1000 */
	pm.t[2][0] = 0x3003;
	pm.t[2][1] = 0x40000000 | 0x83;		/* 1 GB page */
	pm.t[3][0] = 0x4003;
	pm.t[3][1] = 0x600000 | 0x83;		/* 2 MB page */
	pm.t[4][0] = 0x8000000000005003ull;	/* 4 KB page, no-execute */
	pm.t[4][1] = 0x6000;			/* not present */
	pm.t[4][2] = 0xfff00003;
	pm.t[1][511] = 0x2003;			/* the upper half: the same */
}

TEST(pages_of_all_sizes)
{
	dv_gpa_t pa;
	uint64_t left;

	four_levels();
	EXPECT_EQ(gi_pgwalk(&mem, DV_GPA(0x1000), 4, DV_GVA(0x123), &pa, &left), 0);
	EXPECT_EQ(pa.v, 0x5123);
	EXPECT_EQ(left, 4096 - 0x123);
	EXPECT_EQ(gi_pgwalk(&mem, DV_GPA(0x1000), 4, DV_GVA(0x234567), &pa, &left), 0);
	EXPECT_EQ(pa.v, 0x634567);
	EXPECT_EQ(left, 0x200000 - 0x34567);
	EXPECT_EQ(gi_pgwalk(&mem, DV_GPA(0x1000), 4, DV_GVA(0x40000010), &pa, NULL), 0);
	EXPECT_EQ(pa.v, 0x40000010);
	EXPECT_EQ(gi_pgwalk(&mem, DV_GPA(0x1000), 4, DV_GVA(0xffffff8000000123ull), &pa, NULL), 0);
	EXPECT_EQ(pa.v, 0x5123);
}

TEST(what_is_not_mapped_is_not_translated)
{
	dv_gpa_t pa;

	four_levels();
	EXPECT_EQ(gi_pgwalk(&mem, DV_GPA(0x1000), 4, DV_GVA(0x1000), &pa, NULL), DV_E_GUEST);
	EXPECT_EQ(gi_pgwalk(&mem, DV_GPA(0x1000), 4, DV_GVA(0x800000000000ull), &pa, NULL),
	    DV_E_GUEST);			/* not canonical */
	EXPECT_EQ(gi_pgwalk(&mem, DV_GPA(0x70000000), 4, DV_GVA(0), &pa, NULL), DV_E_GUEST);
	EXPECT_EQ(gi_pgwalk(&mem, DV_GPA(0x1000), 3, DV_GVA(0), &pa, NULL), DV_E_GUEST);
	pm.t[2][0] = 0x7000000003ull;		/* a table outside of RAM */
	EXPECT_EQ(gi_pgwalk(&mem, DV_GPA(0x1000), 4, DV_GVA(0), &pa, NULL), DV_E_GUEST);
}

TEST(five_levels)
{
	dv_gpa_t pa;

	four_levels();
	pm.t[10][0] = 0x1003;
	pm.t[10][256] = 0x1003;
	EXPECT_EQ(gi_pgwalk(&mem, DV_GPA(0xa000), 5, DV_GVA(0x123), &pa, NULL), 0);
	EXPECT_EQ(pa.v, 0x5123);
	EXPECT_EQ(gi_pgwalk(&mem, DV_GPA(0xa000), 5, DV_GVA(0xff00000000000123ull), &pa, NULL), 0);
	EXPECT_EQ(pa.v, 0x5123);
}

TEST(tables_that_point_at_themselves_end)
{
	dv_gpa_t pa;
	int i;

	memset(&pm, 0, sizeof(pm));
	for (i = 0; i < 512; i++)
		pm.t[1][i] = 0x1003;
	EXPECT_EQ(gi_pgwalk(&mem, DV_GPA(0x1000), 4, DV_GVA(0x5000), &pa, NULL), 0);
	EXPECT_EQ(pa.v, 0x1000);
}

static struct gi_run runs[16];
static unsigned nruns;

static int
take(void *arg, const struct gi_run *run)
{
	(void)arg;
	if (nruns < 16)
		runs[nruns++] = *run;
	return 0;
}

TEST(runs_are_merged_and_in_order)
{
	four_levels();
	pm.t[4][3] = 0xfff01003;		/* follows entry 2 */
	nruns = 0;
	EXPECT_EQ(gi_pgruns(&mem, DV_GPA(0x1000), 4, 0, 0x400000, take, NULL), 0);
	EXPECT_EQ(nruns, 3);
	EXPECT_EQ(runs[0].va, 0);
	EXPECT_EQ(runs[0].len, 4096);
	EXPECT_EQ(runs[1].va, 0x2000);
	EXPECT_EQ(runs[1].len, 8192);
	EXPECT_EQ(runs[2].va, 0x200000);
	EXPECT_EQ(runs[2].pa, 0x600000);
	nruns = 0;				/* a part of the large page */
	EXPECT_EQ(gi_pgruns(&mem, DV_GPA(0x1000), 4, 0x201000, 0x202000, take, NULL), 0);
	EXPECT_EQ(nruns, 1);
	EXPECT_EQ(runs[0].va, 0x201000);
	EXPECT_EQ(runs[0].pa, 0x601000);
	EXPECT_EQ(runs[0].len, 4096);
	nruns = 0;
	EXPECT_EQ(gi_pgruns(&mem, DV_GPA(0x1000), 4, 0xffffff8000000000ull, 0xffffff8000001000ull,
	    take, NULL), 0);
	EXPECT_EQ(nruns, 1);
	EXPECT_EQ(runs[0].va, 0xffffff8000000000ull);
}

TEST(a_range_over_cyclic_tables_has_a_bound)
{
	int i;

	memset(&pm, 0, sizeof(pm));
	for (i = 0; i < 512; i++)
		pm.t[1][i] = 0x1003;
	nruns = 0;
	EXPECT_EQ(gi_pgruns(&mem, DV_GPA(0x1000), 4, 0, 1ull << 46, take, NULL), DV_E_GUEST);
}

TEST_MAIN()
