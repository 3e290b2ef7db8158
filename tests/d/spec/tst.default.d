/* A clause that only speculates traces the default action, once it is committed. */
BEGIN
{
	self->id = speculation();
}
BEGIN
{
	speculate(self->id);
}
BEGIN
{
	commit(self->id);
}
BEGIN
{
	exit(0);
}
