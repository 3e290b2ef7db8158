/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kvm_host.h - what this host says of KVM: which processes run VMs, and whether
 * dvisor's kernel module is there.
 *
 * `root` is put before /proc, /sys, /dev and /lib: "" but in tests.
 */
#ifndef DV_KVM_HOST_H
#define DV_KVM_HOST_H
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Finds the file descriptor of a process that is a VM of KVM. Returns its number
 * there, or DV_E_NOENT: it has none, or has ended; DV_E_PERM: it may not be looked
 * into; DV_E_UNSUP: it has several. *nvcpu: vCPUs that it has made; may be NULL.
 */
int  kvm_vm_fd(const char *root, pid_t pid, unsigned *nvcpu, struct dv_err *err);

/*
 * Is the module loaded, ours to use, and of this version? 0, or DV_E_NOENT,
 * DV_E_PERM, DV_E_UNSUP, DV_E_IO; the text says what to do.
 */
int  kvm_module_check(const char *root, struct dv_err *err);

/* Opens the module's device: a file descriptor, or as kvm_module_check. */
int  kvm_device_open(const char *root, struct dv_err *err);

#endif
