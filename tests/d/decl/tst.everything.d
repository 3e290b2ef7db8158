/* Declarations of all sorts are taken. */
#pragma D option quiet
#pragma D attributes Stable/Stable/Common later
#pragma D binding "1.0" later
#pragma D depends_on provider t
typedef unsigned long long int ull, *ullp;
typedef int (*fn_t)(int, char *, ...), arr_t[4];
enum shape { ROUND, SQUARE = 5, OVAL, };
struct node { struct node *next; unsigned flag : 3, : 2, other : 7; union { long l; char c[8]; } u; };
union both { int i; char c; };
extern int prototype(const char *s, int n);
int global, *pointer, array[3];
self struct node theirs;
struct node mine;
this string text;
struct node assoc[string, int *, enum shape];
const volatile int cv;
inline int later = OVAL;
provider mine { probe start(int, char *); probe done(int) : (long); };
;
BEGIN
{
	printf("%d %d %d %d\n", later, sizeof (ull), sizeof (struct node), offsetof(struct node, u));
	printf("%d %d %d\n", sizeof (fn_t), sizeof (arr_t), ROUND);
	mine.u.l = 0x4142;
	printf("%c\n", mine.u.c[0]);
	array[1] = 4;
	printf("%d %d\n", array[1], array[2]);
	this->text = "t";
	printf("%s\n", this->text);
	exit(0);
}
