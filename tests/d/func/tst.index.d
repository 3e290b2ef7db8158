/* SPDX-License-Identifier: GPL-2.0-or-later */
/* index(), rindex(), with positions inside, at and beyond both ends. */
#pragma D option quiet
BEGIN
{
	printf("%d %d %d %d\n", index("abcabc", "c"), index("abcabc", "abc"), index("abc", "x"),
	    index("abc", "abcd"));
	printf("%d %d %d %d\n", index("abcabc", "c", 2), index("abcabc", "c", 3),
	    index("abcabc", "c", 6), index("abcabc", "c", 99));
	printf("%d %d %d\n", index("abcabc", "a", -1), index("abcabc", "b", -99),
	    index("abcabc", "a", 1));
	printf("%d %d %d %d\n", index("abc", ""), index("abc", "", 2), index("abc", "", 3),
	    index("abc", "", 9));
	printf("%d %d %d\n", index("", ""), index("", "a"), index("", "", 1));
	printf("%d %d %d %d\n", rindex("abcabc", "c"), rindex("abcabc", "abc"),
	    rindex("abc", "x"), rindex("abc", "abcd"));
	printf("%d %d %d %d\n", rindex("abcabc", "c", 4), rindex("abcabc", "c", 2),
	    rindex("abcabc", "c", 1), rindex("abcabc", "abc", 2));
	printf("%d %d %d\n", rindex("abcabc", "a", -1), rindex("abcabc", "c", 99),
	    rindex("abcabc", "a", 0));
	printf("%d %d %d %d\n", rindex("abc", ""), rindex("abc", "", 1), rindex("", ""),
	    rindex("abc", "", -1));
	printf("%d %d\n", index("aaaa", "aa"), rindex("aaaa", "aa"));
	i = index("key=value", "=");
	printf("%d %s\n", i, substr("key=value", i + 1));
	exit(0);
}
