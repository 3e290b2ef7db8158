/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * destr.c - stopping and delaying the guest on behalf of a probe.
 *
 * Both happen in a vCPU's own thread, in the callback of the instruction at
 * which the probe fired, after the machine has let go of its gate.
 *
 * Stopping: QEMU is asked to pause, as its own vCPU threads ask when they meet
 * an error, and the vCPU waits in its callback until QEMU has begun: so it
 * executes no further block. It must not wait for the end, as QEMU waits for
 * its vCPUs to come out. The other vCPUs stop within that time.
 *
 * Delaying: the vCPU's thread sleeps. With a thread for each vCPU the others
 * run on; but QEMU stops all of them for some work of its own (to throw
 * translated code away, for atomics that the host lacks) and then waits for
 * this one. So the sleep is done in slices, and ends early when the VM is
 * paused or the trace ends.
 *
 * Resuming is the business of QEMU's main thread, which gets it as a bottom
 * half, like a `cont` that came over its monitor.
 *
 * Work that was queued to a vCPU (profile-n) runs with QEMU's big lock held; it
 * is let go meanwhile, as QEMU itself does for exclusive work in the queue.
 */
#include "tcg/tcg.h"

#include <stdio.h>
#include <time.h>

#define HALT_NS		1000000000ull	/* until QEMU is no longer waited for */
#define CONT_NS		2000000000ull	/* until QEMU's main thread is given up */
#define SLICE_NS	1000000ull
#define SPIN_NS		100000ull	/* less is no sleep */

/* Until `end`, or it no longer makes sense. */
static void
wait_running(uint64_t end, const uint32_t *on)
{
	bool locked = tcg.q.bql_locked != NULL && tcg.q.bql_locked();
	uint64_t now, left;

	if (locked && (tcg.q.bql_unlock == NULL || tcg.q.bql_lock == NULL))
		return;
	if (locked)
		tcg.q.bql_unlock();
	while ((now = dv_tcg_now()) < end && __atomic_load_n(on, __ATOMIC_ACQUIRE) &&
	       (tcg.q.running == NULL || tcg.q.running())) {
		left = end - now < SLICE_NS ? end - now : SLICE_NS;
		if (left >= SPIN_NS)
			nanosleep(&(struct timespec){ 0, (long)left }, NULL);
	}
	if (locked)
		tcg.q.bql_lock(__FILE__, __LINE__);
}

bool
dv_tcg_can_halt(void)
{
	return qemu_int_paused(&tcg.q) >= 0;
}

void
dv_tcg_halt(const uint32_t *on)
{
	tcg.q.halt_prepare();
	tcg.q.halt_request(qemu_int_paused(&tcg.q));
	if (on != NULL)
		wait_running(dv_tcg_now() + HALT_NS, on);
}

void
dv_tcg_delay(uint64_t ns, const uint32_t *on)
{
	static const uint32_t yes = 1;

	wait_running(dv_tcg_now() + ns, on != NULL ? on : &yes);
}

static struct {				/* under tcg.lock */
	uintptr_t asked;		/* number of the request that is waited for; 0: none */
	uintptr_t last;			/* number given last */
	bool done;			/* it has its answer: why */
	char why[200];
} cont;

/* A request that nobody waits for any more does nothing. */
static void
cont_main(void *opaque)
{
	void *error = NULL;
	bool wanted;

	pthread_mutex_lock(&tcg.lock);
	wanted = cont.asked == (uintptr_t)opaque;
	pthread_mutex_unlock(&tcg.lock);
	if (!wanted)
		return;
	tcg.q.cont(&error);
	pthread_mutex_lock(&tcg.lock);
	if (cont.asked == (uintptr_t)opaque) {
		snprintf(cont.why, sizeof(cont.why), "%s",
		    error != NULL ? tcg.q.error_text(error) : "");
		cont.done = true;
		pthread_cond_broadcast(&tcg.change);
	}
	pthread_mutex_unlock(&tcg.lock);
	if (error != NULL)
		tcg.q.error_free(error);
}

const char *
dv_tcg_cont(void)
{
	static char why[sizeof(cont.why)];
	uint64_t end = dv_tcg_now() + CONT_NS;
	uintptr_t number;

	if (tcg.q.running == NULL || tcg.q.cont == NULL || tcg.q.error_text == NULL ||
	    tcg.q.error_free == NULL || tcg.q.main_context == NULL || tcg.q.in_main == NULL)
		return "this QEMU can only be resumed over its monitor (cont)";
	if (tcg.q.running())
		return "the guest is not paused";
	pthread_mutex_lock(&tcg.lock);
	cont.done = false;
	number = cont.asked = ++cont.last;
	pthread_mutex_unlock(&tcg.lock);
	tcg.q.in_main(tcg.q.main_context(), cont_main, (void *)number, "dvisor-cont");
	pthread_mutex_lock(&tcg.lock);
	while (!cont.done && dv_tcg_now() < end)
		dv_tcg_wait(end);
	snprintf(why, sizeof(why), "%s",
	    cont.done ? cont.why : "QEMU's main thread does not respond");
	cont.asked = 0;
	pthread_mutex_unlock(&tcg.lock);
	return why[0] != '\0' ? why : NULL;
}
