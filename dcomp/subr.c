/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subr.c - calls of subroutines: prototypes, and what becomes of some.
 *
 * Most calls stay calls, for the machine to run. Two kinds become something
 * else, since only the guest's types say how:
 *
 *	d_path(struct file *)	d_path() of the file's f_path
 *	mutex_*(), rw_*()	an inline of the guest's library, which has one
 *				for each kind of lock, __NAME or __NAME_KIND;
 *				so the machine need not know any lock
 */
#include "check.h"

/*
 * Prototypes: result, then arguments; those after | may be left out.
 *	i integer  s string  S string or NULL  p pointer (or string or array)
 *	u address: integer or pointer
 *	d struct path * or struct file *  m mutex or spinlock  r rwsem or rwlock
 *	v void  a scratch memory  l int64_t  z uint64_t  h uint16_t  w uint32_t
 */
static const struct { uint8_t subr; const char *proto; } protos[] = {
	{ DIF_SUBR_RAND, "i" }, { DIF_SUBR_MUTEX_OWNED, "im" },
	{ DIF_SUBR_MUTEX_OWNER, "um" }, { DIF_SUBR_MUTEX_TYPE_ADAPTIVE, "im" },
	{ DIF_SUBR_MUTEX_TYPE_SPIN, "im" }, { DIF_SUBR_RW_READ_HELD, "ir" },
	{ DIF_SUBR_RW_WRITE_HELD, "ir" }, { DIF_SUBR_RW_ISWRITER, "ir" },
	{ DIF_SUBR_COPYIN, "aui" }, { DIF_SUBR_COPYINSTR, "su|i" },
	{ DIF_SUBR_SPECULATION, "i" }, { DIF_SUBR_PROGENYOF, "ii" },
	{ DIF_SUBR_STRLEN, "zs" }, { DIF_SUBR_COPYOUT, "vpui" },
	{ DIF_SUBR_COPYOUTSTR, "vsui" }, { DIF_SUBR_ALLOCA, "ai" },
	{ DIF_SUBR_BCOPY, "vppi" }, { DIF_SUBR_COPYINTO, "vuip" },
	{ DIF_SUBR_GETMAJOR, "wi" }, { DIF_SUBR_GETMINOR, "wi" },
	{ DIF_SUBR_STRJOIN, "sss" }, { DIF_SUBR_LLTOSTR, "si|i" },
	{ DIF_SUBR_BASENAME, "ss" }, { DIF_SUBR_DIRNAME, "ss" },
	{ DIF_SUBR_CLEANPATH, "ss" }, { DIF_SUBR_STRCHR, "ssi" },
	{ DIF_SUBR_STRRCHR, "ssi" }, { DIF_SUBR_STRSTR, "sss" },
	{ DIF_SUBR_STRTOK, "sSs" }, { DIF_SUBR_SUBSTR, "ssi|i" },
	{ DIF_SUBR_INDEX, "iss|i" }, { DIF_SUBR_RINDEX, "iss|i" },
	{ DIF_SUBR_HTONS, "hi" }, { DIF_SUBR_HTONL, "wi" }, { DIF_SUBR_HTONLL, "zi" },
	{ DIF_SUBR_NTOHS, "hi" }, { DIF_SUBR_NTOHL, "wi" }, { DIF_SUBR_NTOHLL, "zi" },
	{ DIF_SUBR_INET_NTOP, "sip" }, { DIF_SUBR_INET_NTOA, "sp" },
	{ DIF_SUBR_INET_NTOA6, "sp" }, { DIF_SUBR_TOUPPER, "ss" },
	{ DIF_SUBR_TOLOWER, "ss" }, { DIF_SUBR_MEMSTR, "spii" },
	{ DIF_SUBR_JSON, "sss" }, { DIF_SUBR_STRTOLL, "ls|i" },
	{ DIF_SUBR_D_PATH, "sd" }, { DIF_SUBR_LINK_NTOP, "sip" },
};

static struct type *
proto_type(struct dc *c, char ch)
{
	switch (ch) {
	case 's': return c->t_string;
	case 'v': return c->t_void;
	case 'a': return c->t_voidp;
	case 'l': return c->t_int64;
	case 'z': return c->t_uint64;
	case 'u': return c->t_uintptr;
	case 'h': return c->t_ushort;
	case 'w': return c->t_uint;
	default: return c->t_int;
	}
}

/* Is it a pointer to a struct of that name, or to a type of that name? */
static bool
points_to(struct type *t, const char *name)
{
	struct type *s;

	if (!ty_is_ptr(t))
		return false;
	for (s = ty_base(t)->ref; s->kind == T_TYPEDEF; s = s->ref)
		if (strcmp(s->name, name) == 0)
			return true;
	return s->kind == T_STRUCT && strcmp(s->name, name) == 0;
}

/* Locks by type; "" are also those that a void * points to. */
static const struct { char proto; const char *type, *kind; } locks[] = {
	{ 'm', "mutex", "" }, { 'm', "spinlock", "_spin" }, { 'm', "raw_spinlock", "_raw" },
	{ 'r', "rw_semaphore", "" }, { 'r', "rwlock_t", "_rwlock" },
};

/* The kind of lock that t points to; NULL: none for ch. */
static const char *
lock_kind(char ch, struct type *t)
{
	unsigned i;

	for (i = 0; i < sizeof(locks) / sizeof(locks[0]); i++)
		if (locks[i].proto == ch && (points_to(t, locks[i].type) ||
		    (locks[i].kind[0] == '\0' && ty_is_ptr(t) && ty_is_void(ty_base(t)->ref))))
			return locks[i].kind;
	return NULL;
}

static bool
proto_fits(struct dc *c, char ch, struct node *n)
{
	struct type *t = ty_decay(c, n->type);

	if (n->kind == N_XLATE || (n->flags & NF_ACTION))
		return false;
	switch (ch) {
	case 'i': return ty_is_int(t);
	case 's': return ty_is_strlike(n->type);
	case 'S': return ty_is_strlike(n->type) || (n->kind == N_INT && n->val == 0);
	case 'u': return ty_is_scalar(t);
	case 'p': return ty_is_ptr(t) || ty_is_string(t) || (n->kind == N_INT && n->val == 0) ||
	    (n->kind == N_ADDR);
	case 'd': return points_to(t, "path") || points_to(t, "file") ||
	    points_to(t, "vfsmount") || points_to(t, "fs_struct");
	case 'm': case 'r': return lock_kind(ch, t) != NULL;
	default: return false;
	}
}

/* What argument of that kind is wanted, as messages say it. */
static const char *
proto_text(char ch)
{
	switch (ch) {
	case 's': case 'S': return "string (stringof( ) or copyinstr( ) makes one)";
	case 'u': return "uintptr_t, or a pointer";
	case 'p': return "void *";
	case 'd': return "struct path * or struct file *";
	case 'm': return "struct mutex *, spinlock_t * or raw_spinlock_t *";
	case 'r': return "struct rw_semaphore * or rwlock_t *";
	default: return "int";
	}
}

/* A question about a lock is an inline of the guest's library. */
static struct node *
ck_lock(struct dc *c, struct node *n, struct ident *id, char ch)
{
	struct ident *x;
	char name[64];

	snprintf(name, sizeof(name), "__%s%s", id->name, lock_kind(ch, n->list->type));
	x = id_find(c, SC_GLOBAL, name);
	dc_miss(c);
	if (x == NULL)
		BAD(c, n, D_VAR_UNSUP, "%s( ) is not available: it looks at a guest's lock, and "
		    "no guest is attached", id->name);
	if (x->kind == ID_BROKEN)
		BAD(c, n, x->why_tag, "%s( ) is not available: %s", id->name, x->why);
	return xl_inline(c, x, n);
}

static bool
args_fit(struct dc *c, struct node *n, struct ident *id, const char *proto)
{
	unsigned i, min = 0, max = 0;
	bool opt = false;
	struct node *k;
	const char *q;

	for (q = proto; *q != '\0'; q++) {
		if (*q == '|')
			opt = true;
		else {
			max++;
			min += !opt;
		}
	}
	if (n->len < min || n->len > max) {
		dc_error(c, n->loc, D_PROTO_LEN, "%s( ) prototype mismatch: %u argument%s passed, "
		    "%s%u expected", id->name, n->len, n->len == 1 ? "" : "s",
		    min == max ? "" : n->len < min ? "at least " : "at most ",
		    n->len < min ? min : max);
		return false;
	}
	for (q = proto, k = n->list, i = 1; k != NULL; q++, i++, k = k->next) {
		if (*q == '|')
			q++;
		if (!proto_fits(c, *q, k)) {
			dc_error_proto(c, k->loc, D_PROTO_ARG, NULL, proto_text(*q),
			    ty_name(c, k->type), "%s( ) argument #%u is incompatible with "
			    "prototype:", id->name, i);
			return false;
		}
	}
	return true;
}

/*
 * d_path() of a file is that of its path. Of a mount it is where that is
 * mounted, of a process' fs_struct the root directory, from outside of it.
 */
static void
ck_path(struct dc *c, struct node *n)
{
	bool root = points_to(n->list->type, "fs_struct");
	struct node *arg = n->list;

	if (points_to(arg->type, "vfsmount")) {
		arg->next = nd_int(c, n->loc, DV_DPATH_MOUNT, c->t_int);
	} else if (root || points_to(arg->type, "file")) {
		n->list = ck(c, nd_op1(c, OP_ADDR, n->loc,
		    nd_member(c, OP_ARROW, n->loc, arg, root ? "root" : "f_path")));
		if (root && !c->bad)
			n->list->next = nd_int(c, n->loc, DV_DPATH_WHOLE, c->t_int);
	}
}

struct node *
ck_subr(struct dc *c, struct node *n, struct ident *id)
{
	const char *p = NULL;
	struct node *k = NULL;
	unsigned i;

	for (i = 0; i < sizeof(protos) / sizeof(protos[0]); i++)
		if (protos[i].subr == id->val)
			p = protos[i].proto;
	if (p == NULL)
		BAD(c, n, D_FUNC_UNDEF, "function %s() is not supported", id->name);
	ck_list(c, n);
	if (c->bad)
		return ck_fail(c, n);
	if (!args_fit(c, n, id, p + 1))
		return ck_fail(c, n);
	if (p[1] == 'm' || p[1] == 'r')
		return ck_lock(c, n, id, p[1]);
	if (id->val == DIF_SUBR_D_PATH)
		ck_path(c, n);
	if (c->bad)
		return ck_fail(c, n);
	if (id->val == DIF_SUBR_ALLOCA)
		k = n->list;
	else if (id->val == DIF_SUBR_COPYIN)
		k = n->list->next;
	if (k != NULL && k->kind == N_INT && k->val > c->opt[DV_OPT_SCRATCHSIZE])
		BAD(c, k, D_ALLOCA_SIZE,
		    "%s( ) size %" PRIu64 " exceeds the scratch size of %" PRIu64,
		    id->name, k->val, c->opt[DV_OPT_SCRATCHSIZE]);
	n->flags |= NF_TUPLE;
	if (p[0] == 'a')
		n->flags |= NF_ALLOCA;
	switch (id->val) {
	case DIF_SUBR_COPYOUT: case DIF_SUBR_COPYOUTSTR:
		n->flags |= NF_DESTR | NF_SIDE;
		break;
	case DIF_SUBR_SPECULATION: case DIF_SUBR_RAND: case DIF_SUBR_BCOPY:
	case DIF_SUBR_COPYINTO: case DIF_SUBR_STRTOK: case DIF_SUBR_ALLOCA:
		n->flags |= NF_SIDE;
		break;
	default:
		break;
	}
	n->a = NULL;
	n->id = id;
	return ck_done(c, n, proto_type(c, p[0]));
}
