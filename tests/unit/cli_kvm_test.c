/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cli_kvm_test.c - the kvm carrier's channel, with a /proc, /sys, /dev and /lib made
 * up below a folder, and a device whose ioctl() is ours.
 *
 * The VM is this very process: it has an open file where the made-up /proc says
 * that its VM is, so that the copy is made by the real pidfd_getfd(2).
 */
#include "cli/chan.h"
#include "cli/kvm_host.h"
#include "abi/dv_kvm.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- the device ---------------------------------------------------------- */

static struct {
	uint32_t version;		/* the module's */
	int attach_errno;		/* fails with this */
	const char *why;
	int vm_fd;			/* as attached */
	/* answers of calls */
	int call_errno, eintrs;
	uint16_t status;
	const char *text;		/* of a failed one */
	uint32_t answer_len;		/* if not 0, what the header says */
	unsigned calls[32];		/* by type */
	uint64_t shared_len;
	struct dv_snap snap;
	bool unloaded;			/* by itself, for our silence */
} dev;

static int
dev_attach(struct dv_kvm_attach *a)
{
	if (a->version != dev.version) {
		a->version = dev.version;
		errno = EPROTO;
		return -1;
	}
	if (dev.attach_errno == 0 && a->vm_fd >= 0) {
		struct stat want, got;

		EXPECT_EQ(fstat(a->vm_fd, &got), 0);
		EXPECT_EQ(fstat(dev.vm_fd, &want), 0);
		EXPECT_EQ(got.st_ino, want.st_ino);
		EXPECT(a->vm_fd != dev.vm_fd);
		return 0;
	}
	snprintf(a->why, sizeof(a->why), "%s", dev.why != NULL ? dev.why : "");
	errno = dev.attach_errno != 0 ? dev.attach_errno : EBADF;
	return -1;
}

static int
dev_call(struct dv_kvm_call *c)
{
	union {
		struct dv_ctl_info info;
		struct dv_ctl_loaded loaded;
		struct dv_snap snap;
		struct dv_status status;
		struct dv_ctl_pong pong;
		uint8_t bytes[DV_CTL_MAXREAD];
	} *a = (void *)(uintptr_t)c->answer;
	uint32_t len = 0;

	EXPECT(c->hdr.magic == DV_CTL_MAGIC && c->pad == 0 && c->hdr.type < 32);
	if (dev.eintrs > 0) {
		dev.eintrs--;
		errno = EINTR;
		return -1;
	}
	if (dev.call_errno != 0) {
		errno = dev.call_errno;
		return -1;
	}
	__atomic_add_fetch(&dev.calls[c->hdr.type], 1, __ATOMIC_SEQ_CST);
	c->hdr.status = dev.status;
	if (dev.status == 0 && dev.unloaded && c->hdr.type == DV_CTL_STATUS) {
		c->hdr.status = DV_CTL_EREFUSED;
		c->hdr.len = (uint32_t)strlen("no program is loaded");
		memcpy(a, "no program is loaded", c->hdr.len);
		return 0;
	}
	if (dev.status != 0) {
		len = (uint32_t)strlen(dev.text);
		if (len > c->answer_room)
			len = c->answer_room;
		memcpy(a, dev.text, len);
		c->hdr.len = len;
		return 0;
	}
	switch (c->hdr.type) {
	case DV_CTL_INFO:
		len = sizeof(a->info);
		EXPECT(len <= c->answer_room);
		memset(a, 0, len);
		a->info.version = DV_CTL_VERSION;
		a->info.carrier = DV_CARRIER_KVM;
		a->info.state = DV_GUEST_KERNEL;
		a->info.generation = 7;
		break;
	case DV_CTL_READ: {
		const struct dv_ctl_read *r = (void *)(uintptr_t)c->body;

		EXPECT_EQ(c->hdr.len, sizeof(*r));
		len = (uint32_t)r->len;
		EXPECT(len <= c->answer_room);
		memset(a, (int)(r->gpa >> 20) + 1, len);
		break;
	}
	case DV_CTL_LOAD:
		len = sizeof(a->loaded);
		a->loaded = (struct dv_ctl_loaded){ dev.shared_len, 2, 0 };
		break;
	case DV_CTL_SNAP:
		len = sizeof(a->snap);
		a->snap = dev.snap;
		break;
	case DV_CTL_STATUS:
		len = sizeof(a->status);
		memset(a, 0, len);
		break;
	case DV_CTL_PING:
		len = sizeof(a->pong);
		a->pong = (struct dv_ctl_pong){ DV_GUEST_PAUSED, 0, 8 };
		break;
	}
	EXPECT(len <= c->answer_room);
	c->hdr.len = dev.answer_len != 0 ? dev.answer_len : len;
	return 0;
}

/* Of the program under test, too: it comes before the C library's. */
int
ioctl(int fd, unsigned long req, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, req);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (fcntl(fd, F_GETFD) < 0) {
		errno = EBADF;
		return -1;
	}
	if (req == DV_KVM_ATTACH)
		return dev_attach(arg);
	if (req == DV_KVM_CALL)
		return dev_call(arg);
	errno = ENOTTY;
	return -1;
}

/* ---- the made-up host ---------------------------------------------------- */

static char root[64];
static struct utsname host;

static void
file_put(const char *path, const char *text, size_t len)
{
	char full[512], *p;
	int fd;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (p = strchr(full + 1, '/'); p != NULL; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	EXPECT(fd >= 0);
	EXPECT_EQ(write(fd, text, len), len);
	close(fd);
}

static void
put(const char *path, const char *text)
{
	file_put(path, text, strlen(text));
}

static void
fd_put(int pid, int fd, const char *target)
{
	char path[512];

	snprintf(path, sizeof(path), "/proc/%d/fd/x", pid);
	put(path, "");
	snprintf(path, sizeof(path), "%s/proc/%d/fd/%d", root, pid, fd);
	unlink(path);
	EXPECT_EQ(symlink(target, path), 0);
}

static void
module_file(const char *path)			/* below /lib/modules/RELEASE */
{
	char dep[512];

	snprintf(dep, sizeof(dep), "/lib/modules/%s/modules.dep", host.release);
	{
		char text[512];

		snprintf(text, sizeof(text), "kernel/fs/dvisor.kov/x.ko:\n%s: kernel/kvm.ko\n",
		    path);
		put(dep, text);
	}
}

static void
begin(void)
{
	memset(&dev, 0, sizeof(dev));
	dev.version = DV_CTL_VERSION;
	dev.shared_len = 4096;
	strcpy(root, "/tmp/dvkvm.XXXXXX");
	EXPECT(mkdtemp(root) != NULL);
	uname(&host);
	put("/proc/1/fd/x", "");
}

static void
end(void)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", root);
	EXPECT_EQ(system(cmd), 0);
}

/* A VM in this process. */
static void
vm_put(void)
{
	dev.vm_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	fd_put(getpid(), dev.vm_fd, "anon_inode:kvm-vm");
	put("/dev/dvisor", "............................................................");
}

/* ---- which processes are VMs --------------------------------------------- */

TEST(a_process_is_a_vm_by_what_it_has_open)
{
	struct dv_err err;
	unsigned n = 9;

	begin();
	fd_put(77, 0, "/dev/null");
	fd_put(77, 11, "anon_inode:kvm-vm");
	fd_put(77, 12, "anon_inode:kvm-vcpu:0");
	fd_put(77, 13, "anon_inode:kvm-vcpu:1");
	fd_put(77, 14, "anon_inode:kvm-vcpu-stats:1");
	EXPECT_EQ(kvm_vm_fd(root, 77, &n, &err), 11);
	EXPECT_EQ(n, 2);
	fd_put(78, 3, "anon_inode:kvm-vmx");
	fd_put(78, 4, "/tmp/anon_inode:kvm-vm");
	EXPECT_EQ(kvm_vm_fd(root, 78, &n, &err), DV_E_NOENT);
	EXPECT_STREQ(err.text, "process 78 runs no VM under KVM");
	EXPECT_EQ(kvm_vm_fd(root, 79, NULL, &err), DV_E_NOENT);
	EXPECT_STREQ(err.text, "there is no process 79");
	fd_put(77, 15, "anon_inode:kvm-vm");
	EXPECT_EQ(kvm_vm_fd(root, 77, &n, &err), DV_E_UNSUP);
	EXPECT_STREQ(err.text, "process 77 runs 2 VMs, which cannot be told apart");
	end();
}

TEST(a_process_that_may_not_be_looked_into)
{
	struct dv_err err;
	char path[256];

	if (geteuid() == 0)
		SKIP("root may look into every process");
	begin();
	fd_put(77, 11, "anon_inode:kvm-vm");
	snprintf(path, sizeof(path), "%s/proc/77/fd", root);
	chmod(path, 0);
	EXPECT_EQ(kvm_vm_fd(root, 77, NULL, &err), DV_E_PERM);
	EXPECT_STREQ(err.text, "no permission to look into process 77: be root");
	chmod(path, 0700);
	end();
}

/* ---- why the module is not there ----------------------------------------- */

static void
expect_module(int code, const char *fmt, ...)
{
	char want[512];
	struct dv_err err = { .text = "" };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(want, sizeof(want), fmt, ap);
	va_end(ap);
	EXPECT_EQ(kvm_module_check(root, &err), code);
	EXPECT_STREQ(err.text, want);
}

TEST(why_the_module_is_not_there)
{
	static const char signature[] = "code~Module signature appended~\n";
	char path[512];

	begin();
	expect_module(DV_E_NOENT, "the kernel module is not installed for kernel %s: see "
	    "docs/carriers/kvm.md", host.release);
	module_file("updates/dkms/dvisor.ko");
	snprintf(path, sizeof(path), "/lib/modules/%s/updates/dkms/dvisor.ko", host.release);
	put(path, "code without one");
	expect_module(DV_E_NOENT, "the kernel module is not loaded: modprobe dvisor");
	/* Secure Boot */
	put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	expect_module(DV_E_PERM, "the kernel module %s is not signed, and this kernel loads signed "
	    "ones only (it is locked down, as with Secure Boot): see docs/carriers/kvm.md", path);
	put("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	expect_module(DV_E_NOENT, "the kernel module is not loaded: modprobe dvisor");
	put("/sys/module/module/parameters/sig_enforce", "N\n");
	expect_module(DV_E_NOENT, "the kernel module is not loaded: modprobe dvisor");
	put("/sys/module/module/parameters/sig_enforce", "Y\n");
	expect_module(DV_E_PERM, "the kernel module %s is not signed, and this kernel loads signed "
	    "ones only (module.sig_enforce is set): see docs/carriers/kvm.md", path);
	file_put(path, signature, sizeof(signature) - 1);
	expect_module(DV_E_NOENT, "the kernel module is not loaded: modprobe dvisor "
	    "(its signature must be one that this kernel trusts)");
	/* compressed: nobody knows */
	module_file("extra/dvisor.ko.xz");
	expect_module(DV_E_NOENT, "the kernel module is not loaded: modprobe dvisor "
	    "(its signature must be one that this kernel trusts)");
	/* loaded, but not for us */
	put("/sys/module/dvisor/version", "1\n");
	expect_module(DV_E_NOENT, "the kernel module is loaded, but there is no /dev/dvisor here, "
	    "as in a container");
	put("/dev/dvisor", "");
	expect_module(0, "");
	dev.version = DV_CTL_VERSION + 1;
	expect_module(DV_E_UNSUP, "the kernel module that is loaded speaks version %u of the "
	    "protocol, this command version %u: load the one of this version",
	    DV_CTL_VERSION + 1, DV_CTL_VERSION);
	if (geteuid() != 0) {
		snprintf(path, sizeof(path), "%s/dev/dvisor", root);
		chmod(path, 0);
		expect_module(DV_E_PERM, "no permission to open /dev/dvisor: be root, or in the "
		    "group that it belongs to");
	}
	end();
}

/* ---- the channel --------------------------------------------------------- */

static struct dv_chan *
open_ok(void)
{
	struct dv_chan *c = NULL;
	struct dv_err err = { .text = "" };

	if (chan_kvm_open_at(root, getpid(), "web01", &err, &c) != 0)
		FAIL("%s", err.text);
	return c;
}

static void
expect_no_channel(int code, const char *text)
{
	struct dv_chan *c = NULL;
	struct dv_err err = { .text = "" };

	EXPECT_EQ(chan_kvm_open_at(root, getpid(), "web01", &err, &c), code);
	EXPECT_STREQ(err.text, text);
}

TEST(attaching)
{
	struct dv_chan *c;
	char text[128];

	begin();
	vm_put();
	c = open_ok();
	EXPECT_EQ(c->state, DV_GUEST_KERNEL);
	EXPECT_EQ(c->generation, 7);
	dv_chan_close(c);
	dev.attach_errno = EOPNOTSUPP;
	dev.why = "its memory is encrypted (SEV)";
	expect_no_channel(DV_E_UNSUP, "its memory is encrypted (SEV)");
	dev.attach_errno = ESRCH;
	dev.why = "the VM is ending";
	expect_no_channel(DV_E_GUEST, "the VM is ending");
	dev.attach_errno = ENOMEM;
	dev.why = NULL;
	expect_no_channel(DV_E_NOMEM, strerror(ENOMEM));
	dev.attach_errno = 0;
	dev.call_errno = EINVAL;
	snprintf(text, sizeof(text), "guest \"web01\": %s", strerror(EINVAL));
	expect_no_channel(DV_E_IO, text);
	/* the process has let go of its VM, or never had one */
	dev.call_errno = 0;
	snprintf(text, sizeof(text), "%s/proc/%d/fd/%d", root, getpid(), dev.vm_fd);
	unlink(text);
	snprintf(text, sizeof(text), "process %d runs no VM under KVM", getpid());
	expect_no_channel(DV_E_NOENT, text);
	close(dev.vm_fd);
	end();
}

TEST(requests_and_answers)
{
	static uint8_t big[3 * DV_CTL_MAXREAD / 2];
	struct dv_status st;
	struct dv_chan *c;
	struct dv_err err;
	size_t i;

	begin();
	vm_put();
	c = open_ok();
	/* in pieces */
	EXPECT_EQ(dv_chan_read(c, 0, big, sizeof(big), &err), 0);
	EXPECT_EQ(dev.calls[DV_CTL_READ], 2);
	for (i = 0; i < sizeof(big); i++)
		if (big[i] != i / DV_CTL_MAXREAD + 1)
			FAIL("byte %zu is %u", i, big[i]);
	/* of any length */
	EXPECT_EQ(dv_chan_read(c, 0, big + 1, 1, &err), 0);
	EXPECT_EQ(dv_chan_read(c, 0, big, 511, &err), 0);
	EXPECT_EQ(dv_chan_read(c, 0, big, 513, &err), 0);
	/* signals are no reason */
	dev.eintrs = 3;
	EXPECT_EQ(dv_chan_status(c, &st, &err), 0);
	EXPECT_EQ(dev.eintrs, 0);
	EXPECT_EQ(dv_chan_ping(c, &err), 0);
	EXPECT_EQ(c->state, DV_GUEST_PAUSED);
	EXPECT_EQ(c->generation, 8);
	/* refusals have their text, small answers or large */
	dev.status = DV_CTL_EGUEST;
	dev.text = "guest-physical 0x5 is not RAM";
	EXPECT_EQ(dv_chan_read(c, 5, big, 8, &err), DV_E_GUEST);
	EXPECT_STREQ(err.text, "guest-physical 0x5 is not RAM");
	EXPECT_EQ(dv_chan_read(c, 5, big, 4096, &err), DV_E_GUEST);
	EXPECT_STREQ(err.text, "guest-physical 0x5 is not RAM");
	dev.status = DV_CTL_EREFUSED;
	EXPECT_EQ(dv_chan_cont(c, &err), DV_E_INVAL);
	dev.status = DV_CTL_ENOMEM;
	EXPECT_EQ(dv_chan_stop(c, &err), DV_E_NOMEM);
	dev.status = DV_CTL_OK;
	dev.call_errno = ENOMEM;
	EXPECT_EQ(dv_chan_stop(c, &err), DV_E_NOMEM);
	dev.call_errno = 0;
	EXPECT_EQ(dv_chan_stop(c, &err), 0);
	/* a length that we did not ask for ends it */
	dev.answer_len = 3;
	EXPECT_EQ(dv_chan_status(c, &st, &err), DV_E_IO);
	EXPECT_STREQ(err.text, "guest \"web01\": its answer has the wrong length");
	dev.answer_len = 0;
	EXPECT_EQ(dv_chan_status(c, &st, &err), DV_E_GUEST);
	dv_chan_close(c);
	close(dev.vm_fd);
	end();
}

TEST(buffers_are_a_mapping_of_the_device)
{
	const void *data = NULL;
	struct dv_status st;
	struct dv_snap s;
	struct dv_chan *c;
	struct dv_err err;
	unsigned nvcpu;
	char text[64];

	begin();
	vm_put();
	snprintf(text, sizeof(text), "%.32s", "buffer bytes, seen in the mapping");
	put("/dev/dvisor", text);
	c = open_ok();
	EXPECT_EQ(dv_chan_load(c, "blob", 4, &nvcpu, &err), 0);
	EXPECT_EQ(nvcpu, 2);
	dev.snap = (struct dv_snap){ .off = 7, .len = 5 };
	EXPECT_EQ(dv_chan_snap(c, 0, DV_BUF_PRINCIPAL, &s, &data, &err), 0);
	EXPECT_MEMEQ(data, "bytes", 5);
	/* given up for our silence: said as that */
	dev.unloaded = true;
	EXPECT_EQ(dv_chan_status(c, &st, &err), DV_E_IO);
	EXPECT_STREQ(err.text, "guest \"web01\": it has ended the trace: this command was silent "
	    "for too long");
	dv_chan_close(c);

	dev.unloaded = false;
	c = open_ok();
	EXPECT_EQ(dv_chan_load(c, "blob", 4, &nvcpu, &err), 0);
	dev.snap = (struct dv_snap){ .off = 4000, .len = 97 };
	EXPECT_EQ(dv_chan_snap(c, 0, DV_BUF_PRINCIPAL, &s, &data, &err), DV_E_IO);
	EXPECT_STREQ(err.text, "guest \"web01\": a buffer lies outside of what it shares");
	dv_chan_close(c);

	dev.shared_len = 0;
	c = open_ok();
	EXPECT_EQ(dv_chan_load(c, "blob", 4, &nvcpu, &err), DV_E_IO);
	EXPECT_STREQ(err.text, "guest \"web01\": what it shares cannot be trusted");
	dv_chan_close(c);
	close(dev.vm_fd);
	end();
}

/* A consumer that is held up pings on; the interval is the module's, not tested. */
TEST(a_loaded_program_is_kept_alive)
{
	struct dv_chan *c;
	struct dv_err err;
	unsigned nvcpu;

	begin();
	vm_put();
	c = open_ok();
	EXPECT_EQ(dv_chan_load(c, "blob", 4, &nvcpu, &err), 0);
	while (__atomic_load_n(&dev.calls[DV_CTL_PING], __ATOMIC_SEQ_CST) < 2)
		usleep(1000);
	EXPECT_EQ(dv_chan_unload(c, &err), 0);
	dv_chan_close(c);
	close(dev.vm_fd);
	end();
}

TEST_MAIN()
