/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.c - what was asked for with -n, -s and the like, compiled.
 *
 * Order matters: options of the command line, then introspection's prelude for
 * this kernel, then the D library, then the programs in the order given; they
 * share variables and aggregations, as in dtrace(1).
 */
#include "program.h"

#include "cpp.h"
#include "dlib.h"
#include "msg.h"
#include "paths.h"
#include "typesrc.h"
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>


static void
fill_macros(struct dc_macros *m, const struct dv_opts *o, const char **argv)
{
	size_t i;

	m->pid = getpid();
	m->ppid = getppid();
	m->uid = getuid();
	m->euid = geteuid();
	m->gid = getgid();
	m->egid = getegid();
	m->pgid = getpgrp();
	m->sid = getsid(0);
	m->target = (int64_t)o->target;
	m->have_target = o->target != 0;
	argv[0] = "dvisor";
	for (i = 0; i < o->args.n; i++)
		argv[i + 1] = o->args.v[i];
	m->argc = (int)o->args.n + 1;
	m->argv = argv;
}

struct clause_arg { struct dv_program *p; uint32_t program; bool nomem; };

static void
clause_told(void *arg, uint32_t clause, const struct dc_pdesc *d)
{
	struct clause_arg *a = arg;
	struct dv_wanted w = { .clause = clause };

	w.desc.id = d->id;
	w.desc.prov = dv_arena_strdup(a->p->arena, d->prov);
	w.desc.mod = dv_arena_strdup(a->p->arena, d->mod);
	w.desc.func = dv_arena_strdup(a->p->arena, d->func);
	w.desc.name = dv_arena_strdup(a->p->arena, d->name);
	if (dv_arena_failed(a->p->arena) || dv_vec_push(&a->p->wanted, w) != 0)
		a->nomem = true;
}

static void
described(void *arg, const char *desc, uint64_t nmatched, struct dc_attr probe, struct dc_attr stmt)
{
	struct clause_arg *a = arg;
	struct dv_stability s = { .program = a->program, .probe = probe, .stmt = stmt };

	a->p->matched[a->program] += nmatched;
	s.desc = dv_arena_strdup(a->p->arena, desc);
	if (dv_arena_failed(a->p->arena) || dv_vec_push(&a->p->stability, s) != 0)
		a->nomem = true;
}

static void
put_text(void *arg, const char *text)
{
	struct clause_arg *a = arg;

	dv_str_add(&a->p->dump, text);
	a->nomem |= a->p->dump.failed;
}

static bool
option_on(const struct dv_program *p, enum dv_opt opt)
{
	uint64_t v = 0;

	dc_option_get(p->dc, opt, &v);		/* of the default, too */
	return v != 0;
}

/* DTrace's form: what failed, [tag], place, text. */
static void
compile_error(const struct dv_program *p, const struct dv_program_opt *po, struct dv_err *err)
{
	char where[64] = "", tag[40] = "", text[sizeof(err->text)];
	struct dv_err e = *err;

	if (e.code == DV_E_NOMEM)
		return;
	if (e.line != 0)
		snprintf(where, sizeof(where), "line %u, column %u: ", e.line, e.col);
	if (e.tag[0] != '\0' && option_on(p, DV_OPT_ERRTAGS))
		snprintf(tag, sizeof(tag), "[%s] ", e.tag);
	snprintf(text, sizeof(text), "%s", e.text);
	if (po->kind == DV_PROG_FILE)
		dv_err_set(err, e.code, "failed to compile script %s: %s%s%s", po->text, tag,
		    where, text);
	else
		dv_err_set(err, e.code, "invalid probe specifier %.256s: %s%s%s", po->text, tag,
		    where, text);
	memcpy(err->tag, e.tag, sizeof(err->tag));
	memcpy(err->hint, e.hint, sizeof(err->hint));
	err->line = e.line;
	err->col = e.col;
}

static int
compile_one(struct dv_program *p, const struct dv_opts *o, uint32_t i, struct dv_err *err)
{
	const struct dv_program_opt *po = &o->programs.v[i];
	struct clause_arg a = { p, i, false };
	struct dc_source src = { .name = po->text, .clause = clause_told,
	    .described = described, .arg = &a };
	char *text = NULL, *cpp = NULL;
	size_t len;
	int rc;

	if (o->zdefs)
		src.flags |= DC_F_ZDEFS;
	if (o->sugar)
		src.dump = put_text;
	if (option_on(p, DV_OPT_PSPEC))
		src.flags |= DC_F_PSPEC;
	if (po->kind == DV_PROG_TEXT) {
		src.text = po->text;
		src.len = strlen(po->text);
		src.flags |= DC_F_PSPEC;
	} else {
		src.arg0 = po->text;
		if ((rc = dv_file_read(po->text, DV_MAX_SOURCE, err, &text, &len)) != 0) {
			if (rc == DV_E_NOENT)
				dv_err_set(err, rc,
				    "failed to open script %s: No such file or directory",
				    po->text);
			else
				dv_err_prefix(err, "failed to open script");
			return rc;
		}
		src.text = text;
		src.len = len;
	}
	if (o->command != NULL && p->kernel != NULL && strstr(src.text, "$target") != NULL)
		dv_msg("$target is a process of this host here: no guest's pid has to do with it");
	if (o->cpp || option_on(p, DV_OPT_CPP)) {
		if ((rc = dv_cpp_run(o, po, src.text, src.len, err, &cpp, &src.len)) != 0) {
			free(text);
			return rc;
		}
		src.text = cpp;
		src.flags |= DC_F_CPP;
	}
	if ((rc = dc_compile(p->dc, &src, &p->b, err)) != 0)
		compile_error(p, po, err);
	else if (a.nomem)
		rc = dv_err_nomem(err);
	free(text);
	free(cpp);
	return rc;
}

static int
load_libraries(struct dv_program *p, const struct dv_opts *o, struct dv_err *err)
{
	char *prelude;
	int rc;

	if (p->kernel != NULL) {
		if ((prelude = gi_prelude(p->kernel, err)) == NULL)
			return err->code;
		rc = dc_library(p->dc, "the guest's prelude", prelude, err);
		free(prelude);
		if (rc != 0) {
			dv_err_prefix(err, "failed to compile this kernel's translators");
			return rc;
		}
	}
	return option_on(p, DV_OPT_NOLIBS) ? 0 : dv_dlib_load(p->dc, o, err);
}

static int
set_options(struct dc *dc, const struct dv_opts *o, struct dv_err *err)
{
	size_t i;

	for (i = 0; i < o->xopts.n; i++)
		if (dc_option(dc, o->xopts.v[i].name, o->xopts.v[i].value, err) != 0)
			return err->code = DV_E_USAGE;
	return 0;
}

int
dv_program_check_options(const struct dv_opts *o, struct dv_err *err)
{
	const struct dc_config cfg = { .program = "dvisor" };
	struct dc *dc;
	int rc;

	if ((rc = dc_open(&cfg, err, &dc)) != 0)
		return rc;
	rc = set_options(dc, o, err);
	dc_close(dc);
	return rc;
}

int
dv_program_open(struct dv_program *p, const struct dv_opts *o, struct gi_kernel *k,
		struct dv_err *err)
{
	struct dc_config cfg = { .program = "dvisor" };
	const char **argv;
	size_t i;
	int rc;

	memset(p, 0, sizeof(*p));
	dv_str_init(&p->dump);
	p->kernel = k;
	if (dv_progb_init(&p->b) != 0 || (p->arena = dv_arena_create()) == NULL ||
	    (argv = dv_arena_alloc(p->arena, (o->args.n + 2) * sizeof(*argv))) == NULL ||
	    (p->matched = calloc(o->programs.n + 1, sizeof(*p->matched))) == NULL)
		return dv_err_nomem(err);
	if ((rc = dv_probesrc_create(k, err, &p->ps)) != 0)
		return rc;
	dv_probesrc_init(&p->probes, p->ps);
	cfg.probes = &p->probes;
	if (k != NULL) {
		dv_typesrc_init(&p->types, k);
		cfg.types = &p->types;
	}
	fill_macros(&cfg.macros, o, argv);
	if ((rc = dc_open(&cfg, err, &p->dc)) != 0)
		return rc;
	if ((rc = set_options(p->dc, o, err)) != 0)
		return rc;
	if ((rc = load_libraries(p, o, err)) != 0)
		return rc;
	for (i = 0; i < o->programs.n; i++)
		if ((rc = compile_one(p, o, (uint32_t)i, err)) != 0)
			return rc;
	if ((rc = dc_finish(p->dc, &p->b, err)) != 0 && o->programs.n > 0)
		compile_error(p, &o->programs.v[o->programs.n - 1], err);
	return rc;
}

int
dv_program_needs_guest(struct dv_program *p, bool *ret, struct dv_err *err)
{
	dv_probenums_t nums = { 0 };
	struct dv_probe_view v;
	size_t i, j;
	int rc = 0;

	*ret = false;
	for (i = 0; rc == 0 && !*ret && i < p->wanted.n; i++) {
		const struct dc_pdesc *d = &p->wanted.v[i].desc;

		nums.n = 0;
		rc = dv_probesrc_match(p->ps, d, &nums, err);
		if (rc == 0 && nums.n == 0 && dv_probesrc_guests(p->ps, d)) {	/* with -Z */
			*ret = true;
			if (d->id != 0)
				dv_err_set(err, DV_E_NOENT, "probe %u would be a guest's", d->id);
			else
				dv_err_set(err, DV_E_NOENT,
				    "%.64s:%.64s:%.64s:%.64s would be a guest's probes", d->prov,
				    d->mod, d->func, d->name);
		}
		for (j = 0; rc == 0 && !*ret && j < nums.n; j++) {
			dv_probesrc_get(p->ps, nums.v[j], &v);
			if (!v.allvcpu)
				continue;
			*ret = true;
			dv_err_set(err, DV_E_NOENT, "%.64s fires on the vCPUs of a guest", v.name);
		}
	}
	dv_vec_fini(&nums);
	return rc;
}

int
dv_program_enable(struct dv_program *p, const struct dv_opts *o, struct dv_err *err)
{
	int rc = dv_enable(&p->b, &p->wanted, p->ps, p->kernel, p->dc, o->verbose, err);

	if (rc == 0 && p->b.ecbs.n == 0 && !o->zdefs && !option_on(p, DV_OPT_ZDEFS))
		rc = dv_err_set(err, DV_E_INVAL, "no probes matched: the program has no clause");
	return rc;
}

bool
dv_program_wants_listing(const struct dv_program *p, const struct dv_opts *o)
{
	return o->listing || option_on(p, DV_OPT_VERBOSE);
}

void
dv_attr_print(FILE *out, const char *title, struct dc_attr a)
{
	fprintf(out, "\n\t%s\n\t\tIdentifier Names: %s\n\t\tData Semantics:   %s\n"
	    "\t\tDependency Class: %s\n", title, dc_stability_name(a.name),
	    dc_stability_name(a.data), dc_class_name(a.class));
}

void
dv_program_report(const struct dv_program *p, const struct dv_opts *o, FILE *out)
{
	const struct dv_stability *s;
	size_t i, j;

	if (p->dump.s != NULL)
		fputs(p->dump.s, out);
	for (i = 0; i < o->programs.n; i++) {
		if (p->b.opts[DV_OPT_QUIET] == 0)
			dv_msg("%s '%.256s' matched %llu probe%s",
			    o->programs.v[i].kind == DV_PROG_FILE ? "script" : "description",
			    o->programs.v[i].text, (unsigned long long)p->matched[i],
			    p->matched[i] == 1 ? "" : "s");
		for (j = 0; o->verbose && j < p->stability.n; j++) {
			s = &p->stability.v[j];
			if (s->program != i)
				continue;
			fprintf(out, "\nStability attributes for description %s:\n", s->desc);
			dv_attr_print(out, "Minimum Probe Description Attributes", s->probe);
			dv_attr_print(out, "Minimum Statement Attributes", s->stmt);
			fputc('\n', out);
		}
	}
}

void
dv_program_close(struct dv_program *p)
{
	dc_close(p->dc);
	dv_probesrc_destroy(p->ps);
	dv_progb_fini(&p->b);
	dv_vec_fini(&p->wanted);
	dv_vec_fini(&p->stability);
	dv_str_fini(&p->dump);
	dv_arena_destroy(p->arena);
	free(p->matched);
	memset(p, 0, sizeof(*p));
}
