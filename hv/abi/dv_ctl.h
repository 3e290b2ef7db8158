/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dv_ctl.h - control messages between the command and a carrier's process.
 *
 * A stream (unix socket) of messages: this header, then `len` bytes of body.
 * Little-endian, 8-aligned structs. The command asks, the carrier answers each
 * request with one message of the same type and `seq`; body of a failed answer
 * (status != 0) is one line of text. A carrier closes the connection on a
 * malformed or oversized message. Closing the connection, or silence for
 * DV_CTL_DEAD_NS while a program is loaded, ends the tracing: probes off,
 * program forgotten.
 *
 *	HELLO	-> struct dv_ctl_hello; answers struct dv_ctl_info
 *	INFO	-> nothing; answers struct dv_ctl_info (a fresh one)
 *	READ	-> struct dv_ctl_read; answers the bytes; guest-physical RAM only
 *	LOAD	-> a blob (dv_prog.h); answers struct dv_ctl_loaded; the fd of the
 *		   shared region comes with it (SCM_RIGHTS)
 *	GO	-> struct dv_ctl_go; answers when BEGIN is done and all sites are armed
 *	STOP	-> nothing; answers when nothing can fire any more and END is done
 *	SNAP	-> struct dv_ctl_snapreq; answers struct dv_snap
 *	STATUS	-> nothing; answers struct dv_status
 *	ACCOUNT	-> u32 ecb, u32 0; answers struct dv_account's words
 *	PING	-> nothing: the heartbeat; answers struct dv_ctl_pong
 *	UNLOAD	-> nothing; answers when the program is forgotten
 *	RESUME	-> nothing: lets a guest go that was held at its first kernel
 *		   instruction (hold=on), or at its halt
 *	CONT	-> nothing: lets a paused guest run on; answers when it runs
 *	WAIT	-> struct dv_ctl_wait: answers when the guest has reached the state
 *		   or the time is over (status DV_CTL_TIMEOUT)
 */
#ifndef DV_CTL_H
#define DV_CTL_H
#include "dv_types.h"
#include "dv_rec.h"

#define DV_CTL_MAGIC	0x43445644u	/* "DVDC" */
#define DV_CTL_VERSION	3u
#define DV_CTL_MAXLEN	(256u << 20)	/* of a LOAD body; others: 1 MiB */
#define DV_CTL_MAXREAD	(1u << 20)
#define DV_CTL_DEAD_NS	1000000000ull

enum dv_ctl_type {
	DV_CTL_HELLO = 1, DV_CTL_INFO, DV_CTL_READ, DV_CTL_LOAD, DV_CTL_GO,
	DV_CTL_STOP, DV_CTL_SNAP, DV_CTL_STATUS, DV_CTL_ACCOUNT, DV_CTL_PING,
	DV_CTL_UNLOAD, DV_CTL_RESUME, DV_CTL_WAIT,
	DV_CTL_CONT
};
enum dv_ctl_status {
	DV_CTL_OK, DV_CTL_EPROTO, DV_CTL_EREFUSED, DV_CTL_EBUSY, DV_CTL_EGUEST, DV_CTL_TIMEOUT,
	DV_CTL_ENOMEM			/* LOAD: smaller buffers may fit */
};

struct dv_ctl_hdr {
	uint32_t magic;
	uint16_t type;
	uint16_t status;		/* answers: enum dv_ctl_status */
	uint32_t seq;
	uint32_t len;			/* of the body */
};

struct dv_ctl_hello { uint32_t version; uint32_t pid; };

struct dv_ctl_cpu {
	uint64_t cr3, cr4, gs_base, kernel_gs_base;
	uint64_t rip;			/* last known */
	uint32_t idle;			/* halted: runs no callback */
	uint32_t pad;
};
#define DV_CTL_MAXCPU	256
struct dv_ctl_info {
	uint32_t version;
	uint32_t carrier;		/* enum dv_ctl_carrier */
	uint32_t nvcpu, max_vcpu;
	uint32_t state;			/* DV_GUEST_* bits */
	uint32_t qemu_pid;
	uint64_t generation;		/* grows with each reset, kexec: look for the kernel anew */
	uint64_t kernel_rip;		/* a kernel address that was executed; 0: none yet */
	uint64_t kernel_cr3, kernel_cr4, kernel_gs;	/* of the vCPU that did */
	uint64_t ram_bytes;
	char name[64];
	char version_text[64];		/* of the carrier's program: "QEMU 10.0.2" */
	struct dv_ctl_cpu cpu[8];	/* the first eight */
};
enum dv_ctl_carrier {
	DV_CARRIER_HOST, DV_CARRIER_TCG, DV_CARRIER_KVM, DV_CARRIER_GDB, DV_CARRIER_SIM
};
#define DV_GUEST_HELD	1u	/* stopped by us at its first kernel instruction */
#define DV_GUEST_PAUSED	2u
#define DV_GUEST_IDLE	4u	/* all vCPUs halted */
#define DV_GUEST_KERNEL	8u	/* kernel_rip is valid */
#define DV_GUEST_ENDING	16u	/* its end waits (1 s at most) for SNAP, STOP, UNLOAD */
#define DV_GUEST_LOGGED	32u	/* generation grew as writes to memory began to be logged */

struct dv_ctl_pong { uint32_t state; uint32_t pad; uint64_t generation; };

struct dv_ctl_read { uint64_t gpa; uint64_t len; };
struct dv_ctl_loaded { uint64_t shared_len; uint32_t nvcpu; uint32_t pad; };
/* Of the kernel that the program is made for (dv_ctl_info); 0: any. */
struct dv_ctl_go { uint64_t generation; };
struct dv_ctl_snapreq { uint32_t cpu; uint32_t which; };
struct dv_ctl_wait { uint32_t state; uint32_t pad; uint64_t timeout_ns; };

#endif
