t:m:hit:entry { a[args[0]] = 1; }
