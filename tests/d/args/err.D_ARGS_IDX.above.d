t:m:hit:entry { trace(args[3]); }
