/* Columns of trace(): integers by size and sign, strings, bytes, addresses. */
BEGIN
{
	trace((char)-1); trace((unsigned char)255); trace((short)-2); trace((unsigned short)2);
}
BEGIN { trace(-3); trace((unsigned int)3); trace(-4LL); trace((uint64_t)-4); }
BEGIN { trace("plain"); trace("tab\there"); trace("\033[31mred\n"); trace(""); }
BEGIN { trace(`name); trace(`points[1]); trace(`flags); }
BEGIN { trace(RED); trace(&`answer == NULL); trace((void *)0x10); }
BEGIN { sym((uintptr_t)&`answer); trace(sym(0xffffffff81000100)); mod(0xffffffff81000100); func(1); }
t:m:hit:entry
/arg1 == 0/
{
	usym(0x400010); ufunc(0x400810); umod(0x400010); uaddr(0x400010);
}
END { exit(3); }
