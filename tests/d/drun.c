/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drun.c - compiles a D program, runs it on the scripted guest, prints it all.
 *
 *	drun [-e] [-S] FILE	-e: compile and verify only; -S: list the DIF
 *	drun -d FILE		print it as it was understood, and no more
 *	drun -r FILE		run what that printed: its arguments are in it
 *
 * What a program meets here:
 *
 *	dtrace:::BEGIN END ERROR	as ever
 *	profile:::tick-*		fires three times
 *	t:m:hit:entry			fires three times, i = 0, 1, 2: arg0 the
 *					current task, arg1 i, arg2 i * 10;
 *					args[]: lwpsinfo_t * of arg0, int, cpuinfo_t * of arg2
 *	t:m:hit:return			after it: arg1 -i; args[]: int (of arg1)
 *	t:m:none:entry			exists, never fires; its args[] cannot be translated
 *	u:m:alike:entry			never fires; args[0] as t:m:hit:entry, args[1] a long
 *
 * Requests to the command are printed in brackets. The time zone is UTC.
 *
 * The current task has pid 42, tgid 40, comm "sh". Types and symbols are the
 * tables of scene.h. A line `// args: A B` in the program gives it arguments,
 * `// opts: NAME=VALUE` options, `// flags: Z` -Z, `// flags: v` the stability
 * of its clauses; `// lib: FILE` is another library.
 */
#include "scene.h"
#include "cli/consume/cn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- running ----------------------------------------------------------- */

static void
put(void *arg, const char *s, size_t n)
{
	fwrite(s, 1, n, arg);
}

static void
message(void *arg, const char *line)
{
	fprintf(arg, "drun: %s\n", line);
}

static void
put_line(void *arg, const char *line)
{
	fprintf(arg, "%s\n", line);
}

/* ---- the consumer's questions and requests ------------------------------- */

/* The trap sites' text, and the data of the scene; modules m and vmlinux. */
static bool
kernel_name(void *arg, uint64_t addr, const char **mod, const char **sym, uint64_t *off)
{
	const struct guest *g = arg;

	if (addr >= DV_SIM_TEXT && addr < DV_SIM_TEXT + 0x400) {
		*mod = "m";
		*sym = addr < DV_SIM_TEXT + 0x200 ? "hit" : "none";
		*off = addr & 0x1ff;
		return true;
	}
	*off = addr - g->data;
	if (addr < g->data || *off >= 128 || (*off >= 80 && *off < 112))
		return false;
	*mod = "vmlinux";
	*sym = *off < 16 ? "answer" : *off < 80 ? "points" : "name";
	*off -= *off < 16 ? 0 : *off < 80 ? 16 : 112;
	return true;
}

/* Every process has one program: text at 0x400000, libc at 0x7f0000000000. */
static bool
user_name(void *arg, uint64_t pid, uint64_t addr, const char **obj, const char **sym, uint64_t *off)
{
	(void)arg;
	if (pid != 40 || (addr & ~0xfffull) != (addr >> 40 != 0 ? 0x7f0000000000 : 0x400000))
		return false;
	*obj = addr >> 40 != 0 ? "libc.so.6" : "a.out";
	*sym = addr & 0x800 ? "second" : "first";
	*off = addr & 0x7ff;
	return true;
}

static int
do_freopen(void *arg, const char *path)
{
	(void)arg;
	printf("[freopen %s]\n", path);
	return 0;
}

static int
do_system(void *arg, const char *cmd)
{
	(void)arg;
	printf("[system %s]\n", cmd);
	return 0;
}

static void
do_ftruncate(void *arg)
{
	(void)arg;
	printf("[ftruncate]\n");
}

static int
run(struct guest *g, struct dv_progb *b, bool verify_only)
{
	struct cn_config cfg = { .out = put, .msg = message, .arg = stdout, .ncpu = 2 };
	const struct cn_symbols symbols = { g, kernel_name, user_name };
	const struct cn_requests requests = { .freopen = do_freopen, .system = do_system,
	    .ftruncate = do_ftruncate };
	static const uint32_t cpu_ids[2] = { 0, 0 };
	struct dv_reason why;
	struct dv_status st;
	struct dv_snap snap;
	struct dv_err err;
	const uint8_t *data;
	struct cn *cn = NULL;
	void *blob;
	size_t len;
	unsigned i;
	int status = 0;

	b->layout = *dv_sim_layout(g->sim);
	b->host_execname = dv_progb_str(b, "dvisor");
	b->host_pid = 77;
	if (dv_progb_finish(b, &err, &blob, &len) != 0) {
		printf("drun: %s\n", err.text);
		return 1;
	}
	if (dv_sim_load(g->sim, blob, len, &why) != 0) {
		printf("drun: refused: %s\n", why.text);
		free(blob);
		return 1;
	}
	if (!verify_only) {
		cfg.prog = dv_state_prog(dv_sim_state(g->sim));
		cfg.cpu_ids = cpu_ids;
		cfg.symbols = &symbols;
		cfg.requests = &requests;
		if (cn_open(&cfg, &err, &cn) != 0) {
			printf("drun: consumer: %s\n", err.text);
			return 1;
		}
		cn_header(cn);
		dv_sim_go(g->sim);
		for (i = 0; i < 3; i++) {
			dv_sim_reg(g->sim, 0)[DV_REG_RDI] = g->task;
			dv_sim_reg(g->sim, 0)[DV_REG_RSI] = i;
			dv_sim_reg(g->sim, 0)[DV_REG_RDX] = i * 10;
			(void)dv_sim_hit_at(g->sim, 0, DV_SIM_TEXT + 0x100);
			dv_sim_reg(g->sim, 0)[DV_REG_RSI] = -(uint64_t)i;
			(void)dv_sim_hit_at(g->sim, 0, DV_SIM_TEXT + 0x200);
			dv_sim_timer(g->sim, -1, 0);
		}
		dv_sim_clean(g->sim);
		for (i = 0; i < 2; i++) {
			data = dv_sim_snap(g->sim, 1 - i, DV_BUF_PRINCIPAL, &snap);
			if (cn_take_records(cn, 1 - i, data, &snap, &err) != 0)
				printf("drun: records: %s\n", err.text);
		}
		dv_sim_stop(g->sim);
		for (i = 0; i < 2; i++) {
			data = dv_sim_snap(g->sim, i, DV_BUF_AGG, &snap);
			if (cn_take_aggs(cn, i, data, &snap, &err) != 0)
				printf("drun: aggregations: %s\n", err.text);
		}
		for (i = 0; i < 2; i++) {
			data = dv_sim_snap(g->sim, i, DV_BUF_PRINCIPAL, &snap);
			if (cn_take_records(cn, i, data, &snap, &err) != 0)
				printf("drun: records: %s\n", err.text);
			cn_report_cpu_drops(cn, i, &snap);
		}
		cn_flush(cn, ~(uint64_t)0);
		cn_finish(cn);
		dv_status(dv_sim_state(g->sim), &st);
		cn_report_drops(cn, &st);
		if (cn_exiting(cn, &status))
			printf("exit %d\n", status);
		cn_close(cn);
	}
	dv_sim_unload(g->sim);
	free(blob);
	return 0;
}

static char *
read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "r");
	char *s = NULL;
	size_t n = 0, got;

	if (f == NULL) {
		perror(path);
		exit(2);
	}
	do {
		s = realloc(s, n + 65537);
		got = fread(s + n, 1, 65536, f);
		n += got;
	} while (got > 0);
	s[n] = '\0';
	fclose(f);
	*len = n;
	return s;
}

/* Words behind `// WHAT:` in the text. */
static int
words_of(const char *text, const char *what, char *buf, size_t n, const char **v, int max)
{
	const char *p = strstr(text, what);
	size_t len;
	int k = 0;
	char *t;

	if (p == NULL)
		return 0;
	p += strlen(what);
	len = strcspn(p, "\n");
	if (len >= n)
		len = n - 1;
	memcpy(buf, p, len);
	buf[len] = '\0';
	for (t = strtok(buf, " "); t != NULL && k < max; t = strtok(NULL, " "))
		v[k++] = t;
	return k;
}

static int
load_files(struct dc *dc, int n, const char *const *path, struct dv_err *err)
{
	char *text;
	size_t len;
	int i, rc = 0;

	for (i = 0; i < n && rc == 0; i++) {
		text = read_file(path[i], &len);
		rc = dc_library(dc, path[i], text, err);
		free(text);
	}
	return rc;
}

static int
load_libs(struct dc *dc, int argc, char **argv, struct dv_err *err)
{
	int rc = load_files(dc, argc, (const char *const *)argv, err);

	return rc == 0 ? dc_library(dc, "prelude", prelude, err) : rc;
}

static void
stability(void *arg, const char *desc, uint64_t nmatched, struct dc_attr probe, struct dc_attr stmt)
{
	(void)arg;
	(void)nmatched;
	printf("%s: %s/%s/%s, statements %s/%s/%s\n", desc, dc_stability_name(probe.name),
	    dc_stability_name(probe.data), dc_class_name(probe.class), dc_stability_name(stmt.name),
	    dc_stability_name(stmt.data), dc_class_name(stmt.class));
}

static void
put_text(void *arg, const char *text)
{
	(void)arg;
	fputs(text, stdout);
}

int
main(int argc, char **argv)
{
	struct guest g = { .sim = NULL };
	struct dc_types types = { &g, ty_find, ty_info, ty_member, ty_symbol, ty_enumerator };
	struct dc_probes ps = { NULL, match };
	const char *args[32] = { "drun" }, *opts[16], *flags[4], *lib[8];
	char b1[256], b2[256], b3[64], b4[256];
	struct dc_config cfg = { .types = &types, .probes = &ps, .program = "drun" };
	struct enabling en = { .v = { 0 } };
	struct dv_progb b;
	struct dv_err err = { 0 };
	struct dc_source src = { .clause = clause, .arg = &en };
	struct dc *dc = NULL;
	bool verify = false, list = false, dump = false, again = false;
	const char *hint, *end;
	char *text, *eq;
	int i, n, rc;

	while (argc > 1 && argv[1][0] == '-') {
		verify |= argv[1][1] == 'e';
		list |= argv[1][1] == 'S';
		dump |= argv[1][1] == 'd';
		again |= argv[1][1] == 'r';
		argc--;
		argv++;
	}
	if (argc < 2)
		return 2;
	text = read_file(argv[1], &src.len);
	setenv("TZ", "UTC", 1);
	make_guest(&g);
	cfg.macros.argc = 1 + words_of(text, "// args:", b1, sizeof(b1), args + 1, 30);
	cfg.macros.argv = args;
	cfg.macros.pid = 77;
	if (dv_progb_init(&b) != 0)
		return 2;
	if ((rc = dc_open(&cfg, &err, &dc)) != 0 ||
	    (rc = load_libs(dc, argc - 2, argv + 2, &err)) != 0)
		printf("drun: %s\n", err.text);
	n = words_of(text, "// opts:", b2, sizeof(b2), opts, 16);
	for (i = 0; i < n && rc == 0; i++) {
		eq = strchr(opts[i], '=');
		if (eq != NULL)
			*eq++ = '\0';
		if ((rc = dc_option(dc, opts[i], eq, &err)) != 0)
			printf("drun: %s\n", err.text);
	}
	n = words_of(text, "// flags:", b3, sizeof(b3), flags, 4);
	if (n > 0 && strchr(flags[0], 'Z') != NULL)
		src.flags |= DC_F_ZDEFS;
	if (n > 0 && strchr(flags[0], 'v') != NULL && !dump)
		src.described = stability;
	n = words_of(text, "// lib:", b4, sizeof(b4), lib, 8);
	if (rc == 0 && (rc = load_files(dc, n, lib, &err)) != 0)
		printf("[%s] library line %u, column %u: %s\n", err.tag, err.line, err.col,
		    err.text);
	if (again)
		(void)dc_option(dc, "argref", NULL, &err);
	if (dump)
		src.dump = put_text;
	src.name = argv[1];
	src.text = text;
	if (rc == 0 && ((rc = dc_compile(dc, &src, &b, &err)) != 0 ||
	    (rc = dc_finish(dc, &b, &err)) != 0)) {
		if (err.line != 0)
			printf("[%s] line %u, column %u: %s\n", err.tag, err.line, err.col,
			    err.text);
		else
			printf("[%s] %s\n", err.tag, err.text);
		for (hint = err.hint; (end = strchr(hint, '\n')) != NULL; hint = end + 1)
			printf("\t%.*s\n", (int)(end - hint), hint);
	}
	if (rc == 0 && !dump) {
		add_probes(&b, &en);
		if (list)
			dc_disasm(&b, put_line, stdout);
		rc = run(&g, &b, verify);
	}
	dc_close(dc);
	dv_progb_fini(&b);
	dv_vec_fini(&en.v);
	dv_sim_destroy(g.sim);
	free(text);
	return rc != 0;
}
