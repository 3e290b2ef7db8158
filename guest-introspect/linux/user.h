/* SPDX-License-Identifier: GPL-2.0-or-later */
/* user.h - symbols of an ELF file of which parts may be missing: elfsyms.c. */
#ifndef GI_USER_H
#define GI_USER_H
#include "../gi_impl.h"

struct gi_elfsyms;

/*
 * Reads a file's symbols by `read`, which gives zeros for what is not there and
 * returns false if nothing of it is. NULL: no 64-bit ELF file, none, no memory.
 */
struct gi_elfsyms *gi_elfsyms_read(bool (*read)(void *arg, uint64_t off, void *buf, size_t len),
				   void *arg);
void gi_elfsyms_free(struct gi_elfsyms *s);
/* The function at an offset of the file, or NULL; `off`: from its start. Borrowed. */
const char *gi_elfsyms_find(const struct gi_elfsyms *s, uint64_t at, uint64_t *off);

#endif
