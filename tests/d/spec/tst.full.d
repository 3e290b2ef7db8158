/* A full speculation drops what does not fit, which is counted, and still commits. */
#pragma D option quiet
#pragma D option specsize=32
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
	exit(0);
}
