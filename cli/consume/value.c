/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * value.c - fields of records as trace() shows them.
 *
 * How a value is shown follows from its field alone: kind, size, signedness.
 * Integers fill columns wide enough for most values of their size, strings a
 * column of 33, so that rows of one clause stand under each other; with quiet
 * nothing is padded, the program does its own layout. Bytes that are not a
 * string are dumped in rows of 16. An array of characters is not told apart
 * from any other bytes by its type: if all of it up to its first NUL is
 * printable and only NULs follow, it is shown as a string, unless the option
 * rawbytes asks for bytes.
 *
 * Keys of aggregations have columns of their own: strings 50, integers of
 * 8, 4, 2, 1 bytes 16, 8, 5, 3.
 */
#include "cn_impl.h"

#include <inttypes.h>
#include <stdio.h>

#define OP(i)	DIF_INSTR_OP(i)

/* Does a DIFO do nothing but yield a constant? */
static bool
is_constant(const struct dv_prog *p, uint32_t difo)
{
	const struct dv_difo *d;
	uint32_t op;

	if (difo >= p->ndifos)
		return false;
	d = &p->difos[difo];
	if (d->ntext != 2 || d->text > p->ntext || p->ntext - d->text < 2)
		return false;
	op = OP(p->text[d->text]);
	return (op == DIF_OP_SETS || op == DIF_OP_SETX) &&
	    OP(p->text[d->text + 1]) == DIF_OP_RET;
}

bool
cn_field_init(const struct dv_prog *p, const struct dv_act *a, uint32_t limit,
	struct cn_field *ret)
{
	if (a->rec.kind == DV_T_NONE || a->rec.size == 0 ||
	    a->rec_off > limit || a->rec.size > limit - a->rec_off)
		return false;
	ret->off = a->rec_off;
	ret->size = a->rec.size;
	ret->kind = a->rec.kind;
	ret->flags = a->rec.flags;
	ret->constant = is_constant(p, a->difo);
	return true;
}

uint64_t
cn_field_int(const struct cn_field *f, const uint8_t *base)
{
	const uint8_t *p = base + f->off;
	uint32_t v4;
	uint16_t v2;

	switch (f->size) {
	case 1:
		return cn_field_signed(f) ? (uint64_t)(int8_t)*p : *p;
	case 2:
		memcpy(&v2, p, sizeof(v2));
		return cn_field_signed(f) ? (uint64_t)(int16_t)v2 : v2;
	case 4:
		memcpy(&v4, p, sizeof(v4));
		return cn_field_signed(f) ? (uint64_t)(int32_t)v4 : v4;
	default:
		return f->size >= 8 ? cn_load64(p) : 0;
	}
}

enum cn_esc
cn_field_esc(const struct cn_field *f)
{
	return f->constant ? CN_ESC_RAW : CN_ESC_CONTROL;
}

/* Printable up to the first NUL, then nothing else? Not if it is empty. */
static bool
looks_like_string(const uint8_t *p, size_t n)
{
	size_t i, len = strnlen((const char *)p, n);

	if (len == 0)
		return false;
	for (i = 0; i < len; i++)
		if (!((p[i] >= 0x20 && p[i] < 0x7f) || (p[i] >= '\a' && p[i] <= '\r')))
			return false;
	for (; i < n; i++)
		if (p[i] != 0)
			return false;
	return true;
}

void
cn_hexdump(struct cn_buf *b, const uint8_t *p, size_t n)
{
	size_t i, k;

	cn_puts(b, "\n           ");
	for (i = 0; i < 16; i++)
		cn_printf(b, "  %zx", i);
	cn_puts(b, "  0123456789abcdef\n");
	for (i = 0; i < n; i += 16) {
		cn_printf(b, "%10zx:", i);
		for (k = i; k < i + 16; k++) {
			if (k < n)
				cn_printf(b, " %02x", p[k]);
			else
				cn_puts(b, "   ");
		}
		cn_puts(b, "  ");
		for (k = i; k < i + 16 && k < n; k++)
			cn_putc(b, p[k] >= 0x20 && p[k] < 0x7f ? (char)p[k] : '.');
		cn_putc(b, '\n');
	}
}

static void
put_string(struct cn_buf *b, const struct cn_field *f,
	const uint8_t *base, size_t width, bool quiet)
{
	const char *s = (const char *)base + f->off;
	size_t n = strnlen(s, f->size);

	if (!quiet)
		cn_puts(b, "  ");
	cn_put_padded(b, s, n, cn_field_esc(f), quiet ? 0 : width, true);
}

static void
put_bytes(struct cn *c, struct cn_buf *b, const struct cn_field *f,
	const uint8_t *base, size_t width, bool quiet)
{
	if (!c->opts[DV_OPT_RAWBYTES] && looks_like_string(base + f->off, f->size))
		put_string(b, f, base, width, quiet);
	else
		cn_hexdump(b, base + f->off, f->size);
}

static void
put_int(struct cn_buf *b, const struct cn_field *f, const uint8_t *base, int width)
{
	uint64_t v = cn_field_int(f, base);

	if (width > 0)
		cn_putc(b, ' ');
	if (cn_field_signed(f))
		cn_printf(b, "%*" PRId64, width, (int64_t)v);
	else
		cn_printf(b, "%*" PRIu64, width, v);
}

static bool
is_int(const struct cn_field *f)
{
	return f->kind == DV_T_INT &&
	    (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
}

void
cn_trace(struct cn *c, struct cn_buf *b, const struct cn_field *f, const uint8_t *base)
{
	static const int width[9] = { [1] = 3, [2] = 5, [4] = 10, [8] = 19 };
	size_t at;

	switch (f->kind) {
	case DV_T_STRING:
		put_string(b, f, base, 33, c->quiet);
		break;
	case DV_T_STACK:
	case DV_T_USTACK:
		cn_put_stack(c, b, f, base, c->indent);
		break;
	case DV_T_SYM: case DV_T_MOD:
	case DV_T_USYM: case DV_T_UMOD: case DV_T_UADDR:
		c->tmp.len = 0;
		cn_addr_text(c, &c->tmp, f, base);
		at = c->tmp.len;
		cn_puts(b, "  ");
		cn_put_padded(b, c->tmp.s, at, CN_ESC_RAW, 50, true);
		break;
	case DV_T_INT:
		if (is_int(f)) {
			put_int(b, f, base, c->quiet ? 0 : width[f->size] +
			    (f->size == 8 && !cn_field_signed(f)));
			break;
		}
		/* fall through */
	default:
		put_bytes(c, b, f, base, 33, c->quiet);
	}
}

void
cn_put_key(struct cn *c, struct cn_buf *b, const struct cn_field *f, const uint8_t *base)
{
	static const int width[9] = { [1] = 3, [2] = 5, [4] = 8, [8] = 16 };

	if (is_int(f))
		put_int(b, f, base, width[f->size]);
	else if (f->kind == DV_T_STRING)
		put_string(b, f, base, 50, false);
	else if (f->kind == DV_T_BYTES || f->kind == DV_T_INT)
		put_bytes(c, b, f, base, 50, false);
	else
		cn_trace(c, b, f, base);
}
