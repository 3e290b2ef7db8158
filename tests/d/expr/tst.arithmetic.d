/* Arithmetic follows C: precedence, signs, division, shifts, conversions. */
#pragma D option quiet
int x, y;
BEGIN
{
	x = 7;
	y = -3;
	printf("%d %d %d\n", x + y * 2, (x + y) * 2, x - y - 1);
	printf("%d %d %d %d\n", x / y, x % y, -x / 2, y % x);
	printf("%d %d %d\n", x << 2, y >> 1, (unsigned)1 << 31);
	printf("%x %x %x %x\n", x & 5, x | 8, x ^ 2, ~x & 0xff);
	printf("%d %d %d\n", x > y, (unsigned)y > x, (uint32_t)y == 0xfffffffd);
	printf("%d %d\n", y == (uint32_t)-3, (long)y < 0);
	printf("%d %d %d %d\n", x && y, x || 0, x ^^ y, !x);
	printf("%d %d\n", 1 ^^ 0, x ^^ 0);
	printf("%d %d\n", x > 5 ? 10 : 20, x < 5 ? 10 : y < 0 ? 30 : 40);
	printf("%d\n", (x = 3, x + 1));
	printf("%d %d %d\n", (char)300, (short)70000, (uint8_t)-1);
	printf("%d %d\n", (char)x, (uint8_t)y);
	printf("%u %d\n", 18446744073709551615, 9223372036854775807);
	printf("%d %d %d\n", 0x10, 010, 'a');
	printf("%x\n", 'abcd');
	printf("%d %d %d\n", sizeof (int), sizeof (long), sizeof (struct point));
	printf("%d %d\n", sizeof (x), sizeof (`points));
	printf("%d\n", offsetof(struct point, s));
	exit(0);
}
