/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ram.h - the table of guest RAM: guest-physical ranges and where they lie. */
#ifndef DV_TCG_RAM_H
#define DV_TCG_RAM_H
#include "tcg/qemu_int.h"
#include "abi/dv_types.h"
#include "core/carrier.h"

#define DV_RAM_MAXRANGE 64
#define DV_RAM_LOWEND	0xa0000ull	/* RAM from 0 to here, on every PC */

struct dv_ram_range {
	uint64_t gpa, len;
	uint8_t *host;
};

struct dv_ram {
	struct dv_ramwin main;		/* the largest range */
	unsigned n;
	uint64_t bytes;
	struct dv_ram_range range[DV_RAM_MAXRANGE];	/* by gpa, apart */
	struct dv_ram *next;		/* older tables, never freed */
};

/*
 * Builds the table anew and publishes it if it differs. `why` (of `len` bytes)
 * gets one line if there is none. Context: the service thread.
 */
int dv_ram_build(const struct qemu_int *q, char *why, size_t len);

/*
 * The same for a QEMU that does not tell its map: RAM begins at base, if so the
 * page tables cr3 place the code at va where it really lies: at `host`. Context:
 * a vCPU's callback, one at a time.
 */
void dv_ram_guess(uint8_t *base, uint64_t cr3, uint64_t cr4, uint64_t va,
		  const uint8_t *host);

/* Walks page tables in RAM; -1 if they do not map va. Context: any. */
int dv_ram_walk(const struct dv_ram *t, uint64_t cr3, uint64_t cr4, uint64_t va,
		uint64_t *gpa);

/* The table now; never NULL, may be empty. A table is never freed. */
const struct dv_ram *dv_ram_get(void);

/* Copies len bytes; -1 unless all of them are RAM. Context: any. */
int dv_ram_read(uint64_t gpa, void *buf, size_t len);

/*
 * Writes len bytes by way of QEMU, which forgets what it translated there and
 * tells those that track writes; -1 unless all of them are RAM. Context: a vCPU's
 * thread, in a callback.
 */
int dv_ram_write(const struct qemu_int *q, uint64_t gpa, const void *buf, size_t len);

#endif
