/* trace() of every kind of value, and the default action. */
BEGIN
{
	trace(1);
	trace((char)2);
	trace((short)-3);
	trace(4LL);
	trace(0xffffffffffffffff);
	trace("string");
	trace(`name);
}
BEGIN { }
BEGIN { x = 1; }
BEGIN /0/ { trace(1); }
BEGIN
{
	tracemem(&`name, 16);
	exit(5);
}
