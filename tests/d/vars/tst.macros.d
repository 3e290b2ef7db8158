// args: 12 word TEN
/* Macro arguments: numbers, strings, names. */
#pragma D option quiet
inline int TEN = 10;
BEGIN
{
	printf("%d %s %d %d %s\n", $1, $$2, $3, $pid == 77, $$1);
	exit(0);
}
t:m:hit:entry /$1 == 12/ { }
