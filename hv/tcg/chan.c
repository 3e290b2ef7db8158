/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chan.c - the socket, and the service thread behind it.
 *
 * One thread of ours does everything that is not a callback: it accepts
 * clients, answers their requests (dv_ctl.h) one at a time, runs the timers of
 * loaded programs, and unloads a program whose consumer is silent or gone. It
 * reads guest memory through the RAM table only, and never while a vCPU is made
 * to wait for it. A client is trusted to be of our user or root, and for
 * nothing else: a header that does not fit closes its connection.
 *
 * Between two rounds of the loop a connection either waits for more input, or
 * has output left to send (and is not read from), or waits for the guest
 * (WAIT). Everything of a connection dies with it.
 *
 * Places are few, so that nobody keeps one for nothing: who has not said HELLO in
 * time goes, and who has no program and has long been silent gives way to another.
 */
#include "tcg/tcg.h"
#include "tcg/prog.h"
#include "tcg/ram.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define MAXTRACERS	16
#define MAXCONN		(MAXTRACERS + 4)	/* the last are told that we are busy */
#define OTHER_MAXLEN	(1u << 20)	/* body of anything but LOAD */
#define WAIT_POLL_NS	5000000ull
#define WAIT_MAX_NS	500000000ull	/* of a client whose program is loaded */
#define SNAP_NS		200000000ull
#define HELLO_NS	5000000000ull	/* from connecting to having said HELLO */
#define IDLE_NS		10000000000ull	/* silent without a program: gives way if all is taken */

struct conn {
	int fd;				/* -1: free */
	bool hello;
	uint32_t pid;			/* by the socket, not by its word */
	uint64_t came, heard;		/* when it connected, and last said something */
	struct dv_ctl_hdr hdr;
	size_t nhdr;			/* bytes of hdr that are here */
	uint8_t *body;
	size_t nbody;
	uint8_t *out;
	size_t nout, sent;
	int outfd;			/* goes with the first byte; -1: none */
	bool waiting;
	uint32_t wait_seq, wait_state;
	uint64_t wait_end;
	struct dv_tcg_prog *prog;
};

static struct {
	int listen, wake;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	struct stat inode;
	bool made, started;
	pthread_t thread;
	struct conn conn[MAXCONN];
	uint32_t loaded;		/* programs; atomic */
	uint32_t quit;			/* atomic */
	uint32_t gone;			/* atomic: the thread is at its end */
} chan = { .listen = -1, .wake = -1 };

/* --- the socket */

__attribute__((format(printf, 1, 2)))
static int
complain(const char *fmt, ...)
{
	va_list ap;

	fputs("dvisor-tcg: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return -1;
}

/* Is somebody listening there? */
static bool
socket_alive(const struct sockaddr_un *at)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool alive;

	if (fd < 0)
		return true;
	alive = connect(fd, (const struct sockaddr *)at, sizeof(*at)) == 0 ||
		errno == EAGAIN;
	close(fd);
	return alive;
}

/*
 * Makes the folder of PATH and opens it. The folder is locked while a stale
 * socket gives way, so that of two guests with one name one is refused.
 */
static int
folder_open(const char *path)
{
	char dir[sizeof(chan.path)];
	char *slash;
	int fd;

	snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	if (slash == NULL)
		strcpy(dir, ".");
	else if (slash == dir)
		dir[1] = '\0';
	else
		*slash = '\0';
	if (mkdir(dir, geteuid() == 0 ? 0755 : 0700) != 0 && errno != EEXIST)
		return complain("cannot create %s: %s", dir, strerror(errno));
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return complain("cannot open %s: %s", dir, strerror(errno));
	if (flock(fd, LOCK_EX) != 0) {
		complain("cannot lock %s: %s", dir, strerror(errno));
		close(fd);
		return -1;
	}
	return fd;
}

int
dv_chan_listen(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct stat st;
	mode_t mask;
	int dir, rc = -1;

	if (strlen(path) >= sizeof(at.sun_path))
		return complain("the socket's path is too long: %s", path);
	strcpy(at.sun_path, path);
	strcpy(chan.path, path);
	dir = folder_open(path);
	if (dir < 0)
		return -1;
	if (lstat(path, &st) == 0) {
		if (!S_ISSOCK(st.st_mode)) {
			complain("%s exists and is not a socket", path);
			goto out;
		}
		if (socket_alive(&at)) {
			complain("another guest uses the name: %s is in use", path);
			goto out;
		}
		unlink(path);
	}
	chan.listen = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	chan.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	mask = umask(0177);
	if (chan.listen < 0 || chan.wake < 0 ||
	    bind(chan.listen, (struct sockaddr *)&at, sizeof(at)) != 0) {
		umask(mask);
		complain("cannot listen on %s: %s", path, strerror(errno));
		goto out;
	}
	umask(mask);
	chan.made = lstat(path, &chan.inode) == 0;
	if (listen(chan.listen, MAXCONN) != 0) {
		complain("cannot listen on %s: %s", path, strerror(errno));
		goto out;
	}
	rc = 0;
out:
	close(dir);
	if (rc != 0)
		dv_chan_close();
	return rc;
}

void
dv_chan_wake(void)
{
	uint64_t one = 1;
	ssize_t n;

	if (chan.wake >= 0) {
		n = write(chan.wake, &one, sizeof(one));
		(void)n;		/* full: it is awake anyway */
	}
}

/* --- answers */

/*
 * A held guest waits for a program to start. If the one that was to start it
 * dies when its program is loaded, it waits for nobody any more; clients that
 * only look, or whose program was refused, leave it held for the next.
 */
static void
conn_close(struct conn *c)
{
	if (c->prog != NULL) {
		dv_tprog_unload(c->prog);
		if (__atomic_sub_fetch(&chan.loaded, 1, __ATOMIC_RELEASE) == 0)
			dv_guest_release();
	}
	close(c->fd);
	if (c->outfd >= 0)
		close(c->outfd);
	free(c->body);
	free(c->out);
	memset(c, 0, sizeof(*c));
	c->fd = c->outfd = -1;
}

static bool
conn_flush(struct conn *c)
{
	while (c->sent < c->nout) {
		struct iovec v = { c->out + c->sent, c->nout - c->sent };
		struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };
		union { struct cmsghdr h; char b[CMSG_SPACE(sizeof(int))]; } u;
		ssize_t n;

		if (c->outfd >= 0) {
			memset(&u, 0, sizeof(u));
			m.msg_control = &u;
			m.msg_controllen = sizeof(u.b);
			u.h.cmsg_level = SOL_SOCKET;
			u.h.cmsg_type = SCM_RIGHTS;
			u.h.cmsg_len = CMSG_LEN(sizeof(int));
			memcpy(CMSG_DATA(&u.h), &c->outfd, sizeof(int));
		}
		n = sendmsg(c->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK;
		c->sent += (size_t)n;
		if (c->outfd >= 0) {
			close(c->outfd);
			c->outfd = -1;
		}
	}
	free(c->out);
	c->out = NULL;
	c->nout = c->sent = 0;
	return true;
}

static bool
answer(struct conn *c, uint32_t seq, enum dv_ctl_type type,
       enum dv_ctl_status status, const void *body, size_t len)
{
	struct dv_ctl_hdr h = {
		.magic = DV_CTL_MAGIC, .type = (uint16_t)type,
		.status = (uint16_t)status, .seq = seq, .len = (uint32_t)len
	};
	uint8_t *p = realloc(c->out, c->nout + sizeof(h) + len);

	if (p == NULL)
		return false;
	memcpy(p + c->nout, &h, sizeof(h));
	if (len != 0)
		memcpy(p + c->nout + sizeof(h), body, len);
	c->out = p;
	c->nout += sizeof(h) + len;
	return conn_flush(c);
}

static bool
done(struct conn *c, const void *body, size_t len)
{
	return answer(c, c->hdr.seq, c->hdr.type, DV_CTL_OK, body, len);
}

__attribute__((format(printf, 3, 4)))
static bool
refuse(struct conn *c, enum dv_ctl_status status, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0)
		n = 0;
	if ((size_t)n >= sizeof(text))
		n = sizeof(text) - 1;
	return answer(c, c->hdr.seq, c->hdr.type, status, text, (size_t)n);
}

/* --- requests */

static void
info_fill(struct dv_ctl_info *info)
{
	struct qemu_version *v;
	char why[128];

	memset(info, 0, sizeof(*info));
	info->version = DV_CTL_VERSION;
	info->carrier = DV_CARRIER_TCG;
	info->nvcpu = dv_vcpu_count();
	info->max_vcpu = tcg.max_vcpu;
	info->qemu_pid = (uint32_t)getpid();
	if (dv_ram_build(&tcg.q, why, sizeof(why)) == 0)
		info->ram_bytes = dv_ram_get()->bytes;
	snprintf(info->name, sizeof(info->name), "%s", tcg.name);
	v = tcg.q.version != NULL && tcg.q.free_version != NULL ?
		tcg.q.version(NULL) : NULL;
	if (v != NULL) {
		snprintf(info->version_text, sizeof(info->version_text),
			 "QEMU %d.%d.%d", (int)v->qemu->major,
			 (int)v->qemu->minor, (int)v->qemu->micro);
		tcg.q.free_version(v);
	} else {
		snprintf(info->version_text, sizeof(info->version_text),
			 "QEMU, plugin API %d", tcg.api);
	}
	for (unsigned i = 0; i < info->nvcpu && i < 8; i++)
		info->cpu[i].idle = __atomic_load_n(&tcg.vcpu[i].idle,
						    __ATOMIC_RELAXED);
	dv_vcpu_snap_all(SNAP_NS);
	dv_guest_info(info);
}

static bool
req_hello(struct conn *c)
{
	struct dv_ctl_hello *h = (struct dv_ctl_hello *)c->body;
	struct dv_ctl_info info;

	if (c->hdr.len != sizeof(*h))
		return false;
	if (h->version != DV_CTL_VERSION)
		return refuse(c, DV_CTL_EPROTO, "the guest's dvisor-tcg.so speaks "
			      "version %u of the protocol, not %u",
			      DV_CTL_VERSION, h->version);
	if (c >= &chan.conn[MAXTRACERS])
		return refuse(c, DV_CTL_EBUSY, "busy: the guest has too many tracers (%d)",
		    MAXTRACERS);
	c->hello = true;
	info_fill(&info);
	return done(c, &info, sizeof(info));
}

static bool
req_read(struct conn *c)
{
	struct dv_ctl_read *r = (struct dv_ctl_read *)c->body;
	uint8_t *p;
	bool ok;

	if (c->hdr.len != sizeof(*r) || r->len > DV_CTL_MAXREAD)
		return false;
	p = malloc(r->len + 1);
	if (p == NULL)
		return refuse(c, DV_CTL_EREFUSED, "out of memory");
	if (dv_ram_read(r->gpa, p, r->len) != 0)
		ok = refuse(c, DV_CTL_EGUEST, "guest-physical 0x%llx+0x%llx is not RAM",
			    (unsigned long long)r->gpa, (unsigned long long)r->len);
	else
		ok = done(c, p, r->len);
	free(p);
	return ok;
}

static bool
req_wait(struct conn *c)
{
	struct dv_ctl_wait *w = (struct dv_ctl_wait *)c->body;
	uint64_t ns = w->timeout_ns;

	if (c->hdr.len != sizeof(*w) || c->waiting)
		return false;
	if (c->prog != NULL && ns > WAIT_MAX_NS)
		ns = WAIT_MAX_NS;
	c->waiting = true;
	c->wait_seq = c->hdr.seq;
	c->wait_state = w->state;
	c->wait_end = dv_tcg_now() + ns;
	if (c->wait_end < ns)
		c->wait_end = ~0ull;
	return true;
}

static bool
req_load(struct conn *c)
{
	struct dv_ctl_loaded l = { 0 };
	struct dv_reason why = { "" };
	enum dv_ctl_status status;
	int fd = -1;

	if (c->prog != NULL)
		return refuse(c, DV_CTL_EBUSY, "this connection has a program loaded");
	status = dv_tprog_load(c->body, c->hdr.len, c->pid, &c->prog, &l, &fd, &why);
	if (status != DV_CTL_OK)
		return refuse(c, status, "%s", why.text);
	c->body = NULL;			/* the program's now */
	__atomic_fetch_add(&chan.loaded, 1, __ATOMIC_RELEASE);
	c->outfd = fd;
	return done(c, &l, sizeof(l));
}

static bool
req_go(struct conn *c)
{
	struct dv_ctl_go *g = (struct dv_ctl_go *)c->body;
	struct dv_reason why = { "" };
	enum dv_ctl_status status;

	if (c->hdr.len != sizeof(*g))
		return false;
	status = dv_tprog_go(c->prog, g->generation, &why);
	if (status != DV_CTL_OK)
		return refuse(c, status, "%s", why.text);
	dv_guest_release();
	return done(c, NULL, 0);
}

static bool
req_unload(struct conn *c)
{
	dv_tprog_unload(c->prog);
	c->prog = NULL;
	__atomic_fetch_sub(&chan.loaded, 1, __ATOMIC_RELEASE);
	return done(c, NULL, 0);
}

static bool
req_snap(struct conn *c)
{
	struct dv_ctl_snapreq *r = (struct dv_ctl_snapreq *)c->body;
	struct dv_snap s = { 0 };

	if (c->hdr.len != sizeof(*r))
		return false;
	if (dv_tprog_snap(c->prog, r->cpu, r->which, &s) != 0)
		return refuse(c, DV_CTL_EREFUSED, "there is no buffer %u of CPU %u",
			      r->which, r->cpu);
	return done(c, &s, sizeof(s));
}

static bool
req_account(struct conn *c)
{
	struct dv_account a = { 0 };
	uint32_t ecb;

	if (c->hdr.len != 8)
		return false;
	memcpy(&ecb, c->body, sizeof(ecb));
	if (dv_tprog_account(c->prog, ecb, &a) != 0)
		return refuse(c, DV_CTL_EREFUSED, "there is no enabling %u", ecb);
	return done(c, &a, sizeof(a));
}

static bool
req_ping(struct conn *c)
{
	struct dv_ctl_pong pong = { .state = dv_vcpu_state() };

	pthread_mutex_lock(&tcg.lock);
	pong.generation = tcg.generation;
	pthread_mutex_unlock(&tcg.lock);
	return done(c, &pong, sizeof(pong));
}

static bool
req_cont(struct conn *c)
{
	const char *why = dv_tcg_cont();

	if (why != NULL)
		return refuse(c, DV_CTL_EREFUSED, "%s", why);
	return done(c, NULL, 0);
}

/* One whole request. False closes the connection. */
static bool
request(struct conn *c)
{
	struct dv_ctl_info info;
	struct dv_status status;

	if (c->hdr.type == DV_CTL_HELLO)
		return req_hello(c);
	if (!c->hello)
		return false;
	switch (c->hdr.type) {
	case DV_CTL_INFO:
		info_fill(&info);
		return done(c, &info, sizeof(info));
	case DV_CTL_READ:
		return req_read(c);
	case DV_CTL_PING:
		return req_ping(c);
	case DV_CTL_RESUME:
		dv_guest_release();
		return done(c, NULL, 0);
	case DV_CTL_CONT:
		return req_cont(c);
	case DV_CTL_WAIT:
		return req_wait(c);
	case DV_CTL_LOAD:
		return req_load(c);
	case DV_CTL_GO:
	case DV_CTL_STOP:
	case DV_CTL_SNAP:
	case DV_CTL_STATUS:
	case DV_CTL_ACCOUNT:
	case DV_CTL_UNLOAD:
		break;
	default:
		return false;
	}
	if (c->prog == NULL)
		return refuse(c, DV_CTL_EREFUSED, "no program is loaded");
	switch (c->hdr.type) {
	case DV_CTL_GO:
		return req_go(c);
	case DV_CTL_STOP:
		dv_tprog_stop(c->prog);
		return done(c, NULL, 0);
	case DV_CTL_SNAP:
		return req_snap(c);
	case DV_CTL_STATUS:
		memset(&status, 0, sizeof(status));
		dv_tprog_status(c->prog, &status);
		return done(c, &status, sizeof(status));
	case DV_CTL_ACCOUNT:
		return req_account(c);
	default:
		return req_unload(c);
	}
}

/* Reads what is there, one request at most. False closes the connection. */
static bool
conn_input(struct conn *c)
{
	size_t want;
	ssize_t n;
	bool ok;

	if (c->nhdr < sizeof(c->hdr)) {
		n = read(c->fd, (uint8_t *)&c->hdr + c->nhdr, sizeof(c->hdr) - c->nhdr);
		if (n <= 0)
			return n < 0 && (errno == EAGAIN || errno == EINTR);
		c->heard = dv_tcg_now();
		c->nhdr += (size_t)n;
		if (c->nhdr < sizeof(c->hdr))
			return true;
		if (c->hdr.magic != DV_CTL_MAGIC || c->hdr.len >
		    (c->hdr.type == DV_CTL_LOAD ? DV_CTL_MAXLEN : OTHER_MAXLEN))
			return false;
		if (c->hdr.type == DV_CTL_LOAD && !c->hello)
			return false;
		free(c->body);
		c->nbody = 0;
		/* at least as much as the fixed part of any request */
		c->body = calloc(1, c->hdr.len < 64 ? 64 : c->hdr.len);
		if (c->body == NULL)
			return false;
	}
	want = c->hdr.len - c->nbody;
	if (want != 0) {
		n = read(c->fd, c->body + c->nbody, want);
		if (n <= 0)
			return n < 0 && (errno == EAGAIN || errno == EINTR);
		c->heard = dv_tcg_now();
		c->nbody += (size_t)n;
		if ((size_t)n < want)
			return true;
	}
	c->nhdr = 0;
	ok = request(c);
	free(c->body);
	c->body = NULL;
	/* what took us long is not the client's silence */
	c->heard = dv_tcg_now();
	return ok;
}

/* All places are taken: the one that has been silent for longest may go. */
static void
make_room(uint64_t now)
{
	struct conn *victim = NULL;
	unsigned i;

	for (i = 0; i < MAXTRACERS; i++) {
		struct conn *c = &chan.conn[i];

		if (c->fd < 0)
			return;
		if (c->prog == NULL && !c->waiting && now >= c->heard + IDLE_NS &&
		    (victim == NULL || c->heard < victim->heard))
			victim = c;
	}
	if (victim != NULL)
		conn_close(victim);
}

static void
conn_accept(void)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);
	unsigned i;
	int fd = accept4(chan.listen, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0) {
		if (errno != EAGAIN && errno != ECONNABORTED)
			usleep(1000);	/* no file descriptors: not a busy loop */
		return;
	}
	make_room(dv_tcg_now());
	for (i = 0; i < MAXCONN && chan.conn[i].fd >= 0; i++)
		;
	if (i == MAXCONN ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) != 0 ||
	    (cred.uid != 0 && cred.uid != geteuid())) {
		close(fd);
		return;
	}
	memset(&chan.conn[i], 0, sizeof(chan.conn[i]));
	chan.conn[i].fd = fd;
	chan.conn[i].outfd = -1;
	chan.conn[i].pid = (uint32_t)cred.pid;
	chan.conn[i].came = chan.conn[i].heard = dv_tcg_now();
}

/* --- the thread */

static void
conn_waited(struct conn *c, uint64_t now)
{
	bool there = (dv_vcpu_state() & c->wait_state) == c->wait_state;

	if (!there && now < c->wait_end)
		return;
	c->waiting = false;
	c->heard = now;
	if (!answer(c, c->wait_seq, DV_CTL_WAIT, there ? DV_CTL_OK : DV_CTL_TIMEOUT,
		    NULL, 0))
		conn_close(c);
}

/* When a connection is too old for what it has said. */
static uint64_t
conn_end(const struct conn *c)
{
	return c->prog != NULL ? c->heard + DV_CTL_DEAD_NS :
	    c->hello ? UINT64_MAX : c->came + HELLO_NS;
}

/*
 * Silent for too long? What another client's request cost us is not this one's
 * silence: not if something lies there to be read, or room to send to.
 */
static bool
conn_dead(const struct conn *c, uint64_t now)
{
	struct pollfd p = { c->fd, c->out != NULL ? POLLOUT : POLLIN, 0 };

	return now >= conn_end(c) && poll(&p, 1, 0) <= 0;
}

static void *
service(void *arg)
{
	struct pollfd p[MAXCONN + 2];
	unsigned i;

	(void)arg;
	if (tcg.q.rcu_register != NULL)
		tcg.q.rcu_register();
	while (!__atomic_load_n(&chan.quit, __ATOMIC_ACQUIRE)) {
		uint64_t now = dv_tcg_now(), next = dv_tprog_poll(now), count;
		struct timespec t;
		ssize_t n;

		p[0] = (struct pollfd){ chan.listen, POLLIN, 0 };
		p[1] = (struct pollfd){ chan.wake, POLLIN, 0 };
		for (i = 0; i < MAXCONN; i++) {
			struct conn *c = &chan.conn[i];

			p[i + 2] = (struct pollfd){ c->fd,
				c->out != NULL ? POLLOUT : POLLIN, 0 };
			if (c->fd < 0)
				continue;
			if (conn_end(c) < next)
				next = conn_end(c);
			if (c->waiting && now + WAIT_POLL_NS < next)
				next = now + WAIT_POLL_NS;
			if (c->waiting && c->out == NULL)
				p[i + 2].events = POLLRDHUP;
		}
		next = next > now ? next - now : 0;
		t.tv_sec = (time_t)(next / 1000000000ull);
		t.tv_nsec = (long)(next % 1000000000ull);
		if (ppoll(p, MAXCONN + 2, next > 3600000000000ull ? NULL : &t, NULL) < 0)
			for (i = 0; i < MAXCONN + 2; i++)
				p[i].revents = 0;
		if (p[1].revents != 0) {
			n = read(chan.wake, &count, sizeof(count));
			(void)n;
		}
		for (i = 0; i < MAXCONN; i++) {
			struct conn *c = &chan.conn[i];

			if (c->fd < 0)
				continue;
			if (p[i + 2].revents & POLLOUT) {
				c->heard = dv_tcg_now();	/* it reads */
				if (!conn_flush(c))
					conn_close(c);
			} else if (p[i + 2].revents != 0) {
				if (c->waiting || !conn_input(c))
					conn_close(c);
			}
			now = dv_tcg_now();
			if (c->fd >= 0 && c->waiting)
				conn_waited(c, now);
			else if (c->fd >= 0 && conn_dead(c, now))
				conn_close(c);
		}
		if (p[0].revents != 0)
			conn_accept();
	}
	for (i = 0; i < MAXCONN; i++)
		if (chan.conn[i].fd >= 0)
			shutdown(chan.conn[i].fd, SHUT_RDWR);
	__atomic_store_n(&chan.gone, 1, __ATOMIC_RELEASE);
	return NULL;
}

int
dv_chan_start(void)
{
	sigset_t all, old;
	unsigned i;
	int rc;

	if (chan.started)
		return 0;
	for (i = 0; i < MAXCONN; i++)
		chan.conn[i].fd = chan.conn[i].outfd = -1;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&chan.thread, NULL, service, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc != 0)
		return complain("cannot start the service thread: %s", strerror(rc));
	chan.started = true;
	pthread_setname_np(chan.thread, "dvisor");
	return 0;
}

/* Main thread; the guest ends or its machine is about to be taken apart. */
void
dv_chan_end(uint64_t ns)
{
	uint64_t end = dv_tcg_now() + ns;

	__atomic_store_n(&tcg.ending, 1, __ATOMIC_RELEASE);
	dv_guest_release();
	dv_chan_wake();
	while (__atomic_load_n(&chan.loaded, __ATOMIC_ACQUIRE) != 0 &&
	       dv_tcg_now() < end)
		usleep(1000);
	__atomic_store_n(&tcg.ending, 0, __ATOMIC_RELEASE);
}

void
dv_chan_close(void)
{
	struct stat st;
	uint64_t end;

	__atomic_store_n(&chan.quit, 1, __ATOMIC_RELEASE);
	dv_chan_wake();
	end = dv_tcg_now() + 200000000ull;
	while (chan.started && !__atomic_load_n(&chan.gone, __ATOMIC_ACQUIRE) &&
	       dv_tcg_now() < end)
		usleep(500);
	if (chan.made && lstat(chan.path, &st) == 0 &&
	    st.st_ino == chan.inode.st_ino && st.st_dev == chan.inode.st_dev)
		unlink(chan.path);
	chan.made = false;
	if (!chan.started) {
		if (chan.listen >= 0)
			close(chan.listen);
		if (chan.wake >= 0)
			close(chan.wake);
		chan.listen = chan.wake = -1;
	}
}
