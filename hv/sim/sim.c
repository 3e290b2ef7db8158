/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim.c - a carrier over a memory image and a script of hits.
 *
 * The fake guest is as much of a Linux guest as the machine looks at: four
 * levels of page tables, a direct map of all RAM, one page of per-CPU area per
 * vCPU with `current` and the preempt count, and task, mm and cred structs with
 * offsets of its own, which no real kernel has, so that nothing can rely on a
 * real one's by accident. RAM is given out from the bottom and never freed.
 *
 * Control calls are serialised by a mutex, as a carrier must; hits take none.
 */
#include "sim_impl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAGE		4096u
#define PTE_ADDR	0x000ffffffffff000ull
#define TEXT_PAGES	16

/* offsets in this guest's structs */
enum {
	TASK_PID = 0x28, TASK_TGID = 0x30, TASK_COMM = 0x58, TASK_MM = 0x80,
	TASK_BOOTTIME = 0x90, TASK_PARENT = 0xa0, TASK_CRED = 0xb0,
	TASK_FLAGS = 0xc0, TASK_STACK = 0xc8, TASK_RUNTIME = 0xd0, TASK_SIZE = 0x100,
	CRED_UID = 0x4, CRED_GID = 0x8, CRED_SIZE = 0x20,
	MM_PGD = 0x18, MM_SIZE = 0x40,
	PCPU_CURRENT = 0x140, PCPU_PREEMPT = 0x148
};

struct dv_sim {
	unsigned nvcpu;
	uint8_t *ram;
	size_t ram_len, used;
	struct dv_ramwin window;	/* all of it: odd vCPUs read through this */
	uint64_t kernel_root;
	uint64_t boottime;		/* of the next task */
	struct dv_layout layout;
	uint64_t (*reg)[DV_NREG];	/* per vCPU */
	uint64_t now;			/* 0: the host's clock */
	uint64_t delayed;		/* ns */
	unsigned halts;
	bool bare;
	pthread_mutex_t control;
	void *blob, *priv, *shared;
	size_t shared_len;
	struct dv_state *state;
};

/* For calls without a sim, which the machine makes from its control side. */
static uint64_t any_now;

static void
die(const char *what)
{
	fprintf(stderr, "sim: %s\n", what);
	abort();
}

static void *
alloc(size_t len)
{
	void *p = NULL;

	if (posix_memalign(&p, PAGE, len > 0 ? len : 1) != 0)
		die("out of memory");
	memset(p, 0, len);
	return p;
}

uint64_t
dv_sim_page(struct dv_sim *sim)
{
	uint64_t at = (sim->used + PAGE - 1) & ~(uint64_t)(PAGE - 1);

	if (at + PAGE > sim->ram_len)
		die("the guest is out of RAM");
	sim->used = at + PAGE;
	return at;
}

uint64_t
dv_sim_alloc(struct dv_sim *sim, size_t len)
{
	uint64_t at = (sim->used + 15) & ~(uint64_t)15;

	if (at + len > sim->ram_len)
		die("the guest is out of RAM");
	sim->used = at + len;
	return DV_SIM_PAGE_OFFSET + at;
}

/* The entry of the last level for va; makes the levels above, or NULL. */
static uint64_t *
entry(struct dv_sim *sim, uint64_t root, uint64_t va, bool make)
{
	uint64_t *e;
	int shift;

	for (shift = 39;; shift -= 9) {
		e = (uint64_t *)(sim->ram + (root & PTE_ADDR)) + ((va >> shift) & 511);
		if (shift == 12)
			return e;
		if (!(*e & 1)) {
			if (!make)
				return NULL;
			*e = dv_sim_page(sim) | 7;
		}
		root = *e;
	}
}

void
dv_sim_map(struct dv_sim *sim, uint64_t root, uint64_t va, uint64_t pa)
{
	*entry(sim, root != 0 ? root : sim->kernel_root, va, true) = (pa & PTE_ADDR) | 0x67;
}

void
dv_sim_protect(struct dv_sim *sim, uint64_t root, uint64_t va, uint64_t clear, uint64_t set)
{
	uint64_t *e = entry(sim, root != 0 ? root : sim->kernel_root, va, false);

	if (e == NULL)
		die("bits of an entry that is not there");
	*e = (*e & ~clear) | set;
}

void
dv_sim_unmap(struct dv_sim *sim, uint64_t root, uint64_t va)
{
	uint64_t *e = entry(sim, root != 0 ? root : sim->kernel_root, va, false);

	if (e != NULL)
		*e = 0;
}

static void
copy(struct dv_sim *sim, uint64_t root, uint64_t va, uint8_t *p, size_t len, bool write)
{
	uint64_t *e, pa;
	size_t n;

	for (; len > 0; va += n, p += n, len -= n) {
		e = entry(sim, root != 0 ? root : sim->kernel_root, va, false);
		if (e == NULL || !(*e & 1))
			die("access to an address that is not mapped");
		n = PAGE - (va & (PAGE - 1));
		if (n > len)
			n = len;
		pa = (*e & PTE_ADDR) + (va & (PAGE - 1));
		if (pa + n > sim->ram_len)
			die("access to an address that is not RAM");
		if (write)
			memcpy(sim->ram + pa, p, n);
		else
			memcpy(p, sim->ram + pa, n);
	}
}

void
dv_sim_write(struct dv_sim *sim, uint64_t root, uint64_t va, const void *p, size_t len)
{
	copy(sim, root, va, (uint8_t *)(uintptr_t)p, len, true);
}

void
dv_sim_read(struct dv_sim *sim, uint64_t root, uint64_t va, void *p, size_t len)
{
	copy(sim, root, va, p, len, false);
}

void
dv_sim_write64(struct dv_sim *sim, uint64_t va, uint64_t v)
{
	dv_sim_write(sim, 0, va, &v, sizeof(v));
}

void *
dv_sim_ram(struct dv_sim *sim, size_t *len)
{
	*len = sim->ram_len;
	return sim->ram;
}

static void
init_layout(struct dv_sim *sim)
{
	struct dv_layout *l = &sim->layout;
	unsigned i;

	*l = (struct dv_layout){
		.present = 1, .pt_levels = 4, .kernel_root = sim->kernel_root,
		.page_offset = DV_SIM_PAGE_OFFSET, .text_start = DV_SIM_TEXT,
		.text_end = DV_SIM_TEXT + TEXT_PAGES * PAGE,
		.pcpu_current = PCPU_CURRENT, .pcpu_preempt_count = PCPU_PREEMPT,
		.count_softirq = 0x100, .count_hardirq = 0xf0000, .count_nmi = 0xf00000,
		.task_pid = TASK_PID, .task_tgid = TASK_TGID, .task_comm = TASK_COMM,
		.task_mm = TASK_MM,
		.task_start_boottime = TASK_BOOTTIME, .task_real_parent = TASK_PARENT,
		.task_cred = TASK_CRED, .task_flags = TASK_FLAGS, .task_stack = TASK_STACK,
		.task_runtime = TASK_RUNTIME,
		.cred_uid = CRED_UID, .cred_gid = CRED_GID, .mm_pgd = MM_PGD,
		.ptregs_size = 168, .stack_size = 16384, .ncpu = sim->nvcpu,
	};
	for (i = 0; i < sim->nvcpu; i++) {
		l->pcpu_base[i] = DV_SIM_PAGE_OFFSET + dv_sim_page(sim);
		sim->reg[i][DV_REG_GS_BASE] = l->pcpu_base[i];
		sim->reg[i][DV_REG_CS] = 0x10;
		sim->reg[i][DV_REG_CR3] = sim->kernel_root;
	}
}

struct dv_sim *
dv_sim_create(unsigned nvcpu, size_t ram)
{
	struct dv_sim *sim = alloc(sizeof(*sim));
	uint64_t pa;
	unsigned i;

	if (nvcpu == 0 || nvcpu > DV_MAXCPU)
		die("bad number of vCPUs");
	sim->nvcpu = nvcpu;
	sim->ram_len = (ram + PAGE - 1) & ~(size_t)(PAGE - 1);
	sim->ram = alloc(sim->ram_len);
	sim->window = (struct dv_ramwin){ 0, sim->ram_len, sim->ram };
	sim->used = PAGE;		/* page 0 stays unused */
	sim->reg = alloc(nvcpu * sizeof(*sim->reg));
	sim->boottime = 1000;
	any_now = 0;
	pthread_mutex_init(&sim->control, NULL);
	sim->kernel_root = dv_sim_page(sim);
	for (pa = 0; pa < sim->ram_len; pa += PAGE)
		dv_sim_map(sim, 0, DV_SIM_PAGE_OFFSET + pa, pa);
	for (i = 0; i < TEXT_PAGES; i++)
		dv_sim_map(sim, 0, DV_SIM_TEXT + i * PAGE, dv_sim_page(sim));
	init_layout(sim);
	return sim;
}

void
dv_sim_destroy(struct dv_sim *sim)
{
	if (sim == NULL)
		return;
	dv_sim_unload(sim);
	pthread_mutex_destroy(&sim->control);
	free(sim->reg);
	free(sim->ram);
	free(sim);
}

static void
put(struct dv_sim *sim, uint64_t va, const void *p, size_t len)
{
	dv_sim_write(sim, 0, va, p, len);
}

uint64_t
dv_sim_task(struct dv_sim *sim, uint32_t pid, uint32_t tgid, const char *comm,
	    uint64_t parent)
{
	uint64_t t = dv_sim_alloc(sim, TASK_SIZE);
	char name[16] = "";

	strncat(name, comm, sizeof(name) - 1);
	put(sim, t + TASK_PID, &pid, 4);
	put(sim, t + TASK_TGID, &tgid, 4);
	put(sim, t + TASK_COMM, name, sizeof(name));
	dv_sim_write64(sim, t + TASK_BOOTTIME, sim->boottime++);
	dv_sim_write64(sim, t + TASK_PARENT, parent != 0 ? parent : t);
	dv_sim_cred(sim, t, 0, 0);
	if (sim->layout.init_task == 0)
		sim->layout.init_task = t;
	return t;
}

void
dv_sim_cred(struct dv_sim *sim, uint64_t task, uint32_t uid, uint32_t gid)
{
	uint64_t c = dv_sim_alloc(sim, CRED_SIZE);

	put(sim, c + CRED_UID, &uid, 4);
	put(sim, c + CRED_GID, &gid, 4);
	dv_sim_write64(sim, task + TASK_CRED, c);
}

uint64_t
dv_sim_mm(struct dv_sim *sim, uint64_t task)
{
	uint64_t mm = dv_sim_alloc(sim, MM_SIZE), root = dv_sim_page(sim);

	dv_sim_write64(sim, mm + MM_PGD, DV_SIM_PAGE_OFFSET + root);
	dv_sim_write64(sim, task + TASK_MM, mm);
	return root;
}

void
dv_sim_current(struct dv_sim *sim, unsigned vcpu, uint64_t task)
{
	dv_sim_write64(sim, sim->layout.pcpu_base[vcpu] + PCPU_CURRENT, task);
}

void
dv_sim_preempt_count(struct dv_sim *sim, unsigned vcpu, uint32_t count)
{
	put(sim, sim->layout.pcpu_base[vcpu] + PCPU_PREEMPT, &count, 4);
}

void
dv_sim_set_vfs(struct dv_sim *sim, const struct dv_vfs *v)
{
	sim->layout.vfs = *v;
}

const struct dv_layout *
dv_sim_layout(const struct dv_sim *sim)
{
	return &sim->layout;
}

uint64_t *
dv_sim_reg(struct dv_sim *sim, unsigned vcpu)
{
	return sim->reg[vcpu];
}

void
dv_sim_bare(struct dv_sim *sim)
{
	sim->bare = true;
}

void
dv_sim_clock(struct dv_sim *sim, uint64_t now)
{
	sim->now = any_now = now;
}

static uint64_t
carrier_reg(struct dv_ctx *ctx, unsigned reg)
{
	struct dv_sim *sim = ctx->carrier_data;

	return sim->reg[ctx->vcpu][reg];
}


static int
carrier_read(struct dv_ctx *ctx, dv_gpa_t at, void *buf, size_t len)
{
	struct dv_sim *sim = ctx->carrier_data;

	if (at.v > sim->ram_len || len > sim->ram_len - at.v)
		return -1;
	memcpy(buf, sim->ram + at.v, len);
	return 0;
}

static int
carrier_write(struct dv_ctx *ctx, dv_gpa_t at, const void *buf, size_t len)
{
	struct dv_sim *sim = ctx->carrier_data;

	if (at.v > sim->ram_len || len > sim->ram_len - at.v)
		return -1;
	memcpy(sim->ram + at.v, buf, len);
	return 0;
}

/* Both are only counted. */
static void
carrier_halt(struct dv_ctx *ctx)
{
	struct dv_sim *sim = ctx->carrier_data;

	__atomic_add_fetch(&sim->halts, 1, __ATOMIC_SEQ_CST);
}

static void
carrier_delay(struct dv_ctx *ctx, uint64_t ns)
{
	struct dv_sim *sim = ctx->carrier_data;

	__atomic_add_fetch(&sim->delayed, ns, __ATOMIC_SEQ_CST);
	if (sim->now != 0)
		sim->now += ns;
}

unsigned
dv_sim_halts(const struct dv_sim *sim)
{
	return sim->halts;
}

uint64_t
dv_sim_delayed(const struct dv_sim *sim)
{
	return sim->delayed;
}

static uint64_t
host_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t
carrier_clock(struct dv_ctx *ctx)
{
	struct dv_sim *sim = ctx->carrier_data;
	uint64_t now = sim != NULL ? sim->now : any_now;

	return now != 0 ? now : host_clock(CLOCK_MONOTONIC);
}

static uint64_t
carrier_wallclock(struct dv_ctx *ctx)
{
	struct dv_sim *sim = ctx->carrier_data;

	return sim != NULL && sim->now != 0 ? sim->now : host_clock(CLOCK_REALTIME);
}

static const struct dv_carrier carrier = {
	.reg = carrier_reg,
	.read_phys = carrier_read,
	.clock = carrier_clock,
	.wallclock = carrier_wallclock,
	.write_phys = carrier_write,
	.halt = carrier_halt,
	.delay = carrier_delay,
};

/* The same, but for what a carrier may lack. */
static const struct dv_carrier bare = {
	.reg = carrier_reg,
	.read_phys = carrier_read,
	.clock = carrier_clock,
	.wallclock = carrier_wallclock,
	.no_write = "this guest is read-only",
	.no_halt = "this guest runs for ever",
	.delay = carrier_delay,
};

int
dv_sim_load(struct dv_sim *sim, const void *blob, size_t len, struct dv_reason *why)
{
	size_t priv_len, shared_len;
	int rc;

	dv_sim_unload(sim);
	sim->blob = alloc(len);
	memcpy(sim->blob, blob, len);
	rc = dv_state_sizes(sim->blob, len, sim->nvcpu, &priv_len, &shared_len, why);
	if (rc == 0) {
		sim->priv = alloc(priv_len);
		sim->shared = alloc(shared_len);
		sim->shared_len = shared_len;
		rc = dv_state_create(sim->blob, len, sim->nvcpu, sim->priv, priv_len,
		    sim->shared, shared_len, sim->bare ? &bare : &carrier,
		    0x1234567890abcdefull, why,
		    &sim->state);
	}
	if (rc != 0)
		dv_sim_unload(sim);
	return rc;
}

void
dv_sim_unload(struct dv_sim *sim)
{
	dv_state_destroy(sim->state);
	free(sim->priv);
	free(sim->shared);
	free(sim->blob);
	sim->priv = sim->shared = sim->blob = NULL;
	sim->state = NULL;
}

struct dv_state *
dv_sim_state(struct dv_sim *sim)
{
	return sim->state;
}

static struct dv_ctx
context(struct dv_sim *sim, int vcpu, uint64_t rip)
{
	return (struct dv_ctx){ .carrier_data = sim, .vcpu = vcpu, .rip = rip,
	    .ram = vcpu % 2 == 1 ? &sim->window : NULL };
}

void
dv_sim_go(struct dv_sim *sim)
{
	struct dv_ctx ctx = context(sim, -1, 0);

	pthread_mutex_lock(&sim->control);
	dv_state_go(sim->state, &ctx);
	pthread_mutex_unlock(&sim->control);
}

void
dv_sim_stop(struct dv_sim *sim)
{
	struct dv_ctx ctx = context(sim, -1, 0);

	pthread_mutex_lock(&sim->control);
	dv_state_stop(sim->state, &ctx);
	pthread_mutex_unlock(&sim->control);
}

void
dv_sim_clean(struct dv_sim *sim)
{
	pthread_mutex_lock(&sim->control);
	dv_clean(sim->state);
	pthread_mutex_unlock(&sim->control);
}

const uint8_t *
dv_sim_snap(struct dv_sim *sim, unsigned cpu, enum dv_which which, struct dv_snap *ret)
{
	int rc;

	pthread_mutex_lock(&sim->control);
	rc = dv_snap(sim->state, cpu, which, ret);
	pthread_mutex_unlock(&sim->control);
	return rc == 0 ? (const uint8_t *)sim->shared + ret->off : NULL;
}

const uint8_t *
dv_sim_shared(struct dv_sim *sim, size_t *len)
{
	*len = sim->shared_len;
	return sim->shared;
}

void
dv_sim_hit(struct dv_sim *sim, unsigned vcpu, uint32_t site)
{
	const struct dv_prog *p = dv_state_prog(sim->state);
	struct dv_ctx ctx;		/* the rest is the machine's to set */

	ctx.carrier_data = sim;
	ctx.vcpu = (int)vcpu;
	ctx.rip = site < p->nsites ? p->sites[site].addr : 0;
	ctx.ram = vcpu % 2 == 1 ? &sim->window : NULL;
	dv_fire(sim->state, &ctx, site);
}

int
dv_sim_hit_at(struct dv_sim *sim, unsigned vcpu, uint64_t addr)
{
	const struct dv_prog *p = dv_state_prog(sim->state);
	uint32_t i;

	for (i = 0; i < p->nsites; i++)
		if (p->sites[i].addr == addr) {
			dv_sim_hit(sim, vcpu, i);
			return 0;
		}
	return -1;
}

void
dv_sim_timer(struct dv_sim *sim, int vcpu, uint32_t timer)
{
	struct dv_ctx ctx = context(sim, vcpu,
	    vcpu >= 0 ? sim->reg[vcpu][DV_REG_RIP] : 0);

	if (vcpu < 0)
		pthread_mutex_lock(&sim->control);
	dv_fire_timer(sim->state, &ctx, timer);
	if (vcpu < 0)
		pthread_mutex_unlock(&sim->control);
}

struct thread {
	struct dv_sim *sim;
	pthread_barrier_t *start;
	unsigned vcpu, n;
	dv_sim_fn *fn;
	void *arg;
	pthread_t id;
};

static void *
run_thread(void *p)
{
	struct thread *t = p;
	unsigned i;

	pthread_barrier_wait(t->start);
	for (i = 0; i < t->n; i++)
		t->fn(t->sim, t->vcpu, i, t->arg);
	return NULL;
}

void
dv_sim_threads(struct dv_sim *sim, unsigned n, dv_sim_fn *fn, void *arg)
{
	struct thread *t = alloc(sim->nvcpu * sizeof(*t));
	pthread_barrier_t start;
	unsigned i;

	pthread_barrier_init(&start, NULL, sim->nvcpu);
	for (i = 0; i < sim->nvcpu; i++) {
		t[i] = (struct thread){ sim, &start, i, n, fn, arg, 0 };
		if (pthread_create(&t[i].id, NULL, run_thread, &t[i]) != 0)
			die("cannot start a thread");
	}
	for (i = 0; i < sim->nvcpu; i++)
		pthread_join(t[i].id, NULL);
	pthread_barrier_destroy(&start);
	free(t);
}
