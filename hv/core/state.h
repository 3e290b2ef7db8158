/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h - one consumer's enabling, loaded and running: the machine's public
 * interface to carriers.
 *
 * Life: sizes -> create (checks and links the blob) -> go -> fires, snaps,
 * cleans -> stop -> destroy. The memory is the carrier's: `priv` is read and
 * written by the machine alone, `shared` also holds the buffers that the
 * consumer maps read-only. Both are zeroed, 4096-aligned, and not moved.
 *
 * Contexts. PROBE: dv_fire* of a vCPU in that vCPU's own thread; never sleeps,
 * locks or allocates, except that it takes that vCPU's gate, which is contended
 * only during a switch or clean of that vCPU. CONTROL: everything else; calls
 * of CONTROL functions on one state are serialised by the carrier; they may
 * run while vCPUs fire.
 *
 * CPU numbers here: 0..nvcpu-1 are vCPUs, nvcpu is the host context.
 */
#ifndef DV_STATE_H
#define DV_STATE_H
#include "dv_prog.h"
#include "dv_rec.h"
#include "dv_layout.h"
#include "carrier.h"

struct dv_state;

/* Text for the one line that a refusal prints; no allocation. */
struct dv_reason {
	char text[200];
};

/*
 * Checks a blob as far as sizes need it (header, sections, options). Returns 0
 * or -1 with the reason, DV_STATE_TOOBIG if smaller buffers may do. Sizes are in
 * bytes, 4096-rounded.
 */
#define DV_STATE_TOOBIG	(-2)
int dv_state_sizes(const void *blob, size_t len, unsigned nvcpu,
		   size_t *priv, size_t *shared, struct dv_reason *why);

/*
 * Checks everything (sections, indices, every DIFO by the verifier, record
 * layouts, rules) and builds the state inside priv. The blob must stay in
 * place, unchanged, until destroy: the carrier owns a private copy.
 * `seed`: 64 random bits (address window base, rand()). Returns 0 or -1.
 */
int dv_state_create(const void *blob, size_t len, unsigned nvcpu,
		    void *priv, size_t priv_len, void *shared, size_t shared_len,
		    const struct dv_carrier *c, uint64_t seed,
		    struct dv_reason *why, struct dv_state **ret);

/* The checked view of the blob: sites to trap, timers to start. */
const struct dv_prog *dv_state_prog(const struct dv_state *s);

/*
 * All sites are armed. Finds out whose code has gone since they were chosen, runs
 * what is to be known from the start (DV_SEC_STARTS), fires BEGIN in the host context, then opens the state for all other firings.
 * `ctx` is a host context (vcpu -1). Context: CONTROL.
 */
void dv_state_go(struct dv_state *s, struct dv_ctx *ctx);

/*
 * Closes the state for all firings, waits (bounded: by each gate) for those in
 * progress, fires END in the host context. Context: CONTROL.
 */
void dv_state_stop(struct dv_state *s, struct dv_ctx *ctx);

/* A site was hit: runs its rules. Context: PROBE. */
void dv_fire(struct dv_state *s, struct dv_ctx *ctx, uint32_t site);

/* The code that the site was in is no more: what is there now is not its own. */
bool dv_site_gone(const struct dv_state *s, uint32_t site);

/*
 * A timer expired: fires its probe. tick-n: host context (CONTROL side,
 * serialised with go and stop). profile-n: PROBE context of each vCPU, or for a
 * halted one the CONTROL side with registers saved at its halt; arg0 = kernel
 * pc, arg1 = user pc, as DTrace's.
 */
void dv_fire_timer(struct dv_state *s, struct dv_ctx *ctx, uint32_t timer);

enum dv_which { DV_BUF_PRINCIPAL, DV_BUF_AGG };
/*
 * Switches a buffer of a CPU and describes its inactive half, which stays
 * unchanged until the next switch of the same buffer. With the policies fill
 * and ring a principal buffer is empty until stop. Context: CONTROL.
 */
int dv_snap(struct dv_state *s, unsigned cpu, enum dv_which which, struct dv_snap *ret);

/*
 * Cleaning of speculations and dynamic variables, and a look whether vCPUs still
 * get anything else done (deadman.c); call at cleanrate. CONTROL.
 */
void dv_clean(struct dv_state *s);

void dv_status(struct dv_state *s, struct dv_status *ret);

/*
 * Accounting of one ECB, in firings. Always, when no firing is in progress:
 *
 *	fired = recorded + norecord + dropped + faulted + speculated
 *	      + spec_dropped + spec_refused + spec_discarded
 *	      + agg_dropped + overwritten + after_exit
 *
 * A hit that begins after exit() or stop runs no rule, so it is no firing;
 * after_exit are the clauses left of hits that were in progress.
 */
struct dv_account {
	uint64_t fired;			/* predicate true or faulted, or none; or after exit */
	uint64_t untrue;		/* predicate false: no part of the equation */
	uint64_t recorded;		/* records in the principal buffer, commits of them too */
	uint64_t norecord;		/* ran to the end, nothing to record */
	uint64_t dropped;		/* did not fit the principal buffer, at a commit too */
	uint64_t faulted;
	uint64_t speculated;		/* in a speculation, not committed or discarded yet */
	uint64_t spec_dropped, spec_refused, spec_discarded;
	uint64_t agg_dropped;		/* nothing to record, and an aggregation had no room */
	uint64_t overwritten;		/* ring */
	uint64_t after_exit;		/* not run: exit() came first */
};
int dv_account(struct dv_state *s, uint32_t ecb, struct dv_account *ret);

/* Nothing to free (memory is the carrier's); forgets. NULL is allowed. */
void dv_state_destroy(struct dv_state *s);

#endif
