/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem.c - will this much memory be had?
 *
 * Linux promises more memory than there is and kills somebody when it runs out:
 * with a guest's buffers that would be the guest. So what is large is compared
 * with what the system says is available, and with what is left of the limit of
 * our control group, before it is asked for.
 */
#include "mem.h"

#include <stdio.h>
#include <string.h>

#define FREE_OF_QUESTION	(64ull << 20)

/* The beginning of a file as a string; false: it cannot be read. */
static bool
slurp(const char *path, char *buf, size_t n)
{
	FILE *f = fopen(path, "re");

	if (f == NULL)
		return false;
	buf[fread(buf, 1, n - 1, f)] = '\0';
	fclose(f);
	return true;
}

/* The number that begins a file; "max", or no such file: no limit. */
static uint64_t
number(const char *dir, const char *file)
{
	unsigned long long v;
	char path[4400], text[64];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return slurp(path, text, sizeof(text)) && sscanf(text, "%llu", &v) == 1 ? v : UINT64_MAX;
}

/* What the limits of our group, and of those that it is in, leave. */
static uint64_t
group_leaves(void)
{
	static const char mount[] = "/sys/fs/cgroup";
	uint64_t least = UINT64_MAX, max, now;
	char text[4096], dir[4200], *path, *end;

	if (!slurp("/proc/self/cgroup", text, sizeof(text)) ||
	    (path = strstr(text, "0::/")) == NULL)
		return least;
	path += 3;
	path[strcspn(path, "\n")] = '\0';
	snprintf(dir, sizeof(dir), "%s%s", mount, path);
	/* Up to the root: each step makes the path shorter. */
	while (strlen(dir) >= sizeof(mount)) {
		max = number(dir, "memory.max");
		now = number(dir, "memory.current");
		if (max != UINT64_MAX && now != UINT64_MAX && (max > now ? max - now : 0) < least)
			least = max > now ? max - now : 0;
		if ((end = strrchr(dir, '/')) == NULL)
			break;
		*end = '\0';
	}
	return least;
}

bool
dv_mem_fits(uint64_t bytes, uint64_t *available)
{
	unsigned long long kb;
	uint64_t group;
	char text[4096];
	const char *s;

	*available = UINT64_MAX;
	if (bytes <= FREE_OF_QUESTION)
		return true;
	if (slurp("/proc/meminfo", text, sizeof(text)) &&
	    (s = strstr(text, "MemAvailable:")) != NULL &&
	    sscanf(s + strlen("MemAvailable:"), " %llu kB", &kb) == 1)
		*available = (uint64_t)kb << 10;
	group = group_leaves();
	if (group < *available)
		*available = group;
	/* The other half is for those who are here already. */
	return bytes <= *available / 2;
}
