/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack.c - addresses as names: stacks, sym(), mod(), usym(), umod(), uaddr().
 *
 * Names come from the caller's cn_symbols, as far as it knows them:
 * mod`sym+0x10, mod`sym at the symbol's start, else the bare address. A stack
 * begins on a line of its own, each frame indented by stackindent; the first 0
 * ends it. A user field is the process id, then addresses.
 */
#include "cn_impl.h"

#include <inttypes.h>

static bool
kernel_name(struct cn *c, uint64_t addr, struct cn_name *ret)
{
	const struct cn_symbols *s = c->cfg.symbols;

	memset(ret, 0, sizeof(*ret));
	return s != NULL && s->kernel != NULL &&
	    s->kernel(s->arg, addr, &ret->mod, &ret->sym, &ret->off);
}

static bool
user_name(struct cn *c, uint64_t pid, uint64_t addr, struct cn_name *ret)
{
	const struct cn_symbols *s = c->cfg.symbols;

	memset(ret, 0, sizeof(*ret));
	return s != NULL && s->user != NULL && !cn_option(c, DV_OPT_NORESOLVE) &&
	    s->user(s->arg, pid, addr, &ret->mod, &ret->sym, &ret->off);
}

static void
put_guest(struct cn_buf *b, const char *s)
{
	cn_put_esc(b, s, strlen(s), CN_ESC_CONTROL);
}

static void
put_name(struct cn_buf *b, bool known, const struct cn_name *n, uint64_t addr, bool offset)
{
	bool sym = known && n->sym != NULL && *n->sym != '\0';
	bool mod = known && n->mod != NULL && *n->mod != '\0';

	if (mod) {
		put_guest(b, n->mod);
		cn_putc(b, '`');
	}
	if (!sym) {
		cn_printf(b, "0x%" PRIx64, addr);
		return;
	}
	put_guest(b, n->sym);
	if (offset && n->off != 0)
		cn_printf(b, "+0x%" PRIx64, n->off);
}

void
cn_kaddr_text(struct cn *c, struct cn_buf *b, uint64_t addr)
{
	struct cn_name n;

	put_name(b, kernel_name(c, addr, &n), &n, addr, true);
}

void
cn_uaddr_text(struct cn *c, struct cn_buf *b, uint64_t pid, uint64_t addr)
{
	struct cn_name n;

	put_name(b, user_name(c, pid, addr, &n), &n, addr, true);
}

void
cn_put_stack(struct cn *c, struct cn_buf *b, const struct cn_field *f,
	const uint8_t *base, unsigned indent)
{
	const uint8_t *p = base + f->off;
	bool user = f->kind == DV_T_USTACK;
	uint32_t i, n = f->size / 8;
	uint64_t pid = 0, addr;

	cn_putc(b, '\n');
	if (user && n > 0)
		pid = cn_load64(p);
	for (i = user ? 1 : 0; i < n; i++) {
		if ((addr = cn_load64(p + 8 * (size_t)i)) == 0)
			break;
		cn_fill(b, ' ', indent);
		if (user)
			cn_uaddr_text(c, b, pid, addr);
		else
			cn_kaddr_text(c, b, addr);
		cn_putc(b, '\n');
	}
}

static uint64_t
field_addr(const struct cn_field *f, const uint8_t *base, uint64_t *pid)
{
	const uint8_t *p = base + f->off;

	*pid = 0;
	if (f->kind == DV_T_SYM || f->kind == DV_T_MOD || f->size < 16)
		return f->size < 8 ? 0 : cn_load64(p);
	*pid = cn_load64(p);
	return cn_load64(p + 8);
}

bool
cn_field_name(struct cn *c, const struct cn_field *f, const uint8_t *base, struct cn_name *ret)
{
	uint64_t pid, addr = field_addr(f, base, &pid);

	if (f->kind == DV_T_SYM || f->kind == DV_T_MOD)
		return kernel_name(c, addr, ret);
	return user_name(c, pid, addr, ret);
}

void
cn_addr_text(struct cn *c, struct cn_buf *b, const struct cn_field *f,
	const uint8_t *base)
{
	struct cn_name n;
	bool known = cn_field_name(c, f, base, &n);
	uint64_t pid, addr = field_addr(f, base, &pid);

	if (f->kind == DV_T_MOD || f->kind == DV_T_UMOD) {
		if (known && n.mod != NULL && *n.mod != '\0')
			put_guest(b, n.mod);
		else
			cn_printf(b, "0x%" PRIx64, addr);
		return;
	}
	put_name(b, known, &n, addr, f->kind == DV_T_UADDR);
}
