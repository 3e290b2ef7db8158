t:m:hit:entry { trace(args[arg1]); }
