t:m:hit:entry, t:m:hit:return { trace(args[2]); }
