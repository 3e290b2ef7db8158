/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chan.h - the command's end of a carrier: control, buffers, guest reads.
 *
 * One table of functions per kind of carrier (chan_ctl.c, chan_host.c). All return 0
 * or DV_E_* with err filled: DV_E_GUEST when the guest is gone, DV_E_AGAIN when
 * the carrier did not answer in time, DV_E_INVAL when it refused (the text is
 * its reason), DV_E_BUSY when another consumer has the guest. One thread at a
 * time. While a program is loaded, some request must be made at least every
 * DV_CTL_DEAD_NS: ping, if nothing else.
 */
#ifndef DV_CHAN_H
#define DV_CHAN_H
#include "abi/dv_ctl.h"
#include "abi/dv_rec.h"
#include "base/err.h"
#include "core/state.h"

#include <sys/types.h>

struct dv_chan;

struct dv_chan_ops {
	int (*info)(struct dv_chan *c, struct dv_ctl_info *ret, struct dv_err *err);
	/* Guest-physical RAM, any length: all of it or an error. */
	int (*read)(struct dv_chan *c, uint64_t gpa, void *buf, size_t len, struct dv_err *err);
	/* Loads a blob; *nvcpu: CPUs 0..nvcpu-1 are vCPUs, nvcpu the host's. */
	int (*load)(struct dv_chan *c, const void *blob, size_t len, unsigned *nvcpu,
	    struct dv_err *err);
	/* DV_E_GUEST if the guest's kernel is of another generation; 0: any. */
	int (*go)(struct dv_chan *c, uint64_t generation, struct dv_err *err);
	int (*stop)(struct dv_chan *c, struct dv_err *err);
	/* *data points at the bytes of the inactive half, valid until the next
	   snap of the same buffer. */
	int (*snap)(struct dv_chan *c, unsigned cpu, enum dv_which which, struct dv_snap *ret,
		    const void **data, struct dv_err *err);
	int (*status)(struct dv_chan *c, struct dv_status *ret, struct dv_err *err);
	int (*account)(struct dv_chan *c, uint32_t ecb, struct dv_account *ret, struct dv_err *err);
	/* The heartbeat. Like info, updates c->state and c->generation. */
	int (*ping)(struct dv_chan *c, struct dv_err *err);
	int (*unload)(struct dv_chan *c, struct dv_err *err);
	int (*resume)(struct dv_chan *c, struct dv_err *err);
	/* Lets a guest run on that is paused. */
	int (*cont)(struct dv_chan *c, struct dv_err *err);
	/* Until the guest's state has all bits of `state`; DV_E_AGAIN: time is over. */
	int (*wait)(struct dv_chan *c, uint32_t state, uint64_t timeout_ns, struct dv_err *err);
	void (*close)(struct dv_chan *c);
};
struct dv_chan {			/* carriers embed it first */
	const struct dv_chan_ops *ops;
	uint32_t state;			/* DV_GUEST_*, of the last info or ping */
	uint64_t generation;		/* another than before: a new kernel */
};

/* The tcg carrier at a control socket. DV_E_NOENT: nobody listens there. */
int  chan_tcg_open(const char *sock, struct dv_err *err, struct dv_chan **ret);
/*
 * The kvm carrier at the VM that a process runs; name: for messages. DV_E_NOENT: the
 * kernel module is not there, or the process runs no VM; DV_E_PERM, DV_E_UNSUP.
 */
int  chan_kvm_open(pid_t pid, const char *name, struct dv_err *err, struct dv_chan **ret);
/* The same, with /proc, /sys, /dev and /lib of tests below root. */
int  chan_kvm_open_at(const char *root, pid_t pid, const char *name, struct dv_err *err,
		      struct dv_chan **ret);
/* No guest: the machine in this process, for dtrace and tick probes. */
int  chan_host_open(struct dv_err *err, struct dv_chan **ret);

static inline int
dv_chan_info(struct dv_chan *c, struct dv_ctl_info *ret, struct dv_err *err)
{
	return c->ops->info(c, ret, err);
}

static inline int
dv_chan_read(struct dv_chan *c, uint64_t gpa, void *buf, size_t len, struct dv_err *err)
{
	return c->ops->read(c, gpa, buf, len, err);
}

static inline int
dv_chan_load(struct dv_chan *c, const void *blob, size_t len, unsigned *nvcpu, struct dv_err *err)
{
	return c->ops->load(c, blob, len, nvcpu, err);
}

static inline int
dv_chan_go(struct dv_chan *c, uint64_t generation, struct dv_err *err)
{
	return c->ops->go(c, generation, err);
}

static inline int
dv_chan_stop(struct dv_chan *c, struct dv_err *err)
{
	return c->ops->stop(c, err);
}

static inline int
dv_chan_snap(struct dv_chan *c, unsigned cpu, enum dv_which which, struct dv_snap *ret,
	     const void **data, struct dv_err *err)
{
	return c->ops->snap(c, cpu, which, ret, data, err);
}

static inline int
dv_chan_status(struct dv_chan *c, struct dv_status *ret, struct dv_err *err)
{
	return c->ops->status(c, ret, err);
}

static inline int
dv_chan_account(struct dv_chan *c, uint32_t ecb, struct dv_account *ret, struct dv_err *err)
{
	return c->ops->account(c, ecb, ret, err);
}

static inline int
dv_chan_ping(struct dv_chan *c, struct dv_err *err)
{
	return c->ops->ping(c, err);
}

static inline int
dv_chan_unload(struct dv_chan *c, struct dv_err *err)
{
	return c->ops->unload(c, err);
}

static inline int
dv_chan_resume(struct dv_chan *c, struct dv_err *err)
{
	return c->ops->resume(c, err);
}

static inline int
dv_chan_cont(struct dv_chan *c, struct dv_err *err)
{
	return c->ops->cont(c, err);
}

static inline int
dv_chan_wait(struct dv_chan *c, uint32_t state, uint64_t timeout_ns, struct dv_err *err)
{
	return c->ops->wait(c, state, timeout_ns, err);
}

static inline void
dv_chan_close(struct dv_chan *c)
{
	if (c != NULL)
		c->ops->close(c);
}

#endif
