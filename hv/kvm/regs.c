/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regs.c - registers of a vCPU, the carrier's way.
 *
 * KVM keeps general registers in memory and reads others when they are asked for
 * (cache_reg), from the VMCB or, on Intel, from the current VMCS: so only for a vCPU that
 * is loaded. All is read through kvm_x86_ops, which both vendors fill.
 */
#include "kvm/kvm.h"

/* enum dv_reg's first sixteen in the processor's numbering */
static const u8 gpr[16] = {
	[DV_REG_RAX] = VCPU_REGS_RAX, [DV_REG_RBX] = VCPU_REGS_RBX,
	[DV_REG_RCX] = VCPU_REGS_RCX, [DV_REG_RDX] = VCPU_REGS_RDX,
	[DV_REG_RSI] = VCPU_REGS_RSI, [DV_REG_RDI] = VCPU_REGS_RDI,
	[DV_REG_RBP] = VCPU_REGS_RBP, [DV_REG_RSP] = VCPU_REGS_RSP,
	[DV_REG_R8] = VCPU_REGS_R8, [DV_REG_R9] = VCPU_REGS_R9,
	[DV_REG_R10] = VCPU_REGS_R10, [DV_REG_R11] = VCPU_REGS_R11,
	[DV_REG_R12] = VCPU_REGS_R12, [DV_REG_R13] = VCPU_REGS_R13,
	[DV_REG_R14] = VCPU_REGS_R14, [DV_REG_R15] = VCPU_REGS_R15
};

static void
cached(struct kvm_vcpu *v, int reg)
{
	if (!test_bit(reg, dv_regs_avail(v)))
		dv_sym.ops->cache_reg(v, reg);
}

static u64
msr(struct kvm_vcpu *v, u32 index)
{
	struct msr_data m = { .host_initiated = true, .index = index };

	return dv_sym.ops->get_msr(v, &m) == 0 ? m.data : 0;
}

u64
dv_regs_rip(struct kvm_vcpu *v)
{
	cached(v, DV_VCPU_RIP);
	return dv_rip_field(v);
}

void
dv_regs_set_rip(struct kvm_vcpu *v, u64 rip)
{
	dv_rip_field(v) = rip;
	__set_bit(DV_VCPU_RIP, dv_regs_avail(v));
	__set_bit(DV_VCPU_RIP, dv_regs_dirty(v));
}

bool
dv_regs_proper(const struct kvm_vcpu *v)
{
	return (v->arch.hflags & (HF_GUEST_MASK | HF_SMM_MASK)) == 0;
}

u64
dv_regs_get(struct kvm_vcpu *v, unsigned reg)
{
	struct kvm_segment seg;

	switch (reg) {
	case DV_REG_RIP:
		return dv_regs_rip(v);
	case DV_REG_RFLAGS:
		return dv_sym.ops->get_rflags(v);
	case DV_REG_CS:
		dv_sym.ops->get_segment(v, &seg, VCPU_SREG_CS);
		return seg.selector;
	case DV_REG_CR3:
		cached(v, DV_VCPU_CR3);
		return v->arch.cr3;
	case DV_REG_GS_BASE:
		return dv_sym.ops->get_segment_base(v, VCPU_SREG_GS);
	case DV_REG_FS_BASE:
		return dv_sym.ops->get_segment_base(v, VCPU_SREG_FS);
	case DV_REG_KERNEL_GS_BASE:
		return msr(v, MSR_KERNEL_GS_BASE);
	case DV_KVM_CR0:
		cached(v, DV_VCPU_CR0);
		return v->arch.cr0;
	case DV_KVM_CR4:
		cached(v, DV_VCPU_CR4);
		return v->arch.cr4;
	case DV_KVM_EFER:
		return v->arch.efer;
	case DV_KVM_LSTAR:
		return msr(v, MSR_LSTAR);
	default:
		if (reg >= ARRAY_SIZE(gpr))
			return 0;
		if (reg == DV_REG_RSP)
			cached(v, VCPU_REGS_RSP);
		return v->arch.regs[gpr[reg]];
	}
}
