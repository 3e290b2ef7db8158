/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prog.c - a consumer's program in this QEMU: sites, timers, life and death.
 *
 * A site is armed by translation: whoever translates a block looks its
 * instructions up in the hash of every running program and gives those that
 * match a callback, which fires the machine (core). Blocks translated before
 * do not have it, so arming ends with a flush of all translated code:
 *
 *	publish the program in slot[] -> flush -> all sites are armed
 *	stop the machine, clear slot[] -> flush -> nobody refers to the program
 *
 * The flush runs while no vCPU executes or translates anything (QEMU's
 * "exclusive" work). That makes it the one proof of quiescence we need: a
 * callback or translation that could have seen the program was over by then,
 * and no block with its callback is left. Memory is freed after that flush, and
 * after the last profile-n work that was queued for the program, never before;
 * until then a stopped program costs a load and a branch per hit.
 *
 * A halted or paused vCPU serves work too, so that arming does not depend on
 * the guest's doing anything. A vCPU held at the first kernel instruction does
 * not: the flush is queued to it, and it is served at the end of the block that
 * it is in, as soon as it goes.
 *
 * Without QEMU's work queue the flush is a qemu_plugin_reset() from the next
 * callback of any vCPU. If all are idle, that is the first thing the one does
 * that wakes, before any code of the guest: so an idle guest is armed, too. One
 * reset is asked for at a time, as QEMU drops a second silently.
 *
 * All else happens in the service thread: go, stop, snap, tick-n, cleaning, and
 * profile-n of a vCPU that is halted, from the registers of its halt.
 */
#include "tcg/prog.h"
#include "tcg/ram.h"
#include "core/prog.h"
#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x10
#endif

#define MAXPROG		4
#define ARM_NS		2000000000ull	/* until a guest that does not serve work is given up */
#define IDLE_NS		5000000ull	/* looks whether all are idle */
#define UNARM_NS	200000000ull
#define KICK_NS		2000000ull

struct site_ref {
	struct dv_tcg_prog *p;
	uint32_t site;
	uint32_t stale;			/* atomic: counted in p->stale */
};

struct profile {			/* of one timer on one vCPU */
	struct dv_tcg_prog *p;
	uint32_t timer, vcpu;
	uint32_t queued;		/* atomic */
};

struct timer {
	uint64_t due;
	struct profile *prof;		/* nvcpu of them, or NULL: tick-n */
};

enum phase { LOADED, RUNNING, STOPPED };

struct dv_tcg_prog {
	struct dv_state *state;
	uint32_t on;			/* atomic: sites fire */
	uint32_t nvcpu;
	uint64_t generation;		/* of the kernel that it was made for */

	/* the sites; constant once published */
	struct site_ref *ref;
	const struct dv_site *site;
	uint32_t nsites;
	uint64_t low, high;		/* addresses */
	uint32_t *hash;			/* site + 1; the core saw that no two share an address */
	uint32_t mask;
	uint32_t stale;			/* sites that were found changed; atomic */

	/* service thread */
	enum phase phase;
	uint32_t pid;
	void *blob, *priv, *shared;
	size_t priv_len, shared_len;
	struct timer *timer;
	uint32_t ntimers;
	uint64_t clean_due, clean_period;
	bool armed;			/* was published: a flush must precede free */
	uint64_t flush;			/* the one that must be done */
	uint32_t queued;		/* atomic: profile work on its way */
	struct dv_tcg_prog *next;	/* of the dead */
};

static struct dv_tcg_prog *slot[MAXPROG];	/* published; atomic */
static struct dv_tcg_prog *user[MAXPROG];	/* loaded, published or not */
static uint32_t nslot;				/* in slot[]; atomic */
static uint32_t nprofile;			/* profile timers that run; atomic */
static struct dv_tcg_prog *dead;		/* wait for their flush */

/* Flushes are numbered; under tcg.lock, `done` also read without. */
static struct {
	uint64_t asked, begun, done;
	uint32_t wanted;		/* atomic: reset from the next callback */
} flush;

/* --- what the machine asks of us */

struct hit {
	struct dv_tcg_vcpu *v;
	const struct dv_tcg_regs *saved;	/* or NULL: read the vCPU */
	const uint8_t *object;			/* or NULL: not through regs.c */
	const uint32_t *on;			/* of the program */
};

static uint64_t
carrier_reg(struct dv_ctx *ctx, unsigned reg)
{
	const struct hit *h = ctx->carrier_data;
	uint64_t val;

	if (reg == DV_REG_RIP)
		return ctx->rip;	/* QEMU's is stale inside a block */
	if (h == NULL || reg >= DV_NREG)
		return 0;
	if (h->object != NULL && dv_reg_place[reg] != 0) {
		memcpy(&val, h->object + dv_reg_place[reg], sizeof(val));
		return val;
	}
	return h->saved != NULL ? h->saved->reg[reg] : dv_vcpu_reg(h->v, reg);
}

static int
carrier_read(struct dv_ctx *ctx, dv_gpa_t at, void *buf, size_t len)
{
	(void)ctx;
	return dv_ram_read(at.v, buf, len);
}

static uint64_t
carrier_clock(struct dv_ctx *ctx)
{
	(void)ctx;
	return dv_tcg_now();
}

static uint64_t
carrier_wallclock(struct dv_ctx *ctx)
{
	struct timespec t;

	(void)ctx;
	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

/* Not for a halted vCPU: its probes fire in another thread. */
static int
carrier_write(struct dv_ctx *ctx, dv_gpa_t at, const void *buf, size_t len)
{
	const struct hit *h = ctx->carrier_data;

	if (h == NULL || h->saved != NULL)
		return -1;
	return dv_ram_write(&tcg.q, at.v, buf, len);
}

/* What waits for a running program: nothing but a vCPU in its own thread. */
static const uint32_t *
waiter(const struct dv_ctx *ctx)
{
	const struct hit *h = ctx->carrier_data;

	return h == NULL || h->saved != NULL ? NULL : h->on;
}

static void
carrier_halt(struct dv_ctx *ctx)
{
	dv_tcg_halt(waiter(ctx));
}

/* A halted vCPU cannot be delayed. */
static void
carrier_delay(struct dv_ctx *ctx, uint64_t ns)
{
	const struct hit *h = ctx->carrier_data;

	if (h == NULL || h->saved == NULL)
		dv_tcg_delay(ns, waiter(ctx));
}

#define NOT_EXPORTED(name) "it needs a QEMU that exports " name ", which this one does not"

static struct dv_carrier
carrier(void)
{
	struct dv_carrier c = {
		.reg = carrier_reg, .read_phys = carrier_read,
		.clock = carrier_clock, .wallclock = carrier_wallclock,
		.delay = carrier_delay,
		.no_write = NOT_EXPORTED("cpu_physical_memory_rw"),
		.no_halt = NOT_EXPORTED("qemu_system_vmstop_request")
	};

	if (tcg.q.rw != NULL)
		c.write_phys = carrier_write;
	if (dv_tcg_can_halt())
		c.halt = carrier_halt;
	return c;
}

/* --- sites */

static void
site_cb(unsigned n, void *data)
{
	const struct site_ref *ref = data;
	struct dv_tcg_prog *p = ref->p;
	struct dv_ctx ctx;
	struct hit hit;
	uint32_t learnt;

	if (!__atomic_load_n(&p->on, __ATOMIC_ACQUIRE) || n >= p->nvcpu)
		return;
	hit.v = &tcg.vcpu[n];
	hit.saved = NULL;
	hit.object = NULL;
	hit.on = &p->on;
	learnt = __atomic_load_n(&dv_regs_learnt, __ATOMIC_ACQUIRE);
	if (learnt == DV_REGS_LEARNT)
		hit.object = hit.v->cpu;
	else if (learnt == DV_REGS_LEARNING)
		dv_regs_learn(hit.v);
	ctx.carrier_data = &hit;
	ctx.ram = &dv_ram_get()->main;
	ctx.vcpu = (int32_t)n;
	ctx.rip = p->site[ref->site].addr;
	dv_fire(p->state, &ctx, ref->site);
}

static uint32_t
addr_hash(uint64_t a)
{
	return (uint32_t)((a * 0x9e3779b97f4a7c15ull) >> 32);
}

static bool
is_ret(const uint8_t *b, size_t n)
{
	return (n >= 1 && (b[0] == 0xc3 || b[0] == 0xc2)) ||
	    (n >= 2 && b[0] == 0xf3 && b[1] == 0xc3);
}

/* jmp *reg, jmp *mem, or the lfence before one: what a patched thunk becomes. */
static bool
is_indirect_jump(const uint8_t *b, size_t n)
{
	size_t i = 0;

	while (i + 1 < n && (b[i] == 0x2e || b[i] == 0x3e || (b[i] & 0xf0) == 0x40))
		i++;
	return (n - i >= 2 && b[i] == 0xff && (b[i + 1] >> 3 & 7) == 4) ||
		(n >= 3 && b[0] == 0x0f && b[1] == 0xae && b[2] == 0xe8);
}

/*
 * Is the site still what its rules were made for? Kernels patch their text: at
 * a function's entry that means nothing to us, but a jump that led out of a
 * function may lead elsewhere now (static calls). Jumps to a return thunk are
 * the only direct jumps that have rules of returns alone, with a value: they
 * stay returns when they become plain ones or lead to another thunk. Jumps
 * through thunks that became plain indirect ones stay that.
 */
static bool
site_valid(const struct dv_tcg_prog *p, const struct dv_site *site, struct qemu_plugin_insn *insn)
{
	const struct dv_prog *prog = dv_state_prog(p->state);
	bool returns = false, only_returns = true, indirect = true;
	uint8_t b[16];
	size_t n;

	for (uint32_t i = 0; i < site->nrule; i++) {
		const struct dv_rule *r = &prog->rules[site->rule + i];
		uint32_t kind = r->kind;

		/* not of this instruction */
		if (kind == DV_RULE_UNTAIL || kind == DV_RULE_GONE)
			continue;
		indirect &= r->args != DV_NONE &&
			prog->argsets[r->args].arg[1].kind == DV_LOC_FAULT;
		returns |= kind == DV_RULE_RET || kind == DV_RULE_TAIL;
		only_returns &= kind == DV_RULE_RET;
	}
	if (!returns)
		return true;
	n = qemu_plugin_insn_data(insn, b, sizeof(b));
	return (n <= site->nbytes && memcmp(b, site->bytes, n) == 0) ||
		(only_returns && !indirect &&
		 (is_ret(b, n) || (n == 5 && b[0] == 0xe9 && site->bytes[0] == 0xe9))) ||
		(indirect && is_indirect_jump(b, n));
}

static void
site_arm(struct dv_tcg_prog *p, struct qemu_plugin_insn *insn, uint64_t va)
{
	uint32_t at = addr_hash(va) & p->mask, i;

	while ((i = p->hash[at]) != 0 && p->site[i - 1].addr != va)
		at = (at + 1) & p->mask;
	if (i == 0)
		return;
	i--;
	if (dv_site_gone(p->state, i))
		return;
	if (site_valid(p, &p->site[i], insn))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, site_cb, QEMU_PLUGIN_CB_R_REGS,
						       &p->ref[i]);
	else if (__atomic_exchange_n(&p->ref[i].stale, 1, __ATOMIC_RELAXED) == 0)
		__atomic_fetch_add(&p->stale, 1, __ATOMIC_RELAXED);
}

void
dv_tprog_trans(struct qemu_plugin_tb *tb, uint64_t va, size_t ninsn)
{
	struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, ninsn - 1);
	uint64_t end = qemu_plugin_insn_vaddr(last);

	for (unsigned s = 0; s < MAXPROG; s++) {
		struct dv_tcg_prog *p = __atomic_load_n(&slot[s], __ATOMIC_ACQUIRE);

		if (p == NULL || end < p->low || va > p->high)
			continue;
		for (size_t i = 0; i < ninsn; i++) {
			struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

			site_arm(p, insn, qemu_plugin_insn_vaddr(insn));
		}
	}
}

bool
dv_tprog_any(void)
{
	return __atomic_load_n(&nslot, __ATOMIC_ACQUIRE) != 0;
}

bool
dv_tprog_profiles(void)
{
	return __atomic_load_n(&nprofile, __ATOMIC_ACQUIRE) != 0;
}

void
dv_tprog_sites_off(void)
{
	/* QEMU's reset hook is no vCPU: the lock keeps what is published alive */
	pthread_mutex_lock(&tcg.lock);
	for (unsigned s = 0; s < MAXPROG; s++) {
		struct dv_tcg_prog *p = __atomic_load_n(&slot[s], __ATOMIC_ACQUIRE);

		if (p != NULL)
			__atomic_store_n(&p->on, 0, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&tcg.lock);
}

static int
sites_index(struct dv_tcg_prog *p, const struct dv_prog *prog)
{
	uint32_t n = prog->nsites, size = 16, i;

	p->site = prog->sites;
	p->nsites = n;
	p->low = ~0ull;
	if (n > 1u << 24)
		return -1;
	while (size < 2 * n)
		size *= 2;
	p->mask = size - 1;
	p->hash = calloc(size, sizeof(*p->hash));
	p->ref = calloc(n + 1, sizeof(*p->ref));
	if (p->hash == NULL || p->ref == NULL)
		return -1;
	for (i = 0; i < n; i++) {
		uint64_t a = prog->sites[i].addr;
		uint32_t at = addr_hash(a) & p->mask;

		p->ref[i].p = p;
		p->ref[i].site = i;
		if (a < p->low)
			p->low = a;
		if (a > p->high)
			p->high = a;
		while (p->hash[at] != 0)
			at = (at + 1) & p->mask;
		p->hash[at] = i + 1;
	}
	return 0;
}

/* --- flushing */

static void
flush_finished(uint64_t n)
{
	pthread_mutex_lock(&tcg.lock);
	if (n > flush.done)
		__atomic_store_n(&flush.done, n, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&tcg.change);
	pthread_mutex_unlock(&tcg.lock);
	dv_chan_wake();
}

static void
reset_done(qemu_plugin_id_t id)
{
	uint64_t n;

	dv_plugin_register(id);
	pthread_mutex_lock(&tcg.lock);
	n = flush.begun;
	/* asked for meanwhile: the next callback begins another */
	if (flush.asked > n)
		__atomic_store_n(&flush.wanted, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&tcg.lock);
	flush_finished(n);
}

/* A vCPU's thread, in a callback or in its work. */
void
dv_tprog_callback(void)
{
	bool begin = false;

	if (!__atomic_load_n(&flush.wanted, __ATOMIC_RELAXED))
		return;
	pthread_mutex_lock(&tcg.lock);
	if (flush.wanted && flush.begun == flush.done) {
		__atomic_store_n(&flush.wanted, 0, __ATOMIC_RELEASE);
		flush.begun = flush.asked;
		begin = true;
	}
	pthread_mutex_unlock(&tcg.lock);
	if (begin)
		qemu_plugin_reset(tcg.id, reset_done);
}

/* No vCPU executes or translates now. */
static void
flush_work(void *cpu, uint64_t n)
{
	void **current = qemu_int_current_cpu();
	void *was = *current;

	*current = cpu;
	tcg.q.tb_flush(cpu);
	*current = was;
	flush_finished(n);
}

static void
reset_work(void *cpu, uint64_t n)
{
	void **current = qemu_int_current_cpu();
	void *was = *current;

	(void)n;
	*current = cpu;
	dv_tprog_callback();
	*current = was;
}

static uint64_t
flush_ask(void)
{
	unsigned i, n = dv_vcpu_count();
	uint64_t num;

	pthread_mutex_lock(&tcg.lock);
	num = ++flush.asked;
	pthread_mutex_unlock(&tcg.lock);
	if (n == 0) {			/* nothing was ever translated */
		flush_finished(num);
		return num;
	}
	if (tcg.has_cpus && tcg.q.tb_flush != NULL) {
		for (i = 0; i < n; i++)
			if (dv_vcpu_run_alone(&tcg.vcpu[i], flush_work, num))
				return num;
	}
	__atomic_store_n(&flush.wanted, 1, __ATOMIC_RELEASE);
	for (i = 0; i < n; i++)
		if (dv_vcpu_run(&tcg.vcpu[i], reset_work, 0))
			break;
	return num;
}

static bool
flush_is_done(uint64_t n)
{
	return __atomic_load_n(&flush.done, __ATOMIC_ACQUIRE) >= n;
}

static bool
flush_wait(uint64_t n, uint64_t ns)
{
	uint64_t end = dv_tcg_now() + ns, now;

	while (!flush_is_done(n) && (now = dv_tcg_now()) < end &&
	       !__atomic_load_n(&tcg.ending, __ATOMIC_ACQUIRE)) {
		dv_vcpu_kick_all();
		pthread_mutex_lock(&tcg.lock);
		if (!flush_is_done(n))
			dv_tcg_wait(now + KICK_NS);
		pthread_mutex_unlock(&tcg.lock);
	}
	return flush_is_done(n);
}

/* --- life */

static void
prog_free(struct dv_tcg_prog *p)
{
	if (p == NULL)
		return;
	dv_state_destroy(p->state);
	for (uint32_t i = 0; p->timer != NULL && i < p->ntimers; i++)
		free(p->timer[i].prof);
	free(p->timer);
	free(p->hash);
	free(p->ref);
	free(p->blob);
	if (p->priv != NULL)
		munmap(p->priv, p->priv_len);
	if (p->shared != NULL)
		munmap(p->shared, p->shared_len);
	free(p);
}

/* Frees of the dead what nobody can be in any more. */
static void
dead_bury(void)
{
	struct dv_tcg_prog **at = &dead, *p;

	while ((p = *at) != NULL) {
		if ((p->armed && !flush_is_done(p->flush)) ||
		    __atomic_load_n(&p->queued, __ATOMIC_ACQUIRE) != 0) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		prog_free(p);
	}
}

static int
timers_make(struct dv_tcg_prog *p, const struct dv_prog *prog)
{
	uint32_t i, v;

	p->ntimers = prog->ntimers;
	p->timer = calloc(prog->ntimers + 1, sizeof(*p->timer));
	if (p->timer == NULL)
		return -1;
	for (i = 0; i < prog->ntimers; i++) {
		struct profile *f;

		if ((prog->timers[i].flags & DV_TIMER_ALLVCPU) == 0)
			continue;
		f = p->timer[i].prof = calloc(p->nvcpu, sizeof(*f));
		if (f == NULL)
			return -1;
		for (v = 0; v < p->nvcpu; v++)
			f[v] = (struct profile){ p, i, v, 0 };
	}
	return 0;
}

static bool
has_profiles(const struct dv_tcg_prog *p)
{
	for (uint32_t i = 0; i < p->ntimers; i++)
		if (p->timer[i].prof != NULL)
			return true;
	return false;
}

/* Only we write: where that cannot be had, nobody is shown the buffers. */
static int
shared_make(struct dv_tcg_prog *p, size_t len)
{
	int fd = memfd_create("dvisor", MFD_CLOEXEC | MFD_ALLOW_SEALING), why;
	void *m;

	if (fd < 0)
		return -1;
	if (ftruncate(fd, (off_t)len) != 0)
		goto bad;
	m = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (m == MAP_FAILED)
		goto bad;
	p->shared = m;
	p->shared_len = len;
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW |
		  F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) != 0)
		goto bad;
	return fd;
bad:
	why = errno;
	close(fd);
	errno = why;
	return -1;
}

__attribute__((format(printf, 3, 4)))
static enum dv_ctl_status
refusal(struct dv_reason *why, enum dv_ctl_status status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why->text, sizeof(why->text), fmt, ap);
	va_end(ap);
	return status;
}

enum dv_ctl_status
dv_tprog_load(void *blob, size_t len, uint32_t pid, struct dv_tcg_prog **ret,
	      struct dv_ctl_loaded *l, int *fd, struct dv_reason *why)
{
	enum dv_ctl_status status = DV_CTL_EREFUSED;
	const struct dv_carrier c = carrier();
	struct dv_tcg_prog *p;
	size_t priv, shared;
	uint64_t seed, available;
	char text[128];
	unsigned s;
	void *m;
	int rc;

	*fd = -1;
	for (s = 0; s < MAXPROG && user[s] != NULL; s++)
		;
	if (s == MAXPROG)
		return refusal(why, DV_CTL_EBUSY, "the guest is already traced by "
			       "%u processes, the first is %u", MAXPROG, user[0]->pid);
	if ((rc = dv_state_sizes(blob, len, tcg.max_vcpu, &priv, &shared, why)) != 0)
		return rc == DV_STATE_TOOBIG ? DV_CTL_ENOMEM : DV_CTL_EREFUSED;
	if (!dv_mem_fits(priv + shared, &available))
		return refusal(why, DV_CTL_ENOMEM, "cannot make %zu bytes of buffers: %llu are "
			       "available", priv + shared, (unsigned long long)available);
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return refusal(why, DV_CTL_EREFUSED, "out of memory");
	p->pid = pid;
	p->nvcpu = tcg.max_vcpu;
	m = mmap(NULL, priv, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m != MAP_FAILED) {
		p->priv = m;
		p->priv_len = priv;
	}
	if (p->priv == NULL || (*fd = shared_make(p, shared)) < 0) {
		status = refusal(why, DV_CTL_ENOMEM, "cannot make %zu bytes of buffers: %s",
				 priv + shared, strerror(errno));
		goto bad;
	}
	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = dv_tcg_now() * 0x9e3779b97f4a7c15ull;
	dv_ram_build(&tcg.q, text, sizeof(text));
	if (dv_state_create(blob, len, p->nvcpu, p->priv, priv, p->shared, shared,
			    &c, seed, why, &p->state) != 0)
		goto bad;
	if (sites_index(p, dv_state_prog(p->state)) != 0 ||
	    timers_make(p, dv_state_prog(p->state)) != 0) {
		refusal(why, status, "no memory for %u sites",
			dv_state_prog(p->state)->nsites);
		goto bad;
	}
	if (has_profiles(p) && !tcg.has_cpus) {
		refusal(why, status, "profile probes need a QEMU that exports "
			"async_run_on_cpu; this one does not");
		goto bad;
	}
	p->clean_period = dv_prog_opt(dv_state_prog(p->state), DV_OPT_CLEANRATE);
	p->blob = blob;
	user[s] = p;
	l->shared_len = shared;
	l->nvcpu = p->nvcpu;
	*ret = p;
	return DV_CTL_OK;
bad:
	prog_free(p);
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return status;
}

static void
publish(struct dv_tcg_prog *p)
{
	for (unsigned s = 0; s < MAXPROG; s++) {
		if (slot[s] == NULL) {
			__atomic_store_n(&slot[s], p, __ATOMIC_RELEASE);
			break;
		}
	}
	__atomic_fetch_add(&nslot, 1, __ATOMIC_RELEASE);
	p->armed = true;
}

static void
unpublish(struct dv_tcg_prog *p)
{
	for (unsigned s = 0; s < MAXPROG; s++) {
		if (slot[s] == p) {
			pthread_mutex_lock(&tcg.lock);
			__atomic_store_n(&slot[s], NULL, __ATOMIC_RELEASE);
			pthread_mutex_unlock(&tcg.lock);
			__atomic_fetch_sub(&nslot, 1, __ATOMIC_RELEASE);
			p->flush = flush_ask();
		}
	}
}

/* Armed: no block without callbacks can run any more. */
static bool
arm_wait(struct dv_tcg_prog *p)
{
	uint64_t end = dv_tcg_now() + ARM_NS;

	if (dv_guest_held())
		return true;		/* at the end of its block */
	if (tcg.has_cpus)
		return flush_wait(p->flush, ARM_NS);
	while (!flush_wait(p->flush, IDLE_NS)) {
		if (dv_vcpu_state() & DV_GUEST_IDLE)
			return true;	/* first thing when it wakes */
		if (dv_tcg_now() >= end)
			return false;
	}
	return true;
}

/* Takes back what go has begun. */
static void
disarm(struct dv_tcg_prog *p)
{
	unpublish(p);
	__atomic_store_n(&p->on, 0, __ATOMIC_RELEASE);
}

enum dv_ctl_status
dv_tprog_go(struct dv_tcg_prog *p, uint64_t generation, struct dv_reason *why)
{
	const struct dv_prog *prog = dv_state_prog(p->state);
	struct dv_ctx ctx;
	uint64_t now;

	if (p->phase != LOADED)
		return refusal(why, DV_CTL_EREFUSED, "the program was started before");
	__atomic_store_n(&p->on, 1, __ATOMIC_RELEASE);
	if (p->nsites != 0)
		publish(p);
	/* whoever changes it from here on switches what is published off */
	pthread_mutex_lock(&tcg.lock);
	p->generation = tcg.generation;
	pthread_mutex_unlock(&tcg.lock);
	if (generation != 0 && generation != p->generation) {
		disarm(p);
		return refusal(why, DV_CTL_EGUEST, "could not enable tracing: the guest was "
			       "reset or started another kernel meanwhile");
	}
	if (p->nsites != 0) {
		p->flush = flush_ask();
		if (!arm_wait(p)) {
			disarm(p);
			return refusal(why, DV_CTL_EGUEST, "could not arm the probes: "
				       "the guest's vCPUs do not respond");
		}
	}
	if (has_profiles(p)) {
		__atomic_fetch_add(&nprofile, 1, __ATOMIC_RELEASE);
		dv_vcpu_snap_all(ARM_NS / 10);
	}
	p->phase = RUNNING;
	dv_ctx_host(&ctx);
	dv_state_go(p->state, &ctx);
	now = dv_tcg_now();
	for (uint32_t i = 0; i < p->ntimers; i++)
		p->timer[i].due = now + prog->timers[i].period;
	p->clean_due = now + p->clean_period;
	return DV_CTL_OK;
}

void
dv_tprog_stop(struct dv_tcg_prog *p)
{
	struct dv_ctx ctx;

	if (p->phase != RUNNING)
		return;
	p->phase = STOPPED;
	dv_ctx_host(&ctx);
	dv_state_stop(p->state, &ctx);
	__atomic_store_n(&p->on, 0, __ATOMIC_RELEASE);
	unpublish(p);
	if (has_profiles(p))
		__atomic_fetch_sub(&nprofile, 1, __ATOMIC_RELEASE);
}

void
dv_tprog_unload(struct dv_tcg_prog *p)
{
	dv_tprog_stop(p);
	for (unsigned s = 0; s < MAXPROG; s++)
		if (user[s] == p)
			user[s] = NULL;
	if (p->armed && tcg.has_cpus && !dv_guest_held())
		flush_wait(p->flush, UNARM_NS);
	p->next = dead;
	dead = p;
	dead_bury();
}

int
dv_tprog_snap(struct dv_tcg_prog *p, unsigned cpu, unsigned which,
	      struct dv_snap *ret)
{
	if (cpu > p->nvcpu || which > DV_BUF_AGG)
		return -1;
	return dv_snap(p->state, cpu, (enum dv_which)which, ret);
}

void
dv_tprog_status(struct dv_tcg_prog *p, struct dv_status *ret)
{
	dv_status(p->state, ret);
	ret->stale_sites = __atomic_load_n(&p->stale, __ATOMIC_RELAXED);
}

int
dv_tprog_account(struct dv_tcg_prog *p, uint32_t ecb, struct dv_account *ret)
{
	return dv_account(p->state, ecb, ret);
}

/* --- timers */

static void
profile_work(void *cpu, uint64_t data)
{
	struct profile *f = (struct profile *)(uintptr_t)data;
	struct dv_tcg_prog *p = f->p;
	void **current = qemu_int_current_cpu();
	void *was = *current;
	struct hit hit = { &tcg.vcpu[f->vcpu], NULL, NULL, &p->on };
	struct dv_ctx ctx;

	*current = cpu;
	if (__atomic_load_n(&p->on, __ATOMIC_ACQUIRE)) {
		memset(&ctx, 0, sizeof(ctx));
		ctx.carrier_data = &hit;
		ctx.vcpu = (int32_t)f->vcpu;
		ctx.rip = dv_vcpu_reg(hit.v, DV_REG_RIP);
		dv_fire_timer(p->state, &ctx, f->timer);
	}
	*current = was;
	__atomic_store_n(&f->queued, 0, __ATOMIC_RELEASE);
	__atomic_fetch_sub(&p->queued, 1, __ATOMIC_RELEASE);
}

/* Halted: the vCPU is not woken; its registers are those of its halt. */
static bool
profile_halted(struct profile *f)
{
	struct dv_tcg_vcpu *v = &tcg.vcpu[f->vcpu];
	struct dv_tcg_regs regs;
	struct hit hit = { v, &regs, NULL, &f->p->on };
	struct dv_ctx ctx;
	bool valid;

	if (!__atomic_load_n(&v->idle, __ATOMIC_ACQUIRE))
		return false;
	pthread_mutex_lock(&tcg.lock);
	valid = v->regs_valid;
	regs = v->regs;
	pthread_mutex_unlock(&tcg.lock);
	if (!valid || (regs.reg[DV_TCG_CR0] >> 31) == 0)
		return true;		/* never started: nothing to see */
	memset(&ctx, 0, sizeof(ctx));
	ctx.carrier_data = &hit;
	ctx.vcpu = (int32_t)f->vcpu;
	ctx.rip = regs.reg[DV_REG_RIP];
	dv_fire_timer(f->p->state, &ctx, f->timer);
	return true;
}

static void
profile_fire(struct dv_tcg_prog *p, struct profile *prof)
{
	unsigned n = dv_vcpu_count();

	if (p->generation != __atomic_load_n(&tcg.generation, __ATOMIC_ACQUIRE) ||
	    (dv_vcpu_state() & (DV_GUEST_PAUSED | DV_GUEST_HELD)) != 0)
		return;
	for (unsigned v = 0; v < n && v < p->nvcpu; v++) {
		struct profile *f = &prof[v];

		if (__atomic_load_n(&f->queued, __ATOMIC_ACQUIRE)) {
			dv_vcpu_kick(&tcg.vcpu[v]);
			continue;	/* one at a time; the late one stands for it */
		}
		if (profile_halted(f))
			continue;
		__atomic_store_n(&f->queued, 1, __ATOMIC_RELEASE);
		__atomic_fetch_add(&p->queued, 1, __ATOMIC_RELEASE);
		if (!dv_vcpu_run(&tcg.vcpu[v], profile_work, (uint64_t)(uintptr_t)f)) {
			__atomic_store_n(&f->queued, 0, __ATOMIC_RELEASE);
			__atomic_fetch_sub(&p->queued, 1, __ATOMIC_RELEASE);
		}
	}
}

static uint64_t
prog_poll(struct dv_tcg_prog *p, uint64_t now)
{
	const struct dv_prog *prog = dv_state_prog(p->state);
	uint64_t next = ~0ull;
	struct dv_ctx ctx;

	for (uint32_t i = 0; i < p->ntimers; i++) {
		struct timer *t = &p->timer[i];

		if (now >= t->due) {
			if (t->prof != NULL) {
				profile_fire(p, t->prof);
			} else {
				dv_ctx_host(&ctx);
				dv_fire_timer(p->state, &ctx, i);
			}
			t->due = dv_clock_next(t->due, prog->timers[i].period, now);
		}
		if (t->due < next)
			next = t->due;
	}
	if (now >= p->clean_due) {
		dv_clean(p->state);
		p->clean_due = dv_clock_next(p->clean_due, p->clean_period, now);
	}
	return p->clean_due < next ? p->clean_due : next;
}

uint64_t
dv_tprog_poll(uint64_t now)
{
	uint64_t next = ~0ull, t;

	for (unsigned s = 0; s < MAXPROG; s++) {
		if (user[s] == NULL || user[s]->phase != RUNNING)
			continue;
		t = prog_poll(user[s], now);
		if (t < next)
			next = t;
	}
	dead_bury();
	return next;
}
