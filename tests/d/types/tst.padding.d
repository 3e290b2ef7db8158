/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A struct is laid out, and its members are assigned, as by a C compiler. */
#pragma D option quiet
struct S { _Bool m2a350a4d : 1; unsigned long : 5; _Bool m2ebb201d[2]; };
struct S g; self struct S t; this struct S l; struct S as[int]; struct S *pp;
BEGIN {
pp = (struct S *)alloca(sizeof (struct S));
printf("%d\n", sizeof (struct S));
as[3] = self->t;
self->t = (*pp);
printf("%d\n", (int64_t)(self->t.m2a350a4d = as[3].m2ebb201d[0]));
printf("%d\n", (int64_t)(self->t.m2ebb201d[1] = -3895359863548555074));
printf("%d\n", (int64_t)((*pp).m2a350a4d = g.m2ebb201d[0]));
printf("%d\n", (int64_t)((*pp).m2ebb201d[1] = this->l.m2ebb201d[1]));
printf("%d\n", (int64_t)(as[3].m2ebb201d[0] -= g.m2ebb201d[0]));
printf("%d\n", (int64_t)(self->t.m2ebb201d[1] = 1));
printf("%d\n", (int64_t)(g.m2a350a4d = 1));
printf("%d\n", (int64_t)(as[3].m2a350a4d = 2));
printf("%d\n", (int64_t)((*pp).m2ebb201d[0] = 305419896));
printf("%d\n", (int64_t)((*pp).m2a350a4d = 2));
this->l = as[3];
printf("%d\n", (int64_t)(this->l.m2ebb201d[1] = 1));
printf("%d\n", (int64_t)(self->t.m2ebb201d[1] = 244837814094590));
printf("%d\n", (int64_t)(g.m2ebb201d[1] = -2147483648));
self->t = g;
g = (*pp);
(*pp) = g;
printf("%d\n", (int64_t)(this->l.m2ebb201d[0] *= (*pp).m2ebb201d[1]));
printf("%d\n", (int64_t)(as[3].m2a350a4d = -128));
printf("%d\n", (int64_t)(self->t.m2a350a4d |= as[3].m2ebb201d[0]));
printf("%d\n", (int64_t)((*pp).m2ebb201d[0] |= g.m2ebb201d[1]));
printf("%d\n", (int64_t)(self->t.m2ebb201d[1] = 2));
printf("%d\n", (int64_t)(self->t.m2ebb201d[0] = 128));
printf("%d\n", (int64_t)g.m2a350a4d);
printf("%d\n", (int64_t)g.m2ebb201d[0]);
printf("%d\n", (int64_t)g.m2ebb201d[1]);
printf("%d\n", (int64_t)self->t.m2a350a4d);
printf("%d\n", (int64_t)self->t.m2ebb201d[0]);
printf("%d\n", (int64_t)self->t.m2ebb201d[1]);
printf("%d\n", (int64_t)this->l.m2a350a4d);
printf("%d\n", (int64_t)this->l.m2ebb201d[0]);
printf("%d\n", (int64_t)this->l.m2ebb201d[1]);
printf("%d\n", (int64_t)as[3].m2a350a4d);
printf("%d\n", (int64_t)as[3].m2ebb201d[0]);
printf("%d\n", (int64_t)as[3].m2ebb201d[1]);
printf("%d\n", (int64_t)(*pp).m2a350a4d);
printf("%d\n", (int64_t)(*pp).m2ebb201d[0]);
printf("%d\n", (int64_t)(*pp).m2ebb201d[1]);
exit(0); }
