/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sim_impl.h - what the files of the scripted guest share. */
#ifndef DV_SIM_IMPL_H
#define DV_SIM_IMPL_H
#include "sim.h"

#define DV_SIM_TASK_FS	0xd8		/* of struct fs_struct * in a task */

void dv_sim_set_vfs(struct dv_sim *sim, const struct dv_vfs *v);

#endif
