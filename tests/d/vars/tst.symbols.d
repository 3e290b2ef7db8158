/* Symbols whose type is told as text, or not at all. */
#pragma D option quiet
BEGIN
{
	printf("%d\n", `ticks == `answer);
	printf("%d %d\n", sizeof (`ends), sizeof (`ticks));
	printf("%d\n", `ends[4] == `points[1].x);
	printf("%d\n", *(int *)&`untyped == `answer);
	printf("%d\n", &`strange == &`untyped);
	printf("%d\n", `func == (uintptr_t)&`answer);
	exit(0);
}
