/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A struct is laid out, and its members are assigned, as by a C compiler. */
#pragma D option quiet
struct S { _Bool m1eebfb3 : 1; signed char m2b7bb591[2]; };
struct S g; self struct S t; this struct S l; struct S as[int]; struct S *pp;
BEGIN {
pp = (struct S *)alloca(sizeof (struct S));
printf("%d\n", sizeof (struct S));
printf("%d\n", (int64_t)(as[3].m2b7bb591[1] = 128));
printf("%d\n", (int64_t)((*pp).m1eebfb3 &= as[3].m2b7bb591[0]));
printf("%d\n", (int64_t)(g.m2b7bb591[1] = as[3].m1eebfb3));
printf("%d\n", (int64_t)(as[3].m1eebfb3 ^= (*pp).m1eebfb3));
printf("%d\n", (int64_t)(self->t.m1eebfb3 ^= (*pp).m1eebfb3));
printf("%d\n", (int64_t)((*pp).m2b7bb591[1] &= self->t.m2b7bb591[0]));
printf("%d\n", (int64_t)(self->t.m2b7bb591[1] = 244837814094590));
printf("%d\n", (int64_t)(self->t.m1eebfb3 &= (*pp).m2b7bb591[0]));
printf("%d\n", (int64_t)(this->l.m2b7bb591[0] = as[3].m2b7bb591[1]));
printf("%d\n", (int64_t)(this->l.m2b7bb591[1] = 65535));
printf("%d\n", (int64_t)(this->l.m2b7bb591[0] = 305419896));
printf("%d\n", (int64_t)(this->l.m1eebfb3 |= self->t.m2b7bb591[0]));
printf("%d\n", (int64_t)(g.m2b7bb591[0] = -2));
printf("%d\n", (int64_t)(self->t.m2b7bb591[1] = 0));
self->t = (*pp);
printf("%d\n", (int64_t)(this->l.m2b7bb591[0] = 32767));
printf("%d\n", (int64_t)(as[3].m2b7bb591[1] ^= (*pp).m1eebfb3));
(*pp) = self->t;
self->t = this->l;
printf("%d\n", (int64_t)(this->l.m2b7bb591[1] = -1));
printf("%d\n", (int64_t)(g.m2b7bb591[0] = 2));
printf("%d\n", (int64_t)((*pp).m2b7bb591[1] = 128));
printf("%d\n", (int64_t)(self->t.m2b7bb591[0] = 305419896));
printf("%d\n", (int64_t)(self->t.m2b7bb591[1] = 3));
printf("%d\n", (int64_t)(this->l.m1eebfb3 = -2635845098835689679));
printf("%d\n", (int64_t)g.m1eebfb3);
printf("%d\n", (int64_t)g.m2b7bb591[0]);
printf("%d\n", (int64_t)g.m2b7bb591[1]);
printf("%d\n", (int64_t)self->t.m1eebfb3);
printf("%d\n", (int64_t)self->t.m2b7bb591[0]);
printf("%d\n", (int64_t)self->t.m2b7bb591[1]);
printf("%d\n", (int64_t)this->l.m1eebfb3);
printf("%d\n", (int64_t)this->l.m2b7bb591[0]);
printf("%d\n", (int64_t)this->l.m2b7bb591[1]);
printf("%d\n", (int64_t)as[3].m1eebfb3);
printf("%d\n", (int64_t)as[3].m2b7bb591[0]);
printf("%d\n", (int64_t)as[3].m2b7bb591[1]);
printf("%d\n", (int64_t)(*pp).m1eebfb3);
printf("%d\n", (int64_t)(*pp).m2b7bb591[0]);
printf("%d\n", (int64_t)(*pp).m2b7bb591[1]);
exit(0); }
