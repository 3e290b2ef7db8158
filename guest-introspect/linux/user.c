/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user.c - what is mapped at an address of a process: file and function.
 *
 * From the outside of a process that may be running: its number leads to its
 * struct pid (the IDR of the first namespace), that to its task and mm, and the
 * mm to the mapping that holds the address: a maple tree of VMAs, on older
 * kernels (before 6.1) a red-black tree. The VMA has the file; the name is that
 * of its directory entry.
 *
 * Functions come from the symbols of the ELF file. What the guest has of a file
 * in its page cache is read there, page by page (an xarray by index of pages),
 * whether the process has touched it or not; what is not there is read as
 * zeros. So names are found of what was read in, which is most of what runs.
 * From the file's offset the program headers lead to the address that symbols
 * have (elfsyms.c). The vDSO is no file: the kernel has it in its image.
 *
 * Nothing stands still: a process may end or map anew under our reads. All
 * walks are bounded, all that is read is checked, and what makes no sense is
 * unknown. Mappings are remembered until gi_user_forget(), files by the address
 * of their address_space and the file's name, MAXFILES of them.
 */
#include "user.h"

#include <stdio.h>

#define MAXFILES	64u
#define MAXMAPS		4096u
#define DEPTH		64u		/* of trees */
#define NAMELEN		256u

struct off {				/* offsets in the guest's structs */
	int64_t idr_head, pid_task, task_link, task_mm;
	int64_t xa_shift, xa_slots;
	int64_t mm_mt_root, mm_rb, mm_vdso, mm_vdso_image, image_data, image_size, vma_rb;
	int64_t vma_start, vma_end, vma_pgoff, vma_file;
	int64_t r64_pivot, r64_slot, a64_pivot, a64_slot;
	int64_t file_mapping, file_dentry, dentry_name, mapping_pages;
	int64_t page_index, page_size;
	int64_t t_leaf, t_range, t_arange;	/* types of maple nodes */
};

struct file {
	uint64_t mapping;
	char name[NAMELEN];
	struct gi_elfsyms *syms;	/* NULL: not an ELF file, or not there */
};

struct map {				/* of a process */
	uint32_t pid;
	uint64_t start, end, pgoff;
	int file;			/* -1: of no file, or nothing there */
};

struct gi_users {
	struct off o;
	bool usable;
	uint64_t vmemmap;
	struct file files[MAXFILES];
	uint32_t nfiles, evict;
	DV_VEC(struct map) maps;
	/* the leaf of a page cache that was read last */
	uint64_t leaf_mapping, leaf_first, leaf[64];
};

static bool
get64(struct gi_kernel *k, uint64_t at, uint64_t *ret)
{
	return at >> 63 != 0 && gi_read(k, DV_GVA(at), ret, 8, NULL) == 0;
}

/* ---- xarrays -------------------------------------------------------------- */

static bool
is_node(uint64_t e)
{
	return (e & 3) == 2 && e > 4096;
}

/*
 * Entry at an index; 0: none. `leaf`: 64 slots from index *first on, copied
 * where the entry is in a node of single indices.
 */
static uint64_t
xa_get(struct gi_kernel *k, const struct off *o, uint64_t head, uint64_t index,
    uint64_t *leaf, uint64_t *first)
{
	uint64_t e, node, slots[64], i;
	unsigned depth;
	uint8_t shift, last = 64;

	if (!get64(k, head, &e))
		return 0;
	for (depth = 0; is_node(e) && depth < 12; depth++) {
		node = e - 2;
		if (gi_read(k, DV_GVA(node + (uint64_t)o->xa_shift), &shift, 1, NULL) != 0 ||
		    shift >= last || shift % 6 != 0 ||
		    (depth == 0 && shift < 58 && index >> shift >= 64) ||
		    gi_read(k, DV_GVA(node + (uint64_t)o->xa_slots), slots, sizeof(slots),
		    NULL) != 0)
			return 0;
		last = shift;
		i = index >> shift & 63;
		e = slots[i];
		if ((e & 3) == 2 && e < 256)		/* a part of an entry before it */
			e = slots[e >> 2];
		if (shift == 0 && leaf != NULL) {
			memcpy(leaf, slots, sizeof(slots));
			*first = index & ~(uint64_t)63;
		}
	}
	return is_node(e) || (depth == 0 && index != 0) ? 0 : e;
}

/* ---- processes ------------------------------------------------------------ */

static uint64_t
mm_of(struct gi_kernel *k, const struct off *o, uint32_t pid)
{
	uint64_t ns = gi_addr(k, "init_pid_ns"), p, link, mm;

	if (ns == 0)
		return 0;
	p = xa_get(k, o, ns + (uint64_t)o->idr_head, pid, NULL, NULL);
	if (p == 0 || !get64(k, p + (uint64_t)o->pid_task, &link) || link == 0 ||
	    !get64(k, link - (uint64_t)o->task_link + (uint64_t)o->task_mm, &mm))
		return 0;
	return mm;
}

/* The VMA that holds addr; before 6.1. */
static uint64_t
rb_vma(struct gi_kernel *k, const struct off *o, uint64_t mm, uint64_t addr)
{
	uint64_t node, start, end;
	unsigned i;

	if (!get64(k, mm + (uint64_t)o->mm_rb, &node))
		return 0;
	for (i = 0; i < DEPTH && node != 0; i++) {
		uint64_t vma = node - (uint64_t)o->vma_rb;

		if (!get64(k, vma + (uint64_t)o->vma_start, &start) ||
		    !get64(k, vma + (uint64_t)o->vma_end, &end))
			return 0;
		if (addr >= start && addr < end)
			return vma;
		/* struct rb_node: color, right, left */
		if (!get64(k, node + (addr < start ? 16 : 8), &node))
			return 0;
	}
	return 0;
}

/* The slot of a maple node for addr. */
static bool
maple_slot(struct gi_kernel *k, const struct off *o, uint64_t node, bool arange,
    uint64_t addr, uint64_t *ret)
{
	uint64_t pivot[15], pat = node + (uint64_t)(arange ? o->a64_pivot : o->r64_pivot);
	unsigned n = arange ? 9 : 15, i;

	if (gi_read(k, DV_GVA(pat), pivot, n * 8, NULL) != 0)
		return false;
	for (i = 0; i < n; i++)
		if (addr <= pivot[i] || (pivot[i] == 0 && i > 0))
			break;
	return get64(k, node + (uint64_t)(arange ? o->a64_slot : o->r64_slot) + 8 * i, ret);
}

static uint64_t
maple_vma(struct gi_kernel *k, const struct off *o, uint64_t mm, uint64_t addr)
{
	unsigned depth, type;
	uint64_t e, node;

	if (!get64(k, mm + (uint64_t)o->mm_mt_root, &e))
		return 0;
	if (!is_node(e))
		return e;
	for (depth = 0; depth < DEPTH; depth++) {
		type = (unsigned)(e >> 3 & 15);
		node = e & ~(uint64_t)255;
		if (type != o->t_leaf && type != o->t_range && type != o->t_arange)
			return 0;
		if (!maple_slot(k, o, node, type == o->t_arange, addr, &e))
			return 0;
		if (type == o->t_leaf)
			return e;
	}
	return 0;
}

/* ---- files ---------------------------------------------------------------- */

/* A page of a file, if the guest has it. */
static bool
cached_page(struct gi_kernel *k, struct gi_users *u, uint64_t mapping, uint64_t index,
    dv_gpa_t *ret)
{
	const struct off *o = &u->o;
	uint64_t page, first;

	if (u->leaf_mapping == mapping && index - u->leaf_first < 64) {
		page = u->leaf[index - u->leaf_first];
		if ((page & 3) == 2 && page < 256)
			page = u->leaf[page >> 2];
	} else {
		u->leaf_mapping = 0;
		u->leaf_first = ~(uint64_t)0 - 64;
		page = xa_get(k, o, mapping + (uint64_t)o->mapping_pages, index, u->leaf,
		    &u->leaf_first);
		if (index - u->leaf_first < 64)
			u->leaf_mapping = mapping;
	}
	if (page == 0 || (page & 3) != 0 || page < u->vmemmap ||
	    !get64(k, page + (uint64_t)o->page_index, &first) || index - first >= 1024)
		return false;
	page = (page - u->vmemmap) / (uint64_t)o->page_size + (index - first);
	*ret = DV_GPA(page << 12);
	return page < (uint64_t)1 << 40;
}

struct source {
	struct gi_kernel *k;
	struct gi_users *u;
	uint64_t mapping;		/* or the vDSO's bytes, */
	uint64_t len;			/* as many */
};

/* For elfsyms.c: zeros where a page is not there. */
static bool
read_file(void *arg, uint64_t off, void *buf, size_t len)
{
	struct source *s = arg;
	uint8_t *p = buf;
	bool any = false;
	dv_gpa_t pa;
	size_t n;

	for (; len > 0; len -= n, off += n, p += n) {
		n = 4096 - (off & 4095);
		if (n > len)
			n = len;
		if (cached_page(s->k, s->u, s->mapping, off >> 12, &pa) &&
		    s->k->mem.read(s->k->mem.arg, DV_GPA(pa.v + (off & 4095)), p, n) == 0)
			any = true;
		else
			memset(p, 0, n);
	}
	return any;
}

/* The same of the vDSO, which is a part of the kernel's image. */
static bool
read_vdso(void *arg, uint64_t off, void *buf, size_t len)
{
	struct source *s = arg;

	memset(buf, 0, len);
	if (off >= s->len)
		return false;
	if (len > s->len - off)
		len = s->len - off;
	return gi_read(s->k, DV_GVA(s->mapping + off), buf, len, NULL) == 0;
}

static bool
read_name(struct gi_kernel *k, const struct off *o, uint64_t file, char *name)
{
	uint64_t dentry, at;
	size_t i;

	if (!get64(k, file + (uint64_t)o->file_dentry, &dentry) ||
	    !get64(k, dentry + (uint64_t)o->dentry_name, &at))
		return false;
	for (i = 0; i < NAMELEN - 1; i += 8) {	/* never past a page that is not there */
		if (gi_read(k, DV_GVA(at + i), name + i, 8, NULL) != 0)
			return false;
		if (memchr(name + i, 0, 8) != NULL)
			break;
	}
	name[NAMELEN - 1] = 0;
	return name[0] != 0;
}

/* Index of a file that is known, or is read now. */
static int
add_file(struct gi_users *u, struct source *src, const char *name)
{
	struct file *f;
	uint32_t i;

	for (i = 0; i < u->nfiles; i++)
		if (u->files[i].mapping == src->mapping && strcmp(u->files[i].name, name) == 0)
			return (int)i;
	if (u->nfiles < MAXFILES) {
		i = u->nfiles++;
	} else {			/* the oldest goes, and mappings that name it */
		i = u->evict++ % MAXFILES;
		gi_elfsyms_free(u->files[i].syms);
		u->maps.n = 0;
	}
	f = &u->files[i];
	f->mapping = src->mapping;
	snprintf(f->name, sizeof(f->name), "%s", name);
	f->syms = gi_elfsyms_read(src->len != 0 ? read_vdso : read_file, src);
	return (int)i;
}

/* -1: unknown. */
static int
file_of(struct gi_kernel *k, struct gi_users *u, uint64_t file)
{
	struct source src = { k, u, 0, 0 };
	char name[NAMELEN] = "";

	if (!get64(k, file + (uint64_t)u->o.file_mapping, &src.mapping) || src.mapping == 0 ||
	    !read_name(k, &u->o, file, name))
		return -1;
	return add_file(u, &src, name);
}

static int
vdso_of(struct gi_kernel *k, struct gi_users *u, uint64_t mm, uint64_t start)
{
	const struct off *o = &u->o;
	struct source src = { k, u, 0, 0 };
	uint64_t at, image;

	if (o->mm_vdso < 0 || o->mm_vdso_image < 0 || o->image_data < 0 || o->image_size < 0 ||
	    !get64(k, mm + (uint64_t)o->mm_vdso, &at) || at != start ||
	    !get64(k, mm + (uint64_t)o->mm_vdso_image, &image) ||
	    !get64(k, image + (uint64_t)o->image_data, &src.mapping) ||
	    !get64(k, image + (uint64_t)o->image_size, &src.len) ||
	    src.len == 0 || src.len > 1u << 20)
		return -1;
	return add_file(u, &src, "[vdso]");
}

/* ---- mappings ------------------------------------------------------------- */

static bool
read_map(struct gi_kernel *k, struct gi_users *u, uint32_t pid, uint64_t addr, struct map *m)
{
	const struct off *o = &u->o;
	uint64_t mm = mm_of(k, o, pid), vma, file;

	if (mm == 0)
		return false;
	vma = o->mm_mt_root >= 0 ? maple_vma(k, o, mm, addr) : rb_vma(k, o, mm, addr);
	if (vma == 0 || !get64(k, vma + (uint64_t)o->vma_start, &m->start) ||
	    !get64(k, vma + (uint64_t)o->vma_end, &m->end) ||
	    !get64(k, vma + (uint64_t)o->vma_pgoff, &m->pgoff) ||
	    !get64(k, vma + (uint64_t)o->vma_file, &file) ||
	    addr < m->start || addr >= m->end)
		return false;
	m->file = file != 0 ? file_of(k, u, file) : vdso_of(k, u, mm, m->start);
	if (file == 0)
		m->pgoff = 0;		/* of memory: an address */
	return true;
}

static const struct map *
map_of(struct gi_kernel *k, struct gi_users *u, uint32_t pid, uint64_t addr)
{
	struct map m = { .pid = pid, .file = -1 };
	size_t i;

	for (i = u->maps.n; i-- > 0;)
		if (u->maps.v[i].pid == pid && addr >= u->maps.v[i].start &&
		    addr < u->maps.v[i].end)
			return &u->maps.v[i];
	if (!read_map(k, u, pid, addr, &m)) {
		m.start = addr;
		m.end = addr + 1;
		m.file = -1;
	}
	if (u->maps.n >= MAXMAPS)
		u->maps.n = 0;
	if (dv_vec_push(&u->maps, m) != 0)
		return NULL;
	return &u->maps.v[u->maps.n - 1];
}

/* ---- the interface -------------------------------------------------------- */

static int64_t
sum(int64_t a, int64_t b)
{
	return a < 0 || b < 0 ? -1 : a + b;
}

static void
find_offsets(struct gi_kernel *k, struct off *o)
{
	int64_t type = 1;
	struct gi_type t;
	uint32_t tid;

	memset(o, 0xff, sizeof(*o));
	(void)gi_enum_find(k, "PIDTYPE_TGID", &type, &tid);
	o->idr_head = gi_offsetof(k, "pid_namespace", "idr.idr_rt.xa_head");
	o->pid_task = sum(gi_offsetof(k, "pid", "tasks"), type * 8);
	o->task_link = sum(gi_offsetof(k, "task_struct", "pid_links"), type * 16);
	o->task_mm = gi_offsetof(k, "task_struct", "mm");
	o->xa_shift = gi_offsetof(k, "xa_node", "shift");
	o->xa_slots = gi_offsetof(k, "xa_node", "slots");
	o->mm_mt_root = gi_offsetof(k, "mm_struct", "mm_mt.ma_root");
	o->mm_rb = gi_offsetof(k, "mm_struct", "mm_rb");
	o->mm_vdso = gi_offsetof(k, "mm_struct", "context.vdso");
	o->mm_vdso_image = gi_offsetof(k, "mm_struct", "context.vdso_image");
	o->image_data = gi_offsetof(k, "vdso_image", "data");
	o->image_size = gi_offsetof(k, "vdso_image", "size");
	o->vma_rb = gi_offsetof(k, "vm_area_struct", "vm_rb");
	o->vma_start = gi_offsetof(k, "vm_area_struct", "vm_start");
	o->vma_end = gi_offsetof(k, "vm_area_struct", "vm_end");
	o->vma_pgoff = gi_offsetof(k, "vm_area_struct", "vm_pgoff");
	o->vma_file = gi_offsetof(k, "vm_area_struct", "vm_file");
	o->r64_pivot = gi_offsetof(k, "maple_range_64", "pivot");
	o->r64_slot = gi_offsetof(k, "maple_range_64", "slot");
	o->a64_pivot = gi_offsetof(k, "maple_arange_64", "pivot");
	o->a64_slot = gi_offsetof(k, "maple_arange_64", "slot");
	o->file_mapping = gi_offsetof(k, "file", "f_mapping");
	o->file_dentry = gi_offsetof(k, "file", "f_path.dentry");
	o->dentry_name = gi_offsetof(k, "dentry", "d_name.name");
	o->mapping_pages = gi_offsetof(k, "address_space", "i_pages.xa_head");
	o->page_index = gi_offsetof(k, "folio", "index");
	if (o->page_index < 0)
		o->page_index = gi_offsetof(k, "page", "index");
	if (gi_type(k, gi_type_find(k, GI_T_STRUCT, "page"), &t) == 0 && t.size != 0)
		o->page_size = (int64_t)t.size;
	(void)gi_enum_find(k, "maple_leaf_64", &o->t_leaf, &tid);
	(void)gi_enum_find(k, "maple_range_64", &o->t_range, &tid);
	(void)gi_enum_find(k, "maple_arange_64", &o->t_arange, &tid);
}

static bool
offsets_usable(const struct off *o)
{
	bool tree = o->mm_mt_root >= 0 ? o->r64_pivot >= 0 && o->r64_slot >= 0 &&
	    o->a64_pivot >= 0 && o->a64_slot >= 0 && o->t_leaf >= 0 && o->t_range >= 0 &&
	    o->t_arange >= 0 : o->mm_rb >= 0 && o->vma_rb >= 0;

	return tree && o->idr_head >= 0 && o->pid_task >= 0 && o->task_link >= 0 &&
	    o->task_mm >= 0 && o->xa_shift >= 0 && o->xa_slots >= 0 && o->vma_start >= 0 &&
	    o->vma_end >= 0 && o->vma_pgoff >= 0 && o->vma_file >= 0 && o->file_mapping >= 0 &&
	    o->file_dentry >= 0 && o->dentry_name >= 0 && o->mapping_pages >= 0 &&
	    o->page_index >= 0 && o->page_size > 0;
}

static struct gi_users *
users_of(struct gi_kernel *k)
{
	uint64_t base = gi_addr(k, "vmemmap_base");
	struct gi_users *u;

	if (k->users != NULL)
		return k->users;
	if ((u = calloc(1, sizeof(*u))) == NULL)
		return NULL;
	k->users = u;
	find_offsets(k, &u->o);
	u->vmemmap = k->levels == 5 ? 0xffd4000000000000ull : 0xffffea0000000000ull;
	if (base != 0 && !get64(k, base, &u->vmemmap))
		return u;
	u->usable = offsets_usable(&u->o);
	return u;
}

void
gi_users_free(struct gi_users *u)
{
	uint32_t i;

	if (u == NULL)
		return;
	for (i = 0; i < u->nfiles; i++)
		gi_elfsyms_free(u->files[i].syms);
	dv_vec_fini(&u->maps);
	free(u);
}

void
gi_user_forget(struct gi_kernel *k)
{
	if (k->users != NULL) {
		k->users->maps.n = 0;
		k->users->leaf_mapping = 0;
	}
}

bool
gi_user_sym(struct gi_kernel *k, uint32_t pid, uint64_t addr, struct gi_usym *ret)
{
	struct gi_users *u = k->live ? users_of(k) : NULL;
	const struct map *m;
	const struct file *f;

	memset(ret, 0, sizeof(*ret));
	if (u == NULL || !u->usable || (m = map_of(k, u, pid, addr)) == NULL)
		return false;
	if (m->file < 0)
		return false;
	f = &u->files[m->file];
	ret->obj = f->name;
	if (f->syms != NULL)
		ret->sym = gi_elfsyms_find(f->syms, addr - m->start + (m->pgoff << 12), &ret->off);
	return true;
}
