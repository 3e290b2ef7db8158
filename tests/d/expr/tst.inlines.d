/* Inlines, with parameters too, and translators of the program. */
#pragma D option quiet
inline int TEN = 10;
inline long twice[long v] = v * 2;
inline int bigger[int a, int b] = a > b ? a : b;
struct pair { int first; string second; long third; };
translator struct pair < struct point *P > {
	first = P->x;
	second = P->y < 0 ? "negative" : "positive";
	third = twice[P->x];
};
struct one { int v; };
translator struct one < int I > { v = I + 1; };
BEGIN
{
	printf("%d %d %d\n", TEN, twice[TEN + 1], bigger[3, twice[2]]);
	printf("%d %s %d\n", xlate<struct pair *>(&`points[2])->first,
	    xlate<struct pair>(&`points[2]).second, xlate<struct pair>(&`points[1]).third);
	printf("%d\n", xlate<struct one>(41).v);
	exit(0);
}
