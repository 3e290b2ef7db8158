# SPDX-License-Identifier: GPL-2.0-or-later
gi_SRCS += guest-introspect/pgwalk.c guest-introspect/kernel.c \
	guest-introspect/ksyms.c guest-introspect/btf.c \
	guest-introspect/typetext.c guest-introspect/layout.c guest-introspect/vfs.c \
	guest-introspect/insn.c guest-introspect/func.c \
	guest-introspect/sites.c guest-introspect/save.c \
	guest-introspect/linux/prelude.c guest-introspect/linux/syscall.c \
	guest-introspect/linux/sched.c guest-introspect/linux/proc.c guest-introspect/linux/fbt.c \
	guest-introspect/linux/modules.c guest-introspect/linux/vars.c \
	guest-introspect/linux/sobj.c guest-introspect/linux/tasks.c \
	guest-introspect/linux/kstack.c guest-introspect/linux/patched.c
gi_SRCS += guest-introspect/linux/orc.c
gi_SRCS += guest-introspect/linux/user.c guest-introspect/linux/elfsyms.c
unit_TESTS += tests/unit/gi_elfsyms_test.c tests/unit/gi_orc_test.c
fuzz_TARGETS += tests/fuzz/elfsyms.c
gi_SRCS += guest-introspect/linux/locks.c
unit_TESTS += tests/unit/gi_locks_test.c tests/unit/gi_tasks_test.c
unit_TESTS += tests/unit/gi_pgwalk_test.c tests/unit/gi_ksyms_test.c \
	tests/unit/gi_btf_test.c tests/unit/gi_insn_test.c \
	tests/unit/gi_kernel_test.c tests/unit/gi_mods_test.c
fuzz_TARGETS += tests/fuzz/kallsyms.c tests/fuzz/btf.c \
	tests/fuzz/pgwalk.c tests/fuzz/savedkernel.c tests/fuzz/modules.c
