/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json(): members, elements, nesting, escapes; NULL for what is not there. */
#pragma D option quiet
#pragma D option strsize=1k
BEGIN
{
	s = "{\"a\": 1, \"b\" : {\"c\":[10, [20,21], {\"d\":\"deep\"}]}, \"e\":\"x\", \"\":2}";
	printf("[%s] [%s] [%s]\n", json(s, "a"), json(s, "e"), json(s, "b.c[0]"));
	printf("[%s] [%s] [%s]\n", json(s, "b.c[1]"), json(s, "b.c[1][1]"), json(s, "b.c[2].d"));
	printf("[%s] [%s]\n", json(s, "b"), json(s, "b.c[2]"));
	printf("%d %d %d %d\n", json(s, "x") == NULL, json(s, "a.b") == NULL, json(s, "b.c[3]") == NULL,
	    json(s, "b[0]") == NULL);
	printf("%d %d %d %d %d\n", json(s, "") == NULL, json(s, ".a") == NULL, json(s, "a.") == NULL,
	    json(s, "b.c[x]") == NULL, json(s, "b.c[0") == NULL);
	printf("%d %d %d\n", json(s, "[0]") == NULL, json(s, "b..c") == NULL, json(s, "b.c[0]d") == NULL);
	printf("[%s] [%s] [%s]\n", json("[5, 6]", "[1]"), json(" [ [ ] , { } ] ", "[0]"),
	    json("[[],{}]", "[1]"));
	printf("[%s] [%s] [%s] [%s]\n", json("[true,false,null]", "[0]"),
	    json("[true,false,null]", "[1]"), json("[true,false,null]", "[2]"),
	    json("[-1.5e+3]", "[0]"));
}
BEGIN
{
	printf("[%s]\n", json("{\"k\":\"q\\\"b\\\\s\\/\"}", "k"));
	printf("[%s]\n", json("{\"k\":\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"}", "k"));
	printf("[%s]\n", json("{\"k\":\"\\u0000\\ud83d!\"}", "k"));
	printf("[%s]\n", json("{\"\\u006b\":\"by its escaped name\"}", "k"));
	printf("[%s] [%s]\n", json("{\"k\":\"\"}", "k"), json("{\"k\":1,\"k\":2}", "k"));
	printf("[%s]\n", json("{\"a\":[1,{\"b\":\"]}\"}],\"k\":\"after\"}", "k"));
	printf("%d\n", strlen(json("[\"\\n\\t\"]", "[0]")));
}
BEGIN
{
	printf("%d %d %d %d\n", json("", "a") == NULL, json("{", "a") == NULL, json("{}", "a") == NULL,
	    json("[]", "[0]") == NULL);
	printf("%d %d %d %d\n", json("{\"a\"1}", "a") == NULL, json("{a:1}", "a") == NULL,
	    json("{\"a\":}", "a") == NULL, json("{\"a\":01}", "a") == NULL);
	printf("%d %d %d %d\n", json("{\"a\":1.}", "a") == NULL, json("{\"a\":1e}", "a") == NULL,
	    json("{\"a\":tru}", "a") == NULL, json("{\"a\":\"x", "a") == NULL);
	printf("%d %d %d %d\n", json("[1,]", "[1]") == NULL, json("[1 2]", "[1]") == NULL,
	    json("{\"a\":1,}", "b") == NULL, json("[{]", "[0]") == NULL);
	printf("%d %d %d %d\n", json("[\"\\x\"]", "[0]") == NULL, json("[\"\\u12\"]", "[0]") == NULL,
	    json("[\"\n\"]", "[0]") == NULL, json("[[1},2]", "[1]") == NULL);
	printf("%d %d\n", json("7", "a") == NULL, json("{\"a\":-}", "a") == NULL);
	/* what follows the value is not looked at */
	printf("[%s]\n", json("{\"a\":1 no more json", "a"));
	exit(0);
}
