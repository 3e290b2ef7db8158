/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dv_vfs.h - what the machine must know of a guest to name a file, for d_path().
 *
 * Offsets into the guest's structures, from its BTF; the part of struct
 * dv_layout that guest-introspect/vfs.c makes.
 */
#ifndef DV_VFS_H
#define DV_VFS_H
#include "dv_types.h"

struct dv_vfs {
	uint32_t present;		/* 0: this guest lacks one of the first group */
	/* struct path, struct mount (its struct vfsmount is inside) */
	uint32_t path_mnt, path_dentry;
	uint32_t vfsmount_root;		/* struct dentry * */
	uint32_t mount_mnt;		/* of the struct vfsmount */
	uint32_t mount_parent;		/* struct mount * */
	uint32_t mount_mountpoint;	/* struct dentry * */
	/* struct dentry */
	uint32_t dentry_parent;
	uint32_t dentry_name;		/* const unsigned char * */
	uint32_t dentry_len;		/* u32 */
	uint32_t dentry_pprev;		/* of its hash chain; NULL: unhashed */
	uint32_t dentry_op;		/* const struct dentry_operations * */
	uint32_t op_dname;		/* function pointer */
	uint32_t task_fs;		/* struct fs_struct * */
	uint32_t fs_root;		/* struct path */

	/* for names that a file system makes up; DV_NO_OFF if not there */
	uint32_t dentry_inode;		/* struct inode * */
	uint32_t inode_ino;		/* unsigned long */
	uint32_t inode_ns;		/* struct ns_common *, of a namespace's file */
	uint32_t ns_ops;		/* const struct proc_ns_operations * */
	uint32_t ns_inum;		/* unsigned int */
	uint32_t nsop_name;		/* const char * */
	uint32_t pad;
	/* what d_dname may be: addresses, or 0 */
	uint64_t pipefs_dname, sockfs_dname, simple_dname, ns_dname, anon_dname, pidfs_dname;
};

#endif
