u:m:alike:entry, t:m:hit:entry { trace(args[2]); }
