/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * func.c - functions of the kernel: their text, and where they return.
 *
 * A function begins at a text symbol and ends at the next symbol (of a module: or
 * where ELF says that it ends). It returns by
 *
 *	ret, or a jump to a return thunk (retbleed and its successors);
 *	a direct jump to another function: that one returns for it;
 *	an indirect jump, also through a retpoline: where to is not known.
 *
 * Any of the jumps may be conditional. The compiler moves unlikely parts of f
 * into a symbol f.cold elsewhere, and f jumps there and back: such parts belong
 * to f's body. So do the far parts of static_cpu_has(), which lie in
 * .altinstr_aux, among init data, until alternatives are patched. Text is walked
 * straight through: these kernels keep no data in functions written in C, and
 * jump tables live in rodata. A function that cannot be decoded whole, or that
 * uses computed gotos (many indirect jumps, as the BPF interpreter has), has no
 * known returns: better none than some.
 *
 * Text is copied in pieces when first looked at, so that one operation sees
 * one state of it, and enabling one probe does not read all.
 */
#include "func.h"

#include <stdio.h>

#define CHUNK		65536u
#define MAX_PARTS	16u
#define MAX_INDIRECT	8u	/* more in one function: computed gotos */

struct text_area {
	uint64_t start;
	size_t len;
	uint8_t *buf;
	uint8_t *have;		/* by CHUNK: 1 read, 2 not readable */
};
struct gi_texts {
	struct text_area a[2];	/* text, init text */
	struct text_area *mod;	/* by module; empty until asked for */
	size_t nmod;
};

/* Freed init text stays mapped without page-table isolation: others' data. */
static bool
init_is_gone(struct gi_kernel *k)
{
	uint64_t at = gi_addr(k, "system_state");
	int64_t gone = 2;
	uint32_t state = 0;

	if (!gi_enum_find(k, "SYSTEM_FREEING_INITMEM", &gone, NULL))
		gi_enum_find(k, "SYSTEM_RUNNING", &gone, NULL);
	return at != 0 && gi_read(k, DV_GVA(at), &state, sizeof(state), NULL) == 0 &&
	    (int64_t)state >= gone;
}

static bool
area_init(struct text_area *a, uint64_t start, size_t len)
{
	a->buf = calloc(1, len);
	a->have = calloc(1, len / CHUNK + 1);
	if (a->buf == NULL || a->have == NULL) {
		free(a->buf);
		free(a->have);
		memset(a, 0, sizeof(*a));
		return false;
	}
	a->start = start;
	a->len = len;
	return true;
}

static struct gi_texts *
texts(struct gi_kernel *k)
{
	static const char *const names[2][2] = {
		{ "_stext", "_etext" }, { "_sinittext", "_einittext" } };
	struct gi_texts *t = k->texts;
	unsigned i;

	if (t != NULL)
		return t;
	if ((t = calloc(1, sizeof(*t))) == NULL)
		return NULL;
	for (i = 0; i < 2; i++) {
		uint64_t s = gi_addr(k, names[i][0]), e = gi_addr(k, names[i][1]);

		if (s != 0 && e > s && e - s <= GI_MAX_IMAGE && s >= GI_KERNEL_LOW)
			area_init(&t->a[i], s, e - s);
	}
	t->nmod = gi_nmods(k);
	if ((t->mod = calloc(t->nmod + 1, sizeof(*t->mod))) == NULL)
		t->nmod = 0;
	if (t->a[1].have != NULL && init_is_gone(k))
		memset(t->a[1].have, 2, t->a[1].len / CHUNK + 1);
	k->texts = t;
	return t;
}

void
gi_text_reset(struct gi_kernel *k)
{
	unsigned i;

	gi_patched_free(k);
	if (k->texts == NULL)
		return;
	for (i = 0; i < 2; i++) {
		free(k->texts->a[i].buf);
		free(k->texts->a[i].have);
	}
	for (i = 0; i < k->texts->nmod; i++) {
		free(k->texts->mod[i].buf);
		free(k->texts->mod[i].have);
	}
	free(k->texts->mod);
	free(k->texts);
	k->texts = NULL;
}

static bool
fetch(struct gi_kernel *k, struct text_area *a, size_t chunk)
{
	size_t off = chunk * CHUNK, n = a->len - off < CHUNK ? a->len - off : CHUNK;

	if (a->have[chunk] == 0)
		a->have[chunk] = gi_read(k, DV_GVA(a->start + off), a->buf + off, n, NULL) == 0 ?
		    1 : 2;
	return a->have[chunk] == 1;
}

static const uint8_t *
text_in(struct gi_kernel *k, struct text_area *a, uint64_t at, size_t len)
{
	size_t c;

	if (at < a->start || at - a->start >= a->len || len > a->len - (at - a->start))
		return NULL;
	for (c = (at - a->start) / CHUNK; c <= (at - a->start + len - 1) / CHUNK; c++)
		if (!fetch(k, a, c))
			return NULL;
	return a->buf + (at - a->start);
}

const uint8_t *
gi_text(struct gi_kernel *k, uint64_t at, size_t len)
{
	struct gi_texts *t;
	struct gi_mod *m;
	const uint8_t *p;
	size_t i;

	if (!k->live || len == 0 || (t = texts(k)) == NULL)
		return NULL;
	if ((p = text_in(k, &t->a[0], at, len)) != NULL ||
	    (p = text_in(k, &t->a[1], at, len)) != NULL)
		return p;
	if ((m = gi_mod_at(k, at)) == NULL || !m->live || m->text.size == 0 ||
	    (i = (size_t)(m - k->mods->v)) >= t->nmod ||
	    (t->mod[i].buf == NULL && !area_init(&t->mod[i], m->text.start, m->text.size)))
		return NULL;
	return text_in(k, &t->mod[i], at, len);
}

/* ---- the table of functions ---- */

static bool
starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

static bool
ends(const char *s, const char *with)
{
	size_t n = strlen(s), m = strlen(with);

	return n >= m && strcmp(s + n - m, with) == 0;
}

static uint16_t
flags_of(const char *name)
{
	const char *cold = strstr(name, ".cold");

	if (starts(name, "__pi_"))
		name += 5;
	if (cold != NULL && (cold[5] == 0 || cold[5] == '.'))
		return GI_FN_COLD;
	if (ends(name, "return_thunk"))
		return GI_FN_RETTHUNK | GI_FN_HIDE;
	if (starts(name, "__x86_indirect_"))
		return GI_FN_INDTHUNK | GI_FN_HIDE;
	if (starts(name, "__SCT__") || starts(name, "__SCK__") || starts(name, "__pfx_") ||
	    starts(name, "__cfi_") || strstr(name, "untrain_ret") != NULL ||
	    strcmp(name, "__fentry__") == 0 || starts(name, ".L") ||
	    strcmp(name, "_stext") == 0 || strcmp(name, "_text") == 0 ||
	    strcmp(name, "_etext") == 0 || strcmp(name, "_sinittext") == 0 ||
	    strcmp(name, "_einittext") == 0 || ends(name, "_text_start") ||
	    ends(name, "_text_end"))
		return GI_FN_HIDE;
	return 0;
}

struct area {
	uint64_t start, end;
};

static bool
in_areas(const struct area *a, unsigned n, uint64_t at)
{
	while (n-- > 0)
		if (at >= a[n].start && at < a[n].end)
			return true;
	return false;
}

/* Where the functions of a table of symbols are looked for. */
struct code {
	const struct gi_ksyms *s;
	const struct gi_btf *b;		/* or NULL: no types */
	struct area text[2];		/* the second is init text */
	struct area notrace[5];
	uint64_t end;			/* of what the last symbol may hold */
	const uint32_t *size;		/* by symbol, as the linker knew it, or NULL */
	uint16_t mod;
};

/* Among the symbols byaddr[i, j) of one address: the function's. */
static const struct gi_ksym *
best_name(const struct gi_ksyms *s, uint32_t i, uint32_t j, uint16_t *thunk)
{
	const struct gi_ksym *best = NULL;
	int br = 0;

	for (; i < j; i++) {
		const struct gi_ksym *y = &s->v[s->byaddr[i]];
		int r = gi_ksym_rank(s, y);

		if ((y->type | 32) != 't' && (y->type | 32) != 'w')
			continue;
		*thunk |= flags_of(s->names + y->name) & (GI_FN_RETTHUNK | GI_FN_INDTHUNK);
		if (y->percpu || (best != NULL && r <= br))
			continue;
		best = y;
		br = r;
	}
	return best;
}

static void
find_proto(const struct gi_btf *b, const char *name, struct gi_fn *f)
{
	struct gi_type t, proto;

	if (b == NULL || (f->btf = gi_btf_find(b, GI_T_FUNC, name)) == 0 ||
	    gi_btf_type(b, f->btf, &t) != 0)
		return;
	if (gi_btf_type(b, t.ref, &proto) == 0 && proto.kind == GI_T_PROTO) {
		f->flags |= GI_FN_PROTO;
		if (gi_btf_resolve(b, proto.ref) == 0)
			f->flags |= GI_FN_VOID;
	} else {
		f->btf = 0;
	}
}

static int
make_fns(const struct code *c, struct gi_fn **ret, uint32_t *n, struct dv_err *err)
{
	const struct gi_ksyms *s = c->s;
	DV_VEC(struct gi_fn) v = {0};
	uint32_t i, j;

	for (i = 0; i < s->n; i = j) {
		uint64_t at = s->v[s->byaddr[i]].addr, size;
		struct gi_fn f = { .mod = c->mod };
		const struct gi_ksym *best;
		const struct area *text;
		uint16_t thunk = 0;
		const char *name;

		for (j = i + 1; j < s->n && s->v[s->byaddr[j]].addr == at; j++)
			;
		best = best_name(s, i, j, &thunk);
		if (best == NULL || !in_areas(c->text, 2, at))
			continue;
		text = &c->text[in_areas(&c->text[1], 1, at)];
		size = j < s->n ? s->v[s->byaddr[j]].addr - at : c->end - at;
		if (size > text->end - at)
			size = text->end - at;
		/* sections of a module are filled up with zeros, which are no code */
		if (c->size != NULL && c->size[best - s->v] != 0 && c->size[best - s->v] < size)
			size = c->size[best - s->v];
		name = s->names + best->name;
		f.sym = (uint32_t)(best - s->v);
		f.size = size > GI_MAX_FUNC ? GI_MAX_FUNC : (uint32_t)size;
		f.flags = flags_of(name) | thunk | (thunk != 0 ? GI_FN_HIDE : 0);
		if (text == &c->text[1])
			f.flags |= GI_FN_INIT;
		if (in_areas(c->notrace, sizeof(c->notrace) / sizeof(c->notrace[0]), at))
			f.flags |= GI_FN_NOTRACE;
		find_proto(c->b, name, &f);
		if (dv_vec_push(&v, f) != 0) {
			dv_vec_fini(&v);
			return dv_err_nomem(err);
		}
	}
	*ret = v.v;
	*n = (uint32_t)v.n;
	return 0;
}

int
gi_fns_make(struct gi_kernel *k, struct gi_probes *p, struct dv_err *err)
{
	const struct code c = { .s = k->syms, .b = k->btf, .end = k->end,
	    .text = {
		{ gi_addr(k, "_stext"), gi_addr(k, "_etext") },
		{ gi_addr(k, "_sinittext"), gi_addr(k, "_einittext") } },
	    .notrace = {
		{ gi_addr(k, "__entry_text_start"), gi_addr(k, "__entry_text_end") },
		{ gi_addr(k, "__noinstr_text_start"), gi_addr(k, "__noinstr_text_end") },
		{ gi_addr(k, "__kprobes_text_start"), gi_addr(k, "__kprobes_text_end") },
		{ gi_addr(k, "__irqentry_text_start"), gi_addr(k, "__irqentry_text_end") },
		{ gi_addr(k, "__cpuidle_text_start"), gi_addr(k, "__cpuidle_text_end") } } };

	return make_fns(&c, &p->fns, &p->nfns, err);
}

bool
gi_mod_fns(struct gi_kernel *k, struct gi_mod *m)
{
	struct code c = { .text = { { m->text.start, m->text.start + m->text.size } },
	    .end = m->text.start + m->text.size, .mod = (uint16_t)(m - k->mods->v + 1) };
	unsigned i;

	if ((m->tried & GI_MT_FNS) != 0)
		return m->nfns != 0;
	m->tried |= GI_MT_FNS;
	if (!m->live || m->text.size == 0 || (c.s = gi_mod_syms(k, m)) == NULL)
		return false;
	c.size = m->symsize;
	for (i = 0; i < 2; i++)
		if (m->notrace[i].size <= GI_MAX_MODRANGE)
			c.notrace[i] = (struct area){ m->notrace[i].start,
			    m->notrace[i].start + m->notrace[i].size };
	if (make_fns(&c, &m->fns, &m->nfns, NULL) != 0)
		m->nfns = 0;
	return m->nfns != 0;
}

static const struct gi_ksyms *
syms_of(const struct gi_kernel *k, const struct gi_fn *f)
{
	return f->mod == 0 ? k->syms : k->mods->v[f->mod - 1].syms;
}

uint64_t
gi_fn_addr(const struct gi_kernel *k, const struct gi_fn *f)
{
	return syms_of(k, f)->v[f->sym].addr;
}

const char *
gi_fn_name(const struct gi_kernel *k, const struct gi_fn *f)
{
	const struct gi_ksyms *s = syms_of(k, f);

	return s->names + s->v[f->sym].name;
}

unsigned
gi_fn_copies(const struct gi_kernel *k, const char *func, bool parts,
    struct gi_sym ret[GI_FN_COPIES])
{
	static const char *const suffix[GI_FN_COPIES] = { "", ".isra.0", ".constprop.0",
	    ".part.0" };		/* the last one: no whole function */
	unsigned i, n = 0;
	char name[GI_MAX_NAME];

	for (i = 0; i < GI_FN_COPIES - !parts; i++) {
		snprintf(name, sizeof(name), "%s%s", func, suffix[i]);
		n += gi_sym_find(k, "vmlinux", name, &ret[n]);
	}
	return n;
}

bool
gi_fn_find(const struct gi_kernel *k, const char *func, struct gi_sym *ret)
{
	struct gi_sym s[GI_FN_COPIES];

	if (gi_fn_copies(k, func, false, s) == 0)
		return false;
	*ret = s[0];
	return true;
}

uint32_t
gi_fn_count(const struct gi_kernel *k)
{
	const struct gi_mod *last = gi_nmods(k) == 0 ? NULL : &k->mods->v[k->mods->n - 1];

	return k->probes->nfns + (last == NULL ? 0 : last->fn_first + last->nsyms);
}

uint32_t
gi_fn_num(const struct gi_kernel *k, const struct gi_fn *f)
{
	const struct gi_mod *m;

	if (f->mod == 0)
		return (uint32_t)(f - k->probes->fns);
	m = &k->mods->v[f->mod - 1];
	return k->probes->nfns + m->fn_first + (uint32_t)(f - m->fns);
}

struct gi_fn *
gi_fn_of(const struct gi_kernel *k, uint32_t num)
{
	uint32_t i, at = num - k->probes->nfns;

	if (num < k->probes->nfns)
		return &k->probes->fns[num];
	for (i = 0; i < gi_nmods(k); i++) {
		struct gi_mod *m = &k->mods->v[i];

		if (at >= m->fn_first && at - m->fn_first < m->nfns)
			return &m->fns[at - m->fn_first];
	}
	return NULL;
}

const struct gi_btf *
gi_fn_types(const struct gi_kernel *k, struct gi_fn *f)
{
	const struct gi_btf *b;

	if (f->mod == 0)
		return k->btf;
	b = gi_mod_types(k, &k->mods->v[f->mod - 1]);
	if ((f->flags & GI_FN_TYPED) == 0) {
		f->flags |= GI_FN_TYPED;
		find_proto(b, gi_fn_name(k, f), f);
	}
	return b != NULL ? b : k->btf;
}

static const struct gi_fn *
fn_in(const struct gi_kernel *k, const struct gi_fn *fns, uint32_t n, uint64_t addr)
{
	uint32_t lo = 0, hi = n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (gi_fn_addr(k, &fns[mid]) <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0 || addr - gi_fn_addr(k, &fns[lo - 1]) >= fns[lo - 1].size)
		return NULL;
	return &fns[lo - 1];
}

const struct gi_fn *
gi_fn_at(const struct gi_kernel *k, uint64_t addr)
{
	const struct gi_probes *p = k->probes;
	struct gi_mod *m;

	if (addr >= k->base && addr < k->end)
		return fn_in(k, p->fns, p->nfns, addr);
	if ((m = gi_mod_at(k, addr)) == NULL || !gi_mod_fns(k->mods->k, m))
		return NULL;
	return fn_in(k, m->fns, m->nfns, addr);
}

/* ---- walking a body ---- */

struct body {
	struct gi_kernel *k;
	const struct gi_fn *fn;
	const struct gi_fn *part[MAX_PARTS];
	unsigned nparts;
	unsigned nind;
	uint64_t far;		/* highest jump target inside the part walked */
	uint64_t entry;		/* first address after the prologue */
	struct gi_exits *ret;
};

static int
add_exit(struct body *b, const struct gi_insn *i, uint64_t at, unsigned kind, uint64_t target)
{
	struct gi_exit x = { .at = at, .target = target, .kind = (uint8_t)kind,
	    .cc = i->kind == GI_I_JCC ? i->cc : GI_CC_ALWAYS, .len = i->len };

	if (kind == GI_X_IND && ++b->nind > MAX_INDIRECT)
		return DV_E_FORMAT;
	return dv_vec_push(&b->ret->x, x) != 0 ? DV_E_NOMEM : 0;
}

static int
add_jump(struct body *b, const struct gi_fn *part, const struct gi_insn *i, uint64_t at)
{
	const struct gi_fn *g;
	uint64_t start = gi_fn_addr(b->k, part);
	unsigned n;

	if (i->target == b->entry)
		b->ret->loops = true;
	if (i->target >= start && i->target - start < part->size) {
		if (i->target > b->far)
			b->far = i->target;
		return 0;
	}
	if ((g = gi_fn_at(b->k, i->target)) == NULL) {
		/* in the image: .altinstr_aux, the far part of a static_cpu_has()
		 * before alternatives are patched in; it jumps back. Elsewhere: a
		 * thunk made at run time */
		if (i->target >= b->k->base && i->target < b->k->end)
			return 0;
		return add_exit(b, i, at, GI_X_IND, 0);
	}
	if (g->flags & GI_FN_RETTHUNK)
		return add_exit(b, i, at, GI_X_RET, 0);
	if (g->flags & GI_FN_INDTHUNK)
		return add_exit(b, i, at, GI_X_IND, 0);
	for (n = 0; n < b->nparts; n++)
		if (b->part[n] == g)
			return 0;
	if (g->flags & GI_FN_COLD) {
		if (b->nparts == MAX_PARTS)
			return DV_E_FORMAT;
		b->part[b->nparts++] = g;
		return 0;
	}
	if (i->cc == 16)		/* loop, jrcxz out of a function: no compiler's work */
		return DV_E_FORMAT;
	return add_exit(b, i, at, GI_X_TAIL, i->target);
}

/*
 * The function's text ends behind a conditional jump out of it: if that is not
 * taken the next function begins (__put_user_8 of assembler). So it leaves there
 * in any case, to one of two.
 */
static int
add_fall(struct body *b, uint64_t end)
{
	struct gi_exits *x = b->ret;
	struct gi_exit e;
	const struct gi_fn *next = gi_fn_at(b->k, end);

	if (x->x.n == 0 || next == NULL || gi_fn_addr(b->k, next) != end)
		return 0;
	e = x->x.v[x->x.n - 1];
	if (e.at + e.len != end || e.kind != GI_X_TAIL || e.cc == GI_CC_ALWAYS)
		return 0;
	x->x.v[x->x.n - 1].cc = GI_CC_ALWAYS;
	e.cc = GI_CC_ELSE;
	e.target = end;
	return dv_vec_push(&x->x, e) != 0 ? DV_E_NOMEM : 0;
}

static int
walk_part(struct body *b, const struct gi_fn *part)
{
	uint64_t start = gi_fn_addr(b->k, part), at = 0;
	const uint8_t *p = gi_text(b->k, start, part->size);
	bool stopped = false;
	int rc;

	if (p == NULL)
		return DV_E_GUEST;
	b->far = 0;
	while (at < part->size) {
		struct gi_insn i;

		if (!gi_insn(p + at, part->size - at, start + at, &i)) {
			/* after the end, and nothing jumps there: padding or data */
			return stopped && b->far < start + at ? 0 : DV_E_FORMAT;
		}
		rc = 0;
		switch (i.kind) {
		case GI_I_RET:
			rc = add_exit(b, &i, start + at, GI_X_RET, 0);
			break;
		case GI_I_JMP:
		case GI_I_JCC:
			rc = add_jump(b, part, &i, start + at);
			break;
		case GI_I_JMP_IND:
			rc = add_exit(b, &i, start + at, GI_X_IND, 0);
			break;
		}
		if (rc != 0)
			return rc;
		if (i.kind == GI_I_RET || i.kind == GI_I_JMP || i.kind == GI_I_JMP_IND ||
		    i.kind == GI_I_UD)
			stopped = true;
		else if (i.kind != GI_I_INT3)
			stopped = false;
		at += i.len;
	}
	return stopped || part != b->fn ? 0 : add_fall(b, start + at);
}

static bool
is_tracer(void *arg, uint64_t target)
{
	struct gi_kernel *k = arg;
	struct gi_sym s;

	if (!gi_sym_at(k, target, &s))
		return true;		/* a trampoline that ftrace made */
	return strcmp(s.name, "__fentry__") == 0 || starts(s.name, "ftrace_");
}

/* Bytes of endbr64 and ftrace's nop at addr; *nop: where the nop is. */
static bool
prologue(struct gi_kernel *k, const struct gi_fn *f, uint64_t addr, size_t *skip, size_t *nop)
{
	size_t len = f != NULL && f->size < 16 ? f->size : 16;
	const uint8_t *p = gi_text(k, addr, len);

	if (p == NULL)
		return false;
	*skip = gi_insn_prologue(p, len, addr, is_tracer, k);
	if (*skip >= len)
		*skip = 0;
	*nop = *skip >= 5 ? *skip - 5 : *skip;
	return true;
}

int
gi_fn_exits(struct gi_kernel *k, const struct gi_fn *f, struct gi_exits *ret)
{
	struct body b = { .k = k, .fn = f, .part = { f }, .nparts = 1, .ret = ret };
	size_t skip, nop;
	unsigned i;
	int rc;

	ret->x.n = 0;
	ret->loops = false;
	if (prologue(k, f, gi_fn_addr(k, f), &skip, &nop))
		b.entry = gi_fn_addr(k, f) + skip;
	for (i = 0; i < b.nparts; i++)
		if ((rc = walk_part(&b, b.part[i])) != 0)
			return rc;
	return 0;
}

bool
gi_fn_loops(struct gi_kernel *k, const struct gi_fn *f)
{
	struct gi_exits x = { 0 };

	/* the others were looked at when listed */
	if ((f->flags & GI_FN_INIT) == 0 && f->mod == 0)
		return (f->flags & GI_FN_LOOPS) != 0;
	gi_fn_exits(k, f, &x);
	dv_vec_fini(&x.x);
	return x.loops;
}

uint64_t
gi_fn_entry(struct gi_kernel *k, uint64_t addr)
{
	const struct gi_fn *f = gi_fn_at(k, addr);
	size_t skip, nop;

	if (!prologue(k, f, addr, &skip, &nop))
		return 0;
	return addr + (f != NULL && gi_fn_loops(k, f) ? nop : skip);
}
