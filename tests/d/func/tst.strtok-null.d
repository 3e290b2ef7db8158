/* SPDX-License-Identifier: GPL-2.0-or-later */
string g;
/* strtok(NULL, ...) goes on with the string of the call before, in one clause. */
#pragma D option quiet
BEGIN
{
	this->a = strtok(",a,b;c", ",;");
	this->b = strtok(NULL, ",;");
	this->c = strtok(0, ",;");
	this->d = strtok(NULL, ",;");
	printf("[%s] [%s] [%s] [%s] %d\n", this->a, this->b, this->c, this->d, this->d == NULL);
	g = this->d;
	self->g = this->d;
	printf("[%s] [%s]\n", g, self->g);
	exit(0);
}
