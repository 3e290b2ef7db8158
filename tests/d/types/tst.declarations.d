/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations of all kinds, with every type word and D's own types. */
#pragma D option quiet
typedef int (*fp)(int, char *);
typedef struct node { struct node *next; int v; fp f; } node_t;
struct fwd;
struct fwd *pf;
union u { int i; char c[4]; unsigned char b[4]; };
enum color { red, green = 5, blue };
enum { A = 1, B, C = A + B * 2, };
enum color col;
typedef enum { ON, OFF } sw_t;
sw_t sw;
int funct(int a, char b, ...);
extern int ext;
int *arr[3];
int (*parr)[3];
char **pp;
const volatile unsigned long long int ull;
long long ll; unsigned un; short int si; signed char sc; long int li; long unsigned lu; _Bool bo;
int8_t i8; int16_t i16; int32_t i32; int64_t i64; uint8_t u8; uint16_t u16; uint32_t u32; uint64_t u64;
uintptr_t up; intptr_t ip; size_t sz; ssize_t ssz; pid_t pid1; id_t id1; uid_t uu; gid_t gg; ushort_t us; uint_t ui; ulong_t ul; uchar_t uc; longlong_t l2; u_longlong_t u2; caddr_t ca; hrtime_t ht; zoneid_t zz; taskid_t tk; projid_t pj; major_t ma; minor_t mi;

BEGIN
{
	printf("%d %d %d %d\n", sizeof (node_t), sizeof (fp), sizeof (arr), sizeof (parr));
	printf("%d %d %d %d %d %d\n", sizeof (ull), sizeof (ll), sizeof (un), sizeof (si), sizeof (sc), sizeof (bo));
	i8 = i16 = i32 = i64 = -1;
	u8 = u16 = u32 = u64 = -1;
	printf("%d %d %d %d\n", i8, i16, i32, i64);
	printf("%d %d %d %d\n", u8, u16, u32, u64);
	printf("%d %d %d %d %d\n", sizeof (up), sizeof (sz), sizeof (pid1), sizeof (id1), sizeof (ht));
	bo = 256;
	sw = OFF;
	printf("%d %d %d\n", bo, sw, sizeof (int (*)(char)));
	arr[1] = &`answer;
	pp = (char **)alloca(16);
	pp[1] = (char *)&`name;
	printf("%d %c\n", *arr[1], *pp[1]);
	parr = (int (*)[3])alloca(24);
	(*parr)[2] = 7;
	parr[1][0] = 8;
	printf("%d %d %d\n", parr[0][2], (*parr)[3 - 1], *(parr[1]));
	pf = 0;
	printf("%d\n", pf == NULL);
	exit(0);
}
