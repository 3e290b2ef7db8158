/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chan_ctl.h - channels that speak dv_ctl.h, over whatever carries its messages.
 *
 * chan_ctl.c has all that is the same for them: the requests, what is checked of
 * their answers, the mapped buffers, the heartbeat. A transport carries one
 * request and its answer. It embeds struct ctl_chan first.
 */
#ifndef DV_CHAN_CTL_H
#define DV_CHAN_CTL_H
#include "chan.h"

#include <pthread.h>

struct ctl_chan;

/*
 * All are called with c->lock held, map and fini also by a thread that is alone.
 * Returned is 0 or DV_E_*, with err filled; after anything but 0 of exchange or map
 * c->broken is true.
 */
struct ctl_transport {
	/*
	 * Sends h and h->len bytes of body; puts the answer's header into *h. If its
	 * status is 0, exactly `want` bytes of body go to ret, else its text, NUL-terminated
	 * and cut to textlen, to text. Gives up at `end`, dv_clock_ns() time.
	 */
	int (*exchange)(struct ctl_chan *c, struct dv_ctl_hdr *h, const void *body,
	    void *ret, size_t want, char *text, size_t textlen, uint64_t end,
	    struct dv_err *err);
	/* Maps the shared region that the answered LOAD has made. */
	int (*map)(struct ctl_chan *c, uint64_t len, const void **ret, struct dv_err *err);
	/* Lets go of what is the transport's own, and is not NULL or -1. */
	void (*fini)(struct ctl_chan *c);
};

struct ctl_chan {
	struct dv_chan chan;
	const struct ctl_transport *transport;
	pthread_mutex_t lock;		/* of the next five, and the transport's own */
	uint32_t seq;
	bool broken;			/* no more requests */
	bool gone;			/* broken, because the guest has ended */
	bool quit;			/* the heartbeat shall end */
	uint64_t heard;			/* ns, of the last answer */
	pthread_cond_t wake;		/* quit was set */
	pthread_t beat;
	bool beating;			/* there is such a thread */
	char name[108];			/* of the guest, for messages */
	const uint8_t *shared;
	size_t shared_len;
};

#define CTL_CALL_NS 5000000000ull	/* a carrier answers within that */

/* Zeroed but for what the two arguments are. */
void ctl_init(struct ctl_chan *c, const struct ctl_transport *transport, const char *name);
/* Also of one whose transport was never opened; frees c. */
void ctl_close(struct dv_chan *c);

/* "guest "NAME": what"; nothing can be asked any more. */
int  ctl_fail(struct ctl_chan *c, struct dv_err *err, const char *what);
/* The guest has ended. */
int  ctl_gone(struct ctl_chan *c, struct dv_err *err);
/* The carrier has ended the trace, and says so by being silent or empty. */
int  ctl_dropped(struct ctl_chan *c, struct dv_err *err);

/* One request and its answer, which must be exactly `want` bytes. */
int  ctl_call(struct ctl_chan *c, enum dv_ctl_type type, const void *body, size_t len,
	      void *ret, size_t want, uint64_t ns, struct dv_err *err);

#endif
