/* %Y and %T: times in nanoseconds since 1970. */
#pragma D option quiet
BEGIN
{
	printf("%Y\n", 0);
	printf("%Y\n", 1796077071000000000);
	printf("[%24Y] [%-24Y] [%.4Y]\n", 1234567890123456789, 1234567890123456789,
	    1234567890123456789);
	printf("%T\n", 1796077071999999999);
	printf("%y\n", 0);
	exit(0);
}
