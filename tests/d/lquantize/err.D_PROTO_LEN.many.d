BEGIN { @ = lquantize(1, 5, 6, 1, 1, 1); }
