/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tcg.h - what the files of the QEMU plugin know of each other.
 *
 * Threads: QEMU's vCPU threads run the callbacks that they are named for; one
 * service thread of ours (chan.c) does all else. QEMU's main thread only comes
 * in for install, guest reset, guest end and exit.
 */
#ifndef DV_TCG_H
#define DV_TCG_H
#include "abi/dv_ctl.h"
#include "abi/dv_prog.h"
#include "tcg/qemu_api.h"
#include "tcg/qemu_int.h"

#include <pthread.h>

/* Beyond enum dv_reg: what only the carrier itself reads. */
enum {
	DV_TCG_CR0 = DV_NREG, DV_TCG_CR4, DV_TCG_EFER, DV_TCG_NREG
};

/* Registers of a vCPU at one moment, for when it cannot be asked. */
struct dv_tcg_regs {
	uint64_t reg[DV_TCG_NREG];
};

struct dv_tcg_vcpu {
	/* the vCPU's own thread */
	struct qemu_plugin_register *handle[DV_TCG_NREG];
	GByteArray *bytes;
	unsigned index;
	uint64_t started;		/* its last CR3 load outside of long mode, ns; 0: none */
	uint32_t idle;			/* atomic: its thread waits */
	uint32_t snap_asked;		/* atomic: dv_vcpu_snap is on its way */
	/* under tcg.lock */
	void *cpu;			/* QEMU's CPUState; NULL: none. The vCPU's own
					   thread reads it without */
	struct dv_tcg_regs regs;	/* last known */
	bool regs_valid;
	uint64_t regs_seq;		/* grows with each */
} __attribute__((aligned(128)));

enum dv_tcg_hold { DV_HOLD_NONE, DV_HOLD_WANTED, DV_HOLD_HELD, DV_HOLD_OVER };

struct dv_tcg {
	qemu_plugin_id_t id;
	struct qemu_int q;
	bool has_cpus;			/* qemu_int_has_cpus */
	char name[64];
	int api;			/* plugin interface */
	unsigned max_vcpu;
	struct dv_tcg_vcpu vcpu[DV_CTL_MAXCPU];

	pthread_mutex_t lock;
	pthread_cond_t change;		/* of anything below, or a snapshot */
	enum dv_tcg_hold hold;		/* also read without the lock */
	uint64_t generation;
	uint32_t have_kernel;		/* also read without the lock */
	uint64_t kernel_rip, kernel_cr3, kernel_cr4, kernel_gs;
	unsigned kernel_vcpu;		/* which executed kernel_rip */
	uint32_t ending;		/* the guest ends: drain now. Also without */
};

extern struct dv_tcg tcg;

/* plugin.c */
void dv_plugin_register(qemu_plugin_id_t id);

/* vcpu.c */
void dv_vcpu_init(unsigned v);
void dv_vcpu_exit(unsigned v);
uint64_t dv_vcpu_reg(struct dv_tcg_vcpu *v, unsigned reg);
void dv_vcpu_save(struct dv_tcg_vcpu *v);
/*
 * Runs fn(cpu, data) in the vCPU's own thread, outside of guest code, soon: also
 * when it is halted or paused. False: there is no such way, or no such vCPU.
 */
bool dv_vcpu_run(struct dv_tcg_vcpu *v, qemu_cpu_fn fn, uint64_t data);
/* The same, while no vCPU runs anything. */
bool dv_vcpu_run_alone(struct dv_tcg_vcpu *v, qemu_cpu_fn fn, uint64_t data);
/* Has every vCPU save its registers; waits ns at most. Service thread. */
void dv_vcpu_snap_all(uint64_t ns);
unsigned dv_vcpu_count(void);
/* A wake-up can be lost; see vcpu.c. */
void dv_vcpu_kick(struct dv_tcg_vcpu *v);
void dv_vcpu_kick_all(void);
/* DV_GUEST_* bits. */
uint32_t dv_vcpu_state(void);

/*
 * regs.c: at a site, the offset of a register in the vCPU's object, or 0: not
 * known, ask dv_vcpu_reg(). Constant once learnt.
 */
enum { DV_REGS_LEARNING, DV_REGS_LEARNT, DV_REGS_NOT };
extern uint32_t dv_regs_learnt;		/* atomic */
extern int32_t dv_reg_place[DV_TCG_NREG];
void dv_regs_learn(struct dv_tcg_vcpu *v);	/* its thread, at a site */

/*
 * destr.c: for a probe's sake, in a vCPU's callback or work. `on` becomes 0 when
 * the trace ends; NULL: a probe in the host context, in the service thread.
 */
bool dv_tcg_can_halt(void);
void dv_tcg_halt(const uint32_t *on);		/* pauses the VM */
void dv_tcg_delay(uint64_t ns, const uint32_t *on);
/* Lets a paused VM run on: NULL, or why not. Service thread. */
const char *dv_tcg_cont(void);

/* guest.c: the life of the guest's kernel */
void dv_guest_trans(struct qemu_plugin_tb *tb, uint64_t va, size_t ninsn);
void dv_guest_info(struct dv_ctl_info *info);
bool dv_guest_held(void);
void dv_guest_release(void);
void dv_guest_reset(void);

/* chan.c: socket and service thread */
int  dv_chan_listen(const char *path);
int  dv_chan_start(void);
void dv_chan_wake(void);		/* something changed. Any thread */
void dv_chan_end(uint64_t ns);		/* let the consumers drain, ns at most */
void dv_chan_close(void);		/* the process ends */

uint64_t dv_tcg_now(void);		/* CLOCK_MONOTONIC, ns */
void dv_tcg_wait(uint64_t when);	/* for tcg.change, tcg.lock held */

#endif
