/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sym.c - finds KVM's functions by name, or says which are missing.
 *
 * KVM exports some of what we need to any module, some only to its own vendor modules, some
 * to nobody, and each host kernel another set. So all are looked up in one way:
 * a kprobe, which is placed by name, tells where kallsyms_lookup_name() is, and that
 * tells the rest. Their types are checked against the headers of the kernel that the
 * module is built for, below, where those declare them: a function that changed does
 * not compile.
 *
 * Indirect calls go to functions that were never meant for them. With IBT the
 * processor wants an endbr64 at their start, which the kernel may have removed: then
 * the module refuses to load.
 *
 * Without nested page tables KVM must hear of every write to the guest's tables, ours
 * (trap.c, displaced instructions) too: such a KVM is refused.
 *
 * Nothing of this links to kvm.ko, so it does not keep KVM loaded. A VM does: while one
 * is held, what was found stays; before another is, it is looked up again.
 */
#include "kvm/sym.h"

#include <linux/kprobes.h>
#include <asm/cpufeature.h>
#ifdef CONFIG_X86_KERNEL_IBT
#include <asm/ibt.h>
#endif

struct dv_syms dv_sym;

#define DV_SYM(name, type) DV_SYM_(name, type)
#ifdef DV_KVM_PRIVATE			/* not declared: its type cannot be compared */
#define DV_SYM_PRIVATE(name, type)
#else
#define DV_SYM_PRIVATE(name, type) DV_SYM_(name, type)
#endif
#define DV_SYM_(name, type) \
	_Static_assert(__builtin_types_compatible_p(typeof(&name), typeof(type)), #name);
#include "kvm/sym.def"
#undef DV_SYM_
#undef DV_SYM_PRIVATE
#undef DV_SYM

static unsigned long (*lookup)(const char *name);

static bool
callable(const char *name, unsigned long addr)
{
#ifdef CONFIG_X86_KERNEL_IBT
	if (cpu_feature_enabled(X86_FEATURE_IBT) && *(const u32 *)addr != gen_endbr()) {
		pr_err("cannot load: %s() of this kernel may not be called indirectly (IBT)\n",
		       name);
		return false;
	}
#endif
	return addr != 0;
}

static int
find_lookup(void)
{
	struct kprobe kp = { .symbol_name = "kallsyms_lookup_name" };
	int rc = register_kprobe(&kp);

	if (rc != 0) {
		pr_err("cannot load: no kprobe on kallsyms_lookup_name (error %d)\n", rc);
		return rc;
	}
	lookup = (void *)kp.addr;
	unregister_kprobe(&kp);
	return callable("kallsyms_lookup_name", (unsigned long)lookup) ? 0 : -EOPNOTSUPP;
}

static int
find(const char *name, void *ret)
{
	unsigned long addr = lookup(name);

	if (addr == 0) {
		pr_err("cannot load: this kernel's KVM has no %s()\n", name);
		return -ENOENT;
	}
	if (!callable(name, addr))
		return -EOPNOTSUPP;
	*(unsigned long *)ret = addr;
	return 0;
}

/* RCU: the text of a module goes after all who may have found it there (free_module()). */
bool
dv_sym_is_vm(struct file *file)
{
	typeof(dv_sym.file_is_kvm) is;
	bool r;

	rcu_read_lock();
	r = find("file_is_kvm", &is) == 0 && is(file);
	rcu_read_unlock();
	return r;
}

#define STRING(name) STRING_(name)
#define STRING_(name) #name

int
dv_sym_resolve(void)
{
	struct dv_syms s = { };
	const bool *tdp;
	int rc = lookup == NULL ? find_lookup() : 0;

	if (rc != 0)
		return rc;
	s.ops = (void *)lookup("kvm_x86_ops");
	if (s.ops == NULL) {
		pr_err("cannot load: KVM is not there (modprobe kvm_amd or kvm_intel)\n");
		return -ENODEV;
	}
	if (s.ops->handle_exit == NULL || s.ops->prepare_switch_to_guest == NULL ||
	    s.ops->update_exception_bitmap == NULL || s.ops->cache_reg == NULL ||
	    s.ops->get_msr == NULL) {
		pr_err("cannot load: KVM has no processor to run on (modprobe kvm_amd or "
		       "kvm_intel)\n");
		return -ENODEV;
	}
	tdp = (const bool *)lookup("tdp_enabled");
	if (tdp == NULL || !*tdp) {
		pr_err("cannot load: KVM runs without nested page tables (npt, ept)\n");
		return -EOPNOTSUPP;
	}
#define DV_SYM(name, type) \
	if ((rc = find(STRING(name), &s.name)) != 0) \
		return rc;
#define DV_SYM_PRIVATE(name, type) DV_SYM(name, type)
#include "kvm/sym.def"
#undef DV_SYM_PRIVATE
#undef DV_SYM
	s.handle_exit = s.ops->handle_exit;
	s.svm = strcmp(s.ops->name, "kvm_amd") == 0;
	dv_sym = s;
	return 0;
}
