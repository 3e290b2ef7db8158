/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_dpath_test.c - d_path() names files as the guest's kernel would. */
#include "core_help.h"

struct tree {
	uint64_t root_mnt, root, etc, passwd, mnt, proc_mnt, proc, self;
};

static void
make_tree(struct tb *t, struct tree *r)
{
	uint64_t task;

	dv_sim_vfs(t->sim);
	task = dv_sim_task(t->sim, 0, 0, "swapper/0", 0);
	r->root = dv_sim_dentry(t->sim, "/", 0);
	r->root_mnt = dv_sim_mount(t->sim, r->root, 0, 0);
	r->etc = dv_sim_dentry(t->sim, "etc", r->root);
	r->passwd = dv_sim_dentry(t->sim, "passwd", r->etc);
	r->mnt = dv_sim_dentry(t->sim, "mnt", r->root);
	r->proc = dv_sim_dentry(t->sim, "/", 0);
	r->self = dv_sim_dentry(t->sim, "self", r->proc);
	r->proc_mnt = dv_sim_mount(t->sim, r->proc, r->root_mnt, r->mnt);
	dv_sim_chroot(t->sim, task, r->root_mnt, r->root);
	dv_sim_current(t->sim, 0, task);
}

/* Clause i traces d_path(path[i]) in BEGIN; what was recorded comes back. */
static const uint8_t *
trace_paths(struct tb *t, const uint64_t *path, unsigned n, unsigned size)
{
	uint32_t begin = probe_add(t, "BEGIN", DV_PF_BEGIN);
	struct dv_snap snap;
	unsigned i;

	for (i = 0; i < n; i++) {
		difo_begin(t);
		in_int(t, path[i], 1);
		in(t, I3(PUSHTV, DV_T_INT, 0, 1));
		in(t, IW(CALL, DIF_SUBR_D_PATH, 2));
		in(t, IRET(2));
		clause_begin(t, DV_NONE);
		act_rec(t, DV_ACT_TRACE, difo_end(t), DV_T_STRING, size);
		ecb_add(t, begin, clause_end(t, 0));
	}
	tb_go(t);
	return dv_sim_snap(t->sim, 1, DV_BUF_PRINCIPAL, &snap);
}

static void
expect_paths(struct tb *t, const uint64_t *path, const char *const *want, unsigned n)
{
	const uint8_t *p = trace_paths(t, path, n, 256);
	unsigned i;

	for (i = 0; i < n; i++) {
		if (((const struct dv_rec *)p)->epid != i + 1)
			FAIL("path %u: faulted", i);
		EXPECT_STREQ((const char *)p + sizeof(struct dv_rec), want[i]);
		p += sizeof(struct dv_rec) + 256;
	}
}

TEST(paths_go_through_mounts)
{
	static const char *const want[] = { "/etc/passwd", "/", "/mnt/self", "/mnt",
	    "/etc/passwd (deleted)", "/mnt/self/x" };
	uint64_t path[6], gone;
	struct tree r;
	struct tb t;

	tb_init(&t, 1);
	make_tree(&t, &r);
	path[0] = dv_sim_path(t.sim, r.root_mnt, r.passwd);
	path[1] = dv_sim_path(t.sim, r.root_mnt, r.root);
	path[2] = dv_sim_path(t.sim, r.proc_mnt, r.self);
	path[3] = dv_sim_path(t.sim, r.proc_mnt, r.proc);
	gone = dv_sim_dentry(t.sim, "passwd", r.etc);
	dv_sim_unlink(t.sim, gone);
	path[4] = dv_sim_path(t.sim, r.root_mnt, gone);
	path[5] = dv_sim_path(t.sim, r.proc_mnt, dv_sim_dentry(t.sim, "x", r.self));
	expect_paths(&t, path, want, 6);
	tb_fini(&t);
}

/* Below the process' root: from there. Outside of it: whole. No root: whole. */
TEST(the_root_of_the_process_counts)
{
	static const char *const inside[] = { "/passwd", "/", "/mnt/self", "/" };
	uint64_t path[4];
	struct tree r;
	struct tb t;

	tb_init(&t, 1);
	make_tree(&t, &r);
	dv_sim_chroot(t.sim, dv_sim_layout(t.sim)->init_task, r.root_mnt, r.etc);
	path[0] = dv_sim_path(t.sim, r.root_mnt, r.passwd);
	path[1] = dv_sim_path(t.sim, r.root_mnt, r.etc);
	path[2] = dv_sim_path(t.sim, r.proc_mnt, r.self);
	/* in a mount, but not below that mount's root */
	path[3] = dv_sim_path(t.sim, r.proc_mnt, r.passwd);
	expect_paths(&t, path, inside, 4);
	tb_fini(&t);

	tb_init(&t, 1);
	make_tree(&t, &r);
	dv_sim_write64(t.sim, dv_sim_layout(t.sim)->init_task +
	    dv_sim_layout(t.sim)->vfs.task_fs, 0);
	path[0] = dv_sim_path(t.sim, r.root_mnt, r.passwd);
	expect_paths(&t, path, (const char *const[]){ "/etc/passwd" }, 1);
	tb_fini(&t);
}

TEST(made_up_names)
{
	static const char *const want[] = { "pipe:[1234]", "socket:[18446744073709551615]",
	    "/memfd:x (deleted)", "net:[4026531840]", "anon_inode:[eventfd]",
	    "anon_inode:[pidfd]", "/strange", "pipe:[0]" };
	uint64_t path[8], mnt;
	struct tree r;
	struct tb t;

	tb_init(&t, 1);
	make_tree(&t, &r);
	mnt = dv_sim_mount(t.sim, dv_sim_dentry(t.sim, "/", 0), 0, 0);
	path[0] = dv_sim_path(t.sim, mnt, dv_sim_made_up(t.sim, "", DV_SIM_DNAME_PIPE, 1234));
	path[1] = dv_sim_path(t.sim, mnt, dv_sim_made_up(t.sim, "", DV_SIM_DNAME_SOCK, ~0ull));
	path[2] = dv_sim_path(t.sim, mnt,
	    dv_sim_made_up(t.sim, "memfd:x", DV_SIM_DNAME_SIMPLE, 1));
	path[3] = dv_sim_path(t.sim, mnt,
	    dv_sim_made_up(t.sim, "net", DV_SIM_DNAME_NS, 4026531840u));
	path[4] = dv_sim_path(t.sim, mnt,
	    dv_sim_made_up(t.sim, "[eventfd]", DV_SIM_DNAME_ANON, 1));
	path[5] = dv_sim_path(t.sim, mnt, dv_sim_made_up(t.sim, "", DV_SIM_DNAME_PIDFS, 1));
	path[6] = dv_sim_path(t.sim, mnt,
	    dv_sim_made_up(t.sim, "strange", DV_SIM_DNAME_OTHER, 1));
	path[7] = dv_sim_path(t.sim, mnt, dv_sim_made_up(t.sim, "", DV_SIM_DNAME_PIPE, 0));
	expect_paths(&t, path, want, 8);
	tb_fini(&t);
}

/* A name that is too long keeps its beginning, like every string. */
TEST(long_names_are_cut_at_the_end)
{
	char name[256], want[256];
	uint64_t path[2], d;
	const uint8_t *p;
	struct tree r;
	struct tb t;
	unsigned i;

	memset(name, 'n', 255);
	name[255] = '\0';
	tb_init(&t, 1);
	make_tree(&t, &r);
	for (d = r.etc, i = 0; i < 5; i++)
		d = dv_sim_dentry(t.sim, name, d);
	path[0] = dv_sim_path(t.sim, r.root_mnt, d);
	for (d = r.etc, i = 0; i < 100; i++)
		d = dv_sim_dentry(t.sim, "ab", d);
	path[1] = dv_sim_path(t.sim, r.root_mnt, d);
	p = trace_paths(&t, path, 2, 256);
	memcpy(want, "/etc/", 5);
	memset(want + 5, 'n', 250);
	want[255] = '\0';
	EXPECT_STREQ((const char *)p + 16, want);
	for (i = 4; i < 255; i++)
		want[i] = "/ab"[(i - 4) % 3];
	EXPECT_STREQ((const char *)p + 16 + 256 + 16, want);
	tb_fini(&t);
}

/* Chains that do not end, and pointers to nowhere, are faults. */
TEST(hostile_chains_are_faults)
{
	uint64_t path[5], loop, a, b;
	const uint8_t *p;
	struct tree r;
	struct tb t;
	unsigned i;

	tb_init(&t, 1);
	make_tree(&t, &r);
	a = dv_sim_dentry(t.sim, "a", r.root);
	b = dv_sim_dentry(t.sim, "b", a);
	dv_sim_reparent(t.sim, a, b);
	path[0] = dv_sim_path(t.sim, r.root_mnt, b);
	path[1] = 0;
	path[2] = dv_sim_path(t.sim, r.root_mnt, 0x10);
	path[3] = dv_sim_path(t.sim, 0x1234567890abcdefull, r.passwd);
	a = dv_sim_dentry(t.sim, "/", 0);
	b = dv_sim_mount(t.sim, a, r.root_mnt, r.etc);
	loop = dv_sim_mount(t.sim, a, b, a);	/* and b on it */
	dv_sim_write64(t.sim, b - 0x30 + 8, loop - 0x30);
	dv_sim_write64(t.sim, b - 0x30 + 0x18, a);
	path[4] = dv_sim_path(t.sim, b, a);
	p = trace_paths(&t, path, 5, 256);
	for (i = 0; i < 5; i++) {
		const struct dv_fault_rec *f = (const void *)p;

		EXPECT_EQ(f->epid, DV_EPID_FAULT);
		EXPECT_EQ(f->fault, DV_FAULT_BADADDR);
		p += sizeof(*f);
	}
	tb_fini(&t);
}

/* A guest without what it takes says so. */
TEST(no_files_is_an_illegal_operation)
{
	uint64_t path = 0;
	const struct dv_fault_rec *f;
	struct tb t;

	tb_init(&t, 1);
	dv_sim_task(t.sim, 0, 0, "swapper/0", 0);
	f = (const void *)trace_paths(&t, &path, 1, 256);
	EXPECT_EQ(f->epid, DV_EPID_FAULT);
	EXPECT_EQ(f->fault, DV_FAULT_ILLOP);
	tb_fini(&t);
}

TEST_MAIN()
