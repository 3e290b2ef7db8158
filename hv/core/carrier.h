/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * carrier.h - what a carrier supplies to the probe machine.
 *
 * A carrier (kvm, tcg, gdb, sim) makes guest addresses stop, fills a probe
 * context and calls dv_fire() (state.h). Everything else is asked for lazily
 * through these entries.
 */
#ifndef DV_CARRIER_H
#define DV_CARRIER_H
#include "dv_types.h"
#include "dv_prog.h"

struct dv_ctx;

struct dv_carrier {
	/*
	 * Value of a guest register (enum dv_reg) of the trapped vCPU.
	 * Context: probe context, the vCPU's own thread. Cannot fail; an
	 * unknown register reads 0. Never called for the host context.
	 */
	uint64_t (*reg)(struct dv_ctx *ctx, unsigned reg);

	/*
	 * Copies len (1..4096, never across a page) bytes of guest-physical
	 * RAM. Returns 0, or -1 if any byte is not RAM or not at hand.
	 * Context: any context of the machine. Must not sleep, lock, or touch
	 * devices.
	 */
	int (*read_phys)(struct dv_ctx *ctx, dv_gpa_t at, void *buf, size_t len);

	/*
	 * Host CLOCK_MONOTONIC and CLOCK_REALTIME, ns. Context: any; dv_snap()
	 * asks with a context whose carrier_data is NULL.
	 */
	uint64_t (*clock)(struct dv_ctx *ctx);
	uint64_t (*wallclock)(struct dv_ctx *ctx);

	/*
	 * The destructive ones. A carrier may lack the first two: NULL, and a
	 * text that says why, with which a program that needs it is refused.
	 *
	 * write_phys: copies len (1..4096, never across a page) bytes to
	 * guest-physical RAM, as a store of the trapped vCPU would: translated
	 * code and dirty logs notice. Returns and context as read_phys().
	 */
	int (*write_phys)(struct dv_ctx *ctx, dv_gpa_t at, const void *buf, size_t len);
	const char *no_write;
	/*
	 * Stops all vCPUs; the trapped one goes no further than to the end of
	 * the code it is in. Who runs the VM resumes it. Context: the vCPU's
	 * own thread, or control for the host context; no gate held.
	 */
	void (*halt)(struct dv_ctx *ctx);
	const char *no_halt;
	/*
	 * Delays the trapped vCPU, or the host context, and nothing else, for
	 * so many ns. Context: as halt().
	 */
	void (*delay)(struct dv_ctx *ctx, uint64_t ns);
};

/*
 * A piece of guest RAM, the main one, that the machine may read through a
 * pointer instead of by read_phys(), with the same result.
 */
struct dv_ramwin {
	uint64_t gpa, len;		/* len 0: none */
	const uint8_t *mem;
};

/*
 * The probe context of one hit. The carrier sets the first part and keeps it
 * alive during the call; the rest is the machine's, which sets it anew at each
 * hit.
 */
struct dv_ctx {
	void *carrier_data;		/* the carrier's own */
	const struct dv_ramwin *ram;	/* or NULL. Constant during the call */
	int32_t vcpu;			/* 0..nvcpu-1, or -1: the host context */
	uint64_t rip;			/* address of the site (not read through reg()) */

	/* the machine's, valid during one hit */
	uint64_t reg_cache[DV_NREG];
	uint32_t reg_have;		/* bit per cached register */
	uint32_t cur_state;		/* curthread: 0 unknown, 1 known, 2 faulted */
	uint64_t curthread;
	uint64_t user_root;		/* page-table root of curthread->mm, 0 unknown */
	uint64_t now;			/* timestamp of this hit, 0: not yet read */
};

/* A host context: no vCPU, nothing of the guest. */
static inline void
dv_ctx_host(struct dv_ctx *ctx)
{
	*ctx = (struct dv_ctx){ .vcpu = -1 };
}

#endif
