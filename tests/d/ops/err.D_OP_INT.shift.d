BEGIN { trace(1 << execname); }
