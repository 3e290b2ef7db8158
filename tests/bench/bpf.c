/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf.c - the cases of core.c as eBPF programs of this host's kernel, run by
 * BPF_PROG_TEST_RUN, which times them itself. Written as instructions, so that
 * nothing but the kernel's own headers is needed. What a program cannot do in a
 * test run (default records, speculation) has none.
 */
#include "beside.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REPEAT	200000

#define INSN(c, d, s, o, i) \
	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define MOV_IMM(d, i)	INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define MOV_REG(d, s)	INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define ADD_IMM(d, i)	INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define SUB_REG(d, s)	INSN(BPF_ALU64 | BPF_SUB | BPF_X, d, s, 0, 0)
#define SHR_IMM(d, i)	INSN(BPF_ALU64 | BPF_RSH | BPF_K, d, 0, 0, i)
#define LOAD(d, s, o)	INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE(d, o, s)	INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE_W(d, o, s) INSN(BPF_STX | BPF_MEM | BPF_W, d, s, o, 0)
#define ST_IMM(d, o, i)	INSN(BPF_ST | BPF_MEM | BPF_W, d, 0, o, i)
#define JEQ(d, i, o)	INSN(BPF_JMP | BPF_JEQ | BPF_K, d, 0, o, i)
#define JLT(d, i, o)	INSN(BPF_JMP32 | BPF_JLT | BPF_K, d, 0, o, i)
#define CALL(f)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##f)
#define EXIT()		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define MAP(d, fd) \
	INSN(BPF_LD | BPF_DW | BPF_IMM, d, BPF_PSEUDO_MAP_FD, 0, fd), INSN(0, 0, 0, 0, 0)

static int
map_create(uint32_t type, uint32_t key, uint32_t value, uint32_t n)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_type = type;
	a.key_size = key;
	a.value_size = value;
	a.max_entries = n;
	return (int)syscall(SYS_bpf, BPF_MAP_CREATE, &a, sizeof(a));
}

static int
map_set(int fd, const void *key, const void *value)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_fd = (uint32_t)fd;
	a.key = (uint64_t)(uintptr_t)key;
	a.value = (uint64_t)(uintptr_t)value;
	return (int)syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &a, sizeof(a));
}

/* Loads and runs; -1 with errno. */
static double
run(const struct bpf_insn *insn, size_t n, char *why, size_t len)
{
	static char data[64], log[4096];
	union bpf_attr a;
	int fd, rc;

	memset(&a, 0, sizeof(a));
	a.prog_type = BPF_PROG_TYPE_SCHED_CLS;
	a.insns = (uint64_t)(uintptr_t)insn;
	a.insn_cnt = (uint32_t)n;
	a.license = (uint64_t)(uintptr_t)"GPL";
	a.log_buf = (uint64_t)(uintptr_t)log;
	a.log_size = sizeof(log);
	a.log_level = 1;
	log[0] = '\0';
	fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &a, sizeof(a));
	if (fd < 0) {
		rc = errno;
		log[sizeof(log) - 1] = '\0';
		n = strlen(log);
		while (n > 0 && log[n - 1] == '\n')
			log[--n] = '\0';
		(void)snprintf(why, len, "the kernel refuses the program: %s; %.200s", strerror(rc),
		    n > 200 ? log + n - 200 : log);
		return 0;
	}
	memset(&a, 0, sizeof(a));
	a.test.prog_fd = (uint32_t)fd;
	a.test.data_in = (uint64_t)(uintptr_t)data;
	a.test.data_size_in = sizeof(data);
	a.test.repeat = REPEAT;
	rc = (int)syscall(SYS_bpf, BPF_PROG_TEST_RUN, &a, sizeof(a));
	if (rc != 0)
		(void)snprintf(why, len, "the kernel does not run it: %s", strerror(errno));
	close(fd);
	return rc != 0 ? 0 : a.test.duration > 0 ? a.test.duration : 0.5;
}

#define RUN(p)	run(p, sizeof(p) / sizeof((p)[0]), why, len)

static double
run_false(int array, char *why, size_t len)
{
	const struct bpf_insn p[] = {
		ST_IMM(10, -4, 0), MOV_REG(2, 10), ADD_IMM(2, -4), MAP(1, array),
		CALL(map_lookup_elem), JEQ(0, 0, 1), LOAD(0, 0, 0), MOV_IMM(0, 0), EXIT(),
	};

	return RUN(p);
}

static double
run_count(int hash, char *why, size_t len)
{
	const struct bpf_insn p[] = {
		MOV_REG(1, 10), ADD_IMM(1, -16), MOV_IMM(2, 16), CALL(get_current_comm),
		MOV_REG(2, 10), ADD_IMM(2, -16), MAP(1, hash), CALL(map_lookup_elem),
		JEQ(0, 0, 3), LOAD(1, 0, 0), ADD_IMM(1, 1), STORE(0, 0, 1),
		MOV_IMM(0, 0), EXIT(),
	};

	return RUN(p);
}

/* Both hits: the time goes into a hash, comes out and is taken out of it. */
static double
run_quantize(int times, int array, char *why, size_t len)
{
	const struct bpf_insn p[] = {
		CALL(get_current_pid_tgid), STORE(10, -8, 0),
		CALL(ktime_get_ns), STORE(10, -16, 0),
		MAP(1, times), MOV_REG(2, 10), ADD_IMM(2, -8), MOV_REG(3, 10), ADD_IMM(3, -16),
		MOV_IMM(4, 0), CALL(map_update_elem),
		CALL(get_current_pid_tgid), STORE(10, -8, 0),
		MAP(1, times), MOV_REG(2, 10), ADD_IMM(2, -8), CALL(map_lookup_elem),
		JEQ(0, 0, 24), LOAD(6, 0, 0),
		CALL(ktime_get_ns), SUB_REG(0, 6), MOV_REG(6, 0),
		/* the bucket: five steps of a binary logarithm of the low half */
		MOV_IMM(7, 0),
		JLT(6, 1 << 16, 2), ADD_IMM(7, 16), SHR_IMM(6, 16),
		JLT(6, 1 << 8, 2), ADD_IMM(7, 8), SHR_IMM(6, 8),
		JLT(6, 1 << 4, 2), ADD_IMM(7, 4), SHR_IMM(6, 4),
		STORE_W(10, -20, 7), MOV_REG(2, 10), ADD_IMM(2, -20), MAP(1, array),
		CALL(map_lookup_elem), JEQ(0, 0, 3), LOAD(1, 0, 0), ADD_IMM(1, 1), STORE(0, 0, 1),
		MAP(1, times), MOV_REG(2, 10), ADD_IMM(2, -8), CALL(map_delete_elem),
		MOV_IMM(0, 0), EXIT(),
	};

	return RUN(p);
}

/* A record with the time into a CPU's array; comm is not padded to 256 bytes. */
static double
run_printf(int array, char *why, size_t len)
{
	const struct bpf_insn p[] = {
		ST_IMM(10, -4, 0), MOV_REG(2, 10), ADD_IMM(2, -4), MAP(1, array),
		CALL(map_lookup_elem), JEQ(0, 0, 10), MOV_REG(6, 0),
		CALL(ktime_get_ns), STORE(6, 8, 0),
		CALL(get_current_pid_tgid), STORE(6, 16, 0), STORE(6, 40, 0),
		MOV_REG(1, 6), ADD_IMM(1, 24), MOV_IMM(2, 16), CALL(get_current_comm),
		MOV_IMM(0, 0), EXIT(),
	};

	return RUN(p);
}

double
bpf_run(enum beside what, char *why, size_t len)
{
	static char comm[16];
	char value[64] = { 0 };
	double ns = 0;
	int fd = -1, fd2 = -1;
	FILE *f;

	(void)snprintf(why, len, "there is no such program");
	switch (what) {
	case BESIDE_FALSE:
		fd = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1);
		ns = run_false(fd, why, len);
		break;
	case BESIDE_COUNT:
		fd = map_create(BPF_MAP_TYPE_PERCPU_HASH, 16, 8, 1024);
		if ((f = fopen("/proc/self/comm", "r")) != NULL) {
			if (fgets(comm, sizeof(comm), f) != NULL)
				comm[strcspn(comm, "\n")] = '\0';
			fclose(f);
		}
		if (fd >= 0) {
			static char values[8 * 1024];	/* one for each CPU */

			(void)map_set(fd, comm, values);
		}
		ns = run_count(fd, why, len);
		break;
	case BESIDE_QUANTIZE:
		fd = map_create(BPF_MAP_TYPE_HASH, 8, 8, 1024);
		fd2 = map_create(BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, 64);
		ns = run_quantize(fd, fd2, why, len);
		break;
	case BESIDE_PRINTF:
		fd = map_create(BPF_MAP_TYPE_PERCPU_ARRAY, 4, sizeof(value), 1);
		ns = run_printf(fd, why, len);
		break;
	default:
		break;
	}
	if (fd >= 0)
		close(fd);
	if (fd2 >= 0)
		close(fd2);
	return ns;
}
