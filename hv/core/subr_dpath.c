/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subr_dpath.c - the name of a file of the guest, as its kernel would print it.
 *
 * A struct path is a mount and a dentry in it. From there the walk goes up: to
 * the parent; from the root of a mount to what it is mounted on; until it meets
 * the root directory of the current process, or the first mount. So names come
 * last one first, and how long the whole is shows only at the end. They are
 * put down from the end of a buffer of strsize; where that was too short, a
 * second walk puts down what the first bytes are, since a string of D is cut at
 * its end. The guest's other CPUs may rename files meanwhile: then the name may
 * be a mixture, but each byte is put inside the buffer.
 *
 * As in the kernel: " (deleted)" follows a name that is no longer in its
 * directory; what lies outside of the root directory has its full name; what
 * is outside of its own mount is "/"; and pipes, sockets and other files that
 * are in no directory have names that their file system makes up, known here
 * by the function that does it there.
 *
 * Bounds: MAXSTEPS steps and one name of MAXNAME bytes at a time, twice. More
 * is a chain that no kernel makes: an invalid address.
 */
#include "subr_impl.h"

#define MAXSTEPS	1024u
#define MAXNAME		255u		/* NAME_MAX */

struct place { uint64_t mnt, dentry; };

/* Bytes are put before `at`; those outside of [0, cap) are only counted. */
struct tail {
	char *p;
	int64_t at;
	size_t cap;
};

static void
put_before(struct tail *t, const char *s, size_t n)
{
	size_t i;

	t->at -= (int64_t)n;
	for (i = 0; i < n; i++)			/* n <= MAXNAME */
		if (t->at + (int64_t)i >= 0 && t->at + (int64_t)i < (int64_t)t->cap)
			t->p[t->at + (int64_t)i] = s[i];
}

static int
ptr(struct dv_mstate *ms, uint64_t obj, uint32_t off, uint64_t *ret)
{
	return dv_field(ms, obj, off, ret, sizeof(*ret));
}

static int
get_place(struct dv_mstate *ms, uint64_t path, struct place *ret)
{
	const struct dv_vfs *v = &ms->s->lay->vfs;

	return ptr(ms, path, v->path_mnt, &ret->mnt) != 0 ||
	    ptr(ms, path, v->path_dentry, &ret->dentry) != 0 ? -1 : 0;
}

/* The root of a mount. */
static int
get_mount(struct dv_mstate *ms, uint64_t mnt, struct place *ret)
{
	ret->mnt = mnt;
	return ptr(ms, mnt, ms->s->lay->vfs.vfsmount_root, &ret->dentry);
}

/* Where the current process' tree begins; an exiting one has none. */
static int
get_root(struct dv_mstate *ms, struct place *ret)
{
	const struct dv_vfs *v = &ms->s->lay->vfs;
	uint64_t task, fs;

	ret->mnt = ret->dentry = 0;
	if (dv_curthread(ms, &task) != 0 || ptr(ms, task, v->task_fs, &fs) != 0)
		return -1;
	return fs == 0 ? 0 : get_place(ms, fs + v->fs_root, ret);
}

/* The dentry's name into buf[MAXNAME]; its length, or -1. */
static int
get_name(struct dv_mstate *ms, uint64_t dentry, char *buf)
{
	const struct dv_vfs *v = &ms->s->lay->vfs;
	uint64_t name;
	uint32_t len;

	if (ptr(ms, dentry, v->dentry_name, &name) != 0 ||
	    dv_field(ms, dentry, v->dentry_len, &len, sizeof(len)) != 0)
		return -1;
	if (len > MAXNAME) {
		dv_fault(ms, DV_FAULT_BADADDR, dentry);
		return -1;
	}
	if (len > 0 && dv_load(ms, name, buf, len, DV_KERNEL) != 0)
		return -1;
	return (int)len;
}

/* From the root of a mount to where it is mounted. 1: it is the first one. */
static int
leave_mount(struct dv_mstate *ms, struct place *at)
{
	const struct dv_vfs *v = &ms->s->lay->vfs;
	uint64_t mount = at->mnt - v->mount_mnt, up;

	if (ptr(ms, mount, v->mount_parent, &up) != 0)
		return -1;
	if (up == mount)
		return 1;
	if (ptr(ms, mount, v->mount_mountpoint, &at->dentry) != 0)
		return -1;
	at->mnt = up + v->mount_mnt;
	return 0;
}

/* Puts the names from `at` up to the root before t; -1: fault. */
static int
walk_up(struct dv_mstate *ms, struct place at, const struct place *root, struct tail *t)
{
	const struct dv_vfs *v = &ms->s->lay->vfs;
	int64_t end = t->at;
	uint64_t up, top;
	char name[MAXNAME];
	unsigned i;
	int n;

	for (i = 0; at.dentry != root->dentry || at.mnt != root->mnt; i++) {
		if (i >= MAXSTEPS) {
			dv_fault(ms, DV_FAULT_BADADDR, at.dentry);
			return -1;
		}
		if (ptr(ms, at.mnt, v->vfsmount_root, &top) != 0)
			return -1;
		if (at.dentry == top) {
			if ((n = leave_mount(ms, &at)) < 0)
				return -1;
			if (n > 0)
				break;
			continue;
		}
		if (ptr(ms, at.dentry, v->dentry_parent, &up) != 0)
			return -1;
		if (up == at.dentry) {		/* not below its own mount */
			t->at = end;
			break;
		}
		if ((n = get_name(ms, at.dentry, name)) < 0)
			return -1;
		put_before(t, name, (size_t)n);
		put_before(t, "/", 1);
		at.dentry = up;
	}
	if (t->at == end)
		put_before(t, "/", 1);
	return 0;
}

static bool
is_unlinked(struct dv_mstate *ms, uint64_t dentry)
{
	const struct dv_vfs *v = &ms->s->lay->vfs;
	uint64_t pprev, up;

	return ptr(ms, dentry, v->dentry_pprev, &pprev) == 0 && pprev == 0 &&
	    ptr(ms, dentry, v->dentry_parent, &up) == 0 && up != dentry;
}

static size_t
put_number(char *p, uint64_t v)
{
	char digits[20];
	size_t n = 0, i;

	do
		digits[n++] = (char)('0' + v % 10);
	while ((v /= 10) != 0);
	for (i = 0; i < n; i++)
		p[i] = digits[n - 1 - i];
	return n;
}

/* `before`, number, "]" */
static uint64_t
numbered(struct dv_mstate *ms, const char *before, size_t n, uint64_t v)
{
	char buf[64];

	memcpy(buf, before, n);
	n += put_number(buf + n, v);
	buf[n++] = ']';
	return dv_subr_ret(ms, buf, n);
}

/* "net:[4026531840]" */
static uint64_t
namespace_name(struct dv_mstate *ms, uint64_t inode)
{
	const struct dv_vfs *v = &ms->s->lay->vfs;
	uint64_t ns, ops, at;
	uint32_t inum;
	char name[24];
	size_t n;

	if (ptr(ms, inode, v->inode_ns, &ns) != 0 || ptr(ms, ns, v->ns_ops, &ops) != 0 ||
	    dv_field(ms, ns, v->ns_inum, &inum, sizeof(inum)) != 0 ||
	    ptr(ms, ops, v->nsop_name, &at) != 0 ||
	    dv_load_str(ms, at, name, sizeof(name) - 2, DV_KERNEL, &n) != 0)
		return 0;
	name[n++] = ':';
	name[n++] = '[';
	return numbered(ms, name, n, inum);
}

/* `before`, the dentry's name, `after` */
static uint64_t
decorated(struct dv_mstate *ms, const char *before, uint64_t dentry, const char *after)
{
	char buf[MAXNAME + 32];
	size_t n = 0;
	int len;

	while (*before != '\0')
		buf[n++] = *before++;
	if ((len = get_name(ms, dentry, buf + n)) < 0)
		return 0;
	for (n += (size_t)len; *after != '\0'; n++)
		buf[n] = *after++;
	return dv_subr_ret(ms, buf, n);
}

/* A name that the file system makes up by the function at `fn`. */
static uint64_t
made_up(struct dv_mstate *ms, uint64_t fn, uint64_t dentry)
{
	const struct dv_vfs *v = &ms->s->lay->vfs;
	uint64_t inode, ino;

	if (fn == v->simple_dname)
		return decorated(ms, "/", dentry, " (deleted)");
	if (fn == v->anon_dname)
		return decorated(ms, "anon_inode:", dentry, "");
	if (fn == v->pidfs_dname)
		return dv_subr_ret(ms, "anon_inode:[pidfd]", 18);
	if (ptr(ms, dentry, v->dentry_inode, &inode) != 0)
		return 0;
	if (fn == v->ns_dname)
		return namespace_name(ms, inode);
	if (ptr(ms, inode, v->inode_ino, &ino) != 0)
		return 0;
	if (fn == v->pipefs_dname)
		return numbered(ms, "pipe:[", 6, ino);
	if (fn == v->sockfs_dname)
		return numbered(ms, "socket:[", 8, ino);
	/* a driver's own way to name its files is not known from outside */
	return decorated(ms, "/", dentry, "");
}

static uint64_t
name_function(struct dv_mstate *ms, const struct place *at)
{
	const struct dv_vfs *v = &ms->s->lay->vfs;
	uint64_t ops, fn = 0, up, top;

	if (ptr(ms, at->dentry, v->dentry_op, &ops) != 0 || ops == 0 ||
	    ptr(ms, ops, v->op_dname, &fn) != 0 || fn == 0)
		return 0;
	/* the root of a mount has a place in the tree, whatever it is */
	if (ptr(ms, at->dentry, v->dentry_parent, &up) != 0 ||
	    ptr(ms, at->mnt, v->vfsmount_root, &top) != 0)
		return 0;
	return up == at->dentry && top == up ? 0 : fn;
}

uint64_t
dv_sub_d_path(struct dv_mstate *ms)
{
	size_t cap = ms->s->strsize - 1, len;
	struct place at, root;
	struct tail t;
	uint64_t fn, addr = 0, kind = ms->ntup > 1 ? ARG(1) : DV_DPATH_PATH;
	bool gone;
	int pass;

	if (ms->s->lay == NULL || !ms->s->lay->vfs.present)
		return dv_subr_illop(ms);
	if ((kind == DV_DPATH_MOUNT ? get_mount(ms, ARG(0), &at) :
	    get_place(ms, ARG(0), &at)) != 0 ||
	    get_root(ms, &root) != 0)
		return 0;
	if (kind == DV_DPATH_WHOLE)
		root.mnt = root.dentry = 0;
	fn = name_function(ms, &at);
	if (ms->fault != 0)
		return 0;
	if (fn != 0)
		return made_up(ms, fn, at.dentry);
	gone = is_unlinked(ms, at.dentry);
	t.p = dv_subr_new(ms, cap, &addr);
	if (t.p == NULL || ms->fault != 0)
		return 0;
	t.cap = cap;
	for (pass = 0, len = cap; pass < 2; pass++) {
		t.at = (int64_t)len;
		if (gone)
			put_before(&t, " (deleted)", 10);
		if (walk_up(ms, at, &root, &t) != 0)
			return 0;
		if (t.at >= 0)
			break;
		len = (size_t)((int64_t)len - t.at);	/* at its true length, from 0 on */
	}
	if (t.at >= (int64_t)cap)	/* the second walk met another, short name */
		t.p[0] = '\0';
	else if (t.at > 0) {
		len = (len < cap ? len : cap) - (size_t)t.at;
		memmove(t.p, t.p + t.at, len);
		t.p[len] = '\0';
	}
	return addr;
}
