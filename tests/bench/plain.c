/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain.c - what the cases of core.c do, as one would write it in C by hand: no
 * gate, no interpreter, sizes known; the machine's hash and record layouts. The
 * lower bound that the machine is compared with.
 */
#include "beside.h"

#include "core/hash.h"

#include <string.h>
#include <time.h>

#define SLOTS	4096
#define BYTES	(4u << 20)

/*
 * The guest's RAM, seen through its direct map: an address is checked, as anybody
 * must who follows a guest's pointers. Through volatile ones, so that nothing of
 * it is known to the compiler.
 */
#define DIRECT	0xffff888000000000ull
struct task {
	uint64_t boottime;
	uint32_t pid, pad;
	char comm[16];
};
static struct { uint64_t current; struct task task; } ram = {
	DIRECT + 8, { 1000, 42, 0, "dvwork" }
};
static uint8_t *volatile ram_mem = (uint8_t *)&ram;
static volatile size_t ram_len = sizeof(ram);
static volatile uint64_t gs_base = DIRECT;

static int
guest(uint64_t addr, void *to, size_t len)
{
	uint64_t at = addr - DIRECT;

	if (at > ram_len || len > ram_len - at)
		return -1;
	memcpy(to, ram_mem + at, len);
	return 0;
}

static int
current_field(size_t off, void *to, size_t len)
{
	uint64_t task;

	return guest(gs_base, &task, sizeof(task)) != 0 ? -1 : guest(task + off, to, len);
}

static volatile uint64_t arg0 = 7, flag;

static uint8_t buf[BYTES], side[32768];
static size_t used, side_used;

static struct { char key[16]; uint32_t hash; uint64_t count; } counts[SLOTS];
static struct { uint64_t task, boottime, val; } local[SLOTS];
static uint64_t quant[127];

static uint64_t
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint8_t *
record(size_t len)
{
	uint64_t head[2] = { 1, now_ns() };

	if (used + len > sizeof(buf))
		used = 0;
	memcpy(buf + used, head, sizeof(head));
	used += len;
	return buf + used - len + sizeof(head);
}

static uint32_t
hash(const void *p, size_t len)
{
	uint64_t h = dv_hash_begin(0), w;
	size_t i;

	for (i = 0; i < len; i += 8) {
		memcpy(&w, (const uint8_t *)p + i, 8);
		if (w != 0)
			h = dv_hash_word(h, w);
	}
	return dv_hash_end(h);
}

static void
count_by_name(void)
{
	char key[16];
	uint32_t h, i;

	if (current_field(offsetof(struct task, comm), key, sizeof(key)) != 0)
		return;
	h = hash(key, sizeof(key));
	for (i = h % SLOTS; counts[i].count != 0; i = (i + 1) % SLOTS)
		if (counts[i].hash == h && memcmp(counts[i].key, key, sizeof(key)) == 0)
			break;
	if (counts[i].count == 0) {
		memcpy(counts[i].key, key, sizeof(key));
		counts[i].hash = h;
	}
	counts[i].count++;
}

static uint32_t
local_of_current(void)
{
	uint64_t key[2] = { 0, 0 };
	uint32_t i;

	if (guest(gs_base, &key[0], 8) != 0 || guest(key[0], &key[1], 8) != 0)
		return 0;
	i = hash(key, sizeof(key)) % SLOTS;
	while (local[i].task != 0 && (local[i].task != key[0] || local[i].boottime != key[1]))
		i = (i + 1) % SLOTS;
	local[i].task = key[0];
	local[i].boottime = key[1];
	return i;
}

static void
quantize_delta(void)
{
	uint64_t delta;
	uint32_t i;

	local[local_of_current()].val = now_ns();
	i = local_of_current();
	if (local[i].val != 0) {
		delta = now_ns() - local[i].val;
		quant[delta == 0 ? 63 : 64 + 63 - __builtin_clzll(delta)]++;
		local[i].val = 0;
	}
}

static void
format_three(void)
{
	uint8_t *p = record(16 + 8 + 256 + 8);
	uint64_t a = arg0;

	if (current_field(offsetof(struct task, pid), p, 4) != 0 ||
	    current_field(offsetof(struct task, comm), p + 8, 16) != 0)
		return;
	memset(p + 8 + 16, 0, 256 - 16);
	memcpy(p + 264, &a, 8);
}

static void
speculate_discard(void)
{
	uint64_t rec[3] = { 1, now_ns(), arg0 };

	if (side_used + sizeof(rec) <= sizeof(side)) {
		memcpy(side + side_used, rec, sizeof(rec));
		side_used += sizeof(rec);
	}
	__asm__ volatile("" ::: "memory");
	side_used = 0;
}

void
plain_run(enum beside what, unsigned n)
{
	for (; n > 0; n--) {
		switch (what) {
		case BESIDE_EMPTY:
			(void)record(16);
			break;
		case BESIDE_FALSE:
			if (flag != 0)
				(void)record(16);
			break;
		case BESIDE_COUNT:
			count_by_name();
			break;
		case BESIDE_QUANTIZE:
			quantize_delta();
			break;
		case BESIDE_PRINTF:
			format_three();
			break;
		case BESIDE_SPECULATE:
			speculate_discard();
			break;
		case BESIDE_NONE:
			return;
		}
		beside_fence();
	}
}
