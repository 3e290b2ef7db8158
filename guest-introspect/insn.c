/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * insn.c - lengths and control flow of x86-64 instructions.
 *
 * To find where functions return, all of a kernel's text is walked: millions
 * of instructions, of which only the length and the kind of a branch matter.
 * An instruction is
 *
 *	prefixes* [REX | VEX | EVEX | XOP] opcode [modrm [sib] [disp]] [imm]
 *
 * and its length follows from a table of two facts per opcode: has it a modrm
 * byte, and which immediate. Being complete in length for everything that the
 * kernel may run is the aim, also where disassemblers of the day do not know
 * a name yet; whether an encoding means something is not checked beyond what
 * is invalid in 64-bit mode.
 *
 * Source: Intel SDM volume 2, appendix A (opcode maps) and chapter 2
 * (formats); AMD APM volume 3 for XOP.
 */
#include "insn.h"

#include <string.h>

/* Immediates: N none, B byte, W word, Z word or dword, V like Z but 8 with
 * REX.W, O moffs, R rel8, D rel32, E enter, G group f6/f7; lower case: with a
 * modrm byte, n without immediate; X: invalid; P: prefix or escape. */
static const char map0[257] =
	"nnnnBZXXnnnnBZXP" "nnnnBZXXnnnnBZXX" "nnnnBZPXnnnnBZPX" "nnnnBZPXnnnnBZPX"
	"PPPPPPPPPPPPPPPP" "NNNNNNNNNNNNNNNN" "XXPnPPPPZzBbNNNN" "RRRRRRRRRRRRRRRR"
	"bzXbnnnnnnnnnnnn" "NNNNNNNNNNXNNNNN" "OOOONNNNBZNNNNNN" "BBBBBBBBVVVVVVVV"
	"bbWNPPbzEN" "WNNBXN" "nnnnXXNNnnnnnnnn" "RRRRBBBBDDXRNNNN" "PNPPNNggNNNNNNnn";

static const char map1[257] =
	"nnnnXNNNNNXNXnNb" "nnnnnnnnnnnnnnnn" "nnnnXXXXnnnnnnnn" "NNNNNNXNPXPXXXXX"
	"nnnnnnnnnnnnnnnn" "nnnnnnnnnnnnnnnn" "nnnnnnnnnnnnnnnn" "bbbbnnnNnnXXnnnn"
	"DDDDDDDDDDDDDDDD" "nnnnnnnnnnnnnnnn" "NNNnbnnnNNNnbnnn" "nnnnnnnnnnbnnnnn"
	"nnbnbbbnNNNNNNNN" "nnnnnnnnnnnnnnnn" "nnnnnnnnnnnnnnnn" "nnnnnnnnnnnnnnnn";

struct in {
	const uint8_t *p;
	size_t len, at;
	bool cut;
};

static uint8_t
next(struct in *in)
{
	if (in->at >= in->len) {
		in->cut = true;
		return 0;
	}
	return in->p[in->at++];
}

static int64_t
next_signed(struct in *in, unsigned n)
{
	uint64_t v = 0;
	unsigned i;

	for (i = 0; i < n; i++)
		v |= (uint64_t)next(in) << (8 * i);
	if (n < 8 && n > 0 && (v >> (8 * n - 1) & 1) != 0)
		v |= ~0ull << (8 * n);
	return (int64_t)v;
}

static void
modrm(struct in *in, struct gi_insn *i)
{
	unsigned mod, rm;

	i->has_modrm = true;
	i->modrm = next(in);
	mod = i->modrm >> 6;
	rm = i->modrm & 7;
	if (mod == 3)
		return;
	if (rm == 4) {
		i->sib = next(in);
		if (mod == 0 && (i->sib & 7) == 5)
			i->ndisp = 4;
	}
	if (mod == 0 && rm == 5)
		i->ndisp = 4;
	else if (mod == 1)
		i->ndisp = 1;
	else if (mod == 2)
		i->ndisp = 4;
	i->disp = next_signed(in, i->ndisp);
}

/* c4 c5 62 8f(XOP) encodings; the first byte has been read. */
static bool
vex(struct in *in, struct gi_insn *i, uint8_t first)
{
	unsigned m;
	char c;

	i->map = 9;
	switch (first) {
	case 0xc5:
		next(in);
		m = 1;
		break;
	case 0xc4:
		m = next(in) & 31;
		next(in);
		break;
	case 0x8f:
		m = next(in) & 31;
		next(in);
		break;
	default:
		m = next(in) & 7;
		next(in);
		next(in);
		break;
	}
	i->op = next(in);
	if (m == 1 && i->op == 0x77 && first != 0x62)
		return true;
	modrm(in, i);
	switch (m) {
	case 1:
		c = map1[i->op];
		if (c == 'b')
			i->imm = next_signed(in, 1);
		return c == 'b' || c == 'n' || c == 'X' || c == 'N';
	case 2:
	case 5:
	case 6:
	case 9:
		return true;
	case 3:
	case 8:
		i->imm = next_signed(in, 1);
		return true;
	case 10:
		i->imm = next_signed(in, 4);
		return true;
	case 7:				/* VEX map 7: imm32 (URDMSR, WRMSRNS imm) */
		i->imm = next_signed(in, 4);
		return true;
	}
	return false;
}

static bool
immediate(struct in *in, struct gi_insn *i, char c, bool osize, bool asize, uint64_t at)
{
	bool w = (i->rex & 8) != 0;

	switch (c) {
	case 'N':
		return true;
	case 'B':
		i->imm = next_signed(in, 1);
		return true;
	case 'W':
		i->imm = next_signed(in, 2);
		return true;
	case 'Z':
		i->imm = next_signed(in, osize && !w ? 2 : 4);
		return true;
	case 'V':
		i->imm = next_signed(in, w ? 8 : osize ? 2 : 4);
		return true;
	case 'O':
		i->ndisp = asize ? 4 : 8;
		i->disp = next_signed(in, i->ndisp);
		return true;
	case 'E':
		next(in);
		next(in);
		next(in);
		return true;
	case 'R':
		i->imm = next_signed(in, 1);
		i->target = at + in->at + (uint64_t)i->imm;
		return true;
	case 'D':
		i->imm = next_signed(in, 4);
		i->target = at + in->at + (uint64_t)i->imm;
		return true;
	}
	return false;
}

static void
classify(struct gi_insn *i)
{
	unsigned reg = (i->modrm >> 3) & 7;

	i->kind = GI_I_OTHER;
	if (i->map == 0) {
		if (i->op >= 0x70 && i->op <= 0x7f) {
			i->kind = GI_I_JCC;
			i->cc = i->op & 15;
		} else if (i->op >= 0xe0 && i->op <= 0xe3) {
			i->kind = GI_I_JCC;
			i->cc = 16;
		} else if (i->op == 0xc3 || i->op == 0xc2) {
			i->kind = GI_I_RET;
		} else if (i->op == 0xe8) {
			i->kind = GI_I_CALL;
		} else if (i->op == 0xe9 || i->op == 0xeb) {
			i->kind = GI_I_JMP;
		} else if (i->op == 0xcc) {
			i->kind = GI_I_INT3;
		} else if (i->op == 0xd6) {
			i->kind = GI_I_UD;	/* udb: FineIBT's trap */
		} else if (i->op == 0xff && (reg == 4 || reg == 5)) {
			i->kind = GI_I_JMP_IND;
		} else if (i->op == 0xff && (reg == 2 || reg == 3)) {
			i->kind = GI_I_CALL_IND;
		}
	} else if (i->map == 1) {
		if (i->op >= 0x80 && i->op <= 0x8f) {
			i->kind = GI_I_JCC;
			i->cc = i->op & 15;
		} else if (i->op == 0x0b || i->op == 0xb9 || i->op == 0xff) {
			i->kind = GI_I_UD;
		}
	}
}

bool
gi_insn(const uint8_t *p, size_t len, uint64_t at, struct gi_insn *ret)
{
	struct in in = { .p = p, .len = len < 15 ? len : 15 };
	bool osize = false, asize = false;
	uint8_t b;
	char c;

	memset(ret, 0, sizeof(*ret));
	for (;;) {
		b = next(&in);
		if (in.cut)
			return false;
		if (b == 0x66)
			osize = true;
		else if (b == 0x67)
			asize = true;
		else if (b == 0xf2 || b == 0xf3)
			ret->prefix = b;
		else if (b == 0x2e || b == 0x36 || b == 0x3e || b == 0x26 || b == 0x64 || b == 0x65)
			ret->seg = b;
		else if (b != 0xf0)
			break;
	}
	if (osize && ret->prefix == 0)
		ret->prefix = 0x66;
	if ((b & 0xf0) == 0x40) {
		ret->rex = b;
		b = next(&in);
	} else if (b == 0xc4 || b == 0xc5 || b == 0x62 ||
	    (b == 0x8f && in.at < in.len && (in.p[in.at] & 0x1f) >= 8 &&
	    (in.p[in.at] & 0x38) != 0)) {
		if (!vex(&in, ret, b) || in.cut)
			return false;
		ret->len = (uint8_t)in.at;
		return true;
	}
	if (b == 0x0f) {
		b = next(&in);
		if (b == 0x38 || b == 0x3a) {
			ret->map = b == 0x38 ? 2 : 3;
			ret->op = next(&in);
			modrm(&in, ret);
			if (b == 0x3a)
				ret->imm = next_signed(&in, 1);
			ret->len = (uint8_t)in.at;
			return !in.cut;
		}
		ret->map = 1;
		ret->op = b;
		c = map1[b];
		if (b >= 0x20 && b <= 0x23) {	/* control registers: always two registers */
			ret->has_modrm = true;
			ret->modrm = next(&in) | 0xc0;
			c = 'N';
		}
	} else {
		ret->op = b;
		c = map0[b];
	}
	if (c == 'X' || c == 'P')
		return false;
	if (c >= 'a' && c <= 'z') {
		modrm(&in, ret);
		if (c == 'g')		/* only test has an immediate */
			c = (ret->modrm & 0x30) != 0 ? 'n' : ret->op == 0xf6 ? 'b' : 'z';
		c = (char)(c - 'a' + 'A');
	}
	if (!immediate(&in, ret, c, osize, asize, at) || in.cut)
		return false;
	ret->len = (uint8_t)in.at;
	classify(ret);
	return true;
}

int
gi_insn_base(const struct gi_insn *i)
{
	unsigned mod = i->modrm >> 6, rm = i->modrm & 7;

	if (!i->has_modrm || mod == 3 || (mod == 0 && rm == 5))	/* 5: from rip */
		return -1;
	if (rm == 4) {			/* r12 and rsp need a SIB; no index */
		if ((i->sib & 0x38) != 0x20 || (i->rex & 2) != 0 ||
		    (mod == 0 && (i->sib & 7) == 5))
			return -1;
		rm = i->sib & 7;
	}
	return (int)(rm | ((i->rex & 1) != 0 ? 8u : 0u));
}

size_t
gi_insn_prologue(const uint8_t *p, size_t len, uint64_t at,
    bool (*is_tracer)(void *arg, uint64_t target), void *arg)
{
	static const uint8_t endbr[4] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const uint8_t nop4[2][4] = {	/* endbr64, sealed */
		{ 0x66, 0x0f, 0x1f, 0x00 }, { 0x0f, 0x1f, 0x40, 0xd6 } };
	static const uint8_t nop5[5] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	static const uint8_t old5[5] = { 0x66, 0x66, 0x66, 0x66, 0x90 };
	struct gi_insn i;
	size_t n = 0;

	if (len >= 4 && (memcmp(p, endbr, 4) == 0 || memcmp(p, nop4[0], 4) == 0 ||
	    memcmp(p, nop4[1], 4) == 0))
		n = 4;
	if (len >= n + 5) {
		if (memcmp(p + n, nop5, 5) == 0 || memcmp(p + n, old5, 5) == 0)
			return n + 5;
		if (p[n] == 0xe8 && gi_insn(p + n, len - n, at + n, &i) &&
		    is_tracer != NULL && is_tracer(arg, i.target))
			return n + 5;
	}
	return n;
}
