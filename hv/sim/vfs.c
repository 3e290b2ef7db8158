/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vfs.c - files of the scripted guest: mounts, dentries and paths.
 *
 * As much of them as d_path() looks at, at offsets of our own. What has no
 * parent is its own; names are where the caller's bytes were copied to.
 */
#include "sim_impl.h"

#include <string.h>

enum {
	PATH_MNT = 8, PATH_DENTRY = 0, PATH_SIZE = 16,
	MOUNT_PARENT = 8, MOUNT_POINT = 0x18, MOUNT_MNT = 0x30, VFSMOUNT_ROOT = 8,
	MOUNT_SIZE = 0x50,
	D_PARENT = 8, D_LEN = 0x14, D_NAME = 0x18, D_PPREV = 0x28, D_OP = 0x30, D_INODE = 0x40,
	DENTRY_SIZE = 0x50, OP_DNAME = 0x20, OP_SIZE = 0x30,
	INODE_INO = 0x10, INODE_NS = 0x18, INODE_SIZE = 0x20,
	NS_OPS = 8, NS_INUM = 0x14, NS_SIZE = 0x18, NSOP_NAME = 8, NSOP_SIZE = 0x10,
	FS_ROOT = 0x20, FS_SIZE = 0x40
};

void
dv_sim_vfs(struct dv_sim *sim)
{
	dv_sim_set_vfs(sim, &(struct dv_vfs){
		.present = 1, .path_mnt = PATH_MNT, .path_dentry = PATH_DENTRY,
		.vfsmount_root = VFSMOUNT_ROOT, .mount_mnt = MOUNT_MNT,
		.mount_parent = MOUNT_PARENT, .mount_mountpoint = MOUNT_POINT,
		.dentry_parent = D_PARENT, .dentry_name = D_NAME, .dentry_len = D_LEN,
		.dentry_pprev = D_PPREV, .dentry_op = D_OP, .op_dname = OP_DNAME,
		.task_fs = DV_SIM_TASK_FS, .fs_root = FS_ROOT, .dentry_inode = D_INODE,
		.inode_ino = INODE_INO, .inode_ns = INODE_NS, .ns_ops = NS_OPS,
		.ns_inum = NS_INUM, .nsop_name = NSOP_NAME,
		.pipefs_dname = DV_SIM_DNAME_PIPE, .sockfs_dname = DV_SIM_DNAME_SOCK,
		.simple_dname = DV_SIM_DNAME_SIMPLE, .ns_dname = DV_SIM_DNAME_NS,
		.anon_dname = DV_SIM_DNAME_ANON, .pidfs_dname = DV_SIM_DNAME_PIDFS,
	});
}

static uint64_t
text(struct dv_sim *sim, const char *s)
{
	uint64_t at = dv_sim_alloc(sim, strlen(s) + 1);

	dv_sim_write(sim, 0, at, s, strlen(s) + 1);
	return at;
}

uint64_t
dv_sim_dentry(struct dv_sim *sim, const char *name, uint64_t parent)
{
	uint64_t d = dv_sim_alloc(sim, DENTRY_SIZE);
	uint32_t len = (uint32_t)strlen(name);

	dv_sim_write64(sim, d + D_PARENT, parent != 0 ? parent : d);
	dv_sim_write64(sim, d + D_NAME, text(sim, name));
	dv_sim_write(sim, 0, d + D_LEN, &len, sizeof(len));
	dv_sim_write64(sim, d + D_PPREV, d);		/* it is hashed */
	return d;
}

void
dv_sim_unlink(struct dv_sim *sim, uint64_t dentry)
{
	dv_sim_write64(sim, dentry + D_PPREV, 0);
}

void
dv_sim_reparent(struct dv_sim *sim, uint64_t dentry, uint64_t parent)
{
	dv_sim_write64(sim, dentry + D_PARENT, parent);
}

uint64_t
dv_sim_made_up(struct dv_sim *sim, const char *name, uint64_t dname, uint64_t ino)
{
	uint64_t d = dv_sim_dentry(sim, name, 0), op = dv_sim_alloc(sim, OP_SIZE);
	uint64_t inode = dv_sim_alloc(sim, INODE_SIZE), ns = dv_sim_alloc(sim, NS_SIZE);
	uint64_t nsop = dv_sim_alloc(sim, NSOP_SIZE);
	uint32_t inum = (uint32_t)ino;

	dv_sim_write64(sim, d + D_OP, op);
	dv_sim_write64(sim, op + OP_DNAME, dname);
	dv_sim_write64(sim, d + D_INODE, inode);
	dv_sim_write64(sim, inode + INODE_INO, ino);
	dv_sim_write64(sim, inode + INODE_NS, ns);
	dv_sim_write64(sim, ns + NS_OPS, nsop);
	dv_sim_write(sim, 0, ns + NS_INUM, &inum, sizeof(inum));
	dv_sim_write64(sim, nsop + NSOP_NAME, text(sim, name));
	return d;
}

uint64_t
dv_sim_mount(struct dv_sim *sim, uint64_t root, uint64_t on_mnt, uint64_t on_dentry)
{
	uint64_t m = dv_sim_alloc(sim, MOUNT_SIZE);

	dv_sim_write64(sim, m + MOUNT_PARENT, on_mnt != 0 ? on_mnt - MOUNT_MNT : m);
	dv_sim_write64(sim, m + MOUNT_POINT, on_dentry != 0 ? on_dentry : root);
	dv_sim_write64(sim, m + MOUNT_MNT + VFSMOUNT_ROOT, root);
	return m + MOUNT_MNT;
}

static void
put_path(struct dv_sim *sim, uint64_t at, uint64_t mnt, uint64_t dentry)
{
	dv_sim_write64(sim, at + PATH_MNT, mnt);
	dv_sim_write64(sim, at + PATH_DENTRY, dentry);
}

uint64_t
dv_sim_path(struct dv_sim *sim, uint64_t mnt, uint64_t dentry)
{
	uint64_t at = dv_sim_alloc(sim, PATH_SIZE);

	put_path(sim, at, mnt, dentry);
	return at;
}

void
dv_sim_chroot(struct dv_sim *sim, uint64_t task, uint64_t mnt, uint64_t dentry)
{
	uint64_t fs = dv_sim_alloc(sim, FS_SIZE);

	put_path(sim, fs + FS_ROOT, mnt, dentry);
	dv_sim_write64(sim, task + DV_SIM_TASK_FS, fs);
}
