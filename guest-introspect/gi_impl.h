/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gi_impl.h - what the files of this folder share. */
#ifndef GI_IMPL_H
#define GI_IMPL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/vec.h"

#include "gi.h"

/* Caps on what a guest may make us do or hold. */
#define GI_MAX_IMAGE	(256u << 20)	/* bytes of kernel image */
#define GI_MAX_SYMS	2000000u
#define GI_MAX_NAME	512u		/* bytes of a symbol name, NUL included */
#define GI_MAX_BTF	(64u << 20)
#define GI_MAX_FUNC	(256u << 10)	/* bytes of one function we decode */
#define GI_MAX_MODS	1000u		/* modules; sites have a group for each (dv_prog.h) */
#define GI_MAX_MODRANGE	(64u << 20)	/* bytes of one part of a module */
#define GI_MAX_MODMEM	(256u << 20)	/* bytes of names and BTF of all modules */
#define GI_MAX_MODSTRS	(8u << 20)	/* bytes of a module's symbol names */

#define GI_KERNEL_LOW	0xffffffff80000000ull	/* __START_KERNEL_map */
#define GI_KERNEL_HIGH	0xffffffffc0000000ull	/* modules begin */

/* ---- little-endian loads from bytes of the guest ---- */

static inline uint16_t
gi_u16(const void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t
gi_u32(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t
gi_u64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* ---- pgwalk.c ---- */

struct gi_run {			/* guest virtual -> physical, contiguous */
	uint64_t va, pa, len;
};

/*
 * Visits the mapped runs of [start, end), both page-aligned, in order, merged
 * where contiguous in both spaces. Reads whole tables: made for big ranges.
 * A callback that returns nonzero ends the walk with that value.
 */
int gi_pgruns(const struct gi_mem *mem, dv_gpa_t root, unsigned levels,
	      uint64_t start, uint64_t end,
	      int (*fn)(void *arg, const struct gi_run *run), void *arg);

/* ---- ksyms.c ---- */

struct gi_ksym {
	uint64_t addr;
	uint32_t name;		/* offset in names */
	uint8_t type;
	uint8_t percpu;		/* addr does not move with the kernel's base */
};

struct gi_ksyms {
	struct gi_ksym *v;	/* table order */
	uint32_t n;
	char *names;		/* NUL-terminated, one after the other */
	size_t nameslen;
	uint32_t *byaddr;	/* indices, by address, then table order */
	uint32_t *hash;		/* index + 1, open addressing by name; first wins */
	uint32_t hashmask;
	unsigned layout;	/* 1..4, see ksyms.c */
};

/* Builds byaddr and hash from v and names. */
int gi_ksyms_index(struct gi_ksyms *s, struct dv_err *err);
const struct gi_ksym *gi_ksyms_find(const struct gi_ksyms *s, const char *name);
/* Position in byaddr of the first symbol above addr. */
/* Among symbols at one address the highest is the one to show; ties: the first. */
int gi_ksym_rank(const struct gi_ksyms *s, const struct gi_ksym *y);
uint32_t gi_ksyms_above(const struct gi_ksyms *s, uint64_t addr);

/* ---- btf.c ---- */

/*
 * Ids are the kernel's: 1..n, then those of its modules one after the other.
 * A module's BTF goes on where its base ends, in names and in ids; its own ids
 * are given out as idoff + 1 .. idoff + n, so that no two modules share any.
 */
struct gi_btf {
	const struct gi_btf *base;	/* of a module: the kernel's, borrowed; or NULL */
	uint32_t idoff;
	uint8_t *data;
	size_t len;
	const uint8_t *types;	/* in data */
	uint32_t types_len;
	const char *strs;
	uint32_t strs_len;
	uint32_t *off;		/* by id - idoff: offset in types; [0] unused */
	uint32_t n;		/* types */
	uint32_t *hash;		/* ids, open addressing by kind and name */
	uint32_t hashmask;
	struct gi_btf_enumr { uint32_t id, i; } *enums;	/* by name; id 0: free */
	uint32_t enummask;
};

/* The BTF of a module; what it has of its own gets ids from idoff + 1 on. */
int gi_btf_open_split(const struct gi_btf *base, uint32_t idoff, const void *data, size_t len,
		      struct dv_err *err, struct gi_btf **ret);
int gi_btf_type(const struct gi_btf *b, uint32_t id, struct gi_type *ret);
int gi_btf_member(const struct gi_btf *b, uint32_t id, uint32_t i, struct gi_member *ret);
uint32_t gi_btf_find(const struct gi_btf *b, enum gi_tkind kind, const char *name);
/* Skips const, volatile, restrict and typedefs; 0 if that leads nowhere. */
uint32_t gi_btf_resolve(const struct gi_btf *b, uint32_t id);
int64_t gi_btf_offsetof(const struct gi_btf *b, uint32_t id, const char *path,
			struct gi_member *ret);
/* gi_offsetof(), as the machine wants it: DV_NO_OFF if there is no such member. */
uint32_t gi_off32(const struct gi_kernel *k, const char *strct, const char *path);
/*
 * From task_struct.stack to the registers that a thread has left user mode with: a
 * member of struct pt_regs, or NULL: their beginning. -1: this guest does not say.
 */
int64_t gi_uregs_off(struct gi_kernel *k, const char *member);

/* ---- the kernel ---- */

struct gi_fn {			/* a function, for fbt */
	uint32_t sym;		/* index in its module's symbols */
	uint32_t btf;		/* FUNC, or 0 */
	uint32_t size;
	uint16_t flags;		/* GI_FN_* */
	uint16_t mod;		/* 0: vmlinux; module + 1 */
};
#define GI_FN_RET	1u	/* decoded whole, and it can return */
#define GI_FN_BAD	2u	/* cannot be decoded whole */
#define GI_FN_VOID	4u	/* its prototype says so */
#define GI_FN_PROTO	8u	/* has one */
#define GI_FN_NOTRACE	16u	/* entry, noinstr, kprobes or idle text */
#define GI_FN_INIT	32u	/* init text: freed once the kernel is up */
#define GI_FN_COLD	64u	/* a part of another function */
#define GI_FN_RETTHUNK	128u	/* a jump here is a return */
#define GI_FN_INDTHUNK	256u	/* a jump here is an indirect jump */
#define GI_FN_LOOPS	1024u	/* jumps back to right after its prologue */
#define GI_FN_HIDE	512u	/* no function: no fbt probes */
#define GI_FN_SEEN	2048u	/* of a module: its returns have been looked for */
#define GI_FN_TYPED	4096u	/* of a module: its prototype has been looked for */

struct gi_scall {		/* one handler of the 64-bit table */
	uint32_t sym;		/* index in ksyms */
	const char *name;	/* arena */
	uint32_t nr;		/* lowest number */
	uint32_t nargs;
	const char *types[6];	/* arena or constant */
};

struct gi_texts;
struct gi_users;

struct gi_probes {
	struct gi_scall *scalls;
	uint32_t nscalls;
	uint16_t *nrmap;	/* by number: index in scalls + 1; 0: none */
	uint32_t nnr;
	uint32_t nsched;	/* probes of linux/sched.c */
	uint32_t sched[64];	/* their index in its table */
	uint32_t nproc;		/* of linux/proc.c, likewise */
	uint32_t proc[64];
	struct gi_fn *fns;
	uint32_t nfns;
	/* probe index -> what: runs of syscall, sched, proc, fbt */
	uint32_t syscall_first, sched_first, proc_first, fbt_first, n;
	uint32_t *fbt;		/* fn * 2 + (1: return) */
	uint32_t nfbt;
	uint32_t nbad;		/* functions without return probes */
};

/* ---- modules: linux/modules.c ---- */

struct gi_modrange {
	uint64_t start, size;
};

/*
 * A module. Where it lies is read when the kernel is opened, all else when it is
 * first asked for: `tried` says what was.
 */
struct gi_mod {
	const char *name;		/* arena */
	uint64_t addr;			/* struct module */
	bool live;			/* it may have probes; others come or go */
	struct gi_modrange range[16];
	unsigned nranges;
	struct gi_modrange text;	/* one of them; size 0: none */
	struct gi_modrange notrace[2];
	uint64_t symtab, strtab, typetab;
	uint32_t nsyms;
	struct gi_modrange exports;	/* struct kernel_symbol; size: how many */
	uint64_t btf;			/* its bytes, or 0 */
	uint32_t btf_len;
	uint32_t tried;			/* GI_MT_* */
	struct gi_ksyms *syms;
	uint32_t *symsize;		/* by index in syms: as ELF says, or 0 */
	struct gi_btf *types;
	struct gi_fn *fns;		/* by address */
	uint32_t nfns;
	/* words of struct module that are others once it has gone or was loaded anew */
	struct { uint64_t at, value; uint8_t size; } mark[6];
	unsigned nmarks;
	uint32_t fn_first;		/* number of its first function among all */
	uint32_t probe_first, nprobes;	/* its run of fbt; 2 for each symbol, some are none */
};
#define GI_MT_SYMS	1u
#define GI_MT_TYPES	2u
#define GI_MT_FNS	4u

struct gi_mods {
	struct gi_kernel *k;
	struct gi_mod *v;
	uint32_t n;
	uint32_t idoff;			/* of the next BTF */
	size_t held;			/* bytes of names and BTF; up to GI_MAX_MODMEM */
	bool btf_listed;		/* where the modules' BTF lies is known */
	unsigned again;			/* how often the list was walked again */
	uint64_t missed[64];		/* pages that no module has: the last ones */
};
#define GI_MAX_AGAIN	256u

int  gi_mods_open(struct gi_kernel *k, struct dv_err *err);
void gi_mods_close(struct gi_mods *ms);
/* The module that has addr in its memory, or NULL. */
struct gi_mod *gi_mod_at(const struct gi_kernel *k, uint64_t addr);
struct gi_mod *gi_mod_find(const struct gi_kernel *k, const char *name);
/* NULL: none, or not sound. */
struct gi_ksyms *gi_mod_syms(const struct gi_kernel *k, struct gi_mod *m);
struct gi_btf *gi_mod_types(const struct gi_kernel *k, struct gi_mod *m);
/* Decides what of a module's memory is its own, after those before it. */
void gi_mod_settle(struct gi_mods *ms, uint32_t i);
/* Gives all modules their numbers of functions and probes. */
void gi_mods_number(struct gi_mods *ms);

struct gi_kernel {
	struct gi_mem mem;
	bool live;
	struct gi_cpu cpu0;	/* of the vCPU the kernel was found by */
	uint64_t base;		/* _text */
	uint64_t end;		/* of the mapped image */
	struct gi_run *runs;	/* of the image, by va */
	size_t nruns;
	dv_gpa_t root;
	unsigned levels;
	char id[65];
	uint64_t note;		/* offset of the note with the build id; 0: not known */
	char release[65];
	struct gi_ksyms *syms;
	struct gi_btf *btf;	/* never NULL once open */
	struct dv_arena *arena;
	struct gi_probes *probes;
	struct dv_map *tytext;	/* id -> text; filled on demand */
	struct gi_texts *texts;	/* func.c */
	struct gi_users *users;	/* linux/user.c; filled on demand */
	struct gi_mods *mods;	/* NULL: none known */
	bool traps;		/* gi_sites_as_traps() */
	struct gi_patched *patched;	/* linux/patched.c; as texts */
};

/* May it be an address of the kernel's? */
static inline bool
gi_in_kernel_half(const struct gi_kernel *k, uint64_t addr)
{
	return k->levels == 5 ? addr >> 56 == 0xff : addr >> 47 == 0x1ffff;
}

void gi_users_free(struct gi_users *u);

/* save.c; for its fuzzer */
uint64_t gi_save_checksum(const uint8_t *p, size_t n);

int gi_findimage(struct gi_kernel *k, const struct gi_cpu *cpus, unsigned ncpu,
		 int (*fn)(struct gi_kernel *k, struct dv_err *err), struct dv_err *err);
/* For gi_findimage: sets k->id, decodes nothing. */
int gi_image_id(struct gi_kernel *k, struct dv_err *err);
/* From the root at hand to init_mm's, once symbols are known and it is filled. */
void gi_prefer_init_root(struct gi_kernel *k);
/* linux/locks.c: what D asks about locks, as inlines. */
struct dv_str;
void gi_prelude_locks(const struct gi_kernel *k, struct dv_str *s);

/* vfs.c */
void gi_vfs_layout(const struct gi_kernel *k, struct dv_vfs *ret);

/* Address of a symbol of the kernel proper, or 0. */
uint64_t gi_addr(const struct gi_kernel *k, const char *name);
uint64_t gi_read_u64(struct gi_kernel *k, uint64_t at, bool *ok);
/* Reads many pages with few reads of page tables; what cannot be read is left. The
 * number of bytes read before the first that cannot be. */
size_t gi_read_much(struct gi_kernel *k, uint64_t at, void *buf, size_t len);
/* The BTF that id is of. */
const struct gi_btf *gi_btf_of(const struct gi_kernel *k, uint32_t id);
/* Numbers the runs of a table whose providers' parts are there. */
void gi_probes_number(struct gi_probes *p);
void gi_probes_free(struct gi_probes *p);
/* Text of a BTF type as D takes it ("struct file *"), or NULL. */
const char *gi_type_text(const struct gi_kernel *k, uint32_t id);

#endif
