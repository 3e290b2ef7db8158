/* SPDX-License-Identifier: GPL-2.0-or-later */
/* basename(), dirname(), cleanpath(). */
#pragma D option quiet
BEGIN
{
	printf("[%s] [%s] [%s] [%s]\n", basename("/foo/bar/baz"), basename("/foo/bar///"),
	    basename("foo"), basename("foo/"));
	printf("[%s] [%s] [%s] [%s] [%s]\n", basename("/"), basename("//"), basename(""),
	    basename("a//"), basename("/a"));
	printf("[%s] [%s] [%s] [%s]\n", dirname("/foo/bar/baz"), dirname("/foo/bar///"),
	    dirname("foo"), dirname("foo/"));
	printf("[%s] [%s] [%s] [%s] [%s]\n", dirname("/"), dirname("//"), dirname(""),
	    dirname("a//b//"), dirname("/a"));
	printf("[%s] [%s]\n", dirname("//a"), dirname("/a//b"));
	printf("[%s] [%s] [%s] [%s]\n", cleanpath("/foo/./bar//baz"), cleanpath("/foo/bar/../baz"),
	    cleanpath("/../../foo"), cleanpath("/foo/bar/.."));
	printf("[%s] [%s] [%s] [%s] [%s]\n", cleanpath("/"), cleanpath("//"), cleanpath(""),
	    cleanpath("/."), cleanpath("/.."));
	printf("[%s] [%s] [%s] [%s]\n", cleanpath("a/../b"), cleanpath("../../b"),
	    cleanpath("../a/../../b"), cleanpath("./a/./b"));
	printf("[%s] [%s] [%s]\n", cleanpath("/a/...b/..c"), cleanpath("/a/b/../../../c"),
	    cleanpath("/usr/bin/"));
	printf("[%s] [%s] [%s] [%s] [%s]\n", cleanpath("/a/b/../"), cleanpath("/a/."), cleanpath("/a/./"),
	    cleanpath("a/.."), cleanpath("a/b/.."));
	printf("[%s] [%s] [%s] [%s] [%s]\n", cleanpath("."), cleanpath(".."), cleanpath("../"),
	    cleanpath("../.."), cleanpath("/a/..//"));
	exit(0);
}
