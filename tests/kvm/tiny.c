/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tiny.c - a VM of one page of code, made and traced by this program alone.
 *
 *	tiny ROUNDS
 *
 * The guest is a loop in 64-bit mode with two vCPUs, one after the other: instructions that
 * the module does itself, some that KVM's emulator does, and breakpoints of its own with
 * a handler that counts them and adds up where they return to. First it runs untraced:
 * what registers and memory are then is what they must be at the end of every other
 * run. Then, as a user of /dev/dvisor, with a trap on many of its instructions:
 *
 *	traced		each trap counts each time that the guest comes by, on a vCPU that
 *			is made after tracing has begun, too; registers are told as they were
 *	debugged	we are a debugger of our own guest as well: its breakpoints come
 *			to us, none of the traps does, and it gets them from us
 *	let go		the device is closed in mid trace
 *
 * and each time the guest's text is as it was afterwards. It needs nothing of a guest's
 * kernel, so it is the first thing to try on a host of another kind.
 *
 * Status 1, and lines that say what is wrong with the first run that is not right.
 */
#include "base/progb.h"
#include "core/state.h"
#include "abi/dv_kvm.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- the guest: its code, and where things are in its 2 MB */

#define BASE		0xffffffff80000000ull	/* all of it is mapped here, and at 0 */
#define RAM		(2ul << 20)
#define ROOT		0x1000
#define GDT		0x6000
#define IDT		0x7000
#define STACK		0x10000
#define CODE		0x20000
#define DATA		0x30000
#define GS_BASE		(BASE + DATA + 0x800)
#define FS_BASE		(BASE + DATA + 0xa00)
#define KERNEL_GS_BASE	0xffff888012345000ull

#define STR(x)	STR_(x)
#define STR_(x)	#x
#define SITE(n)	"site" STR(n) ": "

/* rdi counts rounds up to rsi; r12 is DATA */
asm(".pushsection .rodata\n"
    "guest:\n"
    SITE(0) "mov %rdi, %rax\n"
    SITE(1) "lea 3(%rax,%rax,2), %rbx\n"
    SITE(2) "add %rbx, (%r12)\n"
    SITE(3) "imul $7, %rax, %rdx\n"		/* KVM's emulator */
    SITE(4) "xchg %rdx, 8(%r12)\n"		/* the same, locked */
    SITE(5) "call guest_fn\n"
    SITE(6) "test $1, %dil\n"
    SITE(7) "jz 1f\n"
    "	addq $1, 16(%r12)\n"
    "1:\n"
    "own0: int3\n"
    "own1: .byte 0x66\n int3\n"
    "own2: .byte 0xcd, 3\n"
    "own3:\n"
    SITE(8) "inc %rdi\n"
    SITE(9) "jmp 2f\n"
    "	ud2\n"
    "2:	cmp %rsi, %rdi\n"
    "	jb guest\n"
    "	out %al, $0x10\n"
    "guest_fn:\n"
    SITE(10) "push %rbp\n"
    SITE(11) "mov %rsp, %rbp\n"
    SITE(12) "mov %gs:8, %r8\n"
    "	add %r8, 40(%r12)\n"
    SITE(13) "nopl 0(%rax)\n"
    SITE(14) "pop %rbp\n"
    SITE(15) "ret\n"
    "guest_bp:\n"
    "	push %rax\n"
    "	mov 8(%rsp), %rax\n"
    "	add %rax, 24(%r12)\n"
    "	incq 32(%r12)\n"
    "	pop %rax\n"
    "	iretq\n"
    "guest_end:\n"
    ".popsection\n");
extern const uint8_t guest[], guest_end[], guest_bp[], own0[], own1[], own2[], own3[];

#define SITES(x) x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7) x(8) x(9) x(10) x(11) x(12) x(13) \
	x(14) x(15)
#define DECLARE(n) extern const uint8_t site##n[];
SITES(DECLARE)
#define LIST(n) site##n,
static const uint8_t *const sites[] = { SITES(LIST) };
#define NSITE	(sizeof(sites) / sizeof(sites[0]))
#define WATCHED	0		/* the site whose registers are recorded */
#define NCPU	2

static uint64_t rounds;
static bool bad;

static uint64_t
address(const uint8_t *label)
{
	return BASE + CODE + (uint64_t)(label - guest);
}

__attribute__((format(printf, 1, 2))) static void
wrong(const char *fmt, ...)
{
	va_list ap;

	bad = true;
	va_start(ap, fmt);
	fputs("tiny: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
}

/* What is no result of the test. */
static void
die(const char *what)
{
	fprintf(stderr, "tiny: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* --- the VM */

struct vm {
	int fd, cpu[NCPU];
	struct kvm_run *run[NCPU];
	uint8_t *ram;
	struct kvm_regs regs[NCPU];	/* at the end */
	unsigned debug_exits;
};

static int kvm;

static struct kvm_segment
segment(uint64_t base, unsigned type, unsigned selector, bool code)
{
	return (struct kvm_segment){
		.base = base, .limit = 0xffffffff, .selector = (uint16_t)selector,
		.type = (uint8_t)type, .present = 1, .s = 1, .l = code, .db = !code, .g = 1
	};
}

static void
put64(struct vm *vm, uint64_t at, uint64_t val)
{
	memcpy(vm->ram + at, &val, 8);
}

static void
vm_make(struct vm *vm)
{
	struct kvm_userspace_memory_region r = { .memory_size = RAM };
	uint64_t bp = address(guest_bp);

	memset(vm, 0, sizeof(*vm));
	vm->fd = ioctl(kvm, KVM_CREATE_VM, 0);
	vm->ram = mmap(NULL, RAM, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (vm->fd < 0 || vm->ram == MAP_FAILED)
		die("KVM_CREATE_VM");
	r.userspace_addr = (uintptr_t)vm->ram;
	if (ioctl(vm->fd, KVM_SET_TSS_ADDR, 0xfffbd000) != 0 ||
	    ioctl(vm->fd, KVM_SET_USER_MEMORY_REGION, &r) != 0)
		die("KVM_SET_USER_MEMORY_REGION");
	put64(vm, ROOT, 0x2003);			/* 0: 2 MB page at 0 */
	put64(vm, 0x2000, 0x3003);
	put64(vm, 0x3000, 0x83);
	put64(vm, ROOT + 511 * 8, 0x4003);		/* BASE: the same */
	put64(vm, 0x4000 + 510 * 8, 0x5003);
	put64(vm, 0x5000, 0x83);
	put64(vm, GDT + 8, 0x00af9b000000ffff);		/* code, data */
	put64(vm, GDT + 16, 0x00cf93000000ffff);
	put64(vm, IDT + 3 * 16, (bp & 0xffff) | 8ull << 16 | 0x8e00ull << 32 |
	      (bp >> 16 & 0xffff) << 48);
	put64(vm, IDT + 3 * 16 + 8, bp >> 32);
	put64(vm, GS_BASE + 8 - BASE, 0x1234567);
	memcpy(vm->ram + CODE, guest, (size_t)(guest_end - guest));
}

static void
cpu_make(struct vm *vm, int i)
{
	struct {
		struct kvm_msrs head;
		struct kvm_msr_entry entry;
	} msr = { { .nmsrs = 1 }, { .index = 0xc0000102, .data = KERNEL_GS_BASE } };
	struct kvm_sregs s;
	struct kvm_regs r = {
		.rip = BASE + CODE, .rsp = BASE + STACK + 0x1000 * (unsigned)(i + 1), .rflags = 2,
		.rsi = rounds, .r12 = BASE + DATA + 0x100 * (unsigned)i
	};
	int len = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);

	vm->cpu[i] = ioctl(vm->fd, KVM_CREATE_VCPU, i);
	if (vm->cpu[i] < 0 || ioctl(vm->cpu[i], KVM_GET_SREGS, &s) != 0)
		die("KVM_CREATE_VCPU");
	vm->run[i] = mmap(NULL, (size_t)len, PROT_READ | PROT_WRITE, MAP_SHARED, vm->cpu[i], 0);
	if (vm->run[i] == MAP_FAILED)
		die("mmap of a vCPU");
	s.cs = segment(0, 11, 8, true);
	s.ds = s.es = s.ss = segment(0, 3, 16, false);
	s.fs = segment(FS_BASE, 3, 16, false);
	s.gs = segment(GS_BASE, 3, 16, false);
	s.gdt = (struct kvm_dtable){ .base = BASE + GDT, .limit = 23 };
	s.idt = (struct kvm_dtable){ .base = BASE + IDT, .limit = 16 * 32 - 1 };
	s.cr0 = 0x80000031;
	s.cr3 = ROOT;
	s.cr4 = 0x20;
	s.efer = 0x500;
	if (ioctl(vm->cpu[i], KVM_SET_SREGS, &s) != 0 || ioctl(vm->cpu[i], KVM_SET_REGS, &r) != 0 ||
	    ioctl(vm->cpu[i], KVM_SET_MSRS, &msr) != 1)
		die("registers of a vCPU");
}

static void
vm_make_whole(struct vm *vm)
{
	int i;

	vm_make(vm);
	for (i = 0; i < NCPU; i++)
		cpu_make(vm, i);
}

static void
debug(struct vm *vm, int i, uint32_t control)
{
	struct kvm_guest_debug d = { .control = control };

	if (ioctl(vm->cpu[i], KVM_SET_GUEST_DEBUG, &d) != 0)
		die("KVM_SET_GUEST_DEBUG");
}

/* To the guest's `out`. */
static void
cpu_run(struct vm *vm, int i)
{
	const uint32_t ours = KVM_GUESTDBG_ENABLE | KVM_GUESTDBG_USE_SW_BP;
	struct kvm_run *run = vm->run[i];
	uint64_t pc;

	for (;;) {
		if (ioctl(vm->cpu[i], KVM_RUN, 0) != 0)
			die("KVM_RUN");
		if (run->exit_reason != KVM_EXIT_DEBUG)
			break;
		pc = run->debug.arch.pc;
		if (run->debug.arch.exception != 3 ||
		    (pc != address(own0) && pc != address(own1))) {
			wrong("a debug exit of exception %u at guest+0x%llx",
			      run->debug.arch.exception, (unsigned long long)(pc - BASE - CODE));
			return;
		}
		vm->debug_exits++;
		debug(vm, i, ours | KVM_GUESTDBG_INJECT_BP);
	}
	if (ioctl(vm->cpu[i], KVM_GET_REGS, &vm->regs[i]) != 0)
		die("KVM_GET_REGS");
	if (run->exit_reason != KVM_EXIT_IO || run->io.port != 0x10)
		wrong("vCPU %d ended with exit %u at guest+0x%llx", i, run->exit_reason,
		      (unsigned long long)(vm->regs[i].rip - BASE - CODE));
}

static void
vm_end(struct vm *vm)
{
	int i, len = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);

	for (i = 0; i < NCPU; i++) {
		munmap(vm->run[i], (size_t)len);
		close(vm->cpu[i]);
	}
	close(vm->fd);
	munmap(vm->ram, RAM);
}

/* Is it as it is after a run that nobody looked at? */
static void
same_end(const char *what, const struct vm *vm, const struct vm *untraced)
{
	size_t at;
	int i;

	for (at = 0; at < RAM && vm->ram[at] == untraced->ram[at]; at++)
		;
	if (at < RAM)
		wrong("%s: memory differs at 0x%zx: %02x, not %02x", what, at, vm->ram[at],
		      untraced->ram[at]);
	for (i = 0; i < NCPU; i++)
		if (memcmp(&vm->regs[i], &untraced->regs[i], sizeof(vm->regs[i])) != 0)
			wrong("%s: registers of vCPU %d differ", what, i);
}

static void
same_text(const char *what, const struct vm *vm)
{
	if (memcmp(vm->ram + CODE, guest, (size_t)(guest_end - guest)) != 0)
		wrong("%s: the guest's text has changed", what);
}

/* The untraced run itself: 3 breakpoints a round, which return behind themselves. */
static void
check_untraced(const struct vm *vm)
{
	uint64_t sum = rounds * (address(own1) + address(own2) + address(own3)), word[5];
	int i;

	for (i = 0; i < NCPU; i++) {
		memcpy(word, vm->ram + DATA + 0x100 * i, sizeof(word));
		if (word[3] != sum || word[4] != 3 * rounds)
			wrong("untraced: vCPU %d has handled %llu breakpoints, which returned to a "
			      "sum of 0x%llx, not 0x%llx", i, (unsigned long long)word[4],
			      (unsigned long long)word[3], (unsigned long long)sum);
	}
}

/* --- the program: one ECB for each site, and all of the registers at one */

static struct dv_progb b;

#define PUSH(vec, x)						\
	do {							\
		if (dv_vec_push(&b.vec, x) != 0)		\
			die("the program");			\
	} while (0)

static uint32_t
variable(uint32_t id)
{
	struct dv_difo d = { .text = (uint32_t)b.text.n, .ntext = 2 };

	PUSH(text, DIF_INSTR_WIDE(DIF_OP_LDGS, id, 1));
	PUSH(text, DIF_INSTR_FMT(DIF_OP_RET, 0, 0, 1));
	PUSH(difos, d);
	return (uint32_t)b.difos.n - 1;
}

#define NARG	10

static void *
program(size_t *len)
{
	static const struct dv_loc args[NARG] = {
		{ .kind = DV_LOC_REG, .reg = DV_REG_RDI },
		{ .kind = DV_LOC_MEM, .reg = DV_REG_R12, .size = 8 },
		{ .kind = DV_LOC_REG, .reg = DV_REG_CR3 },
		{ .kind = DV_LOC_REG, .reg = DV_REG_CS },
		{ .kind = DV_LOC_REG, .reg = DV_REG_GS_BASE },
		{ .kind = DV_LOC_REG, .reg = DV_REG_KERNEL_GS_BASE },
		{ .kind = DV_LOC_REG, .reg = DV_REG_FS_BASE },
		{ .kind = DV_LOC_REG, .reg = DV_REG_RSP },
		{ .kind = DV_LOC_REG, .reg = DV_REG_RIP },
		{ .kind = DV_LOC_REG, .reg = DV_REG_RFLAGS }
	};
	struct dv_clause empty = { .pred = DV_NONE, .flags = DV_CL_NOREC };
	struct dv_clause all = { .pred = DV_NONE, .act = 0, .nact = NARG, .record_size = 8 * NARG };
	struct dv_argset set;
	struct dv_err err;
	void *blob;
	uint32_t i;

	if (dv_progb_init(&b) != 0)
		die("the program");
	b.opts[DV_OPT_BUFSIZE] = 1 << 20;
	b.opts[DV_OPT_AGGSIZE] = 65536;
	b.layout = (struct dv_layout){ .present = 1, .pt_levels = 4, .kernel_root = ROOT };
	memcpy(set.arg, args, sizeof(args));
	PUSH(argsets, set);
	PUSH(clauses, empty);
	PUSH(clauses, all);
	for (i = 0; i < NARG; i++) {
		struct dv_act a = {
			.kind = DV_ACT_TRACE, .difo = variable(DIF_VAR_ARG0 + i),
			.rec_off = 8 * i, .rec = { .kind = DV_T_INT, .size = 8 }
		};

		PUSH(acts, a);
	}
	for (i = 0; i < NSITE; i++) {
		struct dv_probe p = { .name = dv_progb_str(&b, "site"), .id = i + 1 };
		struct dv_ecbdesc e = { i, i == WATCHED };
		struct dv_rule r = { .kind = DV_RULE_FIRE, .guard = DV_NONE, .raw = DV_NONE, .probe = i };
		struct dv_site s = {
			.addr = address(sites[i]), .rule = i, .nrule = 1,
			.nbytes = (uint32_t)(guest_end - sites[i])
		};

		if (s.nbytes > sizeof(s.bytes))
			s.nbytes = sizeof(s.bytes);
		memcpy(s.bytes, sites[i], s.nbytes);
		PUSH(probes, p);
		PUSH(ecbs, e);
		PUSH(rules, r);
		PUSH(sites, s);
	}
	if (dv_progb_finish(&b, &err, &blob, len) != 0)
		die("the program");
	dv_progb_fini(&b);
	return blob;
}

/* --- the user of the device */

struct trace {
	int fd;
	uint8_t *shared;
	size_t shared_len;
	bool over;			/* atomic: no more heartbeats */
	pthread_t heart;
};

static size_t
call(struct trace *t, unsigned type, const void *body, size_t len, void *answer, size_t room)
{
	char why[256];
	struct dv_kvm_call c = {
		.hdr = { DV_CTL_MAGIC, (uint16_t)type, 0, 1, (uint32_t)len },
		.body = (uintptr_t)body, .answer = (uintptr_t)why, .answer_room = sizeof(why)
	};

	if (room > sizeof(why))
		die("an answer");
	if (ioctl(t->fd, DV_KVM_CALL, &c) != 0)
		die("DV_KVM_CALL");
	if (c.hdr.status != DV_CTL_OK) {
		fprintf(stderr, "tiny: message %u: status %u: %.*s\n", type, c.hdr.status,
			(int)c.hdr.len, why);
		exit(1);
	}
	if (c.hdr.len != room)
		die("the length of an answer");
	memcpy(answer, why, room);
	return room;
}

static void *
beat(void *arg)
{
	struct trace *t = arg;
	struct dv_ctl_pong pong;

	while (!__atomic_load_n(&t->over, __ATOMIC_ACQUIRE)) {
		call(t, DV_CTL_PING, NULL, 0, &pong, sizeof(pong));
		usleep(100000);
	}
	return NULL;
}

static void
trace_go(struct trace *t, const struct vm *vm)
{
	struct dv_kvm_attach a = { .version = DV_CTL_VERSION, .vm_fd = vm->fd };
	const struct dv_ctl_go go = { 0 };
	struct dv_ctl_loaded loaded;
	struct dv_status status;
	void *blob;
	size_t len, i;

	memset(t, 0, sizeof(*t));
	t->fd = open(DV_KVM_DEVICE, O_RDWR | O_CLOEXEC);
	if (t->fd < 0)
		die(DV_KVM_DEVICE);
	if (ioctl(t->fd, DV_KVM_ATTACH, &a) != 0) {
		fprintf(stderr, "tiny: %s\n", a.why);
		exit(1);
	}
	/* nothing was asked before: GO itself finds the VM's memory */
	blob = program(&len);
	call(t, DV_CTL_LOAD, blob, len, &loaded, sizeof(loaded));
	free(blob);
	t->shared_len = loaded.shared_len;
	t->shared = mmap(NULL, t->shared_len, PROT_READ, MAP_SHARED, t->fd, 0);
	if (t->shared == MAP_FAILED)
		die("mmap of the buffers");
	call(t, DV_CTL_GO, &go, sizeof(go), NULL, 0);
	call(t, DV_CTL_STATUS, NULL, 0, &status, sizeof(status));
	if (status.stale_sites != 0)
		wrong("%u sites have no trap", status.stale_sites);
	for (i = 0; i < NSITE; i++)
		if (vm->ram[CODE + (size_t)(sites[i] - guest)] != 0xcc)
			wrong("site %zu has no trap", i);
	if (pthread_create(&t->heart, NULL, beat, t) != 0)
		die("a thread");
}

static void
check_counts(struct trace *t)
{
	const uint64_t want = NCPU * rounds;
	struct dv_account a;
	uint32_t ecb[2];
	size_t i;

	for (i = 0; i < NSITE; i++) {
		ecb[0] = (uint32_t)i;
		ecb[1] = 0;
		call(t, DV_CTL_ACCOUNT, ecb, sizeof(ecb), &a, sizeof(a));
		if (a.fired != want || (i == WATCHED ? a.recorded : a.norecord) != want)
			wrong("site %zu: fired %llu, recorded %llu, without a record %llu; not %llu", i,
			      (unsigned long long)a.fired, (unsigned long long)a.recorded,
			      (unsigned long long)a.norecord, (unsigned long long)want);
	}
}

/* Each round's registers, as the site's instruction finds them. */
static void
check_records(struct trace *t, uint32_t cpu)
{
	static const char *const name[NARG] = {
		"rdi", "memory", "cr3", "cs", "gs base", "kernel gs base", "fs base", "rsp", "rip", "rflags"
	};
	const struct dv_ctl_snapreq q = { cpu, DV_BUF_PRINCIPAL };
	const size_t size = sizeof(struct dv_rec) + 8 * NARG;
	uint64_t want[NARG] = {
		0, 0, ROOT, 8, GS_BASE, KERNEL_GS_BASE, FS_BASE,
		BASE + STACK + 0x1000 * (cpu + 1), address(sites[WATCHED]), 2
	};
	struct dv_snap snap;
	uint64_t round, got[NARG];
	struct dv_rec rec;
	unsigned i;

	call(t, DV_CTL_SNAP, &q, sizeof(q), &snap, sizeof(snap));
	if (snap.len != rounds * size || snap.off + snap.len > t->shared_len) {
		wrong("vCPU %u: %llu bytes of records, not %llu", cpu, (unsigned long long)snap.len,
		      (unsigned long long)(rounds * size));
		return;
	}
	for (round = 0; round < rounds; round++) {
		const uint8_t *p = t->shared + snap.off + round * size;

		memcpy(&rec, p, sizeof(rec));
		memcpy(got, p + sizeof(rec), sizeof(got));
		if (rec.epid != WATCHED + 1)
			wrong("a record of EPID %u", rec.epid);
		/* of flags only the carry of the loop's comparison, and none that is not one */
		got[9] &= ~0xd4ull;
		for (i = 0; i < NARG; i++)
			if (got[i] != want[i]) {
				wrong("vCPU %u, round %llu: %s is 0x%llx, not 0x%llx", cpu,
				      (unsigned long long)round, name[i], (unsigned long long)got[i],
				      (unsigned long long)want[i]);
				return;
			}
		want[0]++;
		want[1] += 3 * round + 3;
		want[9] = 3;
	}
}

static void
trace_end(struct trace *t, bool stop)
{
	__atomic_store_n(&t->over, true, __ATOMIC_RELEASE);
	pthread_join(t->heart, NULL);
	if (stop)
		call(t, DV_CTL_STOP, NULL, 0, NULL, 0);
	munmap(t->shared, t->shared_len);
	close(t->fd);
}

/* --- the runs */

static void
run_traced(const struct vm *untraced)
{
	struct trace t;
	struct vm vm;

	vm_make(&vm);
	cpu_make(&vm, 0);
	trace_go(&t, &vm);
	cpu_run(&vm, 0);
	cpu_make(&vm, 1);
	cpu_run(&vm, 1);
	check_counts(&t);
	check_records(&t, 0);
	check_records(&t, 1);
	trace_end(&t, true);
	same_text("traced", &vm);
	same_end("traced", &vm, untraced);
	vm_end(&vm);
}

/* A debugger from the start, and one that comes later. */
static void
run_debugged(const struct vm *untraced)
{
	const uint32_t on = KVM_GUESTDBG_ENABLE | KVM_GUESTDBG_USE_SW_BP;
	struct trace t;
	struct vm vm;

	vm_make_whole(&vm);
	debug(&vm, 0, on);
	trace_go(&t, &vm);
	cpu_run(&vm, 0);
	debug(&vm, 1, on);
	cpu_run(&vm, 1);
	if (vm.debug_exits != NCPU * 2 * rounds)
		wrong("debugged: %u debug exits, not %llu", vm.debug_exits,
		      (unsigned long long)(NCPU * 2 * rounds));
	check_counts(&t);
	trace_end(&t, true);
	same_text("debugged", &vm);
	same_end("debugged", &vm, untraced);
	vm_end(&vm);
}

static void
run_let_go(const struct vm *untraced)
{
	struct trace t;
	struct vm vm;

	vm_make_whole(&vm);
	trace_go(&t, &vm);
	cpu_run(&vm, 0);
	trace_end(&t, false);
	same_text("let go", &vm);
	cpu_run(&vm, 1);
	same_end("let go", &vm, untraced);
	vm_end(&vm);
}

int
main(int argc, char **argv)
{
	struct vm untraced;
	int i;

	if (argc != 2 || (rounds = strtoull(argv[1], NULL, 0)) == 0 || rounds > 4000) {
		fputs("usage: tiny ROUNDS (1..4000)\n", stderr);
		return 2;
	}
	kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (kvm < 0)
		die("/dev/kvm");
	vm_make(&untraced);
	for (i = 0; i < NCPU; i++) {
		cpu_make(&untraced, i);
		cpu_run(&untraced, i);
	}
	check_untraced(&untraced);
	for (i = 0; i < 3 && !bad; i++)
		(i == 0 ? run_traced : i == 1 ? run_debugged : run_let_go)(&untraced);
	vm_end(&untraced);
	if (!bad)
		printf("tiny: %zu sites, %d vCPUs, %llu rounds: all as it should be\n", NSITE, NCPU,
		       (unsigned long long)rounds);
	return bad;
}
