BEGIN
{
	trace(*(int *)&`untyped);
	trace(`untyped);
}
