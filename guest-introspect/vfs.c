/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vfs.c - what the probe machine must know to name a file (hv/abi/dv_vfs.h).
 *
 * How a mount hangs in the tree has been the same for all kernels that have
 * BTF. Files that are in no directory are named by a function of their file
 * system, which is told by its symbol; one that this kernel does not have is 0
 * and equals no function.
 */
#include "gi_impl.h"

static uint32_t
off(const struct gi_kernel *k, const char *strct, const char *path)
{
	int64_t o = gi_offsetof(k, strct, path);

	return o < 0 || o >= DV_NO_OFF ? DV_NO_OFF : (uint32_t)o;
}

void
gi_vfs_layout(const struct gi_kernel *k, struct dv_vfs *ret)
{
	const uint32_t *p;

	memset(ret, 0, sizeof(*ret));
	ret->path_mnt = off(k, "path", "mnt");
	ret->path_dentry = off(k, "path", "dentry");
	ret->vfsmount_root = off(k, "vfsmount", "mnt_root");
	ret->mount_mnt = off(k, "mount", "mnt");
	ret->mount_parent = off(k, "mount", "mnt_parent");
	ret->mount_mountpoint = off(k, "mount", "mnt_mountpoint");
	ret->dentry_parent = off(k, "dentry", "d_parent");
	ret->dentry_name = off(k, "dentry", "d_name.name");
	ret->dentry_len = off(k, "dentry", "d_name.len");
	ret->dentry_pprev = off(k, "dentry", "d_hash.pprev");
	ret->dentry_op = off(k, "dentry", "d_op");
	ret->op_dname = off(k, "dentry_operations", "d_dname");
	ret->task_fs = off(k, "task_struct", "fs");
	ret->fs_root = off(k, "fs_struct", "root");
	ret->present = 1;
	for (p = &ret->path_mnt; p <= &ret->fs_root; p++)
		if (*p == DV_NO_OFF)
			ret->present = 0;
	ret->dentry_inode = off(k, "dentry", "d_inode");
	ret->inode_ino = off(k, "inode", "i_ino");
	ret->inode_ns = off(k, "inode", "i_private");
	ret->ns_ops = off(k, "ns_common", "ops");
	ret->ns_inum = off(k, "ns_common", "inum");
	ret->nsop_name = off(k, "proc_ns_operations", "name");
	ret->pipefs_dname = gi_addr(k, "pipefs_dname");
	ret->sockfs_dname = gi_addr(k, "sockfs_dname");
	ret->simple_dname = gi_addr(k, "simple_dname");
	ret->ns_dname = gi_addr(k, "ns_dname");
	ret->anon_dname = gi_addr(k, "anon_inodefs_dname");
	ret->pidfs_dname = gi_addr(k, "pidfs_dname");
}
