/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_check_test.c - what is wrong is refused at load, in one line. */
#include "core_help.h"

/* A program whose only DIFO is the n instructions; one int, one string "s". */
static void
refuse_text(const uint32_t *text, size_t n, const char *want)
{
	struct tb t;
	size_t i;

	tb_init(&t, 1);
	difo_begin(&t);
	EXPECT_EQ(dv_vec_push(&t.b.ints, 1), 0);
	dv_str_addn(&t.b.difstrs, "s", 2);
	var_add(&t, DV_VS_GLOBAL, 0, DV_T_INT, 8, 0);		/* 0x500 */
	var_add(&t, DV_VS_GLOBAL, 1, DV_T_INT, 8, 0);		/* 0x501 */
	var_add(&t, DV_VS_LOCAL, 0, DV_T_INT, 8, 0);		/* 0x502 */
	for (i = 0; i < n; i++)
		in(&t, text[i]);
	difo_end(&t);
	clause_begin(&t, 0);
	simple_site(&t, clause_end(&t, DV_CL_DEFAULT));
	if (want == NULL) {
		if (tb_load(&t) != 0)
			FAIL("refused: %s", t.why.text);
	} else {
		EXPECT_REFUSED(&t, want);
	}
	tb_fini(&t);
}
#define REFUSE(want, ...)						\
	do {								\
		static const uint32_t text_[] = { __VA_ARGS__ };	\
									\
		refuse_text(text_, sizeof(text_) / sizeof(text_[0]), want); \
	} while (0)
#define RET0	DIF_INSTR_FMT(DIF_OP_RET, 0, 0, 0)

TEST(difos)
{
	REFUSE(NULL, RET0);
	REFUSE("DIFO 0: instruction 0: unknown opcode", 0, RET0);
	REFUSE("DIFO 0: instruction 0: unknown opcode", DIF_INSTR_WIDE(128, 0x116, 1), RET0);
	REFUSE("DIFO 0: instruction 0: does not end with ret", I3(NOP, 0, 0, 0));
	REFUSE("DIFO 0: instruction 0: register out of range", I3(ADD, 8, 0, 1), RET0);
	REFUSE("DIFO 0: instruction 0: register out of range", I3(LDX, 1, 0, 8), RET0);
	REFUSE("DIFO 0: instruction 0: register out of range", DIF_INSTR_FMT(DIF_OP_RET, 0, 0, 9));
	REFUSE("DIFO 0: instruction 0: %r0 is written", I3(ADD, 1, 1, 0), RET0);
	REFUSE("DIFO 0: instruction 0: %r0 is written", IW(SETX, 0, 0), RET0);
	REFUSE("DIFO 0: instruction 0: unused field is not zero", I3(MOV, 1, 1, 1), RET0);
	REFUSE("DIFO 0: instruction 0: unused field is not zero", I3(NOP, 0, 0, 1), RET0);
	REFUSE("DIFO 0: instruction 0: branch does not go forward inside", IB(BA, 0), RET0);
	REFUSE("DIFO 0: instruction 0: branch does not go forward inside", IB(BA, 2), RET0);
	REFUSE("DIFO 0: instruction 1: branch does not go forward inside", RET0, IB(BE, 1), RET0);
	REFUSE("DIFO 0: instruction 0: integer index out of range", IW(SETX, 1, 1), RET0);
	REFUSE("DIFO 0: instruction 0: string index out of range", IW(SETS, 2, 1), RET0);
	REFUSE(NULL, IW(SETS, 1, 1), RET0);
	REFUSE("DIFO 0: instruction 0: no such variable", IW(LDGS, 0x503, 1), RET0);
	REFUSE("DIFO 0: instruction 0: no such variable", IW(LDTS, 0x500, 1), RET0);
	REFUSE("DIFO 0: instruction 0: no such variable", IW(STGS, 0x116, 1), RET0);
	REFUSE("DIFO 0: instruction 0: variable is an array", IW(LDGS, 0x501, 1), RET0);
	REFUSE("DIFO 0: instruction 1: variable is no array", I3(PUSHTV, 1, 0, 0),
	    IW(LDGAA, 0x500, 1), RET0);
	REFUSE("DIFO 0: instruction 0: array without a key", IW(LDGAA, 0x501, 1), RET0);
	REFUSE("DIFO 0: instruction 0: variable does not exist", IW(LDGS, 0x300, 1), RET0);
	REFUSE(NULL, IW(LDGS, DIF_VAR_VTIMESTAMP, 1), RET0);
	REFUSE("DIFO 0: instruction 0: args is an array", IW(LDGS, DIF_VAR_ARGS, 1), RET0);
	REFUSE("DIFO 0: instruction 0: no such array", I3(LDGA, 7, 0, 1), RET0);
	REFUSE(NULL, I3(LDGA, DIF_VAR_UREGS, 0, 1), RET0);
	REFUSE("DIFO 0: instruction 0: no such subroutine", IW(CALL, 99, 1), RET0);
	REFUSE("DIFO 0: instruction 0: mutex_owned is not available in this version",
	    IW(CALL, DIF_SUBR_MUTEX_OWNED, 1), RET0);
	REFUSE("DIFO 0: instruction 0: strlen has a wrong number of arguments",
	    IW(CALL, DIF_SUBR_STRLEN, 1), RET0);
	REFUSE("DIFO 0: instruction 2: strlen has a wrong number of arguments",
	    I3(PUSHTR, 2, 0, 0), I3(PUSHTR, 2, 0, 0), IW(CALL, DIF_SUBR_STRLEN, 1), RET0);
	REFUSE("DIFO 0: instruction 0: tuple stack underflow", I3(POPTS, 0, 0, 0), RET0);
	REFUSE("DIFO 0: instruction 8: tuple stack overflow", I3(PUSHTV, 1, 0, 0),
	    I3(PUSHTV, 1, 0, 0), I3(PUSHTV, 1, 0, 0), I3(PUSHTV, 1, 0, 0),
	    I3(PUSHTV, 1, 0, 0), I3(PUSHTV, 1, 0, 0), I3(PUSHTV, 1, 0, 0),
	    I3(PUSHTV, 1, 0, 0), I3(PUSHTV, 1, 0, 0), RET0);
	REFUSE("DIFO 0: instruction 0: unknown kind of key", I3(PUSHTV, 99, 0, 0), RET0);
	REFUSE("DIFO 0: instruction 0: xlate is not linked", IW(XLATE, 0, 1), RET0);
	/* paths that push differently: left to the interpreter */
	REFUSE(NULL, I3(TST, 1, 0, 0), IB(BE, 3), I3(PUSHTV, 1, 0, 0),
	    IW(CALL, DIF_SUBR_RAND, 1), RET0);
}

static uint8_t *blob;
static size_t blob_len;
static struct dv_prog_hdr *hdr;

static void
make_blob(void)
{
	struct dv_err err;
	struct tb t;

	tb_init(&t, 1);
	clause_begin(&t, DV_NONE);
	act_trace(&t, difo_const(&t, 1));
	simple_site(&t, clause_end(&t, 0));
	t.b.layout = *dv_sim_layout(t.sim);
	memset(&t.b.argsets.v[argset_add(&t)], 0, sizeof(struct dv_argset));
	EXPECT_EQ(dv_vec_push(&t.b.starts, (struct dv_start){ .difo = 0, .raw = 1 }), 0);
	free(blob);
	EXPECT_EQ(dv_progb_finish(&t.b, &err, (void **)&blob, &blob_len), 0);
	hdr = (void *)blob;
	tb_fini(&t);
}

static void
refuse_blob(const char *want)
{
	struct dv_reason why;
	size_t priv, shared;

	EXPECT_EQ(dv_state_sizes(blob, blob_len, 1, &priv, &shared, &why), -1);
	EXPECT_STREQ(why.text, want);
	make_blob();
}
#define SEC(type, id)	((type *)(blob + hdr->sec[id].off))

TEST(blobs)
{
	make_blob();
	blob_len = 8;
	refuse_blob("program is too short or not aligned");
	hdr->magic++;
	refuse_blob("not a program");
	hdr->version = 9;
	refuse_blob("program has version 9, this machine runs 3");
	hdr->len--;
	refuse_blob("program has a bad length or flags");
	hdr->sec[DV_SEC_DIFOS].n = 1000000;
	refuse_blob("section DIFOs is outside the program");
	hdr->sec[DV_SEC_TEXT].off = ~7ull;
	refuse_blob("section text is outside the program");
	hdr->sec[DV_SEC_OPTS].n = 3;
	{
		char want[64];

		snprintf(want, sizeof(want), "3 options, this machine knows %u", DV_NOPT);
		refuse_blob(want);
	}
	hdr->sec[DV_SEC_LAYOUT].n = 0;
	refuse_blob("sites without a guest's layout");
	SEC(char, DV_SEC_STRS)[hdr->sec[DV_SEC_STRS].n - 1] = 'x';
	refuse_blob("strings do not end with a NUL");
	SEC(struct dv_difo, DV_SEC_DIFOS)->ntext = 5000;
	refuse_blob("DIFO 0: bad text");
	SEC(struct dv_difo, DV_SEC_DIFOS)->ints = ~0u;
	refuse_blob("DIFO 0: bad integer table");
	SEC(struct dv_difo, DV_SEC_DIFOS)->flags = DV_DIFO_DESTRUCTIVE;
	refuse_blob("Destructive actions not allowed");
	SEC(struct dv_difo, DV_SEC_DIFOS)->flags = 2;
	refuse_blob("DIFO 0: unknown flags");
	SEC(struct dv_act, DV_SEC_ACTS)->kind = 99;
	refuse_blob("action 0: unknown kind 99");
	SEC(struct dv_act, DV_SEC_ACTS)->kind = DV_ACT_STACK;
	refuse_blob("action 0: a stack is recorded by its action alone");
	SEC(struct dv_act, DV_SEC_ACTS)->kind = DV_ACT_SYSTEM;
	refuse_blob("Destructive actions not allowed");
	SEC(struct dv_act, DV_SEC_ACTS)->difo = 7;
	refuse_blob("action 0: no such DIFO");
	SEC(struct dv_act, DV_SEC_ACTS)->rec_off = 4;
	refuse_blob("action 0: record field is not aligned");
	SEC(struct dv_act, DV_SEC_ACTS)->rec_off = 8;
	refuse_blob("action 0: record field is outside the record");
	SEC(struct dv_act, DV_SEC_ACTS)->nargs = 1;
	refuse_blob("action 0: trace() heads no arguments");
	SEC(struct dv_clause, DV_SEC_CLAUSES)->flags = DV_CL_NOREC;
	refuse_blob("clause 0: flagged as without record, but has one");
	SEC(struct dv_clause, DV_SEC_CLAUSES)->flags = DV_CL_SPECULATES;
	refuse_blob("clause 0: flags do not fit the actions");
	SEC(struct dv_clause, DV_SEC_CLAUSES)->pred = 3;
	refuse_blob("clause 0: no such predicate");
	SEC(struct dv_ecbdesc, DV_SEC_ECBS)->probe = 3;
	refuse_blob("ECB 0: no such probe or clause");
	SEC(struct dv_start, DV_SEC_STARTS)->difo = 3;
	refuse_blob("start 0: no such statement, or a destructive one");
	SEC(struct dv_start, DV_SEC_STARTS)->raw = DV_NONE;
	refuse_blob("start 0: no such argument set");
	SEC(struct dv_argset, DV_SEC_ARGSETS)[1].arg[3].kind = DV_LOC_REG;
	refuse_blob("start 0: argument 3 is no constant");
	SEC(struct dv_rule, DV_SEC_RULES)->kind = 0;
	refuse_blob("rule 0: unknown kind");
	SEC(struct dv_rule, DV_SEC_RULES)->args = 5;
	refuse_blob("rule 0: no such argument set");
	SEC(struct dv_rule, DV_SEC_RULES)->probe = 5;
	refuse_blob("rule 0: no such probe");
	SEC(struct dv_rule, DV_SEC_RULES)->kind = DV_RULE_GONE;
	refuse_blob("rule 0: bad group");
	*SEC(struct dv_rule, DV_SEC_RULES) = (struct dv_rule){ .kind = DV_RULE_GONE,
	    .raw = DV_NONE, .args = DV_NONE, .probe = DV_MAXGROUP };
	refuse_blob("rule 0: bad group");
	*SEC(struct dv_rule, DV_SEC_RULES) = (struct dv_rule){ .kind = DV_RULE_GONE,
	    .raw = DV_NONE, .args = DV_NONE, .probe = 1 };
	refuse_blob("rule 0: bad check");
	SEC(struct dv_site, DV_SEC_SITES)->nrule = 5;
	refuse_blob("site 0: bad rules");
	SEC(struct dv_site, DV_SEC_SITES)->group = DV_MAXGROUP;
	refuse_blob("site 0: bad group");
	SEC(struct dv_argset, DV_SEC_ARGSETS)->arg[3].kind = 99;
	refuse_blob("argument set 0: argument 3 is bad");
	SEC(struct dv_layout, DV_SEC_LAYOUT)->pt_levels = 3;
	refuse_blob("layout: 3 levels of page tables");
	SEC(struct dv_layout, DV_SEC_LAYOUT)->ncpu = 300;
	refuse_blob("layout: 300 CPUs are too many");
	SEC(uint64_t, DV_SEC_OPTS)[DV_OPT_NSPEC] = 5000;
	refuse_blob("option nspec: 5000 is out of range (0 to 4096)");
	SEC(uint64_t, DV_SEC_OPTS)[DV_OPT_STRSIZE] = 4;
	refuse_blob("option strsize: 4 is out of range (8 to 65536)");
	SEC(uint64_t, DV_SEC_OPTS)[DV_OPT_CLEANRATE] = 100000;
	refuse_blob("option cleanrate (ns): 100000 is out of range (200000 to 86400000000000)");
	free(blob);
}

/* commit() copies records to where the clause's own would be under way. */
TEST(commit_and_a_record_exclude_each_other)
{
	struct tb t;

	tb_init(&t, 1);
	clause_begin(&t, DV_NONE);
	act_add(&t, DV_ACT_COMMIT, difo_const(&t, 1));
	simple_site(&t, clause_end(&t, DV_CL_COMMITS));
	EXPECT_REFUSED(&t, "clause 0: commit() in a clause with a record");
	t.b.clauses.v[0].flags |= DV_CL_NOREC;
	EXPECT_EQ(tb_load(&t), 0);
	tb_fini(&t);
}

TEST(ids_of_variables_are_unique_in_their_scope)
{
	struct tb t;

	tb_init(&t, 1);
	var_add(&t, DV_VS_GLOBAL, 0, DV_T_INT, 8, 0);
	var_add(&t, DV_VS_LOCAL, 0, DV_T_INT, 8, 0);
	t.b.vars.v[1].id = t.b.vars.v[0].id;
	EXPECT_EQ(tb_load(&t), 0);
	t.b.vars.v[1].scope = DV_VS_GLOBAL;
	EXPECT_REFUSED(&t, "variable 1: its id is taken by variable 0");
	tb_fini(&t);
}

TEST_MAIN()
