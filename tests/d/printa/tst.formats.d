#pragma D option quiet
/* Keys and values in every form; several aggregations; a format without values. */
BEGIN
{
	@a["one", 1] = sum(-65);
	@a["two", -2] = sum(66);
	@b["two", -2] = max(0);
	@t = max(1796077071000000000);
	@n = count();
	@sym[sym(0xffffffff81000010), mod(0xffffffff81000010)] = count();
	@addr[0xffffffff81000100] = count();
	@q[1] = quantize(8);
}
END
{
	printa("%-6s|%4d|%@6d|%-@6d|%+@d|%@x\n", @a);
	printa("%10s %@d %@d %@d\n", @a);
	printa("%s:%d %@d %@d\n", @a, @b);
	printa("%s\n", @a);
	printa("no keys, no values\n", @a);
	printa("%@Y %@T\n", @t, @t);
	printa("[%@5u] [%-5@u] [%05@d] [%@.3d] [%@c] [%@.1f] [%@o]\n", @n);
	printa("%@a\n", @addr);
	printa("%a %@d\n", @addr);
	printa("%p %@d\n", @addr);
	printa("%a %a %@d\n", @sym);
	printa("%d%@d\n", @q);
	printa(@a, @b);
	printa("100%% %@d\n", @n);
}
