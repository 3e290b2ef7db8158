/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vm.h - one traced VM: its channel and what introspection knows of it. */
#ifndef DV_VM_H
#define DV_VM_H
#include "base/err.h"
#include "abi/dv_ctl.h"
#include "guest-introspect/gi.h"

struct dv_chan;				/* chan.h */

struct dv_vm {
	char name[64];
	struct dv_chan *chan;		/* NULL: a snapshot, or no guest */
	struct gi_kernel *kernel;	/* NULL: no guest */
	struct dv_ctl_info info;
	bool from_cache;
	struct dv_vm_mem *mem;		/* private to vm.c */
};

/*
 * Opens the VM that SPEC names; NULL: the only one that runs. Connects only;
 * dv_vm_introspect() looks into it.
 */
int  dv_vm_open(const char *spec, struct dv_err *err, struct dv_vm *ret);
/* An already open channel becomes a VM; owned by it, also on failure. */
void dv_vm_adopt(struct dv_chan *chan, const char *name, struct dv_vm *ret);

/*
 * Finds kernel, symbols, types and probes: from the cache of this build of the
 * kernel, or from the guest (then the cache is written). `wait_ns`: keep trying
 * so long while the guest has not got a kernel yet.
 */
int  dv_vm_introspect(struct dv_vm *vm, uint64_t wait_ns, struct dv_err *err);

/* A snapshot file instead of a running guest. */
int  dv_vm_open_snapshot(const char *path, struct dv_err *err, struct dv_vm *ret);
int  dv_vm_save_snapshot(struct dv_vm *vm, const char *path, struct dv_err *err);

void dv_vm_close(struct dv_vm *vm);

/*
 * The VMs of this host: calls fn for each with why == NULL if it can be
 * traced. Order: tcg guests, then other processes: QEMUs, and what else runs a VM
 * under KVM.
 */
struct dv_vm_listed {
	char name[64];
	const char *carrier;		/* "tcg", "kvm" or "-" */
	unsigned nvcpu;			/* 0: unknown */
	int pid;			/* of QEMU, 0: unknown */
	const char *sock;		/* control socket or NULL */
	const char *why;		/* why it cannot be traced, or NULL */
};
int  dv_vm_list(void (*fn)(void *arg, const struct dv_vm_listed *l), void *arg);
/* Opens one of them. */
int  dv_vm_open_listed(const struct dv_vm_listed *l, struct dv_err *err, struct dv_vm *ret);

#endif
