/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attr.c - stability attributes: what a program depends on, and how firm that is.
 *
 * Three words: the stability of the names, that of what the data mean, and the
 * class of machines that have them. Of two things that a program uses the
 * lesser counts, word by word, so their order in the lists below matters.
 *
 * A provider has attributes for itself, for its modules, functions and names,
 * and for its arguments; a description takes those of the fields that it
 * gives. A clause's statements take those of all names in them. They are
 * gathered from the raw tree, before checking replaces inlines by what they
 * stand for: an inline with attributes of its own (#pragma D attributes) hides
 * what it is made of. The version that a name is bound to (#pragma D binding)
 * is looked at here, too, since every name comes by.
 */
#include "impl.h"

static const char *const stab_names[] = { "Internal", "Private", "Obsolete", "External",
    "Unstable", "Evolving", "Stable", "Standard" };
static const char *const class_names[] = { "Unknown", "CPU", "Platform", "Group", "ISA",
    "Common" };
enum { INTERNAL, PRIVATE, OBSOLETE, EXTERNAL, UNSTABLE, EVOLVING, STABLE, STANDARD };
enum { UNKNOWN, CPU, PLATFORM, GROUP, ISA, COMMON };

static const struct dc_attr stable = { STABLE, STABLE, COMMON };
static const struct dc_attr private = { PRIVATE, PRIVATE, UNKNOWN };

/* As documented for each provider; one that is not here is Private. */
#define EV(class)	{ EVOLVING, EVOLVING, class }
#define PRIV(class)	{ PRIVATE, PRIVATE, class }
#define ST		{ STABLE, STABLE, COMMON }
static const struct {
	const char *name;
	struct dc_attr a[DC_NAPART];	/* provider, module, function, name, args */
} providers[] = {
	{ "dtrace", { ST, PRIV(UNKNOWN), PRIV(UNKNOWN), ST, ST } },
	{ "profile", { EV(COMMON), { UNSTABLE, UNSTABLE, UNKNOWN }, PRIV(UNKNOWN), EV(COMMON),
	    EV(COMMON) } },
	{ "fbt", { EV(ISA), PRIV(UNKNOWN), PRIV(UNKNOWN), EV(ISA), PRIV(ISA) } },
	{ "syscall", { EV(COMMON), PRIV(UNKNOWN), { UNSTABLE, UNSTABLE, ISA }, EV(COMMON),
	    { UNSTABLE, UNSTABLE, ISA } } },
	{ "sched", { EV(ISA), PRIV(UNKNOWN), PRIV(UNKNOWN), EV(ISA), EV(ISA) } },
	{ "proc", { EV(ISA), PRIV(UNKNOWN), PRIV(UNKNOWN), EV(ISA), EV(ISA) } },
	{ "io", { EV(ISA), PRIV(UNKNOWN), PRIV(UNKNOWN), EV(ISA), EV(ISA) } },
	{ "ip", { EV(ISA), PRIV(UNKNOWN), PRIV(UNKNOWN), EV(ISA), EV(ISA) } },
	{ "tcp", { EV(ISA), PRIV(UNKNOWN), PRIV(UNKNOWN), EV(ISA), EV(ISA) } },
	{ "udp", { EV(ISA), PRIV(UNKNOWN), PRIV(UNKNOWN), EV(ISA), EV(ISA) } },
	{ "lockstat", { EV(COMMON), PRIV(UNKNOWN), PRIV(UNKNOWN), EV(COMMON), EV(COMMON) } },
	{ "vminfo", { EV(ISA), PRIV(UNKNOWN), PRIV(UNKNOWN), EV(ISA), PRIV(ISA) } },
	{ "sysinfo", { EV(ISA), PRIV(UNKNOWN), PRIV(UNKNOWN), EV(ISA), PRIV(ISA) } },
	{ "pid", { EV(ISA), PRIV(UNKNOWN), PRIV(UNKNOWN), EV(ISA), PRIV(UNKNOWN) } },
};

const char *
dc_stability_name(unsigned stability)
{
	return stability <= STANDARD ? stab_names[stability] : "Unknown";
}

const char *
dc_class_name(unsigned class)
{
	return class <= COMMON ? class_names[class] : "Unknown";
}

static bool
word(const char *s, size_t n, const char *const *names, unsigned count, uint8_t *ret)
{
	unsigned i;

	for (i = 0; i < count; i++)
		if (strlen(names[i]) == n && memcmp(names[i], s, n) == 0) {
			*ret = (uint8_t)i;
			return true;
		}
	return false;
}

bool
at_parse(const char *s, uint64_t *ret)
{
	size_t n = strcspn(s, "/"), m = s[n] == '/' ? strcspn(s + n + 1, "/") : 0;
	struct dc_attr a;

	if (s[n] != '/' || s[n + 1 + m] != '/' ||
	    !word(s, n, stab_names, STANDARD + 1, &a.name) ||
	    !word(s + n + 1, m, stab_names, STANDARD + 1, &a.data) ||
	    !word(s + n + m + 2, strlen(s + n + m + 2), class_names, COMMON + 1, &a.class))
		return false;
	*ret = (uint64_t)a.name << 16 | (uint64_t)a.data << 8 | a.class;
	return true;
}

struct dc_attr
at_attr(uint64_t v)
{
	return (struct dc_attr){ (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v };
}

static void
lower(struct dc_attr *to, struct dc_attr by)
{
	if (by.name < to->name)
		to->name = by.name;
	if (by.data < to->data)
		to->data = by.data;
	if (by.class < to->class)
		to->class = by.class;
}

/* ---- providers --------------------------------------------------------- */

struct dc_attr
dc_provider_attr(const struct dc *c, const char *prov, enum dc_apart part)
{
	size_t i, n = strlen(prov);
	const struct provattr *p;

	for (p = c->provattrs; p != NULL; p = p->next)
		if (strcmp(p->name, prov) == 0 && p->part == part)
			return p->attr;
	/* pid1234 is the provider pid. */
	while (n > 0 && prov[n - 1] >= '0' && prov[n - 1] <= '9')
		n--;
	for (i = 0; i < sizeof(providers) / sizeof(providers[0]); i++)
		if (strcmp(providers[i].name, prov) == 0 || (strlen(providers[i].name) == n &&
		    memcmp(providers[i].name, prov, n) == 0 &&
		    strcmp(providers[i].name, "pid") == 0))
			return providers[i].a[part];
	return private;
}

struct dc_attr
dc_probe_attr(const struct dc *c, const char *const names[4])
{
	struct dc_attr a = { STANDARD, STANDARD, COMMON };
	unsigned i;

	for (i = 0; i < 4; i++)
		if (names[i][0] != '\0')
			lower(&a, dc_provider_attr(c, names[0], (enum dc_apart)i));
	return a;
}

void
at_provider(struct dc *c, const char *prov, enum dc_apart part, struct dc_attr a)
{
	struct provattr *p = dc_alloc(c, sizeof(*p));

	p->name = prov;
	p->part = part;
	p->attr = a;
	p->next = c->provattrs;		/* the last one counts */
	c->provattrs = p;
}

/* Does a field of a description say something? */
static bool
given(const char *field)
{
	return *field != '\0' && strcmp(field, "*") != 0;
}

/* Of the providers that a description matched, one part. */
static void
lower_by(struct dc *c, struct dc_attr *a, const struct dc_pdesc *d, const struct dc_probeinfo *in,
	 enum dc_apart part)
{
	uint32_t i;

	for (i = 0; i < in->nprov && i < DC_MAXPROV; i++)
		lower(a, dc_provider_attr(c, in->prov[i], part));
	if (in->nprov == 0 || in->nprov > DC_MAXPROV)
		lower(a, d->id == 0 && !dv_glob_is_pattern(d->prov) ?
		    dc_provider_attr(c, d->prov, part) : private);
}

static struct dc_attr
of_description(struct dc *c, const struct dc_pdesc *d, const struct dc_probeinfo *in)
{
	struct dc_attr a = { STANDARD, STANDARD, COMMON };

	lower_by(c, &a, d, in, DC_A_PROVIDER);
	/* A number names all four, and may be another probe's tomorrow. */
	if (d->id != 0 || given(d->mod))
		lower_by(c, &a, d, in, DC_A_MODULE);
	if (d->id != 0 || given(d->func))
		lower_by(c, &a, d, in, DC_A_FUNCTION);
	if (d->id != 0 || given(d->name))
		lower_by(c, &a, d, in, DC_A_NAME);
	return a;
}

/* ---- statements -------------------------------------------------------- */

/* What is known of the clause whose names are gathered. */
struct gather {
	struct dc *c;
	struct dc_attr args;		/* of its probes' arguments */
	bool uses_args;			/* some name is one of those */
	const struct dparm *parms;	/* of the inline that we are in */
	unsigned depth;			/* of inlines in each other */
};

static void gather(struct gather *g, struct node *n, struct dc_attr *a);

static void
check_version(struct gather *g, const struct ident *id, struct loc l)
{
	struct dc *c = g->c;
	uint64_t max = c->opt[DV_OPT_VERSION];

	if (!c->opt_set[DV_OPT_VERSION])
		op_version(DV_D_VERSION, &max);
	if (id->version > max)
		dc_error(c, l, D_IDENT_UNDEF, "failed to resolve %s: it is bound to version "
		    "%u.%u.%u of D, and this program asks for %u.%u.%u", id->name,
		    (unsigned)(id->version >> 24), (unsigned)(id->version >> 12 & 4095),
		    (unsigned)(id->version & 4095), (unsigned)(max >> 24),
		    (unsigned)(max >> 12 & 4095), (unsigned)(max & 4095));
}

static struct dc_attr
of_builtin(struct gather *g, uint32_t var)
{
	if (var == DIF_VAR_ARGS || (var >= DIF_VAR_ARG0 && var <= DIF_VAR_ARG9)) {
		g->uses_args = true;
		return g->args;
	}
	if (var == DIF_VAR_CURTHREAD)
		return (struct dc_attr){ STABLE, PRIVATE, COMMON };
	return stable;
}

/* Is a name that D does not know one of the guest's? */
static bool
of_guest(struct dc *c, const char *name)
{
	const struct dc_types *t = c->cfg.types;
	struct dc_sinfo sym = { .addr = 0 };
	dc_tid_t type;
	int64_t v;

	return t != NULL && (t->symbol(t->arg, NULL, name, &sym) == 0 ||
	    t->enumerator(t->arg, name, &v, &type));
}

static struct dc_attr
of_ident(struct gather *g, struct node *n)
{
	const struct dparm *p;
	struct gather in = { .c = g->c, .args = stable, .depth = g->depth + 1 };
	struct dc_attr a;
	struct ident *id;

	if (n->scope != SC_GLOBAL)
		return stable;
	for (p = g->parms; p != NULL; p = p->next)
		if (p->name != NULL && strcmp(p->name, n->str) == 0)
			return stable;
	if ((id = id_find(g->c, SC_GLOBAL, n->str)) == NULL)
		return of_guest(g->c, n->str) ? private : stable;
	check_version(g, id, n->loc);
	if (!id->have_attr && id->kind == ID_BUILTIN)
		return of_builtin(g, id->val);
	if (!id->have_attr && id->kind == ID_INLINE && g->depth < MAX_INLINE) {
		in.parms = id->parms;
		id->attr = stable;
		gather(&in, id->expr, &id->attr);
		id->have_attr = true;
		/* These differ from clause to clause. */
		id->attr_args = in.uses_args;
	}
	a = id->have_attr ? id->attr : stable;
	if (id->attr_args) {
		g->uses_args = true;
		lower(&a, g->args);
	}
	return a;
}

/* The names in a list of statements, and all below. */
static void
gather(struct gather *g, struct node *n, struct dc_attr *a)
{
	for (; n != NULL && !g->c->bad; n = n->next) {
		if (n->kind == N_IDENT)
			lower(a, of_ident(g, n));
		else if (n->kind == N_SYM)
			lower(a, private);
		gather(g, n->a, a);
		gather(g, n->b, a);
		gather(g, n->c, a);
		gather(g, n->list, a);
	}
}

static const char *
text_of(struct dc *c, struct dc_attr a)
{
	return dc_fmt(c, "%s/%s/%s", dc_stability_name(a.name), dc_stability_name(a.data),
	    dc_class_name(a.class));
}

static bool
enough(struct dc *c, struct dc_attr a)
{
	struct dc_attr min = at_attr(c->opt[DV_OPT_AMIN]);

	return a.name >= min.name && a.data >= min.data && a.class >= min.class;
}

static struct node *
first_of(struct node *n)
{
	return n != NULL && n->kind == N_BLOCK ? n->list : n;
}

/* Once for all descriptions of a clause; what their arguments add differs. */
static void
gather_clause(struct dc *c, struct clause *cl)
{
	struct gather g = { .c = c, .args = stable };

	if (cl->have_attr)
		return;
	cl->have_attr = true;
	cl->attr = stable;
	gather(&g, cl->pred, &cl->attr);
	gather(&g, first_of(cl->body), &cl->attr);
	cl->attr_args = g.uses_args;
}

/*
 * The attributes of one description of a clause, whose probes are `in`:
 * compared with what is asked for (-x amin), told to the caller.
 */
void
at_clause(struct dc *c, struct clause *cl, struct pdesc *d, const struct dc_probeinfo *in,
	  const struct dc_source *src)
{
	struct dc_attr probe = of_description(c, &d->d, in), stmt;

	gather_clause(c, cl);
	if (c->bad)
		return;
	stmt = cl->attr;
	if (cl->attr_args)
		lower_by(c, &stmt, &d->d, in, DC_A_ARGS);
	if (!enough(c, probe))
		dc_error(c, d->loc, D_ATTR_MIN, "attributes of probe description %s (%s) are less "
		    "than the predefined minimum %s", d->text, text_of(c, probe),
		    text_of(c, at_attr(c->opt[DV_OPT_AMIN])));
	else if (!enough(c, stmt))
		dc_error(c, cl->loc, D_ATTR_MIN,
		    "attributes of the statements for %s (%s) are less "
		    "than the predefined minimum %s", d->text, text_of(c, stmt),
		    text_of(c, at_attr(c->opt[DV_OPT_AMIN])));
	else if (src->described != NULL)
		src->described(src->arg, d->text, in->nmatched, probe, stmt);
}
