# SPDX-License-Identifier: GPL-2.0-or-later
base_SRCS += hv/base/err.c hv/base/arena.c hv/base/str.c hv/base/hash.c \
	hv/base/progb.c hv/base/clock.c hv/base/mem.c
unit_TESTS += tests/unit/base_err_test.c tests/unit/base_arena_test.c \
	tests/unit/base_str_test.c tests/unit/base_vec_test.c \
	tests/unit/base_hash_test.c tests/unit/base_host_test.c
fuzz_TARGETS += tests/fuzz/base_str.c
