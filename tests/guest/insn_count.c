/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * insn_count.c - what the kvm carrier's traps would displace in a live kernel.
 *
 *	insn_count SOCKET PROVIDER...
 *	insn_count SOCKET -save FILE PROVIDER...
 *	insn_count SOCKET -check FILE
 *
 * Finds the sites of all probes of the providers in the guest at that carrier's
 * socket, and counts who does the work of the instruction there (hv/kvm/insn.h):
 *
 *	sites N
 *	own N
 *	kvm N
 *	none N: REASON		a line for each reason
 *
 * With -save, those for traps and those for others, and the kernel's text, go to a
 * file; with -check, text is compared with then:
 *
 *	changed N		bytes of text
 *	traps N			of these, sites for traps
 *	sites N			sites for others
 */
#include "chan.h"
#include "guest-introspect/gi.h"
#include "kvm/insn.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
check(int rc, const struct dv_err *err)
{
	if (rc != 0) {
		fprintf(stderr, "insn_count: %s\n", err->text);
		exit(1);
	}
}

static int
mem_read(void *arg, dv_gpa_t at, void *buf, size_t len)
{
	struct dv_err err;

	return dv_chan_read(arg, at.v, buf, len, &err) == 0 ? 0 : DV_E_GUEST;
}

struct saved {
	uint64_t text, len, ntraps, nsites;
	/* then the text, and the addresses */
};

/* All sites of the providers. */
static struct gi_sites *
sites_of(struct gi_kernel *k, char **provs)
{
	DV_VEC(uint32_t) want = { 0 };
	struct gi_sites *s;
	struct dv_err err;
	size_t i, j;

	check(gi_probes_open(k, &err), &err);
	for (i = 0; i < gi_nprobes(k); i++) {
		struct gi_probe p;

		gi_probe(k, i, &p);
		for (j = 0; provs[j] != NULL && strcmp(provs[j], p.prov) != 0; j++)
			;
		if (provs[j] != NULL && p.why_not == NULL &&
		    dv_vec_push(&want, (uint32_t)i) != 0)
			exit(1);
	}
	check(gi_sites_make(k, want.v, want.n, &err, &s), &err);
	dv_vec_fini(&want);
	return s;
}

static void
count(const struct gi_sites *s)
{
	size_t own = 0, kvm = 0, none[DV_INSN_NWHY] = { 0 }, i;
	unsigned why;

	for (i = 0; i < s->nsites; i++) {
		const struct dv_site *site = &s->sites[i];
		struct dv_insn insn;

		dv_insn_plan(site->bytes, site->nbytes, site->addr, &insn);
		own += insn.kind == DV_INSN_OWN;
		kvm += insn.kind == DV_INSN_KVM;
		none[insn.why] += insn.kind == DV_INSN_NONE;
	}
	printf("sites %zu\nown %zu\nkvm %zu\n", s->nsites, own, kvm);
	for (why = 0; why < DV_INSN_NWHY; why++)
		if (none[why] != 0)
			printf("none %zu: %s\n", none[why], dv_insn_why_text(why));
}

static uint8_t *
read_text(struct gi_kernel *k, uint64_t at, uint64_t len)
{
	uint8_t *p = malloc(len);
	struct dv_err err;

	if (p == NULL)
		exit(1);
	check(gi_read(k, DV_GVA(at), p, len, &err), &err);
	return p;
}

static void
put_sites(FILE *f, const struct gi_sites *s)
{
	size_t i;

	for (i = 0; i < s->nsites; i++)
		fwrite(&s->sites[i].addr, 8, 1, f);
}

static void
save(struct gi_kernel *k, const char *path, char **provs)
{
	struct gi_sites *sites = sites_of(k, provs), *traps;
	FILE *f = fopen(path, "w");
	struct gi_sym a, b;
	struct saved h;
	uint8_t *text;

	gi_sites_as_traps(k);
	traps = sites_of(k, provs);
	if (f == NULL || !gi_sym_find(k, NULL, "_stext", &a) || !gi_sym_find(k, NULL, "_etext", &b))
		exit(1);
	h = (struct saved){ a.addr, b.addr - a.addr, traps->nsites, sites->nsites };
	text = read_text(k, h.text, h.len);
	fwrite(&h, sizeof(h), 1, f);
	fwrite(text, h.len, 1, f);
	put_sites(f, traps);
	put_sites(f, sites);
	if (fclose(f) != 0)
		exit(1);
	free(text);
	gi_sites_free(sites);
	gi_sites_free(traps);
}

/* How many of n addresses of the file have another byte now. */
static size_t
differ(FILE *f, const struct saved *h, const uint8_t *then, const uint8_t *now, uint64_t n)
{
	size_t bad = 0;
	uint64_t at;

	for (; n > 0 && fread(&at, 8, 1, f) == 1; n--)
		bad += at >= h->text && at - h->text < h->len &&
		    then[at - h->text] != now[at - h->text];
	return bad;
}

static void
compare(struct gi_kernel *k, const char *path)
{
	FILE *f = fopen(path, "r");
	uint8_t *then, *now;
	struct saved h;
	size_t n = 0, i;

	if (f == NULL || fread(&h, sizeof(h), 1, f) != 1 || (then = malloc(h.len)) == NULL ||
	    fread(then, h.len, 1, f) != 1)
		exit(1);
	now = read_text(k, h.text, h.len);
	for (i = 0; i < h.len; i++)
		n += then[i] != now[i];
	printf("changed %zu\n", n);
	printf("traps %zu\n", differ(f, &h, then, now, h.ntraps));
	printf("sites %zu\n", differ(f, &h, then, now, h.nsites));
	fclose(f);
	free(then);
	free(now);
}

int
main(int argc, char **argv)
{
	struct gi_cpu cpus[9] = { 0 };
	struct dv_ctl_info info;
	struct gi_kernel *k;
	struct gi_sites *s;
	struct dv_chan *c;
	struct dv_err err;
	struct gi_mem mem;
	unsigned n;

	if (argc < 3) {
		fputs("usage: insn_count SOCKET [-save FILE] PROVIDER...\n"
		    "       insn_count SOCKET -check FILE\n", stderr);
		return 2;
	}
	check(chan_tcg_open(argv[1], &err, &c), &err);
	check(dv_chan_info(c, &info, &err), &err);
	mem = (struct gi_mem){ mem_read, c };
	cpus[0] = (struct gi_cpu){ .kernel_rip = info.kernel_rip, .cr3 = info.kernel_cr3,
	    .cr4 = info.kernel_cr4, .gs_base = info.kernel_gs };
	for (n = 0; n < info.nvcpu && n < 8; n++)
		cpus[n + 1] = (struct gi_cpu){ .kernel_rip = info.kernel_rip,
		    .cr3 = info.cpu[n].cr3, .cr4 = info.cpu[n].cr4,
		    .gs_base = info.cpu[n].gs_base,
		    .kernel_gs_base = info.cpu[n].kernel_gs_base };
	check(gi_kernel_open(&mem, cpus, n + 1, &err, &k), &err);
	if (strcmp(argv[2], "-save") == 0 && argc > 4) {
		save(k, argv[3], argv + 4);
	} else if (strcmp(argv[2], "-check") == 0 && argc == 4) {
		compare(k, argv[3]);
	} else {
		s = sites_of(k, argv + 2);
		count(s);
		gi_sites_free(s);
	}
	gi_kernel_close(k);
	dv_chan_close(c);
	return 0;
}
