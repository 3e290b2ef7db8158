/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patched.c - text that a Linux kernel changes while it runs, and where it must not
 * be stopped: no place for a trap that is a byte of that text.
 *
 * The kernel compares what it finds with what it has left there before it changes a
 * jump label or a static call, and stops with BUG() if they differ. Both are listed in
 * tables that stay for ever: __jump_table and static_call_sites, and those of
 * modules. The nops of ftrace are changed, too; sites are behind them, but in
 * functions that loop back to there.
 *
 * Functions that the kernel itself takes no kprobes in are on a list,
 * kprobe_blacklist; those of whole sections are marked already (func.c).
 *
 * Everything is read when first asked for, and kept until the next gi_text_reset():
 * while sites are made, that is.
 */
#include "guest-introspect/func.h"

#define MAX_ENTRIES	(1u << 20)	/* of a table */
#define MAX_LISTED	16384u		/* of the blacklist */

enum why { JUMP_LABEL, STATIC_CALL };
static const char *const why_text[] = {
	"the guest's kernel has a jump label there",
	"the guest's kernel has a static call there"
};

struct place {
	uint64_t at;
	uint8_t len, why;
};
struct area {
	uint64_t start, end;
};
struct gi_patched {
	DV_VEC(struct place) v;		/* sorted by address, once complete */
	DV_VEC(struct area) listed;
	bool *mod;			/* whose tables have been read */
	size_t nmod;
	bool sorted, failed;
};

/* Bytes that the kernel compares there, from what is there now. */
static uint8_t
length(struct gi_kernel *k, uint64_t at)
{
	const uint8_t *p = gi_text(k, at, 2);

	if (p == NULL)
		return 5;
	if (p[0] == 0xeb || (p[0] == 0x66 && p[1] == 0x90))
		return 2;
	return p[0] == 0x0f && (p[1] & 0xf0) == 0x80 ? 6 : 5;
}

/* A table whose entries begin with the distance to the text that they are about. */
static void
add_table(struct gi_kernel *k, struct gi_patched *t, uint64_t at, uint64_t n, size_t size,
	  enum why why)
{
	uint8_t *buf;
	uint64_t i;

	if (at == 0 || n == 0)
		return;
	if (n > MAX_ENTRIES || (buf = malloc(n * size)) == NULL) {
		t->failed = true;
		return;
	}
	if (gi_read(k, DV_GVA(at), buf, n * size, NULL) != 0)
		t->failed = true;
	for (i = 0; i < n && !t->failed; i++) {
		struct place p = { .why = (uint8_t)why };
		int32_t dist;

		memcpy(&dist, buf + i * size, sizeof(dist));
		p.at = at + i * size + (uint64_t)(int64_t)dist;
		p.len = length(k, p.at);
		if (dv_vec_push(&t->v, p) != 0)
			t->failed = true;
	}
	free(buf);
	t->sorted = false;
}

static void
add_between(struct gi_kernel *k, struct gi_patched *t, const char *start, const char *stop,
	    size_t size, enum why why)
{
	uint64_t a = gi_addr(k, start), b = gi_addr(k, stop);

	if (a != 0 && b > a)
		add_table(k, t, a, (b - a) / size, size, why);
}

/* A table of a module: a pointer and a number in its struct module. */
static void
add_of_module(struct gi_kernel *k, struct gi_patched *t, const struct gi_mod *m,
	      const char *table, const char *number, size_t size, enum why why)
{
	int64_t at = gi_offsetof(k, "module", table), n = gi_offsetof(k, "module", number);
	uint32_t count = 0;
	uint64_t va;
	bool ok;

	if (at < 0 || n < 0)
		return;			/* this kernel has none */
	va = gi_read_u64(k, m->addr + (uint64_t)at, &ok);
	if (!ok || gi_read(k, DV_GVA(m->addr + (uint64_t)n), &count, sizeof(count), NULL) != 0)
		t->failed = true;
	else
		add_table(k, t, va, count, size, why);
}

static void
add_blacklist(struct gi_kernel *k, struct gi_patched *t)
{
	int64_t link = gi_offsetof(k, "kprobe_blacklist_entry", "list");
	int64_t from = gi_offsetof(k, "kprobe_blacklist_entry", "start_addr");
	int64_t to = gi_offsetof(k, "kprobe_blacklist_entry", "end_addr");
	uint64_t head = gi_addr(k, "kprobe_blacklist"), at;
	unsigned n;
	bool ok;

	if (head == 0 || link < 0 || from < 0 || to < 0)
		return;
	at = gi_read_u64(k, head, &ok);
	for (n = 0; ok && at != head && at != 0 && n < MAX_LISTED; n++) {
		uint64_t e = at - (uint64_t)link;
		struct area a;
		bool ok2;

		a.start = gi_read_u64(k, e + (uint64_t)from, &ok);
		a.end = gi_read_u64(k, e + (uint64_t)to, &ok2);
		if (!ok || !ok2)
			break;
		if (dv_vec_push(&t->listed, a) != 0)
			t->failed = true;
		at = gi_read_u64(k, at, &ok);
	}
}

static int
by_address(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	return a->at < b->at ? -1 : a->at > b->at;
}

static struct gi_patched *
tables(struct gi_kernel *k, const struct gi_mod *m)
{
	struct gi_patched *t = k->patched;
	size_t i;

	if (t == NULL) {
		if ((t = calloc(1, sizeof(*t))) == NULL)
			return NULL;
		k->patched = t;
		t->nmod = gi_nmods(k);
		if ((t->mod = calloc(t->nmod + 1, sizeof(*t->mod))) == NULL)
			t->failed = true;
		add_between(k, t, "__start___jump_table", "__stop___jump_table", 16, JUMP_LABEL);
		add_between(k, t, "__start_static_call_sites", "__stop_static_call_sites", 8,
		    STATIC_CALL);
		add_blacklist(k, t);
	}
	if (m != NULL && !t->failed && (i = (size_t)(m - k->mods->v)) < t->nmod && !t->mod[i]) {
		t->mod[i] = true;
		add_of_module(k, t, m, "jump_entries", "num_jump_entries", 16, JUMP_LABEL);
		add_of_module(k, t, m, "static_call_sites", "num_static_call_sites", 8,
		    STATIC_CALL);
	}
	if (!t->sorted && t->v.n > 1)
		qsort(t->v.v, t->v.n, sizeof(*t->v.v), by_address);
	t->sorted = true;
	return t;
}

const char *
gi_patched(struct gi_kernel *k, uint64_t at)
{
	const struct gi_mod *m;
	struct gi_patched *t;
	size_t lo = 0, hi;

	if (!k->traps)
		return NULL;
	m = at >= k->base && at < k->end ? NULL : gi_mod_at(k, at);
	if ((t = tables(k, m)) == NULL || t->failed)
		return "what the guest's kernel patches there cannot be read";
	for (hi = t->v.n; lo < hi; ) {	/* the last that begins at or before it */
		size_t mid = lo + (hi - lo) / 2;

		if (t->v.v[mid].at <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo > 0 && at - t->v.v[lo - 1].at < t->v.v[lo - 1].len)
		return why_text[t->v.v[lo - 1].why];
	return NULL;
}

const char *
gi_untraceable(struct gi_kernel *k, const struct gi_fn *f)
{
	struct gi_patched *t;
	uint64_t at;
	size_t i;

	if (!k->traps)
		return NULL;
	if ((f->flags & GI_FN_NOTRACE) != 0)
		return "it is entry, noinstr, kprobes or idle text, where no trap is placed";
	at = gi_fn_addr(k, f);
	if ((t = tables(k, NULL)) == NULL)
		return NULL;
	for (i = 0; i < t->listed.n; i++)
		if (at >= t->listed.v[i].start && at < t->listed.v[i].end)
			return "it is on the guest's kprobe blacklist, where no trap is placed";
	return NULL;
}

void
gi_patched_free(struct gi_kernel *k)
{
	if (k->patched == NULL)
		return;
	dv_vec_fini(&k->patched->v);
	dv_vec_fini(&k->patched->listed);
	free(k->patched->mod);
	free(k->patched);
	k->patched = NULL;
}
