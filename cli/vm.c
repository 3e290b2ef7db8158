/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vm.c - finds a VM, connects to its carrier, and lets its kernel explain itself.
 *
 * Introspection reads guest-physical memory through the channel. Finding the
 * kernel makes thousands of small reads of a few pages (page tables), so reads
 * within one page go through a small cache of whole pages that lives for one
 * introspection: the guest runs on meanwhile, and a page that changed under us
 * is caught by introspection's own checks, as any hostile memory is.
 *
 * What was learned is kept per build of the kernel under
 * cache/kernels/BUILD-ID; a second attach decodes that file instead of the
 * guest's tables. A cache file that does not load is made anew.
 */
#include "vm.h"

#include "chan.h"
#include "kvm_host.h"
#include "paths.h"
#include "run.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE		4096u
#define NPAGES		1024u
#define MAX_CACHE_FILE	(512u << 20)

struct dv_vm_mem {
	struct dv_chan *chan;
	struct dv_err err;		/* of the last failed read */
	bool caching;
	struct { uint64_t page; bool have; uint8_t data[PAGE]; } slot[NPAGES];
};

static int
mem_read(void *arg, dv_gpa_t at, void *buf, size_t len)
{
	struct dv_vm_mem *m = arg;
	size_t done, n;

	if (len > 0 && m->caching && at.v / PAGE == (at.v + len - 1) / PAGE) {
		unsigned i = (unsigned)(at.v / PAGE) % NPAGES;

		if (!m->slot[i].have || m->slot[i].page != at.v / PAGE) {
			m->slot[i].have = false;
			if (dv_chan_read(m->chan, at.v & ~(uint64_t)(PAGE - 1),
			    m->slot[i].data, PAGE, &m->err) != 0)
				return DV_E_GUEST;
			m->slot[i].have = true;
			m->slot[i].page = at.v / PAGE;
		}
		memcpy(buf, m->slot[i].data + at.v % PAGE, len);
		return 0;
	}
	for (done = 0; done < len; done += n) {
		n = len - done < DV_CTL_MAXREAD ? len - done : DV_CTL_MAXREAD;
		if (dv_chan_read(m->chan, at.v + done, (uint8_t *)buf + done, n, &m->err) != 0)
			return DV_E_GUEST;
	}
	return 0;
}

/* ---- opening ------------------------------------------------------------ */

struct found {
	DV_VEC(struct dv_vm_listed) v;
};

static void
collect(void *arg, const struct dv_vm_listed *l)
{
	struct found *f = arg;
	struct dv_vm_listed copy = *l;

	copy.sock = l->sock != NULL ? strdup(l->sock) : NULL;
	copy.why = l->why != NULL ? strdup(l->why) : NULL;
	if (dv_vec_push(&f->v, copy) != 0) {
		free((char *)copy.sock);
		free((char *)copy.why);
	}
}

static void
found_fini(struct found *f)
{
	size_t i;

	for (i = 0; i < f->v.n; i++) {
		free((char *)f->v.v[i].sock);
		free((char *)f->v.v[i].why);
	}
	dv_vec_fini(&f->v);
}

/* How many VMs have this name. */
static unsigned
named(const struct found *f, const char *name)
{
	unsigned n = 0;
	size_t i;

	for (i = 0; i < f->v.n; i++)
		n += strcmp(f->v.v[i].name, name) == 0;
	return n;
}

static int
pick(const struct found *f, const char *spec, const struct dv_vm_listed **ret, struct dv_err *err)
{
	size_t i, usable = 0;
	struct dv_str names;
	int rc = 0;

	dv_str_init(&names);
	*ret = NULL;
	for (i = 0; i < f->v.n; i++) {
		const struct dv_vm_listed *l = &f->v.v[i];
		char pid[32];

		snprintf(pid, sizeof(pid), "pid:%d", l->pid);
		if (spec != NULL) {
			if (strcmp(l->name, spec) != 0 && strcmp(pid, spec) != 0)
				continue;
			if (named(f, spec) > 1) {
				rc = dv_err_set(err, DV_E_USAGE, "several VMs have the name "
				    "\"%s\": use --vm pid:N, as `dvisor vms` lists them", spec);
				goto out;
			}
			if (l->why == NULL) {
				*ret = l;
				goto out;
			}
			rc = dv_err_set(err, DV_E_UNSUP, "cannot trace VM \"%s\": %s", spec,
			    l->why);
			goto out;
		}
		if (l->why != NULL)
			continue;
		dv_str_printf(&names, "%s%s", usable++ > 0 ? ", " : "", l->name);
		*ret = l;
	}
	if (spec != NULL) {
		if (strncmp(spec, "gdb:", 4) == 0 || strncmp(spec, "qmp:", 4) == 0)
			rc = dv_err_set(err, DV_E_UNSUP, "cannot trace VM \"%s\": the gdb carrier "
			    "is not part of this version; start the guest with `dvisor guest`",
			    spec);
		else
			rc = dv_err_set(err, DV_E_NOENT,
			    "no such VM: \"%s\". `dvisor vms` lists them", spec);
	} else if (usable == 0) {
		if (f->v.n == 1)
			rc = dv_err_set(err, DV_E_UNSUP, "cannot trace VM \"%s\", the only one "
			    "that runs: %s", f->v.v[0].name, f->v.v[0].why);
		else if (f->v.n > 0)
			rc = dv_err_set(err, DV_E_NOENT, "no VM can be traced; "
			    "`dvisor vms` says why. `dvisor guest` starts one that can");
		else
			rc = dv_err_set(err, DV_E_NOENT, "no VM is running. "
			    "`dvisor guest` starts one, `dvisor --boot` boots and traces one");
	} else if (usable > 1) {
		*ret = NULL;
		rc = dv_err_set(err, DV_E_USAGE, "%zu VMs are running (%s): name one with --vm",
		    usable, names.s);
	}
out:
	dv_str_fini(&names);
	return rc;
}

void
dv_vm_adopt(struct dv_chan *chan, const char *name, struct dv_vm *ret)
{
	memset(ret, 0, sizeof(*ret));
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	ret->chan = chan;
}

int
dv_vm_open(const char *spec, struct dv_err *err, struct dv_vm *ret)
{
	const struct dv_vm_listed *l;
	struct found f = { 0 };
	int rc;

	memset(ret, 0, sizeof(*ret));
	dv_vm_list(collect, &f);
	if ((rc = pick(&f, spec, &l, err)) == 0)
		rc = dv_vm_open_listed(l, err, ret);
	found_fini(&f);
	return rc;
}

int
dv_vm_open_listed(const struct dv_vm_listed *l, struct dv_err *err, struct dv_vm *ret)
{
	struct dv_chan *chan;
	int rc;

	memset(ret, 0, sizeof(*ret));
	if (strcmp(l->carrier, "kvm") != 0)
		rc = chan_tcg_open(l->sock, err, &chan);
	else if ((rc = chan_kvm_open(l->pid, l->name, err, &chan)) != 0)
		dv_err_prefix(err, "cannot trace VM \"%s\"", l->name);
	if (rc == 0)
		dv_vm_adopt(chan, l->name, ret);
	return rc;
}

void
dv_vm_close(struct dv_vm *vm)
{
	gi_kernel_close(vm->kernel);
	if (vm->chan != NULL)
		dv_chan_close(vm->chan);
	free(vm->mem);
	memset(vm, 0, sizeof(*vm));
}

/* ---- introspection ------------------------------------------------------ */

static unsigned
cpus_of(const struct dv_ctl_info *info, struct gi_cpu *cpus, unsigned max)
{
	unsigned n = 0, i;

	/* First the vCPU that was seen in the kernel, then all others. */
	cpus[n++] = (struct gi_cpu){
		.kernel_rip = info->kernel_rip, .cr3 = info->kernel_cr3,
		.cr4 = info->kernel_cr4, .gs_base = info->kernel_gs
	};
	for (i = 0; i < info->nvcpu && i < 8 && n < max; i++)
		cpus[n++] = (struct gi_cpu){
			.kernel_rip = info->kernel_rip, .cr3 = info->cpu[i].cr3,
			.cr4 = info->cpu[i].cr4, .gs_base = info->cpu[i].gs_base,
			.kernel_gs_base = info->cpu[i].kernel_gs_base
		};
	return n;
}

/* The cached kernel of this build, if there is one that loads. */
static bool
load_cached(struct dv_vm *vm, const struct gi_mem *mem, const struct gi_cpu *cpus,
	    unsigned ncpu, const char *path)
{
	struct dv_err ignored;
	char *data;
	size_t len;
	int rc;

	if (dv_file_read(path, MAX_CACHE_FILE, &ignored, &data, &len) != 0)
		return false;
	rc = gi_kernel_load(mem, cpus, ncpu, data, len, &ignored, &vm->kernel);
	free(data);
	return rc == 0;
}

static void
save_cached(struct dv_vm *vm, const char *path)
{
	struct dv_err ignored;
	void *data;
	size_t len;

	/* A cache that cannot be written costs time at the next attach, no more. */
	if (gi_kernel_save(vm->kernel, false, &ignored, &data, &len) != 0)
		return;
	dv_file_write(path, data, len, &ignored);
	free(data);
}

static int
introspect_once(struct dv_vm *vm, struct dv_err *err)
{
	struct gi_mem mem = { mem_read, vm->mem };
	struct gi_cpu cpus[9];
	char id[65], path[4096], sub[128];
	bool have_path = false;
	unsigned ncpu, i;
	int rc;

	if ((rc = dv_chan_info(vm->chan, &vm->info, err)) != 0)
		return rc;
	if (!(vm->info.state & DV_GUEST_KERNEL))
		return dv_err_set(err, DV_E_NOENT, "no kernel has run in this guest yet");
	ncpu = cpus_of(&vm->info, cpus, 9);
	for (i = 0; i < NPAGES; i++)
		vm->mem->slot[i].have = false;
	vm->mem->caching = true;
	if (gi_kernel_probe_id(&mem, cpus, ncpu, err, id, NULL) == 0) {
		snprintf(sub, sizeof(sub), "kernels/%s", id);
		have_path = dv_path_cache_make(path, sizeof(path), sub);
	}
	if (have_path && load_cached(vm, &mem, cpus, ncpu, path)) {
		vm->from_cache = true;
		rc = 0;
	} else {
		if ((rc = gi_kernel_open(&mem, cpus, ncpu, err, &vm->kernel)) == 0 &&
		    (rc = gi_probes_open(vm->kernel, err)) == 0 && have_path)
			save_cached(vm, path);
		if (rc != 0) {
			gi_kernel_close(vm->kernel);
			vm->kernel = NULL;
		}
	}
	vm->mem->caching = false;
	if (rc == 0 && vm->info.carrier == DV_CARRIER_KVM)
		gi_sites_as_traps(vm->kernel);
	return rc;
}

int
dv_vm_introspect(struct dv_vm *vm, uint64_t wait_ns, struct dv_err *err)
{
	uint64_t end = dv_clock_ns() + wait_ns;
	int rc;

	if ((vm->mem = calloc(1, sizeof(*vm->mem))) == NULL)
		return dv_err_nomem(err);
	vm->mem->chan = vm->chan;
	while ((rc = introspect_once(vm, err)) == DV_E_NOENT && dv_clock_ns() < end &&
	    !dv_run_interrupted())
		dv_clock_nap(50000000);
	if (rc == DV_E_NOENT && dv_run_interrupted())
		return dv_err_set(err, DV_E_GUEST,
		    "interrupted before a kernel ran in VM \"%s\"", vm->name);
	if (rc != 0)
		dv_err_prefix(err, "cannot find a Linux kernel in VM \"%s\"", vm->name);
	return rc;
}

int
dv_vm_open_snapshot(const char *path, struct dv_err *err, struct dv_vm *ret)
{
	char *data;
	size_t len;
	int rc;

	memset(ret, 0, sizeof(*ret));
	snprintf(ret->name, sizeof(ret->name), "%s", path);
	if ((rc = dv_file_read(path, MAX_CACHE_FILE, err, &data, &len)) != 0)
		return rc;
	rc = gi_kernel_load(NULL, NULL, 0, data, len, err, &ret->kernel);
	free(data);
	if (rc != 0)
		dv_err_prefix(err, "%s is no snapshot of a guest", path);
	return rc;
}

int
dv_vm_save_snapshot(struct dv_vm *vm, const char *path, struct dv_err *err)
{
	void *data;
	size_t len;
	int rc;

	if ((rc = gi_kernel_save(vm->kernel, true, err, &data, &len)) != 0)
		return rc;
	rc = dv_file_write(path, data, len, err);
	free(data);
	return rc;
}

/* ---- the VMs of this host ----------------------------------------------- */

static bool
has_suffix(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n > m && strcmp(s + n - m, suffix) == 0;
}

/* Guests with our plugin: their sockets. Remembers the QEMU pids. */
static void
list_tcg(void (*fn)(void *, const struct dv_vm_listed *), void *arg, int *pids, size_t *npids,
	 size_t max)
{
	char dir[4096], path[4096];
	struct dirent *e;
	DIR *d;

	if (!dv_path_run(dir, sizeof(dir), "") || (d = opendir(dir)) == NULL)
		return;
	while ((e = readdir(d)) != NULL) {
		struct dv_vm_listed l = { .carrier = "tcg", .sock = path };
		struct dv_ctl_info info;
		struct dv_chan *chan;
		struct dv_err err;
		int boot;

		if (!has_suffix(e->d_name, ".sock") ||
		    (size_t)snprintf(path, sizeof(path), "%s%s", dir, e->d_name) >= sizeof(path))
			continue;
		snprintf(l.name, sizeof(l.name), "%.*s",
		    (int)(strlen(e->d_name) - strlen(".sock")), e->d_name);
		if (chan_tcg_open(path, &err, &chan) != 0) {
			/* Left behind by a QEMU that was killed: no VM. Of --boot: nobody's. */
			if (err.code == DV_E_NOENT) {
				if (sscanf(l.name, "boot-%d", &boot) == 1 && boot > 0 &&
				    kill(boot, 0) != 0 && errno == ESRCH)
					unlink(path);
				continue;
			}
			l.why = err.text;
		} else {
			if (dv_chan_info(chan, &info, &err) != 0)
				l.why = err.text;
			else {
				l.nvcpu = info.nvcpu;
				l.pid = (int)info.qemu_pid;
				if (*npids < max)
					pids[(*npids)++] = l.pid;
			}
			dv_chan_close(chan);
		}
		fn(arg, &l);
	}
	closedir(d);
}

/* The value of "-name X" or "guest=X" in a QEMU's command line. */
static void
qemu_name(const char *cmd, size_t len, char *ret, size_t n)
{
	const char *p, *end = cmd + len;
	bool next = false;

	for (p = cmd; p < end; p += strlen(p) + 1) {
		if (next) {
			if (strncmp(p, "guest=", 6) == 0)
				p += 6;
			snprintf(ret, n, "%.*s", (int)strcspn(p, ","), p);
			return;
		}
		next = strcmp(p, "-name") == 0 || strcmp(p, "--name") == 0;
	}
}

/* Do a QEMU's arguments ask for KVM? */
static bool
asks_for_kvm(const char *cmd, size_t len)
{
	size_t n;

	for (n = 0; n < len; n += strlen(cmd + n) + 1)
		if (strcmp(cmd + n, "-enable-kvm") == 0 || strcmp(cmd + n, "kvm") == 0 ||
		    strncmp(cmd + n, "kvm,", 4) == 0 || strncmp(cmd + n, "kvm:", 4) == 0 ||
		    strstr(cmd + n, "accel=kvm") != NULL)
			return true;
	return false;
}

/*
 * One process: is it a VM, and if so why can it not be traced? The module is asked
 * once for all, when the first VM of KVM is seen.
 */
static void
list_process(int pid, int *module, struct dv_err *module_err,
	     void (*fn)(void *, const struct dv_vm_listed *), void *arg)
{
	struct dv_vm_listed l = { .carrier = "-", .pid = pid };
	char path[64], *cmd, *base;
	bool is_qemu, is_kvm;
	struct dv_err err;
	size_t len;
	int rc;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	if (dv_file_read(path, 1u << 20, &err, &cmd, &len) != 0)
		return;
	base = strrchr(cmd, '/');
	base = base != NULL ? base + 1 : cmd;
	is_qemu = strncmp(base, "qemu-system-", 12) == 0 || strcmp(base, "qemu-kvm") == 0 ||
	    strcmp(base, "kvm") == 0;
	rc = kvm_vm_fd("", pid, &l.nvcpu, &err);
	is_kvm = rc >= 0 || rc == DV_E_UNSUP ||
	    (rc == DV_E_PERM && is_qemu && asks_for_kvm(cmd, len));
	if (len > 0 && (is_qemu || is_kvm)) {
		snprintf(l.name, sizeof(l.name), "pid:%d", pid);
		if (is_qemu)
			qemu_name(cmd, len, l.name, sizeof(l.name));
		if (!is_kvm) {
			l.why = "its QEMU was started without dvisor's plugin; "
			    "`dvisor guest` starts one with it";
		} else {
			l.carrier = "kvm";
			if (*module > 0)
				*module = kvm_module_check("", module_err);
			if (*module != 0)
				l.why = module_err->text;
			else if (rc < 0)
				l.why = err.text;
		}
		fn(arg, &l);
	}
	free(cmd);
}

static void
list_processes(void (*fn)(void *, const struct dv_vm_listed *), void *arg,
	       const int *pids, size_t npids)
{
	DIR *d = opendir("/proc");
	struct dv_err module_err;
	struct dirent *e;
	int module = 1;			/* not asked yet */

	if (d == NULL)
		return;
	while ((e = readdir(d)) != NULL) {
		int pid = atoi(e->d_name);
		size_t i;

		if (pid <= 0)
			continue;
		for (i = 0; i < npids && pids[i] != pid; i++)
			;
		if (i == npids)
			list_process(pid, &module, &module_err, fn, arg);
	}
	closedir(d);
}

int
dv_vm_list(void (*fn)(void *arg, const struct dv_vm_listed *l), void *arg)
{
	int pids[256];
	size_t npids = 0;

	list_tcg(fn, arg, pids, &npids, sizeof(pids) / sizeof(pids[0]));
	list_processes(fn, arg, pids, npids);
	return 0;
}
