/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every string is cut to strsize - 1 bytes, the results of subroutines, too. */
#pragma D option quiet
#pragma D option strsize=8
BEGIN
{
	printf("[%s] %d\n", strjoin("abcdef", "ghijkl"), strlen(strjoin("abcdef", "ghijkl")));
	printf("[%s] [%s]\n", lltostr(123456789), lltostr(-123456789, 16));
	printf("[%s]\n", strjoin(strjoin("abcdef", "g"), "h"));
	printf("[%s] [%s]\n", substr("abcdefg", 1), toupper("abcdefg"));
	printf("[%s]\n", strtok("abcdefg", "x"));
	printf("[%s]\n", memstr(&`name, '.', 12));
	printf("[%s]\n", d_path(&`passwd));
	this->a = alloca(16);
	printf("[%s]\n", inet_ntop(AF_INET6, this->a));
	printf("[%s]\n", link_ntop(ARPHRD_ETHER, this->a));
	exit(0);
}
