/* Types of the guest by module; NULL; pointers compared. */
#pragma D option quiet
struct point { char mine; };
struct vmlinux`point *p;
BEGIN
{
	p = (struct `point *)&`points[2];
	printf("%d %d\n", p->x, sizeof (struct point));
	printf("%d %d\n", p == NULL, p != NULL);
	s[1] = "x";
	printf("%d\n", s[1] == NULL);
	self->t = curthread;
	printf("%d\n", self->t == NULL);
	exit(0);
}
