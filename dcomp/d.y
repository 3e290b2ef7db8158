/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * d.y - the grammar of D, all of it.
 *
 * Actions build the raw tree and look nothing up, save that a declaration
 * takes effect when it is complete (decl.c), since the lexer must know type
 * names from then on. Clauses wait until the whole text is parsed.
 *
 * The lexer (d.l) knows where it stands: descriptions, declarations, predicate
 * or body. It tells a predicate's slashes (PBEGIN, EPRED) from division and
 * type names (TNAME) from others (IDENT). Its first token chooses between a
 * program and a single expression.
 */
%define api.pure full
%define api.prefix {dcy}
%define parse.error verbose
%locations
%define api.location.type {struct span}
%expect 0
%parse-param { struct dc *c } { struct lexer *lx } { void *scanner }
%lex-param { void *scanner }

%code requires {
#include "impl.h"
struct atom {			/* one word of a declaration's specifiers */
	uint32_t word;		/* DW_* */
	enum dclass class;
	struct type *type;
	bool defines;
};
}

%union {
	struct node *n;
	struct { const char *s; size_t len; } str;
	struct { uint64_t v; struct type *t; } num;
	struct dspec *spec;
	struct declr *declr;
	struct dparm *parm;
	struct { struct dparm *list; bool varargs; } parms;
	struct type *type;
	struct pdesc *pdesc;
	struct xmember *xm;
	struct atom atom;
	int op;
}

%code {
#include "d.lex.h"

int dcylex(DCYSTYPE *val, DCYLTYPE *loc, void *scanner);

/* From the first to the last of a rule's symbols; an empty rule is where it stands. */
#define YYLLOC_DEFAULT(cur, rhs, n) do {					\
	if (n) {								\
		(cur) = YYRHSLOC(rhs, 1);					\
		(cur).last_line = YYRHSLOC(rhs, n).last_line;			\
		(cur).last_column = YYRHSLOC(rhs, n).last_column;		\
		(cur).end = YYRHSLOC(rhs, n).end;				\
	} else {								\
		(cur).first_line = (cur).last_line = YYRHSLOC(rhs, 0).last_line; \
		(cur).first_column = (cur).last_column = YYRHSLOC(rhs, 0).last_column; \
		(cur).start = (cur).end = YYRHSLOC(rhs, 0).end;			\
	}									\
} while (0)

static inline struct loc
at(const DCYLTYPE *l)
{
	return (struct loc){ (uint32_t)l->first_line, (uint32_t)l->first_column };
}

static void
dcyerror(const DCYLTYPE *l, struct dc *c, struct lexer *lx, void *scanner, const char *msg)
{
	(void)lx;
	(void)scanner;
	if (strncmp(msg, "memory", 6) == 0)
		msg = "the text is nested too deeply";
	c->missed |= !c->bad && c->missed_word;
	dc_error(c, at(l), D_SYNTAX, "%s", msg);
}

/* A type as it was written. */
static void
typed(struct dc *c, struct node *n, struct type *t, const DCYLTYPE *l)
{
	n->type = t;
	n->tname = l->start < l->end && l->end <= c->srclen ?
	    dc_strdup(c, c->src + l->start, l->end - l->start) : "";
}

static struct dspec *
spec_new(struct dc *c, const DCYLTYPE *l)
{
	struct dspec *s = dc_alloc(c, sizeof(*s));

	s->loc = at(l);
	return s;
}

static void
atom_apply(struct dc *c, struct dspec *s, const struct atom *a, struct loc l)
{
	if (a->class != DCL_NONE)
		ds_class(c, s, a->class, l);
	else if (a->word == DW_TYPE)
		ds_type(c, s, a->type, l, a->defines);
	else if (a->word != 0)
		ds_word(c, s, a->word, l);
}

/* Structs may be defined inside each other. */
static void
sou_push(struct dc *c, struct lexer *lx, struct type *t)
{
	if (lx->sous.n >= MAX_DEPTH || dv_vec_push(&lx->sous, t) != 0)
		dc_error(c, (struct loc){ lx->line, lx->col }, D_SYNTAX,
		    "types are nested too deeply");
}

static struct type *
sou_top(struct lexer *lx)
{
	return lx->sous.v[lx->sous.n - 1];
}

static struct dparm *
parm_add(struct dparm *list, struct dparm *p)
{
	if (list == NULL) {
		p->last = p;
		return p;
	}
	list->last->next = p;
	list->last = p;
	return list;
}

static struct declr *
declr_add(struct declr *list, struct declr *d)
{
	list->tail->next = d;
	list->tail = d;
	return list;
}

static void
add_clause(struct dc *c, const DCYLTYPE *l, struct pdesc *descs, struct node *pred,
    struct node *body, bool has_body)
{
	struct clause *cl = dc_alloc(c, sizeof(*cl));

	cl->loc = at(l);
	cl->descs = descs;
	cl->pred = pred;
	cl->body = body;
	cl->has_body = has_body;
	if (!has_body && !(c->srcflags & DC_F_PSPEC)) {
		size_t n = strlen(descs->text);

		if (pred == NULL && n > 2 && strcmp(descs->text + n - 2, "_t") == 0)
			dc_error(c, cl->loc, D_SYNTAX, "expected predicate and/or actions "
			    "following probe description (no type is called %s)", descs->text);
		dc_error(c, cl->loc, D_SYNTAX, pred != NULL ?
		    "expected actions { } following probe description and predicate" :
		    "expected predicate and/or actions following probe description");
		return;
	}
	if (c->last_clause != NULL)
		c->last_clause->next = cl;
	else
		c->clauses = cl;
	c->last_clause = cl;
	dump_item(c, cl, NULL, 0);
}

#define OP1(op, l, a)		nd_op1(c, op, at(&(l)), a)
#define OP2(op, l, a, b)	nd_op2(c, op, at(&(l)), a, b)
#define STOP()			do { if (c->bad) YYABORT; } while (0)
#undef YYMAXDEPTH
#define YYMAXDEPTH 20000
}

%token BEGIN_PROGRAM BEGIN_EXPR
%token <str> IDENT "identifier" TNAME "type name" STRING "string" AGG "aggregation"
%token <str> SYM "symbol" PSPEC "probe description"
%token <num> INT "integer"
%token PBEGIN "/ of a predicate" EPRED "/ at the end of a predicate"
%token LSH "<<" RSH ">>" LE "<=" GE ">=" EQ "==" NE "!=" LAND "&&" LOR "||" LXOR "^^"
%token INC "++" DEC "--" ARROW "->" ELLIPSIS "..."
%token ADD_EQ "+=" SUB_EQ "-=" MUL_EQ "*=" DIV_EQ "/=" MOD_EQ "%=" AND_EQ "&=" OR_EQ "|="
%token XOR_EQ "^=" LSH_EQ "<<=" RSH_EQ ">>="
%token KW_AUTO "auto" KW_CHAR "char" KW_CONST "const" KW_DOUBLE "double" KW_ELSE "else"
%token KW_ENUM "enum" KW_EXTERN "extern" KW_FLOAT "float" KW_IF "if" KW_INLINE "inline"
%token KW_INT "int" KW_LONG "long" KW_OFFSETOF "offsetof" KW_PROBE "probe"
%token KW_PROVIDER "provider" KW_REGISTER "register" KW_RESTRICT "restrict"
%token KW_SELF "self" KW_SHORT "short" KW_SIGNED "signed" KW_SIZEOF "sizeof"
%token KW_STATIC "static" KW_STRING "string type" KW_STRINGOF "stringof" KW_STRUCT "struct"
%token KW_THIS "this" KW_TRANSLATOR "translator" KW_TYPEDEF "typedef" KW_UNION "union"
%token KW_UNSIGNED "unsigned" KW_VOID "void" KW_VOLATILE "volatile" KW_XLATE "xlate"
%token KW_BOOL "_Bool"

%type <n> expression assignment cond_expr lor_expr lxor_expr land_expr or_expr xor_expr
%type <n> and_expr eq_expr rel_expr shift_expr add_expr mul_expr cast_expr unary postfix
%type <n> primary args opt_args block body_list stmts stmt constant
%type <op> assign_op unary_op sou_kind
%type <spec> decl_specs
%type <atom> atom sou enum
%type <type> type_name sou_head enum_head
%type <declr> declarator direct_declarator declarators abstract direct_abstract
%type <declr> member_declarator member_declarators
%type <parm> parm parm_list
%type <parms> parm_types
%type <pdesc> pdescs pdesc
%type <xm> xmembers xmember
%type <str> word

%precedence NOELSE
%precedence KW_ELSE

%%

start:
	  BEGIN_PROGRAM program
	| BEGIN_EXPR expression		{ c->expr = $2; }
	;

program:
	  %empty
	| program external		{ c->ndecls++; STOP(); }
	;

external:
	  declaration
	| inline
	| translator
	| provider
	| clause
	| ';'
	;

/* ---- clauses ---- */

clause:
	  pdescs			{ add_clause(c, &@$, $1, NULL, NULL, false); }
	| pdescs block			{ add_clause(c, &@$, $1, NULL, $2, true); }
	| pdescs PBEGIN expression EPRED { add_clause(c, &@$, $1, $3, NULL, false); }
	| pdescs PBEGIN expression EPRED block
					{ add_clause(c, &@$, $1, $3, $5, true); }
	;

pdescs:
	  pdesc
	| pdescs ',' pdesc		{ $$ = $1; $1->last->next = $3; $1->last = $3; }
	;

pdesc:
	  PSPEC				{
		$$ = dc_alloc(c, sizeof(*$$));
		$$->loc = at(&@1);
		$$->text = $1.s;
		$$->last = $$;
	}
	| INT				{
		$$ = dc_alloc(c, sizeof(*$$));
		$$->loc = at(&@1);
		$$->text = dc_fmt(c, "%" PRIu64, $1.v);
		$$->last = $$;
		if ($1.v == 0 || $1.v > UINT32_MAX)
			dc_error(c, at(&@1), D_ID_OFLOW, "probe id %" PRIu64
			    " is out of range", $1.v);
		$$->d.id = (uint32_t)$1.v;
	}
	;

block:
	  '{' body_list '}'		{
		$$ = nd_with_list(c, N_BLOCK, at(&@$), NULL, $2);
	}
	;

body_list:
	  stmts
	| stmts expression		{ $$ = nd_list(c, $1, $2); }
	;

stmts:
	  %empty			{ $$ = NULL; }
	| stmts stmt			{ $$ = $2 != NULL ? nd_list(c, $1, $2) : $1; STOP(); }
	;

stmt:
	  ';'				{ $$ = NULL; }
	| expression ';'
	| block
	| KW_IF '(' expression ')' stmt %prec NOELSE {
		$$ = nd(c, N_IF, at(&@$));
		$$->a = $3;
		$$->b = $5;
		nd_depth(c, $$);
	}
	| KW_IF '(' expression ')' stmt KW_ELSE stmt {
		$$ = nd(c, N_IF, at(&@$));
		$$->a = $3;
		$$->b = $5;
		$$->c = $7;
		nd_depth(c, $$);
	}
	;

/* ---- expressions ---- */

expression:
	  assignment
	| expression ',' assignment	{ $$ = OP2(OP_COMMA, @$, $1, $3); }
	;

assignment:
	  cond_expr
	| unary assign_op assignment	{ $$ = OP2((enum op)$2, @$, $1, $3); }
	;

assign_op:
	  '='	 { $$ = OP_ASGN; }	| MUL_EQ { $$ = OP_MUL_EQ; }
	| DIV_EQ { $$ = OP_DIV_EQ; }	| MOD_EQ { $$ = OP_MOD_EQ; }
	| ADD_EQ { $$ = OP_ADD_EQ; }	| SUB_EQ { $$ = OP_SUB_EQ; }
	| LSH_EQ { $$ = OP_LSH_EQ; }	| RSH_EQ { $$ = OP_RSH_EQ; }
	| AND_EQ { $$ = OP_AND_EQ; }	| XOR_EQ { $$ = OP_XOR_EQ; }
	| OR_EQ	 { $$ = OP_OR_EQ; }
	;

constant:
	  cond_expr
	;

cond_expr:
	  lor_expr
	| lor_expr '?' expression ':' cond_expr { $$ = nd_op3(c, at(&@$), $1, $3, $5); }
	;

lor_expr:
	  lxor_expr
	| lor_expr LOR lxor_expr	{ $$ = OP2(OP_LOR, @$, $1, $3); }
	;

lxor_expr:
	  land_expr
	| lxor_expr LXOR land_expr	{ $$ = OP2(OP_LXOR, @$, $1, $3); }
	;

land_expr:
	  or_expr
	| land_expr LAND or_expr	{ $$ = OP2(OP_LAND, @$, $1, $3); }
	;

or_expr:
	  xor_expr
	| or_expr '|' xor_expr		{ $$ = OP2(OP_BOR, @$, $1, $3); }
	;

xor_expr:
	  and_expr
	| xor_expr '^' and_expr		{ $$ = OP2(OP_XOR, @$, $1, $3); }
	;

and_expr:
	  eq_expr
	| and_expr '&' eq_expr		{ $$ = OP2(OP_BAND, @$, $1, $3); }
	;

eq_expr:
	  rel_expr
	| eq_expr EQ rel_expr		{ $$ = OP2(OP_EQ, @$, $1, $3); }
	| eq_expr NE rel_expr		{ $$ = OP2(OP_NE, @$, $1, $3); }
	;

rel_expr:
	  shift_expr
	| rel_expr '<' shift_expr	{ $$ = OP2(OP_LT, @$, $1, $3); }
	| rel_expr '>' shift_expr	{ $$ = OP2(OP_GT, @$, $1, $3); }
	| rel_expr LE shift_expr	{ $$ = OP2(OP_LE, @$, $1, $3); }
	| rel_expr GE shift_expr	{ $$ = OP2(OP_GE, @$, $1, $3); }
	;

shift_expr:
	  add_expr
	| shift_expr LSH add_expr	{ $$ = OP2(OP_LSH, @$, $1, $3); }
	| shift_expr RSH add_expr	{ $$ = OP2(OP_RSH, @$, $1, $3); }
	;

add_expr:
	  mul_expr
	| add_expr '+' mul_expr		{ $$ = OP2(OP_ADD, @$, $1, $3); }
	| add_expr '-' mul_expr		{ $$ = OP2(OP_SUB, @$, $1, $3); }
	;

mul_expr:
	  cast_expr
	| mul_expr '*' cast_expr	{ $$ = OP2(OP_MUL, @$, $1, $3); }
	| mul_expr '/' cast_expr	{ $$ = OP2(OP_DIV, @$, $1, $3); }
	| mul_expr '%' cast_expr	{ $$ = OP2(OP_MOD, @$, $1, $3); }
	;

cast_expr:
	  unary
	| '(' type_name ')' cast_expr	{
		$$ = nd_op1(c, 0, at(&@$), $4);
		$$->kind = N_CAST;
		typed(c, $$, $2, &@2);
	}
	;

unary:
	  postfix
	| INC unary			{ $$ = OP1(OP_PREINC, @$, $2); }
	| DEC unary			{ $$ = OP1(OP_PREDEC, @$, $2); }
	| unary_op cast_expr		{ $$ = OP1((enum op)$1, @$, $2); }
	| KW_SIZEOF unary		{ $$ = OP1(0, @$, $2); $$->kind = N_SIZEOF; }
	| KW_SIZEOF '(' type_name ')'	{ $$ = nd(c, N_SIZEOFT, at(&@$)); typed(c, $$, $3, &@3); }
	| KW_STRINGOF unary		{ $$ = OP1(0, @$, $2); $$->kind = N_STRINGOF; }
	| KW_OFFSETOF '(' type_name ',' word ')' {
		$$ = nd_name(c, N_OFFSETOF, at(&@$), $5.s);
		typed(c, $$, $3, &@3);
	}
	;

unary_op:
	  '&' { $$ = OP_ADDR; } | '*' { $$ = OP_DEREF; } | '+' { $$ = OP_POS; }
	| '-' { $$ = OP_NEG; }	| '~' { $$ = OP_BNEG; }	 | '!' { $$ = OP_NOT; }
	;

postfix:
	  primary
	| postfix '[' args ']'		{ $$ = nd_with_list(c, N_INDEX, at(&@$), $1, $3); }
	| postfix '(' opt_args ')'	{ $$ = nd_with_list(c, N_CALL, at(&@$), $1, $3); }
	| postfix '.' word		{ $$ = nd_member(c, OP_DOT, at(&@$), $1, $3.s); }
	| postfix ARROW word		{ $$ = nd_member(c, OP_ARROW, at(&@$), $1, $3.s); }
	| postfix INC			{ $$ = OP1(OP_POSTINC, @$, $1); }
	| postfix DEC			{ $$ = OP1(OP_POSTDEC, @$, $1); }
	| KW_XLATE '<' type_name '>' '(' expression ')' {
		$$ = nd_op1(c, 0, at(&@$), $6);
		$$->kind = N_XLATE;
		typed(c, $$, $3, &@3);
	}
	;

word:
	  IDENT
	| TNAME
	;

opt_args:
	  %empty			{ $$ = NULL; }
	| args
	;

args:
	  assignment			{ $$ = nd_list(c, NULL, $1); }
	| args ',' assignment		{ $$ = nd_list(c, $1, $3); }
	;

primary:
	  IDENT				{ $$ = nd_name(c, N_IDENT, at(&@1), $1.s); }
	| SYM				{ $$ = nd_name(c, N_SYM, at(&@1), $1.s); }
	| AGG				{ $$ = nd_name(c, N_AGG, at(&@1), $1.s); }
	| INT				{ $$ = nd_int(c, at(&@1), $1.v, $1.t); }
	| strings			{
		$$ = nd_str(c, at(&@1), dc_strdup(c, lx->text.s, lx->text.len), lx->text.len);
	}
	| KW_SELF ARROW word		{
		$$ = nd_name(c, N_IDENT, at(&@$), $3.s);
		$$->scope = SC_SELF;
	}
	| KW_THIS ARROW word		{
		$$ = nd_name(c, N_IDENT, at(&@$), $3.s);
		$$->scope = SC_THIS;
	}
	| '(' expression ')'		{ $$ = $2; $$->flags |= NF_PAREN; }
	;

/* Adjacent constants are one. */
strings:
	  STRING			{
		dv_str_reset(&lx->text);
		dv_str_addn(&lx->text, $1.s, $1.len);
	}
	| strings STRING		{
		dv_str_addn(&lx->text, $2.s, $2.len);
		if (lx->text.len > MAX_STRING)
			dc_error_limit(c, at(&@1), "string constant is too long", MAX_STRING,
			    " bytes");
		STOP();
	}
	;

/* ---- declarations ---- */

declaration:
	  decl_specs ';'		{ decl_declare(c, $1, NULL); }
	| decl_specs declarators ';'	{ decl_declare(c, $1, $2); }
	;

inline:
	  KW_INLINE decl_specs declarator '=' assignment ';'
					{ decl_inline(c, $2, $3, $5); }
	;

translator:
	  KW_TRANSLATOR type_name '<' decl_specs declarator '>' '{' xmembers '}' ';' {
		struct type *src = dr_type(c, ds_resolve(c, $4), $5, NULL);

		decl_xlator(c, $2, src, $5->name, $8, at(&@$));
	}
	;

xmembers:
	  %empty			{ $$ = NULL; }
	| xmembers xmember		{
		if ($1 == NULL)
			$$ = $2->last = $2;
		else {
			$$ = $1;
			$1->last->next = $2;
			$1->last = $2;
		}
	}
	;

xmember:
	  word '=' assignment ';'	{
		$$ = dc_alloc(c, sizeof(*$$));
		$$->name = $1.s;
		$$->expr = $3;
		$$->loc = at(&@1);
	}
	;

/* Providers are declared for tools that make them; a program takes note only. */
provider:
	  KW_PROVIDER word '{' probes '}' ';'
	;

probes:
	  %empty
	| probes KW_PROBE word '(' ')' ';'
	| probes KW_PROBE word '(' parm_types ')' ';'
	| probes KW_PROBE word '(' parm_types ')' ':' '(' parm_types ')' ';'
	;

decl_specs:
	  atom				{ $$ = spec_new(c, &@1); atom_apply(c, $$, &$1, at(&@1)); }
	| decl_specs atom		{ $$ = $1; atom_apply(c, $$, &$2, at(&@2)); }
	;

atom:
	  KW_VOID	{ $$ = (struct atom){ .word = DW_VOID }; }
	| KW_CHAR	{ $$ = (struct atom){ .word = DW_CHAR }; }
	| KW_SHORT	{ $$ = (struct atom){ .word = DW_SHORT }; }
	| KW_INT	{ $$ = (struct atom){ .word = DW_INT }; }
	| KW_LONG	{ $$ = (struct atom){ .word = DW_LONG }; }
	| KW_FLOAT	{ $$ = (struct atom){ .word = DW_FLOAT }; }
	| KW_DOUBLE	{ $$ = (struct atom){ .word = DW_DOUBLE }; }
	| KW_SIGNED	{ $$ = (struct atom){ .word = DW_SIGNED }; }
	| KW_UNSIGNED	{ $$ = (struct atom){ .word = DW_UNSIGNED }; }
	| KW_STRING	{ $$ = (struct atom){ .word = DW_STRING }; }
	| KW_BOOL	{ $$ = (struct atom){ .word = DW_BOOL }; }
	| KW_CONST	{ $$ = (struct atom){ 0 }; }
	| KW_VOLATILE	{ $$ = (struct atom){ 0 }; }
	| KW_RESTRICT	{ $$ = (struct atom){ 0 }; }
	| KW_TYPEDEF	{ $$ = (struct atom){ .class = DCL_TYPEDEF }; }
	| KW_SELF	{ $$ = (struct atom){ .class = DCL_SELF }; }
	| KW_THIS	{ $$ = (struct atom){ .class = DCL_THIS }; }
	| KW_EXTERN	{ $$ = (struct atom){ .class = DCL_EXTERN }; }
	| KW_AUTO	{ $$ = (struct atom){ .class = DCL_BAD }; }
	| KW_REGISTER	{ $$ = (struct atom){ .class = DCL_BAD }; }
	| KW_STATIC	{ $$ = (struct atom){ .class = DCL_BAD }; }
	| sou
	| enum
	| TNAME				{
		struct type *t = NULL;

		if (!id_is_type(c, $1.s, &t)) {
			dc_miss(c);
			dc_error(c, at(&@1), D_UNKNOWN, "unknown type name: %s", $1.s);
		}
		$$ = (struct atom){ .word = DW_TYPE, .type = t };
	}
	;

sou:
	  sou_kind word			{
		$$ = (struct atom){ .word = DW_TYPE, .defines = true };
		$$.type = decl_tag(c, (enum tkind)$1, $2.s, at(&@2), false);
	}
	| sou_kind SYM			{
		$$ = (struct atom){ .word = DW_TYPE, .defines = true };
		$$.type = decl_scoped(c, (enum tkind)$1, $2.s, at(&@2));
	}
	| sou_head '{' members '}'	{
		decl_sou_end(c, $1);
		if (lx->sous.n != 0)
			lx->sous.n--;
		$$ = (struct atom){ .word = DW_TYPE, .type = $1, .defines = true };
	}
	;

sou_head:
	  sou_kind			{ $$ = decl_tag(c, (enum tkind)$1, NULL, at(&@1), true); sou_push(c, lx, $$); }
	| sou_kind word			{ $$ = decl_tag(c, (enum tkind)$1, $2.s, at(&@2), true); sou_push(c, lx, $$); }
	;

sou_kind:
	  KW_STRUCT			{ $$ = T_STRUCT; }
	| KW_UNION			{ $$ = T_UNION; }
	;

members:
	  %empty
	| members decl_specs ';'	{ decl_members(c, sou_top(lx), $2, NULL); }
	| members decl_specs member_declarators ';' { decl_members(c, sou_top(lx), $2, $3); }
	;

member_declarators:
	  member_declarator
	| member_declarators ',' member_declarator { $$ = declr_add($1, $3); }
	;

member_declarator:
	  declarator
	| declarator ':' constant	{ $$ = $1; $$->bits = $3; $$->bitfield = true; }
	| ':' constant			{
		$$ = dr_new(c, at(&@1), NULL);
		$$->bits = $2;
		$$->bitfield = true;
	}
	;

enum:
	  KW_ENUM word			{
		$$ = (struct atom){ .word = DW_TYPE, .defines = true };
		$$.type = decl_tag(c, T_ENUM, $2.s, at(&@2), false);
	}
	| enum_head '{' enumerators '}'	{
		$$ = (struct atom){ .word = DW_TYPE, .type = $1, .defines = true };
	}
	| enum_head '{' enumerators ',' '}' {
		$$ = (struct atom){ .word = DW_TYPE, .type = $1, .defines = true };
	}
	;

enum_head:
	  KW_ENUM			{ $$ = lx->enm = decl_tag(c, T_ENUM, NULL, at(&@1), true); }
	| KW_ENUM word			{ $$ = lx->enm = decl_tag(c, T_ENUM, $2.s, at(&@2), true); }
	;

enumerators:
	  enumerator
	| enumerators ',' enumerator
	;

enumerator:
	  word				{ decl_enumerator(c, lx->enm, $1.s, NULL, at(&@1)); }
	| word '=' constant		{ decl_enumerator(c, lx->enm, $1.s, $3, at(&@1)); }
	;

declarators:
	  declarator
	| declarators ',' declarator	{ $$ = declr_add($1, $3); }
	;

declarator:
	  direct_declarator
	| '*' quals declarator		{ $$ = $3; dr_mod(c, $$, DM_PTR, at(&@1), NULL, NULL, false); }
	;

quals:
	  %empty
	| quals KW_CONST
	| quals KW_VOLATILE
	| quals KW_RESTRICT
	;

direct_declarator:
	  IDENT				{ $$ = dr_new(c, at(&@1), $1.s); }
	| SYM				{
		$$ = dr_new(c, at(&@1), $1.s);
		dc_error(c, at(&@1), D_DECL_SCOPE, "a scoped name cannot be declared: %s", $1.s);
	}
	| '(' declarator ')'		{ $$ = $2; }
	| direct_declarator '[' ']'	{ $$ = $1; dr_mod(c, $$, DM_ARRAYNULL, at(&@2), NULL, NULL, false); }
	| direct_declarator '[' constant ']' { $$ = $1; dr_mod(c, $$, DM_ARRAY, at(&@2), $3, NULL, false); }
	| direct_declarator '[' parm_types ']' {
		$$ = $1;
		dr_mod(c, $$, DM_TUPLE, at(&@2), NULL, $3.list, $3.varargs);
	}
	| direct_declarator '(' ')'	{ $$ = $1; dr_mod(c, $$, DM_FUNC, at(&@2), NULL, NULL, false); }
	| direct_declarator '(' parm_types ')' {
		$$ = $1;
		dr_mod(c, $$, DM_FUNC, at(&@2), NULL, $3.list, $3.varargs);
	}
	;

parm_types:
	  parm_list			{ $$.list = $1; $$.varargs = false; }
	| parm_list ',' ELLIPSIS	{ $$.list = $1; $$.varargs = true; }
	| ELLIPSIS			{ $$.list = NULL; $$.varargs = true; }
	;

parm_list:
	  parm				{ $$ = parm_add(NULL, $1); }
	| parm_list ',' parm		{ $$ = parm_add($1, $3); }
	;

parm:
	  decl_specs			{ $$ = decl_parm(c, $1, NULL); }
	| decl_specs declarator		{ $$ = decl_parm(c, $1, $2); }
	| decl_specs abstract		{ $$ = decl_parm(c, $1, $2); }
	;

type_name:
	  decl_specs			{ $$ = decl_typename(c, $1, NULL); STOP(); }
	| decl_specs abstract		{ $$ = decl_typename(c, $1, $2); STOP(); }
	;

abstract:
	  '*' quals			{ $$ = dr_new(c, at(&@1), NULL); dr_mod(c, $$, DM_PTR, at(&@1), NULL, NULL, false); }
	| '*' quals abstract		{ $$ = $3; dr_mod(c, $$, DM_PTR, at(&@1), NULL, NULL, false); }
	| direct_abstract
	;

direct_abstract:
	  '(' abstract ')'		{ $$ = $2; }
	| '(' ')'			{ $$ = dr_new(c, at(&@1), NULL); dr_mod(c, $$, DM_FUNC, at(&@1), NULL, NULL, false); }
	| '(' parm_types ')'		{
		$$ = dr_new(c, at(&@1), NULL);
		dr_mod(c, $$, DM_FUNC, at(&@1), NULL, $2.list, $2.varargs);
	}
	| '[' ']'			{ $$ = dr_new(c, at(&@1), NULL); dr_mod(c, $$, DM_ARRAYNULL, at(&@1), NULL, NULL, false); }
	| '[' constant ']'		{ $$ = dr_new(c, at(&@1), NULL); dr_mod(c, $$, DM_ARRAY, at(&@1), $2, NULL, false); }
	| direct_abstract '[' ']'	{ $$ = $1; dr_mod(c, $$, DM_ARRAYNULL, at(&@2), NULL, NULL, false); }
	| direct_abstract '[' constant ']' { $$ = $1; dr_mod(c, $$, DM_ARRAY, at(&@2), $3, NULL, false); }
	| direct_abstract '[' parm_types ']' {
		$$ = $1;
		dr_mod(c, $$, DM_TUPLE, at(&@2), NULL, $3.list, $3.varargs);
	}
	| direct_abstract '(' ')'	{ $$ = $1; dr_mod(c, $$, DM_FUNC, at(&@2), NULL, NULL, false); }
	| direct_abstract '(' parm_types ')' {
		$$ = $1;
		dr_mod(c, $$, DM_FUNC, at(&@2), NULL, $3.list, $3.varargs);
	}
	;

%%

/* A text with a NUL byte is no program, whatever stands around it. */
static bool
has_nul(struct dc *c, struct loc l)
{
	const char *p = memchr(c->src, '\0', c->srclen), *s;

	if (p == NULL)
		return false;
	for (s = c->src; s < p; s++) {
		l.col++;
		if (*s == '\n') {
			l.line++;
			l.col = 1;
		}
	}
	dc_error(c, l, D_SYNTAX, "the text has a NUL byte here: it is no D program");
	return true;
}

/* Parses c->src into clauses, or into one expression. */
int
dc_parse(struct dc *c, bool expr, struct loc start_loc)
{
	struct lexer lx;
	void *scanner;

	memset(&lx, 0, sizeof(lx));
	lx.c = c;
	dv_str_init(&lx.text);
	lx.line = start_loc.line;
	lx.col = start_loc.col;
	lx.first = expr ? BEGIN_EXPR : BEGIN_PROGRAM;
	if (c->srclen > MAX_SOURCE) {
		dc_error_limit(c, (struct loc){ 1, 1 }, "the program is too large",
		    MAX_SOURCE >> 20, " MB");
		return -1;
	}
	if (has_nul(c, start_loc))
		return -1;
	if (dcylex_init_extra(&lx, &scanner) != 0) {
		dc_nomem(c);
		return -1;
	}
	if (dcy_scan_bytes(c->src, (int)c->srclen, scanner) == NULL)
		dc_nomem(c);
	else if (dcyparse(c, &lx, scanner) != 0 && !c->bad)
		dc_nomem(c);
	dcylex_destroy(scanner);
	dv_vec_fini(&lx.sous);
	dv_str_fini(&lx.text);
	return c->bad ? -1 : 0;
}
