/* SPDX-License-Identifier: GPL-2.0-or-later */
/* work.h - what the workloads share. */
#ifndef DV_WORK_H
#define DV_WORK_H

#include <stdint.h>

/*
 * One workload. Arguments are what follows its name; a missing one has the
 * value in the table (main.c). Returns the exit status.
 */
struct work {
	const char	*name;
	const char	*args;		/* for the usage text */
	int		(*run)(const struct work *w, long *arg, char **argv);
	long		arg[3];		/* defaults */
};

int work_syscalls(const struct work *w, long *arg, char **argv);
int work_pingpong(const struct work *w, long *arg, char **argv);
int work_hog(const struct work *w, long *arg, char **argv);
int work_mutex(const struct work *w, long *arg, char **argv);
int work_prio(const struct work *w, long *arg, char **argv);
int work_sleep(const struct work *w, long *arg, char **argv);
int work_locks(const struct work *w, long *arg, char **argv);
int work_asleep(const struct work *w, long *arg, char **argv);
int work_console(const struct work *w, long *arg, char **argv);
int work_migrate(const struct work *w, long *arg, char **argv);
int work_steal(const struct work *w, long *arg, char **argv);
int work_preempt(const struct work *w, long *arg, char **argv);
int work_serve(const struct work *w, long *arg, char **argv);
int work_deadline(const struct work *w, long *arg, char **argv);
int work_forkexec(const struct work *w, long *arg, char **argv);
int work_die(const struct work *w, long *arg, char **argv);
int work_threads(const struct work *w, long *arg, char **argv);
int work_signals(const struct work *w, long *arg, char **argv);
int work_badexec(const struct work *w, long *arg, char **argv);
int work_sigwait(const struct work *w, long *arg, char **argv);
int work_groups(const struct work *w, long *arg, char **argv);
int work_who(const struct work *w, long *arg, char **argv);
int work_faults(const struct work *w, long *arg, char **argv);
int work_stack(const struct work *w, long *arg, char **argv);
int work_ext(const struct work *w, long *arg, char **argv);
int work_slice(const struct work *w, long *arg, char **argv);
int work_bench(const struct work *w, long *arg, char **argv);

/*
 * The result line: report_start("syscalls"), report("write", 10)...,
 * report_end(). It leaves in one write(2) to standard output.
 */
void report_start(const char *name);
void report(const char *key, uint64_t count);
void report_text(const char *key, const char *text);
void report_end(void);
void report_switches(void);		/* nvcsw=, nivcsw= of this process */

uint64_t now_ns(void);			/* CLOCK_MONOTONIC, from the vDSO */

/* Ends the program, naming the call that failed. */
void die(const char *what) __attribute__((noreturn));

/*
 * N pages in a row, none of which is there: who touches one waits for
 * supply_page(). missing_pages() returns the userfaultfd, await_faults() when so many
 * threads wait.
 */
int missing_pages(char **pages, long n);
void await_faults(int uffd, long n);
void supply_page(int uffd, char *page);

/* A thread's state, as proc(5) has it, and how often it has slept so far. */
char thread_state(int tid, long *slept);

extern char self_path[];		/* this program's file */

#endif
