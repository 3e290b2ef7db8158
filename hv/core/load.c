/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.c - every access of a firing to guest and tracer memory.
 *
 * An address of a DIF program names one of three things:
 *
 *	the window	non-canonical: tracer memory, region and bounds checked
 *	kernel half	guest virtual, through the kernel's own page tables
 *	user half	guest virtual, through curthread->mm; for copyin and kin
 *
 * Anything else is a fault, and so is what is not mapped or not RAM. Guest
 * memory is only ever copied, by the carrier's read_phys(); page-table entries
 * are masked to a physical address and handed to it, so a hostile table can
 * make a read fail but not reach anything but guest RAM. A walk has four or
 * five steps, a copy one walk per page.
 *
 * Translations are remembered for one hit only, during which the guest's other
 * vCPUs may change them as they may on hardware; a later hit looks at each of
 * the table entries again. The machine's own look-ups
 * (curthread, its pid...) go through the direct map when the address lies in
 * it: there the physical address is a subtraction.
 */
#include "load.h"

#include "state_impl.h"

#define PTE_PRESENT	1ull
#define PTE_LARGE	0x80ull
#define PTE_ADDR	0x000ffffffffff000ull
#define PAGE		4096u
#define CHUNK		128u		/* of a string whose length is unknown */
#define VSYSCALL	0xffffffffff000000ull

uint8_t *
dv_tmem(struct dv_mstate *ms, uint64_t addr, uint64_t len, bool write)
{
	uint64_t off = addr - ms->s->window, at = off & 0xffffffffu;
	const struct dv_region *r;

	if (off >= (uint64_t)DV_NREGION << DV_RG_SHIFT)
		return NULL;
	r = &ms->region[off >> DV_RG_SHIFT];
	if (at > r->len || len > r->len - at || (write && !r->write))
		return NULL;
	return r->mem + at;
}

static int
bad_address(struct dv_mstate *ms, uint64_t addr)
{
	dv_fault(ms, DV_FAULT_BADADDR, addr);
	return -1;
}

static inline int
read_phys(struct dv_mstate *ms, uint64_t pa, void *buf, size_t len)
{
	const struct dv_ramwin *w = ms->ctx->ram;
	uint64_t at;

	if (w != NULL) {
		at = pa - w->gpa;
		if (at < w->len && len <= w->len - at) {
			if (len == 8)		/* most are words, or names: no call */
				memcpy(buf, w->mem + at, 8);
			else if (len == 16)
				memcpy(buf, w->mem + at, 16);
			else
				memcpy(buf, w->mem + at, len);
			return 0;
		}
	}
	return ms->s->c.read_phys(ms->ctx, DV_GPA(pa), buf, len);
}

/* `path` gets the steps, or is NULL. */
static int
walk(struct dv_mstate *ms, uint64_t root, uint64_t va, struct dv_path *path, uint64_t *ret)
{
	const struct dv_state *s = ms->s;
	unsigned shift = 12 + 9 * (s->lay->pt_levels - 1);
	uint64_t table = root & PTE_ADDR, pte, mask, at;

	for (;; shift -= 9) {			/* 4 or 5 times */
		at = table + ((va >> shift) & 511) * 8;
		if (read_phys(ms, at, &pte, sizeof(pte)) != 0 || !(pte & PTE_PRESENT))
			return -1;
		if (path != NULL) {
			path->step[path->n].at = at;
			path->step[path->n++].val = pte;
		}
		if (shift == 12 || (shift <= 30 && (pte & PTE_LARGE))) {
			mask = ((uint64_t)1 << shift) - 1;
			*ret = (pte & PTE_ADDR & ~mask) | (va & mask);
			return 0;
		}
		table = pte & PTE_ADDR;
	}
}

/* Bytes from va that are on its page, of len. */
static size_t
page_part(uint64_t va, size_t len)
{
	size_t n = PAGE - (va & (PAGE - 1));

	return n < len ? n : len;
}

/*
 * The last walk to this page, if each of its steps would be the same now. They
 * do not wait for each other as those of a walk do, and most hits are on a
 * stack that was walked to before. Only where RAM is at hand: else a walk is
 * as good.
 */
static inline bool
path_holds(const struct dv_ramwin *w, const struct dv_path *p, uint64_t page)
{
	uint64_t pte, at;
	uint32_t i;

	if (p->vpage != page || p->n == 0 || w == NULL || w->len < sizeof(pte))
		return false;
	for (i = 0; i < p->n; i++) {		/* at most 5 times */
		at = p->step[i].at - w->gpa;
		if (at > w->len - sizeof(pte))
			return false;
		memcpy(&pte, w->mem + at, sizeof(pte));
		if (pte != p->step[i].val)
			return false;
	}
	return true;
}

static int
walk_kernel(struct dv_mstate *ms, struct dv_path *p, uint64_t page, uint64_t *ret)
{
	if (!path_holds(ms->ctx->ram, p, page)) {
		p->n = 0;
		if (walk(ms, ms->s->lay->kernel_root, page, p, &p->ppage) != 0) {
			p->n = 0;
			return -1;
		}
		p->vpage = page;
	}
	*ret = p->ppage;
	return 0;
}

/*
 * Physical address of a kernel page. Before init_mm's tables are in use, while
 * the kernel boots, those of CR3 are.
 */
static int
kernel_page(struct dv_mstate *ms, uint64_t page, uint64_t *ret)
{
	unsigned i = (page >> 12) % DV_NTLB;
	struct dv_tlb *t = &ms->ktlb[i];
	uint64_t pa;

	if (t->vpage != page || !(ms->tlb_have & (1u << i))) {
		if (walk_kernel(ms, &ms->path[i], page, &pa) != 0 &&
		    (ms->ctx->vcpu < 0 ||
		    walk(ms, dv_reg(ms, DV_REG_CR3) & PTE_ADDR, page, NULL, &pa) != 0))
			return -1;
		t->vpage = page;
		t->ppage = pa;
		ms->tlb_have |= 1u << i;
	}
	*ret = t->ppage;
	return 0;
}

/* Copies within one page of the kernel half. */
static inline int
read_kernel(struct dv_mstate *ms, uint64_t va, void *buf, size_t len)
{
	uint64_t page = va & ~(uint64_t)(PAGE - 1), pa;

	if (kernel_page(ms, page, &pa) != 0)
		return -1;
	return read_phys(ms, pa + (va - page), buf, len);
}

static int
copy_kernel(struct dv_mstate *ms, uint64_t va, uint8_t *to, size_t len)
{
	size_t n;

	for (; len > 0; va += n, to += n, len -= n) {	/* once per page */
		n = page_part(va, len);
		if (read_kernel(ms, va, to, n) != 0)
			return -1;
	}
	return 0;
}

/* A kernel object that the machine itself looks at. */
static int
read_object(struct dv_mstate *ms, uint64_t va, void *buf, size_t len)
{
	uint64_t direct = dv_load_acq64(&ms->s->page_offset), pa = va - direct;

	if (va < ms->s->kernel_half || len > 0 - va)
		return bad_address(ms, va);
	/* above the direct map pa is more than any RAM: the read fails */
	if (va >= direct && pa < (uint64_t)1 << 46 &&
	    (pa & (PAGE - 1)) + len <= PAGE &&
	    read_phys(ms, pa, buf, len) == 0)
		return 0;
	if (copy_kernel(ms, va, buf, len) != 0)
		return bad_address(ms, va);
	return 0;
}

int
dv_field(struct dv_mstate *ms, uint64_t obj, uint32_t off, void *buf, size_t len)
{
	if (ms->s->lay == NULL || off == DV_NO_OFF)
		return bad_address(ms, obj);
	return read_object(ms, obj + off, buf, len);
}

/* Page-table root of curthread->mm. */
int
dv_user_root(struct dv_mstate *ms, uint64_t *ret)
{
	const struct dv_layout *lay = ms->s->lay;
	uint64_t task, mm, pgd, pa;

	if (ms->ctx->user_root != 0) {
		*ret = ms->ctx->user_root;
		return 0;
	}
	if (lay->task_mm == DV_NO_OFF || lay->mm_pgd == DV_NO_OFF ||
	    dv_curthread(ms, &task) != 0 || task == 0 ||
	    dv_field(ms, task, lay->task_mm, &mm, sizeof(mm)) != 0 || mm == 0 ||
	    dv_field(ms, mm, lay->mm_pgd, &pgd, sizeof(pgd)) != 0 ||
	    pgd < ms->s->kernel_half || kernel_page(ms, pgd & ~(uint64_t)(PAGE - 1), &pa) != 0)
		return -1;
	*ret = ms->ctx->user_root = pa;
	return 0;
}

static int
read_user(struct dv_mstate *ms, uint64_t va, void *buf, size_t len)
{
	uint64_t page = va & ~(uint64_t)(PAGE - 1), root, pa;

	if (ms->utlb.vpage != page || !(ms->tlb_have & DV_UTLB)) {
		if (dv_user_root(ms, &root) != 0 || walk(ms, root, page, NULL, &pa) != 0)
			return -1;
		ms->utlb.vpage = page;
		ms->utlb.ppage = pa;
		ms->tlb_have |= DV_UTLB;
	}
	return read_phys(ms, ms->utlb.ppage + (va - page), buf, len);
}

static int
copy_user(struct dv_mstate *ms, uint64_t va, uint8_t *to, size_t len)
{
	size_t n;

	for (; len > 0; va += n, to += n, len -= n) {	/* once per page */
		n = page_part(va, len);
		if (read_user(ms, va, to, n) != 0)
			return -1;
	}
	return 0;
}

/* Guest memory; [addr, addr + len) lies in the half that `how` names. */
static int
guest_ok(const struct dv_state *s, uint64_t addr, size_t len, enum dv_how how)
{
	if (s->lay == NULL || how == DV_TRACER)
		return 0;
	if (how == DV_USER)
		return addr < s->user_end && len <= s->user_end - addr;
	return addr >= s->kernel_half && len <= 0 - addr;
}

static int
read_guest(struct dv_mstate *ms, uint64_t addr, void *buf, size_t len, enum dv_how how)
{
	return how == DV_USER ? copy_user(ms, addr, buf, len) :
	    copy_kernel(ms, addr, buf, len);
}

int
dv_load(struct dv_mstate *ms, uint64_t addr, void *buf, size_t len, enum dv_how how)
{
	const uint8_t *p;

	if (how == DV_KERNEL && addr >= ms->s->kernel_half && ms->s->lay != NULL &&
	    page_part(addr, len) == len) {
		if (read_kernel(ms, addr, buf, len) == 0)
			return 0;
		ms->fault = 0;			/* of a look-up on the way */
		return bad_address(ms, addr);
	}
	if (how != DV_USER && (p = dv_tmem(ms, addr, len, false)) != NULL) {
		memcpy(buf, p, len);
		return 0;
	}
	if (!guest_ok(ms->s, addr, len, how) || read_guest(ms, addr, buf, len, how) != 0) {
		ms->fault = 0;			/* of a look-up on the way */
		return bad_address(ms, addr);
	}
	return 0;
}

int
dv_peek(struct dv_mstate *ms, uint64_t addr, void *buf, size_t len)
{
	return ms->s->lay != NULL && guest_ok(ms->s, addr, len, DV_KERNEL) ?
	    copy_kernel(ms, addr, buf, len) : -1;
}

int
dv_peek_user(struct dv_mstate *ms, uint64_t addr, void *buf, size_t len)
{
	uint64_t fault_addr = ms->fault_addr;
	uint32_t fault = ms->fault;
	int rc = -1;

	if (ms->s->lay != NULL && guest_ok(ms->s, addr, len, DV_USER))
		rc = copy_user(ms, addr, buf, len);
	ms->fault = fault;		/* of looking for the thread */
	ms->fault_addr = fault_addr;
	return rc;
}

static size_t
find_nul(const char *p, size_t max)
{
	size_t i;

	for (i = 0; i < max; i++)
		if (p[i] == '\0')
			break;
	return i;
}

/* The rest of a region from addr, at most max bytes; NULL if not in the window. */
static const char *
window_rest(struct dv_mstate *ms, uint64_t addr, size_t max, size_t *n)
{
	const struct dv_region *r;
	uint8_t *p = dv_tmem(ms, addr, 1, false);
	uint64_t left;

	if (p == NULL)
		return NULL;
	r = &ms->region[(addr - ms->s->window) >> DV_RG_SHIFT];
	left = r->len - (uint64_t)(p - r->mem);
	*n = left < max ? (size_t)left : max;
	return (const char *)p;
}

/*
 * Up to n bytes of a string, and its NUL; returns its length, n if it has none.
 * Each byte is read once: another CPU may write them. By words, as whoever looks
 * at a key does: to read a word that was written in bytes is slow.
 */
static size_t
copy_string(char *to, const char *from, size_t n)
{
	const uint64_t ones = 0x0101010101010101ull;
	uint64_t w, zero;
	unsigned bits;
	size_t i;

	for (i = 0; i + 8 <= n; i += 8) {
		memcpy(&w, from + i, 8);
		zero = (w - ones) & ~w & (ones << 7);	/* the lowest one is true */
		if (zero != 0) {
			bits = (unsigned)__builtin_ctzll(zero) & ~7u;
			w &= ((uint64_t)1 << bits) - 1;
			memcpy(to + i, &w, 8);
			return i + bits / 8;
		}
		memcpy(to + i, &w, 8);
	}
	for (; i < n && (to[i] = from[i]) != '\0'; i++)
		;
	return i;
}

int
dv_load_str(struct dv_mstate *ms, uint64_t addr, char *buf, size_t max,
	    enum dv_how how, size_t *len)
{
	const char *p;
	size_t n, got = 0, end;

	if (how != DV_USER && (p = window_rest(ms, addr, max - 1, &n)) != NULL) {
		end = copy_string(buf, p, n);
		if (end == n && n < max - 1)	/* the region ended before it */
			return bad_address(ms, addr + n);
		if (end == n)
			buf[end] = '\0';
		*len = end;
		return 0;
	}
	while (got < max - 1) {
		n = PAGE - (addr & (PAGE - 1));
		if (n > CHUNK)
			n = CHUNK;
		if (n > max - 1 - got)
			n = max - 1 - got;
		if (!guest_ok(ms->s, addr, n, how) ||
		    read_guest(ms, addr, buf + got, n, how) != 0) {
			ms->fault = 0;
			return bad_address(ms, addr);
		}
		end = find_nul(buf + got, n);
		got += end;
		addr += n;
		if (end < n)
			break;
	}
	buf[got] = '\0';
	*len = got;
	return 0;
}

const char *
dv_str_view(struct dv_mstate *ms, uint64_t addr, unsigned slot, size_t *len)
{
	size_t max = ms->s->strsize, n;
	char *buf = (char *)ms->cpu->tmp[slot];
	const char *p;

	p = window_rest(ms, addr, max - 1, &n);
	if (p != NULL) {
		*len = find_nul(p, n);
		if (*len < n || n == max - 1)
			return p;
		bad_address(ms, addr + n);
		return NULL;
	}
	return dv_load_str(ms, addr, buf, max, DV_KERNEL, len) == 0 ? buf : NULL;
}

uint8_t *
dv_scratch(struct dv_mstate *ms, uint64_t len, uint64_t *addr)
{
	struct dv_region *r = &ms->region[DV_RG_SCRATCH];
	uint64_t at = r->len;

	if (len > ms->cpu->scratch_size - at) {
		dv_fault(ms, DV_FAULT_NOSCRATCH, 0);
		return NULL;
	}
	r->len = at + ((len + 7) & ~(uint64_t)7);
	*addr = dv_win(ms->s, DV_RG_SCRATCH, at);
	return r->mem + at;
}

uint64_t
dv_reg(struct dv_mstate *ms, unsigned reg)
{
	struct dv_ctx *ctx = ms->ctx;

	if (ctx->vcpu < 0)
		return 0;
	if (!(ctx->reg_have & (1u << reg))) {
		ctx->reg_cache[reg] = reg == DV_REG_RIP ? ctx->rip :
		    ms->s->c.reg(ctx, reg);
		ctx->reg_have |= 1u << reg;
	}
	return ctx->reg_cache[reg];
}

/* Whose per-CPU base is it? */
static int
pcpu_find(const struct dv_layout *lay, uint64_t base, uint32_t *ret)
{
	uint32_t i;

	for (i = 0; i < lay->ncpu; i++)
		if (lay->pcpu_base[i] == base) {
			*ret = i;
			return 0;
		}
	return -1;
}

/*
 * The same in the guest's own table, for a base that is new: the per-CPU areas
 * have moved (once, while the kernel boots) or a CPU has come. By then the
 * direct map has its final place, too.
 */
static int
pcpu_find_anew(struct dv_mstate *ms, uint64_t base, uint32_t *ret)
{
	const struct dv_layout *lay = ms->s->lay;
	uint64_t some[32], direct;
	uint32_t i, j;

	if (lay->pcpu_offset_sym == 0)
		return -1;
	for (i = 0; i < DV_MAXCPU; i += 32) {
		if (copy_kernel(ms, lay->pcpu_offset_sym + 8 * (uint64_t)i, (uint8_t *)some,
		    sizeof(some)) != 0)
			return -1;
		for (j = 0; j < 32 && some[j] != base; j++)
			;
		if (j < 32)
			break;
	}
	if (i >= DV_MAXCPU)
		return -1;
	if (lay->page_offset_sym != 0 && copy_kernel(ms, lay->page_offset_sym, (uint8_t *)&direct,
	    sizeof(direct)) == 0 && direct >= ms->s->kernel_half)
		dv_store_rel64(&ms->s->page_offset, direct);
	*ret = i + j;
	return 0;
}

int
dv_cpu_find(struct dv_mstate *ms)
{
	const struct dv_state *s = ms->s;
	struct dv_cpu *cpu = ms->cpu;
	uint64_t gs;
	unsigned i;
	bool user;

	if (ms->have & DV_HAVE_CPU)
		return 0;
	if (s->lay == NULL || ms->ctx->vcpu < 0)
		return -1;
	/*
	 * In user mode GS is the program's and may be made to look like ours.
	 * What runs at a kernel address is the kernel, but for the page of
	 * vsyscall in the last 16 MiB, so CS need not be asked for there.
	 */
	user = (ms->ctx->rip < s->kernel_half || ms->ctx->rip >= VSYSCALL) &&
	    (dv_reg(ms, DV_REG_CS) & 3) == 3;
	for (i = 0; i < 2; i++) {
		gs = dv_reg(ms, (i == 0) != user ? DV_REG_GS_BASE : DV_REG_KERNEL_GS_BASE);
		/* some kernels' first area, before they make the others, is at 0 */
		if (gs < s->kernel_half && (gs != 0 || !s->lay->early || user))
			continue;
		if (gs != cpu->gs_base || cpu->gs_base == 0) {
			if (pcpu_find(s->lay, gs, &cpu->gs_cpu) != 0 &&
			    pcpu_find_anew(ms, gs, &cpu->gs_cpu) != 0)
				continue;
			cpu->gs_base = gs;
		}
		ms->cpuno = cpu->gs_cpu;
		ms->pcpu = gs;
		ms->have |= DV_HAVE_CPU;
		return 0;
	}
	return -1;
}

int
dv_curthread(struct dv_mstate *ms, uint64_t *ret)
{
	struct dv_ctx *ctx = ms->ctx;
	const struct dv_layout *lay = ms->s->lay;

	if (ctx->cur_state == 0) {
		ctx->cur_state = 1;
		if (ctx->vcpu < 0)
			ctx->curthread = lay != NULL ? lay->init_task : 0;
		else if (dv_cpu_find(ms) != 0 ||
		    read_object(ms, ms->pcpu + lay->pcpu_current, &ctx->curthread,
		    sizeof(ctx->curthread)) != 0 ||
		    ctx->curthread < ms->s->kernel_half)
			ctx->cur_state = 2;
	}
	if (ctx->cur_state == 2)
		return bad_address(ms, 0);
	*ret = ctx->curthread;
	return 0;
}

int
dv_level(struct dv_mstate *ms, uint32_t *ret)
{
	const struct dv_layout *lay = ms->s->lay;
	uint32_t count;

	*ret = 0;
	if (lay == NULL || ms->ctx->vcpu < 0 || lay->pcpu_preempt_count == ~(uint64_t)0)
		return 0;
	if (dv_cpu_find(ms) != 0)
		return bad_address(ms, 0);
	if (read_object(ms, ms->pcpu + lay->pcpu_preempt_count, &count, sizeof(count)) != 0)
		return -1;
	*ret = count & lay->count_nmi ? 3 : count & lay->count_hardirq ? 2 :
	    count & lay->count_softirq ? 1 : 0;
	return 0;
}

static uint64_t
cut(uint64_t v, unsigned size, bool sign)
{
	switch (size) {
	case 1:
		return sign ? (uint64_t)(int64_t)(int8_t)v : (uint8_t)v;
	case 2:
		return sign ? (uint64_t)(int64_t)(int16_t)v : (uint16_t)v;
	case 4:
		return sign ? (uint64_t)(int64_t)(int32_t)v : (uint32_t)v;
	default:
		return v;
	}
}

/* A location of a raw argument set. */
static int
loc_raw(struct dv_mstate *ms, const struct dv_loc *l, uint64_t *ret)
{
	size_t size = l->size != 0 ? l->size : 8;
	uint64_t v = 0;

	switch (l->kind) {
	case DV_LOC_CONST:
		v = l->value;
		break;
	case DV_LOC_REG:
		v = dv_reg(ms, l->reg);
		break;
	case DV_LOC_MEM:
		if (dv_load(ms, dv_reg(ms, l->reg) + (uint64_t)(int64_t)l->disp, &v,
		    size, DV_KERNEL) != 0)
			return -1;
		break;
	case DV_LOC_CURTHREAD:
		if (dv_curthread(ms, &v) != 0)
			return -1;
		break;
	case DV_LOC_FAULT:
		return bad_address(ms, 0);
	}
	*ret = cut(v, (unsigned)size, l->sign);
	return 0;
}

int
dv_raw_arg(struct dv_mstate *ms, unsigned n, uint64_t *ret)
{
	if (ms->raw == NULL) {
		*ret = 0;
		return 0;
	}
	if (!(ms->raw_have & (1u << n))) {
		if (loc_raw(ms, &ms->raw->arg[n], &ms->rawval[n]) != 0)
			return -1;
		ms->raw_have |= 1u << n;
	}
	*ret = ms->rawval[n];
	return 0;
}

int
dv_loc(struct dv_mstate *ms, const struct dv_loc *l, bool raw, uint64_t *ret)
{
	unsigned n = l->reg;

	if (l->kind != DV_LOC_RAW)
		return loc_raw(ms, l, ret);
	if (!raw) {
		*ret = 0;
		return 0;
	}
	if (dv_raw_arg(ms, n, ret) != 0)
		return -1;
	if (l->size != 0)
		*ret = cut(*ret, l->size, l->sign);
	return 0;
}

int
dv_arg(struct dv_mstate *ms, unsigned n, uint64_t *ret)
{
	if (ms->in_rule)
		return dv_raw_arg(ms, n, ret);
	if (ms->arg_have & (1u << n)) {
		*ret = ms->argval[n];
		return 0;
	}
	if (ms->arg_bad & (1u << n))
		return bad_address(ms, 0);
	if (ms->args == NULL) {
		*ret = 0;
		return 0;
	}
	if (dv_loc(ms, &ms->args->arg[n], true, &ms->argval[n]) != 0)
		return -1;
	ms->arg_have |= 1u << n;
	*ret = ms->argval[n];
	return 0;
}

uint64_t
dv_now(struct dv_mstate *ms)
{
	if (ms->ctx->now == 0)
		ms->ctx->now = ms->s->c.clock(ms->ctx);
	return ms->ctx->now;
}
