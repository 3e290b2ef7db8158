/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plugin.c - dvisor-tcg.so: what QEMU calls, and where it goes from here.
 *
 *	-plugin dvisor-tcg.so,name=N[,hold=on][,sock=PATH][,internals=off]
 *
 * Nothing in the guest is written to. A probe site is an instruction whose
 * translation got a callback; so enabling is to have QEMU forget its translated
 * code and translate anew (prog.c). With nothing enabled a block that runs is
 * the block that QEMU would have run without us: the only code that always has
 * a callback is the reset vector's. Reading order: this file, vcpu.c (registers,
 * reaching a vCPU), guest.c (kernel comes and goes), ram.c (guest memory),
 * prog.c (programs), chan.c (socket and service thread).
 *
 * internals=off does without what QEMU exports beyond its plugin interface, as
 * on a QEMU that exports nothing; for tests.
 */
#include "tcg/tcg.h"
#include "tcg/prog.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DRAIN_NS 1000000000ull		/* for consumers, at the guest's end */

QEMU_PLUGIN_EXPORT extern int qemu_plugin_version;
QEMU_PLUGIN_EXPORT int qemu_plugin_version = DV_QEMU_PLUGIN_API;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
					   const qemu_info_t *info,
					   int argc, char **argv);

struct dv_tcg tcg = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void
init_cb(qemu_plugin_id_t id, unsigned v)
{
	(void)id;
	dv_vcpu_init(v);
}

static void
exit_cb(qemu_plugin_id_t id, unsigned v)
{
	(void)id;
	dv_vcpu_exit(v);
}

static void
idle_cb(qemu_plugin_id_t id, unsigned v)
{
	(void)id;
	if (v >= DV_CTL_MAXCPU)
		return;
	dv_tprog_callback();
	if (dv_tprog_profiles() || !tcg.has_cpus)
		dv_vcpu_save(&tcg.vcpu[v]);
	__atomic_store_n(&tcg.vcpu[v].idle, 1, __ATOMIC_RELEASE);
}

static void
resume_cb(qemu_plugin_id_t id, unsigned v)
{
	(void)id;
	dv_tprog_callback();
	if (v < DV_CTL_MAXCPU)
		__atomic_store_n(&tcg.vcpu[v].idle, 0, __ATOMIC_RELEASE);
}

static void
trans_cb(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	uint64_t va = qemu_plugin_tb_vaddr(tb);
	size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	if (n == 0)
		return;
	dv_tprog_callback();
	dv_guest_trans(tb, va, n);
	if (dv_tprog_any())
		dv_tprog_trans(tb, va, n);
}

static void
shutdown_cb(struct qemu_notifier *n, void *cause)
{
	(void)n;
	(void)cause;
	dv_chan_end(DRAIN_NS);
}

static void
atexit_cb(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	dv_chan_close();
}

static void
reset_hook(void *opaque)
{
	(void)opaque;
	dv_guest_reset();
}

static int
bad(const char *what, const char *arg)
{
	fprintf(stderr, "dvisor-tcg: %s: \"%s\"\n", what, arg);
	return -1;
}

static int
args_read(int argc, char **argv, const char **sock, bool *internals)
{
	for (int i = 0; i < argc; i++) {
		const char *eq = strchr(argv[i], '=');
		size_t n = eq != NULL ? (size_t)(eq - argv[i]) : strlen(argv[i]);
		const char *val = eq != NULL ? eq + 1 : "on";
		bool on = strcmp(val, "on") == 0;

		if (n == 4 && strncmp(argv[i], "name", n) == 0) {
			if (!dv_guest_name_ok(val)) {
				fprintf(stderr, "dvisor-tcg: a guest's name is letters, digits "
					"and ._- only, at most %d: \"%s\"\n",
					DV_GUEST_NAME_MAX, val);
				return -1;
			}
			strcpy(tcg.name, val);
		} else if (n == 4 && strncmp(argv[i], "sock", n) == 0) {
			*sock = val;
		} else if (n == 4 && strncmp(argv[i], "hold", n) == 0) {
			if (!on && strcmp(val, "off") != 0)
				return bad("hold is on or off", argv[i]);
			tcg.hold = on ? DV_HOLD_WANTED : DV_HOLD_NONE;
		} else if (n == 9 && strncmp(argv[i], "internals", n) == 0) {
			if (!on && strcmp(val, "off") != 0)
				return bad("internals is on or off", argv[i]);
			*internals = on;
		} else {
			return bad("there is no such argument", argv[i]);
		}
	}
	return 0;
}

int
qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
		    char **argv)
{
	static struct qemu_notifier notifier = { .notify = shutdown_cb };
	const char *sock = NULL, *run = getenv("XDG_RUNTIME_DIR");
	pthread_condattr_t attr;
	bool internals = true;
	char path[256];

	if (info->version.cur < DV_QEMU_PLUGIN_API ||
	    info->version.min > DV_QEMU_PLUGIN_API) {
		fprintf(stderr, "dvisor-tcg: this QEMU has version %d of the plugin "
			"interface; version %d is needed. Use QEMU 9.2 or newer.\n",
			info->version.cur, DV_QEMU_PLUGIN_API);
		return -1;
	}
	if (!info->system_emulation || strcmp(info->target_name, "x86_64") != 0)
		return bad("guests of qemu-system-x86_64 only; this is",
			   info->target_name);
	if (info->system.max_vcpus > DV_CTL_MAXCPU) {
		fprintf(stderr, "dvisor-tcg: at most %d vCPUs; this machine may have %d\n",
			DV_CTL_MAXCPU, info->system.max_vcpus);
		return -1;
	}
	tcg.id = id;
	tcg.api = info->version.cur;
	tcg.max_vcpu = (unsigned)info->system.max_vcpus;
	strcpy(tcg.name, "guest");
	if (args_read(argc, argv, &sock, &internals) != 0)
		return -1;
	if (sock != NULL)
		snprintf(path, sizeof(path), "%s", sock);
	else if (geteuid() == 0)
		snprintf(path, sizeof(path), "/run/dvisor/%s.sock", tcg.name);
	else if (run != NULL && run[0] == '/')
		snprintf(path, sizeof(path), "%s/dvisor/%s.sock", run, tcg.name);
	else
		return bad("XDG_RUNTIME_DIR is not set, so there is no folder for "
			   "the guest's socket: give sock=PATH", tcg.name);
	if (internals)
		qemu_int_init(&tcg.q);
	tcg.has_cpus = qemu_int_has_cpus(&tcg.q);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&tcg.change, &attr);
	if (dv_chan_listen(path) != 0)
		return -1;
	dv_plugin_register(id);
	if (tcg.q.register_shutdown != NULL)
		tcg.q.register_shutdown(&notifier);
	if (tcg.q.register_reset != NULL)
		tcg.q.register_reset(reset_hook, NULL);
	if (dv_chan_start() != 0) {
		dv_chan_close();
		return -1;
	}
	return 0;
}

/* All callbacks that a qemu_plugin_reset takes away. */
void
dv_plugin_register(qemu_plugin_id_t id)
{
	qemu_plugin_register_vcpu_init_cb(id, init_cb);
	qemu_plugin_register_vcpu_exit_cb(id, exit_cb);
	qemu_plugin_register_vcpu_idle_cb(id, idle_cb);
	qemu_plugin_register_vcpu_resume_cb(id, resume_cb);
	qemu_plugin_register_vcpu_tb_trans_cb(id, trans_cb);
	qemu_plugin_register_atexit_cb(id, atexit_cb, NULL);
}
