t:m:hit: { trace(args[0]); }
