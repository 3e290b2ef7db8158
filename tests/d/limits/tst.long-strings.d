/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A clause of more than 4 KB of string expressions, one of them deep. */
#pragma D option quiet
BEGIN
{
	s = "";
	this->deep = strjoin("h",
	    strjoin("g",
	    strjoin("f",
	    strjoin("e",
	    strjoin("d",
	    strjoin("c",
	    strjoin("b",
	    strjoin("a",
	    strjoin("z",
	    strjoin("y",
	    strjoin("x",
	    strjoin("w",
	    strjoin("v",
	    strjoin("u",
	    strjoin("t",
	    strjoin("s",
	    strjoin("r",
	    strjoin("q",
	    strjoin("p",
	    strjoin("o",
	    strjoin("n",
	    strjoin("m",
	    strjoin("l",
	    strjoin("k",
	    strjoin("j",
	    strjoin("i",
	    strjoin("h",
	    strjoin("g",
	    strjoin("f",
	    strjoin("e",
	    strjoin("d",
	    strjoin("c",
	    strjoin("b",
	    strjoin("a",
	    strjoin("z",
	    strjoin("y",
	    strjoin("x",
	    strjoin("w",
	    strjoin("v",
	    strjoin("u",
	    strjoin("t",
	    strjoin("s",
	    strjoin("r",
	    strjoin("q",
	    strjoin("p",
	    strjoin("o",
	    strjoin("n",
	    strjoin("m",
	    strjoin("l",
	    strjoin("k",
	    strjoin("j",
	    strjoin("i",
	    strjoin("h",
	    strjoin("g",
	    strjoin("f",
	    strjoin("e",
	    strjoin("d",
	    strjoin("c",
	    strjoin("b",
	    strjoin("a", "."))))))))))))))))))))))))))))))))))))))))))))))))))))))))))));
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 0, 2)) == "" ? "none" : strjoin(s, "A");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 1, 2)) == "" ? "none" : strjoin(s, "B");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 2, 2)) == "" ? "none" : strjoin(s, "C");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 3, 2)) == "" ? "none" : strjoin(s, "D");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 4, 2)) == "" ? "none" : strjoin(s, "E");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 5, 2)) == "" ? "none" : strjoin(s, "F");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 6, 2)) == "" ? "none" : strjoin(s, "G");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 7, 2)) == "" ? "none" : strjoin(s, "H");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 0, 2)) == "" ? "none" : strjoin(s, "I");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 1, 2)) == "" ? "none" : strjoin(s, "J");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 2, 2)) == "" ? "none" : strjoin(s, "K");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 3, 2)) == "" ? "none" : strjoin(s, "L");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 4, 2)) == "" ? "none" : strjoin(s, "M");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 5, 2)) == "" ? "none" : strjoin(s, "N");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 6, 2)) == "" ? "none" : strjoin(s, "O");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 7, 2)) == "" ? "none" : strjoin(s, "P");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 0, 2)) == "" ? "none" : strjoin(s, "Q");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 1, 2)) == "" ? "none" : strjoin(s, "R");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 2, 2)) == "" ? "none" : strjoin(s, "S");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 3, 2)) == "" ? "none" : strjoin(s, "T");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 4, 2)) == "" ? "none" : strjoin(s, "U");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 5, 2)) == "" ? "none" : strjoin(s, "V");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 6, 2)) == "" ? "none" : strjoin(s, "W");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 7, 2)) == "" ? "none" : strjoin(s, "X");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 0, 2)) == "" ? "none" : strjoin(s, "Y");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 1, 2)) == "" ? "none" : strjoin(s, "Z");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 2, 2)) == "" ? "none" : strjoin(s, "A");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 3, 2)) == "" ? "none" : strjoin(s, "B");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 4, 2)) == "" ? "none" : strjoin(s, "C");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 5, 2)) == "" ? "none" : strjoin(s, "D");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 6, 2)) == "" ? "none" : strjoin(s, "E");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 7, 2)) == "" ? "none" : strjoin(s, "F");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 0, 2)) == "" ? "none" : strjoin(s, "G");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 1, 2)) == "" ? "none" : strjoin(s, "H");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 2, 2)) == "" ? "none" : strjoin(s, "I");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 3, 2)) == "" ? "none" : strjoin(s, "J");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 4, 2)) == "" ? "none" : strjoin(s, "K");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 5, 2)) == "" ? "none" : strjoin(s, "L");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 6, 2)) == "" ? "none" : strjoin(s, "M");
	s = strjoin(s, substr(strjoin(probename, "-abcdefghij"), 7, 2)) == "" ? "none" : strjoin(s, "N");
	printf("%s\n%s\n%d\n", this->deep, s, strlen(s) + index(s, "Z"));
	exit(0);
}
