/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgen.c - checked expressions become DIF.
 *
 * cg() returns the register that holds a value; the caller frees it. A value
 * of string, struct or array type is its address, so `a.b` and `p->b` are the
 * same code: an address plus an offset, and a load if the member is a scalar.
 * Conditions branch (cg_cond) and become 0 or 1 only where a value is wanted.
 *
 * Keys and arguments go over the tuple stack, which every use empties. So
 * those that use it themselves are evaluated before the first push.
 */
#include "impl.h"
#include "abi/dv_avail.h"

static unsigned cg(struct dc *c, struct node *n);
static unsigned cg_loose(struct dc *c, struct node *n);
static void cg_cond(struct dc *c, struct node *n, uint32_t label, bool sense);

#define RRR(op, r1, r2, rd)	as_emit(c, DIF_INSTR_FMT(DIF_OP_##op, r1, r2, rd))

static void
op_rrr(struct dc *c, unsigned op, unsigned r1, unsigned r2, unsigned rd)
{
	as_emit(c, DIF_INSTR_FMT(op, r1, r2, rd));
}

/* The machine does not run it: better said here, with a place, than at load. */
static unsigned
unavailable(struct dc *c, struct node *n, const char *name)
{
	dc_error(c, n->loc, D_VAR_UNSUP, "%s( ) is not available in this version", name);
	return 0;
}

static void
cg_drop(struct dc *c, struct node *n)
{
	as_free(c, cg(c, n));
}

/* Cuts the value in r to integer type t. */
static void
cg_cut(struct dc *c, unsigned r, struct type *t, struct loc l)
{
	struct type *b = ty_base(t);
	uint32_t l0, l1;
	unsigned s;

	if (b->kind == T_INT && b->is_bool) {
		l0 = as_label(c);
		l1 = as_label(c);
		as_emit(c, DIF_INSTR_FMT(DIF_OP_TST, r, 0, 0));
		as_branch(c, DIF_OP_BE, l0);
		as_int(c, 1, r);
		as_branch(c, DIF_OP_BA, l1);
		as_here(c, l0);
		as_int(c, 0, r);
		as_here(c, l1);
		return;
	}
	if ((b->kind != T_INT && b->kind != T_ENUM) || b->size >= 8 || b->size == 0)
		return;
	s = as_reg(c, l);
	as_int(c, 64 - b->size * 8, s);
	RRR(SLL, r, s, r);
	op_rrr(c, b->is_signed ? DIF_OP_SRA : DIF_OP_SRL, r, s, r);
	as_free(c, s);
}

static void
cg_load(struct dc *c, unsigned addr, unsigned rd, struct type *t, struct loc l)
{
	struct type *b = ty_base(t);
	unsigned op = 0;

	switch (b->size) {
	case 1: op = b->is_signed ? DIF_OP_LDSB : DIF_OP_LDUB; break;
	case 2: op = b->is_signed ? DIF_OP_LDSH : DIF_OP_LDUH; break;
	case 4: op = b->is_signed ? DIF_OP_LDSW : DIF_OP_LDUW; break;
	case 8: op = DIF_OP_LDX; break;
	default:
		dc_error(c, l, D_TYPE_ERR, "a value of type \"%s\" (%" PRIu64
		    " bytes) cannot be loaded", ty_name(c, t), b->size);
		return;
	}
	op_rrr(c, op, addr, 0, rd);
}

static void
cg_store(struct dc *c, unsigned val, unsigned addr, struct type *t, struct loc l)
{
	unsigned op = 0;

	switch (ty_size(c, t)) {
	case 1: op = DIF_OP_STB; break;
	case 2: op = DIF_OP_STH; break;
	case 4: op = DIF_OP_STW; break;
	case 8: op = DIF_OP_STX; break;
	default:
		dc_error(c, l, D_TYPE_ERR, "a value of type \"%s\" cannot be stored",
		    ty_name(c, t));
		return;
	}
	op_rrr(c, op, val, 0, addr);
}

/* An operand of n; sums and products do not mind what lies above their type. */
static unsigned
cg_operand(struct dc *c, struct node *n, struct node *k)
{
	return (n->op == OP_ADD || n->op == OP_SUB || n->op == OP_MUL) &&
	    ty_size(c, k->type) >= ty_size(c, n->type) ? cg_loose(c, k) : cg(c, k);
}

/* Operands of a binary operation, the deeper one first if order is free. */
static void
cg_pair(struct dc *c, struct node *n, unsigned *ra, unsigned *rb)
{
	struct node *a = n->a, *b = n->b;

	if (b->regs > a->regs && !((a->flags | b->flags) & NF_SIDE)) {
		*rb = cg_operand(c, n, b);
		*ra = cg_operand(c, n, a);
	} else {
		*ra = cg_operand(c, n, a);
		*rb = cg_operand(c, n, b);
	}
}

/* ra = ra op rb. `scale`: bytes per unit of a pointer's other operand. */
static void
cg_arith(struct dc *c, enum op op, bool is_signed, unsigned ra, unsigned rb)
{
	unsigned o;

	switch (op) {
	case OP_ADD: case OP_ADD_EQ: o = DIF_OP_ADD; break;
	case OP_SUB: case OP_SUB_EQ: o = DIF_OP_SUB; break;
	case OP_MUL: case OP_MUL_EQ: o = DIF_OP_MUL; break;
	case OP_DIV: case OP_DIV_EQ: o = is_signed ? DIF_OP_SDIV : DIF_OP_UDIV; break;
	case OP_MOD: case OP_MOD_EQ: o = is_signed ? DIF_OP_SREM : DIF_OP_UREM; break;
	case OP_BAND: case OP_AND_EQ: o = DIF_OP_AND; break;
	case OP_BOR: case OP_OR_EQ: o = DIF_OP_OR; break;
	case OP_XOR: case OP_XOR_EQ: o = DIF_OP_XOR; break;
	case OP_LSH: case OP_LSH_EQ: o = DIF_OP_SLL; break;
	default: o = is_signed ? DIF_OP_SRA : DIF_OP_SRL; break;
	}
	op_rrr(c, o, ra, rb, ra);
}

/* Bytes that one unit added to a value of type t stands for. */
static uint64_t
unit_of(struct dc *c, struct type *t)
{
	t = ty_decay(c, t);
	return ty_is_ptr(t) ? ty_size(c, ty_base(t)->ref) : 1;
}

static void
cg_times(struct dc *c, unsigned r, uint64_t unit, struct loc l)
{
	unsigned s;

	if (unit == 1)
		return;
	s = as_reg(c, l);
	as_int(c, unit, s);
	RRR(MUL, r, s, r);
	as_free(c, s);
}

static unsigned
cg_scaled(struct dc *c, struct node *n, uint64_t unit)
{
	unsigned r;

	if (n->kind == N_INT) {
		r = as_reg(c, n->loc);
		as_int(c, n->val * unit, r);
		return r;
	}
	r = cg(c, n);
	cg_times(c, r, unit, n->loc);
	return r;
}

/* The same for the index of an array of len elements. */
static unsigned
cg_index(struct dc *c, struct node *n, uint64_t unit, uint32_t len)
{
	unsigned r = cg(c, n), s = as_reg(c, n->loc);

	as_int(c, len, s);
	as_emit(c, DIF_INSTR_FMT(DIF_OP_CKIDX, r, s, 0));
	as_free(c, s);
	cg_times(c, r, unit, n->loc);
	return r;
}

static unsigned
cg_binary(struct dc *c, struct node *n)
{
	uint64_t unit = n->op == OP_ADD || n->op == OP_SUB ? unit_of(c, n->a->type) : 1;
	unsigned ra, rb;

	if (unit != 1 && ty_is_ptr(ty_decay(c, n->b->type))) {
		cg_pair(c, n, &ra, &rb);
		RRR(SUB, ra, rb, ra);
		as_int(c, unit, rb);
		RRR(SDIV, ra, rb, ra);
	} else if (unit != 1 || n->len != 0) {
		ra = cg(c, n->a);
		rb = n->len != 0 ? cg_index(c, n->b, unit, n->len) : cg_scaled(c, n->b, unit);
		cg_arith(c, n->op, false, ra, rb);
	} else {
		cg_pair(c, n, &ra, &rb);
		cg_arith(c, n->op, n->op == OP_RSH ? ty_is_signed(n->type) : n->bit_size != 0,
		    ra, rb);
	}
	as_free(c, rb);
	return ra;
}

/* ---- the tuple stack --------------------------------------------------- */

static void
cg_push1(struct dc *c, struct node *k, struct type *formal, unsigned r)
{
	struct type *t = formal != NULL ? formal : k->type;
	unsigned s;

	if (ty_is_string(t) || (formal == NULL && ty_base(t)->kind == T_ARRAY && ty_is_chars(t)))
		as_emit(c, DIF_INSTR_FMT(DIF_OP_PUSHTR, DV_T_STRING, 0, r));
	else if (ty_is_byref(t)) {
		s = as_reg(c, k->loc);
		as_int(c, ty_size(c, t), s);
		as_emit(c, DIF_INSTR_FMT(DIF_OP_PUSHTR, DV_T_BYTES, s, r));
		as_free(c, s);
	} else
		as_emit(c, DIF_INSTR_FMT(DIF_OP_PUSHTV, DV_T_INT, 0, r));
}

static void
cg_eval_keys(struct dc *c, struct node *list, uint32_t which, unsigned *regs)
{
	struct node *k;
	unsigned i = 0;

	for (k = list; k != NULL && i < DIF_MAXTUPLE; k = k->next, i++)
		regs[i] = which == 0 || (k->flags & which) ? cg(c, k) : 0;
}

static void
cg_push_keys(struct dc *c, struct node *list, struct type **formal, const unsigned *regs,
    bool keep)
{
	struct node *k;
	unsigned i = 0, r;

	for (k = list; k != NULL && i < DIF_MAXTUPLE; k = k->next, i++) {
		r = regs[i] != 0 ? regs[i] : cg(c, k);
		cg_push1(c, k, formal != NULL ? formal[i] : NULL, r);
		if (!keep || regs[i] == 0)
			as_free(c, r);
	}
}

static void
cg_push(struct dc *c, struct node *list, struct type **formal)
{
	unsigned regs[DIF_MAXTUPLE] = { 0 };

	cg_eval_keys(c, list, NF_TUPLE, regs);
	cg_push_keys(c, list, formal, regs, false);
}

/* ---- variables --------------------------------------------------------- */

static void
var_use(struct dc *c, struct ident *id, struct loc l)
{
	struct dv_var v = { .id = (uint16_t)id->val, .scope = id->scope, .array = id->assoc };

	if (id->var != DV_NONE)
		return;
	v.name = dv_progb_str(c->out, id->name);
	v.type = ty_dtype(c, id->type);
	if ((v.type.flags & DV_TF_BYREF) && v.type.size > DIF_VAR_SIZEMAX)
		dc_error(c, l, D_DECL_ARRBIG, "variable %s takes %u bytes: at most %u are possible",
		    id->name, v.type.size, (unsigned)DIF_VAR_SIZEMAX);
	id->var = (uint32_t)c->out->vars.n;
	if (dv_vec_push(&c->out->vars, v) != 0)
		dc_nomem(c);
}

static unsigned
var_op(const struct ident *id, bool store)
{
	static const uint8_t scalar[2][3] = {
		{ DIF_OP_LDGS, DIF_OP_LDTS, DIF_OP_LDLS },
		{ DIF_OP_STGS, DIF_OP_STTS, DIF_OP_STLS },
	};
	static const uint8_t assoc[2][3] = {
		{ DIF_OP_LDGAA, DIF_OP_LDTAA, 0 }, { DIF_OP_STGAA, DIF_OP_STTAA, 0 },
	};

	return id->assoc ? assoc[store][id->scope] : scalar[store][id->scope];
}

static bool
keys_have_effects(const struct node *n)
{
	const struct node *k;

	for (k = n->list; k != NULL; k = k->next)
		if (k->flags & NF_SIDE)
			return true;
	return false;
}

/*
 * Loads and stores of one variable, as many as wanted: keys that have effects
 * are evaluated once and kept.
 */
struct access {
	struct node *var;
	unsigned regs[DIF_MAXTUPLE];
	bool keep;
};

static void
access_begin(struct dc *c, struct access *a, struct node *var, bool twice)
{
	memset(a, 0, sizeof(*a));
	a->var = var;
	var_use(c, var->id, var->loc);
	a->keep = twice && var->id->assoc && keys_have_effects(var);
	if (a->keep)
		cg_eval_keys(c, var->list, 0, a->regs);
}

static void
access_push(struct dc *c, struct access *a)
{
	if (a->keep)
		cg_push_keys(c, a->var->list, a->var->id->keys, a->regs, true);
	else if (a->var->id->assoc)
		cg_push(c, a->var->list, a->var->id->keys);
}

static void
access_reload(struct dc *c, struct access *a, unsigned r)
{
	access_push(c, a);
	as_emit(c, DIF_INSTR_WIDE(var_op(a->var->id, false), a->var->id->val, r));
}

static unsigned
access_load(struct dc *c, struct access *a)
{
	unsigned r;

	access_push(c, a);		/* whose registers are free again */
	r = as_reg(c, a->var->loc);
	as_emit(c, DIF_INSTR_WIDE(var_op(a->var->id, false), a->var->id->val, r));
	return r;
}

static void
access_store(struct dc *c, struct access *a, unsigned r)
{
	access_push(c, a);
	as_emit(c, DIF_INSTR_WIDE(var_op(a->var->id, true), a->var->id->val, r));
}

static void
access_end(struct dc *c, struct access *a)
{
	unsigned i;

	for (i = 0; i < DIF_MAXTUPLE; i++)
		as_free(c, a->regs[i]);
}

/*
 * self-> variables and associative arrays get storage at the first store; until
 * then, and after NULL was stored, their address is NULL. A string reads as
 * empty then, a struct as zeros - which become its value where a part of it is
 * to be assigned.
 */
static unsigned
cg_var(struct dc *c, struct node *n)
{
	bool make = n->flags & NF_MAKE;
	struct access a;
	uint32_t set;
	unsigned r;

	access_begin(c, &a, n, make);
	r = access_load(c, &a);
	if (ty_is_string(n->type) || (ty_is_byref(n->type) &&
	    (n->id->assoc || n->id->scope == SC_SELF))) {
		set = as_label(c);
		as_emit(c, DIF_INSTR_FMT(DIF_OP_TST, r, 0, 0));
		as_branch(c, DIF_OP_BNE, set);
		if (ty_is_string(n->type))
			as_str(c, "", 0, r);
		else {
			as_int(c, ty_size(c, n->type), r);
			as_emit(c, DIF_INSTR_FMT(DIF_OP_ALLOCS, r, 0, r));
		}
		if (make) {
			access_store(c, &a, r);
			access_reload(c, &a, r);
		}
		as_here(c, set);
	}
	access_end(c, &a);
	return r;
}

/* ---- members and memory ------------------------------------------------ */

static void
cg_offset(struct dc *c, unsigned r, uint64_t off, struct loc l)
{
	unsigned s;

	if (off == 0)
		return;
	s = as_reg(c, l);
	as_int(c, off, s);
	RRR(ADD, r, s, r);
	as_free(c, s);
}

/* The address of an object in memory. */
static unsigned
cg_addr(struct dc *c, struct node *n)
{
	unsigned r;

	switch (n->kind) {
	case N_MEMBER:
		r = cg(c, n->a);
		cg_offset(c, r, n->bit_off / 8, n->loc);
		return r;
	case N_OP1:
		if (n->op == OP_DEREF)
			return cg(c, n->a);
		break;
	default:
		break;
	}
	return cg(c, n);		/* of by-reference type */
}

/*
 * Where a bit-field lies: in one unit of its type, as compilers place it, or,
 * in a packed struct, across two: then it is taken byte by byte, so that no
 * byte outside of it is touched.
 */
struct place {
	uint64_t off;			/* of its unit, or first byte */
	unsigned unit, shift, bits;	/* bits of the unit, below the field, of the field */
	unsigned nbytes;		/* byte by byte: how many; 0: one unit */
};

static struct place
bf_place(struct dc *c, struct node *n)
{
	struct place p = { .unit = (unsigned)ty_size(c, n->type) * 8, .bits = n->bit_size };

	if (p.unit == 0 || p.unit > 64)
		p.unit = 64;
	p.off = n->bit_off / p.unit * p.unit / 8;
	p.shift = (unsigned)(n->bit_off - p.off * 8);
	if (p.shift + p.bits > p.unit) {
		p.off = n->bit_off / 8;
		p.shift = (unsigned)(n->bit_off % 8);
		p.unit = 8;
		p.nbytes = (p.shift + p.bits + 7) / 8;
	}
	return p;
}

static struct type *
bf_type(struct dc *c, unsigned unit)
{
	return unit == 8 ? c->t_uchar : unit == 16 ? c->t_ushort :
	    unit == 32 ? c->t_uint : c->t_ulong;
}

static void
cg_shift(struct dc *c, unsigned op, unsigned r, unsigned by, unsigned tmp)
{
	if (by == 0)
		return;
	as_int(c, by, tmp);
	op_rrr(c, op, r, tmp, r);
}

/* Cuts r to what bit-field n can hold. */
static void
bf_cut(struct dc *c, struct node *n, unsigned r, unsigned tmp)
{
	if (n->bit_size >= 64)
		return;
	cg_shift(c, DIF_OP_SLL, r, 64 - n->bit_size, tmp);
	cg_shift(c, ty_is_signed(n->type) ? DIF_OP_SRA : DIF_OP_SRL, r, 64 - n->bit_size, tmp);
}

/* The value of bit-field n of the object at address a, which is kept. */
static unsigned
bf_load(struct dc *c, struct node *n, unsigned a)
{
	struct place p = bf_place(c, n);
	unsigned r = as_reg(c, n->loc), s = as_reg(c, n->loc), i, b, o = 0;

	as_int(c, p.off, s);
	RRR(ADD, a, s, r);
	if (p.nbytes == 0) {
		cg_load(c, r, r, bf_type(c, p.unit), n->loc);
		cg_shift(c, DIF_OP_SRL, r, p.shift, s);
	} else {
		b = as_reg(c, n->loc);
		o = as_reg(c, n->loc);
		RRR(MOV, r, 0, o);
		for (i = 0; i < p.nbytes; i++) {
			cg_load(c, o, i == 0 ? r : b, c->t_uchar, n->loc);
			if (i == 0)
				cg_shift(c, DIF_OP_SRL, r, p.shift, s);
			else {
				cg_shift(c, DIF_OP_SLL, b, i * 8 - p.shift, s);
				RRR(OR, r, b, r);
			}
			as_int(c, 1, s);
			RRR(ADD, o, s, o);
		}
		as_free(c, b);
		as_free(c, o);
	}
	bf_cut(c, n, r, s);
	as_free(c, s);
	return r;
}

/* Puts `bits` bits of v, from bit `from` on, at bit `at` of the unit at a; s: spare. */
static void
bf_put(struct dc *c, struct node *n, unsigned v, unsigned from, unsigned a, unsigned unit,
    unsigned at, unsigned bits, unsigned s)
{
	uint64_t mask = (bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1) << at;
	unsigned w = as_reg(c, n->loc), t = as_reg(c, n->loc);

	RRR(MOV, v, 0, t);
	cg_shift(c, DIF_OP_SRL, t, from, s);
	cg_shift(c, DIF_OP_SLL, t, at, s);
	as_int(c, mask, s);
	RRR(AND, t, s, t);
	cg_load(c, a, w, bf_type(c, unit), n->loc);
	as_int(c, ~mask, s);
	RRR(AND, w, s, w);
	RRR(OR, w, t, w);
	cg_store(c, w, a, bf_type(c, unit), n->loc);
	as_free(c, w);
	as_free(c, t);
}

/* Stores v in bit-field n of the object at address a, which is spent; v is cut. */
static void
bf_store(struct dc *c, struct node *n, unsigned v, unsigned a)
{
	struct place p = bf_place(c, n);
	unsigned s = as_reg(c, n->loc), i, from = 0, at, bits;

	bf_cut(c, n, v, s);
	if (p.off != 0) {
		as_int(c, p.off, s);
		RRR(ADD, a, s, a);
	}
	if (p.nbytes == 0)
		bf_put(c, n, v, 0, a, p.unit, p.shift, p.bits, s);
	for (i = 0; i < p.nbytes; i++) {
		at = i == 0 ? p.shift : 0;
		bits = p.bits - from < 8 - at ? p.bits - from : 8 - at;
		bf_put(c, n, v, from, a, 8, at, bits, s);
		from += bits;
		as_int(c, 1, s);
		RRR(ADD, a, s, a);
	}
	as_free(c, s);
}

static unsigned
cg_object(struct dc *c, struct node *n)
{
	unsigned r, a;

	if (n->flags & NF_BITFIELD) {
		a = cg(c, n->a);
		r = bf_load(c, n, a);
		as_free(c, a);
		return r;
	}
	r = cg_addr(c, n);
	if (!ty_is_byref(n->type) && ty_base(n->type)->kind != T_FUNC)
		cg_load(c, r, r, n->type, n->loc);
	return r;
}

/* ---- assignment -------------------------------------------------------- */

static unsigned
cg_assign(struct dc *c, struct node *n)
{
	struct node *l = n->a;
	struct access acc;
	unsigned r = cg(c, n->b), a, s;

	if (l->kind == N_VAR) {
		access_begin(c, &acc, l, false);
		access_store(c, &acc, r);
		return r;
	}
	if (l->flags & NF_BITFIELD) {
		a = cg(c, l->a);
		bf_store(c, l, r, a);
		as_free(c, a);
		return r;
	}
	a = cg_addr(c, l);
	if (ty_is_string(l->type))
		RRR(COPYS, r, 0, a);
	else if (ty_is_byref(l->type)) {
		s = as_reg(c, n->loc);
		as_int(c, ty_size(c, l->type), s);
		RRR(COPYS, r, s, a);
		as_free(c, s);
	} else
		cg_store(c, r, a, l->type, l->loc);
	as_free(c, a);
	return r;
}

/* v = v op b, or v op one unit if b is NULL, cut as its object l wants. */
static void
cg_operate(struct dc *c, struct node *n, struct node *l, enum op op, struct node *b, unsigned v)
{
	uint64_t unit = op == OP_ADD || op == OP_SUB || op == OP_ADD_EQ || op == OP_SUB_EQ ?
	    unit_of(c, l->type) : 1;
	struct type *t;
	unsigned o;

	if (op == OP_DIV_EQ || op == OP_MOD_EQ) {
		t = ty_usual(c, l->type, b->type);
		if (ty_is_signed(l->type) && !ty_is_signed(t))
			cg_cut(c, v, t, n->loc);
	}
	if (b != NULL)
		o = cg_scaled(c, b, unit);
	else {
		o = as_reg(c, n->loc);
		as_int(c, unit, o);
	}
	cg_arith(c, op, op == OP_RSH_EQ ? ty_is_signed(l->type) : n->bit_size != 0, v, o);
	as_free(c, o);
	cg_cut(c, v, l->type, n->loc);
}

/*
 * Read, change, write: op= and ++. The change is `op` with operand b, or with
 * one unit if b is NULL. post: the old value is the result.
 */
static unsigned
cg_change(struct dc *c, struct node *n, struct node *l, enum op op, struct node *b, bool post)
{
	struct access acc;
	unsigned a = 0, v, w;

	if (l->kind == N_VAR) {
		access_begin(c, &acc, l, true);
		v = access_load(c, &acc);
	} else if (l->flags & NF_BITFIELD) {
		a = cg(c, l->a);
		v = bf_load(c, l, a);
	} else {
		a = cg_addr(c, l);
		v = as_reg(c, l->loc);
		cg_load(c, a, v, l->type, l->loc);
	}
	w = v;
	if (post) {
		w = as_reg(c, n->loc);
		RRR(MOV, v, 0, w);
	}
	cg_operate(c, n, l, op, b, w);
	if (l->kind == N_VAR) {
		access_store(c, &acc, w);
		access_end(c, &acc);
	} else if (l->flags & NF_BITFIELD)
		bf_store(c, l, w, a);
	else
		cg_store(c, w, a, l->type, l->loc);
	as_free(c, a);
	if (post)
		as_free(c, w);
	return v;
}

/* ---- conditions -------------------------------------------------------- */

static void
cg_compare(struct dc *c, struct node *n, uint32_t label, bool sense)
{
	static const uint8_t branch[2][2][6] = {	/* unsigned, signed: sense false, true */
		{ { DIF_OP_BNE, DIF_OP_BE, DIF_OP_BGEU, DIF_OP_BGU, DIF_OP_BLEU, DIF_OP_BLU },
		  { DIF_OP_BE, DIF_OP_BNE, DIF_OP_BLU, DIF_OP_BLEU, DIF_OP_BGU, DIF_OP_BGEU } },
		{ { DIF_OP_BNE, DIF_OP_BE, DIF_OP_BGE, DIF_OP_BG, DIF_OP_BLE, DIF_OP_BL },
		  { DIF_OP_BE, DIF_OP_BNE, DIF_OP_BL, DIF_OP_BLE, DIF_OP_BG, DIF_OP_BGE } },
	};
	bool string = ty_is_string(n->a->type) || ty_is_string(n->b->type);
	unsigned ra, rb;

	cg_pair(c, n, &ra, &rb);
	as_emit(c, DIF_INSTR_FMT(string ? DIF_OP_SCMP : DIF_OP_CMP, ra, rb, 0));
	as_free(c, ra);
	as_free(c, rb);
	as_branch(c, branch[string || n->bit_size][sense][n->op - OP_EQ], label);
}

/* Goes to label if n is true and sense is true, or both are false. */
static void
cg_cond(struct dc *c, struct node *n, uint32_t label, bool sense)
{
	uint32_t skip;
	unsigned r;

	if (c->bad)
		return;
	if (n->kind == N_OP1 && n->op == OP_NOT) {
		cg_cond(c, n->a, label, !sense);
		return;
	}
	if (n->kind == N_OP2)
		switch (n->op) {
		case OP_LAND: case OP_LOR:
			if ((n->op == OP_LAND) != sense) {
				cg_cond(c, n->a, label, sense);
				cg_cond(c, n->b, label, sense);
			} else {
				skip = as_label(c);
				cg_cond(c, n->a, skip, !sense);
				cg_cond(c, n->b, label, sense);
				as_here(c, skip);
			}
			return;
		case OP_EQ: case OP_NE: case OP_LT: case OP_LE: case OP_GT: case OP_GE:
			cg_compare(c, n, label, sense);
			return;
		case OP_COMMA:
			cg_drop(c, n->a);
			cg_cond(c, n->b, label, sense);
			return;
		default:
			break;
		}
	if (n->kind == N_INT) {
		if ((n->val != 0) == sense)
			as_branch(c, DIF_OP_BA, label);
		return;
	}
	r = cg(c, n);
	as_emit(c, DIF_INSTR_FMT(DIF_OP_TST, r, 0, 0));
	as_free(c, r);
	as_branch(c, sense ? DIF_OP_BNE : DIF_OP_BE, label);
}

static unsigned
cg_truth(struct dc *c, struct node *n)
{
	bool compare = n->kind == N_OP2 && n->op >= OP_EQ && n->op <= OP_GE;
	uint32_t other = as_label(c), end = as_label(c);
	unsigned r;

	cg_cond(c, n, other, compare);
	r = as_reg(c, n->loc);
	as_int(c, !compare, r);
	as_branch(c, DIF_OP_BA, end);
	as_here(c, other);
	as_int(c, compare, r);
	as_here(c, end);
	return r;
}

static unsigned
cg_choice(struct dc *c, struct node *n)
{
	uint32_t no = as_label(c), end = as_label(c);
	unsigned ra, rb;

	cg_cond(c, n->a, no, false);
	ra = cg(c, n->b);
	as_branch(c, DIF_OP_BA, end);
	as_here(c, no);
	as_free(c, ra);
	rb = cg(c, n->c);
	if (rb != ra) {			/* then ra is free */
		RRR(MOV, rb, 0, ra);
		as_free(c, rb);
		c->d.regs |= 1u << ra;
	}
	as_here(c, end);
	return ra;
}

/* ---- everything -------------------------------------------------------- */

static unsigned
cg_op1(struct dc *c, struct node *n)
{
	unsigned r;

	switch (n->op) {
	case OP_PREINC: case OP_POSTINC:
		return cg_change(c, n, n->a, OP_ADD, NULL, n->op == OP_POSTINC);
	case OP_PREDEC: case OP_POSTDEC:
		return cg_change(c, n, n->a, OP_SUB, NULL, n->op == OP_POSTDEC);
	case OP_DEREF:
		return cg_object(c, n);
	case OP_ADDR:
		return cg_addr(c, n->a);
	case OP_NOT:
		return cg_truth(c, n);
	case OP_BNEG:
		r = cg(c, n->a);
		RRR(NOT, r, 0, r);
		return r;
	case OP_NEG:
		r = cg(c, n->a);
		RRR(SUB, 0, r, r);
		return r;
	default:
		return cg(c, n->a);
	}
}

static unsigned
cg_op2(struct dc *c, struct node *n)
{
	unsigned ra, rb;

	switch (n->op) {
	case OP_COMMA:
		cg_drop(c, n->a);
		return cg(c, n->b);
	case OP_ASGN:
		return cg_assign(c, n);
	case OP_LAND: case OP_LOR: case OP_EQ: case OP_NE: case OP_LT: case OP_LE:
	case OP_GT: case OP_GE:
		return cg_truth(c, n);
	case OP_LXOR:
		ra = cg_truth(c, n->a);
		rb = cg_truth(c, n->b);
		RRR(XOR, ra, rb, ra);
		as_free(c, rb);
		return ra;
	default:
		if (n->op >= OP_MUL_EQ && n->op <= OP_OR_EQ)
			return cg_change(c, n, n->a, n->op, n->b, false);
		return cg_binary(c, n);
	}
}

static unsigned
cg_loose(struct dc *c, struct node *n)
{
	unsigned r, i;

	if (c->bad)
		return 0;
	switch (n->kind) {
	case N_INT: case N_ADDR:
		r = as_reg(c, n->loc);
		as_int(c, n->val, r);
		return r;
	case N_STR:
		r = as_reg(c, n->loc);
		as_str(c, n->str, n->len, r);
		return r;
	case N_VAR:
		return cg_var(c, n);
	case N_BUILTIN:
		r = as_reg(c, n->loc);
		as_emit(c, DIF_INSTR_WIDE(DIF_OP_LDGS, n->val, r));
		return r;
	case N_ARG:
		i = cg(c, n->a);
		as_emit(c, DIF_INSTR_FMT(DIF_OP_LDGA, (uint32_t)n->val, i, i));
		return i;
	case N_MEMBER:
		return cg_object(c, n);
	case N_OP1:
		return cg_op1(c, n);
	case N_OP2:
		return cg_op2(c, n);
	case N_COND:
		return cg_choice(c, n);
	case N_STRINGOF:
		return cg(c, n->a);
	case N_CAST:
		if (!ty_is_int(n->type) || !ty_is_scalar(ty_decay(c, n->a->type)))
			return cg(c, n->a);
		r = ty_size(c, n->type) <= ty_size(c, n->a->type) &&
		    !ty_base(n->type)->is_bool ? cg_loose(c, n->a) : cg(c, n->a);
		cg_cut(c, r, n->type, n->loc);
		return r;
	case N_CALL:
		if (n->flags & NF_ACTION)
			break;
		if (!dv_avail_subr(n->id->val))
			return unavailable(c, n, n->id->name);
		cg_push(c, n->list, NULL);
		r = as_reg(c, n->loc);
		as_emit(c, DIF_INSTR_WIDE(DIF_OP_CALL, n->id->val, r));
		if (n->flags & NF_DESTR)
			c->d.destructive = true;
		return r;
	case N_XLATE:
		dc_error(c, n->loc, D_CG_DYN, "a translated object is used as a plain expression: "
		    "only its members have values");
		return 0;
	case N_AGG: case N_INDEX:
		dc_error(c, n->loc, D_AGG_NULL,
		    "an aggregation is used without an aggregating function");
		return 0;
	default:
		break;
	}
	dc_error(c, n->loc, D_CG_EXPR, "an action is used inside of an expression");
	return 0;
}

/*
 * May the 64 bits of n's operation lie outside of its type? Sums, products and
 * shifts of less than 64 bits are cut where their value matters, once.
 */
static bool
is_loose(struct node *n)
{
	struct type *t = ty_base(n->type);

	if ((t->kind != T_INT && t->kind != T_ENUM) || t->size >= 8)
		return false;
	if (n->kind == N_OP1)
		return n->op == OP_NEG || (n->op == OP_BNEG && !t->is_signed);
	return n->kind == N_OP2 && (n->op == OP_ADD || n->op == OP_SUB || n->op == OP_MUL ||
	    n->op == OP_LSH || (n->op == OP_DIV && t->is_signed));
}

static unsigned
cg(struct dc *c, struct node *n)
{
	unsigned r = cg_loose(c, n);

	if (!c->bad && is_loose(n))
		cg_cut(c, r, n->type, n->loc);
	return r;
}

/* A DIFO that computes n; `as`: its type if that is not n's. */
uint32_t
cg_difo(struct dc *c, struct node *n, struct type *as)
{
	unsigned r;

	if (c->bad)
		return DV_NONE;
	as_begin(c);
	c->d.loc = n->loc;
	r = cg(c, n);
	if (as != NULL && ty_is_int(as) && ty_is_int(n->type) &&
	    ty_size(c, as) < ty_size(c, n->type) && n->kind != N_INT)
		cg_cut(c, r, as, n->loc);
	return as_end(c, ty_dtype(c, as != NULL ? as : n->type), r);
}
