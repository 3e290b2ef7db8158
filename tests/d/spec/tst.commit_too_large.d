/* More than the principal buffer has room for: nothing of it, and all is counted. */
#pragma D option quiet
#pragma D option specsize=1k
#pragma D option bufsize=64
BEGIN
{
	sp = speculation();
}
t:m:hit:entry
{
	speculate(sp);
	printf("%d\n", arg1);
}
t:m:hit:return
/arg1 == -2/
{
	commit(sp);
}
t:m:hit:return
/arg1 == -2/
{
	printf("%d\n", speculation());
	exit(0);
}
