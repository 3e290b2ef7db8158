/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cn_drops_test.c - what was lost is told once, in DTrace's words. */
#include "cn_test.h"

static void
begin(struct ct *t)
{
	ct_init(t);
	ct_probe(t, "dtrace", "", "", "BEGIN", 1, 0);
	ct_clause(t, 0);
	ct_open(t);
}

TEST(only_what_is_new_is_told)
{
	struct dv_status st = { .spec_drops = 38, .spec_unavail = 1, .spec_busy = 905,
	    .dyn_drops = 1, .dyn_rinsing_drops = 2, .dyn_dirty_drops = 3,
	    .dblerrors = 1, .rule_drops = 1, .rule_faults = 2 };
	struct ct t;

	begin(&t);
	cn_report_drops(t.cn, &st);
	EXPECT_STREQ(ct_msg(&t),
	    "1 dynamic variable drop\n"
	    "2 dynamic variable drops with non-empty rinsing list\n"
	    "3 dynamic variable drops with non-empty dirty list\n"
	    "38 speculative drops\n"
	    "905 failed speculations (available buffer(s) still busy)\n"
	    "1 failed speculation (no speculative buffer available)\n"
	    "1 error in ERROR probe\n"
	    "1 pending return given up (no room, or the thread has ended)\n"
	    "2 hits of a site without effect (guest memory could not be read)\n");
	cn_report_drops(t.cn, &st);
	EXPECT_STREQ(ct_msg(&t), "");
	st.spec_drops++;
	st.spec_busy++;
	st.spec_unavail += 2;
	st.dblerrors += 4;
	cn_report_drops(t.cn, &st);
	EXPECT_STREQ(ct_msg(&t),
	    "1 speculative drop\n"
	    "1 failed speculation (available buffer(s) still busy)\n"
	    "2 failed speculations (no speculative buffer space available)\n"
	    "4 errors in ERROR probe\n");
	ct_fini(&t);
}

TEST(buffer_drops_name_their_cpu)
{
	struct dv_snap s = { .drops = 7 };
	struct ct t;

	begin(&t);
	cn_report_cpu_drops(t.cn, 1, &s);
	cn_report_cpu_drops(t.cn, 1, &s);
	s.drops = 8;
	cn_report_cpu_drops(t.cn, 1, &s);
	EXPECT_STREQ(ct_msg(&t), "7 drops on CPU 1\n1 drop on CPU 1\n");
	EXPECT_EQ(cn_take_aggs(t.cn, 1, "", &s, &t.err), 0);
	EXPECT_STREQ(ct_msg(&t), "8 aggregation drops on CPU 1\n");
	EXPECT_EQ(cn_take_aggs(t.cn, 1, "", &s, &t.err), 0);
	EXPECT_STREQ(ct_msg(&t), "");
	ct_fini(&t);
}

TEST(droptags_name_the_kind)
{
	struct dv_status st = { .spec_drops = 38, .spec_unavail = 2, .spec_busy = 1,
	    .dyn_drops = 1, .dblerrors = 1 };
	struct dv_snap s = { .drops = 7 };
	struct ct t;

	ct_init(&t);
	t.b.opts[DV_OPT_DROPTAGS] = 1;
	ct_probe(&t, "dtrace", "", "", "BEGIN", 1, 0);
	ct_clause(&t, 0);
	ct_open(&t);
	cn_report_drops(t.cn, &st);
	cn_report_cpu_drops(t.cn, 0, &s);
	EXPECT_EQ(cn_take_aggs(t.cn, 0, "", &s, &t.err), 0);
	EXPECT_STREQ(ct_msg(&t),
	    "[DTRACEDROP_DYNAMIC] 1 dynamic variable drop\n"
	    "[DTRACEDROP_SPEC] 38 speculative drops\n"
	    "[DTRACEDROP_SPECBUSY] 1 failed speculation (available buffer(s) still busy)\n"
	    "[DTRACEDROP_SPECUNAVAIL] 2 failed speculations (no speculative buffer space available)\n"
	    "[DTRACEDROP_DBLERROR] 1 error in ERROR probe\n"
	    "[DTRACEDROP_PRINCIPAL] 7 drops on CPU 0\n"
	    "[DTRACEDROP_AGGREGATION] 7 aggregation drops on CPU 0\n");
	ct_fini(&t);
}

TEST(faults_name_probe_and_place)
{
	struct dv_fault_rec r = { .epid = DV_EPID_FAULT, .failed = 1, .action = 1,
	    .offset = 12, .fault = 1, .addr = 0x10 };
	struct ct t;

	begin(&t);
	dv_str_addn(&t.buf, (const char *)&r, sizeof(r));
	r.action = 0;
	r.fault = 4;
	r.addr = 0;
	dv_str_addn(&t.buf, (const char *)&r, sizeof(r));
	r.failed = 99;
	r.fault = 77;
	dv_str_addn(&t.buf, (const char *)&r, sizeof(r));
	ct_take(&t, 2);
	EXPECT_STREQ(ct_msg(&t),
	    "error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): invalid address (0x10) in action #1 at DIF offset 12\n"
	    "error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): divide-by-zero in predicate at DIF offset 12\n"
	    "error on enabled probe ID 99: unknown fault in predicate at DIF offset 12\n");
	EXPECT_STREQ(ct_out(&t), "");
	ct_fini(&t);
}

TEST(messages_come_after_what_was_printed_before)
{
	struct dv_fault_rec r = { .epid = DV_EPID_FAULT, .failed = 1, .action = 1 };
	struct ct t;

	begin(&t);
	t.msg.len = 0;
	ct_rec(&t, 1, 1, NULL, 0);
	dv_str_addn(&t.buf, (const char *)&r, sizeof(r));
	ct_take(&t, 2);
	EXPECT_STREQ(ct_out(&t), "  0      1                           :BEGIN \n");
	ct_fini(&t);
}

TEST_MAIN()
