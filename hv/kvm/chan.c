/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chan.c - the device, and the service thread behind each open file.
 *
 * A call is copied from user space once, checked, and handed to the file's service
 * thread, which answers it; the caller waits, copies the answer out, and knows
 * nothing of guests. The thread is what calls of one file are serialised by; between
 * them it runs the program's timers, and looks whether the consumer is still
 * there. It ends with the file, and the program with it.
 *
 * Who may open the device is the device node's mode. A caller is trusted to be
 * allowed to trace VMs whose file descriptors it holds, and for nothing else.
 *
 * The shared region is mapped read-only; `map_lock` keeps it while it is being
 * mapped, after that its pages live as long as the mapping.
 */
#include "kvm/kvm.h"

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#define WAIT_POLL_NS	5000000ull
#define WAIT_MAX_NS	500000000ull	/* of a client whose program is loaded */
#define SLACK_NS	20000ull
#define BUSY_NS		(10 * DV_CTL_DEAD_NS)	/* silence of one that gets no processor */

struct req {
	struct dv_ctl_hdr hdr;
	void *body;			/* vmalloc'ed; LOAD's is taken */
	void *answer;
	u32 room;			/* of answer */
	struct completion done;
};

struct file_ctx {
	struct mutex lock;		/* calls */
	struct dv_vm *vm;		/* lock */
	struct task_struct *thread;
	struct req *req;		/* the one to serve next; atomic */
	u64 heard;			/* when it last said something; atomic */
	struct pid *tgid;		/* who bound it; constant then */
	u32 loaded;			/* atomic */
	u32 pid;

	struct dv_kprog *prog;		/* service thread */

	struct mutex map_lock;
	void *shared;
	size_t shared_len;
};

/* --- answers; service thread */

static void
done(struct req *r, const void *body, size_t len)
{
	r->hdr.status = DV_CTL_OK;
	r->hdr.len = len;
	if (len != 0)
		memcpy(r->answer, body, len);
}

static void
refuse(struct req *r, enum dv_ctl_status status, const struct dv_reason *why)
{
	size_t len = min_t(size_t, strlen(why->text), r->room);

	r->hdr.status = status;
	r->hdr.len = len;
	memcpy(r->answer, why->text, len);
}

__printf(3, 4)
static void
refuse_text(struct req *r, enum dv_ctl_status status, const char *fmt, ...)
{
	struct dv_reason why;
	va_list ap;

	va_start(ap, fmt);
	vscnprintf(why.text, sizeof(why.text), fmt, ap);
	va_end(ap);
	refuse(r, status, &why);
}

static void
req_read(struct file_ctx *f, struct req *r)
{
	const struct dv_ctl_read *q = r->body;
	int rc = dv_mem_update(f->vm);

	if (rc == 0)
		rc = dv_trap_read(f->vm, q->gpa, r->answer, q->len);
	if (rc == -EAGAIN) {
		refuse_text(r, DV_CTL_EBUSY, "other traces begin and end too fast");
		return;
	}
	if (rc != 0) {
		refuse_text(r, DV_CTL_EGUEST, "guest-physical 0x%llx+0x%llx is not RAM",
			    q->gpa, q->len);
		return;
	}
	r->hdr.status = DV_CTL_OK;
	r->hdr.len = q->len;
}

static void
req_load(struct file_ctx *f, struct req *r)
{
	struct dv_ctl_loaded l = { };
	struct dv_reason why = { "" };
	enum dv_ctl_status status;

	if (f->prog != NULL) {
		refuse_text(r, DV_CTL_EBUSY, "this file has a program loaded");
		return;
	}
	status = dv_kprog_load(f->vm, r->body, r->hdr.len, f->pid, &f->prog, &l, &why);
	if (status != DV_CTL_OK) {
		refuse(r, status, &why);
		return;
	}
	r->body = NULL;			/* the program's now */
	mutex_lock(&f->map_lock);
	f->shared = dv_kprog_shared(f->prog, &f->shared_len);
	mutex_unlock(&f->map_lock);
	dv_store32(&f->loaded, 1);
	done(r, &l, sizeof(l));
}

static void
unload(struct file_ctx *f)
{
	if (f->prog == NULL)
		return;
	mutex_lock(&f->map_lock);
	f->shared = NULL;
	mutex_unlock(&f->map_lock);
	dv_kprog_unload(f->prog);
	f->prog = NULL;
	dv_store32(&f->loaded, 0);
}

static void
req_go(struct file_ctx *f, struct req *r)
{
	const struct dv_ctl_go *g = r->body;
	struct dv_reason why = { "" };
	enum dv_ctl_status status = dv_kprog_go(f->prog, g->generation, &why);

	if (status != DV_CTL_OK)
		refuse(r, status, &why);
	else
		done(r, NULL, 0);
}

static void
req_snap(struct file_ctx *f, struct req *r)
{
	const struct dv_ctl_snapreq *q = r->body;
	struct dv_snap s = { };

	if (dv_kprog_snap(f->prog, q->cpu, q->which, &s) != 0)
		refuse_text(r, DV_CTL_EREFUSED, "there is no buffer %u of CPU %u",
			    q->which, q->cpu);
	else
		done(r, &s, sizeof(s));
}

static void
req_account(struct file_ctx *f, struct req *r)
{
	const u32 *ecb = r->body;
	struct dv_account a = { };

	if (dv_kprog_account(f->prog, *ecb, &a) != 0)
		refuse_text(r, DV_CTL_EREFUSED, "there is no enabling %u", *ecb);
	else
		done(r, &a, sizeof(a));
}

/* Of a file that has a program loaded. */
static void
serve_loaded(struct file_ctx *f, struct req *r)
{
	struct dv_status status = { };

	switch (r->hdr.type) {
	case DV_CTL_GO:
		req_go(f, r);
		break;
	case DV_CTL_STOP:
		dv_kprog_stop(f->prog);
		done(r, NULL, 0);
		break;
	case DV_CTL_SNAP:
		req_snap(f, r);
		break;
	case DV_CTL_STATUS:
		dv_kprog_status(f->prog, &status);
		done(r, &status, sizeof(status));
		break;
	case DV_CTL_ACCOUNT:
		req_account(f, r);
		break;
	default:
		unload(f);
		done(r, NULL, 0);
	}
}

static void
serve(struct file_ctx *f, struct req *r)
{
	struct dv_ctl_pong pong = { };
	struct dv_ctl_info *info;

	switch (r->hdr.type) {
	case DV_CTL_INFO:
		info = r->answer;
		memset(info, 0, sizeof(*info));
		dv_vm_info(f->vm, info);
		r->hdr.status = DV_CTL_OK;
		r->hdr.len = sizeof(*info);
		break;
	case DV_CTL_READ:
		req_read(f, r);
		break;
	case DV_CTL_PING:
		pong.generation = dv_load64(&f->vm->generation);
		smp_rmb();		/* why it grew is known before it does */
		pong.state = dv_vm_state(f->vm);
		done(r, &pong, sizeof(pong));
		break;
	case DV_CTL_CONT:
	case DV_CTL_RESUME:
		refuse_text(r, DV_CTL_EREFUSED, "the kernel module does not pause or resume VMs; "
			    "over QEMU's monitor, or with virsh resume, that can be done");
		break;
	case DV_CTL_LOAD:
		req_load(f, r);
		break;
	default:
		if (f->prog == NULL)
			refuse_text(r, DV_CTL_EREFUSED, "no program is loaded");
		else
			serve_loaded(f, r);
	}
}

/* --- the service thread */

static void
in_vm(struct file_ctx *f, struct req *r, u64 now)
{
	bool in = dv_vm_enter(f->vm);

	if (r != NULL)
		serve(f, r);
	else
		dv_kprog_poll(f->prog, now);
	if (in)
		dv_vm_leave(f->vm);
}

static void
end_program(struct file_ctx *f)
{
	bool in = dv_vm_enter(f->vm);

	unload(f);
	if (in)
		dv_vm_leave(f->vm);
}

/*
 * Would the consumer speak if it got a processor, or its memory? Then it is the host that
 * is busy. One that is stopped, gone or asleep is silent.
 */
static bool
is_held_up(const struct file_ctx *f)
{
	struct task_struct *leader, *t;
	bool held = false;
	unsigned state;

	rcu_read_lock();
	leader = pid_task(f->tgid, PIDTYPE_TGID);
	if (leader != NULL) {
		for_each_thread(leader, t) {
			state = READ_ONCE(t->__state);
			held |= (state == TASK_RUNNING || (state & TASK_UNINTERRUPTIBLE) != 0) &&
				(t->flags & PF_EXITING) == 0;
		}
	}
	rcu_read_unlock();
	return held;
}

/* When the consumer is given up, as things are now. */
static u64
dead_at(const struct file_ctx *f, u64 now)
{
	u64 at = dv_load64(&f->heard) + DV_CTL_DEAD_NS;

	if (now < at || now >= at - DV_CTL_DEAD_NS + BUSY_NS || !is_held_up(f))
		return at;
	return now + WAIT_POLL_NS;	/* look again */
}

static int
service(void *arg)
{
	struct file_ctx *f = arg;

	for (;;) {
		u64 now, when = ~0ull, dead = ~0ull;
		struct req *r;
		ktime_t t;

		set_current_state(TASK_INTERRUPTIBLE);
		r = xchg(&f->req, NULL);
		if (r != NULL) {
			__set_current_state(TASK_RUNNING);
			in_vm(f, r, 0);
			/* what took us long is not the client's silence */
			dv_store64(&f->heard, ktime_get_ns());
			complete(&r->done);
			continue;
		}
		if (kthread_should_stop())
			break;
		now = ktime_get_ns();
		if (f->prog != NULL) {
			dead = dead_at(f, now);
			when = dv_kprog_due(f->prog);
		}
		if (now >= dead) {
			__set_current_state(TASK_RUNNING);
			end_program(f);
		} else if (now >= when) {
			__set_current_state(TASK_RUNNING);
			in_vm(f, NULL, now);
			cond_resched();
		} else if (f->prog == NULL) {
			schedule();
		} else {
			t = ns_to_ktime(min(when, dead));
			schedule_hrtimeout_range(&t, SLACK_NS, HRTIMER_MODE_ABS);
		}
	}
	__set_current_state(TASK_RUNNING);
	end_program(f);
	return 0;
}

/* --- calls; the caller's thread */

/* Length that a body must have, or -1: of no such type; and of the answer. */
static s64
body_len(u32 type)
{
	switch (type) {
	case DV_CTL_INFO:
	case DV_CTL_STOP:
	case DV_CTL_STATUS:
	case DV_CTL_PING:
	case DV_CTL_UNLOAD:
	case DV_CTL_RESUME:
	case DV_CTL_CONT:
		return 0;
	case DV_CTL_READ:
		return sizeof(struct dv_ctl_read);
	case DV_CTL_GO:
		return sizeof(struct dv_ctl_go);
	case DV_CTL_SNAP:
		return sizeof(struct dv_ctl_snapreq);
	case DV_CTL_ACCOUNT:
		return 8;
	case DV_CTL_WAIT:
		return sizeof(struct dv_ctl_wait);
	default:
		return -1;
	}
}

static u64
answer_len(const struct req *r)
{
	switch (r->hdr.type) {
	case DV_CTL_INFO:
		return sizeof(struct dv_ctl_info);
	case DV_CTL_READ:
		return ((const struct dv_ctl_read *)r->body)->len;
	case DV_CTL_LOAD:
		return sizeof(struct dv_ctl_loaded);
	case DV_CTL_SNAP:
		return sizeof(struct dv_snap);
	case DV_CTL_STATUS:
		return sizeof(struct dv_status);
	case DV_CTL_ACCOUNT:
		return sizeof(struct dv_account);
	case DV_CTL_PING:
		return sizeof(struct dv_ctl_pong);
	default:
		return 0;
	}
}

/* Polls: the state of a VM is nobody's event. f->lock held. */
static int
call_wait(struct file_ctx *f, struct req *r)
{
	const struct dv_ctl_wait *w = r->body;
	u64 ns = w->timeout_ns, end;
	ktime_t t;

	if (dv_load32(&f->loaded) != 0)
		ns = min_t(u64, ns, WAIT_MAX_NS);
	end = ktime_get_ns() + ns;
	if (end < ns)
		end = ~0ull;
	r->hdr.len = 0;
	while ((dv_vm_state(f->vm) & w->state) != w->state) {
		if (ktime_get_ns() >= end) {
			r->hdr.status = DV_CTL_TIMEOUT;
			return 0;
		}
		t = ns_to_ktime(WAIT_POLL_NS);
		set_current_state(TASK_INTERRUPTIBLE);
		schedule_hrtimeout_range(&t, WAIT_POLL_NS / 10, HRTIMER_MODE_REL);
		if (signal_pending(current))
			return -EINTR;
	}
	r->hdr.status = DV_CTL_OK;
	return 0;
}

static int
call_serve(struct file_ctx *f, struct req *r)
{
	int rc = 0;

	if (mutex_lock_interruptible(&f->lock) != 0)
		return -EINTR;
	dv_store64(&f->heard, ktime_get_ns());
	if (f->vm == NULL) {
		rc = -EINVAL;
	} else if (r->hdr.type == DV_CTL_WAIT) {
		rc = call_wait(f, r);
	} else {
		init_completion(&r->done);
		xchg(&f->req, r);
		wake_up_process(f->thread);
		wait_for_completion(&r->done);
	}
	dv_store64(&f->heard, ktime_get_ns());
	mutex_unlock(&f->lock);
	return rc;
}

static long
call(struct file_ctx *f, struct dv_kvm_call __user *u)
{
	struct dv_kvm_call c;
	struct req r = { };
	long rc = -EINVAL;
	u64 need;
	s64 len;

	if (copy_from_user(&c, u, sizeof(c)) != 0)
		return -EFAULT;
	len = c.hdr.type == DV_CTL_LOAD ? c.hdr.len : body_len(c.hdr.type);
	if (c.hdr.magic != DV_CTL_MAGIC || c.pad != 0 || c.hdr.len != len ||
	    c.hdr.len > DV_CTL_MAXLEN || (c.hdr.type == DV_CTL_LOAD && len == 0))
		return -EINVAL;
	r.hdr = c.hdr;
	/* zeroed, and not smaller than what any request looks at */
	r.body = __vmalloc(max_t(size_t, c.hdr.len, 64), GFP_KERNEL_ACCOUNT | __GFP_ZERO |
			   __GFP_NOWARN);
	if (r.body == NULL)
		return -ENOMEM;
	if (copy_from_user(r.body, u64_to_user_ptr(c.body), c.hdr.len) != 0) {
		rc = -EFAULT;
		goto out;
	}
	need = answer_len(&r);
	if (need > DV_CTL_MAXREAD || need > c.answer_room)
		goto out;
	r.room = clamp_t(u32, c.answer_room, need, max_t(u32, need, sizeof(struct dv_reason)));
	r.answer = kvzalloc(max_t(u32, r.room, 1), GFP_KERNEL_ACCOUNT);
	if (r.answer == NULL) {
		rc = -ENOMEM;
		goto out;
	}
	rc = call_serve(f, &r);
	if (rc != 0)
		goto out;
	c.hdr.status = r.hdr.status;
	c.hdr.len = r.hdr.len;
	if (copy_to_user(u64_to_user_ptr(c.answer), r.answer, r.hdr.len) != 0 ||
	    copy_to_user(&u->hdr, &c.hdr, sizeof(c.hdr)) != 0)
		rc = -EFAULT;
out:
	vfree(r.body);
	kvfree(r.answer);
	return rc;
}

static int
bind(struct file_ctx *f, const struct dv_kvm_attach *a, u32 *version, struct dv_reason *why)
{
	struct task_struct *thread;
	struct dv_vm *vm;
	int rc;

	if (a->version != DV_CTL_VERSION) {
		*version = DV_CTL_VERSION;
		return dv_vm_refuse(why, -EPROTO, "the kernel module speaks version %u of the "
				    "protocol, not %u", DV_CTL_VERSION, a->version);
	}
	if (a->flags != 0)
		return dv_vm_refuse(why, -EINVAL, "unknown flags 0x%llx", a->flags);
	if (f->vm != NULL)
		return dv_vm_refuse(why, -EBUSY, "this file is bound to a VM already");
	rc = dv_vm_get(a->vm_fd, &vm, why);
	if (rc != 0)
		return rc;
	f->pid = task_tgid_nr(current);
	f->tgid = get_pid(task_tgid(current));
	f->vm = vm;
	thread = kthread_create(service, f, "dvisor/%u", f->pid);
	if (IS_ERR(thread)) {
		f->vm = NULL;
		put_pid(f->tgid);
		f->tgid = NULL;
		dv_vm_put(vm);
		return dv_vm_refuse(why, PTR_ERR(thread), "no thread could be made");
	}
	f->thread = thread;
	wake_up_process(thread);
	return 0;
}

static long
attach(struct file_ctx *f, struct dv_kvm_attach __user *u)
{
	struct dv_reason why = { "" };
	struct dv_kvm_attach a;
	long rc;

	if (copy_from_user(&a, u, sizeof(a)) != 0)
		return -EFAULT;
	if (mutex_lock_interruptible(&f->lock) != 0)
		return -EINTR;
	rc = bind(f, &a, &a.version, &why);
	mutex_unlock(&f->lock);
	strscpy(a.why, why.text, sizeof(a.why));
	if (rc != 0 && copy_to_user(u, &a, sizeof(a)) != 0)
		return -EFAULT;
	return rc;
}

static long
chan_ioctl(struct file *file, unsigned cmd, unsigned long arg)
{
	struct file_ctx *f = file->private_data;

	switch (cmd) {
	case DV_KVM_ATTACH:
		return attach(f, (void __user *)arg);
	case DV_KVM_CALL:
		return call(f, (void __user *)arg);
	default:
		return -ENOTTY;
	}
}

static int
chan_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct file_ctx *f = file->private_data;
	int rc = -EINVAL;

	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	dv_vma_never_write(vma);
	mutex_lock(&f->map_lock);
	if (f->shared != NULL && vma->vm_pgoff == 0 &&
	    vma->vm_end - vma->vm_start == f->shared_len)
		rc = remap_vmalloc_range(vma, f->shared, 0);
	mutex_unlock(&f->map_lock);
	return rc;
}

static int
chan_open(struct inode *inode, struct file *file)
{
	struct file_ctx *f = kzalloc(sizeof(*f), GFP_KERNEL_ACCOUNT);

	if (f == NULL)
		return -ENOMEM;
	mutex_init(&f->lock);
	mutex_init(&f->map_lock);
	file->private_data = f;
	return 0;
}

static int
chan_release(struct inode *inode, struct file *file)
{
	struct file_ctx *f = file->private_data;

	if (f->thread != NULL)
		kthread_stop(f->thread);
	dv_vm_put(f->vm);
	put_pid(f->tgid);
	kfree(f);
	return 0;
}

static const struct file_operations chan_fops = {
	.owner = THIS_MODULE, .open = chan_open, .release = chan_release,
	.unlocked_ioctl = chan_ioctl, .mmap = chan_mmap
};

static struct miscdevice chan_dev = {
	.minor = MISC_DYNAMIC_MINOR, .name = "dvisor", .fops = &chan_fops, .mode = 0660
};

int
dv_chan_init(void)
{
	return misc_register(&chan_dev);
}

void
dv_chan_exit(void)
{
	misc_deregister(&chan_dev);
}
