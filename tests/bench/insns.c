/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * insns.c - a QEMU plugin that counts the instructions between two marks.
 *
 *	-plugin insns.so,out=FILE
 *
 * The mark is the no-operation of images/work/bench.c. When a vCPU executes it, a
 * line `VCPU COUNT` is written to FILE: all instructions that this vCPU has executed,
 * by blocks begun. If that machine is itself a host, they include those of the guest
 * that executes the mark, and all that its kernel and hypervisor do for it.
 */
#include "tcg/qemu_api.h"

#include <stdio.h>
#include <string.h>

/* More of the interface, as in QEMU's documentation of it. */
struct qemu_plugin_scoreboard;
typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64, QEMU_PLUGIN_INLINE_STORE_U64 };
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
uint64_t qemu_plugin_u64_get(qemu_plugin_u64 entry, unsigned vcpu_index);
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb,
	enum qemu_plugin_op op, qemu_plugin_u64 entry, uint64_t imm);

QEMU_PLUGIN_EXPORT int qemu_plugin_version = DV_QEMU_PLUGIN_API;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
					   int argc, char **argv);

static const unsigned char mark[] = { 0x0f, 0x1f, 0x84, 0x00, 0x6b, 0x6d, 0x76, 0x64 };
static qemu_plugin_u64 executed;
static FILE *out;

static void
marked(unsigned vcpu, void *data)
{
	(void)data;
	fprintf(out, "%u %llu\n", vcpu, (unsigned long long)qemu_plugin_u64_get(executed, vcpu));
	fflush(out);
}

static void
translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);
	unsigned char bytes[sizeof(mark)];

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64,
	    executed, n);
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (qemu_plugin_insn_data(insn, bytes, sizeof(bytes)) == sizeof(mark) &&
		    memcmp(bytes, mark, sizeof(mark)) == 0)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, marked,
			    QEMU_PLUGIN_CB_NO_REGS, NULL);
	}
}

int
qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4) != 0 ||
	    (out = fopen(argv[0] + 4, "w")) == NULL)
		return -1;
	executed.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
