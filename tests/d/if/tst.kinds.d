/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In branches: variables, aggregations, actions, speculations, other ifs; exit(). */
#pragma D option quiet
#pragma D option nspec=4
t:m:hit:entry
{
	this->kind = args[1] == 0 ? "zero" : "more";
	if (args[1] == 0) {
		self->seen = timestamp != 0;
		total[this->kind] = 10;
		@n["zero"] = count();
		trace(curthread->comm);
		trace(this->kind);
	} else if (args[1] == 1) {
		total[this->kind] += 5;
		@n["one"] = count();
		printf(" %s %d", this->kind, self->seen);
	} else if (args[1] == 2)
		if (self->seen)
			if (total["zero"] != 10)
				printf("wrong");
			else
				printf(" dangling");
		else
			printf("wrong");
	else
		printf("wrong");
	printf(" after\n");
}
t:m:hit:return
{
	self->spec = speculation();
	if (self->spec) {
		speculate(self->spec);
		printf("speculated %d\n", arg1);
	}
}
t:m:hit:return
{
	if (arg1 == 0)
		discard(self->spec);
	else
		commit(self->spec);
}
t:m:hit:return
/arg1 != 0/
{
	if (arg1 == -1) {
		x = 1;
		if (x) { y = 2; if (y == 2) { z = x + y; } else { z = 0; } }
	}
	if (z == 3 && arg1 == -2) {
		printf("z = %d\n", z);
		exit(3);
		printf("the rest of the clause\n");
	}
}
END
{
	if (z) printa("%s %@d\n", @n); else printf("wrong\n");
}
