/* At the end: a blank line, then what no printa() printed. */
BEGIN
{
	@first[1] = count();
	@shown[2] = count();
	@quant["k"] = quantize(3);
	@last = max(7);
	printa(@shown);
	exit(0);
}
