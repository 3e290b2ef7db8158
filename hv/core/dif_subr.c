/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dif_subr.c - the subroutines of D.
 *
 * One function each, over the arguments on the tuple stack. Strings come in
 * through dv_str_view(): at most strsize - 1 bytes, with their length, from
 * tracer memory or copied out of the guest. What they return lies in this
 * CPU's scratch until the clause ends, cut to strsize like every string. So
 * the work of each is bounded by strsize, or by a size argument that scratch
 * had room for.
 *
 * Here are the table of all, and those of memory and processes; the others are
 * in subr_*.c. A subroutine that this version lacks is refused when a program is loaded.
 */
#include "subr_impl.h"

#include "destr.h"
#include "dif.h"
#include "var.h"
#include "dv_avail.h"

bool
dv_subr_str(struct dv_mstate *ms, unsigned arg, unsigned slot, struct dv_substr *ret)
{
	ret->p = dv_str_view(ms, ARG(arg), slot, &ret->n);
	return ret->p != NULL;
}

char *
dv_subr_new(struct dv_mstate *ms, size_t n, uint64_t *addr)
{
	char *p = (char *)dv_scratch(ms, n + 1, addr);

	if (p != NULL)
		p[n] = '\0';
	return p;
}

uint64_t
dv_subr_ret(struct dv_mstate *ms, const char *s, size_t n)
{
	uint64_t addr = 0;
	char *p;

	if (n > ms->s->strsize - 1)
		n = ms->s->strsize - 1;
	p = dv_subr_new(ms, n, &addr);
	if (p == NULL)
		return 0;
	memcpy(p, s, n);
	return addr;
}

uint64_t
dv_subr_illop(struct dv_mstate *ms)
{
	dv_fault(ms, DV_FAULT_ILLOP, 0);
	return 0;
}

static uint64_t
sub_rand(struct dv_mstate *ms)
{
	uint64_t x = ms->cpu->rng;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	ms->cpu->rng = x;
	return (x * 0x2545f4914f6cdd1dull) >> 33;	/* an int that is not negative */
}

static uint64_t
sub_copyin(struct dv_mstate *ms)
{
	uint64_t addr = 0, len = ARG(1);
	uint8_t *p = dv_scratch(ms, len, &addr);

	if (p == NULL || dv_load(ms, ARG(0), p, len, DV_USER) != 0)
		return 0;
	return addr;
}

static uint64_t
sub_copyinstr(struct dv_mstate *ms)
{
	struct dv_region *r = &ms->region[DV_RG_SCRATCH];
	uint64_t max = ms->s->strsize, addr = 0, left;
	size_t len;
	char *p;

	if (ms->ntup > 1 && ARG(1) < max)
		max = ARG(1) + 1;	/* that many bytes, and the NUL */
	left = ms->cpu->scratch_size - r->len;
	if (left < max) {
		dv_fault(ms, DV_FAULT_NOSCRATCH, 0);
		return 0;
	}
	p = (char *)dv_scratch(ms, max, &addr);
	if (p == NULL || dv_load_str(ms, ARG(0), p, max, DV_USER, &len) != 0)
		return 0;
	/* give back what the string does not need */
	r->len = (((uint64_t)((uint8_t *)p - r->mem)) + len + 1 + 7) & ~(uint64_t)7;
	return addr;
}

/* What copyinto() and bcopy() may write: memory that alloca() or copyin() gave. */
static uint8_t *
scratch_at(struct dv_mstate *ms, uint64_t addr, uint64_t len)
{
	uint64_t off = addr - ms->s->window;

	return off >> DV_RG_SHIFT == DV_RG_SCRATCH ? dv_tmem(ms, addr, len, true) : NULL;
}

static uint64_t
sub_copyinto(struct dv_mstate *ms)
{
	uint8_t *p = scratch_at(ms, ARG(2), ARG(1));

	if (p == NULL) {
		dv_fault(ms, DV_FAULT_BADADDR, ARG(2));
		return 0;
	}
	(void)dv_load(ms, ARG(0), p, ARG(1), DV_USER);
	return 0;
}

static uint64_t
sub_alloca(struct dv_mstate *ms)
{
	uint64_t addr = 0;
	uint8_t *p = dv_scratch(ms, ARG(0), &addr);

	if (p != NULL)
		memset(p, 0, ARG(0));
	return addr;
}

static uint64_t
sub_bcopy(struct dv_mstate *ms)
{
	uint8_t *dst = scratch_at(ms, ARG(1), ARG(2));
	const uint8_t *src = dv_tmem(ms, ARG(0), ARG(2), false);

	if (dst == NULL)
		dv_fault(ms, DV_FAULT_BADADDR, ARG(1));
	else if (src != NULL)
		memmove(dst, src, ARG(2));
	else
		(void)dv_load(ms, ARG(0), dst, ARG(2), DV_KERNEL);
	return 0;
}

#define MAXDEPTH	1024		/* of a process tree */

static uint64_t
sub_progenyof(struct dv_mstate *ms)
{
	const struct dv_layout *l = ms->s->lay;
	uint64_t task, pid, next;
	unsigned depth;

	if (dv_curthread(ms, &task) != 0)
		return 0;
	if (task == 0)
		return ARG(0) == ms->s->prog.hdr->host_pid ||
		    ARG(0) == ms->s->prog.hdr->host_ppid;
	for (depth = 0; depth < MAXDEPTH && task != 0; depth++) {
		if (dv_task_u32(ms, task, l->task_tgid, &pid) != 0)
			return 0;
		if (pid == ARG(0))
			return 1;
		if (l->task_real_parent == DV_NO_OFF || pid == 0 ||
		    dv_field(ms, task, l->task_real_parent, &next, sizeof(next)) != 0 ||
		    next == task)
			return 0;
		task = next;
	}
	return 0;
}

uint64_t
dv_subr(struct dv_mstate *ms, uint32_t subr)
{
	unsigned min = 0, max = 0;
	const char *text;

	/* where the depth was not the same on all paths */
	if (dv_subr_args(subr, &min, &max, &text) != 0 || ms->ntup < min || ms->ntup > max)
		return dv_subr_illop(ms);
	switch (subr) {
	case DIF_SUBR_RAND:
		return sub_rand(ms);
	case DIF_SUBR_COPYIN:
		return sub_copyin(ms);
	case DIF_SUBR_COPYINSTR:
		return sub_copyinstr(ms);
	case DIF_SUBR_COPYINTO:
		return sub_copyinto(ms);
	case DIF_SUBR_COPYOUT:
		dv_destr_copyout(ms, ARG(0), ARG(1), ARG(2));
		return 0;
	case DIF_SUBR_COPYOUTSTR:
		dv_destr_copyoutstr(ms, ARG(0), ARG(1), ARG(2));
		return 0;
	case DIF_SUBR_SPECULATION:
		return dv_spec_alloc(ms);
	case DIF_SUBR_PROGENYOF:
		return sub_progenyof(ms);
	case DIF_SUBR_STRLEN:
		return dv_sub_strlen(ms);
	case DIF_SUBR_ALLOCA:
		return sub_alloca(ms);
	case DIF_SUBR_BCOPY:
		return sub_bcopy(ms);
	case DIF_SUBR_GETMAJOR:
		return (uint32_t)ARG(0) >> 20;
	case DIF_SUBR_GETMINOR:
		return ARG(0) & 0xfffff;
	case DIF_SUBR_STRJOIN:
		return dv_sub_strjoin(ms);
	case DIF_SUBR_LLTOSTR:
		return dv_sub_lltostr(ms);
	case DIF_SUBR_STRTOLL:
		return dv_sub_strtoll(ms);
	case DIF_SUBR_BASENAME:
		return dv_sub_basename(ms);
	case DIF_SUBR_DIRNAME:
		return dv_sub_dirname(ms);
	case DIF_SUBR_CLEANPATH:
		return dv_sub_cleanpath(ms);
	case DIF_SUBR_STRCHR:
		return dv_sub_strchr(ms, false);
	case DIF_SUBR_STRRCHR:
		return dv_sub_strchr(ms, true);
	case DIF_SUBR_STRSTR:
		return dv_sub_strstr(ms);
	case DIF_SUBR_STRTOK:
		return dv_sub_strtok(ms);
	case DIF_SUBR_SUBSTR:
		return dv_sub_substr(ms);
	case DIF_SUBR_INDEX:
		return dv_sub_index(ms);
	case DIF_SUBR_RINDEX:
		return dv_sub_rindex(ms);
	case DIF_SUBR_HTONS:
	case DIF_SUBR_NTOHS:
		return __builtin_bswap16((uint16_t)ARG(0));
	case DIF_SUBR_HTONL:
	case DIF_SUBR_NTOHL:
		return __builtin_bswap32((uint32_t)ARG(0));
	case DIF_SUBR_HTONLL:
	case DIF_SUBR_NTOHLL:
		return __builtin_bswap64(ARG(0));
	case DIF_SUBR_INET_NTOA:
		return dv_sub_inet(ms, ARG(0), false);
	case DIF_SUBR_INET_NTOA6:
		return dv_sub_inet(ms, ARG(0), true);
	case DIF_SUBR_INET_NTOP:
		return dv_sub_inet_ntop(ms);
	case DIF_SUBR_TOUPPER:
		return dv_sub_case(ms, 'a', 'A');
	case DIF_SUBR_TOLOWER:
		return dv_sub_case(ms, 'A', 'a');
	case DIF_SUBR_MEMSTR:
		return dv_sub_memstr(ms);
	case DIF_SUBR_LINK_NTOP:
		return dv_sub_link_ntop(ms);
	case DIF_SUBR_JSON:
		return dv_sub_json(ms);
	case DIF_SUBR_D_PATH:
		return dv_sub_d_path(ms);
	default:
		DV_ASSERT(!"a subroutine that the verifier let pass");
		return 0;
	}
}

int
dv_subr_args(uint32_t subr, unsigned *min, unsigned *max, const char **ret)
{
	switch (subr) {
#define DIF_SUBR(name, value, text, nargs) \
	case value:			   \
		*ret = text;		   \
		*max = nargs;		   \
		break;
#include "dif.def"
	default:
		return -1;
	}
	switch (subr) {
	case DIF_SUBR_COPYINSTR:
	case DIF_SUBR_LLTOSTR:
	case DIF_SUBR_STRTOLL:
	case DIF_SUBR_SUBSTR:
	case DIF_SUBR_INDEX:
	case DIF_SUBR_RINDEX:
	case DIF_SUBR_D_PATH:
		*min = *max - 1;
		break;
	default:
		*min = *max;
	}
	return 0;
}

const char *
dv_subr_refused(uint32_t subr)
{
	return dv_avail_subr(subr) ? NULL : "is not available in this version";
}
