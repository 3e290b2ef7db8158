/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dcomp.h - D source -> program.
 *
 * A pure library: no I/O (but for #include through dc_config.open), no
 * globals, nothing of carriers, guests or buffers. Types and symbols come from
 * a type source, probes and their argument types from a probe source: tables
 * of functions that the caller fills. Errors: 0 or DV_E_*, `err` with DTrace's
 * text, tag, line and column.
 */
#ifndef DCOMP_H
#define DCOMP_H
#include "base/err.h"
#include "base/progb.h"

/* ---- type source ------------------------------------------------------- */

/* Types of the guest, by id. 0 is void. Ids are the source's own. */
typedef uint32_t dc_tid_t;

enum dc_tkind {
	DC_T_VOID, DC_T_INT, DC_T_FLOAT, DC_T_PTR, DC_T_ARRAY, DC_T_STRUCT, DC_T_UNION,
	DC_T_ENUM, DC_T_FWD, DC_T_TYPEDEF, DC_T_CONST, DC_T_VOLATILE, DC_T_RESTRICT,
	DC_T_FUNC, DC_T_OTHER
};
struct dc_tinfo {
	enum dc_tkind kind;
	const char *name;	/* borrowed, "" if none */
	uint64_t size;		/* bytes */
	dc_tid_t ref;		/* PTR ARRAY TYPEDEF CONST ...; FUNC: result */
	uint32_t n;		/* ARRAY: elements; STRUCT UNION ENUM FUNC: members */
	bool is_signed, is_bool, is_char, fwd_union;
};
struct dc_minfo {
	const char *name;	/* "" : anonymous member */
	dc_tid_t type;
	uint32_t bit_off, bit_size;	/* bit_size 0: not a bit-field */
	int64_t value;		/* enumerator */
};
/*
 * A kernel symbol. Its type is an id, or (0) text such as "struct list_head",
 * "char *", "unsigned long[3]", or (NULL) unknown. Code is its address alone.
 */
struct dc_sinfo {
	uint64_t addr;
	dc_tid_t type;
	const char *text;
	bool is_code;
};
struct dc_types {
	void *arg;
	/* By kind (STRUCT UNION ENUM TYPEDEF INT) and name; mod NULL: any. 0: none. */
	dc_tid_t (*find)(void *arg, const char *mod, enum dc_tkind kind, const char *name);
	int (*info)(void *arg, dc_tid_t id, struct dc_tinfo *ret);
	int (*member)(void *arg, dc_tid_t id, uint32_t i, struct dc_minfo *ret);
	/* A kernel symbol; mod NULL: any. Returns 0 or DV_E_NOENT. */
	int (*symbol)(void *arg, const char *mod, const char *name, struct dc_sinfo *ret);
	/* An enumerator of the guest. */
	bool (*enumerator)(void *arg, const char *name, int64_t *value, dc_tid_t *type);
};

/* ---- probe source ------------------------------------------------------ */

struct dc_pdesc {
	const char *prov, *mod, *func, *name;	/* "" : any */
	uint32_t id;		/* given by number; 0: by names */
};

/*
 * Argument i of args[]: native type as id or text; xlate: D type that args[i]
 * has (a translator native -> xlate must exist), NULL: native. Its value is raw
 * argument `map`.
 */
struct dc_arg {
	const char *native;
	dc_tid_t ntype;		/* 0: use text */
	const char *xlate;
	uint8_t map;
};
#define DC_MAXARGS 10
#define DC_MAXPROV 8
struct dc_probeinfo {
	uint64_t nmatched;
	const char *why_not;	/* none matched: why, if more can be said than that; or NULL */
	bool partial;		/* no guest is there, and one might have more such probes */
	uint32_t nargs;		/* of the matched probe that has most */
	struct dc_arg args[DC_MAXARGS];
	uint32_t differ;	/* bit per argument: not alike in all matched (D_ARGS_MULTI) */
	uint32_t flags;		/* DV_PF_* common to all matched */
	uint32_t nprov;		/* of the providers of all matched; more than DC_MAXPROV: many */
	const char *prov[DC_MAXPROV];	/* borrowed */
};
struct dc_probes {
	void *arg;
	/* 0, or DV_E_INVAL with err for a description that cannot be (bad rate ...). */
	int (*match)(void *arg, const struct dc_pdesc *d, struct dc_probeinfo *ret,
	    struct dv_err *err);
};

/*
 * For a probe source: `to` is about nmatched probes (0 at first), and these are the
 * arguments of another, which the caller counts. False: no argument is alike in all
 * of them, so that others need not be looked at.
 */
bool dc_probeinfo_args(struct dc_probeinfo *to, const struct dc_arg *args, uint32_t nargs);

/* ---- stability --------------------------------------------------------- */

/* Of names, of what data mean, and who has them; a greater number is firmer. */
struct dc_attr { uint8_t name, data, class; };
const char *dc_stability_name(unsigned stability);	/* of name and data */
const char *dc_class_name(unsigned class);
enum dc_apart { DC_A_PROVIDER, DC_A_MODULE, DC_A_FUNCTION, DC_A_NAME, DC_A_ARGS, DC_NAPART };
struct dc;				/* one compiler: libraries, options, macro arguments */
struct dc_attr dc_provider_attr(const struct dc *dc, const char *prov, enum dc_apart part);
/* Of a probe: provider, module, function, name; what is "" does not count. */
struct dc_attr dc_probe_attr(const struct dc *dc, const char *const names[4]);

/* ---- compiling --------------------------------------------------------- */

/* Values of macros that stand for the command's environment. */
struct dc_macros {
	int64_t pid, ppid, uid, gid, euid, egid, pgid, sid, target;
	bool have_target;
	int argc;			/* $0..$n: argv[0] is $0 */
	const char *const *argv;
};

struct dc_config {
	const struct dc_types *types;	/* NULL: D's own types only */
	const struct dc_probes *probes;	/* NULL: every description matches one untyped probe */
	struct dc_macros macros;
	const char *program;		/* message prefix, "dvisor" */
};

int  dc_open(const struct dc_config *cfg, struct dv_err *err, struct dc **ret);
void dc_close(struct dc *dc);

/*
 * Options before compiling (-x): compiler options take effect, others are kept
 * and written into the program. value NULL: present. DV_E_INVAL: unknown
 * option or bad value, err names it. `pragma`: set from a program.
 */
int  dc_option(struct dc *dc, const char *name, const char *value, struct dv_err *err);
bool dc_option_get(struct dc *dc, enum dv_opt opt, uint64_t *ret);

/*
 * A D library text (translators, inlines, typedefs; no clauses) under a name for
 * messages. If a declaration needs a type the guest lacks, that declaration is
 * left out and anything that uses it fails with the reason.
 */
int  dc_library(struct dc *dc, const char *name, const char *text, struct dv_err *err);

/*
 * Compiles a program text and appends it to `out`. May be called several times
 * (several -n, -s): variables and aggregations are shared. For each clause the
 * descriptions it enables are told through `clause` (in order; clause is an
 * index in out->clauses): the caller resolves them to probes.
 */
#define DC_F_ZDEFS	1u	/* descriptions that match nothing are fine (-Z) */
#define DC_F_PSPEC	2u	/* -n/-P/-m/-f/-i text: one clause without braces is fine */
#define DC_F_CPP	4u	/* text was preprocessed: # lines give file and line */
struct dc_source {
	const char *name;		/* "script F" or a probe specifier, for messages */
	const char *text;
	size_t len;
	uint32_t flags;
	const char *arg0;		/* $0; NULL: macros.argv[0] */
	void (*clause)(void *arg, uint32_t clause, const struct dc_pdesc *d);
	/*
	 * Once for each description as written: how many probes it matched, and how
	 * firm is what it and its clause depend on. Or NULL.
	 */
	void (*described)(void *arg, const char *desc, uint64_t nmatched, struct dc_attr probe,
			  struct dc_attr stmt);
	/* The program as D text, `if` lowered and macros replaced (-d). Or NULL. */
	void (*dump)(void *arg, const char *text);
	void *arg;
};
int  dc_compile(struct dc *dc, const struct dc_source *src, struct dv_progb *out,
    struct dv_err *err);
/*
 * After the last dc_compile: arguments that no program used (D_MACRO_UNUSED), options
 * into out->opts.
 */
int  dc_finish(struct dc *dc, struct dv_progb *out, struct dv_err *err);

/*
 * Has what failed to compile met something that a guest could have, while there is no
 * type source: an unknown name, type or probe? If not, it is wrong for any guest.
 */
bool dc_guest_missed(const struct dc *dc);

/*
 * One expression (no clause) to a DIFO: introspection's guards and arguments.
 * arg0..arg9 are uint64_t. `self->`/global variables named by it are kept apart
 * from the program's. *difo: index in out->difos.
 */
int  dc_expr(struct dc *dc, const char *what, const char *text, struct dv_progb *out,
	     uint32_t *difo, struct dv_err *err);

/* The type that args[i] has, as text of the compiler's; NULL: out of memory. */
const char *dc_arg_type(struct dc *dc, const struct dc_arg *a);

/* -S: the DIF of all clauses in DTrace's layout, through a writer. */
void dc_disasm(const struct dv_progb *b, void (*put)(void *arg, const char *line), void *arg);

/*
 * For the consumer: printf formats are checked by the compiler and passed as
 * text in DV_ACT_PRINTF.arg; the consumer parses them again (cn). Argument
 * widths come from the records.
 */
#endif
