/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chan_tcg.c - talks to the plugin in a QEMU (hv/tcg) over its socket.
 *
 * One request at a time: a header and a body go out, the answer with the same
 * number comes back (dv_ctl.h). Whatever the other side sends is checked before
 * it is used: lengths against what was asked for, offsets against the region
 * that is mapped. The region is mapped read-only and was sealed by the plugin,
 * so that it cannot shrink under us.
 *
 * A carrier that does not respond within CALL_NS, or sends what we cannot
 * follow, is given up for good: after half a message nothing else on the
 * stream makes sense.
 *
 * While a program is loaded the carrier wants to hear of us. A thread sends a
 * PING when nothing else was sent for BEAT_NS, so that a command whose output
 * is held up (a pager, system()) keeps its trace; a stopped or dead one does
 * not. Requests of the two threads take turns under `lock`.
 */
#include "chan.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define CALL_NS 5000000000ull
#define BEAT_NS (DV_CTL_DEAD_NS / 4)

struct tcg_chan {
	struct dv_chan chan;
	pthread_mutex_t lock;		/* of the next six */
	int fd;
	uint32_t seq;
	bool broken;
	bool gone;			/* broken, because the guest has ended */
	pid_t qemu_pid;			/* 0: not yet known */
	bool quit;			/* the heartbeat shall end */
	uint64_t heard;			/* ns, of the last answer */
	pthread_cond_t wake;		/* quit was set */
	pthread_t beat;
	bool beating;			/* there is such a thread */
	char name[108];
	const uint8_t *shared;
	size_t shared_len;
};

static int
fail(struct tcg_chan *t, struct dv_err *err, const char *what)
{
	t->broken = true;
	return dv_err_set(err, DV_E_IO, "guest \"%s\": %s", t->name, what);
}

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
	if (!t->gone && qemu_runs(t->qemu_pid))
		return fail(t, err, "it has ended the trace: this command was silent for too long");
	t->broken = t->gone = true;
	return dv_err_set(err, DV_E_GUEST, "guest \"%s\" ended", t->name);
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
			return fail(t, err, strerror(errno));
		if (dv_clock_ns() >= end) {
			t->broken = true;
			return dv_err_set(err, DV_E_AGAIN,
					  "guest \"%s\" does not respond", t->name);
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
			return fail(t, err, strerror(errno));
		}
	}
	return 0;
}

/* Receives exactly len bytes, and a file descriptor if one comes along. */
static int
get(struct tcg_chan *t, void *buf, size_t len, int *fd, uint64_t end,
    struct dv_err *err)
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
				return fail(t, err, strerror(errno));
			}
			continue;
		}
		h = CMSG_FIRSTHDR(&m);
		if (h != NULL && h->cmsg_level == SOL_SOCKET &&
		    h->cmsg_type == SCM_RIGHTS && h->cmsg_len == CMSG_LEN(sizeof(int))) {
			int got;

			memcpy(&got, CMSG_DATA(h), sizeof(got));
			if (fd == NULL || *fd >= 0)
				close(got);
			else
				*fd = got;
		}
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int
status_code(unsigned status)
{
	switch (status) {
	case DV_CTL_EREFUSED: return DV_E_INVAL;
	case DV_CTL_EBUSY: return DV_E_BUSY;
	case DV_CTL_EGUEST: return DV_E_GUEST;
	case DV_CTL_TIMEOUT: return DV_E_AGAIN;
	case DV_CTL_ENOMEM: return DV_E_NOMEM;
	default: return DV_E_FORMAT;
	}
}

/* One request and its answer, which must be exactly `want` bytes. Locked. */
static int
call_locked(struct tcg_chan *t, enum dv_ctl_type type, const void *body, size_t len,
     void *ret, size_t want, int *fd, uint64_t ns, struct dv_err *err)
{
	struct dv_ctl_hdr h = {
		.magic = DV_CTL_MAGIC, .type = (uint16_t)type,
		.seq = ++t->seq, .len = (uint32_t)len
	};
	uint64_t end = dv_clock_ns() + ns;
	char text[512];
	int rc;

	if (t->gone)
		return ended(t, err);
	if (t->broken)
		return dv_err_set(err, DV_E_GUEST, "the connection to guest \"%s\" is lost",
				  t->name);
	if ((rc = put(t, &h, sizeof(h), end, err)) != 0 ||
	    (len != 0 && (rc = put(t, body, len, end, err)) != 0) ||
	    (rc = get(t, &h, sizeof(h), fd, end, err)) != 0)
		return rc;
	if (h.magic != DV_CTL_MAGIC || h.type != type || h.seq != t->seq)
		return fail(t, err, "its answer makes no sense");
	if (h.status != DV_CTL_OK) {
		if (h.len >= sizeof(text))
			return fail(t, err, "its answer makes no sense");
		if ((rc = get(t, text, h.len, NULL, end, err)) != 0)
			return rc;
		text[h.len] = '\0';
		return dv_err_set(err, status_code(h.status), "%s",
				  h.len != 0 ? text : "the carrier gave no reason");
	}
	if (h.len != want)
		return fail(t, err, "its answer has the wrong length");
	t->heard = dv_clock_ns();
	return get(t, ret, want, fd, end, err);
}

static int
call(struct tcg_chan *t, enum dv_ctl_type type, const void *body, size_t len,
     void *ret, size_t want, int *fd, uint64_t ns, struct dv_err *err)
{
	int rc;

	pthread_mutex_lock(&t->lock);
	rc = call_locked(t, type, body, len, ret, want, fd, ns, err);
	pthread_mutex_unlock(&t->lock);
	return rc;
}

static void *
heartbeat(void *arg)
{
	struct tcg_chan *t = arg;
	struct dv_ctl_pong pong;
	struct timespec ts;
	uint64_t next;

	pthread_mutex_lock(&t->lock);
	while (!t->quit && !t->broken) {
		next = t->heard + BEAT_NS;
		if (dv_clock_ns() >= next) {
			/* A failure stays in t->broken, for the next request to tell. */
			(void)call_locked(t, DV_CTL_PING, NULL, 0, &pong, sizeof(pong),
					  NULL, CALL_NS, NULL);
			continue;
		}
		ts.tv_sec = (time_t)(next / 1000000000u);
		ts.tv_nsec = (long)(next % 1000000000u);
		pthread_cond_timedwait(&t->wake, &t->lock, &ts);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static int
heartbeat_start(struct tcg_chan *t, struct dv_err *err)
{
	int rc;

	if (t->beating)
		return 0;
	t->quit = false;
	if ((rc = pthread_create(&t->beat, NULL, heartbeat, t)) != 0)
		return dv_err_set(err, DV_E_IO, "cannot start the heartbeat: %s", strerror(rc));
	t->beating = true;
	return 0;
}

static void
heartbeat_stop(struct tcg_chan *t)
{
	if (!t->beating)
		return;
	pthread_mutex_lock(&t->lock);
	t->quit = true;
	pthread_cond_signal(&t->wake);
	pthread_mutex_unlock(&t->lock);
	pthread_join(t->beat, NULL);
	t->beating = false;
}

static void
regions_unmap(struct tcg_chan *t)
{
	if (t->shared != NULL)
		munmap((void *)(uintptr_t)t->shared, t->shared_len);
	t->shared = NULL;
	t->shared_len = 0;
}

static int
tcg_info(struct dv_chan *c, struct dv_ctl_info *ret, struct dv_err *err)
{
	struct tcg_chan *t = (struct tcg_chan *)c;
	int rc = call(t, DV_CTL_INFO, NULL, 0, ret, sizeof(*ret), NULL, CALL_NS, err);

	if (rc != 0)
		return rc;
	ret->name[sizeof(ret->name) - 1] = '\0';
	ret->version_text[sizeof(ret->version_text) - 1] = '\0';
	c->state = ret->state;
	c->generation = ret->generation;
	return 0;
}

static int
tcg_read(struct dv_chan *c, uint64_t gpa, void *buf, size_t len,
	 struct dv_err *err)
{
	while (len != 0) {
		size_t n = len < DV_CTL_MAXREAD ? len : DV_CTL_MAXREAD;
		struct dv_ctl_read r = { gpa, n };
		int rc = call((struct tcg_chan *)c, DV_CTL_READ, &r, sizeof(r),
			      buf, n, NULL, CALL_NS, err);

		if (rc != 0)
			return rc;
		buf = (uint8_t *)buf + n;
		gpa += n;
		len -= n;
	}
	return 0;
}

static int
tcg_load(struct dv_chan *c, const void *blob, size_t len, unsigned *ret,
	 struct dv_err *err)
{
	struct tcg_chan *t = (struct tcg_chan *)c;
	struct dv_ctl_loaded l;
	struct stat st;
	int fd = -1, rc;
	void *p;

	if (len > DV_CTL_MAXLEN)
		return dv_err_set(err, DV_E_INVAL, "the program has %zu bytes, more "
				  "than the %u that a carrier takes", len, DV_CTL_MAXLEN);
	rc = call(t, DV_CTL_LOAD, blob, len, &l, sizeof(l), &fd, CALL_NS, err);
	if (rc != 0)
		goto out;
	if (fd < 0 || fstat(fd, &st) != 0 || l.shared_len == 0 ||
	    l.shared_len > (uint64_t)st.st_size || l.nvcpu > DV_CTL_MAXCPU ||
	    (fcntl(fd, F_GET_SEALS) & F_SEAL_SHRINK) == 0) {
		rc = fail(t, err, "what it shares cannot be trusted");
		goto out;
	}
	p = mmap(NULL, l.shared_len, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		rc = fail(t, err, "its buffers cannot be mapped");
		goto out;
	}
	regions_unmap(t);
	t->shared = p;
	t->shared_len = l.shared_len;
	*ret = l.nvcpu;
	rc = heartbeat_start(t, err);
out:
	if (fd >= 0)
		close(fd);
	return rc;
}

static int
simple(struct dv_chan *c, enum dv_ctl_type type, struct dv_err *err)
{
	return call((struct tcg_chan *)c, type, NULL, 0, NULL, 0, NULL, CALL_NS, err);
}

static int
tcg_go(struct dv_chan *c, uint64_t generation, struct dv_err *err)
{
	struct dv_ctl_go g = { generation };

	return call((struct tcg_chan *)c, DV_CTL_GO, &g, sizeof(g), NULL, 0, NULL, CALL_NS, err);
}

static int
tcg_stop(struct dv_chan *c, struct dv_err *err)
{
	return simple(c, DV_CTL_STOP, err);
}

static int
tcg_snap(struct dv_chan *c, unsigned cpu, enum dv_which which, struct dv_snap *snap,
	 const void **data, struct dv_err *err)
{
	struct tcg_chan *t = (struct tcg_chan *)c;
	struct dv_ctl_snapreq r = { cpu, (uint32_t)which };
	int rc = call(t, DV_CTL_SNAP, &r, sizeof(r), snap, sizeof(*snap), NULL,
		      CALL_NS, err);

	if (rc != 0)
		return rc;
	if (snap->off > t->shared_len || snap->len > t->shared_len - snap->off ||
	    snap->wrapped > snap->len)
		return fail(t, err, "a buffer lies outside of what it shares");
	*data = t->shared + snap->off;
	return 0;
}

static int
tcg_status(struct dv_chan *c, struct dv_status *ret, struct dv_err *err)
{
	return call((struct tcg_chan *)c, DV_CTL_STATUS, NULL, 0, ret, sizeof(*ret),
		    NULL, CALL_NS, err);
}

static int
tcg_account(struct dv_chan *c, uint32_t ecb, struct dv_account *ret,
	    struct dv_err *err)
{
	uint32_t r[2] = { ecb, 0 };

	return call((struct tcg_chan *)c, DV_CTL_ACCOUNT, r, sizeof(r), ret,
		    sizeof(*ret), NULL, CALL_NS, err);
}

static int
tcg_ping(struct dv_chan *c, struct dv_err *err)
{
	struct dv_ctl_pong p;
	int rc = call((struct tcg_chan *)c, DV_CTL_PING, NULL, 0, &p, sizeof(p),
		      NULL, CALL_NS, err);

	if (rc == 0) {
		c->state = p.state;
		c->generation = p.generation;
	}
	return rc;
}

static int
tcg_unload(struct dv_chan *c, struct dv_err *err)
{
	heartbeat_stop((struct tcg_chan *)c);
	regions_unmap((struct tcg_chan *)c);
	return simple(c, DV_CTL_UNLOAD, err);
}

static int
tcg_resume(struct dv_chan *c, struct dv_err *err)
{
	return simple(c, DV_CTL_RESUME, err);
}

static int
tcg_cont(struct dv_chan *c, struct dv_err *err)
{
	return simple(c, DV_CTL_CONT, err);
}

static int
tcg_wait(struct dv_chan *c, uint32_t state, uint64_t timeout_ns,
	 struct dv_err *err)
{
	struct dv_ctl_wait w = { .state = state, .timeout_ns = timeout_ns };
	uint64_t ns = timeout_ns + CALL_NS;
	int rc = call((struct tcg_chan *)c, DV_CTL_WAIT, &w, sizeof(w), NULL, 0,
		      NULL, ns < CALL_NS ? ~0ull >> 2 : ns, err);

	if (rc == DV_E_AGAIN && !((struct tcg_chan *)c)->broken)
		dv_err_set(err, rc, "the guest did not get there in time");
	return rc;
}

static void
tcg_close(struct dv_chan *c)
{
	struct tcg_chan *t = (struct tcg_chan *)c;

	heartbeat_stop(t);
	regions_unmap(t);
	if (t->fd >= 0)
		close(t->fd);
	pthread_cond_destroy(&t->wake);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

static const struct dv_chan_ops tcg_ops = {
	.info = tcg_info, .read = tcg_read, .load = tcg_load,
	.go = tcg_go, .stop = tcg_stop, .snap = tcg_snap, .status = tcg_status,
	.account = tcg_account, .ping = tcg_ping, .unload = tcg_unload,
	.resume = tcg_resume, .cont = tcg_cont, .wait = tcg_wait, .close = tcg_close
};

int
chan_tcg_open(const char *sockpath, struct dv_err *err, struct dv_chan **ret)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct dv_ctl_hello hello = { DV_CTL_VERSION, (uint32_t)getpid() };
	struct dv_ctl_info info;
	pthread_condattr_t attr;
	struct tcg_chan *t;
	int rc;

	if (strlen(sockpath) >= sizeof(at.sun_path))
		return dv_err_set(err, DV_E_INVAL, "the socket's path is too long: %s",
				  sockpath);
	strcpy(at.sun_path, sockpath);
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return dv_err_nomem(err);
	t->chan.ops = &tcg_ops;
	pthread_mutex_init(&t->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&t->wake, &attr);
	pthread_condattr_destroy(&attr);
	snprintf(t->name, sizeof(t->name), "%s", sockpath);
	t->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (t->fd < 0 || connect(t->fd, (struct sockaddr *)&at, sizeof(at)) != 0) {
		int e = errno;

		rc = dv_err_set(err, e == ENOENT || e == ECONNREFUSED ? DV_E_NOENT :
				e == EACCES ? DV_E_PERM : DV_E_IO,
				"cannot connect to %s: %s", sockpath, strerror(e));
		goto bad;
	}
	rc = call(t, DV_CTL_HELLO, &hello, sizeof(hello), &info, sizeof(info), NULL,
		  CALL_NS, err);
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
		snprintf(t->name, sizeof(t->name), "%s", info.name);
	t->chan.state = info.state;
	t->chan.generation = info.generation;
	t->qemu_pid = (pid_t)info.qemu_pid;
	*ret = &t->chan;
	return 0;
bad:
	tcg_close(&t->chan);
	return rc;
}
