/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vars.c - the types of the kernel's well-known variables.
 *
 * A kernel's BTF describes its functions and all its types, but of its variables
 * only the per-CPU ones. The others that people look at have kept their types
 * over all kernels with BTF; where a declaration did change, the text names a
 * struct, whose members come from the guest. Sources: the kernel's headers, by
 * the names below (linux/jiffies.h, sched/init.h, mm.h, utsname.h, ...). A name
 * that a kernel lacks does no harm: the symbol is looked for first.
 */
#include "gi.h"

#include <stdlib.h>
#include <string.h>

/* In order of names. */
static const struct var { const char *name, *type; } vars[] = {
	{ "__cpu_active_mask", "struct cpumask" },
	{ "__cpu_online_mask", "struct cpumask" },
	{ "__cpu_possible_mask", "struct cpumask" },
	{ "__cpu_present_mask", "struct cpumask" },
	{ "__num_online_cpus", "int" },
	{ "__per_cpu_offset", "unsigned long[8192]" },
	{ "avenrun", "unsigned long[3]" },
	{ "boot_cpu_data", "struct cpuinfo_x86" },
	{ "cgrp_dfl_root", "struct cgroup_root" },
	{ "console_printk", "int[4]" },
	{ "cpu_khz", "unsigned int" },
	{ "high_memory", "void *" },
	{ "init_cgroup_ns", "struct cgroup_namespace" },
	{ "init_cred", "struct cred" },
	{ "init_css_set", "struct css_set" },
	{ "init_files", "struct files_struct" },
	{ "init_fs", "struct fs_struct" },
	{ "init_ipc_ns", "struct ipc_namespace" },
	{ "init_mm", "struct mm_struct" },
	{ "init_net", "struct net" },
	{ "init_nsproxy", "struct nsproxy" },
	{ "init_pid_ns", "struct pid_namespace" },
	{ "init_task", "struct task_struct" },
	{ "init_user_ns", "struct user_namespace" },
	{ "init_uts_ns", "struct uts_namespace" },
	{ "jiffies", "unsigned long" },
	{ "jiffies_64", "unsigned long" },
	{ "loops_per_jiffy", "unsigned long" },
	{ "max_low_pfn", "unsigned long" },
	{ "max_pfn", "unsigned long" },
	{ "max_threads", "int" },
	{ "min_low_pfn", "unsigned long" },
	{ "modules", "struct list_head" },
	{ "net_namespace_list", "struct list_head" },
	{ "nr_cpu_ids", "unsigned int" },
	{ "nr_threads", "int" },
	{ "oops_in_progress", "int" },
	{ "page_offset_base", "unsigned long" },
	{ "panic_on_oops", "int" },
	{ "panic_timeout", "int" },
	{ "phys_base", "unsigned long" },
	{ "root_task_group", "struct task_group" },
	{ "saved_command_line", "char *" },
	{ "slab_caches", "struct list_head" },
	{ "super_blocks", "struct list_head" },
	{ "sysctl_overcommit_memory", "int" },
	{ "sysctl_sched_rt_period", "int" },
	{ "sysctl_sched_rt_runtime", "int" },
	{ "system_state", "enum system_states" },
	{ "total_forks", "unsigned long" },
	{ "total_swap_pages", "long" },
	{ "totalreserve_pages", "unsigned long" },
	{ "tsc_khz", "unsigned int" },
	{ "vm_committed_as", "struct percpu_counter" },
	{ "vm_swappiness", "int" },
	{ "vmalloc_base", "unsigned long" },
	{ "vmemmap_base", "unsigned long" },
};

static int
by_name(const void *key, const void *v)
{
	return strcmp(key, ((const struct var *)v)->name);
}

const char *
gi_var_type(const char *name)
{
	const struct var *v = bsearch(name, vars, sizeof(vars) / sizeof(vars[0]),
	    sizeof(vars[0]), by_name);

	return v != NULL ? v->type : NULL;
}
