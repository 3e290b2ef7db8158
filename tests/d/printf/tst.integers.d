/* Integers: letters, size and sign of the value, flags, width, precision. */
#pragma D option quiet
BEGIN
{
	printf("%d %i %d %u %d\n", -1, 2147483647, 18446744073709551615, (char)-1, (short)-2);
	printf("%x %X %o %x %hx %hhx\n", 0xabcd, 0xabcd, 8, (char)-1, 0x12345, 0x12345);
	printf("%hd %hhd %ld %lld %Ld %qd %jd %zd %td\n", 65537, 257, 1, 2, 3, 4, 5, 6, 7);
	printf("[%5d] [%-5d] [%05d] [%+d] [% d] [%'d]\n", 42, 42, 42, 42, 42, 1234567);
	printf("[%-+5d] [%+05d] [%.3d] [%8.3d] [%08.3d] [%.0d]\n", 4, 4, 4, 4, 4, 0);
	printf("[%#x] [%#X] [%#o] [%#x] [%#10x] [%#010x]\n", 255, 255, 8, 0, 255, 255);
	printf("[%p] [%#p] [%16p]\n", 0xffffffff81000000, &`answer != NULL, 255);
	printf("[%*d] [%-*d] [%*d] [%.*d] [%*.*d]\n", 6, 1, 6, 2, -6, 3, 3, 4, 6, 3, 5);
	printf("[%c] [%3c] [%-3c] [%c] [%C]\n", 'a', 'b', 'c', '\n', '\n');
	printf("[%wc] [%4wc]\n", 0xe9, 0x20ac);
	printf("%d%%%d\n", 1, 2);
	exit(0);
}
