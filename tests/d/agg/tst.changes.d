// opts: quiet
/* normalize, denormalize, clear and trunc in every form. */
BEGIN
{
	@a[1] = sum(10);
	@a[2] = sum(20);
	@a[3] = sum(-30);
	@a[4] = sum(40);
	@q = quantize(100, 50);
	@avg = avg(9);
}
END
{
	normalize(@a, 10);
	printa("%d:%@d ", @a);
	printa("%d:%@d ", @a);
	normalize(@a, 3);
	printa("| %d:%@d ", @a);
	denormalize(@a);
	printa("| %d:%@d ", @a);
	normalize(@q, 10);
	normalize(@avg, 3);
	printa(@q);
	printa("avg %@d\n", @avg);
	trunc(@a, 3);
	printa("top %d:%@d\n", @a);
	trunc(@a, -2);
	printa("bottom %d:%@d\n", @a);
	clear(@a);
	printa("cleared %d:%@d\n", @a);
	trunc(@a, 5);
	printa("kept %d:%@d\n", @a);
	trunc(@a, 0);
	printa("none %d:%@d\n", @a);
	trunc(@avg);
	printa("none %@d\n", @avg);
	clear(@q);
	printa(@q);
}
