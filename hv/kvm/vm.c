/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vm.c - a VM that is traced: how it is held, asked, and how its end is seen.
 *
 * A struct dv_vm stands for one VM of KVM, however many files are bound to it. It
 * holds a reference to KVM's struct and to the mm (not to what is mapped in it: a VM
 * whose process ends is not kept). Control enters that mm for a while each time; if it
 * cannot, the process is gone, its memory and vCPUs with it, and there is nothing to
 * put back.
 *
 * What only a vCPU's own thread can tell or do is asked of it: a bit in `work`, and a
 * kick. It comes by at its next entry, or, halted, on its way back to sleep:
 * KVM_REQ_UNBLOCK ends the sleep of its thread without the guest's vCPU waking up
 * (hook.c). A vCPU whose thread is in user space has its mutex free, and is looked at
 * from here.
 *
 * The guest's kernel is looked for by user space; all it needs is an address
 * in it, LSTAR, and page tables that map it. With page-table isolation those of a process
 * map that, too, and user space knows where the kernel's are. What gs holds need not be
 * mapped: from Linux 6.15 on it is a difference. A vCPU that boots without paging is a
 * guest that was reset: what was traced is gone.
 */
#include "kvm/kvm.h"

#include <linux/delay.h>
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/utsname.h>

#define SNAP_MS		200
#define PAUSE_NS	20000000ull
#define EFER_LMA_BIT	(1ull << 10)
#define KERNEL_LOW	0xffffffff80000000ull

static DEFINE_MUTEX(lock);		/* whose VMs there are */
static DEFINE_HASHTABLE(vms, 6);
static unsigned nvms;

int
dv_vm_refuse(struct dv_reason *why, int rc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vscnprintf(why->text, sizeof(why->text), fmt, ap);
	va_end(ap);
	return rc;
}

struct dv_vm *
dv_vm_find(const struct kvm *kvm)
{
	struct dv_vm *vm;

	hash_for_each_possible_rcu_notrace(vms, vm, node, (unsigned long)kvm)
		if (vm->kvm == kvm)
			return vm;
	return NULL;
}

struct dv_vm *
dv_vm_find_get(const struct kvm *kvm)
{
	struct dv_vm *vm = dv_vm_find(kvm);

	return vm != NULL && kref_get_unless_zero(&vm->ref) ? vm : NULL;
}

unsigned
dv_vm_count(const struct dv_vm *vm)
{
	return atomic_read(&vm->kvm->online_vcpus);
}

bool
dv_vm_dead(const struct dv_vm *vm)
{
	return atomic_read(&vm->mm->mm_users) == 0;
}

bool
dv_vm_enter(struct dv_vm *vm)
{
	if (!mmget_not_zero(vm->mm))
		return false;
	kthread_use_mm(vm->mm);
	return true;
}

void
dv_vm_leave(struct dv_vm *vm)
{
	kthread_unuse_mm(vm->mm);
	mmput(vm->mm);
}

/* --- held and let go */

static int
check_kind(struct kvm *kvm, struct dv_reason *why)
{
	unsigned i, n = atomic_read(&kvm->online_vcpus);
	struct kvm_vcpu *v;

	if (dv_vm_is_private(kvm))
		return dv_vm_refuse(why, -EOPNOTSUPP, "cannot trace the VM: its memory is private "
				    "(SEV, TDX or guest_memfd): the host cannot read it");
	for (i = 0; i < n; i++) {
		v = kvm_get_vcpu(kvm, i);
		if (v != NULL && (v->arch.guest_state_protected || dv_svm_encrypted(v)))
			return dv_vm_refuse(why, -EOPNOTSUPP, "cannot trace the VM: its memory is "
					    "encrypted (SEV): the host cannot read it");
	}
	return 0;
}

static struct dv_vm *
vm_make(struct kvm *kvm)
{
	struct dv_vm *vm = kvzalloc(sizeof(*vm), GFP_KERNEL_ACCOUNT);

	if (vm == NULL)
		return NULL;
	vm->vcpu = kvcalloc(KVM_MAX_VCPUS, sizeof(*vm->vcpu), GFP_KERNEL_ACCOUNT);
	if (vm->vcpu == NULL || init_srcu_struct(&vm->srcu) != 0) {
		kvfree(vm->vcpu);
		kvfree(vm);
		return NULL;
	}
	kref_init(&vm->ref);
	mutex_init(&vm->lock);
	mutex_init(&vm->ram_lock);
	INIT_LIST_HEAD(&vm->dead);
	hash_init(vm->traps);
	hash_init(vm->pages);
	vm->generation = 1;
	dv_sym.kvm_get_kvm(kvm);
	vm->kvm = kvm;
	mmgrab(kvm->mm);
	vm->mm = kvm->mm;
	vm->pid = kvm->userspace_pid;
	return vm;
}

/* `lock` held, by the last reference. */
static void
vm_free(struct kref *ref)
{
	struct dv_vm *vm = container_of(ref, struct dv_vm, ref);

	hash_del_rcu(&vm->node);
	nvms--;
	mutex_unlock(&lock);
	synchronize_rcu();
	synchronize_srcu(&vm->srcu);
	dv_mem_fini(vm);
	cleanup_srcu_struct(&vm->srcu);
	mmdrop(vm->mm);
	dv_sym.kvm_put_kvm(vm->kvm);
	kvfree(vm->vcpu);
	kvfree(vm);
}

void
dv_vm_put(struct dv_vm *vm)
{
	if (vm != NULL)
		kref_put_mutex(&vm->ref, vm_free, &lock);
}

static int
vm_get(struct kvm *kvm, struct dv_vm **ret, struct dv_reason *why)
{
	struct dv_vm *vm = dv_vm_find_get(kvm);
	int rc;

	if (vm == NULL) {
		/* nothing kept KVM from being reloaded until now */
		if (nvms == 0 && (rc = dv_sym_resolve()) != 0)
			return dv_vm_refuse(why, rc, "cannot trace VMs of this KVM; the kernel's "
					    "log says why");
		if ((rc = check_kind(kvm, why)) != 0)
			return rc;
		vm = vm_make(kvm);
		if (vm == NULL)
			return dv_vm_refuse(why, -ENOMEM, "out of memory");
		hash_add_rcu(vms, &vm->node, (unsigned long)kvm);
		nvms++;
	}
	*ret = vm;
	return 0;
}

int
dv_vm_get(int fd, struct dv_vm **ret, struct dv_reason *why)
{
	struct file *file = fget(fd);
	int rc;

	if (file == NULL)
		return dv_vm_refuse(why, -EBADF, "file descriptor %d is not open", fd);
	mutex_lock(&lock);
	if (!dv_sym_is_vm(file))
		rc = dv_vm_refuse(why, -EINVAL, "file descriptor %d is no VM of KVM", fd);
	else
		rc = vm_get(file->private_data, ret, why);
	mutex_unlock(&lock);
	fput(file);
	if (rc == 0 && dv_vm_dead(*ret)) {
		dv_vm_put(*ret);
		rc = dv_vm_refuse(why, -ESRCH, "the VM's process is ending");
	}
	return rc;
}

/* --- the guest's kernel comes and goes */

void
dv_vm_gone(struct dv_vm *vm)
{
	dv_add64(&vm->generation, 1);
	dv_kprog_off(vm);
}

/* A slot's memory is about to be logged. QEMU's thread. */
void
dv_vm_logged(struct dv_vm *vm, const struct kvm_memory_slot *slot)
{
	u64 gpa = gfn_to_gpa(slot->base_gfn), len = (u64)slot->npages << PAGE_SHIFT;
	bool out;

	mutex_lock(&vm->lock);
	out = dv_trap_any(vm, gpa, len);
	if (out)
		dv_trap_out(vm);
	vm->log_gpa = gpa;
	vm->log_len = len;
	vm->log_gen = __kvm_memslots(vm->kvm, 0)->generation;
	mutex_unlock(&vm->lock);
	if (out) {
		dv_store64(&vm->logged, dv_load64(&vm->generation) + 1);
		dv_vm_gone(vm);
		pr_info("writes to the memory of process %d are being logged (migration or "
			"snapshot): its traps are out\n", vm->pid);
	}
}

static bool
is_boot_cpu(const struct kvm_vcpu *v)
{
	return v->vcpu_id == v->kvm->arch.bsp_vcpu_id;
}

/* --- vCPUs */

void
dv_vm_ask(struct dv_vm *vm, struct kvm_vcpu *v, u32 work)
{
	atomic_or(work, (atomic_t *)&vm->vcpu[v->vcpu_idx].work);
	kvm_make_request(KVM_REQ_UNBLOCK, v);
	dv_kick(v);
}

static void
snap(struct dv_vcpu *vc, struct kvm_vcpu *v)
{
	unsigned i;

	for (i = 0; i < DV_KVM_NREG; i++)
		WRITE_ONCE(vc->snap[i], dv_regs_get(v, i));
	dv_add32(&vc->snap_seq, 1);
}

void
dv_vm_work(struct dv_vm *vm, struct kvm_vcpu *v)
{
	struct dv_vcpu *vc = &vm->vcpu[v->vcpu_idx];
	u32 work;

	if (unlikely((v->arch.cr0 & X86_CR0_PG) == 0) && is_boot_cpu(v)) {
		if (dv_load32(&vm->have_kernel) != 0) {
			dv_store32(&vm->have_kernel, 0);
			dv_vm_gone(vm);
		}
	}
	if (likely(READ_ONCE(vc->work) == 0))
		return;
	work = atomic_xchg((atomic_t *)&vc->work, 0);
	if (work & DV_WORK_SNAP)
		snap(vc, v);
	if (work & DV_WORK_TIMER)
		dv_kprog_timers(vm, v);
}

static bool
never_ran(const struct kvm_vcpu *v)
{
	return v->arch.mp_state == KVM_MP_STATE_UNINITIALIZED ||
		v->arch.mp_state == KVM_MP_STATE_INIT_RECEIVED;
}

/* In user space: nobody else touches it while we hold its mutex. */
static bool
snap_idle(struct dv_vm *vm, struct kvm_vcpu *v)
{
	if (!mutex_trylock(&v->mutex))
		return false;
	dv_sym.vcpu_load(v);
	snap(&vm->vcpu[v->vcpu_idx], v);
	dv_sym.vcpu_put(v);
	mutex_unlock(&v->mutex);
	return true;
}

/* Has every vCPU's registers noted, as far as they answer in time. */
static void
snap_all(struct dv_vm *vm)
{
	unsigned i, n = dv_vm_count(vm), ms;
	struct dv_reason why;
	u32 *seq = kvcalloc(n, sizeof(*seq), GFP_KERNEL);
	bool all = false;

	if (seq == NULL)
		return;
	if (dv_hook_get(false, &why) != 0) {
		kvfree(seq);
		return;
	}
	for (i = 0; i < n; i++)
		seq[i] = dv_load32(&vm->vcpu[i].snap_seq);
	for (ms = 0; !all && ms < SNAP_MS && !dv_vm_dead(vm); ms++) {
		all = true;
		for (i = 0; i < n; i++) {
			struct kvm_vcpu *v = kvm_get_vcpu(vm->kvm, i);

			if (v == NULL || dv_load32(&vm->vcpu[i].snap_seq) != seq[i] ||
			    snap_idle(vm, v))
				continue;
			if (ms % 16 == 0)
				dv_vm_ask(vm, v, DV_WORK_SNAP);
			all = false;
		}
		if (!all)
			usleep_range(500, 1000);
	}
	dv_hook_put(false);
	kvfree(seq);
}

/* In user mode and in swapgs' shadow the kernel's gs is the other one. */
static u64
snap_gs(const u64 *reg)
{
	return (reg[DV_REG_CS] & 3) == 0 && (s64)reg[DV_REG_GS_BASE] < 0 ?
		reg[DV_REG_GS_BASE] : reg[DV_REG_KERNEL_GS_BASE];
}

static bool
maps(struct dv_vm *vm, u64 cr3, u64 cr4, u64 va)
{
	u64 gpa;

	return dv_mem_walk(vm, cr3, (cr4 & X86_CR4_LA57) != 0 ? 5 : 4, va, &gpa) == 0;
}

static bool
tables_from(struct dv_vm *vm, const u64 *reg)
{
	if ((reg[DV_KVM_CR0] & X86_CR0_PG) == 0 || (reg[DV_KVM_EFER] & EFER_LMA_BIT) == 0 ||
	    reg[DV_KVM_LSTAR] < KERNEL_LOW ||
	    !maps(vm, reg[DV_REG_CR3], reg[DV_KVM_CR4], reg[DV_KVM_LSTAR]))
		return false;
	vm->kernel_rip = reg[DV_KVM_LSTAR];
	vm->kernel_cr3 = reg[DV_REG_CR3];
	vm->kernel_cr4 = reg[DV_KVM_CR4];
	vm->kernel_gs = snap_gs(reg);
	return true;
}

/*
 * All vCPUs' threads are in user space, and none has run since PAUSE_NS ago: one that does
 * I/O for its guest is back before. Races only make it later.
 */
static bool
is_paused(struct dv_vm *vm, bool out, u64 exits)
{
	u64 now = ktime_get_ns();

	if (!out || exits != dv_load64(&vm->seen_exits)) {
		dv_store64(&vm->seen_exits, exits);
		dv_store64(&vm->seen_at, now);
		return false;
	}
	return now - dv_load64(&vm->seen_at) >= PAUSE_NS;
}

u32
dv_vm_state(struct dv_vm *vm)
{
	unsigned i, n = dv_vm_count(vm), idle = 0, out = 0, ran = 0;
	u64 exits = 0;
	u32 state = 0;

	if (dv_vm_dead(vm))
		return DV_GUEST_ENDING;
	for (i = 0; i < n; i++) {
		struct kvm_vcpu *v = kvm_get_vcpu(vm->kvm, i);

		if (v == NULL || never_ran(v))
			continue;
		ran++;
		idle += READ_ONCE(v->stat.generic.blocking) != 0;
		out += !mutex_is_locked(&v->mutex);
		exits += READ_ONCE(v->stat.exits);
	}
	if (ran != 0 && idle == ran)
		state |= DV_GUEST_IDLE;
	if (is_paused(vm, ran != 0 && out == ran, exits))
		state |= DV_GUEST_PAUSED;
	if (READ_ONCE(vm->have_kernel) != 0)
		state |= DV_GUEST_KERNEL;
	if (dv_load64(&vm->logged) == dv_load64(&vm->generation))
		state |= DV_GUEST_LOGGED;
	return state;
}

/* Are all in user space at this moment? */
static bool
idle_looks(const struct dv_vm *vm)
{
	unsigned i, n = dv_vm_count(vm);

	for (i = 0; i < n; i++) {
		struct kvm_vcpu *v = kvm_get_vcpu(vm->kvm, i);

		if (v != NULL && mutex_is_locked(&v->mutex))
			return false;
	}
	return true;
}

void
dv_vm_info(struct dv_vm *vm, struct dv_ctl_info *ret)
{
	unsigned i, n = dv_vm_count(vm);
	bool found = false;

	(void)dv_mem_update(vm);
	snap_all(vm);
	ret->version = DV_CTL_VERSION;
	ret->carrier = DV_CARRIER_KVM;
	ret->nvcpu = n;
	ret->max_vcpu = dv_vm_room(vm);
	ret->qemu_pid = vm->pid;
	ret->ram_bytes = dv_mem_bytes(vm);
	snprintf(ret->name, sizeof(ret->name), "pid:%d", vm->pid);
	snprintf(ret->version_text, sizeof(ret->version_text), "KVM, Linux %.40s",
		 utsname()->release);
	mutex_lock(&vm->lock);
	for (i = 0; i < n && !found; i++)
		found = tables_from(vm, vm->vcpu[i].snap);
	if (found)
		dv_store32(&vm->have_kernel, 1);
	for (i = 0; i < n && i < ARRAY_SIZE(ret->cpu); i++) {
		const u64 *reg = vm->vcpu[i].snap;
		struct kvm_vcpu *v = kvm_get_vcpu(vm->kvm, i);

		ret->cpu[i] = (struct dv_ctl_cpu){
			.cr3 = reg[DV_REG_CR3], .cr4 = reg[DV_KVM_CR4],
			.gs_base = reg[DV_REG_GS_BASE],
			.kernel_gs_base = reg[DV_REG_KERNEL_GS_BASE],
			.rip = reg[DV_REG_RIP],
			.idle = v != NULL && READ_ONCE(v->stat.generic.blocking) != 0
		};
	}
	ret->generation = dv_load64(&vm->generation);
	if (found) {
		ret->kernel_rip = vm->kernel_rip;
		ret->kernel_cr3 = vm->kernel_cr3;
		ret->kernel_cr4 = vm->kernel_cr4;
		ret->kernel_gs = vm->kernel_gs;
	}
	mutex_unlock(&vm->lock);
	ret->state = dv_vm_state(vm);
	if (!idle_looks(vm))
		return;
	msleep(PAUSE_NS / 1000000 + 1);
	ret->state = dv_vm_state(vm);
}

#define LATE_VCPUS	8u

/*
 * How many vCPUs a program makes room for: QEMU says how many there may be; for
 * those not there yet only a few.
 */
unsigned
dv_vm_room(const struct dv_vm *vm)
{
	unsigned n = dv_vm_count(vm), max = vm->kvm->arch.max_vcpu_ids;

	if (max > n + LATE_VCPUS)
		max = n + LATE_VCPUS;
	return clamp_t(unsigned, max, n, DV_CTL_MAXCPU);
}
