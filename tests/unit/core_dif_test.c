/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_dif_test.c - each opcode computes what D says; each fault is told. */
#include "core_help.h"

#define MIN64	0x8000000000000000ull

/* Runs the DIFOs made so far in BEGIN, each an 8-byte field; returns the data. */
static const uint64_t *
run_all(struct tb *t)
{
	struct dv_snap snap;
	const uint8_t *p;
	uint32_t i, n = (uint32_t)t->b.difos.n;

	clause_begin(t, DV_NONE);
	for (i = 0; i < n; i++)
		act_trace(t, i);
	ecb_add(t, probe_add(t, "BEGIN", DV_PF_BEGIN), clause_end(t, 0));
	tb_go(t);
	p = dv_sim_snap(t->sim, 1, DV_BUF_PRINCIPAL, &snap);
	if (snap.len == 0 || ((const struct dv_rec *)p)->epid != 1) {
		const struct dv_fault_rec *f = (const void *)p;

		FAIL("fault %u addr %llx action %u offset %u", f->fault,
		    (unsigned long long)f->addr, f->action, f->offset);
	}
	return (const uint64_t *)(p + sizeof(struct dv_rec));
}

TEST(arithmetic)
{
	static const struct { uint32_t op; uint64_t a, b, want; } c[] = {
		{ DIF_OP_OR, 0xf0, 0x0f, 0xff }, { DIF_OP_XOR, 0xff, 0x0f, 0xf0 },
		{ DIF_OP_AND, 0xff, 0x3c, 0x3c }, { DIF_OP_SLL, 1, 63, MIN64 },
		{ DIF_OP_SLL, 1, 64, 1 }, { DIF_OP_SRL, MIN64, 63, 1 },
		{ DIF_OP_SRA, MIN64, 63, ~0ull }, { DIF_OP_SUB, 1, 2, ~0ull },
		{ DIF_OP_ADD, ~0ull, 2, 1 }, { DIF_OP_MUL, -3ull, 4, -12ull },
		{ DIF_OP_SDIV, -7ull, 2, -3ull }, { DIF_OP_SDIV, MIN64, ~0ull, MIN64 },
		{ DIF_OP_UDIV, ~0ull, 2, MIN64 - 1 }, { DIF_OP_SREM, -7ull, 2, ~0ull },
		{ DIF_OP_SREM, MIN64, ~0ull, 0 }, { DIF_OP_UREM, ~0ull, 10, 5 },
		{ DIF_OP_NOT, 0, 0, ~0ull }, { DIF_OP_MOV, 9, 0, 9 },
	};
	const uint64_t *r;
	struct tb t;
	size_t i;

	tb_init(&t, 1);
	for (i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		difo_begin(&t);
		in_int(&t, c[i].a, 1);
		in_int(&t, c[i].b, 2);
		in(&t, DIF_INSTR_FMT(c[i].op, 1,
		    c[i].op == DIF_OP_NOT || c[i].op == DIF_OP_MOV ? 0 : 2, 3));
		in(&t, I3(NOP, 0, 0, 0));
		in(&t, IRET(3));
		difo_end(&t);
	}
	r = run_all(&t);
	for (i = 0; i < sizeof(c) / sizeof(c[0]); i++)
		EXPECT_EQ(r[i], c[i].want);
	tb_fini(&t);
}

/* cmp a, b; bX yes; ret 0; yes: ret 1 */
static void
branch(struct tb *t, uint32_t op, uint64_t a, uint64_t b)
{
	difo_begin(t);
	in_int(t, a, 1);
	in_int(t, b, 2);
	in_int(t, 1, 3);
	in(t, I3(CMP, 1, 2, 0));
	in(t, DIF_INSTR_BRANCH(op, 6));
	in(t, IRET(0));
	in(t, IRET(3));
	difo_end(t);
}

TEST(branches)
{
	static const uint64_t v[][2] = { { 1, 1 }, { 1, 2 }, { 2, 1 }, { ~0ull, 1 },
	    { 1, ~0ull }, { MIN64, 1 }, { 1, MIN64 } };
	const uint64_t *r;
	struct tb t;
	size_t i;

	tb_init(&t, 1);
	for (i = 0; i < 7; i++) {
		branch(&t, DIF_OP_BA, v[i][0], v[i][1]);
		branch(&t, DIF_OP_BE, v[i][0], v[i][1]);
		branch(&t, DIF_OP_BNE, v[i][0], v[i][1]);
		branch(&t, DIF_OP_BG, v[i][0], v[i][1]);
		branch(&t, DIF_OP_BGU, v[i][0], v[i][1]);
		branch(&t, DIF_OP_BGE, v[i][0], v[i][1]);
		branch(&t, DIF_OP_BGEU, v[i][0], v[i][1]);
		branch(&t, DIF_OP_BL, v[i][0], v[i][1]);
		branch(&t, DIF_OP_BLU, v[i][0], v[i][1]);
		branch(&t, DIF_OP_BLE, v[i][0], v[i][1]);
		branch(&t, DIF_OP_BLEU, v[i][0], v[i][1]);
	}
	r = run_all(&t);
	for (i = 0; i < 7; i++, r += 11) {
		uint64_t a = v[i][0], b = v[i][1];

		EXPECT_EQ(r[0], 1);
		EXPECT_EQ(r[1], a == b);
		EXPECT_EQ(r[2], a != b);
		EXPECT_EQ(r[3], (int64_t)a > (int64_t)b);
		EXPECT_EQ(r[4], a > b);
		EXPECT_EQ(r[5], (int64_t)a >= (int64_t)b);
		EXPECT_EQ(r[6], a >= b);
		EXPECT_EQ(r[7], (int64_t)a < (int64_t)b);
		EXPECT_EQ(r[8], a < b);
		EXPECT_EQ(r[9], (int64_t)a <= (int64_t)b);
		EXPECT_EQ(r[10], a <= b);
	}
	tb_fini(&t);
}

TEST(tst_and_scmp)
{
	static const struct { const char *a, *b; int diff; } s[] = {
		{ "abc", "abc", 0 }, { "abc", "abd", -1 }, { "b", "abc", 1 },
		{ "", "", 0 }, { "", "a", -1 }, { "ab", "abc", -1 }, { "", NULL, 0 },
		{ NULL, "x", -1 }, { "\xff", "a", 1 },
	};
	const uint64_t *r;
	struct tb t;
	size_t i;

	tb_init(&t, 1);
	for (i = 0; i < sizeof(s) / sizeof(s[0]); i++) {
		difo_begin(&t);
		in_int(&t, ~0ull, 4);
		in_int(&t, 1, 5);
		if (s[i].a != NULL)
			in_str(&t, s[i].a, 1);
		else
			in(&t, I3(MOV, 0, 0, 1));
		if (s[i].b != NULL)
			in_str(&t, s[i].b, 2);
		else
			in(&t, I3(MOV, 0, 0, 2));
		in(&t, I3(SCMP, 1, 2, 0));
		in(&t, IB(BG, 9));
		in(&t, IB(BL, 8));
		in(&t, IRET(0));
		in(&t, IRET(4));
		in(&t, IRET(5));
		difo_end(&t);
	}
	difo_begin(&t);
	in_int(&t, 7, 1);
	in(&t, I3(TST, 1, 0, 0));
	in(&t, IB(BNE, 4));
	in(&t, IRET(0));
	in(&t, IRET(1));
	difo_end(&t);
	r = run_all(&t);
	for (i = 0; i < sizeof(s) / sizeof(s[0]); i++)
		EXPECT_EQ(r[i], (uint64_t)(int64_t)s[i].diff);
	EXPECT_EQ(r[i], 7);
	tb_fini(&t);
}

/* Loads of every size from the guest's kernel and from scratch. */
TEST(loads_and_stores)
{
	static const struct { uint32_t ld, rld, st; uint64_t want; } c[] = {
		{ DIF_OP_LDSB, DIF_OP_RLDSB, DIF_OP_STB, 0xfffffffffffffff8ull },
		{ DIF_OP_LDSH, DIF_OP_RLDSH, DIF_OP_STH, 0xfffffffffffff7f8ull },
		{ DIF_OP_LDSW, DIF_OP_RLDSW, DIF_OP_STW, 0xfffffffff5f6f7f8ull },
		{ DIF_OP_LDUB, DIF_OP_RLDUB, DIF_OP_STB, 0xf8 },
		{ DIF_OP_LDUH, DIF_OP_RLDUH, DIF_OP_STH, 0xf7f8 },
		{ DIF_OP_LDUW, DIF_OP_RLDUW, DIF_OP_STW, 0xf5f6f7f8 },
		{ DIF_OP_LDX, DIF_OP_RLDX, DIF_OP_STX, 0xf1f2f3f4f5f6f7f8ull },
	};
	const uint64_t v = 0xf1f2f3f4f5f6f7f8ull;
	const uint64_t *r;
	uint64_t at;
	struct tb t;
	size_t i;

	tb_init(&t, 1);
	/* across a page's end, and in a mapping that is no direct map */
	at = DV_SIM_TEXT + 4096 - 3;
	dv_sim_write64(t.sim, at, v);
	for (i = 0; i < 7; i++) {
		difo_begin(&t);
		in_int(&t, at, 1);
		in(&t, DIF_INSTR_FMT(c[i].ld, 1, 0, 2));
		in(&t, IRET(2));
		difo_end(&t);
		difo_begin(&t);
		in_int(&t, 8, 1);
		in_int(&t, v, 2);
		in(&t, I3(ALLOCS, 1, 0, 3));
		in(&t, DIF_INSTR_FMT(c[i].st, 2, 0, 3));
		in(&t, DIF_INSTR_FMT(c[i].rld, 3, 0, 4));
		in(&t, IRET(4));
		difo_end(&t);
	}
	/* copys: 8 bytes of the guest to scratch */
	difo_begin(&t);
	in_int(&t, 8, 1);
	in_int(&t, at, 2);
	in(&t, I3(ALLOCS, 1, 0, 3));
	in(&t, I3(COPYS, 2, 1, 3));
	in(&t, I3(LDX, 3, 0, 4));
	in(&t, IRET(4));
	difo_end(&t);
	r = run_all(&t);
	for (i = 0; i < 7; i++) {
		EXPECT_EQ(r[2 * i], c[i].want);
		EXPECT_EQ(r[2 * i + 1], c[i].want);
	}
	EXPECT_EQ(r[14], v);
	tb_fini(&t);
}

TEST(variables)
{
	uint16_t g, l, s, tls, arr, tstr;
	const uint64_t *r;
	struct tb t;

	tb_init(&t, 1);
	dv_sim_task(t.sim, 0, 0, "swapper", 0);
	g = var_add(&t, DV_VS_GLOBAL, 0, DV_T_INT, 8, 0);
	l = var_add(&t, DV_VS_LOCAL, 0, DV_T_INT, 8, 0);
	s = var_add(&t, DV_VS_GLOBAL, 0, DV_T_STRING, 16, DV_TF_BYREF);
	tls = var_add(&t, DV_VS_TLS, 0, DV_T_INT, 8, 0);
	arr = var_add(&t, DV_VS_GLOBAL, 1, DV_T_INT, 8, 0);
	tstr = var_add(&t, DV_VS_TLS, 1, DV_T_STRING, 32, DV_TF_BYREF);
	difo_begin(&t);			/* r0: g = 5; l = g + g; */
	in_int(&t, 5, 1);
	in(&t, IW(STGS, g, 1));
	in(&t, IW(LDGS, g, 2));
	in(&t, I3(ADD, 2, 2, 2));
	in(&t, IW(STLS, l, 2));
	in(&t, IW(LDLS, l, 3));
	in(&t, IRET(3));
	difo_end(&t);
	difo_begin(&t);			/* r1: s = "0123456789abcdefXYZ"; strlen(s) */
	in_str(&t, "0123456789abcdefXYZ", 1);
	in(&t, IW(STGS, s, 1));
	in(&t, IW(LDGS, s, 2));
	in(&t, I3(PUSHTR, DV_T_STRING, 0, 2));
	in(&t, IW(CALL, DIF_SUBR_STRLEN, 3));
	in(&t, IRET(3));
	difo_end(&t);
	difo_begin(&t);			/* r2: s = NULL; s */
	in(&t, IW(STGS, s, 0));
	in(&t, IW(LDGS, s, 1));
	in(&t, IRET(1));
	difo_end(&t);
	difo_begin(&t);			/* r3: self->t = 9; self->t */
	in_int(&t, 9, 1);
	in(&t, IW(STTS, tls, 1));
	in(&t, IW(LDTS, tls, 2));
	in(&t, IRET(2));
	difo_end(&t);
	difo_begin(&t);			/* r4: self->t = 0; self->t */
	in(&t, IW(STTS, tls, 0));
	in(&t, IW(LDTS, tls, 2));
	in(&t, IRET(2));
	difo_end(&t);
	difo_begin(&t);			/* r5: arr["k", 3] = 11; arr["k", 3] */
	in_str(&t, "k", 1);
	in_int(&t, 3, 2);
	in_int(&t, 11, 3);
	in(&t, I3(PUSHTR, DV_T_STRING, 0, 1));
	in(&t, I3(PUSHTV, DV_T_INT, 0, 2));
	in(&t, IW(STGAA, arr, 3));
	in(&t, I3(PUSHTR, DV_T_STRING, 0, 1));
	in(&t, I3(PUSHTV, DV_T_INT, 0, 2));
	in(&t, IW(LDGAA, arr, 4));
	in(&t, IRET(4));
	difo_end(&t);
	difo_begin(&t);			/* r6: arr["k", 4]: never set */
	in_str(&t, "k", 1);
	in_int(&t, 4, 2);
	in(&t, I3(PUSHTR, DV_T_STRING, 0, 1));
	in(&t, I3(PUSHTV, DV_T_INT, 0, 2));
	in(&t, IW(LDGAA, arr, 4));
	in(&t, IRET(4));
	difo_end(&t);
	difo_begin(&t);			/* r7: self->s[1] = "hello"; strlen(self->s[1]) */
	in_int(&t, 1, 1);
	in_str(&t, "hello", 2);
	in(&t, I3(PUSHTV, DV_T_INT, 0, 1));
	in(&t, IW(STTAA, tstr, 2));
	in(&t, I3(PUSHTV, DV_T_INT, 0, 0));
	in(&t, I3(POPTS, 0, 0, 0));
	in(&t, I3(PUSHTV, DV_T_INT, 0, 0));
	in(&t, I3(FLUSHTS, 0, 0, 0));
	in(&t, I3(PUSHTV, DV_T_INT, 0, 1));
	in(&t, IW(LDTAA, tstr, 3));
	in(&t, I3(PUSHTR, DV_T_STRING, 0, 3));
	in(&t, IW(CALL, DIF_SUBR_STRLEN, 4));
	in(&t, IRET(4));
	difo_end(&t);
	r = run_all(&t);
	EXPECT_EQ(r[0], 10);
	EXPECT_EQ(r[1], 15);
	EXPECT_EQ(r[2], 0);
	EXPECT_EQ(r[3], 9);
	EXPECT_EQ(r[4], 0);
	EXPECT_EQ(r[5], 11);
	EXPECT_EQ(r[6], 0);
	EXPECT_EQ(r[7], 5);
	tb_fini(&t);
}

TEST(builtins_of_a_vcpu)
{
	static const uint32_t id[] = { DIF_VAR_CURTHREAD, DIF_VAR_PID, DIF_VAR_TID,
	    DIF_VAR_PPID, DIF_VAR_UID, DIF_VAR_GID, DIF_VAR_CPU, DIF_VAR_IPL,
	    DIF_VAR_TIMESTAMP, DIF_VAR_WALLTIMESTAMP, DIF_VAR_EPID, DIF_VAR_ID,
	    DIF_VAR_ARG0, DIF_VAR_ARG1, DIF_VAR_ERRNO, DIF_VAR_ARG9 };
	struct dv_snap snap;
	const uint64_t *r;
	const uint8_t *p;
	uint64_t parent, task;
	uint32_t site;
	struct tb t;
	size_t i;

	tb_init(&t, 2);
	dv_sim_task(t.sim, 0, 0, "swapper/0", 0);
	parent = dv_sim_task(t.sim, 41, 40, "sh", 0);
	task = dv_sim_task(t.sim, 43, 42, "a-long-name-of-a-task", parent);
	dv_sim_cred(t.sim, task, 1000, 100);
	dv_sim_current(t.sim, 1, task);
	dv_sim_preempt_count(t.sim, 1, 0x10001);
	dv_sim_clock(t.sim, 123456);
	clause_begin(&t, DV_NONE);
	for (i = 0; i < sizeof(id) / sizeof(id[0]); i++)
		act_trace(&t, difo_var(&t, id[i]));
	act_rec(&t, DV_ACT_TRACE, difo_var(&t, DIF_VAR_EXECNAME), DV_T_STRING, 24);
	act_rec(&t, DV_ACT_TRACE, difo_var(&t, DIF_VAR_PROBENAME), DV_T_STRING, 24);
	act_rec(&t, DV_ACT_TRACE, difo_var(&t, DIF_VAR_VMNAME), DV_T_STRING, 24);
	site = simple_site(&t, clause_end(&t, 0));
	t.b.probes.v[0].flags = DV_PF_SYSCALL | DV_PF_RETURN;
	tb_go(&t);
	dv_sim_reg(t.sim, 1)[DV_REG_RDI] = 0xabc;
	dv_sim_reg(t.sim, 1)[DV_REG_RSI] = -2ull;
	dv_sim_hit(t.sim, 1, site);
	p = dv_sim_snap(t.sim, 1, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(snap.len, 16 + sizeof(id) / sizeof(id[0]) * 8 + 72);
	EXPECT_EQ(((const struct dv_rec *)p)->timestamp, 123456);
	r = (const uint64_t *)(p + 16);
	EXPECT_EQ(r[0], task);
	EXPECT_EQ(r[1], 42);
	EXPECT_EQ(r[2], 43);
	EXPECT_EQ(r[3], 40);
	EXPECT_EQ(r[4], 1000);
	EXPECT_EQ(r[5], 100);
	EXPECT_EQ(r[6], 1);
	EXPECT_EQ(r[7], 2);
	EXPECT_EQ(r[8], 123456);
	EXPECT_EQ(r[9], 123456);
	EXPECT_EQ(r[10], 1);
	EXPECT_EQ(r[11], 1);
	EXPECT_EQ(r[12], 0xabc);
	EXPECT_EQ(r[13], -2ull);
	EXPECT_EQ(r[14], 2);
	EXPECT_EQ(r[15], 0);
	EXPECT_STREQ((const char *)&r[16], "a-long-name-of-");
	EXPECT_STREQ((const char *)&r[19], "p");
	EXPECT_STREQ((const char *)&r[22], "sim0");
	tb_fini(&t);
}

/* One DIFO that faults in BEGIN's first action. */
static void
expect_fault(void (*make)(struct tb *), uint32_t fault, uint64_t addr, uint32_t offset)
{
	const struct dv_fault_rec *f;
	struct dv_snap snap;
	struct dv_account a;
	struct dv_status st;
	struct tb t;

	tb_init(&t, 1);
	dv_sim_task(t.sim, 0, 0, "swapper/0", 0);
	difo_begin(&t);
	make(&t);
	in(&t, IRET(1));
	difo_end(&t);
	clause_begin(&t, DV_NONE);
	act_trace(&t, 0);
	ecb_add(&t, probe_add(&t, "BEGIN", DV_PF_BEGIN), clause_end(&t, 0));
	tb_go(&t);
	f = (const void *)dv_sim_snap(t.sim, 1, DV_BUF_PRINCIPAL, &snap);
	EXPECT_EQ(snap.len, sizeof(*f));
	EXPECT_EQ(f->epid, DV_EPID_FAULT);
	EXPECT_EQ(f->failed, 1);
	EXPECT_EQ(f->action, 1);
	EXPECT_EQ(f->fault, fault);
	EXPECT_EQ(f->addr, addr);
	EXPECT_EQ(f->offset, offset);
	expect_account(&t, 0, &a);
	EXPECT_EQ(a.faulted, 1);
	dv_status(dv_sim_state(t.sim), &st);
	EXPECT_EQ(st.errors, 1);
	tb_fini(&t);
}

static void
load_null(struct tb *t)
{
	in(t, I3(LDX, 0, 0, 1));
}

static void
load_user(struct tb *t)
{
	in_int(t, 0x400000, 1);
	in(t, I3(LDX, 1, 0, 1));
}

static void
load_unmapped(struct tb *t)
{
	in_int(t, 0xffffc90000000000ull, 1);
	in(t, I3(LDUB, 1, 0, 1));
}

static void
load_noncanonical(struct tb *t)
{
	in_int(t, 0x800000000000ull, 1);
	in(t, I3(LDUB, 1, 0, 1));
}

static void
load_wraps(struct tb *t)
{
	in_int(t, ~0ull - 3, 1);
	in(t, I3(LDX, 1, 0, 1));
}

static void
uload_without_mm(struct tb *t)
{
	in_int(t, 0x400000, 1);
	in(t, I3(ULDX, 1, 0, 1));
}

static void
divide_by_zero(struct tb *t)
{
	in(t, I3(UDIV, 0, 0, 1));
}

static void
out_of_scratch(struct tb *t)
{
	in_int(t, 1 << 20, 1);
	in(t, I3(ALLOCS, 1, 0, 1));
}

static void
strlen_null(struct tb *t)
{
	in(t, I3(PUSHTR, DV_T_STRING, 0, 0));
	in(t, IW(CALL, DIF_SUBR_STRLEN, 1));
}

static void
store_guest(struct tb *t)
{
	in_int(t, DV_SIM_PAGE_OFFSET, 1);
	in(t, I3(STX, 1, 0, 1));
}

static void
regs_index(struct tb *t)
{
	in_int(t, 99, 1);
	in(t, I3(LDGA, DIF_VAR_REGS, 1, 1));
}

static void
index_at_the_bound(struct tb *t)
{
	in_int(t, 3, 1);
	in_int(t, 4, 2);
	in(t, I3(CKIDX, 1, 2, 0));	/* inside */
	in(t, I3(CKIDX, 2, 2, 0));
}

static void
index_below_zero(struct tb *t)
{
	in_int(t, ~0ull, 1);
	in_int(t, 4, 2);
	in(t, I3(CKIDX, 1, 2, 0));
}

static void
string_copied_to_null(struct tb *t)
{
	in(t, I3(COPYS, 0, 0, 0));	/* an unset string is empty: its NUL has no place */
}

TEST(faults)
{
	expect_fault(load_null, DV_FAULT_BADADDR, 0, 0);
	expect_fault(load_user, DV_FAULT_BADADDR, 0x400000, 4);
	expect_fault(load_unmapped, DV_FAULT_BADADDR, 0xffffc90000000000ull, 4);
	expect_fault(load_noncanonical, DV_FAULT_BADADDR, 0x800000000000ull, 4);
	expect_fault(load_wraps, DV_FAULT_BADADDR, ~0ull - 3, 4);
	expect_fault(uload_without_mm, DV_FAULT_BADADDR, 0x400000, 4);
	expect_fault(divide_by_zero, DV_FAULT_DIVZERO, 0, 0);
	expect_fault(out_of_scratch, DV_FAULT_NOSCRATCH, 0, 4);
	expect_fault(strlen_null, DV_FAULT_BADADDR, 0, 4);
	expect_fault(store_guest, DV_FAULT_BADADDR, DV_SIM_PAGE_OFFSET, 4);
	expect_fault(regs_index, DV_FAULT_ILLOP, 0, 4);
	expect_fault(index_at_the_bound, DV_FAULT_BADINDEX, 0, 12);
	expect_fault(index_below_zero, DV_FAULT_BADINDEX, 0, 8);
	expect_fault(string_copied_to_null, DV_FAULT_BADADDR, 0, 0);
}

TEST_MAIN()
