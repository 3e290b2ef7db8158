/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chan_ctl.c - requests of dv_ctl.h to a carrier, over any transport.
 *
 * One request at a time; its answer has the same type and number. Whatever the
 * other side says is checked before it is used: lengths against what was asked for,
 * offsets against the region that is mapped. The region is mapped read-only, and
 * the transport knows that it cannot shrink under us.
 *
 * A carrier that does not respond within CTL_CALL_NS, or says what we cannot
 * follow, is given up for good.
 *
 * While a program is loaded the carrier wants to hear of us. A thread sends a
 * PING when nothing else was sent for BEAT_NS, so that a command whose output
 * is held up (a pager, system()) keeps its trace; a stopped or dead one does
 * not. Requests of the two threads take turns under `lock`.
 */
#include "chan_ctl.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define BEAT_NS (DV_CTL_DEAD_NS / 4)

int
ctl_fail(struct ctl_chan *c, struct dv_err *err, const char *what)
{
	c->broken = true;
	return dv_err_set(err, DV_E_IO, "guest \"%s\": %s", c->name, what);
}

int
ctl_gone(struct ctl_chan *c, struct dv_err *err)
{
	c->broken = c->gone = true;
	return dv_err_set(err, DV_E_GUEST, "guest \"%s\" ended", c->name);
}

int
ctl_dropped(struct ctl_chan *c, struct dv_err *err)
{
	return ctl_fail(c, err, "it has ended the trace: this command was silent for too long");
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

static int
call_locked(struct ctl_chan *c, enum dv_ctl_type type, const void *body, size_t len,
	    void *ret, size_t want, uint64_t ns, struct dv_err *err)
{
	struct dv_ctl_hdr h = {
		.magic = DV_CTL_MAGIC, .type = (uint16_t)type,
		.seq = ++c->seq, .len = (uint32_t)len
	};
	char text[512];
	int rc;

	if (c->gone)
		return ctl_gone(c, err);
	if (c->broken)
		return dv_err_set(err, DV_E_GUEST, "the connection to guest \"%s\" is lost",
				  c->name);
	rc = c->transport->exchange(c, &h, body, ret, want, text, sizeof(text),
				    dv_clock_ns() + ns, err);
	if (rc != 0)
		return rc;
	if (h.status != DV_CTL_OK)
		return dv_err_set(err, status_code(h.status), "%s",
				  text[0] != '\0' ? text : "the carrier gave no reason");
	c->heard = dv_clock_ns();
	return 0;
}

int
ctl_call(struct ctl_chan *c, enum dv_ctl_type type, const void *body, size_t len,
	 void *ret, size_t want, uint64_t ns, struct dv_err *err)
{
	int rc;

	pthread_mutex_lock(&c->lock);
	rc = call_locked(c, type, body, len, ret, want, ns, err);
	pthread_mutex_unlock(&c->lock);
	return rc;
}

static void *
heartbeat(void *arg)
{
	struct ctl_chan *t = arg;
	struct dv_ctl_pong pong;
	struct timespec ts;
	uint64_t next;

	pthread_mutex_lock(&t->lock);
	while (!t->quit && !t->broken) {
		next = t->heard + BEAT_NS;
		if (dv_clock_ns() >= next) {
			/* A failure stays in t->broken, for the next request to tell. */
			(void)call_locked(t, DV_CTL_PING, NULL, 0, &pong, sizeof(pong),
					  CTL_CALL_NS, NULL);
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
heartbeat_start(struct ctl_chan *t, struct dv_err *err)
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
heartbeat_stop(struct ctl_chan *t)
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
regions_unmap(struct ctl_chan *t)
{
	if (t->shared != NULL)
		munmap((void *)(uintptr_t)t->shared, t->shared_len);
	t->shared = NULL;
	t->shared_len = 0;
}

static int
ctl_info(struct dv_chan *c, struct dv_ctl_info *ret, struct dv_err *err)
{
	struct ctl_chan *t = (struct ctl_chan *)c;
	int rc = ctl_call(t, DV_CTL_INFO, NULL, 0, ret, sizeof(*ret), CTL_CALL_NS, err);

	if (rc != 0)
		return rc;
	ret->name[sizeof(ret->name) - 1] = '\0';
	ret->version_text[sizeof(ret->version_text) - 1] = '\0';
	c->state = ret->state;
	c->generation = ret->generation;
	return 0;
}

static int
ctl_read(struct dv_chan *c, uint64_t gpa, void *buf, size_t len,
	 struct dv_err *err)
{
	while (len != 0) {
		size_t n = len < DV_CTL_MAXREAD ? len : DV_CTL_MAXREAD;
		struct dv_ctl_read r = { gpa, n };
		int rc = ctl_call((struct ctl_chan *)c, DV_CTL_READ, &r, sizeof(r),
			      buf, n, CTL_CALL_NS, err);

		if (rc != 0)
			return rc;
		buf = (uint8_t *)buf + n;
		gpa += n;
		len -= n;
	}
	return 0;
}

static int
ctl_load(struct dv_chan *c, const void *blob, size_t len, unsigned *ret,
	 struct dv_err *err)
{
	struct ctl_chan *t = (struct ctl_chan *)c;
	struct dv_ctl_loaded l;
	const void *p;
	int rc;

	if (len > DV_CTL_MAXLEN)
		return dv_err_set(err, DV_E_INVAL, "the program has %zu bytes, more "
				  "than the %u that a carrier takes", len, DV_CTL_MAXLEN);
	rc = ctl_call(t, DV_CTL_LOAD, blob, len, &l, sizeof(l), CTL_CALL_NS, err);
	if (rc != 0)
		return rc;
	if (l.shared_len == 0 || l.nvcpu > DV_CTL_MAXCPU)
		return ctl_fail(t, err, "what it shares cannot be trusted");
	if ((rc = t->transport->map(t, l.shared_len, &p, err)) != 0)
		return rc;
	regions_unmap(t);
	t->shared = p;
	t->shared_len = l.shared_len;
	*ret = l.nvcpu;
	return heartbeat_start(t, err);
}

static int
simple(struct dv_chan *c, enum dv_ctl_type type, struct dv_err *err)
{
	return ctl_call((struct ctl_chan *)c, type, NULL, 0, NULL, 0, CTL_CALL_NS, err);
}

static int
ctl_go(struct dv_chan *c, uint64_t generation, struct dv_err *err)
{
	struct dv_ctl_go g = { generation };

	return ctl_call((struct ctl_chan *)c, DV_CTL_GO, &g, sizeof(g), NULL, 0, CTL_CALL_NS,
			err);
}

static int
ctl_stop(struct dv_chan *c, struct dv_err *err)
{
	return simple(c, DV_CTL_STOP, err);
}

static int
ctl_snap(struct dv_chan *c, unsigned cpu, enum dv_which which, struct dv_snap *snap,
	 const void **data, struct dv_err *err)
{
	struct ctl_chan *t = (struct ctl_chan *)c;
	struct dv_ctl_snapreq r = { cpu, (uint32_t)which };
	int rc = ctl_call(t, DV_CTL_SNAP, &r, sizeof(r), snap, sizeof(*snap), CTL_CALL_NS, err);

	if (rc != 0)
		return rc;
	if (snap->off > t->shared_len || snap->len > t->shared_len - snap->off ||
	    snap->wrapped > snap->len)
		return ctl_fail(t, err, "a buffer lies outside of what it shares");
	*data = t->shared + snap->off;
	return 0;
}

static int
ctl_status(struct dv_chan *c, struct dv_status *ret, struct dv_err *err)
{
	return ctl_call((struct ctl_chan *)c, DV_CTL_STATUS, NULL, 0, ret, sizeof(*ret),
		    CTL_CALL_NS, err);
}

static int
ctl_account(struct dv_chan *c, uint32_t ecb, struct dv_account *ret,
	    struct dv_err *err)
{
	uint32_t r[2] = { ecb, 0 };

	return ctl_call((struct ctl_chan *)c, DV_CTL_ACCOUNT, r, sizeof(r), ret,
		    sizeof(*ret), CTL_CALL_NS, err);
}

static int
ctl_ping(struct dv_chan *c, struct dv_err *err)
{
	struct dv_ctl_pong p;
	int rc = ctl_call((struct ctl_chan *)c, DV_CTL_PING, NULL, 0, &p, sizeof(p),
		      CTL_CALL_NS, err);

	if (rc == 0) {
		c->state = p.state;
		c->generation = p.generation;
	}
	return rc;
}

static int
ctl_unload(struct dv_chan *c, struct dv_err *err)
{
	heartbeat_stop((struct ctl_chan *)c);
	regions_unmap((struct ctl_chan *)c);
	return simple(c, DV_CTL_UNLOAD, err);
}

static int
ctl_resume(struct dv_chan *c, struct dv_err *err)
{
	return simple(c, DV_CTL_RESUME, err);
}

static int
ctl_cont(struct dv_chan *c, struct dv_err *err)
{
	return simple(c, DV_CTL_CONT, err);
}

static int
ctl_wait(struct dv_chan *c, uint32_t state, uint64_t timeout_ns,
	 struct dv_err *err)
{
	struct dv_ctl_wait w = { .state = state, .timeout_ns = timeout_ns };
	uint64_t ns = timeout_ns + CTL_CALL_NS;
	int rc = ctl_call((struct ctl_chan *)c, DV_CTL_WAIT, &w, sizeof(w), NULL, 0,
		      ns < CTL_CALL_NS ? ~0ull >> 2 : ns, err);

	if (rc == DV_E_AGAIN && !((struct ctl_chan *)c)->broken)
		dv_err_set(err, rc, "the guest did not get there in time");
	return rc;
}

void
ctl_close(struct dv_chan *chan)
{
	struct ctl_chan *c = (struct ctl_chan *)chan;

	heartbeat_stop(c);
	regions_unmap(c);
	c->transport->fini(c);
	pthread_cond_destroy(&c->wake);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static const struct dv_chan_ops ctl_ops = {
	.info = ctl_info, .read = ctl_read, .load = ctl_load,
	.go = ctl_go, .stop = ctl_stop, .snap = ctl_snap, .status = ctl_status,
	.account = ctl_account, .ping = ctl_ping, .unload = ctl_unload,
	.resume = ctl_resume, .cont = ctl_cont, .wait = ctl_wait, .close = ctl_close
};

void
ctl_init(struct ctl_chan *c, const struct ctl_transport *transport, const char *name)
{
	pthread_condattr_t attr;

	c->chan.ops = &ctl_ops;
	c->transport = transport;
	pthread_mutex_init(&c->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&c->wake, &attr);
	pthread_condattr_destroy(&attr);
	snprintf(c->name, sizeof(c->name), "%s", name);
}
