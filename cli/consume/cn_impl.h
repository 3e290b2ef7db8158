/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cn_impl.h - what the files of the consumer share. */
#ifndef CN_IMPL_H
#define CN_IMPL_H
#include "cn.h"
#include "base/vec.h"

#include <string.h>

/* ---- text on its way out: buf.c ------------------------------------------ */

/* With an owner: is handed to its writer when full. Without: grows. */
struct cn_buf {
	char *s;
	size_t len, cap;
	struct cn *owner;
	bool failed;			/* out of memory: text was lost */
};

void cn_buf_init(struct cn_buf *b, struct cn *owner);
void cn_buf_fini(struct cn_buf *b);
/* Makes room for n bytes at s + len. False: there is none. */
bool cn_buf_grow(struct cn_buf *b, size_t n);
void cn_buf_flush(struct cn_buf *b);

static inline bool
cn_room(struct cn_buf *b, size_t n)
{
	return n <= b->cap - b->len || cn_buf_grow(b, n);
}

static inline void
cn_put(struct cn_buf *b, const char *s, size_t n)
{
	if (n > 0 && cn_room(b, n)) {
		memcpy(b->s + b->len, s, n);
		b->len += n;
	}
}

static inline void
cn_putc(struct cn_buf *b, char ch)
{
	if (cn_room(b, 1))
		b->s[b->len++] = ch;
}

void cn_puts(struct cn_buf *b, const char *s);
void cn_fill(struct cn_buf *b, char ch, size_t n);
void cn_printf(struct cn_buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* How a string of the guest is shown. */
enum cn_esc {
	CN_ESC_RAW,			/* as it is */
	CN_ESC_CONTROL,			/* control characters, broken UTF-8 */
	CN_ESC_ALL			/* all but printable ASCII: %S, %C */
};
size_t cn_esc_len(const char *s, size_t n, enum cn_esc esc);
void cn_put_esc(struct cn_buf *b, const char *s, size_t n, enum cn_esc esc);
/* ... padded to width columns; left: spaces after it. */
void cn_put_padded(struct cn_buf *b, const char *s, size_t n, enum cn_esc esc,
	size_t width, bool left);

/* ---- values: value.c ------------------------------------------------------ */

/* A field of a record or of an aggregation's keys. */
struct cn_field {
	uint32_t off, size;
	uint8_t kind;			/* enum dv_tkind */
	uint8_t flags;			/* DV_TF_* */
	bool constant;			/* the program's own constant: never escaped */
};

/* False: the action has no field, or it does not lie within limit bytes. */
bool cn_field_init(const struct dv_prog *p, const struct dv_act *a,
	uint32_t limit, struct cn_field *ret);

/* The value of an integer field, extended by its signedness. */
uint64_t cn_field_int(const struct cn_field *f, const uint8_t *base);
static inline bool
cn_field_signed(const struct cn_field *f)
{
	return (f->flags & DV_TF_SIGNED) != 0;
}
enum cn_esc cn_field_esc(const struct cn_field *f);

/* trace(), tracemem() */
void cn_trace(struct cn *c, struct cn_buf *b, const struct cn_field *f,
	const uint8_t *base);
void cn_hexdump(struct cn_buf *b, const uint8_t *p, size_t n);
/* A key of an aggregation in its default row. */
void cn_put_key(struct cn *c, struct cn_buf *b, const struct cn_field *f,
	const uint8_t *base);

/* print(): text is that of the type. typed.c */
void cn_print(struct cn_buf *b, const char *text, const struct cn_field *f,
	const uint8_t *base);

/* ---- addresses: stack.c --------------------------------------------------- */

struct cn_name {
	const char *mod, *sym;		/* borrowed; may be NULL or "" */
	uint64_t off;			/* from the symbol's start */
};
/* The name of the address in a SYM, MOD, USYM, UMOD or UADDR field. */
bool cn_field_name(struct cn *c, const struct cn_field *f, const uint8_t *base,
	struct cn_name *ret);
void cn_put_stack(struct cn *c, struct cn_buf *b, const struct cn_field *f,
	const uint8_t *base, unsigned indent);
/* SYM, MOD, USYM, UMOD, UADDR as text. */
void cn_addr_text(struct cn *c, struct cn_buf *b, const struct cn_field *f,
	const uint8_t *base);
/* printf's %a, %A of an integer. */
void cn_kaddr_text(struct cn *c, struct cn_buf *b, uint64_t addr);
void cn_uaddr_text(struct cn *c, struct cn_buf *b, uint64_t pid, uint64_t addr);

/* ---- formats: format.c ---------------------------------------------------- */

struct cn_fmt;
enum cn_fmt_use {
	CN_FMT_PRINT,
	CN_FMT_PRINTA,			/* %@ is allowed */
	CN_FMT_FILE,			/* freopen() */
	CN_FMT_COMMAND			/* system() */
};
/* nfields: of a record or of the keys. */
int  cn_fmt_create(const char *text, const struct cn_field *fields,
	uint32_t nfields, enum cn_fmt_use use, struct dv_err *err, struct cn_fmt **ret);
void cn_fmt_destroy(struct cn_fmt *f);

/* A row of printa: the values of its aggregations under one tuple of keys. */
struct cn_row {
	const uint8_t *key;
	struct cn_ent **ent;		/* per aggregation; NULL: none under this key */
};
struct cn_agg;
void cn_fmt_put(struct cn *c, struct cn_buf *b, const struct cn_fmt *f,
	const uint8_t *base, struct cn_agg *const *aggs, uint32_t naggs,
	const struct cn_row *row);

/* ---- one value, one conversion: conv.c -------------------------------------- */

#define CN_F_MINUS	1u
#define CN_F_PLUS	2u
#define CN_F_SPACE	4u
#define CN_F_ALT	8u
#define CN_F_ZERO	16u
#define CN_F_GROUP	32u

struct cn_spec {
	unsigned flags;			/* CN_F_* */
	int width, prec;		/* -1: none */
};

void cn_conv_decimal(struct cn_buf *b, uint64_t v, bool sgn);	/* %d, no more */
void cn_conv_integer(struct cn_buf *b, const struct cn_spec *sp, char conv, uint64_t v,
	bool sgn);
void cn_conv_text(struct cn_buf *b, const struct cn_spec *sp, const char *s, size_t n,
	enum cn_esc esc);
void cn_conv_char(struct cn_buf *b, const struct cn_spec *sp, char conv, uint64_t val,
	enum cn_esc esc);
void cn_conv_wide(struct cn_buf *b, const struct cn_spec *sp, const struct cn_field *f,
	const uint8_t *base);
void cn_conv_float(struct cn_buf *b, const struct cn_spec *sp, char conv,
	const struct cn_field *f, const uint8_t *base);
void cn_conv_time(struct cn_buf *b, const struct cn_spec *sp, char conv, uint64_t ns);

/* ---- aggregations: aggr.c, order.c, aggprint.c, quantize.c ------------------------- */

struct cn_ent {
	uint8_t *key;			/* keylen bytes, canonical (aggr.c) */
	uint64_t *words;
	uint64_t hash;
	bool cleared;			/* words are 0 and stand for nothing yet */
};

struct cn_agg {
	const struct dv_aggdesc *desc;
	uint32_t id;
	struct cn_field *keys;		/* nkeys of them */
	uint32_t voff;			/* of the value in an entry, after the header */
	uint32_t keylen;		/* of ours: voff, and with percpu 8 for the CPU */
	bool percpu;
	DV_VEC(struct cn_ent) ents;
	uint32_t *slots;		/* index + 1 into ents; 0: free */
	uint32_t nslots;		/* a power of two, or 0 */
	uint64_t *zero;			/* a value that is all 0 */
	int64_t normal;			/* normalize()'s factor, 1 */
	bool printed;			/* by a printa() */
};

int  cn_agg_init(struct cn *c, uint32_t id, struct dv_err *err);
void cn_agg_fini(struct cn_agg *a);
int  cn_agg_merge(struct cn_agg *a, const uint8_t *key, const uint64_t *words);
void cn_agg_clear(struct cn_agg *a);
void cn_agg_trunc(struct cn *c, struct cn_agg *a, int64_t n, bool all);
int  cn_agg_cmp_keys(const struct cn_agg *a, const uint8_t *x, const uint8_t *y,
	uint32_t first);
/* Compares values: before, same, after. */
int  cn_agg_cmp_words(const struct cn_agg *a, const uint64_t *x, const uint64_t *y);

/* The rows of these aggregations in printing order; free() them. */
int  cn_rows(struct cn *c, struct cn_agg *const *aggs, uint32_t naggs,
	struct cn_row **ret, size_t *n);
int  cn_rows_by_value(struct cn_agg *a, struct cn_row **ret, size_t *n);
void cn_agg_print(struct cn *c, struct cn_buf *b, struct cn_agg *const *aggs,
	uint32_t naggs, const struct cn_fmt *fmt);
bool cn_agg_is_dist(const struct cn_agg *a);
/* The number that a scalar aggregation shows: normalized, averaged ... */
int64_t cn_agg_value(const struct cn_agg *a, const uint64_t *words);
static inline const uint64_t *
cn_row_words(const struct cn_agg *a, const struct cn_ent *e)
{
	return e != NULL ? e->words : a->zero;
}

void cn_quant_put(struct cn *c, struct cn_buf *b, const struct cn_agg *a,
	const uint64_t *words);
void cn_quant_bar(struct cn *c, struct cn_buf *b, int64_t val, int64_t normal,
	long double total, bool positives, bool negatives);
/* Value of the low end of a distribution's word; words at the ends: of the limit. */
int64_t cn_quant_label(const struct cn_agg *a, uint32_t word);

/* ---- records: rec.c -------------------------------------------------------- */

enum cn_flow { CN_FLOW_NONE, CN_FLOW_ENTRY, CN_FLOW_RETURN };

struct cn_ecb {
	const struct dv_probe *probe;
	const struct dv_clause *clause;
	uint32_t size;			/* of its record, header included, 8-aligned */
	uint8_t flow;			/* enum cn_flow by the probe's name */
	bool syscall;
	char *row;			/* " %6d %32s ", filled */
	uint32_t rowlen;
};

struct cn_act {
	struct cn_field field;
	bool has_field;
	struct cn_field limit;		/* TRACEMEM: how many bytes are shown */
	bool has_limit;
	struct cn_fmt *fmt;		/* PRINTF PRINTA FREOPEN SYSTEM */
	struct cn_agg **aggs;		/* PRINTA */
	uint32_t naggs;
};

struct cn_cpu {
	uint32_t last;			/* -F: EPID of the last record */
	uint32_t indent;
	uint64_t drops, agg_drops;	/* reported so far */
};

/* temporal: a record that waits for its turn. */
struct cn_kept {
	uint64_t time;
	size_t off;			/* of its bytes in cn.kbytes */
	uint32_t cpu, epid;
	uint32_t next;			/* EPID of the next one of its CPU, or 0 */
};

struct cn {
	struct cn_config cfg;
	const struct dv_prog *p;
	uint64_t opts[DV_NOPT];
	bool quiet, flow, temporal, zoom;	/* options that are looked at often */
	unsigned indent;			/* stackindent */

	struct cn_ecb *ecbs;
	struct cn_act *acts;
	struct cn_agg *aggs;
	struct cn_cpu *cpus;

	struct cn_buf out;
	struct cn_buf tmp;		/* texts for requests and messages */
	uint64_t *rec;			/* a copy of the record at hand */
	struct dv_smap *mods;		/* "pid module" -> the address that stands for it */
	uint8_t *keys;			/* canonical keys of the entry at hand */
	uint64_t *words;		/* its value */
	/* merge.c */
	DV_VEC(struct cn_kept) kept;	/* as they came, those of a CPU in its order */
	uint8_t *kbytes;
	size_t klen, kcap;
	uint64_t pending;		/* the least that this round's snapshots said */
	uint64_t before;		/* of the last flush */
	bool commits;			/* the program may commit speculations */
	struct dv_status last;		/* as reported */
	bool exiting;
	int status;
	bool failed;
};

void cn_show(struct cn *c, unsigned cpu, const void *rec, uint32_t next);
uint32_t cn_rec_size(const struct cn *c, uint32_t epid);
int  cn_keep(struct cn *c, unsigned cpu, const uint8_t *rec, uint32_t epid, uint32_t size);
void cn_merge_fini(struct cn *c);
int  cn_rec_init(struct cn *c, struct dv_err *err);
void cn_rec_fini(struct cn *c);
/* A line for stderr, after all that was printed before it. */
void cn_msg(struct cn *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A drop, with its tag if the option droptags wants it. */
void cn_drop(struct cn *c, const char *tag, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void cn_fault(struct cn *c, const struct dv_fault_rec *r);
unsigned cn_cpu_id(const struct cn *c, unsigned cpu);
int  cn_setopt(struct cn *c, const char *name, const char *value, struct dv_err *err);
void cn_options_changed(struct cn *c);
const char *cn_str(const struct dv_prog *p, uint32_t off);

static inline uint64_t
cn_load64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

#endif
