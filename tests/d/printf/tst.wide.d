/* SPDX-License-Identifier: GPL-2.0-or-later */
/* %ws: a string of wchar_t, to its end or its precision. */
#pragma D option quiet
struct wide { wchar_t w[6]; };
BEGIN
{
	this->p = (struct wide *)alloca(sizeof(struct wide));
	this->p->w[0] = 'd'; this->p->w[1] = 0xe9; this->p->w[2] = 0x20ac; this->p->w[3] = 'x';
	printf("[%ws] [%.2ws] [%8ws]\n", this->p->w, this->p->w, this->p->w);
	printf("[%wc]\n", this->p->w[1]);
	exit(0);
}
