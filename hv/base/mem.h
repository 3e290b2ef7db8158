/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mem.h - will this much memory be had? */
#ifndef DV_MEM_H
#define DV_MEM_H

#include <stdbool.h>
#include <stdint.h>

/* May buffers of so many bytes be made on this host? *available: for the message. */
bool dv_mem_fits(uint64_t bytes, uint64_t *available);

#endif
