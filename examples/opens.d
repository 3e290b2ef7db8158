#!/usr/bin/env -S dvisor -s
/*
 * opens.d - which files are opened, by whom, and with what result.
 *
 * The path is read at the return: by then the kernel has read it, too, so its
 * page is in memory. RESULT is the file descriptor, or -errno.
 */
#pragma D option quiet

BEGIN
{
	printf("%-16s %7s %6s  %s\n", "PROGRAM", "PID", "RESULT", "PATH");
}

syscall::open:entry,
syscall::creat:entry
{
	self->path = arg0;
}

syscall::openat:entry,
syscall::openat2:entry
{
	self->path = arg1;
}

syscall::open:return,
syscall::creat:return,
syscall::openat:return,
syscall::openat2:return
/self->path/
{
	printf("%-16s %7d %6d  %s\n", execname, pid, (int)arg1,
	    copyinstr(self->path));
	self->path = 0;
}
