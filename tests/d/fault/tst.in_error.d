/* A fault in an ERROR clause is counted; it raises no ERROR, and ends its clause alone. */
#pragma D option quiet
ERROR
{
	printf("ERROR\n");
}
ERROR
{
	trace(*(int *)8);
}
ERROR
{
	printf("and another\n");
}
t:m:hit:entry
/arg1 < 2/
{
	trace(*(int *)16);
}
t:m:hit:return
/arg1 == -2/
{
	exit(0);
}
