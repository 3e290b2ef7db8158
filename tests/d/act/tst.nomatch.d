// flags: Z
/* With -Z a description may match nothing. */
nosuch:::x
{
	trace(arg0);
}
BEGIN
{
	exit(0);
}
