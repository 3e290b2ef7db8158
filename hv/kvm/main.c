/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c - the module: comes up with all it needs, or not at all. */
#include "kvm/kvm.h"

#include <linux/module.h>

static uint32_t broken;

module_param_named(tcg_svm, dv_svm_shim, bool, 0444);
MODULE_PARM_DESC(tcg_svm, "work around QEMU's emulation of SVM; for tests alone");

/* The machine cannot go on, the host must. */
void
dv_plat_panic(const char *text)
{
	if (dv_add32(&broken, 1) == 0)
		pr_crit("internal error, tracing is off until the module is reloaded: %s\n", text);
}

bool
dv_broken(void)
{
	return dv_load32(&broken) != 0;
}

static int __init
dvisor_init(void)
{
	int rc = dv_sym_resolve();

	if (rc != 0)
		return rc;
	rc = dv_chan_init();
	if (rc != 0)
		pr_err("cannot load: no device (error %d)\n", rc);
	return rc;
}

static void __exit
dvisor_exit(void)
{
	dv_chan_exit();
	dv_hook_exit();
}

module_init(dvisor_init);
module_exit(dvisor_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("DTrace for guest VMs: the probe machine beside KVM");
MODULE_SOFTDEP("pre: kvm");
