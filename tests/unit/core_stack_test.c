/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_stack_test.c - stacks are walked as the guest's tables say, and all of them end. */
#include "core_help.h"

#include "core/stack.h"

#define T(off)		(DV_SIM_TEXT + (off))
#define TABLES		(DV_SIM_TEXT + 0x1000000ull)	/* near the text: offsets have 32 bits */
#define STACK		0xffffc90000000000ull
#define PAGES		8u
#define NPC		16u

enum { UNDEF, PREV_SP, DX, DI, BP, SP, R10, R13, BP_IND, SP_IND };
enum { CALL, REGS, PARTIAL };

struct orc { uint64_t at; int sp_off, bp_off; unsigned sp_reg, bp_reg, type, end; };

struct st {
	struct tb t;
	struct dv_unwind *u;
	uint64_t task, ustack_root;
	uint32_t site;
	uint64_t pc[NPC];
	uint64_t depth, caller, udepth, ucaller;
	uint64_t upid, upc[NPC];
};

static void
map_pages(struct st *s, uint64_t va, unsigned n)
{
	for (; n > 0; n--, va += 4096)
		dv_sim_map(s->t.sim, 0, va, dv_sim_page(s->t.sim));
}

static void
put32(struct st *s, uint64_t at, uint32_t v)
{
	dv_sim_write(s->t.sim, 0, at, &v, 4);
}

static void
put64(struct st *s, uint64_t at, uint64_t v)
{
	dv_sim_write64(s->t.sim, at, v);
}

/* Writes a table as 6.1 has it at `at`; the entries follow. */
static void
put_orc(struct st *s, struct dv_orctab *t, uint64_t at, const struct orc *o, uint32_t n)
{
	uint32_t i;

	*t = (struct dv_orctab){ .ip = at, .entry = at + 4 * (uint64_t)n, .n = n };
	for (i = 0; i < n; i++) {
		uint16_t w[3] = { (uint16_t)o[i].sp_off, (uint16_t)o[i].bp_off,
		    (uint16_t)(o[i].sp_reg | o[i].bp_reg << 4 | o[i].type << 8 | o[i].end << 10) };

		put32(s, at + 4 * (uint64_t)i, (uint32_t)(o[i].at - (at + 4 * (uint64_t)i)));
		dv_sim_write(s->t.sim, 0, t->entry + 6 * (uint64_t)i, w, sizeof(w));
	}
}

static void
st_init(struct st *s)
{
	static const uint32_t vars[] = { DIF_VAR_STACKDEPTH, DIF_VAR_CALLER, DIF_VAR_USTACKDEPTH,
	    DIF_VAR_UCALLER };
	uint32_t c, i;

	memset(s, 0, sizeof(*s));
	tb_init(&s->t, 2);
	s->task = dv_sim_task(s->t.sim, 42, 40, "sh", 0);
	dv_sim_current(s->t.sim, 0, s->task);
	dv_sim_current(s->t.sim, 1, s->task);
	map_pages(s, TABLES, PAGES);
	map_pages(s, STACK, PAGES);
	s->u = &s->t.b.unwind;
	*s->u = (struct dv_unwind){ .kind = DV_UNWIND_ORC, .entry_size = 6,
	    .sp_offset = { 0, 16 }, .bp_offset = { 16, 16 }, .sp_reg = { 32, 4 },
	    .bp_reg = { 36, 4 }, .type = { 40, 2 }, .end = { 42, 1 },
	    .reg = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 },
	    .mod_list = DV_NO_OFF, .mod_orcs = DV_NO_OFF, .task_rethooks = DV_NO_OFF,
	    .task_graph = DV_NO_OFF };
	clause_begin(&s->t, DV_NONE);
	(void)act_rec(&s->t, DV_ACT_STACK, DV_NONE, DV_T_STACK, 8 * NPC);
	for (i = 0; i < 2; i++)
		act_trace(&s->t, difo_var(&s->t, vars[i]));
	c = clause_end(&s->t, 0);
	s->site = simple_site(&s->t, c);
	/* clauses of their own: a bad stack drops their record alone */
	for (i = 2; i < 4; i++) {
		clause_begin(&s->t, DV_NONE);
		act_trace(&s->t, difo_var(&s->t, vars[i]));
		ecb_add(&s->t, 0, clause_end(&s->t, 0));
	}
	clause_begin(&s->t, DV_NONE);
	(void)act_rec(&s->t, DV_ACT_USTACK, DV_NONE, DV_T_USTACK, 8 + 8 * NPC);
	ecb_add(&s->t, 0, clause_end(&s->t, 0));
}

static void
st_fini(struct st *s)
{
	tb_fini(&s->t);
}

/* Hits the site with these registers; what was recorded goes into s. */
static void
st_hit(struct st *s, unsigned vcpu, uint64_t ip, uint64_t sp, uint64_t bp)
{
	uint64_t *r = dv_sim_reg(s->t.sim, vcpu);
	const uint8_t *p, *end;
	struct dv_snap snap;
	struct dv_rec rec;

	r[DV_REG_RSP] = sp;
	r[DV_REG_RBP] = bp;
	s->t.b.sites.v[0].addr = ip;
	if (dv_sim_state(s->t.sim) == NULL)
		tb_go(&s->t);
	dv_sim_hit(s->t.sim, vcpu, s->site);
	p = dv_sim_snap(s->t.sim, vcpu, DV_BUF_PRINCIPAL, &snap);
	memset(s->pc, 0xff, sizeof(s->pc));
	memset(s->upc, 0xff, sizeof(s->upc));
	s->udepth = s->ucaller = ~0ull;
	for (end = p + snap.len; p < end;) {
		memcpy(&rec, p, sizeof(rec));
		p += sizeof(rec);
		switch (rec.epid) {
		case 1:
			memcpy(s->pc, p, sizeof(s->pc));
			memcpy(&s->depth, p + sizeof(s->pc), 8);
			memcpy(&s->caller, p + sizeof(s->pc) + 8, 8);
			p += sizeof(s->pc) + 16;
			break;
		case 2:
		case 3:
			memcpy(rec.epid == 2 ? &s->udepth : &s->ucaller, p, 8);
			p += 8;
			break;
		case 4:
			memcpy(&s->upid, p, 8);
			memcpy(s->upc, p + 8, sizeof(s->upc));
			p += 8 + sizeof(s->upc);
			break;
		default:
			p += sizeof(struct dv_fault_rec) - sizeof(rec);
		}
	}
}

static void
st_anew(struct st *s)
{
	dv_sim_unload(s->t.sim);
}

#define EXPECT_PCS(s, ...)						\
	do {								\
		const uint64_t want_[] = { __VA_ARGS__ };		\
		size_t n_ = sizeof(want_) / 8, i_;			\
									\
		for (i_ = 0; i_ < n_; i_++)				\
			EXPECT_EQ((s)->pc[i_], want_[i_]);		\
		EXPECT_EQ((s)->pc[n_], 0);				\
		EXPECT_EQ((s)->depth, n_);				\
		EXPECT_EQ((s)->caller, n_ > 1 ? want_[1] : 0);		\
	} while (0)

/* a at 0x1000 <- b at 0x1100 <- c at 0x1200, where stacks begin */
static const struct orc plain[] = {
	{ T(0x1000), 8, 0, SP, UNDEF, CALL, 0 },	/* a: before its push */
	{ T(0x1001), 16, -16, SP, PREV_SP, CALL, 0 },
	{ T(0x1100), 8, 0, SP, UNDEF, CALL, 0 },
	{ T(0x1101), 16, -16, SP, PREV_SP, CALL, 0 },
	{ T(0x1104), 16, -16, BP, PREV_SP, CALL, 0 },
	{ T(0x1200), 32, 0, SP, UNDEF, CALL, 0 },
	{ T(0x1300), 0, 0, UNDEF, UNDEF, CALL, 1 },	/* the end */
	{ T(0x1400), 0, 0, SP, UNDEF, REGS, 0 },
	{ T(0x1500), 0, 0, SP, UNDEF, PARTIAL, 0 },
	{ T(0x1600), 8, 0, SP_IND, UNDEF, CALL, 0 },
	{ T(0x1700), 0, 0, UNDEF, UNDEF, CALL, 0 },	/* cannot be told */
	{ T(0x1800), 0, 0, R10, UNDEF, CALL, 0 },
};
#define NPLAIN (sizeof(plain) / sizeof(plain[0]))

TEST(frames_are_found_by_the_stack_and_the_frame_pointer)
{
	struct st s;

	st_init(&s);
	put_orc(&s, &s.u->orc, TABLES, plain, NPLAIN);
	/* in a after its push; b keeps its frame by %rbp, which a has saved */
	put64(&s, STACK + 0x100, STACK + 0x180);	/* b's %rbp */
	put64(&s, STACK + 0x108, T(0x1150));		/* into b */
	put64(&s, STACK + 0x180, 0);
	put64(&s, STACK + 0x188, T(0x1250));		/* into c */
	put64(&s, STACK + 0x1a8, T(0x1310));
	st_hit(&s, 0, T(0x1010), STACK + 0x100, 0x1234);
	EXPECT_PCS(&s, T(0x1010), T(0x1150), T(0x1250), T(0x1310));
	st_hit(&s, 1, T(0x1010), STACK + 0x100, 0x1234);	/* RAM at hand; entries kept */
	EXPECT_PCS(&s, T(0x1010), T(0x1150), T(0x1250), T(0x1310));
	st_anew(&s);
	/* at its first instruction */
	put64(&s, STACK + 0x0f8, T(0x1150));
	st_hit(&s, 0, T(0x1000), STACK + 0x0f8, STACK + 0x180);
	EXPECT_PCS(&s, T(0x1000), T(0x1150), T(0x1250), T(0x1310));
	st_fini(&s);
}

/* A call may be a function's last instruction: what follows is another one's. */
TEST(a_return_address_belongs_to_the_call_before_it)
{
	struct st s;

	st_init(&s);
	put_orc(&s, &s.u->orc, TABLES, plain, NPLAIN);
	put64(&s, STACK + 0x100, T(0x1300));		/* called at c's end */
	put64(&s, STACK + 0x108 + 24, T(0x1310));
	st_hit(&s, 0, T(0x1000), STACK + 0x100, 0);
	EXPECT_PCS(&s, T(0x1000), T(0x1300), T(0x1310));
	st_fini(&s);
}

static void
put_regs(struct st *s, uint64_t at, uint64_t ip, uint64_t cs, uint64_t sp, uint64_t bp)
{
	put64(s, at + 32, bp);
	put64(s, at + 128, ip);
	put64(s, at + 136, cs);
	put64(s, at + 152, sp);
}

TEST(an_interrupt_leads_to_what_it_interrupted)
{
	struct st s;

	st_init(&s);
	put_orc(&s, &s.u->orc, TABLES, plain, NPLAIN);
	/* a, called by an entry with whole pt_regs, on top of b's first instruction */
	put64(&s, STACK + 0x100, T(0x1410));
	put_regs(&s, STACK + 0x108, T(0x1100), 0x10, STACK + 0x4000, 0x77);
	put64(&s, STACK + 0x4000, T(0x1410));
	put_regs(&s, STACK + 0x4008, T(0x1104), 0x10, STACK + 0x4200, STACK + 0x4200);
	put64(&s, STACK + 0x4208, T(0x1510));		/* an entry with only a few */
	put64(&s, STACK + 0x4210, 0x401000);
	put64(&s, STACK + 0x4218, 0x33);		/* from user mode */
	st_hit(&s, 0, T(0x1000), STACK + 0x100, 0);
	EXPECT_PCS(&s, T(0x1000), T(0x1410), T(0x1100), T(0x1410), T(0x1104), T(0x1510));
	st_fini(&s);
}

TEST(a_stack_may_change_and_registers_may_hold_its_end)
{
	struct st s;

	st_init(&s);
	put_orc(&s, &s.u->orc, TABLES, plain, NPLAIN);
	put64(&s, STACK + 0x5100, T(0x1610));		/* on another stack */
	put64(&s, STACK + 0x5108, STACK + 0x200);	/* where the old one goes on */
	put64(&s, STACK + 0x200, T(0x1310));
	st_hit(&s, 0, T(0x1000), STACK + 0x5100, 0);
	EXPECT_PCS(&s, T(0x1000), T(0x1610), T(0x1310));
	st_anew(&s);
	s.u->flags = DV_UW_ADD_FIRST;
	put64(&s, STACK + 0x5110, STACK + 0x308);
	put64(&s, STACK + 0x300, T(0x1320));
	st_hit(&s, 0, T(0x1000), STACK + 0x5100, 0);
	EXPECT_PCS(&s, T(0x1000), T(0x1610), T(0x1320));
	st_anew(&s);
	dv_sim_reg(s.t.sim, 0)[DV_REG_R10] = STACK + 0x308;
	st_hit(&s, 0, T(0x1800), STACK + 0x5100, 0);
	EXPECT_PCS(&s, T(0x1800), T(0x1320));
	st_fini(&s);
}

/* The numbers of later kernels: 0 undefined, 1 end, and a bit for signal. */
TEST(later_kernels_number_types_from_2)
{
	static const struct orc o[] = {
		{ T(0x1000), 8, 0, SP, UNDEF, 2, 0 },
		{ T(0x1100), 8, 0, SP, UNDEF, 2, 2 },	/* signal: bit 3 of the type's byte */
		{ T(0x1200), 8, 0, SP, UNDEF, 2, 0 },
		{ T(0x1300), 0, 0, SP, UNDEF, 1, 0 },
		{ T(0x1400), 0, 0, SP, UNDEF, 0, 0 },
	};
	struct st s;

	st_init(&s);
	s.u->flags = DV_UW_TYPES_FROM_2;
	s.u->end.bits = 0;
	s.u->type = (struct dv_bits){ 40, 3 };
	s.u->signal = (struct dv_bits){ 43, 1 };
	put_orc(&s, &s.u->orc, TABLES, o, 5);
	put64(&s, STACK + 0x100, T(0x1180));
	put64(&s, STACK + 0x108, T(0x1300));	/* as it is: the end, not c's last */
	st_hit(&s, 0, T(0x1000), STACK + 0x100, 0);
	EXPECT_PCS(&s, T(0x1000), T(0x1180), T(0x1300));
	st_anew(&s);
	put64(&s, STACK + 0x100, T(0x1480));
	st_hit(&s, 0, T(0x1000), STACK + 0x100, 0);
	EXPECT_PCS(&s, T(0x1000), T(0x1480));
	st_fini(&s);
}

TEST(the_table_of_blocks_is_used_when_it_fits)
{
	uint64_t look = TABLES + 0x2000;
	struct st s;
	uint32_t i, j;
	int round;

	st_init(&s);
	put_orc(&s, &s.u->orc, TABLES, plain, NPLAIN);
	s.u->lookup = look;
	s.u->nlookup = 258;
	s.u->block_shift = 8;
	put64(&s, STACK + 0x100, T(0x1210));
	put64(&s, STACK + 0x120, T(0x1310));
	for (round = 0; round < 4; round++) {
		for (i = 0; i < 258; i++) {
			for (j = 0; j + 1 < NPLAIN && plain[j + 1].at <= T(i * 256); j++)
				;
			/* right; empty; wrong in order; wild */
			put32(&s, look + 4 * i, round == 0 ? j : round == 1 ? 0 :
			    round == 2 ? (uint32_t)(i * 7 % NPLAIN) : ~i);
		}
		st_hit(&s, 0, T(0x1000), STACK + 0x100, 0);
		EXPECT_PCS(&s, T(0x1000), T(0x1210), T(0x1310));
		st_anew(&s);
	}
	st_fini(&s);
}

#define MODTEXT		(DV_SIM_TEXT + 0x40000000ull)

TEST(modules_bring_their_own_tables)
{
	static const struct orc o[] = { { MODTEXT, 24, 0, SP, UNDEF, CALL, 0 } };
	uint64_t mod, head;
	struct dv_orctab t;
	struct st s;

	st_init(&s);
	put_orc(&s, &s.u->orc, TABLES, plain, NPLAIN);
	s.u->mod_low = MODTEXT - 0x1000000;
	mod = dv_sim_alloc(s.t.sim, 64);
	head = dv_sim_alloc(s.t.sim, 16);
	map_pages(&s, MODTEXT + 0x10000, 1);
	put_orc(&s, &t, MODTEXT + 0x10000, o, 1);
	s.u->modules = head;
	s.u->mod_list = 8;
	s.u->mod_text = 24;
	s.u->mod_text_size = 32;
	s.u->mod_orcs = 36;
	s.u->mod_orc_ip = 40;
	s.u->mod_orc_entry = 48;
	put64(&s, head, mod + 8);
	put64(&s, mod + 8, head);
	put64(&s, mod + 24, MODTEXT);
	put32(&s, mod + 32, 0x1000);
	put32(&s, mod + 36, 1);
	put64(&s, mod + 40, t.ip);
	put64(&s, mod + 48, t.entry);
	put64(&s, STACK + 0x100, MODTEXT + 0x500);
	put64(&s, STACK + 0x118, T(0x1310));
	st_hit(&s, 0, T(0x1000), STACK + 0x100, 0);
	EXPECT_PCS(&s, T(0x1000), MODTEXT + 0x500, T(0x1310));
	st_anew(&s);
	/* a list that does not end, and no module for the address */
	put64(&s, mod + 8, mod + 8);
	put64(&s, STACK + 0x100, MODTEXT + 0x5500);
	st_hit(&s, 0, T(0x1000), STACK + 0x100, 0);
	EXPECT_PCS(&s, T(0x1000), MODTEXT + 0x5500);
	st_fini(&s);
}

/* A list of modules without an end, walked anew for each of many frames. */
TEST(all_stacks_of_a_hit_have_one_budget)
{
	uint64_t mod, i;
	struct st s;

	st_init(&s);
	put_orc(&s, &s.u->orc, TABLES, plain, NPLAIN);
	s.u->mod_low = MODTEXT;
	mod = dv_sim_alloc(s.t.sim, 64);
	s.u->modules = dv_sim_alloc(s.t.sim, 16);
	s.u->mod_list = 8;
	s.u->mod_text = 24;
	s.u->mod_text_size = 32;
	put64(&s, s.u->modules, mod + 8);
	put64(&s, mod + 8, mod + 8);
	for (i = 0; i < 500; i++) {
		put64(&s, STACK + 32 * i, STACK + 32 * (i + 1));
		put64(&s, STACK + 32 * i + 8, MODTEXT + 0x500);
	}
	st_hit(&s, 0, MODTEXT + 0x500, STACK, STACK);
	for (i = 0; i < NPC && s.pc[i] != 0; i++)
		EXPECT_EQ(s.pc[i], MODTEXT + 0x500);
	EXPECT(i > 2 && i < NPC);
	EXPECT_EQ(s.depth, 1);			/* that was all of it */
	st_anew(&s);
	/* the next hit has its own */
	put64(&s, STACK + 0x100, T(0x1250));
	put64(&s, STACK + 0x108 + 24, T(0x1310));
	st_hit(&s, 0, T(0x1000), STACK + 0x100, 0);
	EXPECT_PCS(&s, T(0x1000), T(0x1250), T(0x1310));
	st_fini(&s);
}

/* Code of no table may keep frame pointers. */
TEST(code_made_at_run_time_is_walked_by_frame_pointers)
{
	struct st s;

	st_init(&s);
	put_orc(&s, &s.u->orc, TABLES, plain, NPLAIN);
	s.u->mod_low = MODTEXT;
	put64(&s, STACK + 0x100, MODTEXT + 0x500);
	put64(&s, STACK + 0x200, 0);
	put64(&s, STACK + 0x208, T(0x1310));
	st_hit(&s, 0, T(0x1000), STACK + 0x100, STACK + 0x200);
	EXPECT_PCS(&s, T(0x1000), MODTEXT + 0x500, T(0x1310));
	st_fini(&s);
}

TEST(replaced_return_addresses_are_undone)
{
	uint64_t slot = STACK + 0x100, ret_stack, node;
	struct st s;

	st_init(&s);
	put_orc(&s, &s.u->orc, TABLES, plain, NPLAIN);
	s.u->graph_ret = T(0x1700);
	s.u->kretprobe_ret = T(0x1710);
	s.u->task_graph = 0xd0;
	s.u->task_graph_cur = 0xd8;
	s.u->graph_size = 32;
	s.u->graph_ret_off = 0;
	s.u->graph_retp = 24;
	s.u->task_rethooks = 0xe0;
	s.u->rethook_llist = 16;
	s.u->rethook_ret = 32;
	s.u->rethook_frame = 40;
	ret_stack = dv_sim_alloc(s.t.sim, 1024);
	node = dv_sim_alloc(s.t.sim, 64);
	put64(&s, s.task + 0xd0, ret_stack);
	put32(&s, s.task + 0xd8, 9);			/* ten are in use */
	put64(&s, ret_stack + 3 * 32, T(0x1999));	/* of the same place, older */
	put64(&s, ret_stack + 3 * 32 + 24, slot);
	put64(&s, ret_stack + 8 * 32, T(0x1710));
	put64(&s, ret_stack + 8 * 32 + 24, slot);
	put64(&s, s.task + 0xe0, node + 16);
	put64(&s, node + 16, 0);
	put64(&s, node + 32, T(0x1310));
	put64(&s, node + 40, slot);
	put64(&s, slot, T(0x1700));
	st_hit(&s, 0, T(0x1000), slot, 0);
	EXPECT_PCS(&s, T(0x1000), T(0x1310));
	st_anew(&s);
	put64(&s, node + 40, slot + 8);			/* not ours, and a list that does not end */
	put64(&s, node + 16, node + 16);
	st_hit(&s, 0, T(0x1000), slot, 0);
	EXPECT_PCS(&s, T(0x1000), T(0x1710));
	st_fini(&s);
}

TEST(a_kernel_with_frame_pointers)
{
	struct st s;

	st_init(&s);
	s.u->kind = DV_UNWIND_FP;
	/* in the body of a function, an interrupt's marked pt_regs, another one */
	put64(&s, STACK + 0x100, (STACK + 0x200) | 1);
	put64(&s, STACK + 0x108, T(0x1100));
	put_regs(&s, STACK + 0x200, T(0x1200), 0x10, STACK + 0x300, STACK + 0x340);
	put64(&s, STACK + 0x340, 0);
	put64(&s, STACK + 0x348, T(0x1300));
	st_hit(&s, 0, T(0x1000), STACK + 0x0c0, STACK + 0x100);
	EXPECT_PCS(&s, T(0x1000), T(0x1100), T(0x1200), T(0x1300));
	st_anew(&s);
	/* before push %rbp, as the site's bytes say, not the trap that is there */
	memcpy(s.t.b.sites.v[0].bytes, "\x55\x48\x89\xe5", 4);
	s.t.b.sites.v[0].nbytes = 4;
	dv_sim_write(s.t.sim, 0, T(0x1000), "\xcc", 1);
	put64(&s, STACK + 0x0c0, T(0x1150));
	st_hit(&s, 0, T(0x1000), STACK + 0x0c0, STACK + 0x100);
	EXPECT_PCS(&s, T(0x1000), T(0x1150), T(0x1100), T(0x1200), T(0x1300));
	st_anew(&s);
	memcpy(s.t.b.sites.v[0].bytes, "\x48\x89\xe5\x41", 4);	/* after it */
	put64(&s, STACK + 0x0c8, T(0x1160));
	st_hit(&s, 0, T(0x1000), STACK + 0x0c0, STACK + 0x100);
	EXPECT_PCS(&s, T(0x1000), T(0x1160), T(0x1100), T(0x1200), T(0x1300));
	st_anew(&s);
	memcpy(s.t.b.sites.v[0].bytes, "\xc3\xcc\xcc\xcc", 4);
	st_hit(&s, 0, T(0x1000), STACK + 0x0c0, STACK + 0x100);
	EXPECT_PCS(&s, T(0x1000), T(0x1150), T(0x1100), T(0x1200), T(0x1300));
	st_anew(&s);
	/* a chain in a circle: other stacks are gone to a few times only */
	s.t.b.sites.v[0].nbytes = 0;
	put64(&s, STACK + 0x100, STACK + 0x100);
	st_hit(&s, 0, T(0x1008), STACK + 0x0c0, STACK + 0x100);
	EXPECT_EQ(s.pc[NPC - 1], T(0x1100));
	EXPECT_EQ(s.depth, 18);
	st_fini(&s);
}

TEST(without_a_way_of_unwinding_there_are_no_frames)
{
	struct st s;

	st_init(&s);
	memset(s.u, 0, sizeof(*s.u));
	st_hit(&s, 0, T(0x1000), STACK + 0x100, 0);
	EXPECT_EQ(s.pc[0], 0);
	EXPECT_EQ(s.depth, 0);
	EXPECT_EQ(s.caller, 0);
	st_fini(&s);
}

TEST(hostile_stacks_and_tables_end)
{
	static const struct orc stay[] = {
		{ T(0x1000), 0, 0, SP, UNDEF, CALL, 0 },	/* does not move */
		{ T(0x1100), 0, 0, SP, UNDEF, REGS, 0 },
		{ T(0x1200), 8, 0, SP, UNDEF, CALL, 0 },
		{ T(0x1300), -32768, 0, BP_IND, BP, CALL, 0 },
		{ T(0x1400), 8, 0, 15, 15, 3, 0 },
	};
	uint64_t i;
	struct st s;

	st_init(&s);
	put_orc(&s, &s.u->orc, TABLES, stay, 5);
	st_hit(&s, 0, T(0x1050), STACK + 0x100, 0);
	EXPECT_PCS(&s, T(0x1050));
	st_anew(&s);
	/* pt_regs that lead to themselves */
	put_regs(&s, STACK + 0x100, T(0x1150), 0x10, STACK + 0x100, 0);
	st_hit(&s, 0, T(0x1150), STACK + 0x100, 0);
	EXPECT_EQ(s.depth, 17);			/* as many changes of stacks, and no more */
	st_anew(&s);
	/* a stack full of return addresses: as far as it is mapped, and capped */
	for (i = 0; i < PAGES * 512; i++)
		put64(&s, STACK + 8 * i, T(0x1250));
	st_hit(&s, 0, T(0x1200), STACK, 0);
	EXPECT_EQ(s.depth, DV_MAXFRAMES);
	EXPECT_EQ(s.pc[NPC - 1], T(0x1250));
	st_anew(&s);
	st_hit(&s, 0, T(0x1200), STACK + PAGES * 4096 - 16, 0);
	EXPECT_PCS(&s, T(0x1200), T(0x1250), T(0x1250));
	st_anew(&s);
	for (i = 0; i < 6; i++) {		/* wild registers */
		static const uint64_t wild[] = { 0, 0x1000, ~0ull, 0x8000000000000000ull,
		    0xfffffffffffffff8ull, 0xffff888100000000ull };

		st_hit(&s, 0, T(0x1200), wild[i], wild[i]);
		EXPECT_PCS(&s, T(0x1200));
		st_anew(&s);
		st_hit(&s, 0, T(0x1300), wild[i], wild[5 - i]);
		EXPECT_PCS(&s, T(0x1300));
		st_anew(&s);
	}
	st_hit(&s, 0, T(0x1400), STACK, STACK);
	EXPECT_PCS(&s, T(0x1400));
	st_anew(&s);
	s.u->orc.entry = 0x1000;		/* tables that are nowhere */
	st_hit(&s, 0, T(0x1200), STACK, 0x4141414141414141ull);
	EXPECT_PCS(&s, T(0x1200));
	st_anew(&s);
	s.u->orc.ip = ~0ull;
	s.u->orc.n = DV_MAXORC;
	st_hit(&s, 0, T(0x1200), STACK, 0);
	EXPECT_PCS(&s, T(0x1200));
	st_fini(&s);
}

TEST(bad_ways_of_unwinding_are_refused)
{
	struct st s;

	st_init(&s);
	s.u->orc.n = DV_MAXORC + 1;
	EXPECT_REFUSED(&s.t, "unwinding: 16777217 entries are too many");
	s.u->orc.n = 0;
	s.u->entry_size = 9;
	EXPECT_REFUSED(&s.t, "unwinding: entries of 9 bytes");
	s.u->entry_size = 5;
	EXPECT_REFUSED(&s.t, "unwinding: the fields of an entry are not inside it");
	s.u->entry_size = 6;
	s.u->sp_offset.bits = 15;
	EXPECT_REFUSED(&s.t, "unwinding: the fields of an entry are not inside it");
	s.u->sp_offset.bits = 16;
	s.u->graph_size = 8192;
	EXPECT_REFUSED(&s.t, "unwinding: saved return addresses are nowhere");
	s.u->graph_size = 0;
	s.u->kind = 7;
	EXPECT_REFUSED(&s.t, "unwinding: unknown kind 7");
	st_fini(&s);
}

/* ---- user stacks ---------------------------------------------------------- */

#define USTACK	0x7ffc00001000ull
#define UCODE	0x401000ull

static void
uput(struct st *s, uint64_t at, uint64_t v)
{
	dv_sim_write(s->t.sim, s->ustack_root, at, &v, 8);
}

/* The thread has a user stack; its kernel stack has pt_regs at its top. */
static void
user_make(struct st *s, uint64_t ip, uint64_t cs, uint64_t sp, uint64_t bp)
{
	const struct dv_layout *l = dv_sim_layout(s->t.sim);
	uint64_t regs = STACK + 16384 - l->ptregs_size;

	s->ustack_root = dv_sim_mm(s->t.sim, s->task);
	dv_sim_map(s->t.sim, s->ustack_root, USTACK, dv_sim_page(s->t.sim));
	put64(s, s->task + l->task_stack, STACK);
	put_regs(s, regs, ip, cs, sp, bp);
}

TEST(user_frames_begin_where_user_mode_was_left)
{
	struct st s;

	st_init(&s);
	user_make(&s, UCODE, 0x33, USTACK + 0x100, USTACK + 0x120);
	uput(&s, USTACK + 0x120, USTACK + 0x180);
	uput(&s, USTACK + 0x128, UCODE + 0x10);
	uput(&s, USTACK + 0x180, 0);
	uput(&s, USTACK + 0x188, UCODE + 0x20);
	st_hit(&s, 0, T(0x1000), STACK + 0x100, 0);
	EXPECT_EQ(s.upid, 40);
	EXPECT_EQ(s.upc[0], UCODE);
	EXPECT_EQ(s.upc[1], UCODE + 0x10);
	EXPECT_EQ(s.upc[2], UCODE + 0x20);
	EXPECT_EQ(s.upc[3], 0);
	EXPECT_EQ(s.upc[NPC - 1], 0);
	EXPECT_EQ(s.udepth, 3);
	EXPECT_EQ(s.ucaller, UCODE + 0x10);
	st_anew(&s);
	/* trapped in user mode: its registers, and no kernel stack */
	dv_sim_reg(s.t.sim, 0)[DV_REG_CS] = 0x33;
	dv_sim_reg(s.t.sim, 0)[DV_REG_KERNEL_GS_BASE] = dv_sim_layout(s.t.sim)->pcpu_base[0];
	st_hit(&s, 0, UCODE + 4, USTACK + 0x140, USTACK + 0x180);
	EXPECT_EQ(s.depth, 0);
	EXPECT_EQ(s.pc[0], 0);
	EXPECT_EQ(s.upc[0], UCODE + 4);
	EXPECT_EQ(s.upc[1], UCODE + 0x20);
	EXPECT_EQ(s.upc[2], 0);
	st_fini(&s);
}

TEST(old_programs_have_words_of_4_bytes)
{
	struct st s;

	st_init(&s);
	user_make(&s, 0xffffffff00401000ull, 0x23, 0x8000, 0x8010);
	dv_sim_map(s.t.sim, s.ustack_root, 0x8000, dv_sim_page(s.t.sim));
	uput(&s, 0x8010, 0x0040111100008020ull);
	uput(&s, 0x8020, 0x0040222200000000ull);
	st_hit(&s, 0, T(0x1000), STACK + 0x100, 0);
	EXPECT_EQ(s.upc[0], 0x401000);
	EXPECT_EQ(s.upc[1], 0x401111);
	EXPECT_EQ(s.upc[2], 0x402222);
	EXPECT_EQ(s.upc[3], 0);
	st_fini(&s);
}

TEST(threads_of_the_kernel_have_no_user_stack)
{
	uint32_t flags = 0x200000;
	struct st s;

	st_init(&s);
	st_hit(&s, 0, T(0x1000), STACK + 0x100, 0);		/* no mm */
	EXPECT_EQ(s.upid, 40);
	EXPECT_EQ(s.upc[0], 0);
	EXPECT_EQ(s.udepth, 0);
	EXPECT_EQ(s.ucaller, 0);
	st_anew(&s);
	user_make(&s, UCODE, 0x33, USTACK, USTACK);
	dv_sim_write(s.t.sim, 0, s.task + dv_sim_layout(s.t.sim)->task_flags, &flags, 4);
	st_hit(&s, 0, T(0x1000), STACK + 0x100, 0);
	EXPECT_EQ(s.upc[0], 0);
	st_fini(&s);
}

TEST(user_stacks_end_where_they_cannot_go_on)
{
	struct st s;

	st_init(&s);
	user_make(&s, UCODE, 0x33, USTACK + 0x100, 1);	/* no frame pointer at all */
	st_hit(&s, 0, T(0x1000), STACK + 0x100, 0);
	EXPECT_EQ(s.upc[0], UCODE);
	EXPECT_EQ(s.upc[1], 0);
	st_anew(&s);
	user_make(&s, UCODE, 0x33, USTACK + 0x100, USTACK + 0x1000 - 8);	/* half mapped */
	st_hit(&s, 0, T(0x1000), STACK + 0x100, 0);
	EXPECT_EQ(s.upc[1], 0);
	st_anew(&s);
	user_make(&s, UCODE, 0x33, USTACK + 0x100, USTACK + 0x120);
	uput(&s, USTACK + 0x120, USTACK + 0x180);
	uput(&s, USTACK + 0x128, DV_SIM_TEXT);		/* "returns" into the kernel */
	st_hit(&s, 0, T(0x1000), STACK + 0x100, 0);
	EXPECT_EQ(s.upc[1], 0);
	st_anew(&s);
	uput(&s, USTACK + 0x128, UCODE + 0x10);
	uput(&s, USTACK + 0x180, USTACK + 0x120);	/* goes back */
	uput(&s, USTACK + 0x188, UCODE + 0x20);
	st_hit(&s, 0, T(0x1000), STACK + 0x100, 0);
	EXPECT_EQ(s.upc[2], UCODE + 0x20);
	EXPECT_EQ(s.upc[3], 0);
	st_fini(&s);
}

TEST(a_frame_that_names_itself_is_a_bad_stack)
{
	struct dv_account a;
	struct st s;

	st_init(&s);
	user_make(&s, UCODE, 0x33, USTACK + 0x100, USTACK + 0x120);
	uput(&s, USTACK + 0x120, USTACK + 0x120);
	uput(&s, USTACK + 0x128, UCODE + 0x10);
	st_hit(&s, 0, T(0x1000), STACK + 0x100, 0);
	EXPECT_EQ(s.pc[0], T(0x1000));			/* other clauses are not hurt */
	EXPECT_EQ(s.upc[0], ~0ull);
	expect_account(&s.t, 1, &a);
	EXPECT_EQ(a.faulted, 1);
	expect_account(&s.t, 3, &a);
	EXPECT_EQ(a.faulted, 1);
	st_fini(&s);
}

TEST(a_user_stack_too_deep_to_count_is_a_bad_stack)
{
	struct dv_account a;
	uint64_t at;
	struct st s;
	unsigned i;

	st_init(&s);
	user_make(&s, UCODE, 0x33, USTACK + 0x100, USTACK + 0x1000);
	for (i = 1; i < 12; i++)
		dv_sim_map(s.t.sim, s.ustack_root, USTACK + i * 4096, dv_sim_page(s.t.sim));
	for (at = USTACK + 0x1000; at < USTACK + 0x1000 + 16 * 2500; at += 16) {
		uput(&s, at, at + 16);
		uput(&s, at + 8, UCODE + 0x10);
	}
	st_hit(&s, 0, T(0x1000), STACK + 0x100, 0);
	EXPECT_EQ(s.upc[NPC - 1], UCODE + 0x10);	/* the first frames are good */
	EXPECT_EQ(s.ucaller, UCODE + 0x10);
	expect_account(&s.t, 1, &a);
	EXPECT_EQ(a.faulted, 1);
	expect_account(&s.t, 3, &a);
	EXPECT_EQ(a.recorded, 1);
	st_fini(&s);
}

TEST_MAIN()
