/*
 * Identifiers begin with 1; beyond nspec there is 0, which fails, is counted, and
 * is harmless. What is discarded can be had again.
 */
#pragma D option quiet
#pragma D option nspec=2
BEGIN
{
	a = speculation();
	b = speculation();
	none = speculation();
	printf("%d %d %d\n", a, b, none);
}
BEGIN
{
	speculate(none);
	printf("never seen\n");
}
BEGIN
{
	commit(none);
}
BEGIN
{
	discard(none);
}
BEGIN
{
	discard(b);
}
BEGIN
{
	printf("%d %d\n", speculation(), speculation());
	exit(0);
}
