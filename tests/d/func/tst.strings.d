/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Searches, joins, lengths and case. */
#pragma D option quiet
BEGIN
{
	printf("%d %d %d\n", strlen(""), strlen("a"), strlen("hello"));
	printf("[%s] [%s] [%s] [%s]\n", strjoin("foo", "bar"), strjoin("", "bar"),
	    strjoin("foo", ""), strjoin("", ""));
	printf("[%s] [%s] [%s]\n", strchr("abcabc", 'b'), strchr("abcabc", 'a'), strchr("abc", '\0'));
	printf("[%s] [%s] [%s]\n", strrchr("abcabc", 'b'), strrchr("abcabc", 'c'),
	    strrchr("abc", '\0'));
	printf("%d %d %d %d\n", strchr("abc", 'x') == NULL, strrchr("abc", 'x') == NULL,
	    strchr("", 'a') == NULL, strstr("abc", "x") == NULL);
	printf("[%s] [%s] [%s] [%s]\n", strstr("hello world", "o w"), strstr("aab", "ab"),
	    strstr("abc", ""), strstr("", ""));
	printf("%d %d\n", strstr("", "a") == NULL, strstr("ab", "abc") == NULL);
	printf("[%s] [%s] [%s]\n", toupper("aBz09~{`"), tolower("AbZ[@09"), toupper(""));
	printf("[%s] [%s]\n", toupper(execname), strjoin(probeprov, probename));
	printf("[%s] [%s]\n", memstr("abcd", '-', 3), memstr("abcd", '-', 0));
	printf("[%s]\n", memstr(&`name, '.', 12));
	exit(0);
}
