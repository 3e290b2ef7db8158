t:m:hit:entry { trace(args[0]->nosuch); }
