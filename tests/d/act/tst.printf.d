/* Conversions, widths, precisions, arguments of * and sizes. */
#pragma D option quiet
BEGIN
{
	printf("[%5d] [%-5d] [%05d] [%+d] [% d]\n", 42, 42, 42, 42, 42);
	printf("[%x] [%X] [%#x] [%o] [%u]\n", 255, 255, 255, 8, 7);
	printf("[%ld] [%lld] [%hd] [%lx]\n", 1, 2, 3, 4);
	printf("[%s] [%10s] [%-10s] [%.2s]\n", "abc", "abc", "abc", "abc");
	printf("[%*d] [%-*d] [%.*s]\n", 6, 1, 6, 2, 2, "xyz");
	printf("[%c%c] 100%%\n", 'o', 107);
	printf("no arguments\n");
	printf("%d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9);
	exit(0);
}
