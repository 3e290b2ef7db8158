/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gi_tasks_test.c - a guest's threads and their stacks, as hostile as its memory can
 * make them: each walk ends, each thread is told once, nothing is read that is not
 * there.
 */
#include "test.h"

#include "gi_fake.h"
#include "guest-introspect/linux/tasks.h"

#define BASE	0xffffffff81000000ull
#define INIT	(BASE + 0x284000)
#define TASK(i)	(BASE + 0x300000 + 0x1000 * (uint64_t)(i))
#define SIGNAL(i) (TASK(i) + 0x400)
#define STACK(i) (BASE + 0x340000 + 0x4000 * (uint64_t)(i))
#define NTASKS	16u
#define FRAME	56		/* struct inactive_task_frame */

/* An image whose memory beyond FAKE_RAM goes on without end. */
struct endless {
	struct fake f;
	uint64_t nreads;
};

static void
stack_types(struct fake_btf *b)
{
	uint32_t u64 = fake_int(b, "u64", 8, 0), s16 = fake_int(b, "short int", 2, 1),
	    u32 = fake_int(b, "unsigned int", 4, 0), key, node, uni;

	(void)fake_type(b, 4, "inactive_task_frame", 2, false, FRAME);
	fake_member(b, "bp", u64, 320);
	fake_member(b, "ret_addr", u64, 384);
	(void)fake_type(b, 4, "mutex", 1, false, 32);
	fake_member(b, "wait_list", u64, 128);
	(void)fake_type(b, 4, "mutex_waiter", 2, false, 32);
	fake_member(b, "list", u64, 0);
	fake_member(b, "task", u64, 128);
	(void)fake_type(b, 4, "wait_queue_head", 1, false, 24);
	fake_member(b, "head", u64, 64);
	(void)fake_type(b, 4, "wait_queue_entry", 3, false, 40);
	fake_member(b, "private", u64, 64);
	fake_member(b, "func", u64, 128);
	fake_member(b, "entry", u64, 192);
	key = fake_type(b, 4, "futex_key", 2, false, 24);
	fake_member(b, "word", u64, 64);
	fake_member(b, "offset", u32, 128);
	node = fake_type(b, 4, "futex_node", 1, false, 16);
	fake_member(b, "node_list", u64, 0);
	uni = fake_type(b, 5, "", 1, false, 24);
	fake_member(b, "both", key, 0);
	(void)fake_type(b, 4, "futex_q", 3, false, 112);
	fake_member(b, "list", node, 192);
	fake_member(b, "task", u64, 320);
	fake_member(b, "key", uni, 448);
	(void)fake_type(b, 4, "orc_entry", 6, true, 6);
	fake_member(b, "sp_offset", s16, 0);
	fake_member(b, "bp_offset", s16, 16);
	fake_member(b, "sp_reg", u32, 4u << 24 | 32);
	fake_member(b, "bp_reg", u32, 4u << 24 | 36);
	fake_member(b, "type", u32, 2u << 24 | 40);
	fake_member(b, "end", u32, 1u << 24 | 42);
}

static void
put(struct fake *f, uint64_t va, uint64_t v)
{
	memcpy(fake_img(f, va - BASE), &v, 8);
}

static void
put32(struct fake *f, uint64_t va, uint32_t v)
{
	memcpy(fake_img(f, va - BASE), &v, 4);
}

/* Entries: the kernel's functions have a frame of 8 bytes, all by %rsp. */
static void
put_orc(struct fake *f)
{
	static const uint32_t at[5] = { 0x1000, 0x1300, 0x1900, 0x1901, 0x2000 };
	unsigned i;

	for (i = 0; i < 5; i++) {
		uint16_t e[3] = { i == 2 ? 8 : 16, 0, 5 | 0 << 4 };

		put32(f, BASE + 0x287000 + 4 * i, at[i] - (0x287000 + 4 * i));
		memcpy(fake_img(f, 0x287100 + 6 * i), e, 6);
	}
}

static void
link_task(struct fake *f, uint64_t from, uint64_t to)
{
	put(f, from + FAKE_TASKS, to + FAKE_TASKS);
	put(f, to + FAKE_TASKS + 8, from + FAKE_TASKS);
}

/* A process of one thread, asleep on stack i, in a function at `ip`. */
static void
put_task(struct fake *f, unsigned i, uint64_t ip)
{
	uint64_t sp = STACK(i) + 0x3e00;

	put(f, TASK(i) + 8, STACK(i));
	put32(f, TASK(i) + 32, 100 + i);
	put(f, TASK(i) + FAKE_SIGNAL, SIGNAL(i));
	put(f, TASK(i) + FAKE_NODE, SIGNAL(i) + 16);
	put(f, SIGNAL(i) + 16, TASK(i) + FAKE_NODE);
	put(f, TASK(i) + FAKE_NVCSW, 10 + i);
	put(f, TASK(i) + FAKE_SP, sp);
	put(f, sp + 48, ip);
}

/* init_task and n processes. */
static struct gi_kernel *
open_with(struct fake *f, unsigned n)
{
	struct gi_kernel *k;
	struct dv_err err;
	unsigned i;

	fake_make_with(f, 1, 4, BASE, stack_types);
	put_orc(f);
	link_task(f, INIT, n == 0 ? INIT : TASK(0));
	for (i = 0; i < n; i++) {
		put_task(f, i, BASE + 0x1905);
		link_task(f, TASK(i), i + 1 < n ? TASK(i + 1) : INIT);
	}
	EXPECT_EQ(gi_kernel_open(&f->mem, &f->cpu, 1, &err, &k), 0);
	f->nreads = 0;
	return k;
}

struct told {
	unsigned n;
	uint32_t pid[64];
	unsigned stop;			/* after so many */
};

static int
tell(void *arg, const struct gi_task *t)
{
	struct told *told = arg;

	if (told->n < 64)
		told->pid[told->n] = t->pid;
	return ++told->n == told->stop ? 7 : 0;
}

/* How many are told; each once. */
static unsigned
walk(struct gi_kernel *k, bool whole)
{
	struct told t = { 0 };
	struct dv_err err;
	bool is_whole;
	unsigned i, j;

	EXPECT_EQ(gi_tasks_each(k, tell, &t, &is_whole, &err), 0);
	EXPECT_EQ(is_whole, whole);
	for (i = 0; i < t.n && i < 64; i++)
		for (j = 0; j < i; j++)
			EXPECT(t.pid[i] != t.pid[j]);
	return t.n;
}

TEST(threads_are_told_once)
{
	struct told t = { .stop = 2 };
	struct gi_kernel *k;
	struct dv_err err;
	struct fake f;
	bool whole;

	k = open_with(&f, 4);
	EXPECT_EQ(walk(k, true), 4);
	EXPECT_EQ(gi_tasks_each(k, tell, &t, &whole, &err), 7);
	EXPECT_EQ(t.n, 2);
	/* two threads more of process 1 */
	put_task(&f, 5, BASE + 0x1905);
	put_task(&f, 6, BASE + 0x1905);
	put(&f, TASK(1) + FAKE_NODE, TASK(5) + FAKE_NODE);
	put(&f, TASK(5) + FAKE_NODE, TASK(6) + FAKE_NODE);
	put(&f, TASK(6) + FAKE_NODE, SIGNAL(1) + 16);
	EXPECT_EQ(walk(k, true), 6);
	gi_kernel_close(k);
	fake_free(&f);
}

TEST(cyclic_lists_end)
{
	struct gi_kernel *k;
	struct fake f;
	unsigned i;

	k = open_with(&f, 4);
	link_task(&f, TASK(3), TASK(1));		/* never back to init_task */
	EXPECT_EQ(walk(k, false), 4);
	link_task(&f, TASK(0), TASK(0));
	EXPECT_EQ(walk(k, false), 1);
	gi_kernel_close(k);
	fake_free(&f);
	k = open_with(&f, 4);
	put_task(&f, 5, BASE + 0x1905);			/* threads in a ring of their own */
	for (i = 0; i < 4; i++)
		put(&f, TASK(i) + FAKE_NODE, TASK(5) + FAKE_NODE);
	put(&f, TASK(5) + FAKE_NODE, TASK(5) + FAKE_NODE);
	EXPECT_EQ(walk(k, false), 5);
	EXPECT(f.nreads < 1000);
	gi_kernel_close(k);
	fake_free(&f);
}

static const uint64_t wild[] = { 0, 1, 8, 0x1000, 0x7ffffffff000, 0x800000000000,
    0xdead000000000100, 0xffff800000000000, 0xffffffffffffffff, 0xfffffffffffffff8,
    0xffffffffffffff00, BASE - 8, BASE + FAKE_LEN - 8, BASE + FAKE_LEN, BASE + 0x300001 };
#define NWILD	(sizeof(wild) / sizeof(wild[0]))

/* A member that leads anywhere: the rest of its list is missing, no more. */
TEST(wild_pointers_end_a_list)
{
	static const unsigned at[] = { FAKE_TASKS, FAKE_NODE, FAKE_SIGNAL };
	struct gi_kernel *k;
	struct told t;
	struct dv_err err;
	struct fake f;
	unsigned i, j;
	bool whole;

	for (i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		for (j = 0; j < NWILD; j++) {
			k = open_with(&f, 4);
			put(&f, TASK(1) + at[i], wild[j]);
			t = (struct told){ 0 };
			EXPECT_EQ(gi_tasks_each(k, tell, &t, &whole, &err), 0);
			EXPECT(t.n >= 2 && t.n <= 6);
			EXPECT(f.nreads < 3 * 8 * GI_MAX_TASKS);
			gi_kernel_close(k);
			fake_free(&f);
		}
}

/* Memory beyond the fake's: at each 512 bytes a task that leads to the next. */
static int
read_endless(void *arg, dv_gpa_t at, void *buf, size_t len)
{
	struct endless *e = arg;
	uint8_t *p = buf;
	size_t i;

	e->nreads++;
	if (at.v < 1ull << 30)
		return fake_read(&e->f, at, buf, len);
	memset(buf, 0, len);
	for (i = 0; i + 8 <= len; i++) {
		uint64_t in = (at.v + i) % 512, self = 0xffffff0000000000ull +
		    ((at.v + i) & 0x3fffffff) - in, v;

		v = in == FAKE_TASKS ? self + 512 + FAKE_TASKS : in == FAKE_NODE ?
		    self + 512 * 3 + FAKE_NODE : in == 32 ? (uint32_t)(self >> 9) | 1 : 0;
		if (v != 0)
			memcpy(p + i, &v, 8);
	}
	return 0;
}

/* A list without end, which never comes to the same place, has a bound. */
TEST(endless_lists_have_a_bound)
{
	struct gi_mem mem;
	struct gi_kernel *k;
	struct dv_err err;
	struct endless e = { 0 };
	struct told t = { 0 };
	bool whole;

	fake_make_with(&e.f, 1, 4, BASE, stack_types);
	put_orc(&e.f);
	/* a page of 1 GB at 0xffffff0000000000, behind all memory */
	fake_put(&e.f, FAKE_IMG + 0x285000 + 8 * 510, 0x6003);
	fake_put(&e.f, 0x6000, 1ull << 30 | 0x83);
	put(&e.f, INIT + FAKE_TASKS, 0xffffff0000000000ull + FAKE_TASKS);
	mem = (struct gi_mem){ read_endless, &e };
	EXPECT_EQ(gi_kernel_open(&mem, &e.f.cpu, 1, &err, &k), 0);
	EXPECT_EQ(gi_tasks_each(k, tell, &t, &whole, &err), 0);
	EXPECT(!whole);
	EXPECT(t.n > 1000 && t.n <= GI_MAX_TASKS);
	EXPECT(e.nreads < 64 * GI_MAX_TASKS);
	gi_kernel_close(k);
	fake_free(&e.f);
}

/* ---- stacks ---- */

static struct gi_kstack stack;

static int
first(void *arg, const struct gi_task *t)
{
	*(struct gi_task *)arg = *t;
	return 1;
}

static bool
read_stack(struct gi_unwinder *u, struct gi_kernel *k, struct gi_task *t)
{
	struct dv_err err;
	bool whole;

	EXPECT_EQ(gi_tasks_each(k, first, t, &whole, &err), 1);
	return gi_kstack_read(u, t, &stack);
}

TEST(stacks_are_walked_and_end)
{
	struct gi_frame frame[GI_MAX_FRAMES];
	struct gi_unwinder *u;
	struct gi_kernel *k;
	struct gi_task t;
	struct dv_err err;
	struct fake f;
	uint64_t sp = STACK(0) + 0x3e00;

	k = open_with(&f, 1);
	put(&f, sp + FRAME + 8, BASE + 0x2005);		/* 16 bytes of frame, then its caller */
	put(&f, sp + FRAME + 24, 0x1234);
	u = gi_unwinder_create(k, &err);
	EXPECT(u != NULL);
	EXPECT(read_stack(u, k, &t));
	EXPECT(gi_task_same(k, &t));
	EXPECT_EQ(stack.len, 0x200);
	EXPECT_EQ(gi_kstack_frames(u, &stack, frame), 2);
	EXPECT_EQ(frame[0].ip, BASE + 0x1904);
	EXPECT_EQ(frame[0].end, sp + FRAME + 16);
	EXPECT_EQ(frame[1].ip, BASE + 0x2004);
	put(&f, TASK(0) + FAKE_NVCSW, 99);		/* it has run since */
	EXPECT(!gi_task_same(k, &t));
	gi_unwinder_destroy(u);
	gi_kernel_close(k);
	fake_free(&f);
}

TEST(wild_stacks_are_none)
{
	struct gi_frame frame[GI_MAX_FRAMES];
	struct gi_unwinder *u;
	struct gi_kernel *k;
	struct gi_task t;
	struct dv_err err;
	struct fake f;
	unsigned i, j;

	k = open_with(&f, 1);
	u = gi_unwinder_create(k, &err);
	EXPECT(u != NULL);
	for (i = 0; i < NWILD; i++)
		for (j = 0; j < NWILD; j++) {
			put(&f, TASK(0) + FAKE_SP, wild[i]);
			put(&f, TASK(0) + 8, wild[j]);
			if (read_stack(u, k, &t))
				(void)gi_kstack_frames(u, &stack, frame);
		}
	put(&f, TASK(0) + 8, STACK(0));
	for (i = 0; i < 16; i++) {			/* up to the last words of the stack */
		put(&f, TASK(0) + FAKE_SP, STACK(0) + 0x4000 - 8 * i);
		if (read_stack(u, k, &t))
			(void)gi_kstack_frames(u, &stack, frame);
	}
	for (i = 0; i < NWILD; i++) {			/* return addresses, %rbp */
		put(&f, TASK(0) + FAKE_SP, STACK(0) + 0x3e00);
		put(&f, STACK(0) + 0x3e00 + 48, wild[i]);
		put(&f, STACK(0) + 0x3e00 + 40, wild[NWILD - 1 - i]);
		EXPECT(read_stack(u, k, &t));
		EXPECT(gi_kstack_frames(u, &stack, frame) <= GI_MAX_FRAMES);
	}
	gi_unwinder_destroy(u);
	gi_kernel_close(k);
	fake_free(&f);
}

/* Words that lead to each other, to the tables, and nowhere; the same each time. */
static uint64_t
dice(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return *seed >> 33;
}

static uint64_t
word(uint64_t *seed)
{
	switch (dice(seed) % 6) {
	case 0: return wild[dice(seed) % NWILD];
	case 1: return TASK(dice(seed) % NTASKS) + 8 * (dice(seed) % 32);
	case 2: return STACK(dice(seed) % NTASKS) + 8 * (dice(seed) % 2048);
	case 3: return BASE + (dice(seed) & 1 ? 0x340a : 0x1000 + dice(seed) % 0x2700);
	case 4: return TASK(dice(seed) % NTASKS);
	default: return dice(seed);
	}
}

/* The starts of a trace that are of the first task: kind and object. */
static void
starts_of_first(struct gi_kernel *k, const char **kind, uint64_t *object)
{
	const uint32_t want = GI_WANT_SOBJ;
	struct gi_sites *s;
	struct dv_err err;
	size_t i;

	*kind = "";
	*object = 0;
	EXPECT_EQ(gi_sites_make(k, &want, 1, &err, &s), 0);
	for (i = 0; i < s->nstarts; i++) {
		const struct dv_loc *a = s->argsets[s->starts[i].raw].arg;
		const char *text = s->exprs[s->starts[i].expr];

		EXPECT_EQ(a[0].value, TASK(0));
		EXPECT_EQ(a[1].value, 10);
		if (strstr(text, "SOBJ_MUTEX") != NULL)
			*kind = "mutex";
		if (strstr(text, "SOBJ_USER)") != NULL)
			*kind = "user";
		if (a[3].value != 0)
			*object = a[3].value;
	}
	gi_sites_free(s);
}

/* Asleep in a function with 64 bytes of frame, at `sp`; its caller is a plain one. */
static struct gi_kernel *
asleep_in(struct fake *f, uint64_t ip, uint64_t *sp)
{
	struct gi_kernel *k = open_with(f, 1);
	uint16_t e[3] = { 72, 0, 5 };

	memcpy(fake_img(f, 0x287100 + 6 * 4), e, 6);
	*sp = STACK(0) + 0x3e00 + FRAME;
	put(f, *sp - 8, ip);
	put(f, *sp + 64, BASE + 0x1905);
	return k;
}

TEST(sleepers_and_their_locks_are_found)
{
	const uint64_t lock = TASK(9), other = TASK(10);
	const char *kind;
	struct gi_kernel *k;
	struct fake f;
	uint64_t sp, got;

	k = asleep_in(&f, BASE + 0x340a, &sp);		/* __mutex_lock */
	starts_of_first(k, &kind, &got);
	EXPECT_STREQ(kind, "mutex");
	EXPECT_EQ(got, 0);				/* no waiter: the kind alone */
	put(&f, sp + 16, TASK(0));			/* a waiter, alone */
	put(&f, sp, lock + 16);
	put(&f, sp + 8, lock + 16);
	put(&f, lock + 16, sp);
	put(&f, lock + 24, sp);
	starts_of_first(k, &kind, &got);
	EXPECT_EQ(got, lock);
	put(&f, sp, other);				/* a second one; who has which? */
	put(&f, other, lock + 16);
	put(&f, other + 8, sp);
	put(&f, lock + 24, other);
	starts_of_first(k, &kind, &got);
	EXPECT_EQ(got, 0);
	put(&f, sp + 40, lock);				/* the function still knows */
	starts_of_first(k, &kind, &got);
	EXPECT_EQ(got, lock);
	put(&f, other, sp + 8);				/* not a ring */
	starts_of_first(k, &kind, &got);
	EXPECT_STREQ(kind, "mutex");
	EXPECT_EQ(got, 0);
	gi_kernel_close(k);
	fake_free(&f);

	k = asleep_in(&f, BASE + 0x350a, &sp);		/* futex_do_wait */
	put(&f, sp + 80 + 40, TASK(0));			/* the caller's futex_q */
	put(&f, sp + 80 + 24, lock);
	put(&f, sp + 80 + 32, lock);
	put(&f, lock, sp + 80 + 24);
	put(&f, lock + 8, sp + 80 + 24);
	put(&f, sp + 80 + 64, 0x7f0000001000);
	put(&f, sp + 80 + 72, 0xffffffff00000018);
	starts_of_first(k, &kind, &got);
	EXPECT_STREQ(kind, "user");
	EXPECT_EQ(got, 0x7f0000001018);
	gi_kernel_close(k);
	fake_free(&f);
}

/* All that the look at sleepers reads, made of such words. */
TEST(sleepers_of_a_mad_guest)
{
	const uint32_t want = GI_WANT_SOBJ;
	struct gi_kernel *k;
	struct gi_sites *s;
	struct dv_err err;
	struct fake f;
	uint64_t seed, i;
	unsigned n;

	for (n = 0; n < 60; n++) {
		seed = n;
		k = open_with(&f, NTASKS);
		for (i = 0; i < NTASKS * 0x4000 / 8; i++)
			put(&f, STACK(0) + 8 * i, word(&seed));
		for (i = 0; i < (n % 3 == 0 ? 0 : 200); i++)
			put(&f, TASK(0) + 8 * (dice(&seed) % (NTASKS * 512)), word(&seed));
		for (i = 0; n % 2 == 0 && i < 15; i++)	/* a mad table, too */
			put32(&f, BASE + 0x287100 + 2 * i, (uint32_t)dice(&seed));
		if (gi_sites_make(k, &want, 1, &err, &s) == 0) {
			EXPECT(s->nstarts <= 4 * 64);
			gi_sites_free(s);
		}
		gi_kernel_close(k);
		fake_free(&f);
	}
}

TEST_MAIN()
