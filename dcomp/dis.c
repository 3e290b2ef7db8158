/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dis.c - DIF as text, in the layout of dtrace -S.
 *
 * Each DIFO that a clause uses: its result's type, its instructions, then the
 * variables that they name. Nothing is assumed of the code: what makes no
 * sense is shown as numbers.
 */
#include "impl.h"

static const struct { const char *text; uint8_t format; } ops[256] = {
#define DIF_OP(name, value, text, format) [value] = { text, DV_DIF_##format },
#include "abi/dif.def"
};

static const char *
builtin_name(uint32_t id)
{
	switch (id) {
#define DIF_VAR(name, value, text) case value: return text;
#include "abi/dif.def"
	default:
		return NULL;
	}
}

static const char *
subr_name(uint32_t id)
{
	switch (id) {
#define DIF_SUBR(name, value, text, nargs) case value: return text;
#include "abi/dif.def"
	default:
		return "unknown";
	}
}

static const struct dv_var *
find_var(const struct dv_progb *b, uint32_t id, unsigned scope)
{
	size_t i;

	for (i = 0; i < b->vars.n; i++)
		if (b->vars.v[i].id == id && b->vars.v[i].scope == scope)
			return &b->vars.v[i];
	return NULL;
}

static unsigned
scope_of(unsigned op)
{
	switch (op) {
	case DIF_OP_LDTS: case DIF_OP_STTS: case DIF_OP_LDTAA: case DIF_OP_STTAA: case DIF_OP_LDTA:
		return DV_VS_TLS;
	case DIF_OP_LDLS: case DIF_OP_STLS:
		return DV_VS_LOCAL;
	default:
		return DV_VS_GLOBAL;
	}
}

static void
dtype_text(const struct dv_dtype *t, char *buf, size_t n)
{
	const char *ref = t->flags & DV_TF_BYREF ? " by ref" : "";

	switch (t->kind) {
	case DV_T_INT:
		snprintf(buf, n, "D type (integer)%s (size %u)", ref, t->size);
		break;
	case DV_T_STRING:
		snprintf(buf, n, "string (unknown)%s (size %u)", ref, t->size);
		break;
	case DV_T_BYTES:
		snprintf(buf, n, "D type (struct)%s (size %u)", ref, t->size);
		break;
	default:
		snprintf(buf, n, "D type (void) (size %u)", t->size);
		break;
	}
}

struct listing {
	const struct dv_progb *b;
	void (*put)(void *, const char *);
	void *arg;
};

static void
put_instr(const struct listing *l, const struct dv_difo *d, uint32_t off, uint32_t i)
{
	unsigned op = DIF_INSTR_OP(i), r1 = DIF_INSTR_R1(i), r2 = DIF_INSTR_R2(i),
	    rd = DIF_INSTR_RD(i);
	unsigned idx = DIF_INSTR_INDEX(i);
	const char *name = ops[op].text != NULL ? ops[op].text : "?";
	const struct dv_var *v;
	char t[128] = "", text[160], note[400] = "";
	struct dv_str line;

	switch (ops[op].format) {
	case DV_DIF_RRR:
		snprintf(t, sizeof(t), "%%r%u, %%r%u, %%r%u", r1, r2, rd);
		break;
	case DV_DIF_RR:
		snprintf(t, sizeof(t), "%%r%u, %%r%u", r1, rd);
		break;
	case DV_DIF_CMP:
		snprintf(t, sizeof(t), "%%r%u, %%r%u", r1, r2);
		break;
	case DV_DIF_TST:
		snprintf(t, sizeof(t), "%%r%u", r1);
		break;
	case DV_DIF_LD:
		snprintf(t, sizeof(t), "[%%r%u], %%r%u", r1, rd);
		break;
	case DV_DIF_ST:
		snprintf(t, sizeof(t), "%%r%u, [%%r%u]", r1, rd);
		break;
	case DV_DIF_BR:
		snprintf(t, sizeof(t), "%u", DIF_INSTR_LABEL(i));
		break;
	case DV_DIF_RET:
		snprintf(t, sizeof(t), "%%r%u", rd);
		break;
	case DV_DIF_INT:
		snprintf(t, sizeof(t), "DT_INTEGER[%u], %%r%u", idx, rd);
		if (idx < d->nints && d->ints + idx < l->b->ints.n)
			snprintf(note, sizeof(note), "0x%" PRIx64, l->b->ints.v[d->ints + idx]);
		break;
	case DV_DIF_STR:
		snprintf(t, sizeof(t), "DT_STRING[%u], %%r%u", idx, rd);
		if (idx < d->nstrs && d->strs + (size_t)idx < l->b->difstrs.len)
			snprintf(note, sizeof(note), "\"%.380s\"", l->b->difstrs.s + d->strs + idx);
		break;
	case DV_DIF_VLD: case DV_DIF_VST:
		if (ops[op].format == DV_DIF_VLD)
			snprintf(t, sizeof(t), "DT_VAR(%u), %%r%u", idx, rd);
		else
			snprintf(t, sizeof(t), "%%r%u, DT_VAR(%u)", rd, idx);
		if (idx < DIF_VAR_USER && builtin_name(idx) != NULL)
			snprintf(note, sizeof(note), "DT_VAR(%u) = \"%s\"", idx, builtin_name(idx));
		else if ((v = find_var(l->b, idx, scope_of(op))) != NULL)
			snprintf(note, sizeof(note), "DT_VAR(%u) = \"%.300s\"", idx,
			    dv_progb_strat(l->b, v->name));
		break;
	case DV_DIF_ALD:
		snprintf(t, sizeof(t), "DT_VAR(%u), %%r%u, %%r%u", r1, r2, rd);
		if (builtin_name(r1) != NULL)
			snprintf(note, sizeof(note), "DT_VAR(%u) = \"%s\"", r1, builtin_name(r1));
		break;
	case DV_DIF_CALL:
		snprintf(t, sizeof(t), "DIF_SUBR(%u), %%r%u", idx, rd);
		snprintf(note, sizeof(note), "%s", subr_name(idx));
		break;
	case DV_DIF_PUSH:
		snprintf(t, sizeof(t), "DT_TYPE(%u), %%r%u, %%r%u", r1, r2, rd);
		snprintf(note, sizeof(note), "DT_TYPE(%u) = %s", r1, r1 == DV_T_INT ? "D type" :
		    r1 == DV_T_STRING ? "string" : "D type by ref");
		break;
	case DV_DIF_XLT:
		snprintf(t, sizeof(t), "DT_XLREF[%u], %%r%u", idx, rd);
		break;
	default:
		break;
	}
	dv_str_init(&line);
	snprintf(text, sizeof(text), t[0] != '\0' ? "%-4s %s" : "%s", name, t);
	if (note[0] != '\0') {
		dv_str_printf(&line, "%02u: %08x    %-31s ! ", off, i, text);
		dv_str_escape(&line, note, strlen(note));
	} else
		dv_str_printf(&line, "%02u: %08x    %s", off, i, text);
	l->put(l->arg, line.s);
	dv_str_fini(&line);
}

/* A variable that a DIFO names, and how. */
struct seen { uint32_t id; uint8_t scope; bool array, r, w; };
typedef DV_VEC(struct seen) seen_t;

static void
see(seen_t *all, uint32_t id, unsigned scope, bool array, bool store)
{
	struct seen s = { .id = id, .scope = (uint8_t)scope, .array = array };
	size_t k;

	for (k = 0; k < all->n; k++)
		if (all->v[k].id == id && all->v[k].scope == scope)
			break;
	if (k == all->n && dv_vec_push(all, s) != 0)
		return;			/* the listing lacks a line: nothing depends on it */
	all->v[k].r |= !store;
	all->v[k].w |= store;
}

static void
see_all(const struct listing *l, const struct dv_difo *d, seen_t *all)
{
	uint32_t i, pc, id;

	for (pc = 0; pc < d->ntext && d->text + pc < l->b->text.n; pc++) {
		unsigned op;

		i = l->b->text.v[d->text + pc];
		op = DIF_INSTR_OP(i);
		if (ops[op].text == NULL)
			continue;
		if (ops[op].format == DV_DIF_ALD)
			id = DIF_INSTR_R1(i);
		else if (ops[op].format == DV_DIF_VLD || ops[op].format == DV_DIF_VST)
			id = DIF_INSTR_INDEX(i);
		else
			continue;
		see(all, id, scope_of(op), ops[op].format == DV_DIF_ALD || op == DIF_OP_LDGAA ||
		    op == DIF_OP_STGAA || op == DIF_OP_LDTAA || op == DIF_OP_STTAA,
		    ops[op].format == DV_DIF_VST);
	}
}

static void
put_vars(const struct listing *l, const struct dv_difo *d)
{
	seen_t all = { 0 };
	char type[80], line[400];
	size_t k;

	see_all(l, d, &all);
	if (all.n == 0)
		return;
	l->put(l->arg, "");
	l->put(l->arg, "NAME             ID   KND SCP FLAG TYPE");
	for (k = 0; k < all.n; k++) {
		const struct dv_var *v = find_var(l->b, all.v[k].id, all.v[k].scope);
		const char *name = all.v[k].id < DIF_VAR_USER ? builtin_name(all.v[k].id) :
		    v != NULL ? dv_progb_strat(l->b, v->name) : NULL;

		if (v != NULL && all.v[k].id >= DIF_VAR_USER)
			dtype_text(&v->type, type, sizeof(type));
		else
			switch (all.v[k].id) {
			case DIF_VAR_PROBEPROV: case DIF_VAR_PROBEMOD: case DIF_VAR_PROBEFUNC:
			case DIF_VAR_PROBENAME: case DIF_VAR_EXECNAME: case DIF_VAR_ZONENAME:
			case DIF_VAR_VMNAME:
				snprintf(type, sizeof(type), "string (unknown) by ref (size 256)");
				break;
			case DIF_VAR_PID: case DIF_VAR_PPID: case DIF_VAR_TID: case DIF_VAR_UID:
			case DIF_VAR_GID: case DIF_VAR_ERRNO: case DIF_VAR_CPU: case DIF_VAR_EPID:
			case DIF_VAR_ID: case DIF_VAR_IPL: case DIF_VAR_STACKDEPTH:
			case DIF_VAR_USTACKDEPTH:
				snprintf(type, sizeof(type), "D type (integer) (size 4)");
				break;
			case DIF_VAR_CURTHREAD:
				snprintf(type, sizeof(type), "D type (pointer) (size 8)");
				break;
			default:
				snprintf(type, sizeof(type), "D type (integer) (size 8)");
				break;
			}
		snprintf(line, sizeof(line), "%-16.200s %-4x %-3s %-3s %-4s %s",
		    name != NULL ? name : "?", all.v[k].id, all.v[k].array ? "arr" : "scl",
		    all.v[k].scope == DV_VS_TLS ? "tls" :
		    all.v[k].scope == DV_VS_LOCAL ? "loc" : "glb",
		    all.v[k].r && all.v[k].w ? "r/w" : all.v[k].w ? "w" : "r", type);
		l->put(l->arg, line);
	}
	dv_vec_fini(&all);
}

static void
put_difo(const struct listing *l, uint32_t index)
{
	const struct dv_difo *d;
	char type[80], line[160];
	uint32_t pc;

	if (index >= l->b->difos.n)
		return;
	d = &l->b->difos.v[index];
	dtype_text(&d->rtype, type, sizeof(type));
	snprintf(line, sizeof(line), "DIFO 0x%x returns %s", index + 1, type);
	l->put(l->arg, "");
	l->put(l->arg, line);
	l->put(l->arg, "OFF OPCODE      INSTRUCTION");
	for (pc = 0; pc < d->ntext && d->text + pc < l->b->text.n; pc++)
		put_instr(l, d, pc, l->b->text.v[d->text + pc]);
	put_vars(l, d);
}

void
dc_disasm(const struct dv_progb *b, void (*put)(void *arg, const char *line), void *arg)
{
	struct listing l = { b, put, arg };
	size_t i;
	uint32_t k;

	for (i = 0; i < b->clauses.n; i++) {
		const struct dv_clause *c = &b->clauses.v[i];

		put_difo(&l, c->pred);
		for (k = 0; k < c->nact && c->act + (size_t)k < b->acts.n; k++) {
			const struct dv_act *a = &b->acts.v[c->act + k];

			put_difo(&l, a->difo);
			if (a->kind == DV_ACT_AGG && a->param != 0)
				put_difo(&l, (uint32_t)a->param - 1);
		}
	}
}
