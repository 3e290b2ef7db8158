/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state_impl.h - the insides of a state, for the files of this folder.
 *
 * Everything here lies in the carrier's `priv` memory, carved once by state.c.
 * Fields are constant after creation unless they say who changes them.
 */
#ifndef DV_STATE_IMPL_H
#define DV_STATE_IMPL_H
#include "agg.h"
#include "buf.h"
#include "deadman.h"
#include "dynvar.h"
#include "gate.h"
#include "mstate.h"
#include "prog.h"
#include "spec.h"
#include "state.h"
#include "tail.h"
#include "vtime.h"

/*
 * What may fire:	LOADED nothing, BEGIN only BEGIN, ACTIVE everything,
 * EXITING nothing (exit() was called), END only END, STOPPED nothing.
 * exit() moves BEGIN or ACTIVE to EXITING; the control side moves the rest.
 */
enum dv_life {
	DV_LIFE_LOADED, DV_LIFE_BEGIN, DV_LIFE_ACTIVE, DV_LIFE_EXITING,
	DV_LIFE_END, DV_LIFE_STOPPED
};

/* A DIFO, linked: variables by their index in lvars, opcodes as in dif.h. */
struct dv_ldifo {
	const uint32_t *text;
	const uint64_t *ints;
	uint64_t strs;			/* window address of its string table */
	uint32_t of_arg0;		/* 1: a function of arg0 alone, without effects */
	uint32_t pad;
};

struct dv_lvar {
	uint64_t off;			/* by reference: in its region */
	uint32_t size;			/* by reference: bytes */
	uint32_t slot;			/* in gvals or lvals */
	uint8_t byref, string, array, scope;
};

struct dv_ecb {
	uint32_t probe;
	uint32_t pred;			/* DIFO or DV_NONE */
	const struct dv_act *acts;
	uint32_t nact;
	uint32_t flags;			/* DV_CL_* */
	uint32_t need;			/* bytes of its record, header included */
	uint32_t gaps;			/* fields do not cover the data: clear it first */
};

/* Totals of one CPU; written under its gate. */
struct dv_counts {
	uint64_t fired, errors, dblerrors, rule_drops, rule_faults;
	uint64_t dyn_drops, dyn_rinsing_drops, dyn_dirty_drops;
	uint64_t spec_drops, spec_busy, spec_unavail;
};

/* What a guard that depends on raw arg0 alone said last. */
#define DV_NMEMO	16
struct dv_memo {
	uint64_t arg0;
	uint32_t difo;			/* + 1; 0: empty */
	uint32_t yes;
};

/* ORC entries found last, by address of the instruction: stack.c. */
#define DV_ORCMEMO	8		/* log2 of their number */
struct dv_orcmemo {
	uint64_t ip, raw;		/* ip 0: none */
};

struct dv_cpu {
	_Alignas(64) struct dv_gate gate;
	uint32_t index;			/* nvcpu: the host context */
	uint64_t gs_base;		/* last seen, and whose it is */
	uint32_t gs_cpu;
	uint32_t pad;
	uint64_t rng;
	struct dv_buf buf;
	struct dv_aggbuf agg;
	struct dv_counts n;
	struct dv_account *acct;	/* per ECB */
	struct dv_sbuf *sbuf;		/* per speculation */
	uint8_t *tmp[3];		/* strsize bytes each: strings at work */
	uint8_t *aggkey;		/* keys of the entry at work */
	uint8_t *dynkey;		/* key of the dynamic variable at work */
	uint64_t *lvals;		/* clause-locals: of the probe that fires; and, */
	uint64_t *lvals_error;		/* with their memory, those of ERROR, in its place */
	uint8_t *locals_error;		/* while its clauses run */
	uint64_t scratch_size;
	struct dv_vcur vcur;
	uint64_t entered;		/* ns, of this hit; for vcur */
	uint64_t chill_since, chilled;	/* ns: an interval, and what was chilled in it */
	struct dv_memo memo[DV_NMEMO];	/* by DIFO */
	struct dv_orcmemo orc[1 << DV_ORCMEMO];
	struct dv_mstate ms;
	uint32_t found_busy;		/* the deadman's; control side alone */
};

struct dv_state {
	struct dv_prog prog;
	const struct dv_layout *lay;	/* NULL: no guest */
	const struct dv_unwind *unwind;	/* NULL: its stacks cannot be walked */
	struct dv_carrier c;
	uint32_t nvcpu, ncpu;
	uint32_t life;			/* enum dv_life; atomic */
	uint32_t nlocals;
	int64_t exit_status;		/* written by whom exit_claim let in */
	uint32_t exited;		/* exit_status is there; atomic */
	uint32_t exit_claim;		/* atomic */
	uint32_t halts;			/* of the guest, by us; atomic */
	uint64_t last_halt;		/* action << 32 | EPID; atomic */
	uint32_t strsize;
	uint32_t nspec;
	uint32_t vm;
	uint32_t policy;		/* DV_BUFPOLICY_* of principal buffers */
	uint64_t only;			/* vCPU whose probes have clauses; DV_OPT_UNSET: all */
	uint64_t specsize;
	uint64_t window;		/* its base address */
	uint64_t kernel_half;		/* first address of it */
	uint64_t page_offset;		/* of the direct map; all ones: not known yet */
	uint64_t user_end;
	uint8_t *shared;
	uint64_t bufsize, aggsize;	/* of a half, rounded to 8 */
	uint64_t cpu_shared;		/* bytes of a CPU's part of the shared region */
	uint64_t half_buf, half_agg;	/* the same, as they lie there */
	struct dv_ldifo *difos;
	struct dv_lvar *lvars;
	struct dv_ecb *ecbs;
	uint16_t *difo_args;		/* per argument set: bit per DV_LOC_DIFO */
	uint32_t *first;		/* per probe: its first ECB; one more at the end */
	uint32_t begin, end, error;	/* probes or DV_NONE */
	uint32_t *gone;			/* per group of sites, 1: it is dead; atomic */
	uint64_t *gvals;		/* globals: values, or 1 for a NULL reference */
	struct dv_spec *specs;		/* nspec; ids begin with 1 */
	struct dv_dynpool dyn;
	struct dv_deadman deadman;
	struct dv_tail tail;
	struct dv_vslot *vslots;	/* DV_VTIME_N; NULL: no vtimestamp in the program */
	struct dv_cpu *cpus;		/* ncpu */
};

/* Window address of byte `off` of a region. */
static inline uint64_t
dv_win(const struct dv_state *s, enum dv_region_id r, uint64_t off)
{
	return s->window + ((uint64_t)r << DV_RG_SHIFT) + off;
}

#endif
