/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_agg_test.c - aggregations: functions, keys, switches, drops. */
#include "core_help.h"

#include "core/agg.h"
#include "core/buf.h"

/* One value into a fresh buffer; returns the words. */
static uint64_t words[1 << 17];

static void
add_all(unsigned func, uint64_t param, const int64_t *v, size_t n, int64_t incr)
{
	static _Alignas(8) uint8_t half[2][1 << 20];
	static uint64_t slot[64];
	struct dv_aggdesc d = { .func = func, .param = param,
	    .nwords = dv_agg_nwords(func, param) };
	struct dv_aggkeys none = { .nhole = 0 };
	struct dv_aggbuf b;
	struct dv_half h;
	size_t i;

	memset(slot, 0, sizeof(slot));
	dv_agg_init(&b, half[0], half[1], sizeof(half[0]), slot, 64);
	for (i = 0; i < n; i++)
		EXPECT(dv_agg_add(&b, &d, 0, 0, &none, v[i], incr));
	dv_agg_switch(&b, &h);
	EXPECT_EQ(h.len, sizeof(struct dv_agg_entry) + d.nwords * 8u);
	memcpy(words, h.data + sizeof(struct dv_agg_entry), d.nwords * 8u);
}

TEST(plain_functions)
{
	static const int64_t v[] = { 5, -3, 10, 0 };

	add_all(DV_AGG_COUNT, 0, v, 4, 1);
	EXPECT_EQ(words[0], 4);
	add_all(DV_AGG_SUM, 0, v, 4, 1);
	EXPECT_EQ(words[0], 12);
	add_all(DV_AGG_MIN, 0, v, 4, 1);
	EXPECT_EQ(words[0], -3ull);
	add_all(DV_AGG_MAX, 0, v, 4, 1);
	EXPECT_EQ(words[0], 10);
	add_all(DV_AGG_AVG, 0, v, 4, 1);
	EXPECT_EQ(words[0], 4);
	EXPECT_EQ(words[1], 12);
	add_all(DV_AGG_STDDEV, 0, v, 4, 1);
	EXPECT_EQ(words[0], 4);
	EXPECT_EQ(words[1], 12);
	EXPECT_EQ(words[2], 134);
	EXPECT_EQ(words[3], 0);
}

TEST(squares_have_128_bits)
{
	static const int64_t v[] = { INT64_MIN, INT64_MIN };

	add_all(DV_AGG_STDDEV, 0, v, 2, 1);
	EXPECT_EQ(words[2], 0);
	EXPECT_EQ(words[3], 1ull << 63);
}

static uint32_t
bucket(unsigned func, uint64_t param, int64_t v)
{
	uint32_t i, n = dv_agg_nwords(func, param);

	add_all(func, param, &v, 1, 3);
	for (i = 0; i < n; i++)
		if (words[i] == 3)
			return i;
	return ~0u;
}

TEST(quantize_buckets)
{
	EXPECT_EQ(bucket(DV_AGG_QUANTIZE, 0, 0), 63);
	EXPECT_EQ(bucket(DV_AGG_QUANTIZE, 0, 1), 64);
	EXPECT_EQ(bucket(DV_AGG_QUANTIZE, 0, 2), 65);
	EXPECT_EQ(bucket(DV_AGG_QUANTIZE, 0, 3), 65);
	EXPECT_EQ(bucket(DV_AGG_QUANTIZE, 0, INT64_MAX), 126);
	EXPECT_EQ(bucket(DV_AGG_QUANTIZE, 0, -1), 62);
	EXPECT_EQ(bucket(DV_AGG_QUANTIZE, 0, -4), 60);
	EXPECT_EQ(bucket(DV_AGG_QUANTIZE, 0, INT64_MIN), 0);
}

TEST(lquantize_buckets)
{
	uint64_t p = DV_LQUANT_PARAM(-10, 5, 4);	/* -10 .. 10 */

	EXPECT_EQ(dv_agg_nwords(DV_AGG_LQUANTIZE, p), 6);
	EXPECT_EQ(bucket(DV_AGG_LQUANTIZE, p, -11), 0);
	EXPECT_EQ(bucket(DV_AGG_LQUANTIZE, p, -10), 1);
	EXPECT_EQ(bucket(DV_AGG_LQUANTIZE, p, -6), 1);
	EXPECT_EQ(bucket(DV_AGG_LQUANTIZE, p, 9), 4);
	EXPECT_EQ(bucket(DV_AGG_LQUANTIZE, p, 10), 5);
	EXPECT_EQ(bucket(DV_AGG_LQUANTIZE, p, INT64_MAX), 5);
	EXPECT_EQ(bucket(DV_AGG_LQUANTIZE, p, INT64_MIN), 0);
	EXPECT_EQ(dv_agg_nwords(DV_AGG_LQUANTIZE, DV_LQUANT_PARAM(0, 0, 4)), 0);
}

TEST(llquantize_buckets)
{
	uint64_t p = DV_LLQUANT_PARAM(10, 0, 2, 10);	/* 1.. 10.. 100..999 */

	EXPECT_EQ(dv_agg_nwords(DV_AGG_LLQUANTIZE, p), 3 * 9 + 2);
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, 0), 0);
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, -5), 0);
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, 1), 1);
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, 9), 9);
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, 10), 10);
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, 29), 11);
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, 999), 27);
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, 1000), 28);
	p = DV_LLQUANT_PARAM(10, 0, 1, 20);	/* ones below 20 steps */
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, 1), 1);
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, 9), 9);
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, 10), 19);
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, 14), 19);
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, 15), 20);
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, 99), 36);
	p = DV_LLQUANT_PARAM(10, 1, 2, 5);
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, 10), 1);
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, 19), 1);
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, 20), 2);
	p = DV_LLQUANT_PARAM(10, 0, 18, 10);	/* as far as 64 bits go */
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, 999999999999999999), 18 * 9);
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, 1000000000000000000), 18 * 9 + 1);
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, INT64_MAX), 18 * 9 + 9);
	p = DV_LLQUANT_PARAM(2, 0, 62, 2);
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, INT64_MAX), 63);
	p = DV_LLQUANT_PARAM(65535, 3, 3, 1);
	EXPECT_EQ(bucket(DV_AGG_LLQUANTIZE, p, INT64_MAX), 1);
	EXPECT_EQ(dv_agg_nwords(DV_AGG_LLQUANTIZE, DV_LLQUANT_PARAM(10, 0, 19, 10)), 0);
	EXPECT_EQ(dv_agg_nwords(DV_AGG_LLQUANTIZE, DV_LLQUANT_PARAM(10, 0, 30, 10)), 0);
	EXPECT_EQ(dv_agg_nwords(DV_AGG_LLQUANTIZE, DV_LLQUANT_PARAM(1, 0, 3, 10)), 0);
	EXPECT_EQ(dv_agg_nwords(DV_AGG_LLQUANTIZE, DV_LLQUANT_PARAM(10, 0, 3, 7)), 0);
}

/* @[execname, arg0] = count() */
static uint32_t
keyed_site(struct tb *t, uint32_t strsize)
{
	uint32_t name = difo_var(t, DIF_VAR_EXECNAME), arg = difo_var(t, DIF_VAR_ARG0), id;
	struct dv_act *a;
	uint32_t site;

	clause_begin(t, DV_NONE);
	id = agg_desc(t, DV_AGG_COUNT, 0, 2, strsize + 8, 1);
	a = act_add(t, DV_ACT_AGG, DV_NONE);
	a->arg = id;
	a->nargs = 2;
	act_rec(t, DV_ACT_TRACE, name, DV_T_STRING, strsize);
	act_trace(t, arg);
	t->rec = 0;
	site = simple_site(t, clause_end(t, DV_CL_NOREC));
	return site;
}

TEST(keys_and_switches)
{
	const struct dv_agg_entry *e;
	struct dv_snap snap;
	struct dv_account acct;
	uint64_t sh, ls;
	uint32_t site;
	struct tb t;

	tb_init(&t, 1);
	sh = dv_sim_task(t.sim, 1, 1, "sh", 0);
	ls = dv_sim_task(t.sim, 2, 2, "ls", 0);
	site = keyed_site(&t, 32);
	tb_go(&t);
	dv_sim_current(t.sim, 0, sh);
	dv_sim_hit(t.sim, 0, site);
	dv_sim_hit(t.sim, 0, site);
	dv_sim_current(t.sim, 0, ls);
	dv_sim_hit(t.sim, 0, site);
	dv_sim_reg(t.sim, 0)[DV_REG_RDI] = 5;
	dv_sim_hit(t.sim, 0, site);
	e = (const void *)dv_sim_snap(t.sim, 0, DV_BUF_AGG, &snap);
	EXPECT_EQ(snap.len, 3 * (16 + 40 + 8));
	EXPECT_EQ(e->size, 64);
	EXPECT_STREQ((const char *)(e + 1), "sh");
	EXPECT_EQ(((const uint64_t *)e)[7], 2);
	e += 4;
	EXPECT_STREQ((const char *)(e + 1), "ls");
	EXPECT_EQ(((const uint64_t *)e)[7], 1);
	e += 4;
	EXPECT_EQ(((const uint64_t *)e)[6], 5);
	dv_sim_hit(t.sim, 0, site);		/* the new half begins empty */
	e = (const void *)dv_sim_snap(t.sim, 0, DV_BUF_AGG, &snap);
	EXPECT_EQ(snap.len, 64);
	EXPECT_EQ(((const uint64_t *)e)[7], 1);
	expect_account(&t, 0, &acct);
	EXPECT_EQ(acct.norecord, 5);
	tb_fini(&t);
}

TEST(new_keys_beyond_the_buffer_are_drops)
{
	struct dv_account acct;
	struct dv_status st;
	struct dv_snap snap;
	uint32_t site, i, k;
	struct tb t;

	tb_init(&t, 1);
	t.b.opts[DV_OPT_AGGSIZE] = 64 * 10 + 8;
	dv_sim_current(t.sim, 0, dv_sim_task(t.sim, 1, 1, "sh", 0));
	site = keyed_site(&t, 32);
	tb_go(&t);
	for (k = 0; k < 2; k++)			/* known keys still count */
		for (i = 0; i < 12; i++) {
			dv_sim_reg(t.sim, 0)[DV_REG_RDI] = i;
			dv_sim_hit(t.sim, 0, site);
		}
	EXPECT(dv_sim_snap(t.sim, 0, DV_BUF_AGG, &snap) != NULL);
	EXPECT_EQ(snap.len, 640);
	EXPECT_EQ(snap.drops, 4);
	dv_status(dv_sim_state(t.sim), &st);
	EXPECT_EQ(st.agg_drops, 4);
	expect_account(&t, 0, &acct);
	EXPECT_EQ(acct.fired, 24);
	EXPECT_EQ(acct.agg_dropped, 4);
	tb_fini(&t);
}

TEST(many_switches_lose_nothing)
{
	struct dv_snap snap;
	uint64_t sum = 0, off;
	const uint8_t *p;
	uint32_t site, i;
	struct tb t;

	tb_init(&t, 1);
	dv_sim_current(t.sim, 0, dv_sim_task(t.sim, 1, 1, "sh", 0));
	site = keyed_site(&t, 24);
	tb_go(&t);
	for (i = 0; i < 20000; i++) {
		dv_sim_reg(t.sim, 0)[DV_REG_RDI] = i % 97;
		dv_sim_hit(t.sim, 0, site);
		if (i % 1000 == 999) {
			p = dv_sim_snap(t.sim, 0, DV_BUF_AGG, &snap);
			EXPECT_EQ(snap.len, 97 * 56);
			for (off = 0; off < snap.len; off += 56)
				sum += *(const uint64_t *)(p + off + 48);
		}
	}
	EXPECT_EQ(sum, 20000);
	tb_fini(&t);
}

TEST_MAIN()
