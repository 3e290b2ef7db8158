/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * insn_count.c - what the kvm carrier's traps would displace in a live kernel.
 *
 *	insn_count SOCKET PROVIDER...
 *
 * Finds the sites of all probes of the providers in the guest at that carrier's
 * socket, and counts who does the work of the instruction there (hv/kvm/insn.h):
 *
 *	sites N
 *	own N
 *	kvm N
 *	none N: REASON		a line for each reason
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

int
main(int argc, char **argv)
{
	size_t own = 0, kvm = 0, none[DV_INSN_NWHY] = { 0 }, i;
	DV_VEC(uint32_t) want = { 0 };
	struct gi_cpu cpus[9] = { 0 };
	struct dv_ctl_info info;
	struct gi_kernel *k;
	struct gi_sites *s;
	struct dv_chan *c;
	struct dv_err err;
	struct gi_mem mem;
	unsigned why, n;
	int a;

	if (argc < 3) {
		fputs("usage: insn_count SOCKET PROVIDER...\n", stderr);
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
	check(gi_probes_open(k, &err), &err);
	for (i = 0; i < gi_nprobes(k); i++) {
		struct gi_probe p;

		gi_probe(k, i, &p);
		for (a = 2; a < argc && strcmp(argv[a], p.prov) != 0; a++)
			;
		if (a < argc && p.why_not == NULL && dv_vec_push(&want, (uint32_t)i) != 0)
			return 1;
	}
	check(gi_sites_make(k, want.v, want.n, &err, &s), &err);
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
	gi_sites_free(s);
	dv_vec_fini(&want);
	gi_kernel_close(k);
	dv_chan_close(c);
	return 0;
}
