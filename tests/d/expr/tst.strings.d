/* Strings: comparison, escapes, adjacent constants, conversion of characters. */
#pragma D option quiet
BEGIN
{
	s = "abc";
	printf("%d %d %d %d\n", s == "abc", s != "abc", s < "abd", s > "b");
	printf("%s|%s\n", "a\tb\x41\101\"", "one" "two" "three");
	t = s;
	s = "other";
	printf("%s %s\n", s, t);
	printf("%s\n", 1 ? "yes" : "no");
	printf("%d\n", strlen(s));
	printf("%s %s\n", strjoin(s, "!"), substr("abcdef", 2, 3));
	printf("%s\n", strjoin(strjoin("a", "b"), strjoin("c", strjoin("d", "e"))));
	printf("%d %d\n", index("hello", "l"), rindex("hello", "l"));
	printf("%s %s\n", basename("/a/b/c"), dirname("/a/b/c"));
	printf("%s %s\n", lltostr(-5), lltostr(255, 16));
	printf("%d %s %s\n", strtoll("123"), toupper("aB"), tolower("aB"));
	u = (string)"cast";
	printf("%s\n", u);
	printf("%d\n", probename == "BEGIN" && probeprov == "dtrace");
	exit(0);
}
