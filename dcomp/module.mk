# SPDX-License-Identifier: GPL-2.0-or-later
dcomp_SRCS += dcomp/act.c dcomp/agg.c dcomp/asm.c dcomp/attr.c dcomp/ast.c dcomp/cgen.c dcomp/check.c \
	dcomp/checkop.c dcomp/clause.c dcomp/decl.c dcomp/diag.c dcomp/dis.c dcomp/dump.c dcomp/field.c \
	dcomp/fmt.c dcomp/if.c dcomp/option.c dcomp/pragma.c dcomp/print.c dcomp/prog.c \
	dcomp/subr.c dcomp/type.c dcomp/typetext.c dcomp/xlate.c dcomp/d.y dcomp/d.l
unit_TESTS += tests/unit/dcomp_api_test.c
fuzz_TARGETS += tests/fuzz/d.c tests/fuzz/exec.c
