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

void
gi_vfs_layout(const struct gi_kernel *k, struct dv_vfs *ret)
{
	const uint32_t *p;

	memset(ret, 0, sizeof(*ret));
	ret->path_mnt = gi_off32(k, "path", "mnt");
	ret->path_dentry = gi_off32(k, "path", "dentry");
	ret->vfsmount_root = gi_off32(k, "vfsmount", "mnt_root");
	ret->mount_mnt = gi_off32(k, "mount", "mnt");
	ret->mount_parent = gi_off32(k, "mount", "mnt_parent");
	ret->mount_mountpoint = gi_off32(k, "mount", "mnt_mountpoint");
	ret->dentry_parent = gi_off32(k, "dentry", "d_parent");
	ret->dentry_name = gi_off32(k, "dentry", "d_name.name");
	ret->dentry_len = gi_off32(k, "dentry", "d_name.len");
	ret->dentry_pprev = gi_off32(k, "dentry", "d_hash.pprev");
	ret->dentry_op = gi_off32(k, "dentry", "d_op");
	ret->op_dname = gi_off32(k, "dentry_operations", "d_dname");
	ret->task_fs = gi_off32(k, "task_struct", "fs");
	ret->fs_root = gi_off32(k, "fs_struct", "root");
	ret->present = 1;
	for (p = &ret->path_mnt; p <= &ret->fs_root; p++)
		if (*p == DV_NO_OFF)
			ret->present = 0;
	ret->dentry_inode = gi_off32(k, "dentry", "d_inode");
	ret->inode_ino = gi_off32(k, "inode", "i_ino");
	ret->inode_ns = gi_off32(k, "inode", "i_private");
	ret->ns_ops = gi_off32(k, "ns_common", "ops");
	ret->ns_inum = gi_off32(k, "ns_common", "inum");
	ret->nsop_name = gi_off32(k, "proc_ns_operations", "name");
	ret->pipefs_dname = gi_addr(k, "pipefs_dname");
	ret->sockfs_dname = gi_addr(k, "sockfs_dname");
	ret->simple_dname = gi_addr(k, "simple_dname");
	ret->ns_dname = gi_addr(k, "ns_dname");
	ret->anon_dname = gi_addr(k, "anon_inodefs_dname");
	ret->pidfs_dname = gi_addr(k, "pidfs_dname");
}
