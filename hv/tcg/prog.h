/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prog.h - loaded programs of the tcg carrier: their sites, timers and life.
 *
 * All functions belong to the service thread, but for those marked.
 */
#ifndef DV_TCG_PROG_H
#define DV_TCG_PROG_H
#include "core/state.h"
#include "tcg/tcg.h"

struct dv_tcg_prog;

/*
 * Checks the blob and makes a program of it; on success owns blob (malloc'ed)
 * and answers with the shared region's fd, the caller's to close.
 */
enum dv_ctl_status dv_tprog_load(void *blob, size_t len, uint32_t pid,
				 struct dv_tcg_prog **ret, struct dv_ctl_loaded *l,
				 int *fd, struct dv_reason *why);

/*
 * Arms all sites, then fires BEGIN and opens the program. Refused if the
 * guest's kernel is of another generation; 0: any.
 */
enum dv_ctl_status dv_tprog_go(struct dv_tcg_prog *p, uint64_t generation,
			       struct dv_reason *why);

/* Nothing fires any more; END is done. Again: nothing. */
void dv_tprog_stop(struct dv_tcg_prog *p);

/* Stops and forgets; memory goes when no vCPU can be in it. */
void dv_tprog_unload(struct dv_tcg_prog *p);

int  dv_tprog_snap(struct dv_tcg_prog *p, unsigned cpu, unsigned which,
		   struct dv_snap *ret);
void dv_tprog_status(struct dv_tcg_prog *p, struct dv_status *ret);
int  dv_tprog_account(struct dv_tcg_prog *p, uint32_t ecb, struct dv_account *ret);

/* Fires what is due; returns when it wants to be called next (~0: never). */
uint64_t dv_tprog_poll(uint64_t now);

/* The guest's kernel went: no site is one any more. Any thread. */
void dv_tprog_sites_off(void);

/* Instruments the sites of a block. Translation, any vCPU's thread. */
void dv_tprog_trans(struct qemu_plugin_tb *tb, uint64_t va, size_t ninsn);

/* A callback or work of a vCPU runs: begins a flush that waits for one. */
void dv_tprog_callback(void);

/* Does a profile-n run, which needs the registers of halted vCPUs? Any thread. */
bool dv_tprog_profiles(void);

/* Is there anything that dv_tprog_trans would look for? Any thread. */
bool dv_tprog_any(void);

#endif
