/* The DIF of conditions: branches, no values; constants are folded. */
BEGIN
/timestamp > 5 && (pid == 3 || !errno)/
{
	x = timestamp ? 1 + 2 * 3 : 4;
	exit(0);
}
