/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ext.c - puts all threads under a scheduler of sched_ext, until SIGTERM.
 *
 * A sched_ext scheduler is a table of BPF programs (struct sched_ext_ops), and
 * each of them may be missing: what the kernel does then is one queue for all
 * CPUs, first in, first out. So no program is needed, only a table with a name.
 * bpf(2) takes it as the value of a map of kind STRUCT_OPS, whose type and layout
 * are asked of the kernel's own BTF; a link to that map is the scheduler, and
 * ends with this program.
 */
#define _GNU_SOURCE
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAP_STRUCT_OPS	26		/* BPF_MAP_TYPE_STRUCT_OPS */
#define ATTACH_STRUCT_OPS 44		/* BPF_STRUCT_OPS, in enum bpf_attach_type */
#define MAP_LINK	(1u << 13)	/* BPF_F_LINK */

static struct {
	char *data;
	const struct btf_header *head;
	const char *names;
} btf;

static void
btf_read(void)
{
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY);
	size_t have = 0;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) != 0)
		die("/sys/kernel/btf/vmlinux");
	if ((btf.data = malloc((size_t)st.st_size)) == NULL)
		die("malloc");
	while (have < (size_t)st.st_size &&
	    (n = read(fd, btf.data + have, (size_t)st.st_size - have)) > 0)
		have += (size_t)n;
	if (have != (size_t)st.st_size)
		die("read /sys/kernel/btf/vmlinux");
	close(fd);
	btf.head = (const void *)btf.data;
	btf.names = btf.data + btf.head->hdr_len + btf.head->str_off;
}

/* The size of what follows a type of this kind. */
static size_t
btf_more(const struct btf_type *t)
{
	size_t n = BTF_INFO_VLEN(t->info);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return n * sizeof(struct btf_enum);
	case 19:				/* ENUM64 */
		return n * 12;
	case BTF_KIND_FUNC_PROTO:
		return n * sizeof(struct btf_param);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_DATASEC:
		return n * sizeof(struct btf_var_secinfo);
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case 17:				/* DECL_TAG */
		return 4;
	}
	return 0;
}

/* A struct by its name, and its number; a kernel without it has no sched_ext. */
static const struct btf_type *
btf_struct(const char *name, uint32_t *id)
{
	const char *p = btf.data + btf.head->hdr_len + btf.head->type_off;
	const char *end = p + btf.head->type_len;

	for (*id = 1; p < end; (*id)++) {
		const struct btf_type *t = (const void *)p;

		if (BTF_INFO_KIND(t->info) == BTF_KIND_STRUCT &&
		    strcmp(btf.names + t->name_off, name) == 0)
			return t;
		p += sizeof(*t) + btf_more(t);
	}
	errno = EOPNOTSUPP;
	die(name);
}

/* Where a member of a struct begins, in bytes. */
static size_t
btf_member(const struct btf_type *t, const char *name)
{
	const struct btf_member *m = (const void *)(t + 1);
	uint32_t i;

	for (i = 0; i < BTF_INFO_VLEN(t->info); i++)
		if (strcmp(btf.names + m[i].name_off, name) == 0)
			return (BTF_INFO_KFLAG(t->info) ? BTF_MEMBER_BIT_OFFSET(m[i].offset) :
			    m[i].offset) / 8;
	errno = EOPNOTSUPP;
	die(name);
}

static int
bpf(int cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

/* Types of our own, which the kernel wants to see: one integer. */
static int
own_types(void)
{
	static const struct {
		struct btf_header head;
		struct btf_type type;
		uint32_t bits;
		char names[8];
	} own = {
		{ BTF_MAGIC, BTF_VERSION, 0, sizeof(own.head), 0,
		    sizeof(own.type) + sizeof(own.bits), sizeof(own.type) + sizeof(own.bits),
		    sizeof(own.names) },
		{ 1, BTF_KIND_INT << 24, { 4 } }, 32, "\0int\0\0",
	};
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.btf = (uint64_t)(uintptr_t)&own;
	attr.btf_size = sizeof(own);
	if ((fd = bpf(BPF_BTF_LOAD, &attr)) < 0)
		die("bpf: types");
	return fd;
}

/* A descriptor; when it is closed the scheduler goes. */
static int
load(void)
{
	const struct btf_type *value, *ops;
	union bpf_attr attr;
	uint32_t id, unused, key = 0;
	char *table;
	int map, link;

	btf_read();
	value = btf_struct("bpf_struct_ops_sched_ext_ops", &id);
	ops = btf_struct("sched_ext_ops", &unused);
	if ((table = calloc(1, value->size)) == NULL)
		die("calloc");
	strcpy(table + btf_member(value, "data") + btf_member(ops, "name"), "dvext");

	memset(&attr, 0, sizeof(attr));
	attr.map_type = MAP_STRUCT_OPS;
	attr.key_size = sizeof(key);
	attr.value_size = value->size;
	attr.max_entries = 1;
	attr.map_flags = MAP_LINK;
	attr.btf_fd = (uint32_t)own_types();
	attr.btf_vmlinux_value_type_id = id;
	strcpy(attr.map_name, "dvext");
	if ((map = bpf(BPF_MAP_CREATE, &attr)) < 0)
		die("bpf: map");
	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)map;
	attr.key = (uint64_t)(uintptr_t)&key;
	attr.value = (uint64_t)(uintptr_t)table;
	if (bpf(BPF_MAP_UPDATE_ELEM, &attr) != 0)
		die("bpf: table");
	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (uint32_t)map;
	attr.link_create.attach_type = ATTACH_STRUCT_OPS;
	if ((link = bpf(BPF_LINK_CREATE, &attr)) < 0)
		die("bpf: link");
	free(table);
	free(btf.data);
	return link;
}

int
work_ext(const struct work *w, long *arg, char **argv)
{
	sigset_t set;
	int sig, link;

	(void)arg, (void)argv;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	link = load();
	sigwait(&set, &sig);
	close(link);
	report_start(w->name);
	report("loaded", 1);
	report_end();
	return 0;
}
