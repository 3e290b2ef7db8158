/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BEGIN runs outside of the guest: it has no stack there, and no caller. */
BEGIN
{
	stack();
	stack(3);
	ustack();
	ustack(2, 0);
	ustack(2, 100);
	printf("%d %d %d %d\n", caller, stackdepth, ucaller, ustackdepth);
	printf("%k|%k", stack(2), ustack());
	@[stack(2), ustack(3), caller] = count();
	@k[stack(1)] = sum(stackdepth);
}
END
{
	printa("%k%k%p %@d\n", @);
}
