/* %a and %A: addresses as symbols; %p of arrays is where they are. */
#pragma D option quiet
BEGIN
{
	printf("%a %a %a %a\n", &`answer, (uint64_t)&`answer + 4, 0xffffffff81000100, 16);
	printf("[%20a] [%-20a] [%.5a]\n", &`answer, &`answer, &`answer);
	printf("%a %a\n", sym(0xffffffff81000104), mod(0xffffffff81000104));
	printf("%a %a %a\n", `name, `points, &`points[1]);
}
t:m:hit:entry
/arg1 == 0/
{
	printf("%A %A %A\n", usym(0x400010), umod(0x7f0000000808), uaddr(0x7f0000000808));
	printf("%A\n", uaddr(0x1234));
}
