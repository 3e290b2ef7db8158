/* Several buffers in one clause: each is there at once, and in the order of commits. */
#pragma D option quiet
#pragma D option nspec=3
BEGIN
{
	a = speculation();
	b = speculation();
	c = speculation();
}
BEGIN
{
	speculate(a);
	printf("first %d\n", a);
}
BEGIN
{
	speculate(b);
	printf("second %d\n", b);
}
BEGIN
{
	speculate(c);
	printf("discarded\n");
}
BEGIN
{
	commit(b);
	commit(a);
	discard(c);
}
BEGIN
{
	printf("and then\n");
	exit(0);
}
