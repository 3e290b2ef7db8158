/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.c - an enabling runs: load, go, drain, print, stop.
 *
 * One loop. Every TICK it asks the carrier for its status, which is also the
 * heartbeat that keeps the traps in; at aggrate it takes aggregations, at
 * switchrate it drains the principal buffers of all CPUs, at statusrate it
 * reports drops. Aggregations are taken before records, because records may
 * ask for printa().
 *
 * BEGIN ran when go returns, so the host CPU is drained first once; at the end
 * vCPUs come first and the host CPU, where END ran, last.
 */
#include "run.h"

#include "chan.h"
#include "msg.h"
#include "base/clock.h"
#include "consume/cn.h"
#include "core/prog.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_NS		20000000u

static volatile sig_atomic_t interrupted;

static void
on_signal(int sig)
{
	(void)sig;
	interrupted = 1;
}

void
dv_run_catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	sa.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &sa, NULL);
}

bool
dv_run_interrupted(void)
{
	return interrupted != 0;
}

struct run {
	struct dv_program *p;
	struct dv_vm *vm;
	struct cn *cn;
	const struct dv_opts *o;
	FILE *out;
	int out_errno;			/* the output failed */
	unsigned ncpu;			/* vCPUs + host */
	bool ended;			/* the guest is about to go */
	uint64_t generation;		/* of the guest's kernel when loaded */
	bool reset;			/* it is another kernel now */
	uint64_t next_agg, next_switch, next_status;
	pid_t child;			/* -c */
};

/* ---- the consumer's callbacks ------------------------------------------- */

static void
put(void *arg, const char *s, size_t n)
{
	struct run *r = arg;

	if (r->out_errno == 0 && n > 0 && fwrite(s, 1, n, r->out) != n)
		r->out_errno = errno != 0 ? errno : EIO;
}

static void
message(void *arg, const char *line)
{
	struct run *r = arg;

	fflush(r->out);
	dv_msg("%s", line);
}

static bool
kernel_name(void *arg, uint64_t addr, const char **mod, const char **sym, uint64_t *off)
{
	struct run *r = arg;
	struct gi_sym s;

	if (r->p->kernel == NULL || !gi_sym_at(r->p->kernel, addr, &s))
		return false;
	*mod = s.mod;
	*sym = s.name;
	*off = addr - s.addr;
	return true;
}

static int
do_freopen(void *arg, const char *path)
{
	struct run *r = arg;
	FILE *f;

	fflush(r->out);
	if (*path == '\0') {
		if (r->out != stdout)
			fclose(r->out);
		r->out = stdout;
		return 0;
	}
	if ((f = fopen(path, "ae")) == NULL) {
		dv_msg("cannot freopen \"%s\": %s", path, strerror(errno));
		return DV_E_IO;
	}
	if (r->out != stdout)
		fclose(r->out);
	r->out = f;
	return 0;
}

static int
do_system(void *arg, const char *cmd)
{
	struct run *r = arg;

	fflush(r->out);
	if (system(cmd) == -1) {
		dv_msg("cannot run \"%s\": %s", cmd, strerror(errno));
		return DV_E_IO;
	}
	return 0;
}

static void
do_ftruncate(void *arg)
{
	struct run *r = arg;

	fflush(r->out);
	if (ftruncate(fileno(r->out), 0) == 0)
		rewind(r->out);
}

/* ---- draining ------------------------------------------------------------ */

static int
snap(struct run *r, unsigned cpu, enum dv_which which, struct dv_err *err)
{
	const void *data;
	struct dv_snap s;
	int rc;

	if ((rc = dv_chan_snap(r->vm->chan, cpu, which, &s, &data, err)) != 0)
		return rc;
	rc = which == DV_BUF_AGG ? cn_take_aggs(r->cn, cpu, data, &s, err) :
	    cn_take_records(r->cn, cpu, data, &s, err);
	if (which == DV_BUF_PRINCIPAL)
		cn_report_cpu_drops(r->cn, cpu, &s);
	return rc;
}

static int
snap_all(struct run *r, enum dv_which which, bool host_first, struct dv_err *err)
{
	unsigned i, host = r->ncpu - 1;
	int rc;

	if (host_first && (rc = snap(r, host, which, err)) != 0)
		return rc;
	for (i = 0; i < host; i++)
		if ((rc = snap(r, i, which, err)) != 0)
			return rc;
	return host_first ? 0 : snap(r, host, which, err);
}

static int
drain(struct run *r, bool first, bool all, struct dv_err *err)
{
	uint64_t now = dv_clock_ns();
	int rc;

	if (r->p->b.aggs.n > 0 && (all || now >= r->next_agg)) {
		if ((rc = snap_all(r, DV_BUF_AGG, false, err)) != 0)
			return rc;
		r->next_agg = now + cn_option(r->cn, DV_OPT_AGGRATE);
	}
	if (all || now >= r->next_switch) {
		if ((rc = snap_all(r, DV_BUF_PRINCIPAL, first, err)) != 0)
			return rc;
		/* All CPUs were switched after `now`: nothing older can still come. */
		cn_flush(r->cn, all ? ~(uint64_t)0 : now);
		r->next_switch = now + cn_option(r->cn, DV_OPT_SWITCHRATE);
		fflush(r->out);
	}
	if (r->out_errno != 0)
		return dv_err_set(err, DV_E_IO, "cannot write output: %s", strerror(r->out_errno));
	return 0;
}

static bool
child_ended(struct run *r)
{
	int status;

	return r->child > 0 && waitpid(r->child, &status, WNOHANG) == r->child;
}

/* -c: a host command that waits until tracing has begun. */
static int
child_start(struct run *r, int *gate, struct dv_err *err)
{
	int fd[2];
	char c;

	if (pipe(fd) != 0)
		return dv_err_set(err, DV_E_IO, "cannot run \"%s\": %s", r->o->command, strerror(errno));
	if ((r->child = fork()) < 0) {
		close(fd[0]);
		close(fd[1]);
		return dv_err_set(err, DV_E_IO, "cannot run \"%s\": %s", r->o->command, strerror(errno));
	}
	if (r->child == 0) {
		close(fd[1]);
		if (read(fd[0], &c, 1) == 1)
			execl("/bin/sh", "sh", "-c", r->o->command, (char *)NULL);
		_exit(127);
	}
	close(fd[0]);
	*gate = fd[1];
	return 0;
}

static int
loop(struct run *r, struct dv_err *err)
{
	struct dv_ctl_info info;
	struct dv_status st;
	bool first = true;
	int rc, status;

	for (;;) {
		if ((rc = dv_chan_status(r->vm->chan, &st, err)) != 0 ||
		    (rc = dv_chan_info(r->vm->chan, &info, err)) != 0)
			return rc;
		if ((rc = drain(r, first, false, err)) != 0)
			return rc;
		first = false;
		if (dv_clock_ns() >= r->next_status) {
			cn_report_drops(r->cn, &st);
			r->next_status = dv_clock_ns() + cn_option(r->cn, DV_OPT_STATUSRATE);
		}
		if (st.killed) {
			dv_msg("processing aborted: system unresponsive");
			return 0;
		}
		if (info.state & DV_GUEST_ENDING) {
			r->ended = true;
			return 0;
		}
		if (info.generation != r->generation) {
			r->reset = true;
			return 0;
		}
		if (st.exiting || cn_exiting(r->cn, &status) || interrupted || child_ended(r))
			return 0;
		dv_clock_nap(TICK_NS);
	}
}

static int
finish(struct run *r, struct dv_err *err)
{
	struct dv_status st;
	int rc;

	if ((rc = dv_chan_stop(r->vm->chan, err)) != 0 ||
	    (rc = drain(r, false, true, err)) != 0 ||
	    (rc = dv_chan_status(r->vm->chan, &st, err)) != 0)
		return rc;
	cn_finish(r->cn);
	cn_report_drops(r->cn, &st);
	return 0;
}

static int
open_output(struct run *r, struct dv_err *err)
{
	r->out = stdout;
	if (r->o->output != NULL && (r->out = fopen(r->o->output, "ae")) == NULL) {
		r->out = stdout;
		return dv_err_set(err, DV_E_IO, "cannot open output file %s: %s",
		    r->o->output, strerror(errno));
	}
	return 0;
}

static void
close_output(struct run *r, int *rc, struct dv_err *err)
{
	int bad = fflush(r->out) != 0 ? errno : r->out_errno;

	if (r->out != stdout && fclose(r->out) != 0 && bad == 0)
		bad = errno;
	if (bad != 0 && *rc == 0)
		*rc = dv_err_set(err, DV_E_IO, "cannot write output: %s", strerror(bad));
}

int
dv_run(struct dv_program *p, struct dv_vm *vm, const struct dv_opts *o,
       bool guest_end_ok, int *status, struct dv_err *err)
{
	struct run r = { .p = p, .vm = vm, .o = o, .generation = vm->info.generation };
	const struct cn_symbols symbols = { .arg = &r, .kernel = kernel_name };
	const struct cn_requests requests = { .arg = &r, .freopen = do_freopen,
	    .system = do_system, .ftruncate = do_ftruncate };
	struct cn_config cfg = { .out = put, .msg = message, .arg = &r,
	    .symbols = &symbols, .requests = &requests };
	struct dv_reason why;
	struct dv_prog view;
	void *blob = NULL;
	unsigned nvcpu;
	size_t len;
	int rc, gate = -1;

	*status = 0;
	if ((rc = open_output(&r, err)) != 0)
		return rc;
	if ((rc = dv_progb_finish(&p->b, err, &blob, &len)) != 0)
		goto out;
	if (dv_prog_view(blob, len, &view, &why) != 0) {
		rc = dv_err_set(err, DV_E_FORMAT, "the compiled program is not valid: %s", why.text);
		goto out;
	}
	if ((rc = dv_chan_load(vm->chan, blob, len, &nvcpu, err)) != 0)
		goto out;
	r.ncpu = cfg.ncpu = nvcpu + 1;
	cfg.prog = &view;
	if ((rc = cn_open(&cfg, err, &r.cn)) != 0)
		goto out;
	if (o->command != NULL && (rc = child_start(&r, &gate, err)) != 0)
		goto out;
	dv_program_report(p, o);
	cn_header(r.cn);
	fflush(r.out);
	if ((rc = dv_chan_go(vm->chan, err)) != 0)
		goto out;
	if (gate >= 0 && write(gate, "g", 1) != 1)
		dv_msg("cannot start \"%s\": %s", o->command, strerror(errno));
	rc = loop(&r, err);
	if (rc == 0)
		rc = finish(&r, err);
	if (rc == DV_E_GUEST) {
		/* The guest went away: what was drained so far still counts. */
		cn_flush(r.cn, ~(uint64_t)0);
		cn_finish(r.cn);
		if (guest_end_ok)
			rc = 0;
	}
	if (rc == 0 && r.reset)
		rc = dv_err_set(err, DV_E_GUEST, "guest \"%s\" was reset or started another kernel: "
		    "the trace has ended", vm->name);
	if (rc == 0 && r.ended && !guest_end_ok)
		rc = dv_err_set(err, DV_E_GUEST, "guest \"%s\" ended", vm->name);
	if (rc == 0)
		cn_exiting(r.cn, status);
out:
	if (gate >= 0)
		close(gate);
	close_output(&r, &rc, err);
	cn_close(r.cn);
	free(blob);
	return rc;
}
