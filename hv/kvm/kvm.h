/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kvm.h - what the files of the kernel module know of each other.
 *
 * Threads. A vCPU's own thread, inside KVM_RUN, comes in through the hooks (hook.c): it
 * fires probes and executes displaced instructions. A service thread for each open file
 * (chan.c) does all control: it uses the VM's mm, so that the machine's reads work
 * there, too. Everybody else only asks the service thread.
 *
 * Locks, outer first: a file's `lock` (calls); KVM's slots_lock; a VM's `lock` (traps,
 * programs); hook.c's. Under them nobody waits for a vCPU to do anything, only for it to
 * leave the guest. What a vCPU's thread reads is under the VM's SRCU.
 */
#ifndef DV_KVM_MOD_H
#define DV_KVM_MOD_H
#include "kvm/sym.h"
#include "dv_plat.h"
#include "abi/dv_kvm.h"
#include "core/state.h"

#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/srcu.h>

/* --- regs.c: registers of a vCPU that is loaded, in its own thread */

/* Beyond enum dv_reg: what only the carrier itself reads. */
enum {
	DV_KVM_CR0 = DV_NREG, DV_KVM_CR4, DV_KVM_EFER, DV_KVM_LSTAR, DV_KVM_NREG
};
u64  dv_regs_get(struct kvm_vcpu *v, unsigned reg);
u64  dv_regs_rip(struct kvm_vcpu *v);
void dv_regs_set_rip(struct kvm_vcpu *v, u64 rip);
/* Not in a nested guest, not in system management mode. */
bool dv_regs_proper(const struct kvm_vcpu *v);

/* --- a VM */

#define DV_MAXPROG	4
#define DV_TRAP_BITS	14

struct dv_vcpu {			/* by vcpu_idx */
	unsigned long user_debug;	/* guest_debug as user space set it; vCPU's thread */
	u32 work;			/* atomic: DV_WORK_* */
	u32 snap_seq;			/* atomic: grows with each snapshot */
	u64 snap[DV_KVM_NREG];		/* registers, as of the last one; torn reads are
					   possible, and checked by who uses them */
	u64 stale_pc, stale_gen;	/* trap.c; vCPU's thread */
};
enum { DV_WORK_SNAP = 1, DV_WORK_TIMER = 2 };

struct dv_ram;				/* mem.c */
struct dv_kprog;			/* prog.c */

struct dv_vm {
	struct kvm *kvm;		/* reference held */
	struct mm_struct *mm;		/* mm_count held */
	pid_t pid;
	struct kref ref;
	struct hlist_node node;		/* vm.c; RCU */
	struct srcu_struct srcu;
	struct dv_vcpu *vcpu;		/* KVM_MAX_VCPUS */
	struct dv_ram __rcu *ram;	/* replaced under ram_lock */
	struct mutex ram_lock;

	struct mutex lock;
	struct dv_kprog __rcu *prog[DV_MAXPROG];	/* published */
	DECLARE_HASHTABLE(traps, DV_TRAP_BITS);	/* by address; SRCU */
	DECLARE_HASHTABLE(pages, DV_TRAP_BITS);	/* the same, by page of their byte */
	struct list_head dead;			/* traps that nobody uses */
	u32 ntraps;
	u64 trap_gen;			/* atomic: grows when traps come or go */
	u64 given_up;			/* traps whose byte the guest took; atomic */
	/* memory whose logging began when the memory map had this generation; lock */
	u64 log_gen, log_gpa, log_len;
	u32 narmed;			/* programs with traps; lock */

	u32 armed;			/* atomic: vCPUs are to intercept #BP */
	u32 have_kernel;		/* atomic: a kernel was seen */
	u64 generation;			/* atomic */
	u64 logged;			/* the generation that began as traps went for a log of
					   writes; atomic */
	u64 seen_exits, seen_at;	/* vm.c: whether it is paused; atomic */
	u64 kernel_rip, kernel_cr3, kernel_cr4, kernel_gs;	/* lock */
};

/* vm.c */
/* Of the caller's file descriptor. 0, or a negative errno and the reason. */
int  dv_vm_get(int fd, struct dv_vm **ret, struct dv_reason *why);
void dv_vm_put(struct dv_vm *vm);
/* Under rcu_read_lock; NULL: not one of ours. */
struct dv_vm *dv_vm_find(const struct kvm *kvm);
/* The same with a reference, or NULL. */
struct dv_vm *dv_vm_find_get(const struct kvm *kvm);
bool dv_vm_dead(const struct dv_vm *vm);
/*
 * Puts the VM's memory under the calling kernel thread. False: the VM's process is gone.
 */
bool dv_vm_enter(struct dv_vm *vm);
void dv_vm_leave(struct dv_vm *vm);
/* One line of text; always `rc`. */
__printf(3, 4) int dv_vm_refuse(struct dv_reason *why, int rc, const char *fmt, ...);
unsigned dv_vm_count(const struct dv_vm *vm);	/* vCPUs */
/* Asks a vCPU's thread for work; it comes by soon unless it is in user space. */
void dv_vm_ask(struct dv_vm *vm, struct kvm_vcpu *v, u32 work);
/* A vCPU's thread came by. Atomic context, vCPU loaded, VM's SRCU and KVM's held. */
void dv_vm_work(struct dv_vm *vm, struct kvm_vcpu *v);
/* The guest's kernel went: nothing that was made for it fires. Any context. */
void dv_vm_gone(struct dv_vm *vm);
/* DV_GUEST_* bits. */
u32  dv_vm_state(struct dv_vm *vm);
/* The memory of a slot is about to be logged: traps go. QEMU's thread. */
void dv_vm_logged(struct dv_vm *vm, const struct kvm_memory_slot *slot);
unsigned dv_vm_room(const struct dv_vm *vm);	/* vCPUs that there may be */
/* Service thread, inside dv_vm_enter(). */
void dv_vm_info(struct dv_vm *vm, struct dv_ctl_info *ret);

/* hook.c */
int  dv_hook_init(void);
void dv_hook_exit(void);		/* no VM is held; waits for whoever is in our text */
/* Hooks on what vCPUs pass by; `all`: those that traps need, too. */
int  dv_hook_get(bool all, struct dv_reason *why);
void dv_hook_put(bool all);
/* Every vCPU intercepts #BP before it next executes anything of the guest. */
void dv_hook_arm(struct dv_vm *vm);
/*
 * No vCPU does so any more, after `armed` was set to 0, unless it is set again meanwhile.
 * Waits for those that run; no lock held.
 */
void dv_hook_disarm(struct dv_vm *vm);

/* --- mem.c: guest-physical memory, address space 0 */

/*
 * Looks at the VM's memory map anew if it has changed. Context: may sleep, the VM's mm.
 */
int  dv_mem_update(struct dv_vm *vm);
/* As carrier.h's read_phys: atomic. `missed`: the page is RAM, and not resident. */
int  dv_mem_peek(struct dv_vm *vm, u64 gpa, void *buf, size_t len, bool *missed);
/* May sleep, the VM's mm; any length. */
int  dv_mem_read(struct dv_vm *vm, u64 gpa, void *buf, size_t len);
/* As carrier.h's write_phys: atomic, a vCPU loaded, KVM's SRCU held. */
int  dv_mem_write(struct dv_vm *vm, u64 gpa, const void *buf, size_t len);
/*
 * Writes one byte of guest text. May sleep, the VM's mm. -EROFS: ROM; -EBUSY: writes to
 * this memory are being logged; -EFAULT: no RAM.
 */
int  dv_mem_poke(struct dv_vm *vm, u64 gpa, u8 byte);
/* 1, 2, 4 or 8 bytes in one access, within a page. May sleep. 0 or -1. */
int  dv_mem_load(struct dv_vm *vm, u64 gpa, unsigned size, u64 *val);
int  dv_mem_store(struct dv_vm *vm, u64 gpa, unsigned size, u64 val);
/* Fetches a page that dv_mem_peek() missed. May sleep. */
void dv_mem_touch(struct dv_vm *vm, u64 gpa);
u64  dv_mem_bytes(struct dv_vm *vm);
void dv_mem_fini(struct dv_vm *vm);
/* Walks x86-64 page tables; may sleep, the VM's mm. */
int  dv_mem_walk(struct dv_vm *vm, u64 root, unsigned levels, u64 va, u64 *gpa);

/* --- trap.c */

enum dv_trap_why {			/* why a site has no trap */
	DV_TRAP_OK, DV_TRAP_CHANGED, DV_TRAP_INSN, DV_TRAP_MEM, DV_TRAP_LOGGED, DV_TRAP_NOMEM
};
/* Lock held, the VM's mm. Address of the kernel half; the layout's page tables. */
enum dv_trap_why dv_trap_plant(struct dv_vm *vm, const struct dv_layout *l,
			       const struct dv_site *site);
/* Takes one user of the trap away. Lock held; VM's mm unless `gone`. */
void dv_trap_drop(struct dv_vm *vm, u64 addr, bool gone);
/* Frees what was dropped; waits for vCPUs in it. Lock held. */
void dv_trap_sweep(struct dv_vm *vm);
/* All out of memory, now; they stay until dropped. Lock held, the VM's mm. */
void dv_trap_out(struct dv_vm *vm);
/* Is one in this memory? Lock held. */
bool dv_trap_any(struct dv_vm *vm, u64 gpa, u64 len);
/*
 * As dv_mem_read(), with the guest's own bytes where traps are. -EAGAIN: these came and
 * went all the time.
 */
int  dv_trap_read(struct dv_vm *vm, u64 gpa, u8 *buf, size_t len);
/* A vCPU exited for an int3. Returns as handle_exit does. */
int  dv_trap_hit(struct dv_vm *vm, struct kvm_vcpu *v);

/* --- prog.c */

/*
 * Fires all sites at `pc`. The vCPU's thread, VM's SRCU held.
 */
void dv_kprog_hit(struct dv_vm *vm, struct kvm_vcpu *v, u64 pc);
/* Fires timers that are due on this vCPU. As dv_vm_work. */
void dv_kprog_timers(struct dv_vm *vm, struct kvm_vcpu *v);
/* No site fires any more. Any context. */
void dv_kprog_off(struct dv_vm *vm);

/* Service thread, inside dv_vm_enter() unless the VM is dead. */
enum dv_ctl_status dv_kprog_load(struct dv_vm *vm, void *blob, size_t len, u32 pid,
				 struct dv_kprog **ret, struct dv_ctl_loaded *l,
				 struct dv_reason *why);	/* owns blob on success */
enum dv_ctl_status dv_kprog_go(struct dv_kprog *p, u64 generation, struct dv_reason *why);
void dv_kprog_stop(struct dv_kprog *p);
void dv_kprog_unload(struct dv_kprog *p);
int  dv_kprog_snap(struct dv_kprog *p, u32 cpu, u32 which, struct dv_snap *ret);
void dv_kprog_status(struct dv_kprog *p, struct dv_status *ret);
int  dv_kprog_account(struct dv_kprog *p, u32 ecb, struct dv_account *ret);
/* When a timer is due next (~0: none), and fires what is. */
u64  dv_kprog_due(const struct dv_kprog *p);
void dv_kprog_poll(struct dv_kprog *p, u64 now);

/* The shared region: vmalloc_user()'s, and its length. */
void *dv_kprog_shared(const struct dv_kprog *p, size_t *len);

/* main.c: the machine found itself broken; nothing is loaded any more. */
bool dv_broken(void);

/* chan.c */
int  dv_chan_init(void);
void dv_chan_exit(void);

/* --- svm.c: what QEMU's emulation of SVM lacks; tests only */

extern bool dv_svm_shim;
void dv_svm_arm(struct kvm_vcpu *v, bool on);	/* vCPU loaded */
void dv_svm_before(struct kvm_vcpu *v);		/* an exit is about to be handled */
void dv_svm_reinjected(struct kvm_vcpu *v);
/* Memory that is encrypted, of this vCPU. */
bool dv_svm_encrypted(struct kvm_vcpu *v);

#endif
