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
 *	pr_wchan	went to sleep, or found as tracing starts (sobj.c); else SOBJ_CV, 0
 *	pr_flag		PR_ISSYS: a kernel thread. PR_IDLE: an idle thread; at
 *			sched:::dequeue also the current one if it has gone to sleep
 *			and its CPU now looks for work
 *	pr_clname	TS FF RR B IDL DLN EXT, as ps(1) has them
 *	pr_nice		-20..19; pr_onpro: its CPU; pr_bindpro: the only CPU it may
 *			run on, or -1
 *	pr_lwpid	the thread's pid, in the init namespace; pr_pid: tgid
 *	pr_syscall	the number of the system call that the thread is in, or was in
 *			last if it has been in user mode since; -1 after an interrupt
 *			or a fault, and of a kernel thread
 *	pr_bindpset	-1, PS_NONE: no processor sets
 *	pr_fname	comm
 *	pr_psargs	the arguments, of the current process; of others comm
 *	pr_argc		of the current process; of others 0. pr_argv: where the user's
 *	pr_envp		stack began; pr_envp follows it, so is 0 of others, too
 *	pr_uid ...	of real_cred, the process' own, also while it acts for another
 *	pr_pgid pr_sid	in the init namespace; 0 of a process that has been reaped
 *	pr_ttydev	the kernel's dev_t of the controlling terminal, or PRNODEV
 *	pr_start	time of day of the start: start_boottime, and when the guest was
 *			booted by its present clock
 *	pr_dmodel	PR_MODEL_ILP32 if the address space ends at 4 GB, else LP64
 *	pr_zoneid	0 in the init pid namespace, else the inode number of the
 *			process' pid namespace
 *	pr_taskid pr_projid pr_poolid	0: there are none
 *	cpu_id		rq.cpu
 *	cpu_chip	the package of the CPU; cpu_lgrp its NUMA node; cpu_pset 0
 *	cpu_info	pi_state: P_ONLINE or P_OFFLINE; pi_processor_type: "x86_64";
 *			pi_fputypes: "x87"; pi_clock: MHz, of the boot CPU, as measured
 *	si_*		of kernel_siginfo, with Linux' numbers; si_pid and si_uid are 0
 *			where the signal is a fault's, si_addr where it is not
 *
 * Values of the constants: procfs.h, sobject.h, fault.h and processor.h as D scripts
 * know them. CLD_* are the same in Linux.
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
    "inline char SOBJ_SHUTTLE = 7;\n"
    "inline int CLD_EXITED = 1;\n"
    "inline int CLD_KILLED = 2;\n"
    "inline int CLD_DUMPED = 3;\n"
    "inline int CLD_TRAPPED = 4;\n"
    "inline int CLD_STOPPED = 5;\n"
    "inline int CLD_CONTINUED = 6;\n"
    "inline int FLTILL = 1;\n"
    "inline int FLTPRIV = 2;\n"
    "inline int FLTBPT = 3;\n"
    "inline int FLTTRACE = 4;\n"
    "inline int FLTACCESS = 5;\n"
    "inline int FLTBOUNDS = 6;\n"
    "inline int FLTIOVF = 7;\n"
    "inline int FLTIZDIV = 8;\n"
    "inline int FLTFPE = 9;\n"
    "inline int FLTSTACK = 10;\n"
    "inline int FLTPAGE = 11;\n"
    "inline int FLTWATCH = 12;\n"
    "inline int FLTCPCOVF = 13;\n"
    "inline char PR_MODEL_UNKNOWN = 0;\n"
    "inline char PR_MODEL_ILP32 = 1;\n"
    "inline char PR_MODEL_LP64 = 2;\n"
    "inline dev_t PRNODEV = (dev_t)-1;\n"
    "inline int PS_NONE = -1;\n"
    "inline int P_OFFLINE = 1;\n"
    "inline int P_ONLINE = 2;\n";

/* What rules of probes remember (sched.c, proc.c, sobj.c): by thread, by task_struct. */
static const char variables[] =
    "self int __dv_yield;\n"
    "self int __dv_sched;\n"
    "self int __dv_slice;\n"
    "self int __dv_badframe;\n"
    "self int __dv_sig;\n"
    "self uint64_t __dv_sigto;\n"
    "self uint64_t __dv_ksig;\n"
    "char __dv_stype[uintptr_t];\n"
    "uint64_t __dv_wchan[uintptr_t];\n"
    "char __dv_stype0[uintptr_t];\n"		/* as tracing starts */
    "uint64_t __dv_wchan0[uintptr_t];\n";

static const char typedefs[] =
    "typedef int pri_t;\n"
    "typedef struct {\n"
    "\tint64_t tv_sec;\n"
    "\tint64_t tv_nsec;\n"
    "} timestruc_t;\n"
    "typedef struct {\n"
    "\tint pr_flag;\n"
    "\tint pr_lwpid;\n"
    "\tuintptr_t pr_addr;\n"
    "\tint pr_pri;\n"
    "\tchar pr_state;\n"
    "\tchar pr_sname;\n"
    "\tchar pr_stype;\n"
    "\tchar pr_nice;\n"
    "\tshort pr_syscall;\n"
    "\tuintptr_t pr_wchan;\n"
    "\tstring pr_clname;\n"
    "\tint pr_onpro;\n"
    "\tint pr_bindpro;\n"
    "\tint pr_bindpset;\n"
    "} lwpsinfo_t;\n"
    "typedef struct {\n"
    "\tint pr_nlwp;\n"
    "\tint pr_pid;\n"
    "\tint pr_ppid;\n"
    "\tint pr_pgid;\n"
    "\tint pr_sid;\n"
    "\tuint32_t pr_uid;\n"
    "\tuint32_t pr_euid;\n"
    "\tuint32_t pr_gid;\n"
    "\tuint32_t pr_egid;\n"
    "\tuintptr_t pr_addr;\n"
    "\tdev_t pr_ttydev;\n"
    "\ttimestruc_t pr_start;\n"
    "\tstring pr_fname;\n"
    "\tstring pr_psargs;\n"
    "\tint pr_argc;\n"
    "\tuintptr_t pr_argv;\n"
    "\tuintptr_t pr_envp;\n"
    "\tchar pr_dmodel;\n"
    "\tint pr_taskid;\n"
    "\tint pr_projid;\n"
    "\tint pr_poolid;\n"
    "\tint64_t pr_zoneid;\n"
    "} psinfo_t;\n"
    "typedef struct {\n"
    "\tint si_signo;\n"
    "\tint si_errno;\n"
    "\tint si_code;\n"
    "\tint si_pid;\n"
    "\tuint32_t si_uid;\n"
    "\tint si_status;\n"
    "\tint64_t si_utime;\n"
    "\tint64_t si_stime;\n"
    "\tuintptr_t si_addr;\n"
    "\tint64_t si_band;\n"
    "\tuint64_t si_value;\n"
    "} siginfo_t;\n"
    "typedef struct {\n"
    "\tint pi_state;\n"
    "\tstring pi_processor_type;\n"
    "\tstring pi_fputypes;\n"
    "\tint pi_clock;\n"
    "} processor_info_t;\n"
    "typedef struct {\n"
    "\tint cpu_id;\n"
    "\tint cpu_pset;\n"
    "\tint cpu_chip;\n"
    "\tint cpu_lgrp;\n"
    "\tprocessor_info_t cpu_info;\n"
    "} cpuinfo_t;\n";

static bool
has(const struct gi_kernel *k, const char *strct, const char *path)
{
	return gi_offsetof(k, strct, path) >= 0;
}

/* orig_ax, at the top of the kernel's stack; exceptions and interrupts put -1 there. */
static void
syscall_nr(struct gi_kernel *k, struct dv_str *s)
{
	int64_t orig = gi_uregs_off(k, "orig_ax");

	if (orig < 0)
		dv_str_add(s, "\tpr_syscall = -1;\n");
	else
		dv_str_printf(s, "\tpr_syscall = T->mm == NULL || (T->flags & 0x200000) != 0 ||\n"
		    "\t    T->stack == NULL ? -1 : *(short *)((uint64_t)T->stack + %u);\n",
		    (unsigned)orig);
}

static void
lwpsinfo(struct gi_kernel *k, struct dv_str *s)
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
	    "\tpr_bindpro = T->nr_cpus_allowed == 1 ? %s : -1;\n"
	    "\tpr_bindpset = PS_NONE;\n", queued, cpu, cpu);
	syscall_nr(k, s);
	dv_str_add(s, "\tpr_clname = T->policy == 0 ? \"TS\" : T->policy == 1 ? \"FF\" :\n"
	    "\t    T->policy == 2 ? \"RR\" : T->policy == 3 ? \"B\" : T->policy == 5 ? \"IDL\" :\n"
	    "\t    T->policy == 6 ? \"DLN\" : T->policy == 7 ? \"EXT\" : \"?\";\n");
	dv_str_printf(s, "\tpr_stype = %s ? (__dv_stype[(uintptr_t)T] != 0 ?\n"
	    "\t    __dv_stype[(uintptr_t)T] : __dv_stype0[(uintptr_t)T] != 0 ?\n"
	    "\t    __dv_stype0[(uintptr_t)T] : SOBJ_CV) : SOBJ_NONE;\n"
	    "\tpr_wchan = %s ? (__dv_stype[(uintptr_t)T] != 0 ?\n"
	    "\t    __dv_wchan[(uintptr_t)T] : __dv_wchan0[(uintptr_t)T]) : 0;\n",
	    asleep.s, asleep.s);
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

/* When a thread was started, by the guest's present time of day. */
static void
start_time(const struct gi_kernel *k, struct dv_str *s)
{
	const char *since = has(k, "task_struct", "start_boottime") ? "start_boottime" :
	    "real_start_time";		/* before 5.5 */
	uint64_t at = gi_addr(k, "timekeeper_data"), seq = 0;
	int64_t real = gi_offsetof(k, "timekeeper", "offs_real");
	int64_t boot = gi_offsetof(k, "timekeeper", "offs_boot");
	struct gi_type t;

	/* struct tk_data; it had no name, and was a sequence counter and the timekeeper */
	if (at != 0)
		seq = (uint64_t)gi_offsetof(k, "tk_data", "timekeeper");
	else if ((at = gi_addr(k, "tk_core")) != 0)
		seq = has(k, "tk_data", "timekeeper") ?
		    (uint64_t)gi_offsetof(k, "tk_data", "timekeeper") :
		    gi_type(k, gi_type_find(k, GI_T_STRUCT, "seqcount_raw_spinlock"), &t) == 0 ?
		    (t.size + 7) & ~7ull : 8;
	dv_str_add(s, "translator timestruc_t < struct task_struct *T > {\n");
	if (at == 0 || seq > 4096 || real < 0 || boot < 0)
		dv_str_printf(s, "\ttv_sec = T->%s / 1000000000;\n"
		    "\ttv_nsec = T->%s %% 1000000000;\n};\n", since, since);
	else
		dv_str_printf(s, "\ttv_sec = (T->%s + *(int64_t *)0x%llxull -\n"
		    "\t    *(int64_t *)0x%llxull) / 1000000000;\n"
		    "\ttv_nsec = (T->%s + *(int64_t *)0x%llxull -\n"
		    "\t    *(int64_t *)0x%llxull) %% 1000000000;\n};\n",
		    since, (unsigned long long)(at + seq + (uint64_t)real),
		    (unsigned long long)(at + seq + (uint64_t)boot),
		    since, (unsigned long long)(at + seq + (uint64_t)real),
		    (unsigned long long)(at + seq + (uint64_t)boot));
}

/* The process' number of a kind: of its group, its session. */
#define PIDNR(type) "T->signal->pids[" type "] == NULL ? 0 :\n" \
	"\t    T->signal->pids[" type "]->numbers[0].nr"
#define ILP32 "T->mm->task_size <= 0x100000000"
#define ARGC "*(int *)copyin(T->mm->start_stack, sizeof (int))"

static void
psinfo(const struct gi_kernel *k, struct dv_str *s)
{
	dv_str_printf(s, "translator psinfo_t < struct task_struct *T > {\n"
	    "\tpr_pid = T->tgid;\n"
	    "\tpr_ppid = T->real_parent->tgid;\n"
	    "\tpr_pgid = " PIDNR("2") ";\n"	/* PIDTYPE_PGID */
	    "\tpr_sid = " PIDNR("3") ";\n"	/* PIDTYPE_SID */
	    "\tpr_uid = T->real_cred->uid.val;\n"
	    "\tpr_euid = T->real_cred->euid.val;\n"
	    "\tpr_gid = T->real_cred->gid.val;\n"
	    "\tpr_egid = T->real_cred->egid.val;\n"
	    "\tpr_addr = (uintptr_t)T;\n"
	    "\tpr_nlwp = %s;\n"
	    "\tpr_ttydev = T->signal->tty == NULL ? PRNODEV :\n"
	    "\t    (dev_t)(T->signal->tty->driver->major << 20 |\n"
	    "\t    (T->signal->tty->driver->minor_start + T->signal->tty->index));\n"
	    "\tpr_start = xlate <timestruc_t> (T);\n"
	    "\tpr_fname = stringof(T->comm);\n",
	    has(k, "signal_struct", "nr_threads") ? "T->signal->nr_threads" : "1");
	dv_str_add(s, "\tpr_psargs = T->mm == NULL || T->mm != curthread->mm ||\n"
	    "\t    T->mm->arg_end <= T->mm->arg_start ?\n"
	    "\t    stringof(T->comm) :\n"
	    "\t    memstr(copyin(T->mm->arg_start, " ARGLEN "), ' ', " ARGLEN ");\n"
	    "\tpr_argc = T->mm == NULL || T->mm != curthread->mm ? 0 : " ARGC ";\n"
	    "\tpr_argv = T->mm == NULL ? 0 : T->mm->start_stack + (" ILP32 " ? 4 : 8);\n"
	    "\tpr_envp = T->mm == NULL || T->mm != curthread->mm ? 0 :\n"
	    "\t    T->mm->start_stack + (uint64_t)(" ARGC " + 2) * (" ILP32 " ? 4 : 8);\n"
	    "\tpr_dmodel = T->mm != NULL && " ILP32 " ? PR_MODEL_ILP32 : PR_MODEL_LP64;\n"
	    "\tpr_taskid = 0;\n"
	    "\tpr_projid = 0;\n"
	    "\tpr_poolid = 0;\n"
	    "\tpr_zoneid = T->thread_pid == NULL || T->thread_pid->level == 0 ? 0 :\n"
	    "\t    (int64_t)(&T->thread_pid->numbers[0] + T->thread_pid->level)->ns->ns.inum;\n"
	    "};\n");
}

/* Is it of a fault? SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, made by the kernel. */
#define FAULTED "(S->si_code > 0 && (0x9b0 & (S->si_signo & ~31 ? 0 : 1 << S->si_signo)) != 0)"

static void
siginfo(struct dv_str *s)
{
	dv_str_add(s, "translator siginfo_t < struct kernel_siginfo *S > {\n"
	    "\tsi_signo = S->si_signo;\n"
	    "\tsi_errno = S->si_errno;\n"
	    "\tsi_code = S->si_code;\n"
	    "\tsi_pid = " FAULTED " ? 0 : S->_sifields._kill._pid;\n"
	    "\tsi_uid = " FAULTED " ? 0 : S->_sifields._kill._uid;\n"
	    "\tsi_status = S->si_signo == 17 ? S->_sifields._sigchld._status : 0;\n"
	    "\tsi_utime = S->si_signo == 17 ? S->_sifields._sigchld._utime : 0;\n"
	    "\tsi_stime = S->si_signo == 17 ? S->_sifields._sigchld._stime : 0;\n"
	    "\tsi_addr = " FAULTED " ? (uintptr_t)S->_sifields._sigfault._addr : 0;\n"
	    "\tsi_band = S->si_signo == 29 ? S->_sifields._sigpoll._band : 0;\n"
	    "\tsi_value = S->si_code < 0 ? (uint64_t)S->_sifields._rt._sigval.sival_ptr : 0;\n"
	    "};\n");
}

/* What is known of CPU C as a processor. */
static void
processor(const struct gi_kernel *k, struct dv_str *s)
{
	uint64_t online = gi_addr(k, "__cpu_online_mask"), khz = gi_addr(k, "cpu_khz");

	dv_str_add(s, "translator processor_info_t < int C > {\n");
	if (online == 0)		/* a kernel for one CPU */
		dv_str_add(s, "\tpi_state = P_ONLINE;\n");
	else
		dv_str_printf(s, "\tpi_state = (*(uint64_t *)(0x%llxull +\n"
		    "\t    8 * (uint64_t)(C / 64)) >> (C %% 64) & 1) != 0 ?\n"
		    "\t    P_ONLINE : P_OFFLINE;\n",
		    (unsigned long long)online);
	dv_str_add(s, "\tpi_processor_type = \"x86_64\";\n\tpi_fputypes = \"x87\";\n");
	if (khz == 0)
		dv_str_add(s, "\tpi_clock = 0;\n};\n");
	else
		dv_str_printf(s, "\tpi_clock = *(uint32_t *)0x%llxull / 1000;\n};\n",
		    (unsigned long long)khz);
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
	dv_str_printf(s, "\tcpu_info = xlate <processor_info_t> ((int)%s);\n};\n", c);
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
	start_time(k, &s);
	psinfo(k, &s);
	siginfo(&s);
	processor(k, &s);
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
