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
	    pid=$!; rm /tmp/p/gone; sleep 60 | sleep 60 & sleep 1
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
