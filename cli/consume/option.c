/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option.c - options as the consumer reads them, and setopt().
 *
 * While tracing, only what the consumer alone reads can change: an option
 * that the machine or the compiler reads has had its effect.
 */
#include "cn_impl.h"
#include "base/str.h"

#include <stdlib.h>

enum type { BOOL, SIZE, RATE, INT, STR, POLICY, RESIZE, VERSION, ATTR };

static const struct option {
	const char *name;
	enum type type;
	const char *flags;
} options[DV_NOPT] = {
#define DV_OPT(name, text, type, dflt, flags) [DV_OPT_##name] = { text, type, flags },
#include "abi/opts.def"
};

uint64_t
cn_option(const struct cn *c, enum dv_opt opt)
{
	return (unsigned)opt < DV_NOPT ? c->opts[opt] : 0;
}

void
cn_options_changed(struct cn *c)
{
	uint64_t indent = c->opts[DV_OPT_STACKINDENT];

	c->quiet = c->opts[DV_OPT_QUIET] != 0;
	c->flow = c->opts[DV_OPT_FLOWINDENT] != 0;
	c->temporal = c->opts[DV_OPT_TEMPORAL] != 0;
	c->zoom = c->opts[DV_OPT_AGGZOOM] != 0;
	c->indent = indent < 512 ? (unsigned)indent : 512;
}

/* DV_E_NOENT: unknown; DV_E_INVAL: a bad value; DV_E_BUSY: not while tracing. */
int
cn_setopt(struct cn *c, const char *name, const char *value, struct dv_err *err)
{
	const char *s = value != NULL ? value : "";
	uint64_t v = 0;
	unsigned i;
	int rc;

	for (i = 0; i < DV_NOPT && strcmp(options[i].name, name) != 0; i++)
		;
	if (i == DV_NOPT)
		return dv_err_set(err, DV_E_NOENT, "invalid option name");
	if (strcmp(options[i].flags, "P") != 0)
		return dv_err_set(err, DV_E_BUSY, "operation illegal when tracing is active");
	switch (options[i].type) {
	case BOOL:
		rc = value == NULL ? (v = 1, 0) : dv_parse_bool(s, &v);
		break;
	case RATE:
		rc = dv_parse_rate(s, &v);
		break;
	default:
		rc = dv_parse_size(s, &v);
	}
	if (rc != 0)
		return dv_err_set(err, DV_E_INVAL, "invalid value for specified option");
	c->opts[i] = v;
	cn_options_changed(c);
	return 0;
}
