/* Variables of struct type hold a copy; members, nested ones, bit-fields. */
#pragma D option quiet
struct inner { char a; int b; };
struct outer { int x; struct inner in[3]; struct { short s; union { int i; char ch; }; } deep; };
struct outer o;
BEGIN
{
	this->p = `points[3];
	printf("%d %d %d\n", this->p.x, this->p.y, this->p.s);
	o.x = 5;
	o.in[1].b = 6;
	o.deep.s = -2;
	o.deep.i = 65;
	printf("%d %d %d %d %c\n", o.x, o.in[1].b, o.in[2].b, o.deep.s, o.deep.ch);
	printf("%d %d\n", sizeof (struct outer), offsetof(struct outer, deep));
	pts[1] = `points[2];
	printf("%d\n", pts[1].x);
	exit(0);
}
