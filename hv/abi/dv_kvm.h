/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dv_kvm.h - the character device of the kernel module, /dev/dvisor.
 *
 * One open file is one consumer of one VM: DV_KVM_ATTACH binds it, once, to
 * the VM; after that DV_KVM_CALL carries the messages of dv_ctl.h, and a mapping
 * of the file shows the buffers of the program that it has loaded. Several files
 * may be bound to one VM, and to several VMs at once.
 *
 * Tracing ends when the file is released, whoever held it last, and when no
 * call was made for DV_CTL_DEAD_NS while a program is loaded; ten times that if the
 * process that bound the file would run, but gets no processor. Calls of one file are
 * served one at a time.
 *
 * mmap: offset 0, length dv_ctl_loaded.shared_len, after LOAD: the program's
 * shared region, read-only for ever: PROT_WRITE is refused, now and by mprotect. A
 * mapping stays valid after UNLOAD, it just changes no more.
 */
#ifndef DV_KVM_H
#define DV_KVM_H
#include "dv_types.h"
#include "dv_ctl.h"
#include <linux/ioctl.h>

#define DV_KVM_DEVICE	"/dev/dvisor"

/*
 * Binds the file to a VM. Returns 0, or -1 with errno, and then `why` is one line of
 * text, NUL-terminated (except EFAULT, ENOTTY):
 *
 *	EPROTO		version is not the module's, which is put in its place
 *	EINVAL		flags are not 0, or vm_fd is no VM of KVM
 *	EBADF		vm_fd is not open
 *	EBUSY		the file is bound already
 *	EOPNOTSUPP	a VM whose memory the host may not read (SEV, TDX,
 *			guest_memfd), or another kind that is not traced
 *	ESRCH		the VM's process is ending
 *	ENOMEM
 */
struct dv_kvm_attach {
	uint32_t version;		/* DV_CTL_VERSION */
	int32_t vm_fd;			/* of the caller: QEMU's kvm-vm, by pidfd_getfd(2) */
	uint64_t flags;			/* 0 */
	char why[208];			/* out, when it fails */
};

/*
 * One request of dv_ctl.h and its answer. In: hdr (magic, type, seq, len of the
 * body), body, answer, answer_room. Out: hdr.status, hdr.len: the answer's length;
 * magic, type and seq are left alone. body and answer are user addresses of
 * hdr.len and answer_room bytes; they may overlap.
 *
 * Returns 0 when there is an answer, a failed one, too (hdr.status != 0: one line
 * of text, not terminated, cut to the room). Else -1 with errno:
 *
 *	EINVAL		bad magic, unknown type, a body of the wrong length, pad not
 *			0, or no room for the answer: the file is not bound, for that
 *			matter
 *	EFAULT		an address is not the caller's
 *	EINTR		a signal came before the request took effect
 *
 * Served: INFO READ LOAD GO STOP SNAP STATUS ACCOUNT PING UNLOAD CONT WAIT. HELLO is
 * DV_KVM_ATTACH's; RESUME is refused: this carrier holds no guest. READ may answer
 * EGUEST for RAM that the host has swapped out only after it tried to get it back.
 */
struct dv_kvm_call {
	struct dv_ctl_hdr hdr;
	uint64_t body;
	uint64_t answer;
	uint32_t answer_room;
	uint32_t pad;			/* 0 */
};

#define DV_KVM_IOC	0xd7
#define DV_KVM_ATTACH	_IOWR(DV_KVM_IOC, 0, struct dv_kvm_attach)
#define DV_KVM_CALL	_IOWR(DV_KVM_IOC, 1, struct dv_kvm_call)

_Static_assert(sizeof(struct dv_kvm_attach) == 224, "ABI");
_Static_assert(sizeof(struct dv_kvm_call) == 40, "ABI");

#endif
