/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gi-dump.c - looks at a guest in a memory image, for development.
 *
 *	gi-dump RAM REGS COMMAND [ARG...]
 *
 * RAM: guest-physical memory from 0 (QMP pmemsave; RAM below 3 GB). REGS: the
 * output of QEMU's `info registers -a`. Commands: info, id, syms, layout, pad,
 * btf (raw to stdout), probes, sites GLOB..., asleep, prelude, save FILE, type NAME,
 * text FUNCTION and alltext (raw bytes of code).
 */
#include "guest-introspect/func.h"

#include "base/str.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

struct ram {
	uint8_t *p;
	size_t len;
	uint64_t nreads, nbytes;
};

static int
ram_read(void *arg, dv_gpa_t at, void *buf, size_t len)
{
	struct ram *r = arg;

	if (at.v > r->len || len > r->len - at.v)
		return DV_E_GUEST;
	memcpy(buf, r->p + at.v, len);
	r->nreads++;
	r->nbytes += len;
	return 0;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static unsigned
parse_regs(const char *path, struct gi_cpu *cpus, unsigned max)
{
	FILE *f = fopen(path, "r");
	char line[512], *p;
	unsigned n = 0;
	uint64_t v;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (strncmp(line, "CPU#", 4) == 0 && n < max)
			memset(&cpus[n++], 0, sizeof(*cpus));
		if (n == 0)
			continue;
		if ((p = strstr(line, "RIP=")) != NULL) {
			v = strtoull(p + 4, NULL, 16);
			if (v >= GI_KERNEL_LOW)
				cpus[n - 1].kernel_rip = v;
		}
		if (strncmp(line, "GS =", 4) == 0)
			cpus[n - 1].gs_base = strtoull(line + 9, NULL, 16);
		if (strncmp(line, "IDT=", 4) == 0)
			cpus[n - 1].idt_base = strtoull(line + 4, NULL, 16);
		if ((p = strstr(line, "CR3=")) != NULL)
			cpus[n - 1].cr3 = strtoull(p + 4, NULL, 16);
		if ((p = strstr(line, "CR4=")) != NULL)
			cpus[n - 1].cr4 = strtoull(p + 4, NULL, 16);
	}
	if (f != NULL)
		fclose(f);
	return n;
}

struct dump {
	struct gi_kernel *k;
	struct gi_cpu cpus[64];
	unsigned ncpu;
	int argc;
	char **argv;			/* [4] and so on: of the command */
	struct dv_err err;
};

static int
dump_info(struct dump *d)
{
	struct gi_kernel *k = d->k;

	printf("release %s id %s base %" PRIx64 " end %" PRIx64 " syms %zu layout %u "
	    "types %u root %" PRIx64 " levels %u runs %zu\n", k->release, k->id, k->base,
	    k->end, gi_nsyms(k), k->syms->layout, gi_ntypes(k), k->root.v, k->levels,
	    k->nruns);
	printf("__start_notes %" PRIx64 " _etext %" PRIx64 "\n", gi_addr(k, "__start_notes"),
	    gi_addr(k, "_etext"));
	return 0;
}

static int
dump_syms(struct dump *d)
{
	struct gi_kernel *k = d->k;
	size_t i;

	for (i = 0; i < gi_nsyms(k); i++) {
		struct gi_sym s;

		gi_sym(k, i, &s);
		printf("%016" PRIx64 " %c %s%s%s%s\n", s.addr, s.type, s.name,
		    gi_is_vmlinux(s.mod) ? "" : "\t[", gi_is_vmlinux(s.mod) ? "" : s.mod,
		    gi_is_vmlinux(s.mod) ? "" : "]");
	}
	return 0;
}

static int
dump_btf(struct dump *d)
{
	struct gi_kernel *k = d->k;

	fwrite(k->btf->data, 1, k->btf->len, stdout);
	return 0;
}

static int
dump_layout(struct dump *d)
{
	struct gi_kernel *k = d->k;
	struct dv_layout l;
	uint32_t i;
	int rc;

	if ((rc = gi_kernel_layout(k, &d->err, &l)) != 0)
		return rc;
	printf("levels %u root %" PRIx64 " page_offset %" PRIx64 " text %" PRIx64 "-%"
	    PRIx64 " init_task %" PRIx64 "\n", l.pt_levels, l.kernel_root, l.page_offset,
	    l.text_start, l.text_end, l.init_task);
	printf("pcpu_current %" PRIx64 " pcpu_preempt_count %" PRIx64 "\n", l.pcpu_current,
	    l.pcpu_preempt_count);
	printf("pid %u tgid %u comm %u mm %u boottime %u real_parent %u cred %u "
	    "flags %u stack %u uid %u gid %u pgd %u ptregs %u stack_size %u pad %u\n",
	    l.task_pid, l.task_tgid, l.task_comm, l.task_mm,
	    l.task_start_boottime, l.task_real_parent, l.task_cred, l.task_flags,
	    l.task_stack, l.cred_uid, l.cred_gid, l.mm_pgd, l.ptregs_size, l.stack_size,
	    l.stack_pad);
	for (i = 0; i < l.ncpu; i++) {
		uint64_t cur = 0, cpid = 0;
		char comm[17] = "";
		bool ok;

		cur = gi_read_u64(k, l.pcpu_base[i] + l.pcpu_current, &ok);
		if (ok) {
			gi_read(k, DV_GVA(cur + l.task_comm), comm, 16, NULL);
			gi_read(k, DV_GVA(cur + l.task_pid), &cpid, 4, NULL);
		}
		printf("cpu %u base %" PRIx64 " gs %" PRIx64 " current %" PRIx64 " pid %" PRIu64
		    " comm %s\n", i, l.pcpu_base[i], i < d->ncpu ? d->cpus[i].gs_base : 0, cur,
		    cpid,
		    comm);
	}
	return 0;
}

/* Where process 1's user registers end. */
static int
dump_pad(struct dump *d)
{
	struct gi_kernel *k = d->k;
	uint64_t link = (uint64_t)gi_offsetof(k, "task_struct", "tasks"), p, stack;
	uint32_t i;
	bool ok;

	p = gi_read_u64(k, gi_addr(k, "init_task") + link, &ok) - link;
	stack = gi_read_u64(k, p + (uint64_t)gi_offsetof(k, "task_struct", "stack"), &ok);
	for (i = 1; i <= 9; i++)
		printf("-%u: %" PRIx64 "\n", 8 * i, gi_read_u64(k, stack + 16384 - 8 * i, &ok));
	return 0;
}

static int
dump_type(struct dump *d)
{
	struct gi_kernel *k = d->k;
	uint32_t id = gi_type_find(k, GI_T_STRUCT, d->argv[4]), i;
	struct gi_type ty;
	struct gi_member m;

	gi_type(k, id, &ty);
	for (i = 0; gi_member(k, id, i, &m) == 0; i++)
		printf("%5u:%u %s %s\n", m.bit_off / 8, m.bit_size, gi_type_text(k, m.type),
		    m.name);
	printf("size %" PRIu64 "\n", ty.size);
	return 0;
}

static int
dump_probes(struct dump *d)
{
	struct gi_kernel *k = d->k;
	size_t i;
	double t;
	int rc;

	t = now();
	if ((rc = gi_probes_open(k, &d->err)) != 0)
		return rc;
	fprintf(stderr, "probes: %.1f ms, %zu probes, %u functions, %u undecodable\n",
	    now() - t, gi_nprobes(k), k->probes->nfns, k->probes->nbad);
	for (i = 0; i < k->probes->nfns; i++)
		if ((k->probes->fns[i].flags & GI_FN_LOOPS) != 0)
			fprintf(stderr, "loops: %s entry +%" PRIu64 "\n",
			    gi_fn_name(k, &k->probes->fns[i]), gi_fn_entry(k,
			    gi_fn_addr(k, &k->probes->fns[i])) - gi_fn_addr(k, &k->probes->fns[i]));
	t = now();
	for (i = 0; i < gi_nprobes(k); i++) {
		struct gi_probe p;
		uint32_t a;

		gi_probe(k, i, &p);
		printf("%u %s:%s:%s:%s traits %u (", p.index, p.prov, p.mod, p.func, p.name,
		    p.traits);
		for (a = 0; a < p.nargs; a++)
			printf("%s%s", a == 0 ? "" : ", ", p.args[a].native);
		printf(")\n");
	}
	fprintf(stderr, "list: %.1f ms\n", now() - t);
	return 0;
}

static int
dump_sites(struct dump *d)
{
	struct gi_kernel *k = d->k;
	DV_VEC(uint32_t) want = {0};
	struct gi_sites *s;
	size_t i, j;
	double t;
	int rc, a;

	if ((rc = gi_probes_open(k, &d->err)) != 0)
		return rc;
	for (i = 0; i < gi_nprobes(k); i++) {
		struct gi_probe p;
		char full[300];

		gi_probe(k, i, &p);
		snprintf(full, sizeof(full), "%s:%s:%s:%s", p.prov, p.mod, p.func, p.name);
		for (a = 4; a < d->argc; a++)
			if (d->argv[a][0] != '-' && dv_glob_match(d->argv[a], full))
				break;
		if (a < d->argc)
			dv_vec_push(&want, (uint32_t)i);
	}
	t = now();
	if ((rc = gi_sites_make(k, want.v, want.n, &d->err, &s)) != 0)
		return rc;
	fprintf(stderr, "sites: %.1f ms, %zu wanted, %zu sites, %zu rules, %zu argsets, "
	    "%zu select, %zu exprs, %zu left out\n", now() - t, want.n, s->nsites, s->nrules,
	    s->nargsets, s->nselect, s->nexprs, s->nleft_out);
	for (i = 0; i < s->nexprs && i < 40; i++)
		printf("expr %zu: %s\n", i, s->exprs[i]);
	for (i = 0; i < s->nleft_out && i < 40; i++)
		printf("left out %u: %s\n", s->left_out[i].want, s->left_out[i].reason);
	for (i = 0; i < s->nsites && i < 60; i++) {
		struct gi_sym y = { 0 };

		gi_sym_at(k, s->sites[i].addr, &y);
		printf("site %" PRIx64 " %s+0x%" PRIx64 " %02x%02x%02x%02x\n", s->sites[i].addr,
		    y.name, s->sites[i].addr - y.addr, s->sites[i].bytes[0],
		    s->sites[i].bytes[1], s->sites[i].bytes[2], s->sites[i].bytes[3]);
		for (j = 0; j < s->sites[i].nrule; j++) {
			const struct gi_rule *r = &s->rules[s->sites[i].rule + j];

			printf("    kind %u guard %d raw %d args %d probe %d nselect %u retval %u "
			    "sel %u/%u/%d/%" PRIu64 "\n", r->kind, (int)r->guard, (int)r->raw,
			    (int)r->args, (int)r->probe, r->nselect, r->retval, r->sel.kind,
			    r->sel.reg, r->sel.disp, r->sel.value);
		}
	}
	gi_sites_free(s);
	dv_vec_fini(&want);
	return 0;
}

/* What threads sleep on: statements for the start of a trace. */
static int
dump_asleep(struct dump *d)
{
	const uint32_t want = GI_WANT_SOBJ;
	struct gi_sites *s;
	struct gi_sym y;
	size_t i;
	double t;
	int rc;

	if ((rc = gi_probes_open(d->k, &d->err)) != 0)
		return rc;
	t = now();
	if ((rc = gi_sites_make(d->k, &want, 1, &d->err, &s)) != 0)
		return rc;
	fprintf(stderr, "asleep: %.1f ms\n", now() - t);
	for (i = 0; i < s->nstarts; i++) {
		const struct dv_loc *a = s->argsets[s->starts[i].raw].arg;
		char comm[17] = "";
		int32_t pid = 0;

		gi_read(d->k, DV_GVA(a[0].value + (uint64_t)gi_offsetof(d->k, "task_struct",
		    "comm")), comm, 16, NULL);
		gi_read(d->k, DV_GVA(a[0].value + (uint64_t)gi_offsetof(d->k, "task_struct",
		    "pid")), &pid, 4, NULL);
		if (!gi_sym_at(d->k, a[3].value, &y))
			y.name = "";
		printf("%d %s %" PRIx64 " %s: %s\n", pid, comm, a[3].value, y.name,
		    strchr(s->exprs[s->starts[i].expr], '?'));
	}
	gi_sites_free(s);
	return 0;
}

static int
dump_prelude(struct dump *d)
{
	struct gi_kernel *k = d->k;
	char *text = gi_prelude(k, &d->err);

	if (text == NULL)
		return DV_E_GUEST;
	fputs(text, stdout);
	free(text);
	return 0;
}

static int
dump_save(struct dump *d)
{
	struct gi_kernel *k = d->k;
	void *data;
	size_t len;
	FILE *f;
	double t;
	int rc;

	t = now();
	if ((rc = gi_kernel_save(k, true, &d->err, &data, &len)) != 0)
		return rc;
	fprintf(stderr, "save: %.1f ms, %zu bytes\n", now() - t, len);
	if ((f = fopen(d->argv[4], "w")) == NULL || fwrite(data, 1, len, f) != len ||
	    fclose(f) != 0)
		return dv_err_set(&d->err, DV_E_IO, "cannot write %s", d->argv[4]);
	free(data);
	return 0;
}

static int
dump_alltext(struct dump *d)
{
	struct gi_kernel *k = d->k;
	uint64_t a = gi_addr(k, "_stext"), n = gi_addr(k, "_etext") - a;
	uint8_t *b = malloc(n);
	int rc;

	if (b == NULL || (rc = gi_read(k, DV_GVA(a), b, n, &d->err)) != 0)
		return b == NULL ? dv_err_nomem(&d->err) : rc;
	fprintf(stderr, "%" PRIx64 "\n", a);
	fwrite(b, 1, n, stdout);
	free(b);
	return 0;
}

/* Raw bytes of a function. */
static int
dump_text(struct dump *d)
{
	struct gi_kernel *k = d->k;
	struct gi_sym s;
	uint8_t *b;
	int rc;

	if (!gi_sym_find(k, NULL, d->argv[4], &s))
		return dv_err_set(&d->err, DV_E_NOENT, "no symbol %s", d->argv[4]);
	if ((b = malloc(s.size)) == NULL)
		return dv_err_nomem(&d->err);
	if ((rc = gi_read(k, DV_GVA(s.addr), b, s.size, &d->err)) != 0)
		return rc;
	fprintf(stderr, "%" PRIx64 "\n", s.addr);
	fwrite(b, 1, s.size, stdout);
	free(b);
	return 0;
}

static const struct {
	const char *name;
	bool arg;			/* it takes one */
	int (*fn)(struct dump *d);
} commands[] = {
	{ "info", false, dump_info },
	{ "syms", false, dump_syms },
	{ "btf", false, dump_btf },
	{ "layout", false, dump_layout },
	{ "pad", false, dump_pad },
	{ "type", true, dump_type },
	{ "probes", false, dump_probes },
	{ "sites", false, dump_sites },
	{ "asleep", false, dump_asleep },
	{ "prelude", false, dump_prelude },
	{ "save", true, dump_save },
	{ "alltext", false, dump_alltext },
	{ "text", true, dump_text },
};

/* A kernel out of memory, or a saved one (GI_LOAD), without memory (GI_NOMEM). */
static int
open_kernel(struct dump *d, const struct ram *ram, const struct gi_mem *mem)
{
	const char *saved = getenv("GI_LOAD");
	double t = now();
	struct stat st;
	void *p;
	int fd, rc;

	if (saved == NULL) {
		if ((rc = gi_kernel_open(mem, d->cpus, d->ncpu, &d->err, &d->k)) == 0)
			fprintf(stderr, "open: %.1f ms, %" PRIu64 " reads, %" PRIu64 " bytes\n",
			    now() - t, ram->nreads, ram->nbytes);
		return rc;
	}
	if ((fd = open(saved, O_RDONLY)) < 0 || fstat(fd, &st) != 0)
		return dv_err_set(&d->err, DV_E_IO, "cannot open %s", saved);
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return dv_err_set(&d->err, DV_E_IO, "cannot map %s", saved);
	rc = gi_kernel_load(getenv("GI_NOMEM") != NULL ? NULL : mem, d->cpus, d->ncpu, p,
	    (size_t)st.st_size, &d->err, &d->k);
	fprintf(stderr, "load: %.1f ms\n", now() - t);
	return rc;
}

static int
dump_id(struct dump *d, const struct ram *ram, const struct gi_mem *mem)
{
	double t = now();
	uint64_t base;
	char id[65];
	int rc = gi_kernel_probe_id(mem, d->cpus, d->ncpu, &d->err, id, &base);

	if (rc == 0)
		printf("%s base %" PRIx64 " (%.1f ms, %" PRIu64 " reads, %" PRIu64 " bytes)\n",
		    id, base, now() - t, ram->nreads, ram->nbytes);
	return rc;
}

int
main(int argc, char **argv)
{
	struct ram ram = { 0 };
	struct gi_mem mem = { ram_read, &ram };
	struct dump d = { .argc = argc, .argv = argv };
	size_t i, n = sizeof(commands) / sizeof(commands[0]);
	struct stat st;
	int fd, rc;

	if (argc < 4)
		return 2;
	fd = open(argv[1], O_RDONLY);
	if (fd < 0 || fstat(fd, &st) != 0)
		return 1;
	ram.len = (size_t)st.st_size;
	ram.p = mmap(NULL, ram.len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (ram.p == MAP_FAILED)
		return 1;
	d.ncpu = parse_regs(argv[2], d.cpus, 64);
	if (strcmp(argv[3], "id") == 0) {
		rc = dump_id(&d, &ram, &mem);
	} else {
		for (i = 0; i < n && strcmp(argv[3], commands[i].name) != 0; i++)
			;
		if (i == n || (commands[i].arg && argc < 5))
			return 2;
		if ((rc = open_kernel(&d, &ram, &mem)) == 0)
			rc = commands[i].fn(&d);
		gi_kernel_close(d.k);
	}
	if (rc != 0)
		fprintf(stderr, "gi-dump: %s (%d)\n", d.err.text, rc);
	return rc != 0;
}
