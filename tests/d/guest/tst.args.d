/* args[]: native, translated; curthread; inlines of the library. */
t:m:hit:entry
{
	printf("%d %d %s %d %d", args[0]->pr_lwpid, args[1], args[0]->pr_clname, args[2]->cpu_id,
	    args[0]->pr_addr == (uintptr_t)curthread);
}
t:m:hit:return
{
	printf("%d %d", args[0], arg1);
}
t:m:hit:entry
/curlwpsinfo->pr_state == SSLEEP && args[1] == 2/
{
	printf("%s %s %d %d %d", curpsinfo->pr_fname, execname, curpsinfo->pr_pid, pid, tid);
}
t:m:hit:*
/arg1 == 0/
{
	trace(probename);
}
