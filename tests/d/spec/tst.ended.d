/* What was committed or discarded takes no more: silently. */
#pragma D option quiet
BEGIN
{
	sp = speculation();
}
BEGIN
{
	speculate(sp);
	printf("committed\n");
}
BEGIN
{
	commit(sp);
}
BEGIN
{
	speculate(sp);
	printf("never seen\n");
}
BEGIN
{
	commit(sp);
}
BEGIN
{
	discard(sp);
}
BEGIN
{
	exit(0);
}
