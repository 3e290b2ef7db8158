BEGIN { @a = llquantize(1, timestamp, 0, 3, 10); }
