/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cn.h - the consumer: records and aggregation entries -> what dtrace(1) prints.
 *
 * Pure: bytes in, text out through a writer. It knows the program (dv_prog.h's
 * checked view) and the formats of dv_rec.h; nothing of carriers. Bytes come
 * from a carrier that is trusted no further than bounds: every length is
 * checked, strings are cut at their field and printed with control characters
 * escaped (newline and tab of printf *formats* are the program's own; those in
 * guest *strings* are escaped).
 */
#ifndef CN_H
#define CN_H
/*
 * What it expects of a clause's actions beyond act.def:
 *
 *	PRINTF FREOPEN SYSTEM	arg: offset of the format in DV_SEC_STRS; the
 *				arguments follow, those of * and .* before their
 *				value
 *	PRINTA			the arguments' arg: aggregation ids; they have no
 *				record. All aggregations have the same keys.
 *	SETOPT			arguments: two strings, or one
 *	NORMALIZE		record: the factor, an integer of any size
 *	TRUNC			record: the count, an integer of any size; without
 *				record, or with a bit above 31 in arg: all
 *	EXIT			record: the status
 *	TRACEMEM		record: the bytes; one argument: how many are shown
 *	PRINT			arg: offset of its type's text (typed.c)
 *	USYM UMOD UADDR		record: process id, address
 */
#include "abi/dv_prog.h"
#include "abi/dv_rec.h"
#include "base/err.h"

struct cn;

/* Addresses to names, for stack(), sym(), printf %a %A; any may be NULL. */
struct cn_symbols {
	void *arg;
	/* kernel address -> "mod", "func", offset; false: unknown */
	bool (*kernel)(void *arg, uint64_t addr, const char **mod, const char **sym, uint64_t *off);
	bool (*user)(void *arg, uint64_t pid, uint64_t addr, const char **obj,
	    const char **sym, uint64_t *off);
};

/* What the program asks of the command (dtrace's library actions). */
struct cn_requests {
	void *arg;
	int  (*freopen)(void *arg, const char *path);	/* "": back to the first output */
	int  (*system)(void *arg, const char *cmd);
	void (*ftruncate)(void *arg);
};

struct cn_config {
	const struct dv_prog *prog;	/* borrowed, outlives cn */
	void (*out)(void *arg, const char *s, size_t n);	/* standard output */
	/* a line of stderr, without prefix and newline */
	void (*msg)(void *arg, const char *line);
	void *arg;
	const struct cn_symbols *symbols;
	const struct cn_requests *requests;
	unsigned ncpu;			/* vCPUs + 1 host */
	const uint32_t *cpu_ids;	/* CPU column per vCPU: guest's cpu number; host prints 0 */
};

int  cn_open(const struct cn_config *cfg, struct dv_err *err, struct cn **ret);
void cn_close(struct cn *c);

/* The header line of the default output ("CPU     ID    FUNCTION:NAME"), unless quiet. */
void cn_header(struct cn *c);

/*
 * Options that the consumer reads (quiet flowindent temporal agg* rawbytes
 * stackindent droptags ...) come from prog->opts; setopt() changes them here.
 */
uint64_t cn_option(const struct cn *c, enum dv_opt opt);

/*
 * One principal snapshot of a CPU (index 0..ncpu-1; ncpu-1 is the host), whose
 * bytes begin at `data`, whatever s->off: prints its records. With `temporal`, records
 * are kept until cn_flush(before), for which see merge.c.
 * Library actions in records (printa, normalize, clear, trunc, exit, ...) act
 * here, in order: aggregations must have been taken (cn_take_aggs) before.
 * DV_E_FORMAT: bytes make no sense (err tells the place); the rest is skipped.
 */
int  cn_take_records(struct cn *c, unsigned cpu, const void *data, const struct dv_snap *s,
	struct dv_err *err);
/*
 * After a round of snapshots of all CPUs, `before`: a time just before the
 * first of them. Prints in order all that nothing older can follow. ~0: all.
 */
void cn_flush(struct cn *c, uint64_t before);

/* One aggregation snapshot: merged into the consumer's aggregations. */
int  cn_take_aggs(struct cn *c, unsigned cpu, const void *data, const struct dv_snap *s,
	struct dv_err *err);

/* At the end: prints aggregations that no printa() printed, as dtrace does (a blank line first). */
void cn_finish(struct cn *c);

/* Compares with the last status and reports what is new: drops, failed speculations ... */
void cn_report_drops(struct cn *c, const struct dv_status *st);
/* Drops of one CPU's principal buffer: "N drops on CPU M". */
void cn_report_cpu_drops(struct cn *c, unsigned cpu, const struct dv_snap *s);

/* exit() seen in a record; status. */
bool cn_exiting(const struct cn *c, int *status);

/* Could the output not be written (out's owner sets it)? Records stop being printed. */
void cn_set_failed(struct cn *c);
#endif
