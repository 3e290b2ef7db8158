/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scene.h - what a D program meets in tests: drun.c says it in words.
 *
 * Types, symbols, a library, probes and the memory behind them; for programs
 * of one file, so all is static.
 */
#ifndef DV_TEST_SCENE_H
#define DV_TEST_SCENE_H
#include "dcomp/dcomp.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* ---- types ------------------------------------------------------------- */

enum { Y_VOID, Y_INT, Y_UINT, Y_CHAR, Y_LONG, Y_ULONG, Y_COMM, Y_TASK, Y_TASKP, Y_POINT,
    Y_ANON, Y_COLOR, Y_BITS, Y_U8, Y_FWD, Y_FWDP, Y_POINT4, Y_LOOPA, Y_LOOPB, Y_FN, Y_MINE,
    Y_SHORT, Y_PATH, Y_FILE, Y_N };

static const struct dc_tinfo infos[Y_N] = {
	[Y_INT] = { .kind = DC_T_INT, .name = "int", .size = 4, .is_signed = true },
	[Y_UINT] = { .kind = DC_T_INT, .name = "unsigned int", .size = 4 },
	[Y_CHAR] = { .kind = DC_T_INT, .name = "char", .size = 1, .is_signed = true, .is_char = true },
	[Y_LONG] = { .kind = DC_T_INT, .name = "long", .size = 8, .is_signed = true },
	[Y_ULONG] = { .kind = DC_T_INT, .name = "unsigned long", .size = 8 },
	[Y_COMM] = { .kind = DC_T_ARRAY, .name = "", .size = 16, .ref = Y_CHAR, .n = 16 },
	[Y_TASK] = { .kind = DC_T_STRUCT, .name = "task_struct", .size = 2048, .n = 5 },
	[Y_TASKP] = { .kind = DC_T_PTR, .name = "", .size = 8, .ref = Y_TASK },
	[Y_POINT] = { .kind = DC_T_STRUCT, .name = "point", .size = 16, .n = 4 },
	[Y_ANON] = { .kind = DC_T_UNION, .name = "", .size = 4, .n = 2 },
	[Y_COLOR] = { .kind = DC_T_ENUM, .name = "color", .size = 4, .n = 2 },
	[Y_BITS] = { .kind = DC_T_STRUCT, .name = "bits", .size = 8, .n = 3 },
	[Y_U8] = { .kind = DC_T_TYPEDEF, .name = "u32", .ref = Y_UINT },
	[Y_FWD] = { .kind = DC_T_FWD, .name = "nowhere" },
	[Y_FWDP] = { .kind = DC_T_PTR, .name = "", .size = 8, .ref = Y_FWD },
	[Y_POINT4] = { .kind = DC_T_ARRAY, .name = "", .size = 64, .ref = Y_POINT, .n = 4 },
	[Y_LOOPA] = { .kind = DC_T_TYPEDEF, .name = "loop_a", .ref = Y_LOOPB },
	[Y_LOOPB] = { .kind = DC_T_TYPEDEF, .name = "loop_b", .ref = Y_LOOPA },
	[Y_FN] = { .kind = DC_T_FUNC, .name = "", .ref = Y_INT },
	[Y_MINE] = { .kind = DC_T_TYPEDEF, .name = "mine", .ref = Y_INT },
	[Y_PATH] = { .kind = DC_T_STRUCT, .name = "path", .size = 16 },
	[Y_FILE] = { .kind = DC_T_STRUCT, .name = "file", .size = 40, .n = 1 },
	[Y_SHORT] = { .kind = DC_T_INT, .name = "short", .size = 2, .is_signed = true },
};

struct guest {
	struct dv_sim *sim;
	uint64_t task, data;
	struct dc_minfo task_members[5];
};

static const struct dc_minfo point_members[] = {
	{ .name = "x", .type = Y_INT, .bit_off = 0 }, { .name = "y", .type = Y_INT, .bit_off = 32 },
	{ .name = "", .type = Y_ANON, .bit_off = 64 }, { .name = "s", .type = Y_SHORT, .bit_off = 96 },
};
static const struct dc_minfo file_members[] = {
	{ .name = "f_path", .type = Y_PATH, .bit_off = 24 * 8 },
};
static const struct dc_minfo anon_members[] = {
	{ .name = "u", .type = Y_UINT }, { .name = "color", .type = Y_COLOR },
};
static const struct dc_minfo color_members[] = {
	{ .name = "RED", .value = 3 }, { .name = "GREEN", .value = 4 },
};
static const struct dc_minfo bits_members[] = {
	{ .name = "a", .type = Y_UINT, .bit_off = 0, .bit_size = 3 },
	{ .name = "b", .type = Y_INT, .bit_off = 3, .bit_size = 5 },
	{ .name = "c", .type = Y_UINT, .bit_off = 28, .bit_size = 8 },
};

static dc_tid_t
ty_find(void *arg, const char *mod, enum dc_tkind kind, const char *name)
{
	dc_tid_t i;

	(void)arg;
	if (mod != NULL && strcmp(mod, "vmlinux") != 0)
		return 0;
	for (i = 1; i < Y_N; i++)
		if (infos[i].kind == kind && strcmp(infos[i].name, name) == 0)
			return i;
	return 0;
}

static int
ty_info(void *arg, dc_tid_t id, struct dc_tinfo *ret)
{
	(void)arg;
	if (id >= Y_N)
		return DV_E_NOENT;
	*ret = infos[id];
	return 0;
}

static int
ty_member(void *arg, dc_tid_t id, uint32_t i, struct dc_minfo *ret)
{
	const struct guest *g = arg;

	switch (id) {
	case Y_TASK: *ret = g->task_members[i]; return 0;
	case Y_POINT: *ret = point_members[i]; return 0;
	case Y_ANON: *ret = anon_members[i]; return 0;
	case Y_COLOR: *ret = color_members[i]; return 0;
	case Y_BITS: *ret = bits_members[i]; return 0;
	case Y_FILE: *ret = file_members[i]; return 0;
	default: return DV_E_NOENT;
	}
}

static int
ty_symbol(void *arg, const char *mod, const char *name, struct dc_sinfo *ret)
{
	const struct guest *g = arg;
	static const struct { const char *name; uint32_t off; dc_tid_t type; const char *text; } syms[] = {
		{ "answer", 0, Y_INT, NULL }, { "points", 16, Y_POINT4, NULL },
		{ "flags", 96, Y_BITS, NULL }, { "cur", 104, Y_TASKP, NULL },
		{ "name", 112, Y_COMM, NULL }, { "untyped", 0, 0, NULL },
		{ "ticks", 0, 0, "unsigned int" }, { "ends", 16, 0, "int[8]" },
		{ "strange", 0, 0, "struct nowhere_at_all" }, { "func", 0, Y_FN, NULL },
		{ "lost", 104, Y_FWDP, NULL }, { "passwd", 128, Y_PATH, NULL },
		{ "opened", 144, Y_FILE, NULL }, { "gone", 184, Y_PATH, NULL },
	};
	unsigned i;

	if (mod != NULL && strcmp(mod, "vmlinux") != 0)
		return DV_E_NOENT;
	for (i = 0; i < sizeof(syms) / sizeof(syms[0]); i++)
		if (strcmp(syms[i].name, name) == 0) {
			*ret = (struct dc_sinfo){ .addr = g->data + syms[i].off,
			    .type = syms[i].type, .text = syms[i].text,
			    .is_code = syms[i].type == Y_FN };
			return 0;
		}
	return DV_E_NOENT;
}

static bool
ty_enumerator(void *arg, const char *name, int64_t *value, dc_tid_t *type)
{
	unsigned i;

	(void)arg;
	for (i = 0; i < 2; i++)
		if (strcmp(color_members[i].name, name) == 0) {
			*value = color_members[i].value;
			*type = Y_COLOR;
			return true;
		}
	return false;
}

static const char prelude[] =
"typedef struct lwpsinfo { int pr_lwpid; uintptr_t pr_addr; char pr_state; char pr_what; "
"string pr_clname; } lwpsinfo_t;\n"
"typedef struct psinfo { pid_t pr_pid; char pr_fname[16]; uintptr_t pr_addr; } psinfo_t;\n"
"typedef struct cpuinfo { int cpu_id; } cpuinfo_t;\n"
"translator lwpsinfo_t < struct task_struct *T > {\n"
"	pr_lwpid = T->pid; pr_addr = (uintptr_t)T; pr_state = T->flags & 1 ? 2 : 1;\n"
"	pr_clname = \"TS\";\n};\n"
"translator psinfo_t < struct task_struct *T > {\n"
"	pr_pid = T->tgid; pr_fname = T->comm; pr_addr = (uintptr_t)T;\n};\n"
"translator cpuinfo_t < int C > { cpu_id = C; };\n"
"inline int SSLEEP = 1;\n"
"inline int BROKEN = ((struct task_struct *)0)->nosuch;\n"
"typedef nosuch_t *broken_t;\n"
"inline int USESBROKEN = BROKEN + 1;\n";

/* ---- probes ------------------------------------------------------------ */

enum { P_BEGIN, P_END, P_ERROR, P_TICK, P_ENTRY, P_RETURN, P_NONE, P_ALIKE, P_N };

static const struct { const char *f[4]; uint32_t flags; } probes[P_N] = {
	[P_BEGIN] = { { "dtrace", "", "", "BEGIN" }, DV_PF_BEGIN | DV_PF_HOST },
	[P_END] = { { "dtrace", "", "", "END" }, DV_PF_END | DV_PF_HOST },
	[P_ERROR] = { { "dtrace", "", "", "ERROR" }, DV_PF_ERROR | DV_PF_HOST },
	[P_TICK] = { { "profile", "", "", "tick-1sec" }, DV_PF_HOST },
	[P_ENTRY] = { { "t", "m", "hit", "entry" }, DV_PF_ENTRY },
	[P_RETURN] = { { "t", "m", "hit", "return" }, DV_PF_RETURN },
	[P_NONE] = { { "t", "m", "none", "entry" }, 0 },
	[P_ALIKE] = { { "u", "m", "alike", "entry" }, 0 },
};

static bool
matches(unsigned p, const struct dc_pdesc *d)
{
	if (d->id != 0)
		return d->id == p + 1;
	return dv_glob_match(d->prov, probes[p].f[0]) && dv_glob_match(d->mod, probes[p].f[1]) &&
	    dv_glob_match(d->func, probes[p].f[2]) &&
	    (dv_glob_match(d->name, probes[p].f[3]) ||
	    (p == P_TICK && strncmp(d->name, "tick-", 5) == 0));
}

static int
match(void *arg, const struct dc_pdesc *d, struct dc_probeinfo *ret, struct dv_err *err)
{
	static const struct dc_arg entry[] = {
		{ "struct task_struct *", 0, "lwpsinfo_t *", 0 }, { "int", 0, NULL, 1 },
		{ "int", 0, "cpuinfo_t *", 2 },
	};
	static const struct dc_arg lost[] = {
		{ "int", 0, "nosuch_t *", 0 }, { "struct point *", 0, "lwpsinfo_t *", 1 },
	};
	static const struct dc_arg alike[] = {
		{ "struct task_struct *", 0, "lwpsinfo_t *", 0 }, { "long", 0, NULL, 1 },
		{ "int", 0, "cpuinfo_t *", 2 },
	};
	static const struct dc_arg back[] = { { NULL, Y_INT, NULL, 1 } };
	const struct dc_arg *args;
	uint32_t nargs;
	unsigned p, i;

	(void)arg;
	if (strcmp(d->name, "tick-0sec") == 0)
		return dv_err_set(err, DV_E_INVAL, "probe tick-0sec: the rate is out of range");
	for (p = 0; p < P_N; p++) {
		if (!matches(p, d))
			continue;
		for (i = 0; i < ret->nprov && strcmp(ret->prov[i], probes[p].f[0]) != 0; i++)
			;
		if (i == ret->nprov)
			ret->prov[ret->nprov++] = probes[p].f[0];
		args = p == P_ENTRY ? entry : p == P_NONE ? lost : p == P_ALIKE ? alike : back;
		nargs = p == P_ENTRY || p == P_ALIKE ? 3 : p == P_NONE ? 2 : p == P_RETURN ? 1 : 0;
		(void)dc_probeinfo_args(ret, args, nargs);
		ret->nmatched++;
	}
	return 0;
}

struct enabled { uint32_t clause; struct dc_pdesc d; };
struct enabling { DV_VEC(struct enabled) v; };

static void
clause(void *arg, uint32_t c, const struct dc_pdesc *d)
{
	struct enabling *e = arg;

	if (dv_vec_push(&e->v, ((struct enabled){ c, *d })) != 0)
		abort();
}

static void
add_probes(struct dv_progb *b, const struct enabling *e)
{
	struct dv_argset set[2] = { 0 };
	unsigned p;
	size_t i;

	for (p = 0; p < P_N; p++) {
		struct dv_probe pr = { .id = p + 1, .flags = probes[p].flags };

		pr.prov = dv_progb_str(b, probes[p].f[0]);
		pr.mod = dv_progb_str(b, probes[p].f[1]);
		pr.func = dv_progb_str(b, probes[p].f[2]);
		pr.name = dv_progb_str(b, probes[p].f[3]);
		(void)dv_vec_push(&b->probes, pr);
		for (i = 0; i < e->v.n; i++)
			if (matches(p, &e->v.v[i].d))
				(void)dv_vec_push(&b->ecbs, ((struct dv_ecbdesc){ p, e->v.v[i].clause }));
	}
	for (p = 0; p < 2; p++) {
		set[p].arg[0] = (struct dv_loc){ .kind = DV_LOC_REG, .reg = DV_REG_RDI };
		set[p].arg[1] = (struct dv_loc){ .kind = DV_LOC_REG, .reg = DV_REG_RSI };
		set[p].arg[2] = (struct dv_loc){ .kind = DV_LOC_REG, .reg = DV_REG_RDX };
		(void)dv_vec_push(&b->argsets, set[p]);
		(void)dv_vec_push(&b->rules, ((struct dv_rule){ .kind = DV_RULE_FIRE, .guard = DV_NONE,
		    .raw = DV_NONE, .args = p, .probe = p == 0 ? P_ENTRY : P_RETURN,
		    .nselect = 0 }));
		(void)dv_vec_push(&b->sites, ((struct dv_site){ .addr = DV_SIM_TEXT + 0x100 * (p + 1),
		    .rule = p, .nrule = 1 }));
	}
	(void)dv_vec_push(&b->timers, ((struct dv_timer){ P_TICK, 0, 1000000000 }));
}

/* ---- the guest ---------------------------------------------------------- */

/* passwd is /etc/passwd, opened an open file of it, gone one that was deleted. */
static void
make_files(struct guest *g)
{
	uint64_t root, mnt, etc, d[2], word[2];
	unsigned i;

	dv_sim_vfs(g->sim);
	root = dv_sim_dentry(g->sim, "/", 0);
	mnt = dv_sim_mount(g->sim, root, 0, 0);
	etc = dv_sim_dentry(g->sim, "etc", root);
	d[0] = dv_sim_dentry(g->sim, "passwd", etc);
	d[1] = dv_sim_dentry(g->sim, "gone", etc);
	dv_sim_unlink(g->sim, d[1]);
	for (i = 0; i < 3; i++) {
		static const uint32_t off[3] = { 128, 144 + 24, 184 };

		dv_sim_read(g->sim, 0, dv_sim_path(g->sim, mnt, d[i == 2]), word, 16);
		dv_sim_write(g->sim, 0, g->data + off[i], word, 16);
	}
	dv_sim_chroot(g->sim, g->task, mnt, root);
	dv_sim_chroot(g->sim, dv_sim_layout(g->sim)->init_task, mnt, root);
}

static void
make_guest(struct guest *g)
{
	static const char *const names[] = { "pid", "tgid", "comm", "flags", "next" };
	const struct dv_layout *l;
	unsigned i;

	g->sim = dv_sim_create(1, 1 << 20);
	g->task = dv_sim_task(g->sim, 0, 0, "swapper", 0);
	g->task = dv_sim_task(g->sim, 42, 40, "sh", g->task);
	dv_sim_current(g->sim, 0, g->task);
	l = dv_sim_layout(g->sim);
	for (i = 0; i < 5; i++)
		g->task_members[i].name = names[i];
	g->task_members[0].type = g->task_members[1].type = Y_INT;
	g->task_members[2].type = Y_COMM;
	g->task_members[3].type = Y_UINT;
	g->task_members[4].type = Y_TASKP;
	g->task_members[0].bit_off = l->task_pid * 8;
	g->task_members[1].bit_off = l->task_tgid * 8;
	g->task_members[2].bit_off = l->task_comm * 8;
	g->task_members[3].bit_off = l->task_flags * 8;
	g->task_members[4].bit_off = l->task_real_parent * 8;
	g->data = dv_sim_alloc(g->sim, 256);
	dv_sim_write64(g->sim, g->data, 42 | 0x1234500000000ull);
	for (i = 0; i < 4; i++) {		/* points: x = 10 i, y = -i, u = i, s = -7 */
		dv_sim_write64(g->sim, g->data + 16 + i * 16, 10 * i | (uint64_t)(uint32_t)-i << 32);
		dv_sim_write64(g->sim, g->data + 24 + i * 16, i | 0xfff900000000ull);
	}
	/* a = 5, b = -2, c = 0xab */
	dv_sim_write64(g->sim, g->data + 96, 5 | 30 << 3 | 0xabull << 28);
	dv_sim_write64(g->sim, g->data + 104, g->task);
	dv_sim_write(g->sim, 0, g->data + 112, "guest name", 11);
	make_files(g);
}
#endif
