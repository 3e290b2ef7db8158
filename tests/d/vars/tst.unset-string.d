/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A string that was never set reads as empty. */
#pragma D option quiet
string g, a[int];
self string s;
this string t;

BEGIN
{
	printf("[%s] [%s] [%s] [%s]\n", g, a[1], self->s, this->t);
	printf("%d %d %d\n", a[1] == "", self->s == NULL, strlen(self->s));
	printf("[%s]\n", strjoin(a[2], self->s));
	self->s = "set";
	printf("[%s]\n", self->s);
	self->s = 0;
	printf("[%s]\n", self->s);
	@[self->s] = count();
	exit(0);
}
