/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack.c - fuzzes the unwinder: the input is the way of unwinding, then the
 * guest's ORC tables, modules, saved return addresses, kernel stack and user
 * stack, and the registers that a walk begins with. Addresses in it are brought
 * near what is mapped three times of four, so that walks go on. However it is,
 * a walk ends, and only frames that it gave are in the record.
 */
#include "base/progb.h"
#include "core/stack.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NPC	30u
#define TABLES	(DV_SIM_TEXT + 0x1000000ull)
#define STACK	0xffffc90000000000ull
#define USTACK	0x7ffc00001000ull

struct input { const uint8_t *p; size_t n; uint64_t rest; };

/* Past the input's end comes noise that depends on it, so short ones say much, too. */
static uint64_t
take(struct input *in, unsigned bytes)
{
	uint64_t v = 0;

	for (; bytes > 0; bytes--) {
		if (in->n > 0) {
			in->n--;
			in->rest = (in->rest ^ *in->p) * 0x100000001b3ull;
			v = v << 8 | *in->p++;
			continue;
		}
		in->rest ^= in->rest << 13;
		in->rest ^= in->rest >> 7;
		in->rest ^= in->rest << 17;
		v = v << 8 | (in->rest >> 32 & 0xff);
	}
	return v;
}

/* A word of guest memory: often an address that leads somewhere. */
static uint64_t
word(struct input *in)
{
	uint64_t v = take(in, 3);

	switch (v >> 21) {
	case 0: case 1: case 2:
		return DV_SIM_TEXT + (v & 0x3fff);
	case 3: case 4:
		return STACK + (v & 0x3ff8);
	case 5:
		return USTACK + (v & 0xff8);
	case 6:
		return TABLES + (v & 0x1ff8);
	default:
		return v << 43 | take(in, 5);
	}
}

static void
make_unwind(struct dv_unwind *u, struct input *in)
{
	uint8_t *p = (uint8_t *)u;
	size_t i;

	memset(u, 0, sizeof(*u));
	*u = (struct dv_unwind){ .kind = 1 + (uint32_t)(take(in, 1) & 1), .entry_size = 6,
	    .flags = (uint32_t)take(in, 1) & 3, .sp_offset = { 0, 16 }, .bp_offset = { 16, 16 },
	    .sp_reg = { 32, 4 }, .bp_reg = { 36, 4 }, .type = { 40, 2 }, .end = { 42, 1 },
	    .signal = { 43, 1 }, .reg = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 },
	    .orc = { TABLES, TABLES + 0x400, 200, 0 }, .lookup = TABLES + 0x1000, .nlookup = 64,
	    .block_shift = 8, .modules = TABLES + 0x1800, .mod_low = DV_SIM_TEXT + 0x2000,
	    .mod_list = 8, .mod_text = 24, .mod_text_size = 32, .mod_orcs = 36, .mod_orc_ip = 40,
	    .mod_orc_entry = 48, .ftrace_ops = TABLES + 0x1900, .ftrace_caller = DV_SIM_TEXT,
	    .ftrace_regs_caller = DV_SIM_TEXT + 64, .ftrace_save_regs = 4, .ops_next = 8,
	    .ops_flags = 16, .ops_tramp = 24, .ops_tramp_size = 32,
	    .graph_ret = DV_SIM_TEXT + 0x10, .kretprobe_ret = DV_SIM_TEXT + 0x20,
	    .task_rethooks = 0xe0, .rethook_llist = 16, .rethook_ret = 32, .rethook_frame = 40,
	    .task_graph = 0xd0, .task_graph_cur = 0xd8, .graph_size = 32, .graph_retp = 24 };
	for (i = take(in, 1) & 7; i > 0; i--)	/* and some of it wrong */
		p[take(in, 2) % sizeof(*u)] = (uint8_t)take(in, 1);
}

static void
make_prog(struct dv_progb *b)
{
	static const uint16_t vars[] = { DIF_VAR_STACKDEPTH, DIF_VAR_CALLER, DIF_VAR_USTACKDEPTH,
	    DIF_VAR_UCALLER };
	uint32_t i;
	int rc = 0;

	rc |= dv_vec_push(&b->acts, (struct dv_act){ .kind = DV_ACT_STACK, .difo = DV_NONE,
	    .rec = { DV_T_STACK, 0, 0, 8 * NPC } });
	rc |= dv_vec_push(&b->acts, (struct dv_act){ .kind = DV_ACT_USTACK, .difo = DV_NONE,
	    .rec_off = 8 * NPC, .rec = { DV_T_USTACK, 0, 0, 8 + 8 * NPC } });
	rc |= dv_vec_push(&b->clauses, (struct dv_clause){ DV_NONE, 0, 2, 16 * NPC + 8, 0, 0 });
	rc |= dv_vec_push(&b->probes, (struct dv_probe){ 0 });
	rc |= dv_vec_push(&b->ecbs, (struct dv_ecbdesc){ 0, 0 });
	for (i = 0; i < 4; i++) {
		rc |= dv_vec_push(&b->text, DIF_INSTR_WIDE(DIF_OP_LDGS, vars[i], 1));
		rc |= dv_vec_push(&b->text, DIF_INSTR_FMT(DIF_OP_RET, 0, 0, 1));
		rc |= dv_vec_push(&b->difos, (struct dv_difo){ .text = 2 * i, .ntext = 2 });
		rc |= dv_vec_push(&b->acts, (struct dv_act){ .kind = DV_ACT_TRACE, .difo = i,
		    .rec = { DV_T_INT, 0, 0, 8 } });
		rc |= dv_vec_push(&b->clauses, (struct dv_clause){ DV_NONE, 2 + i, 1, 8, 0, 0 });
		rc |= dv_vec_push(&b->ecbs, (struct dv_ecbdesc){ 0, 1 + i });
	}
	rc |= dv_vec_push(&b->rules, (struct dv_rule){ .kind = DV_RULE_FIRE, .guard = DV_NONE,
	    .raw = DV_NONE, .args = DV_NONE });
	if (rc != 0)
		abort();
	b->opts[DV_OPT_BUFSIZE] = 1 << 16;
	b->opts[DV_OPT_AGGSIZE] = b->opts[DV_OPT_DYNVARSIZE] = 4096;
}

static void
fill_guest(struct dv_sim *sim, uint64_t task, uint64_t root, struct input *in)
{
	uint64_t at, v;
	unsigned i;

	for (i = 0; i < 200; i++) {		/* a table; sorted, unless it is not */
		int32_t rel = (int32_t)(DV_SIM_TEXT + i * 64 + (take(in, 1) & 63) -
		    (TABLES + 4 * (uint64_t)i));
		uint16_t e[3] = { (uint16_t)(take(in, 1) * 8), (uint16_t)(take(in, 1) * 8 - 512),
		    (uint16_t)take(in, 2) };

		dv_sim_write(sim, 0, TABLES + 4 * (uint64_t)i, &rel, 4);
		dv_sim_write(sim, 0, TABLES + 0x400 + 6 * (uint64_t)i, e, 6);
	}
	for (at = 0; at < 256; at += 4) {
		uint32_t n = (uint32_t)(at + (take(in, 1) & 3));

		dv_sim_write(sim, 0, TABLES + 0x1000 + at, &n, 4);
	}
	for (at = TABLES + 0x1800; at < TABLES + 0x1a00; at += 8)
		dv_sim_write64(sim, at, word(in));
	for (at = task + 0xd0; at < task + 0xf0; at += 8)
		dv_sim_write64(sim, at, word(in));
	dv_sim_write64(sim, task + 0xc8, STACK);
	for (i = 0; i < 64; i++) {
		v = word(in);
		dv_sim_write(sim, root, USTACK + 8 * i, &v, 8);
		dv_sim_write64(sim, STACK + 16384 - 512 + 8 * i, word(in));
	}
	for (at = STACK; at < STACK + 4096; at += 8)
		dv_sim_write64(sim, at, word(in));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size, 0xcbf29ce484222325ull };
	struct dv_reason why;
	struct dv_progb b;
	struct dv_sim *sim;
	struct dv_err err;
	uint64_t task, root, *reg;
	void *blob;
	size_t len;
	int i;

	sim = dv_sim_create(1, 256 << 10);
	task = dv_sim_task(sim, 7, 7, "sh", 0);
	root = dv_sim_mm(sim, task);
	dv_sim_map(sim, root, USTACK, dv_sim_page(sim));
	for (i = 0; i < 4; i++) {
		dv_sim_map(sim, 0, STACK + (uint64_t)i * 4096, dv_sim_page(sim));
		if (i < 2)
			dv_sim_map(sim, 0, TABLES + (uint64_t)i * 4096, dv_sim_page(sim));
	}
	dv_sim_current(sim, 0, task);
	if (dv_progb_init(&b) != 0)
		abort();
	make_prog(&b);
	make_unwind(&b.unwind, &in);
	reg = dv_sim_reg(sim, 0);
	reg[DV_REG_RSP] = word(&in);
	reg[DV_REG_RBP] = word(&in);
	reg[DV_REG_R10] = word(&in);
	reg[DV_REG_RDX] = word(&in);
	if (dv_vec_push(&b.sites, (struct dv_site){ .addr = word(&in), .nrule = 1 }) != 0)
		abort();
	fill_guest(sim, task, root, &in);
	b.layout = *dv_sim_layout(sim);
	if (dv_progb_finish(&b, &err, &blob, &len) != 0)
		abort();
	if (dv_sim_load(sim, blob, len, &why) == 0) {
		dv_sim_go(sim);
		dv_sim_hit(sim, 0, 0);
		reg[DV_REG_CS] = 0x33;
		dv_sim_hit(sim, 0, 0);
		dv_sim_stop(sim);
	}
	free(blob);
	dv_progb_fini(&b);
	dv_sim_destroy(sim);
	return 0;
}
