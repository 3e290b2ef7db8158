/* ++, -- and op= on every kind of variable, and on memory. */
#pragma D option quiet
char c;
BEGIN
{
	printf("%d %d %d\n", n++, n, ++n);
	printf("%d %d %d\n", n--, n, --n);
	printf("%d %d\n", a[1]++, ++a[1]);
	printf("%d %d\n", self->x++, ++self->x);
	this->y = 10;
	this->y += 5;
	this->y -= 3;
	this->y *= 4;
	this->y /= 5;
	this->y %= 7;
	printf("%d\n", this->y);
	this->y <<= 4;
	this->y >>= 1;
	this->y |= 1;
	this->y ^= 3;
	this->y &= 0xfe;
	printf("%d\n", this->y);
	k = 0;
	a[k++] = 5;
	a[k++] += 7;
	printf("%d %d %d\n", k, a[0], a[1]);
	c = 127;
	c++;
	printf("%d\n", c);
	p = (int *)alloca(16);
	*p = 42;
	p[1] = *p + 1;
	p[1]++;
	p[2] += 5;
	printf("%d %d %d\n", p[0], p[1], p[2]);
	q = p + 2;
	printf("%d %d\n", *q, q - p);
	q--;
	printf("%d\n", *q);
	v = w = 3;
	printf("%d %d\n", v, w);
	exit(0);
}
