/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sites.h - how providers put rules at guest addresses. */
#ifndef GI_SITES_H
#define GI_SITES_H
#include "func.h"

/* Order of rules at one address: lower first. */
enum {
	GI_PRIO_FIRST, GI_PRIO_SECOND, GI_PRIO_THIRD,	/* within a provider */
	GI_PRIO_ENTRY, GI_PRIO_RET,
	GI_PRIO_LAST
};

struct gi_brule {
	uint64_t at;
	uint32_t prio, seq;
	struct gi_rule r;
};

struct gi_left {
	uint32_t want;
	char reason[96];
};

/*
 * One run of gi_sites_make. Everything added is kept until finish; when memory
 * runs out `failed` stays true and indices are DV_NONE: add freely, look once.
 */
struct gi_build {
	struct gi_kernel *k;
	const uint32_t *want;
	size_t nwant;
	bool failed;
	DV_VEC(struct gi_brule) rules;
	DV_VEC(struct dv_argset) argsets;
	DV_VEC(uint32_t) select;
	DV_VEC(char *) exprs;
	DV_VEC(struct gi_left) left;
	DV_VEC(struct gi_start) starts;
	bool starts_cut;
	struct dv_map *argmap;	/* hash -> index + 1 of the newest such */
	struct dv_smap *exprmap;
};

uint32_t gi_build_args(struct gi_build *b, const struct dv_argset *a);
uint32_t gi_build_expr(struct gi_build *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* n elements of DV_NONE; the first one's index. */
uint32_t gi_build_select(struct gi_build *b, uint32_t n);
void gi_build_rule(struct gi_build *b, uint64_t at, uint32_t prio, const struct gi_rule *r);
/* Something to remember or forget, without a probe. raw: its raw arguments, or NULL. */
void gi_build_stmt(struct gi_build *b, uint64_t at, uint32_t prio, const struct dv_argset *raw,
    const char *text);
/* A statement for the start of the trace; raw: constants. */
void gi_build_start(struct gi_build *b, const struct dv_argset *raw, const char *text);
void gi_build_leave(struct gi_build *b, uint32_t want, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Hardware numbers of registers (gi_insn_base) -> DV_REG_*. */
static const uint8_t gi_reg_of[16] = {
	DV_REG_RAX, DV_REG_RCX, DV_REG_RDX, DV_REG_RBX, DV_REG_RSP, DV_REG_RBP, DV_REG_RSI,
	DV_REG_RDI, DV_REG_R8, DV_REG_R9, DV_REG_R10, DV_REG_R11, DV_REG_R12, DV_REG_R13,
	DV_REG_R14, DV_REG_R15
};

static inline struct dv_loc
gi_loc_reg(unsigned reg)
{
	return (struct dv_loc){ .kind = DV_LOC_REG, .reg = (uint8_t)reg };
}

static inline struct dv_loc
gi_loc_mem(unsigned reg, int32_t disp)
{
	return (struct dv_loc){ .kind = DV_LOC_MEM, .reg = (uint8_t)reg, .disp = disp };
}

/* ---- providers: linux/NAME.c ---- */

/* Their part of the table. */
int gi_syscall_open(struct gi_kernel *k, struct gi_probes *p, struct dv_err *err);
int gi_sched_open(struct gi_kernel *k, struct gi_probes *p, struct dv_err *err);
int gi_proc_open(struct gi_kernel *k, struct gi_probes *p, struct dv_err *err);
int gi_fbt_open(struct gi_kernel *k, struct gi_probes *p, struct dv_err *err);
/* Number of probes, then one of them by its place in the provider's run. */
uint32_t gi_syscall_count(const struct gi_probes *p);
void gi_syscall_probe(const struct gi_kernel *k, uint32_t i, struct gi_probe *ret);
void gi_sched_probe(const struct gi_kernel *k, uint32_t i, struct gi_probe *ret);
void gi_proc_probe(const struct gi_kernel *k, uint32_t i, struct gi_probe *ret);
void gi_fbt_probe(const struct gi_kernel *k, uint32_t i, struct gi_probe *ret);
/* Names and flags only, which is cheap. False: a hole in the numbers. */
bool gi_fbt_name(const struct gi_kernel *k, uint32_t i, struct gi_probe *ret);
const char *gi_fbt_why_not(const struct gi_kernel *k, uint32_t i);
/* After the kernel's own come those of modules: how many, holes included. */
uint32_t gi_fbt_mod_probes(const struct gi_kernel *k);
/* The module that i and all up to end are of. False: of none. */
bool gi_fbt_run(const struct gi_kernel *k, uint32_t i, const char **mod, uint32_t *end);
/* Rules for those of b->want that are theirs. */
int gi_syscall_sites(struct gi_build *b, struct dv_err *err);
int gi_sched_sites(struct gi_build *b, struct dv_err *err);
int gi_proc_sites(struct gi_build *b, struct dv_err *err);
int gi_fbt_sites(struct gi_build *b, struct dv_err *err);
/* GI_WANT_SWITCH (linux/sched.c), GI_WANT_SOBJ (linux/sobj.c). */
int gi_switch_site(struct gi_build *b, struct dv_err *err);
int gi_sobj_sites(struct gi_build *b, struct dv_err *err);
#endif
