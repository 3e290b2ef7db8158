BEGIN { @ = llquantize(1, 10, 65536, 65537, 10); }
