/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A self-> variable as one of several keys or arguments. */
#pragma D option quiet
self string s;

BEGIN
{
	self->x = 1;
	self->s = "ell";
	a[5, self->x] = 7;
	b["k", self->s, self->x] = 8;
	printf("%d %d %d\n", a[5, 1], a[5, self->x], b["k", "ell", 1]);
	printf("%s %s %s\n", substr("hello", self->x, self->x + 1),
	    strjoin(self->s, self->s), strjoin("h", self->s));
	a[6, self->x = 2] = 9;
	printf("%d\n", a[6, 2]);
	exit(0);
}
