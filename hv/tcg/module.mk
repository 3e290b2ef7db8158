# SPDX-License-Identifier: GPL-2.0-or-later
unit_TESTS += tests/unit/tcg_destr_test.c
tcg_SRCS += hv/tcg/plugin.c hv/tcg/vcpu.c hv/tcg/regs.c hv/tcg/guest.c hv/tcg/ram.c \
	hv/tcg/destr.c hv/tcg/qemu_int.c hv/tcg/chan.c hv/tcg/prog.c
