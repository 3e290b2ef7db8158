# SPDX-License-Identifier: GPL-2.0-or-later
cn_SRCS += cli/consume/cn.c cli/consume/buf.c cli/consume/typed.c cli/consume/value.c \
	cli/consume/stack.c cli/consume/format.c cli/consume/conv.c cli/consume/rec.c \
	cli/consume/aggr.c cli/consume/order.c cli/consume/aggprint.c cli/consume/quantize.c \
	cli/consume/drops.c cli/consume/merge.c cli/consume/option.c
unit_TESTS += tests/unit/cn_rec_test.c tests/unit/cn_format_test.c \
	tests/unit/cn_aggr_test.c tests/unit/cn_quantize_test.c \
	tests/unit/cn_drops_test.c tests/unit/cn_typed_test.c
fuzz_TARGETS += tests/fuzz/cn_take.c
