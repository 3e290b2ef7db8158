/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem.c - the guest's RAM, read and patched through the VM's process.
 *
 * A slot of KVM's memory map says where guest-physical memory lies in QEMU's address
 * space. Not all of it is RAM: the registers of a device that is passed through are a
 * slot, too, and to read those does things. So we keep a table of our own, of slots whose
 * every mapping is plain memory, made where one may sleep. Before each hit and each
 * control operation it is made anew if KVM's map has changed.
 *
 * The machine's reads are atomic: what is not resident is not at hand. The page is
 * noted, and fetched after the hit (dv_mem_touch), for the next one.
 *
 * A byte of the guest's text is written through the same mapping, as the guest's own
 * store would be, but KVM does not hear of it. That is right as long as nobody logs writes
 * to that memory. Whoever begins to log it comes by hook.c first, which takes all traps
 * out; and where logging is on already, nothing is written.
 *
 * Context of all: `vm->mm` is the current mm.
 */
#include "kvm/kvm.h"

#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>

#define MAXRAM		512u		/* slots */
#define ENTRY_ADDR	0x000ffffffffff000ull

struct dv_ram {
	struct rcu_head rcu;
	u64 generation;
	u32 n;
	struct dv_ram_range {
		u64 gpa, len;
		unsigned long hva;
		u32 flags;		/* KVM_MEM_* */
	} r[];				/* sorted */
};

static u64
map_generation(struct dv_vm *vm)
{
	return __kvm_memslots(vm->kvm, 0)->generation;
}

/* Plain memory from end to end, as far as anything is mapped there. */
static bool
is_ram(struct mm_struct *mm, unsigned long hva, u64 len)
{
	struct vm_area_struct *vma = find_vma(mm, hva);

	while (vma != NULL && vma->vm_start < hva + len) {
		if (vma->vm_flags & (VM_IO | VM_PFNMAP))
			return false;
		vma = find_vma(mm, vma->vm_end);
	}
	return true;
}

static int
by_gpa(const void *a, const void *b)
{
	const struct dv_ram_range *x = a, *y = b;

	return x->gpa < y->gpa ? -1 : x->gpa > y->gpa;
}

static struct dv_ram *
ram_make(struct dv_vm *vm)
{
	struct dv_ram *ram = kvmalloc(struct_size(ram, r, MAXRAM), GFP_KERNEL_ACCOUNT);
	struct kvm_memory_slot *slot;
	struct kvm_memslots *slots;
	int bkt, idx;

	if (ram == NULL)
		return NULL;
	ram->n = 0;
	idx = srcu_read_lock(&vm->kvm->srcu);
	mmap_read_lock(vm->mm);
	slots = __kvm_memslots(vm->kvm, 0);
	ram->generation = slots->generation;
	kvm_for_each_memslot(slot, bkt, slots) {
		u64 len = (u64)slot->npages << PAGE_SHIFT;

		if ((slot->flags & KVM_MEMSLOT_INVALID) != 0 || ram->n == MAXRAM ||
		    !is_ram(vm->mm, slot->userspace_addr, len))
			continue;
		ram->r[ram->n++] = (struct dv_ram_range){
			gfn_to_gpa(slot->base_gfn), len, slot->userspace_addr, slot->flags
		};
	}
	mmap_read_unlock(vm->mm);
	srcu_read_unlock(&vm->kvm->srcu, idx);
	sort(ram->r, ram->n, sizeof(ram->r[0]), by_gpa, NULL);
	return ram;
}

static bool
is_current(struct dv_vm *vm)
{
	const struct dv_ram *ram;
	bool same;
	int idx = srcu_read_lock(&vm->srcu), kidx = srcu_read_lock(&vm->kvm->srcu);

	ram = srcu_dereference(vm->ram, &vm->srcu);
	same = ram != NULL && ram->generation == map_generation(vm);
	srcu_read_unlock(&vm->kvm->srcu, kidx);
	srcu_read_unlock(&vm->srcu, idx);
	return same;
}

static void
ram_free(struct rcu_head *rcu)
{
	kvfree(container_of(rcu, struct dv_ram, rcu));
}

int
dv_mem_update(struct dv_vm *vm)
{
	struct dv_ram *ram, *old;

	if (is_current(vm))
		return 0;
	mutex_lock(&vm->ram_lock);
	ram = ram_make(vm);
	if (ram == NULL) {
		mutex_unlock(&vm->ram_lock);
		return -ENOMEM;
	}
	old = rcu_replace_pointer(vm->ram, ram, lockdep_is_held(&vm->ram_lock));
	mutex_unlock(&vm->ram_lock);
	if (old != NULL)
		call_srcu(&vm->srcu, &old->rcu, ram_free);
	return 0;
}

/* VM's SRCU held. Where `gpa` lies, and how much of it in one piece. */
static unsigned long
locate(struct dv_vm *vm, u64 gpa, u64 *len, u32 *flags)
{
	const struct dv_ram *ram = srcu_dereference(vm->ram, &vm->srcu);
	u32 low = 0, high;

	if (ram == NULL)
		return 0;
	for (high = ram->n; low < high; ) {
		u32 mid = low + (high - low) / 2;
		const struct dv_ram_range *r = &ram->r[mid];

		if (gpa < r->gpa) {
			high = mid;
		} else if (gpa - r->gpa >= r->len) {
			low = mid + 1;
		} else {
			*len = r->len - (gpa - r->gpa);
			*flags = r->flags;
			return r->hva + (gpa - r->gpa);
		}
	}
	return 0;
}

int
dv_mem_peek(struct dv_vm *vm, u64 gpa, void *buf, size_t len, bool *missed)
{
	unsigned long hva;
	u64 room;
	u32 flags;

	if (current->mm != vm->mm)
		return -1;
	hva = locate(vm, gpa, &room, &flags);
	if (hva == 0 || len > room)
		return -1;
	if (copy_from_user_nofault(buf, (const void __user *)hva, len) != 0) {
		*missed = true;
		return -1;
	}
	return 0;
}

int
dv_mem_write(struct dv_vm *vm, u64 gpa, const void *buf, size_t len)
{
	unsigned long hva;
	u64 room;
	u32 flags;
	int rc;

	if (current->mm != vm->mm)
		return -1;
	hva = locate(vm, gpa, &room, &flags);
	if (hva == 0 || len > room || (flags & KVM_MEM_READONLY) != 0)
		return -1;
	pagefault_disable();
	rc = dv_sym.kvm_write_guest(vm->kvm, gpa, buf, len);
	pagefault_enable();
	return rc == 0 ? 0 : -1;
}

/* One piece, at most to the end of a page of the host. */
static int
read_piece(struct dv_vm *vm, u64 gpa, void *buf, size_t *len)
{
	int idx = srcu_read_lock(&vm->srcu);
	unsigned long hva;
	u64 room;
	u32 flags;

	hva = locate(vm, gpa, &room, &flags);
	srcu_read_unlock(&vm->srcu, idx);
	if (hva == 0 || current->mm != vm->mm)
		return -EFAULT;
	*len = min_t(u64, *len, min_t(u64, room, PAGE_SIZE - offset_in_page(hva)));
	return copy_from_user(buf, (const void __user *)hva, *len) == 0 ? 0 : -EFAULT;
}

int
dv_mem_read(struct dv_vm *vm, u64 gpa, void *buf, size_t len)
{
	size_t n;
	int rc;

	for (; len != 0; gpa += n, buf += n, len -= n) {
		n = len;
		rc = read_piece(vm, gpa, buf, &n);
		if (rc != 0)
			return rc;
	}
	return 0;
}

int
dv_mem_poke(struct dv_vm *vm, u64 gpa, u8 byte)
{
	int rc = dv_mem_update(vm), idx, kidx;
	unsigned long hva;
	u64 room;
	u32 flags;

	if (rc != 0)
		return rc;
	/* KVM's: the map cannot change under us; it waits for us before it does */
	kidx = srcu_read_lock(&vm->kvm->srcu);
	idx = srcu_read_lock(&vm->srcu);
	hva = locate(vm, gpa, &room, &flags);
	if (!is_current(vm))
		rc = -EAGAIN;
	else if (hva == 0)
		rc = -EFAULT;
	else if (flags & KVM_MEM_READONLY)
		rc = -EROFS;
	else if ((flags & KVM_MEM_LOG_DIRTY_PAGES) != 0 ||
		 (vm->log_gen == map_generation(vm) && gpa - vm->log_gpa < vm->log_len))
		rc = -EBUSY;
	else if (put_user(byte, (u8 __user *)hva) != 0)
		rc = -EFAULT;
	srcu_read_unlock(&vm->srcu, idx);
	srcu_read_unlock(&vm->kvm->srcu, kidx);
	return rc;
}

int
dv_mem_load(struct dv_vm *vm, u64 gpa, unsigned size, u64 *val)
{
	unsigned long hva;
	u64 room;
	u32 flags, v4;
	u16 v2;
	u8 v1;
	int rc;

	if (current->mm != vm->mm || (hva = locate(vm, gpa, &room, &flags)) == 0 || room < size)
		return -1;
	switch (size) {
	case 1:
		rc = get_user(v1, (u8 __user *)hva);
		*val = v1;
		break;
	case 2:
		rc = get_user(v2, (u16 __user *)hva);
		*val = v2;
		break;
	case 4:
		rc = get_user(v4, (u32 __user *)hva);
		*val = v4;
		break;
	default:
		rc = get_user(*val, (u64 __user *)hva);
	}
	return rc == 0 ? 0 : -1;
}

int
dv_mem_store(struct dv_vm *vm, u64 gpa, unsigned size, u64 val)
{
	unsigned long hva;
	u64 room;
	u32 flags;
	int rc;

	if (current->mm != vm->mm || (hva = locate(vm, gpa, &room, &flags)) == 0 || room < size ||
	    (flags & KVM_MEM_READONLY) != 0)
		return -1;
	switch (size) {
	case 1:
		rc = put_user((u8)val, (u8 __user *)hva);
		break;
	case 2:
		rc = put_user((u16)val, (u16 __user *)hva);
		break;
	case 4:
		rc = put_user((u32)val, (u32 __user *)hva);
		break;
	default:
		rc = put_user(val, (u64 __user *)hva);
	}
	return rc == 0 ? 0 : -1;
}

void
dv_mem_touch(struct dv_vm *vm, u64 gpa)
{
	size_t n = 1;
	u8 byte;

	(void)read_piece(vm, gpa, &byte, &n);
}

u64
dv_mem_bytes(struct dv_vm *vm)
{
	int idx = srcu_read_lock(&vm->srcu);
	const struct dv_ram *ram = srcu_dereference(vm->ram, &vm->srcu);
	u64 sum = 0;
	u32 i;

	for (i = 0; ram != NULL && i < ram->n; i++)
		sum += (ram->r[i].flags & KVM_MEM_READONLY) != 0 ? 0 : ram->r[i].len;
	srcu_read_unlock(&vm->srcu, idx);
	return sum;
}

void
dv_mem_fini(struct dv_vm *vm)
{
	srcu_barrier(&vm->srcu);
	kvfree(rcu_dereference_protected(vm->ram, true));
	RCU_INIT_POINTER(vm->ram, NULL);
}

int
dv_mem_walk(struct dv_vm *vm, u64 root, unsigned levels, u64 va, u64 *gpa)
{
	u64 table = root & ENTRY_ADDR, entry, mask;
	unsigned shift;

	if (levels != 4 && levels != 5)
		return -EINVAL;
	for (shift = 12 + 9 * (levels - 1); ; shift -= 9) {
		if (dv_mem_read(vm, table + (va >> shift & 511) * 8, &entry, sizeof(entry)) != 0 ||
		    (entry & 1) == 0)
			return -EFAULT;
		if (shift == 12 || (shift <= 30 && (entry & 0x80) != 0)) {
			mask = (1ull << shift) - 1;
			*gpa = (entry & ENTRY_ADDR & ~mask) | (va & mask);
			return 0;
		}
		table = entry & ENTRY_ADDR;
	}
}
