BEGIN { @ = lquantize(1, 5); }
