# SPDX-License-Identifier: GPL-2.0-or-later
cli_SRCS += cli/main.c cli/opts.c cli/msg.c cli/paths.c cli/vm.c cli/boot.c \
	cli/program.c cli/enable.c cli/probesrc.c cli/typesrc.c cli/run.c
cli_SRCS += cli/cpp.c cli/dlib.c cli/command.c cli/chan_ctl.c cli/chan_tcg.c \
	cli/chan_kvm.c cli/kvm_host.c cli/chan_host.c
unit_TESTS += tests/unit/cli_kvm_test.c
