// opts: quiet
/* By value, then by key; and what the options change. */
BEGIN
{
	@a["b", 2] = sum(5);
	@a["a", 9] = sum(5);
	@a["c", 1] = sum(-3);
	@a["a", -4] = sum(5);
	@b["a", 9] = max(1);
	@b["b", 2] = max(2);
	@b["z", 0] = max(3);
}
END
{
	printa("%s %d: %@d\n", @a);
	setopt("aggsortkey");
	printf("by key\n");
	printa("%s %d: %@d\n", @a);
	setopt("aggsortkeypos", "1");
	printf("by key 1\n");
	printa("%s %d: %@d\n", @a);
	setopt("aggsortrev");
	printf("reverse\n");
	printa("%s %d: %@d\n", @a);
	setopt("aggsortrev", "0");
	setopt("aggsortkey", "0");
	setopt("aggsortkeypos", "0");
	printf("several\n");
	printa("%s %d: %@d %@d\n", @a, @b);
	setopt("aggsortpos", "1");
	printf("by the second\n");
	printa("%s %d: %@d %@d\n", @a, @b);
	setopt("aggsortrev");
	printf("reverse\n");
	printa(@a, @b);
}
