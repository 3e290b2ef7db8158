/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chan_kvm.c - talks to the kernel module (hv/kvm) over its device.
 *
 * The module is handed a file descriptor of the VM, which is a copy of the VM
 * process's own: whoever may copy that could as well read and write all of the
 * guest's memory, so nothing is given away. One ioctl is one request and its
 * answer; the buffers are a mapping of the device, which only the kernel writes.
 */
#include "chan_ctl.h"

#include "abi/dv_kvm.h"
#include "base/clock.h"
#include "kvm_host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct kvm_chan {
	struct ctl_chan ctl;
	int fd;				/* the device, or -1 */
};

/* Requests that a loaded program never has refused. */
static bool
needs_program(unsigned type)
{
	return type == DV_CTL_STATUS || type == DV_CTL_SNAP || type == DV_CTL_STOP ||
	    type == DV_CTL_ACCOUNT;
}

static int
kvm_exchange(struct ctl_chan *c, struct dv_ctl_hdr *h, const void *body, void *ret,
	     size_t want, char *text, size_t textlen, uint64_t end, struct dv_err *err)
{
	struct kvm_chan *k = (struct kvm_chan *)c;
	/* room for the answer or a reason: ret itself if that is large enough */
	bool direct = want >= textlen;
	struct dv_kvm_call call = {
		.hdr = *h, .body = (uintptr_t)body,
		.answer = (uintptr_t)(direct ? ret : text),
		.answer_room = (uint32_t)(direct ? want : textlen)
	};
	unsigned type = h->type;

	while (ioctl(k->fd, DV_KVM_CALL, &call) != 0) {
		if (errno == ENOMEM)
			return dv_err_set(err, DV_E_NOMEM, "the kernel has no memory for this");
		if (errno != EINTR)
			return ctl_fail(c, err, strerror(errno));
		if (dv_clock_ns() >= end) {
			c->broken = true;
			return dv_err_set(err, DV_E_AGAIN,
					  "guest \"%s\" does not respond", c->name);
		}
		call.hdr = *h;
	}
	*h = call.hdr;
	if (h->len > call.answer_room || (h->status == DV_CTL_OK && h->len != want))
		return ctl_fail(c, err, "its answer has the wrong length");
	if (h->status == DV_CTL_OK) {
		if (!direct && want != 0)
			memcpy(ret, text, want);
		return 0;
	}
	if (h->status == DV_CTL_EREFUSED && c->shared != NULL && needs_program(type))
		return ctl_dropped(c, err);
	if (h->len >= textlen)
		h->len = (uint32_t)textlen - 1;
	if (direct)
		memcpy(text, ret, h->len);
	text[h->len] = '\0';
	return 0;
}

static int
kvm_map(struct ctl_chan *c, uint64_t len, const void **ret, struct dv_err *err)
{
	struct kvm_chan *k = (struct kvm_chan *)c;
	void *p = mmap(NULL, len, PROT_READ, MAP_SHARED, k->fd, 0);

	if (p == MAP_FAILED)
		return ctl_fail(c, err, "its buffers cannot be mapped");
	*ret = p;
	return 0;
}

static void
kvm_fini(struct ctl_chan *c)
{
	struct kvm_chan *k = (struct kvm_chan *)c;

	if (k->fd >= 0)
		close(k->fd);
}

static const struct ctl_transport kvm_transport = {
	.exchange = kvm_exchange, .map = kvm_map, .fini = kvm_fini
};

/* Our own copy of the process's VM. */
static int
vm_fd_get(const char *root, pid_t pid, struct dv_err *err)
{
	int there = kvm_vm_fd(root, pid, NULL, err), pidfd, fd, e;

	if (there < 0)
		return there;
	if ((pidfd = (int)syscall(SYS_pidfd_open, pid, 0)) < 0) {
		if (errno == ESRCH)
			return dv_err_set(err, DV_E_GUEST, "process %d has ended", (int)pid);
		return dv_err_set(err, DV_E_IO, "cannot open process %d: %s", (int)pid,
		    strerror(errno));
	}
	fd = (int)syscall(SYS_pidfd_getfd, pidfd, there, 0);
	e = errno;
	close(pidfd);
	if (fd >= 0)
		return fd;
	if (e == EPERM)
		return dv_err_set(err, DV_E_PERM, "no permission to trace process %d: be root, or "
		    "have CAP_SYS_PTRACE", (int)pid);
	return dv_err_set(err, DV_E_GUEST, "cannot get the VM of process %d: %s", (int)pid,
	    strerror(e));
}

static int
attach(struct kvm_chan *k, int vm_fd, struct dv_err *err)
{
	struct dv_kvm_attach a = { .version = DV_CTL_VERSION, .vm_fd = vm_fd };
	int rc;

	while ((rc = ioctl(k->fd, DV_KVM_ATTACH, &a)) != 0 && errno == EINTR)
		a = (struct dv_kvm_attach){ .version = DV_CTL_VERSION, .vm_fd = vm_fd };
	if (rc == 0)
		return 0;
	a.why[sizeof(a.why) - 1] = '\0';
	switch (errno) {
	case EPROTO: case EOPNOTSUPP:
		rc = DV_E_UNSUP;
		break;
	case ESRCH:
		rc = DV_E_GUEST;
		break;
	case ENOMEM:
		rc = DV_E_NOMEM;
		break;
	default:
		rc = DV_E_IO;
	}
	return dv_err_set(err, rc, "%s", a.why[0] != '\0' ? a.why : strerror(errno));
}

int
chan_kvm_open_at(const char *root, pid_t pid, const char *name, struct dv_err *err,
		 struct dv_chan **ret)
{
	struct kvm_chan *k = calloc(1, sizeof(*k));
	struct dv_ctl_info info;
	int rc, vm_fd;

	if (k == NULL)
		return dv_err_nomem(err);
	ctl_init(&k->ctl, &kvm_transport, name);
	k->fd = -1;
	if ((rc = kvm_device_open(root, err)) < 0)
		goto bad;
	k->fd = rc;
	if ((rc = vm_fd_get(root, pid, err)) < 0)
		goto bad;
	vm_fd = rc;
	rc = attach(k, vm_fd, err);
	close(vm_fd);
	if (rc != 0 || (rc = dv_chan_info(&k->ctl.chan, &info, err)) != 0)
		goto bad;
	*ret = &k->ctl.chan;
	return 0;
bad:
	ctl_close(&k->ctl.chan);
	return rc;
}

int
chan_kvm_open(pid_t pid, const char *name, struct dv_err *err, struct dv_chan **ret)
{
	return chan_kvm_open_at("", pid, name, err, ret);
}
