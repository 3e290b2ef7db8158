/* if and else, nested, without braces; the predicate is asked once. */
#pragma D option quiet
t:m:hit:entry
/n++ < 10/
{
	printf("%d: ", args[1]);
	if (args[1] == 0)
		printf("zero");
	else if (args[1] == 1) {
		printf("one");
		if (n == 2)
			printf(" second");
		else
			printf(" wrong");
	} else {
		this->v = args[1] * 2;
		printf("many %d", this->v);
	}
	printf("\n");
}
t:m:hit:return
{
	if (arg1 == 0) {
		@zero = count();
	}
	if (arg1 != 0) {
		@other = count();
	}
}
END
{
	printf("n = %d\n", n);
	printa("%@d %@d\n", @zero, @other);
}
