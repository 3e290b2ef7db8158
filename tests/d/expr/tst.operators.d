/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operators, their precedence and order. */
#pragma D option quiet
BEGIN { s = "abc"; printf("%d%d%d%d%d%d\n", s < "abd", s <= "abc", s > "abb", s >= "abcd", s == "abc", s != "abc");
printf("%d%d%d%d\n", 1 ^^ 1, 1 ^^ 0, s == "abc" ^^ s == "x", 0 ^^ 0);
x = 5; y = x ? 3 : 4, z = 6; printf("%d %d\n", y, z);
printf("%s\n", x > 3 ? "big" : "small"); a = x += 2; printf("%d %d\n", a, x);
a = b = c = 4; printf("%d%d%d\n", a, b, c); printf("%d %d %d %d\n", x++ + ++x, x, x-- - --x, x);
printf("%d\n", (1, 2, 3)); printf("%d\n", -5 / 2); printf("%d\n", -5 % 3); printf("%d\n", 7 & 3 == 3); printf("%d %d\n", 1 << 2 + 1, 2 + 3 << 1);
printf("%d\n", !x); printf("%d\n", !!x); printf("%d\n", - - 3); printf("%d\n", x == 7 || (q = 9)); printf("%d\n", 1 ? 2 : 3 ? 4 : 5);
exit(0); }
