/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compat.h - where host kernels differ, in what their headers say.
 *
 * KVM's structs are those of the kernel that the module is built for; the kernel
 * refuses a module of another version. All we know of them that moves is here.
 */
#ifndef DV_KVM_COMPAT_H
#define DV_KVM_COMPAT_H
#undef pr_fmt
#define pr_fmt(fmt) "dvisor: " fmt
#include <linux/ftrace.h>
#include <linux/kvm_host.h>
#include <linux/version.h>
#include <asm/svm.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#define dv_ftrace_arg(fregs, n)		ftrace_regs_get_argument(fregs, n)
#define dv_ftrace_redirect(fregs, to)	ftrace_regs_set_instruction_pointer(fregs, to)
#else
#define dv_ftrace_arg(fregs, n) \
	((n) == 0 ? (fregs)->regs.di : (n) == 1 ? (fregs)->regs.si : (fregs)->regs.dx)
#define dv_ftrace_redirect(fregs, to)	ftrace_instruction_pointer_set(fregs, to)
#endif

/* kvm_vcpu_kick() became a wrapper of a function with one more argument. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define DV_SYM_KICK	__kvm_vcpu_kick
#define DV_TYPE_KICK	void (*)(struct kvm_vcpu *, bool)
#define dv_kick(v)	dv_sym.__kvm_vcpu_kick(v, false)
#else
#define DV_SYM_KICK	kvm_vcpu_kick
#define DV_TYPE_KICK	void (*)(struct kvm_vcpu *)
#define dv_kick(v)	dv_sym.kvm_vcpu_kick(v)
#endif

/* The cached registers; RIP is no longer one of the array. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0)
#define DV_VCPU_RIP		VCPU_REG_RIP
#define DV_VCPU_CR0		VCPU_REG_CR0
#define DV_VCPU_CR3		VCPU_REG_CR3
#define DV_VCPU_CR4		VCPU_REG_CR4
#define DV_KVM_PRIVATE
#define dv_rip_field(v)		((v)->arch.rip)
#define dv_regs_avail(v)	((v)->arch.regs_avail)
#define dv_regs_dirty(v)	((v)->arch.regs_dirty)
#else
#define DV_VCPU_RIP		VCPU_REGS_RIP
#define DV_VCPU_CR0		VCPU_EXREG_CR0
#define DV_VCPU_CR3		VCPU_EXREG_CR3
#define DV_VCPU_CR4		VCPU_EXREG_CR4
#define dv_rip_field(v)		((v)->arch.regs[VCPU_REGS_RIP])
#define dv_regs_avail(v)	((unsigned long *)&(v)->arch.regs_avail)
#define dv_regs_dirty(v)	((unsigned long *)&(v)->arch.regs_dirty)
#endif

/* Kinds of VM whose memory KVM itself keeps from the host. */
static inline bool
dv_vm_is_private(struct kvm *kvm)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
	return kvm->arch.vm_type != KVM_X86_DEFAULT_VM;
#else
	return false;
#endif
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define dv_vma_never_write(vma)	vm_flags_clear(vma, VM_MAYWRITE)
#else
#define dv_vma_never_write(vma)	((vma)->vm_flags &= ~VM_MAYWRITE)
#endif

/* Bits of a VMCB that say that its guest is encrypted. */
#ifdef SVM_MISC_ENABLE_SEV
#define dv_vmcb_sev(c)	((c)->misc_ctl & (SVM_MISC_ENABLE_SEV | SVM_MISC_ENABLE_SEV_ES))
#else
#define dv_vmcb_sev(c)	\
	((c)->nested_ctl & (SVM_NESTED_CTL_SEV_ENABLE | SVM_NESTED_CTL_SEV_ES_ENABLE))
#endif

#endif
