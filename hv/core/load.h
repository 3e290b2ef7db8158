/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load.h - every access of a firing to guest and tracer memory. */
#ifndef DV_LOAD_H
#define DV_LOAD_H
#include "mstate.h"

enum dv_how {
	DV_KERNEL,			/* tracer memory or the guest's kernel half */
	DV_USER,			/* the guest's user half, through curthread->mm */
	DV_TRACER			/* tracer memory alone */
};

/* Functions that return int: 0, or -1 with the fault in ms. */

/*
 * Guest memory that the machine looks at on its own, where nothing there is no
 * fault: 0, or -1 and no fault. The kernel's half; that of the thread.
 */
int dv_peek(struct dv_mstate *ms, uint64_t addr, void *buf, size_t len);
int dv_peek_user(struct dv_mstate *ms, uint64_t addr, void *buf, size_t len);

/* Host address of `len` bytes of tracer memory, or NULL (no fault set). */
uint8_t *dv_tmem(struct dv_mstate *ms, uint64_t addr, uint64_t len, bool write);

int dv_load(struct dv_mstate *ms, uint64_t addr, void *buf, size_t len, enum dv_how how);

/*
 * A string of at most `max` - 1 bytes, copied to buf (max bytes) and
 * terminated. Its length goes to *len.
 */
int dv_load_str(struct dv_mstate *ms, uint64_t addr, char *buf, size_t max,
		enum dv_how how, size_t *len);

/*
 * A string of at most strsize - 1 bytes, to be looked at during one
 * instruction: tracer memory in place (by its length, it may lose its NUL to
 * another CPU), guest memory copied to tmp[slot]. NULL: fault.
 */
const char *dv_str_view(struct dv_mstate *ms, uint64_t addr, unsigned slot, size_t *len);

/* Scratch of this CPU, 8-aligned. NULL: no room, fault set. */
uint8_t *dv_scratch(struct dv_mstate *ms, uint64_t len, uint64_t *addr);

/* Register of the trapped vCPU, read once per hit. */
uint64_t dv_reg(struct dv_mstate *ms, unsigned reg);

/* curthread; 0 in the host context without a guest. */
int dv_curthread(struct dv_mstate *ms, uint64_t *ret);
/* The guest's number and per-CPU base of the trapped CPU. */
int dv_cpu_find(struct dv_mstate *ms);
/* A field of a kernel object, through the direct map where that is possible. */
int dv_field(struct dv_mstate *ms, uint64_t obj, uint32_t off, void *buf, size_t len);
/* Page-table root of curthread->mm; -1: there is none, perhaps with a fault. */
int dv_user_root(struct dv_mstate *ms, uint64_t *ret);
/* Interrupt level: 0 none, 1 softirq, 2 hardirq, 3 NMI. */
int dv_level(struct dv_mstate *ms, uint32_t *ret);

/* Argument n of the probe; DV_LOC_* evaluated on first use. */
int dv_arg(struct dv_mstate *ms, unsigned n, uint64_t *ret);
/* Raw argument n of the rule, whole. */
int dv_raw_arg(struct dv_mstate *ms, unsigned n, uint64_t *ret);
/* A location that needs no DIFO. `raw`: DV_LOC_RAW may be read. */
int dv_loc(struct dv_mstate *ms, const struct dv_loc *l, bool raw, uint64_t *ret);

#endif
