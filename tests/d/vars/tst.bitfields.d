/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bit-fields are assigned as in C: neighbours stay, values are cut, signs kept. */
#pragma D option quiet
struct f { unsigned a : 3; int b : 5; unsigned c : 24; unsigned long d : 40; char e : 2; };
struct all { unsigned long w : 64; unsigned v : 32; _Bool t : 1; };
struct f g;
struct all all;
self struct f s;
struct f arr[int];
BEGIN
{
	g.a = 5;
	g.b = -3;
	g.c = 0xabcdef;
	g.d = 0x123456789a;
	g.e = 1;
	printf("%d %d %x %x %d\n", g.a, g.b, g.c, g.d, g.e);
	printf("%d %d %x\n", g.a = 0xff, g.b = 17, g.c = 0x1234567);
	printf("%d %d %x %x %d\n", g.a, g.b, g.c, g.d, g.e);
	printf("%d %d %d\n", g.a++, ++g.a, g.a--);
	printf("%d %d\n", g.b -= 1, g.b <<= 1);
	g.c |= 0xff0000;
	g.c ^= 1;
	printf("%d %d %x %x %d\n", g.a, g.b, g.c, g.d, g.e);
	g.e = 2;
	printf("%d\n", g.e);
	all.w = -1;
	all.v = -1;
	all.t = 6;
	printf("%x %x %d\n", all.w, all.v, all.t);
	all.t = 0;
	printf("%x %x %d %d\n", all.w, all.v, all.t, sizeof (struct all));
}
BEGIN
{
	self->s.b = -16;
	arr[3].c = 7;
	arr[3].c += 5;
	k = 3;
	arr[k++].a = k;
	printf("%d %d %d %d %d\n", self->s.b, self->s.a, arr[3].c, arr[3].a, k);
	arr[arr[3].c = 12].d += 4;
	printf("%d %d\n", arr[12].d, arr[3].c);
}
BEGIN
{
	/* a guest's packed struct: c lies across two words */
	this->p = (struct bits *)alloca(8);
	this->q = (uint64_t *)this->p;
	*this->q = -1;
	this->p->c = 0x5a;
	printf("%x %x\n", *this->q, this->p->c);
	this->p->c += 0x101;
	this->p->a = 0;
	printf("%x %d %d %x\n", *this->q, this->p->a, this->p->b, this->p->c);
	*this->q = 0;
	this->p->c = ~0;
	printf("%x\n", *this->q);
	exit(0);
}
