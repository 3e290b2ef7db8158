/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chan_host.c - a channel to no guest: the probe machine in this process.
 *
 * A program of dtrace and tick probes needs no VM. There is no vCPU then, only
 * the host context: CPU 0 of the state, all of it "control" (core/state.h), so
 * one lock around the state makes everything right. A thread of ours fires the
 * timers and cleans while the program runs; the requests are plain calls.
 *
 * Guest registers do not exist and every guest address is a fault.
 */
#include "chan.h"
#include "base/clock.h"
#include "base/mem.h"
#include "core/prog.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define NO_GUEST "there is no guest"

struct host_chan {
	struct dv_chan chan;
	pthread_mutex_t lock;
	pthread_cond_t change;		/* of what the thread waits for */
	/* under lock */
	struct dv_state *state;		/* NULL: no program */
	bool running, quit;
	uint64_t *due;			/* per timer */
	uint64_t clean_due;
	/* constant while a program is loaded */
	void *blob, *priv, *shared;
	size_t priv_len, shared_len;
	pthread_t thread;
	bool thread_made;
};

static uint64_t
carrier_reg(struct dv_ctx *ctx, unsigned reg)
{
	(void)ctx;
	(void)reg;
	return 0;
}

static int
carrier_read(struct dv_ctx *ctx, dv_gpa_t at, void *buf, size_t len)
{
	(void)ctx;
	(void)at;
	(void)buf;
	(void)len;
	return -1;
}

static uint64_t
carrier_clock(struct dv_ctx *ctx)
{
	(void)ctx;
	return dv_clock_ns();
}

static uint64_t
carrier_wallclock(struct dv_ctx *ctx)
{
	struct timespec t;

	(void)ctx;
	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

/* The lock is held, so everything of this program waits, as chill() wants. */
static void
carrier_delay(struct dv_ctx *ctx, uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000ull), (long)(ns % 1000000000ull) };

	(void)ctx;
	while (nanosleep(&t, &t) != 0 && errno == EINTR)
		;
}

static const struct dv_carrier carrier = {
	.reg = carrier_reg, .read_phys = carrier_read,
	.clock = carrier_clock, .wallclock = carrier_wallclock,
	.delay = carrier_delay, .no_write = NO_GUEST, .no_halt = NO_GUEST
};

/* Fires what is due; the lock is held. Returns when to come again. */
static uint64_t
timers_fire(struct host_chan *h)
{
	const struct dv_prog *prog = dv_state_prog(h->state);
	uint64_t now = dv_clock_ns(), next;
	struct dv_ctx ctx;

	if (now >= h->clean_due) {
		dv_clean(h->state);
		h->clean_due = dv_clock_next(h->clean_due, dv_prog_opt(prog, DV_OPT_CLEANRATE),
		    now);
	}
	next = h->clean_due;
	for (uint32_t i = 0; i < prog->ntimers; i++) {
		if (prog->timers[i].flags & DV_TIMER_ALLVCPU)
			continue;	/* there is no vCPU */
		if (now >= h->due[i]) {
			dv_ctx_host(&ctx);
			dv_fire_timer(h->state, &ctx, i);
			h->due[i] = dv_clock_next(h->due[i], prog->timers[i].period, now);
		}
		if (h->due[i] < next)
			next = h->due[i];
	}
	return next;
}

static void *
timer_thread(void *arg)
{
	struct host_chan *h = arg;
	struct timespec t;
	uint64_t next;

	pthread_mutex_lock(&h->lock);
	while (!h->quit) {
		if (!h->running) {
			pthread_cond_wait(&h->change, &h->lock);
			continue;
		}
		next = timers_fire(h);
		t.tv_sec = (time_t)(next / 1000000000ull);
		t.tv_nsec = (long)(next % 1000000000ull);
		pthread_cond_timedwait(&h->change, &h->lock, &t);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

static void
program_forget(struct host_chan *h)
{
	struct dv_ctx ctx;

	pthread_mutex_lock(&h->lock);
	if (h->running) {
		dv_ctx_host(&ctx);
		dv_state_stop(h->state, &ctx);
		h->running = false;
	}
	dv_state_destroy(h->state);
	h->state = NULL;
	pthread_mutex_unlock(&h->lock);
	free(h->blob);
	free(h->due);
	if (h->priv != NULL)
		munmap(h->priv, h->priv_len);
	if (h->shared != NULL)
		munmap(h->shared, h->shared_len);
	h->blob = h->priv = h->shared = NULL;
	h->due = NULL;
}

static int
host_info(struct dv_chan *c, struct dv_ctl_info *ret, struct dv_err *err)
{
	(void)c;
	(void)err;
	memset(ret, 0, sizeof(*ret));
	ret->version = DV_CTL_VERSION;
	ret->carrier = DV_CARRIER_HOST;
	return 0;
}

static int
host_read(struct dv_chan *c, uint64_t gpa, void *buf, size_t len,
	  struct dv_err *err)
{
	(void)c;
	(void)gpa;
	(void)buf;
	(void)len;
	return dv_err_set(err, DV_E_UNSUP, NO_GUEST);
}

static void *
map(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static int
host_load(struct dv_chan *c, const void *blob, size_t len, unsigned *nvcpu,
	  struct dv_err *err)
{
	struct host_chan *h = (struct host_chan *)c;
	struct dv_reason why = { "" };
	uint64_t seed, available;
	struct dv_state *s;
	int rc;

	if (h->state != NULL)
		return dv_err_set(err, DV_E_BUSY, "a program is loaded");
	if ((rc = dv_state_sizes(blob, len, 0, &h->priv_len, &h->shared_len, &why)) != 0)
		return dv_err_set(err, rc == DV_STATE_TOOBIG ? DV_E_NOMEM : DV_E_INVAL, "%s",
		    why.text);
	if (!dv_mem_fits(h->priv_len + h->shared_len, &available))
		return dv_err_set(err, DV_E_NOMEM, "cannot make %zu bytes of buffers: %llu are "
				  "available", h->priv_len + h->shared_len,
				  (unsigned long long)available);
	h->blob = malloc(len);
	h->priv = map(h->priv_len);
	h->shared = map(h->shared_len);
	if (h->blob == NULL || h->priv == NULL || h->shared == NULL) {
		rc = dv_err_set(err, DV_E_NOMEM, "cannot make %zu bytes of buffers: %s",
				h->priv_len + h->shared_len, strerror(errno));
		goto bad;
	}
	memcpy(h->blob, blob, len);
	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = dv_clock_ns() * 0x9e3779b97f4a7c15ull;
	if (dv_state_create(h->blob, len, 0, h->priv, h->priv_len, h->shared,
			    h->shared_len, &carrier, seed, &why, &s) != 0) {
		rc = dv_err_set(err, DV_E_INVAL, "%s", why.text);
		goto bad;
	}
	h->due = calloc(dv_state_prog(s)->ntimers + 1, sizeof(*h->due));
	if (h->due == NULL) {
		dv_state_destroy(s);
		rc = dv_err_nomem(err);
		goto bad;
	}
	pthread_mutex_lock(&h->lock);
	h->state = s;
	pthread_mutex_unlock(&h->lock);
	*nvcpu = 0;
	return 0;
bad:
	program_forget(h);
	return rc;
}

/* Locks, if a program is loaded. */
static int
hold(struct host_chan *h, struct dv_err *err)
{
	pthread_mutex_lock(&h->lock);
	if (h->state != NULL)
		return 0;
	pthread_mutex_unlock(&h->lock);
	return dv_err_set(err, DV_E_INVAL, "no program is loaded");
}

static int
host_go(struct dv_chan *c, uint64_t generation, struct dv_err *err)
{
	struct host_chan *h = (struct host_chan *)c;
	const struct dv_prog *prog;
	struct dv_ctx ctx;
	uint64_t now;
	int rc;

	(void)generation;		/* there is no guest */
	if ((rc = hold(h, err)) != 0)
		return rc;
	prog = dv_state_prog(h->state);
	dv_ctx_host(&ctx);
	dv_state_go(h->state, &ctx);
	now = dv_clock_ns();
	for (uint32_t i = 0; i < prog->ntimers; i++)
		h->due[i] = now + prog->timers[i].period;
	h->clean_due = now + dv_prog_opt(prog, DV_OPT_CLEANRATE);
	h->running = true;
	pthread_cond_signal(&h->change);
	pthread_mutex_unlock(&h->lock);
	return 0;
}

static int
host_stop(struct dv_chan *c, struct dv_err *err)
{
	struct host_chan *h = (struct host_chan *)c;
	struct dv_ctx ctx;
	int rc;

	if ((rc = hold(h, err)) != 0)
		return rc;
	if (h->running) {
		h->running = false;
		dv_ctx_host(&ctx);
		dv_state_stop(h->state, &ctx);
	}
	pthread_mutex_unlock(&h->lock);
	return 0;
}

static int
host_snap(struct dv_chan *c, unsigned cpu, enum dv_which which,
	  struct dv_snap *ret, const void **data, struct dv_err *err)
{
	struct host_chan *h = (struct host_chan *)c;
	int rc;

	if ((rc = hold(h, err)) != 0)
		return rc;
	rc = dv_snap(h->state, cpu, which, ret);
	pthread_mutex_unlock(&h->lock);
	if (rc != 0)
		return dv_err_set(err, DV_E_INVAL, "there is no buffer %d of CPU %u",
				  (int)which, cpu);
	*data = (const uint8_t *)h->shared + ret->off;
	return 0;
}

static int
host_status(struct dv_chan *c, struct dv_status *ret, struct dv_err *err)
{
	struct host_chan *h = (struct host_chan *)c;
	int rc;

	if ((rc = hold(h, err)) != 0)
		return rc;
	dv_status(h->state, ret);
	pthread_mutex_unlock(&h->lock);
	return 0;
}

static int
host_account(struct dv_chan *c, uint32_t ecb, struct dv_account *ret,
	     struct dv_err *err)
{
	struct host_chan *h = (struct host_chan *)c;
	int rc;

	if ((rc = hold(h, err)) != 0)
		return rc;
	rc = dv_account(h->state, ecb, ret);
	pthread_mutex_unlock(&h->lock);
	return rc == 0 ? 0 :
		dv_err_set(err, DV_E_INVAL, "there is no enabling %u", ecb);
}

static int
host_ping(struct dv_chan *c, struct dv_err *err)
{
	(void)c;
	(void)err;
	return 0;
}

static int
host_unload(struct dv_chan *c, struct dv_err *err)
{
	(void)err;
	program_forget((struct host_chan *)c);
	return 0;
}

static int
host_resume(struct dv_chan *c, struct dv_err *err)
{
	(void)c;
	return dv_err_set(err, DV_E_UNSUP, NO_GUEST);
}

static int
host_cont(struct dv_chan *c, struct dv_err *err)
{
	return host_resume(c, err);
}

static int
host_wait(struct dv_chan *c, uint32_t state, uint64_t timeout_ns,
	  struct dv_err *err)
{
	(void)c;
	(void)state;
	(void)timeout_ns;
	return dv_err_set(err, DV_E_UNSUP, NO_GUEST);
}

static void
host_close(struct dv_chan *c)
{
	struct host_chan *h = (struct host_chan *)c;

	program_forget(h);
	if (h->thread_made) {
		pthread_mutex_lock(&h->lock);
		h->quit = true;
		pthread_cond_signal(&h->change);
		pthread_mutex_unlock(&h->lock);
		pthread_join(h->thread, NULL);
	}
	pthread_cond_destroy(&h->change);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

static const struct dv_chan_ops host_ops = {
	.info = host_info, .read = host_read, .load = host_load, .go = host_go,
	.stop = host_stop, .snap = host_snap, .status = host_status,
	.account = host_account, .ping = host_ping, .unload = host_unload,
	.resume = host_resume, .cont = host_cont, .wait = host_wait, .close = host_close
};

int
chan_host_open(struct dv_err *err, struct dv_chan **ret)
{
	struct host_chan *h = calloc(1, sizeof(*h));
	pthread_condattr_t attr;
	sigset_t all, old;
	int rc;

	if (h == NULL)
		return dv_err_nomem(err);
	h->chan.ops = &host_ops;
	pthread_mutex_init(&h->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&h->change, &attr);
	pthread_condattr_destroy(&attr);
	/* signals are the command's */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&h->thread, NULL, timer_thread, h);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc != 0) {
		host_close(&h->chan);
		return dv_err_set(err, DV_E_IO, "cannot start a thread: %s", strerror(rc));
	}
	h->thread_made = true;
	*ret = &h->chan;
	return 0;
}
