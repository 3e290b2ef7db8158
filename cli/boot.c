/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boot.c - guests that dvisor starts itself.
 *
 * QEMU runs under TCG with our plugin, by default a small machine without
 * display; whatever follows `--` on the command line comes last, so that it
 * wins where QEMU lets later options win. A guest of `dvisor guest` is a
 * session of its own, with its output in a log file beside its socket, and
 * is stopped by name. A --boot guest dies with us (PR_SET_PDEATHSIG), so that
 * a killed command leaves none behind.
 */
#include "boot.h"

#include "chan.h"
#include "kvm_host.h"
#include "msg.h"
#include "paths.h"
#include "run.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/vec.h"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define QEMU		DV_QEMU
#define MIN_MAJOR	9
#define MIN_MINOR	2
#define NAP_NS		20000000u

/* First line of a command's output; false: it could not be run. */
static bool
first_line(const char *cmd, char *buf, size_t n)
{
	FILE *f = popen(cmd, "re");
	bool got;

	if (f == NULL)
		return false;
	got = fgets(buf, (int)n, f) != NULL;
	pclose(f);
	buf[got ? strcspn(buf, "\n") : 0] = '\0';
	return got;
}

static int
check_qemu(struct dv_err *err)
{
	char line[256];
	unsigned major, minor;

	if (!first_line(QEMU " --version 2>/dev/null", line, sizeof(line)) ||
	    sscanf(line, "QEMU emulator version %u.%u", &major, &minor) != 2)
		return dv_err_set(err, DV_E_NOENT,
		    "cannot run " QEMU ". Install package qemu-system-x86 (version %d.%d or later)",
		    MIN_MAJOR, MIN_MINOR);
	if (major < MIN_MAJOR || (major == MIN_MAJOR && minor < MIN_MINOR))
		return dv_err_set(err, DV_E_UNSUP, QEMU " is %u.%u, too old: its plugin interface "
		    "needs %d.%d or later (on Debian 12 from bookworm-backports)", major, minor,
		    MIN_MAJOR, MIN_MINOR);
	/* A QEMU built without plugins rejects the option itself. */
	if (first_line(QEMU " -help 2>/dev/null | grep -e '-plugin'", line, sizeof(line)))
		return 0;
	return dv_err_set(err, DV_E_UNSUP, QEMU " was built without plugins (TCG plugin support)");
}

static int
default_image(const char *file, char *buf, size_t n, struct dv_err *err)
{
	char sub[128];

	snprintf(sub, sizeof(sub), "images/default/%s", file);
	if (!dv_path_cache(buf, n, sub) || access(buf, R_OK) != 0)
		return dv_err_set(err, DV_E_NOENT, "no default guest image: run `make images`, "
		    "or give --kernel and --initrd");
	return 0;
}

static bool
has_arg(const struct dv_boot *b, const char *name)
{
	size_t i;

	for (i = 0; i < b->nqemu_args; i++)
		if (strcmp(b->qemu_args[i], name) == 0)
			return true;
	return false;
}

typedef DV_VEC(const char *) argv_t;

static int
build_argv(const struct dv_boot *b, const char *plugin, const char *kernel, const char *initrd,
	   const char *serial, const char *qmp, argv_t *argv)
{
	const char *const fixed[] = { QEMU, "-accel", "tcg,thread=multi", "-cpu", "max",
	    "-m", "512", "-smp", "2", "-display", "none", "-no-reboot" };
	int rc = 0;
	size_t i;

	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		rc |= dv_vec_push(argv, fixed[i]);
	rc |= dv_vec_push(argv, "-plugin");
	rc |= dv_vec_push(argv, plugin);
	rc |= dv_vec_push(argv, "-kernel");
	rc |= dv_vec_push(argv, kernel);
	if (initrd != NULL) {
		rc |= dv_vec_push(argv, "-initrd");
		rc |= dv_vec_push(argv, initrd);
	}
	rc |= dv_vec_push(argv, "-append");
	/* on a busy host the kernel's test of its timer would fail, and the boot */
	rc |= dv_vec_push(argv, b->append != NULL ? b->append :
	    "console=ttyS0 quiet panic=-1 no_timer_check");
	if (!has_arg(b, "-serial") && !has_arg(b, "-nographic")) {
		rc |= dv_vec_push(argv, "-serial");
		rc |= dv_vec_push(argv, serial);
		rc |= dv_vec_push(argv, "-monitor");
		rc |= dv_vec_push(argv, "none");
	}
	if (*qmp != '\0') {
		rc |= dv_vec_push(argv, "-qmp");
		rc |= dv_vec_push(argv, qmp);
	}
	for (i = 0; i < b->nqemu_args; i++)
		rc |= dv_vec_push(argv, (const char *)b->qemu_args[i]);
	rc |= dv_vec_push(argv, NULL);
	return rc;
}

/* In the child: becomes QEMU. */
static void
become_qemu(const struct dv_boot *b, const char *const *argv, int log, pid_t parent)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	if (b->background)
		setsid();
	else {
		setpgid(0, 0);		/* ^C is for us alone */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(127);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (!b->background && (has_arg(b, "-nographic") || has_arg(b, "stdio") ||
	    has_arg(b, "mon:stdio")))
		null = -1;		/* the user wants the terminal */
	if (null >= 0) {
		dup2(null, 0);
		dup2(log, 1);
	}
	dup2(log, 2);
	execvp(QEMU, (char *const *)argv);
	dprintf(2, "cannot run " QEMU ": %s\n", strerror(errno));
	_exit(127);
}

static void
last_words(int log, char *buf, size_t n)
{
	char text[2048], *line, *save = NULL;
	ssize_t len = pread(log, text, sizeof(text) - 1, 0);

	buf[0] = '\0';
	text[len > 0 ? len : 0] = '\0';
	for (line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save))
		if (strstr(line, "warning:") == NULL || buf[0] == '\0')
			snprintf(buf, n, "%s", line);
}

/* Has a vCPU run? Then QEMU has swallowed its whole command line. */
static bool
has_run(const struct dv_ctl_info *info)
{
	return info->nvcpu > 0 && (info->cpu[0].rip != 0 ||
	    (info->state & (DV_GUEST_HELD | DV_GUEST_KERNEL | DV_GUEST_IDLE)) != 0);
}

/*
 * The plugin's socket is there before QEMU has read the kernel and made its
 * devices, so an answer alone does not say that QEMU will stay. A machine that
 * was started without running (-S) is believed after 2 s.
 */
static int
wait_for_socket(const struct dv_booted *g, int log, struct dv_err *err)
{
	char why[512];
	struct dv_ctl_info info;
	struct dv_chan *chan = NULL;
	int i, status, answers = 0;

	for (i = 0; i < 500; i++) {		/* 10 s */
		if (waitpid(g->pid, &status, WNOHANG) == g->pid) {
			dv_chan_close(chan);
			last_words(log, why, sizeof(why));
			return dv_err_set(err, DV_E_GUEST, "QEMU ended at its start: %s",
			    why[0] != '\0' ? why : "it said nothing");
		}
		if (dv_run_interrupted()) {
			dv_chan_close(chan);
			return dv_err_set(err, DV_E_GUEST, "interrupted while QEMU was starting");
		}
		if (chan != NULL && dv_chan_info(chan, &info, err) != 0) {
			dv_chan_close(chan);
			chan = NULL;
		} else if (chan != NULL && (has_run(&info) || ++answers > 100)) {
			dv_chan_close(chan);
			return 0;
		}
		if (chan == NULL && access(g->sock, F_OK) == 0 &&
		    chan_tcg_open(g->sock, err, &chan) != 0)
			chan = NULL;
		dv_clock_nap(NAP_NS);
	}
	dv_chan_close(chan);
	return dv_err_set(err, DV_E_GUEST,
	    "QEMU runs, but its dvisor socket %s did not come up", g->sock);
}

/* A bzImage has "HdrS" in its boot header; ELF kernels boot by PVH. */
static int
check_kernel(const char *path, struct dv_err *err)
{
	unsigned char head[0x206] = { 0 };
	FILE *f = fopen(path, "re");
	size_t n;

	if (f == NULL)
		return dv_err_set(err, DV_E_NOENT, "cannot read kernel image %s: %s", path,
		    strerror(errno));
	n = fread(head, 1, sizeof(head), f);
	if (ferror(f)) {
		dv_err_set(err, DV_E_IO, "cannot read kernel image %s: %s", path, strerror(errno));
		fclose(f);
		return DV_E_IO;
	}
	fclose(f);
	if ((n == sizeof(head) && memcmp(head + 0x202, "HdrS", 4) == 0) ||
	    (n > 4 && memcmp(head, "\177ELF", 4) == 0))
		return 0;
	return dv_err_set(err, DV_E_FORMAT,
	    "%s is no Linux kernel image: it has no boot header", path);
}

/* Log and console of a guest by name. */
static void
remove_files(const char *name)
{
	static const char *const suffix[] = { "log", "serial", "qmp" };
	char file[80], path[512];
	size_t i;

	for (i = 0; i < sizeof(suffix) / sizeof(suffix[0]); i++) {
		snprintf(file, sizeof(file), "%.60s.%s", name, suffix[i]);
		if (dv_path_run(path, sizeof(path), file))
			unlink(path);
	}
}

int
dv_boot_start(const struct dv_boot *b, struct dv_err *err, struct dv_booted *ret)
{
	char kernel[4096], initrd[4096], plugin[4400], lib[4096], serial[600], qmp[600] = "";
	char sockfile[80], file[512];
	argv_t argv = { 0 };
	int log, rc;
	pid_t parent = getpid();

	memset(ret, 0, sizeof(*ret));
	if (b->name != NULL)
		snprintf(ret->name, sizeof(ret->name), "%s", b->name);
	else
		snprintf(ret->name, sizeof(ret->name), "boot-%d", (int)parent);
	if (!dv_guest_name_ok(ret->name))
		return dv_err_set(err, DV_E_USAGE, "\"%s\" cannot be a guest's name: use letters, "
		    "digits, - _ and ., at most %d", ret->name, DV_GUEST_NAME_MAX);
	if ((rc = check_qemu(err)) != 0)
		return rc;
	snprintf(kernel, sizeof(kernel), "%s", b->kernel != NULL ? b->kernel : "");
	snprintf(initrd, sizeof(initrd), "%s", b->initrd != NULL ? b->initrd : "");
	if (b->kernel == NULL &&
	    ((rc = default_image("vmlinuz", kernel, sizeof(kernel), err)) != 0 ||
	    (b->initrd == NULL &&
	    (rc = default_image("initrd.img", initrd, sizeof(initrd), err)) != 0)))
		return rc;
	if ((rc = check_kernel(kernel, err)) != 0)
		return rc;
	if (initrd[0] != '\0' && access(initrd, R_OK) != 0)
		return dv_err_set(err, DV_E_NOENT, "cannot read initrd %s: %s", initrd,
		    strerror(errno));
	if (!dv_path_plugin(lib, sizeof(lib)) || access(lib, R_OK) != 0)
		return dv_err_set(err, DV_E_NOENT,
		    "cannot find the QEMU plugin %s: build it with `make`", lib);
	snprintf(sockfile, sizeof(sockfile), "%s.sock", ret->name);
	if (!dv_path_run(ret->sock, sizeof(ret->sock), sockfile))
		return dv_err_set(err, DV_E_IO,
		    "no folder for control sockets: set XDG_RUNTIME_DIR");
	if (access(ret->sock, F_OK) == 0) {
		struct dv_chan *chan;

		if (chan_tcg_open(ret->sock, err, &chan) == 0) {
			dv_chan_close(chan);
			return dv_err_set(err, DV_E_BUSY,
			    "a guest named \"%s\" is already running", ret->name);
		}
	}
	snprintf(plugin, sizeof(plugin), "%s,name=%s%s", lib, ret->name, b->hold ? ",hold=on" : "");
	snprintf(sockfile, sizeof(sockfile), "%s.serial", ret->name);
	if (b->background && dv_path_run(file, sizeof(file), sockfile))
		snprintf(serial, sizeof(serial), "unix:%s,server=on,wait=off", file);
	else
		snprintf(serial, sizeof(serial), "null");
	snprintf(sockfile, sizeof(sockfile), "%s.qmp", ret->name);
	if (b->background && dv_path_run(file, sizeof(file), sockfile))
		snprintf(qmp, sizeof(qmp), "unix:%s,server=on,wait=off", file);
	snprintf(sockfile, sizeof(sockfile), "%s.log", ret->name);
	if (!dv_path_run(file, sizeof(file), sockfile) ||
	    (log = open(file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) < 0)
		return dv_err_set(err, DV_E_IO, "cannot open QEMU's log %s: %s", file,
		    strerror(errno));
	if (!b->background)
		unlink(file);
	if (build_argv(b, plugin, kernel, initrd[0] != '\0' ? initrd : NULL, serial, qmp,
	    &argv) != 0) {
		rc = dv_err_nomem(err);
		goto out;
	}
	if ((ret->pid = fork()) < 0) {
		rc = dv_err_set(err, DV_E_IO, "cannot start QEMU: %s", strerror(errno));
		goto out;
	}
	if (ret->pid == 0)
		become_qemu(b, argv.v, log, parent);
	if ((rc = wait_for_socket(ret, log, err)) != 0)
		dv_boot_stop(ret);
out:
	close(log);
	dv_vec_fini(&argv);
	if (rc != 0)
		remove_files(ret->name);
	return rc;
}

void
dv_boot_stop(const struct dv_booted *g)
{
	int i, status;

	if (g->pid <= 0)
		return;
	kill(g->pid, SIGTERM);
	for (i = 0; i < 250; i++) {
		pid_t p = waitpid(g->pid, &status, WNOHANG);

		if (p == g->pid || (p < 0 && kill(g->pid, 0) != 0))
			break;
		dv_clock_nap(NAP_NS);
	}
	if (i == 250) {
		kill(g->pid, SIGKILL);
		waitpid(g->pid, &status, 0);
	}
	unlink(g->sock);
}

/* ---- dvisor guest ------------------------------------------------------- */

/* Connects to a guest by name; *path: of its socket. 0, or an exit status. */
static int
guest_open(const char *name, char *path, size_t n, struct dv_chan **ret)
{
	char file[80];
	struct dv_err err;
	int rc;

	snprintf(file, sizeof(file), "%.60s.sock", name);
	if (!dv_guest_name_ok(name) || !dv_path_run(path, n, file) || access(path, F_OK) != 0) {
		dv_msg("no guest named \"%s\" is running", name);
		return 1;
	}
	if ((rc = chan_tcg_open(path, &err, ret)) == DV_E_NOENT) {
		/* A QEMU that was killed left its socket. */
		unlink(path);
		remove_files(name);
		dv_msg("no guest named \"%s\" is running; what it left behind is gone", name);
		return 1;
	}
	return rc != 0 ? dv_msg_err(&err) : 0;
}

static int
guest_stop(const char *name)
{
	char path[512];
	struct dv_booted g = { 0 };
	struct dv_ctl_info info;
	struct dv_chan *chan;
	struct dv_err err;
	int rc;

	if ((rc = guest_open(name, path, sizeof(path), &chan)) != 0)
		return rc;
	rc = dv_chan_info(chan, &info, &err);
	dv_chan_close(chan);
	if (rc != 0)
		return dv_msg_err(&err);
	g.pid = (pid_t)info.qemu_pid;
	snprintf(g.sock, sizeof(g.sock), "%.255s", path);
	dv_boot_stop(&g);
	remove_files(name);
	return 0;
}

/* One that a probe, or somebody else, has paused. */
static int
guest_resume(const char *name)
{
	struct dv_chan *chan;
	struct dv_err err;
	char path[512];
	int rc;

	if ((rc = guest_open(name, path, sizeof(path), &chan)) != 0)
		return rc;
	if ((rc = dv_chan_cont(chan, &err)) != 0)
		dv_err_prefix(&err, "cannot resume guest \"%s\"", name);
	dv_chan_close(chan);
	return rc != 0 ? dv_msg_err(&err) : 0;
}

/* guest, guest2, guest3, ... */
static bool
free_name(char *buf, size_t n)
{
	char file[80], path[512];
	int i;

	for (i = 1; i < 1000; i++) {
		struct dv_chan *chan;
		struct dv_err err;

		if (i == 1)
			snprintf(buf, n, "guest");
		else
			snprintf(buf, n, "guest%d", i);
		snprintf(file, sizeof(file), "%.40s.sock", buf);
		if (!dv_path_run(path, sizeof(path), file))
			return true;	/* dv_boot_start says what is wrong */
		if (access(path, F_OK) != 0)
			return true;
		if (chan_tcg_open(path, &err, &chan) == 0)
			dv_chan_close(chan);
		else if (err.code == DV_E_NOENT)
			return true;	/* left behind by a QEMU that was killed */
	}
	return false;
}

int
dv_guest_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "name", required_argument, NULL, 'N' },
		{ "kernel", required_argument, NULL, 'k' },
		{ "initrd", required_argument, NULL, 'i' },
		{ "append", required_argument, NULL, 'a' },
		{ "stop", required_argument, NULL, 's' },
		{ "resume", required_argument, NULL, 'r' },
		{ "hold", no_argument, NULL, 'H' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	struct dv_boot b = { .background = true };
	struct dv_booted g;
	struct dv_err err;
	char name[64];
	int c;

	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, "+:", options, NULL)) != -1)
		switch (c) {
		case 'N':
			b.name = optarg;
			break;
		case 'k':
			b.kernel = optarg;
			break;
		case 'i':
			b.initrd = optarg;
			break;
		case 'a':
			b.append = optarg;
			break;
		case 's':
			return guest_stop(optarg);
		case 'r':
			return guest_resume(optarg);
		case 'H':
			b.hold = true;
			break;
		case 'h':
			puts("usage: dvisor guest [--name NAME] [--kernel K] [--initrd I] "
			    "[--append S] [--hold] [-- QEMU ARGS]\n"
			    "       dvisor guest --stop NAME\n"
			    "       dvisor guest --resume NAME");
			return 0;
		default:
			dv_msg(c == ':' ? "option %s needs an argument" :
			    "unknown option %s. Try: dvisor guest --help", argv[optind - 1]);
			return 2;
		}
	if (optind < argc && strcmp(argv[optind - 1], "--") != 0) {
		dv_msg("unexpected argument \"%s\": QEMU's arguments go after --", argv[optind]);
		return 2;
	}
	b.qemu_args = argv + optind;
	b.nqemu_args = (size_t)(argc - optind);
	if (b.name == NULL && free_name(name, sizeof(name)))
		b.name = name;
	if (dv_boot_start(&b, &err, &g) != 0)
		return dv_msg_err(&err);
	printf("%s\n", g.name);
	return 0;
}

/* ---- dvisor doctor ------------------------------------------------------ */

static void
report(const char *what, bool ok, const char *how)
{
	printf("%-32s %s%s%s\n", what, ok ? "ok" : "missing", ok ? "" : ": ", ok ? "" : how);
}

int
dv_doctor_main(int argc, char **argv)
{
	char buf[4096];
	struct dv_err err;
	bool qemu, plugin, image, run;

	(void)argv;
	if (argc > 1) {
		dv_msg("doctor takes no arguments");
		return 2;
	}
	qemu = check_qemu(&err) == 0;
	report("QEMU with plugins", qemu, err.text);
	plugin = dv_path_plugin(buf, sizeof(buf)) && access(buf, R_OK) == 0;
	report("dvisor's QEMU plugin", plugin, "build it with `make`");
	image = default_image("vmlinuz", buf, sizeof(buf), &err) == 0;
	report("default guest image", image, "make it with `make images`");
	run = dv_path_run(buf, sizeof(buf), "") && access(buf, W_OK) == 0;
	report("folder for control sockets", run, "run as root, or set XDG_RUNTIME_DIR");
	if (access("/dev/kvm", F_OK) == 0)
		report("kernel module, for guests of KVM", kvm_module_check("", &err) == 0,
		    err.text);
	report("D library", dv_path_lib(buf, sizeof(buf)) && access(buf, R_OK) == 0,
	    "run `make install`");
	return qemu && plugin && image && run ? 0 : 1;
}
