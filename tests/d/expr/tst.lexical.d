#!/usr/sbin/dvisor -s
/* Comments, division beside predicates, control lines, last semicolon. */
# 3 "other.d"
#pragma ident "@(#) somebody else's"
#pragma D option quiet
typedef unsigned int my_t;
int x;	// a comment
BEGIN
/ 8 / 2 == 4 / /* { not here */
{
	this->a = (my_t)6 / (my_t) 2;
	x = 9 / 3 / 1;
	printf("%d %d\n", this->a, x)
}
BEGIN /(4 / 2) / 2 == 1/
{
	/* a guest type's name is free for variables */
	mine = 4;
	u32 = mine * 2;
	printf("%d %d\n", u32, sizeof (u32));
	exit(0);
}
