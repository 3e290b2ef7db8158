/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option.c - options by name: opts.def tells their types.
 *
 * Values are kept in c->opt as the machine and the consumer want them: sizes
 * in bytes, rates in nanoseconds per period, choices by number.
 */
#include "impl.h"

enum opt_type {
	OT_BOOL, OT_SIZE, OT_RATE, OT_INT, OT_STR, OT_POLICY, OT_RESIZE, OT_VERSION, OT_ATTR
};

static const struct {
	const char *name;
	enum opt_type type;
	const char *flags;
} opts[DV_NOPT] = {
#define DV_OPT(name, text, type, dflt, flags) [DV_OPT_##name] = { text, OT_##type, flags },
#include "abi/opts.def"
};

/* What DTrace can set and nobody can set here. */
static const struct { const char *name, *value, *why; } fixed[] = {
#define DV_OPT_FIXED(text, value, why) { text, value, why },
#include "abi/opts.def"
};

/* "1.2" or "1.2.3" as a number that can be compared. */
bool
op_version(const char *s, uint64_t *ret)
{
	static const unsigned max[] = { 255, 4095, 4095 }, bits[] = { 24, 12, 0 };
	unsigned i, v;

	for (i = 0, *ret = 0; i < 3; i++) {
		if (*s < '0' || *s > '9')
			return false;
		for (v = 0; *s >= '0' && *s <= '9'; s++)
			if ((v = v * 10 + (unsigned)(*s - '0')) > max[i])
				return false;
		*ret |= (uint64_t)v << bits[i];
		if (*s == '\0')
			return i > 0;
		if (*s++ != '.')
			return false;
	}
	return false;
}

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
	case OT_VERSION:
		return op_version(s, ret);
	case OT_ATTR:
		return at_parse(s, ret);
	case OT_INT:
		if (dv_parse_u64(s, ret) != 0)
			return false;
		switch (o) {
		case DV_OPT_STACKFRAMES: case DV_OPT_USTACKFRAMES: case DV_OPT_JSTACKFRAMES:
		case DV_OPT_MAXFRAMES:
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
	case DV_OPT_CLEANRATE: return v >= 200000 && v <= 86400000000000;
	default: return true;
	}
}

/* Why an option that DTrace has is refused, or NULL. */
static const char *
refused(enum dv_opt o, uint64_t v)
{
	uint64_t mine = 0;

	switch (o) {
	case DV_OPT_JSTACKFRAMES:
	case DV_OPT_JSTACKSTRSIZE:
		return "there is no jstack(): processes of Linux have no helpers for it";
	case DV_OPT_VERSION:
		op_version(DV_D_VERSION, &mine);
		return v <= mine ? NULL : "the version of D here is " DV_D_VERSION;
	default:
		return NULL;
	}
}

static int
bad_option(struct dv_err *err, int code, const char *name, const char *value, const char *why)
{
	return dv_err_set(err, code, "failed to set option '%s' to '%s': %s", name,
	    value != NULL ? value : "", why);
}

/* An option that has one value, or none. */
static int
set_fixed(const char *name, const char *value, struct dv_err *err)
{
	size_t i;

	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (strcmp(fixed[i].name, name) == 0)
			break;
	if (i == sizeof(fixed) / sizeof(fixed[0]))
		return bad_option(err, DV_E_INVAL, name, value, "Invalid option name");
	if (fixed[i].value != NULL && value != NULL && strcmp(fixed[i].value, value) == 0)
		return 0;
	return bad_option(err, DV_E_UNSUP, name, value, fixed[i].why);
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
		return set_fixed(name, value, err);
	if (program && strchr(opts[o].flags, 'X') != NULL)
		return bad_option(err, DV_E_INVAL, name, value,
		    "Option cannot be set from a program");
	if (!parse(o, value, &v) || !in_range(o, v))
		return bad_option(err, DV_E_INVAL, name, value,
		    "Invalid value for specified option");
	if ((why = refused(o, v)) != NULL)
		return bad_option(err, DV_E_UNSUP, name, value, why);
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
