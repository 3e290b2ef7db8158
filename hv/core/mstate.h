/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mstate.h - the state of one firing.
 *
 * One per CPU, valid while its gate is held by dv_fire(). It is not cleared per
 * hit: each field says who sets it anew, and when.
 *
 * Tracer memory is reached through the window: a range of non-canonical
 * addresses, divided into regions of 4 GiB. dv_tmem() (load.c) is the only way
 * from a DIF value to a host pointer, and checks the region's bounds.
 */
#ifndef DV_MSTATE_H
#define DV_MSTATE_H
#include "dv_plat.h"
#include "dv_prog.h"
#include "carrier.h"

struct dv_state;
struct dv_cpu;

enum dv_region_id {
	DV_RG_NONE,			/* so that the base itself names nothing */
	DV_RG_SCRATCH,			/* of this CPU, the part in use */
	DV_RG_DIFSTRS,			/* string tables of the DIFOs, read-only */
	DV_RG_STRS,			/* names of probes and of the VM, read-only */
	DV_RG_GLOBALS,			/* by-reference globals */
	DV_RG_LOCALS,			/* by-reference clause-locals of this CPU */
	DV_RG_DYN,			/* keys and values of dynamic variables */
	DV_NREGION
};
#define DV_RG_SHIFT	32

struct dv_region {
	uint8_t *mem;
	uint64_t len;
	uint32_t write;
	uint32_t pad;
};

struct dv_tupkey {
	uint64_t val;
	uint64_t size;			/* by reference: bytes, strings at most */
	uint8_t byref;
	uint8_t string;
};

#define DV_NTLB	4
#define DV_UTLB	(1u << DV_NTLB)
struct dv_tlb { uint64_t vpage, ppage; };

/* A walk of the kernel's tables and what it found: load.c. */
struct dv_path {
	uint64_t vpage, ppage;
	uint32_t n;			/* steps; 0: none */
	uint32_t pad;
	struct { uint64_t at, val; } step[5];
};

struct dv_mstate {
	/* fixed at creation */
	struct dv_state *s;
	struct dv_cpu *cpu;
	struct dv_region region[DV_NREGION];

	/* set by fire.c at each hit */
	struct dv_ctx *ctx;
	struct dv_tlb ktlb[DV_NTLB], utlb;
	uint32_t tlb_have;		/* bit per entry of ktlb, and DV_UTLB */
	struct dv_path path[DV_NTLB];	/* kept from hit to hit */
	uint64_t wall;			/* walltimestamp, 0: not yet read */
	uint64_t scratch_floor;		/* kept between clauses: argument DIFOs' */
	uint32_t have;			/* DV_HAVE_* */
	uint32_t cpuno;			/* DV_HAVE_CPU: guest's CPU number */
	uint64_t pcpu;			/* DV_HAVE_CPU: its per-CPU base */
	uint64_t tls[3];		/* DV_HAVE_TLS: task, start_boottime, level */
	uint64_t delay;			/* ns that chill() asked for: after the hit */
	uint32_t halt;			/* panic(), breakpoint(): likewise */
	uint32_t walk_reads;		/* reads that walks of stacks took: stack.c */

	/* set by fire.c for each probe */
	const struct dv_probe *probe;	/* NULL while rules run */
	const struct dv_argset *raw;	/* or NULL: all zero */
	const struct dv_argset *args;	/* or NULL: only cached ones, others zero */
	uint64_t rawval[10], argval[10];
	uint32_t raw_have, arg_have, arg_bad;	/* bit per argument; bad: reading faults */
	uint32_t in_rule;		/* arg0..9 are the raw arguments */

	/* set by ecb.c for each clause */
	uint32_t epid;
	uint64_t strtok;		/* rest of strtok()'s string, window address */

	/* set by dif.c for each DIFO */
	uint32_t ntup;
	uint32_t fault;			/* enum dv_dif_fault; 0: none */
	uint32_t fault_off;		/* bytes of DIF */
	uint64_t fault_addr;
	struct dv_tupkey tup[DIF_MAXTUPLE];
};

/* timestamp: read once per hit. */
uint64_t dv_now(struct dv_mstate *ms);

#define DV_HAVE_CPU	1u
#define DV_HAVE_TLS	2u

static inline void
dv_fault(struct dv_mstate *ms, uint32_t fault, uint64_t addr)
{
	if (ms->fault == 0) {
		ms->fault = fault;
		ms->fault_addr = addr;
	}
}

#endif
