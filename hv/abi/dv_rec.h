/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dv_rec.h - records and aggregation entries, as they lie in buffers.
 *
 * Principal buffer: whole records, each 8-aligned, in the order written:
 *
 *	+------+------+-----------+-----------------------------+
 *	| epid | vm   | timestamp | data: clause's record_size  |
 *	| u32  | u32  | u64 ns    | bytes, fields at their      |
 *	+------+------+-----------+ actions' rec_off            |
 *
 * The size of a record follows from its EPID alone: sizeof(dv_rec) +
 * record_size of the ECB's clause, rounded up to 8. EPID 0 does not occur,
 * except as 4 bytes of zero fill before a ring's end (skip 8 bytes).
 *
 * Aggregation buffer: entries, each 8-aligned, in the order created:
 *
 *	+-------+------+------+--------+------+----------------+
 *	| aggid | size | hash | vm     | keys | value words    |
 *	| u32   | u32  | u32  | u32    |      | u64 each       |
 *	+-------+------+------+--------+------+----------------+
 *
 * size is that of the whole entry; keys at the offsets of the key actions,
 * relative to the byte after the header; the value at agg.value_off.
 */
#ifndef DV_REC_H
#define DV_REC_H
#include "dv_prog.h"

struct dv_rec {
	uint32_t epid;		/* ECB index + 1 */
	uint32_t vm;		/* which VM (0: the only one); the consumer's number */
	uint64_t timestamp;	/* host CLOCK_MONOTONIC, ns: of the firing, or of the commit */
};

struct dv_agg_entry {
	uint32_t aggid;		/* index into the program's aggregations */
	uint32_t size;
	uint32_t hash;
	uint32_t vm;
};

/*
 * A fault, told by the machine itself whether or not the program has an ERROR
 * clause: a record of this fixed size in the principal buffer of the CPU where
 * it happened. The records of ERROR clauses, if any, follow it.
 */
#define DV_EPID_FAULT	0xffffffffu
struct dv_fault_rec {
	uint32_t epid;		/* DV_EPID_FAULT */
	uint32_t vm;
	uint64_t timestamp;
	uint32_t failed;	/* EPID of the clause that was abandoned */
	uint32_t action;	/* from 1; 0: the predicate */
	uint32_t offset;	/* DIF offset in bytes */
	uint32_t fault;		/* enum dv_dif_fault */
	uint64_t addr;		/* BADADDR: the address; else 0 */
};

/*
 * What one switch yields: the inactive half of a buffer in the shared region.
 * Counters are totals since go, not differences.
 */
struct dv_snap {
	uint64_t off;		/* of the data in the shared region */
	uint64_t len;		/* bytes of whole records or entries */
	uint64_t wrapped;	/* ring: offset in the half where the oldest record begins */
	uint64_t drops;		/* records that did not fit */
	uint64_t errors;	/* faults */
	uint64_t now;		/* host time of the switch, ns */
	uint64_t pending;	/* time of the oldest commit of which this CPU's part may
				   still come; ~0: there is none */
};

/* Totals of a state, read at statusrate and at the end. */
struct dv_status {
	uint64_t dyn_drops;		/* dynamic variable drops */
	uint64_t dyn_rinsing_drops;
	uint64_t dyn_dirty_drops;
	uint64_t spec_drops;		/* speculative drops */
	uint64_t spec_busy;		/* failed speculations: available buffer(s) still busy */
	uint64_t spec_unavail;		/* failed speculations: no speculative buffer available */
	uint64_t agg_drops;
	uint64_t principal_drops;
	uint64_t errors;		/* faults in clauses */
	uint64_t dblerrors;		/* faults in ERROR clauses */
	uint64_t rule_drops;		/* pending returns given up: no room, or stack left */
	uint64_t rule_faults;		/* a rule's guard, selector or return slot could not be
					   read: its probe, if any, did not fire */
	uint64_t fired;			/* firings of ECBs, predicate included or not */
	uint32_t exiting;		/* exit() was called */
	uint32_t killed;		/* aborted: it starved the guest */
	int64_t  exit_status;
	uint32_t halts;			/* how often panic() or breakpoint() stopped the guest */
	uint32_t halt_epid;		/* of the last time: whose clause, */
	uint32_t halt_action;		/* DV_ACT_PANIC or DV_ACT_BREAKPOINT */
	uint32_t pad2;
	uint32_t filled;		/* bufpolicy=fill: a buffer is full, tracing may end */
	uint32_t stale_sites;		/* left out: other instructions are there now */
};

#define DV_QUANT_NBUCKETS	127	/* -2^62.. 0 .. 2^63: bucket 63 is zero */
#define DV_QUANT_ZERO		63

/* lquantize parameters in one word: base (low 32, signed), step 16, levels 16. */
#define DV_LQUANT_PARAM(base, step, levels) \
	((uint64_t)(uint32_t)(base) | ((uint64_t)(step) << 32) | ((uint64_t)(levels) << 48))
#define DV_LQUANT_BASE(p)	((int32_t)(uint32_t)(p))
#define DV_LQUANT_STEP(p)	((uint16_t)((p) >> 32))
#define DV_LQUANT_LEVELS(p)	((uint16_t)((p) >> 48))
/* value words of lquantize: below base, levels, at or above the limit */
#define DV_LQUANT_NWORDS(p)	(DV_LQUANT_LEVELS(p) + 2u)

/* llquantize parameters: factor, low and high magnitude, steps: 16 bits each. */
#define DV_LLQUANT_PARAM(f, l, h, s) \
	((uint64_t)(f) | ((uint64_t)(l) << 16) | ((uint64_t)(h) << 32) | ((uint64_t)(s) << 48))
#define DV_LLQUANT_FACTOR(p)	((uint16_t)(p))
#define DV_LLQUANT_LOW(p)	((uint16_t)((p) >> 16))
#define DV_LLQUANT_HIGH(p)	((uint16_t)((p) >> 32))
#define DV_LLQUANT_STEPS(p)	((uint16_t)((p) >> 48))
/*
 * Value words of llquantize: below factor^low; then for each magnitude m from
 * low to high PER words; at or above factor^(high+1). Word k of magnitude m
 * begins at (k + steps / factor) * width, width = factor^(m+1) / steps, or, if
 * factor^(m+1) < steps, at factor^m + k (words that this leaves over stay 0).
 * With steps < factor word 0 begins at factor^m. factor^high is an int64; words
 * that would begin beyond one stay 0.
 */
#define DV_LLQUANT_PER(p)	\
	((uint32_t)DV_LLQUANT_STEPS(p) - DV_LLQUANT_STEPS(p) / DV_LLQUANT_FACTOR(p))
#define DV_LLQUANT_NWORDS(p)	\
	(((uint32_t)DV_LLQUANT_HIGH(p) - DV_LLQUANT_LOW(p) + 1u) * DV_LLQUANT_PER(p) + 2u)

/* factor to the power of e, or 0 where that is no int64. e <= 63. */
static inline uint64_t
dv_llquant_power(uint64_t factor, unsigned e)
{
	uint64_t v = 1;

	while (e-- > 0) {
		if (v > INT64_MAX / factor)
			return 0;
		v *= factor;
	}
	return v;
}

/* Width of a word of the magnitude that begins at lo; 0: factor * lo < steps. */
static inline uint64_t
dv_llquant_width(uint64_t param, uint64_t lo)
{
	uint64_t factor = DV_LLQUANT_FACTOR(param), steps = DV_LLQUANT_STEPS(param);

	if (steps % factor == 0)
		return lo / (steps / factor);
	return lo > UINT64_MAX / (factor / steps) ? UINT64_MAX : lo * (factor / steps);
}

/* 64-bit words of an aggregation's value; 0: no such function or parameters. */
static inline uint32_t
dv_agg_nwords(uint32_t func, uint64_t param)
{
	uint32_t f, l, h, s;

	switch (func) {
	case DV_AGG_COUNT:
	case DV_AGG_SUM:
	case DV_AGG_MIN:
	case DV_AGG_MAX:
		return 1;
	case DV_AGG_AVG:
		return 2;
	case DV_AGG_STDDEV:
		return 4;
	case DV_AGG_QUANTIZE:
		return DV_QUANT_NBUCKETS;
	case DV_AGG_LQUANTIZE:
		if (DV_LQUANT_STEP(param) == 0 || DV_LQUANT_LEVELS(param) == 0)
			return 0;
		return DV_LQUANT_NWORDS(param);
	case DV_AGG_LLQUANTIZE:
		f = DV_LLQUANT_FACTOR(param);
		l = DV_LLQUANT_LOW(param);
		h = DV_LLQUANT_HIGH(param);
		s = DV_LLQUANT_STEPS(param);
		if (f < 2 || l > h || h > 62 || s == 0 ||
		    (s % f != 0 && f % s != 0) || dv_llquant_power(f, h) == 0)
			return 0;
		return DV_LLQUANT_NWORDS(param);
	default:
		return 0;
	}
}

#endif
