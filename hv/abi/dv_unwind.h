/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dv_unwind.h - what the machine must know of a guest to walk its stacks.
 *
 * Made by introspection from the guest's symbols and BTF (guest-introspect/
 * linux/orc.c), and used by core/stack.c. Names places in the guest's memory;
 * the tables themselves are read there at each walk, and trusted no more than
 * anything else that is read there. An address of 0 or an offset of DV_NO_OFF:
 * this guest has no such thing.
 */
#ifndef DV_UNWIND_H
#define DV_UNWIND_H
#include "dv_types.h"
#include "dv_layout.h"

/* A bit-field of an ORC entry; bits 0: there is none. */
struct dv_bits {
	uint8_t at, bits;
};

/* A pair of tables: address of the i-th instruction and its entry. */
struct dv_orctab {
	uint64_t ip;		/* int32_t[n]: address - address of this element, sorted */
	uint64_t entry;		/* n entries */
	uint32_t n;
	uint32_t pad;
};
#define DV_MAXORC	(1u << 24)

struct dv_unwind {
	uint32_t kind;		/* enum dv_unwind_kind; NONE: no such section */
	uint32_t flags;		/* DV_UW_* */
	/* ORC: the kernel's own table */
	struct dv_orctab orc;
	uint64_t lookup;	/* uint32_t[nlookup]: per block of text from text_start on, */
	uint32_t nlookup;	/* where its entries begin; 0: no such table */
	uint32_t block_shift;
	uint32_t entry_size;	/* bytes of an entry, at most 8 */
	struct dv_bits sp_offset, bp_offset, sp_reg, bp_reg, type, signal, end;
	uint16_t pad;
	uint8_t reg[16];	/* enum dv_unwind_reg, by the table's number */
	uint64_t init_start, init_end;	/* init text */
	/*
	 * Modules: a list through struct list_head, which is at mod_list in
	 * struct module. Code from mod_low on may be a module's, or made by the
	 * kernel at run time.
	 */
	uint64_t modules;
	uint64_t mod_low;
	uint32_t mod_list;	/* the rest: offsets in struct module */
	uint32_t mod_text;	/* void *: its text */
	uint32_t mod_text_size;	/* unsigned int */
	uint32_t mod_orcs;	/* unsigned int: number of entries */
	uint32_t mod_orc_ip;	/* int *: table as above */
	uint32_t mod_orc_entry;
	/*
	 * ftrace copies its entry code for each user of it; a copy has the
	 * entries of what it was copied from.
	 */
	uint64_t ftrace_ops;	/* struct ftrace_ops *: a list */
	uint64_t ftrace_caller, ftrace_regs_caller;
	uint64_t ftrace_save_regs;	/* bit of flags: copied from the latter */
	uint32_t ops_next;	/* offsets in struct ftrace_ops */
	uint32_t ops_flags;	/* unsigned long */
	uint32_t ops_tramp;
	uint32_t ops_tramp_size;
	/*
	 * Where the guest's own tracing has put another return address into a
	 * stack, the real one is kept by the thread.
	 */
	uint64_t graph_ret;	/* return_to_handler */
	uint64_t kretprobe_ret;	/* the trampoline of kretprobes */
	uint32_t task_rethooks;	/* struct llist_head */
	uint32_t rethook_llist;	/* struct rethook_node: struct llist_node */
	uint32_t rethook_ret;	/* its ret_addr */
	uint32_t rethook_frame;
	uint32_t task_graph;	/* struct ftrace_ret_stack * */
	uint32_t task_graph_cur; /* int: index of the last one in use */
	uint32_t graph_size;	/* sizeof(struct ftrace_ret_stack) */
	uint32_t graph_ret_off;	/* its ret */
	uint32_t graph_retp;	/* its retp */
	uint32_t pad2;
};

enum dv_unwind_kind {
	DV_UNWIND_NONE,
	DV_UNWIND_ORC,
	DV_UNWIND_FP		/* a kernel built with frame pointers: %rbp chain */
};
enum dv_unwind_reg {
	DV_UWR_UNDEFINED, DV_UWR_PREV_SP, DV_UWR_DX, DV_UWR_DI, DV_UWR_BP, DV_UWR_SP, DV_UWR_R10,
	DV_UWR_R13, DV_UWR_BP_INDIRECT, DV_UWR_SP_INDIRECT
};
/* Types of entries: 0 undefined, 1 end, 2 call ... instead of 0 call and a bit for the end. */
#define DV_UW_TYPES_FROM_2	1u
/* An indirect %rsp has its offset added before it is followed, not after. */
#define DV_UW_ADD_FIRST		2u

#endif
