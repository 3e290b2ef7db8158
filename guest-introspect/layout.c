/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout.c - what the probe machine must know of this guest, as numbers.
 *
 * Offsets come from BTF, addresses from symbols; what exists decides, never a
 * version. Per-CPU variables: the machine adds an offset to a CPU's base,
 * which is __per_cpu_offset[cpu] and what GS holds in the kernel. Up to 6.14
 * the per-CPU section is linked at 0, so symbols are small offsets; later they
 * are addresses inside the image and the base is (area - link address). The
 * sum, modulo 2^64, is right either way, so symbols are used as they are.
 *
 * `current` is the per-CPU `current_task`, or a member of `pcpu_hot` (6.2 to
 * 6.14), and likewise for the preempt count.
 *
 * In early boot, before setup_per_cpu_areas(), all CPUs' offsets are equal (0,
 * or on SMP kernels a poison value on CPUs that are not up): ncpu is 1 then,
 * and the base is the one in GS if that is a kernel address. page_offset too
 * moves when the kernel randomizes memory (setup_arch). Who attaches that
 * early asks again later: when __per_cpu_offset[0] has changed.
 *
 * Stack top: pt_regs of a user thread end at task->stack + THREAD_SIZE - pad,
 * pad being TOP_OF_KERNEL_STACK_PADDING: 0 on 64 bits, 16 on kernels built with
 * CONFIG_X86_FRED (arch/x86/include/asm/thread_info.h), which have its entry
 * points (struct fred_ss is in BTF either way).
 */
#include "gi_impl.h"

static uint64_t
pcpu_var(const struct gi_kernel *k, const char *name, const char *hot)
{
	const struct gi_ksym *s;
	int64_t o;

	if ((s = gi_ksyms_find(k->syms, "pcpu_hot")) != NULL &&
	    (o = gi_offsetof(k, "pcpu_hot", hot)) >= 0)
		return s->addr + (uint64_t)o;
	if ((s = gi_ksyms_find(k->syms, name)) != NULL)
		return s->addr;
	return ~0ull;
}

static bool
kernel_half(uint64_t a)
{
	return (int64_t)a < 0 && a < 0xfffffffffffff000ull;
}

static void
pcpu_bases(struct gi_kernel *k, struct dv_layout *l)
{
	uint64_t at = gi_addr(k, "__per_cpu_offset"), ncpu = 0, v;
	bool ok;
	uint32_t i, j;

	if (at != 0) {
		uint64_t n = gi_addr(k, "nr_cpu_ids");
		uint32_t cpus = 0;

		/* nr_cpu_ids may be a constant; then take entries while distinct */
		if (n == 0 || gi_read(k, DV_GVA(n), &cpus, sizeof(cpus), NULL) != 0 ||
		    cpus == 0 || cpus > DV_MAXCPU)
			cpus = DV_MAXCPU;
		for (i = 0; i < cpus; i++) {
			v = gi_read_u64(k, at + 8 * (uint64_t)i, &ok);
			if (!ok)
				break;
			for (j = 0; j < i && l->pcpu_base[j] != v; j++)
				;
			if (j < i || v == 0)
				break;
			l->pcpu_base[i] = v;
			ncpu++;
		}
	}
	if (ncpu == 0 || (ncpu == 1 && !kernel_half(l->pcpu_base[0]) && k->cpu0.gs_base != 0 &&
	    kernel_half(k->cpu0.gs_base))) {
		ncpu = 1;
		l->pcpu_base[0] = kernel_half(k->cpu0.gs_base) ? k->cpu0.gs_base :
		    kernel_half(k->cpu0.kernel_gs_base) ? k->cpu0.kernel_gs_base : 0;
	}
	l->ncpu = (uint32_t)ncpu;
}

/*
 * include/linux/preempt.h has only macros for the preempt count: 8 bits of
 * preempt_disable, 8 of softirq (the lowest: serving one), 4 of hardirq, then NMI.
 * Kernels that count disabled interrupts, too, have 8 bits for that before
 * hardirq, and a per-CPU local_interrupt_disable_state. The top bit is no count.
 */
static void
count_bits(const struct gi_kernel *k, struct dv_layout *l)
{
	bool counts = gi_addr(k, "local_interrupt_disable_state") != 0;

	l->count_softirq = 0x100;
	l->count_hardirq = counts ? 0x0f000000 : 0x000f0000;
	l->count_nmi = counts ? 0x70000000 : 0x00f00000;
}

/* THREAD_SIZE: union thread_union holds a stack of that many bytes. */
static uint32_t
thread_size(const struct gi_kernel *k)
{
	struct gi_type t;
	uint32_t id = gi_type_find(k, GI_T_UNION, "thread_union");

	if (id != 0 && gi_type(k, id, &t) == 0 && t.size >= 8192 && t.size <= (1u << 20))
		return (uint32_t)t.size;
	return 16384;
}

int
gi_kernel_layout(struct gi_kernel *k, struct dv_err *err, struct dv_layout *ret)
{
	struct dv_layout *l = ret;
	uint64_t po = gi_addr(k, "page_offset_base");
	struct gi_type t;
	dv_gpa_t root;
	bool ok = false;

	memset(l, 0, sizeof(*l));
	if (gi_type_find(k, GI_T_STRUCT, "task_struct") == 0)
		return dv_err_set(err, DV_E_UNSUP,
		    "the guest's kernel %s has no type information (CONFIG_DEBUG_INFO_BTF)",
		    k->release);
	l->present = 1;
	l->pt_levels = k->levels;
	l->kernel_root = k->root.v;
	l->page_offset = po != 0 && k->live ? gi_read_u64(k, po, &ok) : 0;
	if (!ok)			/* a kernel without CONFIG_RANDOMIZE_MEMORY */
		l->page_offset = k->levels == 5 ? 0xff11000000000000ull :
		    0xffff888000000000ull;
	l->text_start = gi_addr(k, "_stext");
	if (l->text_start == 0)
		l->text_start = k->base;
	l->text_end = gi_addr(k, "_etext");
	if (l->text_end == 0)
		l->text_end = k->end;
	l->init_task = gi_addr(k, "init_task");
	l->pcpu_current = pcpu_var(k, "current_task", "current_task");
	l->pcpu_preempt_count = pcpu_var(k, "__preempt_count", "preempt_count");
	count_bits(k, l);
	if (l->pcpu_current == ~0ull || l->init_task == 0)
		return dv_err_set(err, DV_E_GUEST,
		    "the guest's symbols have neither current_task nor pcpu_hot");
	l->task_pid = gi_off32(k, "task_struct", "pid");
	l->task_tgid = gi_off32(k, "task_struct", "tgid");
	l->task_comm = gi_off32(k, "task_struct", "comm");
	l->task_mm = gi_off32(k, "task_struct", "mm");
	l->task_start_boottime = gi_off32(k, "task_struct", "start_boottime");
	if (l->task_start_boottime == DV_NO_OFF)	/* before 5.5 */
		l->task_start_boottime = gi_off32(k, "task_struct", "real_start_time");
	l->task_real_parent = gi_off32(k, "task_struct", "real_parent");
	l->task_cred = gi_off32(k, "task_struct", "cred");
	l->task_flags = gi_off32(k, "task_struct", "flags");
	l->task_stack = gi_off32(k, "task_struct", "stack");
	l->task_runtime = gi_off32(k, "task_struct", "se.sum_exec_runtime");
	l->cred_uid = gi_off32(k, "cred", "uid.val");
	l->cred_gid = gi_off32(k, "cred", "gid.val");
	l->mm_pgd = gi_off32(k, "mm_struct", "pgd");
	if (gi_type(k, gi_type_find(k, GI_T_STRUCT, "pt_regs"), &t) == 0)
		l->ptregs_size = (uint32_t)t.size;
	l->stack_size = thread_size(k);
	l->stack_pad = gi_addr(k, "asm_fred_entrypoint_user") != 0 ? 16 : 0;
	gi_vfs_layout(k, &l->vfs);
	/* k->root may be what the kernel boots with; the machine falls back on CR3 */
	if (gi_pgwalk(&k->mem, k->root, k->levels, DV_GVA(gi_addr(k, "init_top_pgt")), &root,
	    NULL) == 0)
		l->kernel_root = root.v;
	l->page_offset_sym = po;
	l->pcpu_offset_sym = gi_addr(k, "__per_cpu_offset");
	if (k->live) {
		pcpu_bases(k, l);
		/* the areas of setup_per_cpu_areas() are not there yet */
		l->early = l->pcpu_base[0] == 0 ||
		    l->pcpu_base[0] == gi_addr(k, "__per_cpu_load");
	}
	return 0;
}

int64_t
gi_uregs_off(struct gi_kernel *k, const char *member)
{
	int64_t off = member != NULL ? gi_offsetof(k, "pt_regs", member) : 0;
	struct dv_layout l;

	if (off < 0 || gi_kernel_layout(k, NULL, &l) != 0 || l.ptregs_size == 0)
		return -1;
	return (int64_t)l.stack_size - l.stack_pad - l.ptregs_size + off;
}
