/* SPDX-License-Identifier: GPL-2.0-or-later */
/* func.h - functions of the kernel: their text, and where they return. */
#ifndef GI_FUNC_H
#define GI_FUNC_H
#include "gi_impl.h"
#include "insn.h"

enum gi_exitkind {
	GI_X_RET,		/* ret, or a jump to a return thunk */
	GI_X_TAIL,		/* direct jump to another function */
	GI_X_IND		/* indirect jump out, or to what cannot be followed */
};
#define GI_CC_ALWAYS	255u
#define GI_CC_ELSE	254u	/* the other way out at the exit before */

struct gi_exit {
	uint64_t at, target;	/* target: TAIL */
	uint8_t kind;		/* enum gi_exitkind */
	uint8_t cc;		/* condition of a jcc, or GI_CC_* */
	uint8_t len;
};
struct gi_exits {
	DV_VEC(struct gi_exit) x;
	bool loops;		/* it jumps back to right after its prologue */
};

/*
 * Guest text as it was when first asked for since gi_text_reset: one operation
 * sees one state. NULL: not text, or not readable (freed init text).
 */
const uint8_t *gi_text(struct gi_kernel *k, uint64_t at, size_t len);
void gi_text_reset(struct gi_kernel *k);

/* All functions, by address; cold parts, thunks and the like included, flagged. */
int  gi_fns_make(struct gi_kernel *k, struct gi_probes *p, struct dv_err *err);
/* Those of a module: made when first asked for. False: none. */
bool gi_mod_fns(struct gi_kernel *k, struct gi_mod *m);
/* Functions are numbered through, the kernel's first; numbers below this. */
uint32_t gi_fn_count(const struct gi_kernel *k);
uint32_t gi_fn_num(const struct gi_kernel *k, const struct gi_fn *f);
struct gi_fn *gi_fn_of(const struct gi_kernel *k, uint32_t num);
/* The BTF that f's prototype is in; finds it out for a function of a module. */
const struct gi_btf *gi_fn_types(const struct gi_kernel *k, struct gi_fn *f);
const char *gi_fn_name(const struct gi_kernel *k, const struct gi_fn *f);
uint64_t gi_fn_addr(const struct gi_kernel *k, const struct gi_fn *f);
/*
 * What a compiler has made of a function of the kernel, by its name in the sources:
 * itself, and copies that have a suffix; with `parts`, what was split off it, too. A
 * call goes through one of the copies. How many; 0: it is not there, or is inlined.
 */
#define GI_FN_COPIES	4u
unsigned gi_fn_copies(const struct gi_kernel *k, const char *func, bool parts,
    struct gi_sym ret[GI_FN_COPIES]);
/* The first copy. */
bool gi_fn_find(const struct gi_kernel *k, const char *func, struct gi_sym *ret);
/* The function whose body holds addr, of a module too, or NULL. */
const struct gi_fn *gi_fn_at(const struct gi_kernel *k, uint64_t addr);

/*
 * Finds where f returns. 0; DV_E_FORMAT: cannot be decoded whole;
 * DV_E_GUEST: cannot be read; DV_E_NOMEM.
 */
int  gi_fn_exits(struct gi_kernel *k, const struct gi_fn *f, struct gi_exits *ret);
/* Does it jump back to right after its prologue? */
bool gi_fn_loops(struct gi_kernel *k, const struct gi_fn *f);
/*
 * Where entry is seen: the first instruction after endbr64 and ftrace's nop; or
 * that nop, if the function loops back to there. 0: cannot be read.
 */
uint64_t gi_fn_entry(struct gi_kernel *k, uint64_t addr);

/* ---- linux/patched.c: with gi_sites_as_traps(); else all is NULL */

/* Why no trap may be at a byte of text, or NULL. */
const char *gi_patched(struct gi_kernel *k, uint64_t at);
/* Why no probe of fbt may be in a function, or NULL. */
const char *gi_untraceable(struct gi_kernel *k, const struct gi_fn *f);
void gi_patched_free(struct gi_kernel *k);
#endif
