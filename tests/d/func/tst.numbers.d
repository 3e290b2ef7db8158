/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lltostr() and strtoll() in all bases; byte order; device numbers. */
#pragma D option quiet
BEGIN
{
	printf("%s %s %s %s\n", lltostr(0), lltostr(-1), lltostr(9223372036854775807),
	    lltostr((int64_t)1 << 63));
	printf("%s %s %s %s\n", lltostr(255, 16), lltostr(-1, 16), lltostr(0, 16), lltostr(8, 8));
	printf("%s %s %s %s\n", lltostr(0, 8), lltostr(5, 2), lltostr(-1, 2), lltostr(35, 36));
	printf("%s %s %s\n", lltostr(-10, 10), lltostr(80, 3), lltostr(-5, 36));
	printf("%d %d %d %d\n", strtoll("0"), strtoll("-1"), strtoll("9223372036854775807"),
	    strtoll("-9223372036854775808"));
	printf("%d %d %d %d\n", strtoll("  12abc"), strtoll("+7"), strtoll(""), strtoll("x1"));
	printf("%d %d %d %d\n", strtoll("0x1F", 16), strtoll("ff", 16), strtoll("-0Xa", 16),
	    strtoll("0x10"));
	printf("%d %d %d %d\n", strtoll("777", 8), strtoll("0777", 8), strtoll("89", 8),
	    strtoll("101", 2));
	printf("%d %d %d\n", strtoll("zz", 36), strtoll("Zz", 36), strtoll("\t\n 5"));
	printf("%d %d\n", strtoll("--5"), strtoll("- 5"));
	printf("%x %x %x\n", htons(0x1234), htonl(0x12345678), htonll(0x123456789abcdef0));
	printf("%x %x %x\n", ntohs(0x1234), ntohl(0x12345678), ntohll(0x123456789abcdef0));
	printf("%x %x %d\n", htons(0xfffe), htonl(-2), sizeof(htons(1)));
	printf("%d %d %d %d\n", getmajor(0x800011), getminor(0x800011), getmajor(-1), getminor(-1));
	printf("%d %d\n", strtoll(lltostr(123456789)), strtoll(lltostr(-255, 16), 16));
	i = rand();
	j = rand();
	printf("%d %d %d\n", i >= 0, i <= 2147483647, i != j || rand() != j);
	exit(0);
}
