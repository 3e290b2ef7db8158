# SPDX-License-Identifier: GPL-2.0-or-later
# 45-subr.sh - subroutines that look at the guest's own structures.

# The guest's kernel names the same file in the same call: whatever it says,
# d_path() says, too. Deleted files, pipes, sockets, other mounts, a bind mount,
# namespaces, and a process with a root of its own.
test_d_path_equals_the_kernels()
{
	guest_run g 'mkdir -p /tmp/p/a/b /tmp/p/bound /tmp/jail/bin /tmp/jail/proc
	    echo x >/tmp/p/a/b/file; echo x >/tmp/p/gone
	    mount --bind /tmp/p/a /tmp/p/bound; mount -t proc proc /tmp/jail/proc
	    cp /bin/busybox /tmp/jail/bin/busybox' || return 1
	trace_start -x strsize=512 -qn 'BEGIN { printf("ready\n"); }
	    fbt::d_path:entry { self->p = d_path(args[0]); self->in = 1;
		/* such a name comes from a function that is jumped to */
		self->far = args[0]->dentry->d_op != NULL &&
		    args[0]->dentry->d_op->d_dname != NULL &&
		    args[0]->dentry != args[0]->dentry->d_parent ||
		    args[0]->dentry->d_op != NULL &&
		    args[0]->dentry->d_op->d_dname != NULL &&
		    args[0]->dentry != args[0]->mnt->mnt_root; }
	    fbt::d_path:return /self->in && !self->far && arg1 < -4095/ {
		this->k = stringof((char *)arg1);
		printf("%s %s %s\n", self->p == this->k ? "same" : "differs", self->p, this->k);
		self->in = 0; self->p = 0; }
	    fbt::dynamic_dname:return, fbt::simple_dname:return /self->in && self->far && arg1 < -4095/ {
		this->k = stringof((char *)arg1);
		printf("%s %s %s\n", self->p == this->k ? "same" : "differs", self->p, this->k);
		self->in = 0; self->p = 0; }' || return 1
	guest_run g 'sleep 60 3</tmp/p/a/b/file 4</tmp/p/bound/b/file 5</tmp/p/gone 6</proc/uptime \
		7</proc/self/ns/net 8</ 9</tmp/p/a/b &
	    pid=$!; until [ -e /proc/$pid/fd/9 ]; do sleep 1; done
	    rm /tmp/p/gone; sleep 60 | sleep 60 & sleep 1
	    ls -l /proc/*/fd /proc/*/ns /proc/*/exe /proc/*/cwd >/dev/null 2>&1
	    cd /tmp/p/bound/b; ls -l /proc/self/cwd /proc/self/fd >/dev/null
	    chroot /tmp/jail /bin/busybox ls -l /proc/1/exe /proc/self/exe /proc/self/fd
	    cd /; kill $pid; cat /proc/self/maps >/dev/null' >"$tmp/guest.out" || return 1
	trace_stop
	no_drops || return 1
	! grep '^differs' "$tmp/trace.out" >&2 || fail "d_path() differs from the kernel" || return 1
	for want in /tmp/p/a/b/file /tmp/p/bound/b/file '/tmp/p/gone (deleted)' /proc/uptime \
	    'net:\[[0-9]*\]' / /tmp/p/a/b 'pipe:\[[0-9]*\]' /bin/busybox /tmp/p/bound/b; do
		grep -qx "same \($want\) \1" "$tmp/trace.out" ||
		    fail "no $want in $(sort -u "$tmp/trace.out")" || return 1
	done
	guest_run g 'umount /tmp/p/bound /tmp/jail/proc; rm -rf /tmp/p /tmp/jail' || return 1
}

# Whoever unlocks a mutex has it, and has it no more afterwards; likewise for
# rwsems and for the lock of the task list.
test_locks_are_held_by_whom_they_say()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    fbt::mutex_unlock:entry { self->m = args[0];
		@["mutex_unlock", mutex_owned(self->m), mutex_owner(self->m) == curthread,
		    mutex_type_adaptive(self->m), mutex_type_spin(self->m)] = count(); }
	    fbt::mutex_unlock:return /self->m/ {
		@["unlocked", mutex_owned(self->m), mutex_owner(self->m) == curthread, 0, 0] = count();
		self->m = 0; }
	    fbt::mutex_lock:entry { self->l = args[0];
		@["mutex_lock", mutex_owned((kmutex_t *)arg0), 0, 0, 0] = count(); }
	    fbt::mutex_lock:return /self->l/ {
		@["locked", mutex_owned(self->l), mutex_owner(self->l)->pid == tid, 0, 0] = count();
		self->l = 0; }
	    fbt::up_write:entry { @["up_write", rw_read_held(args[0]), rw_write_held(args[0]),
		rw_iswriter(args[0]), 0] = count(); }
	    fbt::up_read:entry { @["up_read", rw_read_held(args[0]), rw_write_held(args[0]),
		rw_iswriter((krwlock_t *)arg0) == 0 || args[0]->count.counter & 2, 0] = count(); }
	    fbt::up_write:entry /execname == "dvwork" && args[0] == &curthread->mm->mmap_lock/ {
		self->w = args[0]; }
	    fbt::up_write:return /self->w/ {
		@["mmap_lock free", rw_read_held(self->w), rw_write_held(self->w),
		    rw_iswriter(self->w), 0] = count(); self->w = 0; }
	    fbt::attach_pid:entry /execname == "dvwork"/ {
		this->t = (rwlock_t *)&`tasklist_lock;
		@["tasklist_lock", 0, rw_write_held(this->t), rw_iswriter(this->t), 0] = count(); }
	    fbt::__kill_pgrp_info:entry /execname == "sh"/ {
		this->t = (rwlock_t *)&`tasklist_lock;
		@["read tasklist", rw_read_held(this->t), rw_write_held(this->t), 0, 0] = count(); }
	    END { printa("%s %d %d %d %d %@d\n", @); }' || return 1
	guest_run g 'dvwork pingpong 50; dvwork forkexec 5; dvwork threads 5; cat /proc/self/maps
	    for i in 1 2 3; do kill -0 -$(cut -d" " -f5 /proc/self/stat); done' >/dev/null || return 1
	trace_stop
	no_drops || return 1
	grep . "$tmp/trace.out" | grep -v '^ready' | sort | sed 's/ [0-9]*$//' >"$tmp/got"
	cat >"$tmp/want" <<-END
	locked 1 1 0 0
	mmap_lock free 0 0 0 0
	mutex_lock 0 0 0 0
	mutex_unlock 1 1 1 0
	read tasklist 1 0 0 0
	tasklist_lock 0 1 1 0
	unlocked 0 0 0 0
	up_read 1 0 1 0
	up_write 0 1 1 0
	END
	diff "$tmp/want" "$tmp/got" || fail "locks: see above"
}

# What this kernel's spinlocks do not say is refused with the reason.
test_spinlocks_have_no_owner()
{
	dv -qn 'BEGIN { this->l = (spinlock_t *)0; printf("%d %d %d\n", mutex_type_spin(this->l),
	    mutex_type_adaptive(this->l), mutex_owner(this->l) == NULL); exit(0); }' >"$tmp/o" || return 1
	same spin "$(last "$tmp/o")" '1 0 1' || return 1
	! dv -qn 'BEGIN { trace(mutex_owned((spinlock_t *)0)); exit(0); }' 2>"$tmp/e" || return 1
	grep -q '\[D_TYPE_MEMBER\].*owner' "$tmp/e" || fail "$(cat "$tmp/e")"
	cat "$tmp/e" >&2
}

# vmname is the name that --vm takes; an option bounds the frames of ustack().
test_vmname_and_frames()
{
	dv -qn 'BEGIN { printf("%s\n", vmname); exit(0); }' >"$tmp/o" || return 1
	same vmname "$(last "$tmp/o")" "$vm" || return 1
	trace_start -x ustackframes=2 -qn 'BEGIN { printf("ready\n"); }
	    syscall::getppid:entry /execname == "dvwork"/ { ustack(); exit(0); }' || return 1
	guest_run g 'dvwork stack 2' >/dev/null || return 1
	wait $trace_pid
	same frames "$(grep -vc '^ready$\|^$' "$tmp/trace.out")" 2
}

# What a program writes and opens, taken apart; whose child it is; its device.
test_strings_of_a_program()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    syscall::write:entry /execname == "busybox" && arg0 == 1/ {
		this->s = copyinstr(arg1, arg2);
		printf("json %s %s\n", json(this->s, "a[1]"), json(this->s, "b.c"));
		this->p = (char *)copyin(arg1, 5);
		printf("copyin %s\n", memstr(this->p, 45, 5));
		this->q = alloca(8);
		copyinto(arg1 + 1, 3, this->q);
		printf("copyinto %s\n", stringof((char *)this->q));
		printf("progeny %d %d %d %d\n", progenyof(pid), progenyof(ppid), progenyof(1),
		    progenyof(4194303)); }
	    syscall::openat:entry /execname == "cat"/ { self->f = arg1; }
	    syscall::openat:return /self->f && strstr(copyinstr(self->f), "subr") != NULL/ {
		this->f = copyinstr(self->f);
		printf("path %s %s %s", basename(this->f), dirname(this->f), cleanpath(this->f));
		printf(" %s", strtok(this->f, "/"));
		printf(" %s\n", strtok(NULL, "/"));
		this->d = curthread->files->fdt->fd[arg1]->f_path.dentry->d_sb->s_dev;
		printf("dev %d\n", getmajor(this->d) << 8 | getminor(this->d)); }' || return 1
	guest_run g 'mkdir -p /tmp/subr; : >/tmp/subr/file
	    busybox echo "{\"a\": [1, \"two\"], \"b\": {\"c\": true}}"
	    cat /tmp/./subr/file; echo dev $(stat -c %d /tmp/subr/file); rm -r /tmp/subr' |
	    tr -d '\r' >"$tmp/guest.out" || return 1
	trace_stop
	no_drops || return 1
	for want in 'json two true' 'copyin {"a":' 'copyinto "a"' 'progeny 1 1 1 0' \
	    'path file /tmp/./subr /tmp/subr/file tmp .' "$(grep '^dev ' "$tmp/guest.out")"; do
		grep -qxF "$want" "$tmp/trace.out" || fail "no $want in $(cat "$tmp/trace.out")" || return 1
	done
}
