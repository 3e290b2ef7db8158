/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcg_destr_test.c - a paused guest is resumed by the request that asked for it. */
#include "test.h"

/* The plugin's file itself; QEMU, and the rest of the plugin, are played here. */
#include "tcg/destr.c"

struct dv_tcg tcg = { .lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER };

static uint64_t clock_ns;
static bool paused, main_hangs;
static const char *refuses;		/* what cont answers, or NULL */
static unsigned nconts, nqueued;
static struct { void (*fn)(void *opaque); void *opaque; } queued[4];

uint64_t
dv_tcg_now(void)
{
	return clock_ns;
}

static void
run_main(void)
{
	unsigned i, n = nqueued;

	nqueued = 0;
	for (i = 0; i < n; i++)
		queued[i].fn(queued[i].opaque);
}

/* Waiting is when QEMU's main thread gets to run, if it does. */
void
dv_tcg_wait(uint64_t when)
{
	pthread_mutex_unlock(&tcg.lock);
	if (!main_hangs)
		run_main();
	pthread_mutex_lock(&tcg.lock);
	clock_ns = when;
}

int
qemu_int_paused(const struct qemu_int *q)
{
	(void)q;
	return 1;
}

static bool
q_running(void)
{
	return !paused;
}

static void
q_cont(void **error)
{
	nconts++;
	if (refuses != NULL)
		*error = (void *)(uintptr_t)refuses;
	else
		paused = false;
}

static const char *
q_error_text(const void *error)
{
	return error;
}

static void
q_error_free(void *error)
{
	(void)error;
}

static void *
q_main_context(void)
{
	return NULL;
}

static void
q_in_main(void *ctx, void (*fn)(void *opaque), void *opaque, const char *name)
{
	(void)ctx;
	(void)name;
	EXPECT(nqueued < sizeof(queued) / sizeof(queued[0]));
	queued[nqueued].fn = fn;
	queued[nqueued++].opaque = opaque;
}

static void
setup(void)
{
	tcg.q = (struct qemu_int){ .running = q_running, .cont = q_cont,
	    .error_text = q_error_text, .error_free = q_error_free,
	    .main_context = q_main_context, .in_main = q_in_main };
	paused = true;
	main_hangs = false;
	refuses = NULL;
	nconts = nqueued = 0;
}

TEST(a_paused_guest_runs_on_or_says_why_not)
{
	setup();
	EXPECT_STREQ(dv_tcg_cont(), NULL);
	EXPECT(!paused);
	EXPECT_STREQ(dv_tcg_cont(), "the guest is not paused");
	paused = true;
	refuses = "a migration is under way";
	EXPECT_STREQ(dv_tcg_cont(), "a migration is under way");
	EXPECT_EQ(nconts, 2);
}

TEST(a_request_that_was_given_up_answers_nobody)
{
	setup();
	main_hangs = true;
	EXPECT_STREQ(dv_tcg_cont(), "QEMU's main thread does not respond");
	EXPECT_EQ(nqueued, 1);
	/* it is run together with the next request, which is refused for its own reason */
	main_hangs = false;
	refuses = "the next";
	EXPECT_STREQ(dv_tcg_cont(), "the next");
	EXPECT_EQ(nconts, 1);
}

TEST(a_request_that_was_given_up_resumes_nothing)
{
	setup();
	main_hangs = true;
	EXPECT_STREQ(dv_tcg_cont(), "QEMU's main thread does not respond");
	run_main();
	EXPECT(paused);
	EXPECT_EQ(nconts, 0);
}
TEST_MAIN()
