/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dv_types.h - scalars of the shared formats: fixed-width integers, addresses. */
#ifndef DV_TYPES_H
#define DV_TYPES_H
#ifdef __KERNEL__
#include <linux/limits.h>
#include <linux/types.h>
#ifndef UINT64_MAX
#define UINT64_MAX	U64_MAX
#endif
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

/* One-member structs, so that the compiler refuses a mix-up. */
typedef struct { uint64_t v; } dv_gva_t;	/* guest virtual */
typedef struct { uint64_t v; } dv_gpa_t;	/* guest physical */

#define DV_GVA(x)	((dv_gva_t){ (x) })
#define DV_GPA(x)	((dv_gpa_t){ (x) })

#define DV_NONE		0xffffffffu		/* "no such index" */

#endif
