/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structs are assigned as a whole. */
#pragma D option quiet
int a[3];
struct s { int i; int a[3]; } s1, s2;
BEGIN { s1.i = 3; s1.a[1] = 5; s2 = s1; s1.i = 4; printf("%d %d\n", s2.i, s2.a[1]); self->s = s1; printf("%d\n", self->s.i); x[1] = s1; printf("%d\n", x[1].a[1]);
  this->p = x[1]; printf("%d\n", this->p.i);  this->c = 1 ? s1 : s2; printf("%d\n", this->c.i); a[1] = 5; @[a[1]] = count(); exit(0); }
