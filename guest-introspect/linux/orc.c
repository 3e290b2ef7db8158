/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * orc.c - where a Linux kernel keeps what its stacks can be walked with.
 *
 * ORC: the symbols around the two tables (__start_orc_unwind_ip, ...unwind,
 * in every kernel with CONFIG_UNWINDER_ORC) and around the table of blocks
 * (orc_lookup). How an entry is laid out has changed several times (bits for
 * `end` went, for `signal` came, the numbers of types moved), so its fields are
 * taken from BTF, struct orc_entry. With a member `end` types begin with CALL at
 * 0; without it there are two more before that. A kernel without the symbols has
 * frame pointers.
 *
 * How registers are numbered has changed, too, and no type tells. But at the
 * first instruction of a function the frame always ends 8 bytes above %rsp: so
 * some functions' entries show which number %rsp has, and that tells which of
 * the two numberings it is.
 *
 * What "indirect %rsp" means changed with inline stack switching, which made
 * asm_call_sysvec_on_stack go.
 *
 * The size of a block is a constant of the build (LOOKUP_BLOCK_SIZE) that is
 * found in no symbol; but the table has one element for each block of the text
 * and one more.
 *
 * Modules are walked by the machine itself, since they come and go. Until 6.3 a
 * module's text is in core_layout, later in mem[MOD_TEXT], the first of an array.
 *
 * Where the guest traces itself, its entry code for traced functions is copied,
 * to addresses of no table; struct ftrace_ops tells from where. Moreover, return
 * addresses on its stacks are replaced: by its function graph tracer, the old
 * ones in task_struct.ret_stack, an array of struct ftrace_ret_stack of which
 * curr_ret_stack is the last in use, or (later) an array of words with such
 * structs in it, curr_ret_stack being the next free word; by kretprobes, the old
 * ones in a list of rethook_node (6.0 on; before, in a hash table that is not
 * looked at).
 */
#include "../gi_impl.h"

/* A member of struct orc_entry as bits; none: { 0, 0 }. */
static struct dv_bits
entry_bits(const struct gi_kernel *k, uint32_t id, uint32_t n, const char *name)
{
	struct gi_member m;
	struct gi_type t;
	uint32_t i, bits;

	for (i = 0; i < n; i++) {
		if (gi_member(k, id, i, &m) != 0 || strcmp(m.name, name) != 0)
			continue;
		bits = m.bit_size;
		if (bits == 0) {
			uint32_t r = gi_btf_resolve(k->btf, m.type);

			if (r == 0 || gi_type(k, r, &t) != 0)
				break;
			bits = (uint32_t)t.size * 8;
		}
		if (bits == 0 || bits > 16 || m.bit_off > 63 || m.bit_off + bits > 64)
			break;
		return (struct dv_bits){ (uint8_t)m.bit_off, (uint8_t)bits };
	}
	return (struct dv_bits){ 0, 0 };
}

/* The entry for the first instruction of a function. */
static bool
entry_of(struct gi_kernel *k, const struct dv_unwind *u, const char *name, uint64_t *ret)
{
	uint64_t want = gi_addr(k, name), at;
	uint32_t lo = 0, hi = u->orc.n, mid;
	int32_t rel;

	*ret = 0;
	if (want == 0)
		return false;
	while (lo < hi) {		/* the last one that is not above */
		mid = lo + (hi - lo) / 2;
		at = u->orc.ip + 4 * (uint64_t)mid;
		if (gi_read(k, DV_GVA(at), &rel, sizeof(rel), NULL) != 0)
			return false;
		if (at + (uint64_t)(int64_t)rel <= want)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 && gi_read(k, DV_GVA(u->orc.entry + (uint64_t)(lo - 1) * u->entry_size), ret,
	    u->entry_size, NULL) == 0;
}

/* What number %rsp has; 0: cannot be told. */
static uint32_t
number_of_sp(struct gi_kernel *k, const struct dv_unwind *u)
{
	static const char *const names[] = { "schedule", "vfs_read", "vfs_write", "do_exit",
	    "kmem_cache_free", "wake_up_process", "__schedule", "try_to_wake_up" };
	uint32_t votes[16] = { 0 }, i, best = 0, reg;
	uint64_t raw;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (entry_of(k, u, names[i], &raw) && (raw >> u->sp_offset.at & 0xffff) == 8) {
			reg = (uint32_t)(raw >> u->sp_reg.at) & ((1u << u->sp_reg.bits) - 1);
			if (++votes[reg] > votes[best])
				best = reg;
		}
	return best;
}

static bool
number_regs(struct gi_kernel *k, struct dv_unwind *u)
{
	static const uint8_t first[16] = { DV_UWR_UNDEFINED, DV_UWR_PREV_SP, DV_UWR_DX, DV_UWR_DI,
	    DV_UWR_BP, DV_UWR_SP, DV_UWR_R10, DV_UWR_R13, DV_UWR_BP_INDIRECT,
	    DV_UWR_SP_INDIRECT };
	static const uint8_t later[16] = { DV_UWR_UNDEFINED, DV_UWR_UNDEFINED, DV_UWR_DX,
	    DV_UWR_SP, DV_UWR_BP, DV_UWR_DI, DV_UWR_R10, DV_UWR_R13, DV_UWR_PREV_SP,
	    DV_UWR_SP_INDIRECT, DV_UWR_BP_INDIRECT };
	uint32_t sp = k->live ? number_of_sp(k, u) : 0;

	if (sp == 0 || (first[sp] != DV_UWR_SP && later[sp] != DV_UWR_SP))
		return false;
	memcpy(u->reg, first[sp] == DV_UWR_SP ? first : later, sizeof(u->reg));
	return true;
}

/* Blocks of 1 << shift bytes: the size of text that fits a table of n. */
static uint32_t
block_shift(uint64_t text, uint64_t n)
{
	uint32_t shift;

	for (shift = 4; shift <= 16; shift++) {
		uint64_t want = ((text + (1ull << shift) - 1) >> shift) + 1;

		if (want >= n ? want - n <= 1 : n - want <= 1)
			return shift;
	}
	return 0;
}

static bool
find_orc(struct gi_kernel *k, struct dv_unwind *u)
{
	uint64_t ip = gi_addr(k, "__start_orc_unwind_ip");
	uint64_t ip_end = gi_addr(k, "__stop_orc_unwind_ip");
	uint64_t tab = gi_addr(k, "__start_orc_unwind"), tab_end = gi_addr(k, "__stop_orc_unwind");
	uint64_t look = gi_addr(k, "orc_lookup"), look_end = gi_addr(k, "orc_lookup_end");
	uint64_t text = gi_addr(k, "_stext"), text_end = gi_addr(k, "_etext"), n;
	uint32_t id = gi_type_find(k, GI_T_STRUCT, "orc_entry");
	struct gi_type t;

	if (ip == 0 || ip_end <= ip || tab == 0 || tab_end <= tab || id == 0 ||
	    gi_type(k, id, &t) != 0 || t.size == 0 || t.size > 8)
		return false;
	n = (ip_end - ip) / 4;
	if (n > DV_MAXORC || n > (tab_end - tab) / t.size)
		return false;
	u->orc = (struct dv_orctab){ .ip = ip, .entry = tab, .n = (uint32_t)n };
	u->entry_size = (uint32_t)t.size;
	u->sp_offset = entry_bits(k, id, t.n, "sp_offset");
	u->bp_offset = entry_bits(k, id, t.n, "bp_offset");
	u->sp_reg = entry_bits(k, id, t.n, "sp_reg");
	u->bp_reg = entry_bits(k, id, t.n, "bp_reg");
	u->type = entry_bits(k, id, t.n, "type");
	u->signal = entry_bits(k, id, t.n, "signal");
	u->end = entry_bits(k, id, t.n, "end");
	if (u->sp_offset.bits != 16 || u->bp_offset.bits != 16 || u->sp_reg.bits == 0 ||
	    u->bp_reg.bits == 0 || u->type.bits == 0 || u->sp_reg.bits > 4 ||
	    u->bp_reg.bits > 4 || !number_regs(k, u))
		return false;
	if (u->end.bits == 0)
		u->flags |= DV_UW_TYPES_FROM_2;
	if (gi_addr(k, "asm_call_sysvec_on_stack") != 0)
		u->flags |= DV_UW_ADD_FIRST;
	if (look != 0 && look_end > look && text != 0 && text_end > text) {
		n = (look_end - look) / 4;
		u->block_shift = block_shift(text_end - text, n);
		if (u->block_shift != 0) {
			u->lookup = look;
			u->nlookup = (uint32_t)n;
		}
	}
	return true;
}

static void
find_modules(const struct gi_kernel *k, struct dv_unwind *u)
{
	uint32_t mem = gi_off32(k, "module", "mem");

	u->mod_list = gi_off32(k, "module", "list");
	u->mod_text = gi_off32(k, "module", "core_layout.base");
	u->mod_text_size = gi_off32(k, "module", "core_layout.text_size");
	if (mem != DV_NO_OFF && u->mod_text == DV_NO_OFF) {
		uint32_t base = gi_off32(k, "module_memory", "base");
		uint32_t size = gi_off32(k, "module_memory", "size");

		if (base != DV_NO_OFF && size != DV_NO_OFF) {
			u->mod_text = mem + base;
			u->mod_text_size = mem + size;
		}
	}
	if (u->mod_list != DV_NO_OFF && u->mod_text != DV_NO_OFF && u->mod_text_size != DV_NO_OFF)
		u->modules = gi_addr(k, "modules");
	u->mod_orcs = gi_off32(k, "module", "arch.num_orcs");
	u->mod_orc_ip = gi_off32(k, "module", "arch.orc_unwind_ip");
	u->mod_orc_entry = gi_off32(k, "module", "arch.orc_unwind");
	if (u->mod_orc_ip == DV_NO_OFF || u->mod_orc_entry == DV_NO_OFF)
		u->mod_orcs = DV_NO_OFF;
	u->mod_low = (k->end + 0xfff) & ~0xfffull;
}

static void
find_ftrace(const struct gi_kernel *k, struct dv_unwind *u)
{
	uint32_t type;
	int64_t bit;

	u->ops_next = gi_off32(k, "ftrace_ops", "next");
	u->ops_flags = gi_off32(k, "ftrace_ops", "flags");
	u->ops_tramp = gi_off32(k, "ftrace_ops", "trampoline");
	u->ops_tramp_size = gi_off32(k, "ftrace_ops", "trampoline_size");
	u->ftrace_caller = gi_addr(k, "ftrace_caller");
	u->ftrace_regs_caller = gi_addr(k, "ftrace_regs_caller");
	if (gi_enum_find(k, "FTRACE_OPS_FL_SAVE_REGS", &bit, &type))
		u->ftrace_save_regs = (uint64_t)bit;
	if (u->ops_next != DV_NO_OFF && u->ops_flags != DV_NO_OFF && u->ops_tramp != DV_NO_OFF &&
	    u->ops_tramp_size != DV_NO_OFF && u->ftrace_save_regs != 0)
		u->ftrace_ops = gi_addr(k, "ftrace_ops_list");
}

static void
find_replaced(const struct gi_kernel *k, struct dv_unwind *u)
{
	struct gi_member m;
	struct gi_type t;
	uint32_t id;

	u->kretprobe_ret = gi_addr(k, "arch_rethook_trampoline");
	u->task_rethooks = gi_off32(k, "task_struct", "rethooks");
	u->rethook_llist = gi_off32(k, "rethook_node", "llist");
	u->rethook_ret = gi_off32(k, "rethook_node", "ret_addr");
	u->rethook_frame = gi_off32(k, "rethook_node", "frame");
	if (u->rethook_llist == DV_NO_OFF || u->rethook_ret == DV_NO_OFF ||
	    u->rethook_frame == DV_NO_OFF)
		u->task_rethooks = DV_NO_OFF;
	u->graph_ret = gi_addr(k, "return_to_handler");
	u->task_graph = gi_off32(k, "task_struct", "ret_stack");
	u->task_graph_cur = gi_off32(k, "task_struct", "curr_ret_stack");
	u->graph_ret_off = gi_off32(k, "ftrace_ret_stack", "ret");
	u->graph_retp = gi_off32(k, "ftrace_ret_stack", "retp");
	id = gi_type_find(k, GI_T_STRUCT, "ftrace_ret_stack");
	if (u->task_graph_cur == DV_NO_OFF || u->graph_ret_off == DV_NO_OFF ||
	    u->graph_retp == DV_NO_OFF || u->graph_retp < u->graph_ret_off ||
	    id == 0 || gi_type(k, id, &t) != 0 || t.size > 4096) {
		u->task_graph = DV_NO_OFF;
		u->graph_ret_off = u->graph_retp = 0;
		return;
	}
	/* what curr_ret_stack counts: such structs, or words */
	u->graph_size = (uint32_t)t.size;
	if (gi_btf_offsetof(k->btf, gi_type_find(k, GI_T_STRUCT, "task_struct"), "ret_stack",
	    &m) < 0 || gi_type(k, gi_btf_resolve(k->btf, m.type), &t) != 0 ||
	    t.kind != GI_T_PTR || gi_btf_resolve(k->btf, t.ref) != id)
		u->graph_size = 8;
}

void
gi_kernel_unwind(struct gi_kernel *k, struct dv_unwind *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->kind = find_orc(k, ret) ? DV_UNWIND_ORC : DV_UNWIND_FP;
	ret->init_start = gi_addr(k, "_sinittext");
	ret->init_end = gi_addr(k, "_einittext");
	find_modules(k, ret);
	find_ftrace(k, ret);
	find_replaced(k, ret);
}
