/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.c - an enabling runs: load, go, drain, print, stop.
 *
 * One loop. Every TICK it asks the carrier for the guest's state and its own
 * status; at aggrate it takes aggregations, at
 * switchrate it drains the principal buffers of all CPUs, at statusrate it
 * reports drops. Aggregations are taken before records, because records may
 * ask for printa().
 *
 * BEGIN ran when go returns, so the host CPU is drained first once; at the end
 * vCPUs come first and the host CPU, where END ran, last.
 */
#include "run.h"

#include "chan.h"
#include "command.h"
#include "msg.h"
#include "base/clock.h"
#include "consume/cn.h"
#include "core/prog.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TICK_NS		20000000u
#define HALT_NS		400000000u	/* until a guest that we stop has stopped */

static volatile sig_atomic_t interrupted;

static void
on_signal(int sig)
{
	(void)sig;
	interrupted = 1;
}

static void
nothing(int sig)
{
	(void)sig;
}

void
dv_run_catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	/* Not SIG_IGN: commands that we start would inherit that. */
	sa.sa_handler = nothing;
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
	FILE *out;			/* where output goes now */
	FILE *first;			/* stdout or -o FILE: where freopen("") leads back to */
	int out_errno;			/* the output failed */
	unsigned ncpu;			/* vCPUs + host */
	bool ended;			/* the guest is about to go */
	uint64_t generation;		/* of the guest's kernel when loaded */
	bool reset;			/* it is another kernel now, */
	bool logged;			/* or nothing may be in its memory */
	uint32_t halts;			/* stops of the guest that were told */
	bool panicked;
	bool killed;			/* the trace starved the guest */
	bool ends;			/* the guest is ours and ends with us */
	uint64_t next_agg, next_switch, next_status;
};

/* ---- the consumer's callbacks ------------------------------------------- */

static void
put(void *arg, const char *s, size_t n)
{
	struct run *r = arg;

	if (r->out_errno == 0 && n > 0 && fwrite(s, 1, n, r->out) != n) {
		r->out_errno = errno != 0 ? errno : EIO;
		cn_set_failed(r->cn);
	}
}

static void
flush(struct run *r)
{
	if (fflush(r->out) != 0 && r->out_errno == 0)
		r->out_errno = errno != 0 ? errno : EIO;
}

static void
message(void *arg, const char *line)
{
	struct run *r = arg;

	flush(r);
	dv_msg("%s", line);
}

static bool
kernel_name(void *arg, uint64_t addr, const char **mod, const char **sym, uint64_t *off)
{
	struct run *r = arg;
	struct gi_sym s;

	if (r->p->kernel == NULL || (!gi_sym_at(r->p->kernel, addr, &s) &&
	    (!gi_mods_again(r->p->kernel, addr) || !gi_sym_at(r->p->kernel, addr, &s))))
		return false;
	*mod = s.mod;
	*sym = s.name;
	*off = addr - s.addr;
	return true;
}

static bool
user_name(void *arg, uint64_t pid, uint64_t addr, const char **obj, const char **sym, uint64_t *off)
{
	struct run *r = arg;
	struct gi_usym s;

	if (r->p->kernel == NULL || pid > UINT32_MAX ||
	    !gi_user_sym(r->p->kernel, (uint32_t)pid, addr, &s))
		return false;
	*obj = s.obj;
	*sym = s.sym;
	*off = s.off;
	return true;
}

static int
do_freopen(void *arg, const char *path)
{
	struct run *r = arg;
	FILE *f;

	flush(r);
	if (*path == '\0') {
		if (r->out != r->first)
			fclose(r->out);
		r->out = r->first;
		return 0;
	}
	if ((f = fopen(path, "ae")) == NULL) {
		dv_msg("cannot freopen \"%s\": %s", path, strerror(errno));
		return DV_E_IO;
	}
	if (r->out != r->first)
		fclose(r->out);
	r->out = f;
	return 0;
}

static int
do_system(void *arg, const char *cmd)
{
	struct run *r = arg;

	flush(r);
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

	flush(r);
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

	if (r->p->kernel != NULL)
		gi_user_forget(r->p->kernel);
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
		flush(r);
	}
	if (r->out_errno != 0)
		return dv_err_set(err, DV_E_IO, "cannot write output: %s", strerror(r->out_errno));
	return 0;
}

/* The program stopped the guest: records first, then what to do about it. */
static int
report_halt(struct run *r, const struct dv_status *st, struct dv_err *err)
{
	const struct dv_progb *b = &r->p->b;
	const struct dv_probe *p;
	bool over;
	int rc;

	if (st->halts == r->halts || st->halt_epid == 0 || st->halt_epid > b->ecbs.n)
		return 0;
	r->halts = st->halts;
	r->panicked = st->halt_action == DV_ACT_PANIC;
	/* who reads that it has stopped may resume it: not before it has */
	rc = dv_chan_wait(r->vm->chan, DV_GUEST_PAUSED, HALT_NS, err);
	if (rc != 0 && rc != DV_E_AGAIN)
		return rc;
	if (!r->panicked && (rc = drain(r, false, true, err)) != 0)
		return rc;
	over = r->panicked && r->ends;
	p = &b->probes.v[b->ecbs.v[st->halt_epid - 1].probe];
	dv_msg("guest \"%s\" was stopped by %s() in enabled probe ID %u (%s:%s:%s:%s)%s%s",
	    r->vm->name, r->panicked ? "panic" : "breakpoint", st->halt_epid,
	    dv_progb_strat(b, p->prov), dv_progb_strat(b, p->mod), dv_progb_strat(b, p->func),
	    dv_progb_strat(b, p->name), over ? "" : ". Resume it with: dvisor guest --resume ",
	    over ? "" : r->vm->name);
	return 0;
}

static int
loop(struct run *r, struct dv_err *err)
{
	struct dv_chan *chan = r->vm->chan;
	struct dv_status st;
	bool first = true;
	int rc, status;

	for (;;) {
		if ((rc = dv_chan_status(chan, &st, err)) != 0 ||
		    (rc = dv_chan_ping(chan, err)) != 0)
			return rc;
		if ((rc = drain(r, first, false, err)) != 0 ||
		    (!st.exiting && (rc = report_halt(r, &st, err)) != 0))
			return rc;
		first = false;
		if (dv_clock_ns() >= r->next_status) {
			cn_report_drops(r->cn, &st);
			r->next_status = dv_clock_ns() + cn_option(r->cn, DV_OPT_STATUSRATE);
		}
		if (chan->state & DV_GUEST_ENDING) {
			r->ended = true;
			return 0;
		}
		if (chan->generation != r->generation) {
			r->reset = true;
			r->logged = (chan->state & DV_GUEST_LOGGED) != 0;
			return 0;
		}
		r->killed = st.killed != 0;
		if (r->killed || st.exiting || st.filled || cn_exiting(r->cn, &status) ||
		    interrupted ||
		    (r->o->child != NULL && dv_command_ended(r->o->child)))
			return 0;
		dv_clock_nap(TICK_NS);
	}
}

/* -x accounting: what became of the firings of each clause that fired. */
static int
report_accounting(struct run *r, struct dv_err *err)
{
	const struct dv_progb *b = &r->p->b;
	struct dv_account a;
	uint32_t i, j;
	int rc;

	for (i = 0; i < b->ecbs.n; i++) {
		const struct dv_probe *p = &b->probes.v[b->ecbs.v[i].probe];
		char text[512];
		size_t n = 0;

		if ((rc = dv_chan_account(r->vm->chan, i, &a, err)) != 0)
			return rc;
		if (a.fired == 0)
			continue;
		const struct { const char *what; uint64_t v; } parts[] = {
			{ "recorded", a.recorded }, { "without a record", a.norecord },
			{ "dropped", a.dropped }, { "faulted", a.faulted },
			{ "still speculated", a.speculated },
			{ "speculation dropped", a.spec_dropped },
			{ "speculation refused", a.spec_refused },
			{ "speculation discarded", a.spec_discarded },
			{ "aggregation dropped", a.agg_dropped }, { "overwritten", a.overwritten },
			{ "after exit", a.after_exit }
		};

		text[0] = '\0';
		for (j = 0; j < sizeof(parts) / sizeof(parts[0]); j++)
			if (parts[j].v != 0)
				n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%llu %s",
				    n == 0 ? " = " : " + ", (unsigned long long)parts[j].v,
				    parts[j].what);
		dv_msg("accounting: enabled probe ID %u (%s:%s:%s:%s): %llu fired%s", i + 1,
		    dv_progb_strat(b, p->prov), dv_progb_strat(b, p->mod),
		    dv_progb_strat(b, p->func),
		    dv_progb_strat(b, p->name), (unsigned long long)a.fired, text);
	}
	return 0;
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
	flush(r);
	if ((rc = report_halt(r, &st, err)) != 0)
		return rc;
	return cn_option(r->cn, DV_OPT_ACCOUNTING) ? report_accounting(r, err) : 0;
}

/*
 * The guest's own numbers of its CPUs, for the CPU column: whose per-CPU base
 * does a vCPU have? One that is not known keeps its index.
 */
static void
cpu_numbers(const struct dv_ctl_info *info, const struct dv_layout *l, uint32_t *ids, unsigned n)
{
	unsigned i, j;

	for (i = 0; i < n; i++) {
		ids[i] = i;
		if (i >= sizeof(info->cpu) / sizeof(info->cpu[0]) || i >= info->nvcpu)
			continue;
		for (j = 0; j < l->ncpu && j < DV_MAXCPU; j++)
			if (l->pcpu_base[j] != 0 && (l->pcpu_base[j] == info->cpu[i].gs_base ||
			    l->pcpu_base[j] == info->cpu[i].kernel_gs_base))
				ids[i] = j;
	}
}

static int
open_output(struct run *r, struct dv_err *err)
{
	r->out = r->first = stdout;
	if (r->o->output != NULL && (r->out = fopen(r->o->output, "ae")) == NULL) {
		r->out = stdout;
		return dv_err_set(err, DV_E_IO, "cannot open output file %s: %s",
		    r->o->output, strerror(errno));
	}
	r->first = r->out;
	return 0;
}

/* ---- loading ------------------------------------------------------------- */

static const struct { enum dv_opt opt; const char *what; } sizes[] = {
	{ DV_OPT_BUFSIZE, "buffer size" }, { DV_OPT_AGGSIZE, "aggregation size" },
	{ DV_OPT_SPECSIZE, "speculation size" }, { DV_OPT_DYNVARSIZE, "dynamic variable size" },
};
#define NSIZES		(sizeof(sizes) / sizeof(sizes[0]))
#define MIN_LOWERED	8192u

static uint64_t
opt_value(const struct dv_progb *b, enum dv_opt opt)
{
	return b->opts[opt] == DV_OPT_UNSET ? dv_opt_default(opt) : b->opts[opt];
}

/* Halves the kind of buffers that takes the most memory. false: all are small. */
static bool
lower_largest(struct run *r)
{
	struct dv_progb *b = &r->p->b;
	uint64_t total, most = 0, ncpu = r->vm->info.nvcpu + 1;
	size_t i, which = 0;

	for (i = 0; i < NSIZES; i++) {
		total = opt_value(b, sizes[i].opt);
		if (total < MIN_LOWERED || (sizes[i].opt == DV_OPT_AGGSIZE && b->aggs.n == 0))
			continue;
		if (sizes[i].opt == DV_OPT_SPECSIZE)
			total *= opt_value(b, DV_OPT_NSPEC) * ncpu;
		else if (sizes[i].opt != DV_OPT_DYNVARSIZE)
			total *= 2 * ncpu;
		if (total > most) {
			most = total;
			which = i;
		}
	}
	if (most == 0)
		return false;
	b->opts[sizes[which].opt] = opt_value(b, sizes[which].opt) / 2;
	return true;
}

static void
tell_lowered(const struct dv_progb *b, const uint64_t *asked)
{
	static const char units[] = "\0kmgt";
	uint64_t v;
	size_t i, u;

	for (i = 0; i < NSIZES && !b->opts[DV_OPT_QUIETRESIZE]; i++) {
		if ((v = opt_value(b, sizes[i].opt)) == asked[i])
			continue;
		for (u = 0; u + 2 < sizeof(units) && v % 1024 == 0; u++)
			v /= 1024;
		dv_msg("%s lowered to %llu%.1s", sizes[i].what, (unsigned long long)v, units + u);
	}
}

/*
 * Flattens the program and loads it: *blob and what it is, also on failure.
 * With bufresize=auto, buffers become smaller until they can be had.
 */
static int
load(struct run *r, void **blob, struct dv_prog *view, unsigned *nvcpu, struct dv_err *err)
{
	struct dv_progb *b = &r->p->b;
	uint64_t asked[NSIZES];
	struct dv_reason why;
	size_t i, len;
	int rc;

	for (i = 0; i < NSIZES; i++)
		asked[i] = opt_value(b, sizes[i].opt);
	do {
		free(*blob);
		*blob = NULL;
		if ((rc = dv_progb_finish(b, err, blob, &len)) != 0)
			return rc;
		if (dv_prog_view(*blob, len, view, &why) != 0)
			return dv_err_set(err, DV_E_FORMAT, "could not enable tracing: %s",
			    why.text);
		rc = dv_chan_load(r->vm->chan, *blob, len, nvcpu, err);
	} while (rc == DV_E_NOMEM && opt_value(b, DV_OPT_BUFRESIZE) == DV_BUFRESIZE_AUTO &&
	    lower_largest(r));
	if (rc == 0)
		tell_lowered(b, asked);
	else if (rc == DV_E_NOMEM)
		dv_err_prefix(err, "could not enable tracing");
	return rc;
}

/* -x cpu=N: the guest's number of a CPU becomes the number of its vCPU. */
static int
restrict_cpu(struct run *r, struct dv_err *err)
{
	struct dv_progb *b = &r->p->b;
	uint64_t cpu = b->opts[DV_OPT_CPU];
	uint32_t ids[DV_CTL_MAXCPU];
	unsigned i, n = r->vm->info.nvcpu;

	if (cpu == DV_OPT_UNSET)
		return 0;
	if (n > DV_CTL_MAXCPU)
		n = DV_CTL_MAXCPU;
	cpu_numbers(&r->vm->info, &b->layout, ids, n);
	for (i = 0; i < n; i++)
		if (ids[i] == cpu) {
			b->opts[DV_OPT_CPU] = i;
			return 0;
		}
	if (n == 0 && cpu == 0)
		return 0;		/* no guest: what fires, fires on CPU 0 */
	return dv_err_set(err, DV_E_USAGE,
	    "failed to set option 'cpu' to '%llu': there is no such CPU",
	    (unsigned long long)cpu);
}

static void
close_output(struct run *r, int *rc, struct dv_err *err)
{
	int bad;

	flush(r);
	bad = r->out_errno;

	if (r->out != r->first && fclose(r->out) != 0 && bad == 0)
		bad = errno;
	if (r->first != stdout && fclose(r->first) != 0 && bad == 0)
		bad = errno;
	if (bad != 0 && *rc == 0)
		*rc = dv_err_set(err, DV_E_IO, "cannot write output: %s", strerror(bad));
}

int
dv_run(struct dv_program *p, struct dv_vm *vm, const struct dv_opts *o,
       bool guest_end_ok, int *status, struct dv_err *err)
{
	struct run r = { .p = p, .vm = vm, .o = o, .generation = vm->info.generation,
	    .ends = guest_end_ok };
	const struct cn_symbols symbols = { .arg = &r, .kernel = kernel_name,
	    .user = user_name };
	const struct cn_requests requests = { .arg = &r, .freopen = do_freopen,
	    .system = do_system, .ftruncate = do_ftruncate };
	struct cn_config cfg = { .out = put, .msg = message, .arg = &r,
	    .symbols = &symbols, .requests = &requests };
	uint32_t cpu_ids[DV_CTL_MAXCPU];
	struct dv_prog view;
	void *blob = NULL;
	unsigned nvcpu;
	int rc;

	*status = 0;
	if ((rc = open_output(&r, err)) != 0)
		return rc;
	if ((rc = restrict_cpu(&r, err)) != 0 || (rc = load(&r, &blob, &view, &nvcpu, err)) != 0)
		goto out;
	r.ncpu = cfg.ncpu = nvcpu + 1;
	cpu_numbers(&vm->info, &p->b.layout, cpu_ids, nvcpu);
	cfg.cpu_ids = cpu_ids;
	cfg.prog = &view;
	if ((rc = cn_open(&cfg, err, &r.cn)) != 0)
		goto out;
	dv_program_report(p, o, r.out);
	cn_header(r.cn);
	flush(&r);
	if ((rc = dv_chan_go(vm->chan, r.generation, err)) != 0)
		goto out;
	if (o->child != NULL && dv_command_go(o->child) != 0)
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
		rc = dv_err_set(err, DV_E_GUEST, r.logged ?
		    "writes to the memory of guest \"%s\" are being logged (migration or "
		    "snapshot): the trace has ended" :
		    "guest \"%s\" was reset or started another kernel: "
		    "the trace has ended", vm->name);
	if (rc == 0 && r.ended && !guest_end_ok)
		rc = dv_err_set(err, DV_E_GUEST, "guest \"%s\" ended", vm->name);
	if (rc == 0 && r.killed)
		rc = dv_err_set(err, DV_E_GUEST, "processing aborted: "
		    "Abort due to systemic unresponsiveness");
	if (rc == 0 && !cn_exiting(r.cn, status) && r.panicked)
		*status = 1;
out:
	close_output(&r, &rc, err);
	cn_close(r.cn);
	free(blob);
	return rc;
}
