/* Global, self-> and this-> variables; arrays with keys of several types. */
#pragma D option quiet
self int s;
uint64_t last[int];
string names[int, string];
BEGIN
{
	g = 5;
	self->s = 6;
	this->t = 7;
	printf("%d %d %d\n", g, self->s, this->t);
	last[1] = 100;
	last[2] = 200;
	names[1, "a"] = "one";
	names[2, "b"] = "two";
	printf("%d %d %d\n", last[1], last[2], last[3]);
	printf("%s %s\n", names[1, "a"], names[2, "b"]);
	self->m[curthread, 3, "x"] = 9;
	printf("%d\n", self->m[curthread, 3, "x"]);
	e[1, 2, 3, 4, 5, 6, 7, 8] = 88;
	printf("%d %d\n", e[1, 2, 3, 4, 5, 6, 7, 8], e[1, 2, 3, 4, 5, 6, 7, 9]);
	e[1, last[1] == 100 ? 2 : 0, strlen("abc"), 4, g, 6, this->t, 8] = 99;
	printf("%d\n", e[1, 2, 3, 4, 5, 6, 7, 8]);
}
BEGIN
{
	printf("%d %d %d\n", g, self->s, this->t);
	exit(0);
}
