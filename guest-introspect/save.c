/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * save.c - a kernel as bytes: the cache by build id, and guest snapshots.
 *
 * A header, then sections one after the other, each 8-aligned, in the order
 * of enum sec. Integers are little-endian as the host's. Symbol addresses are
 * relative to `_text`, as the next boot's KASLR moves the kernel; per-CPU
 * offsets are kept as they are. The checksum covers all that follows it.
 *
 * Modules lie elsewhere at each boot, so the cache is without them; a snapshot has
 * them, at the addresses of that boot.
 *
 * Files rot and may be forged: lengths are checked before use, every index and
 * string offset before it is kept, and BTF by its own decoder (btf.c).
 */
#include "sites.h"

#include <inttypes.h>
#include <stdio.h>

#define MAGIC		0x314b4947u	/* "GIK1" */
#define VERSION		7u

enum sec { S_ADDR, S_NAME, S_TYPE, S_PERCPU, S_NAMES, S_BTF, S_FNS, S_SCALLS, S_NRMAP, S_FBT,
	S_STRS, S_MODS, S_MSYMS, S_MNAMES, S_MBTF, S_MFNS, NSEC };

struct hdr {
	uint32_t magic, version;
	uint64_t len, sum;
	/* the checksum covers from here */
	uint64_t base, image;		/* _text, bytes of image */
	uint64_t note;			/* of the build id, in the image; 0: not known */
	uint32_t layout, levels, probes, nbad;
	char id[72], release[72];
	uint64_t n[NSEC];		/* elements */
};

struct fscall {
	uint32_t sym, nr, nargs, name, types[6];	/* name, types: in S_STRS */
	uint32_t pad[2];
};

/* Its parts of the sections that follow come in the order of modules. */
struct fmod {
	char name[64];
	uint64_t addr;
	uint64_t range[16][2], text[2];
	uint32_t live, nranges, slots;	/* slots: symbols that it has numbers for */
	uint32_t nsyms, names, btf, nfns, pad;
};
struct fmsym {
	uint64_t addr;
	uint32_t name, type;
};

static const uint32_t elem[NSEC] = { 8, 4, 1, 1, 1, 1, sizeof(struct gi_fn),
	sizeof(struct fscall), 2, 4, 1, sizeof(struct fmod), sizeof(struct fmsym), 1, 1,
	sizeof(struct gi_fn) };

uint64_t
gi_save_checksum(const uint8_t *p, size_t n)
{
	uint64_t h = 0x9e3779b97f4a7c15ull ^ n, v;
	size_t i;

	for (i = 0; i + 8 <= n; i += 8) {
		v = gi_u64(p + i);
		h = (h ^ v) * 0xff51afd7ed558ccdull;
		h ^= h >> 32;
	}
	for (v = 0; i < n; i++)
		v = v << 8 | p[i];
	h = (h ^ v) * 0xff51afd7ed558ccdull;
	return h ^ h >> 29;
}

static size_t
align8(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

/* ---- save ---- */

struct strs {
	DV_VEC(char) v;
	bool failed;
};

static uint32_t
add_str(struct strs *s, const char *text)
{
	size_t n = strlen(text) + 1;
	uint32_t at = (uint32_t)s->v.n;

	if (dv_vec_reserve(&s->v, n) != 0) {
		s->failed = true;
		return 0;
	}
	memcpy(s->v.v + s->v.n, text, n);
	s->v.n += n;
	return at;
}

struct mparts {				/* the sections of modules */
	DV_VEC(struct fmod) mods;
	DV_VEC(struct fmsym) syms;
	DV_VEC(char) names;
	DV_VEC(uint8_t) btf;
	DV_VEC(struct gi_fn) fns;
};

static int
add_module(struct gi_kernel *k, struct gi_mod *m, struct mparts *p)
{
	const struct gi_ksyms *s = gi_mod_syms(k, m);
	const struct gi_btf *b = gi_mod_types(k, m);
	struct fmod f = { .addr = m->addr, .live = m->live, .nranges = m->nranges,
	    .slots = m->nsyms, .text = { m->text.start, m->text.size } };
	uint32_t i;

	snprintf(f.name, sizeof(f.name), "%s", m->name);
	for (i = 0; i < m->nranges; i++) {
		f.range[i][0] = m->range[i].start;
		f.range[i][1] = m->range[i].size;
	}
	if (s != NULL) {
		f.nsyms = s->n;
		f.names = (uint32_t)s->nameslen;
		if (dv_vec_reserve(&p->syms, s->n) != 0 || dv_vec_reserve(&p->names, f.names) != 0)
			return DV_E_NOMEM;
		for (i = 0; i < s->n; i++)
			p->syms.v[p->syms.n++] = (struct fmsym){ s->v[i].addr, s->v[i].name,
			    s->v[i].type };
		memcpy(p->names.v + p->names.n, s->names, f.names);
		p->names.n += f.names;
	}
	if (b != NULL) {
		f.btf = (uint32_t)b->len;
		if (dv_vec_reserve(&p->btf, f.btf) != 0)
			return DV_E_NOMEM;
		memcpy(p->btf.v + p->btf.n, b->data, f.btf);
		p->btf.n += f.btf;
	}
	if (gi_mod_fns(k, m)) {
		for (i = 0; i < m->nprobes; i++)	/* finds out which return */
			gi_fbt_why_not(k, k->probes->nfbt + m->probe_first + i);
		f.nfns = m->nfns;
		if (dv_vec_reserve(&p->fns, m->nfns) != 0)
			return DV_E_NOMEM;
		for (i = 0; i < m->nfns; i++) {
			struct gi_fn fn = m->fns[i];

			gi_fn_types(k, &fn);
			if (fn.btf != 0)	/* what it is at the next load depends */
				fn.btf -= b->idoff;
			p->fns.v[p->fns.n++] = fn;
		}
	}
	return dv_vec_push(&p->mods, f);
}

static void
mparts_fini(struct mparts *p)
{
	dv_vec_fini(&p->mods);
	dv_vec_fini(&p->syms);
	dv_vec_fini(&p->names);
	dv_vec_fini(&p->btf);
	dv_vec_fini(&p->fns);
}

static int
add_modules(struct gi_kernel *k, struct mparts *p, struct hdr *h)
{
	size_t i;
	int rc;

	for (i = 0; i < gi_nmods(k); i++)
		if ((rc = add_module(k, &k->mods->v[i], p)) != 0)
			return rc;
	h->n[S_MODS] = p->mods.n;
	h->n[S_MSYMS] = p->syms.n;
	h->n[S_MNAMES] = p->names.n;
	h->n[S_MBTF] = p->btf.n;
	h->n[S_MFNS] = p->fns.n;
	return 0;
}

static void
put_section(uint8_t *at, const void *v, size_t n)
{
	if (n != 0)
		memcpy(at, v, n);
}

static void
put_modules(uint8_t *const *at, const struct mparts *p)
{
	put_section(at[S_MODS], p->mods.v, p->mods.n * sizeof(*p->mods.v));
	put_section(at[S_MSYMS], p->syms.v, p->syms.n * sizeof(*p->syms.v));
	put_section(at[S_MNAMES], p->names.v, p->names.n);
	put_section(at[S_MBTF], p->btf.v, p->btf.n);
	put_section(at[S_MFNS], p->fns.v, p->fns.n * sizeof(*p->fns.v));
}

static void
put_syms(uint8_t *const *at, const struct gi_ksyms *s, uint64_t base)
{
	uint32_t i;

	for (i = 0; i < s->n; i++) {
		uint64_t a = s->v[i].percpu ? s->v[i].addr : s->v[i].addr - base;

		memcpy(at[S_ADDR] + 8 * (size_t)i, &a, 8);
		memcpy(at[S_NAME] + 4 * (size_t)i, &s->v[i].name, 4);
		at[S_TYPE][i] = s->v[i].type;
		at[S_PERCPU][i] = s->v[i].percpu;
	}
	memcpy(at[S_NAMES], s->names, s->nameslen);
}

int
gi_kernel_save(struct gi_kernel *k, bool modules, struct dv_err *err, void **data, size_t *len)
{
	const struct gi_ksyms *s = k->syms;
	const struct gi_probes *p;
	struct hdr h = { .magic = MAGIC, .version = VERSION };
	struct strs strs = { 0 };
	struct mparts mp = { 0 };
	struct fscall *sc = NULL;
	uint8_t *out = NULL, *at[NSEC];
	size_t total = sizeof(h);
	uint32_t i, j;
	int rc;

	if (k->live && (rc = gi_probes_open(k, err)) != 0)
		return rc;
	p = k->probes;
	h.base = k->base;
	h.image = k->end - k->base;
	h.note = k->note;
	h.layout = s->layout;
	h.levels = k->levels;
	memcpy(h.id, k->id, sizeof(k->id));
	memcpy(h.release, k->release, sizeof(k->release));
	h.n[S_ADDR] = h.n[S_NAME] = h.n[S_TYPE] = h.n[S_PERCPU] = s->n;
	h.n[S_NAMES] = s->nameslen;
	h.n[S_BTF] = k->btf->len;
	add_str(&strs, "");
	if (p != NULL) {
		h.probes = 1;
		h.nbad = p->nbad;
		h.n[S_FNS] = p->nfns;
		h.n[S_SCALLS] = p->nscalls;
		h.n[S_NRMAP] = p->nnr;
		h.n[S_FBT] = p->nfbt;
		if ((sc = calloc((size_t)p->nscalls + 1, sizeof(*sc))) == NULL) {
			rc = dv_err_nomem(err);
			goto out;
		}
		for (i = 0; i < p->nscalls; i++) {
			sc[i] = (struct fscall){ .sym = p->scalls[i].sym, .nr = p->scalls[i].nr,
			    .nargs = p->scalls[i].nargs };
			sc[i].name = add_str(&strs, p->scalls[i].name);
			for (j = 0; j < sc[i].nargs; j++)
				sc[i].types[j] = add_str(&strs, p->scalls[i].types[j]);
		}
	}
	h.n[S_STRS] = strs.v.n;
	if (modules && p != NULL && (rc = add_modules(k, &mp, &h)) != 0) {
		dv_err_nomem(err);
		goto out;
	}
	for (i = 0; i < NSEC; i++)
		total += align8(h.n[i] * elem[i]);
	if (strs.failed || (out = calloc(1, total)) == NULL) {
		rc = dv_err_nomem(err);
		goto out;
	}
	for (i = 0, total = sizeof(h); i < NSEC; i++) {
		at[i] = out + total;
		total += align8(h.n[i] * elem[i]);
	}
	put_syms(at, s, k->base);
	memcpy(at[S_BTF], k->btf->data, k->btf->len);
	if (p != NULL) {
		memcpy(at[S_FNS], p->fns, p->nfns * sizeof(*p->fns));
		memcpy(at[S_SCALLS], sc, p->nscalls * sizeof(*sc));
		if (p->nnr != 0)
			memcpy(at[S_NRMAP], p->nrmap, p->nnr * sizeof(*p->nrmap));
		memcpy(at[S_FBT], p->fbt, p->nfbt * sizeof(*p->fbt));
	}
	memcpy(at[S_STRS], strs.v.v, strs.v.n);
	put_modules(at, &mp);
	h.len = total;
	memcpy(out, &h, sizeof(h));
	h.sum = gi_save_checksum(out + offsetof(struct hdr, base),
	    total - offsetof(struct hdr, base));
	memcpy(out + offsetof(struct hdr, sum), &h.sum, 8);
	*data = out;
	*len = total;
	rc = 0;
out:
	free(sc);
	dv_vec_fini(&strs.v);
	mparts_fini(&mp);
	return rc;
}

/* ---- load ---- */

static int
bad(struct dv_err *err, const char *what)
{
	return dv_err_set(err, DV_E_FORMAT, "saved kernel is damaged: %s", what);
}

static int
check_header(const uint8_t *p, size_t len, struct hdr *h, const uint8_t **at,
    struct dv_err *err)
{
	size_t total = sizeof(*h);
	unsigned i;

	if (len < sizeof(*h))
		return bad(err, "it is cut short");
	memcpy(h, p, sizeof(*h));
	if (h->magic != MAGIC)
		return dv_err_set(err, DV_E_FORMAT, "not a saved kernel");
	if (h->version != VERSION)
		return dv_err_set(err, DV_E_FORMAT,
		    "saved kernel has version %u, this dvisor reads %u", h->version, VERSION);
	if (h->len != len)
		return bad(err, "it is cut short");
	if (gi_save_checksum(p + offsetof(struct hdr, base),
	    len - offsetof(struct hdr, base)) != h->sum)
		return bad(err, "its checksum is wrong");
	for (i = 0; i < NSEC; i++) {
		if (h->n[i] > (len - total) / elem[i])
			return bad(err, "a section does not fit");
		at[i] = p + total;
		total += align8(h->n[i] * elem[i]);
		if (total > len)
			return bad(err, "a section does not fit");
	}
	if (h->n[S_ADDR] != h->n[S_NAME] || h->n[S_ADDR] != h->n[S_TYPE] ||
	    h->n[S_ADDR] != h->n[S_PERCPU] || h->n[S_ADDR] > GI_MAX_SYMS || h->n[S_ADDR] == 0 ||
	    h->image > GI_MAX_IMAGE || h->n[S_FNS] > GI_MAX_SYMS ||
	    h->n[S_FBT] > 2 * (uint64_t)GI_MAX_SYMS || h->n[S_SCALLS] > 4096 ||
	    h->n[S_NRMAP] > 4096 || h->n[S_MODS] > GI_MAX_MODS || h->n[S_MSYMS] > GI_MAX_SYMS ||
	    h->n[S_MFNS] > GI_MAX_SYMS)
		return bad(err, "a section has an absurd size");
	if (h->n[S_NAMES] == 0 || at[S_NAMES][h->n[S_NAMES] - 1] != 0 || h->n[S_STRS] == 0 ||
	    at[S_STRS][h->n[S_STRS] - 1] != 0 || h->n[S_NAMES] > UINT32_MAX ||
	    h->n[S_STRS] > UINT32_MAX)
		return bad(err, "its strings have no end");
	if (h->levels != 4 && h->levels != 5)
		return bad(err, "page-table levels");
	if (memchr(h->id, 0, 65) == NULL || memchr(h->release, 0, 65) == NULL)
		return bad(err, "its name has no end");
	return 0;
}

static int
load_syms(struct gi_kernel *k, const struct hdr *h, const uint8_t **at, struct dv_err *err)
{
	struct gi_ksyms *s = calloc(1, sizeof(*s));
	uint32_t i;

	if (s == NULL)
		return dv_err_nomem(err);
	k->syms = s;
	s->n = (uint32_t)h->n[S_ADDR];
	s->layout = h->layout;
	s->nameslen = h->n[S_NAMES];
	if ((s->v = calloc(s->n, sizeof(*s->v))) == NULL ||
	    (s->names = malloc(s->nameslen)) == NULL)
		return dv_err_nomem(err);
	memcpy(s->names, at[S_NAMES], s->nameslen);
	for (i = 0; i < s->n; i++) {
		s->v[i].name = gi_u32(at[S_NAME] + 4 * (size_t)i);
		s->v[i].type = at[S_TYPE][i];
		s->v[i].percpu = at[S_PERCPU][i] != 0;
		s->v[i].addr = gi_u64(at[S_ADDR] + 8 * (size_t)i);
		if (!s->v[i].percpu)
			s->v[i].addr += k->base;
		if (s->v[i].name >= s->nameslen)
			return bad(err, "a symbol has no name");
	}
	return gi_ksyms_index(s, err);
}

static int
load_probes(struct gi_kernel *k, const struct hdr *h, const uint8_t **at, struct dv_err *err)
{
	struct gi_probes *p;
	const char *strs = (const char *)at[S_STRS];
	uint32_t i, j;
	char *copy;

	if (h->probes == 0)
		return 0;
	if ((p = calloc(1, sizeof(*p))) == NULL)
		return dv_err_nomem(err);
	k->probes = p;
	p->nfns = (uint32_t)h->n[S_FNS];
	p->nscalls = (uint32_t)h->n[S_SCALLS];
	p->nnr = (uint32_t)h->n[S_NRMAP];
	p->nfbt = (uint32_t)h->n[S_FBT];
	p->nbad = h->nbad;
	p->fns = calloc((size_t)p->nfns + 1, sizeof(*p->fns));
	p->scalls = calloc((size_t)p->nscalls + 1, sizeof(*p->scalls));
	p->nrmap = calloc((size_t)p->nnr + 1, sizeof(*p->nrmap));
	p->fbt = calloc((size_t)p->nfbt + 1, sizeof(*p->fbt));
	copy = dv_arena_alloc(k->arena, h->n[S_STRS]);
	if (p->fns == NULL || p->scalls == NULL || p->nrmap == NULL || p->fbt == NULL ||
	    copy == NULL)
		return dv_err_nomem(err);
	memcpy(copy, strs, h->n[S_STRS]);
	memcpy(p->fns, at[S_FNS], p->nfns * sizeof(*p->fns));
	memcpy(p->nrmap, at[S_NRMAP], p->nnr * sizeof(*p->nrmap));
	memcpy(p->fbt, at[S_FBT], p->nfbt * sizeof(*p->fbt));
	for (i = 0; i < p->nfns; i++)
		if (p->fns[i].mod != 0 || p->fns[i].sym >= k->syms->n ||
		    p->fns[i].btf > k->btf->n ||
		    p->fns[i].size > GI_MAX_FUNC)
			return bad(err, "a function is out of range");
	for (i = 0; i < p->nnr; i++)
		if (p->nrmap[i] > p->nscalls)
			return bad(err, "a system call is out of range");
	for (i = 0; i < p->nfbt; i++)
		if (p->fbt[i] / 2 >= p->nfns)
			return bad(err, "a probe is out of range");
	for (i = 0; i < p->nscalls; i++) {
		struct fscall f;

		memcpy(&f, at[S_SCALLS] + i * sizeof(f), sizeof(f));
		if (f.sym >= k->syms->n || f.nargs > 6 || f.name >= h->n[S_STRS])
			return bad(err, "a system call is out of range");
		p->scalls[i] = (struct gi_scall){ .sym = f.sym, .nr = f.nr, .nargs = f.nargs,
		    .name = copy + f.name };
		for (j = 0; j < f.nargs; j++) {
			if (f.types[j] >= h->n[S_STRS])
				return bad(err, "a type has no name");
			p->scalls[i].types[j] = copy + f.types[j];
		}
	}
	gi_sched_open(k, p, err);
	gi_proc_open(k, p, err);
	gi_probes_number(p);
	return 0;
}

/* Where the parts of the next module begin in its sections, and what is left there. */
struct mleft {
	const uint8_t *at[NSEC];
	uint64_t n[NSEC];
};

static const uint8_t *
take(struct mleft *l, enum sec s, uint64_t n)
{
	const uint8_t *p = l->at[s];

	if (n > l->n[s])
		return NULL;
	l->n[s] -= n;
	l->at[s] += n * elem[s];
	return p;
}

static int
load_mod_syms(struct gi_mod *m, uint32_t n, const uint8_t *syms, const char *names,
    uint32_t nameslen, struct dv_err *err)
{
	struct gi_ksyms *s;
	uint32_t i;

	if (n == 0)
		return 0;
	if (nameslen == 0 || names[nameslen - 1] != 0)
		return bad(err, "a module's names have no end");
	if ((s = m->syms = calloc(1, sizeof(*s))) == NULL ||
	    (s->v = calloc(n, sizeof(*s->v))) == NULL || (s->names = malloc(nameslen)) == NULL)
		return dv_err_nomem(err);
	memcpy(s->names, names, nameslen);
	s->nameslen = nameslen;
	s->n = n;
	for (i = 0; i < n; i++) {
		struct fmsym f;

		memcpy(&f, syms + i * sizeof(f), sizeof(f));
		if (f.name >= nameslen || f.type > 127)
			return bad(err, "a module's symbol is out of range");
		s->v[i] = (struct gi_ksym){ .addr = f.addr, .name = f.name,
		    .type = (uint8_t)f.type };
	}
	return gi_ksyms_index(s, err);
}

static int
load_mod_fns(struct gi_mod *m, uint32_t n, const uint8_t *fns, uint16_t num, struct dv_err *err)
{
	uint32_t i;

	if ((m->fns = calloc((size_t)n + 1, sizeof(*m->fns))) == NULL)
		return dv_err_nomem(err);
	put_section((uint8_t *)m->fns, fns, n * sizeof(*m->fns));
	m->nfns = n;
	for (i = 0; i < n; i++) {
		struct gi_fn *f = &m->fns[i];

		if (m->syms == NULL || f->sym >= m->syms->n || f->size > GI_MAX_FUNC ||
		    (f->btf != 0 && (m->types == NULL || f->btf > m->types->n)))
			return bad(err, "a module's function is out of range");
		f->mod = num;
		f->flags |= GI_FN_SEEN | GI_FN_TYPED;
		if (f->btf != 0)
			f->btf += m->types->idoff;
	}
	return 0;
}

static int
load_module(struct gi_kernel *k, struct gi_mod *m, const struct fmod *f, struct mleft *l,
    struct dv_err *err)
{
	const uint8_t *syms = take(l, S_MSYMS, f->nsyms), *names = take(l, S_MNAMES, f->names);
	const uint8_t *btf = take(l, S_MBTF, f->btf), *fns = take(l, S_MFNS, f->nfns);
	uint32_t i;
	int rc;

	if (syms == NULL || names == NULL || btf == NULL || fns == NULL || f->nranges > 16 ||
	    f->nsyms > f->slots || f->nfns > f->slots || memchr(f->name, 0, 64) == NULL)
		return bad(err, "a module is out of range");
	if ((m->name = dv_arena_strdup(k->arena, f->name)) == NULL)
		return dv_err_nomem(err);
	m->addr = f->addr;
	m->live = f->live != 0;
	m->nsyms = f->slots;
	m->nranges = f->nranges;
	for (i = 0; i < f->nranges; i++)
		m->range[i] = (struct gi_modrange){ f->range[i][0], f->range[i][1] };
	m->text = (struct gi_modrange){ f->text[0], f->text[1] };
	m->tried = GI_MT_SYMS | GI_MT_TYPES | GI_MT_FNS;
	if ((rc = load_mod_syms(m, f->nsyms, syms, (const char *)names, f->names, err)) != 0)
		return rc;
	if (f->btf != 0) {
		if ((rc = gi_btf_open_split(k->btf, k->mods->idoff, btf, f->btf, err,
		    &m->types)) != 0)
			return rc;
		k->mods->idoff += m->types->n;
	}
	return load_mod_fns(m, f->nfns, fns, (uint16_t)(m - k->mods->v + 1), err);
}

/* Without a guest: the modules that were saved. */
static int
load_modules(struct gi_kernel *k, const struct hdr *h, const uint8_t **at, struct dv_err *err)
{
	struct gi_mods *ms = k->mods;
	struct mleft l;
	uint32_t i;
	int rc;

	memcpy(l.at, at, sizeof(l.at));
	memcpy(l.n, h->n, sizeof(l.n));
	if ((ms->v = calloc(h->n[S_MODS] + 1, sizeof(*ms->v))) == NULL)
		return dv_err_nomem(err);
	for (i = 0; i < h->n[S_MODS]; i++) {
		struct fmod f;

		memcpy(&f, at[S_MODS] + i * sizeof(f), sizeof(f));
		ms->n = i + 1;
		if ((rc = load_module(k, &ms->v[i], &f, &l, err)) != 0)
			return rc;
		gi_mod_settle(ms, i);
	}
	gi_mods_number(ms);
	for (i = 0; i < ms->n; i++)
		if (ms->v[i].nfns > ms->v[i].nsyms)
			return bad(err, "its modules have too many functions");
	return 0;
}

/* A kernel without a guest: whoever reads its memory finds none. */
static int
no_memory(void *arg, dv_gpa_t at, void *buf, size_t len)
{
	(void)arg;
	(void)at;
	(void)buf;
	(void)len;
	return DV_E_GUEST;
}

int
gi_kernel_load(const struct gi_mem *mem, const struct gi_cpu *cpus, unsigned ncpu,
    const void *data, size_t len, struct dv_err *err, struct gi_kernel **ret)
{
	struct gi_kernel *k;
	const uint8_t *at[NSEC];
	struct hdr h;
	int rc;

	if ((rc = check_header(data, len, &h, at, err)) != 0)
		return rc;
	if ((k = calloc(1, sizeof(*k))) == NULL)
		return dv_err_nomem(err);
	if ((k->arena = dv_arena_create()) == NULL || (k->tytext = dv_map_create()) == NULL) {
		rc = dv_err_nomem(err);
		goto fail;
	}
	if (mem != NULL) {
		k->mem = *mem;
		k->live = true;
		k->note = h.note;
		if ((rc = gi_findimage(k, cpus, ncpu, gi_image_id, err)) != 0)
			goto fail;
		if (strcmp(k->id, h.id) != 0) {
			rc = dv_err_set(err, DV_E_NOENT,
			    "the saved kernel is another: %s, the guest runs %s", h.id, k->id);
			goto fail;
		}
	} else {
		k->mem.read = no_memory;
		k->base = h.base;
		k->end = h.base + h.image;
		k->levels = h.levels;
		memcpy(k->id, h.id, sizeof(k->id));
	}
	memcpy(k->release, h.release, sizeof(k->release));
	if ((rc = load_syms(k, &h, at, err)) != 0)
		goto fail;
	if ((rc = gi_btf_open(at[S_BTF], h.n[S_BTF], err, &k->btf)) != 0) {
		dv_err_prefix(err, "saved kernel");
		goto fail;
	}
	if ((rc = load_probes(k, &h, at, err)) != 0)
		goto fail;
	if (k->live)
		gi_prefer_init_root(k);
	if ((rc = gi_mods_open(k, err)) != 0 ||
	    (!k->live && (rc = load_modules(k, &h, at, err)) != 0))
		goto fail;
	*ret = k;
	return 0;
fail:
	gi_kernel_close(k);
	return rc;
}
