/* Keys of every kind, and their columns. */
t:m:hit:entry
{
	@int8[(char)(args[1] - 1)] = count();
	@int16[(short)(args[1] - 1)] = count();
	@int32[args[1] - 1] = count();
	@int64[(int64_t)arg2 - 10] = count();
	@unsigned[(uint64_t)arg2 - 10] = count();
	@string[execname] = count();
	@array[`name] = count();
	@struct[`points[args[1] & 1]] = count();
	@sym[sym(0xffffffff81000010 + arg1)] = count();
	@func[func(0xffffffff81000010 + arg1 * 0x200)] = count();
	@mod[mod(0xffffffff81000010 + arg1 * 0x200)] = count();
	@usym[usym(0x400000 + arg1)] = count();
	@ufunc[ufunc(0x400000 + arg1 * 0x800)] = count();
	@umod[umod(0x400000 + arg1 * 0x800)] = count();
	@uaddr[uaddr(0x400000 + arg1)] = count();
	@several[execname, args[1], probename] = sum(args[1]);
	@none = count();
}
