/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option.c - options by name: opts.def tells their types.
 *
 * Values are kept in c->opt as the machine and the consumer want them: sizes
 * in bytes, rates in nanoseconds per period, choices by number.
 */
#include "impl.h"

enum opt_type { OT_BOOL, OT_SIZE, OT_RATE, OT_INT, OT_STR, OT_POLICY, OT_RESIZE };

static const struct {
	const char *name;
	enum opt_type type;
	const char *flags;
} opts[DV_NOPT] = {
#define DV_OPT(name, text, type, dflt, flags) [DV_OPT_##name] = { text, OT_##type, flags },
#include "abi/opts.def"
};

static bool
parse_word(const char *s, const char *const *words, uint64_t *ret)
{
	for (*ret = 0; words[*ret] != NULL; (*ret)++)
		if (strcmp(words[*ret], s) == 0)
			return true;
	return false;
}

static bool
parse(enum dv_opt o, const char *s, uint64_t *ret)
{
	static const char *const policy[] = { "switch", "fill", "ring", NULL };
	static const char *const resize[] = { "auto", "manual", NULL };

	if (opts[o].type == OT_BOOL) {
		if (s == NULL) {
			*ret = 1;
			return true;
		}
		return dv_parse_bool(s, ret) == 0;
	}
	if (opts[o].type == OT_STR)
		return s != NULL;
	if (s == NULL)
		return false;
	switch (opts[o].type) {
	case OT_SIZE:
		if (dv_parse_size(s, ret) != 0)
			return false;
		return o != DV_OPT_STRSIZE || (*ret >= 8 && *ret <= 65536);
	case OT_RATE:
		return dv_parse_rate(s, ret) == 0;
	case OT_INT:
		if (dv_parse_u64(s, ret) != 0)
			return false;
		switch (o) {
		case DV_OPT_STACKFRAMES: case DV_OPT_USTACKFRAMES: case DV_OPT_JSTACKFRAMES:
			return *ret > 0 && *ret <= 65535;
		default:
			return *ret <= INT32_MAX;
		}
	case OT_POLICY:
		return parse_word(s, policy, ret);
	default:
		return parse_word(s, resize, ret);
	}
}

/* What the machine will take; it checks again. Others: any. */
static bool
in_range(enum dv_opt o, uint64_t v)
{
	switch (o) {
	case DV_OPT_BUFSIZE: return v >= 8 && v <= 1ull << 36;
	case DV_OPT_AGGSIZE: return v >= 8 && v <= 1ull << 34;
	case DV_OPT_SPECSIZE: return v >= 8 && v <= 1ull << 30;
	case DV_OPT_DYNVARSIZE: return v >= 8 && v <= 1ull << 31;
	case DV_OPT_SCRATCHSIZE: return v <= 1ull << 24;
	case DV_OPT_NSPEC: return v <= 4096;
	default: return true;
	}
}

/* Why an option that DTrace has is refused, or NULL. */
static const char *
refused(enum dv_opt o, uint64_t v)
{
	switch (o) {
	case DV_OPT_BUFRESIZE:
		return v != 0 ? NULL : "buffers are never made smaller than asked for, "
		    "so only bufresize=manual can be had";
	case DV_OPT_JSTACKFRAMES:
	case DV_OPT_JSTACKSTRSIZE:
		return "jstack() is not available in this version";
	default:
		return NULL;
	}
}

int
op_set(struct dc *c, const char *name, const char *value, bool program, struct dv_err *err)
{
	uint64_t v = 0;
	const char *why;
	unsigned o;

	for (o = 0; o < DV_NOPT; o++)
		if (strcmp(opts[o].name, name) == 0)
			break;
	if (o == DV_NOPT)
		return dv_err_set(err, DV_E_INVAL,
		    "failed to set option '%s' to '%s': Invalid option name", name,
		    value != NULL ? value : "");
	if (program && strchr(opts[o].flags, 'X') != NULL)
		return dv_err_set(err, DV_E_INVAL, "failed to set option '%s' to '%s': Option cannot "
		    "be set from a program", name, value != NULL ? value : "");
	if (!parse(o, value, &v) || !in_range(o, v))
		return dv_err_set(err, DV_E_INVAL,
		    "failed to set option '%s' to '%s': Invalid value for specified option", name,
		    value != NULL ? value : "");
	if ((why = refused(o, v)) != NULL)
		return dv_err_set(err, DV_E_UNSUP, "failed to set option '%s' to '%s': %s", name,
		    value != NULL ? value : "", why);
	/* What the command line says holds. */
	if (program && c->opt_set[o] && !c->opt_program[o])
		return 0;
	c->opt[o] = v;
	c->opt_set[o] = true;
	c->opt_program[o] = program;
	if (opts[o].type == OT_STR)
		c->opt_str[o] = dc_strdup(c, value, strlen(value));
	return 0;
}
