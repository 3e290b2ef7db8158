/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files.d - open files: fileinfo_t, and fds[] of the current process.
 *
 * A descriptor that is not open has "<none>" for its names. Names are as
 * d_path() says them; those of pipes and sockets are the kernel's.
 */
typedef struct fileinfo {
	string fi_name;
	string fi_dirname;
	string fi_pathname;
	long fi_offset;
	string fi_fs;
	string fi_mount;
	int fi_oflags;
} fileinfo_t;

translator fileinfo_t < struct file *F > {
	fi_name = F == NULL ? "<none>" : basename(d_path(F));
	fi_dirname = F == NULL ? "<none>" : dirname(d_path(F));
	fi_pathname = F == NULL ? "<none>" : d_path(F);
	fi_offset = F == NULL ? 0 : F->f_pos;
	fi_fs = F == NULL ? "<none>" :
	    stringof((char *)F->f_path.dentry->d_sb->s_type->name);
	fi_mount = F == NULL ? "<none>" : d_path(F->f_path.mnt);
	fi_oflags = F == NULL ? 0 : (int)F->f_flags;
};

#pragma D attributes Stable/Stable/Common fds
inline fileinfo_t fds[int fd] = xlate<fileinfo_t>(
    curthread->files == NULL || fd < 0 || fd >= curthread->files->fdt->max_fds ?
    (struct file *)NULL : curthread->files->fdt->fd[fd]);

inline int O_ACCMODE = 3;
inline int O_RDONLY = 0;
inline int O_WRONLY = 1;
inline int O_RDWR = 2;
inline int O_CREAT = 0x40;
inline int O_EXCL = 0x80;
inline int O_NOCTTY = 0x100;
inline int O_TRUNC = 0x200;
inline int O_APPEND = 0x400;
inline int O_NONBLOCK = 0x800;
inline int O_NDELAY = 0x800;
inline int O_DSYNC = 0x1000;
inline int O_DIRECT = 0x4000;
inline int O_LARGEFILE = 0x8000;
inline int O_DIRECTORY = 0x10000;
inline int O_NOFOLLOW = 0x20000;
inline int O_NOATIME = 0x40000;
inline int O_CLOEXEC = 0x80000;
inline int O_SYNC = 0x101000;
inline int O_RSYNC = 0x101000;
inline int O_PATH = 0x200000;
