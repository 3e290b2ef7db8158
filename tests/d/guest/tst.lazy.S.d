/* Of a translated argument only the member asked for is computed. */
#pragma D option quiet
t:m:none:entry, t:m:hit:entry
/0/
{
}
t:m:hit:entry
{
	trace(args[0]->pr_lwpid);
}
