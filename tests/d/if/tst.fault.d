/* A fault in one branch ends the whole clause, as without if. */
#pragma D option quiet
BEGIN
{
	x = 1;
	if (x)
		y = *(int *)8;
	printf("not reached\n");
}
BEGIN
{
	if (x == 1) { } else printf("wrong\n");
	printf("next clause\n");
	exit(0);
}
