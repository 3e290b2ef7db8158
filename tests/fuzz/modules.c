/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modules.c - fuzzes what is read of a guest's modules: edits of a sound guest
 * with two of them. Every 4 bytes of the input are an offset (3) and a byte: in the
 * modules' memory, or above it in the heads of the lists. The kernel is opened once,
 * its modules for each input.
 */
#include "unit/gi_fakemod.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
use(struct gi_kernel *k)
{
	DV_VEC(uint32_t) want = {0};
	struct gi_sites *s;
	struct gi_probe p;
	struct dv_err err;
	struct gi_type t;
	struct gi_sym y;
	void *saved;
	size_t i, len;

	gi_mods_again(k, FM_VA(3, 0));
	for (i = gi_nsyms(k); i-- > FAKE_NSYMS + FAKE_NFILL;) {
		gi_sym(k, i, &y);
		gi_sym_at(k, y.addr + 3, &y);
		gi_sym_find(k, NULL, y.name, &y);
	}
	gi_type_find_in(k, NULL, GI_T_STRUCT, "no such");
	gi_enum_find(k, "no such", &(int64_t){ 0 }, NULL);
	for (i = 0; i < gi_ntypes(k) && i < 5000; i++) {
		gi_type(k, (uint32_t)i, &t);
		gi_type_text(k, (uint32_t)i);
	}
	for (i = 0; i < gi_nprobes(k) && i < 5000; i++) {
		gi_probe(k, i, &p);
		if (p.why_not == NULL && strcmp(p.prov, "fbt") == 0 &&
		    strcmp(p.mod, "vmlinux") != 0 && dv_vec_push(&want, (uint32_t)i) != 0)
			abort();
	}
	if (gi_sites_make(k, want.v, want.n, &err, &s) == 0)
		gi_sites_free(s);
	dv_vec_fini(&want);
	if (gi_kernel_save(k, true, &err, &saved, &len) == 0) {
		struct gi_kernel *l;

		if (gi_kernel_load(NULL, NULL, 0, saved, len, &err, &l) == 0)
			gi_kernel_close(l);
		free(saved);
	}
}

/* The modules anew, and nothing kept that was learned of others. */
static void
run(struct gi_kernel *k)
{
	struct dv_arena *arena = k->arena;
	struct dv_map *tytext = k->tytext;
	struct dv_err err;

	gi_mods_close(k->mods);
	k->mods = NULL;
	gi_text_reset(k);
	k->arena = dv_arena_create();
	k->tytext = dv_map_create();
	if (k->arena == NULL || k->tytext == NULL || gi_mods_open(k, &err) != 0)
		abort();
	use(k);
	dv_arena_destroy(k->arena);
	dv_map_destroy(k->tytext);
	k->arena = arena;
	k->tytext = tytext;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct gi_kernel *kernel[2];
	static struct fake guests[2];
	static uint8_t *sound[2];
	struct dv_err err;
	struct fake *f;
	size_t i, kind;

	if (size < 1)
		return 0;
	for (i = 0; i < 2 && kernel[i] == NULL; i++) {
		fake_mod_mem = i;
		fake_make_with(&guests[i], 2, 4, 0xffffffff81000000ull, fake_mod_types);
		fm_one(&guests[i], 1, "two");
		fm_one(&guests[i], 0, "one");
		if ((sound[i] = malloc(FAKE_RAM)) == NULL)
			abort();
		memcpy(sound[i], guests[i].ram, FAKE_RAM);
		if (gi_kernel_open(&guests[i].mem, &guests[i].cpu, 1, &err, &kernel[i]) != 0 ||
		    gi_probes_open(kernel[i], &err) != 0)
			abort();
	}
	kind = data[0] & 1;
	f = &guests[kind];
	memcpy(f->ram + FAKE_MODS_PA, sound[kind] + FAKE_MODS_PA, 3 * FM_SIZE);
	memcpy(f->ram + FAKE_IMG + 0x286000, sound[kind] + FAKE_IMG + 0x286000, 32);
	for (i = 1; i + 4 <= size; i += 4) {
		size_t at = data[i] | data[i + 1] << 8 | (data[i + 2] & 15) << 16;

		if (at < 2 * FM_SIZE)
			f->ram[FAKE_MODS_PA + at] = data[i + 3];
		else
			f->ram[FAKE_IMG + 0x286000 + at % 32] = data[i + 3];
	}
	run(kernel[kind]);
	return 0;
}
