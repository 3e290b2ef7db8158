BEGIN { printf("%wd", 1); }
