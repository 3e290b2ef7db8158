BEGIN { @a = llquantize(1, 10, timestamp, 3, 10); }
