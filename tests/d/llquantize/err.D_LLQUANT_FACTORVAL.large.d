BEGIN { @ = llquantize(1, 65536, 0, 2, 10); }
