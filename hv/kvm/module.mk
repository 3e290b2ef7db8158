# SPDX-License-Identifier: GPL-2.0-or-later
kvmu_SRCS += hv/kvm/insn.c
unit_TESTS += tests/unit/kvm_insn_test.c
