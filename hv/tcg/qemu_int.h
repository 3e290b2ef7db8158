/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qemu_int.h - QEMU's own functions that its binary happens to export.
 *
 * The plugin interface says nothing of guest-physical memory, and gives no way
 * to run something on a vCPU that executes nothing we instrumented. Debian's
 * binary exports what does. All of it is optional and looked up by name; only
 * functions whose prototype has been the same since QEMU 9.2 are used. A NULL
 * member is one that this QEMU lacks.
 */
#ifndef DV_TCG_QEMU_INT_H
#define DV_TCG_QEMU_INT_H
#include <stdbool.h>
#include <stdint.h>

typedef bool (*qemu_range_fn)(__int128 start, __int128 len, const void *mr,
			      uint64_t offset, void *opaque);
typedef void (*qemu_cpu_fn)(void *cpu, uint64_t data);

struct qemu_notifier {			/* QEMU's Notifier */
	void (*notify)(struct qemu_notifier *n, void *data);
	void *le_next, *le_prev;
};

struct qemu_version {			/* QEMU's VersionInfo */
	struct { int64_t major, minor, micro; } *qemu;
	char *package;
};

struct qemu_memory {			/* QEMU's MemoryInfo */
	uint64_t base_memory;
	bool has_plugged_memory;
	uint64_t plugged_memory;
};

struct qemu_names {			/* QEMU's QEnumLookup: how it begins */
	const char *const *name;
};

struct qemu_int {
	/* vCPUs */
	void *(*get_cpu)(int index);
	void (*cpu_kick)(void *cpu);
	void (*run_on_cpu)(void *cpu, qemu_cpu_fn fn, uint64_t data);
	void (*safe_run_on_cpu)(void *cpu, qemu_cpu_fn fn, uint64_t data);
	void (*tb_flush)(void *cpu);
	bool (*running)(void);
	void (*halt_prepare)(void);
	void (*halt_request)(int state);	/* of QEMU's RunState */
	const struct qemu_names *states;	/* of RunState */
	void (*cont)(void **error);		/* main thread */
	const char *(*error_text)(const void *error);
	void (*error_free)(void *error);
	void *(*main_context)(void);
	void (*in_main)(void *ctx, void (*fn)(void *opaque), void *opaque, const char *name);
	void (*bql_unlock)(void);
	void (*bql_lock)(const char *file, int line);
	bool (*bql_locked)(void);
	/* memory map */
	void (*rcu_register)(void);
	void *memory;			/* &address_space_memory */
	void *(*get_flatview)(void *as);
	void (*unref_flatview)(void *fv);
	void (*each_range)(void *fv, qemu_range_fn fn, void *opaque);
	void *(*mr_ptr)(const void *mr);
	uint64_t (*mr_ram_addr)(const void *mr);
	uint64_t (*mr_size)(const void *mr);
	void *(*mr_owner)(const void *mr);
	bool (*mr_is_device)(const void *mr);
	void *(*dynamic_cast)(void *obj, const char *type);
	bool (*is_io)(uint64_t gpa);
	void (*rw)(uint64_t gpa, void *buf, uint64_t len, bool write);
	void *(*map)(uint64_t gpa, uint64_t *len, bool write);
	void (*unmap)(void *p, uint64_t len, bool write, uint64_t access);
	struct qemu_memory *(*memory_size)(void *errp);
	void (*free_memory)(struct qemu_memory *m);
	/* the rest */
	void (*register_reset)(void (*fn)(void *opaque), void *opaque);
	void (*register_shutdown)(struct qemu_notifier *n);
	struct qemu_version *(*version)(void *errp);
	void (*free_version)(struct qemu_version *v);
};

/* Looks everything up. */
void qemu_int_init(struct qemu_int *q);

/* Can this QEMU run a function on a given vCPU; can it tell its memory map? */
bool qemu_int_has_cpus(const struct qemu_int *q);
bool qemu_int_has_map(const struct qemu_int *q);

/*
 * QEMU's number of the run state "paused", if it can be asked to go there from
 * any thread; else -1.
 */
int  qemu_int_paused(const struct qemu_int *q);

/*
 * Where the calling thread keeps QEMU's `current_cpu`; NULL if that is not
 * exported. Register reads refer to it.
 */
void **qemu_int_current_cpu(void);

#endif
