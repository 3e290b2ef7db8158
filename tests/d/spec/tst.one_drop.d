/* One drop is no plural. */
#pragma D option quiet
#pragma D option specsize=48
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
