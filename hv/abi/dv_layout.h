/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dv_layout.h - what the probe machine must know of a guest: offsets, as data.
 *
 * Made by introspection from the guest's own BTF and symbols
 * (guest-introspect/layout.c). An offset of DV_NO_OFF means that this guest
 * has no such thing: what needs it faults or reads 0, as documented with the
 * variable. Everything else is checked by the machine where it uses it.
 */
#ifndef DV_LAYOUT_H
#define DV_LAYOUT_H
#include "dv_types.h"
#include "dv_vfs.h"

#define DV_NO_OFF	0xffffffffu
#define DV_MAXCPU	256

struct dv_layout {
	uint32_t present;	/* 0: no guest (dtrace and tick probes only) */
	uint32_t pt_levels;	/* 4 or 5 */
	uint64_t kernel_root;	/* guest physical address of init_mm's page-table root */
	uint64_t page_offset;	/* guest virtual address of the direct map */
	/*
	 * Both may still change while the kernel boots, and CPUs may come: the
	 * machine reads them anew, from these variables, when it meets a
	 * per-CPU base that it does not know. 0: no such variable.
	 */
	uint64_t page_offset_sym;	/* page_offset_base */
	uint64_t pcpu_offset_sym;	/* __per_cpu_offset[] */
	uint64_t text_start;	/* kernel text, [start, end) */
	uint64_t text_end;
	uint64_t init_task;	/* guest virtual address of init_task */
	/* offsets from a CPU's per-CPU base (gs) */
	uint64_t pcpu_current;		/* struct task_struct *; may take more than 32 bits */
	uint64_t pcpu_preempt_count;	/* int; ~0 if none */
	uint32_t count_softirq;		/* bits of it that say so: serving a softirq, */
	uint32_t count_hardirq;		/* in a hardirq, */
	uint32_t count_nmi;		/* in an NMI */
	uint32_t pad;
	/* struct task_struct */
	uint32_t task_pid;		/* int, the thread */
	uint32_t task_tgid;		/* int, the process */
	uint32_t task_comm;		/* char[16] */
	uint32_t task_mm;		/* struct mm_struct * */
	uint32_t task_start_boottime;	/* u64 */
	uint32_t task_real_parent;	/* struct task_struct * */
	uint32_t task_cred;		/* const struct cred * */
	uint32_t task_flags;		/* unsigned int */
	uint32_t task_stack;		/* void * */
	uint32_t task_runtime;		/* u64: se.sum_exec_runtime, ns */
	uint32_t cred_uid;		/* u32 */
	uint32_t cred_gid;		/* u32 */
	uint32_t mm_pgd;		/* pgd_t *, direct-map address */
	uint32_t ptregs_size;		/* struct pt_regs */
	uint32_t stack_size;		/* THREAD_SIZE */
	uint32_t stack_pad;		/* bytes above pt_regs at the stack's top */
	struct dv_vfs vfs;
	uint32_t ncpu;			/* entries of pcpu_base in use */
	uint32_t early;			/* 1: page_offset is not final yet, do not use it */
	uint64_t pcpu_base[DV_MAXCPU];	/* copy of __per_cpu_offset[] */
};

#endif
