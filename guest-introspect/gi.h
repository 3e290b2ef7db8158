/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gi.h - a guest explains itself: from the bytes of a guest to symbols, types,
 * layout, probes and their sites.
 *
 * A pure library: it reads the guest through one callback, does no I/O, keeps
 * no globals. All that it reads is hostile: bounds-checked, capped, copied
 * before it is checked; strings handed out are NUL-terminated but unescaped
 * (whoever prints escapes). Functions return 0 or a negative DV_E_* with `err`
 * filled. Objects are used by one thread at a time.
 */
#ifndef GI_H
#define GI_H
#include "abi/dv_types.h"
#include "abi/dv_layout.h"
#include "abi/dv_unwind.h"
#include "abi/dv_prog.h"
#include "base/err.h"

/* How guest memory is read. */
struct gi_mem {
	/* Reads len bytes of guest-physical RAM; DV_E_GUEST if any is not RAM. */
	int (*read)(void *arg, dv_gpa_t at, void *buf, size_t len);
	void *arg;
};

/* State of one vCPU, as far as the carrier knows it. Zero: unknown. */
struct gi_cpu {
	uint64_t kernel_rip;	/* an address >= 0xffffffff80000000 this guest has executed */
	uint64_t cr3, cr4, gs_base, kernel_gs_base, lstar, idt_base;
};

/* ---- the kernel ------------------------------------------------------- */

struct gi_kernel;

/*
 * Finds the running kernel: image bounds, symbols, BTF. Costs some 100 ms.
 * DV_E_NOENT: no Linux kernel there (yet); the text says what was tried.
 * The mem callback (copied) must stay usable until close.
 */
int  gi_kernel_open(const struct gi_mem *mem, const struct gi_cpu *cpus, unsigned ncpu,
		    struct dv_err *err, struct gi_kernel **ret);
void gi_kernel_close(struct gi_kernel *k);

/*
 * The same from cached bytes (gi_kernel_save) of a kernel with the same build
 * id at a possibly other KASLR base: cheap. `gi_kernel_probe_id` gives the id
 * of the guest's kernel without decoding anything: hex text of its ELF build
 * id (.notes), or of a hash of version banner and kallsyms size where a kernel
 * has no note. ret must hold 65 bytes.
 */
int  gi_kernel_probe_id(const struct gi_mem *mem, const struct gi_cpu *cpus, unsigned ncpu,
			struct dv_err *err, char *ret, uint64_t *base);
int  gi_kernel_load(const struct gi_mem *mem, const struct gi_cpu *cpus, unsigned ncpu,
		    const void *data, size_t len, struct dv_err *err, struct gi_kernel **ret);
/*
 * Everything about the kernel as bytes (malloc'd; caller frees): the cache and
 * `dvisor snapshot`. With mem == NULL gi_kernel_load makes a kernel without a
 * guest: symbols, types, probes; no live reads (DV_E_GUEST). `modules`: those of
 * this boot, too, which a load without a guest knows again; with a guest its
 * own are looked for.
 */
int  gi_kernel_save(struct gi_kernel *k, bool modules, struct dv_err *err, void **data,
		    size_t *len);

const char *gi_kernel_release(const struct gi_kernel *k);	/* "6.1.0-35-cloud-amd64" */
/*
 * Offsets for the probe machine. Needs live memory for per-CPU bases, page_offset.
 * Before setup_per_cpu_areas() and memory randomization in the guest ncpu is 1,
 * and the bases and page_offset are those of early boot: ask again later.
 */
int  gi_kernel_layout(struct gi_kernel *k, struct dv_err *err, struct dv_layout *ret);
/* Where this kernel keeps what its stacks are walked with. */
void gi_kernel_unwind(struct gi_kernel *k, struct dv_unwind *ret);

/* Reads guest-virtual memory through the kernel's page tables. */
int  gi_read(struct gi_kernel *k, dv_gva_t at, void *buf, size_t len, struct dv_err *err);

/* ---- modules ---------------------------------------------------------- */

/*
 * Modules that the guest had when it was opened (a snapshot: when it was saved).
 * Names that stand for the kernel itself: vmlinux, kernel, genunix, unix, "".
 */
bool gi_is_vmlinux(const char *mod);
size_t gi_nmods(const struct gi_kernel *k);
/*
 * addr has no name: looks whether a module was loaded there meanwhile. Modules found
 * so have symbols and types, but no probes. True: gi_sym_at() will know it now.
 * Bounded: the same address is not looked for again, nor more than some hundred.
 */
bool gi_mods_again(struct gi_kernel *k, uint64_t addr);

/* ---- symbols ---------------------------------------------------------- */

struct gi_sym {
	uint64_t addr;
	uint64_t size;		/* up to the next symbol */
	char type;		/* as in /proc/kallsyms */
	const char *name;	/* borrowed from the kernel object */
	const char *mod;	/* "vmlinux" or a module's name */
};
/* With those of all modules. */
size_t gi_nsyms(const struct gi_kernel *k);
/* i-th in table order (/proc/kallsyms order). */
void gi_sym(const struct gi_kernel *k, size_t i, struct gi_sym *ret);
/* mod NULL: the kernel's own first, then modules in the guest's order. */
bool gi_sym_find(const struct gi_kernel *k, const char *mod,
		 const char *name, struct gi_sym *ret);
/* The function or object that holds addr (prefers T/t, then global names). */
bool gi_sym_at(const struct gi_kernel *k, uint64_t addr, struct gi_sym *ret);

/*
 * The C type of a variable of the kernel, as text, where its BTF does not say;
 * NULL: not known. One of a table of well-known variables.
 */
const char *gi_var_type(const char *name);

/* ---- processes --------------------------------------------------------- */

/* What is mapped at an address of a process; strings are borrowed, until the next call. */
struct gi_usym {
	const char *obj;	/* the file's name, without its path */
	const char *sym;	/* the function, or NULL */
	uint64_t off;		/* from its start */
};
/* false: the process has ended, or has no file there. */
bool gi_user_sym(struct gi_kernel *k, uint32_t pid, uint64_t addr, struct gi_usym *ret);
/* Mappings may have changed: they are looked up anew. */
void gi_user_forget(struct gi_kernel *k);

/* ---- types (BTF) ------------------------------------------------------ */

/* A type is an id > 0 in the kernel's BTF; 0 is void. Modules: ids go on. */
enum gi_tkind {
	GI_T_VOID, GI_T_INT, GI_T_FLOAT, GI_T_PTR, GI_T_ARRAY, GI_T_STRUCT, GI_T_UNION,
	GI_T_ENUM, GI_T_FWD, GI_T_TYPEDEF, GI_T_CONST, GI_T_VOLATILE, GI_T_RESTRICT,
	GI_T_FUNC, GI_T_PROTO, GI_T_VAR, GI_T_OTHER
};
struct gi_type {
	enum gi_tkind kind;
	const char *name;	/* "" if none */
	uint64_t size;		/* bytes: INT FLOAT STRUCT UNION ENUM */
	uint32_t ref;		/* PTR ARRAY TYPEDEF CONST...: target; PROTO: result; FUNC: proto */
	uint32_t index;		/* ARRAY: index type */
	uint32_t n;		/* ARRAY: elements; STRUCT UNION ENUM: members; PROTO: parameters */
	bool is_signed;		/* INT, ENUM */
	bool is_bool, is_char;	/* INT */
	bool fwd_union;		/* FWD */
};
struct gi_member {		/* of STRUCT UNION: members; ENUM: enumerators; PROTO: parameters */
	const char *name;
	uint32_t type;
	uint32_t bit_off;	/* from the struct's start */
	uint32_t bit_size;	/* bit-field width, or 0 */
	int64_t value;		/* enumerator */
};
uint32_t gi_ntypes(const struct gi_kernel *k);
int  gi_type(const struct gi_kernel *k, uint32_t id, struct gi_type *ret);
int  gi_member(const struct gi_kernel *k, uint32_t id, uint32_t i, struct gi_member *ret);
/* By kind and name (hash lookup): STRUCT UNION ENUM TYPEDEF INT FUNC VAR. 0: none. */
uint32_t gi_type_find(const struct gi_kernel *k, enum gi_tkind kind, const char *name);
/*
 * The same in a module, or in the kernel if it has none of its own; mod NULL: the
 * kernel, then every module.
 */
uint32_t gi_type_find_in(const struct gi_kernel *k, const char *mod, enum gi_tkind kind,
			 const char *name);
/* An enumerator anywhere in the BTF, of modules last; false if none. */
bool gi_enum_find(const struct gi_kernel *k, const char *name, int64_t *value, uint32_t *type);
/* Byte offset of a member path ("se.vruntime"), through anonymous members; -1: none. */
int64_t gi_offsetof(const struct gi_kernel *k, const char *strct, const char *path);

/* ---- probes ----------------------------------------------------------- */

/*
 * One argument as users see it. native: the C type of raw published argument
 * `map`; xlate: the D type of args[i] that a translator yields, or NULL. Types
 * are text ("struct task_struct *", "lwpsinfo_t *"); ntype, when nonzero, is
 * the native type as a BTF id (fbt: from the prototype).
 */
struct gi_arg {
	const char *native;
	uint32_t ntype;
	const char *xlate;
	uint8_t map;
};
#define GI_MAXARGS 10

struct gi_probe {
	const char *prov, *mod, *func, *name;	/* borrowed */
	uint32_t index;		/* stable for a kernel build; of modules: while they stay */
	uint32_t flags;		/* DV_PF_* */
	uint32_t nargs;		/* args[0..nargs) are typed */
	struct gi_arg args[GI_MAXARGS];
	const char *why_not;	/* NULL, or why this guest cannot have it (then no sites) */
	uint32_t traits;	/* GI_PT_*: what a carrier that writes traps must know */
};
#define GI_PT_NOTRACE	1u	/* entry, noinstr, kprobes or idle text: never trap */
#define GI_PT_INIT	2u	/* init text: gone once the kernel is up */

/*
 * The table of probes of this kernel (fbt, syscall, sched, ...): built on
 * first use, part of gi_kernel_save. Order: syscall, sched, proc, fbt, and fbt
 * of modules in their order, where some numbers have no probe (why_not).
 */
int  gi_probes_open(struct gi_kernel *k, struct dv_err *err);
size_t gi_nprobes(const struct gi_kernel *k);
void gi_probe(const struct gi_kernel *k, size_t i, struct gi_probe *ret);
/* Only prov, mod, func, name and flags, which is cheap. False: there is none (why_not). */
bool gi_probe_name(const struct gi_kernel *k, size_t i, struct gi_probe *ret);
/* Has i no why_not? Finds out whether a function of a module returns. */
bool gi_probe_exists(const struct gi_kernel *k, size_t i);
/*
 * Probes [i, end) all have this module. Asking for a probe of a module reads the
 * module's symbols: who can tell by its name that none is wanted passes it by.
 */
bool gi_probe_run(const struct gi_kernel *k, size_t i, const char **mod, size_t *end);
/* The providers whose probes are the guest's, in the order of their runs. */
#define GI_NPROV 4u
extern const char *const gi_providers[GI_NPROV];
/* First probe index of a provider's run and its length; false: no such provider. */
bool gi_probe_range(const struct gi_kernel *k, const char *prov, size_t *first, size_t *n);

/*
 * Sites and rules for a set of enabled probes, merged: one site per address.
 * Rules name probes by position in `want` (the caller's enabled probes) and
 * argument sets by index. Guards, published arguments and statements that need
 * more than a dv_loc are given as expression text, which introspection does
 * not interpret; `expr` indices in struct gi_rule refer to `exprs` below.
 */
#define GI_NOEXPR 0xffffffffu
struct gi_rule {
	uint32_t kind;		/* enum dv_rulekind */
	uint32_t guard;		/* index of an expression or GI_NOEXPR */
	uint32_t raw;		/* argset index or DV_NONE */
	uint32_t args;		/* argset index; DV_LOC_DIFO locs there hold an expression index.
				   RET without a probe: DV_NONE, or a set whose arg1 is
				   DV_LOC_FAULT: so is the arg1 of what is pending here */
	uint32_t probe;		/* index into want, or DV_NONE; with nselect: start in `select` */
	uint32_t nselect;
	uint32_t retval;
	struct dv_loc sel;	/* DV_LOC_DIFO: value is an expression index */
};
struct gi_sites {
	struct dv_site *sites;	size_t nsites;		/* sorted; rule = first in rules */
	struct gi_rule *rules;	size_t nrules;
	struct dv_argset *argsets; size_t nargsets;
	uint32_t *select;	size_t nselect;		/* indices into want, or DV_NONE */
	/* statements for the start of a trace (struct dv_start): expr is one of exprs */
	struct gi_start { uint32_t expr, raw; } *starts; size_t nstarts;
	bool starts_cut;	/* not all threads were found: the guest's lists do not end */
	/* texts; raw arguments are arg0..arg9 (uint64_t) */
	const char **exprs;	size_t nexprs;
	struct { uint32_t want; char reason[96]; } *left_out; size_t nleft_out;
};
/*
 * At the end of `want`: sites that fire nothing. Where threads are switched; where
 * threads go to sleep on objects, which the prelude's __dv_stype and __dv_wchan
 * tell of, and __dv_stype0 and __dv_wchan0 (starts) of those that are asleep now.
 */
#define GI_WANT_SWITCH	0xfffffffeu
#define GI_WANT_SOBJ	0xfffffffdu
/*
 * From now on sites are for a carrier that writes traps into the guest's text: none is
 * where the guest's kernel patches its text, and probes that would need one are left out.
 */
void gi_sites_as_traps(struct gi_kernel *k);
int  gi_sites_make(struct gi_kernel *k, const uint32_t *want, size_t nwant,
		   struct dv_err *err, struct gi_sites **ret);
void gi_sites_free(struct gi_sites *s);

/*
 * D text with this kernel's names for what differs between kernels: inlines
 * that the .d library files use (struct members renamed, moved, absent).
 * malloc'd; the caller frees.
 */
char *gi_prelude(struct gi_kernel *k, struct dv_err *err);

/* ---- decoders, for tests and fuzzers (each safe on any bytes) ---------- */

struct gi_btf;
int  gi_btf_open(const void *data, size_t len, struct dv_err *err, struct gi_btf **ret);
void gi_btf_close(struct gi_btf *b);

/* Translates through page tables rooted at root (levels 4 or 5); DV_E_GUEST: unmapped. */
int  gi_pgwalk(const struct gi_mem *mem, dv_gpa_t root, unsigned levels, dv_gva_t at,
	       dv_gpa_t *ret, uint64_t *page_left);

struct gi_ksyms;
/* Finds and decodes the kallsyms tables in an image of the kernel mapped at base. */
int  gi_ksyms_decode(const uint8_t *image, size_t len, uint64_t base,
		     struct dv_err *err, struct gi_ksyms **ret);
void gi_ksyms_free(struct gi_ksyms *s);

#endif
