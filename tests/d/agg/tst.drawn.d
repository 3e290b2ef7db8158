// opts: quiet
/* agghist, aggpack and aggzoom. */
BEGIN
{
	@c["sh"] = sum(3);
	@c["cat"] = sum(5);
	@neg["up"] = sum(4);
	@neg["down"] = sum(-4);
	@q["a"] = quantize(5);
	@q["a"] = quantize(9);
	@q["b"] = quantize(1000);
	@n = count();
}
END
{
	setopt("agghist");
	printa(@c);
	printa(@neg);
	printa(@n);
	setopt("aggzoom");
	printa(@c);
	setopt("aggpack");
	printa(@q);
	setopt("aggpack", "0");
	printa(@q);
}
