/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exec.c - fuzzes the whole way of a program: D text is compiled, verified, run
 * on the scripted guest of tests/d, and its records are printed. What the
 * compiler emits, the verifier accepts, but for limits that only the machine
 * knows; what runs stays in its bounds, and the accounts add up.
 */
#include "tests/d/scene.h"
#include "cli/consume/cn.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
put(void *arg, const char *s, size_t n)
{
	(void)s;
	*(size_t *)arg += n;
}

static void
message(void *arg, const char *line)
{
	*(size_t *)arg += strlen(line);
}

/* Sizes are the user's: a program may be refused for them. */
static bool
is_limit(const char *why)
{
	static const char *const texts[] = { "Enabling exceeds size of", "END enablings exceed size",
	    "out of memory", "too many", "too large", "out of range", "does not fit" };
	unsigned i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strstr(why, texts[i]) != NULL)
			return true;
	return false;
}

static void
take(struct dv_sim *sim, struct cn *cn)
{
	struct dv_snap snap;
	struct dv_err err;
	const uint8_t *data;
	unsigned i;

	for (i = 0; i < 2; i++) {
		data = dv_sim_snap(sim, 1 - i, DV_BUF_PRINCIPAL, &snap);
		if (cn_take_records(cn, 1 - i, data, &snap, &err) != 0)
			abort();
		data = dv_sim_snap(sim, i, DV_BUF_AGG, &snap);
		if (cn_take_aggs(cn, i, data, &snap, &err) != 0)
			abort();
	}
}

static void
fire(struct guest *g, struct cn *cn)
{
	unsigned i;

	dv_sim_go(g->sim);
	for (i = 0; i < 3; i++) {
		dv_sim_reg(g->sim, 0)[DV_REG_RDI] = g->task;
		dv_sim_reg(g->sim, 0)[DV_REG_RSI] = i;
		dv_sim_reg(g->sim, 0)[DV_REG_RDX] = i * 10;
		(void)dv_sim_hit_at(g->sim, 0, DV_SIM_TEXT + 0x100);
		dv_sim_reg(g->sim, 0)[DV_REG_RSI] = -(uint64_t)i;
		(void)dv_sim_hit_at(g->sim, 0, DV_SIM_TEXT + 0x200);
		dv_sim_timer(g->sim, -1, 0);
		dv_sim_clean(g->sim);
	}
	take(g->sim, cn);
	dv_sim_stop(g->sim);
	dv_sim_clean(g->sim);
	take(g->sim, cn);
	cn_flush(cn, ~(uint64_t)0);
	cn_finish(cn);
}

static void
check_accounts(struct dv_sim *sim)
{
	uint32_t i, n = dv_state_prog(dv_sim_state(sim))->necbs;
	struct dv_account a;

	for (i = 0; i < n; i++)
		if (dv_account(dv_sim_state(sim), i, &a) != 0 ||
		    a.fired != a.recorded + a.norecord + a.dropped + a.faulted + a.speculated +
		    a.spec_dropped + a.spec_refused + a.spec_discarded + a.agg_dropped +
		    a.overwritten + a.after_exit)
			abort();
}

static void
cap(uint64_t *opt, uint64_t max)
{
	if (*opt > max)
		*opt = max;
}

static void
run(struct guest *g, struct dv_progb *b)
{
	static const uint32_t cpu_ids[2] = { 0, 0 };
	size_t len, printed = 0, priv, shared;
	struct cn_config cfg = { .out = put, .msg = message, .arg = &printed, .ncpu = 2 };
	struct dv_reason why = { .text = "" };
	struct dv_err err;
	struct cn *cn;
	void *blob;

	b->opts[DV_OPT_DESTRUCTIVE] = 1;
	cap(&b->opts[DV_OPT_BUFSIZE], 65536);
	cap(&b->opts[DV_OPT_AGGSIZE], 65536);
	cap(&b->opts[DV_OPT_DYNVARSIZE], 65536);
	cap(&b->opts[DV_OPT_SPECSIZE], 16384);
	cap(&b->opts[DV_OPT_NSPEC], 4);
	b->layout = *dv_sim_layout(g->sim);
	b->host_execname = dv_progb_str(b, "dvisor");
	if (dv_progb_finish(b, &err, &blob, &len) != 0)
		return;
	if (dv_state_sizes(blob, len, 1, &priv, &shared, &why) != 0 ||
	    (priv + shared <= (64u << 20) && dv_sim_load(g->sim, blob, len, &why) != 0)) {
		if (!is_limit(why.text)) {
			fprintf(stderr, "refused: %s\n", why.text);
			abort();
		}
	} else if (priv + shared <= (64u << 20)) {
		cfg.prog = dv_state_prog(dv_sim_state(g->sim));
		cfg.cpu_ids = cpu_ids;
		if (cn_open(&cfg, &err, &cn) != 0) {
			fprintf(stderr, "consumer: %s\n", err.text);
			abort();
		}
		fire(g, cn);
		check_accounts(g->sim);
		cn_close(cn);
		dv_sim_unload(g->sim);
	}
	free(blob);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const argv[] = { "exec", "1", "word", "a b" };
	struct guest g = { .sim = NULL };
	struct dc_types types = { &g, ty_find, ty_info, ty_member, ty_symbol, ty_enumerator };
	struct dc_probes ps = { NULL, match };
	struct dc_config cfg = { .types = &types, .probes = &ps, .program = "exec",
	    .macros = { .pid = 77, .argc = 4, .argv = argv } };
	struct enabling en = { .v = { 0 } };
	struct dc_source src = { .name = "exec", .len = size, .clause = clause, .arg = &en };
	struct dv_progb b;
	struct dv_err err = { 0 };
	struct dc *dc;
	char *text = malloc(size + 1);

	if (text == NULL || dv_progb_init(&b) != 0 || dc_open(&cfg, &err, &dc) != 0 ||
	    dc_library(dc, "prelude", prelude, &err) != 0 ||
	    dc_option(dc, "argref", NULL, &err) != 0)
		abort();
	make_guest(&g);
	memcpy(text, data, size);
	text[size] = '\0';
	src.text = text;
	if (dc_compile(dc, &src, &b, &err) == 0 && dc_finish(dc, &b, &err) == 0) {
		add_probes(&b, &en);
		run(&g, &b);
	} else if (err.text[0] == '\0')
		abort();
	free(text);
	dv_vec_fini(&en.v);
	dv_progb_fini(&b);
	dc_close(dc);
	dv_sim_destroy(g.sim);
	return 0;
}
