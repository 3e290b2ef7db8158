/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vcpu.c - a vCPU's registers, and running something in its thread.
 *
 * QEMU reads registers of `current_cpu` only, in that vCPU's thread, and what
 * it reads is right at an instrumented instruction or between two blocks. A
 * vCPU that executes nothing of ours, or nothing at all because it is halted
 * or paused, still serves QEMU's queue of work: dv_vcpu_run() puts something
 * there. Serving it wakes the vCPU's thread, not the guest's CPU: a halted
 * guest stays halted and does not notice.
 *
 * The queue's wake-up can be lost, as we do not hold QEMU's big lock when we
 * queue: so whoever waits for work kicks again from time to time. With one
 * thread for all vCPUs, `current_cpu` may be another's while the work is done;
 * it is lent and put back.
 *
 * Without the queue (a QEMU that exports nothing) registers are saved when a
 * vCPU goes idle, and that has to do.
 */
#include "tcg/tcg.h"

#include <string.h>
#include <time.h>

#define KICK_NS 2000000ull		/* between kicks, while waiting for work */

uint64_t
dv_tcg_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

void
dv_vcpu_init(unsigned n)
{
	static const char *const names[DV_TCG_NREG] = {
		"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rip",
		"eflags", "cs", "cr3", "gs_base", "k_gs_base", "fs_base",
		"cr0", "cr4", "efer"
	};
	struct dv_tcg_vcpu *v;
	GArray *regs;
	unsigned i, r;

	if (n >= DV_CTL_MAXCPU)
		return;
	v = &tcg.vcpu[n];
	v->index = n;
	if (v->bytes == NULL)
		v->bytes = g_byte_array_new();
	regs = qemu_plugin_get_registers();
	for (i = 0; i < regs->len; i++) {
		const qemu_plugin_reg_descriptor *d =
			&g_array_index(regs, qemu_plugin_reg_descriptor, i);

		for (r = 0; r < DV_TCG_NREG; r++)
			if (strcmp(d->name, names[r]) == 0)
				v->handle[r] = d->handle;
	}
	g_array_free(regs, TRUE);
	if (tcg.q.get_cpu != NULL) {
		void *cpu = tcg.q.get_cpu((int)n);

		pthread_mutex_lock(&tcg.lock);
		__atomic_store_n(&v->cpu, cpu, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&tcg.lock);
	}
}

/* Called before QEMU frees the CPUState: who uses it holds the lock meanwhile. */
void
dv_vcpu_exit(unsigned n)
{
	if (n >= DV_CTL_MAXCPU)
		return;
	pthread_mutex_lock(&tcg.lock);
	__atomic_store_n(&tcg.vcpu[n].cpu, NULL, __ATOMIC_RELEASE);
	tcg.vcpu[n].regs_valid = false;
	pthread_mutex_unlock(&tcg.lock);
}

uint64_t
dv_vcpu_reg(struct dv_tcg_vcpu *v, unsigned reg)
{
	uint64_t val = 0;
	int n;

	if (reg >= DV_TCG_NREG || v->handle[reg] == NULL)
		return 0;
	v->bytes->len = 0;
	n = qemu_plugin_read_register(v->handle[reg], v->bytes);
	if (n > 0)
		memcpy(&val, v->bytes->data, n < 8 ? (size_t)n : 8);
	return val;
}

/* The vCPU's own thread. */
void
dv_vcpu_save(struct dv_tcg_vcpu *v)
{
	struct dv_tcg_regs regs;
	unsigned r;

	for (r = 0; r < DV_TCG_NREG; r++)
		regs.reg[r] = dv_vcpu_reg(v, r);
	pthread_mutex_lock(&tcg.lock);
	v->regs = regs;
	v->regs_valid = true;
	v->regs_seq++;
	pthread_cond_broadcast(&tcg.change);
	pthread_mutex_unlock(&tcg.lock);
}

/* QEMU's queues wait for no vCPU and call nothing of ours. */
static bool
queue(struct dv_tcg_vcpu *v, void (*how)(void *cpu, qemu_cpu_fn fn, uint64_t data),
      qemu_cpu_fn fn, uint64_t data)
{
	bool there;

	pthread_mutex_lock(&tcg.lock);
	there = v->cpu != NULL && tcg.has_cpus;
	if (there)
		how(v->cpu, fn, data);
	pthread_mutex_unlock(&tcg.lock);
	return there;
}

bool
dv_vcpu_run(struct dv_tcg_vcpu *v, qemu_cpu_fn fn, uint64_t data)
{
	return queue(v, tcg.q.run_on_cpu, fn, data);
}

bool
dv_vcpu_run_alone(struct dv_tcg_vcpu *v, qemu_cpu_fn fn, uint64_t data)
{
	return queue(v, tcg.q.safe_run_on_cpu, fn, data);
}

static void
snap_work(void *cpu, uint64_t data)
{
	struct dv_tcg_vcpu *v = &tcg.vcpu[data];
	void **current = qemu_int_current_cpu();
	void *was = *current;

	*current = cpu;
	dv_vcpu_save(v);
	*current = was;
	__atomic_store_n(&v->snap_asked, 0, __ATOMIC_RELEASE);
}

void
dv_vcpu_kick(struct dv_tcg_vcpu *v)
{
	pthread_mutex_lock(&tcg.lock);
	if (v->cpu != NULL && tcg.has_cpus)
		tcg.q.cpu_kick(v->cpu);
	pthread_mutex_unlock(&tcg.lock);
}

void
dv_vcpu_kick_all(void)
{
	for (unsigned i = 0, n = dv_vcpu_count(); i < n; i++)
		dv_vcpu_kick(&tcg.vcpu[i]);
}

void
dv_tcg_wait(uint64_t when)
{
	struct timespec t = {
		.tv_sec = (time_t)(when / 1000000000ull),
		.tv_nsec = (long)(when % 1000000000ull)
	};

	pthread_cond_timedwait(&tcg.change, &tcg.lock, &t);
}

void
dv_vcpu_snap_all(uint64_t ns)
{
	uint64_t end = dv_tcg_now() + ns, now;
	uint64_t seq[DV_CTL_MAXCPU];
	unsigned i, n = dv_vcpu_count();
	bool waiting;

	if (dv_guest_held() || __atomic_load_n(&tcg.ending, __ATOMIC_ACQUIRE))
		return;			/* saved when it was stopped; not served now */
	pthread_mutex_lock(&tcg.lock);
	for (i = 0; i < n; i++)
		seq[i] = tcg.vcpu[i].regs_seq;
	pthread_mutex_unlock(&tcg.lock);
	for (i = 0; i < n; i++) {
		struct dv_tcg_vcpu *v = &tcg.vcpu[i];

		if (__atomic_exchange_n(&v->snap_asked, 1, __ATOMIC_ACQ_REL))
			continue;
		if (!dv_vcpu_run(v, snap_work, i)) {
			__atomic_store_n(&v->snap_asked, 0, __ATOMIC_RELEASE);
			seq[i] = ~0ull;
		}
	}
	for (;;) {
		now = dv_tcg_now();
		if (now >= end)
			break;
		pthread_mutex_lock(&tcg.lock);
		waiting = false;
		for (i = 0; i < n; i++)
			waiting |= tcg.vcpu[i].regs_seq == seq[i];
		if (waiting)
			dv_tcg_wait(now + KICK_NS < end ? now + KICK_NS : end);
		pthread_mutex_unlock(&tcg.lock);
		if (!waiting)
			break;
		for (i = 0; i < n; i++)
			if (__atomic_load_n(&tcg.vcpu[i].snap_asked, __ATOMIC_ACQUIRE))
				dv_vcpu_kick(&tcg.vcpu[i]);
	}
}

unsigned
dv_vcpu_count(void)
{
	int n = qemu_plugin_num_vcpus();

	return n < 0 ? 0 : n > DV_CTL_MAXCPU ? DV_CTL_MAXCPU : (unsigned)n;
}

uint32_t
dv_vcpu_state(void)
{
	uint32_t state = 0;
	unsigned i, n = dv_vcpu_count();
	bool idle = n != 0;

	if (dv_guest_held())
		state |= DV_GUEST_HELD;
	if (tcg.q.running != NULL && !tcg.q.running())
		state |= DV_GUEST_PAUSED;
	for (i = 0; i < n; i++)
		idle &= __atomic_load_n(&tcg.vcpu[i].idle, __ATOMIC_RELAXED) != 0;
	if (idle)
		state |= DV_GUEST_IDLE;
	if (__atomic_load_n(&tcg.have_kernel, __ATOMIC_ACQUIRE))
		state |= DV_GUEST_KERNEL;
	if (__atomic_load_n(&tcg.ending, __ATOMIC_ACQUIRE))
		state |= DV_GUEST_ENDING;
	return state;
}
