/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim.h - a scripted fake guest inside a test program.
 *
 * It has RAM, page tables in that RAM, a direct map, per-CPU areas, tasks, and
 * N vCPUs whose registers the test sets. A hit is a function call; hits of
 * several vCPUs may come from as many threads. Linked into tests only.
 *
 *	sim = dv_sim_create(2, 4 << 20);
 *	task = dv_sim_task(sim, 42, 42, "sh", 0);
 *	dv_sim_current(sim, 0, task);
 *	b->layout = *dv_sim_layout(sim);		(dv_progb)
 *	dv_sim_load(sim, blob, len, &why);
 *	dv_sim_go(sim);
 *	dv_sim_reg(sim, 0)[DV_REG_RDI] = 7;
 *	dv_sim_hit(sim, 0, site);
 *	dv_sim_stop(sim);
 *	data = dv_sim_snap(sim, 0, DV_BUF_PRINCIPAL, &snap);
 *	dv_sim_destroy(sim);
 *
 * Running out of memory, or of the guest's RAM, ends the test program.
 */
#ifndef DV_SIM_H
#define DV_SIM_H
#include "core/state.h"

struct dv_sim;

struct dv_sim *dv_sim_create(unsigned nvcpu, size_t ram);
void dv_sim_destroy(struct dv_sim *sim);

/* The guest's memory. Direct-map addresses: DV_SIM_PAGE_OFFSET + physical. */
#define DV_SIM_PAGE_OFFSET	0xffff888000000000ull
#define DV_SIM_TEXT		0xffffffff81000000ull	/* 64 KiB mapped, zeros */
uint64_t dv_sim_alloc(struct dv_sim *sim, size_t len);	/* 16-aligned; its direct-map address */
uint64_t dv_sim_page(struct dv_sim *sim);		/* a page; physical */
/* Maps a page. root 0: the kernel's. */
void dv_sim_map(struct dv_sim *sim, uint64_t root, uint64_t va, uint64_t pa);
/* Clears, then sets bits of the last entry of a mapping. */
void dv_sim_protect(struct dv_sim *sim, uint64_t root, uint64_t va, uint64_t clear, uint64_t set);
void dv_sim_unmap(struct dv_sim *sim, uint64_t root, uint64_t va);
/* Writes or reads through the page tables; both end the program on a hole. */
void dv_sim_write(struct dv_sim *sim, uint64_t root, uint64_t va, const void *p, size_t len);
void dv_sim_read(struct dv_sim *sim, uint64_t root, uint64_t va, void *p, size_t len);
void dv_sim_write64(struct dv_sim *sim, uint64_t va, uint64_t v);
void *dv_sim_ram(struct dv_sim *sim, size_t *len);

/* Tasks. parent: a task or 0. The first one made is init_task. */
uint64_t dv_sim_task(struct dv_sim *sim, uint32_t pid, uint32_t tgid, const char *comm,
		     uint64_t parent);
/* Gives a task a user half; returns its root for dv_sim_map(). */
uint64_t dv_sim_mm(struct dv_sim *sim, uint64_t task);
void dv_sim_cred(struct dv_sim *sim, uint64_t task, uint32_t uid, uint32_t gid);
void dv_sim_current(struct dv_sim *sim, unsigned vcpu, uint64_t task);
void dv_sim_preempt_count(struct dv_sim *sim, unsigned vcpu, uint32_t count);
const struct dv_layout *dv_sim_layout(const struct dv_sim *sim);
uint64_t *dv_sim_reg(struct dv_sim *sim, unsigned vcpu);	/* DV_NREG of them */

/*
 * Files (vfs.c). dv_sim_vfs() comes first; without it the guest has none. A
 * parent, mount or dentry of 0 is the thing itself: a root. A made-up name is
 * what the function at `dname` would say. dv_sim_mount() returns a struct
 * vfsmount; dv_sim_path() a struct path.
 */
enum {
	DV_SIM_DNAME_PIPE = 0x1000, DV_SIM_DNAME_SOCK, DV_SIM_DNAME_SIMPLE, DV_SIM_DNAME_NS,
	DV_SIM_DNAME_ANON, DV_SIM_DNAME_PIDFS, DV_SIM_DNAME_OTHER
};
void dv_sim_vfs(struct dv_sim *sim);
uint64_t dv_sim_dentry(struct dv_sim *sim, const char *name, uint64_t parent);
void dv_sim_unlink(struct dv_sim *sim, uint64_t dentry);
void dv_sim_reparent(struct dv_sim *sim, uint64_t dentry, uint64_t parent);
uint64_t dv_sim_made_up(struct dv_sim *sim, const char *name, uint64_t dname, uint64_t ino);
uint64_t dv_sim_mount(struct dv_sim *sim, uint64_t root, uint64_t on_mnt, uint64_t on_dentry);
uint64_t dv_sim_path(struct dv_sim *sim, uint64_t mnt, uint64_t dentry);
void dv_sim_chroot(struct dv_sim *sim, uint64_t task, uint64_t mnt, uint64_t dentry);

/* Clocks stand still at this value from now on; 0: the host's own again. */
void dv_sim_clock(struct dv_sim *sim, uint64_t now);

/* What the machine asked for: stops of the guest, ns of delays (no vCPU waits). */
unsigned dv_sim_halts(const struct dv_sim *sim);
uint64_t dv_sim_delayed(const struct dv_sim *sim);
/* The carrier can neither write nor stop the guest, for loads from now on. */
void dv_sim_bare(struct dv_sim *sim);

/* A carrier's control side. load: 0, or -1 with the reason. */
int dv_sim_load(struct dv_sim *sim, const void *blob, size_t len, struct dv_reason *why);
struct dv_state *dv_sim_state(struct dv_sim *sim);
void dv_sim_go(struct dv_sim *sim);
void dv_sim_stop(struct dv_sim *sim);
void dv_sim_clean(struct dv_sim *sim);
void dv_sim_unload(struct dv_sim *sim);
const uint8_t *dv_sim_snap(struct dv_sim *sim, unsigned cpu, enum dv_which which,
			   struct dv_snap *ret);
/* The shared region, as a consumer would map it. */
const uint8_t *dv_sim_shared(struct dv_sim *sim, size_t *len);

/* One hit, in the caller's thread. dv_sim_hit_at: of the site at an address. */
void dv_sim_hit(struct dv_sim *sim, unsigned vcpu, uint32_t site);
int dv_sim_hit_at(struct dv_sim *sim, unsigned vcpu, uint64_t addr);
void dv_sim_timer(struct dv_sim *sim, int vcpu, uint32_t timer);	/* vcpu -1: host */

/*
 * Runs `fn(sim, vcpu, i, arg)` n times on each vCPU, a thread each, which
 * start together; returns when all are done. `fn` may hit its own vCPU only.
 */
typedef void dv_sim_fn(struct dv_sim *sim, unsigned vcpu, unsigned i, void *arg);
void dv_sim_threads(struct dv_sim *sim, unsigned n, dv_sim_fn *fn, void *arg);

#endif
