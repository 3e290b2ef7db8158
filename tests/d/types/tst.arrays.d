/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays of C: of variables, in structs, of arrays; an index is checked when it runs. */
#pragma D option quiet
struct s { int x[3]; string name[2]; struct { char c; short h[2]; } in[2]; };
int m[2][3];
struct s g;
self struct s t;
this int l[4];
string names[3];
struct s by[int];
BEGIN
{
	i = 2;
	m[1][2] = 12;
	m[1][i - 2] = 10;
	printf("%d %d %d %d\n", m[1][2], m[1][0], m[0][i], sizeof (m) / sizeof (m[0]));
	g.x[i] = 7;
	g.in[i - 1].h[1] = -2;
	g.name[1] = "one";
	g.name[0] = probename;
	printf("%d %d %s %s %d\n", g.x[2], g.in[1].h[i - 1], g.name[1], g.name[0], g.in[1].h[0]);
	this->l[3] = i;
	this->l[this->l[3]] = 9;
	printf("%d %d\n", this->l[2], *(this->l + 3));
	names[i] = "two";
	printf("[%s] [%s]\n", names[2], names[0]);
	self->t.x[1] = 4;
	self->t.x[1]++;
	self->t.in[1].c = 'z';
	by[7].x[0] = 70;
	by[7].in[0].c = 'b';
	printf("%d %c %d %c\n", self->t.x[1], self->t.in[1].c, by[7].x[0], by[7].in[0].c);
	by[8] = by[7];
	by[7].x[0] = 1;
	printf("%d %d %d\n", by[8].x[0], by[7].x[0], by[9].x[0]);
	printf("%d %s\n", `points[i].x, `name);
	printf("%c\n", `name[i]);
}
BEGIN { trace(m[0][i + 1]); }
BEGIN { trace(m[i][0]); }
BEGIN { g.x[i + 1] = 1; }
BEGIN { this->l[-i] = 1; }
BEGIN { by[1].in[i].c = 1; }
BEGIN { trace(names[i + 1]); }
BEGIN { trace(`points[i + 2].x); }
BEGIN { trace(`name[i + 14]); }
BEGIN { trace(curthread->comm[i * 8]); }
BEGIN { trace((`name + 1)[i]); exit(0); }
ERROR
{
	printf("fault %d, address %x\n", arg4, arg5);
}
