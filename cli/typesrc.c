/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * typesrc.c - a guest's BTF and symbols as the compiler's type source.
 *
 * The compiler and introspection do not know each other; this file turns the
 * one's questions into the other's. Type ids are the same on both sides.
 */
#include "typesrc.h"

#include <string.h>

static const struct { enum gi_tkind gi; enum dc_tkind dc; } kinds[] = {
	{ GI_T_VOID, DC_T_VOID }, { GI_T_INT, DC_T_INT }, { GI_T_FLOAT, DC_T_FLOAT },
	{ GI_T_PTR, DC_T_PTR }, { GI_T_ARRAY, DC_T_ARRAY }, { GI_T_STRUCT, DC_T_STRUCT },
	{ GI_T_UNION, DC_T_UNION }, { GI_T_ENUM, DC_T_ENUM }, { GI_T_FWD, DC_T_FWD },
	{ GI_T_TYPEDEF, DC_T_TYPEDEF }, { GI_T_CONST, DC_T_CONST },
	{ GI_T_VOLATILE, DC_T_VOLATILE }, { GI_T_RESTRICT, DC_T_RESTRICT },
	{ GI_T_PROTO, DC_T_FUNC }, { GI_T_FUNC, DC_T_OTHER }, { GI_T_VAR, DC_T_OTHER },
	{ GI_T_OTHER, DC_T_OTHER }
};
#define NKINDS (sizeof(kinds) / sizeof(kinds[0]))

static dc_tid_t
find(void *arg, const char *mod, enum dc_tkind kind, const char *name)
{
	size_t i;

	/*
	 * Without a module, tags are looked for in all. Not the names of typedefs and
	 * integers: any identifier of a program may be one, and what a program means
	 * would depend on which modules the guest happens to have.
	 */
	if (mod == NULL && kind != DC_T_STRUCT && kind != DC_T_UNION && kind != DC_T_ENUM)
		mod = "vmlinux";
	for (i = 0; i < NKINDS; i++)
		if (kinds[i].dc == kind)
			return gi_type_find_in(arg, mod, kinds[i].gi, name);
	return 0;
}

static int
info(void *arg, dc_tid_t id, struct dc_tinfo *ret)
{
	struct gi_type t;
	size_t i;
	int rc;

	if ((rc = gi_type(arg, id, &t)) != 0)
		return rc;
	memset(ret, 0, sizeof(*ret));
	ret->kind = DC_T_OTHER;
	for (i = 0; i < NKINDS; i++)
		if (kinds[i].gi == t.kind)
			ret->kind = kinds[i].dc;
	ret->name = t.name;
	ret->size = t.kind == GI_T_PTR ? 8 : t.size;
	ret->ref = t.ref;
	ret->n = t.n;
	ret->is_signed = t.is_signed;
	ret->is_bool = t.is_bool;
	ret->is_char = t.is_char;
	ret->fwd_union = t.fwd_union;
	return 0;
}

static int
member(void *arg, dc_tid_t id, uint32_t i, struct dc_minfo *ret)
{
	struct gi_member m;
	int rc;

	if ((rc = gi_member(arg, id, i, &m)) != 0)
		return rc;
	ret->name = m.name;
	ret->type = m.type;
	ret->bit_off = m.bit_off;
	ret->bit_size = m.bit_size;
	ret->value = m.value;
	return 0;
}

static int
symbol(void *arg, const char *mod, const char *name, struct dc_sinfo *ret)
{
	struct gi_sym sym;
	struct gi_type t;
	uint32_t id;

	if (!gi_sym_find(arg, mod, name, &sym))
		return DV_E_NOENT;
	*ret = (struct dc_sinfo){ .addr = sym.addr };
	/* BTF knows the types of per-CPU variables and of some others. */
	if ((id = gi_type_find_in(arg, sym.mod, GI_T_VAR, name)) != 0 && gi_type(arg, id, &t) == 0)
		ret->type = t.ref;
	else if (gi_is_vmlinux(sym.mod))
		ret->text = gi_var_type(name);
	/* Some kernels have variables in sections that count as text. */
	ret->is_code = ret->type == 0 && ret->text == NULL && strchr("tTwWi", sym.type) != NULL;
	return 0;
}

static bool
enumerator(void *arg, const char *name, int64_t *value, dc_tid_t *type)
{
	return gi_enum_find(arg, name, value, type);
}

void
dv_typesrc_init(struct dc_types *ret, struct gi_kernel *k)
{
	*ret = (struct dc_types){
		.arg = k, .find = find, .info = info, .member = member,
		.symbol = symbol, .enumerator = enumerator
	};
}
