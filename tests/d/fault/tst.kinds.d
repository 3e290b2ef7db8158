/*
 * Each kind of fault ends its clause alone; ERROR has the EPID, the action, the
 * offset, the kind and the address.
 */
#pragma D option quiet
#pragma D option scratchsize=1k
ERROR
{
	printf("ERROR %d %d %d %d %x\n", arg1, arg2, arg3, arg4, arg5);
}
BEGIN
{
	zero = 0;
	size = 4096;
	bad = 99;
}
BEGIN
{
	trace(*(int *)zero);
}
BEGIN
{
	trace(1 / zero);
}
BEGIN
{
	trace(1 % zero);
}
BEGIN
{
	this->p = alloca(size);
}
BEGIN
{
	commit(bad);
}
BEGIN
/1 / zero/
{
}
BEGIN
{
	printf("first\n");
	trace(strlen((string)(void *)0xffffc00000000000));
}
BEGIN
{
	printf("all the same\n");
	exit(0);
}
