/* Floating point conversions of integers: sign, groups, precision. */
#pragma D option quiet
BEGIN
{
	printf("%f %e %g %F %E %G\n", 3, 31415, 1000000, -2, -7, 12345678);
	printf("[%10.2f] [%-10.2f] [%010.2f] [%+.1f] [% .1f] [%#.0f]\n", 2, 2, -2, 2, 2, 2);
	printf("[%'.2f] [%'f]\n", 1234567, -123);
	printf("[%.60f]\n", 1);
	printf("[%*.*f]\n", 8, 1, 4);
	exit(0);
}
