/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc.c - the proc provider on Linux: processes, threads and signals.
 *
 * A process of D is a thread group here, and a thread of D a task. Each event has
 * a function that every path to it goes through, exactly once, and that no
 * compiler can have put elsewhere, since it is called from another file or from
 * several places:
 *
 *	create, lwp-create	wake_up_new_task, in the parent: the new task has its
 *		numbers and is about to be runnable. A leader of a thread group is a
 *		process, any other task a thread.
 *	start, lwp-start	calculate_sigpending, the end of schedule_tail: the
 *		first that a new task does after the switch to it. `start` fires in
 *		leaders, and before lwp-start.
 *	exec			do_execveat_common, which execve(2) and execveat(2) of all
 *		kinds of programs lead to, or kernel_execve, which is how the kernel
 *		starts programs. Where they return it is exec-success or exec-failure.
 *		A path that cannot be read is a failure without an exec.
 *	lwp-exit, exit		acct_collect, right after do_exit has counted the task out:
 *		its second argument says whether this was the last of its process. So
 *		exit fires once for each process, after the lwp-exit of its last thread,
 *		whichever that is, with its memory and files still there. A kernel without
 *		process accounting has taskstats_exit a little later, which is told the
 *		same; the thread has its exit code by then.
 *	signal-send, signal-discard	prepare_signal, which all senders ask whether
 *		the signal is to be delivered; it says no at once if it is ignored.
 *	signal-handle		get_signal, where it returns true: a handler is to run, and
 *		the user's registers are still those of the interrupted program.
 *	signal-clear		do_sigtimedwait, where it returns a signal's number.
 *	fault			force_sig_info_to_task, in the thread that the signal is for,
 *		if that came from user mode by an exception: orig_ax is -1 then, and the
 *		number of the system call otherwise. A handler that cannot be called
 *		because the stack is bad forces a signal, too: signal_setup_done has said
 *		so just before.
 *
 * What returns have to know of the entry is kept in variables of the prelude, by
 * thread. A kernel that lacks all functions of an event lists it with the reason.
 */
#include "guest-introspect/sites.h"

#include <inttypes.h>
#include <stdio.h>

enum event {
	CREATE, LWP_CREATE, START, LWP_START, EXEC, EXEC_KERNEL, EXEC_SUCCESS, EXEC_FAILURE,
	EXIT, EXIT_CODED, LWP_EXIT, FAULT, SEND, DISCARD, HANDLE, CLEAR
};

/* Functions of one name: alternatives, or several places. */
static const struct row {
	const char *name, *func;	/* func "": of the name, if there is no other */
	enum event ev;
	bool exits;			/* the site is where it returns */
	bool instead;			/* only if there is no other of the name before it */
} rows[] = {
	{ "create", "wake_up_new_task", CREATE, false, false },
	{ "create", "", CREATE, false, true },
	{ "exec", "do_execveat_common", EXEC, false, false },
	{ "exec", "kernel_execve", EXEC_KERNEL, false, false },
	{ "exec", "", EXEC, false, true },
	{ "exec-failure", "do_execveat_common", EXEC_FAILURE, true, false },
	{ "exec-failure", "kernel_execve", EXEC_FAILURE, true, false },
	{ "exec-failure", "", EXEC_FAILURE, true, true },
	{ "exec-success", "do_execveat_common", EXEC_SUCCESS, true, false },
	{ "exec-success", "kernel_execve", EXEC_SUCCESS, true, false },
	{ "exec-success", "", EXEC_SUCCESS, true, true },
	{ "exit", "acct_collect", EXIT, false, false },
	{ "exit", "taskstats_exit", EXIT_CODED, false, true },
	{ "exit", "", EXIT, false, true },
	{ "fault", "force_sig_info_to_task", FAULT, false, false },
	{ "fault", "", FAULT, false, true },
	{ "lwp-create", "wake_up_new_task", LWP_CREATE, false, false },
	{ "lwp-create", "", LWP_CREATE, false, true },
	{ "lwp-exit", "acct_collect", LWP_EXIT, false, false },
	{ "lwp-exit", "taskstats_exit", LWP_EXIT, false, true },
	{ "lwp-exit", "", LWP_EXIT, false, true },
	{ "lwp-start", "calculate_sigpending", LWP_START, false, false },
	{ "lwp-start", "", LWP_START, false, true },
	{ "signal-clear", "do_sigtimedwait", CLEAR, true, false },
	{ "signal-clear", "", CLEAR, true, true },
	{ "signal-discard", "prepare_signal", DISCARD, true, false },
	{ "signal-discard", "", DISCARD, true, true },
	{ "signal-handle", "get_signal", HANDLE, true, false },
	{ "signal-handle", "", HANDLE, true, true },
	{ "signal-send", "prepare_signal", SEND, false, false },
	{ "signal-send", "", SEND, false, true },
	{ "start", "calculate_sigpending", START, false, false },
	{ "start", "", START, false, true },
};
#define NROWS	(sizeof(rows) / sizeof(rows[0]))

int
gi_proc_open(struct gi_kernel *k, struct gi_probes *p, struct dv_err *err)
{
	const char *have = "";	/* the name that the last probe has */
	struct gi_sym s;
	uint32_t i;

	(void)err;
	_Static_assert(NROWS <= sizeof(p->proc) / sizeof(p->proc[0]), "all rows have room");
	p->nproc = 0;
	for (i = 0; i < NROWS; i++) {
		const struct row *r = &rows[i];

		if ((r->instead && strcmp(have, r->name) == 0) ||
		    (r->func[0] != '\0' && !gi_fn_find(k, r->func, &s)))
			continue;
		p->proc[p->nproc++] = i;
		have = r->name;
	}
	return 0;
}

static void
set_arg(struct gi_probe *p, uint8_t i, const char *native, const char *xlate)
{
	p->args[i] = (struct gi_arg){ .native = native, .xlate = xlate, .map = i };
	p->nargs = i + 1u;
}

void
gi_proc_probe(const struct gi_kernel *k, uint32_t i, struct gi_probe *ret)
{
	static const char task[] = "struct task_struct *", info[] = "struct kernel_siginfo *";
	const struct row *r = &rows[k->probes->proc[i]];
	struct gi_sym s;

	ret->prov = "proc";
	ret->func = gi_fn_find(k, r->func, &s) ? s.name : r->func;
	ret->name = r->name;
	if (r->func[0] == '\0')
		ret->why_not = "the guest's kernel has no function where it could be seen";
	if (gi_type_find(k, GI_T_STRUCT, "task_struct") == 0)
		ret->why_not = "the guest's kernel has no type information";
	switch (r->ev) {
	case CREATE:
		set_arg(ret, 0, task, "psinfo_t *");
		break;
	case LWP_CREATE:
		set_arg(ret, 0, task, "lwpsinfo_t *");
		set_arg(ret, 1, task, "psinfo_t *");
		break;
	case EXEC:
	case EXEC_KERNEL:
		set_arg(ret, 0, "string", NULL);
		break;
	case EXEC_FAILURE:
	case EXIT:
	case EXIT_CODED:
	case CLEAR:
		set_arg(ret, 0, "int", NULL);
		break;
	case FAULT:
		set_arg(ret, 0, "int", NULL);
		set_arg(ret, 1, info, "siginfo_t *");
		break;
	case SEND:
	case DISCARD:
		set_arg(ret, 0, task, "lwpsinfo_t *");
		set_arg(ret, 1, task, "psinfo_t *");
		set_arg(ret, 2, "int", NULL);
		break;
	case HANDLE:
		set_arg(ret, 0, "int", NULL);
		set_arg(ret, 1, info, "siginfo_t *");
		set_arg(ret, 2, "uintptr_t", NULL);
		break;
	case START:
	case LWP_START:
	case EXEC_SUCCESS:
	case LWP_EXIT:
		break;
	}
}

/* ---- sites ---- */

#define TASK	"((struct task_struct *)arg0)"
#define SIG	"((struct kernel_siginfo *)arg0)"
#define KSIG	"((struct ksignal *)self->__dv_ksig)"

/* The code of a fault, as in Solaris' <sys/fault.h>, from the signal that it is. */
static const char fault_code[] =
    SIG "->si_signo == 11 ? (" SIG "->si_code == 1 || " SIG "->si_code == 3 || "
	SIG "->si_code == 128 ? FLTBOUNDS : FLTACCESS) : "
    SIG "->si_signo == 7 ? FLTACCESS : "
    SIG "->si_signo == 4 ? (" SIG "->si_code == 5 || " SIG "->si_code == 6 ? FLTPRIV : FLTILL) : "
    SIG "->si_signo == 5 ? (" SIG "->si_code == 2 ? FLTTRACE : "
	SIG "->si_code == 4 ? FLTWATCH : FLTBPT) : "
    SIG "->si_signo == 8 ? (" SIG "->si_code == 1 ? FLTIZDIV : "
	SIG "->si_code == 2 ? FLTIOVF : FLTFPE) : 0";

static struct dv_loc
expr(struct gi_build *b, const char *text)
{
	return (struct dv_loc){ .kind = DV_LOC_DIFO, .value = gi_build_expr(b, "%s", text) };
}

/* The arguments as published, of raw ones arg0, arg1 (a function's), or arg0 (its value). */
static void
published(struct gi_build *b, enum event ev, struct dv_argset *a)
{
	switch (ev) {
	case SEND:
		a->arg[2] = (struct dv_loc){ .kind = DV_LOC_REG, .reg = DV_REG_RDI, .size = 4,
		    .sign = 1 };
		a->arg[0] = a->arg[1] = gi_loc_reg(DV_REG_RSI);
		break;
	case CREATE:
		a->arg[0] = gi_loc_reg(DV_REG_RDI);
		break;
	case LWP_CREATE:
		a->arg[0] = a->arg[1] = gi_loc_reg(DV_REG_RDI);
		break;
	case EXEC:
		a->arg[0] = expr(b, "(uint64_t)((struct filename *)arg1)->name");
		break;
	case EXEC_KERNEL:
		a->arg[0] = gi_loc_reg(DV_REG_RDI);
		break;
	case EXEC_FAILURE:
		a->arg[0] = expr(b, "-(int)arg0");
		break;
	case EXIT:
		a->arg[0] = expr(b, "(arg0 & 0x7f) == 0 || (curthread->flags & 0x200000) != 0 ? "
		    "CLD_EXITED : (arg0 & 0x80) != 0 ? CLD_DUMPED : CLD_KILLED");
		break;
	case EXIT_CODED:
		a->arg[0] = expr(b, "(curthread->exit_code & 0x7f) == 0 || "
		    "(curthread->flags & 0x200000) != 0 ? CLD_EXITED : "
		    "(curthread->exit_code & 0x80) != 0 ? CLD_DUMPED : CLD_KILLED");
		break;
	case FAULT:
		a->arg[0] = expr(b, fault_code);
		a->arg[1] = gi_loc_reg(DV_REG_RDI);
		break;
	case DISCARD:
		a->arg[0] = a->arg[1] = expr(b, "self->__dv_sigto");
		a->arg[2] = expr(b, "self->__dv_sig");
		break;
	case HANDLE:
		a->arg[0] = expr(b, KSIG "->sig");
		a->arg[1] = expr(b, "(uint64_t)&" KSIG "->info");
		a->arg[2] = expr(b, "(uint64_t)" KSIG "->ka.sa.sa_handler");
		break;
	case CLEAR:
		a->arg[0] = expr(b, "(int)arg0");
		break;
	case START:
	case LWP_START:
	case LWP_EXIT:
	case EXEC_SUCCESS:
		break;
	}
}

/* orig_ax in the registers that the current thread has left user mode with. */
static uint32_t
fault_guard(struct gi_build *b)
{
	int64_t orig = gi_uregs_off(b->k, "orig_ax");

	if (orig < 0)
		return GI_NOEXPR;
	return gi_build_expr(b, "arg1 == (uint64_t)curthread && self->__dv_badframe == 0 && "
	    "curthread->mm != NULL && "
	    "*(int64_t *)((uint64_t)curthread->stack + 0x%" PRIx64 ") == -1",
	    (uint64_t)orig);
}

static uint32_t
guard(struct gi_build *b, enum event ev)
{
	switch (ev) {
	case CREATE:
		return gi_build_expr(b, TASK "->pid == " TASK "->tgid");
	case LWP_CREATE:
		return gi_build_expr(b, TASK "->pid != " TASK "->tgid");
	case START:
		return gi_build_expr(b, "curthread->pid == curthread->tgid");
	case EXEC:		/* not an error in place of a pointer */
		return gi_build_expr(b, "arg1 != 0 && arg1 < 0xfffffffffffff001ull");
	case EXEC_SUCCESS:
		return gi_build_expr(b, "(int)arg0 >= 0");
	case EXEC_FAILURE:
		return gi_build_expr(b, "(int)arg0 < 0");
	case EXIT:
	case EXIT_CODED:
		return gi_build_expr(b, "(int)arg1 != 0");
	case FAULT:
		return fault_guard(b);
	case DISCARD:
		return gi_build_expr(b, "(arg0 & 0xff) == 0 && self->__dv_sigto != 0");
	case HANDLE:
		return gi_build_expr(b, "(arg0 & 0xff) != 0 && self->__dv_ksig != 0");
	case CLEAR:
		return gi_build_expr(b, "(int)arg0 > 0");
	case LWP_START:
	case EXEC_KERNEL:
	case LWP_EXIT:
	case SEND:
		break;
	}
	return GI_NOEXPR;
}

static void
fire(struct gi_build *b, uint32_t want, uint64_t at, const struct row *row,
    const struct dv_argset *raw)
{
	bool second = row->ev == LWP_START || row->ev == EXIT || row->ev == EXIT_CODED;
	struct gi_rule r = { .kind = DV_RULE_FIRE, .probe = want };
	struct dv_argset args = { 0 };

	published(b, row->ev, &args);
	r.raw = gi_build_args(b, raw);
	r.args = gi_build_args(b, &args);
	r.guard = guard(b, row->ev);
	if (row->ev == FAULT && r.guard == GI_NOEXPR) {
		gi_build_leave(b, want, "where a thread keeps its registers is not found");
		return;
	}
	gi_build_rule(b, at, second ? GI_PRIO_SECOND : GI_PRIO_FIRST, &r);
}

/* What is wanted where a function returns, and needs to know how it was called. */
static void
exit_sites(struct gi_build *b, uint32_t want, const struct row *row, uint64_t entry,
    const struct dv_argset *call)
{
	const struct dv_argset value = { .arg[0] = gi_loc_reg(DV_REG_RAX) };
	const struct gi_fn *f = gi_fn_at(b->k, entry);
	struct gi_exits x = { 0 };
	bool whole;
	size_t i;

	whole = f != NULL && gi_fn_exits(b->k, f, &x) == 0 && x.x.n > 0;
	for (i = 0; whole && i < x.x.n; i++)
		whole = x.x.v[i].kind == GI_X_RET;	/* elsewhere there is no value yet */
	if (!whole)
		gi_build_leave(b, want, "the ends of %s are not found", row->func);
	else if (row->ev == DISCARD) {
		gi_build_stmt(b, entry, GI_PRIO_FIRST, call, "self->__dv_sig = (int)arg0");
		gi_build_stmt(b, entry, GI_PRIO_FIRST, call, "self->__dv_sigto = arg1");
	} else if (row->ev == HANDLE)
		gi_build_stmt(b, entry, GI_PRIO_FIRST, call, "self->__dv_ksig = arg0");
	for (i = 0; whole && i < x.x.n; i++) {
		fire(b, want, x.x.v[i].at, row, &value);
		if (row->ev == DISCARD) {
			gi_build_stmt(b, x.x.v[i].at, GI_PRIO_LAST, &value, "self->__dv_sig = 0");
			gi_build_stmt(b, x.x.v[i].at, GI_PRIO_LAST, &value, "self->__dv_sigto = 0");
		} else if (row->ev == HANDLE)
			gi_build_stmt(b, x.x.v[i].at, GI_PRIO_LAST, &value, "self->__dv_ksig = 0");
	}
	dv_vec_fini(&x.x);
}

/* A handler's frame that cannot be made forces a signal, which is no fault. */
static void
badframe_sites(struct gi_build *b, uint64_t forced, const struct dv_argset *call)
{
	uint64_t setup = gi_fn_entry(b->k, gi_addr(b->k, "signal_setup_done"));

	if (setup == 0)
		return;
	gi_build_stmt(b, setup, GI_PRIO_FIRST, call,
	    "(int)arg0 != 0 ? (self->__dv_badframe = 1) : 0");
	gi_build_stmt(b, forced, GI_PRIO_LAST, call,
	    "self->__dv_badframe != 0 ? (self->__dv_badframe = 0) : 0");
}

int
gi_proc_sites(struct gi_build *b, struct dv_err *err)
{
	const struct dv_argset call = { .arg = { gi_loc_reg(DV_REG_RDI), gi_loc_reg(DV_REG_RSI) } };
	struct gi_kernel *k = b->k;
	const struct gi_probes *p = k->probes;
	size_t i;

	(void)err;
	for (i = 0; i < b->nwant; i++) {
		uint32_t w = b->want[i];
		const struct row *row;
		struct gi_sym s[GI_FN_COPIES];
		unsigned j, n;
		uint64_t at;

		if (w < p->proc_first || w >= p->fbt_first)
			continue;
		row = &rows[p->proc[w - p->proc_first]];
		n = gi_fn_copies(k, row->func, false, s);
		for (j = 0; j < n; j++) {
			if ((at = gi_fn_entry(k, s[j].addr)) == 0) {
				gi_build_leave(b, (uint32_t)i, "the text of %s cannot be read",
				    s[j].name);
				continue;
			}
			if (row->exits)
				exit_sites(b, (uint32_t)i, row, at, &call);
			else
				fire(b, (uint32_t)i, at, row, &call);
			if (row->ev == FAULT)
				badframe_sites(b, at, &call);
		}
	}
	return 0;
}
