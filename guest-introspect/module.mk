# SPDX-License-Identifier: GPL-2.0-or-later
gi_SRCS += guest-introspect/pgwalk.c guest-introspect/kernel.c \
	guest-introspect/ksyms.c guest-introspect/btf.c \
	guest-introspect/typetext.c guest-introspect/layout.c
