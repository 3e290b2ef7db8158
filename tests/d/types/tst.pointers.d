/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nested structs, anonymous members, pointers into them. */
#pragma D option quiet
struct a { int x; struct b { int y; } b; struct { int z; }; union { int q; char r; } ; };
struct b bb;
struct a aa;
struct a *pa;
BEGIN { bb.y = 3; aa.b = bb; aa.z = 5; aa.q = 65; printf("%d %d %c %d\n", aa.b.y, aa.z, aa.r, sizeof(struct a));
 pa = (struct a *)alloca(sizeof(struct a)); *pa = aa; printf("%d %d\n", pa->b.y, pa->z); pa->b.y = 8; printf("%d\n", (*pa).b.y); 
 this->pp = &pa->b.y; *this->pp = 11; printf("%d %d\n", pa->b.y, *this->pp); 
 this->pi = &pa->z; printf("%d\n", this->pi - this->pp);
 printf("%d\n", &pa->z == this->pi); printf("%d %d\n", this->pp < this->pi, (char *)this->pi - (char *)this->pp);
 exit(0); }
