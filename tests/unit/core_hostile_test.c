/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core_hostile_test.c - threads of a guest that wants to mislead the machine: each
 * variable that looks at the current thread, and what psinfo_t's members are made
 * of, gives a value of its kind or a fault, in bounded time.
 */
#include "core_help.h"

static const uint64_t wild[] = { 0, 1, 8, 0x1000, 0x7ffffffff000, 0x800000000000,
    0xdead000000000100, 0xffff800000000000, 0xffffffffffffffff, 0xfffffffffffffff8,
    0xffffffffffffff00, DV_SIM_PAGE_OFFSET - 8, DV_SIM_PAGE_OFFSET + (4 << 20) - 8,
    DV_SIM_PAGE_OFFSET + (4 << 20), DV_SIM_TEXT + 0xfffc };
#define NWILD	(sizeof(wild) / sizeof(wild[0]))

static const struct { uint32_t id; bool string; } vars[] = {
	{ DIF_VAR_CURTHREAD, false }, { DIF_VAR_IPL, false }, { DIF_VAR_STACKDEPTH, false },
	{ DIF_VAR_CALLER, false }, { DIF_VAR_PID, false }, { DIF_VAR_TID, false },
	{ DIF_VAR_EXECNAME, true }, { DIF_VAR_USTACKDEPTH, false }, { DIF_VAR_UCALLER, false },
	{ DIF_VAR_PPID, false }, { DIF_VAR_UID, false }, { DIF_VAR_GID, false },
	{ DIF_VAR_CPU, false }, { DIF_VAR_VTIMESTAMP, false },
};
#define NVARS	(sizeof(vars) / sizeof(vars[0]))

/* All variables, each in a clause of its own, and a thread-local one. */
static void
look_at_all(struct tb *t)
{
	uint32_t p, i, args;
	uint16_t self;

	tb_init(t, 1);
	self = var_add(t, DV_VS_TLS, 0, DV_T_INT, 8, 0);
	p = probe_add(t, "p", 0);
	for (i = 0; i < NVARS; i++) {
		struct dv_act *a;

		clause_begin(t, DV_NONE);
		a = act_rec(t, DV_ACT_TRACE, difo_var(t, vars[i].id),
		    vars[i].string ? DV_T_STRING : DV_T_INT, vars[i].string ? 256 : 8);
		a->rec.flags = vars[i].string ? DV_TF_BYREF : 0;
		ecb_add(t, p, clause_end(t, 0));
	}
	difo_begin(t);
	in_int(t, 1, 1);
	in(t, IW(STTS, self, 1));
	in(t, IRET(1));
	clause_begin(t, DV_NONE);
	act_trace(t, difo_end(t));
	ecb_add(t, p, clause_end(t, 0));
	args = argset_add(t);
	(void)rule_add(t, DV_RULE_FIRE, p, args);
	(void)site_add(t, 1);
	(void)dv_sim_task(t->sim, 0, 0, "swapper", 0);
	tb_go(t);
}

/* Hits, and looks whether every clause has recorded or faulted, and names are short. */
static void
hit(struct tb *t)
{
	struct dv_snap snap;
	const uint8_t *p;
	uint64_t off, size;
	uint32_t i;

	dv_sim_hit(t->sim, 0, 0);
	for (i = 0; i <= NVARS; i++)
		expect_account(t, i, NULL);
	p = dv_sim_snap(t->sim, 0, DV_BUF_PRINCIPAL, &snap);
	for (off = 0; off < snap.len; off += size) {
		const struct dv_rec *r = (const void *)(p + off);

		if (r->epid == DV_EPID_FAULT) {
			size = sizeof(struct dv_fault_rec);
			continue;
		}
		EXPECT(r->epid >= 1 && r->epid <= NVARS + 1);
		size = 16 + ((t->b.clauses.v[r->epid - 1].record_size + 7) & ~7u);
		if (r->epid <= NVARS && vars[r->epid - 1].string)
			EXPECT(strnlen((const char *)(r + 1), 256) < 16);
	}
}

TEST(wild_threads)
{
	struct tb t;
	size_t i;

	look_at_all(&t);
	for (i = 0; i < NWILD; i++) {
		dv_sim_current(t.sim, 0, wild[i]);
		dv_sim_reg(t.sim, 0)[DV_REG_RSP] = wild[NWILD - 1 - i];
		dv_sim_reg(t.sim, 0)[DV_REG_RBP] = wild[i];
		hit(&t);
	}
	tb_fini(&t);
}

static uint64_t
dice(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return *seed >> 33;
}

/*
 * Threads whose every word is wild, or leads to the thread itself: a parent that is
 * its own child, a stack in its own middle, a name that does not end.
 */
TEST(threads_of_wild_words)
{
	uint64_t task, seed = 1, v;
	struct tb t;
	unsigned n, i;

	look_at_all(&t);
	for (n = 0; n < 200; n++) {
		task = dv_sim_task(t.sim, 7, 7, "name", 0);
		for (i = 0; i < 2048 / 8; i++) {
			v = dice(&seed) % 3 == 0 ? wild[dice(&seed) % NWILD] :
			    dice(&seed) % 2 == 0 ? task + 8 * (dice(&seed) % 256) :
			    0x1b1b1b1b1b1b1b1bull;
			dv_sim_write64(t.sim, task + 8 * i, v);
		}
		dv_sim_current(t.sim, 0, task);
		dv_sim_reg(t.sim, 0)[DV_REG_RSP] = task + 8 * (dice(&seed) % 256);
		dv_sim_reg(t.sim, 0)[DV_REG_RBP] = task + 8 * (dice(&seed) % 256);
		hit(&t);
	}
	tb_fini(&t);
}

/* A name of 16 bytes without an end is cut where the array ends. */
TEST(names_without_an_end)
{
	const struct dv_rec *r;
	struct dv_snap snap;
	uint64_t task;
	struct tb t;

	look_at_all(&t);
	task = dv_sim_task(t.sim, 7, 7, "name", 0);
	dv_sim_write(t.sim, 0, task + dv_sim_layout(t.sim)->task_comm,
	    "\033[31mabcdefghijklmnop", 20);
	dv_sim_current(t.sim, 0, task);
	dv_sim_hit(t.sim, 0, 0);
	r = (const void *)dv_sim_snap(t.sim, 0, DV_BUF_PRINCIPAL, &snap);
	while (r->epid != 7)			/* execname's */
		r = (const void *)((const uint8_t *)r + (r->epid == DV_EPID_FAULT ?
		    sizeof(struct dv_fault_rec) : 16 + 8));
	EXPECT_STREQ((const char *)(r + 1), "\033[31mabcdefghij");
	tb_fini(&t);
}

/* pr_psargs of arguments that have any length, and are anywhere. */
TEST(arguments_of_any_length)
{
	static const uint64_t lens[] = { 0, 1, 79, 80, 4096, 1 << 20, 1ull << 32, 1ull << 63,
	    ~0ull };
	struct dv_act *a;
	struct tb t;
	size_t i, j;

	tb_init(&t, 1);
	difo_begin(&t);				/* copyin(arg0, arg1) */
	in(&t, IW(LDGS, DIF_VAR_ARG0, 1));
	in(&t, IW(LDGS, DIF_VAR_ARG1, 2));
	in(&t, I3(PUSHTV, DV_T_INT, 0, 1));
	in(&t, I3(PUSHTV, DV_T_INT, 0, 2));
	in(&t, IW(CALL, DIF_SUBR_COPYIN, 3));
	in(&t, IRET(3));
	clause_begin(&t, DV_NONE);
	a = act_rec(&t, DV_ACT_TRACE, difo_end(&t), DV_T_STRING, 256);
	a->rec.flags = DV_TF_BYREF;
	(void)simple_site(&t, clause_end(&t, 0));
	(void)dv_sim_mm(t.sim, dv_sim_task(t.sim, 0, 0, "init", 0));
	tb_go(&t);
	for (i = 0; i < NWILD; i++)
		for (j = 0; j < sizeof(lens) / sizeof(lens[0]); j++) {
			dv_sim_reg(t.sim, 0)[DV_REG_RDI] = wild[i];
			dv_sim_reg(t.sim, 0)[DV_REG_RSI] = lens[j];
			dv_sim_hit(t.sim, 0, 0);
			expect_account(&t, 0, NULL);
		}
	tb_fini(&t);
}

TEST_MAIN()
