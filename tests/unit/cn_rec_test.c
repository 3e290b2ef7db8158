/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cn_rec_test.c - records become the rows that dtrace(1) prints. */
#include "cn_test.h"

TEST(default_rows)
{
	struct ct t;

	ct_init(&t);
	ct_probe(&t, "dtrace", "", "", "BEGIN", 1, 0);
	ct_probe(&t, "syscall", "vmlinux", "newstat", "entry", 314, 0);
	ct_clause(&t, 0);
	ct_clause(&t, 1);
	ct_open(&t);
	cn_header(t.cn);
	EXPECT_STREQ(ct_out(&t), "CPU     ID                    FUNCTION:NAME\n");
	ct_rec(&t, 1, 1, NULL, 0);
	ct_take(&t, 2);
	ct_rec(&t, 2, 1, NULL, 0);
	ct_take(&t, 1);
	EXPECT_STREQ(ct_out(&t),
	    "  0      1                           :BEGIN \n"
	    "  1    314                    newstat:entry \n");
	cn_finish(t.cn);
	EXPECT_STREQ(ct_out(&t), "\n");
	EXPECT_STREQ(ct_msg(&t), "");
	ct_fini(&t);
}

static void
trace_program(struct ct *t)
{
	ct_init(t);
	ct_probe(t, "dtrace", "", "", "BEGIN", 1, 0);
	ct_clause(t, 0);
	ct_act(t, DV_ACT_TRACE, ct_int(8, true));
	ct_act(t, DV_ACT_TRACE, ct_int(8, false));
	ct_act(t, DV_ACT_TRACE, ct_int(4, true));
	ct_act(t, DV_ACT_TRACE, ct_int(2, true));
	ct_act(t, DV_ACT_TRACE, ct_int(1, true));
	ct_act(t, DV_ACT_TRACE, ct_type(DV_T_STRING, 9));
}

static const struct { int64_t a; uint64_t b; int32_t c; int16_t d; int8_t e; char s[9]; }
    trace_data = { -1, UINT64_MAX, 42, -3, 7, "bash" };

TEST(trace_fills_columns)
{
	struct ct t;

	trace_program(&t);
	ct_open(&t);
	ct_rec(&t, 1, 1, &trace_data, 32);
	ct_take(&t, 2);
	EXPECT_STREQ(ct_out(&t),
	    "  0      1                           :BEGIN "
	    "                  -1" " 18446744073709551615" "         42" "    -3"
	    "   7" "  bash                             " "\n");
	ct_fini(&t);
}

TEST(quiet_trace_pads_nothing)
{
	struct ct t;

	trace_program(&t);
	t.b.opts[DV_OPT_QUIET] = 1;
	ct_open(&t);
	cn_header(t.cn);
	ct_rec(&t, 1, 1, &trace_data, 32);
	ct_take(&t, 2);
	EXPECT_STREQ(ct_out(&t), "-11844674407370955161542-37bash");
	ct_fini(&t);
}

TEST(bytes_are_dumped_unless_they_look_like_text)
{
	struct { char text[20], bin[20]; } r = { "vmlinux", "\x01" "ab\x7f" };
	struct ct t;

	ct_init(&t);
	ct_probe(&t, "dtrace", "", "", "BEGIN", 1, 0);
	ct_clause(&t, 0);
	ct_act(&t, DV_ACT_TRACE, ct_type(DV_T_BYTES, 20));
	ct_act(&t, DV_ACT_TRACE, ct_type(DV_T_BYTES, 20));
	ct_open(&t);
	ct_rec(&t, 1, 1, &r, sizeof(r));
	ct_take(&t, 2);
	EXPECT_STREQ(ct_out(&t),
	    "  0      1                           :BEGIN "
	    "  vmlinux                          \n"
	    "             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n"
	    "         0: 01 61 62 7f 00 00 00 00 00 00 00 00 00 00 00 00  .ab.............\n"
	    "        10: 00 00 00 00                                      ....\n"
	    "\n");
	ct_fini(&t);
}

TEST(rawbytes_and_tracemem_always_dump)
{
	char r[16] = "vmlinux";
	struct ct t;
	int i;

	for (i = 0; i < 2; i++) {
		ct_init(&t);
		t.b.opts[DV_OPT_QUIET] = 1;
		t.b.opts[DV_OPT_RAWBYTES] = i == 0;
		ct_probe(&t, "dtrace", "", "", "BEGIN", 1, 0);
		ct_clause(&t, 0);
		ct_act(&t, i == 0 ? DV_ACT_TRACE : DV_ACT_TRACEMEM,
		    ct_type(DV_T_BYTES, 16));
		ct_open(&t);
		ct_rec(&t, 1, 1, &r, sizeof(r));
		ct_take(&t, 2);
		EXPECT_STREQ(ct_out(&t), "\n"
		    "             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n"
		    "         0: 76 6d 6c 69 6e 75 78 00 00 00 00 00 00 00 00 00  vmlinux.........\n");
		ct_fini(&t);
	}
}

TEST(flowindent)
{
	struct ct t;
	int32_t err = 2;

	ct_init(&t);
	t.b.opts[DV_OPT_FLOWINDENT] = 1;
	ct_probe(&t, "dtrace", "", "", "BEGIN", 1, 0);
	ct_probe(&t, "syscall", "vmlinux", "open", "entry", 2, DV_PF_ENTRY | DV_PF_SYSCALL);
	ct_probe(&t, "syscall", "vmlinux", "open", "return", 3, DV_PF_RETURN | DV_PF_SYSCALL);
	ct_probe(&t, "fbt", "vmlinux", "getname", "entry", 4, DV_PF_ENTRY);
	ct_probe(&t, "fbt", "vmlinux", "getname", "return", 5, DV_PF_RETURN);
	ct_clause(&t, 0);			/* 1 */
	ct_clause(&t, 1);			/* 2 */
	ct_printf(&t, "/var/ld/ld.config", 0);
	ct_clause(&t, 2);			/* 3 */
	ct_clause(&t, 2);			/* 4 */
	ct_act(&t, DV_ACT_TRACE, ct_int(4, true));
	ct_clause(&t, 3);			/* 5 */
	ct_clause(&t, 3);			/* 6 */
	ct_clause(&t, 4);			/* 7 */
	ct_open(&t);
	cn_header(t.cn);
	EXPECT_STREQ(ct_out(&t), "CPU FUNCTION                                 \n");
	ct_rec(&t, 1, 1, NULL, 0);
	ct_rec(&t, 2, 1, NULL, 0);
	ct_rec(&t, 5, 1, NULL, 0);
	ct_rec(&t, 6, 1, NULL, 0);
	ct_rec(&t, 7, 1, NULL, 0);
	ct_rec(&t, 3, 1, NULL, 0);
	ct_rec(&t, 4, 1, &err, 4);
	ct_rec(&t, 4, 1, &err, 4);		/* a return without an entry */
	ct_take(&t, 1);
	EXPECT_STREQ(ct_out(&t),
	    "  1 | :BEGIN                                  \n"
	    "  1  => open                                  /var/ld/ld.config\n"
	    "  1    -> getname                             \n"
	    "  1     | getname:entry                       \n"
	    "  1    <- getname                             \n"
	    "  1   | open:return                           \n"
	    "  1  <= open                                            2\n"
	    "  1  <= open                                            2\n");
	ct_fini(&t);
}

TEST(temporal_merges_cpus_by_time)
{
	struct ct t;
	uint64_t v;

	ct_init(&t);
	t.b.opts[DV_OPT_TEMPORAL] = 1;
	t.b.opts[DV_OPT_QUIET] = 1;
	ct_probe(&t, "dtrace", "", "", "BEGIN", 1, 0);
	ct_clause(&t, 0);
	ct_printf(&t, "%d ", 1);
	ct_act(&t, DV_ACT_TRACE, ct_int(8, false));
	ct_open(&t);
	for (v = 1; v <= 7; v += 2)
		ct_rec(&t, 1, v, &v, 8);
	ct_take(&t, 0);
	for (v = 2; v <= 8; v += 2)
		ct_rec(&t, 1, v, &v, 8);
	ct_take(&t, 1);
	EXPECT_STREQ(ct_out(&t), "");
	cn_flush(t.cn, 5);
	EXPECT_STREQ(ct_out(&t), "1 2 3 4 ");
	v = 6;
	ct_rec(&t, 1, v, &v, 8);
	ct_take(&t, 2);
	cn_flush(t.cn, ~(uint64_t)0);
	EXPECT_STREQ(ct_out(&t), "5 6 6 7 8 ");
	ct_fini(&t);
}

/* One round: records of CPU 0 with these times, and what its snapshot says is pending. */
static void
round_of(struct ct *t, const uint64_t *times, size_t n, uint64_t pending)
{
	struct dv_snap s = { .pending = pending };
	size_t i;

	for (i = 0; i < n; i++)
		ct_rec(t, 1, times[i], &times[i], 8);
	s.len = t->buf.len;
	EXPECT_EQ(cn_take_records(t->cn, 0, t->buf.s, &s, &t->err), 0);
	dv_str_reset(&t->buf);
}

TEST(temporal_waits_for_parts_of_commits)
{
	const uint64_t first[] = { 10, 20, 30 }, late[] = { 40, 15, 15, 50 }, end[] = { 60, 45 };
	const uint64_t none = ~(uint64_t)0;
	struct ct t;

	ct_init(&t);
	t.b.opts[DV_OPT_TEMPORAL] = 1;
	t.b.opts[DV_OPT_QUIET] = 1;
	ct_probe(&t, "dtrace", "", "", "BEGIN", 1, 0);
	ct_clause(&t, 0);
	ct_printf(&t, "%d ", 1);
	ct_act(&t, DV_ACT_TRACE, ct_int(8, false));
	ct_clause(&t, 0);
	ct_arg(&t, DV_ACT_COMMIT, CT_NOREC, 0);
	t.b.clauses.v[1].flags = DV_CL_COMMITS | DV_CL_NOREC;
	ct_open(&t);
	round_of(&t, first, 3, 15);
	cn_flush(t.cn, 35);		/* no round before: nothing is sure */
	EXPECT_STREQ(ct_out(&t), "");
	round_of(&t, late, 4, 15);	/* its part came, but another CPU's may not have */
	cn_flush(t.cn, 55);
	EXPECT_STREQ(ct_out(&t), "10 ");
	round_of(&t, end, 2, none);
	cn_flush(t.cn, 65);
	EXPECT_STREQ(ct_out(&t), "15 15 20 30 40 45 50 ");
	round_of(&t, NULL, 0, none);
	cn_flush(t.cn, ~(uint64_t)0);
	EXPECT_STREQ(ct_out(&t), "60 ");
	ct_fini(&t);
}

TEST(temporal_keeps_much_and_gives_it_back)
{
	struct ct t;
	uint64_t v, round;

	ct_init(&t);
	t.b.opts[DV_OPT_TEMPORAL] = 1;
	t.b.opts[DV_OPT_QUIET] = 1;
	ct_probe(&t, "dtrace", "", "", "BEGIN", 1, 0);
	ct_clause(&t, 0);
	ct_printf(&t, "%d\n", 1);
	ct_act(&t, DV_ACT_TRACE, ct_int(8, false));
	ct_open(&t);
	for (round = 0; round < 50; round++) {
		for (v = 0; v < 1000; v++)
			ct_rec(&t, 1, round * 1000 + v, &v, 8);
		ct_take(&t, round & 1);
		cn_flush(t.cn, round * 1000 + 10);
	}
	cn_flush(t.cn, ~(uint64_t)0);
	for (v = 0, round = 0; v < t.out.len; v++)
		round += t.out.s[v] == '\n';
	EXPECT_EQ(round, 50000);
	EXPECT(strncmp(t.out.s, "0\n1\n2\n", 6) == 0);
	EXPECT(strcmp(t.out.s + t.out.len - 8, "998\n999\n") == 0);
	ct_fini(&t);
}

TEST(a_ring_begins_at_its_oldest_record)
{
	struct dv_snap s = { 0 };
	struct ct t;
	uint64_t v;

	ct_init(&t);
	t.b.opts[DV_OPT_QUIET] = 1;
	ct_probe(&t, "dtrace", "", "", "BEGIN", 1, 0);
	ct_clause(&t, 0);
	ct_printf(&t, "%d ", 1);
	ct_act(&t, DV_ACT_TRACE, ct_int(8, false));
	ct_open(&t);
	v = 3;
	ct_rec(&t, 1, v, &v, 8);
	s.wrapped = t.buf.len;
	v = 1;
	ct_rec(&t, 1, v, &v, 8);
	v = 2;
	ct_rec(&t, 1, v, &v, 8);
	dv_str_addn(&t.buf, "\0\0\0\0\0\0\0\0", 8);
	s.len = t.buf.len;
	EXPECT_EQ(cn_take_records(t.cn, 0, t.buf.s, &s, &t.err), 0);
	EXPECT_STREQ(ct_out(&t), "1 2 3 ");
	s.wrapped = s.len + 8;
	EXPECT_EQ(cn_take_records(t.cn, 0, t.buf.s, &s, &t.err), DV_E_FORMAT);
	ct_fini(&t);
}

TEST(nonsense_is_an_error_and_what_came_before_is_printed)
{
	struct dv_rec r = { .epid = 9 };
	struct ct t;
	uint64_t v = 1;

	ct_init(&t);
	t.b.opts[DV_OPT_QUIET] = 1;
	ct_probe(&t, "dtrace", "", "", "BEGIN", 1, 0);
	ct_clause(&t, 0);
	ct_printf(&t, "%d ", 1);
	ct_act(&t, DV_ACT_TRACE, ct_int(8, false));
	ct_open(&t);
	ct_rec(&t, 1, v, &v, 8);
	dv_str_addn(&t.buf, (const char *)&r, sizeof(r));
	EXPECT_EQ(ct_try_take(&t, 0, false), DV_E_FORMAT);
	EXPECT_STREQ(ct_out(&t), "1 ");
	EXPECT_STREQ(t.err.text, "buffer of CPU 0 makes no sense at byte 24 of 40: EPID 9");
	ct_rec(&t, 1, v, &v, 8);
	t.buf.len -= 4;				/* cut short */
	EXPECT_EQ(ct_try_take(&t, 0, false), DV_E_FORMAT);
	dv_str_addn(&t.buf, "\1\0", 2);
	EXPECT_EQ(ct_try_take(&t, 0, false), DV_E_FORMAT);
	ct_rec(&t, 1, v, &v, 8);
	EXPECT_EQ(ct_try_take(&t, 3, false), DV_E_FORMAT);
	ct_fini(&t);
}

TEST(fields_outside_their_record_are_refused)
{
	struct ct t;

	ct_init(&t);
	ct_probe(&t, "dtrace", "", "", "BEGIN", 1, 0);
	ct_clause(&t, 0);
	ct_act(&t, DV_ACT_TRACE, ct_int(8, false));
	t.b.acts.v[0].rec_off = 4;
	EXPECT_EQ(ct_try_open(&t), DV_E_FORMAT);
	ct_fini(&t);
}

struct asked {
	char path[64], cmd[64];
};

static int
do_freopen(void *arg, const char *path)
{
	snprintf(((struct asked *)arg)->path, 64, "%s", path);
	return 0;
}

static int
do_system(void *arg, const char *cmd)
{
	snprintf(((struct asked *)arg)->cmd, 64, "%s", cmd);
	return 0;
}

TEST(requests_reach_the_command)
{
	struct asked a = { .path = "" };
	struct cn_requests q = { .arg = &a, .freopen = do_freopen, .system = do_system };
	struct { int32_t pid; char name[16], value[8]; int32_t status; } r = {
	    42, "quiet", "1", 7 };
	struct ct t;
	int status = 0;

	ct_init(&t);
	t.cfg.requests = &q;
	ct_probe(&t, "dtrace", "", "", "END", 2, 0);
	ct_clause(&t, 0);
	ct_head(&t, DV_ACT_SYSTEM, dv_progb_str(&t.b, "ps -p %d"), 1);
	ct_act(&t, DV_ACT_TRACE, ct_int(4, true));
	ct_head(&t, DV_ACT_FREOPEN, dv_progb_str(&t.b, "/tmp/out"), 0);
	ct_head(&t, DV_ACT_SETOPT, 0, 2);
	ct_act(&t, DV_ACT_TRACE, ct_type(DV_T_STRING, 16));
	ct_act(&t, DV_ACT_TRACE, ct_type(DV_T_STRING, 8));
	ct_act(&t, DV_ACT_EXIT, ct_int(4, true));
	ct_open(&t);
	EXPECT(!cn_exiting(t.cn, &status));
	ct_rec(&t, 1, 1, &r, sizeof(r));
	ct_take(&t, 2);
	EXPECT_STREQ(a.cmd, "ps -p 42");
	EXPECT_STREQ(a.path, "/tmp/out");
	EXPECT(cn_exiting(t.cn, &status));
	EXPECT_EQ(status, 7);
	EXPECT_EQ(cn_option(t.cn, DV_OPT_QUIET), 1);
	EXPECT_STREQ(ct_out(&t), "  0      2                             :END \n");
	ct_fini(&t);
}

TEST(setopt_refuses_what_cannot_change)
{
	static const struct { const char name[16], value[8], *text; } cases[] = {
		{ "nonsense", "1", "couldn't set option \"nonsense\" to \"1\": invalid option name\n" },
		{ "bufsize", "4m", "couldn't set option \"bufsize\" to \"4m\": operation illegal when tracing is active\n" },
		{ "switchrate", "often", "couldn't set option \"switchrate\" to \"often\": invalid value for specified option\n" },
		{ "switchrate", "10hz", "" },
		{ "aggrate", "5ms", "" },
		{ "stackindent", "4", "" },
	};
	struct { char name[16], value[8]; } r;
	struct ct t;
	size_t i;

	ct_init(&t);
	ct_probe(&t, "dtrace", "", "", "END", 2, 0);
	ct_clause(&t, 0);
	ct_head(&t, DV_ACT_SETOPT, 0, 2);
	ct_act(&t, DV_ACT_TRACE, ct_type(DV_T_STRING, 16));
	ct_act(&t, DV_ACT_TRACE, ct_type(DV_T_STRING, 8));
	ct_open(&t);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		memcpy(r.name, cases[i].name, sizeof(r.name));
		memcpy(r.value, cases[i].value, sizeof(r.value));
		ct_rec(&t, 1, 1, &r, sizeof(r));
		ct_take(&t, 2);
		EXPECT_STREQ(ct_msg(&t), cases[i].text);
	}
	EXPECT_EQ(cn_option(t.cn, DV_OPT_SWITCHRATE), 100000000);
	EXPECT_EQ(cn_option(t.cn, DV_OPT_AGGRATE), 5000000);
	EXPECT_EQ(cn_option(t.cn, DV_OPT_STACKINDENT), 4);
	ct_fini(&t);
}

TEST(the_cpu_column_is_the_guests_number)
{
	const uint32_t ids[2] = { 5, 12 };
	struct ct t;

	ct_init(&t);
	t.cfg.cpu_ids = ids;
	ct_probe(&t, "profile", "", "", "profile-1s", 1, 0);
	ct_clause(&t, 0);
	ct_open(&t);
	ct_rec(&t, 1, 1, NULL, 0);
	ct_take(&t, 1);
	EXPECT_STREQ(ct_out(&t), " 12      1                      :profile-1s \n");
	ct_fini(&t);
}

TEST(after_a_failed_write_nothing_is_printed)
{
	struct ct t;

	ct_init(&t);
	ct_probe(&t, "dtrace", "", "", "BEGIN", 1, 0);
	ct_clause(&t, 0);
	ct_open(&t);
	cn_set_failed(t.cn);
	ct_rec(&t, 1, 1, NULL, 0);
	ct_take(&t, 2);
	cn_finish(t.cn);
	EXPECT_STREQ(ct_out(&t), "");
	ct_fini(&t);
}

TEST_MAIN()
