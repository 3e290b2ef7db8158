/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prog_stub.c - no programs yet: answers LOAD with a refusal. */
#include "tcg/prog.h"
#include <stdio.h>
enum dv_ctl_status dv_tprog_load(void *b, size_t l, uint32_t pid, struct dv_tcg_prog **r, struct dv_ctl_loaded *o, int *fd, struct dv_reason *why)
{ (void)b;(void)l;(void)pid;(void)r;(void)o;(void)fd; snprintf(why->text, sizeof(why->text), "programs are not there yet"); return DV_CTL_EREFUSED; }
enum dv_ctl_status dv_tprog_go(struct dv_tcg_prog *p, struct dv_reason *why){(void)p;(void)why;return DV_CTL_OK;}
void dv_tprog_stop(struct dv_tcg_prog *p){(void)p;}
void dv_tprog_unload(struct dv_tcg_prog *p){(void)p;}
int dv_tprog_snap(struct dv_tcg_prog *p,unsigned c,unsigned w,struct dv_snap*r){(void)p;(void)c;(void)w;(void)r;return -1;}
void dv_tprog_status(struct dv_tcg_prog *p,struct dv_status*r){(void)p;(void)r;}
int dv_tprog_account(struct dv_tcg_prog *p,uint32_t e,struct dv_account*r){(void)p;(void)e;(void)r;return -1;}
uint64_t dv_tprog_poll(uint64_t n){(void)n;return ~0ull;}
void dv_tprog_sites_off(void){}
void dv_tprog_trans(struct qemu_plugin_tb*t,uint64_t v,size_t n){(void)t;(void)v;(void)n;}
bool dv_tprog_any(void){return false;}
bool dv_tprog_profiles(void){return false;}
void dv_tprog_callback(void){}
