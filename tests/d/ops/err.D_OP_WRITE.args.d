t:m:hit:entry { args[1] = 2; }
