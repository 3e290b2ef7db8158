/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trap.c - one byte of the guest's text is ours, and how it goes back.
 *
 * A trap is an int3 over the first byte of an instruction. Its bytes are kept, and
 * what they do is worked out when it is planted (insn.h): at a hit the instruction is executed
 * from there, never from guest memory, so no vCPU ever runs past the site without its
 * trap. What neither insn.c nor KVM's emulator can do is not trapped.
 *
 *	(1) a trap is in the hash before its byte is in memory, and leaves it, and is
 *	    freed, after the byte went back and every vCPU that may be looking is through;
 *	(2) a byte is written only where the bytes that introspection saw are, and put back
 *	    only where the address still leads to the same page with the same bytes
 *	    around an int3. Anything else is the guest's doing: it keeps its bytes, and
 *	    the trap is counted as given up.
 *	    Text that may go, and come again as another's, is looked at in the same way
 *	    before an int3 in it is taken for ours;
 *	(3) all that is asked of the guest's memory goes through the kernel's own page
 *	    tables (the layout's), not those of whoever is trapped.
 *
 * An int3 that is not in the hash: if the byte is gone meanwhile, it was ours and the vCPU
 * was slow: the instruction is simply executed. Otherwise it is the guest's, or a
 * debugger's, and goes there.
 */
#include "kvm/kvm.h"
#include "kvm/insn.h"

#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#define INT3		0xcc
#define NBYTES		16
#define MAXINSN		15		/* no instruction is longer, and KVM takes no more */
#define MAXAGAIN	1000		/* a locked instruction that others disturb */
#define MAXREREAD	100
#define KERNEL_HALF	0xffff800000000000ull

struct dv_trap {
	struct hlist_node node;		/* vm->traps, by address; SRCU */
	struct hlist_node page;		/* vm->pages, by page; vm->lock */
	struct list_head dead;		/* vm->dead; vm->lock */
	u64 addr, gpa, root;
	u32 levels;
	u32 refs;			/* programs; vm->lock */
	bool planted;			/* vm->lock */
	bool may_go;			/* in text that the guest may free: a module's */
	u8 n;				/* of bytes that are known */
	u8 bytes[NBYTES];
	struct dv_insn insn;
};

static struct dv_trap *
trap_find(struct dv_vm *vm, u64 addr)
{
	struct dv_trap *t;

	hash_for_each_possible_rcu_notrace(vm->traps, t, node, addr)
		if (t->addr == addr)
			return t;
	return NULL;
}

/* --- planting and restoring: vm->lock held, the VM's mm */

/* The guest's own bytes in place of our int3s; all but `self`'s. */
static void
hide(struct dv_vm *vm, u64 gpa, u8 *buf, size_t len, const struct dv_trap *self)
{
	struct dv_trap *t;
	u64 page;

	for (page = gpa >> PAGE_SHIFT; len != 0 && page <= (gpa + len - 1) >> PAGE_SHIFT; page++)
		hash_for_each_possible(vm->pages, t, page, page)
			if (t != self && t->planted && t->gpa >= gpa && t->gpa - gpa < len &&
			    buf[t->gpa - gpa] == INT3)
				buf[t->gpa - gpa] = t->bytes[0];
}

static void
gen_step(struct dv_vm *vm)
{
	dv_add64(&vm->trap_gen, 1);
}

/* Not under the lock: QEMU's thread may wait for it, and a page for QEMU. */
int
dv_trap_read(struct dv_vm *vm, u64 gpa, u8 *buf, size_t len)
{
	unsigned again;
	int rc = -EAGAIN;
	u64 gen;

	for (again = 0; rc == -EAGAIN && again < MAXREREAD; again++) {
		gen = dv_load64(&vm->trap_gen);
		smp_rmb();
		rc = dv_mem_read(vm, gpa, buf, len);
		if (rc != 0)
			break;
		mutex_lock(&vm->lock);
		if (gen != dv_load64(&vm->trap_gen))
			rc = -EAGAIN;	/* an int3 in buf may be of a trap that has gone */
		else if (vm->ntraps != 0)
			hide(vm, gpa, buf, len, NULL);
		mutex_unlock(&vm->lock);
	}
	return rc;
}

/*
 * What is at an address: its page, and up to 16 bytes; fewer where the next page
 * is not mapped.
 */
static int
look(struct dv_vm *vm, u64 root, unsigned levels, u64 addr, const struct dv_trap *self,
     u64 *gpa, u8 *bytes, u8 *n)
{
	size_t first = min_t(size_t, NBYTES, PAGE_SIZE - offset_in_page(addr));
	u64 next;
	int rc;

	rc = dv_mem_walk(vm, root, levels, addr, gpa);
	if (rc == 0)
		rc = dv_mem_read(vm, *gpa, bytes, first);
	if (rc != 0)
		return rc;
	hide(vm, *gpa, bytes, first, self);
	*n = first;
	if (first < NBYTES && dv_mem_walk(vm, root, levels, addr + first, &next) == 0 &&
	    dv_mem_read(vm, next, bytes + first, NBYTES - first) == 0) {
		hide(vm, next, bytes + first, NBYTES - first, self);
		*n = NBYTES;
	}
	return 0;
}

static bool
byte_is(struct dv_vm *vm, u64 gpa, u8 want)
{
	u8 byte;

	return dv_mem_read(vm, gpa, &byte, 1) == 0 && byte == want;
}

static void
trap_bury(struct dv_vm *vm, struct dv_trap *t)
{
	list_add(&t->dead, &vm->dead);
}

enum dv_trap_why
dv_trap_plant(struct dv_vm *vm, const struct dv_layout *l, const struct dv_site *site)
{
	struct dv_trap *t = trap_find(vm, site->addr);
	u32 n = min_t(u32, site->nbytes, NBYTES);
	int rc;

	if (site->addr < KERNEL_HALF)
		return DV_TRAP_MEM;
	if (t != NULL && t->refs != 0) {
		if (!t->planted || memcmp(t->bytes, site->bytes, min_t(u32, n, t->n)) != 0)
			return DV_TRAP_CHANGED;
		t->refs++;
		return DV_TRAP_OK;
	}
	t = kzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);
	if (t == NULL)
		return DV_TRAP_NOMEM;
	t->addr = site->addr;
	t->root = l->kernel_root;
	t->levels = l->pt_levels;
	t->may_go = site->addr < l->text_start || site->addr >= l->text_end;
	if (look(vm, t->root, t->levels, t->addr, NULL, &t->gpa, t->bytes, &t->n) != 0) {
		kfree(t);
		return DV_TRAP_MEM;
	}
	if (t->n < n || memcmp(t->bytes, site->bytes, n) != 0 || t->bytes[0] == INT3) {
		pr_debug("0x%llx holds %*phN, not %*phN\n", t->addr, t->n, t->bytes, n,
			 site->bytes);
		kfree(t);
		return DV_TRAP_CHANGED;
	}
	dv_insn_plan(t->bytes, t->n, t->addr, &t->insn);
	if (t->insn.kind == DV_INSN_NONE) {
		kfree(t);
		return DV_TRAP_INSN;
	}
	t->refs = 1;
	t->planted = true;
	hash_add_rcu(vm->traps, &t->node, t->addr);
	hash_add(vm->pages, &t->page, t->gpa >> PAGE_SHIFT);
	vm->ntraps++;
	gen_step(vm);
	do {
		rc = dv_mem_poke(vm, t->gpa, INT3);
	} while (rc == -EAGAIN);
	if (rc == 0 && byte_is(vm, t->gpa, INT3))
		return DV_TRAP_OK;
	t->refs = 0;
	t->planted = false;
	trap_bury(vm, t);
	return rc == -EBUSY ? DV_TRAP_LOGGED : DV_TRAP_MEM;
}

/* Puts the guest's byte back, or lets the guest's win. */
static void
restore(struct dv_vm *vm, struct dv_trap *t)
{
	u8 bytes[NBYTES], n;
	u64 gpa;
	int rc;

	if (!t->planted)
		return;
	if (look(vm, t->root, t->levels, t->addr, t, &gpa, bytes, &n) != 0 ||
	    gpa != t->gpa || bytes[0] != INT3 || n < t->n ||
	    memcmp(bytes + 1, t->bytes + 1, t->n - 1) != 0) {
		dv_add64(&vm->given_up, 1);
	} else {
		do {
			rc = dv_mem_poke(vm, t->gpa, t->bytes[0]);
		} while (rc == -EAGAIN);
		if (rc != 0 || !byte_is(vm, t->gpa, t->bytes[0])) {
			pr_warn_ratelimited("could not restore a byte of the guest of process "
					    "%d at 0x%llx (error %d)\n", vm->pid, t->addr, rc);
			dv_add64(&vm->given_up, 1);
		}
	}
	t->planted = false;
	gen_step(vm);
}

void
dv_trap_drop(struct dv_vm *vm, u64 addr, bool gone)
{
	struct dv_trap *t = trap_find(vm, addr);

	if (t == NULL || t->refs == 0 || --t->refs != 0)
		return;
	if (gone)
		t->planted = false;
	else
		restore(vm, t);
	trap_bury(vm, t);
}

void
dv_trap_sweep(struct dv_vm *vm)
{
	struct dv_trap *t, *next;

	if (list_empty(&vm->dead))
		return;
	/* a vCPU that met the int3 before it was taken away may not be here yet; either way
	   it finds the trap, or the byte changed */
	list_for_each_entry(t, &vm->dead, dead) {
		hash_del_rcu(&t->node);
		hash_del(&t->page);
		vm->ntraps--;
	}
	gen_step(vm);
	synchronize_srcu(&vm->srcu);
	list_for_each_entry_safe(t, next, &vm->dead, dead)
		kfree(t);
	INIT_LIST_HEAD(&vm->dead);
}

bool
dv_trap_any(struct dv_vm *vm, u64 gpa, u64 len)
{
	struct dv_trap *t;
	int bkt;

	hash_for_each(vm->traps, bkt, t, node)
		if (t->planted && t->gpa - gpa < len)
			return true;
	return false;
}

void
dv_trap_out(struct dv_vm *vm)
{
	struct dv_trap *t;
	int bkt;

	hash_for_each(vm->traps, bkt, t, node)
		restore(vm, t);
}

/* --- hits: the vCPU's thread, VM's and KVM's SRCU held */

struct access {
	struct dv_vm *vm;
	struct kvm_vcpu *v;
};

static int
load(void *arg, uint64_t at, unsigned size, uint64_t *val)
{
	const struct access *a = arg;
	gpa_t gpa;

	if (offset_in_page(at) + size > PAGE_SIZE)
		return -1;
	gpa = dv_sym.kvm_mmu_gva_to_gpa_read(a->v, at, NULL);
	return gpa == INVALID_GPA ? -1 : dv_mem_load(a->vm, gpa, size, val);
}

static int
store(void *arg, uint64_t at, unsigned size, uint64_t val)
{
	const struct access *a = arg;
	gpa_t gpa;

	if (offset_in_page(at) + size > PAGE_SIZE)
		return -1;
	gpa = dv_sym.kvm_mmu_gva_to_gpa_write(a->v, at, NULL);
	if (gpa == INVALID_GPA || dv_mem_store(a->vm, gpa, size, val) != 0)
		return -1;
	dv_sym.kvm_vcpu_mark_page_dirty(a->v, gpa >> PAGE_SHIFT);
	return 0;
}

static bool
run_own(struct dv_vm *vm, struct kvm_vcpu *v, const struct dv_trap *t)
{
	const u32 uses = t->insn.uses;
	struct access a = { vm, v };
	struct dv_insn_cpu cpu = {
		.gpr = (uint64_t *)v->arch.regs, .rip = t->addr,
		.rflags = dv_regs_get(v, DV_REG_RFLAGS),
		.load = load, .store = store, .arg = &a
	};
	u64 rflags = cpu.rflags;

	/* there is more to do than the instruction; what only we can do, we do */
	if ((uses & DV_INSN_ALONE) == 0 && ((cpu.rflags & X86_EFLAGS_TF) != 0 ||
	    (v->guest_debug & (KVM_GUESTDBG_SINGLESTEP | KVM_GUESTDBG_USE_HW_BP)) != 0))
		return false;
	if (uses & DV_INSN_RSP)
		(void)dv_regs_get(v, DV_REG_RSP);
	if (uses & DV_INSN_FS)
		cpu.fs_base = dv_regs_get(v, DV_REG_FS_BASE);
	if (uses & DV_INSN_GS)
		cpu.gs_base = dv_regs_get(v, DV_REG_GS_BASE);
	if (dv_insn_run(&t->insn, &cpu) != 0)
		return false;
	if (uses & DV_INSN_RSP)
		__set_bit(VCPU_REGS_RSP, dv_regs_dirty(v));
	if (cpu.rflags != rflags)
		dv_sym.ops->set_rflags(v, cpu.rflags);
	dv_regs_set_rip(v, cpu.rip);
	dv_sym.ops->set_interrupt_shadow(v, 0);
	return true;
}

/* Executes the displaced instruction. */
static int
displaced(struct dv_vm *vm, struct kvm_vcpu *v, struct dv_trap *t)
{
	unsigned again = 0;
	int rc;

	if (t->insn.kind == DV_INSN_OWN && run_own(vm, v, t))
		return 1;
	do {
		rc = dv_sym.kvm_emulate_instruction_from_buffer(v, t->bytes,
							min_t(int, t->n, MAXINSN));
	} while (rc == 1 && dv_regs_rip(v) == t->addr && !v->arch.exception.pending &&
		 !v->arch.exception.injected && ++again < MAXAGAIN);
	return rc;
}

/* An int3 that we do not know. */
static int
foreign(struct dv_vm *vm, struct kvm_vcpu *v, u64 pc, u64 gen)
{
	struct dv_vcpu *vc = &vm->vcpu[v->vcpu_idx];
	bool missed = false;
	u8 byte = INT3;
	gpa_t gpa;

	if (pc >= KERNEL_HALF && dv_regs_proper(v)) {
		gpa = dv_sym.kvm_mmu_gva_to_gpa_read(v, pc, NULL);
		if (gpa != INVALID_GPA)
			(void)dv_mem_peek(vm, gpa, &byte, 1, &missed);
		/* once: a guest that changes its own code does not keep us here */
		if ((byte != INT3 && (vc->stale_pc != pc || vc->stale_gen != gen)) ||
		    gen != dv_load64(&vm->trap_gen)) {
			vc->stale_pc = pc;
			vc->stale_gen = gen;
			return 1;
		}
	}
	if (vc->user_debug & KVM_GUESTDBG_USE_SW_BP)
		return 0;		/* a debugger's, or it gives it to the guest */
	dv_sym.kvm_queue_exception(v, BP_VECTOR);
	dv_svm_reinjected(v);
	return 1;
}

/* Is what the trap was planted in still there? Other int3s may stand in it. */
static bool
still_there(struct dv_vm *vm, struct kvm_vcpu *v, const struct dv_trap *t)
{
	size_t n = min_t(size_t, t->n, PAGE_SIZE - offset_in_page(t->addr)), i;
	u8 bytes[NBYTES];
	bool missed;

	if (dv_sym.kvm_mmu_gva_to_gpa_read(v, t->addr, NULL) != t->gpa)
		return false;
	if (dv_mem_peek(vm, t->gpa, bytes, n, &missed) != 0)
		return true;
	for (i = 1; i < n; i++)
		if (bytes[i] != t->bytes[i] && bytes[i] != INT3)
			return false;
	return true;
}

int
dv_trap_hit(struct dv_vm *vm, struct kvm_vcpu *v)
{
	u64 gen = dv_load64(&vm->trap_gen), pc = dv_regs_rip(v);
	struct dv_trap *t = NULL;

	(void)dv_mem_update(vm);
	if (pc >= KERNEL_HALF && dv_regs_proper(v) && dv_sym.ops->get_cpl(v) == 0)
		t = trap_find(vm, pc);
	if (t == NULL || (t->may_go && !still_there(vm, v, t)))
		return foreign(vm, v, pc, gen);
	dv_kprog_hit(vm, v, pc);
	return displaced(vm, v, t);
}
