/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chan_tcg.c - talks to the plugin in a QEMU (hv/tcg) over its socket.
 *
 * A header and a body go out, the answer with the same number comes back. After
 * half a message nothing else on the stream makes sense: the connection is given
 * up then. The shared region comes as a file descriptor, sealed by the plugin so
 * that it cannot shrink.
 */
#include "chan_ctl.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

struct tcg_chan {
	struct ctl_chan ctl;
	int fd;				/* the socket, or -1 */
	int shared_fd;			/* came with the last answer, or -1 */
	pid_t qemu_pid;			/* 0: not yet known */
};

/* Does QEMU live on? One that ends closes its sockets a little before. */
static bool
qemu_runs(pid_t pid)
{
	char path[64], text[256], *p;
	ssize_t n;
	int i, fd;

	for (i = 0; pid > 0 && i < 20; i++) {
		snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
		if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
			return false;
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
		text[n > 0 ? n : 0] = '\0';
		/* the state follows the name in parentheses; ours may be a zombie */
		p = strrchr(text, ')');
		if (p == NULL || p[1] == '\0' || p[2] == 'Z' || p[2] == 'X')
			return false;
		dv_clock_nap(10000000);
	}
	return pid > 0;
}

/* The other side has closed: because QEMU ends, or because it gave us up. */
static int
ended(struct tcg_chan *t, struct dv_err *err)
{
	return qemu_runs(t->qemu_pid) ? ctl_dropped(&t->ctl, err) : ctl_gone(&t->ctl, err);
}

/* Waits until the socket is ready for what; 0 or an error. */
static int
ready(struct tcg_chan *t, short what, uint64_t end, struct dv_err *err)
{
	for (;;) {
		struct pollfd p = { t->fd, what, 0 };
		uint64_t now = dv_clock_ns();
		uint64_t left = end > now ? end - now : 0;
		int n = poll(&p, 1, left / 1000000u > 1000000u ? 1000000 :
			     (int)((left + 999999u) / 1000000u));

		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return ctl_fail(&t->ctl, err, strerror(errno));
		if (dv_clock_ns() >= end) {
			t->ctl.broken = true;
			return dv_err_set(err, DV_E_AGAIN,
					  "guest \"%s\" does not respond", t->ctl.name);
		}
	}
}

static int
put(struct tcg_chan *t, const void *buf, size_t len, uint64_t end,
    struct dv_err *err)
{
	const uint8_t *p = buf;
	int rc;

	while (len != 0) {
		ssize_t n = send(t->fd, p, len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n >= 0) {
			p += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			if ((rc = ready(t, POLLOUT, end, err)) != 0)
				return rc;
		} else if (errno == EPIPE || errno == ECONNRESET) {
			return ended(t, err);
		} else if (errno != EINTR) {
			return ctl_fail(&t->ctl, err, strerror(errno));
		}
	}
	return 0;
}

/* Receives exactly len bytes; a file descriptor that comes along is kept. */
static int
get(struct tcg_chan *t, void *buf, size_t len, uint64_t end, struct dv_err *err)
{
	uint8_t *p = buf;
	int rc;

	while (len != 0) {
		union { struct cmsghdr h; char b[CMSG_SPACE(sizeof(int))]; } u;
		struct iovec v = { p, len };
		struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1,
			.msg_control = &u, .msg_controllen = sizeof(u) };
		struct cmsghdr *h;
		ssize_t n = recvmsg(t->fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

		if (n == 0)
			return ended(t, err);
		if (n < 0) {
			if (errno == EAGAIN || errno == EWOULDBLOCK) {
				if ((rc = ready(t, POLLIN, end, err)) != 0)
					return rc;
			} else if (errno == ECONNRESET) {
				return ended(t, err);
			} else if (errno != EINTR) {
				return ctl_fail(&t->ctl, err, strerror(errno));
			}
			continue;
		}
		h = CMSG_FIRSTHDR(&m);
		if (h != NULL && h->cmsg_level == SOL_SOCKET &&
		    h->cmsg_type == SCM_RIGHTS && h->cmsg_len == CMSG_LEN(sizeof(int))) {
			int got;

			memcpy(&got, CMSG_DATA(h), sizeof(got));
			if (t->shared_fd >= 0)
				close(t->shared_fd);
			t->shared_fd = got;
		}
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int
tcg_exchange(struct ctl_chan *c, struct dv_ctl_hdr *h, const void *body, void *ret,
	     size_t want, char *text, size_t textlen, uint64_t end, struct dv_err *err)
{
	struct tcg_chan *t = (struct tcg_chan *)c;
	const struct dv_ctl_hdr asked = *h;
	int rc;

	if ((rc = put(t, h, sizeof(*h), end, err)) != 0 ||
	    (asked.len != 0 && (rc = put(t, body, asked.len, end, err)) != 0) ||
	    (rc = get(t, h, sizeof(*h), end, err)) != 0)
		return rc;
	if (h->magic != DV_CTL_MAGIC || h->type != asked.type || h->seq != asked.seq ||
	    (h->status != DV_CTL_OK && h->len >= textlen))
		return ctl_fail(c, err, "its answer makes no sense");
	if (h->status != DV_CTL_OK) {
		text[h->len] = '\0';
		return get(t, text, h->len, end, err);
	}
	if (h->len != want)
		return ctl_fail(c, err, "its answer has the wrong length");
	return get(t, ret, want, end, err);
}

static int
tcg_map(struct ctl_chan *c, uint64_t len, const void **ret, struct dv_err *err)
{
	struct tcg_chan *t = (struct tcg_chan *)c;
	struct stat st;
	void *p;

	if (t->shared_fd < 0 || fstat(t->shared_fd, &st) != 0 || len > (uint64_t)st.st_size ||
	    (fcntl(t->shared_fd, F_GET_SEALS) & F_SEAL_SHRINK) == 0)
		return ctl_fail(c, err, "what it shares cannot be trusted");
	p = mmap(NULL, len, PROT_READ, MAP_SHARED, t->shared_fd, 0);
	close(t->shared_fd);
	t->shared_fd = -1;
	if (p == MAP_FAILED)
		return ctl_fail(c, err, "its buffers cannot be mapped");
	*ret = p;
	return 0;
}

static void
tcg_fini(struct ctl_chan *c)
{
	struct tcg_chan *t = (struct tcg_chan *)c;

	if (t->fd >= 0)
		close(t->fd);
	if (t->shared_fd >= 0)
		close(t->shared_fd);
}

static const struct ctl_transport tcg_transport = {
	.exchange = tcg_exchange, .map = tcg_map, .fini = tcg_fini
};

int
chan_tcg_open(const char *sockpath, struct dv_err *err, struct dv_chan **ret)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct dv_ctl_hello hello = { DV_CTL_VERSION, (uint32_t)getpid() };
	struct dv_ctl_info info;
	struct tcg_chan *t;
	int rc;

	if (strlen(sockpath) >= sizeof(at.sun_path))
		return dv_err_set(err, DV_E_INVAL, "the socket's path is too long: %s",
				  sockpath);
	strcpy(at.sun_path, sockpath);
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return dv_err_nomem(err);
	ctl_init(&t->ctl, &tcg_transport, sockpath);
	t->shared_fd = -1;
	t->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (t->fd < 0 || connect(t->fd, (struct sockaddr *)&at, sizeof(at)) != 0) {
		int e = errno;

		rc = dv_err_set(err, e == ENOENT || e == ECONNREFUSED ? DV_E_NOENT :
				e == EACCES ? DV_E_PERM : DV_E_IO,
				"cannot connect to %s: %s", sockpath, strerror(e));
		goto bad;
	}
	rc = ctl_call(&t->ctl, DV_CTL_HELLO, &hello, sizeof(hello), &info, sizeof(info),
		      CTL_CALL_NS, err);
	if (rc == DV_E_GUEST)		/* it did not even look at us */
		rc = dv_err_set(err, DV_E_BUSY, "busy: too many tracers, or it is about to end");
	if (rc != 0)
		goto bad;
	if (info.version != DV_CTL_VERSION) {
		rc = dv_err_set(err, DV_E_UNSUP, "the carrier of %s speaks version %u of "
				"the protocol, not %u", sockpath, info.version,
				DV_CTL_VERSION);
		goto bad;
	}
	info.name[sizeof(info.name) - 1] = '\0';
	if (info.name[0] != '\0')
		snprintf(t->ctl.name, sizeof(t->ctl.name), "%s", info.name);
	t->ctl.chan.state = info.state;
	t->ctl.chan.generation = info.generation;
	t->qemu_pid = (pid_t)info.qemu_pid;
	*ret = &t->ctl.chan;
	return 0;
bad:
	ctl_close(&t->ctl.chan);
	return rc;
}
