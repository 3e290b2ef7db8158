/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * d.c - fuzzes the compiler: any bytes are refused with a reason, or make a
 * program that the probe machine accepts or refuses. Nothing may crash, leak
 * or run long. A first byte of L makes it a library, of E an expression.
 */
#include "dcomp/dcomp.h"
#include "core/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
match(void *arg, const struct dc_pdesc *d, struct dc_probeinfo *ret, struct dv_err *err)
{
	(void)arg;
	(void)err;
	ret->nmatched = d->prov[0] != '!';
	ret->nargs = 2;
	ret->args[0] = (struct dc_arg){ "struct t *", 0, "x_t *", 0 };
	ret->args[1] = (struct dc_arg){ "int", 0, NULL, 1 };
	return 0;
}

static const char prelude[] =
"struct t { int a; char b[16]; struct t *next; unsigned c:3; };\n"
"typedef struct x { int a; string b; } x_t;\n"
"translator x_t < struct t *T > { a = T->a; b = T->b; };\n"
"inline x_t *cur = xlate<x_t *>((struct t *)curthread);\n"
"inline int ONE = 1;\n";

static void
put(void *arg, const char *line)
{
	*(size_t *)arg += strlen(line);
}

static void
described(void *arg, const char *desc, uint64_t nmatched, struct dc_attr probe, struct dc_attr stmt)
{
	*(size_t *)arg += strlen(desc) + nmatched + strlen(dc_class_name(probe.class)) +
	    strlen(dc_stability_name(stmt.data));
}

static void
load(struct dv_progb *b)
{
	struct dv_carrier car = { .no_halt = "there is no guest" };
	struct dv_reason why;
	struct dv_state *s;
	struct dv_err err;
	void *blob, *p, *q;
	size_t len, pl, ql;

	if (dv_progb_finish(b, &err, &blob, &len) != 0)
		return;
	if (dv_state_sizes(blob, len, 1, &pl, &ql, &why) == 0 && pl + ql < (64u << 20)) {
		p = aligned_alloc(4096, pl);
		q = aligned_alloc(4096, ql);
		if (p != NULL && q != NULL) {
			memset(p, 0, pl);
			memset(q, 0, ql);
			(void)dv_state_create(blob, len, 1, p, pl, q, ql, &car, 1, &why, &s);
		}
		free(p);
		free(q);
	}
	free(blob);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const argv[] = { "a", "1", "x y" };
	struct dc_probes ps = { NULL, match };
	struct dc_config cfg = { .probes = &ps, .program = "fuzz",
	    .macros = { .argc = 3, .argv = argv } };
	struct dc_source src = { .name = "fuzz" };
	struct dv_progb b;
	struct dv_err err;
	struct dc *dc;
	uint32_t difo;
	size_t n = 0;
	char *text;

	if (dc_open(&cfg, &err, &dc) != 0 || dc_library(dc, "p", prelude, &err) != 0 ||
	    dv_progb_init(&b) != 0)
		abort();
	text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	if (size > 0 && data[0] == 'L')
		(void)dc_library(dc, "l", text + 1, &err);
	else if (size > 0 && data[0] == 'E')
		(void)dc_expr(dc, "e", text + 1, &b, &difo, &err);
	else {
		src.text = text;
		src.len = size;
		src.flags = size & 1 ? DC_F_PSPEC : 0;
		src.described = described;
		src.dump = put;
		src.arg = &n;
		if (dc_compile(dc, &src, &b, &err) == 0) {
			b.opts[DV_OPT_DESTRUCTIVE] = 1;
			b.opts[DV_OPT_BUFSIZE] = b.opts[DV_OPT_AGGSIZE] = 65536;
			dc_disasm(&b, put, &n);
			load(&b);
		} else if (err.text[0] == '\0')
			abort();
	}
	free(text);
	dv_progb_fini(&b);
	dc_close(dc);
	return 0;
}
