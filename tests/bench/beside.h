/* SPDX-License-Identifier: GPL-2.0-or-later */
/* beside.h - what a hit's work costs without the machine: plain C, eBPF. */
#ifndef BESIDE_H
#define BESIDE_H
#include <stddef.h>
#include <stdint.h>

enum beside {
	BESIDE_NONE, BESIDE_EMPTY, BESIDE_FALSE, BESIDE_COUNT, BESIDE_QUANTIZE,
	BESIDE_PRINTF, BESIDE_SPECULATE
};

/* n times the same in plain C, on a task of its own. */
void plain_run(enum beside what, unsigned n);

/*
 * The same as an eBPF program, by BPF_PROG_TEST_RUN: ns each, or 0 with the
 * reason. Not all have one.
 */
double bpf_run(enum beside what, char *why, size_t len);

/*
 * Between two hits a guest runs, so that one does not begin before the other has
 * ended; in a loop it would, and the cheapest would seem to cost nothing.
 */
static inline void
beside_fence(void)
{
#ifdef __x86_64__
	__builtin_ia32_lfence();
#endif
	__asm__ volatile("" ::: "memory");
}

#endif
