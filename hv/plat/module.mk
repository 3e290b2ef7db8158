# SPDX-License-Identifier: GPL-2.0-or-later
plat_user_SRCS += hv/plat/user/plat.c
