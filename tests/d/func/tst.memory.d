/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alloca(), bcopy(); copyin() and its kin have no user memory here. */
#pragma D option quiet
BEGIN
{
	this->p = (char *)alloca(8);
	printf("[%s] %d\n", stringof(this->p), (uintptr_t)this->p % 8);
	bcopy("hello", this->p, 6);
	printf("[%s]\n", stringof(this->p));
	bcopy(&`name, this->p, 5);
	printf("[%s]\n", stringof(this->p));
	bcopy(this->p, this->p + 1, 5);
	printf("[%s]\n", stringof(this->p));
	this->i = (int *)alloca(sizeof(int));
	*this->i = 77;
	this->q = (int *)alloca(sizeof(int));
	bcopy(this->i, this->q, sizeof(int));
	printf("%d\n", *this->q);
	this->z = alloca(0);
	printf("%d\n", this->z != NULL);
	exit(0);
}
