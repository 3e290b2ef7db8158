#!/usr/bin/env -S dvisor -s
/*
 * failed-opens.d - what the kernel did on the way to an open that failed.
 *
 * The path of every openat() through the kernel's vfs is recorded on trial. If
 * the call fails, its record is kept, else it is thrown away. Runs until ^C.
 */
#pragma D option quiet
#pragma D option nspec=16
#pragma D option cleanrate=1000hz

syscall::openat:entry
{
	self->trial = speculation();
	self->path = arg1;
}

fbt::*lookup*:entry,
fbt::may_open:entry
/self->trial/
{
	speculate(self->trial);
	printf("\t%s\n", probefunc);
}

syscall::openat:return
/self->trial/
{
	speculate(self->trial);
	printf("%s[%d] openat(%s): error %d\n", execname, pid,
	    copyinstr(self->path), errno);
}

syscall::openat:return
/self->trial && errno != 0/
{
	commit(self->trial);
}

syscall::openat:return
/self->trial && errno == 0/
{
	discard(self->trial);
}

syscall::openat:return
{
	self->trial = 0;
	self->path = 0;
}
