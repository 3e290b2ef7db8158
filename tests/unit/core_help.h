/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core_help.h - small programs for tests of the probe machine: a builder of
 * DIFOs, clauses, probes and sites over hv/base's progb, and what a sim holds.
 */
#ifndef CORE_HELP_H
#define CORE_HELP_H
#include "test.h"

#include "base/progb.h"
#include "sim/sim.h"

#include <stdlib.h>

struct tb {
	struct dv_progb b;
	struct dv_sim *sim;
	struct dv_difo cur;		/* being made */
	struct dv_reason why;
	uint32_t rec;			/* end of the record being laid out */
};

#define I3(op, r1, r2, rd)	DIF_INSTR_FMT(DIF_OP_##op, r1, r2, rd)
#define IW(op, index, rd)	DIF_INSTR_WIDE(DIF_OP_##op, index, rd)
#define IB(op, label)		DIF_INSTR_BRANCH(DIF_OP_##op, label)
#define IRET(rd)		DIF_INSTR_FMT(DIF_OP_RET, 0, 0, rd)

__attribute__((unused)) static void
tb_init(struct tb *t, unsigned nvcpu)
{
	memset(t, 0, sizeof(*t));
	EXPECT_EQ(dv_progb_init(&t->b), 0);
	t->b.opts[DV_OPT_BUFSIZE] = 65536;
	t->b.opts[DV_OPT_AGGSIZE] = 65536;
	t->b.opts[DV_OPT_DYNVARSIZE] = 1 << 20;
	t->b.vmname = dv_progb_str(&t->b, "sim0");
	t->b.host_execname = dv_progb_str(&t->b, "dvisor");
	t->b.host_pid = 77;
	t->sim = dv_sim_create(nvcpu, 4 << 20);
}

__attribute__((unused)) static void
tb_fini(struct tb *t)
{
	dv_sim_destroy(t->sim);
	dv_progb_fini(&t->b);
}

__attribute__((unused)) static void
difo_begin(struct tb *t)
{
	memset(&t->cur, 0, sizeof(t->cur));
	t->cur.text = (uint32_t)t->b.text.n;
	t->cur.ints = (uint32_t)t->b.ints.n;
	t->cur.strs = (uint32_t)t->b.difstrs.len;
}

__attribute__((unused)) static void
in(struct tb *t, uint32_t instr)
{
	EXPECT_EQ(dv_vec_push(&t->b.text, instr), 0);
}

/* rd = v */
__attribute__((unused)) static void
in_int(struct tb *t, uint64_t v, unsigned rd)
{
	EXPECT_EQ(dv_vec_push(&t->b.ints, v), 0);
	in(t, IW(SETX, (uint32_t)(t->b.ints.n - 1 - t->cur.ints), rd));
}

/* rd = address of s */
__attribute__((unused)) static void
in_str(struct tb *t, const char *s, unsigned rd)
{
	uint32_t at = (uint32_t)t->b.difstrs.len - t->cur.strs;

	dv_str_addn(&t->b.difstrs, s, strlen(s) + 1);
	in(t, IW(SETS, at, rd));
}

__attribute__((unused)) static uint32_t
difo_end(struct tb *t)
{
	t->cur.ntext = (uint32_t)t->b.text.n - t->cur.text;
	t->cur.nints = (uint32_t)t->b.ints.n - t->cur.ints;
	t->cur.nstrs = (uint32_t)t->b.difstrs.len - t->cur.strs;
	EXPECT_EQ(dv_vec_push(&t->b.difos, t->cur), 0);
	return (uint32_t)t->b.difos.n - 1;
}

__attribute__((unused)) static uint32_t
difo_const(struct tb *t, uint64_t v)
{
	difo_begin(t);
	in_int(t, v, 1);
	in(t, IRET(1));
	return difo_end(t);
}

__attribute__((unused)) static uint32_t
difo_var(struct tb *t, uint32_t id)
{
	difo_begin(t);
	in(t, IW(LDGS, id, 1));
	in(t, IRET(1));
	return difo_end(t);
}

__attribute__((unused)) static uint16_t
var_add(struct tb *t, unsigned scope, unsigned array, unsigned kind, uint32_t size,
	unsigned flags)
{
	uint16_t id = (uint16_t)(DIF_VAR_USER + t->b.vars.n);

	EXPECT_EQ(dv_vec_push(&t->b.vars, (struct dv_var){ dv_progb_str(&t->b, "v"), id,
	    (uint8_t)scope, (uint8_t)array,
	    { (uint8_t)kind, (uint8_t)flags, 0, size } }), 0);
	return id;
}

/* Clauses: clause_begin, act_*..., clause_end. */
__attribute__((unused)) static void
clause_begin(struct tb *t, uint32_t pred)
{
	EXPECT_EQ(dv_vec_push(&t->b.clauses, (struct dv_clause){ .pred = pred,
	    .act = (uint32_t)t->b.acts.n }), 0);
	t->rec = 0;
}

__attribute__((unused)) static struct dv_act *
act_add(struct tb *t, unsigned kind, uint32_t difo)
{
	EXPECT_EQ(dv_vec_push(&t->b.acts, (struct dv_act){ .kind = (uint16_t)kind,
	    .difo = difo }), 0);
	return &t->b.acts.v[t->b.acts.n - 1];
}

__attribute__((unused)) static struct dv_act *
act_rec(struct tb *t, unsigned kind, uint32_t difo, unsigned tkind, uint32_t size)
{
	struct dv_act *a = act_add(t, kind, difo);

	a->rec.kind = (uint8_t)tkind;
	a->rec.size = size;
	t->rec = (t->rec + 7) & ~7u;
	a->rec_off = t->rec;
	t->rec += size;
	return a;
}

__attribute__((unused)) static void
act_trace(struct tb *t, uint32_t difo)
{
	act_rec(t, DV_ACT_TRACE, difo, DV_T_INT, 8);
}

__attribute__((unused)) static uint32_t
clause_end(struct tb *t, uint32_t flags)
{
	struct dv_clause *c = &t->b.clauses.v[t->b.clauses.n - 1];

	c->nact = (uint32_t)t->b.acts.n - c->act;
	c->record_size = t->rec;
	c->flags = flags;
	return (uint32_t)t->b.clauses.n - 1;
}

/* An aggregation with integer keys of 8 bytes; ends with its action. */
__attribute__((unused)) static uint32_t
agg_desc(struct tb *t, unsigned func, uint64_t param, uint32_t nkeys, uint32_t keysize,
	 uint32_t nwords)
{
	uint32_t keyact = (uint32_t)t->b.acts.n + 1;

	EXPECT_EQ(dv_vec_push(&t->b.aggs, (struct dv_aggdesc){
	    .name = dv_progb_str(&t->b, "a"), .func = func, .param = param,
	    .nkeys = nkeys, .keyact = keyact, .keysize = keysize,
	    .nwords = nwords }), 0);
	return (uint32_t)t->b.aggs.n - 1;
}

__attribute__((unused)) static uint32_t
probe_add(struct tb *t, const char *name, uint32_t flags)
{
	uint32_t id = (uint32_t)t->b.probes.n + 1;

	EXPECT_EQ(dv_vec_push(&t->b.probes, (struct dv_probe){
	    .prov = dv_progb_str(&t->b, "dtrace"), .mod = 0, .func = 0,
	    .name = dv_progb_str(&t->b, name), .id = id,
	    .flags = flags }), 0);
	return (uint32_t)t->b.probes.n - 1;
}

__attribute__((unused)) static void
ecb_add(struct tb *t, uint32_t probe, uint32_t clause)
{
	EXPECT_EQ(dv_vec_push(&t->b.ecbs, (struct dv_ecbdesc){ probe, clause }), 0);
}

/* arg0.. are %rdi %rsi %rdx. */
__attribute__((unused)) static uint32_t
argset_add(struct tb *t)
{
	struct dv_argset s;

	memset(&s, 0, sizeof(s));
	s.arg[0] = (struct dv_loc){ .kind = DV_LOC_REG, .reg = DV_REG_RDI };
	s.arg[1] = (struct dv_loc){ .kind = DV_LOC_REG, .reg = DV_REG_RSI };
	s.arg[2] = (struct dv_loc){ .kind = DV_LOC_REG, .reg = DV_REG_RDX };
	EXPECT_EQ(dv_vec_push(&t->b.argsets, s), 0);
	return (uint32_t)t->b.argsets.n - 1;
}

__attribute__((unused)) static struct dv_rule *
rule_add(struct tb *t, unsigned kind, uint32_t probe, uint32_t args)
{
	EXPECT_EQ(dv_vec_push(&t->b.rules, (struct dv_rule){ .kind = kind,
	    .guard = DV_NONE, .raw = DV_NONE, .args = args, .probe = probe }), 0);
	return &t->b.rules.v[t->b.rules.n - 1];
}

/* A site with the last n rules. */
__attribute__((unused)) static uint32_t
site_add(struct tb *t, uint32_t nrule)
{
	uint32_t i = (uint32_t)t->b.sites.n;

	EXPECT_EQ(dv_vec_push(&t->b.sites, (struct dv_site){
	    .addr = DV_SIM_TEXT + i * 16, .rule = (uint32_t)t->b.rules.n - nrule,
	    .nrule = nrule }), 0);
	return i;
}

/* One probe, one site, this clause: the common case. */
__attribute__((unused)) static uint32_t
simple_site(struct tb *t, uint32_t clause)
{
	uint32_t p = probe_add(t, "p", 0);

	ecb_add(t, p, clause);
	(void)rule_add(t, DV_RULE_FIRE, p, argset_add(t));
	return site_add(t, 1);
}

__attribute__((unused)) static int
tb_load(struct tb *t)
{
	struct dv_err err;
	void *blob;
	size_t len;
	int rc;

	t->b.layout = *dv_sim_layout(t->sim);
	EXPECT_EQ(dv_progb_finish(&t->b, &err, &blob, &len), 0);
	rc = dv_sim_load(t->sim, blob, len, &t->why);
	free(blob);
	return rc;
}

__attribute__((unused)) static void
tb_go(struct tb *t)
{
	if (tb_load(t) != 0)
		FAIL("refused: %s", t->why.text);
	dv_sim_go(t->sim);
}

#define EXPECT_REFUSED(t, want)						\
	do {								\
		EXPECT_EQ(tb_load(t), -1);				\
		EXPECT_STREQ((t)->why.text, want);			\
	} while (0)

/* The equation of state.h, and the sum of an ECB's account. */
__attribute__((unused)) static void
expect_account(struct tb *t, uint32_t ecb, struct dv_account *ret)
{
	struct dv_account a;

	EXPECT_EQ(dv_account(dv_sim_state(t->sim), ecb, &a), 0);
	EXPECT_EQ(a.fired, a.recorded + a.norecord + a.dropped + a.faulted + a.speculated +
	    a.spec_dropped + a.spec_refused + a.spec_discarded + a.agg_dropped +
	    a.overwritten + a.after_exit);
	if (ret != NULL)
		*ret = a;
}

#endif
