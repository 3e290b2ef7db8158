/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_vtime_test.c - vtimestamp counts what a thread ran; uregs[] what it left. */
#include "core_help.h"

#include "core/vtime.h"

#define RUNTIME	0xd0			/* of sim's task_struct */

struct vt {
	struct tb t;
	uint64_t task[3];
	uint64_t now;
};

/* Site 0: trace(vtimestamp); site 1: the switch; site 2: chill(arg0). */
static void
vt_begin(struct vt *v)
{
	struct tb *t = &v->t;

	tb_init(t, 2);
	t->b.opts[DV_OPT_DESTRUCTIVE] = 1;
	for (unsigned i = 0; i < 3; i++) {
		v->task[i] = dv_sim_task(t->sim, 10 + i, 10 + i, "t", 0);
		dv_sim_write64(t->sim, v->task[i] + RUNTIME, 1000 * (i + 1));
	}
	dv_sim_current(t->sim, 0, v->task[0]);
	dv_sim_current(t->sim, 1, v->task[2]);
	clause_begin(t, DV_NONE);
	act_trace(t, difo_var(t, DIF_VAR_VTIMESTAMP));
	simple_site(t, clause_end(t, 0));
	rule_add(t, DV_RULE_SWITCH, DV_NONE, DV_NONE)->raw = argset_add(t);
	site_add(t, 1);
	clause_begin(t, DV_NONE);
	act_add(t, DV_ACT_CHILL, difo_var(t, DIF_VAR_ARG0));
	simple_site(t, clause_end(t, DV_CL_NOREC | DV_CL_DESTRUCTIVE));
	tb_go(t);
	v->now = 1000000;
	dv_sim_clock(t->sim, v->now);
}

static void
pass(struct vt *v, uint64_t ns)
{
	v->now += ns;
	dv_sim_clock(v->t.sim, v->now);
}

static uint64_t
vtime(struct vt *v, unsigned vcpu)
{
	const struct dv_rec *r;
	struct dv_snap snap;
	uint64_t val;

	dv_sim_hit(v->t.sim, vcpu, 0);
	r = (const struct dv_rec *)dv_sim_snap(v->t.sim, vcpu, DV_BUF_PRINCIPAL, &snap);
	EXPECT(r != NULL && snap.len == 24);
	memcpy(&val, r + 1, 8);
	return val;
}

static void
change(struct vt *v, unsigned vcpu, unsigned from, unsigned to)
{
	uint64_t *reg = dv_sim_reg(v->t.sim, vcpu);

	reg[DV_REG_RDI] = v->task[from];
	reg[DV_REG_RSI] = v->task[to];
	dv_sim_hit(v->t.sim, vcpu, 1);
	dv_sim_current(v->t.sim, vcpu, v->task[to]);
}

TEST(time_on_the_cpu_alone_counts)
{
	struct vt v;

	vt_begin(&v);
	EXPECT_EQ(vtime(&v, 0), 1000);		/* the guest's own sum */
	pass(&v, 50);
	EXPECT_EQ(vtime(&v, 0), 1050);
	pass(&v, 10);
	change(&v, 0, 0, 1);
	EXPECT_EQ(vtime(&v, 0), 2000);
	pass(&v, 7);
	EXPECT_EQ(vtime(&v, 0), 2007);
	change(&v, 0, 1, 0);
	EXPECT_EQ(vtime(&v, 0), 1060);		/* while it was off nothing passed */
	tb_fini(&v.t);
}

/* The guest's sum is asked for once: later ones contain what probes took. */
TEST(a_thread_that_migrates_takes_its_time_along)
{
	struct vt v;

	vt_begin(&v);
	change(&v, 0, 0, 1);
	pass(&v, 100);
	change(&v, 0, 1, 0);
	dv_sim_write64(v.t.sim, v.task[1] + RUNTIME, 999999);
	change(&v, 1, 2, 1);
	EXPECT_EQ(vtime(&v, 1), 2100);
	tb_fini(&v.t);
}

TEST(a_new_thread_at_the_same_place_begins_anew)
{
	struct vt v;

	vt_begin(&v);
	change(&v, 0, 0, 1);
	pass(&v, 100);
	change(&v, 0, 1, 0);
	dv_sim_write64(v.t.sim, v.task[1] + 0x90, 77);		/* start_boottime */
	dv_sim_write64(v.t.sim, v.task[1] + RUNTIME, 5);
	change(&v, 0, 0, 1);
	EXPECT_EQ(vtime(&v, 0), 5);
	tb_fini(&v.t);
}

TEST(time_in_probes_is_taken_off)
{
	struct vt v;

	vt_begin(&v);
	EXPECT_EQ(vtime(&v, 0), 1000);
	dv_sim_reg(v.t.sim, 0)[DV_REG_RDI] = 4000;
	dv_sim_hit(v.t.sim, 0, 2);		/* the sim's clock goes on by that */
	v.now += 4000;
	EXPECT_EQ(vtime(&v, 0), 1000);
	pass(&v, 3);
	EXPECT_EQ(vtime(&v, 0), 1003);
	change(&v, 0, 0, 1);
	change(&v, 0, 1, 0);
	EXPECT_EQ(vtime(&v, 0), 1003);
	tb_fini(&v.t);
}

/* More threads than places: memory is bounded, and those that live go on. */
TEST(many_threads)
{
	struct vt v;
	uint64_t sum;

	vt_begin(&v);
	change(&v, 0, 0, 1);
	pass(&v, 100);
	for (unsigned i = 0; i < 3 * DV_VTIME_N; i++) {
		v.task[2] = 0xffff900000000000ull + i * 64;	/* not even mapped */
		change(&v, 0, 1, 2);
		change(&v, 0, 2, 1);
	}
	sum = vtime(&v, 0);
	EXPECT_EQ(sum, 2100);
	tb_fini(&v.t);
}

static uint32_t
difo_ureg(struct tb *t)
{
	difo_begin(t);
	in(t, IW(LDGS, DIF_VAR_ARG0, 1));
	in(t, I3(LDGA, DIF_VAR_UREGS, 1, 2));
	in(t, IRET(2));
	return difo_end(t);
}

TEST(uregs_are_those_at_the_top_of_the_stack)
{
	struct dv_account a;
	struct dv_snap snap;
	const uint8_t *p;
	uint64_t task, kernel, stack, val;
	struct tb t;

	tb_init(&t, 1);
	task = dv_sim_task(t.sim, 42, 42, "sh", 0);
	kernel = dv_sim_task(t.sim, 2, 2, "kthreadd", 0);
	dv_sim_mm(t.sim, task);
	stack = dv_sim_alloc(t.sim, 16384);
	dv_sim_write64(t.sim, task + 0xc8, stack);
	for (unsigned i = 0; i < 21; i++)
		dv_sim_write64(t.sim, stack + 16384 - 168 + 8 * i, 100 + i);
	dv_sim_current(t.sim, 0, task);
	clause_begin(&t, DV_NONE);
	act_trace(&t, difo_ureg(&t));
	simple_site(&t, clause_end(&t, 0));
	tb_go(&t);
	for (unsigned i = 0; i < 21; i++) {
		dv_sim_reg(t.sim, 0)[DV_REG_RDI] = i;
		dv_sim_hit(t.sim, 0, 0);
	}
	p = dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap);
	EXPECT(p != NULL && snap.len == 21 * 24);
	for (unsigned i = 0; i < 21; i++) {
		memcpy(&val, p + 24 * i + 16, 8);
		EXPECT_EQ(val, 100 + i);
	}
	dv_sim_reg(t.sim, 0)[DV_REG_RDI] = 21;
	dv_sim_hit(t.sim, 0, 0);
	dv_sim_reg(t.sim, 0)[DV_REG_RDI] = 0;
	dv_sim_current(t.sim, 0, kernel);
	dv_sim_hit(t.sim, 0, 0);
	expect_account(&t, 0, &a);
	EXPECT_EQ(a.faulted, 2);
	tb_fini(&t);
}

TEST(uregs_in_user_mode_are_those_of_the_processor)
{
	static const struct { unsigned n, reg; uint64_t val; } want[] = {
		{ 3, DV_REG_R12, 0x1212 }, { 4, DV_REG_RBP, 0x4444 }, { 10, DV_REG_RAX, 0xaaaa },
		{ 17, DV_REG_CS, 0x33 }, { 18, DV_REG_RFLAGS, 0x246 }, { 19, DV_REG_RSP, 0x7777 },
		{ 15, DV_NREG, 115 }, { 20, DV_NREG, 120 },	/* these it has not */
	};
	enum { N = sizeof(want) / sizeof(want[0]) };
	struct dv_snap snap;
	const uint8_t *p;
	uint64_t task, stack, val;
	struct tb t;

	tb_init(&t, 1);
	task = dv_sim_task(t.sim, 42, 42, "sh", 0);
	dv_sim_mm(t.sim, task);
	stack = dv_sim_alloc(t.sim, 16384);
	dv_sim_write64(t.sim, task + 0xc8, stack);
	for (unsigned i = 0; i < 21; i++)
		dv_sim_write64(t.sim, stack + 16384 - 168 + 8 * i, 100 + i);
	dv_sim_current(t.sim, 0, task);
	dv_sim_reg(t.sim, 0)[DV_REG_KERNEL_GS_BASE] = dv_sim_layout(t.sim)->pcpu_base[0];
	clause_begin(&t, DV_NONE);
	act_trace(&t, difo_ureg(&t));
	simple_site(&t, clause_end(&t, 0));
	tb_go(&t);
	for (unsigned i = 0; i < N; i++)
		if (want[i].reg != DV_NREG)
			dv_sim_reg(t.sim, 0)[want[i].reg] = want[i].val;
	for (unsigned i = 0; i < N; i++) {
		dv_sim_reg(t.sim, 0)[DV_REG_RDI] = want[i].n;
		dv_sim_hit(t.sim, 0, 0);
	}
	p = dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap);
	EXPECT(p != NULL && snap.len == N * 24);
	for (unsigned i = 0; i < N; i++) {
		memcpy(&val, p + 24 * i + 16, 8);
		EXPECT_EQ(val, want[i].val);
	}
	tb_fini(&t);
}

TEST_MAIN()
