/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callback.c - a QEMU plugin whose callback does nothing, for tests/bench/run:
 * the least that a probe can cost.
 *
 *	-plugin callback.so,at=ADDRESS
 *
 * The instruction at that address (hexadecimal) gets it. As a probe's callback,
 * it may read registers.
 */
#include "tcg/qemu_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

QEMU_PLUGIN_EXPORT int qemu_plugin_version = DV_QEMU_PLUGIN_API;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
					   int argc, char **argv);
static uint64_t site;

static void
nothing(unsigned vcpu, void *data)
{
	(void)vcpu;
	(void)data;
}

static void
translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (qemu_plugin_insn_vaddr(insn) == site)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, nothing,
			    QEMU_PLUGIN_CB_R_REGS, NULL);
	}
}

int
qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "at=", 3) != 0)
		return -1;
	site = strtoull(argv[0] + 3, NULL, 16);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
