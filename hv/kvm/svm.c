/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svm.c - AMD: what lies in the VMCB only.
 *
 * Encrypted guests are told by their VMCB, in every kernel.
 *
 * The rest is for tests under QEMU's emulation of SVM (parameter tcg_svm), which differs
 * from processors in two ways. An INT3 of the guest is no #BP to it but a software
 * interrupt: so the intercept of those is set, and the exit is renamed. And without the
 * "next RIP" feature KVM may put a pending interrupt over a re-injected #BP: interrupts
 * are held back until it is delivered.
 */
#include "kvm/kvm.h"

bool dv_svm_shim;

/* struct vcpu_svm, which no header shows, begins with these two. */
struct svm_head {
	struct kvm_vcpu vcpu;
	struct vmcb *vmcb;
};

static struct vmcb *
vmcb_of(struct kvm_vcpu *v)
{
	return container_of(v, struct svm_head, vcpu)->vmcb;
}

bool
dv_svm_encrypted(struct kvm_vcpu *v)
{
	return dv_sym.svm && dv_vmcb_sev(&vmcb_of(v)->control) != 0;
}

void
dv_svm_arm(struct kvm_vcpu *v, bool on)
{
	struct vmcb *b;

	if (!dv_svm_shim || !dv_sym.svm)
		return;
	b = vmcb_of(v);
	if (on)
		__set_bit(INTERCEPT_INTn, (unsigned long *)b->control.intercepts);
	else
		__clear_bit(INTERCEPT_INTn, (unsigned long *)b->control.intercepts);
	b->control.clean &= ~1u;
}

/* int N other than int3: hand it on, as no processor would have asked. */
static void
other_int(struct kvm_vcpu *v, u8 nr)
{
	v->arch.interrupt.injected = true;
	v->arch.interrupt.soft = true;
	v->arch.interrupt.nr = nr;
}

void
dv_svm_before(struct kvm_vcpu *v)
{
	struct vmcb *b;
	u8 insn[2] = { 0xcc };
	bool missed;
	struct dv_vm *vm;
	gpa_t gpa;
	int idx;

	if (!dv_sym.svm || (v->guest_debug & ~0xfffffffful) == 0)
		return;
	b = vmcb_of(v);
	if ((v->guest_debug & KVM_GUESTDBG_BLOCKIRQ) != 0 && !v->arch.exception.injected) {
		v->guest_debug &= ~KVM_GUESTDBG_BLOCKIRQ;
		kvm_make_request(KVM_REQ_EVENT, v);
	}
	if (b->control.exit_code != SVM_EXIT_SWINT)
		return;
	rcu_read_lock();
	vm = dv_vm_find(v->kvm);
	if (vm != NULL) {
		idx = srcu_read_lock(&vm->srcu);
		gpa = dv_sym.kvm_mmu_gva_to_gpa_read(v, dv_regs_rip(v), NULL);
		if (gpa == INVALID_GPA || offset_in_page(gpa) > PAGE_SIZE - 2 ||
		    dv_mem_peek(vm, gpa, insn, 2, &missed) != 0)
			insn[0] = 0xcc;
		srcu_read_unlock(&vm->srcu, idx);
	}
	rcu_read_unlock();
	if (insn[0] == 0xcd) {
		other_int(v, insn[1]);
		b->control.exit_code = SVM_EXIT_INTR;	/* nothing to do */
	} else {
		b->control.exit_code = SVM_EXIT_EXCP_BASE + BP_VECTOR;
	}
}

void
dv_svm_reinjected(struct kvm_vcpu *v)
{
	if (dv_svm_shim && dv_sym.svm)
		v->guest_debug |= KVM_GUESTDBG_BLOCKIRQ;
}
