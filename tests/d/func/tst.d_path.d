/* SPDX-License-Identifier: GPL-2.0-or-later */
/* d_path() of a path and of an open file; a string like others. */
#pragma D option quiet
BEGIN
{
	printf("%s\n", d_path(&`passwd));
	printf("%s\n", d_path(&`opened));
	printf("%s\n", d_path(&`opened.f_path));
	printf("%s\n", d_path(&`gone));
	printf("%s %s\n", basename(d_path(&`passwd)), dirname(d_path(&`opened)));
	@[d_path(&`passwd)] = count();
}
BEGIN
{
	trace(d_path((struct path *)0));
}
BEGIN
{
	trace(d_path((struct file *)0));
}
ERROR
{
	printf("fault %d %x\n", arg4, arg5);
}
BEGIN
{
	exit(0);
}
