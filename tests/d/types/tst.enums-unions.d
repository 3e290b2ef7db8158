/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Enumerations and unions. */
#pragma D option quiet
union u { int i; char c[4]; unsigned char b[4]; };
union u x;
enum color { red, green = 5, blue };
enum { A = 1, B, C = A + B * 2, };
enum color col;
BEGIN { x.i = 0x01020384; printf("%d %d %d %d\n", x.c[0], x.b[0], x.b[3], sizeof(x));
 col = blue; printf("%d %d %d %d\n", col, green, C, col == blue);
 col = red; printf("%d %s\n", col, col == 0 ? "y" : "n");
 printf("%d\n", (int)green + 1);
 exit(0); }
