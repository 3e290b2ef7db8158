/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched.c - the sched provider on Linux.
 *
 * D's sched provider speaks of Solaris' run queue, which holds waiting threads
 * only. Linux keeps the running thread enqueued, so two of its events each
 * have two sources here, told apart by their function:
 *
 *	enqueue	a thread becomes runnable without running: it is put on a queue
 *		(its class' enqueue_task_*) and is not the queue's current; or it
 *		is switched out and is still runnable (__switch_to_asm, prev).
 *	dequeue	the opposite: taken off a queue while not current (migration,
 *		priority change of a waiting thread), or picked to run
 *		(__switch_to_asm, next).
 *
 * The classes' functions are used although some kernels have enqueue_task and
 * dequeue_task: compilers inline those here and there (dequeue_task is, in
 * move_queued_task of 6.12), while the classes' are called through pointers.
 *
 * A change of priority, class or affinity takes a thread off its queue and
 * puts it back (DEQUEUE_SAVE, ENQUEUE_RESTORE). For the running thread nothing
 * fires, as rq->curr is that thread; a waiting one really moves, both fire.
 * Since 6.12 a thread that blocks may stay enqueued for a while
 * (se.sched_delayed): such a one is asleep, nothing fires when it is moved;
 * its wake-up is an enqueue with ENQUEUE_DELAYED, which fires.
 *
 * Order at __switch_to_asm: enqueue(prev), dequeue(next), off-cpu(next). In
 * DTrace a preempted thread is put back on its queue before the dispatcher
 * chooses, the choice takes the next thread off its queue, and then the
 * switch begins (off-cpu); a script that measures queueing time from enqueue
 * to dequeue and run time from on-cpu to off-cpu depends on no more than that.
 * on-cpu follows in finish_task_switch, which every switch passes, also a new
 * thread's first. At __switch_to_asm curthread is still prev.
 *
 * wakeup fires in the waker's context, for a thread that is really asleep in a
 * state that matches. try_to_wake_up finds that out after it has taken
 * p->pi_lock, and then stores TASK_WAKING in p's state: that store is the site.
 * (At its entry p may still be on its way to sleep, or another waker may be
 * faster.) A sleeper that is still enqueued gets no such store; it is enqueued
 * with ENQUEUE_DELAYED, and this is a site, too. Where no such store is found
 * the entry is used, and two wakers that race may both fire. Threads that are
 * new are enqueued, not woken.
 *
 * A deadline thread that has used up its time is taken off its queue though it
 * could run (dl.dl_throttled), without a call of dequeue_task_dl; newer kernels do
 * the same to fair threads of a group with a quota (throttled). Such a one is not
 * enqueued as it is switched out, nor moves between queues: it is enqueued when its
 * time is replenished. (Other kernels take such a group's queue away as a whole;
 * its threads stay enqueued.)
 *
 * sleep fires where the current thread is taken off its queue to sleep
 * (DEQUEUE_SLEEP): the decision has been made, a signal that came first has
 * been seen. Threads that stop or end do not sleep.
 *
 * preempt fires as __schedule is entered: in its mode for preemption, or by a
 * thread that has not asked to sleep and does not yield, which is how a thread
 * is preempted on its way to user mode. remain-cpu fires as __schedule returns,
 * unless the thread has left by __switch_to_asm since. Both remember something
 * of the current thread, in variables of the prelude: that it is in
 * do_sched_yield (__dv_yield), that it has entered __schedule (__dv_sched).
 *
 * surrender fires where a CPU marks the thread of another one for rescheduling,
 * and it was not marked yet. change-pri fires at the stores to p->prio in the
 * functions that change it, if the value differs.
 *
 * The schedctl probes have a counterpart in one kind of kernel only, which extends
 * time slices by rseq (CONFIG_RSEQ_SLICE_EXTENSION). A thread asks in memory of its
 * own; on its way to user mode, when it should be preempted, it is let go for some
 * microseconds instead, a grant; it gives the CPU back by rseq_slice_yield(), or is
 * preempted as it makes another call, as another preemption is due, or as the time
 * is over. The grant is made in code that must not be trapped (noinstr), so it is
 * seen as it takes effect: __rseq_arm_slice_extension_timer is called whenever a
 * thread that has one leaves for user mode, the first time too. __dv_slice: there is
 * one, until the thread yields or is switched. schedctl-preempt fires with preempt,
 * if there is. A yield is known where it is noted for its system call's return; the
 * preemption by which it is done is none (__dv_yield). A grant that is taken back
 * before user mode is none (the thread may have been preempted before it was made);
 * a request that is refused, because a signal waits, leaves no trace that is not in
 * noinstr code.
 *
 * What differs between kernels is asked of BTF and symbols: task_struct.state
 * became __state in 5.14; flag values are those of kernel/sched/sched.h, which
 * were laid out anew together with struct sched_change_ctx (6.19).
 */
#include "guest-introspect/sites.h"

#include <inttypes.h>
#include <stdio.h>

enum event {
	ON_CPU, OFF_CPU, TICK, WAKEUP, ENQ_QUEUE, ENQ_SWITCH, DEQ_QUEUE, DEQ_SWITCH,
	SLEEP, PREEMPT, REMAIN, SURRENDER, CHANGE_PRI,
	SCHEDCTL,			/* where the kernel lacks the next three */
	GRANT, SLICE_PREEMPT, SLICE_YIELD,
	WAKE_STORE, WAKE_DELAYED,	/* WAKEUP's sites; no rows */
	REMAIN_GRANT			/* REMAIN's other site */
};
#define ARM_SLICE	"__rseq_arm_slice_extension_timer"
#define ENTER_SLICE	"rseq_syscall_enter_work"
/* __dv_yield: in do_sched_yield; has yielded a slice that was extended. */
#define YIELDS		"1"
#define SLICE_YIELDED	"2"
#define TASK_WAKING	0x200
#define TASK_STOPPED	0x004		/* __TASK_STOPPED */
#define TASK_TRACED	0x008		/* __TASK_TRACED */
#define TASK_DEAD	0x080
#define DEQUEUE_SLEEP	0x01
#define TIF_NEED_RESCHED 3
#define MAXSTORES	8u		/* of one member, in one function */

static const struct row {
	const char *name, *func;
	enum event ev;
	const char *unless;	/* a function: not where it exists */
} rows[] = {
	{ "on-cpu", "finish_task_switch", ON_CPU, NULL },
	{ "off-cpu", "__switch_to_asm", OFF_CPU, NULL },
	{ "tick", "scheduler_tick", TICK, NULL },
	{ "tick", "sched_tick", TICK, NULL },
	{ "wakeup", "try_to_wake_up", WAKEUP, NULL },
	{ "enqueue", "enqueue_task_fair", ENQ_QUEUE, NULL },
	{ "enqueue", "enqueue_task_rt", ENQ_QUEUE, NULL },
	{ "enqueue", "enqueue_task_dl", ENQ_QUEUE, NULL },
	{ "enqueue", "enqueue_task_stop", ENQ_QUEUE, NULL },
	{ "enqueue", "enqueue_task_scx", ENQ_QUEUE, NULL },
	{ "enqueue", "__switch_to_asm", ENQ_SWITCH, NULL },
	{ "dequeue", "dequeue_task_fair", DEQ_QUEUE, NULL },
	{ "dequeue", "dequeue_task_rt", DEQ_QUEUE, NULL },
	{ "dequeue", "dequeue_task_dl", DEQ_QUEUE, NULL },
	{ "dequeue", "dequeue_task_stop", DEQ_QUEUE, NULL },
	{ "dequeue", "dequeue_task_scx", DEQ_QUEUE, NULL },
	{ "dequeue", "__switch_to_asm", DEQ_SWITCH, NULL },
	{ "sleep", "dequeue_task_fair", SLEEP, NULL },
	{ "sleep", "dequeue_task_rt", SLEEP, NULL },
	{ "sleep", "dequeue_task_dl", SLEEP, NULL },
	{ "sleep", "dequeue_task_stop", SLEEP, NULL },
	{ "sleep", "dequeue_task_scx", SLEEP, NULL },
	{ "preempt", "__schedule", PREEMPT, NULL },
	{ "remain-cpu", "__schedule", REMAIN, NULL },
	{ "surrender", "__resched_curr", SURRENDER, NULL },
	{ "surrender", "resched_curr", SURRENDER, "__resched_curr" },
	{ "change-pri", "set_user_nice", CHANGE_PRI, NULL },
	{ "change-pri", "__sched_setscheduler", CHANGE_PRI, NULL },
	{ "change-pri", "rt_mutex_setprio", CHANGE_PRI, NULL },
	{ "change-pri", "__setscheduler_prio", CHANGE_PRI, NULL },
	{ "schedctl-nopreempt", ARM_SLICE, GRANT, NULL },
	{ "schedctl-preempt", "__schedule", SLICE_PREEMPT, NULL },
	{ "schedctl-yield", ENTER_SLICE, SLICE_YIELD, NULL },
	{ "schedctl-nopreempt", "", SCHEDCTL, NULL },
	{ "schedctl-preempt", "", SCHEDCTL, NULL },
	{ "schedctl-yield", "", SCHEDCTL, NULL },
};
#define NROWS	(sizeof(rows) / sizeof(rows[0]))

static bool
has_slices(const struct gi_kernel *k)
{
	return gi_addr(k, ARM_SLICE) != 0 && gi_addr(k, ENTER_SLICE) != 0 &&
	    gi_offsetof(k, "task_struct", "rseq.slice.yielded") >= 0;
}

int
gi_sched_open(struct gi_kernel *k, struct gi_probes *p, struct dv_err *err)
{
	bool slices = has_slices(k), is_slice;
	struct gi_sym s;
	uint32_t i;

	(void)err;
	p->nsched = 0;
	for (i = 0; i < NROWS; i++) {
		is_slice = rows[i].ev >= GRANT && rows[i].ev <= SLICE_YIELD;
		if ((is_slice && !slices) || (rows[i].ev == SCHEDCTL && slices))
			continue;
		if ((rows[i].func[0] == '\0' || gi_fn_find(k, rows[i].func, &s)) &&
		    (rows[i].unless == NULL || !gi_fn_find(k, rows[i].unless, &s)))
			p->sched[p->nsched++] = i;
	}
	return 0;
}

void
gi_sched_probe(const struct gi_kernel *k, uint32_t i, struct gi_probe *ret)
{
	const struct row *r = &rows[k->probes->sched[i]];
	struct gi_sym s;

	ret->prov = "sched";
	ret->func = gi_fn_find(k, r->func, &s) ? s.name : r->func;
	ret->name = r->name;
	if (gi_type_find(k, GI_T_STRUCT, "task_struct") == 0)
		ret->why_not = "the guest's kernel has no type information";
	if (r->ev == ON_CPU || r->ev == SLEEP || r->ev == PREEMPT || r->ev == REMAIN)
		return;
	ret->args[0] = (struct gi_arg){ .native = "struct task_struct *",
	    .xlate = "lwpsinfo_t *", .map = 0 };
	ret->args[1] = (struct gi_arg){ .native = "struct task_struct *",
	    .xlate = "psinfo_t *", .map = 1 };
	ret->nargs = 2;
	if (r->ev == SCHEDCTL)
		ret->why_not =
		    "the guest's kernel does not extend time slices (CONFIG_RSEQ_SLICE_EXTENSION)";
	if (r->ev == CHANGE_PRI) {
		ret->args[2] = (struct gi_arg){ .native = "pri_t", .map = 2 };
		ret->nargs = 3;
	}
	if (r->ev != ENQ_QUEUE && r->ev != ENQ_SWITCH && r->ev != DEQ_QUEUE &&
	    r->ev != DEQ_SWITCH)
		return;
	ret->args[2] = (struct gi_arg){ .native = "struct rq *", .xlate = "cpuinfo_t *",
	    .map = 2 };
	ret->nargs = 3;
	if (r->ev == ENQ_QUEUE || r->ev == ENQ_SWITCH) {
		ret->args[3] = (struct gi_arg){ .native = "int", .map = 3 };
		ret->nargs = 4;
	}
}

/* ---- sites ---- */

/* A store that a function does: mov %src, disp(%base), or of a constant. */
struct store {
	uint64_t at;
	unsigned base, src;	/* DV_REG_* */
	bool is_imm;
	int64_t imm;
};

struct names {
	bool tif;		/* the function that marks threads takes the mark's number */
	bool delayed;		/* se.sched_delayed exists */
	bool slices;		/* has_slices() */
	const char *state;	/* of task_struct */
	const char *held;	/* " && " and: arg0 has used up its time, and waits for more */
	unsigned enq_delayed, enq_head, enq_replenish;
};

#define TASK	"((struct task_struct *)arg0)"
#define RQ	"((struct rq *)arg2)"

static void
find_names(const struct gi_kernel *k, struct names *n)
{
	bool relaid = gi_type_find(k, GI_T_STRUCT, "sched_change_ctx") != 0;

	n->tif = gi_addr(k, "__resched_curr") != 0;
	n->slices = has_slices(k);
	n->delayed = gi_offsetof(k, "task_struct", "se.sched_delayed") >= 0;
	n->state = gi_offsetof(k, "task_struct", "__state") >= 0 ? "__state" : "state";
	n->enq_delayed = relaid ? 0x20 : 0x200;
	n->enq_head = relaid ? 0x10000 : 0x10;
	n->enq_replenish = relaid ? 0x20000 : 0x20;
	n->held = gi_offsetof(k, "task_struct", "throttled") >= 0 ?
	    " && " TASK "->dl.dl_throttled == 0 && " TASK "->throttled == 0" :
	    " && " TASK "->dl.dl_throttled == 0";
}

static void
raw_and_args(struct gi_build *b, enum event ev, const struct names *n,
    const struct store *st, struct gi_rule *r)
{
	struct dv_argset raw = { 0 }, args = { 0 };
	struct dv_loc task = { 0 }, rq = { 0 }, val = { 0 };
	uint64_t rqs = gi_addr(b->k, "runqueues"), offs = gi_addr(b->k, "__per_cpu_offset");

	switch (ev) {
	case ON_CPU:
	case SCHEDCTL:
		break;
	case PREEMPT:
	case REMAIN:
	case REMAIN_GRANT:
		raw.arg[0] = (struct dv_loc){ .kind = DV_LOC_REG, .reg = DV_REG_RDI, .size = 4 };
		r->raw = gi_build_args(b, &raw);
		r->args = gi_build_args(b, &args);
		return;
	case SURRENDER:
		task.kind = DV_LOC_DIFO;
		task.value = gi_build_expr(b, "(uint64_t)((struct rq *)arg2)->curr");
		raw.arg[2] = gi_loc_reg(DV_REG_RDI);
		raw.arg[3] = (struct dv_loc){ .kind = DV_LOC_REG, .reg = DV_REG_RSI, .size = 4 };
		r->raw = gi_build_args(b, &raw);
		args.arg[0] = args.arg[1] = task;
		r->args = gi_build_args(b, &args);
		return;
	case CHANGE_PRI:
		task = gi_loc_reg(st->base);
		raw.arg[0] = task;
		raw.arg[1] = st->is_imm ?
		    (struct dv_loc){ .kind = DV_LOC_CONST, .value = (uint64_t)st->imm } :
		    (struct dv_loc){ .kind = DV_LOC_REG, .reg = (uint8_t)st->src, .size = 4,
		    .sign = 1 };
		r->raw = gi_build_args(b, &raw);
		args.arg[0] = args.arg[1] = task;
		args.arg[2].kind = DV_LOC_DIFO;
		args.arg[2].value = gi_build_expr(b, "139 - (int)arg1");
		r->args = gi_build_args(b, &args);
		return;
	case GRANT:
	case SLICE_PREEMPT:
	case SLICE_YIELD:
		raw.arg[0] = (struct dv_loc){ .kind = DV_LOC_REG, .reg = DV_REG_RDI, .size = 4 };
		r->raw = gi_build_args(b, &raw);
		args.arg[0].kind = args.arg[1].kind = DV_LOC_CURTHREAD;
		r->args = gi_build_args(b, &args);
		return;
	case TICK:
		task.kind = DV_LOC_CURTHREAD;
		break;
	case OFF_CPU:
	case DEQ_SWITCH:
	case ENQ_QUEUE:
	case DEQ_QUEUE:
	case SLEEP:
	case WAKE_DELAYED:
		task = gi_loc_reg(DV_REG_RSI);
		break;
	case WAKE_STORE:
		task = gi_loc_reg(st->base);
		break;
	case WAKEUP:
	case ENQ_SWITCH:
		task = gi_loc_reg(DV_REG_RDI);
		break;
	}
	raw.arg[0] = raw.arg[1] = task;
	args = raw;
	if (ev == WAKEUP)
		raw.arg[2] = (struct dv_loc){ .kind = DV_LOC_REG, .reg = DV_REG_RSI, .size = 4 };
	if (ev == ENQ_QUEUE || ev == DEQ_QUEUE || ev == SLEEP || ev == WAKE_DELAYED) {
		rq = gi_loc_reg(DV_REG_RDI);
		raw.arg[2] = rq;
		raw.arg[3] = (struct dv_loc){ .kind = DV_LOC_REG, .reg = DV_REG_RDX, .size = 4 };
	} else if (ev == ENQ_SWITCH || ev == DEQ_SWITCH) {
		rq.kind = DV_LOC_DIFO;
		rq.value = gi_build_expr(b, "(uint64_t)0x%" PRIx64 "ull + "
		    "*(uint64_t *)(0x%" PRIx64 "ull + 8 * (uint64_t)cpu)", rqs, offs);
	}
	if (ev == ENQ_QUEUE) {
		val.kind = DV_LOC_DIFO;
		val.value = gi_build_expr(b, "(arg3 & 0x%x) != 0", n->enq_head);
	}
	if (ev != WAKE_DELAYED && ev != SLEEP)
		args.arg[2] = rq;
	args.arg[3] = val;
	if (ev == SLEEP)
		args.arg[0] = args.arg[1] = args.arg[2] = (struct dv_loc){ 0 };
	r->raw = gi_build_args(b, &raw);
	r->args = gi_build_args(b, &args);
}

/* The current thread loses its CPU (arg0: mode). */
#define PREEMPTED	"curthread->pid != 0 && ((int)arg0 == 1 || " \
			"((int)arg0 == 0 && curthread->%s == 0 && self->__dv_yield == 0))"

static uint32_t
guard(struct gi_build *b, enum event ev, const struct names *n)
{
	char queued[96] = "";		/* and not only until it is taken off lazily */

	if (n->delayed && ev == ENQ_QUEUE)
		snprintf(queued, sizeof(queued), " && (" TASK "->se.sched_delayed == 0 || "
		    "(arg3 & 0x%x) != 0)", n->enq_delayed);
	else if (n->delayed)
		snprintf(queued, sizeof(queued), " && " TASK "->se.sched_delayed == 0");
	switch (ev) {
	case ON_CPU:
	case OFF_CPU:
	case WAKE_STORE:
	case SLICE_YIELD:
	case SCHEDCTL:
		return GI_NOEXPR;
	case SLEEP:
		return gi_build_expr(b, "(struct task_struct *)arg0 == curthread && "
		    "(uint64_t)" RQ "->curr == arg0 && (arg3 & %d) != 0%s && "
		    TASK "->%s != 0 && (" TASK "->%s & %d) == 0", DEQUEUE_SLEEP,
		    queued, n->state, n->state, TASK_DEAD | TASK_STOPPED | TASK_TRACED);
	case PREEMPT:
		return gi_build_expr(b, PREEMPTED "%s", n->state,
		    n->slices ? " && self->__dv_yield != " SLICE_YIELDED : "");
	case GRANT:
	case REMAIN_GRANT:
		return gi_build_expr(b, "self->__dv_slice == 0");
	case SLICE_PREEMPT:
		return gi_build_expr(b, PREEMPTED " && self->__dv_slice != 0", n->state);
	case REMAIN:
		return gi_build_expr(b, "self->__dv_sched != 0");
	case SURRENDER:
		return gi_build_expr(b, RQ "->cpu != cpu && (" RQ "->curr->thread_info.flags & "
		    "(1 << %d%s)) == 0", TIF_NEED_RESCHED, n->tif ? " | 1 << (arg3 & 31)" : "");
	case CHANGE_PRI:
		return gi_build_expr(b, "(int)arg1 != " TASK "->prio");
	case WAKE_DELAYED:
		return gi_build_expr(b, "(uint64_t)" RQ "->curr != arg0 && "
		    TASK "->se.sched_delayed != 0 && (arg3 & 0x%x) != 0", n->enq_delayed);
	case TICK:
	case DEQ_SWITCH:
		return gi_build_expr(b, TASK "->pid != 0");
	case WAKEUP:
		if (n->delayed)
			return gi_build_expr(b, "(" TASK "->%s & (unsigned int)arg2) != 0 && "
			    "(" TASK "->on_rq == 0 || " TASK "->se.sched_delayed != 0)", n->state);
		return gi_build_expr(b, "(" TASK "->%s & (unsigned int)arg2) != 0 && "
		    TASK "->on_rq == 0", n->state);
	case ENQ_QUEUE:
		return gi_build_expr(b, "(uint64_t)" RQ "->curr != arg0%s && ("
		    "(arg3 & 0x%x) != 0 || (1%s))", queued, n->enq_replenish, n->held);
	case DEQ_QUEUE:
		return gi_build_expr(b, "(uint64_t)" RQ "->curr != arg0%s%s", queued, n->held);
	case ENQ_SWITCH:
		return gi_build_expr(b, TASK "->on_rq == 1 && " TASK "->pid != 0%s%s", queued,
		    n->held);
	}
	return GI_NOEXPR;
}

static void
add_rule(struct gi_build *b, uint32_t want, uint64_t at, enum event ev, const struct names *n,
    const struct store *st)
{
	struct gi_rule r = { .kind = DV_RULE_FIRE, .probe = want };
	uint32_t prio = ev == ENQ_SWITCH || ev == WAKE_DELAYED || ev == GRANT ? GI_PRIO_FIRST :
	    ev == DEQ_SWITCH || ev == PREEMPT ? GI_PRIO_SECOND : GI_PRIO_THIRD;

	raw_and_args(b, ev, n, st, &r);
	r.guard = guard(b, ev, n);
	if (r.guard == GI_NOEXPR)
		r.raw = DV_NONE;
	gi_build_rule(b, at, prio, &r);
}

/*
 * The stores in a function to a member of a task_struct, all of its 1, 4 or 8
 * bytes: of a register, or of a constant. False: the function cannot be read or
 * decoded, or has too many; or the member is none.
 */
static bool
find_stores(struct gi_kernel *k, const struct gi_sym *f, const char *member, struct store *ret,
    unsigned *n)
{
	struct gi_member m;
	struct gi_type t;
	struct gi_insn i;
	const uint8_t *p;
	uint8_t of_imm, of_reg;
	int64_t disp;
	size_t at;
	int base;

	*n = 0;
	disp = gi_btf_offsetof(k->btf, gi_type_find(k, GI_T_STRUCT, "task_struct"), member, &m);
	if (disp < 0 || gi_type(k, gi_btf_resolve(k->btf, m.type), &t) != 0 ||
	    (t.size != 1 && t.size != 4 && t.size != 8) ||
	    (p = gi_text(k, f->addr, f->size)) == NULL)
		return false;
	of_imm = t.size == 1 ? 0xc6 : 0xc7;
	of_reg = t.size == 1 ? 0x88 : 0x89;
	for (at = 0; at < f->size && gi_insn(p + at, f->size - at, f->addr + at, &i); at += i.len) {
		struct store *st = &ret[*n];

		if (i.map != 0 || (i.op != of_imm && i.op != of_reg) || i.prefix != 0 || i.seg != 0 ||
		    ((i.rex & 8) != 0) != (t.size == 8) || i.disp != disp ||
		    (base = gi_insn_base(&i)) < 0)
			continue;
		if (*n == MAXSTORES)
			return false;
		*st = (struct store){ .at = f->addr + at, .base = gi_reg_of[base],
		    .is_imm = i.op == of_imm, .imm = i.imm };
		if (!st->is_imm)
			st->src = gi_reg_of[(i.modrm >> 3 & 7) | ((i.rex & 4) != 0 ? 8u : 0u)];
		(*n)++;
	}
	return at == f->size;
}

/*
 * wakeup: at each mov $TASK_WAKING, STATE(REG) in try_to_wake_up; there REG is
 * the sleeper, and its state is still the one it sleeps in. False: none found.
 */
static bool
wake_sites(struct gi_build *b, uint32_t want, const struct names *n)
{
	struct gi_kernel *k = b->k;
	uint64_t fair = gi_addr(k, "enqueue_task_fair");
	struct store st[MAXSTORES];
	unsigned nst, j, found = 0;
	struct gi_sym f;

	if (!gi_fn_find(k, "try_to_wake_up", &f) || !find_stores(k, &f, n->state, st, &nst))
		return false;
	if (n->delayed && (fair == 0 || (fair = gi_fn_entry(k, fair)) == 0))
		return false;
	for (j = 0; j < nst; j++)
		if (st[j].is_imm && st[j].imm == TASK_WAKING) {
			add_rule(b, want, st[j].at, WAKE_STORE, n, &st[j]);
			found++;
		}
	if (n->delayed && found > 0)
		add_rule(b, want, fair, WAKE_DELAYED, n, NULL);
	return found > 0;
}

static void
change_pri_sites(struct gi_build *b, uint32_t want, const struct names *n, const char *func)
{
	struct gi_sym f[GI_FN_COPIES];
	struct store st[MAXSTORES];
	unsigned nst, i, j, nf = gi_fn_copies(b->k, func, true, f), found = 0;

	for (i = 0; i < nf; i++) {
		if (!find_stores(b->k, &f[i], "prio", st, &nst))
			continue;
		for (j = 0; j < nst; j++)
			add_rule(b, want, st[j].at, CHANGE_PRI, n, &st[j]);
		found += nst;
	}
	if (found == 0)
		gi_build_leave(b, want, "no change of a priority is found in %s", func);
}

/* Where a thread is known to yield the rest of its extended slice. */
static bool
slice_yield(struct gi_build *b, uint64_t *ret)
{
	struct store st[MAXSTORES];
	struct gi_sym f;
	unsigned n, i;

	if (!gi_fn_find(b->k, ENTER_SLICE, &f) ||
	    !find_stores(b->k, &f, "rseq.slice.yielded", st, &n))
		return false;
	for (i = 0; i < n; i++)
		if (st[i].is_imm && st[i].imm == 1) {
			*ret = st[i].at;
			return true;
		}
	return false;
}

/* The schedctl probes, and remain-cpu where one of them is the decision to remain. */
static void
slice_sites(struct gi_build *b, uint32_t want, enum event ev, const struct names *n)
{
	uint64_t arm = gi_fn_entry(b->k, gi_addr(b->k, ARM_SLICE)), yield = 0;
	uint64_t schedule = gi_fn_entry(b->k, gi_addr(b->k, "__schedule"));

	if (arm == 0 || schedule == 0 || !slice_yield(b, &yield)) {
		gi_build_leave(b, want, "the extension of slices is not found in %s",
		    yield == 0 ? ENTER_SLICE : ARM_SLICE);
		return;
	}
	if (ev == SLICE_YIELD) {
		add_rule(b, want, yield, ev, n, NULL);
		return;
	}
	add_rule(b, want, ev == SLICE_PREEMPT ? schedule : arm, ev == REMAIN ? REMAIN_GRANT : ev,
	    n, NULL);
	gi_build_stmt(b, arm, GI_PRIO_LAST, NULL, "self->__dv_slice = 1");
	gi_build_stmt(b, yield, GI_PRIO_LAST, NULL, "self->__dv_slice = 0");
	gi_build_stmt(b, schedule, GI_PRIO_LAST, NULL,
	    "self->__dv_slice != 0 ? (self->__dv_slice = 0) : 0");
}

/* preempt: a thread in do_sched_yield gives its CPU away of its own will. */
static void
preempt_sites(struct gi_build *b, uint32_t want, uint64_t schedule, const struct names *n)
{
	uint64_t yield = gi_fn_entry(b->k, gi_addr(b->k, "do_sched_yield"));
	struct dv_argset raw = { .arg[0] = { .kind = DV_LOC_REG, .reg = DV_REG_RDI, .size = 4 } };

	if (yield == 0) {
		gi_build_leave(b, want, "the text of do_sched_yield cannot be read");
		return;
	}
	gi_build_stmt(b, yield, GI_PRIO_FIRST, NULL, "self->__dv_yield = " YIELDS);
	add_rule(b, want, schedule, PREEMPT, n, NULL);
	if (n->slices && slice_yield(b, &yield))
		gi_build_stmt(b, yield, GI_PRIO_LAST, NULL, "self->__dv_yield = " SLICE_YIELDED);
	gi_build_stmt(b, schedule, GI_PRIO_LAST, &raw, n->slices ?
	    "self->__dv_yield == " SLICE_YIELDED " || (self->__dv_yield != 0 && (int)arg0 == 0) ? "
	    "(self->__dv_yield = 0) : 0" :
	    "self->__dv_yield != 0 && (int)arg0 == 0 ? (self->__dv_yield = 0) : 0");
}

static void
remain_sites(struct gi_build *b, uint32_t want, uint64_t schedule, const struct names *n)
{
	struct gi_kernel *k = b->k;
	uint64_t swtch = gi_fn_entry(k, gi_addr(k, "__switch_to_asm"));
	const struct gi_fn *f = gi_fn_at(k, schedule);
	struct gi_exits x = { 0 };
	size_t i;

	if (swtch == 0 || f == NULL || gi_fn_exits(k, f, &x) != 0 || x.x.n == 0)
		gi_build_leave(b, want, "the ends of __schedule are not found");
	else {
		gi_build_stmt(b, schedule, GI_PRIO_LAST, NULL, "self->__dv_sched = 1");
		gi_build_stmt(b, swtch, GI_PRIO_LAST, NULL, "self->__dv_sched = 0");
		for (i = 0; i < x.x.n; i++) {
			add_rule(b, want, x.x.v[i].at, REMAIN, n, NULL);
			gi_build_stmt(b, x.x.v[i].at, GI_PRIO_LAST, NULL,
			    "self->__dv_sched != 0 ? (self->__dv_sched = 0) : 0");
		}
	}
	dv_vec_fini(&x.x);
}

int
gi_sched_sites(struct gi_build *b, struct dv_err *err)
{
	struct gi_kernel *k = b->k;
	const struct gi_probes *p = k->probes;
	struct names n;
	size_t i;

	(void)err;
	find_names(k, &n);
	for (i = 0; i < b->nwant; i++) {
		uint32_t w = b->want[i];
		const struct row *row;
		struct gi_sym s[GI_FN_COPIES];
		unsigned j, ns;
		uint64_t at;

		if (w < p->sched_first || w >= p->proc_first)
			continue;
		row = &rows[p->sched[w - p->sched_first]];
		if (row->ev == WAKEUP && wake_sites(b, (uint32_t)i, &n))
			continue;
		if (row->ev == CHANGE_PRI) {
			change_pri_sites(b, (uint32_t)i, &n, row->func);
			continue;
		}
		if (row->ev >= GRANT && row->ev <= SLICE_YIELD) {
			slice_sites(b, (uint32_t)i, row->ev, &n);
			continue;
		}
		if (row->ev == REMAIN && n.slices)
			slice_sites(b, (uint32_t)i, row->ev, &n);
		ns = gi_fn_copies(k, row->func, false, s);
		for (j = 0; j < ns; j++) {
			if ((at = gi_fn_entry(k, s[j].addr)) == 0)
				gi_build_leave(b, (uint32_t)i, "the text of %s cannot be read",
				    s[j].name);
			else if (row->ev == PREEMPT)
				preempt_sites(b, (uint32_t)i, at, &n);
			else if (row->ev == REMAIN)
				remain_sites(b, (uint32_t)i, at, &n);
			else
				add_rule(b, (uint32_t)i, at, row->ev, &n, NULL);
		}
	}
	return 0;
}

int
gi_switch_site(struct gi_build *b, struct dv_err *err)
{
	struct gi_rule r = { .kind = DV_RULE_SWITCH, .guard = GI_NOEXPR, .args = DV_NONE,
	    .probe = DV_NONE };
	uint64_t at = gi_fn_entry(b->k, gi_addr(b->k, "__switch_to_asm"));
	struct dv_argset raw = { 0 };

	if (at == 0)
		return dv_err_set(err, DV_E_GUEST, "vtimestamp is not possible: the guest's kernel "
		    "has no __switch_to_asm, where it would switch threads");
	raw.arg[0] = gi_loc_reg(DV_REG_RDI);
	raw.arg[1] = gi_loc_reg(DV_REG_RSI);
	r.raw = gi_build_args(b, &raw);
	gi_build_rule(b, at, GI_PRIO_LAST, &r);
	return 0;
}
