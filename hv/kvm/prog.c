/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prog.c - a consumer's program in the host kernel: sites, timers, life and death.
 *
 *	go	hooks, vCPUs armed -> published in vm->prog[] -> traps planted, one
 *		by one -> the machine is opened
 *	stop	the machine is closed -> no longer published -> traps restored -> vCPUs
 *		through -> disarmed, hooks off
 *
 * so a trap in the guest's memory always finds vCPUs that exit for it, and a
 * program that is published, or at least the trap's displaced instruction. A vCPU reads what is
 * published under the VM's SRCU.
 *
 * All control happens in the service thread of the file that loaded the program,
 * which uses the VM's mm: so the machine reads guest memory there, too (BEGIN, tick-n).
 * If the VM's process is gone the machine still runs, and finds no memory.
 *
 * A profile-n that is due sets a bit for each vCPU and asks its thread to come by; a
 * halted vCPU's does, without the vCPU waking up (vm.c). A bit that is still set
 * when the next is due stands for both.
 */
#include "kvm/kvm.h"
#include "core/prog.h"

#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#define MAXSITES	(1u << 24)
#define SPIN_NS		100000ull	/* less is no sleep */
#define SLICE_NS	1000000ull

struct timer {
	u64 due;
	unsigned long *pending;		/* a bit per vCPU; NULL: tick-n */
};

enum phase { LOADED, RUNNING, STOPPED };

struct dv_kprog {
	struct dv_vm *vm;
	struct dv_state *state;
	u32 on;				/* atomic: sites fire */
	u32 nvcpu;

	/* the sites; constant once published */
	const struct dv_site *site;
	u32 nsites;
	u32 *hash;			/* site + 1 */
	u32 mask;

	u64 lost;			/* hits of vCPUs that have no buffers; atomic */

	/* service thread */
	enum phase phase;
	unsigned long *planted;		/* sites that hold a trap */
	u32 changed, refused;		/* sites without one */
	bool hooked;
	u32 pid;
	void *blob, *priv, *shared;
	size_t shared_len;
	struct timer *timer;
	u32 ntimers;
	u64 clean_due, clean_period;
};

/* --- what the machine asks of us */

struct hit {
	struct dv_vm *vm;
	struct kvm_vcpu *v;		/* NULL: the host context */
	const u32 *on;			/* of the program */
	bool sleeps;			/* may */
	u64 missed;			/* a page of RAM that is not resident, + 1 */
};

static uint64_t
carrier_reg(struct dv_ctx *ctx, unsigned reg)
{
	const struct hit *h = ctx->carrier_data;

	if (reg == DV_REG_RIP)
		return ctx->rip;
	return h != NULL && h->v != NULL && reg < DV_NREG ? dv_regs_get(h->v, reg) : 0;
}

static int
carrier_read(struct dv_ctx *ctx, dv_gpa_t at, void *buf, size_t len)
{
	struct hit *h = ctx->carrier_data;
	bool missed = false;
	int rc;

	if (h == NULL)
		return -1;
	rc = dv_mem_peek(h->vm, at.v, buf, len, &missed);
	if (missed)
		h->missed = at.v + 1;
	return rc;
}

static uint64_t
carrier_clock(struct dv_ctx *ctx)
{
	return ktime_get_ns();
}

static uint64_t
carrier_wallclock(struct dv_ctx *ctx)
{
	return ktime_get_real_ns();
}

static int
carrier_write(struct dv_ctx *ctx, dv_gpa_t at, const void *buf, size_t len)
{
	struct hit *h = ctx->carrier_data;

	return h != NULL && h->v != NULL ? dv_mem_write(h->vm, at.v, buf, len) : -1;
}

static void
carrier_delay(struct dv_ctx *ctx, uint64_t ns)
{
	const struct hit *h = ctx->carrier_data;
	u64 end = ktime_get_ns() + ns, now, left;

	if (h == NULL || !h->sleeps)
		return;			/* a vCPU that is not in its own code */
	while ((now = ktime_get_ns()) < end && !signal_pending(current) &&
	       (h->v == NULL || dv_load_acq32(h->on) != 0)) {
		left = min_t(u64, end - now, SLICE_NS);
		if (left >= SPIN_NS)
			usleep_range(left / 1000, left / 1000 + 10);
		else
			cpu_relax();
	}
}

static const struct dv_carrier carrier = {
	.reg = carrier_reg, .read_phys = carrier_read,
	.clock = carrier_clock, .wallclock = carrier_wallclock,
	.write_phys = carrier_write, .delay = carrier_delay,
	.no_halt = "the kernel module does not pause VMs; over QEMU's monitor, or with "
		"virsh suspend, that can be done"
};

/* A host context of this program; what it reads is under the VM's SRCU. */
static int
host_begin(struct dv_kprog *p, struct dv_ctx *ctx, struct hit *h)
{
	*h = (struct hit){ .vm = p->vm, .on = &p->on, .sleeps = true };
	dv_ctx_host(ctx);
	ctx->carrier_data = h;
	(void)dv_mem_update(p->vm);
	return srcu_read_lock(&p->vm->srcu);
}

static void
host_end(struct dv_kprog *p, struct hit *h, int idx)
{
	srcu_read_unlock(&p->vm->srcu, idx);
	if (h->missed != 0)
		dv_mem_touch(p->vm, h->missed - 1);
}

/* --- sites */

static u32
addr_hash(u64 a)
{
	return (u32)((a * 0x9e3779b97f4a7c15ull) >> 32);
}

static u32
site_find(const struct dv_kprog *p, u64 pc)
{
	u32 at = addr_hash(pc) & p->mask, i;

	for (; (i = p->hash[at]) != 0; at = (at + 1) & p->mask)
		if (p->site[i - 1].addr == pc)
			return i - 1;
	return DV_NONE;
}

void
dv_kprog_hit(struct dv_vm *vm, struct kvm_vcpu *v, u64 pc)
{
	struct hit h = { .vm = vm, .v = v, .sleeps = true };
	struct dv_ctx ctx;
	unsigned i;
	u32 site;

	for (i = 0; i < DV_MAXPROG; i++) {
		struct dv_kprog *p = srcu_dereference(vm->prog[i], &vm->srcu);

		if (p == NULL || dv_load_acq32(&p->on) == 0)
			continue;
		site = site_find(p, pc);
		if (site == DV_NONE)
			continue;
		if ((u32)v->vcpu_idx >= p->nvcpu) {
			dv_add64(&p->lost, 1);
			continue;
		}
		h.on = &p->on;
		ctx = (struct dv_ctx){
			.carrier_data = &h, .vcpu = (int32_t)v->vcpu_idx, .rip = pc
		};
		dv_fire(p->state, &ctx, site);
	}
	if (h.missed != 0)
		dv_mem_touch(vm, h.missed - 1);
}

static int
sites_index(struct dv_kprog *p, const struct dv_prog *prog)
{
	u32 n = prog->nsites, size = 16, i;

	p->site = prog->sites;
	p->nsites = n;
	if (n > MAXSITES)
		return -1;
	while (size < 2 * n)
		size *= 2;
	p->mask = size - 1;
	p->hash = kvcalloc(size, sizeof(*p->hash), GFP_KERNEL_ACCOUNT);
	p->planted = kvcalloc(BITS_TO_LONGS(n + 1), sizeof(long), GFP_KERNEL_ACCOUNT);
	if (p->hash == NULL || p->planted == NULL)
		return -1;
	for (i = 0; i < n; i++) {
		u32 at = addr_hash(prog->sites[i].addr) & p->mask;

		while (p->hash[at] != 0)
			at = (at + 1) & p->mask;
		p->hash[at] = i + 1;
	}
	return 0;
}

void
dv_kprog_off(struct dv_vm *vm)
{
	int idx = srcu_read_lock(&vm->srcu);
	unsigned i;

	for (i = 0; i < DV_MAXPROG; i++) {
		struct dv_kprog *p = srcu_dereference(vm->prog[i], &vm->srcu);

		if (p != NULL)
			dv_store32(&p->on, 0);
	}
	srcu_read_unlock(&vm->srcu, idx);
}

/* vm->lock held. */
static enum dv_trap_why
sites_plant(struct dv_kprog *p)
{
	const struct dv_layout *l = dv_state_prog(p->state)->layout;
	u32 i;

	if (l == NULL || l->present == 0) {
		p->changed = p->nsites;
		return DV_TRAP_OK;
	}
	for (i = 0; i < p->nsites; i++) {
		enum dv_trap_why why = dv_trap_plant(p->vm, l, &p->site[i]);

		switch (why) {
		case DV_TRAP_OK:
			__set_bit(i, p->planted);
			break;
		case DV_TRAP_INSN:
			p->refused++;
			break;
		case DV_TRAP_LOGGED:
		case DV_TRAP_NOMEM:
			return why;
		default:
			p->changed++;
		}
		cond_resched();
	}
	return DV_TRAP_OK;
}

/* vm->lock held. */
static void
sites_drop(struct dv_kprog *p)
{
	bool gone = current->mm != p->vm->mm;
	u32 i;

	for_each_set_bit(i, p->planted, p->nsites) {
		dv_trap_drop(p->vm, p->site[i].addr, gone);
		cond_resched();
	}
	bitmap_zero(p->planted, p->nsites);
	dv_trap_sweep(p->vm);
}

/* --- life */

static void
prog_free(struct dv_kprog *p)
{
	u32 i;

	if (p == NULL)
		return;
	dv_state_destroy(p->state);
	for (i = 0; p->timer != NULL && i < p->ntimers; i++)
		kvfree(p->timer[i].pending);
	kvfree(p->timer);
	kvfree(p->hash);
	kvfree(p->planted);
	vfree(p->priv);
	vfree(p->shared);
	vfree(p->blob);
	kfree(p);
}

static int
timers_make(struct dv_kprog *p, const struct dv_prog *prog)
{
	u32 i;

	p->ntimers = prog->ntimers;
	p->timer = kvcalloc(prog->ntimers + 1, sizeof(*p->timer), GFP_KERNEL_ACCOUNT);
	if (p->timer == NULL)
		return -1;
	for (i = 0; i < prog->ntimers; i++) {
		if ((prog->timers[i].flags & DV_TIMER_ALLVCPU) == 0)
			continue;
		p->timer[i].pending = kvcalloc(BITS_TO_LONGS(p->nvcpu), sizeof(long),
					       GFP_KERNEL_ACCOUNT);
		if (p->timer[i].pending == NULL)
			return -1;
	}
	return 0;
}

static bool
has_profiles(const struct dv_kprog *p)
{
	u32 i;

	for (i = 0; i < p->ntimers; i++)
		if (p->timer[i].pending != NULL)
			return true;
	return false;
}

static enum dv_ctl_status
refusal(struct dv_reason *why, enum dv_ctl_status status, const char *text)
{
	dv_vm_refuse(why, 0, "%s", text);
	return status;
}

enum dv_ctl_status
dv_kprog_load(struct dv_vm *vm, void *blob, size_t len, u32 pid, struct dv_kprog **ret,
	      struct dv_ctl_loaded *l, struct dv_reason *why)
{
	unsigned nvcpu = dv_vm_room(vm);
	size_t priv, shared;
	struct dv_kprog *p;
	u64 available;
	int rc;

	if (dv_broken())
		return refusal(why, DV_CTL_EREFUSED, "the kernel module has stopped itself; the "
			       "kernel's log says why");
	if (nvcpu == 0)
		return refusal(why, DV_CTL_EGUEST, "the VM has no vCPU");
	rc = dv_state_sizes(blob, len, nvcpu, &priv, &shared, why);
	if (rc != 0)
		return rc == DV_STATE_TOOBIG ? DV_CTL_ENOMEM : DV_CTL_EREFUSED;
	available = (u64)max_t(long, si_mem_available(), 0) << PAGE_SHIFT;
	if (priv + shared > available / 4 * 3) {
		dv_vm_refuse(why, 0, "cannot make %zu bytes of buffers: %llu are available",
			     priv + shared, available);
		return DV_CTL_ENOMEM;
	}
	p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
	if (p == NULL)
		return refusal(why, DV_CTL_EREFUSED, "out of memory");
	p->vm = vm;
	p->pid = pid;
	p->nvcpu = nvcpu;
	p->priv = __vmalloc(priv, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	p->shared = vmalloc_user(shared);
	p->shared_len = shared;
	if (p->priv == NULL || p->shared == NULL) {
		dv_vm_refuse(why, 0, "cannot make %zu bytes of buffers: out of memory",
			     priv + shared);
		prog_free(p);
		return DV_CTL_ENOMEM;
	}
	if (dv_state_create(blob, len, nvcpu, p->priv, priv, p->shared, shared, &carrier,
			    get_random_u64(), why, &p->state) != 0) {
		prog_free(p);
		return DV_CTL_EREFUSED;
	}
	if (sites_index(p, dv_state_prog(p->state)) != 0 ||
	    timers_make(p, dv_state_prog(p->state)) != 0) {
		dv_vm_refuse(why, 0, "no memory for %u sites", dv_state_prog(p->state)->nsites);
		prog_free(p);
		return DV_CTL_EREFUSED;
	}
	p->clean_period = dv_prog_opt(dv_state_prog(p->state), DV_OPT_CLEANRATE);
	p->blob = blob;
	l->shared_len = shared;
	l->nvcpu = nvcpu;
	*ret = p;
	return DV_CTL_OK;
}

/* vm->lock held. */
static bool
publish(struct dv_kprog *p)
{
	struct dv_vm *vm = p->vm;
	unsigned i;

	for (i = 0; i < DV_MAXPROG; i++) {
		if (rcu_access_pointer(vm->prog[i]) == NULL) {
			rcu_assign_pointer(vm->prog[i], p);
			return true;
		}
	}
	return false;
}

/* Takes back all that go does, as far as it was done. No lock held. */
static void
disarm(struct dv_kprog *p)
{
	struct dv_vm *vm = p->vm;
	bool last = false;
	unsigned i;

	dv_store32(&p->on, 0);
	if (!p->hooked)
		return;
	mutex_lock(&vm->lock);
	for (i = 0; i < DV_MAXPROG; i++)
		if (rcu_access_pointer(vm->prog[i]) == p)
			RCU_INIT_POINTER(vm->prog[i], NULL);
	sites_drop(p);
	if (p->nsites != 0 && --vm->narmed == 0) {
		/* under the lock: from here on another may arm them again */
		dv_store32(&vm->armed, 0);
		last = true;
	}
	synchronize_srcu(&vm->srcu);
	mutex_unlock(&vm->lock);
	if (last)
		dv_hook_disarm(vm);
	dv_hook_put(p->nsites != 0);
	p->hooked = false;
}

enum dv_ctl_status
dv_kprog_go(struct dv_kprog *p, u64 generation, struct dv_reason *why)
{
	const struct dv_prog *prog = dv_state_prog(p->state);
	enum dv_trap_why planted = DV_TRAP_OK;
	struct dv_vm *vm = p->vm;
	bool sites = p->nsites != 0, published;
	struct dv_ctx ctx;
	struct hit h;
	u64 now;
	int idx;
	u32 i;

	if (p->phase != LOADED)
		return refusal(why, DV_CTL_EREFUSED, "the program was started before");
	if (sites || has_profiles(p)) {
		if (dv_mem_update(vm) != 0)
			return refusal(why, DV_CTL_EREFUSED, "out of memory");
		if (dv_hook_get(sites, why) != 0)
			return DV_CTL_EREFUSED;
		p->hooked = true;
		mutex_lock(&vm->lock);
		vm->narmed += sites;
		if (sites)
			dv_hook_arm(vm);
		dv_store32(&p->on, 1);
		published = publish(p);
		/* whoever changes it from here on switches what is published off */
		if (generation != 0 && generation != dv_load64(&vm->generation)) {
			mutex_unlock(&vm->lock);
			disarm(p);
			return refusal(why, DV_CTL_EGUEST, "could not enable tracing: the guest "
				       "was reset or started another kernel meanwhile");
		}
		if (published)
			planted = sites_plant(p);
		mutex_unlock(&vm->lock);
		pr_debug("process %d, program of %u: %u sites, %u changed, %u not emulated; %d\n",
			 vm->pid, p->pid, p->nsites, p->changed, p->refused, planted);
		if (!published || planted != DV_TRAP_OK)
			disarm(p);
		if (!published) {
			dv_vm_refuse(why, 0, "the guest is already traced by %u programs",
				     DV_MAXPROG);
			return DV_CTL_EBUSY;
		}
		if (planted == DV_TRAP_LOGGED)
			return refusal(why, DV_CTL_EGUEST, "cannot enable tracing: writes to the "
				       "guest's memory are being logged (migration or snapshot)");
		if (planted != DV_TRAP_OK)
			return refusal(why, DV_CTL_EREFUSED, "out of memory");
	}
	p->phase = RUNNING;
	idx = host_begin(p, &ctx, &h);
	dv_state_go(p->state, &ctx);
	host_end(p, &h, idx);
	now = ktime_get_ns();
	for (i = 0; i < p->ntimers; i++)
		p->timer[i].due = now + prog->timers[i].period;
	p->clean_due = now + p->clean_period;
	return DV_CTL_OK;
}

void
dv_kprog_stop(struct dv_kprog *p)
{
	struct dv_ctx ctx;
	struct hit h;
	int idx;

	if (p->phase != RUNNING)
		return;
	p->phase = STOPPED;
	idx = host_begin(p, &ctx, &h);
	dv_state_stop(p->state, &ctx);
	host_end(p, &h, idx);
	disarm(p);
}

void
dv_kprog_unload(struct dv_kprog *p)
{
	dv_kprog_stop(p);
	prog_free(p);
}

void *
dv_kprog_shared(const struct dv_kprog *p, size_t *len)
{
	*len = p->shared_len;
	return p->shared;
}

int
dv_kprog_snap(struct dv_kprog *p, u32 cpu, u32 which, struct dv_snap *ret)
{
	if (cpu > p->nvcpu || which > DV_BUF_AGG)
		return -1;
	return dv_snap(p->state, cpu, (enum dv_which)which, ret);
}

void
dv_kprog_status(struct dv_kprog *p, struct dv_status *ret)
{
	dv_status(p->state, ret);
	ret->stale_sites = p->changed + p->refused;
	ret->principal_drops += dv_load64(&p->lost);
}

int
dv_kprog_account(struct dv_kprog *p, u32 ecb, struct dv_account *ret)
{
	return dv_account(p->state, ecb, ret);
}

/* --- timers */

void
dv_kprog_timers(struct dv_vm *vm, struct kvm_vcpu *v)
{
	struct hit h = { .vm = vm, .v = v };
	struct dv_ctx ctx;
	unsigned i;
	u32 t;

	for (i = 0; i < DV_MAXPROG; i++) {
		struct dv_kprog *p = srcu_dereference(vm->prog[i], &vm->srcu);

		if (p == NULL || (u32)v->vcpu_idx >= p->nvcpu)
			continue;
		h.on = &p->on;
		for (t = 0; t < p->ntimers; t++) {
			if (p->timer[t].pending == NULL ||
			    !test_and_clear_bit(v->vcpu_idx, p->timer[t].pending) ||
			    dv_load_acq32(&p->on) == 0 || !dv_regs_proper(v))
				continue;
			ctx = (struct dv_ctx){
				.carrier_data = &h, .vcpu = (int32_t)v->vcpu_idx,
				.rip = dv_regs_rip(v)
			};
			dv_fire_timer(p->state, &ctx, t);
		}
	}
}

static void
profile_fire(struct dv_kprog *p, struct timer *t)
{
	unsigned i, n = min_t(unsigned, dv_vm_count(p->vm), p->nvcpu);

	if (dv_load_acq32(&p->on) == 0 || (dv_vm_state(p->vm) & DV_GUEST_PAUSED) != 0)
		return;
	(void)dv_mem_update(p->vm);
	for (i = 0; i < n; i++) {
		struct kvm_vcpu *v = kvm_get_vcpu(p->vm->kvm, i);

		if (v == NULL || v->arch.mp_state == KVM_MP_STATE_UNINITIALIZED ||
		    v->arch.mp_state == KVM_MP_STATE_INIT_RECEIVED)
			continue;
		set_bit(i, t->pending);
		dv_vm_ask(p->vm, v, DV_WORK_TIMER);
	}
}

/* The first multiple of the period after now, as seen from `due`. */
static u64
next_due(u64 due, u64 period, u64 now)
{
	return due + (period > 0 ? ((now - due) / period + 1) * period : 0);
}

u64
dv_kprog_due(const struct dv_kprog *p)
{
	u64 next;
	u32 i;

	if (p->phase != RUNNING)
		return ~0ull;
	next = p->clean_due;
	for (i = 0; i < p->ntimers; i++)
		if (p->timer[i].due < next)
			next = p->timer[i].due;
	return next;
}

void
dv_kprog_poll(struct dv_kprog *p, u64 now)
{
	const struct dv_prog *prog = dv_state_prog(p->state);
	struct dv_ctx ctx;
	struct hit h;
	int idx;
	u32 i;

	if (p->phase != RUNNING)
		return;
	for (i = 0; i < p->ntimers; i++) {
		struct timer *t = &p->timer[i];

		if (now < t->due)
			continue;
		if (t->pending != NULL) {
			profile_fire(p, t);
		} else {
			idx = host_begin(p, &ctx, &h);
			dv_fire_timer(p->state, &ctx, i);
			host_end(p, &h, idx);
		}
		t->due = next_due(t->due, prog->timers[i].period, now);
	}
	if (p->hooked && dv_load_acq32(&p->on) == 0 && !bitmap_empty(p->planted, p->nsites)) {
		/* the guest's kernel went (vm.c): what is left of it gets its bytes back now */
		mutex_lock(&p->vm->lock);
		sites_drop(p);
		mutex_unlock(&p->vm->lock);
	}
	if (now >= p->clean_due) {
		dv_clean(p->state);
		p->clean_due = next_due(p->clean_due, p->clean_period, now);
	}
}
