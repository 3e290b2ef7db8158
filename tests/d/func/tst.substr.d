/* SPDX-License-Identifier: GPL-2.0-or-later */
/* substr(): a negative place counts from the end, a negative length leaves off. */
#pragma D option quiet
BEGIN
{
	printf("[%s] [%s] [%s] [%s]\n", substr("abcdef", 0), substr("abcdef", 2),
	    substr("abcdef", 5), substr("abcdef", 6));
	printf("[%s] [%s] [%s] [%s]\n", substr("abcdef", -1), substr("abcdef", -6),
	    substr("abcdef", -7), substr("abcdef", 7));
	printf("[%s] [%s] [%s] [%s]\n", substr("abcdef", 2, 2), substr("abcdef", 2, 0),
	    substr("abcdef", 2, 4), substr("abcdef", 2, 99));
	printf("[%s] [%s] [%s] [%s]\n", substr("abcdef", 1, -2), substr("abcdef", 0, -6),
	    substr("abcdef", 4, -2), substr("abcdef", 1, -99));
	printf("[%s] [%s] [%s] [%s]\n", substr("abcdef", -3, 2), substr("abcdef", -3, -1),
	    substr("abcdef", -3, -3), substr("abcdef", -8, 4));
	printf("[%s] [%s] [%s]\n", substr("abcdef", -8, 2), substr("", 0), substr("", -1, 5));
	printf("[%s] [%s] [%s] [%s]\n", substr("abcdef", -8, -5), substr("abcdef", -8, -3),
	    substr("abcdef", -99), substr("abcdef", -99, 99));
	i = 1;
	printf("[%s] [%s]\n", substr("abcdef", i, i + 1), substr("abcdef", -i));
	exit(0);
}
