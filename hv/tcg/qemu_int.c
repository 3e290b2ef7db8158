/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qemu_int.c - looks up what QEMU exports beyond its plugin interface.
 *
 * The plugin lives in QEMU's process, so RTLD_DEFAULT finds QEMU's dynamic
 * symbols. A group of functions is of use only as a whole: the qemu_int_has_*
 * functions say which are, and the callers keep to the official interface
 * where one is not.
 */
#include "tcg/qemu_int.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

void
qemu_int_init(struct qemu_int *q)
{
	const struct { const char *name; size_t off; } table[] = {
#define SYM(name, member) { #name, offsetof(struct qemu_int, member) }
		SYM(qemu_get_cpu, get_cpu),
		SYM(qemu_cpu_kick, cpu_kick),
		SYM(async_run_on_cpu, run_on_cpu),
		SYM(async_safe_run_on_cpu, safe_run_on_cpu),
		SYM(tb_flush, tb_flush),
		SYM(runstate_is_running, running),
		SYM(qemu_system_vmstop_request_prepare, halt_prepare),
		SYM(qemu_system_vmstop_request, halt_request),
		SYM(RunState_lookup, states),
		SYM(qmp_cont, cont),
		SYM(error_get_pretty, error_text),
		SYM(error_free, error_free),
		SYM(qemu_get_aio_context, main_context),
		SYM(aio_bh_schedule_oneshot_full, in_main),
		SYM(bql_unlock, bql_unlock),
		SYM(bql_lock_impl, bql_lock),
		SYM(bql_locked, bql_locked),
		SYM(rcu_register_thread, rcu_register),
		SYM(address_space_memory, memory),
		SYM(address_space_get_flatview, get_flatview),
		SYM(flatview_unref, unref_flatview),
		SYM(flatview_for_each_range, each_range),
		SYM(memory_region_get_ram_ptr, mr_ptr),
		SYM(memory_region_get_ram_addr, mr_ram_addr),
		SYM(memory_region_size, mr_size),
		SYM(memory_region_owner, mr_owner),
		SYM(memory_region_is_ram_device, mr_is_device),
		SYM(object_dynamic_cast, dynamic_cast),
		SYM(cpu_physical_memory_is_io, is_io),
		SYM(cpu_physical_memory_rw, rw),
		SYM(cpu_physical_memory_map, map),
		SYM(cpu_physical_memory_unmap, unmap),
		SYM(qmp_query_memory_size_summary, memory_size),
		SYM(qapi_free_MemoryInfo, free_memory),
		SYM(qemu_register_reset, register_reset),
		SYM(qemu_register_shutdown_notifier, register_shutdown),
		SYM(qmp_query_version, version),
		SYM(qapi_free_VersionInfo, free_version),
#undef SYM
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		*(void **)((char *)q + table[i].off) =
			dlsym(RTLD_DEFAULT, table[i].name);
}

bool
qemu_int_has_cpus(const struct qemu_int *q)
{
	return q->get_cpu != NULL && q->cpu_kick != NULL &&
		q->run_on_cpu != NULL && q->safe_run_on_cpu != NULL &&
		qemu_int_current_cpu() != NULL;
}

bool
qemu_int_has_map(const struct qemu_int *q)
{
	return q->rcu_register != NULL && q->memory != NULL &&
		q->get_flatview != NULL && q->unref_flatview != NULL &&
		q->each_range != NULL && q->mr_ptr != NULL &&
		q->mr_ram_addr != NULL && q->mr_size != NULL &&
		q->mr_owner != NULL && q->mr_is_device != NULL &&
		q->dynamic_cast != NULL && q->is_io != NULL &&
		q->map != NULL && q->unmap != NULL &&
		q->memory_size != NULL && q->free_memory != NULL;
}

/* It has been the fifth of the run states since there are names for them. */
int
qemu_int_paused(const struct qemu_int *q)
{
	const int paused = 4;

	if (q->running == NULL || q->halt_prepare == NULL || q->halt_request == NULL ||
	    q->states == NULL || q->states->name == NULL ||
	    strcmp(q->states->name[paused], "paused") != 0)
		return -1;
	return paused;
}

void **
qemu_int_current_cpu(void)
{
	static __thread void **at;

	if (at == NULL)
		at = dlsym(RTLD_DEFAULT, "current_cpu");
	return at;
}
