# SPDX-License-Identifier: GPL-2.0-or-later
core_SRCS += hv/core/prog.c hv/core/dif_check.c hv/core/dif.c \
	hv/core/dif_subr.c hv/core/subr_str.c hv/core/subr_path.c \
	hv/core/subr_net.c hv/core/subr_dpath.c hv/core/subr_json.c hv/core/load.c hv/core/var.c hv/core/dynvar.c \
	hv/core/buf.c hv/core/agg.c hv/core/spec.c hv/core/ecb.c \
	hv/core/tail.c hv/core/fire.c hv/core/state.c
core_SRCS += hv/core/stack.c hv/core/ustack.c hv/core/deadman.c
unit_TESTS += tests/unit/core_dif_test.c tests/unit/core_subr_test.c tests/unit/core_dpath_test.c \
	tests/unit/core_check_test.c tests/unit/core_state_test.c \
	tests/unit/core_agg_test.c tests/unit/core_spec_test.c \
	tests/unit/core_dynvar_test.c tests/unit/core_race_test.c \
	tests/unit/core_hit_test.c tests/unit/core_hostile_test.c
fuzz_TARGETS += tests/fuzz/prog.c tests/fuzz/dif.c
unit_TESTS += tests/unit/core_stack_test.c
core_SRCS += hv/core/destr.c hv/core/vtime.c
unit_TESTS += tests/unit/core_destr_test.c tests/unit/core_vtime_test.c
fuzz_TARGETS += tests/fuzz/stack.c
