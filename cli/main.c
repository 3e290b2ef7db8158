/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - dvisor: which VM, which program, which mode.
 *
 * A program of dtrace and tick probes needs no guest: without --vm or --boot it
 * is first compiled against none, and runs that way if it compiles and has no
 * profile-n probe, which fires on the vCPUs of a guest. Otherwise the VM is
 * opened and the program compiled against its kernel. If there is no VM, the
 * message is about the program when the program is wrong in itself (a grammar
 * error), else about the VM.
 */
#include "boot.h"
#include "chan.h"
#include "command.h"
#include "msg.h"
#include "opts.h"
#include "paths.h"
#include "program.h"
#include "run.h"
#include "vm.h"

#include "base/str.h"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOOT_WAIT_NS	60000000000u	/* until a booted guest has a kernel */
#define ATTACH_WAIT_NS	2000000000u

static int
flush_stdout(struct dv_err *err)
{
	if (fflush(stdout) == 0)
		return 0;
	return dv_err_set(err, DV_E_IO, "cannot write output: %s", strerror(errno));
}

/* ---- -l ------------------------------------------------------------------ */

/* A guest's names may hold anything; most do not. `buf` is for those that do. */
static const char *
printable(const char *s, struct dv_str *buf)
{
	const char *p;

	for (p = s; *p > ' ' && *p <= '~'; p++)
		;
	if (*p == '\0')
		return s;
	buf->len = 0;
	dv_str_escape(buf, s, strlen(s));
	return buf->s != NULL ? buf->s : "?";
}

static void
list_line(const struct dv_probe_view *v)
{
	struct dv_str mod, func;

	dv_str_init(&mod);
	dv_str_init(&func);
	printf("%5u %10s %17s %33s %s\n", v->num + 1, v->prov, printable(v->mod, &mod),
	    printable(v->func, &func), v->name);
	dv_str_fini(&mod);
	dv_str_fini(&func);
}

/* With -v: stability and arguments of a probe. */
static int
list_details(struct dv_program *p, const struct dv_probe_view *v, struct dv_err *err)
{
	const char *const names[4] = { v->prov, v->mod, v->func, v->name };
	const struct dc_pdesc d = { "", "", "", "", v->num + 1 };
	struct dc_probeinfo info = { 0 };
	struct dv_str type;
	const char *text;
	uint32_t i;
	int rc;

	if ((rc = p->probes.match(p->probes.arg, &d, &info, err)) != 0)
		return rc;
	dv_attr_print(stdout, "Probe Description Attributes", dc_probe_attr(p->dc, names));
	dv_attr_print(stdout, "Argument Attributes", dc_provider_attr(p->dc, v->prov, DC_A_ARGS));
	printf("\n\tArgument Types\n");
	if (info.nargs == 0)
		printf("\t\tNone\n");
	for (i = 0; i < info.nargs; i++) {
		if ((text = dc_arg_type(p->dc, &info.args[i])) == NULL)
			return dv_err_nomem(err);
		dv_str_init(&type);
		dv_str_escape(&type, text, strlen(text));
		printf("\t\targs[%u]: %s\n", i, type.s != NULL ? type.s : "");
		dv_str_fini(&type);
	}
	putchar('\n');
	return 0;
}

static int
list_probes(struct dv_program *p, const struct dv_opts *o, struct dv_err *err)
{
	dv_probenums_t nums = { 0 };
	struct dv_probe_view v;
	size_t i;
	int rc = 0;

	printf("%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
	if (o->programs.n == 0) {
		const struct dc_pdesc all = { "", "", "", "", 0 };

		rc = dv_probesrc_match(p->ps, &all, &nums, err);
	}
	for (i = 0; rc == 0 && i < p->wanted.n; i++)
		rc = dv_probesrc_match(p->ps, &p->wanted.v[i].desc, &nums, err);
	for (i = 0; rc == 0 && i < nums.n; i++) {
		dv_probesrc_get(p->ps, nums.v[i], &v);
		list_line(&v);
		if (o->verbose)
			rc = list_details(p, &v, err);
	}
	dv_vec_fini(&nums);
	return rc == 0 ? flush_stdout(err) : rc;
}

/* ---- one trace ----------------------------------------------------------- */

static void
put_stderr(void *arg, const char *line)
{
	(void)arg;
	fprintf(stderr, "%s\n", line);
}

static int
compiled(struct dv_program *p, struct dv_vm *vm, const struct dv_opts *o, int *status,
	 struct dv_err *err)
{
	int rc;

	if (o->mode == DV_MODE_LIST)
		return list_probes(p, o, err);
	if (dv_program_wants_listing(p, o))
		dc_disasm(&p->b, put_stderr, NULL);
	if (o->mode == DV_MODE_COMPILE || vm->chan == NULL) {
		dv_program_report(p, o, stdout);
		return flush_stdout(err);
	}
	if ((rc = dv_program_enable(p, o, err)) != 0)
		return rc;
	if (vm->kernel != NULL && (rc = gi_kernel_layout(vm->kernel, err, &p->b.layout)) != 0)
		return rc;
	if (vm->kernel != NULL)
		gi_kernel_unwind(vm->kernel, &p->b.unwind);
	p->b.vmname = dv_progb_str(&p->b, vm->name);
	p->b.host_pid = (uint32_t)getpid();
	p->b.host_ppid = (uint32_t)getppid();
	p->b.host_uid = getuid();
	p->b.host_gid = getgid();
	p->b.host_execname = dv_progb_str(&p->b, "dvisor");
	p->b.target = o->target;
	return dv_run(p, vm, o, o->boot, status, err);
}

static int
trace_vm(struct dv_vm *vm, const struct dv_opts *o, int *status, struct dv_err *err)
{
	struct dv_program p;
	int rc;

	if ((rc = dv_program_open(&p, o, vm->kernel, err)) == 0)
		rc = compiled(&p, vm, o, status, err);
	dv_program_close(&p);
	return rc;
}

static int
trace_booted(const struct dv_opts *o, int *status, struct dv_err *err)
{
	const struct dv_boot b = {
		.kernel = o->kernel, .initrd = o->initrd, .append = o->append,
		.qemu_args = o->qemu_args.v, .nqemu_args = o->qemu_args.n, .hold = true
	};
	struct dv_booted g;
	struct dv_chan *chan;
	struct dv_vm vm;
	int rc;

	if ((rc = dv_boot_start(&b, err, &g)) != 0)
		return rc;
	if ((rc = chan_tcg_open(g.sock, err, &chan)) == 0) {
		dv_vm_adopt(chan, g.name, &vm);
		if ((rc = dv_vm_introspect(&vm, BOOT_WAIT_NS, err)) == 0)
			rc = trace_vm(&vm, o, status, err);
		dv_vm_close(&vm);
	}
	dv_boot_stop(&g);
	return rc;
}

/* `first`: why the program did not compile without a guest, or NULL. */
static int
trace_running(const struct dv_opts *o, const struct dv_err *first, int *status, struct dv_err *err)
{
	struct dv_vm vm;
	int rc;

	if (o->profile != NULL)
		rc = dv_vm_open_snapshot(o->profile, err, &vm);
	else if ((rc = dv_vm_open(o->vms.n > 0 ? o->vms.v[0] : NULL, err, &vm)) == 0)
		rc = dv_vm_introspect(&vm, ATTACH_WAIT_NS, err);
	if (rc == 0)
		rc = trace_vm(&vm, o, status, err);
	else if (first != NULL && strcmp(first->tag, "D_SYNTAX") == 0) {
		*err = *first;
		rc = first->code;
	} else if (first != NULL) {
		const struct dv_err why = *err;

		dv_err_set(err, rc, "%.400s. The program needs one: %s", why.text, first->text);
	}
	dv_vm_close(&vm);
	return rc;
}

/* Without any guest. Returns 1 if the program needs one; err says why. */
static int
trace_host(const struct dv_opts *o, int *status, struct dv_err *err)
{
	struct dv_program p;
	struct dv_vm vm = { .name = "" };
	bool guest = false;
	int rc;

	if ((rc = dv_program_open(&p, o, NULL, err)) == DV_E_COMPILE)
		guest = dc_guest_missed(p.dc);
	else if (rc == 0 && o->mode == DV_MODE_TRACE)
		rc = dv_program_needs_guest(&p, &guest, err);
	if (rc != 0 || guest) {
		dv_program_close(&p);
		return guest ? 1 : rc;
	}
	if ((rc = chan_host_open(err, &vm.chan)) == 0)
		rc = compiled(&p, &vm, o, status, err);
	dv_program_close(&p);
	dv_vm_close(&vm);
	return rc;
}

static int
trace(const struct dv_opts *o, struct dv_err *err, int *status)
{
	struct dv_err first;
	int rc;

	if (o->vms.n > 1)
		return dv_err_set(err, DV_E_UNSUP,
		    "tracing several VMs at once is not part of this version: give one --vm");
	if (o->boot)
		return trace_booted(o, status, err);
	if (o->vms.n > 0 || o->profile != NULL)
		return trace_running(o, NULL, status, err);
	if (o->mode == DV_MODE_LIST && o->programs.n == 0) {
		if ((rc = trace_running(o, NULL, status, err)) == DV_E_NOENT) {
			dv_msg("%s; only probes that need no guest are listed", err->text);
			rc = trace_host(o, status, err);
		}
		return rc;
	}
	if ((rc = trace_host(o, status, &first)) != 1) {
		*err = first;
		return rc;
	}
	return trace_running(o, &first, status, err);
}

/* What is listed, or told of a program that does not run, goes to -o's file, too. */
static int
redirect(const struct dv_opts *o, struct dv_err *err)
{
	if (o->output == NULL || o->mode == DV_MODE_TRACE)
		return 0;
	if (freopen(o->output, "ae", stdout) != NULL)
		return 0;
	return dv_err_set(err, DV_E_IO, "cannot open output file %s: %s", o->output,
	    strerror(errno));
}

static int
trace_main(int argc, char **argv)
{
	struct dv_command child = { 0, -1 };
	struct dv_opts o;
	struct dv_err err = { 0 };
	int rc, status = 0;

	if ((rc = dv_opts_parse(&o, argc, argv, &err)) > 0) {
		dv_opts_usage();
		rc = 0;
	} else if (rc == 0 && o.version) {
		printf("dvisor: dvisor " DV_VERSION ", D " DV_D_VERSION "\n");
	} else if (rc == 0 && (rc = dv_program_check_options(&o, &err)) == 0 &&
	    (rc = redirect(&o, &err)) == 0) {
		dv_run_catch_signals();
		if (o.command != NULL && (rc = dv_command_start(o.command, &err, &child)) == 0) {
			o.child = &child;
			o.target = (uint64_t)child.pid;
		}
		if (rc == 0)
			rc = trace(&o, &err, &status);
		dv_command_stop(&child);
	}
	dv_opts_fini(&o);
	if (rc != 0)
		return dv_msg_err(&err);
	return status;
}

/* ---- the other commands -------------------------------------------------- */

static void
vm_line(void *arg, const struct dv_vm_listed *l)
{
	char kernel[96] = "-", nvcpu[16] = "-";
	const char *state = "-";		/* what the kvm carrier does not know */
	struct dv_str name;
	struct dv_vm vm;
	struct dv_err err;

	(*(unsigned *)arg)++;
	dv_str_init(&name);
	dv_str_escape(&name, l->name, strlen(l->name));
	if (l->nvcpu != 0)
		snprintf(nvcpu, sizeof(nvcpu), "%u", l->nvcpu);
	if (l->why == NULL && dv_vm_open_listed(l, &err, &vm) == 0) {
		if (dv_vm_introspect(&vm, 0, &err) == 0)
			snprintf(kernel, sizeof(kernel), "%s", gi_kernel_release(vm.kernel));
		if (vm.info.state & DV_GUEST_PAUSED)
			state = "paused";
		else if (strcmp(l->carrier, "tcg") == 0)
			state = "running";
		dv_vm_close(&vm);
	}
	printf("%-20s %8d %-7s %-7s %5s %-28s %s\n", name.s, l->pid, l->carrier, state, nvcpu,
	    kernel, l->why != NULL ? l->why : "");
	dv_str_fini(&name);
}

static int
vms_main(int argc, char **argv)
{
	unsigned n = 0;

	(void)argv;
	if (argc > 1) {
		dv_msg("vms takes no arguments");
		return 2;
	}
	printf("%-20s %8s %-7s %-7s %5s %-28s %s\n", "NAME", "PID", "CARRIER", "STATE", "VCPUS",
	    "KERNEL", "CANNOT BE TRACED BECAUSE");
	dv_vm_list(vm_line, &n);
	if (fflush(stdout) != 0) {
		dv_msg("cannot write output: %s", strerror(errno));
		return 1;
	}
	return 0;
}

/* The kernel's symbols, modules' after its own, in the form of /proc/kallsyms. */
static int
list_symbols(const char *path)
{
	struct dv_err err;
	struct dv_vm vm;
	struct dv_str buf;
	struct gi_sym sym;
	size_t i, n;

	if (dv_vm_open_snapshot(path, &err, &vm) != 0)
		return dv_msg_err(&err);
	dv_str_init(&buf);
	n = gi_nsyms(vm.kernel);
	for (i = 0; i < n; i++) {
		gi_sym(vm.kernel, i, &sym);
		printf("%016llx %c %s", (unsigned long long)sym.addr, sym.type,
		    printable(sym.name, &buf));
		if (strcmp(sym.mod, "vmlinux") != 0)
			printf("\t[%s]", printable(sym.mod, &buf));
		putchar('\n');
	}
	dv_str_fini(&buf);
	dv_vm_close(&vm);
	if (fflush(stdout) == 0)
		return 0;
	dv_msg("cannot write output: %s", strerror(errno));
	return 1;
}

static int
snapshot_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "vm", required_argument, NULL, 'v' }, { "symbols", required_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 }
	};
	const char *spec = NULL, *path = NULL;
	struct dv_err err;
	struct dv_vm vm;
	int c, rc;

	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, ":o:", options, NULL)) != -1)
		switch (c) {
		case 'v':
			spec = optarg;
			break;
		case 'o':
			path = optarg;
			break;
		case 's':
			return list_symbols(optarg);
		case 'h':
			puts("usage: dvisor snapshot [--vm SPEC] -o FILE\n"
			    "       dvisor snapshot --symbols FILE");
			return 0;
		default:
			dv_msg(c == ':' ? "option %s needs an argument" :
			    "unknown option %s. Try: dvisor snapshot --help", argv[optind - 1]);
			return 2;
		}
	if (optind < argc) {
		dv_msg("unexpected argument \"%.256s\". Try: dvisor snapshot --help", argv[optind]);
		return 2;
	}
	if (path == NULL) {
		dv_msg("snapshot needs -o FILE or --symbols FILE. Try: dvisor snapshot --help");
		return 2;
	}
	if ((rc = dv_vm_open(spec, &err, &vm)) == 0 &&
	    (rc = dv_vm_introspect(&vm, ATTACH_WAIT_NS, &err)) == 0)
		rc = dv_vm_save_snapshot(&vm, path, &err);
	dv_vm_close(&vm);
	return rc == 0 ? 0 : dv_msg_err(&err);
}

/*
 * A closed stdin, stdout or stderr must not become one of our sockets or files.
 * What we write to it fails, as it should.
 */
static void
fill_std_fds(void)
{
	int fd;

	while ((fd = open("/dev/null", O_RDONLY)) >= 0 && fd <= 2)
		;
	if (fd > 2)
		close(fd);
}

int
main(int argc, char **argv)
{
	static const struct { const char *name; int (*fn)(int, char **); } commands[] = {
		{ "guest", dv_guest_main }, { "vms", vms_main }, { "snapshot", snapshot_main },
		{ "doctor", dv_doctor_main }
	};
	size_t i;

	fill_std_fds();
	if (argc > 1)
		for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
			if (strcmp(argv[1], commands[i].name) == 0)
				return commands[i].fn(argc - 1, argv + 1);
	if (argc == 1) {
		dv_opts_usage();
		return 2;
	}
	return trace_main(argc, argv);
}
