/* Strings: %s and %S, of D and of the guest, width and precision. */
#pragma D option quiet
BEGIN
{
	printf("[%s] [%10s] [%-10s] [%.2s] [%5.1s] [%.*s]\n", "abc", "abc", "abc", "abc", "abc", 1,
	    "abc");
	printf("[%s] [%16s] [%.5s]\n", `name, `name, `name);
	printf("[%s] [%s] [%S]\n", stringof(`name), execname, execname);
	printf("[%S] [%S]\n", "a\tb\n\033[1mc", "\\");
	printf("[%s]\n", strjoin("a\n", "\033[31mred"));
	exit(0);
}
