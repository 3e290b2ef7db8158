t:m:hit:entry, u:m:alike:entry { trace(args[1]); }
