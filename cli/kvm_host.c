/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kvm_host.c - finds VMs of KVM, and says why they cannot be traced.
 *
 * A process that runs a VM has a file descriptor of it, which /proc shows as
 * "anon_inode:kvm-vm", whatever the program's name is. Whether the kernel module is
 * loaded is what its device says. If there is none, the reason is looked for in the
 * order in which somebody would have to act: is it built for this kernel, would
 * this kernel load it, is it just not loaded.
 */
#include "kvm_host.h"

#include "abi/dv_kvm.h"
#include "paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#define MAX_DEP		(16u << 20)	/* of modules.dep */
#define SEE		"see docs/carriers/kvm.md"

int
kvm_vm_fd(const char *root, pid_t pid, unsigned *nvcpu, struct dv_err *err)
{
	static const char vcpu[] = "anon_inode:kvm-vcpu:";
	unsigned nvm = 0, n = 0;
	char path[4096], target[64];
	struct dirent *e;
	int fd = -1, dir;
	ssize_t len;
	DIR *d;

	snprintf(path, sizeof(path), "%s/proc/%d/fd", root, (int)pid);
	if ((d = opendir(path)) == NULL) {
		if (errno == EACCES || errno == EPERM)
			return dv_err_set(err, DV_E_PERM,
			    "no permission to look into process %d: be root", (int)pid);
		return dv_err_set(err, DV_E_NOENT, "there is no process %d", (int)pid);
	}
	dir = dirfd(d);
	while ((e = readdir(d)) != NULL) {
		if ((len = readlinkat(dir, e->d_name, target, sizeof(target) - 1)) < 0) {
			/* the folder may be open to more than its links are */
			if (errno == EACCES || errno == EPERM) {
				closedir(d);
				return dv_err_set(err, DV_E_PERM, "no permission to look into "
				    "process %d: be root", (int)pid);
			}
			continue;
		}
		target[len] = '\0';
		if (strcmp(target, "anon_inode:kvm-vm") == 0) {
			nvm++;
			fd = atoi(e->d_name);
		}
		n += strncmp(target, vcpu, sizeof(vcpu) - 1) == 0;
	}
	closedir(d);
	if (nvcpu != NULL)
		*nvcpu = n;
	if (nvm == 0)
		return dv_err_set(err, DV_E_NOENT, "process %d runs no VM under KVM", (int)pid);
	if (nvm > 1)
		return dv_err_set(err, DV_E_UNSUP, "process %d runs %u VMs, which cannot be "
		    "told apart", (int)pid, nvm);
	return fd;
}

/* The installed module of this kernel, below root; false: none. */
static bool
module_find(const char *root, const char *release, char *path, size_t n)
{
	struct dv_err ignored;
	char *dep, *p, *end;
	bool found = false;
	size_t len;

	snprintf(path, n, "%s/lib/modules/%s/modules.dep", root, release);
	if (dv_file_read(path, MAX_DEP, &ignored, &dep, &len) != 0)
		return false;
	for (p = dep; !found && p != NULL && *p != '\0'; p = end != NULL ? end + 1 : NULL) {
		char *colon, *base;

		if ((end = strchr(p, '\n')) != NULL)
			*end = '\0';
		if ((colon = strchr(p, ':')) == NULL)
			continue;
		*colon = '\0';
		base = strrchr(p, '/');
		if (strncmp(base != NULL ? base + 1 : p, "dvisor.ko", 9) != 0)
			continue;
		found = (size_t)snprintf(path, n, "%s/lib/modules/%s/%s", root, release, p) < n;
	}
	free(dep);
	return found;
}

/* Does a file of /sys begin with, or hold, this text? */
static bool
sys_says(const char *root, const char *file, const char *what)
{
	char path[4096], text[256];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "%s/sys/%s", root, file);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return false;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	return strstr(text, what) != NULL;
}

/* Why this kernel loads signed modules only, or NULL: it loads any. */
static const char *
signed_only(const char *root)
{
	if (sys_says(root, "kernel/security/lockdown", "[integrity]") ||
	    sys_says(root, "kernel/security/lockdown", "[confidentiality]"))
		return "it is locked down, as with Secure Boot";
	if (sys_says(root, "module/module/parameters/sig_enforce", "Y"))
		return "module.sig_enforce is set";
	return NULL;
}

/* 1: a signature is at its end; 0: none; -1: compressed, or not readable. */
static int
is_signed(const char *path)
{
	static const char mark[] = "~Module signature appended~\n";
	char tail[sizeof(mark) - 1];
	size_t len = strlen(path);
	int fd, rc = -1;
	off_t end;

	if (len < 3 || strcmp(path + len - 3, ".ko") != 0 ||
	    (fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return -1;
	if ((end = lseek(fd, 0, SEEK_END)) < (off_t)sizeof(tail))
		rc = 0;
	else if (pread(fd, tail, sizeof(tail), end - (off_t)sizeof(tail)) == (ssize_t)sizeof(tail))
		rc = memcmp(tail, mark, sizeof(tail)) == 0;
	close(fd);
	return rc;
}

static int
not_loaded(const char *root, struct dv_err *err)
{
	char path[4096], load[4352];
	const char *enforced = signed_only(root);
	struct utsname u;
	int has;

	if (uname(&u) != 0)
		return dv_err_set(err, DV_E_IO, "uname: %s", strerror(errno));
	/* one that lies beside the command that is run is meant */
	if (*root == '\0' && dv_path_module(path, sizeof(path)) && access(path, R_OK) == 0)
		snprintf(load, sizeof(load), "insmod %s", path);
	else if (module_find(root, u.release, path, sizeof(path)))
		snprintf(load, sizeof(load), "modprobe dvisor");
	else
		return dv_err_set(err, DV_E_NOENT, "the kernel module is not installed for kernel "
		    "%s: %s", u.release, SEE);
	has = is_signed(path);
	if (enforced != NULL && has == 0)
		return dv_err_set(err, DV_E_PERM, "the kernel module %s is not signed, and this "
		    "kernel loads signed ones only (%s): %s", path + strlen(root), enforced, SEE);
	return dv_err_set(err, DV_E_NOENT, "the kernel module is not loaded: %s%s", load,
	    enforced != NULL ? " (its signature must be one that this kernel trusts)" : "");
}

int
kvm_device_open(const char *root, struct dv_err *err)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s%s", root, DV_KVM_DEVICE);
	if ((fd = open(path, O_RDWR | O_CLOEXEC)) >= 0)
		return fd;
	if (errno == EACCES || errno == EPERM)
		return dv_err_set(err, DV_E_PERM, "no permission to open %s: be root, or in the "
		    "group that it belongs to", DV_KVM_DEVICE);
	if (errno != ENOENT && errno != ENXIO && errno != ENODEV)
		return dv_err_set(err, DV_E_IO, "cannot open %s: %s", DV_KVM_DEVICE,
		    strerror(errno));
	snprintf(path, sizeof(path), "%s/sys/module/dvisor", root);
	if (access(path, F_OK) == 0)
		return dv_err_set(err, DV_E_NOENT, "the kernel module is loaded, but there is no "
		    "%s here, as in a container", DV_KVM_DEVICE);
	return not_loaded(root, err);
}

int
kvm_module_check(const char *root, struct dv_err *err)
{
	struct dv_kvm_attach a = { .version = DV_CTL_VERSION, .vm_fd = -1 };
	int fd = kvm_device_open(root, err), rc = 0;

	if (fd < 0)
		return fd;
	/* binds nothing: there is no such VM */
	if (ioctl(fd, DV_KVM_ATTACH, &a) != 0 && errno == EPROTO)
		rc = dv_err_set(err, DV_E_UNSUP, "the kernel module that is loaded speaks version "
		    "%u of the protocol, this command version %u: load the one of this version",
		    a.version, DV_CTL_VERSION);
	else if (errno == ENOTTY)
		rc = dv_err_set(err, DV_E_UNSUP, "%s is not the device of dvisor's kernel module",
		    DV_KVM_DEVICE);
	close(fd);
	return rc;
}
