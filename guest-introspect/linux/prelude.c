/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prelude.c - D's names for threads, processes and CPUs on this very kernel.
 *
 * D has no way to ask whether a member exists, so the translators whose right
 * sides differ between kernels are written out here, from BTF. What they say:
 *
 *	pr_addr		the task_struct's address
 *	pr_pri		139 - task_struct.prio: as in D, more is better; Linux'
 *			prio is 0..139, less is better (fair threads 0..39 here)
 *	pr_state	as of the event. At sched:::off-cpu the current thread is
 *			SRUN if it stays on its queue (preempted or yielding,
 *			whatever its state says, and be it on its way out), else
 *			SZOMB if it has exited, else SSLEEP; at any other probe
 *			it is SONPROC. Other threads: SZOMB, SSTOP (stopped or
 *			traced), SRUN if on a queue or state 0, else SSLEEP
 *	pr_stype	of a sleeper: what kind of object it sleeps on, as noted where it
 *	pr_wchan	went to sleep (sobj.c); SOBJ_CV and 0 if not noted
 *	pr_flag		PR_ISSYS: a kernel thread. PR_IDLE: an idle thread; at
 *			sched:::dequeue also the current one if it has gone to sleep
 *			and its CPU now looks for work
 *	pr_clname	TS FF RR B IDL DLN EXT, as ps(1) has them
 *	pr_nice		-20..19; pr_onpro: its CPU; pr_bindpro: the only CPU it may
 *			run on, or -1
 *	pr_lwpid	the thread's pid, in the init namespace; pr_pid: tgid
 *	pr_fname	comm
 *	pr_psargs	the arguments, of the current process; of others comm
 *	cpu_id		rq.cpu
 *	cpu_chip	the package of the CPU; cpu_lgrp its NUMA node
 *
 * Values of the constants: procfs.h and sobject.h as D scripts know them.
 */
#include "guest-introspect/gi_impl.h"

#include "base/str.h"

static const char constants[] =
    "inline char SSLEEP = 1;\n"
    "inline char SRUN = 2;\n"
    "inline char SZOMB = 3;\n"
    "inline char SSTOP = 4;\n"
    "inline char SIDL = 5;\n"
    "inline char SONPROC = 6;\n"
    "inline char SWAIT = 7;\n"
    "inline int PR_ISSYS = 0x1000;\n"
    "inline int PR_IDLE = 0x10000000;\n"
    "inline char SOBJ_NONE = 0;\n"
    "inline char SOBJ_MUTEX = 1;\n"
    "inline char SOBJ_RWLOCK = 2;\n"
    "inline char SOBJ_CV = 3;\n"
    "inline char SOBJ_SEMA = 4;\n"
    "inline char SOBJ_USER = 5;\n"
    "inline char SOBJ_USER_PI = 6;\n"
    "inline char SOBJ_SHUTTLE = 7;\n";

/* What rules of probes remember (sched.c, sobj.c): by thread, by task_struct. */
static const char variables[] =
    "self int __dv_yield;\n"
    "self int __dv_sched;\n"
    "char __dv_stype[uintptr_t];\n"
    "uint64_t __dv_wchan[uintptr_t];\n";

static const char typedefs[] =
    "typedef int pri_t;\n"
    "typedef struct {\n"
    "\tint pr_flag;\n"
    "\tint pr_lwpid;\n"
    "\tuintptr_t pr_addr;\n"
    "\tint pr_pri;\n"
    "\tchar pr_state;\n"
    "\tchar pr_sname;\n"
    "\tchar pr_stype;\n"
    "\tchar pr_nice;\n"
    "\tuintptr_t pr_wchan;\n"
    "\tstring pr_clname;\n"
    "\tint pr_onpro;\n"
    "\tint pr_bindpro;\n"
    "} lwpsinfo_t;\n"
    "typedef struct {\n"
    "\tint pr_pid;\n"
    "\tint pr_ppid;\n"
    "\tuint32_t pr_uid;\n"
    "\tuint32_t pr_euid;\n"
    "\tuint32_t pr_gid;\n"
    "\tuint32_t pr_egid;\n"
    "\tuintptr_t pr_addr;\n"
    "\tint pr_nlwp;\n"
    "\tstring pr_fname;\n"
    "\tstring pr_psargs;\n"
    "} psinfo_t;\n"
    "typedef struct {\n"
    "\tint cpu_id;\n"
    "\tint cpu_pset;\n"
    "\tint cpu_chip;\n"
    "\tint cpu_lgrp;\n"
    "} cpuinfo_t;\n";

static bool
has(const struct gi_kernel *k, const char *strct, const char *path)
{
	return gi_offsetof(k, strct, path) >= 0;
}

static void
lwpsinfo(const struct gi_kernel *k, struct dv_str *s)
{
	const char *state = has(k, "task_struct", "__state") ? "__state" : "state";
	/* runnable: on a queue, and not only until it is taken off lazily */
	const char *queued = has(k, "task_struct", "se.sched_delayed") ?
	    "(T->on_rq != 0 && T->se.sched_delayed == 0)" : "(T->on_rq != 0)";
	const char *running = "(T == curthread && !(probeprov == \"sched\" && "
	    "(probename == \"off-cpu\" || probename == \"sleep\")))";
	const char *sleeper = "(T == curthread && probeprov == \"sched\" && "
	    "probename == \"sleep\")";
	const char *cpu = has(k, "task_struct", "thread_info.cpu") ? "T->thread_info.cpu" :
	    has(k, "task_struct", "cpu") ? "T->cpu" : "0";
	struct dv_str asleep;

	dv_str_init(&asleep);
	dv_str_printf(&asleep, "(%s || (!%s && T->exit_state == 0 && !%s && T->%s != 0))",
	    sleeper, running, queued, state);
	dv_str_printf(s, "translator lwpsinfo_t < struct task_struct *T > {\n"
	    "\tpr_flag = ((T->flags & 0x200000) != 0 ? PR_ISSYS : 0) |\n"
	    "\t    (T->pid == 0 || (T == curthread && !%s && probeprov == \"sched\" &&\n"
	    "\t    probename == \"dequeue\") ? PR_IDLE : 0);\n"
	    "\tpr_lwpid = T->pid;\n"
	    "\tpr_addr = (uintptr_t)T;\n"
	    "\tpr_pri = 139 - T->prio;\n"
	    "\tpr_nice = T->static_prio - 120;\n"
	    "\tpr_onpro = %s;\n"
	    "\tpr_bindpro = T->nr_cpus_allowed == 1 ? %s : -1;\n", queued, cpu, cpu);
	dv_str_add(s, "\tpr_clname = T->policy == 0 ? \"TS\" : T->policy == 1 ? \"FF\" :\n"
	    "\t    T->policy == 2 ? \"RR\" : T->policy == 3 ? \"B\" : T->policy == 5 ? \"IDL\" :\n"
	    "\t    T->policy == 6 ? \"DLN\" : T->policy == 7 ? \"EXT\" : \"?\";\n");
	dv_str_printf(s, "\tpr_stype = %s ? (__dv_stype[(uintptr_t)T] != 0 ?\n"
	    "\t    __dv_stype[(uintptr_t)T] : SOBJ_CV) : SOBJ_NONE;\n"
	    "\tpr_wchan = %s ? __dv_wchan[(uintptr_t)T] : 0;\n", asleep.s, asleep.s);
	dv_str_printf(s, "\tpr_state = %s ? SONPROC : %s ? SSLEEP : T == curthread && %s ? SRUN :\n"
	    "\t    T->exit_state != 0 ? SZOMB : %s || T->%s == 0 ? SRUN :\n"
	    "\t    (T->%s & 0xc) != 0 ? SSTOP : SSLEEP;\n",
	    running, sleeper, queued, queued, state, state);
	dv_str_printf(s, "\tpr_sname = %s ? 'O' : %s ? 'S' : T == curthread && %s ? 'R' :\n"
	    "\t    T->exit_state != 0 ? 'Z' : %s || T->%s == 0 ? 'R' :\n"
	    "\t    (T->%s & 0xc) != 0 ? 'T' : 'S';\n"
	    "};\n", running, sleeper, queued, queued, state, state);
	s->failed |= asleep.failed;
	dv_str_fini(&asleep);
}

/* Bytes of the arguments, without the last one's NUL; D keeps 80 with it. */
#define ARGLEN "(T->mm->arg_end - T->mm->arg_start > 80 ? 79 :\n" \
	"\t    (int)(T->mm->arg_end - T->mm->arg_start) - 1)"

static void
psinfo(const struct gi_kernel *k, struct dv_str *s)
{
	dv_str_printf(s, "translator psinfo_t < struct task_struct *T > {\n"
	    "\tpr_pid = T->tgid;\n"
	    "\tpr_ppid = T->real_parent->tgid;\n"
	    "\tpr_uid = T->cred->uid.val;\n"
	    "\tpr_euid = T->cred->euid.val;\n"
	    "\tpr_gid = T->cred->gid.val;\n"
	    "\tpr_egid = T->cred->egid.val;\n"
	    "\tpr_addr = (uintptr_t)T;\n"
	    "\tpr_nlwp = %s;\n"
	    "\tpr_fname = stringof(T->comm);\n"
	    "\tpr_psargs = T != curthread || T->mm == NULL ||\n"
	    "\t    T->mm->arg_end <= T->mm->arg_start ? stringof(T->comm) :\n"
	    "\t    memstr(copyin(T->mm->arg_start, " ARGLEN "), ' ', " ARGLEN ");\n"
	    "};\n", has(k, "signal_struct", "nr_threads") ? "T->signal->nr_threads" : "1");
}

/* `type` at per-CPU variable `var` + off of CPU c. */
static void
percpu(const struct gi_kernel *k, struct dv_str *s, const char *member, const char *type,
       const char *var, int64_t off, const char *c)
{
	uint64_t at = gi_addr(k, var), offs = gi_addr(k, "__per_cpu_offset");

	if (at == 0 || off < 0) {
		dv_str_printf(s, "\t%s = 0;\n", member);
		return;
	}
	dv_str_printf(s, "\t%s = *(%s *)((uint64_t)0x%llxull", member, type,
	    (unsigned long long)(at + (uint64_t)off));
	if (offs != 0)
		dv_str_printf(s, " + *(uint64_t *)(0x%llxull + 8 * (uint64_t)%s)",
		    (unsigned long long)offs, c);
	dv_str_add(s, ");\n");
}

static void
cpuinfo(const struct gi_kernel *k, struct dv_str *s, const char *from, const char *c)
{
	int64_t id = gi_offsetof(k, "cpuinfo_x86", "topo.pkg_id");

	dv_str_printf(s, "translator cpuinfo_t < %s > {\n\tcpu_id = %s;\n\tcpu_pset = 0;\n",
	    from, c);
	if (id >= 0)
		percpu(k, s, "cpu_chip", "uint32_t", "cpu_info", id, c);
	else				/* before 6.7 */
		percpu(k, s, "cpu_chip", "uint16_t", "cpu_info",
		    gi_offsetof(k, "cpuinfo_x86", "phys_proc_id"), c);
	percpu(k, s, "cpu_lgrp", "int", "numa_node", 0, c);
	dv_str_add(s, "};\n");
}

char *
gi_prelude(struct gi_kernel *k, struct dv_err *err)
{
	struct dv_str s;
	char *ret;

	if (!has(k, "task_struct", "pid")) {
		dv_err_set(err, DV_E_UNSUP, "the guest's kernel %s has no type information "
		    "(CONFIG_DEBUG_INFO_BTF)", k->release);
		return NULL;
	}
	dv_str_init(&s);
	dv_str_add(&s, constants);
	dv_str_add(&s, variables);
	dv_str_add(&s, typedefs);
	lwpsinfo(k, &s);
	psinfo(k, &s);
	/* a kernel for one CPU has no numbers */
	cpuinfo(k, &s, "struct rq *R", has(k, "rq", "cpu") ? "R->cpu" : "0");
	cpuinfo(k, &s, "int C", "C");
	gi_prelude_locks(k, &s);
	ret = s.failed ? NULL : strdup(s.s);
	dv_str_fini(&s);
	if (ret == NULL)
		dv_err_nomem(err);
	return ret;
}
