# 70 "elsewhere.d"
BEGIN
{
	trace(;
}
