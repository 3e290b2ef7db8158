BEGIN { @ = lquantize(1, 0, 6, 1, execname); }
