/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strtok() goes on within a clause, string by string, and starts anew in the next. */
#pragma D option quiet
BEGIN
{
	printf("[%s]", strtok("/usr//bin/", "/"));
	printf("[%s]", strtok(NULL, "/"));
	printf(" %d", strtok(NULL, "/") == NULL);
	printf(" %d\n", strtok(NULL, "/") == NULL);
	printf("[%s]", strtok("a b,c", " ,"));
	printf("[%s]", strtok(NULL, ","));
	printf(" %d\n", strtok(NULL, ",") == NULL);
	printf("[%s]", strtok("one two", ""));
	printf(" %d\n", strtok(NULL, "") == NULL);
	printf("%d %d\n", strtok("", " ") == NULL, strtok("   ", " ") == NULL);
	/* the string may go; the copy stays */
	s = "x:y:z";
	t = strtok(s, ":");
	s = "QQQQQ";
	printf("[%s] [%s]", t, strtok(NULL, ":"));
	/* a new string starts anew */
	printf(" [%s]\n", strtok("k l", " "));
}
BEGIN
{
	printf("%d\n", strtok(NULL, " ") == NULL);
	exit(0);
}
