/* All aggregating functions; normalize, trunc, clear, printa. */
#pragma D option quiet
t:m:hit:entry
{
	@c[args[1]] = count();
	@s = sum(arg2);
	@mi = min(arg2);
	@ma = max(arg2);
	@av = avg(arg2);
	@sd = stddev(arg2);
	@q = quantize(arg2);
	@q3 = quantize(arg2, 3);
	@l = lquantize(arg2, 0, 100, 10);
	@ll = llquantize(arg2, 10, 0, 3, 10);
	@two[execname, args[1]] = sum(args[1]);
	@two2[execname, args[1]] = max(args[1]);
}
END
{
	printa("%d: %@d\n", @c);
	printa("%@d %@d %@d %@d\n", @s, @mi, @ma, @av);
	printa(@q);
	printa(@l);
	printa(@ll);
	printa("%-5s %3d %@5d %@5d %@5d\n", @two, @two2);
	normalize(@s, 10);
	printa("%@d %@x\n", @s);
	denormalize(@s);
	printa("%@d\n", @s);
	trunc(@c, 1);
	printa("%d: %@d\n", @c);
	clear(@c);
	printa("%d: %@d\n", @c);
	trunc(@c);
}
