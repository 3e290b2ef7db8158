/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A variable that is first given an integer constant holds 64 bits. */
#pragma D option quiet
BEGIN
{
	x = 0;
	self->x = 1;
	this->x = -1;
	a["k", 1] = 0;
	c = (int)0;
	x = 1LL << 40;
	self->x = 1LL << 41;
	this->x = 1LL << 42;
	a["k", 1] = 1LL << 43;
	c = 1LL << 44;
	printf("%d %d %d %d %d\n", x, self->x, this->x, a["k", 1], c);
	printf("%d %d\n", sizeof(x), sizeof(c));
	exit(0);
}
