# SPDX-License-Identifier: GPL-2.0-or-later
sim_SRCS += hv/sim/sim.c hv/sim/vfs.c
