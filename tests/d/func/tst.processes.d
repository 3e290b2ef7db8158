/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progenyof(): of the current process and what started it; speculation(). */
#pragma D option quiet
#pragma D option nspec=2
t:m:hit:entry /arg1 == 0/
{
	printf("%d %d %d %d\n", progenyof(40), progenyof(0), progenyof(42), progenyof(-1));
	printf("%d %d %d\n", speculation(), speculation(), speculation());
	exit(0);
}
