/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hook.c - where vCPUs' threads pass by us, and how they are made to.
 *
 * Three ftrace hooks, there only while something needs them, so that a host that
 * traces nothing pays nothing:
 *
 *	exit	the vendor's handle_exit is replaced by hook_exit(), which calls it.
 *		With the #BP intercept on, it leaves an int3 of the guest to user space
 *		as a debug exit; if it is ours, we handle it and re-enter the guest.
 *	slot	kvm_arch_prepare_memory_region() is replaced by hook_slot(): it takes a
 *		VM's traps out before writes to its memory begin to be logged.
 *	pass	a callback before each entry into the guest (prepare_switch_to_guest)
 *		and before a halted vCPU goes to sleep (kvm_vcpu_halt, kvm_vcpu_block).
 *		It runs in the vCPU's thread with the vCPU loaded, and may not sleep:
 *		it arms vCPUs and does what was asked of them (vm.c). It never stays on
 *		the stack of a thread that sleeps, as a replacement of those would.
 *
 * Arming. KVM intercepts #BP while guest_debug says that user space uses
 * breakpoints. We merge our wish into that field at each entry, with a mark above
 * the 32 bits that user space can set: without the mark, user space has written it
 * since, and its value is noted. So vCPUs that come late are armed before they
 * run anything, and a debugger's wishes and ours are kept apart. To be armed
 * "now" is: the callback is in place; wait until no vCPU is between it and the
 * guest (there preemption is off: an RCU grace period); then have all leave the
 * guest once.
 *
 * Replaced functions are called at their entry, where ftrace sees the call come from this
 * module and leaves it alone. The hooks are permanent to ftrace: nobody can switch
 * them off with kernel.ftrace_enabled while a guest depends on them.
 */
#include "kvm/kvm.h"

#include <linux/delay.h>
#include <linux/module.h>

#define DEBUG_OURS	(1ul << 40)
#define DEBUG_BITS	(DEBUG_OURS | KVM_GUESTDBG_ENABLE | KVM_GUESTDBG_USE_SW_BP)
#define DISARM_MS	1000

/* Whoever is in hook_exit() or hook_slot(): waited for before our text goes. */
DEFINE_STATIC_SRCU(inside);

static DEFINE_MUTEX(lock);
static unsigned npass, nall;		/* users; lock */

/* vCPU loaded, not preempted; its own thread or its mutex held. */
static void
debug_merge(struct dv_vm *vm, struct dv_vcpu *vc, struct kvm_vcpu *v)
{
	unsigned long was = v->guest_debug;
	bool marked = (was & DEBUG_OURS) != 0;

	if (dv_load_acq32(&vm->armed)) {
		if (marked)
			return;
		vc->user_debug = was;
		WRITE_ONCE(v->guest_debug, was | DEBUG_BITS);
	} else {
		if (!marked)
			return;
		WRITE_ONCE(v->guest_debug, vc->user_debug);
	}
	dv_sym.ops->update_exception_bitmap(v);
	dv_svm_arm(v, !marked);
}

static void notrace
pass(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct kvm_vcpu *v = (void *)dv_ftrace_arg(fregs, 0);
	struct dv_vm *vm;
	int idx, kidx;

	preempt_disable();
	rcu_read_lock();
	vm = dv_vm_find(v->kvm);
	if (vm != NULL) {
		debug_merge(vm, &vm->vcpu[v->vcpu_idx], v);
		idx = srcu_read_lock(&vm->srcu);
		kidx = srcu_read_lock(&v->kvm->srcu);
		dv_vm_work(vm, v);
		srcu_read_unlock(&v->kvm->srcu, kidx);
		srcu_read_unlock(&vm->srcu, idx);
	}
	rcu_read_unlock();
	preempt_enable();
}

static int
debug_exit(struct kvm_vcpu *v)
{
	struct dv_vm *vm;
	int idx, r = 0;

	rcu_read_lock();
	vm = dv_vm_find(v->kvm);
	if (vm != NULL)
		idx = srcu_read_lock(&vm->srcu);
	rcu_read_unlock();
	if (vm != NULL) {
		r = dv_trap_hit(vm, v);
		srcu_read_unlock(&vm->srcu, idx);
	}
	return r;
}

static int
hook_exit(struct kvm_vcpu *v, enum exit_fastpath_completion fast)
{
	int idx = srcu_read_lock(&inside), r;

	if (dv_svm_shim)
		dv_svm_before(v);
	r = dv_sym.handle_exit(v, fast);
	if (r == 0 && v->run->exit_reason == KVM_EXIT_DEBUG &&
	    v->run->debug.arch.exception == BP_VECTOR) {
		r = debug_exit(v);
		if (r > 0)		/* not to be taken for the next one's */
			v->run->exit_reason = KVM_EXIT_UNKNOWN;
	}
	srcu_read_unlock(&inside, idx);
	return r;
}

/* QEMU's thread, its slots_lock held. */
static int
hook_slot(struct kvm *kvm, const struct kvm_memory_slot *old, struct kvm_memory_slot *new,
	  enum kvm_mr_change change)
{
	int idx = srcu_read_lock(&inside), r;
	struct dv_vm *vm;

	if (new != NULL && (new->flags & KVM_MEM_LOG_DIRTY_PAGES) != 0 &&
	    (old == NULL || (old->flags & KVM_MEM_LOG_DIRTY_PAGES) == 0)) {
		rcu_read_lock();
		vm = dv_vm_find_get(kvm);
		rcu_read_unlock();
		if (vm != NULL) {
			dv_vm_logged(vm, new);
			dv_vm_put(vm);
		}
	}
	r = dv_sym.kvm_arch_prepare_memory_region(kvm, old, new, change);
	srcu_read_unlock(&inside, idx);
	return r;
}

static void notrace
to_exit(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	if (!within_module(parent, THIS_MODULE))
		dv_ftrace_redirect(fregs, (unsigned long)hook_exit);
}

static void notrace
to_slot(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	if (!within_module(parent, THIS_MODULE))
		dv_ftrace_redirect(fregs, (unsigned long)hook_slot);
}

#define REPLACE	(FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PERMANENT)
static struct ftrace_ops exit_ops = { .func = to_exit, .flags = REPLACE };
static struct ftrace_ops slot_ops = { .func = to_slot, .flags = REPLACE };
static struct ftrace_ops pass_ops = { .func = pass, .flags = FTRACE_OPS_FL_PERMANENT };

/* Filters, each time anew: KVM may have been reloaded since. */
static int
hook(struct ftrace_ops *ops, const void *a, const void *b, const void *c)
{
	const void *at[3] = { a, b, c };
	int rc = 0, i;

	for (i = 0; i < 3 && rc == 0; i++)
		if (at[i] != NULL)
			rc = ftrace_set_filter_ip(ops, (unsigned long)at[i], 0, i == 0);
	return rc != 0 ? rc : register_ftrace_function(ops);
}

static int
hook_pass(void)
{
	return hook(&pass_ops, dv_sym.ops->prepare_switch_to_guest, dv_sym.kvm_vcpu_halt,
		    dv_sym.kvm_vcpu_block);
}

static int
hook_all(void)
{
	int rc = hook(&exit_ops, dv_sym.handle_exit, NULL, NULL);

	if (rc != 0)
		return rc;
	rc = hook(&slot_ops, dv_sym.kvm_arch_prepare_memory_region, NULL, NULL);
	if (rc != 0)
		unregister_ftrace_function(&exit_ops);
	return rc;
}

int
dv_hook_get(bool all, struct dv_reason *why)
{
	int rc = 0;

	mutex_lock(&lock);
	if (npass == 0)
		rc = hook_pass();
	if (rc == 0 && all && nall == 0) {
		rc = hook_all();
		if (rc != 0 && npass == 0)
			unregister_ftrace_function(&pass_ops);
	}
	if (rc == 0) {
		npass++;
		nall += all;
	}
	mutex_unlock(&lock);
	if (rc == -EBUSY)
		return dv_vm_refuse(why, rc, "cannot enable tracing: KVM's functions cannot be "
				    "hooked while kernel.ftrace_enabled is 0 or they are "
				    "live-patched");
	if (rc != 0)
		return dv_vm_refuse(why, rc, "cannot enable tracing: ftrace does not take the "
				    "hooks (error %d)", rc);
	return 0;
}

void
dv_hook_put(bool all)
{
	mutex_lock(&lock);
	if (all && --nall == 0) {
		unregister_ftrace_function(&exit_ops);
		unregister_ftrace_function(&slot_ops);
	}
	if (--npass == 0)
		unregister_ftrace_function(&pass_ops);
	mutex_unlock(&lock);
}

void
dv_hook_arm(struct dv_vm *vm)
{
	dv_store32(&vm->armed, 1);
	synchronize_rcu();
	dv_sym.kvm_make_all_cpus_request(vm->kvm, KVM_REQ_OUTSIDE_GUEST_MODE);
}

/* False: it runs, and was asked to come by. */
static bool
disarm_one(struct dv_vm *vm, struct kvm_vcpu *v)
{
	if ((READ_ONCE(v->guest_debug) & DEBUG_OURS) == 0)
		return true;
	if (!mutex_trylock(&v->mutex)) {
		dv_vm_ask(vm, v, 0);
		return false;
	}
	dv_sym.vcpu_load(v);
	preempt_disable();
	debug_merge(vm, &vm->vcpu[v->vcpu_idx], v);
	preempt_enable();
	dv_sym.vcpu_put(v);
	mutex_unlock(&v->mutex);
	return true;
}

void
dv_hook_disarm(struct dv_vm *vm)
{
	unsigned tries, i, n;
	bool all = false;

	for (tries = 0; !all && tries < DISARM_MS && !dv_vm_dead(vm) &&
	     dv_load32(&vm->armed) == 0; tries++) {
		all = true;
		n = dv_vm_count(vm);
		for (i = 0; i < n; i++) {
			struct kvm_vcpu *v = kvm_get_vcpu(vm->kvm, i);

			if (v != NULL)
				all &= disarm_one(vm, v);
		}
		if (!all)
			msleep(1);
	}
	if (!all && !dv_vm_dead(vm) && dv_load32(&vm->armed) == 0)
		pr_warn("a vCPU of process %d still intercepts breakpoints: its user space will "
			"hand them to the guest\n", vm->pid);
}

void
dv_hook_exit(void)
{
	synchronize_rcu_tasks();
	synchronize_srcu(&inside);
	synchronize_rcu_tasks();
}
