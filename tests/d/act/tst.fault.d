/* Faults: ERROR with its arguments; other clauses go on. */
#pragma D option quiet
BEGIN
{
	printf("never shown\n");
	trace(*(int *)16);
}
BEGIN
{
	x = 0;
	printf("%d\n", 1 / x);
}
ERROR
{
	printf("ERROR %d %d %d %x\n", arg1, arg2, arg4, arg5);
}
END
{
	printf("end\n");
}
