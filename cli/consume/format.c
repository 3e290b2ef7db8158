/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format.c - printf() and printa().
 *
 * A format is taken apart once, when the program is opened: pieces of text and
 * conversions, each with the field it shows, so that a record costs one walk
 * over them. An integer's width and sign are the field's, never the
 * conversion's: %d shows 1, 2, 4 or 8 bytes, signed or not, as they come; of
 * the size prefixes only h and hh say something: they cut the value. %x, %o and
 * %u show the field's own bytes without sign. %f and its like show the bytes of
 * a floating-point number, and a signed integer as a number.
 *
 * Beyond C: %a and %A show an address as kernel and user symbol, %k a stack
 * (width: its indentation), %Y a time in nanoseconds since 1970 as
 * "2026 Nov 30 22:17:51", %T as "Mon, 30 Nov 2026 22:17:51 UTC", %S and %C a
 * string and a character with all that is not printable ASCII escaped, %wc and
 * %ws wide ones, %p an address in hexadecimal without prefix. In printa(),
 * conversions take the keys in order, and those with the flag @ the values:
 * the first the first aggregation's, and so on; a single aggregation's value
 * may be shown many times. A distribution is drawn for any conversion.
 *
 * Text of the format itself is the program's and goes out as it is.
 */
#include "cn_impl.h"

#include <ctype.h>
#include <stdlib.h>

#define MAX_WIDTH	65535
#define MAX_PREC	65535

struct conv {
	const char *lit;		/* text before it; in the format */
	size_t litlen;
	char conv;			/* 0: only text; 'w' is wc, 'W' ws */
	uint8_t flags;			/* CN_F_* */
	uint8_t cut;			/* h: 2 bytes, hh: 1 byte */
	bool agg;			/* %@ */
	bool plain;			/* no flag, width or precision */
	int width, prec;		/* -1: none */
	const struct cn_field *dynwidth, *dynprec;	/* of *; or NULL */
	const struct cn_field *field;	/* NULL with agg */
	uint32_t nth;			/* agg: which %@ it is, from 0 */
};

struct cn_fmt {
	char *text;
	enum cn_fmt_use use;		/* PRINT for printa(), too */
	struct cn_field *fields;
	DV_VEC(struct conv) convs;
};

/* ---- taking apart ------------------------------------------------------- */

static int
parse_number(const char **ps, int max)
{
	const char *s = *ps;
	int v = 0;

	while (isdigit((unsigned char)*s)) {
		if (v <= max)
			v = v * 10 + (*s - '0');
		s++;
	}
	*ps = s;
	return v > max ? max : v;
}

static unsigned
flag_bit(char ch)
{
	switch (ch) {
	case '-': return CN_F_MINUS;
	case '+': return CN_F_PLUS;
	case ' ': return CN_F_SPACE;
	case '#': return CN_F_ALT;
	case '0': return CN_F_ZERO;
	case '\'': return CN_F_GROUP;
	default: return 0;
	}
}

/* From after the % to after the conversion. */
static int
parse_conv(struct cn_fmt *f, const char **ps, uint32_t nfields, uint32_t *next,
	uint32_t *nextagg, bool agg, struct conv *v, struct dv_err *err)
{
	const char *s = *ps, *start = s - 1;
	bool wide = false;

	for (; *s == '@' || flag_bit(*s) != 0; s++) {
		if (*s == '@')
			v->agg = true;
		else
			v->flags |= (uint8_t)flag_bit(*s);
	}
	v->width = v->prec = -1;
	if (*s == '*') {
		s++;
		if (*next >= nfields)
			goto missing;
		v->dynwidth = &f->fields[(*next)++];
	} else if (isdigit((unsigned char)*s)) {
		v->width = parse_number(&s, MAX_WIDTH);
	}
	if (*s == '@') {			/* may also stand here: %8@d */
		v->agg = true;
		s++;
	}
	if (*s == '.') {
		s++;
		if (*s == '*') {
			s++;
			if (*next >= nfields)
				goto missing;
			v->dynprec = &f->fields[(*next)++];
		} else {
			v->prec = parse_number(&s, MAX_PREC);
		}
		if (*s == '@') {
			v->agg = true;
			s++;
		}
	}
	for (; *s != '\0' && strchr("hlLqjztw", *s) != NULL; s++) {
		if (*s == 'h')
			v->cut = v->cut == 0 ? 2 : 1;
		wide |= *s == 'w';
	}
	if (wide && (*s == 'c' || *s == 's')) {
		v->conv = *s == 'c' ? 'w' : 'W';
	} else if (!wide && *s != '\0' && strchr("diouxXpcCsSeEfFgGaAkTYy", *s) != NULL) {
		v->conv = *s;
	} else {
		return dv_err_set(err, DV_E_FORMAT,
		    "format conversion \"%.*s\" is not known",
		    (int)(s - start) + (*s != '\0'), start);
	}
	*ps = s + 1;
	if (v->agg) {
		if (!agg)
			return dv_err_set(err, DV_E_FORMAT,
			    "format flag @ is for printa() only");
		v->nth = (*nextagg)++;
	} else {
		if (*next >= nfields)
			goto missing;
		v->field = &f->fields[(*next)++];
	}
	v->plain = v->flags == 0 && v->width < 0 && v->prec < 0 &&
	    v->dynwidth == NULL && v->dynprec == NULL && v->cut == 0;
	return 0;
missing:
	return dv_err_set(err, DV_E_FORMAT,
	    "format \"%s\" has a conversion without its argument", f->text);
}

int
cn_fmt_create(const char *text, const struct cn_field *fields, uint32_t nfields,
	enum cn_fmt_use use, struct dv_err *err, struct cn_fmt **ret)
{
	bool agg = use == CN_FMT_PRINTA;
	struct cn_fmt *f = calloc(1, sizeof(*f));
	uint32_t next = 0, nextagg = 0;
	const char *s, *lit;
	int rc;

	if (f == NULL)
		return dv_err_nomem(err);
	f->use = agg ? CN_FMT_PRINT : use;
	f->text = strdup(text);
	f->fields = calloc((size_t)nfields + 1, sizeof(*fields));
	if (f->text == NULL || f->fields == NULL) {
		rc = dv_err_nomem(err);
		goto fail;
	}
	if (nfields > 0)
		memcpy(f->fields, fields, nfields * sizeof(*fields));
	for (lit = s = f->text; ; ) {
		struct conv v = { .lit = lit, .width = -1, .prec = -1 };

		s += strcspn(s, "%");
		v.litlen = (size_t)(s - lit);
		if (*s == '%' && s[1] == '%') {
			v.litlen++;
			s += 2;
		} else if (*s == '%') {
			s++;
			if ((rc = parse_conv(f, &s, nfields, &next, &nextagg, agg,
			    &v, err)) != 0)
				goto fail;
		} else if (v.litlen == 0) {
			break;
		}
		lit = s;
		if (dv_vec_push(&f->convs, v) != 0) {
			rc = dv_err_nomem(err);
			goto fail;
		}
	}
	*ret = f;
	return 0;
fail:
	cn_fmt_destroy(f);
	return rc;
}

void
cn_fmt_destroy(struct cn_fmt *f)
{
	if (f == NULL)
		return;
	dv_vec_fini(&f->convs);
	free(f->fields);
	free(f->text);
	free(f);
}


/* Text made into a buffer of its own first, to be padded. */
static void
put_address(struct cn *c, struct cn_buf *b, const struct cn_spec *sp, const struct conv *v,
	const uint8_t *base)
{
	struct cn_buf t;

	cn_buf_init(&t, NULL);
	if (v->field->kind == DV_T_INT && v->conv == 'a')
		cn_kaddr_text(c, &t, cn_field_int(v->field, base));
	else if (v->field->kind == DV_T_INT)
		cn_uaddr_text(c, &t, c->p->hdr != NULL ? c->p->hdr->target : 0,
		    cn_field_int(v->field, base));
	else
		cn_addr_text(c, &t, v->field, base);
	cn_conv_text(b, sp, t.s != NULL ? t.s : "", t.len, CN_ESC_RAW);
	cn_buf_fini(&t);
}

static void
put_value(struct cn *c, struct cn_buf *b, const struct cn_spec *sp, const struct conv *v,
	const uint8_t *base)
{
	const struct cn_field *f = v->field;
	const char *s = (const char *)base + f->off;
	struct cn_field part;
	uint64_t val;
	bool sgn;

	switch (v->conv) {
	case 'W':
		cn_conv_wide(b, sp, f, base);
		return;
	case 's': case 'S':
		if (f->kind != DV_T_STRING && f->kind != DV_T_BYTES)
			break;
		cn_conv_text(b, sp, s, strnlen(s, f->size),
		    v->conv == 'S' ? CN_ESC_ALL : cn_field_esc(f));
		return;
	case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
		cn_conv_float(b, sp, v->conv, f, base);
		return;
	default:
		break;
	}
	switch (f->kind) {
	case DV_T_STACK:
	case DV_T_USTACK:
		cn_put_stack(c, b, f, base, sp->width >= 0 ? (unsigned)sp->width : c->indent);
		return;
	case DV_T_SYM: case DV_T_MOD:
	case DV_T_USYM: case DV_T_UMOD: case DV_T_UADDR:
		put_address(c, b, sp, v, base);
		return;
	case DV_T_STRING:
		cn_conv_text(b, sp, s, strnlen(s, f->size), cn_field_esc(f));
		return;
	default:
		break;
	}
	sgn = cn_field_signed(f);
	if (v->conv == 'x' || v->conv == 'X' || v->conv == 'o' || v->conv == 'u' ||
	    v->conv == 'p')
		sgn = false;
	part = *f;
	if (v->cut != 0 && part.size > v->cut)
		part.size = v->cut;		/* little-endian: the low bytes */
	if (!sgn)
		part.flags &= (uint8_t)~DV_TF_SIGNED;
	val = cn_field_int(&part, base);
	switch (v->conv) {
	case 'c': case 'C': case 'w':
		cn_conv_char(b, sp, v->conv, val, cn_field_esc(f));
		break;
	case 'a': case 'A':
		put_address(c, b, sp, v, base);
		break;
	case 'T': case 'Y': case 'y':
		cn_conv_time(b, sp, v->conv, val);
		break;
	default:
		cn_conv_integer(b, sp, v->conv, val, sgn);
	}
}

static void
put_agg(struct cn *c, struct cn_buf *b, const struct cn_spec *sp, const struct conv *v,
	struct cn_agg *const *aggs, uint32_t naggs, const struct cn_row *row)
{
	uint32_t i = v->nth % naggs;
	const struct cn_agg *a = aggs[i];
	const uint64_t *words = cn_row_words(a, row->ent[i]);
	const struct cn_field value = { .size = 8, .kind = DV_T_INT, .flags = DV_TF_SIGNED };
	struct conv as = *v;
	int64_t val;

	if (cn_agg_is_dist(a)) {
		cn_quant_put(c, b, a, words);
		return;
	}
	/* a number: what shows strings and stacks shows it as %d does */
	if (strchr("sSWk", as.conv) != NULL)
		as.conv = 'd';
	as.field = &value;
	val = cn_agg_value(a, words);
	put_value(c, b, sp, &as, (const uint8_t *)&val);
}

static int
dynamic(const struct cn_field *f, const uint8_t *base, int max)
{
	int64_t v = (int64_t)cn_field_int(f, base);

	return v > max ? max : v < -max ? -max : (int)v;
}

/*
 * What a value adds to a command or a file's name. The guest chooses what its
 * strings say, and names of its programs and symbols too: in a command, all
 * that means something to a shell becomes _, in a file's name the /. A text
 * stays one word, and is no option: neither a blank nor a - at its beginning.
 */
static void
make_harmless(struct cn_buf *b, size_t at, enum cn_fmt_use use, bool text)
{
	size_t start = at;

	for (; at < b->len; at++) {
		char ch = b->s[at];

		if (use == CN_FMT_FILE ? ch == '/' :
		    !isalnum((unsigned char)ch) &&
		    (strchr("_./:@%+=,- ", ch) == NULL ||
		    (text && (ch == ' ' || (ch == '-' && at == start)))))
			b->s[at] = '_';
	}
}

/* A value that may be the guest's. Padding is the program's, and stays blank. */
static void
put_harmless(struct cn *c, struct cn_buf *b, const struct cn_spec *sp, const struct conv *v,
	const uint8_t *base, enum cn_fmt_use use)
{
	bool text = strchr("diouxXpeEfFgGTYyk", v->conv) == NULL;
	struct cn_spec bare = *sp;
	struct cn_buf t;

	if (text)
		bare.width = -1;
	cn_buf_init(&t, NULL);
	put_value(c, &t, &bare, v, base);
	make_harmless(&t, 0, use, text);
	bare.width = text ? sp->width : -1;
	bare.prec = -1;
	cn_conv_text(b, &bare, t.s != NULL ? t.s : "", t.len, CN_ESC_RAW);
	cn_buf_fini(&t);
}

/* naggs 0: a printf. */
void
cn_fmt_put(struct cn *c, struct cn_buf *b, const struct cn_fmt *f,
	const uint8_t *base, struct cn_agg *const *aggs, uint32_t naggs,
	const struct cn_row *row)
{
	size_t i;

	for (i = 0; i < f->convs.n; i++) {
		const struct conv *v = &f->convs.v[i];
		struct cn_spec sp = { v->flags, v->width, v->prec };

		cn_put(b, v->lit, v->litlen);
		if (v->conv == 0)
			continue;
		if (v->plain && v->field != NULL && v->field->kind == DV_T_INT &&
		    (v->conv == 'd' || v->conv == 'i' || v->conv == 'u')) {
			uint64_t val = cn_field_int(v->field, base);

			/* the common case, without the detours */
			if (v->conv != 'u' || (int64_t)val >= 0) {
				cn_conv_decimal(b, val, cn_field_signed(v->field));
				continue;
			}
		}
		if (v->dynwidth != NULL) {
			sp.width = dynamic(v->dynwidth, base, MAX_WIDTH);
			if (sp.width < 0) {
				sp.flags |= CN_F_MINUS;
				sp.width = -sp.width;
			}
		}
		if (v->dynprec != NULL) {
			sp.prec = dynamic(v->dynprec, base, MAX_PREC);
			if (sp.prec < 0)
				sp.prec = -1;
		}
		if (v->agg && naggs > 0)
			put_agg(c, b, &sp, v, aggs, naggs, row);
		else if (v->field == NULL)
			continue;
		/* the name of a constant address is the guest's, too */
		else if (f->use != CN_FMT_PRINT &&
		    (!v->field->constant || v->conv == 'a' || v->conv == 'A'))
			put_harmless(c, b, &sp, v, base, f->use);
		else
			put_value(c, b, &sp, v, base);
	}
}
