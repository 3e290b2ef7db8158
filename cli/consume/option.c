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
#include <strings.h>

enum type { BOOL, SIZE, RATE, INT, STR, POLICY, RESIZE };

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

static int
parse_bool(const char *s, uint64_t *ret)
{
	static const char *const no[] = { "0", "no", "off", "false", "disabled", "unset" };
	static const char *const yes[] = { "", "1", "yes", "on", "true", "enabled", "set" };
	size_t i;

	for (i = 0; i < sizeof(no) / sizeof(*no); i++)
		if (strcasecmp(s, no[i]) == 0) {
			*ret = 0;
			return 0;
		}
	for (i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		if (strcasecmp(s, yes[i]) == 0) {
			*ret = 1;
			return 0;
		}
	return DV_E_INVAL;
}

/* Nanoseconds per period. */
static int
parse_rate(const char *s, uint64_t *ret)
{
	static const struct { const char *suffix; uint64_t ns; } units[] = {
		{ "ns", 1 }, { "nsec", 1 }, { "us", 1000 }, { "usec", 1000 },
		{ "ms", 1000000 }, { "msec", 1000000 },
		{ "s", 1000000000 }, { "sec", 1000000000 },
		{ "m", 60000000000 }, { "min", 60000000000 },
		{ "h", 3600000000000 }, { "hour", 3600000000000 },
		{ "d", 86400000000000 }, { "day", 86400000000000 },
		{ "hz", 0 }, { "", 0 },
	};
	unsigned long long v;
	char *end;
	size_t i;

	if (*s < '0' || *s > '9')
		return DV_E_INVAL;
	v = strtoull(s, &end, 10);
	for (i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcasecmp(end, units[i].suffix) != 0)
			continue;
		if (v == 0)
			return DV_E_INVAL;
		if (units[i].ns == 0) {
			*ret = v > 1000000000 ? 1 : 1000000000 / v;
			return 0;
		}
		return __builtin_mul_overflow((uint64_t)v, units[i].ns, ret) ?
		    DV_E_INVAL : 0;
	}
	return DV_E_INVAL;
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
		rc = parse_bool(s, &v);
		break;
	case RATE:
		rc = parse_rate(s, &v);
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
