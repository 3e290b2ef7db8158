/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sym.h - functions of the host kernel that we look up by name. */
#ifndef DV_KVM_SYM_H
#define DV_KVM_SYM_H
#include "kvm/compat.h"

struct dv_syms {
#define DV_SYM(name, type) DV_SYM_(name, type)
#define DV_SYM_(name, type) typeof(type) name;
#define DV_SYM_PRIVATE(name, type) DV_SYM_(name, type)
#include "kvm/sym.def"
#undef DV_SYM_PRIVATE
#undef DV_SYM_
#undef DV_SYM
	struct kvm_x86_ops *ops;
	/* of ops, as they were when looked up */
	int (*handle_exit)(struct kvm_vcpu *, enum exit_fastpath_completion);
	bool svm;			/* AMD: struct vcpu_svm begins as svm.c says */
};
extern struct dv_syms dv_sym;

/*
 * Looks everything up. 0, or a negative errno, and one line in the log that names what
 * is missing. Again after KVM's modules may have been reloaded, while no VM is held.
 */
int dv_sym_resolve(void);

/*
 * Is it a VM's file? What it is depends on nothing that was looked up before. While
 * such a file is open, KVM's modules stay.
 */
bool dv_sym_is_vm(struct file *file);

#endif
