/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * asm.c - one DIFO in the making: instructions, labels, tables, registers.
 *
 * A branch holds a label's number until as_end() puts the instruction's index
 * in its place. Labels are always ahead of their branches, as DIF wants.
 * Registers %r1..%r7 are taken lowest first; there is no spilling.
 */
#include "impl.h"

void
as_begin(struct dc *c)
{
	c->d.text.n = c->d.ints.n = c->d.labels.n = c->d.fixups.n = 0;
	dv_str_reset(&c->d.strs);
	dv_str_addc(&c->d.strs, '\0');		/* string 0 is "" */
	c->d.regs = 1;				/* %r0 is zero */
	c->d.destructive = c->d.strings = false;
}

void
as_emit(struct dc *c, uint32_t instr)
{
	if (c->bad)
		return;
	if (c->d.text.n >= DIF_MAXTEXT - 1) {
		dc_error(c, c->d.loc, D_UNKNOWN,
		    "expression is too complex: more than %d instructions", DIF_MAXTEXT);
		return;
	}
	if (dv_vec_push(&c->d.text, instr) != 0)
		dc_nomem(c);
}

unsigned
as_reg(struct dc *c, struct loc l)
{
	unsigned r;

	for (r = 1; r < DIF_NREGS; r++)
		if (!(c->d.regs & (1u << r))) {
			c->d.regs |= 1u << r;
			return r;
		}
	dc_error(c, l, D_NOREG, "expression is too complex: it needs more than %d registers",
	    DIF_NREGS - 1);
	return 0;
}

void
as_free(struct dc *c, unsigned r)
{
	if (r != 0)
		c->d.regs &= ~(1u << r);
}

uint32_t
as_label(struct dc *c)
{
	if (dv_vec_push(&c->d.labels, DV_NONE) != 0) {
		dc_nomem(c);
		return 0;
	}
	return (uint32_t)c->d.labels.n - 1;
}

void
as_here(struct dc *c, uint32_t label)
{
	if (label < c->d.labels.n)
		c->d.labels.v[label] = (uint32_t)c->d.text.n;
}

void
as_branch(struct dc *c, enum dv_dif_op op, uint32_t label)
{
	if (c->bad)
		return;
	if (dv_vec_push(&c->d.fixups, (uint32_t)c->d.text.n) != 0)
		dc_nomem(c);
	as_emit(c, DIF_INSTR_BRANCH(op, label));
}

void
as_int(struct dc *c, uint64_t v, unsigned rd)
{
	size_t i;

	if (v == 0) {
		as_emit(c, DIF_INSTR_FMT(DIF_OP_MOV, 0, 0, rd));
		return;
	}
	for (i = 0; i < c->d.ints.n; i++)
		if (c->d.ints.v[i] == v)
			break;
	if (i == c->d.ints.n && dv_vec_push(&c->d.ints, v) != 0)
		dc_nomem(c);
	as_emit(c, DIF_INSTR_WIDE(DIF_OP_SETX, i, rd));
}

void
as_str(struct dc *c, const char *s, size_t n, unsigned rd)
{
	size_t off = 0, len;

	/* Look for the same string; the table of one DIFO is short. */
	for (; off < c->d.strs.len; off += len + 1) {
		len = strlen(c->d.strs.s + off);
		if (len == n && memcmp(c->d.strs.s + off, s, n) == 0)
			break;
	}
	if (off >= c->d.strs.len) {
		off = c->d.strs.len;
		dv_str_addn(&c->d.strs, s, n);
		dv_str_addc(&c->d.strs, '\0');
	}
	c->d.strings = true;
	if (off > UINT16_MAX)
		dc_error(c, c->d.loc, D_UNKNOWN, "too many strings in one expression");
	as_emit(c, DIF_INSTR_WIDE(DIF_OP_SETS, off, rd));
}

uint32_t
as_end(struct dc *c, struct dv_dtype rtype, unsigned reg)
{
	struct dv_progb *o = c->out;
	struct dv_difo d = { .rtype = rtype };
	size_t i;

	as_emit(c, DIF_INSTR_FMT(DIF_OP_RET, 0, 0, reg));
	if (c->d.strs.failed)
		dc_nomem(c);
	if (c->bad)
		return DV_NONE;
	for (i = 0; i < c->d.fixups.n; i++) {
		uint32_t *p = &c->d.text.v[c->d.fixups.v[i]];

		*p = DIF_INSTR_BRANCH(DIF_INSTR_OP(*p), c->d.labels.v[DIF_INSTR_LABEL(*p)]);
	}
	d.text = (uint32_t)o->text.n;
	d.ntext = (uint32_t)c->d.text.n;
	d.ints = (uint32_t)o->ints.n;
	d.nints = (uint32_t)c->d.ints.n;
	d.strs = (uint32_t)o->difstrs.len;
	d.nstrs = c->d.strings ? (uint32_t)c->d.strs.len : 0;
	d.flags = c->d.destructive ? DV_DIFO_DESTRUCTIVE : 0;
	if (dv_vec_reserve(&o->text, d.ntext) != 0 || dv_vec_reserve(&o->ints, d.nints) != 0 ||
	    dv_vec_push(&o->difos, d) != 0) {
		dc_nomem(c);
		return DV_NONE;
	}
	memcpy(o->text.v + o->text.n, c->d.text.v, d.ntext * sizeof(*o->text.v));
	o->text.n += d.ntext;
	if (d.nints != 0)
		memcpy(o->ints.v + o->ints.n, c->d.ints.v, d.nints * sizeof(*o->ints.v));
	o->ints.n += d.nints;
	if (d.nstrs != 0)
		dv_str_addn(&o->difstrs, c->d.strs.s, d.nstrs);
	return (uint32_t)o->difos.n - 1;
}
