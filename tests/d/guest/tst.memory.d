/* Members, arrays, symbols, pointers and bit-fields of the guest. */
#pragma D option quiet
BEGIN
{
	printf("%d %d\n", `answer, vmlinux`answer);
	printf("%d %d %d\n", `points[2].x, `points[2].y, `points[2].s);
	printf("%d %d\n", `points[3].u, `points[3].color == RED);
	printf("%d %d %d\n", `flags.a, `flags.b, `flags.c);
	printf("%s %d\n", stringof(`name), `name[1]);
	printf("%d %s\n", `cur->pid, `cur->comm);
	printf("%d %d\n", `cur->next->pid, (&`points[1])->x);
	i = 2;
	printf("%d %d\n", `points[i].x, (`points + i)->x);
	printf("%d\n", *(int *)&`answer);
	printf("%d\n", &`points[1] - &`points[0]);
	printf("%d\n", (uintptr_t)&`answer == (uintptr_t)&`untyped);
	printf("%d %d\n", RED, GREEN);
	mine = 1;
	exit(0);
}
