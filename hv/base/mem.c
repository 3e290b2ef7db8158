/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem.c - will this much memory be had?
 *
 * Linux promises more memory than there is and kills somebody when it runs out:
 * with a guest's buffers that would be the guest. So what is large is compared
 * with what the system says is available before it is asked for.
 */
#include "mem.h"

#include <stdio.h>
#include <string.h>

#define FREE_OF_QUESTION	(64ull << 20)

/* "NAME:  N kB" of /proc/meminfo; 0: not there. */
static uint64_t
meminfo(const char *text, const char *name)
{
	const char *s = strstr(text, name);
	unsigned long long kb = 0;

	return s != NULL && sscanf(s + strlen(name), " %llu kB", &kb) == 1 ? (uint64_t)kb << 10 : 0;
}

bool
dv_mem_fits(uint64_t bytes, uint64_t *available)
{
	char text[4096];
	size_t n;
	FILE *f;

	*available = UINT64_MAX;
	if (bytes <= FREE_OF_QUESTION || (f = fopen("/proc/meminfo", "re")) == NULL)
		return true;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	*available = meminfo(text, "MemAvailable:");
	/* The other half is for those who are here already. */
	return *available == 0 || bytes <= *available / 2;
}
