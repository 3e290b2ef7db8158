// opts: destructive quiet
/* Requests to the command: with arguments, and as records in order. */
BEGIN
{
	printf("first\n");
	setopt("quiet");
	setopt("aggrate", "1ms");
	system("echo %d %s", 5, "x");
	freopen("/nonexistent.%d", 1);
	freopen("");
	ftruncate();
	printf("last\n");
	exit(1);
}
END
{
	exit(2);
}
