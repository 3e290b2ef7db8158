/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses as text. */
#pragma D option quiet
BEGIN
{
	this->a = (uint8_t *)alloca(20);
	this->a[0] = 192; this->a[1] = 168; this->a[2] = 0; this->a[3] = 255;
	printf("%s %s\n", inet_ntoa((ipaddr_t *)this->a), inet_ntop(AF_INET, this->a));
	this->a[0] = 0; this->a[1] = 0; this->a[3] = 0;
	printf("%s\n", inet_ntoa(this->a));
	printf("%s %s\n", inet_ntoa6(this->a), inet_ntop(AF_INET6, this->a));
	this->a[15] = 1;
	printf("%s\n", inet_ntoa6((in6_addr_t *)this->a));
	this->a[0] = 0xfe; this->a[1] = 0x80;
	printf("%s\n", inet_ntoa6(this->a));
	this->a[4] = 0xab;
	printf("%s\n", inet_ntoa6(this->a));
	this->a[2] = 1; this->a[6] = 1; this->a[9] = 1; this->a[10] = 1; this->a[13] = 1;
	printf("%s\n", inet_ntoa6(this->a));
	this->a[0] = 0; this->a[1] = 0; this->a[2] = 0; this->a[4] = 0; this->a[6] = 0;
	this->a[9] = 0; this->a[10] = 0xff; this->a[11] = 0xff; this->a[12] = 10; this->a[13] = 0;
	printf("%s\n", inet_ntoa6(this->a));
	this->a[10] = 0; this->a[11] = 0;
	printf("%s\n", inet_ntoa6(this->a));
	printf("%s\n", link_ntop(ARPHRD_ETHER, this->a + 10));
	printf("%s\n", link_ntop(ARPHRD_INFINIBAND, this->a));
	exit(0);
}
