/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * typetext.c - a BTF type as the text that D takes.
 *
 * "struct file *", "const char *", "int (*)(struct foo *, int)". The abstract
 * declarator grows outwards around its middle, as C wants it. What has no name
 * becomes "void" behind a pointer, or "uint64_t". Depth and length are bounded;
 * what is too deep has no text (NULL), and the caller uses a plain integer.
 */
#include "gi_impl.h"

#include <stdio.h>

#define MAX_TEXT	256u
#define MAX_DEPTH	16u

/* decl: the declarator so far ("*", "(*)[4]"); writes the whole to out. */
static bool
render(const struct gi_btf *b, uint32_t id, const char *decl, unsigned depth, char *out)
{
	struct gi_type t;
	char d[MAX_TEXT];
	const char *sep = *decl != 0 ? " " : "", *tag = "";
	int n;

	if (depth == 0 || gi_btf_type(b, id, &t) != 0)
		return false;
	switch (t.kind) {
	case GI_T_VOID:
		n = snprintf(out, MAX_TEXT, "void%s%s", sep, decl);
		break;
	case GI_T_PTR: {
		struct gi_type to;
		bool paren = gi_btf_type(b, t.ref, &to) == 0 &&
		    (to.kind == GI_T_PROTO || to.kind == GI_T_ARRAY);

		n = snprintf(d, sizeof(d), paren ? "(*%s)" : "*%s", decl);
		return n < (int)sizeof(d) && render(b, t.ref, d, depth - 1, out);
	}
	case GI_T_ARRAY:
		n = snprintf(d, sizeof(d), "%s[%u]", decl, t.n);
		return n < (int)sizeof(d) && render(b, t.ref, d, depth - 1, out);
	case GI_T_PROTO: {
		size_t len;
		uint32_t i;

		n = snprintf(d, sizeof(d), "%s(%s", decl, t.n == 0 ? "void" : "");
		if (n >= (int)sizeof(d))
			return false;
		for (i = 0, len = (size_t)n; i < t.n; i++) {
			char arg[MAX_TEXT];
			struct gi_member m;

			if (gi_btf_member(b, id, i, &m) != 0)
				return false;
			if (m.type == 0 && i == t.n - 1)
				strcpy(arg, "...");
			else if (!render(b, m.type, "", depth - 1, arg))
				return false;
			n = snprintf(d + len, sizeof(d) - len, "%s%s", i == 0 ? "" : ", ", arg);
			if (n >= (int)(sizeof(d) - len))
				return false;
			len += (size_t)n;
		}
		if (len + 2 > sizeof(d))
			return false;
		strcpy(d + len, ")");
		return render(b, t.ref, d, depth - 1, out);
	}
	case GI_T_CONST:
	case GI_T_VOLATILE:
	case GI_T_RESTRICT: {
		/* only "const char *" and the like matter: the rest drops it */
		struct gi_type to;
		char in[MAX_TEXT];

		if (gi_btf_type(b, t.ref, &to) != 0)
			return false;
		if (t.kind != GI_T_CONST || to.kind == GI_T_PTR || to.kind == GI_T_ARRAY ||
		    to.kind == GI_T_PROTO || to.kind == GI_T_CONST)
			return render(b, t.ref, decl, depth - 1, out);
		if (!render(b, t.ref, decl, depth - 1, in))
			return false;
		n = snprintf(out, MAX_TEXT, "const %s", in);
		break;
	}
	case GI_T_STRUCT:
		tag = "struct ";
		goto named;
	case GI_T_UNION:
		tag = "union ";
		goto named;
	case GI_T_ENUM:
		tag = "enum ";
		goto named;
	case GI_T_FWD:
		tag = t.fwd_union ? "union " : "struct ";
		goto named;
	case GI_T_INT:
	case GI_T_FLOAT:
	case GI_T_TYPEDEF:
	named:
		if (*t.name == 0) {
			if (*decl == 0)
				return false;
			n = snprintf(out, MAX_TEXT, "void %s", decl);
		} else {
			n = snprintf(out, MAX_TEXT, "%s%s%s%s", tag, t.name, sep, decl);
		}
		break;
	default:
		return false;
	}
	return n >= 0 && n < (int)MAX_TEXT;
}

const char *
gi_type_text(const struct gi_kernel *k, uint32_t id)
{
	char buf[MAX_TEXT];
	char *s = dv_map_get(k->tytext, id);

	if (s != NULL)
		return *s == 0 ? NULL : s;
	if (!render(gi_btf_of(k, id), id, "", MAX_DEPTH, buf))
		buf[0] = 0;
	s = dv_arena_strdup(k->arena, buf);
	if (s == NULL || dv_map_set(k->tytext, id, s) != 0)
		return NULL;
	return *s == 0 ? NULL : s;
}
