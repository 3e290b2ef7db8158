BEGIN { @ = quantize(1, execname); }
