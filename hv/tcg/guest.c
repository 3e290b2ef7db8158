/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest.c - when a kernel comes, and when it goes.
 *
 * The command finds the guest's kernel by itself; all it needs is an address
 * that the kernel executed and page tables that map it. The first block at
 * 0xffffffff80000000 or above that is translated gets a callback; when it runs,
 * that is the hint, and blocks are left alone from then on. The page tables of
 * that moment are freed by a booted kernel, so a hint is given out with those
 * that a vCPU uses now, after a look whether they map what its gs points at.
 *
 * A kernel goes by reset or by kexec. Reset: the block of the reset vector
 * always has a callback, and QEMU's own reset hook is used where there is one.
 * Kexec: while a kernel is known, an instruction that loads CR3 from an address
 * in the lower half, in long mode at CPL 0, can only be the identity-mapped
 * code that leaves this kernel. Both make a new generation. Another vCPU that
 * the kernel brings up runs such code, too, but comes from real mode: it has
 * just loaded CR3 outside of long mode (the same holds for a resume).
 *
 * hold=on: the vCPU that executes the first kernel instruction waits in its
 * callback. It holds no lock of QEMU there, so monitor and signals work; but
 * QEMU waits for its vCPUs before it pauses or quits. So the vCPU leaves when
 * the VM is no longer to run, and while the hold lasts every block that is
 * translated has the callback: it comes back on the next instruction.
 */
#include "tcg/tcg.h"
#include "tcg/prog.h"
#include "tcg/ram.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define KERNEL_LOW	0xffffffff80000000ull
#define KERNEL_HIGH	0xffffffffff000000ull	/* vsyscall, user code, is above */
#define LOWER_HALF	(1ull << 47)
#define RESET_VECTOR	0xfffffff0ull
#define RESET_ALIAS	0xffff0ull
#define HOLD_POLL_NS	10000000ull
#define EFER_LMA	(1ull << 10)
#define PTI_USER	0x1000ull

static uint8_t *ram_base;		/* of RAM without a map; atomic */
static uint8_t *hint_host;		/* where the hint's block lies; atomic */

/* In user mode and in swapgs' shadow the kernel's gs is the other one. */
static uint64_t
regs_gs(const uint64_t *reg)
{
	return (reg[DV_REG_CS] & 3) == 0 && (int64_t)reg[DV_REG_GS_BASE] < 0 ?
		reg[DV_REG_GS_BASE] : reg[DV_REG_KERNEL_GS_BASE];
}

static bool
tables_map(uint64_t cr3, uint64_t cr4, uint64_t va)
{
	uint64_t gpa;

	return dv_ram_walk(dv_ram_get(), cr3, cr4, va, &gpa) == 0;
}

/*
 * Takes the kernel's page tables from a vCPU, wherever it is. With page-table
 * isolation CR3 may be a process' user half, which maps no kernel data; its
 * kernel half is the page before. The lock is held.
 */
static bool
tables_from(const struct dv_tcg_vcpu *v)
{
	const uint64_t *reg = v->regs.reg;
	uint64_t cr3 = reg[DV_REG_CR3], gs = regs_gs(reg);

	if (!v->regs_valid || (reg[DV_TCG_CR0] >> 31) == 0 ||
	    (reg[DV_TCG_EFER] & EFER_LMA) == 0)
		return false;
	if (gs != 0 && !tables_map(cr3, reg[DV_TCG_CR4], gs)) {
		cr3 &= ~PTI_USER;
		if (!tables_map(cr3, reg[DV_TCG_CR4], gs))
			return false;
	}
	tcg.kernel_cr3 = cr3;
	tcg.kernel_cr4 = reg[DV_TCG_CR4];
	tcg.kernel_gs = gs;
	return true;
}

static void
kernel_seen(struct dv_tcg_vcpu *v, uint64_t rip)
{
	uint8_t *base = __atomic_load_n(&ram_base, __ATOMIC_ACQUIRE);
	bool news = false;

	dv_vcpu_save(v);
	if (base != NULL && !qemu_int_has_map(&tcg.q))
		dv_ram_guess(base, v->regs.reg[DV_REG_CR3], v->regs.reg[DV_TCG_CR4], rip,
			     __atomic_load_n(&hint_host, __ATOMIC_ACQUIRE));
	pthread_mutex_lock(&tcg.lock);
	if ((v->regs.reg[DV_REG_CS] & 3) == 0) {
		v->regs.reg[DV_REG_RIP] = rip;
		if (!tcg.have_kernel) {
			tcg.kernel_rip = rip;
			tcg.kernel_vcpu = v->index;
			tcg.kernel_cr3 = v->regs.reg[DV_REG_CR3];
			tcg.kernel_cr4 = v->regs.reg[DV_TCG_CR4];
			tcg.kernel_gs = regs_gs(v->regs.reg);
			__atomic_store_n(&tcg.have_kernel, 1, __ATOMIC_RELEASE);
			news = true;
		}
	}
	pthread_cond_broadcast(&tcg.change);
	pthread_mutex_unlock(&tcg.lock);
	if (news)
		dv_chan_wake();
}

static void
hint_cb(unsigned n, void *data)
{
	if (n < DV_CTL_MAXCPU && !__atomic_load_n(&tcg.have_kernel, __ATOMIC_ACQUIRE))
		kernel_seen(&tcg.vcpu[n], (uint64_t)(uintptr_t)data);
}

/*
 * A QEMU that does not tell its memory map: where RAM begins follows from code
 * that runs without paging, at its own physical address (see ram.c).
 */
static void
low_cb(unsigned n, void *data)
{
	if (n < DV_CTL_MAXCPU && (dv_vcpu_reg(&tcg.vcpu[n], DV_TCG_CR0) >> 31) == 0)
		__atomic_store_n(&ram_base, data, __ATOMIC_RELEASE);
}

static void
hold_cb(unsigned n, void *data)
{
	uint64_t va = (uint64_t)(uintptr_t)data;

	if (n >= DV_CTL_MAXCPU)
		return;
	switch (__atomic_load_n(&tcg.hold, __ATOMIC_ACQUIRE)) {
	case DV_HOLD_WANTED:
		kernel_seen(&tcg.vcpu[n], va);
		if (!__atomic_load_n(&tcg.have_kernel, __ATOMIC_ACQUIRE))
			return;
		pthread_mutex_lock(&tcg.lock);
		if (tcg.hold == DV_HOLD_WANTED)
			__atomic_store_n(&tcg.hold, DV_HOLD_HELD, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&tcg.lock);
		dv_chan_wake();
		break;
	case DV_HOLD_HELD:
		break;
	default:
		return;
	}
	pthread_mutex_lock(&tcg.lock);
	while (tcg.hold == DV_HOLD_HELD &&
	       (tcg.q.running == NULL || tcg.q.running()))
		dv_tcg_wait(dv_tcg_now() + HOLD_POLL_NS);
	pthread_mutex_unlock(&tcg.lock);
}

#define START_NS	2000000000ull	/* a vCPU's way from real mode into the kernel */

static void
kernel_gone(void)
{
	unsigned i;

	pthread_mutex_lock(&tcg.lock);
	__atomic_store_n(&tcg.generation, tcg.generation + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&tcg.have_kernel, 0, __ATOMIC_RELEASE);
	tcg.kernel_rip = tcg.kernel_cr3 = tcg.kernel_cr4 = tcg.kernel_gs = 0;
	for (i = 0; i < DV_CTL_MAXCPU; i++)
		tcg.vcpu[i].regs_valid = false;
	pthread_cond_broadcast(&tcg.change);
	pthread_mutex_unlock(&tcg.lock);
	/* after that: a program that is published later finds the new number */
	dv_tprog_sites_off();
	dv_chan_wake();
}

static void
vector_cb(unsigned n, void *data)
{
	(void)data;
	if (n < DV_CTL_MAXCPU && (dv_vcpu_reg(&tcg.vcpu[n], DV_TCG_CR0) & 1) == 0 &&
	    (tcg.q.register_reset == NULL || tcg.generation == 0 ||
	     __atomic_load_n(&tcg.have_kernel, __ATOMIC_ACQUIRE)))
		kernel_gone();
}

static void
cr3_cb(unsigned n, void *data)
{
	struct dv_tcg_vcpu *v;

	(void)data;
	if (n >= DV_CTL_MAXCPU || !__atomic_load_n(&tcg.have_kernel, __ATOMIC_ACQUIRE))
		return;
	v = &tcg.vcpu[n];
	if ((dv_vcpu_reg(v, DV_REG_CS) & 3) != 0)
		return;
	if ((dv_vcpu_reg(v, DV_TCG_EFER) & EFER_LMA) == 0)
		v->started = dv_tcg_now();
	else if (v->started == 0 || dv_tcg_now() - v->started > START_NS)
		kernel_gone();
}

/* QEMU's reset hook: main thread. */
void
dv_guest_reset(void)
{
	if (__atomic_load_n(&tcg.have_kernel, __ATOMIC_ACQUIRE))
		kernel_gone();
}

static bool
loads_cr3(struct qemu_plugin_insn *insn)
{
	uint8_t b[4];
	size_t n = qemu_plugin_insn_size(insn), at = 0;

	if (n < 3 || n > 4 || qemu_plugin_insn_data(insn, b, n) != n)
		return false;
	if ((b[0] & 0xf0) == 0x40)
		at = 1;
	return n == at + 3 && b[at] == 0x0f && b[at + 1] == 0x22 &&
		(b[at + 2] & 0xf8) == 0xd8;
}

/* Translation: any vCPU's thread; reads nothing of the guest, waits for nothing. */
void
dv_guest_trans(struct qemu_plugin_tb *tb, uint64_t va, size_t ninsn)
{
	enum dv_tcg_hold hold = __atomic_load_n(&tcg.hold, __ATOMIC_ACQUIRE);
	bool kernel = va >= KERNEL_LOW && va < KERNEL_HIGH;
	struct qemu_plugin_insn *insn;

	if (!qemu_int_has_map(&tcg.q) && !__atomic_load_n(&tcg.have_kernel,
							  __ATOMIC_ACQUIRE)) {
		insn = qemu_plugin_tb_get_insn(tb, 0);
		if (kernel)
			__atomic_store_n(&hint_host, qemu_plugin_insn_haddr(insn),
					 __ATOMIC_RELEASE);
		else if (va < DV_RAM_LOWEND && __atomic_load_n(&ram_base,
							       __ATOMIC_ACQUIRE) == NULL)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, low_cb,
				QEMU_PLUGIN_CB_R_REGS,
				(uint8_t *)qemu_plugin_insn_haddr(insn) - va);
	}
	if (hold == DV_HOLD_HELD || (hold == DV_HOLD_WANTED && kernel)) {
		insn = qemu_plugin_tb_get_insn(tb, 0);
		qemu_plugin_register_vcpu_insn_exec_cb(insn, hold_cb,
						       QEMU_PLUGIN_CB_R_REGS,
						       (void *)(uintptr_t)va);
	} else if (kernel && !__atomic_load_n(&tcg.have_kernel, __ATOMIC_ACQUIRE)) {
		insn = qemu_plugin_tb_get_insn(tb, 0);
		qemu_plugin_register_vcpu_insn_exec_cb(insn, hint_cb,
						       QEMU_PLUGIN_CB_R_REGS,
						       (void *)(uintptr_t)va);
	}
	if (va == RESET_VECTOR || va == RESET_ALIAS) {
		insn = qemu_plugin_tb_get_insn(tb, 0);
		qemu_plugin_register_vcpu_insn_exec_cb(insn, vector_cb,
						       QEMU_PLUGIN_CB_R_REGS, NULL);
	}
	if (va < LOWER_HALF) {		/* a CR3 load ends its block */
		insn = qemu_plugin_tb_get_insn(tb, ninsn - 1);
		if (loads_cr3(insn))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, cr3_cb,
							       QEMU_PLUGIN_CB_R_REGS,
							       NULL);
	}
}

/* What INFO tells of the kernel and the vCPUs, from what was saved last. */
void
dv_guest_info(struct dv_ctl_info *info)
{
	unsigned i, n = dv_vcpu_count();
	bool found;

	info->state = dv_vcpu_state();
	pthread_mutex_lock(&tcg.lock);
	/* after a kexec, other vCPUs may still stand in the old kernel */
	found = !tcg.have_kernel || tables_from(&tcg.vcpu[tcg.kernel_vcpu]);
	for (i = 0; i < n; i++) {
		const struct dv_tcg_vcpu *v = &tcg.vcpu[i];

		if (!found)
			found = tables_from(v);
		if (i < sizeof(info->cpu) / sizeof(info->cpu[0]) && v->regs_valid) {
			info->cpu[i].cr3 = v->regs.reg[DV_REG_CR3];
			info->cpu[i].cr4 = v->regs.reg[DV_TCG_CR4];
			info->cpu[i].gs_base = v->regs.reg[DV_REG_GS_BASE];
			info->cpu[i].kernel_gs_base = v->regs.reg[DV_REG_KERNEL_GS_BASE];
			info->cpu[i].rip = v->regs.reg[DV_REG_RIP];
		}
	}
	info->generation = tcg.generation;
	info->kernel_rip = tcg.kernel_rip;
	info->kernel_cr3 = tcg.kernel_cr3;
	info->kernel_cr4 = tcg.kernel_cr4;
	info->kernel_gs = tcg.kernel_gs;
	pthread_mutex_unlock(&tcg.lock);
}

bool
dv_guest_held(void)
{
	return __atomic_load_n(&tcg.hold, __ATOMIC_ACQUIRE) == DV_HOLD_HELD;
}

/* Lets a held guest go. */
void
dv_guest_release(void)
{
	pthread_mutex_lock(&tcg.lock);
	if (tcg.hold == DV_HOLD_HELD)
		__atomic_store_n(&tcg.hold, DV_HOLD_OVER, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&tcg.change);
	pthread_mutex_unlock(&tcg.lock);
}
