/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opts.c - dtrace(1)'s options, and ours as long options.
 *
 * The short options keep dtrace's meaning. What cannot mean anything here
 * (-h -G -a -A -32 -64 -X) is refused by name, with the reason. After a
 * script, everything that is no option is a macro argument; with --boot, what
 * follows `--` goes to QEMU.
 *
 * -P, -m, -f and -i are ways to write a probe description; their argument may
 * go on with a predicate and actions, so they become the text of a -n with the
 * missing fields filled in.
 */
#include "opts.h"

#include "base/str.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum {
	OPT_VM = 256, OPT_BOOT, OPT_KERNEL, OPT_INITRD, OPT_APPEND, OPT_PROFILE, OPT_HELP
};

static const struct option long_options[] = {
	{ "vm", required_argument, NULL, OPT_VM },
	{ "boot", no_argument, NULL, OPT_BOOT },
	{ "kernel", required_argument, NULL, OPT_KERNEL },
	{ "initrd", required_argument, NULL, OPT_INITRD },
	{ "append", required_argument, NULL, OPT_APPEND },
	{ "profile", required_argument, NULL, OPT_PROFILE },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 }
};

/* '+': stop at the first operand, so that a macro argument may begin with '-'. */
static const char short_options[] = "+:n:s:P:m:f:i:eSlqo:x:FvVwZCD:U:I:HL:c:p:b:hGaAX:d3:6:";

static const struct { int c; const char *why; } refused[] = {
	{ 'h', "header generation for USDT providers has no guest counterpart" },
	{ 'G', "USDT object generation has no guest counterpart" },
	{ 'a', "anonymous tracing is not needed: --boot traces from the first kernel instruction" },
	{ 'A', "anonymous tracing is not needed: --boot traces from the first kernel instruction" },
	{ 'X', "the C dialect of D programs is fixed" },
	{ '3', "guests are 64-bit x86" },
	{ '6', "guests are always 64-bit x86" },
};

void
dv_opts_usage(void)
{
	puts(
"usage: dvisor [--vm SPEC | --boot] [-CdeFHlqSvVwZ] [-b SIZE] [-c COMMAND]\n"
"              [-D NAME[=VALUE]] [-I DIR] [-L DIR] [-o FILE] [-p PID] [-s SCRIPT] [-U NAME]\n"
"              [-x OPT[=VAL]] [-P PROVIDER [[PREDICATE] ACTION]] [-m [PROVIDER:]MODULE [...]]\n"
"              [-f [[PROVIDER:]MODULE:]FUNC [...]] [-n PROBE [...]] [-i ID [...]] [ARGS ...]\n"
"       dvisor --boot [--kernel K] [--initrd I] [--append S] ... [-- QEMU ARGS]\n"
"       dvisor guest [--name NAME] [--kernel K] [--initrd I] [--append S] [--hold]\n"
"                    [-- QEMU ARGS]\n"
"       dvisor guest --stop NAME | --resume NAME\n"
"       dvisor snapshot [--vm SPEC] -o FILE | --symbols FILE\n"
"       dvisor vms\n"
"       dvisor doctor\n"
"\n"
"  -n, -s, -P, -m, -f, -i   what to trace: D text, a script, or a probe description\n"
"  -l  list probes instead      -e  stop after compiling     -S  show the compiled DIF\n"
"  -d  show the program as it was understood\n"
"  -q  only explicit output     -F  indent function flow     -o  append output to a file\n"
"  -x  set an option            -b  same as -x bufsize=SIZE  -v  more messages\n"
"  -w  permit destructive actions                            -Z  allow unmatched probes\n"
"  -C  run cpp on programs first (-D -I -U -H as cpp takes them)\n"
"  -c  run a host command and end with it                    -p  set $target\n"
"  -V  print the version\n"
"\n"
"  --vm SPEC       which VM: the name of a guest (see `dvisor vms`)\n"
"  --boot          boot a guest and trace it from its first kernel instruction\n"
"  --profile FILE  compile and list against a snapshot instead of a running guest");
}

/* How many colons come before the predicate or action of a description. */
static size_t
desc_len(const char *s, unsigned *colons)
{
	size_t n;

	*colons = 0;
	for (n = 0; s[n] != '\0' && s[n] != '/' && s[n] != '{' &&
	    !isspace((unsigned char)s[n]); n++)
		if (s[n] == ':')
			(*colons)++;
	return n;
}

/* PROVIDER, [P:]MODULE or [[P:]M:]FUNC to a full description. */
static char *
spec_text(int opt, const char *s)
{
	unsigned colons, want = opt == 'P' ? 0 : opt == 'm' ? 1 : 2;
	const char *before = "", *after = opt == 'P' ? ":::" : opt == 'm' ? "::" : ":";
	size_t n = desc_len(s, &colons);
	char *ret;

	if (colons < want)
		before = want - colons == 2 ? "::" : ":";
	if (asprintf(&ret, "%s%.*s%s%s", before, (int)n, s, after, s + n) < 0)
		return NULL;
	return ret;
}

/*
 * Does the next argument go on with a program of -n, -P, -m, -f or -i? A
 * predicate or a clause may be an argument of its own; a path may not be taken
 * for a predicate.
 */
static bool
continues(const char *text, const char *arg)
{
	size_t n = strlen(arg);

	while (n > 0 && isspace((unsigned char)arg[n - 1]))
		n--;
	if (n < 2 || strpbrk(text, "{;") != NULL)
		return false;
	if (*arg == '{')
		return arg[n - 1] == '}';
	return *arg == '/' && (arg[n - 1] == '/' || arg[n - 1] == '}') && strchr(text, '/') == NULL;
}

static int
continue_program(struct dv_opts *o, const char *arg, struct dv_err *err)
{
	struct dv_program_opt *p = &o->programs.v[o->programs.n - 1];
	char *text;

	if (asprintf(&text, "%s %s", p->text, arg) < 0)
		return dv_err_nomem(err);
	free(p->text);
	p->text = text;
	return 0;
}

static int
add_program(struct dv_opts *o, enum dv_program_kind kind, char *text, struct dv_err *err)
{
	struct dv_program_opt p = { kind, text };

	if (text == NULL || dv_vec_push(&o->programs, p) != 0) {
		free(text);
		return dv_err_nomem(err);
	}
	return 0;
}

static int
add_xopt(struct dv_opts *o, const char *name, const char *value, struct dv_err *err)
{
	struct dv_xopt x;
	const char *eq = value == NULL ? strchr(name, '=') : NULL;

	x.name = eq != NULL ? strndup(name, (size_t)(eq - name)) : strdup(name);
	x.value = eq != NULL ? strdup(eq + 1) : value != NULL ? strdup(value) : NULL;
	if (x.name == NULL || ((eq != NULL || value != NULL) && x.value == NULL) ||
	    dv_vec_push(&o->xopts, x) != 0) {
		free(x.name);
		free(x.value);
		return dv_err_nomem(err);
	}
	return 0;
}

#define add_string(vec, s, err) \
	__extension__({ \
		char *copy_ = strdup(s); \
		copy_ != NULL && dv_vec_push((vec), copy_) == 0 ? 0 : \
		    (free(copy_), dv_err_nomem(err)); \
	})

static int
set_string(char **to, const char *s, struct dv_err *err)
{
	char *copy = strdup(s);

	if (copy == NULL)
		return dv_err_nomem(err);
	free(*to);
	*to = copy;
	return 0;
}

static int
add_cpparg(struct dv_opts *o, int c, const char *arg, struct dv_err *err)
{
	char text[4096];

	if (c == 'H')
		return add_string(&o->cppargs, "-H", err);
	if (snprintf(text, sizeof(text), "-%c%s", c, arg) >= (int)sizeof(text))
		return dv_err_set(err, DV_E_USAGE, "argument of -%c is too long", c);
	return add_string(&o->cppargs, text, err);
}

static int
refuse(int c, struct dv_err *err)
{
	size_t i;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (refused[i].c == c)
			return dv_err_set(err, DV_E_USAGE, "option -%s is not supported: %s",
			    c == '3' ? "32" : c == '6' ? "64" : (char[]){ (char)c, 0 },
			    refused[i].why);
	return dv_err_set(err, DV_E_USAGE, "unknown option -%c. Try: dvisor --help", c);
}

/* -c, -p */
static int
set_target(struct dv_opts *o, int c, const char *arg, struct dv_err *err)
{
	if (o->command != NULL || o->pid != NULL)
		return dv_err_set(err, DV_E_USAGE,
		    "-c and -p set $target: give one of them, once");
	if (c == 'c')
		return set_string(&o->command, arg, err);
	if (dv_parse_u64(arg, &o->target) != 0 || o->target == 0 || o->target > INT32_MAX)
		return dv_err_set(err, DV_E_USAGE, "-p takes a process id, not \"%s\"", arg);
	return set_string(&o->pid, arg, err);
}

static int
one_option(struct dv_opts *o, int c, const char *word, struct dv_err *err)
{
	switch (c) {
	case 'n':
		return add_program(o, DV_PROG_TEXT, strdup(optarg), err);
	case 'i':
		if (!isdigit((unsigned char)*optarg))
			return dv_err_set(err, DV_E_USAGE, "-i takes a probe id, not \"%s\"",
			    optarg);
		return add_program(o, DV_PROG_TEXT, strdup(optarg), err);
	case 's':
		return add_program(o, DV_PROG_FILE, strdup(optarg), err);
	case 'P':
	case 'm':
	case 'f':
		return add_program(o, DV_PROG_TEXT, spec_text(c, optarg), err);
	case 'e':
		o->mode = DV_MODE_COMPILE;
		return 0;
	case 'S':
		o->listing = true;
		return 0;
	case 'd':
		o->sugar = true;
		return 0;
	case 'l':
		o->mode = DV_MODE_LIST;
		return 0;
	case 'q':
		o->quiet = true;
		return add_xopt(o, "quiet", NULL, err);
	case 'F':
		o->flowindent = true;
		return add_xopt(o, "flowindent", NULL, err);
	case 'w':
		o->destructive = true;
		return add_xopt(o, "destructive", NULL, err);
	case 'Z':
		o->zdefs = true;
		return add_xopt(o, "zdefs", NULL, err);
	case 'o':
		return set_string(&o->output, optarg, err);
	case 'x':
		return add_xopt(o, optarg, NULL, err);
	case 'b':
		return add_xopt(o, "bufsize", optarg, err);
	case 'v':
		o->verbose = true;
		return 0;
	case 'V':
		o->version = true;
		return 0;
	case 'C':
		o->cpp = true;
		return 0;
	case 'D':
	case 'U':
	case 'I':
	case 'H':
		return add_cpparg(o, c, optarg, err);
	case 'L':
		return add_xopt(o, "libdir", optarg, err);
	case 'c':
	case 'p':
		return set_target(o, c, optarg, err);
	case OPT_VM:
		return add_string(&o->vms, optarg, err);
	case OPT_BOOT:
		o->boot = true;
		return 0;
	case OPT_KERNEL:
		return set_string(&o->kernel, optarg, err);
	case OPT_INITRD:
		return set_string(&o->initrd, optarg, err);
	case OPT_APPEND:
		return set_string(&o->append, optarg, err);
	case OPT_PROFILE:
		return set_string(&o->profile, optarg, err);
	case ':':
		if (optopt >= 256)
			return dv_err_set(err, DV_E_USAGE, "option --%s needs an argument",
			    long_options[optopt - OPT_VM].name);
		return dv_err_set(err, DV_E_USAGE, "option -%c needs an argument", optopt);
	case '?':
		if (optopt == 0 || optopt >= 256)
			return dv_err_set(err, DV_E_USAGE, optopt == 0 ?
			    "unknown option %s. Try: dvisor --help" :
			    "option %s takes no value", word);
		return refuse(optopt, err);
	default:
		return refuse(c, err);
	}
}

static bool
has_xopt(const struct dv_opts *o, const char *name)
{
	size_t i;

	for (i = 0; i < o->xopts.n; i++)
		if (strcmp(o->xopts.v[i].name, name) == 0)
			return true;
	return false;
}

static int
check(const struct dv_opts *o, struct dv_err *err)
{
	if (o->boot && o->vms.n != 0)
		return dv_err_set(err, DV_E_USAGE,
		    "--boot starts a guest of its own; --vm cannot be given with it");
	if (o->profile != NULL && (o->boot || o->vms.n != 0))
		return dv_err_set(err, DV_E_USAGE,
		    "--profile needs no guest; leave out --vm and --boot");
	if (o->profile != NULL && o->mode == DV_MODE_TRACE && !o->listing)
		return dv_err_set(err, DV_E_USAGE,
		    "--profile is for compiling and listing: add -e, -l or -S");
	if (!o->boot && (o->kernel != NULL || o->initrd != NULL || o->append != NULL))
		return dv_err_set(err, DV_E_USAGE,
		    "--kernel, --initrd and --append go with --boot");
	if (!o->boot && o->qemu_args.n != 0)
		return dv_err_set(err, DV_E_USAGE,
		    "arguments after -- are QEMU's: they need --boot");
	if (o->cppargs.n != 0 && !o->cpp && !has_xopt(o, "cpp"))
		return dv_err_set(err, DV_E_USAGE, "%.2s is cpp's: it needs -C", o->cppargs.v[0]);
	if (o->programs.n == 0 && o->mode != DV_MODE_LIST && !o->version)
		return dv_err_set(err, DV_E_USAGE,
		    "no program: give -n TEXT, -s SCRIPT, or -P, -m, -f, -i. Try: dvisor --help");
	return 0;
}

int
dv_opts_parse(struct dv_opts *o, int argc, char **argv, struct dv_err *err)
{
	int c, rc, i, nargs = argc;

	memset(o, 0, sizeof(*o));
	/*
	 * With --boot all after "--" is QEMU's. Without, "--" ends the options,
	 * as getopt has it.
	 */
	for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strlen(argv[i]) > 2 && strncmp("--boot", argv[i], strlen(argv[i])) == 0)
			o->boot = true;
	if (o->boot)
		for (i = 1; i < argc; i++)
			if (strcmp(argv[i], "--") == 0) {
				nargs = i;
				break;
			}
	for (i = nargs + 1; i < argc; i++)
		if ((rc = add_string(&o->qemu_args, argv[i], err)) != 0)
			return rc;
	optind = 0;
	opterr = 0;
	for (;;) {
		while ((c = getopt_long(nargs, argv, short_options, long_options, NULL)) != -1) {
			if (c == OPT_HELP)
				return 1;
			if ((rc = one_option(o, c, argv[optind - 1], err)) != 0)
				return rc;
			while (c < 256 && strchr("nPmfi", c) != NULL && optind < nargs &&
			    continues(o->programs.v[o->programs.n - 1].text, argv[optind]))
				if ((rc = continue_program(o, argv[optind++], err)) != 0)
					return rc;
		}
		if (optind >= nargs)
			break;
		/* An operand: a macro argument. Options may follow it. */
		if (optind > 1 && strcmp(argv[optind - 1], "--") == 0) {
			for (; optind < nargs; optind++)
				if ((rc = add_string(&o->args, argv[optind], err)) != 0)
					return rc;
			break;
		}
		if ((rc = add_string(&o->args, argv[optind++], err)) != 0)
			return rc;
	}
	return check(o, err);
}

void
dv_opts_fini(struct dv_opts *o)
{
	size_t i;

	for (i = 0; i < o->programs.n; i++)
		free(o->programs.v[i].text);
	for (i = 0; i < o->xopts.n; i++) {
		free(o->xopts.v[i].name);
		free(o->xopts.v[i].value);
	}
	for (i = 0; i < o->vms.n; i++)
		free(o->vms.v[i]);
	for (i = 0; i < o->cppargs.n; i++)
		free(o->cppargs.v[i]);
	for (i = 0; i < o->qemu_args.n; i++)
		free(o->qemu_args.v[i]);
	for (i = 0; i < o->args.n; i++)
		free(o->args.v[i]);
	dv_vec_fini(&o->programs);
	dv_vec_fini(&o->xopts);
	dv_vec_fini(&o->vms);
	dv_vec_fini(&o->cppargs);
	dv_vec_fini(&o->qemu_args);
	dv_vec_fini(&o->args);
	free(o->output);
	free(o->profile);
	free(o->kernel);
	free(o->initrd);
	free(o->append);
	free(o->command);
	free(o->pid);
	memset(o, 0, sizeof(*o));
}
