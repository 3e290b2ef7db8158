/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * impl.h - what the compiler's own files share.
 *
 * The way of a program: d.l makes tokens, d.y a raw tree (struct node) and
 * declarations, which take effect at once (decl.c), as later tokens depend on
 * them. When the whole text is parsed, each clause is checked (check.c,
 * checkop.c, xlate.c: a typed tree) and its statements become actions (clause.c, act.c)
 * whose expressions become DIFOs (cgen.c, asm.c).
 *
 * Failing: the first error is kept (dc_error), c->bad is set, and every later
 * one is ignored. Functions go on or return as suits them; results made after
 * an error are still valid memory and are thrown away. Nothing unwinds.
 */
#ifndef DCOMP_IMPL_H
#define DCOMP_IMPL_H
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dcomp.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/vec.h"
#include "abi/dv_rec.h"

#define MAX_DEPTH	400		/* of nested expressions and blocks */
#define MAX_INLINE	64		/* inlines and translators inside each other */
#define MAX_COPIES	100000		/* nodes that inlines make for one statement */
#define MAX_MEMORY	(512u << 20)	/* of one compiler */
#define MAX_SOURCE	(64u << 20)
#define MAX_MEMBERS	16384		/* of one struct or enum */
#define MAX_STRING	65536		/* bytes of one string constant */

enum dc_tag {
	D_NONE,
#define DC_TAG(name) D_##name,
#include "errtags.def"
	D_NTAGS
};

struct loc { uint32_t line, col; };
/* Of a token or more: lines and columns as they are told, bytes in c->src. */
struct span {
	int first_line, first_column, last_line, last_column;
	size_t start, end;
};

/* ---- types ------------------------------------------------------------- */

enum tkind {
	T_VOID, T_INT, T_FLOAT, T_PTR, T_ARRAY, T_STRUCT, T_UNION, T_ENUM, T_FUNC,
	T_TYPEDEF,
	T_STRING,		/* D's string: by reference */
	T_AGG,			/* an aggregation */
	T_RECORD		/* value of stack(), sym() ...: only recorded */
};

struct type {
	uint8_t kind;			/* enum tkind */
	bool is_signed, is_bool, is_char;
	bool incomplete;		/* a tag without members (yet) */
	bool lazy;			/* members are still in the type source */
	uint8_t rkind;			/* T_RECORD: enum dv_tkind */
	uint64_t size;
	const char *name;		/* "" if none */
	const char *alias;		/* unnamed: of a typedef of it */
	struct type *ref;		/* PTR ARRAY TYPEDEF FUNC */
	uint32_t n;			/* ARRAY: elements; lazy: members to come */
	uint32_t align;
	dc_tid_t tid;			/* of the type source, or 0 */
	struct member *mem;		/* STRUCT UNION ENUM */
	uint32_t nmem;
	struct type **parm;		/* FUNC */
	struct type *ptr;		/* the pointer to this type, once made */
	uint32_t memcap;
	bool open;			/* being defined */
	int64_t next_val;		/* ENUM being defined */
};

struct member {
	const char *name;		/* "" if anonymous */
	struct type *type;
	uint64_t bit_off;
	uint32_t bit_size;		/* 0: no bit-field */
	int64_t value;			/* enumerator */
};

/* ---- the tree ---------------------------------------------------------- */

enum nkind {
	N_INT, N_STR, N_IDENT, N_SYM, N_AGG, N_OP1, N_OP2, N_COND, N_CALL, N_INDEX,
	N_MEMBER, N_CAST, N_SIZEOF, N_SIZEOFT, N_OFFSETOF, N_XLATE, N_STRINGOF,
	N_IF, N_BLOCK, N_PDESC,
	/* made by the checker */
	N_VAR,			/* a variable: id; list: keys */
	N_BUILTIN,		/* val: DIF_VAR_* */
	N_ARG,			/* args[val], native */
	N_ADDR			/* constant address val of a symbol */
};

enum op {
	OP_COMMA = 1, OP_ASGN, OP_MUL_EQ, OP_DIV_EQ, OP_MOD_EQ, OP_ADD_EQ, OP_SUB_EQ,
	OP_LSH_EQ, OP_RSH_EQ, OP_AND_EQ, OP_XOR_EQ, OP_OR_EQ,
	OP_LOR, OP_LXOR, OP_LAND, OP_BOR, OP_XOR, OP_BAND, OP_EQ, OP_NE, OP_LT, OP_LE,
	OP_GT, OP_GE, OP_LSH, OP_RSH, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD,
	OP_NOT, OP_BNEG, OP_NEG, OP_POS, OP_DEREF, OP_ADDR,
	OP_PREINC, OP_PREDEC, OP_POSTINC, OP_POSTDEC,
	OP_DOT, OP_ARROW
};

enum scope { SC_GLOBAL, SC_SELF, SC_THIS };

#define NF_CHECKED	1u
#define NF_SIDE		2u	/* evaluating it has effects */
#define NF_TUPLE	4u	/* evaluating it uses the tuple stack */
#define NF_LVAL		8u
#define NF_ACTION	16u	/* a call of an action */
#define NF_DESTR	32u	/* calls a destructive subroutine */
#define NF_BITFIELD	64u
#define NF_PAREN	128u
#define NF_SPEC		256u	/* calls speculation() */
#define NF_PROP		(NF_SIDE | NF_TUPLE | NF_DESTR | NF_SPEC)
#define NF_ALLOCA	512u	/* address of scratch memory */
#define NF_MAKE		1024u	/* N_VAR: a part of it is assigned: it needs storage */

struct node {
	uint8_t kind;			/* enum nkind */
	uint8_t op;			/* enum op */
	uint8_t scope;			/* enum scope */
	uint8_t regs;			/* registers that its value takes to compute */
	uint32_t flags;			/* NF_* */
	uint32_t depth;
	struct loc loc;
	struct type *type;		/* N_CAST, N_SIZEOFT, N_OFFSETOF, N_XLATE: as written */
	struct node *a, *b, *c;		/* operands */
	struct node *list, *next;	/* arguments, keys; next in a list */
	const char *str;		/* name or text */
	const char *tname;	/* N_CAST, N_SIZEOFT, N_OFFSETOF, N_XLATE: the type as written */
	union {
		uint64_t val;
		struct ident *id;	/* N_VAR, N_CALL */
		struct member *mem;	/* N_MEMBER, checked */
		struct xlator *x;	/* N_XLATE, checked */
		struct node *last;	/* of a list that is being made */
	};
	uint64_t bit_off;		/* N_MEMBER, checked: from the start of the object */
	uint32_t len;			/* N_STR: bytes; lists: count; of a subscript's sum:
					   elements of the array, 0: unknown */
	uint32_t bit_size;
};

/* ---- declarations ------------------------------------------------------ */

/* type words */
#define DW_VOID		0x0001u
#define DW_CHAR		0x0002u
#define DW_SHORT	0x0004u
#define DW_INT		0x0008u
#define DW_LONG		0x0010u
#define DW_LONGLONG	0x0020u
#define DW_FLOAT	0x0040u
#define DW_DOUBLE	0x0080u
#define DW_SIGNED	0x0100u
#define DW_UNSIGNED	0x0200u
#define DW_STRING	0x0400u
#define DW_BOOL		0x0800u
#define DW_TYPE		0x1000u		/* a struct, union, enum or typedef name */

enum dclass { DCL_NONE, DCL_TYPEDEF, DCL_SELF, DCL_THIS, DCL_EXTERN, DCL_INLINE, DCL_BAD };

struct dspec {
	struct loc loc;
	uint32_t words;
	uint8_t class;			/* enum dclass */
	bool defines;			/* holds a struct, union or enum with a tag or body */
	struct type *type;		/* with DW_TYPE, and after decl_type() */
};

enum dmkind { DM_PTR, DM_ARRAY, DM_ARRAYNULL, DM_TUPLE, DM_FUNC };
struct dmod {				/* from the name outwards */
	uint8_t kind;			/* enum dmkind */
	bool varargs;
	struct loc loc;
	struct node *size;		/* ARRAY */
	struct dparm *parms;		/* TUPLE FUNC */
	struct dmod *next;
};
struct dparm {
	struct loc loc;
	struct type *type;
	const char *name;
	bool tuple;			/* itself an associative array: an error */
	struct dparm *next, *last;
};
struct declr {
	struct loc loc;
	const char *name;		/* NULL: abstract */
	struct dmod *mods, *last;
	uint32_t nmods;
	struct node *bits;		/* bit-field width */
	bool bitfield;
	struct declr *next, *tail;
};

/* ---- identifiers ------------------------------------------------------- */

enum idkind {
	ID_VAR, ID_BUILTIN, ID_INLINE, ID_CONST, ID_SUBR, ID_ACT, ID_AGGFUNC, ID_TYPE, ID_BROKEN
};

struct ident {
	uint8_t kind;			/* enum idkind */
	uint8_t scope;			/* enum scope */
	bool assoc;			/* VAR: associative array; INLINE: with parameters */
	bool alloca_set, other_set;	/* VAR: what it was given */
	bool lib;			/* of a library; an inline is checked where it is used */
	bool at_work;			/* INLINE: its text is being checked */
	const char *name;
	struct type *type;		/* VAR; INLINE */
	struct type **keys;		/* VAR, assoc */
	uint32_t nkeys;
	uint32_t val;			/* VAR: id; BUILTIN, SUBR, ACT, AGGFUNC: number */
	int64_t cval;			/* CONST */
	uint32_t var;			/* VAR: index in out->vars, DV_NONE: not there yet */
	struct node *expr;		/* INLINE */
	struct dparm *parms;		/* INLINE */
	const char *why;		/* BROKEN: the reason */
	enum dc_tag why_tag;
	uint32_t text_no;		/* c->text_no when it came to be */
	bool have_attr;			/* #pragma D attributes, or worked out */
	bool attr_args;			/* worked out; those of the probe's arguments, too */
	struct dc_attr attr;
	uint64_t version;		/* #pragma D binding, as op_version(); 0: none */
};

/* #pragma D attributes ... provider NAME PART */
struct provattr {
	const char *name;
	enum dc_apart part;
	struct dc_attr attr;
	struct provattr *next;
};

struct agg {
	const char *name;
	uint32_t index;			/* in out->aggs, DV_NONE: not defined yet */
	const char *fname;
	uint32_t func;
	int64_t lq[4];			/* parameters of (l)lquantize, as given */
	uint32_t nkeys;
	struct type **keys;
};

struct xmember {
	const char *name;
	struct node *expr;
	struct loc loc;
	struct xmember *next, *last;
};
struct xlator {
	struct type *dst, *src;		/* dst: the struct */
	const char *input;
	struct xmember *members;
	bool lib;
	const char *why;		/* broken: the reason */
	struct xlator *next;
};
struct broken {
	const char *text;
	size_t len;
	struct loc loc;
	struct xlator *x;		/* a translator: what stands for it */
	struct ident *id;		/* else */
	bool done;			/* it did compile later */
	struct broken *next;
};
/* Names that stand for checked expressions, inside an inline or translator. */
struct frame {
	const char *name;
	struct node *value;
	struct frame *next;
};

/* ---- clauses ----------------------------------------------------------- */

struct clause {
	struct loc loc;
	struct pdesc *descs;
	struct node *pred, *body;
	bool has_body;
	bool have_attr, attr_args;	/* attr.c: attr is known; arguments count, too */
	struct dc_attr attr;
	struct clause *next;
};
/* A piece of the program's text, for -d. */
struct item {
	struct clause *cl;		/* or, if NULL: */
	const char *text;		/* as it was written */
	size_t len;
	struct item *next;
};
struct pdesc {
	struct loc loc;
	const char *text;
	struct dc_pdesc d;
	struct pdesc *next, *last;
};

/* A conversion of a format (fmt.c). */
struct conv {
	char c;				/* its letter; wc, ws: 'w', 'W' */
	bool agg;			/* %@ */
	bool dynwidth, dynprec;
	struct conv *next;
};

/* ---- the compiler ------------------------------------------------------ */

struct difo_buf {
	DV_VEC(uint32_t) text;
	DV_VEC(uint64_t) ints;
	struct dv_str strs;
	DV_VEC(uint32_t) labels;	/* label -> instruction; DV_NONE: not yet */
	DV_VEC(uint32_t) fixups;	/* instructions that hold a label's number */
	uint32_t regs;			/* bit per register in use */
	bool destructive, strings;	/* calls such a subroutine; has strings */
	struct loc loc;			/* of the expression */
};

struct dc {
	struct dv_arena *arena;
	struct dc_config cfg;
	struct dv_err *err;		/* borrowed, during a call */
	bool bad;			/* something failed; err tells */
	bool lib;			/* the text is a library's */
	bool expr_mode;			/* dc_expr: guards and arguments */
	const char *libname;
	bool missed;			/* dc_guest_missed() */
	bool missed_word;		/* a word that might be the name of a guest's type */
	const char *lib_missing;	/* why nothing of this library can be had, or NULL */
	struct libname { const char *name; struct libname *next; } *libs;	/* that were read */
	struct broken *broken;		/* declarations of libraries left out so far */

	/* types */
	struct dv_map *tmap;		/* guest id -> type */
	struct dv_smap *tags[3];	/* struct, union, enum of D */
	struct type *t_void, *t_char, *t_schar, *t_uchar, *t_short, *t_ushort, *t_int,
	    *t_uint, *t_long, *t_ulong, *t_llong, *t_ullong, *t_float, *t_double,
	    *t_ldouble, *t_bool, *t_string, *t_agg, *t_int64, *t_uint64, *t_pid,
	    *t_uid, *t_gid, *t_size, *t_uintptr, *t_voidp, *t_record[16];

	/* names */
	struct dv_smap *globals, *selfs, *thises, *aggs;
	uint32_t next_id[3];
	struct xlator *xlators;
	uint32_t ncond;

	/* options */
	uint64_t opt[DV_NOPT];
	bool opt_set[DV_NOPT];
	bool opt_program[DV_NOPT];	/* set by a program, not the command */
	const char *opt_str[DV_NOPT];
	bool *macro_used;		/* macros.argc of them */
	const char *arg0;		/* $0 of the text being read; NULL: cfg's */
	bool compiled;			/* some text was compiled */
	struct pragma *pragmas;
	struct provattr *provattrs;
	uint32_t text_no;		/* which library or program is being read */

	/* the text being read */
	const char *src;
	size_t srclen;
	uint32_t srcflags;
	struct clause *clauses, *last_clause;
	struct item *items, *last_item;
	unsigned ndumped;		/* ifs shown so far, for their names */
	uint32_t ndecls;		/* externals seen, pragmas too */
	struct node *expr;		/* dc_expr's */

	/* the clause being checked */
	struct dc_probeinfo info;
	bool have_info;
	struct frame *frame;
	uint32_t inline_depth;
	bool copy_lib;			/* what is copied is a library's, used at copy_loc */
	struct loc copy_loc;
	uint32_t ncopied;		/* nodes copied for this statement */
	bool at;			/* errors are told at at_loc: inside a library's text */
	struct loc at_loc;
	const char *at_what;
	uint32_t clflags;		/* CF_* */

	char spare[8192];		/* see diag.c */
	struct dv_progb *out;
	struct difo_buf d;
};

#define CF_SPEC		1u
#define CF_COMMIT	2u
#define CF_DREC		4u

/* diag.c */
/* "what (limit N unit)"; all return false */
bool dc_error_limit(struct dc *c, struct loc l, const char *what, uint32_t limit,
    const char *unit);
bool dc_error_proto(struct dc *c, struct loc l, enum dc_tag tag, const char *conv,
    const char *proto, const char *given, const char *fmt, ...)
	__attribute__((format(printf, 7, 8)));
bool dc_error(struct dc *c, struct loc l, enum dc_tag tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));	/* false */
bool dc_nomem(struct dc *c);
/* Something is looked for that a guest may have: see dc_guest_missed(). */
static inline void
dc_miss(struct dc *c)
{
	c->missed |= c->cfg.types == NULL;
}
const char *dc_tag_name(enum dc_tag tag);
void *dc_alloc(struct dc *c, size_t n);		/* never NULL: see diag.c */
const char *dc_strdup(struct dc *c, const char *s, size_t n);
const char *dc_fmt(struct dc *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ast.c */
struct node *nd(struct dc *c, enum nkind k, struct loc l);
struct node *nd_int(struct dc *c, struct loc l, uint64_t v, struct type *t);
struct node *nd_str(struct dc *c, struct loc l, const char *s, size_t n);
struct node *nd_name(struct dc *c, enum nkind k, struct loc l, const char *s);
struct node *nd_op1(struct dc *c, enum op op, struct loc l, struct node *a);
struct node *nd_op2(struct dc *c, enum op op, struct loc l, struct node *a, struct node *b);
struct node *nd_op3(struct dc *c, struct loc l, struct node *a, struct node *b, struct node *e);
struct node *nd_list(struct dc *c, struct node *list, struct node *n);
struct node *nd_with_list(struct dc *c, enum nkind k, struct loc l, struct node *a,
    struct node *list);
struct node *nd_member(struct dc *c, enum op op, struct loc l, struct node *a, const char *name);
struct node *nd_copy(struct dc *c, const struct node *n);
void nd_depth(struct dc *c, struct node *n);
const char *op_text(enum op op);

/* type.c */
bool ty_init(struct dc *c);
struct type *ty_new(struct dc *c, enum tkind k, const char *name, uint64_t size);
struct type *ty_base(struct type *t);		/* without typedefs */
struct type *ty_ptr(struct dc *c, struct type *t);
struct type *ty_array(struct dc *c, struct type *t, uint32_t n);
struct type *ty_typedef(struct dc *c, const char *name, struct type *t);
struct type *ty_import(struct dc *c, dc_tid_t id);
struct type *ty_find(struct dc *c, const char *mod, enum tkind k, const char *name);
struct type *ty_text(struct dc *c, const char *text);	/* "struct x *"; NULL: none */
bool ty_complete(struct dc *c, struct type *t);	/* members are there */
struct member *ty_member(struct dc *c, struct type *t, const char *name, uint64_t *bit_off);
struct type *ty_decay(struct dc *c, struct type *t);
struct type *ty_promote(struct dc *c, struct type *t);
struct type *ty_usual(struct dc *c, struct type *a, struct type *b);
bool ty_is_int(struct type *t);
bool ty_is_ptr(struct type *t);
bool ty_is_scalar(struct type *t);
bool ty_is_string(struct type *t);		/* D's */
bool ty_is_chars(struct type *t);		/* array of or pointer to char */
bool ty_is_strlike(struct type *t);
bool ty_is_sou(struct type *t);
bool ty_is_byref(struct type *t);
bool ty_is_signed(struct type *t);
bool ty_is_void(struct type *t);
bool ty_same(struct type *a, struct type *b);
uint64_t ty_size(struct dc *c, struct type *t);
uint32_t ty_align(struct type *t);
const char *ty_name(struct dc *c, struct type *t);
struct dv_dtype ty_dtype(struct dc *c, struct type *t);

/* decl.c */
void ds_word(struct dc *c, struct dspec *s, uint32_t word, struct loc l);
void ds_type(struct dc *c, struct dspec *s, struct type *t, struct loc l, bool defines);
void ds_class(struct dc *c, struct dspec *s, enum dclass class, struct loc l);
struct type *ds_resolve(struct dc *c, struct dspec *s);
struct declr *dr_new(struct dc *c, struct loc l, const char *name);
void dr_mod(struct dc *c, struct declr *d, enum dmkind k, struct loc l, struct node *size,
    struct dparm *parms, bool varargs);
struct type *dr_type(struct dc *c, struct type *base, struct declr *d, struct dmod **tuple);
struct type *decl_typename(struct dc *c, struct dspec *s, struct declr *d);
void decl_declare(struct dc *c, struct dspec *s, struct declr *list);
struct dparm *decl_parm(struct dc *c, struct dspec *s, struct declr *d);
struct type *decl_tag(struct dc *c, enum tkind k, const char *name, struct loc l, bool body);
struct type *decl_scoped(struct dc *c, enum tkind k, const char *name, struct loc l);
void decl_members(struct dc *c, struct type *t, struct dspec *s, struct declr *list);
void decl_sou_end(struct dc *c, struct type *t);
void decl_enumerator(struct dc *c, struct type *t, const char *name, struct node *v, struct loc l);
void decl_inline(struct dc *c, struct dspec *s, struct declr *d, struct node *expr);
void decl_xlator(struct dc *c, struct type *dst, struct type *src, const char *input,
    struct xmember *m, struct loc l);
bool decl_const(struct dc *c, struct node *n, int64_t *ret);	/* folds; false: no constant */
struct ident *id_taken(struct dc *c, enum scope sc, const char *name);
struct ident *id_find(struct dc *c, enum scope sc, const char *name);
struct ident *id_add(struct dc *c, enum scope sc, const char *name, enum idkind k, struct loc l);
const char *id_key(struct dc *c, const char *name);
bool id_is_type(struct dc *c, const char *name, struct type **ret);
struct type **id_keys(struct dc *c, struct dparm *p, uint32_t *n);

/* check.c and checkop.c; see also check.h */
struct node *ck(struct dc *c, struct node *n);
void ck_assignable(struct dc *c, struct type *to, struct node *from, struct loc l);
bool ck_is_const(const struct node *n);
struct node *ck_convert(struct dc *c, struct node *n, struct type *t);
bool ck_fits(struct node *n, struct type *t);
bool ck_argcompat(struct dc *c, struct type *formal, struct node *n);

/* xlate.c */
struct xlator *xl_find(struct dc *c, struct type *dst, struct type *src, struct loc l);
struct node *xl_member(struct dc *c, struct node *x, struct node *at, const char *name);
struct node *xl_inline(struct dc *c, struct ident *id, struct node *at);
struct node *xl_args(struct dc *c, struct node *n, int64_t idx);
bool xl_compat(struct dc *c, struct type *to, struct type *from);

/* clause.c */
void act_clause(struct dc *c, struct clause *cl, const struct dc_source *src);

/* fmt.c */
struct conv *fmt_parse(struct dc *c, struct loc l, const char *fmt, size_t n, bool *ok);
void fmt_check(struct dc *c, struct loc l, const char *what, struct conv *cv, struct node **args,
    uint32_t nargs, bool printa);
struct type *fmt_as(struct dc *c, struct conv *cv, struct node **args, uint32_t i);

/* pragma.c, option.c */
void pr_line(struct dc *c, struct loc l, const char *text, size_t n, uint32_t *newline);
void pr_end(struct dc *c);
bool pr_is_ours(const char *text, size_t n);
/* The text that a macro ($1, $$1, $pid) stands for. */
bool pr_macro(struct dc *c, struct loc l, const char *s, size_t n, struct dv_str *out);
bool op_version(const char *s, uint64_t *ret);
int  op_set(struct dc *c, const char *name, const char *value, bool program, struct dv_err *err);

/* attr.c */
bool at_parse(const char *s, uint64_t *ret);	/* "name/data/class" as -x amin keeps it */
struct dc_attr at_attr(uint64_t v);		/* that as a struct */
void at_provider(struct dc *c, const char *prov, enum dc_apart part, struct dc_attr a);
void at_clause(struct dc *c, struct clause *cl, struct pdesc *d, const struct dc_probeinfo *in,
    const struct dc_source *src);

/* dump.c */
void dump_program(struct dc *c, const struct dc_source *src);
void dump_item(struct dc *c, struct clause *cl, const char *text, size_t len);

/* if.c */
bool has_if(const struct node *n);

/* cgen.c */
uint32_t cg_difo(struct dc *c, struct node *n, struct type *as);	/* index in out->difos */

/* asm.c */
void as_begin(struct dc *c);
uint32_t as_end(struct dc *c, struct dv_dtype rtype, unsigned reg);
void as_emit(struct dc *c, uint32_t instr);
unsigned as_reg(struct dc *c, struct loc l);
void as_free(struct dc *c, unsigned r);
uint32_t as_label(struct dc *c);
void as_here(struct dc *c, uint32_t label);
void as_branch(struct dc *c, enum dv_dif_op op, uint32_t label);
void as_int(struct dc *c, uint64_t v, unsigned rd);
void as_str(struct dc *c, const char *s, size_t n, unsigned rd);

/* lex.c and d.y */
struct lexer {
	struct dc *c;
	size_t off;			/* of the next byte */
	uint32_t line, col;
	struct loc start;		/* of what opened last */
	size_t decl;			/* where the declaration began, in LM_DECL */
	uint32_t depth;			/* of ( [ { */
	uint8_t mode;			/* enum lmode */
	int first;			/* token to begin with, 0: given */
	int prev, prev2;		/* tokens before */
	int back;			/* start condition around a comment */
	DV_VEC(struct type *) sous;	/* structs being defined, innermost last */
	struct type *enm;
	struct dv_str text;		/* of adjacent string constants */
};
int  dc_parse(struct dc *c, bool expr, struct loc at);
#endif
