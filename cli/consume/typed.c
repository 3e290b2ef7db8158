/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * typed.c - print(): a value with its type.
 *
 *	int 42
 *	struct point {
 *	    .x = (int)10,
 *	    .in = (struct inner){
 *	        .name = (char[16])"sh",
 *	        .v = (short[3])[1, 2, 3],
 *	    },
 *	}
 *
 * The type comes with the action as a text (dcomp/typetext.c has its grammar);
 * text and bytes are walked side by side. An element of an array is described
 * once and shown many times, so the walk goes back in the text. Both can be
 * nonsense, as types and bytes are the guest's: every read is checked against
 * the end of the value, the nesting is limited, and so is what one value may
 * print, since members of a union show the same bytes again and again.
 */
#include "cn_impl.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAX_NEST	32
#define MAX_OUTPUT	(1u << 20)	/* bytes that one value prints */
#define INDENT		4

struct walk {
	struct cn_buf b;		/* what was printed so far */
	const uint8_t *p;		/* the value */
	uint64_t size;
	unsigned nest;
	bool full;
};

struct type {
	char code;
	uint64_t size;
	const char *name;
	int namelen;
};

static bool
number(const char **ps, uint64_t *ret)
{
	char *end;

	if (**ps < '0' || **ps > '9')
		return false;
	*ret = strtoull(*ps, &end, 10);
	if (*end != ' ')
		return false;
	*ps = end + 1;
	return true;
}

static bool
name(const char **ps, const char **ret, int *len)
{
	const char *end = strchr(*ps, ';');

	if (end == NULL || end - *ps > 1024)
		return false;
	*ret = *ps;
	*len = (int)(end - *ps);
	*ps = end + 1;
	return true;
}

/* CODE SIZE NAME ; */
static bool
head(const char **ps, struct type *t)
{
	t->code = **ps;
	if (t->code == '\0' || strchr("iucbpfstxea{", t->code) == NULL)
		return false;
	(*ps)++;
	return number(ps, &t->size) && name(ps, &t->name, &t->namelen);
}

static uint64_t
bytes_at(const struct walk *w, uint64_t off, uint64_t size)
{
	uint64_t v = 0;

	if (size > 8 || off > w->size || size > w->size - off)
		return 0;
	memcpy(&v, w->p + off, size);
	return v;
}

static uint64_t
bits_at(const struct walk *w, uint64_t bit, uint64_t bits)
{
	uint64_t v = 0, i, at;

	for (i = 0; i < bits && i < 64; i++) {
		at = bit + i;
		if (at / 8 < w->size && (w->p[at / 8] >> (at % 8) & 1) != 0)
			v |= (uint64_t)1 << i;
	}
	return v;
}

static int64_t
extend(uint64_t v, uint64_t bits)
{
	return bits == 0 || bits >= 64 ? (int64_t)v :
	    (int64_t)(v << (64 - bits)) >> (64 - bits);
}

static void
put_string(struct walk *w, uint64_t off, uint64_t size)
{
	const char *s = (const char *)w->p + off;

	cn_putc(&w->b, '"');
	if (off <= w->size && size <= w->size - off)
		cn_put_esc(&w->b, s, strnlen(s, size), CN_ESC_ALL);
	cn_putc(&w->b, '"');
}

static void
put_float(struct walk *w, uint64_t off, uint64_t size)
{
	long double x = 0;
	double d;
	float f;

	if (off > w->size || size > w->size - off)
		size = 0;
	if (size == sizeof(f)) {
		memcpy(&f, w->p + off, sizeof(f));
		x = f;
	} else if (size == sizeof(d)) {
		memcpy(&d, w->p + off, sizeof(d));
		x = d;
	} else if (size == sizeof(x)) {
		memcpy(&x, w->p + off, sizeof(x));
	}
	cn_printf(&w->b, "%.17Lg", x);
}

/* The enumerators in the text, up to their end; prints the one of v, or v. */
static bool
put_enum(struct walk *w, const char **ps, int64_t v)
{
	bool found = false;
	const char *s;
	char *end;
	int len;

	while (**ps != '.') {
		if (!name(ps, &s, &len))
			return false;
		if (!found && strtoll(*ps, &end, 10) == v) {
			cn_put(&w->b, s, (size_t)len);
			found = true;
		}
		if ((*ps = strchr(*ps, ' ')) == NULL)
			return false;
		(*ps)++;
	}
	(*ps)++;
	if (!found)
		cn_printf(&w->b, "%" PRId64, v);
	return true;
}

/* A single number, or bits of one. */
static bool
put_scalar(struct walk *w, const char **ps, const struct type *t, uint64_t v, uint64_t bits)
{
	switch (t->code) {
	case 'i':
		cn_printf(&w->b, "%" PRId64, extend(v, bits));
		return true;
	case 'c':
		if (v >= 0x20 && v < 0x7f)
			cn_printf(&w->b, "'%c'", (char)v);
		else
			cn_printf(&w->b, "%" PRId64, extend(v, bits));
		return true;
	case 'b':
		cn_puts(&w->b, v != 0 ? "true" : "false");
		return true;
	case 'p':
		cn_printf(&w->b, "0x%" PRIx64, v);
		return true;
	case 'e':
		return put_enum(w, ps, extend(v, bits));
	default:
		cn_printf(&w->b, "%" PRIu64, v);
		return true;
	}
}

static void
new_line(struct walk *w)
{
	cn_putc(&w->b, '\n');
	cn_fill(&w->b, ' ', (size_t)w->nest * INDENT);
}

static bool put_value(struct walk *w, const char **ps, const struct type *t, uint64_t off);

static void
put_cast(struct walk *w, const struct type *t)
{
	cn_printf(&w->b, "(%.*s)", t->namelen, t->name);
}

/* BITOFF BITS NAME ; VALUE */
static bool
put_member(struct walk *w, const char **ps, uint64_t off)
{
	const char *s;
	struct type t;
	uint64_t bit, bits;
	int len;

	if (!number(ps, &bit) || !number(ps, &bits) || !name(ps, &s, &len) || !head(ps, &t))
		return false;
	new_line(w);
	if (len > 0)
		cn_printf(&w->b, ".%.*s = ", len, s);
	put_cast(w, &t);
	if (bits != 0) {
		if (!put_scalar(w, ps, &t, bits_at(w, off * 8 + bit, bits), bits))
			return false;
	} else if (!put_value(w, ps, &t, off + bit / 8)) {
		return false;
	}
	cn_putc(&w->b, ',');
	return true;
}

static bool
put_sou(struct walk *w, const char **ps, uint64_t off)
{
	if (w->nest >= MAX_NEST)
		return false;
	cn_putc(&w->b, '{');
	w->nest++;
	while (**ps != '}') {
		if (!put_member(w, ps, off))
			return false;
		if (w->b.len > MAX_OUTPUT)
			w->full = true;
		if (w->full)
			return false;
	}
	(*ps)++;
	w->nest--;
	new_line(w);
	cn_putc(&w->b, '}');
	return true;
}

static bool
put_array(struct walk *w, const char **ps, const struct type *t, uint64_t off)
{
	const char *elem, *at;
	uint64_t n, i;
	struct type e;
	bool sou;

	if (w->nest >= MAX_NEST || !number(ps, &n))
		return false;
	elem = at = *ps;
	if (!head(&at, &e) || e.size == 0 || n == 0 || n > t->size / e.size)
		return false;
	sou = e.code == '{' || e.code == 'a';
	cn_putc(&w->b, '[');
	w->nest++;
	for (i = 0; i < n; i++) {
		*ps = elem;
		(void)head(ps, &e);
		if (sou)
			new_line(w);
		else if (i > 0)
			cn_putc(&w->b, ' ');
		if (!put_value(w, ps, &e, off + i * e.size))
			return false;
		if (sou || i + 1 < n)
			cn_putc(&w->b, ',');
		if (w->b.len > MAX_OUTPUT)
			w->full = true;
		if (w->full)
			return false;
	}
	w->nest--;
	if (sou)
		new_line(w);
	cn_putc(&w->b, ']');
	return true;
}

static bool
put_value(struct walk *w, const char **ps, const struct type *t, uint64_t off)
{
	uint64_t i;

	switch (t->code) {
	case '{':
		return put_sou(w, ps, off);
	case 'a':
		return put_array(w, ps, t, off);
	case 's':
	case 't':
		put_string(w, off, t->size);
		return true;
	case 'f':
		put_float(w, off, t->size);
		return true;
	case 'x':
		for (i = 0; i < t->size && off + i < w->size && w->b.len <= MAX_OUTPUT; i++)
			cn_printf(&w->b, "%s%02x", i > 0 ? " " : "", w->p[off + i]);
		return true;
	default:
		return put_scalar(w, ps, t, bytes_at(w, off, t->size), t->size * 8);
	}
}

void
cn_print(struct cn_buf *b, const char *text, const struct cn_field *f, const uint8_t *base)
{
	struct walk w = { .p = base + f->off, .size = f->size };
	struct type t;

	cn_buf_init(&w.b, NULL);
	if (head(&text, &t)) {
		cn_printf(&w.b, "%.*s ", t.namelen, t.name);
		if (!put_value(&w, &text, &t, 0))
			cn_puts(&w.b, " ...");
	}
	cn_putc(&w.b, '\n');
	if (!w.b.failed)
		cn_put(b, w.b.s, w.b.len);
	cn_buf_fini(&w.b);
}
