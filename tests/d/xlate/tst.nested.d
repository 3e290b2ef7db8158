/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Translators of structs and pointers, inside each other and by input; inlines of all kinds. */
#pragma D option quiet
int n;
struct in { int a; string s; };
struct out { struct in inner; struct in *ip; int n; char name[16]; int arr[3]; struct point pt; uintptr_t addr; };
translator struct in < int I > { a = I * 2; s = I > 1 ? "many" : "few"; };
translator struct out < struct point *P > {
	inner = xlate<struct in>(P->x);
	ip = xlate<struct in *>(P->x + 1);
	n = xlate<struct in>(P->x).a + 1;
	name = `name;
	pt = *P;
	addr = (uintptr_t)P;
};
translator struct out < struct bits *B > { n = B->a; };
typedef struct in in_t;
inline struct in twice[int v] = xlate<struct in>(v);
inline in_t *curin = xlate<in_t *>(7);
inline string label[int v, string s] = strjoin(s, v > 0 ? "+" : "-");
inline int fact3[int a] = a * (a - 1) * (a - 2);
inline int nested[int a] = fact3[a] + fact3[a - 1];
inline struct point *PT = &`points[2];
inline uint64_t NOW = timestamp;
inline string NAME = execname;
inline int COUNTER = n++;
BEGIN {
	this->p = &`points[1];
	printf("%d %s\n", xlate<struct out>(this->p).inner.a, xlate<struct out *>(this->p)->inner.s);
	printf("%d %s\n", xlate<struct out>(this->p).ip->a, xlate<struct out *>(this->p)->ip->s);
	printf("%d %s %d %d\n", xlate<struct out>(this->p).n, xlate<struct out>(this->p).name, xlate<struct out>(this->p).pt.x, xlate<struct out>(this->p).addr == (uintptr_t)this->p);
	printf("%d\n", xlate<struct out *>(&`flags)->n);
	printf("%d %d %s\n", twice[4].a, curin->a, curin->s);
	printf("%s %s %d\n", label[1, "x"], label[-1, "y"], nested[5]);
	printf("%d %d %s\n", PT->x, NOW != 0, NAME);
	printf("%d %d %d\n", COUNTER, COUNTER, n);
	exit(0);
}
