// args: 12 word -3 with.dots
/* Numbers and names as they are, anything with $$; ids are numbers. */
BEGIN
{
	word = 5;
	printf("%d %d %d %s %s ", $1, $2, $3, $$4, $$1);
	printf("%d %d %d %d\n", $pid == 77, $ppid + $uid + $euid + $gid, $egid + $pgid + $sid,
	    $$pid == "77");
	exit(0);
}
