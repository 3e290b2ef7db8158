BEGIN { trace(1 ? execname : 1); }
