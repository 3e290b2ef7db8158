/* Negative values in every function. */
#pragma D option quiet
t:m:hit:return
{
	this->v = args[0] * 7 - 1;
	@sum = sum(this->v);
	@min = min(this->v);
	@max = max(this->v);
	@avg = avg(this->v);
	@dev = stddev(this->v);
	@quant = quantize(this->v);
	@mixed = quantize(arg1 * 2 + 1);
	@less = quantize(this->v, -1);
	@both = quantize(arg1, (int)arg1 + 1);
	@lin = lquantize(args[0], -2, 3);
	@step = lquantize(args[0] * 10, -15, 15, 10);
	@log = llquantize(-args[0] * 50, 10, 0, 2, 20);
}
