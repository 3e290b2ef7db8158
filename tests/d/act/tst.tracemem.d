/* tracemem(): how many bytes are shown may be known only when it runs. */
BEGIN
{
	tracemem(&`name, 16);
}
BEGIN
{
	x = 5;
	tracemem(&`points, 32, x);
	tracemem(&`points, 32, 0);
	tracemem(&`points, 20, 1000);
	tracemem(&`name, 16, -1);
	tracemem(`name, 16, strlen(`name));
	exit(0);
}
