/* A variable of more than a megabyte, where it is used. */
char big[1048577];
char fits[1048576];

BEGIN
{
	fits[0] = 1;
	big[0] = 1;
	exit(0);
}
