/* speculate, commit and discard; a speculation without data. */
#pragma D option nspec=4
t:m:hit:entry
{
	self->spec = speculation();
	speculate(self->spec);
	printf("entry %d", args[1]);
}
t:m:hit:return
/self->spec/
{
	speculate(self->spec);
}
t:m:hit:return
/self->spec && arg1 != -1/
{
	commit(self->spec);
	self->spec = 0;
}
t:m:hit:return
/self->spec/
{
	discard(self->spec);
	self->spec = 0;
}
