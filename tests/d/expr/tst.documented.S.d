/* The classic: a predicate on execname. */
#pragma D option quiet
BEGIN
/execname == "ls"/
{
	trace(1);
}
