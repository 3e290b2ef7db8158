/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dv_prog.h - an enabling as bytes: what the command sends and a carrier runs.
 *
 * One flat blob: this header, then sections. A section is an array of one
 * struct of this file (or bytes), named by offset from the blob's start and
 * number of elements. Every section starts 8-aligned. Indices and offsets
 * refer to sections; strings are offsets into DV_SEC_STRS, NUL-terminated.
 * The machine checks all of it (core/prog.c) and trusts nothing.
 *
 *	clause -> predicate DIFO, actions [act, act + nact)
 *	probe  -> its name
 *	ecb    -> one (probe, clause); EPID = index + 1
 *	site   -> a guest address and its rules [rule, rule + nrule)
 *	rule   -> guard, which probe fires, argument set
 *	timer  -> probe that a host clock fires
 *	start  -> a statement that is run when the sites are armed
 *
 * dcomp makes clauses, actions, DIFOs, variables and aggregations; the command
 * adds probes, ECBs, sites, rules, timers, layout and options.
 */
#ifndef DV_PROG_H
#define DV_PROG_H
#include "dv_types.h"
#include "dv_dif.h"

#define DV_PROG_MAGIC	0x31505644u	/* "DVP1" */
#define DV_PROG_VERSION	3u

enum dv_sec {
	DV_SEC_STRS,		/* bytes */
	DV_SEC_TEXT,		/* uint32_t: DIF of all DIFOs */
	DV_SEC_INTS,		/* uint64_t */
	DV_SEC_DIFSTRS,		/* bytes: string tables of all DIFOs */
	DV_SEC_VARS,		/* struct dv_var: one table for the whole program */
	DV_SEC_DIFOS,		/* struct dv_difo */
	DV_SEC_AGGS,		/* struct dv_aggdesc */
	DV_SEC_ACTS,		/* struct dv_act */
	DV_SEC_CLAUSES,		/* struct dv_clause */
	DV_SEC_PROBES,		/* struct dv_probe */
	DV_SEC_ECBS,		/* struct dv_ecbdesc, sorted by probe, then clause order */
	DV_SEC_ARGSETS,		/* struct dv_argset */
	DV_SEC_RULES,		/* struct dv_rule */
	DV_SEC_SELECT,		/* uint32_t: probe index or DV_NONE */
	DV_SEC_SITES,		/* struct dv_site, sorted by address */
	DV_SEC_TIMERS,		/* struct dv_timer */
	DV_SEC_LAYOUT,		/* struct dv_layout: 0 or 1 */
	DV_SEC_OPTS,		/* uint64_t, indexed by enum dv_opt */
	DV_SEC_UNWIND,		/* struct dv_unwind: 0 or 1 */
	DV_SEC_STARTS,		/* struct dv_start */
	DV_NSEC
};

struct dv_prog_hdr {
	uint32_t magic, version;
	uint64_t len;			/* of the blob, all sections included */
	uint32_t vm;			/* goes into every record */
	uint32_t flags;			/* 0 */
	uint32_t vmname;		/* string */
	uint32_t pad;
	uint64_t target;		/* $target, or 0 */
	/* dvisor itself: what pid etc. are in the host context without a guest */
	uint32_t host_pid, host_ppid, host_uid, host_gid;
	uint32_t host_execname;		/* string */
	uint32_t pad2;
	struct { uint64_t off, n; } sec[DV_NSEC];
};

/* How a value looks: a DIFO's result, a variable, a record field. */
enum dv_tkind {
	DV_T_NONE = 0,		/* void */
	DV_T_INT = 1,		/* size 1, 2, 4 or 8 */
	DV_T_STRING = 2,	/* by reference, size: bytes kept, at most strsize */
	DV_T_BYTES = 3,		/* by reference: struct, union, array */
	DV_T_STACK = 4,		/* kernel stack: size = 8 x frames */
	DV_T_USTACK = 5,	/* 8 (pid) + 8 x frames */
	DV_T_SYM = 6, DV_T_MOD = 7, DV_T_USYM = 8, DV_T_UMOD = 9, DV_T_UADDR = 10
};
#define DV_TF_SIGNED	1u
#define DV_TF_BYREF	2u		/* the register holds an address */
#define DV_TF_USER	4u		/* that address is in the user half (guest user memory) */

struct dv_dtype {
	uint8_t kind;			/* enum dv_tkind */
	uint8_t flags;			/* DV_TF_* */
	uint16_t ctype;			/* reserved: 0 */
	uint32_t size;			/* bytes */
};

struct dv_var {
	uint32_t name;			/* string */
	uint16_t id;			/* >= DIF_VAR_USER */
	uint8_t scope;			/* enum dv_vscope */
	uint8_t array;			/* 1: associative */
	struct dv_dtype type;
};
enum dv_vscope { DV_VS_GLOBAL, DV_VS_TLS, DV_VS_LOCAL };

struct dv_difo {
	uint32_t text, ntext;		/* in DV_SEC_TEXT */
	uint32_t ints, nints;		/* in DV_SEC_INTS */
	uint32_t strs, nstrs;		/* bytes in DV_SEC_DIFSTRS */
	struct dv_dtype rtype;
	uint32_t flags;			/* DV_DIFO_* */
	uint32_t pad;
};
#define DV_DIFO_DESTRUCTIVE	1u	/* calls a destructive subroutine */

/* Aggregation. Keys: the AGG action's argument actions, the same for every use. */
struct dv_aggdesc {
	uint32_t name;			/* string without @; "_" for plain @ */
	uint32_t func;			/* enum dv_aggfunc */
	uint64_t param;			/* DV_LQUANT_PARAM, DV_LLQUANT_PARAM or 0 */
	uint32_t nkeys;
	uint32_t keyact;		/* first key action of the first use: their types */
	uint32_t keysize;		/* bytes of all keys; the value starts there, 8-aligned */
	uint32_t nwords;		/* 64-bit words of the value */
	uint32_t flags;
	uint32_t pad;
};

struct dv_act {
	uint16_t kind;			/* enum dv_action */
	uint16_t nargs;			/* argument actions that follow */
	uint32_t difo;			/* or DV_NONE */
	uint32_t rec_off;		/* of the record field: in the record's data,
					   or for a key in the entry's keys */
	uint32_t pad;
	struct dv_dtype rec;		/* kind DV_T_NONE: no record field */
	uint64_t arg;			/* by kind: see act.def. AGG: aggregation. PRINTF: string */
	/* AGG: increment DIFO + 1 of (l,ll)quantize(x, ..., incr), or 0 */
	uint64_t param;
};
enum dv_action {
#define DV_ACT(name, value, text, flags) DV_ACT_##name = value,
#include "act.def"
	DV_ACTION_END
};
#define DV_AF_DATA	1u	/* data-recording: its clause has a record */
#define DV_AF_VALUE	2u	/* may be an argument of printf() or a key */
#define DV_AF_ARGS	4u	/* heads `nargs` argument actions */
#define DV_AF_NOSPEC	8u	/* may not follow speculate() */
#define DV_AF_DESTRUCTIVE 16u	/* needs the option destructive */
static inline uint32_t
dv_act_flags(uint32_t kind)
{
	switch (kind) {
#define DV_ACT(name, value, text, flags) case value: return flags;
#include "act.def"
	default:
		return 0;
	}
}

/* Is it destructive, or computes what it needs with what is? Its own arguments apart. */
static inline int
dv_act_destroys(const struct dv_act *a, const struct dv_difo *difos)
{
	return (dv_act_flags(a->kind) & DV_AF_DESTRUCTIVE) != 0 ||
	    (a->difo != DV_NONE && (difos[a->difo].flags & DV_DIFO_DESTRUCTIVE) != 0) ||
	    (a->kind == DV_ACT_AGG && a->param != 0 &&
	    (difos[a->param - 1].flags & DV_DIFO_DESTRUCTIVE) != 0);
}

enum dv_aggfunc {
#define DV_AGG(name, value, text, nwords) DV_AGG_##name = value,
#include "act.def"
	DV_AGGFUNC_END
};

struct dv_clause {
	uint32_t pred;			/* DIFO or DV_NONE */
	uint32_t act, nact;
	uint32_t record_size;		/* of the data; 0 with DV_CL_NOREC: no record */
	uint32_t flags;
	uint32_t pad;
};
#define DV_CL_NOREC	1u	/* no data-recording action: fires write no record */
#define DV_CL_DEFAULT	2u	/* empty: the default action (a record without data) */
#define DV_CL_SPECULATES 4u
#define DV_CL_COMMITS	8u
#define DV_CL_DESTRUCTIVE 16u	/* an action of it destroys, or its predicate */

struct dv_probe {
	uint32_t prov, mod, func, name;	/* strings */
	uint32_t id;			/* as listed by -l */
	uint32_t flags;			/* DV_PF_* */
};
#define DV_PF_BEGIN	1u
#define DV_PF_END	2u
#define DV_PF_ERROR	4u
#define DV_PF_ENTRY	8u		/* -F: indent */
#define DV_PF_RETURN	16u		/* -F: outdent */
#define DV_PF_SYSCALL	32u		/* errno is meaningful at return */
#define DV_PF_HOST	64u		/* fires in the host context */

struct dv_ecbdesc { uint32_t probe, clause; };

/* Where a value is found when a site is hit. */
enum dv_lockind {
	DV_LOC_ZERO,			/* 0 */
	DV_LOC_CONST,			/* value */
	DV_LOC_REG,			/* register, then cut to `size` bytes */
	DV_LOC_MEM,			/* `size` bytes at guest address register + disp */
	DV_LOC_CURTHREAD,		/* curthread */
	DV_LOC_RAW,			/* raw argument `reg` of the rule (published sets only) */
	DV_LOC_DIFO,			/* result of DIFO `value`, run before any clause;
					   it sees the rule's raw arguments as arg0..9 */
	DV_LOC_FAULT			/* reading it is a fault, never garbage */
};
struct dv_loc {
	uint8_t kind;			/* enum dv_lockind */
	uint8_t reg;			/* enum dv_reg */
	uint8_t size;			/* 1, 2, 4, 8; 0 means 8 */
	uint8_t sign;			/* 1: sign-extend */
	int32_t disp;
	uint64_t value;
};
struct dv_argset { struct dv_loc arg[10]; };

enum dv_reg {
	DV_REG_RAX, DV_REG_RBX, DV_REG_RCX, DV_REG_RDX, DV_REG_RSI, DV_REG_RDI,
	DV_REG_RBP, DV_REG_RSP, DV_REG_R8, DV_REG_R9, DV_REG_R10, DV_REG_R11,
	DV_REG_R12, DV_REG_R13, DV_REG_R14, DV_REG_R15, DV_REG_RIP,
	DV_REG_RFLAGS, DV_REG_CS, DV_REG_CR3, DV_REG_GS_BASE,
	DV_REG_KERNEL_GS_BASE, DV_REG_FS_BASE, DV_NREG
};

/*
 * What happens at a site. Rules run in order; each on its own.
 *
 * A guard or selector that faults counts as "no" and is counted (rule_faults).
 * DIFOs of rules see the raw arguments; their variables are the program's, the
 * command keeps them apart by name. They fire no ERROR.
 */
enum dv_rulekind {
	DV_RULE_FIRE = 1,	/* guard -> selected probe fires with `args` */
	DV_RULE_STMT = 2,	/* run the guard DIFO for its effects; nothing fires. Also
				   before go, as soon as the site is armed */
	DV_RULE_RET = 3,	/* a function returns here (rsp points at the return
				   address): first the own probe as FIRE, then every
				   pending return saved for this rsp, newest first */
	DV_RULE_TAIL = 4,	/* a direct tail jump (rsp as at RET): save the own
				   probe as pending for this rsp */
	DV_RULE_UNTAIL = 5,	/* after a conditional one: it was not taken; the
				   newest pending for this rsp is dropped if it is
				   the own probe's */
	DV_RULE_GONE = 6,	/* the code that a group of sites is in is going (a
				   module is freed): none of them does anything any
				   more, for good. `probe` is the group. Also before
				   go; and `sel`, a DIFO, is run at go, when the sites
				   are armed: 0, or a fault, is "gone already" */
	DV_RULE_SWITCH = 7	/* threads are switched: raw arguments 0, the one that
				   leaves, and 1, the one that comes; for vtimestamp */
};
#define DV_MAXGROUP	1024u		/* groups are numbered from 1 */
/* Does any instruction load this built-in variable? */
static inline bool
dv_text_loads(const uint32_t *text, size_t n, uint32_t var)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (DIF_INSTR_OP(text[i]) == DIF_OP_LDGS && DIF_INSTR_INDEX(text[i]) == var)
			return true;
	return false;
}

struct dv_rule {
	uint32_t kind;
	uint32_t guard;			/* DIFO or DV_NONE: always */
	uint32_t raw;			/* argset of raw arguments, or DV_NONE */
	uint32_t args;			/* argset of the probe's arguments */
	uint32_t probe;			/* probe index or DV_NONE; with nselect: first
					   element in DV_SEC_SELECT */
	uint32_t nselect;		/* 0: no selection */
	uint32_t retval;		/* fbt return: 1 if args[1] is %rax of the
					   final return (pending ones too) */
	uint32_t pad;
	struct dv_loc sel;		/* its value picks select[probe + value] if
					   below nselect, else nothing fires */
};

struct dv_site {
	uint64_t addr;			/* guest virtual */
	uint32_t rule, nrule;
	uint32_t group;			/* what it goes with (DV_RULE_GONE), or 0: stays */
	uint32_t nbytes;		/* of `bytes` that are significant, 0..16 */
	uint8_t bytes[16];		/* what introspection saw there */
};

/*
 * A statement that is run at go, once, after all sites are armed and before BEGIN,
 * in the host context and in this order: what is known of the guest as it is then,
 * as values of variables. By then rules of the kind STMT run already, so no change
 * is missed: a statement that looks again after a store can take it back. One that
 * faults is passed over and counted (rule_faults).
 */
struct dv_start {
	uint32_t difo;			/* sees the raw arguments, as a guard does */
	uint32_t raw;			/* argset of constants */
};

struct dv_timer {
	uint32_t probe;
	uint32_t flags;			/* DV_TIMER_ALLVCPU: profile-n; else tick-n */
	uint64_t period;		/* ns, >= 200000 (5000 Hz) */
};
#define DV_TIMER_ALLVCPU	1u

enum dv_opt {
#define DV_OPT(name, text, type, dflt, flags) DV_OPT_##name,
#include "opts.def"
	DV_NOPT
};
enum { DV_BUFPOLICY_SWITCH, DV_BUFPOLICY_FILL, DV_BUFPOLICY_RING };
enum { DV_BUFRESIZE_AUTO, DV_BUFRESIZE_MANUAL };
#define DV_OPT_UNSET	(~(uint64_t)0)
static inline uint64_t
dv_opt_default(enum dv_opt opt)
{
	switch (opt) {
#define DV_OPT(name, text, type, dflt, flags) case DV_OPT_##name: return dflt;
#include "opts.def"
	default:
		return 0;
	}
}
#define DV_D_VERSION	"1.13"		/* of the language: bindings, -x version */
#define DV_D_VERSION_HEX 0x0100d000	/* the same: 8, 12 and 12 bits */

/* A checked view of a blob; pointers into it (borrowed). See core/prog.h. */
struct dv_prog {
	const struct dv_prog_hdr *hdr;
	const char *strs;		uint32_t nstrs;
	const uint32_t *text;		uint32_t ntext;
	const uint64_t *ints;		uint32_t nints;
	const char *difstrs;		uint32_t ndifstrs;
	const struct dv_var *vars;	uint32_t nvars;
	const struct dv_difo *difos;	uint32_t ndifos;
	const struct dv_aggdesc *aggs;	uint32_t naggs;
	const struct dv_act *acts;	uint32_t nacts;
	const struct dv_clause *clauses; uint32_t nclauses;
	const struct dv_probe *probes;	uint32_t nprobes;
	const struct dv_ecbdesc *ecbs;	uint32_t necbs;
	const struct dv_argset *argsets; uint32_t nargsets;
	const struct dv_rule *rules;	uint32_t nrules;
	const uint32_t *select;		uint32_t nselect;
	const struct dv_site *sites;	uint32_t nsites;
	const struct dv_timer *timers;	uint32_t ntimers;
	const struct dv_start *starts;	uint32_t nstarts;
	const void *layout;		/* struct dv_layout or NULL */
	const void *unwind;		/* struct dv_unwind or NULL */
	const uint64_t *opts;		/* DV_NOPT of them */
};

#endif
