/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base_host_test.c - timers keep step; memory is promised only where there is some. */
#include "test.h"
#include "clock.h"
#include "mem.h"

TEST(timers_stay_in_step)
{
	EXPECT_EQ(dv_clock_next(100, 10, 105), 110);
	EXPECT_EQ(dv_clock_next(100, 10, 110), 120);
	EXPECT_EQ(dv_clock_next(100, 10, 119), 120);
	EXPECT_EQ(dv_clock_next(100, 10, 1234), 1240);
}

TEST(what_is_small_fits_and_what_nobody_has_does_not)
{
	uint64_t available;

	EXPECT(dv_mem_fits(4096, &available));
	EXPECT(!dv_mem_fits(1ull << 62, &available));
	EXPECT(available < 1ull << 62);
	EXPECT(!dv_mem_fits(available, &available));
}

TEST_MAIN()
